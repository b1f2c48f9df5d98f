"""The checks of attn_lesson: mistakes are told apart and named, right answers accepted."""

import contextlib
import itertools
import os
import pty
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

import attn_teach
from attn_lesson import (
    catalogue,
    check,
    common,
    difference,
    explain,
    judge,
    judging,
    platforms,
    sandbox,
)
from attn_lesson import words as lesson_words
from tools.lessons import folder, lessons

EXERCISES, QUESTIONS = catalogue.tables()
LONG = pytest.mark.long
EACH = pytest.mark.parametrize("exercise", list(EXERCISES.values()), ids=list(EXERCISES))


def own(exercise):
    """The settings that the lesson itself lists."""
    return [s for s in exercise.settings if s[0] != "result"]


def outcomes(desk, settings):
    """What the settings make of all cases, and the numbers of the wrong ones."""
    results = [desk.outcome(settings, i) for i in range(len(desk.cases))]
    return results, [i for i, r in enumerate(results) if not desk.right(i, r)]


# The catalogues


@EACH
def test_every_exercise_is_complete(exercise):
    assert len(exercise.hints) == 3 and len(own(exercise)) >= 5
    assert set(exercise.wrong) == {s for knob, s in own(exercise) if knob == "instead"}
    assert {s for k, s in exercise.settings if k == "result"} == set(common.CHANGES)
    for told in [*exercise.settings.values(), *exercise.hints]:
        plain = told.partition(" // ")[2] or told
        assert told == "-" or plain.endswith((".", "?", ")")), told
        assert "{" not in plain, f"needs a sentence for pairs: {told}"
        assert "return " not in told and "lambda" not in told
    desk = judging.bench(exercise)
    sizes = [sum(a.numel() for a in c if isinstance(a, torch.Tensor)) for c in desk.cases]
    assert sizes[0] == min(sizes), "the smallest case comes first"


@EACH
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=LONG) for n in (1, 17))])
def test_every_single_mistake_is_named_and_no_two_are_alike(exercise, seed):
    desk = judging.bench(exercise, seed)
    for setting in own(exercise):
        results, wrong = outcomes(desk, (setting,))
        assert wrong, f"{setting} changes nothing"
        assert desk.find(results, wrong) == (setting,), f"{setting} is told as something else"
    for a, b in itertools.combinations(own(exercise), 2):
        results, _ = outcomes(desk, (a,))
        assert not all(desk.like((b,), i, r) for i, r in enumerate(results)), (a, b)


@LONG
@EACH
def test_pairs_of_mistakes_are_named(exercise):
    desk = judging.bench(exercise)
    both = single = lost = 0
    pairs = [
        (a, b)
        for a, b in itertools.combinations(own(exercise), 2)
        if a[0] != b[0] and "instead" not in (a[0], b[0])
    ]
    for a, b in random.Random(0).sample(pairs, min(len(pairs), 30)):
        results, wrong = outcomes(desk, (a, b))
        if not wrong or all(r.error for r in results) or desk.most(results, wrong) < 2:
            continue
        found = desk.find(results, wrong)
        both += found is not None and len(found) == 2
        single += found is not None and len(found) == 1
        lost += found is None
    assert lost == 0, "the engine tries all pairs"
    print(f"{exercise.name}: {both} pairs named as two, {single} explained by one")


@EACH
def test_sentences_with_numbers_can_be_told(exercise):
    desk = judging.bench(exercise)
    for setting in [s for s, told in exercise.settings.items() if "{" in told]:
        results, wrong = outcomes(desk, (setting,))
        (mistake,) = desk.tell((setting,), results, wrong)
        assert mistake.sentence and "{" not in mistake.sentence
        start = exercise.settings[setting].partition(" // ")[0].partition("{")[0]
        assert mistake.sentence.startswith(start), mistake.sentence


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_answer_gets_its_own_reaction(name, capsys):
    question = QUESTIONS[name]
    assert len(set(question.reactions.values())) == len(question.reactions) >= 3
    right = [letter for letter in question.reactions if question.is_right(letter)]
    assert len(right) == 1
    for letter, reaction in question.reactions.items():
        catalogue.predict(name, letter.lower())
        out = capsys.readouterr().out
        assert reaction in " ".join(out.split()) and max(map(len, out.splitlines())) <= 96
        assert ("Right." in out) == (letter in right)


@pytest.mark.of_all_lessons
def test_each_folder_is_of_a_lesson_and_has_exercises_and_questions():
    names = [folder(path).name for path in lessons()]
    assert set(catalogue.lessons()) == set(names)
    assert all(all(catalogue.table(name)) for name in names)


def test_what_is_no_exercise_and_no_question_is_said():
    with pytest.raises(ValueError, match="is no exercise; the exercises are my_"):
        judge(test_what_is_no_exercise_and_no_question_is_said)
    with pytest.raises(TypeError, match="check takes the function itself, got Tensor"):
        check(torch.rand(2))
    with pytest.raises(ValueError, match=r"no question '0\.9'"):
        catalogue.predict("0.9")
    with pytest.raises(ValueError, match="answer must be one of A, B"):
        catalogue.predict("3.1", "Z")


