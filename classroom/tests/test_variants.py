"""Lessons with other parameters: on this machine, and on workers that may die."""

import contextlib
import io
import itertools
import random
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import cloudpickle
import nbformat
import pytest
import yaml
from nbformat import v4
from test_other_parameters import sets

from classroom import variants
from tools.editions import editions
from tools.lessons import execute_in, lessons, normalise, number
from tools.notebook import headlines, tags

pytestmark = pytest.mark.long

REVEAL = "**B is right.** It is about 20."
STUDENT = "--edition", "student"


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
        code("\n\nimport random\nassert size != 8, 'too large'\n"
             "if size == 9: import os; os._exit(1)\n"
             "random.seed(seed)\nvalue = 10 * size + seed % 3"),
        code("# predict('91P')", tags=["predict"], premise="size < 5"),
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

    def write(content):
        text = content if isinstance(content, str) else yaml.safe_dump({"91": content})
        file = tmp_path / "asked.yaml"
        file.write_text(text)
        return str(file)

    return write


@pytest.fixture
def ask(asked, capsys):
    """The command, with variants of the small lesson: what it returns, and what it says."""

    def command(content, *options):
        status = variants.main([asked(content), *options])
        return status, capsys.readouterr().out

    return command


@pytest.fixture
def tried(here, monkeypatch):
    """What runs were given, each executed in this process; and what is to become of them."""
    told = SimpleNamespace(done=[], lost=[], failure=None, setup="")

    def execute(text, parameters):
        told.done.append(parameters)
        if parameters.get("size") in told.lost:
            raise OSError("gone")
        notebook, names = nbformat.reads(text, as_version=4), {}
        first, *cells = (cell for cell in notebook.cells if cell.cell_type == "code")
        first.outputs = code("", told.setup).outputs
        for cell in cells:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(cell.source, names)
            cell.outputs = code("", printed.getvalue()).outputs
            names.update(parameters if "parameters" in tags(cell) else {})
        return nbformat.writes(notebook), told.failure, 0.1

    monkeypatch.setattr(variants, "execute", execute)
    return told


def searches(file, edition="colab"):
    return list(variants.expand(file, variants.read(file), edition))


def notebooks():
    return sorted(path.stem for path in variants.RESULTS.rglob("*.ipynb"))


# What is asked for

REFUSED = [
    *[(text, "cannot be read as YAML") for text in ("a: [1", "[" * 5000, "? [1]\n: 2")],
    ("[1, 2]", "must hold lessons"),
    ("'91': [1]", "must hold variants"),
    ("'91': {a: {sice: 1}}", "sets 'sice', which the lesson does not have. It has: size, sizes"),
    ("'91': {A/b: {size: 1}, a b: {size: 2}}", "would be stored in the same file as 'A/b'"),
    ("'91':\n  a: {size: 1}\n  a: {size: 2}\n", "'a' stands twice"),
    ("'91': {a: 3}", "must have parameters"),
    *[(f"? {name}\n: {{a: {{seed: 1}}}}\n", "no lesson") for name in ("''", "9.1", "null", "true")],
    *[(f"'91': {{a: {{size: {value}}}}}", "variant 'a' of 91_small gives 'size' the value")
      for value in ("!!set {a}", "null", "{Each: [1]}", "{each: 3}", "{each: []}",
                    "{each: [1], hold: 1}", "{hold: 2}")],
    *[(f"'91': {{a: {{seed: {{hold: {hold}}}}}}}", "or, for the seed, {hold: 4}")
      for hold in ("0", "", "true")],
    *[(f"'91': {{a: {{sizes: {{file: {name}}}}}}}", words) for name, words in
      {"none.txt": "cannot be read in", "latin.txt": "is no text in UTF-8"}.items()],
]  # fmt: skip


