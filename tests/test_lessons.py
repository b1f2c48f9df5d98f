"""Each lesson has the form of a lesson, and still shows what is stored in it.

What cells print is compared by nbval; here is what nbval does not look at.
"""

import functools

import lesson_checks
import nbformat
import pictures
import pytest

from tools.lessons import as_text, execute, lessons, normalise

LESSONS = pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)


def stored(path):
    return nbformat.read(path, as_version=4)


@functools.cache
def fresh(path):
    return execute(path)


def report(complaints):
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


@LESSONS
@pytest.mark.parametrize("check", lesson_checks.FORM, ids=lambda check: check.__name__)
def test_form(check, path):
    report(check(stored(path)))


@LESSONS
def test_file_is_as_make_outputs_writes_it(path):
    same = path.read_bytes().decode() == as_text(normalise(stored(path)))
    report([] if same else ["its metadata or its layout differ; run `make outputs`"])


@LESSONS
def test_fresh_execution_shows_the_same(path):
    report(lesson_checks.compare(stored(path), fresh(path)))


@pytest.mark.skipif(not pictures.COMPARABLE, reason=pictures.WHY_NOT)
@LESSONS
def test_fresh_execution_draws_the_same(path):
    report(lesson_checks.compare_pictures(stored(path), fresh(path)))
