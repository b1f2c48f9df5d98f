"""The pictures: what is drawn is the data, and the colour bar tells the truth."""

import base64
import io
import itertools
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib import get_data_path
from matplotlib.colors import ListedColormap, to_rgba
from matplotlib.font_manager import FontProperties, findfont
from PIL import Image
from reference import assert_same, d2l

import attn_lesson  # noqa: F401, whose pictures are small
import attn_teach as at


@pytest.fixture(autouse=True)
def close_figures():
    yield
    at.plt.close("all")


@pytest.mark.parametrize("family", ["sans-serif", "monospace"])
@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_letters_are_matplotlibs_own_on_every_machine(family, weight):
    font = findfont(FontProperties(family=family, weight=weight))
    assert Path(font).resolve().is_relative_to(Path(get_data_path()).resolve())


DATA = torch.rand(2, 3, 4, 5, generator=torch.Generator().manual_seed(0)) * torch.arange(
    1.0, 7
).view(2, 3, 1, 1)


def panels(fig):
    return [ax for ax in fig.axes if ax.images]


@pytest.mark.parametrize(
    "convert",
    [
        lambda t: t,
        lambda t: t.clone().requires_grad_(),
        lambda t: t.numpy(),
        lambda t: t.tolist(),
        lambda t: [list(row) for row in t],
    ],
)
def test_heatmaps_show_the_data_on_one_true_scale(convert):
    fig = at.show_heatmaps(convert(DATA), "Keys", "Queries", titles=["a", "b", "c"])
    drawn = panels(fig)
    assert len(drawn) == 6
    bars = [ax for ax in fig.axes if ax not in drawn]
    assert len(bars) == 1, "one bar"
    for ax, matrix in zip(drawn, DATA.view(6, 4, 5), strict=True):
        image = ax.images[0]
        assert_same(torch.tensor(np.asarray(image.get_array())), matrix.double(), 1e-7)
        assert image.get_clim() == (DATA.min().item(), DATA.max().item())
        assert image.origin == "upper", "queries run down"
    # The colour next to a number on the bar is the colour of a cell with that number.
    fig.canvas.draw()
    image, bar = drawn[-1].images[0], bars[0]
    assert bar.get_ylim() == image.get_clim()
    assert [ax.get_title() for ax in drawn] == ["a", "b", "c"] * 2
    assert [ax.get_xlabel() for ax in drawn] == [""] * 3 + ["Keys"] * 3
    assert [ax.get_ylabel() for ax in drawn] == ["Queries", "", ""] * 2
    assert "4 rows (Queries) by 5 columns (Keys)" in fig.alt


def test_heatmap_labels_titles_and_numbers():
    fig = at.show_heatmaps(
        DATA,
        "Keys",
        "Queries",
        titles=list("abcdef"),
        xticklabels=["the", "cat", "sat", "on", "it"],
        yticklabels=list("wxyz"),
        annotate=True,
        alt="Six panels.",
    )
    drawn = panels(fig)
    assert [ax.get_title() for ax in drawn] == list("abcdef")
    assert [t.get_text() for t in drawn[-1].get_xticklabels()] == ["the", "cat", "sat", "on", "it"]
    assert [t.get_text() for t in drawn[0].get_yticklabels()] == list("wxyz")
    texts = [t.get_text() for t in drawn[1].texts]
    assert texts == [f"{v:.2f}" for v in DATA[0, 1].flatten().tolist()]
    assert fig.alt == "Six panels."


def test_numbers_stand_out_from_their_cells():
    fig = at.show_heatmaps([[[[0.0, 0.5, 1.0]]]], "k", "q", annotate=True)
    ax = panels(fig)[0]
    assert [to_rgba(t.get_color())[0] for t in ax.texts] == [0, 0, 1], "white on dark"


@pytest.mark.parametrize(
    ("matrix", "texts"),
    [([[110, 2]], ["110", "2"]), ([[1.0, 0.0]], ["1", "0"]), ([[1.0, 0.5]], ["1.00", "0.50"])],
)
def test_whole_numbers_have_no_decimals(matrix, texts):
    fig = at.show_heatmaps([[matrix]], "k", "q", annotate=True)
    assert [t.get_text() for t in panels(fig)[0].texts] == texts


def test_numbers_can_be_read_on_every_color():
    colors = ["red", "lime", "blue", "yellow", "cyan"]
    matrix = torch.arange(5.0).view(1, 1, 1, 5)
    fig = at.show_heatmaps(matrix, "k", "q", cmap=ListedColormap(colors), annotate=True)
    assert [t.get_color() for t in panels(fig)[0].texts] == ["w", "k", "w", "k", "k"]


