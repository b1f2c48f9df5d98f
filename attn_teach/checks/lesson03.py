"""Exercises and questions of lesson 03, masking."""

import torch

from ..attention import scaled_dot_product_attention
from ..masking import causal_mask, masked_softmax, padding_mask
from ..scoring import dot_product_scores
from .engine import Exercise, Mistake, Question


def _too_many(got, expected):
    """How many cells are True and must not be."""
    return (got & ~expected).sum().item()


def _rows(valid_lens):
    """Lengths with an axis for the queries, (batch, 1 or queries, 1)."""
    lens = valid_lens.unsqueeze(1) if valid_lens.dim() == 1 else valid_lens
    return lens.unsqueeze(-1)


# 3.1 A little look-ahead


def _ones(num_steps):
    return torch.ones(num_steps, num_steps, dtype=torch.bool)


def _ahead(num_steps):
    """How many places key j stands after query i, (num_steps, num_steps)."""
    steps = torch.arange(num_steps)
    return steps - steps.unsqueeze(1)


LOOKAHEAD_MASK = Exercise(
    name="my_lookahead_mask",
    solution=lambda num_steps, lookahead: _ones(num_steps).tril(lookahead),
    cases=lambda: [(3, 1), (6, 2), (5, 0), (4, 7), (7, 3), (1, 0)],
    mistakes=[
        Mistake(
            lambda num_steps, lookahead: _ones(num_steps).tril(-lookahead),
            "The diagonal moved the wrong way, down and to the left: a query no longer sees "
            "itself. Which sign moves it up and to the right?",
        ),
        Mistake(
            lambda num_steps, lookahead: _ones(num_steps).tril(),
            "This is the causal mask: the look-ahead makes no difference to your result.",
        ),
        Mistake(
            lambda num_steps, lookahead: _ones(num_steps).tril(lookahead - 1),
            "Each row ends one key early. A look-ahead of 0 must leave query 0 its own word; with "
            "a look-ahead of 1 it sees keys 0 and 1. (A slice stops before its end.)",
        ),
        Mistake(
            lambda num_steps, lookahead: _ones(num_steps).tril(lookahead + 1),
            "Each row ends one key late: with a look-ahead of 0 your query 0 already sees key 1. "
            "Diagonal 0 contains the query's own word; do not count it again.",
        ),
        Mistake(
            lambda num_steps, lookahead: _ahead(num_steps) >= -lookahead,
            "Queries and keys are exchanged: your first row sees everything and your last row the "
            "least. Queries run down, so the first row must be the short one.",
        ),
        Mistake(
            lambda num_steps, lookahead: _ones(num_steps).triu(lookahead),
            "You kept the upper triangle: query i sees only the keys from i + lookahead on, that "
            "is the far future and nothing before it.",
        ),
        Mistake(
            lambda num_steps, lookahead: ~_ones(num_steps).tril(lookahead),
            "The mask is inverted: True stands on exactly the keys that are too far ahead. In this "
            "course True means may attend.",
        ),
        Mistake(
            lambda num_steps, lookahead: _ahead(num_steps).abs() <= lookahead,
            "Your mask is a band: it limits the distance on both sides, so a late query forgets "
            "the beginning of the sentence. Only the future is limited.",
        ),
        Mistake(
            lambda num_steps, lookahead: (
                (_ahead(num_steps) >= 0) & (_ahead(num_steps) <= lookahead)
            ),
            "Your queries see themselves and the next words, and nothing that came before. The "
            "past stays visible: only j <= i + lookahead is asked for.",
        ),
        Mistake(
            lambda num_steps, lookahead: (torch.arange(num_steps) <= lookahead).repeat(
                num_steps, 1
            ),
            "All your rows are equal: you compared the keys with lookahead alone. The limit must "
            "move with the query, one key further in each row.",
        ),
    ],
    hints=[
        "Write the mask for num_steps = 3 and lookahead = 1 on paper, one row per query, and count "
        "the True cells of each row.",
        "The second argument of tril says which diagonal is the last one kept. 0 is the main "
        "diagonal, from the top left to the bottom right.",
        "For query i the last visible key is i + lookahead, so the last kept diagonal starts at "
        "key number lookahead in the first row. Positive diagonals lie up and to the right.",
    ],
    gradients=False,
    dtypes=False,
)


# 3.2 Lengths to mask


