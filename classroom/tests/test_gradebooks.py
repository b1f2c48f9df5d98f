"""What others' tools read and write: their names, metadata and tables; and the tools themselves."""

import copy
import csv
import os
import re
import subprocess
from pathlib import Path, PurePath

import bare
import nbformat
import pytest
import test_answers
import torch

from attn_lesson import judge
from attn_lesson.catalogue import tables
from classroom import gradebooks
from classroom.gradebooks import Learner, learner
from tools.editions import editions
from tools.lessons import BUILD, ROOT, lessons
from tools.notebook import tags

pytestmark = pytest.mark.long

GRADERS = Path(__file__).with_name("graders.py")
LESSONS = pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)


# Who handed in a file


ADA, MOODLE_ADA = Learner("ada"), Learner("Ada Lovelace", moodle_id="12345")
CANVAS_ADA = Learner("lovelaceada", canvas_id="12345")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("submitted/ada/03_masking/03_masking.ipynb", ADA),
        ("autograded/ada/03_masking/03_masking.ipynb", ADA),
        ("ada/03_masking/03_masking.ipynb", ADA),
        ("ada/week 2/anything.ipynb", ADA),
        ("03_masking/ada.ipynb", ADA),
        ("submitted/03_masking/ada/work.ipynb", ADA),
        ("ada.ipynb", ADA),
        ("ada/graceh_12_34_03_masking.ipynb", ADA),  # no one's folder is another's
        ("ada.lovelace/01_kernel_regression.ipynb", Learner("ada.lovelace")),
        ("ada_lovelace.ipynb", Learner("ada_lovelace")),
        ("01_kernel_regression.ipynb", Learner("01_kernel_regression")),
        ("Ada Lovelace_12345_assignsubmission_file/03_masking.ipynb", MOODLE_ADA),
        ("Ada Lovelace_12345_assignsubmission_file_/more/03_masking.ipynb", MOODLE_ADA),
        ("Ada Lovelace_12345_assignsubmission_file_03_masking.ipynb", MOODLE_ADA),
        ("week/Participant_7_assignsubmission_file/3.ipynb", Learner("Participant", moodle_id="7")),
        ("lovelaceada_12345_67890_01_kernel_regression-1.ipynb", CANVAS_ADA),
        ("lovelaceada_LATE_12345_67890_01_kernel-1.ipynb", CANVAS_ADA),
        ("submissions/garçonzoë_12_34_work (1).ipynb", Learner("garçonzoë", canvas_id="12")),
        # What lies in a learner's folder, or stands behind a learner's name, is the learner's own.
        ("anna/x_Bob Jones_456_assignsubmission_file_01.ipynb", Learner("anna")),
        (
            "Anna Lee_12_assignsubmission_file_x_Bob Jones_456_assignsubmission_file_01.ipynb",
            Learner("Anna Lee", moodle_id="12"),
        ),
        (
            "submitted/anna/03_masking/Bob Jones_456_assignsubmission_file/01.ipynb",
            Learner("anna"),
        ),
        ("submissions/Ada_1_assignsubmission_file_x.ipynb", Learner("Ada", moodle_id="1")),
        ("LATE_anon_x7Ye2_67890_03_masking.ipynb", Learner("anon_x7Ye2")),
        ("ada_01_02_work.ipynb", Learner("ada_01_02_work")),
        ("ada.ipynb.txt", Learner("ada")),
    ],
)
def test_a_path_tells_who_handed_in_the_file(path, expected):
    assert learner(PurePath(path)) == learner(path) == expected


# Lessons for nbgrader and Otter


@pytest.fixture(scope="module")
def student():
    """The student edition of a lesson, with no module in it."""
    made = {}

    def get(path):
        if path not in made:
            notebook = nbformat.read(path, as_version=4)
            made[path] = editions.edition(notebook, "student", b"no wheel")
        return copy.deepcopy(made[path])

    return get


def exercises(path):
    """The names of the lesson's functions that `check` knows, in order."""
    notebook = nbformat.read(path, as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells if "exercise" in tags(cell))
    return [name for name in re.findall(r"^def (\w+)", text, re.MULTILINE) if name in tables()[0]]


def marked(notebook, **wanted):
    """The cells whose nbgrader metadata say this."""
    found = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    return [c for c in found if all(c.metadata.nbgrader[k] == v for k, v in wanted.items())]


