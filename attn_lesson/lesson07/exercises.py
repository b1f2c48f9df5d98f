"""Exercises and questions of lesson 07, a real model."""

import torch
from torch.nn.functional import gelu

from ..judge.common import Draw
from ..judge.exercise import Exercise
from ..words import sentences, tell

say = sentences(__name__)

# The mean of the real tokens


def my_mean_pooling(
    X, mask, *,
    counted="real", divisor="real", pooled="mean", safe=True, root=False, axis=1, texts="apart",
    where="mask",
):  # fmt: skip
    real = mask.bool().unsqueeze(-1)  # (batch, n, 1)
    lens = real.sum(1, keepdim=True)
    places = torch.arange(X.shape[1]).unsqueeze(-1)
    if where in ("first places", "longest"):
        real = places < (lens if where == "first places" else lens.max().expand_as(lens))
    if where == "last places":
        real = places >= X.shape[1] - lens
    if where == "first side":  # of padding
        real = places < lens if mask[0, 0] else places >= X.shape[1] - lens
    real = real[:1].expand_as(real) if where == "first text" else real
    number = real.cumsum(1)  # 1 at the first real token, lens at the last
    asked = real
    if counted in ("all", "all in the sum"):
        real = torch.ones_like(real)
    if counted in ("words", "without first"):
        real = real & (number > 1)
    if counted in ("words", "without last"):
        real = real & (number < lens)
    if counted == "words, if any":
        real = real & ((number > 1) & (number < lens) | (lens < 3))
    if counted == "0 and 1":
        return torch.stack([x[m].mean(0) for x, m in zip(X, mask, strict=True)])
    if counted.startswith("padding"):
        real = ~real
    if counted == "~ of integers":
        X, real = X.clone(), torch.ones_like(real)
        X[~mask] = 0
    if pooled in ("first", "last", "last place"):
        last = lens[:, 0, 0] - 1 if pooled == "last" else -1
        return X[torch.arange(len(X)), 0 if pooled == "first" else last]
    if pooled == "max":
        return X.masked_fill(~real, -torch.inf).amax(1)
    if pooled == "median":
        return X.masked_fill(~real, torch.nan).nanmedian(1).values
    if pooled == "softmax":
        return (mask.to(X).softmax(1).unsqueeze(-1) * X).sum(1)
    fill = -torch.inf if safe == "minus infinity" else 0
    kept = X.masked_fill(~real, fill) if safe else X * real
    if axis == 2 or pooled == "tokens":
        return kept.mean(2) if axis == 2 else kept
    total, count = kept.sum(axis), real.sum(axis)
    if pooled == "sum":
        return total
    if counted in ("all in the sum", "padding in the sum", "~ of integers"):
        count = asked.sum(axis)
    if counted == "padding, else 0":
        count = count.clamp(min=1)
    if texts != "apart":
        total, count = total.sum(0, keepdim=True), count.sum(0, keepdim=True)
    count = {"real": count, "longest": X.shape[1], "texts": len(X), "tokens": asked.sum(),
             "size": X.shape[2], "one more": count + 1, "one less": count - 1,
             "mean count": lens.double().mean().to(X),
             "nonzero": (kept != 0).any(-1, keepdim=True).sum(1),
             "first text": lens[0], "padding": (~asked).sum(axis), "flat": count.flatten(),
             }[divisor]  # fmt: skip
    mean = total / (count**0.5 if root else count)
    mean = mean.expand(len(X), -1) if texts == "together" and axis == 1 else mean
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
    cases[1][0][2, 1] = 0  # a real token may be 0
    spoiled = draw.normal(2, 4, 3)
    spoiled[1, 2:] = torch.nan
    cases.append((spoiled, torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])))
    return [
        *cases,
        (draw.normal(1, 5, 4).half(), torch.tensor([[1, 1, 1, 0, 0]])),
        (draw.normal(3, 7, 6), (torch.arange(7) < torch.tensor([[6], [3], [7]])).long()),
        (draw.normal(3, 6, 4), (torch.arange(6) >= torch.tensor([[2], [0], [3]])).long()),
        (draw.normal(2, 4, 3), torch.tensor([[0, 0, 1, 1], [1, 1, 1, 0]])),
    ]


def _counts(case, got, expected):
    """Where each text's sum is right: by what it is divided."""
    X, mask = case
    if got.shape != expected.shape:
        return None
    real = mask.sum(1).tolist()
    total = X.masked_fill(mask[:, :, None] == 0, 0).sum(1)
    counts = [_divisor(*rows) for rows in zip(total, got, strict=True)]
    wrong = [b for b, count in enumerate(counts) if count and abs(count - real[b]) > 1e-3]
    if None in counts or not wrong:
        return None
    b = wrong[0]
    return say("the sums over the", b=b, counts=counts[b], real=real[b])


