"""What a lesson must be, and whether an execution of it shows what is stored.

FORM holds the checks of a stored lesson: each takes a notebook and yields its complaints, as
texts. `compare` holds a stored lesson against a fresh execution.
"""

import ast
import base64
import html
import itertools
import re
import statistics
import symtable
import sys

import nbformat
import pictures
import torch

import attn_teach
from attn_lesson import catalogue
from tools import notebook as form
from tools.checks import claims
from tools.checks.claims import IMG, prose
from tools.lessons import NOTEBOOKS, as_text, required
from tools.notebook import DIAGRAM, NOT_SHOWN, REASON, tags

PACKAGES = {"torch", "numpy", "matplotlib", "attn_teach", "attn_lesson", "ipywidgets", "IPython"}
FETCHES = re.compile(r"https?://|\bpip3? install\b|torch\.hub|load_state_dict_from_url")
PATH = r"(?<![\w.)~$-])/(?:Users|content|home|kaggle|mnt|root|srv|tmp|usr|var|work)/\w"
PATH += r"|(?<!\w)~/\w|\b[A-Z]:[\\/]\w|site-packages"
UNSTABLE = {  # printed, no other machine would print it again
    "a memory address": r"\b0x[0-9a-fA-F]{6,}",
    "an unrounded number": r"\d\.\d{7,}",
    "a version": r"\b\d+\.\d+\.\d+\b",
    "a path of one machine": PATH,
}
MIN_ALT = 20  # characters of a description
WORDS_BEFORE_RESULT = 150
LONGEST_PARAGRAPH = 110
FORM = []


def check(find):
    """Put a generator of complaints into FORM."""
    FORM.append(find)
    return find


def stored(path):
    return nbformat.read(path, as_version=4)


def named(nb):
    """Return the cells, each with its name for complaints."""
    return [(f"cell {number}", cell) for number, cell in enumerate(nb.cells, start=1)]


def code(nb):
    return [(f"[{n}]", cell) for n, cell in enumerate(form.of_type(nb, "code"), start=1)]


def markdown(nb):
    return [(name, cell) for name, cell in named(nb) if cell.cell_type == "markdown"]


def outputs(nb):
    """Return all outputs, each with the name of its cell."""
    return [(name, output) for name, cell in code(nb) for output in cell.outputs]


# The cells


@check
def cells(nb):
    """Named and tagged as lessons are."""
    if not form.title(nb)[0]:
        yield "the first cell is not a title (# 03 · Name: ...)"
    for name, cell in named(nb):
        for tag in tags(cell) - form.TAGS:
            yield f"{name} has the unknown tag {tag!r}"
        if "nbval-ignore-output" in tags(cell) and len(cell.metadata.get(REASON, "")) < MIN_ALT:
            yield f"{name} ignores its output; its metadata '{REASON}' does not say why"


@check
def sizes(nb):
    lines = {name: len(cell.source.splitlines()) for name, cell in code(nb)}
    for name, count in lines.items():
        if not 1 <= count <= 25:
            yield f"{name} has {count} lines, not 1 to 25"
    if statistics.median(lines.values()) > 8:
        yield f"the median cell has {statistics.median(lines.values()):g} lines, above 8"
    kilobytes = len(as_text(nb).encode()) / 1000
    if kilobytes > 310:  # every picture is in it twice, as PNG and as HTML with its description
        yield f"the file has {kilobytes:.0f} kB, above 310"
    for name, cell in markdown(nb):
        for part in re.split(r"\n\s*\n|\n(?=[-*|] )", cell.source.partition("**Sources")[0]):
            if (words := len(prose(part).split())) > LONGEST_PARAGRAPH:
                yield f"{name} has a paragraph of {words} words, above {LONGEST_PARAGRAPH}"


@check
def headline(nb):
    """One cell prints the lesson's figures as lines `name: figure`."""
    found = [form.printed(cell).splitlines() for cell in nb.cells if "headline" in tags(cell)]
    if len(found) != 1 or not 3 <= len(found[0]) <= 6 or not all(": " in line for line in found[0]):
        yield f"one cell prints 3 to 6 headlines, each as `name: figure`; here: {found}"


