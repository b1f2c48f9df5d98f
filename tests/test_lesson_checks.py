"""Each check of form says what it must of a lesson that is spoilt; other outputs are found."""

import copy
import os
import re
import subprocess
import sys

import lesson_checks as checks
import nbformat
import pictures
import pytest
import torch
from nbformat import v4
from test_pictures import WEIGHTS, heatmap

from attn_teach import head_view
from tools.lessons import ROOT, lessons
from tools.notebook import tags

GOOD = nbformat.read(lessons(["03"])[0], as_version=4)


@pytest.fixture
def lesson():
    return copy.deepcopy(GOOD)


def find(nb, pattern, tag=None):
    """The first cell that begins with the pattern, or holds it and has the tag."""
    found = [
        cell
        for cell in nb.cells
        if (re.search(pattern, cell.source) and tag in tags(cell) if tag else
            re.match(pattern, cell.source))
    ]  # fmt: skip
    return found[0]


def edit(pattern, old, new, tag=None):
    """A change: in that cell, the new text in the place of the old."""

    def change(nb):
        cell = find(nb, pattern, tag)
        assert re.search(old, cell.source)
        cell.source = re.sub(old, new, cell.source, count=1)

    return change


def with_data(pattern, tag=None, **metadata):
    """A change: that cell has these metadata; None takes them out."""

    def change(nb):
        cell = find(nb, pattern, tag)
        cell.metadata.update(metadata)
        for key in [key for key, value in metadata.items() if value is None]:
            del cell.metadata[key]

    return change


def remove(pattern, tag=None):
    return lambda nb: nb.cells.remove(find(nb, pattern, tag))


def add(cell, place=1):
    """A change: one more cell, near the top."""
    return lambda nb: nb.cells.insert(place, cell)


def text(source, **metadata):
    return v4.new_markdown_cell(source, metadata=metadata)


def code(source, *shows):
    return v4.new_code_cell(source, outputs=[*shows])


def says(text, name="stdout"):
    return v4.new_output("stream", name=name, text=text)


def picture(png=None, alt="Weights, 6 queries by 8 keys; the largest is 0.93."):
    data = {"image/png": png or heatmap()}
    return v4.new_output("display_data", data, metadata={"image/png": {"alt": alt}})


STUB, LAST = r"def my_padding_mask\(", r"def my_token_mask\("
PICTURE = r"[\s\S]*!\[[\s\S]*masks.svg"
# What is spoilt in which check's lesson, and what must be said.
SPOILT = [
    ("cells", with_data(STUB, "solution", tags=["soluton"]), "unknown tag 'soluton'"),
    ("cells", with_data(".", "predict", **{"nbval-reason": None}), "does not say why"),
    ("sizes", add(code("x = 1\n" * 26)), "26 lines"),
    ("sizes", add(text("word " * 111)), "a paragraph of 111 words"),
    ("headline", remove(".", "headline"), "3 to 6 headlines"),
    ("instructor", with_data("## 2", instructor={"minutes": 5}), "has no notes"),
    ("instructor", edit(r"[\s\S]*Plan about", r"Plan about \d", "Plan about 1"), "does not say: P"),
    ("slides", with_data(".", "predict", slideshow=None), "is not left out"),
    ("slides", with_data("slots", slideshow=None), "whose question it answers"),
    ("door", lambda nb: nb.cells[1].outputs.clear(), "nothing is shown before"),
    ("questions", edit(".", r'"3P"', '"3Q"', "predict"), "does not follow the text"),
    ("questions", edit(r".*Predict first \(3P", r"- D\..*", ""), "offers other letters"),
    ("questions", edit(".", r"\*\*C is right", "It is C", "reveal"), "not with C"),
    ("questions", remove(".", "reveal"), "no cell tagged 'reveal'"),
    ("questions", edit(".", r"3P", "", "predict"), "does not follow the text of its question"),
    ("questions", add(text("**C is right.** It is.")), "with the letter of no question"),
    ("questions", edit("### Other scores", "Give", "Of each empty slot, give"), "the answer to 3P"),
    ("names", add(text("See exercise 3.4.")), "exercise 3.4, which is Your turn"),
    ("names", add(text("Hands for 3Z.")), "3Z, which is no question"),
    ("exercises", remove("### Solution 3.5"), "the solutions"),
    ("exercises", edit(STUB, r"valid_lens", "lengths", "exercise"), "is judged as"),
    ("exercises", with_data(STUB, "exercise", tags=[]), "and the checks"),
    ("exercises", remove(LAST, "solution"), "does not define my_token_mask"),
    ("exercises", add(text("x", tags=["solution"])), "stands below '## Solutions'"),
    ("exercises", edit(STUB, " < rows", " <= rows", "solution"), "which is wrong"),
    ("hands", add(text("word " * 2300), place=80), "words stand before the exercises"),
    ("hands", edit(r"[\s\S]*\*\*Drag", r"\*\*Drag\.\*\*", "Drag."), "sets no task"),
    ("hands", with_data(".", "found", tags=[]), "may answer its task"),
    ("hands", add(code("letters = 3"), place=90), "binds letters anew"),
    ("plain_python", add(code("import babel")), "imports babel"),
    ("no_errors", add(code("x", v4.new_output("error", ename="E", evalue="e"))), "an error: E: e"),
    ("stable_text", add(code("x", says("<object at 0x7f3a91c2d0>"))), "a memory address"),
    ("alternative_texts", add(code("x", picture(alt="short"))), "without alternative text ('s"),
    ("links", add(text("[up](#Nowhere)")), "heading #Nowhere"),
    ("links", edit(PICTURE, r"base64,\w{8}", "base64,QUJDREVG"), "another masks.svg"),
    ("premises", with_data(".", "predict", premise=None), "it has no premise"),
    ("figures", add(text("It is 7.77 times as fast.")), "says 7.77"),
]
BY_NAME = {check.__name__: check for check in checks.FORM}


