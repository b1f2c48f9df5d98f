"""Names of towns, which README.md tells the source of, and what training on them gave."""

import csv
import functools
import statistics
from pathlib import Path

from attn_lesson.parameters import own_words

__all__ = ["EIGHT", "mean_loss", "runs", "stopped_loss", "towns"]

HERE = Path(__file__).parent
EIGHT = ["bitton", "brandrey", "chitherston", "diss", "hembrury", "hursbley", "thurlby", "woolpit"]
EACH = 1200  # names of each country
USUAL = {"names": 8600, "width": 64, "blocks": 2, "places": 1, "country": 1}


def _rows(file):
    with (HERE / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@functools.cache
def _towns():
    return tuple((row["country"], row["name"]) for row in _rows("towns.csv"))


def towns(words=""):
    """Names of towns in small letters, 1,200 of each of eight countries: (country, name) each.

    Words of your own, a list or the name of a file with a word a line, take the place of the
    British names, under GB; of more than 1,200, so many that lie evenly in the list.
    """
    own = own_words(words)
    if not own:
        return list(_towns())
    kept = own if len(own) <= EACH else [own[k * len(own) // EACH] for k in range(EACH)]
    return [("GB", word) for word in kept] + [row for row in _towns() if row[0] != "GB"]


def runs():
    """Models that `python -m tools.site.towns runs` trained with the lesson's code: a dict each.

    seed, names learned, width, blocks, places and country (0: trained without), numbers in the
    model, and its loss on its own names and on new ones, the held-out.
    """
    return [
        {key: float(value) if key in ("own", "new") else int(value) for key, value in row.items()}
        for row in _rows("runs.csv")
    ]


def mean_loss(of="new", **what):
    """The loss of the lesson's model, or of one that differs so, as the mean of three seeds."""
    chosen = USUAL | what
    found = [run[of] for run in runs() if all(run[key] == chosen[key] for key in chosen)]
    return statistics.mean(found)


def stopped_loss(names):
    """The held-out loss of models stopped where it was lowest, as the mean of three seeds."""
    found = [float(row["new"]) for row in _rows("stopped.csv") if int(row["names"]) == names]
    return statistics.mean(found)
