"""One file is enough: each edition runs in an empty folder, on a Python with few packages.

One lesson stands for the others; with the option --every all of them, also with the packages of
Google Colab, and with its Python too where there is one.
"""

import copy
import functools
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile

import bare
import lesson_checks
import pytest
from lesson_checks import stored
from test_machines import MACHINES

from tools.course import NOTICE, facts
from tools.editions import editions
from tools.lessons import ROOT, WIDGET, folder, lessons, required
from tools.notebook import LIVE, REVEAL, tags, unfolded

pytestmark = pytest.mark.long

LESSONS = pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
DIAGRAM = re.compile(r"\(data:image/[^)]*\)")
NAMES = ("torch", "numpy", "matplotlib", "ipykernel")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    made = bare.make(tmp_path_factory.mktemp("bare") / "python", *NAMES)
    there = {path.stem for path in made.parents[1].glob("lib/python*/site-packages/*")}
    assert "torch" in there
    assert not {"attn_teach", "ipywidgets", "pip", "scipy", "nbclient"} & there
    return made


@pytest.fixture(scope="module")
def make(wheel):
    @functools.cache
    def made(path, kind):
        book, before = stored(path), copy.deepcopy(stored(path))
        made = editions.edition(book, kind, wheel)
        assert book == before, "the caller's own stays as it is"
        return made

    return lambda path, kind: copy.deepcopy(made(path, kind))


# Executed


ONE = lessons(["01"])  # stands for the others
ALL = [pytest.param(p, marks=() if p in ONE else pytest.mark.every, id=p.stem) for p in lessons()]


@pytest.mark.parametrize("path", ALL)
def test_colab_edition_shows_what_is_stored_with_nothing_but_the_file(
    path, make, python, tmp_path, tmp_path_factory, monkeypatch
):
    """And on another processor: what both ask for is the same, so one run tells of both."""
    for name, value in MACHINES["narrower"].items():
        monkeypatch.setenv(name, value)
    notebook = make(path, "colab")
    if required(path):
        python = bare.make(tmp_path_factory.mktemp("more") / "python", *NAMES, *required(path))
    bare.execute(python, notebook, tmp_path)
    [said] = notebook.cells.pop(0).outputs
    assert said.text.startswith("attn_teach was unpacked from this file for this session; nothing")
    assert not lesson_checks.compare(stored(path), notebook)
    assert not list(tmp_path.iterdir()), "the run left something in the folder"


MODEL = "a published model that is not installed here. To get it", "the published model"
LIBRARIES = "JAX and Keras, which are not both installed here", "JAX and Keras"


@pytest.mark.parametrize("lesson, told", [("07", MODEL), ("10", MODEL), ("11", LIBRARIES)])
def test_without_its_model_questions_and_exercises_still_run(make, python, tmp_path, lesson, told):
    """What needs the model says so in a line, and nothing fails."""
    (path,) = lessons([lesson])
    notebook = bare.execute(python, make(path, "colab"), tmp_path)
    done = [c for c in notebook.cells if c.cell_type == "code" and "setup" not in tags(c)]
    said = ["".join(output.get("text", "") for output in cell.outputs) for cell in done]
    assert told[0] in said[0]
    skipped = [text == f"Skipped: this cell needs {told[1]}.\n" for text in said]
    assert sum(skipped) > 20
    for cell, text, nothing in zip(done, said, skipped, strict=True):
        if tags(cell) & {"exercise", "check", "predict"}:
            assert not nothing, cell.source
        if "solution" in tags(cell) and "check(" in cell.source:
            assert "Correct on" in text, cell.source


