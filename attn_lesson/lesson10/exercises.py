"""Exercises and questions of lesson 10, a language model that writes."""

import math

import torch
from torch.nn.functional import scaled_dot_product_attention

from ..judge.common import Draw, axes_told, divided_told, multiple_told, played, scaled, weighed
from ..judge.compare import as_tensor
from ..judge.exercise import Exercise
from ..words import sentences, tell

say = sentences(__name__)

# The probabilities that the next token is drawn with


def my_next_token_probabilities(
    scores, temperature, top_p, *,
    heat="first", axis="last", order="likeliest", cut="crossing", undo="places", rest="scaled",
    out="probabilities", softmax="safe",
):  # fmt: skip
    if axis == "first":
        scores = scores.transpose(0, -1)
    hot = scores * temperature if heat == "times" else scores / temperature
    hot = scores if heat in ("none", "after", "of probabilities") else hot
    p = hot.flatten().softmax(0).view_as(hot) if axis == "all" else hot.softmax(-1)
    p = hot.softmax(0) if axis == "softmax first" else p
    p = p / temperature if heat == "of probabilities" else p
    if softmax != "safe":
        p = hot.exp() if softmax == "plain" else scores.softmax(-1) ** (1 / temperature)
        p = p / p.sum(-1, keepdim=True)
    best, places = p.sort(-1, descending=order != "rarest")
    if order == "unsorted":
        best, places = p, torch.arange(p.shape[-1]).expand_as(p)
    if order == "first row":
        places = places.reshape(-1, p.shape[-1])[0].expand_as(p)
        best = p.gather(-1, places)
    n = p.shape[-1]
    count = (best.cumsum(-1) - best < top_p).sum(-1, keepdim=True)
    right = torch.full_like(count, n) if top_p == 1 else count
    by_scores = hot.gather(-1, places).cumsum(-1) - hot.gather(-1, places)
    count = {"left out": right - 1, "left out, one stays": (right - 1).clamp(min=1),
             "one more": right + 1, "alike": right.max().expand_as(right), "all": 0 * right + n,
             "one": 0 * right + 1, "part": 0 * right + max(1, int(top_p * n)),
             "part, rounded up": 0 * right + math.ceil(top_p * n)}  # fmt: skip
    kept = torch.arange(n) < count.get(cut, right)  # in the order of best
    largest = best.amax(-1, keepdim=True)
    kept = {"above the rest": best > 1 - top_p, "above": best >= top_p, "turned around": ~kept,
            "above the rest, one stays": (best > 1 - top_p) | (best == largest),
            "of the best": best >= top_p * largest,
            "of the best, the rest": best >= (1 - top_p) * largest,
            "by scores": by_scores < top_p,
            "sums of columns": best.cumsum(0) - best < top_p}.get(cut, kept)  # fmt: skip
    back = kept.gather(-1, places.argsort(-1))
    kept = {"mask": kept, "gathered": kept.gather(-1, places)}.get(undo.split()[0], back)
    if undo == "gathered numbers":
        p = best.gather(-1, places)
    if undo == "sorted":
        p, hot, kept = (a.gather(-1, places) for a in (p, hot, kept))
    if heat in ("after", "cut only"):
        p = (scores / temperature if heat == "after" else scores).softmax(-1)
    chosen = p * kept
    total = chosen.sum(-1, keepdim=True)
    result = {
        "scaled": lambda: chosen / total,
        "none": lambda: chosen,
        "softmax": lambda: chosen.softmax(-1),
        "softmax of kept": lambda: p.masked_fill(~kept, -math.inf).softmax(-1),
        "top_p": lambda: chosen / top_p,
        "equal": lambda: kept / kept.sum(-1, keepdim=True),
        "spread": lambda: (chosen + (1 - total) / kept.sum(-1, keepdim=True)) * kept,
        "all rows": lambda: chosen / chosen.sum(),
        "scores of 0": lambda: (hot * kept).softmax(-1),
        "largest": lambda: chosen / chosen.amax(-1, keepdim=True),
    }[rest]()
    result = {
        "-inf": lambda: result.masked_fill(~kept, -math.inf),
        "tiny": lambda: result.masked_fill(~kept, 1e-9),
        "scores": lambda: hot.masked_fill(~kept, -math.inf),
        "log": result.log,
        "token": lambda: result.argmax(-1),
        "kept": lambda: result[kept],
    }.get(out, lambda: result)()
    return result.transpose(0, -1) if axis == "first" and out != "token" else result


