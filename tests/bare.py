"""Pythons with other packages than this one: few, as a learner may have, Colab's, graders'."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import PackageNotFoundError, distribution, distributions
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

from tools.lessons import ROOT, execute_in, lessons, required

COLAB = Path(__file__).with_name("colab.txt")
COLAB_VERSION = "3.13"  # of its Python
GRADERS = ROOT / "classroom" / "graders.txt"
THIS_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def with_requirements(*names):
    """Return the installed packages of these names and all that they require, by name."""
    found = {}

    def add(name):
        try:
            package = distribution(name)
        except PackageNotFoundError:  # for another system or Python
            return
        if package.name in found:
            return
        found[package.name] = package
        for line in package.requires or []:
            if "extra ==" not in line:
                add(re.match(r"[\w.-]+", line)[0])

    for name in names:
        add(name)
    return found


def make(folder, *names):
    """Make a virtual environment with these packages and theirs; return its Python.

    The packages are links to those installed here, so this needs no network and no time.
    """
    if sys.platform == "win32":
        pytest.skip("on Windows not everyone may make links")
    venv.create(folder, with_pip=False, symlinks=True)
    _link(folder, *names)
    return Path(folder) / "bin" / "python"


def _link(folder, *names):
    """Put links to these packages and theirs into the environment, but for what it has."""
    (packages,) = Path(folder).glob("lib/python*/site-packages")
    there = {package.name.lower() for package in distributions(path=[str(packages)])}
    for name, package in with_requirements(*names).items():
        if name.lower() in there:  # in another version
            continue
        for first in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
            link = packages / first
            if not link.exists():
                link.symlink_to(package.locate_file(first))


def colab(version=THIS_VERSION):
    """Return a Python of this version with Colab's packages; it is made once and kept.

    COLAB_PYTHON may name one that is ready, of Colab's own version.
    """
    if version == COLAB_VERSION and "COLAB_PYTHON" in os.environ:
        return Path(os.environ["COLAB_PYTHON"])
    if sys.platform == "win32":
        pytest.skip("on Windows not everyone may make links")
    if [*map(int, version.split("."))] > [*map(int, COLAB_VERSION.split("."))]:
        pytest.skip(f"Colab's packages are made for Python {COLAB_VERSION} and older")
    base = find(version) or pytest.skip(f"there is no Python {version} on this machine")
    torch = f"torch=={distribution('torch').version}"
    folder, more = ROOT / ".venv" / "colab" / version, [*itertools.chain(*map(required, lessons()))]
    made_of = f"{base} {torch} {more}\n{COLAB.read_text(encoding='utf-8')}"
    if _outdated(folder, made_of):
        _run(base, "-m", "venv", "--without-pip", folder)
        others = [] if version == THIS_VERSION else [torch.partition("+")[0]]
        pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
        _run(*pip, "install", "--quiet", "-r", COLAB, *others)
        # After pip, which must not change what links lead to.
        _link(folder, *(() if others else ("torch",)), *more)
        (folder / "stamp").write_text(made_of, encoding="utf-8")
    return folder / "bin" / "python"


def graders():
    """Return a Python with nbgrader, Otter and what is installed here; it is made once and kept."""
    if sys.platform == "win32":
        pytest.skip("nbgrader and Otter are tried on Linux and macOS")
    folder, locked = ROOT / ".venv" / "graders", ROOT / "constraints.txt"
    made_of = "".join([sys.executable, *(f.read_text(encoding="utf-8") for f in (GRADERS, locked))])
    if _outdated(folder, made_of):
        pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
        _run(sys.executable, "-m", "venv", "--without-pip", folder)
        # Its own packages come first: of those here it installs again only what it wants otherwise.
        (packages,) = folder.glob("lib/python*/site-packages")
        (packages / "here.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
        ask = ("install", "--retries", "0", "--dry-run", "--no-deps", "nbgrader")
        if subprocess.run([*map(str, (*pip, *ask))], capture_output=True).returncode:
            pytest.skip("no package index to fetch nbgrader and Otter from can be reached")
        _run(*pip, "install", "--quiet", "-r", GRADERS)
        (folder / "stamp").write_text(made_of, encoding="utf-8")
    return folder / "bin" / "python"


def _outdated(folder, made_of):
    """Return whether an environment is to be made; what is left of an older one is removed."""
    stamp = folder / "stamp"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == made_of:
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return True


def find(version):
    """Return the path of a Python of this version, or None."""
    if version == THIS_VERSION:
        return sys.executable
    pyenv = (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}")
    for python in filter(None, [shutil.which(f"python{version}"), *sorted(pyenv)]):
        done = subprocess.run([python, "--version"], capture_output=True, text=True)
        if done.stdout.startswith(f"Python {version}."):  # pyenv's shims may stand for nothing
            return python
    return None


def _run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}", pytrace=False)


def modules(python):
    """Return the names of the modules that this Python finds in its site-packages."""
    code = (
        "import json, pkgutil, sysconfig;"
        "found = pkgutil.iter_modules([sysconfig.get_path('purelib')]);"
        "print(json.dumps([module.name for module in found]))"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def execute(python, notebook, folder, **options):
    """Execute the notebook in place with this Python, in the folder, and normalise it.

    The options are NotebookClient's.
    """
    kernels = Path(python).parent.parent / "kernels"
    (kernels / "bare").mkdir(parents=True, exist_ok=True)
    # -E: what PYTHONPATH leads to is not there.
    argv = [str(python), "-E", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "bare", "language": "python"}
    (kernels / "bare" / "kernel.json").write_text(json.dumps(spec))
    specs = KernelSpecManager(kernel_dirs=[str(kernels)], ensure_native_kernel=False)
    kernel = AsyncKernelManager(kernel_name="bare", kernel_spec_manager=specs)
    return execute_in(folder, notebook, km=kernel, **options)
