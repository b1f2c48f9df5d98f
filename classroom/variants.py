"""Execute lessons with other parameters, many at once, and say what changed and what is false.

python -m classroom.variants classroom/variants.yaml
python -m classroom.variants classroom/variants.yaml --edition student --workers 4
python -m classroom.variants classroom/variants.yaml --scheduler tcp://...

The file names lessons, for each lesson variants, for each variant parameters:

    "01":
      much noise: {noise: 1.0, seed: 3}
      bandwidths: {bandwidth: {each: [0.2, 0.5, 1.0]}}    # three runs
      groups: {seed: {hold: 4}}    # the first four seeds with which all is true that the text says
    "09":
      herbs: {words: {file: herbs.txt}}    # its lines as a list, whichever machine does the run

Each run is written to build/variants/ when it ends, and not done again while neither the lesson
nor its parameters change. In each, the lesson's premises are evaluated and the figures of its text
looked up. Where one does not hold, that is said with its cell, and the run is not written as a
student edition, but with --even-if-false. More than 1000 are done only if you agree, or with --yes.
The work is done by Dask: on this machine's cores, or by the workers of a scheduler, which need
torch, matplotlib, papermill and ipykernel, but nothing of this project.
"""

import functools
import hashlib
import itertools
import json
import math
import os
import re
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import nbformat
import papermill
import yaml

from attn_lesson.parameters import read_lines
from attn_teach.checks import shown
from classroom import workers
from tools.checks import claims
from tools.editions import editions
from tools.lessons import (
    BUILD,
    SECONDS_PER_CELL,
    as_text,
    lessons,
    normalise,
    number,
    plain,
    write,
    write_text,
)
from tools.notebook import headlines
from tools.progress import command_line, say, stoppable

RESULTS = BUILD / "variants"
LONGEST_NAME = 60  # characters; a file's name may have 255 bytes
MOST_RUNS = 1000  # to do without asking
TRIES = 10  # for each seed that is to be found
UNFINISHED = "the same command does the rest"


class Variant(NamedTuple):
    """One name in the file: a search, or one for each combination of the values after `each`."""

    lesson: Path
    wanted: int  # runs
    hold: int  # the number after `hold`, or 0
    searches: Iterator  # for each, its name, and its runs' names and parameters


@dataclass
class Lesson:
    """An edition of a lesson, to be executed."""

    path: Path
    published: nbformat.NotebookNode
    text: str  # the notebook, with cells that evaluate its premises
    edition: str
    record: workers.Record  # how its runs ended; it stands apart from what may be handed out


@dataclass
class Run:
    """One lesson to execute with one set of parameters."""

    lesson: Lesson
    name: str
    parameters: dict
    target: Path
    must_hold: bool  # or it is not written

    @property
    def key(self):
        """What the result depends on, as a digest."""
        return _digest(json.dumps([_digest(self.lesson.text), self.parameters], default=str))

    @property
    def file(self):
        """What the record calls it."""
        return str(self.target.relative_to(RESULTS))

    def is_kept(self, record):
        """Whether the notebook of a run that ended like this is written."""
        return not (self.must_hold and (record["failure"] or record["false"]))

    def result(self):
        """How the run ended; None if it is to be done."""
        record = self.lesson.record.results.get(self.file)
        if record and record["key"] == self.key and self.is_kept(record) == self.target.exists():
            return record
        return None

    def is_done(self):
        """Whether the run was done before, without a failure."""
        record = self.result()
        return record is not None and record["failure"] is None


class Search:
    """Runs of which so many are wanted: the only one, or the first that hold."""

    def __init__(self, name, runs, hold):
        self.name, self.runs, self.hold = name, runs, hold  # 0: the run is wanted however it ends
        self.wanted, self.running = hold or 1, 0
        self.left = [run for run in runs if not run.is_done()]

    def found(self):
        """The wanted runs, as far as they are done."""
        done = (run for run in self.runs if run.is_done())
        good = (run for run in done if not self.hold or not run.result()["false"])
        return list(itertools.islice(good, self.wanted))

    def missing(self):
        """How many runs are to do now, at least."""
        return min(self.wanted - len(self.found()) - self.running, len(self.left))

    def begin(self):
        """Return the runs to do now."""
        count = self.missing()
        begun, self.left = self.left[:count], self.left[count:]
        self.running += len(begun)
        return begun


@functools.cache  # runs of a lesson share its text
def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


# The file


