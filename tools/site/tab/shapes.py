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
    shared,
    sizes,
    wrap,
    written,
)


@shared
def reshape(input, *shape):
    return wrap(input.a.reshape(_wanted(input.a, shape)))


def _wanted(a, shape):
    """The shape that is asked for, -1 filled in."""
    wanted = sizes(shape)
    known = math.prod(n for n in wanted if n != -1)
    if wanted.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(n < -1 for n in wanted):
        raise RuntimeError(f"invalid shape dimension {min(wanted)}")
    fits = a.size == known if -1 not in wanted else known and a.size % known == 0
    if not fits:
        raise RuntimeError(f"shape '{list(wanted)}' is invalid for input of size {a.size}")
    return tuple(a.size // known if n == -1 else n for n in wanted)


def _view(self, *shape):
    if len(shape) == 1 and isinstance(shape[0], dtypes.dtype):
        return wrap(self.a.view(shape[0].numpy))
    wanted, seen = _wanted(self.a, shape), self.a.view()
    try:
        seen.shape = wanted
    except AttributeError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        ) from None
    return wrap(seen)


Tensor.view = _view
Tensor.reshape = lambda self, *shape: reshape(self, *shape)
FUNCTIONS["reshape"] = lambda input, shape: reshape(input, shape)
Tensor.view_as = lambda self, other: _view(self, *other.shape)
Tensor.reshape_as = lambda self, other: reshape(self, *other.shape)


@shared
def transpose(input, dim0, dim1):
    one, other = axis(dim0, input.a.ndim), axis(dim1, input.a.ndim)
    return wrap(input.a.swapaxes(one, other)) if input.a.ndim else input


for _name in ("swapaxes", "swapdims"):
    shared(transpose, name=_name)


@shared
def t(input):
    if input.a.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return wrap(input.a.T)


@shared
def adjoint(input):
    return input.mH


@shared
def permute(input, *dims):
    order = sizes(dims)
    if len(order) != input.a.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {input.a.ndim} is "
            f"not equal to len(dims) = {len(order)}"
        )
    return wrap(input.a.transpose([axis(d, input.a.ndim) for d in order]))


@shared
def movedim(input, source, destination):
    return wrap(np.moveaxis(input.a, source, destination))


shared(movedim, name="moveaxis")


@shared
def unsqueeze(input, dim):
    return wrap(np.expand_dims(input.a, axis(dim, input.a.ndim, 1)))


@shared
def squeeze(input, *dim):
    dims = range(input.a.ndim) if not dim else axes_of(dim[0] if len(dim) == 1 else dim,
                                                       input.a.ndim)  # fmt: skip
    return wrap(input.a.squeeze(tuple(d for d in dims if input.a.shape[d] == 1)))


Tensor.squeeze = lambda self, dim=None: squeeze(self, *([] if dim is None else [dim]))
FUNCTIONS["squeeze"] = lambda input, dim=None: input.squeeze(dim)


def _become(name):
    def method(self, *given, **named):
        self.a = getattr(self, name)(*given, **named).a
        return self

    return method


for _name in ("unsqueeze", "squeeze", "t", "transpose"):
    setattr(Tensor, f"{_name}_", _become(_name))


