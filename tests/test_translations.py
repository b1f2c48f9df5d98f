"""The lessons in other languages say what the English ones do; and Python says nothing itself."""

import ast
import re
import string

import nbformat
import pytest
import torch

from attn_lesson import catalogue, check, predict, speak, words
from tools.lessons import ROOT

ENGLISH = ROOT / "attn_lesson"
FILES = sorted(words.TRANSLATIONS.glob("*/**/*.md"))
NOTEBOOKS = sorted((ROOT / "translations").glob("*/*.ipynb"))


@pytest.fixture(autouse=True)
def english_again():
    yield
    speak("")


def lines(path, name):
    return words._read(name, path.read_text("utf-8"))


def places(text):
    """The values that a sentence is filled with."""
    return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_translation_has_the_keys_and_values_of_the_english_words(path):
    name = str(path.relative_to(words.TRANSLATIONS).relative_to(path.relative_to(
        words.TRANSLATIONS).parts[0]))  # fmt: skip
    english = lines(ENGLISH / name, name)
    for section, translated in lines(path, name).items():
        known = {}
        for key, text in english[section]:
            known.setdefault(key.strip("*"), []).append(text)
        for key, text in translated:
            assert known.get(key), f"{section} has no {key}, or not so many"
            first = known[key].pop(0)
            assert places(text) == places(first), (section, key)
            assert text != first


def code(source):
    """A cell's code without its texts and comments, and without the choice of a language."""
    tree = ast.parse(source)
    tree.body = [n for n in tree.body if not ast.unparse(n).startswith("speak(")]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        if isinstance(node, ast.ImportFrom):
            node.names = [n for n in node.names if n.name != "speak"]
    return ast.dump(tree)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_translated_lesson_has_the_cells_and_code_of_the_english_one(path):
    original = nbformat.read(ROOT / "notebooks" / path.name, as_version=4)
    english = {cell.id: cell for cell in original.cells}
    translated = nbformat.read(path, as_version=4).cells
    ids = [cell.id for cell in translated]
    assert ids == [name for name in english if name in ids], "the same cells, in their order"
    assert any(f'speak("{path.parent.name}")' in cell.source for cell in translated)
    for cell in translated:
        same = english[cell.id]
        assert cell.cell_type == same.cell_type
        if cell.cell_type == "code":
            assert code(cell.source) == code(same.source), cell.id
        else:
            assert cell.source != same.source, f"{cell.id} is still English"
            letters = re.findall(r"^- ([A-Z])\. ", cell.source, re.MULTILINE)
            assert letters == re.findall(r"^- ([A-Z])\. ", same.source, re.MULTILINE)


def my_gaussian(u):
    return torch.exp(-(u**2))


def test_what_is_translated_is_told_so_and_the_rest_in_english(capsys):
    speak("de")
    predict("1.1", "B")
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Vorhersage 1.1: B. Nicht ganz. So verhält sich die Luft")
    assert catalogue.right_letter("1.1") == "D"
    predict("1.2", "A")
    assert "Richtig. The scores are divided" in capsys.readouterr().out
    check(my_gaussian)
    check(my_gaussian)
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("my_gaussian: noch nicht. At u = -1") and "Hinweis 1 von 3: Test" in said
    speak("")
    predict("1.1", "B")
    said = "Prediction 1.1: B. Not quite. The air changes like that"
    assert capsys.readouterr().out.startswith(said)


def test_of_three_hints_the_first_alone_may_be_translated():
    english = [("hint", "one"), ("hint", "two"), ("*B", "right"), ("A", "wrong")]
    german = [("hint", "eins"), ("B", "richtig")]
    assert words._translated(english, german) == [
        ("hint", "eins"), ("hint", "two"), ("*B", "richtig"), ("A", "wrong"),
    ]  # fmt: skip


def test_a_language_that_is_not_there(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match=r"name must be 'de' or '', got 'tlh'"):
        speak("tlh")
    assert words.language == ""
    monkeypatch.setattr(words, "TRANSLATIONS", tmp_path / "none")  # as in a one-file edition
    with pytest.raises(ValueError, match=r"name must be '', got 'de'"):
        speak("de")


# No sentence for learners stands in Python. What a call with a wrong argument raises is English
# everywhere, as Python's and PyTorch's own errors are.


def unspoken(tree):
    """The nodes of texts that nobody is told: docstrings, patterns, keys, and what is raised."""
    for node in ast.walk(tree):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Raise) or called in ("say", "re.compile", "ValueError"):
            yield from ast.walk(node)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            first = node.body[:1]
            if first and isinstance(first[0], ast.Expr):
                yield from ast.walk(first[0])
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("ERRORS", "HELPER"):
            yield from ast.walk(node)


def spoken(path):
    """The texts of a module that read like a sentence, or a part of one, of three words or more."""
    tree = ast.parse(path.read_text("utf-8"))
    left_out = set(unspoken(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in left_out:
            text = node.value.strip()
            begins = re.match(r"[A-Z][a-z]* [a-z]", text)
            markup = '="' in text
            words = re.findall(r"[a-zA-Z']+", text)
            if len(words) >= 3 and not markup and (begins or text[-1] in ".?!:"):
                yield node.lineno, text


MODULES = sorted(ENGLISH.glob("**/*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_no_sentence_for_learners_stands_in_python(path):
    assert not [*spoken(path)]


def keys(path):
    """The sentences of a module, by key, and its tree; None where it has none of its own."""
    tree = ast.parse(path.read_text("utf-8"))
    if "say = sentences(__name__)" not in ast.unparse(tree):
        return None
    if path.name == "exercises.py":
        return dict(words.sections(f"{path.parent.name}/mistakes.md")["sentences"]), tree
    return dict(words.sections("sentences.md")[path.stem]), tree


def asked_for(tree):
    """Patterns of the keys with which a module calls say."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "say":
            key = node.args[0]
            for each in [key.body, key.orelse] if isinstance(key, ast.IfExp) else [key]:
                if isinstance(each, ast.Constant):
                    yield re.escape(each.value)
                elif isinstance(each, ast.JoinedStr):
                    yield "".join(
                        re.escape(part.value) if isinstance(part, ast.Constant) else ".*"
                        for part in each.values
                    )


SPEAKING = [path for path in MODULES if keys(path)]
TEXTS = {
    node.value
    for path in MODULES
    for node in ast.walk(ast.parse(path.read_text("utf-8")))
    if isinstance(node, ast.Constant)
}


@pytest.mark.parametrize("path", SPEAKING, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_every_sentence_that_is_asked_for_is_there_and_every_one_there_is_asked_for(path):
    there, tree = keys(path)
    patterns = set(asked_for(tree))
    for pattern in patterns:
        assert any(re.fullmatch(pattern, key) for key in there), pattern
    for key in there:
        assert key in TEXTS or any(re.fullmatch(p, key) for p in patterns), f"{key} is never told"
