"""Exercises and questions of lesson 04, multi-head attention."""

import math
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from attn_teach.multihead import MultiHeadAttention

from ..judge import sandbox
from ..judge.common import (
    Draw,
    axes_told,
    divided_told,
    multiple_told,
    multiplied,
    played,
    scaled,
    weighed,
    where,
)
from ..judge.exercise import Exercise
from ..judge.explanations import show
from ..words import sentences, tell

say = sentences(__name__)

ALONE = {"attn_teach": say("and the exercise asks")}


def _numbered(*shape):
    """1, 2, 3 ... in this shape: every number can be told from every other."""
    return torch.arange(1.0, math.prod(shape) + 1).view(shape)


def _axes(X, now, wanted):
    """X with its axes, named by letters, in another order."""
    return X.permute([now.index(letter) for letter in wanted])


def _seen(*names):
    """An exercise's `explain`: names axes, or tells of a multiple of what is right."""
    return lambda case, got, expected: (
        axes_told(names, got, expected) or multiple_told(got, expected)
    )


# Ask for the next word


def my_next_word_query(position, *, step=1, last="itself", axis="rows", count="rows", give="rows"):
    if axis == "columns":
        return my_next_word_query(position.mT, step=step, last=last, give=give).mT
    if axis == "ones":  # moved one column on, where all rows are one-hot
        moved = my_next_word_query(position.mT, step=-1, last="zeros").mT
        moved[-1, -1] = 1
        return moved
    n = position.shape[1 if count == "columns" else 0]
    if last == "alone" and n == 1:
        return position[:0]
    if last == "previous":
        return torch.cat([position[1:], position[-2:-1]])
    if give == "plus 1":
        return torch.cat([position[:-1] + 1, position[-1:]])
    if step == "back, the last itself":
        return torch.cat([position.roll(1, 0)[:-1], position[-1:]])
    if step == "six":
        return position[[1, 2, 3, 4, 5, 5]]
    places = [n - 1] * n if step == "last" else [i + step for i in range(n)]
    outside = [i for i in range(n) if not 0 <= places[i] < n]
    if last == "dropped":
        places = [p for p in places if 0 <= p < n]
    elif last == "circle":
        places = [p % n for p in places]
    else:
        places = [min(max(p, 0), n - (2 if last == "before" else 1)) for p in places]
    if give == "numbers":
        return torch.tensor(places)
    if give.startswith("argmax"):  # the place that a row's largest number stands for
        places = (position.argmax(-1) + 1).clamp(max=n - 1)
        return (torch.eye(position.shape[1]) if give == "argmax, new" else position)[places]
    if axis == "as many columns":
        return position[:, places]
    result = (torch.eye(*position.shape) if give == "one-hot" else position)[places]
    if last == "zeros":
        result[outside] = 0
    return result


def _which_rows(case, got, expected):
    (position,) = case
    if got.shape != expected.shape:
        return axes_told(("rows", "columns"), got, expected)
    equal = (got.unsqueeze(1) == position).all(-1)  # (rows, rows of position)
    if equal.any(-1).all():
        rows = equal.int().argmax(-1).tolist()
        wanted = [min(i + 1, len(rows) - 1) for i in range(len(rows))]
        return say("you fetch the rows", rows=rows, wanted=wanted)
    if torch.equal(got[:-1], expected[:-1]):
        return say("the last row alone")
    if torch.equal(got[:-1, 1:], position[:-1, :-1]) and len(got) > 1:
        return say("one column on")
    if ((got == 1).sum(-1) == 1).all() and ((got == 0) | (got == 1)).all():
        return say("your rows are one")
    row = equal.any(-1).int().argmin().item()
    return say("row of your result", row=row)


NEXT_WORD = Exercise(
    my_next_word_query,
    cases=lambda seed: [
        (torch.eye(3),),
        (torch.eye(6),),
        *[(Draw(41 + seed + n).short(n, d),) for n, d in [(5, 3), (4, 4), (1, 10)]],
    ],
    numbers={
        "got": lambda case, got, expected: len(got),
        "expected": lambda case, got, expected: len(expected),
    },
    explain=_which_rows,
    wrong={
        "longer": lambda position: torch.cat([position, position[-1:]]),
        "unchanged": lambda position: position.clone(),
        "backwards": lambda position: position.flip(0),
    },
)


