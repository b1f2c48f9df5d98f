"""Which mistakes wrong results show, and what is told of them."""

import contextlib
from dataclasses import dataclass

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


def name_mistakes(exercise, desk, results, others, wrong, index):
    """The mistakes recognised in wrong results, the text, and what case shows it if not index."""
    signature = exercise.signature
    count = len(results)
    if results[-1].error and results[-1].error.type in explanations.ENDS:
        end = results[-1].error.type
        limits = {"seconds": child.SECONDS, "all": child.CALLS * child.SECONDS}
        text = explanations.ended(end, **limits, patience=child.PATIENCE * child.SECONDS)
        best, agreeing = desk.nearly(results, wrong)
        if best and count > 2:  # what ended before shows why the last one does not
            clear = [i for i in agreeing if i in wrong]
            told = [*desk.tell(best, results, clear), Mistake(end, text)]
            start = say("in some", some=len(agreeing), cases=count, told=told[0].sentence)
            return told, f"{start}\n{say('another stopped')} {text}", clear[0]
        return [Mistake(end, text)], text, count - 1
    silent = [i for i in range(count) if results[i].error is None and results[i].value is None]
    if silent:
        if len(silent) == count:
            text = say("no return")
        else:
            text = say("no return in some", some=len(silent), cases=count)
        return [Mistake("no return", text)], text, silent[0]  # where it is seen
    imaginary = [i for i in wrong if _is_complex(results[i].value, desk.expected[i].value)]
    if imaginary:
        text = say("complex")
        return [Mistake("complex", text)], text, imaginary[0]
    constant = desk.constant(results)
    settings = desk.find(results, wrong)
    if constant and not (settings and settings[0][0] != "result"):
        return [Mistake("constant", constant)], constant
    if settings:
        mistakes = desk.tell(settings, results, wrong)
        if len(mistakes) == 1:
            return mistakes, mistakes[0].sentence
        listed = (f"\n{number}. {m.sentence}" for number, m in enumerate(mistakes, start=1))
        return mistakes, say(f"{len(mistakes)} things") + "".join(listed)
    failing = [i for i in wrong if results[i].error is not None]
    told = [
        Mistake(f"error: {kind}", sentence)
        for kind, sentence in [explanations.error(results[i].error, exercise.name, signature)
                               for i in failing[:1]]
    ]  # fmt: skip
    best, agreeing = desk.nearly(results, wrong)
    if best:
        clear = [i for i in agreeing if i in wrong]
        index = clear[0]  # what is shown is what the sentence is about
        told = desk.tell(best, results, clear, some=True) + told
        other = say("not the others")
        if failing:
            other = say("some raise", some=len(failing), cases=count, told=told[1].sentence)
        start = say("in some", some=len(agreeing), cases=count, told=told[0].sentence)
        return told, f"{start}\n{other}", index
    ignored = desk.ignored(results, others)
    if ignored:
        name, *values = ignored
        first, other = map(explanations.show, values)
        sentence = say("ignores", name=name, first=first, other=other)
        ignored = [Mistake(f"ignores {name}", sentence)]
        seen = _explained(exercise, desk, results, wrong)
        if seen is None:
            return ignored, sentence
        (own,), text, i = seen
        return [own, *ignored], f"{text}\n{sentence}", i
    if failing and (results[index].error is not None or 2 * len(failing) > count):
        works = count - len(wrong)
        start = say("works in some", some=works, cases=count) if works else say("raises")
        return told, f"{start} {told[0].sentence}"
    fixed = _fixed_sizes(desk, results)
    if fixed:
        return [Mistake("fixed size", fixed)], fixed
    seen = _explained(exercise, desk, results, wrong)
    if seen:
        return seen
    got, expected = results[index], desk.expected[index].value
    kind, text = explanations.general(_plain(got, expected), expected, count - len(wrong), count)
    return ([Mistake(kind, text)] if kind else []), text


def _explained(exercise, desk, results, wrong):
    """What the exercise itself tells of a wrong result, and of which case; or None."""
    for i in (i for i in wrong if results[i].error is None):
        with contextlib.suppress(Exception):  # a result may be anything
            text = exercise.explain(desk.cases[i], results[i].value, desk.expected[i].value)
            if text:
                return [Mistake("own", text)], text, i
    return None


def _is_complex(got, expected):
    tensors = isinstance(got, torch.Tensor) and isinstance(expected, torch.Tensor)
    return tensors and got.is_complex() and not expected.is_complex()


def _fixed_sizes(desk, results):
    """A sentence on axes that have one and the same size in all cases, and must not; or None."""
    shapes = [
        (tuple(got.value.shape), tuple(right.value.shape))
        for got, right in zip(results, desk.expected, strict=True)
        if isinstance(got.value, torch.Tensor) and isinstance(right.value, torch.Tensor)
    ]
    if len(shapes) < 3 or any(len(a) != len(shapes[0][1]) for pair in shapes for a in pair):
        return None
    sizes = [{pair[0][i] for pair in shapes} for i in range(len(shapes[0][1]))]
    given = [{n for a in case for n in getattr(a, "shape", ())} for case in desk.cases]
    fixed = [
        say("on axis", size=min(sizes[i]), axis=i)
        for i in range(len(sizes))
        if len(sizes[i]) == 1 and min(sizes[i]) > 1 and len({b[i] for _, b in shapes}) > 1
        and not all(min(sizes[i]) in numbers for numbers in given)
    ]  # fmt: skip
    return say("fixed size", sizes=joined(fixed)) if fixed else None


def _plain(got, expected):
    """The outcome as a tensor where one is expected and this is as good."""
    single = isinstance(expected, torch.Tensor) and not expected.dim()
    kinds = ("list", "numpy array", *(("float", "int", "numpy number") if single else ()))
    value = as_tensor(got.value) if got.kind in kinds else None
    return got if value is None else Outcome(value, got.kind)
