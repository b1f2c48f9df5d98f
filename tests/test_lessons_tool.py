"""`make run` and `make outputs` on small notebooks: what they write, and what they say."""

import json
import sys

import nbformat
import pytest
from nbformat import v4

from tools import lessons

GOOD = [
    "import sys\nprint(sys.executable)",
    "from pathlib import Path\nprint(Path('here.txt').read_text())",
    "print('a')\nprint('b')\n6 * 7",
    "import ipywidgets\nipywidgets.IntSlider(3)",
    "display({'text/plain': 'for live controls'}, metadata={'attn_teach': {}}, raw=True)",
]
BAD = ["x = 1", "print('so far')\nx / 0", "print('never')"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a space in its name, with a lesson that runs and one that does not."""
    folder = tmp_path_factory.mktemp("some lessons")
    (folder / "here.txt").write_text("found beside the lesson")
    for name, sources in {"01_good": GOOD, "02_bad": BAD}.items():
        cells = [v4.new_markdown_cell("# Title", id="top"), *map(v4.new_code_cell, sources)]
        for number, cell in enumerate(cells[1:]):
            cell.id = f"cell-{number}"
        cells[1].metadata = {"tags": ["parameters"], "execution": {"iopub": "now"}}
        metadata = {"papermill": {}, "widgets": {}, "kernelspec": {"name": "theirs"}, "title": "T"}
        metadata["kernelspec"]["display_name"] = "Theirs"
        metadata["language_info"] = {"name": "python", "version": "3.0.0"}
        nbformat.write(v4.new_notebook(cells=cells, metadata=metadata), folder / f"{name}.ipynb")
    return folder


@pytest.fixture(scope="module")
def executed(folder):
    """The good lesson after `outputs`: the bytes of its file."""
    path = folder / "01_good.ipynb"
    assert lessons.main(["outputs", str(path)]) == 0
    return path.read_bytes()


def test_outputs_are_stored_without_what_differs_between_machines(executed):
    notebook = json.loads(executed)
    assert notebook["metadata"] == {
        "kernelspec": lessons.KERNEL,
        "language_info": lessons.LANGUAGE,
        "title": "T",
    }
    cells = notebook["cells"]
    assert [cell["id"] for cell in cells] == ["top", *(f"cell-{number}" for number in range(5))]
    assert cells[1]["metadata"] == {"tags": ["parameters"]}
    assert [cell["execution_count"] for cell in cells[1:]] == [1, 2, 3, 4, 5]
    streams, number = cells[3]["outputs"]
    assert streams["text"] == ["a\n", "b\n"]
    assert number["data"] == {"text/plain": ["42"]}
    assert cells[4]["outputs"] == cells[5]["outputs"] == []  # of no use without their kernel


def test_outputs_come_from_this_python_in_the_lessons_folder(executed):
    cells = json.loads(executed)["cells"]
    assert cells[1]["outputs"][0]["text"] == [sys.executable + "\n"]
    assert cells[2]["outputs"][0]["text"] == ["found beside the lesson\n"]


def test_outputs_are_the_same_bytes_again_and_what_changed_is_said(executed, folder, capsys):
    path, bad = folder / "01_good.ipynb", folder / "02_bad.ipynb"
    before = bad.read_bytes()
    assert executed.endswith(b"}\n") and executed.startswith(b'{\n "cells"')
    assert lessons.main(["outputs", str(path)]) == 0
    assert path.read_bytes() == executed and "as it was" in capsys.readouterr().out
    path.write_bytes(executed.replace(b'"42"', b'"41"'))
    assert lessons.main(["outputs", str(bad), str(path)]) == 1
    assert path.read_bytes() == executed and bad.read_bytes() == before
    out = capsys.readouterr().out
    assert "changed" in out and "ZeroDivisionError" in out and "\x1b" not in out
    assert sorted(file.suffix for file in folder.iterdir()) == [".ipynb", ".ipynb", ".txt"]


def test_run_executes_copies_and_goes_on_after_a_failure(folder, executed, monkeypatch, capsys):
    monkeypatch.setattr(lessons, "NOTEBOOKS", folder)
    monkeypatch.setattr(lessons, "BUILD", folder / "build of lessons")
    bad = folder / "02_bad.ipynb"
    before = bad.read_bytes()
    assert lessons.main(["run", "02", "01"]) == 1
    assert bad.read_bytes() == before and (folder / "01_good.ipynb").read_bytes() == executed
    copy = nbformat.read(folder / "build of lessons" / "01_good.ipynb", as_version=4)
    assert copy.cells[3].outputs[1].data["text/plain"] == "42"
    out = capsys.readouterr().out
    assert "print('so far')\nx / 0" in out and "ZeroDivisionError" in out and "\x1b" not in out
    lines = [line.split() for line in out.splitlines() if line.startswith(("01_good", "02_bad"))]
    assert [(name, unit) for name, _, unit, *_ in lines] == [("02_bad", "s"), ("01_good", "s")]
    assert out.endswith("1 of 2 lessons executed without an error\n")
