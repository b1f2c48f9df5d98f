"""torch.Tensor over a NumPy array, and what tensors and functions of torch share.

Each operation is written once, as a function whose first argument is a tensor; `shared` puts it
into the module and makes it a method.
"""

import builtins
import collections
import functools
import inspect
import math
import re
import warnings

import numpy as np

from . import dtypes
from .dtypes import BOOL, REAL, WHOLE, category
from .missing import Missing, lacking

FUNCTIONS, FUNCTIONAL = {}, {}  # torch's and torch.nn.functional's
modes = []  # what looks at every call, as torch.overrides.TorchFunctionMode does
SAME = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x2": "other", "device": None,
        "requires_grad": None, "pin_memory": None, "layout": None}  # fmt: skip
NOT_WRITABLE = (
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location. Please clone() the tensor before performing the operation."
)


class Size(tuple):
    """A shape."""

    def numel(self):
        return math.prod(self)

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __getitem__(self, key):
        part = super().__getitem__(key)
        return Size(part) if isinstance(key, slice) else part

    def __add__(self, other):
        return Size(tuple(self) + tuple(other))


class device:
    """Where a tensor lies: here, always the processor."""

    def __init__(self, kind="cpu", index=None):
        self.type, self.index = str(kind).split(":")[0], index
        if self.type != "cpu":
            raise Missing(f"device {kind!r}")

    def __repr__(self):
        return "device(type='cpu')"

    def __str__(self):
        return self.type

    def __eq__(self, other):
        return isinstance(other, device)

    def __hash__(self):
        return hash(self.type)


class Tensor:
    """A tensor without gradients."""

    __array_priority__ = 1000
    __slots__ = ("a",)
    requires_grad, grad, grad_fn, is_sparse, is_nested, is_meta = False, None, None, False, False, 0
    is_leaf, is_cuda, is_quantized, layout = True, False, False, "strided"

    def __new__(cls, *data):
        if len(data) == 1 and isinstance(data[0], (list, tuple, Tensor, np.ndarray)):
            return wrap(np.array(bare(data[0]), dtypes.FLOAT))
        return wrap(np.zeros(sizes(data), dtypes.FLOAT))

    shape = property(lambda self: Size(self.a.shape))
    dtype = property(lambda self: dtypes.of(self.a))
    ndim = property(lambda self: self.a.ndim)
    nbytes = property(lambda self: self.a.nbytes)
    itemsize = property(lambda self: self.a.itemsize)
    device = property(lambda self: device())
    T = property(lambda self: wrap(self.a.T))
    data = property(lambda self: wrap(self.a))
    imag = property(lambda self: wrap(self.a.imag))

    @property
    def real(self):
        return wrap(self.a.real) if self.a.dtype.kind == "c" else self

    @property
    def mT(self):
        if not self.a.ndim:
            return self
        if self.a.ndim < 2:
            raise RuntimeError(
                "tensor.mT is only supported on matrices or batches of matrices. Got "
                f"{self.a.ndim}-D tensor."
            )
        return wrap(self.a.swapaxes(-1, -2))

    mH = H = property(lambda self: wrap(self.mT.a.conj()))

    def __getattr__(self, name):
        raise lacking("Tensor", name, f"'Tensor' object has no attribute {name!r}")

    def __repr__(self):
        shown = np.array2string(self.a, separator=", ", precision=4, prefix="tensor(")
        usual = self.a.dtype in (dtypes.FLOAT, np.int64, builtins.bool)
        return f"tensor({shown})" if usual else f"tensor({shown}, dtype={self.dtype})"

    def __format__(self, how):
        return format(self.a.item() if self.a.ndim == 0 else self, how)

    def __len__(self):
        if not self.a.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self.a)

    def __iter__(self):
        if not self.a.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return (wrap(self.a[i, ...]) for i in range(len(self.a)))

    def __contains__(self, value):
        return builtins.bool((self.a == bare(value)).any())

    def __bool__(self):
        if self.a.size != 1:
            how = "more than one value" if self.a.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {how} is ambiguous")
        return builtins.bool(self.a.item())

    def __float__(self):
        return builtins.float(self.item())

    def __int__(self):
        return builtins.int(self.item())

    def __complex__(self):
        return complex(self.item())

    def __index__(self):
        if self.a.size != 1 or self.a.dtype.kind not in "iu":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return self.a.item()

    def __round__(self, digits=None):
        return wrap(np.round(self.a, digits or 0))

    def __array__(self, dtype=None, copy=None):
        return self.a if dtype is None else self.a.astype(dtype)

    def __copy__(self):
        return wrap(self.a)

    def __deepcopy__(self, memo):
        return wrap(self.a.copy())

    def __getitem__(self, key):
        key, fancy = places(key, self.a.ndim)
        return wrap(_part(self.a, key, fancy))

    def __setitem__(self, key, value):
        if not isinstance(value, (Tensor, builtins.bool, builtins.int, builtins.float, complex)):
            kind = type(value).__name__
            raise TypeError(f"can't assign a {kind} to a torch.{self.dtype.called}Tensor")
        key, fancy = places(key, self.a.ndim)
        place = _part(self.a, key, fancy)
        written(self.a if fancy else place)
        given = np.asarray(bare(value))
        _fit_place(self, place, given, fancy)
        if fancy:
            masked = len(key) == 1 and getattr(key[0], "dtype", bool) == bool
            if given.size > 1 or not masked:  # what is masked is filled with one number of any
                _same_dtype(self.a, value)
            self.a[key] = given
        else:
            _overlapping(place, given)

    __hash__ = object.__hash__

    def item(self):
        if self.a.size != 1:
            raise RuntimeError(
                f"a Tensor with {self.a.size} elements cannot be converted to Scalar"
            )
        return self.a.item()

    def tolist(self):
        return self.a.tolist()

    def numpy(self, force=False):
        return self.a

    def size(self, dim=None):
        return self.shape if dim is None else self.a.shape[axis(dim, self.a.ndim)]

    def dim(self):
        return self.a.ndim

    ndimension = dim

    def numel(self):
        return self.a.size

    nelement = numel

    def element_size(self):
        return self.a.itemsize

    def stride(self, dim=None):
        steps = tuple(step // self.a.itemsize for step in self.a.strides)
        return steps if dim is None else steps[dim]

    def data_ptr(self):
        return self.a.__array_interface__["data"][0]

    def untyped_storage(self):
        return Storage(self.a)

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return self.dtype.is_complex

    def is_contiguous(self):
        return self.a.flags.c_contiguous

    def contiguous(self):
        return self if self.a.flags.c_contiguous else wrap(np.ascontiguousarray(self.a))

    def requires_grad_(self, requires=True):
        if requires:
            raise Missing("gradient: requires_grad_()")
        return self

    def _self(self):
        return self

    cpu = detach = detach_ = resolve_conj = resolve_neg = _self

    def to(self, *where, dtype=None, device=None, copy=False, non_blocking=False):
        for one in where:
            dtype = one.dtype if isinstance(one, Tensor) else dtype
            dtype = one if isinstance(one, dtypes.dtype) else dtype
            if isinstance(one, str):
                globals()["device"](one)
        kind = self.a.dtype if dtype is None else dtype.numpy
        return wrap(self.a.astype(kind)) if copy or kind != self.a.dtype else self

    def type(self, dtype=None):
        if dtype is None:
            return f"torch.{self.dtype.called}Tensor"
        return self.to(dtype)

    def type_as(self, other):
        return self.to(other.dtype)

    def new_tensor(self, data, dtype=None):
        return wrap(np.array(bare(data), self.a.dtype if dtype is None else dtype.numpy))


class Storage:
    """The memory of a tensor."""

    def __init__(self, array):
        while isinstance(array.base, np.ndarray):
            array = array.base
        self.array = array

    def nbytes(self):
        return self.array.nbytes

    def data_ptr(self):
        return self.array.__array_interface__["data"][0]


def _converting(name):
    kind = dtypes.NAMED[dtypes.OTHER_NAMES.get(name, name)]
    return lambda self: self.to(kind)


for _name in ("float", "double", "half", "long", "int", "short", "bool", "bfloat16"):
    setattr(Tensor, _name, _converting(_name))
Tensor.byte, Tensor.char = _converting("uint8"), _converting("int8")


def wrap(array):
    """The tensor of an array; it shares its memory."""
    tensor = object.__new__(Tensor)
    tensor.a = array if isinstance(array, np.ndarray) else np.asarray(array)
    return tensor


def bare(value):
    """Arrays in place of tensors, also within lists and tuples."""
    if isinstance(value, Tensor):
        return value.a
    if isinstance(value, (list, tuple)):
        return type(value)(map(bare, value)) if type(value) in (list, tuple) else tuple(value)
    return value


def axis(dim, axes, more=0):
    """An axis counted from the front; axes: how many there are."""
    if isinstance(dim, Tensor):
        dim = dim.__index__()
    if isinstance(dim, builtins.bool) or not isinstance(dim, (builtins.int, np.integer)):
        raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}")
    count = max(axes + more, 1)
    if not -count <= dim < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got "
            f"{dim})"
        )
    return dim % count