class _Loader(yaml.SafeLoader):
    """Refuses a name that stands twice: YAML would silently drop the first."""

    def compose_mapping_node(self, anchor):
        node = super().compose_mapping_node(anchor)
        names = [key.value for key, _ in node.value]
        if twice := [name for name in names if names.count(name) > 1]:
            raise yaml.YAMLError(f"'{twice[0]}' stands twice{node.start_mark}")
        return node


def read(file):
    """Return the variants that the YAML file asks for, or exit and say what is wrong with it."""
    try:
        asked = yaml.load(Path(file).read_text(encoding="utf-8"), _Loader)
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise SystemExit(f"{file} cannot be read as YAML: {error}") from None
    if not isinstance(asked, dict) or not asked:
        raise SystemExit(f"{file} must hold lessons, each with its variants; see --help")
    return [
        variant
        for lesson, variants in asked.items()
        for variant in _variants(file, _lesson(file, lesson), variants)
    ]


def _lesson(file, name):
    # YAML reads 01 without quotes as a number.
    found = lessons([f"{name:02d}" if type(name) is int else str(name)])
    if len(found) != 1:
        raise SystemExit(f'{file}: {name!r} is no lesson; write its number, as in "01":')
    return found[0]


def _variants(file, path, variants):
    """Yield the variants that the lesson's entry holds."""
    known = papermill.inspect_notebook(str(path))
    if not isinstance(variants, dict) or not variants:
        raise SystemExit(f"{file}: {path.stem} must hold variants, each a name and parameters")
    for name, given in variants.items():
        where = f"{file}: variant '{name}' of {path.stem}"
        if not isinstance(given, dict):
            raise SystemExit(f"{where} must have parameters, such as mine: {{seed: 1}}")
        if strange := [parameter for parameter in given if parameter not in known]:
            raise SystemExit(
                f"{where} sets '{strange[0]}', which the lesson does not have. "
                f"It has: {', '.join(known)}"
            )
        parameters, ranges, hold = dict(given), {}, 0
        for parameter, value in given.items():
            match value:
                case {"each": [_, *_] as values, **more} if not more:
                    ranges[parameter] = values
                case {"hold": count, **more} if (
                    not more and parameter == "seed" and type(count) is int and count > 0
                ):
                    hold = count
                case {"file": str(words), **more} if not more:
                    parameters[parameter] = _lines(where, Path(file).parent / words)
                case dict() | set() | None:  # what else a value may be, the lesson says itself
                    raise SystemExit(
                        f"{where} gives '{parameter}' the value {value!r}; expected a number, a "
                        "text in quotes, true, false, a list of these, {each: [1, 2]}, "
                        "{file: words.txt} or, for the seed, {hold: 4}"
                    )
        first = 1 + int(known["seed"]["default"]) if hold else 0
        seeds = range(first, first + TRIES * hold)
        wanted = math.prod(map(len, ranges.values())) * (hold or 1)
        yield Variant(path, wanted, hold, _searches(str(name), parameters, ranges, seeds))


def _searches(name, parameters, ranges, seeds):
    """Yield, for each combination of the ranges' values, its name, and its runs."""
    for values in itertools.product(*ranges.values()):
        chosen = dict(zip(ranges, values, strict=True))
        title = " ".join([name, *(f"{key}={value}" for key, value in chosen.items())])
        given = {**parameters, **chosen}
        tries = [(f"{title} seed={seed}", {**given, "seed": seed}) for seed in seeds]
        yield title, tries or [(title, given)]


def _lines(where, path):
    """Return the lines of a file beside the variants' own; exit where there are none."""
    try:
        return [line.strip() for line in read_lines(path) if line.strip()]
    except ValueError as error:
        raise SystemExit(f"{where}: {error}") from None


def expand(file, asked, edition, even_if_false=False):
    """Yield what to do for the variants; exit where two would be one file."""
    wheel, targets, folder = editions.build_wheel(), {}, _folder(file, edition)
    record = workers.Record(folder.with_suffix(".jsonl"))
    for path, variants in itertools.groupby(asked, key=lambda variant: variant.lesson):
        published = nbformat.read(path, as_version=4)
        lesson = Lesson(path, published, _text(published, edition, wheel), edition, record)
        for variant in variants:
            must_hold = bool(variant.hold) or (edition == "student" and not even_if_false)
            for title, named in variant.searches:
                runs = []
                for name, given in named:
                    target = folder / path.stem / f"{_file_name(name)}.ipynb"
                    # Some systems take A and a for the same.
                    other = targets.setdefault(str(target).lower(), name)
                    if other is not name:
                        raise SystemExit(
                            f"{file}: variant '{name}' of {path.stem} would be stored in the same "
                            f"file as '{other}'; call one of them something else"
                        )
                    runs.append(Run(lesson, name, given, target, must_hold))
                yield Search(title, runs, variant.hold)


