"""Exercises and questions of lesson 02, scoring functions."""

import contextlib
import math
from functools import partial

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from ..judge.common import Draw, divided_told, multiplied, multiplied_told, played
from ..judge.exercise import Exercise
from ..words import sentences, tell

say = sentences(__name__)


def _first_row(case, got, expected):
    """What the weights of the first query sum to."""
    return got.sum(-1).flatten()[0].item()


def _shape(case, got, expected):
    return tuple(got.shape)


def _share_out(scores, axis=-1, top="row", rise="exp", total="sum"):
    """Weights that sum to 1 along an axis: exponentials, divided by their sum."""
    axes = scores.dim()
    axis = {"default": 0 if axes in (0, 1, 3) else 1, "by cases": 2 if axes == 3 else 1,
            "by cases 2": 1 if axes == 2 else 2, "table": (-2, -1),
            "all": tuple(range(axes))}.get(axis, axis)  # fmt: skip
    if rise in ("exp", "base 2"):
        lowered = scores - (
            0 if top in ("none", "repaired") or total in ("none", "count")
            else scores.max() if top == "whole" or total == "no axis"
            else scores.amax(axis, keepdim=True)
        )  # fmt: skip
        raw = lowered.exp() if rise == "exp" else 2**lowered
    elif rise == "normalize":
        return scores / scores.norm(dim=axis, keepdim=True)
    elif rise == "by sizes":
        return scores / scores.abs().sum(axis, keepdim=True)
    elif rise == "best":
        raw = torch.zeros_like(scores).scatter(axis, scores.argmax(axis, keepdim=True), 1)
    else:
        raw = {"none": scores, "from the least": scores - scores.amin(axis, keepdim=True),
               "relu": scores.relu(), "abs": scores.abs(), "square": scores**2,
               "sigmoid": scores.sigmoid()}[rise]  # fmt: skip
    if total in ("no axis", "no axis, rows"):
        return raw / raw.sum(axis)
    if total in ("count", "none"):
        return raw / (scores.shape[-1] if total == "count" else 1)
    if total in ("queries", "everything"):
        return raw / (raw.sum() if total == "everything" else raw.sum(-2, keepdim=True))
    shares = raw / (raw.sum if total == "sum" else raw.amax)(axis, keepdim=True)
    return shares.nan_to_num(0) if top == "repaired" else shares


def _multiplied(how, queries, keys):
    """What `multiplied` knows, and products that lose the sum or the examples."""
    if how == "by place":
        return queries * keys
    if how == "first example":  # its keys for all
        how, keys = "pairs", keys.reshape(-1, *keys.shape[-2:])[0]
    return multiplied(how, queries, keys)


# A softmax of your own

SOFTMAX = {name: say("a softmax of your own") for name in (
    "torch.softmax", "torch.Tensor.softmax", "torch.nn.functional.softmax", "torch.log_softmax",
    "torch.Tensor.log_softmax", "torch.nn.functional.log_softmax", "attn_teach.masked_softmax",
    "attn_teach.attend")}  # fmt: skip


def my_weights(
    scores, *,
    axis=-1, top="row", rise="exp", total="sum", sign=1, divide="nothing", after="nothing",
):  # fmt: skip
    keys = scores.shape[-1]
    scores = sign * scores / {"nothing": 1, "keys": math.sqrt(keys), "keys itself": keys}[divide]
    weights = _share_out(scores, axis, top, rise, total)
    if after == "log":
        return (scores - scores.logsumexp(-1, keepdim=True)) if axis == -1 else weights.log()
    again = after == "again" and (rise, total) == ("exp", "sum")  # or else it is one softmax
    return _share_out(weights, axis) if again else weights


