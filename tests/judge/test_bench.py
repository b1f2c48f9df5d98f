"""Mistakes are told apart and found, alone and in pairs."""

import contextlib
import itertools
import random
import re

import pytest
import torch
from judged import EACH, EXERCISES, names, outcomes, own

from attn_lesson.judge.bench import Bench, bench
from attn_lesson.judge.exercise import Exercise
from attn_lesson.judge.plain import encode
from attn_lesson.judge.verdict import decide
from attn_lesson.judge.verdict import judge as judge_exercise

LONG = pytest.mark.long


@EACH
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=LONG) for n in (1, 17))])
def test_every_single_mistake_is_named_and_no_two_are_alike(exercise, seed):
    desk = bench(exercise, seed)
    for setting in own(exercise):
        results, wrong = outcomes(desk, (setting,))
        assert wrong, f"{setting} changes nothing"
        told = desk.find(results, wrong)
        assert told == (setting,), f"{setting} is told as {told}: add a case in which they differ"
    for a, b in itertools.combinations(own(exercise), 2):
        results, _ = outcomes(desk, (a,))
        assert not all(desk.like((b,), i, r) for i, r in enumerate(results)), (a, b)


@LONG
@EACH
def test_pairs_of_mistakes_are_named(exercise):
    desk = bench(exercise)
    both = single = lost = 0
    pairs = [
        (a, b)
        for a, b in itertools.combinations(own(exercise), 2)
        if a[0] != b[0] and "instead" not in (a[0], b[0])
    ]
    for a, b in random.Random(0).sample(pairs, min(len(pairs), 30)):
        results, wrong = outcomes(desk, (a, b))
        if not wrong or all(r.error for r in results) or desk.most(results, wrong) < 2:
            continue
        found = desk.find(results, wrong)
        both += found is not None and len(found) == 2
        single += found is not None and len(found) == 1
        if found is None:  # others give the same, and have nothing in common
            alike = [set(s) for s in desk.candidates() if len(s) == 2 and all(
                desk.like(s, i, r) for i, r in enumerate(results))]  # fmt: skip
            lost += len(alike) < 2 or bool(set.intersection(*alike))
    assert lost == 0, "the engine tries all pairs"
    print(f"{exercise.name}: {both} pairs named as two, {single} explained by one")


def records(values):
    """What a child process would send."""
    rest = {"error": None, "changed": [], "called": [], "printed": ""}
    return [{"value": encode(value), **rest} for value in values]


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_what_is_constant_is_told_as_constant(exercise, number):
    """No pair of mistakes is invented for an answer such as torch.zeros(...)."""
    expected = [outcome.value for outcome in bench(exercise).expected]
    numbers = all(isinstance(value, (torch.Tensor, bool, int, float)) for value in expected)
    if len(expected) < 3 or not numbers:
        return
    constants = [
        torch.full_like(value, number) if isinstance(value, torch.Tensor) else type(value)(number)
        for value in expected
    ]
    verdict = decide(exercise, 0, records(constants), "done")
    assert verdict.status == "wrong"
    if names(verdict) == ["constant"]:
        assert re.match(r"Your result is (0|1|False|True)( everywhere)?, in", verdict.message)
    else:
        (name,) = names(verdict)
        assert not name.startswith("result="), "one mistake of its own"


def shifted(x, *, add=0, times=1, less=0):
    return (x + add) * times - less


def of_numbers(x):
    """An exercise of this one case, and two of its mistakes."""
    settings = {("add", 1): "One more.", ("times", 3): "Three times."}
    return Exercise(shifted, cases=lambda seed: [(x,)], settings=settings)


def test_little_evidence_is_none_for_two_mistakes():
    """A number here and there is what many pairs of mistakes could have made."""
    assert names(judge_exercise(of_numbers(torch.tensor(2.0)), lambda x: torch.tensor(9.0))) == []
    found = names(judge_exercise(of_numbers(torch.arange(5.0)), lambda x: (x + 1) * 3))
    assert found == ["add=1", "times=3"]


def test_of_several_pairs_only_what_they_share_is_told():
    """Nobody knows which of them was made: 2 (x + 1) is also 2 x - (-2)."""
    made = Exercise(shifted, cases=lambda seed: [(torch.arange(5.0),)])
    made.settings = {("add", 1): "One more.", ("times", 2): "Twice.", ("less", -2): "Two more."}
    answer = lambda x: 2 * x + 2  # noqa: E731
    verdict = judge_exercise(made, answer)
    assert names(verdict) == ["times=2"]
    assert "Several combinations do, and this is part of each of them: Twice." in verdict.message
    del made.settings["less", -2]
    made = Exercise(shifted, made.cases, settings=made.settings)
    assert names(judge_exercise(made, answer)) == ["add=1", "times=2"]
    made = Exercise(shifted, made.cases, settings=made.settings, together=1)
    assert names(judge_exercise(made, answer)) == []


def test_a_search_that_would_be_cut_short_names_no_pair(monkeypatch):
    monkeypatch.setattr(Bench, "tried", 2)
    assert names(judge_exercise(of_numbers(torch.arange(5.0)), lambda x: (x + 1) * 3)) == []


def test_yes_and_no_are_no_evidence_of_two_mistakes():
    def above(n, *, add=0, sign=1):
        return sign * (n + add) > 4

    made = Exercise(above, cases=lambda seed: [(n,) for n in range(-9, 9)])
    made.settings = {("add", 1): "One more.", ("sign", -1): "It is turned."}
    assert names(judge_exercise(made, lambda n: -(n + 1) > 4)) == []


def place(x, *, of="largest"):
    return 0 if of == "first" else int(x.argmax())


def test_a_mistake_is_that_of_most_wrong_cases():
    """What is right for another reason is no evidence."""
    places = [0, 0, 0, 0, 0, 1, 1, 1, 1]
    made = Exercise(place, cases=lambda seed: [(torch.eye(4)[p],) for p in places])
    made.settings = {("of", "first"): "The first one."}
    for answers, found in (([0, 0, 0, 0], ["of=first"]), ([0, 0, 0, 3], ["of=first"]),
                           ([0, 0, 3, 3], [])):  # fmt: skip
        verdict = decide(made, 0, records([0] * 5 + answers), "done")
        assert names(verdict) == found, answers


@EACH
def test_an_explanation_can_be_said_of_another_size(exercise):
    """Two numbers too many in the last axis: what explains it knows the words that it needs."""
    desk = bench(exercise)
    for case, expected in zip(desk.cases, desk.expected, strict=True):
        value = expected.value
        if isinstance(value, torch.Tensor) and value.dim() and value.numel():
            longer = torch.cat((value, value[..., :1], value[..., :1]), -1)
            with contextlib.suppress(IndexError, RuntimeError):  # which the engine takes as nothing
                exercise.explain(case, longer, value)
