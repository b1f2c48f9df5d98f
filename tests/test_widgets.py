"""What a slider or a letter does, without a browser: outputs, and what a change makes of them."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

import attn_teach as at
from attn_lesson import catalogue, widgets


class Shown:
    """Stands for the notebook: what is displayed, in order; a display with an id can change."""

    def __init__(self):
        self.outputs = []

    def display(self, data, raw, metadata=None, display_id=None):
        self.outputs.append((data, metadata or {}))
        number = len(self.outputs) - 1

        class Handle:
            def update(_, data, raw, metadata=None):
                self.outputs[number] = (data, metadata or {})

        return Handle() if display_id else None


@pytest.fixture
def notebook(monkeypatch):
    notebook = Shown()
    monkeypatch.setattr(widgets, "display", notebook.display)
    return notebook


@pytest.fixture
def made(monkeypatch):
    """The controls that are made, as they are shown."""
    made = []
    box = widgets.widgets.VBox
    monkeypatch.setattr(widgets.widgets, "VBox", lambda c: made.extend(c) or box(c))
    return made


def draw(height=1.0):
    if height == 0:
        raise ZeroDivisionError("no height")
    return at.plot([0.0, 1.0], [0.0, height], alt=f"A line that rises to {height:g}.")


def test_a_moved_slider_changes_the_picture_which_is_apart_from_what_needs_a_kernel(notebook, made):
    figures = at.plt.get_fignums()
    widgets.explore(draw, height=(0.0, 4.0, 1.0))
    before = notebook.outputs[0]
    assert before[0]["text/plain"] == "A line that rises to 1."
    assert 'alt="A line that rises to 1."' in before[0]["text/html"]
    (slider,) = made
    assert (slider.description, slider.value) == ("height", 1)
    slider.value = 3.0
    after = notebook.outputs[0]
    assert after[0]["text/plain"] == "A line that rises to 3."
    assert after[0]["image/png"] != before[0]["image/png"]
    assert after[1] == {"image/png": {"alt": "A line that rises to 3."}}
    slider.value = 0.0
    assert notebook.outputs[0][0] == {"text/plain": "ZeroDivisionError: no height"}
    assert at.plt.get_fignums() == figures
    picture, helper, controls = notebook.outputs
    assert widgets.VIEW not in picture[0] and "image/png" not in controls[0]
    view = controls[0][widgets.VIEW]
    assert view["version_major"] == 2 and view["model_id"]
    assert helper[1] == controls[1] == widgets.LIVE and "attn_teach" not in picture[1]


def test_a_long_label_is_whole_when_a_figure_is_drawn_again(notebook, made):
    def figure(height=1):
        fig, ax = at.subplots(figsize=(6.4, 2.1), alt="A line.")
        ax.plot([0, height])
        ax.set_yticks([0.2, 0.6], ["even_where_nothing_is_allowed", "softmax over queries"])
        return fig

    widgets.explore(figure, height=(1, 2))
    made[0].value = 2
    picture = Image.open(io.BytesIO(base64.b64decode(notebook.outputs[0][0]["image/png"])))
    assert np.asarray(picture.convert("L"))[:, :2].min() == 255


def test_an_answer_takes_the_place_of_the_question_and_stays(notebook, made, monkeypatch):
    monkeypatch.setattr(catalogue, "CHOSEN", {})
    catalogue.predict("1P")
    assert notebook.outputs[0][0] == {
        "text/plain": "Your prediction? Choose a letter, or run predict('1P', 'A')."
    }
    (choice,) = made
    assert choice.value is None and list(choice.options) == list("ABCD")
    for letter, verdict in (("B", "Not quite."), ("D", "Right.")):
        choice.value = letter
        said = notebook.outputs[0][0]["text/plain"]
        assert re.match(rf"Prediction 1P: {letter}\. {verdict} ", said)
        assert max(map(len, said.splitlines())) <= 96
    catalogue.predict("1P")  # run once more, by Shift+Enter on the way on
    assert notebook.outputs[-3][0]["text/plain"] == said and made[-1].value == "D"


def test_without_widgets_the_picture_and_the_question_still_show(notebook, monkeypatch):
    monkeypatch.setattr(widgets, "widgets", None)
    widgets.explore(draw, height=(0.0, 4.0, 1.0))
    catalogue.predict("1P")
    assert [set(data) for data, _ in notebook.outputs] == [
        {"text/html", "image/png", "text/plain"},
        {"text/plain"},
    ]


def test_a_control_that_cannot_be_made_is_named(notebook):
    with pytest.raises(
        TypeError, match=r"height must be what ipywidgets\.interact takes.* got None"
    ):
        widgets.explore(draw, height=None)