def _lengths():
    return [
        (torch.tensor([2, 3]), 4),
        (torch.tensor([4, 0, 6, 1, 3]), 6),
        (torch.tensor([1, 3, 2]), 3),  # as many sentences as keys
        (torch.tensor([[1, 2, 3], [4, 4, 0]]), 5),
        (torch.tensor([[1, 0, 3, 4], [2, 2, 4, 2]]), 4),  # as many queries as keys
    ]


def _padding_mask_1d_only(valid_lens, num_keys):
    return torch.arange(num_keys) < valid_lens[:, None, None]


PADDING_MASK = Exercise(
    name="my_padding_mask",
    solution=padding_mask,
    cases=_lengths,
    mistakes=[
        Mistake(
            lambda valid_lens, num_keys: torch.arange(num_keys) <= _rows(valid_lens),
            lambda case, got, expected: (
                f"One key too many in each row, {_too_many(got, expected)} cells in all: keys are "
                f"counted from 0, so with a length of 2 the keys 0 and 1 are real and key 2 is the "
                f"first pad."
            ),
        ),
        Mistake(
            lambda valid_lens, num_keys: torch.arange(1, num_keys + 1) < _rows(valid_lens),
            "One key too few in each row: you number the keys from 1 and still ask for strictly "
            "less. Number them from 0.",
        ),
        Mistake(
            lambda valid_lens, num_keys: torch.arange(num_keys) >= _rows(valid_lens),
            "The mask is inverted: True stands on the pads. In this course True means may attend.",
        ),
        Mistake(
            lambda valid_lens, num_keys: torch.arange(num_keys) < valid_lens.unsqueeze(-1),
            "Right for lengths of two dimensions. For lengths of one dimension the axis of the "
            "queries is missing: (batch, keys) would be read as (queries, keys), without an error "
            "whenever the numbers happen to fit.",
        ),
        Mistake(
            lambda valid_lens, num_keys: torch.arange(num_keys) < valid_lens.unsqueeze(1),
            "A new axis in the middle is not enough. Lengths of one dimension become (batch, 1), "
            "which lacks an axis; those of two become (batch, 1, queries), and the keys are then "
            "compared with the queries' axis.",
        ),
        Mistake(
            _padding_mask_1d_only,
            "Right for lengths of one dimension. Lengths of shape (batch, queries) already have "
            "their axis for the queries: they need one new axis, at the end, not two.",
        ),
        Mistake(
            lambda valid_lens, num_keys: torch.arange(num_keys) < valid_lens.reshape(-1, 1, 1),
            "Right for lengths of one dimension. With (batch, queries) your reshape folds the "
            "queries into the batch: the mask gets batch * queries sentences.",
        ),
        Mistake(
            lambda valid_lens, num_keys: (
                torch.arange(num_keys).unsqueeze(1) < _rows(valid_lens).transpose(-1, -2)
            ),
            "The keys run down your mask instead of across. They belong to the last axis, so that "
            "the comparison needs the lengths, not the positions, to get a new last axis.",
        ),
        Mistake(
            lambda valid_lens, num_keys: torch.arange(valid_lens.max()) < _rows(valid_lens),
            lambda case, got, expected: (
                f"Your mask has {got.shape[-1]} keys instead of {expected.shape[-1]}: you took the "
                f"longest length. A batch may be padded further than its longest sentence; "
                f"num_keys says how far."
            ),
        ),
        Mistake(
            lambda valid_lens, num_keys: (
                torch.arange(num_keys) < _rows(valid_lens).expand(-1, num_keys, -1)
                if valid_lens.dim() == 1
                else torch.arange(num_keys) < _rows(valid_lens)
            ),
            "Right for lengths of two dimensions. For lengths of one dimension you repeated the "
            "row num_keys times, which is right only if there are as many queries as keys. Leave "
            "an axis of size 1: it fits every number of queries.",
        ),
        Mistake(
            lambda valid_lens, num_keys: (
                torch.arange(num_keys) < valid_lens.reshape(len(valid_lens), -1)[:, :1, None]
            ),
            "Right for lengths of one dimension. With (batch, queries) you used the length of the "
            "first query for all of them.",
        ),
    ],
    hints=[
        "Key j is real when j is smaller than the length. One comparison can do it for all "
        "sentences at once: which tensor holds the numbers j?",
        "Broadcasting aligns the last axes. torch.arange(num_keys) runs along the last axis of the "
        "mask, so the lengths need a last axis of size 1.",
        "Lengths (batch, queries) need .unsqueeze(-1). Lengths (batch,) need an axis of size 1 for "
        "the queries first: make them (batch, 1), then treat both kinds alike.",
    ],
    gradients=False,
    dtypes=False,
)


