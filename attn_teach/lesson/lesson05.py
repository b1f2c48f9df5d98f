"""Exercises and questions of lesson 05, self-attention."""

import torch

from .common import Draw, played, scaled, weighed
from .engine import Exercise
from .words import tell

# 5.1 A verb looks for its subject

FEATURES = ["determiner", "noun", "pronoun", "adjective", "verb", "conjunction", "alive", "place"]


def my_query_matrix(
    strength, *, asker="verb", wishes="noun and alive", value="strength", second="strength",
    start="zeros", count=0, mirrored=False, shape="matrix",
):  # fmt: skip
    W_q = torch.eye(8) if start == "identity" else torch.zeros(8, 8)
    if start == "section 2":
        for row, column in [("adjective", "noun"), ("alive", "alive"), ("place", "place")]:
            W_q[FEATURES.index(row), FEATURES.index(column)] = strength
    value = strength if value == "strength" else value
    columns = [FEATURES.index(wish) for wish in wishes.removesuffix(" in turn").split(" and ")]
    for row in FEATURES if asker == "everybody" else [asker]:
        row = FEATURES.index(row)
        for number, column in enumerate(columns):
            W_q[row, (column + count) % 8] = second if number and second != "strength" else value
            row = column if wishes.endswith("in turn") else row
    W_q = W_q.roll(count, 0) + mirrored * W_q.mT
    return {"matrix": W_q, "row": W_q[4 + count], "column": W_q[4 + count].unsqueeze(-1)}[shape]


def _in_words(matrix):
    """The matrix as a sentence: who asks for what."""
    wishes = []
    for name, row in zip(FEATURES, matrix.tolist(), strict=True):
        asked = [f"{f} {w:g}" for f, w in zip(FEATURES, row, strict=True) if w]
        wishes += [f"{name} asks for {' and '.join(asked)}"] if asked else []
    return "; ".join(wishes) or "nobody asks for anything"


QUERY_MATRIX = Exercise(
    my_query_matrix,
    cases=lambda seed: [(8.0,), (2.75,), (-3.0 - seed,)],
    show=_in_words,
    numbers={"strength": lambda case, got, expected: f"{case[0]:g}"},
)


# 5.2 A test of equivariance. Each case is a layer, named after what it does; some serve 5.4 too.


