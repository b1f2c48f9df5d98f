"""Exercises and questions of lesson 06, positional encoding."""

import math

import torch
from torch.overrides import TorchFunctionMode

from attn_teach.positional import alibi_slopes

from ..judge import sandbox
from ..judge.common import Draw, in_float32
from ..judge.exercise import Exercise
from ..words import joined, sentences, tell

say = sentences(__name__)


def _speeds(size, speed, pairs):
    """Radians per place of the pairs with these numbers; "right" is 10000^(-2j / size)."""
    pairs = pairs.max() - pairs if speed == "reversed" else pairs
    exponents = {"half": pairs / size, "twice": 4 * pairs / size, "one": 0 * pairs,
                 "up": -2 * pairs / size, "late": 2 * (pairs + 1) / size,
                 "to the end": pairs / max((size + 1) // 2 - 1, 1),
                 "power first": 2 * pairs}.get(speed, 2 * pairs / size)  # fmt: skip
    base = {"exp": math.e, "log10": math.e**4}.get(speed, 10000.0)
    base = float(speed[5:]) if speed.startswith("base ") else base
    factor = {"degrees": math.pi / 180, "circles": 2 * math.pi, "power first": 1 / size}.get(
        speed, 1
    )
    if speed == "product":  # what i / 10000 ** 2 * j / d means to Python
        return pairs / size / 10000**2
    return factor * base**-exponents


def _row(place, num_hiddens):
    """Row of the sinusoidal table, for any place."""
    return my_sinusoidal_table(1, num_hiddens, start=place)[0]


def _leads(matrix, *places):
    """To which first pair of numbers the matrix leads from the rows of these places."""
    pairs = [(matrix @ _row(place, len(matrix)))[:2].tolist() for place in places]
    return [f"({round(x, 2) + 0.0:.2f}, {round(y, 2) + 0.0:.2f})" for x, y in pairs]


GIVEN = {  # for sentences with {case[0]}, {got[0][0][1]:.2f} ...
    "case": lambda case, got, expected: case,
    "got": lambda case, got, expected: got,
    "expected": lambda case, got, expected: expected,
}


def _like(got, expected):
    """A result that can be looked at number by number, in the right dtype; else None."""
    fits = isinstance(got, torch.Tensor) and got.shape == expected.shape and got.isfinite().all()
    return got.to(expected) if fits else None


def _turn(before, after):
    """The angle from one pair (x, y) to another, in radians from -pi to pi."""
    (x, y), (u, v) = before.tolist(), after.tolist()
    return math.atan2(x * v - y * u, x * u + y * v)


def _angles(yours, right):
    return say("by radians whole turns", yours=yours, right=right)


# Repair one line


def _tokens_and_tables(seed):
    X = torch.tensor([[[10.0, 20.0], [30.0, 40.0]]])
    P = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    # (b, n, h) and rows of P; batch equals n once, the table is just long enough once.
    shapes = [(2, 3, 4, 7), (3, 2, 5, 6), (4, 4, 3, 9), (2, 5, 6, 5), (3, 1, 4, 6), (2, 4, 6, 7)]
    draw = Draw(60 + seed)
    drawn = [(draw.normal(b, n, h), draw.normal(rows, h)) for b, n, h, rows in shapes]
    return [(X, P), *drawn, (torch.zeros(2, 3, 5), draw.normal(4, 5))]


def my_add_positions(
    X, P, *, count="places", axes="places", start=0, rows="each", scale="none", join="sum"
):
    n, size = X.shape[1:]
    length = {"places": n, "sentences": len(X), "features": size, "all": len(P)}[count]
    length = len(X) if axes == "unchanged" else length
    P = P[len(P) - length if start == "end" else start :]
    table = P[n] if rows == "one" else P[:length]
    if rows == "counted on":
        table = P[torch.arange(len(X) * n) % len(P)].view(X.shape)
    if rows in ("first", "mean", "reversed"):
        table = {"first": P[:1], "mean": table.mean(0), "reversed": table.flip(0)}[rows]
    table = table.unsqueeze(1) if axes != "places" else table
    X = X * math.sqrt(size) if scale == "tokens" else X
    table = 2 * table if scale == "twice" else table
    if join == "wide":
        return torch.cat([X, table.expand_as(X)], -1)
    if join == "one sentence":
        return torch.cat([X[:1] + table, X[1:]])
    if join in ("table", "rows"):
        return table.expand_as(X) if join == "rows" else table
    return X * table if join == "product" else X + table


def _rows_added(case, got, expected):
    """Which rows of P were added."""
    X, P = case
    got = _like(got, expected)
    if got is None:
        return None
    added = got - X
    left = got[got != 0]
    if not got.all() and torch.allclose(times := left / expected[got != 0], times[:1], 1e-4):
        return say("as after a dropout", times=times[0])
    if not torch.allclose(added, added[:1].expand_as(added), atol=1e-4):
        return say("at one and the")
    apart = torch.cdist(added[0], P)
    strange = (apart.amin(1) > 1e-4).nonzero().flatten().tolist()
    if strange:
        return say("at place your result", strange=strange[0])
    rows = ", ".join(map(str, apart.argmin(1).tolist()))
    return say("counted from place 0", rows=rows)


ADD_POSITIONS = Exercise(my_add_positions, cases=_tokens_and_tables, explain=_rows_added)


# A table of any width


def my_sinusoidal_table(
    max_len, num_hiddens, *,
    speed="right", angles="pair", layout="neighbors", waves="sin cos", start=0, odd="sine",
):  # fmt: skip
    columns, half = torch.arange(num_hiddens, dtype=torch.float64), (num_hiddens + 1) // 2
    second, pairs = columns % 2 == 1, columns // 2
    if layout == "halves":
        second, pairs = columns >= half, columns % half
    pairs = {"pair": pairs, "own": columns / 2, "double": columns}[angles]
    places = torch.arange(start, start + max_len, dtype=torch.float64).unsqueeze(1)
    beside = {"wider": 1, "narrower": -1 if num_hiddens > 1 else 0}.get(odd, 0)
    size = num_hiddens + beside * (num_hiddens % 2)
    turned = places * _speeds(size, speed, pairs)
    if speed == "place inside":
        turned = (places / 10000) ** (2 * pairs / size)
    first, other = (getattr(turned, wave)() for wave in waves.split())
    table = torch.where(second, other, first).float()
    if num_hiddens % 2 == 0:
        return table
    if odd == "stops at 1" or (odd == "stops" and num_hiddens > 1):
        raise IndexError
    cosine = turned[:, -1:].cos().float()
    last = {"missing": table[:, :0], "zero": 0 * cosine, "cosine": cosine,
            "too wide": torch.cat([table[:, -1:], cosine], 1)}  # fmt: skip
    return torch.cat([table[:, :-1], last.get(odd, table[:, -1:])], 1)


def _worst_pair(case, got, expected):
    """The sine squared plus the cosine squared, where that is farthest from 1."""
    pairs = got[:, : got.shape[1] // 2 * 2].unflatten(1, (-1, 2)).square().sum(-1).flatten()
    return pairs[(pairs - 1).abs().argmax()]


def _waves(case, got, expected):
    """What the first rows of a table hold."""
    got = _like(got, expected)
    if got is None:
        return None
    right = torch.isclose(got, expected, 1e-3, 1e-3)
    if not right[0].all():
        column = (~right[0]).nonzero()[0].item()
        return say(
            "at place 0 every", column=column, got=got[0, column], expected=expected[0, column]
        )
    columns = [i for i, fine in enumerate(right.all(0).tolist()) if not fine]
    pair, place = columns[0] // 2, (~right).any(1).nonzero()[0].item()
    two = got[place, 2 * pair : 2 * pair + 2].flip(0)
    if len(two) == 2 and place == 1 and abs(two.norm() - 1) < 1e-3:
        turns = (_turn(torch.tensor([1.0, 0.0]), a) for a in
                 (two, expected[1, 2 * pair : 2 * pair + 2].flip(0)))  # fmt: skip
        return say("from place 0 to", pair=pair, angles=_angles(*turns))
    numbers = ", ".join(map(str, columns))
    few = "the wrong columns" if len(columns) > 1 else "the wrong column"
    return say(few, shape=got.shape[1], numbers=numbers)


SINUSOIDAL_TABLE = Exercise(
    my_sinusoidal_table,
    explain=_waves,
    cases=lambda seed: [
        *[(2, 4), (3, 8), (8, 6), (30, 4), (9, 3), (4, 5), (6, 1)],
        (Draw(seed).whole(1, 6), 7),
        (2060, 2),  # 16 bits do not tell neighbors apart from 2048 on
    ],
    run=in_float32,
    tolerance=1e-3,
    asks=("PositionalEncoding",),
    numbers={"pair": _worst_pair},
)


# Offset and mirror: a 2 x 2 block for each pair, of the cosine c and the sine s of its turn

_BLOCKS = {
    "forward": "c s -s c", "back": "c -s s c", "plus": "c s s c", "minus": "c -s -s c",
    "cosines": "c 0 0 c", "exchanged": "s c -c s", "mirror": "-c s s c",
    "cosine first": "c s s -c", "sine right": "-c s -s c", "other way": "-c -s -s c",
    "columns": "s -c c s", "identity": "1 0 0 1",
}  # fmt: skip


def _matrix(amount, size, speed, block, form):
    turns = amount * _speeds(size, speed, torch.arange(size // 2, dtype=torch.float64))
    c, s = turns.cos(), turns.sin()
    numbers = {"c": c, "-c": -c, "s": s, "-s": -s, "0": 0 * c, "1": c**0}
    four = [numbers[name] for name in _BLOCKS[block].split()]
    blocks = torch.stack(four, -1).view(-1, 2, 2).float()
    if form == "overlap":
        made = torch.zeros(size, size)
        for pair, small in enumerate(blocks):
            made[pair : pair + 2, pair : pair + 2] = small
        return made
    if form in ("stack", "one"):
        return blocks if form == "stack" else blocks[0]
    if form in ("identity", "zeros"):  # what is left of the other pairs
        blocks[1:] = torch.eye(2) if form == "identity" else 0
    if form.startswith("last"):
        blocks[-1] = 0 if form == "last zero" else torch.eye(2)
    made = torch.block_diag(*blocks)
    if form == "halves":  # for all sines on the left and all cosines on the right
        order = torch.arange(size).view(-1, 2).T.flatten()
        made = made[order][:, order]
    return made


CELLS = [say("upper left"), say("upper right"), say("lower left"), say("lower right")]


def _block_apart(case, got, expected):
    """What is wrong with the first wrong block of a matrix, or outside of the blocks."""
    got = _like(got, expected)
    if got is None:
        return None
    inside = torch.block_diag(*[torch.ones(2, 2)] * (len(got) // 2)) > 0
    strays = ((got.abs() > 1e-3) & ~inside).nonzero().tolist()
    if strays:
        i, j = strays[0]
        return say("outside of the 2", got=got[i, j], i=i, j=j)
    blocks, right = (
        m.unflatten(0, (-1, 2)).unflatten(2, (-1, 2)).diagonal(0, 0, 2).movedim(-1, 0)
        for m in (got, expected)
    )  # (pairs, 2, 2)
    pair = (~torch.isclose(blocks, right, 1e-3, 1e-3)).flatten(1).any(1).nonzero()[0].item()
    block, right = blocks[pair], right[pair]
    start = say("block of columns and", pair=pair, pair_2=2 * pair, pair_3=2 * pair + 1)
    if torch.allclose(block.abs(), right.abs(), atol=1e-3):
        cells = ((block - right).abs() > 1e-3).flatten().tolist()
        wrong = joined(c for c, apart in zip(CELLS, cells, strict=True) if apart)
        return say("the right numbers but", start=start, wrong=wrong)
    if torch.allclose(block.abs(), right.flip(0).abs(), atol=1e-3):
        return say("sines stand where cosines", start=start)
    long = block.norm(dim=0)[(block.norm(dim=0) - 1).abs().argmax()].item()
    if abs(long - 1) > 1e-3:
        return say("the squares of each", start=start, long=long**2)
    mine, asked = torch.linalg.det(block).item(), torch.linalg.det(right).item()
    if abs(mine) < 0.99:
        return say("the two columns must", start=start)
    if mine * asked > 0:
        return say("the angle is another", start=start)
    return say("mirrors" if asked > 0 else "turns", start=start)


def my_offset_rotation(
    delta, num_hiddens, *, speed="right", turn="forward", form="diagonal", offset="given"
):
    offsets = {"given": delta, "abs": abs(delta), "positive": max(delta, 0), "one": 1,
               "none": 0, "more": delta + 1, "less": delta - 1, "power": 1}  # fmt: skip
    made = _matrix(offsets[offset], num_hiddens, speed, turn, form)
    return made**delta if offset == "power" else made


OFFSET_ROTATION = Exercise(
    my_offset_rotation,
    cases=lambda seed: [
        *[(1, 2), (3, 4), (-5, 6), (2, 10), (Draw(seed).whole(3, 5), 8), (-20, 4), (0, 6)]
    ],
    run=in_float32,
    tolerance=1e-3,
    asks=("offset_rotation",),
    explain=_block_apart,
    numbers={
        "places": lambda case, *two: (10 - case[0], 10 + case[0]),
        "led": lambda case, got, expected: _leads(got, 10)[0],
        "lengths": lambda case, *two: [(a @ _row(1, case[1])).norm() for a in two[::-1]],
    },
)  # fmt: skip


def my_mirror(last, num_hiddens, *, speed="right", block="mirror", form="diagonal", end="last"):
    last = {"last": last, "more": last + 1, "less": last - 1, "none": 0}[end]
    return _matrix(last, num_hiddens, speed, block, form)


def _fitted(case, got, expected):
    """A matrix that is right for the rows of places 0 to last alone, or _block_apart."""
    made = _like(got, expected)
    table = my_sinusoidal_table(case[0] + 1, case[1])
    if made is not None and torch.allclose(table @ made.T, table.flip(0), atol=1e-3):
        return say("fitted", last=case[0], size=case[1])
    return _block_apart(case, got, expected)


MIRROR = Exercise(
    my_mirror,
    explain=_fitted,
    cases=lambda seed: [
        *[(1, 2), (9, 4), (5, 6), (3, 10), (Draw(seed).whole(4, 6), 8), (12, 4)]
    ],
    run=in_float32,
    tolerance=1e-3,
    numbers=GIVEN | {
        "places": lambda case, *two: (case[0] - 1, case[0] + 1),
        "should": lambda case, got, expected: _leads(expected, 0, 1),
        "does": lambda case, got, expected: _leads(got, 0, 1),
    },
    wrong={"flip": lambda last, size: torch.eye(size).flip(0)},
)  # fmt: skip


# ALiBi


def my_alibi_bias(
    slopes, num_queries, num_keys, *, distance="both", sides="qk", begin="start", slope="head"
):
    sizes = {"q": num_queries, "k": num_keys}
    i, j = torch.arange(sizes[sides[0]]).unsqueeze(1), torch.arange(sizes[sides[1]])
    more = num_keys - num_queries
    ahead = j - i - {"start": 0, "one": 1, "end": more, "keys later": -more}[begin]
    away = {"both": ahead.abs(), "sum": i + j, "past": -ahead, "future": ahead, "square": ahead**2,
            "one side": (-ahead).clamp(min=0), "from one": ahead.abs() + 1,
            "other side": ahead.clamp(min=0), "key": -j.expand_as(ahead),
            "last key": (num_keys - 1 - j).expand_as(ahead),
            "hidden": torch.where(ahead > 0, torch.inf, -ahead),
            "share": ahead.abs() / num_keys,
            "share of queries": ahead.abs() / num_queries}[distance]  # fmt: skip
    own = {"inverse": 1 / slopes, "none": torch.ones_like(slopes), "first": slopes[:1],
           "mean": slopes.mean(), "alibi": alibi_slopes(len(slopes))}  # fmt: skip
    own = own.get(slope, slopes).expand_as(slopes)
    if slope == "last":
        away = away.unsqueeze(-1)
    elif slope == "query" or slope == "one head":
        own = own.unsqueeze(1) if slope == "query" else own[0]
    elif slope != "key":
        own = own.view(-1, 1, 1)
    return -own * away


def _bias_apart(case, got, expected):
    """The first number that is wrong: those of distance 0 first."""
    got = _like(got, expected)
    if got is None:
        return None
    apart = ~torch.isclose(got, expected, 1e-4, 1e-5)
    own = apart & (expected == 0)
    h, i, j = (own if own.any() else apart).nonzero()[0].tolist()
    yours = say("in head your bias", h=h, got=got[h, i, j] + 0.0)  # no -0
    if own.any():
        return say("query and key stand", i=i, j=j, yours=yours)
    return say("query and key are", i=i, j=j, i_2=abs(i - j), case=case[0][h], yours=yours)


ALIBI_BIAS = Exercise(
    my_alibi_bias,
    explain=_bias_apart,
    cases=lambda seed: [
        # The number of heads is a power of 2: there all ways to compute slopes agree.
        *[(torch.tensor([0.5]), 2, 3), (torch.tensor([0.25, 0.0625]), 3, 5)],
        *[(alibi_slopes(4), 3, 2), (alibi_slopes(4), 4, 4), (alibi_slopes(2), 1, 6)],
        *[(alibi_slopes(2), 5, 1), (Draw(seed).normal(2).exp(), 4, 6)],
        (torch.tensor([0.5, 0.25]).half(), 3, 4),
    ],
    dtypes=True,
    kinds=True,
    asks=("alibi_bias",),
    numbers=GIVEN,
)


# Rotary, in real numbers


def my_rotary(
    X, positions, *,
    speed="right", pairs="neighbors", angles="pairs", turn="right", places="given",
    axis="places", join="back",
):  # fmt: skip
    size = X.shape[-1]
    positions = torch.arange(X.shape[-2]) if places == "counted" else positions
    positions = positions + (1 if places == "more" else 0)
    if places == "counted on":
        positions = positions[0] + torch.arange(len(positions))
    positions = positions.abs() if places == "without sign" else positions
    positions = positions.clamp(min=0) if places == "at least 0" else positions
    if places == "from the end":  # of a table with a row for each position up to the largest
        positions = positions % (positions.max() + 1)
    if places == "from the first":
        positions = positions - positions[0]
    if places == "interleaved":
        count = X[..., 0, 0].numel()
        positions = positions.repeat_interleave(count).view(X.shape[:-1])
    columns = torch.arange(size, dtype=torch.float64)
    numbers = {"pairs": columns // 2, "halves": columns % (size // 2), "own": columns / 2}[angles]
    turns = (positions.unsqueeze(-1) * _speeds(size, speed, numbers)).to(X.dtype)
    turns = turns.unsqueeze(1) if axis == "before" else turns
    (a, b), (x, y) = ((T[..., 0::2], T[..., 1::2]) for T in (turns, X))
    if pairs != "neighbors":
        x, y = X.chunk(2, -1)
    if pairs == "halves, angles of neighbors":
        a, b = turns.chunk(2, -1)
    c, s, d, t = a.cos(), a.sin(), b.cos(), b.sin()
    turned = {
        "right": (x * c - y * s, x * t + y * d), "back": (x * c + y * s, y * d - x * t),
        "overwritten": (x * c - y * s, (x * c - y * s) * t + y * d),
        "mirror": (x * c - y * s, x * t - y * d),
        "plus": (x * c + y * s, x * t + y * d), "minus": (x * c - y * s, y * d - x * t),
        "products": (x * c, y * t), "cosines": (x * c, y * d), "added": (x + s, y + d),
        "exchanged": (x * s - y * c, x * d + y * t),
    }[turn]  # fmt: skip
    if join == "halves" or (join == "back" and pairs != "neighbors"):
        return torch.cat(turned, -1)
    turned = torch.stack(turned[::-1] if join == "exchanged" else turned, -1)
    return turned if join == "pairs" else turned.flatten(-2)


def _tokens_and_positions(seed):
    hand, draw = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]), Draw(65 + seed)
    shapes = [(2, 1, 4), (3, 4), (2, 5, 8), (3, 3, 4), (2, 3, 4, 6)]
    places = [[5], [0, 9, 20], [0, 4, 1, 5, 3], [0, -2, 5], [3, 1, 2, 6]]
    drawn = [(draw.normal(*s), torch.tensor(p)) for s, p in zip(shapes, places, strict=True)]
    return [(hand, torch.arange(3)), *drawn]


def _lengths(case, got, expected):
    """Lengths before and after, where they differ most."""
    lengths = torch.stack([case[0], got]).norm(dim=-1).flatten(1)
    return lengths[:, (lengths[1] - lengths[0]).abs().argmax()]


def _pairs_apart(case, got, expected):
    """What happened to the first pair that is wrong."""
    X, positions = case
    if isinstance(got, str) and got == _MADE_COMPLEX:
        return say("you compute with complex")
    got = _like(got, expected)
    if got is None:
        return None
    before, after, right = (
        a.flatten(0, -3).unflatten(-1, (-1, 2)) if a.dim() > 2 else a[None].unflatten(-1, (-1, 2))
        for a in (X, got, expected)
    )
    apart = (~torch.isclose(after, right, 1e-3, 1e-3)).any(-1)  # (batch, n, pairs)
    still = apart & (positions == 0).unsqueeze(-1)
    b, i, j = (still if still.any() else apart).nonzero()[0].tolist()
    for other in {*positions.tolist(), *range(len(positions))} - {positions[i].item()}:
        as_there = my_rotary(X, torch.full_like(positions, other))
        as_there = as_there.reshape(-1, len(positions), X.shape[-1])[b, i].view(-1, 2)
        if torch.allclose(after[b, i], as_there, 1e-3, 1e-3):
            return say("turned as at", i=i, b=b, place=positions[i], other=other)
    place, old, new = positions[i].item(), before[b, i, j], after[b, i, j]
    where = say("features and of the", j=2 * j, j_2=2 * j + 1, place=place)
    if place == 0:
        return say("at position 0 every", where=where)
    if abs(old.norm() - new.norm()) < 1e-3:
        return f"{where} turn {_angles(_turn(old, new), _turn(old, right[b, i, j]))}."
    return say("are a pair of", where=where, old=old.norm(), new=new.norm())


class _Complex(TorchFunctionMode):
    """Sees whether a complex tensor is made."""

    seen = False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        self.seen |= isinstance(made, torch.Tensor) and made.is_complex()
        return made


_MADE_COMPLEX = say("complex numbers on the")


def _in_real_numbers(function, X, positions):
    """Run a learner's function, which must make no complex tensor; ours makes none."""
    if not sandbox.inside:  # to name ours here would send it along to where answers are marked
        return function(X, positions)
    with _Complex() as watched:
        made = function(X, positions)
    return _MADE_COMPLEX if watched.seen else made


ROTARY = Exercise(
    my_rotary,
    explain=_pairs_apart,
    cases=_tokens_and_positions,
    run=_in_real_numbers,
    tolerance=1e-3,
    asks=("apply_rotary",),
    numbers={"lengths": _lengths},
)


EXERCISES, QUESTIONS = tell(
    __name__, ADD_POSITIONS, SINUSOIDAL_TABLE, OFFSET_ROTATION, ALIBI_BIAS, ROTARY, MIRROR
)
