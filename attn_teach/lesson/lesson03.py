"""Exercises and questions of lesson 03, masking."""

import torch

from ..masking import causal_mask
from ..scoring import dot_product_scores
from .common import Draw
from .engine import Exercise
from .library import Question

INVERTED = "The mask is inverted: in this course True means may attend."


def _too_many(text):
    """A sentence that counts the cells which are True and must not be; in pairs without."""
    return (
        lambda case, got, expected: f"{text} ({int((got & ~expected).sum())} cells too many)",
        text,
    )


def _ahead(num_steps):
    """How many places key j stands after query i, (num_steps, num_steps)."""
    steps = torch.arange(num_steps)
    return steps - steps.unsqueeze(1)


# 3.1 A little look-ahead


def my_lookahead_mask(num_steps, lookahead, *, limit="plus", edge=0, kept="below", rows="move"):
    ahead = _ahead(num_steps)
    if rows == "equal":
        ahead = torch.arange(num_steps).repeat(num_steps, 1)
    limit = {"plus": lookahead, "minus": -lookahead, "none": 0}[limit] + edge
    if kept == "above":
        return ahead >= limit
    below = ahead <= limit
    return below & {"below": ahead == ahead, "band": -ahead <= limit, "ahead": ahead >= 0}[kept]


LOOKAHEAD_MASK = Exercise(
    my_lookahead_mask,
    cases=lambda seed: [
        *[(3, 1), (6, 2), (5, 0), (4, 7), (7, 3), (1, 0)],
        (Draw(seed).whole(8, 10), Draw(seed + 1).whole(1, 4)),
    ],
    knobs={
        "limit": {
            "minus": "The diagonal moved the wrong way, down and to the left: a query no longer "
            "sees itself. Which sign moves it up and to the right?",
            "none": "This is the causal mask: the look-ahead makes no difference to your result.",
        },
        "edge": {
            -1: "Each row ends one key early. A look-ahead of 0 must leave query 0 its own word; "
            "with a look-ahead of 1 it sees keys 0 and 1. (A slice stops before its end.)",
            1: "Each row ends one key late: with a look-ahead of 0 your query 0 already sees key "
            "1. Diagonal 0 contains the query's own word; do not count it again.",
        },
        "kept": {
            "above": "You kept the upper triangle: query i sees only the keys from i + lookahead "
            "on, that is the far future and nothing before it.",
            "band": "Your mask is a band: it limits the distance on both sides, so a late query "
            "forgets the beginning of the sentence. Only the future is limited.",
            "ahead": "Your queries see themselves and the next words, and nothing that came "
            "before. The past stays visible: only j <= i + lookahead is asked for.",
        },
        "rows": {
            "equal": "All your rows are equal: you compared the keys with lookahead alone. The "
            "limit must move with the query, one key further in each row.",
        },
    },
    generic={
        "inverted": "The mask is inverted: True stands on exactly the keys that are too far "
        "ahead. In this course True means may attend.",
        "transposed": "Queries and keys are exchanged: your first row sees everything and your "
        "last row the least. Queries run down, so the first row must be the short one.",
    },
    hints=[
        "Write the mask for num_steps = 3 and lookahead = 1 on paper, one row per query, and count "
        "the True cells of each row.",
        "The second argument of tril says which diagonal is the last one kept. 0 is the main "
        "diagonal, from the top left to the bottom right.",
        "For query i the last visible key is i + lookahead, so the last kept diagonal starts at "
        "key number lookahead in the first row. Positive diagonals lie up and to the right.",
    ],
)


# 3.2 Lengths to mask


def _lengths(seed):
    drawn = Draw(seed).whole(0, 7, 3, 2)
    return [
        (torch.tensor([2, 3]), 4),
        (torch.tensor([4, 0, 6, 1, 3]), 6),
        (torch.tensor([1, 3, 2]), 3),  # as many sentences as keys
        (torch.tensor([[1, 2, 3], [4, 4, 0]]), 5),
        (torch.tensor([[1, 0, 3, 4], [2, 2, 4, 2]]), 4),  # as many queries as keys
        (drawn, 8),
    ]


