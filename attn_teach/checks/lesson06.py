"""Exercises and questions of lesson 06, positional encoding."""

import torch

from ..positional import PositionalEncoding, alibi_slopes, apply_rotary, offset_rotation
from .engine import Exercise, Mistake, Question


def _random(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def _in_float32(function, *case):
    """Run a function that gets no tensors: a table in float64 is as good as one in float32."""
    result = function(*case)
    return result.float() if isinstance(result, torch.Tensor) else result


def _row(place, num_hiddens):
    """Row of the sinusoidal table, for any place, in float32."""
    pairs = torch.arange(0, num_hiddens, 2, dtype=torch.float64) / num_hiddens
    angles = place * 10000.0**-pairs
    return torch.stack([angles.sin(), angles.cos()], -1).flatten()[:num_hiddens].float()


def _numbers(row):
    return f"({', '.join(f'{round(number, 2) + 0.0:.2f}' for number in row.tolist())})"


# 6.1 my_add_positions


def _tokens_and_tables():
    X = torch.tensor([[[10.0, 20.0], [30.0, 40.0]]])
    P = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    cases = [(X, P)]
    # (batch, n, size) and rows of P; batch equals n once, the table is just long enough once.
    shapes = [(2, 3, 4, 7), (3, 2, 5, 6), (4, 4, 3, 9), (2, 5, 6, 5), (3, 1, 4, 6), (2, 4, 6, 7)]
    for seed, (batch, n, size, rows) in enumerate(shapes):
        cases.append((_random(seed, batch, n, size), _random(10 + seed, rows, size)))
    return cases


def _by_batch(case, got, expected):
    X, _ = case
    added = got - X
    return (
        f"What you add to place 0 and to place {X.shape[1] - 1} of a sentence differs by "
        f"{(added[0, 0] - added[0, -1]).abs().max().item():.2f}: every token of a sentence gets "
        f"the same vector. You choose the row of P by the sentence, axis 0 of X."
    )


_ADD_MISTAKES = [
    Mistake(
        lambda X, P: X + P[: X.shape[1]].unsqueeze(1),
        "The rows are the right ones now, but unsqueeze(1) still lays them along axis 0 of X, "
        "where the sentences are. With which shape does a table of places broadcast over them?",
    ),
    Mistake(lambda X, P: X + P[: X.shape[0]].unsqueeze(1), _by_batch),
    Mistake(
        lambda X, P: X + P[: X.shape[0]],
        "You take as many rows of P as there are sentences. A row belongs to a place: how many "
        "places has X?",
    ),
    Mistake(
        lambda X, P: X + P,
        "You add the whole table. It has a row for every place there could be, and X has only so "
        "many; take the rows that X needs.",
    ),
    Mistake(
        lambda X, P: X + P[: X.shape[-1]],
        "You take as many rows of P as a token has features. Columns belong to features, rows to "
        "places.",
    ),
    Mistake(
        lambda X, P: X + P[1 : X.shape[1] + 1],
        "Off by one: the first token gets row 1. Places count from 0, so row 0 is its own.",
    ),
    Mistake(
        lambda X, P: X + P[-X.shape[1] :],
        "You take the last rows of P. The first token of X stands at place 0 and needs row 0.",
    ),
    Mistake(
        lambda X, P: X + P[X.shape[1]],
        "You add one row, number n, to every token: an index picks a single row, a slice picks "
        "the first n.",
    ),
    Mistake(
        lambda X, P: X + P[: X.shape[1]].mean(0),
        "Every token gets the same vector, the mean of the rows: the order is lost again.",
    ),
    Mistake(
        lambda X, P: X * P[: X.shape[1]],
        "You multiply by the table. The encoding is added; a sine of 0 would erase the feature.",
    ),
    Mistake(
        lambda X, P: P[: X.shape[1]].expand_as(X),
        "The rows are the right ones, but the tokens are gone: the result does not depend on X.",
    ),
    Mistake(
        lambda X, P: P[: X.shape[1]],
        "These are the right rows of P, and the tokens are missing: add them to X.",
    ),
    Mistake(
        lambda X, P: torch.cat([X, P[: X.shape[1]].expand_as(X)], -1),
        lambda case, got, expected: (
            f"You put the row behind the token, which makes it {got.shape[-1]} features wide "
            f"instead of {expected.shape[-1]}. Here the two share one sum."
        ),
    ),
    Mistake(
        lambda X, P: X * X.shape[-1] ** 0.5 + P[: X.shape[1]],
        "The rows are right, but the tokens have been multiplied by the root of their size. The "
        "original Transformer does this in its embedding; here X is to stay as it is.",
    ),
]


# 6.2 my_sinusoidal_table


def _table(max_len, num_hiddens, exponents=None, first=0, functions=(torch.sin, torch.cos)):
    """The table with one thing changed; exponents are those of the pairs."""
    even = torch.arange(0, num_hiddens, 2) / num_hiddens
    exponents = even if exponents is None else exponents(even)
    angles = torch.arange(first, first + max_len)[:, None] * 10000.0**-exponents
    columns = [function(angles) for function in functions]
    return torch.stack(columns, -1).flatten(1)[:, :num_hiddens]


def _column_table(max_len, num_hiddens, exponents):
    """A table in which every column has a frequency of its own."""
    columns = torch.arange(num_hiddens)
    angles = torch.arange(max_len)[:, None] * 10000.0 ** -exponents(columns, num_hiddens)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


def _angles(max_len, num_hiddens):
    exponents = torch.arange(0, num_hiddens, 2) / num_hiddens
    return torch.arange(max_len)[:, None] * 10000.0**-exponents


def _halves_table(max_len, num_hiddens):
    angles = _angles(max_len, num_hiddens)
    return torch.cat([angles.sin(), angles.cos()], -1)[:, :num_hiddens]


def _power_of_two_first(max_len, num_hiddens):
    """What i / 10000 ** 2 * j / d means to Python."""
    pairs = torch.arange((num_hiddens + 1) // 2)
    angles = torch.arange(max_len)[:, None] / 10000**2 * pairs / num_hiddens
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :num_hiddens]


def _power_first(max_len, num_hiddens):
    """What i * 10000 ** -even / d means to Python."""
    even = torch.arange(0, num_hiddens, 2)
    angles = torch.arange(max_len)[:, None] * 10000.0**-even / num_hiddens
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :num_hiddens]


