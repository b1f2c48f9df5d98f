"""A published model, where it is installed, and sentences for it (CC BY 4.0)."""

import csv
from pathlib import Path

from .door import numbers_of, vectors_of
from .nouns import NOUNS
from .published import published_model

__all__ = ["NOUNS", "numbers_of", "published_model", "sentences", "vectors_of"]


def sentences():
    """English sentences of everyday life, seven on each of twelve topics.

    Returns:
        the sentences and their topics: two lists of 84 strings.

    Source: written for these lessons.
    """
    with Path(__file__).with_name("sentences.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["sentence"], row["topic"]) for row in csv.DictReader(file)]
    texts, topics = zip(*rows, strict=True)
    return list(texts), list(topics)
