"""Lessons with other parameters: on this machine, and on workers that may die."""

import contextlib
import errno
import io
import itertools
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import bare
import nbformat
import pytest
import yaml
from nbformat import v4
from test_other_parameters import sets

from classroom import variants
from tools.editions import editions
from tools.lessons import ROOT, execute_in, lessons, normalise, number
from tools.notebook import headlines, tags

pytestmark = pytest.mark.long

SECONDS = 300  # a process of the cluster that has not appeared by then never will
REVEAL = "**B is right.** It is about 20."
CHECK = "check_parameters(globals(), size=(0, 9), sizes=[[size], [1, 2], ['mint'] * 2])"


def code(source, output="", **metadata):
    cell = v4.new_code_cell(source, metadata=metadata)
    cell.outputs = [v4.new_output("stream", name="stdout", text=output)] * bool(output)
    return cell


@pytest.fixture(autouse=True)
def small(monkeypatch, wheel, tmp_path):
    """A lesson whose claims are true of size = 2 and of few seeds; return its file."""
    reveal = v4.new_markdown_cell(REVEAL, metadata={"tags": ["reveal"]})
    reveal.metadata.premise = "seed != 3 and 1 / (seed - 6) < 9"
    cells = [
        v4.new_markdown_cell("# 91 · Small"),
        code("size = 2  # how large\nsizes = [1, 2]  # many\nseed = 0  # of random numbers",
             tags=["parameters"]),
        code("import random\nassert size != 8, 'too large'\nrandom.seed(seed)\n"
             "value = 10 * size + seed % 3"),
        code("# predict('91.1')", tags=["predict"], premise="size < 5"),
        code("print('value:', value)\nprint('drawn:', random.random())", "value: 20\n",
             tags=["headline"]),
        reveal,
    ]  # fmt: skip
    path = tmp_path / "91_small.ipynb"
    nbformat.write(normalise(v4.new_notebook(cells=cells)), path)
    monkeypatch.setattr(
        variants, "lessons", lambda names: lessons(names) if names != ["91"] else [path]
    )
    monkeypatch.setattr(variants, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(editions, "build_wheel", lambda: wheel)  # it is made once
    return path


@pytest.fixture
def asked(tmp_path):
    """Write the file of variants: its text, or the parameters by name."""

    def write(content=None, **named):
        file = tmp_path / "asked.yaml"
        content = content or {"91": named}
        file.write_text(
            content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
        )
        return str(file)

    return write


def searches(file, edition="colab"):
    return variants.expand(file, variants.read(file), edition)


def runs(file, edition="colab"):
    return [run for search in searches(file, edition) for run in search.runs]


def run_here(text, parameters):
    """Execute a notebook's cells in this process; return it with what they print."""
    notebook, names = nbformat.reads(text, as_version=4), {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and "setup" not in tags(cell):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(cell.source, names)
            cell.outputs = code("", printed.getvalue()).outputs
            names.update(parameters if "parameters" in tags(cell) else {})
    return nbformat.writes(notebook)


def stored(run):
    return variants.store(run, run_here(run.notebook, run.parameters), None)


class Ended(list):
    """The futures as they end: at once, those that are added meanwhile too."""

    update = list.extend


class Pool:
    """A Dask client without workers: each run is executed here, and ends at once."""

    status = "finished"

    def __init__(self, result=None):
        self.result, self.sent = result, []

    def submit(self, function, text, **_):
        self.sent.append(text)
        return function(text)

    def map(self, _, texts, parameters, **__):
        self.sent += parameters
        pairs = zip(texts, parameters, strict=True)
        return [Pool(lambda pair=pair: (run_here(*pair), None, 0.1)) for pair in pairs]

    def seeds(self):
        found = [each["seed"] for each in self.sent if isinstance(each, dict)]
        self.sent.clear()
        return found


@pytest.fixture
def pool(monkeypatch):
    client = Pool()
    monkeypatch.setattr(variants, "as_completed", Ended)
    monkeypatch.setattr(variants, "_do", lambda todo, _: variants.perform(todo, client))
    return client


@pytest.fixture
def ask(asked, capsys):
    """The command, with a file and options: what it returns, and what it says."""

    def command(content, *options):
        status = variants.main([asked({"91": content}), *options])
        return status, capsys.readouterr().out

    return command


def notebooks():
    return sorted(path.stem for path in variants.RESULTS.rglob("*.ipynb"))


# What is asked for

EACH = "each must be a list, as in {each: [1, 2]}"
VALUE = "variant 'a' of 91_small gives 'size' the value ~ expected a number, a text in quotes"
NO_FILE = "variant 'a' of 91_small: ~ "
REFUSED = [
    ("a: [1", "is not YAML"),
    ("[" * 5000, "is not YAML"),
    ("'91': {a: {size: 2024-99-99}}", "is not YAML: month must be in 1..12"),
    ("[1, 2]", "must hold lessons"),
    ("'91': [1]", "must hold variants"),
    ("'91': {a: 3}", "must hold parameters"),
    ("'91': {a: {sice: 1}}", "sets 'sice', which the lesson does not have (did you mean 'size'?). "
     "It has: size, sizes, seed"),
    ("'91': {A/b: {size: 1}, a b: {size: 2}}", "the variants 'A/b' and 'a b' of 91_small would be "
     "stored in the same file"),
    ("'91':\n  a: {size: 1}\n  a: {size: 2}\n", "'a' stands twice"),
    ("91: {a: {size: 1}}\n'91': {a: {size: 1}}\n", "'91' stands twice"),
    *[(f"'91': {{{name}: {{size: 1}}}}", "a variant of 91_small has no name")
      for name in ("''", "' '", "null", '"\\t"')],
    *[(f"? {name}\n: {{a: {{seed: 1}}}}\n", words) for name, words in
      {"''": "is no lesson", "'0'": "", "9.1": "is no lesson", "null": "is no lesson",
       "[1]": "not YAML", "true": "is no lesson"}.items()],
    *[(f"'91': {{a: {{size: {{each: {each}}}}}}}", EACH)
      for each in ("3", "", "[]", "abc", "{a: 1}")],
    *[(f"'91': {{a: {{{hold}}}}}", "only a seed can hold, as in seed: {hold: 4}")
      for hold in ("size: {hold: 2}", "seed: {hold: 0}", "seed: {hold: true}", "sizes: {hold: }")],
    *[(f"'91': {{a: {{size: {value}}}}}", VALUE) for value in
      ("2024-01-01", "!!set {a}", ".inf", ".nan", "null", "{Each: [1]}", "{each: [2, ~]}",
       "{each: [1], hold: 1}", "[[2, ~]]")],
    *[(f"'91': {{a: {{sizes: {value}}}}}", NO_FILE + words) for value, words in
      {"{file: none.txt}": "none.txt cannot be read in ~ (No such file or directory); expected a",
       "{file: empty.txt}": "empty.txt is empty; expected a line for each word",
       "{file: latin.txt}": "latin.txt is no text in UTF-8; expected a file with a line",
       "{file: .}": "cannot be read in ~ (Is a directory)",
       "{file: 3}": "file must be a file's name, as in {file: words.txt}",
       "mine.txt": "write {file: mine.txt}, so that the run gets what the file holds"}.items()],
    ("'91': {good: {size: 3}, a: {size: {each: [3, 4]}, sizes: [5]}}",
     "variant 'a size=3' of 91_small is refused by the lesson:\nsizes must be ~ got [5] (list)"),
    ("'91': {a: {size: 10}}", "size must be a whole number from 0"),
    ("'91': {a: {size: '1'}}", "size must be a whole number from 0"),
    *[(f"'{lesson}': {{good: {{seed: 1}}, wrong: {{{wrong}}}}}",
       f"variant 'wrong' of {lesson}_~ is refused by the lesson:\n{words}")
      for lesson, wrong, words in [
          ("01", "noise: 7", "noise must be a number from 0.2 to 1.0, got 7"),
          ("02", "n: 257", "n must be a whole number from 2 to 256, got 257"),
          ("03", "shown: 0", "shown must be one of 1, 2, got 0"),
          ("04", "num_heads: 4", "num_heads must be one of"),
          ("05", "kernel: 4", "kernel must be ~ in steps of 2"),
          ("06", "train_length: 13", "train_length must be ~ in steps of 4"),
          ("09", "words: {file: mine.txt}", "words must be a list of 20 to 100,000 words, or the "
           "name of a file with ~ each of 2 to 14 letters and nothing else ~: it holds 1 words")]],
]  # fmt: skip


@pytest.mark.parametrize(("content", "words"), REFUSED)
def test_what_cannot_be_run_is_refused_before_anything_runs(small, asked, tmp_path, content, words):
    (tmp_path / "mine.txt").write_text("mint")
    (tmp_path / "empty.txt").write_text(" \n\n")
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    book = nbformat.read(small, as_version=4)
    book.cells[2].source = CHECK
    book.cells[4].source = "raise RuntimeError('no other cell is executed')"
    nbformat.write(book, small)
    with pytest.raises(SystemExit) as stop:
        runs(asked(content))
    said = str(stop.value)
    assert re.search(".*".join(map(re.escape, re.split(" ?~ ?", words))), said, re.DOTALL), said


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    (tmp_path / "latin.yaml").write_bytes("01: {ä: 1}".encode("latin-1"))
    for name in ("none.yaml", "", "latin.yaml"):
        with pytest.raises(SystemExit, match="cannot be read: "):
            variants.read(tmp_path / name)


TAKEN = {  # a file of variants: the parameters of its runs
    "01:\n  a: {seed: 1}\n'03':\n  a: {extra_pads: 1, shown: 0}\n":  # limits may depend on others
        [{"seed": 1}, {"extra_pads": 1, "shown": 0}],
    "'91': {a: {size: {each: [1, 3]}, sizes: {each: [[1], [4, 5]]}}}":
        [{"size": size, "sizes": sizes} for size in (1, 3) for sizes in ([1], [4, 5])],
    "'91': {b: &b {size: 3, sizes: [4]}, more: {<<: *b, size: 5}}":
        [{"size": 3, "sizes": [4]}, {"size": 5, "sizes": [4]}],
    "'91': {b: &b {size: 3}, x: &x {sizes: [4]}, more: {<<: [*b, *x], size: 5}}":
        [{"size": 3}, {"sizes": [4]}, {"size": 5, "sizes": [4]}],
    "'91': {a: {sizes: {file: words.txt}, size: 3}}":
        [{"sizes": ["mint", "Sage", "café"], "size": 3}],
    "'91': {a: {seed: {hold: 1}}}": [{"seed": seed} for seed in range(1, 11)],
}  # fmt: skip


@pytest.mark.parametrize("content", TAKEN)
def test_what_is_asked_for_is_taken(asked, tmp_path, content):
    (tmp_path / "words.txt").write_text("\ufeffmint\n\n  Sage \r\ncafé\n", encoding="utf-8")
    found = runs(asked(content))
    assert [run.parameters for run in found] == TAKEN[content]
    assert len({run.target for run in found}) == len(found)
    if "<<" in content:
        with pytest.raises(SystemExit, match="'size' stands twice"):
            runs(asked(content.replace("size: 5", "size: 5, size: 5")))


def test_long_names_and_other_editions_have_files_of_their_own(asked):
    file = asked(**{f"{'中' * 200} {place}": {"size": 1} for place in ("first", "second")})
    targets = {run.target for kind in ("colab", "student") for run in runs(file, kind)}
    assert len(targets) == 4 and all(len(target.name.encode()) < 255 for target in targets)


# What is stored


@pytest.mark.parametrize("change", [
    "nothing", "size", "type", "more", "module", "lesson", "words", "no notebook",
    "", "[]", '{"cells": [', "{}",
])  # fmt: skip
def test_what_is_stored_is_done_again_if_anything_is_another(
    small, asked, tmp_path, monkeypatch, change
):
    words = tmp_path / "mine.txt"
    words.write_text("sage\n" * 50)
    given = {"size": 3, "sizes": {"file": "mine.txt"}}
    (run,) = runs(asked(a=given))
    stored(run)
    assert variants.finished(run)
    given |= {"size": {"size": 4}, "type": {"size": "3"}, "more": {"seed": 0}}.get(change, {})
    if change == "module":
        monkeypatch.setattr(editions, "build_wheel", lambda: b"another module")
    elif change == "lesson":
        small.write_text(small.read_text().replace("# how large", "# another comment"))
    elif change == "words":
        words.write_text("mint\n" * 50)
    elif change == "no notebook":
        run.target.unlink()
    elif change[:1] in ("", "[", "{"):  # it was cut short
        run.record.write_text(change)
    (search,) = searches(asked(a=given))
    assert search.runs[0].target == run.target
    assert variants.finished(search.runs[0]) == (change == "nothing")
    said = variants.summary([search])
    assert ("not done" in said) == (change != "nothing")
    assert max(map(len, said.splitlines())) < 150  # the words are cut


def test_what_failed_is_stored_and_done_again(asked):
    (run,) = runs(asked(a={}), "student")
    stored(run)
    assert notebooks() == ["a"]
    said = "attn_teach was here already, another version than in this file; it is used"
    other = nbformat.reads(run.notebook, as_version=4)
    other.cells[0].outputs = code("", said).outputs
    failure = 'ValueError: \n "metadata": {'
    for text, given, told in [
        (run.notebook, failure, failure),
        (nbformat.writes(other), None, "the worker has another version of attn_teach installed"),
    ]:
        assert variants.store(run, text, given)["failure"].startswith(told)
        assert run.result()["failure"].startswith(told)
        assert not notebooks() and not variants.finished(run)


def test_copies_to_hand_out_show_no_result_behind_a_question(asked):
    for edition, shown in (("colab", [True] * 5), ("student", [True] * 3 + [False] * 2)):
        (run,) = runs(asked(a={}), edition)
        notebook = nbformat.reads(run_here(run.notebook, {}), as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code" and "premise" not in tags(cell):
                cell.outputs = cell.outputs or code("", "value: 20\n").outputs
        assert variants.store(run, nbformat.writes(notebook), None)["headlines"]["value"] == "20"
        cells = [c for c in nbformat.read(run.target, as_version=4).cells if c.cell_type == "code"]
        assert [bool(cell.outputs) for cell in cells] == shown


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("error: 0.88 squared units of y\nvalue: 20\n", ["0.88 squared units of y", "20"]),
        ("error: 0.88 squared units\nvalue: 20\n", ["**0.88 squared units**", "20"]),
        ("value: 20 \n", ["**missing**", "20"]),
        ("error: \nvalue: 20", ["**missing**", "20"]),
        ("value: 3|4\n", ["**missing**", r"**3\|4**"]),
        ("", ["**missing**", "**missing**"]),
    ],
)
def test_the_summary_marks_what_changed_and_what_is_missing(small, asked, printed, shown):
    book = nbformat.read(small, as_version=4)
    book.cells[4].outputs[0].text = "error: 0.88 squared units of y\nvalue: 20\n"
    nbformat.write(book, small)
    (search,) = searches(asked(**{"a | b": {"size": 3, "sizes": ["c|d\ne"]}}))
    (run,) = search.runs
    executed = nbformat.reads(run_here(run.notebook, run.parameters), as_version=4)
    (cell,) = (c for c in executed.cells if "headline" in tags(c))
    cell.outputs = code("", printed).outputs
    variants.store(run, nbformat.writes(executed), None)
    heads, _, published, row = variants.summary([search]).splitlines()[2:6]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in (heads, published, row)]
    cells = [[cell.strip() for cell in line] for line in cells]
    assert [line[2:] for line in cells] == [
        ["error", "value"], ["0.88 squared units of y", "20"], shown
    ]  # fmt: skip
    assert cells[2][:2] == [r"a \| b", "size = 3, sizes = ['c\\|d\\ne']"]


