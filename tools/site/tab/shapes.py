"""Operations that give a tensor another shape: most of them look at the same memory."""

import builtins
import math

import numpy as np

from . import dtypes
from .tensors import (
    FUNCTIONS,
    Tensor,
    axes_of,
    axis,
    bare,
    fit,
    held,
    need,
    need_wider,
    shared,
    sizes,
    wrap,
    written,
)


def _reshape(self, *shape):
    return wrap(self.a.reshape(_wanted(self.a, shape)))


def _wanted(a, shape):
    """The shape that is asked for, -1 filled in."""
    wanted = sizes(shape)
    known = math.prod(n for n in wanted if n != -1)
    need(wanted.count(-1) < 2, "only one dimension can be inferred")
    need(all(n >= -1 for n in wanted), f"invalid shape dimension in {list(wanted)}")
    fits = a.size == known if -1 not in wanted else known and a.size % known == 0
    need(fits, f"shape '{list(wanted)}' is invalid for input of size {a.size}")
    return tuple(a.size // known if n == -1 else n for n in wanted)


def _view(self, *shape):
    if len(shape) == 1 and isinstance(shape[0], dtypes.dtype):
        return wrap(self.a.view(shape[0].numpy))
    wanted, seen = _wanted(self.a, shape), self.a.view()
    try:
        seen.shape = wanted
    except AttributeError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride. Use .reshape(...)"
        ) from None
    return wrap(seen)


Tensor.view = _view
Tensor.reshape = _reshape
FUNCTIONS["reshape"] = lambda input, shape: _reshape(input, shape)
Tensor.view_as = lambda self, other: _view(self, *other.shape)
Tensor.reshape_as = lambda self, other: _reshape(self, *other.shape)


@shared
def transpose(input, dim0, dim1):
    one, other = axis(dim0, input.a.ndim), axis(dim1, input.a.ndim)
    return wrap(input.a.swapaxes(one, other)) if input.a.ndim else input


shared(transpose, name="swapaxes")


