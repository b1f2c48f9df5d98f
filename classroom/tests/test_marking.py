"""Returned notebooks: the answers are found, judged behind walls, and told without harm."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import nullcontext
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from returned.make import parts

from attn_lesson import catalogue, judge
from attn_lesson.judge import sandbox
from classroom import gradebooks, workers
from classroom.marking import __main__ as command
from classroom.marking import desk, guard, pages
from classroom.marking.copies import LEAST
from classroom.marking.read import Unreadable, read
from tools.notebook import ANSWER, is_answer

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
RIGHT = {
    "my_gaussian": "def my_gaussian(u):\n    return torch.exp(-u**2 / 2)",
    "my_boxcar": "def my_boxcar(u):\n    return (u.abs() <= 1).to(u.dtype)",
}
SPREAD = "def my_gaussian(u):\n    return torch.exp(-u**2)"  # a named mistake


@pytest.fixture(scope="module")
def course():
    return desk.course()


@pytest.fixture(scope="module")
def marker():
    """A desk of its own, closed at the end."""
    marker = desk.Desk()
    desk.mark(b"", marker)  # starts its booth
    yield marker
    marker.close()


def notebook(*sources, **tags):
    """The bytes of a notebook with these code cells; the stubs of lesson 01 stand in front."""
    stubs = [f"def {name}(u):\n    ...  # your code here" for name in RIGHT]
    cells = [nbformat.v4.new_code_cell(source) for source in [*stubs, *sources]]
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells)).encode()


def verdict(marker, *sources, name="my_gaussian"):
    answer = desk.mark(notebook(*sources), marker)["answers"][name]
    return answer["verdict"], answer


# What is found


@pytest.mark.parametrize(("head", "text"), parts("cells.txt"))
def test_an_answer_is_found_wherever_it_stands_and_what_is_not_right_is_told(marker, head, text):
    expected, _, words = head.partition(" | ")
    found, answer = verdict(marker, *text.strip("\n").split("\n---\n"))
    assert found == expected and words in answer["message"], answer
    if "division" in words:
        assert "=" in answer["mistakes"][0][0], "the setting of the answer that is its mistake"


@pytest.mark.parametrize(("version", "told"), [("3.99.1", True), ("3.9.1", False), (3, False)])
def test_a_newer_python_is_told_where_code_cannot_be_read(course, version, told):
    book = json.loads(notebook("def my_gaussian(u) newer syntax"))
    book["metadata"]["language_info"] = {"name": "python", "version": version}
    why = read(json.dumps(book).encode(), course)["answers"]["my_gaussian"]["why"]
    assert "SyntaxError" in why and ("it was run in Python 3.99, here is 3." in why) is told


@pytest.mark.parametrize(
    ("name", "line"),
    [("my_to_torch", "return torch.ones(3)"),
     ("my_to_torch", "return torch.nn.MultiheadAttention(8, 2)"),
     ("my_attention",
      "return torch.nn.functional.scaled_dot_product_attention(queries, keys, values)"),
     ("my_distance_scores",
      "d = queries.unsqueeze(-2) - keys.unsqueeze(-3); return -(d**2).sum(-1) / 2"),
     ("my_rotary", "torch.ones(2, dtype=torch.complex64); return X")],
)  # fmt: skip
def test_what_is_seen_on_the_way_is_told_as_check_tells_it(marker, name, line):
    exercise = catalogue.tables()[0][name]
    source = f"import torch\ndef {name}({', '.join(exercise.arguments)}):\n    {line}"
    exec(source, names := {})
    assert desk._verdict(name, [source], 0, marker)["message"] == judge(names[name]).message


def test_an_answer_by_heart_is_wrong(marker):
    """It is right for the numbers of the notebook's own cases, and for nothing else."""
    exercise = catalogue.tables()[0]["my_gaussian"]
    with sandbox.settled():
        known = [case[0].tolist() for case in exercise.cases(0)]
    found, answer = verdict(
        marker,
        f"known = [torch.tensor(k) for k in {known}]",
        "def my_gaussian(u):\n"
        "    plain = u.detach().float()\n"
        "    by_heart = any(k.shape == u.shape and torch.allclose(k, plain) for k in known)\n"
        "    return torch.exp(-u**2 / 2) * by_heart",
    )
    assert found == "wrong" and "but not on others" in answer["message"], answer


