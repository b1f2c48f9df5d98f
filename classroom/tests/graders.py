"""nbgrader and Otter themselves: they take our files, and give the points that our judge gives.

They want other packages than the project, so test_gradebooks.py runs this file elsewhere, with the
Python of `bare.graders`.
"""

import copy
import json
import subprocess

import nbformat
import pytest
import test_answers
import torch
from nbgrader.api import Gradebook
from test_gradebooks import exercises, marked

from attn_lesson import judge
from classroom import gradebooks
from tools.editions import editions
from tools.lessons import lessons
from tools.notebook import tags

(LESSON,) = lessons(["03"])
NAME = LESSON.stem


@pytest.fixture(scope="module")
def edition(wheel):
    """What a student gets of one lesson, with the module in it, without what no answer needs."""
    notebook = editions.edition(nbformat.read(LESSON, as_version=4), "student", wheel)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if tags(cell) & {"setup", "exercise", "check"} or "import" in cell.source
    ]
    return lambda: copy.deepcopy(notebook)


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


def test_nbgrader_itself_leaves_an_exercise_to_do_and_gives_our_judges_points(
    edition, answers, points, tmp_path
):
    (tmp_path / "nbgrader_config.py").write_text(gradebooks.NBGRADER_CONFIG)
    source = tmp_path / "source" / NAME / LESSON.name
    source.parent.mkdir(parents=True)
    nbformat.write(gradebooks.for_nbgrader(edition()), source)
    command(tmp_path, "nbgrader", "generate_assignment", NAME, "--create")
    released = tmp_path / "release" / NAME / LESSON.name
    for cell in marked(nbformat.read(released, as_version=4), solution=True):
        assert "exercise" in tags(cell), "`make mark` would not find it"
        exec(cell.source, known := {"torch": torch})
        asked = [known[name] for name in points if name in known]
        assert asked and all(judge(function).status == "untouched" for function in asked)
    hand_in(released, answers, tmp_path / "submitted" / "ada" / NAME / LESSON.name)
    command(tmp_path, "nbgrader", "autograde", NAME, "--create")
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        grades = book.find_submission_notebook(NAME, NAME, "ada").grades
        assert {g.name: g.score for g in grades} == {f"test-{n}": p for n, p in points.items()}


def test_otter_itself_gives_our_judges_points(edition, answers, points, tmp_path):
    nbformat.write(gradebooks.for_otter(edition(), NAME), tmp_path / LESSON.name)
    command(tmp_path, "otter", "assign", LESSON.name, "dist")
    made = nbformat.read(tmp_path / "dist" / "student" / LESSON.name, as_version=4)
    assert set(made.metadata.otter.tests) == set(points)
    text = "\n".join(cell.source for cell in made.cells)
    assert all(f'grader.check("{name}")' in text for name in points) and "BEGIN" not in text
    hand_in(tmp_path / "dist" / "student" / LESSON.name, answers, tmp_path / "ada" / LESSON.name)
    (autograder,) = (tmp_path / "dist" / "autograder").glob("*.zip")
    (tmp_path / "results").mkdir()
    command(tmp_path, "otter", "run", "-a", autograder, "-o", "results", f"ada/{LESSON.name}")
    results = json.loads((tmp_path / "results" / "results.json").read_text())
    scores = {test["name"]: test["score"] for test in results["tests"] if "score" in test}
    assert scores == points
