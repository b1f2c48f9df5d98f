"""Could a premise be false? Evaluated in the lesson's kernel, with its variables spoilt in turn."""


def could_be_false(premise, names):
    """An empty text if the premise is false where some of its variables are others."""
    import ast
    import types

    import torch

    def zero(value):
        return value * 0

    def random(value):
        drawn = torch.rand(getattr(value, "shape", ()), generator=torch.Generator().manual_seed(1))
        return drawn.to(value.dtype) if torch.is_tensor(value) else value * drawn.item()

    def cut(value):
        return value.flatten()[:1] if torch.is_tensor(value) else value / 2

    def other(value, how):
        """What stands in its place."""
        if isinstance(value, bool) or (torch.is_tensor(value) and value.dtype == torch.bool):
            return value & False if how is zero and torch.is_tensor(value) else value ^ True
        if isinstance(value, (int, float)) or torch.is_tensor(value):
            return how(value)
        if isinstance(value, str):
            return value[::-1]
        if isinstance(value, (list, tuple)):
            inner = [other(each, how) for each in value]
            return inner[:0:-1] if how is cut else inner  # turned round and shortened
        if isinstance(value, dict):
            inner = [other(each, how) for each in value.values()]
            return dict(zip(value, inner[::-1] if how is cut else inner, strict=True))
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

    ways = (zero, lambda v: v + 1000, lambda v: v - 1000, lambda v: -v, cut, random)
    known = {node.id for node in ast.walk(ast.parse(premise)) if isinstance(node, ast.Name)}
    known &= names.keys()
    found = any(
        is_false(spoilt, how) for how in ways for spoilt in [*({name} for name in known), known]
    )
    return "" if found else "nothing makes it false"


def figures_move(_, names):
    """Each live figure can be drawn at the ends of its controls, and with whatever is typed."""
    from attn_lesson import widgets

    def ends(control):
        if isinstance(control.value, bool):
            return [not control.value]
        if hasattr(control, "min"):
            return [control.min, control.max]
        return getattr(control, "_options_values", ["?"])

    for draw, places, made in widgets.figures:
        start = {name: control.value for name, control in made.items()}
        for name, control in made.items():
            for end in ends(control):
                widgets.frame(draw, places, **{**start, name: end})
    return ""