@check
def instructor(nb):
    """Each section has its notes, and its minutes add up to the plan."""
    minutes = exercise_minutes = 0
    for name, cell in markdown(nb):
        about, (rank, words) = form.notes(cell), form.heading(cell)
        minutes += about.get("minutes", 0)
        exercise_minutes += sum(form.exercise_minutes(cell.source))
        if rank in (1, 2) and words != "Solutions":
            if len(about.get("notes", "")) < MIN_ALT:
                yield f"{name}, '{words}', has no notes for the instructor"
            if (words == "Exercises") == ("minutes" in about):
                yield f"{name}, '{words}': a section has minutes, the exercises have not"
        elif about and rank != 3:
            yield f"{name} has notes, but begins no section"
    plan = form.PLAN.format(minutes, exercise_minutes)
    if not any(plan in cell.source for _, cell in markdown(nb)):
        yield f"the lesson does not say: {plan}"


@check
def slides(nb):
    """No slide gives away what comes next, or shows what does not belong."""
    after_prediction = False
    for name, cell in named(nb):
        kind = form.slide_type(cell)
        if kind not in ("slide", "subslide", "skip", "-"):
            yield f"{name} has the slide type '{kind}'"
        if tags(cell) & NOT_SHOWN and kind != "skip":
            yield f"{name}, tagged {sorted(tags(cell))}, is not left out of the slides"
        begins = form.heading(cell)[0] in (1, 2)
        if begins and kind != ("skip" if "solution" in tags(cell) else "slide"):
            yield f"{name} is a section, but starts no slide"
        if after_prediction and kind == "-":
            yield f"{name} stands on the slide whose question it answers"
        after_prediction = "predict" in tags(cell) or (after_prediction and kind == "skip")


@check
def door(nb):
    """A result and a question come first, before all that has to be set up."""
    asked = next((n for n, cell in enumerate(nb.cells) if "predict" in tags(cell)), len(nb.cells))
    first = nb.cells[:asked]
    if any("parameters" in tags(cell) for cell in first):
        yield "the parameters stand before the first question"
    if any(len(re.findall("^(?:from|import) ", cell.source, re.M)) > 3 for cell in first):
        yield "more than three lines of imports stand before the first question"
    shown = next((n for n, cell in enumerate(first) if cell.get("outputs")), None)
    if shown is None:
        yield "nothing is shown before the first question"
    words = sum(len(prose(c.source).split()) for c in first[:shown] if c.cell_type == "markdown")
    if words > WORDS_BEFORE_RESULT:
        yield f"{words} words stand before the first result, more than {WORDS_BEFORE_RESULT}"


# What the learner does


LETTERS = "PQRSTUVWXYZ"  # of questions; A, B, C ... are options, 3.1, 3.2 ... turns and exercises


