"""Check an exercise's answer in a page: `check(name, code)`, without torch.

The judge's own bench makes the cases, over this page's torch, the learner's function runs on them,
and the judge's own `decide` tells what is right or wrong with the results.
"""

import ast
import contextlib
import io
import linecache
import math
import re
import types
import warnings

import numpy as np

from . import missing, tensors
from .borrowed import JUDGES, TooLong, homes, ignored, load, scope
from .torch_names import torch

benches = load(f"{JUDGES}bench")
verdict = load(f"{JUDGES}verdict")
sandbox = load(f"{JUDGES}sandbox")
plain = load(f"{JUDGES}plain")
spy = load(f"{JUDGES}spy")
explanations = load(f"{JUDGES}explanations")
catalogue = load("attn_lesson.catalogue")
FILE = "<your answer>"

_exercises = {}

CANNOT = "The page cannot check this: {why}."
NUMBERS = (
    "Your numbers are right, in all {cases} cases. The notebook checks more: the gradient, which "
    "this page does not compute."
)
NAN = (
    " On the way your function makes a NaN or an infinity, and then its gradient is mostly NaN: "
    "can a harmless number be put in before that arises?"
)
UNREADABLE = "Python cannot read it: {what}, in line {line}."
NO_FUNCTION = "There is no function {name} in it: define it, under this name."
UNTOLD = "what came of it is told in the notebook only"
OF_THE_LESSON = "{name} is not known in this page: define it in your cell, or go on in the notebook"


def use(told):
    """Take what exercises.py tells of the lessons' exercises, and of torch's names."""
    _exercises.clear()
    _exercises.update(told["exercises"])
    missing.torchs.update(told["torch"])
    catalogue.forget_hints()


def exercises():
    """The exercises that are answered in a page: {name: (its stub, an answer of the lesson)}."""
    return {name: (told["stub"], told["answer"]) for name, told in _exercises.items()}


def bench(name):
    """The judge's bench of an exercise; RuntimeError where this page's torch cannot make it."""
    home = load(f"attn_lesson.{_exercises[name]['lesson']}.exercises")
    made = benches.bench(home.EXERCISES[name])
    _ = made.varied  # now: what our answers lack here is no fault of the learner's
    return made


