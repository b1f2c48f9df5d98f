"""Write an exam whose numbers are drawn from a seed, and its key in a file of its own.

python -m classroom.bank --seed "a phrase of yours"
python -m classroom.bank --seed "a phrase of yours" --form after    # the same with other numbers
python -m classroom.bank 01 03 --into build/group-b    # two lessons; a seed is drawn
python -m classroom.bank --table                       # the templates

A template draws numbers, asks, and computes the right answer and what mistakes lead to. bank.md
holds them: a text each, and lines below it. Most are exercises of the lessons: the text says in
plain words what is to be computed (`x as y` calls the argument x on paper y), `case` draws a small
case, and the exercise's own answer gives the right result and, with each wrong setting that its
lesson names, a wrong one. The others are counts and shapes: their lines say what is drawn, what is
right, and each wrong expression with its mistake. Any template is also asked the other way round:
here is a wrong result, and which mistake leads to it? Wrong choices that nobody would believe are
left out (`sensible`), and so are those among which the right one shows (is_hidden); how near it
lies to the others is drawn as well (ranks). Both forms ask the same questions and offer the same
mistakes. The same seed and version of this repository give the same exam on every machine. The
templates are public, so the seed is as secret as the key.
"""

import functools
import itertools
import math
import os
import random
import re
import secrets
from pathlib import Path
from typing import NamedTuple

import torch

from attn_lesson.catalogue import exercise
from attn_lesson.judge.bench import bench
from attn_lesson.words import sections
from tools.lessons import BUILD, lessons, number, write_text
from tools.progress import command_line

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


def real(numbers):
    return torch.tensor(numbers, dtype=torch.float64)


# The templates. In what is asked, each `name = value` is a figure to compute with.


def within(choice, *figures):
    """Whether all numbers of a choice lie between the least and the largest of these figures."""
    among = flat([plain(each) for each in figures])
    return all(min(among) - 1e-9 <= number <= max(among) + 1e-9 for number in flat(choice))


def chances(choice):
    """Whether each row of a choice may be chances, or weights: none below 0, and 1 in all."""
    rows = choice if isinstance(choice[0], list) else [choice]
    return all(min(row) >= 0 and abs(sum(row) - 1) < 0.02 for row in rows)


def known(draw):
    """What the lines below a text may name: how numbers are drawn, and little else."""
    drawn = {name: getattr(draw, name) for name in dir(draw) if name[0] != "_"}
    return {"tensor": torch.tensor, "real": real, "inf": math.inf, **drawn}


class Template(NamedTuple):
    """What bank.md holds of one question: its text, and the lines below it by their beginnings."""

    name: str
    lesson: str
    title: str
    statement: str
    lines: dict

    def drawn(self, draw):
        """What is asked with numbers of a Draw, the right answer, what each mistake leads to."""
        if "case" in self.lines:
            return self._of_exercise(self.case(draw))
        names, asks = known(draw), self.statement
        before = {*names, "__builtins__"}
        exec(self.lines["draw"], names)
        for name in names.keys() - before:
            asks = asks.replace(f"`{name}`", f"`{name} = {shown(names[name])}`", 1)
        wrong = {told: eval(key, names) for key, told in self.lines.items() if key not in PARTS}
        return asks, eval(self.lines["right"], names), wrong

    def case(self, draw):
        """The arguments of an exercise, small enough for paper, in shapes that never change."""
        return eval(f"[{self.lines['case']}]", known(draw))

    def _of_exercise(self, case):
        made = exercise(self.name)
        given, desk = dict(zip(made.arguments, case, strict=True)), bench(made)
        right, wrong = desk.attempt(made.answer, case).value, {}
        for setting, told in made.settings.items():
            said = next((text for text in told.split(" // ") if "{" not in text), "-")
            if setting[0] == "result" or said == "-":
                continue
            got = desk.attempt(without_chance(desk.function((setting,))), case).value
            if manner(got) == manner(right) and self.is_sensible(plain(got), given):
                wrong.setdefault(said, plain(got))
        called = dict(
            re.findall("`(\\w+) as ([^`]+)`", self.statement)
        )  # what is in words on paper
        asks = re.sub("`(?:\\w+ as )?([^`]+)`", r"`\1`", self.statement)
        figures = ", ".join(f"`{called.get(n, n)} = {shown(plain(a))}`" for n, a in given.items())
        return f"{asks} Given: {figures}.", plain(right), wrong

    def is_sensible(self, choice, given):
        """Whether anybody might expect such an answer who does not know how to compute it."""
        names = {**given, "choice": choice, "within": within, "chances": chances, "inf": math.inf}
        return eval(self.lines.get("sensible", "True"), names)


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


PARTS = ("case", "sensible", "draw", "right")
TEMPLATES = {}  # each by its name
for lesson, lines in sections(Path("..", "classroom", "bank.md")).items():
    for key, text in lines:
        if key.isidentifier() and key not in PARTS:
            title, statement = re.split(r"(?<=[.?]) ", text, maxsplit=1)
            template = TEMPLATES[key] = Template(key, lesson, title.rstrip("."), statement, {})
        else:
            template.lines[key] = text


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
            ranked = (rank in ranks(each) for rank, each in zip(wanted, columns, strict=True))
            if not (why or all(ranked)) or len({*map(told, whys)}) < len(whys):
                continue
            texts = [[shown(value, places) for value in column] for column in columns]
            if all(can_be_told_apart(column, places) for column in columns) and (
                why or all(map(is_hidden, texts))  # what takes longest comes last
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
        title, lesson = TEMPLATES[name].title, TEMPLATES[name].lesson
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
    for name, lesson, title, _, lines in sorted(TEMPLATES.values(), key=lambda each: each.lesson):
        mistakes = [told for key, told in lines.items() if key not in PARTS]
        mistakes = "; ".join(mistakes) or f"those of `{name}`"
        rows.append(f"| {lesson} | {title} | {mistakes} |")
    return "\n".join(rows)


def main(arguments=None):
    parser = command_line(__doc__)
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
    for path, text in ((into / "exam.md", sheet), (target, key)):
        print(f"-> {os.path.relpath(write_text(text, path))}")


if __name__ == "__main__":
    main()
