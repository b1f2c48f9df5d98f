"""Lesson 06: where a token stands."""

from typing import Annotated

import torch
from torch import Tensor, nn

from .checks import LARGEST, need, not_negative
from .scoring import widest
from .shapes import Count, Flag, Float, Positive, Probability, Real


def need_even(name, size):
    """Raise an error unless the size is even."""
    need(size % 2 == 0, name, "be even, since features turn in pairs", size)


def _frequencies(size, base: float | Tensor = 10000.0, device=None):
    """Angle per position for each pair of features: base^(-2j / size), in float64."""
    exponents = torch.arange(0, size, 2, dtype=widest(device), device=device) / size  # (size / 2,)
    return base**-exponents


class _Encoding(nn.Module):
    """Adds row i of the table P to the token at position i."""

    P: Tensor
    follows_its_input = True  # in dtype and device

    def __init__(self, num_hiddens, dropout, max_len):
        super().__init__()
        self.num_hiddens, self.max_len = num_hiddens, max_len
        self.dropout = nn.Dropout(dropout)

    def forward(self, X: Float[Tensor, "... n num_hiddens"]) -> Tensor:
        """Add the first n rows of P to X, shape (batch, n, num_hiddens); the shape stays."""
        n = X.shape[-2]
        if n > self.max_len:
            most, use = f"more than max_len={self.max_len}", f"with max_len={n} or more"
            raise ValueError(f"X has {n} positions, {most}; build the encoding {use}")
        return self.dropout(X + self.rows(n, X))

    def rows(self, n, X):
        """The first n rows of P, (n, num_hiddens), in the dtype and on the device of X."""
        return self.P[0, :n].to(X)


class PositionalEncoding(_Encoding):
    """Adds a fixed table of sines and cosines, one row per position.

    P[i, 2j] = sin(i / 10000^(2j / num_hiddens)),  P[i, 2j + 1] = cos(the same angle)

    Args:
        num_hiddens: size of each token; any, odd ones too (the last column is then a sine).
        dropout: probability with which an element of the sum is dropped in training.
        max_len: longest sequence that can be encoded.

    Attributes:
        P: the table, a buffer of shape (1, max_len, num_hiddens). Angles are in radians.

    Source: Vaswani et al. (2017), section 3.5.
    """

    def __init__(self, num_hiddens: Count, dropout: Probability = 0.0, max_len: Count = 1000):
        super().__init__(num_hiddens, dropout, max_len)
        # Not in the state dict: it follows from the arguments.
        self.register_buffer("P", self._table().to(torch.get_default_dtype()), persistent=False)

    def _table(self, device=None):
        positions = torch.arange(self.max_len, dtype=widest(device), device=device)
        angles = torch.outer(positions, _frequencies(self.num_hiddens, device=device))
        P = torch.stack((angles.sin(), angles.cos()), -1).flatten(-2)  # (max_len, size or one more)
        return P[None, :, : self.num_hiddens]

    def rows(self, n, X):
        """As above; the table follows from the arguments, wherever they were given."""
        if self.P.is_meta and not X.is_meta:  # as after load_state_dict(..., assign=True)
            self.to_empty(device=X.device)
        return super().rows(n, X)

    def _apply(self, fn, recurse=True):
        """Moves P; made anew in another dtype, it has all its digits, and behind "meta" numbers."""
        before = self.P
        super()._apply(fn, recurse)
        if before.dtype != self.P.dtype or before.is_meta > self.P.is_meta:
            self.P = self._table(self.P.device).to(self.P.dtype)
        return self


class LearnedPositionalEncoding(_Encoding):
    """Adds a learned vector per position.

    Args: num_hiddens, dropout and max_len, as for `PositionalEncoding`.

    Attributes:
        P: the table, a parameter of shape (1, max_len, num_hiddens).

    Source: Gehring et al. (2017), Convolutional Sequence to Sequence Learning, section 3.1.
    """

    def __init__(self, num_hiddens: Count, dropout: Probability = 0.0, max_len: Count = 1000):
        super().__init__(num_hiddens, dropout, max_len)
        self.P = nn.Parameter(0.02 * torch.randn(1, max_len, num_hiddens))


def _offset(name, value):
    real = isinstance(value, (int, float)) and not isinstance(value, bool)
    need(real, name, "be a number of positions", value, error=TypeError)
    need(abs(value) <= LARGEST, name, f"be at most {LARGEST:,}", value)


