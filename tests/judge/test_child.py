"""Nothing that a learner writes does harm, with a child process and without."""

import contextlib
import os
import subprocess
import sys
import threading
import time

import pytest
import torch
from judged import names, right

from attn_lesson import check
from attn_lesson.judge import child, sandbox

# Before Python 3.11 an exception from outside comes at the `try` of a loop, never between two.
NOT_310 = pytest.mark.skipif(sys.version_info < (3, 11), reason="nothing ends it in Python 3.10")


def endless(x, weights):
    while True:
        try:  # noqa: SIM105
            x = x + 0
        except:  # noqa: E722
            pass


def ignores_signals(x, weights):
    import signal

    for number in range(1, 32):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)


def closes_files(x, weights):
    os.closerange(0, 256)
    return right(x, weights)


def recursive(x, weights):
    return recursive(x, weights)


def starts_a_process(x, weights):
    subprocess.Popen(["sleep", "60"])


def checks_itself(x, weights):
    check(checks_itself)


class Endless:
    def __repr__(self):
        while True:
            pass


class BadError(Exception):
    def __str__(self):
        raise ValueError


def bad_error(x, weights):
    raise BadError


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (endless, "time"),
        (ignores_signals, "idle"),
        (lambda x, w: Endless(), "time"),
        (lambda x, w: os._exit(0), "died"),
        (closes_files, "died"),
        (lambda x, w: sys.exit(1), "error: SystemExit"),
        (lambda x, w: os.fork(), "error: processes"),
        (starts_a_process, "error: processes"),
        (lambda x, w: os.kill(os.getppid(), 9), "error: processes"),
        (lambda x, w: os.system("true"), "error: processes"),
        (lambda x, w: os.execv("/bin/true", ["true"]), "error: processes"),
        (recursive, "error: RecursionError"),
        (lambda x, w: [torch.empty(3 * 2**28), right(x, w)][1], "error: MemoryError"),  # 3 GiB
        (lambda x, w: input(), "error: asks for input"),
        (checks_itself, "error: check inside"),
        (bad_error, "error: BadError"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="needs a fork")
def test_harm_ends_in_a_sentence(told, function, name, monkeypatch):
    monkeypatch.setattr(child, "SECONDS", 0.7)
    monkeypatch.setattr(child, "PATIENCE", 2 if name == "idle" else 10**4)
    before = threading.active_count(), len(os.listdir("/proc/self/fd"))
    verdict = told(function)
    assert names(verdict) == [name], verdict.message
    assert before == (threading.active_count(), len(os.listdir("/proc/self/fd")))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # no child is left
    assert "Traceback" not in verdict.message and "verdict.py" not in verdict.message


def compute(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.mark.parametrize(
    ("function", "seconds", "limit", "how"),
    [
        (compute, 0.2, 1.0, "done"),
        (compute, 0.4, 0.5, "slow"),
        (time.sleep, 0.4, 0.2, "done"),
        (time.sleep, 0.4, 0.02, "idle"),
    ],
)
def test_slow_is_not_endless(function, seconds, limit, how, either_way, monkeypatch):
    """Each call has its processor time, and much more by the clock; all calls together too."""
    monkeypatch.setattr(child, "SECONDS", limit)
    monkeypatch.setattr(child, "PATIENCE", 12 if how == "idle" else 10**4)
    plan = [("plain", (seconds,))] * 6
    _, end = sandbox.run_all(lambda f, x: f(x), function, plan, {})
    assert end == how


def test_a_starved_loop_is_endless_and_no_sleeper():
    """A busy machine gives it one second in forty."""
    now = [0.0, 0.0]
    clock = child.Clock(lambda: now[0], 5.0)
    clock.now = lambda: tuple(now)
    clock.start = clock.last = (0.0, 0.0)
    while clock.left()[0] > 0:
        now[0], now[1] = now[0] + 0.05, now[1] + 2
    assert clock.left()[1] == "time" and abs(now[0] - 5) < 0.1


@pytest.mark.skipif(sys.platform != "linux", reason="needs a fork")
def test_the_system_ends_a_child_for_which_nobody_waits_any_more(told):
    def limited(x, weights):
        import resource

        assert 0 < resource.getrlimit(resource.RLIMIT_CPU)[0] < 100  # -1: no limit
        return right(x, weights)

    assert told(limited).status == "right"


def multiplies(x, weights):
    """Most of the time is spent in C, call after call."""
    matrix = torch.eye(200)
    while True:
        matrix = matrix @ matrix


def recursive_in_except(x, weights):
    try:
        return recursive_in_except(x, weights)
    except RecursionError:
        return recursive_in_except(x, weights)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        pytest.param(endless, "time", marks=NOT_310),
        (multiplies, "time"),
        (recursive_in_except, "time"),
        (lambda x, w: Endless(), "time"),
        (recursive, "error: RecursionError"),
        (lambda x, w: torch.ones(10**14), "error: MemoryError"),
        (lambda x, w: sys.exit(1), "error: SystemExit"),
        (checks_itself, "error: check inside"),
        (bad_error, "error: BadError"),
    ],
)
def test_harm_ends_in_a_sentence_without_a_child(told, function, name, no_child, monkeypatch):
    monkeypatch.setattr(child, "SECONDS", 0.5)
    verdict = told(function)
    assert names(verdict) == [name], verdict.message
    assert told(right).status == "right", "the next answer is judged as ever"


@NOT_310
def test_a_thread_of_the_notebook_may_check(told, no_child, monkeypatch):
    monkeypatch.setattr(child, "SECONDS", 0.5)
    verdicts = []
    thread = threading.Thread(target=lambda: verdicts.append(told(endless)))
    thread.start()
    thread.join()
    assert names(verdicts[0]) == ["time"]


@pytest.mark.parametrize("again", [0, 1e-5, 1e-4])
def test_the_end_of_time_never_comes_late(again, monkeypatch):
    """Without a child it is an exception in this thread, which may be in the midst of anything."""
    monkeypatch.setattr(child, "SECONDS", 0.001)
    monkeypatch.setattr(child, "AGAIN", again)

    def stubborn(send):
        for _ in range(3):
            with contextlib.suppress(child.TooLong):
                while True:
                    pass
        while True:
            pass

    def ending(send):
        end = time.process_time() + 0.001
        while time.process_time() < end:
            pass

    for number in range(100):
        records, end = child.in_this_process((stubborn, ending)[number % 2])
        assert records == [] and end in ("time", "idle", "done")
