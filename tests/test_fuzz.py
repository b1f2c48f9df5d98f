"""Whatever is passed in place of one argument ends in a result or in an error that says why."""

import math

import numpy as np
import pytest
import torch

import attn_teach as at
from attn_lesson import check_parameters

F = torch.rand
LENS = torch.tensor([1, 3])
MASK = torch.ones(2, 3, 4, dtype=torch.bool)
X3, K3, V3 = F(2, 3, 8), F(2, 4, 8), F(2, 4, 8)
ATTENDED = {
    "queries": X3,
    "keys": K3,
    "values": V3,
    "valid_lens": torch.tensor([1, 4]),
    "mask": MASK,
}
TOKENS = {"query": X3, "key": K3, "value": V3, "query_mask": MASK[:, :, 0], "key_mask": MASK[:, 0],
          "mask": MASK}  # fmt: skip
WIDTHS = {"key_size": 8, "query_size": 8, "num_hiddens": 6}

# What is called, with arguments that work.
CALLS = {
    "gaussian": (at.gaussian, {"u": F(3)}),
    "boxcar": (at.boxcar, {"u": F(3)}),
    "triangular": (at.triangular, {"u": F(3)}),
    "epanechnikov": (at.epanechnikov, {"u": F(3)}),
    "kernel_regression": (
        at.kernel_regression,
        {"queries": F(3), "keys": F(4), "values": F(4), "bandwidth": 0.5, "kernel": "boxcar"},
    ),
    "leave_one_out": (at.leave_one_out, {"x": F(4), "y": F(4)}),
    "leave_one_out_error": (
        at.leave_one_out_error,
        {"x": F(4), "y": F(4), "bandwidths": [0.5, 1.0], "kernel": "gaussian"},
    ),
    "NWKernelRegression": (
        at.NWKernelRegression(),
        {"queries": F(3), "keys": F(3, 4), "values": F(3, 4)},
    ),
    "distance_scores": (at.distance_scores, {"queries": X3, "keys": K3}),
    "dot_product_scores": (at.dot_product_scores, {"queries": X3, "keys": K3, "scaled": True}),
    "AdditiveScores": (at.AdditiveScores, WIDTHS),
    "AdditiveScores()": (at.AdditiveScores(8, 8, 6), {"queries": X3, "keys": K3}),
    "BilinearScores": (at.BilinearScores, {"key_size": 8, "query_size": 8}),
    "BilinearScores()": (at.BilinearScores(8, 8), {"queries": X3, "keys": K3}),
    "padding_mask": (at.padding_mask, {"valid_lens": LENS, "num_keys": 4}),
    "causal_mask": (at.causal_mask, {"num_queries": 3, "num_keys": 4, "device": "cpu"}),
    "sequence_mask": (at.sequence_mask, {"X": F(2, 4, 3), "valid_len": LENS, "value": 0.5}),
    "masked_softmax": (
        at.masked_softmax,
        {"scores": F(2, 3, 4), "valid_lens": LENS, "mask": MASK},
    ),
    "attend": (
        at.attend,
        {"scores": F(2, 3, 4), "values": V3, "mask": MASK, "dropout": torch.nn.Dropout(0.1)},
    ),
    "scaled_dot_product_attention": (at.scaled_dot_product_attention, TOKENS),
    "DotProductAttention": (at.DotProductAttention, {"dropout": 0.1}),
    "DistanceAttention": (at.DistanceAttention, {"dropout": 0.1}),
    "AdditiveAttention": (at.AdditiveAttention, {**WIDTHS, "dropout": 0.1}),
    "BilinearAttention": (at.BilinearAttention, {"key_size": 8, "query_size": 8, "dropout": 0.1}),
    "DotProductAttention()": (at.DotProductAttention(), ATTENDED),
    "DistanceAttention()": (at.DistanceAttention(), ATTENDED),
    "AdditiveAttention()": (at.AdditiveAttention(8, 8, 6), ATTENDED),
    "BilinearAttention()": (at.BilinearAttention(8, 8), ATTENDED),
    "split_heads": (at.split_heads, {"X": X3, "num_heads": 4}),
    "merge_heads": (at.merge_heads, {"X": F(2, 4, 3, 2)}),
    "AttentionHead": (at.AttentionHead, {"embed_dim": 8, "head_dim": 2, "bias": True}),
    "AttentionHead()": (at.AttentionHead(8, 2), TOKENS),
    "PerHeadMultiHeadAttention": (
        at.PerHeadMultiHeadAttention,
        {"embed_dim": 8, "num_heads": 4, "bias": True},
    ),
    "PerHeadMultiHeadAttention()": (at.PerHeadMultiHeadAttention(8, 4), TOKENS),
    "MultiHeadAttention": (
        at.MultiHeadAttention,
        {"key_size": 8, "query_size": 8, "value_size": 8, "num_hiddens": 8, "num_heads": 4,
         "dropout": 0.1, "bias": True},
    ),
    "MultiHeadAttention()": (
        at.MultiHeadAttention(8, 8, 8, 8, 4),
        {**ATTENDED, "need_weights": True},
    ),
    "MultiHeadAttention() fused": (
        at.MultiHeadAttention(8, 8, 8, 8, 4),
        {**ATTENDED, "need_weights": False},
    ),
    "SelfAttention": (
        at.SelfAttention,
        {"num_hiddens": 8, "num_heads": 4, "dropout": 0.1, "causal": True, "bias": True},
    ),
    "SelfAttention()": (
        at.SelfAttention(8, 4, causal=True),
        {"X": X3, "valid_lens": LENS, "mask": MASK[:, :, :3], "need_weights": True},
    ),
    "PositionalEncoding": (
        at.PositionalEncoding,
        {"num_hiddens": 8, "dropout": 0.1, "max_len": 10},
    ),
    "PositionalEncoding()": (at.PositionalEncoding(8, max_len=5), {"X": X3}),
    "LearnedPositionalEncoding": (
        at.LearnedPositionalEncoding,
        {"num_hiddens": 8, "dropout": 0.1, "max_len": 10},
    ),
    "LearnedPositionalEncoding()": (at.LearnedPositionalEncoding(8, max_len=5), {"X": X3}),
    "offset_rotation": (at.offset_rotation, {"delta": 2, "num_hiddens": 8}),
    "apply_rotary": (
        at.apply_rotary,
        {"X": X3, "positions": torch.arange(3), "base": 100.0, "interleaved": True},
    ),
    "alibi_slopes": (at.alibi_slopes, {"num_heads": 6}),
    "alibi_bias": (at.alibi_bias, {"num_heads": 6, "num_queries": 3, "num_keys": 4}),
    "EncoderBlock": (
        at.EncoderBlock,
        {"num_hiddens": 8, "num_heads": 4, "ffn_hiddens": 16, "dropout": 0.1, "bias": True,
         "eps": 1e-6},
    ),
    "EncoderBlock()": (
        at.EncoderBlock(8, 4, 16),
        {"X": X3, "valid_lens": LENS, "mask": MASK[:, :, :3], "need_weights": True},
    ),
    "DecoderBlock": (
        at.DecoderBlock,
        {"num_hiddens": 8, "num_heads": 4, "ffn_hiddens": 16, "dropout": 0.1, "bias": True},
    ),
    "DecoderBlock()": (
        at.DecoderBlock(8, 4, 16),
        {"X": X3, "memory": K3, "valid_lens": LENS, "cache": None},
    ),
    "CausalBlock": (
        at.CausalBlock,
        {"num_hiddens": 8, "num_heads": 4, "ffn_hiddens": 16, "num_kv_heads": 2, "eps": 1e-6,
         "base": 100.0, "interleaved": True},
    ),
    "CausalBlock()": (
        at.CausalBlock(8, 4, 16, 2),
        {"X": X3, "positions": torch.arange(3), "cache": None, "mask": MASK[:, :, :3],
         "need_weights": True},
    ),
    "head_view": (
        at.head_view,
        {"weights": F(2, 3, 3), "tokens": ["a", "b", "c"], "key_tokens": ["x", "y", "z"],
         "title": "t", "layer": 0, "head": 1},
    ),
    "show_heatmaps": (
        at.show_heatmaps,
        {"matrices": F(1, 2, 3, 4), "xlabel": "k", "ylabel": "q", "titles": ["a", "b"],
         "figsize": (3, 2), "cmap": "Blues", "xticklabels": "wxyz", "yticklabels": "abc",
         "vmin": 0.0, "vmax": 1.0, "annotate": True, "alt": "a"},
    ),
    "plot": (
        at.plot,
        {"X": F(4), "Y": F(4), "xlabel": "x", "ylabel": "y", "legend": ["a"], "xlim": (0.1, 1),
         "ylim": (0.1, 1), "xscale": "symlog", "yscale": "symlog", "fmts": ["-"], "figsize": (3, 2),
         "axes": None, "title": "t", "alt": "a"},
    ),
    "subplots": (
        at.subplots,
        {"nrows": 1, "ncols": 2, "alt": "a", "figsize": (3, 2), "sharex": True, "squeeze": False},
    ),
    "append": (at.KVCache().append, {"keys": X3, "values": X3}),
    "append more": (lambda **new: more(**new), {"keys": X3, "values": X3}),
    "check_parameters": (
        lambda given, written_for, size, word, sizes: check_parameters(
            given, written_for=written_for, size=size, word=word, sizes=sizes
        ),
        {"given": {"size": 1, "word": "a", "sizes": [1]}, "written_for": {"size": 1},
         "size": (0, 3), "word": ["a", "b"], "sizes": [(0, 3)]},
    ),
    "check_parameters of values": (
        lambda **given: check_parameters(
            given, even=(0, 8, 2), noise=(0.0, 1.0), word=["a", 1], sizes=[(1, 4)]
        ),
        {"even": 4, "noise": 0.5, "word": "a", "sizes": [1, 2]},
    ),
    "check_shape": (at.check_shape, {"a": F(2, 3), "shape": (2, 3)}),
}  # fmt: skip


