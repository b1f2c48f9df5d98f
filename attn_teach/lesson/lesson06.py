"""Exercises and questions of lesson 06, positional encoding."""

import math

import torch

from ..positional import alibi_slopes
from .common import Draw
from .engine import Exercise
from .words import tell


def _speeds(size, speed, pairs):
    """Radians per place of the pairs with these numbers; "right" is 10000^(-2j / size)."""
    exponents = {"right": 2 * pairs / size, "half": pairs / size, "twice": 4 * pairs / size,
                 "one": 0 * pairs, "up": -2 * pairs / size, "late": 2 * (pairs + 1) / size,
                 "stretched": 2 * pairs / max(size - 2, 1),
                 "power first": 2 * pairs, "times size": 2 * pairs}  # fmt: skip
    base = {"base 1000": 1000.0, "exp": math.e}.get(speed, 10000.0)
    factor = {"degrees": math.pi / 180, "turns": 2 * math.pi, "power first": 1 / size,
              "times size": size}.get(speed, 1)  # fmt: skip
    if speed == "product":  # what i / 10000 ** 2 * j / d means to Python
        return pairs / size / 10000**2
    return factor * base ** -exponents.get(speed, exponents["right"])


def _in_float32(function, *case):
    """Run a function that gets no tensors: a table in float64 is as good as one in float32."""
    result = function(*case)
    double = isinstance(result, torch.Tensor) and result.dtype == torch.float64
    return result.float() if double else result


def _row(place, num_hiddens):
    """Row of the sinusoidal table, for any place."""
    return my_sinusoidal_table(1, num_hiddens, start=place)[0]


def _pair(row):
    return f"({', '.join(f'{round(number, 2) + 0.0:.2f}' for number in row[:2].tolist())})"


# 6.1 Repair one line


def _tokens_and_tables(seed):
    X = torch.tensor([[[10.0, 20.0], [30.0, 40.0]]])
    P = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    # (batch, n, size) and rows of P; batch equals n once, the table is just long enough once.
    shapes = [(2, 3, 4, 7), (3, 2, 5, 6), (4, 4, 3, 9), (2, 5, 6, 5), (3, 1, 4, 6), (2, 4, 6, 7)]
    draw = Draw(60 + seed)
    return [(X, P)] + [
        (draw.normal(batch, n, size), draw.normal(rows, size)) for batch, n, size, rows in shapes
    ]


def my_add_positions(
    X, P, *, count="places", axes="places", start=0, rows="each", scale="none", join="sum"
):
    n, size = X.shape[1:]
    length = {"places": n, "sentences": len(X), "features": size, "all": len(P)}[count]
    length = len(X) if axes == "unchanged" else length
    if start == "end":
        start = len(P) - length
    P = P.roll(1, 0) if start == -1 else P[start:]
    table = {"each": P[:length], "one": P[n : n + 1], "first": P[:1], "last": P[n - 1 : n],
             "reversed": P[:length].flip(0), "mean": P[:length].mean(0)}[rows]  # fmt: skip
    if rows == "one":
        table = P[n]  # which fails where there is none
    if axes != "places":
        table = table.unsqueeze(1 if axes in ("sentences", "unchanged") else -1)
    X = X * math.sqrt(size) if scale == "tokens" else X
    table = table * {"table": math.sqrt(size), "twice": 2}.get(scale, 1)
    if join == "wide" or join == "long":
        return torch.cat([X, table.expand_as(X)], -1 if join == "wide" else 1)
    if join == "one sentence":
        return torch.cat([X[:1] + table, X[1:]])
    return {"sum": lambda: X + table, "product": lambda: X * table, "table": lambda: table,
            "minus": lambda: X - table, "rows": lambda: table.expand_as(X), "tokens": lambda: X,
            }[join]()  # fmt: skip


ADD_POSITIONS = Exercise(my_add_positions, cases=_tokens_and_tables)


