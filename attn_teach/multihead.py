"""Lesson 04: several heads, each attending in its own way to the same input."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.forward_ad import unpack_dual
from torch.nn.functional import scaled_dot_product_attention as fused_attention

from .attention import RemembersWeights, attend, over_pairs
from .checks import known, lasts, refuse, together
from .masking import masked_softmax, one_mask, padding_mask
from .scoring import dot_product_scores
from .shapes import Bool, Count, Flag, Float, Int, Probability, Tokens


def need_divisor(total, parts, name="num_hiddens", by="num_heads"):
    """Raise an error unless the width splits evenly into heads, or the heads into groups."""
    if total % parts:
        lower = total - total % parts
        use = f"{lower} or {lower + parts} would do" if lower else f"{parts} would do"
        refuse(name, f"be divisible by {by}", f"{total} and {parts}", use)


def split_heads(X: Float[Tensor, "... n num_hiddens"], num_heads: Count) -> Tensor:
    """Cut the last axis into heads and move them to an axis of their own.

    (..., n, num_hiddens) -> (..., num_heads, n, num_hiddens / num_heads)

    num_heads must divide num_hiddens; head h gets a run of neighbouring features.
    """
    need_divisor(X.shape[-1], num_heads, "the last axis of X")
    X = X.unflatten(-1, (num_heads, X.shape[-1] // num_heads))  # (..., n, num_heads, head_dim)
    return X.transpose(-3, -2)  # (..., num_heads, n, head_dim)


def merge_heads(X: Float[Tensor, "... num_heads n head_dim"]) -> Tensor:
    """Undo `split_heads`: put the heads side by side again.

    (..., num_heads, n, head_dim) -> (..., n, num_heads * head_dim)
    """
    return X.transpose(-3, -2).flatten(-2)  # (..., n, num_heads * head_dim)


def softmax_in_place(scores, mask):
    """`masked_softmax` in the memory of scores that were just made, so that nobody else holds them.

    All heads of a long text take up to 1.2 times as long otherwise (`make bench` measures).
    """
    wider = mask is None or together(scores.shape, mask.shape) != scores.shape
    if mask is None or wider or known(~mask.any(-1), True) or not lasts(scores):  # as in vmap
        return masked_softmax(scores, mask=mask)
    scores.masked_fill_(~mask, -torch.inf)
    differentiated = scores.requires_grad or unpack_dual(scores).tangent is not None
    return masked_softmax(scores) if differentiated else torch.softmax(scores, -1, out=scores)


class AttentionHead(RemembersWeights):
    """One head: project to head_dim, then scaled dot-product attention.

    head = softmax(W_q q (W_k k)^T / sqrt(head_dim)) W_v v

    Args:
        embed_dim: size of queries, keys and values.
        head_dim: size of the head's output.
        bias: whether the three projections have one.
    """

    def __init__(self, embed_dim: Count, head_dim: Count, bias: Flag = False):
        super().__init__()
        self.embed_dim = embed_dim
        self.W_q = nn.Linear(embed_dim, head_dim, bias=bias)
        self.W_k = nn.Linear(embed_dim, head_dim, bias=bias)
        self.W_v = nn.Linear(embed_dim, head_dim, bias=bias)

    def forward(
        self,
        query: Float[Tensor, "... n embed_dim"],
        key: Float[Tensor, "... m embed_dim"],
        value: Float[Tensor, "... m embed_dim"],
        query_mask: Tokens[Tensor, "batch n"] | None = None,
        key_mask: Tokens[Tensor, "batch m"] | None = None,
        mask: Bool[Tensor, "... n m"] | None = None,
    ) -> Tensor:
        """Attend; arguments as in `scaled_dot_product_attention`, result (batch, n, head_dim).

        The weights of this call stay in `attention_weights`, (batch, n, m).
        """
        scores = dot_product_scores(self.W_q(query), self.W_k(key))  # (batch, n, m)
        allowed = one_mask(scores.dim(), mask, *over_pairs(query_mask, key_mask))
        output, self.attention_weights = attend(scores, self.W_v(value), allowed)
        return output  # (batch, n, head_dim)


class PerHeadMultiHeadAttention(nn.Module):
    """Multi-head attention as a list of heads: slow, readable, equal to `MultiHeadAttention`.

    output = W_o [head_1, ..., head_h]

    Args:
        embed_dim: size of queries, keys, values and output.
        num_heads: must divide embed_dim.
        bias: whether the projections have one.
    """

    def __init__(self, embed_dim: Count, num_heads: Count, bias: Flag = False):
        super().__init__()
        need_divisor(embed_dim, num_heads, "embed_dim")
        self.embed_dim = embed_dim
        head_dim = embed_dim // num_heads
        heads = (AttentionHead(embed_dim, head_dim, bias) for _ in range(num_heads))
        self.heads = nn.ModuleList(heads)
        self.W_o = nn.Linear(embed_dim, embed_dim, bias=bias)

    @property
    def attention_weights(self) -> Tensor | Any:
        """Weights of the heads' last calls, (batch, heads, n, m), or None."""
        weights = [head.attention_weights for head in self.heads]
        alike = len({getattr(w, "shape", None) for w in weights}) == 1  # not if threads differ
        return torch.stack(weights, -3) if alike and weights[0] is not None else None

    def forward(
        self,
        query: Float[Tensor, "... n embed_dim"],
        key: Float[Tensor, "... m embed_dim"],
        value: Float[Tensor, "... m embed_dim"],
        query_mask: Tokens[Tensor, "batch n"] | None = None,
        key_mask: Tokens[Tensor, "batch m"] | None = None,
        mask: Bool[Tensor, "... n m"] | None = None,
    ) -> Tensor:
        """Attend with every head; arguments as in `scaled_dot_product_attention`.

        Returns (batch, n, embed_dim).
        """
        outputs = [head(query, key, value, query_mask, key_mask, mask) for head in self.heads]
        return self.W_o(torch.cat(outputs, -1))  # (batch, n, embed_dim)


