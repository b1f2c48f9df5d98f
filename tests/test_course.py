"""What README.md and classroom/TEACHING.md say of the lessons is what the lessons say."""

import re
import xml.etree.ElementTree as ET

import nbformat
import pytest

from tools.course import course, row, table
from tools.lessons import ROOT

pytestmark = pytest.mark.of_all_lessons


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


TEACHING, EXAM = read("classroom/TEACHING.md"), read("classroom/EXAM.md")
LESSONS = {lesson.number: lesson for lesson in course()}
TEXTS = {number: "\n".join(cell.source for cell in nbformat.read(lesson.path, 4).cells)
         for number, lesson in LESSONS.items()}  # fmt: skip
TAKES = {
    number: (title, " ".join(takes.split()), aims)
    for number, title, takes, aims in re.findall(
        r"(?<=\n\n)\*\*(\d\d) (.*?)\*\* takes ([^#]*?)\n\n((?:- .*\n)+)", TEACHING
    )
}


def needed(number):
    """Return the numbers of the lessons that a lesson says it needs."""
    says = re.search(r"You need (.*?)(?:Plan about|$|\n#)", TEXTS[number], re.DOTALL)[1]
    spans = re.findall(r"(\d\d) to (\d\d)", says)
    between = {f"{n:02}" for a, b in spans for n in range(int(a), int(b) + 1)}
    return sorted({*re.findall(r"\b\d\d\b", says)} | between)


def test_the_tables_are_what_the_lessons_give():
    assert table() in TEACHING, "`python -m tools.course` writes it anew"
    for lesson in LESSONS.values():
        assert row(lesson) in read("README.md")
        assert 45 <= lesson.minutes <= 75 and lesson.exercises >= 5
        assert 2 <= len(lesson.mistakes) <= 3
        assert all(mistake[-1].isalnum() for mistake in lesson.mistakes), "the table ends them"


def test_what_the_page_says_a_lesson_takes_is_what_it_says_it_needs_and_the_picture_has_all():
    svg = "{http://www.w3.org/2000/svg}"
    picture = ET.parse(ROOT / "img" / "course.svg")
    titles = [text.text for text in picture.iter(f"{svg}text")]
    [told] = picture.iter(f"{svg}desc")
    assert f"![{told.text}](../img/course.svg)" in TEACHING
    assert len(TAKES) == 16
    for number, (title, takes, _) in TAKES.items():
        assert title == LESSONS[number].title and f"{number} {title}" in titles
        found = sorted({*re.findall(r"\b(\d\d) (?:section|\*)", takes)})
        assert found == needed(number) and f"{number} {title}" in told.text


@pytest.mark.parametrize("number", TAKES)
def test_headings_questions_and_exercises_that_the_page_names_exist(number):
    _, takes, aims = TAKES[number]
    for source, heading in re.findall(r"(\d\d) \*(.*?)\*", takes):
        assert f"\n## {heading}\n" in TEXTS[source], heading
    for aim in aims.splitlines():
        asked, solved = re.findall(r"E(\d+\.\d)", aim), re.findall(r"exercise (\d+\.\d)", aim)
        assert asked or solved, aim
        assert all(f"### E{name} " in EXAM for name in asked), aim
        numbered = r"^### (?:Exercise|Your turn) (\S+) "
        assert set(solved) <= set(re.findall(numbered, TEXTS[number], re.MULTILINE)), aim


def test_sections_and_sources_that_the_page_names_are_those_of_lessons():
    for lesson, section in re.findall(r"\b(\d\d)\s+section\s+(\d)", TEACHING):
        assert re.search(rf"^## {section}[. ]", TEXTS[lesson], re.MULTILINE), (lesson, section)
    every = " ".join(" ".join(TEXTS.values()).split())
    for entry in TEACHING.split("## Reading")[1].split("\n## ")[0].split("\n- ")[1:]:
        authors, title = re.match(
            r"(.*?) (?:19|20)\d\d, \*(.*?)\*", " ".join(entry.split())
        ).groups()
        assert title.partition(":")[0] in every
        assert re.search(r"[A-Z][a-z]+", authors)[0] in every
