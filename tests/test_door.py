"""Bad input ends in a sentence: the argument, what was expected, what came, and what helps."""

import builtins
import math
import pydoc
import re
import sys
import threading

import numpy as np
import pytest
import torch
from attentions import FUNCTIONS, ROWS, given, make

import attn_teach as at

# A call -> its error: words that the message holds, in this order, with " ~ " between them.
TABLE = """
kernel_regression([1.0], x, x) -> TypeError: queries must be a torch.Tensor
kernel_regression(x, rand(4, 2), x) -> ValueError: queries and keys must have shapes (n,) and
    (m,), or (n, features) and (m, features), got (4,) and (4, 2)
kernel_regression(rand(4, 3), rand(4, 2), x) -> ValueError: keys must have shape (m,) or
    (m, features) with features = 3, as queries
kernel_regression(rand(4, 3), rand(5, 1), x) -> ValueError: features = 3, as queries
kernel_regression(x, x, x[:1]) -> ValueError: each of the 4 keys
leave_one_out_error(x, x[:1], [1.0]) -> ValueError: with n = 4
attend(rand(3, 4), rand(1, 2)) -> ValueError: each of the 4 keys
NWKernelRegression()(x, rand(4, 5), rand(4, 1)) -> ValueError: each of the 5 keys
kernel_regression(x, x, x, 0.0) -> ValueError: bandwidth must be positive
kernel_regression(x, x, x, 1e-50) -> ValueError: bandwidth must be at least 1.2e-38, got 1e-50
kernel_regression(x, x, x, 1, "cosine") -> ValueError: gaussian, boxcar
kernel_regression(x, x, x, 10**400) -> ValueError: bandwidth must be at most 1e+64, got an int of
    1329 bits
gaussian(x.byte()) -> TypeError: u must hold floating-point numbers ~ u.float()
gaussian(torch.nested.nested_tensor([x, x])) -> TypeError: u must be dense, got nested; use u.to_pad
kernel_regression(x, x, x, 1, torch.sum) -> ValueError: kernel must return a tensor of the shape
leave_one_out(x[:1], x[:1]) -> ValueError: at least 2 points, got 1
leave_one_out_error(x, x, [1.0, 0.0]) -> ValueError: each of bandwidths must be positive
NWKernelRegression()(rand(8), rand(3, 8), rand(3, 8)) -> ValueError: there are 8 queries and 3 rows;
    to give every query the same keys, use keys.expand(n

dot_product_scores(Q, rand(2, 4, 2)) -> ValueError: queries of size 5 cannot be dotted with keys of
    size 2 ~ use AdditiveAttention or BilinearAttention
dot_product_scores(Q.numpy(), Q) -> TypeError: got ndarray; convert it with torch.tensor(
dot_product_scores(Q, Q.double()) -> TypeError: keys must have the dtype of queries, torch.float32,
    got torch.float64; convert one of them with .to(torch.float32)
dot_product_scores(Q, Q.to("meta")) -> ValueError: keys must be on the device of queries, cpu, got
    meta; move one of them with .to('cpu
dot_product_scores(Q.to_sparse(), Q) -> TypeError: queries must be dense, got torch.spars
dot_product_scores(Q[0, 0], Q) -> ValueError: queries must have at least 2 axes, (..., n, d), got
    shape (5,); add the missing one with queries.unsqueeze(0)
dot_product_scores(Q, rand(3, 4, 5)) -> ValueError: queries and keys must agree ~ queries (2, 3, 5),
    keys (3, 4, 5)

sequence_mask(Q.int(), ints(1, 2), 0.5) -> ValueError: value must be ~ torch.int32 can hold, got 0.5
masked_softmax(Q, ints(1, 2, 3)) -> ValueError: here (2,) or (2, 3); got
masked_softmax(Q[0], ints(1, 2, 3)) -> ValueError: there is no batch axis: unsqueeze
masked_softmax(Q, Q[:, 0, 0] > 1) -> TypeError: a boolean mask goes to the argument mask
masked_softmax(Q, mask=rand(3, 5)) -> TypeError: which way round ~ mask == 1 if ~ mask == 0 if
masked_softmax(Q, mask=true(5, 3)) -> ValueError: mask of shape (5, 3) must broadcast to the
    scores' shape (2, 3, 5)

attend(rand(3, 4), rand(5, 2)) -> ValueError: each of the 4 keys
attend(rand(3, 4), rand(4)) -> ValueError: values must have at least 2 axes, (..., m, v), got
    shape (4,); add the missing one with values.unsqueeze(1)
attend(rand(3, 4), V, dropout=0.1) -> TypeError: torch.nn.Dropout
DotProductAttention(1.01) -> ValueError: dropout must be a probability from 0 to 1
scaled_dot_product_attention(Q, Q, Q, true(3, 3)) -> TypeError: query_mask must not be given alone
    and by its place: name it, query_mask=... ~ mask=..., True = may attend
scaled_dot_product_attention(Q, V, V) -> ValueError: query of size 5 cannot be dotted with key of
    size 7 (got shapes (2, 3, 5) and (2, 4, 7)
scaled_dot_product_attention(Q, L, V, query_mask=true(2, 4)) -> ValueError: query_mask must have
    shape (batch, n), here (2, 3); got
scaled_dot_product_attention(Q, L, V, key_mask=rand(2, 4)) -> TypeError: key_mask must be a boolean
    ~ key_mask == 1 if 1 means
scaled_dot_product_attention(Q, L, V, key_mask=true(2, 4) * 2) -> TypeError: or a tokenizer

split_heads(Q, 2) -> ValueError: the last axis of X must be divisible by num_heads, got 5 and 2;
    4 or 6 would do
MultiHeadAttention(6, 5, 7, 2, 3) -> ValueError: got 2 and 3; 3 would do

SelfAttention(8.0, 2) -> TypeError: num_hiddens must be an int, got 8.0 (float)
SelfAttention(8, 2, True) -> TypeError: dropout must be a probability ~ as in causal=True
SelfAttention(8, 2, causal=1) -> TypeError: causal must be True or False, got 1 (int)

PositionalEncoding(12, max_len=4)(X) -> ValueError: X has 5 positions, more than max_len=4; build
    the encoding with max_len=5
offset_rotation(1, 5) -> ValueError: num_hiddens must be even
apply_rotary(X, ints(0, 1, 2, 3)) -> ValueError: positions must have shape (..., n), here (2, 5);
    got (4,)
apply_rotary(X, torch.ones(5).bfloat16()) -> TypeError: positions must hold integers, or numbers
    of 32 bits or more, as fewer bits round 1001 to 1000, got torch.bfloat16; make them with
alibi_bias(2, 1, 5, -1) -> ValueError: past must be from 0 to 100,000,000, got -1

attend(x, [1], 2, 3, 4) -> TypeError: takes from 2 to 4 positional arguments but 5 were given
EncoderBlock(12, 3, 7, heads=3) -> TypeError: unexpected keyword argument 'heads'
block(X, X[[0, 1, 0]]) -> ValueError: with batch = 2, as X of shape
block(X, X, None, {}) -> TypeError: cache must be a KVCache(), got dict
block(X, X + 0, None, used()) -> ValueError: memory is not the one that
DecoderBlock(12, 3, 20)(X, X, None, used()) -> ValueError: cache belongs to another block
MultiHeadAttention(6, 5, 7, 12, 3, num_kv_heads=2) -> ValueError: num_heads must be divisible by
    num_kv_heads, got 3 and 2; 2 or 4 would do
CausalBlock(12, 4, 20) -> ValueError: head_dim must be even ~ got 3
CausalBlock(12, 3, 20)(X, mask=true(5, 4)) -> ValueError: mask must have a column for each of the 5
    keys, 0 of them in the cache, got shape (5, 4)
used().append(H.double(), H.double()) -> ValueError: the cache holds keys and values of
    torch.float32, got torch.float64; fill and read a cache with one dtype
KVCache().append(H, H[:, :, :1]) -> ValueError: values must have shape

head_view(W[0, 0], T) -> ValueError: weights must have shape (heads, n, m) or (layer
head_view(W - 0.5, T) -> ValueError: weights must be from 0 to 1, got -0.
head_view(W / 0.1, T) -> ValueError: pass what the softmax returns
head_view(W, "the cat") -> TypeError: tokens must be a list of strings, got 'the cat'
head_view(W, [*T[1:], 7]) -> TypeError: tokens must hold strings, got 7
head_view(W, T[1:]) -> ValueError: tokens must hold 6 strings, one for each of the q
head_view(W[..., :4], T) -> ValueError: key_tokens must hold 4 strings, one for each of the keys,
    which are the tokens unless given, of weights of shape (3, 4, 6, 4), got 6
head_view(W, T, layer=3) -> ValueError: layer must be from 0 to 2 in weights of shape (3, 4, 6, 6),
head_view(W, T, head=-1) -> ValueError: head must be from 0 to 3 in weights of shape (3, 4, 6, 6),

show_heatmaps(M[0], "k", "q") -> ValueError: matrices must have shape ~ (3, 4, 5)
show_heatmaps(M, "k", "q", ["a", "b"]) -> ValueError: titles must hold 3 or 6 labels
show_heatmaps(M, "k", "q", xticklabels="abc") -> ValueError: xticklabels must hold 5
show_heatmaps(M, "k", "q", vmin=2, vmax=1) -> ValueError: vmin must not be above vmax, got 2 and 1;
    swap them
plot([1.0, 2], [1.0, 2, 3]) -> ValueError: same number of points, got 2 and 3
plot([[1.0], [2.0]], [[1.0], [2.0], [3.0]]) -> ValueError: one for each of the 3, got 2
check_shape(Q[0], (5, 3)) -> AssertionError: a must have shape (5, 3), got (3, 5)
check_shape(Q[0], (5, 3)) -> ValueError: a must have shape (5, 3), got (3, 5)
"""
REFUSED = [line.partition(" -> ")[::2] for line in TABLE.replace("\n    ", " ").split("\n") if line]


