"""Exercises and questions of lesson 03, masking."""

import torch

from attn_teach.masking import causal_mask
from attn_teach.scoring import dot_product_scores

from ..common import Draw
from ..judging import Exercise
from ..words import tell


def _too_many(case, got, expected):
    """How many cells are True and must not be."""
    return int((got & ~expected).sum())


def _ahead(num_steps):
    """How many places key j stands after query i, (num_steps, num_steps)."""
    steps = torch.arange(num_steps)
    return steps - steps.unsqueeze(1)


# 3.1 A little look-ahead


def my_lookahead_mask(
    num_steps, lookahead, *, limit="plus", edge=0, kept="below", rows="move", width="num_steps"
):
    ahead = _ahead(num_steps)
    if rows == "equal":
        ahead = torch.arange(num_steps).repeat(num_steps, 1)
    if width == "lookahead":
        ahead = ahead[:, :lookahead] if lookahead <= num_steps else _ahead(lookahead)[:num_steps]
    limit = {"plus": lookahead, "minus": -lookahead, "none": 0}[limit] + edge
    if kept == "step":
        return (ahead <= edge) | (ahead == limit)
    below = ahead >= limit if kept == "above" else ahead <= limit
    more = {"band": -ahead <= limit, "ahead": ahead >= 0, "future": ahead > 0}
    return below & more.get(kept, ahead == ahead)


LOOKAHEAD_MASK = Exercise(
    my_lookahead_mask,
    cases=lambda seed: [
        *((3, 1), (6, 2), (5, 0), (4, 7), (7, 3)),
        (Draw(seed).whole(8, 10), Draw(seed + 1).whole(1, 4)),
    ],
)


# 3.2 Lengths to mask


def my_padding_mask(valid_lens, num_keys, *, edge=0, width="num_keys", axes="right"):
    flat = valid_lens.dim() == 1
    lens = valid_lens.reshape(len(valid_lens), -1, 1)  # (batch, 1 or queries, 1)
    new = {"one more": (..., None), "none": ..., "middle": (slice(None), None),
           "two more": (slice(None), None, None),
           "stacked": (..., None) if flat else ...}  # fmt: skip
    if axes in new:
        lens = valid_lens[new[axes]]
    elif axes == "folded":
        lens = valid_lens.reshape(-1, 1, 1)
    elif axes == "repeated" and flat:
        lens = lens.expand(-1, num_keys, -1)
    elif axes == "first query":
        lens = lens[:, :1].expand_as(lens)
    counts = {"longest": int(valid_lens.max()), "one less": num_keys - 1}
    mask = torch.arange(counts.get(width, num_keys)) < lens + edge
    return mask.mT if axes == "last" and flat else mask


PADDING_MASK = Exercise(
    my_padding_mask,
    cases=lambda seed: [
        (torch.tensor([2, 3]), 4),
        (torch.tensor([4, 0, 6, 1, 3]), 6),
        (torch.tensor([1, 3, 2]), 3),  # as many sentences as keys
        (torch.tensor([[1, 0, 3, 4], [2, 2, 4, 2]]), 4),  # as many queries as keys
        (Draw(seed).whole(0, 7, 3, 2), 8),
    ],
    asks=("padding_mask",),
    numbers={
        "cells": _too_many,
        "got": lambda case, got, expected: got.shape[-1],
        "expected": lambda case, got, expected: expected.shape[-1],
    },
)


# 3.3 Queries and keys


def _query_and_key_masks(seed):
    draw = Draw(31 + seed)
    cases = [(torch.tensor([[True, False]]), torch.tensor([[True, True, False]]))]
    for batch, queries, keys in [(2, 4, 3), (3, 2, 5), (3, 3, 3)]:
        cases.append((draw.mask(batch, queries), draw.mask(batch, keys)))
    cases.append((torch.tensor([[False] * 5, [True] * 5]), torch.tensor([[True] * 4, [False] * 4])))
    return cases


def my_token_mask(query_mask, key_mask, *, query="real", key="real", axes="right", join="and"):
    change = {"real": lambda a: a, "unused": torch.ones_like, "pads": torch.logical_not,
              "mixed": lambda a: a.any(0, keepdim=True).expand_as(a)}  # fmt: skip
    a, b = change[query](query_mask), change[key](key_mask)
    if axes != "none":
        a, b = a.unsqueeze(1 if axes == "same" else -1), b.unsqueeze(1)
    if axes == "four":
        a, b = a.unsqueeze(1), b.unsqueeze(0)
    joined = {"and": torch.logical_and, "or": torch.logical_or, "equal": torch.eq,
              "differ": torch.ne, "sum": lambda a, b: a.int() + b.int(),
              "nor": lambda a, b: ~(a | b)}  # fmt: skip
    return joined[join](a, b)


TOKEN_MASK = Exercise(
    my_token_mask,
    cases=_query_and_key_masks,
    numbers={"cells": _too_many, "shape": lambda case, got, expected: tuple(got.shape)},
)