@check
def questions(nb):
    """Each question has its text, its options, its buttons and its answer, told in a fold alone."""
    known = {n: q for n, q in catalogue.tables()[1].items() if n[:-1] == form.number(nb)}
    asked = [number for _, cell in markdown(nb) for number in form.ASKED.findall(cell.source)]
    if asked != list(known):
        yield f"the questions {asked} are asked, there are {list(known)}"
    if (letters := "".join(n[-1] for n in known)) != LETTERS[: len(known)]:
        yield f"the questions have the letters {letters}, not P, Q, R ..."
    for name, cell in markdown(nb):
        if form.REVEAL.match(form.unfolded(cell)) and "reveal" not in tags(cell):
            yield f"{name} begins '{cell.source[:20]}', with the letter of no question"
    starts = [n for n, cell in enumerate(nb.cells) if "predict" in tags(cell)]
    for start, end in itertools.pairwise([*starts, len(nb.cells)]):
        before, buttons, *below = nb.cells[start - 1 : end]
        below = list(itertools.takewhile(lambda c: form.heading(c)[0] not in (1, 2), below))
        number = (form.PREDICT.search(buttons.source) or [None, None])[1]
        if number not in form.ASKED.findall(before.source) or number not in known:
            yield f"{buttons.source} does not follow the text of its question"
            continue
        if [o for o, _ in form.OPTION.findall(before.source)] != [*known[number].reactions]:
            yield f"{number} offers other letters than there are answers to"
        answer = next((c for c in below if "reveal" in tags(c)), None)
        if answer is None:
            yield f"no cell tagged 'reveal' in its section answers {number}"
            continue
        begins, right = form.unfolded(answer), catalogue.right_letter(number)
        letter = form.REVEAL.match(begins)
        if not letter or letter[1] != right:
            yield f"the reveal of {number} begins '{begins[:20]}', not with {right}"
        shown = [form.FOLDED.sub(" ", c.source.split("**Predict first")[0]) for c in below
                 if not form.is_folded(c) and "solution" not in tags(c)]  # fmt: skip
        for words in answer.metadata.get(form.TOLD) or ["?"]:
            if words.lower() not in _line(answer.source):
                yield f"the answer to {number} does not say what its metadata 'told' has: {words}"
            if words.lower() in _line("\n".join(shown)):
                yield f"outside of its fold, {words!r} tells the answer to {number}"


def _line(text):
    return " ".join(text.lower().split())


@check
def exercises(nb):
    """Each exercise has its stub, its check and its solution, in order; a turn has it folded."""
    below = False
    for name, cell in named(nb)[:-1]:
        below = below or form.SOLUTIONS.search(cell.source) is not None
        if ("solution" in tags(cell)) != below and not (form.is_answer(cell) and not below):
            yield f"{name}: what stands below '## Solutions' has the tag 'solution', nothing else"
    found, current = {"Exercise": {}, "Your turn": {}, "Solution": {}}, []
    for cell in nb.cells:
        heading = form.NUMBERED.match(cell.source) if cell.cell_type == "markdown" else None
        if heading:
            current = found[heading[1]].setdefault(heading[2], [])
            if current:
                yield f"there are two of {heading[1]} {heading[2]}"
        elif cell.cell_type == "markdown" and cell.source.startswith(("## ", "**Next")):
            current = []
        current.append(cell)
        if form.is_answer(cell):  # a turn ends with its answer
            current = []
    asked, solved = found["Your turn"] | found["Exercise"], found["Your turn"] | found["Solution"]
    if list(asked) != [f"{form.number(nb)}.{n}" for n in range(1, len(asked) + 1)]:
        yield f"the exercises are numbered {list(asked)}"
    if list(asked) != list(solved) or len(asked) < 2:
        yield f"the exercises are {list(asked)}, the solutions {list(solved)}"
    for number in [number for number in asked if number in solved]:
        for text in _exercise(asked[number], solved[number]):
            yield f"{number}: {text}"


@check
def names(nb):
    """What a text or a note calls 3P is a question, and what it calls turn 3.1 is that turn."""
    numbers = [found for _, c in markdown(nb) for found in form.NUMBERED.findall(c.source)]
    known = {k: what for what, k in numbers if what != "Solution"}
    numbered = rf"(?:(turn|exercise) )?(?<![\w.,])({form.number(nb)}\.\d)(?!\d| °C)"
    for name, cell in named(nb):
        notes = form.notes(cell).get("notes", "")
        for letter in re.findall(r"\b\d+[P-Z]\b", cell.source + notes):
            if letter not in catalogue.tables()[1]:
                yield f"{name} names {letter}, which is no question"
        bare = "exercise" if form.heading(cell)[1] == "Exercises" else "question"
        told = [found for found in re.findall(numbered, cell.source, re.IGNORECASE) if found[0]]
        told += [(what or bare, k) for what, k in re.findall(numbered, notes, re.IGNORECASE)]
        for what, k in told:
            if not known.get(k, "").lower().endswith(what.lower()):
                yield f"{name} names {what} {k}, which is {known.get(k, 'nothing')}"


