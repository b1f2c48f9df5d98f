"""Could a premise be false? Evaluated in the lesson's kernel, with its variables spoilt in turn."""

import inspect

from tools.checks.claims import variables


def _spoil(premise, variables, names):
    """Print whether the premise is false where some of its variables are others than they are."""
    import json
    import types

    import torch

    def zero(value):
        return value * 0

    def turned(value):
        return value.flip(tuple(range(value.dim()))) if torch.is_tensor(value) else value

    def away(value):
        return value + 1000

    def below(value):
        return value - 1000

    def negative(value):
        return -value

    def cut(value):
        return value.flatten()[:1] if torch.is_tensor(value) else value / 2

    def random(value):
        if not torch.is_tensor(value):
            return value * 0.37
        drawn = torch.rand(value.shape, generator=torch.Generator().manual_seed(1))
        return drawn.to(value.dtype)

    def other(value, how):
        """What stands in its place; the value itself where nothing is known of its kind."""
        if torch.is_tensor(value) and value.dtype == torch.bool and how not in (turned, cut):
            return value & False if how is zero else ~value
        if isinstance(value, bool):
            return not value
        if isinstance(value, (int, float)) or torch.is_tensor(value):
            return how(value)
        if isinstance(value, str):
            return value[::-1] if how is turned else ""
        if isinstance(value, (list, tuple)):
            inner = [other(each, how) for each in value]
            return {turned: inner[::-1], zero: inner[:0], cut: inner[1:]}.get(how, inner)
        if isinstance(value, dict):
            inner = [other(each, how) for each in value.values()]
            return dict(zip(value, inner[::-1] if how is turned else inner, strict=True))
        return value if isinstance(value, (type, types.ModuleType)) else Other(value, how)

    class Other:
        """An object or a function, of which everything that it gives is spoilt."""

        def __init__(self, value, how):
            self.__dict__.update(_value=value, _how=how)

        def __getattr__(self, name):
            return other(getattr(self._value, name), self._how)

        def __getitem__(self, key):
            return other(self._value[key], self._how)

        def __call__(self, *given, **named):
            return other(self._value(*given, **named), self._how)

    def is_false(spoilt, how):
        try:
            now = {name: other(names[name], how) for name in spoilt}
            return not eval(premise, {**names, **now})
        except Exception:  # which proves nothing
            return False

    chosen = [[name] for name in variables] + [variables]
    ways = (zero, turned, away, below, negative, cut, random)
    can_fail = any(is_false(spoilt, how) for spoilt in chosen for how in ways)
    print("\n" + json.dumps({"premise": "" if can_fail else "nothing makes it false"}))


def cell(premise):
    """The source of a cell that says whether the premise could be false; see `claims.told_by`."""
    call = f"\n_spoil({premise!r}, {variables(premise)!r}, names)\n"
    return f'exec({inspect.getsource(_spoil) + call!r}, {{"names": dict(globals())}})'