def used():
    """A cache that the block has used."""
    cache = at.KVCache()
    GIVEN["block"](GIVEN["X"], GIVEN["X"], None, cache)
    return cache


GIVEN = {name: getattr(at, name) for name in at.__all__} | {
    "torch": torch,
    "np": np,  # has a function for a shape
    "rand": torch.rand,
    "ints": lambda *numbers: torch.tensor(numbers),
    "true": lambda *shape: torch.ones(shape) > 0,
    "x": torch.rand(4),
    "Q": torch.rand(2, 3, 5),
    "V": torch.rand(2, 4, 7),
    "L": torch.rand(2, 4, 5),  # keys as wide as the queries
    "X": torch.rand(2, 5, 12),
    "M": torch.rand(2, 3, 4, 5),
    "H": torch.randn(2, 3, 2, 4),
    "W": torch.randn(3, 4, 6, 6).softmax(-1),
    "T": [*"abcdef"],
    "block": at.DecoderBlock(12, 3, 20),
    "used": used,
}


@pytest.mark.parametrize("name", [n for n in at.__all__ if n != "plt"])
def test_help_shows_types_and_shapes_and_no_addresses(name):
    text = pydoc.render_doc(getattr(at, name), renderer=pydoc.plaintext)
    assert " at 0x" not in text
    modules = [module for name, module in sys.modules.items() if name.startswith("attn_teach.")]
    checks = {name.strip("_") for module in modules for name in vars(module)}
    assert not checks & {*re.findall(r": '(\w+)'", text)}