def _scores(seed):
    draw = Draw(20 + seed)
    shapes = [(1, 3, 2), (2, 3, 4), (4, 4, 4), (5, 4, 1), (3, 2, 4, 5)]  # (5, 4, 1): a single key
    drawn = [(2 * draw.short(*shape),) for shape in shapes]
    far = torch.tensor([[1000.0, 980.0, -40.0], [-1200.0, -1000.0, -1100.0]])
    low = torch.tensor([[-800.0, -801.0, -803.0], [-802.0, -800.0, -801.0]])  # one maximum serves
    small = torch.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 1.0]])
    apart = [
        [100.0, -100, 90, 95],
        [-100, 95, 90, 100],
        [95, 90, 100, -100],
        [-100, -105, 95, 100],
        [100, -300, 90, 95],
    ]  # no two ways of LOWERED serve the same
    return [(small,), *drawn[:3], (far,), (low,), *drawn[3:], (torch.tensor(apart),)]


# What else is done to scores so that no exponential is too large.
LOWERED = {
    "mean": lambda s: s - s.mean(-1, keepdim=True),
    "least": lambda s: s - s.amin(-1, keepdim=True),
    "size": lambda s: s - s.abs().amax(-1, keepdim=True),
    "at least 0": lambda s: s - s.amax(-1, keepdim=True).clamp(min=0),
    "middle": lambda s: s - (s.amax(-1, keepdim=True) + s.amin(-1, keepdim=True)) / 2,
    "median": lambda s: s - s.median(-1, keepdim=True).values,
    "first": lambda s: s - s[..., :1],
    "last": lambda s: s - s[..., -1:],
    "raised": lambda s: s + s.amax(-1, keepdim=True),
    "of keys": lambda s: s - s.amax(-2, keepdim=True),
    "limited": lambda s: s.clamp(-80, 80),
    "limited above": lambda s: s.clamp(max=80),
    "over the largest": lambda s: s / s.amax(-1, keepdim=True),
    "over the size": lambda s: s / s.abs().amax(-1, keepdim=True),
}


def _of_lowered(scores, lowered, divisor=None, small=0):
    raised = lowered(scores).exp()
    parts = raised if divisor is None else divisor(scores).exp()
    return raised / (parts.sum(-1, keepdim=True) + small)


def _lowered(scores):
    return scores - scores.amax(-1, keepdim=True)


def _as_they_are(scores):
    return scores


def _worked(explain):
    """The sentence of `explain` on the first wrong number, if only the numbers are wrong."""

    def function(case, got, expected):
        if got.shape != expected.shape or not got.isfinite().all():
            return None
        off = (got - expected).abs() > 1e-5 * (1 + expected.abs())
        return explain(case, got, expected, off.nonzero()[0].tolist())

    return function


def _listed(numbers):
    return ", ".join(f"{number + 0.0:.3g}" for number in numbers.tolist())


@_worked
def _of_a_row(case, got, expected, place):
    row, total = tuple(place[:-1]), got[tuple(place[:-1])].sum()
    if abs(total - 1) > 1e-4:
        return say("a row of your", total=total)
    least = got[row].min()
    if least < 0:
        return say("one of your weights", least=least)
    if told := multiplied_told(case[0], got):
        return told
    return say(
        "the scores must become",
        listed=_listed(case[0][row]),
        listed_2=_listed(expected[row]),
        listed_3=_listed(got[row]),
    )


WEIGHTS = Exercise(
    my_weights,
    cases=_scores,
    numbers={"sum": _first_row},
    explain=_of_a_row,
    wrong={
        "merged": lambda scores: my_weights(scores).reshape(-1, *scores.shape[-2:]),
        **{name: partial(_of_lowered, lowered=lowered) for name, lowered in LOWERED.items()},
        "above alone": partial(_of_lowered, lowered=_lowered, divisor=_as_they_are),
        "below alone": partial(_of_lowered, lowered=_as_they_are, divisor=_lowered),
        "in 64 bits": lambda scores: _of_lowered(scores.double(), _as_they_are).to(scores.dtype),
        "sums of keys": partial(my_weights, total="queries"),
        "sum of everything": partial(my_weights, total="everything"),
        "small divisor": partial(_of_lowered, lowered=_as_they_are, small=1e-9),
    },
    forbids=SOFTMAX,
)


