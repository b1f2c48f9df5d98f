"""How an answer is judged: run it safely, compare it, find the mistakes it makes.

An exercise's answer is written once, as a program with knobs: keyword-only arguments whose
defaults are right. Each wrong setting of a knob has a sentence for those who behave like it in
every case. Settings are tried one at a time, then in pairs, then in threes.

How a teacher adds

- a mistake: the setting in the answer's code, and one line in mistakes.md beside it,
  `- knob=setting: What is wrong.` (words.py tells all that such a line may be);
- a mistake that is no part of the answer: a function in `wrong`, and a line `- instead=name: ...`;
- an exercise: an `Exercise(...)` in the lesson's `tell(...)`, and a section with its name;
- a question: a section with its number;
- a mistake that any result can have: one line in `common.CHANGES`, one in common.md.

tests/test_judging.py then says when two entries behave alike on all cases, so that nobody
could tell them apart: add a case which does.
"""

import contextlib
import inspect
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import torch

import attn_teach

from . import explain, sandbox
from .common import CHANGES
from .sandbox import Odd, Outcome, Problem
from .words import joined, sentences

say = sentences(__name__)

TRIED = 5_000  # settings and combinations of settings: about a second


@dataclass(eq=False)
class Exercise:
    """A coding exercise: what is right, where to try it, and what people get wrong.

    Args:
        answer: the right answer, named as the exercise names it. Keyword-only arguments are
            its knobs. It is never shown.
        cases: a function of a seed that returns a list of argument tuples, the smallest first.
        wrong: whole wrong versions, by name.
        numbers: what sentences may hold, such as {cells}: functions of (case, got, expected).
        run: how to use a function on a case, when it is not function(*case).
        show: how results are shown, in one line.
        explain: (case, got, expected) -> a sentence or None, before the engine's general ones.
        gradients, dtypes: whether the exercise's text demands that gradients flow, and that the
            result follows the arguments to float64; where it does not, it is a remark.
        kinds: whether the text demands what kind of thing a result is, such as an int, not a
            float; where it does not, it is a remark.
        exact_zeros: whether what must be 0 must be exactly 0.
        asks: the names in attn_teach that do what the exercise asks to be written.
        forbids: other functions, such as "torch.autograd.grad", and what to tell who calls them;
            "attn_teach" stands for all of its names.
        tolerance: largest difference that counts as equal, relative to 1 + the number.

    settings, {(knob, setting): what is told}, and hints come from the Markdown file.
    """

    answer: Callable
    cases: Callable
    wrong: dict = field(default_factory=dict)
    numbers: dict = field(default_factory=dict)
    run: Callable = lambda function, *case: function(*case)
    show: Callable = explain.show
    explain: Callable = lambda case, got, expected: None
    gradients: bool = False
    dtypes: bool = False
    kinds: bool = False
    exact_zeros: bool = False
    asks: tuple = ()
    forbids: dict = field(default_factory=dict)
    tolerance: float = 1e-5
    settings: dict = field(default_factory=dict)
    hints: list = field(default_factory=list)

    @property
    def name(self):
        return self.answer.__name__

    def has(self, knob, setting):
        """Whether the answer can be set so."""
        if knob in ("result", "instead"):
            return setting in (CHANGES if knob == "result" else self.wrong)
        code = self.answer.__code__
        takes_any = code.co_flags & inspect.CO_VARKEYWORDS
        return bool(takes_any) or knob in (self.answer.__kwdefaults__ or {})

    @cached_property
    def forbidden(self):
        """The functions that an answer must not call, by name."""
        found = {f"attn_teach.{name}": getattr(attn_teach, name) for name in self.asks}
        for path in self.forbids:
            if path == "attn_teach":
                names = [n for n in attn_teach.__all__ if n != "plt"]
                found |= {f"attn_teach.{n}": getattr(attn_teach, n) for n in names}
            else:
                target = {"torch": torch, "attn_teach": attn_teach}[path.split(".")[0]]
                for part in path.split(".")[1:]:
                    target = getattr(target, part)
                found[path] = target
        return found | {"the answer of the checks": self.answer}