def _folder(file, edition):
    return RESULTS / Path(file).stem / edition


def _text(published, edition, wheel):
    """Return the lesson's edition, without outputs, with cells that evaluate its premises."""
    notebook = editions.edition(published, edition, wheel)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    claims.insert(notebook, published)
    return as_text(notebook)


def _file_name(name):
    short = re.sub(r"[^\w=.,-]+", "_", name)
    is_long = len(short) > LONGEST_NAME
    return f"{short[:LONGEST_NAME]}-{_digest(name)[:8]}" if is_long else short


# The work


def execute(notebook, parameters):
    """Execute on a worker; return the notebook, what failed (or None) and the seconds."""
    import json
    import os
    import tempfile
    import time
    from pathlib import Path

    import papermill

    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # this Python's kernel, not the user's
    os.environ.pop("MPLBACKEND", None)
    start, failure = time.monotonic(), None
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "lesson.ipynb", Path(folder) / "executed.ipynb"
        source.write_text(notebook, encoding="utf-8")
        try:
            papermill.execute_notebook(
                str(source),
                str(target),
                parameters,
                kernel_name="python3",
                cwd=folder,
                progress_bar=False,
                execution_timeout=SECONDS_PER_CELL,
                extra_arguments=["--log-level=ERROR"],
            )
        except Exception as error:  # in a cell; or a kernel that died, a cell that took too long
            kind = getattr(error, "ename", type(error).__name__)
            failure = f"{kind}: {getattr(error, 'evalue', error)}"
        text = target.read_text(encoding="utf-8") if target.exists() else notebook
    if failure:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        cells = [cell for cell in cells if "premise" not in cell["metadata"].get("tags", [])]
        begun = [cell for cell in cells if cell["metadata"].get("papermill", {}).get("start_time")]
        if begun:
            first = "".join(begun[-1]["source"]).strip().split("\n")[0]
            failure = f"In [{cells.index(begun[-1]) + 1}] ({first}): {failure}"
    return text, failure, time.monotonic() - start


# A worker has none of this project's modules. Functions of __main__ are sent to it whole.
execute.__module__ = "__main__"


def perform(searches, client):
    """Execute what is to be done with the Dask client; store and report each run as it ends.

    Returns how many were lost.
    """
    # A lesson's text is sent once, as the result of a task, which is done again if it is lost.
    texts = {search.runs[0].lesson.text for search in searches}
    texts = {text: client.submit(str, text, pure=False) for text in texts}
    waiting, lost = deque((search, run) for search in searches for run in search.begin()), 0

    def call(job):
        return execute, texts[job[1].lesson.text], job[1].parameters

    for place, (search, run), result in workers.done(client, waiting, call, "Variants"):
        seconds = 0.0
        if isinstance(result, Exception):
            lost += 1
            said = f"lost: {type(result).__name__}"
        else:
            text, failure, seconds = result
            record = store(run, text, failure)
            search.running -= 1
            waiting.extend((search, another) for another in search.begin())
            said = "done"
            if record["failure"]:
                said = f"FAILED {_why(record)}"
            elif record["false"]:
                said = f"FALSE{', not written' * (not run.is_kept(record))}: {_why(record)}"
        title = f"{number(run.lesson.path)} {run.name}"
        say(f"[{place}] {title:<40} {seconds:6.1f} s  {said}")
    return lost


def _why(record):
    """Return in a line why the run failed or what is false in it; nothing if all is well."""
    first, *more = (record["failure"] or "").splitlines() or record["false"] or [""]
    return first + f" (and {len(more)} more)" * bool(more and not record["failure"])