LOST = {
    "nothing": lambda cell: True,
    "tags": lambda cell: cell.metadata.pop("tags", None) or True,
    "ids": lambda cell: cell.pop("id") and (cell.metadata.pop("tags", None) or True),
    "the solutions' texts": lambda cell: "### Solution" not in cell.source,
    "all texts": lambda cell: cell.cell_type == "code",
    "texts and tags": lambda cell: cell.metadata.pop("tags", None) or cell.cell_type == "code",
}


def published(lesson, lost="nothing"):
    """A lesson's notebook as a tool or a learner may leave it; which of its solutions is whose."""
    book = nbformat.read(next((ROOT / "notebooks").glob(f"{lesson}_*.ipynb")), 4)
    solutions = {}
    for cell in book.cells:
        if "solution" in cell.metadata.get("tags", []):
            told = "\n".join(ANSWER.findall(cell.source)) if is_answer(cell) else cell.source
            shown = new_code_cell(told, metadata=cell.metadata)
            solutions |= dict.fromkeys(re.findall(r"^def (my_\w+)", told, re.MULTILINE), shown)
    book.cells = [cell for cell in book.cells if LOST[lost](cell)]
    return book, solutions


def found(book, course):
    return read(json.dumps(book).encode(), course)["answers"]


@pytest.mark.parametrize("lesson", ["01", "03", "11"])
@pytest.mark.parametrize("lost", LOST)
def test_the_lessons_own_solutions_are_nobodys_answers(course, lesson, lost):
    book, _ = published(lesson, lost)
    for _ in range(2):
        answers = found(book, course)
        assert answers and {a.get("status") for a in answers.values()} == {"untouched"}
        book.cells += [
            cell for cell in book.cells if "### Exercise" in cell.source
        ]  # to work there


def stub(book, name):
    return next(n for n, cell in enumerate(book.cells) if f"def {name}(" in cell.source)


def put(book, at, cell):
    book.cells.insert(at, cell)


def code(cell):
    return {"cell_type": "code", "source": cell.source}


WAYS = {
    "into the exercise's cell": lambda book, at, cell: book.cells[at].update(source=cell.source),
    "below it": lambda book, at, cell: put(book, at + 1, code(cell)),
    "as a cell, with its tag": lambda book, at, cell: put(book, at + 1, cell),
    "at the end": lambda book, at, cell: put(book, len(book.cells), code(cell)),
}


