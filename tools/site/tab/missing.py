"""What is said of a name of torch that this page's copy does not have."""

import types

raised = []  # the names that were asked for in vain, also where somebody caught the error
torchs = set()  # the names that torch has, as "torch.x", "Tensor.x"; empty: not known


class Missing(AttributeError):
    """A name, or an argument, that torch has and this page does not."""

    def __init__(self, name):
        raised.append(name)
        super().__init__(f"this page has no {name}; in the notebook it works")


def lacking(owner, name, unknown):
    """The error for a name that an owner such as "torch" lacks: Missing, or torch's own."""
    full = f"{owner}.{name}"
    if name.startswith("__") or (torchs and full not in torchs):
        return AttributeError(unknown)
    return Missing(full)


class Names(types.ModuleType):
    """A module of torch's names; what it lacks raises Missing."""

    def __getattr__(self, name):
        raise lacking(self.__name__, name, f"module {self.__name__!r} has no attribute {name!r}")