def my_padding_mask(valid_lens, num_keys, *, edge=0, width="num_keys", axes="right"):
    flat = valid_lens.dim() == 1
    lens = valid_lens.reshape(len(valid_lens), -1, 1)  # (batch, 1 or queries, 1)
    if axes == "one more":
        lens = valid_lens.unsqueeze(-1)
    elif axes == "none":
        lens = valid_lens
    elif axes == "middle":
        lens = valid_lens.unsqueeze(1)
    elif axes == "two more":
        lens = valid_lens[:, None, None]
    elif axes == "folded":
        lens = valid_lens.reshape(-1, 1, 1)
    elif axes == "repeated" and flat:
        lens = lens.expand(-1, num_keys, -1)
    elif axes == "first query":
        lens = lens[:, :1]
    elif axes == "first sentence":
        lens = lens[:1].expand_as(lens)
    keys = torch.arange(num_keys if width == "num_keys" else int(valid_lens.max()))
    return keys < lens + edge


PADDING_MASK = Exercise(
    my_padding_mask,
    cases=_lengths,
    asks=("padding_mask",),
    knobs={
        "edge": {
            1: _too_many(
                "One key too many in each row: keys are counted from 0, so with a length of 2 the "
                "keys 0 and 1 are real and key 2 is the first pad."
            ),
            -1: "One key too few in each row: you number the keys from 1 and still ask for "
            "strictly less. Number them from 0.",
        },
        "width": {
            "longest": (
                lambda case, got, expected: (
                    f"Your mask has {got.shape[-1]} keys instead of {expected.shape[-1]}: you took "
                    f"the longest length. A batch may be padded further than its longest "
                    f"sentence; num_keys says how far."
                ),
                "The number of keys is the longest length; num_keys says how far a batch is "
                "padded.",
            ),
        },
        "axes": {
            "one more": "Right for lengths of two dimensions. For lengths of one dimension the "
            "axis of the queries is missing: (batch, keys) would be read as (queries, keys), "
            "without an error whenever the numbers happen to fit.",
            "none": "The lengths need new axes: compared with the numbers of the keys as they are, "
            "length and key are paired one by one, which fits by chance or not at all.",
            "middle": "A new axis in the middle is not enough. Lengths of one dimension become "
            "(batch, 1), which lacks an axis; those of two become (batch, 1, queries), and the "
            "keys are then compared with the queries' axis.",
            "two more": "Right for lengths of one dimension. Lengths of shape (batch, queries) "
            "already have their axis for the queries: they need one new axis, at the end, not two.",
            "folded": "Right for lengths of one dimension. With (batch, queries) your reshape "
            "folds the queries into the batch: the mask gets batch * queries sentences.",
            "repeated": "Right for lengths of two dimensions. For lengths of one dimension you "
            "repeated the row num_keys times, which is right only if there are as many queries as "
            "keys. Leave an axis of size 1: it fits every number of queries.",
            "first query": "Right for lengths of one dimension. With (batch, queries) you used "
            "the length of the first query for all of them.",
            "first sentence": "Every sentence got the length of the first one.",
        },
    },
    generic={
        "inverted": "The mask is inverted: True stands on the pads. In this course True means may "
        "attend.",
        "transposed": "The keys run down your mask instead of across. They belong to the last "
        "axis, so that the comparison needs the lengths, not the positions, to get a new last "
        "axis.",
        "first of the batch": None,
    },
    hints=[
        "Key j is real when j is smaller than the length. One comparison can do it for all "
        "sentences at once: which tensor holds the numbers j?",
        "Broadcasting aligns the last axes. torch.arange(num_keys) runs along the last axis of the "
        "mask, so the lengths need a last axis of size 1.",
        "Lengths (batch, queries) need .unsqueeze(-1). Lengths (batch,) need an axis of size 1 for "
        "the queries first: make them (batch, 1), then treat both kinds alike.",
    ],
)


