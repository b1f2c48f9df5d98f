"""Attentions to try a test on: right ones that are written in unusual ways, and broken ones.

Each is called as attention(queries, keys, values, mask) and returns (output, weights):

    queries (batch, heads, n, d), keys (batch, heads, m, d), values (batch, heads, m, v);
    mask: boolean, True = may attend, broadcasts to (batch, heads, n, m);
    output (batch, heads, n, v) and weights (batch, heads, n, m), both of the queries' dtype; a
    query that may attend to nothing gets weights 0 and output 0. Scores stay finite.

A cache's step is called as step(query, key, value, cache) for one token after the other, with
shapes (batch, heads, 1, d), and returns (output, cache); the first cache is None.
"""

import itertools

import torch
import torch.nn.functional as F

_calls, _turns = itertools.count(), itertools.count()


def attention(
    queries, keys, values, mask, *,
    scale="head", hidden="given", where="everywhere", fill=-torch.inf, axis=-1, masked="scores",
    empty="zero", shift="largest", averaged="values", heads="apart", dtype="kept", drop=False,
    shown="used", adds=None,
):  # fmt: skip
    """Attention with a knob for each mistake; the defaults are right."""
    batch, num_heads, n, d = queries.shape
    m = keys.shape[2]
    if averaged == "norms":  # of all keys, also of those that are masked
        keys = keys / keys.norm(dim=-1, keepdim=True).amax(-2, keepdim=True)
    size = {"head": d**0.5, "none": 1, "d": d, "width": (num_heads * d) ** 0.5, "keys": m**0.5}
    scores = queries @ keys.mT / size[scale]  # (batch, heads, n, m)
    given = mask.expand(batch, num_heads, n, m)
    here = _place(where, batch, num_heads, n) > 0
    allowed = {
        "given": lambda: given,
        "inverted": lambda: ~given,
        "ignored": lambda: given | here,
        "the first sentence's": lambda: given[:1].expand_as(given),
        "one key more": lambda: given | F.pad(given, (1, 0))[..., :m] & here,
        "by threes": lambda: given | given.roll(-1, 2) & (torch.arange(n) % 3 < 2).view(n, 1),
        "the second next": lambda: (
            given | F.pad(given, (2, 0))[..., :m] & ~F.pad(given, (1, 0))[..., :m]
        ),
        "the last key too": lambda: given | (torch.arange(m) == m - 1),
    }[hidden]()
    unmasked = scores
    if masked == "scores":
        scores = scores.masked_fill(~allowed, fill)
    top = scores.amax(axis, keepdim=True).nan_to_num(neginf=0) if shift != "nothing" else 0
    if shift == "a bit more":
        top = top + scores.nan_to_num(neginf=0).sum().sin().abs() / 7
    exponentials = (scores - top).exp()
    weights = exponentials / exponentials.sum(axis, keepdim=True)
    if empty == "zero":
        weights = weights.where(given.any(-1, keepdim=True), 0)
    weights = weights if axis == -1 else weights.nan_to_num()
    weights = weights * allowed if masked == "weights" else weights
    weights = weights[:, :1].expand_as(weights) if heads == "first" else weights
    if adds is not None:
        weights = weights * (1 + adds * _place(where, batch, num_heads, n))
    if drop:  # another third at each call
        weights = weights * ((torch.arange(m) + next(_calls)) % 3 > 0) * 1.5
    output = weights @ (keys if averaged == "keys" else values)
    if averaged == "values and a bit":
        output = output + values.mean(2, keepdim=True) / 50
    if heads == "viewed":
        output = output.transpose(1, 2).reshape(output.shape)
    if heads.startswith("numbered"):
        numbers = torch.arange(num_heads).view(-1, 1, 1) / 10
        output = output + (numbers if heads == "numbered" else numbers.flip(0) / 100)
    kept = torch.float32 if dtype == "float32" else queries.dtype
    weights = {
        "used": lambda: weights,
        "rolled": lambda: weights.roll(1, 2),
        "as they should be": lambda: (
            unmasked.masked_fill(~given, -torch.inf).softmax(-1).nan_to_num()
        ),
    }[shown]()
    return output.to(kept), weights.to(kept)


