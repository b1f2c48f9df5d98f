"""How formulas, text and fonts are set on the site.

Formulas become MathML, which every current browser shows by itself. Fonts are cut down to the
letters that the lessons use, and come along: it looks the same everywhere.
"""

import base64
import html
import io
import itertools
import logging
import re
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import latex2mathml.converter
import matplotlib
from fontTools import subset
from fontTools.ttLib import TTFont

logging.getLogger("fontTools").setLevel(logging.ERROR)  # it tells of each table that it cuts

MATHML = "http://www.w3.org/1998/Math/MathML"
ROWS = {f"{{{MATHML}}}{name}" for name in ("math", "mrow", "mtd", "msqrt", "mstyle")}
FUNCTION = re.compile(r"[a-zA-Z]{2,}")  # sin, log, max, Var
FORMULA_LETTERS = [  # Unicode ranges: plain, accents, Greek, punctuation, signs, italics
    (0x20, 0x7E), (0xA0, 0xFF), (0x300, 0x338), (0x391, 0x3F6), (0x2010, 0x2044), (0x2057, 0x2064),
    (0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2308, 0x230B), (0x2320, 0x23E1),
    (0x27E6, 0x27EB), (0x1D434, 0x1D467), (0x1D6FC, 0x1D714),
]  # fmt: skip

DEJAVU = Path(matplotlib.get_data_path()) / "fonts" / "ttf"  # as in the figures
DEJAVU_NOTICE = "/* DejaVu (Bitstream Vera and Arev licences, in each font's names), cut down */"
FACES = {"": "", "-Bold": " font-weight: bold;"}


# Formulas


def mathml(latex, display):
    """Return a formula in LaTeX as MathML."""
    # In \text{...}, the converter takes \_ for two characters.
    latex = re.sub(r"\\text\{[^}]*\}", lambda text: text[0].replace(r"\_", "_"), latex)
    ElementTree.register_namespace("", MATHML)
    formula = ElementTree.fromstring(latex2mathml.converter.convert(latex.strip(), display=display))
    for sign in formula.iter(f"{{{MATHML}}}mo"):
        if sign.text in ("|", "‖", "∥", "/"):  # no relations: no space around them
            sign.attrib.update(stretchy="false", lspace="0", rspace="0")
        elif FUNCTION.fullmatch(sign.text or ""):
            sign.attrib.update(lspace="0", rspace="0")
    for row in formula.iter():
        if row.tag in ROWS:
            row[:] = _spaced(list(row))
    return ElementTree.tostring(formula, encoding="unicode")


def _spaced(elements):
    """Return the elements of a row with a thin space on both sides of a function's name."""
    out = []
    for before, element in itertools.pairwise([None, *elements]):
        if before is not None and (
            (_is_function(before) and not _is_sign(element))
            or (_is_function(element) and not _is_sign(before))
        ):
            out.append(ElementTree.Element(f"{{{MATHML}}}mspace", width="0.17em"))
        out.append(element)
    return out


def _is_function(element):
    core = element[0] if element.tag.endswith(("msub", "msup", "msubsup")) else element
    named = core.tag.endswith(("mi", "mo"))
    return named and bool(FUNCTION.fullmatch(core.text or ""))


def _is_sign(element):
    return element.tag.endswith(("mo", "mspace")) and not _is_function(element)


def as_html(text):
    """Return one paragraph of plain text with `code` and $formulas$ as HTML."""
    text = re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text))
    return re.sub(r"\$([^$]+)\$", lambda found: mathml(html.unescape(found[1]), "inline"), text)


def math_font():
    """Return a style that brings STIX Two Math, cut down to what formulas use."""
    package = Path(find_spec("ziamath").origin).parent  # it is wanted for its font alone
    letters = itertools.chain(*(range(a, b + 1) for a, b in FORMULA_LETTERS))
    face = _face("Lesson Math", package / "fonts" / "STIXTwoMath-Regular.ttf", letters, ["ssty"])
    return f"/* STIX Two Math (SIL Open Font License 1.1), cut down */\n{face}"


def _face(family, path, letters, features=("kern",), style=""):
    """Return the rule for a font cut down to these letters; its licence stays in its names."""
    options = subset.Options(layout_features=list(features), hinting=False, name_IDs=["*"])
    options.drop_tables += ["FFTM"]  # dates
    font = TTFont(path)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=letters)
    cutter.subset(font)
    font.flavor = "woff"
    font.save(file := io.BytesIO())
    encoded = base64.b64encode(file.getvalue()).decode()
    source = f"url(data:font/woff;base64,{encoded})"
    return f'@font-face {{ font-family: "{family}";{style} src: {source}; }}'


def with_fonts(svg):
    """Return the SVG diagram with the font that it asks for: an image sees no other."""
    letters = set(map(ord, svg))
    faces = [
        _face("DejaVu Sans", DEJAVU / f"DejaVuSans{face}.ttf", letters, style=FACES[face])
        for face in FACES
    ]
    exact = "text { text-rendering: geometricPrecision; }"  # no letter is moved to a whole pixel
    style = "\n".join(["<style>", DEJAVU_NOTICE, *faces, exact, "</style>"])
    return re.sub(r"<svg[^>]*>", lambda tag: tag[0] + style, svg, count=1)
