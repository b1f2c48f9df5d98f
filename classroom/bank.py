"""Write an exam whose numbers are drawn from a seed, and its key in a file of its own.

python -m classroom.bank --seed "a phrase of yours"
python -m classroom.bank --seed "a phrase of yours" --form after    # the same with other numbers
python -m classroom.bank 01 03 --into build/group-b    # two lessons; a seed is drawn
python -m classroom.bank --table                       # the templates

A template draws numbers, asks, and computes the right answer and what mistakes lead to. Most are
exercises of the lessons: bank.md says in plain words what is to be computed (`x as y` calls the
argument x on paper y), CASES draws a small case, and the exercise's own answer gives the right
result and, with each wrong setting that its lesson names, a wrong one. So a line in each of the two
is a new question. The others, counts and shapes, stand in bank.md alone: below the text what is
drawn, what is right, and each wrong expression with its mistake. Any template is also asked the
other way round: here is a wrong result, and which mistake leads to it? Wrong choices that nobody
would believe are left out (SENSIBLE), and so are those among which the right one shows (is_hidden);
how near it lies to the others is drawn as well (ranks). Both forms ask the same questions and offer
the same mistakes. The same seed and version of this repository give the same exam on every machine.
The templates are public, so the seed is as secret as the key.
"""

import argparse
import functools
import itertools
import math
import os
import random
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch

from attn_lesson.catalogue import exercise
from attn_lesson.judge.bench import bench
from attn_lesson.words import sections
from tools.lessons import BUILD, lessons, number, write_text

TRIES = 1000  # a few are enough
PATIENCE = 40  # so many for one rank, then another
FORMS = "before", "after"
HEAD = """# Exam

Name:

One answer is right in each question: one point. Rather leave a question empty than guess. Numbers
are rounded as they are shown. All counting starts at 0; e is 2.718, ln the natural logarithm. A
list in brackets is a row of numbers; a table is a list of its rows. A pocket calculator helps.
There are {count} questions: plan {short} to {long} minutes.
"""
WHY = "{asks} Right is `{right}`. Somebody got `{got}`. Which one mistake explains every number?"
CODE = re.compile(r"[`_*=\[{]|\w\(|//")  # what a mistake must not be told with on paper


class Template(NamedTuple):
    lesson: str
    title: str
    drawn: Callable  # from a Draw: what is asked, the right answer, what each mistake leads to


class Question(NamedTuple):
    """What a template asks with one draw of numbers."""

    asks: str
    choices: list  # (answer as printed, the mistake or nothing), in the order of the letters


def shown(value, digits=None):
    """A number or lists of them as printed: without digits, with the decimals that they have."""
    if digits is None:
        digits = max(len(f"{number:.6g}".partition(".")[2]) for number in flat(value))
    if isinstance(value, list):
        return f"[{', '.join(shown(each, digits) for each in value)}]"
    if isinstance(value, bool):
        return str(value)
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def flat(value):
    return [n for each in value for n in flat(each)] if isinstance(value, list) else [value]


def are_whole(values):
    return all(math.isfinite(n) and n == int(n) for n in flat(values))


def can_be_told_apart(values, digits):
    """Whether choices are told apart as printed, and no rounding hangs on a last bit."""
    if not all(math.isfinite(number) for value in values for number in flat(value)):
        return False
    units = [[number * 10**digits for number in flat(value)] for value in values]
    apart = 5 if digits else 1  # of the last place, as on paper steps are rounded too
    return all(
        abs(unit) < 10**6 and abs(unit - math.floor(unit) - 0.5) > 1e-3
        for unit in itertools.chain(*units)
    ) and all(
        any(abs(x - y) >= apart for x, y in zip(a, b, strict=True))
        for a, b in itertools.combinations(units, 2)
    )


def agreement(texts, same):
    """How many entries of each choice agree with one of the others, by what is the same."""
    rows = [re.findall(r"[-\w.]+", text) for text in texts]
    return [sum(same(row, other) for other in rows if other is not row) for row in rows]


SAME = (  # how many entries of two choices: at the same place, anywhere, both added up; characters
    lambda a, b: sum(x == y for x, y in zip(a, b, strict=True)),
    lambda a, b: sum(x in b for x in a),
    lambda a, b: sum(same(a, b) for same in SAME[:2]),
    lambda a, b: sum(x == y for x, y in zip(" ".join(a), " ".join(b), strict=False)),
)


