"""Exercises and questions of lesson 03, masking."""

import torch

from ..masking import causal_mask
from ..scoring import dot_product_scores
from .common import Draw
from .engine import Exercise
from .words import tell


def _too_many(case, got, expected):
    """How many cells are True and must not be."""
    return int((got & ~expected).sum())


def _ahead(num_steps):
    """How many places key j stands after query i, (num_steps, num_steps)."""
    steps = torch.arange(num_steps)
    return steps - steps.unsqueeze(1)


# 3.1 A little look-ahead


def my_lookahead_mask(num_steps, lookahead, *, limit="plus", edge=0, kept="below", rows="move"):
    ahead = _ahead(num_steps)
    if rows == "equal":
        ahead = torch.arange(num_steps).repeat(num_steps, 1)
    limit = {"plus": lookahead, "minus": -lookahead, "none": 0}[limit] + edge
    if kept == "above":
        return ahead >= limit
    below = ahead <= limit
    return below & {"below": ahead == ahead, "band": -ahead <= limit, "ahead": ahead >= 0}[kept]


LOOKAHEAD_MASK = Exercise(
    my_lookahead_mask,
    cases=lambda seed: [
        *[(3, 1), (6, 2), (5, 0), (4, 7), (7, 3), (1, 0)],
        (Draw(seed).whole(8, 10), Draw(seed + 1).whole(1, 4)),
    ],
)


# 3.2 Lengths to mask


def _lengths(seed):
    drawn = Draw(seed).whole(0, 7, 3, 2)
    return [
        (torch.tensor([2, 3]), 4),
        (torch.tensor([4, 0, 6, 1, 3]), 6),
        (torch.tensor([1, 3, 2]), 3),  # as many sentences as keys
        (torch.tensor([[1, 2, 3], [4, 4, 0]]), 5),
        (torch.tensor([[1, 0, 3, 4], [2, 2, 4, 2]]), 4),  # as many queries as keys
        (drawn, 8),
    ]


def my_padding_mask(valid_lens, num_keys, *, edge=0, width="num_keys", axes="right"):
    flat = valid_lens.dim() == 1
    lens = valid_lens.reshape(len(valid_lens), -1, 1)  # (batch, 1 or queries, 1)
    if axes == "one more":
        lens = valid_lens.unsqueeze(-1)
    elif axes == "none":
        lens = valid_lens
    elif axes == "middle":
        lens = valid_lens.unsqueeze(1)
    elif axes == "two more":
        lens = valid_lens[:, None, None]
    elif axes == "folded":
        lens = valid_lens.reshape(-1, 1, 1)
    elif axes == "repeated" and flat:
        lens = lens.expand(-1, num_keys, -1)
    elif axes == "first query":
        lens = lens[:, :1]
    elif axes == "first sentence":
        lens = lens[:1].expand_as(lens)
    keys = torch.arange(num_keys if width == "num_keys" else int(valid_lens.max()))
    return keys < lens + edge


