"""One file is enough: each edition runs in an empty folder, on a Python with few packages."""

import base64
import hashlib
import re
import subprocess
import sys
import textwrap

import bare
import lesson_checks
import nbformat
import pictures
import pytest

from tools import editions
from tools.lessons import BUILD, lessons

LESSONS = pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
NAMES = ("torch", "numpy", "matplotlib", "ipykernel")


@pytest.fixture(scope="module")
def wheel():
    return editions.build_wheel()


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return bare.make(tmp_path_factory.mktemp("bare") / "python", *NAMES)


@pytest.fixture
def make(wheel):
    def make(path, kind):
        return editions.edition(nbformat.read(path, as_version=4), kind, wheel)

    return make


def tags(cell):
    return set(cell.metadata.get("tags", []))


def test_the_bare_python_has_no_more_than_it_should(python):
    found = bare.modules(python)
    assert {"torch", "numpy", "matplotlib", "ipykernel"} <= found
    assert not {"attn_teach", "ipywidgets", "pip", "scipy", "pandas", "nbclient"} & found


@LESSONS
def test_colab_edition_shows_what_is_stored_with_nothing_but_the_file(path, make, python, tmp_path):
    notebook = make(path, "colab")
    bare.execute(python, notebook, tmp_path)
    setup = notebook.cells.pop(0)
    said = "attn_teach was unpacked from this file for this session; nothing else changed.\n"
    assert [output.text for output in setup.outputs] == [said]
    stored = nbformat.read(path, as_version=4)
    complaints = lesson_checks.compare(stored, notebook)
    complaints += lesson_checks.compare_texts(stored, notebook)
    if pictures.COMPARABLE:
        complaints += lesson_checks.compare_pictures(stored, notebook)
    assert not complaints
    assert not list(tmp_path.iterdir()), "the run left something in the folder"


@LESSONS
def test_student_edition_runs_and_has_everything_still_to_do(path, make, python, tmp_path):
    notebook = bare.execute(python, make(path, "student"), tmp_path)
    assert not lesson_checks.no_errors(notebook)
    checks = [cell for cell in notebook.cells if "check" in tags(cell)]
    assert len(checks) >= 2
    for cell in checks:
        said = "".join(output.text for output in cell.outputs).splitlines()
        assert said and all("Nothing to check yet" in line for line in said)


@LESSONS
def test_student_edition_contains_no_solution(path, make):
    whole = nbformat.read(path, as_version=4)
    student = make(path, "student")
    assert not {"solution", "instructor"} & {tag for cell in student.cells for tag in tags(cell)}
    assert "instructor" not in {key for cell in student.cells for key in cell.metadata}
    rest = "\n".join(cell.source for cell in student.cells)
    assert not re.search(r"(?i)\bsolutions?\b", rest.replace(").solution", ""))
    shared = {line.strip() for cell in whole.cells if not hides(cell) for line in lines(cell)}
    hidden = [line for cell in whole.cells if hides(cell) for line in lines(cell)]
    only_hidden = {line.strip() for line in hidden} - shared
    assert len(only_hidden) > 30, "nothing to look for: this test would find no leak"
    given_away = only_hidden & {line.strip() for line in rest.splitlines()}
    assert not given_away
    for notes in (cell.metadata["instructor"]["notes"] for cell in whole.cells if noted(cell)):
        assert notes not in rest


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
            assert cell.source in sources
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
    assert [cell.outputs for cell in others] == [cell.outputs for cell in kept]


def run(python, code, folder, **variables):
    command = [str(python), "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=variables)
    return done.stdout, done.stderr


def test_set_up_twice_in_one_session_changes_nothing_the_second_time(python, wheel, tmp_path):
    (tmp_path / "cell.py").write_text(editions.setup_cell(wheel).source)
    code = """
        import sys
        cell = open("cell.py").read()
        before = set(sys.modules)
        exec(cell)
        path = list(sys.path)
        exec(cell)
        assert sys.path == path
        from attn_teach.data import motorcycle
        print(len(motorcycle()[0]), "WHEEL" in globals(), "set_up" in globals())
    """
    out, err = run(python, code, tmp_path)
    assert not err
    assert out.splitlines() == [
        "attn_teach was unpacked from this file for this session; nothing else changed.",
        "attn_teach was here already, the same as in this file; nothing was changed.",
        "133 False False",
    ]


def test_set_up_leaves_an_installed_package_as_it_is(wheel, tmp_path):
    """This Python has it installed; a folder with another version is seen as another."""
    (tmp_path / "cell.py").write_text(editions.setup_cell(wheel).source)
    out, _ = run(sys.executable, "exec(open('cell.py').read())", tmp_path)
    assert out == "attn_teach was here already, the same as in this file; nothing was changed.\n"
    (tmp_path / "attn_teach").mkdir()
    (tmp_path / "attn_teach" / "__init__.py").write_text("mine = True\n")
    code = "exec(open('cell.py').read()); import attn_teach; print(attn_teach.mine)"
    out, _ = run(sys.executable, code, tmp_path)
    assert "another version than in this file; it is used as it is" in out
    assert out.endswith("True\n")


def test_set_up_is_not_misled_by_an_empty_folder(python, wheel, tmp_path):
    (tmp_path / "cell.py").write_text(editions.setup_cell(wheel).source)
    (tmp_path / "attn_teach").mkdir()
    code = "exec(open('cell.py').read()); from attn_teach import attend; print(attend.__name__)"
    out, _ = run(python, code, tmp_path)
    assert out.endswith("attend\n")


def test_set_up_leaves_no_folder_behind(python, wheel, tmp_path):
    (tmp_path / "cell.py").write_text(editions.setup_cell(wheel).source)
    (tmp_path / "temporary").mkdir()
    code = "exec(open('cell.py').read()); import attn_teach; print(attn_teach.__file__)"
    out, _ = run(python, code, tmp_path, TMPDIR=str(tmp_path / "temporary"))
    assert str(tmp_path / "temporary") in out
    assert not list((tmp_path / "temporary").iterdir())


def test_set_up_refuses_a_damaged_file(python, wheel, tmp_path):
    source = editions.setup_cell(wheel).source
    assert source.count("\nUEsDB") == 1  # how a zip file begins
    (tmp_path / "cell.py").write_text(source.replace("\nUEsDB", "\nUEsDC"))
    _, err = run(python, "exec(open('cell.py').read())", tmp_path)
    assert "the module in this file is damaged: get the file again" in err


def test_set_up_says_what_is_missing(wheel, tmp_path):
    poor = bare.make(tmp_path / "poor", "numpy")
    (tmp_path / "cell.py").write_text(editions.setup_cell(wheel).source)
    _, err = run(poor, "exec(open('cell.py').read())", tmp_path)
    assert "this lesson needs torch and matplotlib: install what is missing first" in err


def test_the_same_source_gives_the_same_wheel_with_its_data(wheel):
    assert editions.build_wheel() == wheel


def test_command_writes_all_lessons(capsys):
    editions.main(["student", "01", "03"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "build/student/01_kernel_regression.ipynb",
        "build/student/03_masking.ipynb",
    ]
    written = nbformat.read(BUILD / "student" / "03_masking.ipynb", as_version=4)
    assert written.cells[0].id == "setup"
