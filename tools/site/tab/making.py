"""torch's functions that make tensors: of numbers, of other tensors, of chance."""

import builtins
import collections
import functools
import itertools
import math

import numpy as np

from . import dtypes
from .missing import Missing
from .products import times
from .tensors import (
    FUNCTIONS,
    OwnValueError,
    Tensor,
    asked,
    axis,
    bare,
    fit,
    held,
    sizes,
    unsupported,
    whole,
    wrap,
)  # fmt: skip

replayed = []  # random numbers that are drawn in place of new ones, arrays in order


def function(made=None, *, name=None):
    """Make a function one of torch's, whose first argument need not be a tensor."""
    if made is None:
        return lambda f: function(f, name=name)
    name = name or made.__name__.rstrip("_")
    FUNCTIONS[name] = asked(made, name, tensor=False)
    return made


def kind_of(dtype, otherwise=dtypes.FLOAT):
    return otherwise if dtype is None else dtype.numpy


def array_of(data, dtype=None):
    """The array that torch.tensor makes of numbers, lists and tensors."""
    held = bare(data)
    if isinstance(held, np.ndarray):
        return np.array(held, kind_of(dtype, held.dtype))
    if isinstance(held, np.generic):
        return np.array(held, kind_of(dtype, None))
    kinds = []
    try:
        array = np.array(_numbers(data, kinds))
    except ValueError as error:
        raise OwnValueError(f"expected sequence of equal length: {error}") from error
    own = functools.reduce(dtypes.promoted, kinds, None) or dtypes.FLOAT
    return array.astype(kind_of(dtype, own))


def _numbers(data, kinds):
    """Lists of numbers and of tensors of one number as lists of numbers; kinds: their dtypes."""
    if isinstance(data, (list, tuple, range)):
        return [_numbers(item, kinds) for item in data]
    held = bare(data)
    if isinstance(held, (np.ndarray, np.generic)):
        if held.size != 1:
            raise OwnValueError("only one element tensors can be converted to Python scalars")
        kinds.append(held.dtype)
        return held.item()
    if type(held) not in dtypes.OF_NUMBERS:
        raise TypeError(f"new(): invalid data type {type(held).__name__!r}")
    kinds.append(dtypes.OF_NUMBERS[type(held)])
    return held


@function
def tensor(data, dtype=None):
    return wrap(array_of(data, dtype))


@function
def as_tensor(data, dtype=None):
    held = bare(data)
    if isinstance(held, np.ndarray):
        kind = kind_of(dtype, held.dtype)
        same = held.dtype == kind
        return data if isinstance(data, Tensor) and same else wrap(held.astype(kind, copy=False))
    return wrap(array_of(data, dtype))


function(as_tensor, name="asarray")


@function
def scalar_tensor(s, dtype=None):
    return wrap(np.asarray(s, kind_of(dtype)))


@function
def from_numpy(ndarray):
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return wrap(ndarray)


@function
def frombuffer(buffer, dtype):
    return wrap(np.frombuffer(buffer, dtype.numpy))


@function
def is_tensor(obj):
    return isinstance(obj, Tensor)


def _making(name, make):
    def made(*size, dtype=None):
        wanted = sizes(size)
        if any(n < 0 for n in wanted):
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(wanted)}: "
                               f"{list(wanted)}")  # fmt: skip
        return wrap(make(wanted, kind_of(dtype)))

    def like(input, dtype=None):
        return wrap(make(input.a.shape, kind_of(dtype, input.a.dtype)))

    def new(self, *size, dtype=None):
        return wrap(make(sizes(size), kind_of(dtype, self.a.dtype)))

    function(made, name=name)
    FUNCTIONS[f"{name}_like"] = asked(like, f"{name}_like")
    setattr(Tensor, f"new_{name}", asked(new, f"new_{name}"))


_making("zeros", np.zeros)
_making("ones", np.ones)
_making("empty", np.zeros)


@function
def full(size, fill_value, dtype=None):
    value = bare(fill_value)
    return _filled(sizes((size,)), value, kind_of(dtype, dtypes.result(value)))


def _filled(shape, value, kind):
    return wrap(np.full(shape, held(bare(value), kind), kind))


def _full_like(input, fill_value, dtype=None):
    return _filled(input.a.shape, fill_value, kind_of(dtype, input.a.dtype))


