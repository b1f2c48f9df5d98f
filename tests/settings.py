"""Settings for all tests: no windows, and kernels that know nothing of the user's own settings."""

import os

import hypothesis
import IPython
import matplotlib
import pytest
from IPython.core.interactiveshell import InteractiveShell

from tools import lessons

for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "ARGS", "FILE", "LESSONS"):  # of another make
    os.environ.pop(name, None)
matplotlib.use("Agg")
lessons.isolate()
# The same cases in every run, however slow the machine.
hypothesis.settings.register_profile(
    "lessons", deadline=None, derandomize=True, database=None, max_examples=50
)
hypothesis.settings.load_profile("lessons")


@pytest.fixture(scope="session")
def wheel():
    """The bytes of the packages' wheel, which takes a while to build."""
    from tools.editions import editions

    return editions.build_wheel()


@pytest.fixture
def shell(monkeypatch):
    """An IPython that the packages take for the one they run in."""
    shell = InteractiveShell()
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    return shell
