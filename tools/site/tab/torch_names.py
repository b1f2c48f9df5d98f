"""torch's names over NumPy: what answers to exercises use, without gradients.

`torch` is the module; a name that it lacks raises Missing, which says that it works in the
notebook. NumPy's errors become torch's, by type.
"""

import contextlib
import functools
import math
import types

import numpy as np

from . import (
    dtypes,
    each,
    functional,
    making,
    modules,
    places,
    products,
    shapes,
    tensors,
    totals,
)
from .missing import Names


class _Nothing(contextlib.nullcontext, contextlib.ContextDecorator):
    """A context or decorator that changes nothing."""


def mode(*given, **named):
    """In place of no_grad and its like, as there are no gradients."""
    return given[0] if given and callable(given[0]) else _Nothing()


class FunctionMode:
    """torch.overrides.TorchFunctionMode: looks at the calls of functions and methods."""

    def __enter__(self):
        tensors.modes.append(self)
        return self

    def __exit__(self, *error):
        if self in tensors.modes:
            tensors.modes.remove(self)
        return False

    def _look_at(self, function, given, named):
        try:
            return self.__torch_function__(function, (), given, named)
        finally:
            tensors.modes.append(self)


def finfo(dtype=dtypes.NAMED["float32"]):
    """The limits of a dtype of real numbers."""
    if not dtype.is_floating_point:
        raise TypeError("torch.finfo() requires a floating point input type")
    found = np.finfo(dtype.numpy)
    numbers = {name: float(getattr(found, name)) for name in ("min", "max", "eps", "tiny")}
    more = {"smallest_normal": numbers["tiny"], "bits": found.bits, "dtype": dtype.name}
    return types.SimpleNamespace(**numbers, **more)


def _of_kind(kind, *data):
    if data and not isinstance(data[0], int):
        return torch.as_tensor(data[0], dtype=kind)
    return torch.zeros(*(data or [0]), dtype=kind)


OPERATIONS = each, totals, shapes, places, products  # which put themselves into FUNCTIONS
torch = Names(
    "torch", **tensors.FUNCTIONS, **dtypes.NAMED,
    **{new: dtypes.NAMED[old] for new, old in dtypes.OTHER_NAMES.items()},
    **{f"{kind.called}Tensor": functools.partial(_of_kind, kind)
       for kind in dtypes.EVERY},  # as in torch.LongTensor([1, 2])
    Tensor=tensors.Tensor, Size=tensors.Size, device=tensors.device, dtype=dtypes.dtype,
    Generator=making.Generator, default_generator=making.default_generator, vmap=making.vmap,
    inf=math.inf, nan=math.nan, pi=math.pi, e=math.e, newaxis=None, strided="strided",
    no_grad=mode, enable_grad=mode, inference_mode=mode, is_grad_enabled=lambda: True,
    finfo=finfo, iinfo=lambda dtype: np.iinfo(dtype.numpy),
    get_default_dtype=lambda: dtypes.NAMED["float32"],
    is_floating_point=lambda input: input.is_floating_point(),
    is_complex=lambda input: input.is_complex(), numel=lambda input: input.numel(),
    get_num_threads=lambda: 1, set_num_threads=lambda n: None, set_printoptions=lambda **how: None,
    __version__="", __file__=__file__,
)  # fmt: skip
_MODULES = {
    "nn": modules.MODULES,
    "nn.functional": functional.FUNCTIONAL,
    "linalg": making.LINALG,
    "special": {"expit": torch.sigmoid} | {
        name: vars(torch)[name] for name in ("erf", "logsumexp", "softmax", "log_softmax")
    },
    "testing": {"assert_close": making.assert_close},
    "overrides": {"TorchFunctionMode": FunctionMode},
    "func": {"vmap": making.vmap},
    "compiler": dict.fromkeys(
        ("is_compiling", "is_exporting", "is_dynamo_compiling"), lambda: False
    ),
    "jit": {"is_tracing": lambda: False},
    "cuda": {"is_available": lambda: False},
    "autograd": {"no_grad": mode},
}  # fmt: skip
for _path, _names in _MODULES.items():
    _owner, _, _name = f"torch.{_path}".rpartition(".")
    setattr(torch if _owner == "torch" else torch.nn, _name, Names(f"torch.{_path}", **_names))
