"""Plant faults, one at a time, and see which ones the tests catch.

    python -m tools.checks.mutants                      30 faults in each room
    python -m tools.checks.mutants module --sample 200  more in one room
    python -m tools.checks.mutants module --only masking --sample 0   all in one file

Faults are made from the syntax tree: a comparison, an operator, a number, a word, a condition, an
argument or a statement is changed. In a lesson they are those of its code, and what a reader would
call wrong: a cell lost, a letter, a figure, a formula, an output changed; each kind comes up as
often as the others. A fault is planted in a copy of the project below build/, where the style
check and the tests of its file run, those marked long last. Each fault is printed with what caught
it; what nothing catches survives: a check is missing, or the change makes no difference. The same
seed plants the same faults.
"""

import argparse
import ast
import collections
import contextlib
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import nbformat
import pytest

from tools.lessons import ROOT, as_text, lessons
from tools.notebook import tags

SECONDS = 600  # a fault that makes the tests endless is caught
PARTS = ("attn_teach", "attn_lesson", "classroom", "tests", "notebooks", "img")
PARTS += ("tools", ".ci", "pyproject.toml", "constraints.txt", "Makefile", "README.md")
PARTS += ("environment.yml", "conftest.py", "CONTRIBUTING.md")

PROMISES = [f"tests/test_{name}.py" for name in ("door", "masking", "promises", "details")]
JUDGED = ["tests/judge", "tests/test_answers.py", "tests/test_catalogue.py"]
BY = {  # a file's tests, fastest first, where they are not tests/test_NAME.py
    **{f"attn_teach/{name}.py": ["tests/test_door.py", "tests/test_attention.py"]
       for name in ("door", "checks")},
    "attn_teach/cache.py": ["tests/test_transformer.py"],
    "attn_teach/masking.py": ["tests/test_masking.py", "tests/test_attention.py"],
    "attn_teach/transformer.py": ["tests/test_transformer.py", "tests/test_real_model.py"],
    **{f"attn_lesson/{name}.py": JUDGED for name in ("words", "pack")},
    **{f"attn_lesson/judge/{path.name}": JUDGED
       for path in (ROOT / "attn_lesson" / "judge").glob("*.py")},
    "attn_lesson/catalogue.py": ["tests/test_catalogue.py", *JUDGED, "tests/test_widgets.py"],
    "attn_lesson/difference.py": ["tests/test_difference.py", *JUDGED],
    "attn_lesson/lesson07/published.py": ["tests/test_published.py", "tests/test_setup.py"],
    "tools/course.py": ["tests/test_course.py"],
    "tools/lessons.py": ["tests/test_lessons_tool.py", "classroom/tests/test_variants.py"],
    "tools/set_up.py": ["tests/test_first_setup.py", "tests/test_setup.py"],
    **{f"classroom/marking/{name}.py": ["classroom/tests/test_marking.py"]
       for name in ("__main__", "desk", "guard", "pages", "read")},
    **{f"notebooks/{path.name}": ["tests/test_lessons.py", f"notebooks/{path.name}"]
       for path in lessons()},
}  # fmt: skip
# room -> the files in which faults are planted
FILES = {
    "module": "attn_teach/*.py",
    "engine": "attn_lesson/**/*.py",
    "tools": "tools/**/*.py",
    "classroom": "classroom/**/*.py",
    "notebooks": "notebooks/*.ipynb",
}


def tests_of(room, file):
    """The tests that run for a file: those named here, or those of its name."""
    where = "classroom/tests" if file.startswith("classroom/") else "tests"
    tests = BY.get(file, [f"{where}/test_{Path(file).stem}.py"])
    return [*tests, *PROMISES] if room == "module" else tests


def room_of(room):
    """The files of a room that have tests, each with these."""
    files = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(FILES[room]))
    files = [file for file in files if "/tests/" not in file]
    found = {file: tests_of(room, file) for file in files}
    return {file: tests for file, tests in found.items() if (ROOT / tests[0]).exists()}


ROOMS = {room: room_of(room) for room in FILES}

OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or,
    ast.Or: ast.And, ast.Mod: ast.FloorDiv, ast.FloorDiv: ast.Mod,
}  # fmt: skip