def _place(where, batch, heads, n):
    """Where an attention is broken: 1 there and 0 elsewhere, broadcast to (batch, heads, n, 1)."""
    sentence, head = torch.arange(batch).view(-1, 1, 1, 1), torch.arange(heads).view(-1, 1, 1)
    row = torch.arange(n).view(n, 1)
    return {
        "everywhere": lambda: row >= 0,
        "first sentence": lambda: sentence == 0,
        "second sentence": lambda: sentence == 1,
        "first head": lambda: head == 0,
        "second head": lambda: head == 1,
        "last head": lambda: head == heads - 1,
        "first row": lambda: row == 0,
        "row before the last": lambda: row == n - 2,
        "last row": lambda: row == n - 1,
        "odd rows": lambda: row % 2 == 1,
        "fourth row on": lambda: row > 2,
        # The mean over heads is 0, and so is that over sentences.
        "one up, one down": lambda: torch.where(sentence + head == 1, -1.0, 1.0)
        * (sentence < 2) * (head < 2),
    }[where]() * 1.0  # fmt: skip


def _with(**knobs):
    return lambda queries, keys, values, mask: attention(queries, keys, values, mask, **knobs)


def gives_nan_at_every_second_call(*given):
    """As what is never written to does, where it happens to be NaN."""
    spoilt = next(_turns) % 2
    return tuple(x * torch.nan if spoilt else x for x in attention(*given))


BROKEN = {
    "ignores_the_mask": _with(hidden="ignored"),
    "ignores_the_mask_in_the_first_sentence": _with(hidden="ignored", where="first sentence"),
    "ignores_the_mask_in_the_first_head": _with(hidden="ignored", where="first head"),
    "ignores_the_mask_in_the_last_row": _with(hidden="ignored", where="last row"),
    "turns_the_mask_around": _with(hidden="inverted"),
    "takes_the_first_sentences_mask": _with(hidden="the first sentence's"),
    "sees_one_key_more": _with(hidden="one key more"),
    "sees_ahead_in_the_first_sentence": _with(hidden="one key more", where="first sentence"),
    "sees_ahead_in_the_second_sentence": _with(hidden="one key more", where="second sentence"),
    "sees_ahead_in_the_first_head": _with(hidden="one key more", where="first head"),
    "sees_ahead_in_the_last_head": _with(hidden="one key more", where="last head"),
    "sees_ahead_in_the_first_row": _with(hidden="one key more", where="first row"),
    "sees_ahead_in_the_row_before_the_last": _with(
        hidden="one key more", where="row before the last"
    ),
    "sees_ahead_in_odd_rows": _with(hidden="one key more", where="odd rows"),
    "sees_ahead_from_the_fourth_on": _with(hidden="one key more", where="fourth row on"),
    "sees_ahead_within_threes": _with(hidden="by threes"),
    "sees_the_key_after_the_next": _with(hidden="the second next"),
    "sees_the_last_key": _with(hidden="the last key too"),
    "masks_with_zero": _with(fill=0.0),
    "masks_with_minus_ten": _with(fill=-10.0),
    "masks_the_weights": _with(masked="weights"),
    "even_where_nothing_is_allowed": _with(fill=-1e9, empty="as it comes"),
    "nan_where_nothing_is_allowed": _with(empty="as it comes"),
    "does_not_scale": _with(scale="none"),
    "scales_by_d": _with(scale="d"),
    "scales_by_the_width": _with(scale="width"),
    "scales_by_the_keys": _with(scale="keys"),
    "softmax_over_queries": _with(axis=-2),
    "softmax_over_heads": _with(axis=1),
    "softmax_over_the_batch": _with(axis=0),
    "overflows": _with(shift="nothing"),
    "mixes_heads_by_view": _with(heads="viewed"),
    "first_head_for_all": _with(heads="first"),
    "numbers_its_heads": _with(heads="numbered"),
    "numbers_its_heads_from_the_last": _with(heads="numbered from the last"),
    "averages_the_keys": _with(averaged="keys"),
    "hears_a_bit_of_all_values": _with(averaged="values and a bit"),
    "divides_by_the_longest_key": _with(averaged="norms"),
    "returns_float32": _with(dtype="float32"),
    "dropout_left_on": _with(drop=True),
    "shows_other_weights": _with(shown="rolled"),
    "shows_what_it_should_do": _with(hidden="ignored", shown="as they should be"),
    "loses_a_little_in_the_last_row": _with(adds=-0.02, where="last row"),
    "adds_a_little_in_the_first_sentence": _with(adds=0.02, where="first sentence"),
    "adds_a_little_in_the_second_sentence": _with(adds=0.02, where="second sentence"),
    "adds_a_little_in_the_second_head": _with(adds=0.02, where="second head"),
    "adds_a_little_everywhere": _with(adds=0.02),
    "adds_a_hair_everywhere": _with(adds=0.004),
    "adds_a_fifth_everywhere": _with(adds=0.2),
    "gives_nan_at_every_second_call": gives_nan_at_every_second_call,
    "adds_in_one_head_what_it_takes_from_the_next": _with(adds=0.02, where="one up, one down"),
}
# Those that a whole suite is tried on.
PLANTED = {
    name: BROKEN[name] for name in (
        "ignores_the_mask", "turns_the_mask_around", "takes_the_first_sentences_mask",
        "sees_one_key_more", "masks_with_minus_ten", "masks_the_weights",
        "even_where_nothing_is_allowed", "nan_where_nothing_is_allowed", "does_not_scale",
        "scales_by_the_width", "scales_by_the_keys", "softmax_over_queries", "softmax_over_heads",
        "overflows", "mixes_heads_by_view", "first_head_for_all", "averages_the_keys",
        "returns_float32", "dropout_left_on", "shows_other_weights",
    )
}  # fmt: skip