@shared
def t(input):
    need(input.a.ndim < 3, f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return wrap(input.a.T)


@shared
def permute(input, *dims):
    order = sizes(dims)
    told = "permute: number of dimensions in the tensor input does not match the length of the"
    need(len(order) == input.a.ndim, f"{told} ordering: {input.a.ndim}, and {len(order)}")
    return wrap(input.a.transpose([axis(d, input.a.ndim) for d in order]))


@shared
def squeeze(input, dim=None):
    dims = axes_of(dim, input.a.ndim)
    return wrap(input.a.squeeze(tuple(d for d in dims if input.a.shape[d] == 1)))


def _become(name):
    def method(self, *given, **named):
        self.a = getattr(self, name)(*given, **named).a
        return self

    return method


for _name in ("unsqueeze", "squeeze", "t", "transpose"):
    setattr(Tensor, f"{_name}_", _become(_name))


def _expand(self, *shape):
    wanted, here = list(sizes(shape)), list(self.a.shape)
    ahead = len(wanted) - len(here)
    full = [here[i - ahead] if n == -1 and 0 <= ahead <= i else n for i, n in enumerate(wanted)]
    need_wider(here, full)
    told = "-1 is not allowed in a leading, non-existing dimension"
    need(all(n >= 0 for n in full), f"expand(Tensor{{{here}}}, size={wanted}): {told}")
    seen = np.broadcast_to(self.a, full)
    seen.flags.writeable = self.a.flags.writeable
    return wrap(seen)


Tensor.expand = _expand
Tensor.expand_as = lambda self, other: _expand(self, *other.shape)
FUNCTIONS["broadcast_to"] = Tensor.broadcast_to = lambda input, size: _expand(input, *size)
FUNCTIONS["broadcast_tensors"] = lambda *tensors: tuple(
    _expand(x, *fit(*(y.a for y in tensors))) for x in tensors
)


def _repeat(self, *times):
    times = sizes(times)
    told = "Number of dimensions of repeat dims can not be smaller than number of dimensions"
    need(len(times) >= self.a.ndim, f"{told} of tensor")
    return wrap(np.tile(self.a, times))


Tensor.repeat = _repeat


@shared
def repeat_interleave(input, repeats, dim=None):
    along = None if dim is None else axis(dim, input.a.ndim)
    return wrap(np.repeat(input.a, np.asarray(bare(repeats), np.intp), along))


@shared
def flatten(input, start_dim=0, end_dim=-1):
    first, last = axis(start_dim, input.a.ndim), axis(end_dim, input.a.ndim)
    need(first <= last, "flatten() has invalid args: start_dim cannot come after end_dim")
    shape = input.a.shape
    joined = math.prod(shape[first : last + 1])
    return wrap(input.a.reshape((*shape[:first], joined, *shape[last + 1 :])))


@shared
def unflatten(input, dim, sizes):
    dim, shape = axis(dim, input.a.ndim), input.a.shape
    given = list(globals()["sizes"]((sizes,)))
    rest = math.prod(n for n in given if n != -1)
    full = [shape[dim] // rest if n == -1 else n for n in given]
    told = f"don't multiply up to the size of dim {dim} ({shape[dim]}) in the input tensor"
    need(math.prod(full) == shape[dim], f"unflatten: Provided sizes {given} {told}")
    return wrap(input.a.reshape((*shape[:dim], *full, *shape[dim + 1 :])))


@shared
def roll(input, shifts, dims=None):
    along = None if dims is None else axes_of(dims, input.a.ndim)
    return wrap(np.roll(input.a, bare(shifts), along))


@shared
def flip(input, *dims):
    axes = tuple(axis(d, input.a.ndim) for d in sizes(dims))  # none for ()
    return wrap(np.flip(input.a, axes if input.a.ndim else ()).copy())


@shared
def chunk(input, chunks, dim=0):
    length = input.a.shape[axis(dim, input.a.ndim)]
    return split(input, max(-(-length // chunks), 1), dim)


@shared
def split(input, split_size_or_sections, dim=0):
    dim = axis(dim, input.a.ndim)
    length, step = input.a.shape[dim], split_size_or_sections
    if isinstance(step, (list, tuple)):
        told = f"split_sizes to sum exactly to {length}, but got split_sizes={list(step)}"
        need(sum(step) == length, f"split_with_sizes expects {told}")
        ends = np.cumsum(step)[:-1]
    else:
        ends = range(step, length, step)
    return tuple(map(wrap, np.split(input.a, ends, dim)))


Tensor.split = lambda self, split_size, dim=0: FUNCTIONS["split"](self, split_size, dim)


@shared
def narrow(input, dim, start, length):
    fits = start + length <= input.a.shape[dim]
    need(fits, f"start ({start}) + length ({length}) exceeds dimension size")
    return wrap(input.a[(slice(None),) * axis(dim, input.a.ndim) + (slice(start, start + length),)])


@shared
def select(input, dim, index):
    dim = axis(dim, input.a.ndim)
    fits = -input.a.shape[dim] <= index < input.a.shape[dim]
    need(fits, f"select(): index {index} out of range", IndexError)
    return wrap(input.a[(slice(None),) * dim + (index, ...)])


def _unfold(self, dimension, size, step):
    seen = np.lib.stride_tricks.sliding_window_view(self.a, size, dimension, writeable=True)
    return wrap(seen[(slice(None),) * axis(dimension, self.a.ndim) + (slice(None, None, step),)])


Tensor.unfold = _unfold


def _triangle(name, function):
    def operation(input, diagonal=0):
        need(input.a.ndim > 1, f"{name}: input tensor must have at least 2 dimensions")
        fine = isinstance(diagonal, (builtins.int, np.integer, Tensor))
        told = f"argument 'diagonal' must be int, not {type(diagonal).__name__}"
        need(fine, told, TypeError)
        return wrap(function(input.a, builtins.int(diagonal)))

    shared(operation, name=name, inplace=True)


_triangle("tril", np.tril)
_triangle("triu", np.triu)


@shared
def diagonal(input, offset=0, dim1=0, dim2=1):
    axes = input.a.ndim
    seen = np.diagonal(input.a, offset, axis(dim1, axes), axis(dim2, axes))
    seen.flags.writeable = input.a.flags.writeable
    return wrap(seen)


@shared
def diag(input, diagonal=0):
    need(input.a.ndim < 3, f"diag(): Supports 1D or 2D tensors. Got {input.a.ndim}D")
    return wrap(np.diag(input.a, diagonal).copy())


for _name, _function in {
    "unsqueeze": lambda input, dim: wrap(np.expand_dims(input.a, axis(dim, input.a.ndim, 1))),
    "tile": lambda input, *dims: wrap(np.tile(input.a, sizes(dims))),
    "rot90": lambda input, k=1, dims=(0, 1): wrap(np.rot90(input.a, k, dims).copy()),
    "unbind": lambda input, dim=0: tuple(wrap(np.moveaxis(input.a, axis(dim, input.a.ndim), 0))),
    "trace": lambda input: wrap(np.trace(input.a)),
    "movedim": lambda input, source, destination: wrap(np.moveaxis(input.a, source, destination)),
    "ravel": lambda input: flatten(input),
}.items():  # of one expression each
    shared(_function, name=_name)


@shared
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    length = input.a.shape[-1]
    size, rows = length + abs(offset), np.arange(length) + max(-offset, 0)
    made = np.zeros((*input.a.shape[:-1], size, size), input.a.dtype)
    made[..., rows, rows + offset] = input.a
    return wrap(np.moveaxis(made, (-2, -1), (dim1, dim2)))


def _fill_diagonal(self, fill_value, wrap=False):
    np.fill_diagonal(written(self.a), held(bare(fill_value), self.a.dtype), wrap)
    return self


Tensor.fill_diagonal_ = _fill_diagonal
