"""A loss curve that grows while a model trains, with a bar that tells how far it has come.

What stays in the notebook is the finished picture with its description, and no bar. Where nobody
looks on, as in papermill, nbconvert and nbval, the picture comes once, at the end.
"""

import time
from html import escape

import matplotlib.pyplot as plt

from attn_teach.checks import count
from attn_teach.plotting import subplots

from .cells import shell
from .words import sentences

say = sentences(__name__)

PAUSE = 0.25  # seconds between two pictures, at least
SHARE = 0.1  # of the time, at most, goes into pictures
LINES = ("-", "--", "-.", ":")


class LiveCurve:
    """Curves of the loss, one or several, against the step of training.

    with LiveCurve(steps, ["small", "large"]) as live:
        ...
        live.add("small", loss)  # once in every step

    Args:
        steps: number of steps of each curve; the x axis ends there from the beginning.
        names: what the curves are called.
        every: so many steps are averaged into one point.
        ylim: ends of the y axis; those of the data unless given.

    Attributes:
        means: for each name its points so far.
    """

    def __init__(self, steps, names, every=10, ylim=None):
        count("steps", steps)
        count("every", every)
        names = [names] if isinstance(names, str) else list(names)
        if not names or len(set(names)) < len(names):
            raise ValueError(f"names must be different, one for each curve, got {names}")
        self.steps, self.every, self.ylim = steps, every, ylim
        self.values, self.means = {name: [] for name in names}, {name: [] for name in names}
        self.shown, self.next = None, 0.0

    def __enter__(self):
        self.next = time.monotonic() + PAUSE
        return self

    def add(self, name, value):
        """Note the value of one more step of the curve `name`."""
        if name not in self.values:
            raise ValueError(f"name must be one of {list(self.values)}, got {name!r}")
        values = self.values[name]
        values.append(float(value))
        if len(values) % self.every == 0:
            self.means[name].append(sum(values[-self.every :]) / self.every)
        started = time.monotonic()
        if started >= self.next and _is_watched():
            self._show(*self._live())
            took = time.monotonic() - started
            self.next = started + max(PAUSE, took / SHARE)

    def __exit__(self, kind, *_):
        figure = self._draw()
        data, metadata = figure.bundle()
        plt.close(figure)
        if _kernel() is not None:
            self._show(data, metadata)

    def _show(self, data, metadata):
        from IPython.display import display

        if self.shown is None:
            watched = True if _is_watched() else None
            self.shown = display(data, raw=True, metadata=metadata, display_id=watched)
        else:
            self.shown.update(data, raw=True, metadata=metadata)

    def _live(self):
        """The picture so far, and the bar."""
        figure = self._draw()
        data, metadata = figure.bundle(small=False)
        plt.close(figure)
        done = sum(map(len, self.values.values()))
        name = next((n for n, v in self.values.items() if len(v) < self.steps), [*self.values][-1])
        said = say("step", name=name, step=len(self.values[name]), steps=self.steps)
        bar = (
            f'<div><progress max="{self.steps * len(self.values)}" value="{done}" '
            f'aria-label="{escape(say("training"))}"></progress> {escape(said)}</div>'
        )
        return {**data, "text/html": data["text/html"] + bar, "text/plain": said}, metadata

    def _draw(self):
        figure, ax = subplots(figsize=(6, 2.4))
        told = []
        for number, (name, means) in enumerate(self.means.items()):
            x = [self.every * (point + 1) for point in range(len(means))]
            ax.plot(x, means, LINES[number % len(LINES)], label=name)
            if means:
                told.append(say("curve", name=name, first=means[0], last=means[-1]))
        ax.set(xlabel=say("training step"), ylabel=say("loss"), xlim=(0, self.steps))
        if self.ylim is not None:
            ax.set_ylim(self.ylim)
        ax.legend(fontsize=9, loc="upper right")
        ax.grid(alpha=0.3)
        last = max(map(len, self.values.values()))
        curves = "; ".join(told) or say("no point")
        cut = "curves" if last == self.steps else "curves, stopped"
        figure.alt = say(cut, every=self.every, last=last, steps=self.steps, curves=curves)
        return figure


def _kernel():
    return getattr(shell(), "kernel", None)


def _is_watched():
    """Whether somebody looks on: who sends a cell says whether it may ask for input."""
    request = getattr(_kernel(), "get_parent", dict)()
    return request.get("content", {}).get("allow_stdin", False)
