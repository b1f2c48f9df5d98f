"""torch's names over NumPy: what answers to exercises use, without gradients.

`torch` is the module; a name that it lacks raises Missing, which says that it works in the
notebook. NumPy's errors become torch's, by type.
"""

import builtins
import functools
import math

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

torch = Names("torch")
functions = Names("torch.nn.functional")
nn, linalg, special = Names("torch.nn"), Names("torch.linalg"), Names("torch.special")
overrides = Names("torch.overrides")
func = Names("torch.func")
testing = Names("torch.testing")


class Mode:
    """A context or decorator that changes nothing where there are no gradients."""

    def __init__(self, *given):
        self.function = given[0] if given and callable(given[0]) else None

    def __call__(self, *given, **named):
        if self.function:
            return self.function(*given, **named)
        return given[0]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


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


class Finfo:
    """The limits of a dtype of real numbers."""

    def __init__(self, dtype=dtypes.NAMED["float32"]):
        if not dtype.is_floating_point:
            raise TypeError("torch.finfo() requires a floating point input type")
        found = np.finfo(dtype.numpy)
        self.min, self.max = builtins.float(found.min), builtins.float(found.max)
        self.eps, self.tiny = builtins.float(found.eps), builtins.float(found.tiny)
        self.smallest_normal, self.bits, self.dtype = self.tiny, found.bits, dtype.name


OPERATIONS = each, totals, shapes, places, products  # which put themselves into FUNCTIONS


def _ready():
    vars(torch).update(tensors.FUNCTIONS)
    vars(torch).update(dtypes.NAMED)
    vars(torch).update({new: dtypes.NAMED[old] for new, old in dtypes.OTHER_NAMES.items()})
    vars(functions).update(functional.FUNCTIONAL)
    vars(linalg).update(making.LINALG)
    vars(torch).update(
        Tensor=tensors.Tensor, Size=tensors.Size, device=tensors.device, dtype=dtypes.dtype,
        Generator=making.Generator, default_generator=making.default_generator,
        inf=math.inf, nan=math.nan, pi=math.pi, e=math.e, newaxis=None, strided="strided",
        no_grad=Mode, enable_grad=Mode, inference_mode=Mode, finfo=Finfo,
        iinfo=lambda dtype: np.iinfo(dtype.numpy),
        get_default_dtype=lambda: dtypes.NAMED["float32"], is_grad_enabled=lambda: True,
        is_floating_point=lambda input: input.is_floating_point(),
        is_complex=lambda input: input.is_complex(), numel=lambda input: input.numel(),
        get_num_threads=lambda: 1, set_num_threads=lambda n: None,
        nn=nn, func=func, linalg=linalg, special=special, testing=testing, __version__="",
        set_printoptions=lambda **how: None,
    )  # fmt: skip
    torch.compiler = _names(
        "torch.compiler", is_compiling=lambda: False, is_exporting=lambda: False,
        is_dynamo_compiling=lambda: False
    )  # fmt: skip
    for kind in dtypes.EVERY:  # as in torch.LongTensor([1, 2])
        vars(torch)[f"{kind.called}Tensor"] = functools.partial(_of_kind, kind)
    torch.__file__, torch.overrides = __file__, overrides
    torch.vmap = func.vmap = making.vmap
    overrides.TorchFunctionMode = FunctionMode
    torch.jit = _names("torch.jit", is_tracing=lambda: False)
    torch.cuda = _names("torch.cuda", is_available=lambda: False)
    torch.autograd = _names("torch.autograd", no_grad=Mode)
    vars(nn).update(modules.MODULES, functional=functions)
    special.expit, special.erf, special.logsumexp = torch.sigmoid, torch.erf, torch.logsumexp
    special.softmax, special.log_softmax = torch.softmax, torch.log_softmax
    testing.assert_close = making.assert_close


def _of_kind(kind, *data):
    if data and not isinstance(data[0], int):
        return torch.as_tensor(data[0], dtype=kind)
    return torch.zeros(*(data or [0]), dtype=kind)


def _names(name, **given):
    """A module with these names alone."""
    made = Names(name)
    vars(made).update(given)
    return made


_ready()
