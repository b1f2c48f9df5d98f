"""What lesson 12 needs beside its notebook: measured bytes and seconds, runs, and a ring."""

import csv
import statistics
from pathlib import Path

from ..memory import peak
from . import drawings, ring
from .copying import texts
from .speed import measure

__all__ = [
    "copied", "drawings", "fresh", "machine", "measure", "peak", "ring",
    "ring_elsewhere", "texts",
]  # fmt: skip

HERE = Path(__file__).parent


def _rows(file):
    with (HERE / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def machine():
    """What `measure` found on the machine that the lesson names: {(what, size): number}."""
    return {(row["what"], int(row["size"])): float(row["value"]) for row in _rows("machine.csv")}


def fresh():
    """Plain and fused attention with fresh memory and with memory kept, on one other server.

    {(memory, what, tokens): number}: the seconds of "plain" and "fused", and the pages of memory
    that the system hands out during a call ("plain pages"), for memory "fresh" and "kept".
    """
    rows = _rows("fresh.csv")
    return {(row["memory"], row["what"], int(row["size"])): float(row["value"]) for row in rows}


def copied(kind, size, length=20):
    """The share that models of `python -m attn_lesson.lesson12 copying` copy: mean of the seeds."""
    wanted = {"kind": kind, "size": str(size), "length": str(length)}
    found = [row for row in _rows("copying.csv") if wanted.items() <= row.items()]
    return statistics.mean(float(row["right"]) for row in found)


def ring_elsewhere(workers):
    """What so many processes gave for the lesson's text, where they could be started.

    The largest difference of outputs and gradients from those of one process, and how many
    numbers each process sent.
    """
    (found,) = (row for row in _rows("ring.csv") if int(row["workers"]) == workers)
    return float(found["difference"]), int(found["sent"])