def _divisor(total, got):
    """The one number by which all of these sums are divided, or None."""
    found = (total / got)[total != 0]
    one = len(found) > 1 and torch.allclose(found, found[0], 1e-4)
    return found[0].item() if one and not got[total == 0].any() else None


MEAN_POOLING = Exercise(
    my_mean_pooling, cases=_texts_and_masks, explain=_counts, kinds=True, dtypes=True,
    wrong={"longest text": lambda X, mask: (
        X.masked_fill(mask[..., None] == 0, 0).sum(1) / mask.sum(1).max()
    )},
)  # fmt: skip


# How well a head follows a rule


def my_previous_token_score(
    weights, lens, *, place="before", padding="left out", mean="tokens", divisor="queries",
    keep="heads", best=False, again=False,
):  # fmt: skip
    weights = weights.softmax(-1) if again else weights
    n = weights.shape[-1]
    i = torch.arange(n)
    if place.startswith("first axes"):
        return weights.diagonal(-1).mean((0, 1) if place == "first axes" else -1)
    step = {"before": -1, "after": 1, "itself": 0, "diagonal": 0, "two before": -2}.get(place, -1)
    target = i[:, None] + step == i  # (n, n)
    if place == "itself":
        target = target & (i > 0)
    if place == "all before":
        target = i < i[:, None]
    if place == "first itself":
        target = target | (i[:, None] + i == 0)
    if padding == "without second":
        target = target & (i[:, None] > 1)
    real = i < lens[:, None]  # (batch, n)
    asked = real & (i > 0)
    if padding in ("counted", "in the sum"):
        real = torch.ones_like(real)
    if padding in ("one more", "one less"):
        real = i < lens[:, None] + (1 if padding == "one more" else -1)
    if padding == "first text":
        real = (i < lens[0]).expand(len(lens), n)
    if padding.startswith("without ends"):
        real = real & (i > 0) & (i < lens[:, None] - 1)
        target = target & (i > 0)
    both = target & real[:, :, None] & real[:, None]  # (batch, n, n)
    hit = (weights * both[:, None]).sum((-1, -2))  # (batch, heads)
    asking = asked if padding == "in the sum" else both.any(-1)
    if place == "around":  # the first token has the last place before it, by index -1
        hit, asking = hit + weights[..., 0, -1], real
    count = asking.sum(-1)  # (batch,)
    divisors = {"real": lens, "longest": 0 * count + n - 1, "places": 0 * count + n,
                "cells": 0 * count + n * n, "texts": 0 * count + 1,
                "one first": lens - (torch.arange(len(lens)) == 0).long()}  # fmt: skip
    count = divisors.get(divisor, count)
    if divisor == "above 0":
        return hit.sum(0) / (weights * both[:, None] > 0).sum((0, 2, 3))
    if best:
        chosen = (weights.argmax(-1) == i - 1) & asked[:, None]
        hit = chosen.sum(-1).to(weights)
    if keep in ("texts", "texts, 0"):
        return hit / (count.clamp(min=1) if keep == "texts, 0" else count)[:, None]
    if keep in ("first text", "last text"):
        text = 0 if keep == "first text" else -1
        return hit[text] / count[text]
    if mean == "weighed, NaN":
        return (hit / count[:, None] * count[:, None]).sum(0) / count.sum()
    if mean.startswith("texts"):
        each = hit / (count if mean == "texts, NaN" else count.clamp(min=1))[:, None]
        return (each[count > 0] if mean == "texts, if any" else each).mean(0)
    if mean == "largest":
        return (weights * both[:, None]).amax((0, 2, 3))
    if mean == "sum":
        return hit.sum(0)
    if keep == "texts alone":
        return hit.sum(1) / count.sum()
    if keep == "mixed":
        return hit.reshape(hit.shape[1], -1).sum(-1) / count.sum()
    each = count.sum().clamp(min=int(padding == "without ends, 0"))
    score = hit.sum(0) / each
    score = score[:1] if keep == "first head" else score
    return score.mean() if keep == "one number" else score


