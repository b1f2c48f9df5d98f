"""Lessons with other parameters: on this machine, and on workers that may die."""

import contextlib
import errno
import io
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import bare
import nbformat
import pytest
import yaml
from nbformat import v4
from test_parameters import given, limits

from classroom import variants
from tools.editions import editions
from tools.lessons import execute_in, lessons, normalise, number
from tools.notebook import headlines, tags

pytestmark = pytest.mark.long

SECONDS = 300  # a process of the cluster that has not appeared by then never will


@pytest.fixture(autouse=True)
def one_wheel(monkeypatch, wheel):
    """Build the module's wheel only once for all tests."""
    monkeypatch.setattr(editions, "build_wheel", lambda: wheel)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A lesson that is quickly executed, and a place for results; return the file of variants."""
    cells = [
        v4.new_markdown_cell("# 91 · Small"),
        v4.new_code_cell(
            "size = 2  # how large\nsizes = [1, 2]  # many", metadata={"tags": ["parameters"]}
        ),
        v4.new_code_cell("assert size < 9, 'too large'"),
        v4.new_code_cell("print('largest size:', size)", metadata={"tags": ["headline"]}),
    ]
    cells[-1].outputs = [v4.new_output("stream", name="stdout", text="largest size: 2\n")]
    path = tmp_path / "91_small.ipynb"
    nbformat.write(normalise(v4.new_notebook(cells=cells)), path)
    monkeypatch.setattr(variants, "lessons", lambda names: [path])
    monkeypatch.setattr(variants, "RESULTS", tmp_path / "results")

    def write(content):
        file = tmp_path / "asked.yaml"
        file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
        return file

    return write


def searches(file, edition="colab", **options):
    return variants.expand(file, variants.read(file), edition, **options)


def read(file, edition="colab", **options):
    """The runs that the file asks for, each by itself."""
    return [run for search in searches(file, edition, **options) for run in search.runs]


def summary(*runs):
    return variants.summary([variants.Search(run.name, [run], 0) for run in runs])


def refused(file):
    with pytest.raises(SystemExit) as stop:
        read(file)
    return str(stop.value)


def test_lessons_are_found_by_number_with_and_without_quotes(tmp_path):
    file = tmp_path / "numbers.yaml"
    file.write_text("01:\n  a: {seed: 1}\n'03':\n  a: {seed: 1}\n")
    assert [run.lesson.name[:2] for run in read(file)] == ["01", "03"]


def test_each_stands_for_a_run_per_value_and_lists_stay_lists(small):
    file = small({"91": {"a": {"size": {"each": [1, 3]}, "sizes": {"each": [[1], [4, 5]]}}}})
    runs = read(file)
    assert [run.parameters for run in runs] == [
        {"size": 1, "sizes": [1]},
        {"size": 1, "sizes": [4, 5]},
        {"size": 3, "sizes": [1]},
        {"size": 3, "sizes": [4, 5]},
    ]
    assert len({run.target for run in runs}) == 4


def test_a_file_of_words_goes_along_as_a_list(small, tmp_path):
    file = small({"91": {"a": {"sizes": {"file": "mine.txt"}, "size": 3}}})
    (tmp_path / "mine.txt").write_text("\ufeffmint\n\n  Sage \r\ncafé\n", encoding="utf-8")
    (run,) = read(file)  # whatever the folder that this is started from
    assert run.parameters == {"sizes": ["mint", "Sage", "café"], "size": 3}
    before = run.key
    (tmp_path / "mine.txt").write_text("mint\nsage\n", encoding="utf-8")
    assert read(file)[0].key != before  # so it is done again
    (tmp_path / "mine.txt").write_text("sage\n" * 50, encoding="utf-8")
    (run,) = read(file)
    variants.store(run, run.notebook, None)
    assert "sizes = ['sage', 'sage', 'sage', 'sage'" in summary(run)
    assert max(map(len, summary(run).splitlines())) < 150


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"file": "none.txt"},
            "none.txt cannot be read in .* \\(No such file or directory\\); expected a",
        ),
        ({"file": "empty.txt"}, "empty.txt is empty; expected a line for each word"),
        ({"file": "latin.txt"}, "latin.txt is no text in UTF-8; expected a file with a line"),
        ({"file": "."}, "cannot be read in .* \\(Is a directory\\)"),
        ({"file": 3}, "file must be a file's name, as in {file: words.txt}"),
        ("mine.txt", "write {file: mine.txt}, so that the run gets what the file holds"),
    ],
)
def test_a_file_of_words_that_gives_none_is_refused(small, tmp_path, given, said):
    file = small({"91": {"a": {"sizes": given}}})
    (tmp_path / "mine.txt").write_text("mint")
    (tmp_path / "empty.txt").write_text(" \n\n")
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    assert re.search(f"variant 'a' of 91_small: .*{said}", refused(file))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["mint", "lemon balm"], "word 2, 'lemon balm', holds ' '"),
        (["mint2"], "word 1, 'mint2', holds '2'"),
        (["y"], "word 1, 'y', has 1 letters"),
        (["mint", "Mint", "sage"], "it holds 2 words"),
    ],
)
def test_the_lesson_says_which_of_the_words_it_cannot_use(tmp_path, lines, said):
    (tmp_path / "mine.txt").write_text("\n".join(lines))
    file = tmp_path / "asked.yaml"
    file.write_text("'09':\n  a: {words: {file: mine.txt}}\n")
    told = refused(file)
    assert "words must be a list of 20 to 100,000 words, or the name of a file with" in told
    assert "each of 2 to 14 letters and nothing else" in told and f": {said}\n" in told


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    assert "cannot be read: [Errno 2] No such file" in refused(tmp_path / "none.yaml")
    assert "cannot be read" in refused(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("01: {ä: 1}".encode("latin-1"))
    assert "cannot be read" in refused(tmp_path / "latin.yaml")


BOMB = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))
MERGES = "\n".join(f"a{n}: &a{n} {{<<: [{f'*a{n - 1}, ' * 9}]}}" for n in range(1, 30))
PART = "an alias stands for what it is part of"
MANY = "this stands for more than 1000000 values"  # said at once: they would fill any memory
EACH = "each must be a list, as in {each: [1, 2]}"
VALUE = "variant 'a' of 91_small gives 'size' the value ~ expected a number, a text in quotes"
NAMELESS = "a variant of 91_small has no name"
REFUSED = [
    ("a: [1", "is not YAML"),
    ("[" * 5000, "is not YAML"),
    ("'91': {a: {size: 2024-99-99}}", "is not YAML: month must be in 1..12"),
    ("'91': {a: {sizes: &a [*a]}}", PART),
    ("'91': &a {a: *a}", PART),
    ("'91': {a: &a {<<: *a}}", PART),
    ("'91': {a: &a {? [*a] : 1}}", PART),
    ("a0: &a0 [x]\n" + BOMB, MANY),
    ("a0: &a0 {x: 1}\n" + MERGES, MANY),
    ("[1, 2]", "must hold lessons"),
    ("'91': [1]", "must hold variants"),
    ("'91': {a: 3}", "must hold parameters"),
    ("'91': {a: {sice: 1}}", "sets 'sice', which the lesson does not have (did you mean 'size'?). "
     "It has: size, sizes"),
    ("'91': {A/b: {size: 1}, a b: {size: 2}}", "the variants 'A/b' and 'a b' of 91_small would be "
     "stored in the same file"),
    ("'91':\n  a: {size: 1}\n  a: {size: 2}\n", "'a' stands twice"),
    ("91: {a: {size: 1}}\n'91': {a: {size: 1}}\n", "'91' stands twice"),
    *[(f"'91': {{{name}: {{size: 1}}}}", NAMELESS) for name in ("''", "' '", "null", '"\\t"')],
    *[(f"'91': {{a: {{size: {{each: {each}}}}}}}", EACH)
      for each in ("3", "", "[]", "abc", "{a: 1}")],
    *[(f"'91': {{a: {{{hold}}}}}", "only a seed can hold, as in seed: {hold: 4}")
      for hold in ("size: {hold: 2}", "size: {hold: 0}", "sizes: {hold: }")],
    *[(f"'91': {{a: {{size: {value}}}}}", VALUE)
      for value in ("2024-01-01", "!!set {a}", ".inf", ".nan", "null", "{Each: [1]}", "[[2, ~]]")],
]  # fmt: skip


@pytest.mark.parametrize(("content", "words"), REFUSED)
def test_what_cannot_be_run_is_refused_before_anything_runs(small, content, words):
    said = refused(small(content))
    assert re.search(".*".join(map(re.escape, words.split(" ~ "))), said, re.DOTALL), said


@pytest.mark.parametrize(
    "content",
    [
        "'91': {base: &base {size: 3, sizes: [4]}, more: {<<: *base, size: 5}}",
        "'91': {base: &base {size: 3}, x: &x {sizes: [4]}, more: {<<: [*base, *x], size: 5}}",
        "'91': {base: &base {size: 3}, x: &x {sizes: [4]}, more: {<<: *base, <<: *x, size: 5}}",
        "'91': {base: &base {sizes: [4]}, more: {<<: {<<: *base, sizes: [4]}, size: 5}}",
    ],
)
def test_merge_keys_work_and_names_that_stand_twice_are_still_refused(small, content):
    assert read(small(content))[-1].parameters == {"size": 5, "sizes": [4]}
    twice = content.replace("size: 5", "size: 5, size: 5")
    assert "'size' stands twice" in refused(small(twice))


@pytest.mark.parametrize("name", ["''", "'0'", "9.1", "null", "[1]", "true"])
def test_what_is_no_lesson_is_refused(name, tmp_path):
    file = tmp_path / "asked.yaml"
    file.write_text(f"? {name}\n: {{a: {{seed: 1}}}}\n")
    with pytest.raises(SystemExit, match=r"is no lesson|no lesson is called|not YAML"):
        read(file)


def test_long_names_and_other_editions_have_files_of_their_own(small):
    names = [f"{'中' * 200} {place}" for place in ("first", "second")]
    file = small({"91": {name: {"size": 1} for name in names}})
    targets = {run.target for kind in ("colab", "student") for run in read(file, kind)}
    assert len(targets) == 4
    assert all(len(target.name.encode()) < 255 for target in targets)


@pytest.mark.parametrize("content", ["", "[]", '{"cells": [', "{}"])
def test_a_result_that_is_cut_short_is_done_again(small, content):
    (run,) = read(small({"91": {"good": {"size": 3}}}))
    variants.store(run, run.notebook, None)
    run.record.write_text(content)
    assert not variants.finished(run)
    variants.store(run, run.notebook, None)
    assert variants.finished(run)
    run.target.unlink()
    assert not variants.finished(run)


def test_a_worker_with_another_module_is_not_believed(small):
    (run,) = read(small({"91": {"good": {"size": 3}}}))
    notebook = nbformat.reads(run.notebook, as_version=4)
    said = "attn_teach was here already, another version than in this file; it is used"
    notebook.cells[0].outputs = [v4.new_output("stream", name="stdout", text=said)]
    record = variants.store(run, nbformat.writes(notebook), None)
    assert "another version of attn_teach" in record["failure"]
    assert not variants.finished(run)


def test_a_kernel_that_dies_is_named_with_its_cell(small):
    (run,) = read(small({"91": {"dead": {"size": 3}}}))
    killer = run.notebook.replace("assert size < 9, 'too large'", "\\n\\nimport os; os._exit(1)")
    _, failure, _ = variants.execute(killer, run.parameters, 60)
    assert failure.startswith("In [4] (import os; os._exit(1)): DeadKernelError")


def test_a_scheduler_that_vanishes_loses_nothing_that_is_done(small):
    class Gone:
        def submit(self, *_, **__):
            return object()

        def map(self, _, texts, *__, **___):
            return [object() for _ in texts]

    asked = searches(small({"91": {"a": {"size": 1}, "b": {"size": 3}}}))
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(variants, "as_completed", Ended)
        assert variants.perform(asked, Gone(), report=said.append) == 2
    assert all("lost" in line for line in said) and len(said) == 2
    assert "not done" in variants.summary(asked)


def test_lost_runs_are_said_and_done_by_the_same_command(small, pool, monkeypatch, capsys):
    file = small({"91": {"a": {"size": {"each": [1, 3, 4]}}}})
    ends = iter([None, OSError("gone"), OSError("gone")])

    def result(self):
        if error := next(ends):
            raise error
        return self.text, None, 0.1

    with monkeypatch.context() as patch:
        patch.setattr(Done, "result", result)
        with pytest.raises(SystemExit, match=r"^2 of 3 runs were lost; the same command does"):
            variants.main([str(file)])
    assert capsys.readouterr().out.count("| not done") == 2
    assert variants.main([str(file)]) == 0
    assert "3 runs: 1 done before, 2 to do" in capsys.readouterr().out


@pytest.mark.parametrize("number", ["0", "-1", "two"])
def test_no_workers_are_refused(small, number, capsys):
    with pytest.raises(SystemExit):
        variants.main([str(small({"91": {"a": {"size": 1}}})), f"--workers={number}"])
    assert "expected a whole number from 1 on" in capsys.readouterr().err


def test_runs_are_done_once_failures_again_and_the_rest_is_unharmed(small, monkeypatch, capsys):
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    file = small({"91": {"good": {"size": 3}, "bad": {"size": 9}, "same": {"size": 2}}})
    assert variants.main([str(file), "--workers", "2"]) == 1
    said = capsys.readouterr().out
    assert "3 runs: 0 done before, 3 to do" in said and "\n2 at a time\n" in said
    failure = "In [4] (assert size < 9, 'too large'): AssertionError: too large"
    assert re.search(r"\[\d/3\] 91 bad +\d+\.\d s +FAILED " + re.escape(failure), said)
    table = re.findall(r"^\| (.*?) +\| (.*?) +\| (.*?) +\|$", said, re.MULTILINE)
    assert sorted(table) == [
        ("(as published)", "", "2"),
        ("bad", "size = 9", "FAILED"),
        ("good", "size = 3", "**3**"),
        ("same", "size = 2", "2"),
        ("variant", "parameters", "largest size"),
    ]
    assert f"bad failed: {failure}" in said
    good = variants.RESULTS / "asked" / "colab" / "91_small" / "good.ipynb"
    assert "size = 3" in good.read_text() and "largest size: 3" in good.read_text()
    assert (variants.RESULTS / "asked" / "colab" / "summary.md").read_text() in said

    before = good.stat().st_mtime_ns
    file = small({"91": {"good": {"size": 3}, "bad": {"size": 8}}})
    assert variants.main([str(file)]) == 0
    said = capsys.readouterr().out
    assert "2 runs: 1 done before, 1 to do" in said
    assert good.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "now", [{}, {"size": 4}, {"size": 3, "sizes": [1]}, {"size": "3"}, {"sizes": [3]}]
)
def test_results_of_other_parameters_are_not_believed(small, now):
    (run,) = read(small({"91": {"good": {"size": 3}}}))
    variants.store(run, run.notebook, None)
    (again,) = read(small({"91": {"good": now}}))
    assert again.target == run.target and not variants.finished(again)
    assert "not done" in summary(again)


def test_a_changed_module_or_lesson_is_done_again(small, monkeypatch):
    file = small({"91": {"good": {"size": 3}}})
    (run,) = read(file)
    variants.store(run, run.notebook, None)
    assert variants.finished(run)
    with monkeypatch.context() as patch:
        patch.setattr(editions, "build_wheel", lambda: b"another module")
        (again,) = read(file)
    assert again.target == run.target and not variants.finished(again)
    run.lesson.write_text(run.lesson.read_text().replace("# how large", "# another comment"))
    (again,) = read(file)
    assert not variants.finished(again)


def printing(run, text):
    """Return the run's notebook as if its headline cell had printed the text."""
    notebook = nbformat.reads(run.notebook, as_version=4)
    (cell,) = (c for c in notebook.cells if "headline" in tags(c))
    cell.outputs = [v4.new_output("stream", name="stdout", text=text)]
    return nbformat.writes(notebook)


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("error: 0.88 squared units of y\nlargest size: 2\n", ["0.88 squared units of y", "2"]),
        ("error: 0.88 squared units\nlargest size: 2\n", ["**0.88 squared units**", "2"]),
        ("largest size: 2 \n", ["**missing**", "2"]),
        ("error: \nlargest size: 2", ["**missing**", "2"]),
        ("", ["**missing**", "**missing**"]),
    ],
)
def test_the_summary_marks_what_changed_and_what_is_missing(small, printed, shown):
    (run,) = read(small({"91": {"a": {"size": 3}}}))
    notebook = nbformat.read(run.lesson, as_version=4)
    notebook.cells[3].outputs[0].text = "error: 0.88 squared units of y\nlargest size: 2\n"
    run.published = notebook
    variants.store(run, printing(run, printed), None)
    heads, _, published, row = summary(run).splitlines()[2:6]
    cells = [[cell.strip() for cell in line.split("|")[3:-1]] for line in (heads, published, row)]
    assert cells == [["error", "largest size"], ["0.88 squared units of y", "2"], shown]


