"""What README.md and classroom/TEACHING.md say of the lessons is what the lessons say."""

import re
import xml.etree.ElementTree as ET

import nbformat
import pytest

from tools.course import NOTICE, course, table
from tools.lessons import ROOT

pytestmark = pytest.mark.of_all_lessons

TEACHING = (ROOT / "classroom" / "TEACHING.md").read_text(encoding="utf-8")
TAKES = {
    number: (title, " ".join(takes.split()), aims)
    for number, title, takes, aims in re.findall(
        r"(?<=\n\n)\*\*(\d\d) (.*?)\*\* takes ([^#]*?)\n\n((?:- .*\n)+)", TEACHING
    )
}


def text_of(lesson):
    return "\n".join(cell.source for cell in nbformat.read(lesson.path, 4).cells)


def needed(lesson):
    """Return the numbers of the lessons that a lesson says it needs."""
    says = re.search(r"You need (.*?)(?:Plan about|$)", text_of(lesson), re.DOTALL)[1]
    says = re.sub(r"(\d\d) to (\d\d)", lambda m: " ".join(f"{n:02}" for n in between(m)), says)
    return sorted(set(re.findall(r"\b\d\d\b", says.split("\n#")[0])))


def between(match):
    return range(int(match[1]), int(match[2]) + 1)


def test_teaching_page_has_the_table_that_the_lessons_give():
    """If it fails: put what `python -m tools.course` prints in the place of the table."""
    assert table() in TEACHING


def test_readme_lists_the_lessons_with_their_questions():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for lesson in course():
        assert f"| {lesson.number} | {lesson.title} | {lesson.question} |" in readme


def test_every_lesson_fits_a_class_and_has_what_the_table_needs():
    for lesson in course():
        assert 45 <= lesson.minutes <= 75
        assert lesson.exercises >= 5
        assert 2 <= len(lesson.mistakes) <= 3
        assert all(mistake[-1].isalnum() for mistake in lesson.mistakes), "the table ends them"


def test_what_is_handed_out_and_the_readme_name_the_same_licences():
    readme = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", (ROOT / "README.md").read_text(encoding="utf-8"))
    authors, said = NOTICE.split(". ", 1)
    assert said in " ".join(readme.split("## Licence")[1].split())
    assert f"{authors}\n" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_what_the_page_and_the_picture_say_a_lesson_takes_is_what_it_says_it_needs():
    svg = "{http://www.w3.org/2000/svg}"
    picture = ET.parse(ROOT / "img" / "course.svg")
    titles = [text.text for text in picture.iter(f"{svg}text")]
    [told] = picture.iter(f"{svg}desc")
    assert f"![{told.text}](../img/course.svg)" in TEACHING
    drawn = dict(re.findall(r"(\d\d) from ((?:\d\d(?:, )?)+)", told.text))
    lessons = {lesson.number: lesson for lesson in course()}
    assert len(TAKES) == 12
    for number, (title, takes, _) in TAKES.items():
        assert title == lessons[number].title and f"{number} {title}" in titles
        found = sorted(set(re.findall(r"\b(\d\d) (?:section|\*)", takes)))
        assert found == needed(lessons[number]) == re.findall(r"\d\d", drawn.get(number, ""))


@pytest.mark.parametrize("number", TAKES)
def test_sections_questions_and_exercises_that_the_page_names_exist(number):
    _, takes, aims = TAKES[number]
    lessons = {lesson.number: text_of(lesson) for lesson in course()}
    for source, heading in re.findall(r"(\d\d) \*(.*?)\*", takes):
        assert re.search(rf"^## {re.escape(heading)}$", lessons[source], re.MULTILINE), heading
    assert 2 <= aims.count("\n") <= 3
    exam = (ROOT / "classroom" / "EXAM.md").read_text(encoding="utf-8")
    for aim in aims.splitlines():
        asked = re.findall(r"E(\d+\.\d)", aim)
        solved = re.findall(r"exercise (\d+\.\d)", aim)
        assert asked or solved, aim
        assert all(f"### E{name} " in exam for name in asked), aim
        assert all(f"### Exercise {name} " in lessons[number] for name in solved), aim


def test_every_section_that_the_page_names_exists():
    lessons = {lesson.number: text_of(lesson) for lesson in course()}
    named = re.findall(r"\b(\d\d)\s+section\s+(\d)", TEACHING)
    assert len(named) > 20
    for lesson, section in named:
        assert re.search(rf"^## {section}[. ]", lessons[lesson], re.MULTILINE), (lesson, section)


def test_what_there_is_to_read_is_cited_in_a_lesson():
    lessons = " ".join(" ".join(text_of(lesson).split()) for lesson in course())
    section = TEACHING.split("## Reading")[1].split("\n## ")[0]
    _, *entries = section.split("\n- ")
    assert 0 < len(entries) <= 15
    for entry in entries:
        authors, title = re.match(
            r"(.*?) (?:19|20)\d\d, \*(.*?)\*", " ".join(entry.split())
        ).groups()
        assert title.partition(":")[0] in lessons
        assert re.search(r"[A-Z][a-z]+", authors)[0] in lessons


PAGES = ["README.md", *(f"classroom/{page}.md" for page in ("README", "TEACHING", "EXAM"))]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([\w./-]+)(?:#([\w-]+))?\)", (ROOT / page).read_text(encoding="utf-8"))
    assert links
    for path, anchor in links:
        target = (ROOT / page).parent / path
        assert target.exists(), path
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}
