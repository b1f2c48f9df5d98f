"""torch.Tensor over a NumPy array, and what tensors and functions of torch share.

Each operation is written once, as a function whose first argument is a tensor; `shared` puts it
into the module and makes it a method.
"""

import builtins
import functools
import inspect
import linecache
import math
import os

import numpy as np

from . import dtypes
from .dtypes import REAL, category
from .missing import Missing, lacking

FUNCTIONS, FUNCTIONAL = {}, {}  # torch's and torch.nn.functional's
odd = None  # where that is asked for: the arrays that hold NaN or infinity
modes = []  # what looks at every call, as torch.overrides.TorchFunctionMode does
SAME = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x2": "other", "device": None,
        "requires_grad": None, "pin_memory": None, "layout": None}  # fmt: skip
NOT_WRITABLE = (
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location. Please clone() the tensor before performing the operation."
)

IN_ONE_PLACE = NOT_WRITABLE.replace(
    "more than one element of the written-to tensor refers",
    "some elements of the input tensor and the written-to tensor refer",
)


def need(fine, text, kind=RuntimeError):
    """Raise torch's error, with this text, where something is not as torch wants it."""
    if not fine:
        raise kind(text)


def need_tensor(value, name, place="'other' (position 2)"):
    """Raise torch's error where an argument is no tensor."""
    kind = type(value).__name__
    told = f"{name}(): argument {place} must be Tensor, not {kind}"
    need(isinstance(value, Tensor), told, TypeError)


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

    def __str__(self):
        return self.type

    def __eq__(self, other):
        return isinstance(other, device)


class Tensor:
    """A tensor without gradients."""

    __array_priority__ = 1000
    __slots__ = ("__weakref__", "a")
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
    data = property(lambda self: wrap(self.a), lambda self, value: setattr(self, "a", value.a))
    imag = property(lambda self: wrap(self.a.imag))

    @property
    def real(self):
        return wrap(self.a.real) if self.a.dtype.kind == "c" else self

    @property
    def mT(self):
        need(self.a.ndim != 1, "tensor.mT is only supported on matrices. Got 1-D tensor.")
        return wrap(self.a.swapaxes(-1, -2)) if self.a.ndim else self

    def __getattr__(self, name):
        lacking("Tensor", name, f"'Tensor' object has no attribute {name!r}")
        raise Missing(f"Tensor.{name}")

    def __repr__(self):
        shown = np.array2string(self.a, separator=", ", precision=4, prefix="tensor(")
        usual = self.a.dtype in (dtypes.FLOAT, np.int64, builtins.bool)
        return f"tensor({shown})" if usual else f"tensor({shown}, dtype={self.dtype})"

    def __format__(self, how):
        return format(self.a.item() if self.a.ndim == 0 else self, how)

    def __len__(self):
        need(self.a.ndim, "len() of a 0-d tensor", TypeError)
        return len(self.a)

    def __iter__(self):
        need(self.a.ndim, "iteration over a 0-d tensor", TypeError)
        return (wrap(self.a[i, ...]) for i in range(len(self.a)))

    def __contains__(self, value):
        return builtins.bool((self.a == bare(value)).any())

    def __bool__(self):
        how = "more than one value" if self.a.size else "no values"
        need(self.a.size == 1, f"Boolean value of Tensor with {how} is ambiguous")
        return builtins.bool(self.a.item())

    def __index__(self):
        told = "only integer tensors of a single element can be converted to an index"
        need(self.a.size == 1 and self.a.dtype.kind in "iu", told, TypeError)
        return self.a.item()

    def __array__(self, dtype=None, copy=None):
        return self.a if dtype is None else self.a.astype(dtype)

    def __getitem__(self, key):
        part, lists = place(self.a, key)
        return wrap(_listed(part, lists) if lists else part)

    def __setitem__(self, key, value):
        fine = isinstance(value, (Tensor, builtins.bool, builtins.int, builtins.float, complex))
        told = f"can't assign a {type(value).__name__} to a torch.{self.dtype.called}Tensor"
        need(fine, told, TypeError)
        if key is False:
            return
        part, lists = place(self.a, ... if key is True else key)
        written(part)
        given = held(bare(value), self.a.dtype, False)
        if not lists:
            _fit_place(part, given, False)
            put_in(part, given)
            return
        _fit_place(_listed(part, lists), given, True)
        need(not _overlap(part, given), IN_ONE_PLACE)
        masked = [i.dtype.kind for i in lists if isinstance(i, np.ndarray)] == ["b"]
        if given.size > 1 or not masked:  # what is masked is filled with one number of any dtype
            same_dtype(self, value)
        part[lists] = given

    __hash__ = object.__hash__

    def item(self):
        told = f"a Tensor with {self.a.size} elements cannot be converted to Scalar"
        need(self.a.size == 1, told)
        return self.a.item()

    def size(self, dim=None):
        return self.shape if dim is None else self.a.shape[axis(dim, self.a.ndim)]

    def contiguous(self):
        return self if self.a.flags.c_contiguous else wrap(np.ascontiguousarray(self.a))

    def requires_grad_(self, requires=True):
        if requires:
            raise Missing("gradient: requires_grad_()")
        return self

    def to(self, *where, dtype=None, device=None, copy=False, non_blocking=False, **other):
        dtype = dtypes.wanted(dtype)
        for one in (*where, *other.values()):
            if isinstance(one, Tensor):
                dtype = one.dtype
            elif isinstance(one, str):
                globals()["device"](one)
            elif not isinstance(one, (globals()["device"], builtins.bool)) and one is not None:
                dtype = dtypes.wanted(one)
        kind = self.a.dtype if dtype is None else dtype.numpy
        return wrap(self.a.astype(kind)) if copy or kind != self.a.dtype else self

    def type(self, dtype=None):
        if dtype is None:
            return f"torch.{self.dtype.called}Tensor"
        need(not isinstance(dtype, builtins.type), f"invalid type: {dtype!r}", ValueError)
        return self.to(dtype)

    def new_tensor(self, data, dtype=None):
        kind = self.a.dtype if dtype is None else dtypes.wanted(dtype).numpy
        return wrap(np.array(bare(data), kind))


