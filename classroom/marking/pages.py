"""Write what came out: the table, the instructor's page and a page for each learner."""

import collections
import hashlib
import re
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from attn_lesson import catalogue
from classroom.gradebooks import COLUMNS, points_of, safe, total, write_csv
from classroom.marking.copies import groups
from tools.lessons import write_text

HERE = Path(__file__).parent
SIGNS = {"right": "\u2713", "partly": "\u00bd", "wrong": "\u2717", "untouched": ""}
SIGNS |= {"missing": "\u2013", "error": "!", "on paper": "?"}
SAID = {
    "right": "right",
    "wrong": "not yet",
    "untouched": "not begun",
    "missing": "not in your notebook",
    "error": "could not be judged",
}
DISCUSSED = 5
Mark = collections.namedtuple("Mark", "learner file lesson exercises answers predictions rows")


def clean(text):
    """Text that nothing can be hidden in: what does not print is written out."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in str(text))


_pages = Environment(  # whatever a page says is cleaned and escaped
    loader=FileSystemLoader(HERE),
    autoescape=True,
    finalize=clean,
    trim_blocks=True,
    lstrip_blocks=True,
)


def cell(text):
    """Text for a table that a spreadsheet takes for text, not for a formula."""
    return safe(" ".join(clean(text).split()))


def row(learner, who, file, lesson, exercise, answers):
    """An exercise's row in the table, as a dictionary; a teacher has given no points in it yet."""
    answers = [(name, answers[name]) for name in exercise.functions]
    right = sum(answer["verdict"] == "right" for _, answer in answers)
    points = exercise.points * right / len(answers) if answers else None
    return {
        "learner": cell(learner), "id": cell(who.id or ""), "email": cell(who.email or ""),
        "file": cell(file), "lesson": lesson, "exercise": exercise.number,
        "title": cell(exercise.title),
        "verdict": _together([answer["verdict"] for _, answer in answers]),
        "points": "" if points is None else f"{points:g}", "of": f"{exercise.points:g}",
        "given": "", "mistake": cell(_mistakes(answers)),
    }  # fmt: skip


def _together(verdicts):
    """What is said of an exercise with these verdicts on its functions."""
    if not verdicts:
        return "on paper"
    if "right" in verdicts and set(verdicts) != {"right"}:
        return "partly"
    return next(v for v in ("error", "wrong", "untouched", "missing", "right") if v in verdicts)


def _mistakes(answers):
    told = []
    for name, answer in answers:
        said = "; ".join(sentence for _, sentence in answer["mistakes"])
        said = said or answer["message"] * (answer["verdict"] == "error")
        if len(answers) > 1 and answer["verdict"] != "right":
            said = f"{name} {answer['verdict']}" + f" ({said})" * bool(said)
        told += [said] * bool(said)
    return "; ".join(told)


def table(marks, problems):
    """The rows of marks.csv: a learner's exercise each, then the files that hold none."""
    empty = dict.fromkeys(COLUMNS, "")
    return [row for mark in marks for row in mark.rows] + [
        empty | {"learner": cell(p.learner), "file": cell(p.file), "verdict": "error",
                 "mistake": cell(p.why)}
        for p in problems
    ]  # fmt: skip