def axes_of(dim, axes):
    """A tuple of axes for NumPy, of a dim as torch takes it: None, one or several."""
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return tuple(range(axes))
    found = tuple(axis(d, axes) for d in (dim if isinstance(dim, (list, tuple)) else [dim]))
    if len(set(found)) < len(found):
        raise RuntimeError(f"dim {found[-1]} appears multiple times in the list of dims")
    return found if axes else ()


def sizes(given):
    """Sizes given one by one or as one tuple, as a tuple of int."""
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = given[0]
    for n in given:
        whole = isinstance(n, (builtins.int, np.integer)) and not isinstance(n, builtins.bool)
        if not whole and not (isinstance(n, Tensor) and n.a.dtype.kind in "iu" and n.a.size == 1):
            kind = type(n).__name__
            raise TypeError(f"argument 'size' must be tuple of ints, but found element of {kind}")
    return tuple(builtins.int(n) for n in given)


def places(key, axes):
    """A key of a tensor as one of an array, a tuple, and whether it holds arrays."""
    parts = [_place(part) for part in (key if isinstance(key, tuple) else (key,))]
    taken = sum(_taken(part) for part in parts)
    if taken > axes:
        raise IndexError(f"too many indices for tensor of dimension {axes}")
    fancy = any(isinstance(part, (np.ndarray, builtins.bool)) for part in parts)
    return tuple(parts), fancy


def _taken(part):
    """How many axes a part of a key takes."""
    if part is None or part is Ellipsis or isinstance(part, builtins.bool):
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype.kind == "b" else 1


def _place(part):
    if isinstance(part, range):
        part = list(part)
    if isinstance(part, (list, tuple)):
        part = np.asarray(bare(part)) if part else np.zeros(0, np.int64)
    if isinstance(part, Tensor):
        part = part.a
    if isinstance(part, np.ndarray):
        if part.dtype.kind not in "biu":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        part = part.astype(builtins.bool) if part.dtype == np.uint8 else part
        return part.item() if part.ndim == 0 else part
    if isinstance(part, slice):
        start, stop, step = (None if n is None else n.__index__()
                             for n in (part.start, part.stop, part.step))  # fmt: skip
        if step is not None and step <= 0:
            raise ValueError("step must be greater than zero")
        return slice(start, stop, step)
    if part is None or part is Ellipsis or isinstance(part, (builtins.int, np.integer)):
        return part
    if isinstance(part, str):
        raise TypeError(f"new(): invalid data type {type(part).__name__!r}")
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {type(part).__name__})"
    )


