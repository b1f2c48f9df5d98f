"""A wrong matrix, shown: expected, got, and their difference."""

import torch

from .cells import shell
from .words import sentences

say = sentences(__name__)

LARGEST = 12
SMALLEST = 2  # fewer rows or columns are read sooner as numbers


def show_difference(expected, got):
    """Show both matrices side by side where a notebook can display a figure; else do nothing."""
    if not hasattr(shell(), "kernel"):
        return
    figure = draw_difference(expected, got)
    if figure is not None:
        figure._ipython_display_()


def draw_difference(expected, got):
    """The figure, or None where these are no small matrices."""
    panels = [_matrix(expected), _matrix(got)]
    if panels[0] is None or panels[1] is None:
        return None
    from matplotlib.patches import Rectangle

    from attn_teach.plotting import subplots, write_numbers

    titles, marked = [say("expected"), say("got")], []
    if panels[0].shape == panels[1].shape:
        panels.append(panels[1] - panels[0])
        titles.append(say("difference"))
        wrong = ~torch.isclose(*panels[:2], 1e-5, 1e-5, equal_nan=True)
        marked = wrong.nonzero().tolist()
    finite = torch.cat([p[p.isfinite()] for p in panels[:2]])
    low, high = (finite.min().item(), finite.max().item()) if len(finite) else (0.0, 1.0)
    figure, axes = subplots(1, len(panels), figsize=(2.4 * len(panels), 2.4))
    for number, (ax, panel, title) in enumerate(zip(axes, panels, titles, strict=True)):
        largest = panel[panel.isfinite()].abs().max().item() if panel.isfinite().any() else 1.0
        scale = ("Blues", low, high) if number < 2 else ("RdBu_r", -largest or -1, largest or 1)
        cmap, vmin, vmax = scale
        image = ax.imshow(panel.numpy(), cmap=cmap, vmin=vmin, vmax=vmax)
        ax.grid(False)
        ax.set(title=title, xticks=[], yticks=[])
        if number:
            for row, column in marked:
                box = (column - 0.5, row - 0.5), 1, 1
                ax.add_patch(Rectangle(*box, fill=False, edgecolor="#D55E00", linewidth=1.5))
        if max(panel.shape) <= 6:
            write_numbers(ax, image, panel.numpy(), _short, 7)
    figure.alt = _description(panels, marked)
    return figure


def _matrix(value):
    """The matrix to draw of a result: its own, or that of its first batch."""
    if not isinstance(value, torch.Tensor) or value.dim() not in (2, 3) or value.is_complex():
        return None
    value = value[0] if value.dim() == 3 and len(value) else value
    if value.dim() != 2 or min(value.shape) < SMALLEST or max(value.shape) > LARGEST:
        return None
    return value.double()


def _description(panels, marked):
    a, b = (tuple(p.shape) for p in panels[:2])
    if a != b:
        return say("two", expected=a, got=b)
    places = ", ".join(say("cell", row=r, column=c) for r, c in marked[:6])
    key = "three and more" if len(marked) > 6 else "three"
    return say(key, shape=a, wrong=len(marked), cells=a[0] * a[1], places=places)


def _short(number):
    """Two digits of a number, or one of a small one: there is room for so many in a cell."""
    return f"{number:.2g}" if abs(number) >= 0.1 else f"{number:.1g}"
