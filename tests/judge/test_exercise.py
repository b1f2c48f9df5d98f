"""Each lesson's exercises are complete, and their sentences can be told."""

import pytest
import torch
from judged import EACH, EXERCISES, exercise, outcomes, own, right

from attn_lesson import words as lesson_words
from attn_lesson.judge import common
from attn_lesson.judge.bench import bench

COMMON = lesson_words.sections("judge/common.md")


@EACH
def test_every_exercise_is_complete(exercise):
    assert len(exercise.hints) == 3 and len(own(exercise)) >= 2
    assert set(exercise.wrong) == {s for knob, s in own(exercise) if knob == "instead"}
    assert {s for k, s in exercise.settings if k == "result"} == set(common.CHANGES)
    desk = bench(exercise)
    pairs = exercise.together > 1 and not isinstance(desk.expected[0].value, bool)
    for told in [*exercise.settings.values(), *exercise.hints]:
        plain = told.partition(" // ")[2] or told
        assert told == "-" or plain.endswith((".", "?", ")")), told
        assert "{" not in plain or not pairs, f"needs a sentence for pairs: {told}"
        assert "return " not in told and "lambda" not in told
    sizes = [sum(a.numel() for a in c if isinstance(a, torch.Tensor)) for c in desk.cases]
    assert sizes[0] == min(sizes), "the smallest case comes first"


@EACH
def test_sentences_with_numbers_can_be_told(exercise):
    desk = bench(exercise)
    for setting in [s for s, told in exercise.settings.items() if "{" in told]:
        results, wrong = outcomes(desk, (setting,))
        (mistake,) = desk.tell((setting,), results, wrong)
        assert mistake.sentence and "{" not in mistake.sentence
        start = exercise.settings[setting].partition(" // ")[0].partition("{")[0]
        assert mistake.sentence.startswith(start), mistake.sentence


def test_the_lines_of_a_lesson_go_before_those_of_all():
    own = [("scale=d", "Own."), ("scale", "shared"), ("result=negated", "-"), ("result", "shared")]
    settings = lesson_words.settings(own)
    assert settings["scale", "d"] == "Own." and settings["result", "negated"] == "-"
    assert settings["scale", "none"] == dict(COMMON["scale"])["none"]
    lines = lesson_words.sections("lesson01/mistakes.md")["my_gaussian"]
    hints = [told for key, told in lines if key == "hint"]
    assert EXERCISES["my_gaussian"].hints == hints, "the weakest comes first"


def test_whole_numbers_are_drawn_up_to_the_highest():
    """Cases must hold a full valid length."""
    assert common.Draw(0).whole(1, 3, 99).unique().tolist() == [1, 2, 3]


@pytest.mark.parametrize("seed", [0, 5])
def test_cases_follow_the_seed(told, seed):
    made = exercise()
    cases = [str(bench(made, s).cases) for s in (seed, seed, seed + 1)]
    assert cases[0] == cases[1] != cases[2]
    assert told(right, seed=seed).status == "right"