# 3.3 Queries and keys


def _query_and_key_masks(seed):
    draw = Draw(31 + seed)
    cases = [(torch.tensor([[True, False]]), torch.tensor([[True, True, False]]))]
    for batch, queries, keys in [(2, 4, 3), (3, 2, 5), (3, 3, 3)]:
        cases.append((draw.mask(batch, queries), draw.mask(batch, keys)))
    cases.append((torch.tensor([[False] * 3, [True] * 3]), torch.tensor([[True] * 4, [False] * 4])))
    return cases


def my_token_mask(query_mask, key_mask, *, join="and", query="real", key="real", axes="right"):
    change = {"real": lambda a: a, "unused": torch.ones_like, "pads": torch.logical_not}
    a, b = change[query](query_mask), change[key](key_mask)
    if axes == "right":
        a, b = a.unsqueeze(-1), b.unsqueeze(-2)
    elif axes == "sentences":
        a, b = a.unsqueeze(1), b.unsqueeze(0)
    joined = {"and": a.__and__, "or": a.__or__, "equal": a.__eq__, "differ": a.__ne__}
    return joined[join](b)


TOKEN_MASK = Exercise(
    my_token_mask,
    cases=_query_and_key_masks,
    knobs={
        "join": {
            "or": _too_many(
                "A pair is allowed as soon as one side is real, so pads attend and are attended "
                "to. Both sides must be real."
            ),
            "equal": "You ask whether both sides are equal. Two pads are equal too, so the pads "
            "attend to the pads.",
            "differ": "You ask whether the sides differ: True stands where exactly one of them is "
            "real. Both must be.",
        },
        "query": {
            "unused": "All your rows are equal: the query mask makes no difference to your "
            "result. The row of a pad query must be empty.",
            "pads": "You turned the query mask around: True already means a real token.",
        },
        "key": {
            "unused": "All your columns are equal: the key mask makes no difference to your "
            "result. The column of a pad key must be empty.",
            "pads": "You turned the key mask around: True already means a real token.",
        },
        "axes": {
            "none": "Without new axes, (batch, queries) and (batch, keys) are paired number by "
            "number: an error, or nonsense where the sizes happen to agree. Every query has to "
            "meet every key.",
            "sentences": "Your new axes make every sentence meet every other sentence. The batch "
            "axis stays first in both masks; put the new axes after it.",
        },
    },
    wrong={
        "pads": (
            lambda query_mask, key_mask: my_token_mask(~query_mask, ~key_mask),
            "You combined the pads: True stands where query and key are both filler. In both "
            "masks True already means a real token.",
        ),
    },
    generic={
        "inverted": "The mask is inverted: it is False exactly where both tokens are real. In "
        "this course True means may attend.",
        "transposed": (
            lambda case, got, expected: (
                f"Queries and keys are exchanged: your mask has the shape {tuple(got.shape)}, "
                f"(batch, keys, queries). Queries run down (axis -2), keys across (axis -1)."
            ),
            "Queries and keys are exchanged: queries run down (axis -2), keys across (axis -1).",
        ),
        "first of the batch": "Every sentence got the mask of the first one. The batch axis must "
        "stay in place.",
    },
    hints=[
        "A pair is allowed when its query is real and its key is real. Which operator says and?",
        "The result has an axis for queries and one for keys. Each of your two masks lacks one of "
        "them; unsqueeze adds it, with size 1.",
        "Shapes to combine: (batch, queries, 1) and (batch, 1, keys). Broadcasting makes (batch, "
        "queries, keys) of them.",
    ],
)


# 3.4 Past and real


