"""The live curve: few pictures while it grows, one that stays, and nothing else."""

import pytest
from nbformat import v4

from attn_lesson import live
from attn_lesson.live import LiveCurve
from tools import lessons

CELL = """
import time
from attn_lesson.live import LiveCurve

with LiveCurve(40, ["slow", "fast"], every=5, ylim=(0, 1)) as curve:
    for name, speed in [("slow", 1), ("fast", 2)]:
        for step in range(40):
            curve.add(name, 1 / (1 + speed * step))
            time.sleep(0.02)
assert bool(curve.shown) is watched
"""
REQUEST = "watched = get_ipython().kernel.get_parent()['content']['allow_stdin']"
WATCHED = f"{REQUEST} = True"  # as front ends say; the client of the tests says False


class Screen:
    """What was displayed, and the clock."""

    def __init__(self, monkeypatch, watched=True):
        self.shown, self.now = [], 0.0
        monkeypatch.setattr(live, "_kernel", lambda: self)
        monkeypatch.setattr(live, "_is_watched", lambda: watched)
        monkeypatch.setattr(live.time, "monotonic", lambda: self.now)
        monkeypatch.setattr("IPython.display.display", self.display)

    def display(self, data, raw, metadata, display_id):
        self.display_id = display_id
        self.update(data, raw, metadata)
        return self

    def update(self, data, raw, metadata):
        assert raw and metadata["image/png"]["alt"]
        self.shown.append(data)

    def train(self, steps=100, seconds=0.01, **arguments):
        with LiveCurve(steps, ["a", "b"], **arguments) as curve:
            for name in "ab":
                for step in range(steps):
                    self.now += seconds
                    curve.add(name, 1 / (1 + step))
        return curve


@pytest.fixture
def screen(monkeypatch):
    return Screen(monkeypatch)


def test_four_pictures_a_second_and_the_last_without_a_bar(screen):
    curve = screen.train()
    *growing, last = screen.shown
    (line, _) = curve._draw().axes[0].lines
    assert [*line.get_xdata()] == [*range(10, 101, 10)], "each mean stands where it ends"
    assert screen.display_id is True and 6 <= len(growing) <= 8  # in two seconds
    assert all("<progress" in data["text/html"] for data in growing)
    assert growing[0]["text/plain"] == "a: step 25 of 100"
    assert "<progress" not in last["text/html"]
    assert last["text/plain"] == (
        "Curves of loss against the training step, each point a mean of 10 steps: "
        "a from 0.3 to 0.0; b from 0.3 to 0.0."
    )


def test_the_picture_that_stays_does_not_depend_on_the_clock(monkeypatch):
    last = []
    for watched, seconds in ((False, 1), (True, 0.01)):
        screen = Screen(monkeypatch, watched)
        screen.train(seconds=seconds)
        last.append(screen.shown[-1])
    assert last[0] == last[1]


def test_training_that_stops_leaves_what_there_is(screen):
    with pytest.raises(KeyboardInterrupt), LiveCurve(100, "a", every=2) as curve:
        for step in range(100):
            curve.add("a", step)
            if step == 30:
                raise KeyboardInterrupt
    assert "stopped after 31 of 100" in screen.shown[-1]["text/plain"]
    assert "<progress" not in screen.shown[-1]["text/html"]


def test_without_a_notebook_nothing_is_printed(capsys):
    with LiveCurve(10, "a") as curve:
        for step in range(10):
            curve.add("a", step)
    assert curve.means == {"a": [4.5]}
    assert capsys.readouterr() == ("", "")


def test_in_a_notebook_one_output_stays(tmp_path):
    cells = [v4.new_code_cell(first + CELL) for first in (REQUEST, WATCHED)]
    for cell in lessons.execute_in(tmp_path, v4.new_notebook(cells=cells)).cells:
        (output,) = cell.outputs  # nothing on stderr either
        assert output.output_type == "display_data"
        assert set(output.data) == {"text/html", "image/png", "text/plain"}
        assert output.data["text/plain"].startswith("Curves of loss against the training step, e")
        assert "<progress" not in output.data["text/html"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: LiveCurve(0, "a"), "steps must be at least 1"),
        (lambda: LiveCurve(10, []), "names must be different"),
        (lambda: LiveCurve(10, ["a", "a"]), "names must be different"),
        (lambda: LiveCurve(10, "a").add("b", 1.0), "name must be one of"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()