PADDING_MASK = Exercise(
    my_padding_mask,
    cases=_lengths,
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
    cases.append((torch.tensor([[False] * 3, [True] * 3]), torch.tensor([[True] * 4, [False] * 4])))
    return cases


def my_token_mask(query_mask, key_mask, *, join="and", query="real", key="real", axes="right"):
    change = {"real": lambda a: a, "unused": torch.ones_like, "pads": torch.logical_not}
    a, b = change[query](query_mask), change[key](key_mask)
    if axes == "right":
        a, b = a.unsqueeze(-1), b.unsqueeze(-2)
    elif axes == "sentences":
        a, b = a.unsqueeze(1), b.unsqueeze(0)
    joined = {"and": a.__and__, "or": a.__or__, "equal": a.__eq__, "differ": a.__ne__}
    return joined[join](b)


TOKEN_MASK = Exercise(
    my_token_mask,
    cases=_query_and_key_masks,
    numbers={"cells": _too_many, "shape": lambda case, got, expected: tuple(got.shape)},
    wrong={"pads": lambda query_mask, key_mask: my_token_mask(~query_mask, ~key_mask)},
)


# 3.4 Past and real


def my_causal_padding_mask(valid_lens, num_steps, *, join="and", past="<=", real="<"):
    ahead, keys, lens = _ahead(num_steps), torch.arange(num_steps), valid_lens.view(-1, 1, 1)
    lens = lens[:1].expand_as(lens) if real == "first" else lens
    edge = {"late": 1, "early": -1}.get(real, 0)
    padding = (keys < lens + edge).expand(-1, num_steps, -1)
    if real == "none":
        padding = torch.ones_like(padding)
    elif real == "rows":
        padding = padding.mT
    elif real == "batch":
        padding = keys < valid_lens.unsqueeze(-1)  # (batch, keys)
    causal = {"<=": ahead <= 0, "<": ahead < 0, ">=": ahead >= 0, "none": ahead == ahead,
              "one more": ahead <= 1}[past]  # fmt: skip
    return padding & causal if join == "and" else padding | causal


CAUSAL_PADDING_MASK = Exercise(
    my_causal_padding_mask,
    cases=lambda seed: [
        (torch.tensor([2]), 3),
        (torch.tensor([3, 1, 4, 0]), 5),
        (torch.tensor([2, 4, 1, 3]), 4),  # as many sentences as steps
        (torch.tensor([6, 2]), 7),
        (torch.tensor([1, 1, 0]), 1),
        (Draw(seed).whole(0, 6, 3), 6),
    ],
    forbids={"attn_teach": "and the exercise asks to use only torch."},
    numbers={"cells": _too_many},
    wrong={
        "one row": lambda lens, num_steps: torch.arange(num_steps) < lens.view(-1, 1, 1),
        "one sentence": lambda lens, num_steps: _ahead(num_steps) <= 0,
    },
)


# 3.5 A masked softmax that keeps its promises


def _scores_and_masks(seed):
    draw = Draw(3 + seed)
    first_two = torch.tensor([[True, True, False]])
    cases = [(torch.tensor([[1.0, 2.0, 3.0]]), first_two)]
    # Masks of the scores' shape, then some that broadcast to it.
    for shape, of_mask in [
        ((2, 3), (2, 3)),
        ((2, 3, 4), (2, 3, 4)),
        ((3, 2, 4), (2, 4)),
        ((2, 5, 3, 4), (2, 1, 1, 4)),
    ]:
        mask = draw.mask(*of_mask)
        mask[..., 0], mask[..., -1] = True, False
        cases.append((draw.normal(*shape) * 3, mask))
    cases += [
        (torch.tensor([[-2e6, -3e6, 5.0]]), first_two),
        (torch.tensor([[-2e38, -3e38, 5.0]]), first_two),
        (torch.tensor([[1000.0, 999.0, 3.0]]), first_two),
        (torch.tensor([[1.0, 1.0, 3.0]]).half(), first_two),
        (torch.tensor([[0.5, 1.5], [1.0, 2.0]]), torch.tensor([[False] * 2, [True] * 2])),
    ]
    return cases


def my_masked_softmax(
    scores, mask, *, fill=-torch.inf, empty="zero", axis=-1, use="before", shape="any", given="may"
):
    mask = {"may": mask, "inverted": ~mask, "unused": torch.ones_like(mask)}[given]
    if use == "after":
        return scores.softmax(axis) * mask
    if empty == "uniform" and fill == -torch.inf:
        fill = torch.finfo(scores.dtype).min
    if shape == "same":
        scores = scores.clone()
        scores[~mask] = fill
    else:
        scores = scores.masked_fill(~mask, fill)
    if empty != "zero":
        return scores.softmax(axis)
    none = ~mask.expand(scores.shape).any(axis, keepdim=True)
    return scores.masked_fill(none, 0).softmax(axis).masked_fill(none, 0)


def _exp_times_mask(scores, mask):
    raw = scores.exp() * mask
    return raw / raw.sum(-1, keepdim=True)


def _renormalized(scores, mask):
    kept = scores.softmax(-1) * mask
    return kept / kept.sum(-1, keepdim=True)


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
    wrong={
        "exp": _exp_times_mask,
        "renormalized": _renormalized,
        "exp, repaired": lambda *case: _exp_times_mask(*case).nan_to_num(0),
        "renormalized, repaired": lambda *case: _renormalized(*case).nan_to_num(0),
    },
)


