"""What is in a chip's fast memory: the tensors of the kernel that runs, and nothing besides."""

import contextlib

import torch
from torch.overrides import TorchFunctionMode

from ..memory import Ledger
from .chip import Refused

LEAVING = {getattr(torch.Tensor, name) for name in (
    "item", "tolist", "numpy", "__array__", "__float__", "__int__", "__index__", "__bool__",
    "__contains__", "__complex__")}  # fmt: skip
MADE = "lift_fresh"  # torch.tensor(...): numbers of the kernel's own text


class Alive(Ledger):
    """Counts the numbers of a kernel's tensors; refuses what does not fit, and strangers."""

    def __init__(self, fast):
        super().__init__(lambda tensor: tensor.untyped_storage().nbytes() // tensor.element_size())
        self.fast, self.free = fast, False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if self.free:
            return function(*args, **kwargs or {})
        if not function.__name__.startswith(MADE):
            for tensor in _tensors((args, kwargs or {})):
                self.need(tensor)
        return super().__torch_dispatch__(function, types, args, kwargs)

    def need(self, tensor):
        """Refuse a tensor that is not in fast memory."""
        if tensor.untyped_storage().data_ptr() not in self.owners:
            raise Refused(
                f"a tensor of shape {tuple(tensor.shape)} is used that is not in fast memory: "
                "chip.load(array, a, b) brings rows of an array, and what is made is made inside "
                "of the kernel"
            )

    def note(self, tensor):
        super().note(tensor)
        if self.now > self.fast:
            raise Refused(
                f"fast memory has a place for {self.fast:,} numbers; here {self.now:,} would be in "
                "it, and more may follow"
            )

    @contextlib.contextmanager
    def moving(self):
        """While rows are moved: slow memory may be read."""
        self.free = True
        try:
            yield
        finally:
            self.free = False

    @contextlib.contextmanager
    def watching(self):
        with self, _Inside():
            yield


class _Inside(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in LEAVING:
            raise Refused(
                f"{function.__name__} takes numbers out of the tensors, where nobody counts them: "
                "keep them in tensors (torch.maximum, torch.where)"
            )
        return function(*args, **kwargs or {})


def _tensors(given):
    if isinstance(given, torch.Tensor):
        yield given
    elif isinstance(given, dict):
        yield from _tensors(list(given.values()))
    elif isinstance(given, (tuple, list)):
        for each in given:
            yield from _tensors(each)
