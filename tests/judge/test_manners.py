"""What is told of right results that are made of something else than they should be."""

import pytest
import torch
from judged import exercise, names, right

from attn_lesson.judge.exercise import Exercise
from attn_lesson.judge.verdict import judge as judge_exercise


@pytest.mark.parametrize(
    ("style", "remark"),
    [
        (lambda x, w: right(x, w).numpy(), "numpy array"),
        (lambda x, w: right(x, w).tolist(), "a list"),
        (lambda x, w: right(x, w).double(), "float64 instead of float32"),
        (lambda x, w: right(x, w).detach(), "carries no gradient"),
        (lambda x, w: [float(a) for a in right(x, w)], "a list"),
        (lambda x, w: right(x.float(), w.float()), "for float64 inputs"),
    ],
)
def test_style_is_a_remark(told, style, remark):
    verdict = told(style)
    assert verdict.status == "right" and remark in verdict.remark
    assert f"One remark: {verdict.remark}" in verdict.message
    if "gradient" in remark:
        assert names(told(style, gradients=True)) == ["gradient"]
    if "inputs" in remark:
        assert names(told(style, dtypes=True)) == ["dtype"]


def test_gradients_and_tolerance(told):
    def crooked(x, w):
        return right(x, w) + 0.5 * (x - x.detach()).sum(-1)

    assert "right, but the gradient is wrong: " in told(crooked, gradients=True).message
    remarked = told(crooked)
    assert remarked.status == "right" and "One remark: the gradient is wrong: " in remarked.message
    assert "\n  got: " in remarked.message and "\nOne of them:\n" in remarked.message

    def not_a_number(x, w):
        return right(x, w) + (x * 0).abs().sqrt().sum(-1)

    assert "contains NaN" in told(not_a_number, gradients=True).message

    def refused(x, w):
        root = (x * x).sqrt()
        root += 1
        return right(x, w) + 0 * root.sum(-1)

    assert "which the gradient still needs" in told(refused, gradients=True).message
    assert told(lambda x, w: right(x, w) * (1 + 1e-6)).status == "right"
    close = told(lambda x, w: right(x, w) * (1 + 1e-4))
    assert close.status == "wrong"
    lines = [line.partition(":")[2].strip() for line in close.message.splitlines()[-2:]]
    assert lines[0] != lines[1]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x, w: right(x, w.detach()),
        lambda x, w: right(x, w) + (w - w.detach()).sum(),
        lambda x, w: 2 * right(x, w).detach() - right(x, w),
    ],
    ids=["no weights", "added", "negated"],
)
def test_the_gradient_of_every_argument_counts(told, wrong):
    assert names(told(wrong, gradients=True)) == ["gradient"]
    assert "the gradient is wrong" in told(wrong).remark


def test_what_has_no_gradient_may_fail_where_one_is_asked_for():
    made = Exercise(lambda x: x > 0, cases=lambda seed: [(torch.ones(2),)])
    assert judge_exercise(made, lambda x: torch.as_tensor(x.numpy() > 0)).remark is None


def test_the_gradient_of_rows_that_sum_to_one():
    """The sum of a softmax has the gradient 0, right or wrong."""

    def my_weights(x):
        return x.softmax(-1)

    cases = [(torch.tensor([[1.0, 2.0], [0.5, 0.0]]),)]
    made = Exercise(my_weights, cases=lambda seed: cases, gradients=True)
    lost = judge_exercise(made, lambda x: x.softmax(-1).detach() + 0 * x)
    assert names(lost) == ["gradient"]
    assert judge_exercise(made, lambda x: x.exp() / x.exp().sum(-1, True)).status == "right"


def test_exact_zeros(told):
    verdict = told(lambda x, w: right(x, w) + 1e-7, exact_zeros=True)
    assert verdict.status == "right", "nothing is 0 here"
    made = exercise(exact_zeros=True)
    made.cases = lambda seed: [
        (torch.zeros(1, 2), torch.ones(2)),
        (torch.ones(3, 2), torch.ones(2)),
    ]
    assert judge_exercise(made, right).status == "right"
    assert judge_exercise(made, lambda x, w: right(x, w) + 1e-7).status == "wrong"
