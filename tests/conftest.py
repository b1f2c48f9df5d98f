"""Settings for all tests: no windows, and kernels that know nothing of the user's own settings."""

import hypothesis
import matplotlib

from tools import lessons

matplotlib.use("Agg")
lessons.isolate()
# The same cases in every run, however slow the machine.
hypothesis.settings.register_profile("lessons", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("lessons")


def pytest_addoption(parser):
    parser.addoption(
        "--every-edition",
        action="store_true",
        help="execute all lessons with Google Colab's packages, and with its Python if it is here",
    )