# The command


def test_a_text_is_made_and_sent_once_for_all_runs(asked, pool):
    variants.main([asked(a={"size": {"each": [1, 2, 3]}}, b={"size": 1})])
    assert [type(each) for each in pool.sent] == [str, dict, dict, dict, dict]
    found = runs(asked(a={"size": {"each": [0, 1, 2, 3]}}, b={"size": 1}))
    assert len({id(run.notebook) for run in found}) == 1 and len({run.key for run in found}) == 4


def test_lost_runs_are_said_and_done_by_the_same_command(ask, pool, monkeypatch):
    content = {"a": {"size": {"each": [1, 3, 4]}}}
    run, ends = Pool.map, iter([None, OSError("gone"), OSError("gone")])

    def lose(*arguments, **named):
        for future in run(pool, *arguments, **named):
            if error := next(ends):
                future.result = Mock(side_effect=error)
            yield future

    with (
        monkeypatch.context() as patch,
        pytest.raises(SystemExit, match=r"^2 of 3 runs were lost; the same command does"),
    ):
        patch.setattr(pool, "map", lambda *a, **k: list(lose(*a, **k)))
        ask(content)
    status, said = ask(content)
    assert said.count("| not done") == 2 and said.count("lost: OSError") == 2
    assert status == 0 and "3 runs: 1 done before, 2 to do" in said