@pytest.mark.parametrize("labels", ["xticklabels", "yticklabels"])
def test_tokens_are_no_formulas(labels):
    fig = at.show_heatmaps(torch.rand(1, 1, 2, 2), "k", "q", **{labels: ["$$", "$^$"]})
    assert fig.png()


def test_rows_and_columns_without_names_are_numbered():
    ax = panels(at.show_heatmaps(torch.rand(1, 1, 2, 2), "k", "q"))[0]
    for axis in (ax.xaxis, ax.yaxis):
        seen = [place for place in axis.get_majorticklocs() if 0 <= place <= 1]
        assert seen == [0, 1], "there is no key 0.5"


def test_names_of_keys_do_not_overlap():
    fig = at.show_heatmaps(torch.rand(1, 1, 2, 5), "k", "q", xticklabels=["attention"] * 5)
    fig.canvas.draw()
    boxes = [label.get_window_extent() for label in panels(fig)[0].get_xticklabels()]
    assert all(left.x1 <= right.x0 for left, right in itertools.pairwise(boxes))


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 3), (2, 1)])
def test_every_panel_has_room_unless_a_size_is_given(rows, cols):
    matrices = torch.rand(rows, cols, 2, 2)
    width, height = at.show_heatmaps(matrices, "k", "q").get_size_inches()
    assert (height, width >= 2.5 * cols, width < 2.5 * cols + 2) == (2.5 * rows, True, True)
    assert at.show_heatmaps(matrices, "k", "q", figsize=(4, 3)).get_size_inches().tolist() == [4, 3]


@pytest.mark.parametrize(
    ("limits", "ends", "extend"),
    [
        ({}, (1, 4), "neither"),
        ({"vmin": 0}, (0, 4), "neither"),
        ({"vmin": 2}, (2, 4), "min"),
        ({"vmax": 0, "vmin": -1}, (-1, 0), "max"),
        ({"vmin": 2, "vmax": 3}, (2, 3), "both"),
    ],
)
def test_the_bar_tells_which_numbers_are_off_the_scale(limits, ends, extend):
    fig = at.show_heatmaps([[[[1.0, 2], [3, 4]]]], "k", "q", **limits)
    image = panels(fig)[0].images[0]
    assert image.get_clim() == ends and image.colorbar.extend == extend


def test_the_description_of_heatmaps():
    matrices = [[[[0.0, 1, 2]], [[3, float("nan"), 5]]], [[[float("-inf")] * 3], [[8, 8, 8]]]]
    fig = at.show_heatmaps(matrices, "keys", "queries", ["left", "right"])
    assert fig.alt == (
        "4 heatmaps, 1 rows (queries) by 3 columns (keys). Values: left: 0.00 to 2.00; "
        "right: 3.00 to 5.00; left: nothing finite; right: 8.00 to 8.00."
    )
    fig = at.show_heatmaps([[[[float("nan")] * 2] * 3]], "k", "q")
    assert fig.alt == "Heatmap, 3 rows (q) by 2 columns (k). Values: nothing finite."
    assert panels(fig)[0].images[0].get_clim() == (0, 1)


def test_the_description_of_curves_is_about_what_is_drawn():
    nan, inf = float("nan"), float("inf")
    fig = at.plot(
        [[0.0, 1, 2, 3, 4], [nan, nan], [-inf, 7.0]],
        [[nan, 5.0, 1, 2, inf], [1.0, 2], [9.0, 6]],
        "time",
        "size",
        ["a", "b", "c"],
        title="Sizes",
    )
    assert fig.alt == (
        "Sizes: size against time: a starts at 5.00, ends at 2.00, lies between 1.00 and 5.00 for "
        "time from 1.00 to 3.00; b has no finite value; c starts at 6.00, ends at 6.00, lies "
        "between 6.00 and 6.00 for time from 7.00 to 7.00."
    )
    assert at.plot([1.0, 2.0]).alt == (
        "y against x: curve 1 starts at 1.00, ends at 2.00, lies between 1.00 and 2.00 for x from "
        "0.00 to 1.00."
    )


def test_no_label_is_clipped():
    fig = at.show_heatmaps(
        DATA[:1, :1],
        "Keys",
        "Queries",
        xticklabels=["extraordinarily"] * 5,
        yticklabels=["x" * 20] * 4,
    )
    fig.canvas.draw()
    whole = fig.get_tightbbox()
    for label in [*panels(fig)[0].get_xticklabels(), *panels(fig)[0].get_yticklabels()]:
        box = label.get_window_extent().transformed(fig.dpi_scale_trans.inverted())
        assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0


