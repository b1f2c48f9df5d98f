"""Whether two results say the same, whatever they are made of."""

import torch

from .plain import Odd


def as_tensor(value):
    """A number, or a list of numbers or tensors, as a tensor; None for anything else."""
    if isinstance(value, torch.Tensor):
        return value
    try:
        if isinstance(value, (bool, int, float)):
            return torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None)
        if isinstance(value, list) and value:
            kinds = set(map(type, value))
            if kinds <= {bool, int, float}:  # 50 times as fast
                return torch.tensor(value, dtype=torch.float64 if float in kinds else None)
            return torch.stack([as_tensor(a) for a in value])
    except (TypeError, RuntimeError, OverflowError, ValueError):
        pass
    return None


def evidence(value):
    """How much a result can tell: how many numbers differ in it, or cells from the rest."""
    value = as_tensor(value)
    if value is None:
        return 1
    if not value.numel():
        return 0
    if value.dtype == torch.bool:
        return 1 + int(min(value.sum(), (~value).sum()))
    return len(value[value == value].unique())  # NaN tells nothing


def same(a, b, tolerance):
    """Whether two results say the same, whatever they are made of; b is as exact as its dtype."""
    if isinstance(a, (bool, int)) and isinstance(b, (bool, int)):
        return a == b
    if isinstance(a, (Odd, str)) or isinstance(b, (Odd, str)) or a is None or b is None:
        return type(a) is type(b) and a == b
    if isinstance(a, tuple) or isinstance(b, tuple):
        both = isinstance(a, tuple) and isinstance(b, (tuple, list)) and len(a) == len(b)
        return both and all(same(x, y, tolerance) for x, y in zip(a, b, strict=True))
    a, b = as_tensor(a), as_tensor(b)
    if a is None or b is None or a.shape != b.shape or a.is_complex() != b.is_complex():
        return False
    if a.is_complex():
        a, b = torch.view_as_real(a.resolve_conj()), torch.view_as_real(b.resolve_conj())
    if a.dim() and (a.dtype == torch.bool) != (b.dtype == torch.bool):
        return False
    if not (a.is_floating_point() or b.is_floating_point()):
        return torch.equal(a.long(), b.long())
    if not b.is_floating_point():  # a count, or True or False, is not nearly right
        return torch.equal(a.double(), b.double())
    atol = max(tolerance, 4 * torch.finfo(b.dtype).eps if b.is_floating_point() else 0.0)
    return torch.allclose(a.double(), b.double(), rtol=atol, atol=atol, equal_nan=True)


def kin(name):
    """Errors that the same mistake may raise, written in one way or another."""
    return "" if name in ("RuntimeError", "ValueError", "IndexError", "AssertionError") else name
