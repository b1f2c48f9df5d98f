"""One file is enough: each edition runs in an empty folder, on a Python with few packages.

The lessons are also executed with the packages of Google Colab: two of them, or with the option
--every all of them, and with its Python too where there is one.
"""

import base64
import copy
import functools
import hashlib
import io
import json
import re
import subprocess
import sys
import textwrap
import zipfile

import bare
import lesson_checks
import nbformat
import pytest
from test_machines import MACHINES

from tools.course import NOTICE, facts
from tools.editions import editions
from tools.lessons import BUILD, ROOT, WIDGET, folder, lessons, required
from tools.notebook import LIVE, REVEAL, number, tags
from tools.site import site

pytestmark = pytest.mark.long

LESSONS = pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
DIAGRAM = re.compile(r"\(data:image/[^)]*\)")
NAMES = ("torch", "numpy", "matplotlib", "ipykernel")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return bare.make(tmp_path_factory.mktemp("bare") / "python", *NAMES)


@pytest.fixture(scope="module")
def make(wheel):
    @functools.cache
    def made(path, kind):
        return editions.edition(nbformat.read(path, as_version=4), kind, wheel)

    return lambda path, kind: copy.deepcopy(made(path, kind))


def test_the_bare_python_has_no_more_than_it_should(python):
    found = bare.modules(python)
    assert {"torch", "numpy", "matplotlib", "ipykernel"} <= found
    assert not {"attn_teach", "ipywidgets", "pip", "scipy", "pandas", "nbclient"} & found


@LESSONS
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
    setup = notebook.cells.pop(0)
    said = "attn_teach was unpacked from this file for this session; nothing else changed.\n"
    assert [output.text for output in setup.outputs] == [said]
    stored = nbformat.read(path, as_version=4)
    assert not lesson_checks.compare(stored, notebook)
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


def pytest_generate_tests(metafunc):
    if "colab_version" in metafunc.fixturenames:
        every = metafunc.config.getoption("every")
        versions = {bare.THIS_VERSION, bare.COLAB_VERSION} if every else {bare.THIS_VERSION}
        metafunc.parametrize("colab_version", sorted(versions))
        paths = lessons() if every else lessons(["01", "03"])
        metafunc.parametrize("colab_lesson", paths, ids=lambda path: path.stem)


def execute_and_keep(python, notebook, folder):
    """Execute the notebook in place; return a copy with the controls, which are not stored."""
    kept = []
    keep = {"on_notebook_complete": lambda notebook: kept.append(copy.deepcopy(notebook))}
    bare.execute(python, notebook, folder, **keep)
    return kept[0]


def controls(cell):
    return [output for output in cell.outputs if WIDGET in output.get("data", {})]


def drawn(cell):
    return [output for output in cell.outputs if "image/png" in output.get("data", {})]


def test_colab_shows_what_is_stored_and_controls(colab_lesson, colab_version, make, tmp_path):
    """Pictures are not compared: its Matplotlib is another."""
    notebook = make(colab_lesson, "colab")
    python = bare.colab(colab_version)
    kept = execute_and_keep(python, notebook, tmp_path)
    notebook.cells.pop(0)
    stored = nbformat.read(colab_lesson, as_version=4)
    assert not lesson_checks.compare(stored, notebook, with_pictures=False)
    asked = [c for c in kept.cells if c.cell_type == "code" and LIVE.search(c.source)]
    assert len(asked) > 4
    for cell in asked:
        assert len(controls(cell)) == 1
        assert len(drawn(cell)) == ("predict" not in tags(cell))


TRIAL = (
    """
        from attn_teach import plot
        from attn_lesson import explore, predict
    """,
    """
        def draw(slope=2):
            figure = plot([0, 1], [0, slope], "x", "y")
            figure.alt = f"A straight line with slope {slope}."
            return figure

        explore(draw, slope=(1, 5))
    """,
    """
        predict("1.1")
    """,
)


@pytest.mark.parametrize(
    ("widgets", "expected"),
    [("none", 0), ("Colab's", 1), ("current", 1)],
)
def test_controls_are_shown_with_old_and_new_widgets(widgets, expected, python, wheel, tmp_path):
    if widgets == "Colab's":
        python = bare.colab()
    elif widgets == "current":
        python = bare.make(tmp_path / "python", *NAMES, "ipywidgets")
    cells = [nbformat.v4.new_code_cell(textwrap.dedent(source)) for source in TRIAL]
    notebook = nbformat.v4.new_notebook(cells=[editions.setup_cell(wheel), *cells])
    *_, explored, predicted = execute_and_keep(python, notebook, tmp_path).cells
    assert len(controls(explored)) == len(controls(predicted)) == expected
    (picture,) = drawn(explored)
    assert picture.metadata["image/png"]["alt"] == "A straight line with slope 2."
    assert not drawn(predicted)
    assert "Your prediction?" in predicted.outputs[0].data["text/plain"]


