"""A published model, where it is installed, and sentences for it (CC BY 4.0)."""

import csv
from pathlib import Path

from ..published import model_folder
from .door import numbers_of, tokens_of, vectors_of
from .figures import draw_blocks, draw_leads, draw_silent, draw_weights
from .pairs import NEW_PAIRS, PAIRS, parts_of
from .turns import mean_of_real, silent

__all__ = ["mean_of_real", "nouns_in", "numbers_of", "published_model", "sentences", "silent"]
__all__ += ["tokens_of", "vectors_of", "PAIRS", "NEW_PAIRS", "parts_of"]
__all__ += ["draw_blocks", "draw_leads", "draw_silent", "draw_weights"]

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
    texts, topics = zip(*((row["sentence"], row["topic"]) for row in _rows()), strict=True)
    return list(texts), list(topics)


def nouns_in(sentence):
    """The words that are nouns in this one of `sentences()`, in lower case: a set."""
    return {word for row in _rows() if row["sentence"] == sentence for word in row["nouns"].split()}


def _rows():
    with (HERE / "sentences.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
