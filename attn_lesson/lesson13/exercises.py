"""Exercises and questions of lesson 13: tests of attention, judged by what they let through."""

import torch

from ..judge.common import Draw
from ..judge.exercise import Exercise
from ..words import sentences, tell
from .attentions import (
    BROKEN,
    BROKEN_STEPS,
    LEARNS_WRONG,
    PLANTED,
    RIGHT,
    RIGHT_STEPS,
    SLOPES,
    plain,
    step_of,
    subtracts_a_bit_more,
)

say = sentences(__name__)
ANY = RIGHT | BROKEN | SLOPES | {"subtracts_a_bit_more": subtracts_a_bit_more}


def _alike(a, b, close, nan="refused"):
    """Whether two outputs are equal but for rounding."""
    off = (a - b).abs() if a.shape == b.shape else torch.tensor(torch.inf)
    return bool((off <= close).all() if nan == "refused" else not (off > close).any())


def _lets_through(case, got, expected):
    """What passes this test and is broken, or is right and is refused."""
    if not isinstance(got, bool) or got == expected:
        return None
    name = _name(case)
    return say("passes" if got else "refuses", name=name, what=say(f"it {name}"))


def _name(case):
    return getattr(case[0], "__name__", case[0])


def _tensors(draw, batch, heads, n, m, d, v):
    """Queries, keys and values."""
    return (draw.normal(batch, heads, n, d), draw.normal(batch, heads, m, d),
            draw.normal(batch, heads, m, v))  # fmt: skip


NAME = {"name": lambda case, *_: _name(case), "what": lambda case, *_: say(f"it {_name(case)}")}


# Rows that sum to 1


def my_rows_test(
    attention, queries, keys, values, mask, *,
    axis=-1, close=1e-5, seen="all", of="all keys", sign="both", nan="refused", report="found",
):  # fmt: skip
    weights = attention(queries, keys, values, mask)[1]
    off = (weights * mask if of == "allowed keys" else weights).sum(axis) - 1
    off = {"all": off, "first": off[:1, :1], "first row": off[..., :1], "first head": off[:, :1],
           "mean": off.mean(), "first sentence": off[:1], "one": off[:1, :1, :1],
           "the best": off.abs().nan_to_num(nan=9).amin()}[seen]  # fmt: skip
    off = {"both": off.abs(), "too much": off, "too little": -off}[sign]
    passes = (off <= close).all() if nan == "refused" else not (off > close).any()
    return bool(passes) if report == "found" else report


def _weights_and_inputs(seed):
    draw = Draw(seed + 1310)

    def case(name, batch=2, heads=3, n=4, m=5, share=0.6, times=1):
        mask = draw.mask(batch, 1, n, m, share=share)
        mask[..., 0] = True  # each query may attend to something
        q, *rest = _tensors(draw, batch, heads, n, m, 6, 3)
        return (ANY[name], times * q, *rest, mask)

    return [
        case("plain", 1, 1, 2, 3, 0),  # one key for each query: sums of exactly 1
        case("masks_the_weights", 1, 1, 2, 3, 0.4),
        case("softmax_over_queries", 1, 2, 4, 4),
        case("softmax_over_heads"),
        case("dropout_left_on", 3, 2, 6, 9),
        case("key_by_key", 4, 3, 8, 40),
        case("in_float64", 4, 3, 8, 50, 0.9),
        case("loses_a_little_in_the_last_row"),
        case("adds_a_little_in_the_second_sentence"),
        case("adds_a_little_in_the_second_head"),
        case("adds_a_little_in_the_first_sentence"),
        case("adds_in_one_head_what_it_takes_from_the_next"),
        case("adds_a_little_everywhere"),
        case("overflows", times=200),
        case("adds_a_hair_everywhere"),
        case("adds_a_fifth_everywhere"),
        case("ignores_the_mask"),  # wrong elsewhere: its rows sum to 1
        case("softmax_over_queries", 1, 1, 5, 5, 1.1),
        case("softmax_over_the_batch", 2, 1, 3, 3),
    ]


