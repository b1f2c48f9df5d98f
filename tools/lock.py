"""Write constraints.txt: the newest versions that pyproject.toml allows, for every Python at once.

Needs uv, which `make lock` installs. CUDA's packages are left out: which of them PyTorch
wants depends on its build, and its own requirements fix their versions.
"""

import re
import subprocess
import sys
from pathlib import Path

CONSTRAINTS = Path(__file__).resolve().parent.parent / "constraints.txt"
HEADER = """\
# Exact versions of everything that `make` installs; pyproject.toml holds the ranges.
# Written by `make lock` from pyproject.toml; markers choose a version where Pythons differ.
"""
HELD = "torch==2.13.0\n"  # the version whose numbers the lessons store
CUDA = ("nvidia-", "cuda-", "triton")


def resolve():
    """Return uv's lines for the package and all its extras, and for the published model."""
    lines = compiled("pyproject.toml", "--all-extras") + compiled("--group", "model", "--no-deps")
    return sorted(dict.fromkeys(lines), key=lambda line: re.split("[= ]", line)[0])


def compiled(*what):
    """Return the lines, one for each package, that uv chooses for this."""
    command = [sys.executable, "-m", "uv", "pip", "compile", *what]
    command += ["--universal", "--python-version", "3.10", "--no-annotate", "--no-header"]
    command += ["--quiet", "--constraints", "-"]
    root = CONSTRAINTS.parent
    result = subprocess.run(command, cwd=root, input=HELD, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        raise SystemExit("uv found no set of versions; constraints.txt is as it was")
    return result.stdout.splitlines()


if __name__ == "__main__":
    kept = [line for line in resolve() if not line.startswith(CUDA)]
    CONSTRAINTS.write_text(HEADER + "\n".join(kept) + "\n", encoding="utf-8")
    print(f"{len(kept)} versions in {CONSTRAINTS.name}")
