"""Exercises and questions of lesson 07, a real model."""

import torch

from .common import Draw
from .engine import Exercise
from .words import tell

# 7.1 The mean of the real tokens


def my_mean_pooling(
    X, mask, *, counted="real", divisor="real", pooled="mean", safe=True, root=False, axis=1
):
    real = mask.bool().unsqueeze(-1)  # (batch, n, 1)
    if counted == "padding":
        real = ~real
    if counted == "words":  # without the first real token and the last
        place = torch.arange(X.shape[1]).unsqueeze(-1)
        real = real & (place > 0) & (place < mask.sum(1).view(-1, 1, 1) - 1)
    if counted == "all":
        real = torch.ones_like(real)
    if pooled in ("first", "last"):
        if pooled == "first":
            return X[:, 0]
        return X[torch.arange(len(X)), mask.sum(1) - 1]
    if pooled == "max":
        return X.masked_fill(~real, -torch.inf).amax(1)
    kept = X.masked_fill(~real, 0) if safe else X * real
    total = kept.sum(1 if axis == 1 else 0)
    if axis == 0:
        return total / real.sum(0)
    if pooled == "sum":
        return total
    count = {"real": real.sum(1), "longest": X.shape[1], "texts": len(X), "tokens": real.sum(),
             "size": X.shape[2]}[divisor]  # fmt: skip
    mean = total / (count**0.5 if root else count)
    return torch.nn.functional.normalize(mean, dim=-1) if pooled == "unit" else mean


def _texts_and_masks(seed):
    draw = Draw(70 + seed)
    first = torch.tensor(
        [[[1.0, 2.0], [3.0, 6.0], [50.0, 70.0]], [[4.0, 0.0], [6.0, 2.0], [8.0, 1.0]]]
    )
    cases = [(first, torch.tensor([[1, 1, 0], [1, 1, 1]]))]
    for batch, n, size, lens in [(3, 5, 4, (5, 2, 3)), (2, 6, 3, (1, 4)), (4, 4, 5, (4, 4, 4, 4))]:
        mask = (torch.arange(n) < torch.tensor(lens)[:, None]).long()
        cases.append((draw.normal(batch, n, size), mask))
    spoiled = draw.normal(2, 4, 3)
    spoiled[1, 2:] = torch.nan
    cases.append((spoiled, torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])))
    return [
        *cases,
        (draw.normal(3, 7, 6), (torch.arange(7) < torch.tensor([[6], [3], [7]])).long()),
    ]


MEAN_POOLING = Exercise(my_mean_pooling, cases=_texts_and_masks)


# 7.2 How well a head follows a rule


def my_previous_token_score(
    weights, lens, *, place="before", padding="left out", mean="tokens", divisor="queries",
    keep="heads", best=False,
):  # fmt: skip
    n = weights.shape[-1]
    i = torch.arange(n)
    step = {"before": -1, "after": 1, "itself": 0, "diagonal": 0, "two before": -2}.get(place, -1)
    target = i[:, None] + step == i  # (n, n)
    if place == "itself":
        target = target & (i > 0)
    if place == "all before":
        target = i < i[:, None]
    real = i < lens[:, None]  # (batch, n)
    if padding == "counted":
        real = torch.ones_like(real)
    if padding == "without ends":
        real = real & (i > 0) & (i < lens[:, None] - 1)
        target = target & (i > 0)
    both = target & real[:, :, None] & real[:, None]  # (batch, n, n)
    hit = (weights * both[:, None]).sum((-1, -2))  # (batch, heads)
    asking = both.any(-1) if divisor == "queries" else real
    count = asking.sum(-1)  # (batch,)
    if divisor == "longest":
        count = torch.full_like(count, n - 1)
    if best:
        chosen = (weights.argmax(-1) == i - 1) & (real & (i > 0))[:, None]
        hit = chosen.sum(-1).to(weights)
    if keep == "texts":
        return hit / count[:, None]
    if mean == "texts":
        return (hit / count.clamp(min=1)[:, None]).mean(0)
    if mean == "sum":
        return hit.sum(0)
    score = hit.sum(0) / count.sum()
    return score.mean() if keep == "one number" else score