# 6.2 A table of any width


def my_sinusoidal_table(
    max_len, num_hiddens, *,
    speed="right", angles="pair", layout="neighbors", waves="sin cos", start=0, odd="sine",
):  # fmt: skip
    columns, half = torch.arange(num_hiddens, dtype=torch.float64), (num_hiddens + 1) // 2
    second, pairs = columns % 2 == 1, columns // 2
    if layout == "halves":
        second, pairs = columns >= half, columns % half
    pairs = {"pair": pairs, "own": columns / 2, "double": columns}[angles]
    size = num_hiddens + {"wider": 1, "narrower": -1}.get(odd, 0) * (num_hiddens % 2)
    places = torch.arange(max_len, dtype=torch.float64) + (start if start != "share" else 0)
    places = places / max_len if start == "share" else places
    turned = places.unsqueeze(1) * _speeds(max(size, 1), speed, pairs)
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
    return pairs[(pairs - 1).abs().argmax()].item()


SINUSOIDAL_TABLE = Exercise(
    my_sinusoidal_table,
    cases=lambda seed: [
        *[(2, 4), (3, 8), (8, 6), (30, 4), (9, 3), (4, 5), (6, 1)],
        (Draw(seed).whole(1, 6), 7),
    ],
    run=_in_float32,
    tolerance=1e-3,
    asks=("PositionalEncoding",),
    numbers={
        "pair": _worst_pair,
        "got": lambda case, got, expected: got.shape[-1],
        "width": lambda case, got, expected: case[1],
    },
)


# 6.3 and 6.6: a 2 x 2 block for each pair, of the cosine c and the sine s of its turn

_BLOCKS = {
    "forward": lambda c, s: (c, s, -s, c),
    "back": lambda c, s: (c, -s, s, c),
    "plus": lambda c, s: (c, s, s, c),
    "minus": lambda c, s: (c, -s, -s, c),
    "cosines": lambda c, s: (c, 0 * s, 0 * s, c),
    "mirror": lambda c, s: (-c, s, s, c),
    "cosine first": lambda c, s: (c, s, s, -c),
    "sine right": lambda c, s: (-c, s, -s, c),
    "other way": lambda c, s: (-c, -s, -s, c),
    "exchanged": lambda c, s: (s, c, -c, s),
    "columns": lambda c, s: (s, -c, c, s),
}


