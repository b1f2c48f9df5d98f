"""What a lesson must be: each check takes a notebook and returns its complaints, as texts.

FORM holds the checks of a stored lesson; `compare` holds a stored one against a fresh execution.
"""

import ast
import base64
import dis
import html
import inspect
import io
import json
import re
import statistics
import sys

import pictures
from PIL import Image

from attn_lesson import catalogue
from tools import notebook as form
from tools.checks.claims import IMG
from tools.lessons import NOTEBOOKS, as_text, required
from tools.notebook import PRACTICE, REASON, tags

PACKAGES = {"torch", "numpy", "matplotlib", "attn_teach", "attn_lesson", "ipywidgets", "IPython"}
NETWORK = {"ftplib", "http", "smtplib", "socket", "ssl", "subprocess", "urllib", "webbrowser"}
MIN_ALT = 20
WEIGHT = re.compile(r"\b[01]\.\d{3}\b")  # as head views tell it
PACKED = re.compile(r'"letters": "([^"]*)", "short": (\d+), "weights": "([^"]*)"')


def code(nb):
    """Return the code cells, each with its name for complaints."""
    return [(f"[{number}]", cell) for number, cell in enumerate(form.of_type(nb, "code"), start=1)]


def markdown(nb):
    """Return the markdown cells, each with its name for complaints."""
    return [(f"text {n}", cell) for n, cell in enumerate(form.of_type(nb, "markdown"), start=1)]


def tagged(cells, tag):
    """Return those of the named cells that have the tag."""
    return [(name, cell) for name, cell in cells if tag in tags(cell)]


# Form: the cells


def title(nb):
    first = nb.cells[0]
    starts_well = first.cell_type == "markdown" and first.source.startswith("# ")
    return [] if starts_well else ["the first cell is not a title (# ...)"]


