"""Operations that take numbers from places, write to places, or put them into an order."""

import builtins

import numpy as np

from .missing import Missing
from .tensors import axis, bare, held, place_of, same_dtype, shared, whole, wrap
from .totals import pair


@shared
def gather(input, dim, index):
    if not input.a.ndim:
        input, index = wrap(input.a.reshape(1)), wrap(index.a.reshape(-1))
        return gather(input, dim, index).reshape(index.shape if index.a.size > 1 else ())
    return wrap(np.take_along_axis(_as_large(input, dim, index), index.a, axis(dim, input.ndim)))


def _as_large(input, dim, index):
    """The part of an array that an index, which may be smaller, speaks of."""
    if index.a.dtype != np.int64:
        raise RuntimeError("gather(): Expected dtype int64 for index")
    if index.a.ndim != input.a.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    dim = axis(dim, input.a.ndim)
    for i, n in enumerate(index.a.shape):
        if i != dim and n > input.a.shape[i]:
            raise RuntimeError(
                f"Size does not match at dimension {i} expected index {list(index.shape)} to be "
                f"no larger than self {list(input.shape)} apart from dimension {dim}"
            )
    part = input.a[tuple(slice(None) if i == dim else slice(n)
                         for i, n in enumerate(index.a.shape))]  # fmt: skip
    if index.a.size and not (index.a.min() >= 0 and index.a.max() < part.shape[dim]):
        raise RuntimeError(
            f"index {index.a.max()} is out of bounds for dimension {dim} with size "
            f"{part.shape[dim]}"
        )
    return part


@shared
def take_along_dim(input, indices, dim=None):
    if dim is None:
        return wrap(input.a.reshape(-1)[indices.a.reshape(-1)])
    return wrap(np.take_along_axis(input.a, indices.a, dim))


def _scatter(input, dim, index, src=None, value=None, reduce=None):
    if reduce is not None:
        raise Missing("argument reduce= of scatter")
    if not input.a.ndim:
        at, src = wrap(index.a.reshape(-1)), src if src is None else src.reshape(-1)
        return _scatter(input.reshape(1), dim, at, src, value).reshape(())
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
    if index.a.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    dim = axis(dim, input.a.ndim)
    if index.a.size and (index.a.max() >= input.a.shape[dim] or index.a.min() < 0):
        raise IndexError("index out of range in self")
    return wrap(np.take(input.a, index.a.reshape(-1).astype(np.intp), dim))


@shared(inplace=True)
def index_fill(input, dim, index, value):
    made = input.a.copy()
    made[(slice(None),) * axis(dim, made.ndim) + (index.a,)] = held(bare(value), made.dtype)
    return wrap(made)


@shared(inplace=True)
def index_copy(input, dim, index, source):
    made = input.a.copy()
    made[(slice(None),) * axis(dim, made.ndim) + (index.a,)] = source.a
    return wrap(made)


@shared(inplace=True)
def index_add(input, dim, index, source, alpha=1):
    made = input.a.copy()
    np.add.at(made, (slice(None),) * axis(dim, made.ndim) + (index.a,), alpha * source.a)
    return wrap(made)


@shared(inplace=True)
def index_put(input, indices, values, accumulate=False):
    same_dtype(input.a, values)
    made, key = input.a.copy(), tuple(place_of(i) for i in indices)
    if accumulate:
        np.add.at(made, key, values.a)
    else:
        made[key] = values.a
    return wrap(made)


@shared
def take(input, index):
    return wrap(input.a.reshape(-1)[index.a])


@shared
def nonzero(input, as_tuple=False):
    if not input.a.ndim:
        found = (np.flatnonzero(input.a),)
        return (
            tuple(wrap(whole(x)) for x in found)
            if as_tuple
            else wrap(np.zeros((len(found[0]), 0), np.int64))
        )
    found = input.a.nonzero()
    return tuple(wrap(whole(x)) for x in found) if as_tuple else wrap(whole(np.stack(found, -1)))


shared(lambda input: nonzero(input), name="argwhere")


def _order(a, dim, descending):
    if not descending:
        return whole(np.argsort(a, dim, kind="stable"))
    backwards = np.argsort(np.flip(a, dim), dim, kind="stable")
    return whole(np.flip(a.shape[dim] - 1 - backwards, dim))


@shared
def sort(input, dim=-1, descending=False, stable=False):
    if not input.a.ndim:
        return pair(input.a, np.asarray(0))
    dim = axis(dim, input.a.ndim)
    order = _order(input.a, dim, descending)
    return pair(np.take_along_axis(input.a, order, dim), order)


@shared
def argsort(input, dim=-1, descending=False, stable=False):
    return (
        wrap(_order(input.a, axis(dim, input.a.ndim), descending))
        if input.a.ndim
        else wrap(whole(0))
    )


@shared
def topk(input, k, dim=-1, largest=True, sorted=True):
    dim, k = axis(dim, input.a.ndim), builtins.int(k)
    if not 0 <= k <= (input.a.shape[dim] if input.a.ndim else 1):
        raise RuntimeError("selected index k out of range")
    order = _order(input.a, dim, largest).take(range(k), dim)
    return pair(np.take_along_axis(input.a, order, dim), order)


@shared
def kthvalue(input, k, dim=-1, keepdim=False):
    dim = axis(dim, input.a.ndim)
    order = _order(input.a, dim, False).take([k - 1], dim)
    values = np.take_along_axis(input.a, order, dim)
    if not keepdim:
        values, order = values.squeeze(dim), order.squeeze(dim)
    return pair(values, order)
