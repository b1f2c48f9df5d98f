"""The set-up: what it installs, versions and licences that agree, what make does."""

import ast
import itertools
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version

import pictures
import pytest
import yaml
from packaging.requirements import Requirement

from attn_lesson import lesson07, lesson10, lesson11, published
from tools import course, lock, set_up
from tools.lessons import ROOT, lessons

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


TOML = tomllib.loads(read("pyproject.toml"))
PROJECT = TOML["project"]
EXTRAS = PROJECT["optional-dependencies"]


# What is installed


@pytest.mark.parametrize(
    ("arguments", "fails", "expected"),
    [
        ("lab", "", ["pip uv", "uv cpu", "uv project"]),
        ("lab --torch default", "", ["pip uv", "pip torch", "uv project"]),
        ("lab", "--torch-backend", ["pip uv", "uv cpu", "pip torch", "uv project"]),
        ("lab,model", "uv", ["pip uv", "pip torch", "pip project", "pip pip>=25.1", "pip models"]),
        ("lab", "torch", ["pip uv", "uv cpu", "pip torch"]),
        ("lab,model", ".[lab]", ["pip uv", "uv cpu", "uv project", "pip project"]),
    ],
)
def test_uv_comes_first_and_pip_where_it_fails(arguments, fails, expected, monkeypatch):
    short = {"--torch-backend": "cpu", "torch==": "torch", ".[lab]": "project", "model": "models"}
    asked = []

    def works(tool, *words):
        what = next((name for part, name in short.items() if part in " ".join(words)), words[-1])
        asked.append(f"{tool} {what}")
        assert (tool == "uv") == ("--compile-bytecode" in words)
        return not fails or fails not in " ".join([tool, *words[-3:]])

    monkeypatch.setattr(set_up, "works", works)
    monkeypatch.setattr(set_up, "settle_lab", lambda: None)
    monkeypatch.setattr(set_up, "PIP", sys.executable)  # .venv is there
    monkeypatch.setattr(set_up.subprocess, "call", lambda *_, **__: 1)  # and has no torch
    monkeypatch.setattr(set_up.sys, "platform", "linux")
    monkeypatch.setattr(sys, "argv", ["set_up.py", *arguments.split()])
    with pytest.raises(SystemExit) as ended:
        set_up.main()
    assert asked == expected
    assert ended.value.code == int(fails in ("torch", ".[lab]"))


def test_old_pythons_read_the_file_and_are_turned_away_in_one_sentence(monkeypatch):
    tree = ast.parse(read("tools/set_up.py"), feature_version=(3, 7))
    assert not any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree))
    monkeypatch.setattr(set_up.sys, "version_info", (3, 9, 18))
    with pytest.raises(SystemExit, match=r": Python 3\.9 is too old: install Python 3\.10 or new"):
        set_up.main()


# Versions, which several files name


def pinned(minor):
    """The version of each package that constraints.txt gives this Python on Linux."""
    python = {"python_version": f"3.{minor}", "python_full_version": f"3.{minor}.9",
              "sys_platform": "linux", "implementation_name": "cpython"}  # fmt: skip
    lines = [Requirement(line) for line in read("constraints.txt").splitlines() if line[0] != "#"]
    here = [r for r in lines if r.marker is None or r.marker.evaluate(python)]
    wanted = map(Requirement, itertools.chain(PROJECT["dependencies"], *EXTRAS.values()))
    wanted = [r for r in wanted if r.marker is None or r.marker.evaluate(python)]
    return {r.name: str(r.specifier).removeprefix("==") for r in here}, wanted


@pytest.mark.parametrize("minor", [10, 11, 12, 13])
def test_constraints_are_within_the_ranges_for_every_python(minor):
    versions, wanted = pinned(minor)
    assert [r for r in wanted if not r.specifier.contains(versions[r.name])] == []


def test_conda_this_machine_and_the_pictures_have_the_versions_of_the_constraints():
    versions, wanted = pinned(11)
    names = {r.name for r in wanted} - {Requirement(text).name for text in EXTRAS["setup"]}
    environment = read("environment.yml").replace("pytorch", "torch").replace("-base", "")
    assert dict(re.findall(r"- ([\w.-]+)(?:\[\w+\])?==?([\w.]+)$", environment, re.MULTILINE)) == {
        "python": "3.11", **{name: versions[name] for name in names}
    }  # fmt: skip
    assert versions["matplotlib"].startswith("{}.{}.".format(*pictures.DRAWN_BY))
    assert lock.HELD.strip() == f"torch=={versions['torch']}"
    versions, wanted = pinned(sys.version_info.minor)
    names &= {r.name for r in wanted}
    names -= {Requirement(text).name for text in EXTRAS["browser"]}
    assert {name: version(name).partition("+")[0] for name in names} == {
        name: versions[name] for name in names
    }