def is_hidden(texts):
    """Whether the first choice is not the one with which the others agree most."""
    return all(first <= max(others) for first, *others in (agreement(texts, s) for s in SAME))


def ranks(values):
    """The rank of the first, by how near it is to the others: one, or some if several are equal."""
    rows = [flat(value) for value in values]
    off = [sum(abs(x - y) for row in rows for x, y in zip(row, own, strict=True)) for own in rows]
    near = 1e-6 * max(off)
    return range(sum(o < off[0] - near for o in off), sum(o <= off[0] + near for o in off))


def are_apart(asks):
    """Whether no two of the single figures that are given are equal."""
    single = re.findall(r"`[^`]+ = ([^`[]+)`", asks)
    return len({*single}) == len(single)


class Draw:
    """Random numbers that no version of Python changes: all from random(), which is promised."""

    def __init__(self, *names):
        self._random = random.Random("/".join(map(str, names))).random

    def whole(self, low, high):
        return low + int(self._random() * (high - low + 1))

    def one(self, items):
        return items[self.whole(0, len(items) - 1)]

    def some(self, count, low, high):
        """So many different whole numbers."""
        return self.shuffled(range(low, high + 1))[:count]

    def shuffled(self, items):
        left = list(items)
        return [left.pop(self.whole(0, len(left) - 1)) for _ in range(len(left))]

    def table(self, low, high, *shape, per=1):
        """Whole numbers, or such parts, of this shape: not all 0, and different if there are."""
        count = math.prod(shape)
        few = high - low + 1 < count
        drawn = (
            [self.whole(low, high) for _ in range(count)] if few else self.some(count, low, high)
        )
        if not any(drawn):
            return self.table(low, high, *shape, per=per)
        return (real(drawn) / per).reshape(shape)

    def places(self, high, *shape):
        return self.table(0, high, *shape).long()

    def flags(self, *shape):
        """Truth values, half of them True, or one more."""
        count = math.prod(shape)
        return torch.tensor(self.shuffled([2 * i < count for i in range(count)])).reshape(shape)

    def rows(self, shares, *shape):
        """Weights: in each row these shares, shuffled."""
        drawn = [self.shuffled(shares) for _ in range(math.prod(shape))]
        return real(drawn).reshape(*shape, -1)


TEMPLATES = {}  # each by its name


def real(numbers):
    return torch.tensor(numbers, dtype=torch.float64)


# The templates. In what is asked, each `name = value` is a figure to compute with.

