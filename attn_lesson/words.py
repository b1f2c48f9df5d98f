"""What is told, read from a lesson's mistakes.md: a line for each mistake.

    # my_function                  an exercise
    - knob=setting: What is wrong. a wrong setting of its answer
    - instead=name: What is wrong. a whole wrong version, from the exercise's `wrong`
    - result=name: What is wrong.  another sentence for a change of any result; "-" leaves it out
    - scale: shared                the sentences of judge/common.md's section "scale", or the lines
                                   of the same file's section "shared scale"
    - hint: A nudge.               three of them, each stronger; and of one mistake alone, told
    - hint knob=setting: A nudge.  before them, as many as are needed
    # 3P                           a question
    - A: What is told who answers A.
    - *B: ... B is right.
    # sentences                    what the exercises' own Python says: say("key", shape=...)
    - key: A sentence with the {shape} that is given.

A sentence may hold numbers of the exercise's `numbers`, such as {cells}; then " // " and a sentence
without any follows, for pairs of mistakes, where the numbers might not be true. So it may wherever
another sentence suits a pair.
"""

import ast
import contextlib
import functools
import re
import string
from pathlib import Path

HERE = Path(__file__).parent
PACKED = {}  # file -> text, where the files are packed


class Question:
    """A "predict first" question; its wording stands in the lesson.

    Args:
        reactions: what the learner is told, for each letter.
        answer: the right letter.
    """

    def __init__(self, reactions, answer):
        self.reactions, self._answer = reactions, answer

    def is_right(self, letter):
        return letter == self._answer


def sections(name):
    """The lines of a Markdown file, by section: lists of (key, text)."""
    text = PACKED.get(name) or (HERE / name).read_text("utf-8")
    found, lines = {}, None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("# "):
            lines = found.setdefault(line[2:].strip(), [])
        elif line.strip():
            parts = re.fullmatch(r"- (.+?): +(.+)", line)
            if parts is None or lines is None:
                raise ValueError(
                    f"{name}, line {number}: expected `# section`, and below it lines of the form "
                    f"`- name: what is told`, got: {line[:60]}"
                )
            lines.append(parts.groups())
    return found


@functools.cache
def _told(file, section):
    return dict(sections(file)[section])


def sentences(module):
    """say(key, ...): a sentence of a module's own, with its values filled in.

    An exercises.py has its sentences in its lesson's mistakes.md, in the section "sentences"; any
    other module in sentences.md, in the section of its name.
    """
    *_, folder, section = module.split(".")
    file = "sentences.md"
    if section == "exercises":
        file, section = f"{folder}/mistakes.md", "sentences"
    lines = _told(file, section)  # read now: where an answer is marked the file cannot be opened

    def say(key, *values, **named):
        told = lines[key]
        for more in (0, 1, 2, 3, 0):
            figures = _Figures(more)
            text = figures.vformat(told, values, named)
            if len(set(figures.seen.values())) == len(figures.seen):
                break
        return text

    return say


class _Figures(string.Formatter):
    """Formats {a:.3g} with more digits, so that different numbers of a sentence look different."""

    def __init__(self, more):
        self.more, self.seen = more, {}

    def format_field(self, value, spec):
        if not re.fullmatch(r"\.\dg", spec):
            return super().format_field(value, spec)
        return self.seen.setdefault(float(value), figure(value, int(spec[1]) + self.more))


def figure(number, digits=3):
    """A number in so many digits; a whole one, or a large one's whole part, as it is: 1000."""
    number = float(number) + 0.0  # no -0
    large = 10**digits - 0.5 <= abs(number) < 1e7
    return f"{number:.0f}" if large else f"{number:.{digits}g}"


def joined(parts):
    """Parts of a sentence, one after the other: "this and that"."""
    return f" {_told('sentences.md', 'words')['and']} ".join(parts)


def settings(lines, own=None):
    """{(knob, setting): what is told} of the lines of a section.

    own: the lines that the file's exercises share, by the name of their section.
    """
    found = {}
    for key, told in lines:
        knob, equals, setting = key.partition("=")
        if equals:
            with contextlib.suppress(ValueError, SyntaxError):
                setting = ast.literal_eval(setting)
            found[knob, setting] = told
        elif told == "shared":
            common = [(f"{knob}={k}", t) for k, t in sections("judge/common.md").get(knob, ())]
            shared = settings((own or {}).get(knob) or common)
            found |= {k: t for k, t in shared.items() if k not in found}
    return found


def _hints_of(lines):
    """{the name of a mistake: its hints}."""
    found = {}
    for key, told in lines:
        word, _, mistake = key.partition(" ")
        if word == "hint" and mistake:
            found.setdefault(mistake, []).append(told)
    return found


def tell(module, *exercises):
    """The exercises by name, with their words, and the questions of a lesson's file.

    Raises:
        ValueError: where the file names what the exercises do not have.
    """
    name = f"{module.split('.')[-2]}/mistakes.md"
    found = sections(name)
    found.pop("sentences", None)  # for `sentences`
    own = {name[7:]: found.pop(name) for name in list(found) if name.startswith("shared ")}
    for exercise in exercises:
        if exercise.name not in found:
            raise ValueError(f"{name} has no section `# {exercise.name}`")
        lines = found.pop(exercise.name)
        exercise.settings = settings([*lines, ("result", "shared")], own)
        exercise.hints = [told for key, told in lines if key == "hint"]
        common = [(f"hint {key}", told) for key, told in sections("judge/common.md")["hints"]]
        exercise.hints_of = _hints_of([*common, *lines])
        told = {f"{knob}={setting}" for knob, setting in exercise.settings}
        for mistake in exercise.hints_of.keys() - told - _hints_of(common).keys():
            raise ValueError(f"{name}, section {exercise.name}: hints on {mistake}, never told")
        for knob, setting in exercise.settings:
            if not exercise.has(knob, setting):
                raise ValueError(
                    f"{name}, section {exercise.name}: the answer has no {knob}={setting}; nobody "
                    f"would ever be told this"
                )
    questions, known = {}, [e.name for e in exercises]
    for title, lines in found.items():
        right = [key[1] for key, _ in lines if key.startswith("*")]
        if len(right) != 1:
            raise ValueError(
                f"{name}, section {title}: a question has one right letter, written as `- *B:`, "
                f"got {len(right)}; an exercise would be one of {', '.join(known)}"
            )
        questions[title] = Question({key.strip("*"): told for key, told in lines}, right[0])
    return {e.name: e for e in exercises}, questions