@LESSONS
def test_nbgrader_gets_a_locked_test_worth_a_point_for_each_exercise(path, student):
    """In metadata of schema 3; and it empties a region of each exercise, no whole cell."""
    before, after = student(path), gradebooks.for_nbgrader(student(path))
    assert [cell.id for cell in marked(after, grade=True)] == [f"test-{n}" for n in exercises(path)]
    assert len(exercises(path)) >= 4
    for cell in marked(after):
        given = {"locked": True, "grade": True, "points": 1} if cell.id[:5] == "test-" else {
            "locked": cell.id == "setup", "grade": False}  # fmt: skip
        given |= {"solution": "exercise" in tags(cell), "task": False, "schema_version": 3}
        assert cell.metadata.nbgrader == given | {"grade_id": cell.id}
        assert re.fullmatch(r"[\w-]+", cell.id)
    assert [cell.id for cell in marked(after, grade=False, locked=True)] == ["setup"]
    cells = marked(after, solution=True)
    assert sum(cell.source.count("### BEGIN SOLUTION") for cell in cells) == len(exercises(path))
    region = re.compile(r"\n *### BEGIN SOLUTION\n( *)\.\.\.\n *### END SOLUTION")
    stubs = [c.source for c in before.cells if "exercise" in tags(c)]
    emptied = [source.replace("...  # your", "# your") for source in stubs]
    assert [region.sub("", cell.source) for cell in cells] == emptied
    others = [c.source for c in after.cells if "nbgrader" not in c.metadata]
    assert others == [c.source for c in before.cells if not tags(c) & {"exercise", "setup"}]


def answers(name, kind):
    """What learners wrote for this exercise, as functions."""
    found = (block for path in lessons() for block in test_answers.blocks(path))
    return [test_answers.learners(name, source) for a, source in found if a[:2] == [name, kind]]


def by_heart(name):
    """A function that is right on the numbers of `check`, and only there."""
    right = answers(name, "right")[0]
    cases = tables()[0][name].cases(0)

    def known(*arguments):
        result = right(*arguments)
        alike = [[a.tolist() for a in case] == [a.tolist() for a in arguments] for case in cases]
        return result if any(alike) else ~result if result.dtype == torch.bool else result + 1

    known.__name__ = name
    return known


@pytest.mark.parametrize("name", ["my_boxcar", "my_token_mask"])
def test_tests_say_what_the_judge_says(name, student):
    path = next(path for path in lessons() if name in exercises(path))
    (cell,) = (c for c in gradebooks.for_nbgrader(student(path)).cells if c.id == f"test-{name}")
    otter = gradebooks.for_otter(student(path), path.stem)
    (question,) = (c for c in otter.cells if c.id == f"{name}-test")
    exec(question.source, defined := {})
    knows_the_numbers = by_heart(name)
    assert judge(knows_the_numbers).status == "right"
    for test in (lambda f: exec(cell.source, {name: f}), defined[f"test_{name}"]):
        with pytest.raises(AssertionError):
            test(knows_the_numbers)
    for function in answers(name, "right")[:2]:
        exec(cell.source, {name: function})
        defined[f"test_{name}"](function)
    for function in answers(name, "wrong")[:3]:
        message = judge(function).message
        assert len(message) > 20
        with pytest.raises(AssertionError, match=re.escape(message)):
            exec(cell.source, {name: function})
        with pytest.raises(AssertionError, match=re.escape(message)):
            defined[f"test_{name}"](function)
    with pytest.raises(AssertionError, match=f"{name} is not defined"):
        defined[f"test_{name}"](None)


@LESSONS
def test_otter_gets_a_question_for_each_exercise(path, student):
    before, after = student(path), gradebooks.for_otter(student(path), path.stem)
    config, *rest = [cell for cell in after.cells if cell.cell_type == "raw"]
    assert after.cells[0] is config and config.source.startswith("# ASSIGNMENT CONFIG\n")
    assert f"\nname: {path.stem}\n" in config.source
    begun = [cell.source for cell in rest if cell.source.startswith("# BEGIN QUESTION")]
    names = [f"# BEGIN QUESTION\nname: {name}\npoints: 1" for name in exercises(path)]
    assert begun == names
    order = [cell.source.partition("\n")[0] for cell in rest]
    each = ["# BEGIN QUESTION", "# BEGIN TESTS", "# END TESTS", "# END QUESTION"]
    assert order == each * len(names)
    ours = [cell for cell in after.cells if not re.search("-(test|question|end|ass)", cell.id)]
    assert [cell for cell in ours if cell.cell_type != "raw"] == before.cells