@pytest.mark.parametrize(("content", "words"), REFUSED)
def test_what_cannot_be_run_is_refused_before_anything_runs(ask, tmp_path, tried, content, words):
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    with pytest.raises(SystemExit, match=re.escape(words)):
        ask(content)
    assert not tried.done
    for name in ("none.yaml", "", "latin.txt"):
        with pytest.raises(SystemExit, match="cannot be read as YAML: "):
            variants.read(tmp_path / name)


TAKEN = {  # a file of variants: the parameters of its runs
    "91:\n  a: {seed: 1}\n": [{"seed": 1}],
    "'91': {a: {size: {each: [1, 3]}, sizes: {each: [[1], [4, 5]]}}}":
        [{"size": size, "sizes": sizes} for size in (1, 3) for sizes in ([1], [4, 5])],
    "'91': {b: &b {size: 3}, x: &x {sizes: [4]}, more: {<<: [*b, *x], size: 5}}":
        [{"size": 3}, {"sizes": [4]}, {"size": 5, "sizes": [4]}],
    "'91': {a: {sizes: {file: words.txt}, size: 3}}":
        [{"sizes": ["mint", "Sage", "café"], "size": 3}],
}  # fmt: skip


@pytest.mark.parametrize("content", TAKEN)
def test_what_is_asked_for_is_run_once(ask, tmp_path, tried, content):
    (tmp_path / "words.txt").write_text("\ufeffmint\n\n  Sage \r\ncafé\n", encoding="utf-8")
    for _ in range(2):
        assert ask(content)[0] == 0
        assert tried.done == TAKEN[content] and len(notebooks()) == len(tried.done)


def test_long_names_and_other_editions_have_files_of_their_own(ask, tried):
    names = [f"{'中' * 200} {place}" for place in ("first", "second")]
    for options in ((), STUDENT):
        ask({name: {"seed": 9} for name in names}, *options)
    assert len(tried.done) == len(notebooks()) == 4
    assert all(len(name.encode()) < 250 for name in notebooks())


@pytest.mark.parametrize("change", ["size", "type", "more", "module", "lesson", "words", "removed"])
def test_what_is_stored_is_done_again_if_anything_is_another(
    small, ask, tried, tmp_path, monkeypatch, change
):
    words = tmp_path / "mine.txt"
    words.write_text("sage\n" * 50)
    given = {"size": 3, "sizes": {"file": "mine.txt"}}
    _, said = ask({"a": given})
    assert max(map(len, said.splitlines())) < 200  # the words are cut
    given |= {"size": {"size": 4}, "type": {"size": 3.0}, "more": {"seed": 0}}.get(change, {})
    if change == "module":
        monkeypatch.setattr(editions, "build_wheel", lambda: b"another module")
    elif change == "lesson":
        small.write_text(small.read_text().replace("# how large", "# another comment"))
    elif change == "words":
        words.write_text("mint\n" * 50)
    elif change == "removed":
        next(variants.RESULTS.rglob("a.ipynb")).unlink()
    ask({"a": given})
    assert len(tried.done) == 2 and notebooks() == ["a"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"failure": "ValueError: it"}, "FAILED ValueError: it"),
        ({"setup": "another version"}, "FAILED the worker has another version of attn_teach"),
    ],
)
def test_what_failed_is_said_and_done_again_and_its_copy_taken_away(ask, tried, bad, said):
    ask({"a": {}}, *STUDENT)
    assert notebooks() == ["a"]
    next(variants.RESULTS.rglob("a.ipynb")).write_text("an older one")
    next(variants.RESULTS.rglob("*.jsonl")).unlink()
    vars(tried).update(bad)
    for _ in range(2):
        status, told = ask({"a": {}}, *STUDENT)
        assert status == 1 and not notebooks() and "0 done before" in told and said in told
    assert len(tried.done) == 3


