"""The same code but for names, comments and order is found; other code, and short code, is not."""

import ast
from types import SimpleNamespace

import pytest

from classroom.marking.copies import LEAST, fingerprint, groups

pytestmark = pytest.mark.long
ONE = """
def helper(x):
    return x * 2

def my_f(q, k):
    scale = q.shape[-1] ** 0.5
    mask = k.sum(-1) > 0
    scores = q @ k.mT / scale
    return helper(scores).masked_fill(~mask, 0.0)
"""
COPY = """
def my_f(a: int, b) -> None:
    "Words."
    valid = b.sum(-1) > 0  # moved up
    root = a.shape[-1] ** 0.5
    z = a @ b.mT / root
    return twice(z).masked_fill(~valid, 0.0)

def twice(value):
    return value * 2
"""
OTHER = ONE.replace("q @ k.mT", "k @ q.mT")


def told(*sources):
    marks = []
    for at, source in enumerate(sources):
        given = (source,) if isinstance(source, str) else source
        answers = {
            f"my_{name}": {"same": fingerprint(ast.parse(one).body), "program": one, "own": one}
            for name, one in zip("fgh", given, strict=False)
        }
        marks.append(SimpleNamespace(at=at, lesson="01", answers=answers))
    return [([mark.at for mark in alike], names, whole) for alike, names, whole in groups(marks)]


def test_a_copy_with_other_names_comments_and_order_is_told():
    assert told(ONE, OTHER, COPY) == [([0, 2], ["my_f"], False)]
    assert fingerprint(ast.parse(ONE).body)[1] >= LEAST


def test_what_is_short_or_what_many_wrote_is_not():
    short = "def my_f(u):\n    return (-u**2 / 2).exp()"
    assert not told(short, short.replace("u", "x"))
    others = [f"def my_f(u):\n    return u + {n}" for n in range(20)]
    renamed = [ONE.replace("scores", f"scores_{n}") for n in range(3)]
    assert not told(*renamed, *others[:12])
    assert not told(*[short] * 15)
    assert not told(*[ONE] * 9, *others[:6]), "most wrote it"


def test_what_is_alike_to_the_letter_is_told_of_more():
    others = [f"def my_f(u):\n    return u + {n}" for n in range(53)]
    assert told(*[ONE] * 7, *others) == [(list(range(7)), ["my_f"], False)]
    assert told(ONE, *others[:12], ONE, ONE) == [([0, 13, 14], ["my_f"], False)]
    renamed = ONE.replace("scale", "root")
    assert told(ONE, renamed, ONE, renamed, *others) == [([0, 1, 2, 3], ["my_f"], False)]


def test_a_short_answer_is_told_where_a_remark_of_its_own_is_the_same():
    short = "def my_f(u):\n    # squares cannot be negative\n    return (-u**2 / 2).exp()"
    other = "def my_f(u):\n    ...  # your code here, please do\n    return (-u**2 / 2).exp()"
    assert told(short, short, other, other) == [([0, 1], ["my_f"], False)]


def test_a_whole_file_handed_in_twice_is_told_however_short():
    def my(name, n):
        return f"def my_{name}(u):\n    return u + {n}"

    one, two = [tuple(my(name, n) for name in "fgh") for n in (1, 2)]
    assert told(one, two, one) == [([0, 2], ["my_f", "my_g", "my_h"], True)]
    assert not told(one, (*one[:2], my("h", 9)))


def test_long_code_is_told_of_more_than_short_code():
    lines = [f"    x{n} = q.sum({n}) * k.mean(-1)" for n in range(4)]
    long = "\n".join(["def my_f(q, k):", *lines, "    return x0 + x1 * x2 - x3"])
    renamed = [long.replace("x", name) for name in ("a", "part", "row")]
    others = [f"def my_f(u):\n    return u + {n}" for n in range(12)]
    assert fingerprint(ast.parse(long).body)[1] > 2 * LEAST
    assert told(*renamed, *others) == [([0, 1, 2], ["my_f"], False)]
