"""Write what came out: the table, the instructor's page and a page for each learner."""

import collections
import hashlib
import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from attn_lesson import catalogue
from classroom.gradebooks import COLUMNS, points_of, safe, write_csv
from classroom.marking.copies import groups
from classroom.points import parse
from tools.lessons import write_text

HERE = Path(__file__).parent
SIGNS = {
    "right": "\u2713",
    "partly": "\u00bd",
    "wrong": "\u2717",
    "untouched": "",
    "missing": "\u2013",
}
SIGNS |= {"error": "!", "on paper": "?"}
SAID = {
    "right": "right",
    "wrong": "not yet",
    "untouched": "not begun",
    "missing": "not in your notebook",
    "error": "could not be judged",
}
DISCUSSED = 5
STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere }
pre { background: #f6f6f6; padding: .6rem; overflow-x: auto; white-space: pre-wrap }
pre.said { border-left: 4px solid #888 }
div.map { overflow-x: auto }
table.map { border-collapse: collapse; font-size: 13px; overflow-wrap: normal }
table.map td { border: 1px solid #fff; min-width: 24px; height: 24px; text-align: center }
table.map th { text-align: left; font-weight: normal; padding-right: .6rem }
table.map th[scope=row] { position: sticky; left: 0; background: #fff; min-width: 9rem;
  max-width: 14rem }
table.map thead th[scope=col] { vertical-align: bottom; padding: .3rem 0 }
table.map thead a { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 12rem;
  padding: .3rem .2rem; overflow: hidden; white-space: nowrap }
table.map td.sum { padding: 0 .6rem; white-space: nowrap }
table.plain td, table.plain th { padding: .1rem .8rem .1rem 0; text-align: left }
.both { display: flex; flex-wrap: wrap; gap: 1rem } .both > div { flex: 1 1 20rem; min-width: 0 }
.right { background: #bfe5d8 } .partly { background: #e8e6a8 } .wrong { background: #f6c79c }
.untouched { background: #dddddd } .error { background: #333333; color: #ffffff }
table.map td.missing, table.map td.on { border: 1px solid #dddddd }
h4 span { padding: 0 .4rem }
"""

_pages = Environment(
    loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True
)


def clean(text):
    """Text that nothing can be hidden in: what does not print is written out."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in str(text))


def cell(text):
    """Text for a table that a spreadsheet takes for text, not for a formula."""
    return safe(" ".join(clean(text).split()))


def rows(mark, given):
    """A mark's rows for the table, a dictionary for each exercise.

    Args:
        given: what a teacher entered, by (learner, lesson, exercise).
    """
    found = []
    for exercise in mark.exercises:
        answers = [(name, mark.answers[name]) for name in exercise.functions]
        right = sum(answer["verdict"] == "right" for _, answer in answers)
        points = exercise.points * right / len(answers) if answers else None
        entry = given.get((cell(mark.learner), mark.lesson, exercise.number), "")
        found.append({
            "learner": cell(mark.learner), "id": cell(mark.who.id or ""),
            "email": cell(mark.who.email or ""), "file": cell(mark.file), "lesson": mark.lesson,
            "exercise": exercise.number, "title": cell(exercise.title),
            "verdict": _together([answer["verdict"] for _, answer in answers]),
            "points": "" if points is None else f"{points:g}", "of": f"{exercise.points:g}",
            "given": cell(entry), "mistake": cell(_mistakes(answers)),
        })  # fmt: skip
    return found


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
        if len(answers) > 1 and answer["verdict"] != "right":
            said = f"{name} {answer['verdict']}" + f" ({said})" * bool(said)
        told += [said] * bool(said)
    return "; ".join(told)


def total(rows):
    """Points, and of how many: what nobody has marked is not counted."""
    marked = [row for row in rows if points_of(row) is not None]
    return sum(map(points_of, marked)), sum(parse(row["of"]) for row in marked)


def table(marks, problems, given):
    """The rows of marks.csv: a learner's exercise each, then the files that hold none."""
    found = [row for mark in marks for row in rows(mark, given)]
    empty = dict.fromkeys(COLUMNS, "")
    return found + [
        empty | {"learner": cell(p.learner), "file": cell(p.file), "verdict": "error",
                 "mistake": cell(p.why)}
        for p in problems
    ]  # fmt: skip


def write(folder, title, marks, problems, missing=(), given=None):
    """Write marks.csv, class.html and feedback/ into the folder.

    Args:
        missing: (lesson, names of the learners of the roster who have no file).
        given: what a teacher entered, by (learner, lesson, exercise).
    """
    folder.mkdir(parents=True, exist_ok=True)
    given = given or {}
    lines = table(marks, problems, given)
    write_csv([COLUMNS, *([row[c] for c in COLUMNS] for row in lines)], folder / "marks.csv")
    page = _pages.get_template("class.html").render(
        title=f"Marks of {clean(title)}",
        style=STYLE,
        learners=len({m.learner for m in marks}),
        files=len({m.file for m in marks}.union(p.file for p in problems)),
        parts=[
            _part(n, [m for m in marks if m.lesson == n], given)
            for n in sorted({m.lesson for m in marks})
        ],
        discuss=_discuss(marks),
        published=published(marks),
        copies=[_copy(*group) for group in groups(marks)],
        missing=[(lesson, ", ".join(map(clean, names))) for lesson, names in missing],
        problems=[{"file": clean(p.file), "why": clean(p.why)} for p in problems],
    )
    write_text(page, folder / "class.html")
    of = collections.defaultdict(list)
    for mark in marks:
        of[mark.learner].append(mark)
    wanted = set()
    for learner, own in of.items():
        page = _pages.get_template("feedback.html").render(
            title=clean(learner), style=STYLE, parts=[_own_part(m, given) for m in own]
        )
        wanted.add(write_text(page, folder / "feedback" / f"{file_name(learner)}.html"))
    for old in set((folder / "feedback").glob("*.html")) - wanted:
        old.unlink()


def published(marks):
    """For each function, who has the same code as the published solution."""
    found = collections.defaultdict(list)
    handed_in = collections.Counter(mark.lesson for mark in marks)
    for mark in marks:
        for exercise in mark.exercises:
            for name in exercise.functions:
                if mark.answers[name].get("published"):
                    found[mark.lesson, exercise.number, name].append(mark.learner)
    return [
        {"lesson": lesson, "number": number, "name": name, "count": len(learners),
         "of": handed_in[lesson], "learners": ", ".join(map(clean, learners))}
        for (lesson, number, name), learners in sorted(found.items())
    ]  # fmt: skip


def _copy(marks, names, whole):
    """Marks whose answers are alike, for the teacher to look at."""
    of = marks[0].exercises
    numbers = {name: exercise.number for exercise in of for name in exercise.functions}
    exercises = ", ".join(f"{numbers[name]} {name}" for name in names if name in numbers)
    return {
        "lesson": marks[0].lesson,
        "exercises": "the whole file" if whole else exercises,
        "learners": ", ".join(clean(mark.learner) for mark in marks),
        "all": [
            {
                "learner": clean(mark.learner),
                "file": clean(mark.file),
                "page": f"feedback/{file_name(mark.learner)}.html",
                "program": clean("\n\n".join(mark.answers[name]["program"] for name in names)),
            }
            for mark in marks
        ],
    }


def file_name(learner):
    """A name for a learner's page: no two alike, on any file system."""
    short = re.sub(r"[^A-Za-z0-9]+", "-", learner).strip("-")[:40].lower()
    return f"{short}-{hashlib.sha256(learner.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _part(number, marks, given):
    own = {mark.learner: rows(mark, given) for mark in marks}
    marks = sorted(marks, key=lambda m: (-total(own[m.learner])[0], m.learner))
    asked = marks[0].exercises
    return {
        "number": number,
        "title": f"Lesson {number}",
        "learners": [
            {
                "name": clean(m.learner),
                "page": f"feedback/{file_name(m.learner)}.html#lesson-{number}",
                "total": f"{total(own[m.learner])[0]:g}",
            }
            for m in marks
        ],
        "of": f"{max(total(own[m.learner])[1] for m in marks):g}",
        "map": [
            {
                "number": exercise.number,
                "title": exercise.title,
                "cells": (cells := [_cell(own[m.learner][place]) for m in marks]),
                "right": sum(cell["verdict"] == "right" for cell in cells),
            }
            for place, exercise in enumerate(asked)
        ],
        "exercises": [
            {
                "number": exercise.number,
                "title": exercise.title,
                "functions": [_exercise(name, marks) for name in exercise.functions],
            }
            for exercise in asked
        ],
        "predictions": _predictions(marks),
    }


def _cell(row):
    got = points_of(row)
    sign = SIGNS[row["verdict"]] if got is None or not row["given"] else f"{got:g}"
    return {"verdict": row["verdict"], "sign": sign, "said": f"{row['verdict']}, {_worth(row)}"}


def _exercise(name, marks):
    """What an exercise's section says: counts, and each mistake with the answers that make it."""
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
            "sentence": "for example: " * (len({said for said, _ in of}) > 1) + clean(of[0][0]),
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
    return [
        {
            "program": clean(group[0]["program"]),
            "summary": "one answer"
            if len(group) == 1
            else f"{len(group)} answers, alike but for names and order",
        }
        for group in sorted(groups.values(), key=len, reverse=True)[:DISCUSSED]
    ]


def _predictions(marks):
    counts = collections.defaultdict(collections.Counter)
    _, questions = catalogue.tables()
    for mark in marks:
        for question, letter in mark.predictions.items():
            if question in questions and letter in questions[question].reactions:
                counts[question][letter] += 1
    return [
        {
            "name": question,
            "letters": [
                {
                    "letter": letter,
                    "count": counts[question][letter],
                    "right": questions[question].is_right(letter),
                }
                for letter in questions[question].reactions
            ],
        }
        for question in sorted(counts)
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
        answer = max(group, key=lambda a: shapes[a["shape"]])
        items.append({
            "title": f"{name}, made by {len(group)}",
            "program": clean(answer["program"]),
            "message": clean(answer["message"]),
        })  # fmt: skip
    return items


def _worth(row):
    got = points_of(row)
    return "on paper, not marked yet" if got is None else f"{got:g} of {row['of']} points"


def _own_part(mark, given):
    exercises, _ = catalogue.tables()
    own = rows(mark, given)
    got, of = total(own)
    answers = {
        name: {
            "name": name,
            "verdict": answer["verdict"],
            "sign": SIGNS[answer["verdict"]],
            "said": SAID[answer["verdict"]],
            "message": clean(answer["message"]),
            "hint": exercises[name].hints[0] if answer["verdict"] == "wrong" else "",
            "program": clean(answer.get("program", "")),
        }
        for name, answer in mark.answers.items()
    }
    return {
        "number": mark.lesson,
        "title": f"Lesson {mark.lesson}",
        "file": clean(mark.file),
        "points": f"{got:g} of {of:g}",
        "exercises": [
            {
                "number": exercise.number,
                "title": exercise.title,
                "said": _worth(row),
                "answers": [answers[name] for name in exercise.functions],
            }
            for exercise, row in zip(mark.exercises, own, strict=True)
        ],
    }