def parameters(nb):
    """Complain about parameters that papermill cannot list, or that are not checked."""
    found = form.parameter_cells(nb)
    if len(found) != 1:
        return [f"{len(found)} cells are tagged 'parameters', not 1"]
    ((cell, following),) = found
    out, names = [], set()
    for line in cell.source.splitlines():
        parts = form.PARAMETER.fullmatch(line)
        if parts:
            names.add(parts[1])
        else:
            out.append(f"a parameter is not written as `name = value  # what it is`: {line}")
    checked = set()
    for node in ast.walk(ast.parse(following.source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "check_parameters":
            checked |= {keyword.arg for keyword in node.keywords} - {"written_for"}
    if checked != names:
        out.append(f"the next cell checks {sorted(checked)}, but there are {sorted(names)}")
    return out


def headline(nb):
    """Complain unless one cell prints the lesson's figures as lines `name: figure`."""
    found = tagged(code(nb), "headline")
    if len(found) != 1:
        return [f"{len(found)} cells are tagged 'headline', not 1"]
    printed = form.printed(found[0][1]).splitlines()
    out = [f"the headline '{line}' is not `name: figure`" for line in printed if ": " not in line]
    if not 3 <= len(printed) <= 6:
        out.append(f"{len(printed)} headline figures, not 3 to 6")
    return out


# Form: for the class


def instructor(nb):
    """Complain about sections without minutes or notes, and about minutes that do not add up."""
    out, minutes, exercise_minutes = [], 0, 0
    for name, cell in markdown(nb):
        about = form.notes(cell)
        exercise_minutes += sum(form.exercise_minutes(cell.source))
        rank, words = form.heading(cell)
        if not rank or words.startswith("Solution"):
            if about:
                out.append(f"{name} has notes, but begins no section")
            continue
        if rank == 3 and not about:
            continue
        if not about or len(about.get("notes", "")) < MIN_ALT:
            out.append(f"{name}, '{words}', has no notes for the instructor")
            continue
        if (words == "Exercises") == ("minutes" in about):
            out.append(f"{name}, '{words}': a section has minutes, the exercises have not")
        minutes += about.get("minutes", 0)
    plan = form.PLAN.format(minutes, exercise_minutes)
    if plan not in "\n".join(cell.source for _, cell in markdown(nb)):
        out.append(f"the lesson does not say: {plan}")
    return out


def slides(nb):
    """Complain about slides that give away what comes next, or that show what does not belong."""
    out, after_prediction = [], False
    for number, cell in enumerate(nb.cells, start=1):
        kind = form.slide_type(cell)
        if kind not in ("slide", "subslide", "skip", "-"):
            out.append(f"cell {number} has the slide type '{kind}'")
        if tags(cell) & form.NOT_SHOWN and kind != "skip":
            out.append(f"cell {number}, tagged {sorted(tags(cell))}, is not left out of the slides")
        begins = form.heading(cell)[0] in (1, 2)
        if begins and kind != ("skip" if "solution" in tags(cell) else "slide"):
            out.append(f"cell {number} is a section, but starts no slide")
        if after_prediction and kind == "-":
            out.append(f"cell {number} stands on the slide whose question it answers")
        after_prediction = "predict" in tags(cell) or (after_prediction and kind == "skip")
    return out


def sizes(nb):
    cells = [(name, cell.source.splitlines()) for name, cell in code(nb)]
    out = [f"{name} has {len(lines)} lines, above 25" for name, lines in cells if len(lines) > 25]
    for name, lines in cells:
        longest = max(map(len, lines), default=0)
        if longest == 0:
            out.append(f"{name} is empty")
        if longest > 120:
            out.append(f"{name} has a line of {longest} characters, above 120")
    practice = {name for tag in (*PRACTICE, "headline") for name, _ in tagged(code(nb), tag)}
    taught = [len(lines) for name, lines in cells if name not in practice]
    if not 15 <= len(taught) <= 36:
        out.append(f"{len(taught)} code cells besides practice and headline, not 15 to 36")
    if (median := statistics.median(taught or [0])) > 8:
        out.append(f"the median cell has {median:g} lines, above 8")
    kilobytes = len(as_text(nb).encode()) / 1000
    if kilobytes > 300:  # every picture is in it twice, as PNG and as HTML with its description
        out.append(f"the file has {kilobytes:.0f} kB, above 300")
    return out


def exercises(nb):
    cells = [(f"cell {number}", cell) for number, cell in enumerate(nb.cells, start=1)]
    asked, solved = tagged(cells, "exercise"), tagged(cells, "solution")
    out = []
    if len(asked) < 2:
        out.append(f"{len(asked)} cells are tagged 'exercise', fewer than 2")
    if len(solved) < len(asked):
        out.append(f"{len(asked)} cells are tagged 'exercise', but {len(solved)} 'solution'")
    starts = [n for n, (_, cell) in enumerate(cells) if form.SOLUTIONS.search(cell.source)]
    if len(starts) != 1:
        return [*out, f"{len(starts)} headings '## Solutions', not 1"]
    for name, _ in tagged(cells[: starts[0]], "solution"):
        out.append(f"{name} is a solution before the heading '## Solutions'")
    for name, cell in cells[starts[0] : -1]:
        if "solution" not in tags(cell):
            out.append(f"{name} stands below '## Solutions' without the tag 'solution'")
    return out


# Form: the code


def plain_python(nb):
    """Complain about magics, shell commands and imports that a learner may not have."""
    out, have = [], PACKAGES | sys.stdlib_module_names | {*required(form.title(nb)[0])}
    for name, cell in code(nb):
        try:
            tree = ast.parse(cell.source)
        except SyntaxError as error:
            out.append(f"{name} is not plain Python: {error.msg}: {(error.text or '').strip()}")
            continue
        for module in _imported(tree):
            if module not in have:
                out.append(f"{name} imports {module}")
    return out


def network(nb):
    words = re.compile(r"https?://|\bpip3? install\b|torch\.hub|load_state_dict_from_url")
    out = []
    for name, cell in code(nb):
        out += [f"{name} names {found}" for found in words.findall(cell.source)]
        try:
            modules = _imported(ast.parse(cell.source))
        except SyntaxError:  # plain_python complains
            continue
        out += [f"{name} imports {module}" for module in sorted(modules & (NETWORK | {"requests"}))]
    return out


def _imported(tree):
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or ".").split(".")[0])
    return names


# Form: the outputs


def execution(nb):
    counts = [cell.execution_count for _, cell in code(nb)]
    if counts != list(range(1, len(counts) + 1)):
        return [f"the execution counts are {counts}, not 1, 2, 3 ..."]
    return []


def no_errors(nb):
    out = []
    for name, output in outputs(nb):
        if output.output_type == "error":
            out.append(f"{name} shows an error: {output.ename}: {output.evalue}")
        elif output.get("name") == "stderr":
            out.append(f"{name} writes to stderr: {output.text.strip()[:80]}")
    return out


def outputs(nb):
    """Return all outputs, each with the name of its cell."""
    return [(name, output) for name, cell in code(nb) for output in cell.outputs]


