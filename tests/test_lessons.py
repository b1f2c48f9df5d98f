"""Each lesson has the form of a lesson, and still shows what is stored in it.

What cells print is compared by nbval; what nbval does not look at, by conftest.py after it.
"""

import lesson_checks
import nbformat
import pytest
from lesson_checks import FORM
from reading_checks import READING, VOICE

from tools.lessons import as_text, lessons, normalise
from tools.notebook import PREMISE

LESSONS = pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)


def stored(path):
    return nbformat.read(path, as_version=4)


def report(complaints):
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


@LESSONS
@pytest.mark.parametrize("check", FORM + READING + VOICE, ids=lambda check: check.__name__)
def test_form(check, path):
    report(check(stored(path)))


@LESSONS
def test_file_is_as_make_outputs_writes_it(path):
    same = path.read_bytes().decode() == as_text(normalise(stored(path)))
    report([] if same else ["its metadata or its layout differ; run `make outputs`"])


@LESSONS
def test_fresh_execution_is_compared(path, request):
    """After nbval's cells, with what nbval does not look at: see conftest.py."""
    items = [item for item in request.session.items if item.path == path]
    if not items:
        pytest.skip("lessons are executed by: pytest --nbval --nbval-current-env tests notebooks")
    names = [getattr(item, "originalname", item.name) for item in items]
    evaluated = [name for name in names if name.startswith("premise of ")]
    names = [name for name in names if name not in evaluated]
    cells = [f"Cell {number}" for number, _ in enumerate(lesson_checks.code(stored(path)))]
    compared = ["kinds, metadata, ignored text", "pictures"]
    report([] if names == cells + compared else [f"only these are there: {names}"])
    premises = [cell for cell in stored(path).cells if PREMISE in cell.metadata]
    report([] if len(evaluated) == len(premises) else [f"only these are evaluated: {evaluated}"])