FUNCTIONS["full_like"] = asked(_full_like, "full_like")
Tensor.new_full = asked(
    lambda self, size, fill_value, dtype=None: _filled(
        sizes((size,)), fill_value, kind_of(dtype, self.a.dtype)
    ),
    "new_full",
)


@function
def arange(start, end=None, step=1, dtype=None):
    if end is None:
        start, end = 0, start
    start, end, step = (x.a.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
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


@function
def tril_indices(row, col, offset=0, dtype=None):
    return wrap(whole(np.stack(np.tril_indices(row, offset, col))))


@function
def triu_indices(row, col, offset=0, dtype=None):
    return wrap(whole(np.stack(np.triu_indices(row, offset, col))))


@function
def heaviside(input, values):
    kind = dtypes.promoted(input.a.dtype, values.a.dtype)
    return wrap(np.asarray(np.heaviside(input.a, values.a)).astype(kind))


@function
def complex_(real, imag):
    return wrap(real.a + 1j * imag.a)


FUNCTIONS["complex"] = asked(complex_, "complex")


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
    if not isinstance(tensors, (list, tuple)):
        kind = type(tensors).__name__
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{kind}")  # fmt: skip
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            kind = type(x).__name__
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {kind}")
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    kind = None
    for x in tensors:
        kind = dtypes.promoted(kind, x.a.dtype)
    return [x.a.astype(kind, copy=False) for x in tensors]


@function
def stack(tensors, dim=0):
    arrays = _listed(tensors, "stack")
    for i, a in enumerate(arrays):
        if a.shape != arrays[0].shape:
            raise RuntimeError(
                "stack expects each tensor to be equal size, but got "
                f"{list(arrays[0].shape)} at entry 0 and {list(a.shape)} at entry {i}"
            )
    return wrap(np.stack(arrays, axis(dim, arrays[0].ndim, 1)))


@function
def cat(tensors, dim=0):
    arrays = _listed(tensors, "cat")
    some = [a for a in arrays if a.shape != (0,)] or arrays[:1]
    if not some[0].ndim:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    dim = axis(dim, some[0].ndim)
    for i, a in enumerate(some):
        if a.ndim != some[0].ndim:
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {some[0].ndim} and {a.ndim}"
            )
        for k, (m, n) in enumerate(zip(some[0].shape, a.shape, strict=True)):
            if k != dim and m != n:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {m} but "
                    f"got size {n} for tensor number {i} in the list."
                )
    return wrap(np.concatenate(some, dim))


for _name in ("concat", "concatenate"):
    function(cat, name=_name)


def _stacking(name, make):
    function(lambda tensors: wrap(make(_listed(tensors, name))), name=name)


for _name in ("hstack", "vstack", "dstack", "column_stack"):
    _stacking(_name, getattr(np, _name))


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
    if len({a.dtype for a in arrays}) > 1:
        raise RuntimeError(
            f"expected scalar type {dtypes.called(arrays[0])} but found {dtypes.called(arrays[1])}"
        )
    kind = arrays[0].dtype
    if kind.kind == "b" and len(arrays) > 1:
        raise NotImplementedError("\"baddbmm_with_gemm\" not implemented for 'Bool'")
    half = kind == np.float16
    arrays = [a.astype(np.float32) if half else a for a in arrays]
    try:
        made = np.einsum(equation, *arrays, optimize=len(arrays) > 2)
    except ValueError as error:
        raise RuntimeError(f"einsum(): {error}") from error
    return wrap(np.asarray(made).astype(kind, copy=len(arrays) < 2))


@function
def tensordot(a, b, dims=2):
    return wrap(np.asarray(np.tensordot(a.a, b.a, bare(dims))))


@function
def cdist(x1, x2, p=2.0, compute_mode=None):
    apart = np.abs(x1.a[..., :, None, :] - x2.a[..., None, :, :])
    if p == 2:
        return wrap(np.sqrt(np.square(apart).sum(-1)))
    return wrap(apart.max(-1) if p == math.inf else (apart**p).sum(-1) ** (1 / p))


@function
def dist(input, other, p=2):
    return (input - other).norm(p)


@function
def isin(elements, test_elements, assume_unique=False, invert=False):
    if any(
        getattr(x, "dtype", dtypes.FLOAT).kind == "b" for x in (bare(elements), bare(test_elements))
    ):
        raise RuntimeError("Unsupported input type encountered for isin(): Bool")
    size, others = np.size(bare(elements)), np.size(bare(test_elements))
    if isinstance(test_elements, Tensor) and others < int(10 * size**0.145):
        test_elements = test_elements.view(-1)  # torch looks at few as they lie, and may fail
    return wrap(np.asarray(np.isin(bare(elements), bare(test_elements), invert=invert)))


