"""Every check of the lessons lets a good lesson pass, and finds what it is made to find."""

import base64
import copy
import os
import re
import subprocess
import sys

import lesson_checks as checks
import nbformat
import pictures
import pytest
import torch
from nbformat import v4
from test_pictures import WEIGHTS, heatmap

from attn_teach import head_view
from tools.lessons import ROOT
from tools.notebook import NOT_SHOWN, tags

ALT = "Weights, 6 queries by 8 keys; the largest is 0.93."
ERROR = v4.new_output("error", ename="E", evalue="e")
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"


def picture(png=None, **data):
    png = png or heatmap()
    beside = f'<img src="data:image/png;base64,{png}" alt="{ALT}">'
    data = {"text/html": beside, "image/png": png, "text/plain": ALT, **data}
    return v4.new_output("display_data", data, metadata={"image/png": {"alt": ALT}})


def text(what, name="stdout"):
    return v4.new_output("stream", name=name, text=what)


def code(source, *its, outputs=()):
    hidden = set(its) & NOT_SHOWN
    metadata = {"tags": list(its), **({"slideshow": {"slide_type": "skip"}} if hidden else {})}
    return v4.new_code_cell(source, metadata=metadata, outputs=list(outputs))


def section(source, kind="slide", **metadata):
    metadata["slideshow"] = {"slide_type": kind}
    return v4.new_markdown_cell(source, metadata=metadata)


def diagram(svg, name="a.svg"):
    """Return the Markdown of an embedded diagram."""
    data = base64.b64encode(svg).decode()
    return f'![{ALT}](data:image/svg+xml;base64,{data} "{name}")'


def make_good():
    """Return a lesson that no check complains about."""
    attached = {"a.png": {"image/png": heatmap()}}
    cells = [
        section(
            "# A lesson\n\n[the end](#Solutions), `[code](missing)`, $P[i](x)$\n\n"
            "Plan about 5 minutes for the lesson and 7 for the exercises.",
            instructor={"minutes": 5, "notes": "Ask what they know already."},
        ),
        v4.new_markdown_cell(f"![{ALT}](attachment:a.png)", attachments=attached),
        v4.new_markdown_cell(diagram(SVG)),
        code("seed = 0  # start of the random numbers", "parameters"),
        code(
            "import torch\ncheck_parameters(globals(), seed=(0, 9))",
            outputs=[text("0.25 in lessons/02\n")],
        ),
        code("show()", outputs=[picture()]),
        *[code(f"x = {number}") for number in range(14)],
        code("print()", "headline", outputs=[text("error: 0.5\nloss: 2 bits\nkeys: 3\n")]),
        code("predict('1.1')", "predict"),
        section("**D.** It is so, because.", "subslide", tags=["reveal"]),
        section("## Exercises", instructor={"notes": "Let them work in pairs."}),
        v4.new_markdown_cell("### Exercise 1 · Two (easy, 7 minutes)"),
        code("...", "exercise"),
        code("...", "exercise"),
        section("## Solutions", "skip", tags=["solution"]),
        code("x = 1", "solution"),
        code("x = 2", "solution"),
        v4.new_markdown_cell("Next: [another](other.ipynb)"),
    ]
    notebook = v4.new_notebook(cells=cells)
    for number, (_, cell) in enumerate(checks.code(notebook), start=1):
        cell.execution_count = number
    return notebook


@pytest.fixture(scope="module")
def good():
    return make_good()


