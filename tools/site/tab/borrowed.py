"""The course's own modules over this page's torch: nothing of them is written twice.

`load` reads a module of attn_teach or attn_lesson from its source and executes it with an `import`
that knows the torch of torch_names.py; what the judge does with processes, and the package's door,
have stand-ins. The real torch, where it is installed, is never touched.
"""

import __future__

import ast
import builtins
import contextlib
import functools
import sys
import types
from pathlib import Path

import numpy as np

from . import torch_names
from .making import default_generator
from .missing import Absent, Missing, Names, raised

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = {"IPython", "PIL", "ipywidgets", "matplotlib", "pandas", "scipy", "transformers"}
OURS = "attn_teach", "attn_lesson"
JUDGES = "attn_lesson.judge."
_loaded = {}


def load(name):
    """A module of the course, such as "attn_lesson.judge.verdict", over this page's torch."""
    if name not in _loaded:
        if name in STAND_INS:
            _loaded[name] = STAND_INS[name]()
        elif name in OURS or name == JUDGES[:-1]:
            _loaded[name] = _package(name)
        else:
            _execute(name)
    return _loaded[name]


def _package(name):
    """A package whose names come from its modules, when they are asked for."""
    made = types.ModuleType(name)
    made.__file__ = str(ROOT / name.replace(".", "/") / "__init__.py")
    made.__getattr__ = _public if name == "attn_teach" else lambda key: load(f"{name}.{key}")
    made.check = made.predict = ignored
    return made


def ignored(*given, **named):
    """In place of `check` and `predict`, which stand in a notebook's cells: the page does that."""


@functools.cache
def homes():
    """The names that attn_teach offers, {name: its module}."""
    tree = ast.parse((ROOT / "attn_teach" / "__init__.py").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: f"attn_teach.{node.module}" for node in imports for alias in node.names}


def _public(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name not in homes():
        raise AttributeError(f"module 'attn_teach' has no attribute {name!r}")
    seen = len(raised)
    try:
        return getattr(load(homes()[name]), name)
    except (ImportError, Missing):  # what draws
        del raised[seen:]
        return Absent("matplotlib.pyplot" if name == "plt" else f"attn_teach.{name}")


def _execute(name):
    path = ROOT / f"{name.replace('.', '/')}.py"
    if not path.exists():
        raise ImportError(f"no module {name}")
    module = types.ModuleType(f"{__package__}.over.{name}")
    module.__file__, module.__package__ = str(path), name.rpartition(".")[0]
    module.__builtins__ = scope()
    _loaded[name] = sys.modules[module.__name__] = module  # where dataclasses look
    flag = __future__.annotations.compiler_flag  # which leaves annotations alone
    try:
        exec(compile(path.read_text("utf-8"), str(path), "exec", flag), vars(module))
    except BaseException:
        del _loaded[name]
        raise
    return module


def scope():
    """Python's built-in names, with an `import` that gives this page's torch."""
    return {**vars(builtins), "__import__": _import}


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    if level:
        parts = globals["__package__"].split(".")
        name = ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])
    top = name.partition(".")[0]
    if top == "torch":
        parts = name.split(".")[1:] if fromlist else []
        return functools.reduce(getattr, parts, torch_names.torch)
    if top not in OURS:
        return _pythons(name, globals, locals, fromlist)
    return load(name if fromlist else top)


def _pythons(name, globals, locals, fromlist):
    """A module of Python's, or NumPy; some others are in the notebook alone."""
    top = name.partition(".")[0]
    try:
        if top not in NOTEBOOKS:
            return builtins.__import__(name, globals, locals, fromlist)
    except ImportError:
        if top not in sys.stdlib_module_names:
            raise
    return Absent(name if fromlist else top)


# Stand-ins


class TooLong(BaseException):
    """Raised in a function that takes too long, by whoever runs it."""


def _sandbox():
    """The judge's sandbox, with what it settles of torch left out."""
    made = _execute(f"{JUDGES}sandbox")
    made.settled = settled
    return made


@contextlib.contextmanager
def settled():
    """The same random numbers for every call, and no warnings of NumPy."""
    default_generator.manual_seed(0)
    with np.errstate(all="ignore"):
        yield


STAND_INS = {
    f"{JUDGES}child": lambda: Names("child", TooLong=TooLong, SECONDS=10, CALLS=3, PATIENCE=6),
    f"{JUDGES}sandbox": _sandbox,
    "attn_lesson.platforms": lambda: Names("platforms", can_fork=lambda: False),
    "attn_teach.shapes": lambda: Absent("attn_teach.shapes"),  # which annotations speak of
    "attn_teach.door": lambda: Names("door", guarded=lambda f: f),
}
