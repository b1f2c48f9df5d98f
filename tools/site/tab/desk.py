"""The judge's bench in a page: what single mistakes yield was made beforehand, by the real torch.

What two or three at once yield, and changes of a result, is made here when it is asked for.
"""

from . import missing
from .borrowed import JUDGES, load
from .making import replayed
from .stored import Reader
from .tensors import wrap

Bench = load(f"{JUDGES}bench").Bench
plain = load(f"{JUDGES}plain")
NOT_KEPT = plain.Outcome(error=plain.Problem("(not in the table)", ""))


class Table:
    """What table.py packed."""

    def __init__(self, packed):
        self.reader = Reader(packed, wrap)
        self.exercises = self.reader.told["exercises"]
        self.desks = {}
        missing.torchs.update(self.reader.told["torch"])

    def desk(self, name):
        """The Desk of an exercise, made once."""
        if name not in self.desks:
            told = self.exercises[name]
            exercises = load(f"attn_lesson.{told['lesson']}.exercises").EXERCISES
            self.desks[name] = Desk(exercises[name], told, self.reader)
        return self.desks[name]


class Desk(Bench):
    """A Bench whose single mistakes were tried beforehand; what changes a result is done here."""

    def __init__(self, exercise, told, reader):
        self.exercise, self.reader = exercise, reader
        self.cases = _with_functions(exercise, told, reader)
        self.expected = [
            plain.Outcome(reader.value(value), kind)
            for value, kind in zip(told["expected"], told["kinds"], strict=True)
        ]
        self._rows = {(knob, setting): row for knob, setting, row in told["rows"]}
        self._outcomes = {((), i): outcome for i, outcome in enumerate(self.expected)}
        self._varied = told["varied"]

    @property
    def varied(self):
        found = {}
        for how, (i, name, value) in self._varied.items():
            k, value = self.exercise.arguments.index(name), self.reader.value(value)
            found[how] = i, name, value, (*self.cases[i][:k], value, *self.cases[i][k + 1 :])
        return found

    def _make(self, settings, i):
        if settings[-1][0] == "result":
            return super()._make(settings, i)
        if len(settings) == 1:
            return self._kept(self._rows[settings[0]][i])
        seen = len(missing.raised)
        made = super()._make(settings, i)
        return made if len(missing.raised) == seen else NOT_KEPT

    def _kept(self, told):
        if isinstance(told, dict) and "error" in told:
            return plain.Outcome(error=plain.Problem(told["error"], ""))
        if isinstance(told, dict) and "odd" in told:
            return plain.Outcome(plain.Odd(*told["odd"]))
        return plain.Outcome(self.reader.value(told))


def _with_functions(exercise, told, reader):
    """An exercise's cases; functions among the arguments are made here, as the lesson makes them.

    Their random numbers are those that were noted.
    """
    cases = told["cases"]
    if not any(_function(a) for case in cases for a in case):
        return [tuple(map(reader.value, case)) for case in cases]
    replayed[:] = told["drawn"]
    with load(f"{JUDGES}sandbox").settled():
        made = exercise.cases(0)
    replayed.clear()
    return [
        tuple(own if _function(a) else reader.value(a) for a, own in zip(case, mine, strict=True))
        for case, mine in zip(cases, made, strict=True)
    ]


def _function(told):
    return isinstance(told, dict) and "function" in told