@pytest.mark.every
@pytest.mark.parametrize("version", sorted({bare.THIS_VERSION, bare.COLAB_VERSION}))
@LESSONS
def test_colab_shows_what_is_stored_and_controls(path, version, make, tmp_path):
    """Pictures are not compared: its Matplotlib is another."""
    notebook, kept = make(path, "colab"), []  # the latter with controls: those are not stored
    keep = {"on_notebook_complete": lambda notebook: kept.append(copy.deepcopy(notebook))}
    bare.execute(bare.colab(version), notebook, tmp_path, **keep)
    notebook.cells.pop(0)
    assert not lesson_checks.compare(stored(path), notebook, with_pictures=False)
    live = [c for c in kept[0].cells if c.cell_type == "code" and LIVE.search(c.source)]
    assert len(live) > 4
    for cell in live:
        shown = [kind for output in cell.outputs for kind in output.get("data", {})]
        assert shown.count(WIDGET) == 1
        assert shown.count("image/png") == ("predict" not in tags(cell))


def test_student_edition_runs_and_has_everything_still_to_do(make, python, tmp_path):
    (path,) = lessons(["03"])
    notebook = bare.execute(python, make(path, "student"), tmp_path)
    assert not list(lesson_checks.no_errors(notebook))
    for cell in (cell for cell in notebook.cells if "check" in tags(cell)):
        assert "Nothing to check yet" in cell.outputs[0].text


# What is in them


@LESSONS
@pytest.mark.parametrize("kind", editions.EDITIONS)
def test_every_edition_is_whole_folded_says_whose_it_is_and_shows_png_only(path, kind, make):
    setup, *cells, last = make(path, kind).cells
    assert NOTICE in last.source and tags(last) == {"license"}
    drawing = [cell for cell in cells if "draw" in tags(cell)]
    for cell in [setup, *drawing]:  # folded in Jupyter, in Colab, which wants a title, in Kaggle
        assert cell.source.startswith("# @title ") and cell.metadata["jupyter"]["source_hidden"]
        assert cell.metadata["cellView"] == "form" and cell.metadata["_kg_hide-input"]
    whole = [c for c in stored(path).cells if kind != "student" or "solution" not in tags(c)]
    sources = {DIAGRAM.sub("", cell.source.removeprefix(f"{editions.DRAWING}\n")) for cell in cells}
    assert all(DIAGRAM.sub("", cell.source) in sources for cell in whole[1:])
    embedded = re.findall(r"\(data:([\w/+]+)", "\n".join(cell.source for cell in cells))
    assert embedded == ["image/png"] * sum(c.source.count("](data:image/svg+xml") for c in whole)
    code = [[c for c in some if c.cell_type == "code"] for some in (cells, whole)]
    assert len(code[0]) == len(code[1])
    if kind != "student":
        assert [cell.outputs for cell in code[0]] == [cell.outputs for cell in code[1]]
    text = json.dumps(cells)
    for notes in (c.metadata.instructor for c in whole if "instructor" in c.metadata):
        assert (json.dumps(notes["notes"])[1:-1] in text) == (kind == "solutions")
        assert not any(json.dumps(said)[1:-1] in text for said in notes.get("mistakes", []))


@LESSONS
def test_student_edition_shows_no_answer_before_its_time(path, make):
    """Results are to be run for, and what is said of them is folded until it is asked for."""
    cells = make(path, "student").cells
    for cell in cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
    reveals = [unfolded(cell) for cell in stored(path).cells if "reveal" in tags(cell)]
    text = "\n\n".join(cell.source for cell in cells)
    summary = r"<summary>Prediction (\S+?)(?:, continued)?: [^<]*</summary>"
    folds = re.findall(rf"<details>{summary}\n\n(.*?)\n\n</details>", text, re.DOTALL)
    assert [DIAGRAM.sub("", t) for _, t in folds] == [DIAGRAM.sub("", t) for t in reveals]
    assert {name for name, _ in folds} == {*re.findall(r"Predict first \((\w+)\)", text)}
    outside = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    assert not [line for line in outside.splitlines() if REVEAL.match(line)]


def lines(cell):
    return {line.strip() for line in cell.source.splitlines() if len(line.strip()) > 12}


