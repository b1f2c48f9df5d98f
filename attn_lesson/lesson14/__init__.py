"""Lesson 14: models with today's parts, trained, and layers of published ones, to be found."""

from .families import models, off
from .learns import HIGH, RATES, encode, runs, start, tokens, train, watch, weight_of

__all__ = ["HIGH", "RATES", "encode", "models", "off", "runs", "start", "tokens", "train", "watch",
           "weight_of"]  # fmt: skip
