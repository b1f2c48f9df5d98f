"""Run a learner's function where it can hurt nothing, and bring back plain data.

Where a fork is cheap (Linux, no accelerator), a child process runs the function: whatever it does
to torch's global state or to the memory ends with the child. Elsewhere it runs in this process,
within a time limit. platforms.py lists what that cannot stop.

What is limited is processor time, so that a busy machine judges like an idle one. An answer that
only sleeps uses none: for it there is a limit by the clock, far behind.
"""

import base64
import builtins
import contextlib
import copy
import ctypes
import functools
import gc
import importlib
import inspect
import io
import json
import linecache
import math
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

from . import platforms
from .words import sentences

say = sentences(__name__)

with contextlib.suppress(ImportError):  # Windows has none
    import resource

SECONDS = 5.0  # of processor time for one call
CALLS = 4  # times as much for all calls
PATIENCE = 12  # times as long by the clock, when nothing is computed
SHARE = 50  # seconds by the clock for each that is computed: a busy machine gives no more
BYTES = 2 * 2**30  # more than the process has
RECORD = 8 * 2**20  # bytes that may come back
SIZE = RECORD // 4  # bytes of a tensor that comes back; and rows, of one that holds no number
ITEMS = 100_000  # in lists that come back
BITS = 256  # of a whole number
AXES = 16
TEXT, NAME = 2000, 100  # characters
PRINTED = 10  # lines; and sentences, names or shapes of each sort
# What would outlive the child, or end others.
REFUSED = ("os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system", "pty.spawn")
REFUSED += ("subprocess.Popen", "os.kill", "os.killpg", "signal.pthread_kill")
# What imports for seconds when it is first called, in one version of torch or another, which is not
# the learner's time.
SLOW = {"manual_seed", "use_deterministic_algorithms", "compile", "optim", "SGD", "Adam", "AdamW"}
SLOW |= {"func", "jacrev", "jacfwd", "hessian", "vjp", "jvp", "assert_close"}
AGAIN = 0.005  # seconds after which who caught TooLong gets it again
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


def _changes(name, value, before):
    """Sentences on what is not as it was."""
    if before is None:
        return []
    now = _snapshot(value)
    if isinstance(value, torch.Tensor):
        alike = now.shape == before.shape and now.dtype == before.dtype
        same = alike and torch.equal(now.nan_to_num(), before.nan_to_num())
        told = say("writes", name=name)
        return [] if same else [told]
    if isinstance(value, torch.nn.Module):
        if now[0].keys() != before[0].keys():
            return [say("other parameters", name=name)]
        found = [
            say("writes a parameter", parameter=n, name=name)
            for n, t in now[0].items()
            if t.shape != before[0][n].shape or not torch.equal(t, before[0][n])
        ]
        if now[1] != before[1]:
            mode = "training" if any(now[1].values()) else "evaluation"
            found.append(say(f"{mode} mode", name=name))
        return found
    try:
        same = repr(now) == repr(before)
    except Exception:
        same = False
    return [] if same else [say("changes", name=name)]


# Plain data


def encode(value, depth=0, left=None):
    """A value as plain data: (kind, ...)."""
    name, left = type(value).__name__[:NAME], [ITEMS] if left is None else left
    try:
        if type(value) is int and value.bit_length() > BITS:
            return ("odd", name, say("large number", bits=value.bit_length()))
        if value is None or type(value) in (bool, int, float, str):
            return ("plain", name, value[:TEXT] if isinstance(value, str) else value)
        if isinstance(value, torch.Tensor):
            if value.layout != torch.strided:
                return ("odd", "sparse tensor", say("sparse"))
            if not _fits(value.shape, value.element_size()):
                return ("odd", "tensor", say("tensor", shape=tuple(value.shape))[:NAME])
            return ("tensor", "tensor", *_bytes(value))
        if type(value).__module__ == "numpy":
            if getattr(value, "ndim", 1) == 0:
                return ("plain", "numpy number", value.item())
            return ("tensor", "numpy array", *_bytes(torch.as_tensor(value)))
        if isinstance(value, (list, tuple)):
            if depth == 6 or len(value) > min(4096, left[0]):
                return ("odd", name, f"a {name}")
            form = "tuple" if isinstance(value, tuple) else "list"  # torch.max gives a named one
            left[0] -= len(value)
            return (form, name, [encode(a, depth + 1, left) for a in value])
    except Exception:
        pass
    try:
        text = repr(value)[:200]
    except Exception:
        text = f"a {name}"
    return ("odd", name, text if len(text) < 60 else f"a {name}")