@LESSONS
def test_student_edition_contains_no_solution(path, make):
    whole, student = stored(path).cells, make(path, "student").cells
    assert not {"solution", "instructor"} & {tag for cell in student for tag in tags(cell)}
    assert not {"instructor", "premise"} & {key for cell in student for key in cell.metadata}
    rest = "\n".join(cell.source for cell in student)
    assert not re.search(r"(?i)\bsolutions?\b", rest.replace(").solution", ""))
    hidden, shown = (
        set().union(*(lines(cell) for cell in whole if ("solution" in tags(cell)) == hides))
        for hides in (True, False)
    )
    assert len(hidden - shown) > 3 * facts(path).exercises, "this test would find no leak"
    assert not (hidden - shown) & {line.strip() for line in rest.splitlines()}


def test_no_answer_can_be_read_in_the_packed_module_which_is_the_same_every_time(wheel):
    assert editions.build_wheel() == wheel
    with zipfile.ZipFile(io.BytesIO(wheel)) as packed:
        for path in lessons():
            text = packed.read(f"attn_lesson/{folder(path).name}/exercises.py").decode()
            asked = "\n".join(c.source for c in stored(path).cells if "exercise" in tags(c))
            exercises = re.findall(r"def (my_\w+)", asked)
            assert exercises and not any(name in text for name in exercises)
            assert not re.search(r"\*[A-D]: ", text)


# Their first cell


@pytest.fixture
def set_up(wheel, tmp_path):
    """Run the set-up cell, and more, in an empty folder: what it prints, and its errors."""
    (tmp_path / "temporary").mkdir()
    cell = tmp_path / "cell.py"
    cell.write_text(editions.setup_cell(wheel).source)

    def run(python, more="", **variables):
        command = [str(python), "-c", f"cell = open('cell.py').read(); exec(cell); {more}"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path,
                              env={"TMPDIR": str(tmp_path / "temporary"), **variables})  # fmt: skip
        return done.stdout, done.stderr

    run.cell = cell
    return run


def test_it_unpacks_once_and_leaves_nothing_behind(python, set_up, tmp_path):
    (tmp_path / "attn_teach").mkdir()  # an empty folder misleads nobody
    more = "import attn_teach; exec(cell); print(attn_teach.__file__, 'WHEEL' in globals()); "
    out, err = set_up(python, f"{more}from attn_lesson.lesson01 import motorcycle; motorcycle()")
    assert not err
    first, second, third = out.splitlines()
    assert first.endswith("was unpacked from this file for this session; nothing else changed.")
    assert second.endswith("was here already, the same as in this file; nothing was changed.")
    assert third.startswith(str(tmp_path / "temporary")) and third.endswith("False")
    assert not list((tmp_path / "temporary").iterdir())


def test_it_leaves_what_is_there_as_it_is_and_sees_what_differs(python, wheel, set_up, tmp_path):
    same, other = "the same as in this file; nothing was changed", "another version than in this"
    assert same in set_up(sys.executable, PYTHONPATH=str(ROOT))[0]
    zipfile.ZipFile(io.BytesIO(wheel)).extractall(tmp_path)
    assert same in set_up(python)[0]
    for name in ("attn_teach/__init__", "attn_teach/kernels", "attn_lesson/judge/verdict"):
        path = tmp_path / f"{name}.py"
        content = path.read_bytes()
        path.write_bytes(content[:-2] + b" \n")
        assert other in set_up(python)[0], name
        path.write_bytes(content)
    path.unlink()
    assert other in set_up(python)[0]
    shutil.rmtree(tmp_path / "attn_lesson")  # one of two packages
    assert set_up(python, "import attn_lesson")[1] == ""


def test_it_refuses_a_damaged_file_and_says_what_is_missing(python, set_up, tmp_path):
    poor = bare.make(tmp_path / "poor", "numpy")
    assert "this lesson needs torch and matplotlib: install what is missing" in set_up(poor)[1]
    source = set_up.cell.read_text()
    start = 'WHEEL = """\nUEsDB'  # how a zip file begins
    assert start in source
    set_up.cell.write_text(source.replace(start, start[:-1] + "C"))
    assert "the module in this file is damaged: get the file again" in set_up(python)[1]
