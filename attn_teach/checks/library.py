"""What learners call: `check` and `predict`, over the exercises and questions of all lessons."""

import textwrap

from . import engine, lesson01, lesson02, lesson03, lesson04, lesson05, lesson06

LESSONS = (lesson01, lesson02, lesson03, lesson04, lesson05, lesson06)
EXERCISES = {e.name: e for lesson in LESSONS for e in lesson.EXERCISES}
QUESTIONS = {name: q for lesson in LESSONS for name, q in lesson.QUESTIONS.items()}

_wrong_answers = {}  # exercise name -> number of wrong answers in a row


def check(function):
    """Check an exercise: say whether the function is right or, if not, which mistake it makes.

    Args:
        function: the learner's function, under the name that the exercise gives it.

    Raises:
        TypeError, ValueError: when it is not a function, or not one of an exercise.
    """
    verdict = judge(function)
    name = function.__name__
    if verdict.status != "wrong":
        _wrong_answers.pop(name, None)
        _say(f"{name}: {verdict.message}")
        return
    hints = EXERCISES[name].hints
    count = _wrong_answers[name] = _wrong_answers.get(name, 0) + 1
    number = min(count, len(hints))
    _say(f"{name}: not yet. {verdict.message}\nHint {number} of {len(hints)}: {hints[number - 1]}")


def judge(function):
    """The Verdict on a learner's function; `check` prints it."""
    name = getattr(function, "__name__", None)
    if not callable(function) or name is None:
        raise TypeError(
            f"check takes the function itself, got {type(function).__name__}; write "
            f"check(my_function) without calling my_function"
        )
    if name not in EXERCISES:
        raise ValueError(f"{name} is no exercise; the exercises are {', '.join(EXERCISES)}")
    return engine.judge(EXERCISES[name], function)


def predict(question, answer=None):
    """Answer a "predict first" question, before the reveal.

    Args:
        question: its number, such as "3.1".
        answer: a letter; without one, buttons are shown where widgets work.

    Raises:
        ValueError: for a question or letter that does not exist.
    """
    if question not in QUESTIONS:
        raise ValueError(f"there is no question {question!r}; they are {', '.join(QUESTIONS)}")
    item = QUESTIONS[question]
    letters = list(item.reactions)
    if answer is None:
        from ..interact import show_buttons

        prompt = f"Your prediction? Choose a letter, or run predict({question!r}, {letters[0]!r})."
        show_buttons(prompt, letters, lambda letter: _wrapped(reaction(question, letter)))
        return
    _say(reaction(question, answer))


def reaction(question, answer):
    """What a learner is told who answers a question with this letter."""
    item = QUESTIONS[question]
    letter = str(answer).strip().upper()
    if letter not in item.reactions:
        raise ValueError(f"answer must be one of {', '.join(item.reactions)}, got {answer!r}")
    verdict = "Right." if letter == item.answer else "Not quite."
    return f"Prediction {question}: {letter}. {verdict} {item.reactions[letter]}"


def _say(text):
    print(_wrapped(text))


def _wrapped(text):
    """Long sentences broken between words; indented lines hold data and stay."""
    lines = text.splitlines()
    return "\n".join(line if line.startswith(" ") else textwrap.fill(line, 96) for line in lines)