@pytest.mark.parametrize(("call", "expected"), REFUSED)
def test_bad_input(call, expected):
    error, _, words = expected.partition(": ")
    held = ".*".join(map(re.escape, words.split(" ~ ")))
    with pytest.raises(getattr(builtins, error), match=held):
        eval(call, dict(GIVEN))


# Whatever is passed in place of one argument ends in a result or in an error that says why

F = torch.rand
X3, V3 = F(2, 3, 8), F(2, 4, 8)

# What is called, with arguments that work: what follows, each function, and each attention's making
# and calling.
CALLS = {
    "AdditiveScores": (at.AdditiveScores, {"key_size": 8, "query_size": 8, "num_hiddens": 6}),
    "AdditiveScores()": (at.AdditiveScores(8, 8, 6), {"queries": X3, "keys": V3}),
    "BilinearScores": (at.BilinearScores, {"key_size": 8, "query_size": 8}),
    "BilinearScores()": (at.BilinearScores(8, 8), {"queries": X3, "keys": V3}),
    "padding_mask": (at.padding_mask, {"valid_lens": torch.tensor([1, 3]), "num_keys": 4}),
    "causal_mask": (at.causal_mask, {"num_queries": 3, "num_keys": 4, "device": "cpu"}),
    "offset_rotation": (at.offset_rotation, {"delta": 2, "num_hiddens": 8}),
    "alibi_slopes": (at.alibi_slopes, {"num_heads": 6}),
    "alibi_bias": (at.alibi_bias, {"num_heads": 6, "num_queries": 3, "num_keys": 4, "past": 1}),
    "head_view": (
        at.head_view,
        {"weights": F(2, 3, 3), "tokens": ["a", "b", "c"], "key_tokens": ["x", "y", "z"],
         "title": "t", "layer": 0, "head": 1},
    ),
    "show_heatmaps": (
        at.show_heatmaps,
        {"matrices": F(1, 1, 1, 2), "xlabel": "k", "ylabel": "q", "titles": ["a"],
         "xticklabels": "wx", "yticklabels": "a",
         "vmin": 0.0, "vmax": 1.0, "annotate": False, "alt": "a"},
    ),
    "plot": (
        at.plot,
        {"X": F(4), "Y": F(4), "xlabel": "x", "ylabel": "y", "legend": ["a"],
         "title": "t", "alt": "a"},
    ),
    "append": (at.KVCache().append, {"keys": X3, "values": X3}),
}  # fmt: skip
CALLS |= {name: (make(name), given(name)) for name in FUNCTIONS}
for row, (made, built_with, _) in ROWS.items():
    if "fused" not in row:
        CALLS |= {row: (made, built_with), f"{row}()": (make(row), given(row))}


