"""What is told and shown of an answer."""

import pytest
import torch
from judged import names, right

from attn_lesson.judge.exercise import Exercise
from attn_lesson.judge.plain import Outcome, Problem
from attn_lesson.judge.verdict import _not_written, judge


def test_what_is_shown_is_a_result_even_where_an_earlier_case_fails(told):
    def fails_first(x, w):
        if len(x) == 1:
            raise ValueError("one is too few")
        return -right(x, w)

    verdict = told(fails_first)
    expected, got = verdict.shown
    assert torch.equal(got, -expected) and got.numel() > 1
    assert "shown" not in repr(verdict)
    assert "It has 3 numbers, all negative." in verdict.message, "counted in the case that is shown"


def test_none_and_stubs(told):
    def no_return(x, weights):
        x * weights

    def sometimes(x, weights):
        if len(x) < 4:
            return right(x, weights)

    def stub(x, weights):
        """Averages."""
        ...

    assert names(told(no_return)) == names(told(sometimes)) == ["no return"]
    assert "returns None: did you forget `return`?" in told(no_return).message
    assert "None in 1 of 3 cases" in told(sometimes).message
    assert told(stub).status == told(lambda x, w: None).status == "untouched"

    def later(x, weights):
        raise NotImplementedError

    assert told(later).status == "untouched"


@pytest.mark.parametrize("own", [True, False])
def test_only_a_learner_s_own_line_says_that_nothing_is_written(own):
    """Newer versions of torch raise NotImplementedError for the minus of booleans, and others."""
    line = "raise NotImplementedError('later')" if own else "x - (x > 0)"
    error = Problem("NotImplementedError", "with a bool tensor is not supported", 2, line)
    assert _not_written(Outcome(error=error)) is own
    bare = Problem("NotImplementedError", "")
    assert _not_written(Outcome(error=bare))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_tuple_of_other_parts_is_wrong(count):
    def my_pair(x):
        return x, x + 1

    made = Exercise(my_pair, cases=lambda seed: [(torch.arange(n),) for n in (3, 4)])
    assert judge(made, my_pair).status == "right"
    assert judge(made, lambda x: (x, x + 1, x)[:count]).status == "wrong"