# 3.3 Queries and keys


def _query_and_key_masks():
    generator = torch.Generator().manual_seed(31)
    cases = [(torch.tensor([[True, False]]), torch.tensor([[True, True, False]]))]
    for batch, queries, keys in [(2, 4, 3), (3, 2, 5), (3, 3, 3)]:
        cases.append(
            (
                torch.rand(batch, queries, generator=generator) < 0.6,
                torch.rand(batch, keys, generator=generator) < 0.6,
            )
        )
    cases.append((torch.tensor([[False] * 3, [True] * 3]), torch.tensor([[True] * 4, [False] * 4])))
    return cases


def _pair(query_mask, key_mask):
    return query_mask.unsqueeze(-1) & key_mask.unsqueeze(-2)


TOKEN_MASK = Exercise(
    name="my_token_mask",
    solution=_pair,
    cases=_query_and_key_masks,
    mistakes=[
        Mistake(
            lambda query_mask, key_mask: query_mask.unsqueeze(-1) | key_mask.unsqueeze(-2),
            lambda case, got, expected: (
                f"{_too_many(got, expected)} cells too many are True: a pair is allowed as soon as "
                f"one side is real, so pads attend and are attended to. Both sides must be real."
            ),
        ),
        Mistake(
            lambda query_mask, key_mask: query_mask.unsqueeze(-1) == key_mask.unsqueeze(-2),
            "You ask whether both sides are equal. Two pads are equal too, so the pads attend to "
            "the pads.",
        ),
        Mistake(
            lambda query_mask, key_mask: query_mask.unsqueeze(-1) != key_mask.unsqueeze(-2),
            "You ask whether the sides differ: True stands where exactly one of them is real. "
            "Both must be.",
        ),
        Mistake(
            lambda query_mask, key_mask: _pair(query_mask, key_mask).transpose(-1, -2),
            lambda case, got, expected: (
                f"Queries and keys are exchanged: your mask has the shape {tuple(got.shape)}, "
                f"(batch, keys, queries). Queries run down (axis -2), keys across (axis -1)."
            ),
        ),
        Mistake(
            lambda query_mask, key_mask: ~_pair(query_mask, key_mask),
            "The mask is inverted: it is False exactly where both tokens are real. In this course "
            "True means may attend.",
        ),
        Mistake(
            lambda query_mask, key_mask: _pair(~query_mask, ~key_mask),
            "You combined the pads: True stands where query and key are both filler. In both masks "
            "True already means a real token.",
        ),
        Mistake(
            lambda query_mask, key_mask: _pair(torch.ones_like(query_mask), key_mask),
            "All your rows are equal: the query mask makes no difference to your result. The row "
            "of a pad query must be empty.",
        ),
        Mistake(
            lambda query_mask, key_mask: _pair(query_mask, torch.ones_like(key_mask)),
            "All your columns are equal: the key mask makes no difference to your result. The "
            "column of a pad key must be empty.",
        ),
        Mistake(
            lambda query_mask, key_mask: _pair(query_mask[:1], key_mask[:1]).expand(
                len(query_mask), -1, -1
            ),
            "Every sentence got the mask of the first one. The batch axis must stay in place.",
        ),
        Mistake(
            lambda query_mask, key_mask: query_mask & key_mask,
            "Without new axes, (batch, queries) and (batch, keys) are paired number by number: an "
            "error, or nonsense where the sizes happen to agree. Every query has to meet every "
            "key.",
        ),
        Mistake(
            lambda query_mask, key_mask: query_mask.unsqueeze(1) & key_mask.unsqueeze(0),
            "Your new axes make every sentence meet every other sentence. The batch axis stays "
            "first in both masks; put the new axes after it.",
        ),
    ],
    hints=[
        "A pair is allowed when its query is real and its key is real. Which operator says and?",
        "The result has an axis for queries and one for keys. Each of your two masks lacks one of "
        "them; unsqueeze adds it, with size 1.",
        "Shapes to combine: (batch, queries, 1) and (batch, 1, keys). Broadcasting makes (batch, "
        "queries, keys) of them.",
    ],
    gradients=False,
    dtypes=False,
)


# 3.4 Past and real


