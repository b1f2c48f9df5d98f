"""Exercises and questions of lesson 04, multi-head attention."""

import math
from dataclasses import dataclass

import torch
from torch import nn

from ..multihead import MultiHeadAttention
from . import child
from .common import Draw, multiplied, played, scaled, weighed
from .engine import Exercise
from .explain import show
from .words import tell


def _numbered(*shape):
    """1, 2, 3 ... in this shape: every number can be told from every other."""
    return torch.arange(1.0, math.prod(shape) + 1).view(shape)


def _axes(X, now, wanted):
    """X with its axes, named by letters, in another order."""
    return X.permute([now.index(letter) for letter in wanted])


# 4.1 Ask for the next word


def my_next_word_query(position, *, step=1, last="itself", axis="rows", give="rows"):
    if axis == "columns":
        return my_next_word_query(position.mT, step=step, last=last, give=give).mT
    n = len(position)
    if step == "six":
        places = torch.tensor([1, 2, 3, 4, 5, 5])
    else:
        places = torch.full((n,), n - 1) if step == "last" else torch.arange(n) + step
    inside = (places >= 0) & (places < n)
    if last == "itself" and step != "six":
        places = places.clamp(0, n - 1)
    elif last == "before":
        places = places.clamp(0, n - 2)
    elif last == "circle":
        places = places % n
    elif last == "dropped":
        places, inside = places[inside], inside[inside]
    if give == "numbers":
        return places
    table = torch.eye(*position.shape) if give == "one-hot" else position
    if last in ("zeros", "own"):
        rest = torch.zeros_like(position) if last == "zeros" else position
        return torch.where(inside.unsqueeze(-1), table[places.clamp(0, n - 1)], rest)
    return table[places]


NEXT_WORD = Exercise(
    my_next_word_query,
    cases=lambda seed: [
        (torch.eye(3),),
        (torch.eye(6),),
        (Draw(41 + seed).short(5, 4),),
        (Draw(42 + seed).short(4, 7),),
        (Draw(43 + seed).short(1, 10),),
    ],
    numbers={
        "got": lambda case, got, expected: len(got),
        "expected": lambda case, got, expected: len(expected),
    },
)


# 4.2 Split and merge


