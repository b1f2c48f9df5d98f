"""Execute lessons with other parameters, many at once, and say what changed.

python -m tools.variants variants.yaml
python -m tools.variants variants.yaml --edition student --workers 4
python -m tools.variants variants.yaml --scheduler tcp://...

The file names lessons, for each lesson variants, for each variant parameters:

    "01":
      much noise: {noise: 1.0, seed: 3}
      bandwidths: {bandwidth: {each: [0.2, 0.5, 1.0]}}    # three runs

Each run is written to build/variants/ when it ends, and not done again while neither the lesson
nor its parameters change. The work is done by Dask: on this machine's cores, or by the workers
of a scheduler, which need torch, matplotlib, papermill and ipykernel, but nothing of this project.
"""

import argparse
import dataclasses
import difflib
import hashlib
import itertools
import json
import logging
import math
import os
import re
import sys
from pathlib import Path

import nbformat
import papermill
import yaml
from distributed import Client, LocalCluster, as_completed

from tools import editions
from tools.lessons import (
    BUILD,
    SECONDS_PER_CELL,
    as_text,
    isolate,
    lessons,
    normalise,
    plain,
    write,
    write_text,
)

RESULTS = BUILD / "variants"
RECORD = "attn_teach_variant"  # metadata of a result: how it came about
HEADLINE = re.compile(r"^(.+?): +(\S.*?)\s*$", re.MULTILINE)
LONGEST_NAME = 60  # characters; a file's name may have 255 bytes


@dataclasses.dataclass
class Run:
    """One lesson to execute with one set of parameters."""

    lesson: Path
    name: str
    parameters: dict
    notebook: str  # the edition to execute, as text
    target: Path

    @property
    def key(self):
        """What the result depends on, as a digest."""
        content = json.dumps([self.notebook, self.parameters])
        return hashlib.sha256(content.encode()).hexdigest()


# The file


class _Loader(yaml.SafeLoader):
    """Refuses a name that stands twice, where YAML would silently drop the first."""

    def construct_mapping(self, node, deep=False):
        names = [str(self.construct_object(key, deep=True)) for key, _ in node.value]
        for name in names:
            if names.count(name) > 1:
                raise yaml.YAMLError(f"'{name}' stands twice{node.start_mark}")
        return super().construct_mapping(node, deep)


def folder(file, edition):
    """Return the folder of the results."""
    return RESULTS / Path(file).stem / edition


def read(file, edition="colab"):
    """Return the runs that the YAML file asks for, or exit and say what is wrong with it."""
    try:
        asked = yaml.load(Path(file).read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"{file} cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise SystemExit(f"{file} is not YAML: {error}") from None
    if not isinstance(asked, dict) or not asked:
        raise SystemExit(f"{file} must hold lessons, each with its variants; see --help")
    wheel = editions.build_wheel()
    runs = {}
    for lesson, variants in asked.items():
        path = _lesson(file, lesson)
        notebook = editions.edition(nbformat.read(path, as_version=4), edition, wheel)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        for name, parameters in _expand(file, path, variants):
            target = folder(file, edition) / path.stem / f"{_file_name(name)}.ipynb"
            clash = str(target).lower()  # some systems take A and a for the same
            if clash in runs:
                raise SystemExit(f"{file}: two variants of {path.stem} are called '{name}'")
            runs[clash] = Run(path, name, parameters, as_text(notebook), target)
    return list(runs.values())


def _lesson(file, name):
    # YAML reads 01 without quotes as a number.
    text = f"{name:02d}" if type(name) is int else name
    found = lessons([text]) if isinstance(text, str) and text else []
    if len(found) != 1:
        raise SystemExit(f'{file}: {name!r} is no lesson; write its number, as in "01":')
    return found[0]


def _expand(file, path, variants):
    """Yield the name and the parameters of each run that the lesson's entry stands for."""
    known = papermill.inspect_notebook(str(path))
    if not isinstance(variants, dict) or not variants:
        raise SystemExit(f"{file}: {path.stem} must hold variants, each a name and parameters")
    for name, parameters in variants.items():
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
        for values in itertools.product(*ranges.values()):
            chosen = dict(zip(ranges, values, strict=True))
            parts = [str(name), *(f"{key}={value}" for key, value in chosen.items())]
            yield " ".join(parts), {**parameters, **chosen}


def _is_plain(value):
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return isinstance(value, (str, bool, int)) or (
        isinstance(value, float) and math.isfinite(value)
    )


def _file_name(name):
    short = re.sub(r"[^\w=.,-]+", "_", name)
    if len(short) > LONGEST_NAME:
        short = f"{short[:LONGEST_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
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
    waiting = {}
    for run in runs:
        future = client.submit(execute, run.notebook, run.parameters, SECONDS_PER_CELL, pure=False)
        waiting[future] = run
    lost = 0
    for number, future in enumerate(as_completed(waiting), start=1):
        run, seconds = waiting[future], 0.0
        try:
            if future.status == "error":  # more workers died with it than Dask allows
                error = future.exception()
                text, failure = run.notebook, f"{type(error).__name__}: {error}"
            else:
                text, failure, seconds = future.result()
            failure = store(run, text, failure)
            said = f"FAILED {failure.splitlines()[0]}" if failure else "done"
        except OSError as error:
            lost += 1
            said = f"not stored: {error}"
        except Exception as error:  # cancelled, or the connection is gone
            lost += 1
            said = f"lost: {type(error).__name__}"
        title = f"{run.lesson.stem[:2]} {run.name}"
        report(f"[{number}/{len(waiting)}] {title:<40} {seconds:6.1f} s  {said}")
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
    }
    write(notebook, run.target)
    return failure


