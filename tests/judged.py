"""A small exercise of our own, and all of the course's, for the judge's tests."""

import pytest
import torch

from attn_lesson import catalogue
from attn_lesson import words as lesson_words
from attn_lesson.judge import common
from attn_lesson.judge.exercise import Exercise

EXERCISES, QUESTIONS = catalogue.tables()
EACH = pytest.mark.parametrize("exercise", list(EXERCISES.values()), ids=list(EXERCISES))


def own(exercise):
    """The settings that the lesson itself lists."""
    return [s for s in exercise.settings if s[0] != "result"]


def outcomes(desk, settings):
    """What the settings make of all cases, and the numbers of the wrong ones."""
    results = [desk.outcome(settings, i) for i in range(len(desk.cases))]
    return results, [i for i, r in enumerate(results) if not desk.right(i, r)]


def my_average(x, weights, *, scale="sum", axis=-1, sign=1):
    total = (sign * x * weights).sum(axis)
    return total / (weights.sum() if scale == "sum" else len(weights))


def exercise(**options):
    made = Exercise(
        my_average,
        cases=lambda seed: [
            (torch.tensor([[1.0, 2.0]]), torch.tensor([1.0, 3.0])),
            (common.Draw(seed).normal(3, 4), torch.tensor([1.0, 2.0, 5.0, 0.5])),
            (common.Draw(seed).normal(4, 4), torch.tensor([1.0, 2.0, 5.0, 0.5])),
        ],
        **options,
    )
    lines = [("scale=count", "The sum is divided by a count."), ("axis=0", "The axis is wrong.")]
    lines += [("sign=-1", "It has {size} numbers, all negative. // It is negative.")]
    made.settings = lesson_words.settings([*lines, ("result", "shared")])
    made.numbers = {"size": lambda case, got, expected: got.numel()}
    made.hints = ["One.", "Two."]
    return made


def right(x, weights):
    return (x * weights).sum(-1) / weights.sum()


def names(verdict):
    return [m.name for m in verdict.mistakes]


def lambda_named(function):
    function.__name__ = "my_average"
    return function