def _scores(seed):
    draw = Draw(90 + seed)
    cases = [(torch.tensor([0.2, 0.5, 0.3]).log(), 1.0, 0.6)]
    for shape, temperature, top_p in [((6,), 2.0, 0.7), ((4, 5), 0.5, 0.9), ((3, 7), 1.5, 0.6),
                                      ((2, 3, 6), 0.8, 0.5), ((4, 4), 1.25, 0.45),
                                      ((3, 5), 0.7, 1.0), ((5, 8), 3.0, 0.8)]:  # fmt: skip
        near = True
        while near:  # no sum near top_p, so that rounding decides nothing
            scores = draw.normal(*shape)
            sums = (scores / temperature).softmax(-1).sort(-1, descending=True)[0].cumsum(-1)
            near = top_p < 1 and (sums - top_p).abs().min() < 0.01
        if top_p == 1:  # sums of floats may reach 1 just before the last token, which hardly counts
            scores[:, -2] = -10
        cases.append((scores, temperature, top_p))
    rows = [([100.0, 99, 98], 1.0), ([0.0, -200, -210], 100.0)]  # exp of 100 and of -200 in 32 bits
    extremes = [(torch.tensor(row), temperature, 0.9) for row, temperature in rows]
    apart = torch.tensor([[-200.0, 200, 3], [-200, -400, -410]])  # a rise, a fall, and between rows
    return [*cases[:-1], *extremes, (apart, 1.0, 0.9), cases[-1]]


def _which_are_kept(case, got, expected):
    """Which tokens of the first wrong row are kept, or what the row sums to."""
    if got.shape != expected.shape or got.isnan().any():
        return None
    rows = zip(*(a.reshape(-1, a.shape[-1]) for a in (got, expected)), strict=True)
    for number, (a, b) in enumerate(rows):
        if torch.allclose(a, b, 1e-5, 1e-5) and not a[b == 0].any():
            continue
        if torch.allclose(a.sort()[0], b.sort()[0], 1e-5, 1e-5):
            return say("the right numbers in other places", mine=a.argmax(), right=b.argmax())
        mine, right = ((row != 0).nonzero().flatten().tolist() for row in (a, b))
        if mine != right:
            where = say("in row", number=number) if expected.dim() > 1 else say("here")
            return say("the tokens stay in", where=where, right=right, mine=mine or say("none"))
        if abs(a.sum() - 1) > 1e-4:
            return say("the right tokens stay", a=a.sum())
        return say("the right tokens stay and")
    return None


NEXT_TOKEN = Exercise(
    my_next_token_probabilities, cases=_scores, explain=_which_are_kept, exact_zeros=True
)


# How well a head copies


def my_induction_score(
    weights, *,
    key="after", ask="second", last="asked", mean="queries", heads="each", best=False, again=False,
):  # fmt: skip
    w = weights.softmax(-1) if again else weights
    w = w.mT if key == "transposed" else w
    n = w.shape[-1] // 2
    i = torch.arange(n)
    if best:
        w = torch.nn.functional.one_hot(w.argmax(-1), 2 * n).to(w)
    if key in ("first half", "cells", "second half", "block"):
        half = w[:, n:, n:] if key == "second half" else w[:, n:, :n]
        half = w[:, n:, 1 : n + 1] if key == "block" else half
        hit = half.mean(-1) if key in ("cells", "block") else half.sum(-1)
    else:
        rows = {"first": i, "one before": n + i - 1}.get(ask, n + i)
        columns = {"itself": i, "itself now": n + i, "two after": i + 2, "before": i - 1,
                   "around": (i + 1) % n, "clipped": (i + 1).clamp(max=n - 1), "first": 0 * i,
                   "next": n + i + 1, "before, around": i - 1}.get(key, i + 1)  # fmt: skip
        if key == "diagonal":  # a token more, the last of the first half
            rows, columns = torch.arange(n - 1, 2 * n), torch.arange(n + 1)
        if key == "other end":  # this diagonal without its last entry
            rows, columns = n - 1 + i, i
        if ask == "both":
            rows, columns = torch.arange(2 * n), columns.repeat(2)
        there = (rows < 2 * n) & (columns < 2 * n) & ((columns >= 0) | (key != "before"))
        hit = w[:, rows[there], columns[there]]
    count = hit.shape[-1]
    parts = {"left out": hit[:, :-1], "left out of the sum": hit[:, :-1], "alone": hit[:, -1:],
             "first left out": hit[:, 1:], "first alone": hit[:, :1]}  # fmt: skip
    hit = parts.get(last, hit)
    count = count if last == "left out of the sum" else hit.shape[-1]
    if heads in ("mean", "left"):
        return hit.mean(0 if heads == "left" else None)
    if mean in ("largest", "smallest", "median", "each"):
        return {"largest": hit.amax(-1), "smallest": hit.amin(-1), "median": hit.median(-1).values,
                "each": hit}[mean]  # fmt: skip
    divisors = {"none": 1, "all tokens": 2 * n, "one less": n - 1, "one more": n + 1,
                "heads": len(w), "squared": n * n, "all cells": 4 * n * n,
                "chance": 0.5}  # fmt: skip
    divisor = divisors.get(mean, count)
    score = hit.sum(-1) / divisor
    return {"best": score.max(), "first": score[:1], "best one": score.argmax()}.get(heads, score)


