"""Exercises and questions of lesson 03, masking."""

from functools import partial

import torch

from attn_teach.masking import causal_mask
from attn_teach.scoring import dot_product_scores

from ..judge.common import Draw, axes_told, multiplied_told, where
from ..judge.exercise import Exercise
from ..judge.explanations import show
from ..words import joined, sentences, tell

say = sentences(__name__)


def _too_many(case, got, expected):
    """How many cells are True and must not be."""
    return int((got & ~expected).sum())


def _wrong_cells(axes, why):
    """An exercise's `explain` for masks: names axes, or says why the first wrong cell is wrong."""

    def explain(case, got, expected):
        if got.shape != expected.shape or got.dtype != torch.bool:
            return axes_told(axes, got, expected)
        wrong = got != expected
        place = wrong.nonzero()[0].tolist()
        must = expected[tuple(place)].item()
        counts = {flag: int((wrong & (expected == flag)).sum()) for flag in (must, not must)}
        told = joined(
            say("one cell" if n == 1 else "cells", n=n, now=not flag, must=flag)
            for flag, n in counts.items()
            if n
        )
        here = {"told": told, "where": where(axes, place), "why": why(*case, *place)}
        return say("look at so it", must=must, **here)

    return explain


MASK_AXES = "batch", "queries", "keys"


def _real(flag):
    return say("real") if flag else say("a pad")


def _ahead(num_steps):
    """How many places key j stands after query i, (num_steps, num_steps)."""
    steps = torch.arange(num_steps)
    return steps - steps.unsqueeze(1)


# A little look-ahead


def my_lookahead_mask(
    num_steps, lookahead, *, limit="plus", edge=0, kept="below", rows="move", width="num_steps"
):
    ahead = _ahead(num_steps)
    if rows == "equal":
        ahead = torch.arange(num_steps).repeat(num_steps, 1)
    if width == "lookahead":
        ahead = ahead[:, :lookahead] if lookahead <= num_steps else _ahead(lookahead)[:num_steps]
    if rows == "rolled":
        return (ahead <= edge).roll(-lookahead, 0)
    limit = {"plus": lookahead, "minus": -lookahead, "none": 0, "one": 1, "two": 2}[limit] + edge
    if kept.startswith("rolled"):  # to the right, around a circle
        rolled = (ahead <= edge).roll(lookahead, 1)
        return rolled if kept == "rolled" else rolled | (ahead <= edge)
    if kept == "step":
        return (ahead <= edge) | (ahead == limit)
    below = ahead >= limit if kept == "above" else ahead <= limit
    more = {"band": -ahead <= limit, "ahead": ahead >= 0, "future": ahead > 0}
    return below & more.get(kept, ahead == ahead)


LOOKAHEAD_MASK = Exercise(
    my_lookahead_mask,
    cases=lambda seed: [
        *((3, 1), (6, 2), (5, 0), (4, 7), (7, 3)),
        (Draw(seed).whole(8, 10), Draw(seed + 1).whole(2, 4)),
    ],
    explain=_wrong_cells(
        MASK_AXES[1:], lambda n, more, i, j: f"{j} <= {i} + {more} is {j <= i + more}"
    ),
    kinds=True,
)


# Lengths to mask


def _changed(lens, of):
    """Lengths as the knob `of` says; "each" is right."""
    changes = {"at least 1": lens.clamp(min=1), "rolled": lens.roll(1, 0), "back": lens.roll(-1, 0),
               "longest": lens.amax().expand_as(lens),
               "shortest": lens.amin().expand_as(lens)}  # fmt: skip
    return changes.get(of, lens)