def test_what_breaks_a_table_does_not_break_the_summary(small):
    (run,) = read(small({"91": {"a | b": {"sizes": ["c|d\ne"]}}}))
    variants.store(run, printing(run, "largest size: 3|4\n"), None)
    *_, row = summary(run).splitlines()
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
    assert cells[0] == r"a \| b" and cells[2] == r"**3\|4**" and len(cells) == 3


def test_a_lesson_is_made_once_and_its_runs_share_it(small, monkeypatch):
    made = []
    monkeypatch.setattr(
        variants, "as_text", lambda notebook: made.append(notebook) or nbformat.writes(notebook)
    )
    file = small({"91": {"a": {"size": {"each": list(range(100))}}, "b": {"size": 1}}})
    runs = read(file)
    assert len(made) == 1
    assert len(runs) == 101 and len({id(run.notebook) for run in runs}) == 1
    assert len({run.key for run in runs}) == 100  # two have the same parameters


IO = Path("/proc/self/io")


def bytes_read():
    """Return how much this process has read from files, on Linux."""
    return int(re.search(r"rchar: (\d+)", IO.read_text())[1]) if IO.exists() else 0


def test_many_runs_are_listed_and_summed_up_without_reading_them_whole(small, tmp_path):
    runs = read(small({"91": {"a": {"size": {"each": list(range(2000))}}}}))
    variants.store(runs[0], runs[0].notebook, None)
    large = tmp_path / "large"  # in all, 40 GB
    large.write_bytes(b" " * 20_000_000)
    record = runs[0].record.read_text()
    runs[0].target.unlink()
    for run in runs:
        run.target.hardlink_to(large)
        run.record.write_text(record)
    before = bytes_read()
    assert sum(map(variants.finished, runs)) == 1
    assert summary(*runs).count("not done") == 1999
    assert bytes_read() - before < 1_000_000_000