def _past(num_steps):
    return causal_mask(num_steps)


def _both(valid_lens, num_steps):
    return padding_mask(valid_lens, num_steps) & _past(num_steps)


CAUSAL_PADDING_MASK = Exercise(
    name="my_causal_padding_mask",
    solution=_both,
    cases=lambda: [
        (torch.tensor([2]), 3),
        (torch.tensor([3, 1, 4, 0]), 5),
        (torch.tensor([2, 4, 1, 3]), 4),  # as many sentences as steps
        (torch.tensor([6, 2]), 7),
        (torch.tensor([1, 1, 0]), 1),
    ],
    mistakes=[
        Mistake(
            lambda valid_lens, num_steps: padding_mask(valid_lens, num_steps) | _past(num_steps),
            lambda case, got, expected: (
                f"{_too_many(got, expected)} cells too many are True: a key is allowed as soon as "
                f"one mask allows it. Both must allow; a sum of booleans is an or as well."
            ),
        ),
        Mistake(
            lambda valid_lens, num_steps: _past(num_steps).repeat(len(valid_lens), 1, 1),
            "This is the causal mask alone: the lengths make no difference to your result, and the "
            "last queries still see pads.",
        ),
        Mistake(
            lambda valid_lens, num_steps: padding_mask(valid_lens, num_steps).repeat(
                1, num_steps, 1
            ),
            "This is the padding mask alone: every query sees all real words, the future included.",
        ),
        Mistake(
            padding_mask,
            "This is the padding mask alone, with one row for all queries. Under a causal mask "
            "every query has a row of its own.",
        ),
        Mistake(
            lambda valid_lens, num_steps: (
                padding_mask(valid_lens, num_steps) & _past(num_steps).transpose(-1, -2)
            ),
            "Your queries see themselves and the future, and not the past: rows and columns of the "
            "causal part are exchanged. Query 0 must see key 0 alone.",
        ),
        Mistake(
            lambda valid_lens, num_steps: (
                padding_mask(valid_lens, num_steps) & (_ahead(num_steps) < 0)
            ),
            "A query does not see its own word: the diagonal is missing, and query 0 may attend to "
            "nothing. Not in the future means j <= i.",
        ),
        Mistake(
            lambda valid_lens, num_steps: (
                padding_mask(valid_lens + 1, num_steps) & _past(num_steps)
            ),
            "One pad per sentence is visible: with a length of 2 the keys 0 and 1 are real, so key "
            "2 must be hidden. Is there a <= where a < belongs?",
        ),
        Mistake(
            lambda valid_lens, num_steps: (
                padding_mask(valid_lens, num_steps).transpose(-1, -2) & _past(num_steps)
            ),
            "The rows of the pads are empty: you compared the length with the query's position, or "
            "you cut a square out of the triangle. The length says which keys are real, on the "
            "last axis; a pad that asks still sees its real keys.",
        ),
        Mistake(
            lambda valid_lens, num_steps: ~_both(valid_lens, num_steps),
            "The mask is inverted: True stands on pads and future. In this course True means may "
            "attend.",
        ),
        Mistake(
            lambda valid_lens, num_steps: _both(valid_lens[:1].expand_as(valid_lens), num_steps),
            "Every sentence got the length of the first one. Each has its own.",
        ),
        Mistake(
            lambda valid_lens, num_steps: (
                (torch.arange(num_steps) < valid_lens.unsqueeze(-1)) & _past(num_steps)
            ),
            "The two masks meet on the wrong axes: your padding mask is (batch, keys) and the "
            "causal one (queries, keys), so sentences are paired with queries. Give the padding "
            "mask an axis of size 1 for the queries, in the middle.",
        ),
    ],
    hints=[
        "Build two masks, one that says real and one that says not in the future, and combine them "
        "with and.",
        "Shapes: real is (batch, 1, keys), not in the future is (queries, keys). Broadcasting lets "
        "them meet as (batch, queries, keys).",
        "With steps = torch.arange(num_steps): steps along the last axis are the keys, "
        "steps.unsqueeze(1) the queries, valid_lens.view(-1, 1, 1) the lengths. Two comparisons "
        "and one & are enough.",
    ],
    gradients=False,
    dtypes=False,
)


# 3.5 A masked softmax that keeps its promises


