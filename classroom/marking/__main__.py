"""Mark a folder of returned notebooks: marks with reasons, a page for the class, one for each.

python -m classroom.marking folder
python -m classroom.marking folder --scheduler tcp://...
python -m classroom.marking folder --roster class.csv --points points.json

The files may have any names, lie in folders, be executed or not, be zipped one by one. Who handed
in a file is told by its path, as nbgrader, Moodle and Canvas write it, or by its folder or name; a
roster settles it. What a teacher enters in marks.csv, in the column "given", is kept.
Everything is written to build/marks/: marks.csv, class.html, feedback/, and record.jsonl, with
which an interrupted run goes on and a later one marks only what is new. The work is done by Dask:
on this machine's cores, or by a scheduler's workers, which are started in a clone of this project.
"""

import collections
import csv
import functools
import hashlib
import os
import stat
import sys
from datetime import datetime
from pathlib import Path

from classroom import gradebooks, points, roster, workers
from classroom.marking import desk, guard, pages
from classroom.marking.read import MOST
from tools.lessons import BUILD, ROOT
from tools.progress import command_line, say, stoppable

RESULTS = BUILD / "marks"
NAMED = (".ipynb", ".zip", ".ipynb.txt", ".ipynb.json")  # as browsers save a notebook
OTHER = "not read: its name is no notebook's"
NAMELESS = "its name tells no learner, so it counts as one of its own: rename it as NAME_{}.ipynb"
AT_ONCE = 3  # files under way for each worker
NOT_TOLD = "timestamp.txt"  # nbgrader lays it beside a notebook
Problem = collections.namedtuple("Problem", "learner file why")


@functools.cache
def version():
    """A digest of all that a verdict depends on: a changed check marks everything anew."""
    digest = hashlib.sha256()
    for place in ("attn_teach", "attn_lesson", "classroom/marking", "notebooks"):
        for path in sorted((ROOT / place).rglob("*")):
            if path.is_file() and path.suffix in (".py", ".md", ".ipynb"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def files(folder):
    """All files of the folder, by their path in it, with a reason if one is not to be read.

    What systems hide or leave is passed over.
    """
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if n not in (".ipynb_checkpoints", "__MACOSX"))
        links = [n for n in folders if n.lower().endswith(".ipynb")]
        for name in sorted(names) + links:
            path = Path(place) / name
            if name.lower().endswith(NAMED) and not name.startswith("._"):
                found.append((path, str(path.relative_to(folder)), _reason(path)))
            elif not name.startswith(".") and name != NOT_TOLD:
                found.append((path, str(path.relative_to(folder)), OTHER))
    return found


def _reason(path):
    """Why a file is not read, or None."""
    try:
        status = path.lstat()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not stat.S_ISREG(status.st_mode):
        return "a link, a pipe or a folder, but no file"
    return f"{status.st_size:,} bytes are too many" if status.st_size > MOST else None


def contents(path):
    """A file's bytes. It is opened so that neither a link nor a pipe can get in between."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        return file.read(MOST + 1)


def collect(found, record, connection):
    """Results by file: from the record, or by a client's workers. Also how many were lost."""
    results, keys, todo, lost = {}, {}, collections.deque(), 0
    for path, name, reason in found:
        try:
            if reason is None:
                keys[name] = f"{hashlib.sha256(contents(path)).hexdigest()}-{version()}"
                if keys[name] not in record.results:
                    todo.append((path, name))
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
        if reason is not None:
            results[name] = {"problem": reason}
            say(f"{pages.clean(name)}: {reason}")
    if todo:
        with connection as client:
            marked = workers.done(
                client, todo, lambda job: (desk.mark, contents(job[0])), "Marked", AT_ONCE
            )
            for place, (_, name), result in marked:
                if isinstance(result, Exception):
                    lost += 1
                    result = {"problem": f"not marked: {type(result).__name__}"}
                    record.results[keys[name]] = result
                else:
                    record.add(keys[name], result)
                say(f"[{place}] {pages.clean(name)}: {_said(result)}")
    return results | {name: record.results[key] for name, key in keys.items()}, lost


