"""Exercises and questions of lesson 08, a translator of dates."""

import itertools
import math

import torch

from ..judge.common import Draw, divided_told, played, scaled, weighed
from ..judge.compare import as_tensor
from ..judge.exercise import Exercise
from ..words import sentences, tell

say = sentences(__name__)

# What the decoder is given


def my_shift_right(targets, begin, *, move="right", filled="begin"):
    first = {"zero": 0, "one": 1}.get(filled, begin)
    first = torch.full_like(targets[:, :1], first)  # (batch, 1)
    if filled == "first sentence":
        first = torch.cat([first[:1], targets[1:, -1:]])
    last = targets[:, -1:]
    flat = targets.roll(1)  # without an axis, all symbols in one line
    return {
        "right": torch.cat([first, targets[:, :-1]], 1),
        "left": torch.cat([targets[:, 1:], first], 1),
        "none": targets,
        "two": torch.cat([first, first, targets], 1)[:, : targets.shape[1]],
        "copied": torch.cat([first, targets[:, :1].expand_as(targets[:, 1:])], 1),
        "longer": torch.cat([first, targets], 1),
        "longer, by two": torch.cat([first, first, targets[:, :-1]], 1),
        "longer, at the end": torch.cat([targets, first], 1),
        "shorter": targets[:, :-1],
        "all begin": first.expand_as(targets),
        "around": torch.cat([last, targets[:, :-1]], 1),
        "left around": targets.roll(-1, 1),
        "flat around": flat,
        "flat": torch.cat([first.flatten()[:1], flat.flatten()[1:]]).view_as(targets),
        "over": torch.cat([first, targets[:, 1:]], 1),
        "batch": torch.cat([torch.full_like(targets[:1], begin), targets[:-1]], 0),
        "batch around": targets.roll(1, 0),
        "batch, over": torch.cat([first, targets.roll(1, 0)[:, 1:]], 1),
        "end": torch.cat([targets[:, :-1], first], 1),
    }[move]


def _sentences(seed):
    draw = Draw(80 + seed)
    shapes = [(2, 4), (1, 5), (4, 2), (3, 3), (4, 1)]
    cases = [(torch.tensor([[5, 6, 7]]), 1)]
    cases += [(draw.whole(3, 9, *shape), 2) for shape in shapes]
    return [*cases, (torch.tensor([[4, 2, 5], [2, 2, 6]]), 2), (draw.whole(3, 9, 2, 3).int(), 2)]


def _first_wrong_place(case, got, expected):
    """What stands where the first sentence with a wrong place goes wrong."""
    targets, begin = case
    if got.shape != expected.shape:
        return None
    b, t = (got != expected).nonzero()[0].tolist()
    if t == 0:
        told = say("at place 0 stands", got=got[b, 0], begin=begin)
        others = torch.equal(got[:, 1:], expected[:, 1:])
        return f"{told} {say('all others are right')}" if others else told
    return say(
        "in sentence the decoder", b=b, got=got[b, t], t=t, t_2=t - 1, targets=targets[b, t - 1]
    )


SHIFT_RIGHT = Exercise(my_shift_right, cases=_sentences, kinds=True, explain=_first_wrong_place)


# Greedy decoding, with a table of scores in the place of a model


def my_greedy(
    table, begin, end, most, *,
    read="newest", choose="best", keep="neither", stop="end", count="written", report="symbols",
):  # fmt: skip
    written, scored, newest = [], [], begin
    limit = {"written": most, "one less": most - 1, "one more": most + 1, "unlimited": 100,
             "symbols": len(table)}[count]  # fmt: skip
    while len(written) < limit:
        row = {"begin": begin, "turn": len(written)}.get(read, newest)
        scores = table[:, newest] if read == "column" else table[row]
        scores = table[table.max(1).values.argmax()] if read == "whole" else scores
        if choose == "new":
            scores = scores.index_fill(0, torch.tensor(written, dtype=torch.long), -math.inf)
        if stop == "not chosen" or choose == "not begin":
            never = end if stop == "not chosen" else begin
            scores = scores.masked_fill(torch.arange(len(scores)) == never, -math.inf)
        best = {
            "best": scores.argmax,
            "new": scores.argmax,
            "not begin": scores.argmax,
            "above 0": (scores.clamp(min=0)).argmax,
            "worst": scores.argmin,
            "second": lambda scores=scores: scores.topk(2).indices[1],
            "drawn": lambda scores=scores: torch.multinomial(scores.softmax(-1), 1),
        }[choose]().item()
        if best == end and stop == "end":
            at_once = keep == "end at once" and not written
            written += [end] if keep in ("end", "both") or at_once else []
            break
        ends = {"until begin": best == begin, "until twice": best in written,
                "until itself": best == newest}  # fmt: skip
        if ends.get(keep):
            break
        written.append(best)
        scored.append(scores[best].item())
        newest = best
    if stop == "removed":
        written = [symbol for symbol in written if symbol != end]
    if keep == "begin removed":
        written = [symbol for symbol in written if symbol != begin]
    if keep in ("padded", "padded with 0"):
        written += [end if keep == "padded" else 0] * (limit - len(written))
    if keep == "last dropped":
        written = written[:-1]
    if report == "scores":
        return torch.tensor(scored)
    return torch.tensor([begin] * (keep in ("begin", "both")) + written, dtype=torch.long)


