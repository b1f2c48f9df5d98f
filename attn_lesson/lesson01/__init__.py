"""Kernel regression, and the measurements it is tried on; README.md names their source."""

import csv
from pathlib import Path

import torch


def motorcycle():
    """Head acceleration of a dummy in a simulated motorcycle crash.

    Returns:
        times in milliseconds after impact, shape (133,), and accelerations in g, shape
        (133,), both float64.

    Source: Silverman (1985), Journal of the Royal Statistical Society B 47(1).
    """
    with Path(__file__).with_name("motorcycle.csv").open(encoding="utf-8", newline="") as file:
        rows = [(float(row["times"]), float(row["accel"])) for row in csv.DictReader(file)]
    times, accelerations = torch.tensor(rows, dtype=torch.float64).unbind(1)
    return times, accelerations
