"""Exercises and questions of lesson 16, a kernel of one's own."""

import weakref

import torch

from ..judge.common import Draw, axes_told, scaled
from ..judge.compare import same
from ..judge.exercise import Exercise
from ..words import sentences, tell
from .chip import Chip, Slow
from .kernels import tiles

say = sentences(__name__)
NEAR = 1e-4


def _tiles(n, size, tail="shorter"):
    """The rows (from, to) of each tile of n rows, as the knob `tail` says."""
    if tail == "left out":
        n = n // size * size
    elif tail == "by number":  # tile number t begins at row t
        return [(t, min(t + size, n)) for t in range(-(-n // size))]
    return tiles(n, size)


def _step(state, scores, values, shrink="both", largest="so far"):
    """One tile more of a running softmax, as the knobs say; rows that saw nothing stay empty."""
    top, total, output = state
    own = scores.amax(-1, keepdim=True)
    new = {"so far": torch.maximum(top, own), "none": torch.zeros_like(top), "tile": own,
           "all queries": torch.maximum(top, own).amax().expand_as(top)}[largest]  # fmt: skip
    safe = torch.where(new == -torch.inf, torch.zeros_like(new), new)
    less = (top - safe).exp()
    if largest in ("none", "tile"):
        less = torch.ones_like(less)
    weights = (scores - safe).exp()
    total = total * (less if shrink in ("both", "sum") else 1) + weights.sum(-1, keepdim=True)
    output = output * (less if shrink in ("both", "output") else 1) + weights @ values
    return new, total, output


def _empty(queries, values):
    """The state before the first key."""
    one = torch.zeros_like(queries[:, :1])
    return one - torch.inf, one, torch.zeros(len(queries), values.shape[1]).to(queries)


# One tile of queries


def my_tile(
    chip, Q, k, v, size, *,
    shrink="both", largest="so far", scale="sqrt d", divide="sum", loads="once", tail="shorter",
    start="-inf",
):  # fmt: skip
    tiles = _tiles(len(k), size, tail)
    if loads in ("whole row", "two"):  # all keys come before the first value
        for a, b in tiles:
            chip.load(k, a, b)
    if loads == "each query":
        for a, b in tiles * (len(Q) - 1):
            chip.load(k, a, b), chip.load(v, a, b)
    keys = k._numbers if loads == "whole row" else None
    state, means = _empty(Q, v), []
    if start == "zero":
        state = torch.zeros_like(state[0]), *state[1:]
    for a, b in tiles:
        K = chip.load(k, a, b) if keys is None else keys[a:b]
        V = chip.load(v, a, b)
        size_of = v.shape[1] if scale == "values" else Q.shape[-1]
        scores = scaled("sqrt d" if scale == "values" else scale, Q @ K.mT, size_of, len(k))
        means.append(scores.softmax(-1) @ V)
        state = _step(state, scores, V, shrink, largest)
        if divide == "each tile":
            state = *state[:2], state[2] / state[1]
    if divide == "mean of tiles":
        return sum(means) / len(means)
    if divide == "last tile":
        return means[-1]
    return state[2] / (state[1] if divide == "sum" else 1)


def _at_once(loads):
    """The most rows that were loaded at once, or that waited for those of the other array."""
    counts, most = {}, 0
    for array, a, b in loads:
        counts[id(array)] = counts.get(id(array), 0) + b - a
        apart = max(counts.values()) - (min(counts.values()) if len(counts) > 1 else 0)
        most = max(most, apart, b - a)
    return most


class _Watched(Chip):
    """A chip that knows how many loaded rows of one array are there at one time."""

    def __init__(self, fast, array):
        super().__init__(fast)
        self.array, self.here, self.most_here = array, 0, 0

    def load(self, array, a, b):
        rows = super().load(array, a, b)
        if array is self.array:
            self.here += b - a
            self.most_here = max(self.most_here, self.here)
            weakref.finalize(rows, self.gone, b - a)
        return rows

    def gone(self, rows):
        self.here -= rows


def _on_chip(function, fast, Q, k, v, size):
    """The output, the numbers moved, and the most rows of keys that are there at once.

    Two tiles are, in a right loop too: the next one is loaded before its name is bound anew.
    """
    keys, values = Slow(k), Slow(v)
    chip = _Watched(fast, keys)
    output = function(chip, Q, keys, values, size)
    if not isinstance(output, torch.Tensor):
        return output
    most = max(_at_once(chip.loads), chip.most_here)
    return output, chip.moved, max(most, min(2 * size, len(k)))


def _moved_told(case, got, expected):
    """What is wrong with the output; or, where it is right, with what was moved or held."""
    if not isinstance(got, tuple) or len(got) != len(expected):
        return None
    if got[0].shape != expected[0].shape:
        return axes_told(("queries", "features"), got[0], expected[0])
    if not same(got[0], expected[0], NEAR):
        return None
    if got[1] != expected[1]:
        key = "moves more" if got[1] > expected[1] else "moves less"
        return say(key, moved=got[1], needed=expected[1])
    if not expected[2]:
        return say("begins apart", loads=got[2])
    return say("holds more", rows=got[2], size=expected[2])


def _tiles_of_queries(seed):
    draw = Draw(1610 + seed)
    cases = [(100, torch.tensor([[2.0]]), torch.tensor([[0.0], [0.5]]),
              torch.tensor([[2.0, 0.0], [4.0, 8.0]]), 1)]  # fmt: skip
    for b, n, d, e, size in [(2, 6, 4, 3, 2), (3, 9, 2, 4, 3), (4, 7, 3, 2, 3), (2, 3, 5, 2, 4)]:
        parts = draw.short(b, d), 2 * draw.short(n, d), draw.short(n, e)
        cases.append((1000, *parts, size))
    far = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]]), 600 * draw.normal(8, 2)
    rows = torch.tensor([[100.0, 0.0], [0.0, 1.0]]), torch.tensor([5.0, 0.3]) + draw.short(5, 2)
    low = torch.tensor([[200.0, 3.0], [150.0, 1.0]]), draw.short(5, 2) - torch.tensor([4.0, 0])
    some = far, rows, low
    return [*cases, *((1000, Q, k, draw.short(len(k), 3), 2) for Q, k in some)]