def _layers(seed):
    """The layers by name; each maps (batch, n, size) to the same shape."""
    mix = Draw(seed + 5).normal(8, 8)

    def place(X, share=1.0):
        return share * torch.arange(X.shape[1]).to(X).unsqueeze(-1)

    def signs(X, axis):
        shape = [1] * axis + [-1] + [1] * (2 - axis)
        return (1 - 2 * (torch.arange(X.shape[axis]) % 2)).to(X).view(shape)

    def pushed(X, step):  # the neighbors at this side, 0 at the end
        return torch.nn.functional.pad(X, (0, 0, *((step, 0) if step > 0 else (0, -step))))[
            :, max(0, -step) : X.shape[1] + max(0, -step)
        ]

    def at(X, token, feature, change):  # change is added to one token or feature
        here = torch.zeros(X.shape[1:]).to(X)
        here[token, feature] = 1
        return X + here * change

    def sums(X):
        total = 0 * X[:, 0]
        for token in X.unbind(1):  # one after the other: another order is rounded differently
            total = total + token
        return (total / X.shape[1]).unsqueeze(1).expand_as(X)

    def attention(X, causal):
        scores = X @ mix[: X.shape[2], : X.shape[2]].to(X) @ X.mT / 8
        if causal:
            future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, -torch.inf)
        return scores.softmax(-1) @ X

    def average_of_real_tokens(X):
        lens = torch.tensor([2, 4, 1])[: len(X)].view(-1, 1, 1)  # the rest stay alone
        real = torch.arange(X.shape[1]).unsqueeze(-1) < lens
        return torch.where(real, (X * real).sum(1, keepdim=True) / lens, X)

    def direction(X):
        return X / X.norm(dim=-1, keepdim=True).clamp(min=1e-12)

    def rounded(X):
        shift = 1 + X.sum((1, 2), keepdim=True).sigmoid()
        return (X + shift) - shift

    def center_and_add_next(X):
        centered = X - X.mean(-1, keepdim=True)
        return centered + pushed(centered, -1)

    last = slice(-1, None)
    found = {
        "keep_each_token": lambda X: 1 * X,
        "double_each_token": lambda X: 2 * X,
        "running_sum": lambda X: X.cumsum(1),
        "subtract_first_token": lambda X: X - X[:, :1],
        "subtract_second_token": lambda X: X - X[:, 1:2],
        "subtract_last_token": lambda X: X - X[:, -1:],
        "add_left_neighbor_on_a_ring": lambda X: X + 2 * X.roll(1, 1),
        "add_both_neighbors": lambda X: X + 2 * pushed(X, 1) + 2 * pushed(X, -1),
        "add_both_neighbors_on_a_ring": lambda X: X + 2 * X.roll(1, 1) + 2 * X.roll(-1, 1),
        "average_of_all": lambda X: X.mean(1, keepdim=True).expand_as(X),
        "average_plus_place": lambda X: X.mean(1, keepdim=True) + place(X),
        "average_one_after_the_other": sums,
        "lean_a_little": lambda X: X + place(X, 0.0002),
        "lean_in_the_last_sentence": lambda X: torch.cat([X[:-1], X[-1:] + place(X)]),
        "lean_one_up_one_down": lambda X: X + place(X) * signs(X, 2),
        "lean_in_the_last_feature": lambda X: at(X, slice(None), -1, place(X)),
        "add_one_to_token_2": lambda X: at(X, 2, slice(None), 1.0),
        "add_one_to_token_3": lambda X: at(X, 3, slice(None), 1.0),
        "add_number_of_sentence": lambda X: X + torch.arange(len(X)).to(X).view(-1, 1, 1),
        "mix_the_features": lambda X: X @ mix[: X.shape[2], : X.shape[2]].to(X),
        "self_attention": lambda X: attention(X, False),
        "causal_self_attention": lambda X: attention(X, True),
        "add_token_before": lambda X: X + pushed(X, 1),
        "average_of_real_tokens": average_of_real_tokens,
        "center_and_add_next_token": center_and_add_next,
        "hear_last_feature_of_token_0": lambda X: at(X, slice(None), 0, X[:, :1, -1:]),
        "hear_first_feature_of_last_token": lambda X: at(X, slice(None), -1, X[:, last, :1]),
        "write_into_last_feature": lambda X: at(X, slice(None), -1, X[:, :1].sum(-1, True)),
        "hear_a_whisper_of_last_token": lambda X: X + 0.0002 * X[:, -1:],
        "hear_one_up_one_down": lambda X: X + X[:, :1].sum(-1, True) * signs(X, 2),
        "hear_up_in_one_sentence_down_in_the_next": lambda X: X + X[:, :1] * signs(X, 0),
        "hear_direction_of_token_before": lambda X: X + pushed(direction(X), 1),
        "hear_square_of_token_0": lambda X: X + (X[:, :1] ** 2).sum(-1, True),
        "subtract_token_before": lambda X: X - pushed(X, 1),
        "round_another_way": rounded,
    }
    for name, layer in found.items():
        layer.__name__ = name
    return found


def _layers_and_tokens(seed):
    layer, draw = _layers(seed), Draw(seed + 52)
    # No single permutation of three tokens exposes all four layers that subtract a token or look
    # around a ring: for each permutation there is one that moves with it.
    three, five = torch.tensor([[[3.0], [1.0], [4.0]]]), torch.tensor([[[1.0], [4], [2], [6], [3]]])
    of_three = ["running_sum", "subtract_first_token", "subtract_second_token",
                "subtract_last_token", "add_left_neighbor_on_a_ring"]  # fmt: skip
    of_five = ["add_left_neighbor_on_a_ring", "add_both_neighbors", "add_both_neighbors_on_a_ring",
               "average_of_all", "average_plus_place", "lean_a_little",
               "add_one_to_token_2", "add_one_to_token_3"]  # fmt: skip
    drawn = {
        "keep_each_token": (2, 4, 3), "add_number_of_sentence": (5, 4, 2),
        "mix_the_features": (2, 5, 3), "lean_in_the_last_sentence": (3, 5, 2),
        "lean_one_up_one_down": (2, 5, 4), "lean_in_the_last_feature": (2, 4, 3),
        "self_attention": (3, 4, 5),
    }  # fmt: skip
    return [
        (layer["double_each_token"], torch.tensor([[[1.0], [3.0]]])),
        *[(layer[name], three) for name in of_three],
        *[(layer[name], five) for name in of_five],
        *[(layer[name], draw.normal(*shape)) for name, shape in drawn.items()],
        (layer["average_one_after_the_other"], 1.5 + draw.normal(3, 5, 8).sigmoid()),
        (layer["causal_self_attention"], 2 * draw.normal(2, 4, 3)),
    ]


def _permutations(which, n):
    steps = torch.arange(n)
    swap = torch.cat([steps[:2].flip(0), steps[2:]])
    one = {"shift": steps.roll(1), "swap": swap, "reversal": steps.flip(0),
           "last two": n - 1 - swap.flip(0),
           "ends": torch.cat([steps[-1:], steps[1:-1], steps[: min(1, n - 1)]])}  # fmt: skip
    return [torch.randperm(n)] if which == "drawn" else [one[w] for w in which.split(" and ")]


