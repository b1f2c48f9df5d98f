"""The pictures: what is drawn is the data, and the colour bar tells the truth."""

import base64
import io
import itertools
import re
from html import unescape

import numpy as np
import pytest
import torch
from matplotlib.colors import ListedColormap
from PIL import Image
from reference import assert_same, d2l

import attn_lesson  # noqa: F401, whose pictures are small
import attn_teach as at

NAN, INF = float("nan"), float("inf")
GENERATOR = torch.Generator().manual_seed(0)
DATA = torch.rand(2, 3, 4, 5, generator=GENERATOR) * torch.arange(1.0, 7).view(2, 3, 1, 1)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    at.plt.close("all")


def panels(fig):
    return [ax for ax in fig.axes if ax.images]


def of_one(matrix, **options):
    """The panel of a heatmap of one matrix."""
    return panels(at.show_heatmaps([[matrix]], "k", "q", **options))[0]


def words(texts):
    return [text.get_text() for text in texts]


@pytest.mark.parametrize(
    "convert",
    [
        lambda t: t.clone().requires_grad_(),
        lambda t: [*map(list, t)],
    ],
    ids=["leaf", "lists of tensors"],
)
def test_heatmaps_show_the_data_on_one_true_scale(convert):
    fig = at.show_heatmaps(convert(DATA), "Keys", "Queries", titles=["a", "b", "c"])
    drawn = panels(fig)
    (bar,) = (ax for ax in fig.axes if ax not in drawn)
    for ax, matrix in zip(drawn, DATA.view(6, 4, 5), strict=True):
        image = ax.images[0]
        assert_same(torch.tensor(np.asarray(image.get_array())), matrix.double(), 1e-7)
        assert image.get_clim() == (DATA.min().item(), DATA.max().item())
        assert image.norm is drawn[0].images[0].norm and image.origin == "upper"
    # The colour next to a number on the bar is the colour of a cell with that number.
    fig.canvas.draw()
    assert bar.get_ylim() == drawn[-1].images[0].get_clim()
    assert [ax.get_title() for ax in drawn] == ["a", "b", "c"] * 2
    assert [ax.get_xlabel() for ax in drawn] == [""] * 3 + ["Keys"] * 3
    assert [ax.get_ylabel() for ax in drawn] == ["Queries", "", ""] * 2


def test_heatmap_labels_titles_and_numbers():
    columns, rows = ["the", "cat", "sat", "on", "it"], list("wxyz")
    drawn = panels(fig := at.show_heatmaps(
        DATA, "Keys", "Queries", titles=list("abcdef"), xticklabels=columns, yticklabels=rows,
        annotate=True, alt="Six panels.",
    ))  # fmt: skip
    assert [ax.get_title() for ax in drawn] == list("abcdef")
    assert words(drawn[-1].get_xticklabels()) == columns
    assert words(drawn[0].get_yticklabels()) == rows
    assert words(drawn[1].texts) == [f"{v:.2f}" for v in DATA[0, 1].flatten().tolist()]
    assert fig.alt == "Six panels."


@pytest.mark.parametrize(
    ("matrix", "texts"),
    [([[110, 2]], ["110", "2"]), ([[1.0, 0.0]], ["1", "0"]), ([[1.0, 0.5]], ["1.00", "0.50"])],
)
def test_whole_numbers_have_no_decimals(matrix, texts):
    assert words(of_one(matrix, annotate=True).texts) == texts


def test_numbers_can_be_read_on_every_color():
    some = ListedColormap(["red", "lime", "blue", "yellow", "cyan"])
    for matrix, cmap, colors in (
        ([[0.0, 0.5, 1.0]], "Blues", "kkw"),
        ([[0, 1, 2, 3, 4]], some, "wkwkk"),
    ):
        texts = of_one(matrix, cmap=cmap, annotate=True).texts
        assert [text.get_color() for text in texts] == list(colors)


@pytest.mark.parametrize("labels", ["xticklabels", "yticklabels"])
def test_tokens_are_no_formulas(labels):
    assert at.show_heatmaps(torch.rand(1, 1, 2, 2), "k", "q", **{labels: ["$$", "$^$"]}).png()


def test_names_do_not_overlap_and_are_not_clipped():
    long, tall = ["extraordinarily"] * 5, ["x" * 20] * 4
    for names in {"xticklabels": long}, {"xticklabels": long, "yticklabels": tall}:
        ax = of_one(torch.rand(4, 5).tolist(), **names)
        ax.figure.canvas.draw()
        columns = [label.get_window_extent() for label in ax.get_xticklabels()]
        rows = [label.get_window_extent() for label in ax.get_yticklabels()]
        whole = ax.figure.get_tightbbox().transformed(ax.figure.dpi_scale_trans)
        for box in columns + rows:
            assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0
        if len(names) == 1:
            assert all(left.x1 <= right.x0 for left, right in itertools.pairwise(columns))


