"""Products of matrices and vectors."""

import math

import numpy as np

from . import dtypes
from .each import operator
from .tensors import joint, need, need_tensor, shared, supported, wide, wrap


def _same_kind(a, b):
    old = {new: name for name, new in dtypes.OTHER_NAMES.items()}
    one, other = (old.get(dtypes.of(x).name, dtypes.of(x).name) for x in (a, b))
    told = f"expected m1 and m2 to have the same dtype, but got: {one} != {other}"
    need(a.dtype == b.dtype, told)


def times(a, b):
    """The matrix product of arrays whose shapes fit."""
    return np.asarray(np.matmul(wide(a), wide(b))).astype(a.dtype, copy=False)


@shared
def matmul(input, other):
    need_tensor(other, "matmul")
    a, b = input.a, other.a
    told = f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D"
    need(a.ndim and b.ndim, told)
    _fit_product(a, b)
    supported(a.dtype.kind != "b" or b.ndim < 3, "bmm", a)
    _same_kind(a, b)
    supported(a.dtype.kind != "b", "addmm_impl_cpu_", a)
    return wrap(times(a, b))


def _fit_product(a, b):
    """Raise torch's error where two arrays have no product."""
    inner, outer = a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0]
    if inner == outer:
        joint(a.shape[:-2], b.shape[:-2])
        return
    told = f"{list(a.shape)} and src {list(b.shape)} to have the same number of elements"
    need(a.ndim + b.ndim > 2, f"inconsistent tensor size, expected tensor {told}")
    rows, count = "x".join(map(str, a.shape)), math.prod(a.shape[:-1])
    need(b.ndim > 1, f"size mismatch, got input ({a.shape[0]}), mat ({rows}), vec ({outer})")
    told = f"({count}x{inner} and {outer}x{b.shape[-1]})"
    need(b.ndim > 2 < a.ndim, f"mat1 and mat2 shapes cannot be multiplied {told}")
    batch = math.prod(joint(a.shape[:-2], b.shape[:-2]))
    _fit_batches([batch, inner], [batch, outer])


def _fit_batches(wanted, got):
    told = f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {got}"
    need(wanted == got, f"{told}.")


operator("matmul", matmul, "matmul")


def _product(name, axes_a, axes_b, wrong):
    def operation(input, other):
        axes = input.a.ndim, other.a.ndim
        need(axes == (axes_a, axes_b), wrong.format(*axes, 1 + (axes[0] == axes_a)))
        if name == "bmm":
            _fit_batches([input.a.shape[0], input.a.shape[2]], list(other.a.shape[:2]))
        return matmul(input, other)

    shared(operation, name=name)


_product("bmm", 3, 3, "batch{2} must be a 3D tensor")
_product("mm", 2, 2, "self must be a matrix, mat1 is {0}D")
_product("mv", 2, 1, "vector + matrix @ vector expected, mat1 is {0}D")
_product("dot", 1, 1, "1D tensors expected, but got {0}D and {1}D tensors")


@shared
def outer(input, vec2):
    fine = input.a.ndim == vec2.a.ndim == 1
    need(fine, f"outer: Expected 1-D argument self, but got {input.a.ndim}-D")
    return input.unsqueeze(1) * vec2


@shared
def inner(input, other):
    if not input.a.ndim or not other.a.ndim:
        return input * other
    _same_kind(input.a, other.a)
    same = input.a.shape[-1] == other.a.shape[-1]
    need(same, "inner() the last dimension must match on both input tensors")
    return wrap(np.inner(input.a, other.a))