def my_padding_mask(valid_lens, num_keys, *, edge=0, width="num_keys", axes="right", of="each"):
    valid_lens = _changed(valid_lens, of)
    valid_lens = valid_lens.squeeze() if axes == "squeezed" else valid_lens
    flat = valid_lens.dim() == 1
    lens = valid_lens.reshape(len(valid_lens), -1, 1)  # (batch, 1 or queries, 1)
    new = {"one more": (..., None), "none": ..., "middle": (slice(None), None),
           "two more": (slice(None), None, None), "in front": (None, ..., None),
           "first": (None, ..., None) if flat else (..., None),
           "stacked": (..., None) if flat else ...}  # fmt: skip
    if axes in new:
        lens = valid_lens[new[axes]]
    elif axes == "folded":
        lens = valid_lens.reshape(-1, 1, 1)
    elif axes == "repeated" and flat:
        lens = lens.expand(-1, num_keys, -1)
    elif axes == "first query":
        lens = lens[:, :1].expand_as(lens)
    elif axes.startswith("largest"):
        largest = lens.amax(1, keepdim=True)
        lens = largest if axes == "largest" else largest.expand_as(lens)
    counts = {"longest": int(valid_lens.max()), "one less": num_keys - 1,
              "shortest": int(valid_lens.min())}  # fmt: skip
    keys = torch.arange(counts.get(width, num_keys))
    alone = {">": lambda: keys > lens, "==": lambda: keys == lens - 1}
    mask = alone[edge]() if edge in alone else keys < lens + edge
    return mask.mT if (axes, flat) in (("last", True), ("queries last", False)) else mask


def _why_real(lens, num_keys, batch, query, key):
    length = (lens if lens.dim() == 1 else lens[:, query])[batch]
    return say("key within" if key < length else "key beyond", length=length, one=key)


PADDING_MASK = Exercise(
    my_padding_mask,
    cases=lambda seed: [
        (torch.tensor([2, 3]), 4),
        (torch.tensor([4, 0, 6, 1, 3]), 6),
        (torch.tensor([1, 3, 2]), 3),  # as many sentences as keys
        (torch.tensor([[1, 0, 3, 4], [2, 2, 4, 2]]), 4),  # as many queries as keys
        (torch.tensor([[2, 0, 1]]), 3),  # a batch of one
        (Draw(seed).whole(0, 7, 3, 2), 8),
    ],
    explain=_wrong_cells(MASK_AXES, _why_real),
    asks=("padding_mask",),
    kinds=True,
    numbers={
        "cells": _too_many,
        "got": lambda case, got, expected: got.shape[-1],
        "expected": lambda case, got, expected: expected.shape[-1],
    },
)


# Queries and keys


def _query_and_key_masks(seed):
    draw = Draw(31 + seed)
    cases = [(torch.tensor([[True, False]]), torch.tensor([[True, True, False]]))]
    for batch, queries, keys in [(2, 4, 3), (3, 2, 5), (3, 3, 3)]:
        cases.append((draw.mask(batch, queries), draw.mask(batch, keys)))
    cases.append((torch.tensor([[False] * 5, [True] * 5]), torch.tensor([[True] * 4, [False] * 4])))
    return cases


def my_token_mask(
    query_mask, key_mask, *, query="real", key="real", axes="right", join="and", given="masks",
    empty="empty",
):  # fmt: skip
    if given in ("lengths", "query lengths"):
        query_mask = query_mask.sort(-1, descending=True)[0]
    if given in ("lengths", "key lengths"):
        key_mask = key_mask.sort(-1, descending=True)[0]
    change = {"real": lambda a: a, "unused": torch.ones_like, "pads": torch.logical_not,
              "mixed": lambda a: a.any(0, keepdim=True).expand_as(a),
              "first": lambda a: a[:1].expand_as(a)}  # fmt: skip
    a, b = change[query](query_mask), change[key](key_mask)
    if axes != "none":
        a, b = a.unsqueeze(1 if axes == "same" else -1), b.unsqueeze(1)
    if axes == "four":
        a, b = a.unsqueeze(1), b.unsqueeze(0)
    joined = {"and": torch.logical_and, "or": torch.logical_or, "equal": torch.eq,
              "sum": lambda a, b: a.int() + b.int(), "nor": lambda a, b: ~(a | b)}  # fmt: skip
    pairs = joined[join](a, b)
    if empty == "all keys":
        pairs = pairs | ~pairs.any(-1, True)
    if empty == "first key":
        pairs = pairs | ~pairs.any(-1, True) & (torch.arange(pairs.shape[-1]) == 0)
    return pairs.any(0) if axes == "no batch" else pairs


# Whole wrong versions, no knobs: together with a knob, ~ and == give what other slips give too.
TOKEN_MASK = Exercise(
    my_token_mask,
    cases=_query_and_key_masks,
    explain=_wrong_cells(
        MASK_AXES,
        lambda query_mask, key_mask, b, i, j: say(
            "the query is and", real=_real(query_mask[b, i]), real_2=_real(key_mask[b, j])
        ),
    ),
    kinds=True,
    numbers={"cells": _too_many, "shape": lambda case, got, expected: tuple(got.shape)},
    wrong={
        "inverted": lambda *masks: ~my_token_mask(*masks),
        "equal": lambda *masks: my_token_mask(*masks, join="equal"),
        "differ": lambda *masks: ~my_token_mask(*masks, join="equal"),
    },
)