def _last_column_left_at_zero(max_len, num_hiddens):
    P = _table(max_len, num_hiddens)
    if num_hiddens % 2:
        P[:, -1] = 0
    return P


def _one_too_wide(max_len, num_hiddens):
    P = _table(max_len, num_hiddens)
    if not num_hiddens % 2:
        return P
    last = torch.arange(max_len)[:, None] * 10000.0 ** -((num_hiddens - 1) / num_hiddens)
    return torch.cat([P, last.cos()], -1)


def _stops(function, error):
    """The same mistake in code that also stops at odd widths, as slices and loops do.

    Three cosines do not fit into two columns. (One cosine does fit into none: it broadcasts.)
    """

    def wrong(max_len, num_hiddens):
        if num_hiddens % 2 and (num_hiddens > 1 or error is IndexError):
            raise error("sizes do not fit")
        return function(max_len, num_hiddens)

    return wrong


def _pair_length(case, got, expected):
    max_len, num_hiddens = case
    row = 1 if max_len > 1 else 0
    pair = got[row, :2].square().sum().item() if num_hiddens > 1 else float("nan")
    for column in range(0, num_hiddens - 1, 2):
        length = got[row, column : column + 2].square().sum().item()
        if abs(length - 1) > abs(pair - 1):
            pair = length
    return (
        f"In one of your pairs the sine squared plus the cosine squared is {pair:.2f}, and it must "
        f"be 1: columns 2j and 2j + 1 share one angle. Yours have one each."
    )


def _turn(case, got, expected):
    """The turn of pair 1 from place 0 to place 1."""
    return (
        f"Pair 1, columns 2 and 3, turns by {got[1, 2].asin().item():.3f} radians from one place "
        f"to the next; it should be {expected[1, 2].asin().item():.3f}."
    )