TILE = Exercise(
    my_tile, cases=_tiles_of_queries, run=_on_chip, explain=_moved_told, tolerance=NEAR,
    numbers={"moved": lambda case, got, expected: got[1],
             "needed": lambda case, got, expected: expected[1],
             "rows": lambda case, got, expected: got[2],
             "size": lambda case, got, expected: expected[2]},
)  # fmt: skip


# The gradient of one tile


def my_tile_gradients(
    Q, K, V, grad, logs, inner, *,
    weigh="logs", scale="sqrt d", slope="divided", off="inner", value="weights", order="Q, K, V",
):  # fmt: skip
    size = V.shape[-1] if scale == "values" else Q.shape[-1]
    scores = scaled("sqrt d" if scale == "values" else scale, Q @ K.mT, size, len(K))
    weights = {
        "logs": lambda: (scores - logs[:, None]).exp(),
        "tile": lambda: scores.softmax(-1),
        "none": lambda: scores.exp(),
        "divided": lambda: scores.exp() / logs[:, None],
        "plus": lambda: (scores + logs[:, None]).exp(),
    }[weigh]()
    toward = grad @ V.mT
    mean = {"inner": inner[:, None], "none": 0, "plus": -inner[:, None],
            "tile": (weights * toward).sum(-1, keepdim=True)}  # fmt: skip
    slopes = toward - inner[:, None] if off == "no weights" else (
        weights * toward - inner[:, None] if off == "after" else weights * (toward - mean[off])
    )  # fmt: skip
    by = {"none": 1, "twice": size}.get(slope, size**0.5)
    of_values = {"weights": weights, "slopes": slopes}[value].mT @ grad
    found = slopes @ K / by, slopes.mT @ Q / by, of_values
    if slope in ("Q alone", "K alone"):
        root = size**0.5
        both = (root, 1) if slope == "Q alone" else (1, root)
        found = slopes @ K / both[0], slopes.mT @ Q / both[1], of_values
    if slope == "K twice":
        found = found[0], found[1] / size**0.5, of_values
    return {"Q, K, V": found, "K, Q, V": (found[1], found[0], found[2]),
            "Q alone": found[0]}[order]  # fmt: skip