def store(run, text, failure):
    """Write the run's result; return its record."""
    notebook = normalise(nbformat.reads(text, as_version=4))
    told, published = claims.take_out(notebook), run.lesson.published
    first = "".join(output.get("text", "") for output in notebook.cells[0].get("outputs", []))
    if failure is None and "another version" in first:
        failure = "the worker has another version of attn_teach installed; remove it there"
    record = {
        "key": run.key,
        "failure": failure and plain(failure),
        "headlines": headlines(notebook),
        "false": [] if failure else claims.broken(published, notebook, run.parameters, told),
    }
    run.lesson.record.add(run.file, None)  # until the notebook is written
    if run.is_kept(record):
        if run.lesson.edition == "student" and not failure:
            editions.clear_results(notebook.cells)
        write(notebook, run.target)
    else:
        run.target.unlink(missing_ok=True)
    run.lesson.record.add(run.file, record)
    return record


# What came out


def summary(searches):
    """Return for each lesson a table of each run's figures, in bold what changed; what is false."""
    parts = []
    for lesson, its in itertools.groupby(searches, key=lambda search: search.runs[0].lesson):
        stored = headlines(lesson.published)
        rows = [["variant", "parameters", *stored], ["(as published)", "", *stored.values()]]
        below = []
        for search in its:
            found, results = search.found(), [(run, run.result()) for run in search.runs]
            for run, record in results:
                if run in found or not search.hold:
                    rows.append(_row(run, record, stored))
                if record and record["failure"]:
                    below.append(f"{run.name} failed: {record['failure']}")
                elif record and record["false"]:
                    ending = "" if run.is_kept(record) else ", so it is not written"
                    title = f"{run.name} says what is false{ending}:\n"
                    below.append("\n".join([title, *(f"- {each}" for each in record["false"])]))
            if search.hold:
                tried = sum(record is not None for _, record in results)
                told = f"{len(found)} of {search.hold} seeds found, {tried} tried"
                below.append(f"{search.name}: {told}")
        parts.append("\n\n".join([f"## {lesson.path.stem}", _table(rows), *below]) + "\n")
    return "\n".join(parts)


def _row(run, record, stored):
    if record is None or record["failure"]:
        figures = ["FAILED" if record else "not done", *[""] * len(stored)][: len(stored)]
    else:
        now = {name: record["headlines"].get(name, "missing") for name in stored}
        figures = [now[name] if now[name] == stored[name] else f"**{now[name]}**" for name in now]
    given = ", ".join(
        f"{key} = {shown(value) if isinstance(value, list) else value}"
        for key, value in run.parameters.items()
    )
    return [run.name, given, *figures]


def _table(rows):
    rows = [[" ".join(cell.replace("|", "\\|").split()) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    lines = [[cell.ljust(w) for cell, w in zip(row, widths, strict=True)] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# The command


@stoppable(UNFINISHED)
def main(arguments=None):
    parser = command_line(__doc__)
    add = parser.add_argument
    add("file", help="the variants, as YAML")
    add("--edition", choices=editions.EDITIONS, default="colab")
    add(
        "--even-if-false", action="store_true", help="write student editions that say what is false"
    )
    add("--scheduler", help="the address of a Dask scheduler")
    add("--workers", type=int, help="without a scheduler: how many at once")
    add("--yes", action="store_true", help=f"do not ask before more than {MOST_RUNS} runs")
    options = parser.parse_args(arguments)

    asked = read(options.file)
    total = sum(variant.wanted for variant in asked)
    if total > MOST_RUNS and not options.yes:  # asked before all are made: they may be millions
        said = f"more than {MOST_RUNS}, {total} runs are wanted"
        agreed = sys.stdin.isatty() and input(f"{said}; go on? [y/n] ")
        if agreed not in ("y", "yes"):
            raise SystemExit(f"{said}; add --yes to do them")
    searches = list(expand(options.file, asked, options.edition, options.even_if_false))
    todo = sum(search.missing() for search in searches)
    done = sum(len(search.found()) for search in searches)
    more = " or more" * any(search.hold and search.missing() for search in searches)
    print(f"{total} runs: {done} done before, {todo}{more} to do")
    lost = 0
    if todo:
        with workers.connect(options.scheduler, options.workers) as client:
            at_once = sum(client.nthreads().values())
            print(f"{at_once} at a time" if at_once else "waiting for workers", flush=True)
            lost = perform(searches, client)
    text = summary(searches)
    file = write_text(text, _folder(options.file, options.edition) / "summary.md")
    print(f"\n{text}\n-> {os.path.relpath(file)}")
    if lost:
        raise SystemExit(f"{lost} of {todo} runs were lost; {UNFINISHED}")
    written = (run for search in searches for run in search.found() if run.target.exists())
    return 0 if sum(1 for _ in written) == total else 1


if __name__ == "__main__":
    sys.exit(main())
