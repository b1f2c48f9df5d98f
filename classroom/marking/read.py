"""Find the answers in a returned notebook, without running anything of it.

An answer is a top-level statement that gives an exercise's name to something, whatever cell it
stands in; the last one counts, unless it is the empty stub. Whatever it needs comes along: the
statements that bind the names it uses, their own needs, and so on; what the learner's notebook
does not bind any more comes from the lesson itself.
"""

import ast
import difflib
import hashlib
import io
import json
import re
import symtable
import sys
import zipfile
from dataclasses import dataclass, field
from itertools import pairwise

from IPython.core.inputtransformer2 import TransformerManager

from classroom.marking.copies import fingerprint, remarks
from tools.notebook import ANSWER, CHOSEN, NUMBERED, SAID, SETUP_BEGINS, is_answer
from tools.notebook import tags as tags_of

MOST = 200 * 2**20  # bytes of a notebook
LONGEST = 2**19  # characters that an answer may need: with all of them, what is sent back fits
PRELUDE = "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
LEFT_BY_SYSTEMS = re.compile(r"(^|/)(__MACOSX/|\.ipynb_checkpoints/|\._)")  # no learner's
RUNS_PYTHON = re.compile(r"%%(time|timeit|capture|prun|python3?)\b")
TELLING = 5  # statements of a published solution, which others hardly write alike by chance
SEVERAL = 4  # shorter ones that one file holds, if they are most of what is answered in it
IMPORTS = (ast.Import, ast.ImportFrom)
DEFINES = r"(?m)^\s*(?:async\s+)?(?:def|class)\s+({0})\b|^\s*({0})\s*(?::[^=\n]+)?="


class Unreadable(Exception):
    """The file is no notebook; the text says why."""


@dataclass
class Lesson:
    """What is needed of a published lesson: its exercises, and its cells as statements."""

    number: str
    names: list
    context: list  # the cells that come along where an answer needs them
    solutions: set  # digests of the cells that no learner wrote, if they stand where they stood
    published: dict  # what each function's solution is known by, and whether it is long


@dataclass(eq=False)
class Statement:
    """A top-level statement: the globals that it binds, uses, or changes in place."""

    source: str
    node: ast.stmt
    binds: set = field(default_factory=set)
    uses: set = field(default_factory=set)
    changes: set = field(default_factory=set)


def lesson(number, notebook, names):
    """The Lesson of a published notebook that asks for the functions called `names`."""
    cells, solutions, folded = [PRELUDE], [], []
    for cell in notebook.cells:
        tags = tags_of(cell)
        if cell.cell_type == "code" and "solution" in tags:
            solutions.append(cell.source)
        elif is_answer(cell):
            folded += ANSWER.findall(cell.source)
        elif cell.cell_type == "code" and not tags & {"exercise", "check", "predict", "setup"}:
            cells.append(cell.source)
    statements, context = _statements(solutions + folded)[0], _statements(cells)[0]
    published = {}
    for name, answer in ((n, s) for n in names for s in statements if n in s.binds):
        _, own = _own(answer, statements, context)
        inside = [part for s in own for part in ast.walk(s.node) if isinstance(part, ast.stmt)]
        is_long = len(inside) - len(own) >= TELLING
        published[name] = _same(own, local=True), _remarks(own), is_long
    return Lesson(number, list(names), cells, set(map(_digest, solutions)), published)


