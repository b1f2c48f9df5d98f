"""Exercises and questions of lesson 05, self-attention."""

import itertools
import math
from functools import partial

import torch
import torch.nn.functional as F

from ..judge.common import Draw, divided_told, in_float32, multiplied, scaled, weighed
from ..judge.exercise import Exercise
from ..words import joined, sentences, tell

say = sentences(__name__)

# A verb looks for its subject

FEATURES = ["determiner", "noun", "pronoun", "adjective", "verb", "conjunction", "alive", "place"]
NOUN, ADJECTIVE, VERB, ALIVE, PLACE = 1, 3, 4, 6, 7


def my_query_matrix(
    strength, *, wishes="both", start="zeros", count=0, mirrored=False, shape="matrix"
):
    W_q = torch.zeros(8, 8)
    if start == "section 2":
        W_q[[ADJECTIVE, ALIVE, PLACE], [NOUN, ALIVE, PLACE]] = strength
    if wishes == "sum":
        W_q[VERB, NOUN + ALIVE] = strength
    if wishes not in ("alive", "sum"):
        W_q[VERB, NOUN + count] = strength
    if wishes not in ("noun", "sum"):
        W_q[NOUN if wishes == "in turn" else VERB, ALIVE + count] = strength
    W_q = W_q.roll(count, 0) + mirrored * W_q.mT
    return W_q if shape == "matrix" else W_q[VERB]


def _named(row):
    """The features where a row is not 0."""
    return [name for name, asked in zip(FEATURES, row, strict=True) if asked]


def _in_words(matrix):
    """The matrix as a sentence: who asks for what."""
    wishes = []
    for name, row in zip(FEATURES, matrix.tolist(), strict=True):
        asked = [f"{f} {w:g}" for f, w in zip(FEATURES, row, strict=True) if w]
        wishes += [say("asks for", name=name, asked=joined(asked))] if asked else []
    return "; ".join(wishes) or say("nobody asks for anything")


def _wishes_apart(case, got, expected):
    """What is wrong with a matrix, row by row."""
    if not isinstance(got, torch.Tensor):
        return None
    if got.shape != (8, 8):
        return say("x w q needs", shape=tuple(got.shape))
    others = [name for name in _named(got.any(1)) if name != "verb"]
    missing = _named((got == 0)[VERB] & (expected != 0)[VERB])
    extra = _named((got != 0)[VERB] & (expected == 0)[VERB])
    a, b = got[VERB, [NOUN, ALIVE]].tolist()
    told = [
        others and say("only verbs should ask", others=', '.join(others)),
        missing and say("the verb does not", missing=joined(missing)),
        extra and say("the verb asks for", extra=', '.join(extra)),
        not missing and [a, b] != [case[0]] * 2
        and say("both wishes should have", case=case[0], a=a, b=b),
    ]  # fmt: skip
    return " ".join(filter(None, told))


QUERY_MATRIX = Exercise(
    my_query_matrix,
    cases=lambda seed: [(8.0,), (2.75,), (-3.0 - seed,)],
    run=in_float32,
    show=_in_words,
    explain=_wishes_apart,
    kinds=True,
    numbers={"strength": lambda case, *_: f"{case[0]:g}"},
)


# Layers for both tests, named after what they do; each maps (batch, n, size) to the same shape.


def _at(X, axis):
    """The numbers 0, 1, 2 ... along an axis of X."""
    return torch.arange(X.shape[axis]).to(X).view([-1 if a == axis else 1 for a in range(3)])


def _moved(X, steps):
    """Each token moved by some steps, with 0 where none comes from."""
    return F.pad(X, (0, 0, steps, -steps))


def _attention(X, causal):
    scores = X @ _mixed(X).mT / 8
    if causal:
        scores = scores.masked_fill(_at(X, 1) < _at(X, 1).mT, -torch.inf)
    return scores.softmax(-1) @ X