def _part(array, key, fancy):
    """A part of an array; of one number too, a view."""
    whole = fancy or any(part is Ellipsis for part in key)
    try:
        return np.asarray(array[key if whole else (*key, ...)])
    except IndexError as error:
        raise IndexError(_of_dimensions(str(error))) from error


def _of_dimensions(text):
    """NumPy's sentence on an index in torch's words."""
    return re.sub(r"out of bounds for axis (\d+)", r"out of bounds for dimension \1", text)


def _fit_place(tensor, place, given, fancy):
    """Raise torch's error where values do not fit into the place that they are written to."""
    there, here = list(place.shape), list(given.shape)
    while len(here) > len(there) and here[0] == 1:
        here.pop(0)
    pairs = list(zip(here[::-1], there[::-1], strict=False))
    if len(here) <= len(there) and all(m in (1, n) for m, n in pairs):
        return
    if fancy:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {here} cannot be broadcast to indexing result "
            f"of shape {there}"
        )
    if len(here) > len(there):
        raise RuntimeError(
            f"expand(CPU{tensor.dtype.called}Type{{{here}}}, size={there}): the number of sizes "
            f"provided ({len(there)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({len(here)})"
        )
    back = next(i for i, (m, n) in enumerate(pairs) if m not in (1, n))
    raise RuntimeError(
        f"The expanded size of the tensor ({pairs[back][1]}) must match the existing size "
        f"({pairs[back][0]}) at non-singleton dimension {len(there) - 1 - back}.  Target sizes: "
        f"{there}.  Tensor sizes: {here}"
    )


def _same_dtype(array, value):
    """Raise torch's error where places that are listed are to hold another dtype."""
    if isinstance(value, Tensor) and value.a.dtype != array.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{dtypes.called(array)} for the destination and {dtypes.called(value.a)} for the "
            "source."
        )


def _overlapping(place, given):
    """Write into a place, as torch does where the values lie in the same memory."""
    if place.shape != given.shape or not np.may_share_memory(place, given) or (
        place.strides == given.strides and Storage(place).data_ptr() == Storage(given).data_ptr()
        and place.__array_interface__["data"] == given.__array_interface__["data"]
    ) or not np.shares_memory(place, given):  # fmt: skip
        place[...] = given
    elif place.flags.c_contiguous and given.flags.c_contiguous:
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor "
            "refer to a single memory location. Please clone() the tensor before performing the "
            "operation."
        )
    else:  # one number after the other, so that some are overwritten before they are read
        for index in np.ndindex(*place.shape):
            place[index] = given[index]


class OwnValueError(ValueError):
    """A ValueError that torch raises as well; NumPy's others are torch's RuntimeError."""


def written(array):
    """The array, to write into: not into one number at many places."""
    shared_ones = any(
        n > 1 and not step for n, step in zip(array.shape, array.strides, strict=True)
    )
    if shared_ones or not array.flags.writeable:
        raise RuntimeError(NOT_WRITABLE)
    return array


# How operations become functions and methods


def asked(function, name, tensor=True):
    """The function as torch calls it: its other names of arguments, and its errors.

    tensor: whether the first argument must be a tensor.
    """
    known = inspect.signature(function).parameters
    several = next((p.name for p in known.values() if p.kind is p.VAR_POSITIONAL), None)

    @functools.wraps(function)
    def call(*given, **named):
        if named:
            named = _named(name, named, known)
            given = (*given, named.pop(several)) if several in named else given
        first = given[0] if given else named.get("input", call)
        if tensor and not isinstance(first, Tensor) and first is not call:
            kind = type(first).__name__
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {kind}")
        if modes:
            return modes.pop()._look_at(call, given, named)
        try:
            return function(*given, **named)
        except np.exceptions.AxisError as error:
            raise IndexError(f"Dimension out of range ({error})") from error
        except IndexError as error:
            raise IndexError(_of_dimensions(str(error))) from error
        except OwnValueError as error:
            raise ValueError(str(error)) from error
        except ValueError as error:
            if "read-only" in str(error):
                raise RuntimeError(NOT_WRITABLE) from error
            raise RuntimeError(str(error)) from error

    call.__name__ = name
    return call


def _named(name, named, known):
    renamed = {}
    for key, value in named.items():
        own = key if key in known else SAME.get(key, key)
        if own is None:
            if key == "requires_grad" and value:
                raise Missing("gradient: requires_grad=True")
        elif own not in known:
            raise Missing(f"argument {key}= of {name}")
        else:
            renamed[own] = value
    return renamed


def shared(function=None, *, name=None, functional=False, inplace=False):
    """Make an operation a function of torch and a method; perhaps with one that ends in _."""
    if function is None:
        return lambda f: shared(f, name=name, functional=functional, inplace=inplace)
    name = name or function.__name__.rstrip("_")
    call = asked(function, name)
    FUNCTIONS[name] = call
    setattr(Tensor, name, call)
    if functional:
        FUNCTIONAL[name] = call
    if inplace:
        setattr(Tensor, f"{name}_", in_place(call, name))
    return function


def in_place(call, name):
    """The method that writes an operation's result into its tensor."""

    def write(self, *given, **named):
        return put(self, call(self, *given, **named))

    write.__name__ = f"{name}_"
    return write


