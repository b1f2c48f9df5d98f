"""The table that answers in a page are compared with, made beforehand by the real judge.

Of each exercise it holds the cases, the right results, and what each mistake that the judge knows
makes of the cases, errors included; besides the stub and a right answer, both from the lesson. The
sentences are not in it: they come from the lesson's mistakes.md, which borrowed.py reads.
"""

import ast
import contextlib
import functools
import hashlib
import sys
from unittest import mock

import nbformat
import torch

from attn_lesson import catalogue
from attn_lesson.judge.bench import Bench
from attn_lesson.judge.plain import Odd
from tools.lessons import BUILD, ROOT, lessons
from tools.notebook import ANSWER, SOLUTIONS, tags
from tools.progress import say, stage

from .stored import Writer, packed


def kept():
    """The table as bytes: as it lies in build/, or made now if sources have changed."""
    place, key = BUILD / "tab" / "table.bin", _key()
    note = place.with_suffix(".key")
    if not (place.exists() and note.exists() and note.read_text("utf-8") == key):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(made())
        note.write_text(key, "utf-8")
    return place.read_bytes()


def _key():
    """What the table depends on, as a hash."""
    here = [ROOT / "tools/site/tab" / name for name in ("table.py", "stored.py")]
    files = sorted([*ROOT.glob("attn_*/**/*.py"), *ROOT.glob("attn_*/**/*.md"), *here, *lessons()])
    texts = [sys.version, torch.__version__, *(path.read_text("utf-8") for path in files)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def made():
    """The table as bytes; what exercises are not in it, and why, is printed."""
    torch.set_num_threads(1)
    writer, found = Writer(), {}
    exercises = [(n, e, k) for k in catalogue.lessons() for n, e in catalogue.table(k)[0].items()]
    with stage("What the judge says, for the pages", len(exercises)) as shown:
        for name, exercise, lesson in exercises:
            try:
                found[name] = _told(writer, exercise, lesson)
            except TypeError as error:
                say(f"{name} stays in the notebook: {error}")
            shown.update()
    return packed({"exercises": found, "torch": _names()})


def _told(writer, exercise, lesson):
    """What the table says of an exercise."""
    with _drawing() as drawn:
        bench = Bench(exercise, 0)
    stub, answer, given, names = lines()[exercise.name]
    if "autograd" in answer:
        raise TypeError("a page computes no gradients")
    return {
        "lesson": lesson,
        "stub": stub,
        "answer": answer,
        "given": given,
        "names": names,
        "cases": [_arguments(writer, case) for case in bench.cases],
        "drawn": [writer.value(numbers) for numbers in drawn],
        "expected": [writer.value(outcome.value) for outcome in bench.expected],
        "kinds": [outcome.kind for outcome in bench.expected],
        "varied": _varied(writer, bench),
        "rows": [[*settings[0], _row(writer, bench, settings)] for settings in _single(bench)],
    }


@contextlib.contextmanager
def _drawing():
    """Notes the random numbers which an exercise's cases are drawn with."""
    drawn = []

    def note(draw, *given, **named):
        made = draw(*given, **named)
        if named.get("generator") is not None:
            drawn.append(made.clone())
        return made

    own = {name: getattr(torch, name) for name in ("randn", "rand", "randint")}
    noting = {name: functools.partial(note, draw) for name, draw in own.items()}
    with mock.patch.multiple(torch, **noting):
        yield drawn


def _arguments(writer, case):
    """A case's arguments; functions only by what they are called."""
    return [{"function": a.__name__} if _function(a) else writer.value(a) for a in case]


def _function(value):
    return callable(value) and not isinstance(value, (torch.nn.Module, type))


def _varied(writer, bench):
    """The judge's cases with another value of one argument."""
    found = {}
    for how, (i, name, value, _) in bench.varied.items():
        if not _function(value):
            found[how] = [i, name, writer.value(value)]
    return found


def _single(bench):
    """The settings whose results are kept; a page makes the changes of a result itself."""
    for settings in bench.candidates():
        if len(settings) > 1:
            return
        if settings[0][0] != "result":
            yield settings


def _row(writer, bench, settings):
    """What a mistake makes of each case."""
    return [_outcome(writer, bench.outcome(settings, i)) for i in range(len(bench.cases))]


def _outcome(writer, outcome):
    if outcome.error is not None:
        return {"error": outcome.error.type}
    if isinstance(outcome.value, Odd):
        return {"odd": [outcome.value.type, outcome.value.text]}
    return writer.value(outcome.value)


@functools.cache
def lines():
    """{exercise: its stub, an answer of the lesson, what of the lesson the answer calls}."""
    found = {}
    for path in lessons():
        stubs, answers, before = {}, {}, {}
        told = False
        for cell in nbformat.read(path, as_version=4).cells:
            told |= cell.cell_type == "markdown" and bool(SOLUTIONS.search(cell.source))
            if cell.cell_type == "code":
                _note(cell.source, answers if told else stubs, {} if told else before)
            for fence in ANSWER.findall(cell.source) if "solution" in tags(cell) else ():
                _note(fence, answers, {})
        for name, stub in stubs.items():
            answer = answers.get(name, "")
            given = _given(answer, before)
            found[name] = stub, answer, "\n\n".join(given), sorted(before)
    return found


def _note(source, functions, defined):
    """Note a cell's functions for exercises, and which line defines a name."""
    with contextlib.suppress(SyntaxError):  # of magics
        for node in ast.parse(source).body:
            text = ast.get_source_segment(source, node)
            if isinstance(node, ast.FunctionDef) and node.name.startswith("my_"):
                functions.setdefault(node.name, text)
            for name in _defines(node):
                defined.setdefault(name, text)


def _defines(node):
    """The names that a statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]


def _given(code, defined):
    """The statements of a lesson that code needs, those first that others need."""
    found = []
    for name in sorted(_free(code) & defined.keys()):
        text = defined[name]
        if not text.startswith(("import ", "from ", "def my_")):
            others = {key: value for key, value in defined.items() if key != name}
            found += [more for more in [*_given(text, others), text] if more not in found]
    return found


def _free(code):
    """The names that code reads and does not define itself."""
    nodes = list(ast.walk(ast.parse(code)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in names} - own


def _names():
    """The names of torch, so that a page knows a typing error from a name that it lacks."""
    owners = {"torch": torch, "Tensor": torch.Tensor, "torch.nn": torch.nn,
              "torch.nn.Module": torch.nn.Module, "torch.testing": torch.testing,
              "torch.nn.functional": torch.nn.functional, "torch.linalg": torch.linalg,
              "torch.special": torch.special}  # fmt: skip
    return {owner: [n for n in dir(value) if not n.startswith("_")]
            for owner, value in owners.items()}  # fmt: skip