@pytest.mark.parametrize(
    ("check", "spoil", "words"), SPOILT, ids=[f"{c}: {w}" for c, _, w in SPOILT]
)
def test_what_is_spoilt_is_said(check, spoil, words, lesson):
    spoil(lesson)
    assert words in "\n".join(BY_NAME[check](lesson))


def test_every_check_is_proved():
    assert {check for check, *_ in SPOILT} == set(BY_NAME)


def ignored(nb):
    """The output of a cell that nbval does not look at."""
    return find(nb, ".", "predict").outputs[0]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda nb: find(nb, "labels").outputs.append(picture()), "showed"),
        (lambda nb: find(nb, "labels").outputs.clear(), "showed"),
        (lambda nb: find(nb, "labels").outputs[0].metadata.clear(), "showed"),
        (lambda nb: find(nb, "slots").outputs.append(says("no", "stderr")), "writes to stderr: no"),
        (lambda nb: ignored(nb).data.update({"text/plain": "Other."}), "says 'Other"),
        (lambda nb: find(nb, "labels").outputs[0].data.update({"image/png": heatmap()}), "picture"),
    ],
    ids=["one more", "one less", "no alternative text", "warning", "other text", "other picture"],
)
def test_an_execution_that_shows_something_else_is_found(spoil, words, lesson):
    assert checks.compare(GOOD, lesson) == []
    spoil(lesson)
    assert words in "".join(checks.compare(GOOD, lesson))


@pytest.mark.parametrize("more, complaints", [(0.001, 0), (0.003, 1)])
def test_a_head_view_is_compared_to_a_thousandth(lesson, more, complaints):
    """To the next thousandth: 0.047 takes one letter and 0.048 two."""
    weights = torch.tensor([[[0.047, 0.2, 0.3], [0.1, 0.047, 0.5], [0.047, 0.6, 0.1]]])
    stored = copy.deepcopy(lesson)
    for nb, shown in ((stored, weights), (lesson, weights + more)):
        data, _ = head_view(shown, ["a", "b", "c"])._repr_mimebundle_()
        find(nb, "slots").outputs = [v4.new_output("display_data", data)]
    found = [c for c in checks.compare(stored, lesson) if "picture" not in c]
    assert len(found) == complaints and all("more than a thousandth" in c for c in found)


MOVES = """
from attn_lesson import widgets
def explore(draw, **controls): widgets.figures.append((draw, [], controls))
explore(lambda height: 1 / 0, height=widgets.widgets.IntSlider())
"""


def test_nbval_is_followed_by_what_it_does_not_compare(tmp_path):
    """Of a lesson that is spoilt where nbval does not look."""

    def shows(png):
        output = picture(png)
        call = f"display({dict(output.data)!r}, raw=True, metadata={dict(output.metadata)!r})"
        return code(call, output)

    good = [code("x = 1"), shows(heatmap()), text("It is 1.", premise="x == 1")]
    wrong = shows(heatmap())
    wrong.outputs = [picture(heatmap(WEIGHTS[::-1]))]
    spoilt = [
        wrong,
        v4.new_code_cell(
            "print(x)", outputs=[says("3")], metadata={"tags": ["nbval-ignore-output"]}
        ),
        v4.new_code_cell("x = 3", metadata={"tags": ["nbval-skip"]}),
        code("shown = display({}, raw=True, display_id='a', update=True)"),
        text("It is 2.", premise="x == 2"),
        text("It is any.", premise="x == x"),
        code(MOVES),
    ]
    notebook = v4.new_notebook(cells=good + spoilt)
    for number, (_, cell) in enumerate(checks.code(notebook), start=1):
        cell.execution_count = number
    nbformat.write(notebook, tmp_path / "lesson.ipynb")
    (tmp_path / "conftest.py").write_bytes((ROOT / "tests" / "conftest.py").read_bytes())
    options = ["-p", "no:xdist", "-c", "pyproject.toml", "--color=no"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", *options, tmp_path],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
    )
    failed = re.findall(r"^FAILED lesson\.ipynb::(.*\w)['.]* - ", done.stdout, re.MULTILINE)
    expected = [
        "premise of 'It is 2",
        "premise of 'It is any",
        "live figures move",
        "what nbval does not compare",
    ]
    assert failed == expected, done.stdout  # so what comes first passes
    for complaint in (
        "it is false: x == 2",
        "nothing makes it false: x == x",
        "ZeroDivisionError: division by zero",
        "[4] said '3', says '1'",
        "[5] was not executed",
        "a cell sends update_display_data, which is not compared",
        *(["[3]: the picture differs near"] if pictures.COMPARABLE else []),
    ):
        assert complaint in done.stdout, done.stdout


def test_a_kernel_that_does_not_answer_is_started_once_more(monkeypatch):
    from tests import conftest

    answers = iter([RuntimeError("Kernel didn't respond"), None, RuntimeError("a"), OSError("b")])

    def start(lesson):
        if error := next(answers):
            raise error

    monkeypatch.setattr(conftest.IPyNbFile, "setup", start)
    lesson = object.__new__(conftest.Executed)
    lesson.setup()
    with pytest.raises(OSError, match="b"):
        lesson.setup()
