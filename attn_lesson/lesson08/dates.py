"""Dates as people write them, and what trains the lesson's first reader on some of them."""

import datetime
import random
import re
from collections import namedtuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

Pair = namedtuple("Pair", "text iso language style")
FIRST, NUMBER = 711858, 36525  # the days from 1950 to 2049, so that two digits tell the year


def all_days():
    """The days from 1950 to 2049, as ordinals."""
    return range(FIRST, FIRST + NUMBER)


def draw_dates(number, days, taught):
    """So many pairs of a text and its date, drawn by `random`.

    Args:
        number: how many.
        days: ordinals to draw from.
        taught: {language: styles of Babel}, to draw from.
    """
    from babel.dates import format_date

    pairs = []
    for _ in range(number):
        day, language = datetime.date.fromordinal(random.choice(days)), random.choice([*taught])
        style = random.choice(taught[language])
        pairs.append(Pair(format_date(day, style, language), day.isoformat(), language, style))
    return pairs


def spans(pair):
    """Where day, month and year stand in the text of a pair, as slices."""
    from babel.dates import format_date

    numbers = [slice(*found.span()) for found in re.finditer(r"\d+", pair.text)]
    if len(numbers) == 2:  # the month is a word
        day = datetime.date.fromisoformat(pair.iso)
        words = (format_date(day, form, pair.language) for form in ("MMMM", "MMM"))
        word = next(word for word in words if word in pair.text)
        start = pair.text.index(word)
        numbers.insert(1, slice(start, start + len(word)))
    return dict(zip(["day", "month", "year"], numbers, strict=True))


class LastState(nn.Module):
    """Of what a GRU gives, all states and the last one, the last: (batch, width)."""

    def forward(self, states):
        return states[1][0]


def right_after(steps, make, *sizes, backwards=False, seed=1, every=None):
    """Train a reader of French dates; return which shares of 1,000 new ones it gets right.

    Args:
        steps: of training, with 32 dates each.
        make: gives the model, (batch, letters) of codes below 128 in, (batch, 80) scores out:
            ten for each of the eight digits of a date.
        sizes: are given to `make`.
        backwards: whether the last letter comes first.
        seed: start of the draws.
        every: give {step: shares}, after so many steps each, in place of the last shares.
    """
    from babel.dates import format_date

    torch.manual_seed(seed)
    torch.set_num_threads(1)  # a small model: one thread is the fastest
    days = [datetime.date.fromordinal(FIRST + n) for n in torch.randperm(NUMBER)[:6000].tolist()]
    texts = [format_date(day, "long", locale="fr").rjust(17) for day in days]
    texts = [text[::-1] if backwards else text for text in texts]
    letters = torch.tensor([[ord(letter) % 128 for letter in text] for text in texts])
    digits = torch.tensor([[*map(int, f"{day:%Y%m%d}")] for day in days])
    model = make(*sizes).double()  # with 64 bits, processors differ by less
    adam = torch.optim.Adam(model.parameters(), 0.01)

    def scores(rows):
        return model(letters[rows]).view(-1, 10, 8)

    parts = {"year": slice(0, 4), "month": slice(4, 6), "day": slice(6, 8), "all": slice(0, 8)}
    noted = {}
    for step, rows in enumerate(torch.randint(5000, (steps, 32)), start=1):
        adam.zero_grad()
        cross_entropy(scores(rows), digits[rows]).backward()
        adam.step()
        if step % (every or steps) == 0:
            with torch.no_grad():
                right = (scores(slice(5000, None)).argmax(1) == digits[5000:]).double()
            noted[step] = {p: round(right[:, s].prod(1).mean().item(), 1) for p, s in parts.items()}
    return noted if every else noted[steps]
