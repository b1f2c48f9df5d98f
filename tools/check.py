"""Check one lesson, or some, with all that concerns it and nothing of the others.

python -m tools.check 10
python -m tools.check 02 05 -x

The style of its code; its notebook by nbval, with what nbval does not compare; and of all tests
those of this lesson's code, text, exercises, kept answers and pages. Other options go to pytest:
`10 -m ''` adds what takes long.
"""

import re
import subprocess
import sys

from attn_lesson import catalogue
from tools.lessons import ROOT, folder, kept, lessons, number
from tools.progress import command_line

PYTEST = ["pytest", "--nbval", "--nbval-current-env", "tests", "classroom/tests"]
ARGUMENTS = ("lesson", "name", "number")  # of tests, where 03, 3.1 or 3P stand for a lesson


def names():
    """What a test's parameters call a lesson, its folder or its exercises: {name: its number}."""
    known = {}
    for path in lessons():
        nn = number(path)
        known |= {path.stem: nn, folder(path).name: nn}
        try:
            known |= dict.fromkeys(catalogue.table(folder(path).name)[0], nn)
        except ValueError:  # the lesson is broken, which its own check says
            continue
    return known


LEFT = re.compile(r"\bTODO\b")  # a word, and no letters of a picture


def todo(path):
    """What is left to fill in, a line for each file of the lesson that says TODO."""
    places = [path, *folder(path).glob("*.*"), *kept(path).glob("*.*")]
    counts = {place: len(LEFT.findall(place.read_text(encoding="utf-8"))) for place in places}
    return [f"{p.relative_to(ROOT)}: {n} TODO left" for p, n in counts.items() if n]


def concerned(item, known):
    """The numbers of the lessons that a test of pytest's concerns."""
    if item.path.suffix == ".ipynb":
        return {number(item.path)}
    if item.path.parent.name in known:  # it lies with what is kept to test a lesson
        return {known[item.path.parent.name]}
    call = getattr(item, "callspec", None)
    if call is None:
        return set()
    found = {known[part] for part in call.id.split("-") if part in known}
    for value in map(call.params.get, ARGUMENTS):
        parts = re.fullmatch(r"(\d+)(?:\.\d+|[P-Z])|(\d\d)", str(value))
        if parts:
            found.add((parts[1] or parts[2]).zfill(2))
    return found


def of_lessons(items, wanted):
    """Those of pytest's tests that concern these lessons, and those marked as of all lessons.

    The latter hold all lessons together, against the tables of a page for example.
    """
    known, kept = names(), []
    for item in items:
        about = concerned(item, known)
        of_all = item.get_closest_marker("of_all_lessons") and not hasattr(item, "callspec")
        if about & {*wanted} or (not about and of_all):
            kept.append(item)
    return kept


def commands(paths):
    """The commands, each for `python -m`, that check these lessons."""
    files = ["--force-exclude"]  # of what is named here too
    files += [str(place) for path in paths for place in (path, folder(path), kept(path))]
    numbers = [f"--lesson={number(path)}" for path in paths]
    return [
        ["ruff", "check", *files],
        ["ruff", "format", "--check", *files],
        [*PYTEST, *map(str, paths), *numbers],
    ]


def main(arguments=None):
    """Run them; return 1 if one of them failed."""
    parser = command_line(__doc__)
    parser.add_argument("lesson", nargs="+", help="the start of its name, such as 10")
    options, more = parser.parse_known_args(arguments)
    paths = lessons(options.lesson)
    for path in paths:
        try:
            catalogue.table(folder(path).name)
        except ValueError as error:  # every test that asks for it would fail
            raise SystemExit(str(error)) from None
    *style, tests = commands(paths)
    ended = [
        subprocess.run([sys.executable, "-m", *command], cwd=ROOT).returncode
        for command in (*style, [*tests, *more])
    ]
    left = [line for path in paths for line in todo(path)]
    print("".join(f"{line}\n" for line in left), end="")
    if ended[1]:
        print("the style is set by: .venv/bin/python -m ruff format FILE ...")
    passed = "does NOT pass: look for FAILED and Error above" if any(ended) else "passes"
    rest = "see what is left to fill in" if left else "nothing is left to fill in"
    print(f"{' '.join(map(number, paths))} {passed}; {rest}")
    return int(any(ended))


if __name__ == "__main__":
    sys.exit(main())
