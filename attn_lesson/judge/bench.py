"""An exercise's cases, and what each mistake makes of them."""

import contextlib
import functools
import itertools
import math

import torch

from ..words import sentences
from . import explanations, plain, sandbox
from .common import CHANGES
from .compare import as_tensor, evidence, kin, same
from .mistakes import Mistake
from .plain import Outcome, Problem

say = sentences(__name__)

WAYS = "gradient", "double"  # how the last case is tried besides


class Bench:
    """An exercise's cases for a seed, with what each setting makes of them."""

    tried = 6_000  # settings and combinations of settings: about a second

    def __init__(self, exercise, seed):
        self.exercise = exercise
        with sandbox.settled():
            self.cases = exercise.cases(seed)
        self.outcome = functools.cache(self._outcome)
        self.expected = [self.outcome((), i) for i in range(len(self.cases))]
        for outcome in self.expected:
            if outcome.error is not None:
                raise RuntimeError(f"{exercise.name}: the answer fails, {outcome.error}")

    @functools.cached_property
    def plan(self):
        """The calls to make, (how, case): all cases, then the last and the first in other ways."""
        floats = any(map(sandbox.is_float, self.cases[-1]))
        others = [(how, self.cases[-1]) for how in WAYS if floats]
        others += [(how, case) for how, (*_, case) in self.varied.items()]
        return [("plain", case) for case in self.cases] + others

    @functools.cached_property
    def varied(self):
        """Cases with another value of an argument, where the result must be another.

        {how: (number of the case, name of the argument, its value, the case)}; two of a case, so
        that one and the same result is no chance.
        """
        found = {}
        for k, name in enumerate(self.exercise.arguments[: len(self.cases[0])]):
            enough = 1 if isinstance(self.cases[0][k], bool) else 2  # which has one other
            for i in (0, *range(len(self.cases) - 1, 0, -1)):  # the first, and the last that serves
                changed = []
                for value in self._other_values(i, k):
                    case = (*self.cases[i][:k], value, *self.cases[i][k + 1 :])
                    got = self.attempt(self.exercise.answer, case)
                    if got.error is None and not self.right(i, got):
                        changed.append((i, name, value, case))
                    if len(changed) == enough:
                        found |= {f"varies {name} {i} {n}": c for n, c in enumerate(changed)}
                        break
                if (i == 0) != (len(changed) == enough):
                    break
        return found

    def _other_values(self, i, k):
        here = self.cases[i][k]
        alike = [c[k] for c in self.cases if type(c[k]) is type(here) and c[k] is not here]
        if isinstance(here, torch.Tensor):
            yield from (a for a in alike if a.shape == here.shape and a.dtype == here.dtype)
            yield from (here.flip(axis) for axis in range(here.dim()))
            yield from [~here] if here.dtype == torch.bool else [here + 1, here * 2]
        elif type(here) in (bool, int, float):
            yield from dict.fromkeys(alike)
            yield from (here + 1, here + 2) if type(here) is int else ()

    def ignored(self, results, others):
        """The argument on which the results do not depend, its value and another; or None."""
        depends = set()
        for how, (i, name, _, _) in self.varied.items():
            got, was = others.get(how, Outcome(error=how)), results[i]
            alike = got.error is None and same(got.value, was.value, 0.0)
            if not alike or (not i and evidence(was.value) < 2):  # one number agrees by chance
                depends.add(name)
        for i, name, value, _ in self.varied.values():
            if i == 0 and name not in depends:
                return name, self.cases[0][self.exercise.arguments.index(name)], value
        return None

    def function(self, settings):
        """The answer with these settings, without those of its result."""
        own = {knob: setting for knob, setting in settings if knob != "result"}
        whole = own.pop("instead", None)
        if whole is not None:
            return self.exercise.wrong[whole]
        return functools.partial(self.exercise.answer, **own) if own else self.exercise.answer

    def _outcome(self, settings, i):
        """What the answer with these settings, ((knob, setting), ...), makes of case i."""
        if settings and settings[-1][0] == "result":
            before = self.outcome(settings[:-1], i)
            if before.error is not None:
                return before
            value = None
            with contextlib.suppress(IndexError, RuntimeError):  # nothing there to be changed
                value = CHANGES[settings[-1][1]](before.value)
            return Outcome(value) if value is not None else Outcome(error=Problem("", "not apt"))
        return self.attempt(self.function(settings), self.cases[i])

    def attempt(self, function, case, how="bare"):
        """What a function of ours makes of a case, as if a child process had brought it back."""
        try:
            outcome = sandbox.attempt(self.exercise.run, function, case, how)
        except Exception as error:
            return Outcome(error=Problem(type(error).__name__, str(error)))
        value, kind = outcome.value, type(outcome.value).__name__
        if isinstance(value, torch.Tensor):
            return Outcome(value.detach(), kind)
        return Outcome(plain.decode(plain.encode(value))[0], kind)

    def like(self, settings, i, got):
        """Whether a learner's outcome is what these settings make of case i."""
        mine = self.outcome(settings, i)
        if mine.error is not None or got.error is not None:
            a, b = mine.error, got.error
            return a is not None and b is not None and kin(a.type) == kin(b.type)
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
        for count, changed in ((1, False), (1, True), (2, False), (2, True), (3, False)):
            for settings in itertools.combinations(every, count):
                knobs = {knob for knob, _ in settings}
                if len(knobs) < count or (settings[-1][0] == "result") != changed:
                    continue
                if "instead" not in knobs or not knobs - {"instead", "result"}:
                    yield settings

    def constant(self, results):
        """A sentence on results that are one and the same number wherever one looks, or None."""
        if any(r.error is not None for r in results) or len(results) < 3:
            return None
        values = [as_tensor(r.value) for r in results]
        if any(v is None or v.is_complex() for v in values):
            return None
        numbers = set(torch.cat([v.flatten().double() for v in values]).tolist())
        if len(numbers) != 1 or math.isnan(min(numbers)):
            return None
        booleans = values[0].dtype == torch.bool
        number = explanations.show(bool(min(numbers)) if booleans else min(numbers))
        key = "constant everywhere" if any(v.numel() > 1 for v in values) else "constant"
        return say(key, number=number, cases=len(results))

    def most(self, results, wrong):
        """How many mistakes at once the results can be evidence of.

        A yes or no agrees by chance.
        """
        yes_or_no = all(isinstance(r.value, bool) for r in results if r.error is None)
        if yes_or_no or self.constant(results):
            return 1
        shown = sum(evidence(results[i].value) for i in wrong if results[i].error is None)
        return max(1, min(shown // 2, self.exercise.together))

    def find(self, results, wrong):
        """The settings that behave like the results in every case, or None.

        Where several pairs or threes do, only what they have in common, since nobody knows which
        of them was made; and nothing where not all could be tried. A wrong case without an error
        comes first: most candidates fail there at once.
        """
        order = sorted(range(len(results)), key=lambda i: (results[i].error is not None,
                                                           i not in wrong))  # fmt: skip
        if results[order[0]].error is not None:
            return None  # errors everywhere: the error says more
        most, left = self.most(results, wrong), self.tried
        for (count, _), group in itertools.groupby(self.candidates(), _sort):
            alike, found = [*itertools.islice(group, left + 1)], None
            left -= len(alike)
            if count > most or left < 0:
                return None
            for settings in alike:
                if all(self.like(settings, i, results[i]) for i in order):
                    if count == 1:
                        return settings
                    found = [s for s in settings if found is None or s in found]
            if found is not None:
                return tuple(found) or None
        return None

    def nearly(self, results, wrong):
        """The single setting that agrees best with the wrong results, and the cases where it does.

        Either all cases without an error, or most of the cases and of the wrong ones. A yes or no
        agrees by chance, so that most of them are no evidence; one of three numbers does so often,
        so that it takes three of them; a change of any result does so too.
        """
        runs = [i for i, r in enumerate(results) if r.error is None]
        values = [results[i].value for i in runs]
        most = 1 if all(isinstance(value, bool) for value in values) else 2 / 3
        whole = all(isinstance(value, int) for value in values)
        least = 3 if whole and len({self.expected[i].value for i in runs}) < 4 else 2
        mistaken = sum(i in wrong for i in runs)
        best, agreeing = None, []
        for settings in self.candidates():
            if len(settings) > 1:
                break
            if settings[0][0] == "result":
                continue
            agree = [i for i in runs if self.like(settings, i, results[i])]
            clear = sum(i in wrong and evidence(results[i].value) > 0 for i in agree)
            if clear and len(agree) > max(1, len(agreeing)) and (
                len(agree) == len(runs)
                or (clear >= max(least, most * mistaken) and len(agree) >= most * len(results))
            ):  # fmt: skip
                best, agreeing = settings, agree
        return best, agreeing

    def tell(self, settings, results, wrong, some=False, part=False):
        """What is told of these settings: a list of Mistakes.

        some: they fit some cases only; part: other mistakes were made besides.
        """
        shown = next((i for i in wrong if results[i].error is None), wrong[0])
        got = results[shown].value
        got = as_tensor(got) if isinstance(got, list) else got
        given = self.cases[shown], got, self.expected[shown].value
        told = []
        for knob, setting in settings:
            sentence, _, without = self.exercise.settings[knob, setting].partition(" // ")
            one = len(settings) == 1 and not part
            numbers = _Numbers(self.exercise.numbers if one else {}, given)
            try:
                limits = tuple(say("limits").split(", "))  # what holds only if all else is right
                all_of_it = one and not (some and sentence.startswith(limits))
                sentence = (not all_of_it and without) or sentence.format_map(numbers)
            except Exception:  # no number to tell, or the result is too odd to count in
                sentence = without
            told.append(Mistake(f"{knob}={setting}", sentence))
        return told


def _sort(settings):
    """How many mistakes these are, and whether one of them is a change of the result."""
    return len(settings), settings[-1][0] == "result"


class _Numbers(dict):
    """The numbers of a sentence, computed when they are looked up."""

    def __init__(self, functions, given):
        super().__init__(functions)
        self.given = given

    def __getitem__(self, name):
        return super().__getitem__(name)(*self.given)


@functools.cache
def bench(exercise, seed=0):
    """The Bench of an exercise and a seed, made once."""
    return Bench(exercise, seed)