ROWS = Exercise(my_rows_test, cases=_weights_and_inputs, explain=_lets_through, numbers=NAME)


# A masked key is not felt


def my_padding_test(
    attention, queries, keys, values, real, *,
    change="both", which="padding", close=1e-5, compare="output", seen="all", to=9, nan="refused",
    report="found",
):  # fmt: skip
    mask = real[:, None, None, :]
    moved = {"real": real, "last": torch.arange(real.shape[1]) == real.shape[1] - 1}
    moved = moved.get(which, ~real)
    moved = moved.expand_as(real)[:, None, :, None]
    k, v = (
        x.masked_fill(moved, to) if change in ("both", name) else x
        for name, x in (("keys", keys), ("values", values))
    )
    if which == "common":
        longest = int(real.sum(1).max())
        k, v, cut = keys[:, :, :longest], values[:, :, :longest], mask[..., :longest]
    else:
        cut = mask
    before, after = attention(queries, keys, values, mask), attention(queries, k, v, cut)
    a, b = (pair[compare == "weights"] for pair in (before, after))
    a, b = (a, b) if seen == "all" else (a[:1], b[:1])
    return _alike(a, b, close, nan) if report == "found" else report


def _paddings(seed):
    draw = Draw(seed + 1320)

    def case(name, lens=(3, 5, 2), heads=2, n=4, m=6, zeros=False):
        tensors = _tensors(draw, len(lens), heads, n, m, 4, 3)
        real = torch.arange(m) < torch.tensor(lens)[:, None]
        if zeros:  # padding that is 0 already
            tensors = (tensors[0], *(x * real[:, None, :, None] for x in tensors[1:]))
        return (ANY[name], *tensors, real)

    return [
        case("plain", (2,), 1, 2, 3),
        case("ignores_the_mask", (2,), 1, 2, 3),
        case("turns_the_mask_around"),
        case("masks_with_zero", zeros=True),
        case("masks_with_minus_ten"),
        case("hears_a_bit_of_all_values"),
        case("divides_by_the_longest_key"),
        case("sees_one_key_more", (3, 4, 2)),
        case("takes_the_first_sentences_mask", (5, 3, 2)),
        case("centers_the_keys", (30, 12), 2, 5, 40),
        case("key_by_key"),
        case("shows_what_it_should_do"),
        case("ignores_the_mask_in_the_first_sentence"),
        case("ignores_the_mask_in_the_first_head"),
        case("ignores_the_mask_in_the_last_row"),
        case("sees_the_last_key", (3, 4, 2)),
        case("ignores_the_mask", (3, 6, 2)),  # a sentence without padding
        case("gives_nan_at_every_second_call"),
        case("does_not_scale"),  # wrong elsewhere: padding is not felt
    ]


PADDING = Exercise(my_padding_test, cases=_paddings, explain=_lets_through, numbers=NAME)


# The future is not felt


