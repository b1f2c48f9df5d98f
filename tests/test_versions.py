"""The table of other versions, and what counts as another picture."""

import copy
import sys

import pytest

from attn_teach import plot, show_heatmaps
from tools.checks import drawn, versions

BEFORE = f"# Notes\n\n{versions.MARKS[0]}{versions.MARKS[1]}\n\nThe end.\n"


@pytest.fixture
def table(tmp_path, monkeypatch):
    path = tmp_path / "CONTRIBUTING.md"
    path.write_text(BEFORE, encoding="utf-8")
    monkeypatch.setattr(versions, "TABLE", path)
    monkeypatch.setattr(versions, "BUILD", tmp_path / "build")
    monkeypatch.setattr(versions, "shown", lambda python: {"01_a": [noted(numbers())]})
    return path


def numbers():
    return show_heatmaps([[[[0.0, 1.0], [0.5, 0.25]]]], "keys", "queries", titles=["one"])


def noted(figure):
    return {"texts": drawn.texts(figure), "arrays": [a.tolist() for a in drawn.arrays(figure)]}


def rows(path):
    return [line.strip("| ").split(" | ") for line in path.read_text().splitlines() if "| " in line]


def test_rows_of_other_pairs_stay_and_the_order_is_kept(table):
    versions.write([["3.13", "newest", *"abcde", 7, 0, 0, "5 the same"]])
    versions.write([["3.10", "newest", *"abcde", 7, 0, 0, "5 the same"]])
    versions.write([["3.10", "oldest", *"abcde", 8, 0, 0, "5 the same"]])
    versions.write([["3.13", "newest", *"fghij", 9, 0, 0, "5 the same"]])
    head, _, *found = rows(table)
    assert head == [*versions.HEAD]
    assert [row[:3] for row in found] == [
        ["3.10", "oldest", "a"],
        ["3.10", "newest", "a"],
        ["3.13", "newest", "f"],
    ]
    assert table.read_text().endswith("\n\nThe end.\n")


@pytest.mark.parametrize(
    ("said", "code", "failed"),
    [("5 passed, 2 skipped in 3.0s", 0, "0"), ("1 failed, 5 passed in 3.0s", 1, "1"), ("", 4, "4")],
)
def test_a_pair_gets_a_row_and_failures_count(said, code, failed, table, monkeypatch, capsys):
    program = f"import sys; print('9 passed of another'); print({said!r}); sys.exit({code})"
    monkeypatch.setattr(versions, "PYTEST", ("-c", program))

    def make(version, which, folder):
        folder.mkdir(parents=True)
        return sys.executable, {"torch": "2.10.0"}

    monkeypatch.setattr(versions, "make", make)
    assert versions.main(["3.10-oldest"]) == int(failed != "0")
    (row,) = rows(table)[2:]
    assert row[:3] == ["3.10", "oldest", "2.10.0"] and row[-2] == failed
    assert row[-1] == "1 the same"
    assert [path.name for path in (table.parent / "build/versions").iterdir()] == [
        "3.10-oldest.txt"
    ]


def test_a_python_that_is_not_there_is_told_and_left_out(table, monkeypatch, capsys):
    monkeypatch.setattr(versions, "make", lambda *_: None)
    assert versions.main(["3.12-newest"]) == 0
    assert "there is no Python 3.12 here" in capsys.readouterr().out
    assert table.read_text() == BEFORE


def test_the_tests_are_the_modules_and_two_lessons():
    names = [path.name for path in versions.tests()]
    assert {"test_masking.py", "test_live.py", "test_promises.py"} < {*names}
    assert names[-2:] == ["01_kernel_regression.ipynb", "03_masking.ipynb"]


def other_number(picture):
    picture["arrays"][2][0][1] = 0.9  # of the heatmap


def other_scale(picture):
    picture["arrays"][1][1] = 2.0


def other_word(picture):
    picture["texts"][1] = "two"


@pytest.mark.parametrize("change", [other_number, other_scale, other_word])
def test_another_number_is_another_picture(change):
    ours = noted(numbers())
    theirs = copy.deepcopy(ours)
    assert drawn.differences([ours], [theirs]) == []
    theirs["arrays"][2][0][1] += 1e-3  # far below a pixel
    assert drawn.differences([ours], [theirs]) == []
    change(theirs)
    assert len(drawn.differences([ours], [theirs])) == 1


def test_curves_dots_and_bars_are_compared():
    pictures = []
    for height in (1.0, 1.1):
        figure = plot([0.0, 1.0], [0.0, 2.0], legend=["a"])
        ax = figure.axes[0]
        ax.set(xlim=(0, 5), ylim=(0, 5))
        before = len(drawn.arrays(figure))
        ax.scatter([1.0], [height])
        ax.bar([2.0], [height])
        ax.set(xlim=(0, 5), ylim=(0, 5))
        assert len(drawn.arrays(figure)) > before + 2
        pictures.append(noted(figure))
    assert "a" in pictures[0]["texts"]
    same = [drawn._same(a, b) for a, b in zip(*(p["arrays"] for p in pictures), strict=True)]
    assert same.count(False) >= 2
    assert drawn.differences(pictures[:1], []) == ["there were 1 pictures, are 0"]