TAKES_ARRAYS = ("show_heatmaps", "plot")
PLAIN = """
None; "boxcars"; ""; b"ab"; [1.0, 2.0]; [[1.0], [2.0]]; []; [[1.0], [2.0, 3.0], "a"]; [None, None]
(2, 1); (math.nan, math.inf); {}; {1.0, 2.0}; (number for number in (1.0, 2.0)); object(); int
True; 0; -1; 1; 3; 0.5; 2.5; 1e-50; 1e300; math.nan; math.inf; 10**12; 1 + 2j
np.ones((2, 3, 4), dtype="float32"); np.array([1.0, None, "a"], dtype=object)
torch.tensor(0.5); torch.tensor(2); F(5); F(3, 7); F(3, 5, 7); F(2, 3, 4, 5); F(0); F(0, 3, 8)
F(2, 0, 8); torch.ones(2, 3, 4).long(); torch.ones(2, 3, 4) > 0; torch.ones(2, 3, 4) + 1j
"""
PLAIN = {text: eval(text) for text in PLAIN.strip().replace("\n", "; ").split("; ")}
CHANGES = {
    "float64": lambda a: a.double(),
    "float16": lambda a: a.half(),
    "int": lambda a: a.int(),
    "bool": lambda a: a.bool(),
    "complex": lambda a: a + 1j,
    "meta": lambda a: a.to("meta"),
    "sparse": lambda a: a.to_sparse(),
    "numpy": lambda a: a.numpy(),
    "list": lambda a: a.tolist(),
    "NaN": lambda a: torch.full_like(a.float(), math.nan),
    "inf": lambda a: torch.full_like(a.float(), math.inf),
    "-inf": lambda a: torch.full_like(a.float(), -math.inf),
    "non-contiguous": lambda a: a.transpose(0, -1).contiguous().transpose(0, -1),
    "transposed": lambda a: a.transpose(0, -1),
    "longer": lambda a: torch.cat([a, a], -1),
    "one batch more": lambda a: torch.cat([a, a[:1]]),
    "one axis more": lambda a: a[None],
    "two axes more": lambda a: a[None, None],
    "one axis less": lambda a: a[0],
    "leaf": lambda a: a.clone().requires_grad_() if a.is_floating_point() else a,
}


