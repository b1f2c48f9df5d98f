"""Write the course as a web site that needs neither a server nor a network, into build/site/.

python -m tools.site [--solutions] [--still] [--pdf] [LESSON ...]

Each lesson becomes Markdown, which Sphinx makes a page of: it brings search, contents, dark mode
and pages for phones. Questions get their buttons, and what a slider shows is drawn beforehand by
the lesson itself (frames.py; --still leaves that out). With --pdf, Chromium
prints each lesson too (paper.py).
"""

import ast
import base64
import html
import json
import os
import re
import shutil
import sys
import time
from functools import partial
from pathlib import Path

import bs4
import jinja2
import nbformat
from PIL import Image
from sphinx.application import Sphinx

from attn_lesson.catalogue import reaction, tables
from tools import notebook as form
from tools.course import NOTICE, address, facts, opened_in
from tools.editions import editions
from tools.lessons import BUILD, ROOT, isolate, lessons, write_text
from tools.progress import command_line, progress, stage
from tools.site import documents, door, frames, paper, typeset, which, words
from tools.site.documents import DRAWING
from tools.site.tab import pages

WEB = Path(__file__).with_name("web")
TEMPLATES = WEB.with_name("templates")
LOADER = jinja2.FileSystemLoader(TEMPLATES)
PARTS = jinja2.Environment(loader=LOADER, autoescape=True).get_template("parts.html").module
SITE, SOURCE = BUILD / "site", BUILD / "site-source"
TITLE = "Learn attention"
DURATION = BUILD / "site-took.txt"
FENCE = "`" * 12
EMBLEM = "emblem"  # a cell's metadata: its picture stands for the lesson
CALLED = re.compile(r", or write `predict\([^)]*\)`")  # in a question: without buttons
RUN = re.compile(r",? and run the cell( again)?")  # there is none to run on a page
SIZE = re.compile(r'width="(\d+)" height="(\d+)"')
PICTURE = re.compile(
    r'^<img src="data:image/(\w+);base64,([\w+/=]+)" (.*?)(?: data-colored="([^"]*)")?>$', re.DOTALL
)


def raw(markup):
    """Markdown that holds HTML, whatever is in it."""
    return f"{FENCE}{{raw}} html\n{markup}\n{FENCE}"


def program(source):
    return f"{FENCE}python\n{source}\n{FENCE}"


def fold(summary, body, kind):
    """Markdown that is folded under a line."""
    start = f'<details class="{kind}"><summary>{html.escape(summary)}</summary>'
    return "\n\n".join([raw(start), body, raw("</details>")])


def turned(image, colored):
    """A picture that turns dark with the page, under a copy of it that shows only what does not."""
    copy = f' class="kept" style="{kept(colored)}"'
    over = re.sub(' alt="[^"]*"', ' alt=""', image).replace("<img", f"<img{copy}")
    wide = SIZE.search(image)
    size = f' style="--wide: {wide[1]}px"' if wide else ""
    return f'<span class="turned"{size}>{image}{over if colored else ""}</span>'


def kept(colored):
    """A style: what is seen of a picture are some boxes ("left top right bottom, ..." in %)."""
    corners = []
    for box in filter(None, colored.split(", ")):
        left, top, right, bottom = (f"{number}%" for number in box.split())
        sides = f"{left} {top}, {right} {top}, {right} {bottom}, {left} {bottom}, {left} {top}"
        corners.append(f"0 0, {sides}, 0 0")  # from box to box there is nothing to see
    return f"clip-path: polygon({', '.join(corners)})" * bool(corners)


def diagram(alt, svg):
    """Markdown that shows a diagram, with the fonts that it asks for."""
    data = base64.b64encode(typeset.with_fonts(svg).encode()).decode()
    source = f"data:image/svg+xml;base64,{data}"
    return raw(f'<figure class="diagram"><img src="{source}" alt="{html.escape(alt)}"></figure>')


def prepares(cell):
    """Whether this cell of code only imports, or sets and checks the lesson's parameters."""
    if form.prepares(cell):
        return True
    return all(
        isinstance(line, (ast.Import, ast.ImportFrom)) for line in ast.parse(cell.source).body
    )


