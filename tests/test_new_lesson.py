"""`make lesson` makes a lesson that passes at once, and nothing half written."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tools import new_lesson
from tools.lessons import ROOT, lessons, number

LAST = max(int(number(path)) for path in lessons())
NAME = f"{max(LAST, 8) + 4:02d}_two_words"  # not the next one: a number may be any


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project."""
    target = tmp_path_factory.mktemp("project") / "copy"
    ignored = (".venv", ".git", "build", "__pycache__", ".ruff_cache", ".hypothesis")
    shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*ignored))
    return target


def run(copy, *command):
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", *command]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)


def files(copy):
    kept = (p for p in copy.rglob("*") if p.is_file() and "build" not in p.parts)
    return {p: p.read_bytes() for p in kept if "__pycache__" not in p.parts}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("9_x", "'9_x' is no name of a lesson; write one such as 13_my_lesson"),
        ("00_zero", "is no name of a lesson"),
        ("09-x", "is no name of a lesson"),
        ("099_x", "is no name of a lesson"),
        ("09_Big", "is no name of a lesson"),
        ("", "is no name of a lesson"),
        (
            "03_x",
            "the number of '03_x' is taken by 03_masking.ipynb, "
            "attn_lesson/lesson03, tests/lessons/lesson03",
        ),
    ],
)
def test_other_names_are_refused(name, said):
    with pytest.raises(SystemExit, match=re.escape(said)):
        new_lesson.make(name)


def test_nothing_is_left_of_a_lesson_that_does_not_run(copy):
    skeleton = copy / "tools" / "skeleton" / "lesson.txt"
    good = skeleton.read_text(encoding="utf-8")
    skeleton.write_text(good.replace("import torch\n", "import torch\n1 / 0\n", 1), "utf-8")
    before = files(copy)
    done = run(copy, "tools.new_lesson", NAME)
    skeleton.write_text(good, encoding="utf-8")
    assert "ZeroDivisionError" in done.stderr
    assert files(copy) == before | {skeleton: good.encode()}
    for place in ("attn_lesson", "tests/lessons"):
        assert not (copy / place / f"lesson{number(NAME)}").exists()


@pytest.mark.long
def test_a_new_lesson_passes_all_that_lessons_must(copy):
    done = run(copy, "tools.new_lesson", NAME)
    assert not done.returncode, done.stderr
    pages = ("README.md", "classroom/TEACHING.md")
    readme, teaching = ((copy / page).read_text("utf-8") for page in pages)
    rows = [int(n) for n in re.findall(r"^\| (\d\d) \| ", readme, re.MULTILINE)]
    assert rows == sorted(rows) and rows[-1] == int(number(NAME))
    assert f"| {number(NAME)} Two words | TODO" in teaching
    done = run(copy, "tools.check", number(NAME))
    assert not done.returncode, done.stdout + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 150
    long = ["tests/judge", "tests/test_other_parameters.py", "-m", "long"]
    done = run(copy, "pytest", *long, f"--lesson={number(NAME)}")
    assert not done.returncode, done.stdout