def test_the_lines_of_a_lesson_go_before_those_of_all():
    own = [("scale=d", "Own."), ("scale", "shared"), ("result=negated", "-"), ("result", "shared")]
    settings = lesson_words.settings(own)
    assert settings["scale", "d"] == "Own." and settings["result", "negated"] == "-"
    assert settings["scale", "none"] == dict(lesson_words.sections("common.md")["scale"])["none"]
    lines = lesson_words.sections("lesson01/mistakes.md")["my_gaussian"]
    hints = [told for key, told in lines if key == "hint"]
    assert EXERCISES["my_gaussian"].hints == hints, "the weakest comes first"


def test_a_lesson_needs_no_notebook():
    code = "import attn_lesson, sys; print({'IPython', 'ipywidgets'} & set(sys.modules))"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr


SCALES = {None: lambda d, n: d**0.5, "d": lambda d, n: d, "none": lambda d, n: 1}
SCALES |= {"keys": lambda d, n: n**0.5, "times": lambda d, n: 1 / d**0.5}
SOFTMAXES = {
    None: lambda s: s.softmax(-1),
    "queries": lambda s: s.softmax(-2),
    "sigmoid": torch.sigmoid,
    "none": lambda s: s,
    "argmax": lambda s: (s == s.amax(-1, True)).float(),
}
TURNS = {
    None: lambda k: k.mT,
    "1 2": lambda k: k.transpose(1, 2),
    "0 1": lambda k: k.transpose(0, 1),
    "all axes": lambda k: k.permute(*range(k.dim() - 1, -1, -1)),
    "reshape": lambda k: k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]),
    "untransposed": lambda k: k,
}


def attention_with(scale):
    def my_causal_self_attention(X, W_q, W_k, W_v):
        scores = X @ W_q @ (X @ W_k).mT / SCALES[scale](W_k.shape[-1], X.shape[-2])
        hidden = torch.ones(scores.shape[-2:]).triu(1) > 0
        return scores.masked_fill(hidden, -torch.inf).softmax(-1) @ X @ W_v

    return my_causal_self_attention


def heads_with(softmax):
    def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
        q, k, v = (
            (X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v)
        )
        weights = SOFTMAXES[softmax](q @ k.mT / k.shape[-1] ** 0.5)
        return (weights @ v).transpose(1, 2).flatten(2) @ W_o.T

    return my_multi_head


def products_with(turn):
    def my_attention(queries, keys, values):
        return (queries @ TURNS[turn](keys) / keys.shape[-1] ** 0.5).softmax(-1) @ values

    return my_attention


KNOBS = {"scale": (attention_with, SCALES), "softmax": (heads_with, SOFTMAXES)}
KNOBS |= {"product": (products_with, TURNS)}


@pytest.mark.parametrize(("knob", "setting"), [(k, s) for k in KNOBS for s in KNOBS[k][1]])
def test_mistakes_as_learners_write_them(knob, setting):
    mistakes = names(judge(KNOBS[knob][0](setting)))
    assert mistakes == ([f"{knob}={setting}"] if setting else [])


def test_whole_numbers_are_drawn_up_to_the_highest():
    """Cases must hold a full valid length."""
    assert common.Draw(0).whole(1, 3, 99).unique().tolist() == [1, 2, 3]


# A small exercise of our own


def my_average(x, weights, *, scale="sum", axis=-1, sign=1):
    total = (sign * x * weights).sum(axis)
    return total / (weights.sum() if scale == "sum" else len(weights))


def exercise(**options):
    made = judging.Exercise(
        my_average,
        cases=lambda seed: [
            (torch.tensor([[1.0, 2.0]]), torch.tensor([1.0, 3.0])),
            (common.Draw(seed).normal(3, 4), torch.tensor([1.0, 2.0, 5.0, 0.5])),
            (common.Draw(seed).normal(4, 4), torch.tensor([1.0, 2.0, 5.0, 0.5])),
        ],
        **options,
    )
    lines = [("scale=count", "The sum is divided by a count."), ("axis=0", "The axis is wrong.")]
    lines += [("sign=-1", "It has {size} numbers, all negative. // It is negative.")]
    made.settings = lesson_words.settings([*lines, ("result", "shared")])
    made.numbers = {"size": lambda case, got, expected: got.numel()}
    made.hints = ["One.", "Two."]
    return made


@pytest.fixture
def told(monkeypatch):
    """Judge a function as an answer to the small exercise."""

    def judged(function, seed=0, **options):
        function.__name__ = "my_average"
        return judging.judge(exercise(**options), function, seed)

    return judged


def right(x, weights):
    return (x * weights).sum(-1) / weights.sum()


def names(verdict):
    return [m.name for m in verdict.mistakes]


def test_one_mistake_two_mistakes_and_numbers(told):
    assert told(right).status == "right"
    one = told(lambda x, w: -right(x, w))
    assert names(one) == ["sign=-1"] and one.message.startswith("It has 1 numbers, all negative.\n")
    two = told(lambda x, w: -(x * w).sum(-1) / len(w))
    assert names(two) == ["scale=count", "sign=-1"]
    assert "Two things:\n1. The sum is divided by a count.\n2. It is negative.\n" in two.message
    generic = told(lambda x, w: ((x * w).sum(-1) / len(w)).flip(0))
    assert names(generic) == ["scale=count", "result=reversed"]