class Page:
    """One lesson as Markdown; its pictures go into a folder beside the pages."""

    def __init__(self, path, solutions=False, still=False, pdf=False, judged=()):
        self.path, self.solutions, self.pdf, self.judged = path, solutions, pdf, judged
        self.notebook = nbformat.read(path, as_version=4)
        self.pictures = SITE / "pictures" / path.stem
        self.recorded = iter((not still and frames.kept(path)) or [])
        self.answers, self.shown = [], []  # the latter: pictures in order, as arguments of emblem
        self.chosen = None  # that of a cell whose metadata say "emblem"

    def markdown(self):
        parts, asked, solution, prepared = [], None, False, []
        for cell in self.notebook.cells:
            kind = form.tags(cell)
            if "solution" in kind and not self.solutions:
                continue
            if cell.cell_type == "code" and prepares(cell):
                prepared.append(cell.source)
                continue
            if prepared:
                code = program("\n\n".join(prepared))
                parts.append(fold("What the notebook prepares", code, "code"))
                prepared = []
            if "predict" in kind:
                asked = form.PREDICT.search(cell.source)[1]
                parts.append(self.question(asked))
                continue
            if form.is_answer(cell) or "found" in kind:
                summary = form.FOLDED.match(cell.source)[1]
                kept = "found" if "found" in kind else "solution"
                parts.append(fold(summary, self.text(cell), kept))
                continue
            if "solution" in kind and form.heading(cell)[0] == 3:
                parts += [raw("</details>")] * solution
                name = html.escape(form.heading(cell)[1])
                parts.append(raw(f'<details class="solution"><summary>{name}</summary>'))
                cell.source, solution = cell.source.partition("\n")[2], True
            elif solution and "solution" not in kind:
                parts.append(raw("</details>"))
                solution = False
            text = self.text(cell) if cell.cell_type == "markdown" else self.code(cell)
            if parts:
                text = f"{self.step(cell)}\n\n{text}"
            else:  # the title is the first cell's first line
                title, _, rest = text.partition("\n")
                text = f"{title}\n\n{self.links()}\n\n{self.step(cell)}\n{rest}"
            if "reveal" in kind:
                self.answers.append((asked, text))
                text = "\n\n".join([raw('<div class="reveal">'), text, raw("</div></details>")])
            parts.append(text)
        parts += [raw("</details>")] * solution
        parts.append(self.all_answers())
        return "\n\n".join(filter(None, parts))

    def emblem(self):
        """The picture that stands for the lesson: the chosen one, else of its last slider."""
        return self.chosen or self.shown[0]

    def step(self, cell):
        """Where the cell begins a step, a mark for present.js, at a section's with its notes."""
        kind, said = form.slide_type(cell), form.notes(cell)
        if kind not in ("slide", "subslide"):
            return ""
        about = {}
        if kind == "slide":
            about = {"heading": form.heading(cell)[1], "minutes": said.get("minutes", "")}
            about["notes"] = typeset.as_html(said.get("notes", ""))
        told = "".join(f' data-{key}="{html.escape(str(value))}"' for key, value in about.items())
        return raw(f'<span class="step" hidden{told}></span>')

    def links(self):
        """What else there is of this lesson."""
        stem, places = self.path.stem, opened_in(address(), self.path)
        links = [f'<a href="{url}">Open in {name}</a>' for name, url in places.items()]
        links.append(f'<a href="editions/{stem}.ipynb" download>Download the notebook</a>')
        if self.pdf:
            links.append(f'<a href="pdf/{stem}.pdf">PDF</a>')
        present = '<button type="button" class="present" hidden>Present (P)</button>'
        return raw(f'<p class="links">{" · ".join(links)} {present}</p>')

    def text(self, cell):
        source = RUN.sub("", form.unfolded(cell))
        if form.ASKED.search(source):
            source = form.ASIDE.sub("", CALLED.sub("", source))
        return form.DIAGRAM.sub(
            lambda found: diagram(found[1], base64.b64decode(found[2]).decode()), source
        )

    def code(self, cell):
        kind, shown = form.tags(cell), []
        if "check" in kind:
            return self.to_run()
        if "exercise" in kind:
            names = [name for name, _ in form.STUB.findall(cell.source)]
            return self.exercise(cell.source, names)
        if "headline" not in kind:
            code = program(cell.source)
            folded = "draw" in kind or form.is_folded(cell)
            shown.append(fold("Code of the picture", code, "code") if folded else code)
        if form.explored(cell):
            recorded, typed = next(self.recorded, None), cell.metadata.get(frames.CHOSEN, {})
            if isinstance(typed, str):
                still = [self.output(output) for output in cell.outputs]
                return "\n\n".join([raw(game("".join(still)) + ALONE), *shown])
            if recorded:
                moved = raw(self.sliders(recorded, typed))
                self.chosen = self.shown[0] if EMBLEM in cell.metadata else self.chosen
                return "\n\n".join([moved, *shown])
        outputs = [raw(self.output(output)) for output in cell.outputs]
        self.chosen = self.shown[-1] if EMBLEM in cell.metadata else self.chosen
        # What a picture's code is comes after it: the picture is what the text speaks of.
        return "\n\n".join(outputs + shown if "draw" in kind else shown + outputs)

    def output(self, output):
        data = output.get("data", {})
        if "image/png" in data and "text/html" in data:
            found = PICTURE.match(data["text/html"].strip())
            shown = self.picture(*found.groups("")) if found else data["text/html"]
            return f'<div class="figure">{shown}</div>'
        if form.is_table(data):
            return f'<div class="output table" tabindex="0">{data["text/html"]}</div>'
        text = output.get("text") or data.get("text/plain", "")
        return f'<pre class="output">{html.escape(text)}</pre>' if text else ""

    def picture(self, kind, data, attributes, colored):
        self.pictures.mkdir(parents=True, exist_ok=True)
        file = self.pictures / f"{len(self.shown) + 1}.{kind}"
        file.write_bytes(base64.b64decode(data))
        self.shown.append(
            (f"{self.path.stem}/{file.name}", *SIZE.search(attributes).groups(), colored)
        )
        image = f'<img src="pictures/{self.path.stem}/{file.name}" loading="lazy" {attributes}>'
        return turned(image, colored)

    def question(self, number):
        """The letters to press; what comes out, and what is said of it, is folded until then."""
        said = {
            letter: typeset.as_html(reaction(number, letter).partition(". ")[2])
            for letter in tables()[1][number].reactions
        }
        return raw(PARTS.question(number, said, json.dumps(said)))

    def sliders(self, recorded, typed):
        """The controls of one figure, and its picture at their start; site.js moves them.

        `typed` names those that are text fields in the notebook.
        """
        self.pictures.mkdir(parents=True, exist_ok=True)
        index, controls = 0, recorded["controls"]
        for control in controls:
            index = index * len(control["values"]) + control["start"]
        for frame in recorded["frames"]:
            shutil.copy(frames.folder(self.path) / frame["file"], self.pictures)
        listed = [
            [frame["file"], frame["alt"], kept(frame["colored"])] for frame in recorded["frames"]
        ]
        values = [control["values"] for control in controls]
        moves = json.dumps({"values": values, "frames": listed}).replace("</", "<\\/")
        first = recorded["frames"][index]
        file, size = f"{self.path.stem}/{first['file']}", (recorded["width"], recorded["height"])
        self.shown.insert(0, (file, *size, first["colored"]))  # the lesson's emblem
        image = (
            f'<img src="pictures/{file}" width="{size[0]}" height="{size[1]}" '
            f'alt="{html.escape(first["alt"])}">'
        )
        picture = turned(image, first["colored"])
        return PARTS.sliders(self.path.stem, controls, typed, picture, moves)

    def exercise(self, source, names):
        """The functions to write; in an editor, where the page can judge them."""
        if not all(name in self.judged for name in names):
            return program(source)
        return to_write(form.title(self.notebook)[0], " ".join(names), source)

    def to_run(self):
        link = f"editions/{self.path.name}"
        return raw(
            f'<p class="to-run"><a class="button" href="{link}" download>Download the notebook</a> '
            "There <code>check</code> tells you which mistake an answer makes, and gives hints.</p>"
        )

    def all_answers(self):
        """All answers, for paper and for readers without scripts."""
        if not self.answers:
            return ""
        number = '<p class="number"><strong>{}</strong></p>'
        told = [f"{raw(number.format(asked))}\n\n{text}" for asked, text in self.answers]
        return "\n\n".join(["## Answers to the predictions", *told])