class Storage:
    """The memory of a tensor."""

    def __init__(self, array):
        while isinstance(array.base, np.ndarray):
            array = array.base
        self.array = array

    def nbytes(self):
        return self.array.nbytes


def _converting(name):
    kind = dtypes.NAMED[dtypes.OTHER_NAMES.get(name, name)]
    return lambda self: self.to(kind)


for _name in ("float", "double", "half", "long", "int", "short", "bool", "bfloat16"):
    setattr(Tensor, _name, _converting(_name))
Tensor.byte, Tensor.char = _converting("uint8"), _converting("int8")
for _name in ("cpu", "detach", "resolve_conj", "resolve_neg"):
    setattr(Tensor, _name, lambda self: self)
for _name, _method in {
    "__float__": lambda self: builtins.float(self.item()),
    "__int__": lambda self: builtins.int(self.item()),
    "__complex__": lambda self: complex(self.item()),
    "__round__": lambda self, digits=None: wrap(np.round(self.a, digits or 0)),
    "__copy__": lambda self: wrap(self.a),
    "__deepcopy__": lambda self, memo: wrap(self.a.copy()),
    "tolist": lambda self: self.a.tolist(),
    "numpy": lambda self, force=False: self.a,
    "dim": lambda self: self.a.ndim,
    "ndimension": lambda self: self.a.ndim,
    "numel": lambda self: self.a.size,
    "nelement": lambda self: self.a.size,
    "element_size": lambda self: self.a.itemsize,
    "data_ptr": lambda self: self.a.__array_interface__["data"][0],
    "untyped_storage": lambda self: Storage(self.a),
    "is_floating_point": lambda self: self.dtype.is_floating_point,
    "is_complex": lambda self: self.dtype.is_complex,
    "is_contiguous": lambda self: self.a.flags.c_contiguous,
    "type_as": lambda self, other: self.to(other.dtype),
}.items():  # of one expression each
    setattr(Tensor, _name, _method)