def _weights_and_lens(seed):
    draw = Draw(72 + seed)
    simple = torch.tensor([[1.0, 0, 0], [0.75, 0.25, 0], [0.1, 0.4, 0.5]])
    other = torch.tensor([[1.0, 0, 0], [0.2, 0.8, 0], [0.3, 0.1, 0.6]])
    cases = [(torch.stack([simple, other])[None], torch.tensor([3]))]
    for batch, heads, n, lens in [(2, 3, 4, (4, 2)), (3, 2, 6, (3, 6, 4)), (2, 5, 5, (5, 3)),
                                  (1, 4, 7, (7,)), (3, 4, 5, (5, 1, 3))]:  # fmt: skip
        lens = torch.tensor(lens)
        scores = 2 * draw.normal(batch, heads, n, n)
        hidden = (torch.arange(n) >= lens[:, None])[:, None, None]
        cases.append((scores.masked_fill(hidden, -torch.inf).softmax(-1), lens))
    weights = cases[-1][0]  # one real token gives exactly 0 to the one before it, in one head
    weights[0, 0, 2, :2] = torch.stack([weights[0, 0, 2, :2].sum(), torch.tensor(0.0)])
    return cases


def _scores_of_heads(case, got, expected):
    """What can be seen of a result: its shape, its sums, its range."""
    lens, heads = case[1], len(expected)
    asked = say("asked for is one", heads=heads)
    if got.dim() == 0:
        return say("your result is a", asked=asked)
    if got.dim() > 1:
        return say("your result has axes", dim=got.dim(), shape=tuple(got.shape), asked=asked)
    if len(got) == len(lens) != heads:
        return say("your result holds numbers", count=len(got), asked=asked)
    if len(got) != heads:
        return say("your result holds numbers too", count=len(got), asked=asked)
    tokens = int((lens - 1).sum())
    count = _divisor(expected * tokens, got)
    if count:
        return say("here the sums are", count=count, tokens=tokens)
    if got.max() > 1 or got.min() < 0:
        return say("a mean of weights", got=got.min(), got_2=got.max())
    sums = ", ".join(f"{number:.3g}" for number in expected * tokens)
    return say("here tokens have one", tokens=tokens, sums=sums)


PREVIOUS_SCORE = Exercise(
    my_previous_token_score, cases=_weights_and_lens, explain=_scores_of_heads,
    numbers={"n": lambda case, *_: case[0].shape[-1]},
)  # fmt: skip


# Another file


def my_unpacked(W, *, cut="columns", turned=True, order="qkv", shape="right"):
    d = len(W)
    if cut == "columns":
        parts = [W[:, j * d : j * d + d] for j in range(3)]
    elif cut == "every third":
        parts = [W[:, j::3] for j in range(3)]
    elif cut.startswith("reshaped"):
        parts = list(W.reshape(3, d, d))
    elif cut == "rows":
        parts = list(W.chunk(3))
    elif cut == "threes":
        parts = list(W.split(3, 1))
    elif cut in ("one early", "one short", "overlapping"):
        early, short = cut == "one early", cut == "one short"
        steps = [j * d - (early and j > 0) for j in range(3)]
        steps = [j * (d - 1) for j in range(3)] if cut == "overlapping" else steps
        parts = [W[:, j : j + d - short] for j in steps]
    turn = {True: lambda a: a.T, False: lambda a: a, "flipped": lambda a: a.flip(0, 1),
            "inverse": torch.linalg.inv, "rotated": torch.rot90,
            "first": lambda a: a.T if a is parts[0] else a}[turned]  # fmt: skip
    parts = parts if cut == "reshaped" else [turn(part) for part in parts]
    if len(parts) == 3:
        parts = [parts["qkv".index(letter)] for letter in order]
    if shape in ("long", "wide"):
        return torch.cat(parts, 0 if shape == "long" else 1)
    stacked = torch.stack(parts, -1 if shape.startswith("last") else 0)
    return stacked.reshape(3, d, d) if shape == "last, reshaped" else stacked


def _packed(seed):
    draw = Draw(73 + seed)
    simple = torch.tensor([[1.0, 2, 10, 20, 100, 200], [3, 4, 30, 40, 300, 400]])
    return [(simple,), *[(draw.normal(d, 3 * d),) for d in (4, 3, 6, 5)]]


def _which_three(case, got, expected):
    """What the three matrices of a result are."""
    if got.shape != expected.shape:
        return None
    names = dict(
        zip([say("the query's"), say("the key's"), say("the value's")], expected, strict=True)
    )
    told = []
    for matrix in got:
        names_of_it = [name for name, right in names.items() if torch.equal(matrix, right)]
        not_turned = [name for name, right in names.items() if torch.equal(matrix, right.T)]
        told += names_of_it or [say("not turned around", name=name) for name in not_turned]
        told += [] if names_of_it or not_turned else [say("none of the three")]
    if set(told) == {say("none of the three")}:
        return None
    return say("your first matrix is", told=told[0], told_2=told[1], told_3=told[2])