def _text_twice(seed):
    draw = Draw(93 + seed)
    rows = [[1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.1, 0.6, 0.3, 0], [0.2, 0.2, 0.2, 0.4]]
    cases = [(torch.tensor([rows]),)]
    for heads, n in [(2, 3), (3, 5), (4, 4), (5, 2), (1, 6), (6, 3)]:
        scores = 2 * draw.normal(heads, 2 * n, 2 * n)
        if n == 5:
            scores = scores.masked_fill(torch.ones(2 * n, 2 * n).triu(1) > 0, -math.inf)
        cases.append((scores.softmax(-1),))
    return cases


def _runs(weights, got):
    """The runs of neighbors on a diagonal whose mean is the score, in all heads."""
    found = []
    for k in range(1 - weights.shape[-1], weights.shape[-1]):
        sums = torch.nn.functional.pad(weights.diagonal(k, -2, -1).double().cumsum(-1), (1, 0))
        stop, start = torch.tril_indices(sums.shape[-1], sums.shape[-1], -1)
        means = (sums[:, stop] - sums[:, start]) / (stop - start)
        for which in (means - got[:, None]).abs().amax(0).lt(1e-6).nonzero().flatten():
            a, b, row, column = *(i[which].item() for i in (start, stop)), max(-k, 0), max(k, 0)
            found.append({"row": row + a, "column": column + a,
                          "row_2": row + b - 1, "column_2": column + b - 1})  # fmt: skip
    return found


def _the_weights_asked_for(case, got, expected):
    """The n weights of the first head whose score is wrong."""
    if got.shape != expected.shape:
        return say("asked for is one", shape=tuple(got.shape))
    h = (~torch.isclose(got.double(), expected.double(), 1e-5, 1e-5)).nonzero()[0].item()
    n = case[0].shape[-1] // 2
    found = _runs(case[0], got)
    if len(found) == 1:
        return say("mean of a run", **found[0], n=n, last=2 * n - 1)
    if found:  # another case may tell which of them it is
        return None
    listed = ", ".join(f"{weight:.3g}" for weight in case[0][h].diagonal(1 - n)[1:])
    return say("head gives the tokens", h=h, listed=listed, expected=expected[h], got=got[h])


INDUCTION = Exercise(my_induction_score, cases=_text_twice, explain=_the_weights_asked_for)


# The head that copying needs, found in two maps


