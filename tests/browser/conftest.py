"""One Chromium for all tests, and a way to start another."""

import pytest
from chromium import CHROMIUM, PATIENCE, QUIET, SHOTS
from playwright.sync_api import expect, sync_playwright


@pytest.fixture(scope="session")
def start_browser():
    """A function that starts a headless Chromium."""
    if CHROMIUM is None:
        pytest.fail("no Chromium was found; install one, on Debian with: apt-get install chromium")
    expect.set_options(timeout=1000 * PATIENCE)
    SHOTS.mkdir(parents=True, exist_ok=True)
    started = []

    def start(**options):
        options = {"timeout": 1000 * PATIENCE, **options}
        started.append(playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET, **options))
        return started[-1]

    with sync_playwright() as playwright:
        yield start
        for browser in started:
            browser.close()


@pytest.fixture(scope="session")
def browser(start_browser):
    """A headless Chromium."""
    return start_browser()
