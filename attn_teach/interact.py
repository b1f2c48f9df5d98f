"""Pictures to drag and questions to click, which stay readable where no widget can run.

What is displayed carries both: a widget for a running notebook and, in the same output, a
picture or text for a page that is only read (or printed, or read aloud).
"""

import base64
import functools
import re
from html import escape

import matplotlib.pyplot as plt
from IPython.display import display

try:
    import ipywidgets as widgets
except ImportError:  # the picture and the text still show
    widgets = None


def explore(draw, **controls):
    """Show draw() with a control for each argument; moving one draws the figure again.

    Args:
        draw: a function with a default for every argument, which returns a figure made by
            `attn_teach.plot`, `show_heatmaps` or `subplots`. draw() is the picture that stays
            in a notebook that is read and not run.
        **controls: for each argument what `ipywidgets.interact` takes: (low, high, step), a list
            of choices, True or False, or a widget.
    """
    figure = draw()
    png = figure.png()
    plt.close(figure)
    data = {"image/png": base64.b64encode(png).decode(), "text/plain": figure.alt}
    if widgets is not None:
        picture = widgets.HTML(_as_html(png, figure.alt))
        places = [ax.get_position(original=True) for ax in figure.axes]

        @functools.wraps(draw)  # the controls start at the defaults of draw
        def redraw(**values):
            picture.value = _as_html(*frame(draw, places, **values))

        panel = widgets.interactive(redraw, **controls)
        # The last child is where redraw would print: an error in it must not go unseen.
        data |= widgets.VBox([*panel.children[:-1], picture, panel.out])._repr_mimebundle_()
        data["text/plain"] = figure.alt
    display(data, raw=True, metadata={"image/png": {"alt": figure.alt}})


def frame(draw, places, **values):
    """The PNG and alternative text of draw(**values), with its axes in the given places.

    Placing the axes anew would take half the time, and make the picture jump while dragging.
    """
    figure = draw(**values)
    if len(places) == len(figure.axes):
        figure.set_layout_engine("none")
        for ax, place in zip(figure.axes, places, strict=True):
            ax.set_position(place)
    png = figure.png(small=False)
    plt.close(figure)
    return png, figure.alt


def show_buttons(prompt, letters, react):
    """Show a button for each letter; a click shows react(letter) below."""
    data = {"text/plain": prompt}
    if widgets is not None:
        choice = widgets.ToggleButtons(options=letters, index=None, style={"button_width": "3em"})
        reaction = widgets.HTML()

        def answer(change):
            code = re.sub("`([^`]*)`", r"<code>\1</code>", escape(react(change["new"])))
            reaction.value = f"<p>{code}</p>"

        choice.observe(answer, "value")
        data |= widgets.VBox([widgets.Label(prompt), choice, reaction])._repr_mimebundle_()
        data["text/plain"] = prompt
    display(data, raw=True)


def _as_html(png, alt):
    encoded = base64.b64encode(png).decode()
    return f'<img src="data:image/png;base64,{encoded}" alt="{escape(alt)}">'
