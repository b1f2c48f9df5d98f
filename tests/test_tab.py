"""Answers in a page: torch's names on NumPy beside torch's own, and the check beside the judge.

torch_names.txt holds lines of Python; each is executed over both, on tensors drawn from a seed with
two axes, three, and any number: a and b of any kind, f and g of real numbers, c and e the same with
an axis at least, s square, h with a batch, m of booleans, i of indices, numbers k, x.
"""

import collections
import itertools
import math
import re
import signal
from pathlib import Path

import numpy as np
import pytest
import torch

import tests.test_answers as answers
from attn_lesson import catalogue, judge
from attn_lesson.judge.bench import bench
from attn_lesson.judge.compare import kin
from tools.lessons import ROOT, lessons
from tools.site.tab import borrowed, exercises, judging, making, missing, tensors
from tools.site.tab.torch_names import torch as page_torch

LINES = [
    line
    for line in Path(__file__).with_name("torch_names.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
KINDS = ["float32", "float64", "int64", "bool"]
SIZES = [(), (1,), (2,), (3,), (1, 2), (2, 2), (2, 3), (3, 2), (2, 1, 3), (2, 3, 2), (2, 2, 2),
         (2, 1, 3, 2), (1, 2, 2, 3)]  # fmt: skip
NUMBERS = [-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0]
SEEDS = 3
STATEMENT = re.compile(r"(?<![=<>!(])\s[-+*/&]*=\s|;|^for ")
NOT_OF_NUMBERS = {"grad", "grad_fn", "is_cuda", "is_leaf", "is_meta", "is_nested", "is_quantized",
                  "is_sparse", "layout", "device", "requires_grad", "a", "data_ptr", "nbytes",
                  "itemsize", "untyped_storage", "resolve_conj", "resolve_neg", "ndimension",
                  "nelement", "bfloat16"}  # fmt: skip
LONGEST = 10  # seconds of the processor for one answer
RIGHT, REFUSED, NAMED = 0.99, 0.99, 0.85  # shares that must be reached


# torch's names


def drawn(seed, axes=None):
    """The arrays and numbers that lines speak of, with so many axes, or with any number of them."""
    numbers = np.random.default_rng(seed)
    sizes = SIZES if axes is None else [size for size in SIZES if len(size) == axes]

    def pick(things):
        return things[numbers.integers(len(things))]

    def array(kinds=KINDS, shapes=sizes):
        return numbers.choice(NUMBERS, pick(shapes)).astype(pick(kinds))

    a = array()
    return {
        "a": a, "b": array(shapes=[a.shape, a.shape, a.shape, a.shape[-1:], *sizes]),
        "f": array(["float32", "float32", "float16"]), "g": array(["float32"]),
        "s": array(["float32"], [(2, 2)]) + np.eye(2, dtype="float32") * 5,
        "c": array(shapes=sizes if axes else SIZES[1:]),
        "e": array(["float32"], sizes if axes else SIZES[1:]),
        "h": array(["float32"], [(2, 3, 3), (1, 2, 2)]),
        "m": array(["bool"], [a.shape, *(sizes if axes else SIZES[:7])]),
        "i": numbers.integers(0, 3, numbers.integers(1, 4)),
        "k": int(numbers.integers(-3, 4)), "x": pick([0, 1, 2, -1.5, 0.5, True]),
    }  # fmt: skip


def executed(line, drawn, module, functions, wrap):
    """What a line makes, the names that it may have changed, and the type of its error."""
    scope = {n: wrap(v.copy()) if isinstance(v, np.ndarray) else v for n, v in drawn.items()}
    space = dict(scope, torch=module, F=functions)
    try:
        with np.errstate(all="ignore"):
            if STATEMENT.search(line):
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
        value = value.detach().resolve_conj()
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


def differ(line, arrays):
    """How a line does something else over this page's torch than over torch, or ""."""
    made, error = executed(line, arrays, torch, torch.nn.functional, torch.from_numpy)
    mine, own = executed(line, arrays, page_torch, page_torch.nn.functional, tensors.wrap)
    kinds = [each and kin(type(each).__name__) for each in (error, own)]
    if error and isinstance(own, missing.Missing):
        return ""
    if kinds[0] == kinds[1] and (error or agree(plain(mine), plain(made))):
        return ""
    return f"{line}\n{arrays}\ntorch: {error!r}, {made}\nhere: {own!r}, {mine}"


@pytest.mark.parametrize("line", LINES)
@pytest.mark.filterwarnings("ignore")
def test_a_line_does_what_torch_does(line):
    for seed in range(SEEDS):
        for axes in (None, 2, 3):
            found = differ(line, drawn([seed, len(line)], axes))
            assert not found, found


PARTS = [
    "0", "-1", "1", "k", ":", "-2:", ":-1", "::2", "None", "...", "[0, 1]", "[1]", "[-1, 0]", "i",
    "torch.tensor([[0], [1]])", "torch.tensor([0, 0])", "torch.tensor(1)", "[True, False]", "True",
    "a[0] > 0", "False", "range(2)", "(0, 1)", "m", "[[0, 1], [1, 0]]", "slice(0, 1)", "[]",
]  # fmt: skip
WRITES = ["{} = 1", "{} = x", "{} = b", "{} = b[0]", "{} += 1", "{} = a[0].clone()", "{} *= {}"]


@pytest.mark.filterwarnings("ignore")
def test_an_index_means_what_it_means_in_torch():
    for seed in range(150):
        numbers = np.random.default_rng(seed)
        key = ", ".join(numbers.choice(PARTS, numbers.integers(1, 5), replace=False))
        for line in (f"a[{key}]", numbers.choice(WRITES).replace("{}", f"a[{key}]")):
            found = differ(line, drawn([seed, 1], numbers.choice([1, 2, 2, 3, 3, 4])))
            assert not found, found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_chance_is_torchs(dtype):
    drawn = []
    for module in (torch, page_torch):
        kind, generator, made = getattr(module, dtype), module.Generator().manual_seed(7), []
        module.manual_seed(3)
        made.append(module.rand(2, generator=module.Generator()))
        for size in (1, 2, 15, (4, 4), 17, (3, 25), 0, 5):
            made += [module.randn(size, dtype=kind), module.rand(size, dtype=kind)]
            made.append(module.randint(-2, 9, (5,), generator=generator))
            made += [module.randn(size, generator=generator), module.randperm(6)]
            made.append(module.randn_like(made[0]))
        drawn.append(list(map(plain, made)))
    assert agree(*reversed(drawn))


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
def found(request):
    """Of kept answers of exercises in the page: what their authors say, the check's answer.

    Without --every of those that are wrong a fifth; where gradients count, all.
    """
    judging.use(exercises.told())
    step, turn = (1 if request.config.getoption("every") else 5), itertools.count()
    before, told = signal.signal(signal.SIGPROF, _stop), []
    for about, source in (block for path in lessons() for block in answers.blocks(path)):
        many = about[1] == "wrong" and not catalogue.tables()[0][about[0]].gradients
        if about[0] in judging.exercises() and not (many and next(turn) % step):
            told.append((about, source, _checked(about[0], source)))
    signal.signal(signal.SIGPROF, before)
    return told


def _stop(*args):
    raise TooLong


def _checked(name, source):
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        return judging.check(name, source)
    except TooLong:
        return "wrong", "stopped"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def shares(found):
    """How many of which answers the check takes as they are meant."""
    count = collections.Counter()
    for about, source, (status, message) in found:
        kind = about[1].split(",")[0]
        if status == "numbers":  # the numbers, and the gradient in the notebook alone
            status = "right"
            kind = "gradient" if kind == "wrong" and _gradient_alone(about[0], source) else kind
        count[kind, status] += 1
        if kind == "wrong" and status == "wrong":
            words = " ".join(message.split()).lower()
            count["named" if about[3].lower() in words else "not named"] += 1
    return count


def _gradient_alone(name, source):
    """Whether the judge finds all right but the gradient."""
    mistakes = judge(answers.learners(name, source)).mistakes
    return bool(mistakes) and mistakes[0].name == "gradient"


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


def test_a_nan_on_the_way_is_told_where_gradients_count(found):
    told = collections.Counter(
        (about[1].split(",")[0], judging.NAN in message)
        for about, _, (status, message) in found
        if status == "numbers"
    )
    assert told["wrong", True] >= 3 and not told["wrong", False]
    assert told["right", False] > told["right", True]  # masked_fill may keep it from a gradient


def test_cases_and_results_are_those_of_the_notebook(found):
    for name in judging.exercises():
        ours, torchs = judging.bench(name), bench(catalogue.tables()[0][name])
        pairs = zip([*ours.cases, ours.expected], [*torchs.cases, torchs.expected], strict=True)
        for mine, right in pairs:
            for a, b in zip(mine, right, strict=True):
                a, b = getattr(a, "value", a), getattr(b, "value", b)  # of an Outcome
                assert callable(b) or agree(plain(a), plain(b)), (name, a, b)


def test_each_lessons_answer_is_right_and_its_stub_is_none(found):
    for name, (stub, answer) in judging.exercises().items():
        gradients = catalogue.tables()[0][name].gradients
        assert judging.check(name, answer)[0] == ("numbers" if gradients else "right"), name
        status, message = judging.check(name, stub)
        assert status == "wrong"
        assert message.startswith("Nothing to check yet"), name


SOFTMAX = "e = (scores - scores.amax(-1, True)).exp(); return e / e.sum(-1, True)"
CODES = {
    "def my_weights(scores): return scores.softmax(": ("wrong", "Python cannot read it"),
    "def my_weights(scores): return skores": ("wrong", "A name is not known"),
    "def my_weights(scores): raise ValueError('mine')": ("wrong", "mine"),
    "def my_weights(scores): return torch.fft.fft(scores)": ("cannot", "no torch.fft"),
    "def my_weights(scores):\n  try: return scores.logdet()\n  except Exception: return 1": (
        "cannot", "no Tensor.logdet"),
    "import pandas as pd, matplotlib.pyplot as plt\n"
    "from torch.autograd.functional import jacobian\n"
    "from torch.distributions import Categorical\nfrom transformers import AutoModel\n"
    "def my_weights(scores: torch.cuda.FloatTensor): return torch.nn.Softmax(-1)(scores)": (
        "right", "Correct"),
    "import matplotlib.pyplot as plt\ndef my_weights(scores): plt.plot(scores)": (
        "cannot", "no matplotlib.pyplot.plot"),
    "def my_weights(scores): return nn.MultiheadAttention(4, 2)(scores)[1]": (
        "cannot", "no torch.nn.MultiheadAttention; in the notebook it works"),
    "class Own(nn.Module):\n  def __init__(self):\n    super().__init__()\n"
    "    self.one = nn.Softmax(dim=-1)\n  def forward(self, x): return self.one(x)\n"
    "def my_weights(scores): return Own()(scores)": ("right", "Correct"),
    "def my_weights(scores):\n  scores -= scores.amax(-1, True)\n  return scores.softmax(-1)": (
        "wrong", "your function writes into `scores`"),
    "def my_weights(scores): return F.max_pool2d(scores[None], [1, 1])": (
        "cannot", "no max_pool2d of these arguments"),
    "def my_masked_softmax(scores, mask):\n  x = scores.masked_fill(~mask, -torch.inf)\n"
    "  return x.softmax(-1).nan_to_num()": ("numbers", "gradient is mostly NaN"),
    "from torch.nn.functional import scaled_dot_product_attention as f\n"
    "def my_attention(queries, keys, values): return f(queries, keys, values)": (
        "wrong", "scaled_dot_product_attention"),
    f"def my_weights(scores): print('seen'); {SOFTMAX}": ("right", "seen"),
    f"def my_weights(scores): scores = scores.double(); {SOFTMAX}": ("right", "float64"),
    "def my_weights(scores): ...": ("wrong", "Nothing to check yet"),
    f"from attn_lesson import check\ndef my_weights(scores): {SOFTMAX}\ncheck(my_weights)": (
        "right", "Correct"),
    "raise SystemExit": ("wrong", ""),
}  # fmt: skip


@pytest.mark.parametrize("code", CODES)
def test_what_else_is_written_is_told(code, found, capsys):
    status, words = CODES[code]
    got, message = judging.check(re.search(r"def (my_\w+)|$", code)[1] or "my_weights", code)
    assert got == status, message
    assert words in message
    assert capsys.readouterr() == ("", "")


def test_hints_come_one_by_one(found):
    code = "def my_weights(scores): return scores - 7"
    told = [judging.check("my_weights", code)[1] for _ in range(4)]
    assert len(set(told)) > 2
    assert "Hint 1 of" in "".join(told)
