"""The book's own code, to compare ours with."""

import sys
import types
from importlib.machinery import ModuleSpec

import torch


def load_d2l():
    """`d2l.torch`, which imports torchvision but never uses it in its attention code."""
    names = ("torchvision", "torchvision.transforms")
    missing = [name for name in names if name not in sys.modules]
    for name in missing:
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__spec__ = ModuleSpec(name, None)
    sys.modules[names[0]].transforms = sys.modules[names[1]]
    try:
        from d2l import torch as d2l
    finally:
        for name in missing:
            del sys.modules[name]
    return d2l


d2l = load_d2l()


def copy_parameters(source, target):
    """Give target the parameters of source, matched by name."""
    with torch.no_grad():
        theirs = dict(source.named_parameters())
        for name, parameter in target.named_parameters():
            parameter.copy_(theirs[name])


def gradients(output, *tensors):
    """Gradients of `weighted` output."""
    return torch.autograd.grad(weighted(output), tensors)


def weighted(output):
    """A weighted sum, so that no two elements count alike."""
    weights = torch.linspace(-1, 2, output.numel(), dtype=output.dtype).view(output.shape)
    return (output * weights).sum()


def assert_same(ours, theirs, tolerance=1e-6):
    """Same shape and, within tolerance, the same numbers."""
    torch.testing.assert_close(ours, theirs, atol=tolerance, rtol=tolerance)
