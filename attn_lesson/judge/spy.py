"""What is seen of a call from outside: forbidden functions, what is printed, the error."""

import inspect
import io
import linecache
import os
import re
import traceback

import torch

import attn_teach

from .plain import NAME, PRINTED, TEXT

HERE = os.path.dirname(os.path.dirname(__file__))  # attn_lesson
_OURS = tuple(
    folder + os.sep
    for folder in (HERE, *map(os.path.dirname, (attn_teach.__file__, torch.__file__)))
)


def spy(forbidden, called):
    """A profile function that notes calls, from outside the packages, of forbidden functions.

    forbidden maps a name to the function or class.
    """
    codes, builtins = {}, {}
    for name, target in forbidden.items():
        target = target.__init__ if isinstance(target, type) else target
        code = getattr(inspect.unwrap(target), "__code__", None)
        if code is not None:
            codes[code] = name
            codes.setdefault(getattr(target, "__code__", code), None)  # a wrapper
        else:
            builtins[id(target)] = name

    def seen(frame, event, argument):
        name = None
        if event == "call":
            name = codes.get(frame.f_code)
            back = frame.f_back
            while name and back and codes.get(back.f_code, 0) is None:
                back = back.f_back
        elif event == "c_call" and builtins:
            owner = getattr(type(getattr(argument, "__self__", None)), argument.__name__, None)
            name, back = builtins.get(id(argument)) or builtins.get(id(owner)), frame
        if name and back and not back.f_code.co_filename.startswith(_OURS):
            called.append(name) if name not in called else None

    return seen


class Printed(io.TextIOBase):
    """Keeps the beginning of what is printed."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += str(text)[:4000]
        if len(self.text) > 4000:
            self.write = len  # the rest is only counted, quickly
        return len(text)

    def __str__(self):
        lines = self.text.splitlines()
        more = ["..."] if len(lines) > PRINTED else []
        return "\n".join([line[:120] for line in lines[:PRINTED]] + more)


def describe(error, function):
    """An error as plain data, with the last line of the learner's own code that it passed."""
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    file = code and code.co_filename
    own = [at for at in traceback.walk_tb(error.__traceback__) if at[0].f_code.co_filename == file]
    try:
        text = str(error).strip()[:TEXT]
    except Exception:
        text = ""
    name = type(error).__name__[:NAME]
    problem = {"type": name, "text": text, "line": None, "source": "", "shapes": {}}
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        problem["type"] = "MemoryError"
    if own:
        frame, line = own[-1]
        source = linecache.getline(file, line).strip()[:TEXT]
        names = set(re.findall(r"[A-Za-z_]\w*", source))
        shapes = {
            n: tuple(a.shape)
            for n, a in frame.f_locals.items()
            if n in names and isinstance(a, torch.Tensor)
        }
        problem |= {"line": line, "source": source[:200], "shapes": shapes}
    return problem
