"""Each lesson has the form of a lesson; conftest.py compares what it shows."""

import lesson_checks
import pytest
from lesson_checks import stored

from tools.lessons import as_text, lessons, normalise, number
from tools.notebook import title

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
