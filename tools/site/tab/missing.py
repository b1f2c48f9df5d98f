"""What is said of a name of torch that this page's copy does not have."""

import types

raised = []  # what was asked for in vain, also where somebody caught the error
torchs = {}  # of some owners, such as "torch", the names that torch has there


class Missing(AttributeError):
    """A name, or an argument, that torch has and this page does not."""

    def __init__(self, name, besides="in the notebook it works"):
        raised.append(f"{name}; {besides}")
        super().__init__(f"this page has no {raised[-1]}")


class Absent:
    """A name that this page lacks, which may be imported or stand in an annotation.

    Whoever uses it gets Missing.
    """

    def __init__(self, name):
        self.__dict__["_name"] = self.__dict__["__name__"] = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def _missing(self, *given, **named):
        raise Missing(self._name)

    def __or__(self, other):  # as in the annotation `Tensor | SymInt`
        return self

    __ror__ = __or__
    __call__ = __setattr__ = __mro_entries__ = __bool__ = __iter__ = __len__ = _missing
    __getitem__ = __setitem__ = __enter__ = __index__ = __float__ = __array__ = _missing
    __instancecheck__ = __lt__ = __add__ = __radd__ = __mul__ = __rmul__ = __matmul__ = _missing


def lacking(owner, name, unknown):
    """What an owner such as "torch" has in the place of a name: Absent, or torch's own error."""
    if name.startswith("__") or name not in torchs.get(owner, (name,)):
        raise AttributeError(unknown)
    return Absent(f"{owner}.{name}")


class Names(types.ModuleType):
    """A module of some names; what it lacks raises Missing where it is used."""

    def __init__(self, name, **names):
        super().__init__(name)
        vars(self).update(names)

    def __getattr__(self, name):
        return lacking(self.__name__, name, f"module {self.__name__!r} has no attribute {name!r}")