def more(**new):
    cache = at.KVCache()
    cache.append(X3, X3)
    return cache.append(**new)


PLAIN = {
    "None": None,
    "a string": "boxcars",
    "an empty string": "",
    "a list": [1.0, 2.0],
    "a nested list": [[1.0], [2.0]],
    "an empty list": [],
    "a dict": {},
    "numpy": np.ones((2, 3, 4), dtype="float32"),
    "an array of objects": np.array([1.0, None, "a"], dtype=object),
    "an uneven list": [[1.0], [2.0, 3.0], "a"],
    "a list of None": [None, None],
    "a set": {1.0, 2.0},
    "a generator": (number for number in (1.0, 2.0)),
    "a pair": (2, 1),
    "a pair of NaN": (math.nan, math.inf),
    "bytes": b"ab",
    "an object": object(),
    "True": True,
    "0": 0,
    "-1": -1,
    "1": 1,
    "3": 3,
    "0.5": 0.5,
    "2.5": 2.5,
    "1e-50": 1e-50,
    "1e300": 1e300,
    "nan": math.nan,
    "inf": math.inf,
    "huge": 10**12,
    "complex": 1 + 2j,
    "a type": int,
    "0-d": torch.tensor(0.5),
    "0-d int": torch.tensor(2),
    "1-d": F(5),
    "2-d": F(3, 7),
    "3-d": F(3, 5, 7),
    "4-d": F(2, 3, 4, 5),
    "empty": F(0),
    "empty 3-d": F(0, 3, 8),
    "no tokens": F(2, 0, 8),
    "integers": torch.ones(2, 3, 4, dtype=torch.long),
    "booleans": torch.ones(2, 3, 4) > 0,
    "complex tensor": torch.ones(2, 3, 4) + 1j,
}
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
            if what != "a type" or name not in ("kernel", "dropout"):  # its errors are its own
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
        try:
            function(**{**arguments, name: value})
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