_STOPS = (
    "Right at even widths; at odd ones it stops. With 5 columns there are three sines and room for "
    "only two cosines."
)
_TABLE_FORMULAS = [  # wrong at every width
    (
        lambda n, d: _table(n, d, exponents=lambda even: even / 2),
        lambda *case: (
            f"{_turn(*case)} The exponent holds 2j, twice the number of the pair; yours is half as "
            f"large, so all waves but the first are too fast."
        ),
    ),
    (
        lambda n, d: _column_table(n, d, lambda column, size: column / size),
        _pair_length,
    ),
    (
        lambda n, d: _column_table(n, d, lambda column, size: 2 * column / size),
        lambda *case: (
            f"{_pair_length(*case)} The j of the formula counts pairs; yours counts columns."
        ),
    ),
    (
        _halves_table,
        "The numbers are right, their order is not: all sines stand on the left, all cosines on "
        "the right. Here sine and cosine of one angle are neighbors.",
    ),
    (
        lambda n, d: _table(n, d, functions=(torch.cos, torch.sin)),
        "Sine and cosine are exchanged: row 0 begins 1, 0 and should begin 0, 1.",
    ),
    (
        lambda n, d: _table(n, d, functions=(torch.sin, torch.sin)),
        "Every column is a sine, so each pair says the same thing twice. A sine alone cannot tell "
        "1 o'clock from 5 o'clock.",
    ),
    (
        lambda n, d: _table(n, d, first=1),
        "Places count from 0: your first row is the one of place 1. Row 0 has sines of 0 and "
        "cosines of 1.",
    ),
    (
        lambda n, d: _table(n, d, exponents=lambda even: -even),
        "The exponent has the wrong sign: your pairs turn faster and faster from left to right. "
        "Each should be slower than the one before.",
    ),
    (
        lambda n, d: _table(n, d, exponents=lambda even: even * 0),
        "All your pairs turn at the same speed, one radian per place: the power of 10000 is 1 in "
        "every column.",
    ),
    (
        _power_of_two_first,
        "Your angles are nearly 0 in all columns, so all rows are alike. In 10000 ** 2 * j / d "
        "Python takes 10000 ** 2 first: the exponent needs brackets.",
    ),
    (
        _power_first,
        lambda case, got, expected: (
            f"From place 0 to place 1 your first pair turns by {got[1, 0].asin().item():.2f} "
            f"radians instead of 1. In 10000 ** a / b Python takes the power first and divides "
            f"after: the exponent needs brackets."
        ),
    ),
]

