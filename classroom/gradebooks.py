"""What connects the lessons with nbgrader, Otter, Canvas and Moodle.

python -m classroom.gradebooks nbgrader [LESSON ...]        lessons as nbgrader hands them out
python -m classroom.gradebooks otter [LESSON ...]           lessons as Otter hands them out
python -m classroom.gradebooks canvas MARKS                 marks as Canvas imports them
python -m classroom.gradebooks moodle MARKS                 marks as Moodle imports them

MARKS is the table that `make mark` wrote, such as build/marks/FOLDER/marks.csv; the new files, one
for each lesson, lie beside it. `for_nbgrader` and `for_otter` make a lesson of the student edition
into what these two hand out and grade.
"""

import csv
import html
import io
import os
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_raw_cell

from classroom.marking.read import decoded
from classroom.points import parse
from tools.course import course
from tools.editions import editions
from tools.lessons import BUILD, as_text, lessons, write_text
from tools.notebook import CHECK, TODO, tags
from tools.progress import command_line

TOOLS = ("nbgrader", "otter")
SEEDS = (0, 7)  # the numbers of `check`; and, as `make mark` does, others


# Who handed in a file


@dataclass(frozen=True)
class Learner:
    """Who handed in a file. Two who share a name differ in what Canvas or Moodle calls them."""

    name: str
    canvas_id: str | None = None  # the user's id, in Canvas's column ID
    moodle_id: str | None = None  # the participant's number, in Moodle's column Identifier
    login: str | None = None
    email: str | None = None

    @property
    def id(self):
        """As it stands in the column of that name: Moodle's Identifier, Canvas's ID, or a login."""
        return f"Participant {self.moodle_id}" if self.moodle_id else self.canvas_id or self.login


# Lessons for nbgrader and Otter


def for_nbgrader(notebook):
    """Give the cells of a student's lesson nbgrader's metadata, and each exercise a test; in place.

    A test is worth a point, which the judge behind `check` gives.
    """
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if "setup" in tags(cell):
            cell.metadata.nbgrader = _nbgrader(cell.id, locked=True)
        if "exercise" in tags(cell):
            # A region is what nbgrader empties; without one it would empty the whole cell.
            region = r"\1\2\n\1### BEGIN SOLUTION\n\1...\n\1### END SOLUTION"
            cell.source = TODO.sub(region, cell.source)
            cell.metadata.nbgrader = _nbgrader(cell.id, solution=True)
        if "check" in tags(cell):
            cells += [_nbgrader_test(name) for name in CHECK.findall(cell.source)]
    notebook.cells = cells
    nbformat.validate(notebook)
    return notebook


def _nbgrader(name, **given):
    """Return a cell's metadata in schema 3 of nbgrader (nbgrader/nbgraderformat/v3.py)."""
    about = {"grade": False, "locked": False, "solution": False, "task": False}
    return nbformat.from_dict({**about, "grade_id": name, "schema_version": 3, **given})


def _nbgrader_test(name):
    cell = new_code_cell(
        f"# One point when {name} is right.\n"
        f"from attn_lesson import judge\n\n"
        f"for numbers in {SEEDS}:\n"
        f"    verdict = judge({name}, numbers)\n"
        f'    assert verdict.status == "right", verdict.message',
        id=f"test-{name}",
    )
    cell.metadata.nbgrader = _nbgrader(cell.id, grade=True, locked=True, points=1)
    return cell


SECONDS = 600  # ten times as long as a lesson's longest takes on an idle machine
NBGRADER_CONFIG = f"""\
# For nbgrader, in this folder or copied into the settings of a course.
c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "attn-teach"
c.ClearSolutions.code_stub = {{"python": "..."}}  # what `check` knows as not yet written
c.ExecutePreprocessor.timeout = {SECONDS}  # for a cell of a learner's, which may be endless
c.OverwriteCells.add_missing_cells = True  # a deleted test counts all the same
"""


def for_otter(notebook, name):
    """Make a student's lesson what `otter assign` takes, under this name; in place."""
    cells = [new_raw_cell(OTTER_CONFIG.format(name=name), id="otter-assignment")]
    for cell in notebook.cells:
        cells.append(cell)
        if "check" in tags(cell):
            for function in CHECK.findall(cell.source):
                cells += _otter_question(function)
    notebook.cells = cells
    nbformat.validate(notebook)
    return notebook


# otter/assign/assignment.py lists what may be said here. There is no solution to try the tests on.
# A container of `otter grade` gets these packages; Babel is for lesson 08.
OTTER_CONFIG = """\
# ASSIGNMENT CONFIG
name: {name}
run_tests: false
export_cell: false
requirements:
  - torch
  - matplotlib
  - babel
tests:
  ok_format: false
generate:
  show_all_public: true"""


