"""Could a premise be false? Evaluated in the lesson's kernel, with its variables spoilt in turn."""

import inspect

from tools.checks.claims import variables


def _spoil(premise, variables, names):
    """Print whether the premise is false where some of its variables are others than they are."""
    import json
    import types

    import torch

    def random(value):
        drawn = torch.rand(getattr(value, "shape", ()), generator=torch.Generator().manual_seed(1))
        return drawn.to(value.dtype) if torch.is_tensor(value) else value * drawn.item()

    def cut(value):
        return value.flatten()[:1] if torch.is_tensor(value) else value / 2

    def other(value, how):
        """What stands in its place: numbers changed, lists turned round and shortened."""
        if isinstance(value, bool) or (torch.is_tensor(value) and value.dtype == torch.bool):
            return value ^ True if how is not cut or isinstance(value, bool) else cut(value)
        if isinstance(value, (int, float)) or torch.is_tensor(value):
            return how(value)
        if isinstance(value, (str, list, tuple)):
            turned = value[:0:-1]
            return turned if isinstance(value, str) else [other(each, how) for each in turned]
        if isinstance(value, dict):
            inner = [other(each, how) for each in value.values()]
            return dict(zip(value, inner[::-1], strict=True))
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
            return not eval(premise, names | {name: other(names[name], how) for name in spoilt})
        except Exception:  # which proves nothing
            return False

    ways = (lambda v: v * 0, lambda v: v + 1000, lambda v: v - 1000, lambda v: -v, cut, random)
    chosen = [*([name] for name in variables), variables]
    can_fail = any(is_false(spoilt, how) for spoilt in chosen for how in ways)
    print("\n" + json.dumps({"premise": "" if can_fail else "nothing makes it false"}))


def cell(premise):
    """The source of a cell that says whether the premise could be false; see `claims.told_by`."""
    call = f"\n_spoil({premise!r}, {variables(premise)!r}, names)\n"
    return f'exec({inspect.getsource(_spoil) + call!r}, {{"names": dict(globals())}})'
