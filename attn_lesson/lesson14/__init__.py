"""Lesson 14: models with today's parts, trained, and layers of published ones, to be found."""

from .families import CHOICES, models, off, parts
from .learns import HIGH, RATES, encode, runs, start, tokens, train, watch, weight_of

__all__ = ["CHOICES", "HIGH", "RATES", "encode", "models", "off", "parts", "runs", "start",
           "tokens", "train", "watch", "weight_of"]  # fmt: skip
