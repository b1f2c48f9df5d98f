"""Execute lessons with other parameters, many at once, and say what changed.

python -m classroom.variants variants.yaml
python -m classroom.variants variants.yaml --edition student --workers 4
python -m classroom.variants variants.yaml --scheduler tcp://...

The file names lessons, for each lesson variants, for each variant parameters:

    "01":
      much noise: {noise: 1.0, seed: 3}
      bandwidths: {bandwidth: {each: [0.2, 0.5, 1.0]}}    # three runs

Each run is written to build/variants/ when it ends, and not done again while neither the lesson
nor its parameters change. More than 1000 are done only if you agree, or with --yes. The work is
done by Dask: on this machine's cores, or by the workers of a scheduler, which need torch,
matplotlib, papermill and ipykernel, but nothing of this project.
"""

import argparse
import collections
import dataclasses
import difflib
import functools
import hashlib
import itertools
import json
import logging
import math
import os
import re
import runpy
import sys
from pathlib import Path

import nbformat
import papermill
import yaml
from distributed import Client, LocalCluster, as_completed

from tools import editions
from tools.lessons import (
    BUILD,
    ROOT,
    SECONDS_PER_CELL,
    as_text,
    isolate,
    lessons,
    normalise,
    number,
    plain,
    write,
    write_text,
)
from tools.notebook import headlines, parameter_cells

RESULTS = BUILD / "variants"
RECORD = "attn_teach_variant"  # metadata of a result: how it came about
LONGEST_NAME = 60  # characters; a file's name may have 255 bytes
MOST_RUNS = 1000  # to do without asking
MOST_VALUES = 10**6  # in a file, each alias counted as what it stands for
END = 2**16  # bytes at the end of a result that hold the notebook's metadata
CHECK = ROOT / "attn_lesson" / "parameters.py"  # alone: the module needs PyTorch


@dataclasses.dataclass
class Variant:
    """One name in the file: a run, or one for each combination of the ranges' values."""

    lesson: Path
    name: str
    parameters: dict
    ranges: dict  # of some parameters: the values after `each`

    @property
    def count(self):
        """How many runs this multiplies to."""
        return math.prod(map(len, self.ranges.values()))

    def __str__(self):
        factors = " x ".join(str(len(values)) for values in self.ranges.values())
        product = f"{factors} = " if len(self.ranges) > 1 else ""
        return f"{self.name} of {self.lesson.stem}: {product}{self.count} runs"

    def expand(self):
        """Yield the name and the parameters of each run."""
        for values in itertools.product(*self.ranges.values()):
            chosen = dict(zip(self.ranges, values, strict=True))
            parts = [self.name, *(f"{key}={value}" for key, value in chosen.items())]
            yield " ".join(parts), {**self.parameters, **chosen}


@dataclasses.dataclass
class Run:
    """One lesson to execute with one set of parameters."""

    lesson: Path
    name: str
    parameters: dict
    notebook: str  # the edition to execute, as text
    target: Path
    edition: str

    @property
    def key(self):
        """What the result depends on, as a digest."""
        return _digest(json.dumps([_digest_of_lesson(self.notebook), self.parameters]))


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


_digest_of_lesson = functools.cache(_digest)  # runs of a lesson share its text


# The file


class _Loader(yaml.SafeLoader):
    """Refuses names that stand twice, and aliases that stand for themselves or for too much."""

    def __init__(self, stream):
        super().__init__(stream)
        self.sizes = {}  # how many values each node stands for

    def compose_node(self, parent, index):
        mark = self.peek_event().start_mark
        is_alias = self.check_event(yaml.AliasEvent)
        node = super().compose_node(parent, index)
        if is_alias:
            if node not in self.sizes:
                raise yaml.YAMLError(f"an alias stands for what it is part of{mark}")
            return node
        inner = node.value if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            inner = itertools.chain(*node.value)
            names = [key.value for key, _ in node.value if _is_name(key)]
            for name, times in collections.Counter(names).items():
                if times > 1:  # YAML would silently drop the first
                    raise yaml.YAMLError(f"'{name}' stands twice{mark}")
        self.sizes[node] = 1 + sum(self.sizes[each] for each in inner)
        if self.sizes[node] > MOST_VALUES:
            raise yaml.YAMLError(f"this stands for more than {MOST_VALUES} values{mark}")
        return node


def _is_name(key):
    return isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge"


def folder(file, edition):
    """Return the folder of the results."""
    return RESULTS / Path(file).stem / edition