# Past and real


def my_causal_padding_mask(
    valid_lens, num_steps, *, past="<=", real="<", join="and", width="num_steps", of="each"
):
    valid_lens = _changed(valid_lens, of)
    num_steps = int(valid_lens.max()) if width == "longest" else num_steps
    ahead, keys, lens = _ahead(num_steps), torch.arange(num_steps), valid_lens.view(-1, 1, 1)
    edge = {"late": 1, "early": -1}.get(real, 0)
    padding = keys < lens + edge  # (batch, 1, keys)
    change = {"none": torch.ones_like, "rows": lambda a: a.mT, "pads": torch.logical_not,
              "front": lambda a: a.flip(-1), "batch": lambda a: a[:, 0],
              "paired": lambda a: keys < valid_lens, "last alone": lambda a: keys == lens - 1,
              "one sentence": lambda a: keys == keys}  # fmt: skip
    padding = change[real](padding) if real in change else padding
    if past.startswith("one row, cut"):  # a triangle of one row holds its first key alone
        padding = padding & (keys == 0)
        return padding if past == "one row, cut" else padding.expand(-1, num_steps, -1)
    causal = {"<=": ahead <= 0, "<": ahead < 0, ">=": ahead >= 0, ">": ahead > 0,
              "one more": ahead <= 1, "none": ahead == ahead, "one row": keys == keys,
              "< after 0": (ahead < 0) | (keys + keys.unsqueeze(1) == 0)}[past]  # fmt: skip
    return {
        "and": padding & causal,
        "or": padding | causal,
        "equal": padding == causal,
    }[join]


CAUSAL_PADDING_MASK = Exercise(
    my_causal_padding_mask,
    cases=lambda seed: [
        (torch.tensor([2]), 3),
        (torch.tensor([3, 1, 4, 0]), 5),
        (torch.tensor([2, 4, 1, 3]), 4),  # as many sentences as steps
        (torch.tensor([6, 2]), 7),
        (torch.tensor([1]), 4),  # compared with the first case: several cells hang on the length
        (Draw(seed).whole(0, 6, 3), 6),
    ],
    explain=_wrong_cells(
        MASK_AXES,
        lambda lens, n, b, i, j: say(
            "the length is so",
            lens=lens[b],
            real=_real(j < lens[b]),
            ahead=say("ahead" if j > i else "not ahead"),
        ),
    ),
    forbids={"attn_teach": say("and the exercise asks")},
    wrong={
        "minus 0": lambda lens, n: my_causal_padding_mask(lens.masked_fill(lens == n, 0), n),
        "inverted": lambda *case: ~my_causal_padding_mask(*case),
        "equal": lambda *case: my_causal_padding_mask(*case, join="equal"),
        "differ": lambda *case: ~my_causal_padding_mask(*case, join="equal"),
    },
    kinds=True,
    numbers={
        "cells": _too_many,
        "got": lambda case, got, expected: got.shape[-1],
        "expected": lambda case, got, expected: expected.shape[-1],
    },
)


# A masked softmax that keeps its promises


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
        (torch.tensor([[-3e38, 4.0, 5.0]]), torch.tensor([[True, False, False]])),
        (torch.tensor([[-90.0, 90.0, 3.0], [90.0, -90.0, 3.0]]), first_two),  # a rise and a fall
        (torch.full((1, 3), torch.finfo(torch.float32).min), torch.tensor([[True, False, False]])),
        (torch.tensor([[100.0, 99.0, 3.0], [-120.0, -121.0, 5.0]]), first_two),
        (torch.tensor([[1.0, 1.0, 20.0], [1.0, 2.0, 3.0]]).half(), first_two & one_row),
        (torch.tensor([[-50.0, -51.0, 60.0], [1.0, 2.0, 3.0]]), first_two & one_row),
    ]
    return cases


def _filled(scores, mask, fill):
    """Scores with `fill` in the place of the masked ones, or with a low number added to these."""
    added = {"added": -1e9, "added 1e4": -1e4}
    if fill in added:
        return scores + ~mask * added[fill]
    named = {
        "near": scores.min() - 20,
        "smallest": torch.finfo(scores.dtype).min,
        "half": torch.finfo(scores.dtype).min / 2,
    }
    return scores.masked_fill(~mask, float(named.get(fill, fill)))


