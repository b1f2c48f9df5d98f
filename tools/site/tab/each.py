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
    need_real,
    put,
    put_in,
    shared,
    unsupported,
    wide,
    wrap,
    written,
)


def _unary(name, function, whole=None, real=True, functional=False):
    """An operation on each number; real: whole numbers become float32."""

    def operation(input):
        a = input.a
        if real:
            a = a.astype(dtypes.real(a.dtype), copy=False)
        elif a.dtype.kind == "b" or (name == "frac" and a.dtype.kind in "iu"):
            _refuse_bool(name, a)
        return wrap(np.asarray(function(a)))

    shared(operation, name=name, functional=functional, inplace=True)


def _refuse_bool(name, a):
    """Raise torch's error where an operation takes no booleans."""
    if name in ("neg", "negative", "positive"):
        raise RuntimeError(
            f"{name}: the `{'+' if name == 'positive' else '-'}` operator, on a bool tensor is not "
            "supported. If you are trying to invert a mask, use the `~` or `logical_not()` "
            "operator instead."
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
    "sign": lambda a: a.copy() if a.dtype.kind == "b" else np.sign(a),
    "floor": _whole_alone(np.floor), "ceil": _whole_alone(np.ceil),
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
    a = input.a
    if a.dtype.kind == "b" or (decimals and a.dtype.kind in "iu"):
        raise unsupported("round_vml_cpu", a)
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
        if isinstance(b, np.ndarray):
            raise unsupported("pow", x)
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
    need_real("lerp_kernel_scalar", input.a)
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
        return condition.nonzero(as_tuple=True)
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
    if isinstance(value, np.ndarray) and category(value.dtype) > category(input.a.dtype):
        raise RuntimeError(f"value cannot be converted to type {dtypes.called(input.a)}")
    value = held(value.item() if isinstance(value, np.ndarray) else value, input.a.dtype)
    return wrap(np.asarray(np.where(mask.a, value, input.a)))


@shared
def masked_select(input, mask):
    return wrap(np.broadcast_to(input.a, fit(input.a, mask.a))[
        np.broadcast_to(mask.a, fit(input.a, mask.a))])  # fmt: skip


def _filled(self, value):
    value = bare(value)
    if isinstance(value, np.ndarray) and value.ndim:
        raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                           f"{value.ndim} dimensions.")  # fmt: skip
    written(self.a)[...] = held(value, self.a.dtype)
    return self


Tensor.fill_ = _filled
Tensor.zero_ = lambda self: _filled(self, 0)


def _copied(self, other):
    if fit(self.a, other.a) != self.a.shape:
        raise RuntimeError(f"The expanded size of the tensor {tuple(self.shape)} must match")
    put_in(written(self.a), np.broadcast_to(other.a, self.a.shape))
    return self


Tensor.copy_ = _copied


@shared
def clone(input, memory_format=None):
    return wrap(input.a.copy(order="K"))