# The site


def to_write(lesson, name, source):
    """Markdown of a function to write; exercises.js makes an editor of it."""
    about = f'data-lesson="{lesson}" data-name="{name}"'
    return "\n\n".join([raw(f'<div class="exercise" {about}>'), program(source), raw("</div>")])


def emblem(file, width, height, colored):
    """A lesson's picture on its card."""
    image = f'<img src="pictures/{file}" alt="" loading="lazy">'
    ratio = f"--ratio: {int(width) / int(height):.3f}"
    return f'<span class="emblem" style="{ratio}">{turned(image, colored)}</span>'


def without(still):
    """What stands in the place of what needs scripts, where none run."""
    return f'<div class="without">\n{still}\n</div>'


SWITCHES = "<p>The switches move where scripts may run; else, in the lesson's notebook.</p>"
ALONE = '<p class="links"><a href="which.html">The switches on a page of their own</a></p>'


def game(still):
    """The game of lesson 14, and what stands in its place where no scripts run."""
    return str(which.part(PARTS.which)) + without(SWITCHES + still)


def front(made, judged, lead, more):
    """The first page; the last two are what the README says first: what this is, and the rest."""
    listed = "\n".join(
        f"{lesson.number} {lesson.title} <{lesson.path.stem}>" for lesson, *_ in made
    )
    start = f"{made[0][0].path.stem}.html"
    return "\n\n".join(
        [
            f"# {TITLE}",
            raw(door.part(PARTS.door, start) if door.TASK in judged else PARTS.begin(start)),
            lead,
            more,
            "## The lessons",
            *cards(made),
            raw(PROGRESS),
            which.LEAD,
            "## How they build on each other",
            drawn(DRAWING.search(documents.file("classroom/TEACHING.md"))),
            "## A model that writes",
            raw((WEB / "towns.html").read_text(encoding="utf-8")),
            raw(without(TOWNS)),
            (WEB / "front.md").read_text(encoding="utf-8"),
            f"{FENCE}{{toctree}}\n:hidden:\n:caption: Lessons\n\n{listed}\n{FENCE}",
            documents.TOCTREE,
        ]
    )