def test_many_runs_are_done_only_if_wanted(ask, pool, monkeypatch, capsys):
    ranges = {name: {"each": list(range(1000))} for name in ("seed", "size", "sizes")}
    with pytest.raises(SystemExit, match=r"^more than 1000 of 1000000002 runs .* --yes"):
        ask({"grid": ranges, "few": {"size": {"each": [3, 4]}}})
    assert capsys.readouterr().out.splitlines() == [
        "grid of 91_small: 1000 x 1000 x 1000 = 1000000000 runs",
        "few of 91_small: 2 runs",
    ]
    monkeypatch.setattr(variants, "MOST_RUNS", 2)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    questions, answers = [], iter(["n", "y", "Yes"])
    monkeypatch.setattr("builtins.input", lambda text: questions.append(text) or next(answers))
    with pytest.raises(SystemExit, match="nothing was done"):
        ask({"a": {"size": {"each": [1, 2, 3]}}})
    assert questions == ["more than 2 of 3 runs are to do; go on? [y/n] "] and not pool.sent
    for count, content, options in [
        (2, {"a": {"size": {"each": [1, 2, 3]}}}, ()),
        (2, {"a": {"size": {"each": [1, 2, 3, 4, 5]}}}, ()),  # there are two to do
        (3, {"a": {"size": {"each": [1, 2, 3]}, "sizes": [3]}}, ()),  # other ones are there
        (3, {"b": {"size": {"each": [0, 1, 2, 3, 4, 5, 6, 7]}}}, ("--yes",)),
    ]:
        assert ask(content, *options)[0] == 0
        assert len(questions) == count


