"""What a reader would call wrong in a lesson: each check takes a notebook and returns complaints.

READING holds them. They ask whether the parts of a lesson agree with each other: the text with its
code and outputs, the questions with their options, the exercises with what judges them.
"""

import ast
import html
import itertools
import re

from lesson_checks import code, markdown

from attn_lesson import catalogue
from tools import notebook as form
from tools.checks import claims
from tools.checks.claims import IMG, prose
from tools.notebook import DIAGRAM


def _cells(nb):
    return [(f"cell {number}", cell) for number, cell in enumerate(nb.cells, start=1)]


# Parts that belong together


def ids(nb):
    seen, out = set(), []
    for name, cell in _cells(nb):
        if cell.id in seen:
            out.append(f"{name} has the id {cell.id} of an earlier cell")
        seen.add(cell.id)
    return out


def tags(nb):
    return [
        f"{name} has the unknown tag {tag!r}"
        for name, cell in _cells(nb)
        for tag in form.tags(cell) - form.TAGS
    ]


def questions(nb):
    """Complain unless each question has its text, its options and its buttons, in order."""
    out, lesson = [], form.number(nb)
    known = {n: q for n, q in catalogue.tables()[1].items() if n.split(".")[0] == lesson}
    asked = [form.ASKED.findall(cell.source) for _, cell in markdown(nb)]
    asked = [number for found in asked for number in found]
    if asked != [f"{lesson}.{n}" for n in range(1, len(known) + 1)]:
        out.append(f"the questions {asked} are asked, there are {list(known)}")
    cells = _cells(nb)
    for (_, before), (name, cell) in itertools.pairwise(cells):
        if "predict" not in form.tags(cell):
            continue
        number = re.fullmatch(r'predict\("([\d.]+)"\)', cell.source)
        if not number or number[1] not in form.ASKED.findall(before.source):
            out.append(f"{name}, {cell.source}, does not follow the text of its question")
            continue
        options = form.OPTION.findall(before.source)
        letters, texts = zip(*options, strict=True) if options else ((), ())
        told = known[number[1]].reactions if number[1] in known else {}
        if list(letters) != list(told):
            out.append(f"{number[1]} offers {letters}, but there is an answer to {list(told)}")
        if len(set(texts)) < len(texts):
            out.append(f"two options of {number[1]} are the same")
    return out


def exercises(nb):
    """Complain unless each exercise has its stub, its check and its solution, in order."""
    found, current = {"Exercise": {}, "Solution": {}}, None
    for _, cell in _cells(nb):
        heading = form.NUMBERED.match(cell.source) if cell.cell_type == "markdown" else None
        if heading:
            if heading[2] in found[heading[1]]:
                return [f"there are two of {heading[1]} {heading[2]}"]
            current = found[heading[1]].setdefault(heading[2], [])
        elif cell.cell_type == "markdown" and cell.source.startswith(("## ", "**Next")):
            current = None
        if current is not None:
            current.append(cell)
    asked, solved = found["Exercise"], found["Solution"]
    lesson = form.number(nb)
    if list(asked) != [f"{lesson}.{n}" for n in range(1, len(asked) + 1)]:
        return [f"the exercises are numbered {list(asked)}"]
    if list(asked) != list(solved):
        return [f"the exercises are {list(asked)}, the solutions {list(solved)}"]
    return [f"{n}: {text}" for n in asked for text in _exercise(asked[n], solved[n])]


def _code(cells, tag):
    return "\n".join(cell.source for cell in cells if tag in form.tags(cell))


def _exercise(cells, solution):
    """Complaints about one exercise, given as the cells below its heading."""
    out, known = [], catalogue.tables()[0]
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    out += [f"there is no {n}" for n in set(re.findall(r"`(my_\w+)", text)) - set(known)]
    source = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    names = form.CHECK.findall(_code(cells, "check"))  # untagged, no edition would know them
    stubs = form.STUB.findall(_code(cells, "exercise"))
    if form.ON_PAPER not in text.splitlines()[0] and not names and "my_" in source + text:
        out.append("nothing is checked")
    if [name for name, _ in stubs] != names:
        out.append(f"the stubs {[name for name, _ in stubs]} and the checks {names} differ")
    for name, arguments in stubs:
        if name in known:
            made = known[name].answer.__code__
            expected = ", ".join(made.co_varnames[: made.co_argcount])
            if re.sub(r"=[^,]*", "", arguments) != expected:
                out.append(f"{name}({arguments}) is judged as {name}({expected})")
    done = _code(solution, "solution")
    shown = "".join(form.printed(cell) for cell in solution)
    for name in names:
        if not re.search(rf"^(?:def|class) {name}\b", done, re.MULTILINE):
            out.append(f"its solution does not define {name}")
        if not re.search(rf"^check\({name}\)", done, re.MULTILINE):
            out.append(f"its solution does not end in check({name})")
        if f"{name}: Correct on" not in shown:
            out.append(f"its solution does not show that {name} is correct")
    return out


def descriptions(nb):
    """Complain unless a diagram is described in the text as it is in its file."""
    out = []
    for name, cell in markdown(nb):
        found = DIAGRAM.findall(cell.source)
        if len(found) != len(re.findall(r"data:image", cell.source)):
            out.append(f"{name} embeds a picture in a way that no check knows")
        for alt, _, file in found:
            described = re.search(r"<desc>(.*?)</desc>", (IMG / file).read_text("utf-8"), re.DOTALL)
            if described is None or html.unescape(described[1]) != alt:
                out.append(f"{name} describes {file} in other words than the file itself")
    return out


# Text, formulas and figures


