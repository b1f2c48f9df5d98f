"""Make a lesson, or an exercise of one, to begin with: small, whole, and green.

python -m tools.new lesson 20_my_lesson
python -m tools.new exercise my_share 03

Its TODOs, from the texts in tools/skeleton/, say what to put in their place. It is executed, and
stands in the tables of README.md and classroom/TEACHING.md. Where something goes wrong, nothing is
left of it.
"""

import ast
import contextlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from string import Template

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from attn_lesson import catalogue
from tools import course
from tools import notebook as form
from tools.lessons import NOTEBOOKS, ROOT, execute, folder, isolate, kept, lessons, number, write

SKELETON = Path(__file__).with_name("skeleton")
LESSON = re.compile(r"(?!00)\d\d(_[a-z][a-z0-9]*)+")
FUNCTION = re.compile(r"my(_[a-z][a-z0-9]*)+")
SECTIONS, EXERCISES = 3, 5  # each section has a turn, which is an exercise too
SECTION_MINUTES = 15
MINUTES = 5  # of an exercise
AFTER = (2, "Further"), (2, "Solutions")  # the headings that follow the exercises
PREDICT = {"slideshow": {"slide_type": "skip"}, "tags": ["predict", "nbval-ignore-output"],
           "nbval-reason": "a widget gets a new id in every run"}  # fmt: skip


def parts(file):
    """The parts of one of the files in tools/skeleton/: [(what it is, its text, to fill in)]."""
    text = (SKELETON / f"{file}.txt").read_text(encoding="utf-8")
    found = re.findall(r"^=== (\w+)\n(.*?)(?=^=== |\Z)", text, re.MULTILINE | re.DOTALL)
    return [(kind, Template(body)) for kind, body in found]


def exercise(function, n, k):
    """What the texts of an exercise are filled in with."""
    constant = function.removeprefix("my_").upper()
    return {"function": function, "constant": constant, "n": n, "k": k,
            "letter": chr(ord("P") + k - 1), "next": chr(ord("P") + k)}  # fmt: skip


def cells(text, name):
    """The cells that a text describes, one below each line that begins with %%."""
    made = []
    for place, block in enumerate(re.split(r"^%% ", text, flags=re.MULTILINE)[1:]):
        head, _, source = block.partition("\n")
        kind, _, about = head.partition(" ")
        if kind == "predict":
            question, _, premise = about.partition(" ")
            about = json.dumps(PREDICT | {form.PREMISE: premise})
            imported = "from attn_lesson import predict\n" * question.endswith("P")
            source = f'{imported}predict("{question}")'
        make = new_markdown_cell if kind == "markdown" else new_code_cell
        made.append(make(source.strip(), metadata=json.loads(about), id=f"{name}-{place}"))
    return made


@contextlib.contextmanager
def nothing_half(changed, made=()):
    """Put back the files that are changed, and remove what is made, if something goes wrong."""
    before = {path: path.read_bytes() for path in changed}
    try:
        yield
    except BaseException:
        for path, content in before.items():
            path.write_bytes(content)
        for path in made:
            shutil.rmtree(path, ignore_errors=True)
            if path.is_file():
                path.unlink()
        raise


def make_lesson(name):
    """Make the lesson; return the paths of what was written or changed."""
    if not LESSON.fullmatch(name):
        raise SystemExit(f"'{name}' is no name of a lesson; write one such as 20_my_lesson")
    path, (nn, _, words) = NOTEBOOKS / f"{name}.ipynb", name.partition("_")
    taken = [str(p.name) for p in lessons() if number(p) == nn]
    places = {folder(path): ("exercises.py", "limits.py", "mistakes.md"),
              kept(path): ("answers.py", "parameters.json")}  # fmt: skip
    taken += [str(place.relative_to(ROOT)) for place in places if place.exists()]
    if taken:
        raise SystemExit(f"the number of '{name}' is taken by {', '.join(taken)}")
    each = [exercise(f"my_average_{int(nn)}_{k}", int(nn), k) for k in range(1, EXERCISES + 1)]
    plan = form.PLAN.format(5 + SECTION_MINUTES * SECTIONS + 2, MINUTES * (EXERCISES - SECTIONS))
    about = {"nn": nn, "title": words.replace("_", " ").capitalize(), "plan": plan,
             "all": ", ".join(its["constant"] for its in each[:EXERCISES])}  # fmt: skip

    def text(file):
        turns, rest = each[:SECTIONS], each[SECTIONS:]
        repeated = {"section": turns, "question": each[: SECTIONS + 1], "solution": rest,
                    "exercise": rest if file == "lesson" else each}  # fmt: skip
        return "".join(
            body.substitute(about, **its)
            for kind, body in parts(file)
            for its in repeated.get(kind, each[:1])
        )

    with nothing_half((course.README, course.TEACHING), (path, *places)):
        for place, files in places.items():
            place.mkdir()
            for file in files:
                (place / file).write_text(text(Path(file).stem).rstrip() + "\n", encoding="utf-8")
        (folder(path) / "__init__.py").touch()
        write(new_notebook(cells=cells(text("lesson"), "cell")), path)
        isolate()
        write(execute(path), path)
        course.write_tables()
    return [path, *places, course.README, course.TEACHING]