def offset_rotation(delta: Annotated[float, _offset], num_hiddens: Count) -> Tensor:
    """The matrix that moves a sinusoidal encoding by delta positions: P[i + delta] = M @ P[i].

    Each pair (sin, cos) of frequency w is turned by [[cos, sin], [-sin, cos]] of delta * w.

    Args:
        delta: offset in positions; may be negative.
        num_hiddens: even size of the encoding.

    Returns:
        M, shape (num_hiddens, num_hiddens), in the default dtype; orthogonal.

    Source: Vaswani et al. (2017), section 3.5.
    """
    need_even("num_hiddens", num_hiddens)
    angles = delta * _frequencies(num_hiddens)  # (num_hiddens / 2,)
    pairs = torch.stack((angles.cos(), angles.sin(), -angles.sin(), angles.cos()), -1)
    return torch.block_diag(*pairs.view(-1, 2, 2)).to(torch.get_default_dtype())


def apply_rotary(
    X: Float[Tensor, "... n size"],
    positions: Real[Tensor, "... n"] | None = None,
    base: Positive | Tensor = 10000.0,
    interleaved: Flag = True,
) -> Tensor:
    """Rotary encoding: turn each pair of features by an angle that grows with the position.

    (x, y) -> (x cos a - y sin a, x sin a + y cos a),  a = position * base^(-2j / size)

    The dot product of two turned vectors depends on their offset alone.

    Args:
        X: queries or keys, shape (..., n, size) with an even size.
        positions: shape (n,), or one that broadcasts to (..., n); 0 ... n - 1 unless given.
        base: sets the slowest angle; 10000 in the paper.
        interleaved: True pairs features (0, 1), (2, 3), ... as in the paper; False pairs
            feature j with j + size / 2, as Llama's weights in the transformers library expect.

    Returns:
        A tensor of the shape and dtype of X.

    Source: Su et al. (2021), RoFormer, section 3.2.
    """
    need_even("the last axis of X", X.shape[-1])
    if positions is None:
        positions = torch.arange(X.shape[-2], device=X.device)
    positions = positions.unsqueeze(-1).to(widest(X.device))  # (..., n, 1)
    angles = positions * _frequencies(X.shape[-1], base, X.device)  # (..., n, size / 2)
    cos, sin = angles.cos().to(X.dtype), angles.sin().to(X.dtype)
    x, y = (X[..., 0::2], X[..., 1::2]) if interleaved else X.chunk(2, -1)  # (..., n, size / 2)
    turned = x * cos - y * sin, x * sin + y * cos
    return torch.stack(turned, -1).flatten(-2) if interleaved else torch.cat(turned, -1)


def alibi_slopes(num_heads: Count) -> Tensor:
    """The slope of each head: a geometric sequence from 2^(-8 / num_heads) down to 2^(-8).

    For a number that is not a power of two: the slopes of the next lower power, then every
    other slope of the next higher one, as the authors' code does.

    They have the shape (num_heads,) and the default dtype.

    Source: Press, Smith and Lewis (2022), Train Short, Test Long, section 3.
    """
    lower = 2 ** (num_heads.bit_length() - 1)
    first = 8 * torch.arange(1, lower + 1, dtype=torch.float64)
    others = 4 * torch.arange(1, max(1, 2 * (num_heads - lower)), 2, dtype=torch.float64)
    return (2 ** (-torch.cat((first, others)) / lower)).to(torch.get_default_dtype())


def alibi_bias(
    num_heads: Count,
    num_queries: Count,
    num_keys: Count,
    past: Annotated[int, not_negative] = 0,
) -> Tensor:
    """What ALiBi adds to the scores: the farther the key, the lower.

    bias[h, i, j] = -slope[h] |past + i - j|

    It has the shape (num_heads, num_queries, num_keys) and the default dtype. The first key stands
    at position 0, the first query at `past`: at num_keys - num_queries where a cache holds the
    keys before.

    Source: Press, Smith and Lewis (2022), section 3.
    """
    queries = torch.arange(past, past + num_queries).unsqueeze(1)  # (n, 1)
    distance = (queries - torch.arange(num_keys)).abs()  # (n, m)
    return -alibi_slopes(num_heads).view(-1, 1, 1) * distance
