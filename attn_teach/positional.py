"""Lesson 06: where a token stands."""

import math

import torch
from torch import nn

from ._inputs import check_counts, check_floats, shape_of


def _frequencies(size, base=10000.0, device=None):
    """Angle per position for each pair of features: base^(-2j / size), in float64."""
    # Apple's GPUs have no float64.
    dtype = torch.float32 if torch.device(device or "cpu").type == "mps" else torch.float64
    exponents = torch.arange(0, size, 2, dtype=dtype, device=device) / size
    return base**-exponents


def _rows(encoding, X):
    """The rows of the encoding that X needs, in the dtype of X."""
    check_floats(min_axes=2, X=X)
    _, max_len, num_hiddens = encoding.P.shape
    if X.shape[-1] != num_hiddens:
        raise ValueError(
            f"X must have size {num_hiddens} in the last axis, as this encoding was built for, "
            f"got shape {shape_of(X)}"
        )
    if X.shape[-2] > max_len:
        raise ValueError(
            f"X has {X.shape[-2]} positions, more than max_len={max_len}; build the encoding "
            f"with max_len={X.shape[-2]} or more"
        )
    return encoding.P[0, : X.shape[-2]].to(X.dtype)


class PositionalEncoding(nn.Module):
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

    def __init__(self, num_hiddens, dropout=0.0, max_len=1000):
        super().__init__()
        check_counts(num_hiddens=num_hiddens, max_len=max_len)
        self.dropout = nn.Dropout(dropout)
        positions = torch.arange(max_len, dtype=torch.float64)
        angles = torch.outer(positions, _frequencies(num_hiddens))  # (max_len, ceil(size / 2))
        P = torch.stack((angles.sin(), angles.cos()), -1).flatten(-2)[:, :num_hiddens]
        # Not in the state dict: it follows from the arguments.
        self.register_buffer("P", P[None].to(torch.get_default_dtype()), persistent=False)

    def forward(self, X):
        """Add the first n rows of P to X, shape (batch, n, num_hiddens); the shape stays."""
        return self.dropout(X + _rows(self, X))


class LearnedPositionalEncoding(nn.Module):
    """Adds a learned vector per position.

    Args:
        num_hiddens: size of each token.
        dropout: probability with which an element of the sum is dropped in training.
        max_len: longest sequence that can be encoded.

    Attributes:
        P: the table, a parameter of shape (1, max_len, num_hiddens).

    Source: Gehring et al. (2017), Convolutional Sequence to Sequence Learning, section 3.1.
    """

    def __init__(self, num_hiddens, dropout=0.0, max_len=1000):
        super().__init__()
        check_counts(num_hiddens=num_hiddens, max_len=max_len)
        self.dropout = nn.Dropout(dropout)
        self.P = nn.Parameter(0.02 * torch.randn(1, max_len, num_hiddens))

    def forward(self, X):
        """Add the first n rows of P to X, shape (batch, n, num_hiddens); the shape stays."""
        return self.dropout(X + _rows(self, X))


def offset_rotation(delta, num_hiddens):
    """The matrix that moves a sinusoidal encoding by delta positions: P[i + delta] = M @ P[i].

    Each pair (sin, cos) of frequency w is turned by [[cos, sin], [-sin, cos]] of delta * w.

    Args:
        delta: offset in positions; may be negative.
        num_hiddens: even size of the encoding.

    Returns:
        M, shape (num_hiddens, num_hiddens), in the default dtype; orthogonal.

    Raises:
        TypeError, ValueError: when num_hiddens is not a positive even int.

    Source: Vaswani et al. (2017), section 3.5.
    """
    _check_even("num_hiddens", num_hiddens)
    angles = delta * _frequencies(num_hiddens)
    pairs = torch.stack((angles.cos(), angles.sin(), -angles.sin(), angles.cos()), -1)
    return torch.block_diag(*pairs.view(-1, 2, 2)).to(torch.get_default_dtype())


