"""Operations on each number of a tensor, or of two tensors together."""

import builtins
import math

import numpy as np

from . import dtypes
from .dtypes import BOOL, WHOLE, category
from .tensors import (
    FUNCTIONS,
    Tensor,
    asked,
    bare,
    fit,
    held,
    need,
    need_tensor,
    put,
    put_in,
    shared,
    supported,
    wide,
    wrap,
    written,
)

REFUSED = {  # of booleans
    "neg": "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
           "invert a mask, use the `~` or `logical_not()` operator instead.",
    "positive": "The `+` operator, on a bool tensor is not supported.",
    "relu": "Boolean inputs not supported for relu",
}  # fmt: skip
REFUSED["negative"] = REFUSED["neg"]


def _unary(name, function, real=True):
    """An operation on each number; real: whole numbers become float32."""

    def operation(input):
        a, kind = input.a, input.a.dtype.kind
        if real:
            a = a.astype(dtypes.real(a.dtype), copy=False)
        need(real or kind != "b" or name not in REFUSED, REFUSED.get(name))
        supported(real or name == "sign" or kind != "b", f"{name}_cpu", a)
        return wrap(function(a))

    shared(operation, name=name, inplace=True)


def _of_each(function):
    """A function of Python's math on each number of an array."""
    each = np.vectorize(function, otypes=[np.float64])
    return lambda a: each(a).astype(a.dtype) if a.size else a.copy()


def _whole_alone(function):
    return lambda a: a.copy() if a.dtype.kind in "iu" else function(a)


erf_of = _of_each(math.erf)
for _name, _function in {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "atan": np.arctan, "rsqrt": lambda a: (1 / np.sqrt(a)).astype(a.dtype),
    "reciprocal": lambda a: (1 / a).astype(a.dtype), "erf": erf_of, "tanh": np.tanh,
    "sigmoid": lambda a: (1 / (1 + np.exp(-wide(a)))).astype(a.dtype),
}.items():  # fmt: skip
    _unary(_name, _function)
for _name, _function in {
    "abs": np.abs, "absolute": np.abs, "neg": np.negative, "negative": np.negative,
    "sign": lambda a: a.copy() if a.dtype.kind == "b" else np.sign(a),
    "floor": _whole_alone(np.floor), "ceil": _whole_alone(np.ceil),
    "trunc": _whole_alone(np.trunc), "positive": np.positive,
    "relu": lambda a: np.maximum(a, a.dtype.type(0)),
}.items():  # fmt: skip
    _unary(_name, _function, real=False)


@shared(name="round", inplace=True)
def round_(input, decimals=0):
    a = input.a
    fine = a.dtype.kind not in "biu" or (a.dtype.kind != "b" and not decimals)
    supported(fine, "round_vml_cpu", a)
    return wrap(a.copy() if a.dtype.kind in "iu" else np.round(a, decimals))


def _asking(name):
    shared(lambda input: wrap(getattr(np, name)(input.a)), name=name)


for _name in ("isfinite", "isnan", "isinf", "isneginf", "isposinf"):
    _asking(_name)


@shared
def bitwise_not(input):
    supported(category(input.a.dtype) <= WHOLE, "bitwise_not_cpu", input.a)
    return wrap(~input.a)


def _inverted(self):
    told = "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
    need(category(self.a.dtype) <= WHOLE, told, TypeError)
    return bitwise_not(self)


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
    told = f"argument '{name}' (position 2) must be Tensor, not {type(value).__name__}"
    need(isinstance(value, (builtins.bool, builtins.int, builtins.float, complex)), told, TypeError)
    return value


def both(a, b, real=False):
    """Two operands as arrays of the dtype of their result."""
    fit(a, b)
    kind = dtypes.result(a, b)
    kind = dtypes.real(kind) if real else kind
    return np.asarray(a, kind), np.asarray(b, kind)


def _binary(name, function, sign=None, real=False, tensors=False, refuse=None):
    """An operation on two operands; sign: Python's name of the operator."""

    def operation(input, other):
        if tensors:
            need_tensor(other, name)
        a, b = operand(input), operand(other)
        fit(a, b)
        if refuse:
            refuse(a, b)
        return wrap(function(*both(a, b, real)))

    shared(operation, name=name, inplace=True)
    if sign:
        operator(sign, operation, name)


