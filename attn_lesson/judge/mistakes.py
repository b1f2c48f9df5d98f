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
    """Results, the numbers of the wrong ones, that of the one to show, and what is seen in them."""

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
        """Mistakes that some cases show, what is told of them, the first of these; or None."""
        best, agreeing = self.desk.nearly(self.results, self.wrong)
        if not best:
            return None
        clear = [i for i in agreeing if i in self.wrong]
        told = self.desk.tell(best, self.results, clear, some=True)
        some = say("in some", some=len(agreeing), cases=self.cases, told=told[0].sentence)
        return told, some, clear[0]  # what is shown is what the sentence is about

    def error(self):
        problem = self.results[self.failing[0]].error
        kind, told = explanations.error(problem, self.exercise.name, self.exercise.signature)
        return Mistake(f"error: {kind}", told)


def _one(kind, text, index):
    return [Mistake(kind, text)], text, index


# Recognisers. Each makes of a Sight the mistakes, the text and the number of the case to show.


def stopped(s):
    end = s.results[-1].error and s.results[-1].error.type
    if end not in explanations.ENDS:
        return None
    limits = {"seconds": child.SECONDS, "all": child.CALLS * child.SECONDS}
    text = explanations.ended(end, **limits, patience=child.PATIENCE * child.SECONDS)
    if not s.nearly or s.cases < 3:
        return _one(end, text, s.cases - 1)
    told, some, index = s.nearly  # what ended before shows why the last one does not
    return [*told, Mistake(end, text)], f"{some}\n{say('another stopped')} {text}", index


def silent(s):
    none = [i for i, r in enumerate(s.results) if r.error is None and r.value is None]
    key = "no return" if len(none) == s.cases else "no return in some"
    return _one("no return", say(key, some=len(none), cases=s.cases), none[0]) if none else None


def imaginary(s):
    for i in s.wrong:
        kinds = [isinstance(a, torch.Tensor) and a.is_complex()
                 for a in (s.results[i].value, s.expected[i])]  # fmt: skip
        if kinds == [True, False] and isinstance(s.expected[i], torch.Tensor):
            return _one("complex", say("complex"), i)


def constant(s):
    text = s.desk.constant(s.results)
    own = s.settings and s.settings[0][0] != "result"  # a mistake of the exercise says more
    return _one("constant", text, s.index) if text and not own else None


def known(s):
    told = s.settings and s.desk.tell(s.settings, s.results, s.wrong)
    if len(told) < 2:
        return (told, told[0].sentence, s.index) if told else None
    listed = (f"\n{number}. {m.sentence}" for number, m in enumerate(told, start=1))
    return told, say(f"{len(told)} things") + "".join(listed), s.index


def partly(s):
    if not s.nearly:
        return None
    (told, some, index), other = s.nearly, say("not the others")
    if s.failing:
        told = [*told, s.error()]
        other = say("some raise", some=len(s.failing), cases=s.cases, told=told[-1].sentence)
    return told, f"{some}\n{other}", index


def ignored(s):
    found = s.desk.ignored(s.results, s.others)
    if not found:
        return None
    first, other = map(explanations.show, found[1:])
    text = say("ignores", name=found[0], first=first, other=other)
    own, seen, i = explained(s) or ([], "", s.index)
    return [*own, Mistake(f"ignores {found[0]}", text)], f"{seen}\n{text}".lstrip(), i


def raises(s):
    if not s.failing or not (s.results[s.index].error or 2 * len(s.failing) > s.cases):
        return None
    told, key = s.error(), "works in some" if s.right else "raises"
    return [told], f"{say(key, some=s.right, cases=s.cases)} {told.sentence}", s.index


def fixed_size(s):
    values = [(r.value, right) for r, right in zip(s.results, s.expected, strict=False)]
    shapes = [tuple(getattr(a, "shape", ()) for a in pair) for pair in values]
    if len(shapes) < 3 or len({len(shape) for pair in shapes for shape in pair}) > 1:
        return None
    given = [{n for a in case for n in getattr(a, "shape", ())} for case in s.desk.cases]
    fixed = []
    for i in range(len(shapes[0][0])):
        mine, right = ({pair[side][i] for pair in shapes} for side in (0, 1))
        if len(mine) == 1 and min(mine) > 1 and len(right) > 1:
            written = not all(min(mine) in numbers for numbers in given)
            fixed += [say("on axis", size=min(mine), axis=i)] if written else []
    return _one("fixed size", say("fixed size", sizes=joined(fixed)), s.index) if fixed else None


def explained(s):
    for i in (i for i in s.wrong if s.results[i].error is None):
        with contextlib.suppress(Exception):  # a result may be anything
            text = s.exercise.explain(s.desk.cases[i], s.results[i].value, s.expected[i])
            if text:
                return _one("own", text, i)


def anything(s):
    got, expected = s.results[s.index], s.expected[s.index]
    single = isinstance(expected, torch.Tensor) and not expected.dim()
    kinds = ("list", "numpy array", *(("float", "int", "numpy number") if single else ()))
    value = as_tensor(got.value) if got.kind in kinds else None  # as good as a tensor
    got = got if value is None else Outcome(value, got.kind)
    kind, text = explanations.general(got, expected, s.right, s.cases)
    return ([Mistake(kind, text)] if kind else []), text, s.index


RECOGNISERS = [stopped, silent, imaginary, constant, known, partly, ignored, raises, fixed_size,
               explained, anything]  # fmt: skip


def name_mistakes(*about):
    """The mistakes recognised in wrong results, the text, and the number of the case to show."""
    sight = Sight(*about)
    return next(found for recognise in RECOGNISERS if (found := recognise(sight)))
