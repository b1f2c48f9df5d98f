"""What exercises are worth: each lesson's points name its exercises, and a file changes some."""

import json

import pytest

from attn_lesson import catalogue
from classroom import points
from tools.lessons import folder, lessons, number

pytestmark = pytest.mark.long


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_points_name_each_exercise_and_every_function_belongs_to_one(path):
    found = points.exercises()[number(path)]
    named = points.read(folder(path) / "points.json")
    assert not named or list(named) == [exercise.number for exercise in found]
    asked = [name for exercise in found for name in exercise.functions]
    assert sorted(asked) == sorted(catalogue.table(folder(path).name)[0])
    assert all(exercise.title and "(" not in exercise.title[-1] for exercise in found)


def test_a_file_changes_points_and_must_name_exercises(tmp_path):
    changed = points.exercises({"1.1": 4})
    assert {e.number: e.points for e in changed["01"]}["1.1"] == 4
    assert changed["02"] == points.exercises()["02"]
    with pytest.raises(SystemExit, match=r"points for 9\.9"):
        points.exercises({"9.9": 1})
    for wrong in ("[1]", '{"1.2": "a"}', '{"1.2": -1}', "{"):
        (tmp_path / "x.json").write_text(wrong)
        with pytest.raises(SystemExit, match="must hold points"):
            points.read(tmp_path / "x.json")
    with pytest.raises(SystemExit, match="must hold points"):
        points.read(tmp_path)
    (tmp_path / "x.json").write_text(json.dumps({"1.2": 0.5}), "utf-8-sig")
    assert points.read(tmp_path / "x.json") == {"1.2": 0.5}


@pytest.mark.parametrize(
    ("text", "number"), [("1,5", 1.5), (" 2 ", 2), ("", None), ("x", None), ("-1", None)]
)
def test_an_entry_is_a_number_or_none(text, number):
    assert points.parse(text) == number
