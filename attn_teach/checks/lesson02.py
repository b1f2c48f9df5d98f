"""Exercises and questions of lesson 02, scoring functions."""

import math

import torch
from torch.overrides import TorchFunctionMode

from ..scoring import distance_scores
from .engine import Exercise, Mistake, Question


def _random(*shape, seed):
    """Random numbers with one decimal, which are easier to read."""
    numbers = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    return (10 * numbers).round() / 10 + 0.0  # no -0


def _first_row(weights):
    """What the weights of the first query sum to."""
    return weights.sum(-1).flatten()[0].item()


def _swapped(scores):
    """The same scores, (..., keys, queries)."""
    return lambda *case: scores(*case).transpose(-2, -1)


def _by_reshape(keys):
    """The keys in the shape of a transpose, with the numbers in the wrong places."""
    return keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])


def _all_reversed(keys):
    """What keys.T is: all axes in reversed order."""
    return keys.permute(*reversed(range(keys.dim())))


def _default_axis(scores):
    """The axis that F.softmax takes when none is given."""
    return 0 if scores.dim() in (0, 1, 3) else 1


_TRANSPOSED_ALL = (
    "Right without a batch. But .T reverses *all* axes, so that with a batch in front the batch "
    "axis goes to the end. Exchange the last two axes only."
)
_POSED_AS_TRANSPOSE = (
    "You reshaped the keys where they must be transposed: the shape is right, but each column now "
    "mixes the numbers of several keys."
)
_AXES_FROM_THE_FRONT = (
    "Right with exactly one batch axis. Without one, or with two, axes 1 and 2 are not the last "
    "two: count from the end, -2 and -1."
)
_BMM = (
    "Right with exactly one batch axis: torch.bmm wants three axes and no other number, and so "
    "does einsum with a letter for each. The operator @ takes any number of leading axes."
)
_NO_BATCH = (
    "Right without a batch, and an error with one: torch.mm, .t(), or a letter of einsum for each "
    "axis allow two axes only. The operator @ takes any number of leading axes."
)
_EVERY_EXAMPLE = (
    "Right without a batch. With one, every example's queries meet the keys of *all* examples. "
    "Each example must stay with itself, as in a batch matrix product."
)


# 2.1 The right axis


def _softmax(axis):
    return lambda scores: scores.softmax(axis(scores) if callable(axis) else axis)


def _exp_over_sum(scores):
    raw = scores.exp()
    return raw / raw.sum(-1, keepdim=True)


def _exp_over_flat_sum(scores):
    raw = (scores - scores.amax(-1, keepdim=True)).exp()
    return raw / raw.sum(-1)


def _exp_over_sum_shifted(scores):
    raw = (scores - scores.max()).exp()
    return raw / raw.sum(-1, keepdim=True)


WEIGHTS = Exercise(
    name="my_weights",
    solution=_softmax(-1),
    cases=lambda: [
        (torch.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 1.0]]),),
        (2 * _random(1, 3, 2, seed=20),),
        (2 * _random(2, 3, 4, seed=21),),
        (2 * _random(4, 4, 4, seed=22),),
        (torch.tensor([[1000.0, 3.0, -40.0], [-1200.0, -1000.0, -1100.0]]),),
        (_random(5, 4, 1, seed=23),),  # a single key
        (2 * _random(3, 2, 4, 5, seed=24),),
    ],
    mistakes=[
        Mistake(
            _softmax(1),
            lambda case, got, expected: (
                f"This is still the colleague's axis. It is right for (queries, keys), but with a "
                f"batch in front axis 1 no longer holds the keys: here the first query's weights "
                f"sum to {_first_row(got):.2f}."
            ),
        ),
        Mistake(
            _softmax(2),
            "Right with exactly one batch axis. Without it there is no axis 2, and with two "
            "leading axes it holds the queries.",
        ),
        Mistake(
            _softmax(-2),
            lambda case, got, expected: (
                f"The columns sum to 1, the rows do not (the first one to {_first_row(got):.2f}): "
                f"the softmax runs over the queries, so each key hands out a total of 1. Each "
                f"query must."
            ),
        ),
        Mistake(
            _softmax(0),
            lambda case, got, expected: (
                f"Axis 0 is the first one, the queries or the batch. The first query's weights sum "
                f"to {_first_row(got):.2f} instead of 1."
            ),
        ),
        Mistake(
            _softmax(_default_axis),
            "You did not say which axis, so PyTorch picked one itself: for three axes the first "
            "one, the batch. Name the axis.",
        ),
        Mistake(
            lambda scores: scores.flatten(-2).softmax(-1).view_as(scores),
            "In each table all weights *together* sum to 1. Every query, that is every row, has a "
            "total of 1 of its own.",
        ),
        Mistake(
            lambda scores: scores.flatten().softmax(0).view_as(scores),
            "All weights of the whole tensor together sum to 1. Every query, that is every row, "
            "has a total of 1 of its own.",
        ),
        Mistake(
            lambda scores: scores.exp(),
            lambda case, got, expected: (
                f"These are the exponentials, not yet divided by their sum: the first query's "
                f"weights sum to {_first_row(got):.2f}."
            ),
        ),
        Mistake(
            lambda scores: scores / scores.sum(-1, keepdim=True),
            "You divided the scores by their sum. That would let negative scores become negative "
            "weights; the exponential comes first.",
        ),
        Mistake(
            _exp_over_sum,
            "Right for small scores. But exp(1000) is infinite in floating point and exp(-1000) is "
            "0, so the quotient is NaN. A ready-made softmax subtracts each row's maximum first.",
        ),
        Mistake(
            _exp_over_sum_shifted,
            "Right for small scores. But you subtract the maximum of the *whole* tensor: in a row "
            "that lies far below it all exponentials are 0, and 0 / 0 is NaN. Each row needs its "
            "own maximum.",
        ),
        Mistake(
            _exp_over_flat_sum,
            "The sum lost its axis: (queries, keys) is divided by (queries,), which pairs the sums "
            "with the keys, without an error when there are as many of both.",
        ),
        Mistake(
            lambda scores: scores.log_softmax(-1),
            "The right axis, but these are the logarithms of the weights: they are negative. "
            "log_softmax is for losses.",
        ),
        Mistake(
            lambda scores: scores.softmax(-1).softmax(-1),
            "You took the softmax twice. Weights between 0 and 1 as scores differ by at most 1, so "
            "the second softmax flattens everything.",
        ),
        Mistake(
            lambda scores: (scores / math.sqrt(scores.shape[-1])).softmax(-1),
            "You divided by the root of the number of keys. The scores come with their scale; it "
            "has to do with the size of a query, which is not known here.",
        ),
        Mistake(
            lambda scores: (-scores).softmax(-1),
            "The largest score got the smallest weight: a minus sign too many. A distance wants a "
            "minus, a score has it already.",
        ),
    ],
    hints=[
        "A number such as 1 counts axes from the front. What does it point at when a batch axis is "
        "put in front?",
        "Sum your result over its last axis. Every number must be 1, for two, three and four axes.",
        "However many axes there are, the shape ends in (queries, keys). Negative numbers count "
        "from the end: -1 is the last axis, -2 the one before it.",
    ],
)


