"""Lesson 15: what models keep of a text, and what they can recall of it."""

from .designs import DESIGNS, LONG, OTHERS, SHORT, TASKS  # isort: skip
from .designs import RecallModel, kept, recall, runs, spelled, train

__all__ = ["DESIGNS", "LONG", "OTHERS", "SHORT", "TASKS", "RecallModel", "kept", "recall",
           "runs", "spelled", "train"]  # fmt: skip