def operator(sign, operation, name):
    """The methods that Python calls for an operator."""
    call = asked(operation, name, False)
    ahead = _method(call)
    setattr(Tensor, f"__{sign}__", ahead)
    setattr(Tensor, f"__r{sign}__", _method(lambda self, other: call(other, self)))
    if sign != "matmul":
        setattr(Tensor, f"__i{sign}__", _method(lambda self, other: put(self, ahead(self, other))))


APT = (Tensor, builtins.bool, builtins.int, builtins.float, complex, np.generic, np.ndarray)


def _method(call):
    """An operator's method: Python asks the other operand where this one does not know it."""

    def method(self, other):
        other = wrap(other) if isinstance(other, np.ndarray) else other
        return call(self, other) if isinstance(other, APT) else NotImplemented

    return method


def _no_minus(a, b):
    some = [getattr(x, "dtype", type(x)) == builtins.bool for x in (a, b)]
    told = "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
    need(not any(some),
         f"Subtraction, the `-` operator, with a bool tensor is not supported. {told}")  # fmt: skip


def _no_zero(a, b):
    kind = category(dtypes.result(a, b))
    supported(kind != BOOL, "remainder_cpu", np.zeros(0, bool))
    need(kind > WHOLE or np.all(np.asarray(b) != 0), "ZeroDivisionError")


_binary("add", np.add, "add")
_binary("sub", np.subtract, "sub", refuse=_no_minus)
_binary("subtract", np.subtract, refuse=_no_minus)
_binary("mul", np.multiply, "mul")
_binary("multiply", np.multiply)
_binary("true_divide", np.true_divide, "truediv", real=True)
_binary("floor_divide", np.floor_divide, "floordiv", refuse=_no_zero)
_binary("remainder", np.mod, "mod", refuse=_no_zero)
_binary("maximum", np.maximum, tensors=True)
_binary("minimum", np.minimum, tensors=True)
_binary("atan2", np.arctan2, real=True, tensors=True)
_binary("logaddexp", np.logaddexp, tensors=True)


@shared(inplace=True)
def div(input, other, rounding_mode=None):
    a, b = operand(input), operand(other)
    if rounding_mode is None:
        return wrap(np.true_divide(*both(a, b, True)))
    if rounding_mode == "floor":
        _no_zero(a, b)
        return wrap(np.floor_divide(*both(a, b)))
    return wrap(np.trunc(np.true_divide(*both(a, b))).astype(dtypes.result(a, b)))


@shared(name="pow", inplace=True)
def power(input, exponent):
    a, b = operand(input), operand(exponent)
    kind = dtypes.result(a, b)
    late = category(kind) == WHOLE and isinstance(b, builtins.int) and b < 0
    need(not late, "Integers to negative integer powers are not allowed.")
    x, y = both(a, b)
    if x.dtype.kind == "b":
        supported(not isinstance(b, np.ndarray), "pow", x)
        return wrap(x | ~y)
    if category(kind) == WHOLE and (y < 0).any():
        upward = np.power(x, np.abs(y))
        return wrap(np.where(y < 0, np.where(np.abs(x) == 1, upward, 0), upward).astype(kind))
    return wrap(np.power(wide(x), wide(y)).astype(kind))


FUNCTIONS["pow"] = asked(power, "pow", False)
operator("pow", power, "pow")


for _name, _other in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
                      "eq": "equal", "ne": "not_equal"}.items():  # fmt: skip
    _binary(_name, getattr(np, _other))
    setattr(Tensor, f"__{_name}__", _method(FUNCTIONS[_name]))
    if _name != "eq":
        FUNCTIONS[_other] = FUNCTIONS[_name]
        setattr(Tensor, _other, FUNCTIONS[_name])


def _bitwise(name, sign):
    def refuse(a, b):
        kind = dtypes.result(a, b)
        supported(category(kind) <= WHOLE, f"{name}_cpu", np.zeros(0, kind))

    _binary(name, getattr(np, name), sign, refuse=refuse)