def my_split_heads(
    X, num_heads, *, cut="runs", pieces="heads", heads="own", axes="bhnd", joined="none"
):
    batch, n, size = X.shape
    count = {"heads": num_heads, "size": size // num_heads, "two": 2}[pieces]
    if cut == "view":
        X = X.reshape(batch, count, n, -1).transpose(1, 2)
    elif cut == "columns":
        X = X.mT.reshape(batch, count, n, -1).transpose(1, 2)
    elif cut == "cards":
        X = X.unflatten(-1, (-1, count)).mT
    elif cut == "words":
        X = X.unflatten(1, (count, -1)).transpose(1, 2)
    elif cut == "copies":
        X = X.unsqueeze(2).expand(-1, -1, count, -1)
    else:
        X = X.unflatten(-1, (count, -1))  # (batch, n, heads, head_dim)
    if heads == "reversed":
        X = X.flip(2)
    elif heads == "first":
        X = X[:, :, :1].expand_as(X)
    elif heads == "one":
        X = X[:, :, :1]
    X = _axes(X, "bnhd", axes)
    return X.flatten(1, 2) if joined == "middle" else X.flatten(2) if joined == "last" else X


SPLIT_HEADS = Exercise(
    my_split_heads,
    cases=lambda seed: [
        (_numbered(1, 2, 4), 2),
        (_numbered(3, 4, 10), 2),
        (_numbered(2, 5, 12), 3),
        (_numbered(2, 3, 8), 1),
        (_numbered(4, 1, 6), 3),
        (_numbered(2, 3, 5), 5),
        (_numbered(2, 3, 9) + seed, 3),  # as many words as heads as features in a head
    ],
    asks=("split_heads",),
    forbids={"attn_teach": "and the exercise asks to do without the package."},
    numbers={
        "head": lambda case, got, expected: show(got[0, 0, :2]),
        "shape": lambda case, got, expected: tuple(got.shape),
        "count": lambda case, got, expected: got.shape[1],
        "heads": lambda case, got, expected: case[1],
    },
    wrong={"unchanged": lambda X, num_heads: X.clone()},
)


def my_merge_heads(X, *, order="bnhd", joined="last", heads="all"):
    if heads in ("first", "last"):
        X = X[:, :1] if heads == "first" else X[:, -1:]
    elif heads == "two":
        X = torch.stack([X[:, 0], X[:, 1]], 1)
    elif heads == "reversed":
        X = X.flip(1)
    elif heads in ("summed", "averaged"):
        X = X.sum(1, keepdim=True) if heads == "summed" else X.mean(1, keepdim=True)
    if order == "view":
        X = X.reshape(X.shape[0], X.shape[2], X.shape[1], X.shape[3])
    else:
        X = _axes(X, "bhnd", order)
    first = {"first": 0, "middle": 1, "last": 2, "none": None}[joined]
    return X.clone() if first is None else X.flatten(first, first + 1)


MERGE_HEADS = Exercise(
    my_merge_heads,
    cases=lambda seed: [
        (_numbered(1, 2, 2, 2),),
        (_numbered(3, 2, 4, 5),),
        (_numbered(2, 3, 5, 4),),
        (_numbered(2, 1, 4, 3),),
        (_numbered(4, 3, 1, 2),),
        (_numbered(2, 5, 3, 1),),
        (_numbered(2, 3, 3, 3) + seed,),
    ],
    asks=("merge_heads",),
    forbids={"attn_teach": "and the exercise asks to do without the package."},
    numbers={
        "row": lambda case, got, expected: show(got[0, 0]),
        "got": lambda case, got, expected: got.shape[1],
        "expected": lambda case, got, expected: expected.shape[1],
    },
)


# 4.3 Multi-head attention from its matrices


def _sequences(seed):
    draw = Draw(43 + seed)
    double, triangle = torch.tensor([[2.0, 0.0], [0.0, 2.0]]), torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    cases = [(torch.eye(2).unsqueeze(0), double, triangle, _numbered(2, 2), triangle, 2)]
    for batch, n, d, num_heads in [(3, 5, 8, 2), (2, 3, 9, 3), (2, 3, 4, 1), (4, 1, 6, 3)]:
        matrices = [draw.normal(d, d) * 1.5 / math.sqrt(d) for _ in range(4)]
        cases.append((draw.normal(batch, n, d), *matrices, num_heads))
    return cases


def my_multi_head(
    X, W_q, W_k, W_v, W_o, num_heads, *,
    scale="sqrt d", softmax="keys", product="pairs", roles="qkv", plain="", unused="", heads="own", cut="runs",
    merged="heads", over="words", mask="none", plus="none",
):  # fmt: skip
    def project(A, letter):
        W = {"q": W_q, "k": W_k, "v": W_v, "o": W_o}[letter]
        return A if letter in unused else A @ (W if letter in plain else W.T)

    count = {"one": 1, "two": 2}.get(heads, num_heads)
    kept = heads if heads == "first" else "own"
    inside = X.transpose(0, 1) if over == "batch" else X
    q, k, v = (
        my_split_heads(project(inside, letter), count, cut=cut, heads=kept) for letter in "qkv"
    )
    if over == "heads":
        q, k, v = (a.transpose(1, 2) for a in (q, k, v))
    q, k, v = played(roles, q, k, v)
    size = {"full": X.shape[-1], "heads": num_heads}.get(scale, q.shape[-1])
    how = {"full": "sqrt d", "heads": "sqrt d", "after": "none"}.get(scale, scale)
    scores = scaled(how, multiplied(product, q, k), size, k.shape[-2])
    if mask == "causal":
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1) > 0, -torch.inf)
    axis = {"heads": 1, "batch": 0}.get(softmax)
    weights = weighed(softmax, scores) if axis is None else scores.softmax(axis)
    if heads == "blend":
        weights = weights.mean(1, keepdim=True)
    result = scaled("sqrt d" if scale == "after" else "none", weights, size) @ v
    result = result.transpose(1, 2) if over == "heads" else result
    result = project(my_merge_heads(result, order={"heads": "bnhd"}.get(merged, merged)), "o")
    result = result.transpose(0, 1) if over == "batch" else result
    return result + X if plus == "X" else result


