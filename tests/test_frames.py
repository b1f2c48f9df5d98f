"""What a page's sliders show is what the lesson draws there."""

import itertools
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image, ImageChops

from attn_teach import plotting, subplots
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
WORD = 'word = "one"  # a parameter\n'


def recorded(folder, monkeypatch, metadata, source=DRAW):
    monkeypatch.setattr(frames, "BUILD", folder / "build")
    cells = [new_code_cell(WORD), new_code_cell(source, metadata=metadata)]
    cells.append(new_code_cell("raise RuntimeError('never run')"))
    nbformat.write(new_notebook(cells=cells), folder / "lesson.ipynb")
    return frames.record(folder / "lesson.ipynb"), folder / "build" / "frames" / "lesson"


def test_every_position_has_the_picture_that_the_lesson_draws(tmp_path, monkeypatch):
    (made,), folder = recorded(tmp_path, monkeypatch, {"frames": {"word": ["two"]}})
    assert [(c["name"], c["kind"], c["values"], c["start"]) for c in made["controls"]] == [
        ("size", "range", ["1", "2", "3"], 1),
        ("upside", "list", ["no", "yes"], 0),
        ("word", "list", ["one", "two"], 0),
    ]
    names = {}
    exec(DRAW.partition("explore(")[0] + "\nfrom attn_lesson import widgets", names)
    first = names["draw"]()
    first.draw_without_rendering()
    places = [ax.get_position(original=True) for ax in first.axes]
    positions = list(itertools.product((1, 2, 3), (False, True), ("one", "two")))
    assert len(made["frames"]) == len(positions)
    for frame, values in zip(made["frames"], positions, strict=True):
        size, upside, word = values
        assert frame["alt"] == f"A line to {size}, {upside}, {word}."
        fresh = names["widgets"].placed(names["draw"], places, size=size, upside=upside, word=word)
        wanted = plotting._few_colors(fresh._sharp(crop=False)).convert("RGB")
        shown = Image.open(folder / frame["file"]).convert("RGB")
        assert shown.size == wanted.size
        assert ImageChops.difference(shown, wanted).getbbox() is None
    assert len({frame["file"] for frame in made["frames"]}) == len(positions)


def test_a_text_field_without_texts_says_what_is_missing(tmp_path, monkeypatch):
    with pytest.raises(Exception, match="word is a text field: put the texts"):
        recorded(tmp_path, monkeypatch, {})


def test_what_is_kept_is_used_until_a_cell_changes(tmp_path, monkeypatch):
    metadata = {"frames": {"word": ["two"]}}
    made, folder = recorded(tmp_path, monkeypatch, metadata)
    kept = folder / "frames.json"
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "made": "kept"}))
    assert recorded(tmp_path, monkeypatch, metadata)[0] == "kept"
    assert recorded(tmp_path, monkeypatch, {"frames": {"word": ["three"]}})[0] not in ("kept", made)


@pytest.mark.parametrize("lengths", [(40, 4), (9, 21), (51, 24, 12), (200,), (170, 1)])
def test_long_sliders_are_thinned_and_keep_ends_and_start(lengths):
    controls = [
        {"kind": "range", "values": list(map(str, range(n))), "of": list(range(n)), "start": n // 3}
        for n in lengths
    ]
    frames._thin(controls)
    count = 1
    for control, length in zip(controls, lengths, strict=True):
        assert control["of"][0] == 0 and control["of"][-1] == length - 1
        assert control["of"][control["start"]] == length // 3
        assert control["values"] == list(map(str, control["of"]))
        count *= len(control["of"])
    assert frames.MOST / 4 < count <= frames.MOST


def test_a_figure_can_be_drawn_uncropped():
    figure, _ = subplots(figsize=(2, 1))
    assert figure._sharp(crop=False).size == (2 * 2 * plotting.PIXELS, 2 * plotting.PIXELS)
    plotting.plt.close(figure)