def _scores_and_masks():
    generator = torch.Generator().manual_seed(3)
    first_two = torch.tensor([[True, True, False]])
    cases = [(torch.tensor([[1.0, 2.0, 3.0]]), first_two)]
    # Masks of the scores' shape, then some that broadcast to it.
    for shape, of_mask in [
        ((2, 3), (2, 3)),
        ((2, 3, 4), (2, 3, 4)),
        ((3, 2, 4), (2, 4)),
        ((2, 5, 3, 4), (2, 1, 1, 4)),
    ]:
        mask = torch.rand(of_mask, generator=generator) < 0.6
        mask[..., 0], mask[..., -1] = True, False
        cases.append((torch.randn(shape, generator=generator) * 3, mask))
    cases += [
        (torch.tensor([[-2e6, -3e6, 5.0]]), first_two),
        (torch.tensor([[-2e38, -3e38, 5.0]]), first_two),
        (torch.tensor([[1000.0, 999.0, 3.0]]), first_two),
        (torch.tensor([[1.0, 1.0, 3.0]]).half(), first_two),
        (torch.tensor([[0.5, 1.5], [1.0, 2.0]]), torch.tensor([[False] * 2, [True] * 2])),
    ]
    return cases


def _fill(value, inverted=False, axis=-1):
    """Softmax over scores filled with a constant."""
    return lambda scores, mask: scores.masked_fill(mask if inverted else ~mask, value).softmax(axis)


def _and_empty(function):
    """The same, with the rows that may attend to nothing put right."""
    return lambda scores, mask: function(scores, mask).masked_fill(~mask.any(-1, keepdim=True), 0)


def _by_index(scores, mask):
    filled = scores.clone()
    filled[~mask] = -torch.inf
    return filled.softmax(-1)


def _exp_times_mask(scores, mask):
    raw = scores.exp() * mask
    return raw / raw.sum(-1, keepdim=True)


def _renormalized(scores, mask):
    kept = scores.softmax(-1) * mask
    return kept / kept.sum(-1, keepdim=True)


def _leak(how):
    def message(case, got, expected):
        weight = got[~case[1].expand(got.shape)].max().item()
        return (
            f"Rows sum to 1, but masked keys still get weight {weight:.2f}: {how}, and exp(0) is "
            f"1. What must a score be for its exponential to be 0?"
        )

    return message


def _inverted(case, got, expected):
    weight = got[~case[1].expand(got.shape)].max().item()
    return (
        f"The mask is inverted: in this course True means may attend. A key that should be hidden "
        f"has the weight {weight:.2f}."
    )