def test_what_is_stored_can_be_found_again_however_it_failed(small):
    (run,) = read(small({"91": {"a": {"size": 1}}}))
    failure = 'ValueError: \n "metadata": {'
    variants.store(run, run.notebook, failure)
    assert variants.result(run)["failure"] == failure
    assert not variants.finished(run)


class Ended(list):
    """The futures as they end: at once, those that are added meanwhile too."""

    update = list.extend


class Pool:
    """A Dask client without workers: each run ends at once, and nothing is computed."""

    def __init__(self):
        self.sent = []

    def submit(self, function, text, **_):
        self.sent.append(text)
        return function(text)

    def map(self, _, texts, parameters, **__):
        self.sent += parameters
        return [Done(text) for text in texts]


class Done:
    status = "finished"

    def __init__(self, text):
        self.text = text

    def result(self):
        return self.text, None, 0.1


@pytest.fixture
def pool(monkeypatch):
    """A Dask client without workers: each run ends at once, and nothing is computed."""
    client = Pool()
    monkeypatch.setattr(variants, "as_completed", Ended)
    monkeypatch.setattr(variants, "_do", lambda todo, _: variants.perform(todo, client))
    return client


def test_the_text_is_sent_once_for_all_runs(small, pool):
    variants.main([str(small({"91": {"a": {"size": {"each": [1, 2, 3]}}}}))])
    assert [type(each) for each in pool.sent] == [str, dict, dict, dict]


