"""attend(): softmax over the keys, then a weighted sum; and the attention modules.

All attention in this package differs only in the scores.
"""

import torch
from torch import nn

from ._inputs import check_floats, check_leading, shape_of
from .masking import combine_masks, masked_softmax
from .scoring import AdditiveScores, BilinearScores, distance_scores, dot_product_scores


def attend(scores, values, mask=None, dropout=None):
    """Turn scores into weights and average the values with them.

    weights = softmax(scores) over the allowed keys;  output = weights @ values

    Args:
        scores: shape (..., queries, keys).
        values: shape (..., keys, v_size).
        mask: boolean, True = may attend, broadcasts to scores; or None.
        dropout: an nn.Dropout (or any function) applied to the weights; or None.

    Returns:
        output, shape (..., queries, v_size), and weights, shape (..., queries, keys), as they
        were before dropout. A query that may attend to nothing gets weights 0 and output 0.

    Raises:
        TypeError, ValueError: when the arguments do not fit together.
    """
    check_floats(min_axes=2, scores=scores, values=values)
    if values.shape[-2] != scores.shape[-1]:
        raise ValueError(
            f"values must have one row for each of the {scores.shape[-1]} keys, "
            f"got shape {shape_of(values)} for scores of shape {shape_of(scores)}"
        )
    check_leading(scores=scores, values=values)
    if dropout is not None and not callable(dropout):
        raise TypeError(
            f"dropout must be a module or function, got {dropout!r}; use torch.nn.Dropout(p), "
            f"which knows whether it is training"
        )
    weights = masked_softmax(scores, mask=mask)
    return (weights if dropout is None else dropout(weights)) @ values, weights


def scaled_dot_product_attention(query, key, value, query_mask=None, key_mask=None, mask=None):
    """Scaled dot-product attention with masks over tokens, over pairs, or both.

    output = softmax(query key^T / sqrt(size)) value

    Args:
        query: shape (..., queries, size).
        key: shape (..., keys, size).
        value: shape (..., keys, v_size).
        query_mask: boolean (batch, queries), True = a real token; others get output 0.
        key_mask: boolean (batch, keys), True = may be attended to.
        mask: boolean, True = may attend, broadcasts to (..., queries, keys). Of the masks
            given, all must allow.

    Returns:
        output, shape (..., queries, v_size).

    Raises:
        TypeError, ValueError: when the arguments do not fit together.

    Source: Vaswani et al. (2017), section 3.2.1.
    """
    scores = dot_product_scores(query, key)
    allowed = combine_token_masks(scores.shape, query_mask, key_mask, mask)
    return attend(scores, value, allowed)[0]


def combine_token_masks(shape, query_mask, key_mask, mask):
    """One mask for scores of this shape from token masks and a mask over pairs."""
    allowed = combine_masks(shape, mask=mask)
    for name, tokens, axis in (("query_mask", query_mask, -2), ("key_mask", key_mask, -1)):
        if tokens is None:
            continue
        if not isinstance(tokens, torch.Tensor) or tokens.dtype != torch.bool:
            got = tokens.dtype if isinstance(tokens, torch.Tensor) else type(tokens).__name__
            raise TypeError(
                f"{name} must be a boolean tensor in which True = a real token, got {got}; for "
                f"a mask of ones and zeros use {name}.bool()"
            )
        expected = (shape[axis],) if len(shape) == 2 else (shape[0], shape[axis])
        if shape_of(tokens) != expected:
            raise ValueError(
                f"{name} must have shape {expected} for scores of shape {tuple(shape)}, "
                f"got {shape_of(tokens)}"
            )
        # (batch, 1, ..., queries, 1) or (batch, 1, ..., 1, keys)
        view = [1] * len(shape)
        view[axis] = shape[axis]
        if len(shape) > 2:
            view[0] = shape[0]
        pairs = tokens.view(view)
        allowed = pairs if allowed is None else allowed & pairs
    return allowed


class Attention(nn.Module):
    """Base of the attention modules; a subclass says what its `scores(queries, keys)` are."""

    attention_weights = None

    def __init__(self, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def scores(self, queries, keys):
        """Scores of shape (..., queries, keys)."""
        raise NotImplementedError

    def forward(self, queries, keys, values, valid_lens=None, mask=None):
        """Average the values with weights that follow from the scores.

        Args:
            queries: shape (batch, queries, q_size).
            keys: shape (batch, keys, k_size).
            values: shape (batch, keys, v_size).
            valid_lens: integers, (batch,) or (batch, queries): how many leading keys are real.
            mask: boolean, True = may attend, broadcasts to (batch, queries, keys). Given both,
                a key must be allowed by both.

        Returns:
            output, shape (batch, queries, v_size). The weights of this call, before dropout,
            stay in `attention_weights`, shape (batch, queries, keys).

        Raises:
            TypeError, ValueError: when the arguments do not fit together.
        """
        check_floats(min_axes=2, queries=queries, keys=keys, values=values)
        scores = self.scores(queries, keys)
        allowed = combine_masks(scores.shape, valid_lens, mask)
        output, self.attention_weights = attend(scores, values, allowed, self.dropout)
        return output

    def __getstate__(self):
        """Copy and pickle without the weights of the last call."""
        return {**self.__dict__, "attention_weights": None}


class DotProductAttention(Attention):
    """Attention with scores q.k / sqrt(size); queries and keys have the same size."""

    def scores(self, queries, keys):
        """See `dot_product_scores`."""
        return dot_product_scores(queries, keys)


class DistanceAttention(Attention):
    """Attention with scores -|q - k|^2 / 2: Gaussian kernel regression with bandwidth 1."""

    def scores(self, queries, keys):
        """See `distance_scores`."""
        return distance_scores(queries, keys)


class AdditiveAttention(Attention, AdditiveScores):
    """Attention with scores w_v . tanh(W_q q + W_k k); see `AdditiveScores`."""

    scores = AdditiveScores.forward

    def __init__(self, key_size, query_size, num_hiddens, dropout=0.0):
        AdditiveScores.__init__(self, key_size, query_size, num_hiddens)
        self.dropout = nn.Dropout(dropout)


class BilinearAttention(Attention, BilinearScores):
    """Attention with scores q . W k; see `BilinearScores`."""

    scores = BilinearScores.forward

    def __init__(self, key_size, query_size, dropout=0.0):
        BilinearScores.__init__(self, key_size, query_size)
        self.dropout = nn.Dropout(dropout)