MASKED_SOFTMAX = Exercise(
    name="my_masked_softmax",
    solution=lambda scores, mask: masked_softmax(scores, mask=mask),
    cases=_scores_and_masks,
    mistakes=[
        Mistake(_fill(0.0), _leak("you filled the scores with 0, or multiplied them by the mask")),
        Mistake(
            _and_empty(_fill(0.0)),
            _leak("the empty row is right, but elsewhere you filled the scores with 0"),
        ),
        Mistake(
            lambda scores, mask: scores.softmax(-1) * mask,
            lambda case, got, expected: (
                f"Masked keys get weight 0, but a row sums to {got[0].sum().item():.2f} instead of "
                f"1: you removed weights after the softmax had shared them out."
            ),
        ),
        Mistake(
            _fill(-1e4),
            "Right while the scores are small. Filled with -1e4, a masked key wins against allowed "
            "scores of -2e6, and a row that may attend to nothing becomes uniform. No moderate "
            "constant is low enough.",
        ),
        Mistake(
            _fill(-1e6),
            "Right while the scores are small, in float32. Filled with -1e6, a masked key wins "
            "against an allowed score of -2e6, float16 has no such number, and a row that may "
            "attend to nothing becomes uniform.",
        ),
        Mistake(
            _and_empty(_fill(-1e6)),
            "The empty row is right. But filled with -1e6, a masked key wins against an allowed "
            "score of -2e6, and float16 has no such number.",
        ),
        Mistake(
            _fill(-1e9),
            "Nearly, in float32. With -1e9 a row that may attend to nothing becomes uniform, as if "
            "nothing were masked; allowed scores of -2e38 still lose; and float16 has no such "
            "number. Which value is below all of them?",
        ),
        Mistake(
            _and_empty(_fill(-1e9)),
            "The empty row is right. But with -1e9 the masked key wins against allowed scores of "
            "-2e38, and float16 has no such number. Which value is below all of them?",
        ),
        Mistake(
            lambda scores, mask: scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(
                -1
            ),
            "Right at every magnitude and in every dtype, except for the row that may attend to "
            "nothing: all its scores are equally low, so it becomes uniform. It should be 0.",
        ),
        Mistake(
            lambda scores, mask: masked_softmax(scores, mask=mask).float(),
            "The numbers are right, but float16 scores come out as float32 weights: the dtype must "
            "follow the input. Look for a conversion, or for a float32 tensor that your function "
            "makes itself.",
        ),
        Mistake(
            _fill(-torch.inf),
            "Right, except for the row that may attend to nothing: softmax of nothing but minus "
            "infinity is 0 / 0, NaN. Such a row should be 0.",
        ),
        Mistake(
            _exp_times_mask,
            "Right for small scores. But exp(1000) is infinite and exp(-2e6) is 0, so the quotient "
            "is NaN there; and an empty row is 0 / 0. A softmax subtracts the row's maximum first.",
        ),
        Mistake(
            _renormalized,
            "Often right. But the first softmax still sees the masked keys: where one of them is "
            "far above the others it takes all the weight, nothing is left to share, and 0 / 0 is "
            "NaN. So it is in an empty row.",
        ),
        Mistake(_fill(-torch.inf, inverted=True), _inverted),
        Mistake(lambda scores, mask: masked_softmax(scores, mask=~mask), _inverted),
        Mistake(_fill(-1e9, inverted=True), _inverted),
        Mistake(
            _fill(-torch.inf, axis=-2),
            "The columns sum to 1, the rows do not: the softmax runs over the queries. It has to "
            "run over the keys, the last axis.",
        ),
        Mistake(
            _fill(-torch.inf, axis=1),
            "Right where the scores are one matrix, except for the empty row. With a batch in "
            "front, axis 1 holds the queries or the heads: the keys are the last axis, -1.",
        ),
        Mistake(
            lambda scores, mask: _fill(-torch.inf, axis=1)(scores, mask).nan_to_num(0),
            "Right where the scores are one matrix. With a batch in front, axis 1 holds the "
            "queries or the heads: the keys are the last axis, -1.",
        ),
        Mistake(
            _by_index,
            "Right where the mask has exactly the shape of the scores, except for the empty row. "
            "Indexing with a mask cannot broadcast a smaller one; masked_fill and torch.where can.",
        ),
        Mistake(
            _and_empty(_by_index),
            "Right where the mask has exactly the shape of the scores. Indexing with a mask cannot "
            "broadcast a smaller one; masked_fill and torch.where can.",
        ),
        Mistake(
            lambda scores, mask: scores.softmax(-1),
            "The mask makes no difference to your result.",
        ),
    ],
    hints=[
        "Each row of weights sums to 1 over its allowed keys, and masked keys get exactly 0.",
        "exp(-inf) is 0. Fill a copy of the scores, not the scores; then look after the rows in "
        "which every key is masked.",
        "masked_fill makes a copy. A row that is empty may be filled with any finite number before "
        "the softmax, and with 0 after it; mask.any(-1, keepdim=True) tells which rows are not.",
    ],
)


# 3.6 Find the leak. Each case is an attention function, named after what it does.


def _influence(attention, queries, tokens, change=lambda token: token + 1, measure=None):
    """How far each output moves when a token changes, (queries, keys)."""
    measure = measure or (lambda moved: moved.abs().amax(-1))
    before = attention(queries, tokens)
    columns = []
    for j in range(len(tokens)):
        changed = tokens.clone()
        changed[j] = change(tokens[j])
        columns.append(measure(attention(queries, changed) - before))
    return torch.stack(columns, dim=-1)


def _leaks(limit=1e-6, **kwargs):
    def leaks(attention, queries, tokens, mask):
        return (_influence(attention, queries, tokens, **kwargs) > limit) & ~mask

    return leaks


def _under(name, mask):
    """Attention with this mask, under this name."""

    def attention(queries, tokens):
        return scaled_dot_product_attention(queries, tokens, tokens, mask=mask)

    attention.__name__ = name
    return attention