def my_causal_padding_mask(valid_lens, num_steps, *, join="and", past="<=", real="<"):
    ahead, keys, lens = _ahead(num_steps), torch.arange(num_steps), valid_lens.view(-1, 1, 1)
    lens = lens[:1].expand_as(lens) if real == "first" else lens
    edge = {"late": 1, "early": -1}.get(real, 0)
    padding = (keys < lens + edge).expand(-1, num_steps, -1)
    if real == "none":
        padding = torch.ones_like(padding)
    elif real == "rows":
        padding = padding.mT
    elif real == "batch":
        padding = keys < valid_lens.unsqueeze(-1)  # (batch, keys)
    causal = {"<=": ahead <= 0, "<": ahead < 0, ">=": ahead >= 0, "none": ahead == ahead,
              "one more": ahead <= 1}[past]  # fmt: skip
    return padding & causal if join == "and" else padding | causal


CAUSAL_PADDING_MASK = Exercise(
    my_causal_padding_mask,
    cases=lambda seed: [
        (torch.tensor([2]), 3),
        (torch.tensor([3, 1, 4, 0]), 5),
        (torch.tensor([2, 4, 1, 3]), 4),  # as many sentences as steps
        (torch.tensor([6, 2]), 7),
        (torch.tensor([1, 1, 0]), 1),
        (Draw(seed).whole(0, 6, 3), 6),
    ],
    forbids={"attn_teach": "and the exercise asks to use only torch."},
    knobs={
        "join": {
            "or": _too_many(
                "A key is allowed as soon as one mask allows it. Both must allow; a sum of "
                "booleans is an or as well."
            ),
        },
        "past": {
            "none": "The future is visible: without a causal mask every query sees all real "
            "words. This is the padding mask alone.",
            ">=": "Your queries see themselves and the future, and not the past: rows and columns "
            "of the causal part are exchanged. Query 0 must see key 0 alone.",
            "<": "A query does not see its own word: the diagonal is missing, and query 0 may "
            "attend to nothing. Not in the future means j <= i.",
            "one more": "Each query sees one word of the future: the diagonal of the causal part "
            "is off by one. Not in the future means j <= i.",
        },
        "real": {
            "none": "The lengths make no difference to your result, and the last queries still "
            "see pads. This is the causal mask alone.",
            "late": "One pad per sentence is visible: with a length of 2 the keys 0 and 1 are "
            "real, so key 2 must be hidden. Is there a <= where a < belongs?",
            "early": "The last real word of each sentence is hidden: with a length of 2 the keys "
            "0 and 1 are real.",
            "rows": "The rows of the pads are empty: you compared the length with the query's "
            "position, or you cut a square out of the triangle. The length says which keys are "
            "real, on the last axis; a pad that asks still sees its real keys.",
            "first": "Every sentence got the length of the first one. Each has its own.",
            "batch": "The two masks meet on the wrong axes: your padding mask is (batch, keys) "
            "and the causal one (queries, keys), so sentences are paired with queries. Give the "
            "padding mask an axis of size 1 for the queries, in the middle.",
        },
    },
    wrong={
        "one row": (
            lambda valid_lens, num_steps: torch.arange(num_steps) < valid_lens.view(-1, 1, 1),
            "This is the padding mask alone, with one row for all queries. Under a causal mask "
            "every query has a row of its own.",
        ),
        "one sentence": (
            lambda valid_lens, num_steps: _ahead(num_steps) <= 0,
            "This is the causal mask alone, and without a batch: each sentence has a mask of its "
            "own.",
        ),
    },
    generic={
        "inverted": "The mask is inverted: True stands on pads and future. In this course True "
        "means may attend.",
        "first of the batch": None,
    },
    hints=[
        "Build two masks, one that says real and one that says not in the future, and combine them "
        "with and.",
        "Shapes: real is (batch, 1, keys), not in the future is (queries, keys). Broadcasting lets "
        "them meet as (batch, queries, keys).",
        "With steps = torch.arange(num_steps): steps along the last axis are the keys, "
        "steps.unsqueeze(1) the queries, valid_lens.view(-1, 1, 1) the lengths. Two comparisons "
        "and one & are enough.",
    ],
)


# 3.5 A masked softmax that keeps its promises


