"""Lesson 02: score functions. How well does a query fit a key?"""

import math

import torch
from torch import Tensor, nn

from .shapes import Count, Flag, Float


def widest(device):
    """The dtype with the most digits; Apple's GPUs have no float64."""
    return torch.float32 if torch.device(device or "cpu").type == "mps" else torch.float64


def distance_scores(queries: Float[Tensor, "... n d"], keys: Float[Tensor, "... m d"]) -> Tensor:
    """Minus half the squared Euclidean distance between each query and each key.

    score(q, k) = -|q - k|^2 / 2 = q.k - |q|^2 / 2 - |k|^2 / 2

    The right-hand side needs two vectors of squared norms and one matrix product,
    never the (..., n, m, d) tensor of differences.

    Args:
        queries, keys: shapes (..., n, d) and (..., m, d).

    Returns:
        Scores, shape (..., n, m), never above 0.
    """
    # Far from the origin the squares need more digits than the distances. (To shift all by one of
    # the keys would help as well, but then that key would be felt where it is masked.)
    q, k = (tensor.to(widest(tensor.device)) for tensor in (queries, keys))
    half_norms_q = (q * q).sum(-1).unsqueeze(-1) / 2  # (..., n, 1)
    half_norms_k = (k * k).sum(-1).unsqueeze(-2) / 2  # (..., 1, m)
    # Rounding must not turn a distance of zero into a negative square.
    return (q @ k.transpose(-2, -1) - half_norms_q - half_norms_k).clamp(max=0).to(queries.dtype)


def dot_product_scores(
    queries: Float[Tensor, "... n d"], keys: Float[Tensor, "... m d"], scaled: Flag = True
) -> Tensor:
    """Dot product of each query with each key, divided by sqrt(d) when scaled.

    score(q, k) = q.k / sqrt(d)

    Args:
        queries, keys: shapes (..., n, d) and (..., m, d).
        scaled: divide by sqrt(d), so that the variance does not grow with the size d.

    Returns:
        Scores, shape (..., n, m).

    Source: Vaswani et al. (2017), Attention Is All You Need, section 3.2.1.
    """
    if scaled and queries.shape[-1]:
        queries = queries / math.sqrt(queries.shape[-1])  # n x d divisions, not n x m
    return queries @ keys.transpose(-2, -1)  # (..., n, m)


class AdditiveScores(nn.Module):
    """A small network with one hidden layer scores each pair of query and key.

    score(q, k) = w_v . tanh(W_q q + W_k k)

    Args:
        key_size, query_size: sizes of keys and queries; they may differ.
        num_hiddens: width of the hidden layer.

    Source: Bahdanau, Cho and Bengio (2015), appendix A.1.2.
    """

    def __init__(self, key_size: Count, query_size: Count, num_hiddens: Count):
        super().__init__()
        self.key_size, self.query_size = key_size, query_size
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)

    def forward(
        self, queries: Float[Tensor, "... n query_size"], keys: Float[Tensor, "... m key_size"]
    ) -> Tensor:
        """Score (..., n, query_size) against (..., m, key_size): (..., n, m)."""
        return self.score(queries, keys)

    def score(self, queries, keys):
        """The formula; every pair of a query and a key has a hidden layer of its own."""
        hidden = self.W_q(queries).unsqueeze(-2) + self.W_k(keys).unsqueeze(-3)  # (..., n, m, h)
        return self.w_v(hidden.tanh_()).squeeze(-1)  # (..., n, m)


class BilinearScores(nn.Module):
    """A learned matrix between query and key, which may differ in size.

    score(q, k) = q . W k, with W of shape (query_size, key_size)

    Args:
        key_size, query_size: sizes of keys and queries.

    Source: Luong, Pham and Manning (2015), section 3.1, "general".
    """

    def __init__(self, key_size: Count, query_size: Count):
        super().__init__()
        self.key_size, self.query_size = key_size, query_size
        self.W = nn.Linear(key_size, query_size, bias=False)

    def forward(
        self, queries: Float[Tensor, "... n query_size"], keys: Float[Tensor, "... m key_size"]
    ) -> Tensor:
        """Score (..., n, query_size) against (..., m, key_size): (..., n, m)."""
        return self.score(queries, keys)

    def score(self, queries, keys):
        """The formula."""
        return queries @ self.W(keys).transpose(-2, -1)  # (..., n, m)