MULTI_HEAD = Exercise(
    my_multi_head,
    cases=_sequences,
    asks=("MultiHeadAttention", "PerHeadMultiHeadAttention"),
    numbers={
        "full": lambda case, got, expected: case[0].shape[-1],
        "width": lambda case, got, expected: case[0].shape[-1] // case[-1],
        "times": lambda case, got, expected: math.sqrt(case[-1]),
    },
)


# 4.4 Hand it over to PyTorch


@dataclass
class Layer:
    """A case: the matrices of a MultiHeadAttention, and the input to run it on."""

    num_heads: int
    matrices: dict
    X: torch.Tensor

    def module(self):
        """A new MultiHeadAttention with these matrices."""
        size = self.X.shape[-1]
        result = MultiHeadAttention(size, size, size, size, self.num_heads)
        with torch.no_grad():
            for name, matrix in self.matrices.items():
                getattr(result, name).weight.copy_(matrix)
        return result

    def __repr__(self):
        batch, n, size = self.X.shape
        heads = f"{_count(self.num_heads, 'head')} of width {size // self.num_heads}"
        if size > 2:
            return f"{heads}, X: {_sentences(batch, n)}"
        named = [f"{name} = {show(W)}" for name, W in {**self.matrices, "X": self.X}.items()]
        return f"{heads}, {', '.join(named)}"


def _count(number, word):
    return f"{number} {word}{'s' * (number != 1)}"


def _sentences(batch, n):
    return f"{_count(batch, 'sentence')} of {_count(n, 'word')}"


def _layers(seed):
    draw, eye = Draw(44 + seed), torch.eye(2)
    small = {"W_q": 2 * eye, "W_k": eye.flip(0), "W_v": _numbered(2, 2), "W_o": 3 * eye}
    cases = [(Layer(1, small, eye.unsqueeze(0)),)]
    for batch, n, d, num_heads in [(3, 5, 8, 2), (2, 4, 6, 3), (4, 3, 8, 8), (3, 1, 4, 2)]:
        matrices = {name: draw.normal(d, d) * 1.5 / math.sqrt(d) for name in small}
        cases.append((Layer(num_heads, matrices, draw.normal(batch, n, d)),))
    return cases


def _run_in_torch(function, layer):
    """The output of what the function makes of the layer, or in words why there is none."""
    result = function(child.watch(layer.module(), "`attention`"))
    size = layer.X.shape[-1]
    if not isinstance(result, nn.MultiheadAttention):
        what = f"a {type(result).__name__}"
        if isinstance(result, torch.Tensor):
            what = f"a tensor of shape {tuple(result.shape)}"
        elif isinstance(result, type):
            what = f"the class {result.__name__}"
        return None if result is None else f"{what}, and no nn.MultiheadAttention"
    if result.embed_dim != size:
        return f"an nn.MultiheadAttention with embed_dim {result.embed_dim} instead of {size}"
    if result.dropout and result.training:
        return f"an nn.MultiheadAttention with dropout {result.dropout:g} instead of 0"
    try:
        with torch.no_grad():
            return result(layer.X, layer.X, layer.X, need_weights=False)[0]
    except (AssertionError, RuntimeError, TypeError) as error:
        return f"an nn.MultiheadAttention that cannot be run on X: {error}"


def _what_came_back(case, got, expected):
    if not isinstance(got, str):
        return None
    end = "Wanted is an nn.MultiheadAttention with the given weights; the check calls it."
    if got.startswith("a MultiHeadAttention,"):
        end = "That is the class of this course. Wanted is PyTorch's, with a small h in head."
    elif "dropout" in got:
        end = "In training it drops weights at random, which the given layer does not."
    return f"What came back is {got}. {end}"


