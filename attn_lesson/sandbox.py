"""Run a learner's function where it can hurt nothing, and bring back plain data.

Where a fork is cheap (Linux, no accelerator), a child process runs the function: whatever it does
to torch's global state, to the memory or to the clock ends with the child. Elsewhere it runs in
this process, within a time limit.
"""

import base64
import contextlib
import copy
import ctypes
import gc
import importlib
import io
import json
import linecache
import os
import re
import select
import signal
import struct
import sys
import threading
import time
import warnings
from dataclasses import dataclass, field

import torch

import attn_teach

SECONDS = 5.0  # for one call
BYTES = 2 * 2**30  # more than the process has
RECORD = 8 * 2**20  # bytes that may come back
ITEMS = 100_000  # in lists that come back
PRINTED = 10  # lines
# What would outlive the child, or end others.
REFUSED = ("os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system", "pty.spawn")
REFUSED += ("subprocess.Popen", "os.kill", "os.killpg", "signal.pthread_kill")
# What imports for seconds when it is first called, which is not the learner's time.
SLOW = {"manual_seed", "use_deterministic_algorithms", "compile"}
inside = False  # whether a learner's function is being run
_watched = []


class TooLong(BaseException):
    """The time is up; not an Exception, so that a learner's `except Exception` lets it through."""


@dataclass
class Odd:
    """A result that is neither a number nor a tensor nor made of them."""

    type: str
    text: str

    def __repr__(self):
        return self.text


@dataclass
class Problem:
    """An error in plain words; shapes are those of the tensors named in the line."""

    type: str
    text: str
    line: int | None = None
    source: str = ""
    shapes: dict = field(default_factory=dict)


@dataclass
class Outcome:
    """What came of one call."""

    value: object = None
    kind: str = ""  # what the value was before it became plain: "numpy array", "list" ...
    error: Problem | None = None
    changed: list = field(default_factory=list)  # sentences on arguments that were written to
    called: list = field(default_factory=list)  # names of forbidden functions that were called
    printed: str = ""


def watch(value, name):
    """For an exercise's `run`: notice when the learner's function changes this module or tensor."""
    _watched.append((name, value, _snapshot(value)))
    return value


@contextlib.contextmanager
def settled():
    """The same random numbers, dtype and modes for every call; afterwards what was before."""
    state = torch.get_rng_state()
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    strict = torch.are_deterministic_algorithms_enabled()
    try:
        torch.default_generator.manual_seed(0)  # torch.manual_seed takes 100 times as long
        torch.set_default_dtype(torch.float32)
        with torch.enable_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_rng_state(state)
        torch.set_default_dtype(dtype)
        if torch.are_deterministic_algorithms_enabled() != strict:
            torch.use_deterministic_algorithms(strict)  # imports a lot, so only when it must
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)


def attempt(run, function, case, how="plain"):
    """One call, on copies of the arguments.

    how: "plain"; "bare", which does not look for changes; "double", in float64; or "gradient",
    whose value is a list of gradients, or "none".
    """
    arguments = [a.clone() if how == "bare" and type(a) is torch.Tensor else copy.deepcopy(a)
                 for a in case]  # fmt: skip
    floats = [i for i, a in enumerate(arguments) if is_float(a)]
    for i in floats:
        if how == "double":
            arguments[i] = arguments[i].double()
        elif how == "gradient":
            arguments[i].requires_grad_()
    _watched.clear()
    if how == "plain":
        names = getattr(getattr(function, "__code__", None), "co_varnames", ())
        for i, a in enumerate(arguments):
            watch(a, f"`{names[i]}`" if i < len(names) else f"argument {i + 1}")
    with settled():
        result = run(function, *arguments)
        if how == "gradient":
            if not (isinstance(result, torch.Tensor) and result.requires_grad):
                return Outcome("none")
            parts = torch.linspace(-1, 2, result.numel(), dtype=result.dtype).view(result.shape)
            leaves = [arguments[i] for i in floats]
            grads = torch.autograd.grad((result * parts).sum(), leaves, allow_unused=True)
            pairs = zip(grads, leaves, strict=True)
            return Outcome([torch.zeros_like(b) if a is None else a for a, b in pairs])
    outcome = Outcome(result)
    for name, value, before in _watched:
        outcome.changed += _changes(name, value, before)
    return outcome


def is_float(a):
    return isinstance(a, torch.Tensor) and a.is_floating_point()


def _snapshot(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, torch.nn.Module):
        state = {n: t.detach().clone() for n, t in value.named_parameters()}
        state |= {n: t.detach().clone() for n, t in value.named_buffers()}
        return state, {n: m.training for n, m in value.named_modules()}
    return copy.deepcopy(value) if isinstance(value, (list, dict, set)) else None


_KEEP = "a module's parameters must not be overwritten"