def _late(table, begin, end, most):
    """Each symbol is noted after the step that follows it: the first is lost, the end is noted."""
    written, newest = [], table[begin].argmax().item()
    while newest != end and len(written) < most:
        newest = table[newest].argmax().item()
        written.append(newest)
    return torch.tensor(written, dtype=torch.long)


def _all_at_once(table, begin, end, most):
    """What follows each of the symbols, in the order of their numbers."""
    best = table.argmax(-1)
    return best[best != end][:most]


def _table(draw, order, symbols):
    """Scores by which these symbols follow each other, just; any others are drawn.

    The best is so little better than the others that whoever draws by the scores seldom meets it.
    """
    table = draw.short(symbols, symbols) / 10
    for one, following in itertools.pairwise(order):
        table[one, following] = table.max() + 0.01
    return table


def _tables(seed):
    draw = Draw(82 + seed)
    small = torch.tensor([[0.0, 9.0, 1.0], [2.0, 0.0, 9.0], [3.0, 1.0, 0.0]])
    orders = [([4, 0, 3, 1, 2, 5], 5, 9), ([2, 3, 4, 0, 1], 1, 4), ([1, 5, 0, 2, 4, 3], 3, 3)]
    orders += [([0, 4, 5, 2, 3], 3, 2), ([3, 2], 2, 4)]  # in the last one the end comes at once
    cases = [(_table(draw, o, 6), o[0], end, most) for o, end, most in orders]
    ring = _table(draw, [5, 1, 4, 5], 6)  # with begin in it
    ring[:, 0] = ring.min() - 0.01  # and its end is nobody's second choice
    low = _table(draw, [3, 1, 4, 2, 5], 6)
    low = low - low.max() - 1  # all scores are below 0
    again = _table(draw, [2, 4, 4], 6)
    again[:, 3] = again.min() - 0.01
    return [(small, 0, 2, 5), *cases, (ring, 5, 0, 8), (low, 3, 5, 6), (again, 2, 3, 4)]


def _where_the_chain_breaks(case, got, expected):
    """Which symbol of a result is the first wrong one."""
    begin, most = case[1], case[3]
    if got.dim() == 0:
        return say("your result is a")
    if got.dim() > 1:
        return say("the result has axes", dim=got.dim())
    a, b = got.tolist(), expected.tolist()
    if not b:
        return say("here end comes at", count=len(a))
    if a == b[: len(a)]:
        return say("the first are right", count=len(a), count_2=len(b) - len(a))
    if b == a[: len(b)]:
        ends = say("symbols are written", most=most) if len(b) == most else say("end comes")
        return say("the first are right then", count=len(b), ends=ends)
    k = next(k for k in range(len(b)) if a[k] != b[k])
    before = f"{b[k - 1]}" if k else say("begin", begin=begin)
    return say("place is the first", k=k, before=before, b=b[k], a=a[k])


GREEDY = Exercise(
    my_greedy, cases=_tables, wrong={"all at once": _all_at_once, "late": _late}, kinds=True,
    explain=_where_the_chain_breaks,
)  # fmt: skip


# Attention on a span, against chance


