"""Operations that take numbers from places, write to places, or put them into an order."""

import builtins

import numpy as np

from .missing import Missing
from .tensors import axis, bare, held, need, place_of, same_dtype, shared, whole, wrap
from .totals import pair, picked


@shared
def gather(input, dim, index):
    return wrap(np.take_along_axis(_as_large(input, dim, index), index.a, axis(dim, input.ndim)))


def _as_large(input, dim, index):
    """The part of an array that an index, which may be smaller, speaks of."""
    need(input.a.ndim, "gather or scatter in a single number", Missing)
    need(index.a.dtype == np.int64, "gather(): Expected dtype int64 for index")
    same = index.a.ndim == input.a.ndim
    need(same, "Index tensor must have the same number of dimensions as input tensor")
    dim = axis(dim, input.a.ndim)
    for i, n in enumerate(index.a.shape):
        told = f"no larger than self {list(input.shape)} apart from dimension {dim}"
        need(i == dim or n <= input.a.shape[i],
             f"Size does not match at dimension {i} expected index to be {told}")  # fmt: skip
    part = input.a[tuple(slice(None) if i == dim else slice(n)
                         for i, n in enumerate(index.a.shape))]  # fmt: skip
    most, size = index.a.max(initial=0), part.shape[dim]
    fine = not index.a.size or (index.a.min() >= 0 and most < size)
    need(fine, f"index {most} is out of bounds for dimension {dim} with size {size}")
    return part


@shared
def take_along_dim(input, indices, dim=None):
    if dim is None:
        return wrap(input.a.reshape(-1)[indices.a.reshape(-1)])
    return wrap(np.take_along_axis(input.a, indices.a, dim))


def _scatter(input, dim, index, src=None, value=None, reduce=None):
    if reduce is not None:
        raise Missing("argument reduce= of scatter")
    made = input.a.copy()
    part = _as_large(wrap(made), dim, index)
    source = value if src is None else src
    given = held(bare(source), made.dtype)
    if given.ndim:
        given = given[tuple(map(slice, index.a.shape))]
    np.put_along_axis(part, index.a, given, axis(dim, made.ndim))
    return wrap(made)


shared(_scatter, name="scatter", inplace=True)


@shared(inplace=True)
def scatter_add(input, dim, index, src):
    made = input.a.copy()
    part, dim = _as_large(wrap(made), dim, index), axis(dim, made.ndim)
    where = list(np.indices(index.a.shape))
    where[dim] = index.a
    np.add.at(part, tuple(where), src.a[tuple(map(slice, index.a.shape))])
    return wrap(made)


@shared
def index_select(input, dim, index):
    need(index.a.ndim < 2, "index_select(): Index is supposed to be a vector", IndexError)
    dim = axis(dim, input.a.ndim)
    fine = index.a.max(initial=-1) < input.a.shape[dim] and index.a.min(initial=0) >= 0
    need(fine, "index out of range in self", IndexError)
    return wrap(np.take(input.a, index.a.reshape(-1).astype(np.intp), dim))


@shared(inplace=True)
def index_fill(input, dim, index, value):
    return index_copy(input, dim, index, wrap(held(bare(value), input.a.dtype)))


@shared(inplace=True)
def index_copy(input, dim, index, source):
    made = input.a.copy()
    made[_along(made, dim, index)] = source.a
    return wrap(made)


@shared(inplace=True)
def index_add(input, dim, index, source, alpha=1):
    made = input.a.copy()
    np.add.at(made, _along(made, dim, index), alpha * source.a)
    return wrap(made)


def _along(array, dim, index):
    """The key of these places along an axis."""
    return (slice(None),) * axis(dim, array.ndim) + (index.a,)


@shared(inplace=True)
def index_put(input, indices, values, accumulate=False):
    same_dtype(input, values)
    made, key = input.a.copy(), tuple(map(place_of, indices))
    if accumulate:
        np.add.at(made, key, values.a)
    else:
        made[key] = values.a
    return wrap(made)


@shared
def nonzero(input, as_tuple=False):
    if not as_tuple:
        return wrap(whole(np.argwhere(input.a)))
    return tuple(wrap(whole(x)) for x in np.atleast_1d(input.a).nonzero())


for _name, _function in {
    "argwhere": lambda input: nonzero(input),
    "take": lambda input, index: wrap(input.a.reshape(-1)[index.a]),
}.items():  # of one expression each
    shared(_function, name=_name)


def _order(a, dim, descending):
    if not descending:
        return whole(np.argsort(a, dim, kind="stable"))
    backwards = np.argsort(np.flip(a, dim), dim, kind="stable")
    return whole(np.flip(a.shape[dim] - 1 - backwards, dim))


@shared
def sort(input, dim=-1, descending=False, stable=False):
    if not input.a.ndim:
        return pair(input.a, 0)
    dim = axis(dim, input.a.ndim)
    return picked(input.a, _order(input.a, dim, descending), dim, True)


@shared
def argsort(input, dim=-1, descending=False, stable=False):
    return sort(input, dim, descending).indices


@shared
def topk(input, k, dim=-1, largest=True, sorted=True):
    dim, k = axis(dim, input.a.ndim), builtins.int(k)
    most = input.a.shape[dim] if input.a.ndim else 1
    need(0 <= k <= most, "selected index k out of range")
    need(input.a.dtype.kind != "b", "topk does not support bool dtypes on CPU")
    return picked(input.a, _order(input.a, dim, largest).take(range(k), dim), dim, True)
