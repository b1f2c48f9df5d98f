"""Pictures to drag and questions to click, which stay readable where no widget can run.

What stays in a notebook is an ordinary output: a picture with its description, or a line of text
with the answer. The controls are an output of their own below it. When one is moved, the kernel
replaces the picture or the text, so a notebook that is saved, reopened, printed or shown by a page
without a kernel holds what was seen last.
"""

import inspect

import matplotlib.pyplot as plt
from IPython.display import display

from attn_teach.plotting import PIXELS

from .words import sentences

say = sentences(__name__)

try:
    import ipywidgets as widgets
except ImportError:  # the picture and the text still show
    widgets = None

figures = []  # what can be dragged in this kernel: (draw, places of its axes, controls)
LIVE = {"attn_teach": {"live": True}}  # metadata of outputs that mean nothing without a kernel
VIEW = "application/vnd.jupyter.widget-view+json"
# Controls that a reopened notebook has lost say so, instead of "Error displaying widget". The
# script names sliders for screen readers, which ipywidgets does not, and lets them hear answers.
HELPER = """<div class="attn-teach-live"></div>
<style>
.jp-OutputArea-child:has(.attn-teach-live) { min-height: 0; }
.jp-OutputArea-child:has(.attn-teach-live) + * > .jp-OutputArea-output:not(:has(*)) {
  display: none;
}
.jp-OutputArea-child:has(.attn-teach-live) + :has(> .jupyter-widgets)::after {
  content: "BRING_BACK"; font-style: italic; padding: 0.4em;
}
</style>
<script>
(() => {
  const here = document.currentScript;
  const cell = (here && here.closest(".jp-OutputArea")) || document.body;
  cell.setAttribute("aria-live", "polite");
  const name = () => cell.querySelectorAll(".noUi-handle").forEach(handle => {
    const label = handle.closest(".jupyter-widgets").querySelector(".widget-label");
    if (label) handle.setAttribute("aria-label", label.textContent);
  });
  new MutationObserver(name).observe(cell, { childList: true, subtree: true });
  name();
})();
</script>"""


def explore(draw, /, **controls):
    """Show draw() with a control for each argument; moving one draws the figure again.

    Args:
        draw: a function with a default for every argument, which returns a figure made by
            `attn_teach.plot`, `show_heatmaps` or `subplots`. draw() is the picture that stays
            in a notebook that is read and not run.
        **controls: for each argument what `ipywidgets.interact` takes: (low, high, step), a list
            of choices, True or False, or a widget.

    Raises:
        TypeError: for a control that `ipywidgets.interact` cannot make.
    """
    figure = draw()
    data, metadata = figure.bundle()
    places = laid_out(figure)
    shown = display(data, raw=True, metadata=metadata, display_id=True)
    if widgets is None:
        return
    made = {name: control_of(draw, name, control) for name, control in controls.items()}
    figures.append((draw, places, made))

    def redraw(_):
        try:
            data, metadata = frame(draw, places, **{name: w.value for name, w in made.items()})
        except Exception as error:  # nobody would see it: no cell is running
            data, metadata = {"text/plain": f"{type(error).__name__}: {error}"}, {}
        shown.update(data, raw=True, metadata=metadata)

    for control in made.values():
        control.observe(redraw, "value")
    _show_live(list(made.values()))


def laid_out(figure):
    """The places of its axes, at which no label is cut; the figure is closed."""
    figure.set_dpi(PIXELS)  # at which letters are wider than in the picture of twice the pixels
    for _ in range(2):  # how wide a bar's labels are is known to the second
        figure.draw_without_rendering()
    plt.close(figure)
    return [ax.get_position(original=True) for ax in figure.axes]


def frame(draw, places, /, **values):
    """The data and metadata to display of draw(**values), with its axes in the given places.

    Placing the axes anew would take half the time, and make the picture jump while dragging.
    """
    figure = placed(draw, places, **values)
    shown = figure.bundle(small=False)
    plt.close(figure)
    return shown


def placed(draw, places, /, **values):
    """The figure draw(**values), with its axes in the given places."""
    figure = draw(**values)
    if len(places) == len(figure.axes):
        figure.set_layout_engine("none")
        for ax, place in zip(figure.axes, places, strict=True):
            ax.set_position(place)
    return figure


def show_buttons(prompt, letters, react, chosen=None):
    """Show the prompt and a button for each letter; a click puts react(letter) in its place."""
    shown = display({"text/plain": prompt}, raw=True, display_id=True)
    if widgets is None:
        return
    horizontal = {"orientation": "horizontal"} if widgets.RadioButtons.class_traits().get(
        "orientation"
    ) else {}  # fmt: skip
    choice = widgets.RadioButtons(options=letters, value=chosen, **horizontal)

    def answer(change):
        shown.update({"text/plain": react(change["new"])}, raw=True)

    choice.observe(answer, "value")
    _show_live([choice])


def control_of(draw, name, control):
    """The widget that `ipywidgets.interact` makes, which starts at the default of draw."""
    default = inspect.signature(draw).parameters[name].default
    widget = widgets.interactive.widget_from_abbrev(control, default)
    if widget is None:
        raise TypeError(
            f"{name} must be what ipywidgets.interact takes, such as (low, high, step) or a list "
            f"of choices, got {control!r}"
        )
    widget.description = widget.description or name
    widget.style.description_width = "7em"  # no name is cut
    return widget


def _show_live(controls):
    """Show the controls as an output of their own: Colab shows one part of an output, not both."""
    helper = HELPER.replace("BRING_BACK", say("bring back"))
    display({"text/html": helper, "text/plain": ""}, raw=True, metadata=LIVE)
    box = widgets.VBox(controls)
    # Written out: ipywidgets 7 and 8 have different methods for it.
    view = {"version_major": 2, "version_minor": 0, "model_id": box.model_id}
    data = {VIEW: view, "text/plain": say("no controls")}
    display(data, raw=True, metadata=LIVE)
