"""Lesson 01: kernel functions and Nadaraya-Watson regression.

A kernel turns the scaled distance u = (query - key) / bandwidth into a weight
before normalisation. All kernels here are 1 at u = 0: a constant factor cancels
when the weights are divided by their sum.
"""

import numbers

import torch
from torch import nn

from ._inputs import check_floats, shape_of
from .attention import Attention, attend
from .masking import masked_softmax


def gaussian(u):
    """Gaussian kernel, exp(-u^2 / 2): never zero, so every key has a say."""
    return torch.exp(-(u**2) / 2)


def boxcar(u):
    """Boxcar kernel, 1 where |u| <= 1 and 0 elsewhere: a plain average nearby."""
    return (u.abs() <= 1).to(u.dtype)


def triangular(u):
    """Triangular kernel, max(0, 1 - |u|): fades linearly to zero at |u| = 1."""
    return (1 - u.abs()).clamp(min=0)


def epanechnikov(u):
    """Epanechnikov kernel, max(0, 1 - u^2): a parabola that reaches zero at |u| = 1.

    Source: Epanechnikov (1969), Theory of Probability and Its Applications 14(1).
    """
    return (1 - u**2).clamp(min=0)


KERNELS = {f.__name__: f for f in (gaussian, boxcar, triangular, epanechnikov)}


def kernel_regression(queries, keys, values, bandwidth=1.0, kernel="gaussian"):
    """Nadaraya-Watson regression: an average of the values, weighted by closeness.

    output(q) = sum_i K((q - k_i) / h) v_i / sum_j K((q - k_j) / h)

    Args:
        queries: points to predict at, shape (n,) or (n, d).
        keys: points that were observed, shape (m,) or (m, d).
        values: what was observed there, shape (m,) or (m, v).
        bandwidth: h > 0, in the units of queries and keys.
        kernel: "gaussian", "boxcar", "triangular", "epanechnikov", or a function
            that maps a tensor of scaled distances to weights of the same shape.

    Returns:
        output, shape (n,) or (n, v), and weights, shape (n, m). A query that no
        key's kernel reaches gets weights 0 and output 0.

    Raises:
        TypeError, ValueError: for inputs that do not fit together, a bandwidth
            that is not positive, or an unknown kernel.

    Source: Nadaraya (1964); Watson (1964).
    """
    check_floats(min_axes=1, queries=queries, keys=keys, values=values)
    if keys.dim() > 2 or queries.dim() != keys.dim() or queries.shape[1:] != keys.shape[1:]:
        raise ValueError(
            f"queries and keys must have shapes (n,) and (m,), or (n, d) and (m, d), got "
            f"{shape_of(queries)} and {shape_of(keys)}; give both the same number of features"
        )
    if values.dim() > 2 or len(values) != len(keys):
        raise ValueError(
            f"values must have shape ({len(keys)},) or ({len(keys)}, v), one row for each key, "
            f"got {shape_of(values)}"
        )
    weights = _kernel_weights(_distances(queries, keys), bandwidth, kernel)
    return weights @ values, weights


def leave_one_out(x, y):
    """For every point, all the other points: row i lacks point i.

    Args:
        x, y: positions and observations, both of shape (n,) with n >= 2.

    Returns:
        keys and values, both of shape (n, n - 1).

    Raises:
        TypeError, ValueError: when x and y are not two such tensors.
    """
    check_floats(x=x, y=y)
    if x.dim() != 1 or x.shape != y.shape or len(x) < 2:
        raise ValueError(
            f"x and y must both have shape (n,) with n >= 2, got {shape_of(x)} and {shape_of(y)}"
        )
    n = len(x)
    others = ~torch.eye(n, dtype=torch.bool, device=x.device)
    return x.expand(n, n)[others].view(n, n - 1), y.expand(n, n)[others].view(n, n - 1)