def _scores_and_masks(seed):
    draw = Draw(3 + seed)
    first_two = torch.tensor([[True, True, False]])
    cases = [(torch.tensor([[1.0, 2.0, 3.0]]), first_two)]
    # Masks of the scores' shape, then some that broadcast to it.
    for shape, of_mask in [
        ((2, 3), (2, 3)),
        ((2, 3, 4), (2, 3, 4)),
        ((3, 2, 4), (2, 4)),
        ((2, 5, 3, 4), (2, 1, 1, 4)),
    ]:
        mask = draw.mask(*of_mask)
        mask[..., 0], mask[..., -1] = True, False
        cases.append((draw.normal(*shape) * 3, mask))
    cases += [
        (torch.tensor([[-2e6, -3e6, 5.0]]), first_two),
        (torch.tensor([[-2e38, -3e38, 5.0]]), first_two),
        (torch.tensor([[1000.0, 999.0, 3.0]]), first_two),
        (torch.tensor([[1.0, 1.0, 3.0]]).half(), first_two),
        (torch.tensor([[0.5, 1.5], [1.0, 2.0]]), torch.tensor([[False] * 2, [True] * 2])),
    ]
    return cases


def my_masked_softmax(
    scores, mask, *, fill=-torch.inf, empty="zero", axis=-1, use="before", shape="any", given="may"
):
    mask = {"may": mask, "inverted": ~mask, "unused": torch.ones_like(mask)}[given]
    if use == "after":
        return scores.softmax(axis) * mask
    if empty == "uniform" and fill == -torch.inf:
        fill = torch.finfo(scores.dtype).min
    if shape == "same":
        scores = scores.clone()
        scores[~mask] = fill
    else:
        scores = scores.masked_fill(~mask, fill)
    if empty != "zero":
        return scores.softmax(axis)
    none = ~mask.expand(scores.shape).any(axis, keepdim=True)
    return scores.masked_fill(none, 0).softmax(axis).masked_fill(none, 0)


def _exp_times_mask(scores, mask):
    raw = scores.exp() * mask
    return raw / raw.sum(-1, keepdim=True)


def _renormalized(scores, mask):
    kept = scores.softmax(-1) * mask
    return kept / kept.sum(-1, keepdim=True)


def _hidden(case, got):
    """The largest weight of a masked key."""
    return got[~case[1].expand(got.shape)].max().item()


