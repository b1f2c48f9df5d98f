"""A learner's own lessons are made once, give nothing away, and are never written over."""

import nbformat
import pytest

from tools import own
from tools.lessons import as_text, lessons
from tools.notebook import tags

PATHS = lessons(["03"])


@pytest.fixture
def folder(tmp_path):
    assert own.make(tmp_path, PATHS) == []
    return tmp_path


def test_nothing_is_shown_from_the_first_question_on_and_all_of_the_text_is_there(folder):
    mine, stored = (nbformat.read(place / PATHS[0].name, 4) for place in (folder, PATHS[0].parent))
    assert [cell.source for cell in mine.cells] == [cell.source for cell in stored.cells]
    first = next(n for n, cell in enumerate(mine.cells) if "predict" in tags(cell))
    assert any(cell.get("outputs") for cell in mine.cells[:first])
    assert not any(cell.get("outputs") for cell in mine.cells[first:])
    assert "premise" not in as_text(mine)


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
