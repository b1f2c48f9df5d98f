"""torch's functions that make tensors: of numbers, of other tensors, of chance."""

import builtins
import collections
import functools
import itertools
import math
import operator

import numpy as np

from . import dtypes
from .missing import Missing
from .products import times
from .tensors import (
    FUNCTIONS,
    Tensor,
    asked,
    axis,
    bare,
    held,
    joint,
    need,
    need_real,
    need_tensor,
    sizes,
    supported,
    whole,
    wide,
    wrap,
)  # fmt: skip


def function(made, name=None):
    """Make a function one of torch's, whose first argument need not be a tensor."""
    name = name or made.__name__
    FUNCTIONS[name] = asked(made, name, tensor=False)
    return made


def kind_of(dtype, otherwise=dtypes.FLOAT):
    return otherwise if dtype is None else dtype.numpy


def array_of(data, dtype=None):
    """The array that torch.tensor makes of numbers, lists and tensors."""
    held = bare(data)
    if isinstance(held, (np.ndarray, np.generic)):
        return np.array(held, kind_of(dtype, held.dtype))
    kinds = []
    numbers = _numbers(data, kinds)
    try:
        array = np.array(numbers)
    except ValueError as error:
        raise ValueError(f"expected sequence of equal length: {error}") from error
    own = functools.reduce(dtypes.promoted, kinds, None) or dtypes.FLOAT
    return array.astype(kind_of(dtype, own))


def _numbers(data, kinds):
    """Lists of numbers and of tensors of one number as lists of numbers; kinds: their dtypes."""
    if isinstance(data, (list, tuple, range)):
        return [_numbers(item, kinds) for item in data]
    held = bare(data)
    if isinstance(held, (np.ndarray, np.generic)):
        told = "only one element tensors can be converted to Python scalars"
        need(held.size == 1, told, ValueError)
        kinds.append(held.dtype)
        return held.item()
    known = type(held) in dtypes.OF_NUMBERS
    need(known, f"new(): invalid data type {type(held).__name__!r}", TypeError)
    kinds.append(dtypes.OF_NUMBERS[type(held)])
    return held


@function
def as_tensor(data, dtype=None):
    held = bare(data)
    if isinstance(held, np.ndarray):
        kind = kind_of(dtype, held.dtype)
        same = held.dtype == kind
        return data if isinstance(data, Tensor) and same else wrap(held.astype(kind, copy=False))
    return wrap(array_of(data, dtype))


@function
def from_numpy(ndarray):
    told = f"expected np.ndarray (got {type(ndarray).__name__})"
    need(isinstance(ndarray, np.ndarray), told, TypeError)
    return wrap(ndarray)


def _making(name, value):
    def made(*size, dtype=None):
        wanted = sizes(size)
        told = f"Trying to create tensor with negative dimension: {list(wanted)}"
        need(all(n >= 0 for n in wanted), told)
        return full(wanted, value, dtypes.NAMED["float32"] if dtype is None else dtype)

    def new(self, *size, dtype=None):
        return _new_full(self, sizes(size), value, dtype)

    function(made, name)
    function(lambda input, dtype=None: full_like(input, value, dtype), f"{name}_like")
    setattr(Tensor, f"new_{name}", asked(new, f"new_{name}"))


_making("zeros", 0)
_making("ones", 1)
_making("empty", 0)


@function
def full(size, fill_value, dtype=None):
    value = bare(fill_value)
    kind = kind_of(dtype, dtypes.result(value))
    return wrap(np.full(sizes((size,)), held(value, kind), kind))


@function
def full_like(input, fill_value, dtype=None):
    need_tensor(input, "full_like", "'input' (position 1)")
    return _new_full(input, input.a.shape, fill_value, dtype)


def _new_full(self, size, fill_value, dtype=None):
    return full(size, fill_value, self.dtype if dtype is None else dtype)


Tensor.new_full = asked(_new_full, "new_full")


