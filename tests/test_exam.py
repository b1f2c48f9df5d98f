"""classroom/EXAM.md: five questions a lesson, whose rubrics hold what is computed here.

A question's numbers are read from its text: each `name = [1, 2]` in it becomes a variable, and its
code is run, as it stands and with the line that the rubric mends. The table below has, for each
question, an expression for each bold figure of its rubric, in the same order.
"""

import ast
import builtins
import itertools
import math
import re
from functools import cache, partial
from types import SimpleNamespace

import nbformat
import pytest
import torch
from torch import nn

import attn_teach
from attn_lesson import lesson14, lesson15, lesson16
from attn_lesson.lesson13 import MEASURES, PLANTED, RIGHT, drawn
from tools.course import course
from tools.lessons import ROOT, lessons

EXAM = (ROOT / "classroom" / "EXAM.md").read_text(encoding="utf-8")
KINDS = [("Read", 3), ("Compute", 4), ("Explain", 4), ("Find the bug", 4), ("Transfer", 5)]
KERNELS = ("gaussian", "boxcar", "triangular", "epanechnikov")

HEADING = re.compile(r"^### E(\d+\.\d) · (.*) \((\d+) points\)$", re.MULTILINE)
_, *PARTS = HEADING.split(EXAM)
QUESTIONS = {
    name: SimpleNamespace(
        kind=kind,
        points=int(points),
        asked=text.partition("*Points*")[0],
        rubric=re.split(r"^## ", text.partition("*Points*")[2], flags=re.MULTILINE)[0],
    )
    for name, kind, points, text in zip(*[iter(PARTS)] * 4, strict=True)
}


# ---------------------------------------------------------------- what the expressions use


softmax = partial(torch.softmax, dim=-1)
tensor = partial(torch.tensor, dtype=torch.float64)


def fits(row, q, K):
    """Return the kernels whose weights are the row, with the bandwidths in tenths that do it."""
    found = {}
    for kernel, tenths in itertools.product(KERNELS, range(2, 60)):
        weights = attn_teach.kernel_regression(tensor([q]), K, K, tenths / 10, kernel)[1][0]
        if (weights - row).abs().max() < 0.0051:
            found.setdefault(kernel, []).append(tenths / 10)
    return found


@cache
def largest_weights(power):
    """Return row `power` of lesson 02, section 4: the mean largest weight at five sizes."""
    row = []
    for size in (4, 16, 64, 256, 1024):
        torch.manual_seed(2)
        queries, keys = torch.randn(500, 1, size), torch.randn(500, 16, size)
        row.append(softmax(queries @ keys.mT / size**power).amax(-1).mean())
    return torch.tensor(row).double()


def power_of(row):
    return min((0.4, 0.5, 0.6), key=lambda power: (largest_weights(power) - row).abs().max())


def influences(layer, n, size=8):
    """Return whether an output (in rows) moves when a token (in columns) changes."""
    moves = torch.autograd.functional.jacobian(layer, torch.randn(1, n, size))
    return moves.abs().amax((0, 2, 3, 5)) > 1e-6


def convolution(before, after):
    """Return a convolution whose outputs read so many tokens before and after their own."""
    layer = nn.Conv1d(8, 8, before + after + 1)
    return lambda X: layer(nn.functional.pad(X.mT, (before, after))).mT


def it_finds(added):
    """Return what `it` gives to horse and barn in layer 2 of lesson 05, section 2."""
    _, noun, pronoun, adjective, verb, _, alive, place = range(8)
    words = [[0], [noun, alive], [verb], [0], [noun, place], [5], [pronoun], [verb]]
    X, read, take, find = torch.zeros(9, 8), *torch.zeros(3, 8, 8)
    for row, features in zip(X, [*words, [adjective, alive]], strict=True):
        row[features] = 1
    read[pronoun, adjective] = 8
    take[[alive, place], [alive, place]] = 1
    find[[adjective, pronoun, alive, place], [noun, noun, alive, place]] = 8
    output, _ = attn_teach.attend(attn_teach.dot_product_scores(X @ read, X), X @ take)
    X = output + X if added else output
    return softmax(attn_teach.dot_product_scores(X @ find, X))[6, [1, 4]]


def slope_of(bias):
    """Return the slope of eight that gives this row, for the query at place 3."""
    heads = zip(attn_teach.alibi_slopes(8), attn_teach.alibi_bias(8, 4, 6), strict=True)
    return next(slope for slope, rows in heads if torch.equal(rows[3], bias.float()))


def turn(places):
    """Return the matrix that turns a pair (sin, cos) on by 30 degrees a place."""
    return attn_teach.offset_rotation(places * math.pi / 6, 2)


def patches():
    """Return vectors of 8 by 8 patches: half a vector tells the row, half the column."""
    P = attn_teach.PositionalEncoding(8).P[0, :8]
    return torch.cat([P[:, None].expand(8, 8, 8), P[None].expand(8, 8, 8)], -1)