def leave_one_out_error(x, y, bandwidths, kernel="gaussian"):
    """How badly each bandwidth predicts every point from all the others.

    error(h) = mean_i (y_i - output_h(x_i without point i))^2

    Args:
        x: positions, shape (n,) or (n, d), n >= 2.
        y: observations, shape (n,).
        bandwidths: a list or tensor of positive bandwidths, in the units of x.
        kernel: as in `kernel_regression`.

    Returns:
        The mean squared error for each bandwidth, shape (len(bandwidths),), in the
        squared units of y. A point that no other point reaches is predicted as 0.

    Raises:
        TypeError, ValueError: as `kernel_regression`, and for fewer than 2 points.
    """
    check_floats(min_axes=1, x=x, y=y)
    if x.dim() > 2 or y.dim() != 1 or len(x) != len(y) or len(x) < 2:
        raise ValueError(
            f"x must have shape (n,) or (n, d) and y (n,), with n >= 2, "
            f"got {shape_of(x)} and {shape_of(y)}"
        )
    if isinstance(bandwidths, torch.Tensor):
        bandwidths = bandwidths.detach().reshape(-1).unbind()
    if not len(bandwidths):
        raise ValueError("bandwidths must hold at least one bandwidth, got none")
    distances = _distances(x, x)
    others = ~torch.eye(len(x), dtype=torch.bool, device=x.device)
    errors = [
        (y - _kernel_weights(distances, h, kernel, others) @ y).square().mean() for h in bandwidths
    ]
    return torch.stack(errors)


class NWKernelRegression(nn.Module):
    """Nadaraya-Watson regression with a learned scale w; 1 / |w| is the bandwidth.

    output_i = sum_j softmax_j(-((q_i - k_ij) w)^2 / 2) v_ij

    Source: Dive into Deep Learning, "Attention Pooling: Nadaraya-Watson Kernel Regression".
    """

    attention_weights = None

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1))

    def forward(self, queries, keys, values):
        """Predict one number per query, each from its own row of keys and values.

        Args:
            queries: shape (n,).
            keys, values: shape (n, m); row i belongs to query i.

        Returns:
            The predictions, shape (n,). The weights stay in `attention_weights`, (n, m).

        Raises:
            TypeError, ValueError: when the shapes or dtypes do not fit.
        """
        check_floats(min_axes=1, queries=queries, keys=keys, values=values)
        if queries.dim() != 1 or keys.shape != values.shape or keys.shape[:-1] != queries.shape:
            raise ValueError(
                f"queries must have shape (n,), keys and values (n, m), got {shape_of(queries)}, "
                f"{shape_of(keys)} and {shape_of(values)}; to give every query the same keys, "
                f"use keys.expand(n, -1)"
            )
        scores = -(((queries.unsqueeze(1) - keys) * self.w) ** 2) / 2
        # Every query has keys of its own: a batch of n problems with one query each.
        output, weights = attend(scores.unsqueeze(1), values.unsqueeze(-1))
        self.attention_weights = weights.squeeze(1)
        return output.reshape(-1)

    __getstate__ = Attention.__getstate__


def _distances(a, b):
    """Euclidean distances (n, m) between the rows of a and b, or between scalars."""
    if a.dim() == 1:
        return (a.unsqueeze(1) - b).abs()
    return torch.linalg.vector_norm(a.unsqueeze(1) - b, dim=-1)


def _kernel_weights(distances, bandwidth, kernel, mask=None):
    """Normalised weights (n, m); a row whose kernel weights are all 0 stays 0."""
    single = isinstance(bandwidth, torch.Tensor) and bandwidth.numel() == 1
    if not single and (isinstance(bandwidth, bool) or not isinstance(bandwidth, numbers.Real)):
        raise TypeError(f"bandwidth must be one number, got {bandwidth!r}")
    if single:
        bandwidth = bandwidth.reshape(()).to(distances)
    # The value of a tensor cannot be looked at inside a compiled graph.
    if not (single and torch.compiler.is_compiling()) and not bandwidth > 0:
        raise ValueError(
            f"bandwidth must be positive, got {bandwidth}; it is the distance, in the units of "
            f"the keys, over which a key's influence fades"
        )
    if isinstance(kernel, str) and kernel in KERNELS:
        kernel = KERNELS[kernel]
    if not callable(kernel):
        raise ValueError(
            f"kernel must be a function or one of {', '.join(KERNELS)}, got {kernel!r}"
        )
    u = distances / bandwidth
    if kernel is gaussian:
        # The same weights as below, but a far query does not underflow to 0 / 0.
        return masked_softmax(-(u**2) / 2, mask=mask)
    weights = kernel(u)
    if not isinstance(weights, torch.Tensor) or weights.shape != u.shape:
        raise ValueError(
            f"kernel must return a tensor of the shape it was given, {shape_of(u)}, "
            f"got {shape_of(weights) if isinstance(weights, torch.Tensor) else weights!r}"
        )
    weights = weights.to(u.dtype)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    total = weights.sum(-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1)