MASKED_SOFTMAX = Exercise(
    my_masked_softmax,
    cases=_scores_and_masks,
    asks=("masked_softmax", "attend"),
    gradients=True,
    exact_zeros=True,
    knobs={
        "empty": {
            "uniform": "A row that may attend to nothing becomes uniform, as if nothing were "
            "masked: all its scores are equally low. It should be 0.",
            "nan": "A row that may attend to nothing becomes NaN: softmax of nothing but minus "
            "infinity is 0 / 0. Such a row should be 0; all else is right.",
        },
        "fill": {
            0.0: (
                lambda case, got, expected: (
                    f"Rows sum to 1, but masked keys still get weight {_hidden(case, got):.2f}: "
                    f"you filled the scores with 0, or multiplied them by the mask, and exp(0) is "
                    f"1. What must a score be for its exponential to be 0?"
                ),
                "You filled the scores with 0, or multiplied them by the mask, and exp(0) is 1: "
                "masked keys still get weight.",
            ),
            -1e4: "Filled with -1e4 or so, a masked key wins against allowed scores of -2e6. No "
            "moderate constant is low enough.",
            -1e6: "Filled with -1e6 or so, a masked key wins against an allowed score of -2e6, and "
            "float16 has no such number. No moderate constant is low enough.",
            -1e9: "Nearly, in float32. But filled with -1e9 or so, a masked key wins against "
            "allowed scores of -2e38, and float16 has no such number. Which value is below all of "
            "them?",
        },
        "axis": {
            -2: "The columns sum to 1, the rows do not: the softmax runs over the queries. It has "
            "to run over the keys, the last axis.",
            1: "Right where the scores are one matrix. With a batch in front, axis 1 holds the "
            "queries or the heads: the keys are the last axis, -1.",
            0: "The softmax runs over axis 0, the batch or the queries: the keys are the last "
            "axis, -1.",
        },
        "use": {
            "after": (
                lambda case, got, expected: (
                    f"Masked keys get weight 0, but a row sums to {got[0].sum().item():.2f} "
                    f"instead of 1: you removed weights after the softmax had shared them out."
                ),
                "You removed weights after the softmax had shared them out.",
            ),
        },
        "shape": {
            "same": "Right where the mask has exactly the shape of the scores. Indexing with a "
            "mask cannot broadcast a smaller one; masked_fill and torch.where can.",
        },
        "given": {
            "inverted": (
                lambda case, got, expected: (
                    f"{INVERTED} A key that should be hidden has the weight "
                    f"{_hidden(case, got):.2f}."
                ),
                INVERTED,
            ),
            "unused": "The mask makes no difference to your result.",
        },
    },
    wrong={
        "exp": (
            _exp_times_mask,
            "Right for small scores. But exp(1000) is infinite and exp(-2e6) is 0, so the quotient "
            "is NaN there; and an empty row is 0 / 0. A softmax subtracts the row's maximum first.",
        ),
        "renormalized": (
            _renormalized,
            "Often right. But the first softmax still sees the masked keys: where one of them is "
            "far above the others it takes all the weight, nothing is left to share, and 0 / 0 is "
            "NaN. So it is in an empty row.",
        ),
        "exp, repaired": (
            lambda scores, mask: _exp_times_mask(scores, mask).nan_to_num(0),
            "Right for small scores, and for the empty row. But exp(1000) is infinite and "
            "exp(-2e6) is 0: you repair the NaN of 0 / 0 and lose the row. A softmax subtracts the "
            "row's maximum first.",
        ),
        "renormalized, repaired": (
            lambda scores, mask: _renormalized(scores, mask).nan_to_num(0),
            "Often right. But the first softmax still sees the masked keys: where one of them is "
            "far above the others it takes all the weight, and nothing is left to share.",
        ),
    },
    hints=[
        "Each row of weights sums to 1 over its allowed keys, and masked keys get exactly 0.",
        "exp(-inf) is 0. Fill a copy of the scores, not the scores; then look after the rows in "
        "which every key is masked.",
        "masked_fill makes a copy. A row that is empty may be filled with any finite number before "
        "the softmax, and with 0 after it; mask.any(-1, keepdim=True) tells which rows are not.",
    ],
)


# 3.6 Find the leak. Each case is an attention function, named after what it does.


def my_leaks(
    attention, queries, tokens, mask, *,
    report="leaks", limit=1e-6, seen="size", change="add", fresh=True,
):  # fmt: skip
    before, changed, columns = attention(queries, tokens), tokens.clone(), []
    for j in range(len(tokens)):
        changed = tokens.clone() if fresh else changed
        changed[j] = {"add": changed[j] + 1, "double": 2 * tokens[j]}[change]
        moved = attention(queries, changed) - before
        columns.append(moved.amax(-1) if seen == "growth" else
                       moved[:, 0].abs() if seen == "first" else moved.abs().amax(-1))  # fmt: skip
    moved = torch.stack(columns, -1) > limit
    return {"leaks": moved & ~mask, "moved": moved, "allowed": moved & mask, "deaf": ~moved & mask,
            "differs": moved != mask, "forbidden": ~mask}[report]  # fmt: skip


