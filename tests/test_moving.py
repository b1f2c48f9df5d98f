"""The moving picture of the first page without scripts is what the lesson's model writes."""

import itertools
import xml.etree.ElementTree as ET

from tools.site import moving, site

SVG = "{http://www.w3.org/2000/svg}"


def letters(text):
    """Of each frame, the letters and those that stand below the last one."""
    return [[t.text for t in g.iter(f"{SVG}text")] for g in ET.fromstring(text).iter(f"{SVG}g")]


def test_it_is_what_the_tool_draws_small_and_shown():
    stored = moving.FILE.read_text("utf-8")
    drawn, towns = moving.picture()
    assert letters(stored) == letters(drawn)
    assert len({*towns}) == len(moving.SHARES) and all(town in stored for town in towns)
    assert len(stored) < 500_000
    assert f"_static/{moving.FILE.name}" in site.TOWNS


def test_one_frame_is_shown_at_a_time():
    frames = [*ET.fromstring(moving.FILE.read_text("utf-8")).iter(f"{SVG}g")]
    delays = [float(g.get("style").removeprefix("animation-delay:")[:-1]) for g in frames]
    steps = [round((b - a) / moving.SECONDS, 3) for a, b in itertools.pairwise(delays)]
    assert set(steps) == {1} and delays[0] == 0
