"""Formulas and fonts, as the site shows them."""

import base64
import io
import re

import bs4
import nbformat
import pytest
from fontTools.ttLib import TTFont

from tools.course import course
from tools.notebook import DIAGRAM
from tools.site import typeset

LESSONS = pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.path.stem)


def texts(lesson):
    cells = nbformat.read(lesson.path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


@pytest.fixture(scope="module")
def fonts():
    """The font of formulas, by family, and those of the first diagram."""
    diagram = next(filter(None, map(DIAGRAM.search, texts(course()[4]))))
    (source,) = re.findall(r'base64,([^"]*)', typeset.as_html(diagram[0]))
    return {
        "page": fonts_in(typeset.math_font()),
        "diagram": fonts_in(base64.b64decode(source).decode()),
    }


def fonts_in(styles):
    rule = (
        r'@font-face { font-family: "([^"]*)";[^}]*? src: url\(data:font/woff;base64,([^)]*)\); }'
    )
    found = {}
    for family, data in re.findall(rule, styles):
        found.setdefault(family, []).append(TTFont(io.BytesIO(base64.b64decode(data))))
    return found


@LESSONS
def test_the_font_has_every_letter_of_the_formulas(lesson, fonts):
    soup = bs4.BeautifulSoup("\n".join(map(typeset.as_html, texts(lesson))), "html.parser")
    written = {c for formula in soup.find_all("math") for c in formula.get_text()}
    (font,) = fonts["page"]["Lesson Math"]
    assert not {c for c in written if c.isprintable()} - set(map(chr, font.getBestCmap()))


def test_fonts_bring_their_licences(fonts):
    assert {family: len(faces) for family, faces in fonts["page"].items()} == {"Lesson Math": 1}
    assert {family: len(faces) for family, faces in fonts["diagram"].items()} == {"DejaVu Sans": 2}
    for name, faces in {**fonts["page"], **fonts["diagram"]}.items():
        for font in faces:
            notice, licence = (font["name"].getDebugName(number) for number in (0, 13))
            assert "Copyright" in notice
            assert ("Open Font License" if "Math" in name else "Bitstream Vera Fonts") in licence


@LESSONS
def test_formulas_are_well_formed(lesson):
    """A script with a child too many is drawn as a row: the power stands on the line."""
    children = {"msub": 2, "msup": 2, "mfrac": 2, "mover": 2, "munder": 2, "msubsup": 3}
    for text in texts(lesson):
        soup = bs4.BeautifulSoup(typeset.as_html(text), "html.parser")
        assert len(soup.find_all("math", display="block")) == text.count("$$") // 2
        for name, number in children.items():
            for element in soup.find_all(name):
                assert len(element.find_all(recursive=False)) == number, element


def test_a_formula_becomes_what_it_means():
    def inner(latex):
        markup = typeset.mathml(latex, "inline")
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
    assert 'display="block"' in typeset.mathml("x", "block")