def _exercise(cells, solution):
    """Complaints about one exercise, given as the cells below its headings."""

    def joined(tag, cells):
        return "\n".join(cell.source for cell in cells if tag in {cell.cell_type, *tags(cell)})

    known, text = catalogue.tables()[0], joined("markdown", cells)
    names = form.CHECK.findall(joined("check", cells))  # untagged, no edition would know them
    stubs = form.STUB.findall(joined("exercise", cells))
    asks = any("my_" in cell.source for cell in cells)
    if asks and form.ON_PAPER not in text.splitlines()[0] and not names:
        yield "nothing is checked"
    if [name for name, _ in stubs] != names:
        yield f"the stubs {[name for name, _ in stubs]} and the checks {names} differ"
    for name, arguments in stubs:
        if name in known:
            made = known[name].answer.__code__
            expected = ", ".join(made.co_varnames[: made.co_argcount])
            if re.sub(r"=[^,]*", "", arguments) != expected:
                yield f"{name}({arguments}) is judged as {name}({expected})"
    done, shown = joined("solution", solution), "".join(map(form.printed, solution))
    if cells is solution:  # a turn: the judge tries what is folded
        yield from _folded("\n".join(form.ANSWER.findall(done)), names)
        return
    for name in names:
        if not re.search(rf"^(?:def|class) {name}\b", done, re.MULTILINE):
            yield f"its solution does not define {name}"
        if f"{name}: Correct on" not in shown:
            yield f"its solution does not show that {name} is correct"


def _folded(source, names):
    given = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn, **vars(attn_teach)}
    exec(source, given)
    for name in names:
        status = catalogue.judge(given[name]).status if name in given else "missing"
        if status != "right":
            yield f"the folded answer gives {name}, which is {status}"


IDEAS, WORDS, CELLS, FIRST_LINE, TURNS = 5, 2300, 95, 900, 3


@check
def hands(nb):
    """Hands first: turns before what they find, things to drag with a task, one lesson's worth."""
    turns = sum(cell.source.startswith("### Your turn") for cell in nb.cells)
    named_cells = named(nb)
    end = next(n for n, c in enumerate(nb.cells) if c.source.startswith("## Exercises"))
    lesson = named_cells[:end]
    first = next((n for n, (_, c) in enumerate(lesson) if "exercise" in tags(c)), end)
    if (words := _words(lesson[:first])) > FIRST_LINE:
        yield f"{words} words stand before the first line that is typed, more than {FIRST_LINE}"
    if (words := _words(lesson)) > WORDS:
        yield f"{words} words stand before the exercises, more than {WORDS}"
    if end > CELLS:
        yield f"{end} cells stand before the exercises, more than {CELLS}"
    live = [n for n, (_, c) in enumerate(lesson) if form.explored(c)]
    if turns < TURNS or len(live) < TURNS or live[0] > end / 3:
        yield f"{turns} turns, and things to drag at {live} of {end} cells: want three of each"
    ideas = [form.heading(c)[1] for _, c in lesson if re.match(r"## \d", c.source)]
    if len([idea for idea in ideas if "Where it breaks" not in idea]) > IDEAS:
        yield f"more than {IDEAS} ideas: {ideas}"
    for n in live:
        (_, before), (name, _), (_, after) = lesson[n - 1 : n + 2]
        if not form.TASK.search(before.source):
            yield f"{name} can be dragged, but the text before it sets no task"
        if not form.heading(after)[0] and not tags(after) & {"found", "parameters"}:
            yield f"{name} can be dragged; what follows is not folded, and may answer its task"
    yield from _rebound(nb)


def _words(cells):
    """The words of these cells' texts that are not folded."""
    shown = [form.FOLDED.sub(" ", c.source) for _, c in cells if c.cell_type == "markdown"]
    return sum(len(prose(text).split()) for text in shown)