def write(folder, title, marks, problems, missing=()):
    """Write marks.csv, class.html and feedback/ into the folder.

    Args:
        missing: (lesson, names of the learners of the roster who have no file).
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = [[row[c] for c in COLUMNS] for row in table(marks, problems)]
    write_csv([COLUMNS, *lines], folder / "marks.csv")
    by_points = sorted(marks, key=lambda m: (m.lesson, -total(m.rows)[0], m.learner))
    page = _pages.get_template("class.html").render(
        title=f"Marks of {title}",
        marks=marks,
        lessons=[(n, [*own]) for n, own in groupby(by_points, lambda mark: mark.lesson)],
        discuss=_discuss(marks),
        published=published(marks),
        copies=groups(marks),
        missing=missing,
        problems=problems,
    )
    write_text(page, folder / "class.html")
    of = collections.defaultdict(list)
    for mark in marks:
        of[mark.learner].append(mark)
    wanted = set()
    for learner, own in of.items():
        page = _pages.get_template("feedback.html").render(title=learner, marks=own)
        wanted.add(write_text(page, folder / "feedback" / f"{file_name(learner)}.html"))
    for old in set((folder / "feedback").glob("*.html")) - wanted:
        old.unlink()


def published(marks):
    """(lesson, number, function, who has its published solution, of how many) for each of them."""
    found = collections.defaultdict(list)
    handed_in = collections.Counter(mark.lesson for mark in marks)
    for mark in marks:
        for exercise in mark.exercises:
            for name in exercise.functions:
                if mark.answers[name].get("published"):
                    found[mark.lesson, exercise.number, name].append(mark.learner)
    return [(*of, learners, handed_in[of[0]]) for of, learners in sorted(found.items())]


def file_name(learner):
    """A name for a learner's page: no two alike, on any file system."""
    short = re.sub(r"[^A-Za-z0-9]+", "-", learner).strip("-")[:40].lower()
    return f"{short}-{hashlib.sha256(learner.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _sign(row):
    got = points_of(row)
    return SIGNS[row["verdict"]] if got is None or not row["given"] else f"{got:g}"


def _function(name, marks):
    """What is said of a function: counts, and each mistake with the answers that make it."""
    answers = [m.answers[name] for m in marks]
    counts = collections.Counter(a["verdict"] for a in answers)
    tried = counts["right"] + counts["wrong"]
    made = collections.defaultdict(list)
    for answer in answers:
        if answer["verdict"] == "wrong":
            for mistake, sentence in answer["mistakes"] or [["", "something that has no name"]]:
                made[mistake].append((sentence, answer))
    mistakes = [
        {
            "count": len(of),
            "sentence": "for example: " * (len({said for said, _ in of}) > 1) + of[0][0],
            "answers": _alike([a for _, a in of]),
        }
        for of in sorted(made.values(), key=len, reverse=True)
    ]
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    return {"name": name, "counts": said, "tried": tried, "mistakes": mistakes}


def _alike(answers):
    """Answers grouped by what they are but for names and order, the largest group first."""
    groups = collections.defaultdict(list)
    for answer in answers:
        groups[answer["shape"]].append(answer)
    found = sorted(groups.values(), key=len, reverse=True)[:DISCUSSED]
    return [(len(group), group[0]["program"]) for group in found]


def _predictions(marks):
    counts = collections.defaultdict(collections.Counter)
    _, questions = catalogue.tables()
    for mark in marks:
        for question, letter in mark.predictions.items():
            if question in questions and letter in questions[question].reactions:
                counts[question][letter] += 1
    return [
        (question, [(a, counts[question][a], asked.is_right(a)) for a in asked.reactions])
        for question, asked in ((name, questions[name]) for name in sorted(counts))
    ]


def _discuss(marks):
    """The answers that stand for the most wrong ones, each for another mistake."""
    groups = collections.defaultdict(list)
    for mark in marks:
        for name, answer in mark.answers.items():
            if answer["verdict"] == "wrong" and answer["mistakes"]:
                groups[name, answer["mistakes"][0][0]].append(answer)
    largest = sorted(groups.items(), key=lambda item: -len(item[1]))[:DISCUSSED]
    items = []
    for (name, _), group in largest:
        shapes = collections.Counter(a["shape"] for a in group)
        items.append((name, len(group), max(group, key=lambda a: shapes[a["shape"]])))
    return items


def _worth(row):
    got = points_of(row)
    return "on paper, not marked yet" if got is None else f"{got:g} of {row['of']} points"


def _asked(mark, names):
    """The exercises of these functions, in words."""
    asked = [(e.number, name) for e in mark.exercises for name in e.functions if name in names]
    return ", ".join(map(" ".join, asked))


_pages.filters["total"] = total
_pages.globals |= {
    "asked": _asked, "function": _function,
    "hint": lambda name: catalogue.tables()[0][name].hints[0],
    "page": lambda learner: f"feedback/{file_name(learner)}.html", "predictions": _predictions,
    "said": SAID, "sign": _sign, "signs": SIGNS, "worth": _worth,
}  # fmt: skip