def by_offset(X):
    """Say if dot products of patches depend on the offsets in rows and columns alone."""
    products = torch.einsum("abi, cdi -> abcd", X, X)
    down = products[1:, :, 1:] - products[:-1, :, :-1]
    right = products[:, 1:, :, 1:] - products[:, :-1, :, :-1]
    return all((change.abs() < 1e-5).all() for change in (down, right))


def cached_kB(symbols, letters=30):
    block, cache = attn_teach.DecoderBlock(40, 4, 80), attn_teach.KVCache()
    memory = torch.zeros(1, letters, 40)
    block(torch.zeros(1, symbols, 40), memory, None, cache)
    return cache.nbytes / 1000


def cross_shape(symbols, letters):
    block = attn_teach.DecoderBlock(40, 4, 80)
    block(torch.zeros(1, symbols, 40), torch.zeros(1, letters, 40))
    return block.cross_attention.attention_weights.shape[1:]


def size_of(module, *parts):
    """Count the parameters, or those whose names hold one of the parts."""
    named = module.named_parameters()
    return sum(p.numel() for name, p in named if not parts or any(part in name for part in parts))


def multi_head(width, heads):
    return attn_teach.MultiHeadAttention(width, width, width, width, heads)


def weights_of(attention, X):
    attention(X, X, X)
    return attention.attention_weights


def swapping_changes_nothing():
    """Say if the output stays when heads 0 and 1 of three are swapped, W_o's columns as well."""
    attention, X = multi_head(12, 3), torch.randn(2, 5, 12)
    before, order = attention(X, X, X), [*range(4, 8), *range(4), *range(8, 12)]
    for W in (attention.W_q, attention.W_k, attention.W_v):
        W.weight.data = W.weight.data[order]
    changed = attention(X, X, X)
    attention.W_o.weight.data = attention.W_o.weight.data[:, order]
    return not torch.allclose(changed, before) and torch.allclose(
        attention(X, X, X), before, atol=1e-6
    )


def same_as_module(attend_folded):
    """Say if two heads folded into the batch give what lies apart, with lengths 3 and 1."""
    X, lengths = torch.randn(2, 2, 3, 4), torch.tensor([3, 1])
    folded = X.flatten(0, 1)
    apart = attn_teach.DotProductAttention()
    expected = [apart(x, x, x, length.expand(2)) for x, length in zip(X, lengths, strict=True)]
    return torch.allclose(attend_folded(folded, folded, folded, lengths, 2), torch.cat(expected))


def add_mean(a, b):
    return a + (a + b) / 2, b + (a + b) / 2


def outputs(lesson):
    """Return what is stored below the cells of a lesson, on one line."""
    (path,) = (path for path in lessons() if path.name.startswith(f"{lesson:02}"))
    found = [output for cell in nbformat.read(path, 4).cells for output in cell.get("outputs", [])]
    texts = [found.get("text") or found.get("data", {}).get("text/plain", "") for found in found]
    return " ".join(" ".join(texts).split())


def printed(lesson, words, times=1):
    """Return the number that stands, so many times, behind the words in a stored output."""
    number = rf"{re.escape(words)} *(-?[\d.]+)(?: \1){{{times - 1}}} "
    return float(re.search(number, outputs(lesson) + " ")[1])


ATTENTIONS = RIGHT | PLANTED  # those of lesson 13


def found(attention, *questions):
    """How far off an attention is at worst, by each of lesson 13's questions."""
    return tensor([MEASURES[question](attention, *drawn()) for question in questions])


def caught(question):
    """Return which of lesson 13's broken attentions a question catches on the usual inputs."""
    return {name for name, attention in PLANTED.items() if found(attention, question) > 1e-5}


def of_one_query(V, may, order):
    """All scores 0: what a test of the order is called with behind the attention."""
    zeros, V = torch.zeros(1, 1, len(V), 1).double(), V.view(1, 1, -1, 1)
    return zeros[:, :, :1], zeros, V, may.view(1, 1, 1, -1), order.long()


def before_and_after(attention, V, may, order):
    """The outputs that a test compares which leaves the mask where it is."""
    queries, keys, V, may, order = of_one_query(V, may, order)
    return tensor([attention(queries, keys, v, may)[0].item() for v in (V, V[:, :, order])])


def mean_loss(name):
    """The mean loss of five models of lesson 14, by their name."""
    return sum(lesson14.runs()[name]["loss"]) / 5


def agrees_with_runs(row, name):
    """Whether a row has the mean losses at three rates, and at the last the largest score."""
    names = [f"{name}, rate {rate}" for rate in lesson14.HIGH]
    exact = tensor([*map(mean_loss, names), max(lesson14.runs()[names[-1]]["score"])])
    return ((exact - row).abs() < tensor([0.0051, 0.0051, 0.0051, 0.51])).all()


def beside(scores, sink):
    """The weights of rows beside a sink."""
    return softmax(torch.cat((scores, torch.full_like(scores[..., :1], sink)), -1))[..., :-1]


