"""Input checks shared by all modules: each error names the argument, what was
expected, what came, and what to do about it.
"""

import torch


def shape_of(tensor):
    """The shape as a plain tuple, which reads better in a message than torch.Size."""
    return tuple(tensor.shape)


def check_floats(min_axes=0, **tensors):
    """Every argument is a floating-point tensor with enough axes; all share dtype and device."""
    first_name, first = next(iter(tensors.items()))
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(
                f"{name} must be a torch.Tensor, got {type(tensor).__name__}; "
                f"convert it with torch.tensor({name})"
            )
        if not tensor.is_floating_point():
            raise TypeError(
                f"{name} must hold floating-point numbers, got {tensor.dtype}; "
                f"convert it with {name}.float()"
            )
        if tensor.dim() < min_axes:
            raise ValueError(
                f"{name} must have at least {min_axes} axes, got shape {shape_of(tensor)}; "
                f"add the missing ones with {name}.unsqueeze(0)"
            )
        if tensor.device != first.device:
            raise ValueError(
                f"{name} must be on the device of {first_name}, {first.device}, "
                f"got {tensor.device}; move it with {name}.to({first_name}.device)"
            )
        # Autocast brings different dtypes together by itself.
        if tensor.dtype != first.dtype and not torch.is_autocast_enabled(tensor.device.type):
            raise TypeError(
                f"{name} must have the dtype of {first_name}, {first.dtype}, "
                f"got {tensor.dtype}; convert it with {name}.to({first_name}.dtype)"
            )


def check_projections(**pairs):
    """Every (tensor, nn.Linear) pair fits: the last axis and the dtype."""
    for name, (tensor, linear) in pairs.items():
        check_floats(min_axes=2, **{name: tensor})
        if tensor.shape[-1] != linear.in_features:
            raise ValueError(
                f"{name} must have size {linear.in_features} in the last axis, as this module "
                f"was built for, got shape {shape_of(tensor)}; build it for size "
                f"{tensor.shape[-1]} or pass other {name}"
            )
        if tensor.device != linear.weight.device:
            raise ValueError(
                f"{name} must be on the device of the module's weights, {linear.weight.device}, "
                f"got {tensor.device}; move one of them with .to(...)"
            )
        dtype = linear.weight.dtype
        if tensor.dtype != dtype and not torch.is_autocast_enabled(tensor.device.type):
            raise TypeError(
                f"{name} must have the dtype of the module's weights, {dtype}, "
                f"got {tensor.dtype}; convert one of them with .to(...)"
            )


def check_leading(**tensors):
    """The leading axes (all but the last two) fit together."""
    try:
        torch.broadcast_shapes(*(tensor.shape[:-2] for tensor in tensors.values()))
    except RuntimeError:
        shapes = ", ".join(f"{name} {shape_of(tensor)}" for name, tensor in tensors.items())
        raise ValueError(
            f"{' and '.join(tensors)} must agree in all axes but the last two, got {shapes}; "
            f"use one batch of the same size for all"
        ) from None


def check_counts(**sizes):
    """Every size is a positive int."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, (int, torch.SymInt)):
            raise TypeError(f"{name} must be an int, got {type(size).__name__} ({size!r})")
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")


def check_divisible(num_hiddens, num_heads, name="num_hiddens"):
    """The width splits evenly into heads."""
    check_counts(num_heads=num_heads, **{name: num_hiddens})
    if num_hiddens % num_heads:
        lower = num_hiddens - num_hiddens % num_heads
        fitting = f"{lower} or {lower + num_heads}" if lower else f"{num_heads}"
        raise ValueError(
            f"{name} must be divisible by num_heads, got {num_hiddens} and {num_heads}; "
            f"{fitting} would do"
        )
