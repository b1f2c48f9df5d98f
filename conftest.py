"""What `pytest --nbval notebooks` needs, whoever runs it and from whichever folder.

Only this file is read then; what the tests need besides stands in tests/conftest.py.
"""

from functools import cache
from pathlib import Path

import pytest

NO_MODEL = "the published model that this lesson reads is not installed (make model)"
LONGEST = ".ipynb", *(f"test_{name}.py" for name in ("other_parameters", "other_tools", "new"))
NO_LIBRARIES = "JAX and Keras, which this lesson runs, are not installed (make elsewhere)"


def pytest_addoption(parser):
    parser.addoption(
        "--every",
        action="store_true",
        help="with -m long: every lesson, set of parameters, machine and file, not some of each",
    )
    parser.addoption(
        "--lesson",
        action="append",
        metavar="NN",
        help="only what concerns this lesson (make check); may be given several times",
    )


def pytest_configure(config):
    """Leave out the pixels of HTML images, which tests/conftest.py compares."""
    config.option.loadscopereorder = False  # pytest-xdist keeps the order that is chosen below
    if getattr(config.option, "nbval_sanitize_with", "") is None:
        pixels = Path(__file__).parent / "tests" / "nbval.cfg"
        config.option.nbval_sanitize_with = str(pixels)


def pytest_collection_modifyitems(config, items):
    """Leave out what --lesson does not want; of several processes' work, lessons come first.

    They take longest. Without its model a lesson skips cells, so that they do not show what is
    stored.
    """
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not item.path.name.endswith(LONGEST))
    if wanted := config.getoption("lesson"):
        from tools.check import of_lessons

        kept = of_lessons(items, wanted)
        config.hook.pytest_deselected(items=[item for item in items if item not in {*kept}])
        items[:] = kept
    if not config.getoption("every"):
        left = [item for item in items if item.get_closest_marker("every")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in {*left}]
    for item in items:
        lacks = _lacks(item.path) if item.path.suffix == ".ipynb" else None
        if lacks:
            item.add_marker(pytest.mark.skip(reason=lacks))


@cache
def _lacks(notebook):
    """Why cells of this lesson would be skipped, or None where all is there."""
    calls = {"published_model()": NO_MODEL, "libraries()": NO_LIBRARIES}
    text = notebook.read_text("utf-8")
    told = [reason for call, reason in calls.items() if call in text]
    if not told:
        return None
    from attn_lesson import published

    lesson = Path(published.__file__).with_name(f"lesson{notebook.name[:2]}")
    return None if all(map(published.installed, published.packages(lesson))) else told[0]
