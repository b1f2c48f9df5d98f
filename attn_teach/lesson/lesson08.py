"""Exercises and questions of lesson 08, a translator of dates."""

import itertools
import math

import torch

from .common import Draw, scaled, weighed
from .engine import Exercise
from .words import tell

# 8.1 What the decoder is given


def my_shift_right(targets, begin, *, move="right", filled="begin"):
    first = torch.full_like(targets[:, :1], 0 if filled == "zero" else begin)  # (batch, 1)
    last = targets[:, -1:]
    return {
        "right": torch.cat([first, targets[:, :-1]], 1),
        "left": torch.cat([targets[:, 1:], first], 1),
        "none": targets,
        "longer": torch.cat([first, targets], 1),
        "shorter": targets[:, :-1],
        "around": torch.cat([last, targets[:, :-1]], 1),
        "over": torch.cat([first, targets[:, 1:]], 1),
        "batch": torch.cat([torch.full_like(targets[:1], begin), targets[:-1]], 0),
        "end": torch.cat([targets[:, :-1], first], 1),
    }[move]


def _sentences(seed):
    draw = Draw(80 + seed)
    shapes = [(2, 4), (1, 5), (4, 2), (3, 3), (4, 1)]
    cases = [(torch.tensor([[5, 6, 7]]), 1)]
    return cases + [(draw.whole(3, 9, *shape), 2) for shape in shapes]


SHIFT_RIGHT = Exercise(my_shift_right, cases=_sentences)


# 8.2 Greedy decoding, with a table of scores in the place of a model


def my_greedy(
    table, begin, end, most, *,
    read="newest", choose="best", keep="neither", stop="end", count="written",
):  # fmt: skip
    written, newest = [], begin
    limit = most + {"written": 0, "one less": -1, "one more": 1}[count]
    while len(written) < limit:
        scores = table[:, newest] if read == "column" else table[newest]
        second = scores.topk(2).indices[1]
        best = {"best": scores.argmax(), "worst": scores.argmin(), "second": second}[choose]
        if best.item() == end and stop == "end":
            written += [end] if keep in ("end", "both") else []
            break
        written.append(best.item())
        newest = begin if read == "begin" else written[-1]
    return torch.tensor([begin] * (keep in ("begin", "both")) + written, dtype=torch.long)


def _table(draw, order, symbols):
    """Scores by which these symbols follow each other; any others are drawn."""
    table = draw.short(symbols, symbols)
    for one, following in itertools.pairwise(order):
        table[one, following] = 9.0
    return table


def _tables(seed):
    draw = Draw(82 + seed)
    small = torch.tensor([[0.0, 9.0, 1.0], [2.0, 0.0, 9.0], [3.0, 1.0, 0.0]])
    orders = [([4, 0, 3, 1, 2, 5], 5, 9), ([2, 3, 4, 0, 1], 1, 4), ([1, 5, 0, 2, 4, 3], 3, 3)]
    cases = [(small, 0, 2, 5)]
    return cases + [(_table(draw, o, 6), o[0], end, most) for o, end, most in orders]


GREEDY = Exercise(my_greedy, cases=_tables)


# 8.3 One step with a cache


def my_cached_step(
    q, k, v, past_keys, past_values, *, tokens="all", scale="sqrt d", softmax="keys", mask="none"
):
    def joined(past, new, which):
        parts = {
            "past": (past,),
            "new": (new,),
            "front": (new, past),
            "instead": (past[:, 1:], new),
        }
        return torch.cat(parts.get(which, (past, new)), -2)  # (batch, t + 1, d)

    front = {"keys in front": ("front", "all"), "values in front": ("all", "front")}
    which = front.get(tokens, (tokens, tokens))
    k, v = joined(past_keys, k, which[0]), joined(past_values, v, which[1])
    scores = scaled(scale, q @ k.mT, q.shape[-1], k.shape[-2])  # (batch, 1, t + 1)
    if mask == "first":
        scores[..., 1:] = -math.inf
    return weighed(softmax, scores) @ v


def _steps(seed):
    draw = Draw(83 + seed)
    hand = [torch.tensor([[row]]) for row in ([1.0, 0.0], [0.0, 2.0], [3.0, 0.0])]
    past = [torch.tensor([[[0.0, 1.0], [0.0, 2.0]]]), torch.tensor([[[1.0, 1.0], [5.0, 0.0]]])]
    cases = [(*hand, *past)]
    for batch, t, d, size in [(2, 3, 4, 4), (3, 5, 6, 6), (1, 1, 4, 4), (2, 4, 3, 3)]:
        new = draw.normal(batch, 1, d), draw.normal(batch, 1, d), draw.normal(batch, 1, size)
        cases.append((*new, draw.normal(batch, t, d), draw.normal(batch, t, size)))
    return cases


CACHED_STEP = Exercise(my_cached_step, cases=_steps, dtypes=True)


# 8.4 Attention on a span, against chance


def my_share_on_span(
    weights, start, stop, *, end="before", count="mean", chance="length", compare="ratio"
):
    last = {"before": stop, "with": stop + 1, "one less": stop - 1}[end]
    inside = weights[:, start:last]
    share = {"mean": inside.sum(-1).mean(), "sum": inside.sum(), "cells": inside.mean(),
             "largest": inside.sum(-1).max(), "first": inside.sum(-1)[0],
             "best": inside.max(-1).values.mean()}[count]  # fmt: skip
    keys, size = weights.shape[1], stop - start
    by = {"length": size / keys, "one": 1 / keys, "rest": (keys - size) / keys, "none": 1.0,
          "queries": size / len(weights), "closed": (size + 1) / keys}  # fmt: skip
    return share - by[chance] if compare == "difference" else share / by[chance]


def _weights(seed):
    draw = Draw(84 + seed)
    hand = torch.tensor([[0.2, 0.5, 0.3, 0.0], [0.1, 0.1, 0.7, 0.1]])
    sizes = [(3, 5, 0, 2), (2, 6, 3, 5), (4, 7, 1, 5), (5, 4, 2, 3), (1, 8, 4, 7)]
    cases = [(hand, 1, 3)]
    return cases + [(draw.normal(n, m).softmax(-1), a, b) for n, m, a, b in sizes]


SHARE_ON_SPAN = Exercise(my_share_on_span, cases=_weights)


EXERCISES, QUESTIONS = tell(__name__, SHIFT_RIGHT, GREEDY, CACHED_STEP, SHARE_ON_SPAN)
