"""A Python that has few packages: what a learner with one mailed file may have."""

import json
import re
import subprocess
import sys
import venv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

from tools.lessons import execute_in


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
    (packages,) = Path(folder).glob("lib/python*/site-packages")
    for package in with_requirements(*names).values():
        for first in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
            link = packages / first
            if not link.exists():
                link.symlink_to(package.locate_file(first))
    return Path(folder) / "bin" / "python"


def modules(python):
    """Return the names of the modules that this Python finds in its site-packages."""
    code = (
        "import json, pkgutil, sysconfig;"
        "found = pkgutil.iter_modules([sysconfig.get_path('purelib')]);"
        "print(json.dumps([module.name for module in found]))"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def execute(python, notebook, folder):
    """Execute the notebook in place with this Python, in the folder, and normalise it."""
    kernels = Path(python).parent.parent / "kernels"
    (kernels / "bare").mkdir(parents=True, exist_ok=True)
    argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "bare", "language": "python"}
    (kernels / "bare" / "kernel.json").write_text(json.dumps(spec))
    specs = KernelSpecManager(kernel_dirs=[str(kernels)], ensure_native_kernel=False)
    kernel = AsyncKernelManager(kernel_name="bare", kernel_spec_manager=specs)
    return execute_in(folder, notebook, km=kernel)
