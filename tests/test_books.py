"""What a lesson calls the book's way is the book's way."""

import ast

import nbformat
import pytest
import torch
from reference import assert_same, d2l

import attn_teach
from tools.lessons import lessons


def from_lesson(number, name):
    """The function of that name, as the lesson's text defines it."""
    (path,) = lessons([number])
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        for node in ast.parse(cell.source).body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                scope = {"torch": torch, **vars(attn_teach)}
                exec(ast.unparse(node), scope)
                return scope[name]
    pytest.fail(f"{path.name} does not define {name}")


@pytest.mark.parametrize("lengths", [[2, 0, 4], [[1, 2], [3, 4], [0, 1]]])
def test_the_book_s_masked_softmax(lengths):
    scores = torch.randn(3, 2, 4)
    theirs_overwrites, ours_overwrites = scores.clone(), scores.clone()
    theirs = d2l.masked_softmax(theirs_overwrites, torch.tensor(lengths))
    ours = from_lesson("03", "books_masked_softmax")(ours_overwrites, torch.tensor(lengths))
    assert_same(ours, theirs, 0)
    assert torch.equal(ours_overwrites, theirs_overwrites), "it overwrites its input as they do"
