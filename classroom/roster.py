"""Who handed in a file, told by its path, and who is missing of a class as gradebooks export it.

A roster is a table with a name (or first and last name), and any of an id, a login and an email,
under the headings that Canvas, Moodle or a spreadsheet give them. Without one, the learner is the
outermost folder whose name tells somebody and which holds not several learners' files of a lesson,
or else the file's name, or what a system says in either.
"""

import collections
import csv
import re
from dataclasses import dataclass
from pathlib import PurePath

from classroom.gradebooks import PARTICIPANT, table
from tools.lessons import lessons, number

NAME = ("name", "full name", "student", "student name", "learner")
FIRST, LAST = ("first name", "given name"), ("last name", "surname", "family name")
ID = ("id", "identifier", "id number", "student id", "username", "user name", "login")
EMAIL = ("email", "email address", "e-mail", "e-mail address")
OTHER = ("sis user id", "sis login id", "login id")  # they tell who it is, too


@dataclass(frozen=True)
class Learner:
    """Who handed in a file. Two who share a name differ in what Canvas or Moodle calls them."""

    name: str
    canvas_id: str | None = None  # the user's id, in Canvas's column ID
    moodle_id: str | None = None  # the participant's number, in Moodle's column Identifier
    login: str | None = None
    email: str | None = None

    @property
    def id(self):
        """As it stands in the column of that name: Moodle's Identifier, Canvas's ID, or a login."""
        return f"{PARTICIPANT}{self.moodle_id}" if self.moodle_id else self.canvas_id or self.login


# Systems write more than a name where a teacher downloads what came in.
# <name>_<participant>_assignsubmission_file, with a _ at its end in versions before 4.1: a folder,
# or where the teacher chose no folders the beginning of the file's name.
# Moodle, mod/assign/classes/downloader.php: get_student_prefix, load_submissionplugin_filelist.
MOODLE = re.compile(r"(?P<name>.+?)_(?P<moodle_id>\d+)_assignsubmission_file(?:_.*)?")
# <name>_LATE_<user>_<attachment>_<file>, without LATE when in time; or anon_<key> instead of name
# and user. The name has no digits between underscores; ours begins with some, such as 01_.
# Canvas, lib/content_zipper.rb: get_filename, add_upload_submission, sanitize_user_name.
CANVAS = re.compile(r"(?P<name>\w+?)(?:_LATE)?_(?P<canvas_id>[1-9]\d*)_[1-9]\d*_.+")
CANVAS_ANONYMOUS = re.compile(r"(?:LATE_)?(?P<name>anon_\w+?)_[1-9]\d*_.+")
# <assignment>_<login>_attempt_<time>_<file>: Blackboard. <user>-<assignment> - <name> - <time>, a
# folder or the beginning of the file's name: Brightspace.
BLACKBOARD = re.compile(r".+_(?P<name>[^_]+)_attempt_\d{4}(?:-\d\d){5}_.+")
BRIGHTSPACE = re.compile(r"\d+-\d+ - (?P<name>.+?) - .+ [AP]M(?: - .+)?")
FOLDERS = (MOODLE, BRIGHTSPACE)
FILES = (*FOLDERS, BLACKBOARD, CANVAS_ANONYMOUS, CANVAS)

# What tells nobody in a name: copies, as browsers, systems and Drive name them, and these words,
# with or without a number. Several words are one learner's, so they are taken off its ends alone.
COPY = r"\(\d+\)|(?:copy|copie|[ck]opi[aeo]?|cópia|копия)(?:[ _]+(?:of|de|di|do|von|van|av|af))?"
NOBODY = r"""my answers? untitled lesson exercises? homework hw notebook solutions? assignments?
    week submissions? submitted autograded files attachments?\(s\) version v draft final old new
    late lektion aufgaben? lösung(?:en)? hausaufgaben? abgaben? woche blatt semaine devoirs? tarea
"""
TITLES = {number(path): path.stem.partition("_")[2] for path in lessons()}


def _nobody(lesson):
    """Words that tell nobody in the name of a file that holds this lesson, or none."""
    titles = [rf"(?:{n}[ _.-]*)?{re.sub('_', '[ _.-]*', title)}" for n, title in TITLES.items()]
    words = rf"(?:{'|'.join(NOBODY.split())})(?:[ _.-]*\d\d?)?"
    numbers = rf"(?:l|ex)?0?{int(lesson)}" if lesson else r"(?!)"
    nobody = "|".join([*titles, words, numbers, COPY])
    return re.compile(rf"(?:^|(?<=[ _.)-])|(?=\())({nobody})(?=[ _.(-]|$)|[^ _.-]+", re.IGNORECASE)


_NOBODY = {lesson: _nobody(lesson) for lesson in (None, *TITLES)}


def told(name, lesson=None):
    """What a name says but for what tells nobody: ada of ada_03 (1); nothing of 03_masking."""
    found = [word for word in _NOBODY.get(lesson, _NOBODY[None]).finditer(name) if not word[1]]
    found = [word for word in found if re.search(r"\w", word[0])]
    return name[found[0].start() : found[-1].end()] if found else ""


def _parts(file):
    """A path's folders, and its name without what kind of file it is."""
    *folders, name = PurePath(file).parts
    return *folders, re.sub(r"(?i)\.ipynb$", "", PurePath(name).stem)


def _by_system(part, is_file):
    """The Learner that a system names in a folder or a file, or None."""
    found = (kind.fullmatch(part) for kind in (FILES if is_file else FOLDERS))
    return next((Learner(**each.groupdict()) for each in found if each), None)