# Bilinear scores


def my_bilinear_scores(
    queries, keys, W, *, matrix="W", product="pairs", divide="nothing", bend="none"
):
    if product == "sums":
        keys, matrix = keys @ W.T, "unused"  # the sum of a vector depends on which side W is
    if matrix == "by place":
        queries = queries * W
    elif matrix != "unused":
        small = torch.arange(len(W)).unsqueeze(1) < W.shape[1]  # rows, then columns
        small = small & (torch.arange(W.shape[1]) < len(W))
        queries = queries @ {"W": W, "turned": W.T, "diagonal": W.diagonal().diag(),
                             "of length 1": W / W.norm(), "cut": W * small,
                             "reshaped": W.reshape(W.mT.shape).T}[matrix]  # fmt: skip
    size = {"nothing": 1, "q_size": len(W), "k_size": W.shape[1], "both": W.numel(),
            "q_size itself": len(W) ** 2, "k_size itself": W.shape[1] ** 2}[divide]  # fmt: skip
    if product in ("sums", "of sums"):
        down, across = queries.sum(-1).unsqueeze(-1), keys.sum(-1).unsqueeze(-2)
        scores = down + across if product == "sums" else down * across
    else:
        scores = _multiplied(product, queries, keys)
    return {"none": scores, "tanh": scores.tanh(), "relu": scores.relu()}[bend] / math.sqrt(size)


def _bilinear_cases(seed):
    draw = Draw(31 + seed)

    def case(leading, queries, keys, q_size, k_size):
        of_queries, of_keys = (*leading, queries, q_size), (*leading, keys, k_size)
        return draw.short(*of_queries), draw.short(*of_keys), draw.short(q_size, k_size)

    small = torch.tensor([[1.0, 2.0]]), torch.tensor([[2.0, 1.0], [0.0, 1.0]])
    return [
        (*small, torch.tensor([[1.0, 0.0], [3.0, -1.0]])),
        case((), 4, 5, 3, 2),
        case((3,), 3, 3, 3, 3),  # everything of one size
        case((2,), 1, 3, 4, 5),  # a single query
        case((2, 3), 4, 3, 2, 3),  # axes 1 and 2 exchanged fit
        case((2,), 4, 3, 5, 6),
    ]


@_worked
def _of_a_bilinear_pair(case, got, expected, place):
    queries, keys, W = case
    *batch, i, j = place
    q, k = queries[(*batch, i)], keys[(*batch, j)]
    return say(
        "for the query q",
        listed=_listed(q),
        listed_2=_listed(k),
        listed_3=_listed(W @ k),
        expected=expected[tuple(place)],
        got=got[tuple(place)],
    )


BILINEAR_SCORES = Exercise(
    my_bilinear_scores,
    cases=_bilinear_cases,
    asks=("BilinearScores", "BilinearAttention"),
    explain=_of_a_bilinear_pair,
    numbers={"shape": _shape},
)


# Distances from squared norms


class _Largest(TorchFunctionMode):
    """Keeps the shape of the tensor that holds most numbers."""

    numbers, shape = 0, ()

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        with contextlib.suppress(AttributeError, NotImplementedError):  # no tensor, or of vmap
            numbers = result.untyped_storage().nbytes() // result.element_size()
            if numbers > self.numbers:
                self.numbers, self.shape = numbers, tuple(result.shape)
        return result


def _in_little_memory(function, queries, keys):
    """The scores; without a batch, a text where all differences were made on the way."""
    if queries.dim() > 2:
        return function(queries, keys)
    with _Largest() as largest:
        result = function(queries, keys)
    every = len(queries) * keys.numel()
    if largest.numbers >= every > queries.numel() + keys.numel() + len(queries) * len(keys):
        return say("a tensor of shape", shape=largest.shape)
    return result


