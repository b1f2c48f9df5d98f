"""A learner's own lessons are made once, show nothing yet, and are never written over."""

import nbformat
import pytest

from tools import own
from tools.lessons import as_text, lessons
from tools.notebook import of_type, tags

PATHS = lessons(["03"])


@pytest.fixture
def folder(tmp_path):
    assert own.make(tmp_path, PATHS) == []
    return tmp_path


def test_nothing_looks_executed_and_all_of_the_text_is_there(folder):
    mine, stored = (nbformat.read(place / PATHS[0].name, 4) for place in (folder, PATHS[0].parent))
    assert "Run each cell as you come to it" in mine.cells[0].source
    assert [cell.source for cell in mine.cells[1:]] == [cell.source for cell in stored.cells[1:]]
    assert not any(cell.outputs or cell.execution_count for cell in of_type(mine, "code"))
    assert "premise" not in as_text(mine)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda path: path.stem)
def test_what_a_learner_is_first_asked_works_by_itself(lesson, capsys):
    asks = next(cell for cell in own.own(nbformat.read(lesson, 4)).cells if "predict" in tags(cell))
    exec(asks.source, {})
    assert "Your prediction?" in capsys.readouterr().out


def test_what_a_learner_wrote_stays_and_a_new_version_is_put_beside_it(folder, monkeypatch):
    mine = folder / PATHS[0].name
    mine.write_text("what I wrote", "utf-8")
    assert own.make(folder, PATHS) == []
    changed = nbformat.read(PATHS[0], 4)
    changed.cells[0].source += " Really?"
    monkeypatch.setattr(own.nbformat, "read", lambda *_, **__: changed)
    [beside] = own.make(folder, PATHS)
    assert "Really?" in beside.read_text("utf-8") and mine.read_text("utf-8") == "what I wrote"
    assert own.make(folder, PATHS) == []  # told once
    mine.unlink()  # to begin anew
    assert own.make(folder, PATHS) == [] and "Really?" in mine.read_text("utf-8")