# 3.4 Past and real


def my_causal_padding_mask(valid_lens, num_steps, *, past="<=", real="<", join="and"):
    ahead, keys, lens = _ahead(num_steps), torch.arange(num_steps), valid_lens.view(-1, 1, 1)
    edge = {"late": 1, "early": -1}.get(real, 0)
    if real == "shortest":
        lens = lens.amin().expand_as(lens)
    padding = keys < lens + edge  # (batch, 1, keys)
    change = {"none": torch.ones_like, "rows": lambda a: a.mT, "pads": torch.logical_not,
              "front": lambda a: a.flip(-1), "batch": lambda a: a[:, 0],
              "paired": lambda a: keys < valid_lens,
              "one sentence": lambda a: keys == keys}  # fmt: skip
    padding = change[real](padding) if real in change else padding
    causal = {"<=": ahead <= 0, "<": ahead < 0, ">=": ahead >= 0, "one more": ahead <= 1,
              "none": ahead == ahead, "one row": keys == keys}[past]  # fmt: skip
    return {"and": padding & causal, "or": padding | causal, "equal": padding == causal}[join]


CAUSAL_PADDING_MASK = Exercise(
    my_causal_padding_mask,
    cases=lambda seed: [
        (torch.tensor([2]), 3),
        (torch.tensor([3, 1, 4, 0]), 5),
        (torch.tensor([2, 4, 1, 3]), 4),  # as many sentences as steps
        (torch.tensor([6, 2]), 7),
        (Draw(seed).whole(0, 6, 3), 6),
    ],
    forbids={"attn_teach": "and the exercise asks to use only torch."},
    numbers={"cells": _too_many},
)


# 3.5 A masked softmax that keeps its promises


def _scores_and_masks(seed):
    draw = Draw(3 + seed)
    first_two, one_row = torch.tensor([[True, True, False]]), torch.tensor([[True], [False]])
    cases = [(torch.tensor([[1.0, 2.0, 3.0]]), first_two)]
    # Masks of the scores' shape, then some that broadcast to it.
    shapes = [((2, 3), (2, 3)), ((2, 3, 4), (2, 3, 4)), ((3, 2, 4), (2, 4)),
              ((2, 5, 3, 4), (2, 1, 1, 4))]  # fmt: skip
    for shape, of_mask in shapes:
        mask = draw.mask(*of_mask)
        mask[..., 0], mask[..., -1] = True, False
        cases.append((draw.normal(*shape) * 3, mask))
    cases += [
        (torch.tensor([[-2e6, -3e6, 5.0]]), first_two),
        (torch.tensor([[-2e38, -3e38, 5.0]]), first_two),
        (torch.tensor([[1000.0, 999.0, 3.0], [-300.0, -301.0, 5.0]]), first_two),
        (torch.tensor([[1.0, 1.0, 20.0], [1.0, 2.0, 3.0]]).half(), first_two & one_row),
        (torch.tensor([[-50.0, -51.0, 60.0], [1.0, 2.0, 3.0]]), first_two & one_row),
    ]
    return cases


def my_masked_softmax(
    scores, mask, *,
    given="may", fill=-torch.inf, by="softmax", empty="zero", axis=-1, shape="any", end="none",
):  # fmt: skip
    mask = {"may": mask, "inverted": ~mask, "unused": torch.ones_like(mask)}[given]
    if shape == "selected":
        return scores[mask.expand(scores.shape)].softmax(0)
    if empty == "uniform" and fill == -torch.inf:
        fill = torch.finfo(scores.dtype).min
    fill = -1e9 if end == "mask" and fill == -torch.inf else fill
    if fill == "added":
        filled = scores + ~mask * -1e9
    elif shape == "same":
        filled = scores.clone()
        filled[~mask] = fill
    else:
        filled = scores.masked_fill(~mask, fill)

    def share(parts):
        total = parts.sum(axis, keepdim=True)
        total = total.masked_fill(total == 0, 1) if empty == "zero" else total
        return parts / (total + 1e-9 if empty == "tiny" else total)

    if axis == "all":
        return filled.flatten().softmax(0).view_as(scores)
    if by in ("after", "all keys"):
        parts = scores.softmax(axis) * mask
        return parts if by == "after" else share(parts)
    if by != "softmax":
        parts = scores.exp() * mask if by == "exp times mask" else filled.exp()
        weights = share((filled - filled.max()).exp() if by == "one maximum" else parts)
        return weights.nan_to_num(0) if by == "exp, repaired" else weights
    if empty in ("nan", "uniform") or end == "mask":
        return filled.softmax(axis) * (mask if end == "mask" else 1)
    none = ~mask.expand(scores.shape).any(axis, keepdim=True)
    weights = filled.masked_fill(none, 0).softmax(axis).masked_fill(none, 0)
    return share(weights) if empty == "tiny" else weights


