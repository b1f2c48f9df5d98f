"""The checks: right answers pass, each wrong one is told its own mistake, nothing breaks."""

import importlib
import time

import pytest
import torch

from attn_teach import checks
from attn_teach.checks import engine

LESSONS = [f"lesson{number:02d}" for number in range(1, 7)]
ANSWERS = {lesson: importlib.import_module(f"answers.{lesson}") for lesson in LESSONS}
EXERCISES = [
    pytest.param(e, id=f"{lesson}-{e.name}")
    for lesson in ANSWERS
    for e in importlib.import_module(f"attn_teach.checks.{lesson}").EXERCISES
]
MISTAKES = [
    pytest.param(p.values[0], m, id=f"{p.id}-{i}")
    for p in EXERCISES
    for i, m in enumerate(p.values[0].mistakes)
]


def answers(kind):
    return [
        pytest.param(name, answer, id=f"{lesson}-{name}-{i}")
        for lesson, module in ANSWERS.items()
        for name, listed in getattr(module, kind).items()
        for i, answer in enumerate(listed)
    ]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_exercise_is_complete(exercise):
    assert len(exercise.mistakes) >= 5
    assert len(exercise.hints) == 3
    module = next(m for m in ANSWERS.values() if exercise.name in m.RIGHT)
    assert len(module.RIGHT[exercise.name]) >= 2
    assert len(module.WRONG[exercise.name]) >= 5
    cases = exercise.cases()
    sizes = [sum(a.numel() for a in c if isinstance(a, torch.Tensor)) for c in cases]
    assert sizes[0] == min(sizes), "the smallest case comes first"
    assert engine.judge(exercise, exercise.solution).status == "right"


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES)
def test_every_known_mistake_is_named(exercise, mistake):
    verdict = engine.judge(exercise, mistake.wrong)
    assert verdict.status == "wrong"
    assert verdict.mistake is mistake, verdict.message
    assert "expected:" in verdict.message and "got:" in verdict.message


@pytest.mark.parametrize(("name", "answer"), answers("RIGHT"))
def test_right_answers_pass(name, answer):
    verdict = engine.judge(checks.EXERCISES[name], answer)
    assert verdict.status == "right", verdict.message


@pytest.mark.parametrize(("name", "answer"), answers("WRONG"))
def test_wrong_answers_are_told_which_mistake_they_make(name, answer):
    function, words = answer
    verdict = engine.judge(checks.EXERCISES[name], function)
    assert verdict.status == "wrong"
    assert words in verdict.message, verdict.message


@pytest.mark.parametrize("exercise", EXERCISES)
def test_messages_never_hold_the_solution(exercise):
    texts = [*exercise.hints, *(m.message for m in exercise.mistakes if isinstance(m.message, str))]
    for text in texts:
        assert "return " not in text and "lambda" not in text


@pytest.mark.parametrize("exercise", EXERCISES)
def test_untouched_is_said_calmly(exercise):
    verdict = engine.judge(exercise, lambda *_: None)
    assert verdict.status == "untouched"


@pytest.mark.parametrize("exercise", [p for p in EXERCISES if p.values[0].gradients])
def test_a_lost_gradient_is_noticed(exercise):
    def detached(*case):
        return exercise.solution(*(a.detach() if isinstance(a, torch.Tensor) else a for a in case))

    verdict = engine.judge(exercise, detached)
    assert verdict.status == "wrong" and "gradient" in verdict.message


@pytest.mark.parametrize("exercise", [p for p in EXERCISES if p.values[0].dtypes])
def test_a_fixed_dtype_is_noticed(exercise):
    def single(*case):
        result = exercise.solution(*case)
        return result.float() if isinstance(result, torch.Tensor) else result

    verdict = engine.judge(exercise, single)
    assert verdict.status == "wrong" and "dtype must follow" in verdict.message


@pytest.mark.parametrize("exercise", EXERCISES)
def test_writing_into_the_input_is_noticed(exercise):
    def writes(*case):
        result = exercise.run(exercise.solution, *case)
        for a in case:
            if isinstance(a, torch.Tensor):
                a.data.zero_()
                break
        return result

    if not any(isinstance(a, torch.Tensor) and a.any() for a in exercise.cases()[0]):
        pytest.skip("no tensor to write into")
    if exercise.run(exercise.solution, *exercise.cases()[0]) is None:
        pytest.skip("nothing returned")
    verdict = engine.judge(exercise, writes)
    assert verdict.status == "wrong"