def faults_of(node):
    """Yield what can go wrong at this node: a word for it, and a function that does it in place."""

    def setting(field, value):
        return lambda node: setattr(node, field, value)

    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OTHER:
        yield "operator", setting("op", OTHER[type(node.op)]())
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        yield "comparison", setting("ops", [OTHER[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.UnaryOp):
        yield (
            "sign",
            lambda node: (
                node.__dict__.update(op=ast.UAdd(), operand=node.operand)
                if (isinstance(node.op, ast.USub))
                else setattr(node, "operand", ast.UnaryOp(node.op, node.operand))
            ),
        )
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "truth", setting("value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield "number", setting("value", node.value + 1)
    elif isinstance(node, (ast.If, ast.IfExp)):
        negated = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        yield "condition", setting("test", negated)
    elif isinstance(node, ast.Call) and node.keywords and node.keywords[-1].arg:
        yield "argument lost", setting("keywords", node.keywords[:-1])
    elif isinstance(node, ast.Call) and len(node.args) == 2:
        yield "arguments swapped", setting("args", node.args[::-1])
    elif isinstance(node, (ast.FunctionDef, ast.For, ast.With)):
        for place, statement in enumerate(node.body):
            kinds = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise)
            text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if isinstance(statement, kinds) and not text:
                yield (
                    "statement lost",
                    lambda node, place=place: node.body.__setitem__(
                        place, ast.copy_location(ast.Pass(), node.body[place])
                    ),
                )


def faults_in(notebook):
    """Yield what can go wrong in a lesson: a word for it, the cell's number, and a function."""

    def becomes(cell, text):
        cell.source = text

    def lost(cell):
        notebook.cells.remove(cell)

    one_more = lambda m: f"{m[1]}{int(m[2]) + 1}"  # noqa: E731
    changes = {
        "letter": (r"^\*\*([A-D])\b", lambda m: f"**{'BADC'['ABCD'.index(m[1])]}"),
        "figure": (r"(?<![\w.{])\d*[1-9]\d(?!\d*[\w}])", lambda m: str(int(m[0]) + 1)),
        "formula": (r"(?<=\$)[^$]*\}", lambda m: m[0][:-1]),
        "link": (r"\]\((?!data|http)\w", lambda m: f"{m[0]}x"),
        "number of a question": (r'(predict\("\d+\.)(\d)', one_more),
        "number of an exercise": (r"(Exercise \d+\.)(\d)", one_more),
        "option": (r"^- (\*\*)?[A-D]\..*\n", lambda m: ""),
        "argument of a stub": (r"(?<=def my_)(\w+\()\w+", lambda m: f"{m[1]}x"),
        "limit": (r"(?<==\()\S+(?=,)", lambda m: "-99"),
        "diagram": (r"base64,\w{8}", lambda m: "base64,QUJDREVG"),
        "description": (r"(?<=!\[)\w+ \w+", lambda m: "Another picture:"),
    }
    for number, cell in enumerate(notebook.cells):
        for what, (pattern, change) in changes.items():
            text = re.sub(pattern, change, cell.source, count=1, flags=re.MULTILINE)
            if text != cell.source:
                yield what, number, partial(becomes, cell, text)
        for tag in sorted(tags(cell)):
            yield f"cell lost: {tag}", number, partial(lost, cell)
            yield f"tag lost: {tag}", number, partial(cell.metadata.tags.remove, tag)
        for output in cell.get("outputs", []):
            text = re.sub(r"\d(?=\D*$)", lambda m: str(9 - int(m[0])), output.get("text", ""))
            if text != output.get("text", ""):
                yield "output", number, partial(output.__setitem__, "text", text)
        if cell.cell_type == "code":
            for place, node in enumerate(ast.walk(ast.parse(cell.source))):
                for choice, (what, _) in enumerate(faults_of(node)):
                    yield (
                        what,
                        number,
                        lambda c=cell, p=place, n=choice: becomes(c, planted_in(c.source, p, n)),
                    )


def places(file):
    """Return where in the file faults can be planted: (file, node, choice, line, what) each."""
    if file.endswith(".ipynb"):
        found = faults_in(nbformat.read(ROOT / file, as_version=4))
        return [(file, n, 0, cell, what) for n, (what, cell, _) in enumerate(found)]
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    words = {id(node) for part in ast.walk(tree) if isinstance(part, ast.JoinedStr)
             for node in ast.walk(part)}  # fmt: skip
    return [
        (file, number, choice, getattr(node, "lineno", 1), what)
        for number, node in enumerate(ast.walk(tree))
        if id(node) not in words
        for choice, (what, _) in enumerate(faults_of(node))
    ]


def planted(file, number, choice):
    """Return the file's text with one fault in it."""
    if file.endswith(".ipynb"):
        notebook = nbformat.read(ROOT / file, as_version=4)
        next(itertools.islice(faults_in(notebook), number, None))[2]()
        return as_text(notebook)
    return planted_in((ROOT / file).read_text(encoding="utf-8"), number, choice)


def planted_in(source, number, choice):
    """Return the source with one fault in it. The rest keeps its layout, which tests look at."""
    tree = ast.parse(source)
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    target = next(itertools.islice(ast.walk(tree), number, None))
    list(faults_of(target))[choice][1](target)
    raw = source.encode()
    starts = [0, *itertools.accumulate(len(line) + 1 for line in raw.split(b"\n"))]
    spots = [child for child in ast.iter_child_nodes(target) if child not in above] + [target]
    while spots[-1] in above:
        spots.append(above[spots[-1]])
    for node in (spot for spot in spots if getattr(spot, "end_lineno", None)):  # the smallest
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[node.end_lineno - 1] + node.end_col_offset
        for text in (ast.unparse(node), f"({ast.unparse(node)})"):
            result = (raw[:first] + text.encode() + raw[last:]).decode(errors="replace")
            with contextlib.suppress(SyntaxError):
                if ast.dump(ast.parse(result)) == ast.dump(tree):
                    return result
    return ast.unparse(ast.fix_missing_locations(tree))


def copy_of_project(folder):
    """Copy what the tests need into the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in [*map(ROOT.__truediv__, PARTS), *ROOT.glob("LICENSE*")]:
        if path.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "browser")
            shutil.copytree(path, folder / path.name, ignore=ignored)
        elif path.exists():
            shutil.copy(path, folder)
    if (ROOT / ".venv").exists():
        (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def failure(folder, tests):
    """Return the name of the first of these tests that fails in the copy; "" where all pass."""
    tests = [test for test in tests if (folder / test).exists()]
    environment = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", *tests]
    command += ["--nbval", "--nbval-current-env", "--tb=no", "-m"]
    for which in ("not long", "long"):  # the fast ones first
        try:
            done = subprocess.run(
                [*command, which], cwd=folder, env=environment, capture_output=True,
                timeout=SECONDS, encoding="utf-8", errors="replace",
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"the limit of {SECONDS} seconds"
        if done.returncode not in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
            named = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - |$)", done.stdout, re.MULTILINE)
            return named[1] if named else done.stderr.strip()[-300:] or "pytest, which stopped"
    return ""


def refused(folder, file):
    """Return what the style check has against the file, beyond the layout; "" where nothing."""
    command = [sys.executable, "-m", "ruff", "check", "--quiet", "--output-format=concise"]
    command += ["--select=F821,F841,B", file]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")
    return done.stdout.partition("\n")[0]


def try_fault(name, tests, file, number, choice, line, what):
    """Plant one fault, and print what caught it; return whether something did."""
    folder = copy_of_project(ROOT / "build" / "mutants" / name)
    (folder / file).write_text(planted(file, number, choice), encoding="utf-8")
    caught = refused(folder, file) or failure(folder, tests)
    shutil.rmtree(folder)
    if file.endswith(".ipynb"):
        source = nbformat.read(ROOT / file, as_version=4).cells[line].source[:70]
    else:
        source = (ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1].strip()
    verdict = f"caught by {caught}" if caught else "SURVIVES"
    print(f"{file}:{line}  {what}: {source}\n    {verdict}", flush=True)
    return bool(caught)


def main(arguments=None):
    """Plant the faults and report, for each room, the share that was caught."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rooms", nargs="*", help=f"some of: {', '.join(ROOMS)}")
    parser.add_argument("--only", default="", help="files whose name holds this")
    parser.add_argument("--sample", type=int, default=30, help="faults for each room; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    options = parser.parse_args(arguments)
    for room in options.rooms or ROOMS:
        if room not in ROOMS:
            parser.error(f"there is no room {room!r}; there are {', '.join(ROOMS)}")
        files = {f: tests for f, tests in ROOMS[room].items() if options.only in f}
        every = [place for file in files for place in places(file)]
        random.Random(options.seed).shuffle(every)
        if room == "notebooks":
            turn = collections.defaultdict(itertools.count)  # of each kind
            every = sorted(every, key=lambda place: next(turn[place[-1]]))
        chosen = every[: options.sample or None]
        clean = copy_of_project(ROOT / "build" / "mutants" / "clean")
        needed = {test: None for place in chosen for test in files[place[0]]}  # each once
        if failed := failure(clean, needed):
            sys.exit(f"{failed} fails without any fault; run make test first")
        with ThreadPoolExecutor(options.jobs) as pool:
            names = [f"{room}{number}" for number in range(len(chosen))]
            tests = [files[place[0]] for place in chosen]
            caught = list(pool.map(try_fault, names, tests, *zip(*chosen, strict=True)))
        print(f"{room}: {sum(caught)} of {len(caught)} caught, of {len(every)} that can be planted")


if __name__ == "__main__":
    main()