def apply_rotary(X, positions=None, base=10000.0, interleaved=True):
    """Rotary encoding: turn each pair of features by an angle that grows with the position.

    (x, y) -> (x cos a - y sin a, x sin a + y cos a),  a = position * base^(-2j / size)

    The dot product of two turned vectors depends on their offset alone.

    Args:
        X: queries or keys, shape (..., n, size) with an even size.
        positions: shape (n,), or one that broadcasts to X.shape[:-1]; 0 ... n - 1 unless given.
        base: sets the slowest angle; 10000 in the paper.
        interleaved: True pairs features (0, 1), (2, 3), ... as in the paper; False pairs
            feature j with j + size / 2, as Llama's weights in the transformers library expect.

    Returns:
        A tensor of the shape and dtype of X.

    Raises:
        TypeError, ValueError: for an odd size, positions that do not fit, or a base that is
            not positive.

    Source: Su et al. (2021), RoFormer, section 3.2.
    """
    check_floats(min_axes=2, X=X)
    _check_even("the last axis of X", X.shape[-1])
    if positions is None:
        positions = torch.arange(X.shape[-2], device=X.device)
    if not base > 0:
        raise ValueError(f"base must be positive, got {base}; the paper uses 10000")
    if not isinstance(positions, torch.Tensor):
        raise TypeError(f"positions must be a torch.Tensor, got {type(positions).__name__}")
    try:
        fits = torch.broadcast_shapes(positions.shape, X.shape[:-1]) == X.shape[:-1]
    except RuntimeError:
        fits = False
    if not fits or positions.dim() == 0:
        raise ValueError(
            f"positions must have shape ({X.shape[-2]},) or broadcast to {tuple(X.shape[:-1])}, "
            f"got {shape_of(positions)}"
        )
    angles = positions.to(X.device).unsqueeze(-1) * _frequencies(X.shape[-1], base, X.device)
    cos, sin = angles.cos().to(X.dtype), angles.sin().to(X.dtype)  # (..., n, size / 2)
    if interleaved:
        x, y = X[..., 0::2], X[..., 1::2]
    else:
        x, y = X.chunk(2, -1)
    turned = x * cos - y * sin, x * sin + y * cos
    return torch.stack(turned, -1).flatten(-2) if interleaved else torch.cat(turned, -1)


def alibi_slopes(num_heads):
    """The slope of each head: a geometric sequence from 2^(-8 / num_heads) down to 2^(-8).

    For a number that is not a power of two: the slopes of the next lower power, then every
    other slope of the next higher one, as the authors' code does.

    Args:
        num_heads: number of heads.

    Returns:
        Slopes, shape (num_heads,), in the default dtype.

    Raises:
        TypeError, ValueError: when num_heads is not a positive int.

    Source: Press, Smith and Lewis (2022), Train Short, Test Long, section 3.
    """
    check_counts(num_heads=num_heads)
    lower = 2 ** int(math.log2(num_heads))
    slopes = [2 ** (-8 * (h + 1) / lower) for h in range(lower)]
    slopes += [2 ** (-4 * (h + 1) / lower) for h in range(0, 2 * (num_heads - lower), 2)]
    return torch.tensor(slopes)


def alibi_bias(num_heads, num_queries, num_keys):
    """What ALiBi adds to the scores: the farther the key, the lower.

    bias[h, i, j] = -slope[h] |i - j|

    Args:
        num_heads, num_queries, num_keys: sizes; positions count from 0 on both sides.

    Returns:
        Bias, shape (num_heads, num_queries, num_keys), in the default dtype.

    Raises:
        TypeError, ValueError: when a size is not a positive int.

    Source: Press, Smith and Lewis (2022), section 3.
    """
    check_counts(num_queries=num_queries, num_keys=num_keys)
    distance = (torch.arange(num_queries).unsqueeze(1) - torch.arange(num_keys)).abs()
    return -alibi_slopes(num_heads).view(-1, 1, 1) * distance


def _check_even(name, size):
    check_counts(**{name: size})
    if size % 2:
        raise ValueError(f"{name} must be even, since features turn in pairs, got {size}")