EXERCISE = engine.Exercise(
    name="my_double",
    solution=lambda x: 2 * x,
    cases=lambda: [(torch.tensor([1.0, 2.0]),), (torch.rand(2, 3),)],
    mistakes=[engine.Mistake(lambda x: x**2, "You squared.")],
    hints=["Twice is not the square.", "Add x to itself."],
)


@pytest.fixture
def my_double(monkeypatch):
    """Register the small exercise and give back a way to submit an answer under its name."""
    monkeypatch.setitem(checks.EXERCISES, "my_double", EXERCISE)

    def submit(function):
        function.__name__ = "my_double"
        checks.check(function)

    return submit


def test_hints_grow_and_start_again_after_a_right_answer(my_double, capsys):
    my_double(lambda x: x**2)
    assert "You squared.\n" in (first := capsys.readouterr().out)
    assert (
        "input:    [1, 2]" in first and "expected: [2, 4]" in first and "got:      [1, 4]" in first
    )
    assert "Hint 1 of 2: Twice is not the square." in first
    my_double(lambda x: x**2)
    assert "Hint 2 of 2: Add x to itself." in capsys.readouterr().out
    my_double(lambda x: x + x)
    assert "Correct on 2 cases" in capsys.readouterr().out
    my_double(lambda x: x**2)
    assert "Hint 1 of 2" in capsys.readouterr().out


def test_an_exception_is_told_in_the_learner_s_terms(my_double, capsys):
    def answer(x):
        half = x / 2
        return half.reshape(1, 2, 3)

    my_double(answer)
    out = capsys.readouterr().out
    assert "`return half.reshape(1, 2, 3)`: RuntimeError: shape '[1, 2, 3]' is invalid" in out
    assert "Traceback" not in out and "engine" not in out


def test_an_endless_loop_does_not_take_the_kernel_down(my_double, capsys, monkeypatch):
    monkeypatch.setattr(engine, "SECONDS", 0.5)

    def answer(x):
        while True:
            try:
                x = x + 0
            except Exception:
                x = 0

    start = time.monotonic()
    my_double(answer)
    assert "is there a loop that never ends?" in capsys.readouterr().out
    assert time.monotonic() - start < 10


def test_an_endless_loop_in_another_thread(monkeypatch):
    import threading

    monkeypatch.setattr(engine, "SECONDS", 0.5)

    def answer(x):
        while True:
            x = x + 0

    verdicts = []
    thread = threading.Thread(target=lambda: verdicts.append(engine.judge(EXERCISE, answer)))
    thread.start()
    thread.join(20)
    assert "does not come to an end" in verdicts[0].message


def test_a_giant_allocation_does_not_take_the_kernel_down(my_double, capsys):
    my_double(lambda x: torch.ones(10**10) * x[0])
    assert "asked for more memory than there is" in capsys.readouterr().out
    assert torch.ones(10**8).sum() == 10**8, "the limit is lifted again"


def test_what_check_and_predict_refuse():
    with pytest.raises(TypeError, match="check takes the function itself, got Tensor"):
        checks.check(torch.rand(2))
    with pytest.raises(ValueError, match="my_nothing is no exercise; the exercises are my_"):

        def my_nothing():
            pass

        checks.check(my_nothing)
    with pytest.raises(ValueError, match=r"no question '9\.9'"):
        checks.predict("9.9")
    with pytest.raises(ValueError, match="answer must be one of A, B"):
        checks.predict(next(iter(checks.QUESTIONS)), "Z")


@pytest.mark.parametrize("name", checks.QUESTIONS)
def test_every_answer_to_every_question_gets_its_own_reaction(name, capsys):
    question = checks.QUESTIONS[name]
    assert question.answer in question.reactions and len(question.reactions) >= 3
    assert len(set(question.reactions.values())) == len(question.reactions)
    for letter, reaction in question.reactions.items():
        assert len(reaction) > 30
        checks.predict(name, letter.lower())
        out = capsys.readouterr().out
        assert reaction in " ".join(out.split())
        assert max(map(len, out.splitlines())) <= 96
        assert ("Right." in out) == (letter == question.answer)
