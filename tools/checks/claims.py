"""What a lesson claims, and whether an execution of it bears that out.

A question and its answer carry a premise, one expression over the notebook's variables, which is
evaluated where the cell stands; the figures of the text are looked up in the outputs near them.
Words that hang on a part of a premise stand before it, 'falls most' and a > b, and must be those of
the text. What the text says of one seed begins with "At `seed = 0`": seed != 0 or a > b.
"""

import ast
import copy
import inspect
import itertools
import json
import re
import textwrap

from nbformat.v4 import new_code_cell, new_markdown_cell

from attn_lesson import catalogue
from tools import notebook as form
from tools.lessons import ROOT
from tools.notebook import DIAGRAM, ORIGINS, PREMISE, SECTION, tags

IMG = ROOT / "img"


def words(cell):
    """The words that a cell begins with."""
    return f"'{form.unfolded(cell)[:40].partition(chr(10))[0].strip()}'"


# Premises

SEED = re.compile(r"`seed = (\d+)`")
ACTS = re.compile(  # calls that change something; random numbers are put back in the kernel
    r"(?!__).+_|__import__|append|backward|clear|delattr|eval|exec|extend|insert|open|pop|print"
    r"|remove|setattr|setdefault|step|update"
)


def doubts(cell):
    """What is wrong with a cell's premise, or that it has none: a list of reasons."""
    if PREMISE not in cell.metadata:
        return ["it has no premise"] if tags(cell) & {"predict", "reveal"} else []
    try:
        tree = ast.parse(_one_line(cell.metadata[PREMISE]), mode="eval")
    except (SyntaxError, AttributeError) as error:
        return [f"its premise is no single expression: {error}"]
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = [getattr(call, "attr", getattr(call, "id", "")) for call in calls]
    acts = [name for name in called if ACTS.fullmatch(name)]
    return [f"its premise calls {name}, which does more than look" for name in acts] + [
        f"its premise is about {said}, which the text does not say"
        for said in _said(tree)
        if said not in " ".join(cell.source.split())
    ]


def _said(tree):
    """What a text must say with this premise: words before an `and`, and the seed it is true of."""
    for node in ast.walk(tree):
        values = node.values if isinstance(node, ast.BoolOp) else []
        yield from (str(v.value) for v in values if isinstance(v, ast.Constant))
        if isinstance(node, ast.Compare) and re.fullmatch(r"seed != \d+", ast.unparse(node)):
            yield f"`{ast.unparse(node).replace('!=', '=')}`"


def _one_line(premise):
    return " ".join(premise.split())


def _undisturbed(look):
    """Runs in the lesson's kernel: print what a look at it says; random numbers stay as they were.

    An error is said too.
    """
    import json
    import random

    import numpy
    import torch

    kept = random.getstate(), numpy.random.get_state(), torch.get_rng_state()
    try:
        why = look()
    except Exception as error:
        why = f"{type(error).__name__}: {error}"[:200]
    random.setstate(kept[0])
    numpy.random.set_state(kept[1])
    torch.set_rng_state(kept[2])
    print("\n" + json.dumps({"premise": why}))


def cell_for(premise, look=None):
    """The source of a cell that prints whether the premise holds, or what another look says.

    Args:
        premise: an expression, which is evaluated apart from the lesson's variables.
        look: a function of the premise and these variables, for the kernel; a text or "" for good.
    """

    def holds(premise, names):
        return "" if eval(premise, names) else "it is false"

    sources = [textwrap.dedent(inspect.getsource(f)) for f in (_undisturbed, look or holds)]
    call = f"_undisturbed(lambda: {(look or holds).__name__}({_one_line(premise)!r}, names))"
    return f'exec({"".join([*sources, call])!r}, {{"names": dict(globals())}})'


def insert(notebook, lesson):
    """Put, after each cell that has a premise in the lesson, a cell that says whether it holds."""
    premises = {cell.id: cell.metadata.get(PREMISE) for cell in lesson.cells}
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if premises.get(cell.id):
            source, name = cell_for(premises[cell.id]), f"{PREMISE}-{cell.id}"[:64]
            cells.append(new_code_cell(source, metadata={"tags": [PREMISE]}, id=name))
    notebook.cells = cells


