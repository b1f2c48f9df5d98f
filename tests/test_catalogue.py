"""What `check` and `predict` say, over all lessons."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from judged import EXERCISES, QUESTIONS, exercise, lambda_named, right

from attn_lesson import catalogue, check, judge
from attn_lesson import words as lesson_words
from tools.lessons import folder, lessons


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_answer_gets_its_own_reaction(name, capsys):
    question = QUESTIONS[name]
    assert len(set(question.reactions.values())) == len(question.reactions) >= 3
    right = [letter for letter in question.reactions if question.is_right(letter)]
    assert len(right) == 1
    for letter, reaction in question.reactions.items():
        catalogue.predict(name, letter.lower())
        out = capsys.readouterr().out
        assert reaction in " ".join(out.split()) and max(map(len, out.splitlines())) <= 96
        assert ("Right." in out) == (letter in right)


@pytest.mark.of_all_lessons
def test_each_folder_is_of_a_lesson_and_has_exercises_and_questions():
    names = [folder(path).name for path in lessons()]
    assert set(catalogue.lessons()) == set(names)
    assert all(all(catalogue.table(name)) for name in names)
    sources = "".join((folder(path) / "exercises.py").read_text("utf-8") for path in lessons())
    assert not re.findall(r"^# .*\b\d+\.\d\b.*", sources, re.MULTILINE), "numbers change"


def test_what_is_no_exercise_and_no_question_is_said():
    with pytest.raises(ValueError, match="is no exercise; the exercises are my_"):
        judge(test_what_is_no_exercise_and_no_question_is_said)
    with pytest.raises(TypeError, match="check takes the function itself, got Tensor"):
        check(torch.rand(2))
    named = lambda_named(lambda x, w: x)
    with pytest.raises(TypeError, match="check takes the function itself, got Odd"):
        check(type("Odd", (), {"__call__": named, "__name__": ["x"]})())
    with pytest.raises(ValueError, match=r"no question '3\.1'"):
        catalogue.predict("3.1")
    with pytest.raises(ValueError, match="answer must be one of A, B"):
        catalogue.predict("3P", "Z")


def test_a_lesson_needs_no_notebook():
    code = "import attn_lesson, sys; print({'IPython', 'ipywidgets'} & set(sys.modules))"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr


def test_a_hint_follows_the_mistake(monkeypatch, capsys):
    made = exercise()
    made.hints_of = {"sign=-1": ["Which sign?"], "in place": ["Who writes?"]}
    monkeypatch.setitem(EXERCISES, "my_average", made)
    monkeypatch.setattr(catalogue, "_hints", {})

    def my_gaussian(u):
        return torch.exp(-u * u / 2)

    def typo(x, w):
        return x @ v  # noqa: F821

    negated = lambda_named(lambda x, w: -right(x, w))
    negated_too = lambda_named(lambda x, w: right(x, w) * -1.0)
    doubled = lambda_named(lambda x, w: right(x, w) + right(x, w))
    unnamed = lambda_named(lambda x, w: right(x, w) * torch.arange(2, 2 + len(x)) + 0.37)
    writes = lambda_named(lambda x, w: right(x.mul_(2) / 2, w))
    for function, said in [
        (negated, None),  # what was named is the first hint
        (negated, "Hint 1 of 3: Which sign?"),  # the same code again
        (my_gaussian, "my_gaussian: Correct"),
        (lambda_named(typo), None),  # uses none up
        (negated_too, "Hint 2 of 3: One."),  # other code, the same mistake
        (doubled, None),  # another mistake
        (doubled, "Hint 1 of 2: One."),
        (unnamed, "Hint 1 of 2: One."),
        (unnamed, "Hint 2 of 2: Two."),
        (unnamed, "Hint 2 of 2: Two."),  # there are no more
        (lambda_named(right), "my_average: Correct"),
        (unnamed, "Hint 1 of 2: One."),
        (writes, None),
        (writes, "Hint 1 of 1: Who writes?"),  # the general ones help with results alone
    ]:
        check(function)
        out = capsys.readouterr().out
        assert said in out if said else "Hint" not in out
    sometimes = lambda_named(lambda x, w: right(x, w) if len(x) == 1 else -right(x, w))
    check(sometimes)
    out = capsys.readouterr().out
    message = judge(sometimes).message
    data = [line for line in message.splitlines() if line.startswith("  input:")]
    assert len(data[0]) > 96 and data[0] in out.splitlines(), "lines of data are not broken"


BROKEN = {  # what is put before "# my_padding_mask", and what is then said
    "no colon": ("- edge=2 One more", "mistakes.md, line {line}: expected `# section`"),
    "no section": (None, "mistakes.md, line {line}: expected `# section`"),
    "no such knob": ("- colour=red: Red.", "my_lookahead_mask: the answer has no colour=red"),
    "no such mistake": ("- hint edge=9: Look.", "my_lookahead_mask: hints on edge=9, never told"),
    "no such version": ("- instead=nothing: No.", "the answer has no instead=nothing"),
    "no such change": ("- result=nothing: No.", "the answer has no result=nothing"),
    "two letters": ("# 3Z\n- *A: Yes.\n- *B: Yes.", "3Z: a question has one right letter"),
    "no letter": ("# 3Z\n- A: Yes.\n- B: Yes.", "3Z: a question has one right letter"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_words_are_named(broken, monkeypatch):
    more, said = BROKEN[broken]
    text = (folder("03") / "mistakes.md").read_text("utf-8")
    place = text.index("# my_padding_mask") if more else text.index("- ")
    said = said.format(line=text[:place].count("\n") + 1 if more else 1)
    text = f"{text[:place]}{more}\n{text[place:]}" if more else text[place:]
    monkeypatch.setitem(lesson_words.PACKED, "lesson03/mistakes.md", text)
    monkeypatch.delitem(sys.modules, "attn_lesson.lesson03.exercises")
    with pytest.raises(ValueError, match=f"lesson03 cannot be read: .*{re.escape(said)}"):
        catalogue.table("lesson03")


@pytest.mark.of_all_lessons
def test_no_two_lessons_use_one_name():
    tables = [table for lesson in catalogue.lessons() for table in catalogue.table(lesson)]
    names = [name for table in tables for name in table]
    assert len(names) == len({*names})