def alternative_texts(nb):
    """Complain about pictures that a blind reader cannot read, in outputs and in text."""
    out = []
    for name, output in outputs(nb):
        for kind in [kind for kind in output.get("data", {}) if kind.startswith("image/")]:
            alt = output.metadata.get(kind, {}).get("alt", "")
            if kind != "image/png":
                out.append(f"{name} shows {kind}; pictures are compared as image/png")
            elif len(alt.strip()) < MIN_ALT:
                out.append(f"{name} shows a picture without alternative text ({alt!r})")
            elif not _is_beside(output.data[kind], alt, output.data.get("text/html", "")):
                out.append(f"{name} has no HTML image of the same picture and text beside the PNG")
    for name, cell in markdown(nb):
        alts = re.findall(r"!\[([^\]]*)\]\(", cell.source)
        alts += [alt for _, alt in _images(cell.source)]
        for alt in alts:
            if len(alt.strip()) < MIN_ALT:
                out.append(f"{name} has a picture without alternative text ({alt!r})")
    return out


def _is_beside(png, alt, markup):
    """Return whether the HTML has one image, with this text, which shows what the PNG shows."""
    images = _images(markup)
    if [text for _, text in images] != [alt]:
        return False
    small, large = (Image.open(io.BytesIO(base64.b64decode(data))) for data in (png, images[0][0]))
    file = io.BytesIO()
    large.convert("RGB").resize(small.size, Image.Resampling.BOX).save(file, "PNG")
    return not pictures.compare(png, base64.b64encode(file.getvalue()).decode())


def _images(markup):
    """Return the embedded picture and the alternative text of each image in the HTML."""
    out = []
    for tag in re.findall(r"<img\b[^>]*>", markup):
        src, alt = (re.search(rf"""\b{key}=(["'])(.*?)\1""", tag) for key in ("src", "alt"))
        data = re.sub("^data:image/[a-z]+;base64,", "", src[2]) if src else ""
        out.append((data, html.unescape(alt[2]) if alt else ""))
    return out


def stable_text(nb):
    """Complain about printed text that no other machine would print again."""
    kinds = {
        "a memory address": r"\b0x[0-9a-fA-F]{6,}",
        "an unrounded number": r"\d\.\d{7,}",
        "a version": r"\b\d+\.\d+\.\d+\b",
    }
    out = []
    for name, output in outputs(nb):
        for kind, pattern in kinds.items():
            found = re.search(pattern, _text(output))
            if found:
                out.append(f"{name} prints {kind}: {found[0]}")
    return out


def _text(output):
    data = output.get("data", {})
    texts = [
        re.sub(r"<img[^>]*>", _described, value) if kind == "text/html" else value
        for kind, value in sorted(data.items())
        if not kind.startswith("image/")
    ]
    return "\n".join(map(str, [*texts, output.get("text", ""), *output.get("traceback", [])]))


def _described(tag):
    """What is to be compared of an HTML image: its text; `compare_pictures` sees to its pixels."""
    return f"<img {_images(tag[0])[0][1]}>"


ROOTS = "Applications|Users|Volumes|app|content|data|databricks|etc|home|kaggle|lib|media|mnt|nix"
ROOTS += "|opt|private|root|scratch|srv|tmp|usr|var|work|workspace"
MACHINE = re.compile(
    rf"(?<![\w.)~$-])/(?:{ROOTS})/\w|(?<![\w)])~/\w|file:/+\w|\b[A-Z]:(?:\\+|/)\w"
    r"|site-packages|\$\{?HOME\b|%USERPROFILE%"
)


def machine_paths(nb):
    """Complain about paths of one machine, also in metadata."""
    texts = [(name, cell.source) for name, cell in code(nb) + markdown(nb)]
    texts += [(name, _text(output)) for name, output in outputs(nb)]
    texts += [(name, json.dumps(cell.metadata)) for name, cell in code(nb) + markdown(nb)]
    texts += [(name, json.dumps(output.get("metadata", {}))) for name, output in outputs(nb)]
    texts += [("the notebook", json.dumps(nb.metadata))]
    out = []
    for name, text in texts:
        found = MACHINE.search(text)
        if found:
            out.append(f"{name} names a path of one machine: {text[found.start() :][:30]}")
    return out