def my_masked_softmax(
    scores, mask, *, given="may", fill=-torch.inf, by="softmax", empty="zero", axis=-1
):
    mask = {"may": mask, "inverted": ~mask, "unused": torch.ones_like(mask)}[given]
    filled = _filled(scores, mask, fill)
    none = ~mask.expand(scores.shape).any(axis, keepdim=True)  # rows that may attend to nothing

    def shared(parts):
        total = parts.sum(axis, keepdim=True)
        total = {"zero": total.masked_fill(total == 0, 1), "tiny": total + 1e-9}.get(empty, total)
        return parts / total

    weights = {
        "softmax": lambda: filled.masked_fill(none, 0).softmax(axis).masked_fill(none, 0),
        "after": lambda: scores.softmax(axis) * mask,
        "all keys": lambda: shared(scores.softmax(axis) * mask),
        "all keys in 32 bits": lambda: shared(scores.float().softmax(axis) * mask).to(scores.dtype),
        "exp": lambda: shared(filled.exp()),
        "exp times mask": lambda: shared(scores.exp() * mask),
        "one maximum": lambda: shared((filled - filled.max()).exp()),
    }[by]()
    if empty == "all zero" and none.any():
        return torch.zeros_like(scores)
    if empty == "tiny" and by == "softmax":
        weights = shared(weights)
    instead = {"zero": torch.zeros_like(weights), "nan": torch.full_like(weights, torch.nan),
               "uniform": torch.full_like(weights, 1 / scores.shape[axis]),
               "as if unmasked": scores.softmax(axis)}  # fmt: skip
    return torch.where(none, instead.get(empty, weights), weights)


def _filled_by_index(scores, mask):
    filled = scores.clone()
    filled[~mask] = -torch.inf
    return filled.softmax(-1).nan_to_num(0)


def _exp_repaired(scores, mask):
    parts = _filled(scores, mask, -torch.inf).exp()
    return (parts / parts.sum(-1, keepdim=True)).nan_to_num(0)


def _best_key(scores, mask):
    best = _filled(scores, mask, -torch.inf).argmax(-1, keepdim=True)
    return torch.zeros_like(scores).scatter(-1, best, 1) * mask


def _beside_a_guard(scores, mask, axis, zeroed=False):
    """A softmax over the wrong axis, where rows without any allowed key are looked after."""
    none = ~mask.expand(scores.shape).any(-1, keepdim=True)
    filled = scores.masked_fill(~mask, -torch.inf).masked_fill(none, 0)
    return filled.softmax(axis).masked_fill(none | ~mask if zeroed else none, 0)


def _as_bert(scores, mask):
    return (scores + (~mask).to(scores.dtype) * -1e4).softmax(-1)


def _zeros_in_the_maximum(scores, mask):
    """Subtracts a maximum in which masked keys count as 0."""
    scores_32 = scores.float()
    highest = (scores_32 * mask).amax(-1, keepdim=True)
    parts = (scores_32 - highest).masked_fill(~mask, -torch.inf).exp()
    return (parts / parts.sum(-1, keepdim=True).clamp(min=1e-30)).to(scores.dtype)


def _first_taken_off(scores, mask):
    parts = (scores - scores[..., :1]).exp() * mask
    return parts / parts.sum(-1, keepdim=True).clamp(min=1e-9)


def _seen_in_weights(case, got, expected):
    mask = case[1].expand(expected.shape)
    if got.shape != expected.shape or got.isnan().any():
        return axes_told(("queries", "keys"), got, expected) if got.dim() == 2 else None
    some = mask.any(-1)
    hidden, sums, empty = got[~mask], got.sum(-1)[some], got[~some]
    if not ((got >= 0) & (got <= 1)).all():
        low, high = got.min().item(), got.max().item()
        return say("weights lie between 0", low=low, high=high)
    if empty.any():
        return say("a row that may", empty=show(empty[0]))
    if hidden.any():
        as_much = _score_of_masked(case[0].double(), mask, got.double())
        key = "a masked key gets" if as_much is None else "a masked key gets, as"
        return say(key, hidden=hidden.max(), score=as_much)
    off = (sums.double() - 1).abs()
    if off.max() > (1e-3 if got.dtype.itemsize < 4 else 2e-6):
        return say("masked keys get weight", sums=f"{sums[off.argmax()]:.4f}")
    return multiplied_told(case[0].masked_fill(~mask, -torch.inf), got) or say("rows sum to 1")


