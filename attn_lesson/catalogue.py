"""What learners call: `check` and `predict`, over the exercises and questions of all lessons.

A lesson is a folder here that holds an exercises.py.
"""

import functools
import importlib
import textwrap
from pathlib import Path

from .cells import failed
from .judge import sandbox
from .judge.verdict import judge as judge_exercise
from .parameters import proviso
from .words import sentences

say = sentences(__name__)
CHOSEN = {}  # the letter that was clicked last for a question, in this kernel

_hints = {}  # exercise name -> the mistakes last told, and how many hints on them
# Errors of typing rather than of thinking: the message says all, and no hint is used up.
TYPING = ("error: NameError", "error: UnboundLocalError", "error: attribute", "error: arguments")


def lessons():
    """The names of the folders that hold a lesson's exercises, in order."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/exercises.py"))


def table(lesson):
    """The exercises and questions of one lesson: two dictionaries."""
    try:
        module = importlib.import_module(f"{__package__}.{lesson}.exercises")
    except Exception as error:
        raise ValueError(f"{lesson} cannot be read: {error}") from error
    return module.EXERCISES, module.QUESTIONS


@functools.cache
def tables():
    """The exercises and questions of all lessons: two dictionaries."""
    exercises, questions = {}, {}
    for its_exercises, its_questions in map(table, lessons()):
        exercises |= its_exercises
        questions |= its_questions
    return exercises, questions


def check(function, seed=0):
    """Check an exercise: say whether the function is right or, if not, which mistake it makes.

    Args:
        function: the learner's function, under the name that the exercise gives it.
        seed: of the numbers that it is tried on.

    Raises:
        TypeError, ValueError: when it is not a function, or not one of an exercise.
    """
    if error := failed(function):
        _tell(say("not run", name=function.__name__, error=error))
        return
    verdict = judge(function, seed)
    name = function.__name__
    if verdict.printed:
        lines = "\n".join(f"    {line}" for line in verdict.printed.splitlines())
        print(f"  {say('printed')}\n{lines}")
    if verdict.status != "wrong":
        if verdict.status == "right":
            forget_hints(name)
        _tell(f"{name}: {verdict.message}")
        return
    _tell(f"{name}: {say('not yet')} {verdict.message}{hint(exercise(name), verdict.mistakes)}")
    if verdict.shown is not None:
        from .difference import show_difference

        show_difference(*verdict.shown)


def hint(exercise, mistakes):
    """The next hint for this answer, a line. A mistake that was named is its own first hint."""
    found = tuple(mistake.name for mistake in mistakes)
    if found and found[0] in TYPING:
        return ""
    before, number = _hints.get(exercise.name, (None, 0))
    number = number + 1 if found == before else 0 if found else 1
    hints = exercise.hints_on(found[0] if found else "")
    _hints[exercise.name] = found, min(number, len(hints))
    if number == 0 or not hints:
        return ""
    number = min(number, len(hints))
    return "\n" + say("hint", number=number, hints=len(hints), hint=hints[number - 1])


def forget_hints(*names):
    """Begin anew with the hints on these exercises, or on all."""
    for name in names or [*_hints]:
        _hints.pop(name, None)


def judge(function, seed=0):
    """The Verdict on a learner's function; `check` prints it."""
    if sandbox.inside:
        raise RuntimeError("check is being run already")
    name = getattr(function, "__name__", None)
    if not callable(function) or not isinstance(name, str):
        how = "write check(my_function) without calling my_function"
        if callable(function):
            how = "make one with def, under the exercise's name"
        raise TypeError(f"check takes the function itself, got {type(function).__name__}; {how}")
    return judge_exercise(exercise(name), function, seed)


def exercise(name):
    """The exercise of this name.

    Raises:
        ValueError: where there is none.
    """
    exercises, _ = tables()
    if name not in exercises:
        raise ValueError(f"{name} is no exercise; the exercises are {', '.join(exercises)}")
    return exercises[name]


def predict(question, answer=None):
    """Answer a "predict first" question, before the reveal.

    Args:
        question: its name, such as "3P": the lesson and a letter that no option has.
        answer: a letter; without one, buttons are shown where widgets work.

    Raises:
        ValueError: for a question or letter that does not exist.
    """
    letters = list(_question(question).reactions)
    if answer is None:
        from .widgets import show_buttons

        def react(letter):
            CHOSEN[question] = letter
            return _wrapped(reaction(question, letter))

        chosen = CHOSEN.get(question)  # whoever has chosen runs the cell on the way to the next
        prompt = say("prompt", call=f"predict({question!r}, {letters[0]!r})")
        show_buttons(react(chosen) if chosen else prompt, letters, react, chosen)
        return
    _tell(reaction(question, answer))


def reaction(question, answer):
    """What a learner is told who answers a question with this letter."""
    item = _question(question)
    letter = str(answer).strip().upper()
    if letter not in item.reactions:
        raise ValueError(f"answer must be one of {', '.join(item.reactions)}, got {answer!r}")
    told = item.reactions[letter] + proviso()
    verdict = "right" if item.is_right(letter) else "not quite"
    return say(verdict, question=question, letter=letter, told=told)


def right_letter(question):
    """The letter of the right answer, for whoever writes or checks a lesson."""
    item = _question(question)
    return next(letter for letter in item.reactions if item.is_right(letter))


def _question(name):
    _, questions = tables()
    if name not in questions:
        raise ValueError(f"there is no question {name!r}; they are {', '.join(sorted(questions))}")
    return questions[name]


def _tell(text):
    print(_wrapped(text))


def _wrapped(text):
    """Long sentences broken between words; indented lines hold data and stay."""
    lines = text.splitlines()
    return "\n".join(line if line.startswith(" ") else textwrap.fill(line, 96) for line in lines)
