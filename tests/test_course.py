"""What README.md and TEACHING.md say of the lessons is what the lessons say."""

import re

from tools.course import NOTICE, course, table
from tools.lessons import ROOT


def test_teaching_page_has_the_table_that_the_lessons_give():
    """If it fails: put what `python -m tools.course` prints in the place of the table."""
    assert table() in (ROOT / "TEACHING.md").read_text(encoding="utf-8")


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