def _tiles_of_weights(seed):
    draw = Draw(1620 + seed)

    def case(b, m, more, d, e, times=1):
        Q, K, V = times * draw.short(b, d), draw.short(m + more, d), draw.short(m + more, e)
        grad, scores = draw.short(b, e), Q @ K.mT / d**0.5
        inner = (grad * (scores.softmax(-1) @ V)).sum(-1)
        return Q, K[:m], V[:m], grad, scores.logsumexp(-1), inner

    shapes = (1, 1, 1, 4, 1), (2, 3, 2, 4, 3), (3, 2, 4, 5, 2), (4, 3, 0, 2, 3), (3, 4, 5, 2, 1)
    return [*(case(*shape) for shape in shapes), case(2, 3, 4, 4, 2, 100)]


GRADIENTS = Exercise(my_tile_gradients, cases=_tiles_of_weights, tolerance=NEAR)


# A rule


def my_rule(q, k, document, window, *, edge="right", ahead="hidden", text="same", join="and"):
    reach = window + {"one more": 1, "one less": -1}.get(edge, 0)
    near = {"none": k <= q + 10**6, "at least": q - k >= window}.get(edge, q - k < reach)
    every = (q + k) == (q + k)
    earlier = {
        "hidden": k <= q,
        "shown": every,
        "itself": k < q,
        "turned": k >= q,
        "both sides": k - q < reach,
    }[ahead]
    texts = {"same": document[q] == document[k], "ignored": every,
             "other": document[q] != document[k], "earlier": document[k] <= document[q],
             "of the query": document[q] == k}  # fmt: skip
    if text == "runs":
        run = torch.cat((document[:1] * 0, (document[1:] != document[:-1]).long().cumsum(0)))
        texts = run[q] == run[k]
    elif text == "from its first":
        first = (document[:, None] == document).int().argmax(1)
        texts = k >= first[q]
    else:
        texts = texts[text]
    if join == "no brackets":
        return document[q] == document[k] & earlier & near
    if join == "or":
        return earlier & (near | texts)
    return near & earlier & texts


def _places(seed):
    draw = Draw(1630 + seed)

    def case(lengths, window, last=None):
        document = torch.cat([torch.full((n,), (1, 0, 2)[i]) for i, n in enumerate(lengths)])
        places = torch.arange(len(document))
        asked = places if last is None else places[-last:]
        return asked[:, None], places[None], document, window

    cases = [case((2, 1), 2), case((4, 3), 3), case((1, 5, 2), 2), case((7,), 4), case((5, 4), 1)]
    cases += [case((3, 6), 4, 3), case((2, 4, 3), 9, 2)]
    mixed, places = torch.tensor([0, 1, 0, 0, 1, 2, 1, 0]), torch.arange(8)
    cases += [
        (places[:, None], places[None], mixed, 6),
        (places[-3:, None], places[None], mixed, 4),
    ]
    one = draw.whole(3, 5)
    return [*cases, case((one, 4, 2), 3), (torch.tensor(4), torch.tensor(2), *case((8,), 3)[2:])]


RULE = Exercise(my_rule, cases=_places)


# What a kernel moves


