"""The comparison of pictures lets through what machines differ in, and nothing else."""

import base64
import io

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from pictures import compare
from PIL import Image, ImageChops, ImageFilter

from attn_lesson.pictures import few_colors

NOISE = np.random.default_rng(0).normal(size=(6, 8))
WEIGHTS = np.exp(2 * NOISE) / np.exp(2 * NOISE).sum(axis=1, keepdims=True)
X = np.linspace(0, 5, 100)
CURVE = 2 * np.sin(X) + X**0.8


def png(fig, **kwargs):
    file = io.BytesIO()
    fig.savefig(file, **{"dpi": 100, "bbox_inches": "tight", **kwargs})
    return base64.b64encode(file.getvalue()).decode()


def heatmap(weights=WEIGHTS, vmin=0, vmax=1, cmap="Blues", title="weights", dpi=100):
    fig = Figure((3.5, 2.5), layout="constrained")
    ax = fig.add_subplot()
    image = ax.imshow(weights, cmap=cmap, vmin=vmin, vmax=vmax)
    ax.set(title=title, xlabel="keys", ylabel="queries")
    fig.colorbar(image)
    return png(fig, dpi=dpi)


def curves(y=CURVE, width=1.5, **limits):
    fig = Figure((3.5, 2.5), layout="constrained")
    ax = fig.add_subplot()
    ax.plot(X, CURVE, "--", label="truth", lw=width)
    ax.plot(X, 0.6 * y + 0.4, label="prediction", lw=width)
    ax.legend()
    ax.set(xlabel="x", ylabel="y", **limits)
    return png(fig)


def changed(picture, change):
    """Return the picture (base64 text) after a change to the image in it."""
    file = io.BytesIO()
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    change(image).save(file, "png")
    return base64.b64encode(file.getvalue()).decode()


ONE_CELL = WEIGHTS.copy()
ONE_CELL[2, 3] += 0.15


DRAWN = {"heatmap": heatmap(), "curves": curves()}
RENDERED = {  # as another machine might
    "nothing": lambda image: image,
    "a pixel": lambda image: ImageChops.offset(image, -1, 1),
    "softer edges": lambda image: image.filter(ImageFilter.BoxBlur(0.5)),
    "harder edges": lambda image: image.filter(ImageFilter.SHARPEN),
    "narrower margin": lambda image: image.crop((1, 1, *image.size)),
}
WRONG = {
    "upside down": lambda: heatmap(WEIGHTS[::-1]),
    "one cell": lambda: heatmap(ONE_CELL),
    "longer scale": lambda: heatmap(vmax=1.1),
    "other title": lambda: heatmap(title="scores"),
    "other size": lambda: heatmap(dpi=110),
    "higher": lambda: curves(CURVE + 0.25),
    "later": lambda: curves(np.roll(CURVE, 5)),
    "other axis": lambda: curves(xlim=(0, 6)),
}


@pytest.mark.parametrize("change", RENDERED)
@pytest.mark.parametrize("kind", DRAWN)
def test_lets_rendering_differ(kind, change):
    assert not compare(DRAWN[kind], changed(DRAWN[kind], RENDERED[change]))


def test_lets_fonts_resolution_and_thickness_differ_a_bit():
    with matplotlib.rc_context({"text.hinting": "none"}):
        fresh = {"heatmap": heatmap(), "curves": curves()}
    assert not any(
        fresh[kind] == DRAWN[kind] or compare(DRAWN[kind], fresh[kind]) for kind in DRAWN
    )
    assert not compare(DRAWN["heatmap"], heatmap(dpi=100.4))
    assert not compare(DRAWN["curves"], curves(width=1.6))


@pytest.mark.parametrize("wrong", WRONG)
def test_finds_a_wrong_picture(wrong):
    fresh = WRONG[wrong]()
    assert all(compare(picture, fresh) for picture in DRAWN.values())


@pytest.mark.parametrize("cmap", ["Blues", "RdBu_r"])
def test_a_color_bar_keeps_its_colors_when_a_picture_gets_few(cmap):
    fig = Figure((3.5, 2.5))
    image = fig.add_axes((0.1, 0.1, 0.6, 0.8)).imshow(NOISE, cmap=cmap)
    fig.colorbar(image, cax=fig.add_axes((0.8, 0.1, 0.1, 0.8)))
    whole = Image.open(io.BytesIO(base64.b64decode(png(fig, bbox_inches=None)))).convert("RGB")
    few = few_colors(whole)
    bar = (int(0.85 * whole.width), 40, int(0.85 * whole.width) + 1, whole.height - 40)
    off = ImageChops.difference(few.convert("RGB").crop(bar), whole.crop(bar)).getextrema()
    assert few.mode == "P" and max(most for _, most in off) <= 2
