"""A class of returned notebooks by somebody who had not seen the marker.

returned/make.py makes some 190 files, messy, hostile (hostile.txt) and broken, and tells
what is to be expected of each. A part of them is marked here, all with --every.
"""

import zlib

import nbformat
import pytest
from returned.make import SECRET, canary_state, make

from attn_lesson.judge import child
from classroom.marking import __main__ as command
from classroom.marking import desk, guard, pages
from tools.editions import editions
from tools.lessons import lessons, write

pytestmark = pytest.mark.long

EVERY = 12  # of the broken ones, one in so many is marked
LONG = ("slow_each_call", "huge", "sleep_forever", "fork_bomb", "loop_c", "gil", "regex", "nested")
LONG += ("stdout", "10MB_line", "100MB", "signals_ignored")


@pytest.fixture
def returned(tmp_path, monkeypatch):
    """The folder, what is expected, and what lies outside, with its state."""
    monkeypatch.setenv("KEY", SECRET)
    monkeypatch.setattr(child, "SECONDS", 1.0)  # not five, for what never ends
    for path in lessons(["01", "02", "03"]):
        book = editions.edition(nbformat.read(path, as_version=4), "student", b"no wheel")
        write(book, tmp_path / "handout" / path.name)
    expected = make(tmp_path / "class", tmp_path / "handout", tmp_path / "canary")
    return tmp_path, expected, canary_state()


def is_asked(name, expected, every):
    if every or (expected.get("absent") and "html" in name):
        return True
    if any(part in name for part in LONG):
        return False
    named = name.encode("utf-8", "surrogateescape")
    return expected["kind"] != "broken" or zlib.crc32(named) % EVERY == 0


def test_a_class_that_we_did_not_make(returned, pytestconfig):
    folder, expected, outside = returned
    if guard.walls()[1]:  # some attacks can only be refused by the kernel
        expected = {name: e for name, e in expected.items() if e["kind"] != "hostile"}
    every = pytestconfig.getoption("every")
    found = [item for item in command.files(folder / "class")
             if item[1] in expected and is_asked(item[1], expected[item[1]], every)]  # fmt: skip
    marker, results, odd = desk.Desk(), {}, []
    desk.mark(b"", marker)  # starts its booth
    booth = marker.process
    try:
        for path, name, reason in found:
            results[name] = (
                {"problem": reason} if reason else desk.mark(command.contents(path), marker)
            )
            if marker.process is not booth:
                odd.append(f"{name!a}: the booth has died")
                booth = marker.process
    finally:
        marker.close()
    for name, result in results.items():
        wanted = expected.get(name, {"exercises": {}})
        for exercise, verdict in wanted["exercises"].items():
            got = result.get("answers", {}).get(exercise, {}).get("verdict", "absent")
            allowed = [verdict, *wanted.get("accept", {}).get(exercise, [])]
            allowed += ["missing"] * ("untouched" in allowed)
            if got not in allowed:
                said = result.get("problem") or result["answers"].get(exercise)
                odd.append(f"{name!a}: {exercise} is {got}, not {verdict}: {said!s:.300}")
    assert len(results) > (180 if every else 90)
    assert not odd, "\n".join(odd)
    assert canary_state() == outside

    pages.write(folder / "marks", "class", *command.sorted_marks(found, results))
    texts = [page.read_text("utf-8") for page in (folder / "marks").rglob("*.html")]
    forbidden = {word for wanted in expected.values() for word in wanted.get("absent", [])}
    assert not [word for word in forbidden if any(word in text for text in texts)]