def wrap(array):
    """The tensor of an array; it shares its memory."""
    tensor = object.__new__(Tensor)
    tensor.a = array if isinstance(array, np.ndarray) else np.asarray(array)
    if odd is not None and is_odd(tensor.a):
        odd.append(tensor.a)
    return tensor


def is_odd(array):
    """Whether an array holds NaN or infinity; minus infinity is a score like others."""
    return array.dtype.kind == "f" and not (array < np.inf).all()


def bare(value):
    """Arrays in place of tensors, also within lists and tuples."""
    if isinstance(value, Tensor):
        return value.a
    if isinstance(value, (list, tuple)):
        return type(value)(map(bare, value)) if type(value) in (list, tuple) else tuple(value)
    return value


def whole(array):
    """Places or counts as int64, which they are not in 32 bits."""
    return np.asarray(array).astype(np.int64, copy=False)


def axis(dim, axes, more=0):
    """An axis counted from the front; axes: how many there are."""
    if isinstance(dim, Tensor):
        dim = dim.__index__()
    fine = isinstance(dim, (builtins.int, np.integer)) and not isinstance(dim, builtins.bool)
    need(fine, f"argument 'dim' must be int, not {type(dim).__name__}", TypeError)
    count = max(axes + more, 1)
    there = f"expected to be in range of [{-count}, {count - 1}], but got {dim}"
    need(-count <= dim < count, f"Dimension out of range ({there})", IndexError)
    return dim % count


def axes_of(dim, axes):
    """A tuple of axes for NumPy, of a dim as torch takes it: None, one or several."""
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return tuple(range(axes))
    found = tuple(axis(d, axes) for d in (dim if isinstance(dim, (list, tuple)) else [dim]))
    need(len(set(found)) == len(found), f"a dim appears multiple times in the list of dims {dim}")
    return found if axes else ()


def sizes(given):
    """Sizes given one by one or as one tuple, as a tuple of int."""
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = given[0]
    for n in given:
        whole = isinstance(n, (builtins.int, np.integer)) and not isinstance(n, builtins.bool)
        whole |= isinstance(n, Tensor) and n.a.dtype.kind in "iu" and n.a.size == 1
        told = f"argument 'size' must be tuple of ints, but found element of {type(n).__name__}"
        need(whole, told, TypeError)
    return tuple(builtins.int(n) for n in given)


def place(array, key):
    """The part of an array that a key's numbers, slices and None's take, and the lists that follow.

    As in torch, numbers are taken before lists; the lists are a key of the part, or ().
    """
    many = (list, tuple, slice, Tensor, type(...), type(None))
    several = isinstance(key, list) and any(isinstance(part, many) for part in key)
    parts = [place_of(part) for part in (key if several or isinstance(key, tuple) else (key,))]
    taken = sum(map(_taken, parts))
    told = f"too many indices for tensor of dimension {array.ndim}"
    need(taken <= array.ndim, told, IndexError)
    basic, lists, open_ = [], [], array.ndim - taken
    for part in parts:
        if part is Ellipsis:
            basic, lists = basic + [slice(None)] * open_, lists + [slice(None)] * open_
            open_ = 0
        elif isinstance(part, builtins.bool):
            basic.append(None)
            lists.append(np.zeros(builtins.int(part), np.int64))
        elif isinstance(part, np.ndarray):
            basic += [slice(None)] * _taken(part)
            lists.append(part)
        else:
            basic.append(part)
            lists += [] if isinstance(part, (builtins.int, np.integer)) else [slice(None)]
    part = _listed(array, (*basic, ...))
    return part, tuple(lists) if any(isinstance(i, np.ndarray) for i in lists) else ()


def _listed(array, key):
    """What a key takes of an array; NumPy's sentence on places outside of it in torch's words."""
    try:
        return np.asarray(array[key])
    except IndexError as error:
        told = str(error).replace("out of bounds for axis ", "out of bounds for dimension ")
        raise IndexError(told) from error


def _taken(part):
    """How many axes a part of a key takes."""
    if part is None or part is Ellipsis or isinstance(part, builtins.bool):
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype.kind == "b" else 1