# Split and merge


def _moved(given, made):
    """An exercise's `explain` where numbers only move: where the first wrong one comes from."""

    def explain(case, got, expected):
        X = case[0]
        if got.shape != expected.shape:
            return axes_told(made, got, expected)
        place = (got != expected).nonzero()[0].tolist()
        found, wanted = ((a[tuple(place)] == X).nonzero().tolist() for a in (got, expected))
        here = say("at stands", at=where(made, place), got=got[tuple(place)])
        if not found:
            return say("which is no number", here=here)
        belongs = say("there belongs the number", at=where(given, wanted[0]))
        return say("of in x", here=here, at=where(given, found[0]), belongs=belongs)

    return explain


ROWS, HEADS = ("batch", "words", "features"), ("batch", "heads", "words", "features")


def my_split_heads(X, num_heads, *, cut="runs", pieces="heads", heads="own", axes="bhnd"):
    batch, n, size = X.shape
    count = {"heads": num_heads, "size": size // num_heads, "two": 2}[pieces]
    X = {
        "runs": lambda: X.reshape(batch, n, count, -1),
        "cards": lambda: X.unflatten(-1, (-1, count)).mT,
        "view": lambda: X.reshape(batch, count, n, -1).transpose(1, 2),
        "columns": lambda: X.mT.reshape(batch, count, n, -1).transpose(1, 2),
        "words": lambda: X.unflatten(1, (count, -1)).transpose(1, 2),
        "chunks of words": lambda: torch.stack(X.chunk(count, 1), 2),
        "copies": lambda: X.unsqueeze(2).expand(-1, -1, count, -1),
        "overlapping": lambda: X.unfold(-1, size // count, 1)[:, :, :count],
    }[cut]()  # (batch, n, heads, head_dim)
    if heads == "reversed":
        X = X.flip(2)
    elif heads in ("first", "last"):
        X = X[:, :, [0 if heads == "first" else -1]].expand_as(X)
    X = _axes(X, "bnhd", axes[:4])
    return X.flatten(1, 2) if axes.endswith("joined") else X


SPLIT_HEADS = Exercise(
    my_split_heads,
    cases=lambda seed: [
        *[(_numbered(1, 2, 4), 2), (_numbered(3, 4, 10), 2), (_numbered(2, 5, 12), 3)],
        *[(_numbered(2, 3, 8), 1), (_numbered(4, 1, 6), 3), (_numbered(2, 3, 5), 5)],
        (_numbered(2, 3, 9) + seed, 3),  # as many words as heads as features in a head
    ],
    explain=_moved(ROWS, HEADS),
    asks=("split_heads",),
    forbids=ALONE,
    kinds=True,
    numbers={
        "head": lambda case, got, expected: show(got[0, 0, :2]),
        "shape": lambda case, got, expected: tuple(got.shape),
        "count": lambda case, got, expected: got.shape[1],
        "heads": lambda case, got, expected: case[1],
    },
    wrong={"unchanged": lambda X, num_heads: X.clone()},
)


def my_merge_heads(X, *, order="bnhd", joined="last", heads="all"):
    count = X.shape[1]
    X = {
        "all": lambda: X,
        "last": lambda: X[:, -1:],
        "first": lambda: X[:, :1],
        "two": lambda: torch.stack([X[:, 0], X[:, 1]], 1),
        "reversed": lambda: X.flip(1),
        "summed": lambda: X.sum(1, keepdim=True),
        "averaged": lambda: X.mean(1, keepdim=True),
        "alike": lambda: X.mean(1, keepdim=True).expand_as(X),
        "one missing": lambda: torch.cat([X[:, :-1], 0 * X[:, -1:]], 1),
        "one left out": lambda: X[:, :-1],
    }[heads]()
    batch, _, n, size = X.shape
    X = _axes(X, "bhnd", order[:4])
    if order.endswith("view"):
        X = X.reshape(batch, n, -1, size)
    if joined == "rows":
        return X.reshape(batch, count, -1)
    first = {"first": 0, "middle": 1, "last": 2, "none": None}[joined]
    return X.clone() if first is None else X.flatten(first, first + 1)


MERGE_HEADS = Exercise(
    my_merge_heads,
    cases=lambda seed: [
        ((_numbered(*shape) + seed * (shape == (2, 3, 3, 3))).flip(1 if shape[0] == 2 else ()),)
        for shape in [(1, 2, 2, 2), (3, 2, 4, 5), (2, 3, 5, 4), (2, 1, 4, 3), (4, 3, 1, 2),
                      (2, 5, 3, 1), (2, 3, 3, 3)]
    ],
    explain=_moved(HEADS, ROWS),
    asks=("merge_heads",),
    forbids=ALONE,
    kinds=True,
    numbers={
        "row": lambda case, got, expected: show(got[0, 0]),
        "got": lambda case, got, expected: got.shape[1],
        "expected": lambda case, got, expected: expected.shape[1],
    },
    wrong={"under": lambda X: X.flatten(1, 2)},
)  # fmt: skip


# What each head adds


def _results(seed):
    draw = Draw(47 + seed)
    cases = [(torch.tensor([[[[1.0]], [[2.0]]]]), _numbered(2, 2))]
    for batch, num_heads, n, head_dim in [(3, 2, 4, 5), (2, 3, 5, 4), (2, 4, 3, 2), (4, 2, 1, 3)]:
        d = num_heads * head_dim
        cases.append((draw.normal(batch, num_heads, n, head_dim), draw.normal(d, d)))
    heads, W_o = cases[2]
    return [*cases, (heads[:, :1], W_o[:4, :4])]


def _which_heads(case, got, expected):
    if got.shape != expected.shape:
        return axes_told(("batch", "heads", "words", "features"), got, expected)
    whole = torch.allclose(got.sum(1), expected.sum(1), 1e-4, 1e-4)
    told = say("your contributions add up" if whole else "they do not add up")
    right = [
        h for h in range(got.shape[1]) if torch.allclose(got[:, h], expected[:, h], 1e-4, 1e-4)
    ]
    if right:
        return say(
            "of heads right is", told=told, heads=got.shape[1], right=", ".join(map(str, right))
        )
    return multiple_told(got, expected) or say("and none of the", told=told)


def my_head_contributions(heads, W_o, *, blocks="columns", given="each", axes="bhnd"):
    count, d = heads.shape[1], len(W_o)
    W = {
        "rows": lambda: W_o.T.unflatten(1, (count, -1)).movedim(1, 0),
        "cards": lambda: W_o.unflatten(1, (-1, count)).movedim(2, 0),
        "identity": lambda: torch.eye(d).unflatten(1, (count, -1)).movedim(1, 0),
        "overlapping": lambda: W_o.unfold(1, d // count, 1)[:, :count].movedim(1, 0),
        "view": lambda: W_o.reshape(count, d, -1),
        "two": lambda: torch.stack(W_o.chunk(2, 1)),
    }.get(blocks, lambda: W_o.unflatten(1, (count, -1)).movedim(1, 0))()  # (heads, d, head_dim)
    W = {"first": W[:1].expand_as(W), "reversed": W.flip(0), "one on": W.roll(1, 0)}.get(blocks, W)
    each = heads @ W.mT  # (batch, heads, n, d)
    output = each.sum(1, keepdim=True)
    pieces = torch.eye(count).repeat_interleave(d // count, 1).unsqueeze(1)  # (heads, 1, d)
    each = {
        "pieces": my_split_heads(output.squeeze(1), count),
        "placed pieces": output * pieces,
        "output": output.expand_as(each),
        "share": output.expand_as(each) / count,
        "part": each / count,
        "sum": output.squeeze(1),
        "without": output - each,
        "running": each.cumsum(1),
        "sizes": each.norm(dim=-1),
        "first": torch.cat([each[:, :1], 0 * each[:, 1:]], 1),
        "last": each[:, -1],
    }.get(given, each)
    if axes == "side by side":
        return my_merge_heads(each)
    return each.transpose(1, 2) if axes == "bnhd" else each


HEAD_CONTRIBUTIONS = Exercise(
    my_head_contributions,
    cases=_results,
    explain=_which_heads,
    numbers={
        "got": lambda case, got, expected: got.shape[-1],
        "expected": lambda case, got, expected: expected.shape[-1],
        "times": lambda case, got, expected: case[0].shape[1],
    },
)


# Multi-head attention from its matrices


def _sequences(seed):
    draw, eye, ones = Draw(43 + seed), torch.eye(2), torch.ones(2, 2).triu()
    cases = [(eye.unsqueeze(0), 2 * eye, ones, _numbered(2, 2), ones, 2)]
    for batch, n, d, num_heads in [(3, 5, 8, 2), (2, 3, 9, 3), (2, 3, 4, 1), (4, 1, 6, 3)]:
        matrices = [draw.normal(d, d) * 1.5 / math.sqrt(d) for _ in range(4)]
        cases.append((draw.normal(batch, n, d), *matrices, num_heads))
    # Scores of hundreds in one row, and small ones in the other.
    cases.insert(3, (torch.tensor([[[30.0, 0.0], [0.1, 0.2]]]), *[eye] * 3, ones, 1))
    return cases


def my_multi_head(
    X, W_q, W_k, W_v, W_o, num_heads, *,
    scale="sqrt d", softmax="keys", product="pairs", roles="qkv", plain="", unused="",
    given="matrices", heads="own", cut="runs", back="bnhd", over="words", mask="none", plus="none",
    left="all", shared="",
):  # fmt: skip
    d, count = X.shape[-1], {"one": 1, "one, narrow": 1, "two": 2}.get(heads, num_heads)
    W = dict(zip("qkvo", (W_q, W_k, W_v, W_o), strict=True))
    if given == "random":
        W = {letter: nn.Linear(d, d, bias=False).weight for letter in W}
    elif given in ("parts", "parts, o"):
        blocks = torch.block_diag(*[torch.ones(d // count, d // count)] * count)
        W |= {letter: W[letter] * blocks for letter in ("qkv" if given == "parts" else "o")}
    elif given == "v and o exchanged":
        W |= {"v": W["o"], "o": W["v"]}

    def project(A, letter):
        return A if letter in unused else A @ (W[letter] if letter in plain else W[letter].T)

    inside = X.transpose(0, 1) if over == "batch" else X
    q, k, v = (
        my_split_heads(project(inside, letter), count, cut=cut, heads=heads) for letter in "qkv"
    )
    if over == "heads":
        q, k, v = (a.transpose(1, 2) for a in (q, k, v))
    q, k, v = played(roles, q, k, v)
    q, k, v = (
        a[:, :1].expand_as(a) if letter in shared else a
        for a, letter in zip((q, k, v), "qkv", strict=True)
    )
    size = {"full": d, "heads": num_heads}.get(
        scale, d // num_heads if heads == "one, narrow" else q.shape[-1]
    )
    size = math.isqrt(size) ** 2 if scale == "whole" else size
    how = {"after": "none"}.get(scale, "sqrt d" if scale in ("full", "heads", "whole") else scale)
    scores = scaled(how, multiplied(product, q, k), size, k.shape[-2])
    if mask == "causal":
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1) > 0, -torch.inf)
    if softmax in ("heads", "batch"):
        weights = scores.softmax(1 if softmax == "heads" else 0)
    elif softmax == "all heads":
        every = scores.transpose(1, 2)
        weights = every.flatten(2).softmax(-1).view(every.shape).transpose(1, 2)
    elif softmax == "shared by heads":
        weights = scores.softmax(-1) / scores.softmax(-1).sum(1, keepdim=True)
    else:
        weights = weighed(softmax, scores)
    weights = weights.mean(1, keepdim=True) if heads == "blend" else weights
    weights = weights.sum(1, keepdim=True) if heads == "all of v" else weights
    weights = scores.mean(1, keepdim=True).softmax(-1) if heads == "one table" else weights
    result = scaled("sqrt d" if scale == "after" else "none", weights, size) @ v
    result = result.transpose(1, 2) if over == "heads" else result
    alone = {"first": 0, "last": -1}.get(left)
    if alone is not None:
        result = torch.zeros_like(result).index_copy(
            1, torch.tensor([alone % result.shape[1]]), result[:, [alone]]
        )
    elif left == "mean":
        result = result.mean(1, keepdim=True).expand_as(result)
    elif left in ("sum", "sum, first columns"):
        result = result.sum(1, keepdim=True).expand(-1, num_heads, -1, -1)
    elif left == "reversed":
        result = result.flip(1)
    if plus == "heads of X":
        result = result + my_split_heads(X, count)
    if left == "sum, first columns":
        result = result * (torch.arange(num_heads) == 0).view(-1, 1, 1)
    result = project(my_merge_heads(result, order=back), "o")
    result = result.transpose(0, 1) if over == "batch" else result
    return result + X if plus == "X" else result


def _overwriting(X, W_q, W_k, W_v, W_o, num_heads):
    """Each head's result takes the place of its features of X, and later heads read it."""
    X, width = X.clone(), X.shape[-1] // num_heads
    for rows in torch.arange(X.shape[-1]).split(width):
        q, k, v = (X @ W[rows].T for W in (W_q, W_k, W_v))
        X[..., rows] = weighed("keys", q @ k.mT / math.sqrt(width)) @ v
    return X @ W_o.T


def _in_two_orders(X, W_q, W_k, W_v, W_o, num_heads, result=False):
    """Batch and heads become one axis, the batch first for queries, the heads for keys and values.

    result: the heads first for all of them, and of what comes out the batch.
    """
    q, k, v = (my_split_heads(X @ W.T, num_heads) for W in (W_q, W_k, W_v))
    if not result:
        k, v = (a.transpose(0, 1).reshape(q.shape) for a in (k, v))
    made = weighed("keys", q @ k.mT / math.sqrt(q.shape[-1])) @ v
    made = made.transpose(0, 1).reshape(q.shape) if result else made
    return my_merge_heads(made) @ W_o.T


def _one_largest(X, W_q, W_k, W_v, W_o, num_heads, floor=0.0):
    """One largest score is subtracted from all; no row's sum may lie below the floor."""
    q, k, v = (my_split_heads(X @ W.T, num_heads) for W in (W_q, W_k, W_v))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    powers = (scores - scores.max()).exp()
    return my_merge_heads(powers / powers.sum(-1, keepdim=True).clamp_min(floor) @ v) @ W_o.T


def _divided(case, got, expected):
    """Names axes, or tells by what the scores are divided, or of a multiple of what is right."""
    X, W_q, W_k, W_v, W_o, num_heads = case
    q, k, v = (my_split_heads(X @ W.T, num_heads) for W in (W_q, W_k, W_v))
    return (
        axes_told(("batch", "words", "features"), got, expected)
        or divided_told(q @ k.mT, lambda w: my_merge_heads(w @ v) @ W_o.T, got, q.shape[-1])
        or multiple_told(got, expected)
    )


MULTI_HEAD = Exercise(
    my_multi_head,
    wrong={"overwriting": _overwriting, "in two orders": _in_two_orders,
           "back in another": partial(_in_two_orders, result=True), "one largest": _one_largest,
           "one largest, 0": partial(_one_largest, floor=1e-38)},
    cases=_sequences,
    explain=_divided,
    asks=("MultiHeadAttention", "PerHeadMultiHeadAttention"),
    numbers={
        "full": lambda case, got, expected: case[0].shape[-1],
        "width": lambda case, got, expected: case[0].shape[-1] // case[-1],
        "times": lambda case, got, expected: math.sqrt(case[-1]),
    },
)  # fmt: skip


# Hand it over to PyTorch


@dataclass
class Layer:
    """A case: a MultiHeadAttention's number of heads and matrices, and the input to run it on."""

    num_heads: int
    matrices: dict
    X: torch.Tensor

    def module(self):
        size = self.X.shape[-1]
        result = MultiHeadAttention(size, size, size, size, self.num_heads)
        result.load_state_dict({f"{name}.weight": W for name, W in self.matrices.items()})
        return result

    def __repr__(self):
        width = self.X.shape[-1] // self.num_heads
        heads = say("one head" if self.num_heads == 1 else "heads", n=self.num_heads, width=width)
        if self.X.numel() > 4:
            return f"{heads}, {say('X of shape', shape=tuple(self.X.shape))}"
        return ", ".join([heads, *(f"{n} = {show(W)}" for n, W in self.matrices.items()),
                          f"X = {show(self.X)}"])  # fmt: skip


def _layers(seed):
    draw, eye = Draw(44 + seed), torch.eye(2)
    small = {"W_q": 2 * eye, "W_k": eye.flip(0), "W_v": _numbered(2, 2), "W_o": 3 * eye}
    cases = [(Layer(1, small, eye.unsqueeze(0)),)]
    for batch, n, d, num_heads in [(3, 5, 8, 2), (2, 4, 6, 3), (4, 3, 8, 8), (3, 1, 4, 2)]:
        matrices = {name: draw.normal(d, d) * 1.5 / math.sqrt(d) for name in small}
        cases.append((Layer(num_heads, matrices, draw.normal(batch, n, d)),))
    return cases


def _name(value):
    return getattr(value, "__name__", type(value).__name__)


def _run_in_torch(function, layer):
    """The output of what the function makes of the layer, or in words why there is none."""
    result, size = function(sandbox.watch(layer.module(), "`attention`")), layer.X.shape[-1]
    if result is None:
        return None
    if not isinstance(result, nn.MultiheadAttention):
        if isinstance(result, torch.Tensor):
            return say("a tensor of shape", shape=tuple(result.shape))
        return say("the class" if isinstance(result, type) else "a", name=_name(result))
    if result.embed_dim != size:
        return say("an nn multiheadattention with", embed_dim=result.embed_dim, size=size)
    if result.num_heads != layer.num_heads:
        return say("an nn multiheadattention of", heads=result.num_heads, given=layer.num_heads)
    if result.dropout and result.training:
        return say("an nn multiheadattention with dropout", dropout=result.dropout)
    try:
        with torch.no_grad():
            return result(layer.X, layer.X, layer.X, need_weights=False)[0]
    except (AssertionError, RuntimeError, TypeError) as error:
        return say("an nn multiheadattention that", error=error)


def _what_came_back(case, got, expected):
    if not isinstance(got, str):
        return None
    end = say("wanted is an nn")
    if got == say("a", name="MultiHeadAttention"):
        end = say("that is the class")
    return say("what came back is", got=got, end=end)


def my_to_torch(
    attention, *, order="qkv", stack="under", heads="same", batch_first=True, into="copied",
    out="copied", divided="nothing",
):  # fmt: skip
    size = attention.W_o.out_features
    count = attention.num_heads
    count = {"one": 1, "two": 2, "width": size // count}.get(heads, count)
    bias = into == "random, biases"
    result = nn.MultiheadAttention(size, count, bias=bias, batch_first=batch_first)
    W = {letter: getattr(attention, f"W_{letter}").weight.detach() for letter in "qkvo"}
    if out == "W_v":
        W |= {"v": W["o"], "o": W["v"]}
    if divided == "W_q":
        W["q"] = W["q"] / math.sqrt(size // attention.num_heads)
    given = result.in_proj_weight.detach().split(size)  # random
    W_in = [given[i] if order[i] == "?" else W[order[i]] for i in range(3)]
    W_in = [a.T for a in W_in] if into == "transposed" else W_in
    if stack != "under":
        parts = attention.num_heads if stack == "heads" else size
        W_in = [torch.stack([W.unflatten(0, (parts, -1)) for W in W_in], 1).flatten(0, 2)]
    if not into.startswith("random"):
        result.in_proj_weight.data.copy_(torch.cat(W_in))
    if out != "random":
        result.out_proj.weight.data.copy_(W["o"].T if out == "transposed" else W["o"])
    return result


TO_TORCH = Exercise(
    my_to_torch,
    cases=_layers,
    run=_run_in_torch,
    explain=_what_came_back,
    wrong={"copied nothing": partial(my_to_torch, into="random", out="random")},
    numbers={
        "batch": lambda case, got, expected: case[0].X.shape[0],
        "n": lambda case, got, expected: case[0].X.shape[1],
    },
)


# Dropout on the weights


def _dropped(seed):
    draw = Draw(45 + seed)
    small = torch.zeros(1, 4), torch.tensor([[8.0], [4.0], [2.0], [6.0]])
    cases = [(*small, torch.tensor([[True, False, False, False]]), 0.5, True)]
    sizes = [((2, 3, 5), 2, 0.2), ((2, 2, 4, 6), 3, 0.6), ((3, 5), 4, 0.25), ((2, 4, 3), 2, 0.7)]
    for number, ((*leading, n, m), size, p) in enumerate(sizes):
        keep = draw.mask(*leading, n, m)
        keep[..., 0] = True  # no row is lost as a whole, and each loses something
        keep[..., -1] = False
        scores, values = draw.normal(*leading, n, m), draw.normal(*leading, m, size)
        cases.append((scores, values, keep, p, number != 2))
    lost = torch.tensor([[True, False, True], [False, False, False]])  # a row as a whole
    return [
        *[*cases, (*cases[1][:4], False)],
        (draw.normal(2, 3), draw.normal(3, 2), lost, 0.5, True),
    ]


def my_dropped_attention(
    scores, values, keep, p, training, *,
    softmax="keys", when="training", scale="up", which="kept", at="weights", give="output",
):  # fmt: skip
    active = {"always": True, "never": False, "evaluation": not training}.get(when, training)
    keep = keep | (~keep.any(-1, keepdim=True) if which == "kept, or all" else False)
    stays = (~keep if which == "dropped" else keep).to(scores)
    if active and at == "scores":
        return weighed(softmax, scores * stays / (1 if scale == "none" else 1 - p)) @ values
    weights = weighed(softmax, scores)
    if active:
        left = weights * stays
        if scale == "rows, or even":
            left = left + (left.sum(-1, keepdim=True) == 0)
        total = left.sum(-1, keepdim=True)
        weights = left / {
            "none": 1,
            "late": 1,
            "down": 1 / (1 - p),
            "p": p,
            "root": math.sqrt(1 - p),
            "twice": (1 - p) ** 2,
            "rows": total,
            "rows, or 0": total + (total == 0),
            "rows and 1 - p": total * (1 - p),
            "rows and 1 - p, or 0": (1 - p) * (total + (total == 0)),
            "rows, or even": total,
            "share": stays.mean(),
            "share of the row": stays.mean(-1, keepdim=True).clamp(min=1e-9),
        }.get(scale, 1 - p)
        if which == "kept, or whole":
            weights = torch.where(stays.any(-1, keepdim=True), weights, weighed(softmax, scores))
    elif when == "crossed out always":
        weights = weights * stays
    elif scale in ("late", "in both", "up and down"):
        weights = weights / (1 - p) if scale == "in both" else weights * (1 - p)
    return weights if give == "weights" else weights @ values


DROPPED_ATTENTION = Exercise(
    my_dropped_attention,
    cases=_dropped,
    explain=lambda case, got, expected: multiple_told(got, expected),
    numbers={"rest": lambda case, got, expected: 1 - case[3]},
    wrong={
        **{
            f"axis {axis}": lambda scores, values, keep, p, training, axis=axis: (
                scores.softmax(axis) * (keep / (1 - p) if training else 1) @ values
            )
            for axis in (1, 2)
        },
        "drawn": lambda scores, values, keep, p, training: (
            nn.functional.dropout(scores.softmax(-1), p, training) @ values
        ),
        "drawn for the output": lambda scores, values, keep, p, training: nn.functional.dropout(
            scores.softmax(-1) @ values, p, training
        ),
    },
)


EXERCISES, QUESTIONS = tell(
    __name__, NEXT_WORD, SPLIT_HEADS, MERGE_HEADS, HEAD_CONTRIBUTIONS, MULTI_HEAD, TO_TORCH,
    DROPPED_ATTENTION,
)  # fmt: skip