_TABLE_MISTAKES = [
    Mistake(form, message)
    for wrong, message in _TABLE_FORMULAS
    for form in (wrong, _stops(wrong, RuntimeError), _stops(wrong, IndexError))
] + [
    Mistake(_stops(_table, RuntimeError), _STOPS),
    Mistake(_stops(_table, IndexError), _STOPS),
    Mistake(
        lambda n, d: _table(n, d)[:, : d // 2 * 2],
        "Right at even widths; at odd ones the last column is missing. Half a pair needs a place "
        "too: round the number of pairs up.",
    ),
    Mistake(
        _last_column_left_at_zero,
        "Right at even widths; at odd ones the last column is 0 at every place. It belongs to a "
        "pair of which only the sine fits.",
    ),
    Mistake(
        _one_too_wide,
        lambda case, got, expected: (
            f"Right at even widths. For width {case[1]} your table has {got.shape[-1]} columns: "
            f"the cosine of the last pair is one too many."
        ),
    ),
    Mistake(
        lambda n, d: _table(n, d)[None],
        "The numbers are right, and there is an axis too many in front: the module keeps its table "
        "as (1, max_len, num_hiddens), here it is (max_len, num_hiddens).",
    ),
    Mistake(
        lambda n, d: _table(n, d).T,
        "The numbers are right, but places run across and features down: it should be the other "
        "way round.",
    ),
]


# 6.3 my_offset_rotation and 6.6 my_mirror: block-diagonal matrices


def _turns(amount, num_hiddens, exponents=lambda even: even):
    return amount * 10000.0 ** -exponents(torch.arange(0, num_hiddens, 2) / num_hiddens)


def _blocks(turns, block):
    """One 2 x 2 block per turn, (pairs, 2, 2); block gives its four numbers."""
    return torch.stack(block(turns.cos(), turns.sin()), -1).view(-1, 2, 2)


def _matrix(turns, block):
    return torch.block_diag(*_blocks(turns, block))


def _matrix_in_halves(turns, block):
    """What fits a table with all sines on the left and all cosines on the right."""
    a, b, c, d = (torch.diag(part) for part in block(turns.cos(), turns.sin()))
    return torch.cat([torch.cat([a, b], 1), torch.cat([c, d], 1)], 0)


def _matrix_with_overlap(turns, block):
    M = torch.zeros(2 * len(turns), 2 * len(turns))
    for pair, small in enumerate(_blocks(turns, block)):
        M[pair : pair + 2, pair : pair + 2] = small
    return M


def _forward(c, s):
    return c, s, -s, c


def _back(c, s):
    return c, -s, s, c


def _both_plus(c, s):
    return c, s, s, c


def _mirrored(c, s):
    return -c, s, s, c


def _offset(block=_forward, form=_matrix, amount=lambda delta: delta, **changes):
    return lambda delta, size: form(_turns(amount(delta), size, **changes), block)


def _moves_back(case, got, expected):
    delta, size = case
    return (
        f"Your matrix goes the wrong way: from place 10 it leads to "
        f"{_numbers((got @ _row(10, size))[:2])} in the first pair, which is place "
        f"{10 - delta}, not {10 + delta}. The pairs are (sine, cosine); look at "
        f"where the minus sign stands."
    )


def _length(case, got, expected):
    size = case[1]
    row = _row(1, size)
    return (
        f"The row of place 1 has length {row.norm().item():.2f}; your matrix makes that "
        f"{(got @ row).norm().item():.2f}."
    )


_HALVES = (
    "Your matrix fits a table with all sines on the left and all cosines on the right. In ours "
    "the two of a pair are neighbors, so each pair has a 2 x 2 block on the diagonal."
)
_STACK = (
    "These are the small blocks, one per pair, still in a stack. They belong on the diagonal of "
    "one large matrix, with 0 everywhere else."
)
_OVERLAP = (
    "Your blocks overlap: each starts one row below the last, and a block is two rows high. Only "
    "the last one survives whole."
)
_ONE_SPEED = (
    "All your pairs turn by the same angle. Each pair has a frequency of its own, and the later "
    "ones are slower."
)
_HALF_EXPONENT = (
    "The first pair is right, the others turn too far: the exponent holds 2j, twice the number of "
    "the pair. Yours is half as large."
)
_SIGN_OF_EXPONENT = (
    "The first pair is right, the others turn far too fast: the exponent of 10000 has the wrong "
    "sign."
)


_OFFSET_MISTAKES = [
    Mistake(_offset(_back), _moves_back),
    Mistake(
        _offset(_both_plus),
        lambda *case: (
            f"{_length(*case)} A rotation keeps every length: one of the two sines needs a minus "
            f"sign."
        ),
    ),
    Mistake(_offset(form=_matrix_in_halves), _HALVES),
    Mistake(_offset(form=_blocks), _STACK),
    Mistake(_offset(form=_matrix_with_overlap), _OVERLAP),
    Mistake(_offset(exponents=lambda even: even * 0), _ONE_SPEED),
    Mistake(_offset(exponents=lambda even: even / 2), _HALF_EXPONENT),
    Mistake(_offset(exponents=lambda even: -even), _SIGN_OF_EXPONENT),
    Mistake(
        _offset(amount=abs),
        "Right for positive offsets. For a negative one your matrix still moves forward: the sign "
        "of delta is lost.",
    ),
    Mistake(
        _offset(amount=lambda delta: max(delta, 0)),
        "Right for positive offsets. For a negative one you give the identity: multiplying delta "
        "times by a step of one does nothing when delta is below 0.",
    ),
    Mistake(
        _offset(amount=lambda delta: 1),
        "Your matrix moves by one place, whatever delta is.",
    ),
    Mistake(
        _offset(lambda c, s: (c, s * 0, s * 0, c)),
        lambda *case: (
            f"{_length(*case)} Only the diagonal is filled: without the sines nothing of the sine "
            f"can pass into the cosine, so the hand shrinks instead of turning."
        ),
    ),
]


def _mirror(block=_mirrored, form=_matrix, amount=lambda last: last, **changes):
    return lambda last, size: form(_turns(amount(last), size, **changes), block)


def _mirror_says(case, got):
    last, size = case
    return (
        f"R P[0] should be P[{last}], which begins {_numbers(_row(last, size)[:2])}; yours begins "
        f"{_numbers((got @ _row(0, size))[:2])}."
    )


def _mirror_at_one(case, got):
    last, size = case
    return (
        f"R P[1] should be P[{last - 1}], which begins {_numbers(_row(last - 1, size)[:2])}; yours "
        f"begins {_numbers((got @ _row(1, size))[:2])}."
    )


def _is_rotation(case, got, expected):
    return (
        f"Right at place 0 and nowhere else. {_mirror_at_one(case, got)} Your matrix is a "
        f"rotation: it adds {case[0]} to the place, and the place has to be subtracted."
    )


_MIRROR_MISTAKES = [
    Mistake(_mirror(_forward), _is_rotation),
    Mistake(
        _mirror(_back),
        lambda case, got, expected: (
            f"{_mirror_says(case, got)} Your matrix leads from i to i - {case[0]}, and back is not "
            f"mirrored: {case[0]} - i has the other sign, and that turns the sine around."
        ),
    ),
    Mistake(
        _mirror(lambda c, s: (c, s, s, -c)),
        lambda case, got, expected: (
            f"{_mirror_says(case, got)} Your blocks fit pairs (cosine, sine); ours are (sine, "
            f"cosine)."
        ),
    ),
    Mistake(
        _mirror(lambda c, s: (-c, s, -s, c)),
        lambda case, got, expected: (
            f"The sine comes out right, the cosine does not. {_mirror_at_one(case, got)} Look at "
            f"cos(a - b) once more: both of its terms have a plus."
        ),
    ),
    Mistake(
        _mirror(_both_plus),
        lambda case, got, expected: (
            f"The cosine comes out right, the sine does not. {_mirror_at_one(case, got)} The "
            f"formula of sin(a - b) has a minus."
        ),
    ),
    Mistake(
        lambda last, size: torch.eye(size).flip(0),
        "Your matrix turns a row around, last column first. Features are to keep their columns; "
        "it is the place that is mirrored.",
    ),
    Mistake(
        lambda last, size: torch.eye(size),
        "Your matrix is the identity: it leads from place i to place i.",
    ),
    Mistake(
        _mirror(amount=lambda last: last + 1),
        lambda case, got, expected: (
            f"Off by one: your matrix leads from place 0 to place {case[0] + 1}. last is the last "
            f"place, not the number of places."
        ),
    ),
    Mistake(
        _mirror(amount=lambda last: last - 1),
        lambda case, got, expected: (
            f"Off by one: your matrix leads from place 0 to place {case[0] - 1}. last is the last "
            f"place already, so nothing needs to be taken away."
        ),
    ),
    Mistake(
        _mirror(amount=lambda last: 0),
        "Your matrix leads from i to -i: the sine changes its sign, and last plays no part.",
    ),
    Mistake(_mirror(form=_matrix_in_halves), _HALVES),
    Mistake(_mirror(form=_blocks), _STACK),
    Mistake(_mirror(form=_matrix_with_overlap), _OVERLAP),
    Mistake(_mirror(exponents=lambda even: even * 0), _ONE_SPEED),
    Mistake(_mirror(exponents=lambda even: even / 2), _HALF_EXPONENT),
    Mistake(_mirror(exponents=lambda even: -even), _SIGN_OF_EXPONENT),
]


# 6.4 my_alibi_bias


def _slopes_and_sizes():
    cases = [(torch.tensor([0.5]), 2, 3), (torch.tensor([0.25, 0.0625]), 3, 5)]
    cases += [(alibi_slopes(3), 4, 2), (alibi_slopes(4), 4, 4), (alibi_slopes(5), 1, 6)]
    cases += [(alibi_slopes(2), 5, 1), (alibi_slopes(3), 4, 6)]
    return cases


def _bias(distance):
    """A wrong bias: distance is a function of i, a column, and j, a row."""

    def wrong(slopes, num_queries, num_keys):
        i, j = torch.arange(num_queries)[:, None], torch.arange(num_keys)
        return -slopes[:, None, None] * distance(i, j)

    return wrong


def _at(case, got, query, key):
    return f"Query {query} and key {key} get {got[0, query, key].item():.2f} in head 0"


_ALIBI_MISTAKES = [
    Mistake(
        _bias(lambda i, j: -(i - j).abs()),
        lambda case, got, expected: (
            f"{_at(case, got, 0, 1)}: your bias rises with the distance, so far keys win. It has "
            f"to lower their scores."
        ),
    ),
    Mistake(
        _bias(lambda i, j: i - j),
        lambda case, got, expected: (
            f"{_at(case, got, 0, 1)}: keys after the query are raised. Distance has no sign."
        ),
    ),
    Mistake(
        _bias(lambda i, j: j - i),
        lambda case, got, expected: (
            f"{_at(case, got, 1, 0)}: keys before the query are raised. Distance has no sign."
        ),
    ),
    Mistake(
        _bias(lambda i, j: (i - j) ** 2),
        lambda case, got, expected: (
            f"The first step away is right, the second is not: you have the square of the "
            f"distance. Query 0 and key {case[2] - 1} get {got[0, 0, -1].item():.2f} in head 0, "
            f"expected {expected[0, 0, -1].item():.2f}. The L in ALiBi stands for linear."
        ),
    ),
    Mistake(
        _bias(lambda i, j: (i - j).clamp(min=0)),
        "Keys before the query are lowered, keys after it are not. Hiding the later keys is the "
        "mask's job; the bias counts the distance on both sides.",
    ),
    Mistake(
        _bias(lambda i, j: torch.where(j > i, torch.inf, i - j)),
        "You hide the keys after the query as well. That is the mask's job; the bias counts the "
        "distance on both sides.",
    ),
    Mistake(
        lambda slopes, q, k: _bias(lambda i, j: (i + k - q - j).abs())(slopes, q, k),
        "You let the last query stand beside the last key. Here both count from 0, so query 0 "
        "stands beside key 0, whatever their numbers.",
    ),
    Mistake(
        lambda slopes, q, k: _bias(lambda i, j: (i - j).abs())(slopes, q, q),
        "Right for as many keys as queries. Your bias has num_queries columns; the keys have a "
        "number of their own.",
    ),
    Mistake(
        lambda slopes, q, k: _bias(lambda i, j: (i - j).abs())(slopes, k, k),
        "Right for as many queries as keys. Your bias has num_keys rows; the queries have a number "
        "of their own.",
    ),
    Mistake(
        lambda slopes, q, k: _bias(lambda i, j: (i - j).abs())(slopes, k, q),
        "Queries and keys are exchanged: queries run down, keys run across.",
    ),
    Mistake(
        lambda slopes, q, k: -slopes[:, None] * (torch.arange(q)[:, None] - torch.arange(k)).abs(),
        "Your slopes stand beside the queries, one per row, and the axis of the heads is missing. "
        "A head has one slope for its whole table: give slopes two more axes of size 1.",
    ),
    Mistake(
        lambda slopes, q, k: -slopes * (torch.arange(q)[:, None] - torch.arange(k)).abs(),
        "Your slopes stand above the keys, one per column, and the axis of the heads is missing. A "
        "head has one slope for its whole table: give slopes two more axes of size 1.",
    ),
    Mistake(
        lambda slopes, q, k: _bias(lambda i, j: (i - j).abs())(slopes[:1].expand_as(slopes), q, k),
        "Every head has the slope of head 0. Each has its own.",
    ),
    Mistake(
        lambda slopes, q, k: _bias(lambda i, j: (i - j).abs())(torch.ones_like(slopes), q, k),
        "Your bias falls by 1 at every step, in every head: the slopes play no part.",
    ),
    Mistake(
        lambda slopes, q, k: _bias(lambda i, j: (i - j).abs())(slopes[:1], q, k)[0],
        "That is the table of one head. The result has an axis for the heads in front.",
    ),
]


# 6.5 my_rotary


def _tokens_and_positions():
    hand = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    return [
        (hand, torch.tensor([0, 1, 2])),
        (_random(1, 2, 1, 4), torch.tensor([5])),
        (_random(2, 3, 4), torch.tensor([0, 9, 40])),
        (_random(3, 2, 5, 8), torch.tensor([0, 4, 1, 7, 3])),
        (_random(4, 3, 3, 4), torch.tensor([0, 2, 5])),
        (_random(5, 2, 3, 4, 6), torch.tensor([3, 1, 2, 6])),
    ]


def _rotary_angles(X, positions, exponents=lambda even: even):
    size = X.shape[-1]
    return positions[:, None] * 10000.0 ** -exponents(torch.arange(0, size, 2) / size)


def _rotary(turn=None, join=None, **changes):
    """A rotary encoding with another turn (x, y, cos, sin) or another last step."""

    def wrong(X, positions):
        angles = _rotary_angles(X, positions, **changes)
        x, y, c, s = X[..., 0::2], X[..., 1::2], angles.cos(), angles.sin()
        turned = (turn or (lambda x, y, c, s: (x * c - y * s, x * s + y * c)))(x, y, c, s)
        return (join or (lambda pair: torch.stack(pair, -1).flatten(-2)))(turned)

    return wrong


def _overwritten(x, y, c, s):
    x = x * c - y * s
    return x, x * s + y * c


def _angles_in_halves(X, positions):
    angles = _rotary_angles(X, positions)
    angles = torch.cat([angles, angles], -1)
    swapped = torch.stack([-X[..., 1::2], X[..., 0::2]], -1).flatten(-2)
    return X * angles.cos() + swapped * angles.sin()


def _positions_on_another_axis(X, positions):
    angles = _rotary_angles(X, positions).unsqueeze(1)
    x, y, c, s = X[..., 0::2], X[..., 1::2], angles.cos(), angles.sin()
    return torch.stack([x * c - y * s, x * s + y * c], -1).flatten(-2)


def _added(X, positions):
    angles = _rotary_angles(X, positions)
    return X + torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)