def my_moved(
    n, d, rows, columns, causal, *,
    tail="shorter", arrays="keys and values", output="stored", queries="once", skip="tiles",
    size="d", keys="each tile",
):  # fmt: skip
    ends = [min(a + rows, n) for a in range(0, n, rows)]  # of the tiles of queries
    if tail == "left out":
        ends = ends[: n // rows]
    own = len(ends) * rows if tail in ("padded", "queries padded") else n

    def up_to(key):  # how many keys the tiles hold that begin before this key
        read = -(-key // columns) * columns
        return read if tail in ("padded", "keys padded") else min(read, n)

    read = 0
    for place, end in enumerate(ends):
        start = place * rows
        ways = {"same number": min((place + 1) * columns, n),
                "keys": end, "ignored": up_to(n), "before": start // columns * columns,
                "one too many": min((end // columns + 1) * columns, n),
                "first query": up_to(start + 1), "half": up_to(n) / 2}  # fmt: skip
        read += ways.get(skip, up_to(end)) if causal else up_to(n)
    if keys == "once":
        read = n
    elif keys == "each query":
        read = sum(up_to(q + 1) if causal else n for q in range(n))
    asked = own * -(-n // columns) if queries == "each tile" else own
    total = (2 if arrays == "keys and values" else 1) * read + asked
    total += own if output == "stored" else 0
    return int(total * (1 if size == "none" else d))


def _sizes(seed):
    return [(4, 1, 2, 2, False), (4, 1, 2, 2, True), (12, 3, 4, 2, False), (12, 3, 4, 2, True),
            (12, 2, 3, 4, True), (10, 2, 4, 3, False), (10, 2, 4, 3, True), (7, 5, 3, 2, True),
            (9, 4, 2, 5, True), (11, 3, 6, 4, False), (16, 8, 16, 4, True), (13, 2, 5, 20, True),
            (1024, 64, 64, 32, False), (1000, 64, 64, 32, True)]  # fmt: skip


MOVED = Exercise(my_moved, cases=_sizes, kinds=True)


# Which tiles


def my_tile_kinds(
    n, m, rows, columns, window, *,
    corner="end", edge="right", ahead="hidden", tail="shorter", kinds="right", turn="queries",
):  # fmt: skip
    high, wide = -(-n // rows), -(-m // columns)
    if tail == "padded":  # the tokens behind the end are counted, too
        keys, many = torch.arange(wide * columns), high * rows
    else:
        keys, many = torch.arange(m), n
    places = torch.arange(many) + (m - n if corner == "end" else 0)
    back = places[:, None] - keys
    reach = window + {"one more": 1, "one less": -1}.get(edge, 0)
    seen = back < reach if edge != "none" else back > -m - n
    seen = seen & ((back >= 0) if ahead == "hidden" else (back > -reach) if ahead == "near" else
                   (back > 0) if ahead == "itself" else (back == back))  # fmt: skip
    if tail == "left out":
        high, wide = n // rows, m // columns
    found = torch.zeros(high, wide, dtype=torch.int64)
    for i in range(high):
        for j in range(wide):
            tile = seen[i * rows : (i + 1) * rows, j * columns : (j + 1) * columns]
            whole, some = tile.all().item(), tile.any().item()
            whole = whole and (tail != "hidden" or tile.numel() == rows * columns)
            if kinds == "corner":  # the first query and the first key alone
                some = whole = tile[0, 0].item()
            elif kinds == "four corners":
                some = bool(tile[0, 0] | tile[0, -1] | tile[-1, 0] | tile[-1, -1])
            elif kinds == "first query":  # whole, if its first query sees all
                whole = tile[0].all().item()
            elif kinds == "window hidden":  # by the window alone nothing is 0
                some = bool(
                    (back >= 0)[i * rows : (i + 1) * rows, j * columns : (j + 1) * columns].any()
                )
            elif kinds == "corners":
                some = tile[0, 0].item() or tile[-1, -1].item()
            found[i, j] = {
                "corner": 2 * whole, "corners": some + (some and whole),
                "swapped": 0 if not some else (1 if whole else 2), "hidden": 2 - some - whole,
                "some alone": int(some), "never partly": 2 * some, "whole alone": 2 * whole,
                "counts": tile.sum().item(),
            }.get(kinds, some + (some and whole))  # fmt: skip
    return found.mT.contiguous() if turn == "keys" else found


def _tables(seed):
    return [(2, 2, 1, 1, 2), (4, 4, 2, 2, 4), (6, 6, 2, 3, 3), (4, 8, 2, 2, 3), (3, 9, 2, 4, 4),
            (7, 7, 3, 2, 7), (8, 12, 4, 3, 6), (5, 11, 2, 3, 1), (12, 12, 3, 3, 7),
            (2, 10, 2, 3, 5), (4, 6, 4, 4, 1), (9, 14, 4, 2, 8), (6, 13, 4, 4, 20),
            (10, 10, 5, 2, 9)]  # fmt: skip


KINDS = Exercise(
    my_tile_kinds, cases=_tables,
    explain=lambda case, got, expected: (
        axes_told(("queries", "keys"), got, expected) if isinstance(got, torch.Tensor) else None
    ),
)  # fmt: skip


# A step with a mask


def my_masked_step(
    top, total, output, scores, values, mask, *,
    fill="-inf", empty="stays", behind="left out", shrink="both", hide="keys", order="state",
    weigh="so far",
):  # fmt: skip
    mask = {"keys": mask, "inverted": ~mask, "unused": torch.ones_like(mask)}[hide]
    low = {"zero": 0.0, "low": -1e9, "not low": -50.0}.get(fill, -torch.inf)
    kept = torch.where(mask, scores, torch.full_like(scores, low))
    if fill in ("times", "added"):
        kept = scores * mask if fill == "times" else torch.where(mask, scores, scores + low)
    new = torch.maximum(top, kept.amax(-1))
    safe = new if empty == "NaN" else torch.where(new == -torch.inf, torch.zeros_like(new), new)
    less, weights = (top - safe).exp(), (kept - safe[:, None]).exp()
    if weigh == "tile":  # the tile's own maximum
        own = kept.amax(-1)
        weights = (kept - torch.where(own == -torch.inf, torch.zeros_like(own), own)[:, None]).exp()
    if fill == "times":
        weights = weights * mask
    if fill == "low":
        values = values.nan_to_num()
    elif behind != "multiplied":
        stays = mask.all(0) if behind == "not all" else mask.any(0)
        values = torch.where(stays[:, None], values, torch.zeros_like(values))
    if empty == "zero":
        new = safe
    elif empty == "lowest":
        new = new.clamp(min=torch.finfo(new.dtype).min)
    sums = total * (less if shrink in ("both", "total") else 1) + weights.sum(-1)
    output = output * (less[:, None] if shrink in ("both", "output") else 1) + weights @ values
    if empty == "reset":  # what sees nothing now
        lost = ~mask.any(1)
        new = torch.where(lost, torch.full_like(new, -torch.inf), new)
        sums, output = torch.where(lost, 0, sums), torch.where(lost[:, None], 0, output)
    if order == "divided":
        output = output / sums[:, None]
    if order == "output":
        return output
    return (sums, new, output) if order == "total first" else (new, sums, output)


def _states(seed):
    draw = Draw(1660 + seed)
    none = -torch.inf
    cases = [(torch.tensor([0.0]), torch.tensor([1.0]), torch.tensor([[2.0]]),
              torch.tensor([[0.0, 1.0]]), torch.tensor([[4.0], [8.0]]),
              torch.tensor([[True, False]]))]  # fmt: skip

    def case(b, m, e, share=0.6, before=True, behind=0):
        top, total, output = draw.short(b), draw.short(b).abs() + 1, draw.short(b, e)
        mask, scores, values = draw.mask(b, m, share=share), 2 * draw.short(b, m), draw.short(m, e)
        mask[0, 0] = True
        if not before:  # some rows have seen nothing so far
            top[1:], total[1:], output[1:] = none, 0, 0
        if behind:
            mask[:, -behind:] = False
            scores[:, -behind:], values[-behind:] = torch.nan, torch.nan
        return top, total, output, scores, values, mask

    cases += [case(2, 3, 2), case(3, 2, 4), case(3, 4, 2, before=False), case(2, 5, 3, behind=2)]
    late = case(4, 3, 2, before=False)
    late[5][2:] = False  # and some see nothing now, either
    last = case(3, 4, 3, 0.9, before=False, behind=1)
    last[5][2] = False
    high = case(2, 3, 1, 1.0)
    deep = case(3, 3, 2, 0.5)
    deep = (deep[0] - 200, *deep[1:3], deep[3] - 200, *deep[4:])
    idle = case(3, 3, 2)
    idle[5][1] = False  # has seen something, and sees nothing now
    return [*cases, late, last, (high[0] - 1000, *high[1:3], 500 + high[3], *high[4:]), deep, idle]


def _finite_told(case, got, expected):
    """Where a query that has seen nothing has a maximum all the same."""
    whole = isinstance(got, tuple) and len(got) == 3 and isinstance(got[0], torch.Tensor)
    if whole and got[0].shape == expected[0].shape:
        lost = (expected[0] == -torch.inf) & (got[0] > -torch.inf)
        if lost.any():
            return say("finite top", query=lost.nonzero()[0].item())
    return None


STEP = Exercise(my_masked_step, cases=_states, explain=_finite_told, tolerance=NEAR)


# A window on the machine


def my_window_tile(
    chip, Q, first, k, v, window, size, *,
    edge="right", visit="needed", place="first", mask="both", empty="stays", shrink="both",
    scale="sqrt d", largest="so far", begin="tiles",
):  # fmt: skip
    start = {"first": first, "zero": 0, "last": len(k) - len(Q)}[place]
    places = start + torch.arange(len(Q))
    reach = window + {"one more": 1, "one less": -1}.get(edge, 0)
    state = _empty(Q, v)
    tiles, load = _tiles(len(k), size), None
    if largest == "none":
        state = torch.zeros_like(state[0]), *state[1:]
    if begin == "first key":
        from_key, to = max(0, first - window + 1), min(first + len(Q), len(k))
        tiles = [(a, min(a + size, to)) for a in range(from_key, to, size)]
    for a, b in tiles:
        load = a if load is None and b > first - window + 1 else load
        back = places[:, None] - torch.arange(a, b) + (load or 0) * (mask == "places from the load")
        own, near = back >= 0, back < reach
        seen = {"both": own & near, "later shown": near, "window forgotten": own,
                "none": own == own}.get(mask, own & near)  # fmt: skip
        needed = (own & near).any()
        first_key = start - reach + 1 if visit != "one tile early" else start - reach - size + 1
        wanted = {"needed": needed, "all": True, "up to the last": own.any(),
                  "own": a <= start < b, "one tile early": own.any() and b > first_key,
                  "whole alone": (own & near).all()}[visit]  # fmt: skip
        if not wanted:
            continue
        K, V = chip.load(k, a, b), chip.load(v, a, b)
        scores = scaled(scale, Q @ K.mT, Q.shape[-1], len(k))
        scores = torch.where(seen, scores, torch.full_like(scores, -torch.inf))
        before = state
        state = _step(state, scores, V, shrink)
        if empty in ("NaN", "zeros"):
            lost = (before[0] == -torch.inf) & (state[0] == -torch.inf)
            state = tuple(torch.where(lost, torch.full_like(x, torch.nan), x) for x in state)
    output = state[2] / state[1]
    return output.nan_to_num() if empty == "zeros" else output


def _window_on_chip(function, fast, Q, first, k, v, window, size):
    """The output, the numbers moved, and how many loads begin within a tile."""
    chip = Chip(fast)
    output = function(chip, Q, first, Slow(k), Slow(v), window, size)
    apart = sum(a % size > 0 for _, a, _ in chip.loads)
    return (output, chip.moved, apart) if isinstance(output, torch.Tensor) else output


def _windows(seed):
    draw = Draw(1670 + seed)

    def case(b, first, n, d, e, window, size):
        parts = draw.short(n, d), draw.short(n, e)
        return 100, 2 * draw.short(b, d), first, *parts, window, size

    low = case(2, 4, 8, 2, 2, 3, 2)
    low = (low[0], low[1].abs() + 100, low[2], -low[3].abs() - 1, *low[4:])
    return [*(case(*shape) for shape in (
        (1, 1, 3, 1, 1, 2, 1), (2, 4, 8, 2, 3, 2, 2), (2, 6, 8, 3, 2, 3, 2), (3, 3, 9, 2, 2, 4, 3),
        (4, 8, 15, 2, 1, 3, 2), (2, 8, 11, 4, 3, 5, 4), (3, 0, 7, 2, 3, 2, 3),
        (2, 9, 12, 2, 4, 20, 5), (5, 7, 14, 3, 2, 1, 3))), low]  # fmt: skip


WINDOW = Exercise(
    my_window_tile, cases=_windows, run=_window_on_chip, explain=_moved_told, tolerance=NEAR,
    numbers={"moved": lambda case, got, expected: got[1],
             "needed": lambda case, got, expected: expected[1]},
)  # fmt: skip


EXERCISES, QUESTIONS = tell(__name__, TILE, GRADIENTS, RULE, MOVED, KINDS, STEP, WINDOW)
