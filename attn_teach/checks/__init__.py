"""Answers for learners: `check` an exercise, `predict` before a reveal.

check(my_function) runs the learner's function on small cases and says what is wrong in
words: every exercise brings a catalogue of known mistakes, each one a wrong version of the
function. A wrong answer that behaves like one of them gets its message. Nothing here
prints a solution.
"""

from .engine import Exercise, Mistake, Question, Verdict
from .library import EXERCISES, QUESTIONS, check, judge, predict

__all__ = [
    "EXERCISES",
    "QUESTIONS",
    "Exercise",
    "Mistake",
    "Question",
    "Verdict",
    "check",
    "judge",
    "predict",
]