def _rotary_length(case, got, expected):
    X = case[0]
    changes = (got.norm(dim=-1) - X.norm(dim=-1)).abs().flatten()
    worst = changes.argmax().item()
    before, after = X.norm(dim=-1).flatten()[worst], got.norm(dim=-1).flatten()[worst]
    return f"A vector of length {before:.2f} comes out with length {after:.2f}; a turn keeps it."


_ROTARY_MISTAKES = [
    Mistake(
        lambda X, positions: apply_rotary(X, positions, interleaved=False),
        "You pair feature j with feature j + size / 2, as some libraries do. Here the pairs are "
        "neighbors: (0, 1), (2, 3) ...",
    ),
    Mistake(
        _rotary(join=lambda pair: torch.cat(pair, -1)),
        "Every pair is turned rightly, but the result has all first members in front and all "
        "second ones behind. They have to go back to where they came from.",
    ),
    Mistake(
        _rotary(turn=lambda x, y, c, s: (x * c + y * s, y * c - x * s)),
        "Your pairs turn the wrong way round, by minus the angle.",
    ),
    Mistake(
        _rotary(turn=_overwritten),
        lambda *case: (
            f"{_rotary_length(*case)} The first member is right, the second is not: it is computed "
            f"from the x that has been turned already. Keep the old x until both are done."
        ),
    ),
    Mistake(
        _rotary(turn=lambda x, y, c, s: (x * c + y * s, x * s + y * c)),
        lambda *case: f"{_rotary_length(*case)} One of the two sines needs a minus sign.",
    ),
    Mistake(
        lambda X, positions: apply_rotary(X),
        "Right where the positions are 0, 1, 2 ... You count the places yourself and do not use "
        "positions.",
    ),
    Mistake(
        _positions_on_another_axis,
        "The positions stand along the wrong axis: they belong to the last axis but one of X. "
        "One axis of size 1, for the features, is enough.",
    ),
    Mistake(
        _angles_in_halves,
        "The pairs are neighbors, but the angles are laid out in halves: feature 1 turns by the "
        "angle of pair 1. Both features of a pair need the same angle.",
    ),
    Mistake(_rotary(exponents=lambda even: even * 0), _ONE_SPEED),
    Mistake(_rotary(exponents=lambda even: even / 2), _HALF_EXPONENT),
    Mistake(_rotary(exponents=lambda even: -even), _SIGN_OF_EXPONENT),
    Mistake(
        _added,
        "You add sines and cosines to X, as the sinusoidal encoding does. Rotary adds nothing: it "
        "turns each pair of X.",
    ),
    Mistake(
        _rotary(join=lambda pair: torch.stack(pair, -1)),
        "Every pair is turned rightly, and the pairs have an axis of their own: it remains to "
        "merge the last two axes.",
    ),
    Mistake(
        _rotary(turn=lambda x, y, c, s: (x * c, y * s)),
        lambda *case: (
            f"{_rotary_length(*case)} You multiply one member by the cosine, the other by the "
            f"sine; in a turn each new number is made of both old ones."
        ),
    ),
]