def _shared(held):
    """The folders that hold several learners' files of one lesson, so that they are no learner's.

    Several are two that tell who they are, or three: of two others one may be a copy.
    """
    inside, shared = collections.defaultdict(list), set()
    for file, lesson in held.items():
        parts = _parts(file)
        for end in range(1, len(parts) if lesson else 0):
            below = [*parts[end:-1], told(parts[-1], lesson)]
            inside[parts[:end], lesson].append([p.casefold() for p in below if told(p, lesson)])
    for (folder, _), below in inside.items():
        if len({tuple(each) for each in below if each}) > 1 or below.count([]) > 2:
            shared.add(folder)
    return shared


@dataclass(frozen=True)
class Roster:
    """A class: its learners, which one each name, id, login or email stands for, and each word."""

    learners: tuple
    index: dict
    words: dict

    def find(self, file, lesson=None, shared=()):
        """The learner who handed in a file, whom its path names anywhere; None for a stranger.

        A folder in front says more than what lies in it, unless several learners share it.
        """
        parts = _parts(file)
        order = range(len(parts))
        for at in sorted(order, key=lambda at: parts[: at + 1] in shared):
            by_system = _by_system(parts[at], at == order[-1])
            who = by_system and self.index.get(_key(by_system.id or ""))
            who = who or self._inside(by_system.name if by_system else parts[at], lesson)
            if who or by_system:
                return who
        return None

    def _inside(self, text, lesson):
        """Whom a text names: the first and longest words that do; or alone, a word of a name."""
        words = re.findall(r"[^\W_]+|@", text.casefold())
        for start in range(len(words)):
            for end in range(min(len(words), start + 8), start, -1):
                key = "".join(words[start:end])
                is_any = key.isdigit() and len(key) < 5 and end - start < len(words)
                if key in self.index and not is_any:
                    return self.index[key]
        return self.words.get(_key(told(text, lesson)))


def _key(text):
    return "".join(c for c in str(text).casefold() if c.isalnum() or c == "@")


def read(path):
    """The Roster in a table.

    Raises:
        SystemExit: when it is none.
    """
    try:
        found = list(table(path))
    except (OSError, csv.Error) as error:
        raise SystemExit(f"{path} cannot be read: {error}") from None
    for row in found:
        if any(row.pop(None, ())):  # nobody is left out because of a comma
            raise SystemExit(f"{path}: more cells than headings in {', '.join(row.values())} ...")
    rows = [{k.strip().casefold(): (v or "").strip() for k, v in row.items()} for row in found]
    learners, index, own = [], collections.defaultdict(set), collections.defaultdict(set)
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
            moodle_id=one.removeprefix(PARTICIPANT) if one.startswith(PARTICIPANT) else None,
            login=next((t for t in (one, *others) if t and not t.isdigit()), None),
            email=email or None,
        )
        learners.append(who)
        words = re.findall(r"\w+", name)
        names = ["".join(words), "".join(words[-1:] + words[:-1]), "".join(words[1:] + words[:1])]
        for known, texts in ((index, (one, email, *others, *names)),
                             (own, (email.partition("@")[0], *words))):  # fmt: skip
            for text in filter(_key, texts):
                known[_key(text)].add(who)
    if not learners:
        raise SystemExit(f"{path} is no roster: it has no column name with names in it")
    return Roster(tuple(learners), *({k: next(iter(v)) for k, v in found.items() if len(v) == 1}
                                     for found in (index, own)))  # fmt: skip


def _of(row, columns):
    return next((row[column] for column in columns if row.get(column)), "")


def people(held, roster=None):
    """Who handed in each file; `held` are the lessons in them, None where there is none.

    Returns:
        {file: Learner}, the files of strangers (none without a roster), and the files whose path
        tells no learner: each of them is a learner of its own.
    """
    shared = _shared(held)
    found = {file: roster.find(file, held[file], shared) if roster else None for file in held}
    unknown = {file: held[file] for file, who in found.items() if who is None}
    by_path, nameless = _by_path(unknown, shared)
    return found | by_path, set(unknown) if roster else set(), nameless


def _by_path(held, shared):
    """Learners by their files' paths, {file: Learner}; and the files whose path tells none.

    Where the number behind another file's same front is not its lesson, as in group_01 and group_02
    for one lesson, no number is.
    """
    found, fronts, nameless = {}, collections.defaultdict(dict), set()
    for file, lesson in held.items():
        parts = _parts(file)
        found[file] = _by_folder(parts, shared) or _by_system(parts[-1], True)
        if found[file] is None:
            front = told(parts[-1], lesson)
            fronts[front.casefold()][file] = front
    numbered = (re.fullmatch(r"(.+?)[ _.-]+\d\d?", front) for front in fronts)
    numbered = {each[1] for each in numbered if each}
    for key, files in fronts.items():
        for file in files:
            name = _parts(file)[-1]
            whole = key in numbered and told(name)
            found[file] = Learner(whole or min(files.values()) or name)
    taken = set()
    for file in sorted(fronts[""]):
        if not held[file]:  # nothing is known of it
            continue
        nameless.add(file)
        if found[file] in taken:
            found[file] = Learner(file)
        taken.add(found[file])
    return found, nameless


def _by_folder(parts, shared):
    """The Learner whose folder a path goes through, or None."""
    for at, folder in enumerate(parts[:-1]):
        if who := _by_system(folder, False):
            return who
        if told(folder) and parts[: at + 1] not in shared:
            return Learner(folder)
    return None
