"""What one value must be: functions (name, value) that raise, and how messages show a value."""

import itertools
import numbers
from typing import NoReturn

import torch

LARGEST = 10**8


def refuse(name, must, got, use="", error: type[Exception] = ValueError) -> NoReturn:
    """Raise the error that says what the argument must do, what came, and what helps."""
    raise error(f"{name} must {must}, got {got}{'; ' * bool(use)}{use}") from None


def need(condition, name, must, value, use="", error: type[Exception] = ValueError):
    """Refuse the value unless the condition holds; a TypeError tells its type as well."""
    if not condition:
        refuse(name, must, typed(value) if error is TypeError else shown(value), use, error)


def known(condition, unknown):
    """Whether a condition holds, for any number of a tensor; unknown where nobody can look."""
    if not isinstance(condition, torch.Tensor):
        return condition
    hidden = condition.is_meta or torch.compiler.is_compiling() or torch.jit.is_tracing()
    try:  # in a traced graph, other numbers will come
        return unknown if hidden else bool(condition.any())
    except RuntimeError:  # within torch.func.vmap
        return unknown


def lasts(tensor):
    """Whether a tensor has numbers after this call: not where vmap or the like is at work."""
    if torch.compiler.is_compiling():
        return True
    try:
        return tensor is not None and not tensor.is_meta and tensor.data_ptr() is not None
    except RuntimeError:
        return False


def together(a, b):
    """The shape that both broadcast to, or None. (torch.broadcast_shapes takes 0.5 s at first.)"""
    pairs = [*itertools.zip_longest(reversed(a), reversed(b), fillvalue=1)][::-1]
    fit = all(m == n or 1 in (m, n) for m, n in pairs)
    return tuple(n if m == 1 else m for m, n in pairs) if fit else None


def shown(value):
    """A value in a message, on one short line: of a tensor or array its kind and first numbers."""
    if isinstance(value, torch.Tensor) and value.is_nested:
        return "a nested tensor"
    if hasattr(value, "dtype") and isinstance(getattr(value, "shape", None), tuple):
        text = f"{value.dtype} of shape {tuple(value.shape)}"
        return text if value.shape else f"{text}: {value}"
    huge = isinstance(value, int) and abs(value) > 10**60
    text = f"an int of {value.bit_length()} bits" if huge else " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def typed(value):
    """The value as `shown`, with its type."""
    return f"{shown(value)} ({type(value).__name__})"


def whole(name, value):
    """A whole number."""
    is_int = isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool)
    need(is_int, name, "be an int", value, error=TypeError)


def count(name, value):
    """A whole number from 1 on."""
    whole(name, value)
    bound = "at least 1" if value < 1 else f"at most {LARGEST:,}"
    need(1 <= value <= LARGEST, name, f"be {bound}", value)


def not_negative(name, value):
    """A whole number from 0 on."""
    whole(name, value)
    need(0 <= value <= LARGEST, name, f"be from 0 to {LARGEST:,}", value)


def flag(name, value):
    """True or False."""
    need(isinstance(value, bool), name, "be True or False", value, error=TypeError)


def text(name, value):
    """A string."""
    need(isinstance(value, str), name, "be a string", value, f"use str({name})", TypeError)


def number(name, value):
    """One number: a Python number, or a tensor that holds one."""
    single = isinstance(value, torch.Tensor) and value.numel() == 1 and not value.is_complex()
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    need(single or real, name, "be one number", value, error=TypeError)


def probability(name, value):
    """A probability."""
    _up_to_1(name, value, "be a probability", "name the arguments after it, as in causal=True")


def share(name, value):
    """A share."""
    _up_to_1(name, value, "be a share")


def _up_to_1(name, value, must, use=""):
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    need(real, name, f"{must} from 0 to 1", value, use, TypeError)
    need(0 <= value <= 1, name, f"{must} from 0 to 1", value)


def one_of(*names):
    """A function (name, value): one of these names."""

    def named(name, value):
        known_name = isinstance(value, str) and value in names
        need(known_name, name, f"be {' or '.join(map(repr, names))}", value)

    return named


def positive(name, value, use=""):
    """One number above 0."""
    number(name, value)
    most = isinstance(value, int) and value > LARGEST**8 and f"at most {LARGEST**8:.0e}"
    need(not most and known(value > 0, True), name, f"be {most or 'positive'}", value, use)