def check(name, code):
    """Check the code of an answer: ("right", "numbers", "wrong" or "cannot", what is told).

    "numbers": they are right, and the notebook checks more.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _checked(name, code)


def _checked(name, code):
    if name not in _exercises:
        return "cannot", CANNOT.format(why=f"the page has no cases of {name}")
    desk = bench(name)
    missing.raised.clear()
    function, told = _defined(name, code)
    if function is None and not missing.raised:
        return "wrong", told
    if function is not None and verdict.is_stub(function):
        return "wrong", verdict.say("no body")
    results, others = ((), {}) if function is None else _outcomes(desk, function)
    why = _lacking(name, results)
    if why:
        return "cannot", CANNOT.format(why=why)
    try:
        return _answered(desk, code, results, others)
    except Exception:  # of what the judge needs to tell it, this page lacks something
        return "cannot", CANNOT.format(why=UNTOLD)


def _lacking(name, results):
    """Which name this page lacks that the notebook has, in words, or ""."""
    if missing.raised:
        return f"it has no {missing.raised[0]}"
    for result in results:
        if result.error is not None and result.error.type == "NameError":
            found = re.search(r"name '(\w+)' is not defined", result.error.text)
            if found and found[1] in _exercises[name]["names"]:
                return OF_THE_LESSON.format(name=found[1])
    return ""


def _defined(name, code):
    """The function that the code defines, or None and what is told."""
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    compiled = None
    try:
        compiled = compile(code, FILE, "exec", dont_inherit=True)
        names = _known(name, code)
        with contextlib.redirect_stdout(io.StringIO()), sandbox.settled():
            exec(compiled, names)
    except SyntaxError as error:
        return None, UNREADABLE.format(what=error.msg, line=error.lineno)
    except TooLong:
        raise
    except BaseException as error:
        if isinstance(error, NameError) and error.name in _exercises[name]["names"]:
            missing.Missing(error.name)
        seen = spy.describe(error, types.SimpleNamespace(__code__=compiled))
        _, told = explanations.error(plain.Problem(**seen), name, "")
        return None, told
    function = names.get(name)
    if not callable(function):
        return None, NO_FUNCTION.format(name=name)
    return function, ""


def _known(name, code):
    """The names that are there where the code stands, as far as it uses them."""
    names = {"__builtins__": scope(), "__name__": "__main__", "check": ignored, "predict": ignored,
             "math": math, "torch": torch, "nn": torch.nn, "F": torch.nn.functional}  # fmt: skip
    given = _exercises[name]["given"]
    for word in _used(f"{given}\n\n{code}")[0] & homes().keys():
        names[word] = getattr(load("attn_teach"), word)
    exec(given, names)
    return names


def _used(code):
    """The names, and the attributes, that code uses; what it imports from a module is both."""
    nodes = list(ast.walk(ast.parse(code)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    imports = [n for node in nodes if isinstance(node, ast.ImportFrom) for n in node.names]
    imported = {n.name for n in imports if (n.asname or n.name) in names}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return names | imported, attributes | imported


def _outcomes(desk, function):
    """What came of the cases, and of the other ways in which they are tried."""

    def attempt(how, case):
        record = sandbox.record(desk.exercise.run, function, case, how, {})
        return plain.sorted_out([record], [("plain", case)])[0][0]

    results, odd = [], False
    for case in desk.cases:
        tensors.odd = [] if desk.exercise.gradients else None
        regular = not any(sandbox.is_float(a) and tensors.is_odd(a.a) for a in case)
        results.append(attempt("plain", case))
        odd |= regular and bool(tensors.odd)
    tensors.odd = None
    if missing.raised:
        return results, {}
    if not all(desk.right(i, one) for i, one in enumerate(results)):
        return results, {how: attempt(how, case) for how, (*_, case) in desk.varied.items()}
    last = desk.cases[-1]
    floats = any(map(sandbox.is_float, last))
    doubled = floats and desk.attempt(desk.exercise.answer, last, "double").error is None
    missing.raised.clear()
    others = {"double": attempt("double", last)} if doubled else {}
    return results, {**others, "odd": odd}


def _answered(desk, code, results, others):
    exercise = desk.exercise
    found = verdict.decide_from(exercise, desk, results, others, "done")
    printed = _printed(found.printed)
    if found.status == "untouched":
        return "wrong", printed + found.message
    if found.status == "right":
        called = _forbidden(exercise, code)
        if called:
            return "wrong", printed + called
        catalogue.forget_hints(exercise.name)
        if exercise.gradients:
            told = NUMBERS.format(cases=len(results)) + (NAN if others["odd"] else "")
            return "numbers", printed + told
        return "right", printed + found.message
    return "wrong", f"{printed}{found.message}{catalogue.hint(exercise, found.mistakes)}"


def _printed(text):
    lines = "".join(f"\n    {line}" for line in text.splitlines())
    return f"{catalogue.say('printed')}{lines}\n" if lines else ""


def _forbidden(exercise, code):
    """What is told of an answer that calls what it should write itself, or ""."""
    names, attributes = _used(code)
    own = names & homes().keys()
    for path in (*(f"attn_teach.{name}" for name in exercise.asks), *exercise.forbids):
        last = path.rpartition(".")[2]
        called = own if path == "attn_teach" else {last} & (
            own if path.startswith("attn_teach.") else attributes
        )  # fmt: skip
        if called:
            why = exercise.forbids.get(path) or verdict.say("asked for")
            path = f"attn_teach.{min(called)}" if path == "attn_teach" else path
            return verdict.say("right, but calls", name=exercise.name, path=path, why=why)
    return ""