def _fits(shape, size=1):
    """Whether a tensor is small enough; one that holds no number may still have many rows."""
    return len(shape) <= AXES and size * math.prod(max(n, 1) for n in shape) <= SIZE


def _bytes(tensor):
    if not _fits(tensor.shape, tensor.element_size()):
        raise ValueError("too large")
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    raw = tensor.reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
    text = base64.b64encode(raw).decode()
    return str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), text


def decode(data, left=None):
    """The value of plain data, and its kind.

    What `encode` never makes, such as what a forger sends, raises one error or another.
    """
    left = [ITEMS] if left is None else left
    form, kind, *rest = data
    kind = _text(kind, NAME)
    if form == "plain":
        return _plain(*rest), kind
    if form == "tensor":
        dtype, shape, text = rest
        if not _fits(shape):
            raise ValueError(f"no tensor that fits: {len(shape)} axes")
        dtype, raw = getattr(torch, dtype), bytearray(base64.b64decode(text))
        flat = torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)
        return flat.reshape(shape), kind
    if form in ("list", "tuple"):
        left[0] -= len(rest[0])
        if left[0] < 0:
            raise ValueError(f"more than {ITEMS} items")
        items = [decode(a, left)[0] for a in rest[0]]
        return (tuple(items) if form == "tuple" else items), kind
    return Odd(kind, _text(*rest, NAME)), kind


def _plain(value):
    if isinstance(value, str):
        return _text(value)
    if type(value) is int and value.bit_length() > BITS:
        raise ValueError(say("large number", bits=value.bit_length()))
    if value is None or type(value) in (bool, int, float):
        return value
    raise TypeError(f"{type(value).__name__} is nothing plain")


def _text(text, most=TEXT):
    """The beginning of what must be a text."""
    if not isinstance(text, str):
        raise TypeError(f"{type(text).__name__} is no text")
    return text[:most]


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
        text = str(error).strip()[:TEXT]
    except Exception:
        text = ""
    name = type(error).__name__[:NAME]
    problem = {"type": name, "text": text, "line": None, "source": "", "shapes": {}}
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        problem["type"] = "MemoryError"
    if found is not None:
        source = linecache.getline(code.co_filename, found.tb_lineno).strip()[:TEXT]
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
    "died", or one of Clock's.
    """
    plan = planned(cases, hows)

    def job(send):
        for how, i in plan:
            send(record(run, function, cases[i], how, forbidden))

    if SLOW & _names(getattr(function, "__code__", None)):
        importlib.import_module("torch._dynamo")
        importlib.import_module("torch._inductor.config")
    if platforms.can_fork():
        records, end = in_child(job, len(plan))
    else:
        records, end = _in_this_process(job)
    return *sorted_out(records, len(cases), hows), end


def _names(code):
    """The global names and attributes that the code uses, and the functions in it."""
    if not inspect.iscode(code):
        return set()
    return set(code.co_names).union(*map(_names, code.co_consts))


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
    """The Outcome of a record, which a forger may have sent: nothing in it is long."""
    value, kind = decode(record["value"]) if record["value"] else (None, "")
    return Outcome(
        value,
        kind,
        _problem(**record["error"]) if record["error"] else None,
        [_text(text) for text in record["changed"][:PRINTED]],
        [_text(name, NAME) for name in record["called"][:PRINTED]],
        _text(record["printed"]),
    )


def _problem(type, text, line, source, shapes):
    shapes = [(_text(n, NAME), tuple(map(int, s[:AXES]))) for n, s in shapes.items()]
    line = None if line is None else int(line)
    return Problem(_text(type, NAME), _text(text), line, _text(source), dict(shapes[:PRINTED]))


class Clock:
    """What is left of the time for one call and for all; `used` tells the processor time."""

    def __init__(self, used, seconds):
        self.used, self.seconds = used, seconds
        self.start = self.last = self.now()

    def now(self):
        return self.used(), time.monotonic()

    def next_call(self):
        self.last = self.now()

    def left(self):
        """The least seconds until the time is up, and how that is called."""
        computed, passed = self.now()
        limits = []
        for since, most, name in ((self.last, 1, "time"), (self.start, CALLS, "slow")):
            own = computed - since[0]
            waited = passed - since[1] - SHARE * own
            limits.append((most * self.seconds - own, name))
            limits.append((PATIENCE * most * self.seconds - waited, "idle"))
        return min(limits)


def _used_by(pid):
    """The processor time of another process, all its threads together."""
    with contextlib.suppress(OSError):  # it is gone
        return time.clock_gettime(~pid << 3 | 2)  # Linux numbers the clocks of processes so
    return 0.0


def in_child(job, count, seconds=None):
    """The records that the job sends from a child process, and how it ended."""
    reading, writing = os.pipe()
    pid = start_child(job, writing, seconds)
    os.close(writing)
    try:
        return listen(pid, reading, count, seconds)
    finally:
        with contextlib.suppress(OSError):
            os.waitpid(pid, 0)


def start_child(job, writing, seconds=None):
    """A child process that does the job and sends its records down the pipe: its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 and later warn of threads
        pid = os.fork()
    if pid == 0:
        _be_the_child(job, writing, seconds or SECONDS)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)
    return pid