# 3.6 Find the leak. Each case is an attention function, named after what it does.


def my_leaks(
    attention, queries, tokens, mask, *,
    report="leaks", limit=1e-6, seen="size", change="add", fresh=True,
):  # fmt: skip
    before, changed, columns = attention(queries, tokens), tokens.clone(), []
    for j in range(len(tokens)):
        changed = tokens.clone() if fresh else changed
        changed[j] = {"add": changed[j] + 1, "double": 2 * tokens[j]}[change]
        moved = attention(queries, changed) - before
        columns.append(moved.amax(-1) if seen == "growth" else
                       moved[:, 0].abs() if seen == "first" else moved.abs().amax(-1))  # fmt: skip
    moved = torch.stack(columns, -1) > limit
    return {"leaks": moved & ~mask, "moved": moved, "allowed": moved & mask, "deaf": ~moved & mask,
            "differs": moved != mask, "forbidden": ~mask}[report]  # fmt: skip


def _attention_cases(seed):
    draw = Draw(36 + seed)
    small = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.5, 1.0], [2.0, -1.0]])
    past, first = causal_mask(3, 4), torch.tensor([[True, False]])
    real = torch.tensor([True, True, False, False]).expand(3, -1)
    queries, tokens = draw.short(3, 2), draw.short(4, 2)
    pads_are_zero = tokens.masked_fill(~real[0].unsqueeze(-1), 0)  # as in the lesson

    def attend(queries, tokens, mask):
        scores = dot_product_scores(queries, tokens)
        return scores.masked_fill(~mask, -torch.inf).softmax(-1) @ tokens

    def under(name, mask):
        def attention(queries, tokens):
            return attend(queries, tokens, mask)

        attention.__name__ = name
        return attention

    def filled_with_minus_8(queries, tokens):
        scores = torch.tanh(dot_product_scores(queries, tokens)).masked_fill(~past, -8)
        return scores.softmax(-1) @ tokens

    def subtracts_the_next(queries, tokens):
        return attend(queries, tokens, past) - 0.5 * tokens[1 : len(queries) + 1]

    def leaks_in_the_last_number(queries, tokens):
        good = attend(queries, tokens, past)
        return torch.cat([good[:, :-1], good[:, -1:] + tokens[-1, -1]], dim=-1)

    def rounds_differently(queries, tokens):
        scale = 3 + tokens.square().sum(0)
        return (attend(queries, tokens, past) * scale) / scale

    def subtracts_the_mean(queries, tokens):
        return attend(queries, tokens - tokens.mean(0), past & real)

    def hides_its_own_word(queries, tokens):
        return attend(queries, tokens, past & (_ahead(4)[:3] < 0)).nan_to_num(0)

    return [
        (under("no_mask", first | ~first), *small, first),
        (under("careful", past & real), queries, tokens, past & real),
        (under("one_key_too_many", past), queries, pads_are_zero, past & real),
        (hides_its_own_word, queries, tokens, past),
        (subtracts_the_mean, queries, tokens, past & real),
        (filled_with_minus_8, queries, tokens, past),
        (subtracts_the_next, queries, tokens, past),
        (leaks_in_the_last_number, queries, tokens, past),
        (rounds_differently, queries, tokens, past),
    ]


LEAKS = Exercise(
    my_leaks,
    cases=_attention_cases,
    numbers={"moved": lambda case, got, expected: int((got & case[3]).sum())},
)


EXERCISES, QUESTIONS = tell(
    __name__,
    LOOKAHEAD_MASK,
    PADDING_MASK,
    TOKEN_MASK,
    CAUSAL_PADDING_MASK,
    MASKED_SOFTMAX,
    LEAKS,
)
