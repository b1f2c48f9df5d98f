"""Every lesson lists its parameters for papermill and refuses values that make no sense."""

import unittest.mock
import warnings

import nbformat
import papermill
import pytest

from attn_lesson import check_parameters
from attn_lesson.catalogue import reaction
from attn_lesson.parameters import own_words
from tools.lessons import lessons
from tools.notebook import PARAMETER, parameter_cells

LESSONS = pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)


def cells(path):
    """Return the sources of the cell of parameters and of the one that checks them."""
    ((parameters, following),) = parameter_cells(nbformat.read(path, as_version=4))
    assert all(PARAMETER.fullmatch(line) for line in parameters.source.splitlines())
    return parameters.source, following.source


def limits(path):
    """The limits that the lesson checks its parameters against, and what its text is for."""
    with unittest.mock.patch("attn_lesson.check_parameters") as seen:
        given(path)
    found = seen.call_args.kwargs
    return found, found.pop("written_for", {})


def given(path, **changed):
    """Run both cells, with changed values in between, as papermill does."""
    parameters, check = cells(path)
    names = {}
    exec(parameters, names)
    names.update(changed)
    exec(check, names)


@LESSONS
def test_papermill_lists_every_parameter_with_its_meaning(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = papermill.inspect_notebook(str(path))
    names = {}
    exec(cells(path)[0], names)
    assert set(listed) == set(names) - {"__builtins__"} == set(limits(path)[0])
    assert "seed" in listed and len(listed) >= 5
    assert all(len(about["help"]) > 5 for about in listed.values())
    assert limits(path)[1].items() <= names.items(), "what the text is written for is stored"


@LESSONS
def test_each_parameter_refuses_nonsense_by_name(path):
    given(path)  # what is stored is accepted
    for bad in (None, "1", -(10**9), 10**9, float("nan"), True, []):
        for name in limits(path)[0]:
            with pytest.raises(ValueError, match=rf"(?m)^{name} must be .*, got .* \("):
                given(path, **{name: bad})


LIMITS = {
    "size": (2, 9),
    "even": (2, 8, 2),
    "noise": (0.0, 1.0),
    "rate": (0.1, 0.9, 0.1),
    "heads": [1, 3],
    "word": ["a", "b"],
    "sizes": [(1, 4)],
}
GOOD = {"size": 2, "even": 8, "noise": 1, "rate": 0.7, "heads": 3, "word": "b", "sizes": [1, 4]}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("size", 1, "size must be a whole number from 2 to 9, got 1 (int)"),
        ("size", True, "size must be a whole number from 2 to 9, got True (bool)"),
        ("even", 3, "even must be a whole number from 2 to 8 in steps of 2, got 3 (int)"),
        ("noise", 1.01, "noise must be a number from 0.0 to 1.0, got 1.01 (float)"),
        ("rate", 0.75, "rate must be a number from 0.1 to 0.9 in steps of 0.1, got 0.75 (float)"),
        ("noise", "1e-3", "noise must be a number from 0.0 to 1.0, got '1e-3' (str)"),
        ("heads", True, "heads must be one of 1, 3, got True (bool)"),
        ("word", "c", "word must be one of 'a', 'b', got 'c' (str)"),
        ("sizes", [], "sizes must be a list of which each is a whole number from 1 to 4, got []"),
        ("sizes", [1, 5], "each is a whole number from 1 to 4, got [1, 5] (list)"),
    ],
)
def test_other_values_are_refused(name, value, said):
    with pytest.raises(ValueError) as error:
        check_parameters(GOOD | {name: value}, **LIMITS)
    assert said in str(error.value) and str(error.value).count("must be") == 1
    assert "Change the cell tagged 'parameters'" in str(error.value)


WORDS = {"words": (3, 5), "letters": (2, 6)}
HERBS = ["mint", " Sage ", "", "ESTRA", "mint"]


def test_words_come_from_a_list_or_a_file(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("\ufeff" + "\r\n".join(HERBS), encoding="utf-8")
    for given in (HERBS, str(file)):
        check_parameters({"mine": given}, mine=WORDS)
        assert own_words(given, **WORDS) == ["mint", "sage", "estra"]
    assert (
        own_words(["e\u0301te\u0301", "ab", "cd"], **WORDS)[0] == "été"
    )  # as some systems store it
    assert own_words("") == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("none.txt", "none.txt cannot be read in {folder} (No such file or directory)"),
        ("latin.txt", "latin.txt is no text in UTF-8"),
        ("\0", "cannot be read in {folder} (embedded null"),
        (["mint", "sage", "dill", "anis", "kale", "chili"], "it holds 6 words"),
        (["mint", "fennel seed", "sage"], "word 2, 'fennel seed', holds ' '"),
        (["mint", "sage", "k4l.e"], "word 3, 'k4l.e', holds '4.'"),
        (["mint", "sage", "rosemary"], "word 3, 'rosemary', has 8 letters"),
        (3, "that is neither"),
    ],
)
def test_words_that_are_none_are_refused_with_what_was_expected(given, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    with pytest.raises(ValueError) as error:
        check_parameters({"mine": given}, mine=WORDS)
    first, *_ = str(error.value).splitlines()
    assert first.startswith(
        "mine must be a list of 3 to 5 words, or the name of a file with a word a"
    )
    assert "each of 2 to 6 letters and nothing else; or '' for none, got " in first
    assert said.format(folder=tmp_path) in first


def test_what_the_text_was_written_for_is_said_where_it_differs(capsys):
    given, limits = {"length": 8, "seed": 1}, {"length": (4, 32), "seed": (0, 9)}
    check_parameters(given, written_for={"length": 8, "seed": 1}, **limits)
    assert capsys.readouterr().out == ""
    assert "written for" not in reaction("3P", "A")
    check_parameters(given, written_for={"length": 10, "seed": 1}, **limits)
    said = capsys.readouterr().out
    assert "written for length = 10. You have length = 8:" in said and "seed" not in said
    assert reaction("3P", "A").endswith(
        "(This was written for length = 10; you have changed that.)"
    )
    check_parameters(given, **limits)
    assert "written for" not in reaction("3P", "A")
