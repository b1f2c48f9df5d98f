"""Slides: one thing each, without a network, and without what they should not give away."""

import dataclasses
import re

import bs4
import nbformat
import pytest
import torch
from nbformat import v4

from attn_teach import head_view
from tools.course import course, facts
from tools.notebook import ASKED, DIAGRAM, notes, tags
from tools.site import slides

LESSONS = pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.path.stem)
ODD = 'Is a<b & "c">d &lt; e?'


def parsed(path):
    return bs4.BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slides, "BUILD", tmp_path_factory.mktemp("slides"))
        return {path.stem: parsed(path) for path in slides.write()}


def deck(made, lesson):
    return made[lesson.path.stem].select(".slides > section > section")


def stored(lesson):
    return nbformat.read(lesson.path, as_version=4)


@LESSONS
def test_nothing_is_fetched(lesson, made):
    soup = made[lesson.path.stem]
    assert not soup.find_all(["link", "iframe", "object", "video"])
    for tag in soup.find_all(src=True):
        assert tag["src"].startswith("data:"), tag["src"][:80]
    for script in soup.find_all("script"):
        assert "import(" not in script.get_text()
    styles = "\n".join(style.get_text() for style in soup.find_all("style"))
    assert not re.search(r"@import|url\((?!data:|[\"']?data:)", styles)


@LESSONS
def test_a_slide_has_a_heading_and_one_thing(lesson, made):
    shown = deck(made, lesson)
    assert 20 <= len(shown) <= 40
    for slide in shown:
        (heading,) = slide.find_all(["h1", "h2"], recursive=False)
        assert heading.get_text().strip()
        body = slide.find("div", class_="body", recursive=False)
        assert len(body.find_all(["h1", "h2", "h3"])) == 0
        programs, pictures = body.select(".highlight"), body.select(".picture")
        kinds = bool(programs or body.select("pre.output")) + len(pictures)
        assert kinds <= 1 and len(programs) <= 1
        if programs:
            lines = programs[0].get_text().rstrip().splitlines()
            assert len(lines) <= slides.LINES and max(map(len, lines)) <= slides.WIDE
        if not kinds and slide["class"][0] in ("words", "answer", "title"):
            for each in body.find_all("math"):
                each.replace_with("x")
            if heading.get_text() != "Exercises":
                assert len(body.get_text().split()) <= slides.WORDS, body.get_text()


@LESSONS
def test_what_is_shown_is_the_lessons(lesson, made):
    cells = stored(lesson).cells
    own = "".join(c.metadata.get("hall", "") for c in cells)
    said = plain(own + "".join(c.source for c in cells if c.cell_type == "markdown"))
    printed = "".join(str(o) for c in cells for o in c.get("outputs", []))
    for slide in deck(made, lesson):
        body = slide.find("div", class_="body")
        for paragraph in body.find_all(["p", "li"]):
            if paragraph.find_parent(class_="head-view") or "notice" in paragraph.get("class", []):
                continue
            for text in paragraph.find_all(string=True):
                if not text.find_parent("math"):
                    assert plain(text) in said, text
        for output in body.select("pre.output"):
            for number in re.findall(r"\d+\.\d+", output.get_text()):
                assert number in printed


def plain(text):
    return re.sub(r"\W+", "", text)


@LESSONS
def test_a_question_stands_alone_and_before_what_comes_out(lesson, made):
    numbers = [found for c in stored(lesson).cells for found in ASKED.findall(c.source)]
    shown = deck(made, lesson)
    asked = [slide for slide in shown if "question" in slide["class"]]
    assert [slide.find("h2").get_text() for slide in asked] == [
        f"Predict first ({number})" for number in numbers
    ]
    for slide in asked:
        assert not slide.select("pre, .picture") and len(slide.select("li")) >= 3
        later = shown[shown.index(slide) + 1 :]
        until = next(i for i, other in enumerate(later) if "answer" in other["class"])
        between = [other["class"][0] for other in later[:until]]
        assert set(between) <= {"code", "picture"}, between
    answers = [slide for slide in shown if "answer" in slide["class"]]
    assert len(answers) >= len(asked)