def _changes(name, value, before):
    """Sentences on what is not as it was."""
    if before is None:
        return []
    now = _snapshot(value)
    if isinstance(value, torch.Tensor):
        alike = now.shape == before.shape and now.dtype == before.dtype
        same = alike and torch.equal(now.nan_to_num(), before.nan_to_num())
        told = f"your function writes into {name}: work on a copy (clone), or make a new tensor"
        return [] if same else [told]
    if isinstance(value, torch.nn.Module):
        if now[0].keys() != before[0].keys():
            return [f"{name} has other parameters than before: {_KEEP}"]
        found = [
            f"your function writes into {n} of {name}: {_KEEP}"
            for n, t in now[0].items()
            if t.shape != before[0][n].shape or not torch.equal(t, before[0][n])
        ]
        if now[1] != before[1]:
            mode = "training" if any(now[1].values()) else "evaluation"
            found.append(f"{name} is left in {mode} mode: put it back into the one it was in")
        return found
    try:
        same = repr(now) == repr(before)
    except Exception:
        same = False
    return [] if same else [f"your function changes {name}: work on a copy"]


# Plain data


def encode(value, depth=0):
    """A value as plain data: (kind, ...)."""
    name = type(value).__name__
    try:
        if value is None or type(value) in (bool, int, float, str):
            return ("plain", name, value[:2000] if isinstance(value, str) else value)
        if isinstance(value, torch.Tensor):
            return ("tensor", "tensor", *_bytes(value))
        if type(value).__module__ == "numpy":
            if getattr(value, "ndim", 1) == 0:
                return ("plain", "numpy number", value.item())
            return ("tensor", "numpy array", *_bytes(torch.as_tensor(value)))
        if isinstance(value, (list, tuple)) and depth < 6 and len(value) <= 4096:
            form = "tuple" if isinstance(value, tuple) else "list"  # torch.max gives a named one
            return (form, name, [encode(a, depth + 1) for a in value])
    except Exception:
        pass
    try:
        text = repr(value)[:200]
    except Exception:
        text = f"a {name}"
    return ("odd", name, text if len(text) < 60 else f"a {name}")


def _bytes(tensor):
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    if tensor.numel() * tensor.element_size() > RECORD // 4:
        raise ValueError
    raw = tensor.reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
    text = base64.b64encode(raw).decode()
    return str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), text


def decode(data, left=None):
    """The value of plain data, and its kind. What is no such data raises one error or another."""
    left = [ITEMS] if left is None else left
    form, kind, *rest = data
    if form == "plain":
        return rest[0], kind
    if form == "tensor":
        dtype, shape, text = rest
        dtype, raw = getattr(torch, dtype), bytearray(base64.b64decode(text))
        flat = torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)
        return flat.reshape(shape), kind
    if form in ("list", "tuple"):
        left[0] -= len(rest[0])
        if left[0] < 0:
            raise ValueError(f"more than {ITEMS} items")
        items = [decode(a, left)[0] for a in rest[0]]
        return (tuple(items) if form == "tuple" else items), kind
    return Odd(kind, rest[0]), kind


class _Printed(io.TextIOBase):
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
    code = getattr(function, "__code__", None)
    found = None
    trace = error.__traceback__
    while trace is not None:
        if code is not None and trace.tb_frame.f_code.co_filename == code.co_filename:
            found = trace
        trace = trace.tb_next
    try:
        text = str(error).strip()[:1000]
    except Exception:
        text = ""
    problem = {"type": type(error).__name__, "text": text, "line": None, "source": "", "shapes": {}}
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        problem["type"] = "MemoryError"
    if found is not None:
        source = linecache.getline(code.co_filename, found.tb_lineno).strip()
        names = set(re.findall(r"[A-Za-z_]\w*", source))
        shapes = {
            n: tuple(a.shape)
            for n, a in found.tb_frame.f_locals.items()
            if n in names and isinstance(a, torch.Tensor)
        }
        problem |= {"line": found.tb_lineno, "source": source[:200], "shapes": shapes}
    return problem


# What is forbidden: seen at run time


def _spy(forbidden, called):
    """A profile function that notes calls, from outside the packages, of forbidden functions.

    forbidden maps a name to the function or class.
    """
    import inspect

    codes, builtins = {}, {}
    for name, target in forbidden.items():
        target = target.__init__ if isinstance(target, type) else target
        code = getattr(inspect.unwrap(target), "__code__", None)
        if code is not None:
            codes[code] = name
            codes.setdefault(getattr(target, "__code__", code), None)  # a wrapper
        else:
            builtins[id(target)] = name

    def spy(frame, event, argument):
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

    return spy


_OURS = tuple(
    os.path.dirname(file) + os.sep for file in (__file__, attn_teach.__file__, torch.__file__)
)


# Running