def formulas(nb):
    """Complain about formulas that cannot be set: what is opened must be closed."""
    out = []
    for name, cell in markdown(nb):
        text = prose(cell.source)
        if len(re.findall(r"(?<!\\)\$", text)) % 2:
            out.append(f"{name} has a formula that is not closed by $")
            continue
        for formula in formulas_of(source=cell.source):
            bare = re.sub(r"\\[{}]", "", formula)
            if bare.count("{") != bare.count("}"):
                out.append(f"{name} has unequal braces in {formula}")
            for start, end in ((r"\\left\b", r"\\right\b"), (r"\\begin\b", r"\\end\b")):
                if len(re.findall(start, formula)) != len(re.findall(end, formula)):
                    out.append(f"{name} has {start[2:-2]} without its partner in {formula}")
    return out


def formulas_of(source):
    """The formulas in a text, without their signs."""
    found = re.findall(r"\$\$(.+?)\$\$|\$([^$]+)\$", prose(source), re.DOTALL)
    return [a or b for a, b in found]


def premises(nb):
    """Complain about questions and answers without a premise, or with one that proves nothing."""
    return [
        f"{name}, {claims.words(cell)}: {what}"
        for name, cell in _cells(nb)
        for what in claims.doubts(cell)
    ]


def figures(nb):
    """Complain about figures in the text that neither code nor outputs near them hold."""
    return [f"{claims.words(cell)} {text}" for cell, text in claims.lost(nb)]


# The door and the voice


SCREEN = 38  # lines of a page in a window of 1000 pixels, below the bars of JupyterLab
PICTURE_LINES = 14
WORDS_BEFORE_RESULT = 150
LONGEST_PARAGRAPH = 110
SCAFFOLDING = {
    "print",
    "plot",
    "show_heatmaps",
    "subplots",
    "describe",
    "check_parameters",
    "display",
}
SCAFFOLDING |= {"ax", "axes", "fig", "figure", "plt", "left", "right", "panel"}


def door(nb):
    """Complain unless a result and a question come first, before all that has to be set up."""
    out, lines, words = [], 0, 0
    tags = [form.tags(cell) for cell in nb.cells]
    asked = next((n for n, found in enumerate(tags) if "predict" in found), len(tags) - 1)
    if any("parameters" in found for found in tags[:asked]):
        out.append("the parameters stand before the first question")
    if not any(cell.get("outputs") for cell in nb.cells[:asked]):
        out.append("nothing is shown before the first question")
    for cell in nb.cells[:asked]:
        lines += _lines(cell)
        if cell.cell_type == "code" and len(re.findall("^(?:from|import) ", cell.source, re.M)) > 3:
            out.append("more than three lines of imports stand before the first question")
    if lines > SCREEN:
        out.append(f"the first question ends {lines} lines below the top, more than {SCREEN}")
    for cell in nb.cells:
        if cell.get("outputs"):
            break
        words += len(prose(cell.source).split()) if cell.cell_type == "markdown" else 0
    if words > WORDS_BEFORE_RESULT:
        out.append(f"{words} words stand before the first result, more than {WORDS_BEFORE_RESULT}")
    return out


def _lines(cell):
    """About how many lines of a page a cell takes."""
    if cell.cell_type == "markdown":
        pictures = cell.source.count("data:image") * PICTURE_LINES
        return pictures + sum(1 + len(line) // 115 for line in prose(cell.source).splitlines())
    count = 1 if form.is_folded(cell) else len(cell.source.splitlines())
    for output in cell.get("outputs", []):
        picture = "image/png" in output.get("data", {})
        text = output.get("text", output.get("data", {}).get("text/plain", ""))
        count += PICTURE_LINES if picture else len(text.splitlines())
    return count + 1


def verdicts(nb):
    """Complain about more than two lines that only say True or False; assert the rest."""
    said = []
    for _, cell in code(nb):
        if "check" in form.tags(cell):
            continue
        for output in cell.outputs:
            text = output.get("text", output.get("data", {}).get("text/plain", ""))
            said += re.findall(r"^(?!.*[\[(]).*\b(?:True|False)\b.*$", text, re.MULTILINE)
    return [f"{len(said)} lines say True or False, more than 2: {said[0]}"] if len(said) > 2 else []


def scaffolding(nb):
    """Complain when a fifth or more of the visible code draws, prints or checks parameters."""
    share = scaffolding_share(nb)
    return [f"{share:.0%} of the visible code draws, prints or checks"] if share >= 0.2 else []


def scaffolding_share(nb):
    total = other = 0
    for _, cell in code(nb):
        if form.is_folded(cell) or form.tags(cell) & {*form.PRACTICE}:
            continue
        for statement in ast.parse(cell.source).body:
            lines = statement.end_lineno - statement.lineno + 1
            total += lines
            other += lines * _is_scaffolding(statement)
    return other / total


def _is_scaffolding(statement):
    if isinstance(statement, (ast.For, ast.With)):
        return all(map(_is_scaffolding, statement.body))
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call):
        return False
    root = call.func
    while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
        root = root.func if isinstance(root, ast.Call) else root.value
    return getattr(root, "id", "") in SCAFFOLDING


def paragraphs(nb):
    out = []
    for name, cell in markdown(nb):
        for paragraph in re.split(r"\n\s*\n|\n(?=[-*|] )", cell.source.partition("**Sources")[0]):
            words = len(prose(paragraph).split())
            if words > LONGEST_PARAGRAPH:
                out.append(f"{name} has a paragraph of {words} words, above {LONGEST_PARAGRAPH}")
    return out


READING = [ids, tags, questions, premises, exercises, descriptions, formulas, figures]
VOICE = [door, verdicts, scaffolding, paragraphs]