def make_exercise(function, lesson):
    """Make an exercise of the lesson; return the paths of what was changed."""
    if not FUNCTION.fullmatch(function):
        raise SystemExit(f"'{function}' is no name of an exercise; write one such as my_share")
    [path] = lessons([lesson or "the lesson's number is missing"])
    for place in map(folder, lessons()):
        if function in catalogue.table(place.name)[0]:
            raise SystemExit(f"'{function}' is an exercise of {place.name}")
    notebook = nbformat.read(path, as_version=4)
    n, numbered = form.number(notebook), [form.NUMBERED.match(c.source) for c in notebook.cells]
    k = 1 + max(int(found[2].partition(".")[2]) for found in numbered if found)
    about = exercise(function, n, k)

    def text(file, kind="exercise"):
        return dict(parts(file))[kind].substitute(about)

    code, told = folder(path) / "exercises.py", folder(path) / "mistakes.md"
    answers, points = kept(path) / "answers.py", folder(path) / "points.json"
    source = code.read_text(encoding="utf-8")
    if re.search(rf"^{about['constant']}\b", source, re.MULTILINE):
        raise SystemExit(f"{code.name} has a {about['constant']}: give '{function}' another name")
    pages = course.README, course.TEACHING
    changed = (path, code, told, answers, *pages, *[points] * points.exists())
    with nothing_half(changed):
        if points.exists():
            worth = json.loads(points.read_text("utf-8")) | {f"{n}.{k}": 1}
            points.write_text(f"{json.dumps(worth)}\n", "utf-8")
        answers.write_text(
            f"{answers.read_text('utf-8').rstrip()}\n\n\n{text('answers').rstrip()}\n", "utf-8"
        )
        code.write_text(with_exercise(source, text("exercises"), about["constant"]), "utf-8")
        subprocess.run(
            [sys.executable, "-m", "ruff", "format", "--quiet", "--no-cache", code], check=True
        )
        sections = re.split(r"^(?=# )", told.read_text("utf-8"), flags=re.MULTILINE)
        last = max(i for i, section in enumerate(sections) if section.startswith("# my_"))
        sections.insert(last + 1, text("mistakes"))
        told.write_text("".join(sections), encoding="utf-8")
        insert(notebook, "solution", cells(text("lesson", "solution"), f"{function}-solved"))
        insert(notebook, "exercise", cells(text("lesson"), function))
        write(notebook, path)
        isolate()
        write(execute(path), path)
        course.write_tables()
    return changed


def with_exercise(source, definition, constant):
    """The source of an exercises.py with one more exercise, which is told too."""
    told = next(
        node for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "tell"
    )  # fmt: skip
    lines = source.splitlines(keepends=True)
    row, column = told.args[-1].end_lineno - 1, told.args[-1].end_col_offset
    lines[row] = f"{lines[row][:column]}, {constant}{lines[row][column:]}"
    lines.insert(told.lineno - 1, f"{definition.strip()}\n\n\n")
    source = "".join(lines)
    if "Draw" not in source.partition(definition.strip())[0]:
        first = "from ..judge.exercise"
        source = source.replace(first, f"from ..judge.common import Draw\n{first}", 1)
    return source


def insert(notebook, kind, more):
    """Put the cells of an exercise behind the last one, or of its solution, and its minutes."""
    old = notebook.cells
    below = [i for i, cell in enumerate(old) if form.heading(cell) in AFTER]
    solutions = [i for i, cell in enumerate(old) if "solution" in form.tags(cell)]
    at = solutions[-1] + 1 if kind == "solution" else below[0]
    notebook.cells = [*old[:at], *more, *old[at:]]
    if kind == "exercise":
        plan = re.compile(form.PLAN.replace(".", r"\.").replace("{}", r"(\d+)"))
        for cell in notebook.cells:
            cell.source = plan.sub(
                lambda m: form.PLAN.format(m[1], int(m[2]) + MINUTES), cell.source
            )


if __name__ == "__main__":
    what, *names = sys.argv[1:]
    for written in {"lesson": make_lesson, "exercise": make_exercise}[what](*names):
        print(written.relative_to(ROOT))
