"""Make a lesson to begin with: small, whole, and green; its TODOs say what to put in their place.

python -m tools.new_lesson 13_my_lesson

Writes, from the texts in tools/skeleton/, the notebook, executed, the lesson's folder, and what is
kept to test it; adds the lesson to the tables in README.md and classroom/TEACHING.md. Where
something goes wrong, nothing is left.
"""

import json
import re
import shutil
import sys
from pathlib import Path
from string import Template

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import course
from tools import notebook as form
from tools.lessons import NOTEBOOKS, ROOT, execute, folder, isolate, kept, lessons, number, write
from tools.notebook import PLAN

SKELETON = Path(__file__).with_name("skeleton")
NAME = re.compile(r"(?!00)\d\d(_[a-z][a-z0-9]*)+")
SECTIONS = EXERCISES = 5
REPEATED = {"section": SECTIONS, "exercise": EXERCISES, "solution": EXERCISES,
            "question": SECTIONS + 1}  # fmt: skip
FILES = ("exercises.py", "mistakes.md")
KEPT = ("answers.py", "parameters.json")
PREDICT = {"slideshow": {"slide_type": "skip"}, "tags": ["predict", "nbval-ignore-output"],
           "nbval-reason": "a widget gets a new id in every run"}  # fmt: skip


def text(part, name):
    """The text of one of the files in tools/skeleton/, filled in for the lesson."""
    nn, _, words = name.partition("_")
    about = {
        "nn": nn,
        "n": int(nn),
        "title": words.replace("_", " ").capitalize(),
        "plan": PLAN.format(5 + 9 * SECTIONS + 2, 5 * EXERCISES),
        "all": ", ".join(f"AVERAGE_{k}" for k in range(1, EXERCISES + 1)),
    }
    template = (SKELETON / f"{part}.txt").read_text(encoding="utf-8")
    out = ""
    for block in re.split(r"^=== ", template, flags=re.MULTILINE)[1:]:
        kind, _, body = block.partition("\n")
        for k in range(1, REPEATED.get(kind, 1) + 1):
            out += Template(body).substitute(about, k=k, next=k + 1)
    return out


def notebook(name):
    """The lesson's notebook, not yet executed."""
    cells = []
    for place, block in enumerate(re.split(r"^%% ", text("lesson", name), flags=re.MULTILINE)[1:]):
        head, _, source = block.partition("\n")
        kind, _, about = head.partition(" ")
        if kind == "predict":
            question, _, premise = about.partition(" ")
            cell = new_code_cell(
                f'predict("{int(number(name))}.{question}")',
                metadata=PREDICT | {form.PREMISE: premise},
            )
        else:
            make = new_markdown_cell if kind == "markdown" else new_code_cell
            cell = make(source.strip(), metadata=json.loads(about))
        cell.id = f"cell-{place}"
        cells.append(cell)
    return new_notebook(cells=cells)


def with_row(readme, lesson):
    """The text of README.md with the lesson's row, below those with smaller numbers."""
    rows = re.findall(r"^\| \d\d \|.*\n", readme, re.MULTILINE)
    before = [row for row in rows if row < f"| {lesson.number} "][-1]
    row = f"| {lesson.number} | {lesson.title} | {lesson.question} |\n"
    return readme.replace(before, before + row, 1)


def make(name):
    """Make the lesson; return the paths of what was written or changed."""
    if not NAME.fullmatch(name):
        raise SystemExit(f"'{name}' is no name of a lesson; write one such as 13_my_lesson")
    path = NOTEBOOKS / f"{name}.ipynb"
    taken = [str(p.name) for p in lessons() if number(p) == number(name)]
    places = {folder(path): FILES, kept(path): KEPT}
    taken += [str(place.relative_to(ROOT)) for place in places if place.exists()]
    if taken:
        raise SystemExit(f"the number of '{name}' is taken by {', '.join(taken)}")
    readme, teaching = ROOT / "README.md", ROOT / "classroom" / "TEACHING.md"
    pages = {page: page.read_text("utf-8") for page in (readme, teaching)}
    table = course.table()
    if table not in pages[teaching]:
        raise SystemExit(
            "the table in classroom/TEACHING.md is not what `python -m tools.course` prints"
        )
    try:
        for place, files in places.items():
            place.mkdir()
            for file in files:
                part = text(Path(file).stem, name).rstrip() + "\n"
                (place / file).write_text(part, encoding="utf-8")
        (folder(path) / "__init__.py").touch()
        write(notebook(name), path)
        isolate()
        write(execute(path), path)
        readme.write_text(with_row(pages[readme], course.facts(path)), encoding="utf-8")
        teaching.write_text(pages[teaching].replace(table, course.table()), encoding="utf-8")
    except BaseException:
        for place in places:
            shutil.rmtree(place, ignore_errors=True)
        path.unlink(missing_ok=True)
        for page, before in pages.items():
            page.write_text(before, encoding="utf-8")
        raise
    return [path, *places, *pages]


if __name__ == "__main__":
    for written in make(sys.argv[1] if len(sys.argv) == 2 else ""):
        print(written.relative_to(ROOT))