def put(tensor, made):
    """Write a result into a tensor, if its dtype and shape allow that."""
    if category(made.a.dtype) > category(tensor.a.dtype):
        raise RuntimeError(
            f"result type {made.dtype.called} can't be cast to the desired output type "
            f"{tensor.dtype.called}"
        )
    if made.a.shape != tensor.a.shape:
        raise RuntimeError(
            f"output with shape {list(tensor.a.shape)} doesn't match the broadcast shape "
            f"{list(made.a.shape)}"
        )
    _overlapping(written(tensor.a), made.a)
    return tensor


def fit(*arrays):
    """Raise torch's error where arrays do not broadcast."""
    shape = ()
    for array in arrays:
        if isinstance(array, np.ndarray):
            shape = _joint(shape, array.shape)
    return shape


def _joint(a, b):
    if a == b or not b:
        return a
    if not a:
        return b
    count = max(len(a), len(b))
    a, b = (1,) * (count - len(a)) + a, (1,) * (count - len(b)) + b
    for i in range(count - 1, -1, -1):
        if a[i] != b[i] and 1 not in (a[i], b[i]):
            raise RuntimeError(
                f"The size of tensor a ({a[i]}) must match the size of tensor b ({b[i]}) at "
                f"non-singleton dimension {i}"
            )
    return tuple(m if n == 1 else n for m, n in zip(a, b, strict=True))


def unsupported(name, array):
    return NotImplementedError(f'"{name}" not implemented for {dtypes.called(array)!r}')


def wide(array):
    """Half precision in single precision, in which torch adds."""
    return array.astype(np.float32) if array.dtype == np.float16 else array


def need_real(name, array):
    if category(array.dtype) < REAL:
        raise unsupported(name, array)


# One number at a time


def _unary(name, function, whole=None, real=True, functional=False):
    """An operation on each number; real: whole numbers become float32."""

    def operation(input):
        a = input.a
        if real:
            a = a.astype(dtypes.real(a.dtype), copy=False)
        elif a.dtype.kind == "b":
            _refuse_bool(name, a)
        return wrap(np.asarray(function(a)))

    shared(operation, name=name, functional=functional, inplace=True)


def _refuse_bool(name, a):
    """Raise torch's error where an operation takes no booleans."""
    if name in ("neg", "negative", "positive"):
        raise RuntimeError(
            f"{name}: the `{'+' if name == 'positive' else '-'}` operator, on a bool tensor is not "
            "supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator "
            "instead."
        )
    if name == "relu":
        raise RuntimeError("Boolean inputs not supported for relu")
    if name != "sign":
        raise unsupported(f"{name}_cpu", a)


def _of_each(function):
    """A function of Python's math on each number of an array."""
    each = np.vectorize(function, otypes=[np.float64])
    return lambda a: each(a).astype(a.dtype) if a.size else a.copy()


def sigmoid_of(a):
    wider = wide(a)
    return (1 / (1 + np.exp(-wider))).astype(a.dtype)


def _whole_alone(function):
    return lambda a: a.copy() if a.dtype.kind in "iu" else function(a)


erf_of = _of_each(math.erf)
for _name, _function in {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "arctan": np.arctan, "rsqrt": lambda a: (1 / np.sqrt(a)).astype(a.dtype),
    "reciprocal": lambda a: (1 / a).astype(a.dtype), "erf": erf_of,
    "deg2rad": np.deg2rad, "rad2deg": np.rad2deg,
}.items():  # fmt: skip
    _unary(_name, _function)
_unary("sigmoid", sigmoid_of, functional=True)
_unary("tanh", np.tanh, functional=True)
for _name, _function in {
    "abs": np.abs, "absolute": np.abs, "neg": np.negative, "negative": np.negative,
    "sign": lambda a: a.copy() if a.dtype.kind == "b" else np.sign(a), "floor": _whole_alone(np.floor), "ceil": _whole_alone(np.ceil),
    "trunc": _whole_alone(np.trunc), "fix": _whole_alone(np.trunc),
    "frac": lambda a: a - np.trunc(a), "positive": np.positive,
}.items():  # fmt: skip
    _unary(_name, _function, real=False)
_unary("relu", lambda a: np.maximum(a, a.dtype.type(0)), real=False, functional=True)


@shared(inplace=True)
def square(input):
    return power(input, 2)


@shared(name="round", inplace=True)
def round_(input, decimals=0):
    if input.a.dtype.kind == "b":
        raise unsupported("round_vml_cpu", input.a)
    a = input.a
    return wrap(a.copy() if a.dtype.kind in "iu" else np.round(a, decimals))


def _asking(name, function):
    def operation(input):
        return wrap(np.asarray(function(input.a)))

    shared(operation, name=name)


for _name, _function in {
    "isfinite": np.isfinite, "isnan": np.isnan, "isinf": np.isinf, "signbit": np.signbit,
    "isneginf": np.isneginf, "isposinf": np.isposinf, "isreal": np.isreal,
}.items():  # fmt: skip
    _asking(_name, _function)


@shared
def logical_not(input):
    return wrap(~input.a.astype(bool))


@shared
def bitwise_not(input):
    if category(input.a.dtype) > WHOLE:
        raise unsupported("bitwise_not_cpu", input.a)
    return wrap(np.asarray(~input.a))


def _inverted(self):
    if category(self.a.dtype) > WHOLE:
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    return bitwise_not(self)


@shared
def conj(input):
    return wrap(input.a.conj()) if input.a.dtype.kind == "c" else input


@shared
def angle(input):
    return wrap(np.angle(input.a).astype(dtypes.real(input.a.real.dtype)))


