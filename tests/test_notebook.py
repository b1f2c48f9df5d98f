"""What tools/notebook.py says of notebooks is what attn_lesson prints and lessons hold."""

import nbformat
import pytest

from attn_lesson.catalogue import reaction, tables
from tools import notebook
from tools.lessons import lessons, number


def test_the_table_lists_every_tag():
    for tag in notebook.TAGS:
        assert f"`{tag}`" in notebook.__doc__, tag


def test_what_a_learner_chose_is_found_in_what_is_printed():
    for question in tables()[1]:
        assert notebook.SAID.match(reaction(question, "a")).groups() == (question, "A")
    for call in ("predict('3.1', 'A')", 'predict( "3.1" , answer="A")'):
        assert notebook.CHOSEN.search(call).groups() == ("3.1", "A")
    assert not notebook.CHOSEN.search("predict('3.1')")


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_a_lesson_has_its_number_in_front_of_its_name_and_of_its_title(path):
    lesson = nbformat.read(path, as_version=4)
    assert notebook.title(lesson)[0] == number(path)
    assert notebook.number(lesson) == str(int(number(path)))
