"""A lesson as a PDF: whole, in pages, nothing cut at an edge, and no heading alone."""

import re

import bs4
import nbformat
import pypdf
import pytest
from chromium import page_width

from tools.course import course
from tools.notebook import DIAGRAM, tags, unfolded
from tools.site import paper

HIGH, TOP, BOTTOM = 842, 54, 56  # of an A4 page and its margins, in points, as site.css has them


def plain(text):
    return re.sub(r"\W+", "", text)


@pytest.mark.parametrize("lesson", [course()[2], course()[11]], ids=lambda lesson: lesson.path.stem)
def test_a_lesson_is_printed_from_its_title_to_the_last_answer(lesson, browser, folder, open_page):
    paper.write(browser, folder, [lesson.path])
    stem = lesson.path.stem
    page = bs4.BeautifulSoup((folder / f"{stem}.html").read_text("utf-8"), "html.parser")
    (link,) = page.select(".links a[href$='.pdf']")
    pdf = pypdf.PdfReader(folder / link["href"])
    assert lesson.title in pdf.metadata.title
    texts = [each.extract_text() for each in pdf.pages]
    titles = [plain(t.get_text().rstrip("¶")) for t in page.select("article :is(h2, h3, .number)")]
    for number, text in enumerate(texts, start=1):
        lines = [plain(line) for line in text.splitlines() if line.strip()]
        lines.remove(f"{number}{len(texts)}")
        assert any(line.startswith(lesson.number + plain(lesson.title)) for line in lines)
        assert lines[-1] not in titles, "a heading stands alone"
    whole = "".join(map(plain, texts))
    assert all(title in whole for title in titles)
    answers = whole.partition("Answerstothepredictions")[2]
    cells = nbformat.read(lesson.path, as_version=4).cells
    for reveal in (DIAGRAM.sub("", unfolded(cell)) for cell in cells if "reveal" in tags(cell)):
        first = plain(max(re.split(r"[*`$.\n]", reveal), key=len)[:40])
        assert first in answers and first not in whole.removesuffix(answers)
    assert "Downloadthenotebook" not in whole and "Skiptocontent" not in whole

    seen = open_page(stem, 658, 900)  # what an A4 page has room for
    seen.emulate_media(media="print")
    assert page_width(seen) <= 658
    parts = seen.locator("pre:visible, .figure:visible, .diagram:visible, .output:visible").all()
    assert len(parts) > 20
    assert all(part.evaluate("e => e.scrollWidth <= e.clientWidth + 1") for part in parts)


def filled(page):
    """How far down a page letters and pictures reach, as a part of what its margins leave."""
    lowest = [HIGH - TOP]
    page.extract_text(
        visitor_operand_before=lambda name, _, at, __: name == b"Do" and lowest.append(at[5]),
        visitor_text=lambda text, at, line, *_: (
            text.strip() and lowest.append(line[5] * at[3] + at[5])
        ),
    )
    return 1 - (min(y for y in lowest if y > BOTTOM) - BOTTOM) / (HIGH - TOP - BOTTOM)


def test_no_page_is_half_empty_since_a_picture_waits_for_what_follows(browser, folder):
    lesson = course()[4]
    paper.write(browser, folder, [lesson.path])
    pages = pypdf.PdfReader(folder / "pdf" / f"{lesson.path.stem}.pdf").pages
    assert [each for each in map(filled, pages[:-1]) if each < 0.65] == []
    last = plain(pages[-1].extract_text())
    assert "isright" in last and "Howtocite" not in last  # more than the foot of the web page
