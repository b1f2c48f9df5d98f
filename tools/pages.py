"""Write the lessons as slides or as web pages that show without a network, into build/.

python -m tools.pages slides [LESSON ...]
python -m tools.pages html [LESSON ...]

Slides follow the cells' slide types; a section's minutes and notes go to the speaker's view (S).
Formulas become MathML, which every current browser shows by itself.
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

import latex2mathml.converter
import nbformat
from fontTools import subset
from fontTools.ttLib import TTFont
from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter
from nbconvert.exporters.slides import _RevealMetadataPreprocessor
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat.v4 import new_markdown_cell, new_notebook
from pygments.formatters import HtmlFormatter

from tools.course import EXERCISE, facts
from tools.lessons import BUILD, lessons

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
REVEAL = HERE / "reveal"
FORMULA_LETTERS = [  # Unicode ranges: plain, accents, Greek, punctuation, signs, italics
    (0x20, 0x7E), (0xA0, 0xFF), (0x300, 0x338), (0x391, 0x3F6), (0x2010, 0x2044), (0x2057, 0x2064),
    (0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2308, 0x230B), (0x2320, 0x23E1),
    (0x27E6, 0x27EB), (0x1D434, 0x1D467), (0x1D6FC, 0x1D714),
]  # fmt: skip
NO_BREAK = r'<span class="together">\1\2</span>'
INDEX = {"html": "Learn attention", "slides": "Learn attention: slides"}
LONG = 8  # lines; on a slide, longer code that draws a picture leaves the room to it


def mathml(latex, display):
    """Return a formula in LaTeX as MathML."""
    # In \text{...}, the converter takes \_ for two characters.
    latex = re.sub(r"\\text\{[^}]*\}", lambda text: text[0].replace(r"\_", "_"), latex)
    markup = latex2mathml.converter.convert(latex.strip(), display=display)
    # Bars and slashes are no relations: no space around them. A function's name has one after it.
    markup = re.sub(
        r"<mo[^>]*>(&#x0007C;|\||&#x02016;|&#x02225;|/|&#x0002F;)</mo>",
        r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>',
        markup,
    )
    function = r"(<mi>(?:sin|cos|tan|tanh|log|ln|exp)</mi>)(?=<m(?:i|n|sub|sup|frac)>)"
    return re.sub(function, r'\1<mspace width="0.17em"/>', markup)


class _Renderer(IPythonRenderer):
    def inline_math(self, body):
        return mathml(body, "inline")

    def block_math(self, body):
        return mathml(body, "block")


class _Exporter(HTMLExporter):
    @pass_context
    def markdown2html(self, context, source):
        renderer = _Renderer(escape=False, exclude_anchor_links=True)
        markup = MarkdownWithMath(renderer=renderer).render(source)
        # A formula's comma stays on its line.
        return re.sub(r"(<math(?:(?!<math).)*?</math>)([.,;:?!)]+)", NO_BREAK, markup, flags=re.S)


def _export(template, notebook, **resources):
    exporter = _Exporter(
        template_name="lesson",
        template_file=f"{template}.html.j2",
        extra_template_basedirs=[str(TEMPLATES)],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    resources = {"styles": styles(), **resources}
    return exporter.from_notebook_node(notebook, resources=resources)[0]


@functools.cache
def styles():
    """Return the style sheet: the lessons' own, for code, and the letters of formulas."""
    own = (TEMPLATES / "lesson" / "styles.css").read_text(encoding="utf-8")
    code = HtmlFormatter(style="default").get_style_defs(".highlight")
    return f"{own}\n{code}\n{_math_font()}"


def _math_font():
    """Return a style that brings STIX Two Math, cut down to what formulas use."""
    package = Path(find_spec("ziamath").origin).parent  # it is wanted for its font alone
    font = TTFont(package / "fonts" / "STIXTwoMath-Regular.ttf")
    cutter = subset.Subsetter(subset.Options(layout_features=["ssty"]))
    cutter.populate(unicodes=itertools.chain(*(range(a, b + 1) for a, b in FORMULA_LETTERS)))
    cutter.subset(font)
    font.flavor = "woff"
    font.save(file := io.BytesIO())
    encoded = base64.b64encode(file.getvalue()).decode()
    return (
        "/* STIX Two Math (SIL Open Font License 1.1), cut down */\n"
        f'@font-face {{ font-family: "Lesson Math"; src: url(data:font/woff;base64,{encoded}); }}'
    )


def _clean(notebook):
    """Return a copy without what stands on no page: badges, widgets waiting for a click."""
    notebook = copy.deepcopy(notebook)
    hidden = {"badges", "predict"}
    notebook.cells = [c for c in notebook.cells if not hidden & set(c.metadata.get("tags", []))]
    return notebook


