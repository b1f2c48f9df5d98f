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


def sentences():
    """English sentences of everyday life, seven on each of twelve topics.

    Returns:
        the sentences and their topics: two lists of 84 strings.

    Source: written for these lessons.
    """
    with files(__package__).joinpath("sentences.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["sentence"], row["topic"]) for row in csv.DictReader(file)]
    texts, topics = zip(*rows, strict=True)
    return list(texts), list(topics)