def _score_of_masked(scores, mask, weights):
    """The score that masked keys' weights are those of, the same in all rows; or None."""
    real = scores.masked_fill(~mask, -torch.inf).logsumexp(-1, keepdim=True)
    shares = (weights * mask).sum(-1, keepdim=True)
    found = (weights.log() - shares.log() + real)[~mask & mask.any(-1, keepdim=True)]
    alike = len(found) and found.isfinite().all() and found.max() - found.min() < 0.01
    return found.mean().item() if alike else None


MASKED_SOFTMAX = Exercise(
    my_masked_softmax,
    cases=_scores_and_masks,
    explain=_seen_in_weights,
    asks=("masked_softmax", "attend"),
    gradients=True,
    dtypes=True,
    kinds=True,
    exact_zeros=True,
    wrong={
        "as bert": _as_bert,
        "as bert, masked": lambda scores, mask: _as_bert(scores, mask) * mask,
        "constant, masked": lambda scores, mask: _filled(scores, mask, -1e9).softmax(-1) * mask,
        "smallest, masked": lambda scores, mask: (
            _filled(scores, mask, "smallest").softmax(-1) * mask
        ),
        "low, masked": lambda scores, mask: (
            _filled(scores.float(), mask, -1e9).softmax(-1) * mask
        ).to(scores.dtype),
        "by index": _filled_by_index,
        "selected": lambda scores, mask: scores[mask.expand(scores.shape)].softmax(0),
        "all rows": lambda scores, mask: (
            _filled(scores, mask, -torch.inf).flatten().softmax(0).view_as(scores)
        ),
        "exp, repaired": _exp_repaired,
        "best key": _best_key,
        "columns": partial(_beside_a_guard, axis=-2),
        "columns, zeroed": partial(_beside_a_guard, axis=-2, zeroed=True),
        "axis 1": partial(_beside_a_guard, axis=1),
        "axis 0": partial(_beside_a_guard, axis=0),
        "axis 0, zeroed": partial(_beside_a_guard, axis=0, zeroed=True),
        "first taken off": _first_taken_off,
        "zeros in the maximum": _zeros_in_the_maximum,
    },
    numbers={
        "hidden": lambda case, got, expected: got[~case[1].expand(got.shape)].max().item(),
        "sum": lambda case, got, expected: got.flatten(0, -2)[0].sum().item(),
    },
)


# Find the leak. Each case is an attention function, named after what it does.


def my_leaks(
    attention, queries, tokens, mask, *,
    report="leaks", limit=1e-6, seen="size", change="add", by="another", fresh=True, tried="all",
):  # fmt: skip
    before, changed = attention(queries, tokens), tokens.clone()
    step = 1 if by == "equal" else torch.linspace(0.5, 1.5, tokens.shape[1])
    step = -step if by == "less" else step
    moved = torch.zeros(mask.shape)
    for j in range(len(queries) if tried == "queries" else len(tokens)):
        changed = tokens.clone() if fresh else changed
        where = {"all": ..., "first": (j, 0), "queries": []}.get(change, j)
        steps = {"double": tokens[j], "neighbor": tokens[j - 1] - tokens[j], "first": 1}
        changed[where] += steps.get(change, step)
        asked = queries + 1 if change in ("queries", "both") else queries
        away = attention(asked, changed) - before
        moved[:, j] = {"size": away.abs().amax(-1), "growth": away.amax(-1), "sum": away.sum(-1),
                       "size of the sum": away.sum(-1).abs(),
                       "first": away[:, 0].abs(),
                       "any output": away.abs().amax().expand(len(away))}[seen]  # fmt: skip
    moved = (moved.triu(1) if tried == "future" else moved) > limit
    return {"leaks": moved & ~mask, "moved": moved, "allowed": moved & mask, "deaf": ~moved & mask,
            "differs": moved != mask, "forbidden": ~mask, "none": mask & ~mask,
            "any": (moved & ~mask).any(), "count": (moved & ~mask).sum(), "either": moved | ~mask,
            "places": (moved & ~mask).nonzero(), "still": ~moved & ~mask}[report]  # fmt: skip