@function
def arange(start, end=None, step=1, dtype=None):
    if end is None:
        start, end = 0, start
    start, end, step = (x.a.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    need(step != 0, "step must be nonzero")
    fine = (end - start) * step >= 0
    need(fine, "upper bound and lower bound inconsistent with step sign")
    real = any(isinstance(x, (builtins.float, np.floating)) for x in (start, end, step))
    own = dtypes.FLOAT if real else np.dtype(np.int64)
    count = max(math.ceil((end - start) / step), 0)
    return wrap((start + step * np.arange(count)).astype(kind_of(dtype, own)))


@function
def linspace(start, end, steps, dtype=None):
    return wrap(np.linspace(bare(start), bare(end), steps).astype(kind_of(dtype)))


@function
def logspace(start, end, steps, base=10.0, dtype=None):
    return wrap(np.logspace(start, end, steps, base=base).astype(kind_of(dtype)))


@function
def eye(n, m=None, dtype=None):
    return wrap(np.eye(*sizes((n, n if m is None else m)), dtype=kind_of(dtype)))


def _indices(name):
    def made(row, col, offset=0, dtype=None):
        return wrap(whole(getattr(np, name)(row, offset, col)))

    function(made, name)


_indices("tril_indices")
_indices("triu_indices")


@function
def heaviside(input, values):
    kind = dtypes.promoted(input.a.dtype, values.a.dtype)
    return wrap(np.heaviside(input.a, values.a).astype(kind))


@function
def polar(abs, angle):
    return wrap(abs.a * np.exp(1j * angle.a).astype(np.result_type(abs.a.dtype, np.complex64)))


@function
def view_as_real(input):
    part = np.float32 if input.a.dtype == np.complex64 else np.float64
    return wrap(np.ascontiguousarray(input.a)[..., None].view(part))


@function
def view_as_complex(input):
    whole = np.complex64 if input.a.dtype == np.float32 else np.complex128
    return wrap(np.ascontiguousarray(input.a).view(whole)[..., 0])


# Several tensors into one


def _listed(tensors, name):
    kind = type(tensors).__name__
    told = f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {kind}"
    need(isinstance(tensors, (list, tuple)), told, TypeError)
    for i, x in enumerate(tensors):
        told = f"expected Tensor as element {i} in argument 0, but got {type(x).__name__}"
        need(isinstance(x, Tensor), told, TypeError)
    need(tensors, f"{name} expects a non-empty TensorList")
    kind = functools.reduce(dtypes.promoted, (x.a.dtype for x in tensors))
    return [x.a.astype(kind, copy=False) for x in tensors]


@function
def stack(tensors, dim=0):
    arrays = _listed(tensors, "stack")
    first = arrays[0].shape
    for i, a in enumerate(arrays):
        told = f"{list(first)} at entry 0 and {list(a.shape)} at entry {i}"
        need(a.shape == first, f"stack expects each tensor to be equal size, but got {told}")
    return wrap(np.stack(arrays, axis(dim, len(first), 1)))


@function
def cat(tensors, dim=0):
    arrays = _listed(tensors, "cat")
    some = [a for a in arrays if a.shape != (0,)] or arrays[:1]
    first = some[0].shape
    need(first, "zero-dimensional tensor (at position 0) cannot be concatenated")
    dim = axis(dim, len(first))
    for i, a in enumerate(some):
        told = f"Tensors must have same number of dimensions: got {len(first)} and {a.ndim}"
        need(a.ndim == len(first), told)
        for k, (m, n) in enumerate(zip(first, a.shape, strict=True)):
            told = f"Expected size {m} but got size {n} for tensor number {i} in the list."
            need(k == dim or m == n,
                 f"Sizes of tensors must match except in dimension {dim}. {told}")  # fmt: skip
    return wrap(np.concatenate(some, dim))


@function
def block_diag(*tensors):
    arrays = [np.atleast_2d(a) for a in _listed(tensors, "block_diag")]
    shape = sum(a.shape[0] for a in arrays), sum(a.shape[1] for a in arrays)
    made, row, column = np.zeros(shape, arrays[0].dtype), 0, 0
    for a in arrays:
        made[row : row + len(a), column : column + a.shape[1]] = a
        row, column = row + len(a), column + a.shape[1]
    return wrap(made)


@function
def einsum(equation, *operands):
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    arrays = [x.a for x in operands]
    kind, last = arrays[0].dtype, dtypes.called(arrays[-1])
    fine = all(a.dtype == kind for a in arrays)
    need(fine, f"expected scalar type {dtypes.called(arrays[0])} but found {last}")
    supported(kind.kind != "b" or len(arrays) < 2, "baddbmm_with_gemm", arrays[0])
    try:
        made = np.einsum(equation, *map(wide, arrays), optimize=len(arrays) > 2)
    except ValueError as error:
        raise RuntimeError(f"einsum(): {error}") from error
    return wrap(made.astype(kind, copy=len(arrays) < 2))


@function
def cdist(x1, x2, p=2.0, compute_mode=None):
    return (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1)


@function
def isin(elements, test_elements, assume_unique=False, invert=False):
    sizes = [np.size(bare(each)) for each in (elements, test_elements)]
    if isinstance(test_elements, Tensor) and sizes[1] < int(10 * sizes[0] ** 0.145):
        test_elements = test_elements.view(-1)  # torch looks at few as they lie, and may fail
    given = bare(elements), bare(test_elements)
    fine = all(np.asarray(each).dtype.kind != "b" for each in given)
    need(fine, "Unsupported input type encountered for isin(): Bool")
    return wrap(np.isin(*given, invert=invert))


@function
def searchsorted(sorted_sequence, input, right=False, side=None):
    side = side or ("right" if right else "left")
    rows, wanted = sorted_sequence.a, bare(input)
    if rows.ndim < 2:
        return wrap(whole(np.searchsorted(rows, wanted, side)))
    same = np.shape(wanted)[:-1] == rows.shape[:-1]
    need(same, "torch.searchsorted(): the first N-1 dimensions of boundaries and values must match")
    pairs = zip(rows.reshape(-1, rows.shape[-1]), wanted.reshape(-1, wanted.shape[-1]), strict=True)
    made = [np.searchsorted(*pair, side) for pair in pairs]
    return wrap(whole(made).reshape(wanted.shape))


@function
def meshgrid(*tensors, indexing="ij"):
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    return tuple(map(wrap, np.meshgrid(*bare(tuple(tensors)), indexing=indexing)))


@function
def cartesian_prod(*tensors):
    return wrap(np.array(list(itertools.product(*(x.a for x in tensors)))))


for _name, _function in {
    "tensor": lambda data, dtype=None: wrap(array_of(data, dtype)),
    "asarray": as_tensor,
    "frombuffer": lambda buffer, dtype: wrap(np.frombuffer(buffer, dtype.numpy)),
    "is_tensor": lambda obj: isinstance(obj, Tensor),
    "complex": lambda real, imag: wrap(real.a + 1j * imag.a),
    "tensordot": lambda a, b, dims=2: wrap(np.tensordot(a.a, b.a, bare(dims))),
    "dist": lambda input, other, p=2: (input - other).norm(p),
    "broadcast_shapes": lambda *shapes: functools.reduce(joint, (sizes((s,)) for s in shapes), ()),
    "concat": cat,
    "concatenate": cat,
    "hstack": lambda tensors: wrap(np.hstack(_listed(tensors, "hstack"))),
    "vstack": lambda tensors: wrap(np.vstack(_listed(tensors, "vstack"))),
}.items():  # of one expression each, and other names
    function(_function, _name)


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, check_dtype=True,
                 check_device=True, msg=None):  # fmt: skip
    """torch.testing.assert_close."""
    a, b = as_tensor(actual), as_tensor(expected)
    near = {np.dtype(np.float64): 1e-7, dtypes.FLOAT: 1.3e-6, np.dtype(np.float16): 1e-3}
    rtol = near.get(b.a.dtype, 0) if rtol is None else rtol
    atol = min(near.get(b.a.dtype, 0), 1e-5) if atol is None else atol
    alike = a.shape == b.shape and (a.dtype == b.dtype or not check_dtype)
    told = f"{a.shape}, {a.dtype} != {b.shape}, {b.dtype}."
    need(alike, f"The values for 'shape' or 'dtype' do not match: {told}", AssertionError)
    told = msg if isinstance(msg, str) else "Tensor-likes are not close!"
    need(np.allclose(a.a, b.a, rtol, atol, equal_nan), told, AssertionError)