def _rebound(nb):
    """Complain where a later cell gives another meaning to a name that a live figure reads."""
    made, reads = [], {}  # names that each cell binds; what each function reads of them, by name
    for name, cell in code(nb):
        table = symtable.symtable(cell.source, name, "exec")
        made.append(
            {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
        )
        reads |= {each.get_name(): _globals(each) for each in table.get_children()}
    for n, (name, cell) in enumerate(code(nb)):
        if form.explored(cell):
            needed = set(re.findall(r"^explore\((\w+)", cell.source, re.MULTILINE))
            while more := set().union(*(reads.get(each, set()) for each in needed)) - needed:
                needed |= more
            bound = set().union(*made[: n + 1])
            for (later, _), names in zip(code(nb)[n + 1 :], made[n + 1 :], strict=True):
                for lost in sorted(needed & bound & names):
                    yield f"{later} binds {lost} anew, which the figure of {name} reads"


def _globals(table):
    """The names of the notebook that a function, or what is in it, reads."""
    inside = [_globals(each) for each in table.get_children()]
    return {s.get_name() for s in table.get_symbols() if s.is_global()}.union(*inside)


# The code and what it shows


@check
def plain_python(nb):
    """No magics, shell commands, downloads, or imports that a learner may not have."""
    have = PACKAGES | sys.stdlib_module_names | {*required(form.title(nb)[0])}
    for name, cell in code(nb):
        for found in FETCHES.findall(cell.source):
            yield f"{name} names {found}"
        try:
            nodes = list(ast.walk(ast.parse(cell.source)))
        except SyntaxError as error:
            yield f"{name} is not plain Python: {error.msg}: {(error.text or '').strip()}"
            continue
        modules = [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
        modules += [node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)]
        for module in modules:
            if module.partition(".")[0] not in have:
                yield f"{name} imports {module}"


@check
def no_errors(nb):
    for name, output in outputs(nb):
        if output.output_type == "error":
            yield f"{name} shows an error: {output.ename}: {output.evalue}"
        elif output.get("name") == "stderr":
            yield f"{name} writes to stderr: {output.text.strip()[:80]}"


@check
def stable_text(nb):
    """Nothing is printed that no other machine would print again."""
    for name, output in outputs(nb):
        for kind, pattern in UNSTABLE.items():
            if found := re.search(pattern, _text(output)):
                yield f"{name} prints {kind}: {found[0]}"


@check
def alternative_texts(nb):
    """A blind reader can read each picture, in outputs and in text."""
    for name, output in outputs(nb):
        for kind in [kind for kind in output.get("data", {}) if kind.startswith("image/")]:
            alt = output.metadata.get(kind, {}).get("alt", "")
            if len(alt.strip()) < MIN_ALT:
                yield f"{name} shows a picture without alternative text ({alt!r})"
    for name, cell in markdown(nb):
        for alt in re.findall(r"!\[([^\]]*)\]\(", cell.source):
            if len(alt.strip()) < MIN_ALT:
                yield f"{name} has a picture without alternative text ({alt!r})"


# The text


@check
def links(nb):
    """No link leads to a missing file or heading; each diagram is the file that it is named by."""
    headings = {
        heading.strip().replace(" ", "-")
        for _, cell in markdown(nb)
        for heading in re.findall(r"^#+ (.*)$", cell.source, re.MULTILINE)
    }
    code_or_formula = r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$"
    for name, cell in markdown(nb):
        text = re.sub(code_or_formula, "", cell.source, flags=re.DOTALL)
        for target in re.findall(r"\]\(<?([^)\s>]+)", text):
            path, _, anchor = target.partition("#")
            if re.match(r"(https?|mailto|data):", target):
                continue
            if path and not (NOTEBOOKS / path).exists():
                yield f"{name} links to {path}, which does not exist"
            if not path and anchor not in headings:
                yield f"{name} links to the heading #{anchor}, which does not exist"
        diagrams = DIAGRAM.findall(cell.source)
        if len(diagrams) != cell.source.count("data:image") or "<img" in cell.source:
            yield f"{name} embeds a picture in a way that no check knows"
        for alt, data, file in diagrams:
            original = (IMG / file).read_text("utf-8") if (IMG / file).is_file() else ""
            if base64.b64decode(data).decode() != original:
                yield f"{name} has another {file} than the one in img/"
            elif f"<desc>{alt}</desc>" not in html.unescape(original):
                yield f"{name} describes {file} in other words than the file itself"
        if len(re.findall(r"(?<!\\)\$", prose(cell.source))) % 2:
            yield f"{name} has a formula that is not closed by $"


def formulas_of(source):
    """The formulas in a text, without their signs."""
    found = re.findall(r"\$\$(.+?)\$\$|\$([^$]+)\$", prose(source), re.DOTALL)
    return [a or b for a, b in found]


@check
def premises(nb):
    """Questions and answers have a premise, which is about what is said."""
    for name, cell in named(nb):
        for what in claims.doubts(cell):
            yield f"{name}, {claims.words(cell)}: {what}"


@check
def figures(nb):
    """Code or outputs near the text hold the figures in it."""
    for cell, text in claims.lost(nb):
        yield f"{claims.words(cell)} {text}"


# A fresh execution against what is stored

COLORED = re.compile(' data-colored="[^"]*"')  # where a font is another, this is as well
PIXELS = re.compile(r'src="data:image/(?:png|webp);base64,([\w+/=]+)" width="\d+" height="\d+"')
WEIGHT = re.compile(r"\b[01]\.\d{3}\b")  # as head views tell it
PACKED = re.compile(r'"letters": "([^"]*)", "short": (\d+), "weights": "([^"]*)"')


def compare(stored, fresh, with_pictures=pictures.COMPARABLE):
    """Complain where an execution shows something else, also where nbval does not look."""
    out = list(no_errors(fresh))
    for (name, old), (_, new) in zip(code(stored), code(fresh), strict=True):
        before, after = ([_kind(output) for output in cell.outputs] for cell in (old, new))
        if before != after:
            out.append(f"{name} showed {before}, shows {after}")
            continue
        said, says = ("\n".join(map(_text, cell.outputs)).strip() for cell in (old, new))
        (rest, weights), (other, others) = map(_head_views, (said, says))
        if rest != other or len(weights) != len(others):
            out.append(f"{name} said {said[:80]!r}, says {says[:80]!r}")
        elif any(abs(a - b) > 1 for a, b in zip(weights, others, strict=True)):
            out.append(f"{name}: a weight is off by more than a thousandth")
        both = zip(_images(old), _images(new), strict=False)  # as many, or told above
        for (png, sharp), (now, _) in both if with_pictures else ():
            out += [f"{name}: {told}" for told in pictures.compare(png, now, sharp)]
    return out


def _kind(output):
    kind = [output.output_type, output.get("name", ""), *sorted(output.get("data", {}))]
    return " ".join(kind), output.get("metadata")


def _text(output):
    """What is said, without pixels: pictures are compared as pictures."""
    data = [text for kind, text in sorted(output.get("data", {}).items()) if "image/" not in kind]
    said = [*data, output.get("text", ""), *output.get("traceback", [])]
    return COLORED.sub("", PIXELS.sub("", "\n".join(map(str, said))))


def _images(cell):
    """The pictures that a cell shows, PNGs and those in its HTML, which are twice as sharp."""
    data = [output.get("data", {}) for output in cell.outputs]
    pngs = [each["image/png"] for each in data if "image/png" in each]
    sharp = PIXELS.findall("".join(each.get("text/html", "") for each in data))
    return [(png, 1) for png in pngs] + [(picture, 2) for picture in sharp]


def _head_views(text):
    """The text without the weights that head views hold, and these in thousandths.

    Another processor may round each of them to the next.
    """
    if 'class="head-view"' not in text:
        return text, []
    weights = [round(1000 * float(cell)) for cell in WEIGHT.findall(text)]
    for letters, short, packed in PACKED.findall(text):
        weights += thousandths(packed, letters, int(short))
    return PACKED.sub("", WEIGHT.sub("", text)), weights


def thousandths(packed, letters, short):
    """The weights as the script of a head view reads them."""
    digits, out = map(letters.index, packed), []
    for one in digits:
        out.append(one if one < short else short + len(letters) * (one - short) + next(digits))
    return out