def _matrix(amount, size, speed, block, form):
    turns = amount * _speeds(size, speed, torch.arange(size // 2, dtype=torch.float64))
    four = _BLOCKS[block](turns.cos(), turns.sin())
    blocks = torch.stack(four, -1).view(-1, 2, 2).float()
    if form == "halves":  # for all sines on the left and all cosines on the right
        a, b, c, d = map(torch.diag, four)
        return torch.cat([torch.cat([a, b], 1), torch.cat([c, d], 1)], 0).float()
    if form == "overlap":
        made = torch.zeros(size, size)
        for pair, small in enumerate(blocks):
            made[pair : pair + 2, pair : pair + 2] = small
        return made
    if form in ("stack", "one"):
        return blocks if form == "stack" else blocks[0]
    if form in ("identity", "zeros"):  # what is left of the other pairs
        blocks[1:] = torch.eye(2) if form == "identity" else 0
    made = torch.block_diag(*(blocks.flip(0) if form == "reversed" else blocks))
    return made.unflatten(1, (-1, 2)).flip(1).flatten(1) if form == "rising" else made


def my_offset_rotation(
    delta, num_hiddens, *, speed="right", block="forward", form="diagonal", offset="given"
):
    offsets = {"given": delta, "abs": abs(delta), "positive": max(delta, 0), "one": 1,
               "none": 0, "more": delta + 1, "less": delta - 1}  # fmt: skip
    return _matrix(offsets[offset], num_hiddens, speed, block, form)


def _length(case, got, expected):
    return (got @ _row(1, case[1])).norm().item()


OFFSET_ROTATION = Exercise(
    my_offset_rotation,
    cases=lambda seed: [
        *[(1, 2), (3, 4), (-5, 6), (2, 10)],
        (Draw(seed).whole(3, 5), 8),
        *[(-20, 4), (0, 6)],
    ],
    run=_in_float32,
    tolerance=1e-3,
    asks=("offset_rotation",),
    numbers={
        "led": lambda case, got, expected: _pair(got @ _row(10, case[1])),
        "back": lambda case, got, expected: 10 - case[0],
        "forth": lambda case, got, expected: 10 + case[0],
        "before": lambda case, got, expected: _row(1, case[1]).norm().item(),
        "after": _length,
    },
)


def my_mirror(
    last, num_hiddens, *,
    speed="right", block="mirror", form="diagonal", end="last",
):  # fmt: skip
    ends = {"last": last, "more": last + 1, "less": last - 1, "none": 0, "middle": last / 2}
    return _matrix(ends[end], num_hiddens, speed, block, form)


MIRROR = Exercise(
    my_mirror,
    cases=lambda seed: [
        *[(1, 2), (9, 4), (5, 6), (3, 10)],
        (Draw(seed).whole(4, 6), 8),
        (12, 4),
    ],
    run=_in_float32,
    tolerance=1e-3,
    numbers={
        "last": lambda case, got, expected: case[0],
        "before": lambda case, got, expected: case[0] - 1,
        "after": lambda case, got, expected: case[0] + 1,
        "should0": lambda case, got, expected: _pair(expected @ _row(0, case[1])),
        "should1": lambda case, got, expected: _pair(expected @ _row(1, case[1])),
        "does0": lambda case, got, expected: _pair(got @ _row(0, case[1])),
        "does1": lambda case, got, expected: _pair(got @ _row(1, case[1])),
    },
    wrong={
        "flip": lambda last, size: torch.eye(size).flip(0),
        "identity": lambda last, size: torch.eye(size),
    },
)


# 6.4 ALiBi


def my_alibi_bias(
    slopes, num_queries, num_keys, *,
    distance="both", sides="qk", begin="start", slope="head", times="slope",
):  # fmt: skip
    sizes = {"q": num_queries, "k": num_keys}
    i, j = torch.arange(sizes[sides[0]]).unsqueeze(1), torch.arange(sizes[sides[1]])
    i = i + {"start": 0, "one": 1, "end": num_keys - num_queries}[begin]
    ahead = j - i
    away = {
        "both": ahead.abs(), "past": -ahead, "future": ahead, "square": ahead**2,
        "root": ahead.abs().sqrt(), "one side": (-ahead).clamp(min=0), "later": ahead.clamp(min=0),
        "hidden": torch.where(ahead > 0, torch.inf, -ahead), "sum": i + j, "key": j + 0 * i,
        "share": ahead.abs() / num_keys, "near": 1 / (1 + ahead.abs()),
    }[distance]  # fmt: skip
    own = {"power": 2**-slopes, "inverse": 1 / slopes, "none": torch.ones_like(slopes),
           "first": slopes[:1].expand_as(slopes), "alibi": alibi_slopes(len(slopes)),
           "reversed": slopes.flip(0), "one head": slopes[0]}.get(slope, slopes)  # fmt: skip
    if slope == "query":
        own = own.unsqueeze(1)
    elif slope not in ("key", "one head"):
        own = own.view(-1, 1, 1)
    return -own * away if times == "slope" else -own - away


ALIBI_BIAS = Exercise(
    my_alibi_bias,
    cases=lambda seed: [
        *[(torch.tensor([0.5]), 2, 3), (torch.tensor([0.25, 0.0625]), 3, 5)],
        *[(alibi_slopes(3), 4, 2), (alibi_slopes(4), 4, 4), (alibi_slopes(5), 1, 6)],
        *[(alibi_slopes(2), 5, 1), (Draw(seed).normal(3).exp(), 4, 6)],
    ],
    dtypes=True,
    asks=("alibi_bias",),
    numbers={
        "after": lambda case, got, expected: got[0, 0, 1].item(),
        "before": lambda case, got, expected: got[0, 1, 0].item(),
        "key": lambda case, got, expected: case[2] - 1,
        "got": lambda case, got, expected: got[0, 0, -1].item(),
        "expected": lambda case, got, expected: expected[0, 0, -1].item(),
    },
)


# 6.5 Rotary without complex numbers


def my_rotary(
    X, positions, *,
    speed="right", pairs="neighbors", angles="pairs", turn="right", places="given",
    axis="places", join="back",
):  # fmt: skip
    size = X.shape[-1]
    if places in ("counted", "from one"):
        positions = torch.arange(X.shape[-2]) + (places == "from one")
    positions = positions + {"more": 1, "less": -1}.get(places, 0)
    columns = torch.arange(size, dtype=torch.float64)
    numbers = {"pairs": columns // 2, "halves": columns % (size // 2), "own": columns / 2}[angles]
    turns = (positions.unsqueeze(-1) * _speeds(size, speed, numbers)).to(X.dtype)
    if axis == "before":
        turns = turns.unsqueeze(1)
    (a, b), (x, y) = ((T[..., 0::2], T[..., 1::2]) for T in (turns, X))
    if pairs == "halves":
        x, y = X.chunk(2, -1)
    c, s, d, t = a.cos(), a.sin(), b.cos(), b.sin()
    if turn == "overwritten":
        x = x * c - y * s
    turned = {
        "right": (x * c - y * s, x * t + y * d), "back": (x * c + y * s, y * d - x * t),
        "overwritten": (x, x * t + y * d), "plus": (x * c + y * s, x * t + y * d),
        "minus": (x * c - y * s, y * d - x * t), "products": (x * c, y * t),
        "cosines": (x * c, y * d), "exchanged": (x * s - y * c, x * d + y * t),
        "added": (x + s, y + d), "members": (x * t + y * d, x * c - y * s),
    }[turn]  # fmt: skip
    if join == "pairs":
        return torch.stack(turned, -1)
    back = join == "back" and pairs == "neighbors"
    return torch.stack(turned, -1).flatten(-2) if back else torch.cat(turned, -1)


def _tokens_and_positions(seed):
    hand, draw = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]), Draw(65 + seed)
    return [
        (hand, torch.tensor([0, 1, 2])),
        (draw.normal(2, 1, 4), torch.tensor([5])),
        (draw.normal(3, 4), torch.tensor([0, 9, 20])),
        (draw.normal(2, 5, 8), torch.tensor([0, 4, 1, 5, 3])),
        (draw.normal(3, 3, 4), torch.tensor([0, 2, 5])),
        (draw.normal(2, 3, 4, 6), torch.tensor([3, 1, 2, 6])),
    ]


def _changed_length(case, got, expected):
    """Lengths before and after, where they differ most."""
    before, after = case[0].norm(dim=-1).flatten(), got.norm(dim=-1).flatten()
    worst = (after - before).abs().argmax()
    return before[worst].item(), after[worst].item()


_COMPLEX = "and the exercise asks to do without complex numbers."
ROTARY = Exercise(
    my_rotary,
    cases=_tokens_and_positions,
    tolerance=1e-3,
    asks=("apply_rotary",),
    forbids={f"torch.{name}": _COMPLEX for name in ("complex", "polar", "view_as_complex")},
    numbers={
        "before": lambda *case: _changed_length(*case)[0],
        "after": lambda *case: _changed_length(*case)[1],
    },
)


EXERCISES, QUESTIONS = tell(
    __name__, ADD_POSITIONS, SINUSOIDAL_TABLE, OFFSET_ROTATION, ALIBI_BIAS, ROTARY, MIRROR
)