class Heads(RemembersWeights):
    """What attentions with many heads share: four projections, and all heads at once."""

    def __init__(self, sizes, num_heads, num_kv_heads, head_dim, dropout=0.0, bias=False, out=None):
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        need_divisor(num_heads, num_kv_heads, "num_heads", "num_kv_heads")
        self.num_heads, self.head_dim = num_heads, head_dim
        self.group = num_heads // num_kv_heads  # neighbouring heads that share keys and values
        self.dropout = nn.Dropout(dropout)
        query_size, key_size, value_size, num_hiddens = sizes
        self.W_q = nn.Linear(query_size, num_heads * head_dim, bias=bias)
        self.W_k = nn.Linear(key_size, num_kv_heads * head_dim, bias=bias)
        self.W_v = nn.Linear(value_size, num_kv_heads * head_dim, bias=bias)
        self.W_o = nn.Linear(num_heads * head_dim, num_hiddens, bias=bias if out is None else out)

    def project(self, queries=None, keys=None, values=None):
        """What the heads ask with and read, each (batch, heads, n or m, head_dim), or None."""
        maps = (self.W_q, queries), (self.W_k, keys), (self.W_v, values)
        rows = [X if X is None else linear(X) for linear, X in maps]
        return [X if X is None else split_heads(X, X.shape[-1] // self.head_dim) for X in rows]

    def read(self, q, k, v, allowed, need_weights=True):
        """Attend with queries, keys and values that are projected and split already."""
        heads, self.attention_weights = self.attend(q, k, v, allowed, need_weights)
        return self.W_o(merge_heads(heads))  # (batch, n, num_hiddens)

    def attend(self, q, k, v, allowed, need_weights=True, bias=None):
        """The heads' outputs, (batch, heads, n, head_dim), and weights; bias is added to scores."""
        if not need_weights:
            return self._fused(q, k, v, allowed, bias), None
        if self.group > 1:  # (batch, heads, m, head_dim)
            k, v = (X.repeat_interleave(self.group, dim=-3) for X in (k, v))
        scores = dot_product_scores(q, k)  # (batch, heads, n, m)
        scores = scores if bias is None else scores + bias
        weights = softmax_in_place(scores, allowed)  # for the rest as `attention.attend`
        return self.dropout(weights) @ v, weights

    def _fused(self, q, k, v, allowed, bias):
        """PyTorch's kernel in place of `attend`: the weights never exist as a whole."""
        options = {"dropout_p": self.dropout.p * self.training, "enable_gqa": self.group > 1}
        if allowed is None:
            return fused_attention(q, k, v, attn_mask=bias, **options)
        allowed = torch.atleast_2d(allowed)
        # Where only the values and the lengths have a batch, the queries get it too.
        q = q.expand(*together(q.shape[:-2], allowed.shape[:-2]), *q.shape[-2:])
        # Not every fused kernel gives 0 for a row that may attend to nothing.
        empty = ~allowed.any(-1, keepdim=True)  # (..., n, 1)
        mask = allowed | empty
        mask = mask if bias is None else bias.masked_fill(~mask, -torch.inf)
        return fused_attention(q, k, v, attn_mask=mask, **options).masked_fill(empty, 0)


class MultiHeadAttention(Heads):
    """Multi-head attention with all heads computed at once.

    output = W_o merge(attend(scores(split(W_q q), split(W_k k)), split(W_v v)))

    Args:
        key_size, query_size, value_size: sizes of keys, queries and values; they may differ.
        num_hiddens: size of the output, all heads together.
        num_heads: must divide num_hiddens.
        dropout: probability with which a weight is dropped in training.
        bias: whether the four projections have one.
        num_kv_heads: heads of keys and values; must divide num_heads. Each is read by a group of
            num_heads / num_kv_heads neighbouring heads of queries. As many as num_heads unless
            given.

    Source: Vaswani et al. (2017), section 3.2.2; Ainslie et al. (2023), GQA, for the groups.
    """

    def __init__(
        self,
        key_size: Count,
        query_size: Count,
        value_size: Count,
        num_hiddens: Count,
        num_heads: Count,
        dropout: Probability = 0.0,
        bias: Flag = False,
        num_kv_heads: Count | None = None,
    ):
        need_divisor(num_hiddens, num_heads)
        sizes, head_dim = (query_size, key_size, value_size, num_hiddens), num_hiddens // num_heads
        super().__init__(sizes, num_heads, num_kv_heads, head_dim, dropout, bias)
        self.key_size, self.query_size, self.value_size = key_size, query_size, value_size

    def forward(
        self,
        queries: Float[Tensor, "... n query_size"],
        keys: Float[Tensor, "... m key_size"],
        values: Float[Tensor, "... m value_size"],
        valid_lens: Int[Tensor, "batch | batch n"] | None = None,
        mask: Bool[Tensor, "... n m | ... num_heads n m"] | None = None,
        need_weights: Flag = True,
    ) -> Tensor:
        """Attend with all heads.

        Args:
            queries, keys: shapes (batch, n, query_size) and (batch, m, key_size).
            values: shape (batch, m, value_size).
            valid_lens: integers, (batch,) or (batch, n): how many leading keys are real.
            mask: boolean, True = may attend, of shape (n, m), (batch, n, m) or
                (batch, heads, n, m). Given both, a key must be allowed by both.
            need_weights: False uses PyTorch's fused attention, which is faster, gives the same
                output and keeps no weights. It adds minus infinity where a mask hides a score,
                which must then be finite.

        Returns:
            output, shape (batch, n, num_hiddens). The weights of this call, before dropout,
            stay in `attention_weights`, shape (batch, heads, n, m), or None.
        """
        axes = max(queries.dim(), keys.dim()) + 1
        if mask is not None and 2 < mask.dim() < axes:
            mask = mask.unsqueeze(-3)  # (batch, 1, n, m): all heads share it
        allowed = one_mask(axes, mask, padding_mask(valid_lens, keys.shape[-2]))
        q, k, v = self.project(queries, keys, values)
        return self.read(q, k, v, allowed, need_weights)
