"""Products of matrices and vectors."""

import math

import numpy as np

from . import dtypes
from .each import operator
from .tensors import FUNCTIONS, Tensor, fit, shared, unsupported, wide, wrap


def _same_kind(a, b):
    if a.dtype != b.dtype:
        names = [str(dtypes.of(x))[6:].replace("float32", "float").replace("float64", "double")
                 .replace("int64", "long") for x in (a, b)]  # fmt: skip
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}"
        )


def times(a, b):
    """The matrix product of arrays whose shapes fit."""
    return np.asarray(np.matmul(wide(a), wide(b))).astype(a.dtype, copy=False)


@shared
def matmul(input, other):
    if not isinstance(other, Tensor):
        kind = type(other).__name__
        raise TypeError(f"matmul(): argument 'other' (position 2) must be Tensor, not {kind}")
    a, b = input.a, other.a
    if not a.ndim or not b.ndim:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D"
        )
    _fit_product(a, b)
    if a.dtype.kind == "b" and b.ndim > 2:
        raise unsupported("bmm", a)
    _same_kind(a, b)
    if a.dtype.kind == "b":
        raise unsupported("addmm_impl_cpu_", a)
    return wrap(times(a, b))


def _fit_product(a, b):
    """Raise torch's error where two arrays have no product."""
    inner, outer = a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0]
    if inner == outer:
        fit(np.broadcast_to(0, a.shape[:-2]), np.broadcast_to(0, b.shape[:-2]))
        return
    if a.ndim == b.ndim == 1:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor {list(a.shape)} and src {list(b.shape)} to "
            f"have the same number of elements, but got {inner} and {outer} elements respectively"
        )
    if b.ndim == 1:
        rows = "x".join(map(str, a.shape))
        raise RuntimeError(f"size mismatch, got input ({a.shape[0]}), mat ({rows}), vec ({outer})")
    if b.ndim == 2 or a.ndim < 3:
        rows = math.prod(a.shape[:-1])
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {outer}x{b.shape[-1]})"
        )
    batch = math.prod(fit(np.broadcast_to(0, a.shape[:-2]), np.broadcast_to(0, b.shape[:-2])))
    raise RuntimeError(
        f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {inner}] but "
        f"got: [{batch}, {outer}]."
    )


operator("matmul", matmul, "matmul")


def _product(name, axes_a, axes_b):
    def operation(input, other):
        if input.a.ndim != axes_a or (other.a.ndim != axes_b):
            which = "batch1" if input.a.ndim != axes_a else "batch2"
            told = {"bmm": f"{which} must be a 3D tensor",
                    "mm": f"self must be a matrix, mat1 is {input.a.ndim}D",
                    "mv": f"vector + matrix @ vector expected, mat1 is {input.a.ndim}D",
                    "dot": f"1D tensors expected, but got {input.a.ndim}D and {other.a.ndim}D "
                           "tensors"}  # fmt: skip
            raise RuntimeError(told[name])
        if name == "bmm" and input.a.shape[0] != other.a.shape[0]:
            raise RuntimeError(
                "Expected size for first two dimensions of batch2 tensor to be: "
                f"{[input.a.shape[0], input.a.shape[2]]} but got: {list(other.a.shape[:2])}."
            )
        return matmul(input, other)

    shared(operation, name=name)


_product("bmm", 3, 3)
_product("mm", 2, 2)
_product("mv", 2, 1)
_product("dot", 1, 1)


@shared
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return beta * input + alpha * (batch1 @ batch2)


@shared
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    return beta * input + alpha * FUNCTIONS["mm"](mat1, mat2)


@shared
def outer(input, vec2):
    if input.a.ndim != 1 or vec2.a.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {input.a.ndim}-D")
    return input.unsqueeze(1) * vec2


shared(outer, name="ger")


@shared
def inner(input, other):
    if not input.a.ndim or not other.a.ndim:
        return input * other
    _same_kind(input.a, other.a)
    if input.a.shape[-1] != other.a.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors")
    return wrap(np.asarray(np.inner(input.a, other.a)))


@shared
def kron(input, other):
    return wrap(np.kron(input.a, other.a))


@shared
def matrix_power(input, n):
    return wrap(np.linalg.matrix_power(input.a, n))
