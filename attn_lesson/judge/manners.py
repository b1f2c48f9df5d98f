"""The manners of a right result: what it is made of, its gradients, its dtype."""

import torch

from ..words import sentences
from . import explanations, sandbox
from .compare import same

say = sentences(__name__)


def style(desk, results):
    """A remark on what the results are made of, or None."""
    for i, (got, right) in enumerate(zip(results, desk.expected, strict=True)):
        a, b = got.value, right.value
        if isinstance(b, torch.Tensor):
            if got.kind != "tensor":
                number = got.kind in ("float", "int")
                what = say("Python number") if number else explanations.called(got.kind)
                key = "as a tensor with gradients" if b.is_floating_point() else "as a tensor"
                return say(key, kind=what)
            if a.dtype != b.dtype:
                floats = [x.dtype for x in desk.cases[i] if sandbox.is_float(x)]
                names = {"dtype": _short(a.dtype), "expected": _short(b.dtype)}
                if not a.numel() and a.is_floating_point() > b.is_floating_point():
                    return say("empty", **names)
                cost = say("other dtype")
                if a.is_floating_point() and a.element_size() > b.element_size():
                    cost = say(f"memory {a.element_size() // b.element_size()}")
                if floats:
                    return say("dtype for inputs", given=_short(floats[0]), **names, cost=cost)
                return say("dtype", **names, cost=cost)
        elif got.kind not in (right.kind, "numpy number") and (
            desk.exercise.kinds or got.kind not in ("tensor", "int")
        ):
            return say("kind", kind=explanations.called(got.kind), expected=explanations.kind(b))
    return None


def _short(dtype):
    return str(dtype).removeprefix("torch.")


def other_way(how, desk, got):
    """What is wrong with a right result tried for its "gradient", or in "double"; or None."""
    exercise = desk.exercise
    right = got and desk.attempt(exercise.answer, desk.cases[-1], how)
    if not right or right.error is not None:
        return None
    if how == "gradient" and right.value == "none":  # of what has none nothing is asked
        return None
    if got.error is not None:
        _, why = explanations.error(got.error, exercise.name, exercise.signature)
        return say("fails with gradients" if how == "gradient" else "fails with float64", why=why)
    judged = _gradient if how == "gradient" else _double
    return judged(got.value, right.value, exercise.tolerance)


def _gradient(got, right, tolerance):
    if got == "none":
        return say("no gradient")
    for a, b in zip(got, right, strict=True):
        if a.isnan().any() and not b.isnan().any():
            return say("gradient of NaN")
        if not same(a, b, 10 * tolerance):
            expected, shown = explanations.show_both(b, a)
            lines = explanations.lines({"expected gradient": expected, "got": shown})
            return f"{say('wrong gradient')}\n{lines}"
    return None


def _double(a, b, tolerance):
    if same(a, b, tolerance) and (
        not isinstance(b, torch.Tensor) or getattr(a, "dtype", b.dtype) == b.dtype
    ):
        return None
    what = _short(a.dtype) if isinstance(a, torch.Tensor) else say("something else")
    return say("not float64", dtype=what)