def my_earlier_head(
    copies, before, *,
    copier="best", blocks="earlier", by="before", width="heads", best="cell", give="block, head",
):  # fmt: skip
    heads = copies.shape[0 if width == "blocks" else 1]
    at, of_copier = divmod(copies.argmax().item(), heads)
    at = {"head": of_copier, "mean": copies.mean(1).argmax().item(),
          "of each head": copies.argmax(0).max().item()}.get(copier, at)  # fmt: skip
    if by == "exchanged":
        at = before.argmax().item() // heads
    grid = {"copies": copies, "product": before * copies, "exchanged": copies,
            "sum": before + copies, "difference": before - copies}.get(by, before)  # fmt: skip
    begin = {"next to it": max(at - 1, 0), "later": at}.get(blocks, 0)
    ends = {"all": None, "with its own": at + 1, "later": None, "first": 1}
    end = ends.get(blocks, max(at - 1, 1) if blocks == "one less" else at)
    part = grid[begin:end]
    if blocks in ("others", "cells"):
        part = grid.clone()
        part[at] = -1
        part[at, :of_copier] = grid[at, :of_copier] if blocks == "cells" else -1
        part[at + 1 :] = -1 if blocks == "cells" else grid[at + 1 :]
    if best == "same head":
        part = torch.where(torch.arange(part.shape[1]) == of_copier, part, -1)
    place = (part.argmin() if best == "least" else part.argmax()).item()
    block, head = divmod(place, heads)
    if best.startswith("mean"):
        block = part.mean(1).argmax().item()
        head = (part[block] if best == "mean block" else part.mean(0)).argmax().item()
    if best == "head of all":
        head = grid.amax(0).argmax().item()
    if give == "each block":
        return part.argmax(1)
    return {
        "place": torch.tensor(place + begin * heads),
        "weight": part.max(),
        "copier": torch.tensor([at, of_copier]),
        "both": torch.tensor([at, of_copier, block, head]),
    }.get(give, torch.tensor([block + begin, head]))


def _two_maps(seed):
    draw = Draw(96 + seed)
    copies, before = [[0.1, 0.2, 0.3], [0.2, 0.9, 0.1]], [[0.3, 0.4, 0.1], [0.2, 0.7, 0.8]]
    cases = [(torch.tensor(copies), torch.tensor(before))]
    copies = [[0.1, 0.2], [0.3, 0.15], [0.25, 0.05], [0.9, 0.4]]  # means lead elsewhere
    before = [[0.5, 0.1], [0.35, 0.34], [0.05, 0.6], [0.45, 0.7]]
    cases.append((torch.tensor(copies), torch.tensor(before)))
    copies, before = [[0.1, 0.2], [0.9, 0.15], [0.25, 0.3]], [[0.4, 0.2], [0.6, 0.1], [0.3, 0.5]]
    cases.append((torch.tensor(copies), torch.tensor(before)))  # another head copies later
    # The best copier, the head that it needs, and another that looks back more, but not earlier.
    for shape, copier, needed, more in [
        ((4, 3), (2, 1), (0, 2), (3, 0)), ((5, 2), (3, 0), (1, 1), (3, 1)),
        ((3, 5), (1, 3), (0, 4), (2, 1)), ((6, 4), (4, 2), (2, 0), (5, 3)),
        ((7, 3), (5, 1), (4, 2), (5, 0)), ((4, 6), (3, 5), (1, 0), (3, 2)),
    ]:  # fmt: skip
        copies, before = (0.7 * torch.rand(shape, generator=draw.generator) for _ in range(2))
        copies[copier], before[needed], before[more] = 0.9, 0.8, 0.75 if copier == (3, 5) else 0.95
        cases.append((copies, before))
    return cases


def _the_head_named(case, got, expected):
    """Why the head of a pair cannot be the one."""
    copies, before = case
    if not isinstance(got, torch.Tensor) or got.is_floating_point() or got.shape != (2,):
        return None
    block, head = got.tolist()
    if not (0 <= block < len(before) and 0 <= head < before.shape[1]):
        return say("no such head", block=block, head=head)
    at = copies.argmax().item() // copies.shape[1]
    if block >= at:
        return say("not before the copier", block=block, at=at)
    right = before[tuple(expected.tolist())]
    return say("another looks back more", mine=before[block, head], right=right, at=at)


def _pair(function, *case):
    """A pair of whole numbers, however it is written."""
    result = function(*case)
    pair = as_tensor(list(result)) if isinstance(result, (tuple, list)) else None
    return result if pair is None else pair


NEEDED = Exercise(my_earlier_head, cases=_two_maps, run=_pair, explain=_the_head_named)


# A window with sinks


