"""Operations that make one number of many: sums, extremes, softmax, running totals."""

import builtins
import collections
import warnings

import numpy as np

from . import dtypes
from .dtypes import BOOL, REAL, WHOLE, category
from .tensors import (
    FUNCTIONS,
    Tensor,
    axes_of,
    axis,
    need,
    need_real,
    shared,
    supported,
    whole,
    wide,
    wrap,
)


def _reduced(name, function, least=BOOL, whole=None):
    """A reduction; whole: the dtype of the result for whole numbers."""

    def operation(input, dim=None, keepdim=False, dtype=None):
        a = _converted(input, dtype)
        told = "Input dtype must be either a floating point or complex dtype."
        need(category(a.dtype) >= least, f"{name}(): {told} Got: {dtypes.called(a)}")
        kind = whole if whole and dtype is None and category(a.dtype) <= WHOLE else a.dtype
        made = function(wide(a).astype(kind if kind != np.float16 else np.float32, copy=False),
                        axis=axes_of(dim, a.ndim), keepdims=keepdim)  # fmt: skip
        return wrap(made.astype(kind, copy=False))

    shared(operation, name=name)


_reduced("sum", np.sum, whole=np.dtype(np.int64))
_reduced("mean", np.mean, least=REAL)
_reduced("nanmean", np.nanmean, least=REAL)
_reduced("prod", np.prod, whole=np.dtype(np.int64))
_reduced("amax", np.max)
_reduced("amin", np.min)


def _any_or_all(name, function):
    def operation(input, dim=None, keepdim=False):
        return wrap(function(input.a, axis=axes_of(dim, input.a.ndim), keepdims=keepdim))

    shared(operation, name=name)


_any_or_all("any", np.any)
_any_or_all("all", np.all)


Pair = collections.namedtuple("Pair", "values indices")
MinMax = collections.namedtuple("MinMax", "min max")


def pair(values, indices):
    """Values and their places, as torch gives them."""
    return Pair(wrap(values), wrap(whole(indices)))


EMPTY = "{}(): Expected reduction dim to be specified for input.numel() == 0."


def _extreme(name, one, place, of_two):
    def operation(input, dim=None, keepdim=False, other=None):
        if isinstance(dim, Tensor) or other is not None:
            return FUNCTIONS[of_two](input, dim if other is None else other)
        if dim is None:
            need(input.a.size, EMPTY.format(name))
            return wrap(one(input.a))
        along = axis(dim, input.a.ndim)
        if not input.a.ndim:
            return pair(input.a, 0)
        told = f"Expected reduction dim {dim} to have non-zero size."
        need(input.a.shape[along], told, IndexError)
        return picked(input.a, place(input.a, along, keepdims=True), along, keepdim)

    def at(input, dim=None, keepdim=False):
        need(input.a.dtype.kind != "b", f"arg{name}(): does not support bool input")
        if dim is None:
            need(input.a.size, EMPTY.format(f"arg{name}"), IndexError)
            return wrap(whole(place(input.a)))
        return operation(input, dim, keepdim).indices

    shared(operation, name=name)
    shared(at, name=f"arg{name}")


def picked(a, places, dim, keepdim):
    """The numbers at one place along an axis, and the places, with that axis or without."""
    if not a.ndim:
        return pair(a, places)
    values = np.take_along_axis(a, places, dim)
    return pair(*(x if keepdim else x.squeeze(dim) for x in (values, places)))


_extreme("max", np.max, np.argmax, "maximum")
_extreme("min", np.min, np.argmin, "minimum")


@shared
def aminmax(input, *, dim=None, keepdim=False):
    return MinMax(*(FUNCTIONS[name](input, dim, keepdim) for name in ("amin", "amax")))


def _spread(name, root):
    def operation(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, builtins.bool):
            dim, unbiased = None, dim
        told = f"{name} and {name}_mean: only support floating point and complex dtypes"
        need(category(input.a.dtype) >= REAL, told)
        less = correction if correction is not None else builtins.int(unbiased)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dims = axes_of(dim, input.a.ndim)
            made = np.var(wide(input.a), axis=dims, keepdims=keepdim, ddof=less)
        return wrap((np.sqrt(made) if root else made).astype(input.a.dtype))

    shared(operation, name=name)


_spread("std", True)
_spread("var", False)


