"""nbgrader and Otter themselves: they take our files, and give the points that our judge gives.

They want other packages than the project, so test_gradebooks.py runs this file elsewhere, with the
Python of `bare.graders`.
"""

import json
import subprocess

import nbformat
import pytest
import test_answers
import test_gradebooks
import torch
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import CheckCellMetadata, ClearSolutions
from otter.assign import main as assign
from test_gradebooks import LESSONS, exercises, marked
from traitlets.config import Config

from attn_lesson import judge
from classroom import gradebooks
from tools.editions import editions
from tools.lessons import lessons
from tools.notebook import tags

student = test_gradebooks.student
(LESSON,) = lessons(["03"])
NAME = LESSON.stem


@LESSONS
def test_nbgrader_itself_finds_nothing_wrong_and_leaves_an_exercise_to_do(path, student):
    notebook = gradebooks.for_nbgrader(student(path))
    MetadataValidator().validate_nb(notebook)
    settings = Config()
    exec(gradebooks.NBGRADER_CONFIG, {"get_config": lambda: settings})
    CheckCellMetadata(config=settings).preprocess(notebook, {})
    ClearSolutions(config=settings).preprocess(notebook, {})
    for cell in marked(notebook, solution=True):
        assert "exercise" in tags(cell), "`make mark` would not find it"
        known = {"torch": torch, "nn": torch.nn}
        exec(cell.source, known)
        asked = [known[name] for name in exercises(path) if name in known]
        assert asked and all(judge(function).status == "untouched" for function in asked)


@LESSONS
def test_otter_itself_makes_an_assignment_of_it(path, student, tmp_path):
    master = tmp_path / path.name
    nbformat.write(gradebooks.for_otter(student(path), path.stem), master)
    assign(str(master), str(tmp_path / "dist"), no_pdfs=True)
    made = nbformat.read(tmp_path / "dist" / "student" / path.name, as_version=4)
    assert set(made.metadata.otter.tests) == set(exercises(path))
    text = "\n".join(cell.source for cell in made.cells)
    assert all(f'grader.check("{name}")' in text for name in exercises(path))
    assert "BEGIN" not in text
    still = [cell.source for cell in student(path).cells if "exercise" in tags(cell)]
    assert [cell.source for cell in made.cells if "exercise" in tags(cell)] == still
    assert len(list((tmp_path / "dist" / "autograder").glob("*-autograder_*.zip"))) == 1


@pytest.fixture(scope="module")
def edition(wheel):
    """What a student gets of one lesson, with the module in it."""
    return lambda: editions.edition(nbformat.read(LESSON, as_version=4), "student", wheel)


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
def points(answers):
    """What our judge gives for each exercise."""
    verdicts = {n: judge(test_answers.learners(n, source)) for n, source in answers.items()}
    assert [verdict.status for verdict in verdicts.values()] == ["right", "wrong"]
    given = {name: float(verdict.status == "right") for name, verdict in verdicts.items()}
    return dict.fromkeys(exercises(LESSON), 0.0) | given


def hand_in(given, answers, path):
    """Write the answers into a copy of the notebook that was handed out."""
    notebook = nbformat.read(given, as_version=4)
    for cell in notebook.cells:
        for name, source in answers.items():
            if "exercise" in tags(cell) and f"def {name}(" in cell.source:
                cell.source = source
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


def command(folder, *words):
    """Run a command of these packages in the folder."""
    done = subprocess.run(
        words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nbgrader_itself_gives_our_judges_points(edition, answers, points, tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(gradebooks.NBGRADER_CONFIG)
    source = tmp_path / "source" / NAME / LESSON.name
    source.parent.mkdir(parents=True)
    nbformat.write(gradebooks.for_nbgrader(edition()), source)
    command(tmp_path, "nbgrader", "generate_assignment", NAME, "--create")
    released = tmp_path / "release" / NAME / LESSON.name
    hand_in(released, answers, tmp_path / "submitted" / "ada" / NAME / LESSON.name)
    command(tmp_path, "nbgrader", "autograde", NAME, "--create")
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        grades = book.find_submission_notebook(NAME, NAME, "ada").grades
        assert {g.name: g.score for g in grades} == {f"test-{n}": p for n, p in points.items()}


def test_otter_itself_gives_our_judges_points(edition, answers, points, tmp_path):
    nbformat.write(gradebooks.for_otter(edition(), NAME), tmp_path / LESSON.name)
    command(tmp_path, "otter", "assign", LESSON.name, "dist")
    hand_in(tmp_path / "dist" / "student" / LESSON.name, answers, tmp_path / "ada" / LESSON.name)
    (autograder,) = (tmp_path / "dist" / "autograder").glob("*.zip")
    (tmp_path / "results").mkdir()
    command(tmp_path, "otter", "run", "-a", autograder, "-o", "results", f"ada/{LESSON.name}")
    results = json.loads((tmp_path / "results" / "results.json").read_text())
    scores = {test["name"]: test["score"] for test in results["tests"] if "score" in test}
    assert scores == points
