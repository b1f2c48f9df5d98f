"""Write the lessons as slides for a hall, which need no network, into build/slides/.

python -m tools.site.slides [LESSON ...]

A deck is made from the notebook, by these rules. A slide holds a heading and one thing: at most 40
words, 12 lines of code with what they print, or one picture. A section gives its first words, its
questions (the question alone; then what comes out; then the first words of the answer), its
pictures and diagrams. Above a question stand the last words before it. What else the text says is
the speaker's. Where these words are not those for a hall, the cell has others in its metadata:
`"hall": "..."`, or `""` for nothing.

The speaker's view (S) has each section's minutes and notes.
"""

import argparse
import itertools
import os
import re
import textwrap
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import nbformat
from jinja2 import Environment, FileSystemLoader
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tools.course import NOTICE, facts
from tools.lessons import BUILD, lessons, write_text
from tools.notebook import (
    ASIDE,
    ASKED,
    DIAGRAM,
    NUMBERED,
    exercise_minutes,
    heading,
    is_table,
    notes,
    slide_type,
    tags,
)
from tools.site.typeset import as_html, styles

HERE = Path(__file__).parent
REVEAL = HERE / "reveal"
TITLE = "Learn attention: slides"
WORDS, LINES, WIDE = 40, 12, 82  # words of a text; lines of code, and letters of a line
LARGE = 68  # lines of so many letters are set larger
LISTED = ("In numbers", "Exercises")  # sections that are shown as a list
FEW = 8  # words that are no slide of their own; half as many lines stand lower
SENTENCE = re.compile(r"(?<=[.?!:])\s+(?=[\[(*`$A-Z\d])")
INNER = re.compile(r"\s*### (.*)\n")
ITEM = re.compile(r"(?:[-*]|\d+\.) ")


@dataclass
class Part:
    """A stretch of the lesson with minutes and notes of its own."""

    minutes: int
    notes: str
    slides: list = field(default_factory=list)

    @property
    def seconds(self):
        return round(60 * self.minutes / len(self.slides)) if self.minutes and self.slides else None

    @property
    def aside(self):
        minutes = f"**{self.minutes} minute{'s' * (self.minutes > 1)}.** " if self.minutes else ""
        return as_html(minutes + self.notes) if minutes or self.notes else ""


def first_words(markdown, most=WORDS):
    """The whole sentences and items that a text begins with, up to so many words."""
    blocks, left, kept = re.split(r"\n\s*\n", markdown.strip()), most, []
    for block in blocks:
        if block.startswith("|") or block.startswith("!["):
            continue
        listed = ITEM.match(block)
        pieces = re.split(r"\n(?=(?:[-*]|\d+\.) )", block) if listed else SENTENCE.split(block)
        taken = []
        for piece in pieces:
            left -= count_words(piece)
            if left < 0 and (taken or kept):
                break
            taken.append(piece)
        if taken:
            kept.append(("\n" if listed else " ").join(taken))
        if left <= 0 or len(taken) < len(pieces):
            break
    text = "\n\n".join(kept)
    *before, last = SENTENCE.split(text)
    if last.endswith(":"):  # what it announces is cut
        return " ".join(before) or f"{text[:-1]}."
    return text