def told_by(printed):
    """Why a premise does not hold, by what its inserted cell printed; an empty text if it does."""
    lines = [line for line in printed.splitlines() if line.startswith('{"premise"')]
    return json.loads(lines[-1])["premise"] if lines else "it was not evaluated"


def take_out(notebook):
    """Remove those cells; return, for the cells before them, why the premise does not hold.

    That is an empty text where it holds. What was executed after them is numbered anew.
    """
    told = {}
    for cell, following in itertools.pairwise([*notebook.cells, None]):
        if following is not None and PREMISE in tags(following):
            told[cell.id] = told_by(form.printed(following))
    notebook.cells = [cell for cell in notebook.cells if PREMISE not in tags(cell)]
    count = 0
    for cell in form.of_type(notebook, "code"):
        if cell.execution_count is not None:
            count += 1
            cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    return told


def broken(lesson, executed, parameters, told):
    """What the lesson claims and an execution does not bear out: a text for each claim.

    Args:
        lesson: the published lesson.
        executed: an edition of it, executed with other parameters.
        parameters: these, a dict.
        told: what `take_out` returned for it.
    """
    out = [
        (cell.id, f"{told[cell.id]}: {_one_line(cell.metadata[PREMISE])}")
        for cell in lesson.cells
        if told.get(cell.id)
    ]
    kept = {cell.id for cell in executed.cells}
    missed, lost_now = (
        [(cell.id, text) for cell, text in lost(_read(lesson, *about))]
        for about in ((lesson, kept, {}), (executed, kept, parameters))
    )
    out += [pair for pair in lost_now if pair not in missed]
    names = {c.id: f"cell {n} ({words(c)})" for n, c in enumerate(lesson.cells, start=1)}
    out.sort(key=lambda pair: [*names].index(pair[0]))
    return list(dict.fromkeys(f"{names[cell]}: {text}" for cell, text in out))


def _read(lesson, executed, kept, parameters):
    """The lesson's kept cells with these outputs and parameters, and with what `predict` says."""
    outputs = {cell.id: cell.get("outputs", []) for cell in executed.cells}
    lesson, questions = copy.deepcopy(lesson), catalogue.tables()[1]
    for first, second in form.parameter_cells(lesson):
        for name, value in parameters.items():
            line = rf"^{name} = .*?(?=  ?#|$)"
            now = f"{name} = {value!r}"
            first.source = re.sub(line, lambda _, now=now: now, first.source, flags=re.M)
        if second:  # names the published values, whatever is given
            outputs[second.id], second.source = [], ""
    cells, now = [], str(parameters.get("seed"))
    for cell in lesson.cells:
        if cell.cell_type == "markdown" and "seed" in parameters:  # what is said of another goes
            parts = cell.source.split("\n\n")
            cell.source = "\n\n".join(p for p in parts if {*SEED.findall(p)} <= {now})
            told = cell.metadata.get(ORIGINS, {})
            cell.metadata[ORIGINS] = {f: told[f] for f in told if f in cell.source}
        if cell.id in kept:
            cells.append(cell)
        if cell.cell_type == "code":
            cell.outputs = outputs.get(cell.id, [])
        asked = form.PREDICT.search(cell.source) if "predict" in tags(cell) else None
        if asked and asked[1] in questions:
            said = "\n\n".join(questions[asked[1]].reactions.values())
            cells.append(new_markdown_cell(said, id=cell.id))
    lesson.cells = cells
    return lesson


# Figures in the text


def prose(source):
    """The text without code and pictures."""
    source = re.sub(r"```.*?```|`[^`\n]*`", " ", source, flags=re.DOTALL)
    return re.sub(r"!?\[[^\]]*\]\([^)]*\)", " ", source)


