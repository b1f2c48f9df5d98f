"""Check an exercise's answer in a page: `check(name, code)`, without torch.

The learner's function runs on the cases of the table, over this page's torch, and the judge's own
`decide` tells what is right or wrong with the results.
"""

import contextlib
import io
import linecache
import math

from . import missing
from .borrowed import JUDGES, TooLong, homes, load, scope
from .desk import Table
from .torch_names import functions, nn, torch

verdict = load(f"{JUDGES}verdict")
sandbox = load(f"{JUDGES}sandbox")
plain = load(f"{JUDGES}plain")
explanations = load(f"{JUDGES}explanations")
MANNERS = load(f"{JUDGES}exercise").MANNERS
say = load("attn_lesson.words").sentences("attn_lesson.catalogue")
FILE = "<your answer>"

_table = None
_hints = {}  # exercise: the mistakes last told, and how many hints on them

CANNOT = "This cannot be checked in the page: {why}."
ALSO = (
    "Your numbers are right, in all {cases} cases. The notebook's check would not pass it yet: {why}"
)
UNSEEN = {
    "gradients": "The notebook also checks that gradients flow through it.",
    "dtypes": "The notebook also checks that its dtype follows float64 inputs.",
}


def use(packed):
    """Take the table that table.py made, as bytes."""
    global _table
    _table = Table(packed)
    _hints.clear()


def exercises():
    """The exercises that are answered in a page: {name: (its stub, an answer of the lesson)}."""
    return {name: (told["stub"], told["answer"]) for name, told in _table.exercises.items()}


def check(name, code):
    """Check the code of an answer: ("right", "wrong" or "cannot", what is told)."""
    if _table is None or name not in _table.exercises:
        return "cannot", CANNOT.format(why=f"the page has no cases of {name}")
    missing.raised.clear()
    desk = _table.desk(name)
    function, told = _defined(name, code)
    if missing.raised:
        return "cannot", CANNOT.format(why=missing.raised[0])
    if function is None:
        return "wrong", told
    if verdict._is_stub(function):
        return "wrong", verdict.say("no body")
    records = _records(desk, function)
    if missing.raised:
        return "cannot", CANNOT.format(why=f"this page has no {missing.raised[0]}; "
                                       "in the notebook it works")  # fmt: skip
    return _answered(desk, function, records)


def _defined(name, code):
    """The function that the code defines, or None and what is told."""
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    names = {"__builtins__": scope(), "__name__": "__main__", "math": math, "torch": torch,
             "F": functions, "nn": nn}  # fmt: skip
    try:
        compiled = compile(code, FILE, "exec", dont_inherit=True)
        for known in _words(compiled) & homes().keys():
            names[known] = getattr(load("attn_teach"), known)
        with contextlib.redirect_stdout(io.StringIO()), sandbox.settled():
            exec(compiled, names)
    except SyntaxError as error:
        return None, f"Python cannot read it: {error.msg}, in line {error.lineno}."
    except TooLong:
        raise
    except BaseException as error:
        _, told = explanations.error(_problem(error), name, "")
        return None, told
    function = names.get(name)
    if not callable(function):
        return None, f"There is no function {name} in it: define one with this name."
    return function, ""


def _words(code):
    """The names that code uses, also in its functions."""
    return sandbox._names(code)


def _problem(error):
    """An error that the code raised outside its function."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    source = linecache.getline(FILE, line or 0).strip()
    return plain.Problem(type(error).__name__, str(error), line, source)


def _records(desk, function):
    """What came of the calls; once all results are right, no other calls are made."""
    records = [_record(desk, function, "plain", case) for case in desk.cases]
    plan = desk.plan
    outcomes, _ = plain.sorted_out(records, plan[: len(records)])
    if not missing.raised and not all(desk.right(i, one) for i, one in enumerate(outcomes)):
        records += [_record(desk, function, *call) for call in plan[len(records) :]]
    return records


def _record(desk, function, how, case):
    return sandbox.record(desk.exercise.run, function, case, how, {})


def _answered(desk, function, records):
    exercise = desk.exercise
    results, others = plain.sorted_out(records, desk.plan[: len(records)])
    found = verdict._decide(exercise, desk, results, others, "done")
    printed = _printed(found.printed)
    if found.status == "untouched":
        return "wrong", printed + found.message
    if found.status == "right":
        called = _forbidden(exercise, function)
        if called:
            return "wrong", printed + called
        unseen = [told for key, told in UNSEEN.items() if getattr(exercise, key)]
        _hints.pop(exercise.name, None)
        return "right", printed + "\n".join([found.message, *unseen])
    if found.mistakes and found.mistakes[0].name in MANNERS and _all_right(desk, results):
        return "right", printed + ALSO.format(cases=len(results), why=found.message)
    return "wrong", f"{printed}{found.message}{_hint(exercise, found.mistakes)}"


def _all_right(desk, results):
    return all(desk.right(i, one) for i, one in enumerate(results))


def _printed(text):
    lines = "".join(f"\n    {line}" for line in text.splitlines())
    return f"{say('printed')}{lines}\n" if lines else ""


def _forbidden(exercise, function):
    """What is told of an answer that calls what it should write itself, or ""."""
    words = _words(getattr(function, "__code__", None))
    for path in (*(f"attn_teach.{name}" for name in exercise.asks), *exercise.forbids):
        of_all = homes().keys() if path == "attn_teach" else {path.rpartition(".")[2]}
        for word in words & of_all:
            why = exercise.forbids.get(path) or verdict.say("asked for")
            return verdict.say("right, but calls", name=exercise.name, path=word, why=why)
    return ""


def _hint(exercise, mistakes):
    """The next hint for this answer, a line; a mistake that was named is its own first hint."""
    found = tuple(mistake.name for mistake in mistakes)
    before, number = _hints.get(exercise.name, (None, 0))
    number = number + 1 if found == before else 0 if found else 1
    hints = exercise.hints_on(found[0] if found else "")
    _hints[exercise.name] = found, min(number, len(hints))
    if number == 0 or not hints:
        return ""
    number = min(number, len(hints))
    return "\n" + say("hint", number=number, hints=len(hints), hint=hints[number - 1])