def last_words(markdown, most=WORDS // 2):
    """The whole sentences that a text ends with, up to so many words, or one."""
    sentences, kept = SENTENCE.split(re.split(r"\n\s*\n", markdown.strip())[-1]), []
    while sentences and (not kept or count_words(" ".join([sentences[-1], *kept])) <= most):
        kept.insert(0, sentences.pop())
    return " ".join(kept)


def packed(items, most=WORDS):
    """The items of a list in groups of at most so many words, or of one item."""
    groups, left = [], 0
    for item in items:
        left -= count_words(item)
        if left < 0:
            groups.append([])
            left = most - count_words(item)
        groups[-1].append(item)
    return groups


def count_words(markdown):
    """How many words a text has; a formula counts as one, the mark of an item not."""
    text = re.sub(r"^(?:[-*]|\d+\.) ", "", markdown, flags=re.MULTILINE)
    return len(re.sub(r"\$\$.*?\$\$|\$.*?\$", "x", text, flags=re.DOTALL).split())


def wrapped(lines):
    """The lines, none of them wider than a slide; where one is, its comment goes above it."""
    lines = [part for line in lines for part in _above(line)]
    long = (textwrap.wrap(line, WIDE, drop_whitespace=False) or [""] for line in lines)
    return [part for parts in long for part in parts]


def _above(line):
    code, sign, comment = line.partition("  # ")
    if len(line) <= WIDE or not sign or not code.strip():
        return [line]
    return [f"{re.match(' *', code)[0]}# {comment}", code]


class Deck:
    """The slides of one lesson, in parts."""

    def __init__(self, notebook, lesson):
        self.parts, self.heading, self.begun, self.asked = [], lesson.title, False, False
        self.lesson, self.exercises = lesson, []
        for cell in notebook.cells:
            if {"solution", "badges"} & tags(cell):
                continue
            (self.text if cell.cell_type == "markdown" else self.code)(cell)
        self.list_exercises()
        for part, after in reversed([*itertools.pairwise(self.parts)]):
            if not after.slides:  # nothing of it is shown
                part.minutes += after.minutes
                part.notes = f"{part.notes}\n\n{after.notes}"

    def add(self, title, body, kind):
        self.parts[-1].slides.append({"title": title, "body": body, "kind": kind})

    def text(self, cell):
        rank, words = heading(cell)
        minutes = exercise_minutes(cell.source)
        if NUMBERED.match(cell.source):
            self.exercises.append((words, minutes[0]))
            return
        if rank in (1, 2) or notes(cell):
            about = notes(cell)
            self.parts.append(Part(about.get("minutes", 0), about.get("notes", "")))
        if rank == 2:
            self.heading = words
        if slide_type(cell) == "skip":
            return
        body = cell.source.partition("\n")[2] if rank else cell.source
        inner = INNER.match(body)
        if inner:
            words, body = inner[1], body[inner.end() :]
        title = as_html(words if rank or inner else self.heading)
        question = ASKED.search(body)
        said, asks = (
            (body[: question.start() - 2], body[question.start() - 2 :]) if question else (body, "")
        )
        said, shown = DIAGRAM.sub("", said).strip(), ""
        if rank == 1:
            self.add(as_html(f"{self.lesson.number} · {self.lesson.title}"),
                     as_html(cell.metadata.get("hall") or first_words(said)), "title")  # fmt: skip
        elif "reveal" in tags(cell) or slide_type(cell) == "slide":
            kind = "answer" if "reveal" in tags(cell) else "words"
            own = cell.metadata.get("hall")
            shown, whole = (first_words(said), said) if own is None else (own, own)
            if ITEM.match(whole):
                items = re.split(r"\n(?=(?:[-*]|\d+\.) )", whole)
                for group in packed(items):
                    self.add(title, as_html("\n".join(group)), kind)
            elif words not in LISTED and count_words(shown) >= FEW:
                self.add(title, as_html(shown), kind)
            self.asked = False
        for alt, data, _ in DIAGRAM.findall(body):
            picture = as_html(f"![{alt}](data:image/svg+xml;base64,{data})")
            self.add(title, f'<div class="picture">{picture}</div>', "picture")
        if asks:
            number = question[1]
            asks = ASIDE.sub("", asks.replace(f"**Predict first ({number}).**", "").strip())
            own = "" if shown else cell.metadata.get("hall", "")
            context = own or (last_words(said) if said else "")
            if context and context not in shown:
                asks = f"{context}\n\n{asks}"
            self.add(f"Predict first ({number})", as_html(asks), "question")
            self.asked, self.begun = True, True

    def code(self, cell):
        asides = {"predict", "check", "exercise", "parameters"} & tags(cell)
        if slide_type(cell) == "skip" or asides or cell.metadata.get("hall") == "":
            return
        title, drawn, printed, values = as_html(self.heading), [], [], None
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                drawn.append(data["text/html"])
            elif is_table(data):
                values = data["text/html"], data["text/plain"].splitlines()
            elif output.get("text") or "text/plain" in data:
                printed += (output.get("text") or data["text/plain"]).splitlines()
        shows = self.asked or not self.begun or "headline" in tags(cell)
        if shows and not drawn and not values:
            code, printed = wrapped(cell.source.splitlines()), wrapped(printed)
            if "headline" in tags(cell) or len(code) > LINES:
                code = []
            first, rest = printed[:LINES], printed[LINES:]
            if code and len(code) + len(first) > LINES + 2:
                self.add(title, colored(code), size(code))
                code = []
            if code or first:
                self.add(title, colored(code) + told(first, bool(code)), size(code, first))
            if rest:
                self.add(title, told(rest), size(rest))
        if shows and values:
            code = [] if "headline" in tags(cell) else wrapped(cell.source.splitlines())
            code = code if len(code) <= LINES else []
            markup, lines = f'<div class="output table">{values[0]}</div>', values[1]
            if code and len(code) + len(lines) > LINES - 2:
                self.add(title, colored(code), size(code))
                code = []
            self.add(title, (colored(code) if code else "") + markup, size(code, lines))
        for markup in drawn:
            scrolls = ' tabindex="0"' * ("head-view" in markup)
            self.add(title, f'<div class="picture"{scrolls}>{markup}</div>', "picture")

    def list_exercises(self):
        if self.exercises:
            minutes = sum(each for _, each in self.exercises)
            listed = "\n".join(
                f"- {words.removeprefix('Exercise ')}" for words, _ in self.exercises
            )
            self.parts[-1].minutes += minutes
            body = f'{as_html(listed)}<p class="notice">{NOTICE}</p>'
            self.add("Exercises", body, "list")


def colored(lines):
    return highlight("\n".join(lines), PythonLexer(), HtmlFormatter()) if lines else ""


def told(lines, later=False):
    """What a cell prints; it may appear later than the code above it."""
    kind = "output fragment" if later else "output"
    return f'<pre class="{kind}">{escape(chr(10).join(lines))}</pre>' if lines else ""


def size(*parts):
    """The class of a slide with these lines."""
    lines = [*itertools.chain(*parts)]
    large = " large" * (max(map(len, lines)) <= LARGE)
    return f"code{large}{' few' * (len(lines) <= FEW // 2)}"


def slides(notebook, lesson):
    """Return the lesson as slides, a page."""
    look, *programs = (
        (REVEAL / name).read_text(encoding="utf-8")
        for name in ("reveal.css", "reveal.js", "notes.js")
    )
    return template("slides").render(
        title=f"{lesson.number} {lesson.title}",
        parts=[part for part in Deck(notebook, lesson).parts if part.slides],
        styles=f"{look}\n{styles()}",
        scripts="\n".join(programs),
    )


def index(course):
    """Return the page that leads to the lessons."""
    return template("index").render(course=course, title=TITLE, styles=styles())


def template(name):
    made = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=False)
    made.filters["text"] = escape
    return made.get_template(f"{name}.html.j2")


def write(names=()):
    """Write the slides of the lessons that `names` stand for, and an index of what is there.

    Returns the paths of the files.
    """
    folder, chosen = BUILD / "slides", lessons(names)
    texts, course = {}, []
    for path in lessons():
        if path in chosen:
            texts[path.stem] = slides(nbformat.read(path, as_version=4), facts(path))
        if path in chosen or (folder / f"{path.stem}.html").exists():
            course.append(facts(path))
    texts = {"index": index(course), **texts}
    return [write_text(text, folder / f"{name}.html") for name, text in texts.items()]


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lesson", nargs="*")
    for target in write(parser.parse_args(arguments).lesson):
        print(f"{os.path.relpath(target)}  {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