def test_colabs_python_has_what_is_listed():
    listed = re.findall(r"^([\w-]+)==(\S+)$", bare.COLAB.read_text(), re.MULTILINE)
    code = "import json, importlib.metadata as m, sys; " + (
        "print(json.dumps([m.version(name) for name in sys.argv[1:]]))"
    )
    names = [name for name, _ in listed]
    out = subprocess.run([bare.colab(), "-c", code, *names], capture_output=True, text=True).stdout
    assert json.loads(out) == [version for _, version in listed]


def test_only_a_python_that_works_and_is_not_too_new_gets_colabs_packages(monkeypatch, tmp_path):
    with pytest.raises(pytest.skip.Exception, match=r"Python 3\.13 and older"):
        bare.colab("3.14")
    shim, real = tmp_path / "bin" / "python3.9", tmp_path / ".pyenv/versions/3.9.2/bin/python3.9"
    for path, says in ((shim, "no such version"), (real, "Python 3.9.2")):
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\necho {says}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert bare.find("3.9") == real
    real.unlink()
    with pytest.raises(pytest.skip.Exception, match=r"no Python 3\.9 on"):
        bare.colab("3.9")


@LESSONS
def test_student_edition_shows_no_answer_before_its_time(path, make):
    """Results are to be run for, and what is said of them is folded until it is asked for."""
    cells = make(path, "student").cells
    first = next(n for n, cell in enumerate(cells) if "predict" in tags(cell))
    assert any(cell.outputs for cell in cells[1:first] if cell.cell_type == "code")
    for cell in cells[first:]:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
    stored = nbformat.read(path, as_version=4).cells
    reveals = [cell.source for cell in stored if "reveal" in tags(cell)]
    text = "\n\n".join(cell.source for cell in cells)
    summary = r"<summary>Prediction (\S+?)(?:, continued)?: [^<]*</summary>"
    folds = re.findall(rf"<details>{summary}\n\n(.*?)\n\n</details>", text, re.DOTALL)
    assert [DIAGRAM.sub("", source) for _, source in folds] == [
        DIAGRAM.sub("", source) for source in reveals
    ]
    lesson = number(nbformat.read(path, as_version=4))
    asked = [f"{lesson}.{n}" for n in range(1, len({name for name, _ in folds}) + 1)]
    assert sorted({name for name, _ in folds}) == asked
    outside = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    assert not [line for line in outside.splitlines() if REVEAL.match(line)]


@LESSONS
@pytest.mark.parametrize("kind", editions.EDITIONS)
def test_cells_that_only_draw_are_folded_everywhere(path, kind, make):
    cells = [cell for cell in make(path, kind).cells if "draw" in tags(cell)]
    assert cells
    for cell in cells:
        title, *rest = cell.source.splitlines()
        assert title.startswith("# @title ") and len(rest) > lesson_checks.DRAWING_LINES
        assert cell.metadata["cellView"] == "form" and cell.metadata["_kg_hide-input"]
        assert cell.metadata["jupyter"]["source_hidden"]


@LESSONS
def test_everything_handed_out_says_whose_it_is(path, make):
    for kind in editions.EDITIONS:
        last = make(path, kind).cells[-1]
        assert NOTICE in last.source and tags(last) == {"license"}
    assert site.CONFIGURATION["project_copyright"] == NOTICE


def everything_is_still_to_do(cells):
    checks = [cell for cell in cells if "check" in tags(cell)]
    assert len(checks) >= 2
    for cell in checks:
        said = "".join(output.text for output in cell.outputs).splitlines()
        assert said and all("Nothing to check yet" in line for line in said)


@LESSONS
def test_student_edition_executes_what_the_colab_edition_does_up_to_the_solutions(path, make):
    """So it shows what that one shows, which is executed and compared, cell by cell, above."""
    code = {
        kind: [cell for cell in make(path, kind).cells if cell.cell_type == "code"]
        for kind in ("student", "colab")
    }
    number = len(code["student"])
    before, after = code["colab"][:number], code["colab"][number:]
    assert [cell.source for cell in code["student"]] == [cell.source for cell in before]
    assert after and all("solution" in tags(cell) for cell in after)
    everything_is_still_to_do(before)


