"""Heatmaps and curves, with the description that a screen reader needs."""

import base64
import io
import math
from html import escape
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.collections import QuadMesh
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from PIL import Image, ImageOps, features

from .checks import need, refuse
from .shapes import Flag, Text

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
PANEL = (2.5, 2.5)  # inches
FORMATS = ("-", "--", "-.", ":")
PIXELS = 100  # for each inch, as a figure is shown
SHARP = "webp" if features.check("webp") else "png"  # WebP is a fifth smaller


class DescribedFigure(Figure):
    """A figure with alternative text; notebooks show it once, as a PNG with that text.

    Attributes:
        alt: what the figure shows, in words.
        shrink: what makes its pictures small, for all figures: a function of a PIL.Image that
            returns one, as attn_lesson puts in; here the image stays as it is.
    """

    alt = ""
    shrink = staticmethod(lambda image: image)

    def png(self):
        """The figure as the bytes of a small PNG file."""
        return encoded(self.shrink(self._sharp().reduce(2)), "png")

    def bundle(self, small=True):
        """What a notebook shows of the figure: data by MIME type, and their metadata.

        JupyterLab gives a PNG no alternative text, so an HTML image goes beside it; a PDF takes
        the PNG. A small HTML image is cropped, and has twice the pixels for the screens that show
        them; what is not small is quickly made.
        """
        if small:
            sharp = self._sharp()
            png, seen = encoded(self.shrink(sharp.reduce(2)), "png"), encoded(self.shrink(sharp))
        else:
            png = seen = self._drawn(dpi=PIXELS)
        width, height = Image.open(io.BytesIO(png)).size
        png, seen = (base64.b64encode(data).decode() for data in (png, seen))
        kind = SHARP if small else "png"
        colored = f' data-colored="{self.colored()}"' if small else ""
        picture = (
            f'<img src="data:image/{kind};base64,{seen}" width="{width}" height="{height}" '
            f'style="max-width: 100%; height: auto" alt="{escape(self.alt)}"{colored}>'
        )
        data = {"text/html": picture, "image/png": png, "text/plain": self.alt}
        return data, {"image/png": {"alt": self.alt}}

    def colored(self, crop=True):
        """Where colors stand for numbers, which a dark page leaves as they are.

        Returns "left top right bottom, ..." of heatmaps and color bars, in percent of the picture
        that `bundle` crops, or of the whole figure; it has been drawn before.
        """
        self.dpi, dpi = 2 * PIXELS, self.dpi  # as its picture was: letters have a size for each
        picture = self.get_tightbbox() if crop else self.bbox_inches
        picture = picture.padded(plt.rcParams["savefig.pad_inches"] if crop else 0)
        self.dpi, told = dpi, []
        for ax in self.axes:
            if ax.images or any(isinstance(each, QuadMesh) for each in ax.collections):
                box = ax.get_position().get_points() * self.get_size_inches()
                (left, bottom), (right, top) = (box - picture.min) / picture.size * 100
                told.append(f"{left:.1f} {100 - top:.1f} {right:.1f} {100 - bottom:.1f}")
        return ", ".join(told)

    def _drawn(self, **kwargs):
        self.savefig(file := io.BytesIO(), facecolor="white", metadata={"Software": None}, **kwargs)
        return file.getvalue()

    def _sharp(self, crop=True):
        """The figure as an image of twice the pixels."""
        how = {"dpi": 2 * PIXELS, "bbox_inches": "tight" if crop else None}
        drawn = self._drawn(**how, pil_kwargs={"compress_level": 1})
        return with_even_sides(Image.open(io.BytesIO(drawn)).convert("RGB"))

    def _ipython_display_(self):
        from IPython.display import display

        data, metadata = self.bundle()
        display(data, raw=True, metadata=metadata)
        # An open figure would be shown again at the end of the cell.
        plt.close(self)


