"""The pictures that a lesson's sliders lead to, drawn by its own code, for pages that run none.

`record` executes a lesson as far as its last `explore` and keeps a picture for each position of
the controls, thinned where there are too many. `draw_all` does it for many lessons, some at a time.
"""

import contextlib
import functools
import hashlib
import itertools
import json
import math
import os
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import nbformat
import numpy as np
import torch
from jupyter_client import AsyncKernelManager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from nbformat.v4 import new_code_cell
from PIL import Image

from attn_lesson import widgets
from attn_teach import plotting
from tools.lessons import BUILD, KERNEL, ROOT, execute_in
from tools.notebook import tags

MOST = 160  # pictures for one cell: of long sliders every other position goes until these are left
CHOSEN = "frames"  # metadata of a cell that explores: {"words": ["a text", ...]}, of a text field
LEFT_OUT = {"predict", "check", "solution", "exercise", "headline"}
AT_ONCE = min(4, os.cpu_count())  # lessons; each is one process with one thread, and up to 1 GB
RUNNING = set()  # the managers of kernels that draw


def draw_all(paths):
    """Record each lesson, several at a time; yield the path of each that is done.

    Interrupted, it ends the kernels; what they have drawn of a lesson is drawn again.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = {pool.submit(record, path): path for path in paths}
        try:
            for done in as_completed(waiting):
                done.result()
                yield waiting[done]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while RUNNING:  # one of them may be starting
                for manager in list(RUNNING):
                    if process := getattr(manager.provisioner, "process", None):
                        process.kill()
                time.sleep(0.1)
            raise


def record(path):
    """Return what each `explore` of the lesson leads to, a list; {} where nothing could be drawn.

    Each is {"controls": [{"name", "kind", "values", "start"}, ...], "frames": [{"file", "alt"},
    ...], "width", "height"}; the frames are ordered as itertools.product orders the values.
    """
    path = Path(path)
    notebook = nbformat.read(path, as_version=4)
    explores = [i for i, cell in enumerate(notebook.cells) if explored(cell)]
    if not explores:
        return []
    folder = BUILD / "frames" / path.stem
    kept, key = folder / "frames.json", _key(path, notebook)
    with contextlib.suppress(OSError, ValueError, KeyError):
        stored = json.loads(kept.read_text(encoding="utf-8"))
        if stored["key"] == key:
            return stored["made"]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    chosen = [notebook.cells[i].metadata.get(CHOSEN, {}) for i in explores]
    notebook.cells = [
        cell
        for cell in notebook.cells[: explores[-1] + 1]
        if cell.cell_type == "code" and not LEFT_OUT & tags(cell)
    ]
    begin = f"import sys; sys.path[:0] = [{str(ROOT)!r}]\nfrom tools.site import frames\n"
    begin += f"frames.install({str(folder)!r}, {chosen!r})"
    notebook.cells.insert(0, new_code_cell(begin))
    manager = AsyncKernelManager(kernel_name=KERNEL["name"])
    RUNNING.add(manager)
    try:
        execute_in(path.parent, notebook, km=manager)
    finally:
        RUNNING.remove(manager)
    made = [_read(folder / f"{number}.json") for number in range(len(explores))]
    kept.write_text(json.dumps({"key": key, "made": made}), encoding="utf-8")
    return made


def explored(cell):
    """Whether this cell explores."""
    return cell.cell_type == "code" and "\nexplore(" in f"\n{cell.source}"


def _key(path, notebook):
    """What the pictures depend on, as a hash: the cells up to the last that explores, and code.

    Neither the judge nor other lessons draw any of them.
    """
    last = max(i for i, cell in enumerate(notebook.cells) if explored(cell))
    cells = [c for c in notebook.cells[: last + 1] if c.cell_type == "code"]
    cells = [(c.source, c.metadata.get(CHOSEN)) for c in cells if not LEFT_OUT & tags(c)]
    others = re.compile(rf"judge|lesson(?!{path.name[:2]})\d\d")
    files = sorted([*ROOT.glob("attn_*/**/*.py"), *ROOT.glob("attn_*/**/*.csv")])
    sources = [*(p for p in files if not others.fullmatch(p.parent.name)), Path(__file__)]
    texts = [repr(cells), sys.version, *(path.read_text(encoding="utf-8") for path in sources)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _read(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


# In the lesson's kernel


def install(folder, chosen):
    """Let `explore` record into this folder; `chosen` has the values of text fields, by call.

    No other figure is drawn, and there is one thread: other lessons have the other cores.
    """
    import attn_lesson

    torch.set_num_threads(1)
    plotting.DescribedFigure._ipython_display_ = plotting.plt.close
    attn_lesson.explore = functools.partial(_record, Path(folder), itertools.count(), chosen)


def _record(folder, numbers, chosen, draw, /, **controls):
    number = next(numbers)
    made = {name: widgets._control(draw, name, control) for name, control in controls.items()}
    listed = [_values(name, widget, chosen[number]) for name, widget in made.items()]
    _thin(listed)
    figure = draw()
    figure.draw_without_rendering()  # this lays the axes out
    places = [ax.get_position(original=True) for ax in figure.axes]
    plotting.plt.close(figure)
    frames, sizes = [], set()
    for values in itertools.product(*(control.pop("of") for control in listed)):
        figure = widgets.placed(draw, places, **dict(zip(made, values, strict=True)))
        image = sharp(figure)
        plotting.plt.close(figure)
        data = plotting._encoded(plotting._few_colors(image), quality=50)
        name = f"{hashlib.sha256(data).hexdigest()[:16]}.{plotting.SHARP}"  # equal ones are one
        (folder / name).write_bytes(data)
        sizes.add(image.size)
        frames.append({"file": name, "alt": figure.alt})
    width, height = max(sizes)
    told = {"controls": listed, "frames": frames, "width": width // 2, "height": height // 2}
    (folder / f"{number}.json").write_text(json.dumps(told), encoding="utf-8")


def sharp(figure):
    """The same pixels as figure._sharp(crop=False), in half the time: it is drawn once only."""
    figure.dpi = 2 * plotting.PIXELS
    figure.set_facecolor("white")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return plotting._even(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]))


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
    """Take every other position out of the longest slider until there are few enough pictures."""
    while math.prod(len(control["of"]) for control in controls) > MOST:
        control = max((c for c in controls if c["kind"] == "range"), key=lambda c: len(c["of"]))
        last, start = len(control["of"]) - 1, control["start"]
        stay = [i for i in range(last + 1) if i in (0, last) or (i - start) % 2 == 0]
        if len(stay) == last + 1:
            stay = [0, start, last] if 0 < start < last else [0, last]
        control["start"] = stay.index(start)
        for key in ("values", "of"):
            control[key] = [control[key][i] for i in stay]
