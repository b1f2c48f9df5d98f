"""What is told of an answer: run it safely, compare it, name the mistakes it makes."""

import contextlib
import inspect
from dataclasses import dataclass, field

import torch

from ..words import sentences
from . import explanations, manners, sandbox
from .bench import WAYS, bench
from .compare import as_tensor
from .mistakes import Mistake, name_mistakes
from .plain import Odd, Outcome, Problem, sorted_out

say = sentences(__name__)


@dataclass
class Verdict:
    """What the judge found: status is "untouched", "right" or "wrong"."""

    status: str
    message: str
    mistakes: list = field(default_factory=list)
    remark: str | None = None
    printed: str = ""
    shown: tuple | None = field(default=None, repr=False)  # expected and got, for a picture


def judge(exercise, function, seed=0):
    """Judge a learner's function: a Verdict, without hints."""
    if is_stub(function):
        return Verdict("untouched", say("no body"))
    plan = bench(exercise, seed).plan
    records, end = sandbox.run_all(exercise.run, function, plan, exercise.forbidden)
    return decide(exercise, seed, records, end)


def decide(exercise, seed, records, end):
    """The Verdict on the records of a bench's plan, wherever it was run, and how that ended."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # thousands of small calls: others would wait for each other
    try:
        desk = bench(exercise, seed)
        return decide_from(exercise, desk, *sorted_out(records, desk.plan), end)
    finally:
        torch.set_num_threads(threads)


def decide_from(exercise, desk, results, others, end):
    """As `decide`, of what came of a desk's cases, in order, and of its other ways."""
    if len(results) < len(desk.cases):
        results = [*results, Outcome(error=Problem(end, ""))]
    elif end != "done":  # it ended in one of the other ways
        others = dict.fromkeys(WAYS, Outcome(error=Problem(end, ""))) | others
    for got, right in zip(results, desk.expected, strict=False):
        if isinstance(got.value, list) and not isinstance(right.value, (list, tuple)):
            value = as_tensor(got.value)  # once, not for each mistake that it is compared with
            got.value = Odd("list", say("ragged")) if value is None else value
    if all(map(_not_written, results)):
        return Verdict("untouched", say("not written"))
    wrong = [i for i, r in enumerate(results) if not desk.right(i, r)]
    if wrong:
        verdict = _judge_wrong(exercise, desk, results, others, wrong)
    else:
        verdict = _judge_the_rest(exercise, desk, results, others)
    verdict.printed = results[0].printed
    return verdict


def _not_written(outcome):
    """Whether the learner's own line raises NotImplementedError; torch does so for dtypes."""
    error = outcome.error
    if not error or error.type != "NotImplementedError":
        return False
    return "raise" in error.source if error.source else not error.text


def _judge_wrong(exercise, desk, results, others, wrong):
    index = next((i for i in wrong if results[i].error is None), wrong[0])
    mistakes, text, index = name_mistakes(exercise, desk, results, others, wrong, index)
    if results[index].changed and say("copy") not in text:  # which would mend both
        besides = say("note", why=results[index].changed[0])
        text = f"{text}\n{besides}"
        mistakes = [*mistakes, Mistake("in place", besides)]
    if mistakes and mistakes[0].name.startswith("error: "):
        index = next(i for i in wrong if results[i].error is not None)
    got, right = results[index], desk.expected[index]
    shown = None if got.error else (right.value, as_tensor(got.value))
    failure = _failure(exercise, desk.cases[index], got, right)
    return Verdict("wrong", f"{text}\n{failure}", mistakes, shown=shown)


def _judge_the_rest(exercise, desk, results, others):
    """The results are right; are the manners?"""

    def wrong(name, text):
        return Verdict("wrong", text, [Mistake(name, text.splitlines()[0])])

    changed = next((r.changed for r in results if r.changed), None)
    if changed:
        return wrong(
            "in place",
            say("right, but changed", why=changed[0]),
        )
    called = next((r.called for r in results if r.called), None)
    if called:
        path = called[0]
        why = exercise.forbids.get(path) or exercise.forbids.get(path.split(".")[0])
        if why is None or path.removeprefix("attn_teach.") in exercise.asks:
            why = say("asked for")
        return wrong("uses", say("right, but calls", name=exercise.name, path=path, why=why))
    style = manners.style(desk, results)
    gradient, double = (manners.other_way(how, desk, others.get(how)) for how in WAYS)
    for name, why, demanded in (
        ("kind", style, exercise.kinds),
        ("gradient", gradient, exercise.gradients),
        ("dtype", double, exercise.dtypes),
    ):
        if why and demanded:
            return wrong(name, say("right, but", why=why))
    about = style or double or gradient
    correct = say("correct" if len(desk.cases) > 1 else "correct on one", cases=len(desk.cases))
    remark = f" {say('remark', remark=about)}" if about else ""
    remark += "\n" if "\n" in remark else " "
    shown = ", ".join(explanations.show(a) for a in desk.cases[0])
    lines = explanations.lines({"input": shown, "result": exercise.show(desk.expected[0].value)})
    message = f"{correct}{remark}{say('one of them')}\n{lines}"
    return Verdict("right", message, remark=about)


def _failure(exercise, case, got, right):
    if got.error is not None:
        expected = exercise.show(right.value)
        name = "" if got.error.type in explanations.ENDS else f"{got.error.type}: "
        shown = got.error.text.splitlines()[0][:160] if got.error.text else say("nothing came")
        shown = f"{name}{shown}"
    else:
        expected, shown = _show_both(exercise, right.value, got.value)
    given = ", ".join(explanations.show(a) for a in case)
    return explanations.lines({"input": given, "expected": expected, "got": shown})


def _show_both(exercise, expected, got):
    with contextlib.suppress(Exception):  # an odd result cannot be shown as the right one is
        texts = exercise.show(expected), exercise.show(got)
        if exercise.show is not explanations.show and texts[0] != texts[1]:
            return texts
    return explanations.show_both(expected, got)


def is_stub(function):
    """Whether a function has no body but a docstring, `...`, `pass` or `return None`."""
    import dis

    code = getattr(function, "__code__", None)
    if not inspect.iscode(code):
        return False
    allowed = ("RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "NOP", "COPY_FREE_VARS")
    return all(
        step.opname in allowed and (step.opname == "NOP" or step.argval is None or
                                    step.opname in ("RESUME", "RETURN_VALUE", "COPY_FREE_VARS"))
        for step in dis.get_instructions(code)
    )  # fmt: skip