def test_command_writes_what_the_tools_take(capsys):
    for tool in gradebooks.TOOLS:
        gradebooks.main([tool, "01", "03"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "build/nbgrader/source/01_kernel_regression/01_kernel_regression.ipynb",
        "build/nbgrader/source/03_masking/03_masking.ipynb",
        "build/otter/01_kernel_regression/01_kernel_regression.ipynb",
        "build/otter/03_masking/03_masking.ipynb",
    ]
    for tool, folder in (("nbgrader", "nbgrader/source"), ("otter", "otter")):
        written = BUILD / folder / "03_masking" / "03_masking.ipynb"
        before = written.read_bytes()
        gradebooks.main([tool, "03"])
        assert written.read_bytes() == before, "two runs write two files"
    compile((BUILD / "nbgrader" / "nbgrader_config.py").read_text(), "config", "exec")


# The tools themselves


def test_nbgrader_and_otter_themselves_take_our_files_and_give_our_judges_points():
    python = bare.graders()
    # As in an activated environment; without PYTHONPATH, since the module comes with the lesson.
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": ""}
    command = [python, "-m", "pytest", "-p", "no:xdist", "--color=no", GRADERS]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    tests = 2 * len(lessons()) + 2
    ended = re.search(rf"^{tests} passed(, \d+ warnings?)? in ", done.stdout, re.MULTILINE)
    assert done.returncode == 0 and ended, done.stdout + done.stderr


# Marks for Canvas and Moodle


def marks(path, *rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([gradebooks.COLUMNS, *rows])
    return path


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def handed_in(name, file, *verdicts, lesson="01", given=""):
    """The rows of a table of marks for one learner and lesson; an exercise is worth 2 points."""
    who = learner(file)
    number = who.id if who.moodle_id or who.canvas_id else ""
    return [
        (name, number or "", "", file, lesson, f"1.{n}", "Title", verdict,
         {"right": "2", "on paper": ""}.get(verdict, "0"), "2", given,
         "a < b" if verdict == "wrong" else "")
        for n, verdict in enumerate(verdicts)
    ]  # fmt: skip


CANVAS = "lovelaceada_LATE_12345_67890_01_kernel_regression.ipynb"
MOODLE = "Ada Lovelace_12345_assignsubmission_file/01_kernel_regression.ipynb"


def test_canvas_gets_points_by_id_or_by_login(tmp_path):
    rows = handed_in("lovelaceada", CANVAS, "right", "wrong", "right")
    rows += handed_in("babbage", "babbage/x.ipynb", "missing", "untouched", "right")
    written, remarks = gradebooks.export("canvas", marks(tmp_path / "marks.csv", *rows))
    assert written == [tmp_path / "canvas-01.csv"] and remarks == []
    assert read(*written) == [
        ["Student", "ID", "SIS Login ID", "Section", "01 Kernel regression"],
        ["    Points Possible", "", "", "", "6"],
        ["lovelaceada", "12345", "", "", "4"],
        ["babbage", "", "babbage", "", "2"],
    ]


@pytest.mark.parametrize("tool", ["canvas", "moodle"])
def test_who_is_not_of_the_roster_is_in_no_gradebook(tool, tmp_path):
    rows = handed_in("babbage", "babbage/x.ipynb", "right") + handed_in("zoe", "zoe.ipynb", "right")
    rows.append(("zoe", "", "", "zoe.ipynb", "", "", "", "error", "", "", "", gradebooks.STRANGER))
    written, remarks = gradebooks.export(tool, marks(tmp_path / "marks.csv", *rows))
    text = "".join(path.read_text("utf-8") for path in written)
    assert "babbage" in text and "zoe" not in text
    assert remarks[0] == "zoe.ipynb: nobody of the roster"


@pytest.mark.parametrize(
    ("encoding", "delimiter", "lesson"),
    [("utf-8-sig", ",", "01"), ("utf-8", ";", "01"), ("cp1252", ";", "1"), ("utf-16", "\t", "1")],
)
def test_marks_that_a_spreadsheet_has_saved_are_read(encoding, delimiter, lesson, tmp_path):
    path = marks(tmp_path / "marks.csv", *handed_in("Zoë", "zoe/x.ipynb", "right", given="1,5"))
    before, rows = gradebooks.read_marks(path), read(path)
    rows[1][gradebooks.COLUMNS.index("lesson")] = lesson
    with open(path, "w", newline="", encoding=encoding) as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert gradebooks.read_marks(path) == before


def test_moodle_gets_a_worksheet_for_participants_and_a_table_for_others(tmp_path):
    rows = handed_in("Ada Lovelace", MOODLE, "right", "wrong")
    rows += handed_in("babbage", "babbage/x.ipynb", "right", "right")
    written, _ = gradebooks.export("moodle", marks(tmp_path / "marks.csv", *rows))
    assert [path.name for path in written] == ["moodle-01.csv", "moodle-01-usernames.csv"]
    head, ada = read(written[0])
    assert dict(zip(head, ada, strict=True)) == {
        "Identifier": "Participant 12345",
        "Full name": "Ada Lovelace",
        "Grade": "2",
        "Maximum Grade": "4",
        "Last modified (grade)": "-",
        "Feedback comments": "1.0: right; 1.1: wrong (a &lt; b)",
    }
    assert read(written[1]) == [
        ["Username", "Email address", "01 Kernel regression", "Feedback"],
        ["babbage", "", "4", "1.0: right; 1.1: right"],
    ]


def test_each_lesson_has_a_file_so_that_nothing_is_cleared(tmp_path):
    rows = handed_in("ada", "ada/1.ipynb", "right") + handed_in("bob", "bob/1.ipynb", "wrong")
    rows += handed_in("ada", "ada/3.ipynb", "right", "right", lesson="03")
    rows += handed_in("ada", "ada/9.ipynb", "right", lesson="../my own")
    written, _ = gradebooks.export("canvas", marks(tmp_path / "marks.csv", *rows))
    assert [path.name for path in written] == [
        "canvas-___my_own.csv",
        "canvas-01.csv",
        "canvas-03.csv",
    ]
    own, one, three = map(read, written)
    assert [row[0] for row in one[2:]] == ["ada", "bob"] and [row[0] for row in three[2:]] == [
        "ada"
    ]
    assert own[0][4] == "../my own" and three[1][4] == "4"


def test_what_a_teacher_gave_counts_and_paper_once_it_is_marked(tmp_path):
    rows = handed_in("ada", "ada/1.ipynb", "right", "on paper")
    path = marks(tmp_path / "marks.csv", *rows)
    (written,), remarks = gradebooks.export("canvas", path)
    assert [row[4] for row in read(written)[1:]] == ["2", "2"]
    assert remarks == ["01 Kernel regression: 1.1 is not marked yet and left out"]
    rows += handed_in("bob", "bob/1.ipynb", "wrong", "on paper", given="1,5")
    (written,), remarks = gradebooks.export("canvas", marks(path, *rows))
    assert [row[4] for row in read(written)[1:]] == ["4", "2", "3"] and not remarks
    rows = handed_in("bob", "bob/1.ipynb", "wrong", given="much")
    _, remarks = gradebooks.export("canvas", marks(path, *rows))
    assert remarks == ["01 Kernel regression, bob: 1.0: 'much' is no number of points"]


def test_two_of_one_name_are_two(tmp_path):
    rows = handed_in("Ada Lovelace", MOODLE, "right")
    rows += handed_in("Ada Lovelace", MOODLE.replace("12345", "6"), "wrong")
    written, remarks = gradebooks.export("moodle", marks(tmp_path / "marks.csv", *rows))
    assert [row[0] for row in read(*written)[1:]] == ["Participant 12345", "Participant 6"]
    assert not remarks


def test_what_a_teacher_should_look_at_is_said(tmp_path, capsys):
    rows = handed_in("ada", "ada/1.ipynb", "right", "error")
    rows += handed_in("bob", "bob/1.ipynb", "right") + handed_in("bob", "bob/2.ipynb", "right")
    rows += [("eve", "", "", "eve/1.ipynb", "", "", "", "error", "", "", "", "not a notebook")]
    gradebooks.main(["canvas", str(marks(tmp_path / "marks.csv", *rows))])
    assert [row[0::4] for row in read(tmp_path / "canvas-01.csv")[2:]] == [["ada", "2"]]
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("canvas-01.csv") and said[1:] == [
        "eve/1.ipynb: not a notebook",
        "01 Kernel regression, ada: 1.1 could not be judged and gets no point",
        "01 Kernel regression, bob: left out, there is more than one file: "
        "bob/1.ipynb, bob/2.ipynb",
    ]
    nobody = marks(tmp_path / "marks.csv", *rows[2:])
    assert gradebooks.export("canvas", nobody)[0] == []


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_no_spreadsheet_takes_a_name_for_a_formula(first, tmp_path):
    name = f'{first}HYPERLINK("http://x","y")'
    rows = handed_in(name, "f/x.ipynb", "right")
    moodle_name = f"{name.replace('/', '')}_7_assignsubmission_file/x.ipynb"
    rows += handed_in(name, moodle_name, "wrong")
    path = marks(tmp_path / "marks.csv", *rows)
    written = gradebooks.export("canvas", path)[0] + gradebooks.export("moodle", path)[0]
    assert len(written) == 3
    cells = [cell for path in written for row in read(path) for cell in row]
    assert sum(f"'{first}" in cell for cell in cells) >= 4
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))]
    assert {cell for cell in cells if cell.startswith("-")} <= {"-"}


def test_what_is_no_table_of_marks_is_said(tmp_path):
    (tmp_path / "x.csv").write_text("name,points\nada,3\n")
    with pytest.raises(SystemExit, match="is no table of marks: it has no column learner"):
        gradebooks.main(["canvas", str(tmp_path / "x.csv")])
    with pytest.raises(SystemExit, match="make mark"):
        gradebooks.main(["moodle", str(tmp_path / "none.csv")])