def _attention_cases():
    generator = torch.Generator().manual_seed(36)

    def random(*shape):
        return torch.randn(shape, generator=generator).mul(10).round() / 10  # short to print

    small = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.5, 1.0], [2.0, -1.0]])
    first = torch.tensor([[True, False]])
    past = causal_mask(3, 4)
    real = torch.tensor([True, True, False, False]).expand(3, -1)
    queries, tokens = random(3, 2), random(4, 2)
    padded = tokens.masked_fill(
        ~real[0].unsqueeze(-1), 0
    )  # pads are zero vectors, as in the lesson

    def filled_with_minus_8(queries, tokens):
        scores = torch.tanh(dot_product_scores(queries, tokens)).masked_fill(~past, -8)
        return scores.softmax(-1) @ tokens

    def subtracts_the_next(queries, tokens):
        good = scaled_dot_product_attention(queries, tokens, tokens, mask=past)
        return good - 0.5 * tokens[1 : len(queries) + 1]

    def leaks_in_the_last_number(queries, tokens):
        good = scaled_dot_product_attention(queries, tokens, tokens, mask=past)
        return torch.cat([good[:, :-1], good[:, -1:] + tokens[-1, -1]], dim=-1)

    def rounds_differently(queries, tokens):
        good = scaled_dot_product_attention(queries, tokens, tokens, mask=past)
        shift = 2 + tokens.mean()
        return (good + shift) - shift

    def subtracts_the_mean(queries, tokens):
        centered = tokens - tokens.mean(0)
        return scaled_dot_product_attention(queries, centered, centered, mask=past & real)

    too_strict = _under("hides_its_own_word", past & (_ahead(4)[:3] < 0))
    return [
        (_under("no_mask", None), *small, first),
        (_under("careful", past & real), queries, tokens, past & real),
        (_under("one_key_too_many", past), queries, padded, past & real),
        (too_strict, queries, tokens, past),
        (subtracts_the_mean, queries, tokens, past & real),
        (filled_with_minus_8, queries, tokens, past),
        (subtracts_the_next, queries, tokens, past),
        (leaks_in_the_last_number, queries, tokens, past),
        (rounds_differently, queries, tokens, past),
    ]


def _without_reset(attention, queries, tokens, mask):
    before, changed = attention(queries, tokens), tokens.clone()
    columns = []
    for j in range(len(tokens)):
        changed[j] += 1
        columns.append((attention(queries, changed) - before).abs().amax(-1))
    return (torch.stack(columns, dim=-1) > 1e-6) & ~mask


def _moved(attention, queries, tokens):
    return _influence(attention, queries, tokens) > 1e-6


LEAKS = Exercise(
    name="my_leaks",
    solution=_leaks(),
    cases=_attention_cases,
    mistakes=[
        Mistake(
            lambda attention, queries, tokens, mask: _moved(attention, queries, tokens),
            lambda case, got, expected: (
                f"You report all cells that move, {(got & case[3]).sum().item()} of them where the "
                f"mask allows it. Moving is a leak only where the mask forbids it."
            ),
        ),
        Mistake(
            lambda attention, queries, tokens, mask: _moved(attention, queries, tokens) & mask,
            "You report the cells that move and may. A leak moves where the mask is False.",
        ),
        Mistake(
            lambda attention, queries, tokens, mask: ~_moved(attention, queries, tokens) & mask,
            "These are the deaf cells: they should move and do not. A leak is the opposite, a cell "
            "that must not move and does.",
        ),
        Mistake(
            lambda attention, queries, tokens, mask: _moved(attention, queries, tokens) != mask,
            "You report every disagreement with the mask. A cell that may move and does not is "
            "deaf, which is a fault of another kind; only the cells that must not move can leak.",
        ),
        Mistake(
            lambda attention, queries, tokens, mask: ~mask,
            "You report every forbidden cell, whether anything moves there or not. Careful "
            "attention has no leaks at all: try it out, change a token and look.",
        ),
        Mistake(
            lambda attention, queries, tokens, mask: (
                _moved(attention, queries, tokens) & ~mask
            ).transpose(0, 1),
            "Queries and tokens are exchanged: the outputs (queries) run down, the changed tokens "
            "across.",
        ),
        Mistake(
            _leaks(limit=0),
            "You compare with 0 exactly. Code that sums in another order moves outputs by "
            "rounding, some 1e-7, and is no leak. Leave room for it.",
        ),
        Mistake(
            _leaks(limit=1e-3),
            "Your limit is too generous: masked keys filled with -8 leak by less than 0.001, and "
            "you call that clean. Rounding stays near 1e-7; 1e-6 lies between.",
        ),
        Mistake(
            _leaks(measure=lambda moved: moved.amax(-1)),
            "You see only outputs that grow. An output that falls has moved too: look at the size "
            "of the change, without its sign.",
        ),
        Mistake(
            _leaks(measure=lambda moved: moved[:, 0].abs()),
            "You look at the first number of each output only; a leak may sit in any of them.",
        ),
        Mistake(
            _leaks(change=lambda token: token * 2),
            "You doubled the token, or set it to 0. A pad is a zero vector and stays one, so its "
            "leak goes unseen. Change every token by something that is surely a change.",
        ),
        Mistake(
            _without_reset,
            "After the first token your changes pile up: the second experiment changes two tokens, "
            "the third three. Start each one from a fresh copy of the tokens.",
        ),
    ],
    hints=[
        "Change one token, run attention again, and compare each output with the one before. Do so "
        "for each token.",
        "influence(attention, queries, tokens) has done all of this: cell (i, j) says how far "
        "output i moved when token j changed. What is left is to decide which cells are leaks.",
        "A leak is a cell that moved by more than 1e-6 and in which the mask is False. Both are "
        "boolean tensors of shape (queries, keys).",
    ],
    gradients=False,
    dtypes=False,
)