def test_models_and_libraries_are_the_same_wherever_they_are_named():
    group = {r.name: r.specifier for r in map(Requirement, TOML["dependency-groups"]["model"])}
    asked = [Requirement(p) for at in (lesson07, lesson10) for p in published.packages(at.HERE)]
    assert {*group} == {r.name for r in asked}
    assert all(group[r.name] == r.specifier for r in asked if r.specifier)
    assert [Requirement(text).name for text in EXTRAS["elsewhere"]] == published.packages(
        lesson11.HERE
    )
    models, pages = re.search(r"\d+ MB", set_up.FETCH)[0], (read("Makefile"), read("README.md"))
    assert all(size in p for size in (models, f"{lesson11.MEGABYTES} MB") for p in pages)
    assert set_up.FIRST.split("That is ")[1].split(";")[0] in " ".join(pages[1].split())


def test_one_version_is_named_everywhere():
    cited = yaml.safe_load(read("CITATION.cff"))
    newest = re.search(r"^## (.*)$", read("CHANGELOG.md"), re.MULTILINE)[1]
    assert cited["version"] == PROJECT["version"]
    assert newest == f"{PROJECT['version']} ({cited['date-released']})"


def test_licences_are_the_same_wherever_they_are_named():
    cited, readme = yaml.safe_load(read("CITATION.cff")), read("README.md")
    assert cited["authors"] == PROJECT["authors"] and cited["keywords"] == PROJECT["keywords"]
    data = {source["title"]: source["license"] for source in cited["references"]}
    assert {*cited["license"], *data.values()} == {*PROJECT["license"].split(" AND ")}
    for title, licence in data.items():  # NOTICE is what every file that is handed out says
        what, nn, source = re.fullmatch(r"(.*) \(lesson (\d\d)\), from (.*)", title).groups()
        assert f"{what}: {licence.replace('CC-BY-', 'CC BY ')}, from {source}." in course.NOTICE
        assert source in read(f"attn_lesson/lesson{nn}/README.md")
    said = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", readme.split("## Licence")[1])
    assert course.NOTICE.split(". ", 1)[1] in " ".join(said.split())
    files = [path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)]
    assert len(files) == 4
    assert all(f"]({path.relative_to(ROOT).as_posix()})" in readme for path in files)


# What make does


def test_readme_opens_the_first_lesson():
    assert f"--LabApp.default_url=/lab/tree/{lessons()[0].name}\n" in read("README.md")


@pytest.mark.skipif(not shutil.which("make"), reason="no make here")
def test_make_sets_up_when_it_must_and_says_what_is_missing(tmp_path):
    root = tmp_path / "a course"
    for name in ("notebooks", "tools"):
        (root / name).mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, root)
    (root / "notebooks" / "01_first.ipynb").touch()

    def make(*arguments):
        return subprocess.run(["make", *arguments], cwd=root, capture_output=True, text=True)

    def script(path, does):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{does}\n")
        path.chmod(0o755)

    missing = make("lab", "PYTHON=python3.99")
    assert missing.returncode and missing.stderr.startswith("'python3.99' was not found: install")
    assert not (root / ".venv").exists()
    (root / ".venv").mkdir()
    script(root / "my python", 'echo mine "$@"')
    done = make(".venv/lab.stamp", "PYTHON=./my python", "TORCH=default")
    assert done.stdout == "mine tools/set_up.py lab --torch default\n"
    script(root / ".venv/bin/pip", "")
    script(root / ".venv/bin/python", "exit 3")
    assert make("student").returncode and not (root / ".venv/classroom.stamp").exists()
    script(root / ".venv/bin/python", 'echo "$@"')
    extras = "lab,test,classroom,elsewhere,model"
    assert make("student").stdout.startswith(f"tools/set_up.py {extras} --torch cpu\n")
    assert "set_up" not in make("student").stdout, "the second time it is set up"
    os.utime(root / "constraints.txt", (2**31, 2**31))
    assert "set_up" in make("student").stdout, "its versions changed"
    opened = make("lab", "ARGS=--no-browser").stdout.splitlines()[-1]
    assert opened.endswith("--LabApp.default_url=/lab/tree/01_first.ipynb --no-browser")
    (root / "build").mkdir()
    assert not make("clean").returncode
    assert (root / ".venv/bin/pip").exists() and not (root / "build").exists()


def test_jupyterlab_opens_without_a_question(monkeypatch, tmp_path):
    monkeypatch.setattr(set_up, "ROOT", str(tmp_path))
    set_up.settle_lab()
    [file] = tmp_path.glob(".venv/share/jupyter/lab/settings/overrides.json")
    assert '"fetchNews": "false"' in file.read_text()