def my_distance_scores(
    queries, keys, *,
    way="norms", product="pairs", terms="all", minus="all", half="all", axes="right",
    norm="square", factor=-0.5, features="all",
):  # fmt: skip
    size = queries.shape[-1]
    if features != "all":
        some = {"without first": slice(1, None), "without last": slice(-1)}[features]
        queries, keys = queries[..., some], keys[..., some]
    axes = "front" if way == "section 1" else axes
    if norm == "cosine":
        queries, keys = (a / a.norm(dim=-1, keepdim=True) for a in (queries, keys))
    if way != "norms":
        down, across = {"front": (1, 0), "middle": (2, 1)}.get(axes, (-2, -3))
        if product != "same place":
            queries, keys = queries.unsqueeze(down), keys.unsqueeze(across)
        gaps = queries - keys
        squares = (gaps.abs() if norm == "absolute" else gaps.square()).sum(-1)
    elif norm == "absolute":
        squares = torch.cdist(queries, keys, p=1)
    else:
        q, k, p = {"all": (1, 1, -2), "plus": (-1, -1, -2), "half product": (1, 1, -1),
                   "whole norms": (2, 2, -2), "no query": (0, 1, -2), "no key": (1, 0, -2),
                   "product": (0, 0, -2), "norms": (1, 1, 0), "double product": (1, 1, -4),
                   "minus": (1, 1, 2), "quarter norms": (0.5, 0.5, -2),
                   "query plus": (-1, 1, -2), "key plus": (1, -1, -2),
                   "scaled product": (1, 1, -2 / math.sqrt(size))}[terms]  # fmt: skip
        k, p = (-k, -p) if minus == "query" else (k, p)
        q, p = (-q, -p) if minus == "key" else (q, p)
        q = 2 * q if half == "not the query" else q
        k = 2 * k if half == "not the key" else k
        k, p = (2 * k, 2 * p) if half == "the query alone" else (k, p)
        down, across = (_norms(norm, a) for a in (queries, keys))
        if norm == "axis 1":
            down, across = down.unsqueeze(1), across.unsqueeze(1).mT
        elif norm != "one number":
            down, across = _placed(axes, down, across)
        squares = q * down + k * across + p * _multiplied(product, queries, keys)
    squares = squares.clamp(min=0).sqrt() if norm == "root" else squares
    return factor * squares / {"mean": size, "root of size": math.sqrt(size)}.get(norm, 1)


def _norms(norm, a):
    if norm == "one number":
        return a.square().sum()
    squares = a.square().sum(1 if norm == "axis 1" else -1)
    return {
        "of sums": a.sum(-1).square(),
        "length": squares.sqrt(),
        "mean of each": squares / a.shape[-1],
    }.get(norm, squares)


def _placed(axes, down, across):
    """The norms with the new axes that let them meet the scores."""
    places = {"right": (-1, -2), "down": (-1, -1), "across": (-2, -2), "exchanged": (-2, -1),
              "none": (None, None), "no key axis": (-1, None), "front": (1, 0),
              "middle": (2, 1)}[axes]  # fmt: skip
    pairs = zip((down, across), places, strict=True)
    return [a if place is None else a.unsqueeze(place) for a, place in pairs]


def _queries_and_keys(seed):
    draw = Draw(51 + seed)
    return [
        (torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 2.0], [3.0, -1.0]])),
        (draw.short(3, 5), draw.short(4, 5)),
        (draw.short(5, 1), draw.short(3, 1)),  # numbers, as in lesson 01
        (torch.tensor([[20.0, -30.0, 10.0]]), draw.short(3, 3)),  # a far query
        (draw.short(4, 4, 4), draw.short(4, 4, 4)),
        (draw.short(2, 3, 3, 3), draw.short(2, 3, 3, 3)),  # axes 1 and 2 exchanged fit
        (draw.short(2, 5, 4), draw.short(2, 3, 4)),
    ]


@_worked
def _of_a_distance(case, got, expected, place):
    *batch, i, j = place
    q, k = case[0][(*batch, i)], case[1][(*batch, j)]
    return say(
        "the query q and",
        listed=_listed(q),
        listed_2=_listed(k),
        q=q @ q,
        k=k @ k,
        q_2=q @ k,
        expected=expected[tuple(place)],
        got=got[tuple(place)],
    )