def _mixed(X):
    return X @ Draw(5).normal(8, 8)[: X.shape[2], : X.shape[2]].to(X)


def _average_of_real_tokens(X):
    lens = torch.tensor([2, 4, 1]).repeat(len(X))[: len(X)].view(-1, 1, 1)  # the rest stay alone
    real = _at(X, 1) < lens
    return torch.where(real, (X * real).sum(1, keepdim=True) / lens, X)


def _rounded(X):
    shift = (1 + X.sum((1, 2), keepdim=True).sigmoid()) / 4
    return (X + shift) - shift


def _normalize_and_add_next(X):
    normal = F.normalize(X - X.mean(-1, keepdim=True), dim=-1)
    return normal + _moved(normal, -1)


def _center_and_add_next(X):
    centered = X - X.mean(-1, keepdim=True)
    return centered + _moved(centered, -1)


LAYERS = {
    "double_each_token": lambda X: 2 * X,
    "running_sum": lambda X: X.cumsum(1),
    "subtract_first_token": lambda X: X - X[:, :1],
    "subtract_second_token": lambda X: X - X[:, 1:2],
    "subtract_last_token": lambda X: X - X[:, -1:],
    "add_left_neighbor_on_a_ring": lambda X: X + 2 * X.roll(1, 1),
    "add_both_neighbors_on_a_ring": lambda X: X + 2 * X.roll(1, 1) + 2 * X.roll(-1, 1),
    "add_both_neighbors": lambda X: X + 2 * _moved(X, 1) + 2 * _moved(X, -1),
    "average_of_all": lambda X: X.mean(1, keepdim=True).expand_as(X),
    "average_plus_place": lambda X: X.mean(1, keepdim=True) + _at(X, 1),
    "average_one_after_the_other": lambda X: (sum(X.unbind(1)) / X.shape[1]).unsqueeze(1) + 0 * X,
    "lean_a_little": lambda X: X + 0.0002 * _at(X, 1),
    "lean_in_the_second_sentence": lambda X: X + _at(X, 1) * (_at(X, 0) == 1),
    "lean_in_the_last_feature": lambda X: X + _at(X, 1) * (_at(X, 2) == X.shape[2] - 1),
    "lean_one_up_one_down": lambda X: X + _at(X, 1) * (-1) ** _at(X, 2),
    "lean_in_one_number": lambda X: X + 0.0005 * (_at(X, 0) * 25 + _at(X, 1) * 5 + _at(X, 2) == 31),
    "add_one_to_token_2": lambda X: X + (_at(X, 1) == 2),
    "add_number_of_sentence": lambda X: X + _at(X, 0),
    "mix_the_features": _mixed,
    "self_attention": lambda X: _attention(X, False),
    "causal_self_attention": lambda X: _attention(X, True),
    "add_token_before": lambda X: X + _moved(X, 1),
    "subtract_token_before_twice": lambda X: X - 2 * _moved(X, 1),
    "average_of_real_tokens": _average_of_real_tokens,
    "center_and_add_next_token": _center_and_add_next,
    "normalize_and_add_next_token": _normalize_and_add_next,
    "hear_last_feature_of_token_0": lambda X: X + X[:, :1, -1:] * (_at(X, 2) == 0),
    "write_into_last_feature": lambda X: X + X[:, :1].sum(-1, True) * (_at(X, 2) == X.shape[2] - 1),
    "hear_first_feature_of_last_token": lambda X: X + X[:, -1:, :1] * (_at(X, 2) == 1),
    "hear_a_whisper_of_last_token": lambda X: X + 0.00005 * X[:, -1:],
    "hear_one_up_one_down": lambda X: X + X[:, :1].sum(-1, True) * (-1) ** _at(X, 2),
    "hear_up_in_one_sentence_down_in_the_next": lambda X: X + X[:, :1] * (-1) ** _at(X, 0),
    "hear_direction_of_token_before": lambda X: X + _moved(F.normalize(X, dim=-1), 1),
    "hear_token_0_where_it_is_above_0": lambda X: X + X[:, :1] * (X[:, :1, :1] > 0),
    "round_another_way": _rounded,
}
for _name, _layer in LAYERS.items():
    _layer.__name__ = _name