def read(data, lessons):
    """What a file holds, as plain data.

    Args:
        data: its bytes.
        lessons: a list of `Lesson`.

    Returns:
        {"lesson": number, "answers": {name: {"program": [...], "shape": ..., "same": ...,
        "published": whether it is the published solution, "own": ...} or {"status": ...,
        "why": ...}}, "predictions": {question: letter}}

    Raises:
        Unreadable: when it is no notebook, or none of this course.
    """
    book = _notebook(data)
    cells = _cells(book)
    cells = [cell for cell in cells if not cell[1].startswith(SETUP_BEGINS)]
    code = [source for kind, source, _ in cells if kind == "code"]
    text = "\n".join(source for _, source, _ in cells)
    said = set(re.findall(r"\w+", text))  # a notebook may have lost the answers themselves
    counts = {lesson.number: len(said.intersection(lesson.names)) for lesson in lessons}
    number = max(counts, key=counts.get)
    if not counts[number]:
        raise Unreadable("a notebook, but no exercise of this course is in it")
    chosen = next(lesson for lesson in lessons if lesson.number == number)
    statements, broken = _statements(_learners(cells, chosen))
    broken = [(source, why + _newer(book)) for source, why in broken]
    context, _ = _statements(chosen.context)
    answers = {n: _answer(n, statements, context, broken, chosen) for n in chosen.names}
    alike = [answer.pop("alike") for answer in answers.values() if "program" in answer]
    if sum(alike) >= SEVERAL and 2 * sum(alike) > len(alike):
        for answer in (a for a in answers.values() if "program" in a):
            answer["published"] |= alike.pop(0)
    return {"lesson": number, "answers": answers, "predictions": _predictions(data, code)}


# The file


def _notebook(data):
    if zipfile.is_zipfile(io.BytesIO(data)):
        data = _unzipped(data)
    if not data.strip():
        raise Unreadable("an empty file")
    try:
        book = json.loads(decoded(data))
    except RecursionError:
        raise Unreadable("not a notebook: nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"not a notebook: no JSON, {str(error)[:80]}") from None
    if not isinstance(book, dict):
        raise Unreadable(f"not a notebook: JSON, but a {type(book).__name__}")
    return book


def _unzipped(data):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            names = [i for i in packed.infolist() if i.filename.lower().endswith(".ipynb")]
            names = [i for i in names if not LEFT_BY_SYSTEMS.search(i.filename)]
            if len(names) != 1:
                raise Unreadable(f"a zip with {len(names)} notebooks; unpack it")
            if names[0].file_size > MOST:
                raise Unreadable(f"a zip of a notebook of {names[0].file_size:,} bytes")
            with packed.open(names[0]) as file:
                return file.read(MOST)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError) as error:
        raise Unreadable(f"a zip that cannot be read: {str(error)[:80]}") from None