def parts():
    """The parts of the course and their lessons' numbers, as its drawing names them."""
    told = DRAWING.search(documents.file("classroom/TEACHING.md"))[1]
    for part in told.partition(". ")[2].partition(". An arrow")[0].split("; "):
        name, _, listed = part.partition(": ")
        yield name, re.findall(r"\b\d\d\b", listed)


def cards(made):
    """The lessons' cards as Markdown, below the name of each part of the course."""
    for name, numbers in parts():
        shown = [PARTS.card(lesson, emblem(*picture), asked)
                 for lesson, picture, asked in made if lesson.number in numbers]  # fmt: skip
        if shown:
            yield f"### {name}"
            yield raw(f'<div class="cards">{"".join(shown)}</div>')


TOWNS = """<figure class="diagram"><img src="_static/towns.svg" loading="lazy" alt="Towns that do
not exist, written letter by letter: lines lead from the letter before the newest to those that a
head looked at when it was chosen, and below it stand the letters that were likeliest there.">
</figure>"""
NOWHERE = "There is nothing at this address."
LOST = f"""# No such page

{NOWHERE} [The course begins here](index.md).
"""
PROGRESS = (
    '<p class="progress" hidden>What you have opened and answered is kept in this browser alone. '
    '<button type="button">Clear</button></p>'
)


def about():
    """What the README says first: what the course is, and what else there is to say."""
    text = documents.file("README.md").partition("\n## ")[0].partition("\n")[2].strip()
    lead, _, more = text.partition("\n\n")
    return lead, DRAWING.sub(drawn, documents.LEFT_OUT.sub("", more))


def drawn(found):
    """A picture of img/ that a Markdown file shows."""
    return diagram(found[1], documents.file(found[2]))


