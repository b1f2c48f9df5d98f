"""A Chromium, a Firefox, the site, and a way to open a page without a network."""

import os
import shutil
from pathlib import Path
from unittest import mock

import pytest
from chromium import MOVING, PATIENCE, SHOTS
from filelock import FileLock  # torch brings it
from playwright.sync_api import expect, sync_playwright

from tools.lessons import lessons
from tools.site import frames, paper, site

OURS = ("file:", "data:", "blob:")
FIRST = ["test_lab", "test_site", "test_present"]  # files, as they take long


def pytest_collection_modifyitems(items):
    """Of two processes, one begins with JupyterLab while the other builds the site."""
    items.sort(key=lambda item: [*FIRST, item.path.stem].index(item.path.stem))


@pytest.fixture(scope="session")
def playwright():
    expect.set_options(timeout=1000 * PATIENCE)
    SHOTS.mkdir(parents=True, exist_ok=True)
    shim = f'--require="{Path(__file__).with_name("firefox.cjs")}"'
    with mock.patch.dict(os.environ, NODE_OPTIONS=shim):
        driver = sync_playwright().start()
    yield driver
    driver.stop()


@pytest.fixture(scope="session")
def browser(playwright):
    """A headless Chromium."""
    with paper.chromium(playwright) as browser:
        yield browser


@pytest.fixture(scope="session")
def firefox(playwright):
    """A headless Firefox, with a profile of its own."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    options = {"executable_path": program, "timeout": 1000 * PATIENCE}
    browser = playwright.firefox.launch(channel="moz-firefox", **options)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory, request):
    """The site, built once for all processes.

    Other sliders than those of MOVING move if `make site` has drawn them.
    """
    place = tmp_path_factory.getbasetemp()
    place = place.parent if hasattr(request.config, "workerinput") else place
    pages = place / "site" / "pages"
    with (
        FileLock(place / "site.lock"),
        mock.patch.multiple(site, SITE=pages, SOURCE=place / "site" / "source"),
    ):
        if not pages.exists():
            list(frames.draw_all(lessons(MOVING)))
            with mock.patch.object(frames, "draw_all", return_value=()):
                site.build(pdf=True)
    return pages


@pytest.fixture
def open_page(request):
    """A function that opens a page without a network; nothing may go wrong there."""
    contexts, wrong = [], []

    def opened(name, width=1366, height=768, within="browser", **options):
        """A page of the site, or the file with this address, in Chromium or "firefox"."""
        browser = request.getfixturevalue(within)
        if ":" not in name:
            name = f"{request.getfixturevalue('folder').as_uri()}/{name}.html"
        size = {"width": width, "height": height}
        contexts.append(browser.new_context(viewport=size, offline=True, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("requestfinished", lambda r: r.url.startswith(OURS) or wrong.append(r.url))
        # What the page's own policy holds back has asked nobody, and a reload breaks pictures off.
        idle = ("csp", "net::ERR_ABORTED")
        page.on(
            "requestfailed", lambda r: r.failure in idle or wrong.append(f"{r.url} {r.failure}")
        )
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
        page.goto(name)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