@pytest.mark.parametrize("name", ["a.ipynb", "summary.md"])
def test_a_full_disk_is_said_and_nothing_is_half_written(ask, pool, monkeypatch, name):
    write = Path.write_bytes

    def full(path, content):
        write(path, content[:9] if path.name.startswith(name) else content)
        if path.name.startswith(name):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SystemExit, match=r"stopped: .* No space left on device; the same command"):
        ask({"a": {"size": 1}})
    places = sorted(path.name for path in variants.RESULTS.rglob("*.*"))
    assert places == (["a.ipynb", "a.json"] if name == "summary.md" else [])


def test_a_file_where_the_results_belong_is_said(ask, pool):
    variants.RESULTS.touch()
    with pytest.raises(SystemExit, match=r"stopped: .*; the same command does the rest"):
        ask({"a": {"size": 1}})


# What is false

ANSWER = f"cell 6 ('{REVEAL}'): "
LOST = ANSWER + "says 20, which no code and no output near it holds"
FALSE = ANSWER + "it is false: seed != 3 and 1 / (seed - 6) < 9"
RAISES = FALSE.replace("it is false", "ZeroDivisionError: division by zero")
QUESTION = "cell 4 ('# predict('91.1')'): it is false: size < 5"


@pytest.mark.parametrize(
    ("parameters", "false"),
    [
        ({}, []),
        ({"seed": 9}, []),
        ({"seed": 1}, [LOST]),
        ({"size": 3}, [LOST]),
        ({"seed": 3}, [FALSE]),
        ({"seed": 6}, [RAISES]),
        ({"size": 5, "seed": 3}, [QUESTION, FALSE, LOST]),
    ],
)
def test_what_is_false_is_said_and_not_handed_out(ask, pool, parameters, false):
    status, own = ask({"a": parameters})
    assert status == 0 and notebooks() == ["a"]  # the teacher's own
    assert ("a says what is false:\n\n" in own) == bool(false)
    for _ in range(2):  # and it is not done again
        status, said = ask({"a": parameters}, "--edition", "student")
        assert status == bool(false) and len(pool.sent) == 4
        assert notebooks() == ["a"] * (1 if false else 2)
    for each in (own, said):
        assert [line[2:] for line in each.splitlines() if line.startswith("- ")] == false
    more = f" (and {len(false) - 1} more)" * (len(false) > 1)
    assert not false or re.search(rf"s  FALSE: {re.escape(false[0] + more)}\n", own)
    assert not false or "a says what is false, so it is not written:" in said
    status, said = ask({"a": parameters}, "--edition", "student", "--even-if-false")
    assert status == 0 and notebooks() == ["a", "a"] and all(each in said for each in false)
    status, said = ask({"a": parameters}, "--edition", "student")  # and it is taken away again
    assert status == bool(false) and notebooks() == ["a"] * (1 if false else 2)
    assert (variants.RESULTS / "asked" / "student" / "summary.md").read_text() in said