def test_a_grid_is_counted_before_anything_is_made(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(variants, "RESULTS", tmp_path)
    monkeypatch.setattr(variants, "expand", lambda *_: pytest.fail("runs are made"))
    file = tmp_path / "asked.yaml"
    ranges = ", ".join(
        f"{name}: {{each: {list(range(1000))}}}" for name in ("seed", "num_points", "num_epochs")
    )
    file.write_text(f"'01': {{grid: {{{ranges}}}, few: {{noise: {{each: [0.3, 0.4]}}}}, a: {{}}}}")
    with pytest.raises(SystemExit, match=r"^more than 1000 of 1000000003 runs .* --yes"):
        variants.main([str(file)])
    assert capsys.readouterr().out.splitlines() == [
        "grid of 01_kernel_regression: 1000 x 1000 x 1000 = 1000000000 runs",
        "few of 01_kernel_regression: 2 runs",
    ]


def test_many_runs_are_done_only_if_wanted(small, pool, monkeypatch, capsys):
    monkeypatch.setattr(variants, "MOST_RUNS", 2)
    file = small({"91": {"a": {"size": {"each": [1, 2, 3]}}}})
    with pytest.raises(SystemExit, match="more than 2 of 3 runs are to do; add --yes"):
        variants.main([str(file)])
    asked = []
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or answer)
    answer = "n"
    with pytest.raises(SystemExit, match="nothing was done"):
        variants.main([str(file)])
    assert asked == ["more than 2 of 3 runs are to do; go on? [y/n] "]
    assert not pool.sent
    answer = "y"
    assert variants.main([str(file)]) == 0
    assert len(asked) == 2
    file = small({"91": {"a": {"size": {"each": [1, 2, 3, 4, 5]}}}})
    assert variants.main([str(file)]) == 0
    assert len(asked) == 2  # there are two to do
    file = small({"91": {"a": {"size": {"each": [1, 2, 3]}, "sizes": [3]}}})
    assert variants.main([str(file)]) == 0
    assert len(asked) == 3  # results are there, but of other parameters
    file = small({"91": {"b": {"size": {"each": [1, 2, 3, 4, 5, 6, 7, 8]}}}})
    assert variants.main([str(file), "--yes"]) == 0
    assert len(asked) == 3


