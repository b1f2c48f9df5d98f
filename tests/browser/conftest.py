"""One Chromium for all tests, and a way to start another."""

import pytest
from chromium import CHROMIUM, PATIENCE, QUIET, SHOTS
from playwright.sync_api import expect, sync_playwright

from tools.site import site


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


@pytest.fixture(scope="session")
def folder():
    """The site, whole."""
    site.build()
    site.add_files()
    return site.SITE


@pytest.fixture
def open_page(browser, folder):
    """A function that opens a page without a network; nothing may go wrong there."""
    contexts, wrong = [], []

    def opened(name, width=1366, height=768, **options):
        size = {"width": width, "height": height}
        contexts.append(browser.new_context(viewport=size, offline=True, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("request", lambda r: r.url.startswith(("file:", "data:")) or wrong.append(r.url))
        page.on("requestfailed", lambda r: wrong.append(r.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
        page.goto(f"{folder.as_uri()}/{name}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
