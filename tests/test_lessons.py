"""Each lesson has the form of a lesson; what it shows is compared where it is executed."""

import lesson_checks
import pytest
from lesson_checks import stored

from tools.lessons import as_text, lessons, normalise, number
from tools.notebook import PREMISE, explored, title

LESSONS = pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)


@LESSONS
def test_form(path):
    complaints = [text for check in lesson_checks.FORM for text in check(stored(path))]
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


@LESSONS
def test_file_is_as_make_outputs_writes_it(path):
    same = path.read_bytes().decode() == as_text(normalise(stored(path)))
    assert same, "its metadata or its layout differ; run `make outputs`"
    assert title(stored(path))[0] == number(path)


@LESSONS
def test_execution_is_compared(path, request):
    """After nbval's cells, with what nbval does not look at: see conftest.py."""
    names = [getattr(i, "originalname", i.name) for i in request.session.items if i.path == path]
    if not names:
        pytest.skip("lessons are executed by: pytest --nbval --nbval-current-env tests notebooks")
    evaluated = [name for name in names if name.startswith("premise of ")]
    assert len(evaluated) == sum(PREMISE in cell.metadata for cell in stored(path).cells)
    cells = [f"Cell {n}" for n, _ in enumerate(lesson_checks.code(stored(path)))]
    rest = [name for name in names if name not in evaluated]
    moved = ["live figures move"] * any(map(explored, stored(path).cells))
    assert rest == [*cells, *moved, "what nbval does not compare"]
