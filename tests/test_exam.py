"""classroom/EXAM.md: five questions a lesson, whose rubrics hold what is computed here.

A question's numbers are read from its text: each `name = [1, 2]` in it becomes a variable, and its
code is run, as it stands and with the line that the rubric mends. In exam.py of a lesson, FIGURES
has an expression for each bold figure of a rubric, in the same order; TRUE, what else is said.
"""

import ast
import builtins
import math
import re
import runpy
from types import SimpleNamespace

import nbformat
import pytest
import rubrics
import torch

import attn_teach
from tools.course import course
from tools.lessons import ROOT, lessons

EXAM = (ROOT / "classroom" / "EXAM.md").read_text(encoding="utf-8")
KINDS = [("Read", 3), ("Compute", 4), ("Explain", 4), ("Find the bug", 4), ("Transfer", 5)]
NAMES = vars(torch) | vars(builtins) | vars(attn_teach) | vars(rubrics) | {"math": math}

HEADING = re.compile(r"^### E(\d+\.\d) · (.*) \((\d+) points\)$", re.MULTILINE)
_, *PARTS = HEADING.split(EXAM)
QUESTIONS = {
    name: SimpleNamespace(
        kind=kind,
        points=int(points),
        asked=text.partition("*Points*")[0],
        rubric=re.split(r"^## ", text.partition("*Points*")[2], flags=re.MULTILINE)[0],
    )
    for name, kind, points, text in zip(*[iter(PARTS)] * 4, strict=True)
}


def rows(text):
    """A table as {first column: the others}; a line that is indented goes on with the one above."""
    lines = re.sub(r"\n +", " ", text.strip()).splitlines()
    return {name: rest for name, *rest in (line.split(" | ") for line in lines)}


def exam_of(name):
    """What exam.py of a question's lesson holds, made anew."""
    lesson = int(name.partition(".")[0])
    torch.manual_seed(1)
    return runpy.run_path(str(ROOT / "tests" / "lessons" / f"lesson{lesson:02}" / "exam.py"))


def given(name):
    """Return the numbers that a question gives in the form `name = [1, 2]`."""
    found = {}
    for variable, code in re.findall(r"`(\w+) = ([^`\n]+)`", QUESTIONS[name].asked):
        value = ast.literal_eval(code)
        if isinstance(value, list):
            value = torch.tensor(value) if isinstance(value[0], bool) else rubrics.tensor(value)
        found[variable] = value
    return found


def run(name, code):
    """Run a question's code beside what the question gives; return all names there are then."""
    names = NAMES | exam_of(name) | given(name)
    exec(code, names)
    return names


def names_of(name):
    """Return the names that expressions use; `mended` holds those after the rubric's mending."""
    asked, rubric = QUESTIONS[name].asked, QUESTIONS[name].rubric
    code = "".join(re.findall(r"```python\n(.*?)```", asked, re.DOTALL))
    names = run(name, code)
    for number, line in re.findall(r"line (\d) must read\s+`([^`]+)`", rubric):
        lines = code.splitlines()
        old = lines[int(number) - 1]
        lines[int(number) - 1] = old[: len(old) - len(old.lstrip())] + line
        names["mended"] = SimpleNamespace(**run(name, "\n".join(lines)))
    return names


def figure(value, like):
    """Write a value as the rubric's figure is written, with as many digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    numbers, likes = torch.as_tensor(value).flatten().tolist(), like.split(", ")
    digits = [len(text.partition(".")[2]) for text in likes]
    assert len(numbers) == len(digits), f"{len(numbers)} numbers for {like}"
    texts = [f"{x:,.{d}f}" for x, d in zip(numbers, digits, strict=True)]
    return ", ".join(re.sub(r"^-(?=[0.]+$)", "", text) for text in texts)


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_a_rubric_says_is_what_is_computed(name):
    names = names_of(name)
    figures = re.findall(r"\*\*([^*]+)\*\*", re.sub("`[^`]*`", "", QUESTIONS[name].rubric))
    pairs = zip(rows(names["FIGURES"])[name], figures, strict=True)
    assert [figure(eval(expression, names), like) for expression, like in pairs] == figures
    says = rows(names.get("TRUE", "")).get(name, ())
    assert all(eval(expression, names) for expression in says)
    assert says or QUESTIONS[name].kind != "Find the bug"


def test_each_lesson_has_the_five_kinds_and_points_that_add_up():
    titles = {lesson.number: lesson.title for lesson in course()}
    sections = re.findall(r"^## (\d\d) (.*)$", EXAM, re.MULTILINE)
    assert all(titles[number] == title for number, title in sections)
    expected = [(f"{int(n)}.{i}", *kind) for n, _ in sections for i, kind in enumerate(KINDS, 1)]
    assert [(name, q.kind, q.points) for name, q in QUESTIONS.items()] == expected
    for n, _ in sections:
        exam = exam_of(n)
        own = [name for name in QUESTIONS if int(n) == int(name.partition(".")[0])]
        assert [*rows(exam["FIGURES"])] == own and {*rows(exam.get("TRUE", ""))} <= {*own, ""}
    for name, question in QUESTIONS.items():
        points = re.findall(r"^- (\d): ", question.rubric, re.MULTILINE)
        assert sum(map(int, points)) == question.points, name
        assert question.rubric.count("*Expect:*") == 1, name
        code = re.findall(r"```python\n(.*?)```", question.asked, re.DOTALL)
        if question.kind == "Find the bug":
            assert len(code) == 1 and 4 <= len(code[0].splitlines()) <= 8, name
            assert len(re.findall(r"line \d must read", question.rubric)) == 1, name
    assert f"the same five kinds, {sum(points for _, points in KINDS)} points together" in EXAM
    for kind, points in KINDS:
        assert re.search(rf"^\| \.\d \| \*\*{kind}\*\* .* \| {points} \|$", EXAM, re.MULTILINE)


def test_no_question_repeats_a_prediction_or_an_exercise():
    """No eight words in a row are those of a prediction, an exercise or a solution."""

    def runs(text, length=8):
        words = re.findall(r"\w+", text.lower())
        return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}

    for path in lessons():
        cells = nbformat.read(path, 4).cells
        says = re.compile("Predict first|# (Exercise|Solution) ")
        asked = [cell.source for cell in cells if says.search(cell.source)]
        theirs = set().union(*map(runs, asked))
        for name, question in QUESTIONS.items():
            assert not runs(question.asked) & theirs, (name, path.name)