def _otter_question(name):
    test = (
        f"def test_{name}({name}):\n"
        f"    from attn_lesson import judge\n\n"
        f'    assert callable({name}), "{name} is not defined: run its cell, or mend it"\n'
        f"    for numbers in {SEEDS}:\n"
        f"        verdict = judge({name}, numbers)\n"
        f'        assert verdict.status == "right", verdict.message'
    )
    return [
        new_raw_cell(f"# BEGIN QUESTION\nname: {name}\npoints: 1", id=f"{name}-question"),
        new_raw_cell("# BEGIN TESTS", id=f"{name}-tests"),
        new_code_cell(test, id=f"{name}-test"),
        new_raw_cell("# END TESTS", id=f"{name}-end-tests"),
        new_raw_cell("# END QUESTION", id=f"{name}-end"),
    ]


def write_assignments(tool, names=()):
    """Write the lessons that `names` stand for where the tool looks; return their paths."""
    wheel, target, written = editions.build_wheel(), BUILD / tool, []
    if tool == "nbgrader":
        write_text(NBGRADER_CONFIG, target / "nbgrader_config.py")
        target /= "source"
    for path in lessons(names):
        lesson = editions.edition(nbformat.read(path, as_version=4), "student", wheel)
        lesson = for_nbgrader(lesson) if tool == "nbgrader" else for_otter(lesson, path.stem)
        written.append(write_text(as_text(lesson), target / path.stem / path.name))
    return written


# Marks for Canvas and Moodle

COLUMNS = ("learner", "id", "email", "file", "lesson", "exercise", "title", "verdict", "points")
COLUMNS += ("of", "given", "mistake")
STRANGER = "nobody of the roster"  # in a table of marks; a gradebook does not get them
RISKY = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet takes such a text for a formula


@dataclass
class Result:
    """What one learner did in one lesson."""

    learner: Learner
    rows: list

    @property
    def points(self):
        """What a teacher gave counts, where there is an entry."""
        return sum(points_of(row) or 0 for row in self.rows)

    @property
    def twice(self):
        """Whether an exercise has two verdicts."""
        return len({row["exercise"] for row in self.rows}) < len(self.rows)

    @property
    def remarks(self):
        """What a teacher should look at, in sentences."""
        if self.twice:
            files = ", ".join(sorted({row["file"] for row in self.rows}))
            return [f"left out, there is more than one file: {files}"]
        unclear = [row["exercise"] for row in self.rows
                   if row["verdict"] == "error" and not row["given"]]  # fmt: skip
        odd = [row for row in self.rows if row["given"] and parse(row["given"]) is None]
        return [f"{name} could not be judged and gets no point" for name in unclear] + [
            f"{row['exercise']}: {row['given']!r} is no number of points" for row in odd
        ]

    @property
    def feedback(self):
        """Verdicts and mistakes, in a line."""
        return "; ".join(
            f"{row['exercise']}: {row['verdict']}" + f" ({row['mistake']})" * bool(row["mistake"])
            for row in self.rows
            if points_of(row) is not None
        )


def points_of(row):
    """What counts in a row of marks: a teacher's entry, or else the judge's points; or None."""
    given = parse(row["given"])
    return parse(row["points"]) if given is None else given


def table(path):
    """A table as any spreadsheet saves it: with commas, semicolons or tabs, in any encoding."""
    text = decoded(Path(path).read_bytes())
    heading = next(filter(str.strip, text.splitlines()), "")
    return csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=heading.count))


def read(path):
    """The rows of a table of marks."""
    rows = table(path)
    missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise SystemExit(f"{path} is no table of marks: it has no column {missing[0]}")
    rows = [{name: row[name] or "" for name in COLUMNS} for row in rows]
    # A spreadsheet makes 3 of lesson 03.
    return [row | {"lesson": row["lesson"] and row["lesson"].zfill(2)} for row in rows]


def read_marks(path):
    """Return the results in a table of marks: by lesson, a list with one for each learner.

    Besides them, a remark on each file that holds none, or is a stranger's.
    """
    found, remarks, rows = {}, [], read(path)
    strangers = {row["file"] for row in rows if row["mistake"] == STRANGER and not row["exercise"]}
    for row in rows:
        if not row["exercise"]:
            remarks.append(f"{row['file']}: {row['mistake']}")
        if not row["exercise"] or row["file"] in strangers:
            continue
        number = row["id"].removeprefix("Participant ")
        kind = "canvas_id" if number.isdigit() else "login"
        kind = kind if number == row["id"] else "moodle_id"
        name = row["learner"].removesuffix(f" ({number or row['email']})")
        who = Learner(name, email=row["email"] or None, **{kind: number or None})
        results = found.setdefault(row["lesson"], {})
        results.setdefault(who, Result(who, [])).rows.append(row)
    return {lesson: list(found[lesson].values()) for lesson in sorted(found)}, remarks


