"""What is told of wrong results."""

import pytest
import torch
from judged import EXERCISES, exercise, names, right

from attn_lesson.judge import child, explanations, mistakes
from attn_lesson.judge.exercise import Exercise
from attn_lesson.judge.verdict import judge as judge_exercise


def endless(x, w):
    while True:
        x = x + 0


def rows(count, *answers):
    """The answer for so many rows, and otherwise another."""
    return lambda x, w: answers[len(x) != count](x, w)


def negated(x, w):
    return -right(x, w)


def odd(x, w):
    return right(x, w) * torch.arange(2, 2 + len(x)) + 0.37


OF = {  # an answer for each recogniser that is the first to see something in it
    "stopped": endless,
    "silent": rows(1, lambda x, w: None, right),
    "imaginary": lambda x, w: right(x, w) + 1j,
    "constant": lambda x, w: 0 * right(x, w),
    "known": negated,
    "partly": rows(1, right, negated),
    "ignored": lambda x, w: x.cumsum(0)[:, 0] + torch.arange(len(x)),
    "raises": lambda x, w: x @ x.mT @ x.mT,
    "fixed_size": lambda x, w: torch.arange(7.0) * x.sum() + w.sum(),
    "explained": rows(4, lambda x, w: odd(x, w) + 100, odd),
    "anything": odd,
}


@pytest.mark.parametrize("name", OF)
def test_each_recogniser_sees_what_those_before_it_do_not(name, told, monkeypatch):
    def noting(recognise):
        def noted(sight):
            found = recognise(sight)
            seen.extend([recognise.__name__] if found else [])
            return found

        return noted

    def much(case, got, expected):
        return "That is much." if got.max() > 50 else None

    seen, every = [], mistakes.RECOGNISERS
    monkeypatch.setattr(mistakes, "RECOGNISERS", [noting(recognise) for recognise in every])
    monkeypatch.setattr(child, "SECONDS", 0.3)
    assert list(OF) == [recognise.__name__ for recognise in every]
    sizes = [(1, 4), (3, 4), (4, 4)] if name != "ignored" else [(3, 2), (4, 3), (5, 4)]
    made = exercise(explain=much)
    made.cases = lambda seed: [(torch.randn(*s), torch.rand(s[1]) + 0.5) for s in sizes]
    assert judge_exercise(made, OF[name]).status == "wrong"
    assert seen[-1] == name, seen


def test_one_mistake_two_mistakes_and_numbers(told):
    assert told(right).status == "right"
    one = told(lambda x, w: -right(x, w))
    assert names(one) == ["sign=-1"] and one.message.startswith("It has 1 numbers, all negative.\n")
    two = told(lambda x, w: -(x * w).sum(-1) / len(w))
    assert names(two) == ["scale=count", "sign=-1"]
    assert two.message.startswith(
        "No single mistake that we know gives your numbers. They look like"
    )
    assert "two together:\n1. The sum is divided by a count.\n2. It is negative.\n" in two.message
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


def test_what_tells_nothing_shows_no_mistake():
    softmax, greedy = EXERCISES["my_masked_softmax"], EXERCISES["my_greedy"]
    nan = judge_exercise(softmax, lambda scores, mask: torch.softmax(scores * torch.nan, -1))
    assert names(nan) == ["nan"], "no argument is ignored"
    empty = judge_exercise(greedy, lambda table, begin, end, most: torch.tensor([]))
    assert names(empty) == ["own"], "no setting is shown where nothing is there"


def test_a_whole_number_too_large_is_a_whole_number():
    made = Exercise(lambda n: n * 2, cases=lambda seed: [(3,), (5,), (7,)])
    verdict = judge_exercise(made, lambda n: 10**400)
    assert "Expected a whole number, got a whole number of 1329 bits." in verdict.message
    assert judge_exercise(made, lambda n: n**90).status == "wrong", "beyond 64 bits"
    assert judge_exercise(made, lambda n: [n, n**90]).status == "wrong"


@pytest.mark.parametrize(
    ("odd", "named"),
    [(lambda yes: 1.0 * yes + 0.3, "a number"), (lambda yes: [yes], "a list"),
     (str, "text"), (lambda yes: torch.tensor([yes]), "a tensor of shape (1,)")],
)  # fmt: skip
def test_a_yes_or_no_is_asked_for(odd, named):
    made = Exercise(lambda n: n > 4, cases=lambda seed: [(3,), (5,), (7,)])
    told = judge_exercise(made, lambda n: odd(n > 4)).message
    assert f"Expected True or False, got {named}." in told
    assert judge_exercise(made, lambda n: torch.tensor(n > 4)).status == "right"


def test_booleans_are_asked_for():
    def my_mask(x):
        return x > 0

    made = Exercise(my_mask, cases=lambda seed: [(torch.arange(-1.0, 2),)])
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


def test_complex_numbers_are_refused_and_named(told, recwarn):
    verdict = told(lambda x, w: right(x, w) + 100j)
    assert names(verdict) == ["complex"] and "take `.real`" in verdict.message
    assert told(lambda x, w: right(x, w) + 0j).status == "wrong", "also without an imaginary part"
    assert not recwarn.list, "no warning of torch's reaches the learner"


def test_an_argument_is_ignored_only_where_two_other_values_agree(told):
    """Reversed weights have the same sum: one such value is no evidence."""
    made = exercise()
    sizes = (2, 2), (3, 3), (4, 4)
    made.cases = lambda seed: [(torch.randn(*s), torch.rand(s[1]) + 0.5) for s in sizes]
    spread = judge_exercise(made, lambda x, w: x.cumsum(0)[:, 0] + w.sum() * torch.arange(len(x)))
    assert names(spread) == [] and "does not depend" not in spread.message
    first = judge_exercise(made, lambda x, w: x.cumsum(0)[:, 0] + torch.arange(len(x)))
    assert names(first) == ["ignores weights"]
    assert "does not depend on `weights`: in the first case it is the same" in first.message