@function
def searchsorted(sorted_sequence, input, right=False, side=None):
    side = side or ("right" if right else "left")
    rows, wanted = sorted_sequence.a, bare(input)
    if rows.ndim < 2:
        return wrap(whole(np.searchsorted(rows, wanted, side)))
    if np.shape(wanted)[:-1] != rows.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match"
        )
    made = [np.searchsorted(*pair, side) for pair in
            zip(rows.reshape(-1, rows.shape[-1]), wanted.reshape(-1, wanted.shape[-1]),
                strict=True)]  # fmt: skip
    return wrap(whole(made).reshape(wanted.shape))


@function
def bucketize(input, boundaries, right=False):
    return searchsorted(boundaries, input, right)


@function
def meshgrid(*tensors, indexing="ij"):
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    return tuple(map(wrap, np.meshgrid(*bare(tuple(tensors)), indexing=indexing)))


@function
def cartesian_prod(*tensors):
    return wrap(np.array(list(itertools.product(*(x.a for x in tensors)))))


@function
def broadcast_shapes(*shapes):
    return fit(*(np.broadcast_to(0, shape) for shape in shapes))


@function
def multi_dot(tensors):
    made = tensors[0]
    for other in tensors[1:]:
        made = made @ other
    return made


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, check_dtype=True,
                 check_device=True, msg=None):  # fmt: skip
    """torch.testing.assert_close."""
    a, b = as_tensor(actual), as_tensor(expected)
    near = {np.dtype(np.float64): 1e-7, dtypes.FLOAT: 1.3e-6, np.dtype(np.float16): 1e-3}
    rtol = near.get(b.a.dtype, 0) if rtol is None else rtol
    atol = min(near.get(b.a.dtype, 0), 1e-5) if atol is None else atol
    if a.shape != b.shape or (check_dtype and a.dtype != b.dtype):
        raise AssertionError("The values for attributes 'shape' or 'dtype' do not match: "
                             f"{a.shape}, {a.dtype} != {b.shape}, {b.dtype}.")  # fmt: skip
    if not np.allclose(a.a, b.a, rtol, atol, equal_nan):
        raise AssertionError(msg if isinstance(msg, str) else "Tensor-likes are not close!")


def vmap(func, in_dims=0, out_dims=0, randomness="error"):
    """The function for each part of its arguments, one after the other."""

    def mapped(*given):
        dims = in_dims if isinstance(in_dims, (list, tuple)) else (in_dims,) * len(given)
        counts = {x.shape[d] for x, d in zip(given, dims, strict=True) if d is not None}
        if len(counts) != 1:
            raise OwnValueError(
                "vmap: Expected all tensors to have the same size in the mapped "
                f"dimension, got sizes {sorted(counts)} for the mapped dimension"
            )
        parts = [
            [x if d is None else x.select(d, i) for x, d in zip(given, dims, strict=True)]
            for i in range(counts.pop())
        ]
        made = [func(*part) for part in parts]
        if not isinstance(made[0], tuple):
            return _mapped(made, out_dims)
        out = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(made[0])
        return tuple(_mapped(list(x), d) for x, d in zip(zip(*made, strict=True), out, strict=True))

    return mapped


def _mapped(made, dim):
    return stack(made, dim)


# Chance


class Generator:
    """Random numbers of a seed; they are not those of torch."""

    def __init__(self, device="cpu"):
        self.numbers = np.random.default_rng()

    def manual_seed(self, seed):
        self.numbers = np.random.default_rng(abs(builtins.int(seed)))
        return self


default_generator = Generator().manual_seed(0)


@function
def manual_seed(seed):
    return default_generator.manual_seed(seed)


def _drawn(generator, draw):
    """Random numbers: those to be replayed, or new ones."""
    if replayed and generator is not None:
        return wrap(replayed.pop(0).copy())
    return wrap(draw((generator or default_generator).numbers))