# A test of equivariance


def _layers_and_tokens(seed):
    draw = Draw(seed + 52)
    # No single permutation of three tokens exposes all four layers that subtract a token or look
    # around a ring: for each permutation there is one that moves with it.
    three, five = torch.tensor([[[3.0], [1.0], [4.0]]]), torch.tensor([[[4.0], [6], [2], [1], [3]]])
    tokens = {
        "double_each_token": torch.tensor([[[1.0], [3.0]]]), "running_sum": three,
        "subtract_first_token": three, "subtract_second_token": three, "subtract_last_token": three,
        "add_both_neighbors": five, "add_both_neighbors_on_a_ring": five,
        "lean_a_little": five,
        "average_of_all": five, "average_plus_place": five, "add_one_to_token_2": five,
        "add_number_of_sentence": draw.normal(5, 4, 2), "mix_the_features": draw.normal(2, 5, 3),
        "lean_in_the_second_sentence": draw.normal(3, 5, 2),
        "lean_in_the_last_feature": draw.normal(5, 4, 3),
        "lean_one_up_one_down": draw.normal(2, 5, 4),
        "lean_in_one_number": draw.normal(8, 5, 12),
        "causal_self_attention": -2 * draw.normal(2, 4, 3),
        # Far from 0, where the tolerances of torch.allclose do well too; around 0 they do not.
        "average_one_after_the_other": 1.5 + draw.normal(3, 5, 8).sigmoid(),
        "self_attention": 1 + draw.normal(3, 4, 5).sigmoid(),
    }  # fmt: skip
    ring = LAYERS["add_left_neighbor_on_a_ring"]
    around_0 = draw.normal(3, 5, 8)
    around_0 -= around_0.mean(1, keepdim=True)
    more = (
        (ring, three),
        (ring, five),
        (LAYERS["average_one_after_the_other"], around_0),
    )
    return [*((LAYERS[name], X) for name, X in tokens.items()), *more]


def _permutations(which, n):
    steps = torch.arange(n)
    if which == "copies":
        return [steps.index_fill(0, steps[i], j) for i in range(n) for j in range(i)]
    if which.endswith("stays"):
        inner = _permutations("shift and swap", n - 1)
        first = which == "the first stays"
        return [torch.cat([steps[:first], p + first, steps[n - 1 + first :]]) for p in inner]
    one = {"shift": steps.roll(1), "reversal": steps.flip(0), "drawn": torch.randperm(n),
           "swap": torch.cat([steps[:2].flip(0), steps[2:]])}  # fmt: skip
    if which == "of three":
        return list(map(torch.tensor, itertools.permutations(range(3))))
    return [one[name] for name in which.split(" and ")]


def my_is_equivariant(
    f, X, *, which="shift and swap", count="tokens", compare="along", axis=1, close=1e-5,
    seen="all", sign="both", join="all", report="found",
):  # fmt: skip
    def alike(p):
        back = p.argsort() if compare == "back" else p
        a = f(X if compare == "output" else X.index_select(put, p))
        b = f(X) if compare == "still" else f(X).index_select(put, back)
        a, b = (y.sort(1)[0] for y in (a, b)) if compare == "sorted" else (a, b)
        apart = (a - b) / (1e-3 + b.abs() if close == "relative" else 1)
        if seen != "all":
            apart = {"feature sums": apart.sum(-1), "total": apart.sum(),
                     "mean": apart.abs().mean(), "first sentence": apart[:1],
                     "first token": apart[:, :1], "first feature": apart[..., 0]}[seen]  # fmt: skip
        apart = apart if sign == "growth" else apart.abs()
        allowed = limit + 1e-3 * b.abs() if close == "and a share" else limit
        return bool((apart <= allowed).all())

    if report != "found":
        return report
    limit = 1e-5 if close in ("relative", "and a share") else close
    put, counted = (0, 1) if axis == "batch" else (axis, axis)
    counted = {"sentences": 0, "features": 2}.get(count, counted)
    votes = [alike(p) for p in _permutations(which, X.shape[counted])]
    return all(votes) if join == "all" else any(votes)