def test_what_is_shown_is_a_result_even_where_an_earlier_case_fails(told):
    def fails_first(x, w):
        if len(x) == 1:
            raise ValueError("one is too few")
        return -right(x, w)

    verdict = told(fails_first)
    expected, got = verdict.shown
    assert torch.equal(got, -expected) and got.numel() > 1
    assert "shown" not in repr(verdict)
    assert "It has 3 numbers, all negative." in verdict.message, "counted in the case that is shown"


def test_a_mistake_is_one_of_every_case_and_has_a_sentence(told):
    some = told(lambda x, w: right(x, w) if len(x) == 1 else -right(x, w))
    assert some.message.startswith("In 2 of 3 cases: It has 3 numbers")
    shown = explain.show(exercise().cases(0)[1][0])
    assert f"  input:    {shown}" in some.message, "the input belongs to what is shown"
    made = exercise()
    made.settings["sign", -1] = "-"
    verdict = judging.judge(made, lambda x, w: -right(x, w))
    assert names(verdict) != ["sign=-1"] and verdict.status == "wrong"


def test_what_is_shown_is_what_is_told_of(told):
    def otherwise_in_the_smallest(x, w):
        return right(x, w) + 7 if len(x) == 1 else -right(x, w)

    verdict = told(otherwise_in_the_smallest)
    assert verdict.message.startswith("In 2 of 3 cases: It has 3 numbers, all negative.")
    expected, got = verdict.shown
    assert torch.equal(got, -expected)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_what_is_constant_is_told_as_constant(exercise, number):
    """No pair of mistakes is invented for an answer such as torch.zeros(...)."""
    expected = [outcome.value for outcome in judging.bench(exercise).expected]
    if not all(isinstance(value, (torch.Tensor, bool, int, float)) for value in expected):
        return
    constants = [
        torch.full_like(value, number) if isinstance(value, torch.Tensor) else type(value)(number)
        for value in expected
    ]
    results = [sandbox.Outcome(value, type(value).__name__) for value in constants]
    verdict = judging.decide(exercise, 0, results, {}, "done")
    if len(expected) < 3:
        return
    assert verdict.status == "wrong"
    if names(verdict) == ["constant"]:
        assert re.match(r"Your result is (0|1|False|True)( everywhere)?, in", verdict.message)
    else:
        (name,) = names(verdict)
        assert not name.startswith("result="), "one mistake of its own"


def test_little_evidence_is_none_for_two_mistakes(told):
    """A number here and there is what many pairs of mistakes could have made."""

    def average(x, *, add=0, times=1):
        return (x + add) * times

    made = judging.Exercise(average, cases=lambda seed: [(torch.tensor(2.0),)])
    made.settings = {("add", 1): "One more.", ("times", 3): "Three times."}
    assert names(judging.judge(made, lambda x: torch.tensor(9.0))) == []
    made = judging.Exercise(average, cases=lambda seed: [(torch.arange(5.0),)])
    made.settings = {("add", 1): "One more.", ("times", 3): "Three times."}
    assert names(judging.judge(made, lambda x: (x + 1) * 3)) == ["add=1", "times=3"]


def place(x, *, of="largest"):
    return 0 if of == "first" else int(x.argmax())


def test_a_mistake_is_that_of_most_wrong_cases():
    """What is right for another reason is no evidence."""
    places = [0, 0, 0, 0, 0, 1, 1, 1, 1]
    made = judging.Exercise(place, cases=lambda seed: [(torch.eye(4)[p],) for p in places])
    made.settings = {("of", "first"): "The first one."}
    for answers, found in (([0, 0, 0, 0], ["of=first"]), ([0, 0, 0, 3], ["of=first"]),
                           ([0, 0, 3, 3], [])):  # fmt: skip
        results = [sandbox.Outcome(number, "int") for number in [0] * 5 + answers]
        verdict = judging.decide(made, 0, results, {}, "done")
        assert names(verdict) == found, answers


def test_an_explanation_is_looked_for_in_every_wrong_case(told):
    def of_rows(case, got, expected):
        return f"There are {len(got)} rows." if len(got) > 3 else None

    verdict = told(lambda x, w: right(x, w) + torch.arange(len(x)) + 7, explain=of_rows)
    assert verdict.message.startswith("There are 4 rows.") and len(verdict.shown[0]) == 4


def test_nearly_right_is_told_as_such(told):
    close = told(lambda x, w: right(x, w) * 1.004)
    assert names(close) == ["close"] and "off by more than 0.0" in close.message


@pytest.mark.parametrize("rows", [None, 1, 2])
def test_booleans_are_asked_for(rows):
    def my_mask(x):
        return x > 0

    shape = (3,) if rows is None else (rows, 3)
    made = judging.Exercise(my_mask, cases=lambda seed: [(torch.arange(-1.0, 2).expand(shape),)])
    assert judging.judge(made, lambda x: x.gt(0)).status == "right"
    assert "as numbers 0 and 1" in judging.judge(made, lambda x: x.gt(0).float()).message
    assert "differ from 0" in judging.judge(made, lambda x: x.gt(0) * 0.5).message


