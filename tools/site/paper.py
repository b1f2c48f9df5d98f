"""The lessons on paper: Chromium prints their pages, as site.css says below `@media print`."""

import contextlib
import shutil

from tools.progress import progress

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
QUIET = "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"
QUIET += " disable-component-update disable-sync"
PATIENCE = 300_000  # milliseconds, on a busy machine too
READY = """async () => {
  for (const image of document.images) image.loading = "eager";
  await Promise.all([document.fonts.ready, ...[...document.images].map(image => image.decode())]);
}"""
HEAD = '@page { @top-left { content: "%s"; } } @page :first { @top-left { content: ""; } }'


def found():
    """Exit where there is no browser."""
    if CHROMIUM is None:
        raise SystemExit("no Chromium was found; install one, on Debian: apt-get install chromium")


@contextlib.contextmanager
def chromium(playwright=None):
    """A headless Chromium, by this Playwright or one of its own."""
    from playwright.sync_api import sync_playwright  # of an extra of its own

    found()
    options = {"args": [f"--{option}" for option in QUIET.split()], "timeout": PATIENCE}
    with contextlib.nullcontext(playwright) if playwright else sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, **options)
        yield browser
        browser.close()


def write(browser, folder, paths):
    """Print the pages of these lessons; the files go beside them."""
    for path in progress(paths, "PDFs", lambda path: path.stem):
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto((folder / f"{path.stem}.html").as_uri())
        title = page.locator("h1").first.evaluate("title => title.firstChild.textContent")
        page.add_style_tag(content=HEAD % title.replace('"', r"\""))
        page.evaluate(READY)
        target = folder / "pdf" / f"{path.stem}.pdf"
        page.pdf(path=target, prefer_css_page_size=True, outline=True, tagged=True)
        page.close()