CASES = {  # of the exercises: their arguments, small enough for paper, in shapes that never change
    "my_boxcar": lambda d: [d.table(-18, 18, 4, per=10)],
    "my_triangular": lambda d: [d.table(-13, 13, 3, per=10)],
    "my_epanechnikov": lambda d: [d.table(-13, 13, 3, per=10)],
    "my_gaussian": lambda d: [d.table(-25, 25, 3, per=10)],
    "my_kernel_regression": lambda d: [
        *(d.table(0, 4, 1, 2), d.table(0, 5, 3, 2), d.table(1, 20, 3, 1), d.whole(2, 4))
    ],
    "my_boxcar_attention": lambda d: [
        *(d.table(0, 9, 2), d.table(0, 9, 4), d.table(1, 20, 4), d.whole(2, 4))
    ],
    "my_weights": lambda d: [d.table(-2, 3, 2, 2)],
    "my_attention": lambda d: [d.table(0, 2, 1, 4), d.table(0, 2, 3, 4), d.table(1, 9, 3, 1)],
    "my_bilinear_scores": lambda d: [
        *(d.table(-25, 25, 1, 2, per=10), d.table(-3, 4, 2, 2), d.table(-3, 4, 2, 2))
    ],
    "my_distance_scores": lambda d: [d.table(-15, 15, 1, 2, per=5), d.table(-3, 4, 2, 2)],
    "my_additive_scores": lambda d: [
        d.table(-2, 2, 1, 1),
        *(d.table(-9, 9, 2, 1, per=10) for _ in range(3)),
        d.table(-3, 3, 2),
    ],
    "my_dot_product_variance": lambda d: [*d.table(5, 25, 2, 1, per=10), d.whole(3, 9)],
    "my_padding_mask": lambda d: [d.places(3, 2), 3],
    "my_token_mask": lambda d: [d.flags(1, 2), d.flags(1, 3)],
    "my_masked_softmax": lambda d: [d.table(-2, 3, 1, 4), d.flags(1, 4)],
    "my_next_word_query": lambda d: [d.table(-9, 9, 3, 1)],
    "my_merge_heads": lambda d: [d.table(1, 4, 1, 2, 3, 1)],
    "my_head_contributions": lambda d: [d.table(-4, 5, 1, 2, 1, 1), d.table(-4, 5, 2, 2)],
    "my_dropped_attention": lambda d: [
        *(d.table(-1, 3, 1, 3), d.table(1, 20, 3, 1), d.flags(1, 3), d.one([0.2, 0.25, 0.5]), True)
    ],
    "my_causal_self_attention": lambda d: [
        d.table(-2, 3, 1, 3, 1),
        *(d.table(1, 4, 1, 1, per=2) for _ in range(3)),
    ],
    "my_attention_operations": lambda d: [d.whole(3, 12), d.whole(3, 12)],
    "my_add_positions": lambda d: [d.table(-4, 4, 1, 2, 2), d.table(-9, 9, 3, 2)],
    "my_offset_rotation": lambda d: [d.whole(1, 9), 2],
    "my_mirror": lambda d: [d.whole(1, 9), 2],
    "my_rotary": lambda d: [d.table(-4, 5, 1, 2), d.places(9, 1) + 1],
    "my_alibi_bias": lambda d: [d.table(1, 9, 1, per=10), 2, 3],
    "my_mean_pooling": lambda d: [d.table(-9, 9, 1, 3, 2), d.flags(1, 3).long()],
    "my_previous_token_score": lambda d: [d.rows(TENTHS, 1, 1, 4), torch.tensor([3])],
    "my_next_token_score": lambda d: [d.rows(TENTHS, 1, 4), d.flags(1, 4)],
    "my_without_heads": lambda d: [d.table(-9, 9, 2, 2), [d.whole(0, 1)], 2],
    "my_shift_right": lambda d: [d.places(9, 1, 4), d.whole(0, 9)],
    "my_share_on_span": lambda d: [d.rows(TENTHS, 2), *d.one([(0, 2), (1, 3), (2, 4)])],
    "my_cached_step": lambda d: [
        *(d.table(-2, 3, 1, 1, 1), d.table(-2, 3, 1, 1, 1), d.table(1, 9, 1, 1, 1)),
        *(d.table(-2, 3, 1, 2, 1), d.table(1, 9, 1, 2, 1)),
    ],
    "my_chances": lambda d: [
        *(torch.tensor(d.shuffled([0, 0, 0, 0, 1, 1])), d.places(2, 6)),
        *(2, 3, d.one([0.1, 0.5, 1])),
    ],
    "my_letter_loss": lambda d: [d.table(-2, 3, 1, 3, 2), d.places(1, 1, 3), torch.tensor([2])],
    "my_country": lambda d: [-d.table(1, 30, 2, 2, per=10), d.rows(d.one(TWO), 1)[0]],
    "my_tempered": lambda d: [d.rows(d.one(THREE), 1)[0], d.one([0.5, 2, 3])],
    "my_next_token_probabilities": lambda d: [
        *(d.table(-2, 4, 3), d.one([0.5, 2]), d.whole(4, 9) / 10)
    ],
    "my_induction_score": lambda d: [d.rows(TENTHS, 1, 4)],
    "my_grouped_attention": lambda d: [
        *(d.table(-2, 3, 1, 4, 1, 1), d.table(-1, 2, 1, 2, 2, 1), d.table(1, 9, 1, 2, 2, 1))
    ],
    "my_rounded": lambda d: [  # an odd range: no number lies between two levels
        (real(d.shuffled([0, 2 * d.whole(9, 19) + 1, *d.some(2, 1, 17)])) + d.whole(-20, 9)) / 10,
        2,
    ],
    "my_all_heads": lambda d: [
        *(d.table(-1, 2, 1, 2, 2, 1) for _ in range(2)),
        d.table(1, 9, 1, 2, 2, 1),
    ],
    "my_running_average": lambda d: [d.table(-1, 3, 3), d.table(1, 20, 3, 1)],
    "my_merge": lambda d: [
        *(d.table(1, 20, 1, 1), d.table(0, 20, 1, per=10)),
        *(d.table(1, 20, 1, 1), d.table(0, 20, 1, per=10)),
    ],
    "my_linear_attention": lambda d: [
        *(d.table(1, 5, 2, 2) for _ in range(2)),
        d.table(1, 20, 2, 1),
    ],
    "my_cache_bytes": lambda d: [
        *(d.whole(10, 15), *d.some(2, 3, 5), d.whole(6, 9)),
        *(d.whole(20, 30), d.whole(1, 2), d.one([8, 16])),
    ],
}


