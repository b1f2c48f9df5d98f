"""What tools/notebook.py says of notebooks is what attn_lesson prints."""

from attn_lesson.catalogue import reaction, tables
from tools import notebook


def test_the_table_lists_every_tag():
    assert all(f"`{tag}`" in notebook.__doc__ for tag in notebook.TAGS)


def test_what_a_learner_chose_is_found_in_what_is_printed():
    for question in tables()[1]:
        assert notebook.SAID.match(reaction(question, "a")).groups() == (question, "A")
    for call in ("predict('3P', 'A')", 'predict( "3P" , answer="A")'):
        assert notebook.CHOSEN.search(call).groups() == ("3P", "A")
    assert not notebook.CHOSEN.search("predict('3P')")