def _said(result):
    if "problem" in result:
        return pages.clean(result["problem"])
    verdicts = [answer["verdict"] for answer in result["answers"].values()]
    return f"lesson {result['lesson']}, {verdicts.count('right')} of {len(verdicts)} right"


def called(who, shared=()):
    """What a learner is called: two of one name differ in what the class calls them."""
    number = who.moodle_id or who.canvas_id
    if who.name in shared:
        number = number or who.login or who.email
    return f"{who.name} ({number})" if number else who.name


def sorted_marks(found, results, known=None, worth=None):
    """Marks, problems, and who of the roster has no file: a list of (lesson, names).

    Of two files of a learner for one lesson the newer one counts.
    """
    worth = worth or points.exercises()
    held = {name: results[name].get("lesson") for _, name, _ in found}
    people, strangers, nameless = roster.people(held, known)
    listed = known.learners if known else ()
    names = collections.Counter(who.name for who in {*people.values(), *listed})
    shared = {name for name, count in names.items() if count > 1}
    label = {who: called(who, shared) for who in {*people.values(), *listed}}
    marks, unread = {}, set()
    problems = [Problem(label[people[name]], name, gradebooks.STRANGER) for name in strangers]
    problems += [Problem(label[people[name]], name, NAMELESS.format(held[name]))
                 for name in nameless]  # fmt: skip
    newest = sorted(found, key=lambda item: item[0].lstat().st_mtime if item[0].exists() else 0)
    for _, name, _ in newest:
        result, who = results[name], label[people[name]]
        if "problem" in result:
            unread.add(who)
            problems.append(Problem(who, name, result["problem"]))
            continue
        lesson, answers = result["lesson"], result["answers"]
        asked = [e for e in worth[lesson] if e.points and set(e.functions) <= set(answers)]
        rows = [pages.row(who, people[name], name, lesson, e, answers) for e in asked]
        mark = pages.Mark(who, name, lesson, asked, answers, result["predictions"], rows)
        if old := marks.get((who, lesson)):
            problems.append(Problem(who, old.file, f"{pages.clean(name)} is newer and counts"))
        marks[who, lesson] = mark
    order = sorted(marks.values(), key=lambda m: (m.lesson, m.learner, m.file))
    missing = []
    for lesson in sorted({mark.lesson for mark in order}):
        names = [label[who] for who in listed if (label[who], lesson) not in marks]
        names = [f"{name} (has a file that was not marked)" * (name in unread) or name
                 for name in names]  # fmt: skip
        missing += [(lesson, names)] if names else []
    return order, sorted(problems), missing


def changes(old, new):
    """Lines on what is new or different in the table."""
    before, after, lines = _by_learner(old), _by_learner(new), []
    for word, these, others in (("new", after, before), ("gone", before, after)):
        for learner, lesson in (of for of in these if of not in others):
            got, of = gradebooks.total(these[learner, lesson].values())
            lines.append(f"{word}: {learner}, lesson {lesson}, {got:g} of {of:g} points")
    for of in (of for of in after if of in before):
        for exercise, row in after[of].items():
            was = before[of].get(exercise, row)
            if (was["verdict"], was["points"]) != (row["verdict"], row["points"]):
                now = f"{was['verdict']} ({was['points']}) -> {row['verdict']} ({row['points']})"
                lines.append(f"{of[0]}, lesson {of[1]}, {exercise}: {now}")
    return lines


def _by_learner(rows):
    """Rows by (learner, lesson), and then by exercise."""
    found = gradebooks.grouped((row for row in rows if row["exercise"]), "learner", "lesson")
    return {of: {row["exercise"]: row for row in own} for of, own in found.items()}


def set_aside(path):
    """Give an older table a name that is free; return it."""
    names = (path.with_stem(f"{path.stem}-before{n}") for n in ("", *range(2, 10**6)))
    return path.replace(next(name for name in names if not name.exists())).name