def _passes(case, got, expected):
    if got is True:
        return say("passes your test and", name=case[0].__name__)
    return say("is equivariant and fails", name=case[0].__name__) if got is False else None


EQUIVARIANCE = Exercise(
    my_is_equivariant,
    cases=_layers_and_tokens,
    explain=_passes,
    numbers={"layer": lambda case, *_: case[0].__name__},
)


# Causal self-attention


def my_causal_self_attention(
    X, W_q, W_k, W_v, *,
    scale="sqrt d", softmax="keys", product="pairs", roles="qkv", fill=-torch.inf, hidden="future",
    use="before", out="average",
):  # fmt: skip
    made = {"q": X @ W_q, "k": X @ W_k, "v": X @ W_v, "x": X}
    q, k, v = (made[letter] for letter in roles)
    size = X.shape[-1] if scale == "tokens" else k.shape[-1]
    how = "none" if scale == "weights" else "sqrt d" if scale == "tokens" else scale
    size, how = (math.isqrt(size) ** 2, "sqrt d") if scale == "whole" else (size, how)
    scores = scaled(how, multiplied(product, q, k), size, X.shape[1])
    ones = torch.ones(scores.shape[-2:], dtype=torch.bool)
    hidden, _, empty = hidden.partition(", ")
    mask = {
        "future": ones.triu(1),
        "none": ~ones,
        "past": ones.tril(-1),
        "seen": ones.tril(),
        "itself": ones.triu(),
        "itself but first": ones.triu(),
        "late": ones.triu(2),
    }[hidden]
    mask[0, 0] &= hidden != "itself but first"
    if use == "before":
        scores = scores.masked_fill(mask, -1e9 if empty == "even" else fill)
    elif not use.startswith(("after", "exponentials")):
        scores = scores + {"added": ~mask, "added to the future": mask,
                           "times infinity": mask * -torch.inf}[use]  # fmt: skip
    weights = scores.softmax(0) if softmax == "batch" else weighed(softmax, scores)
    weights = scores.exp() if use == "exponentials" else weights
    if use.startswith(("after", "exponentials")):
        weights = weights * ~mask
    if use in ("after, shared out", "exponentials"):
        weights = weights / weights.sum(-1, keepdim=True)
    weights = weights.nan_to_num() if empty == "zero" else weights
    weights = scaled("sqrt d", weights, size) if scale == "weights" else weights
    return weights @ v if out == "average" else weights


def _turned(X, W_q, W_k, W_v):
    """The weights are right, and the average is taken with their columns."""
    return my_causal_self_attention(X, W_q, W_k, W_v, out="weights").mT @ (X @ W_v)


def _shares(scores, past):
    return scores.masked_fill(~past, -torch.inf).softmax(-1)


def _by_scores(weigh=_shares, multiply=lambda q, k: q @ k.mT):
    """An answer that makes scores or weights in another way; past: where attending is allowed."""

    def answer(X, W_q, W_k, W_v):
        scores = scaled("sqrt d", multiply(X @ W_q, X @ W_k), W_k.shape[1])
        return weigh(scores, torch.ones_like(scores).tril() > 0) @ (X @ W_v)

    return answer


def _one_largest(scores, past):
    scores = scores.masked_fill(~past, -torch.inf)
    return F.normalize((scores - scores.max()).exp(), p=1, dim=-1, eps=0)


def _first_taken_off(scores, past):
    powers = (scores - scores[..., :1]).exp() * past
    return powers / powers.sum(-1, keepdim=True)


