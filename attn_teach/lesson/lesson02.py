"""Exercises and questions of lesson 02, scoring functions."""

import math

import torch
from torch.overrides import TorchFunctionMode

from .common import Draw, multiplied, played, scaled
from .engine import Exercise
from .words import tell


def _first_row(case, got, expected):
    """What the weights of the first query sum to."""
    return got.sum(-1).flatten()[0].item()


def _shape(case, got, expected):
    return tuple(got.shape)


def _share_out(scores, axis=-1, top="row", rise="exp", total="sum"):
    """Weights that sum to 1 along an axis: exponentials, divided by their sum."""
    default = 0 if scores.dim() in (0, 1, 3) else 1  # as F.softmax without an axis
    axis = {"default": default, "table": (-2, -1), "all": tuple(range(scores.dim()))}.get(
        axis, axis
    )
    if rise in ("exp", "base 2"):
        highest = scores.max() if top == "whole" else scores.amax(axis, keepdim=True)
        if top == "none" or total in ("none", "count"):
            highest = 0
        raw = (scores - highest).exp() if rise == "exp" else 2 ** (scores - highest)
    else:
        raw = {"none": scores, "relu": scores.relu(), "abs": scores.abs(), "square": scores**2,
               "sigmoid": scores.sigmoid()}[rise]  # fmt: skip
    if total == "no axis":
        return raw / raw.sum(axis)
    if total == "count":
        return raw / scores.shape[-1]
    if total == "none":
        return raw
    return raw / (raw.sum if total == "sum" else raw.amax)(axis, keepdim=True)


# 2.1 The right axis


def my_weights(
    scores, *,
    axis=-1, top="row", rise="exp", total="sum", sign=1, divide="nothing", after="nothing",
):  # fmt: skip
    scores = sign * scores / (math.sqrt(scores.shape[-1]) if divide == "keys" else 1)
    weights = _share_out(scores, axis, top, rise, total)
    if after == "log":
        return (scores - scores.logsumexp(-1, keepdim=True)) if axis == -1 else weights.log()
    return _share_out(weights, axis) if after == "again" else weights


def _scores(seed):
    draw = Draw(20 + seed)
    shapes = [(1, 3, 2), (2, 3, 4), (4, 4, 4), (5, 4, 1), (3, 2, 4, 5)]  # (5, 4, 1): a single key
    drawn = [(2 * draw.short(*shape),) for shape in shapes]
    far = torch.tensor([[1000.0, 3.0, -40.0], [-1200.0, -1000.0, -1100.0]])
    return [(torch.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 1.0]]),), *drawn[:3], (far,), *drawn[3:]]


WEIGHTS = Exercise(my_weights, cases=_scores, numbers={"sum": _first_row})


# 2.2 Bilinear scores


def my_bilinear_scores(queries, keys, W, *, matrix="W", product="pairs", divide="nothing"):
    if matrix != "unused":
        queries = queries @ {"W": W, "turned": W.T, "diagonal": W.diagonal().diag()}[matrix]
    size = {"nothing": 1, "q_size": len(W), "k_size": W.shape[1]}[divide]
    return multiplied(product, queries, keys) / math.sqrt(size)


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


BILINEAR_SCORES = Exercise(
    my_bilinear_scores,
    cases=_bilinear_cases,
    asks=("BilinearScores", "BilinearAttention"),
    numbers={"shape": _shape},
)


# 2.3 Distances from squared norms


class _Largest(TorchFunctionMode):
    """Keeps the shape of the tensor that holds most numbers."""

    numbers, shape = 0, ()

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor):
            numbers = result.untyped_storage().nbytes() // result.element_size()
            if numbers > self.numbers:
                self.numbers, self.shape = numbers, tuple(result.shape)
        return result


def _in_little_memory(function, queries, keys):
    """The scores; without a batch, a text where all differences were made on the way."""
    with _Largest() as largest:
        result = function(queries, keys)
    every = len(queries) * keys.numel()
    rest = queries.numel() + keys.numel() + len(queries) * len(keys)
    if queries.dim() == 2 and largest.numbers >= every > rest:
        return f"a tensor of shape {largest.shape} on the way"
    return result


def my_distance_scores(
    queries, keys, *,
    way="norms", product="pairs", terms="all", axes="right", norm="square", factor=-0.5,
):  # fmt: skip
    size = queries.shape[-1]
    if way == "differences":
        a, b = {"front": (1, 0), "middle": (2, 1), "down": (-2, -2)}.get(axes, (-2, -3))
        gaps = queries.unsqueeze(a) - keys.unsqueeze(b)
        squares = gaps.square().sum(-1) if norm != "absolute" else gaps.abs().sum(-1)
    elif norm == "absolute":
        squares = torch.cdist(queries, keys, p=1)
    else:
        down, across = queries.square().sum(-1), keys.square().sum(-1)
        if norm == "length":
            down, across = down.sqrt(), across.sqrt()
        elif norm == "mean of each":
            down, across = down / size, across / size
        elif norm == "one number":
            down, across = down.sum(), across.sum()
        down, across = _placed(axes, down, across)
        p, q, k = {"all": (2, 1, 1), "plus": (2, -1, -1), "half product": (1, 1, 1),
                   "whole norms": (2, 2, 2), "no query": (2, 0, 1), "no key": (2, 1, 0),
                   "product": (2, 0, 0), "norms": (0, 1, 1), "minus": (-2, 1, 1),
                   }[terms]  # fmt: skip
        squares = q * down + k * across - p * multiplied(product, queries, keys)
    if norm == "root":
        squares = squares.clamp(min=0).sqrt()
    over = {"mean": size, "root of size": math.sqrt(size)}.get(norm, 1)
    return factor * squares / over


