"""The pages of a marked class in Chromium: they can be read by everybody, and print nothing odd."""

import sys

import nbformat
import pytest
from chromium import OPEN, SHOTS, breaches, page_width

from classroom.marking import __main__ as command

RIGHT = "def my_gaussian(u):\n    return torch.exp(-u**2 / 2)"
WRONG = "def my_gaussian(u):\n    return torch.exp(-u**2)"
LONG = "def my_boxcar(u):\n    return (u.abs() <= 1).to(u.dtype)  # " + "a long remark " * 12
STUBS = [f"def {name}(u):\n    ...  # your code here" for name in ("my_gaussian", "my_boxcar")]
CLASS = {  # two wrote alike, and one sent what cannot be read
    "Ada": [*STUBS, RIGHT, LONG, 'predict("1P", "D")'],
    "Ben": [*STUBS, WRONG, LONG, 'predict("1P", "B")'],
    "Chen": STUBS,
    "Dora": None,
}


@pytest.mark.skipif(sys.platform != "linux", reason="answers are locked up on Linux")
def test_marking_pages_are_for_everybody(tmp_path, monkeypatch, open_page):
    """WCAG 2.2 AA and good practice, as far as axe-core can see; and no page scrolls sideways."""
    for learner, sources in CLASS.items():
        cells = [nbformat.v4.new_code_cell(source) for source in sources or ()]
        text = nbformat.writes(nbformat.v4.new_notebook(cells=cells))
        (tmp_path / "returned" / learner).mkdir(parents=True)
        file = tmp_path / "returned" / learner / "01.ipynb"
        file.write_text(text if sources else "{", "utf-8")
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results")
    command.main([str(tmp_path / "returned"), "--workers", "1"])
    made = tmp_path / "results" / "returned"
    files = [made / "class.html", *(made / "feedback").glob("*.html")]
    assert len(files) == len(CLASS)
    for file in files:
        for wide, scheme in ((390, "dark"), (1366, "light")):
            page = open_page(file.as_uri(), wide, color_scheme=scheme, bypass_csp=True)
            page.evaluate(OPEN)
            assert breaches(page) == [] and page_width(page) <= wide, file.name
            page.screenshot(path=SHOTS / f"marks_{file.stem}_{wide}.png", full_page=True)
