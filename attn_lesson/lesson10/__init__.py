"""A published language model, where it is installed, a page of Dickens, and a table of heads."""

import csv
from pathlib import Path

import torch

from ..published import model_folder
from .model import LanguageModel, load, numbers, read_file

__all__ = [
    "PAGE", "LanguageModel", "induction_score", "load", "earlier_head", "next_token_probabilities",
    "numbers", "published_model", "read_file", "rounded", "window_mask", "without_each_head",
    "without_no_head",
]  # fmt: skip

HERE = Path(__file__).parent
PAGE = (HERE / "dickens.txt").read_text("utf-8").strip()  # "Great Expectations", 1861
ANSWERS = "induction_score", "earlier_head", "next_token_probabilities", "rounded", "window_mask"
MEGABYTES = 97  # to download, with what reads it


def __getattr__(name):
    # Only when asked for: they answer exercises.
    if name in ANSWERS:
        from . import exercises

        return getattr(exercises, f"my_{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def published_model():
    """The GGUF file of SmolLM2-135M-Instruct.

    None where it, or a package that reads it, is missing; then what to install is printed.
    """
    package = model_folder(HERE, MEGABYTES)
    return package and package / "SmolLM2-135M-Instruct.Q4_1.gguf"


def _heads():
    with (HERE / "heads.csv").open(encoding="utf-8", newline="") as lines:
        whole, *rows = csv.DictReader(lines)
    return [{name: float(row[name]) for name in list(row)[2:]} for row in (whole, *rows)]


def without_no_head():
    """What the model does with all heads: {what: number}, as in `without_each_head`."""
    return _heads()[0]


def without_each_head():
    """What the model does without each of its heads: {what: numbers, (30 layers, 9 heads)}.

    "right", "least", "most": how many of 39 tokens it copies, in the mean of five texts and in the
    one where it copies least and most; "second": the loss there; "copiers": the mean score of the
    five best copiers; "page": the loss of the page. `python -m attn_lesson.lesson10 heads` makes
    them.
    """
    rows = _heads()[1:]
    return {what: torch.tensor([row[what] for row in rows]).view(30, 9) for what in rows[0]}
