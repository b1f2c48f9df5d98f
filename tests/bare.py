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
    done, wanted = {p.name.lower() for p in distributions(path=[str(packages)])}, [*names]
    while wanted:
        try:
            package = distribution(wanted.pop())
        except PackageNotFoundError:  # for another system or Python
            continue
        if package.name.lower() in done:
            continue
        done.add(package.name.lower())
        lines = package.requires or []
        wanted += [re.match(r"[\w.-]+", line)[0] for line in lines if "extra ==" not in line]
        for first in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
            link = packages / first
            if not link.exists():
                link.symlink_to(package.locate_file(first))


def _kept(name, made_of, base, build):
    """The Python of an environment below .venv, which is built anew where its parts changed."""
    if sys.platform == "win32":
        pytest.skip("on Windows not everyone may make links")
    folder = ROOT / ".venv" / name
    python, stamp = folder / "bin" / "python", folder / "stamp"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != made_of:
        shutil.rmtree(folder, ignore_errors=True)
        _run(base, "-m", "venv", "--without-pip", folder)
        build(folder, (sys.executable, "-m", "pip", "--python", python, "install", "--quiet"))
        stamp.write_text(made_of, encoding="utf-8")
    return python


def colab(version=THIS_VERSION):
    """Return a Python of this version with Colab's packages; it is made once and kept.

    COLAB_PYTHON may name one that is ready, of Colab's own version.
    """
    if version == COLAB_VERSION and "COLAB_PYTHON" in os.environ:
        return Path(os.environ["COLAB_PYTHON"])
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    ours = version == THIS_VERSION
    base = sys.executable if ours else (*pyenv, shutil.which(f"python{version}"))[0]
    if base is None:
        pytest.skip(f"there is no Python {version} on this machine")
    torch, more = distribution("torch").version, [*itertools.chain(*map(required, lessons()))]

    def build(folder, pip):
        _run(*pip, "-r", COLAB, *([] if ours else [f"torch=={torch.partition('+')[0]}"]))
        # After pip, which must not change what links lead to.
        _link(folder, *(["torch"] if ours else []), *more)

    made_of = f"{base} {torch} {more}\n{COLAB.read_text(encoding='utf-8')}"
    return _kept(f"colab/{version}", made_of, base, build)


def graders():
    """Return a Python with nbgrader, Otter and what is installed here; it is made once and kept."""

    def build(folder, pip):
        # Its own packages come first: of those here it installs again only what it wants otherwise.
        (packages,) = folder.glob("lib/python*/site-packages")
        (packages / "here.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
        ask = (*pip, "--retries", "0", "--dry-run", "--no-deps", "nbgrader")
        if subprocess.run([*map(str, ask)], capture_output=True).returncode:
            pytest.skip("no package index to fetch nbgrader and Otter from can be reached")
        _run(*pip, "-r", GRADERS)

    files = (GRADERS, ROOT / "constraints.txt")
    made_of = "".join([sys.executable, *(file.read_text(encoding="utf-8") for file in files)])
    return _kept("graders", made_of, sys.executable, build)


def _run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}", pytrace=False)


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