def enter(path, marks, problems):
    """Put into the marks what a teacher entered in an older table; return its rows.

    Whose a file is may be told otherwise than it was: by a roster, or without it.
    """
    if not path.exists():
        return []
    try:
        rows = gradebooks.read(path)
    except (SystemExit, csv.Error) as error:  # a teacher's work may be in it
        print(f"{error}; it is kept as {set_aside(path)}")
        return []
    owners = {pages.cell(each.file): pages.cell(each.learner) for each in (*problems, *marks)}
    counted = {pages.cell(mark.file) for mark in marks}
    rows.sort(key=lambda row: row["file"] in counted)  # of two files of a learner it comes last
    rows = [row | {"learner": owners.get(row["file"], row["learner"])} for row in rows]
    given = {(r["learner"], r["lesson"], r["exercise"]): r["given"] for r in rows if r["given"]}
    for row in (row for mark in marks for row in mark.rows):
        row["given"] = given.get((row["learner"], row["lesson"], row["exercise"]), "")
    return rows


@stoppable("the same command does the rest")
def main(arguments=None):
    parser = command_line(__doc__)
    parser.add_argument("folder", help="the returned notebooks")
    parser.add_argument("--scheduler", help="the address of a Dask scheduler")
    parser.add_argument("--roster", help="the class: a table with name, id, email")
    parser.add_argument("--points", help='points by exercise: a file such as {"1.2": 2}')
    parser.add_argument("--workers", type=int, help="without a scheduler: how many at once")
    options = parser.parse_args(arguments)
    if sys.platform != "linux":
        raise SystemExit("answers can be locked up on Linux only: use WSL, a container or a server")
    if not options.folder:
        raise SystemExit("name the folder of returned notebooks: make mark SUBMISSIONS=returned")
    folder = Path(options.folder).resolve()
    if not folder.is_dir():
        raise SystemExit(f"{options.folder} is no folder; name the one of returned notebooks")
    target = RESULTS / folder.name
    if target == folder or folder in target.parents:
        raise SystemExit(f"{folder} holds {target}, where the marks go; name another folder")
    known = roster.read(options.roster) if options.roster else None
    changed = points.read(Path(options.points)) if options.points else {}
    if options.points and not changed:
        raise SystemExit(f"{options.points} is no file with points")
    worth = points.exercises(changed)
    found = files(folder)
    record = workers.Record(target / "record.jsonl")
    there, missing = guard.walls()
    print(f"{len(found)} files; answers are locked up by {', '.join(there)}")
    if missing:
        print(f"{' and '.join(missing)} would lock them up better, but this machine has none")
    connection = workers.connect(options.scheduler, options.workers)
    results, lost = collect(found, record, connection)
    marks, problems, missing = sorted_marks(found, results, known, worth)
    old = enter(target / "marks.csv", marks, problems)
    new = pages.table(marks, problems)
    if left := sum(bool(r["given"]) for r in old) - sum(bool(r["given"]) for r in new):
        print(f"{left} entries are of nobody in the table any more: they are kept in "
              f"{set_aside(target / 'marks.csv')}")  # fmt: skip
    pages.write(target, folder.name, marks, problems, missing)
    for lesson, _, name, learners, of in pages.published(marks):
        names = f"{name} ({len(learners)} of {of})"
        print(f"lesson {lesson}, same code as the published solution: {names}")
    for lesson, names in missing:
        print(f"lesson {lesson}, no file: {', '.join(map(pages.clean, names))}")
    for each in problems:
        if "problem" not in results[each.file]:  # that was said above
            print(f"{pages.clean(each.file)}: {each.why}")
    if old:
        changed = changes(old, new)
        said = f"{datetime.now():%Y-%m-%d %H:%M}: {len(changed)} changes since the last time"
        with (target / "changes.txt").open("a", encoding="utf-8") as file:
            file.write("\n".join([said, *changed, "", ""]))
        print("\n".join(["", said, *changed]))
    print(f"\n-> {os.path.relpath(target)}: class.html, marks.csv, feedback/")
    if lost:
        raise SystemExit(f"{lost} files were lost; the same command does the rest")


if __name__ == "__main__":
    sys.exit(main())