@pytest.mark.parametrize(
    ("matrix", "limits", "ends", "extend"),
    [
        ([[1.0, 2], [3, 4]], {}, (1, 4), "neither"),
        ([[1.0, 2], [3, 4]], {"vmax": 0, "vmin": -1}, (-1, 0), "max"),
        ([[1.0, 2], [3, 4]], {"vmin": 2, "vmax": 3}, (2, 3), "both"),
        ([[0.0, -INF], [2, NAN]], {}, (0, 2), "neither"),
        ([[NAN]], {}, (0, 1), "neither"),
        ([[0.5, 0.5]], {}, (0.45, 0.55), "neither"),  # the bar needs a width
    ],
)
def test_the_bar_tells_the_scale_and_which_numbers_are_off_it(matrix, limits, ends, extend):
    image = of_one(matrix, **limits).images[0]
    assert image.get_clim() == pytest.approx(ends)
    assert image.colorbar.extend == extend


def test_the_description_of_heatmaps():
    matrices = [[[[0.0, 1, 2]], [[3, NAN, 5]]], [[[-INF] * 3], [[8, 8, 8]]]]
    fig = at.show_heatmaps(matrices, "keys", "queries", ["left", "right"])
    assert fig.alt == (
        "4 heatmaps, 1 rows (queries) by 3 columns (keys). Values: left: 0.00 to 2.00; "
        "right: 3.00 to 5.00; left: nothing finite; right: 8.00 to 8.00."
    )
    fig = at.show_heatmaps([[[[NAN] * 2] * 3]], "k", "q")
    assert fig.alt == "Heatmap, 3 rows (q) by 2 columns (k). Values: nothing finite."


def test_the_description_of_curves_is_about_what_is_drawn():
    x = [[0.0, 1, 2, 3, 4], [NAN, NAN], [-INF, 7.0]]
    y = [[NAN, 5.0, 1, 2, INF], [1.0, 2], [9.0, 6]]
    assert at.plot(x, y, "time", "size", ["a", "b", "c"], title="Sizes").alt == (
        "Sizes: size against time: a starts at 5.00, ends at 2.00, lies between 1.00 and 5.00 for "
        "time from 1.00 to 3.00; b has no finite value; c starts at 6.00, ends at 6.00, lies "
        "between 6.00 and 6.00 for time from 7.00 to 7.00."
    )
    assert at.plot([1.0, 2.0]).alt == (
        "y against x: curve 1 starts at 1.00, ends at 2.00, lies between 1.00 and 2.00 for x from "
        "0.00 to 1.00."
    )


def test_plot_draws_what_the_book_s_draws(monkeypatch):
    monkeypatch.setattr(d2l, "use_svg_display", lambda: None)  # only what it draws matters here
    x = torch.linspace(1, 2, 6)
    for X, Y in [
        (x, None),
        (x.tolist(), None),
        ([x, 2 * x], None),
        (x, x.sin()),
        (x, [x.sin(), x.cos()]),
        (x, torch.stack([x.sin(), x.cos(), x.exp()])),
        (np.stack([x, 2 * x]), None),
        ([x, x[:3]], [x.sin(), x[:3].cos()]),
        (x.numpy(), np.sin(x.numpy())),
    ]:
        _, axes = at.plt.subplots()
        d2l.plot(X, Y, axes=axes, xlabel="x", ylabel="y", xlim=[0, 3], yscale="linear")
        ours = at.plot(X, Y, "x", "y", xlim=[0, 3]).axes[0]
        for mine, theirs in zip(ours.lines, axes.lines, strict=True):
            assert_same(torch.tensor(mine.get_xydata()), torch.tensor(theirs.get_xydata()).double())
        assert ours.get_xlim() == axes.get_xlim() and ours.get_xlabel() == "x"


def test_words_scales_and_formats_are_those_asked_for():
    x = torch.arange(1.0, 5, requires_grad=True)
    fig = at.plot(x, [k * x for k in range(6)], "n", "time", list("abcdef"), (1, 9), (2, 8),
                  "log", "symlog", ["o", "-"], title="Six")  # fmt: skip
    (ax,) = fig.axes
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("n", "time", "Six")
    assert words(ax.get_legend().get_texts()) == list("abcdef")
    assert (ax.get_xlim(), ax.get_ylim()) == ((1, 9), (2, 8))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "symlog")
    assert [line.get_marker() for line in ax.lines] == ["o", "None"] * 3
    assert len({line.get_color() for line in ax.lines}) == 6
    assert at.plot(x, x, figsize=(4, 3)).get_size_inches().tolist() == [4, 3]
    assert len({line.get_linestyle() for line in at.plot(x, [x] * 4).axes[0].lines}) == 4
    at.plot(x, 2 * x, axes=ax)
    assert len(ax.lines) == 1 and not ax.get_legend(), "the axes are cleared first"


