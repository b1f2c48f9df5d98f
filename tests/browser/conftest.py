"""One Chromium for all tests."""

import pytest
from chromium import CHROMIUM, PATIENCE, QUIET, SHOTS
from playwright.sync_api import expect, sync_playwright


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    if CHROMIUM is None:
        pytest.fail("no Chromium was found; install one, on Debian with: apt-get install chromium")
    expect.set_options(timeout=1000 * PATIENCE)
    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=QUIET, timeout=1000 * PATIENCE
        )
        yield browser
        browser.close()
