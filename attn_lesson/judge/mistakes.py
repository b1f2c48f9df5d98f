"""Which mistakes wrong results show, and what is told of them."""

import contextlib
from dataclasses import dataclass
from functools import cached_property

import torch

from ..words import joined, sentences
from . import child, explanations
from .compare import as_tensor
from .plain import Outcome

say = sentences(__name__)


@dataclass
class Mistake:
    """A mistake that was recognised: "knob=setting" or the kind of an error, and what is told."""

    name: str
    sentence: str


class Sight:
    """Results, the numbers of the wrong ones, that of the one to show, and what is seen in them.

    Each recogniser, from `stopped` on, makes the mistakes, the text and the number of the case to
    show; or None.
    """

    def __init__(self, exercise, desk, results, others, wrong, index):
        self.exercise, self.desk, self.wrong, self.index = exercise, desk, wrong, index
        self.results, self.others, self.expected = results, others, [r.value for r in desk.expected]
        self.cases, self.right = len(results), len(results) - len(wrong)
        self.failing = [i for i in wrong if results[i].error is not None]

    @cached_property
    def settings(self):
        return self.desk.find(self.results, self.wrong) or ()

    @cached_property
    def nearly(self):
        """Mistakes that some cases show, what is told of them, and the first of these; or None."""
        best, agreeing = self.desk.nearly(self.results, self.wrong)
        clear = [i for i in agreeing if i in self.wrong]
        told = best and self.desk.tell(best, self.results, clear, some=True)
        counts = {"some": len(agreeing), "cases": self.cases}
        return told and (told, say("in some", told=told[0].sentence, **counts), clear[0])

    def error(self):
        problem = self.results[self.failing[0]].error
        kind, told = explanations.error(problem, self.exercise.name, self.exercise.signature)
        return Mistake(f"error: {kind}", told)

    def stopped(self):
        end = self.results[-1].error and self.results[-1].error.type
        if end not in explanations.ENDS:
            return None
        limits = {"seconds": child.SECONDS, "all": child.CALLS * child.SECONDS}
        text = explanations.say(end, **limits, patience=child.PATIENCE * child.SECONDS)
        if not self.nearly or self.cases < 3:
            return _one(end, text, self.cases - 1)
        told, some, index = self.nearly  # what ended before shows why the last one does not
        return [*told, Mistake(end, text)], f"{some}\n{say('another stopped')} {text}", index

    def silent(self):
        none = [i for i, r in enumerate(self.results) if r.error is None and r.value is None]
        key = "no return" if len(none) == self.cases else "no return in some"
        text = say(key, some=len(none), cases=self.cases)
        return _one("no return", text, none[0]) if none else None

    def imaginary(self):
        for i in self.wrong:
            both = [getattr(a, "dtype", None) for a in (self.results[i].value, self.expected[i])]
            if all(both) and both[0].is_complex > both[1].is_complex:
                return _one("complex", say("complex"), i)

    def constant(self):
        text = self.desk.constant(self.results)
        own = self.settings and self.settings[0][0] != "result"  # which says more
        return _one("constant", text, self.index) if text and not own else None

    def known(self):
        if not self.settings:
            return None
        whole = all(self.desk.like(self.settings, i, r) for i, r in enumerate(self.results))
        told = self.desk.tell(self.settings, self.results, self.wrong, part=not whole)
        if len(told) == 1:
            text = told[0].sentence
            return told, text if whole else f"{say('in common')} {text}", self.index
        begins = say(f"{len(told)} things") if whole else say("in common")
        listed = (f"\n{number}. {m.sentence}" for number, m in enumerate(told, start=1))
        return told, begins + "".join(listed), self.index

    def partly(self):
        if not self.nearly:
            return None
        (told, some, index), other = self.nearly, say("not the others")
        if self.failing:
            told = [*told, self.error()]
            counts = {"some": len(self.failing), "cases": self.cases}
            other = say("some raise", told=told[-1].sentence, **counts)
        return told, f"{some}\n{other}", index

    def ignored(self):
        name, *values = self.desk.ignored(self.results, self.others) or [None]
        first, other = map(explanations.show, values or "--")
        text = say("ignores", name=name, first=first, other=other)
        own, seen, i = self.explained() or ([], "", self.index)
        return name and ([*own, Mistake(f"ignores {name}", text)], f"{seen}\n{text}".lstrip(), i)

    def raises(self):
        most = self.failing and 2 * len(self.failing) > self.cases
        if not most and self.results[self.index].error is None:
            return None
        told, key = self.error(), "works in some" if self.right else "raises"
        return [told], f"{say(key, some=self.right, cases=self.cases)} {told.sentence}", self.index

    def fixed_size(self):
        values = [(r.value, b) for r, b in zip(self.results, self.expected, strict=False)]
        shapes = [tuple(getattr(a, "shape", ()) for a in pair) for pair in values]
        if len(shapes) < 3 or len({len(shape) for pair in shapes for shape in pair}) > 1:
            return None
        given = [{n for a in case for n in getattr(a, "shape", ())} for case in self.desk.cases]
        fixed = []
        for i in range(len(shapes[0][0])):
            mine, right = ({pair[side][i] for pair in shapes} for side in (0, 1))
            written = not all(min(mine) in numbers for numbers in given)
            if len(mine) == 1 and min(mine) > 1 and len(right) > 1 and written:
                fixed.append(say("on axis", size=min(mine), axis=i))
        text = say("fixed size", sizes=joined(fixed or [""]))
        return _one("fixed size", text, self.index) if fixed else None

    def explained(self):
        for i in (i for i in self.wrong if self.results[i].error is None):
            with contextlib.suppress(Exception):  # a result may be anything
                about = self.desk.cases[i], self.results[i].value, self.expected[i]
                if text := self.exercise.explain(*about):
                    return _one("own", text, i)

    def anything(self):
        got, expected = self.results[self.index], self.expected[self.index]
        single = isinstance(expected, torch.Tensor) and not expected.dim()
        kinds = ("list", "numpy array", *(("float", "int", "numpy number") if single else ()))
        value = as_tensor(got.value) if got.kind in kinds else None  # as good as a tensor
        got = got if value is None else Outcome(value, got.kind)
        pairs = zip(self.results, self.expected, strict=True)
        offs = [explanations.nearly(one.value, right) for one, right in pairs]
        off = None if None in offs else max(offs)  # of all cases, not of the one to show
        kind, text = explanations.general(got, expected, self.right, self.cases, off)
        return [Mistake(kind, text)] if kind else [], text, self.index


RECOGNISERS = [Sight.stopped, Sight.silent, Sight.imaginary, Sight.constant, Sight.known,
               Sight.partly, Sight.ignored, Sight.raises, Sight.fixed_size, Sight.explained,
               Sight.anything]  # fmt: skip


def _one(kind, text, index):
    return [Mistake(kind, text)], text, index


def name_mistakes(*about):
    """The mistakes recognised in wrong results, the text, and the number of the case to show."""
    sight = Sight(*about)
    return next(found for recognise in RECOGNISERS if (found := recognise(sight)))