# 2.2 Bilinear scores


def _bilinear(queries, keys, W):
    return queries @ W @ keys.transpose(-2, -1)


BILINEAR_SCORES = Exercise(
    name="my_bilinear_scores",
    solution=_bilinear,
    cases=lambda: [
        (
            torch.tensor([[1.0, 2.0]]),
            torch.tensor([[2.0, 1.0], [0.0, 1.0]]),
            torch.tensor([[1.0, 0.0], [3.0, -1.0]]),
        ),
        (_random(4, 3, seed=31), _random(5, 2, seed=32), _random(3, 2, seed=33)),
        (_random(3, 3, 3, seed=34), _random(3, 3, 3, seed=35), _random(3, 3, seed=36)),
        (_random(2, 1, 4, seed=37), _random(2, 3, 5, seed=38), _random(4, 5, seed=39)),
        (_random(2, 5, 3, 2, seed=40), _random(2, 5, 6, 4, seed=41), _random(2, 4, seed=42)),
        (_random(2, 4, 5, seed=43), _random(2, 3, 6, seed=44), _random(5, 6, seed=45)),
    ],
    mistakes=[
        Mistake(
            lambda queries, keys, W: queries @ W.T @ keys.transpose(-2, -1),
            "W stands the other way round: its rows belong to the query's features, its columns to "
            "the key's. With equal sizes no error tells you. (nn.Linear transposes its weight.)",
        ),
        Mistake(
            _swapped(_bilinear),
            lambda case, got, expected: (
                f"Queries and keys are exchanged: your scores have the shape {tuple(got.shape)}, "
                f"with the keys running down. Queries run down, keys across."
            ),
        ),
        Mistake(
            lambda queries, keys, W: queries @ W @ _by_reshape(keys),
            _POSED_AS_TRANSPOSE,
        ),
        Mistake(
            lambda queries, keys, W: queries @ W @ _all_reversed(keys),
            _TRANSPOSED_ALL,
        ),
        Mistake(
            lambda queries, keys, W: queries @ W @ keys.transpose(1, 2),
            _AXES_FROM_THE_FRONT,
        ),
        Mistake(
            lambda queries, keys, W: torch.bmm(queries @ W, keys.transpose(-2, -1)),
            _BMM,
        ),
        Mistake(
            lambda queries, keys, W: torch.mm(torch.mm(queries, W), keys.t()),
            _NO_BATCH,
        ),
        Mistake(
            lambda queries, keys, W: torch.tensordot(queries @ W, keys, dims=([-1], [-1])),
            _EVERY_EXAMPLE,
        ),
        Mistake(
            lambda queries, keys, W: queries @ W @ keys,
            "The keys are not transposed. (queries, k_size) times (keys, k_size) fits only when "
            "there happen to be as many keys as features, and then the numbers are wrong.",
        ),
        Mistake(
            lambda queries, keys, W: (queries @ W * keys).sum(-1),
            "Each query met only the key with the same number, or all queries the only one there "
            "is. Every query has to meet every key: that is a matrix product.",
        ),
        Mistake(
            lambda queries, keys, W: queries @ keys.transpose(-2, -1),
            "W makes no difference to your result: this is the bare dot product, which exists for "
            "equal sizes only.",
        ),
        Mistake(
            lambda queries, keys, W: _bilinear(queries, keys, W) / math.sqrt(queries.shape[-1]),
            "You divided by the root of the query's size. That belongs to the dot product; here W "
            "is learned and brings its own scale.",
        ),
        Mistake(
            lambda queries, keys, W: _bilinear(queries, keys, W) / math.sqrt(keys.shape[-1]),
            "You divided by the root of the key's size. That belongs to the dot product; here W is "
            "learned and brings its own scale.",
        ),
        Mistake(
            lambda queries, keys, W: _bilinear(queries, keys, W).softmax(-1),
            "These are the weights. The task asks for the scores, before the softmax.",
        ),
        Mistake(
            lambda queries, keys, W: queries * W.diagonal() @ keys.transpose(-2, -1),
            "Only the diagonal of W counts in your result, so that feature 0 meets feature 0 and "
            "no other. Each query feature meets every key feature.",
        ),
    ],
    hints=[
        "Write the shapes in a row: (queries, q_size), (q_size, k_size), and one more. Neighboring "
        "sizes must be equal in a product.",
        "The product of queries and W has shape (..., queries, k_size). From here on it is a dot "
        "product of each row with each key.",
        "The last factor has to be (..., k_size, keys): the keys with their last two axes, -2 and "
        "-1, exchanged.",
    ],
)


