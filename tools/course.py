"""What the lessons' notebooks say of themselves: question, minutes, exercises."""

from dataclasses import dataclass
from pathlib import Path

import nbformat

from tools.lessons import lessons
from tools.notebook import exercise_minutes, notes, of_type, title

# Who made the course and what one may do with it, as every file that is handed out shows it.
NOTICE = (
    "The attn-teach authors. Code: MIT. Lessons, text and pictures: CC BY 4.0. "
    "Motorcycle data: BSD-3-Clause, from statsmodels. Names of towns: CC BY 4.0, from GeoNames."
)


@dataclass
class Facts:
    """One lesson."""

    path: Path
    number: str
    title: str
    question: str
    minutes: int  # of the lesson in class
    exercises: int
    exercise_minutes: int
    mistakes: list  # what learners most get wrong


def facts(path):
    """Return the facts that a lesson's notebook holds, most of them in its first cell."""
    notebook = nbformat.read(path, as_version=4)
    first = notebook.cells[0]
    about = notes(first)
    number, name = title(notebook)
    text = "\n".join(cell.source for cell in of_type(notebook, "markdown"))
    exercises = exercise_minutes(text)
    return Facts(
        path=Path(path),
        number=number,
        title=name,
        question=about["question"],
        minutes=sum(notes(cell).get("minutes", 0) for cell in notebook.cells),
        exercises=len(exercises),
        exercise_minutes=sum(exercises),
        mistakes=about["mistakes"],
    )


def course():
    """Return the facts of all lessons, in order."""
    return [facts(path) for path in lessons()]


def table():
    """Return the instructor's table, as Markdown."""
    rows = [
        "| Lesson | Question | Minutes | Exercises | What learners get wrong |",
        "|---|---|---|---|---|",
    ]
    for lesson in course():
        rows.append(
            f"| {lesson.number} {lesson.title} | {lesson.question} | {lesson.minutes} "
            f"| {lesson.exercises} ({lesson.exercise_minutes} min) "
            f"| {' '.join(mistake + '.' for mistake in lesson.mistakes)} |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
