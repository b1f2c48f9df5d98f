"""What learners are told stands in Markdown beside the Python that says it, so that it can be
translated: every sentence that is asked for is there, and none stands in Python.

What a call with a wrong argument raises is English, as Python's and PyTorch's own errors are.
"""

import ast
import re

import pytest

from attn_lesson import words

MODULES = sorted(words.HERE.glob("**/*.py"))
TREES = {path: ast.parse(path.read_text("utf-8")) for path in MODULES}
SPEAKING = [path for path in MODULES if "say = sentences(__name__)" in path.read_text("utf-8")]
TEXTS = {n.value for tree in TREES.values() for n in ast.walk(tree) if isinstance(n, ast.Constant)}


def each(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda p: f"{p.parent.name}-{p.name}")


def is_told_nobody(node):
    """Docstrings, patterns, keys of sentences, what a parameter may be, and what is raised."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("say", "re.compile", "ValueError")
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) in ("ERRORS", "HELPER", "LIMITS")
    alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return alone or isinstance(node, ast.Raise)


@each(MODULES)
def test_no_sentence_for_learners_stands_in_python(path):
    quiet = {n for m in ast.walk(TREES[path]) if is_told_nobody(m) for n in ast.walk(m)}
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in quiet:
            text = node.value.strip()
            if len(re.findall(r"[a-zA-Z']+", text)) >= 3 and '="' not in text:
                assert not re.match(r"[A-Z][a-z]* [a-z]", text), text
                assert text[-1] not in ".?!:", text


def asked_for(tree):
    """Patterns of the keys with which a module calls say."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "say":
            key = node.args[0]
            for one in [key.body, key.orelse] if isinstance(key, ast.IfExp) else [key]:
                parts = one.values if isinstance(one, ast.JoinedStr) else [one]
                yield "".join(re.escape(p.value) if isinstance(p, ast.Constant) else ".*"
                              for p in parts)  # fmt: skip


@each(SPEAKING)
def test_every_sentence_that_is_asked_for_is_there_and_every_one_there_is_asked_for(path):
    of_lesson = path.name == "exercises.py"
    file = f"{path.parent.name}/mistakes.md" if of_lesson else "sentences.md"
    there = dict(words.sections(file)["sentences" if of_lesson else path.stem])
    patterns = {*asked_for(TREES[path])} - {".*"}
    for pattern in patterns:
        assert any(re.fullmatch(pattern, key) for key in there), pattern
    for key in there:
        assert key in TEXTS or any(re.fullmatch(p, key) for p in patterns), f"{key} is never told"