def decoded(data):
    """The text of a file, in whichever encoding a system or a spreadsheet has saved it."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _cells(book):
    """The cells as (kind, source, tags)."""
    cells = book.get("cells")
    if not isinstance(cells, list):
        raise Unreadable("not a notebook: it has no cells")
    found = []
    for cell in cells:
        if isinstance(cell, dict):
            source = cell.get("source", "")
            if isinstance(source, list):
                source = "".join(line for line in source if isinstance(line, str))
            metadata = cell.get("metadata")
            tags = metadata.get("tags") if isinstance(metadata, dict) else None
            tags = {t for t in tags if isinstance(t, str)} if isinstance(tags, list) else set()
            if isinstance(source, str):
                source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
                found.append((cell.get("cell_type"), source, tags))
    return found


def _learners(cells, lesson):
    """The sources of the learner's cells: all code but the lesson's own solutions in their place.

    Their place is behind all exercises. There they stand below their headings; or, where no heading
    is left, have their tag, or are all there. What stands once more, or elsewhere, was pasted.
    """
    exercises, solutions = {}, []  # where each exercise stands first, and each heading of ours
    for place, (kind, source, tags) in enumerate(cells):
        for what, number in NUMBERED.findall(source if kind != "code" else ""):
            if what == "Solution" and number.startswith(f"{int(lesson.number)}."):
                solutions.append(place)
            elif number.startswith(f"{int(lesson.number)}."):
                exercises.setdefault(number, place)
        if "exercise" in tags:
            exercises |= {n: place for n in lesson.names if n in source and n not in exercises}
    first = min(solutions, default=len(cells))
    behind = max((place for place in exercises.values() if place < first), default=-1)
    alike = {}
    for place, (kind, source, tags) in enumerate(cells):
        digest = _digest(source)
        is_solution = "solution" in tags or digest in lesson.solutions
        if kind == "code" and is_solution and place > behind and "exercise" not in tags:
            alike.setdefault(digest, []).append(place)
    whole = first == len(cells) and lesson.solutions <= set(alike)
    ours = set()
    for places in alike.values():
        below = [n for n in places if n > first]
        tagged = [n for n in below or places if "solution" in cells[n][2]]
        ours.update(tagged or below[:1] or places[-1:] * whole)
    return [c[1] for place, c in enumerate(cells) if c[0] == "code" and place not in ours]


def _newer(book):
    """What is said of code that cannot be read, if a newer Python ran it than this one."""
    about = book.get("metadata")
    about = about.get("language_info") if isinstance(about, dict) else None
    version = str(about.get("version")) if isinstance(about, dict) else ""
    found = re.match(r"3\.(\d{1,3})\b", version)
    if not found or int(found[1]) <= sys.version_info.minor:
        return ""
    return (f"; it was run in Python {found[0]}, here is 3.{sys.version_info.minor}, "
            "which may lack what it uses: mark with that one")  # fmt: skip


def _predictions(data, code):
    """The last letter for each question, in the code or in what was shown when it was run."""
    shown = data.decode("utf-8", "replace") if len(data) < 2**24 else ""
    found = dict(SAID.findall(shown))
    for source in code:
        found |= {question: letter.upper() for question, letter in CHOSEN.findall(source)}
    return found


# The code


def _digest(source):
    """The same for cells that differ in white space only."""
    bare = re.sub(r"\s+", "", source)
    return hashlib.sha256(bare.encode("utf-8", "replace")).hexdigest()


def _statements(cells):
    """The top-level statements of cells, and the cells that cannot be parsed with the reason."""
    found, broken = [], []
    for source in cells:
        if source.lstrip().startswith("%%"):
            magic, _, source = source.lstrip().partition("\n")
            if not RUNS_PYTHON.match(magic):
                continue
        source = re.sub(r"(?m)^(\s*)%time\s+", r"\1", source)
        try:
            plain = TransformerManager().transform_cell(source)
            tree = ast.parse(plain)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            where = f", line {error.lineno}" if getattr(error, "lineno", None) else ""
            what = getattr(error, "msg", None) or error
            broken.append((source, f"{type(error).__name__}: {what}{where} of its cell"))
            continue
        lines, last = plain.split("\n"), 0
        for node, following in pairwise([*tree.body, None]):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
            if first > last and (following is None or following.lineno > node.end_lineno):
                text = "\n".join(lines[first - 1 : node.end_lineno])
            else:  # several on a line
                text = ast.get_source_segment(plain, node)
            last = node.end_lineno
            try:
                found.append(Statement(text, node, *_names(text), _changed(node)))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                broken.append((source, "SyntaxError in its cell"))
    return found, broken


def _names(source):
    """What a statement binds at the top, and which globals it uses at any depth."""
    table = symtable.symtable(source, "<cell>", "exec")
    binds = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    binds |= {s.get_name() for s in table.get_symbols() if s.is_namespace()}
    uses, scopes = {s.get_name() for s in table.get_symbols() if s.is_referenced()}, [table]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        if scope is not table:
            uses |= {s.get_name() for s in scope.get_symbols() if s.is_global()}
    if re.search(r"\bimport\s*\*", source):
        binds.add("*")
    return binds, uses


def _is_stub(node):
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return all(
        isinstance(n, ast.Pass)
        or (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))
        or (isinstance(n, ast.Return)
            and (n.value is None or getattr(n.value, "value", 0) in (None, ...)))
        for n in node.body
    )  # fmt: skip


def _answer(name, statements, context, broken, lesson):
    mine = [s for s in statements if name in s.binds]
    written = [s for s in mine if not _is_stub(s.node)]
    if not written:
        for source, why in broken:
            if re.search(DEFINES.format(re.escape(name)), source):
                return {"status": "error", "why": f"the cell that defines it cannot be read: {why}"}
        status = "untouched" if mine else "missing"
        why = "the function has no body" if mine else "no cell defines it"
        near = _near(name, statements, lesson)
        return {
            "status": status,
            "why": why + f", but {near} is defined" * bool(near),
            "near": near,
        }
    answer = written[-1]
    earlier = written[:-1] if name in answer.uses else []  # as in my_f = decorated(my_f)
    others = [s for s in statements if name not in s.binds or s in earlier]
    needed, own = _own(answer, others, context)
    program = [s.source for s in needed]
    if sum(map(len, program)) > LONGEST:
        return {"status": "error", "why": "the code that it needs is too long"}
    alike, is_published = _is_published(own, lesson.published.get(name, (None, "", False)))
    return {
        "program": program,
        "shape": _same([answer])[0] or _digest(answer.source),
        "same": _same(own),
        "alike": alike,
        "published": is_published,
        "own": "\n".join(s.source for s in own),
    }


def _own(answer, statements, context):
    """The statements that an answer needs, and those among them that the lesson does not give."""
    needed = _needed(answer, statements, context)
    given = {_digest(s.source) for s in context}
    return needed, [s for s in needed if s not in context and not isinstance(s.node, IMPORTS)
                    and _digest(s.source) not in given]  # fmt: skip


def _near(name, statements, lesson):
    """A function of the learner's own with nearly this name, or None."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    defined = [
        s.node.name for s in statements if isinstance(s.node, kinds) and not _is_stub(s.node)
    ]
    others = set(defined).difference(lesson.names)
    return next(iter(difflib.get_close_matches(name, sorted(others), 1, 0.7)), None)


