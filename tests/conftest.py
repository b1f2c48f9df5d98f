"""Settings for all tests: no windows, and kernels that know nothing of the user's own settings."""

import hypothesis
import matplotlib

from tools import lessons

matplotlib.use("Agg")
lessons.isolate()
# The same cases in every run, however slow the machine.
hypothesis.settings.register_profile("lessons", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("lessons")
