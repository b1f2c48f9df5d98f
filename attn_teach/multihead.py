"""Lesson 04: several heads, each attending in its own way to the same input."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention as fused_attention

from ._inputs import (
    check_counts,
    check_divisible,
    check_floats,
    check_leading,
    check_projections,
    shape_of,
)
from .attention import Attention, attend, combine_token_masks
from .masking import combine_masks
from .scoring import dot_product_scores


def split_heads(X, num_heads):
    """Cut the last axis into heads and move them to an axis of their own.

    (..., n, num_hiddens) -> (..., num_heads, n, num_hiddens / num_heads)

    Args:
        X: shape (..., n, num_hiddens).
        num_heads: must divide num_hiddens. Head h gets a run of neighbouring features.

    Returns:
        A tensor of shape (..., num_heads, n, num_hiddens / num_heads).

    Raises:
        TypeError, ValueError: when X has fewer than 2 axes or cannot be split evenly.
    """
    check_floats(min_axes=2, X=X)
    check_divisible(X.shape[-1], num_heads, "the last axis of X")
    X = X.unflatten(-1, (num_heads, -1))  # (..., n, num_heads, head_dim)
    return X.transpose(-3, -2)  # (..., num_heads, n, head_dim)


def merge_heads(X):
    """Undo `split_heads`: put the heads side by side again.

    (..., num_heads, n, head_dim) -> (..., n, num_heads * head_dim)

    Args:
        X: shape (..., num_heads, n, head_dim).

    Returns:
        A tensor of shape (..., n, num_heads * head_dim).

    Raises:
        TypeError, ValueError: when X has fewer than 3 axes.
    """
    check_floats(min_axes=3, X=X)
    return X.transpose(-3, -2).flatten(-2)


class AttentionHead(nn.Module):
    """One head: project to head_dim, then scaled dot-product attention.

    head = softmax(W_q q (W_k k)^T / sqrt(head_dim)) W_v v

    Args:
        embed_dim: size of queries, keys and values.
        head_dim: size of the head's output.
    """

    attention_weights = None

    def __init__(self, embed_dim, head_dim):
        super().__init__()
        check_counts(embed_dim=embed_dim, head_dim=head_dim)
        self.W_q = nn.Linear(embed_dim, head_dim, bias=False)
        self.W_k = nn.Linear(embed_dim, head_dim, bias=False)
        self.W_v = nn.Linear(embed_dim, head_dim, bias=False)

    def forward(self, query, key, value, query_mask=None, key_mask=None, mask=None):
        """Attend; arguments as in `scaled_dot_product_attention`, result (batch, n, head_dim).

        The weights of this call stay in `attention_weights`, (batch, queries, keys).
        """
        check_projections(query=(query, self.W_q), key=(key, self.W_k), value=(value, self.W_v))
        scores = dot_product_scores(self.W_q(query), self.W_k(key))
        allowed = combine_token_masks(scores.shape, query_mask, key_mask, mask)
        output, self.attention_weights = attend(scores, self.W_v(value), allowed)
        return output

    __getstate__ = Attention.__getstate__


class PerHeadMultiHeadAttention(nn.Module):
    """Multi-head attention as a list of heads: slow, readable, equal to `MultiHeadAttention`.

    output = W_o [head_1, ..., head_h]

    Args:
        embed_dim: size of queries, keys, values and output.
        num_heads: must divide embed_dim.
    """

    attention_weights = None

    def __init__(self, embed_dim, num_heads):
        super().__init__()
        check_divisible(embed_dim, num_heads, "embed_dim")
        head_dim = embed_dim // num_heads
        self.heads = nn.ModuleList(AttentionHead(embed_dim, head_dim) for _ in range(num_heads))
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=False)

    def forward(self, query, key, value, query_mask=None, key_mask=None, mask=None):
        """Attend with every head; arguments as in `scaled_dot_product_attention`.

        Returns (batch, queries, embed_dim). The weights of this call stay in
        `attention_weights`, (batch, heads, queries, keys).
        """
        outputs = [head(query, key, value, query_mask, key_mask, mask) for head in self.heads]
        self.attention_weights = torch.stack([head.attention_weights for head in self.heads], -3)
        return self.W_o(torch.cat(outputs, -1))

    __getstate__ = Attention.__getstate__


class MultiHeadAttention(nn.Module):
    """Multi-head attention with all heads computed at once.

    output = W_o merge(attend(split(W_q q), split(W_k k), split(W_v v)))

    Args:
        key_size, query_size, value_size: sizes of keys, queries and values; they may differ.
        num_hiddens: size of the output, all heads together.
        num_heads: must divide num_hiddens.
        dropout: probability with which a weight is dropped in training.
        bias: whether the four projections have one.

    Source: Vaswani et al. (2017), section 3.2.2.
    """

    attention_weights = None

    def __init__(
        self, key_size, query_size, value_size, num_hiddens, num_heads, dropout=0.0, bias=False
    ):
        super().__init__()
        check_counts(key_size=key_size, query_size=query_size, value_size=value_size)
        check_divisible(num_hiddens, num_heads)
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=bias)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=bias)
        self.W_v = nn.Linear(value_size, num_hiddens, bias=bias)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=bias)

    def forward(self, queries, keys, values, valid_lens=None, mask=None, need_weights=True):
        """Attend with all heads.

        Args:
            queries: shape (batch, queries, query_size).
            keys: shape (batch, keys, key_size).
            values: shape (batch, keys, value_size).
            valid_lens: integers, (batch,) or (batch, queries): how many leading keys are real.
            mask: boolean, True = may attend, of shape (queries, keys), (batch, queries, keys)
                or (batch, heads, queries, keys). Given both, a key must be allowed by both.
            need_weights: False uses PyTorch's fused attention, which is faster, gives the same
                output and keeps no weights.

        Returns:
            output, shape (batch, queries, num_hiddens). The weights of this call, before
            dropout, stay in `attention_weights`, shape (batch, heads, queries, keys), or None.

        Raises:
            TypeError, ValueError: when the arguments do not fit together.
        """
        check_projections(
            queries=(queries, self.W_q), keys=(keys, self.W_k), values=(values, self.W_v)
        )
        if keys.shape[-2] != values.shape[-2]:
            raise ValueError(
                f"values must have one row for each of the {keys.shape[-2]} keys, "
                f"got shape {shape_of(values)} for keys of shape {shape_of(keys)}"
            )
        check_leading(queries=queries, keys=keys, values=values)
        batch = torch.broadcast_shapes(queries.shape[:-2], keys.shape[:-2], values.shape[:-2])
        if valid_lens is not None and not batch:
            raise ValueError(
                f"valid_lens need a batch axis, (batch, queries, size), got queries of shape "
                f"{shape_of(queries)}; use mask, or queries.unsqueeze(0) and so on"
            )
        q = split_heads(self.W_q(queries), self.num_heads)  # (batch, heads, queries, head_dim)
        k = split_heads(self.W_k(keys), self.num_heads)  # (batch, heads, keys, head_dim)
        v = split_heads(self.W_v(values), self.num_heads)  # (batch, heads, keys, head_dim)
        if batch and isinstance(mask, torch.Tensor) and mask.dim() == len(batch) + 2:
            mask = mask.unsqueeze(-3)  # all heads share it
        shape = (*batch, self.num_heads, q.shape[-2], k.shape[-2])
        allowed = combine_masks(shape, valid_lens, mask)
        if need_weights:
            heads, self.attention_weights = attend(
                dot_product_scores(q, k), v, allowed, self.dropout
            )
        else:
            heads, self.attention_weights = self._fused(q, k, v, allowed), None
        return self.W_o(merge_heads(heads))  # (batch, queries, num_hiddens)

    def _fused(self, q, k, v, allowed):
        dropout = self.dropout.p if self.training else 0.0
        if allowed is None:
            return fused_attention(q, k, v, dropout_p=dropout)
        # Not every fused kernel gives 0 for a row that may attend to nothing.
        allowed = torch.atleast_2d(allowed)
        empty = ~allowed.any(-1, keepdim=True)
        heads = fused_attention(q, k, v, attn_mask=allowed | empty, dropout_p=dropout)
        return heads.masked_fill(empty, 0)

    __getstate__ = Attention.__getstate__