@shared(inplace=True)
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    if input.a.dtype.kind in "biu":
        return wrap(input.a.copy())
    filled = np.nan_to_num(input.a, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)
    return wrap(np.asarray(filled, input.a.dtype))


# Two tensors, or a tensor and a number


def operand(value, name="other"):
    """The array or number of an operand."""
    if isinstance(value, Tensor):
        return value.a
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (builtins.bool, builtins.int, builtins.float, complex)):
        return value
    kind = type(value).__name__
    raise TypeError(f"argument '{name}' (position 2) must be Tensor, not {kind}")


def both(a, b, real=False):
    """Two operands as arrays of the dtype of their result."""
    fit(a, b)
    kind = dtypes.result(a, b)
    kind = dtypes.real(kind) if real else kind
    return np.asarray(a, kind), np.asarray(b, kind)


def _binary(name, function, sign=None, real=False, tensors=False, refuse=None):
    """An operation on two operands; sign: Python's name of the operator."""

    def operation(input, other):
        if tensors and not isinstance(other, Tensor):
            kind = type(other).__name__
            raise TypeError(f"{name}(): argument 'other' (position 2) must be Tensor, not {kind}")
        a, b = operand(input), operand(other)
        fit(a, b)
        if refuse:
            refuse(a, b)
        return wrap(np.asarray(function(*both(a, b, real))))

    shared(operation, name=name, inplace=True)
    if sign:
        operator(sign, operation, name)


def operator(sign, operation, name):
    """The methods that Python calls for an operator."""

    call = asked(operation, name, False)

    def ahead(self, other):
        return call(self, _numbers(other)) if _apt(other) else NotImplemented

    def behind(self, other):
        return call(_numbers(other), self) if _apt(other) else NotImplemented

    def within(self, other):
        return put(self, ahead(self, other)) if _apt(other) else NotImplemented

    setattr(Tensor, f"__{sign}__", ahead)
    setattr(Tensor, f"__r{sign}__", behind)
    if sign != "matmul":
        setattr(Tensor, f"__i{sign}__", within)


APT = (Tensor, builtins.bool, builtins.int, builtins.float, complex, np.generic, np.ndarray)


def _apt(other):
    return isinstance(other, APT)


def _numbers(other):
    return wrap(other) if isinstance(other, np.ndarray) else other


def _no_minus(a, b):
    some = [getattr(x, "dtype", type(x)) == builtins.bool for x in (a, b)]
    if all(some):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if any(some):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead."
        )


def _no_zero(a, b):
    whole = category(dtypes.result(a, b)) <= WHOLE
    if category(dtypes.result(a, b)) == BOOL:
        raise unsupported("remainder_cpu", np.zeros(0, bool))
    if whole and np.any(np.asarray(b) == 0):
        raise RuntimeError("ZeroDivisionError")


_binary("add", np.add, "add")
_binary("sub", np.subtract, "sub", refuse=_no_minus)
_binary("subtract", np.subtract, refuse=_no_minus)
_binary("mul", np.multiply, "mul")
_binary("multiply", np.multiply)
_binary("true_divide", np.true_divide, "truediv", real=True)
_binary("floor_divide", np.floor_divide, "floordiv", refuse=_no_zero)
_binary("remainder", np.mod, "mod", refuse=_no_zero)
_binary("fmod", np.fmod)
_binary("maximum", np.maximum, tensors=True)
_binary("minimum", np.minimum, tensors=True)
_binary("fmax", np.fmax, tensors=True)
_binary("fmin", np.fmin, tensors=True)
_binary("atan2", np.arctan2, real=True, tensors=True)
_binary("logaddexp", np.logaddexp, tensors=True)
_binary("hypot", np.hypot, tensors=True)


@shared(inplace=True)
def div(input, other, rounding_mode=None):
    a, b = operand(input), operand(other)
    if rounding_mode is None:
        return wrap(np.asarray(np.true_divide(*both(a, b, True))))
    if rounding_mode == "floor":
        _no_zero(a, b)
        return wrap(np.asarray(np.floor_divide(*both(a, b))))
    return wrap(np.trunc(np.true_divide(*both(a, b))).astype(dtypes.result(a, b)))


shared(div, name="divide", inplace=True)


@shared(name="pow", inplace=True)
def power(input, exponent):
    a, b = operand(input), operand(exponent)
    kind = dtypes.result(a, b)
    if category(kind) == WHOLE and isinstance(b, builtins.int) and b < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    x, y = both(a, b)
    if x.dtype.kind == "b":
        return wrap(np.asarray(x | ~y))
    if category(kind) == WHOLE and (y < 0).any():
        upward = np.power(x, np.abs(y))
        return wrap(np.where(y < 0, np.where(np.abs(x) == 1, upward, 0), upward).astype(kind))
    return wrap(np.asarray(np.power(wide(x), wide(y)).astype(kind)))


FUNCTIONS["pow"] = asked(power, "pow", False)
operator("pow", power, "pow")


def _comparing(name, function, sign):
    def operation(input, other):
        return wrap(np.asarray(function(*both(operand(input), operand(other)))))

    shared(operation, name=name)

    call = asked(operation, name)

    def compare(self, other):
        return call(self, _numbers(other)) if _apt(other) else NotImplemented

    setattr(Tensor, f"__{sign or name}__", compare)


for _name, _function in {"lt": np.less, "le": np.less_equal, "gt": np.greater,
                         "ge": np.greater_equal, "eq": np.equal,
                         "ne": np.not_equal}.items():  # fmt: skip
    _comparing(_name, _function, "")
