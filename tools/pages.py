"""Write the lessons as slides or as web pages that show without a network, into build/.

python -m tools.pages slides [LESSON ...]
python -m tools.pages html [LESSON ...]

Slides follow the cells' slide types. Outputs, and what is said of them, appear one after the other;
a section's minutes and notes are in the speaker's view (S). Formulas become MathML, which every
current browser shows by itself. The fonts come with each file: it looks the same everywhere.
"""

import argparse
import base64
import copy
import functools
import io
import itertools
import os
import re
from html import escape
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import latex2mathml.converter
import matplotlib
import nbformat
from fontTools import subset
from fontTools.ttLib import TTFont
from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat.v4 import new_markdown_cell, new_notebook
from pygments.formatters import HtmlFormatter

from tools.course import NOTICE, facts
from tools.lessons import BUILD, lessons, write_text
from tools.notebook import exercise_minutes, heading, notes, slide_type, tags

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
REVEAL = HERE / "reveal"
INDEX = {"html": "Learn attention", "slides": "Learn attention: slides"}
LONG = 3  # lines; on a slide, longer code that draws a picture leaves the room to it

MATHML = "http://www.w3.org/1998/Math/MathML"
ROWS = {f"{{{MATHML}}}{name}" for name in ("math", "mrow", "mtd", "msqrt", "mstyle")}
FUNCTION = re.compile(r"[a-zA-Z]{2,}")  # sin, log, max, Var
NO_BREAK = r'<span class="together">\1\2</span>'
FORMULA_LETTERS = [  # Unicode ranges: plain, accents, Greek, punctuation, signs, italics
    (0x20, 0x7E), (0xA0, 0xFF), (0x300, 0x338), (0x391, 0x3F6), (0x2010, 0x2044), (0x2057, 0x2064),
    (0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2308, 0x230B), (0x2320, 0x23E1),
    (0x27E6, 0x27EB), (0x1D434, 0x1D467), (0x1D6FC, 0x1D714),
]  # fmt: skip

DEJAVU = Path(matplotlib.get_data_path()) / "fonts" / "ttf"  # as in the figures
DEJAVU_NOTICE = "/* DejaVu (Bitstream Vera and Arev licences, in each font's names), cut down */"
FACES = {"": "", "-Bold": " font-weight: bold;", "-Oblique": " font-style: italic;"}
LATIN = range(0x20, 0x180)
ARROWS = "←→"  # between pages
DIAGRAM = re.compile(r'src="data:image/svg\+xml;base64,([\w+/=]+)"')


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


class _Renderer(IPythonRenderer):
    def inline_math(self, body):
        return mathml(body, "inline")

    def block_math(self, body):
        return mathml(body, "block")


def _as_html(markdown):
    renderer = _Renderer(escape=False, exclude_anchor_links=True)
    markup = DIAGRAM.sub(_with_fonts, MarkdownWithMath(renderer=renderer).render(markdown))
    # A formula's comma stays on its line.
    return re.sub(r"(<math(?:(?!<math).)*?</math>)([.,;:?!)]+)", NO_BREAK, markup, flags=re.S)


class _Exporter(HTMLExporter):
    @property
    def default_config(self):
        # For a PNG the template takes the HTML beside it, and for other HTML the text.
        config = super().default_config
        config.NbConvertBase.display_data_priority = ["image/png", "text/plain"]
        return config

    @pass_context
    def markdown2html(self, context, source):
        return _as_html(source)


