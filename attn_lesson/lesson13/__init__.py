"""Lesson 13: attentions, right and broken, and what a test can ask of them."""

from .asked import MEASURES, drawn
from .attentions import PLANTED, RIGHT
from .learns import goes_on, in_use, three_models
from .strangers import STRANGERS

__all__ = [
    "MEASURES",
    "PLANTED",
    "RIGHT",
    "STRANGERS",
    "drawn",
    "goes_on",
    "in_use",
    "three_models",
]