def result(run):
    """Return the run's stored notebook and what failed, or (None, None) if it is to be done."""
    try:
        notebook = nbformat.read(run.target, as_version=4)
        record = notebook.metadata[RECORD]
        return (notebook, record["failure"]) if record["key"] == run.key else (None, None)
    except Exception:  # not there, or cut short
        return None, None


def finished(run):
    """Return whether the run was done before, without a failure."""
    notebook, failure = result(run)
    return notebook is not None and failure is None


# What came out


def headlines(notebook):
    """Return the headline figures of an executed lesson, by name."""
    figures = {}
    for cell in notebook.cells:
        if "headline" in cell.metadata.get("tags", []):
            printed = "".join(output.get("text", "") for output in cell.get("outputs", []))
            figures.update(HEADLINE.findall(printed))
    return figures


def summary(runs):
    """Return a table for each lesson: the figures of each run; in bold what changed."""
    parts = []
    for lesson in dict.fromkeys(run.lesson for run in runs):
        stored = headlines(nbformat.read(lesson, as_version=4))
        rows = [["variant", "parameters", *stored], ["(as published)", "", *stored.values()]]
        failures = []
        for run in (run for run in runs if run.lesson == lesson):
            given = ", ".join(f"{key} = {value}" for key, value in run.parameters.items())
            notebook, failure = result(run)
            if notebook is None:
                figures = ["not done"] + [""] * (len(stored) - 1)
            elif failure:
                figures = ["FAILED"] + [""] * (len(stored) - 1)
                failures.append(f"\n{run.name} failed: {failure}\n")
            else:
                now = headlines(notebook)
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
    options = parser.parse_args(arguments)

    unfinished = "the same command does the rest"
    try:
        runs = read(options.file, options.edition)
        todo = [run for run in runs if not finished(run)]
        print(f"{len(runs)} runs: {len(runs) - len(todo)} done before, {len(todo)} to do")
        lost = _do(todo, options) if todo else 0
    except KeyboardInterrupt:
        raise SystemExit(f"\nstopped; {unfinished}") from None
    text = summary(runs)
    file = write_text(text, folder(options.file, options.edition) / "summary.md")
    print(f"\n{text}\n-> {os.path.relpath(file)}")
    if lost:
        raise SystemExit(f"{lost} of {len(todo)} runs were lost; {unfinished}")
    return 0 if all(map(finished, runs)) else 1


if __name__ == "__main__":
    sys.exit(main())