def _of_a_distance_or_memory(case, got, expected):
    made, _, _ = say("a tensor of shape", shape="|").partition("|")
    if isinstance(got, str) and got.startswith(made):
        return say("not allowed on the way", got=got)
    return _of_a_distance(case, got, expected)


DISTANCE_SCORES = Exercise(
    my_distance_scores,
    cases=_queries_and_keys,
    run=_in_little_memory,
    asks=("distance_scores", "DistanceAttention"),
    explain=_of_a_distance_or_memory,
    wrong={
        "cosine": partial(my_distance_scores, norm="cosine"),
        "the query alone": partial(my_distance_scores, half="the query alone"),
    },
    numbers={"shape": _shape},
)


# Additive scores


def my_additive_scores(
    queries, keys, W_q, W_k, w_v, *,
    matrices="own", bend="tanh", place="sum", join="+", axes="right", units="w_v", divide="nothing",
):  # fmt: skip
    W_q, W_k = {"own": (W_q, W_k), "exchanged": (W_k, W_q), "W_q": (W_q, W_q), "W_k": (W_k, W_k),
                "turned": (W_q.T, W_k.T), "joined": _crossed(W_q, W_k),
                "reshaped": [W.reshape(W.T.shape).T for W in (W_q, W_k)]}[matrices]  # fmt: skip
    bent = {"tanh": torch.tanh, "none": lambda a: a, "relu": torch.relu,
            "sigmoid": torch.sigmoid, "exp": torch.exp, "softmax": lambda a: a.softmax(-1),
            "gelu": F.gelu, "silu": F.silu,
            "softplus": F.softplus, "clip": F.hardtanh}[bend]  # fmt: skip
    a, b = queries @ W_q.T, keys @ W_k.T
    if place in ("parts", "of the query"):
        a = bent(a)
    if place in ("parts", "of the key"):
        b = bent(b)
    if axes == "no batch" and queries.dim() > 2:
        raise ValueError("no batch")
    if axes != "none":
        down, across = {"front": (1, 0), "middle": (2, 1), "same": (-2, -2)}.get(axes, (-2, -3))
        a, b = a.unsqueeze(down), b.unsqueeze(across)
    hidden = {"+": a + b, "-": a - b, "b - a": b - a, "*": a * b}[join]
    hidden = hidden * w_v if units == "inside" else hidden
    hidden = bent(hidden) if place in ("sum", "twice") else hidden
    hidden = hidden / math.sqrt(len(w_v) if divide == "hidden" else 1)
    weighed = hidden * w_v
    scores = {"w_v": hidden @ w_v, "mean": hidden.mean(-1), "weighed mean": weighed.mean(-1),
              "last": weighed[..., -1], "first": weighed[..., 0], "largest": weighed.amax(-1),
              "kept": weighed}.get(units, hidden.sum(-1))  # fmt: skip
    return bent(scores) if place in ("outside", "twice") else scores


def _crossed(W_q, W_k):
    """What keys and queries meet, when keys stand in front and W_q in front of W_k."""
    both = torch.cat([W_q, W_k], 1)
    return both[:, W_k.shape[1] :], both[:, : W_k.shape[1]]


def _additive_cases(seed):
    draw = Draw(71 + seed)

    def case(leading, queries, keys, q_size, k_size, hidden):
        shapes = [(*leading, queries, q_size), (*leading, keys, k_size), (hidden, q_size)]
        return tuple(draw.short(*shape) for shape in [*shapes, (hidden, k_size), (hidden,)])

    small = [[[1, 0.5]], [[0, 1], [2, -1]], [[0.5, 1], [0, -1]], [[1, 0.5], [-0.5, 1]], [1, 2]]
    return [
        tuple(torch.tensor(a, dtype=torch.float32) for a in small),
        case((), 3, 4, 5, 2, 6),
        case((), 4, 4, 3, 2, 5),  # as many queries as keys
        case((3,), 3, 3, 3, 3, 3),  # everything of one size
        case((2, 3), 4, 5, 3, 2, 6),
        case((2,), 3, 5, 4, 6, 7),
    ]