def test_scale_limits_booleans_constants_and_infinity():
    fig = at.show_heatmaps(DATA, "k", "q", vmin=0, vmax=1)
    assert panels(fig)[0].images[0].get_clim() == (0, 1)
    assert panels(fig)[-1].images[0].colorbar.extend == "max", "the bar says that data exceed it"
    mask = at.causal_mask(3).reshape(1, 1, 3, 3)
    assert panels(at.show_heatmaps(mask, "k", "q"))[0].images[0].get_clim() == (0, 1)
    fig = at.show_heatmaps(torch.full((1, 2, 2, 2), 0.5), "k", "q")
    fig.canvas.draw()
    left, right = (ax.images[0] for ax in panels(fig))
    assert left.norm is right.norm and left.get_clim()[0] < 0.5 < left.get_clim()[1]
    scores = torch.tensor([[[[0.0, -torch.inf], [2.0, 1.0]]]])
    fig = at.show_heatmaps(scores, "k", "q")
    assert panels(fig)[0].images[0].get_clim() == (0, 2)


def test_plot_draws_what_the_book_s_draws():
    x = torch.linspace(1, 2, 6)
    cases = [
        (x, None),
        (x.tolist(), None),
        ([x, 2 * x], None),
        (x, x.sin()),
        (x, [x.sin(), x.cos()]),
        (x, torch.stack([x.sin(), x.cos(), x.exp()])),
        (np.stack([x, 2 * x]), None),
        ([x, x[:3]], [x.sin(), x[:3].cos()]),
        (x.numpy(), np.sin(x.numpy())),
    ]
    for X, Y in cases:
        at.plt.close("all")
        # The book asks IPython for SVG; only what it draws matters here.
        d2l.use_svg_display = lambda: None
        _, axes = at.plt.subplots()
        d2l.plot(X, Y, axes=axes, xlabel="x", ylabel="y", xlim=[0, 3], yscale="linear")
        ours = at.plot(X, Y, "x", "y", xlim=[0, 3]).axes[0]
        assert len(ours.lines) == len(axes.lines)
        for mine, theirs in zip(ours.lines, axes.lines, strict=True):
            assert_same(torch.tensor(mine.get_xydata()), torch.tensor(theirs.get_xydata()).double())
        assert ours.get_xlim() == axes.get_xlim() and ours.get_xlabel() == "x"


def test_plot_draws_every_curve_with_words():
    x = torch.linspace(0, 1, 4, requires_grad=True)
    curves = [k * x for k in range(6)]
    fig = at.plot(x, curves, "time", "size", list("abcdef"), yscale="symlog", title="Six")
    (axes,) = fig.axes
    assert len(axes.lines) == 6, "more curves than formats"
    assert len({line.get_color() for line in axes.lines}) == 6
    assert [t.get_text() for t in axes.get_legend().get_texts()] == list("abcdef")
    assert (axes.get_title(), axes.get_yscale()) == ("Six", "symlog")
    assert "f starts at 0.00, ends at 5.00" in fig.alt and "time" in fig.alt


def test_points_drawn_later_are_not_cut_off():
    fig = at.plot([0.0, 1.0], [0.0, 1.0])
    at.plt.plot([2.0], [3.0], "o")
    (axes,) = fig.axes
    assert axes.get_xlim()[1] > 2 and axes.get_ylim()[1] > 3


def test_axes_scales_and_formats_are_those_asked_for():
    x = torch.arange(1.0, 5)
    fig = at.plot(x, [x, 2 * x, 3 * x], "n", "time", None, (1, 9), (2, 8), "log", "log", ["o", "-"])
    (ax,) = fig.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("n", "time") and not ax.get_legend()
    assert (ax.get_xlim(), ax.get_ylim()) == ((1, 9), (2, 8))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [line.get_marker() for line in ax.lines] == ["o", "None", "o"]
    assert at.plot(x, x, figsize=(4, 3)).get_size_inches().tolist() == [4, 3]
    assert len({line.get_linestyle() for line in at.plot(x, [x] * 4).axes[0].lines}) == 4
    at.plot(x, 2 * x, axes=ax)
    assert len(ax.lines) == 1, "the axes are cleared first"


def test_panels_of_one_figure():
    fig, axes = at.subplots(1, 2, figsize=(6, 2))
    assert at.plot([1.0, 2], [3.0, 4], axes=axes[0], title="left") is fig
    at.plot([1.0, 2], [5.0, 6], axes=axes[1], title="right")
    assert axes[1].lines[0].get_ydata().tolist() == [5, 6]
    assert "left" in fig.alt and "right" in fig.alt


def test_a_notebook_shows_a_figure_once_with_its_text(monkeypatch):
    import IPython.display

    shown = []
    monkeypatch.setattr(
        IPython.display, "display", lambda data, **options: shown.append((data, options))
    )
    alt = 'A rising <line> "y" & more.'
    fig = at.plot([1.0, 2], [3.0, 4], alt=alt)
    fig._ipython_display_()
    ((data, options),) = shown
    assert options == {"raw": True, "metadata": {"image/png": {"alt": alt}}}
    assert data["text/plain"] == alt
    assert data["image/png"].startswith("iVBORw0KGgo"), "a PNG"
    attributes = dict(re.findall(r' ([a-z]+)="([^"<>]*)"', data["text/html"]))
    assert unescape(attributes["alt"]) == alt
    picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert (int(attributes["width"]), int(attributes["height"])) == picture.size
    assert not at.plt.get_fignums(), "an open figure would be shown twice"


