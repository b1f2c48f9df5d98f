"""What others' tools read and write: their names, metadata and tables; and the tools themselves."""

import copy
import csv
import functools
import json
import os
import re
import shutil
import subprocess
from types import SimpleNamespace

import bare
import nbformat
import pytest
import test_answers
import torch

from attn_lesson import judge
from classroom import gradebooks, points, roster
from tools.editions import editions
from tools.lessons import lessons, number
from tools.notebook import tags

pytestmark = pytest.mark.long
COURSE = points.exercises()

# Lessons for nbgrader and Otter


@functools.cache
def stored(path):
    return editions.edition(nbformat.read(path, as_version=4), "student", b"no wheel")


def student(path):
    """The student edition of a lesson, with no module in it."""
    return copy.deepcopy(stored(path))


def exercises(path):
    """The names of the lesson's functions that `check` knows, in order."""
    return [name for exercise in COURSE[number(path)] for name in exercise.functions]


def marked(notebook, **wanted):
    """The cells whose nbgrader metadata say this."""
    found = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    return [c for c in found if wanted.items() <= c.metadata.nbgrader.items()]


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_each_exercise_gets_a_test_and_what_else_a_lesson_has_stays(path):
    """What nbgrader and Otter make of that, they are asked themselves."""
    before, names = student(path), exercises(path)
    nbgrader = gradebooks.for_nbgrader(student(path))
    tests = marked(nbgrader, grade=True, locked=True, points=1)
    assert [cell.id for cell in tests] == [f"test-{name}" for name in names] and len(names) >= 4
    assert [cell.id for cell in marked(nbgrader, grade=False, locked=True)] == ["setup"]
    stubs = [cell for cell in before.cells if "exercise" in tags(cell)]
    cells = marked(nbgrader, solution=True)
    assert sum(cell.source.count("### BEGIN SOLUTION") for cell in cells) == len(names)
    region = re.compile(r"\n *### BEGIN SOLUTION\n( *)\.\.\.\n *### END SOLUTION")
    emptied = [cell.source.replace("...  # your", "# your") for cell in stubs]
    assert [region.sub("", cell.source) for cell in cells] == emptied
    others = [c.source for c in nbgrader.cells if "nbgrader" not in c.metadata]
    assert others == [c.source for c in before.cells if not tags(c) & {"exercise", "setup"}]
    config, *otter = gradebooks.for_otter(student(path), path.stem).cells
    assert config.source.startswith(f"# ASSIGNMENT CONFIG\nname: {path.stem}\n")
    begun = [c.source for c in otter if c.source.startswith("# BEGIN QUESTION")]
    assert begun == [f"# BEGIN QUESTION\nname: {name}\npoints: 1" for name in names]
    code = [c for c in otter if c.cell_type != "raw" and not c.id.endswith("-test")]
    assert code == before.cells


def test_tests_say_what_the_judge_says(monkeypatch):
    path = lessons(["03"])[0]
    name = exercises(path)[0]
    (cell,) = (c for c in gradebooks.for_nbgrader(student(path)).cells if c.id == f"test-{name}")
    otter = gradebooks.for_otter(student(path), path.stem)
    (question,) = (c for c in otter.cells if c.id == f"{name}-test")
    exec(question.source, defined := {})
    verdicts = {}
    monkeypatch.setattr("attn_lesson.judge", lambda function, numbers: verdicts[function, numbers])
    right, wrong = SimpleNamespace(status="right"), SimpleNamespace(status="wrong", message="why?")
    for test in (lambda f: exec(cell.source, {name: f}), defined[f"test_{name}"]):
        verdicts |= {(len, 0): right, (len, 7): right}
        test(len)
        for numbers in (0, 7):  # an answer that knows one of them by heart
            verdicts |= {(len, 0): right, (len, 7): right, (len, numbers): wrong}
            with pytest.raises(AssertionError, match=r"^why\?"):
                test(len)
    with pytest.raises(AssertionError, match=f"{name} is not defined"):
        defined[f"test_{name}"](None)


