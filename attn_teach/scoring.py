"""Lesson 02: score functions. How well does a query fit a key?"""

import math

from torch import nn

from ._inputs import check_counts, check_floats, check_leading, check_projections, shape_of


def distance_scores(queries, keys):
    """Minus half the squared Euclidean distance between each query and each key.

    score(q, k) = -|q - k|^2 / 2 = q.k - |q|^2 / 2 - |k|^2 / 2

    The right-hand side needs two vectors of squared norms and one matrix product,
    never the (..., queries, keys, size) tensor of differences.

    Args:
        queries: shape (..., queries, size).
        keys: shape (..., keys, size).

    Returns:
        Scores, shape (..., queries, keys), never above 0.

    Raises:
        TypeError, ValueError: when queries and keys do not fit together.
    """
    _check_same_size(queries, keys)
    if keys.shape[-2]:
        # Distances do not change when all is shifted, and near the origin the squares keep their
        # digits. The first key is no padding; a mean of the keys would let masked ones be felt.
        center = keys[..., :1, :].detach()
        queries, keys = queries - center, keys - center
    half_norms_q = queries.square().sum(-1).unsqueeze(-1) / 2  # (..., queries, 1)
    half_norms_k = keys.square().sum(-1).unsqueeze(-2) / 2  # (..., 1, keys)
    # Rounding must not turn a distance of zero into a negative square.
    return (queries @ keys.transpose(-2, -1) - half_norms_q - half_norms_k).clamp(max=0)


def dot_product_scores(queries, keys, scaled=True):
    """Dot product of each query with each key, divided by sqrt(size) when scaled.

    score(q, k) = q.k / sqrt(size)

    Args:
        queries: shape (..., queries, size).
        keys: shape (..., keys, size).
        scaled: divide by sqrt(size), so that the variance does not grow with the size.

    Returns:
        Scores, shape (..., queries, keys).

    Raises:
        TypeError, ValueError: when queries and keys do not fit together.

    Source: Vaswani et al. (2017), Attention Is All You Need, section 3.2.1.
    """
    _check_same_size(queries, keys)
    scores = queries @ keys.transpose(-2, -1)
    return scores / math.sqrt(queries.shape[-1]) if scaled else scores


class AdditiveScores(nn.Module):
    """A small network with one hidden layer scores each pair of query and key.

    score(q, k) = w_v . tanh(W_q q + W_k k)

    Args:
        key_size, query_size: sizes of keys and queries; they may differ.
        num_hiddens: width of the hidden layer.

    Source: Bahdanau, Cho and Bengio (2015), appendix A.1.2.
    """

    def __init__(self, key_size, query_size, num_hiddens):
        super().__init__()
        check_counts(key_size=key_size, query_size=query_size, num_hiddens=num_hiddens)
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)

    def forward(self, queries, keys):
        """Score (..., queries, query_size) against (..., keys, key_size): (..., queries, keys)."""
        check_projections(queries=(queries, self.W_q), keys=(keys, self.W_k))
        check_leading(queries=queries, keys=keys)
        # (..., queries, 1, num_hiddens) + (..., 1, keys, num_hiddens): every pair
        hidden = self.W_q(queries).unsqueeze(-2) + self.W_k(keys).unsqueeze(-3)
        return self.w_v(hidden.tanh()).squeeze(-1)


class BilinearScores(nn.Module):
    """A learned matrix between query and key, which may differ in size.

    score(q, k) = q . W k, with W of shape (query_size, key_size)

    Args:
        key_size, query_size: sizes of keys and queries.

    Source: Luong, Pham and Manning (2015), section 3.1, "general".
    """

    def __init__(self, key_size, query_size):
        super().__init__()
        check_counts(key_size=key_size, query_size=query_size)
        self.W = nn.Linear(key_size, query_size, bias=False)

    def forward(self, queries, keys):
        """Score (..., queries, query_size) against (..., keys, key_size): (..., queries, keys)."""
        check_projections(keys=(keys, self.W))
        check_floats(min_axes=2, keys=keys, queries=queries)
        if queries.shape[-1] != self.W.out_features:
            raise ValueError(
                f"queries must have size {self.W.out_features} in the last axis, as this module "
                f"was built for, got shape {shape_of(queries)}; build it for size "
                f"{queries.shape[-1]} or pass other queries"
            )
        check_leading(queries=queries, keys=keys)
        return queries @ self.W(keys).transpose(-2, -1)


def _check_same_size(queries, keys):
    check_floats(min_axes=2, queries=queries, keys=keys)
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError(
            f"queries of size {queries.shape[-1]} cannot be dotted with keys of size "
            f"{keys.shape[-1]}; use AdditiveAttention or BilinearAttention, which let the sizes "
            f"differ (got shapes {shape_of(queries)} and {shape_of(keys)})"
        )
    check_leading(queries=queries, keys=keys)