def test_student_edition_runs_and_has_everything_still_to_do(make, python, tmp_path):
    (path,) = lessons(["03"])
    notebook = bare.execute(python, make(path, "student"), tmp_path)
    assert not lesson_checks.no_errors(notebook)
    everything_is_still_to_do(notebook.cells)


@LESSONS
def test_student_edition_contains_no_solution(path, make):
    whole = nbformat.read(path, as_version=4)
    student = make(path, "student")
    assert not {"solution", "instructor"} & {tag for cell in student.cells for tag in tags(cell)}
    assert not {"instructor", "premise"} & {key for cell in student.cells for key in cell.metadata}
    rest = "\n".join(cell.source for cell in student.cells)
    assert not re.search(r"(?i)\bsolutions?\b", rest.replace(").solution", ""))
    shared = {line.strip() for cell in whole.cells if not hides(cell) for line in lines(cell)}
    hidden = [line for cell in whole.cells if hides(cell) for line in lines(cell)]
    only_hidden = {line.strip() for line in hidden} - shared
    enough = 5 * facts(path).exercises
    assert len(only_hidden) > enough, "nothing to look for: this test would find no leak"
    given_away = only_hidden & {line.strip() for line in rest.splitlines()}
    assert not given_away


@LESSONS
@pytest.mark.parametrize("kind", ["colab", "student"])
def test_what_learners_get_has_no_notes_anywhere_in_the_file(path, kind, make):
    text = json.dumps(make(path, kind))
    notes = [c.metadata.instructor for c in nbformat.read(path, as_version=4).cells if noted(c)]
    assert len(notes) > 3
    for told in notes:
        for said in (told["notes"], told.get("question", "instructor"), *told.get("mistakes", [])):
            assert json.dumps(said)[1:-1] not in text


def hides(cell):
    return "solution" in tags(cell)


def noted(cell):
    return "instructor" in cell.metadata


def lines(cell):
    return [line for line in cell.source.splitlines() if len(line.strip()) > 12]


@LESSONS
def test_solutions_edition_has_everything_and_the_notes(path, make):
    whole = nbformat.read(path, as_version=4)
    sources = [cell.source for cell in make(path, "solutions").cells]
    for cell in whole.cells:
        if cell.cell_type == "code":
            assert cell.source in sources or f"{editions.DRAWING}\n{cell.source}" in sources
        if noted(cell):
            assert any(cell.metadata["instructor"]["notes"] in source for source in sources)


@LESSONS
@pytest.mark.parametrize("kind", editions.EDITIONS)
def test_every_edition_is_folded_first_whole_and_shows_png_only(path, kind, make, wheel):
    notebook = make(path, kind)
    setup, *rest = notebook.cells
    assert setup.metadata["cellView"] == "form" and setup.metadata["jupyter"]["source_hidden"]
    assert hashlib.sha256(wheel).hexdigest() in setup.source
    assert base64.b64encode(wheel).decode() in setup.source.replace("\n", "")
    embedded = re.findall(r"\(data:([\w/+]+)", "\n".join(cell.source for cell in rest))
    stored = nbformat.read(path, as_version=4)
    assert len(embedded) == sum(c.source.count("](data:image/svg+xml") for c in stored.cells)
    assert set(embedded) <= {"image/png"}
    others = [cell for cell in rest if cell.cell_type == "code"]
    kept = [
        c for c in stored.cells if c.cell_type == "code" and (kind != "student" or not hides(c))
    ]
    assert len(others) == len(kept)
    if kind != "student":
        assert [cell.outputs for cell in others] == [cell.outputs for cell in kept]


@pytest.fixture
def cell(wheel, tmp_path):
    """The set-up cell, as a file in an empty folder."""
    path = tmp_path / "cell.py"
    path.write_text(editions.setup_cell(wheel).source)
    return path


