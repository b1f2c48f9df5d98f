"""How the lesson's first reader learns, step by step, in both orders and with fewer numbers."""

import csv
import functools
from pathlib import Path

from torch import nn

from .dates import LastState, right_after

STORED = Path(__file__).with_name("readers.csv")
READERS = {  # the numbers between reading and writing, and whether the last letter comes first
    "forwards, 32 numbers": (32, False),
    "backwards, 32 numbers": (32, True),
    "forwards, 14 numbers": (14, False),
}
PARTS = "year", "month", "day", "all"


def one_vector(width):
    """The reader, as the lesson builds it."""
    reads = nn.Embedding(128, 16), nn.GRU(16, width, batch_first=True), LastState()
    return nn.Sequential(*reads, nn.Linear(width, 8 * 10))


def rows():
    """Yield the lines of readers.csv: 1200 steps of each, about half a minute in all."""
    yield ",".join(("reader", "steps", *PARTS))
    for reader, (width, backwards) in READERS.items():
        noted = right_after(1200, one_vector, width, backwards=backwards, every=150)
        for steps, shares in noted.items():
            yield ",".join([f'"{reader}"', str(steps), *(str(shares[part]) for part in PARTS)])


@functools.cache
def learned():
    """What `rows` gave: {reader: {steps: {part: the share that is right}}}."""
    found = {}
    with STORED.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            shares = {part: float(row[part]) for part in PARTS}
            found.setdefault(row["reader"], {})[int(row["steps"])] = shares
    return found
