"""Heatmaps and curves, with the description that a screen reader needs."""

import base64
import io
import math
from html import escape

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from PIL import Image, ImageOps, features

from .checks import shown, told, typed
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

    def png(self, small=True):
        """The figure as the bytes of a PNG file: small, which is cropped too, or quickly made."""
        if small:
            return _encoded(self.shrink(self._sharp().reduce(2)), "png")
        return self._drawn(dpi=PIXELS)

    def bundle(self, small=True):
        """What a notebook shows of the figure: data by MIME type, and their metadata.

        JupyterLab gives a PNG no alternative text, so an HTML image goes beside it; a PDF takes
        the PNG. The small HTML image has twice the pixels, for the screens that show them.
        """
        if small:
            sharp = self._sharp()
            png, seen = _encoded(self.shrink(sharp.reduce(2)), "png"), _encoded(self.shrink(sharp))
        else:
            png = seen = self.png(small=False)
        width, height = Image.open(io.BytesIO(png)).size
        png, seen = (base64.b64encode(data).decode() for data in (png, seen))
        kind = SHARP if small else "png"
        picture = (
            f'<img src="data:image/{kind};base64,{seen}" width="{width}" height="{height}" '
            f'style="max-width: 100%; height: auto" alt="{escape(self.alt)}">'
        )
        data = {"text/html": picture, "image/png": png, "text/plain": self.alt}
        return data, {"image/png": {"alt": self.alt}}

    def _drawn(self, **kwargs):
        self.savefig(file := io.BytesIO(), facecolor="white", metadata={"Software": None}, **kwargs)
        return file.getvalue()

    def _sharp(self, crop=True):
        """The figure as an image of twice the pixels."""
        box = "tight" if crop else None
        drawn = self._drawn(dpi=2 * PIXELS, bbox_inches=box, pil_kwargs={"compress_level": 1})
        image = Image.open(io.BytesIO(drawn)).convert("RGB")
        return _even(image)

    def _ipython_display_(self):
        from IPython.display import display

        data, metadata = self.bundle()
        display(data, raw=True, metadata=metadata)
        # An open figure would be shown again at the end of the cell.
        plt.close(self)


def _even(image):
    """The image with an even number of pixels across and down."""
    return ImageOps.expand(image, (0, 0, image.width % 2, image.height % 2), "white")


def _encoded(image, kind=SHARP, quality=100):
    """The image as a file: `quality` is how hard a WebP tries to be small, which takes time."""
    image.save(file := io.BytesIO(), kind, optimize=True, lossless=True, quality=quality)
    return file.getvalue()


