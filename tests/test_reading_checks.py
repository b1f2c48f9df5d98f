"""Every check of what a reader sees lets the lessons pass, and finds what it is made to find."""

import copy
import re

import nbformat
import pytest
import reading_checks as checks

from tools.lessons import lessons
from tools.notebook import tags


@pytest.fixture(scope="module")
def third():
    return nbformat.read(lessons(["03"])[0], as_version=4)


@pytest.fixture
def lesson(third):
    return copy.deepcopy(third)


def cell(nb, pattern, tag=None):
    """The first cell that begins with the pattern, or holds it and has the tag."""
    for found in nb.cells:
        if tag in tags(found) and re.search(pattern, found.source):
            return found
        if tag is None and re.match(pattern, found.source):
            return found
    raise AssertionError(f"no cell holds {pattern}")


def replace(pattern, old, new, tag=None):
    """A change: in that cell, the new text in the place of the old."""

    def change(nb):
        found = cell(nb, pattern, tag)
        assert re.search(old, found.source)
        found.source = re.sub(old, new, found.source, count=1)

    return change


def remove(pattern, tag=None):
    return lambda nb: nb.cells.remove(cell(nb, pattern, tag))


def add(text, **metadata):
    """A change: one more text in the first section."""
    new = nbformat.v4.new_markdown_cell(text, metadata=metadata)
    return lambda nb: nb.cells.insert(1, new)


def add_code(source, *outputs, place=1):
    """A change: one more code cell near the top."""
    made = [nbformat.v4.new_output("stream", name="stdout", text=text) for text in outputs]
    new = nbformat.v4.new_code_cell(source, metadata={"tags": []}, outputs=made)
    return lambda nb: nb.cells.insert(place, new)


def parameters_first(nb):
    (found,) = [c for c in nb.cells if "parameters" in tags(c)]
    nb.cells.remove(found)
    nb.cells.insert(1, found)


def nothing_shown(nb):
    for found in nb.cells[:5]:
        if found.cell_type == "code":
            found.outputs.clear()


def same_id(nb):
    nb.cells[3].id = nb.cells[2].id


def misspelt(nb):
    cell(nb, "def my_", "solution").metadata.tags[:] = ["soluton"]


def unproved(start, tag):
    return lambda nb: cell(nb, start, tag).metadata.pop("premise")


def proved_by(premise):
    """A change: the first answer has this premise."""
    return lambda nb: cell(nb, ".", "reveal").metadata.update(premise=premise)


def untagged(start, tag):
    return lambda nb: cell(nb, start, tag).metadata.tags.remove(tag)


STUB = r"def my_padding_mask\("
PICTURE = r"[^#]*!\[[\s\S]*masks.svg"
FAULTS = [
    (checks.ids, same_id, "of an earlier cell"),
    (checks.tags, misspelt, "unknown tag 'soluton'"),
    (checks.questions, replace(".", r'"3.1"', '"3.2"', "predict"), "does not follow the text"),
    (checks.questions, replace(r".*Predict first \(3.2", r"3\.2", "3.3"), "are asked, there are"),
    (checks.questions, replace(r".*Predict first \(3.1", r"- D\..*", ""), "there is an answer to"),
    (
        checks.questions,
        replace(r".*Predict first \(3.1", r"- A\..*\n- B\..*", "- A. x\n- B. x"),
        "are the same",
    ),
    (checks.premises, unproved(".", "predict"), "cell 4, 'predict(\"3.1\")': it has no premise"),
    (checks.premises, unproved(r"\*\*", "reveal"), "': it has no premise"),
    (checks.premises, proved_by("shares = 1"), "no single expression"),
    (checks.exercises, replace("### Exercise 3.2", "3.2", "3.1"), "there are two of Exercise 3.1"),
    (checks.exercises, replace("### Exercise 3.2", "3.2", "3.9"), "are numbered"),
    (checks.exercises, remove("### Solution 3.2"), "the solutions"),
    (checks.exercises, replace(STUB, r"valid_lens", "lengths", "exercise"), "is judged as"),
    (checks.exercises, remove(STUB, "exercise"), "and the checks"),
    (checks.exercises, untagged(STUB, "exercise"), "and the checks"),
    (checks.exercises, untagged("check.my_padding_mask", "check"), "and the checks"),
    (checks.exercises, untagged(STUB, "solution"), "does not define my_padding_mask"),
    (checks.exercises, remove("my_padding_mask", "check"), "and the checks"),
    (checks.exercises, remove(STUB, "solution"), "does not define my_padding_mask"),
    (checks.exercises, replace(STUB, r"(?m)^check.*", "", "solution"), "does not end in check"),
    (checks.exercises, lambda nb: cell(nb, STUB, "solution").outputs.clear(), "does not show"),
    (checks.exercises, replace("### Exercise 3.6", "`my_leaks`", "`my_leak`"), "no my_leak"),
    (checks.descriptions, replace(PICTURE, r"!\[\w+", "![No"), "in other words than the file"),
    (checks.descriptions, replace(PICTURE, r"svg\+xml", "png"), "in a way that no check knows"),
    (checks.formulas, add("So $n^2 grows."), "not closed"),
    (checks.formulas, add(r"So $\frac{1}{2$ is it."), "unequal braces"),
    (checks.formulas, add(r"So $\left(1)$ is it."), "left without its partner"),
    (checks.figures, add("It is 7.77 times as fast."), "says 7.77"),
    (checks.figures, add("It takes 77,777 steps."), "says 77,777"),
    (checks.figures, add("It is said often.", figures={"7.77": "a paper"}), "has no 7.77"),
    (checks.door, parameters_first, "the parameters stand before the first question"),
    (checks.door, nothing_shown, "nothing is shown before the first question"),
    (checks.door, add_code("import a\n" * 4), "more than three lines of imports"),
    (checks.door, add("line\n" * 39), "below the top, more than 38"),
    (checks.door, add("word " * 151), "words stand before the first result"),
    (checks.verdicts, add_code("x", "a: True\nb: False\nc: True"), "lines say True or False"),
    (checks.scaffolding, add_code("print(1)\n" * 200), "draws, prints or checks"),
    (checks.scaffolding, add_code("for i in y:\n    ax.plot(i)\n" * 99), "draws, prints or checks"),
    (checks.paragraphs, add("word " * 111), "a paragraph of 111 words"),
]


@pytest.mark.parametrize(("check", "change", "words"), FAULTS)
def test_fault_is_found(check, change, words, lesson):
    assert check(lesson) == []
    change(lesson)
    assert words in "\n".join(check(lesson))


def test_every_check_is_proved():
    assert {check for check, *_ in FAULTS} == set(checks.READING + checks.VOICE)


@pytest.mark.parametrize(
    "text",
    [
        "In lesson 17, section 12.5 and 2017 (Vaswani 2017, p. 6000), see exercises 1.2 to 14.",
        "- **A.** Options may say 77.7.",
        "`3.14` is code, and so the text may say 3.14, or 3.1; `0.825` is 82.5 %, about 83 %.",
    ],
)
def test_figures_that_are_there_or_need_not_be_pass(text, lesson):
    add(text)(lesson)
    assert checks.figures(lesson) == []


def test_figure_with_an_origin_passes(lesson):
    add("It is 7.77 times as fast.", figures={"7.77": "measured with make bench"})(lesson)
    assert checks.figures(lesson) == []
