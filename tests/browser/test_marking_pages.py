"""The pages of a marked class in Chromium: they can be read by everybody, and print nothing odd."""

import sys

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import SHOTS, STANDARDS

from classroom.marking import __main__ as command

LEVELS = {"preload": False, "runOnly": STANDARDS}
RIGHT = "def my_gaussian(u):\n    return torch.exp(-u**2 / 2)"
WRONG = "def my_gaussian(u):\n    return torch.exp(-u**2)"
LONG = "def my_boxcar(u):\n    return (u.abs() <= 1).to(u.dtype)  # " + "a long remark " * 12
STUBS = [f"def {name}(u):\n    ...  # your code here" for name in ("my_gaussian", "my_boxcar")]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="answers are locked up on Linux")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The pages of a class of four, of whom two wrote alike and one sent what cannot be read."""
    folder, results = (tmp_path_factory.mktemp(name) for name in ("returned", "results"))
    for learner, cells in {
        "Ada": [*STUBS, RIGHT, LONG, 'predict("1.1", "D")'],
        "Ben": [*STUBS, WRONG, LONG, 'predict("1.1", "B")'],
        "Chen": STUBS,
    }.items():
        cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
        notebook = nbformat.v4.new_notebook(cells=cells)
        (folder / learner).mkdir()
        (folder / learner / "01.ipynb").write_text(nbformat.writes(notebook), "utf-8")
    (folder / "Dora").mkdir()
    (folder / "Dora" / "01.ipynb").write_text("{", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "RESULTS", results)
        command.main([str(folder), "--workers", "1"])
    return results / folder.name


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1366])
def test_marking_pages_are_for_everybody(made, browser, width, scheme):
    """WCAG 2.2 AA and good practice, as far as axe-core can see; and no page scrolls sideways."""
    files = [made / "class.html", *(made / "feedback").glob("*.html")]
    assert len(files) == 4
    page = browser.new_page(
        viewport={"width": width, "height": 768}, color_scheme=scheme, bypass_csp=True
    )
    for file in files:
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
        found = Axe().run(page, options=LEVELS).response["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == [], file.name
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, file.name
        page.screenshot(path=SHOTS / f"marks_{file.stem}_{scheme}_{width}.png", full_page=True)
    page.close()