@pytest.mark.parametrize("seed", [0, 5])
def test_cases_follow_the_seed(told, seed):
    made = exercise()
    cases = [str(judging.bench(made, s).cases) for s in (seed, seed, seed + 1)]
    assert cases[0] == cases[1] != cases[2]
    assert told(right, seed=seed).status == "right"


def test_mistakes_in_the_cases_that_run(told):
    def answer(x, weights):
        if x.shape[0] == 3:
            return x @ x
        return -right(x, weights)

    verdict = told(answer)
    assert names(verdict) == ["sign=-1", "error: product of shapes"]
    assert verdict.message.startswith("In 2 of 3 cases: It has 1 numbers")
    assert "`return x @ x`" in verdict.message and "x (3, 4)" in verdict.message


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
        lambda x, w: right(x.detach(), w),
        lambda x, w: 2 * right(x, w) - right(x, w).detach(),
        lambda x, w: right(x, w) + (w - w.detach()).sum(),
        lambda x, w: 2 * right(x, w).detach() - right(x, w),
        lambda x, w: right(x, 2 * w - w.detach()),
    ],
    ids=["no weights", "no x", "doubled", "added", "negated", "doubled in part"],
)
def test_the_gradient_of_every_argument_counts(told, wrong):
    assert names(told(wrong, gradients=True)) == ["gradient"]
    assert "the gradient is wrong" in told(wrong).remark


def test_the_gradient_of_rows_that_sum_to_one():
    """The sum of a softmax has the gradient 0, right or wrong."""

    def my_weights(x):
        return x.softmax(-1)

    cases = [(torch.tensor([[1.0, 2.0], [0.5, 0.0]]),)]
    made = judging.Exercise(my_weights, cases=lambda seed: cases, gradients=True)
    lost = judging.judge(made, lambda x: x.softmax(-1).detach() + 0 * x)
    assert names(lost) == ["gradient"]
    assert judging.judge(made, lambda x: x.exp() / x.exp().sum(-1, True)).status == "right"


def test_exact_zeros(told):
    verdict = told(lambda x, w: right(x, w) + 1e-7, exact_zeros=True)
    assert verdict.status == "right", "nothing is 0 here"
    made = exercise(exact_zeros=True)
    made.cases = lambda seed: [
        (torch.zeros(1, 2), torch.ones(2)),
        (torch.ones(3, 2), torch.ones(2)),
    ]
    assert judging.judge(made, right).status == "right"
    assert judging.judge(made, lambda x, w: right(x, w) + 1e-7).status == "wrong"


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


def test_what_was_changed_is_noticed(told):
    def writes(x, weights):
        result = right(x, weights)
        x.zero_()
        return result

    def writes_at_last(x, weights):
        result = right(x, weights)
        weights += len(x) // 4
        return result

    assert "your function writes into `x`: work on a copy" in told(writes).message
    assert "writes into `weights`" in told(writes_at_last).message
    layer = torch.nn.Linear(4, 2)
    for change, words in [
        (lambda m: m.eval(), "layer is left in evaluation mode"),
        (lambda m: m.weight.data.zero_(), "your function writes into weight of layer"),
        (lambda m: m.register_parameter("bias", None), "layer has other parameters than before"),
        (lambda m: m, None),
    ]:

        def run(function, x, weights):
            return function(sandbox.watch(layer, "layer"), x, weights)

        def uses_a_module(module, x, weights, change=change):
            change(module)
            return right(x, weights)

        made = exercise(run=lambda function, x, w: function(x, w))
        outcomes, _, _ = sandbox.run_all(run, uses_a_module, made.cases(0), {}, ())
        said = outcomes[0].changed
        assert len(said) == bool(words) and all(s.startswith(words) for s in said)
        assert all("copy" not in s for s in said), "of a module, parameters stay as they are"
        assert layer.training and layer.weight.any(), "ours are as they were"


@pytest.mark.parametrize("change", [list.reverse, list.sort, list.clear])
def test_a_list_of_the_caller_s_is_left_alone(change):
    def my_largest(numbers):
        largest = max(numbers)
        change(numbers)
        return largest

    def answer(numbers):
        return max(numbers)

    answer.__name__ = "my_largest"
    made = judging.Exercise(
        answer, cases=lambda seed: [([1.0, 3.0, 2.0],), ([4.0, 9.0, 5.0, 6.0],)]
    )
    made.settings, made.hints = lesson_words.settings([("result", "shared")]), ["One."]
    assert judging.judge(made, answer).status == "right"
    said = judging.judge(made, my_largest)
    assert said.status == "wrong" and "your function changes `numbers`: work on" in said.message


@pytest.mark.parametrize("forks", [True, False])
def test_what_was_changed_spoils_no_later_case(forks, monkeypatch):
    monkeypatch.setattr(platforms, "can_fork", lambda: forks)

    def my_layer(layer, x):
        return layer(x)

    def writes(layer, x):
        result = layer(x)
        with torch.no_grad():
            layer.weight.zero_()
            x.zero_()
        return result

    layer, x = torch.nn.Linear(2, 2), torch.ones(1, 2)
    made = judging.Exercise(my_layer, cases=lambda seed: [(layer, x)] * 2)
    for function in (writes, lambda layer, x: -writes(layer, x)):
        assert (
            "your function writes into weight of `layer`" in judging.judge(made, function).message
        )
        assert layer.weight.any() and x.all()
    assert judging.judge(made, lambda layer, x: x @ layer.weight.mT + layer.bias).status == "right"