# 2.3 Distances from squared norms


class TensorTooLarge(Exception):
    """There is a number for every query, key and feature at once."""


class _LargestTensor(TorchFunctionMode):
    """Raises TensorTooLarge as soon as a tensor holds more numbers than the limit."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor):
            numbers = result.untyped_storage().nbytes() // result.element_size()
            if numbers > self.limit:
                raise TensorTooLarge(
                    f"shape {tuple(result.shape)}, {numbers} numbers; queries, keys and scores "
                    f"together have {self.limit}"
                )
        return result


def _in_little_memory(function, queries, keys):
    """Run the function with room for queries, keys and scores, but not for all differences."""
    scores = math.prod(queries.shape[:-1]) * keys.shape[-2]
    with _LargestTensor(queries.numel() + keys.numel() + scores):
        return function(queries, keys)


def _norms(a):
    return a.square().sum(-1)


def _down(norms):
    return norms.unsqueeze(-1)


def _across(norms):
    return norms.unsqueeze(-2)


def _products(queries, keys):
    return queries @ keys.transpose(-2, -1)


def _expanded(queries_part, keys_part):
    """The product minus half of what the two functions make of the queries and the keys."""
    return lambda queries, keys: (
        _products(queries, keys) - queries_part(queries) / 2 - keys_part(keys) / 2
    )


def _by_differences(scores, queries_axis=-2, keys_axis=-3):
    """Scores made of all differences, (..., queries, keys, size)."""
    return lambda queries, keys: scores(queries.unsqueeze(queries_axis) - keys.unsqueeze(keys_axis))


def _half_square(differences):
    return -differences.square().sum(-1) / 2


_NO_HALF = (
    "Twice too large: the Gaussian score is minus *half* the squared distance, as it stands in the "
    "task."
)
_POSITIVE = (
    "Your scores are positive: the far keys get the largest ones. A score says how well a key "
    "fits, so the distance needs a minus sign."
)
_ROOT = (
    "You took the distance itself. The score is made of the *squared* distance, and the root is "
    "never needed."
)
_ABSOLUTE = "You summed absolute differences. The score is made of their squares."
_MEAN = (
    "You averaged over the features. The squared distance is their sum; a mean makes every "
    "distance smaller the more features there are."
)
_AND_TOO_LARGE = (
    " (Once this is mended: you make the differences of all pairs, which the task wants to do "
    "without.)"
)


def _both_ways(expanded, by_differences, message):
    """The same mistake twice: from norms and products, and from all differences."""
    return [
        Mistake(expanded, message),
        Mistake(_by_differences(by_differences), message + _AND_TOO_LARGE),
    ]


def _root_of(queries, keys):
    return distance_scores(queries, keys).mul(-2).clamp(min=0).sqrt()


DISTANCE_SCORES = Exercise(
    name="my_distance_scores",
    solution=distance_scores,
    cases=lambda: [
        (torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 2.0], [3.0, -1.0]])),
        (_random(3, 5, seed=51), _random(4, 5, seed=52)),
        (_random(5, 1, seed=53), _random(3, 1, seed=54)),  # numbers, as in lesson 01
        (torch.tensor([[20.0, -30.0, 10.0]]), _random(3, 3, seed=55)),  # a far query
        (_random(4, 4, 4, seed=56), _random(4, 4, 4, seed=57)),
        (_random(2, 3, 4, 5, seed=58), _random(2, 3, 6, 5, seed=59)),
        (_random(2, 5, 4, seed=60), _random(2, 3, 4, seed=61)),
    ],
    run=_in_little_memory,
    mistakes=[
        Mistake(
            _by_differences(_half_square),
            "The right numbers, but your function makes the differences of all pairs at once, a "
            "tensor of (queries, keys, size). Expand the square: squared norms and one matrix "
            "product are enough.",
        ),
        Mistake(
            _by_differences(_half_square, 1, 0),
            "This is the code of section 1. It makes the differences of all pairs, which the task "
            "wants to do without, and its axes 1 and 0 are right only without a batch.",
        ),
        Mistake(
            _by_differences(_half_square, 2, 1),
            "Your function makes the differences of all pairs, which the task wants to do without, "
            "and its axes 2 and 1 are right only with exactly one batch axis.",
        ),
        *_both_ways(
            lambda queries, keys: 2 * distance_scores(queries, keys),
            lambda differences: -differences.square().sum(-1),
            _NO_HALF,
        ),
        *_both_ways(
            lambda queries, keys: -distance_scores(queries, keys),
            lambda differences: differences.square().sum(-1) / 2,
            _POSITIVE,
        ),
        *_both_ways(
            lambda queries, keys: -2 * distance_scores(queries, keys),
            lambda differences: differences.square().sum(-1),
            "This is the squared distance as it is. The score is *minus half* of it, so that a "
            "near key gets a larger score than a far one.",
        ),
        *_both_ways(
            lambda queries, keys: -_root_of(queries, keys) / 2,
            lambda differences: -differences.norm(dim=-1) / 2,
            _ROOT,
        ),
        *_both_ways(
            lambda queries, keys: -_root_of(queries, keys),
            lambda differences: -differences.norm(dim=-1),
            _ROOT + " And half of it is asked for.",
        ),
        *_both_ways(
            lambda queries, keys: -torch.cdist(queries, keys, p=1) / 2,
            lambda differences: -differences.abs().sum(-1) / 2,
            _ABSOLUTE,
        ),
        *_both_ways(
            lambda queries, keys: distance_scores(queries, keys) / queries.shape[-1],
            lambda differences: -differences.square().mean(-1) / 2,
            _MEAN,
        ),
        *_both_ways(
            _swapped(distance_scores),
            lambda differences: _half_square(differences).transpose(-2, -1),
            "Queries and keys are exchanged: the keys run down your result. Queries run down, keys "
            "across.",
        ),
        Mistake(
            _expanded(lambda q: _down(_norms(q)), lambda k: _down(_norms(k))),
            "The keys' norms are subtracted along the wrong axis: you gave both norms their new "
            "axis at the end. Keys run across, so theirs needs its new axis where the queries are. "
            "With as many queries as keys no error tells you.",
        ),
        Mistake(
            _expanded(lambda q: _across(_norms(q)), lambda k: _across(_norms(k))),
            "The queries' norms are subtracted along the wrong axis: they run across in your "
            "result. Queries run down, so theirs needs its new axis at the end.",
        ),
        Mistake(
            _expanded(lambda q: _across(_norms(q)), lambda k: _down(_norms(k))),
            "The two new axes are exchanged: your query norms run across and your key norms down.",
        ),
        Mistake(
            _expanded(_norms, _norms),
            "The norms have lost an axis: (queries,) and (keys,) both meet the *last* axis of the "
            "scores, whatever they belong to. Give each a new axis where the other side varies.",
        ),
        Mistake(
            _expanded(lambda q: _down(_norms(q)), _norms),
            "Right without a batch. With one, the keys' norms (batch, keys) meet the scores' last "
            "two axes, (queries, keys), and sentence is paired with query. They need an axis of "
            "size 1 for the queries.",
        ),
        Mistake(
            lambda queries, keys: (
                _products(queries, keys) + _down(_norms(queries)) / 2 + _across(_norms(keys)) / 2
            ),
            "Both norms have the wrong sign: this is half of |q + k|^2. Only the product is "
            "positive in the expanded square.",
        ),
        Mistake(
            lambda queries, keys: (
                (_products(queries, keys) - _down(_norms(queries)) - _across(_norms(keys))) / 2
            ),
            "The product is too small by half: the middle term of the square is 2ab, and half of "
            "it is the whole product.",
        ),
        Mistake(
            _expanded(lambda q: 2 * _down(_norms(q)), lambda k: 2 * _across(_norms(k))),
            "The norms are too large: each enters with a half, as in the formula of section 2. A "
            "query that equals a key must get the score 0.",
        ),
        Mistake(
            lambda queries, keys: _products(queries, keys) - _across(_norms(keys)) / 2,
            "The query's norm is missing. It cancels in the softmax, but the scores themselves are "
            "asked for, and they are no distances without it.",
        ),
        Mistake(
            lambda queries, keys: _products(queries, keys) - _down(_norms(queries)) / 2,
            "The key's norm is missing. It differs from key to key and does not cancel, not even "
            "in the softmax.",
        ),
        Mistake(
            _products,
            "Both norms are missing: this is the bare dot product, which rewards long keys.",
        ),
        Mistake(
            _expanded(lambda q: _down(_norms(q).sqrt()), lambda k: _across(_norms(k).sqrt())),
            "You subtracted the lengths |q| and |k|. The formula asks for their squares: no root.",
        ),
        Mistake(
            _expanded(lambda q: q.square().sum(), lambda k: k.square().sum()),
            "Your norms are single numbers, summed over everything. Each query and each key has a "
            "norm of its own: sum over the last axis only.",
        ),
        Mistake(
            lambda queries, keys: distance_scores(queries, keys) / math.sqrt(queries.shape[-1]),
            "You divided by the root of the size. The scale belongs to the dot product; here it "
            "would be a change of bandwidth.",
        ),
        Mistake(
            lambda queries, keys: distance_scores(queries, keys).softmax(-1),
            "These are the weights. The task asks for the scores, before the softmax.",
        ),
        Mistake(
            lambda queries, keys: (
                queries @ _all_reversed(keys)
                - _down(_norms(queries)) / 2
                - _across(_norms(keys)) / 2
            ),
            _TRANSPOSED_ALL,
        ),
        Mistake(
            lambda queries, keys: (
                queries @ _by_reshape(keys) - _down(_norms(queries)) / 2 - _across(_norms(keys)) / 2
            ),
            _POSED_AS_TRANSPOSE,
        ),
        Mistake(
            lambda queries, keys: (
                torch.mm(queries, keys.t()) - _down(_norms(queries)) / 2 - _across(_norms(keys)) / 2
            ),
            _NO_BATCH,
        ),
    ],
    hints=[
        "Section 2 has expanded the square into three terms. Which of them is the same for all "
        "keys, which for all queries, and which needs both?",
        "A squared norm is the sum of the squares over the last axis: (..., queries) and (..., "
        "keys). All products at once are a matrix product, (..., queries, keys).",
        "To meet the scores, the query norms must be (..., queries, 1) and the key norms (..., 1, "
        "keys). unsqueeze with -1 and -2 does it; each norm enters with minus one half.",
    ],
)


# 2.4 Additive scores


def _hidden(queries, keys, W_q, W_k):
    """Before the tanh, (..., queries, keys, num_hiddens)."""
    return (queries @ W_q.T).unsqueeze(-2) + (keys @ W_k.T).unsqueeze(-3)


def _additive(bend=torch.tanh):
    return lambda queries, keys, W_q, W_k, w_v: bend(_hidden(queries, keys, W_q, W_k)) @ w_v


def _additive_axes(queries_axis, keys_axis):
    return lambda queries, keys, W_q, W_k, w_v: (
        torch.tanh((queries @ W_q.T).unsqueeze(queries_axis) + (keys @ W_k.T).unsqueeze(keys_axis))
        @ w_v
    )


def _additive_cases():
    def case(leading, queries, keys, q_size, k_size, hidden, seed):
        return (
            _random(*leading, queries, q_size, seed=seed),
            _random(*leading, keys, k_size, seed=seed + 1),
            _random(hidden, q_size, seed=seed + 2),
            _random(hidden, k_size, seed=seed + 3),
            _random(hidden, seed=seed + 4),
        )

    small = (
        torch.tensor([[1.0, 0.5]]),
        torch.tensor([[0.0, 1.0], [2.0, -1.0]]),
        torch.tensor([[0.5, 1.0], [0.0, -1.0]]),
        torch.tensor([[1.0, 0.5], [-0.5, 1.0]]),
        torch.tensor([1.0, 2.0]),
    )
    return [
        small,
        case((), 3, 4, 5, 2, 6, 71),
        case((), 4, 4, 3, 2, 5, 76),  # as many queries as keys
        case((3,), 3, 3, 3, 3, 3, 81),  # everything of one size
        case((2, 3), 4, 5, 3, 2, 6, 86),
        case((2,), 3, 5, 4, 6, 7, 91),
    ]


_NO_TANH = (
    "The tanh is missing. Then the query's part of the score is the same for all keys and cancels "
    "in the softmax: every query would get the same weights."
)

ADDITIVE_SCORES = Exercise(
    name="my_additive_scores",
    solution=_additive(),
    cases=_additive_cases,
    mistakes=[
        Mistake(_additive(lambda hidden: hidden), _NO_TANH),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: (
                (torch.tanh(queries @ W_q.T).unsqueeze(-2) + torch.tanh(keys @ W_k.T).unsqueeze(-3))
                @ w_v
            ),
            "You bent the two parts before adding them. Then the query's part is the same for all "
            "keys again and cancels in the softmax. Add first: the bend has to see both.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: torch.tanh(_hidden(queries, keys, W_q, W_k) @ w_v),
            "The tanh stands outside: you summed over the hidden units first. All your scores lie "
            "between -1 and 1. Each hidden unit is bent by itself, then w_v sums them.",
        ),
        Mistake(
            _additive(torch.relu),
            "You bent with relu; the score asks for tanh.",
        ),
        Mistake(
            _additive(torch.sigmoid),
            "You bent with a sigmoid; the score asks for tanh, which runs from -1 to 1 and is 0 at "
            "0.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: (
                torch.tanh((queries @ W_q.T).unsqueeze(-2) * (keys @ W_k.T).unsqueeze(-3)) @ w_v
            ),
            "You multiplied the two projections. Additive scores add them; the tanh does the "
            "mixing.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: (
                torch.tanh((queries @ W_q.T).unsqueeze(-2) - (keys @ W_k.T).unsqueeze(-3)) @ w_v
            ),
            "You subtracted the keys' projection. Additive scores add the two; W_k is learned and "
            "brings the sign it needs.",
        ),
        Mistake(
            _swapped(_additive()),
            lambda case, got, expected: (
                f"Queries and keys are exchanged: your scores have the shape {tuple(got.shape)}, "
                f"with the keys running down. Queries run down, keys across."
            ),
        ),
        Mistake(
            _additive_axes(1, 0),
            "Right without a batch. unsqueeze(1) and unsqueeze(0) count axes from the front, where "
            "a batch would push in. Count from the end.",
        ),
        Mistake(
            _additive_axes(2, 1),
            "Right with exactly one batch axis. Axes 2 and 1 are counted from the front; without a "
            "batch, or with two leading axes, they are the wrong ones.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: (
                torch.tanh(torch.mm(queries, W_q.T)[:, None] + torch.mm(keys, W_k.T)[None]) @ w_v
            ),
            _NO_BATCH,
        ),
        Mistake(
            _additive_axes(-2, -2),
            "Both projections got their new axis in the same place, so query i meets only key i. "
            "One of them runs down, the other across.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: torch.tanh(queries @ W_q.T + keys @ W_k.T) @ w_v,
            "Without new axes each query is added to the key with the same number. Every query has "
            "to meet every key.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: (
                torch.tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3)) @ w_v
            ),
            "W_q and W_k stand the other way round: they have one row for each hidden unit, so a "
            "query meets their columns. With equal sizes no error tells you.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: _additive()(queries, keys, W_k, W_q, w_v),
            "W_q and W_k are exchanged: the queries go through the keys' matrix. With equal sizes "
            "no error tells you.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: _additive()(queries, keys, W_q, W_q, w_v),
            "Your keys go through W_q, the matrix of the queries; W_k makes no difference to your "
            "result.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: torch.tanh(_hidden(queries, keys, W_q, W_k)).sum(
                -1
            ),
            "You summed the hidden units with equal weights: w_v makes no difference to your "
            "result.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: torch.tanh(_hidden(queries, keys, W_q, W_k)) * w_v,
            lambda case, got, expected: (
                f"Each hidden unit is weighed, but they are not yet summed: your result still has "
                f"the hidden axis, {tuple(got.shape)}."
            ),
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: (
                _additive()(queries, keys, W_q, W_k, w_v) / math.sqrt(len(w_v))
            ),
            "You divided by the root of the number of hidden units. Additive scores have no scale; "
            "w_v is learned.",
        ),
        Mistake(
            lambda queries, keys, W_q, W_k, w_v: _additive()(queries, keys, W_q, W_k, w_v).softmax(
                -1
            ),
            "These are the weights. The task asks for the scores, before the softmax.",
        ),
    ],
    hints=[
        "Start with the shapes. A projected query has num_hiddens numbers, a projected key too; "
        "their sum for all pairs has the shape (..., queries, keys, num_hiddens).",
        "Project first: queries times W_q transposed, keys times W_k transposed. Then give the "
        "queries an axis of size 1 where the keys vary, and the keys one where the queries vary.",
        "Shapes to add: (..., queries, 1, num_hiddens) and (..., 1, keys, num_hiddens), that is "
        "unsqueeze with -2 and with -3. Bend the sum, then a product with w_v takes away the last "
        "axis.",
    ],
)


# 2.5 Scaled dot-product attention


def _attention(scale, axis=-1, transposed=lambda keys: keys.transpose(-2, -1)):
    """Attention whose scores are divided by scale(queries, keys, values)."""

    def attention(queries, keys, values):
        scores = queries @ transposed(keys) / scale(queries, keys, values)
        return scores.softmax(axis(scores) if callable(axis) else axis) @ values

    return attention


def _right_scale(queries, keys, values):
    return math.sqrt(queries.shape[-1])


def _attention_cases():
    def case(leading, queries, keys, size, v_size, seed):
        return (
            _random(*leading, queries, size, seed=seed),
            _random(*leading, keys, size, seed=seed + 1),
            _random(*leading, keys, v_size, seed=seed + 2),
        )

    small = (
        torch.tensor([[1.0, 2.0, 0.0, -1.0]]),
        torch.tensor([[2.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 2.0]]),
        torch.tensor([[10.0], [20.0]]),
    )
    far_and_near = torch.tensor([[90.0, -80.0, 70.0], [0.1, 0.2, -0.1]])
    return [
        small,
        case((), 3, 5, 7, 2, 101),
        case((4,), 4, 4, 4, 4, 104),
        (far_and_near, 9 * _random(4, 3, seed=107), _random(4, 5, seed=108)),
        case((2, 3), 4, 5, 8, 6, 110),
        case((2,), 3, 5, 6, 7, 113),
    ]


def _attention_exp(queries, keys, values):
    raw = (_products(queries, keys) / _right_scale(queries, keys, values)).exp()
    return raw / raw.sum(-1, keepdim=True) @ values


def _attention_exp_shifted(queries, keys, values):
    scores = _products(queries, keys) / _right_scale(queries, keys, values)
    raw = (scores - scores.max()).exp()
    return raw / raw.sum(-1, keepdim=True) @ values


def _attention_bmm(queries, keys, values):
    scores = torch.bmm(queries, keys.transpose(-2, -1)) / _right_scale(queries, keys, values)
    return torch.bmm(scores.softmax(-1), values)


def _weights(queries, keys, values):
    return (_products(queries, keys) / _right_scale(queries, keys, values)).softmax(-1)


ATTENTION = Exercise(
    name="my_attention",
    solution=_attention(_right_scale),
    cases=_attention_cases,
    mistakes=[
        Mistake(
            _attention(lambda queries, keys, values: 1),
            lambda case, got, expected: (
                f"The scale is missing: your scores are {math.sqrt(case[0].shape[-1]):.3g} times "
                f"too far apart, and the weights too hard. What does section 4 divide by?"
            ),
        ),
        Mistake(
            _attention(lambda queries, keys, values: queries.shape[-1]),
            lambda case, got, expected: (
                f"You divided by d = {case[0].shape[-1]} itself. The *standard deviation* of the "
                f"scores is the root of d; dividing by d makes the weights nearly uniform."
            ),
        ),
        Mistake(
            _attention(lambda queries, keys, values: 1 / math.sqrt(queries.shape[-1])),
            "You multiplied by the root of d. It has to make the scores smaller.",
        ),
        Mistake(
            _attention(lambda queries, keys, values: 2),
            "You always divide by 2, the root of 4. That fits the canteen, where queries have 4 "
            "numbers; take the size from the queries.",
        ),
        Mistake(
            _attention(lambda queries, keys, values: 8),
            "You always divide by 8, the root of 64. Is it the `d` of the notebook's parameters? "
            "The function has to ask its own queries for their size.",
        ),
        Mistake(
            _attention(lambda queries, keys, values: math.sqrt(keys.shape[-2])),
            "You divided by the root of the number of keys. A dot product is a sum over the "
            "features of one query: their number counts, not how many keys there are.",
        ),
        Mistake(
            _attention(lambda queries, keys, values: math.sqrt(values.shape[-1])),
            "You divided by the root of the values' size. The values do not enter the scores; the "
            "size of the queries and keys counts.",
        ),
        Mistake(
            _attention(lambda queries, keys, values: math.sqrt(queries.shape[-2])),
            "You divided by the root of the number of queries. A dot product is a sum over the "
            "features of one query, the last axis.",
        ),
        Mistake(
            _attention(lambda queries, keys, values: math.sqrt(len(queries))),
            "You divided by the root of queries.shape[0], the number of queries or of examples in "
            "the batch. The size of a query is the last axis.",
        ),
        Mistake(
            _attention(lambda queries, keys, values: math.sqrt(queries.shape[1])),
            "Right without a batch. With one, queries.shape[1] is the number of queries, with two "
            "leading axes the second of them. The size of a query is the last axis.",
        ),
        Mistake(
            lambda queries, keys, values: (
                _products(queries, keys).softmax(-1) / _right_scale(queries, keys, values) @ values
            ),
            "You divided after the softmax: that makes all weights smaller, their sum no longer 1, "
            "and leaves the softmax as hard as before. Scale the scores.",
        ),
        Mistake(
            _attention(_right_scale, axis=-2),
            "The softmax runs over the queries: each *key* hands out a total of 1. It has to run "
            "over the keys, the last axis of the scores.",
        ),
        Mistake(
            _attention(_right_scale, axis=0),
            "The softmax runs over axis 0, the queries or the batch. It has to run over the keys, "
            "the last axis of the scores.",
        ),
        Mistake(
            _attention(_right_scale, axis=1),
            "Right without a batch. With one, axis 1 of the scores is no longer the keys. Count "
            "from the end.",
        ),
        Mistake(
            _attention(_right_scale, axis=_default_axis),
            "You did not say which axis the softmax runs over, and PyTorch picked one: for three "
            "axes the batch. Name the axis of the keys.",
        ),
        Mistake(
            lambda queries, keys, values: (
                _products(queries, keys) / _right_scale(queries, keys, values) @ values
            ),
            "There is no softmax: scores, some of them negative, weigh the values directly.",
        ),
        Mistake(
            _weights,
            "These are the weights. One step is missing: the weighted sum of the values.",
        ),
        Mistake(
            lambda queries, keys, values: _weights(queries, keys, values) @ keys,
            "You averaged the keys. They say where to look; what is averaged are the values.",
        ),
        Mistake(
            lambda queries, keys, values: _attention(_right_scale)(keys, queries, values),
            "Queries and keys are exchanged in the scores: your softmax runs over the queries and "
            "there is a result for each key.",
        ),
        Mistake(
            _attention_exp,
            "Right for small scores. For large ones exp is infinite, and infinite over infinite is "
            "NaN. A ready-made softmax subtracts each row's maximum first.",
        ),
        Mistake(
            _attention_exp_shifted,
            "Right for small scores. But you subtract the maximum of the *whole* tensor: for a "
            "query whose scores lie far below it all exponentials are 0, and 0 / 0 is NaN. Each "
            "row needs its own maximum.",
        ),
        Mistake(_attention(_right_scale, transposed=_by_reshape), _POSED_AS_TRANSPOSE),
        Mistake(_attention(_right_scale, transposed=_all_reversed), _TRANSPOSED_ALL),
        Mistake(
            _attention(_right_scale, transposed=lambda keys: keys.transpose(1, 2)),
            _AXES_FROM_THE_FRONT,
        ),
        Mistake(_attention_bmm, _BMM),
        Mistake(_attention(_right_scale, transposed=lambda keys: keys.t()), _NO_BATCH),
        Mistake(
            _attention(_right_scale, transposed=lambda keys: keys),
            "The keys are not transposed. (queries, size) times (keys, size) fits only when there "
            "happen to be as many keys as features, and then the numbers are wrong.",
        ),
    ],
    hints=[
        "Three steps: scores from queries and keys, weights from scores, output from weights and "
        "values. Write the shape beside each.",
        "The scores are the product of the queries with the keys, whose last two axes are "
        "exchanged, divided by the root of the size of a query, its last axis.",
        "The softmax runs over the last axis of the scores. (..., queries, keys) times (..., keys, "
        "v_size) is the output. Axes counted from the end, -1 and -2, are right with any batch.",
    ],
)


# 2.6 The variance of a dot product


def _variance(mean, std, size):
    return size * (std**4 + 2 * std**2 * mean**2)


def _off_by(text):
    return lambda case, got, expected: (
        f"{text} For mean {case[0].flatten()[0]:.2g}, std {case[1].flatten()[0]:.2g} and size "
        f"{case[2]} you get {got.flatten()[0]:.4g}; sampling gives about "
        f"{expected.flatten()[0]:.4g}."
    )


VARIANCE = Exercise(
    name="my_dot_product_variance",
    solution=_variance,
    cases=lambda: [
        (torch.tensor(2.0), torch.tensor(1.0), 3),
        (torch.tensor([0.0, 1.5, -0.5]), torch.tensor([2.0, 0.5, 3.0]), 16),
        (torch.tensor([1.0, -2.0]), torch.tensor([0.0, 0.0]), 5),  # all numbers are equal
        (_random(2, 3, seed=121), _random(2, 3, seed=122).abs() + 0.1, 1),
        (_random(4, 1, seed=123), _random(4, 1, seed=124).abs() + 0.5, 7),
    ],
    mistakes=[
        Mistake(
            lambda mean, std, size: size * std**4,
            _off_by(
                "You multiplied the variances of q_i and k_i, which is right for mean 0 only; the "
                "mean makes no difference to your result."
            ),
        ),
        Mistake(
            lambda mean, std, size: size * (std**2 + mean**2) ** 2,
            _off_by(
                "This is the mean of the squared terms, E[q_i^2] E[k_i^2]. A variance subtracts "
                "the square of the mean of the term."
            ),
        ),
        Mistake(
            lambda mean, std, size: size * (std**4 + std**2 * mean**2),
            _off_by(
                "The mixed term is too small by half: squaring a sum gives 2ab. In words, q may "
                "scatter while k keeps its mean, and the other way round."
            ),
        ),
        Mistake(
            lambda mean, std, size: _variance(mean, std, 1),
            _off_by("This is one term. The variances of independent terms add, `size` of them."),
        ),
        Mistake(
            lambda mean, std, size: size * _variance(mean, std, size),
            _off_by(
                "The size enters squared. That holds for size times *one* term; here the terms are "
                "independent, and their variances add."
            ),
        ),
        Mistake(
            lambda mean, std, size: _variance(mean, std, size).sqrt(),
            _off_by("This is the standard deviation. The variance is asked for."),
        ),
        Mistake(
            lambda mean, std, size: _variance(mean, std, 1) / size,
            _off_by(
                "You divided by the size. That is the variance of a mean; the product is a sum."
            ),
        ),
        Mistake(
            lambda mean, std, size: size * (std**2 + 2 * std * mean**2),
            _off_by("You took std for the variance: the variance of q_i is std^2."),
        ),
        Mistake(
            lambda mean, std, size: size * (std**2 + mean**2) ** 2 - mean**4,
            _off_by(
                "The square of the mean, mean^4, is subtracted once for all terms. Every term has "
                "it: subtract it before you multiply by the size."
            ),
        ),
        Mistake(
            lambda mean, std, size: size * ((std**2 + mean**2) ** 2 - mean**2),
            _off_by(
                "You subtracted mean^2. The mean of a term q_i k_i is mean * mean, and its square "
                "is mean^4."
            ),
        ),
        Mistake(
            lambda mean, std, size: size * std**2,
            _off_by(
                "You added the variance of one number `size` times. A term has two, q_i and k_i."
            ),
        ),
        Mistake(
            lambda mean, std, size: size * (std**2 + mean**2),
            _off_by(
                "You used E[q_i^2] alone. A term has two factors, q_i and k_i, and both scatter."
            ),
        ),
        Mistake(
            lambda mean, std, size: size * (std**4 + 2 * std**2 * mean),
            _off_by(
                "The mixed term has mean where mean^2 belongs: a mean of -2 must scatter as much "
                "as one of 2."
            ),
        ),
    ],
    hints=[
        "One term first. E[q_i^2] is the variance plus the square of the mean, and so is E[k_i^2].",
        "Write s for std^2 and m for mean^2. Then the variance of one term is (s + m)^2 - m^2: "
        "multiply out.",
        "m^2 cancels. What is left is s^2 and a mixed term that holds s and m once each. The "
        "variances of `size` independent terms add.",
    ],
)


EXERCISES = [
    WEIGHTS,
    BILINEAR_SCORES,
    DISTANCE_SCORES,
    ADDITIVE_SCORES,
    ATTENTION,
    VARIANCE,
]

QUESTIONS = {
    "2.1": Question(
        "A",
        {
            "A": "The term is the same number for all dishes. It multiplies every exponential of "
            "the row by the same factor, and the division by their sum removes it.",
            "B": "Towards uniform is what *multiplying* the scores by a number below 1 does: a "
            "temperature. Adding one number to all of them, even a large one, cancels.",
            "C": "Scores are far from summing to anything, so one worries. But a softmax divides "
            "by the sum of its row, and so sums to 1 for any scores at all.",
            "D": "The order stays, yes, and so does everything else: only differences of scores "
            "reach the weights, and no difference has changed.",
        },
    ),
    "2.2": Question(
        "B",
        {
            "A": "True for keys of equal length, and so widely believed. But the dot product grows "
            "with the length of the key, and the hot pot is the longest.",
            "B": "Its key is the longest, and without the penalty nothing holds a long key back: "
            "pointing roughly Chen's way is enough.",
            "C": "The porridge is indeed the shortest key. But with the penalty gone it is the "
            "*long* keys that gain; a short one keeps a product near 0.",
            "D": "Equal weights need equal scores. The products of Chen with the five dishes run "
            "from -0.5 to 2.75.",
        },
    ),
    "2.3": Question(
        "C",
        {
            "A": "It would be kind. But (2, 3, 4) times (2, 4, 5) is a perfectly good product, "
            "whatever stands in the columns.",
            "B": "The shape is the same, the contents are not: reshape keeps the numbers in their "
            "order and breaks the lines elsewhere, transpose turns the table.",
            "C": "Each column of the reshaped keys mixes numbers of several dishes. No check of "
            "shapes can see it, a check of numbers can.",
            "D": "Then each column would still have to be one dish. It holds the end of one and "
            "the beginning of the next, so most scores belong to no dish at all.",
        },
    ),
    "2.4": Question(
        "D",
        {
            "A": "Equally irrelevant, but not equally scored: the scores scatter with a standard "
            "deviation of 32, and a softmax turns that into certainty.",
            "B": "This is what the *scaled* scores give, at every d. Without the scale the best of "
            "16 is ahead of the second by far more than 1.",
            "C": "Right for d between 8 and 16. Small models hide the problem, and it appears when "
            "the model grows.",
            "D": "The standard deviation is 32, so the best key is typically many points ahead of "
            "the second, and ten points are already a factor of 22 thousand.",
        },
    ),
    "2.5": Question(
        "B",
        {
            "A": "Near 0 tanh is indeed nearly straight. But that small bend is all that lets the "
            "query meet the key; without it they never do.",
            "B": "The sum falls into a part of the query, the same for all keys, which cancels, "
            "and a part of the key, the same for all guests.",
            "C": "It sounds alike. But a bilinear score *multiplies* query and key; here they are "
            "only added, and a sum of two linear maps has no product in it.",
            "D": "There is no product of query and key left at all, and no root: nothing in the "
            "formula divides.",
        },
    ),
}
