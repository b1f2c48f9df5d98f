"""The pictures that a lesson's sliders lead to, drawn by its own code, for pages that run none.

`draw` executes a lesson as far as its last `explore`, once, and keeps a picture for each position
of the controls, thinned where there are too many. `draw_all` does it for many lessons, each in a
process of its own with one thread; `kept` reads what was drawn.
"""

import contextlib
import hashlib
import io
import itertools
import json
import math
import multiprocessing
import os
import re
import shutil
import signal
import sys
from pathlib import Path
from unittest import mock

import matplotlib
import nbformat
import numpy as np
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

import attn_lesson
from attn_lesson import published, widgets
from attn_lesson.pictures import few_colors
from attn_teach import plotting
from tools.lessons import BUILD, ROOT, required
from tools.notebook import explored, of_type, tags

MOST = 40  # pictures for one cell: positions of long sliders go until these are left ...
FEWEST = 5  # ... or so many of each slider
# Metadata of a cell that explores: {"words": ["a text", ...]}, of a text field; or, where controls
# have too many positions, a text: the name of what a page has in place of the pictures.
CHOSEN = "frames"
LEFT_OUT = {"predict", "check", "solution", "headline"}


def draw_all(paths):
    """Draw the lessons that have changed, as many at a time as there are cores; yield each path."""
    changed = [path for path in paths if kept(path) is None]
    yield from (path for path in paths if path not in changed)
    # A process forked from this one might wait for torch's threads; this server has none.
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
    context.set_forkserver_preload([__name__])
    with context.Pool(os.cpu_count(), _begin, maxtasksperchild=1) as pool:
        yield from pool.imap_unordered(draw, reversed(changed))  # later lessons take longer


def _begin():
    """What a process that draws does first: Ctrl-C is for the one that waits for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)


def kept(path):
    """What each `explore` of the lesson leads to, a list, if it is drawn already, or None.

    Each is None, of one that a page does not move, or {"controls": [{"name", "kind", "values",
    "start"}, ...], "frames": [{"file", "alt", "colored"}, ...], "width", "height"}; the frames are
    ordered as itertools.product orders the values.
    """
    with contextlib.suppress(OSError, ValueError, KeyError):
        stored = json.loads((folder(path) / "frames.json").read_text(encoding="utf-8"))
        if stored["key"] == _key(path):
            return stored["made"]
    return None


def folder(path):
    """Where the lesson's pictures lie."""
    return BUILD / "frames" / path.stem


def draw(path):
    """Draw what `kept` then returns; without the lesson's packages that is nothing."""
    shutil.rmtree(folder(path), ignore_errors=True)
    folder(path).mkdir(parents=True)
    cells = [cell for cell in _code(path) if explored(cell)]
    made = []

    def explore(draw, /, **controls):
        chosen = cells[len(made)].metadata.get(CHOSEN, {})
        made.append(
            None if isinstance(chosen, str) else _drawn(folder(path), chosen, draw, controls)
        )

    with mock.patch.object(attn_lesson, "explore", explore):
        ready = all(map(published.installed, required(path)))
        for _ in executed(path, LEFT_OUT) if ready and cells else ():
            if len(made) == len(cells):
                break
    told = json.dumps({"key": _key(path), "made": made})
    (folder(path) / "frames.json").write_text(told, encoding="utf-8")
    return path


def executed(path, left_out):
    """Execute a lesson's cells in this process, but for these tags: yield each, and all names.

    Nothing is shown or printed.
    """
    matplotlib.use("Agg")
    names = {"__name__": "__main__"}
    for cell in _code(path):
        if not left_out & tags(cell):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.source, path.name, "exec"), names)
            plotting.plt.close("all")
            yield cell, names


def _code(path):
    return of_type(nbformat.read(path, as_version=4), "code")