def test_a_named_tuple_is_a_tuple(told):
    verdict = told(lambda x, weights: x.max(-1))
    assert names(verdict) == ["tuple"] and "got a tuple of 2" in verdict.message


@pytest.mark.parametrize("forks", [True, False])
def test_what_is_drawn_is_the_same_for_all(forks, monkeypatch):
    monkeypatch.setattr(platforms, "can_fork", lambda: forks)

    def my_noise(x):
        return x + torch.randn(x.shape)

    made = judging.Exercise(my_noise, cases=lambda seed: [(torch.zeros(n),) for n in (2, 3)])
    for _ in range(2):
        torch.rand(1)
        assert judging.judge(made, lambda x: torch.randn(x.shape) + x).status == "right"
    assert judging.judge(made, lambda x: x + torch.rand(x.shape)).status == "wrong"


def test_none_and_stubs(told):
    def no_return(x, weights):
        x * weights

    def sometimes(x, weights):
        if len(x) < 4:
            return right(x, weights)

    def stub(x, weights):
        """Averages."""
        ...

    assert names(told(no_return)) == names(told(sometimes)) == ["no return"]
    assert "returns None: did you forget `return`?" in told(no_return).message
    assert "None in 1 of 3 cases" in told(sometimes).message
    assert told(stub).status == told(lambda x, w: None).status == "untouched"

    def later(x, weights):
        raise NotImplementedError

    assert told(later).status == "untouched"


# Nothing that a learner writes does harm


# Before Python 3.11 an exception from outside comes at the `try` of a loop, never between two.
NOT_310 = pytest.mark.skipif(sys.version_info < (3, 11), reason="nothing ends it in Python 3.10")


def endless(x, weights):
    while True:
        try:  # noqa: SIM105
            x = x + 0
        except:  # noqa: E722
            pass


def ignores_signals(x, weights):
    import signal

    for number in range(1, 32):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)


def closes_files(x, weights):
    os.closerange(0, 256)
    return right(x, weights)


def recursive(x, weights):
    return recursive(x, weights)


def starts_a_process(x, weights):
    subprocess.Popen(["sleep", "60"])


def checks_itself(x, weights):
    check(checks_itself)


class Endless:
    def __repr__(self):
        while True:
            pass


class BadError(Exception):
    def __str__(self):
        raise ValueError


def bad_error(x, weights):
    raise BadError


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (endless, "time"),
        (ignores_signals, "idle"),
        (lambda x, w: Endless(), "time"),
        (lambda x, w: os._exit(0), "died"),
        (closes_files, "died"),
        (lambda x, w: sys.exit(1), "error: SystemExit"),
        (lambda x, w: os.fork(), "error: processes"),
        (starts_a_process, "error: processes"),
        (lambda x, w: os.forkpty(), "error: processes"),
        (lambda x, w: os.kill(os.getppid(), 9), "error: processes"),
        (lambda x, w: os.killpg(0, 9), "error: processes"),
        (lambda x, w: os.system("true"), "error: processes"),
        (lambda x, w: os.popen("true").read(), "error: processes"),
        (lambda x, w: os.execv("/bin/true", ["true"]), "error: processes"),
        (lambda x, w: os.posix_spawn("/bin/true", ["true"], {}), "error: processes"),
        (lambda x, w: pty.spawn("true"), "error: processes"),
        (recursive, "error: RecursionError"),
        (lambda x, w: torch.ones(10**11), "error: MemoryError"),
        (lambda x, w: input(), "error: input"),
        (checks_itself, "error: check inside"),
        (bad_error, "error: BadError"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="needs a fork")
def test_harm_ends_in_a_sentence(told, function, name, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0.7)
    monkeypatch.setattr(sandbox, "PATIENCE", 2 if name == "idle" else 10**4)
    before = threading.active_count(), len(os.listdir("/proc/self/fd"))
    verdict = told(function)
    assert names(verdict) == [name], verdict.message
    assert before == (threading.active_count(), len(os.listdir("/proc/self/fd")))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # no child is left
    assert "Traceback" not in verdict.message and "judging.py" not in verdict.message


