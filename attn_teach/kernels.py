"""Lesson 01: kernel functions and Nadaraya-Watson regression.

A kernel turns the scaled distance u = (query - key) / bandwidth into a weight
before normalisation. All kernels here are 1 at u = 0: a constant factor cancels
when the weights are divided by their sum.
"""

from collections.abc import Callable, Sequence
from typing import Annotated

import torch
from torch import Tensor, nn

from .attention import RemembersWeights, attend
from .checks import known, need, positive, refuse, shown
from .shapes import Float


def gaussian(u: Float[Tensor, "..."]) -> Tensor:
    """Gaussian kernel, exp(-u^2 / 2): never zero, so every key has a say."""
    return torch.exp(-(u**2) / 2)


def boxcar(u: Float[Tensor, "..."]) -> Tensor:
    """Boxcar kernel, 1 where |u| <= 1 and 0 elsewhere: a plain average nearby."""
    return (u.abs() <= 1).to(u.dtype).masked_fill(u.isnan(), torch.nan)


def triangular(u: Float[Tensor, "..."]) -> Tensor:
    """Triangular kernel, max(0, 1 - |u|): fades linearly to zero at |u| = 1."""
    return (1 - u.abs()).clamp(min=0)


def epanechnikov(u: Float[Tensor, "..."]) -> Tensor:
    """Epanechnikov kernel, max(0, 1 - u^2): a parabola that reaches zero at |u| = 1.

    Source: Epanechnikov (1969), Theory of Probability and Its Applications 14(1).
    """
    return (1 - u**2).clamp(min=0)


KERNELS = {f.__name__: f for f in (gaussian, boxcar, triangular, epanechnikov)}


def _kernel(name, value):
    named = value in KERNELS if isinstance(value, str) else callable(value)
    must = f"be a function or one of {', '.join(KERNELS)}"
    need(named and not isinstance(value, type), name, must, value)


Kernel = Annotated[str | Callable[[Tensor], Tensor], _kernel]


def _bandwidth(name, value):
    use = "it is the distance, in the units of the keys, over which a key's influence fades"
    positive(name, value, use)


def _bandwidths(name, value):
    listed = isinstance(value, (list, tuple)) or (torch.is_tensor(value) and value.dim() == 1)
    need(listed, name, "be a list or a tensor of numbers", value, error=TypeError)
    need(len(value) > 0, name, "hold at least one bandwidth", value)
    for each in value:
        _bandwidth(f"each of {name}", each)


def kernel_regression(
    queries: Float[Tensor, "n | n features"],
    keys: Float[Tensor, "m | m features"],
    values: Float[Tensor, "m | m v"],
    bandwidth: Annotated[float | Tensor, _bandwidth] = 1.0,
    kernel: Kernel = "gaussian",
) -> tuple[Tensor, Tensor]:
    """Nadaraya-Watson regression: an average of the values, weighted by closeness.

    output(q) = sum_i K((q - k_i) / h) v_i / sum_j K((q - k_j) / h)

    Args:
        queries: points to predict at, shape (n,) or (n, features).
        keys: points that were observed, shape (m,) or (m, features).
        values: what was observed there, shape (m,) or (m, v).
        bandwidth: h > 0, in the units of queries and keys.
        kernel: "gaussian", "boxcar", "triangular", "epanechnikov", or a function that maps a
            tensor of scaled distances to weights of the same shape.

    Returns:
        output, shape (n,) or (n, v), and weights, shape (n, m). A query that no
        key's kernel reaches gets weights 0 and output 0.

    Source: Nadaraya (1964); Watson (1964).
    """
    u = _distances(queries, keys) / _like(bandwidth, keys)  # (n, m)
    return _average(u, values, kernel)  # (n,) or (n, v), and (n, m)


def leave_one_out(x: Float[Tensor, "n"], y: Float[Tensor, "n"]) -> tuple[Tensor, Tensor]:
    """For every point, all the other points: row i lacks point i.

    Of positions and observations x and y, both (n,) with n >= 2, it returns the keys and values,
    both (n, n - 1).
    """
    n, others = len(x), _others(x)
    return x.expand(n, n)[others].view(n, n - 1), y.expand(n, n)[others].view(n, n - 1)