def plain(queries, keys, values, mask):
    return attention(queries, keys, values, mask)


def scales_the_queries(queries, keys, values, mask):
    d = queries.shape[-1]
    return attention(queries / d**0.5, keys, values, mask, scale="none")


def centers_the_keys(queries, keys, values, mask):
    """A row's scores move together; a softmax does not feel that."""
    return attention(queries, keys - keys.mean(2, keepdim=True), values, mask)


def keys_backwards(queries, keys, values, mask):
    mask = mask.expand(*mask.shape[:-1], keys.shape[2])
    output, weights = attention(queries, keys.flip(2), values.flip(2), mask.flip(-1))
    return output, weights.flip(-1)


def head_by_head(queries, keys, values, mask):
    mask = mask.expand(len(queries), queries.shape[1], queries.shape[2], keys.shape[2])
    cut = [[x[:, h : h + 1] for x in (queries, keys, values, mask)] for h in range(mask.shape[1])]
    made = [attention(*each) for each in cut]
    return tuple(torch.cat([pair[i] for pair in made], 1) for i in (0, 1))


def in_float64(queries, keys, values, mask):
    made = attention(queries.double(), keys.double(), values.double(), mask)
    return tuple(x.to(queries.dtype) for x in made)


def key_by_key(queries, keys, values, mask):
    """As in flash attention: a running maximum, sum and average; the row is never there whole."""
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask.expand_as(scores), -torch.inf)
    top, total, average = -torch.inf, 0, 0
    for j in range(keys.shape[2]):
        score = scores[..., j : j + 1]
        new = score.maximum(torch.as_tensor(top).to(score))
        ratio, share = (torch.as_tensor(top).to(score) - new).exp(), (score - new).exp()
        ratio, share = ratio.nan_to_num(), share.nan_to_num()  # nothing was allowed so far
        top, total = new, total * ratio + share
        average = average * ratio + share * values[:, :, j : j + 1]
    some = total > 0
    total = total.where(some, 1)
    weights = (scores - top.where(some, 0)).exp() / total
    return average / total, weights


def subtracts_a_bit_more(queries, keys, values, mask):
    """More than the largest score of a row: how much more depends on how much there is."""
    return attention(queries, keys, values, mask, shift="a bit more")


RIGHT = {
    each.__name__: each
    for each in (plain, scales_the_queries, centers_the_keys, keys_backwards,
                 head_by_head, in_float64, key_by_key)
}  # fmt: skip


# Gradients


def _learning(queries=1.0, keys=1.0, values=1.0, where="everywhere"):
    """A right attention whose gradients are multiplied by these factors, there: 0 is detach."""
    factors = queries, keys, values

    def attention_of(*given):
        *parts, mask = given
        for i, factor in enumerate(factors):
            here = _place(where, *parts[i].shape[:3])
            still, moves = parts[i].detach(), parts[i] - parts[i].detach()  # moves is 0, and learns
            if factor == "nan":
                parts[i] = parts[i] + 0 * moves.sqrt()  # whose slope is infinite at 0
            elif where == "everywhere":
                parts[i] = still + factor * moves if factor else still
            else:
                parts[i] = still + (1 + (factor - 1) * here) * moves
        return attention(*parts, mask)

    return attention_of


