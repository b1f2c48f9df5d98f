"""Every attention of the package, how to build it and what to call it with: one row each; and what
every function of tensors is called with.

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

SIZES = {"key_size": 8, "query_size": 8, "dropout": 0.0}
HEADS = SIZES | {"value_size": 3, "num_hiddens": 12}
BLOCK = {"num_hiddens": 8, "num_heads": 2, "dropout": 0.0, "bias": True}
PLACES = {"num_hiddens": 8, "dropout": 0.0, "max_len": 10}
TOKENS_READ = {"X": X, "positions": torch.arange(5), "cache": None, "mask": MASK[:, :, :5],
               "need_weights": True}  # fmt: skip
LATENT_READ = {key: a for key, a in TOKENS_READ.items() if key != "need_weights"}
CAUSAL = {"num_hiddens": 8, "num_heads": 4, "num_kv_heads": 2, "head_dim": 4}
LATENT = {"num_hiddens": 8, "num_heads": 2, "latent_dim": 6, "head_dim": 3, "turned_dim": 4,
          "value_dim": 7, "query_latent": None, "base": 100.0, "interleaved": False}  # fmt: skip

# name -> the class, what it is built with, what it is called with
ROWS = {
    "DotProductAttention": (at.DotProductAttention, {"dropout": 0.0}, QKV),
    "DistanceAttention": (at.DistanceAttention, {"dropout": 0.0}, QKV),
    "AdditiveAttention": (at.AdditiveAttention, SIZES | {"num_hiddens": 6}, QKV),
    "BilinearAttention": (at.BilinearAttention, SIZES, QKV),
    "MultiHeadAttention": (
        at.MultiHeadAttention, HEADS | {"num_heads": 2, "bias": True}, QKV | {"need_weights": True},
    ),
    "grouped": (
        at.MultiHeadAttention, HEADS | {"num_heads": 4, "bias": False, "num_kv_heads": 2},
        QKV | {"need_weights": True},
    ),
    "AttentionHead": (at.AttentionHead, {"embed_dim": 8, "head_dim": 3, "bias": True}, TOKENS),
    "PerHeadMultiHeadAttention": (
        at.PerHeadMultiHeadAttention, {"embed_dim": 8, "num_heads": 2, "bias": True}, TOKENS,
    ),
    "SelfAttention": (at.SelfAttention, BLOCK | {"causal": False}, AMONG),
    "causal": (at.SelfAttention, BLOCK | {"causal": True}, AMONG),
    "EncoderBlock": (at.EncoderBlock, BLOCK | {"ffn_hiddens": 16, "eps": 1e-6}, AMONG),
    "DecoderBlock": (
        at.DecoderBlock, BLOCK | {"ffn_hiddens": 16},
        {"X": X, "memory": Y, "valid_lens": LENGTHS, "cache": None},
    ),
    "CausalBlock": (
        at.CausalBlock,
        {"num_hiddens": 8, "num_heads": 4, "ffn_hiddens": 16, "num_kv_heads": 2, "eps": 1e-6,
         "base": 100.0, "interleaved": True},
        TOKENS_READ,
    ),
    "CausalAttention": (at.CausalAttention, CAUSAL, TOKENS_READ),
    "CausalAttention, its parts": (
        at.CausalAttention,
        CAUSAL | {"bias": True, "out_bias": True, "qk_norm": "head", "window": 3, "sink": True,
                  "gate": True, "turned": 0.5, "eps": 1e-5},
        TOKENS_READ,
    ),
    "CausalAttention, other parts": (
        at.CausalAttention,
        CAUSAL | {"num_kv_heads": 4, "qk_norm": "whole", "sink": True, "turned": 0, "scale": 0.3},
        TOKENS_READ,
    ),
    "CausalBlock, its parts": (
        at.CausalBlock,
        {"num_hiddens": 8, "num_heads": 2, "ffn_hiddens": 16, "norm": "both", "gate": True,
         "activation": "gelu_tanh", "head_dim": 6, "window": 2, "qk_norm": "whole"},
        TOKENS_READ,
    ),
    "LatentAttention": (at.LatentAttention, LATENT, LATENT_READ),
    "LatentAttention, absorbed": (
        at.LatentAttention, LATENT | {"query_latent": 5}, LATENT_READ | {"absorbed": True},
    ),
    "PositionalEncoding": (at.PositionalEncoding, PLACES, {"X": X}),
    "LearnedPositionalEncoding": (at.LearnedPositionalEncoding, PLACES, {"X": X}),
    "NWKernelRegression": (
        at.NWKernelRegression, {}, {"queries": X[0, :, 0], "keys": X[0], "values": X[1]},
    ),
}  # fmt: skip
for name in [row for row, (_, _, called) in ROWS.items() if "need_weights" in called]:
    made, built_with, given = ROWS[name]
    ROWS[f"{name}, fused"] = made, built_with, given | FUSED


FUNCTIONS = {
    "gaussian": {"u": X[0, 0]},
    "boxcar": {"u": X[0, 0]},
    "triangular": {"u": X[0, 0]},
    "epanechnikov": {"u": X[0, 0]},
    "kernel_regression": {"queries": X[0], "keys": Y[0], "values": V[0], "bandwidth": 2.0,
                          "kernel": "triangular"},
    "leave_one_out": {"x": X[0, 0], "y": Y[0, 0]},
    "leave_one_out_error": {"x": Y[0], "y": V[0, :, 0], "bandwidths": [1.0, 2.0],
                            "kernel": "gaussian"},
    "distance_scores": {"queries": X, "keys": Y},
    "dot_product_scores": {"queries": X, "keys": Y, "scaled": True},
    "sequence_mask": {"X": X, "valid_len": LENGTHS, "value": 0.5},
    "masked_softmax": {"scores": X[..., :7], "valid_lens": LENGTHS, "mask": MASK},
    "attend": {"scores": Y[:, :5, :7], "values": V, "mask": MASK, "dropout": None},
    "scaled_dot_product_attention": TOKENS,
    "split_heads": {"X": X, "num_heads": 4},
    "merge_heads": {"X": X.unflatten(-1, (4, 2)).mT},
    "delta_rule": {"queries": X, "keys": X + 1, "values": V[:, :5], "beta": X[..., 0].sigmoid(),
                   "decay": X[..., 1].sigmoid()},
    "apply_rotary": {"X": X, "positions": torch.arange(5), "base": 100.0, "interleaved": True},
}  # fmt: skip
EVERYTHING = [*ROWS, *FUNCTIONS]


def make(name, **others):
    """The attention of this row, its numbers drawn with one seed; or the function."""
    if name in FUNCTIONS:
        return getattr(at, name)
    torch.manual_seed(0)
    made, built_with, _ = ROWS[name]
    return made(**built_with | others)


def given(name, *args, **kwargs):
    """What it is called with, by name: new tensors of the same numbers, moved as by `.to`.

    Floating-point numbers alone go to another dtype.
    """
    called_with = FUNCTIONS[name] if name in FUNCTIONS else ROWS[name][2]
    return {
        key: a.clone().to(*args, **kwargs)
        if torch.is_tensor(a) and (a.is_floating_point() or "device" in kwargs)
        else a.clone() if torch.is_tensor(a) else a
        for key, a in called_with.items()
    }  # fmt: skip


def floats(arguments):
    """The names of those that are floating-point tensors."""
    return [k for k, a in arguments.items() if torch.is_tensor(a) and a.is_floating_point()]


def that_take(*names):
    """The names of the rows that are built or called with all of these."""
    return [row for row, (_, built, called) in ROWS.items() if {*names} <= {*built, *called}]


def take_over(ours, theirs):
    """Give our `MultiHeadAttention` the numbers of torch's."""
    separate = theirs.q_proj_weight, theirs.k_proj_weight, theirs.v_proj_weight
    together = theirs.in_proj_weight
    weights = separate if together is None else together.chunk(3)
    biases = [None] * 3 if theirs.in_proj_bias is None else theirs.in_proj_bias.chunk(3)
    for linear, weight, bias in zip((ours.W_q, ours.W_k, ours.W_v), weights, biases, strict=True):
        linear.load_state_dict({"weight": weight} | ({} if bias is None else {"bias": bias}))
    ours.W_o.load_state_dict(theirs.out_proj.state_dict())