def test_copies_to_hand_out_show_no_result_behind_a_question(ask, tried):
    for options, shown in (((), True), (STUDENT, False)):
        ask({"a": {}}, *options)
        edition = variants.RESULTS / "asked" / "".join(options[1:] or ["colab"])
        cells = nbformat.read(edition / "91_small" / "a.ipynb", as_version=4).cells
        assert any(cell.get("outputs") for cell in cells) == shown


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("error: 0.88 squared units of y\nvalue: 20", ["0.88 squared units of y", "20"]),
        ("error: \nvalue: 3|4", ["**missing**", r"**3\|4**"]),
    ],
)
def test_the_summary_marks_what_changed_and_what_is_missing(small, ask, tried, printed, shown):
    book = nbformat.read(small, as_version=4)
    (cell,) = (cell for cell in book.cells if "headline" in tags(cell))
    cell.source, cell.outputs[0].text = (
        f"print({printed!r})",
        "error: 0.88 squared units of y\nvalue: 20\n",
    )
    nbformat.write(book, small)
    _, said = ask({"a | b": {"size": 3, "sizes": ["c|d\ne"]}})
    heads, _, published, row = (
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in said.partition("## ")[2].splitlines()[2:6]
    )
    assert heads[2:] == ["error", "value"] and published[2:] == ["0.88 squared units of y", "20"]
    assert row == [r"a \| b", "size = 3, sizes = ['c\\|d\\ne']", *shown]


def test_lost_runs_are_said_and_done_by_the_same_command(ask, tried):
    content, tried.lost = {"a": {"size": {"each": [1, 3, 4]}}}, [3, 4]
    with pytest.raises(SystemExit, match=r"^2 of 3 runs were lost; the same command does"):
        ask(content)
    tried.lost = ()
    status, said = ask(content)
    assert said.count("| not done") == 2 and said.count("lost: OSError") == 2
    assert status == 0 and "3 runs: 1 done before, 2 to do" in said


def test_many_runs_are_done_only_if_wanted(ask, tried, monkeypatch):
    ranges = {name: {"each": list(range(1000))} for name in ("seed", "size", "sizes")}
    with pytest.raises(SystemExit, match=r"^more than 1000, 1000000002 runs are wanted; add --yes"):
        ask({"grid": ranges, "few": {"size": {"each": [3, 4]}}})
    monkeypatch.setattr(variants, "MOST_RUNS", 2)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    questions, answers = [], iter(["n", "y"])
    monkeypatch.setattr("builtins.input", lambda text: questions.append(text) or next(answers))
    with pytest.raises(SystemExit, match="add --yes"):
        ask({"a": {"size": {"each": [1, 2, 3]}}})
    assert questions == ["more than 2, 3 runs are wanted; go on? [y/n] "] and not tried.done
    for sizes, options in [([1, 2, 3], ()), ([1, 2], ()), ([1, 2, 3], ("--yes",))]:
        assert ask({"a": {"size": {"each": sizes}}}, *options)[0] == 0
        assert len(questions) == 2  # later, no more than two are to do, or it is agreed


def test_on_a_full_disk_nothing_is_half_written(ask, tried, monkeypatch):
    def full(path, content):
        path.open("wb").write(content[:9])
        raise OSError("No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left on device"):
        ask({"a": {"size": 1}})
    assert not [*variants.RESULTS.rglob("*.ipynb")]


def test_what_stopped_while_it_was_stored_is_not_taken_for_what_was_there(ask, tried, monkeypatch):
    def stopped(notebook, target):
        write(notebook, target)
        raise KeyboardInterrupt

    ask({"a": {"size": 1}})
    write = variants.write
    monkeypatch.setattr(variants, "write", stopped)
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        ask({"a": {"size": 2}})
    monkeypatch.setattr(variants, "write", write)
    ask({"a": {"size": 1}})
    assert len(tried.done) == 3


# What is false