def run(python, code, folder, **variables):
    command = [str(python), "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=variables)
    return done.stdout, done.stderr


def test_set_up_twice_in_one_session_changes_nothing_the_second_time(python, cell, tmp_path):
    code = """
        import sys
        cell = open("cell.py").read()
        before = set(sys.modules)
        exec(cell)
        path = list(sys.path)
        exec(cell)
        assert sys.path == path
        from attn_lesson.lesson01 import motorcycle
        print(len(motorcycle()[0]), "WHEEL" in globals(), "set_up" in globals())
    """
    out, err = run(python, code, tmp_path)
    assert not err
    assert out.splitlines() == [
        "attn_teach was unpacked from this file for this session; nothing else changed.",
        "attn_teach was here already, the same as in this file; nothing was changed.",
        "133 False False",
    ]


def test_set_up_leaves_an_installed_package_as_it_is(cell, tmp_path):
    """What is on the path is used; a folder with another version is seen as another."""
    out, _ = run(sys.executable, "exec(open('cell.py').read())", tmp_path, PYTHONPATH=str(ROOT))
    assert out == "attn_teach was here already, the same as in this file; nothing was changed.\n"
    (tmp_path / "attn_teach").mkdir()
    (tmp_path / "attn_teach" / "__init__.py").write_text("mine = True\n")
    code = "exec(open('cell.py').read()); import attn_teach; print(attn_teach.mine)"
    out, _ = run(sys.executable, code, tmp_path)
    assert "another version than in this file; it is used as it is" in out
    assert out.endswith("True\n")


@pytest.mark.parametrize(
    "name",
    [
        "attn_teach/__init__",
        "attn_teach/kernels",
        "attn_lesson/judge/verdict",
        "attn_lesson/__init__",
    ],
)
def test_set_up_sees_one_other_or_missing_file(name, python, wheel, cell, tmp_path):
    zipfile.ZipFile(io.BytesIO(wheel)).extractall(tmp_path)
    path = tmp_path / f"{name}.py"
    content = path.read_bytes()
    said = [run(python, "exec(open('cell.py').read())", tmp_path)[0]]
    path.write_bytes(content[:-2] + b" \n")
    said += [run(python, "exec(open('cell.py').read())", tmp_path)[0]]
    path.unlink()
    if name != "attn_teach/__init__":  # without it, Python finds no module at all
        said += [run(python, "exec(open('cell.py').read())", tmp_path)[0]]
    assert ", the same as in this file" in said[0]
    assert all(", another version than in this file" in text for text in said[1:])


def test_set_up_is_not_misled_by_an_empty_folder(python, cell, tmp_path):
    (tmp_path / "attn_teach").mkdir()
    code = "exec(open('cell.py').read()); from attn_teach import attend; print(attend.__name__)"
    out, _ = run(python, code, tmp_path)
    assert out.endswith("attend\n")


def test_set_up_leaves_no_folder_behind(python, cell, tmp_path):
    (tmp_path / "temporary").mkdir()
    code = "exec(open('cell.py').read()); import attn_teach; print(attn_teach.__file__)"
    out, _ = run(python, code, tmp_path, TMPDIR=str(tmp_path / "temporary"))
    assert str(tmp_path / "temporary") in out
    assert not list((tmp_path / "temporary").iterdir())


def test_set_up_refuses_a_damaged_file(python, cell, tmp_path):
    source = cell.read_text()
    start = 'WHEEL = """\nUEsDB'  # how a zip file begins
    assert start in source
    cell.write_text(source.replace(start, start[:-1] + "C"))
    _, err = run(python, "exec(open('cell.py').read())", tmp_path)
    assert "the module in this file is damaged: get the file again" in err


def test_set_up_says_what_is_missing(cell, tmp_path):
    poor = bare.make(tmp_path / "poor", "numpy")
    _, err = run(poor, "exec(open('cell.py').read())", tmp_path)
    assert "this lesson needs torch and matplotlib: install what is missing first" in err


def test_the_same_source_gives_the_same_wheel_with_its_data(wheel):
    assert editions.build_wheel() == wheel


def test_no_answer_can_be_read_in_the_packed_module(wheel):
    with zipfile.ZipFile(io.BytesIO(wheel)) as packed:
        names = packed.namelist()
        texts = {
            name: packed.read(name).decode() for name in names if name.endswith("exercises.py")
        }
    assert len(texts) == len(lessons()) and all(name.endswith(".py") for name in texts)
    for path in lessons():
        notebook = nbformat.read(path, as_version=4)
        (text,) = (text for name, text in texts.items() if f"/{folder(path).name}/" in name)
        asked = [line for c in notebook.cells if "exercise" in tags(c) for line in lines(c)]
        exercises = re.findall(r"def (my_\w+)", "\n".join(asked))
        assert exercises and not any(name in text for name in exercises)
        assert not re.search(r"\*[A-D]: ", text)


def test_command_writes_all_lessons(capsys):
    editions.main(["student", "01", "03"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "build/student/01_kernel_regression.ipynb",
        "build/student/03_masking.ipynb",
    ]
    written = nbformat.read(BUILD / "student" / "03_masking.ipynb", as_version=4)
    assert written.cells[0].id == "setup"