def leave_one_out_error(
    x: Float[Tensor, "n | n features"],
    y: Float[Tensor, "n"],
    bandwidths: Annotated[Sequence[float] | Tensor, _bandwidths],
    kernel: Kernel = "gaussian",
) -> Tensor:
    """How badly each bandwidth predicts every point from all the others.

    error(h) = mean_i (y_i - output_h(x_i without point i))^2

    Args:
        x: positions, shape (n,) or (n, features), n >= 2.
        y: observations, shape (n,).
        bandwidths: a list or 1-d tensor of positive bandwidths, in the units of x.
        kernel: as in `kernel_regression`.

    Returns:
        The mean squared error for each bandwidth, shape (len(bandwidths),), in the
        squared units of y. A point that no other point reaches is predicted as 0.
    """
    distances, others = _distances(x, x), _others(x)  # (n, n)
    outputs = [_average(distances / _like(h, x), y, kernel, others)[0] for h in bandwidths]
    return torch.stack([(y - output).square().mean() for output in outputs])


class NWKernelRegression(RemembersWeights):
    """Nadaraya-Watson regression with a learned scale w; 1 / |w| is the bandwidth.

    output_i = sum_j softmax_j(-((q_i - k_ij) w)^2 / 2) v_ij

    Source: Dive into Deep Learning, "Attention Pooling: Nadaraya-Watson Kernel Regression".
    """

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1))

    def forward(
        self, queries: Float[Tensor, "n"], keys: Float[Tensor, "n m"], values: Float[Tensor, "n m"]
    ) -> Tensor:
        """Predict one number per query, each from its own row of keys and values.

        Queries (n,), keys and values (n, m), of which row i belongs to query i; the predictions
        are (n,). The weights stay in `attention_weights`, (n, m).
        """
        scores = -(((queries.unsqueeze(1) - keys) * self.w) ** 2) / 2  # (n, m)
        output, weights = attend(scores.unsqueeze(1), values.unsqueeze(2))  # (n, 1, 1), (n, 1, m)
        self.attention_weights = weights.squeeze(1)
        return output.view(-1)  # (n,)


def _distances(a, b):
    """Euclidean distances (n, m) between the rows of a and b, or between scalars."""
    if a.dim() != b.dim():
        must = "have shapes (n,) and (m,), or (n, features) and (m, features)"
        got, use = f"{tuple(a.shape)} and {tuple(b.shape)}", "give both the same number of features"
        refuse("queries and keys", must, got, use)
    if a.dim() == 1:
        return (a.unsqueeze(1) - b).abs()
    return torch.linalg.vector_norm(a.unsqueeze(1) - b, dim=-1)


def _like(bandwidth, tensor):
    """The bandwidth as a number of the tensor's kind, which must not round it to 0."""
    smallest = torch.finfo(tensor.dtype).tiny
    if not known(bandwidth >= smallest, True):
        got = f"{shown(bandwidth)}: in {tensor.dtype} it would be 0"
        use = "use larger units or keys.double()"
        refuse("bandwidth", f"be at least {smallest:.1e}", got, use)
    return torch.as_tensor(bandwidth, dtype=tensor.dtype, device=tensor.device).reshape(())


def _average(u, values, kernel, mask=None):
    """The average of the values by K(u), and its weights (n, m); 0 where no kernel reaches."""
    kernel = KERNELS[kernel] if isinstance(kernel, str) else kernel
    if getattr(kernel, "__wrapped__", kernel) is gaussian:  # the public one is wrapped
        return attend(-(u**2) / 2, values, mask)  # as below, but far queries do not underflow
    weights = kernel(u)
    alike = torch.is_tensor(weights) and weights.shape == u.shape
    must = f"return a tensor of the shape it was given, {tuple(u.shape)}"
    need(alike, "kernel", must, weights)
    weights = weights.to(u.dtype) if mask is None else weights.to(u.dtype).masked_fill(~mask, 0)
    total = weights.sum(-1, keepdim=True)  # (n, 1)
    weights = weights / total.masked_fill(total == 0, 1)
    return weights @ values, weights


def _others(x):
    """The other points of each: (n, n), False on the diagonal."""
    need(len(x) > 1, "x and y", "hold at least 2 points", len(x))
    return ~torch.eye(len(x), dtype=torch.bool, device=x.device)