ANSWER = f"cell 6 ('{REVEAL}'): "
LOST = ANSWER + "says 20, which no code and no output near it holds"
FALSE = ANSWER + "it is false: seed != 3 and 1 / (seed - 6) < 9"
RAISES = FALSE.replace("it is false", "ZeroDivisionError: division by zero")
QUESTION = "cell 4 ('# predict('91P')'): it is false: size < 5"


@pytest.mark.parametrize(
    ("parameters", "false"),
    [
        ({"seed": 9}, []),
        ({"size": 3}, [LOST]),
        ({"seed": 6}, [RAISES]),
        ({"size": 5, "seed": 3}, [QUESTION, FALSE, LOST]),
    ],
)
def test_what_is_false_is_said_and_not_handed_out(ask, tried, parameters, false):
    status, own = ask({"a": parameters})
    assert status == 0 and notebooks() == ["a"]  # the teacher's own
    assert ("a says what is false:\n\n" in own) == bool(false)
    for _ in range(2):  # and it is not done again
        status, said = ask({"a": parameters}, *STUDENT)
        assert status == bool(false) and len(tried.done) == 2
        assert notebooks() == ["a"] * (1 if false else 2)
    for each in (own, said):
        assert [line[2:] for line in each.splitlines() if line.startswith("- ")] == false
    more = f" (and {len(false) - 1} more)" * (len(false) > 1)
    assert not false or re.search(rf"s  FALSE: {re.escape(false[0] + more)}\n", own)
    assert not false or "a says what is false, so it is not written:" in said
    status, said = ask({"a": parameters}, *STUDENT, "--even-if-false")
    assert status == 0 and notebooks() == ["a", "a"] and all(each in said for each in false)
    status, said = ask({"a": parameters}, *STUDENT)  # and it is taken away again
    assert status == bool(false) and notebooks() == ["a"] * (1 if false else 2)
    assert (variants.RESULTS / "asked" / "student" / "summary.md").read_text() in said


def test_seeds_are_searched_for_until_so_many_hold(ask, tried):
    def seeds():
        found = [given["seed"] for given in tried.done]
        tried.done.clear()
        return found

    status, said = ask({"a": {"seed": {"hold": 2}}}, *STUDENT)
    assert status == 0 and notebooks() == ["a_seed=12", "a_seed=9"]
    assert seeds() == [*range(1, 13)]
    assert "2 runs: 0 done before, 2 or more to do" in said and "FALSE, not written: cell" in said
    assert "\n\na: 2 of 2 seeds found, 12 tried\n" in said
    for seed, why in ((11, LOST), (3, FALSE), (6, RAISES)):
        assert f"a seed={seed} says what is false, so it is not written:\n\n- {why}\n" in said
    rows = re.findall(r"^\| (a .*?) +\| (.*?) +\|", said, re.MULTILINE)
    assert rows == [("a seed=9", "seed = 9"), ("a seed=12", "seed = 12")]

    # The same again does nothing; one more, only what is missing; of what was removed, only that.
    status, said = ask({"a": {"seed": {"hold": 2}}}, *STUDENT)
    assert "2 runs: 2 done before, 0 to do" in said
    ask({"a": {"seed": {"hold": 3}}}, *STUDENT)
    next(variants.RESULTS.rglob("a_seed=9.ipynb")).unlink()
    assert ask({"a": {"seed": {"hold": 3}}}, *STUDENT)[0] == 0
    assert seeds() == [13, 14, 15, 9] and notebooks()[-1] == "a_seed=9"


def test_a_search_that_finds_too_few_says_why(ask, tried):
    content = {"a": {"seed": {"hold": 1}, "size": {"each": [2, 5]}}, "b": {"seed": 12}}
    status, said = ask(content)
    assert status == 1 and notebooks() == ["a_size=2_seed=9", "b"]
    assert "3 runs: 0 done before, 3 or more to do\n" in said
    assert "a size=2: 1 of 1 seeds found, 9 tried\n" in said
    assert "a size=5: 0 of 1 seeds found, 10 tried\n" in said
    assert said.count(f"- {QUESTION}\n") == 10


