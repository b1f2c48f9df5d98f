"""A function that a failed cell should have defined anew is not judged again."""

import importlib

import pytest

import attn_lesson
from attn_lesson import catalogue, cells

OLD = "def my_gaussian(u):\n    return 2 * u"
NEW = "def my_gaussian(u):\n    return 3 * u"
FAILS = {  # a cell, and whether my_gaussian is older than it
    "no colon": ("def my_gaussian(u)\n    return 3 * u", "SyntaxError"),
    "def mistyped": ("dfe my_gaussian(u):\n    return 3 * u", "SyntaxError"),
    "indented": ("def my_gaussian(u):\n    v = u\n  return v", "IndentationError"),
    "decorated": (f"@noting\n{NEW}", "NameError"),
    "before it": (f"1 / 0\n{NEW}", "ZeroDivisionError"),
    "of another": (f"{NEW}\n\n\ndef my_boxcar(u)\n    return u", "SyntaxError"),
    "behind it": (f"{NEW}\n\n1 / 0", None),
    "called": ("my_gaussian(1 / 0)", None),
    "removed": ("1 / 0\ndel my_gaussian", None),
}


@pytest.mark.parametrize("cell, error", FAILS.values(), ids=FAILS)
def test_what_a_failed_cell_did_not_define_is_told(cell, error, shell, monkeypatch, capsys):
    monkeypatch.setattr(catalogue, "_hints", {})
    importlib.reload(attn_lesson)  # imported in that notebook
    shell.run_cell(OLD)
    shell.run_cell(cell)
    capsys.readouterr()
    catalogue.check(shell.user_ns["my_gaussian"])
    said = " ".join(capsys.readouterr().out.split())
    told = f"The cell above did not run: it raised {error}, and my_gaussian is still what it was"
    assert (told in said) == (not catalogue._hints) == bool(error), said
    shell.run_cell(NEW)
    assert cells.failed(shell.user_ns["my_gaussian"]) is None