@_worked
def _of_an_additive_pair(case, got, expected, place):
    queries, keys, W_q, W_k, _ = case
    *batch, i, j = place
    a, b = W_q @ queries[(*batch, i)], W_k @ keys[(*batch, j)]
    return say(
        "for query and key",
        i=i,
        j=j,
        listed=_listed(a),
        listed_2=_listed(b),
        listed_3=_listed((a + b).tanh()),
        expected=expected[tuple(place)],
        got=got[tuple(place)],
    )


ADDITIVE_SCORES = Exercise(
    my_additive_scores,
    cases=_additive_cases,
    asks=("AdditiveScores", "AdditiveAttention"),
    explain=_of_an_additive_pair,
    numbers={"shape": _shape},
)


# Scaled dot-product attention


def my_attention(
    queries, keys, values, *,
    product="pairs", scale="sqrt d", when="before", axis=-1, top="row", rise="exp", roles="qkv",
    output="values", drop=0,
):  # fmt: skip
    queries, keys, values = played(roles, queries, keys, values)
    if product == "cosine":
        queries, keys, product = F.normalize(queries, dim=-1), F.normalize(keys, dim=-1), "pairs"
    scores, d = _multiplied(product, queries, keys), queries.shape[-1]
    under = {"d": d * d, "none": 1, "keys": keys.shape[-2], "values": values.shape[-1], 2: 4, 8: 64,
             "queries": queries.shape[-2], "first": len(queries), "fourth root": math.sqrt(d),
             "second": queries.shape[1], "whole root": math.isqrt(d) ** 2,
             "rounded root": round(math.sqrt(d)) ** 2, "half": d * d / 4}  # fmt: skip
    by = math.sqrt(under.get(scale, d))
    if when != "after":
        scores = scores * by if when == "times" else scores // by if when == "//" else scores / by
    if output == "past":
        scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, -torch.inf)
    weights = scores if rise == "nothing" else _share_out(scores, axis, top, rise)
    weights = weights / by if when == "after" else weights
    weights = F.dropout(weights, drop)
    if output == "weights":
        return weights
    result = weights @ values / (keys.shape[-2] if output == "mean" else 1)
    return result / by if output == "divided" else result


def _attention_cases(seed):
    draw = Draw(101 + seed)

    def case(leading, queries, keys, size, v_size, factor=1):
        of_keys = factor * draw.short(*leading, keys, size)
        return draw.short(*leading, queries, size), of_keys, draw.short(*leading, keys, v_size)

    small = [[[1, 2, 0, -1]], [[2, 1, 1, 0], [0, 1, -1, 2]], [[10], [20]]]
    far_and_near = torch.tensor([[90.0, -80.0, 70.0], [0.1, 0.2, -0.1]])
    return [
        tuple(torch.tensor(a, dtype=torch.float32) for a in small),
        case((), 3, 5, 7, 2),
        case((4,), 4, 4, 4, 4),
        (far_and_near, *case((), 2, 4, 3, 5, factor=9)[1:]),
        case((2, 3), 4, 3, 3, 6),  # axes 1 and 2 exchanged fit
        case((2,), 3, 5, 6, 7),
    ]


@_worked
def _of_an_output(case, got, expected, place):
    queries, keys, values = case
    if told := divided_told(queries @ keys.mT, lambda w: w @ values, got, queries.shape[-1]):
        return told
    *batch, i, j = place
    low, high = values[tuple(batch)][:, j].aminmax()
    a = got[tuple(place)]
    if not low - 1e-4 <= a <= high + 1e-4:
        return say("an output of where", a=a, low=low, high=high)
    scores = keys[tuple(batch)] @ queries[(*batch, i)] / math.sqrt(queries.shape[-1])
    return say(
        "the scaled scores of", i=i, listed=_listed(scores), listed_2=_listed(scores.softmax(-1))
    )


