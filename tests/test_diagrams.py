"""The diagrams: made by the script, well formed, readable, and telling the truth."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest
import torch
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from torch.nn.functional import scaled_dot_product_attention

from img import make_diagrams

IMG = Path(__file__).parents[1] / "img"
SVG = "{http://www.w3.org/2000/svg}"

DIAGRAMS = {diagram.__name__: diagram for diagram in make_diagrams.DIAGRAMS}
each_diagram = pytest.mark.parametrize("name", DIAGRAMS)


def parse(name):
    return ET.parse(IMG / f"{name}.svg").getroot()


def words(element):
    return "".join(element.itertext()).replace("\u2212", "-")


def texts(name, kind=None):
    """Return what is written, with plain minus signs; `kind` keeps one class of text."""
    return [words(t) for t in parse(name).iter(f"{SVG}text") if kind in (None, t.get("class"))]


def numbers(name, kind):
    return torch.tensor([float(text) for text in texts(name, kind)], dtype=torch.float64)


def vectors(name, letter):
    """Return the vectors written as `k0 = (1, 2)`, one per row."""
    found = re.findall(rf"^{letter}\d = \((.*)\)$", "\n".join(texts(name)), re.MULTILINE)
    rows = [[float(x) for x in row.split(", ")] for row in found]
    return torch.tensor(rows, dtype=torch.float64)


# ---------------------------------------------------------------- the files


@each_diagram
def test_file_is_what_the_script_makes_small_described_and_self_contained(name):
    source = (IMG / f"{name}.svg").read_text(encoding="utf-8")
    assert source == DIAGRAMS[name]().svg()
    root = parse(name)
    assert len(source.encode()) < 15_000
    assert root.find(f"{SVG}title").text and len(root.find(f"{SVG}desc").text) > 100
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "g", "rect", "circle", "path", "text", "tspan"
    }  # fmt: skip
    assert not re.search(r"href|url\(|style=|\bon\w+=|<!|@import", source)
    assert {path.stem for path in IMG.glob("*.svg")} == set(DIAGRAMS)


# ---------------------------------------------------------------- the layout


def outline(element):
    """Return left, top, right, bottom of a text, in DejaVu Sans, the widest font asked for."""
    x, y, size = (float(element.get(key, 14)) for key in ("x", "y", "font-size"))
    font = FontProperties(family="DejaVu Sans", weight=element.get("font-weight", "normal"))
    parts = [(element.text, size)]
    for part in element:
        parts += [(part.text, float(part.get("font-size", size))), (part.tail, size)]
    paths = [TextPath((0, 0), text, size, prop=font) for text, size in parts if text]
    wide = sum(path.get_extents().width for path in paths)
    left = x - wide * {"start": 0, None: 0.5, "end": 1}[element.get("text-anchor")]
    return left, y - 0.75 * size, left + wide, y + 0.2 * size


def boxes(root):
    """Return (left, top, right, bottom) of every box and grid cell."""
    found = []
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("class") != "bar":
            x, y, w, h = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
            found.append((x, y, x + w, y + h))
    for path in root.iter(f"{SVG}path"):
        for cell in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-", path.get("d")):
            x, y, w, h = map(float, cell)
            found.append((x, y, x + w, y + h))
    return found


@each_diagram
def test_text_is_large_and_overlaps_nothing_and_stays_inside_its_box(name):
    root = parse(name)
    sizes = re.findall(r'font-size="([\d.]+)"', DIAGRAMS[name]().svg())
    assert min(map(float, sizes)) >= 13
    level = [text for text in root.iter(f"{SVG}text") if not text.get("transform")]
    placed = [(words(text), *outline(text)) for text in level]
    for (a, left, top, right, bottom), (b, x0, y0, x1, y1) in combinations(placed, 2):
        assert right <= x0 or x1 <= left or bottom <= y0 or y1 <= top, (a, b)
    frames = boxes(root)
    for text, x0, y0, x1, y1 in placed:
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        around = [f for f in frames if f[0] < x < f[2] and f[1] < y < f[3]]
        left, top, right, bottom = min(around, key=lambda f: (f[2] - f[0]) * (f[3] - f[1]))
        assert min(x0 - left, right - x1, y0 - top, bottom - y1) > 2, text


# ---------------------------------------------------------------- the numbers


def test_weighted_sum_is_attention():
    drawn = [float(t) for t in texts("weighted_sum") if re.fullmatch(r"-?\d+\.\d\d?", t)]
    keys, scores, weights, values = torch.tensor(drawn, dtype=torch.float64).reshape(7, 4).T
    exact = -((2.5 - keys) ** 2) / (2 * 0.7**2)
    torch.testing.assert_close(scores, exact, atol=0.005, rtol=0)
    torch.testing.assert_close(weights, exact.softmax(0), atol=0.005, rtol=0)
    assert f"output = {exact.softmax(0) @ values:.2f}" in texts("weighted_sum")


def test_scaled_dot_product_is_pytorchs():
    query, key = (vectors("scaled_dot_product", letter) for letter in "qk")
    assert "prices 7, 11, 16" in texts("scaled_dot_product")
    values = torch.tensor([[1, 0, 0, 7], [0, 1, 0, 11], [0, 0, 1, 16]], dtype=torch.float64)
    mask = torch.tensor([[True, True, False]])
    exact = scaled_dot_product_attention(query, key, values, attn_mask=mask)
    drawn = numbers("scaled_dot_product", "weight").reshape(2, 3)
    torch.testing.assert_close(drawn, exact[:, :3], atol=0.005, rtol=0)
    assert [f"{x:.2f}" for x in exact[:, 3]] == texts("scaled_dot_product", "output")


def test_head_reshape_indices_are_one_element():
    X = torch.arange(4 * 3 * 6).reshape(4, 3, 6)
    cut = X.reshape(4, 3, 2, 3)
    stages = (X, cut, cut.transpose(1, 2), cut.transpose(1, 2).reshape(8, 3, 3))
    drawn = [text for text in texts("head_reshape") if re.fullmatch(r"\[[\d, ]+\]", text)]
    places = [tuple(map(int, re.findall(r"\d", text))) for text in drawn]
    assert {stage[place].item() for stage, place in zip(stages, places, strict=True)} == {16}


def test_self_attention_rows_sum_to_one_and_causal_looks_left():
    full, causal = numbers("self_attention", "weight").reshape(2, 4, 4)
    assert full.sum(1).tolist() == pytest.approx([1] * 4)
    renormalised = full.tril() / full.tril().sum(1, keepdim=True)
    torch.testing.assert_close(causal, renormalised, atol=0.02, rtol=0)


def test_rotation_turns_one_position_into_the_other():
    drawn = [float(text) for text in texts("rotation") if re.fullmatch(r"-?\d\.\d\d", text)]
    turn, before, after = (torch.tensor(part) for part in (drawn[:4], drawn[4:6], drawn[6:]))
    torch.testing.assert_close(turn.reshape(2, 2) @ before, after, atol=0.01, rtol=0)
    angles = torch.tensor([2 * 0.4, 5 * 0.4])
    expected = torch.stack([angles.sin(), angles.cos()], 1)
    torch.testing.assert_close(torch.stack([before, after]), expected, atol=0.005, rtol=0)
