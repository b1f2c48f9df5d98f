"""Every attention of the package, how to build it and what to call it with: one row each.

What DESIGN promises of all of them is asked of each row; `test_promises`, `test_masking`,
`test_details` and `test_door` know none by name. Batch, queries, keys, features and values differ.
"""

import torch

import attn_teach as at

GENERATOR = torch.Generator().manual_seed(0)
X, Y, V = (torch.randn(2, *size, generator=GENERATOR) for size in ((5, 8), (7, 8), (7, 3)))
MASK = torch.rand(2, 5, 7, generator=GENERATOR) < 0.7
MASK[0, 1] = False  # a query that may attend to nothing
LENGTHS = torch.tensor([4, 1])
QKV = {"queries": X, "keys": Y, "values": V, "valid_lens": LENGTHS, "mask": MASK}
TOKENS = {"query": X, "key": Y, "value": Y, "query_mask": MASK[:, :, 2], "key_mask": MASK[:, 0],
          "mask": MASK}  # fmt: skip
AMONG = {"X": X, "valid_lens": LENGTHS, "mask": MASK[:, :, :5], "need_weights": True}
FUSED = {"need_weights": False}

# name -> the class, what it is built with, what it is called with
ROWS = {
    "DotProductAttention": (at.DotProductAttention, {"dropout": 0.0}, QKV),
    "DistanceAttention": (at.DistanceAttention, {"dropout": 0.0}, QKV),
    "AdditiveAttention": (
        at.AdditiveAttention,
        {"key_size": 8, "query_size": 8, "num_hiddens": 6, "dropout": 0.0},
        QKV,
    ),
    "BilinearAttention": (
        at.BilinearAttention, {"key_size": 8, "query_size": 8, "dropout": 0.0}, QKV,
    ),
    "MultiHeadAttention": (
        at.MultiHeadAttention,
        {"key_size": 8, "query_size": 8, "value_size": 3, "num_hiddens": 12, "num_heads": 2,
         "dropout": 0.0, "bias": True},
        QKV | {"need_weights": True},
    ),
    "grouped": (
        at.MultiHeadAttention,
        {"key_size": 8, "query_size": 8, "value_size": 3, "num_hiddens": 12, "num_heads": 4,
         "dropout": 0.0, "bias": False, "num_kv_heads": 2},
        QKV | {"need_weights": True},
    ),
    "AttentionHead": (at.AttentionHead, {"embed_dim": 8, "head_dim": 3, "bias": True}, TOKENS),
    "PerHeadMultiHeadAttention": (
        at.PerHeadMultiHeadAttention, {"embed_dim": 8, "num_heads": 2, "bias": True}, TOKENS,
    ),
    "SelfAttention": (
        at.SelfAttention,
        {"num_hiddens": 8, "num_heads": 2, "dropout": 0.0, "causal": False, "bias": True},
        AMONG,
    ),
    "causal": (
        at.SelfAttention,
        {"num_hiddens": 8, "num_heads": 2, "dropout": 0.0, "causal": True, "bias": True},
        AMONG,
    ),
    "EncoderBlock": (
        at.EncoderBlock,
        {"num_hiddens": 8, "num_heads": 2, "ffn_hiddens": 16, "dropout": 0.0, "bias": True,
         "eps": 1e-6},
        AMONG,
    ),
    "DecoderBlock": (
        at.DecoderBlock,
        {"num_hiddens": 8, "num_heads": 2, "ffn_hiddens": 16, "dropout": 0.0, "bias": True},
        {"X": X, "memory": Y, "valid_lens": LENGTHS, "cache": None},
    ),
    "CausalBlock": (
        at.CausalBlock,
        {"num_hiddens": 8, "num_heads": 4, "ffn_hiddens": 16, "num_kv_heads": 2, "eps": 1e-6,
         "base": 100.0, "interleaved": True},
        {"X": X, "positions": torch.arange(5), "cache": None, "mask": MASK[:, :, :5],
         "need_weights": True},
    ),
    "PositionalEncoding": (
        at.PositionalEncoding, {"num_hiddens": 8, "dropout": 0.0, "max_len": 10}, {"X": X},
    ),
    "LearnedPositionalEncoding": (
        at.LearnedPositionalEncoding, {"num_hiddens": 8, "dropout": 0.0, "max_len": 10}, {"X": X},
    ),
    "NWKernelRegression": (
        at.NWKernelRegression, {}, {"queries": X[0, :, 0], "keys": X[0], "values": X[1]},
    ),
}  # fmt: skip
for name in ("MultiHeadAttention", "grouped", "causal", "EncoderBlock", "CausalBlock"):
    made, built_with, given = ROWS[name]
    ROWS[f"{name}, fused"] = made, built_with, given | FUSED


def make(name, **others):
    """The attention of this row, its numbers drawn with one seed."""
    torch.manual_seed(0)
    made, built_with, _ = ROWS[name]
    return made(**built_with | others)


def given(name, **others):
    """What it is called with, by name: new tensors of the same numbers."""
    return {
        key: value.clone() if torch.is_tensor(value) else value
        for key, value in (ROWS[name][2] | others).items()
    }


def that_take(*names):
    """The names of the rows that are built or called with all of these."""
    return [row for row, (_, built, called) in ROWS.items() if {*names} <= {*built, *called}]
