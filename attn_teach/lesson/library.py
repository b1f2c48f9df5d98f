"""What learners call: `check` and `predict`, over the exercises and questions of all lessons."""

import importlib
import importlib.util
import textwrap

from . import child, engine
from .parameters import proviso

LESSONS = [f"lesson{number:02d}" for number in range(1, 10)]
_tables = {}  # "EXERCISES", "QUESTIONS": by name, of all lessons
_wrong_answers = {}  # exercise name -> number of wrong answers in a row


def tables():
    """The exercises and questions of all lessons: two dictionaries."""
    if not _tables:
        exercises, questions = {}, {}
        for lesson in LESSONS:
            if importlib.util.find_spec(f"{__package__}.{lesson}"):
                module = importlib.import_module(f"{__package__}.{lesson}")
                exercises |= module.EXERCISES
                questions |= module.QUESTIONS
        _tables.update(EXERCISES=exercises, QUESTIONS=questions)
    return _tables["EXERCISES"], _tables["QUESTIONS"]


def check(function, seed=0):
    """Check an exercise: say whether the function is right or, if not, which mistake it makes.

    Args:
        function: the learner's function, under the name that the exercise gives it.
        seed: of the numbers that it is tried on.

    Raises:
        TypeError, ValueError: when it is not a function, or not one of an exercise.
    """
    verdict = judge(function, seed)
    name = function.__name__
    if verdict.printed:
        lines = "\n".join(f"    {line}" for line in verdict.printed.splitlines())
        print(f"  Your function printed, in the first case:\n{lines}")
    if verdict.status != "wrong":
        _wrong_answers.pop(name, None)
        _say(f"{name}: {verdict.message}")
        return
    hints = _exercise(name).hints
    count = _wrong_answers[name] = _wrong_answers.get(name, 0) + 1
    number = min(count, len(hints))
    _say(f"{name}: not yet. {verdict.message}\nHint {number} of {len(hints)}: {hints[number - 1]}")
    if verdict.shown is not None:
        from .picture import show_difference

        show_difference(*verdict.shown)


def judge(function, seed=0):
    """The Verdict on a learner's function; `check` prints it."""
    if child.inside:
        raise RuntimeError("check is being run already")
    name = getattr(function, "__name__", None)
    if not callable(function) or name is None:
        raise TypeError(
            f"check takes the function itself, got {type(function).__name__}; write "
            f"check(my_function) without calling my_function"
        )
    return engine.judge(_exercise(name), function, seed)


def _exercise(name):
    exercises, _ = tables()
    if name not in exercises:
        raise ValueError(f"{name} is no exercise; the exercises are {', '.join(exercises)}")
    return exercises[name]


def predict(question, answer=None):
    """Answer a "predict first" question, before the reveal.

    Args:
        question: its number, such as "3.1".
        answer: a letter; without one, buttons are shown where widgets work.

    Raises:
        ValueError: for a question or letter that does not exist.
    """
    letters = list(_question(question).reactions)
    if answer is None:
        from .interact import show_buttons

        prompt = f"Your prediction? Choose a letter, or run predict({question!r}, {letters[0]!r})."
        show_buttons(prompt, letters, lambda letter: _wrapped(reaction(question, letter)))
        return
    _say(reaction(question, answer))


def reaction(question, answer):
    """What a learner is told who answers a question with this letter."""
    item = _question(question)
    letter = str(answer).strip().upper()
    if letter not in item.reactions:
        raise ValueError(f"answer must be one of {', '.join(item.reactions)}, got {answer!r}")
    verdict = "Right." if item.is_right(letter) else "Not quite."
    return f"Prediction {question}: {letter}. {verdict} {item.reactions[letter]}{proviso()}"


def right_letter(question):
    """The letter of the right answer, for whoever writes or checks a lesson."""
    item = _question(question)
    return next(letter for letter in item.reactions if item.is_right(letter))


def _question(name):
    _, questions = tables()
    if name not in questions:
        raise ValueError(f"there is no question {name!r}; they are {', '.join(sorted(questions))}")
    return questions[name]


def _say(text):
    print(_wrapped(text))


def _wrapped(text):
    """Long sentences broken between words; indented lines hold data and stay."""
    lines = text.splitlines()
    return "\n".join(line if line.startswith(" ") else textwrap.fill(line, 96) for line in lines)
