"""Pages and slides: whole, without a network, and without what they should not give away."""

import base64
import copy
import dataclasses
import io
import re

import bs4
import nbformat
import pytest
import reading_checks
import torch
from fontTools.ttLib import TTFont
from nbformat import v4

from attn_teach import head_view
from tools import pages
from tools.course import course, facts
from tools.lessons import BUILD
from tools.notebook import tags

LESSONS = pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.path.stem)


@pytest.fixture(scope="module")
def made():
    """The page and the slides of each lesson, and the indexes, parsed."""
    return {
        (kind, path.stem): bs4.BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for kind in pages.INDEX
        for path in pages.write(kind)
    }


@pytest.fixture(params=sorted(pages.INDEX))
def kind(request):
    return request.param


def stored(lesson):
    return nbformat.read(lesson.path, as_version=4)


@LESSONS
def test_nothing_is_fetched(kind, lesson, made):
    soup = made[kind, lesson.path.stem]
    assert not soup.find_all(["link", "iframe", "object", "video"])
    for tag in soup.find_all(src=True):
        assert tag["src"].startswith("data:"), tag["src"][:80]
    for script in soup.find_all("script"):
        assert "import(" not in script.get_text()
    styles = "\n".join(style.get_text() for style in soup.find_all("style"))
    assert not re.search(r"@import|url\((?!data:|[\"']?data:)", styles)


@pytest.fixture(scope="module")
def fonts(made):
    """The fonts of the first page, by family, and those of its first diagram."""
    soup = made["html", course()[0].path.stem]
    diagram = next(image["src"] for image in soup.find_all("img") if "svg" in image["src"])
    svg = base64.b64decode(diagram.split(",")[1]).decode()
    return {"page": fonts_in(soup.find("style").string), "diagram": fonts_in(svg)}


def fonts_in(styles):
    rule = (
        r'@font-face { font-family: "([^"]*)";[^}]*? src: url\(data:font/woff;base64,([^)]*)\); }'
    )
    found = {}
    for family, data in re.findall(rule, styles):
        found.setdefault(family, []).append(TTFont(io.BytesIO(base64.b64decode(data))))
    return found


@LESSONS
def test_fonts_have_every_letter(kind, lesson, made, fonts):
    letters = {"Lesson Sans": set(), "Lesson Mono": set(), "Lesson Math": set()}
    soup = copy.copy(made[kind, lesson.path.stem])
    for program in soup.find_all(["script", "style"]):
        program.decompose()
    for text in soup.find_all(string=True):
        around = {parent.name for parent in text.parents}
        family = "Math" if "math" in around else "Mono" if around & {"code", "pre"} else "Sans"
        letters[f"Lesson {family}"].update(text)
    for family, written in letters.items():
        for font in fonts["page"][family]:
            assert not {c for c in written if c.isprintable()} - set(map(chr, font.getBestCmap()))


def test_fonts_bring_their_licences(fonts):
    assert {family: len(faces) for family, faces in fonts["page"].items()} == {
        "Lesson Sans": 3, "Lesson Mono": 3, "Lesson Math": 1
    }  # fmt: skip
    assert {family: len(faces) for family, faces in fonts["diagram"].items()} == {"DejaVu Sans": 2}
    for name, faces in {**fonts["page"], **fonts["diagram"]}.items():
        for font in faces:
            notice, licence = (font["name"].getDebugName(number) for number in (0, 13))
            assert "Copyright" in notice
            assert ("Open Font License" if "Math" in name else "Bitstream Vera Fonts") in licence


@LESSONS
def test_formulas_are_mathml_and_none_is_left_as_text(kind, lesson, made):
    soup = made[kind, lesson.path.stem]
    sources = [cell.source for cell in stored(lesson).cells if cell.cell_type == "markdown"]
    formulas = [f for source in sources for f in reading_checks.formulas_of(source)]
    count = len(soup.find_all("math"))
    assert count == len(formulas) if kind == "html" else 0 < count <= 2 * len(formulas)
    for text in copy.copy(soup).find_all(class_="text"):  # others need it whole
        for skipped in text.find_all(["code", "math", "pre"]):
            skipped.decompose()
        assert "$" not in text.get_text()
        assert "\\" not in text.get_text()
    assert not [e for e in soup.find_all("mtext") if "\\" in e.get_text()]