def run_all(run, function, cases, forbidden, hows):
    """Outcomes of the function on all cases, then of the last case in each other way of `hows`.

    Returns (outcomes, others, end): lists of cases, a dict by way, and how it ended: "done",
    "time", "died" or "refused" and the like.
    """
    plan = planned(cases, hows)

    def job(send):
        for how, i in plan:
            send(record(run, function, cases[i], how, forbidden))

    if SLOW.intersection(getattr(getattr(function, "__code__", None), "co_names", ())):
        importlib.import_module("torch._dynamo")
        importlib.import_module("torch._inductor.config")
    forks = sys.platform == "linux" and not torch.accelerator.is_available()
    records, end = in_child(job, len(plan)) if forks else _in_this_process(job)
    return *sorted_out(records, len(cases), hows), end


def planned(cases, hows):
    """The calls to make, in their order: (how, number of the case)."""
    return [("plain", i) for i in range(len(cases))] + [(how, len(cases) - 1) for how in hows]


def sorted_out(records, count, hows):
    """Records of planned calls as outcomes: of the cases, and by way."""
    outcomes = [_outcome(r) for r in records]
    return outcomes[:count], dict(zip(hows, outcomes[count:], strict=False))


def record(run, function, case, how, forbidden):
    """One call as plain data."""
    global inside
    printed, called = _Printed(), []
    made = {"printed": "", "called": called, "changed": [], "value": None, "error": None}
    inside = True
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            if forbidden:
                sys.setprofile(_spy(forbidden, called))
            try:
                outcome = attempt(run, function, case, how)
            finally:
                sys.setprofile(None)
            made["value"], made["changed"] = encode(outcome.value), outcome.changed
    except BaseException as error:
        if isinstance(error, TooLong):
            raise
        made["error"] = describe(error, function)
    finally:
        inside = False
    made["printed"] = str(printed)
    return made


def _outcome(record):
    if record["error"]:
        problem = Problem(**record["error"])
        problem.shapes = {name: tuple(shape) for name, shape in problem.shapes.items()}
        record = record | {"error": problem}
    value, kind = decode(record["value"]) if record["value"] else (None, "")
    return Outcome(**record | {"value": value, "kind": kind})


def _left(start, last):
    """Seconds that are left for the call that began at `last`, and for all since `start`."""
    return min(last + SECONDS, start + 4 * SECONDS) - time.monotonic()


def in_child(job, count):
    """The records that the job sends from a child process, and how it ended."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 and later warn of threads
        pid = os.fork()
    if pid == 0:
        _be_the_child(job, writing)
    os.close(writing)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)
    records, data, end = [], bytearray(), "died"
    start = last = time.monotonic()
    try:
        while len(records) < count:
            left = _left(start, last)
            if left <= 0 or not select.select([reading], [], [], left)[0]:
                end = "time"
                break
            piece = os.read(reading, 1 << 20)
            data += piece
            if not piece or len(data) > RECORD:
                break
            while len(data) >= 8 and len(data) >= 8 + (size := struct.unpack("<Q", data[:8])[0]):
                records.append(json.loads(bytes(data[8 : 8 + size])))
                del data[: 8 + size]
                last = time.monotonic()
        else:
            end = "done"
    except (ValueError, RecursionError):  # no record of ours
        pass
    finally:
        os.close(reading)
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(pid, 0)
    return records[:count], end


def _be_the_child(job, writing):
    try:
        os.setpgid(0, 0)
        torch.set_num_threads(1)  # before anything else: the threads of the parent are not here
        gc.disable()
        sys.settrace(None)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        sys.stdin, sys.breakpointhook = io.StringIO(), lambda *_, **__: None
        import builtins
        import resource

        builtins.input = _no_input
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, hard))
        sys.addaudithook(_refuse)

        def send(record):
            data = json.dumps(record, default=repr).encode()
            data = memoryview(struct.pack("<Q", len(data)) + data)
            while data:
                data = data[os.write(writing, data) :]

        job(send)
    finally:
        os._exit(0)


def _refuse(event, _):
    if event in REFUSED:
        raise PermissionError(f"a checked function starts or ends no processes ({event})")


def _no_input(*_):
    raise EOFError("a checked function cannot ask for input")


def _in_this_process(job):
    """The same without a child: the time limit is an exception, again and again."""
    records, over, late = [], threading.Event(), threading.Event()
    start = last = time.monotonic()
    me = ctypes.c_ulong(threading.get_ident())
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def send(record):
        nonlocal last
        records.append(record)
        last = time.monotonic()

    def stop():
        while (left := _left(start, last)) > 0:
            if over.wait(left):
                return
        late.set()
        while not over.wait(0.005):
            raise_in(me, ctypes.py_object(TooLong))

    watcher = threading.Thread(target=stop, daemon=True)
    end = "time"
    try:
        watcher.start()
        job(send)
        end = "done"
    except TooLong:
        pass
    finally:
        while watcher.is_alive():
            with contextlib.suppress(TooLong):
                over.set()
                watcher.join()
        sys.setprofile(None)
        if late.is_set():  # the last one may still be on its way
            with contextlib.suppress(TooLong):
                raise_in(me, ctypes.py_object(TooLong))
                while True:
                    pass
    return records, end