def exemptions(nb):
    """Complain about cells that escape the comparison of outputs without saying why."""
    out = []
    for name, cell in code(nb):
        if "nbval-ignore-output" in tags(cell) and len(cell.metadata.get(REASON, "")) < MIN_ALT:
            out.append(f"{name} ignores its output; its metadata '{REASON}' does not say why")
        for tag in sorted(tags(cell) & {"nbval-skip", "raises-exception", "skip-execution"}):
            out.append(f"{name} is tagged '{tag}', which hides it from the checks")
        if re.search(r"#\s*(NBVAL|PYTEST_VALIDATE)_", cell.source):
            out.append(f"{name} steers nbval with a comment; use tags")
    return out


# Form: links and diagrams


def links(nb, folder=NOTEBOOKS):
    """Complain about links to missing files, headings and attachments, and unused ones."""
    out = []
    headings = {
        heading.strip().replace(" ", "-")
        for _, cell in markdown(nb)
        for heading in re.findall(r"^#+ (.*)$", cell.source, re.MULTILINE)
    }
    for name, cell in markdown(nb):
        text = re.sub(
            r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", "", cell.source, flags=re.DOTALL
        )
        targets = re.findall(r"\]\(<?([^)\s>]+)", text)
        targets += re.findall(r"""<(?:img|a)\b[^>]*\b(?:src|href)=["']([^"']+)""", text)
        attached = set(cell.get("attachments", {}))
        used = {target.removeprefix("attachment:") for target in targets if "attachment:" in target}
        out += [f"{name} shows {file}, which is not attached" for file in sorted(used - attached)]
        out += [f"{name} does not show its attached {file}" for file in sorted(attached - used)]
        for target in targets:
            if re.match(r"(https?|mailto|attachment|data):", target):
                continue
            path, _, anchor = target.partition("#")
            if path and not (folder / path).exists():
                out.append(f"{name} links to {path}, which does not exist")
            if not path and anchor not in headings:
                out.append(f"{name} links to the heading #{anchor}, which does not exist")
    return out


def diagrams(nb, folder=IMG):
    """Complain about embedded diagrams that are not the files in img/ that they are titled by."""
    out = []
    embedded = re.compile(r"""data:image/svg\+xml;base64,([\w+/=]*)(?: ["']([^"']*)["'])?""")
    for name, cell in markdown(nb):
        for data, file in embedded.findall(cell.source):
            original = folder / file
            if not original.is_file():
                out.append(f"{name} has a diagram titled {file!r}, which is not in {folder.name}/")
            elif base64.b64decode(data) != original.read_bytes():
                out.append(f"{name} has another {file} than the one in {folder.name}/")
    return out


# Form: what is folded


DRAWING_LINES = 3  # a shorter drawing cell stays visible: it shows the tool at work


def reveals(nb):
    """Complain unless a cell tagged 'reveal' begins with the right letter after each question."""
    out, question = [], None  # the one that waits for its letter
    for cell in [*nb.cells, None]:
        its = tags(cell) if cell else set()
        if question and (cell is None or "predict" in its):
            out.append(f"no cell tagged 'reveal' begins with the letter that answers {question}")
        if "predict" in its:
            question = form.PREDICT.search(cell.source)[1]
        elif cell and cell.cell_type == "markdown":
            letter = form.REVEAL.match(cell.source)
            if "reveal" not in its:
                if letter:
                    out.append(f"a cell begins '{cell.source[:20]}' without the tag 'reveal'")
            elif question is None:
                if letter:
                    out.append(f"a second cell begins with a letter: '{cell.source[:20]}'")
            else:
                right = catalogue.right_letter(question)
                if letter is None or letter[1] != right:
                    out.append(
                        f"the reveal of {question} begins '{cell.source[:20]}', not with {right}"
                    )
                question = None
    return out


def drawings(nb):
    """Complain about cells tagged 'draw' that do more, and about others that only draw."""
    out = []
    only_draw = _only_draw(nb)
    for name, cell in code(nb):
        is_tagged, is_folded = "draw" in tags(cell), form.is_folded(cell)
        if is_tagged and name not in only_draw:
            out.append(f"{name} is tagged 'draw', but does more than draw, or is short")
        if name in only_draw and not is_tagged:
            out.append(f"{name} only draws; tag it 'draw'")
        if is_tagged != is_folded:
            out.append(f"{name}: the tag 'draw' and the metadata 'source_hidden' go together")
    return out


