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
import os
import re
import sys
from pathlib import Path

import nbformat
import papermill
import yaml
from distributed import Client, LocalCluster, as_completed

from tools import editions
from tools.lessons import BUILD, SECONDS_PER_CELL, as_text, isolate, lessons, normalise, write

RESULTS = BUILD / "variants"
RECORD = "attn_teach_variant"  # metadata of a result: how it came about
HEADLINE = re.compile(r"^(.+?): +(\S.*?)\s*$", re.MULTILINE)


@dataclasses.dataclass
class Run:
    """One lesson to execute with one set of parameters."""

    lesson: Path
    name: str
    parameters: dict
    notebook: str  # the edition to execute, as text
    target: Path

    @property
    def title(self):
        return f"{self.lesson.stem[:2]} {self.name}"

    @property
    def key(self):
        """What the result depends on, as a digest."""
        content = json.dumps([self.notebook, self.parameters], default=str)
        return hashlib.sha256(content.encode()).hexdigest()


def read(file, edition="colab"):
    """Return the runs that the YAML file asks for, or exit and say what is wrong with it."""
    file = Path(file)
    try:
        asked = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SystemExit(f"there is no file {file}; `python -m tools.variants --help`") from None
    except yaml.YAMLError as error:
        raise SystemExit(f"{file} is not YAML: {error}") from None
    if not isinstance(asked, dict) or not asked:
        raise SystemExit(f"{file} must hold lessons, each with its variants; see --help")
    wheel = editions.build_wheel()
    runs = {}
    for lesson, variants in asked.items():
        # YAML reads 01 without quotes as a number.
        (path,) = lessons([f"{lesson:02d}" if isinstance(lesson, int) else lesson])
        whole = nbformat.read(path, as_version=4)
        notebook = editions.edition(whole, edition, wheel)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        for name, parameters in _expand(file, path, variants):
            folder = RESULTS / file.stem / path.stem
            target = folder / (re.sub(r"[^\w=.,-]+", "_", name) + ".ipynb")
            run = Run(path, name, parameters, as_text(notebook), target)
            if target in runs:
                raise SystemExit(f"{file}: two variants of {path.stem} are called '{name}'")
            runs[target] = run
    return list(runs.values())


def _expand(file, path, variants):
    """Yield the name and the parameters of each run that the lesson's entry stands for."""
    known = papermill.inspect_notebook(str(path))
    if not isinstance(variants, dict) or not variants:
        raise SystemExit(f"{file}: {path.stem} must hold variants, each a name and parameters")
    for name, parameters in variants.items():
        where = f"{file}: variant '{name}' of {path.stem}"
        if not isinstance(parameters, dict):
            raise SystemExit(f"{where} must hold parameters, such as {{seed: 1}}")
        for parameter in parameters:
            if parameter not in known:
                near = difflib.get_close_matches(str(parameter), known, n=1)
                hint = f"; did you mean '{near[0]}'?" if near else ""
                raise SystemExit(
                    f"{where} sets '{parameter}', which the lesson does not have{hint} "
                    f"It has: {', '.join(known)}"
                )
        ranges = {
            key: value["each"]
            for key, value in parameters.items()
            if isinstance(value, dict) and set(value) == {"each"}
        }
        for values in itertools.product(*ranges.values()):
            chosen = dict(zip(ranges, values, strict=True))
            parts = [str(name), *(f"{key}={value}" for key, value in chosen.items())]
            yield " ".join(parts), {**parameters, **chosen}


def execute(notebook, parameters, timeout):
    """Execute on a worker; return the notebook, what failed (or None) and the seconds."""
    import tempfile
    import time
    from pathlib import Path

    import papermill

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
            cell = f"In [{error.exec_count}] ({error.source.splitlines()[0]})"
            failure = f"{cell}: {error.ename}: {error.evalue}"
        except Exception as error:  # a dead kernel, a cell that takes too long
            failure = f"{type(error).__name__}: {error}"
        text = target.read_text(encoding="utf-8") if target.exists() else notebook
    return text, failure, time.monotonic() - start