def _forbidden_at_once(attention, queries, tokens, mask):
    step = torch.linspace(0.5, 1.5, tokens.shape[1])
    before, moved = attention(queries, tokens), torch.zeros(len(queries), dtype=torch.bool)
    for i in range(len(queries)):
        changed = tokens + ~mask[i].unsqueeze(1) * step
        moved[i] = (attention(queries, changed)[i] - before[i]).abs().max() > 1e-6
    return moved.unsqueeze(1) & ~mask


def _attention_cases(seed):
    draw = Draw(36 + seed)
    past, first = causal_mask(3, 4), torch.tensor([[True, False]])
    real = torch.tensor([True, True, False, False]).expand(3, -1)
    front, both, own = real.flip(-1), past & real, torch.eye(3, 4, dtype=torch.bool)
    crosswise = torch.tensor([[[0.0, 0], [1, 0]], [[0, 1], [0, 0]], [[1, -1], [1, -1]]])
    queries, tokens = draw.short(3, 2), draw.short(4, 2)
    small = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.5, 1.0], [2.0, -1.0]])
    signs = torch.tensor([[-1.0], [1.0], [-1.0]])
    zeros = queries, tokens.masked_fill(~real[0].unsqueeze(-1), 0)  # the lesson's pads

    def attend(queries, tokens, mask, fill=-torch.inf):
        scores = dot_product_scores(queries, tokens).masked_fill(~mask, fill)
        return scores.softmax(-1).nan_to_num(0) @ tokens

    def next_one(queries, tokens):  # its outputs move up and down
        return attend(queries, tokens, past) + signs * tokens[1:4] / 2

    def centered(queries, tokens):
        return attend(queries, tokens - tokens.mean(1, True), past | ~past) + tokens[3] / 2

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
        "adds_or_subtracts_the_next": (next_one, queries, tokens, past),
        "lets_a_neighbor_in": (
            lambda q, t: attend(q, t, causal_mask(3, 3).roll(1, 0)), queries, tokens[:3],
            causal_mask(3, 3),
        ),
        "subtracts_each_mean": (centered, queries, tokens, past),
        "leaks_crosswise": (
            lambda q, t: attend(q, t, past) + t[-1] @ crosswise, queries, tokens, past
        ),
        "adds_the_last_pad": (lambda q, t: attend(q, t, both) + t[-1] / 2, *zeros, both),
        "rounds_differently": (rounded, queries, tokens, past),
    }  # fmt: skip
    for name, case in cases.items():
        case[0].__name__ = case[0].__qualname__ = name
    return list(cases.values())


def _reported(case, got, expected):
    attention, queries, tokens, mask = case
    if got.shape != expected.shape or got.dtype != torch.bool:
        return axes_told(("queries", "tokens"), got, expected)
    if (got & mask).any():
        return say("you report cells in")
    sizes = torch.zeros(mask.shape)
    for j in range(len(tokens)):
        changed = tokens.clone()
        changed[j] += torch.linspace(0.5, 1.5, tokens.shape[1])
        sizes[:, j] = (attention(queries, changed) - attention(queries, tokens)).abs().amax(-1)
    extra, missed = (got & ~expected).nonzero(), (expected & ~got).nonzero()
    told = []
    if len(missed):
        i, j = missed[sizes[expected & ~got].argmax()].tolist()
        key = "the leak is missing" if expected.sum() == 1 else "of leaks are missing"
        found = say(key, count=len(missed), expected=int(expected.sum()), i=i)
        told.append(say("moves by when 0", found=found, sizes=sizes[i, j], j=j))
    if len(extra):
        i, j = extra[0].tolist()
        told.append(say("you report that token", j=j, i=i))
    return " ".join(told)


LEAKS = Exercise(
    my_leaks,
    cases=_attention_cases,
    explain=_reported,
    wrong={
        "forbidden at once": _forbidden_at_once,
        "neighbor": partial(my_leaks, change="neighbor"),
        # a token's numbers made less: other signs
        "sum after less": partial(my_leaks, seen="sum", by="less"),
        "growth after less": partial(my_leaks, seen="growth", by="less"),
    },
    kinds=True,
    numbers={"moved": lambda case, got, expected: int((got & case[3]).sum())},
)


EXERCISES, QUESTIONS = tell(
    __name__,
    *(LOOKAHEAD_MASK, PADDING_MASK, TOKEN_MASK, CAUSAL_PADDING_MASK, MASKED_SOFTMAX, LEAKS),
)
