"""The values a lesson is run with: refused at once, and all together, where they make no sense."""

from attn_teach.checks import typed

from .words import sentences

say = sentences(__name__)

_changed = []  # what differs from the values that the lesson's text was written for


def check_parameters(given, *, written_for=None, **limits):
    """Raise an error that names every parameter of `given` outside its limits.

    Args:
        given: the lesson's variables, a dict: `globals()`.
        written_for: {name: value} of the parameters whose figures the text quotes. Where others
            are given, that is said here and by `predict`.
        **limits: for each parameter the values it may take:
            (low, high) or (low, high, step): a number from low to high, both included; a whole
            number where low is one;
            a list: one of its members;
            a list of one such tuple, [(low, high)]: a list of such numbers, at least one.

    Raises:
        ValueError: a line for each parameter that is missing or not as its limits say.
    """
    written_for = {} if written_for is None else written_for
    for name, value in {"given": given, "written_for": written_for}.items():
        if not isinstance(value, dict):
            raise TypeError(f"{name} must be a dict, name: value, got {typed(value)}")
    for name, limit in limits.items():
        if not _is_limit(limit):
            raise TypeError(
                f"{name} must have limits, (low, high), (low, high, step) or a list of choices, "
                f"got {typed(limit)}"
            )
    for name, value in written_for.items():
        if name not in limits or not _fits(value, limits[name]):
            raise ValueError(
                f"written_for must keep within the limits, got {name} = {typed(value)}"
            )
    problems = []
    for name, limit in limits.items():
        if name not in given:
            problems.append(say("missing", name=name, expected=_in_words(limit)))
        elif not _fits(given[name], limit):
            told = {"expected": _in_words(limit), "got": typed(given[name])}
            problems.append(say("must be", name=name, **told))
    if problems:
        raise ValueError("\n".join([*problems, say("change it")]))
    others = {n: v for n, v in written_for.items() if given[n] != v}
    _changed[:] = [f"{name} = {value!r}" for name, value in others.items()]
    if others:
        here = ", ".join(f"{name} = {given[name]!r}" for name in others)
        print(say("changed", written_for=", ".join(_changed), here=here) + "\n" + say("trust"))


def proviso():
    """What is to be added to an answer: for which values it was written, or nothing."""
    return f" {say('proviso', written_for=', '.join(_changed))}" if _changed else ""


def _is_limit(limit):
    if isinstance(limit, tuple):
        return len(limit) in (2, 3) and all(isinstance(n, (int, float)) for n in limit)
    return (
        isinstance(limit, list)
        and bool(limit)
        and (type(limit[0]) is not tuple or _is_limit(limit[0]))
    )


def _fits(value, limit):
    if isinstance(limit, tuple):
        low, high, *step = limit
        kinds = (int,) if isinstance(low, int) else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
            return False
        steps = (value - low) / step[0] if step else 0
        return abs(steps - round(steps)) < 1e-9
    if isinstance(limit[0], tuple):
        whole = isinstance(value, (list, tuple)) and len(value) > 0
        return whole and all(_fits(each, limit[0]) for each in value)
    return any(type(value) is type(choice) and value == choice for choice in limit)


def _in_words(limit):
    if isinstance(limit, tuple):
        low, high, *step = limit
        kind = "whole number" if isinstance(low, int) else "number"
        if step:
            return say(f"{kind} in steps", low=low, high=high, step=step[0])
        return say(kind, low=low, high=high)
    if isinstance(limit[0], tuple):
        return say("list", each=_in_words(limit[0]))
    return say("one of", choices=", ".join(map(repr, limit)))
