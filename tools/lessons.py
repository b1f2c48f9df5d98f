"""Execute the lessons: `run` copies into build/, `outputs` in place.

python -m tools.lessons run [LESSON ...]
python -m tools.lessons outputs [LESSON ...]

A LESSON is a path or the start of a name in notebooks/, such as 03; none means all of them.
"""

import os
import re
import sys
import time
from pathlib import Path

import matplotlib
import nbformat
from nbclient import NotebookClient

from tools.notebook import fold
from tools.progress import command_line, stoppable

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
BUILD = ROOT / "build"

NAME = re.compile(r"\d+_.+")  # of a lesson: its number in front
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
WIDGET = "application/vnd.jupyter.widget-view+json"
SECONDS_PER_CELL = 1800  # thirty times as long as the longest takes on an idle machine
KERNEL_OPTIONS = ["--log-level=ERROR"]  # no remark on encryption: it runs on this machine


def lessons(names=()):
    """Return the paths of the lessons that `names` stand for, in order."""
    paths = sorted(path for path in NOTEBOOKS.glob("*.ipynb") if NAME.fullmatch(path.stem))
    if not names:
        return paths
    chosen = []
    for name in names:
        found = [Path(name).resolve()] if Path(name).is_file() else []
        found = found or [path for path in paths if path.name.startswith(name)]
        if not found:
            known = ", ".join(path.stem for path in paths)
            raise SystemExit(f"no lesson is called '{name}'; there are: {known}")
        chosen += found
    return chosen


def number(path):
    """A lesson's number, as its notebook's name has it in front."""
    return Path(path).stem.partition("_")[0]


def folder(path):
    """Where all lies that a lesson needs beside its notebook."""
    return ROOT / "attn_lesson" / f"lesson{number(path)}"


def kept(path):
    """Where what tests a lesson lies: learners' answers, other parameters, its own tests."""
    return ROOT / "tests" / "lessons" / folder(path).name


def required(path):
    """The names of the packages that a lesson needs besides: requirements.txt in its folder."""
    file = folder(path) / "requirements.txt"
    lines = file.read_text(encoding="utf-8").split() if file.exists() else []
    return [line.partition("==")[0] for line in lines]


def isolate():
    """Let kernels started from here use this Python and none of the user's own settings."""
    for name in ("JUPYTER_PATH", "MPLBACKEND"):
        os.environ.pop(name, None)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    settings = BUILD / "ipython"
    # Kernels that start at once would wait for one another at one file of history.
    kernels = settings / "profile_default" / "ipython_kernel_config.py"
    write_text("c.HistoryManager.enabled = False\n", kernels)
    os.environ["IPYTHONDIR"] = str(settings)
    os.environ["MATPLOTLIBRC"] = str(Path(matplotlib.get_data_path()) / "matplotlibrc")


def execute(path):
    """Return the notebook at `path`, freshly executed in its own folder, and normalised."""
    path = Path(path)
    return execute_in(path.parent, nbformat.read(path, as_version=4))


def execute_in(folder, notebook, **kernel):
    """Execute the notebook in place, in the folder, here or in that kernel; normalise it."""
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        extra_arguments=KERNEL_OPTIONS,
        resources={"metadata": {"path": str(folder)}},
        coalesce_streams=True,
        force_raise_errors=True,
        record_timing=False,
        store_widget_state=False,
        **(kernel or {"kernel_name": KERNEL["name"]}),
    )
    client.owns_km = True  # a kernel manager that was given ends with the notebook too
    try:
        client.execute()
    except Exception as error:
        if hasattr(client, "_async_cleanup_kernel_future"):  # Ctrl-C, of which it tells nothing
            raise KeyboardInterrupt from error
        raise
    return normalise(notebook)


def normalise(notebook):
    """Fold answers, and take out whatever differs from run to run or by machine; in place."""
    notebook.nbformat_minor = 5
    notebook.metadata.update(nbformat.from_dict({"kernelspec": KERNEL, "language_info": LANGUAGE}))
    fold(notebook)
    for key in ("papermill", "widgets"):
        notebook.metadata.pop(key, None)
    for cell in notebook.cells:
        for key in ("papermill", "execution", "ExecuteTime"):
            cell.metadata.pop(key, None)
        if cell.cell_type == "code":  # controls have lost their kernel
            cell.outputs = [output for output in cell.outputs if not is_live(output)]
    return notebook


def is_live(output):
    """Whether an output is of use to a running kernel only: controls, and what helps them."""
    return WIDGET in output.get("data", {}) or "attn_teach" in output.get("metadata", {})


def as_text(notebook):
    """Return what a file of the notebook holds."""
    return nbformat.writes(notebook) + "\n"


def write(notebook, path):
    """Store the notebook; return whether that changed the file."""
    content = as_text(notebook)
    if path.exists() and content.encode() == path.read_bytes():
        return False
    write_text(content, path)
    return True


def write_text(content, path):
    """Store the text whole or not at all, also if others write the same file; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(content.encode())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)  # there only if the disk is full, or the like
    return path


def run(path):
    """Execute a copy of the lesson into build/; return what to say about it."""
    write(execute(path), BUILD / path.name)
    return f"-> {os.path.relpath(BUILD / path.name)}"


def outputs(path):
    """Execute the lesson in place; return what to say about it."""
    return "changed" if write(execute(path), path) else "as it was"


def plain(text):
    """Return the text without the colors of a terminal."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text).strip()


@stoppable("what was executed before is kept")
def main(arguments=None):
    """Do the command for each lesson; return 1 if one of them failed."""
    parser = command_line(__doc__)
    parser.add_argument("command", choices=["run", "outputs"])
    parser.add_argument("lesson", nargs="*")
    options = parser.parse_args(arguments)
    command = {"run": run, "outputs": outputs}[options.command]

    isolate()
    paths = lessons(options.lesson)
    failed = 0
    for path in paths:
        start = time.monotonic()
        try:
            result = command(path)
        except Exception as error:
            failed += 1
            result = f"FAILED\n\n{plain(str(error)) or type(error).__name__}\n"
        print(f"{path.stem:<28} {time.monotonic() - start:5.1f} s  {result}", flush=True)
    print(f"{len(paths) - failed} of {len(paths)} lessons executed without an error")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
