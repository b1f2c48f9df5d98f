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

import argparse
import collections
import dataclasses
import difflib
import functools
import hashlib
import itertools
import json
import math
import os
import re
import sys
from pathlib import Path

import nbformat
import papermill
import yaml
from distributed import as_completed

from attn_lesson.parameters import check_parameters, read_lines
from attn_teach.checks import shown
from classroom.workers import connect
from tools.checks import claims
from tools.editions import editions
from tools.lessons import (
    BUILD,
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
from tools.progress import bar, say, stoppable

RESULTS = BUILD / "variants"
LONGEST_NAME = 60  # characters; a file's name may have 255 bytes
MOST_RUNS = 1000  # to do without asking
TRIES = 10  # for each seed that is to be found
UNFINISHED = "the same command does the rest"
MOST_VALUES = 10**6  # in a file, each alias counted as what it stands for


@dataclasses.dataclass
class Variant:
    """One name in the file: a run, or one for each combination of the ranges' values.

    Or, for each, as many as are to hold: runs with one seed after the other are tried for them.
    """

    lesson: Path
    name: str
    parameters: dict
    ranges: dict  # of some parameters: the values after `each`
    hold: int = 0  # the number after `hold`
    first: int = 0  # the seed to begin with

    @property
    def count(self):
        """How many runs this multiplies to, if each seed holds."""
        return math.prod(map(len, self.ranges.values())) * (self.hold or 1)

    def __str__(self):
        factors = [len(values) for values in self.ranges.values()] + [self.hold] * bool(self.hold)
        product = f"{' x '.join(map(str, factors))} = " if len(factors) > 1 else ""
        return f"{self.name} of {self.lesson.stem}: {product}{self.count} runs"

    def expand(self):
        """Yield, for each combination, its name and its runs' names and parameters."""
        for values in itertools.product(*self.ranges.values()):
            chosen = dict(zip(self.ranges, values, strict=True))
            name = " ".join([self.name, *(f"{key}={value}" for key, value in chosen.items())])
            given = {**self.parameters, **chosen}
            seeds = range(self.first, self.first + TRIES * self.hold)
            yield (
                name,
                [(f"{name} seed={n}", {**given, "seed": n}) for n in seeds] or [(name, given)],
            )


@dataclasses.dataclass
class Run:
    """One lesson to execute with one set of parameters."""

    lesson: Path
    name: str
    parameters: dict
    published: nbformat.NotebookNode
    notebook: str  # the edition to execute, with cells that evaluate its premises, as text
    target: Path
    edition: str
    must_hold: bool  # or it is not written

    @property
    def key(self):
        """What the result depends on, as a digest."""
        return _digest(json.dumps([_digest_of_lesson(self.notebook), self.parameters]))

    @property
    def record(self):
        """The file that says how the run ended; it stands apart from what may be handed out."""
        folder = self.target.parent
        return folder.parent / "records" / folder.name / f"{self.target.stem}.json"

    def is_kept(self, record):
        """Whether the notebook of a run that ended like this is written."""
        return not (self.must_hold and (record["failure"] or record["false"]))


@dataclasses.dataclass
class Search:
    """Runs of which so many are wanted: the only one, or the first that hold."""

    name: str
    runs: list
    hold: int  # 0: there is one run, which is wanted however it ends

    def __post_init__(self):
        self.left = [run for run in self.runs if not finished(run)]
        self.running = 0

    @property
    def wanted(self):
        return self.hold or 1

    def found(self):
        """The wanted runs, as far as they are done."""
        done = (run for run in self.runs if finished(run))
        if self.hold:
            done = (run for run in done if not result(run)["false"])
        return list(itertools.islice(done, self.wanted))

    def missing(self):
        """How many runs are to do now, at least."""
        return min(self.wanted - len(self.found()) - self.running, len(self.left))

    def begin(self):
        """Return the runs to do now."""
        count = self.missing()
        begun, self.left = self.left[:count], self.left[count:]
        self.running += len(begun)
        return begun


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
        parameters, ranges, hold = dict(parameters), {}, 0
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
            if isinstance(value, dict) and set(value) == {"hold"}:
                hold, values = value["hold"], []
                if parameter != "seed" or type(hold) is not int or hold < 1:
                    raise SystemExit(f"{where}: only a seed can hold, as in seed: {{hold: 4}}")
            if isinstance(value, dict) and set(value) == {"file"}:
                parameters[parameter] = lines = _lines_of(where, Path(file).parent, value["file"])
                values = [lines]
            elif isinstance(value, str) and os.path.isfile(Path(file).parent / value):
                raise SystemExit(  # runs have a folder of their own, perhaps on another machine
                    f"{where}: write {{file: {value}}}, so that the run gets what the file holds"
                )
            if not all(map(_is_plain, values)):
                raise SystemExit(
                    f"{where} gives '{parameter}' the value {value!r}; expected a number, "
                    "a text in quotes, true, false, a list of these, {each: [...]} or {file: ...}"
                )
        first = 1 + int(known["seed"]["default"]) if hold else 0
        yield Variant(path, str(name), parameters, ranges, hold, first)


def _lines_of(where, folder, name):
    """Return the lines of a file beside the variants' own; exit where there are none."""
    if not isinstance(name, str) or not name:
        raise SystemExit(f"{where}: file must be a file's name, as in {{file: words.txt}}")
    try:
        lines = [line.strip() for line in read_lines(folder / name) if line.strip()]
    except ValueError as error:
        raise SystemExit(f"{where}: {error}; expected a file with a line for each word") from None
    if not lines:
        raise SystemExit(f"{where}: {name} is empty; expected a line for each word")
    return lines


def _is_plain(value):
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return isinstance(value, (str, bool, int)) or (
        isinstance(value, float) and math.isfinite(value)
    )


def expand(file, asked, edition, even_if_false=False):
    """Return what to do for the variants; exit where a lesson refuses one or two are alike."""
    wheel = editions.build_wheel()
    targets, searches = {}, []
    for path, variants in itertools.groupby(asked, key=lambda variant: variant.lesson):
        published = nbformat.read(path, as_version=4)
        check = _check_of(published)
        text = _text(published, edition, wheel)
        place = folder(file, edition) / path.stem
        for variant in variants:
            must_hold = bool(variant.hold) or (edition == "student" and not even_if_false)
            for title, named in variant.expand():
                runs = []
                for name, parameters in named:
                    try:
                        check(parameters)
                    except Exception as error:
                        raise SystemExit(
                            f"{file}: variant '{name}' of {path.stem} is refused by the lesson:\n"
                            f"{error}"
                        ) from None
                    target = place / f"{_file_name(name)}.ipynb"
                    # Some systems take A and a for the same.
                    other = targets.setdefault(str(target).lower(), name)
                    if other is not name:
                        raise SystemExit(
                            f"{file}: the variants '{other}' and '{name}' of {path.stem} would be "
                            "stored in the same file; call one of them something else"
                        )
                    runs.append(
                        Run(path, name, parameters, published, text, target, edition, must_hold)
                    )
                searches.append(Search(title, runs, variant.hold))
    return searches


def _check_of(notebook):
    """Return a function that raises what the lesson's own check says of parameters."""
    for first, second in parameter_cells(notebook):
        if second and "check_parameters(" in second.source:
            codes = [compile(cell.source, cell.id, "exec") for cell in (first, second)]
            return functools.partial(_check, *codes)
    return lambda parameters: None


def _check(defaults, limits, parameters):
    def check(given, *, written_for=None, **limits):  # says nothing of the text: broken() does
        check_parameters(given, **limits)

    names = {"check_parameters": check}
    exec(defaults, names)
    names.update(parameters)
    exec(limits, names)


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
        cells = [cell for cell in cells if "premise" not in cell["metadata"].get("tags", [])]
        begun = [cell for cell in cells if cell["metadata"].get("papermill", {}).get("start_time")]
        if begun:
            first = "".join(begun[-1]["source"]).strip().split("\n")[0]
            failure = f"In [{cells.index(begun[-1]) + 1}] ({first}): {failure}"
    return text, failure, time.monotonic() - start


# A worker has none of this project's modules. Functions of __main__ are sent to it whole.
execute.__module__ = "__main__"


def perform(searches, client, report=say):
    """Execute what is to be done with the Dask client; store and report each run as it ends.

    Returns how many were lost, because the scheduler went away.
    """
    # A lesson's text is sent once, as the result of a task, which is done again if it is lost.
    runs = [search.runs[0] for search in searches]
    texts = {text: client.submit(str, text, pure=False) for text in {r.notebook for r in runs}}
    waiting = {}

    def begin(searches):
        pairs = [(search, run) for search in searches for run in search.begin()]
        if not pairs:
            return []
        futures = client.map(
            execute,
            [texts[run.notebook] for _, run in pairs],
            [run.parameters for _, run in pairs],
            timeout=SECONDS_PER_CELL,
            pure=False,
        )
        waiting.update(zip(futures, pairs, strict=True))
        return futures

    lost = 0
    ended = as_completed(begin(searches))
    shown = bar("Variants", len(waiting))
    for count, future in enumerate(ended, start=1):
        (search, run), seconds = waiting.pop(future), 0.0
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
            record = store(run, text, failure)
            search.running -= 1
            ended.update(begin([search]))
            said = _in_a_line(run, record)
        del future  # a worker keeps a result for as long as its future is known here
        title = f"{number(run.lesson)} {run.name}"
        shown.total = count + len(waiting)
        shown.update()
        report(f"[{count}/{shown.total}] {title:<40} {seconds:6.1f} s  {said}")
    shown.close()
    return lost


def _in_a_line(run, record):
    if record["failure"]:
        return f"FAILED {_why(record)}"
    if not record["false"]:
        return "done"
    return f"FALSE{'' if run.is_kept(record) else ', not written'}: {_why(record)}"


def _why(record):
    """Return in a line why the run failed or what is false in it; nothing if all is well."""
    first, *more = (record["failure"] or "").splitlines() or record["false"] or [""]
    return first + f" (and {len(more)} more)" * bool(more and not record["failure"])


def store(run, text, failure):
    """Write the run's result; return its record."""
    notebook = normalise(nbformat.reads(text, as_version=4))
    told = claims.take_out(notebook)
    first = "".join(output.get("text", "") for output in notebook.cells[0].get("outputs", []))
    if failure is None and "another version" in first:
        failure = "the worker has another version of attn_teach installed; remove it there"
    record = {
        "key": run.key,
        "failure": failure and plain(failure),
        "headlines": headlines(notebook),
        "false": [] if failure else claims.broken(run.published, notebook, run.parameters, told),
    }
    run.record.unlink(missing_ok=True)  # of what is replaced now
    if run.is_kept(record):
        if run.edition == "student" and not failure:
            editions.clear_results(notebook.cells)
        write(notebook, run.target)
    else:
        run.target.unlink(missing_ok=True)
    write_text(json.dumps(record, indent=1), run.record)
    return record


def result(run):
    """Return the record of the run's stored result, or None if the run is to be done."""
    try:
        record = json.loads(run.record.read_text(encoding="utf-8"))
        as_wanted = record["key"] == run.key and run.is_kept(record) == run.target.exists()
        return record if as_wanted else None
    except (OSError, ValueError, LookupError, TypeError):  # not there, or cut short
        return None


def finished(run):
    """Return whether the run was done before, without a failure."""
    record = result(run)
    return record is not None and record["failure"] is None


# What came out


def summary(searches):
    """Return for each lesson a table of each run's figures, in bold what changed; what is false."""
    parts = []
    for lesson, its in itertools.groupby(searches, key=lambda search: search.runs[0].lesson):
        its = list(its)
        stored = headlines(its[0].runs[0].published)
        rows = [["variant", "parameters", *stored], ["(as published)", "", *stored.values()]]
        below = []
        for search in its:
            for run in search.found() if search.hold else search.runs:
                given = ", ".join(
                    f"{key} = {_short(value)}" for key, value in run.parameters.items()
                )
                record = result(run)
                figures = [""] * len(stored)
                if record is None:
                    figures[:1] = ["not done"]
                elif record["failure"]:
                    figures[:1] = ["FAILED"]
                    below.append(f"{run.name} failed: {record['failure']}")
                else:
                    now = record["headlines"]
                    figures = [
                        value if now.get(name) == value else f"**{now.get(name, 'missing')}**"
                        for name, value in stored.items()
                    ]
                    if record["false"]:
                        ending = "" if run.is_kept(record) else ", so it is not written"
                        below.append(_listed(f"{run.name} says what is false{ending}", record))
                rows.append([run.name, given, *figures])
            if search.hold:
                below.append(_search(search))
        parts.append("\n\n".join([f"## {lesson.stem}", _table(rows), *below]) + "\n")
    return "\n".join(parts)


def _short(value):
    return shown(value) if isinstance(value, list) else value


def _listed(title, record):
    return "\n".join([f"{title}:\n", *(f"- {text}" for text in record["false"])])


def _search(search):
    """Return how a search for seeds ended, and what was false with which of the others."""
    reasons, tried = collections.defaultdict(list), len(search.found())
    for run in search.runs:
        record = result(run)
        if record and _why(record):
            tried += 1
            for reason in record["false"] or [_why(record)]:
                reasons[reason].append(str(run.parameters["seed"]))
    lines = [f"{search.name}: {len(search.found())} of {search.hold} seeds found, {tried} tried"]
    if reasons:
        lines[0] += "; thrown away were, what fails most often first:\n"
    for reason, seeds in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        lines.append(f"- seed{'s' * (len(seeds) > 1)} {', '.join(seeds)}: {reason}")
    return "\n".join(lines)


def _table(rows):
    rows = [[" ".join(cell.replace("|", "\\|").split()) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])


# The command


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


def _do(searches, options):
    """Do the runs; return how many were lost."""
    isolate()
    client = connect(options.scheduler, options.workers)
    try:
        at_once = sum(client.nthreads().values())
        print(f"{at_once} at a time" if at_once else "waiting for workers", flush=True)
        return perform(searches, client)
    finally:
        client.close()
        if client.cluster:
            client.cluster.close()


@stoppable(UNFINISHED)
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", help="the variants, as YAML")
    parser.add_argument("--edition", choices=editions.EDITIONS, default="colab")
    parser.add_argument(
        "--even-if-false", action="store_true", help="write student editions that say what is false"
    )
    parser.add_argument("--scheduler", help="the address of a Dask scheduler")
    parser.add_argument("--workers", type=_count, help="without a scheduler: how many at once")
    parser.add_argument(
        "--yes", action="store_true", help=f"do not ask before more than {MOST_RUNS} runs"
    )
    options = parser.parse_args(arguments)

    results = folder(options.file, options.edition)
    try:
        asked = read(options.file)
        for variant in asked:
            _need_folder(results / variant.lesson.stem)
            if variant.ranges or variant.hold:
                print(variant)
        total = sum(variant.count for variant in asked)
        stored = sum(1 for _ in results.glob("records/*/*.json"))
        _agree(total - stored, total, options)  # so many at least, before any is made
        searches = expand(options.file, asked, options.edition, options.even_if_false)
        todo = sum(search.missing() for search in searches)
        done = sum(len(search.found()) for search in searches)
        more = " or more" * any(search.hold and search.missing() for search in searches)
        print(f"{total} runs: {done} done before, {todo}{more} to do")
        _agree(todo, total, options)
        lost = _do(searches, options) if todo else 0
        text = summary(searches)
        file = write_text(text, results / "summary.md")
    except OSError as error:  # such as a full disk
        raise SystemExit(f"stopped: {error}; {UNFINISHED}") from None
    print(f"\n{text}\n-> {os.path.relpath(file)}")
    if lost:
        raise SystemExit(f"{lost} of {todo} runs were lost; {UNFINISHED}")
    written = (run for search in searches for run in search.found() if run.target.exists())
    return 0 if sum(1 for _ in written) == total else 1


if __name__ == "__main__":
    sys.exit(main())