@pytest.fixture
def lesson(good):
    return copy.deepcopy(good)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with what the good lesson links to, in the place of notebooks/ and img/."""
    (tmp_path / "other.ipynb").write_text("{}")
    (tmp_path / "a.svg").write_bytes(SVG)
    for check in (checks.links, checks.diagrams):
        monkeypatch.setattr(check, "__defaults__", (tmp_path,))
    return tmp_path


def with_code(source, *tags, **kwargs):
    """Return a change: one more code cell before the exercises."""

    def change(nb):
        nb.cells.insert(10, code(source, *tags, **kwargs))

    return change


def with_output(output):
    return with_code("show()", outputs=[output])


def with_text(source, **kwargs):
    return lambda nb: nb.cells.insert(1, v4.new_markdown_cell(source, **kwargs))


def without(tag):
    def change(nb):
        nb.cells = [cell for cell in nb.cells if tag not in tags(cell)]

    return change


def solution_first(nb):
    nb.cells.insert(3, code("x = 1", "solution"))


def code_after_solutions(nb):
    nb.cells.insert(-1, code("x = 1"))


def all_long(nb):
    for _, cell in checks.code(nb):
        cell.source = "x = 1\n" * 9


def exercises_cell(nb):
    return next(cell for cell in nb.cells if cell.source == "## Exercises")


def untold(nb):
    del exercises_cell(nb).metadata["instructor"]


def timed_exercises(nb):
    exercises_cell(nb).metadata["instructor"]["minutes"] = 0


def unsolved(nb):
    nb.cells = [cell for cell in nb.cells if cell.source not in ("x = 1", "x = 2")]


def misplanned(nb):
    nb.cells[0].source = nb.cells[0].source.replace("5 minutes", "6 minutes")


def told_between(nb):
    nb.cells[1].metadata["instructor"] = {"notes": "Say nothing here at all."}


def given_away(nb):
    del answer_cell(nb).metadata["slideshow"]


def answer_cell(nb):
    return next(cell for cell in nb.cells if "reveal" in tags(cell))


def answered(source):
    def change(nb):
        answer_cell(nb).source = source

    return change


def answered_twice(nb):
    nb.cells.insert(nb.cells.index(answer_cell(nb)) + 1, copy.deepcopy(answer_cell(nb)))


def asked_twice(nb):
    question = next(cell for cell in nb.cells if "predict" in tags(cell))
    nb.cells.insert(nb.cells.index(question), copy.deepcopy(question))


DRAWING = "curve = [1, 2]\nfig = plot(curve)\nfig.alt = 'a curve'\nfig"


def drawn(*tags, source=DRAWING, folded=None, later="", shown=None):
    """Return a change: a cell that draws, and the cells that follow it."""

    def change(nb):
        nb.cells.insert(10, code(source, *tags, outputs=shown or [picture()]))
        if "draw" in tags if folded is None else folded:
            nb.cells[10].metadata["jupyter"] = {"source_hidden": True}
        nb.cells[11:11] = map(code, filter(None, later.split("\n\n")))

    return change


def shown(tag):
    def change(nb):
        cell = next(cell for cell in nb.cells if tag in tags(cell))
        cell.metadata["slideshow"] = {"slide_type": "subslide"}

    return change


def parameter(source):
    def change(nb):
        nb.cells[3].source = source

    return change


def headlines(printed):
    def change(nb):
        cell = next(cell for cell in nb.cells if "headline" in tags(cell))
        cell.outputs = [text(printed)]

    return change


def drawn_for_another_drawing(nb):
    drawn("draw", source=f"curve[0]\n{DRAWING}")(nb)
    drawn()(nb)


def counted_twice(nb):
    nb.cells[4].execution_count = 2
    nb.cells[5].execution_count = 2


def untitled(nb):
    nb.cells[0].source = "## A lesson"


def unlabelled(nb):
    nb.cells[5].outputs[0].metadata = {}


def another_beside(nb):
    nb.cells[5].outputs[0].data["text/html"] = picture(heatmap(WEIGHTS[::-1])).data["text/html"]


def drawn_as_svg(nb):
    nb.cells[5].outputs[0].data["image/svg+xml"] = "<svg/>"


FAULTS = [
    (checks.title, untitled, "not a title"),
    (checks.parameters, without("parameters"), "0 cells are tagged"),
    (checks.parameters, with_code("x = 1", "parameters"), "2 cells are tagged"),
    (checks.parameters, parameter("seed = 0  # start\na, b = 1, 2"), "is not written as"),
    (
        checks.parameters,
        parameter("a = 0  # one\nseed = 1  # two"),
        "checks ['seed'], but there are",
    ),
    (checks.headline, without("headline"), "0 cells are tagged"),
    (checks.headline, headlines("a: 1\nb: 2\n"), "2 headline figures"),
    (checks.headline, headlines("a: 1\nb: 2\nc 3\n"), "'c 3' is not"),
    (checks.instructor, untold, "has no notes"),
    (checks.instructor, timed_exercises, "the exercises have not"),
    (checks.instructor, misplanned, "does not say: Plan about 5 minutes"),
    (checks.instructor, told_between, "begins no section"),
    (checks.instructor, with_text("## More"), "'More', has no notes"),
    (checks.slides, given_away, "whose question it answers"),
    (checks.slides, shown("predict"), "is not left out"),
    (checks.slides, shown("parameters"), "is not left out"),
    (checks.slides, lambda nb: nb.cells[0].metadata.pop("slideshow"), "starts no slide"),
    (checks.slides, lambda nb: nb.cells.append(section("x", "slid")), "the slide type 'slid'"),
    (checks.sizes, with_code("x = 1\n" * 26), "26 lines"),
    (checks.sizes, with_code("x = '" + "x" * 120 + "'"), "126 characters"),
    (checks.sizes, with_code(""), "is empty"),
    (checks.sizes, lambda nb: nb.cells.__delitem__(slice(3, 9)), "11 code cells"),
    (checks.sizes, lambda nb: [with_code("x = 1")(nb) for _ in range(30)], "47 code cells"),
    (checks.sizes, all_long, "median"),
    (checks.sizes, with_output(text("x" * 300_000)), "above 300"),
    (checks.exercises, without("exercise"), "fewer than 2"),
    (checks.exercises, unsolved, "2 cells are tagged 'exercise', but 1"),
    (checks.exercises, solution_first, "before the heading"),
    (checks.exercises, with_text("## Solutions"), "2 headings"),
    (checks.exercises, code_after_solutions, "without the tag 'solution'"),
    (checks.plain_python, with_code("!ls"), "not plain Python"),
    (checks.plain_python, with_code("%matplotlib inline"), "not plain Python"),
    (checks.plain_python, with_code("import scipy.stats"), "imports scipy"),
    (checks.plain_python, with_code("def f():\n    from d2l import torch"), "imports d2l"),
    (checks.network, with_code("import urllib.request"), "imports urllib"),
    (checks.network, with_code("import requests"), "imports requests"),
    (checks.network, with_code("from socket import socket"), "imports socket"),
    (checks.network, with_code("address = 'https://a.org/data.csv'"), "https://"),
    (checks.network, with_code("!pip install torch"), "pip install"),
    (checks.network, with_code("model = torch.hub.load('a', 'b')"), "torch.hub"),
    (checks.execution, counted_twice, "not 1, 2, 3"),
    (checks.execution, with_code("x = 1"), "None"),
    (
        checks.no_errors,
        with_output(v4.new_output("error", ename="E", evalue="e")),
        "an error: E: e",
    ),
    (checks.no_errors, with_output(text("Warning", name="stderr")), "stderr: Warning"),
    (checks.alternative_texts, unlabelled, "without alternative text ('')"),
    (checks.alternative_texts, another_beside, "no HTML image of the same picture"),
    (checks.alternative_texts, drawn_as_svg, "image/svg+xml"),
    (checks.alternative_texts, with_text("![](attachment:a.svg)"), "without alternative text ('')"),
    (checks.alternative_texts, with_text("![a picture](a.svg)"), "('a picture')"),
    (checks.alternative_texts, with_text('<img src="a.svg">'), "without alternative text ('')"),
    (checks.alternative_texts, with_text('<img src="a.svg" alt="short">'), "('short')"),
    (checks.stable_text, with_output(text("<object at 0x7f3a91c2d0>")), "a memory address"),
    (checks.stable_text, with_output(text("0.3333333432674408")), "an unrounded number"),
    (checks.stable_text, with_output(text("torch 2.13.0")), "a version"),
    (checks.machine_paths, with_code("open('/home/ada/data.csv')"), "/home/ada"),
    (checks.machine_paths, with_output(text("File /home/ada/lesson.py")), "/home/ada"),
    (checks.machine_paths, with_text(r"see C:\Users\ada"), r"C:\Users"),
    (checks.exemptions, with_code("x = 1", "nbval-ignore-output"), "does not say why"),
    (checks.exemptions, with_code("x = 1", "nbval-skip"), "nbval-skip"),
    (checks.exemptions, with_code("x = 1", "raises-exception"), "raises-exception"),
    (checks.exemptions, with_code("# NBVAL_IGNORE_OUTPUT\nx = 1"), "with a comment"),
    (checks.links, with_text("[another](missing.ipynb)"), "missing.ipynb, which does not exist"),
    (checks.links, with_text("[up](#Nowhere)"), "heading #Nowhere"),
    (checks.links, with_text(f"![{ALT}](attachment:b.svg)"), "b.svg, which is not attached"),
    (checks.links, with_text("", attachments={"b.png": {}}), "does not show its attached b.png"),
    (checks.diagrams, with_text(diagram(SVG * 2)), "another a.svg"),
    (checks.diagrams, with_text(diagram(SVG, "c.svg")), "'c.svg', which is not in"),
    (checks.diagrams, with_text(diagram(SVG).replace(' "a.svg"', "")), "'', which is not in"),
    (
        checks.reveals,
        answered("**A.** It is so."),
        "the reveal of 1.1 begins '**A.** It is so.', not",
    ),
    (checks.reveals, answered("It is D."), "begins 'It is D.', not with D"),
    (checks.reveals, without("reveal"), "no cell tagged 'reveal' begins with the letter"),
    (checks.reveals, asked_twice, "no cell tagged 'reveal' begins with the letter"),
    (checks.reveals, answered_twice, "a second cell begins with a letter: '**D.**"),
    (checks.reveals, with_text("**C**, as we see."), "'**C**, as we see.' without the tag"),
    (checks.reveals, with_text("C is right."), "'C is right.' without the tag"),
    (checks.drawings, drawn(), "only draws; tag it"),
    (checks.drawings, drawn(source="a = 1\nb = 2\nc = 3\nexplore(plot)"), "only draws; tag it"),
    (checks.drawings, drawn(later="curve = [3]\ncurve[0]"), "only draws; tag it"),
    (checks.drawings, drawn(later="curve = [3]\n\ncurve[0]"), "only draws; tag it"),
    (checks.drawings, drawn(later="[curve for curve in [1, 2]]"), "only draws; tag it"),
    (checks.drawings, drawn_for_another_drawing, "only draws; tag it"),
    (checks.drawings, drawn("draw", later="curve[0] = 3"), "is tagged 'draw', but does more"),
    (checks.drawings, drawn("draw", later="curve += [3]"), "is tagged 'draw', but does more"),
    (checks.drawings, drawn("draw", later="curve = curve[:1]"), "is tagged 'draw', but does more"),
    (checks.drawings, drawn("draw", later="def f():\n    return curve"), "but does more"),
    (checks.drawings, drawn("draw", later="[x for x in curve]"), "but does more"),
    (checks.drawings, drawn("draw", later="g = lambda x: curve"), "but does more"),
    (checks.drawings, drawn("draw", shown=[picture(), text("1")]), "but does more"),
    (checks.drawings, drawn("draw", source="plot([1, 2])"), "but does more than draw, or is short"),
    (checks.drawings, drawn("draw", "solution"), "but does more"),
    (checks.drawings, drawn("draw", folded=False), "go together"),
]


@pytest.mark.parametrize("check", checks.FORM, ids=lambda check: check.__name__)
def test_good_lesson_passes(check, lesson, folder):
    assert check(lesson) == []


@pytest.mark.parametrize(
    ("check", "change", "words"), FAULTS, ids=[f"{check.__name__}: {w}" for check, _, w in FAULTS]
)
def test_fault_is_found(check, change, words, lesson, folder):
    change(lesson)
    complaints = check(lesson)
    assert len(complaints) == 1
    assert words in complaints[0]


SPELLINGS = ["~/notes", "D:\\data", "C:\\Users\\x", "/srv/a", "/content/a", "/home/u"]
SPELLINGS += ["file:///a", "$HOME/a", "/kaggle/input", "/Volumes/x"]


@pytest.mark.parametrize("path", SPELLINGS)
def test_paths_of_machines_are_found_in_any_spelling_and_place(path, lesson):
    for place in (with_code(f"open({path!r})"), lambda nb: nb.cells[0].metadata.update(at=path)):
        notebook = copy.deepcopy(lesson)
        place(notebook)
        assert "names a path of one machine" in "".join(checks.machine_paths(notebook))


def test_every_check_is_proved():
    assert {check for check, *_ in FAULTS} == set(checks.FORM)


def test_exemption_with_a_reason_passes(lesson):
    with_code("x = 1", "nbval-ignore-output")(lesson)
    lesson.cells[10].metadata[checks.REASON] = "the order of a set differs from run to run"
    assert checks.exemptions(lesson) == []


def tag_as_ignored(nb):
    nb.cells[5].metadata["tags"] = ["nbval-ignore-output"]


def compare(stored, fresh):
    return checks.compare(stored, fresh) + checks.compare_pictures(stored, fresh)


def test_same_outputs_pass(lesson):
    assert compare(lesson, copy.deepcopy(lesson)) == []


def change_alt(nb):
    nb.cells[5].outputs[0].metadata["image/png"]["alt"] = "Another description of the picture."


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda nb: nb.cells[5].outputs.append(picture()), "[3] showed"),
        (lambda nb: nb.cells[4].outputs.clear(), "[2] showed"),
        (lambda nb: nb.cells[5].outputs[0].data.pop("text/plain"), "[3] showed"),
        (change_alt, "metadata was"),
        (
            lambda nb: nb.cells[5].outputs[0].data.update({"image/png": heatmap(WEIGHTS[::-1])}),
            "[3]: the picture differs",
        ),
    ],
    ids=["one more", "one less", "other kind", "other alternative text", "other picture"],
)
def test_other_outputs_are_found(change, words, lesson):
    fresh = copy.deepcopy(lesson)
    change(fresh)
    complaints = compare(lesson, fresh)
    assert len(complaints) == 1
    assert words in complaints[0]
    tag_as_ignored(lesson)  # for nbval alone: here a slider's picture is compared like any other
    assert set(complaints) <= set(compare(lesson, fresh))


def test_text_and_warnings_are_found_even_where_nbval_ignores_the_output(lesson):
    tag_as_ignored(lesson)
    fresh = copy.deepcopy(lesson)
    fresh.cells[5].outputs.append(text("UserWarning: no", name="stderr"))
    assert "[3] writes to stderr: UserWarning: no" in compare(lesson, fresh)
    fresh = copy.deepcopy(lesson)
    fresh.cells[5].outputs[0].data["text/plain"] = "Another text."
    (complaint,) = compare(lesson, fresh)
    assert complaint.endswith("Another text.'")


@pytest.mark.parametrize("more, complaints", [(0.001, 0), (0.003, 1)])
def test_a_head_view_is_compared_to_a_thousandth(lesson, more, complaints):
    """To the next thousandth: 0.047 takes one letter and 0.048 two."""
    tag_as_ignored(lesson)
    shown = torch.tensor([[[0.047, 0.2, 0.3], [0.1, 0.047, 0.5], [0.047, 0.6, 0.1]]])
    fresh = copy.deepcopy(lesson)
    for nb, weights in ((lesson, shown), (fresh, shown + more)):
        data, metadata = head_view(weights, ["a", "b", "c"])._repr_mimebundle_()
        nb.cells[5].outputs = [v4.new_output("display_data", data, metadata=metadata)]
    found = [c for c in compare(lesson, fresh) if "metadata" not in c]
    assert len(found) == complaints and all("off by -3 thousandths" in c for c in found)


# With nbval: what it does not compare is compared after its cells


def shows(png, alt=ALT):
    """Return the source of a cell that shows the picture, and its output."""
    data, metadata = {"image/png": png, "text/plain": alt}, {"image/png": {"alt": alt}}
    output = v4.new_output("display_data", data, metadata=metadata)
    return f"display({data!r}, raw=True, metadata={metadata!r})", output


def test_nbval_is_followed_by_what_it_does_not_compare(tmp_path):
    source, output = shows(heatmap())
    other_picture, other_alt = copy.deepcopy(output), copy.deepcopy(output)
    other_picture.data["image/png"] = heatmap(WEIGHTS[::-1])
    other_alt.metadata["image/png"]["alt"] = "Another description of the picture."
    ignored = "nbval-ignore-output"
    good = [code("x = 1"), code(source, outputs=[output])]
    damaged = [
        code(source, outputs=[other_picture]),
        code(source, outputs=[other_alt]),
        code("x = 2", ignored, outputs=[output]),
        code("print(x)", ignored, outputs=[text("1\n")]),
        code("import sys; print('UserWarning: no', file=sys.stderr)", ignored),
        code("x = 3", "nbval-skip"),
        code("shown = display({}, raw=True, display_id='a', update=True)"),
    ]
    for number, cell in enumerate(good + damaged, start=1):
        cell.execution_count = number
    nbformat.write(v4.new_notebook(cells=good + damaged), tmp_path / "damaged.ipynb")
    (tmp_path / "conftest.py").write_bytes((ROOT / "tests" / "conftest.py").read_bytes())
    options = ["-p", "no:xdist", "-c", "pyproject.toml", "--color=no"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", *options, tmp_path],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
    )
    failed = re.findall(r"^FAILED .*::([\w ,]+\w)", done.stdout, re.MULTILINE)
    found = ["kinds, metadata, ignored text"]
    if pictures.COMPARABLE:
        found += ["pictures"]
        assert "\n[3]: the picture differs near" in done.stdout
    assert failed == found, done.stdout  # so nbval's own cells pass
    assert "\n[1]" not in done.stdout and "\n[2]" not in done.stdout
    for complaint in (
        "[4]: the outputs' metadata was [{'image/png': {'alt': 'Another description",
        "[5] showed ['display_data  image/png text/plain'], shows []",
        "[6] said '1', says '2'",
        "[7] writes to stderr: UserWarning: no",
        "[7] showed [], shows ['stream stderr']",
        "[8] was not executed",
        "a cell sends update_display_data, which is not compared",
    ):
        assert f"\n{complaint}" in done.stdout, done.stdout


@pytest.mark.parametrize(("title", "complaints"), [("# 01 · A", 1), ("# 08 · B", 0), ("", 1)])
def test_only_the_lesson_that_needs_a_package_may_import_it(title, complaints):
    cells = [nbformat.v4.new_markdown_cell(title), nbformat.v4.new_code_cell("import babel")]
    found = checks.plain_python(nbformat.v4.new_notebook(cells=cells))
    assert len(found) == complaints