def _placed(axes, down, across):
    """The norms with the new axes that let them meet the scores."""
    if not down.dim():
        return down, across
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


DISTANCE_SCORES = Exercise(
    my_distance_scores,
    cases=_queries_and_keys,
    run=_in_little_memory,
    asks=("distance_scores", "DistanceAttention"),
)


# 2.4 Additive scores


def my_additive_scores(
    queries, keys, W_q, W_k, w_v, *,
    matrices="own", bend="tanh", place="sum", join="+", axes="right", units="w_v", divide="nothing",
):  # fmt: skip
    W_q, W_k = {"own": (W_q, W_k), "exchanged": (W_k, W_q), "W_q": (W_q, W_q), "W_k": (W_k, W_k),
                "turned": (W_q.T, W_k.T)}[matrices]  # fmt: skip
    bent = {"tanh": torch.tanh, "none": lambda a: a, "relu": torch.relu,
            "sigmoid": torch.sigmoid, "exp": torch.exp}[bend]  # fmt: skip
    a, b = queries @ W_q.T, keys @ W_k.T
    if place == "parts":
        a, b = bent(a), bent(b)
    if axes == "no batch" and queries.dim() > 2:
        raise ValueError("no batch")
    if axes != "none":
        down, across = {"front": (1, 0), "middle": (2, 1), "same": (-2, -2)}.get(axes, (-2, -3))
        a, b = a.unsqueeze(down), b.unsqueeze(across)
    hidden = {"+": a.__add__, "-": a.__sub__, "*": a.__mul__}[join](b)
    hidden = bent(hidden) if place in ("sum", "twice") else hidden
    hidden = hidden / math.sqrt(len(w_v) if divide == "hidden" else 1)
    scores = {"w_v": lambda: hidden @ w_v, "sum": lambda: hidden.sum(-1),
              "mean": lambda: hidden.mean(-1), "kept": lambda: hidden * w_v}[units]()  # fmt: skip
    return bent(scores) if place in ("outside", "twice") else scores


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


ADDITIVE_SCORES = Exercise(
    my_additive_scores,
    cases=_additive_cases,
    asks=("AdditiveScores", "AdditiveAttention"),
    numbers={"shape": _shape},
)


# 2.5 Scaled dot-product attention


def my_attention(
    queries, keys, values, *,
    product="pairs", scale="sqrt d", when="before", axis=-1, top="row", rise="exp", roles="qkv",
    output="values",
):  # fmt: skip
    queries, keys, values = played(roles, queries, keys, values)
    scores = multiplied(product, queries, keys)
    sizes = {"values": values.shape[-1], "queries": queries.shape[-2], 2: 4, 8: 64,
             "first": len(queries), "second": queries.shape[1]}  # fmt: skip

    def divided(a):
        if scale in sizes:
            return a / math.sqrt(sizes[scale])
        return scaled(scale, a, queries.shape[-1], keys.shape[-2])

    scores = divided(scores) if when == "before" else scores
    weights = scores if rise == "nothing" else _share_out(scores, axis, top, rise)
    weights = divided(weights) if when == "after" else weights
    return weights if output == "weights" else weights @ values


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


ATTENTION = Exercise(
    my_attention,
    cases=_attention_cases,
    forbids={
        "attn_teach": "and the exercise asks for basic tensor operations only.",
        "torch.nn.functional.scaled_dot_product_attention": "which the exercise does without.",
    },
    numbers={
        "d": lambda case, got, expected: case[0].shape[-1],
        "root": lambda case, got, expected: math.sqrt(case[0].shape[-1]),
        "sum": _first_row,
    },
)


# 2.6 The variance of a dot product


def my_dot_product_variance(
    mean, std, size, *,
    spread="variance", center="square", squares=1, mixed=2, rest="nothing", count="size", factors=2,
):  # fmt: skip
    s = {"variance": std**2, "std": std}[spread]
    m = {"square": mean**2, "mean": mean, "none": 0 * mean}[center]
    if factors == 2:
        term = squares * s * s + mixed * s * m
    else:
        term = {"one": s, "one square": s + m, "sum": 2 * s}[factors]
    left = {"nothing": 0, "all": m * m, "but one": m * m, "but a mean": m * m - m}[rest]
    count = {"size": size, "one": 1, "square": size**2, "mean": 1 / size, "root": size**0.5}[count]
    return count * (term + left) - (m * m if rest == "but one" else 0)


def _means_and_stds(seed):
    draw = Draw(121 + seed)
    return [
        (torch.tensor(2.0), torch.tensor(1.0), 3),
        (torch.tensor([0.0, 1.5, -0.5]), torch.tensor([2.0, 0.5, 3.0]), 16),
        (torch.tensor([1.0, -2.0]), torch.tensor([0.0, 0.0]), 5),  # all numbers are equal
        (draw.short(2, 3), draw.short(2, 3).abs() + 0.1, 1),
        (draw.short(4, 1), draw.short(4, 1).abs() + 0.5, 7),
    ]


VARIANCE = Exercise(my_dot_product_variance, cases=_means_and_stds)


EXERCISES, QUESTIONS = tell(
    __name__,
    WEIGHTS,
    BILINEAR_SCORES,
    DISTANCE_SCORES,
    ADDITIVE_SCORES,
    ATTENTION,
    VARIANCE,
)