def test_panels_of_one_figure():
    fig, axes = at.subplots(1, 2, figsize=(6, 2))
    assert at.plot([1.0, 2], [3.0, 4], axes=axes[0], title="left") is fig
    at.plot([1.0, 2], [5.0, 6], axes=axes[1], title="right")
    assert axes[1].lines[0].get_ydata().tolist() == [5, 6]
    assert fig.alt.startswith("left: ") and " right: " in fig.alt


def test_a_notebook_shows_a_figure_once_with_its_text(monkeypatch):
    import IPython.display

    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda *data, **how: shown.append((*data, how)))
    alt = 'A rising <line> "y" & more.'
    at.plot([1.0, 2], [3.0, 4], alt=alt)._ipython_display_()
    ((data, options),) = shown
    assert options == {"raw": True, "metadata": {"image/png": {"alt": alt}}}
    assert data["text/plain"] == alt
    attributes = dict(re.findall(r' ([a-z]+)="([^"<>]*)"', data["text/html"]))
    assert unescape(attributes["alt"]) == alt
    picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert picture.format == "PNG"
    assert (int(attributes["width"]), int(attributes["height"])) == picture.size
    assert not at.plt.get_fignums(), "an open figure would be shown twice"


# Small pictures, as lessons keep them: attn_lesson/pictures.py


def seen(fig):
    """The figure's HTML image and PNG, as arrays of their colors, and the image's src."""
    data, _ = fig.bundle()
    src = re.search(r'src="(data:image/\w+;base64,(.*?))"', data["text/html"])
    pictures = [Image.open(io.BytesIO(base64.b64decode(d))) for d in (src[2], data["image/png"])]
    return *(np.asarray(p.convert("RGB")).astype(int) for p in pictures), src[1]


def drawn(fig):
    """The figure as Matplotlib draws it."""
    fig.savefig(file := io.BytesIO(), dpi=200, facecolor="white", bbox_inches="tight")
    return np.asarray(Image.open(file).convert("RGB")).astype(int)


def smooth():
    weights = torch.linspace(0, 1, 400).reshape(1, 1, 20, 20)
    fig = at.show_heatmaps(weights, "Keys", "Queries", vmin=0, vmax=1, alt="Smooth.")
    fig.png(), fig.png()  # the layout settles in the first drawings
    return fig


KINDS = {
    "smooth": smooth,
    "curves": lambda: at.plot([0.0, 1, 2], [[0.0, 1, 0], [1.0, 0, 2]], "x", "y", ["a", "b"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_small_pictures_have_twice_the_pixels_and_every_color(kind):
    fig = KINDS[kind]()
    fig.png(), fig.png()
    sharp, small, _ = seen(fig)
    assert sharp.shape == (2 * small.shape[0], 2 * small.shape[1], 3)
    wanted = drawn(fig)
    rows, columns, _ = wanted.shape
    off = np.abs(sharp[:rows, :columns] - wanted).max(axis=2)
    same = np.ones((rows - 2, columns - 2), bool)
    for y, x in itertools.product(range(3), repeat=2):
        same &= (wanted[y : y + rows - 2, x : x + columns - 2] == wanted[1:-1, 1:-1]).all(axis=2)
    assert off[1:-1, 1:-1][same].max() <= 1, "a surface has another color"
    assert off.max() <= 32, "an edge has another color"
    if kind == "smooth":  # 400 cells from white to dark: three of 256 levels may share a color
        for picture in sharp, small:
            _, counts = np.unique(picture.reshape(-1, 3), axis=0, return_counts=True)
            assert (counts > 20).sum() > 85, "terraces"


@pytest.mark.parametrize("draw, boxes", [(smooth, 2), (KINDS["curves"], 0)])
def test_where_colors_are_numbers_is_told(draw, boxes):
    fig = draw()
    sharp, *_ = seen(fig)
    told = re.search('data-colored="(.*?)"', fig.bundle()[0]["text/html"])[1]
    told = told.split(", ") if told else []
    assert len(told) == boxes
    size = np.array([sharp.shape[1], sharp.shape[0]] * 2) / 100
    blue = (sharp[..., 2] - sharp[..., 0] > 60) & (sharp[..., 2] > 80)
    for box in told:
        left, top, right, bottom = np.round(np.array(box.split(), float) * size).astype(int)
        assert blue[top + 3 : bottom - 3, left + 3 : right - 3].mean() > 0.5, "another place"
        around = blue[top - 4 : bottom + 4, left - 4 : right + 4].copy()
        around[2:-2, 2:-2] = False
        assert not around.any(), "the color goes on beyond it"


def test_pictures_are_small_with_the_lessons_alone(monkeypatch):
    fig = KINDS["curves"]()
    fig.savefig(file := io.BytesIO(), dpi=200, bbox_inches="tight")
    data, _ = fig.bundle()
    assert KINDS["curves"]().bundle()[0] == data, "the same each time"
    assert len(data["image/png"]) < len(data["text/html"]) < len(file.getvalue()) * 0.8
    monkeypatch.setattr(type(fig), "shrink", staticmethod(lambda image: image))
    assert len(fig.bundle()[0]["image/png"]) > 1.5 * len(data["image/png"])