def _needed(answer, statements, context):
    """The statements that an answer needs, in their order, the answer at its place."""
    chosen = {id(s): s for s in (*context, *statements) if "*" in s.binds}
    chosen[id(answer)] = answer
    bound, given = _by_name(statements, "binds"), _by_name(context, "binds")
    changing = _by_name(statements, "changes")
    open_names, seen = set(answer.uses), set()
    while open_names:
        name = open_names.pop()
        if name in seen:
            continue
        seen.add(name)
        binding = bound.get(name) or given.get(name, [])
        if binding and isinstance(binding[-1].node, (ast.FunctionDef, ast.ClassDef, *IMPORTS)):
            binding = binding[-1:]
        if binding and not isinstance(binding[-1].node, IMPORTS):
            binding = [*binding, *changing.get(name, [])]
        for statement in binding:
            chosen[id(statement)] = statement
            open_names |= statement.uses - seen
    order = [s for s in (*context, *statements) if id(s) in chosen and s is not answer]
    return [*order, answer]


def _by_name(statements, what):
    """The statements that bind, or change, each name."""
    found = {}
    for statement in statements:
        for name in getattr(statement, what):
            found.setdefault(name, []).append(statement)
    return found


def _changed(node):
    """The names of what a statement changes in place, as in x[0] = 1, x.a = 1, x.append(1)."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {_root(d) for d in node.decorator_list if isinstance(d, ast.Attribute)}
    changed = set()
    for part in ast.walk(node):
        stores = isinstance(getattr(part, "ctx", None), (ast.Store, ast.Del))
        if isinstance(part, (ast.Attribute, ast.Subscript)) and stores:
            changed.add(_root(part))
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            changed.add(_root(part.func))
            if part.func.attr.endswith("_"):  # torch.nn.init.zeros_(x)
                changed |= {_root(a) for a in part.args}
    return changed - {None}


def _root(node):
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _same(own, **how):
    """What only copies share; nothing for what is too long or too deep to be compared."""
    try:
        return fingerprint([s.node for s in own], **how) if len(own) < 200 else ("", 0)
    except (RecursionError, SyntaxError, ValueError, MemoryError):
        return "", 0


def _remarks(own):
    return remarks("\n".join(s.source for s in own))


def _is_published(own, published):
    """Whether code is the published solution's; and is long, or has its remarks as well."""
    code, said, is_long = published
    alike = _same(own, local=True) == code
    return alike, alike and (is_long or _remarks(own) == said != "")