@LESSONS
def test_displayed_formulas_stand_alone(lesson, made):
    sources = [cell.source for cell in stored(lesson).cells if cell.cell_type == "markdown"]
    asked = sum(source.count("$$") for source in sources) // 2
    blocks = made["html", lesson.path.stem].find_all("math", display="block")
    assert len(blocks) == asked


@LESSONS
def test_pictures_are_inside_and_described(kind, lesson, made):
    soup = made[kind, lesson.path.stem]
    images = soup.find_all("img")
    assert images
    for image in images:
        assert image["src"].startswith("data:image/")
        assert len(image["alt"]) >= 20
    shown = [
        output.metadata["image/png"]["alt"]
        for cell in stored(lesson).cells
        if kind == "html" or "solution" not in tags(cell)
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    figures = soup.select(".figure img")
    assert [image["alt"] for image in figures] == shown


def test_a_head_view_comes_with_its_script(kind):
    view = head_view(torch.eye(3).expand(2, 3, 3), ["<b>", "&", "c"])
    data, metadata = view._repr_mimebundle_()
    output = v4.new_output("display_data", data, metadata=metadata)
    cell = v4.new_code_cell("view", outputs=[output])
    cell.metadata.slideshow = {"slide_type": "slide"}
    lesson, notebook = course()[0], v4.new_notebook(cells=[cell])
    text = pages.slides(notebook, lesson) if kind == "slides" else pages.page(notebook, lesson, "")
    (script,) = bs4.BeautifulSoup(text, "html.parser").select(".head-view script")
    assert f"<script>{script.string}</script>" in data["text/html"]
    (image,) = bs4.BeautifulSoup(text, "html.parser").select(".head-view img")
    assert data["text/html"].count(image["src"]) == text.count(image["src"]) == 1


@LESSONS
def test_page_has_every_cell_and_folds_every_solution(lesson, made):
    soup = made["html", lesson.path.stem]
    text = soup.get_text()
    for cell in stored(lesson).cells:
        if cell.cell_type == "code" and "predict" not in tags(cell):
            assert cell.source.splitlines()[0] in text
    folds = soup.select("details:not(.head-view details)")
    assert len(folds) == lesson.exercises
    assert not [fold for fold in folds if fold.find("details")], "one must open two"
    cells = [cell for cell in stored(lesson).cells if "solution" in tags(cell)]
    assert sum(len(fold.select("div.text, div.code")) for fold in folds) == len(cells) - 1
    folded = "\n".join(fold.get_text() for fold in folds)
    for cell in stored(lesson).cells:
        if cell.cell_type == "code" and "solution" in tags(cell):
            assert cell.source.splitlines()[0] in folded
    for notes in (c.metadata.instructor.notes for c in stored(lesson).cells if told(c)):
        assert notes[:40] not in text


def told(cell):
    return "instructor" in cell.metadata


@LESSONS
def test_every_slide_has_its_sections_notes_and_share_of_the_minutes(lesson, made):
    slides = made["slides", lesson.path.stem].select(".slides > section > section")
    assert 30 <= len(slides) <= 70
    seconds = sum(int(slide["data-timing"]) for slide in slides if slide.get("data-timing"))
    assert abs(seconds - 60 * (lesson.minutes + lesson.exercise_minutes)) < len(slides)
    for slide in slides:
        (notes,) = slide.find_all("aside", class_="notes", recursive=False)
        assert re.match(r"\d+ minutes?\.", notes.get_text().strip()) or not slide.get("data-timing")
    notes = [cell.metadata.instructor.notes for cell in stored(lesson).cells if told(cell)]
    asides = [aside.get_text() for aside in made["slides", lesson.path.stem].select("aside.notes")]
    for text in notes:
        start = text.split("$")[0].split("`")[0][:40].strip()
        assert any(start in aside for aside in asides)


@LESSONS
def test_slides_show_no_solution_and_no_answer_before_its_time(lesson, made):
    soup = made["slides", lesson.path.stem]
    assert not re.search(r"Solutions?\b", "\n".join(h.get_text() for h in soup.find_all("h2")))
    code = "\n".join(block.get_text() for block in soup.select(".highlight"))
    for cell in stored(lesson).cells:
        if cell.cell_type == "code" and "solution" in tags(cell):
            assert cell.source not in code
    appearing = 0
    for slide in soup.select(".slides > section > section"):
        revealing = False
        for cell in slide.find_all("div", class_=["text", "code"]):
            assert ("fragment" in cell["class"]) == revealing
            revealing = revealing or bool(cell.select("pre.output, .figure"))
            appearing += revealing
    assert appearing > 20


def test_index_leads_to_every_lesson(kind, made):
    soup = made[kind, "index"]
    links = [link["href"] for link in soup.find_all("a")]
    assert links == [f"{lesson.path.stem}.html" for lesson in course()]
    for link in links:
        assert (BUILD / kind / link).is_file()
    for lesson in course():
        assert lesson.question in soup.get_text()


def test_pages_lead_to_their_neighbors(made):
    names = [lesson.path.stem for lesson in course()]
    for place, name in enumerate(names):
        soup = made["html", name]
        expected = ["index.html"]
        expected += [f"{other}.html" for other in names[max(place - 1, 0) : place]]
        expected += [f"{other}.html" for other in names[place + 1 : place + 2]]
        assert [link["href"] for link in soup.find("nav").find_all("a")] == expected


def parsed(path):
    return bs4.BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def test_what_is_made_one_by_one_leads_to_what_is_there(kind, monkeypatch, tmp_path):
    monkeypatch.setattr(pages, "BUILD", tmp_path)
    names = [f"{lesson.path.stem}.html" for lesson in course()]
    for number in (1, 2):
        index, page = pages.write(kind, [f"0{number}"])
        listed = [link["href"] for link in parsed(index).select("main a")]
        assert page.name == names[number - 1] and listed == names[:number]
        if kind == "html":
            led = [link["href"] for link in parsed(page).find("nav").find_all("a")]
            assert led == ["index.html", *names[: number - 1]]


ODD = 'Is a<b & "c">d &lt; e?'


def test_titles_and_questions_are_no_markup(kind, monkeypatch, tmp_path):
    """Whatever an author writes there is read as it is."""
    monkeypatch.setattr(pages, "BUILD", tmp_path)
    odd = {"title": ODD, "question": ODD}
    monkeypatch.setattr(pages, "facts", lambda path: dataclasses.replace(facts(path), **odd))
    index, first, _ = map(parsed, pages.write(kind, ["01", "02"]))
    assert [cell.get_text() for cell in index.find_all("td")][1:3] == [ODD, ODD]
    assert first.find("title").get_text() == f"01 {ODD}"
    assert kind == "slides" or ODD in first.find("nav").get_text()


def test_the_heading_of_a_solution_is_no_markup():
    cells = [v4.new_markdown_cell(f"### {ODD}", metadata={"tags": ["solution"]})]
    page = pages.page(v4.new_notebook(cells=cells), course()[0], "")
    assert bs4.BeautifulSoup(page, "html.parser").find("summary").get_text() == ODD


@LESSONS
def test_formulas_are_well_formed(lesson, made):
    """A script with a child too many is drawn as a row: the power stands on the line."""
    soup = made["html", lesson.path.stem]
    children = {"msub": 2, "msup": 2, "mfrac": 2, "mover": 2, "munder": 2, "msubsup": 3}
    for name, number in children.items():
        for element in soup.find_all(name):
            assert len(element.find_all(recursive=False)) == number, element


def test_a_formula_becomes_what_it_means():
    def inner(latex):
        markup = pages.mathml(latex, "inline")
        return re.sub(r"</?(math|mrow)[^>]*>|&#x[^;]*;", "", markup)

    assert inner(r"\sqrt d") == "<msqrt><mi>d</mi></msqrt>"
    assert inner(r"\text{valid\_lens}") == "<mtext>valid_lens</mtext>"
    bar = '<mo stretchy="false" lspace="0" rspace="0">|</mo>'
    assert inner("|q|") == f"{bar}<mi>q</mi>{bar}"
    space = '<mspace width="0.17em" />'
    assert inner(r"\sin x") == f"<mi>sin</mi>{space}<mi>x</mi>"
    squared = "<msup><mi>sin</mi><mn>2</mn></msup>"
    assert inner(r"a \sin^2 b") == f"<mi>a</mi>{space}{squared}{space}<mi>b</mi>"
    assert inner(r"\log(x)").startswith("<mi>log</mi><mo")
    assert 'display="block"' in pages.mathml("x", "block")
