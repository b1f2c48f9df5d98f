"""A machine that counts: a small fast memory, and a large slow one whose numbers must be fetched.

Arrays lie in slow memory, as `Slow`. A kernel, a function of the chip and of arrays, gets rows of
them by `load`, computes, and puts rows back by `store`; what is moved is counted. `run` counts
besides what the kernel's tensors hold at one time (attn_lesson/memory.py), and refuses
what fast memory has no place for.
"""

import contextlib
import math

import torch


class Refused(ValueError):
    """What this machine cannot do, or what would not be counted."""


class Slow:
    """An array in slow memory: its numbers are there for `load` and `store` alone."""

    def __init__(self, numbers):
        self._numbers = numbers

    shape = property(lambda self: tuple(self._numbers.shape))
    dtype = property(lambda self: self._numbers.dtype)

    def __len__(self):
        return self.shape[0]

    def _refuse(self, *given, **named):
        raise Refused(
            f"this array {self.shape} lies in slow memory: nothing can be computed with it there. "
            "chip.load(array, a, b) brings its rows a to b - 1"
        )

    __getitem__ = __setitem__ = __iter__ = __array__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __matmul__ = __rmatmul__ = __truediv__ = __rtruediv__ = __neg__ = _refuse

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        next(a for a in (*args, *(kwargs or {}).values()) if isinstance(a, cls))._refuse()


class Chip:
    """The machine.

    Args:
        fast: how many numbers its fast memory has a place for.

    Attributes:
        moved: numbers loaded and stored so far.
        most: the most numbers that were in fast memory at one time, in `run`.
        loads: what was loaded, (array, first row, row behind the last) each, in order.
    """

    def __init__(self, fast=math.inf):
        self.fast, self.moved, self.most, self.loads = fast, 0, 0, []
        self._alive = None

    def load(self, array, a, b):
        """A copy of rows a to b - 1 of an array in slow memory."""
        self._refuse("load", array, a, b)
        with self._moving():
            rows = array._numbers[a:b].clone()
        if self._alive is not None:
            self._alive.note(rows)
        self.moved += rows.numel()
        self.loads.append((array, a, b))
        return rows

    def store(self, array, a, b, rows):
        """Write these rows over rows a to b - 1 of an array in slow memory."""
        self._refuse("store", array, a, b)
        wanted = (b - a, *array.shape[1:])
        if tuple(rows.shape) != wanted:
            raise Refused(f"store({a}, {b}) takes rows {wanted}, got {tuple(rows.shape)}")
        if self._alive is not None:
            self._alive.need(rows)
        with self._moving():
            array._numbers[a:b] = rows
        self.moved += rows.numel()

    def _refuse(self, what, array, a, b):
        if not isinstance(array, Slow):
            raise Refused(
                f"{what} takes an array in slow memory, got {type(array).__name__}: what is loaded "
                "is in fast memory already, and can be indexed"
            )
        if not 0 <= a <= b <= len(array):
            raise Refused(
                f"{what}({a}, {b}): the array has rows 0 to {len(array) - 1}. What lies behind "
                "its end belongs to another array"
            )

    def _moving(self):
        return contextlib.nullcontext() if self._alive is None else self._alive.moving()

    def run(self, kernel, *arrays, out):
        """Run kernel(chip, *arrays, out) on tensors put into slow memory; return this chip.

        Raises:
            Refused: a tensor is used that was not loaded, numbers leave the tensors for Python, or
                fast memory is too small; the error says how many numbers would have been in it.
        """
        from .alive import Alive  # what a page has not

        self._alive = Alive(self.fast)
        try:
            with torch.no_grad(), self._alive.watching():
                kernel(self, *map(Slow, arrays), Slow(out))
        finally:
            self.most = max(self.most, self._alive.most)
            self._alive = None
        return self