MASKED_SOFTMAX = Exercise(
    my_masked_softmax,
    cases=_scores_and_masks,
    asks=("masked_softmax", "attend"),
    gradients=True,
    exact_zeros=True,
    numbers={
        "hidden": lambda case, got, expected: got[~case[1].expand(got.shape)].max().item(),
        "sum": lambda case, got, expected: got.flatten(0, -2)[0].sum().item(),
    },
)


# 3.6 Find the leak. Each case is an attention function, named after what it does.


def my_leaks(
    attention, queries, tokens, mask, *,
    report="leaks", limit=1e-6, seen="size", change="add", by="another", fresh=True, tried="all",
):  # fmt: skip
    before, changed = attention(queries, tokens), tokens.clone()
    step = 1 if by == "equal" else torch.linspace(0.5, 1.5, tokens.shape[1])
    moved = torch.zeros(mask.shape)
    for j in range(len(queries) if tried == "queries" else len(tokens)):
        changed = tokens.clone() if fresh else changed
        where = {"all": ..., "first": (j, 0), "queries": []}.get(change, j)
        changed[where] += tokens[j] if change == "double" else step if where != (j, 0) else 1
        asked = queries + 1 if change in ("queries", "both") else queries
        away = attention(asked, changed) - before
        moved[:, j] = {"size": away.abs().amax(-1), "growth": away.amax(-1), "sum": away.sum(-1),
                       "size of the sum": away.sum(-1).abs(),
                       "first": away[:, 0].abs()}[seen]  # fmt: skip
    moved = (moved.triu(1) if tried == "future" else moved) > limit
    return {"leaks": moved & ~mask, "moved": moved, "allowed": moved & mask, "deaf": ~moved & mask,
            "differs": moved != mask, "forbidden": ~mask, "none": mask & ~mask,
            "any": (moved & ~mask).any(), "still": ~moved & ~mask}[report]  # fmt: skip


def _attention_cases(seed):
    draw = Draw(36 + seed)
    past, first = causal_mask(3, 4), torch.tensor([[True, False]])
    real = torch.tensor([True, True, False, False]).expand(3, -1)
    front, both, own = real.flip(-1), past & real, torch.eye(3, 4, dtype=torch.bool)
    crosswise = torch.tensor([[[0.0, 0], [1, 0]], [[0, 1], [0, 0]], [[1, -1], [1, -1]]])
    queries, tokens = draw.short(3, 2), draw.short(4, 2)
    small = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.5, 1.0], [2.0, -1.0]])
    zeros = queries, tokens.masked_fill(~real[0].unsqueeze(-1), 0)  # the lesson's pads

    def attend(queries, tokens, mask, fill=-torch.inf):
        scores = dot_product_scores(queries, tokens).masked_fill(~mask, fill)
        return scores.softmax(-1).nan_to_num(0) @ tokens

    def rounded(queries, tokens):
        scale = 3 + tokens.square().sum(0)
        output = attend(queries, tokens, past)
        for factor in (scale, scale / 3, scale / 7):
            output = (output * factor) / factor
        return output

    cases = {
        "no_mask": (lambda q, t: attend(q, t, first | ~first), *small, first),
        "careful": (lambda q, t: attend(q, t, front), queries, tokens, front),
        "one_key_too_many": (lambda q, t: attend(q, t, past), *zeros, both),
        "hides_its_own_word": (lambda q, t: attend(q, t, past & ~own), queries, tokens, past),
        "adds_the_mean": (lambda q, t: attend(q, t + t.mean(0), both), queries, tokens, both),
        "filled_with_minus_8": (lambda q, t: attend(q / 9, t, past, -8), queries, tokens, past),
        "subtracts_the_next": (lambda q, t: attend(q, t, past) - t[1:4] / 2, queries, tokens, past),
        "subtracts_each_mean": (
            lambda q, t: attend(q, t - t.mean(1, True), past | ~past), queries, tokens, past
        ),
        "leaks_crosswise": (
            lambda q, t: attend(q, t, past) + t[-1] @ crosswise, queries, tokens, past
        ),
        "rounds_differently": (rounded, queries, tokens, past),
    }  # fmt: skip
    for name, case in cases.items():
        case[0].__name__ = case[0].__qualname__ = name
    return list(cases.values())


def _reports_the_allowed(case, got, expected):
    text = "You report cells that the mask allows to move, among others: those are no leaks."
    return text if got.shape == expected.shape and (got & case[3]).any() else None


LEAKS = Exercise(
    my_leaks,
    cases=_attention_cases,
    explain=_reports_the_allowed,
    numbers={"moved": lambda case, got, expected: int((got & case[3]).sum())},
)


EXERCISES, QUESTIONS = tell(
    __name__,
    *(LOOKAHEAD_MASK, PADDING_MASK, TOKEN_MASK, CAUSAL_PADDING_MASK, MASKED_SOFTMAX, LEAKS),
)