def my_causal_test(
    attention, queries, keys, values, *,
    tokens="each", seen="all", close=1e-5, mask="past", change="both", rows="before",
    nan="refused", report="found",
):  # fmt: skip
    n = queries.shape[2]
    ones = torch.ones(n, n, dtype=torch.bool)
    mask = ones.tril(0 if mask == "past" else -1)
    before = attention(queries, keys, values, mask)[0]
    for j in {"each": range(1, n), "second": [1], "middle": [n // 2]}.get(tokens, [n - 1]):
        late = torch.arange(n) == j if rows == "just before one" else torch.arange(n) >= j
        late = late.view(n, 1)
        k, v = (
            torch.where(late, x + 3, x) if change in ("both", name) else x
            for name, x in (("keys", keys), ("values", values))
        )
        after = attention(queries, k, v, mask)[0]
        some = slice(None if seen == "all" else 1)
        first = tokens == "last, for the first"
        which = slice(j - 1 if rows == "just before one" else 0, 1 if first else j)
        if not _alike(before[some, :, which], after[some, :, which], close, nan):
            return False if report == "found" else report
    return True if report == "found" else report


def _texts(seed):
    draw = Draw(seed + 1330)

    def case(name, batch=2, heads=2, n=6, v=3):
        return (ANY[name], *_tensors(draw, batch, heads, n, n, 4, v))

    return [
        case("plain", 1, 1, 3),
        case("ignores_the_mask", 1, 1, 3),
        case("sees_one_key_more", n=5),
        case("sees_ahead_within_threes", n=7),
        case("sees_ahead_within_threes", n=10),
        case("sees_ahead_from_the_fourth_on"),
        case("sees_ahead_in_the_second_sentence"),
        case("sees_ahead_in_the_first_sentence"),
        case("sees_ahead_in_the_first_head"),
        case("sees_ahead_in_the_last_head"),
        case("sees_ahead_in_the_first_row"),
        case("sees_ahead_in_the_row_before_the_last"),
        case("sees_ahead_in_odd_rows"),
        case("turns_the_mask_around"),
        case("masks_with_minus_ten"),
        case("hears_a_bit_of_all_values"),
        case("divides_by_the_longest_key"),
        case("shows_what_it_should_do"),
        case("sees_the_last_key", n=5),
        case("sees_the_key_after_the_next"),
        case("gives_nan_at_every_second_call"),
        case("centers_the_keys", 3, 2, 30),
        case("key_by_key"),
        case("scales_by_the_width"),  # wrong elsewhere: the future is not felt
    ]


CAUSAL = Exercise(my_causal_test, cases=_texts, explain=_lets_through, numbers=NAME)


# Gradients


def my_gradient_test(
    attention, queries, keys, values, mask, *,
    of="all", compare="numbers", close=1e-4, seen="all", loss="square", nan="refused",
    report="found", reference="plain", none="wrong",
):  # fmt: skip
    given = queries, keys, values, mask
    beside = *given[:3], mask | (reference == "no mask")
    other = ANY["does_not_scale"] if reference == "no scale" else plain
    if compare == "outputs":
        return _alike(attention(*given)[0], other(*beside)[0], close)
    right = _gradients(other, *beside, loss)
    mine = _gradients(attention, *given, loss, right if none == "skipped" else None)
    chosen = {"queries": [0], "keys": [1], "values": [2], "queries and keys": [0, 1]}
    pairs = [(mine[i], right[i]) for i in chosen.get(of, range(3))]
    some = {"first sentence": slice(1), "first head": (slice(None), slice(1))}.get(seen, ...)
    for a, b in pairs:
        if compare in ("there", "not None"):
            passes = bool(a.any() if compare == "not None" else a.abs().sum() > 0)
        elif compare in ("sizes", "sums"):
            a, b = (x.norm() if compare == "sizes" else x.sum() for x in (a, b))
            passes = _alike(a, b, close * (1 + float(b.abs())), nan)
        else:
            passes = _alike(a[some], b[some], close, nan)
        if passes and seen == "one of three":
            return True
        if not passes and seen != "one of three":
            return False if report == "found" else report
    return seen != "one of three" if report == "found" else report


def _gradients(attention, queries, keys, values, mask, loss="square", others=None):
    """Those of queries, keys and values; where there is none 0, or what others have."""
    leaves = [x.detach().clone().requires_grad_() for x in (queries, keys, values)]
    with torch.enable_grad():
        output = attention(*leaves, mask)[0]
        found = (output.square() if loss == "square" else output).sum()
    made = torch.autograd.grad(found, leaves, allow_unused=True)
    others = map(torch.zeros_like, leaves) if others is None else others
    return [x if g is None else g for x, g in zip(others, made, strict=True)]


def _with_gradients(seed):
    draw = Draw(seed + 1370)

    def case(name, batch=2, heads=2, n=4, m=5, d=4, v=3):
        mask = draw.mask(batch, 1, n, m)
        mask[..., 0] = True  # each query may attend to something
        queries, keys, values = _tensors(draw, batch, heads, n, m, d, v)
        large = 0.5 if name == "learns_a_bit_too_fast" else 1  # so that 2 % are below 0.1
        return ANY[name], queries, keys, large * values, mask

    return [
        case("plain", 1, 1, 2, 3, 2, 2),
        case("detaches_its_weights", 1, 1, 2, 3, 2, 2),
        *map(case, [*SLOPES][1:]),
        *map(case, ("key_by_key", "centers_the_keys", "in_float64", "keys_backwards")),
        case("key_by_key", 3, 2, 8, 40),
        case("ignores_the_mask"),
        case("does_not_scale"),
    ]


GRADIENTS = Exercise(my_gradient_test, cases=_with_gradients, explain=_lets_through, numbers=NAME)


# Each head, each sentence for itself


def my_heads_test(
    attention, *, batch=2, heads=3, mask="each", close=1e-5, first=False, look="output",
    nan="refused", report="found",
):  # fmt: skip
    draw = Draw(1340)
    q, k, v = _tensors(draw, batch, heads, 4, 5, 6, 2)
    allowed = draw.mask(batch, 1, 4, 5) | (torch.arange(5) == 0)
    allowed = allowed if mask == "each" else allowed[:1].expand_as(allowed)
    number = int(look == "weights")
    whole = attention(q, k, v, allowed)[number]
    for b in range(1 if first else batch):
        for h in range(1 if first else heads):
            alone = [x[b : b + 1, h : h + 1] for x in (q, k, v)]
            part = attention(*alone, allowed[b : b + 1])[number]
            if not _alike(part, whole[b : b + 1, h : h + 1], close, nan):
                return False if report == "found" else report
    return True if report == "found" else report


HEADS_OF = (
    "plain", "subtracts_a_bit_more", "softmax_over_heads", "softmax_over_the_batch",
    "mixes_heads_by_view", "first_head_for_all", "numbers_its_heads",
    "numbers_its_heads_from_the_last", "scales_by_the_width", "takes_the_first_sentences_mask",
    "head_by_head", "in_float64", "does_not_scale", "gives_nan_at_every_second_call",
)  # fmt: skip
HEADS = Exercise(
    my_heads_test,
    cases=lambda seed: [(ANY[name],) for name in HEADS_OF],
    explain=_lets_through,
    numbers=NAME,
)


# A cache


def my_cache_test(step, *, tokens=7, batch=2, texts=2, close=1e-5, nan="refused", report="found"):
    draw = Draw(1350)
    for _ in range(texts):
        q, k, v = _tensors(draw, batch, 3, tokens, tokens, 6, 4)
        causal = torch.ones(tokens, tokens, dtype=torch.bool).tril()
        cache, made = None, []
        for t in range(tokens):
            output, cache = step(*(x[:, :, t : t + 1] for x in (q, k, v)), cache)
            made.append(output)
        if not _alike(torch.cat(made, 2), plain(q, k, v, causal)[0], close, nan):
            return False if report == "found" else report
    return True if report == "found" else report


CACHE = Exercise(
    my_cache_test,
    cases=lambda seed: [(name,) for name in (*RIGHT_STEPS[:1], *BROKEN_STEPS,
                                             *RIGHT_STEPS[1:])],
    run=lambda test, name: test(step_of(name)),
    explain=_lets_through,
    numbers=NAME,
)  # fmt: skip


# A whole suite

WRONG = {**PLANTED, **LEARNS_WRONG}
ALL = [*RIGHT.values(), *WRONG.values()]
NEEDS = 3  # of what slips through are told at once


def my_suite(
    attention, *, sizes="odd", batch=2, heads=3, empty=True, mask="each", double=True, large=True,
    look="both", close=1.0, slopes=True, report="found",
):  # fmt: skip
    draw = Draw(1360)
    n, m, d, v = (5, 7, 4, 3) if sizes == "odd" else (4, 4, 4, 4)
    for times, kind in ((1, torch.float32), (8, torch.float32), (1, torch.float64)):
        if (times > 1 and not large) or (kind == torch.float64 and not double):
            continue
        q, k, value = (x.to(kind) for x in _tensors(draw, batch, heads, n, m, d, v))
        q, k = q * times, k * times
        allowed = draw.mask(batch, 1, n, m) | (torch.arange(m) == 0)
        allowed[-1, 0, 2] &= not empty
        allowed = allowed | True if mask == "none" else allowed
        pairs = list(zip(attention(q, k, value, allowed), plain(q, k, value, allowed),
                         strict=True))  # fmt: skip
        shapes = [tuple(x.new_zeros(x.shape) for x in pair) for pair in pairs]
        pairs = {"both": pairs, "output": pairs[:1], "weights": pairs[1:], "shapes": shapes}[look]
        tolerance = close * (1e-5 if times == 1 else 1e-3)
        alike = all(_alike(a, b, tolerance) for a, b in pairs)
        if not alike or (double and look != "shapes" and pairs[0][0].dtype != kind):
            return False if report == "found" else report
    if slopes and look != "shapes":
        allowed = draw.mask(batch, 1, n, m) | (torch.arange(m) == 0) | (mask == "none")
        given = *_tensors(draw, batch, heads, n, m, d, v), allowed
        pairs = zip(_gradients(attention, *given), _gradients(plain, *given), strict=True)
        if not all(_alike(a, b, 1e-4 * close) for a, b in pairs):
            return False if report == "found" else report
    return True if report == "found" else report


def _on_all(suite, _):
    """What a suite says of each attention: True where it passes. A test that raises has failed."""
    said = [suite(plain)]  # what is raised here is told
    for each in ALL[1:]:
        try:
            said.append(suite(lambda *given, attention=each: attention(*given)))
        except Exception:
            said.append(False)
    if any(one is None for one in said):
        return None
    return next(filter(None, map(_odd, said)), None) or torch.tensor([bool(one) for one in said])


def _odd(said):
    """What one answer of a suite is that is neither True nor False, as torch or NumPy has them."""
    if isinstance(said, torch.Tensor):
        yes_or_no = said.dtype == torch.bool and not said.dim()
        return None if yes_or_no else say("tensor", shape=tuple(said.shape), dtype=said.dtype)
    kind = type(said).__name__
    return None if kind in ("bool", "bool_") else kind


def _score(passes):
    if isinstance(passes, str):
        return passes
    right = len(RIGHT)
    counts = {"right": passes[:right].sum().item(), "caught": (~passes[right:]).sum().item()}
    return say("score", **counts, rights=right, broken=len(WRONG))


def _slipped(case, got, expected):
    """The score of a suite, with the names of what it lets through and refuses."""
    if isinstance(got, str):
        return say("not a bool", got=got)
    if not isinstance(got, torch.Tensor) or got.shape != expected.shape or got.dtype != torch.bool:
        return None
    names = [each.__name__ for each in ALL]
    through = [name for name, a, b in zip(names, got, expected, strict=True) if a and not b]
    refused = [name for name, a, b in zip(names, got, expected, strict=True) if b and not a]
    told = through and say("slips through", names=", ".join(through), first=through[0],
                           what=say(f"it {through[0]}"))  # fmt: skip
    needs = {}
    for name in through:
        needs.setdefault(say(f"catch {name}"), name)
    for need, name in [*needs.items()][:NEEDS]:
        told = f"{told} {say('to catch', need=need, name=name)}"
    also = refused and say("refused", names=", ".join(refused), first=refused[0],
                           what=say(f"it {refused[0]}"))  # fmt: skip
    return " ".join(filter(None, [_score(got), told, also]))


SUITE = Exercise(
    my_suite,
    cases=lambda seed: [(say("all of them", right=len(RIGHT), broken=len(WRONG)),)],
    run=_on_all,
    together=1,  # what slips through is told by its name
    show=_score,
    explain=_slipped,
    numbers={"score": lambda case, got, expected: _score(got)},
)


EXERCISES, QUESTIONS = tell(__name__, ROWS, PADDING, CAUSAL, GRADIENTS, HEADS, CACHE, SUITE)