def my_is_equivariant(
    f, X, *,
    which="shift and swap", compare="along", axis=1, close=1e-5, seen="all", join="all",
    report="found",
):  # fmt: skip
    def moved(A, p):
        return A.index_select(0 if axis == "batch" else axis, p)

    def alike(p):
        a, b = f(moved(X, p)), moved(f(X), p)
        if compare != "along":
            b = {"still": f(X), "back": moved(f(X), p.argsort()), "input": moved(X, p)}.get(compare)
        if compare == "output":
            a, b = f(X), moved(f(X), p)
        apart = a - b
        if seen in ("feature sums", "total"):
            apart = apart.sum(-1) if seen == "feature sums" else apart.sum()
        part = {"first sentence": apart[:1], "first feature": apart[..., :1],
                "first token": apart[:, :1]} if apart.dim() == 3 else {}  # fmt: skip
        apart = part.get(seen, apart)
        near = (apart if seen == "growth" else apart.abs()) <= close
        return bool(near.any() if seen == "any number" else near.all())

    if report != "found":
        return report
    votes = [alike(p) for p in _permutations(which, X.shape[1 if axis == "batch" else axis])]
    return all(votes) if join == "all" else any(votes)


EQUIVARIANCE = Exercise(my_is_equivariant, cases=_layers_and_tokens)


# 5.3 Causal self-attention by hand


def my_causal_self_attention(
    X, W_q, W_k, W_v, *,
    scale="sqrt d", softmax="keys", roles="qkv", fill=-torch.inf, hidden="future", use="before",
    out="average",
):  # fmt: skip
    projected = X @ W_q, X @ W_k, X @ W_v
    q, k, v = played(roles.replace("x", "v"), *projected)
    v = X if roles.endswith("x") else v
    scores = q @ k.mT
    scores = scores / X.shape[-1] ** 0.5 if scale == "tokens" else scaled(
        scale, scores, k.shape[-1], X.shape[1])  # fmt: skip
    ones = torch.ones(scores.shape[-2:], dtype=torch.bool)
    mask = {"future": ones.triu(1), "none": ~ones, "past": ones.tril(-1), "seen": ones.tril(),
            "itself": ones.triu(), "late": ones.triu(2), "all but itself": ones ^ ones.diag().diag(),
            "far": ones.triu(1) | ones.tril(-2)}[hidden]  # fmt: skip
    if use == "before":
        scores = scores.masked_fill(mask, fill)
    elif use == "added":
        scores = scores + ~mask
    weights = scores.softmax(0) if softmax == "batch" else weighed(softmax, scores)
    if use.startswith("after"):
        weights = weights * ~mask
    if use == "after, shared out":
        weights = weights / weights.sum(-1, keepdim=True)
    return {"average": lambda: weights @ v, "weights": lambda: weights, "scores": lambda: scores,
            "turned": lambda: weights.mT @ v}[out]()  # fmt: skip


