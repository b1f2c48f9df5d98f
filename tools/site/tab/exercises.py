"""What a page needs of the lessons: each stub, an answer, and what of the lesson that calls.

Cases, results and what each mistake makes of them are computed in the page, by the judge itself.
"""

import ast
import contextlib
import functools

import nbformat
import torch

from attn_lesson import catalogue
from tools.lessons import lessons
from tools.notebook import ANSWER, SOLUTIONS, tags
from tools.progress import say

from . import judging, missing


@functools.cache
def told():
    """What judging.use takes; which exercises are not in it, and why, is printed."""
    found, parts = {}, ("stub", "answer", "given", "names")
    for lesson in catalogue.lessons():
        for name in catalogue.table(lesson)[0]:
            found[name] = {"lesson": lesson, **dict(zip(parts, lines()[name], strict=True))}
    made = {"exercises": found, "torch": _names()}
    judging.use(made)
    for name in list(found):
        missing.raised.clear()
        try:
            judging.bench(name)
        except RuntimeError:
            if not missing.raised:
                raise
            say(f"{name} stays in the notebook: a page has no {missing.raised[0]}")
            del found[name]
    return made


@functools.cache
def lines():
    """{exercise: its stub, an answer, what of the lesson that calls, the lesson's names}."""
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
