"""Answers in a page: torch's names on NumPy beside torch's own, and the check beside the judge.

torch_names.txt holds lines of Python; each is executed over both, on drawn tensors: a and b of any
kind, f and g of real numbers, c and e the
same with an axis at least, s square, h with a batch, m of booleans, i of indices, numbers k, x.
"""

import collections
import math
import re
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tests.test_answers as answers
from attn_lesson import catalogue, judge
from attn_lesson.judge.compare import kin
from attn_lesson.judge.exercise import MANNERS
from tools.lessons import ROOT, lessons
from tools.site.tab import borrowed, desk, judging, making, missing, table, tensors
from tools.site.tab import check as page_check
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
EXAMPLES = 8
NOT_OF_NUMBERS = {"grad", "grad_fn", "is_cuda", "is_leaf", "is_meta", "is_nested", "is_quantized",
                  "is_sparse", "layout", "device", "requires_grad", "a", "data_ptr", "nbytes",
                  "itemsize", "untyped_storage", "resolve_conj", "resolve_neg", "ndimension",
                  "nelement", "bfloat16", "normal_", "uniform_", "detach_"}  # fmt: skip
LONGEST = 2  # for one answer, by the clock
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
        "c": draw(tensors_of(shapes=SIZES[1:])),
        "e": draw(tensors_of(["float32"], SIZES[1:])),
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
                made = [space["a"], space["b"], space["f"], space["m"], space["e"]]
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
    methods = {n for n in vars(tensors.Tensor) if not n.startswith("_")}
    names = {*tensors.FUNCTIONS, *tensors.FUNCTIONAL, *making.LINALG, *methods}
    tried = words | {f"{word}_" for word in words}  # in place, all in one way
    assert sorted(names - tried - NOT_OF_NUMBERS) == []


# The check


class TooLong(borrowed.TooLong):
    """What ends an answer that runs on and on, as the page ends its worker."""


@pytest.fixture(scope="module")
def found():
    """Of each kept answer of an exercise in the page: what its author says, the check's answer."""
    judging.use(table.kept())
    patch = pytest.MonkeyPatch()
    patch.setattr(desk, "SECONDS", 0.2)
    before = signal.signal(signal.SIGALRM, _stop)
    told = [(about, source, _checked(about[0], source))
            for path in lessons() for about, source in answers.blocks(path)
            if about[0] in judging.exercises()]  # fmt: skip
    signal.signal(signal.SIGALRM, before)
    patch.undo()
    return told


def _stop(*args):
    raise TooLong


def _checked(name, source):
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        return judging.check(name, source)
    except TooLong:
        return "wrong", "stopped"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def shares(found):
    """How many of which answers the check takes as they are meant."""
    count = collections.Counter()
    for about, source, (status, message) in found:
        kind = about[1].split(",")[0]
        if kind == "wrong" and status == "right":
            kind = "manners" if _only_manners(about[0], source) else kind
        count[kind, status] += 1
        if kind == "wrong" and status == "wrong":
            words = " ".join(message.split()).lower()
            count["named" if about[3].lower() in words else "not named"] += 1
    return count


def _only_manners(name, source):
    """Whether the judge finds the numbers right, and something else wrong."""
    mistakes = judge(answers.learners(name, source)).mistakes
    return bool(mistakes) and mistakes[0].name in MANNERS


def test_the_check_says_what_the_judge_says(found):
    count = shares(found)
    print(len(judging.exercises()), "exercises;", dict(count))
    right = sum(n for key, n in count.items() if key[0] == "right")
    wrong = sum(n for key, n in count.items() if key[0] == "wrong")
    assert count["right", "right"] >= RIGHT * right
    assert count["wrong", "wrong"] >= REFUSED * wrong
    assert count["named"] >= NAMED * (count["named"] + count["not named"])


def test_the_teacher_is_told_how_many_there_are(found):
    here, every = len(judging.exercises()), len(catalogue.tables()[0])
    teaching = (ROOT / "classroom" / "TEACHING.md").read_text("utf-8")
    assert f"{here} of the {every} functions" in " ".join(teaching.split())


def test_no_right_answer_is_told_a_mistake(found):
    told = [(about, message) for about, _, (status, message) in found
            if about[1].startswith("right") and status == "wrong"]  # fmt: skip
    assert told == []


def test_each_lessons_answer_is_right_and_its_stub_is_none(found):
    for name, (stub, answer) in judging.exercises().items():
        assert judging.check(name, answer)[0] == "right", name
        status, message = judging.check(name, stub)
        assert status == "wrong"
        assert message.startswith("Nothing to check yet"), name


CODES = {
    "def my_weights(scores): return scores.softmax(": ("wrong", "Python cannot read it"),
    "my_weights = 3": ("wrong", "no function my_weights"),
    "def my_weights(scores): return skores": ("wrong", "A name is not known"),
    "def my_weights(scores): return scores.sofmax(-1)": ("wrong", "has no attribute"),
    "def my_weights(scores): raise ValueError('mine')": ("wrong", "mine"),
    "1 / 0": ("wrong", "0"),
    "def my_weights(scores): return torch.fft.fft(scores)": ("cannot", "no torch.fft"),
    "def my_weights(scores):\n  try: return scores.logdet()\n  except Exception: return 1": (
        "cannot", "no Tensor.logdet"),
    "import pandas\ndef my_weights(scores): return 1": ("cannot", "pandas"),
    "def my_weights(scores): print('seen'); return scores.softmax(-1)": ("right", "seen"),
    "print(1)\ndef my_weights(scores): return scores.softmax(-1)": ("right", "Correct"),
    "def my_weights(scores): return scores.softmax(-2)": ("wrong", "over the queries"),
    "def my_weights(scores): return scores.softmax(-1).double()": ("right", "float64"),
    "def my_weights(scores): ...": ("wrong", "Nothing to check yet"),
    "def my_weights(scores): raise NotImplementedError": ("wrong", "Nothing to check yet"),
    "from attn_lesson import check\ndef my_weights(scores): return scores.softmax(-1)\n"
    "check(my_weights)": ("right", "Correct"),
    "import torch as t, torch.nn.functional as G\n"
    "def my_weights(scores): return G.softmax(scores, dim=-1)": ("right", "Correct"),
    "def my_weights(scores): return masked_softmax(scores)": ("right", "Correct"),
    "raise SystemExit": ("wrong", ""),
}  # fmt: skip


@pytest.mark.parametrize("code", CODES)
def test_what_else_is_written_is_told(code, found, capsys):
    status, words = CODES[code]
    got, message = judging.check("my_weights", code)
    assert got == status, message
    assert words in message
    assert capsys.readouterr() == ("", "")


def test_hints_come_one_by_one(found):
    code = "def my_weights(scores): return scores - 7"
    told = [judging.check("my_weights", code)[1] for _ in range(4)]
    assert len(set(told)) > 2
    assert "Hint 1 of" in "".join(told)


def test_an_unknown_exercise_is_none_of_the_page(found):
    assert judging.check("my_nothing", "")[0] == "cannot"


def test_the_package_answers_without_more(found, monkeypatch):
    monkeypatch.setattr(judging, "_table", None)
    status, message = page_check("my_weights", "def my_weights(scores): return scores.softmax(-2)")
    assert status == "wrong" and "over the queries" in message
