"""nbval, `jupyter execute` and papermill as others run them: elsewhere, with none of our settings.

`make test-all` lets them execute lesson 03; with --every all lessons.
"""

import os
import subprocess
import sys

import lesson_checks
import nbformat
import pytest
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import v4

from tools import lessons

pytestmark = pytest.mark.long
OURS = ("ATTN_", "IPYTHONDIR", "JUPYTER_", "MPL", "MATPLOTLIBRC", "PYTEST_", "COLUMNS")
PIXELS = "from IPython.display import HTML; HTML('<img src=\"data:image/png;base64,A{}\" {}>')"
SIZE = 'width="1" height="1" data-colored="1"'


def pytest_generate_tests(metafunc):
    if "path" in metafunc.fixturenames:
        every = metafunc.config.getoption("every")
        paths = lessons.lessons() if every else lessons.lessons(["03"])
        metafunc.parametrize("path", paths, ids=lambda path: path.stem)


def run(folder, *module):
    """Return what `python -m module` says in the folder, and whether it ends well."""
    foreign = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    foreign["IPYTHONDIR"] = str(folder / "ipython")
    command = [sys.executable, "-m", *map(str, module)]
    streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    done = subprocess.run(command, cwd=folder, env=foreign, **streams)
    return done.stdout + done.stderr, not done.returncode


def nbval(folder, *what):
    return run(folder, "pytest", "-p", "no:cacheprovider", "-rs", "--color=no", "--nbval", *what)


def test_a_lesson_runs(path, tmp_path):
    target = tmp_path / "executed.ipynb"
    papermill = ("papermill", "--no-progress-bar", "--cwd", path.parent, path, target)
    for said, well in (nbval(tmp_path, path), run(tmp_path, "jupyter", "execute", path),
                       run(tmp_path, *papermill)):  # fmt: skip
        assert well, said
    stored, fresh = (nbformat.read(p, as_version=4) for p in (path, target))
    # What is printed comes in as many pieces as the machine has time for.
    fresh, _ = CoalesceStreamsPreprocessor().preprocess(fresh, {})
    assert not lesson_checks.compare(stored, lessons.normalise(fresh))


@pytest.mark.parametrize(
    ("name", "source", "told"),
    [
        ("13_pixels", PIXELS.format("A", SIZE), "1 passed"),
        ("07", "published_model = print\npublished_model()", "make model"),
        ("11", "libraries = print\nlibraries()", "make elsewhere"),
    ],
)
def test_pixels_do_not_count_and_without_its_packages_a_lesson_is_skipped(
    name, source, told, tmp_path
):
    path = tmp_path / f"{name}.ipynb"
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source)])
    notebook = lessons.execute_in(tmp_path, notebook, kernel_name="python3")
    other = source.replace(";base64,AA", ";base64,AB").replace('"1">', '"2">')
    notebook.cells[0].source = other  # as of another Matplotlib
    lessons.write(notebook, path)
    (tmp_path / "tests").mkdir()
    for file in ("conftest.py", "tests/nbval.cfg"):
        text = (lessons.ROOT / file).read_text(encoding="utf-8")
        text = text.replace("packages(lesson)", "packages(lesson) + ['none']")
        (tmp_path / file).write_text(text, encoding="utf-8")
    said, well = nbval(tmp_path, "-c", os.devnull, path)
    assert well and told in said, said