def test_seeds_are_searched_for_until_so_many_hold(ask, pool):
    student = "--edition", "student"
    status, said = ask({"a": {"seed": {"hold": 2}}}, *student)
    assert status == 0 and notebooks() == ["a_seed=12", "a_seed=9"]
    assert pool.seeds() == [*range(1, 13)]
    assert "2 runs: 0 done before, 2 or more to do" in said and "FALSE, not written: cell" in said
    assert "\na: 2 of 2 seeds found, 12 tried; thrown away were, what fails most" in said
    thrown = [f"seeds 1, 2, 4, 5, 7, 8, 10, 11: {LOST}", f"seed 3: {FALSE}", f"seed 6: {RAISES}"]
    assert "\n\n- " + "\n- ".join(thrown) + "\n" in said
    rows = re.findall(r"^\| (a .*?) +\| (.*?) +\|", said, re.MULTILINE)
    assert rows == [("a seed=9", "seed = 9"), ("a seed=12", "seed = 12")]

    # The same again does nothing; one more, only what is missing; of what was removed, only that.
    status, said = ask({"a": {"seed": {"hold": 2}}}, *student)
    assert "2 runs: 2 done before, 0 to do" in said
    ask({"a": {"seed": {"hold": 3}}}, *student)
    next(variants.RESULTS.rglob("a_seed=9.ipynb")).unlink()
    assert ask({"a": {"seed": {"hold": 3}}}, *student)[0] == 0
    assert pool.seeds() == [13, 14, 15, 9] and notebooks()[-1] == "a_seed=9"


