"""What a page's sliders show is what the lesson draws there."""

import itertools
import json
import math
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image, ImageChops

from attn_lesson import widgets
from attn_lesson.pictures import few_colors
from attn_teach import plotting
from tools.lessons import lessons
from tools.notebook import explored, tags
from tools.site import frames

DRAW = """
from attn_lesson import explore
from attn_teach import subplots

def draw(size=2, upside=False, word="one"):
    fig, ax = subplots(figsize=(2, 1.5))
    ax.plot([0, size], [0, -size if upside else size])
    ax.set(xlim=(0, 4), ylim=(-4, 4), ylabel=word)
    fig.alt = f"A line to {size}, {upside}, {word}."
    return fig

explore(draw, size=(1, 3, 1), upside=False, word=word)
"""


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """A function that stores a lesson of one slider, a box and a text field with these texts."""
    monkeypatch.setattr(frames, "BUILD", tmp_path)

    def stored(chosen=None, **texts):
        about = {"frames": chosen or texts}
        cells = [new_code_cell('word = "one"'), new_code_cell(DRAW, metadata=about)]
        cells.append(new_code_cell("raise RuntimeError('never run')"))
        nbformat.write(new_notebook(cells=cells), tmp_path / "99_lesson.ipynb")
        return tmp_path / "99_lesson.ipynb"

    return stored


def test_every_position_has_the_picture_that_the_lesson_draws(lesson):
    path = frames.draw(lesson(word=["two"]))
    (made,) = frames.kept(path)
    assert [(c["name"], c["kind"], c["values"], c["start"]) for c in made["controls"]] == [
        ("size", "range", ["1", "2", "3"], 1),
        ("upside", "list", ["no", "yes"], 0),
        ("word", "list", ["one", "two"], 0),
    ]
    names = {}
    exec(DRAW.partition("explore(")[0], names)
    places = widgets.laid_out(names["draw"]())
    positions = list(itertools.product((1, 2, 3), (False, True), ("one", "two")))
    for frame, (size, upside, word) in zip(made["frames"], positions, strict=True):
        assert frame["alt"] == f"A line to {size}, {upside}, {word}."
        fresh = widgets.placed(names["draw"], places, size=size, upside=upside, word=word)
        wanted = few_colors(fresh._sharp(crop=False)).convert("RGB")
        shown = Image.open(frames.folder(path) / frame["file"]).convert("RGB")
        assert shown.size == wanted.size
        assert ImageChops.difference(shown, wanted).getbbox() is None
    plotting.plt.close("all")
    assert len({frame["file"] for frame in made["frames"]}) == len(positions)


def test_what_has_too_many_positions_is_not_drawn(lesson):
    path = frames.draw(lesson("which"))
    assert frames.kept(path) == [None] and len([*frames.folder(path).iterdir()]) == 1


def test_a_text_field_without_texts_says_what_is_missing(lesson):
    with pytest.raises(ValueError, match="word is a text field: put the texts"):
        frames.draw(lesson())


def test_what_is_kept_is_used_until_a_cell_changes(lesson):
    path = lesson(word=["two"])
    kept = frames.folder(path) / "frames.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps({"key": frames._key(path), "made": "kept"}))
    assert list(frames.draw_all([path])) == [path] and frames.kept(path) == "kept"
    assert frames.kept(lesson(word=["three"])) is None


@pytest.mark.parametrize(
    ("file", "drawn"),
    [("attn_teach/plotting.py", True), ("attn_lesson/lesson99/towns.csv", True),
     ("attn_lesson/lesson99/novel.txt", True), ("attn_lesson/lesson01/towns.csv", False),
     ("attn_lesson/judge/bench.py", False)],
)  # fmt: skip
def test_what_pictures_are_drawn_from_is_in_their_key(lesson, tmp_path, monkeypatch, file, drawn):
    monkeypatch.setattr(frames, "ROOT", tmp_path)
    (tmp_path / file).parent.mkdir(parents=True)
    path, keys = lesson(word=["two"]), set()
    for text in "ab":
        (tmp_path / file).write_text(text)
        keys.add(frames._key(path))
    assert (len(keys) == 2) is drawn


@pytest.mark.parametrize("lengths", [(40, 4), (9, 21), (51, 24, 12), (200,), (170, 1), (3, 2)])
def test_long_sliders_are_thinned_and_keep_ends_and_start(lengths):
    controls = [
        {"kind": "range", "values": list(map(str, range(n))), "of": list(range(n)), "start": n // 3}
        for n in lengths
    ]
    frames._thin(controls)
    for control, length in zip(controls, lengths, strict=True):
        assert control["of"][0] == 0 and control["of"][-1] == length - 1
        assert control["of"][control["start"]] == length // 3
        assert control["values"] == list(map(str, control["of"]))
    counts = [len(control["of"]) for control in controls]
    assert math.prod(counts) <= frames.MOST or max(counts) <= frames.FEWEST
    assert math.prod(counts) >= min(frames.MOST / 2, math.prod(lengths))


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_what_draws_a_lessons_pictures_needs_nothing_of_what_is_left_out(path):
    cells = frames._code(path)
    last = max((i for i, cell in enumerate(cells) if explored(cell)), default=-1)
    cells = [cell.source for cell in cells[: last + 1] if not frames.LEFT_OUT & tags(cell)]
    asked = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--select=F821",
        "-",
    ]
    done = subprocess.run(asked, input="\n".join(cells), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
