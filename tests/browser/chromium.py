"""Where Chromium is, how it is started and waited for, what axe asks, and where screenshots go."""

from pathlib import Path

from tools.site.paper import CHROMIUM, QUIET  # noqa: F401

SHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
PATIENCE = 300  # seconds after which what is waited for never comes, on a busy machine too
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]  # axe's