@pytest.mark.parametrize("name", ["a.ipynb", "summary.md"])
def test_a_full_disk_is_said_and_nothing_is_half_written(small, pool, monkeypatch, tmp_path, name):
    write = Path.write_bytes

    def full(path, content):
        if path.name.startswith(name):
            write(path, content[:9])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SystemExit, match=r"stopped: .* No space left on device; the same command"):
        variants.main([str(small({"91": {"a": {"size": 1}}}))])
    places = sorted(path.name for path in (tmp_path / "results").rglob("*.*"))
    assert places == (["a.ipynb", "a.json"] if name == "summary.md" else [])


@pytest.mark.parametrize("place", ["", "asked", "asked/colab", "asked/colab/91_small"])
def test_a_file_where_the_results_belong_is_said(small, tmp_path, place):
    path = tmp_path / "results" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    with pytest.raises(SystemExit, match=f"^{path} is a file, but"):
        variants.main([str(small({"91": {"a": {"size": 1}}}))])


CHECKED = """
marks.append(size)
check_parameters(globals(), size=(0, 9))
check_parameters(globals(), sizes=[[size], [1, 2]])
"""


def test_what_the_lesson_refuses_is_refused_before_it_is_run(small):
    file = small({"91": {"a": {"size": {"each": [3, 4]}, "sizes": [4]}}})
    (path,) = variants.lessons([])
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = "marks = []\n" + notebook.cells[1].source
    notebook.cells[2].source = CHECKED
    notebook.cells[3].source = "raise RuntimeError('no other cell is executed')"
    nbformat.write(notebook, path)
    said = refused(file)
    assert "variant 'a size=3' of 91_small is refused by the lesson:\nsizes must be" in said
    assert "got [4] (list)" in said
    assert "size must be a whole number from 0" in refused(small({"91": {"a": {"size": 10}}}))
    assert "size must be a whole number from 0" in refused(small({"91": {"a": {"size": "1"}}}))
    assert len(read(small({"91": {"a": {"size": {"each": [0, 9]}}, "b": {"sizes": [2]}}}))) == 3


@pytest.mark.parametrize(
    ("lesson", "wrong", "said"),
    [
        ("01", "noise: 7", r"noise must be a number from 0\.2 to 1\.0, got 7"),
        ("02", "n: 257", "n must be a whole number from 2 to 256, got 257"),
        ("03", "shown: 0", r"shown must be one of 1, 2, got 0"),
        ("04", "num_heads: 4", "num_heads must be one of"),
        ("05", "kernel: 4", "kernel must be .* in steps of 2"),
        ("06", "train_length: 13", "train_length must be .* in steps of 4"),
    ],
)
def test_every_lesson_refuses_what_it_cannot_show(tmp_path, lesson, wrong, said):
    file = tmp_path / "asked.yaml"
    file.write_text(f"'{lesson}': {{good: {{seed: 1}}, wrong: {{{wrong}}}}}")
    with pytest.raises(SystemExit, match=f"variant 'wrong' of {lesson}_.*\n{said}"):
        read(file)