def vmap(func, in_dims=0, out_dims=0, randomness="error"):
    """The function for each part of its arguments, one after the other."""

    def mapped(*given):
        dims = in_dims if isinstance(in_dims, (list, tuple)) else (in_dims,) * len(given)
        counts = {x.shape[d] for x, d in zip(given, dims, strict=True) if d is not None}
        told = f"tensors to have the same size in the mapped dimension, got {sorted(counts)}"
        need(len(counts) == 1, f"vmap: Expected all {told}", ValueError)
        parts = [
            [x if d is None else x.select(d, i) for x, d in zip(given, dims, strict=True)]
            for i in range(counts.pop())
        ]
        made = [func(*part) for part in parts]
        if not isinstance(made[0], tuple):
            return stack(made, out_dims)
        out = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(made[0])
        return tuple(map(stack, zip(*made, strict=True), out))

    return mapped


# Chance


class Generator:
    """Random numbers of a seed, as torch draws them: the Mersenne Twister's, in the same order."""

    def __init__(self, device="cpu"):
        self.manual_seed(67280421310721)  # torch's own, before anybody gives one

    def manual_seed(self, seed):
        self._bits, self._second = np.random.RandomState(builtins.int(seed) % 2**32), None
        return self

    def bits(self, count):
        """Whole numbers of 32 bits."""
        return self._bits.randint(0, 2**32, count, np.uint32).astype(np.int64)

    def uniform(self, count, dtype=np.float32):
        if dtype == np.float64:
            high, low = self.bits(2 * count).reshape(count, 2).T
            return ((high % 2**21) * 2.0**32 + low) / 2**53
        return (self.bits(count) % 2**24).astype(np.float32) / np.float32(2**24)

    def normal(self, count, dtype=np.float32):
        """By Box and Muller: few numbers in pairs, 16 and more in blocks of 16."""
        if count < 16:
            return np.array([self._one() for _ in range(count)], dtype)
        drawn = self.uniform(count, dtype)
        for i in range(0, count - 15, 16):
            drawn[i : i + 16] = _normals(drawn[i : i + 16])
        if count % 16:
            drawn[-16:] = _normals(self.uniform(16, dtype))
        return drawn

    def _one(self):
        if self._second is not None:
            made, self._second = self._second, None
            return made
        turn, length = self.uniform(2, np.float64)
        length, turn = math.sqrt(-2 * math.log1p(-length)), 2 * math.pi * turn
        self._second = length * math.sin(turn)
        return length * math.cos(turn)


