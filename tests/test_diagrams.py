"""The diagrams: made by the script, which computes their numbers, well formed and readable."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from img import make_diagrams

IMG = Path(__file__).parents[1] / "img"
SVG = "{http://www.w3.org/2000/svg}"

DIAGRAMS = {diagram.__name__: diagram for diagram in make_diagrams.DIAGRAMS}
each_diagram = pytest.mark.parametrize("name", DIAGRAMS)


def parse(name):
    return ET.parse(IMG / f"{name}.svg").getroot()


def words(element):
    return "".join(element.itertext()).replace("\u2212", "-")


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


def width_of(text, size, bold):
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    return TextPath((0, 0), text, size, prop=font).get_extents().width


def outline(element):
    """Return left, top, right, bottom of a text, in DejaVu Sans, the widest font asked for."""
    x, y, size = (float(element.get(key, 14)) for key in ("x", "y", "font-size"))
    bold = element.get("font-weight") == "bold"
    parts = [(element.text, size)]
    for part in element:
        parts += [(part.text, float(part.get("font-size", size))), (part.tail, size)]
    wide = sum(width_of(text, size, bold) for text, size in parts if text)
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
