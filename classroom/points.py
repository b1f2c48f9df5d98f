"""What a lesson's exercises are worth: points.json in its folder, or a file of a teacher's.

Such a file holds points by exercise, {"1.2": 2}; one that it does not name is worth 1.
"""

import json
import re
from dataclasses import dataclass

import nbformat

from tools.lessons import folder, lessons, number
from tools.notebook import CHECK, tags

HEADING = re.compile(
    r"^### (?:Exercise|Your turn) (\d+\.\d+) · (.+?)(?: \([^()]*\))?\s*$", re.MULTILINE
)


@dataclass(frozen=True)
class Exercise:
    """An exercise: the functions that it asks for, none where it is done on paper."""

    number: str
    title: str
    functions: tuple
    points: float


def exercises(changed=None):
    """The exercises of each lesson, by its number; `changed` names other points for some."""
    found = {}
    for path in lessons():
        asked = {}
        for cell in nbformat.read(path, as_version=4).cells:
            for heading in HEADING.finditer(cell.source if cell.cell_type == "markdown" else ""):
                asked[heading[1]] = heading[2], []
            if "check" in tags(cell):
                asked[next(reversed(asked))][1].extend(CHECK.findall(cell.source))
        worth = read(folder(path) / "points.json") | (changed or {})
        found[number(path)] = [
            Exercise(name, title, tuple(functions), worth.get(name, 1))
            for name, (title, functions) in asked.items()
        ]
    known = {exercise.number for each in found.values() for exercise in each}
    if unknown := sorted(set(changed or ()) - known):
        raise SystemExit(f"points for {', '.join(unknown)}, but there is no such exercise")
    return found


def read(path):
    """Points by exercise from a file; none without one."""
    if not path.exists():
        return {}
    try:
        points = json.loads(path.read_text("utf-8-sig"))
        good = all(type(n) in (int, float) and 0 <= n < 1000 for n in points.values())
    except (OSError, ValueError, AttributeError):
        good = False
    if not good:
        raise SystemExit(f'{path} must hold points by exercise, such as {{"1.2": 2}}')
    return points


def parse(text):
    """A number that a teacher wrote into a table, 1,5 too; None for anything else."""
    try:
        number = float(str(text).strip().replace(",", "."))
    except ValueError:
        return None
    return number if 0 <= number < 1000 else None
