"""What a lesson claims is looked up in an execution, and nothing else is changed by that."""

import copy
import random
from types import MappingProxyType

import numpy
import pytest
import spoil
import torch
from nbformat import v4

from tools import notebook as form
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
        ("a = 1", "no single expression"),
        ("a; b", "no single expression"),
        ("import a", "no single expression"),
        ("(b := a) > 1", "assigns to a name"),
        ("breite > größe", "the name größe, beyond ASCII"),
        ("w > 1, w < 3", "always true"),
        ("(w > i for i in names)", "always true"),
        ("True", "about no variable"),
        ("len([x for x in range(3)]) == 3", "about no variable"),
        ("all(map(lambda x: x > 0, [1, 2]))", "about no variable"),
        ("w.add_(1).sum() > 3", "calls add_, which does more than look"),
        ("names.append(w) is None", "calls append, which"),
        ("exec('w = 1') is w", "calls exec, which"),
        ("__import__('os') is w", "calls __import__, which"),
    ],
)
def test_a_premise_that_proves_nothing_is_found(premise, said):
    (doubt,) = claims.doubts(cell(premise, "reveal"))
    assert said in doubt


@pytest.mark.parametrize(
    "premise",
    [
        "float(gone) == 0",
        " (w.sum(-1) - 1).abs().max() < 1e-6 ",
        "(w > 0.5).sum() > 3\n and 0.4 < share < 0.6",
        "all(w[i] > w[i + 1] for i in range(3))",
        "max(weights, key=lambda name: weights[name]) == 'größte'",
        "model.__class__ is not None",
    ],
)
def test_a_premise_that_looks_at_a_variable_passes(premise):
    assert claims.doubts(cell(premise, "predict")) == []


def test_only_questions_and_answers_need_a_premise_and_others_may_have_one():
    assert claims.doubts(cell()) == [] and claims.doubts(cell("w > 0")) == []
    assert claims.doubts(cell("w >")) != []


DRAWS = """
import random, numpy, torch
random.seed(1), numpy.random.seed(2), torch.manual_seed(3)
def drawn(): return random.random() + numpy.random.rand() + torch.rand(1).item()
names, premise = ["a"], "mine"
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook with premises that was executed, and what became of each."""
    premises = {
        "names == ['a']": "",
        "names == ['b']": "it is false",
        "names[1] == 'b'": "IndexError: list index out of range",
        "later > 1": "NameError: name 'later' is not defined",
        "torch.ones(2) > 0": "RuntimeError: Boolean value of Tensor with more than one value",
        "drawn() < 9": "it changes the global random numbers",
        "torch.manual_seed(0) and random.seed(0) is None": "it changes the global random numbers",
        "torch.rand(1, generator=torch.Generator().manual_seed(1)) < 2 and names": "",
        "premise == 'mine' and drawn.__name__ == 'drawn'": "",
        "[premise for premise in 'ab'] and premise == 'mine'": "",
        "torch.tensor(float('nan')) > 0": "it is false",
        'print(\'{"premise": "x"}\') is None and names': "",
        "[1 / 0 for names in 'ab']": "ZeroDivisionError: division by zero",
    }
    lesson = v4.new_notebook(cells=[v4.new_code_cell(DRAWS), *map(cell, premises)])
    lesson.cells += [v4.new_code_cell("later = 2\n[drawn(), premise, names, 'json' in globals()]")]
    made = copy.deepcopy(lesson)
    claims.insert(made, lesson)
    assert len(made.cells) == len(lesson.cells) + len(premises)
    execute_in(tmp_path_factory.mktemp("notebook"), made)
    told = claims.take_out(made)
    why = {c.metadata.premise: told[c.id] for c in lesson.cells if "premise" in c.metadata}
    assert list(why) == list(premises)
    return lesson, made, why, premises


def test_why_a_premise_does_not_hold_is_told(executed):
    _, _, why, premises = executed
    for premise, expected in premises.items():
        assert why[premise].startswith(expected) and bool(why[premise]) == bool(expected), premise


