"""The settings of tests/."""

from settings import wheel  # noqa: F401