def cases(arguments):
    for name, value in arguments.items():
        for what, other in PLAIN.items():
            if what != "int" or name not in ("kernel", "dropout"):  # its errors are its own
                yield name, what, other
        if isinstance(value, torch.Tensor):
            for what, change in CHANGES.items():
                yield name, what, change(value)


@pytest.mark.parametrize("called", CALLS)
def test_a_malformed_argument_is_named(called):
    function, arguments = CALLS[called]
    function(**arguments)
    raw = []
    for name, what, value in cases(arguments):
        tensor = torch.is_tensor(arguments[name]) and called not in TAKES_ARRAYS
        try:
            function(**{**arguments, name: value})
            if tensor and what in ("numpy", "list", "sparse"):
                raw.append(f"{name} = {what} is taken")
        except (TypeError, ValueError) as error:
            # Our own errors name an argument in their first line, and quote no whole tensor.
            first = str(error).partition("\n")[0]
            named = any(f"{other} " in first for other in arguments)
            if not named or len(first) > 400 or "tensor([" in str(error):
                raw.append(f"{name} = {what}: {type(error).__name__}: {error}"[:150])
        except Exception as error:
            raw.append(f"{name} = {what}: {type(error).__name__}: {error}"[:150])
        finally:
            at.plt.close("all")
    assert not raw, f"{len(raw)} raw errors\n" + "\n".join(raw)


# Who is asked: whoever is called from outside


OTHER = at.SelfAttention(6, 2)


@pytest.mark.parametrize("wrong", [lambda: OTHER(X3), lambda: OTHER.attention(X3, X3, X3)])
def test_what_a_hook_or_another_thread_calls_is_asked(wrong):
    """While a block is at work, in each of its parts."""
    block, raised = at.EncoderBlock(8, 2, 16), []

    def call():
        with pytest.raises(ValueError, match="size 6 in the last axis") as error:
            wrong()
        raised.append(error)

    def hook(*_):
        call()
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()

    parts = [*block.modules()]
    for part in parts:
        part.register_forward_hook(hook)
    block(X3)
    assert len(raised) >= 2 * len(parts)  # the dropout is called twice


@pytest.mark.parametrize("other", [torch.int8, torch.float64])
def test_weights_of_two_kinds_tell_nothing_of_the_input(other):
    """As of an adapter, or of weights that were rounded: the numbers of X are no mistake."""
    layer = at.SelfAttention(8, 2)
    expected = layer(X3)
    layer.attention.adapter = torch.nn.Parameter(torch.ones(2).to(other), requires_grad=False)
    assert next(layer.parameters()).dtype == other
    assert torch.equal(layer(X3), expected)
    with pytest.raises(TypeError, match="keys must have the dtype of queries"):
        layer.attention(X3, X3.double(), X3)