def with_even_sides(image):
    """The image with an even number of pixels across and down."""
    return ImageOps.expand(image, (0, 0, image.width % 2, image.height % 2), "white")


def encoded(image, kind=SHARP, quality=100):
    """The image as a file: `quality` is how hard a WebP tries to be small, which takes time."""
    image.save(file := io.BytesIO(), kind, optimize=True, lossless=True, quality=quality)
    return file.getvalue()


def subplots(nrows=1, ncols=1, alt: Text = "", figsize=None, **kwargs) -> Any:
    """As `matplotlib.pyplot.subplots`, in the style of the lessons and with alternative text.

    alt tells what the figure shows; it may be set later as `fig.alt`. figsize is in inches.
    """
    kwargs = {"layout": "constrained", "FigureClass": DescribedFigure, "figsize": figsize, **kwargs}
    fig, axes = plt.subplots(nrows, ncols, **kwargs)
    fig.alt = alt
    for ax in fig.axes:
        _style(ax)
    return fig, axes


def show_heatmaps(
    matrices,
    xlabel: Text,
    ylabel: Text,
    titles=None,
    figsize=PANEL,
    cmap="Blues",
    *,
    xticklabels=None,
    yticklabels=None,
    vmin=None,
    vmax=None,
    annotate: Flag = False,
    alt: Text | None = None,
):
    """Show matrices as heatmaps with one colour scale, and a bar that is true for all of them.

    Args:
        matrices: shape (rows, cols, queries, keys), one panel for each of rows x cols.
        xlabel, ylabel: what runs across (keys) and down (queries).
        titles: one for each column, or one for each panel, row by row.
        figsize: of the whole figure, in inches; the default grows with the number of panels.
        cmap: the colour map.
        xticklabels, yticklabels: names of the keys and queries, such as tokens.
        vmin, vmax: ends of the colour scale; those of the data unless given.
        annotate: write each number into its cell, with two decimals unless all are whole.
        alt: alternative text; made from the data unless given.

    Returns:
        The figure.

    Raises:
        ValueError: when matrices do not have four axes, or labels do not fit them.
    """
    data = _numbers(matrices, "matrices")
    must, use = "have shape (rows, cols, queries, keys)", "add axes of size 1 with .reshape"
    four = data.ndim == 4 and 0 not in data.shape
    need(four, "matrices", must, data.shape, f"{use}((1, 1, queries, keys))")
    rows, cols, num_queries, num_keys = data.shape
    titles = _labels(titles, "titles", cols, rows * cols)
    xticklabels = _labels(xticklabels, "xticklabels", num_keys)
    yticklabels = _labels(yticklabels, "yticklabels", num_queries)
    finite = data[np.isfinite(data)]
    whole = (finite == finite.round()).all()
    vmin = (finite.min() if finite.size else 0.0) if vmin is None else _number(vmin, "vmin")
    vmax = (finite.max() if finite.size else 1.0) if vmax is None else _number(vmax, "vmax")
    if vmin > vmax:
        refuse("vmin", "not be above vmax", f"{vmin:g} and {vmax:g}", "swap them")
    if vmin == vmax:  # the bar needs a width
        spread = abs(vmin) / 10 or 0.1
        vmin, vmax = vmin - spread, vmax + spread
    norm = Normalize(vmin, vmax)  # one for all panels and the bar
    if tuple(figsize) == PANEL:
        figsize = (PANEL[0] * cols + 0.6, PANEL[1] * rows)
    fig, axes = subplots(rows, cols, figsize=figsize, sharex=True, sharey=True, squeeze=False)
    upright = len(max(xticklabels or [""], key=len)) * num_keys > 16
    for index, (ax, matrix) in enumerate(
        zip(axes.flat, data.reshape(-1, *data.shape[2:]), strict=True)
    ):
        image = ax.imshow(matrix, cmap=cmap, norm=norm, interpolation="nearest")
        if titles:
            ax.set_title(titles[index % len(titles)], fontsize=10)
        _name(ax.xaxis, xticklabels, rotation=90 * upright)
        _name(ax.yaxis, yticklabels)
        ax.spines[:].set_visible(True)
        if annotate:
            write_numbers(ax, image, matrix, ("{:.0f}" if whole else "{:.2f}").format)
    for ax in axes[-1]:
        ax.set_xlabel(xlabel)
    for ax in axes[:, 0]:
        ax.set_ylabel(ylabel)
    below, above = bool((finite < vmin).any()), bool((finite > vmax).any())
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[below, above]
    fig.colorbar(image, ax=axes, shrink=0.8, extend=extend)
    fig.alt = alt or _describe_heatmaps(data, xlabel, ylabel, titles)
    return fig


