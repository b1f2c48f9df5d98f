"""What the lessons' notebooks say of themselves: question, minutes, exercises.

`python -m tools.course` puts the tables of them into classroom/TEACHING.md and README.md.
"""

import re
from pathlib import Path
from types import SimpleNamespace

import nbformat

from tools.lessons import ROOT, lessons
from tools.notebook import NUMBERED, exercise_minutes, notes, of_type, title

# Who made the course and what one may do with it, as every file that is handed out shows it.
NOTICE = (
    "The attn-teach authors. Code: MIT. Lessons, text and pictures: CC BY 4.0. "
    "Motorcycle data: BSD-3-Clause, from statsmodels. Names of towns: CC BY 4.0, from GeoNames."
)
TEACHING, README = ROOT / "classroom" / "TEACHING.md", ROOT / "README.md"
ROWS = re.compile(r"(?:^\| \d\d \|.*\n)+", re.MULTILINE)
TABLE = re.compile(r"(?<=\n)\| Lesson \| Question .*?\n(?=\n)", re.DOTALL)
ADDRESS = re.compile(r'^Repository = "https://github\.com/([\w-]+/[\w.-]+?)(?:\.git)?/?"', re.M)


def facts(path):
    """Return the facts that a lesson's notebook holds, most of them in its first cell."""
    notebook = nbformat.read(path, as_version=4)
    first = notebook.cells[0]
    about = notes(first)
    number, name = title(notebook)
    text = "\n".join(cell.source for cell in of_type(notebook, "markdown"))
    asked = [what for what, _ in NUMBERED.findall(text) if what != "Solution"]
    return SimpleNamespace(
        path=Path(path),
        number=number,
        title=name,
        question=about["question"],
        minutes=sum(notes(cell).get("minutes", 0) for cell in notebook.cells),  # in class
        exercises=len(asked),  # with the turns
        turns=asked.count("Your turn"),
        exercise_minutes=sum(exercise_minutes(text)),
        mistakes=about["mistakes"],  # what learners most get wrong
    )


def course():
    """Return the facts of all lessons, in order."""
    return [facts(path) for path in lessons()]


def table():
    """Return the instructor's table, as Markdown."""
    rows = [
        f"| {lesson.number} {lesson.title} | {lesson.question} | {lesson.minutes} "
        f"| {lesson.exercises}{f', {lesson.turns} within it' * (lesson.turns > 0)} "
        f"({lesson.exercise_minutes} min) "
        f"| {' '.join(mistake + '.' for mistake in lesson.mistakes)} |\n"
        for lesson in course()
    ]
    head = "| Lesson | Question | Minutes | Exercises | What learners get wrong |\n"
    return head + "|---|---|---|---|---|\n" + "".join(rows)


def row(lesson):
    """Return the lesson's row in README.md's table."""
    link = f"[{lesson.title}]({lesson.path.relative_to(ROOT).as_posix()})"
    return f"| {lesson.number} | {link} | {lesson.question} |\n"


def write_tables():
    """Bring the tables in classroom/TEACHING.md and README.md in line with the lessons."""
    for page, old, new in (TEACHING, TABLE, table()), (README, ROWS, "".join(map(row, course()))):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(old.search(text)[0], new, 1), encoding="utf-8")


def address(pyproject=ROOT / "pyproject.toml"):
    """Return the project's owner/name on GitHub, or "" if pyproject.toml has no address."""
    found = ADDRESS.search(pyproject.read_text(encoding="utf-8"))
    return found[1] if found else ""


def opened_in(place, path):
    """Return where else the lesson opens, {name: URL}, if the project has a place on GitHub."""
    colab = f"https://colab.research.google.com/github/{place}/blob/HEAD/colab/{path.name}"
    binder = f"https://mybinder.org/v2/gh/{place}/HEAD?urlpath=lab%2Ftree%2Fnotebooks%2F{path.name}"
    return {"Colab": colab, "Binder": binder} if place else {}


if __name__ == "__main__":
    write_tables()
