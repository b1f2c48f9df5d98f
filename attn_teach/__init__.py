"""Attention, from kernel regression to a translator, one module per lesson.

Names and arguments follow d2l 0.17.0 where it has them, so that calls of these names run after
`import attn_teach as d2l`. `EncoderBlock` and `DecoderBlock` are our own, and so are the parts that
modules are made of: there is no `attention` inside `MultiHeadAttention`.
"""

# isort: off
# fmt: off
from .attention import (
    AdditiveAttention, BilinearAttention, DistanceAttention, DotProductAttention,
    attend, scaled_dot_product_attention,
)
from .cache import KVCache
from .causal import CausalAttention
from .door import guarded
from .head_view import head_view
from .latent import LatentAttention
from .kernels import (
    NWKernelRegression, boxcar, epanechnikov, gaussian, triangular,
    kernel_regression, leave_one_out, leave_one_out_error,
)
from .masking import causal_mask, masked_softmax, padding_mask, sequence_mask
from .multihead import (
    AttentionHead, MultiHeadAttention, PerHeadMultiHeadAttention, merge_heads, split_heads,
)
from .plotting import check_shape, plot, plt, show_heatmaps, subplots
from .positional import (
    LearnedPositionalEncoding, PositionalEncoding,
    alibi_bias, alibi_slopes, apply_rotary, offset_rotation,
)
from .scoring import AdditiveScores, BilinearScores, distance_scores, dot_product_scores
from .self_attention import SelfAttention
from .state import delta_rule
from .transformer import CausalBlock, DecoderBlock, EncoderBlock

__all__ = [
    # 01 kernel regression
    "gaussian", "boxcar", "triangular", "epanechnikov", "kernel_regression",
    "leave_one_out", "leave_one_out_error", "NWKernelRegression",
    # 02 scoring functions
    "distance_scores", "dot_product_scores", "AdditiveScores", "BilinearScores",
    # 03 masking
    "padding_mask", "causal_mask", "sequence_mask", "masked_softmax",
    # attention: scores, mask, weighted sum
    "attend", "scaled_dot_product_attention",
    "DotProductAttention", "DistanceAttention", "AdditiveAttention", "BilinearAttention",
    # 04 multi-head attention
    "split_heads", "merge_heads",
    "AttentionHead", "PerHeadMultiHeadAttention", "MultiHeadAttention",
    # 05 self-attention
    "SelfAttention",
    # 06 positional encoding
    "PositionalEncoding", "LearnedPositionalEncoding",
    "offset_rotation", "apply_rotary", "alibi_slopes", "alibi_bias",
    # 07 a real model, 08 a translator, 10 a language model
    "EncoderBlock", "DecoderBlock", "KVCache", "CausalBlock",
    # the attention of this year's models
    "CausalAttention", "LatentAttention", "delta_rule",
    # pictures
    "head_view", "show_heatmaps", "plot", "subplots", "check_shape", "plt",
]

# The door: what users call checks its arguments, once; modules call each other bare.
globals().update({name: guarded(globals()[name]) for name in __all__ if name != "plt"})