def _normals(drawn):
    length, turn = np.sqrt(-2 * np.log(1 - drawn[:8])), drawn.dtype.type(2 * math.pi) * drawn[8:]
    return np.concatenate([length * np.cos(turn), length * np.sin(turn)])


default_generator = Generator()
function(default_generator.manual_seed)


def _random(name, draw):
    def made(shape, kind, generator=default_generator):
        wide = np.dtype(np.float64 if kind == np.float64 else np.float32)
        return wrap(draw(generator, math.prod(shape), wide).astype(kind).reshape(shape))

    def drawn(*size, generator=None, dtype=None):
        return made(sizes(size), kind_of(dtype), generator or default_generator)

    def like(input, dtype=None):
        kind = kind_of(dtype, input.a.dtype)
        need_real(f"{name}_like", np.zeros(0, kind))
        return made(input.a.shape, kind)

    function(drawn, name)
    FUNCTIONS[f"{name}_like"] = asked(like, f"{name}_like")


_random("randn", Generator.normal)
_random("rand", Generator.uniform)


@function
def randint(low, high=None, size=None, generator=None, dtype=None):
    if size is None:
        low, high, size = 0, low, high
    kind, shape = kind_of(dtype, np.dtype(np.int64)), sizes((size,))
    made = (generator or default_generator).bits(math.prod(shape)) % (high - low) + low
    return wrap(made.astype(kind).reshape(shape))


