"""What several lessons' exam.py need for the rubrics of classroom/EXAM.md."""

import re
from functools import partial

import nbformat
import torch

from tools.lessons import lessons

softmax = partial(torch.softmax, dim=-1)
tensor = partial(torch.tensor, dtype=torch.float64)
Q = torch.randn(5, 4)


def influences(layer, n, size=8):
    """Return whether an output (in rows) moves when a token (in columns) changes."""
    moves = torch.autograd.functional.jacobian(layer, torch.randn(1, n, size))
    return moves.abs().amax((0, 2, 3, 5)) > 1e-6


def size_of(module, *parts):
    """Count the parameters, or those whose names hold one of the parts."""
    named = module.named_parameters()
    return sum(p.numel() for name, p in named if not parts or any(part in name for part in parts))


def outputs(lesson):
    """Return what is stored below the cells of a lesson, on one line."""
    (path,) = (path for path in lessons() if path.name.startswith(f"{lesson:02}"))
    found = [output for cell in nbformat.read(path, 4).cells for output in cell.get("outputs", [])]
    texts = [found.get("text") or found.get("data", {}).get("text/plain", "") for found in found]
    return " ".join(" ".join(texts).split())


def printed(lesson, words, times=1):
    """Return the number that stands, so many times, behind the words in a stored output."""
    number = rf"{re.escape(words)} *(-?[\d.]+)(?: \1){{{times - 1}}} "
    return float(re.search(number, outputs(lesson) + " ")[1])