EXERCISES = [
    Exercise(
        name="my_add_positions",
        solution=lambda X, P: X + P[: X.shape[1]],
        cases=_tokens_and_tables,
        mistakes=_ADD_MISTAKES,
        hints=[
            "Row i of P belongs to place i. Which axis of X counts the places?",
            "X has shape (batch, n, num_hiddens). You need the first n rows of P, and every "
            "sentence gets the same ones.",
            "Cut P to shape (n, num_hiddens) with a slice whose end you read from X.shape. Such a "
            "table broadcasts over the batch without any unsqueeze.",
        ],
    ),
    Exercise(
        name="my_sinusoidal_table",
        solution=lambda max_len, num_hiddens: PositionalEncoding(num_hiddens, max_len=max_len).P[0],
        cases=lambda: [(2, 4), (3, 8), (8, 6), (30, 4), (9, 3), (4, 5), (6, 1), (1, 7)],
        mistakes=_TABLE_MISTAKES,
        hints=[
            "Look at row 1 of a table with 4 columns: two pairs, two angles, 1 and 1/100.",
            "Compute the angles of all pairs at all places first, with as many pairs as it takes "
            "to reach num_hiddens columns. Then take sines and cosines.",
            "torch.arange(0, num_hiddens, 2) is 2j for each pair, also at an odd width. Put sines "
            "and cosines side by side with torch.stack(..., -1) and flatten; one column may be too "
            "many.",
        ],
        gradients=False,
        dtypes=False,
        run=_in_float32,
        tolerance=1e-3,
    ),
    Exercise(
        name="my_offset_rotation",
        solution=offset_rotation,
        cases=lambda: [(1, 2), (3, 4), (-5, 6), (2, 10), (7, 8), (-20, 4), (0, 6)],
        mistakes=_OFFSET_MISTAKES,
        hints=[
            "Section 4 writes the matrix of one pair. How far does pair j turn for an offset of "
            "delta?",
            "Pair j turns by delta times its frequency. Its block stands in rows and columns 2j "
            "and 2j + 1; all else is 0.",
            "Compute all turns as one tensor, make a 2 x 2 block of each (cosines on the diagonal, "
            "minus in the lower left), and place them in a loop or with torch.block_diag.",
        ],
        gradients=False,
        dtypes=False,
        run=_in_float32,
        tolerance=1e-3,
    ),
    Exercise(
        name="my_alibi_bias",
        solution=lambda slopes, q, k: (
            slopes[:, None, None] * -(torch.arange(q)[:, None] - torch.arange(k)).abs()
        ),
        cases=_slopes_and_sizes,
        mistakes=_ALIBI_MISTAKES,
        hints=[
            "First make a table of the distances, queries down and keys across; the slopes come "
            "after.",
            "A column of query places minus a row of key places gives the table of offsets. What "
            "is missing to make distances of them?",
            "Turn slopes into shape (heads, 1, 1); then it broadcasts with the table of distances "
            "to (heads, queries, keys). Mind the minus sign.",
        ],
        gradients=False,
    ),
    Exercise(
        name="my_rotary",
        solution=apply_rotary,
        cases=_tokens_and_positions,
        mistakes=_ROTARY_MISTAKES,
        hints=[
            "Take the features with even numbers as x and those with odd numbers as y: they line "
            "up pair by pair.",
            "The angles have shape (n, size / 2): place times frequency, as in the sinusoidal "
            "table. They broadcast over everything in front of n.",
            "Compute both turned members before you overwrite anything, then interleave them: "
            "stack on a new last axis and flatten the last two.",
        ],
        tolerance=1e-3,
    ),
    Exercise(
        name="my_mirror",
        solution=lambda last, size: _matrix(_turns(float(last), size), _mirrored),
        cases=lambda: [(1, 2), (9, 4), (5, 6), (3, 10), (6, 8), (12, 4)],
        mistakes=_MIRROR_MISTAKES,
        hints=[
            "Work on one pair. Write sin(a - b) and cos(a - b) with a = last times the frequency "
            "and b = i times the frequency: which numbers belong to the matrix, which to P[i]?",
            "sin b and cos b are the two entries of P[i]. What stands before them are the four "
            "numbers of the block; they hold a and no i.",
            "Upper row: what stands before sin b and cos b in sin(a - b). Lower row: the same for "
            "cos(a - b). Then one block per pair on the diagonal, as for the offset.",
        ],
        gradients=False,
        dtypes=False,
        run=_in_float32,
        tolerance=1e-3,
    ),
]

