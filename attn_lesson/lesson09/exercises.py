"""Exercises and questions of lesson 09, TODO: its subject."""

import torch

from ..common import Draw
from ..judging import Exercise
from ..words import tell


def my_average_9_1(values, weights, *, weigh="given", divide="sum", axis=-1):
    """TODO. Each knob's default is right; mistakes.md says what its other settings mean."""
    weights = {"given": weights, "ignored": weights * 0 + 1, "squared": weights**2}[weigh]
    total = {
        "sum": weights.sum(axis),
        "nothing": 1,
        "count": values.shape[axis],
        "length": weights.norm(dim=axis),
    }[divide]
    return (weights * values).sum(axis) / total


def _cases_1(seed):
    draw = Draw(900 + 10 * 1 + seed)
    shapes = [(2,), (5,), (3, 4), (2, 3, 4)]  # the smallest comes first
    return [(draw.short(*shape), draw.short(*shape).abs() + 0.5) for shape in shapes]


AVERAGE_1 = Exercise(my_average_9_1, cases=_cases_1)


def my_average_9_2(values, weights, *, weigh="given", divide="sum", axis=-1):
    """TODO. Each knob's default is right; mistakes.md says what its other settings mean."""
    weights = {"given": weights, "ignored": weights * 0 + 1, "squared": weights**2}[weigh]
    total = {
        "sum": weights.sum(axis),
        "nothing": 1,
        "count": values.shape[axis],
        "length": weights.norm(dim=axis),
    }[divide]
    return (weights * values).sum(axis) / total


def _cases_2(seed):
    draw = Draw(900 + 10 * 2 + seed)
    shapes = [(2,), (5,), (3, 4), (2, 3, 4)]  # the smallest comes first
    return [(draw.short(*shape), draw.short(*shape).abs() + 0.5) for shape in shapes]


AVERAGE_2 = Exercise(my_average_9_2, cases=_cases_2)


def my_average_9_3(values, weights, *, weigh="given", divide="sum", axis=-1):
    """TODO. Each knob's default is right; mistakes.md says what its other settings mean."""
    weights = {"given": weights, "ignored": weights * 0 + 1, "squared": weights**2}[weigh]
    total = {
        "sum": weights.sum(axis),
        "nothing": 1,
        "count": values.shape[axis],
        "length": weights.norm(dim=axis),
    }[divide]
    return (weights * values).sum(axis) / total


def _cases_3(seed):
    draw = Draw(900 + 10 * 3 + seed)
    shapes = [(2,), (5,), (3, 4), (2, 3, 4)]  # the smallest comes first
    return [(draw.short(*shape), draw.short(*shape).abs() + 0.5) for shape in shapes]


AVERAGE_3 = Exercise(my_average_9_3, cases=_cases_3)


def my_average_9_4(values, weights, *, weigh="given", divide="sum", axis=-1):
    """TODO. Each knob's default is right; mistakes.md says what its other settings mean."""
    weights = {"given": weights, "ignored": weights * 0 + 1, "squared": weights**2}[weigh]
    total = {
        "sum": weights.sum(axis),
        "nothing": 1,
        "count": values.shape[axis],
        "length": weights.norm(dim=axis),
    }[divide]
    return (weights * values).sum(axis) / total


def _cases_4(seed):
    draw = Draw(900 + 10 * 4 + seed)
    shapes = [(2,), (5,), (3, 4), (2, 3, 4)]  # the smallest comes first
    return [(draw.short(*shape), draw.short(*shape).abs() + 0.5) for shape in shapes]


AVERAGE_4 = Exercise(my_average_9_4, cases=_cases_4)


def my_average_9_5(values, weights, *, weigh="given", divide="sum", axis=-1):
    """TODO. Each knob's default is right; mistakes.md says what its other settings mean."""
    weights = {"given": weights, "ignored": weights * 0 + 1, "squared": weights**2}[weigh]
    total = {
        "sum": weights.sum(axis),
        "nothing": 1,
        "count": values.shape[axis],
        "length": weights.norm(dim=axis),
    }[divide]
    return (weights * values).sum(axis) / total


def _cases_5(seed):
    draw = Draw(900 + 10 * 5 + seed)
    shapes = [(2,), (5,), (3, 4), (2, 3, 4)]  # the smallest comes first
    return [(draw.short(*shape), draw.short(*shape).abs() + 0.5) for shape in shapes]


AVERAGE_5 = Exercise(my_average_9_5, cases=_cases_5)


EXERCISES, QUESTIONS = tell(__name__, AVERAGE_1, AVERAGE_2, AVERAGE_3, AVERAGE_4, AVERAGE_5)


def my_induction_score(weights):
    n = weights.shape[-1] // 2
    return weights.diagonal(1 - n, -2, -1)[..., 1:].mean(-1)


def my_rounded(block, bits):
    low, high = block.amin(-1, keepdim=True), block.amax(-1, keepdim=True)
    step = (high - low) / (2**bits - 1)
    step = step.where(step > 0, torch.ones_like(step))
    return low + step * ((block - low) / step).round()
