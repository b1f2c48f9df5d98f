"""Lesson 16: a machine that counts what a kernel moves and holds, and kernels for it."""

from ..memory import kept_for_backward
from .chip import Chip, Refused, Slow
from .kernels import flash, plain, tile_gradients, tile_kinds, tiles

__all__ = ["Chip", "Refused", "Slow", "flash", "kept_for_backward", "plain", "tile_gradients",
           "tile_kinds", "tiles"]  # fmt: skip
