"""Small real data sets; README.md beside this file names their sources."""

import csv
from importlib.resources import files

import torch


def motorcycle():
    """Head acceleration of a dummy in a simulated motorcycle crash.

    Returns:
        times in milliseconds after impact, shape (133,), and accelerations in g, shape
        (133,), both float64.

    Source: Silverman (1985), Journal of the Royal Statistical Society B 47(1).
    """
    with files(__package__).joinpath("motorcycle.csv").open(encoding="utf-8", newline="") as file:
        rows = [(float(row["times"]), float(row["accel"])) for row in csv.DictReader(file)]
    times, accelerations = torch.tensor(rows, dtype=torch.float64).unbind(1)
    return times, accelerations
