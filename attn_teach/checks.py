"""What one value must be: functions (name, value) that raise, and how messages show a value."""

import itertools
import numbers

import torch

LARGEST = 10**8


def told(name, must, got, use=""):
    """The sentence of an error: what the argument must do, what came, what helps."""
    return f"{name} must {must}, got {got}" + (f"; {use}" if use else "")


def _hidden(tensor):
    """Whether nobody can look at the numbers, or other ones will come, as in a traced graph."""
    return tensor.is_meta or torch.compiler.is_compiling() or torch.jit.is_tracing()


def known(condition, unknown):
    """Whether a condition holds, for any number of a tensor; unknown where nobody can look."""
    if not isinstance(condition, torch.Tensor):
        return condition
    try:
        return unknown if _hidden(condition) else bool(condition.any())
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


def count(name, value):
    """A whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
        raise TypeError(told(name, "be an int", typed(value)))
    if not 1 <= value <= LARGEST:
        bound = "at least 1" if value < 1 else f"at most {LARGEST:,}"
        raise ValueError(told(name, f"be {bound}", shown(value)))


def flag(name, value):
    """True or False."""
    if not isinstance(value, bool):
        raise TypeError(told(name, "be True or False", typed(value)))


def text(name, value):
    """A string."""
    if not isinstance(value, str):
        raise TypeError(told(name, "be a string", typed(value), f"use str({name})"))


def probability(name, value):
    """A number from 0 to 1."""
    what = told(name, "be a probability from 0 to 1", typed(value))
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{what}; name the arguments after it, as in causal=True")
    if not 0 <= value <= 1:
        raise ValueError(what)


def positive(name, value, why=""):
    """A number above 0: a Python number, or a tensor that holds one."""
    single = isinstance(value, torch.Tensor) and value.numel() == 1 and not value.is_complex()
    if not single and (isinstance(value, bool) or not isinstance(value, numbers.Real)):
        raise TypeError(told(name, "be one number", typed(value)))
    most = isinstance(value, int) and value > LARGEST**8 and f"at most {LARGEST**8:.0e}"
    if most or not known(value > 0, True):
        raise ValueError(told(name, f"be {most or 'positive'}", shown(value), why))
