"""A published language model, where it is installed, and a page of Dickens."""

from pathlib import Path

from ..published import model_folder
from .model import LanguageModel, load, numbers, read_file

__all__ = [
    "PAGE", "LanguageModel", "induction_score", "load", "next_token_probabilities", "numbers",
    "published_model", "read_file", "rounded", "window_mask",
]  # fmt: skip

HERE = Path(__file__).parent
PAGE = (HERE / "dickens.txt").read_text("utf-8").strip()  # "Great Expectations", 1861
MEGABYTES = 97  # to download, with what reads it


def __getattr__(name):
    # Only when asked for: they answer exercises.
    if name in ("induction_score", "next_token_probabilities", "rounded", "window_mask"):
        from . import exercises

        return getattr(exercises, f"my_{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def published_model():
    """The GGUF file of SmolLM2-135M-Instruct.

    None where it, or a package that reads it, is missing; then what to install is printed.
    """
    package = model_folder(HERE, MEGABYTES)
    return package and package / "SmolLM2-135M-Instruct.Q4_1.gguf"