WEIGHTS = {
    "first taken off": _first_taken_off,
    "one largest": _one_largest,
    "clamped": lambda scores, past: scores.clamp(-50, 50).where(past, -torch.inf).softmax(-1),
    "zeros hidden": lambda scores, past: _shares(scores, past & (scores != 0)),
    "powers of 2": lambda scores, past: _shares(math.log(2) * scores, past),
}
PRODUCTS = {
    "16 bits": lambda q, k: (q.bfloat16() @ k.bfloat16().mT).to(q.dtype),
    "all sentences": lambda q, k: q @ k.sum(0).mT,
}


def _tokens_and_matrices(seed):
    draw = Draw(seed + 53)
    simple = torch.tensor([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0]])
    values = torch.tensor([[1.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
    far = torch.tensor([[[1.0, 0.0], [0.0004, 0.02]]])
    away, eye = torch.eye(2, 3), torch.eye(4)
    near = torch.tensor([[[17.0, 0.0, 1.0, 0.0], [17.125, 0.0, 0.0, 1.0]]])
    return [
        (torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]), simple, simple.flip(0), values),
        (torch.eye(2).unsqueeze(0), away, away, values),  # a score of 0
        (near, eye[:1].T * eye[0], eye[:1].T * eye[0], eye.roll(2, 1)),  # scores of 146 and 147
        # Scores of 13000 and 5: the larger one first, and the smaller one.
        *[(150 * X, side * away, away, values) for X in (far, far.flip(1)) for side in (-1, 1)],
        *[(draw.normal(*shape, size), *draw.normal(3, size, head_size))
          for *shape, size, head_size in
          [(1, 1, 5, 2), (1, 150, 2, 1), (3, 6, 8, 5), (2, 7, 3, 4)]],
    ]  # fmt: skip


def _outputs_apart(case, got, expected):
    """Which outputs are wrong, and what the first one should be."""
    if not isinstance(got, torch.Tensor) or got.shape != expected.shape or got.isnan().any():
        return None
    X, W_q, W_k, W_v = case
    future = torch.ones(X.shape[1], X.shape[1], dtype=torch.bool).triu(1)
    scores = (X @ W_q @ (X @ W_k).mT).masked_fill(future, -torch.inf)
    if told := divided_told(scores, lambda w: w.tril() @ (X @ W_v), got, W_k.shape[1]):
        return told
    wrong = ~torch.isclose(got.to(expected), expected, 1e-5, 1e-5).all(-1)  # (batch, n)
    sentence = wrong.any(1).int().argmax().item()
    first = wrong[sentence].int().argmax().item()
    if not got[sentence, first].any():
        large = scores[sentence, first, : first + 1].abs().max() > 50
        return say("nothing left" if large else "left out", sentence=sentence, first=first)
    if first > 0:
        scores, values = scores[sentence, first], (X @ W_v)[sentence]
        for kept in range(1, first + 1):  # the last so many tokens
            seen = slice(first + 1 - kept, first + 1)
            shares = (scores[seen] / math.sqrt(W_k.shape[1])).softmax(0)
            if torch.allclose(shares @ values[seen], got[sentence, first], 1e-4, 1e-5):
                return say("the last alone", kept=kept, first=first)
        return say("output 0 is right", sentence=sentence, first=first)
    right, yours = expected[sentence, 0], got[sentence, 0]
    place = (right - yours).abs().argmax().item()
    return say(
        "token 0 may attend", sentence=sentence, place=place, right=right[place], yours=yours[place]
    )


CAUSAL_HEAD = Exercise(
    my_causal_self_attention,
    cases=_tokens_and_matrices,
    explain=_outputs_apart,
    wrong={use.removeprefix("after, "): partial(my_causal_self_attention, use=use)
           for use in ("after, shared out", "exponentials")}
    | {name: _by_scores(weigh) for name, weigh in WEIGHTS.items()}
    | {name: _by_scores(multiply=multiply) for name, multiply in PRODUCTS.items()}
    | {"turned": _turned},
    forbids={"attn_teach": say("and the exercise asks")}
    | {f"torch.{name}": say("which is numpy and")
       for name in ("Tensor.numpy", "Tensor.__array__", "from_numpy")},
    numbers={
        "first": lambda case, got, expected: f"{expected[0, 0, 0].item():.3g}",
        "got": lambda case, got, expected: f"{got[0, 0, 0].item():.3g}",
        "size": lambda case, *_: case[0].shape[-1],
        "head_size": lambda case, *_: case[1].shape[-1],
    },
)  # fmt: skip


# The influence test


def my_influence(
    f, X, *, change="uneven", limit=1e-6, features="any", sentences="any", sign="both", fresh=True,
    compare="outputs", own=True, loop="tokens", report="found",
):  # fmt: skip
    n, changed, columns = X.shape[1], X.clone(), []
    for j in range(n if loop == "tokens" else len(X)):
        changed = X.clone() if fresh else changed
        some = {"from here": slice(j, None), "up to here": slice(j + 1)}.get(change, j)
        token = changed[j] if change == "sentence" else changed[:, some]
        uneven = torch.linspace(0.5, 1.5, X.shape[2]).to(X) ** 2
        if change == "swap":
            pair = [j, (j + 1) % n]
            changed[:, pair] = X[:, pair[::-1]]
        token += {"same": 1, "erase": -token, "double": token,
                  "one number": 1 - token, "scaled and same": token / 2 + 0.1,
                  "first feature": _at(X, 2)[0] == 0, "swap": 0}.get(change, uneven)  # fmt: skip
        if sentences == "alone":
            moved = torch.cat(
                [f(a) - f(b) for a, b in zip(changed.split(1), X.split(1), strict=True)]
            )
        else:
            moved = f(changed) - (f(X) if compare == "outputs" else X)  # (batch, n, size)
        moved = {"first": moved[..., :1], "sum": moved.sum(-1, True)}.get(features, moved)
        moved = {"first": moved[:1], "sum": moved.sum(0, True)}.get(sentences, moved)
        moved = (moved if sign == "growth" else moved.abs()) > limit
        moved = moved.all(-1) if features == "all" else moved.any(-1)
        if sentences != "kept":
            moved = moved.all(0) if sentences == "all" else moved.any(0)
        columns.append(moved)
    found = torch.stack(columns, -1) & (report == "found")
    return found if own else found & ~torch.eye(n, dtype=torch.bool)


def _layers_to_probe(seed):
    draw = Draw(seed + 54)
    shapes = {
        "running_sum": (2, 5, 4), "average_of_real_tokens": (3, 4, 5), "average_of_all": (4, 3, 2),
        "hear_last_feature_of_token_0": (2, 4, 3), "hear_first_feature_of_last_token": (2, 4, 3),
        "write_into_last_feature": (2, 4, 3),
        "hear_a_whisper_of_last_token": (2, 4, 3), "hear_one_up_one_down": (2, 3, 4),
        "hear_up_in_one_sentence_down_in_the_next": (2, 4, 3),
        "hear_direction_of_token_before": (2, 4, 3), "normalize_and_add_next_token": (2, 3, 4),
        "subtract_token_before_twice": (2, 3, 5), "double_each_token": (1, 1, 7),
    }  # fmt: skip
    quarters = draw.whole(-3, 3, 2, 3, 4) / 4
    quarters[:, 1] = 1  # one number in all features
    signs = torch.tensor([-9.0, 9.0]).view(2, 1, 1)  # only the second sentence is above 0
    return [
        (LAYERS["add_token_before"], torch.tensor([[[1.0, 2.0], [0.0, 0.0], [3.0, 5.0]]])),
        # Quarters: the mean of the features is exact, with nothing to round.
        (LAYERS["center_and_add_next_token"], quarters),
        *[(LAYERS[name], draw.normal(*shape)) for name, shape in shapes.items()],
        (LAYERS["hear_token_0_where_it_is_above_0"], draw.normal(2, 3, 2) + signs),
        (LAYERS["round_another_way"], draw.normal(4, 3, 20) / 8),
    ]


def _cells(case, got, expected):
    """How many cells of a picture are wrong, and which way."""
    if getattr(got, "dtype", None) != torch.bool:
        return None
    if got.shape != expected.shape:
        n = len(expected)
        return say("here x holds tokens", n=n, shape=tuple(got.shape))
    missed, extra = (expected & ~got), (got & ~expected)
    told = []
    if missed.any():
        above = "" if missed.tril().any() else say("all above the diagonal")
        told.append(
            say("you miss of the", missed=missed.sum(), expected=expected.sum(), above=above)
        )
    if extra.any():
        told.append(say("of your cells that", extra=extra.sum()))
    return " ".join(told)


INFLUENCE = Exercise(
    my_influence,
    cases=_layers_to_probe,
    explain=_cells,
    forbids={
        f"torch.{name}": say("and the exercise asks to")
        for name in ["autograd.grad", "autograd.backward", "Tensor.backward", "func.grad",
                     "autograd.functional.jacobian", "func.jacrev", "func.jacfwd"]
    },
)  # fmt: skip


# The two steps, by hand


def my_copier(
    X, strength, *,
    roles="ltl", note="before", first="nothing", hidden="future", use="before", softmax="keys",
    scale="strength", out="average",
):  # fmt: skip
    n = len(X)
    before = torch.ones(n, n).tril(-1).to(X)  # [i, j]: j stands before i
    notes = {
        "before": _moved(X[None], 1)[0],
        "next": _moved(X[None], -1)[0],
        "two before": _moved(X[None], 2)[0],
        "average": before / before.sum(-1, keepdim=True).clamp(min=1) @ X,
        "soft": strength * torch.eye(n)[[0, *range(n - 1)]],
    }[note]
    if note == "soft":  # a softmax over the places, where the first letter finds itself
        notes = notes.masked_fill(before.T > 0, -torch.inf).softmax(-1) @ X
    if first != "nothing":
        notes[0] = X[0 if first == "itself" else -1]
    made = {"l": X, "t": notes, "s": X + notes, "n": _moved(X[None], -1)[0]}
    queries, keys, values = (made[letter] for letter in roles)
    times = {"strength": strength, "none": 1, "sqrt d": strength / math.sqrt(X.shape[1])}[scale]
    scores = times * queries @ keys.T
    mask = {"future": 1, "none": n, "itself": 0, "itself but first": 0}[hidden]
    mask = torch.ones(n, n).triu(mask) > 0
    mask[0, 0] &= hidden != "itself but first"
    if use == "minus 10":
        scores = scores - 10.0 * mask
    elif use != "after":
        scores = scores.masked_fill(mask, 0 if use == "zeros" else -torch.inf)
    if softmax == "equal shares":
        most = (scores == scores.max(-1, keepdim=True)[0]).to(X)
        weights = most / most.sum(-1, keepdim=True)
    else:
        weights = weighed(softmax, scores)
    weights = weights * ~mask if use == "after" else weights
    result = weights @ values
    best = F.one_hot(result.argmax(-1), result.shape[-1]).to(X)
    other = {"weights": weights, "plus X": X + result, "last": result[-1], "one letter": best}
    return result.argmax(-1) if out == "number" else other.get(out, result)


def _at_one_place(X, strength, which):
    rows = []
    for i in range(len(X)):
        found = [j for j in range(1, i + 1) if torch.equal(X[j - 1], X[i])]
        scores = torch.zeros(i + 1).to(X)
        if found:
            scores[found[which]] = strength
        rows.append(scores.softmax(0) @ X[: i + 1])
    return torch.stack(rows)


def _texts(seed):
    draw, texts = Draw(seed + 56), []
    for letters, n in ((4, 7), (16, 12), (5, 9)):
        texts.append(torch.eye(letters)[draw.whole(0, letters - 1, n)])
    small = torch.eye(2)[[0, 1, 0]]
    return [
        (small, 2.0),
        (torch.eye(3)[[0, 1, 2, 0]], 5.0),
        (torch.eye(3)[[0, 1, 0, 2, 0]], 4.0),  # a letter that stood twice before
        *zip(texts, (3.0, 8.0, 1.5 + seed), strict=True),
        (torch.eye(4)[[2, 2, 1]], 20.0),
    ]


def _reads(case, got, expected):
    """At the first wrong place: which letters come out, and which should."""
    if getattr(got, "shape", None) != expected.shape or got.isnan().any():
        return None
    place = (got - expected).abs().amax(-1).gt(1e-4).int().argmax().item()
    letter, yours, right = (a[place].argmax().item() for a in (case[0], got, expected))
    if yours == right or expected[place, right] < 0.6 or got[place, yours] < 0.5:
        return None
    return say("reads another letter", place=place, letter=letter, yours=yours, right=right)


COPIER = Exercise(
    my_copier,
    cases=_texts,
    explain=_reads,
    wrong={
        f"{name} time": partial(_at_one_place, which=n) for name, n in (("last", -1), ("first", 0))
    },
    numbers={"letters": lambda case, *_: case[0].shape[1]},
)


# Count the multiplications


def my_attention_operations(
    n, d, *, projections=4, matrix="d d", tokens="each", products=2, pairs="all", inner="d",
    extra=0, power="**", report="sum",
):  # fmt: skip
    if power == "^, without brackets":
        return 4 * n * d ^ 2 + 2 * n ^ 2 * d
    pair_count = {"all": n ^ 2 if power == "^" else n * n, "allowed": n * (n + 1) // 2}[pairs]
    square = d ^ 2 if power == "^" else d * d
    first = projections * (square if matrix == "d d" else d) * (n if tokens == "each" else 1)
    second = {"d": products * d, 1: products, "1 in the scores": 1 + (products - 1) * d,
              "n in the sum": d + (products - 1) * n}[inner] * pair_count  # fmt: skip
    total = first * second if report == "product" else first + second + extra * pair_count
    if report == "whole half":
        return 4 * n * d * (d + n // 2)
    if report == "32 bits":
        return (total + 2**31) % 2**32 - 2**31
    return 2 * d if report == "half" else total


def _difference(case, got, expected):
    n, d = case
    if isinstance(got, (int, float)) and not isinstance(got, bool) and math.isfinite(got):
        if got > 2 * expected and got % expected == 0:
            return say("so many times", n=n, d=d, times=got // expected)
        if abs(got - expected) < 1e-6 * expected:
            return say("rounded", n=n, d=d, apart=abs(got - expected))
        apart = f"{abs(got - expected):,.12g} too {'many' if got > expected else 'few'}"
        return say("for n and d", n=n, d=d, apart=apart, n_2=n * d * d, n_3=n * n * d)


OPERATIONS = Exercise(
    my_attention_operations,
    explain=_difference,
    cases=lambda seed: [
        (2, 3),
        (1, 4),
        (5, 2),
        (7, 1),
        (8 + seed, 32),
        (50, 16),
        (96, 12),
        (1501, 401),
    ],
    kinds=True,
    wrong={"exchanged": lambda n, d: my_attention_operations(d, n)},
    numbers={
        "n": lambda case, *_: case[0],
        "d": lambda case, *_: case[1],
        "got": lambda case, got, expected: f"{int(got):,}, not {expected:,}",
    },
)


EXERCISES, QUESTIONS = tell(
    __name__, QUERY_MATRIX, EQUIVARIANCE, CAUSAL_HEAD, INFLUENCE, COPIER, OPERATIONS
)