def test_a_search_that_finds_too_few_says_why(ask, pool):
    content = {"a": {"seed": {"hold": 1}, "size": {"each": [2, 5]}}, "b": {"seed": 12}}
    status, said = ask(content)
    assert status == 1 and notebooks() == ["a_size=2_seed=9", "b"]
    assert "a of 91_small: 2 x 1 = 2 runs\n" in said
    assert "a size=2: 1 of 1 seeds found, 9 tried;" in said
    assert "a size=5: 0 of 1 seeds found, 10 tried;" in said
    assert f"- seeds 1, 2, 3, 4, 5, 6, 7, 8, 9, 10: {QUESTION}\n" in said


def test_a_search_has_no_more_runs_at_once_than_are_missing(asked):
    (search,) = searches(asked(a={"seed": {"hold": 4}}))
    begun = search.begin()
    assert [run.parameters["seed"] for run in begun] == [1, 2, 3, 4] and search.begin() == []
    stored(begun[0])
    search.running -= 1
    assert [run.parameters["seed"] for run in search.begin()] == [5]


# By real kernels, on real workers


def test_runs_are_done_once_failures_again_and_the_rest_is_unharmed(ask):
    """Where the random numbers and the counts stand, premises change nothing."""
    solutions = "--edition", "solutions"
    content = {"good": {"seed": 9}, "bad": {"size": 8}, "false": {"seed": 3}}
    status, said = ask(content, *solutions, "--workers", "2")
    assert status == 1 and "3 runs: 0 done before, 3 to do" in said and "\n2 at a time\n" in said
    failure = "In [4] (import random): AssertionError: too large"
    assert re.search(r"\[\d/3\] 91 bad +\d+\.\d s +FAILED " + re.escape(failure), said)
    assert f"bad failed: {failure}" in said
    rows = re.findall(r"^\| (.*?) +\| (.*?) +\| (.*?) +\|$", said, re.MULTILINE)
    assert sorted(rows) == [
        ("(as published)", "", "20"),
        ("bad", "size = 8", "FAILED"),
        ("false", "seed = 3", "20"),
        ("good", "seed = 9", "20"),
        ("variant", "parameters", "value"),
    ]
    assert f"false says what is false:\n\n- {FALSE}\n" in said and "good says" not in said
    place = variants.RESULTS / "asked" / "solutions"
    assert (place / "summary.md").read_text() in said
    for name, seed in (("good", 9), ("false", 3)):
        book = nbformat.read(place / "91_small" / f"{name}.ipynb", as_version=4)
        counts = [cell.execution_count for cell in book.cells if cell.cell_type == "code"]
        assert counts == [*range(1, len(counts) + 1)] and "premise" not in str(book)
        assert headlines(book)["drawn"] == str(random.Random(seed).random())
    before = (place / "91_small" / "good.ipynb").stat().st_mtime_ns
    status, said = ask({"good": {"seed": 9}, "bad": {"size": 7}}, *solutions)
    assert status == 0 and "2 runs: 1 done before, 1 to do" in said
    assert (place / "91_small" / "good.ipynb").stat().st_mtime_ns == before