def held(n, window):
    """How many tokens a layer with a window holds after n of them."""
    return lesson15.kept([{"window": window}], n) // lesson15.kept([{}], 1)


def first_wrong(theirs, ours):
    """The first token that comes out otherwise from layers whose parts differ, and all after it."""
    made = [attn_teach.CausalAttention(16, 2, **parts).double() for parts in (ours, theirs)]
    for parameter in made[1].parameters():  # biases and sinks begin at 0
        nn.init.normal_(parameter, std=0.3)
    numbers = made[1].state_dict()
    made[0].load_state_dict({name: numbers[name] for name in made[0].state_dict()})
    X = torch.randn(1, 12, 16).double()
    off = (made[0](X) - made[1](X)).abs().amax((0, 2)) > 1e-9
    assert off[off.nonzero()[0, 0] :].all()
    return off.nonzero()[0, 0].item()


def agrees_with_recall(row, name):
    """Whether a row has what lesson 15's design keeps and recalls, after few steps and many."""
    task, seeds = "24 pairs, rewritten", lesson15.runs()
    steps = lesson15.SHORT, lesson15.LONG
    means = [sum(seeds[task, name, n]["recall"]) / 3 for n in steps]
    exact = tensor([lesson15.kept(lesson15.DESIGNS[name], 60), *means])
    return ((exact - row).abs() < 0.0051).all()


def state_after(a, b, beta):
    """A state's two numbers after each of 2 under a, 5 under b, and 3 under a: (writings, 2)."""
    keys, values = torch.stack((a, b, a)).expand(2, 3, 2), tensor([[2], [5], [3]]).expand(2, 3, 1)
    asks, betas = torch.eye(2).double()[:, None].expand(2, 3, 2), tensor([1, 1, beta]).expand(2, 3)
    return attn_teach.delta_rule(asks, keys, values, betas)[..., 0].T