def _export(template, notebook, **resources):
    exporter = _Exporter(
        template_name="lesson",
        template_file=f"{template}.html.j2",
        extra_template_basedirs=[str(TEMPLATES)],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    resources = {"styles": styles(), "notice": NOTICE, **resources}
    return exporter.from_notebook_node(notebook, resources=resources)[0]


@functools.cache
def styles():
    """Return the style sheet: the lessons' own, for code, and the fonts that all is set in."""
    own = (TEMPLATES / "lesson" / "styles.css").read_text(encoding="utf-8")
    code = HtmlFormatter(style="default").get_style_defs(".highlight")
    return "\n".join([own, code, _math_font(), _text_fonts()])


def _math_font():
    """Return a style that brings STIX Two Math, cut down to what formulas use."""
    package = Path(find_spec("ziamath").origin).parent  # it is wanted for its font alone
    letters = itertools.chain(*(range(a, b + 1) for a, b in FORMULA_LETTERS))
    face = _face("Lesson Math", package / "fonts" / "STIXTwoMath-Regular.ttf", letters, ["ssty"])
    return f"/* STIX Two Math (SIL Open Font License 1.1), cut down */\n{face}"


def _text_fonts():
    """Return a style that brings the fonts of text and code: Latin, and all else in lessons."""
    written = "".join(path.read_text(encoding="utf-8") for path in lessons())
    letters = {*LATIN, *map(ord, written), *map(ord, ARROWS)}
    faces = [
        _face(family, DEJAVU / f"{name}{face}.ttf", letters, style=style)
        for family, name in (("Lesson Sans", "DejaVuSans"), ("Lesson Mono", "DejaVuSansMono"))
        for face, style in FACES.items()
    ]
    return "\n".join([DEJAVU_NOTICE, *faces])


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


def _with_fonts(found):
    """Return the embedded SVG diagram with the font that it asks for: an image sees no other."""
    svg = base64.b64decode(found[1]).decode()
    letters = set(map(ord, svg))
    faces = [
        _face("DejaVu Sans", DEJAVU / f"DejaVuSans{face}.ttf", letters, style=FACES[face])
        for face in ("", "-Bold")
    ]
    exact = "text { text-rendering: geometricPrecision; }"  # no letter is moved to a whole pixel
    style = "\n".join(["<style>", DEJAVU_NOTICE, *faces, exact, "</style>"])
    svg = re.sub(r"<svg[^>]*>", lambda tag: tag[0] + style, svg, count=1)
    return f'src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"'


def _cells(notebook, *left_out):
    """Return copies of the cells, but for those with one of these tags."""
    cells = copy.deepcopy(notebook.cells)
    for cell in cells:
        cell.metadata.setdefault("tags", [])  # the template asks for them
    return [cell for cell in cells if not {"badges", "predict", *left_out} & tags(cell)]


# Pages


def page(notebook, lesson, navigation):
    """Return the lesson as a web page; each solution is folded under its heading."""
    cells = _cells(notebook)
    folded = None  # the last cell so far of a solution
    for cell in cells:
        solves = "solution" in tags(cell)
        rank, words = heading(cell) if solves else (0, "")
        if folded is not None and (rank == 3 or not solves):
            folded.metadata.after = "</details>"
            folded = None
        if rank == 3:
            cell.metadata.before = f"<details><summary>{escape(words)}</summary>"
        if rank == 3 or folded is not None:
            folded = cell
    title = f"{lesson.number} {lesson.title}"
    return _export("page", new_notebook(cells=cells), title=title, navigation=navigation)


# Slides


def slides(notebook, lesson):
    """Return the lesson as slides."""
    shown = [cell for cell in _cells(notebook) if slide_type(cell) != "skip"]
    sections = _split(shown, lambda cell: slide_type(cell) == "slide")
    about, group = None, []  # a stretch with minutes of its own, and its slides
    for section in sections:
        stack = _split(section, lambda cell: slide_type(cell) == "subslide")
        for slide in stack:
            _hide_what_comes_later(slide)
            if _about(slide[0]):
                _open_and_close(about, group)
                about, group = _about(slide[0]), []
            group.append(slide)
    _open_and_close(about, group)
    shown[-1].metadata.after = f'<p class="notice">{NOTICE}</p>{shown[-1].metadata.after}'
    for section in sections:
        section[0].metadata.before = "<section>" + section[0].metadata.before
        section[-1].metadata.after += "</section>"
    look, *programs = (
        (REVEAL / name).read_text(encoding="utf-8")
        for name in ("reveal.css", "reveal.js", "notes.js")
    )
    return _export(
        "slides",
        new_notebook(cells=shown),
        title=f"{lesson.number} {lesson.title}",
        styles=f"{look}\n{styles()}",
        scripts="\n".join(programs),
    )


def _split(cells, starts):
    """Return the cells as lists, each of which begins where `starts` is true."""
    parts = []
    for cell in cells:
        if not parts or starts(cell):
            parts.append([])
        parts[-1].append(cell)
    return parts


def _hide_what_comes_later(slide):
    """Let outputs, and all that follows them, appear one by one, as a class should see them."""
    revealing = False
    for cell in slide:
        drawn = any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))
        cell.metadata.hide_code = drawn and len(cell.source.splitlines()) > LONG
        cell.metadata.fragment = revealing
        if cell.get("outputs"):
            # What a slide begins with is there at once.
            first = cell is slide[0] and cell.metadata.hide_code
            cell.metadata.output_fragment = not first and not (
                revealing and cell.metadata.hide_code
            )
            revealing = True