def place_of(part):
    if isinstance(part, range):
        part = list(part)
    if isinstance(part, (list, tuple)):
        part = np.asarray(bare(part)) if part else np.zeros(0, np.int64)
    if isinstance(part, Tensor):
        part = part.a
    if isinstance(part, np.ndarray):
        told = "tensors used as indices must be long, int, byte or bool tensors"
        need(part.dtype.kind in "biu", told, IndexError)
        part = part.astype(builtins.bool) if part.dtype == np.uint8 else part
        return part.item() if part.ndim == 0 else part
    if isinstance(part, slice):
        ends = part.start, part.stop, part.step
        start, stop, step = (None if n is None else n.__index__() for n in ends)
        need(step is None or step > 0, "step must be greater than zero", ValueError)
        return slice(start, stop, step)
    need(not isinstance(part, str), "new(): invalid data type 'str'", TypeError)
    fine = part is None or part is Ellipsis or isinstance(part, (builtins.int, np.integer))
    told = "only integers, slices (`:`), ellipsis (`...`) and None are valid indices"
    need(fine, f"{told} (got {type(part).__name__})", IndexError)
    return part


def _fit_place(place, given, fancy):
    """Raise torch's error where values do not fit into the place that they are written to."""
    there, here = list(place.shape), list(given.shape)
    while len(here) > len(there) and here[0] == 1:
        here.pop(0)
    fits = all(m in (1, n) for m, n in zip(here[::-1], there[::-1], strict=False))
    told = f"shape mismatch: value tensor of shape {here} cannot be broadcast to indexing result "
    need((fits and len(here) <= len(there)) or not fancy, f"{told} of shape {there}")
    need_wider(here, there)


def need_wider(here, there):
    """Raise torch's error where a shape cannot be expanded to another."""
    ahead = len(there) - len(here)
    need(ahead >= 0, f"expand(Tensor{{{here}}}, size={there}): the number of sizes provided "
         f"({len(there)}) must be greater or equal to the number of dimensions in the tensor "
         f"({len(here)})")  # fmt: skip
    for i, (m, n) in enumerate(zip(here, there[ahead:], strict=True), start=ahead):
        need(m in (1, n), f"The expanded size of the tensor ({n}) must match the existing size "
             f"({m}) at non-singleton dimension {i}.  Target sizes: {there}.  Tensor sizes: "
             f"{here}")  # fmt: skip


def same_dtype(tensor, value):
    """Raise torch's error where places that are listed are to hold another dtype."""
    kind = getattr(value, "dtype", tensor.dtype)
    told = "Index put requires the source and destination dtypes match, got"
    need(kind == tensor.dtype, f"{told} {tensor.dtype.called} and {kind.called}")


def held(value, kind, real=True):
    """A number or an array as one of NumPy's dtype, in which a number must have a place.

    real: whether that holds of real numbers, too, which else become infinite.
    """
    if isinstance(value, np.ndarray):
        return value
    late = isinstance(value, complex) and kind.kind != "c"
    if not late and kind.kind == "f":
        late = real and math.isfinite(value) and abs(value) > builtins.float(np.finfo(kind).max)
    elif not late and kind.kind in "iu":
        most = np.iinfo(kind).max
        late = not math.isfinite(value) or not -most - (kind.kind == "i") <= value < most + 1
        value = value if late else builtins.int(value)
    called = dtypes.OF_NUMPY[kind].called
    need(not late, f"value cannot be converted to type {called} without overflow")
    return np.asarray(value).astype(kind)


def _overlap(place, given):
    """Whether two arrays without gaps share memory."""
    dense = place.flags.c_contiguous and given.flags.c_contiguous
    return dense and np.may_share_memory(place, given)


def put_in(place, given):
    """Write into a place, as torch does where the values lie, moved, in the same memory."""
    one, other = place.__array_interface__["data"], given.__array_interface__["data"]
    moved = place.size > 1 and place.shape == given.shape and (
        place.strides != given.strides or one != other)  # fmt: skip
    if not moved or not np.shares_memory(place, given):
        place[...] = given
        return
    need(not _overlap(place, given), IN_ONE_PLACE)
    for index in np.ndindex(*place.shape):  # some are overwritten before they are read
        place[index] = given[index]