def hybrid(layers, full, state):
    """Millions of numbers that are kept if each fourth layer keeps `full`, the others a state."""
    return (layers // 4 * full + 3 * layers // 4 * state) / 1e6


def counted(rows, columns, n=1024, d=64):
    """How many numbers lesson 16's kernel moves with these tiles."""
    x, kernel = torch.zeros(n, d), partial(lesson16.flash, rows=int(rows), columns=int(columns))
    return lesson16.Chip().run(kernel, x, x, x, out=torch.zeros(n, d)).moved


def packed(n, m, t, w=None):
    """The kinds of tiles of texts of m tokens, one behind the other in a row of n."""

    def rule(q, k):
        return (q // m == k // m) & (k <= q) & (q - k < (w or n))

    return torch.tensor(lesson16.tile_kinds(rule, n, n, t, t))


def causal_values(attend_with_sink):
    """A layer whose tokens are values, read with equal scores by each token and those after it."""
    return lambda X: attend_with_sink(equal_scores(X.shape[1]).float(), X[0], 0.0)[None]


def equal_scores(n):
    return torch.zeros(n, n).double().masked_fill(~attn_teach.causal_mask(n), -torch.inf)


# ---------------------------------------------------------------- what the code of a bug needs


EVENLY = equal_scores(3)
RANDOM = (equal_scores(5) + torch.randn(5, 5), torch.randn(5, 2).double())

EVEN = torch.zeros(2, 4, 2), torch.zeros(2, 4, dtype=torch.long)  # scores, what was right
Q = torch.randn(5, 4)


def even_module():
    """A PyTorch module of one head whose scores are all equal."""
    module = nn.MultiheadAttention(2, 1, batch_first=True).double()
    for parameter in module.parameters():
        nn.init.zeros_(parameter)
    return module


def counter(ids):
    """A causal model: the next letter is the sum of those so far, of five."""
    return torch.eye(5)[ids.cumsum(-1) % 5]


class Echo:
    """A reader and a writer: the next symbol is how many have been written."""

    def read(self, letters, lengths):
        return letters, lengths

    def write(self, letters, lengths, written):
        return torch.eye(9)[torch.arange(1, 1 + written.shape[1])].expand(len(letters), -1, 9)


def published():
    """An attention to be loaded, a file to load it from, and what comes out if it is."""
    attention, loaded, X = multi_head(6, 2), multi_head(6, 2), torch.randn(2, 4, 6)
    names = ("self.query", "self.key", "self.value", "output.dense")
    weights = zip(names, loaded.parameters(), strict=True)
    file = {f"encoder.layer.0.attention.{name}.weight": W.detach() for name, W in weights}
    return {"attention": attention, "file": file, "X": X, "expected": loaded(X, X, X)}


# ---------------------------------------------------------------- the table


def rows(text):
    """A table as {first column: the others}; a line that is indented goes on with the one above."""
    lines = re.sub(r"\n +", " ", text.strip()).splitlines()
    return {name: rest for name, *rest in (line.split(" | ") for line in lines)}


TABLE = rows(
    r"""
1.1 | ' '.join(fits(A, q, K)) | min(fits(A, q, K)['boxcar']) | max(fits(A, q, K)['boxcar']) + 0.1 |
    ' '.join(fits(B, q, K)) | sum(fits(B, q, K)['gaussian']) | ' '.join(fits(C, q, K)) |
    sum(fits(C, q, K)['triangular'])
1.2 | epanechnikov((q - K) / h) | kernel_regression(tensor([q]), K, V, h, 'epanechnikov')[1][0] |
    kernel_regression(tensor([q]), K, V, h, 'epanechnikov')[0] | epanechnikov((q - K) / h) @ V
1.3 | h / 5**0.5
1.4 | answer(q, K, V, h) | mended.answer(q, K, V, h)
1.5 | (q - a).square().sum() | (q - b).square().sum() |
    exp(((q - b).square().sum() - (q - a).square().sum()) / 2) |
    (((q - a) / tensor([10, 1])) ** 2).sum() | (((q - b) / tensor([10, 1])) ** 2).sum()
2.1 | power_of(Z) | power_of(Y) | power_of(X) | 1 / 16
2.2 | K @ q | K @ q / 2 | softmax(dot_product_scores(q[None], K)) |
    scaled_dot_product_attention(q[None], K, V[:, None]) | softmax(K @ q) @ V |
    softmax(K @ q / 4) @ V
2.3 | exp(tensor(2.0)) | softmax(tensor([1.0] + 15 * [-1.0]))[0]
2.4 | attention(randn(3, 4), randn(5, 4), torch.ones(5, 1))[0] |
    attention(randn(3, 4), randn(5, 4), torch.full((5, 1), 10.0))[0]
2.5 | a @ q | b @ q | distance_scores(q[None], a[None]) | distance_scores(q[None], b[None]) |
    -a @ a / 2 | -b @ b / 2 | a @ q / a.norm() | b @ q / b.norm() | a @ -q | b @ -q
3.1 | (M.bool() & ~causal_mask(5)).sum() | (causal_mask(5) & ~M.bool()).sum() |
    torch.equal(M, torch.ones(5, 5).tril(1).triu(-2).double())
3.2 | masked_softmax(s[None], mask=may)[0, 1] | exp(s)[may].sum() |
    masked_softmax(s[None], mask=may) | attend(s[None], V[:, None], may)[0] |
    softmax(s.masked_fill(~may, 0)) @ V | softmax(s).masked_fill(~may, 0) @ V
3.3 | attend(tensor([[0.0, 0, 0, 0]]), tensor([[1.0], [1], [0], [0]]))[0] |
    attend(tensor([[3.0, 3, 0, 0]]), tensor([[1.0], [1], [0], [0]]))[0]
3.4 | causal_attention(*randn(3, 4, 8)).isnan().any(-1).sum() |
    (causal_attention(*randn(2, 4, 8), torch.eye(4))[3] > 0).sum() |
    (mended.causal_attention(*randn(2, 4, 8), torch.eye(4))[3] > 0).sum()
3.5 | ((doc[:, None] == doc) & causal_mask(5)).sum() | causal_mask(5).sum() |
    ((doc[:, None] != doc) & causal_mask(5)).sum()
4.1 | T[:, 0].argmax() | T[:, 1].argmax() | 1 / 6
4.2 | size_of(multi_head(num_hiddens, num_heads)) | (num_hiddens / num_heads) ** 0.5 |
    weights_of(multi_head(num_hiddens, num_heads), randn(batch, n, num_hiddens)).numel() |
    size_of(multi_head(num_hiddens, 6)) |
    weights_of(multi_head(num_hiddens, 6), randn(batch, n, num_hiddens)).numel()
4.3 | (split_heads(torch.arange(12.0).view(1, 1, 12), 3) == 7).nonzero()[0, 1] |
    swapping_changes_nothing()
4.4 | valid_lens.repeat(2) | valid_lens.repeat_interleave(2) |
    (valid_lens.repeat(2) != valid_lens.repeat_interleave(2)).nonzero().flatten()
4.5 | size_of(multi_head(d, 2)) | (randn(10_000, 1) @ randn(n, 1).T).argmax(-1).unique().numel() |
    2 * n * n | d * n * n
5.1 | influences(convolution(1, 1), n).sum() |
    influences(SelfAttention(8, 2, causal=True), n).sum() | influences(convolution(1, 0), n).sum()
5.2 | X @ W_q | X @ W_k | X @ W_v | attend((X @ W_q) @ (X @ W_k).T, X @ W_v)[0][1] |
    attend((X @ W_q) @ (X @ W_k).T, X @ W_v)[0][2] |
    attend((X @ W_q) @ (X @ W_k).T, X @ W_v, causal_mask(3))[0][1]
5.3 | it_finds(added=False) | it_finds(added=True)
5.4 | len(set(write(counter, [3, 1], 4)[2:])) == 1
5.5 | 4 * n * d * d / 1e6 | 2 * n * n * d / 1e6 |
    (8 * n * d * d + 8 * n * n * d) / (4 * n * d * d + 2 * n * n * d)
6.1 | bias.argmax() | slope_of(bias) | exp(bias[0] - bias[1])
6.2 | turn(3)[:, 1] | turn(9)[:, 1] | turn(3)[:, 1] @ turn(7)[:, 1] | turn(3)[0] | turn(3)[1] |
    turn(3) @ turn(2)[:, 1]
6.3 | apply_rotary(tensor([[1, 0]]), tensor([0])) |
    apply_rotary(tensor([[1, 0]]), tensor([6 * math.pi / 6]))
6.4 | table(9, 8)[0] @ table(9, 8)[0] | mended.table(9, 8)[0] @ mended.table(9, 8)[0] |
    table(9, 8)[2] @ table(9, 8)[3] | table(9, 8)[5] @ table(9, 8)[6]
6.5 | torch.arange(64).view(8, 8)[2, 3] |
    torch.arange(64).view(8, 8)[3, 3] - torch.arange(64).view(8, 8)[2, 3] | by_offset(patches())
7.1 | 12 * (least < 0.8).nonzero()[0, 0] | 12 * (most < 0.8).nonzero()[0, 0] | least[3] | most[3]
7.2 | size_of(EncoderBlock(d, heads, hidden), 'attention') |
    size_of(EncoderBlock(d, heads, hidden), 'W_1', 'W_2') |
    size_of(EncoderBlock(d, heads, hidden), 'norm') | size_of(EncoderBlock(d, heads, hidden)) |
    2 * d // heads | 3 * d // heads - 1
7.3 | 0.5**8 | 72 * 0.5**8 | 1 - (1 - 0.5**8) ** 72
7.4
7.5 | cosine_similarity((a + b) / 2, (a + b) / 2, 0) | cosine_similarity(*add_mean(a, b), 0) |
    cosine_similarity(*add_mean(*add_mean(a, b)), 0)
8.1 | (kB[4] - kB[0]) / (symbols[4] - symbols[0]) | 2 * cached_kB(10) - cached_kB(20) |
    cached_kB(320)
8.2 | first.max() * after_a.max() | max(first[0] * after_a.max(), first[1] * after_b.max()) |
    stack([first[1], after_b[0]])
8.3 | not influences(SelfAttention(8, 2, causal=True), 5).triu(1).any() |
    not influences(EncoderBlock(8, 2, 16), 5).triu(1).any()
8.4 | translate(Echo(), randn(3, 7), None, 0, 4).shape |
    mended.translate(Echo(), randn(3, 7), None, 0, 4).shape
8.5 | cross_shape(written, letters) | 1000 * cached_kB(written, letters)
9.1 | new.min() | own[1] - own[2] | new[2] - new[1] | new[3] - own[3]
9.2 | x[0] * after_a[1] * after_b[2] | -(x[0] * after_a[1] * after_b[2]).log() / 3 |
    x[0] / (x[0] + y[0]) | 0.2 * x[0] / (0.2 * x[0] + 0.8 * y[0])
9.3 | printed(9, 'trained without nothing') | printed(9, 'the second block') |
    printed(9, 'the second block 2.5')
9.4 | loss(*EVEN, real) | mended.loss(*EVEN, real)
9.5 | steps * batch / names | numbers / names / letters
10.1 | on[1] - A[1] | on[0] - B[0] | on[1] - C[1]
10.2 | softmax(p.log() / 0.5) | p[:2] / p[:2].sum() |
    ((softmax(p.log() / 0.5).cumsum(0) - softmax(p.log() / 0.5)) < 0.75).sum()
10.3 | printed(10, "L16H0, on the token before") | printed(10, "no head 14.9 3.4 21 3.98") |
    printed(10, "L16H0 15.1 9.8 0 4.05") | printed(10, "keys without L16H0") |
    printed(10, "queries without L16H0")
10.4 | rms_norm(X, 1)[0, 0] | mended.rms_norm(X, 1)[0, 0] |
    not allclose(rms_norm(X, 1)[0, 0], rms_norm(X * tensor([[[1], [5]]]), 1)[0, 0])
10.5 | weights * (32 * 4 + 32) / 32 / 8 / 1e6 | 2 * blocks * kv_heads * size * 2 |
    2 * blocks * kv_heads * size * 2 * tokens / 1e6 |
    2 * blocks * heads * size * 2 * tokens / 1e6 |
    2 * blocks * kv_heads * size * 2 * (window + 1) / 1e6
11.1 | c[2:].sum() | c[:2].sum() / c[2:].sum()
11.2 | W @ x | W.T @ x | 2 + 1 | P[3] @ x | (W @ x)[1] * (P[3] @ x) | (W.T @ x)[1] * (P[3] @ x)
11.3 | printed(11, 'keras.layers', 5) | printed(11, 'keras.layers, asked for its weights', 5)
11.4 | weights_without_padding(even_module(), X, lens)[0, 0] |
    mended.weights_without_padding(even_module(), X, lens)[0, 0]
11.5 | tensor([n, batch, heads, size]) | math.sqrt(size) | softmax(torch.randn(n) - 1e9)[0]
12.1 | log2(A[2] / A[0]) / 2 | log2(B[2] / B[0]) / 2 | log2(C[2] / C[0]) / 2
12.2 | math.exp(-2) + 1 | 10 * math.exp(-2) + 20 | math.exp(-2) + 1 + math.exp(-1) |
    10 * math.exp(-2) + 20 | softmax(s) @ v
12.3 | 4 * n * n * 64 / (16 * n * 64) | 2 / 4 | 4 * 2 / 4
12.4 | online(S, V) | mended.online(S, V)
12.5 | 2 * (w - 1) * n / w * d | 2 * (w - 1) * n / w * d * 2 / link * 1e3 |
    4 * d * n * n / w / peak * 1e3 | (w - 1) * peak / link
13.1 | A[1] | A[2] | B.max() | C.max()
13.2 | softmax(tensor([s[0], s[1], -inf])) | softmax(tensor([s[0], s[1], -inf])) @ v |
    softmax(tensor([s[0], s[1], fill])) | softmax(tensor([s[0], s[1], fill])) @ v |
    100 * softmax(tensor([s[0], s[1], fill]))[2] | softmax(tensor([s[0], s[1], fill])).sum()
13.3 | printed(13, 'caught by the reference, usual inputs:') | printed(13, 'caught by rows:') |
    printed(13, 'careless', 2)
13.4 | before_and_after(ATTENTIONS['plain'], V, may, order) |
    before_and_after(ATTENTIONS['ignores_the_mask'], V, may, order) |
    str(order_is_not_felt(ATTENTIONS['plain'], *of_one_query(V, may, order))) |
    str(order_is_not_felt(ATTENTIONS['ignores_the_mask'], *of_one_query(V, may, order)))
13.5 | causal_mask(n).triu(1 - w).sum() | n * n - causal_mask(n).triu(1 - w).sum() |
    causal_mask(n).tril(-w).sum() | causal_mask(n).tril(-w).triu(-w).sum() | w + 1
14.1 | stack([plain, norm, cap, gate])[:, 0].max() - stack([plain, norm, cap, gate])[:, 0].min() |
    norm[0] - plain[0] | 100 * (plain[2] - cap[2]) / (plain[2] - plain[0]) | cap[2] - norm[2] |
    plain[2] - gate[2]
14.2 | rms_norm(q, [d], w_q) | rms_norm(k, [d], w_k) |
    rms_norm(q, [d], w_q) @ rms_norm(k, [d], w_k) / d**0.5 |
    d**0.5 * w_q.max() * w_k.max() | beside(s, sink) | beside(s, sink).sum() | beside(s, sink) @ v
14.3 | held(n, w) | layers // every * n + (layers - layers // every) * held(n, w) |
    1 / every + (1 - 1 / every) * held(n, w) / n | 1 / every |
    mean_loss('four blocks, three windows') | mean_loss('four blocks, all see all') |
    mean_loss('four blocks, four windows')
14.4 | attend_with_sink(EVENLY, V[:, None], 0.0) | mended.attend_with_sink(EVENLY, V[:, None], 0.0)
14.5 | (layers // 4 * n + 3 * layers // 4 * held(n, w)) * 2 * kv * d / 1e6 |
    layers * n * 2 * kv * d / 1e6 | heads / kv | first_wrong({'window': 4}, {}) |
    first_wrong({'window': 4}, {'window': 3})
15.1 | windows[1] - latent[1] | latent[2] - windows[2] | windows[2] - windows[1] |
    windows[0] / latent[0] | full[0] / latent[0] | full[0] / windows[0] | full[0] / delta[0]
15.2 | state_after(a, b, 1.0)[1] | state_after(a, b, 0.5)[2] | a @ state_after(a, b, 0.5)[2] |
    b @ state_after(a, b, 0.5)[2] | a @ (5 * a + 5 * b) | a @ state_after(a, b, 1.0)[2] |
    b @ state_after(a, b, 1.0)[2]
15.3 | r + t | heads * (d + t + v) | heads * (d + t + v) / (r + t) | 2 * r + t | d + t + v
15.4 | read_window(q, K, V, 2) | mended.read_window(q, K, V, 2)
15.5 | h * s * s | h * s * s / (2 * kv * d) | hybrid(layers, n * 2 * kv * d, h * s * s) |
    layers * n * 2 * kv * d / 1e6 | 12 / layers |
    hybrid(layers, (w - 1) * 2 * kv * d, h * s * s)
16.1 | n / a[0] | n / b[0] | n / c[0] | counted(256, 64) / 1000 | a[2] / plain | c[2] / plain
16.2 | p[:2].sum() / p[1] | p[:2] @ v[:2] / p[1] | p[1] / p[2] | p.sum() / p[2] | p @ v / p[2] |
    p @ v / p.sum() | p.sum().log() | p[0] / p.sum()
16.3 | 2 * n * d * (1 + n / 64) / 1e6 | (4 * n * d + 4 * n * n) / 1e6 |
    2 * n * d * (1 + n / 256) / 1e6
16.4 | read_in_tiles(q, k, v, 2) | mended.read_in_tiles(q, k, v, 2)
16.5 | (n // t) ** 2 | (packed(n, m, t) > 0).sum() | (packed(n, m, t) == 1).sum() |
    100 * (packed(n, m, t) == 0).double().mean() | (packed(n, m, t, w) > 0).sum()
"""
)

# What the text of a question or a rubric says besides its bold figures.
TRUE = rows(
    r"""
1.4 | not torch.isclose(answer(q, K, V, h), V[0]) and V.unique().tolist() == [20]
2.4 | torch.allclose(mended.attention(Q, Q, Q), scaled_dot_product_attention(Q, Q, Q))
3.4 | torch.allclose(mended.causal_attention(Q, Q, Q),
    scaled_dot_product_attention(Q, Q, Q, mask=causal_mask(5)))
4.4 | same_as_module(mended.attend_folded) and not same_as_module(attend_folded)
5.4 | mended.write(counter, [3, 1], 3) == [3, 1, 4, 3, 1]
6.4 | torch.allclose(mended.table(9, 8), PositionalEncoding(8).P[0, :9], atol=1e-6)
7.1 | all(' '.join(f'{x:.2f}' for x in row.tolist()) in outputs(7) for row in (least, most))
7.4 | torch.allclose(mended.attention(X, X, X), expected)
    and not torch.allclose(attention(X, X, X), expected)
8.1 | allclose(kB, tensor([cached_kB(int(count)) for count in symbols]))
8.4 | mended.translate(Echo(), randn(3, 7), None, 0, 4)[0].tolist() == [0, 1, 2, 3, 4]
9.4 | math.isclose(mended.loss(*EVEN, real), math.log(2), rel_tol=1e-6)
10.3 | all(row in outputs(10) for row in
    ('L18H6 14.9 5.9 6 ', 'five copiers 14.8 11.4 0 ', 'L16H0 15.1 9.8 0 '))
10.4 | torch.allclose(mended.rms_norm(X, 1), nn.RMSNorm(2, 1e-5).double()(X))
11.1 | abs(c[0] / c[1] - a[0] / a[1]) < 0.01 and abs(c[2] / c[3] - b[2] / b[3]) < 0.03
11.4 | weights_without_padding(even_module(), X, tensor([3])).isnan().all()
12.4 | torch.allclose(mended.online(S, V), softmax(S) @ V) and online(S, V) > V.max()
    and torch.allclose(online(S.flip(0), V), softmax(S.flip(0)) @ V)
13.1 | all(allclose(found(attention, 'rows', 'padding', 'future', 'alone'), row, 0.05, 5e-7)
    for attention, row in ((ATTENTIONS['takes_the_first_sentences_mask'], A),
    (ATTENTIONS['centers_the_keys'], B), (ATTENTIONS['masks_with_minus_ten'], C)))
    and found(ATTENTIONS['does_not_scale'], 'rows', 'padding', 'future', 'alone').max() < 1e-5
13.3 | caught('rows') < caught('reference') and len(caught('reference')) == 16
13.4 | all(mended.order_is_not_felt(attention, *of_one_query(V, may, order))
    for attention in (ATTENTIONS['plain'], ATTENTIONS['ignores_the_mask']))
    and all(mended.order_is_not_felt(attention, *drawn(), torch.randperm(7))
    for attention in RIGHT.values())
13.5 | not causal_mask(w).tril(-w).any() and causal_mask(w + 1).tril(-w).any()
14.1 | all(agrees_with_runs(row, name) for row, name in
    ((plain, 'plain'), (norm, 'QK-norm'), (cap, 'cap 8.0'), (gate, 'gate')))
14.2 | rms_norm(q, [d]) @ rms_norm(k, [d]) < d
14.4 | influences(causal_values(attend_with_sink), 4)[1, 2]
    and not influences(causal_values(mended.attend_with_sink), 4).triu(1).any()
    and torch.allclose(mended.attend_with_sink(*RANDOM, 0.7), beside(RANDOM[0], 0.7) @ RANDOM[1])
14.5 | first_wrong({'qk_norm': 'whole'}, {}) == first_wrong({}, {'turned': 0.0}) == 1
    and first_wrong({'sink': True}, {}) == first_wrong({'bias': True}, {}) == 0
15.1 | all(agrees_with_recall(row, name) for row, name in ((full, 'four heads of keys'),
    (latent, 'latent of 8'), (windows, 'windows of 16'), (delta, 'delta rule')))
15.2 | allclose(a @ (5 * a + 5 * b), b @ (5 * a + 5 * b))
15.4 | allclose(mended.read_window(q, K, V, 2), softmax(K[1:] @ q) @ V[1:])
    and allclose(read_window(q, K, V, 3), softmax(K @ q) @ V)
15.5 | hybrid(layers, 512 * 2 * kv * d, h * s * s) * 1e6 == layers * 512 * 2 * kv * d
16.1 | all(abs(counted(*row[:2]) / 1000 - row[2]) < 0.5 for row in (a, b, c))
16.2 | math.isclose(math.exp(0 - p.sum().log()), p[0] / p.sum())
16.4 | allclose(mended.read_in_tiles(q, k, v, 2), softmax(k @ q) @ v)
    and allclose(read_in_tiles(q, k.flip(0), v.flip(0), 2), softmax(k @ q) @ v)
16.5 | not packed(256, m, 1, w)[128, 0] and packed(256, m, 1, w + 1)[128, 0]
"""
)


# ---------------------------------------------------------------- the tests


def given(name):
    """Return the numbers that a question gives in the form `name = [1, 2]`."""
    found = {}
    for variable, code in re.findall(r"`(\w+) = ([^`\n]+)`", QUESTIONS[name].asked):
        value = ast.literal_eval(code)
        if isinstance(value, list):
            value = torch.tensor(value) if isinstance(value[0], bool) else tensor(value)
        found[variable] = value
    return found


def run(name, code):
    """Run a question's code beside what the question gives; return all names there are then."""
    torch.manual_seed(1)
    names = vars(torch) | vars(builtins) | vars(attn_teach) | globals() | given(name)
    if name == "7.4":
        names |= published()
    exec(code, names)
    return names


def names_of(name):
    """Return the names that expressions use; `mended` holds those after the rubric's mending."""
    asked, rubric = QUESTIONS[name].asked, QUESTIONS[name].rubric
    code = "".join(re.findall(r"```python\n(.*?)```", asked, re.DOTALL))
    names = run(name, code)
    for number, line in re.findall(r"line (\d) must read\s+`([^`]+)`", rubric):
        lines = code.splitlines()
        old = lines[int(number) - 1]
        lines[int(number) - 1] = old[: len(old) - len(old.lstrip())] + line
        names["mended"] = SimpleNamespace(**run(name, "\n".join(lines)))
    return names


def figure(value, like):
    """Write a value as the rubric's figure is written, with as many digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    numbers, likes = torch.as_tensor(value).flatten().tolist(), like.split(", ")
    digits = [len(text.partition(".")[2]) for text in likes]
    assert len(numbers) == len(digits), f"{len(numbers)} numbers for {like}"
    texts = [f"{x:,.{d}f}" for x, d in zip(numbers, digits, strict=True)]
    return ", ".join(re.sub(r"^-(?=[0.]+$)", "", text) for text in texts)


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_a_rubric_says_is_what_is_computed(name):
    names = names_of(name)
    figures = re.findall(r"\*\*([^*]+)\*\*", re.sub("`[^`]*`", "", QUESTIONS[name].rubric))
    pairs = zip(TABLE[name], figures, strict=True)
    assert [figure(eval(expression, names), like) for expression, like in pairs] == figures
    assert all(eval(expression, names) for expression in TRUE.get(name, ()))


def test_each_lesson_has_the_five_kinds_and_points_that_add_up():
    titles = {lesson.number: lesson.title for lesson in course()}
    sections = re.findall(r"^## (\d\d) (.*)$", EXAM, re.MULTILINE)
    assert all(titles[number] == title for number, title in sections)
    expected = [(f"{int(n)}.{i}", *kind) for n, _ in sections for i, kind in enumerate(KINDS, 1)]
    assert [(name, q.kind, q.points) for name, q in QUESTIONS.items()] == expected
    assert [*TABLE] == [*QUESTIONS] and {*TRUE} <= {*QUESTIONS}
    for name, question in QUESTIONS.items():
        points = re.findall(r"^- (\d): ", question.rubric, re.MULTILINE)
        assert sum(map(int, points)) == question.points, name
        assert question.rubric.count("*Expect:*") == 1, name
        code = re.findall(r"```python\n(.*?)```", question.asked, re.DOTALL)
        if question.kind == "Find the bug":
            assert len(code) == 1 and 4 <= len(code[0].splitlines()) <= 8 and name in TRUE, name
            assert len(re.findall(r"line \d must read", question.rubric)) == 1, name
    assert f"the same five kinds, {sum(points for _, points in KINDS)} points together" in EXAM
    for kind, points in KINDS:
        assert re.search(rf"^\| \.\d \| \*\*{kind}\*\* .* \| {points} \|$", EXAM, re.MULTILINE)


def test_no_question_repeats_a_prediction_or_an_exercise():
    """No eight words in a row are those of a prediction, an exercise or a solution."""

    def runs(text, length=8):
        words = re.findall(r"\w+", text.lower())
        return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}

    for path in lessons():
        cells = nbformat.read(path, 4).cells
        says = re.compile("Predict first|# (Exercise|Solution) ")
        asked = [cell.source for cell in cells if says.search(cell.source)]
        theirs = set().union(*map(runs, asked))
        for name, question in QUESTIONS.items():
            assert not runs(question.asked) & theirs, (name, path.name)