UNPACKED = Exercise(my_unpacked, cases=_packed, explain=_which_three, kinds=True, dtypes=True)


# Switch heads off


def my_without_heads(
    W_o, heads, num_heads, *, side="columns", kept="others", width="hidden / heads", first=0,
    run="neighbors", all_of_them=True, fill=0.0, edges="run", rest="kept",
):  # fmt: skip
    hidden = W_o.shape[1] if side == "columns" else W_o.shape[0]
    size = {"hidden / heads": hidden // num_heads, "heads": num_heads, 1: 1,
            "out / heads": W_o.shape[0] // num_heads, 32: 32}.get(width)  # fmt: skip
    size = hidden // len(heads) if width == "listed" else size
    size = W_o.shape[1] // num_heads if side == "rows by columns" else size
    place = torch.arange(hidden)
    whose = place // max(size, 1) + first if run != "every" else place % num_heads
    whose = num_heads - 1 - whose if run == "backwards" else whose
    off = torch.zeros(hidden, dtype=torch.bool)
    meant = {False: heads[:1], "last": heads[-1:], "none": [], "as many": range(len(heads))}
    if all_of_them == "span":
        meant["span"] = range(heads[0], heads[-1] + 1)
    if all_of_them == "smallest to largest":
        meant[all_of_them] = range(min(heads, default=0), max(heads, default=-1) + 1)
    for head in meant.get(all_of_them, heads):
        own = whose == head
        if edges == "last stays":
            own = own & ((place + 1) % max(size, 1) != 0)
        elif edges == "first stays":
            own = own & (place % max(size, 1) != 0)
        elif edges == "one more":
            own = own | own.roll(1) & (place > 0)
        off = off | own
    off = ~off if kept == "listed" else off
    off = off if side == "columns" else off[:, None]
    if kept in ("removed", "cut out"):
        return W_o[:, ~off if kept == "removed" else off]
    if rest == "rescaled":
        W_o = W_o * num_heads / (num_heads - len(heads))
    return W_o.masked_fill(off, fill)


def _matrices_and_heads(seed):
    draw = Draw(74 + seed)
    simple = torch.tensor([[1.0, 2, 3, 4], [5, 6, 7, 8]])
    return [
        (simple, [1], 2),
        (draw.normal(6, 6), [0], 3),
        (draw.normal(4, 12), [1, 2], 4),
        (draw.normal(10, 6), [0, 1], 3),
        (draw.normal(12, 12), [5, 0, 3], 6),
        (draw.normal(8, 8), [], 4),
        (draw.normal(12, 12), [2], 4),
    ]


def _columns(case, got, expected):
    """Which columns of a result are 0, or hold other numbers than before."""
    W_o, heads = case[:2]
    if got.shape != W_o.shape:
        return say("the matrix must keep", shape=tuple(W_o.shape), shape_2=tuple(got.shape))
    if set(got.unique().tolist()) == {0, 1}:
        return say("your result holds nothing")
    off, zero = (_listed(~matrix.bool().any(0)) for matrix in (expected, got))
    other = _listed(got.bool().any(0) & (got != W_o).any(0))
    changed = say("columns hold other numbers", other=other) if other else None
    told = say("of columns heads have", columns=W_o.shape[1], heads=heads, off=off or say("none"),
               zero=zero or f"({say('none')})")  # fmt: skip
    return f"{told} {changed}" if changed else told


def _listed(which):
    return ", ".join(map(str, which.nonzero().flatten().tolist()))


WITHOUT_HEADS = Exercise(
    my_without_heads,
    cases=_matrices_and_heads,
    explain=_columns,
    numbers={
        "num_heads": lambda case, *_: case[2],
        "head_size": lambda case, *_: case[0].shape[1] // case[2],
    },
)


# Is it a rule about nouns?


def my_next_token_score(
    weights, asks, *, place="after", who="asks", mean="tokens", last="left out", best=False
):
    n = weights.shape[-1]
    i = torch.arange(n)
    step = {"after": 1, "before": -1, "itself": 0, "two after": 2}.get(place, 1)
    target = i[:, None] + step == i  # (n, n)
    if place == "first":
        target = (i == 0).expand(n, n)
    if place == "all after":
        target = i > i[:, None]
    asked = {"asks": asks, "all": torch.ones_like(asks), "others": ~asks}.get(who, asks)
    pair = asked[:, :, None] & target
    if who == "asked":
        pair = asks[:, None] & target
    if who == "both":
        pair = pair & asks[:, None]
    if best:
        weights = torch.nn.functional.one_hot(weights.argmax(-1), n).to(weights)
    hit, count = (weights * pair).sum((1, 2)), pair.any(-1).sum(1)
    if last == "counted":
        count = asked.sum(1)
    if last == "around":  # index i + 1 begins again at 0
        hit, count = hit + weights[:, -1, 0] * asked[:, -1], asked.sum(1)
    if last == "itself":
        hit, count = hit + weights[:, -1, -1] * asked[:, -1], asked.sum(1)
    if mean.startswith(("texts", "each text")):
        each = hit / (count if mean.endswith("NaN") else count.clamp(min=1))
        each = each[count > 0] if mean.endswith("if any") else each
        return each.mean() if mean.startswith("texts") else each
    if mean == "weighed, NaN":
        return (hit / count * count).sum() / count.sum()
    if mean == "sum":
        return hit.sum()
    if mean == "places":
        return hit.sum() / (len(asks) * (n - 1))
    if mean == "largest":
        return (weights * pair).max()
    return hit.sum() / count.sum()


def _weights_and_asks(seed):
    draw = Draw(76 + seed)
    simple = torch.tensor([[[0.1, 0.9, 0], [0.5, 0.25, 0.25], [0.2, 0.2, 0.6]]])
    cases = [(simple, torch.tensor([[True, True, False]]))]
    for batch, n in [(2, 4), (3, 6), (4, 5), (1, 7)]:
        asks = draw.normal(batch, n) > -0.3
        asks[:, 0] = torch.arange(batch) % 2 == 0
        asks[:, 1], asks[:, 2] = ~asks[:, 0], asks[:, 0]
        asks[0, -1] = True
        asks[3:] = False  # a text in which nobody asks
        cases.append(((2 * draw.normal(batch, n, n)).softmax(-1), asks))
    return cases


NEXT_SCORE = Exercise(my_next_token_score, cases=_weights_and_asks)


# The block


def my_block(
    X, read, W_1, W_2, *,
    first="both", second="Y", norms="both", bend="gelu", axis=-1, given="Y", spread="deviation",
    eps="in the root", weights="W_1, W_2",
):  # fmt: skip
    def norm(Z):
        along = (1, 2) if axis == "all" else axis
        apart = Z if spread == "squares" else Z - Z.mean(along, keepdim=True)
        square = Z.var(along, keepdim=True, correction=int(spread == "unbiased"))
        if spread.startswith("squares"):
            square = (Z * Z).mean(along, keepdim=True)
        if spread == "variance":
            return apart / (square + 1e-5)
        if eps in ("in the root", 1e-6):
            return apart / (square + (1e-6 if eps == 1e-6 else 1e-5)).sqrt()
        return apart / (square.sqrt() + (1e-5 if eps == "outside" else 0))

    W_1, W_2 = (W_2.T, W_1.T) if weights == "W_2, W_1" else (W_1, W_2)
    if weights == "reshaped":
        W_1, W_2 = (W.reshape(W.shape[::-1]).T for W in (W_1, W_2))
    bends = {
        "gelu": gelu,
        "tanh": lambda Z: gelu(Z, approximate="tanh"),
        "relu": torch.relu,
        "none": lambda Z: Z,
    }
    early = norms in ("early", "first early")
    start = {"both": X + (norm(read) if early else read), "read": read, "X": X}[first]
    Y = norm(start) if norms in ("both", "first", "second early") else start
    Z = {"Y": norm(Y) if norms == "before" else Y, "X": X, "read": read, "sum": start}[given]
    if bend == "late":
        hidden = gelu(Z @ W_1.T @ W_2.T)
    else:
        hidden = (gelu(Z) @ W_1.T if bend == "early" else bends[bend](Z @ W_1.T)) @ W_2.T
    hidden = norm(hidden) if norms in ("early", "second early") else hidden
    out = {"Y": Y, "X": X, "read": read, "none": 0, "sum": start}[second] + hidden
    return norm(out) if norms in ("both", "second", "first early") else out


def _blocks(seed):
    draw = Draw(77 + seed)
    sizes = [(1, 1, 3, 2), (2, 4, 5, 8), (3, 5, 4, 6), (2, 3, 6, 6), (2, 5, 5, 5)]
    cases = [
        (draw.normal(b, n, d), draw.normal(b, n, d), draw.normal(h, d), draw.normal(d, h))
        for b, n, d, h in sizes
    ]
    for number in cases[3][:2]:
        number /= 500  # so small that eps counts
    return cases


BLOCK = Exercise(my_block, cases=_blocks, tolerance=1e-4)


EXERCISES, QUESTIONS = tell(
    __name__, MEAN_POOLING, PREVIOUS_SCORE, UNPACKED, WITHOUT_HEADS, NEXT_SCORE, BLOCK
)