@dataclass
class Mistake:
    """A mistake that was recognised: "knob=setting" or the kind of an error, and what is told."""

    name: str
    sentence: str


@dataclass
class Verdict:
    """What the judge found: status is "untouched", "right" or "wrong"."""

    status: str
    message: str
    mistakes: list = field(default_factory=list)
    remark: str | None = None
    printed: str = ""
    shown: tuple | None = field(default=None, repr=False)  # expected and got, for a picture


class Bench:
    """An exercise's cases for a seed, with what each setting makes of them."""

    def __init__(self, exercise, seed):
        self.exercise = exercise
        with sandbox.settled():
            self.cases = exercise.cases(seed)
        self._outcomes = {}
        self.expected = [self.outcome((), i) for i in range(len(self.cases))]
        for outcome in self.expected:
            if outcome.error is not None:
                raise RuntimeError(f"{exercise.name}: the answer fails, {outcome.error}")

    def function(self, settings):
        """The answer with these settings, without those of its result."""
        own = {knob: setting for knob, setting in settings if knob != "result"}
        whole = own.pop("instead", None)
        if whole is not None:
            return self.exercise.wrong[whole]
        return partial(self.exercise.answer, **own) if own else self.exercise.answer

    def outcome(self, settings, i):
        """What the answer with these settings, ((knob, setting), ...), makes of case i."""
        key = (settings, i)
        if key not in self._outcomes:
            self._outcomes[key] = self._make(settings, i)
        return self._outcomes[key]

    def _make(self, settings, i):
        if settings and settings[-1][0] == "result":
            before = self.outcome(settings[:-1], i)
            if before.error is not None:
                return before
            value = None
            with contextlib.suppress(IndexError, RuntimeError):  # nothing there to be changed
                value = CHANGES[settings[-1][1]](before.value)
            return Outcome(value) if value is not None else Outcome(error=Problem("", "not apt"))
        return self.attempt(self.function(settings), i)

    def attempt(self, function, i, how="bare"):
        try:
            outcome = sandbox.attempt(self.exercise.run, function, self.cases[i], how)
        except Exception as error:
            return Outcome(error=Problem(type(error).__name__, str(error)))
        value, kind = outcome.value, type(outcome.value).__name__
        value = value.detach() if isinstance(value, torch.Tensor) else _odd(value)
        return Outcome(value, kind)

    def like(self, settings, i, got):
        """Whether a learner's outcome is what these settings make of case i."""
        mine = self.outcome(settings, i)
        if mine.error is not None or got.error is not None:
            a, b = mine.error, got.error
            return a is not None and b is not None and _kin(a.type) == _kin(b.type)
        return same(got.value, mine.value, self.exercise.tolerance)

    def right(self, i, got):
        if got.error is not None:
            return False
        expected = self.expected[i].value
        if not same(got.value, expected, self.exercise.tolerance):
            return False
        if not self.exercise.exact_zeros or not isinstance(expected, torch.Tensor):
            return True
        return not as_tensor(got.value)[expected == 0].any()

    def candidates(self):
        """Single settings, then pairs and threes of settings of different knobs."""
        every = [s for s, told in self.exercise.settings.items() if told != "-"]
        every.sort(key=lambda s: s[0] == "result")  # changes of a result come after the rest
        for count in (1, 2, 3):
            for settings in itertools.combinations(every, count):
                knobs = {knob for knob, _ in settings}
                if len(knobs) < count or (count == 3 and "result" in knobs):
                    continue
                if "instead" not in knobs or not knobs - {"instead", "result"}:
                    yield settings

    def constant(self, results):
        """A sentence on results that are one and the same number wherever one looks, or None."""
        if any(r.error is not None for r in results) or len(results) < 3:
            return None
        values = [r.value if isinstance(r.value, bool) else as_tensor(r.value) for r in results]
        if all(isinstance(value, bool) for value in values):
            numbers = set(values)
        elif any(not isinstance(v, torch.Tensor) or v.is_complex() for v in values):
            return None
        else:
            numbers = set(torch.cat([v.flatten().double() for v in values]).tolist())
        if len(numbers) != 1 or math.isnan(min(numbers)):
            return None
        everywhere = any(isinstance(v, torch.Tensor) and v.numel() > 1 for v in values)
        booleans = isinstance(values[0], torch.Tensor) and values[0].dtype == torch.bool
        number = explain.show(bool(min(numbers)) if booleans else min(numbers))
        key = "constant everywhere" if everywhere else "constant"
        return say(key, number=number, cases=len(results))

    def most(self, results, wrong):
        """How many mistakes at once the results can be evidence of."""
        if self.constant(results):
            return 1
        shown = sum(_evidence(results[i].value) for i in wrong if results[i].error is None)
        return max(1, min(shown // 2, 3))

    def find(self, results, wrong):
        """The settings that behave like the results in every case, or None.

        A wrong case without an error comes first: most candidates fail there at once.
        """
        order = sorted(range(len(results)), key=lambda i: (results[i].error is not None,
                                                           i not in wrong))  # fmt: skip
        if results[order[0]].error is not None:
            return None  # errors everywhere: the error says more
        most = self.most(results, wrong)
        for settings in itertools.islice(self.candidates(), TRIED):
            if len(settings) > most:
                return None
            if all(self.like(settings, i, results[i]) for i in order):
                return settings
        return None

    def nearly(self, results, wrong):
        """The single setting that agrees best with the wrong results, and the cases where it does.

        Either all cases without an error, or most of the cases and of the wrong ones. A yes or no
        agrees by chance, so that most of them are no evidence; a change of any result does so too.
        """
        runs = [i for i, r in enumerate(results) if r.error is None]
        most = 1 if all(isinstance(results[i].value, bool) for i in runs) else 2 / 3
        mistaken = sum(i in wrong for i in runs)
        best, agreeing = None, []
        for settings in self.candidates():
            if len(settings) > 1:
                break
            if settings[0][0] == "result":
                continue
            agree = [i for i in runs if self.like(settings, i, results[i])]
            clear = sum(i in wrong for i in agree)
            if clear and len(agree) > max(1, len(agreeing)) and (
                len(agree) == len(runs)
                or (clear > 1 and clear >= most * mistaken and len(agree) >= most * len(results))
            ):  # fmt: skip
                best, agreeing = settings, agree
        return best, agreeing

    def tell(self, settings, results, wrong, some=False):
        """What is told of these settings: a list of Mistakes; some: they fit some cases only."""
        shown = next((i for i in wrong if results[i].error is None), wrong[0])
        got = results[shown].value
        got = as_tensor(got) if isinstance(got, list) else got
        given = self.cases[shown], got, self.expected[shown].value
        told = []
        for knob, setting in settings:
            sentence, _, without = self.exercise.settings[knob, setting].partition(" // ")
            numbers = _Numbers(self.exercise.numbers if len(settings) == 1 else {}, given)
            try:
                limits = tuple(say("limits").split(", "))  # what holds only if all else is right
                all_of_it = len(settings) == 1 and not (some and sentence.startswith(limits))
                sentence = (not all_of_it and without) or sentence.format_map(numbers)
            except Exception:  # no number to tell, or the result is too odd to count in
                sentence = without
            told.append(Mistake(f"{knob}={setting}", sentence))
        return told


class _Numbers(dict):
    """The numbers of a sentence, computed when they are looked up."""

    def __init__(self, functions, given):
        super().__init__(functions)
        self.given = given

    def __getitem__(self, name):
        return super().__getitem__(name)(*self.given)


_benches = {}


def bench(exercise, seed=0):
    """The Bench of an exercise and a seed, made once."""
    key = (id(exercise), seed)
    if key not in _benches or _benches[key].exercise is not exercise:
        _benches[key] = Bench(exercise, seed)
    return _benches[key]


# Comparing


def as_tensor(value):
    """A number, or a list of numbers or tensors, as a tensor; None for anything else."""
    if isinstance(value, torch.Tensor):
        return value
    try:
        if isinstance(value, (bool, int, float)):
            return torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None)
        if isinstance(value, list) and value:
            return torch.stack([as_tensor(a) for a in value])
    except (TypeError, RuntimeError, OverflowError):
        pass
    return None


def _evidence(value):
    """How much a result can tell: how many numbers differ in it, or cells from the rest."""
    value = as_tensor(value)
    if value is None or not value.numel():
        return 1
    if value.dtype == torch.bool:
        return 1 + int(min(value.sum(), (~value).sum()))
    return len(value.unique())


def same(a, b, tolerance):
    """Whether two results say the same, whatever they are made of; b is as exact as its dtype."""
    if isinstance(a, (bool, int)) and isinstance(b, (bool, int)):
        return a == b
    if isinstance(a, (Odd, str)) or isinstance(b, (Odd, str)) or a is None or b is None:
        return type(a) is type(b) and a == b
    if isinstance(a, tuple) or isinstance(b, tuple):
        both = isinstance(a, tuple) and isinstance(b, (tuple, list)) and len(a) == len(b)
        return both and all(same(x, y, tolerance) for x, y in zip(a, b, strict=True))
    a, b = as_tensor(a), as_tensor(b)
    if a is None or b is None or a.shape != b.shape:
        return False
    if a.dim() and (a.dtype == torch.bool) != (b.dtype == torch.bool):
        return False
    if a.dtype == torch.bool or not (a.is_floating_point() or b.is_floating_point()):
        return torch.equal(a.long(), b.long())
    atol = max(tolerance, 4 * torch.finfo(b.dtype).eps if b.is_floating_point() else 0.0)
    return torch.allclose(a.double(), b.double(), rtol=atol, atol=atol, equal_nan=True)


def _odd(value):
    """As a child process would bring it back."""
    return sandbox.decode(sandbox.encode(value))[0]


def _kin(name):
    """Errors that the same mistake may raise, written in one way or another."""
    return "" if name in ("RuntimeError", "ValueError", "IndexError", "AssertionError") else name


# Judging


def judge(exercise, function, seed=0):
    """Judge a learner's function: a Verdict, without hints."""
    if _is_stub(function):
        return Verdict("untouched", say("no body"))
    cases = bench(exercise, seed).cases
    return decide(exercise, seed, *sandbox.run_all(
        exercise.run, function, cases, exercise.forbidden, ways(cases)
    ))  # fmt: skip


def ways(cases):
    """How the last case is tried besides: both need a float to begin with."""
    return ("gradient", "double") if any(map(sandbox.is_float, cases[-1])) else ()


def decide(exercise, seed, results, others, end):
    """The Verdict on what `sandbox.run_all` brought back, wherever it was run."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # thousands of small calls: others would wait for each other
    try:
        return _decide(exercise, bench(exercise, seed), results, others, end)
    finally:
        torch.set_num_threads(threads)


def _decide(exercise, desk, results, others, end):
    if len(results) < len(desk.cases):
        results = [*results, Outcome(error=Problem(end, ""))]
    elif end != "done":  # it ended in one of the other ways
        others = {how: Outcome(error=Problem(end, "")) for how in ways(desk.cases)} | others
    for got, right in zip(results, desk.expected, strict=False):
        if isinstance(got.value, list) and isinstance(right.value, torch.Tensor):
            value = as_tensor(got.value)  # once, not for each mistake that it is compared with
            got.value = got.value if value is None else value
    if all(map(_not_written, results)):
        return Verdict("untouched", say("not written"))
    wrong = [i for i, r in enumerate(results) if not desk.right(i, r)]
    if wrong:
        verdict = _judge_wrong(exercise, desk, results, wrong)
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


def _judge_wrong(exercise, desk, results, wrong):
    index = next((i for i in wrong if results[i].error is None), wrong[0])
    mistakes, text, *other = _name_mistakes(exercise, desk, results, wrong, index)
    index = other[0] if other else index
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


def _name_mistakes(exercise, desk, results, wrong, index):
    """The mistakes recognised in wrong results, the text, and what case shows it if not index."""
    signature = _signature(exercise.answer)
    count = len(results)
    if results[-1].error and results[-1].error.type in explain.ENDS:
        end = results[-1].error.type
        limits = {"seconds": sandbox.SECONDS, "all": sandbox.CALLS * sandbox.SECONDS}
        text = explain.ended(end, **limits, patience=sandbox.PATIENCE * sandbox.SECONDS)
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
    constant = desk.constant(results)
    settings = desk.find(results, wrong)
    if constant and not (settings and settings[0][0] != "result"):
        return [Mistake("constant", constant)], constant
    if settings:
        mistakes = desk.tell(settings, results, wrong)
        if len(mistakes) == 1:
            return mistakes, mistakes[0].sentence
        listed = (f"\n{number}. {m.sentence}" for number, m in enumerate(mistakes, start=1))
        return mistakes, f"{['Two', 'Three'][len(mistakes) - 2]} things:{''.join(listed)}"
    failing = [i for i in wrong if results[i].error is not None]
    told = [
        Mistake(f"error: {kind}", sentence)
        for kind, sentence in [explain.error(results[i].error, exercise.name, signature)
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
    if failing and (results[index].error is not None or 2 * len(failing) > count):
        works = count - len(wrong)
        start = say("works in some", some=works, cases=count) if works else say("raises")
        return told, f"{start} {told[0].sentence}"
    fixed = _fixed_sizes(desk, results)
    if fixed:
        return [Mistake("fixed size", fixed)], fixed
    for i in (i for i in wrong if results[i].error is None):
        with contextlib.suppress(Exception):  # a result may be anything
            text = exercise.explain(desk.cases[i], results[i].value, desk.expected[i].value)
            if text:
                return [Mistake("own", text)], text, i
    got, expected = results[index], desk.expected[index].value
    kind, text = explain.general(_plain(got, expected), expected, count - len(wrong), count)
    return ([Mistake(kind, text)] if kind else []), text


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
    remarks = _style(desk, results)
    if remarks and exercise.kinds:
        return wrong("kind", say("right, but", why=remarks[0]))
    gradient = _gradient(exercise, desk, others.get("gradient"))
    if gradient and exercise.gradients:
        return wrong("gradient", say("right, but", why=gradient))
    double = _double(desk, others.get("double"))
    if double and exercise.dtypes:
        return wrong("dtype", say("right, but", why=double))
    remarks += [t for t in (double, gradient) if t]
    correct = say("correct" if len(desk.cases) > 1 else "correct on one", cases=len(desk.cases))
    remark = f" {say('remark', remark=remarks[0])}" if remarks else ""
    remark += "\n" if "\n" in remark else " "
    shown = ", ".join(explain.show(a) for a in desk.cases[0])
    lines = _lines({"input": shown, "result": exercise.show(desk.expected[0].value)})
    message = f"{correct}{remark}{say('one of them')}\n{lines}"
    return Verdict("right", message, remark=remarks[0] if remarks else None)


def _style(desk, results):
    """Remarks on what the results are made of."""
    for i, (got, right) in enumerate(zip(results, desk.expected, strict=True)):
        a, b = got.value, right.value
        if isinstance(b, torch.Tensor):
            if got.kind != "tensor":
                what = say("Python number") if got.kind in ("float", "int") else got.kind
                gradients = " with gradients" * b.is_floating_point()
                return [say(f"as a tensor{gradients}", kind=what)]
            if a.dtype != b.dtype:
                floats = [x.dtype for x in desk.cases[i] if sandbox.is_float(x)]
                names = {"dtype": _short(a.dtype), "expected": _short(b.dtype)}
                if not a.numel() and a.is_floating_point() > b.is_floating_point():
                    return [say("empty", **names)]
                cost = say("other dtype")
                if a.is_floating_point() and a.element_size() > b.element_size():
                    cost = say(f"memory {a.element_size() // b.element_size()}")
                if floats:
                    return [say("dtype for inputs", given=_short(floats[0]), **names, cost=cost)]
                return [say("dtype", **names, cost=cost)]
        elif got.kind not in (right.kind, "numpy number") and (
            desk.exercise.kinds or got.kind not in ("tensor", "int")
        ):
            return [say("kind", kind=got.kind, expected=explain.kind(b))]
    return []


def _short(dtype):
    return str(dtype).removeprefix("torch.")


def _gradient(exercise, desk, got):
    """What is wrong with the gradients of a right result, or None."""
    if got is None:
        return None
    right = desk.attempt(exercise.answer, len(desk.cases) - 1, "gradient")
    if right.error is not None or right.value == "none":
        return None
    if got.error is not None:
        _, why = explain.error(got.error, exercise.name, _signature(exercise.answer))
        return say("fails with gradients", why=why)
    if got.value == "none":
        return say("no gradient")
    for a, b in zip(got.value, right.value, strict=True):
        if a.isnan().any() and not b.isnan().any():
            return say("gradient of NaN")
        if not same(a, b, 10 * exercise.tolerance):
            expected, shown = explain.show_both(b, a)
            lines = _lines({"expected gradient": expected, "got": shown})
            return f"{say('wrong gradient')}\n{lines}"
    return None


def _double(desk, got):
    """What is wrong with the result for float64 inputs, or None."""
    if got is None:
        return None
    right = desk.attempt(desk.exercise.answer, len(desk.cases) - 1, "double")
    if got.error is not None:
        _, why = explain.error(got.error, desk.exercise.name, "")
        return say("fails with float64", why=why)
    a, b = got.value, right.value
    if same(a, b, desk.exercise.tolerance) and (
        not isinstance(b, torch.Tensor) or getattr(a, "dtype", b.dtype) == b.dtype
    ):
        return None
    what = _short(a.dtype) if isinstance(a, torch.Tensor) else say("something else")
    return say("not float64", dtype=what)


def _failure(exercise, case, got, right):
    if got.error is not None:
        expected = exercise.show(right.value)
        name = "" if got.error.type in explain.ENDS else f"{got.error.type}: "
        shown = got.error.text.splitlines()[0][:160] if got.error.text else say("nothing came")
        shown = f"{name}{shown}"
    else:
        expected, shown = _show_both(exercise, right.value, got.value)
    given = ", ".join(explain.show(a) for a in case)
    return _lines({"input": given, "expected": expected, "got": shown})


def _lines(values):
    """Lines of values below each other, each behind its name."""
    names = {name: f"{say(name)}:" for name in values}
    width = max(map(len, names.values()))
    return "\n".join(f"  {names[name]:{width}} {value}" for name, value in values.items())


def _show_both(exercise, expected, got):
    with contextlib.suppress(Exception):  # an odd result cannot be shown as the right one is
        texts = exercise.show(expected), exercise.show(got)
        if exercise.show is not explain.show and texts[0] != texts[1]:
            return texts
    return explain.show_both(expected, got)


def _signature(answer):
    code = answer.__code__
    return f"({', '.join(code.co_varnames[: code.co_argcount])})"


def _is_stub(function):
    """Whether a function has no body but a docstring, `...`, `pass` or `return None`."""
    import dis

    code = getattr(function, "__code__", None)
    if code is None:
        return False
    allowed = ("RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "NOP", "COPY_FREE_VARS")
    return all(
        step.opname in allowed and (step.opname == "NOP" or step.argval is None or
                                    step.opname in ("RESUME", "RETURN_VALUE", "COPY_FREE_VARS"))
        for step in dis.get_instructions(code)
    )  # fmt: skip
