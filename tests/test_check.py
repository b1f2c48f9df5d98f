"""`make check LESSONS=03` runs what concerns this lesson, and nothing of the others."""

import subprocess

import pytest

from tools import check
from tools.lessons import lessons


def test_form_exercises_answers_and_pages_are_chosen(request):
    """What is left of all these tests for lesson 03: {file: the names of its tests}."""
    items, chosen = request.session.items, {}
    if not {"03_masking.ipynb", "test_course.py"} <= {item.path.name for item in items}:
        pytest.skip("chosen among all tests: make test")
    for item in check.of_lessons(items, ["03"]):
        chosen.setdefault(item.nodeid.partition("::")[0], []).append(item.name)
    assert "test_form[03_masking]" in chosen["tests/test_lessons.py"]
    assert "test_every_exercise_is_complete[my_leaks]" in chosen["tests/judge/test_exercise.py"]
    assert "test_every_answer_gets_its_own_reaction[3P]" in chosen["tests/test_catalogue.py"]
    kept = [name for name in chosen["tests/test_answers.py"] if "lesson03-" in name]
    assert len(kept) > 50
    assert "what nbval does not compare" in chosen["notebooks/03_masking.ipynb"]
    for file in ("parameters", "exam", "site", "course"):
        assert chosen[f"tests/test_{file}.py"], file
    assert not any(file.startswith("tests/lessons") for file in chosen)
    assert sum("lesson16/" in item.nodeid for item in check.of_lessons(items, ["16"])) > 40


@pytest.mark.parametrize("fails", ["", "check", "format", "pytest"])
def test_everything_is_run_and_one_failure_is_told(fails, monkeypatch, capsys):
    asked = []

    def run(command, cwd):
        asked.append(command[2:])
        return subprocess.CompletedProcess(command, 2 if fails and fails in command[2:4] else 0)

    monkeypatch.setattr(check.subprocess, "run", run)
    assert check.main(["03", "-x", "-m", ""]) == bool(fails)
    said = capsys.readouterr().out
    assert ("03 does NOT pass" if fails else "03 passes; nothing is left") in said
    assert ("ruff format FILE" in said) == (fails == "format")
    assert [command[0] for command in asked] == ["ruff", "ruff", "pytest"]
    assert asked[-1][-4:] == ["--lesson=03", "-x", "-m", ""]


@pytest.mark.parametrize(("arguments", "said"), [([], "2"), (["77"], "no lesson is called '77'")])
def test_a_lesson_must_be_named_and_exist(arguments, said):
    with pytest.raises(SystemExit, match=said):
        check.main(arguments)


def test_no_lesson_has_anything_left_to_fill_in():
    assert not [line for path in lessons() for line in check.todo(path)]