def _attention_cases(seed):
    draw = Draw(36 + seed)
    small = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.5, 1.0], [2.0, -1.0]])
    past, first = causal_mask(3, 4), torch.tensor([[True, False]])
    real = torch.tensor([True, True, False, False]).expand(3, -1)
    queries, tokens = draw.short(3, 2), draw.short(4, 2)
    pads_are_zero = tokens.masked_fill(~real[0].unsqueeze(-1), 0)  # as in the lesson

    def attend(queries, tokens, mask):
        scores = dot_product_scores(queries, tokens)
        return scores.masked_fill(~mask, -torch.inf).softmax(-1) @ tokens

    def under(name, mask):
        def attention(queries, tokens):
            return attend(queries, tokens, mask)

        attention.__name__ = name
        return attention

    def filled_with_minus_8(queries, tokens):
        scores = torch.tanh(dot_product_scores(queries, tokens)).masked_fill(~past, -8)
        return scores.softmax(-1) @ tokens

    def subtracts_the_next(queries, tokens):
        return attend(queries, tokens, past) - 0.5 * tokens[1 : len(queries) + 1]

    def leaks_in_the_last_number(queries, tokens):
        good = attend(queries, tokens, past)
        return torch.cat([good[:, :-1], good[:, -1:] + tokens[-1, -1]], dim=-1)

    def rounds_differently(queries, tokens):
        shift = 2 + tokens.mean()
        return (attend(queries, tokens, past) + shift) - shift

    def subtracts_the_mean(queries, tokens):
        return attend(queries, tokens - tokens.mean(0), past & real)

    def hides_its_own_word(queries, tokens):
        return attend(queries, tokens, past & (_ahead(4)[:3] < 0)).nan_to_num(0)

    return [
        (under("no_mask", first | ~first), *small, first),
        (under("careful", past & real), queries, tokens, past & real),
        (under("one_key_too_many", past), queries, pads_are_zero, past & real),
        (hides_its_own_word, queries, tokens, past),
        (subtracts_the_mean, queries, tokens, past & real),
        (filled_with_minus_8, queries, tokens, past),
        (subtracts_the_next, queries, tokens, past),
        (leaks_in_the_last_number, queries, tokens, past),
        (rounds_differently, queries, tokens, past),
    ]


LEAKS = Exercise(
    my_leaks,
    cases=_attention_cases,
    knobs={
        "report": {
            "moved": (
                lambda case, got, expected: (
                    f"You report all cells that move, {int((got & case[3]).sum())} of them where "
                    f"the mask allows it. Moving is a leak only where the mask forbids it."
                ),
                "You report all cells that move. Moving is a leak only where the mask forbids it.",
            ),
            "allowed": "You report the cells that move and may. A leak moves where the mask is "
            "False.",
            "deaf": "These are the deaf cells: they should move and do not. A leak is the "
            "opposite, a cell that must not move and does.",
            "differs": "You report every disagreement with the mask. A cell that may move and "
            "does not is deaf, which is a fault of another kind; only the cells that must not "
            "move can leak.",
            "forbidden": "You report every forbidden cell, whether anything moves there or not. "
            "Careful attention has no leaks at all: try it out, change a token and look.",
        },
        "limit": {
            0: "You compare with 0 exactly. Code that sums in another order moves outputs by "
            "rounding, some 1e-7, and is no leak. Leave room for it.",
            1e-3: "Your limit is too generous: masked keys filled with -8 leak by less than "
            "0.001, and you call that clean. Rounding stays near 1e-7; 1e-6 lies between.",
        },
        "seen": {
            "growth": "You see only outputs that grow. An output that falls has moved too: look "
            "at the size of the change, without its sign.",
            "first": "You look at the first number of each output only; a leak may sit in any of "
            "them.",
        },
        "change": {
            "double": "You doubled the token, or set it to 0. A pad is a zero vector and stays "
            "one, so its leak goes unseen. Change every token by something that is surely a "
            "change.",
        },
        "fresh": {
            False: "After the first token your changes pile up: the second experiment changes two "
            "tokens, the third three. Start each one from a fresh copy of the tokens.",
        },
    },
    generic={
        "transposed": "Queries and tokens are exchanged: the outputs (queries) run down, the "
        "changed tokens across.",
    },
    hints=[
        "Change one token, run attention again, and compare each output with the one before. Do so "
        "for each token.",
        "influence(attention, queries, tokens) has done all of this: cell (i, j) says how far "
        "output i moved when token j changed. What is left is to decide which cells are leaks.",
        "A leak is a cell that moved by more than 1e-6 and in which the mask is False. Both are "
        "boolean tensors of shape (queries, keys).",
    ],
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
