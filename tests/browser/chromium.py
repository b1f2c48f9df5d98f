"""Where Chromium is, how it is started and waited for, what axe asks, and where screenshots go."""

import shutil
from pathlib import Path

SHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
PATIENCE = 300  # seconds after which what is waited for never comes, on a busy machine too
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]  # axe's
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