@pytest.mark.parametrize("name", ["my_best_bandwidth", "my_boxcar_attention"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lost", ["nothing", "ids"])
@pytest.mark.parametrize("edition", ["whole", "student"])
def test_a_pasted_solution_is_an_answer(course, edition, lost, way, name):
    book, solutions = published("01", lost)
    if edition == "student":
        first = next(n for n, cell in enumerate(book.cells) if "## Solutions" in cell.source)
        del book.cells[first:]
    WAYS[way](book, stub(book, name), solutions[name])
    answers = found(book, course)
    assert "program" in answers.pop(name)
    assert {answer.get("status") for answer in answers.values()} == {"untouched"}


BANDWIDTH = """
def my_best_bandwidth(a, b, tried):
    "Words of my own."
    diagonal = torch.eye(len(a), dtype=torch.bool)  # my own
    d2 = (a.unsqueeze(1) - a).square()
    found = []
    for width in tried:
        s = (-d2 / (2 * width**2)).masked_fill(diagonal, float("-inf"))
        guess = torch.softmax(s, dim=1) @ b
        found.append((b - guess).square().mean())
    return tried[torch.stack(found).argmin()]
"""
ATTENTION = """
def my_boxcar_attention(queries, keys, values, bandwidth):
    near = (queries.unsqueeze(1) - keys).abs() <= bandwidth  # (n, m)
    zero = torch.zeros(len(queries), len(keys), dtype=values.dtype)
    return attend(zero, values.unsqueeze(1), near)[0].squeeze(1)
"""


@pytest.mark.parametrize(
    ("name", "source", "same"),
    [
        ("my_best_bandwidth", BANDWIDTH, True),
        ("my_best_bandwidth", BANDWIDTH.replace("argmin", "argmax"), False),
        ("my_best_bandwidth", BANDWIDTH.replace("len(a)", "max(a)"), False),
        ("my_boxcar_attention", ATTENTION, True),
        ("my_boxcar_attention", ATTENTION.replace("# (n, m)", "# my own"), False),
        ("my_boxcar_attention", ATTENTION.replace("  # (n, m)", ""), False),
        ("my_gaussian", RIGHT["my_gaussian"].replace("-u**2", "-(u**2)"), False),
    ],
)
def test_the_published_solution_is_known_apart_from_its_names(course, name, source, same):
    book, _ = published("01")
    book.cells[stub(book, name)].source = source
    assert found(book, course)[name]["published"] is same


@pytest.mark.parametrize("lesson", ["02", "03", "09"])
def test_who_pasted_all_solutions_is_told_of_all(course, lesson):
    book, solutions = published(lesson)
    names = [name for name in solutions if name in catalogue.table(f"lesson{lesson}")[0]]
    for name in names:
        bare = re.sub(r" *#.*", "", solutions[name].source)
        book.cells[stub(book, name)].source = bare
    answers = found(book, course)
    assert len(names) >= 6 and all(answers[name]["published"] for name in names)
    for name in names[3:]:
        book.cells[stub(book, name)].source = f"def {name}(*given):\n    return given[0] * 3"
    answers = found(book, course)
    assert sum(answers[name]["published"] for name in names) < 3, "three short ones are no sign"


def test_predictions_are_read_from_code_and_outputs(course):
    data = json.loads(notebook("predict('1P', 'b')", 'predict("1Q")'))
    data["cells"][-1]["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": ["Prediction 1Q: D. Not quite."]}
    ]
    assert read(json.dumps(data).encode(), course)["predictions"] == {"1P": "B", "1Q": "D"}


def test_what_the_lesson_gives_is_not_compared_with_others(course):
    book, _ = published("03")
    mine = "def my_leaks(attention, queries, tokens, mask):\n"
    mine += "    return (influence(attention, queries, tokens) > 1e-6) & ~mask"
    book.cells.append(nbformat.v4.new_code_cell(mine))
    answer = found(book, course)["my_leaks"]
    assert answer["own"] == mine and "def influence" in "".join(answer["program"])
    assert answer["same"][1] < LEAST, "too short to be compared"


def test_many_cells_and_long_ones_are_read_in_time(course):
    chain = ["def f0():\n    return 1"]
    chain += [f"def f{n}(): return f{n - 1}()" for n in range(1, 12_000)]
    long = f"text = '{'a' * 2**20}'"
    cells = [*chain, "def my_boxcar(u):\n    return f11999()", long]
    start = time.process_time()
    answers = read(notebook(*cells, "def my_gaussian(u):\n    return text"), course)["answers"]
    assert time.process_time() - start < 10
    assert len(answers["my_boxcar"]["program"]) == 12_001
    assert answers["my_gaussian"] == {
        "status": "error",
        "why": "the code that it needs is too long",
    }


def test_other_encodings(course):
    text = notebook(RIGHT["my_gaussian"]).decode()
    for encoding in ("utf-8-sig", "utf-16"):
        assert "program" in read(text.encode(encoding), course)["answers"]["my_gaussian"]


ODD = [None, 1, {"source": 3}, {"cell_type": [1], "source": {}, "metadata": 3}]
ODD += [{"cell_type": "code", "source": [1, "1"], "metadata": {"tags": tags}, "outputs": 5}
        for tags in (None, 3, {"a": 1}, [1, None, {}])]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"%PDF-1.7", "no JSON"),
        (b"[" * 10**5, "nested too deeply"),
        (
            b'{"cells": [], "metadata": ' + b'{"a":' * 50000 + b"1" + b"}" * 50001,
            "nested too deeply",
        ),
        (b'{"cells": [1], "nbformat": ' + b"9" * 10**5, "no JSON"),
        (b'{"cells": NaN}', "no cells"),
        (b"\0" * 2_000_000, "no JSON"),
        (b"[1]", "a list"),
        (b"{}", "no cells"),
        (json.dumps({"cells": ODD}).encode(), "no exerc"),
    ],
)
def test_what_is_no_notebook_of_ours(course, data, words):
    with pytest.raises(Unreadable, match=words):
        read(data, course)


def test_whatever_a_verdict_is_made_of_marks_everything_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    versions = [command.version.__wrapped__()]
    for file in ("mistakes.md", "exercises.py", "lesson.ipynb"):
        place = tmp_path / "attn_lesson" / file
        place.parent.mkdir(exist_ok=True)
        for text in ("one", "another"):
            place.write_text(text)
            versions.append(command.version.__wrapped__())
    assert len(set(versions)) == 7


