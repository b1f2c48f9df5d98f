"""A published language model, where it is installed, and a page of Dickens."""

from pathlib import Path

from ..published import model_folder
from .model import LanguageModel, load, numbers, read_file

__all__ = ["LanguageModel", "load", "numbers", "published_model", "read_file"]

HERE = Path(__file__).parent
MEGABYTES = 97  # to download, with what reads it


def published_model():
    """The GGUF file of SmolLM2-135M-Instruct.

    None where it, or a package that reads it, is missing; then what to install is printed.
    """
    package = model_folder(HERE, MEGABYTES)
    return package and next(package.glob("*.gguf"))
