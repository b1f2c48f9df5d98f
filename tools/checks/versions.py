"""Test with the oldest and the newest versions that pyproject.toml allows, on each Python here.

python -m tools.checks.versions
python -m tools.checks.versions 3.10-oldest 3.13-newest

Each pair gets a fresh environment below build/versions, chosen by uv (the extra `setup`) from the
registry without constraints.txt. It runs the module's tests and two lessons, and writes its row of
the table in CONTRIBUTING.md. Where another Matplotlib draws the pictures otherwise, the numbers
behind them are compared with those drawn here. PyTorch's usual build is gigabytes large.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.checks import drawn
from tools.lessons import BUILD, ROOT, lessons, write_text

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
WHICH = {"oldest": "lowest-direct", "newest": "highest"}
LESSONS = ("01", "03")
MORE = ("books", "details", "promises", "real_model")  # tests of the module as a whole
PACKAGES = ("torch", "numpy", "matplotlib", "ipywidgets", "pytest")
TABLE = ROOT / "CONTRIBUTING.md"
MARKS = ("<!-- versions -->\n", "<!-- end of versions -->")
COUNTS = ("passed", "skipped", "failed")
HEAD = ("Python", "versions", *PACKAGES, *COUNTS, "numbers behind pictures")
PYTEST = ("-m", "pytest", "--nbval", "--nbval-current-env", "--color=no")
UV = (sys.executable, "-m", "uv")
OURS = {**os.environ, "PYTHONPATH": str(ROOT)}  # the project itself is not installed there


def tests():
    """The paths of the tests that concern what learners import, and of the lessons."""
    rooms = (ROOT / "attn_teach", ROOT / "attn_lesson")
    modules = [path.stem for room in rooms for path in room.glob("*.py")]
    files = [ROOT / "tests" / f"test_{name}.py" for name in (*modules, *MORE)]
    return [*sorted(path for path in files if path.exists()), *lessons(LESSONS)]


def run(*command, **options):
    """Run a command in the project's folder; return how it ended."""
    return subprocess.run([*map(str, command)], cwd=ROOT, text=True, **options)


def make(version, which, folder):
    """Make the environment; return its Python and its packages' versions, or None."""
    shutil.rmtree(folder, ignore_errors=True)
    # pyenv's own folders: its commands may stand for nothing.
    found = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    wanted = ("--no-python-downloads", "--python", (found or [version])[-1])
    if run(*UV, "venv", "--quiet", *wanted, folder, stderr=subprocess.DEVNULL).returncode:
        return None
    (python,) = [*folder.glob("bin/python"), *folder.glob("Scripts/python.exe")]
    install = (*UV, "pip", "install", "--quiet", "--python", python, "--resolution", WHICH[which])
    extras = [part for name in ("lab", "test", "reference") for part in ("--extra", name)]
    run(*install, "-r", "pyproject.toml", *extras, check=True)
    run(*install, "--no-deps", "--group", "model", check=True)
    freeze = run(*UV, "pip", "freeze", "--quiet", "--python", python, stdout=subprocess.PIPE)
    return python, dict(re.findall(r"^(\S+)==(\S+)$", freeze.stdout, re.MULTILINE))


def row(version, which, here):
    """Return the cells of the table for this pair, or None without such a Python."""
    folder = BUILD / "versions" / f"{version}-{which}"
    made = make(version, which, folder)
    if made is None:
        return None
    python, has = made
    done = run(python, *PYTEST, *tests(), stdout=subprocess.PIPE, env=OURS)
    write_text(done.stdout, folder.with_name(f"{folder.name}.txt"))
    found = re.findall(
        r"(\d+) (passed|failed|skipped|error)", done.stdout.strip().rpartition("\n")[2]
    )
    counts = {what: int(number) for number, what in found}
    counts["failed"] = counts.get("failed", 0) + counts.get("error", 0) or done.returncode
    there = shown(python)
    wrong = [
        f"{name}: {complaint}"
        for name, pictures in here.items()
        for complaint in drawn.differences(pictures, there.get(name, []))
    ]
    number = sum(map(len, here.values()))
    print(f"{folder.name}: {counts}; {number} pictures", *wrong, sep="\n    ", flush=True)
    shutil.rmtree(folder)
    numbers = f"{number} the same" if not wrong else f"{len(wrong)} of {number} differ"
    return [which, *map(has.get, PACKAGES), *map(counts.get, COUNTS, "000"), numbers]


def shown(python):
    """What the pictures of the lessons show when this Python executes them."""
    done = run(python, "-m", "tools.checks.drawn", *LESSONS, stdout=subprocess.PIPE, env=OURS)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def write(rows):
    """Put the rows into the table, in place of those of the same pairs."""
    before, _, rest = TABLE.read_text(encoding="utf-8").partition(MARKS[0])
    old, _, after = rest.partition(MARKS[1])
    known = [line.strip("| ").split(" | ") for line in old.splitlines()[2:]]
    table = {(cells[0], cells[1]): cells for cells in known + rows}
    order = sorted(table.values(), key=lambda cells: (cells[0], cells[1] != "oldest"))
    lines = [HEAD, ["---"] * len(HEAD), *order]
    text = "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)
    write_text(before + MARKS[0] + text + MARKS[1] + after, TABLE)


def main(arguments=None):
    """Test each pair; return 1 if one of them has failures, or other numbers in its pictures."""
    pairs = [f"{version}-{which}" for version in PYTHONS for which in WHICH]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pair", nargs="*", metavar="PAIR", help=", ".join(pairs))
    chosen = parser.parse_args(arguments).pair or pairs
    if unknown := {*chosen} - {*pairs}:
        parser.error(f"{', '.join(unknown)}: there are {', '.join(pairs)}")
    here, failed = shown(sys.executable), False
    if not here:
        raise SystemExit("the lessons do not run here (see above): run `make test` first")
    for pair in chosen:
        version, _, which = pair.partition("-")
        cells = row(version, which, here)
        if cells is None:
            print(f"{pair}: there is no Python {version} here", flush=True)
        else:
            write([[version, *cells]])
            failed |= cells[-2] != 0 or "differ" in cells[-1]
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