# Pages


def page(notebook, lesson, navigation):
    """Return the lesson as a web page; each solution is folded under its heading."""
    notebook = _clean(notebook)
    open_fold = None
    for cell in notebook.cells:
        cell.metadata.tags = cell.metadata.get("tags", [])
        heading = re.match(r"### (.*)", cell.source)
        starts = "solution" in cell.metadata.tags and heading and cell.cell_type == "markdown"
        if open_fold is not None and (starts or "solution" not in cell.metadata.tags):
            open_fold.metadata.fold_end = True
            open_fold = None
        if starts:
            cell.metadata.fold_start = heading[1]
        if starts or open_fold is not None:
            open_fold = cell
    return _export("page", notebook, title=f"{lesson.number} {lesson.title}", navigation=navigation)


# Slides


def slides(notebook, lesson):
    """Return the lesson as slides."""
    notebook = _clean(notebook)
    cells = []
    for cell in notebook.cells:
        cell.metadata.tags = cell.metadata.get("tags", [])
        cell.metadata.hide_code = _draws(cell) and len(cell.source.splitlines()) > LONG
        cells.append(cell)
        notes = cell.metadata.get("instructor")
        if notes:
            minutes = f"**{notes['minutes']} minutes.** " if "minutes" in notes else ""
            told = new_markdown_cell(f"{minutes}{notes['notes']}")
            told.metadata = nbformat.from_dict({"slideshow": {"slide_type": "notes"}, "tags": []})
            cells.append(told)
    notebook.cells = cells
    notebook, _ = _RevealMetadataPreprocessor().preprocess(notebook)
    _set_pace(notebook.cells)
    look, *programs = (
        (REVEAL / name).read_text(encoding="utf-8")
        for name in ("reveal.css", "reveal.js", "notes.js")
    )
    return _export(
        "slides",
        notebook,
        title=f"{lesson.number} {lesson.title}",
        styles=f"{look}\n{styles()}",
        scripts="\n".join(programs),
    )


def _draws(cell):
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def _set_pace(cells):
    """Spread the minutes of each section evenly over its slides, for the speaker's clock."""
    section = []
    for cell in [*cells, None]:
        if section and (cell is None or _minutes(cell)):
            for start in section:
                start.metadata.seconds = round(60 * _minutes(section[0]) / len(section))
            section = []
        if cell is not None and cell.metadata.get("subslide_start"):
            section.append(cell)


def _minutes(cell):
    exercise = EXERCISE.search(cell.source) if cell.cell_type == "markdown" else None
    return int(exercise[1]) if exercise else cell.metadata.get("instructor", {}).get("minutes")


# All of them


def index(course, kind):
    """Return the page that leads to the lessons."""
    rows = "".join(
        f'<tr><td>{lesson.number}</td><td><a href="{lesson.path.stem}.html">{lesson.title}</a></td>'
        f"<td>{escape(lesson.question)}</td><td>{lesson.minutes}</td>"
        f"<td>{lesson.exercises} ({lesson.exercise_minutes} min)</td></tr>\n"
        for lesson in course
    )
    heads = ("", "Lesson", "The question it answers", "Minutes", "Exercises")
    notebook = new_notebook(
        cells=[
            new_markdown_cell(
                f"# {INDEX[kind]}\n\n<table><thead><tr>"
                + "".join(f"<th>{head}</th>" for head in heads)
                + f"</tr></thead><tbody>\n{rows}</tbody></table>"
            )
        ]
    )
    return _export("page", notebook, title=INDEX[kind], navigation="")


def _navigation(course, lesson):
    place = course.index(lesson)
    links = [
        ("← ", course[place - 1] if place else None),
        ("→ ", course[place + 1] if place + 1 < len(course) else None),
    ]
    return '<a href="index.html">All lessons</a>' + "".join(
        f'<a href="{other.path.stem}.html">{arrow}{other.number} {other.title}</a>'
        for arrow, other in links
        if other
    )


def write(kind, names=()):
    """Write slides or pages of the lessons that `names` stand for, and an index of all."""
    folder = BUILD / kind
    folder.mkdir(parents=True, exist_ok=True)
    course = [facts(path) for path in lessons()]
    chosen = set(lessons(names))
    texts = {"index": index(course, kind)}
    for lesson in course:
        if lesson.path in chosen:
            notebook = nbformat.read(lesson.path, as_version=4)
            texts[lesson.path.stem] = (
                slides(notebook, lesson)
                if kind == "slides"
                else page(notebook, lesson, _navigation(course, lesson))
            )
    for name, text in texts.items():
        target = folder / f"{name}.html"
        target.write_text(text, encoding="utf-8", newline="\n")
        yield target


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
