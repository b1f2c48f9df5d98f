"""What CONTRIBUTING tells to type is there: make's targets, Python's modules, files."""

import importlib.util
import re
import shutil
import subprocess

import pytest

from tools.lessons import ROOT

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
NEW = {"10", "NN"}  # a lesson that is not there yet, or any


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
@pytest.mark.parametrize("target", TARGETS)
def test_a_target_is_there(target):
    known = re.findall(r"^([a-z-]+(?: [a-z-]+)*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert target in " ".join(known).split()
    command = ["make", "-n", target, "NAME=10_x", "LESSONS=03", "SUBMISSIONS=x"]
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
