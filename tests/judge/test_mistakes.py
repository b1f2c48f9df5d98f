"""What is told of wrong results."""

import pytest
import torch
from judged import exercise, names, right

from attn_lesson.judge import explanations
from attn_lesson.judge.exercise import Exercise
from attn_lesson.judge.verdict import judge as judge_exercise


def test_one_mistake_two_mistakes_and_numbers(told):
    assert told(right).status == "right"
    one = told(lambda x, w: -right(x, w))
    assert names(one) == ["sign=-1"] and one.message.startswith("It has 1 numbers, all negative.\n")
    two = told(lambda x, w: -(x * w).sum(-1) / len(w))
    assert names(two) == ["scale=count", "sign=-1"]
    assert "Two things:\n1. The sum is divided by a count.\n2. It is negative.\n" in two.message
    generic = told(lambda x, w: ((x * w).sum(-1) / len(w)).flip(0))
    assert names(generic) == ["scale=count", "result=reversed"]


def test_a_mistake_is_one_of_every_case_and_has_a_sentence(told):
    some = told(lambda x, w: right(x, w) if len(x) == 1 else -right(x, w))
    assert some.message.startswith("In 2 of 3 cases: It has 3 numbers")
    shown = explanations.show(exercise().cases(0)[1][0])
    assert f"  input:    {shown}" in some.message, "the input belongs to what is shown"
    made = exercise()
    made.settings["sign", -1] = "-"
    verdict = judge_exercise(made, lambda x, w: -right(x, w))
    assert names(verdict) != ["sign=-1"] and verdict.status == "wrong"


def test_an_explanation_is_looked_for_in_every_wrong_case(told):
    def of_rows(case, got, expected):
        return f"There are {len(got)} rows." if len(got) > 3 else None

    verdict = told(lambda x, w: right(x, w) + torch.arange(len(x)) + 7, explain=of_rows)
    assert verdict.message.startswith("There are 4 rows.") and len(verdict.shown[0]) == 4


def test_nearly_right_is_told_as_such(told):
    close = told(lambda x, w: right(x, w) * 1.004)
    assert names(close) == ["close"] and "off by more than 0.0" in close.message


@pytest.mark.parametrize("rows", [None, 1, 2])
def test_booleans_are_asked_for(rows):
    def my_mask(x):
        return x > 0

    shape = (3,) if rows is None else (rows, 3)
    made = Exercise(my_mask, cases=lambda seed: [(torch.arange(-1.0, 2).expand(shape),)])
    assert judge_exercise(made, lambda x: x.gt(0)).status == "right"
    assert "as numbers 0 and 1" in judge_exercise(made, lambda x: x.gt(0).float()).message
    assert "differ from 0" in judge_exercise(made, lambda x: x.gt(0) * 0.5).message


def test_mistakes_in_the_cases_that_run(told):
    def answer(x, weights):
        if x.shape[0] == 3:
            return x @ x
        return -right(x, weights)

    verdict = told(answer)
    assert names(verdict) == ["sign=-1", "error: product of shapes"]
    assert verdict.message.startswith("In 2 of 3 cases: It has 1 numbers")
    assert "`return x @ x`" in verdict.message and "x (3, 4)" in verdict.message


def test_a_number_is_no_wrong_kind_of_a_tensor_without_axes(told):
    made = Exercise(mean := lambda x: x.mean(), cases=lambda seed: [(torch.arange(3.0),)])
    mean.__name__ = "mean"
    assert judge_exercise(made, lambda x: float(x.mean())).status == "right"
    assert "Expected a tensor" not in judge_exercise(made, lambda x: float(x.sum())).message


@pytest.mark.parametrize(
    ("answer", "words"),
    [(lambda x: x.expand(10**7, 3), "a tensor of shape (3,), got a tensor of shape (10000000, 3)."),
     (lambda x: x.to_sparse(), "a tensor, got a sparse tensor.")],
)  # fmt: skip
def test_a_tensor_that_does_not_come_back_is_named(answer, words):
    made = Exercise(lambda x: x + 1, cases=lambda seed: [(torch.arange(3.0),)])
    assert f"Expected {words}" in judge_exercise(made, answer).message