def read(file):
    """Return the variants that the YAML file asks for, or exit and say what is wrong with it."""
    try:
        asked = yaml.load(Path(file).read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"{file} cannot be read: {error}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # no such day; too deep
        raise SystemExit(f"{file} is not YAML: {error}") from None
    if not isinstance(asked, dict) or not asked:
        raise SystemExit(f"{file} must hold lessons, each with its variants; see --help")
    return [
        variant
        for lesson, variants in asked.items()
        for variant in _variants(file, _lesson(file, lesson), variants)
    ]


def _lesson(file, name):
    # YAML reads 01 without quotes as a number.
    text = f"{name:02d}" if type(name) is int else name
    found = lessons([text]) if isinstance(text, str) and text else []
    if len(found) != 1:
        raise SystemExit(f'{file}: {name!r} is no lesson; write its number, as in "01":')
    return found[0]


def _variants(file, path, variants):
    """Yield the variants that the lesson's entry holds."""
    known = papermill.inspect_notebook(str(path))
    if not isinstance(variants, dict) or not variants:
        raise SystemExit(f"{file}: {path.stem} must hold variants, each a name and parameters")
    for name, parameters in variants.items():
        if name is None or not str(name).strip():
            raise SystemExit(f"{file}: a variant of {path.stem} has no name")
        where = f"{file}: variant '{name}' of {path.stem}"
        if not isinstance(parameters, dict):
            raise SystemExit(f"{where} must hold parameters, such as {{seed: 1}}")
        ranges = {}
        for parameter, value in parameters.items():
            if parameter not in known:
                near = difflib.get_close_matches(str(parameter), known, n=1)
                hint = f" (did you mean '{near[0]}'?)" if near else ""
                raise SystemExit(
                    f"{where} sets '{parameter}', which the lesson does not have{hint}. "
                    f"It has: {', '.join(known)}"
                )
            if isinstance(value, dict) and set(value) == {"each"}:
                ranges[parameter] = values = value["each"]
                if not isinstance(values, list) or not values:
                    raise SystemExit(f"{where}: each must be a list, as in {{each: [1, 2]}}")
            else:
                values = [value]
            if not all(map(_is_plain, values)):
                raise SystemExit(
                    f"{where} gives '{parameter}' the value {value!r}; expected a number, "
                    "a text in quotes, true, false, a list of these, or {each: [...]}"
                )
        yield Variant(path, str(name), parameters, ranges)


def _is_plain(value):
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return isinstance(value, (str, bool, int)) or (
        isinstance(value, float) and math.isfinite(value)
    )


def expand(file, asked, edition):
    """Return the runs of the variants, or exit where the lesson refuses one or two are alike."""
    wheel = editions.build_wheel()
    runs = {}
    for path, variants in itertools.groupby(asked, key=lambda variant: variant.lesson):
        notebook = nbformat.read(path, as_version=4)
        check = _check_of(notebook)
        text = _text(notebook, edition, wheel)
        place = folder(file, edition) / path.stem
        for name, parameters in itertools.chain(*(variant.expand() for variant in variants)):
            try:
                check(parameters)
            except Exception as error:
                raise SystemExit(
                    f"{file}: variant '{name}' of {path.stem} is refused by the lesson:\n{error}"
                ) from None
            target = place / f"{_file_name(name)}.ipynb"
            run = Run(path, name, parameters, text, target, edition)
            # Some systems take A and a for the same.
            other = runs.setdefault(str(run.target).lower(), run)
            if other is not run:
                raise SystemExit(
                    f"{file}: the variants '{other.name}' and '{name}' of {path.stem} would be "
                    "stored in the same file; call one of them something else"
                )
    return list(runs.values())


def _check_of(notebook):
    """Return a function that raises what the lesson's own check says of parameters."""
    for first, second in parameter_cells(notebook):
        if second and "check_parameters(" in second.source:
            codes = [compile(cell.source, cell.id, "exec") for cell in (first, second)]
            check_parameters = runpy.run_path(str(CHECK))["check_parameters"]
            return functools.partial(_check, *codes, check_parameters)
    return lambda parameters: None


def _check(defaults, limits, check_parameters, parameters):
    names = {"check_parameters": check_parameters}
    exec(defaults, names)
    names.update(parameters)
    exec(limits, names)


def _text(notebook, edition, wheel):
    """Return the lesson's edition, without outputs, as text."""
    notebook = editions.edition(notebook, edition, wheel)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return as_text(notebook)


def _file_name(name):
    short = re.sub(r"[^\w=.,-]+", "_", name)
    if len(short) > LONGEST_NAME:
        short = f"{short[:LONGEST_NAME]}-{_digest(name)[:8]}"
    return short


# The work


def execute(notebook, parameters, timeout):
    """Execute on a worker; return the notebook, what failed (or None) and the seconds."""
    import json
    import os
    import tempfile
    import time
    from pathlib import Path

    import papermill

    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # this Python's kernel, not the user's
    os.environ.pop("MPLBACKEND", None)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "lesson.ipynb", Path(folder) / "executed.ipynb"
        source.write_text(notebook, encoding="utf-8")
        failure = None
        try:
            papermill.execute_notebook(
                str(source),
                str(target),
                parameters,
                kernel_name="python3",
                cwd=folder,
                progress_bar=False,
                execution_timeout=timeout,
                extra_arguments=["--log-level=ERROR"],
            )
        except papermill.PapermillExecutionError as error:
            failure = f"{error.ename}: {error.evalue}"
        except Exception as error:  # a kernel that died, a cell that took too long
            failure = f"{type(error).__name__}: {error}"
        text = target.read_text(encoding="utf-8") if target.exists() else notebook
    if failure:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        begun = [cell for cell in cells if cell["metadata"].get("papermill", {}).get("start_time")]
        if begun:
            first = "".join(begun[-1]["source"]).strip().split("\n")[0]
            failure = f"In [{cells.index(begun[-1]) + 1}] ({first}): {failure}"
    return text, failure, time.monotonic() - start


# A worker has none of this project's modules. Functions of __main__ are sent to it whole.
execute.__module__ = "__main__"


def perform(runs, client, report=print):
    """Execute the runs with the Dask client; store and report each as it ends.

    Returns how many were lost, because the scheduler went away.
    """
    # A lesson's text is sent once, as the result of a task, which is done again if it is lost.
    texts = {text: client.submit(str, text, pure=False) for text in {run.notebook for run in runs}}
    futures = client.map(
        execute,
        [texts[run.notebook] for run in runs],
        [run.parameters for run in runs],
        timeout=SECONDS_PER_CELL,
        pure=False,
    )
    waiting = dict(zip(futures, runs, strict=True))
    del futures  # a worker keeps a result for as long as its future is known here
    lost = 0
    for count, future in enumerate(as_completed(waiting), start=1):
        run, seconds = waiting.pop(future), 0.0
        try:
            if future.status == "error":  # more workers died with it than Dask allows
                error = future.exception()
                text, failure = run.notebook, f"{type(error).__name__}: {error}"
            else:
                text, failure, seconds = future.result()
        except Exception as error:  # cancelled, or the connection is gone
            lost += 1
            said = f"lost: {type(error).__name__}"
        else:
            failure = store(run, text, failure)
            said = f"FAILED {failure.splitlines()[0]}" if failure else "done"
        title = f"{number(run.lesson)} {run.name}"
        report(f"[{count}/{len(runs)}] {title:<40} {seconds:6.1f} s  {said}")
    return lost


def store(run, text, failure):
    """Write the run's result; return what failed, or None."""
    notebook = normalise(nbformat.reads(text, as_version=4))
    first = "".join(output.get("text", "") for output in notebook.cells[0].get("outputs", []))
    if failure is None and "another version" in first:
        failure = "the worker has another version of attn_teach installed; remove it there"
    failure = failure and plain(failure)
    notebook.metadata[RECORD] = {
        "key": run.key,
        "parameters": run.parameters,
        "failure": failure,
        "headlines": headlines(notebook),
    }
    if run.edition == "student" and not failure:
        editions.clear_results(notebook.cells)
    write(notebook, run.target)
    return failure


def result(run):
    """Return the record in the run's stored result, or None if the run is to be done."""
    try:
        with run.target.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - END))
            end = file.read()
        # Notebooks are stored with sorted names: after the cells, "metadata", then "nbformat".
        record = json.loads(b"{" + end[end.rindex(b'\n "metadata": {') :])["metadata"][RECORD]
        return record if record["key"] == run.key else None
    except Exception:  # not there, or cut short
        return None


