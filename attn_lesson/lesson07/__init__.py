"""A published model, where it is installed, and sentences for it (CC BY 4.0)."""

import csv
from pathlib import Path

from ..published import model_folder
from .door import numbers_of, vectors_of
from .nouns import NOUNS

__all__ = ["NOUNS", "numbers_of", "published_model", "sentences", "vectors_of"]

HERE = Path(__file__).parent
MEGABYTES = 87  # to download, with what reads it


def published_model():
    """The folder of all-MiniLM-L6-v2: model.safetensors, tokenizer.json, config.json.

    None where it, or a package that reads it, is missing; then what to install is printed.
    """
    package = model_folder(HERE, MEGABYTES)
    return package and package / "model"


def sentences():
    """English sentences of everyday life, seven on each of twelve topics.

    Returns:
        the sentences and their topics: two lists of 84 strings.

    Source: written for these lessons.
    """
    with (HERE / "sentences.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["sentence"], row["topic"]) for row in csv.DictReader(file)]
    texts, topics = zip(*rows, strict=True)
    return list(texts), list(topics)
