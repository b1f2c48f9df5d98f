"""What `table` shows."""

import xml.etree.ElementTree as ElementTree

import pytest
import torch

from attn_lesson import table

ROWS = {
    "valley": {"h": 0.251, "error": 2},
    "trained <w>": {"h": torch.tensor(12.0), "truth": "yes"},
}


def test_its_text_is_aligned():
    assert repr(table(ROWS, name="found by")).splitlines() == [
        "found by         h  error  truth",
        "valley        0.25      2",
        "trained <w>  12.00         yes",
    ]


def test_its_table_says_the_same():
    tree = ElementTree.fromstring(table(ROWS, name="found by")._repr_html_())
    rows = [[cell.text or "" for cell in row] for row in tree]
    assert rows == [
        ["found by", "h", "error", "truth"],
        ["valley", "0.25", "2", ""],
        ["trained <w>", "12.00", "", "yes"],
    ]
    assert [cell.get("scope") for cell in tree[0]] == ["col"] * 4
    assert [[cell.get("scope") for cell in row] for row in tree[1:]] == [["row", *[None] * 3]] * 2
    sides = [cell.get("style") for cell in tree[1]]
    assert sides == [f"text-align: {side}" for side in ("left", "right", "right", "left")]


def test_rows_without_names_and_single_values():
    assert repr(table({"a": [1, 0.5], "b": torch.tensor([2.0, -1])}, digits=1)).splitlines() == [
        "a    1   0.5",
        "b  2.0  -1.0",
    ]
    assert repr(table({"words": "11.7 million", "of them": "86%"})).splitlines() == [
        "words    11.7 million",
        "of them  86%",
    ]
    assert repr(table({8: [37, 16]}, columns=["attention", "RNN"], name="n")).splitlines() == [
        "n  attention  RNN",
        "8         37   16",
    ]


@pytest.mark.parametrize(
    ("rows", "columns", "error", "says"),
    [
        ([1, 2], (), TypeError, r"rows must be a dict .* got \[1, 2\]"),
        ({}, (), TypeError, r"rows must be a dict .* not empty, got {}"),
        ({"a": [1, 2]}, ["x"], ValueError, "columns must name each value of a row: 1 for 2"),
    ],
)
def test_what_is_no_table_is_named(rows, columns, error, says):
    with pytest.raises(error, match=says):
        table(rows, columns)


def test_a_page_shows_all_spaces_of_a_text():
    assert "s\xa0 at\xa0 \xa0mat" in table({"a": "s  at   mat"})._repr_html_()
