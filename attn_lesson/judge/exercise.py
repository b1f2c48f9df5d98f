"""What an exercise is, and how a teacher adds one, or a mistake.

An exercise's answer is written once, as a program with knobs: keyword-only arguments whose
defaults are right. Each wrong setting of a knob has a sentence for those who behave like it in
every case. Settings are tried one at a time; where none explains the numbers, pairs and threes are
tried, and told as what the numbers look like: whoever made one mistake that is not listed may get
the numbers of two that are. So list the single ones, those of sign first.

How a teacher adds

- a mistake: the setting in the answer's code, and one line in mistakes.md beside it,
  `- knob=setting: What is wrong.` (words.py tells all that such a line may be);
- a mistake that is no part of the answer: a function in `wrong`, and a line `- instead=name: ...`;
- an exercise: an `Exercise(...)` in the lesson's `tell(...)`, and a section with its name;
- a question: a section with its number;
- a mistake that any result can have: one line in `common.CHANGES`, one in common.md
  beside it.

tests/judge/test_bench.py then says when two entries behave alike on all cases, so that nobody
could tell them apart: add a case which does.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

import torch

import attn_teach

from ..words import sentences
from . import explanations
from .common import CHANGES

say = sentences(__name__)

MANNERS = "in place", "uses", "kind", "gradient", "dtype"  # mistakes of a right result


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
        together: how many mistakes at once the results may be told as.
        tolerance: largest difference that counts as equal, relative to 1 + the number.

    settings, {(knob, setting): what is told}, and the hints come from the Markdown file.
    """

    answer: Callable
    cases: Callable
    wrong: dict = field(default_factory=dict)
    numbers: dict = field(default_factory=dict)
    run: Callable = lambda function, *case: function(*case)
    show: Callable = explanations.show
    explain: Callable = lambda case, got, expected: None
    gradients: bool = False
    dtypes: bool = False
    kinds: bool = False
    exact_zeros: bool = False
    asks: tuple = ()
    forbids: dict = field(default_factory=dict)
    together: int = 3
    tolerance: float = 1e-5
    settings: dict = field(default_factory=dict)
    hints: list = field(default_factory=list)
    hints_of: dict = field(default_factory=dict)  # those of one mistake, by its name

    @property
    def name(self):
        return self.answer.__name__

    @property
    def arguments(self):
        code = self.answer.__code__
        return code.co_varnames[: code.co_argcount]

    @property
    def signature(self):
        return f"({', '.join(self.arguments)})"

    def hints_on(self, mistake):
        """The hints for this mistake, each stronger; of "", which nobody named, the general ones.

        What is wrong with a right result's manners has hints of its own alone.
        """
        own = self.hints_of.get(mistake, [])
        return own if mistake in MANNERS else [*own, *self.hints]

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
                package, _, name = path.partition(".")
                found[path] = attrgetter(name)({"torch": torch, "attn_teach": attn_teach}[package])
        return found | {say("answer"): self.answer}
