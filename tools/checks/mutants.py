"""Plant faults, one at a time, and see which ones the tests catch.

    python -m tools.checks.mutants                            20 faults in each room
    python -m tools.checks.mutants attn_teach --sample 200    more in one room
    python -m tools.checks.mutants tools/course.py --sample 0    all in one file

A comparison, an operator, a number, a condition, an argument or a statement is changed. (What goes
wrong in a lesson is planted by tests/test_lesson_checks.py.) Each kind comes up as often as the
others. A fault is planted in a copy of the project below build/, and the style check and the file's
tests run there, those marked long last. It is printed with what caught it. What nothing catches
survives: a check is missing, or the change makes no difference; in a file that has no tests every
fault survives. The same seed plants the same faults.
"""

import ast
import collections
import copy
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

from tools.lessons import BUILD, ROOT
from tools.progress import command_line

SECONDS = 600  # a fault that makes the tests endless is caught
ROOMS = ("attn_teach", "attn_lesson", "classroom", "tools")
JUDGED = ["tests/judge", "tests/test_answers.py", "tests/test_catalogue.py"]
TESTS = {  # besides the test of a file's own name, those of all whose path begins so
    "attn_teach/": [f"tests/test_{name}.py" for name in
                    ("attention", "door", "masking", "details", "promises", "transformer")],
    **{f"attn_lesson/{name}": JUDGED for name in ("judge/", "lesson", "words", "pack", "cat")},
    "classroom/marking/": ["classroom/tests/test_marking.py"],
    "classroom/workers": [f"classroom/tests/test_{name}.py" for name in ("variants", "marking")],
    "tools/editions/": ["tests/test_editions.py"],
    "tools/set_up": ["tests/test_setup.py"],
    "tools/lock": ["tests/test_setup.py"],
    "tools/site/": ["tests/test_site.py"],
    "tools/site/tab/": ["tests/test_tab.py"],
}  # fmt: skip

OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or,
    ast.Or: ast.And, ast.Mod: ast.FloorDiv, ast.FloorDiv: ast.Mod,
}  # fmt: skip


def tests_of(file):
    """The tests that run for a file, its own first."""
    where = "classroom/tests" if file.startswith("classroom/") else "tests"
    lessons = ROOT.glob(f"tests/lessons/{Path(file).parts[1]}/test_*.py")
    own = [f"{where}/test_{Path(file).stem}.py", *(str(test.relative_to(ROOT)) for test in lessons)]
    more = [test for begins, tests in TESTS.items() if file.startswith(begins) for test in tests]
    return [test for test in dict.fromkeys([*own, *more]) if (ROOT / test).exists()]


def faults_of(node):
    """Yield what can go wrong at this node: a word, the node to replace, and by what."""

    def other(**changed):
        new = copy.copy(node)
        new.__dict__.update(changed)
        text = ast.unparse(ast.fix_missing_locations(new))
        return node, text if isinstance(node, ast.stmt) else f"({text})"

    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OTHER:
        yield "operator", *other(op=OTHER[type(node.op)]())
    elif isinstance(node, ast.Compare):
        yield "comparison", *other(ops=[OTHER[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.UnaryOp):
        yield "sign", node, f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "truth", node, str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield "number", node, repr(node.value + 1)
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield "condition", node.test, f"(not ({ast.unparse(node.test)}))"
    elif isinstance(node, ast.Call) and node.keywords and node.keywords[-1].arg:
        yield "argument lost", *other(keywords=node.keywords[:-1])
    elif isinstance(node, ast.Call) and len(node.args) == 2:
        yield "arguments swapped", *other(args=node.args[::-1])
    elif isinstance(node, (ast.FunctionDef, ast.For, ast.With)):
        for lost in node.body:
            said = isinstance(lost, ast.Expr) and isinstance(lost.value, ast.Constant)
            if isinstance(lost, (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise)) and not said:
                yield "statement lost", lost, "pass"


def faults_in(source):
    """Yield what can go wrong in Python: a word, the line, and what makes the faulty source."""

    def planted(node, text):
        raw = source.encode()
        lines = [0, *itertools.accumulate(map(len, raw.splitlines(keepends=True)))]
        first = lines[node.lineno - 1] + node.col_offset
        last = lines[node.end_lineno - 1] + node.end_col_offset
        return (raw[:first] + text.encode() + raw[last:]).decode()

    tree = ast.parse(source)
    joined = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    inside = {part for node in joined for part in ast.walk(node)}  # their places are not known
    for node in ast.walk(tree):
        if node not in inside:
            for what, place, text in faults_of(node):
                yield what, place.lineno, partial(planted, place, text)


def copy_of_project(folder):
    """Copy the project into the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    ignored = (".git", ".venv", "build", "__pycache__", ".ruff_cache", ".hypothesis", "*.egg-info")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*ignored))
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def failure(folder, tests):
    """Return the name of the first of these tests that fails in the copy; "" where all pass."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", *tests]
    command += ["--tb=no", "-m"]
    for which in ("not long", "long"):  # the fast ones first
        try:
            done = subprocess.run(
                [*command, which], cwd=folder, env=environment, capture_output=True,
                timeout=SECONDS, encoding="utf-8", errors="replace",
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"the limit of {SECONDS} seconds"
        if done.returncode not in (0, 5):  # 5: there are none
            named = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - |$)", done.stdout, re.MULTILINE)
            return named[1] if named else done.stderr.strip()[-300:] or "pytest, which stopped"
    return ""


def is_caught(number, file, what, line, plant):
    """Plant one fault, and print what caught it; return whether something did."""
    caught, tests = "", tests_of(file)
    if tests:
        folder = copy_of_project(BUILD / "mutants" / str(number))
        (folder / file).write_text(plant(), encoding="utf-8")
        style = [sys.executable, "-m", "ruff", "check", "--quiet", "--select=F821,F841,B", file]
        refused = subprocess.run(style, cwd=folder, capture_output=True).returncode
        caught = "ruff" if refused else failure(folder, tests)
        shutil.rmtree(folder)
    verdict = f"caught by {caught}" if caught else "SURVIVES" + " (no tests)" * (not tests)
    print(f"{file}:{line}  {what}: {verdict}", flush=True)
    return bool(caught)


def main(arguments=None):
    """Plant the faults and report, for each room, the share that was caught."""
    parser = command_line(__doc__)
    parser.add_argument("rooms", nargs="*", default=ROOMS, help=f"{', '.join(ROOMS)}, or a file")
    parser.add_argument("--sample", type=int, default=20, help="faults for each room; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    options = parser.parse_args(arguments)
    for room in options.rooms:
        every = [
            (path.relative_to(ROOT).as_posix(), *fault)
            for path in [ROOT / room, *sorted((ROOT / room).rglob("*.py"))]
            if path.is_file() and "tests" not in path.parts
            for fault in faults_in(path.read_text(encoding="utf-8"))
        ]
        random.Random(options.seed).shuffle(every)
        turn = collections.defaultdict(itertools.count)  # of each kind
        every.sort(key=lambda fault: next(turn[fault[1]]))
        chosen = every[: options.sample or None]
        needed = dict.fromkeys(test for fault in chosen for test in tests_of(fault[0]))
        if needed and (failed := failure(copy_of_project(BUILD / "mutants" / "clean"), needed)):
            sys.exit(f"{failed} fails without any fault; run make test first")
        with ThreadPoolExecutor(options.jobs) as pool:
            caught = list(pool.map(is_caught, itertools.count(), *zip(*chosen, strict=True)))
        print(f"{room}: {sum(caught)} of {len(caught)} caught, of {len(every)} that can be planted")


if __name__ == "__main__":
    main()
