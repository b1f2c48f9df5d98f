"""What tests of pages share: patience, what axe asks, and where screenshots go."""

from axe_playwright_python.sync_playwright import Axe

from tools.lessons import BUILD

SHOTS = BUILD / "screenshots"
PATIENCE = 300  # seconds after which what is waited for never comes, on a busy machine too
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]  # axe's
MOVING = ["01", "03", "05", "07"]  # lessons whose sliders are drawn, if they are not yet
OPEN = "document.querySelectorAll('details').forEach(each => (each.open = true))"


def breaches(page, part=None):
    """What axe-core finds against WCAG 2.2 AA and good practice in the page, or a part of it."""
    found = Axe().run(page, part, options={"preload": False, "runOnly": STANDARDS})
    return [(rule["id"], rule["nodes"][0]["html"]) for rule in found.response["violations"]]


def page_width(page):
    """How wide the page is; more than its window, and it scrolls sideways."""
    return page.evaluate("document.documentElement.scrollWidth")
