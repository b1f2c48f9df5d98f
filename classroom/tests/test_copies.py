"""The same code but for names, comments and order is found; other code, and short code, is not."""

import ast
from types import SimpleNamespace

import pytest

from classroom.marking.copies import LEAST, fingerprint, pairs

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
    marks = [
        SimpleNamespace(at=n, lesson="01", answers={"my_f": {"same": fingerprint(nodes)}})
        for n, nodes in enumerate(ast.parse(source).body for source in sources)
    ]
    return [(a.at, b.at, names) for a, b, names in pairs(marks)]


def test_a_copy_with_other_names_comments_and_order_is_told_in_pairs():
    assert told(ONE, OTHER, COPY) == [(0, 2, ["my_f"])]
    assert fingerprint(ast.parse(ONE).body)[1] >= LEAST


def test_what_is_short_or_what_many_wrote_is_not():
    short = "def my_f(u):\n    return (-u**2 / 2).exp()"
    assert not told(short, short.replace("u", "x"))
    assert not told(ONE, COPY, ONE, *[f"def my_f(u):\n    return u + {n}" for n in range(20)])