def mean(*names, also=()):
    """Whether all numbers of a choice lie between the least and the largest of these figures."""

    def lies_within(choice, given):
        among = flat([*also, *(plain(given[name]) for name in names)])
        return all(min(among) - 1e-9 <= number <= max(among) + 1e-9 for number in flat(choice))

    return lies_within


def between(low, high):
    return lambda choice, given: all(low <= number <= high for number in flat(choice))


def chances(choice, given):
    """Whether each row of a choice may be chances, or weights: none below 0, and 1 in all."""
    rows = choice if isinstance(choice[0], list) else [choice]
    return all(min(row) >= 0 and abs(sum(row) - 1) < 0.02 for row in rows)


SENSIBLE = {  # what anybody expects of an answer, who does not know how to compute it
    **dict.fromkeys(["my_triangular", "my_epanechnikov", "my_gaussian"], between(0, 1)),
    **dict.fromkeys(["my_dot_product_variance", "my_letter_loss"], between(0, math.inf)),
    **dict.fromkeys(["my_distance_scores", "my_alibi_bias"], between(-math.inf, 0)),
    "my_share_on_span": between(0, 4),  # all weight, on one key of four
    **dict.fromkeys(
        ["my_weights", "my_masked_softmax", "my_chances", "my_country", "my_tempered"], chances
    ),
    "my_next_token_probabilities": chances,
    **dict.fromkeys(
        ["my_previous_token_score", "my_next_token_score", "my_induction_score"], mean("weights")
    ),
    **dict.fromkeys(
        ["my_kernel_regression", "my_attention", "my_grouped_attention"], mean("values")
    ),
    "my_boxcar_attention": mean("values", also=[0]),
    **dict.fromkeys(["my_all_heads", "my_running_average", "my_linear_attention"], mean("values")),
    "my_rounded": mean("block"),
    "my_cached_step": mean("v", "past_values"),
    "my_merge": mean("output_a", "output_b"),
    "my_mean_pooling": lambda choice, given: all(
        min(column) <= number <= max(column)
        for number, column in zip(choice, given["X"][0].T.tolist(), strict=True)
    ),
    "my_causal_self_attention": lambda choice, given: mean("V")(
        choice, {"V": given["X"] * given["W_v"]}
    ),
}
TENTHS = [0.4, 0.3, 0.2, 0.1]
TWO = [0.3, 0.7], [0.2, 0.8], [0.4, 0.6]
THREE = [0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.7, 0.2, 0.1]


def exercise_drawn(exercise, statement, called):
    """A function of a Draw as a template's: one case of an exercise and all that comes of it."""

    sensible = SENSIBLE.get(exercise.name, between(-math.inf, math.inf))

    def drawn(draw):
        case, desk = CASES[exercise.name](draw), bench(exercise)
        given = dict(zip(exercise.arguments, case, strict=True))
        right, wrong = desk.attempt(exercise.answer, case).value, {}
        for setting, told in exercise.settings.items():
            said = next((text for text in told.split(" // ") if "{" not in text), "-")
            if setting[0] == "result" or said == "-":
                continue
            got = desk.attempt(without_chance(desk.function((setting,))), case).value
            if manner(got) == manner(right) and sensible(plain(got), given):
                wrong.setdefault(said, plain(got))
        figures = ", ".join(f"`{called.get(n, n)} = {shown(plain(a))}`" for n, a in given.items())
        return f"{statement} Given: {figures}.", plain(right), wrong

    return drawn


def without_chance(function):
    """The function, which gives nothing where it drew by chance: no key could hold that."""

    def run(*case):
        before = torch.get_rng_state()
        result = function(*case)
        return result if torch.equal(before, torch.get_rng_state()) else None

    return run