@LESSONS
def test_figures_and_diagrams_are_shown_and_described(lesson, made):
    wanted = []
    for cell in stored(lesson).cells:
        if slides.slide_type(cell) != "skip" and not {"solution", "badges"} & tags(cell):
            if cell.cell_type == "markdown":
                wanted += [alt for alt, _, _ in DIAGRAM.findall(cell.source)]
            for output in cell.get("outputs", []):
                if "image/png" in output.get("data", {}):
                    wanted.append(output.metadata["image/png"]["alt"])
    shown = [slide.select_one(".picture img")["alt"] for slide in deck(made, lesson)
             if slide.select_one(".picture")]  # fmt: skip
    assert shown == wanted and shown


def test_a_head_view_comes_with_its_script():
    view = head_view(torch.eye(3).expand(2, 3, 3), ["<b>", "&", "c"])
    data, metadata = view._repr_mimebundle_()
    output = v4.new_output("display_data", data, metadata=metadata)
    cells = [
        v4.new_markdown_cell("# 01 · A title\n\nWords."),
        v4.new_code_cell("view", outputs=[output]),
    ]
    text = slides.slides(v4.new_notebook(cells=cells), course()[0])
    (script,) = bs4.BeautifulSoup(text, "html.parser").select(".head-view script")
    assert f"<script>{script.string}</script>" in data["text/html"]


@LESSONS
def test_slides_share_the_minutes_and_have_the_notes(lesson, made):
    shown = deck(made, lesson)
    seconds = sum(int(slide["data-timing"]) for slide in shown if slide.get("data-timing"))
    assert abs(seconds - 60 * (lesson.minutes + lesson.exercise_minutes)) < len(shown)
    asides = [aside.get_text() for aside in made[lesson.path.stem].select("aside.notes")]
    assert len(asides) == len(shown)
    for cell in stored(lesson).cells:
        if "notes" in notes(cell):
            start = notes(cell)["notes"].split("$")[0].split("`")[0][:40].strip()
            assert any(start in aside for aside in asides), start


@LESSONS
def test_slides_show_no_solution(lesson, made):
    code = "\n".join(block.get_text() for block in made[lesson.path.stem].select(".highlight"))
    for cell in stored(lesson).cells:
        if cell.cell_type == "code" and "solution" in tags(cell):
            assert plain(cell.source) not in plain(code)


def test_what_is_made_one_by_one_leads_to_what_is_there(monkeypatch, tmp_path):
    monkeypatch.setattr(slides, "BUILD", tmp_path)
    names = [f"{lesson.path.stem}.html" for lesson in course()]
    for number in (1, 2):
        index, page = slides.write([f"0{number}"])
        listed = [link["href"] for link in parsed(index).select("main a")]
        assert page.name == names[number - 1] and listed == names[:number]


def test_titles_and_questions_are_no_markup(monkeypatch, tmp_path):
    """Whatever an author writes there is read as it is."""
    monkeypatch.setattr(slides, "BUILD", tmp_path)
    odd = {"title": ODD, "question": ODD}
    monkeypatch.setattr(slides, "facts", lambda path: dataclasses.replace(facts(path), **odd))
    index, first = map(parsed, slides.write(["01"]))
    assert index.find("li").get_text().count(ODD) == 2
    assert first.find("title").get_text() == f"01 {ODD}"


@pytest.mark.parametrize(
    ("text", "most", "first"),
    [
        ("One two. Three four.", 4, "One two. Three four."),
        ("One two. Three four.", 3, "One two."),
        ("One two three four five.", 3, "One two three four five."),
        ("One two. Look here:\n\n| a |\n|---|", 10, "One two."),
        ("One $a b c d$. Two.", 3, "One $a b c d$. Two."),
        ("One:\n\n- a b\n- c d\n- e f", 6, "One:\n\n- a b\n- c d"),
    ],
)
def test_first_words_are_whole_sentences(text, most, first):
    assert slides.first_words(text, most) == first


def test_a_comment_that_is_too_wide_goes_above_its_line():
    code = "    " + "x" * 60
    assert slides.wrapped([f"{code}  # {'why ' * 6}"]) == [f"    # {'why ' * 6}", code]
    assert slides.wrapped(["short  # why"]) == ["short  # why"]
    assert max(map(len, slides.wrapped(["x y " * 50]))) <= slides.WIDE
