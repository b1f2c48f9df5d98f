"""Lesson 16: a machine that counts what a kernel moves and holds."""

from ..memory import kept_for_backward
from .chip import Chip, Refused, Slow

__all__ = ["Chip", "Refused", "Slow", "kept_for_backward"]
