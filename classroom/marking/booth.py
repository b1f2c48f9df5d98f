"""The process whose children read notebooks and run answers: it knows no solution.

It imports what answers need, which takes seconds, and then only forks: a child for each request,
which reads what it is asked from a pipe of its own, locks itself up, and sends plain data down
another one, straight to whoever asked. So nothing of one learner's is there for the next one, and
a solution need not be taken out of anything: no request holds one.
"""

import __future__

import builtins
import contextlib
import importlib
import linecache
import os
import pkgutil
import signal
import socket
import struct
import sys
from functools import partial

import cloudpickle

import attn_lesson
import attn_teach
from attn_lesson.judge import sandbox
from attn_lesson.judge.child import start_child
from classroom.marking import guard
from classroom.marking.read import Unreadable, read

LATE_HINTS = __future__.annotations.compiler_flag  # a type hint need not exist
PLACE = "<the returned notebook>"
SECRET = "exercises"  # of a lesson's modules
# What torch imports when it is first needed, and answers often do: behind the walls it takes long.
LATE = ("sympy", "torch._dynamo", "torch._inductor.config", "numpy", "scipy.special", "einops")


def serve(line):
    """Fork a child for each pair of pipes that comes down the line; answer with its number."""
    packages = [
        module.name
        for package in (attn_teach, attn_lesson)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if module.name.rpartition(".")[2] != SECRET
    ]
    for name in (*packages, *LATE):
        with contextlib.suppress(ImportError):  # such as numpy, where it is not installed
            importlib.import_module(name)
    child = None
    while True:
        _, pipes, _, _ = socket.recv_fds(line, 1, 2)
        if child is not None:  # whoever asked has killed it, or is gone
            with contextlib.suppress(OSError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        if not pipes:
            return
        asked, told = pipes
        child = start_child(partial(_do, asked), told)
        os.close(asked)
        os.close(told)
        with contextlib.suppress(OSError):
            line.sendall(struct.pack("<q", child))


def _do(asked, send):
    with open(asked, "rb") as file:
        kind, *arguments = cloudpickle.load(file)
    (_read if kind == "read" else _run)(send, *arguments)


def _read(send, data, lessons):
    guard.lock_up()
    try:
        send(read(data, lessons))
    except Unreadable as error:
        send({"problem": str(error)})


def _run(send, name, program, run, plan, forbidden):
    forbidden = {path: _named(path) for path in forbidden}
    guard.lock_up()
    try:
        function, missing = load(name, program)
    except BaseException as error:
        send({"problem": f"{type(error).__name__}: {error}"[:300]})
        return
    send({"missing": missing})
    for how, case in plan:
        send(sandbox.record(run, function, case, how, forbidden))


def _named(path):
    """What a dotted path stands for, such as torch.autograd.grad."""
    first, *rest = path.split(".")
    found = sys.modules[first]
    for part in rest:
        found = getattr(found, part)
    return found


def load(name, program):
    """Execute an answer's program; return what it calls `name`, and why imports failed."""
    names = {"__name__": "__main__", "__builtins__": builtins, "display": lambda *_, **__: None}
    text = "\n".join(program)
    linecache.cache[PLACE] = (len(text), None, text.splitlines(keepends=True), PLACE)
    line, parts = 0, []
    for source in program:
        parts.append(compile("\n" * line + source, PLACE, "exec", LATE_HINTS, True))
        line += source.count("\n") + 1
    answer, late, missing = parts[-1], [], []
    for part in parts[:-1]:
        try:
            exec(part, names)
        except NameError:  # written below in the notebook, but run before
            late.append(part)
        except ImportError as error:
            missing.append(f"{type(error).__name__}: {error}"[:300])
        except Exception:
            pass  # what misses it will say so
    for part in late:
        with contextlib.suppress(Exception):
            exec(part, names)
    try:
        exec(answer, names)
    except NameError:
        if missing:
            raise ImportError(missing[0]) from None
        raise
    if not callable(names.get(name)):
        raise TypeError(f"{name} is no function but {type(names.get(name)).__name__}")
    return names[name], missing


if __name__ == "__main__":
    serve(socket.socket(fileno=0))  # the standard input, which no child inherits
