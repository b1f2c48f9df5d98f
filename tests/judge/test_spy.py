"""What must not be called is noticed, and what is printed."""

import pytest
import torch
from judged import EXERCISES, exercise, lambda_named, my_average, names, right

import attn_teach
from attn_lesson import check
from attn_lesson.judge import sandbox
from attn_lesson.judge.bench import bench


def test_functions_that_are_asked_for_or_forbidden(told):
    def borrowed(x, weights):
        attn_teach.attend(x, weights.expand(4, len(weights)).mT[: x.shape[-1]])
        return right(x, weights)

    def helper(x):
        torch.autograd.grad((x * 1.0).sum(), x, allow_unused=True)

    def derives(x, weights):
        helper(torch.ones(2, requires_grad=True))
        return right(x, weights)

    def softmax(x, weights):
        torch.softmax(x, -1)
        return right(x, weights)

    verdict = told(borrowed, asks=("attend",))
    assert names(verdict) == ["uses"]
    assert "my_average calls attn_teach.attend, which is what the exercise asks" in verdict.message
    assert names(told(borrowed)) == []
    assert told(borrowed, asks=("masked_softmax",)).status == "right", (
        "attend calls it, they do not"
    )
    assert "use only torch" in told(borrowed, forbids={"attn_teach": "so use only torch."}).message
    forbids = {"torch.autograd.grad": "in spite of the text."}
    assert (
        "calls torch.autograd.grad, in spite of the text." in told(derives, forbids=forbids).message
    )
    assert names(told(softmax, forbids={"torch.softmax": "no."})) == ["uses"]
    answer = told(lambda x, w: my_average(x, w))
    assert names(answer) == ["uses"], "the answer of the checks is no answer"


def squares(x):
    return (x**2).sum()


@pytest.mark.parametrize(
    "derive",
    [
        lambda x: torch.autograd.grad(squares(x), x),
        lambda x: squares(x).backward(),
        lambda x: torch.func.grad(squares)(x),
        lambda x: torch.func.jacrev(squares)(x),
        lambda x: torch.autograd.functional.jacobian(squares, x),
    ],
)
def test_the_influence_of_a_token_is_found_without_derivatives(derive):
    influence = EXERCISES["my_influence"]

    def derives(*_):
        derive(torch.ones(2, requires_grad=True))

    case = bench(influence).cases[0]
    assert sandbox.record(influence.run, derives, case, "plain", influence.forbidden)["called"]


def test_what_is_printed_is_shown_and_cut(told, monkeypatch, capsys):
    def chatty(x, weights):
        for number in range(100_000):
            print("line", number)
        return -right(x, weights)

    verdict = told(chatty)
    assert verdict.printed.splitlines() == [*(f"line {i}" for i in range(10)), "..."]
    assert capsys.readouterr().out == ""
    monkeypatch.setitem(EXERCISES, "my_average", exercise())
    check(chatty)
    out = capsys.readouterr().out
    assert "    line 9\n    ..." in out and "not yet. It has" in out
    check(lambda_named(right))
    assert "Correct on 3 cases" in capsys.readouterr().out
