"""What comes back from a learner's function has limits, whoever sends it."""

import json
import time

import pytest
import torch

from attn_lesson.judge import plain
from attn_lesson.judge.plain import Odd, decode, encode, sorted_out


def sent(value):
    """A value as it arrives."""
    return decode(json.loads(json.dumps(encode(value))))[0]


@pytest.mark.parametrize(
    "value",
    [
        *[None, True, 3, -(2**64), 0.5, "a", [], (1, "b"), [[0.5], (2,)]],
        torch.arange(6.0).reshape(2, 3),
        torch.empty(5, 0, 3),
        torch.tensor(True),
    ],
    ids=str,
)
def test_what_is_small_arrives_as_it_is(value):
    got = sent(value)
    assert type(got) is type(value)
    assert torch.equal(got, value) if isinstance(value, torch.Tensor) else got == value


def shared(depth):
    """Lists in lists, few in memory and many when written out."""
    return [shared(depth - 1)] * 1000 if depth else 0


@pytest.mark.parametrize(
    "value",
    [
        torch.empty(10**9, 0),
        torch.zeros(1).expand(10**10),
        torch.ones([1] * 40),
        10**5000,
        shared(4),
        [[1.0] * n for n in range(3000)],
    ],
    ids=["empty rows", "one number often", "many axes", "many digits", "many lists", "ragged"],
)
def test_what_would_be_huge_is_told_in_short(value):
    start = time.process_time()
    got = sent(value)
    assert isinstance(got, Odd) and len(got.text) <= 100
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda x, w: torch.quantize_per_tensor(w, 0.1, 0, torch.quint8), "quint8 tensor"),
        (lambda x, w: torch.nested.nested_tensor([w, w[:1]]), "nested tensor"),
        (lambda x, w: w.to_sparse(), "sparse tensor"),
    ],
    ids=lambda of: of if isinstance(of, str) else "",
)
def test_a_tensor_of_another_kind_is_called_so(told, function, kind):
    verdict = told(function)
    assert f"Expected a tensor, got a {kind}." in verdict.message


LONG = "x" * 10**5
HONEST = {"printed": "", "called": [], "changed": [], "value": ("plain", "int", 1), "error": None}
ERROR = {"type": "TypeError", "text": "a", "line": 1, "source": "b", "shapes": {}}


@pytest.mark.parametrize(
    "forged",
    [
        {"printed": LONG},
        {"called": [LONG] * 1000},
        {"changed": [LONG] * 1000},
        {"value": ("plain", LONG, LONG)},
        {"value": ("odd", LONG, LONG)},
        {"error": ERROR | {"type": LONG, "text": LONG, "source": LONG}},
        {"error": ERROR | {"shapes": {LONG + str(n): [2] * 10**4 for n in range(99)}}},
    ],
    ids=lambda forged: str(forged)[:20],
)
def test_a_forged_record_is_cut(forged):
    (outcome,), _ = sorted_out([HONEST | forged], [("plain", ())])
    assert len(repr(outcome)) < 25_000


@pytest.mark.parametrize(
    "value",
    [
        ("plain", "int", 2**300),
        ("plain", "list", [1]),
        ("plain", "dict", {"a": 1}),
        ("tensor", "tensor", "float32", [10**9, 0], ""),
        ("tensor", "tensor", "float32", [1] * 40, "AAAAAA=="),
        ("list", "list", [("plain", "int", 1)] * (plain.ITEMS + 1)),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_never_sent_is_refused(value):
    with pytest.raises((TypeError, ValueError)):
        decode(value)