def my_window_mask(
    n, window, sinks, *, edge="right", back="window", ahead="hidden", sink="first", which="either"
):
    i = torch.arange(n)
    distance = i[:, None] - i  # (n, n): how far the key lies back
    distance = -distance if ahead == "turned" else distance
    more = {"one more": 1, "before": 1, "one less": -1, "less the sinks": -sinks,
            "less the sinks, one stays": max(-sinks, 1 - window)}.get(edge, 0)  # fmt: skip
    begin = i - window + 1
    ways = {"all": distance < n, "blocks": i[:, None] // window == i // window,
            "old": distance >= window, "ahead": -distance < window,
            "below 0": i >= torch.where(begin < 0, begin + n, begin)[:, None]}  # fmt: skip
    own = ways.get(back, distance < window + more)
    past = distance > 0 if ahead.startswith("strict") or edge == "before" else distance >= 0
    sinks_past = distance > 0 if ahead == "strict, sinks too" else distance >= 0
    seen = {"shown": distance < n, "symmetric": -distance < window}.get(ahead.split(",")[0], past)
    seen = distance <= 0 if back == "ahead" else seen
    sets = {"none": i < 0, "one": i < 1, "one, if any": i < min(sinks, 1), "one more": i <= sinks,
            "one less": i < sinks - 1, "late": (i < sinks) & (i[:, None] > window),
            "after": (i < sinks) & (i[:, None] >= sinks),
            "last": i >= n - sinks, "single": i == sinks, "from 1": (i > 0) & (i <= sinks),
            "rows": i[:, None] < sinks, "rows, all": i[:, None] < sinks}  # fmt: skip
    first = sets.get(sink, i < sinks).expand(n, n)
    free = sink in ("rows, all", "anywhere") or ahead in ("shown", "symmetric")
    sinks_past = sinks_past | (sink == "anywhere, late") & (i[:, None] >= window)
    first = first if free else first & sinks_past
    own = own & seen
    return {"sinks": first, "both": own & first, "one of them": own ^ first}.get(which, own | first)


def _windows(seed):
    draw = Draw(94 + seed)
    cases = [(4, 2, 1), (6, 3, 1), (7, 2, 2), (8, 3, 3), (6, 4, 0), (5, 1, 2), (4, 9, 1), (3, 2, 5)]
    cases.append((5, 1, 4))  # more sinks than the window and one token hold
    return [*cases, (9, draw.whole(2, 4), 2), (10, draw.whole(3, 5), draw.whole(3, 4))]


def _first_wrong_row(case, got, expected):
    """Whom a token sees, where it sees the wrong ones."""
    if got.shape != expected.shape or got.dtype != torch.bool:
        return None
    i = (got != expected).any(1).nonzero()[0].item()
    mine, right = (row[i].nonzero().flatten().tolist() for row in (got, expected))
    return say("token sees the tokens", i=i, mine=mine or say("none"), right=right)


WINDOW = Exercise(my_window_mask, cases=_windows, explain=_first_wrong_row)


# Heads that share keys and values