@shared
def norm(input, p="fro", dim=None, keepdim=False):
    told = "linalg.vector_norm: Expected a floating point or complex tensor as input."
    need(category(input.a.dtype) >= REAL, f"{told} Got {dtypes.called(input.a)}")
    how = {"axis": axes_of(dim, input.a.ndim), "keepdims": keepdim}
    made = np.linalg.vector_norm(wide(input.a), ord=2 if p in ("fro", None) else p, **how)
    return wrap(made.astype(input.a.real.dtype))


def _converted(input, dtype):
    return input.a if dtype is None else input.a.astype(dtype.numpy)


@shared
def softmax(input, dim, dtype=None):
    a = _converted(input, dtype)
    dim = axis(dim, a.ndim)
    need_real("softmax_lastdim_kernel_impl", a, True)
    if not a.size or not a.ndim:
        return wrap(np.ones_like(a))
    b = wide(a)
    e = np.exp(b - b.max(dim, keepdims=True))
    return wrap(np.ascontiguousarray((e / e.sum(dim, keepdims=True)).astype(a.dtype)))


@shared
def log_softmax(input, dim, dtype=None):
    a = _converted(input, dtype)
    axis(dim, a.ndim)
    need_real("log_softmax_lastdim_kernel_impl", a)
    b = wide(a)
    less = b - b.max(dim, keepdims=True)
    return wrap((less - np.log(np.exp(less).sum(dim, keepdims=True))).astype(a.dtype))


@shared
def logsumexp(input, dim, keepdim=False):
    a = input.a.astype(dtypes.real(input.a.dtype), copy=False)
    dims, b = axes_of(dim, a.ndim), wide(a)
    top = b.max(dims, keepdims=True)
    top = np.where(np.isfinite(top), top, 0).astype(b.dtype)
    made = np.log(np.exp(b - top).sum(dims, keepdims=True)) + top
    return wrap((made if keepdim else made.squeeze(dims)).astype(a.dtype))


def _running(name, function):
    def operation(input, dim, dtype=None):
        a = _converted(input, dtype)
        kind = np.dtype(np.int64) if category(a.dtype) <= WHOLE and dtype is None else a.dtype
        along = axis(dim, a.ndim)
        supported(a.dtype.kind != "b" or name != "logcumsumexp", name, a)
        return wrap(function(a.astype(kind), axis=along).astype(kind) if a.ndim else a.astype(kind))

    shared(operation, name=name, inplace=True)


_running("cumsum", np.cumsum)
_running("cumprod", np.cumprod)
_running("logcumsumexp", np.logaddexp.accumulate)


@shared
def cummax(input, dim):
    a, dim = input.a, axis(dim, input.a.ndim)
    values = np.maximum.accumulate(a, axis=dim)
    steps = np.arange(a.shape[dim]).reshape([-1 if i == dim else 1 for i in range(a.ndim)])
    return pair(values, np.maximum.accumulate(np.where(a == values, steps, 0), axis=dim))


@shared
def diff(input, n=1, dim=-1, prepend=None, append=None):
    ends = {k: v.a for k, v in (("prepend", prepend), ("append", append)) if v is not None}
    return wrap(np.diff(input.a, n, axis(dim, input.a.ndim), **ends))


@shared
def count_nonzero(input, dim=None):
    return wrap(whole(np.count_nonzero(input.a, axis=axes_of(dim, input.a.ndim))))


@shared
def median(input, dim=None, keepdim=False):
    a = input.a.reshape(-1) if dim is None else input.a
    supported(a.dtype.kind != "b", "median_cpu", a)
    along = 0 if dim is None else axis(dim, a.ndim)
    middle = np.argsort(a, along, kind="stable").take([(a.shape[along] - 1) // 2], along)
    if np.isnan(a).any():
        first = np.isnan(a).argmax(along, keepdims=True)
        middle = np.where(np.isnan(a).any(along, keepdims=True), first, middle)
    found = picked(a, middle, along, keepdim)
    return found.values if dim is None else found


@shared
def bincount(input, weights=None, minlength=0):
    told = "bincount only supports 1-d non-negative integral inputs."
    need(input.a.ndim == 1 and input.a.dtype.kind in "iu", told)
    made = np.bincount(input.a.astype(np.intp), None if weights is None else weights.a, minlength)
    return wrap(whole(made) if weights is None else made.astype(weights.a.dtype))


@shared
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    made = np.unique(input.a, return_inverse=return_inverse, return_counts=return_counts,
                     axis=dim, equal_nan=False)  # fmt: skip
    if not isinstance(made, tuple):
        return wrap(made)
    return (wrap(made[0]), *(wrap(whole(count)) for count in made[1:]))