def plain(value):
    """A result as it is printed: without the axes that have one entry."""
    return value.squeeze().tolist() if isinstance(value, torch.Tensor) else value


def manner(result):
    """What must be alike in all choices: the shape, and whether these are numbers."""
    shape = result.shape if isinstance(result, torch.Tensor) else type(result)
    return shape, {type(each) is bool for each in flat(plain(result))}


def count_drawn(statement, lines):
    """A function of a Draw as a template's: a count or a shape, by the lines below its text."""

    def drawn(draw):
        names = {name: getattr(draw, name) for name in dir(draw) if name[0] != "_"}
        mine, asks = {*names, "__builtins__"}, statement
        exec(lines["draw"], names)
        for name in names.keys() - mine:
            asks = asks.replace(f"`{name}`", f"`{name} = {shown(names[name])}`", 1)
        made = {key: eval(key, names) for key in lines if key not in ("draw", "right")}
        return asks, eval(lines["right"], names), {lines[key]: value for key, value in made.items()}

    return drawn


below = {}  # the lines of a count or a shape
for lesson, lines in sections(Path("..", "classroom", "bank.md")).items():
    for name, text in lines:
        if not name.isidentifier() or name in ("draw", "right"):
            below[name] = text
            continue
        title, statement = re.split(r"(?<=[.?]) ", text, maxsplit=1)
        if name in CASES:
            called = dict(re.findall("`(\\w+) as ([^`]+)`", statement))  # what is in words on paper
            statement = re.sub("`(?:\\w+ as )?([^`]+)`", r"`\1`", statement)
            drawn = exercise_drawn(exercise(name), statement, called)
        else:
            below = {}
            drawn = count_drawn(statement, below)
        TEMPLATES[name] = Template(lesson, title.rstrip("."), drawn)


# From templates to an exam


def ask(name, seed, form=FORMS[0], why=False):
    """Return the question that a template asks with a seed: in all forms with the same mistakes.

    With `why`, a wrong result is given, and the choices are mistakes.
    """
    papers, whys = choose(name, seed, why)
    (asks, values), draw = papers[FORMS.index(form)], Draw(seed, name, form, "places")
    if not why:
        return Question(asks, draw.shuffled(list(zip(values, ("", *whys), strict=True))))
    right, *wrong = values
    pairs = draw.shuffled(list(zip(map(told, whys), wrong, strict=True)))
    mistake, got = draw.one(pairs)
    asks = WHY.format(asks=asks, right=right, got=got)
    return Question(
        asks, [(said, "" if said == mistake else f"would give {value}") for said, value in pairs]
    )