for _name, _other in {"less": "lt", "greater": "gt", "less_equal": "le", "greater_equal": "ge",
                      "not_equal": "ne"}.items():  # fmt: skip
    FUNCTIONS[_name] = FUNCTIONS[_other]
    setattr(Tensor, _name, FUNCTIONS[_other])


def _logical(name, function):
    def operation(input, other):
        a, b = operand(input), operand(other)
        fit(a, b)
        return wrap(np.asarray(function(a, b)))

    shared(operation, name=name, inplace=True)


def _bitwise(name, function, sign):
    def refuse(a, b):
        kind = dtypes.result(a, b)
        if category(kind) > WHOLE:
            raise unsupported(f"{name}_cpu", np.zeros(0, kind))

    _binary(name, function, sign, refuse=refuse)


for _name, _function, _sign in (("and", np.bitwise_and, "and"), ("or", np.bitwise_or, "or"),
                                ("xor", np.bitwise_xor, "xor")):  # fmt: skip
    _bitwise(f"bitwise_{_name}", _function, _sign)
    _logical(f"logical_{_name}", getattr(np, f"logical_{_name}"))
_bitwise("bitwise_left_shift", np.left_shift, "lshift")
_bitwise("bitwise_right_shift", np.right_shift, "rshift")
Tensor.__invert__ = _inverted
Tensor.__neg__ = Tensor.neg
Tensor.__abs__ = Tensor.abs
Tensor.__pos__ = Tensor.positive


@shared
def addcmul(input, tensor1, tensor2, value=1):
    return input + value * tensor1 * tensor2


@shared(inplace=True)
def lerp(input, end, weight):
    return input + weight * (end - input)


@shared
def xlogy(input, other):
    a, b = both(operand(input), operand(other), True)
    return wrap(np.where(a == 0, np.where(np.isnan(b), b, 0), a * np.log(b)).astype(a.dtype))


@shared(inplace=True)
def clamp(input, min=None, max=None):
    bounds = [operand(x) for x in (min, max) if x is not None]
    if not bounds:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    fit(input.a, *bounds)
    kind = dtypes.result(input.a, *bounds)
    if category(kind) == BOOL and not any(isinstance(x, np.ndarray) for x in bounds):
        raise unsupported("clamp_scalar_cpu", input.a)
    made = input.a.astype(kind)
    if min is not None:
        made = np.maximum(made, np.asarray(operand(min), kind))
    if max is not None:
        made = np.minimum(made, np.asarray(operand(max), kind))
    return wrap(np.asarray(made))


shared(clamp, name="clip", inplace=True)


@shared(inplace=True)
def clamp_min(input, min):
    return clamp(input, min=min)


@shared(inplace=True)
def clamp_max(input, max):
    return clamp(input, max=max)


@shared
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    fit(input.a, other.a)
    if input.a.dtype != other.a.dtype:
        raise RuntimeError(f"{input.dtype.called} did not match {other.dtype.called}")
    return wrap(np.asarray(np.isclose(input.a, other.a, rtol, atol, equal_nan)))


@shared
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(isclose(input, other, rtol, atol, equal_nan).a.all())


@shared
def equal(input, other):
    return input.a.shape == other.a.shape and bool((input.a == other.a).all())


def _where(condition, input=None, other=None):
    if input is None:
        return nonzero(condition, as_tuple=True)
    if condition.a.dtype.kind != "b" and condition.a.dtype != np.uint8:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{condition.dtype.called}"
        )
    a, b = operand(input), operand(other)
    fit(condition.a, a, b)
    a, b = both(a, b)
    return wrap(np.asarray(np.where(condition.a.astype(bool), a, b)))


FUNCTIONS["where"] = asked(_where, "where")
Tensor.where = lambda self, condition, other: FUNCTIONS["where"](condition, self, other)


@shared(inplace=True)
def masked_fill(input, mask, value):
    if mask.a.dtype.kind != "b":
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}"
        )
    value = operand(value, "value")
    if isinstance(value, np.ndarray) and value.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
    fit(input.a, mask.a)
    return wrap(np.asarray(np.where(mask.a, _held(value, input.a), input.a)))


def _held(value, array):
    """A number as one of the array's dtype, in which it must have a place."""
    if isinstance(value, np.ndarray):
        if category(value.dtype) > category(array.dtype):
            raise RuntimeError(f"value cannot be converted to type {dtypes.called(array)}")
        return value.astype(array.dtype)
    if array.dtype.kind in "iu" and not math.isfinite(value):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return array.dtype.type(value)


@shared
def masked_select(input, mask):
    return wrap(np.broadcast_to(input.a, fit(input.a, mask.a))[
        np.broadcast_to(mask.a, fit(input.a, mask.a))])  # fmt: skip


def _filled(self, value):
    written(self.a)[...] = bare(value)
    return self


Tensor.fill_ = _filled
Tensor.zero_ = lambda self: _filled(self, 0)


def _copied(self, other):
    if fit(self.a, other.a) != self.a.shape:
        raise RuntimeError(f"The expanded size of the tensor {tuple(self.shape)} must match")
    _overlapping(written(self.a), np.broadcast_to(other.a, self.a.shape))
    return self


Tensor.copy_ = _copied


@shared
def clone(input, memory_format=None):
    return wrap(input.a.copy(order="K"))


# Many numbers into one


def _reduced(name, function, least=BOOL, whole=None):
    """A reduction; whole: the dtype of the result for whole numbers."""

    def operation(input, dim=None, keepdim=False, dtype=None):
        a = input.a if dtype is None else input.a.astype(dtype.numpy)
        if category(a.dtype) < least:
            kind = "floating point or complex"
            raise RuntimeError(
                f"{name}(): could not infer output dtype. Input dtype must be either a {kind} "
                f"dtype. Got: {dtypes.called(a)}"
            )
        kind = whole if whole and dtype is None and category(a.dtype) <= WHOLE else a.dtype
        made = function(wide(a).astype(kind if kind != np.float16 else np.float32, copy=False),
                        axis=axes_of(dim, a.ndim), keepdims=keepdim)  # fmt: skip
        return wrap(np.asarray(made).astype(kind, copy=False))

    shared(operation, name=name)