def finished(run):
    """Return whether the run was done before, without a failure."""
    record = result(run)
    return record is not None and record["failure"] is None


# What came out


def summary(runs):
    """Return a table for each lesson: the figures of each run; in bold what changed."""
    parts = []
    for lesson in dict.fromkeys(run.lesson for run in runs):
        stored = headlines(nbformat.read(lesson, as_version=4))
        rows = [["variant", "parameters", *stored], ["(as published)", "", *stored.values()]]
        failures = []
        for run in (run for run in runs if run.lesson == lesson):
            given = ", ".join(f"{key} = {value}" for key, value in run.parameters.items())
            record = result(run)
            if record is None:
                figures = ["not done"] + [""] * (len(stored) - 1)
            elif record["failure"]:
                figures = ["FAILED"] + [""] * (len(stored) - 1)
                failures.append(f"\n{run.name} failed: {record['failure']}\n")
            else:
                now = record["headlines"]
                figures = [
                    value if now.get(name) == value else f"**{now.get(name, 'missing')}**"
                    for name, value in stored.items()
                ]
            rows.append([run.name, given, *figures])
        parts.append(f"## {lesson.stem}\n\n{_table(rows)}\n{''.join(failures)}")
    return "\n".join(parts)


def _table(rows):
    rows = [[" ".join(cell.replace("|", "\\|").split()) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])


