"""Errors and values in a learner's words."""

import re

import pytest
import torch
from judged import names

from attn_lesson import words
from attn_lesson.judge import explanations
from attn_lesson.judge.plain import Outcome


@pytest.mark.parametrize(
    ("function", "kind", "words"),
    [
        (lambda x, w: x @ torch.ones(7, 3), "product of shapes", "as many as the rows"),
        (lambda x, w: torch.ones(2, 3, 4) @ torch.ones(2, 5, 6), "product of shapes", "begin with"),
        (lambda x, w: torch.ones(3) + torch.ones(4), "broadcasting", "axis 0 one has the size 3"),
        (lambda x, w: 1 if x > 0.5 and w > 0 else 2, "if of a tensor", "torch.where"),
        (lambda x, w: torch.softmax(x), "missing dim", "dim=-1"),
        (lambda x, w: x.sum(5), "missing axis", "Axis 5"),
        (lambda x, w: x.double() @ w, "dtype", ".to(other.dtype)"),
        (lambda x, w: w.requires_grad_().numpy(), "numpy of a gradient", "torch's function"),
        (lambda x, w: w.requires_grad_().mul_(2), "in place", "which PyTorch refuses"),
        (lambda x, w: x.reshape(7, 7), "reshape", "[7, 7]"),
        (lambda x, w: 1 - (x > 0), "minus of booleans", "~mask"),
        (lambda x, w: float(torch.ones(3)), "one number", "torch.exp"),
        (lambda x, w: torch.exp(1.0), "not a tensor", "math"),
        (lambda x, w: torch.cat([x, torch.ones(2, 77)]), "putting together", "torch.stack"),
        (lambda x, w: x[100], "index", "size - 1"),
        (lambda x, w: raising(AssertionError(NO_GPU)), "device", "Leave out .cuda()"),
        (lambda x, w: raising(ValueError()), "ValueError", "ValueError."),
        (lambda x, w: unknown, "NameError", "unknown"),  # noqa: F821
        (lambda x: x, "arguments", "my_average(x, weights)"),
        (lambda x, w: torch.arange(3).mean(), "dtype", ".float()"),
        (lambda x, w: raising(TypeError(OLDER)), "missing dim", "dim=-1"),
        (lambda x, w: helper(x, 1, 2), "arguments", "helper is called with 3 arguments"),
        (lambda x, w: x.half().masked_fill(x > 0, -1e9), "dtype", "float16 ends at 65504"),
    ],
)
def test_errors_are_explained(told, function, kind, words):
    verdict = told(function)
    assert names(verdict) == [f"error: {kind}"], verdict.message
    told_of_it = verdict.message.split("  input:")[0].split("`: ")[-1]  # not the quoted line
    assert words in told_of_it, verdict.message


# As torch 2.10 says it.
OLDER = """softmax() received an invalid combination of arguments - got (Tensor), \
but expected one of:
 * (Tensor input, int dim, torch.dtype dtype = None, *, Tensor out = None)
 * (Tensor input, name dim, *, torch.dtype dtype = None)
"""


NO_GPU = "Torch not compiled with CUDA enabled"


def raising(error):
    raise error


def helper(x):
    return x.sum(7)


def test_the_line_that_fails_is_told(told):
    def calls(x, weights):
        return helper(x) / 2

    assert "`return x.sum(7)`: Axis 7" in told(calls).message


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (
            (3, 2, 4),
            "The axes of the result are in the wrong order: (3, 2, 4) instead of (2, 3, 4)",
        ),
        ((2, 2, 4), "Axis 1 of the result has the size 2 instead of 3"),
        ((3, 3, 4), "Axis 0 of the result has the size 3 instead of 2"),
        ((4, 4, 2), "The result has the wrong shape: (4, 4, 2) instead of (2, 3, 4)"),
        ((2, 1, 3, 4), "There are axes of size 1 too many: (2, 1, 3, 4) instead of (2, 3, 4)"),
        ((3, 4), "The result has 2 axes instead of 3: its shape is (3, 4) instead of (2, 3, 4)"),
    ],
)
def test_shapes_are_compared(shape, words):
    got = Outcome(torch.zeros(shape), "tensor")
    _, said = explanations.general(got, torch.zeros(2, 3, 4), 0, 2)
    assert said == f"{words}."


def test_expected_and_got_never_print_alike():
    one = torch.tensor([1.0, 2.0])
    pairs = [(one, one + 1e-6), (1.0, 1.0 + 1e-12), (torch.zeros(5, 6), torch.zeros(5, 6).long())]
    late = torch.zeros(5, 6)
    late[4, 5] = 1
    for a, b in [*pairs, (torch.zeros(5, 6), late), (True, 1), (one, one.double())]:
        texts = explanations.show_both(a, b)
        assert texts[0] != texts[1], texts
    assert "from [4, 5] on: 1" in explanations.show_both(torch.zeros(5, 6), late)[1]
    texts = explanations.show_both(torch.tensor([1.0, 2.0002, 5.0]), torch.tensor([1.3, 2.0, 5.0]))
    assert texts == ("[1, 2.0002, 5]", "[1.3, 2, 5]"), "each number that differs looks different"


def test_numbers_have_the_digits_that_tell_them_apart():
    shown = {
        (-1000.0, -999.0, -1001.0): "[-1000, -999, -1001]",
        (900.0, 1000.0, 12345.0): "[900, 1000, 12345]",
        (0.12345, 0.1234, 2.0): "[0.1235, 0.1234, 2]",
        (1 / 3, 1 / 3 + 1e-9, 2.0): "[0.333, 0.333, 2]",
        (-3e38, 4.0, 5.0): "[-3e+38, 4, 5]",
    }
    for numbers, text in shown.items():
        assert explanations.show(torch.tensor(numbers, dtype=torch.float64)) == text
    say = words.sentences("attn_lesson.lesson02.exercises")
    told = say("an output of where", a=torch.tensor(0.1234), low=0.1233, high=1000.0)
    assert told.startswith("An output of 0.1234, where the values run from 0.1233 to 1000: ")
    told = say("an output of where", a=0.5, low=0.5, high=1)
    assert told.startswith("An output of 0.5, where the values run from 0.5 to 1: ")


def test_no_sentence_has_the_key_of_another():
    text = (words.HERE / "sentences.md").read_text("utf-8")
    for section in re.split(r"(?m)^# ", text):
        keys = re.findall(r"(?m)^- (.+?): ", section)
        assert len(keys) == len(set(keys)), [k for k in keys if keys.count(k) > 1]