def safe(text):
    """Return the text with an apostrophe in front if a spreadsheet would compute it.

    This is what https://owasp.org/www-community/attacks/CSV_Injection advises.
    """
    return f"'{text}" if text.startswith(RISKY) and text != "-" else text


def canvas(title, results, most):
    """Return the rows of a table that Canvas imports; it finds learners by id, login or name.

    Canvas, lib/gradebook_importer.rb: update_column_count, process_pp, process_student. A learner
    without a row keeps the points that are in the gradebook, one with an empty cell loses them.
    """
    rows = [["Student", "ID", "SIS Login ID", "Section", title]]
    rows.append(["    Points Possible", "", "", "", f"{most:g}"])
    for result in results:
        who = result.learner
        login = "" if who.canvas_id else who.login or who.email or who.name
        rows.append([who.name, who.canvas_id or "", login, "", f"{result.points:g}"])
    return rows


def moodle_worksheet(results, most):
    """Return the rows of an assignment's grading worksheet, as Moodle in English imports it.

    Moodle, mod/assign/feedback/offline/importgradeslib.php: init, next.
    """
    rows = [["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)"]]
    rows[0].append("Feedback comments")
    for result in results:
        who, points = result.learner, [f"{result.points:g}", f"{most:g}"]
        rows.append([who.id, who.name, *points, "-", html.escape(result.feedback, False)])
    return rows


def moodle_gradebook(title, results):
    """Return the rows of a table for the gradebook's import, which asks what a column is.

    Moodle, grade/import/csv/classes/load_data.php: map_user_data_with_value.
    """
    rows = [["Username", "Email address", title, "Feedback"]]
    for result in results:
        who, points = result.learner, f"{result.points:g}"
        name = who.login or who.canvas_id or who.name
        rows.append([name, who.email or "", points, html.escape(result.feedback, False)])
    return rows


def export(tool, path):
    """Write a table of marks as the tool imports it; return the files' paths, and remarks.

    There is one file for each lesson, so that no empty cell clears what is in the gradebook. The
    remarks, such as on what nobody has marked yet, are printed before anything is written.
    """
    titles = {facts.number: f"{facts.number} {facts.title}" for facts in course()}
    tables, (marks, remarks) = {}, read_marks(path)
    for lesson, results in marks.items():
        title = titles.get(lesson, lesson)
        remarks += [f"{title}, {r.learner.name}: {remark}" for r in results for remark in r.remarks]
        counted = [result for result in results if not result.twice]
        worth = {row["exercise"]: parse(row["of"]) or 0 for r in counted for row in r.rows}
        marked = {row["exercise"] for r in counted for row in r.rows if points_of(row) is not None}
        remarks += [f"{title}: {name} is not marked yet and left out"
                    for name in worth if name not in marked]  # fmt: skip
        most = sum(worth[name] for name in marked)
        numbered, named = [], []
        for r in counted:
            (numbered if tool == "moodle" and r.learner.moodle_id else named).append(r)
        if numbered:
            tables[lesson] = moodle_worksheet(numbered, most)
        if named and tool == "moodle":
            tables[f"{lesson}-usernames"] = moodle_gradebook(title, named)
        elif named:
            tables[lesson] = canvas(title, named, most)
    for remark in remarks:
        print(remark)
    names = {name: re.sub(r"[^\w-]", "_", f"{tool}-{name}") + ".csv" for name in tables}
    return [write_csv([[*map(safe, row)] for row in rows], path.with_name(names[name]))
            for name, rows in tables.items()], remarks  # fmt: skip


def write_csv(rows, path):
    """Store the rows; return the path."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def main(arguments=None):
    """Write the files, and say what to look at."""
    parser = command_line(__doc__)
    parser.add_argument("tool", choices=["canvas", "moodle", *TOOLS])
    parser.add_argument("what", nargs="*", help="the table of marks; or lessons, such as 03")
    options = parser.parse_intermixed_args(arguments)
    if options.tool in TOOLS:
        written = write_assignments(options.tool, options.what)
    else:
        if len(options.what) != 1 or not os.path.isfile(options.what[0]):
            raise SystemExit(
                f"expected a table of marks, got {' '.join(options.what) or 'none'}: "
                "run `make mark` first"
            )
        written, _ = export(options.tool, Path(options.what[0]))
    for path in written:
        print(os.path.relpath(path))


if __name__ == "__main__":
    main()