_reduced("sum", np.sum, whole=np.dtype(np.int64))
_reduced("nansum", np.nansum, whole=np.dtype(np.int64))
_reduced("mean", np.mean, least=REAL)
_reduced("nanmean", np.nanmean, least=REAL)
_reduced("prod", np.prod, whole=np.dtype(np.int64))
_reduced("amax", np.max)
_reduced("amin", np.min)


def _any_or_all(name, function):
    def operation(input, dim=None, keepdim=False):
        made = function(input.a.astype(bool), axis=axes_of(dim, input.a.ndim), keepdims=keepdim)
        return wrap(np.asarray(made))

    shared(operation, name=name)


_any_or_all("any", np.any)
_any_or_all("all", np.all)


Pair = collections.namedtuple("Pair", "values indices")
MinMax = collections.namedtuple("MinMax", "min max")


def pair(values, indices):
    """Values and their places, as torch gives them."""
    return Pair(wrap(np.asarray(values)), wrap(np.asarray(indices)))


def _extreme(name, one, place, of_two):
    def operation(input, dim=None, keepdim=False, other=None):
        if isinstance(dim, Tensor) or other is not None:
            return FUNCTIONS[of_two](input, dim if other is None else other)
        if not input.a.size and dim is None:
            raise RuntimeError(f"{name}(): Expected reduction dim to be specified for "
                               "input.numel() == 0. Specify the reduction dim with the 'dim' "
                               "argument.")  # fmt: skip
        if dim is None:
            return wrap(np.asarray(one(input.a)))
        found = _place_along(place, input.a, dim, True)
        values = np.take_along_axis(input.a, found, axis(dim, input.a.ndim)) if input.a.ndim \
            else input.a  # fmt: skip
        if not keepdim and input.a.ndim:
            values, found = (x.squeeze(axis(dim, input.a.ndim)) for x in (values, found))
        return pair(values, found)

    shared(operation, name=name)


def _place_along(place, a, dim, keepdim):
    if not a.ndim:
        axis(dim, 0)
        return np.asarray(0)
    return np.asarray(place(a, axis(dim, a.ndim), keepdims=keepdim))


_extreme("max", np.max, np.argmax, "maximum")
_extreme("min", np.min, np.argmin, "minimum")


def _place_of(name, place):
    def operation(input, dim=None, keepdim=False):
        if input.a.dtype.kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        if dim is None:
            if not input.a.size:
                raise IndexError(f"{name}(): Expected reduction dim to be specified for "
                                 "input.numel() == 0. Specify the reduction dim with the 'dim' "
                                 "argument.")  # fmt: skip
            return wrap(np.asarray(place(input.a)))
        return wrap(_place_along(place, input.a, dim, keepdim))

    shared(operation, name=name)


_place_of("argmax", np.argmax)
_place_of("argmin", np.argmin)


@shared
def aminmax(input, *, dim=None, keepdim=False):
    made = [FUNCTIONS[name](input, dim, keepdim) if dim is not None else FUNCTIONS[name](input)
            for name in ("amin", "amax")]  # fmt: skip
    return MinMax(*made)


def _spread(name, root):
    def operation(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, builtins.bool):
            dim, unbiased = None, dim
        if category(input.a.dtype) < REAL:
            raise RuntimeError(f"{name} and {name}_mean: only support floating point and complex")
        less = correction if correction is not None else builtins.int(unbiased)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = np.var(wide(input.a), axis=axes_of(dim, input.a.ndim), keepdims=keepdim,
                          ddof=less)  # fmt: skip
            made = np.sqrt(made) if root else made
        return wrap(np.asarray(made).astype(input.a.dtype))

    shared(operation, name=name)


_spread("std", True)
_spread("var", False)


@shared
def norm(input, p="fro", dim=None, keepdim=False):
    if category(input.a.dtype) < REAL:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{dtypes.called(input.a)}"
        )
    a, dims = np.abs(wide(input.a)), axes_of(dim, input.a.ndim)
    if p in ("fro", 2, None):
        made = np.sqrt(np.square(a).sum(dims, keepdims=keepdim))
    elif p in (math.inf, -math.inf):
        made = (np.max if p > 0 else np.min)(a, axis=dims, keepdims=keepdim)
    elif p == 0:
        made = (a != 0).sum(dims, keepdims=keepdim)
    else:
        made = (a**p).sum(dims, keepdims=keepdim) ** (1 / p)
    return wrap(np.asarray(made).astype(input.a.real.dtype))


def rows_softmax(a, dim):
    """The softmax of an array of real numbers."""
    if not a.ndim:
        return np.ones_like(a)
    b, dim = wide(a), axis(dim, a.ndim)
    if not a.size:
        return a.copy()
    e = np.exp(b - b.max(dim, keepdims=True))
    return np.ascontiguousarray((e / e.sum(dim, keepdims=True)).astype(a.dtype))


def _converted(input, dtype):
    return input.a if dtype is None else input.a.astype(dtype.numpy)


@shared
def softmax(input, dim, dtype=None):
    a = _converted(input, dtype)
    axis(dim, a.ndim)
    need_real("softmax_lastdim_kernel_impl", a)
    return wrap(rows_softmax(a, dim))


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
    return wrap(np.asarray(made if keepdim else made.squeeze(dims)).astype(a.dtype))


