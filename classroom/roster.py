"""Who is who, and who is missing: a class as gradebooks export it, and names without one.

A roster is a table with a name (or first and last name), and any of an id, a login and an email,
under the headings that Canvas, Moodle or a spreadsheet give them.
"""

import collections
import csv
import re
from dataclasses import dataclass
from pathlib import PurePath

from classroom.gradebooks import Learner, learner, table
from tools.lessons import lessons, number

NAME = ("name", "full name", "student", "student name", "learner")
FIRST, LAST = ("first name", "given name"), ("last name", "surname", "family name")
ID = ("id", "identifier", "id number", "student id", "username", "user name", "login")
EMAIL = ("email", "email address", "e-mail", "e-mail address")
OTHER = ("sis user id", "sis login id", "login id")  # they tell who it is, too


@dataclass(frozen=True)
class Roster:
    """A class: its learners, and which one each name, id, login or email stands for."""

    learners: tuple
    index: dict

    def find(self, path):
        """The learner who handed in a file, by the front of its path; None for a stranger."""
        path = PurePath(path)
        for part in path.parts[:-1]:  # a folder in front says more than what lies in it
            if found := self.index.get(_key(part)):
                return found
        who = learner(path)
        if who.moodle_id or who.canvas_id:
            exact = f"Participant {who.moodle_id}" if who.moodle_id else who.canvas_id
            return self.index.get(_key(exact)) or self.index.get(_key(who.name))
        ends = [found.start() for found in re.finditer(r"[\W_]+|$", who.name)]
        fronts = (who.name[:end] for end in reversed(ends) if end)
        return next((self.index[_key(f)] for f in fronts if _key(f) in self.index), None)


def _key(text):
    return "".join(c for c in str(text).casefold() if c.isalnum() or c == "@")


def read(path):
    """The Roster in a table.

    Raises:
        SystemExit: when it is none.
    """
    try:
        found = list(table(path))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SystemExit(f"{path} cannot be read: {error}") from None
    for row in found:
        if any(row.pop(None, ())):  # nobody is left out because of a comma
            raise SystemExit(f"{path}: more cells than headings in {', '.join(row.values())} ...")
    rows = [{k.strip().casefold(): (v or "").strip() for k, v in row.items()} for row in found]
    learners, index = [], collections.defaultdict(set)
    for row in rows:
        first, last = _of(row, FIRST), _of(row, LAST)
        one, email = _of(row, ID), _of(row, EMAIL)
        name = _of(row, NAME) or f"{first} {last}".strip() or email or one
        if not name or name.startswith("Points Possible"):  # a row of Canvas's
            continue
        others = [row.get(column, "") for column in OTHER]
        email = email or next((text for text in others if "@" in text), "")
        who = Learner(
            name,
            canvas_id=one if one.isdigit() else None,
            moodle_id=one.removeprefix("Participant ") if one.startswith("Participant ") else None,
            login=next((t for t in (one, *others) if t and not t.isdigit()), None),
            email=email or None,
        )
        learners.append(who)
        words = re.findall(r"\w+", name)
        names = ["".join(words), "".join(words[-1:] + words[:-1]), "".join(words[1:] + words[:1])]
        for text in (one, email, email.partition("@")[0], *others, *names):
            if _key(text):
                index[_key(text)].add(who)
    if not learners:
        raise SystemExit(f"{path} is no roster: it has no column name with names in it")
    return Roster(tuple(learners), {k: next(iter(v)) for k, v in index.items() if len(v) == 1})


def _of(row, columns):
    return next((row[column] for column in columns if row.get(column)), "")


def people(held, roster=None):
    """Who handed in each file; `held` are the lessons in them, None where there is none.

    Returns:
        {file: Learner}, and the files of strangers: none without a roster.
    """
    if roster is None:
        found = {file: learner(file) for file in held}
        return found | _by_stems({f: n for f, n in held.items() if n}, found), set()
    found = {file: roster.find(file) for file in held}
    strangers = {file for file, who in found.items() if who is None}
    return {file: who or learner(file) for file, who in found.items()}, strangers


def _by_stems(held, found):
    """Files that are named alike in front of what lesson they hold are one learner's."""
    fronts = collections.defaultdict(dict)
    stems = {number(path): path.stem for path in lessons()}
    for file, lesson in held.items():
        name = PurePath(file).stem
        if found[file] != Learner(name):  # a platform or a folder says who it is
            continue
        words = rf"(?:lesson|exercises?|l)?[ _.-]*0?{int(lesson)}"
        end = rf"(.+?)[ _.-]+(?:{re.escape(stems[lesson])}|{words})(?:[ _.(-].*)?"
        if front := re.fullmatch(end, name, re.IGNORECASE):
            fronts[front[1].casefold()][file] = lesson, front[1]
    return {
        file: Learner(front)
        for files in fronts.values()
        if len({lesson for lesson, _ in files.values()}) > 1
        for file, (_, front) in files.items()
    }