@pytest.mark.parametrize("tool", gradebooks.TOOLS)
def test_command_writes_what_the_tools_take(tool, wheel, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(editions, "build_wheel", lambda: wheel)  # it is made once
    monkeypatch.setattr(gradebooks, "BUILD", tmp_path)
    folder = tmp_path / tool / ("source" if tool == "nbgrader" else "")
    paths = [folder / path.stem / path.name for path in lessons(["01", "03"])]
    gradebooks.main([tool, "01", "03"])
    assert capsys.readouterr().out.splitlines() == [os.path.relpath(path) for path in paths]
    before = paths[1].read_bytes()
    gradebooks.main([tool, "03"])
    assert paths[1].read_bytes() == before, "two runs write two files"
    if tool == "nbgrader":
        compile((folder.parent / "nbgrader_config.py").read_text(), "config", "exec")


# The tools themselves


(LESSON,) = lessons(["03"])
NAME = LESSON.stem
GRADES = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    grades = book.find_submission_notebook(*sys.argv[1:]).grades
    print(json.dumps({grade.name: grade.score for grade in grades}))
"""


@pytest.fixture(scope="module")
def answers():
    """A right answer to the first exercise and a wrong one to the second."""
    right, wrong = exercises(LESSON)[:2]
    known = [(a[:2], source) for a, source in test_answers.blocks(LESSON)]
    return {
        right: next(source for about, source in known if about == [right, "right"]),
        wrong: next(source for about, source in known if about == [wrong, "wrong"]),
    }


@pytest.fixture(scope="module")
def judged(answers):
    """What our judge gives for each exercise."""
    verdicts = {n: judge(test_answers.learners(n, source)) for n, source in answers.items()}
    assert [verdict.status for verdict in verdicts.values()] == ["right", "wrong"]
    given = {name: float(verdict.status == "right") for name, verdict in verdicts.items()}
    return dict.fromkeys(exercises(LESSON), 0.0) | given


@pytest.fixture
def edition(wheel):
    """What a student gets of one lesson, with the module in it, without what no answer needs."""
    notebook = editions.edition(nbformat.read(LESSON, as_version=4), "student", wheel)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if tags(cell) & {"setup", "exercise", "check"} or "import" in cell.source
    ]
    return notebook


def hand_in(given, answers, path):
    """Write the answers into a copy of the notebook that was handed out."""
    notebook = nbformat.read(given, as_version=4)
    for cell in notebook.cells:
        for name, source in answers.items():
            if "exercise" in tags(cell) and f"def {name}(" in cell.source:
                cell.source = source
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


@pytest.fixture
def command(tmp_path):
    """Run a command of their environment, as if it was activated; return what it prints."""
    path = os.pathsep.join([str(bare.graders().parent), os.environ["PATH"]])
    # Without PYTHONPATH, since the module comes with the lesson.
    environment = {**os.environ, "PATH": path, "PYTHONPATH": ""}

    def run(*words):
        words = [shutil.which(words[0], path=path), *words[1:]]
        how = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        done = subprocess.run(words, cwd=tmp_path, env=environment, **how)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_nbgrader_itself_leaves_exercises_to_do_and_gives_our_judges_points(
    edition, answers, judged, command, tmp_path
):
    (tmp_path / "nbgrader_config.py").write_text(gradebooks.NBGRADER_CONFIG)
    source = tmp_path / "source" / NAME / LESSON.name
    source.parent.mkdir(parents=True)
    nbformat.write(gradebooks.for_nbgrader(edition), source)
    command("nbgrader", "generate_assignment", NAME, "--create")
    released = tmp_path / "release" / NAME / LESSON.name
    for cell in marked(nbformat.read(released, as_version=4), solution=True):
        assert "exercise" in tags(cell), "`make mark` would not find it"
        exec(cell.source, known := {"torch": torch})
        asked = [known[name] for name in judged if name in known]
        assert asked and all(judge(function).status == "untouched" for function in asked)
    hand_in(released, answers, tmp_path / "submitted" / "ada" / NAME / LESSON.name)
    command("nbgrader", "autograde", NAME, "--create")
    grades = json.loads(command("python", "-c", GRADES, NAME, NAME, "ada"))
    assert grades == {f"test-{name}": given for name, given in judged.items()}


def test_otter_itself_gives_our_judges_points(edition, answers, judged, command, tmp_path):
    nbformat.write(gradebooks.for_otter(edition, NAME), tmp_path / LESSON.name)
    command("otter", "assign", LESSON.name, "dist")
    made = nbformat.read(tmp_path / "dist" / "student" / LESSON.name, as_version=4)
    assert set(made.metadata.otter.tests) == set(judged)
    text = "\n".join(cell.source for cell in made.cells)
    assert all(f'grader.check("{name}")' in text for name in judged) and "BEGIN" not in text
    hand_in(tmp_path / "dist" / "student" / LESSON.name, answers, tmp_path / "ada" / LESSON.name)
    (autograder,) = (tmp_path / "dist" / "autograder").glob("*.zip")
    (tmp_path / "results").mkdir()
    command("otter", "run", "-a", autograder, "-o", "results", f"ada/{LESSON.name}")
    results = json.loads((tmp_path / "results" / "results.json").read_text())
    assert {test["name"]: test["score"] for test in results["tests"] if "score" in test} == judged


# Marks for Canvas and Moodle


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def handed_in(name, file, *verdicts, lesson="01", given=""):
    """The rows of a table of marks for one learner and lesson; an exercise is worth 2 points."""
    points, who = {"right": "2", "on paper": ""}, roster.people({file: lesson})[0][file]
    return [
        (name, who.id or "", "", file, lesson, f"1.{n}", "Title", verdict,
         points.get(verdict, "0"), "2", given, "a < b" if verdict == "wrong" else "")
        for n, verdict in enumerate(verdicts)
    ]  # fmt: skip


@pytest.fixture
def export(tmp_path):
    """What comes of rows of a table of marks: the files' rows by the files' names, and remarks."""

    def tables(tool, *rows):
        path = gradebooks.write_csv([gradebooks.COLUMNS, *rows], tmp_path / "marks.csv")
        written, remarks = gradebooks.export(tool, path)
        assert all(file.parent == tmp_path for file in written)
        return {file.name: read(file) for file in written}, remarks

    return tables


CANVAS = "lovelaceada_LATE_12345_67890_01_kernel_regression.ipynb"
MOODLE = "Ada Lovelace_12345_assignsubmission_file/01_kernel_regression.ipynb"


def test_canvas_gets_points_by_id_or_by_login(export):
    rows = handed_in("lovelaceada", CANVAS, "right", "wrong", "right")
    rows += handed_in("babbage", "babbage/x.ipynb", "missing", "untouched", "right")
    table = [
        ["Student", "ID", "SIS Login ID", "Section", "01 Kernel regression"],
        ["    Points Possible", "", "", "", "6"],
        ["lovelaceada", "12345", "", "", "4"],
        ["babbage", "", "babbage", "", "2"],
    ]
    assert export("canvas", *rows) == ({"canvas-01.csv": table}, [])


@pytest.mark.parametrize("tool", ["canvas", "moodle"])
def test_who_is_not_of_the_roster_is_in_no_gradebook(tool, export):
    rows = handed_in("babbage", "babbage/x.ipynb", "right") + handed_in("zoe", "zoe.ipynb", "right")
    rows.append(("zoe", "", "", "zoe.ipynb", "", "", "", "error", "", "", "", gradebooks.STRANGER))
    tables, remarks = export(tool, *rows)
    assert "babbage" in str(tables) and "zoe" not in str(tables)
    assert remarks[0] == "zoe.ipynb: nobody of the roster"


@pytest.mark.parametrize(
    ("encoding", "delimiter", "lesson"),
    [("utf-8-sig", ",", "01"), ("utf-8", ";", "01"), ("cp1252", ";", "1"), ("utf-16", "\t", "1")],
)
def test_marks_that_a_spreadsheet_has_saved_are_read(encoding, delimiter, lesson, tmp_path):
    rows = [gradebooks.COLUMNS, *handed_in("Zoë", "zoe/x.ipynb", "right", given="1,5")]
    path = gradebooks.write_csv(rows, tmp_path / "marks.csv")
    before, rows = gradebooks.read(path), read(path)
    rows[1][gradebooks.COLUMNS.index("lesson")] = lesson
    with open(path, "w", newline="", encoding=encoding) as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert gradebooks.read(path) == before


def test_moodle_gets_a_worksheet_for_participants_and_a_table_for_others(export):
    rows = handed_in("Ada Lovelace", MOODLE, "right", "wrong")
    rows += handed_in("Ada Lovelace", MOODLE.replace("12345", "6"), "wrong", "wrong")  # another one
    rows += handed_in("babbage", "babbage/x.ipynb", "right", "right")
    wrong = "wrong (a &lt; b)"
    worksheet = [
        ["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)",
         "Feedback comments"],
        ["Participant 12345", "Ada Lovelace", "2", "4", "-", f"1.0: right; 1.1: {wrong}"],
        ["Participant 6", "Ada Lovelace", "0", "4", "-", f"1.0: {wrong}; 1.1: {wrong}"],
    ]  # fmt: skip
    others = [
        ["Username", "Email address", "01 Kernel regression", "Feedback"],
        ["babbage", "", "4", "1.0: right; 1.1: right"],
    ]
    tables = {"moodle-01.csv": worksheet, "moodle-01-usernames.csv": others}
    assert export("moodle", *rows) == (tables, [])


def test_each_lesson_has_a_file_so_that_nothing_is_cleared(export):
    rows = handed_in("ada", "ada/1.ipynb", "right") + handed_in("bob", "bob/1.ipynb", "wrong")
    rows += handed_in("ada", "ada/3.ipynb", "right", "right", lesson="03")
    rows += handed_in("ada", "ada/9.ipynb", "right", lesson="../my own")
    tables, _ = export("canvas", *rows)
    assert [*tables] == ["canvas-___my_own.csv", "canvas-01.csv", "canvas-03.csv"]
    names = [[name for name, *_ in table[2:]] for table in tables.values()]
    assert names == [["ada"], ["ada", "bob"], ["ada"]]
    own, _, three = tables.values()
    assert own[0][4] == "../my own" and three[1][4] == "4"


ADAS = handed_in("ada", "ada/1.ipynb", "right", "on paper")


@pytest.mark.parametrize(
    ("rows", "points", "remarks"),
    [
        (ADAS, ["2", "2"], ["01 Kernel regression: 1.1 is not marked yet and left out"]),
        (ADAS + handed_in("bob", "bob/1.ipynb", "wrong", "on paper", given="1,5"),
         ["4", "2", "3"], []),
        (handed_in("bob", "bob/1.ipynb", "right", given="0"), ["2", "0"], []),
        (handed_in("bob", "bob/1.ipynb", "wrong", given="much"),
         ["2", "0"], ["01 Kernel regression, bob: 1.0: 'much' is no number of points"]),
    ],
)  # fmt: skip
def test_what_a_teacher_gave_counts_and_paper_once_it_is_marked(rows, points, remarks, export):
    tables, said = export("canvas", *rows)
    assert [row[4] for row in tables["canvas-01.csv"][1:]] == points and said == remarks


def test_what_a_teacher_should_look_at_is_said_before_marks_are_written(
    export, tmp_path, capsys, monkeypatch
):
    rows = handed_in("ada", "ada/1.ipynb", "right", "error")
    rows += handed_in("bob", "bob/1.ipynb", "right") + handed_in("bob", "bob/2.ipynb", "right")
    rows += [("eve", "", "", "eve/1.ipynb", "", "", "", "error", "", "", "", "not a notebook")]
    tables, _ = export("canvas", *rows)
    assert [row[0::4] for row in tables["canvas-01.csv"][2:]] == [["ada", "2"]]
    capsys.readouterr()
    with monkeypatch.context() as told:
        told.setattr(gradebooks, "write_csv", lambda rows, path: print("written") or path)
        gradebooks.main(["canvas", str(tmp_path / "marks.csv")])
    *said, target = capsys.readouterr().out.splitlines()
    assert target.endswith("canvas-01.csv") and said == [
        "eve/1.ipynb: not a notebook",
        "01 Kernel regression, ada: 1.1 could not be judged and gets no point",
        "01 Kernel regression, bob: left out, there is more than one file: "
        "bob/1.ipynb, bob/2.ipynb",
        "written",
    ]
    assert export("canvas", *rows[2:])[0] == {}


def test_no_spreadsheet_takes_a_name_for_a_formula(export):
    rows = []
    for place, first in enumerate(("=", "+", "-", "@", "\t", "\r")):
        name = f'{first}HYPERLINK("http://x","y")'
        rows += handed_in(name, "f/x.ipynb", "right")
        rows += handed_in(name, f"x_{place}7_assignsubmission_file/x.ipynb", "wrong")
    tables = [*export("canvas", *rows)[0].values(), *export("moodle", *rows)[0].values()]
    cells = [cell for table in tables for row in table for cell in row]
    assert len(tables) == 3 and sum(cell.startswith("'") for cell in cells) == 6 * 6
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))]
    assert {cell for cell in cells if cell.startswith("-")} <= {"-"}


def test_what_is_no_table_of_marks_is_said(tmp_path):
    (tmp_path / "x.csv").write_text("name,points\nada,3\n")
    with pytest.raises(SystemExit, match="is no table of marks: it has no column learner"):
        gradebooks.main(["canvas", str(tmp_path / "x.csv")])
    with pytest.raises(SystemExit, match="make mark"):
        gradebooks.main(["moodle", str(tmp_path / "none.csv")])