def build(names=(), solutions=False, still=False, pdf=False):
    """Write the pages of the site; return its folder."""
    isolate()
    for folder in (SITE, SOURCE):
        shutil.rmtree(folder, ignore_errors=True)
    paths, made, judged = lessons(names), [], pages.write(SOURCE / "_static")
    if not still:
        with stage("What sliders show", len(paths), lambda: drawing(paths)) as shown:
            for _ in frames.draw_all(paths):
                shown.update()
    for path in progress(paths, "Lessons as text", lambda path: path.stem):
        page = Page(path, solutions, still, pdf, judged)
        told = described(facts(path).question, sought=words.sought(path.stem[:2]))
        write_text(told + page.markdown(), SOURCE / f"{path.stem}.md")
        made.append((facts(path), page.emblem(), len(page.answers)))
        write_card(page)
    first = about()
    write_text(described(first[0]) + front(made, judged, *first), SOURCE / "index.md")
    shutil.copy(ROOT / "img" / "moving" / "towns.svg", SOURCE / "_static")
    write_text(described(NOWHERE, orphan=True) + LOST, SOURCE / "404.md")
    about_it = documents.pages(paths, drawn, SOURCE / "_static" / "licences")
    about_it["which"] = which.TOLD, which.PAGE + raw(game(""))
    for name, (told, text) in about_it.items():
        write_text(described(told) + text, SOURCE / f"{name}.md")
    write_text(f"{typeset.math_font()}\n", SOURCE / "_static" / "math.css")
    numbers = base64.b64encode((WEB / "towns.bin").read_bytes()).decode()  # towns.py packs them
    write_text(f'window.townsNumbers = "{numbers}";\n', SOURCE / "_static" / "towns-numbers.js")
    write_text(which.numbers(PARTS.found), SOURCE / "_static" / "which-numbers.js")
    settings = CONFIGURATION | {"html_baseurl": base()}
    app = Sphinx(
        SOURCE, None, SITE, SOURCE / ".doctrees", "html", settings, status=None,
        warning=sys.stderr, freshenv=True, warningiserror=True,
    )  # fmt: skip
    with stage("Pages", 2 * len(list(SOURCE.glob("*.md")))) as shown:
        for event in ("source-read", "html-page-context"):
            app.connect(event, lambda app, page, *_: shown.set_postfix_str(page) or shown.update())
        app.build()
    if app.statuscode:
        raise SystemExit("the site has not become whole: see the lines above")
    write_text(searched(), SITE / "_static" / "search-texts.js")
    for file in SITE.glob("*.html"):
        text = file.read_text(encoding="utf-8")
        for plain, better in NAMES.items():
            text = text.replace(plain, better)
        file.write_text(text, encoding="utf-8")
    return SITE


def drawing(paths):
    """Which lessons are being drawn, and how many files there are of them already."""
    begun = [path for path in paths if frames.folder(path).exists()]
    begun = [path for path in begun if not (frames.folder(path) / "frames.json").exists()]
    counts = [len(list(frames.folder(path).iterdir())) for path in begun]
    return ", ".join(f"{p.stem[:2]}: {n} files" for p, n in zip(begun, counts, strict=True))


def expected():
    """How long it will take, as far as that is known."""
    if not DURATION.exists():
        return "The first time this takes three to five minutes on two idle cores."
    return f"The last time this took {DURATION.read_text('utf-8')} seconds here."


def base():
    """Where the site is public: GitHub's pages of the project's address; "" without one."""
    place = address()
    return "https://{}.github.io/{}/".format(*place.split("/")) if place else ""


def described(told, orphan=False, sought=""):
    """What a search engine is told of a page, and whoever is sent the link; what finds it here."""
    told = json.dumps(" ".join(told.split()))
    keys = [f'    "{key}": {told}' for key in ("description", "property=og:description")]
    keys += [f'    "keywords": {json.dumps(sought)}'] * bool(sought)
    alone = ["orphan: true"] * orphan
    return "\n".join(["---", *alone, "myst:\n  html_meta:", *keys, "---\n\n"])


def searched():
    """Each page's sections, for a search: [anchor, title, text, what else one may look for there].

    From files a page cannot be fetched for the excerpts.
    """
    told, names = {}, words.named()
    for file in sorted(SITE.glob("*.html")):
        page = bs4.BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
        for part in page.select(NOT_SOUGHT):
            part.decompose()
        for code in page.select("pre"):
            code.string = code.get_text()  # as it stands there, not word by word
        told[file.name] = []
        for section in reversed(page.select("article section[id]")):  # inner ones first
            title = section.find(["h2", "h3"], recursive=False)
            title = title.extract().get_text() if title else ""
            text = " ".join(section.extract().get_text(" ").split())
            named = names.get((file.stem, section["id"] if title else ""), "")
            told[file.name].insert(0, [section["id"], title, text, named])
    return f"window.searchTexts = {json.dumps(told, ensure_ascii=False)};\n"