ATTENTION = Exercise(
    my_attention,
    cases=_attention_cases,
    forbids={
        "attn_teach": say("and the exercise asks"),
        "torch.nn.functional.scaled_dot_product_attention": say("which the exercise does"),
    },
    explain=_of_an_output,
    wrong={
        "cosine": partial(my_attention, product="cosine"),
        "cosine alone": partial(my_attention, product="cosine", scale="none"),
        "past": partial(my_attention, output="past"),
        "dropout": partial(my_attention, drop=0.1),  # the same numbers are drawn in every call
        "dropout of half": partial(my_attention, drop=0.5),
        "fourth root": partial(my_attention, scale="fourth root"),
    },
    numbers={
        "d": lambda case, got, expected: case[0].shape[-1],
        "root": lambda case, got, expected: math.sqrt(case[0].shape[-1]),
    },
)


# The variance of a dot product


def my_dot_product_variance(
    mean, std, size, *,
    spread="variance", center="square", moment="both", mixed=2, squares=1, less="mean^4",
    count="size", term="product",
):  # fmt: skip
    s = {"variance": std**2, "std": std}[spread]
    m = {"square": mean**2, "mean": mean, "none": 0 * mean}[center]
    second = {"both": s + m, "spread": s, "minus": s - m}[moment]  # E[q_i^2]
    one = {
        "product": second**2
        + {"std": 2 * std * m, "mean": 2 * m}.get(mixed, 0)
        + (mixed if isinstance(mixed, int) else 0) * s * m - 2 * s * m
        + {"std": s}.get(squares, 0) + (squares if isinstance(squares, int) else 0) * s * s - s * s
        - {"mean^4": m * m, "mean^2": m, "nothing": 0, "added": -m * m}.get(less, 0),
        "one": s, "one square": second, "sum": 2 * s, "always 1": torch.ones_like(s * m),
    }[term]  # fmt: skip
    if count == "squares alone":
        return size * s * s + (one - s * s)
    if count == "mixed squared":
        return size * s * s + size**2 * (one - s * s)
    times = {"size": size, "one": 1, "square": size**2, "mean": 1 / size}[count]
    return times * one - {"once": m * m, "of the sum": (size * m) ** 2}.get(less, 0)


def _means_and_stds(seed):
    draw = Draw(121 + seed)
    return [
        (torch.tensor([2.0, 0.0]), torch.tensor([1.0, 2.0]), 3),
        (torch.tensor([0.0, 1.5, -0.5]), torch.tensor([2.0, 0.5, 3.0]), 16),
        (torch.tensor([1.0, -2.0]), torch.tensor([0.0, 0.0]), 5),  # all numbers are equal
        (draw.short(2, 3), draw.short(2, 3).abs() + 0.1, 1),
        (draw.short(4, 1), draw.short(4, 1).abs() + 0.5, 7),
    ]


def _which_numbers(case, got, expected):
    """What a mean of 0 or a size of 1 leaves wrong."""
    if got.shape != expected.shape:
        return None
    off, centered = (got - expected).abs() > 1e-4, case[0] == 0
    if (off & centered).any() and torch.allclose(got, expected, 0.25, 1e-4):
        return say("near")
    if not (off.any() and centered.any()):
        return None
    if not (off & centered).any():
        return say("in the case below")
    first = (off & centered).nonzero()[0].item()
    return say(
        "for mean 0 and",
        case=case[1][first],
        case_2=case[2],
        expected=expected[first],
        got=got[first],
    )


VARIANCE = Exercise(my_dot_product_variance, cases=_means_and_stds, explain=_which_numbers)


EXERCISES, QUESTIONS = tell(
    __name__,
    WEIGHTS,
    BILINEAR_SCORES,
    DISTANCE_SCORES,
    ADDITIVE_SCORES,
    ATTENTION,
    VARIANCE,
)
