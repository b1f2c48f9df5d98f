"""nbval, `jupyter execute` and papermill as others run them: elsewhere, with none of our settings.

`make test` lets them execute lesson 02; with --every all lessons.
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
TRAINING = """
import time
from attn_lesson.live import LiveCurve
with LiveCurve(40, "a") as curve:
    for step in range(40):
        curve.add("a", 1 / (1 + step))
        time.sleep(0.02)
"""


def pytest_generate_tests(metafunc):
    if "path" in metafunc.fixturenames:
        every = metafunc.config.getoption("every")
        paths = lessons.lessons() if every else lessons.lessons(["02"])
        metafunc.parametrize("path", paths, ids=lambda path: path.stem)


def run(folder, *module):
    """Return how `python -m module` ends in the folder, and what it says."""
    foreign = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    foreign["IPYTHONDIR"] = str(folder / "ipython")
    done = subprocess.run(
        [sys.executable, "-m", *map(str, module)],
        cwd=folder,
        env=foreign,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def nbval(folder, *what):
    return run(folder, "pytest", "-p", "no:cacheprovider", "-rs", "--color=no", "--nbval", *what)


def test_nbval(path, tmp_path):
    code, said = nbval(tmp_path, path)
    assert code == 0, said


def test_jupyter_execute(path, tmp_path):
    code, said = run(tmp_path, "jupyter", "execute", path)
    assert code == 0, said


def test_papermill_shows_what_is_stored(path, tmp_path):
    target = tmp_path / "executed.ipynb"
    code, said = run(tmp_path, "papermill", "--no-progress-bar", "--cwd", path.parent, path, target)
    assert code == 0, said
    stored, fresh = (nbformat.read(p, as_version=4) for p in (path, target))
    # What is printed comes in as many pieces as the machine has time for.
    fresh, _ = CoalesceStreamsPreprocessor().preprocess(fresh, {})
    lessons.normalise(fresh)
    assert not lesson_checks.compare(stored, fresh)


def stored(path, source):
    """Store a notebook of one cell, with its outputs, as a lesson is stored."""
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source)])
    path.parent.mkdir(parents=True, exist_ok=True)
    lessons.write(lessons.execute_in(path.parent, notebook, kernel_name="python3"), path)
    return path


def test_a_loss_curve_comes_once_and_its_pixels_do_not_count(tmp_path):
    path = stored(tmp_path / "notebooks" / "training.ipynb", TRAINING)
    notebook = nbformat.read(path, as_version=4)
    data = notebook.cells[0].outputs[0].data
    data["text/html"] = data["text/html"].replace("base64,", "base64,AAAA")  # another Matplotlib
    nbformat.write(notebook, path)
    settings = "-c", os.devnull
    code, said = nbval(tmp_path, *settings, path)
    assert code == 1 and "mismatch 'text/html'" in said
    (tmp_path / "tests").mkdir()
    for name in ("conftest.py", "tests/nbval.cfg"):
        (tmp_path / name).write_bytes((lessons.ROOT / name).read_bytes())
    code, said = nbval(tmp_path, *settings, path)
    assert code == 0, said


@pytest.mark.parametrize(
    "lesson, call, told",
    [("07", "published_model", "make model"), ("11", "libraries", "make elsewhere")],
)
def test_without_its_model_or_libraries_a_lesson_is_skipped(tmp_path, lesson, call, told):
    path = stored(tmp_path / f"{lesson}.ipynb", f"{call} = print\n{call}()")
    settings = (lessons.ROOT / "conftest.py").read_text()
    settings = settings.replace("packages(lesson)", "packages(lesson) + ['none']")
    (tmp_path / "conftest.py").write_text(settings)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "nbval.cfg").touch()
    code, said = nbval(tmp_path, "-c", os.devnull, path)
    assert code == 0 and "1 skipped" in said and told in said
