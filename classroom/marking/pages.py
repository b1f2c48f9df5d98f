"""Write what came out: the table, the instructor's page and a page for each learner."""

import collections
import hashlib
import re
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
        said = said or answer["message"] * (answer["verdict"] == "error")
        if len(answers) > 1 and answer["verdict"] != "right":
            said = f"{name} {answer['verdict']}" + f" ({said})" * bool(said)
        told += [said] * bool(said)
    return "; ".join(told)


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
        page=lambda learner: f"feedback/{file_name(learner)}.html",
        title=f"Marks of {title}",
        learners=len({m.learner for m in marks}),
        files=len({m.file for m in marks}.union(p.file for p in problems)),
        parts=[
            _part(n, [m for m in marks if m.lesson == n], given)
            for n in sorted({m.lesson for m in marks})
        ],
        discuss=_discuss(marks),
        published=published(marks),
        copies=[_copy(*group) for group in groups(marks)],
        missing=missing,
        problems=problems,
    )
    write_text(page, folder / "class.html")
    of = collections.defaultdict(list)
    for mark in marks:
        of[mark.learner].append(mark)
    wanted = set()
    for learner, own in of.items():
        page = _pages.get_template("feedback.html").render(
            title=learner, parts=[_own_part(m, given) for m in own]
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
         "of": handed_in[lesson], "learners": learners}
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
        "all": [
            (mark, "\n\n".join(mark.answers[name]["program"] for name in names)) for mark in marks
        ],
    }


def file_name(learner):
    """A name for a learner's page: no two alike, on any file system."""
    short = re.sub(r"[^A-Za-z0-9]+", "-", learner).strip("-")[:40].lower()
    return f"{short}-{hashlib.sha256(learner.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _part(number, marks, given):
    own = {mark.learner: rows(mark, given) for mark in marks}
    totals = {learner: total(lines) for learner, lines in own.items()}
    marks = sorted(marks, key=lambda m: (-totals[m.learner][0], m.learner))
    asked = marks[0].exercises
    return {
        "number": number,
        "totals": [(m.learner, f"{totals[m.learner][0]:g}") for m in marks],
        "of": f"{max(of for _, of in totals.values()):g}",
        "map": [
            (exercise, [_cell(own[m.learner][place]) for m in marks])
            for place, exercise in enumerate(asked)
        ],
        "exercises": [
            (exercise, [_function(name, marks) for name in exercise.functions])
            for exercise in asked
        ],
        "predictions": _predictions(marks),
    }


def _cell(row):
    got = points_of(row)
    sign = SIGNS[row["verdict"]] if got is None or not row["given"] else f"{got:g}"
    return {"verdict": row["verdict"], "sign": sign, "said": f"{row['verdict']}, {_worth(row)}"}


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


def _own_part(mark, given):
    known, _ = catalogue.tables()
    own = rows(mark, given)
    got, of = total(own)
    answers = {
        name: {
            "name": name,
            "sign": SIGNS[answer["verdict"]],
            "said": SAID[answer["verdict"]],
            "hint": known[name].hints[0] if answer["verdict"] == "wrong" else "",
            **answer,
        }
        for name, answer in mark.answers.items()
    }
    return {
        "number": mark.lesson,
        "file": mark.file,
        "points": f"{got:g} of {of:g}",
        "exercises": [
            (exercise, _worth(row), [answers[name] for name in exercise.functions])
            for exercise, row in zip(mark.exercises, own, strict=True)
        ],
    }