# A worker has none of this project's modules. Functions of __main__ are sent to it whole.
execute.__module__ = "__main__"


def finished(run):
    """Return whether the run was done before, without a failure."""
    record = _record(run)
    return record.get("key") == run.key and record.get("failure") is None


def _record(run):
    if not run.target.exists():
        return {}
    return nbformat.read(run.target, as_version=4).metadata.get(RECORD, {})


def store(run, text, failure):
    """Write the run's result."""
    notebook = normalise(nbformat.reads(text, as_version=4))
    record = {"key": run.key, "parameters": run.parameters, "failure": failure}
    notebook.metadata[RECORD] = record
    write(notebook, run.target)


def perform(runs, client, report=print):
    """Execute the runs with the Dask client, and store and report each as it ends."""
    waiting = {}
    for run in runs:
        future = client.submit(execute, run.notebook, run.parameters, SECONDS_PER_CELL, pure=False)
        waiting[future] = run
    for done, (future, result) in enumerate(
        as_completed(waiting, with_results=True, raise_errors=False), start=1
    ):
        run = waiting[future]
        if future.status == "finished":
            text, failure, seconds = result
        else:  # more workers died with it than Dask allows
            text, failure, seconds = run.notebook, f"{type(result[1]).__name__}: {result[1]}", 0.0
        store(run, text, failure)
        said = f"FAILED {failure.splitlines()[0]}" if failure else "done"
        report(f"[{done}/{len(waiting)}] {run.title:<40} {seconds:6.1f} s  {said}")


def headlines(notebook):
    """Return the headline figures of an executed lesson, by name."""
    figures = {}
    for cell in notebook.cells:
        if "headline" in cell.metadata.get("tags", []):
            for output in cell.get("outputs", []):
                figures.update(HEADLINE.findall(output.get("text", "")))
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
            record = _record(run)
            if record.get("key") != run.key:
                figures = ["not run"] * len(stored)
            elif record.get("failure"):
                figures = ["FAILED", *[""] * (len(stored) - 1)]
                failures.append(f"\n{run.name} failed: {record['failure']}\n")
            else:
                now = headlines(nbformat.read(run.target, as_version=4))
                figures = [
                    now.get(name, "") if now.get(name) == value else f"**{now.get(name, '')}**"
                    for name, value in stored.items()
                ]
            rows.append([run.name, given, *figures])
        parts.append(f"## {lesson.stem}\n\n{_table(rows)}\n{''.join(failures)}")
    return "\n".join(parts)


def _table(rows):
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])


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


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="the variants, as YAML")
    parser.add_argument("--edition", choices=editions.EDITIONS, default="colab")
    parser.add_argument("--scheduler", help="the address of a Dask scheduler")
    parser.add_argument("--workers", type=int, help="without a scheduler: how many at once")
    options = parser.parse_args(arguments)

    runs = read(options.file, options.edition)
    todo = [run for run in runs if not finished(run)]
    print(f"{len(runs)} runs: {len(runs) - len(todo)} done before, {len(todo)} to do", flush=True)
    stopped = False
    if todo:
        isolate()
        client = connect(options.scheduler, options.workers)
        try:
            print(f"{sum(client.nthreads().values())} at a time", flush=True)
            perform(todo, client, report=lambda line: print(line, flush=True))
        except KeyboardInterrupt:
            stopped = True
        finally:
            client.close()
            if client.cluster:
                client.cluster.close()
    text = summary(runs)
    file = RESULTS / Path(options.file).stem / "summary.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    print(f"\n{text}\n-> {os.path.relpath(file)}")
    if stopped:
        raise SystemExit("stopped; the same command does the rest")
    return 1 if any(_record(run).get("failure") for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
