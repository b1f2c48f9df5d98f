"""Where a checked function runs: in a child process or, without a fork, in this one.

Where a fork is cheap (Linux, no accelerator), a child process runs the function: whatever it does
to torch's global state or to the memory ends with the child. Elsewhere it runs in this process,
within a time limit. platforms.py lists what that cannot stop.

What is limited is processor time, so that a busy machine judges like an idle one. An answer that
only sleeps uses none: for it there is a limit by the clock, far behind.
"""

import builtins
import contextlib
import ctypes
import functools
import gc
import io
import json
import math
import os
import select
import signal
import sys
import threading
import time
import warnings

import torch

from .plain import RECORD

with contextlib.suppress(ImportError):  # Windows has none
    import resource

SECONDS = 5.0  # of processor time for one call
CALLS = 4  # times as much for all calls
PATIENCE = 12  # times as long by the clock, when nothing is computed
SHARE = 50  # seconds by the clock for each that is computed: a busy machine gives no more
BYTES = 2 * 2**30  # more than the process has
# What would outlive the child, or end others.
REFUSED = ("os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.system", "pty.spawn")
REFUSED += ("subprocess.Popen", "os.kill", "os.killpg", "signal.pthread_kill")
AGAIN = 0.005  # seconds after which who caught TooLong gets it again


class TooLong(BaseException):
    """The time is up; not an Exception, so that a learner's `except Exception` lets it through."""


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


def in_child(job, count):
    """The records that the job sends from a child process, and how it ended."""
    reading, writing = os.pipe()
    pid = start_child(job, writing)
    os.close(writing)
    try:
        return listen(pid, reading, count)
    finally:
        with contextlib.suppress(OSError):
            os.waitpid(pid, 0)


def start_child(job, writing):
    """A child process that does the job and sends its records down the pipe: its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 and later warn of threads
        pid = os.fork()
    if pid == 0:
        _be_the_child(job, writing)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)
    return pid


def listen(pid, reading, count, seconds=None):
    """The records that a process sends, anybody's child, and how it ended; then it is killed."""
    records, data, end = [], b"", "died"
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
            *lines, data = data.split(b"\n")
            for line in lines:
                records.append(json.loads(line))
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
        builtins.input = _no_input
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_AS, used + BYTES)
        _limit(resource.RLIMIT_CPU, math.ceil(3 * CALLS * SECONDS))  # when nobody waits any more
        sys.addaudithook(_refuse)

        def send(record):
            data = memoryview(json.dumps(record, default=repr).encode() + b"\n")
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


def in_this_process(job):
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