def _only_draw(nb):
    """Return the names of the longer cells that show a picture and leave nothing to later ones."""
    practice = {name for tag in PRACTICE for name, _ in tagged(code(nb), tag)}
    trees = {name: ast.parse(cell.source) for name, cell in code(nb)}
    names = {name: names_in(compile(tree, name, "exec")) for name, tree in trees.items()}
    drawing = {
        name
        for name, cell in code(nb)
        if len(cell.source.splitlines()) > DRAWING_LINES and _draws(cell, trees[name])
    } - practice
    # A cell that another kind of cell needs is no such cell either, and so on.
    while used := {name for name in drawing if _is_used(name, names, drawing)}:
        drawing -= used
    return drawing


def _draws(cell, tree):
    """Return whether all that the cell shows are pictures."""
    pictures = ["image/png" in output.get("data", {}) for output in cell.outputs]
    explores = any(getattr(node, "id", "") == "explore" for node in ast.walk(tree))
    prints = any(output.output_type == "stream" for output in cell.outputs)
    return (bool(pictures) and all(pictures)) or (explores and not prints)


def _is_used(name, names, drawing):
    """Return whether a cell that does not only draw reads what this one has bound."""
    cells = list(names)
    _, left = names[name]
    for other in cells[cells.index(name) + 1 :]:
        read, bound = names[other]
        if other not in drawing and left & read:
            return True
        left = left - bound
    return False


def names_in(code, bound=()):
    """The names that compiled code reads before it binds them, and those that it binds.

    A function's body counts as read where it is defined, and a branch as if it were taken.
    """
    read, bound = set(), set(bound)
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            read |= {step.argval} - bound
        elif step.opname in ("STORE_NAME", "STORE_GLOBAL"):
            bound.add(step.argval)
        elif inspect.iscode(step.argval):  # what it binds is not seen outside
            read |= names_in(step.argval, bound)[0]
    return read, bound


FORM = [
    title,
    parameters,
    headline,
    instructor,
    slides,
    sizes,
    exercises,
    plain_python,
    network,
    execution,
    no_errors,
    alternative_texts,
    stable_text,
    machine_paths,
    exemptions,
    links,
    diagrams,
    reveals,
    drawings,
]


# A fresh execution against what is stored


def compare(stored, fresh):
    """Complain where a fresh execution differs in what nbval does not look at."""
    out = no_errors(fresh)
    for name, before, after in _compared(stored, fresh):
        kinds = [[_kind(output) for output in outputs] for outputs in (before, after)]
        if kinds[0] != kinds[1]:
            out.append(f"{name} showed {kinds[0]}, shows {kinds[1]}")
        metadata = [[output.get("metadata") for output in outputs] for outputs in (before, after)]
        if kinds[0] == kinds[1] and metadata[0] != metadata[1]:
            out.append(f"{name}: the outputs' metadata was {metadata[0]}, is {metadata[1]}")
    ignored = {name for name, _ in tagged(code(stored), "nbval-ignore-output")}
    return out + _compare_texts(stored, fresh, ignored)


def compare_texts(stored, fresh):
    """Complain about cells that say something else, where nbval does not look at all."""
    return _compare_texts(stored, fresh, {name for name, _ in code(stored)})


def _compare_texts(stored, fresh, names):
    out = []
    for name, *both in _compared(stored, fresh):
        texts = ["\n".join(map(_text, outputs)).strip() for outputs in both]
        (before, old), (after, new) = map(_head_views, texts)
        off = [a - b for a, b in zip(old, new, strict=False)]  # as many, where the rest agrees
        if name in names and (before != after or len(old) != len(new)):
            out.append(f"{name} said {texts[0][:80]!r}, says {texts[1][:80]!r}")
        elif name in names and any(abs(each) > 1 for each in off):
            out.append(f"{name}: a weight is off by {max(off, key=abs)} thousandths")
    return out


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


def compare_pictures(stored, fresh):
    """Complain about pictures that show something else."""
    out = []
    for name, *both in _compared(stored, fresh):
        pngs = [
            [o.data["image/png"] for o in outs if "image/png" in o.get("data", {})] for outs in both
        ]
        for before, after in zip(*pngs, strict=False):  # compare complains about their number
            out += [f"{name}: {complaint}" for complaint in pictures.compare(before, after)]
    return out


def _compared(stored, fresh):
    """Return the name, stored outputs and fresh outputs of each cell.

    Those that nbval ignores too: what changes in them, a widget's id, is taken out by `normalise`.
    """
    for (name, old), (_, new) in zip(code(stored), code(fresh), strict=True):
        yield name, old.outputs, new.outputs


def _kind(output):
    return " ".join([output.output_type, output.get("name", ""), *sorted(output.get("data", {}))])