def subplots(nrows=1, ncols=1, alt: Text = "", figsize=None, **kwargs):
    """As `matplotlib.pyplot.subplots`, in the style of the lessons and with alternative text.

    Args:
        nrows, ncols: rows and columns of panels.
        alt: what the figure shows, in words; may be set later as `fig.alt`.
        figsize: width and height in inches.
        **kwargs: for `matplotlib.pyplot.subplots`.

    Returns:
        The figure and its axes.
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
    if data.ndim != 4 or 0 in data.shape:
        use = "add axes of size 1 with .reshape((1, 1, queries, keys))"
        raise ValueError(
            told("matrices", "have shape (rows, cols, queries, keys)", data.shape, use)
        )
    rows, cols, num_queries, num_keys = data.shape
    titles = _checked(titles, "titles", cols, rows * cols)
    xticklabels = _checked(xticklabels, "xticklabels", num_keys)
    yticklabels = _checked(yticklabels, "yticklabels", num_queries)
    finite = data[np.isfinite(data)]
    whole = (finite == finite.round()).all()
    vmin = (finite.min() if finite.size else 0.0) if vmin is None else _number(vmin, "vmin")
    vmax = (finite.max() if finite.size else 1.0) if vmax is None else _number(vmax, "vmax")
    if vmin > vmax:
        raise ValueError(told("vmin", "not be above vmax", f"{vmin:g} and {vmax:g}", "swap them"))
    if vmin == vmax:  # the bar needs a width
        spread = abs(vmin) / 10 or 0.1
        vmin, vmax = vmin - spread, vmax + spread
    norm = Normalize(vmin, vmax)  # one for all panels and the bar
    if tuple(figsize) == PANEL:
        figsize = (PANEL[0] * cols + 0.6, PANEL[1] * rows)
    fig, axes = subplots(rows, cols, figsize=figsize, sharex=True, sharey=True, squeeze=False)
    for index, (ax, matrix) in enumerate(
        zip(axes.flat, data.reshape(-1, num_queries, num_keys), strict=True)
    ):
        image = ax.imshow(matrix, cmap=cmap, norm=norm, interpolation="nearest")
        if titles:
            ax.set_title(titles[index % len(titles)], fontsize=10)
        if xticklabels:
            upright = max(map(len, xticklabels)) * num_keys > 16
            names = [label.replace("$", r"\$") for label in xticklabels]  # a token is no formula
            ax.set_xticks(range(num_keys), names, rotation=90 if upright else 0)
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)
        if yticklabels:
            names = [label.replace("$", r"\$") for label in yticklabels]
            ax.set_yticks(range(num_queries), names)
        else:
            ax.yaxis.get_major_locator().set_params(integer=True)
        ax.spines[:].set_visible(True)
        if annotate:
            _write_numbers(ax, image, matrix, ".0f" if whole else ".2f")
    for ax in axes[-1]:
        ax.set_xlabel(xlabel)
    for ax in axes[:, 0]:
        ax.set_ylabel(ylabel)
    below, above = (finite < vmin).any(), (finite > vmax).any()
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
        xlim, ylim: ends of the axes.
        xscale, yscale: "linear", "log" ...
        fmts: matplotlib formats, used in turn.
        figsize: of a new figure, in inches.
        axes: where to draw, after clearing it; a new figure unless given.
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
    if len(X) != len(Y):
        must = f"hold one sequence for all curves or one for each of the {len(Y)}"
        raise ValueError(told("X", must, len(X)))
    X = [np.arange(len(y)) if x is None or not len(x) else x for x, y in zip(X, Y, strict=True)]
    for x, y in zip(X, Y, strict=True):
        if len(x) != len(y):
            got = f"{len(x)} and {len(y)}"
            raise ValueError(told("X and Y", "have the same number of points", got))
    legend = _checked(legend, "legend", len(Y))
    new = axes is None
    if new:
        _, axes = subplots(figsize=figsize)
    axes.cla()
    _style(axes)
    for index, (x, y) in enumerate(zip(X, Y, strict=True)):
        axes.plot(x, y, fmts[index % len(fmts)])
    axes.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
    axes.set_title(title or "", fontsize=10)
    # Setting a limit, even to None, would cut off what is drawn into the axes later.
    if xlim is not None:
        axes.set_xlim(xlim)
    if ylim is not None:
        axes.set_ylim(ylim)
    if legend:
        axes.legend(legend, fontsize=9)
    axes.grid(alpha=0.3)
    fig = axes.figure
    description = alt or _describe_curves(X, Y, xlabel, ylabel, legend, title)
    fig.alt = description if new else f"{getattr(fig, 'alt', '')} {description}".strip()
    return fig


class ShapeError(ValueError, AssertionError):
    """A shape differs from the expected one; d2l raises AssertionError here."""


def check_shape(a, shape):
    """Raise `ShapeError` unless `a` has the given shape."""
    got = getattr(a, "shape", None)
    if got is None or not isinstance(shape, (tuple, list)):
        wrong = (
            ("a", "be a tensor or an array", a) if got is None else ("shape", "be a tuple", shape)
        )
        raise TypeError(told(*wrong[:2], shown(wrong[2])))
    if tuple(got) != tuple(shape):
        raise ShapeError(told("a", f"have shape {tuple(shape)}", tuple(got)))


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
        raise TypeError(told(name, must, f"{got}: {error}")) from None


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
    if not math.isfinite(number):
        raise ValueError(told(name, "be one finite number", typed(value)))
    return number


def _curves(data, name):
    """A list of 1-D arrays from one sequence of numbers or several, of any kinds."""
    if isinstance(data, (list, tuple)) and any(np.ndim(_numbers(item, name)) for item in data):
        return [_numbers(item, name).reshape(-1) for item in data]
    array = _numbers(data, name)
    return list(array.reshape(-1, array.shape[-1])) if array.ndim > 1 else [array.reshape(-1)]


def _checked(labels, name, *lengths):
    """Labels as strings, when there is one for each thing to label."""
    if labels is None:
        return None
    try:
        labels = list(labels)
    except TypeError:
        raise TypeError(told(name, "be a list of labels", typed(labels))) from None
    if not labels:
        return None
    if len(labels) not in lengths:
        expected = " or ".join(str(n) for n in sorted(set(lengths)))
        raise ValueError(told(name, f"hold {expected} labels", len(labels)))
    return [str(label) for label in labels]


def _write_numbers(ax, image, matrix, form):
    for (i, j), number in np.ndenumerate(matrix):
        red, green, blue, _ = image.cmap(image.norm(number))
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
        color = "w" if dark else "k"
        ax.text(j, i, f"{number:{form}}", ha="center", va="center", fontsize=8, color=color)


def _describe_heatmaps(data, xlabel, ylabel, titles):
    panels = data.reshape(-1, *data.shape[2:])
    parts = []
    for index, matrix in enumerate(panels):
        title = f"{titles[index % len(titles)]}: " if titles else ""
        finite = matrix[np.isfinite(matrix)]
        span = f"{finite.min():.2f} to {finite.max():.2f}" if finite.size else "nothing finite"
        parts.append(f"{title}{span}")
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
        if not len(y):
            parts.append(f"{name} has no finite value")
            continue
        parts.append(
            f"{name} starts at {y[0]:.2f}, ends at {y[-1]:.2f}, "
            f"lies between {y.min():.2f} and {y.max():.2f}"
            f" for {xlabel or 'x'} from {x.min():.2f} to {x.max():.2f}"
        )
    head = f"{title}: " if title else ""
    return f"{head}{ylabel or 'y'} against {xlabel or 'x'}: {'; '.join(parts)}."
