"""What CONTRIBUTING tells to type is there: make's targets, Python's modules, files."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap

import nbformat
import pytest

from tools.lessons import ROOT
from tools.notebook import tags

PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", ROOT / "classroom" / "README.md"]
TEXT = "\n".join(page.read_text("utf-8") for page in PAGES)
TARGETS = sorted(set(re.findall(r"make ([a-z][a-z-]+)(?=[`\s=:)]| [A-Z]+=)", TEXT)))
MODULES = sorted(set(re.findall(r"python -m ([\w.]+)", TEXT)))
# A path is told with a folder that is there, or stands for each lesson's.
PATHS = sorted(
    path
    for path in set(re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", TEXT))
    if (ROOT / path.partition("/")[0]).exists() and path.partition("/")[0] != "build"
)
NEW = {"13", "NN"}  # a lesson that is not there yet, or any


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
@pytest.mark.parametrize("target", TARGETS)
def test_a_target_is_there(target):
    known = re.findall(r"^([a-z-]+(?: [a-z-]+)*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert target in " ".join(known).split()
    command = ["make", "-n", target, "NAME=13_x", "LESSONS=03", "SUBMISSIONS=x"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert not done.returncode, done.stderr


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_there(module):
    found = importlib.util.find_spec(module)
    assert found is not None or module == "jupyterlab"
    if found.submodule_search_locations:
        assert importlib.util.find_spec(f"{module}.__main__")


@pytest.mark.parametrize("path", PATHS)
def test_a_path_is_there(path):
    there = any((page.parent / path).exists() for page in PAGES)
    assert there or any(f"lesson{nn}" in path or f"{nn}_" in path for nn in NEW)


# Who does what the page says adds an exercise


def block(begins):
    """The block of the page that begins so."""
    for fenced in PAGES[0].read_text("utf-8").split("```")[1::2]:
        text = textwrap.dedent(fenced.partition("\n")[2].rstrip(" "))
        if text.startswith(begins):
            return text
    raise AssertionError(f"the page has no block that begins with {begins!r}")


def cell(kind, source, like, n):
    """A cell with tags and slides of the one that it is a copy of."""
    made = (
        nbformat.v4.new_code_cell(source)
        if kind == "code"
        else nbformat.v4.new_markdown_cell(source)
    )
    made.metadata = {k: like.metadata[k] for k in ("tags", "slideshow") if k in like.metadata}
    made["id"] = f"new-{n}"
    return made


def added(notebook):
    """The cells of the page's first step, each behind the last of its kind; and the minutes."""
    cells = notebook.cells
    of = {tag: max(i for i, c in enumerate(cells) if tag in tags(c) and (c.cell_type == "code"))
          for tag in ("exercise", "check", "solution")}  # fmt: skip
    end = next(i for i, c in enumerate(cells) if c.source.startswith("## Solutions"))
    head = "def my_share(weights, mask):\n"
    solved = "    return weights.masked_fill(mask, 0).sum(-1) / weights.sum(-1)\n\ncheck(my_share)"
    stub = '    """Weights, mask (..., queries, keys) -> shares (..., queries)."""\n'
    stub += "    ...  # your code here"
    asked = (
        "### Exercise 3.8 · What the mask hides (easy, 5 minutes)\n\nFind the share of each row."
    )
    answer = "### Solution 3.8\n\nFill the real keys with 0 and add what is left."
    solution = [
        cell("markdown", answer, cells[of["solution"] - 1], 0),
        cell("code", head + solved, cells[of["solution"]], 1),
    ]
    exercise = [
        cell("markdown", asked, cells[of["exercise"] - 1], 2),
        cell("code", head + stub, cells[of["exercise"]], 3),
        cell("code", "check(my_share)", cells[of["check"]], 4),
    ]
    last = max(i for i, c in enumerate(cells) if "solution" in tags(c))
    notebook.cells = [
        *cells[:end],
        *exercise,
        *cells[end : last + 1],
        *solution,
        *cells[last + 1 :],
    ]
    for c in notebook.cells:
        plan = re.compile(r"(Plan about \d+ minutes for the lesson and )(\d+)")
        c.source = plan.sub(lambda m: f"{m[1]}{int(m[2]) + 5}", c.source)
    return notebook


@pytest.mark.long
def test_an_exercise_is_added_as_the_page_says(tmp_path):
    copy = tmp_path / "copy"
    left = (".venv", ".git", "build", "__pycache__", ".ruff_cache", ".hypothesis")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*left))
    (path,) = (copy / "notebooks").glob("03_*.ipynb")
    nbformat.write(added(nbformat.read(path, 4)), path)
    edit(copy / "attn_lesson/lesson03/exercises.py", lambda text: re.sub(
        r"\n\n\nEXERCISES, .*?LEAKS\b", lambda m: "\n\n\n" + block("def my_share").rstrip() +
        m[0] + ", SHARE", text, flags=re.S))  # fmt: skip
    edit(copy / "attn_lesson/lesson03/mistakes.md", lambda text: text.replace(
        "\n# sentences", "\n" + block("# my_share") + "\n# sentences"))  # fmt: skip
    wrong = block("# answer: my_share")
    body = "def my_share(weights, mask):\n    return (weights * ~mask).sum(-1) / weights.sum"
    wrong += f"\n\n# answer: my_share | wrong | of all rows | whole table\n{body}()\n"
    wrong += f"\n\n# answer: my_share | right | a product\n{body}(-1)\n"
    edit(copy / "tests/lessons/lesson03/answers.py", lambda text: text + "\n\n" + wrong)
    assert not run(copy, "tools.lessons", "outputs", "03").returncode
    table = run(copy, "tools.course").stdout.strip() + "\n\n"
    edit(copy / "classroom/TEACHING.md", lambda text: re.sub(
        r"\| Lesson \| Question.*?\n\n", lambda _: table, text, flags=re.S))  # fmt: skip
    done = run(copy, "tools.check", "03")
    assert not done.returncode, done.stdout[-5000:] + done.stderr


def edit(path, change):
    before = path.read_text("utf-8")
    after = change(before)
    assert after != before, path.name
    path.write_text(after, "utf-8")


def run(copy, *command):
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", *command]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