def _random(name, draw):
    def drawn(*size, generator=None, dtype=None):
        wanted = sizes(size)
        return _drawn(generator, lambda numbers: draw(numbers, wanted).astype(kind_of(dtype)))

    def like(input, dtype=None):
        kind = kind_of(dtype, input.a.dtype)
        if dtypes.category(kind) < dtypes.REAL:
            raise unsupported(f"{name}_like", input.a)
        return wrap(draw(default_generator.numbers, input.a.shape).astype(kind))

    function(drawn, name=name)
    FUNCTIONS[f"{name}_like"] = asked(like, f"{name}_like")


_random("randn", lambda numbers, size: np.asarray(numbers.normal(size=size)))
_random("rand", lambda numbers, size: np.asarray(numbers.random(size)))


@function
def randint(low, high=None, size=None, generator=None, dtype=None):
    if size is None:
        low, high, size = 0, low, high
    kind = kind_of(dtype, np.dtype(np.int64))
    wanted = sizes((size,))
    return _drawn(generator, lambda numbers: np.asarray(numbers.integers(low, high, wanted), kind))


@function
def randperm(n, generator=None, dtype=None):
    return _drawn(generator, lambda numbers: whole(numbers.permutation(n)))


@function
def bernoulli(input, p=None, generator=None):
    share = input.a if p is None else p
    numbers = default_generator.numbers
    return wrap((numbers.random(input.a.shape) < share).astype(input.a.dtype))


@function
def multinomial(input, num_samples, replacement=False, generator=None):
    numbers = (generator or default_generator).numbers
    rows = np.atleast_2d(input.a.astype(np.float64))
    made = [numbers.choice(len(row), num_samples, replacement, row / row.sum()) for row in rows]
    return wrap(whole(made).reshape((*input.a.shape[:-1], num_samples)))


def _shuffled(self, draw):
    self.a[...] = draw(default_generator.numbers, self.a.shape)
    return self


Tensor.normal_ = lambda self, mean=0.0, std=1.0: _shuffled(
    self, lambda numbers, shape: numbers.normal(mean, std, shape)
)
Tensor.uniform_ = lambda self, a=0.0, b=1.0: _shuffled(
    self, lambda numbers, shape: numbers.uniform(a, b, shape)
)


# Linear algebra

LINALG = {}


def _linear(name):
    def keep(made):
        LINALG[name] = asked(made, name, tensor=False)
        return made

    return keep


def _of_matrices(name, compute):
    def made(A):
        try:
            return wrap(np.asarray(compute(A.a)).astype(A.a.dtype))
        except np.linalg.LinAlgError as error:
            raise RuntimeError(f"linalg.{name}: {error}") from error

    LINALG[name] = asked(made, name)


for _name in ("inv", "pinv", "det"):
    _of_matrices(_name, getattr(np.linalg, _name))
FUNCTIONS |= {name: LINALG[other] for name, other in
              {"inverse": "inv", "pinverse": "pinv", "det": "det"}.items()}  # fmt: skip
Tensor.inverse, Tensor.det = LINALG["inv"], LINALG["det"]
LINALG["multi_dot"] = FUNCTIONS.pop("multi_dot")
LINALG["diagonal"] = asked(
    lambda A, offset=0, dim1=-2, dim2=-1: A.diagonal(offset, dim1, dim2), "diagonal"
)


@_linear("norm")
def _norm(A, ord=None, dim=None, keepdim=False):
    matrix = ord is not None and (A.a.ndim == 2 if dim is None else not isinstance(dim, int))
    if matrix and ord != "fro":
        raise Missing("norm of a matrix")
    return A.norm("fro" if ord is None else ord, dim, keepdim)


@_linear("vector_norm")
def _vector_norm(x, ord=2, dim=None, keepdim=False):
    return x.norm(ord, dim, keepdim)


@_linear("solve")
def _solve(A, B):
    return wrap(np.linalg.solve(A.a, B.a))


@_linear("lstsq")
def _lstsq(A, B):
    if A.a.ndim != 2:
        raise Missing("lstsq of many matrices")
    kind = collections.namedtuple("linalg_lstsq", "solution residuals rank singular_values")
    return kind(*(wrap(np.asarray(x)) for x in np.linalg.lstsq(A.a, B.a, rcond=None)))


@_linear("vecdot")
def _vecdot(x, y, dim=-1):
    if dtypes.category(x.a.dtype) < dtypes.REAL:
        raise RuntimeError("linalg.vecdot: Expected a floating point or complex tensor as input")
    return (x * y).sum(dim)


@_linear("matmul")
def _matmul(input, other):
    return input @ other


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