def compute(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.parametrize("forks", [True, False])
@pytest.mark.parametrize(
    ("function", "seconds", "limit", "how"),
    [
        (compute, 0.2, 1.0, "done"),
        (compute, 0.4, 0.5, "slow"),
        (compute, 9.0, 0.3, "time"),
        (time.sleep, 0.4, 0.2, "done"),
        (time.sleep, 0.4, 0.02, "idle"),
    ],
)
def test_slow_is_not_endless(function, seconds, limit, how, forks, monkeypatch):
    """Each call has its processor time, and much more by the clock; all calls together too."""
    monkeypatch.setattr(platforms, "can_fork", lambda: forks)
    monkeypatch.setattr(sandbox, "SECONDS", limit)
    monkeypatch.setattr(sandbox, "PATIENCE", 12 if how == "idle" else 10**4)
    _, _, end = sandbox.run_all(lambda f, x: f(x), function, [(seconds,)] * 6, {}, ())
    assert end == how


def changes_everything(x, weights):
    torch.manual_seed(7)
    torch.set_default_dtype(torch.float64)
    torch.use_deterministic_algorithms(True)
    torch._C._set_grad_enabled(False)
    return right(x, weights)


@pytest.mark.parametrize("forks", [True, False])
def test_global_state_is_as_it_was(told, forks, monkeypatch):
    monkeypatch.setattr(platforms, "can_fork", lambda: forks)
    torch.manual_seed(3)
    state = torch.get_rng_state()
    assert told(changes_everything).status == "right"
    assert torch.equal(state, torch.get_rng_state())
    assert torch.get_default_dtype() == torch.float32 and torch.is_grad_enabled()
    assert not torch.are_deterministic_algorithms_enabled()
    try:
        torch.set_default_dtype(torch.float64)
        torch.use_deterministic_algorithms(True)
        assert told(right).status == "right"
        assert torch.get_default_dtype() == torch.float64
        assert torch.are_deterministic_algorithms_enabled()
    finally:
        torch.set_default_dtype(torch.float32)
        torch.use_deterministic_algorithms(False)


def test_a_starved_loop_is_endless_and_no_sleeper():
    """A busy machine gives it one second in forty."""
    now = [0.0, 0.0]
    clock = sandbox.Clock(lambda: now[0], 5.0)
    clock.now = lambda: tuple(now)
    clock.start = clock.last = (0.0, 0.0)
    while clock.left()[0] > 0:
        now[0], now[1] = now[0] + 0.05, now[1] + 2
    assert clock.left()[1] == "time" and abs(now[0] - 5) < 0.1


def test_a_child_ends_though_its_notebook_was_killed(tmp_path):
    program = """if 1:
        import os, sys, torch
        from attn_lesson import sandbox
        sandbox.SECONDS = 0.2
        def endless(x):
            with open(sys.argv[1], "w") as file:
                file.write(str(os.getpid()))
            while True:
                pass
        sandbox.Clock.left = lambda self: (9.0, "time")
        sandbox.run_all(lambda f, x: f(x), endless, [(torch.ones(1),)], {}, ())
    """
    file = tmp_path / "pid"
    notebook = subprocess.Popen([sys.executable, "-c", program, str(file)])
    while not (file.exists() and file.read_text()):
        assert notebook.poll() is None
        time.sleep(0.05)
    notebook.kill()
    notebook.wait()
    pid, end = int(file.read_text()), time.monotonic() + 300
    while _alive(pid):
        assert time.monotonic() < end, os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)