def _weights_and_lens(seed):
    draw = Draw(72 + seed)
    simple = torch.tensor([[1.0, 0, 0], [0.75, 0.25, 0], [0.1, 0.4, 0.5]]).view(1, 1, 3, 3)
    cases = [(simple, torch.tensor([3]))]
    for batch, heads, n, lens in [(2, 3, 4, (4, 2)), (3, 2, 6, (3, 6, 4)), (2, 5, 5, (5, 3)),
                                  (1, 4, 7, (7,))]:  # fmt: skip
        lens = torch.tensor(lens)
        scores = 2 * draw.normal(batch, heads, n, n)
        hidden = (torch.arange(n) >= lens[:, None])[:, None, None]
        cases.append((scores.masked_fill(hidden, -torch.inf).softmax(-1), lens))
    return cases


PREVIOUS_SCORE = Exercise(
    my_previous_token_score, cases=_weights_and_lens,
    numbers={"n": lambda case, *_: case[0].shape[-1]},
)  # fmt: skip


# 7.3 Another file


def my_unpacked(W, *, cut="columns", turned=True, order="qkv", shape="right"):
    d = len(W)
    if cut == "columns":
        parts = [W[:, j * d : j * d + d] for j in range(3)]
    elif cut == "every third":
        parts = [W[:, j::3] for j in range(3)]
    elif cut == "reshaped":
        parts = list(W.reshape(3, d, d))
    elif cut == "whole turned":
        parts = list(W.T.reshape(d, 3, d).transpose(0, 1))
    q, k, v = (part.T if turned else part for part in parts)
    q, k, v = ({"q": q, "k": k, "v": v}[letter] for letter in order)
    return torch.cat([q, k, v]) if shape == "long" else torch.stack([q, k, v])


def _packed(seed):
    draw = Draw(73 + seed)
    simple = torch.tensor([[1.0, 2, 10, 20, 100, 200], [3, 4, 30, 40, 300, 400]])
    return [(simple,), *[(draw.normal(d, 3 * d),) for d in (4, 3, 6, 5)]]


UNPACKED = Exercise(my_unpacked, cases=_packed)


# 7.4 Switch heads off


def my_without_heads(
    W_o, heads, num_heads, *, side="columns", kept="others", width="hidden / heads", first=0,
    run="neighbors", all_of_them=True, fill=0.0,
):  # fmt: skip
    hidden = W_o.shape[1] if side == "columns" else W_o.shape[0]
    size = {"hidden / heads": hidden // num_heads, "heads": num_heads, 1: 1,
            "out / heads": W_o.shape[0] // num_heads}[width]  # fmt: skip
    place = torch.arange(hidden)
    whose = place // max(size, 1) + first if run == "neighbors" else place % num_heads
    off = torch.zeros(hidden, dtype=torch.bool)
    for head in heads if all_of_them else heads[:1]:
        off = off | (whose == head)
    off = ~off if kept == "listed" else off
    off = off if side == "columns" else off[:, None]
    if kept == "removed":
        return W_o[:, ~off]
    return W_o.masked_fill(off, fill)


def _matrices_and_heads(seed):
    draw = Draw(74 + seed)
    simple = torch.tensor([[1.0, 2, 3, 4], [5, 6, 7, 8]])
    return [
        (simple, [1], 2),
        (draw.normal(6, 6), [0], 3),
        (draw.normal(4, 12), [1, 2], 4),
        (draw.normal(10, 6), [0, 1], 2),
        (draw.normal(12, 12), [5, 0, 3], 6),
        (draw.normal(8, 8), [], 4),
        (draw.normal(12, 12), [2], 4),
    ]


WITHOUT_HEADS = Exercise(
    my_without_heads,
    cases=_matrices_and_heads,
    numbers={
        "num_heads": lambda case, *_: case[2],
        "head_size": lambda case, *_: case[0].shape[1] // case[2],
    },
)


EXERCISES, QUESTIONS = tell(__name__, MEAN_POOLING, PREVIOUS_SCORE, UNPACKED, WITHOUT_HEADS)
