"""What connects the lessons with nbgrader, Otter, Canvas and Moodle.

python -m classroom.gradebooks nbgrader [LESSON ...]        lessons as nbgrader hands them out
python -m classroom.gradebooks otter [LESSON ...]           lessons as Otter hands them out
python -m classroom.gradebooks canvas MARKS                 marks as Canvas imports them
python -m classroom.gradebooks moodle MARKS                 marks as Moodle imports them

MARKS is the table that `make mark` wrote, such as build/marks/FOLDER/marks.csv; the new files, one
for each lesson, lie beside it. `for_nbgrader` and `for_otter` make a lesson of the student edition
into what these two hand out and grade.
"""

import collections
import csv
import html
import io
import os
import re
from pathlib import Path
from textwrap import indent

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


# Lessons for nbgrader and Otter

TEST = f"""\
from attn_lesson import judge

for numbers in {SEEDS}:
    verdict = judge({{name}}, numbers)
    assert verdict.status == "right", verdict.message"""


def _with_tests(notebook, test):
    """Put what `test` makes of a function's name behind the cell that checks it; in place."""
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if "check" in tags(cell):
            cells += [each for name in CHECK.findall(cell.source) for each in test(name)]
    notebook.cells = cells
    nbformat.validate(notebook)
    return notebook


def for_nbgrader(notebook):
    """Give the cells of a student's lesson nbgrader's metadata, and each exercise a test; in place.

    A test is worth a point, which the judge behind `check` gives.
    """
    for cell in notebook.cells:
        if "setup" in tags(cell):
            cell.metadata.nbgrader = _nbgrader(cell.id, locked=True)
        if "exercise" in tags(cell):
            # A region is what nbgrader empties; without one it would empty the whole cell.
            region = r"\1\2\n\1### BEGIN SOLUTION\n\1...\n\1### END SOLUTION"
            cell.source = TODO.sub(region, cell.source)
            cell.metadata.nbgrader = _nbgrader(cell.id, solution=True)
    return _with_tests(notebook, _nbgrader_test)


def _nbgrader(name, **given):
    """Return a cell's metadata in schema 3 of nbgrader (nbgrader/nbgraderformat/v3.py)."""
    about = {"grade": False, "locked": False, "solution": False, "task": False}
    return nbformat.from_dict({**about, "grade_id": name, "schema_version": 3, **given})


def _nbgrader_test(name):
    about = _nbgrader(f"test-{name}", grade=True, locked=True, points=1)
    source = f"# One point when {name} is right.\n{TEST.format(name=name)}"
    return [new_code_cell(source, id=f"test-{name}", metadata={"nbgrader": about})]


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
    notebook.cells.insert(0, new_raw_cell(OTTER_CONFIG.format(name=name), id="otter-assignment"))
    return _with_tests(notebook, _otter_question)


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
    defined = f'assert callable({name}), "{name} is not defined: run its cell, or mend it"\n'
    test = f"def test_{name}({name}):\n" + indent(defined + TEST.format(name=name), "    ")
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
PARTICIPANT = "Participant "  # in front of a number of Moodle's
STRANGER = "nobody of the roster"  # in a table of marks; a gradebook does not get them
RISKY = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet takes such a text for a formula


def points_of(row):
    """What counts in a row of marks: a teacher's entry, or else the judge's points; or None."""
    given = parse(row["given"])
    return parse(row["points"]) if given is None else given


def total(rows):
    """Points, and of how many: what nobody has marked is not counted."""
    marked = [row for row in rows if points_of(row) is not None]
    return sum(map(points_of, marked)), sum(parse(row["of"]) or 0 for row in marked)


def grouped(rows, *columns):
    """The rows by what stands in these columns."""
    found = collections.defaultdict(list)
    for row in rows:
        found[tuple(row[column] for column in columns)].append(row)
    return found


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
    for (name, number, email), points, _ in results:
        is_id = number.isdigit()
        login = number * (not number.startswith(PARTICIPANT)) or email or name
        rows.append([name, number * is_id, login * (not is_id), "", points])
    return rows


def moodle_worksheet(results, most):
    """Return the rows of an assignment's grading worksheet, as Moodle in English imports it.

    Moodle, mod/assign/feedback/offline/importgradeslib.php: init, next.
    """
    rows = [["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)"]]
    rows[0].append("Feedback comments")
    for (name, number, _), points, feedback in results:
        rows.append([number, name, points, f"{most:g}", "-", feedback])
    return rows


def moodle_gradebook(title, results):
    """Return the rows of a table for the gradebook's import, which asks what a column is.

    Moodle, grade/import/csv/classes/load_data.php: map_user_data_with_value.
    """
    rows = [["Username", "Email address", title, "Feedback"]]
    for (name, number, email), points, feedback in results:
        rows.append([number or name, email, points, feedback])
    return rows


def _result(who, rows):
    """Who it is, with the points and, in a line, verdicts and mistakes."""
    name, number, email = who
    suffix = number.removeprefix(PARTICIPANT) or email  # that tells two of one name apart
    feedback = "; ".join(
        f"{row['exercise']}: {row['verdict']}" + f" ({row['mistake']})" * bool(row["mistake"])
        for row in rows
        if points_of(row) is not None
    )
    who = name.removesuffix(f" ({suffix})"), number, email
    return who, f"{total(rows)[0]:g}", html.escape(feedback, False)


def _remarks(rows):
    """What a teacher should look at, in sentences."""
    for row in rows:
        if row["given"] and parse(row["given"]) is None:
            yield f"{row['exercise']}: {row['given']!r} is no number of points"
        elif row["verdict"] == "error" and not row["given"]:
            yield f"{row['exercise']} could not be judged and gets no point"


def export(tool, path):
    """Write a table of marks as the tool imports it; return the files' paths, and remarks.

    There is one file for each lesson, so that no empty cell clears what is in the gradebook. The
    remarks, such as on what nobody has marked yet, are printed before anything is written.
    """
    titles = {facts.number: f"{facts.number} {facts.title}" for facts in course()}
    tables, rows = {}, read(path)
    strangers = {row["file"] for row in rows if row["mistake"] == STRANGER and not row["exercise"]}
    remarks = [f"{row['file']}: {row['mistake']}" for row in rows if not row["exercise"]]
    rows = [row for row in rows if row["exercise"] and row["file"] not in strangers]
    for (lesson,), own in sorted(grouped(rows, "lesson").items()):
        title, counted, marked = titles.get(lesson, lesson), [], []
        for who, theirs in grouped(own, "learner", "id", "email").items():
            result = _result(who, theirs)
            said = _remarks(theirs)
            if len(grouped(theirs, "exercise")) < len(theirs):
                files = ", ".join(sorted({row["file"] for row in theirs}))
                said = [f"left out, there is more than one file: {files}"]
            else:
                counted.append(result)
                marked += theirs
            remarks += [f"{title}, {result[0][0]}: {remark}" for remark in said]
        most = 0
        for (exercise,), its in grouped(marked, "exercise").items():
            if all(points_of(row) is None for row in its):
                remarks.append(f"{title}: {exercise} is not marked yet and left out")
            else:
                most += parse(its[0]["of"]) or 0
        for_worksheet = [r for r in counted if tool == "moodle" and r[0][1].startswith(PARTICIPANT)]
        others = [result for result in counted if result not in for_worksheet]
        if for_worksheet:
            tables[lesson] = moodle_worksheet(for_worksheet, most)
        if others and tool == "moodle":
            tables[f"{lesson}-usernames"] = moodle_gradebook(title, others)
        elif others:
            tables[lesson] = canvas(title, others, most)
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
