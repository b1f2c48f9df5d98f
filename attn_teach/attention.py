"""attend(): softmax over the keys, then a weighted sum; and the attention modules.

All attention in this package calls it and differs only in the scores; `MultiHeadAttention` alone
writes its two lines out, in the memory of the scores that it has just made.
"""

from collections.abc import Callable
from typing import Annotated, Any

import torch
from torch import Tensor, nn

from .checks import lasts, need
from .masking import masked_softmax, one_mask, padding_mask
from .scoring import AdditiveScores, BilinearScores, distance_scores, dot_product_scores
from .shapes import Bool, Count, Float, Int, Probability, Tokens


def _callable(name, value):
    use = "use torch.nn.Dropout(p), which knows whether it is training"
    called = callable(value) and not isinstance(value, type)
    need(called, name, "be a module or function", value, use, TypeError)


def attend(
    scores: Float[Tensor, "... n m"],
    values: Float[Tensor, "... m v"],
    mask: Bool[Tensor, "... n m"] | None = None,
    dropout: Annotated[Callable[[Tensor], Tensor], _callable] | None = None,
) -> tuple[Tensor, Tensor]:
    """Turn scores into weights and average the values with them.

    weights = softmax(scores) over the allowed keys;  output = weights @ values

    What is masked is not felt at any finite magnitude, in values and gradients; a masked score may
    even be NaN, a masked value may not: 0 times NaN is NaN, as everywhere in PyTorch.

    Args:
        scores: shape (..., n, m).
        values: shape (..., m, v).
        mask: boolean, True = may attend, broadcasts to scores; or None.
        dropout: an nn.Dropout (or any function) applied to the weights; or None.

    Returns:
        output, shape (..., n, v), and weights, shape (..., n, m), as they were before
        dropout. A query that may attend to nothing gets weights 0 and output 0.
    """
    weights = masked_softmax(scores, mask=mask)  # (..., n, m)
    return (weights if dropout is None else dropout(weights)) @ values, weights  # (..., n, v)


def scaled_dot_product_attention(
    query: Float[Tensor, "... n d"],
    key: Float[Tensor, "... m d"],
    value: Float[Tensor, "... m v"],
    query_mask: Tokens[Tensor, "batch n"] | None = None,
    key_mask: Tokens[Tensor, "batch m"] | None = None,
    mask: Bool[Tensor, "... n m"] | None = None,
) -> Tensor:
    """Scaled dot-product attention with masks over tokens, over pairs, or both.

    output = softmax(query key^T / sqrt(d)) value

    Args:
        query, key, value: shapes (..., n, d), (..., m, d) and (..., m, v).
        query_mask: boolean or 0 and 1, (batch, n), True = a real token; others get output 0.
        key_mask: boolean or 0 and 1, (batch, m), True = may be attended to.
        mask: boolean, True = may attend, broadcasts to (..., n, m). Of the masks given, all
            must allow.

    Returns:
        output, shape (..., n, v).

    Source: Vaswani et al. (2017), section 3.2.1.
    """
    scores = dot_product_scores(query, key)  # (..., n, m)
    allowed = one_mask(scores.dim(), mask, *over_pairs(query_mask, key_mask))
    return attend(scores, value, allowed)[0]  # (..., n, v)


def over_pairs(query_mask, key_mask):
    """Masks over tokens as masks over pairs, (batch, n, 1) and (batch, 1, m), or None."""
    for tokens, axis in ((query_mask, -1), (key_mask, -2)):
        yield None if tokens is None else tokens.bool().unsqueeze(axis)


class RemembersWeights(nn.Module):
    """Keeps the weights of the last call; a copy starts without them."""

    _kept = None

    @property
    def attention_weights(self) -> Tensor | Any:
        """Weights of the last call, or None; they keep its graph alive until the next call."""
        return self._kept

    @attention_weights.setter
    def attention_weights(self, weights):
        if not torch.compiler.is_exporting():
            self._kept = weights if lasts(weights) else None

    def __getstate__(self):
        return {**self.__dict__, "_kept": None}


class Attention(RemembersWeights):
    """softmax(score(queries, keys)) @ values: an attention has a `score`, and that is all.

    The score is a method, since its parameters keep the names that the book gives them.
    """

    dropout: nn.Dropout
    score: Callable[[Tensor, Tensor], Tensor]
    query_size = key_size = "d"  # any size, but the same for both

    def __init__(self, dropout: Probability = 0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        queries: Float[Tensor, "... n query_size"],
        keys: Float[Tensor, "... m key_size"],
        values: Float[Tensor, "... m v"],
        valid_lens: Int[Tensor, "batch | batch n"] | None = None,
        mask: Bool[Tensor, "... n m"] | None = None,
    ) -> Tensor:
        """Average the values with weights that follow from the scores.

        Args:
            queries, keys: shapes (batch, n, query_size) and (batch, m, key_size).
            values: shape (batch, m, v).
            valid_lens: integers, (batch,) or (batch, n): how many leading keys are real.
            mask: boolean, True = may attend, broadcasts to (batch, n, m). Given both, a key
                must be allowed by both.

        Returns:
            output, shape (batch, n, v). The weights of this call, before dropout, stay in
            `attention_weights`, shape (batch, n, m).
        """
        scores = self.score(queries, keys)  # (batch, n, m)
        allowed = one_mask(scores.dim(), mask, padding_mask(valid_lens, keys.shape[-2]))
        output, self.attention_weights = attend(scores, values, allowed, self.dropout)
        return output  # (batch, n, v)


class DotProductAttention(Attention):
    """Attention with scores q.k / sqrt(d); queries and keys have the same size d."""

    score = staticmethod(dot_product_scores)


class DistanceAttention(Attention):
    """Attention with scores -|q - k|^2 / 2: Gaussian kernel regression with bandwidth 1."""

    score = staticmethod(distance_scores)


class AdditiveAttention(Attention, AdditiveScores):
    """Attention with scores w_v . tanh(W_q q + W_k k); see `AdditiveScores`."""

    def __init__(
        self, key_size: Count, query_size: Count, num_hiddens: Count, dropout: Probability = 0.0
    ):
        AdditiveScores.__init__(self, key_size, query_size, num_hiddens)
        self.dropout = nn.Dropout(dropout)


class BilinearAttention(Attention, BilinearScores):
    """Attention with scores q . W k; see `BilinearScores`."""

    def __init__(self, key_size: Count, query_size: Count, dropout: Probability = 0.0):
        BilinearScores.__init__(self, key_size, query_size)
        self.dropout = nn.Dropout(dropout)