def seen(fig):
    """The figure's HTML image and PNG, as arrays of their colors, and the image's src."""
    data, _ = fig.bundle()
    src = re.search(r'src="(data:image/\w+;base64,(.*?))"', data["text/html"])
    pictures = [Image.open(io.BytesIO(base64.b64decode(d))) for d in (src[2], data["image/png"])]
    return *(np.asarray(p.convert("RGB")).astype(int) for p in pictures), src[1]


def drawn(fig, dpi=200):
    """The figure as Matplotlib draws it."""
    fig.savefig(file := io.BytesIO(), dpi=dpi, facecolor="white", bbox_inches="tight")
    return np.asarray(Image.open(file).convert("RGB")).astype(int)


def smooth():
    weights = torch.linspace(0, 1, 400).reshape(1, 1, 20, 20)
    fig = at.show_heatmaps(weights, "Keys", "Queries", vmin=0, vmax=1, alt="Smooth.")
    fig.png(), fig.png()  # the layout settles in the first two drawings
    return fig


def colorful():
    fig, ax = at.subplots(figsize=(2, 2))
    ax.imshow(torch.rand(20, 20, 3, generator=torch.Generator().manual_seed(0)).numpy())
    return fig


KINDS = {
    "smooth": smooth,
    "400 colors": colorful,
    "curves": lambda: at.plot([0.0, 1, 2], [[0.0, 1, 0], [1.0, 0, 2]], "x", "y", ["a", "b"]),
    "numbers": lambda: at.show_heatmaps([[[[0.3, 0.06]]]], "k", "q", vmin=0, annotate=True),
}


@pytest.mark.parametrize("draw", KINDS.values(), ids=KINDS)
def test_the_html_image_has_twice_the_pixels_and_every_color(draw):
    fig = draw()
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


def test_a_smooth_surface_has_no_terraces():
    """400 cells from white to dark: three of 256 levels of a color map may share a color."""
    for picture in seen(smooth())[:2]:
        _, counts = np.unique(picture.reshape(-1, 3), axis=0, return_counts=True)
        assert (counts > 20).sum() > 85


@pytest.mark.parametrize("weights", [(0.30, 0.06), (0.06, 0.04)])
def test_two_weights_keep_two_colors(weights):
    fig = at.show_heatmaps([[[weights]]], "k", "q", vmin=0, vmax=1)
    for picture in seen(fig)[:2]:
        colors = {tuple(color) for color in picture.reshape(-1, 3)}
        for weight in weights:
            wanted = np.array(at.plt.get_cmap("Blues")(weight)[:3]) * 255
            assert min(np.abs(np.array(color) - wanted).max() for color in colors) < 2


def test_a_faint_line_stays():
    fig, ax = at.subplots(figsize=(2, 2))
    ax.set_axis_off()
    ax.axhline(0.5, color="#e8e8e8", lw=0.5)
    for picture in seen(fig)[:2]:
        assert (picture < 252).any()


def test_pictures_are_small_and_the_same_each_time():
    first, second = seen(smooth()), seen(smooth())
    assert first[2] == second[2]
    fig = KINDS["curves"]()
    fig.savefig(file := io.BytesIO(), dpi=200, bbox_inches="tight")
    data, _ = fig.bundle()
    assert len(data["image/png"]) < len(data["text/html"]) < len(file.getvalue()) * 0.8


def test_the_quick_picture_shows_all_of_it():
    fig = at.plot([0.0, 1.0], [0.0, 1.0], "time in hours", "height in meters", title="A title")
    picture = np.asarray(
        Image.open(io.BytesIO(base64.b64decode(fig.bundle(small=False)[0]["image/png"]))).convert(
            "L"
        )
    )
    for edge in (picture[0], picture[-1], picture[:, 0], picture[:, -1]):
        assert (edge == 255).all(), "something touches the edge"


def test_check_shape_says_nothing_where_it_is_right():
    assert at.check_shape(torch.rand(2, 3), (2, 3)) is None


def test_ends_of_the_scale_may_be_tensors():
    weights = torch.rand(1, 1, 3, 4)
    fig = at.show_heatmaps(weights, "k", "q", vmin=weights.min(), vmax=weights.max())
    assert fig.axes[0].images[0].norm.vmin == pytest.approx(weights.min().item())
    assert fig.axes[1].get_ylim() == pytest.approx((weights.min().item(), weights.max().item()))