def plot(
    X,
    Y=None,
    xlabel: Text | None = None,
    ylabel: Text | None = None,
    legend=None,
    xlim=None,
    ylim=None,
    xscale="linear",
    yscale="linear",
    fmts=FORMATS,
    figsize=(3.5, 2.5),
    axes=None,
    *,
    title: Text | None = None,
    alt: Text | None = None,
):
    """Draw one or several curves.

    Args:
        X: one sequence of x for all curves or one for each; without Y, the curves themselves.
        Y: one curve or several.
        xlabel, ylabel, title: the words around the picture.
        legend: one name for each curve.
        xlim, ylim, xscale, yscale: ends and scales of the axes, as Matplotlib takes them.
        fmts: Matplotlib's formats, used in turn.
        axes: where to draw, after clearing it; a new figure of `figsize` inches unless given.
        alt: alternative text; made from the data unless given.

    Returns:
        The figure.

    Raises:
        ValueError: when the numbers of curves and x, or of points in them, differ.
    """
    X = _curves(X, "X")
    X, Y = ([None] * len(X), X) if Y is None else (X, _curves(Y, "Y"))
    if len(X) == 1:
        X = X * len(Y)
    must = f"hold one sequence for all curves or one for each of the {len(Y)}"
    need(len(X) == len(Y), "X", must, len(X))
    X = [np.arange(len(y)) if x is None or not len(x) else x for x, y in zip(X, Y, strict=True)]
    for x, y in zip(X, Y, strict=True):
        if len(x) != len(y):
            refuse("X and Y", "have the same number of points", f"{len(x)} and {len(y)}")
    legend = _labels(legend, "legend", len(Y))
    before, axes = axes, axes or subplots(figsize=figsize)[1]
    axes.cla()
    _style(axes)
    for index, (x, y) in enumerate(zip(X, Y, strict=True)):
        axes.plot(x, y, fmts[index % len(fmts)])
    axes.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
    axes.set_title(title or "", fontsize=10)
    limits = {"xlim": xlim, "ylim": ylim}  # even None would cut off what is drawn later
    axes.set(**{name: ends for name, ends in limits.items() if ends is not None})
    if legend:
        axes.legend(legend, fontsize=9)
    axes.grid(alpha=0.3)
    told = getattr(before and before.figure, "alt", "")  # of other panels
    fig = axes.figure
    fig.alt = f"{told} {alt or _describe_curves(X, Y, xlabel, ylabel, legend, title)}".strip()
    return fig


class ShapeError(ValueError, AssertionError):
    """A shape differs from the expected one; d2l raises AssertionError here."""


def check_shape(a, shape):
    """Raise `ShapeError` unless `a` has the given shape."""
    need(hasattr(a, "shape"), "a", "be a tensor or an array", a, error=TypeError)
    need(isinstance(shape, (tuple, list)), "shape", "be a tuple", shape, error=TypeError)
    got, shape = tuple(a.shape), tuple(shape)
    need(got == shape, "a", f"have shape {shape}", got, error=ShapeError)


def _style(ax):
    ax.set_prop_cycle(color=COLORS)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=9)