def test_a_kernel_that_dies_is_named_with_its_cell(asked):
    (run,) = runs(asked(dead={"size": 3}))
    killer = run.notebook.replace("import random", "\\n\\nimport os; os._exit(1)")
    _, failure, _ = variants.execute(killer, run.parameters, 60)
    assert failure.startswith("In [4] (import os; os._exit(1)): DeadKernelError")


def test_the_only_worker_is_killed_and_no_lesson_is_lost(asked):
    found = searches(asked(a={"size": {"each": [1, 3, 4]}}))
    client = variants.connect(workers=1)
    killed, known = [], []

    def kill(line):
        known.append(len(client.futures))
        if not killed:  # nothing is left of the lesson's text but what the scheduler knows
            killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    try:
        assert variants.perform(found, client, report=kill) == 0
        assert list(client.run(os.getpid).values()) != killed
        assert known[-1] < known[0]  # what is stored here is not kept there
    finally:
        client.close()
        client.cluster.close()
    assert all(variants.finished(search.runs[0]) for search in found)


def wait(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, each a process of its own, that have nothing of this project."""
    packages = ("torch", "matplotlib", "papermill", "ipykernel", "distributed")
    python = bare.make(tmp_path / "python", *packages)
    assert "attn_teach" not in bare.modules(python)
    where = tmp_path / "scheduler.json"
    (tmp_path / "empty").mkdir()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def start(*words):
        command = [python, "-m", "dask", *words, "--host", "127.0.0.1", "--no-dashboard"]
        with (tmp_path / "log").open("ab") as log:
            return subprocess.Popen([*command, "--scheduler-file", where], stdout=log, stderr=log,
                                    cwd=tmp_path / "empty", env=environment)  # fmt: skip

    scheduler = start("scheduler", "--port", "0")
    wait(where.exists)
    workers = [start("worker", "--no-nanny", "--nthreads", "1") for _ in range(2)]
    address = yaml.safe_load(where.read_text())["address"]
    client = variants.connect(address)
    wait(lambda: len(client.nthreads()) == 2)
    yield client, address, workers
    client.close()
    for process in (scheduler, *workers):
        process.kill()
        process.wait()


DRIVER = """
import sys
from pathlib import Path
from classroom import variants
variants.RESULTS = Path(sys.argv[1])
sys.exit(variants.main([sys.argv[2], "--scheduler", sys.argv[3]]))
"""


def test_a_worker_is_killed_in_the_middle_and_no_lesson_is_lost(cluster, asked, tmp_path):
    client, address, (killed, survivor) = cluster
    file = asked("'03': {seeds: {seed: {each: [11, 12, 13]}}}")
    command = [sys.executable, "-c", DRIVER, str(variants.RESULTS), file, address]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    wait(lambda: sum(map(len, client.processing().values())) >= 2)  # both are at work
    time.sleep(2)
    killed.kill()
    said, _ = run.communicate(timeout=10 * SECONDS)
    assert killed.wait() == -signal.SIGKILL and survivor.poll() is None
    assert run.returncode == 0, said
    assert len(re.findall(r"^\[\d/3\] .* s  (?:done|FALSE.*)$", said, re.MULTILINE)) == 3
    assert notebooks() == [f"seeds_seed={seed}" for seed in (11, 12, 13)]
    for path in variants.RESULTS.rglob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        assert len(headlines(notebook)) >= 3
        assert "attn_teach was unpacked from this file" in notebook.cells[0].outputs[0].text


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_what_is_handed_out_is_true(path, request, asked, tmp_path):
    """As it is published and with other numbers: four sets with --every, else two lessons."""
    every = request.config.getoption("every")
    if not every and path not in lessons(["01", "05"]):
        pytest.skip("two lessons stand for the others; all of them: --every")
    tried = dict(enumerate(sets(path)[: None if every else 1], start=1))
    file = asked({number(path): {"published": {}, **tried}})
    variants.main([file, "--edition", "student"])
    cells = nbformat.read(path, as_version=4).cells
    premises = {cell.id: cell.metadata.premise for cell in cells if "premise" in cell.metadata}
    for run in runs(file, "student"):
        record = run.result()
        assert record["failure"] is None
        assert run.target.exists() == (not record["false"])
        assert run.target.exists() or run.name != "published", record["false"]
        if run.target.exists():  # read as a learner would, with each premise asserted in its place
            notebook = nbformat.read(run.target, as_version=4)
            assert not [cell for cell in notebook.cells if "premise" in cell.metadata]
            asserts = {name: code(f"assert ({premise})") for name, premise in premises.items()}
            pairs = ([cell, asserts.get(cell.id)] for cell in notebook.cells)
            notebook.cells = [cell for cell in itertools.chain(*pairs) if cell]
            execute_in(tmp_path, notebook)