@function
def randperm(n, generator=None, dtype=None):
    order = whole(np.arange(n))
    for i, drawn in enumerate((generator or default_generator).bits(max(n - 1, 0))):
        other = i + drawn % (n - i)
        order[[i, other]] = order[[other, i]]
    return wrap(order)


@function
def multinomial(input, num_samples, replacement=False, generator=None):
    """Drawn as its chances are; other numbers than torch's."""
    numbers = np.random.default_rng((generator or default_generator).bits(1))
    rows = np.atleast_2d(input.a.astype(np.float64))
    made = [numbers.choice(len(row), num_samples, replacement, row / row.sum()) for row in rows]
    return wrap(whole(made).reshape((*input.a.shape[:-1], num_samples)))


# Linear algebra

LINALG = {}


def _of_matrices(name, *others):
    def made(*given):
        try:
            return wrap(getattr(np.linalg, name)(*bare(given)).astype(given[0].a.dtype))
        except np.linalg.LinAlgError as error:
            raise RuntimeError(f"linalg.{name}: {error}") from error

    LINALG[name] = asked(made, name)
    FUNCTIONS.update(dict.fromkeys(others, LINALG[name]))


_of_matrices("inv", "inverse")
_of_matrices("pinv", "pinverse")
_of_matrices("det", "det")
Tensor.inverse, Tensor.det = LINALG["inv"], LINALG["det"]


def _norm(A, ord=None, dim=None, keepdim=False):
    matrix = ord is not None and (A.a.ndim == 2 if dim is None else not isinstance(dim, int))
    if matrix and ord != "fro":
        raise Missing("norm of a matrix")
    return A.norm("fro" if ord is None else ord, dim, keepdim)


def _lstsq(A, B):
    need(A.a.ndim == 2, "lstsq of many matrices", Missing)
    kind = collections.namedtuple("linalg_lstsq", "solution residuals rank singular_values")
    return kind(*map(wrap, np.linalg.lstsq(A.a, B.a, rcond=None)))


for _name, _function in {
    "norm": _norm,
    "vector_norm": lambda x, ord=2, dim=None, keepdim=False: x.norm(ord, dim, keepdim),
    "matmul": lambda input, other: input @ other,
    "multi_dot": lambda tensors: functools.reduce(operator.matmul, tensors),
    "lstsq": _lstsq,
}.items():
    LINALG[_name] = asked(_function, _name, tensor=False)


def matrix_exp(input):
    """The exponential of matrices: of a small part, and squared as often as that was halved."""
    a = input.a.astype(np.float64)
    halvings = max(0, math.ceil(math.log2(max(np.abs(a).sum(-1).max(initial=0), 1e-9))) + 4)
    part, made = a / 2**halvings, np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    term = made
    for n in range(1, 16):
        term = times(term, part) / n
        made = made + term
    for _ in range(halvings):
        made = times(made, made)
    return wrap(made.astype(input.a.dtype))


LINALG["matrix_exp"] = FUNCTIONS["matrix_exp"] = Tensor.matrix_exp = asked(matrix_exp, "matrix_exp")