def _numbers(a, name):
    """A float array from a tensor (on any device, with or without gradient), array or list."""
    try:
        return _to_numpy(a)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        got = getattr(a, "dtype", None) or type(a).__name__
        must = "hold numbers, as a tensor, an array or lists of equal lengths"
        refuse(name, must, f"{got}: {error}", error=TypeError)


def _to_numpy(a):
    if isinstance(a, torch.Tensor):
        if a.is_complex():
            raise TypeError("complex numbers have no place on one axis")
        a = a.detach().cpu().to(torch.float64)
    elif isinstance(a, (list, tuple)):
        a = np.stack([_to_numpy(item) for item in a]) if len(a) else np.empty(0)
    return np.asarray(a, dtype=float)


def _number(value, name):
    """A finite float from a number or a tensor or array that holds one."""
    try:
        number = float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        number = math.nan
    need(math.isfinite(number), name, "be one finite number", value)
    return number


def _curves(data, name):
    """A list of 1-D arrays from one sequence of numbers or several, of any kinds."""
    if isinstance(data, (list, tuple)) and any(np.ndim(_numbers(item, name)) for item in data):
        return [_numbers(item, name).reshape(-1) for item in data]
    array = _numbers(data, name)
    return list(array.reshape(-1, array.shape[-1])) if array.ndim > 1 else [array.reshape(-1)]


def _labels(labels, name, *lengths):
    """Labels as strings, one for each thing to label; None where there are none."""
    labels = [] if labels is None else labels
    need(np.iterable(labels), name, "be a list of labels", labels, error=TypeError)
    labels = [str(label) for label in labels]
    expected = " or ".join(map(str, sorted({*lengths})))
    need(len(labels) in (0, *lengths), name, f"hold {expected} labels", len(labels))
    return labels or None


def _name(axis, labels, **how):
    """Rows or columns with their labels, else with whole numbers."""
    if labels:
        names = [label.replace("$", r"\$") for label in labels]  # a token is no formula
        axis.set_ticks(range(len(labels)), names, **how)
    else:
        axis.get_major_locator().set_params(integer=True)


def write_numbers(ax, image, matrix, told, fontsize=8):
    """Write told(number) into each cell of a matrix, in white where the cell is dark."""
    for (i, j), number in np.ndenumerate(matrix):
        red, green, blue, _ = image.cmap(image.norm(number))
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
        color = "w" if dark else "k"
        ax.text(j, i, told(number), ha="center", va="center", fontsize=fontsize, color=color)


def _describe_heatmaps(data, xlabel, ylabel, titles):
    panels = data.reshape(-1, *data.shape[2:])
    parts = []
    for index, matrix in enumerate(panels):
        finite = matrix[np.isfinite(matrix)]
        span = f"{finite.min():.2f} to {finite.max():.2f}" if finite.size else "nothing finite"
        parts.append(f"{titles[index % len(titles)]}: {span}" if titles else span)
    count = "Heatmap" if len(panels) == 1 else f"{len(panels)} heatmaps"
    return (
        f"{count}, {data.shape[2]} rows ({ylabel}) by {data.shape[3]} columns ({xlabel}). "
        f"Values: {'; '.join(parts)}."
    )


def _describe_curves(X, Y, xlabel, ylabel, legend, title):
    parts = []
    for index, (x, y) in enumerate(zip(X, Y, strict=True)):
        name = legend[index] if legend else f"curve {index + 1}"
        drawn = np.isfinite(x) & np.isfinite(y)
        x, y = x[drawn], y[drawn]
        parts.append(
            f"{name} starts at {y[0]:.2f}, ends at {y[-1]:.2f}, lies between {y.min():.2f} and "
            f"{y.max():.2f} for {xlabel or 'x'} from {x.min():.2f} to {x.max():.2f}"
            if len(y) else f"{name} has no finite value"
        )  # fmt: skip
    head = f"{title}: " if title else ""
    return f"{head}{ylabel or 'y'} against {xlabel or 'x'}: {'; '.join(parts)}."