EXERCISES = [
    LOOKAHEAD_MASK,
    PADDING_MASK,
    TOKEN_MASK,
    CAUSAL_PADDING_MASK,
    MASKED_SOFTMAX,
    LEAKS,
]

QUESTIONS = {
    "3.1": Question(
        "C",
        {
            "A": "Zero feels like nothing, but these are scores, and exp(0) is 1: each pad enters "
            "the sum with 1. For a softmax, nothing is minus infinity.",
            "B": "It spreads evenly only over equal scores. The scores of 'go' with the two real "
            "words are not 0, so 4/6 holds for one query alone: the zero vector of `<pad>` itself.",
            "C": "The dot product with a zero key is 0, exp(0) is 1, and each of the four pads "
            "takes its part of the sum. How much depends on the scores of the real words.",
            "D": "NaN comes from 0/0, and here the sum holds a positive exponential for every "
            "slot. Dividing by the length of a zero vector would be undefined, but nobody does.",
        },
    ),
    "3.2": Question(
        "B",
        {
            "A": "1 + 2 + 3 + 4 counts the rows of the real words and stops. The two pads are "
            "queries as well and have rows of their own, with four allowed keys each.",
            "B": "The six rows allow 1, 2, 3, 4, 4 and 4 keys: the triangle, cut off after the "
            "fourth column.",
            "C": "21 = 1 + 2 + ... + 6 is the causal mask alone. In the last two rows it still "
            "allows pads, three cells in all, which the padding mask forbids.",
            "D": "24 = 6 queries times 4 real keys is the padding mask alone. The causal mask "
            "takes away the cells above the diagonal.",
        },
    ),
    "3.3": Question(
        "D",
        {
            "A": "It would change nothing if the slot at the edge were real. But keys count from "
            "0, so the key whose number equals the length is the first pad.",
            "B": "One key too many, yes. But a key is a column, and every query sees it.",
            "C": "One for each real word would be right if pads asked nothing. A padding mask "
            "hides pads as keys; as queries they attend like the others.",
            "D": "One key too many is one column, and its six cells, one for each query, all move.",
        },
    ),
    "3.4": Question(
        "A",
        {
            "A": "A fill of -1e6 lies a million above the real scores. Softmax looks at "
            "differences only, so the masked keys take everything.",
            "B": "That trusts the name of the operation. The fill hides a key only while it is far "
            "below the real scores, and here it is far above them.",
            "C": "4/6 would need six equal scores. A difference of a million leaves the lower side "
            "exactly 0 in floating point.",
            "D": "Written as in the formula, it would be 0/0. But softmax first subtracts the "
            "largest score of the row, so one exponential is always exp(0) = 1.",
        },
    ),
    "3.5": Question(
        "D",
        {
            "A": "It is the sensible answer, and three of the five calls below give it. The "
            "formula itself says 0/0, so every author had to decide, and they decided differently.",
            "B": "That is what a bare softmax over minus infinities gives, and one of the calls "
            "hands it on. The others guard against it or never fill with minus infinity.",
            "C": "An error would be honest, but somebody would have to look for empty rows in "
            "every call, and none of these functions does.",
            "D": "Zeros, NaN and a plain mean, and `nn.MultiheadAttention` gives NaN or zeros "
            "depending on whether you ask for its weights.",
        },
    ),
}