def _running(name, function):
    def operation(input, dim, dtype=None):
        a = _converted(input, dtype)
        kind = np.dtype(np.int64) if category(a.dtype) <= WHOLE and dtype is None else a.dtype
        axis(dim, a.ndim)
        if not a.ndim:
            return wrap(a.astype(kind))
        return wrap(function(a.astype(kind), axis=axis(dim, a.ndim)).astype(kind))

    shared(operation, name=name, inplace=True)


_running("cumsum", np.cumsum)
_running("cumprod", np.cumprod)
_running("logcumsumexp", np.logaddexp.accumulate)


def _running_extreme(name, function):
    def operation(input, dim):
        a, dim = input.a, axis(dim, input.a.ndim)
        values = function.accumulate(a, axis=dim)
        shape = [-1 if i == dim else 1 for i in range(a.ndim)]
        steps = np.arange(a.shape[dim]).reshape(shape)
        return pair(values, np.maximum.accumulate(np.where(a == values, steps, 0), axis=dim))

    shared(operation, name=name)


_running_extreme("cummax", np.maximum)
_running_extreme("cummin", np.minimum)


@shared
def diff(input, n=1, dim=-1, prepend=None, append=None):
    ends = {k: v.a for k, v in (("prepend", prepend), ("append", append)) if v is not None}
    if input.a.dtype.kind == "b":
        return wrap(np.diff(input.a, n, axis(dim, input.a.ndim), **ends))
    return wrap(np.diff(input.a, n, axis(dim, input.a.ndim), **ends))


@shared
def count_nonzero(input, dim=None):
    return wrap(np.asarray(np.count_nonzero(input.a, axis=axes_of(dim, input.a.ndim))))


@shared
def median(input, dim=None, keepdim=False):
    a = input.a.reshape(-1) if dim is None else input.a
    along = 0 if dim is None else axis(dim, a.ndim)
    middle = np.argsort(a, along, kind="stable").take([(a.shape[along] - 1) // 2], along)
    values = np.take_along_axis(a, middle, along)
    if dim is None:
        return wrap(values[0, ...])
    if not keepdim:
        values, middle = values.squeeze(along), middle.squeeze(along)
    return pair(values, middle)


@shared
def bincount(input, weights=None, minlength=0):
    if input.a.ndim != 1 or input.a.dtype.kind not in "iu":
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    made = np.bincount(input.a, None if weights is None else weights.a, minlength)
    return wrap(made if weights is None or weights.a.dtype != np.float32 else made.astype("f4"))


@shared
def histc(input, bins=100, min=0, max=0):
    low, high = (min, max) if min != max else (input.a.min(), input.a.max())
    return wrap(np.histogram(input.a, bins, (low, high))[0].astype(input.a.dtype))


@shared
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    made = np.unique(input.a, return_inverse=return_inverse, return_counts=return_counts,
                     axis=dim, equal_nan=False)  # fmt: skip
    if not isinstance(made, tuple):
        return wrap(made)
    made = list(made)
    if return_inverse and dim is None:
        made[1] = made[1].reshape(input.a.shape)
    return tuple(map(wrap, made))


# Shapes


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
    return wrap(np.repeat(input.a, bare(repeats), along))


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
    seen = np.lib.stride_tricks.sliding_window_view(self.a, size, dimension)
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
    np.fill_diagonal(written(self.a), fill_value, wrap)
    return self


Tensor.fill_diagonal_ = _fill_diagonal


# Places


@shared
def gather(input, dim, index):
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
    made = input.a.copy()
    part = _as_large(wrap(made), dim, index)
    source = value if src is None else src
    held = bare(source)
    if isinstance(held, np.ndarray):
        held = held[tuple(map(slice, index.a.shape))]
    np.put_along_axis(part, index.a, held, axis(dim, made.ndim))
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
    return wrap(np.take(input.a, index.a.reshape(-1), dim))


@shared(inplace=True)
def index_fill(input, dim, index, value):
    made = input.a.copy()
    made[(slice(None),) * axis(dim, made.ndim) + (index.a,)] = bare(value)
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
    _same_dtype(input.a, values)
    made, key = input.a.copy(), tuple(_place(i) for i in indices)
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
        return tuple(map(wrap, found)) if as_tuple else wrap(np.zeros((len(found[0]), 0), np.int64))
    found = input.a.nonzero()
    return tuple(map(wrap, found)) if as_tuple else wrap(np.stack(found, -1))


shared(lambda input: nonzero(input), name="argwhere")


def _order(a, dim, descending):
    if not descending:
        return np.argsort(a, dim, kind="stable")
    backwards = np.argsort(np.flip(a, dim), dim, kind="stable")
    return np.flip(a.shape[dim] - 1 - backwards, dim)


@shared
def sort(input, dim=-1, descending=False, stable=False):
    if not input.a.ndim:
        return pair(input.a, np.asarray(0))
    dim = axis(dim, input.a.ndim)
    order = _order(input.a, dim, descending)
    return pair(np.take_along_axis(input.a, order, dim), order)


@shared
def argsort(input, dim=-1, descending=False, stable=False):
    return wrap(_order(input.a, axis(dim, input.a.ndim), descending)) if input.a.ndim else wrap(0)


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


# Products


def _same_kind(a, b):
    if a.dtype != b.dtype:
        names = [str(dtypes.of(x))[6:].replace("float32", "float").replace("float64", "double")
                 .replace("int64", "long") for x in (a, b)]  # fmt: skip
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}"
        )
    if a.dtype.kind == "b":
        raise unsupported("addmm_impl_cpu_", a)


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
    _same_kind(a, b)
    _fit_product(a, b)
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
