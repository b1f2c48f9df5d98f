"""What the pages and workflows name is there: commands, modules, files."""

import importlib.util
import re

import pytest

from tools.lessons import ROOT

PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "README.md"]
PAGES += sorted([*ROOT.glob("classroom/*.md"), *ROOT.glob(".github/workflows/*.yml")])
TARGETS = re.findall(r"^([a-z -]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
NOT_YET = re.compile(r"lesson20|lessonNN|20_")  # a new lesson's


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_the_page_names_is_there(page):
    text = page.read_text(encoding="utf-8")
    asked = {*re.findall(r"(?:`|^    |run: )make ([a-z-]+)", text, re.MULTILINE)}
    known = {*" ".join(TARGETS).split()}
    for module in re.findall(r"python -m ([\w.]+)", text):
        found = importlib.util.find_spec(module)
        assert found, module
        if found.submodule_search_locations:
            assert importlib.util.find_spec(f"{module}.__main__"), module
    for path in re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", text):
        if (ROOT / path.partition("/")[0]).exists() and not path.startswith("build"):
            places = (ROOT / path, page.parent / path)
            assert NOT_YET.search(path) or any(place.exists() for place in places), path
    for path, anchor in re.findall(r"\]\(([\w./-]+)(?:#([\w-]+))?\)", text):
        target = page.parent / path
        assert target.exists(), path
        headings = re.findall(r"^#+ (.*)$", target.read_text("utf-8") if anchor else "", re.M)
        anchors = {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}
        assert not anchor or anchor in anchors, anchor
    assert asked <= known