NUMBERED = re.compile(
    r"(?:sections?|lessons?|exercises?|your turn|solutions?|first) \(?[\d.]+(?: (?:and|to) \d+)?"
    r"|\d+ minutes?|\d+ for the exercises|^##? \d+",
    re.IGNORECASE | re.MULTILINE,
)
FIGURE = re.compile(r"(?<![\w.])\d+(?:,\d{3})+(?:\.\d+)?|(?<![\w.,])\d+(?:\.\d+)?(?![\w.]*\d)")


def figures_of(text):
    """The figures in a text with two digits or more: (figure, number, decimals, unit) each."""
    for found in FIGURE.finditer(text):
        plain = found[0].replace(",", "")
        if len(plain.replace(".", "").lstrip("0")) > 1 or "." in plain:
            unit = re.match(r"\s*(?:\\?%|percent|million|MB|kB)?", text[found.end() :])[0]
            yield found[0], float(plain), len(plain.partition(".")[2]), unit.strip("\\ ")


def lost(nb):
    """The figures in the text that neither code nor outputs near them hold: (cell, complaint) each.

    Near is the same section, the parameters, and the cells that begin the lesson; text after the
    exercises may quote all of it. A text may round. A figure from elsewhere has its origin in the
    metadata of its cell: {"figures": {"65,504": "largest number of float16"}}.
    """
    near, everywhere = set(), set()
    for section in _sections(nb):
        everywhere |= shown(section)
        first = section[0].source
        if first.startswith(("# ", "## Exercises", "### Exercise", "## Solutions")):
            near = everywhere
        else:
            near = shown(section) | shown(_sections(nb)[0])
        for cell in section:
            if cell.cell_type == "markdown":
                yield from ((cell, text) for text in _lost(cell, near))


def _sections(nb):
    """The cells between headings of the first two ranks."""
    out = []
    for cell in nb.cells:
        if not out or (cell.cell_type == "markdown" and SECTION.match(cell.source)):
            out.append([])
        out[-1].append(cell)
    return out


def _lost(cell, near):
    origins = cell.metadata.get(ORIGINS, {})
    near = near | _numbers(cell.metadata.get(PREMISE, ""))  # it is executed
    text = form.OPTION.sub("", cell.source)  # options may be wrong
    text = prose(text).partition("**Sources")[0]
    text = re.sub(r"\([^()]*\b(?:19|20)\d\d\b[^()]*\)|\b(?:19|20)\d\d\b", " ", text)  # years
    text = NUMBERED.sub(" ", text)
    yield from (f"has no {f}, whose origin it tells" for f in origins if f not in text)
    for figure, value, decimals, unit in figures_of(text):
        if figure not in origins and not is_shown(value, decimals, unit, near):
            yield f"says {figure}{unit}, which no code and no output near it holds"


def shown(cells):
    """All numbers that these cells' code, outputs and diagrams hold."""
    texts = []
    for cell in cells:
        if cell.cell_type == "code":
            texts.append(cell.source)
        else:
            texts += re.findall(r"`([^`\n]*)`", cell.source)
            for _, _, file in DIAGRAM.findall(cell.source):
                svg = (IMG / file).read_text("utf-8")
                texts.append(re.sub(r"<style.*?</style>|<[^>]*>", " ", svg, flags=re.DOTALL))
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            texts += [output.get("text", ""), str(data.get("text/plain", ""))]
            texts += [m["alt"] for m in output.get("metadata", {}).values() if "alt" in m]
    return _numbers("\n".join(texts))


def _numbers(text):
    found = re.findall(r"\d+(?:[,_]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)
    return {float(number.replace(",", "").replace("_", "")) for number in found}


SCALES = {"%": (1, 100), "percent": (1, 100), "million": (1e-6,), "MB": (1, 1e-6), "kB": (1, 1e-3)}


def is_shown(value, decimals, unit, near):
    """Whether one of these numbers is this one, perhaps rounded, in this unit."""
    half = 0.5 * 10**-decimals
    return any(
        abs(value - number * scale) <= (half * (1 + 1e-9) if number % 1 or scale != 1 else 0)
        for number in near
        for scale in SCALES.get(unit, (1,))
    )