def _about(cell):
    """Return the minutes (or None) and notes that the cell has for a stretch that begins here."""
    told = notes(cell)
    exercise = exercise_minutes(cell.source) if cell.cell_type == "markdown" else None
    minutes = exercise[0] if exercise else told.get("minutes")
    return (minutes, told.get("notes", "")) if minutes or told else None


def _open_and_close(about, group):
    """Put the slides' tags around them: seconds for the speaker's clock, and the notes."""
    minutes, words = about or (None, "")
    timing = f' data-timing="{round(60 * minutes / len(group))}"' if minutes and group else ""
    told = [f"**{minutes} minute{'s' * (minutes > 1)}.**"] if minutes else []
    aside = _as_html(" ".join([*told, words])) if told or words else ""
    for slide in group:
        slide[0].metadata.before = f"<section{timing}>"
        slide[-1].metadata.after = f'<aside class="notes">{aside}</aside></section>'


# All of them


def index(course, kind):
    """Return the page that leads to the lessons."""
    rows = "".join(
        f'<tr><td>{lesson.number}</td><td><a href="{lesson.path.stem}.html">'
        f"{escape(lesson.title)}</a></td>"
        f"<td>{escape(lesson.question)}</td><td>{lesson.minutes}</td>"
        f"<td>{lesson.exercises} ({lesson.exercise_minutes} min)</td></tr>\n"
        for lesson in course
    )
    heads = ("", "Lesson", "The question it answers", "Minutes", "Exercises")
    table = f"<tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>\n{rows}"
    cells = [new_markdown_cell(f"# {INDEX[kind]}\n\n<table>\n{table}</table>")]
    return _export("page", new_notebook(cells=cells), title=INDEX[kind], navigation="")


def _navigation(course, lesson):
    place = course.index(lesson)
    links = zip(ARROWS, (place - 1, place + 1), strict=True)
    return '<a href="index.html">All lessons</a>' + "".join(
        f'<a href="{course[other].path.stem}.html">'
        f"{arrow} {course[other].number} {escape(course[other].title)}</a>"
        for arrow, other in links
        if 0 <= other < len(course)
    )


def write(kind, names=()):
    """Write slides or pages of the lessons that `names` stand for, and an index of what is there.

    Returns the paths of the files.
    """
    folder = BUILD / kind
    chosen = lessons(names)
    course = [
        facts(path)
        for path in lessons()
        if path in chosen or (folder / f"{path.stem}.html").exists()
    ]
    texts = {"index": index(course, kind)}
    for lesson in course:
        if lesson.path in chosen:
            notebook = nbformat.read(lesson.path, as_version=4)
            texts[lesson.path.stem] = (
                slides(notebook, lesson)
                if kind == "slides"
                else page(notebook, lesson, _navigation(course, lesson))
            )
    return [write_text(text, folder / f"{name}.html") for name, text in texts.items()]


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=sorted(INDEX))
    parser.add_argument("lesson", nargs="*")
    options = parser.parse_args(arguments)
    for target in write(options.kind, options.lesson):
        print(f"{os.path.relpath(target)}  {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
