"""Where Chromium is, how it is started and waited for, and where screenshots go."""

import shutil
from pathlib import Path

SHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
PATIENCE = 300  # seconds after which what is waited for never comes, on a busy machine too
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
