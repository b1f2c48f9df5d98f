"""The values a lesson is run with: refused at once, and all together, where they make no sense."""

import unicodedata
from pathlib import Path

from attn_teach.checks import shown, typed

from .words import sentences

say = sentences(__name__)

_changed = []  # what differs from the values that the lesson's text was written for


def check_parameters(given, *, written_for=None, **limits):
    """Raise an error that names every parameter of `given` outside its limits.

    Args:
        given: the lesson's variables, a dict: `globals()`.
        written_for: {name: value} of the parameters whose figures the text quotes. Where others
            are given, that is said here and by `predict`.
        **limits: for each parameter the values it may take:
            (low, high) or (low, high, step): a number from low to high, both included; a whole
            number where low is one;
            a list: one of its members;
            a list of one such tuple, [(low, high)]: a list of such numbers, at least one;
            a dict of the limits of `own_words`: what that reads.

    Raises:
        ValueError: a line for each parameter that is missing or not as its limits say.
    """
    written_for = written_for or {}
    problems = []
    for name, limit in limits.items():
        if name not in given:
            problems.append(say("missing", name=name, expected=_in_words(limit)))
        elif not _fits(given[name], limit):
            told = {"expected": _in_words(limit), "got": typed(given[name])}
            problems.append(say("must be", name=name, **told) + _why_no_words(given[name], limit))
    if problems:
        raise ValueError("\n".join([*problems, say("change it")]))
    others = {n: v for n, v in written_for.items() if given[n] != v}
    _changed[:] = [f"{name} = {shown(value)}" for name, value in others.items()]
    if others:
        here = ", ".join(f"{name} = {shown(given[name])}" for name in others)
        print(say("changed", written_for=", ".join(_changed), here=here) + "\n" + say("trust"))


def proviso():
    """What is to be added to an answer: for which values it was written, or nothing."""
    return f" {say('proviso', written_for=', '.join(_changed))}" if _changed else ""


def own_words(given, words=(20, 10**5), letters=(2, 14)):
    """Return somebody's own words, in small letters, each once; none for an empty text.

    Args:
        given: a list of words, or the name of a file with a word a line.
        words: at least and at most so many.
        letters: how many each may have; nothing else may stand in it.

    Raises:
        ValueError: what is wrong with which word, or with the file.
    """
    if given == "":
        return []
    lines = read_lines(given) if isinstance(given, str) else given
    if not isinstance(lines, (list, tuple)) or not all(isinstance(line, str) for line in lines):
        raise ValueError(say("no words"))
    found = {}
    for place, line in enumerate(lines, start=1):
        word = unicodedata.normalize("NFC", line.strip().lower())
        odd = "".join(dict.fromkeys(sign for sign in word if not sign.isalpha()))
        if odd:
            raise ValueError(say("odd letters", place=place, word=shown(word), odd=shown(odd)))
        if word and not letters[0] <= len(word) <= letters[1]:
            raise ValueError(say("word's length", place=place, word=shown(word), count=len(word)))
        if word:
            found[word] = None
    if not words[0] <= len(found) <= words[1]:
        raise ValueError(say("so many words", count=len(found)))
    return list(found)


def read_lines(file):
    """Return the lines of a text file, or raise a ValueError that says why not."""
    try:
        return Path(file).expanduser().read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(say("no UTF-8", file=file)) from None
    except (OSError, ValueError) as error:  # the latter for a name that no file can have
        why = getattr(error, "strerror", None) or error
        raise ValueError(say("no file", file=file, folder=Path.cwd(), why=why)) from None


def _why_no_words(value, limit):
    if isinstance(limit, dict):
        try:
            own_words(value, **limit)
        except ValueError as error:
            return f": {error}"
    return ""


def _fits(value, limit):
    if isinstance(limit, dict):
        return not _why_no_words(value, limit)
    if isinstance(limit, tuple):
        low, high, *step = limit
        kinds = (int,) if isinstance(low, int) else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
            return False
        steps = (value - low) / step[0] if step else 0
        return abs(steps - round(steps)) < 1e-9
    if isinstance(limit[0], tuple):
        whole = isinstance(value, (list, tuple)) and len(value) > 0
        return whole and all(_fits(each, limit[0]) for each in value)
    return any(type(value) is type(choice) and value == choice for choice in limit)


def _in_words(limit):
    if isinstance(limit, dict):
        (low, high), (least, most) = limit["words"], limit["letters"]
        return say("words", low=low, high=f"{high:,}", least=least, most=most)
    if isinstance(limit, tuple):
        low, high, *step = limit
        kind = "whole number" if isinstance(low, int) else "number"
        if step:
            return say(f"{kind} in steps", low=low, high=high, step=step[0])
        return say(kind, low=low, high=high)
    if isinstance(limit[0], tuple):
        return say("list", each=_in_words(limit[0]))
    return say("one of", choices=", ".join(map(repr, limit)))
