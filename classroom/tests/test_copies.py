"""The same code but for names, comments and order is found; other code, and short code, is not."""

import ast
from types import SimpleNamespace

import pytest

from classroom.marking.copies import fingerprint, groups

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


SHORT = "def my_f(u):\n    return (-u**2 / 2).exp()"
REMARK = "def my_f(u):\n    # squares cannot be negative\n    return (-u**2 / 2).exp()"
STUB = "def my_f(u):\n    ...  # your code here, please do\n    return (-u**2 / 2).exp()"
LINES = [f"    x{n} = q.sum({n}) * k.mean(-1)" for n in range(4)]
LONG = "\n".join(["def my_f(q, k):", *LINES, "    return x0 + x1 * x2 - x3"])
OTHERS = [f"def my_f(u):\n    return u + {n}" for n in range(53)]
RENAMED = ONE.replace("scale", "root")
FILES = [tuple(f"def my_{f}(u):\n    return u + {n}" for f in "fgh") for n in range(3)]
ALIKE = {  # what some handed in: who is told, for what, and whether it is the whole file
    "other names, comments and order": ([ONE, OTHER, COPY], [([0, 2], ["my_f"], False)]),
    "what is short": ([SHORT, SHORT.replace("u", "x")], []),
    "what many wrote": ([*(ONE.replace("scores", f"s{n}") for n in range(3)), *OTHERS[:12]], []),
    "what is short and many wrote": ([SHORT] * 15, []),
    "what most wrote": ([*[ONE] * 9, *OTHERS[:6]], []),
    "to the letter, of seven": ([*[ONE] * 7, *OTHERS], [(list(range(7)), ["my_f"], False)]),
    "to the letter": ([ONE, *OTHERS[:12], ONE, ONE], [([0, 13, 14], ["my_f"], False)]),
    "partly": ([ONE, RENAMED, ONE, RENAMED, *OTHERS], [([0, 1, 2, 3], ["my_f"], False)]),
    "short, with a remark of its own": ([REMARK] * 2 + [STUB] * 2, [([0, 1], ["my_f"], False)]),
    "a whole file, however short": (
        [FILES[1], FILES[2], FILES[1]],
        [([0, 2], ["my_f", "my_g", "my_h"], True)],
    ),
    "part of a file": ([FILES[1], (*FILES[1][:2], FILES[0][2])], []),
    "what is long, of more": (
        [*(LONG.replace("x", name) for name in ("a", "part", "row")), *OTHERS[:12]],
        [([0, 1, 2], ["my_f"], False)],
    ),
}


@pytest.mark.parametrize("what", ALIKE)
def test_what_is_alike_is_told(what):
    sources, expected = ALIKE[what]
    assert told(*sources) == expected
