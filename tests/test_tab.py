"""Answers in a page: torch's names on NumPy beside torch's own, and the check beside the judge.

torch_names.txt holds lines of Python; each is executed over both, on drawn tensors: a and b of any
kind, f and g of real numbers, s square, h with a batch, m of booleans, i of indices, numbers k, x.
"""

import collections
import math
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tests.test_answers as answers
from attn_lesson import judge
from attn_lesson.judge.compare import kin
from attn_lesson.judge.exercise import MANNERS
from tools.lessons import lessons
from tools.site.tab import borrowed, check, functional, making, missing, table, tensors
from tools.site.tab.torch_names import functions as page_functions
from tools.site.tab.torch_names import torch as page_torch

LINES = [
    line
    for line in Path(__file__).with_name("torch_names.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
KINDS = ["float32", "float64", "int64", "bool"]
SIZES = [(), (1,), (2,), (3,), (1, 2), (2, 2), (2, 3), (3, 2), (2, 1, 3), (2, 3, 2), (2, 2, 2)]
NUMBERS = [-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0]
EXAMPLES = 12
SECONDS = 3  # for one answer, by the clock
RIGHT, REFUSED, NAMED = 0.97, 0.99, 0.85  # shares that must be reached


# torch's names


@st.composite
def tensors_of(draw, kinds=KINDS, shapes=SIZES):
    """An array of one of these kinds and shapes, with short numbers."""
    shape, kind = draw(st.sampled_from(shapes)), draw(st.sampled_from(kinds))
    seed = draw(st.integers(0, 2**16))
    return np.random.default_rng(seed).choice(NUMBERS, shape).astype(kind)


@st.composite
def names(draw):
    """The arrays and numbers that lines speak of."""
    a = draw(tensors_of())
    shapes = [a.shape, a.shape, a.shape, a.shape[-1:], *SIZES]
    f = draw(tensors_of(["float32", "float32", "float16"]))
    indices = draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))
    return {
        "a": a, "b": draw(tensors_of(shapes=shapes)), "f": f, "g": draw(tensors_of(["float32"])),
        "s": draw(tensors_of(["float32"], [(2, 2)])) + np.eye(2, dtype="float32") * 5,
        "h": draw(tensors_of(["float32"], [(2, 3, 3), (1, 2, 2)])),
        "m": draw(tensors_of(["bool"], shapes[:7])), "i": np.array(indices),
        "k": draw(st.integers(-3, 3)), "x": draw(st.sampled_from([0, 1, 2, -1.5, 0.5, True])),
    }  # fmt: skip


def executed(line, drawn, module, functions, wrap):
    """What a line makes, the names that it may have changed, and the type of its error."""
    scope = {n: wrap(v.copy()) if isinstance(v, np.ndarray) else v for n, v in drawn.items()}
    space = dict(scope, torch=module, F=functions)
    try:
        with np.errstate(all="ignore"):
            if re.search(r"(?<![=<>!(])\s[-+*/&]*=\s|;|^for ", line):
                exec(line, space)
                made = [space["a"], space["b"], space["f"], space["m"]]
            else:
                made = [eval(line, space), space["a"], space["f"]]
    except Exception as error:
        return None, error
    return made, None


def plain(value):
    """A result as lists, numbers and arrays, with the kinds of tensors."""
    if isinstance(value, torch.Tensor):
        value = value.resolve_conj()
        return str(value.dtype), tuple(value.shape), value.numpy()
    if isinstance(value, tensors.Tensor):
        return str(value.dtype), tuple(value.shape), value.a
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (bool, int, float)) or value is None or isinstance(value, np.ndarray):
        return value
    return str(value)


def agree(mine, torchs):
    """Whether two plain results agree, up to rounding."""
    if isinstance(torchs, (list, tuple)):
        alike = type(mine) is type(torchs) and len(mine) == len(torchs)
        return alike and all(map(agree, mine, torchs))
    if isinstance(torchs, np.ndarray):
        near = 2e-3 if torchs.dtype == np.float16 else 2e-5
        return mine.shape == torchs.shape and np.allclose(mine, torchs, near, near, equal_nan=True)
    if isinstance(torchs, float) and isinstance(mine, float):
        return math.isclose(mine, torchs, rel_tol=1e-5, abs_tol=1e-6) or mine != mine
    return type(mine) is type(torchs) and mine == torchs


@pytest.mark.parametrize("line", LINES)
@pytest.mark.filterwarnings("ignore")
def test_a_line_does_what_torch_does(line):
    @settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(names())
    def tried(drawn):
        made, error = executed(line, drawn, torch, torch.nn.functional, torch.from_numpy)
        mine, own = executed(line, drawn, page_torch, page_functions, tensors.wrap)
        if isinstance(own, missing.Missing):
            return
        kinds = [error and kin(type(error).__name__), own and kin(type(own).__name__)]
        assert kinds[0] == kinds[1], f"torch: {error!r}, {made}\nhere: {own!r}, {mine}"
        assert agree(plain(mine), plain(made)), f"torch: {made}\nhere: {mine}"

    tried()


def test_every_name_is_tried():
    words = set(re.findall(r"\w+", " ".join(LINES)))
    names = {*tensors.FUNCTIONS, *tensors.FUNCTIONAL, *making.LINALG}
    methods = {n for n in vars(tensors.Tensor) if not n.startswith("_")}
    assert functional
    assert not names - words, sorted(names - words)
    assert sorted(methods - words) == []


if __name__ == "__main__":
    assert collections and signal and time and answers and judge and MANNERS and lessons
    assert borrowed and check and table and SECONDS and RIGHT and REFUSED and NAMED
