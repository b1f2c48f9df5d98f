"""With other parameters a lesson runs to its end, and says where its text no longer fits.

parameters.json in tests/lessons/lessonNN holds four sets of parameters, which reach the ends of
their limits. The first is tried of two lessons that train, with --every all of all lessons. Each
cell is run twice, as a learner would: it must show the same.
"""

import contextlib
import copy
import itertools
import json

import lesson_checks
import pytest
import spoil
from nbformat import v4
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook
from test_parameters import limits

from tools.checks import claims
from tools.lessons import execute_in, kept, lessons
from tools.notebook import headlines, printed

pytestmark = pytest.mark.long


def sets(path):
    file = kept(path) / "parameters.json"
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} cannot be read: {error}") from None


def of_lesson(path, every):
    """The sets of parameters that a lesson is executed with, for pytest."""
    tried = sets(path)
    chosen = [
        pytest.param(path, others, id=f"{path.stem}-{number}")
        for number, others in enumerate(tried[: None if every else 1], start=1)
    ]
    if not every:
        return chosen if path in lessons(["02", "05"]) else []
    # What the text is not written for must leave its figures alone.
    named = limits(path)[1]
    rest = {name: value for name, value in tried[0].items() if name not in named}
    if rest not in ({}, tried[0]):
        chosen.append(pytest.param(path, rest, id=f"{path.stem}-rest"))
    return chosen


def pytest_generate_tests(metafunc):
    if "others" in metafunc.fixturenames:
        every, chosen = metafunc.config.getoption("every"), []
        for path in lessons():
            with contextlib.suppress(Exception):  # test_every_limit_is_reached tells
                chosen += of_lesson(path, every)
        metafunc.parametrize(("path", "others"), chosen)


def test_lesson_runs_and_says_where_its_text_no_longer_fits(path, others, tmp_path):
    stored = lesson_checks.stored(path)
    notebook = parameterize_notebook(load_notebook_node(str(path)), others)
    again = copy.deepcopy(notebook)
    for cell in again.cells:
        cell.id = v4.new_code_cell().id
    twice = itertools.chain.from_iterable(zip(notebook.cells, again.cells, strict=True))
    moved = v4.new_code_cell(claims.cell_for("", spoil.figures_move))
    cells = [*twice, moved]
    execute_in(path.parent, v4.new_notebook(cells=cells, metadata=notebook.metadata))
    assert not claims.told_by(printed(moved))
    assert not lesson_checks.compare(notebook, again), "a cell that is run again shows the same"
    assert not list(lesson_checks.alternative_texts(notebook))
    before, after = headlines(stored), headlines(notebook)
    assert list(after) == list(before) and (after != before or others not in sets(path))
    said = "".join(map(printed, notebook.cells))
    changed = {n for n, value in limits(path)[1].items() if others.get(n, value) != value}
    assert ("The text and its questions were written for" in said) == bool(changed)
    known = set(lesson_checks.figures(stored))
    lost = [text for text in lesson_checks.figures(notebook) if text not in known]
    assert changed or not lost, "\n".join(lost)


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_every_limit_is_reached(path):
    tried = sets(path)
    assert len(tried) >= 4
    for name, limit in limits(path)[0].items():
        values = [others[name] for others in tried if name in others]
        if isinstance(limit, tuple) and name != "seed":
            assert {limit[0], limit[1]} <= set(values), f"{name} is not tried at {limit[:2]}"
        elif not isinstance(limit, tuple):
            assert values, f"{name} is not tried"