def written(array):
    """The array, to write into: not into one number at many places."""
    sides = zip(array.shape, array.strides, strict=True)
    alone = not array.size or all(n < 2 or step for n, step in sides)
    need(alone and array.flags.writeable, NOT_WRITABLE)
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
        given = [dtypes.OF_PYTHON.get(g, g) if isinstance(g, builtins.type) else g for g in given]
        if named:
            named = _named(name, named, known)
            given = (*given, named.pop(several)) if several in named else given
        first = given[0] if given else named.get("input", call)
        if tensor and first is not call:
            need_tensor(first, name, "'input' (position 1)")
        if modes:
            return modes.pop()._look_at(call, given, named)
        try:
            return function(*given, **named)
        except AttributeError as error:
            if error.name != "a":
                raise
            kind = type(error.obj).__name__
            raise TypeError(f"{name}(): argument must be Tensor, not {kind}") from error
        except (ValueError, IndexError, TypeError) as error:
            if "read-only" in str(error):
                raise RuntimeError(NOT_WRITABLE) from error
            if _of_numpy(error):
                what = f"{name} of these arguments ({error})"
                raise Missing(what, "the notebook says whether torch has") from error
            raise

    call.__name__ = name
    return call


def _of_numpy(error):
    """Whether NumPy raised an error where torch might have computed: no line of this folder did."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename
    line = linecache.getline(file, trace.tb_lineno).lstrip()
    ours = os.path.dirname(file) == os.path.dirname(__file__) and not line.startswith("raise ")
    known = trace is error.__traceback__ or "out of bounds" in str(error)
    return not known and ("numpy" in file or ours)


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
            renamed[own] = dtypes.wanted(value) if own == "dtype" else value
    return renamed


def shared(function=None, *, name=None, inplace=False):
    """Make an operation a function of torch and a method; perhaps with one that ends in _."""
    if function is None:
        return lambda f: shared(f, name=name, inplace=inplace)
    name = name or function.__name__.rstrip("_")
    call = asked(function, name)
    FUNCTIONS[name] = call
    setattr(Tensor, name, call)
    if inplace:
        setattr(
            Tensor, f"{name}_", lambda self, *given, **named: put(self, call(self, *given, **named))
        )
    return function


def put(tensor, made):
    """Write a result into a tensor, if its dtype and shape allow that."""
    own, wanted = made.dtype.called, tensor.dtype.called
    fits = category(made.a.dtype) <= category(tensor.a.dtype)
    need(fits, f"result type {own} can't be cast to the desired output type {wanted}")
    own, wanted = made.shape, tensor.shape
    need(own == wanted, f"output with shape {wanted} doesn't match the broadcast shape {own}")
    put_in(written(tensor.a), made.a)
    return tensor


def fit(*arrays):
    """The shape that arrays broadcast to, or torch's error; numbers fit into any."""
    return functools.reduce(joint, (x.shape for x in arrays if isinstance(x, np.ndarray)), ())


def joint(a, b):
    """The shape that two shapes broadcast to, or torch's error."""
    count = max(len(a), len(b))
    a, b = (1,) * (count - len(a)) + a, (1,) * (count - len(b)) + b
    for i in range(count - 1, -1, -1):
        told = f"The size of tensor a ({a[i]}) must match the size of tensor b ({b[i]})"
        need(a[i] == b[i] or 1 in (a[i], b[i]), f"{told} at non-singleton dimension {i}")
    return tuple(m if n == 1 else n for m, n in zip(a, b, strict=True))


def wide(array):
    """Half precision in single precision, in which torch adds."""
    return array.astype(np.float32) if array.dtype == np.float16 else array


def need_real(name, array, no_complex=False):
    fine = category(array.dtype) >= REAL and not (no_complex and array.dtype.kind == "c")
    supported(fine, name, array)


def supported(fine, name, array):
    need(fine, f'"{name}" not implemented for {dtypes.called(array)!r}', NotImplementedError)
