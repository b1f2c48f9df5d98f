"""What a lesson claims is looked up in an execution, and nothing else is changed by that."""

import copy
import random

import numpy
import pytest
import torch
from nbformat import v4

from tools.checks import claims
from tools.lessons import execute_in


def cell(premise=None, *tags):
    metadata = {"tags": list(tags)} | ({} if premise is None else {"premise": premise})
    return v4.new_markdown_cell("**A is right.**", metadata=metadata)


@pytest.mark.parametrize(
    ("premise", "said"),
    [
        (None, "it has no premise"),
        ("", "no single expression: invalid syntax"),
        (True, "no single expression"),
        ("a; b", "no single expression"),
        ("w.add_(1).sum() > 3", "calls add_, which does more than look"),
        ("names.append(w) is None", "calls append, which"),
        ("__import__('os') is w", "calls __import__, which"),
        ("'B is right' and w > 3", "is about B is right, which the text does not say"),
        ("seed != 3 or w > 3", "is about `seed = 3`, which the text does not say"),
    ],
)
def test_a_premise_that_proves_nothing_is_found(premise, said):
    (doubt,) = claims.doubts(cell(premise, "reveal"))
    assert said in doubt
    assert claims.doubts(cell(" (w.sum(-1) > 3)\n and w.__class__", "predict")) == []
    assert claims.doubts(cell("'A is right' and (seed > 3 or w[seed != w])")) == []
    assert claims.doubts(cell()) == [] and claims.doubts(cell("w >")) != []


VALUES = """
import random, numpy, torch
random.seed(1), numpy.random.seed(2), torch.manual_seed(3)
def drawn(): return random.random() + numpy.random.rand() + torch.rand(1).item()
names, premise = ["a"], "mine"
"""
AFTER = "[drawn(), premise, names, 'json' in globals()]"
PREMISES = {
    "names == ['a']": "",
    "names == ['b']": "it is false",
    "later > 1": "NameError: name 'later' is not defined",
    "torch.ones(2) > 0": "RuntimeError: Boolean value of Tensor with more than one value",
    "torch.manual_seed(0) and drawn() < 9": "",
    "[premise for premise in 'ab'] and premise == 'mine'": "",
    'print(\'{"premise": "x"}\') is None and names': "",
}


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook with premises that was executed, and what became of each."""
    lesson = v4.new_notebook(cells=[v4.new_code_cell(VALUES), *map(cell, PREMISES)])
    lesson.cells.append(v4.new_code_cell(AFTER))
    made = copy.deepcopy(lesson)
    claims.insert(made, lesson)
    execute_in(tmp_path_factory.mktemp("notebook"), made)
    told = claims.take_out(made)
    why = {c.metadata.premise: told[c.id] for c in lesson.cells if "premise" in c.metadata}
    return lesson, made, why


def test_why_a_premise_does_not_hold_is_told(executed):
    for premise, expected in PREMISES.items():
        said = executed[2][premise]
        assert said.startswith(expected) and bool(said) == bool(expected), premise


def test_evaluation_leaves_no_trace(executed):
    lesson, made, _ = executed
    assert [c.id for c in made.cells] == [c.id for c in lesson.cells]
    assert [c.execution_count for c in made.cells if c.cell_type == "code"] == [1, 2]
    random.seed(1), numpy.random.seed(2), torch.manual_seed(3)
    drawn = random.random() + numpy.random.rand() + torch.rand(1).item()
    (output,) = made.cells[-1].outputs
    assert output.data["text/plain"] == repr([drawn, "mine", ["a"], False])
    assert output.execution_count == 2


CHECK = "check_parameters(globals(), written_for=dict(size=24), size=(1, 77))"
PARAMETERS = "size = 24  # how many, 10 to 99\nshare = 0.25  # of them"


def a_lesson(text, *more):
    """A published lesson that says this after it has shown 24 and 0.25."""
    lesson = v4.new_notebook(
        cells=[
            v4.new_markdown_cell("# 91 · Small"),
            v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
            v4.new_code_cell(CHECK),
            v4.new_markdown_cell("## 1. First"),
            v4.new_code_cell("[size + 12, share * 2]", outputs=[shows("[36, 0.5]")]),
            v4.new_markdown_cell(text),
            *more,
        ]
    )
    for place, each in enumerate(lesson.cells):
        each.id = f"id-{place}"
    return lesson


def shows(text):
    return v4.new_output("stream", name="stdout", text=text)


def broken(lesson, shown, **parameters):
    """What is false in a variant of the lesson that shows this."""
    made = copy.deepcopy(lesson)
    made.cells[4].outputs = [shows(shown)]
    return [text.partition("): ")[2] for text in claims.broken(lesson, made, parameters, {})]


def test_a_figure_is_lost_if_it_is_not_shown_any_more():
    lesson = a_lesson("There are 36, by halves: 0.50.")
    assert broken(lesson, "[36, 0.5]") == []
    assert broken(lesson, "[36, 0.4]") == ["says 0.50, which no code and no output near it holds"]
    assert [text.split(",")[0] for text in broken(lesson, "[35, 0.4]")] == ["says 36", "says 0.50"]


@pytest.mark.parametrize(
    ("said", "shown", "found"),
    [("0.5", 0.549, True), ("0.5", 0.551, False), ("0.5", 0.451, True), ("0.5", 0.449, False),
     ("0.50", 0.505, True), ("0.50", 0.506, False), ("36", 36.5, True), ("36", 36.6, False),
     ("36", 35, False), ("36 %", 0.364, True), ("36 %", 0.366, False), ("36 %", 36, True)],
)  # fmt: skip
def test_a_figure_may_be_rounded_by_half_of_its_last_digit(said, shown, found):
    ((_, *figure),) = claims.figures_of(f"It is {said}.")
    assert claims.is_shown(*figure, {shown}) is found


def test_a_parameter_that_was_changed_is_not_what_the_text_says():
    lesson = a_lesson("There are 24 of them, 0.25 here; at most 99.")
    assert broken(lesson, "[36, 0.5]", size=24) == []
    (said,) = broken(lesson, "[42, 0.5]", size=30)  # it stands in written_for, and only there
    assert said.startswith("says 24")
    assert broken(a_lesson("30, and 24, and 24."), "[42, 0.5]", size=31) == [said]  # 30 is missed


def test_what_is_said_of_a_seed_is_not_looked_up_at_another():
    lesson = a_lesson("At `seed = 0` there are 36.\n\nBy halves: 0.50.")
    assert [text[:9] for text in broken(lesson, "[35, 0.4]", seed=0)] == ["says 36, ", "says 0.50"]
    assert [text[:9] for text in broken(lesson, "[35, 0.4]", seed=1)] == ["says 0.50"]


def test_a_claim_is_named_with_its_cell():
    lesson = a_lesson("Look at\nthis: 36.")
    lesson.cells[3].metadata.premise = "size > 3"
    made = copy.deepcopy(lesson)
    made.cells[4].outputs = []
    assert claims.broken(lesson, made, {"size": 3}, {"id-3": "it is false"}) == [
        "cell 4 ('## 1. First'): it is false: size > 3",
        "cell 6 ('Look at'): says 36, which no code and no output near it holds",
    ]