# The command


def connect(scheduler=None, workers=None):
    """Return a Dask client: of the scheduler at this address, or of this machine's cores."""
    if scheduler:
        try:
            return Client(scheduler, timeout=20)
        except (OSError, TimeoutError, ValueError) as error:
            raise SystemExit(f"no Dask scheduler answers at {scheduler}: {error}") from None
    cluster = LocalCluster(
        n_workers=workers or os.cpu_count(),
        threads_per_worker=1,
        memory_limit=0,
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.ERROR,
    )
    return Client(cluster)


def _count(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, got '{text}'")
    return int(text)


def _agree(to_do, total, options):
    """Exit unless the user wants so many runs."""
    if to_do <= MOST_RUNS or options.yes:
        return
    question = f"more than {MOST_RUNS} of {total} runs are to do"
    if not sys.stdin.isatty():
        raise SystemExit(f"{question}; add --yes to do them")
    if input(f"{question}; go on? [y/n] ").strip().lower() not in ("y", "yes"):
        raise SystemExit("nothing was done")
    options.yes = True


def _need_folder(path):
    for place in (path, *path.parents):
        if place.is_file():
            raise SystemExit(f"{place} is a file, but the results need a folder of this name")


def _do(runs, options):
    """Do the runs; return how many were lost."""
    isolate()
    client = connect(options.scheduler, options.workers)
    try:
        at_once = sum(client.nthreads().values())
        print(f"{at_once} at a time" if at_once else "waiting for workers", flush=True)
        return perform(runs, client, report=lambda line: print(line, flush=True))
    finally:
        client.close()
        if client.cluster:
            client.cluster.close()


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="the variants, as YAML")
    parser.add_argument("--edition", choices=editions.EDITIONS, default="colab")
    parser.add_argument("--scheduler", help="the address of a Dask scheduler")
    parser.add_argument("--workers", type=_count, help="without a scheduler: how many at once")
    parser.add_argument(
        "--yes", action="store_true", help=f"do not ask before more than {MOST_RUNS} runs"
    )
    options = parser.parse_args(arguments)

    results = folder(options.file, options.edition)
    unfinished = "the same command does the rest"
    try:
        asked = read(options.file)
        for variant in asked:
            _need_folder(results / variant.lesson.stem)
            if variant.ranges:
                print(variant)
        total = sum(variant.count for variant in asked)
        stored = sum(1 for _ in results.glob("*/*.ipynb"))
        _agree(total - stored, total, options)  # so many at least, before any is made
        runs = expand(options.file, asked, options.edition)
        todo = [run for run in runs if not finished(run)]
        print(f"{total} runs: {total - len(todo)} done before, {len(todo)} to do")
        _agree(len(todo), total, options)
        lost = _do(todo, options) if todo else 0
        text = summary(runs)
        file = write_text(text, results / "summary.md")
    except KeyboardInterrupt:
        raise SystemExit(f"\nstopped; {unfinished}") from None
    except OSError as error:  # such as a full disk
        raise SystemExit(f"stopped: {error}; {unfinished}") from None
    print(f"\n{text}\n-> {os.path.relpath(file)}")
    if lost:
        raise SystemExit(f"{lost} of {len(todo)} runs were lost; {unfinished}")
    return 0 if all(map(finished, runs)) else 1


if __name__ == "__main__":
    sys.exit(main())