# By real kernels, on real workers


def test_failures_are_told_with_their_cell_and_the_rest_is_unharmed(ask):
    """Where the random numbers and the counts stand, premises change nothing."""
    content = {"good": {"seed": 9}, "bad": {"size": 8}, "false": {"seed": 3}, "dead": {"size": 9}}
    status, said = ask(content, "--edition", "solutions", "--workers", "1")
    assert status == 1 and "4 runs: 0 done before, 4 to do" in said and "\n1 at a time\n" in said
    for name, why in (("bad", "AssertionError: too large"), ("dead", "DeadKernelError: ")):
        failure = re.escape(f"In [4] (import random): {why}")
        assert re.search(rf"\[\d/4\] 91 {name} +\d+\.\d s +FAILED {failure}", said)
        assert re.search(f"{name} failed: {failure}", said)
    rows = re.findall(r"^\| (.*?) +\| (.*?) +\| (.*?) +\|$", said, re.MULTILINE)
    assert sorted(rows[2:]) == [
        ("(as published)", "", "20"),
        ("bad", "size = 8", "FAILED"),
        ("dead", "size = 9", "FAILED"),
        ("false", "seed = 3", "20"),
        ("good", "seed = 9", "20"),
    ]
    assert f"false says what is false:\n\n- {FALSE}\n" in said and "good says" not in said
    place = variants.RESULTS / "asked" / "solutions"
    assert (place / "summary.md").read_text() in said
    for name, seed in (("good", 9), ("false", 3)):
        book = nbformat.read(place / "91_small" / f"{name}.ipynb", as_version=4)
        counts = [cell.execution_count for cell in book.cells if cell.cell_type == "code"]
        assert counts == [*range(1, len(counts) + 1)] and "premise" not in str(book)
        assert headlines(book)["drawn"] == str(random.Random(seed).random())


def test_a_worker_needs_nothing_of_this_project(tmp_path):
    look = "import cloudpickle, sys; cloudpickle.load(sys.stdin.buffer); print(*sys.modules)"
    sent = cloudpickle.dumps(variants.execute)
    done = subprocess.run([sys.executable, "-c", look], input=sent, capture_output=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.decode().split()}
    assert not loaded & {"attn_lesson", "attn_teach", "classroom", "tools"}


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_what_is_handed_out_is_true_and_a_seed_is_found(path, request, asked, tmp_path):
    """One lesson with another seed; with --every all, as published and with other numbers, too.

    What a lesson says of its own seed alone must not be judged at another.
    """
    every = request.config.getoption("every")
    if not every and path not in lessons(["03"]):
        pytest.skip("one lesson stands for the others; all of them: --every")
    tried = {"another": {"seed": {"hold": 1}}}
    if every:
        tried |= {"published": {}, **dict(enumerate(sets(path), start=1))}
    file = asked(yaml.safe_dump({number(path): tried}))
    variants.main([file, *STUDENT, "--workers", "1"])
    cells = nbformat.read(path, as_version=4).cells
    premises = {cell.id: cell.metadata.premise for cell in cells if "premise" in cell.metadata}
    for search in searches(file, "student"):
        assert search.found(), search.name
        run = search.found()[0]
        record = run.result()
        assert run.target.exists() == (not record["false"])
        assert run.target.exists() or run.name != "published", record["false"]
        if run.target.exists():  # read as a learner would, with each premise asserted in its place
            notebook = nbformat.read(run.target, as_version=4)
            assert not [cell for cell in notebook.cells if "premise" in cell.metadata]
            asserts = {name: code(f"assert ({premise})") for name, premise in premises.items()}
            pairs = ([cell, asserts.get(cell.id)] for cell in notebook.cells)
            notebook.cells = [cell for cell in itertools.chain(*pairs) if cell]
            execute_in(tmp_path, notebook)
