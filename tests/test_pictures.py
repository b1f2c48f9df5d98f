"""The comparison of pictures lets through what machines differ in, and nothing else."""

import base64
import io

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from pictures import compare
from PIL import Image, ImageFilter

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


def moved(dx, dy):
    def change(image):
        data = (1, 0, dx, 0, 1, dy)
        return image.transform(
            image.size, Image.Transform.AFFINE, data, Image.Resampling.BICUBIC, fillcolor="white"
        )

    return change


def gamma(image):
    return image.point(lambda value: round(255 * (value / 255) ** 1.03))


def one_cell():
    weights = WEIGHTS.copy()
    weights[2, 3] += 0.15
    return weights


def other_hinting(draw):
    with matplotlib.rc_context({"text.hinting": "none"}):
        return draw()


@pytest.mark.parametrize("draw", [heatmap, curves])
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda image: image, id="nothing"),
        pytest.param(moved(0.5, 0.5), id="half a pixel"),
        pytest.param(moved(-1, 1), id="a pixel"),
        pytest.param(lambda image: image.filter(ImageFilter.BoxBlur(0.5)), id="softer edges"),
        pytest.param(lambda image: image.filter(ImageFilter.SHARPEN), id="harder edges"),
        pytest.param(gamma, id="gamma"),
        pytest.param(lambda image: image.crop((1, 1, *image.size)), id="narrower margin"),
        pytest.param(
            lambda image: image.resize((image.width + 1, image.height + 1)), id="rounded size"
        ),
    ],
)
def test_lets_rendering_differ(draw, change):
    assert not compare(draw(), changed(draw(), change))


@pytest.mark.parametrize("draw", [heatmap, curves])
def test_lets_fonts_be_hinted_otherwise(draw):
    fresh = other_hinting(draw)
    assert fresh != draw()
    assert not compare(draw(), fresh)


def test_lets_resolution_be_rounded():
    assert not compare(heatmap(), heatmap(dpi=100.4))


def test_lets_lines_be_drawn_a_bit_thicker():
    assert not compare(curves(), curves(width=1.6))


@pytest.mark.parametrize(
    "fresh",
    [
        pytest.param(lambda: heatmap(WEIGHTS[::-1]), id="upside down"),
        pytest.param(lambda: heatmap(WEIGHTS[:, ::-1]), id="mirrored"),
        pytest.param(lambda: heatmap(WEIGHTS.T), id="transposed"),
        pytest.param(lambda: heatmap(np.roll(WEIGHTS, 1, axis=1)), id="one column on"),
        pytest.param(lambda: heatmap(one_cell()), id="one cell"),
        pytest.param(lambda: heatmap(WEIGHTS + 0.03), id="all a little"),
        pytest.param(lambda: heatmap(vmax=1.1), id="longer scale"),
        pytest.param(lambda: heatmap(2 * WEIGHTS, vmax=2), id="same colours, other numbers"),
        pytest.param(lambda: heatmap(cmap="Greens"), id="other colours"),
        pytest.param(lambda: heatmap(cmap="Blues_r"), id="colours turned round"),
        pytest.param(lambda: heatmap(title="scores"), id="other title"),
        pytest.param(lambda: heatmap(dpi=110), id="other size"),
    ],
)
def test_finds_a_wrong_heatmap(fresh):
    assert compare(heatmap(), fresh())


def test_finds_a_transposed_square():
    square = WEIGHTS[:, :6]
    assert compare(heatmap(square), heatmap(square.T))


@pytest.mark.parametrize(
    "fresh",
    [
        pytest.param(lambda: curves(CURVE + 0.25), id="higher"),
        pytest.param(lambda: curves(CURVE * 1.1), id="steeper"),
        pytest.param(lambda: curves(CURVE + 0.2 * np.sin(8 * X)), id="wavy"),
        pytest.param(lambda: curves(np.roll(CURVE, 5)), id="later"),
        pytest.param(lambda: curves(xlim=(0, 6)), id="other axis"),
    ],
)
def test_finds_a_wrong_curve(fresh):
    assert compare(curves(), fresh())