@functools.cache
def choose(name, seed, why):
    """Draw until there are good choices: for each form its text and they, and the mistakes."""
    for attempt in range(PATIENCE if why else TRIES):
        papers = [TEMPLATES[name].drawn(Draw(seed, name, form, attempt)) for form in FORMS]
        asks, rights, wrongs = map(list, zip(*papers, strict=True))
        if len({*asks}) < len(FORMS) or not all(map(are_apart, asks)):
            continue
        shared = {
            said: [wrong[said] for wrong in wrongs]
            for said in wrongs[0]
            if all(said in wrong for wrong in wrongs) and not (why and CODE.search(told(said)))
        }
        whole = {said: values for said, values in shared.items() if are_whole(values)}
        places = 0 if are_whole(rights) and 2 * len(whole) >= len(shared) else 2
        shared = shared if places else whole
        pool = [
            said
            for said in Draw(seed, name, attempt).shuffled(sorted(shared))
            if all(
                can_be_told_apart(pair, places) for pair in zip(rights, shared[said], strict=True)
            )
        ]
        wanted = [Draw(seed, name, form, attempt // PATIENCE).whole(0, 3) for form in FORMS]
        for whys in itertools.islice(itertools.combinations(pool, 3 + why), TRIES):
            columns = list(zip(rights, *(shared[said] for said in whys), strict=True))
            texts = [[shown(value, places) for value in column] for column in columns]
            if len({*map(told, whys)}) == len(whys) and all(
                (why or (rank in ranks(column) and is_hidden(text)))
                and can_be_told_apart(column, places)
                for rank, column, text in zip(wanted, columns, texts, strict=True)
            ):
                return list(zip(asks, texts, strict=True)), whys
    raise RuntimeError(f"{name}: no draw of {TRIES} gives four choices that can be told apart")


def told(mistake):
    """What is said of a mistake on paper: its first sentence."""
    first = re.split(r"(?<=[.?:]) ", mistake)[0].rstrip(".:")
    return f"{first[0].upper()}{first[1:]}."


def exam(seed, numbers, form=FORMS[0], most=2):
    """Return the exam and its key, as Markdown: so many questions of each lesson, drawn.

    Every second one gives a wrong result and asks why.
    """
    chosen = []
    key = [f"# Key\n\nSeed: `{seed}`. Form: {form}. Lessons: {', '.join(numbers)}.\n"]
    for lesson in numbers:
        names = [name for name, template in TEMPLATES.items() if template.lesson == lesson]
        chosen += zip(Draw(seed, lesson).shuffled(names)[:most], itertools.cycle([False, True]))
    count = len(chosen)
    pages = [HEAD.format(count=count, short=2 * count, long=3 * count)]
    for count, (name, why) in enumerate(chosen, start=1):
        lesson, title, _ = TEMPLATES[name]
        try:
            question = ask(name, seed, form, why)
        except RuntimeError:  # of this one, too few mistakes can be told on paper
            question = ask(name, seed, form)
        pages.append(f"## {count}. {title}\n\n{question.asks}\n\n")
        key.append(f"## {count}. {title} (lesson {lesson}, `{name}`)\n\n")
        for letter, (text, said) in zip("ABCD", question.choices, strict=True):
            pages[-1] += f"- {letter}. {text}\n"
            key[-1] += (
                f"- {letter}. {text}: {said}\n" if said else f"- **{letter}. {text}** is right\n"
            )
    return "\n".join(pages), "\n".join(key)


def table():
    """Return the templates as Markdown."""
    rows = ["| Lesson | Template | Mistakes behind the wrong choices |", "|---|---|---|"]
    for name, (lesson, title, drawn) in sorted(TEMPLATES.items(), key=lambda each: each[1][0]):
        own = name in CASES  # its mistakes are those that the lesson's mistakes.md names
        mistakes = f"those of `{name}`" if own else "; ".join(drawn(Draw("table"))[2])
        rows.append(f"| {lesson} | {title} | {mistakes} |")
    return "\n".join(rows)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lessons", nargs="*", help="such as 01; none means all of them")
    parser.add_argument("--seed", help="any text that nobody guesses; without it, one is drawn")
    parser.add_argument("--form", choices=FORMS, help="the same with other numbers, in a folder")
    parser.add_argument("--each", type=int, default=2, help="questions of a lesson (2)")
    parser.add_argument("--into", type=Path, default=BUILD / "exam", help="the folder (build/exam)")
    parser.add_argument("--table", action="store_true", help="print the templates")
    options = parser.parse_args(arguments)
    if options.table:
        print(table())
        return
    if options.form == FORMS[1] and options.seed is None:
        raise SystemExit(f"the form {FORMS[1]} needs the seed that the key of {FORMS[0]} names")
    if options.each < 1:
        raise SystemExit(f"--each must be 1 or more, got {options.each}")
    seed = secrets.token_hex(6) if options.seed is None else options.seed.strip()
    if not seed or not seed.isprintable() or "`" in seed:
        raise SystemExit("the seed must be a text of one line, such as 'a phrase of yours'")
    covered = {template.lesson for template in TEMPLATES.values()}
    asked = [number(path) for path in lessons(options.lessons)]
    missing = sorted(set(asked) - covered)
    if options.lessons and missing:
        raise SystemExit(f"the bank has no template for {', '.join(missing)}; --table lists all")
    asked = [lesson for lesson in asked if lesson in covered]
    sheet, key = exam(seed, asked, options.form or FORMS[0], options.each)
    into = options.into / (options.form or "")
    target = into / "key.md"
    if target.exists() and target.read_bytes() != key.encode():
        raise SystemExit(
            f"{target} is the key of another exam: move it, or name another folder with --into"
        )
    try:
        for path, text in ((into / "exam.md", sheet), (target, key)):
            print(f"-> {os.path.relpath(write_text(text, path))}")
    except OSError as error:
        raise SystemExit(f"the exam cannot be written: {error}") from None


if __name__ == "__main__":
    main()