def _tokens_and_matrices(seed):
    draw = Draw(seed + 53)
    simple = torch.tensor([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0]])
    values = torch.tensor([[1.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
    far = torch.tensor([[[1.0, 0.0], [0.01, 0.02], [0.03, 0.01], [0.02, 0.02]]])
    away = torch.eye(2, 3)
    return [
        (torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]), simple, simple.flip(0), values),
        (draw.normal(1, 1, 5), *draw.normal(3, 5, 2)),
        *[(size * far, -away, away, values) for size in (3e3, 1e5)],
        (draw.normal(3, 6, 8), *draw.normal(3, 8, 5)),
        (draw.normal(2, 7, 3), *draw.normal(3, 3, 4)),
    ]


CAUSAL_HEAD = Exercise(
    my_causal_self_attention,
    cases=_tokens_and_matrices,
    forbids={"attn_teach": "and the exercise asks to use only torch."},
    numbers={
        "first": lambda case, got, expected: f"{expected[0, 0, 0].item():.3g}",
        "got": lambda case, got, expected: f"{got[0, 0, 0].item():.3g}",
        "size": lambda case, got, expected: case[0].shape[-1],
        "head_size": lambda case, got, expected: case[1].shape[-1],
    },
)


# 5.4 The influence test


def my_influence(
    f, X, *,
    change="uneven", limit=1e-6, features="any", sentences="any", sign="both", fresh=True,
    compare="outputs", own=True, loop="tokens", report="found",
):  # fmt: skip
    n, changed, columns = X.shape[1], X.clone(), []
    ones = torch.ones(n, n, dtype=torch.bool)
    if report != "found":
        return {"nothing": ~ones, "everything": ones, "triangle": ones.tril()}[report]
    for j in range(n if loop == "tokens" else len(X)):
        changed = X.clone() if fresh else changed
        token = changed[j] if change == "sentence" else changed[:, j]
        if change == "first feature":
            token[..., 0] += 1
        elif change == "last feature":
            token[..., -1] += 1
        else:
            uneven = torch.linspace(0.5, 1.5, X.shape[2]).to(X) ** 2
            token += {"uneven": uneven, "same": 1, "sentence": uneven, "erase": -token,
                      "double": token, "negate": -2 * token, "ones": 1 - token}[change]  # fmt: skip
        before = {"outputs": f(X), "tokens": X, "changed": changed}[compare]
        moved = f(changed) - before  # (batch, n, size)
        moved = {"first": moved[..., :1], "sum": moved.sum(-1, True)}.get(features, moved)
        moved = {"first": moved[:1], "sum": moved.sum(0, True)}.get(sentences, moved)
        moved = (moved if sign == "growth" else moved.abs()) > limit
        moved = moved.all(-1) if features == "all" else moved.any(-1)
        columns.append(moved.all(0) if sentences == "all" else moved.any(0))
    found = torch.stack(columns, 1)
    return found if own else found & ~torch.eye(n, dtype=torch.bool)


def _layers_to_probe(seed):
    layer, draw = _layers(seed), Draw(seed + 54)
    # Quarters: the mean of the features is exact, with nothing to round.
    quarters = draw.whole(-3, 3, 2, 3, 4) / 4
    drawn = {
        "running_sum": (2, 5, 4), "average_of_real_tokens": (3, 4, 5),
        "hear_last_feature_of_token_0": (2, 4, 3), "hear_first_feature_of_last_token": (2, 4, 3),
        "write_into_last_feature": (2, 4, 3), "hear_a_whisper_of_last_token": (2, 4, 3),
        "hear_one_up_one_down": (2, 3, 4),
        "hear_up_in_one_sentence_down_in_the_next": (2, 4, 3),
        "hear_direction_of_token_before": (2, 4, 3), "hear_square_of_token_0": (1, 4, 2),
        "subtract_token_before": (2, 3, 5), "average_of_all": (4, 3, 2),
        "round_another_way": (4, 3, 20),
    }  # fmt: skip
    return [
        (layer["add_token_before"], torch.tensor([[[1.0, 2.0], [0.0, 0.0], [1.0, 1.0]]])),
        (layer["center_and_add_next_token"], quarters),
        *[(layer[name], draw.normal(*shape)) for name, shape in drawn.items()],
        (layer["double_each_token"], draw.normal(1, 1, 7)),
    ]


_SLOPES = "and the exercise asks to do without derivatives: change a token and look."
INFLUENCE = Exercise(
    my_influence,
    cases=_layers_to_probe,
    forbids={
        f"torch.{name}": _SLOPES
        for name in ["autograd.grad", "autograd.backward", "Tensor.backward", "func.grad",
                     "autograd.functional.jacobian", "func.jacrev", "func.jacfwd"]
    },
)  # fmt: skip


# 5.5 Count the multiplications


def my_attention_operations(
    n, d, *,
    projections=4, matrix="d d", tokens="each", products=2, pairs="all", inner="d", extra="none",
    sizes="right", additions=False, report="sum",
):  # fmt: skip
    n, d = (d, n) if sizes == "exchanged" else (n, d)
    of_token = {"d d": d * (d + additions * (d - 1)), "d": d, "2 d": 2 * d, "n d": n * d}[matrix]
    count = {"all": n * n, "allowed": n * (n + 1) // 2, "others": n * (n - 1), "n": n}[pairs]
    of_pair = {"d": d, 1: 1, "d d": d * d}[inner]
    first = projections * of_token * (n if tokens == "each" else 1)
    second = products * count * of_pair
    if additions:  # a score adds d numbers, an output n
        second += count * (d - 1) * (products > 0) + n * (n - 1) * d * (products > 1)
    more = {"none": 0, "n n": n * n, "2 n n": 2 * n * n, "n d": n * d}[extra]
    return {"sum": first + second + more, "product": first * second, "half": 2 * d}[report]


OPERATIONS = Exercise(
    my_attention_operations,
    cases=lambda seed: [(2, 3), (1, 4), (5, 2), (7, 1), (8 + seed, 32), (256, 32), (4096, 512)],
    numbers={
        "n": lambda case, got, expected: case[0],
        "d": lambda case, got, expected: case[1],
        "got": lambda case, got, expected: f"{int(got):,}",
        "expected": lambda case, got, expected: f"{expected:,}",
    },
)


EXERCISES, QUESTIONS = tell(
    __name__, QUERY_MATRIX, EQUIVARIANCE, CAUSAL_HEAD, INFLUENCE, OPERATIONS
)
