"""The glossary: each word is explained by words before it, and linked where it is due."""

import re

import nbformat
import pytest
from docutils import nodes

from tools.notebook import heading
from tools.site import words

ALL = words.words()
EACH = pytest.mark.parametrize("word", ALL, ids=lambda word: word.name)


def test_there_are_thirty_seven_in_the_order_of_the_lessons():
    listed = re.findall(r"^- ", words.FILE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(ALL) == len(listed) == len({word.name for word in ALL}) == 37
    assert [word.lesson for word in ALL] == sorted(word.lesson for word in ALL)


def test_each_is_explained_by_words_that_stand_above_it():
    for place, word in enumerate(ALL):
        assert not [u.name for *_, u in words.uses(word.said, ALL) if ALL.index(u) > place], word


@EACH
def test_each_is_said_in_two_sentences_and_used_in_the_section_that_introduces_it(word):
    assert 1 <= len(re.findall(r"[.](?:\s|$)", word.said)) <= 2 and len(word.said) < 250
    path, wanted = word.section()
    title, told = "", []
    for cell in nbformat.read(path, as_version=4).cells:
        if heading(cell)[0] == 2:
            title = heading(cell)[1]
        if cell.cell_type == "markdown" and title == wanted:
            told.append(
                re.sub(r"^#+ .*|\(data:[^)]*\)|`[^`]*`|\$[^$]*\$", "", cell.source, flags=re.M)
            )
    assert words.uses("\n".join(told), [word])


def test_a_lesson_that_means_something_else_by_a_word_does_not_link_it():
    assert "bandwidth" in {word.name for word in words.known_in("01")}
    assert "bandwidth" not in {word.name for word in words.known_in("12")}
    assert "token" not in {word.name for word in words.known_in("02")}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Keys and queries", ["key", "query"]),
        ("keyboards, monkeys, multi-head, headings", []),
        ("a causal\nmask, masks", ["causal mask", "mask"]),
        ("self-attention is attention", ["self-attention", "attention"]),
        ("Residuals and caches", ["residual connection", "KV cache"]),
    ],
)
def test_a_text_uses_words_also_in_the_plural_and_the_longer_of_two(text, found):
    assert [word.name for *_, word in words.uses(text, ALL)] == found


def test_the_first_use_is_linked_and_nothing_in_titles_code_formulas_and_links():
    text = nodes.paragraph(
        "", "", nodes.Text("A key, a causal mask, and another key; a causal mask.")
    )
    untouched = [
        nodes.title("", "A key"),
        nodes.literal_block("", "key"),
        nodes.paragraph("", "", nodes.literal("", "key"), nodes.math("", "key")),
        nodes.paragraph("", "", nodes.reference("", "key", refuri="x")),
        nodes.raw("", "key", format="html"),
    ]
    tree = nodes.section("", *untouched, text, nodes.paragraph("", "one more key and a mask"))
    words.linked(tree, ALL)
    links = [link for link in tree.findall(nodes.reference) if "word" in link["classes"]]
    assert [link.astext() for link in links] == ["key", "causal mask", "mask"]
    assert links[0].parent is text and text.astext().startswith("A key, a causal mask, and another")
    assert links[0]["refuri"] == "glossary.html#term-key" and links[0]["reftitle"] == ALL[1].said
