"""Write what came out: the table, the instructor's page and a page for each learner."""

import collections
import hashlib
import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from attn_lesson import catalogue
from classroom.gradebooks import COLUMNS, safe, write_csv
from tools.lessons import write_text

HERE = Path(__file__).parent
SIGNS = {"right": "\u2713", "wrong": "\u2717", "untouched": "", "missing": "\u2013", "error": "!"}
SAID = {
    "right": "right",
    "wrong": "not yet",
    "untouched": "not begun",
    "missing": "not in your notebook",
    "error": "could not be judged",
}
DISCUSSED = 5
STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre { background: #f6f6f6; padding: .6rem; overflow-x: auto; white-space: pre-wrap }
pre.said { border-left: 4px solid #888 }
table.map { border-collapse: collapse; display: block; overflow-x: auto; font-size: 12px }
table.map td { border: 1px solid #fff; min-width: 12px; height: 20px; text-align: center }
table.map th { text-align: left; font-weight: normal; padding-right: .6rem; white-space: nowrap }
table.map td.sum { padding-right: .6rem; white-space: nowrap }
table.plain td, table.plain th { padding: .1rem .8rem .1rem 0; text-align: left }
.right { background: #bfe5d8 } .wrong { background: #f6c79c } .untouched { background: #dddddd }
.error { background: #333333; color: #ffffff } table.map td.missing { border: 1px solid #dddddd }
h3 span { padding: 0 .4rem }
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


def table(marks, problems):
    """The rows of marks.csv: a learner's exercise each, then the files that hold none."""
    rows = [
        [cell(mark.learner), cell(mark.file), mark.lesson, name, answer["verdict"],
         cell("; ".join(sentence for _, sentence in answer["mistakes"]))]
        for mark in marks for name, answer in mark.answers.items()
    ]  # fmt: skip
    rows += [[cell(p.learner), cell(p.file), "", "", "error", cell(p.why)] for p in problems]
    return rows


def write(folder, title, marks, problems):
    """Write marks.csv, class.html and feedback/ into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_csv([COLUMNS, *table(marks, problems)], folder / "marks.csv")
    page = _pages.get_template("class.html").render(
        title=f"Marks of {clean(title)}",
        style=STYLE,
        learners=len({m.learner for m in marks}),
        files=len(marks) + len(problems),
        parts=[
            _part(n, [m for m in marks if m.lesson == n]) for n in sorted({m.lesson for m in marks})
        ],
        discuss=_discuss(marks),
        problems=[{"file": clean(p.file), "why": clean(p.why)} for p in problems],
    )
    write_text(page, folder / "class.html")
    of = collections.defaultdict(list)
    for mark in marks:
        of[mark.learner].append(mark)
    wanted = set()
    for learner, own in of.items():
        page = _pages.get_template("feedback.html").render(
            title=clean(learner), style=STYLE, parts=[_own_part(m) for m in own]
        )
        wanted.add(write_text(page, folder / "feedback" / f"{file_name(learner)}.html"))
    for old in set((folder / "feedback").glob("*.html")) - wanted:
        old.unlink()


def file_name(learner):
    """A name for a learner's page: no two alike, on any file system."""
    short = re.sub(r"[^A-Za-z0-9]+", "-", learner).strip("-")[:40].lower()
    return f"{short}-{hashlib.sha256(learner.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _part(number, marks):
    marks = sorted(marks, key=lambda m: -sum(a["verdict"] == "right" for a in m.answers.values()))
    names = list(marks[0].answers)
    exercises = [_exercise(name, marks) for name in names]
    rows = [
        {
            "name": name,
            "right": sum(m.answers[name]["verdict"] == "right" for m in marks),
            "cells": [
                {
                    "learner": clean(m.learner),
                    "verdict": m.answers[name]["verdict"],
                    "sign": SIGNS[m.answers[name]["verdict"]],
                }
                for m in marks
            ],
        }
        for name in names
    ]
    return {
        "number": number,
        "title": f"Lesson {number}",
        "map": rows,
        "exercises": exercises,
        "predictions": _predictions(marks),
    }


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
    """Answers grouped by what they are but for names and comments, the largest group first."""
    groups = collections.defaultdict(list)
    for answer in answers:
        groups[answer["shape"]].append(answer)
    return [
        {
            "program": clean(group[0]["program"]),
            "summary": "one answer"
            if len(group) == 1
            else f"{len(group)} answers, alike but for names",
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


def _own_part(mark):
    exercises, _ = catalogue.tables()
    answers = [
        {
            "name": name,
            "verdict": answer["verdict"],
            "sign": SIGNS[answer["verdict"]],
            "said": SAID[answer["verdict"]],
            "message": clean(answer["message"]),
            "hint": exercises[name].hints[0] if answer["verdict"] == "wrong" else "",
            "program": clean(answer.get("program", "")),
        }
        for name, answer in mark.answers.items()
    ]
    return {
        "title": f"Lesson {mark.lesson}",
        "file": clean(mark.file),
        "right": sum(a["verdict"] == "right" for a in answers),
        "answers": answers,
    }