def write_card(page):
    """A lesson's emblem as a PNG, which every program that shows a link can read."""
    if base():
        with Image.open(SITE / "pictures" / page.emblem()[0]) as picture:
            picture.convert("RGB").save(page.pictures / "card.png")


def card(page):
    """The address of the picture that stands beside a link to a page, where the site is public."""
    own = which.LESSON.stem if page == "which" else page
    shown = [*SITE.glob(f"pictures/{own}/card.png"), *sorted(SITE.glob("pictures/*/card.png"))]
    return base() + shown[0].relative_to(SITE).as_posix() if shown else ""


def add_files(names=(), solutions=False):
    """Put beside the pages what they link to: the notebooks to download."""
    edition = "colab" if solutions else "student"
    editions.write(edition, names)
    shutil.copytree(BUILD / edition, SITE / "editions", dirs_exist_ok=True)


SCRIPTS = {  # what a part of a page needs
    "door": ("door.js",),
    "towns": ("attention.js", "towns-numbers.js", "towns.js"),
    "which": ("attention.js", "which-numbers.js", "which.js"),
}
NOT_SOUGHT = "h1, .links, .which, .headerlink, script, math, #answers-to-the-predictions"
NAMES = {  # what Furo does not name, and what Sphinx says twice
    '<meta name="viewport" content="width=device-width, initial-scale=1" />': "",  # Furo's is there
    '<th class="head"><p></p></th>': "<td></td>",  # a corner is no heading
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All lessons">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<p class="caption" role="heading">': '<p class="caption">',  # a heading without a level
    '<div id="search-results"></div>': '<h1>Search</h1>\n<div id="search-results"></div>',
}
CONFIGURATION = {
    "project": TITLE,
    "project_copyright": NOTICE,
    "html_use_index": False,
    "extensions": ["myst_parser", "tools.site.site"],
    "myst_enable_extensions": ["dollarmath"],
    "html_theme": "furo",
    "html_title": TITLE,
    "html_favicon": str(WEB / "icon.svg"),
    "html_static_path": [str(WEB), "_static"],
    "templates_path": [str(TEMPLATES)],
    "html_css_files": ["math.css", "site.css"],
    "html_js_files": ["site.js", "exercises.js", "present.js"],
    "html_math_renderer": "mathml",
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_sphinx": False,
    "suppress_warnings": ["myst.header"],
}


def setup(app):
    """What Sphinx calls: formulas become MathML, which every current browser shows by itself."""
    from docutils import nodes

    def scripts(app, page, template, context, doctree):
        context["foot"] = documents.foot(page)
        context["card"] = card(page)
        for part, files in SCRIPTS.items():
            if f' class="{part}"' in context.get("body", ""):
                for file in files:
                    app.add_js_file(file, priority=900)  # after what all pages have

    app.connect("html-page-context", scripts)
    app.connect("doctree-read", words.link)

    def formula(display, translator, node):
        translator.body.append(typeset.mathml(node.astext(), display))
        raise nodes.SkipNode

    kinds = ((partial(formula, display), None) for display in ("inline", "block"))
    app.add_html_math_renderer("mathml", *kinds)
    return {"parallel_read_safe": True}


def main(arguments=None):
    parser = command_line(__doc__)
    parser.add_argument("lesson", nargs="*")
    parser.add_argument("--solutions", action="store_true")
    parser.add_argument("--still", action="store_true", help="sliders show one picture only")
    parser.add_argument("--pdf", action="store_true", help="a PDF of each lesson too")
    options = parser.parse_args(arguments)
    if options.pdf:
        paper.found()
    print(expected(), flush=True)
    begun = time.monotonic()
    folder = build(options.lesson, options.solutions, options.still, options.pdf)
    add_files(options.lesson, options.solutions)
    if options.pdf:
        with paper.chromium() as browser:
            paper.write(browser, folder, lessons(options.lesson))
    write_text(f"{time.monotonic() - begun:.0f}", DURATION)
    print(os.path.relpath(folder / "index.html"))