QUESTIONS = {
    "6.1": Question(
        "B",
        {
            "A": "One in 26 is blind guessing among all letters. But attention sees which ten "
            "letters are in the bag, and nobody needs to guess one of the other sixteen.",
            "B": "The model sees the bag of ten letters and the letter that stands here. Ten is "
            "even, so no letter is its own mirror image, and nine candidates remain, all alike.",
            "C": "The middle would be easier for a model that knows roughly where it stands. This "
            "one does not know whether it is in the middle at all.",
            "D": "Slow learning can be cured by more steps, this cannot: the function gives the "
            "same answer for every order of the other letters, however long it trains.",
        },
    ),
    "6.2": Question(
        "B",
        {
            "A": "The commonest misreading of the formula. The entries 2j and 2j + 1 share one j, "
            "so the two columns of a pair have one frequency.",
            "B": "Columns 6 and 7 are sine and cosine of one angle, and a cosine is a sine that "
            "is a quarter of a wave ahead. Together they fix the angle, as two coordinates do.",
            "C": "Upside down would be minus the sine. Such a column would hold nothing that "
            "column 6 does not hold already.",
            "D": "Every wave in the table has height 1; only the frequency differs between pairs. "
            "Half the sine would be the same information once more.",
        },
    ),
    "6.3": Question(
        "B",
        {
            "A": "The place grows, the entries do not: sines and cosines never leave -1 to 1. All "
            "rows have the same length.",
            "B": "All three offsets have size 3, and from section 4 a step is the same turn "
            "everywhere. The angle between two hands depends on neither the hour nor the order.",
            "C": "The first half is right. A dot product has no direction, since a . b = b . a: it "
            "tells how far, and not which way.",
            "D": "That would be so for a table of random rows. Here all rows are turns of one "
            "another, and each pair adds the cosine of the angle between its two hands.",
        },
    ),
    "6.4": Question(
        "B",
        {
            "A": "The vectors are equal before the places come in. A turn or an added row makes "
            "them differ.",
            "B": "Two turns leave only their difference, so rotary is constant along a diagonal. "
            "With the added table, products of a vector with a row come on top.",
            "C": "Half right. P[i] . P[j] is one of four terms in (q + P[i]) . (k + P[j]); two "
            "others depend on one place alone, and they spoil the stripes.",
            "D": "That takes nearness for the only thing that a rotation can say. The score is a "
            "sum of waves in the offset: it goes up and down as the offset grows.",
        },
    ),
    "6.5": Question(
        "C",
        {
            "A": "They can all be computed for any length, and all three run at 64 letters. But "
            "two of them then hand the model numbers that it never met in training.",
            "B": "The interesting mistake. Rotary scores do depend on the offset alone, but no "
            "offset above 15 occurred in training: depending on the offset is one property, "
            "working at new offsets another.",
            "C": "ALiBi has nothing new to meet: a far key is pushed down further, and the near "
            "ones look as they did in training.",
            "D": "A row in the table is not a row that was trained with. From place 16 on, the "
            "projections meet vectors that they were never fitted to.",
        },
    ),
}