for _name in ("and", "or", "xor"):
    _bitwise(f"bitwise_{_name}", _name)
    _binary(f"logical_{_name}", getattr(np, f"logical_{_name}"))
_bitwise("bitwise_left_shift", "lshift")
_bitwise("bitwise_right_shift", "rshift")
Tensor.__invert__ = _inverted
Tensor.__neg__ = Tensor.neg
Tensor.__abs__ = Tensor.abs
Tensor.__pos__ = Tensor.positive


@shared(inplace=True)
def clamp(input, min=None, max=None):
    bounds = [operand(x) for x in (min, max) if x is not None]
    need(bounds, "torch.clamp: At least one of 'min' or 'max' must not be None")
    fit(input.a, *bounds)
    kind = dtypes.result(input.a, *bounds)
    fine = category(kind) != BOOL or any(isinstance(x, np.ndarray) for x in bounds)
    supported(fine, "clamp_scalar_cpu", input.a)
    least, most = (None if x is None else np.asarray(operand(x), kind) for x in (min, max))
    return wrap(np.clip(input.a.astype(kind), least, most))


for _name, _function in {
    "divide": div,
    "clip": clamp,
    "square": lambda input: power(input, 2),
    "clamp_min": lambda input, min: clamp(input, min=min),
    "clamp_max": lambda input, max: clamp(input, max=max),
}.items():  # other names, and of one expression each
    shared(_function, name=_name, inplace=True)


@shared
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    fit(input.a, other.a)
    need(input.dtype == other.dtype, f"{input.dtype.called} did not match {other.dtype.called}")
    return wrap(np.isclose(input.a, other.a, rtol, atol, equal_nan))


@shared
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(isclose(input, other, rtol, atol, equal_nan).a.all())


def _where(condition, input=None, other=None):
    if input is None:
        return condition.nonzero(as_tuple=True)
    told = f"condition to be a boolean tensor, but got one with dtype {condition.dtype.called}"
    fine = condition.a.dtype.kind == "b" or condition.a.dtype == np.uint8
    need(fine, f"where expected {told}")
    a, b = operand(input), operand(other)
    fit(condition.a, a, b)
    return wrap(np.where(condition.a.astype(bool), *both(a, b)))


FUNCTIONS["where"] = asked(_where, "where")
Tensor.where = lambda self, condition, other: FUNCTIONS["where"](condition, self, other)


@shared(inplace=True)
def masked_fill(input, mask, value):
    told = f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype}"
    need(mask.a.dtype.kind == "b", told)
    value = operand(value, "value")
    fit(input.a, mask.a)
    if isinstance(value, np.ndarray):
        told = "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
        need(not value.ndim, f"{told}{value.ndim} dimension(s).")
        value = value.item()
    return wrap(np.where(mask.a, held(value, input.a.dtype), input.a))


@shared
def masked_select(input, mask):
    fit(input.a, mask.a)
    values, chosen = np.broadcast_arrays(input.a, mask.a)
    return wrap(values[chosen])


def _filled(self, value):
    value = bare(value)
    need(not np.ndim(value), "fill_ only supports 0-dimension value tensor")
    written(self.a)[...] = held(value, self.a.dtype)
    return self


Tensor.fill_ = _filled
Tensor.zero_ = lambda self: _filled(self, 0)


def _copied(self, other):
    fits = fit(self.a, other.a) == self.a.shape
    need(fits, f"The expanded size of the tensor {tuple(self.shape)} must match")
    put_in(written(self.a), np.broadcast_to(other.a, self.a.shape))
    return self


Tensor.copy_ = _copied


for _name, _function in {
    "logical_not": lambda input: wrap(~input.a.astype(bool)),
    "conj": lambda input: wrap(input.a.conj()) if input.a.dtype.kind == "c" else input,
    "equal": lambda input, other: np.array_equal(input.a, other.a),
    "clone": lambda input, memory_format=None: wrap(input.a.copy(order="K")),
}.items():  # of one expression each
    shared(_function, name=_name)