def _alive(pid):
    """Whether the process is there and no zombie, which nobody may collect here."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# Without a child process, as on Windows, macOS and beside an accelerator


@pytest.fixture
def no_child(monkeypatch):
    monkeypatch.setattr(platforms, "can_fork", lambda: False)
    monkeypatch.setattr(sandbox, "PATIENCE", 10**4)
    threads = threading.active_count()
    yield
    assert threading.active_count() == threads and sys.getprofile() is None


def multiplies(x, weights):
    """Most of the time is spent in C, call after call."""
    matrix = torch.eye(200)
    while True:
        matrix = matrix @ matrix


def collects(x, weights):
    kept = []
    while True:
        kept.append(torch.ones(9))
        kept = kept[-9:]


def recursive_in_except(x, weights):
    try:
        return recursive_in_except(x, weights)
    except RecursionError:
        return recursive_in_except(x, weights)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        pytest.param(endless, "time", marks=NOT_310),
        (multiplies, "time"),
        (collects, "time"),
        (recursive_in_except, "time"),
        (lambda x, w: Endless(), "time"),
        (recursive, "error: RecursionError"),
        (lambda x, w: torch.ones(10**14), "error: MemoryError"),
        (lambda x, w: sys.exit(1), "error: SystemExit"),
        (checks_itself, "error: check inside"),
        (bad_error, "error: BadError"),
        (lambda x, w: -right(x, w), "sign=-1"),
    ],
)
def test_harm_ends_in_a_sentence_without_a_child(told, function, name, no_child, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0.5)
    verdict = told(function)
    assert names(verdict) == [name], verdict.message
    assert told(right).status == "right", "the next answer is judged as ever"


@NOT_310
def test_a_thread_of_the_notebook_may_check(told, no_child, monkeypatch):
    monkeypatch.setattr(sandbox, "SECONDS", 0.5)
    verdicts = []
    thread = threading.Thread(target=lambda: verdicts.append(told(endless)))
    thread.start()
    thread.join()
    assert names(verdicts[0]) == ["time"]


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


def test_a_hint_follows_the_mistake(monkeypatch, capsys):
    monkeypatch.setitem(EXERCISES, "my_average", exercise())
    monkeypatch.setattr(catalogue, "_hints", {})

    def my_gaussian(u):
        return torch.exp(-u * u / 2)

    def typo(x, w):
        return x @ v  # noqa: F821

    negated = lambda_named(lambda x, w: -right(x, w))
    negated_too = lambda_named(lambda x, w: right(x, w) * -1.0)
    doubled = lambda_named(lambda x, w: right(x, w) + right(x, w))
    for function, said in [
        (negated, "Hint 1 of 2: One."),
        (negated, "Hint 1 of 2: One."),  # the same code again
        (my_gaussian, "my_gaussian: Correct"),
        (lambda_named(typo), None),  # uses none up
        (negated_too, "Hint 2 of 2: Two."),  # other code, the same mistake
        (doubled, "Hint 1 of 2: One."),  # another mistake
        (negated, "Hint 1 of 2: One."),
        (negated_too, "Hint 2 of 2: Two."),
        (negated, "Hint 2 of 2: Two."),  # there are no more
        (lambda_named(right), "my_average: Correct"),
        (negated, "Hint 1 of 2: One."),
    ]:
        check(function)
        out = capsys.readouterr().out
        assert said in out if said else "Hint" not in out
    sometimes = lambda_named(lambda x, w: right(x, w) if len(x) == 1 else -right(x, w))
    check(sometimes)
    out = capsys.readouterr().out
    message = judge(sometimes).message
    data = [line for line in message.splitlines() if line.startswith("  input:")]
    assert len(data[0]) > 96 and data[0] in out.splitlines(), "lines of data are not broken"


def lambda_named(function):
    function.__name__ = "my_average"
    return function


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
        (lambda x, w: x.mT.view(-1).transpose(3, 4), "missing axis", "Axis 3"),
        (lambda x, w: 1 - (x > 0), "minus of booleans", "~mask"),
        (lambda x, w: float(torch.ones(3)), "one number", "torch.exp"),
        (lambda x, w: torch.exp(1.0), "not a tensor", "math"),
        (lambda x, w: torch.cat([x, torch.ones(2, 77)]), "putting together", "torch.stack"),
        (lambda x, w: x[100], "index", "size - 1"),
        (lambda x, w: unknown, "NameError", "unknown"),  # noqa: F821
        (lambda x: x, "arguments", "my_average(x, weights)"),
        (lambda x, w: torch.arange(3).mean(), "dtype", ".float()"),
        (lambda x, w: torch.arange(3).softmax(-1), "dtype", ".float()"),
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
    got = judging.Outcome(torch.zeros(shape), "tensor")
    _, said = explain.general(got, torch.zeros(2, 3, 4), 0, 2)
    assert said == f"{words}."
    got = judging.Outcome(torch.zeros(2, 2, 3), "tensor")
    _, said = explain.general(got, torch.zeros(2, 3, 3), 0, 2)
    assert said == "Axis 1 of the result has the size 2 instead of 3.", "no change of order"


def test_expected_and_got_never_print_alike():
    one = torch.tensor([1.0, 2.0])
    pairs = [(one, one + 1e-6), (1.0, 1.0 + 1e-12), (torch.zeros(5, 6), torch.zeros(5, 6).long())]
    late = torch.zeros(5, 6)
    late[4, 5] = 1
    for a, b in [*pairs, (torch.zeros(5, 6), late), (True, 1), (one, one.double())]:
        texts = explain.show_both(a, b)
        assert texts[0] != texts[1], texts


def test_a_wrong_matrix_is_shown():
    expected, got = torch.eye(3), torch.eye(3).flip(0)
    figure = difference.draw_difference(expected, got)
    assert [ax.get_title() for ax in figure.axes] == ["expected", "got", "got - expected"]
    assert "4 of 9 cells are wrong and outlined: row 0 column 0" in figure.alt
    got[0, 1] = 5
    _, _, third = difference.draw_difference(expected, got).axes
    assert third.images[0].get_array()[0].tolist() == [-1, 5, 1]
    boxes = {(patch.get_y() + 0.5, patch.get_x() + 0.5) for patch in third.patches}
    assert boxes == {(0, 0), (0, 1), (0, 2), (2, 0), (2, 2)}, "rows run down"
    assert [len(ax.patches) for ax in figure.axes] == [0, 4, 4]
    assert len(difference.draw_difference(expected, torch.ones(3, 2)).axes) == 2
    assert difference.draw_difference(torch.ones(2, 3, 4) > 0, torch.ones(2, 3, 4) < 0) is not None
    nothing_finite = difference.draw_difference(torch.full((2, 2), torch.nan), torch.ones(2, 2))
    assert nothing_finite is not None
    for odd in (torch.ones(13, 2), torch.ones(3), None, torch.ones(0, 2)):
        assert difference.draw_difference(odd, odd) is None
    attn_teach.plt.close("all")


BROKEN = {  # what is put before "# my_padding_mask", and what is then said
    "no colon": ("- edge=2 One more", "mistakes.md, line {line}: expected `# section`"),
    "no section": (None, "mistakes.md, line {line}: expected `# section`"),
    "no such knob": ("- colour=red: Red.", "my_lookahead_mask: the answer has no colour=red"),
    "no such version": ("- instead=nothing: No.", "the answer has no instead=nothing"),
    "no such change": ("- result=nothing: No.", "the answer has no result=nothing"),
    "two letters": ("# 3.9\n- *A: Yes.\n- *B: Yes.", "3.9: a question has one right letter"),
    "no letter": ("# 3.9\n- A: Yes.\n- B: Yes.", "3.9: a question has one right letter"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_words_are_named_and_other_lessons_still_check(broken, monkeypatch, capsys):
    more, said = BROKEN[broken]
    text = (folder("03") / "mistakes.md").read_text("utf-8")
    place = text.index("# my_padding_mask") if more else text.index("- ")
    said = said.format(line=text[:place].count("\n") + 1 if more else 1)
    text = f"{text[:place]}{more}\n{text[place:]}" if more else text[place:]
    monkeypatch.setitem(lesson_words.PACKED, "lesson03/mistakes.md", text)
    monkeypatch.delitem(sys.modules, "attn_lesson.lesson03.exercises")
    monkeypatch.setattr(catalogue, "_tables", {})
    catalogue.tables.cache_clear()

    def my_boxcar(u): ...

    def my_padding_mask(valid_lens, num_keys): ...

    try:
        with pytest.raises(ValueError, match=f"lesson03 cannot be read: .*{re.escape(said)}"):
            catalogue.table("lesson03")
        with pytest.raises(ValueError, match=f"is no exercise.*\n.*{re.escape(said)}"):
            check(my_padding_mask)
        check(my_boxcar)
        assert "my_boxcar: Nothing to check yet" in capsys.readouterr().out
        assert catalogue.lessons()[-1] in catalogue._tables
        assert set(catalogue.tables()[1]) == {n for n in QUESTIONS if not n.startswith("3.")}
    finally:
        catalogue.tables.cache_clear()


def test_a_packed_lesson_works_and_hides_its_answers(tmp_path):
    editions = pytest.importorskip("tools.editions.editions")  # needs the extra classroom
    package = Path(catalogue.__file__).parent
    names = ("exercises.py", "mistakes.md")
    source, text = ((package / "lesson03" / name).read_text() for name in names)
    packed = editions.packed(source, text)
    assert "valid_lens" not in packed and "*C:" not in packed and len(packed) < len(source + text)
    path = tmp_path / "copy" / "attn_lesson"
    subprocess.run(["cp", "-r", package, path.parent.mkdir() or path], check=True)
    (path / "lesson03" / "exercises.py").write_text(packed)
    (path / "lesson03" / "mistakes.md").unlink()
    code = """if 1:
        import inspect, torch
        from attn_lesson import judge, catalogue, predict
        def my_padding_mask(v, n):
            return torch.arange(n) <= v.reshape(len(v), -1, 1)
        print(judge(my_padding_mask).mistakes[0].name)
        predict("3.1", "C")
        exercise = catalogue.tables()[0]["my_padding_mask"]
        try:
            print(inspect.getsource(exercise.answer))
        except OSError:
            print("no source")
    """
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=path.parent, capture_output=True, text=True
    )
    assert "edge=1" in done.stdout and "3.1: C. Right." in " ".join(done.stdout.split())
    assert "valid_lens" not in done.stdout and not done.stderr


def test_a_picture_comes_where_it_says_more_than_numbers():
    for shape in [(1, 1), (1, 5), (4, 1), (1, 1, 3), (13, 2)]:
        assert difference.draw_difference(torch.zeros(shape), torch.ones(shape)) is None


def test_a_number_is_no_wrong_kind_of_a_tensor_without_axes(told):
    made = judging.Exercise(mean := lambda x: x.mean(), cases=lambda seed: [(torch.arange(3.0),)])
    mean.__name__ = "mean"
    assert judging.judge(made, lambda x: float(x.mean())).status == "right"
    assert "Expected a tensor" not in judging.judge(made, lambda x: float(x.sum())).message


@pytest.mark.parametrize(
    ("answer", "words"),
    [(lambda x: x.expand(10**7, 3), "a tensor of shape (3,), got a tensor of shape (10000000, 3)."),
     (lambda x: x.to_sparse(), "a tensor, got a sparse tensor.")],
)  # fmt: skip
def test_a_tensor_that_does_not_come_back_is_named(answer, words):
    made = judging.Exercise(lambda x: x + 1, cases=lambda seed: [(torch.arange(3.0),)])
    assert f"Expected {words}" in judging.judge(made, answer).message


@LONG
def test_an_answer_that_is_like_nothing_is_refused():
    """The slowest wrong answer, since all pairs are tried."""
    for exercise in EXERCISES.values():
        judging.bench(exercise)

        def nonsense(*case):
            return torch.arange(30).reshape(5, 6) * 0.123  # not constant, and enough to go on

        nonsense.__name__ = exercise.name
        assert judge(nonsense).status == "wrong", exercise.name


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("convert it with x.to(torch.float32)", "x.to(torch.float32)."),
        ("is it there?", "is it there?"),
        ("shape mismatch", "from the last axis. (ValueError)"),
    ],
)
def test_a_sentence_ends_before_the_next_begins(text, end):
    """What attn_teach says of bad input ends without a stop."""
    assert explain.error(explain.Problem("ValueError", text), "f", "(x)")[1].endswith(end)


@pytest.mark.parametrize("own", [True, False])
def test_only_a_learner_s_own_line_says_that_nothing_is_written(own):
    """Newer versions of torch raise NotImplementedError for the minus of booleans, and others."""
    line = "raise NotImplementedError('later')" if own else "x - (x > 0)"
    error = explain.Problem("NotImplementedError", "with a bool tensor is not supported", 2, line)
    assert judging._not_written(judging.Outcome(error=error)) is own
    bare = explain.Problem("NotImplementedError", "")
    assert judging._not_written(judging.Outcome(error=bare))