def test_evaluation_leaves_no_trace(executed):
    lesson, made, *_ = executed
    assert [c.id for c in made.cells] == [c.id for c in lesson.cells]
    assert [c.source for c in made.cells] == [c.source for c in lesson.cells]
    assert [c.execution_count for c in made.cells if c.cell_type == "code"] == [1, 2]
    random.seed(1), numpy.random.seed(2), torch.manual_seed(3)
    drawn = random.random() + numpy.random.rand() + torch.rand(1).item()
    (output,) = made.cells[-1].outputs
    assert output.data["text/plain"] == repr([drawn, "mine", ["a"], False])
    assert output.execution_count == 2


def test_a_premise_that_was_not_reached_does_not_hold():
    lesson = v4.new_notebook(cells=[cell("names")])
    made = copy.deepcopy(lesson)
    claims.insert(made, lesson)
    assert list(claims.take_out(made).values()) == ["it was not evaluated"]


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


def test_a_parameter_that_was_changed_is_not_what_the_text_says():
    lesson = a_lesson("There are 24 of them, 0.25 here; at most 99.")
    assert broken(lesson, "[36, 0.5]", size=24) == []
    (said,) = broken(lesson, "[42, 0.5]", size=30)  # it stands in written_for, and only there
    assert said.startswith("says 24")
    assert broken(a_lesson("There are 30."), "[42, 0.5]", size=31) == []  # missed as published


def test_what_the_published_lesson_misses_too_is_not_reported_and_one_thing_once():
    lesson = a_lesson("It is 77.7, and 36, and 36.")
    assert broken(lesson, "[36, 0.5]") == []
    assert len(broken(lesson, "[35, 0.5]")) == 1


def test_what_an_edition_leaves_out_cannot_be_false_there():
    lesson = a_lesson("Nothing.", v4.new_markdown_cell("In all 36."))
    made = copy.deepcopy(lesson)
    made.cells[4].outputs = [shows("[35]")]
    assert len(claims.broken(lesson, made, {}, {})) == 1
    del made.cells[6]
    assert claims.broken(lesson, made, {}, {}) == []


def test_what_predict_says_is_looked_up_too(monkeypatch):
    class Question:
        reactions = MappingProxyType({"A": "Right: 36.", "B": "No, not 12.", "C": "No."})

    monkeypatch.setattr(claims.catalogue, "tables", lambda: ({}, {"91.1": Question}))
    question = v4.new_code_cell('predict("91.1")', metadata={"tags": ["predict"]})
    lesson = a_lesson("Choose.", question)
    assert broken(lesson, "[36, 0.5]") == []
    assert [text.split(",")[0] for text in broken(lesson, "[35, 0.5]")] == ["says 36"]


def test_a_claim_is_named_with_its_cell():
    lesson = a_lesson("Look at\nthis: 36.")
    lesson.cells[3].metadata.premise = "size > 3"
    made = copy.deepcopy(lesson)
    made.cells[4].outputs = []
    assert claims.broken(lesson, made, {"size": 3}, {"id-3": "it is false"}) == [
        "cell 4 ('## 1. First'): it is false: size > 3",
        "cell 6 ('Look at'): says 36, which no code and no output near it holds",
    ]


VALUES = """
import torch
w, share, words, count, late = torch.ones(2, 3) / 3, 0.5, ["the", "cat"], {"a": 2}, None
mask = torch.tensor([True, False])
def error(bandwidth): return bandwidth ** 2
layer = torch.nn.Linear(2, 3)
layer.weights = w
"""
CAN_FAIL = [
    "(w.sum(-1) - 1).abs().max() < 1e-6",
    "0.4 < share < 0.6",
    "error(0.3) < error(1.0)",
    "words[0] == 'the'",
    "count['a'] == 2",
    "mask.sum() == 1",
    "len(words) == 2",
    "late is None",
    "len(w) == len(words)",
    "layer(torch.ones(1, 2)).shape[0] == 1 and layer.weights[0, 0] > 0.3",
]
CANNOT = ["w.sum() == w.sum()", "share > 0 or share <= 0", "torch.ones(1) > 0"]


def test_whether_a_premise_could_be_false_is_found(tmp_path):
    cells = [v4.new_code_cell(source) for source in (VALUES, *map(spoil.cell, CAN_FAIL + CANNOT))]
    made = execute_in(tmp_path, v4.new_notebook(cells=cells))
    told = [claims.told_by(form.printed(cell)) for cell in made.cells[1:]]
    assert told == [""] * len(CAN_FAIL) + ["nothing makes it false"] * len(CANNOT)