def my_grouped_attention(
    queries, keys, values, *,
    share="run", ask="each", scale="sqrt d", softmax="keys", mask="none", roles="qkv", out="heads",
):  # fmt: skip
    heads, kv = queries.shape[1], keys.shape[1]
    h, group = torch.arange(heads), heads // kv
    index = {"run": h // group, "tile": h % kv, "first": 0 * h, "last": 0 * h + kv - 1,
             "number": h // kv, "number, or last": (h // kv).clamp(max=kv - 1),
             "backwards": kv - 1 - h // group}  # fmt: skip
    apart = {"keys tiled": ("tile", "run"), "values tiled": ("run", "tile"),
             "keys first": ("first", "run"), "values first": ("run", "first")}  # fmt: skip
    ways = apart.get(share, (share, share))
    if share in ("twice", "three times"):
        times = 2 if share == "twice" else 3
        keys, values = (a.repeat_interleave(times, 1) for a in (keys, values))
    elif share in ("mean", "summed"):
        keys, values = (a.sum(1, keepdim=True).expand(-1, heads, -1, -1) for a in (keys, values))
        keys, values = (a / (kv if share == "mean" else 1) for a in (keys, values))
    elif share == "all":
        keys, values = (a.flatten(1, 2)[:, None].expand(-1, heads, -1, -1) for a in (keys, values))
    else:
        keys, values = keys[:, index[ways[0]]], values[:, index[ways[1]]]
    if ask != "each":
        of_group = queries.unflatten(1, (kv, group))  # (batch, kv, group, n, d)
        one = of_group[:, :, 0] if ask.startswith("first") else of_group.mean(2)
        queries = one.repeat_interleave(group, 1)
    queries, keys, values = played(roles, queries, keys, values)
    late = scale == "after"
    size = queries.shape[-1] * {"width": heads, "kv width": kv}.get(scale, 1)
    size = {"values": values.shape[-1], 64: 64}.get(scale, size)
    own = scale in ("width", "kv width", "values", 64)
    how = "none" if late else "sqrt d" if own else scale
    scores = scaled(how, queries @ keys.mT, size, keys.shape[-2])
    if mask != "none":
        n, m = scores.shape[-2:]
        seen = torch.ones(n, m).tril(m - n if mask == "causal, at the end" else 0).bool()
        scores = scores.masked_fill(~seen, -math.inf)
    if softmax in ("heads", "group"):
        groups = scores.unflatten(1, (1, heads) if softmax == "heads" else (kv, group))
        weights = groups.softmax(2).flatten(1, 2)
    elif softmax == "group and keys":
        parts = scores.unflatten(1, (kv, group)).exp()  # (batch, kv, group, n, m)
        weights = (parts / parts.sum((2, 4), keepdim=True)).flatten(1, 2)
    else:
        weights = weighed(softmax, scores)
    weights = weights / math.sqrt(size) if late else weights
    if out == "weights":
        return weights
    result = weights @ values
    grouped = result.unflatten(1, (kv, group))
    return {
        "merged": result.transpose(1, 2).flatten(2),
        "tokens first": result.transpose(1, 2),
        "grouped": grouped,
        "out of order": grouped.transpose(1, 2).flatten(1, 2),
        "one of a group": grouped[:, :, 0],
        "mean of a group": grouped.mean(2),
        "mean for all": grouped.mean(2, keepdim=True).expand_as(grouped).flatten(1, 2),
    }.get(out, result)


def _grouped(seed):
    draw = Draw(92 + seed)
    hand = [torch.tensor([0.0, 1, 2, 0]).view(1, 4, 1, 1), torch.tensor([1.0, 0, 0, 1])]
    cases = [(hand[0], hand[1].view(1, 2, 2, 1), torch.tensor([1.0, 5, 10, 30]).view(1, 2, 2, 1))]
    for batch, heads, kv, n, m, d, size in [
        (2, 6, 2, 3, 4, 4, 4), (1, 6, 3, 5, 5, 4, 3), (3, 8, 2, 4, 4, 3, 3), (1, 9, 3, 4, 2, 5, 5),
        (1, 4, 4, 3, 6, 5, 5), (2, 6, 1, 2, 3, 4, 4), (2, 8, 4, 3, 5, 2, 4),
    ]:  # fmt: skip
        shapes = (heads, n, d), (kv, m, d), (kv, m, size)
        cases.append(tuple(draw.normal(batch, *shape) for shape in shapes))
    return cases


def _whose_keys(case, got, expected):
    """Which key-value head each head seems to read, where that can be seen."""
    if got.shape != expected.shape:
        return axes_told(("batch", "heads", "queries", "size"), got, expected)
    queries, keys, values = case
    parts = queries[:, :, None], keys[:, None], values[:, None]  # each head with each kv head
    made = scaled_dot_product_attention(*parts)  # (batch, heads, kv, n, size)
    near = (made - got[:, :, None]).abs().amax((0, 3, 4)) < 1e-4
    if not near.any(1).all():
        groups = len(queries[0]) // len(keys[0])
        k, v = (a.repeat_interleave(groups, 1) for a in (keys, values))
        told = divided_told(queries @ k.mT, lambda w: w @ v, got, queries.shape[-1])
        return told or multiple_told(got, expected)
    mine = near.long().argmax(1).tolist()
    right = [h * keys.shape[1] // len(mine) for h in range(len(mine))]
    if mine == right:
        return None
    return say("your query heads read", mine=mine, right=right)


GROUPED = Exercise(my_grouped_attention, cases=_grouped, explain=_whose_keys)


# Few bits


def my_rounded(
    block, bits, *,
    levels="2**bits", to="nearest", rows="each", start="smallest", flat="kept", out="numbers",
):  # fmt: skip
    x = block.detach()  # rounding passes no gradient on
    if out == "decimals":
        return x.round(decimals=bits)
    axes = {"all": tuple(range(x.dim())), "first axis": 0, "last two": (-2, -1)[-x.dim() :]}
    axes = axes.get(rows, -1)
    low, high = x.amin(axes, keepdim=True), x.amax(axes, keepdim=True)
    if rows == "first row":
        first = x.reshape(-1, x.shape[-1])[0]
        low, high = first.min(), first.max()
    counts = {"bits": bits, "bits + 1": bits + 1, "half": 2 ** (bits - 1), "one more": 2**bits + 1,
              "one less": 2**bits - 1, "bits**2": bits**2, "2 * bits": 2 * bits,
              "2 ^ bits": 2 ^ bits, "four bits": 16}  # fmt: skip
    count = counts.get(levels, 2**bits)
    if start in ("zero", "0 at most"):
        low = low * 0 if start == "zero" else low.clamp(max=0)
    if start.startswith("size"):
        high = torch.maximum(high.abs(), low.abs())
        low = -high
    step, part = (high - low) / (count - 1), (high - low) / count
    if start == "size, 0 a level":
        step = high / (count // 2 - 1)
    base = 0 * low if start in ("0 of all", "size, 0 a level", "not taken away") else low
    k = (x - base) / step
    if levels == "without the largest":
        k, step = ((x - low) / part).round().clamp(max=count - 1), part
    elif to in ("floor of parts", "middle of parts"):
        k = ((x - low) / part).floor().clamp(max=count - 1)
        k, step = (k + 0.5, part) if to == "middle of parts" else (k, step)
    else:
        ways = {"floor": k.floor, "ceil": k.ceil, "unrounded": lambda: k}
        k = ways.get(to, k.round)()
        if to in ("8 bits", "8 bits, signed"):
            k = k % 256 if to == "8 bits" else (k + 128) % 256 - 128
    if start.startswith("16 bits"):
        base, step = low.half().to(x), step.half().to(x)
        k = ((x - base) / step).round() if start == "16 bits, both times" else k
    added = {"not added": 0 * low, "not taken away": low}.get(start, base)
    rounded = {"numbers": k * step + added, "levels": k, "shares": k / (count - 1),
               "error": x - (k * step + added), "step": step.expand_as(x)}[out]  # fmt: skip
    if flat == "NaN":
        return rounded
    if flat == "all kept" and (high == low).any():
        return x
    same = (high == low).expand_as(x)
    kept = x if out == "numbers" and flat == "kept" else 0 * x
    return torch.where(same, kept, rounded)


def _blocks(seed):
    """Numbers between the levels, never halfway, so that no way of computing is in doubt."""
    draw = Draw(95 + seed)
    cases = [(torch.tensor([4.0, 5.2, 5.8, 7.0]), 2)]
    for shape, bits, unit in [((32,), 4, 7), ((3, 8), 3, 5), ((2, 3, 6), 2, 9), ((2, 8), 10, 3),
                              ((2, 5), 3, 7), ((3, 2, 10), 5, 3), ((2, 12), 8, 3)]:  # fmt: skip
        units = unit + 2 * draw.whole(0, 3, *shape[:-1], 1)  # a step, odd, for each row
        numbers = draw.whole(0, 2**bits - 2, *shape) * units + draw.whole(1, unit - 1, *shape)
        numbers[..., 1], numbers[..., -2] = 0, units[..., 0] * (2**bits - 1)
        if numbers.shape[-1] == 5:
            numbers[0] = -100  # all equal
        numbers = numbers - draw.whole(-20, 120, *shape[:-1], 1)
        if bits == 5:
            numbers = numbers - 4099  # so that 16 bits are too few for the smallest number
        cases.append((numbers / 64, bits))
    return cases


def _levels_of_a_row(case, got, expected):
    """What the first wrong row's numbers have become."""
    block, bits = case
    if got.shape != expected.shape:
        return None
    pairs = zip(*(a.reshape(-1, a.shape[-1]) for a in (block, got, expected)), strict=True)
    row, mine, right = next(r for r in pairs if not torch.allclose(r[1], r[2], 1e-5, 1e-5))
    if mine.isnan().any():
        return say("there is nan in")
    count = len(mine.unique())
    if count > 2**bits:
        return say("a row of your", count=count, bits=2**bits)
    j = (~torch.isclose(mine, right, 1e-5, 1e-5)).nonzero()[0].item()
    return say("becomes in yours the", row=row[j], mine=mine[j], right=right[j])


ROUNDED = Exercise(my_rounded, cases=_blocks, explain=_levels_of_a_row, dtypes=True)


EXERCISES, QUESTIONS = tell(__name__, NEXT_TOKEN, INDUCTION, NEEDED, WINDOW, GROUPED, ROUNDED)