def my_to_torch(
    attention, *, order="qkv", stack="under", transposed="none", heads="same", batch_first=True,
    copied="all",
):  # fmt: skip
    size = attention.W_o.out_features
    heads = {"same": attention.num_heads, "one": 1, "width": size // attention.num_heads}[heads]
    bias = copied.endswith("biases")
    result = nn.MultiheadAttention(size, heads, bias=bias, batch_first=batch_first)
    matrices = [getattr(attention, f"W_{letter}").weight.detach() for letter in order]
    if transposed in ("in", "all"):
        matrices = [W.T for W in matrices]
    W_in = torch.cat(matrices) if stack == "under" else torch.stack(matrices, 1).flatten(0, 1)
    W_o = attention.W_o.weight.detach()
    if copied.startswith("q"):
        result.in_proj_weight.data[:size] = W_in[:size]
    elif not copied.startswith(("out", "nothing")):
        result.in_proj_weight.data.copy_(W_in)
    if not copied.startswith(("in", "nothing")):
        result.out_proj.weight.data.copy_(W_o.T if transposed in ("out", "all") else W_o)
    return result


TO_TORCH = Exercise(
    my_to_torch,
    cases=_layers,
    run=_run_in_torch,
    explain=_what_came_back,
    numbers={
        "given": lambda case, got, expected: _sentences(*case[0].X.shape[:2]),
        "taken": lambda case, got, expected: _sentences(*case[0].X.shape[1::-1]),
    },
)


# 4.7 What each head adds


def _results(seed):
    draw = Draw(47 + seed)
    cases = [(torch.tensor([[[[1.0]], [[2.0]]]]), _numbered(2, 2))]
    for batch, num_heads, n, head_dim in [(3, 2, 4, 5), (2, 3, 5, 4), (2, 4, 3, 2), (4, 2, 1, 3)]:
        d = num_heads * head_dim
        cases.append((draw.normal(batch, num_heads, n, head_dim), draw.normal(d, d)))
    heads, W_o = cases[2]
    return [*cases, (heads[:, :1], W_o[:4, :4])]


def my_head_contributions(heads, W_o, *, blocks="columns", given="each", axes="bhnd"):
    count, d = heads.shape[1], len(W_o)
    if blocks == "identity":
        W_o = torch.eye(d)
    W = (W_o.T if blocks == "rows" else W_o).unflatten(1, (count, -1)).movedim(1, 0)  # (h, d, w)
    if blocks == "first":
        W = W[:1].expand_as(W)
    elif blocks == "reversed":
        W = W.flip(0)
    elif blocks == "cards":
        W = W_o.unflatten(1, (-1, count)).movedim(2, 0)
    elif blocks == "view":
        W = W_o.reshape(count, d, -1)
    elif blocks == "two":
        W = torch.stack(W_o.chunk(2, 1))
    each = heads @ W.mT  # (batch, heads, n, d)
    output = each.sum(1, keepdim=True)
    if given == "pieces":
        return my_split_heads(output.squeeze(1), count)
    if given == "sum":
        return output.squeeze(1)
    each = {
        "each": each,
        "placed pieces": output * torch.eye(count).repeat_interleave(d // count, 1).unsqueeze(1),
        "output": output.expand_as(each),
        "share": output.expand_as(each) / count,
        "part": each / count,
        "without": output - each,
        "running": each.cumsum(1),
        "sizes": each.norm(dim=-1, keepdim=True),
    }[given]
    if axes == "side by side":
        return my_merge_heads(each)
    return _axes(each, "bhnd", axes)


HEAD_CONTRIBUTIONS = Exercise(
    my_head_contributions,
    cases=_results,
    numbers={
        "got": lambda case, got, expected: got.shape[-1],
        "expected": lambda case, got, expected: expected.shape[-1],
        "times": lambda case, got, expected: case[0].shape[1],
    },
)


EXERCISES, QUESTIONS = tell(
    __name__,
    NEXT_WORD,
    SPLIT_HEADS,
    MERGE_HEADS,
    MULTI_HEAD,
    TO_TORCH,
    HEAD_CONTRIBUTIONS,
)