def _expand(self, *shape):
    wanted = sizes(shape)
    ahead = len(wanted) - self.a.ndim
    what = f"expand(torch.{self.dtype.called}Tensor{{{list(self.shape)}}}, size={list(wanted)})"
    if ahead < 0:
        raise RuntimeError(
            f"{what}: the number of sizes provided ({len(wanted)}) must be greater or equal to the "
            f"number of dimensions in the tensor ({self.a.ndim})"
        )
    full = [self.a.shape[i - ahead] if n == -1 and i >= ahead else n for i, n in enumerate(wanted)]
    for i in range(ahead, len(full)):
        if self.a.shape[i - ahead] not in (1, full[i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({full[i]}) must match the existing size "
                f"({self.a.shape[i - ahead]}) at non-singleton dimension {i}.  Target sizes: "
                f"{full}.  Tensor sizes: {list(self.a.shape)}"
            )
    if any(n < 0 for n in full):
        raise RuntimeError(f"{what}: -1 is not allowed in a leading, non-existing dimension")
    steps = (0,) * ahead + self.a.strides
    steps = [0 if i < ahead or self.a.shape[i - ahead] != n else steps[i]
             for i, n in enumerate(full)]  # fmt: skip
    return wrap(np.lib.stride_tricks.as_strided(self.a, full, steps))


Tensor.expand = _expand
Tensor.expand_as = lambda self, other: _expand(self, *other.shape)
FUNCTIONS["broadcast_to"] = Tensor.broadcast_to = lambda input, size: _expand(input, *size)
FUNCTIONS["broadcast_tensors"] = lambda *tensors: tuple(
    _expand(x, *fit(*(y.a for y in tensors))) for x in tensors
)


def _repeat(self, *times):
    times = sizes(times)
    if len(times) < self.a.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    return wrap(np.tile(self.a, times))


Tensor.repeat = _repeat


@shared
def tile(input, *dims):
    return wrap(np.tile(input.a, sizes(dims)))


@shared
def repeat_interleave(input, repeats, dim=None):
    along = None if dim is None else axis(dim, input.a.ndim)
    return wrap(np.repeat(input.a, np.asarray(bare(repeats), np.intp), along))


@shared
def flatten(input, start_dim=0, end_dim=-1):
    first, last = axis(start_dim, input.a.ndim), axis(end_dim, input.a.ndim)
    if not input.a.ndim:
        return wrap(input.a.reshape(1))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    shape = input.a.shape
    joined = math.prod(shape[first : last + 1])
    return wrap(input.a.reshape((*shape[:first], joined, *shape[last + 1 :])))


shared(lambda input: flatten(input), name="ravel")


@shared
def unflatten(input, dim, sizes):
    dim, shape = axis(dim, input.a.ndim), input.a.shape
    given = list(globals()["sizes"]((sizes,)))
    rest = math.prod(n for n in given if n != -1)
    full = [shape[dim] // rest if n == -1 else n for n in given]
    if math.prod(full) != shape[dim]:
        raise RuntimeError(
            f"unflatten: Provided sizes {given} don't multiply up to the size of dim {dim} "
            f"({shape[dim]}) in the input tensor"
        )
    return wrap(input.a.reshape((*shape[:dim], *full, *shape[dim + 1 :])))


@shared
def roll(input, shifts, dims=None):
    if dims is None:
        return wrap(np.roll(input.a, bare(shifts)))
    return wrap(np.roll(input.a, bare(shifts), axes_of(dims, input.a.ndim)))


@shared
def flip(input, *dims):
    return wrap(np.flip(input.a, axes_of(sizes(dims), input.a.ndim)).copy())


FUNCTIONS["fliplr"] = lambda input: flip(input, 1)
FUNCTIONS["flipud"] = lambda input: flip(input, 0)


@shared
def rot90(input, k=1, dims=(0, 1)):
    return wrap(np.rot90(input.a, k, dims).copy())


@shared
def chunk(input, chunks, dim=0):
    length = input.a.shape[axis(dim, input.a.ndim)]
    return split(input, max(-(-length // chunks), 1), dim)


@shared
def split(input, split_size_or_sections, dim=0):
    dim = axis(dim, input.a.ndim)
    length, step = input.a.shape[dim], split_size_or_sections
    if isinstance(step, (list, tuple)):
        if sum(step) != length:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's "
                f"size at dimension {dim}), but got split_sizes={list(step)}"
            )
        ends = np.cumsum(step)[:-1]
    else:
        ends = range(step, length, step)
    return tuple(map(wrap, np.split(input.a, ends, dim)))


Tensor.split = lambda self, split_size, dim=0: FUNCTIONS["split"](self, split_size, dim)


@shared
def tensor_split(input, indices_or_sections, dim=0):
    return tuple(map(wrap, np.array_split(input.a, bare(indices_or_sections), dim)))


@shared
def unbind(input, dim=0):
    return tuple(wrap(np.moveaxis(input.a, axis(dim, input.a.ndim), 0)))


@shared
def narrow(input, dim, start, length):
    if start + length > input.a.shape[dim]:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size")
    return wrap(input.a[(slice(None),) * axis(dim, input.a.ndim) + (slice(start, start + length),)])


@shared
def select(input, dim, index):
    dim = axis(dim, input.a.ndim)
    if not -input.a.shape[dim] <= index < input.a.shape[dim]:
        raise IndexError(f"select(): index {index} out of range")
    return wrap(input.a[(slice(None),) * dim + (index, ...)])


def _unfold(self, dimension, size, step):
    seen = np.lib.stride_tricks.sliding_window_view(self.a, size, dimension, writeable=True)
    return wrap(seen[(slice(None),) * axis(dimension, self.a.ndim) + (slice(None, None, step),)])


Tensor.unfold = _unfold


@shared(inplace=True)
def tril(input, diagonal=0):
    return wrap(_triangle(np.tril, input, diagonal))


@shared(inplace=True)
def triu(input, diagonal=0):
    return wrap(_triangle(np.triu, input, diagonal))


def _triangle(function, input, diagonal):
    if input.a.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    if not isinstance(diagonal, (builtins.int, np.integer, Tensor)):
        raise TypeError(f"argument 'diagonal' must be int, not {type(diagonal).__name__}")
    return function(input.a, builtins.int(diagonal))


@shared
def diagonal(input, offset=0, dim1=0, dim2=1):
    axes = input.a.ndim
    seen = np.diagonal(input.a, offset, axis(dim1, axes), axis(dim2, axes))
    if input.a.flags.writeable:
        seen.flags.writeable = True
    return wrap(seen)


@shared
def diag(input, diagonal=0):
    if input.a.ndim > 2:
        raise RuntimeError("diag(): Supports 1D or 2D tensors. Got 3D")
    return wrap(np.diag(input.a, diagonal).copy())


@shared
def trace(input):
    return wrap(np.asarray(np.trace(input.a)))


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
