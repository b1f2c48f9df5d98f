"""`make lesson` and `make exercise` make what passes at once, and nothing half written."""

import os
import re
import subprocess
import sys

import pytest

from tools import new
from tools.checks.mutants import copy_of_project
from tools.lessons import lessons, number

LAST = max(int(number(path)) for path in lessons())
NAME = f"{max(LAST, 8) + 4:02d}_two_words"  # not the next one: a number may be any


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return copy_of_project(tmp_path_factory.mktemp("project") / "copy")


def run(copy, *command):
    """What the command prints, which must not fail."""
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", *command]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["9_x", "00_zero", "09-x", "099_x", "09_Big", "", "03_x"])
def test_other_names_of_lessons_are_refused(name):
    said = f"'{name}' is no name of a lesson; write one such as 20_my_lesson"
    if name == "03_x":
        said = (
            "the number of '03_x' is taken by 03_masking.ipynb, "
            "attn_lesson/lesson03, tests/lessons/lesson03"
        )
    with pytest.raises(SystemExit, match=re.escape(said)):
        new.make_lesson(name)


@pytest.mark.parametrize(
    ("name", "its_lesson", "said"),
    [
        ("share", "03", "'share' is no name of an exercise; write one such as my_share"),
        ("my_rounded", "03", "'my_rounded' is an exercise of lesson10"),
        ("my_say", "77", "no lesson is called '77'"),
    ],
    ids=["no name", "known", "no lesson"],
)
def test_other_names_of_exercises_are_refused(name, its_lesson, said):
    with pytest.raises(SystemExit, match=re.escape(said)):
        new.make_exercise(name, its_lesson)


EXERCISE = pytest.param(("exercise", "my_new_one", "03"), marks=pytest.mark.every)


@pytest.mark.long
@pytest.mark.parametrize("what", [EXERCISE, ("lesson", NAME)])  # which brings exercises along
def test_what_is_made_passes_all_that_lessons_must(copy, what, pytestconfig):
    run(copy, "tools.new", *what)
    nn = number(what[-1])
    checked = run(copy, "tools.check", nn)
    assert int(re.search(r"(\d+) passed", checked)[1]) > 50
    assert re.search(r"exercises\.py: \d+ TODO left", checked)
    if what[0] == "exercise":
        run(copy, "pytest", "-m", "", "classroom/tests/test_points.py")
    if what[0] == "lesson":
        rows = re.findall(r"^\| (\d\d) \| ", (copy / "README.md").read_text("utf-8"), re.MULTILINE)
        assert rows == sorted(rows) and rows[-1] == nn
    if what[0] == "lesson" and pytestconfig.getoption("every"):
        long = ["tests/judge", "tests/test_other_parameters.py", "-m", "long", "--every"]
        run(copy, "pytest", *long, f"--lesson={nn}")