def test_limits_may_depend_on_other_parameters(tmp_path):
    file = tmp_path / "asked.yaml"
    file.write_text("'03': {a: {extra_pads: 1, shown: 0}}\n'02': {a: {d: 60, n: 63}}")
    assert len(read(file)) == 2


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, each a process of its own, that have nothing of this project."""
    python = bare.make(
        tmp_path / "python", "torch", "matplotlib", "papermill", "ipykernel", "distributed"
    )
    assert "attn_teach" not in bare.modules(python)
    (tmp_path / "empty").mkdir()
    where = tmp_path / "scheduler.json"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    processes = []

    def start(*arguments):
        command = [str(python), "-m", "dask", *arguments, "--scheduler-file", str(where)]
        with (tmp_path / "log").open("ab") as log:
            process = subprocess.Popen(
                [*command, "--no-dashboard"],
                cwd=tmp_path / "empty",
                env=environment,
                stdout=log,
                stderr=log,
            )
        processes.append(process)
        return process

    start("scheduler", "--host", "127.0.0.1", "--port", "0")
    wait(where.exists)
    options = ("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1")
    workers = [start("worker", *options) for _ in range(2)]
    address = yaml.safe_load(where.read_text())["address"]
    client = variants.connect(address)
    wait(lambda: len(client.nthreads()) == 2)
    yield client, address, {worker.pid: worker for worker in workers}
    client.close()
    for process in processes:
        process.kill()
        process.wait()


def wait(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def test_a_worker_is_killed_in_the_middle_and_no_lesson_is_lost(cluster, tmp_path):
    client, address, workers = cluster
    file = tmp_path / "asked.yaml"
    file.write_text("'03': {seeds: {seed: {each: [11, 12, 13]}}}")
    command = [sys.executable, "-c", DRIVER, str(tmp_path / "results"), str(file), address]
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    wait(lambda: sum(map(len, client.processing().values())) >= 2)  # both are at work
    time.sleep(2)
    killed, survivor = sorted(workers)
    os.kill(killed, signal.SIGKILL)
    said, _ = run.communicate(timeout=10 * SECONDS)
    assert workers[killed].wait() == -signal.SIGKILL
    assert workers[survivor].poll() is None
    assert run.returncode == 0, said
    assert len(re.findall(r"^\[\d/3\] .* s  (?:done|FALSE.*)$", said, re.MULTILINE)) == 3
    stored = sorted((tmp_path / "results").rglob("*.ipynb"))
    assert [path.stem for path in stored] == [f"seeds_seed={seed}" for seed in (11, 12, 13)]
    for path in stored:
        notebook = nbformat.read(path, as_version=4)
        assert len(headlines(notebook)) >= 3
        assert "attn_teach was unpacked from this file" in notebook.cells[0].outputs[0].text


def test_the_only_worker_is_killed_and_no_lesson_is_lost(small):
    asked = searches(small({"91": {"a": {"size": {"each": [1, 3, 4]}}}}))
    client = variants.connect(workers=1)
    killed, known = [], []

    def kill(line):
        known.append(len(client.futures))
        if not killed:  # nothing is left of the lesson's text but what the scheduler knows
            killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    try:
        assert variants.perform(asked, client, report=kill) == 0
        assert list(client.run(os.getpid).values()) != killed
        assert known[-1] < known[0]  # what is stored here is not kept there
    finally:
        client.close()
        client.cluster.close()
    assert all(variants.finished(search.runs[0]) for search in asked)


DRIVER = """
import sys
from pathlib import Path
from classroom import variants
variants.RESULTS = Path(sys.argv[1])
sys.exit(variants.main([sys.argv[2], "--scheduler", sys.argv[3]]))
"""


def test_copies_to_hand_out_show_no_result_behind_a_question(small):
    file = small({"91": {"good": {"size": 3}}})
    shown = {}
    for edition in ("colab", "student"):
        (run,) = read(file, edition)
        notebook = nbformat.reads(run.notebook, as_version=4)
        question = v4.new_code_cell("predict('9.1')", metadata={"tags": ["predict"]})
        notebook.cells[3:3] = [question]
        said = v4.new_output("stream", name="stdout", text="largest size: 3\n")
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = [said]
        assert variants.store(run, nbformat.writes(notebook), None)["failure"] is None
        stored = nbformat.read(run.target, as_version=4)
        shown[edition] = [bool(cell.get("outputs")) for cell in stored.cells[:6]]
        assert variants.result(run)["headlines"] == {"largest size": "3"}
    assert shown["colab"] == [True, False, True, True, True, True]
    assert shown["student"] == [True, False, True, False, False, False]


# What is false


REVEAL = "**B is right.** It is about 20."


@pytest.fixture
def claims(small):
    """The lesson makes claims, which are true of size = 2 and of few seeds; return as `small`."""
    (path,) = variants.lessons([])
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = "size = 2  # how large\nseed = 0  # start of the random numbers"
    notebook.cells[2].source = "import random\nrandom.seed(seed)\nvalue = 10 * size + seed % 3"
    notebook.cells[3].source = "print('value:', value)\nprint('drawn:', random.random())"
    notebook.cells[3].outputs[0].text = "value: 20\n"
    question = v4.new_code_cell("# predict('91.1')", metadata={"tags": ["predict"]})
    question.metadata.premise = "size < 5"
    reveal = v4.new_markdown_cell(REVEAL, metadata={"tags": ["reveal"]})
    reveal.metadata.premise = "seed != 3 and 1 / (seed - 6) < 9"
    notebook.cells[3:] = [question, notebook.cells[3], reveal]
    nbformat.write(normalise(notebook), path)
    return small


def run_here(text, parameters):
    """Execute a notebook's cells in this process; return it with what they print."""
    notebook, names = nbformat.reads(text, as_version=4), {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and "setup" not in tags(cell):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(cell.source, names)
            cell.outputs = [v4.new_output("stream", name="stdout", text=printed.getvalue())]
            names.update(parameters if "parameters" in tags(cell) else {})
    return nbformat.writes(notebook)


@pytest.fixture
def here(pool, monkeypatch):
    """The pool, where each run ends at once, executed in this process."""

    def execute(_, texts, parameters, **__):
        pool.sent += parameters
        return [Done(run_here(*pair)) for pair in zip(texts, parameters, strict=True)]

    monkeypatch.setattr(pool, "map", execute)
    return pool


def notebooks():
    return sorted(path.stem for path in variants.RESULTS.rglob("*.ipynb"))


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
def test_what_is_false_is_said_and_not_handed_out(claims, here, capsys, parameters, false):
    file = str(claims({"91": {"a": parameters}}))
    assert variants.main([file]) == 0  # the teacher's own
    assert notebooks() == ["a"]
    own = capsys.readouterr().out
    assert ("a says what is false:\n\n" in own) == bool(false)
    assert variants.main([file, "--edition", "student"]) == bool(false)
    assert notebooks() == ["a"] * (1 if false else 2)
    for said in (own, capsys.readouterr().out):
        assert [line[2:] for line in said.splitlines() if line.startswith("- ")] == false
        more = f" (and {len(false) - 1} more)" * (len(false) > 1)
        assert not false or f": {false[0]}{more}\n" in said
    assert false == [] or "a says what is false, so it is not written:" in said
    stored = (variants.RESULTS / "asked" / "student" / "summary.md").read_text()
    assert stored in said


def test_what_is_false_is_handed_out_if_one_insists(claims, here, capsys):
    file = str(claims({"91": {"a": {"seed": 3}}}))
    student = [file, "--edition", "student"]
    assert variants.main(student) == 1
    assert variants.main(student) == 1  # and it was not done again
    assert len(here.sent) == 2 and not notebooks()
    assert variants.main([*student, "--even-if-false"]) == 0
    assert notebooks() == ["a"] and FALSE in capsys.readouterr().out
    assert variants.main(student) == 1
    assert not notebooks()


def test_a_run_that_fails_is_no_student_edition(claims, here):
    (run,) = read(claims({"91": {"a": {}}}), "student")
    variants.store(run, run_here(run.notebook, {}), None)
    assert notebooks() == ["a"]
    variants.store(run, run.notebook, "ValueError: no")
    assert not notebooks() and not variants.finished(run)


def test_no_premise_and_no_trace_of_its_evaluation_is_written(claims):
    """By real kernels: where the random numbers and the counts stand, premises change nothing."""
    file = claims({"91": {"a": {"seed": 9}, "b": {"seed": 3}}})
    assert variants.main([str(file), "--edition", "solutions", "--workers", "2"]) == 0
    places = [variants.RESULTS / "asked" / "solutions" / "91_small" / f"{n}.ipynb" for n in "ab"]
    for path, seed in zip(places, (9, 3), strict=True):
        stored = nbformat.read(path, as_version=4)
        assert "premise" not in path.read_text()
        counts = [c.execution_count for c in stored.cells if c.cell_type == "code"]
        assert counts == [*range(1, len(counts) + 1)]
        assert headlines(stored)["drawn"] == str(random.Random(seed).random())
    said = (places[0].parents[1] / "summary.md").read_text()
    assert f"b says what is false:\n\n- {FALSE}\n" in said and "a says" not in said


def test_seeds_are_searched_for_until_so_many_hold(claims, here, capsys):
    file = str(claims({"91": {"a": {"seed": {"hold": 2}}}}))
    assert variants.main([file, "--edition", "student"]) == 0
    assert notebooks() == ["a_seed=12", "a_seed=9"]
    assert [each["seed"] for each in here.sent if isinstance(each, dict)] == [*range(1, 13)]
    said = capsys.readouterr().out
    assert "2 runs: 0 done before, 2 or more to do" in said
    assert "\na: 2 of 2 seeds found, 12 tried; thrown away were, what fails most" in said
    thrown = [f"seeds 1, 2, 4, 5, 7, 8, 10, 11: {LOST}", f"seed 3: {FALSE}", f"seed 6: {RAISES}"]
    assert "\n\n- " + "\n- ".join(thrown) + "\n" in said
    rows = re.findall(r"^\| (a .*?) +\| (.*?) +\|", said, re.MULTILINE)
    assert rows == [("a seed=9", "seed = 9"), ("a seed=12", "seed = 12")]

    # The same again does nothing; one more, only what is missing; of what was removed, only that.
    here.sent.clear()
    assert variants.main([file, "--edition", "student"]) == 0
    assert "2 runs: 2 done before, 0 to do" in capsys.readouterr().out
    file = str(claims({"91": {"a": {"seed": {"hold": 3}}}}))
    assert variants.main([file, "--edition", "student"]) == 0
    next(variants.RESULTS.rglob("a_seed=9.ipynb")).unlink()
    assert variants.main([file, "--edition", "student"]) == 0
    assert [each["seed"] for each in here.sent if isinstance(each, dict)] == [13, 14, 15, 9]
    assert notebooks() == ["a_seed=12", "a_seed=15", "a_seed=9"]


def test_a_search_that_finds_too_few_says_why(claims, here, capsys, monkeypatch):
    monkeypatch.setattr(variants, "TRIES", 5)
    file = str(claims({"91": {"a": {"seed": {"hold": 2}}, "b": {"seed": 12}}}))
    assert variants.main([file]) == 1
    assert notebooks() == ["a_seed=9", "b"]
    said = capsys.readouterr().out
    assert "a: 1 of 2 seeds found, 10 tried; thrown away were" in said
    assert f"\n\n- seeds 1, 2, 4, 5, 7, 8, 10: {LOST}\n" in said


def test_a_search_goes_with_other_parameters(claims, here, capsys):
    file = claims({"91": {"a": {"seed": {"hold": 1}, "size": {"each": [2, 5]}}}})
    assert variants.main([str(file)]) == 1
    assert notebooks() == ["a_size=2_seed=9"]
    said = capsys.readouterr().out
    assert "a of 91_small: 2 x 1 = 2 runs\n" in said
    assert "a size=2: 1 of 1 seeds found, 9 tried;" in said
    assert "a size=5: 0 of 1 seeds found, 10 tried;" in said
    assert f"- seeds 1, 2, 3, 4, 5, 6, 7, 8, 9, 10: {QUESTION}\n" in said


def test_a_search_has_no_more_runs_at_once_than_are_missing(claims):
    (search,) = searches(claims({"91": {"a": {"seed": {"hold": 4}}}}))
    begun = search.begin()
    assert [run.parameters["seed"] for run in begun] == [1, 2, 3, 4]
    assert search.begin() == []
    variants.store(begun[0], run_here(begun[0].notebook, begun[0].parameters), None)
    search.running -= 1
    assert [run.parameters["seed"] for run in search.begin()] == [5]


# Lessons with parameters at random


def at_random(draw, limit):
    """A value within a limit, as check_parameters has it."""
    if isinstance(limit, dict):  # of words
        return ["".join(draw.choices("aeioumnrst", k=draw.randint(3, 9))) for _ in range(60)]
    if isinstance(limit, tuple):
        low, high, *step = limit
        if step:
            return low + step[0] * draw.randrange(round((high - low) / step[0]) + 1)
        whole = isinstance(low, int)
        return draw.randint(low, high) if whole else round(draw.uniform(low, high), 3)
    if isinstance(limit[0], tuple):
        return [at_random(draw, limit[0]) for _ in range(draw.randint(1, 4))]
    return draw.choice(limit)


def sets_at_random(path, count):
    """So many sets: a seed, and in every other set one more parameter."""
    draw, its = random.Random(path.stem), limits(path)[0]
    others = [name for name in its if name != "seed"]
    while count:
        chosen = {"seed": at_random(draw, its["seed"])}
        if count % 2:
            name = draw.choice(others)
            chosen[name] = at_random(draw, its[name])
        with contextlib.suppress(ValueError):  # two that do not go together
            given(path, **chosen)
            yield chosen
            count -= 1


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_what_is_handed_out_is_true(path, request, tmp_path):
    """Forty sets with --every; else one, of two lessons that train little. In build/variants/."""
    every = request.config.getoption("every")
    if not every and path not in lessons(["01", "05"]):
        pytest.skip("two lessons stand for the others; all of them: --every")
    count = 40 if every else 1
    drawn = dict(enumerate(sets_at_random(path, count), start=1))
    file = tmp_path / f"random_{number(path)}.yaml"
    file.write_text(yaml.safe_dump({number(path): {"published": {}, **drawn}}))
    variants.main([str(file), "--edition", "student"])
    published = nbformat.read(path, as_version=4)
    premises = {c.id: c.metadata.premise for c in published.cells if "premise" in c.metadata}
    for run in read(file, "student"):
        record = variants.result(run)
        assert record["failure"] is None
        assert run.target.exists() == (not record["false"])
        assert run.target.exists() or run.name != "published", record["false"]
        if run.target.exists():  # read as a learner would, with each premise asserted in its place
            notebook = nbformat.read(run.target, as_version=4)
            assert not [cell for cell in notebook.cells if "premise" in cell.metadata]
            pairs = [[cell, *asserted(premises.get(cell.id))] for cell in notebook.cells]
            notebook.cells = [cell for pair in pairs for cell in pair]
            execute_in(tmp_path, notebook)


def asserted(premise):
    return [v4.new_code_cell(f"assert ({premise})")] if premise else []