def listen(pid, reading, count, seconds=None):
    """The records that a process sends, anybody's child, and how it ended; then it is killed."""
    records, data, end = [], bytearray(), "died"
    clock = Clock(functools.partial(_used_by, pid), seconds or SECONDS)
    try:
        while len(records) < count:
            left, why = clock.left()
            if not select.select([reading], [], [], max(left, 0.01))[0]:
                if left > 0:  # of processor time, of which it got less
                    continue
                end = why
                break
            piece = os.read(reading, 1 << 20)
            data += piece
            if not piece or len(data) > RECORD:
                break
            while len(data) >= 8 and len(data) >= 8 + (size := struct.unpack("<Q", data[:8])[0]):
                records.append(json.loads(bytes(data[8 : 8 + size])))
                del data[: 8 + size]
                clock.next_call()
        else:
            end = "done"
    except (ValueError, RecursionError):  # no record of ours
        pass
    finally:
        os.close(reading)
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(pid, signal.SIGKILL)
    return records[:count], end


def _be_the_child(job, writing, seconds):
    try:
        os.setpgid(0, 0)
        torch.set_num_threads(1)  # before anything else: the threads of the parent are not here
        gc.disable()
        sys.settrace(None)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        sys.stdin, sys.breakpointhook = io.StringIO(), lambda *_, **__: None
        builtins.input = _no_input
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_AS, used + BYTES)
        _limit(resource.RLIMIT_CPU, math.ceil(3 * CALLS * seconds))  # when nobody waits any more
        sys.addaudithook(_refuse)

        def send(record):
            data = json.dumps(record, default=repr).encode()
            data = memoryview(struct.pack("<Q", len(data)) + data)
            while data:
                data = data[os.write(writing, data) :]

        job(send)
    finally:
        os._exit(0)


def _limit(what, most):
    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def _refuse(event, _):
    if event in REFUSED:
        raise PermissionError(f"a checked function starts or ends no processes ({event})")


def _no_input(*_):
    raise EOFError("a checked function cannot ask for input")


def _in_this_process(job):
    """The same without a child: the time limit is an exception, again and again."""
    records, over, ends = [], threading.Event(), []
    clock = Clock(time.process_time, SECONDS)
    me = ctypes.c_ulong(threading.get_ident())
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    done = caught = False

    def send(record):
        records.append(record)
        clock.next_call()

    def stop():
        while (left := clock.left())[0] > 0:
            if over.wait(max(left[0], 0.01)):
                return
        ends.append(left[1])
        while not over.wait(AGAIN) and not caught:
            raise_in(me, ctypes.py_object(TooLong))

    def settle():
        over.set()
        watcher.join()
        sys.setprofile(None)

    watcher = threading.Thread(target=stop, daemon=True)
    try:
        watcher.start()
        job(send)
        done = True
    except TooLong:
        pass
    finally:
        # An assignment cannot be interrupted, a call can: two more may be on their way.
        caught = True
        try:
            settle()
        except TooLong:
            try:
                settle()
            except TooLong:
                settle()
        if ends:
            try:  # the last one may not have come yet
                raise_in(me, ctypes.py_object(TooLong))
                while True:
                    pass
            except TooLong:
                pass
    return records, "done" if done else ends[0]