def _key(path):
    """What the pictures depend on, as a hash: the cells up to the last that explores, and code.

    Neither the judge nor other lessons draw any of them.
    """
    cells = _code(path)
    while cells and not explored(cells[-1]):
        cells.pop()
    told = [(c.source, c.metadata.get(CHOSEN)) for c in cells if not LEFT_OUT & tags(c)]
    others = re.compile(rf"judge|lesson(?!{path.name[:2]})\d\d")
    files = sorted(
        p for kind in ("py", "csv", "json", "txt") for p in ROOT.glob(f"attn_*/**/*.{kind}")
    )
    sources = [*(p for p in files if not others.fullmatch(p.parent.name)), Path(__file__)]
    texts = [repr(told), sys.version, *(path.read_text(encoding="utf-8") for path in sources)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _drawn(folder, chosen, draw, controls):
    """Draw one cell's pictures into the folder; `chosen` has the values of text fields."""
    made = {name: widgets.control_of(draw, name, control) for name, control in controls.items()}
    listed = [_values(name, widget, chosen) for name, widget in made.items()]
    _thin(listed)
    frames, sizes, places = [], set(), widgets.laid_out(draw())
    for values in itertools.product(*(control.pop("of") for control in listed)):
        figure = widgets.placed(draw, places, **dict(zip(made, values, strict=True)))
        image = sharp(figure)
        plotting.plt.close(figure)
        data = plotting.encoded(few_colors(image), quality=50)
        name = f"{hashlib.sha256(data).hexdigest()[:16]}.{plotting.SHARP}"  # equal ones are one
        (folder / name).write_bytes(data)
        sizes.add(image.size)
        frames.append({"file": name, "alt": figure.alt, "colored": figure.colored(crop=False)})
    width, height = max(sizes)
    return {"controls": listed, "frames": frames, "width": width // 2, "height": height // 2}


def sharp(figure):
    """The same pixels as figure._sharp(crop=False), in half the time: it is drawn once only."""
    figure.dpi = 2 * plotting.PIXELS
    figure.set_facecolor("white")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return plotting.with_even_sides(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]))


def _values(name, widget, chosen):
    """A control as a page shows it: its values as text, and as what draw gets ("of")."""
    if hasattr(widget, "options"):
        kind, values = "list", list(widget._options_values)
        labels = list(map(str, widget._options_labels))
    elif isinstance(widget.value, bool):
        kind, values, labels = "list", [False, True], ["no", "yes"]
    elif isinstance(widget.value, str):
        if name not in chosen:
            raise ValueError(
                f"{name} is a text field: put the texts that a page offers into the cell's "
                f'metadata, as in {{"{CHOSEN}": {{"{name}": ["one text", "another"]}}}}'
            )
        kind, values = "list", list(dict.fromkeys([widget.value, *chosen[name]]))
        labels = values
    else:
        steps = round((widget.max - widget.min) / widget.step)
        whole = isinstance(widget.value, int)
        values = [widget.min + step * widget.step for step in range(steps + 1)]
        values = values if whole else [round(value, 9) for value in values]
        kind, labels = "range", [f"{value:g}" for value in values]
    start = min(range(len(values)), key=lambda i: _apart(values[i], widget.value))
    return {"name": name, "kind": kind, "values": labels, "start": start, "of": values}


def _apart(a, b):
    return abs(a - b) if isinstance(b, (int, float)) else a != b


def _thin(controls):
    """Leave positions of the longest sliders out, evenly, until there are few enough pictures."""
    counts = [len(control["of"]) for control in controls]
    sliders = [i for i, control in enumerate(controls) if control["kind"] == "range"]
    while math.prod(counts) > MOST:
        longest = max(sliders, key=counts.__getitem__, default=None)
        if longest is None or counts[longest] <= FEWEST:
            break
        counts[longest] -= 1
    for control, count in zip(controls, counts, strict=True):
        start, last = control["start"], len(control["of"]) - 1
        stay = _evenly(count, last)
        if start not in stay:
            stay = sorted({*_evenly(count - 1, last), start})
        control["start"] = stay.index(start)
        for key in ("values", "of"):
            control[key] = [control[key][i] for i in stay]


def _evenly(count, last):
    return [round(i * last / max(1, count - 1)) for i in range(count)]