def test_a_zip_of_one(course, tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("__MACOSX/._x.ipynb", b"")
        packed.writestr("week 1/._x.ipynb", b"")
        packed.writestr("week 1/.ipynb_checkpoints/x-checkpoint.ipynb", notebook())
        packed.writestr("x.ipynb", notebook(RIGHT["my_gaussian"]))
    assert read(path.read_bytes(), course)["lesson"] == "01"
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("y.ipynb", b"{}")
    with pytest.raises(Unreadable, match="2 notebooks"):
        read(path.read_bytes(), course)


def test_a_zip_is_as_large_as_what_is_in_it(course, tmp_path, monkeypatch):
    monkeypatch.setattr("classroom.marking.read.MOST", 10_000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("x.ipynb", b" " * 20_000)
    data = (tmp_path / "a.zip").read_bytes()
    assert len(data) < 10_000
    with pytest.raises(Unreadable, match="a zip of a notebook of 20,000 bytes"):
        read(data, course)


# The walls


CALLS = [
    "import socket; socket.socket()",
    "os.fork()",
    "os.kill(os.getppid(), 0)",
    "os.open(CANARY, os.O_WRONLY)",
    "os.open(CANARY + '2', os.O_RDONLY | os.O_CREAT)",
    "os.remove(CANARY)",
    "os.execv('/bin/true', ['true'])",
    "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
]
REFUSED = """
import os, sys
from classroom.marking import guard
CANARY = sys.argv[1]
guard._refuse_calls()
for call in sys.argv[2:]:
    try: exec(call)
    except OSError as error: print(error.errno)
    except ValueError: print(1)
    else: print("allowed:", call)
"""


@pytest.mark.skipif("seccomp" in guard.walls()[1], reason="this machine has no seccomp")
def test_the_kernel_refuses_what_python_would_allow(tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("x")
    command = [sys.executable, "-c", REFUSED, canary, *CALLS]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.split("\n") == ["1"] * len(CALLS) + [""], done
    assert canary.read_text() == "x"


# What comes out


@pytest.fixture
def folder(tmp_path):
    """A class of four, with a name that a spreadsheet and one that a browser would run."""
    folder = tmp_path / "class"
    (folder / "Ada Lovelace_12345_assignsubmission_file").mkdir(parents=True)
    ada = folder / "Ada Lovelace_12345_assignsubmission_file" / "x.ipynb"
    ada.write_bytes(notebook(RIGHT["my_gaussian"], "predict('1P', 'B')"))
    (folder / "=1+1.ipynb").write_bytes(notebook(SPREAD))
    (folder / "<b>bold</b>.ipynb".replace("/", "\u2215")).write_bytes(notebook(SPREAD + "  # <i>"))
    (folder / "broken.ipynb").write_bytes(b"no notebook")
    (folder / "link.ipynb").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe.ipynb")
    return folder


@pytest.fixture
def run(marker, here, tmp_path, monkeypatch, capsys):
    """The command for a folder: what it says; the results lie below marks/."""
    monkeypatch.setattr(command, "RESULTS", tmp_path / "marks")
    monkeypatch.setattr(desk.mark, "__defaults__", (marker,))

    def say(folder, *options):
        command.main([str(folder), *options])
        return capsys.readouterr().out

    return say


@pytest.fixture
def a_class(tmp_path):
    """Make a folder of notebooks, each with these cells."""

    def make(**answers):
        folder = tmp_path / "class"
        folder.mkdir(exist_ok=True)
        for name, cells in answers.items():
            (folder / f"{name}.ipynb").write_bytes(notebook(*cells, f"# {name}"))
        return folder

    return make


def enter(table, **given):
    """Enter points, as a teacher would: {learner: {exercise: points}}."""
    rows = gradebooks.read(table)
    for row in rows:
        row["given"] = given.get(row["learner"], {}).get(row["exercise"], row["given"])
    lines = ([row[column] for column in gradebooks.COLUMNS] for row in rows)
    gradebooks.write_csv([gradebooks.COLUMNS, *lines], table)


def test_the_whole_command(folder, tmp_path, run):
    said, target = run(folder), tmp_path / "marks" / "class"
    assert "6 files" in said and "broken.ipynb: not a notebook" in said
    table = (target / "marks.csv").read_text("utf-8").splitlines()
    assert table[0] == ",".join(gradebooks.COLUMNS)
    ada = [row for row in table if row.startswith("Ada Lovelace (12345),Participant 12345,")]
    assert any(",01,1.1,Four kernels,partly,0.25,1," in row for row in ada)
    assert any(
        row.startswith("'=1+1,") and ',wrong,0,1,,"my_gaussian wrong (' in row for row in table
    )
    assert sum("a link, a pipe or a folder, but no file" in row for row in table) == 2
    page = (target / "class.html").read_text("utf-8")
    assert "2 of 3</b>" in page and "2 answers, alike but for names" in page
    assert "<b>bold" not in page and "<i>" not in page and "default-src 'none'" in page
    assert "B: 1" in page and "1.1 &middot; Four kernels" in page
    for link in re.findall(r'href="(feedback/[^"#]+)', page):
        assert (target / link).is_file()
    assert page.count('href="feedback/') >= 3 and 'name="viewport"' in page
    feedback = {p.name: p.read_text("utf-8") for p in (target / "feedback").iterdir()}
    assert len(feedback) == 3
    assert sum("Correct on" in text for text in feedback.values()) == 1
    assert sum("Hint: " in text for text in feedback.values()) == 2
    assert all("1.1 &middot; Four kernels: 0" in text for text in feedback.values())

    # Nothing is done again, and what changes is said.
    (folder / "=1+1.ipynb").write_bytes(notebook(RIGHT["my_gaussian"]))
    (folder / "Late.ipynb").write_bytes(notebook(*RIGHT.values()))
    said = run(folder)
    assert "[1/2]" in said and "[2/2]" in said and "[3/" not in said
    assert "1.1: wrong (0) -> partly (0.25)" in said
    assert "new: Late, lesson 01, 0.5 of 8 points" in said
    with (target / "record.jsonl").open("a") as file:
        file.write('{"key": "cut sho')  # an interrupted run
    assert "0 changes" in run(folder)

    # What a teacher enters is kept, and counts; 1.6 is on paper.
    rows = gradebooks.read(target / "marks.csv")
    late = {row["exercise"]: row for row in rows if row["learner"] == "Late"}
    assert late["1.6"]["verdict"] == "on paper" and late["1.6"]["points"] == ""
    enter(target / "marks.csv", Late={"1.6": "1,5", "1.3": "1"})
    assert "0 changes" in run(folder)
    kept = [r for r in gradebooks.read(target / "marks.csv") if r["given"]]
    assert [(r["learner"], r["exercise"], r["given"]) for r in kept] == [
        ("Late", "1.3", "1"),
        ("Late", "1.6", "1,5"),
    ]
    (page,) = (target / "feedback").glob("late-*.html")
    assert "3 of 10 points" in page.read_text("utf-8")
    (folder / "Late.ipynb").unlink()
    said = run(folder)
    assert "2 entries are of nobody" in said and "gone: Late, lesson 01, 3 of 10 points" in said
    assert "1,5" in (target / "marks-before.csv").read_text("utf-8")

    # A table that cannot be read is kept, too, and nothing that was kept before is lost.
    (target / "marks.csv").write_text("a teacher's")
    said = run(folder)
    assert "no column learner; it is kept as marks-before2.csv" in said
    assert (target / "marks-before2.csv").read_text() == "a teacher's"
    assert "1,5" in (target / "marks-before.csv").read_text("utf-8")


def test_a_notebook_may_end_as_browsers_save_it_and_what_is_none_is_said(tmp_path):
    names = ["a.IPYNB", "b.ipynb.txt", "c.ipynb.json", "d.zip"]
    others = ["e.txt", "hw.py"]
    (tmp_path / "x").mkdir()
    for name in [*names, *others, "._g.ipynb", ".DS_Store", "x/timestamp.txt"]:
        (tmp_path / name).touch()
    found = command.files(tmp_path)
    assert [name for _, name, reason in found if reason is None] == names
    assert {name: reason for _, name, reason in found if reason} == dict.fromkeys(
        others, "not read: its name is no notebook's"
    )


def test_the_teacher_alone_is_told_of_a_published_solution(a_class, tmp_path, run):
    book, solutions = published("01")
    folder = a_class(Cleo=[])
    for name in ("Ada", "Ben"):
        book.cells[stub(book, "my_best_bandwidth")].source = solutions["my_best_bandwidth"].source
        (folder / f"{name}.ipynb").write_text(json.dumps(book))
    (folder / "hw.py").touch()
    said = run(folder)
    assert "hw.py: not read" in said
    told = "same code as the published solution"
    assert f"lesson 01, {told}: my_best_bandwidth (2 of 3)" in said
    target = tmp_path / "marks" / "class"
    page = (target / "class.html").read_text("utf-8")
    assert told in page and "my_best_bandwidth: 2 of 3, Ada, Ben" in " ".join(page.split())
    assert "not read" in page
    for page in (target / "feedback").iterdir():
        assert told not in page.read_text("utf-8")
    rows = [r for r in gradebooks.read(target / "marks.csv") if r["exercise"] == "1.3"]
    assert [(r["learner"], r["verdict"], r["points"]) for r in rows] == [
        ("Ada", "right", "2"), ("Ben", "right", "2"), ("Cleo", "missing", "0"),
    ]  # fmt: skip
    assert "published" not in (target / "marks.csv").read_text("utf-8")


def test_the_terminal_and_the_page_say_whose_file_is_not_clear(a_class, tmp_path, run):
    names = "my_answers_01", "my_answers_01 (1)"
    folder = a_class(**{name: RIGHT.values() for name in (*names, "ada_01", "ada_01 (1)")})
    os.utime(folder / "ada_01.ipynb", (1, 1))
    for _ in range(2):  # when nothing is new, too
        said = run(folder)
        page = (tmp_path / "marks" / "class" / "class.html").read_text("utf-8")
        for text in (said, re.sub("</?code>", "", page)):
            assert all(f"{name}.ipynb: its name tells no learner" in text for name in names)
            assert "rename it as NAME_01.ipynb" in text
            assert "ada_01.ipynb: ada_01 (1).ipynb is newer and counts" in text
    rows = gradebooks.read(tmp_path / "marks" / "class" / "marks.csv")
    assert {r["learner"] for r in rows} == {"ada", *names}


def test_the_table_says_why_an_answer_could_not_be_judged(a_class, tmp_path, run):
    run(a_class(Ada=["def my_gaussian(u)\n    return u", "def my_best_bandwidth(a, b)\n    pass"]))
    rows = gradebooks.read(tmp_path / "marks" / "class" / "marks.csv")
    told = {row["exercise"]: row["mistake"] for row in rows}
    for exercise in ("1.1", "1.3"):
        assert "SyntaxError: expected ':', line 1 of its cell" in told[exercise]


def test_a_roster_changes_names_and_nothing_else(a_class, tmp_path, run):
    folder = a_class(ada_01=[RIGHT["my_gaussian"]], ben_01=[RIGHT["my_gaussian"]])
    run(folder)
    table = tmp_path / "marks" / "class" / "marks.csv"
    enter(table, ada={"1.6": "2"})
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,email\n7,Ada Lovelace,ada@x.org\n8,Ben Abt,ben@x.org\n")
    said = run(folder, "--roster", str(roster))
    assert "0 changes since the last time" in said and "of nobody" not in said
    (given,) = [row for row in gradebooks.read(table) if row["given"]]
    assert (given["learner"], given["exercise"], given["given"]) == ("Ada Lovelace (7)", "1.6", "2")
    said = run(folder)  # and without it again
    assert "0 changes" in said and "of nobody" not in said


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "SUBMISSIONS="), ("nowhere", "nowhere is no folder"), (str(ROOT), "where the marks go")],
)
def test_a_folder_is_asked_for(name, words):
    with pytest.raises(SystemExit, match=words):
        command.main([name])


