"""A lesson as a PDF: whole, in pages, nothing cut at an edge, and no heading alone."""

import re
import subprocess
import sys

import bs4
import nbformat
import pypdf
import pytest

from tools.course import course
from tools.lessons import ROOT
from tools.notebook import DIAGRAM, tags

LESSONS = [course()[2], course()[11]]
BUILD = """
import sys
from pathlib import Path
from tools.course import course
from tools.site import paper, site
folder, paths = Path(sys.argv[1]), [course()[2].path, course()[11].path]
site.SITE, site.SOURCE = folder / "site", folder / "source"
paper.write(site.build([path.stem for path in paths], still=True, pdf=True), paths)
"""


def plain(text):
    return re.sub(r"\W+", "", text)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A site of the lessons, with their PDFs: Sphinx and Playwright run once in a process."""
    folder = tmp_path_factory.mktemp("paper")
    subprocess.run([sys.executable, "-c", BUILD, str(folder)], cwd=ROOT, check=True)
    return folder / "site"


@pytest.fixture(params=LESSONS, ids=lambda lesson: lesson.path.stem)
def printed(request, built):
    """The site, a lesson's page, parsed, its PDF, and the lesson."""
    lesson = request.param
    page = bs4.BeautifulSoup((built / f"{lesson.path.stem}.html").read_text("utf-8"), "html.parser")
    (link,) = page.select(".links a[href$='.pdf']")
    return built, page, pypdf.PdfReader(built / link["href"]), lesson


def test_it_holds_the_lesson_from_its_title_to_the_last_answer(printed):
    _, page, pdf, lesson = printed
    pages = [plain(each.extract_text()) for each in pdf.pages]
    assert len(pages) > 1 and lesson.title in pdf.metadata.title
    assert plain(lesson.title) in pages[0]
    cells = nbformat.read(lesson.path, as_version=4).cells
    asked = next(cell.source for cell in cells if "Predict first" in cell.source)
    question = re.search(r"\*\*Predict first.*?\*\*(.*?\?)", asked, re.DOTALL)[1]
    assert plain(question) in pages[0]
    whole = "".join(pages)
    for title in page.select("article h2, article h3"):
        assert plain(title.get_text().rstrip("¶")) in whole
    answers = whole.partition("Answerstothepredictions")[2]
    reveals = [cell for cell in cells if "reveal" in tags(cell)]
    assert len(reveals) > 3
    for number in page.select("#answers-to-the-predictions .number"):
        assert plain(number.get_text()) in answers
    for reveal in reveals:
        said = DIAGRAM.sub("", reveal.source)
        first = max(re.split(r"[*`$.\n]", said), key=len)[:40]
        assert plain(first) in answers and plain(first) not in whole.partition(answers)[0]
    assert "Downloadthenotebook" not in whole and "Skiptocontent" not in whole


def test_pages_are_numbered_and_named_and_no_heading_stands_alone(printed):
    _, page, pdf, lesson = printed
    titles = {plain(t.get_text().rstrip("¶")) for t in page.select("h2, h3, .number")}
    for number, each in enumerate(pdf.pages, start=1):
        lines = [plain(line) for line in each.extract_text().splitlines() if line.strip()]
        lines.remove(f"{number}{len(pdf.pages)}")
        assert any(line.startswith(lesson.number + plain(lesson.title)) for line in lines)
        assert lines[-1] not in titles


def test_nothing_is_wider_than_a_page(printed, browser):
    built, *_, lesson = printed
    page = browser.new_page(viewport={"width": 658, "height": 900})  # what an A4 page has room for
    page.goto((built / f"{lesson.path.stem}.html").as_uri())
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 658
    parts = page.locator("pre:visible, .figure:visible, .diagram:visible, .output:visible").all()
    assert len(parts) > 20
    assert all(part.evaluate("e => e.scrollWidth <= e.clientWidth + 1") for part in parts)
    page.close()
