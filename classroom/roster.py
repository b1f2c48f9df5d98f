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
COPY = r"(?:[ _.-]*(?:\(\d+\)|copy|final))*"  # as browsers and systems name a second file
NOBODY = {"my", "answers", "copy", "of", "untitled", "lesson", "exercise", "exercises"}
NOBODY |= {"homework", "hw", "notebook", "solution", "solutions"}  # words that are no learner's


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
        {file: Learner}, the files of strangers (none without a roster), and the files whose name
        tells no learner: each of them is a learner of its own.
    """
    found = {file: roster.find(file) if roster else None for file in held}
    strangers = {file for file, who in found.items() if who is None} if roster else set()
    unknown = {file: learner(file) for file, who in found.items() if who is None}
    nameless, fronts = _by_names({file: held[file] for file in unknown}, unknown)
    if not roster:
        unknown |= fronts
    taken = set()
    for file in sorted(nameless):
        who = unknown[file]
        unknown[file] = Learner(file) if who in taken else who
        taken.add(who)
    return found | unknown, strangers, nameless


def _by_names(held, found):
    """The files whose name tells no learner; and the Learners whom a front tells, as in ada_03.

    Behind the front stands the lesson that the file holds. Where the number behind another file's
    same front is not its lesson, as in group_01 and group_02 for one lesson, no number is.
    """
    stems = {number(path): path.stem for path in lessons()}
    nameless, fronts, lone = set(), collections.defaultdict(dict), collections.Counter()
    for file, lesson in held.items():
        name = PurePath(file).stem.removesuffix(".ipynb")
        if not lesson or found[file] != Learner(name):  # a platform or a folder says who it is
            continue
        words = rf"(?:lesson|exercises?|l)?[ _.-]*0?{int(lesson)}"
        end = rf"(?:(.+?)[ _.-]+)?(?:{re.escape(stems[lesson])}|{words}){COPY}"
        told = re.fullmatch(end, name, re.IGNORECASE)
        front = told[1] or "" if told else re.sub(f"{COPY}$", "", name, flags=re.IGNORECASE)
        if set(re.findall(r"[^\W_]+", front.casefold())) <= NOBODY:
            nameless.add(file)
        elif told:
            fronts[front.casefold()][file] = front
        elif other := re.fullmatch(rf"(.+?)[ _.-]+\d\d?{COPY}", name, re.IGNORECASE):
            lone[other[1].casefold()] += 1
    return nameless, {
        file: Learner(min(files.values()))
        for key, files in fronts.items()
        if not lone[key]
        for file in files
    }