SLOPES = {  # their numbers are right, and their gradients are not
    "detaches_its_weights": _learning(queries=0, keys=0),
    "detaches_the_keys": _learning(keys=0),
    "halves_the_gradient_of_queries": _learning(queries=0.5),
    "detaches_the_values": _learning(values=0),
    "turns_the_gradient_of_keys_around": _learning(keys=-1),
    "learns_in_the_first_sentence_alone": _learning(0, 0, 0, where="second sentence"),
    "learns_in_the_first_head_alone": _learning(0, 0, 0, where="second head"),
    "gives_nan_for_a_gradient": _learning(queries="nan"),
    "learns_a_bit_too_fast": _learning(1.02, 1.02, 1.02),
}  # fmt: skip
LEARNS_WRONG = {name: SLOPES[name] for name in [*SLOPES][:3]}  # those of a whole suite


# A cache


def step_of(name):
    """A step that begins anew, with its own memory: of RIGHT_STEPS or BROKEN_STEPS."""
    remembered = None

    def step(query, key, value, cache):
        nonlocal remembered
        if cache is None and name == "goes_on_with_the_text_before":
            cache = remembered
        keys, values = (key, value) if cache is None else (
            torch.cat([old, new], 2) for old, new in zip(cache, (key, value), strict=True)
        )  # fmt: skip
        if name == "fades" and cache is not None:
            values = torch.cat([0.99 * values[:, :, :-1], value], 2)
        remembered = keys, values
        seen = {
            "keeps_the_last_four": lambda: (keys[:, :, -4:], values[:, :, -4:]),
            "does_not_see_the_newest": lambda: [x[:, :, : max(1, x.shape[2] - 1)]
                                                for x in (keys, values)],
            "keeps_the_first_value": lambda: (keys, values[:, :, :1].expand_as(values)),
            "keeps_keys_alone": lambda: (keys, value.expand_as(values)),
            "serves_the_first_sentence": lambda: [x[:1].expand_as(x) for x in (keys, values)],
            "serves_the_last_sentence": lambda: [x[-1:].expand_as(x) for x in (keys, values)],
            "keys_of_the_last_head": lambda: (keys[:, -1:].expand_as(keys), values),
            "joins_keys_in_front": lambda: (keys.roll(1, 2), values),
        }.get(name, lambda: (keys, values))()  # fmt: skip
        everything = torch.ones(1, 1, 1, seen[0].shape[2], dtype=torch.bool)
        output = attention(query, *seen, everything)[0]
        begins = {"begins_with_nothing": 0, "begins_with_nan": torch.nan}.get(name, 1)
        return output * (begins if cache is None else 1), (keys, values)

    step.__name__ = name
    return room_to_spare if name == "room_to_spare" else step


def room_to_spare(query, key, value, cache):
    """It keeps room for eight more tokens, and a count of those that are there."""
    *kept, used = cache or (key[:, :, :0], value[:, :, :0], 0)
    if used == kept[0].shape[2]:
        kept = [F.pad(x, (0, 0, 0, 8)) for x in kept]
    kept = [x.clone() for x in kept]
    kept[0][:, :, used : used + 1], kept[1][:, :, used : used + 1] = key, value
    there = (torch.arange(kept[0].shape[2]) <= used).view(1, 1, 1, -1)
    return attention(query, *kept, there)[0], (*kept, used + 1)


RIGHT_STEPS = "plain_step", "room_to_spare"
BROKEN_STEPS = (
    "does_not_see_the_newest", "keeps_the_last_four", "keeps_the_first_value", "keeps_keys_alone",
    "serves_the_first_sentence", "joins_keys_in_front", "goes_on_with_the_text_before",
    "serves_the_last_sentence", "keys_of_the_last_head", "begins_with_nothing", "fades",
    "begins_with_nan",
)  # fmt: skip
for _name, _made in {**BROKEN, **SLOPES}.items():
    _made.__name__ = _name
