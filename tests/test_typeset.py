"""Formulas and fonts, as the site shows them."""

import base64
import io
import re
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont
from lesson_checks import formulas_of, stored

from tools.lessons import ROOT, lessons
from tools.site import typeset

CHILDREN = {"msub": 2, "msup": 2, "mfrac": 2, "mover": 2, "munder": 2, "msubsup": 3}


@pytest.fixture(scope="module")
def fonts():
    """The font of formulas, and those of a diagram."""
    diagram = (ROOT / "img" / "self_attention.svg").read_text("utf-8")
    return fonts_in(typeset.math_font()), fonts_in(typeset.with_fonts(diagram))


def fonts_in(style):
    found = re.findall(r"src: url\(data:font/woff;base64,([^)]*)\)", style)
    return [TTFont(io.BytesIO(base64.b64decode(data))) for data in found]


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_formulas_are_well_formed_and_the_font_has_their_letters(path, fonts):
    """A script with a child too many is drawn as a row: the power stands on the line."""
    letters = set(map(chr, fonts[0][0].getBestCmap()))
    for cell in stored(path).cells:
        for latex in formulas_of(cell.source) if cell.cell_type == "markdown" else ():
            formula = ElementTree.fromstring(typeset.mathml(latex, "inline"))
            assert not {c for c in "".join(formula.itertext()) if c.isprintable()} - letters
            for element in formula.iter():
                name = element.tag.partition("}")[2]
                assert len(element) == CHILDREN.get(name, len(element)), latex


def test_fonts_bring_their_licences(fonts):
    (math,), diagram = fonts
    assert "Open Font License" in math["name"].getDebugName(13)
    assert len(diagram) == 2
    for font in diagram:
        assert "Bitstream Vera Fonts" in font["name"].getDebugName(13)
        assert "Copyright" in font["name"].getDebugName(0)


def test_a_formula_becomes_what_it_means():
    def inner(latex):
        markup = typeset.mathml(latex, "inline")
        return re.sub(r"</?(math|mrow)[^>]*>|&#x[^;]*;", "", markup)

    assert inner(r"\sqrt d") == "<msqrt><mi>d</mi></msqrt>"
    assert inner(r"\text{valid\_lens}") == "<mtext>valid_lens</mtext>"
    bar = '<mo stretchy="false" lspace="0" rspace="0">|</mo>'
    assert inner("|q|") == f"{bar}<mi>q</mi>{bar}"
    space = '<mspace width="0.17em" />'
    squared = "<msup><mi>sin</mi><mn>2</mn></msup>"
    assert inner(r"a \sin^2 b") == f"<mi>a</mi>{space}{squared}{space}<mi>b</mi>"
    assert inner(r"\log(x)").startswith("<mi>log</mi><mo")
    assert 'display="block"' in typeset.mathml("x", "block")


def test_a_line_holds_code_and_formulas():
    shown = typeset.as_html("`a < b` is $a < b$ & so on")
    assert shown.startswith("<code>a &lt; b</code> is <math") and shown.endswith("&amp; so on")
    assert shown.count("&lt;") == 2 and "$" not in shown