def my_share_on_span(
    weights, start, stop, *,
    end="before", share="sum", count="mean", chance="length", span="keys", again=False,
    digits=None,
):  # fmt: skip
    weights = weights.softmax(-1) if again else weights
    queries, keys = weights.shape
    weights = weights.mT if span.startswith("queries") else weights
    queries, keys = weights.shape if span == "queries" else (queries, keys)
    last = {"with": stop + 1, "one less": stop - 1, "from 1": stop - 1}.get(end.split(",")[0], stop)
    first = {"one later": start + 1, "from 0": 0, "from 1": start - 1}.get(end, start)
    inside = weights[first:last] if span == "rows" else weights[:, first:last]
    if chance == "outside of each":
        inside = inside / (weights.sum(-1) - inside.sum(-1))[:, None]
    if share == "argmax":
        best = weights.argmax(-1)
        inside = ((best >= first) & (best < last))[:, None].to(weights)
    each = inside.amax(-1) if share == "best" else inside.sum(-1)
    each = inside.mean(-1) if share == "cells" else each
    got = {"mean": each.mean(), "median": each.median(), "sum": each.sum(), "each": each}.get(count)
    if count in ("first", "last"):
        got = each[0 if count == "first" else -1]
    got = each.max() if count == "largest" else got
    size = last - first if end.endswith("in both") else stop - start
    by = size / keys
    outside = weights.sum(-1).mean() - each.mean()
    divisors = {
        "one": 1 / keys, "rest": (keys - size) / keys, "none": 1.0, "queries": size / queries,
        "closed": (size + 1) / keys, "//": size // keys, "of the rest": size / max(keys - size, 1),
        "keys //": 1 / max(keys // max(size, 1), 1), "stop": stop / keys, "percent": by / 100,
        "size": size, "one query": 1 / queries, "both": size * keys,
        "gaps": size / max(keys - 1, 1), "outside": outside, "outside of each": 1.0,
        "mean outside": size * outside / (keys - size),
    }  # fmt: skip
    if chance in ("product", "difference", "excess"):
        return {"product": got * by, "difference": got - by, "excess": got / by - 1}[chance]
    if chance in ("upside down", "log"):
        return by / got if chance == "upside down" else torch.log(got / by)
    result = got / divisors.get(chance, by)
    return result if digits is None else result.round(decimals=digits)


def _weights(seed):
    draw = Draw(84 + seed)
    hand = torch.tensor([[0.2, 0.5, 0.3, 0.0], [0.1, 0.1, 0.7, 0.1]])
    sizes = [(3, 5, 0, 2), (2, 6, 3, 5), (4, 7, 1, 5), (5, 4, 2, 3), (1, 8, 4, 7)]
    cases = [(hand, 1, 3)]
    return cases + [(draw.normal(n, m).softmax(-1), a, b) for n, m, a, b in sizes]


def _share_and_chance(case, got, expected):
    """The two numbers of the quotient, one of which may be found in the result."""
    weights, start, stop = case
    got = as_tensor(got)
    if got.numel() != 1:
        return say("one number is asked", shape=tuple(got.shape))
    share, chance = weights[:, start:stop].sum(-1).mean(), (stop - start) / weights.shape[1]
    return say("here the mean share", share=share, chance=chance, got=got.item())


def _on_shares(function, weights, start, stop):
    """Rows that sum to 1 also where they move, for a gradient: chance may be 1 / weights.mean()."""
    if weights.requires_grad:
        weights = weights / weights.sum(-1, keepdim=True)
    return function(weights, start, stop)


SHARE_ON_SPAN = Exercise(
    my_share_on_span, cases=_weights, run=_on_shares, explain=_share_and_chance
)


# One step with a cache


def my_cached_step(
    q, k, v, past_keys, past_values, *,
    tokens="all", scale="sqrt d", softmax="keys", mask="none", roles="qkv", compare="products",
    out="average",
):  # fmt: skip
    def joined(past, new, which):
        parts = {
            "past": (past,),
            "new": (new,),
            "front": (new, past),
            "instead": (past[:, 1:], new),
            "over": (past[:, :-1], new),
            "apart": (past,),
            "apart, mean": (past,),
            "running mean": (past,),
        }
        return torch.cat(parts.get(which, (past, new)), -2)  # (batch, t + 1, d)

    front = {"keys in front": ("front", "all"), "values in front": ("all", "front")}
    which = front.get(tokens, (tokens, tokens))
    own, key, t = v if tokens.startswith(("apart", "running")) else 0, k, past_keys.shape[1]
    news = {"query": (q, v), "key as value": (k, k), "exchanged": (v, k), "key asks": (q, v),
            "no value": (k, 0 * v)}.get(tokens, (k, v))  # fmt: skip
    k, v = joined(past_keys, news[0], which[0]), joined(past_values, news[1], which[1])
    q = key if tokens == "key asks" else q
    if tokens == "first text":
        k, v = k[:1].expand_as(k), v[:1].expand_as(v)
    q, k, v = played(roles, q, k, v)
    if compare == "one pool":
        k, v = (a.flatten(0, 1)[None] for a in (k, v))
    if compare == "keys of all texts":
        k = k.sum(0, keepdim=True)
    if compare == "cosines":
        q, k = torch.nn.functional.normalize(q, dim=-1), torch.nn.functional.normalize(k, dim=-1)
    late = scale == "after"
    way = {"after": "none", "past alone": "sqrt d"}.get(scale, scale)
    scores = scaled(way, q @ k.mT, q.shape[-1], k.shape[-2])  # (batch, 1, t + 1)
    if scale == "past alone":
        scores = torch.cat([scores[..., :-1], (q @ k.mT)[..., -1:]], -1)
    if mask == "first":
        scores[..., 1:] = -math.inf
    own_way = {"batch": lambda: scores.softmax(0), "exponentials": scores.exp,
               "overflow": lambda: scores.exp() / scores.exp().sum(-1, keepdim=True)}  # fmt: skip
    weights = own_way[softmax]() if softmax in own_way else weighed(softmax, scores)
    weights = weights / math.sqrt(q.shape[-1]) if late else weights
    if out == "weights":
        return weights
    if out == "values of all texts":
        v = v.sum(0, keepdim=True)
    if tokens == "running mean":
        return (weights @ v * t + own) / (t + 1)
    return (weights @ v + own) / (2 if tokens == "apart, mean" else 1)


def _steps(seed):
    draw = Draw(83 + seed)
    hand = [torch.tensor([[row]]) for row in ([1.0, 0.0], [0.0, 2.0], [3.0, 0.0])]
    past = [torch.tensor([[[0.0, 1.0], [0.0, 2.0]]]), torch.tensor([[[1.0, 1.0], [5.0, 0.0]]])]
    cases = [(*hand, *past)]
    for batch, t, d, size in [(2, 3, 4, 4), (3, 5, 6, 6), (1, 1, 4, 4), (2, 4, 3, 3)]:
        new = draw.normal(batch, 1, d), draw.normal(batch, 1, d), draw.normal(batch, 1, size)
        cases.append((*new, draw.normal(batch, t, d), draw.normal(batch, t, size)))
    q, k, _, past_keys, _ = cases[2]  # in two texts scores so large that their exp is infinite
    q[1:], k[1:, 0, 0] = 250 * torch.eye(6)[0], torch.tensor([-3.0, 3])  # a fall and a rise
    past_keys[1:, :, 0] = torch.stack([-torch.arange(-2, 3), torch.arange(-2, 3)])
    return cases


def _divided(case, got, expected):
    """By what the scores are divided, where nothing else is wrong; or how much too large all is."""
    q, k, v, past_keys, past_values = case
    if got.shape != expected.shape:
        return say("the result has the", shape=tuple(got.shape), shape_2=tuple(expected.shape))
    keys, values = torch.cat([past_keys, k], 1), torch.cat([past_values, v], 1)
    numbers = torch.arange(1, 1025, dtype=q.dtype)
    divisors = torch.cat([numbers.sqrt(), numbers])
    made = (q @ keys.mT / divisors.view(-1, 1, 1, 1)).softmax(-1) @ values
    fits = (made - got).abs().flatten(1).amax(1) < 1e-4
    d = q.shape[-1]
    if fits.sum() in (1, 2):  # a whole number may stand among the roots too
        by = divisors[fits.nonzero()[0]].item()
        return say("your result is that", by=by, d=d, math=math.sqrt(d))
    if told := divided_told(q @ keys.mT, lambda w: w @ values, got, d):
        return told
    for name, given in (("q", q), ("k", k), ("v", v)):
        if torch.allclose(got - expected, given, 1e-4, 1e-5):
            return say("here your result is", name=name)
    ratio = got / expected
    if got.numel() > 1 and torch.allclose(ratio, ratio.flatten()[0], 1e-4):
        return say("all numbers are times", flatten=ratio.flatten()[0].item())
    return None


CACHED_STEP = Exercise(my_cached_step, cases=_steps, explain=_divided)


EXERCISES, QUESTIONS = tell(__name__, SHIFT_RIGHT, GREEDY, SHARE_ON_SPAN, CACHED_STEP)