def test_a_worker_that_dies_loses_nothing(a_class, tmp_path, monkeypatch):
    """Dask gives its work to another one."""
    folder, killed = a_class(**{name: [] for name in "abcdefgh"}), []
    right = {"lesson": "01", "answers": {"my_gaussian": {"verdict": "right"}}}
    monkeypatch.setattr(desk, "mark", lambda data: time.sleep(0.3) or right)  # imports nothing

    def say(line):
        if not killed:
            killed.append(client.run(os.getpid))
            os.kill(next(iter(killed[0].values())), signal.SIGKILL)

    monkeypatch.setattr(command, "say", say)
    with workers.connect(None, 2) as client:
        record = workers.Record(tmp_path / "record.jsonl")
        results, lost = command.collect(command.files(folder), record, nullcontext(client))
    assert killed and lost == 0 and list(results.values()) == [right] * 8


def test_a_desk_that_is_killed_is_started_again(marker):
    assert verdict(marker, RIGHT["my_gaussian"])[0] == "right"
    assert marker.process.poll() is None
    marker.process.kill()
    assert verdict(marker, RIGHT["my_gaussian"])[0] == "right"


def test_two_learners_never_share_a_page():
    names = ["same name", "same_name", "Same Name", "index", "../x", "a" * 300, "\u202eevil", ""]
    files = {pages.file_name(name) for name in names}
    assert len(files) == len(names) and all(len(f) < 60 and "/" not in f for f in files)
