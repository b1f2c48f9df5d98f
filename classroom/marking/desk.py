"""Have answers run where they can do no harm, and judge what comes back.

Three processes. The marker's worker, which runs this, knows what is right and runs nothing of a
learner's. It sends each answer, with the numbers to try it on, to a child of its booth, a process
that has everything imported and knows no solution (booth.py); the child locks itself up, loads the
answer and sends back what came out, as plain data. So a learner's code can change nothing but what
it returns itself, and finds nothing that would help it.
"""

import contextlib
import functools
import importlib
import os
import socket
import struct
import subprocess
import sys
import threading

import cloudpickle
import nbformat

from attn_lesson import catalogue
from attn_lesson.judge.bench import bench
from attn_lesson.judge.child import listen
from attn_lesson.judge.verdict import decide
from classroom.gradebooks import SEEDS
from classroom.marking.read import MOST, lesson
from tools.lessons import ROOT, folder, lessons, number

SHOWN = 20_000  # characters of an answer
SAID = 300  # of a reason
READING = 30.0  # seconds for a notebook
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV")  # of the environment


@functools.cache
def course():
    """The lessons of this course that have exercises, as `read` wants them."""
    found = []
    for path in lessons():
        exercises, _ = catalogue.table(folder(path).name)
        if exercises:
            names = [catalogue.exercise(name).name for name in exercises]
            found.append(lesson(number(path), nbformat.read(path, 4), names))
    return found


class Desk:
    """A booth, started when it is needed and again when it has died."""

    program = ("-m", "classroom.marking.booth")

    def __init__(self):
        self.process, self.line, self.lock = None, None, threading.Lock()

    def ask(self, count, seconds, *request):
        """The records that a child sends on a request, as many as `count`, and how it ended.

        None when the booth died twice.
        """
        request = cloudpickle.dumps(request)
        with self.lock:
            for _ in range(2):
                if self.process is None or self.process.poll() is not None:
                    self._start()
                try:
                    return self._ask(count, seconds, request)
                except (OSError, struct.error):
                    self.close()
                except BaseException:  # an answer that came later would be taken for the next one
                    self.close()
                    raise
            return None

    def _ask(self, count, seconds, request):
        asked, asking = os.pipe()
        listening, told = os.pipe()
        try:
            with open(asking, "wb", buffering=0) as pipe:
                try:
                    socket.send_fds(self.line, [b"."], [asked, told])
                finally:
                    os.close(asked)
                    os.close(told)
                (child,) = struct.unpack("<q", self.line.recv(8, socket.MSG_WAITALL))
                with contextlib.suppress(BrokenPipeError):
                    rest = memoryview(request)
                    while rest:
                        rest = rest[pipe.write(rest) :]
        except BaseException:
            os.close(listening)
            raise
        return listen(child, listening, count, seconds)

    def _start(self):
        self.close()
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.line, other = socket.socketpair()
        with other:
            self.process = subprocess.Popen(
                [sys.executable, *self.program],
                stdin=other,
                stdout=subprocess.DEVNULL,
                cwd=ROOT,
                env=kept | {"OMP_NUM_THREADS": "1"},
                start_new_session=True,
            )

    def close(self):
        if self.process is not None:
            self.line.close()
            self.process.kill()
            self.process.wait()
            self.process = None


_desk = Desk()


def mark(data, desk=_desk):
    """Mark one file.

    Args:
        data: its bytes.

    Returns:
        Plain data: "problem", a sentence, or "lesson", "predictions" and "answers": for each
        exercise a dict of "verdict" (right, wrong, untouched, missing or error), "mistakes" (their
        names), "message", and where there is code "program", "shape", "same", "own" and
        "published".
    """
    if len(data) > MOST:
        return {"problem": f"{len(data):,} bytes are too many"}
    reply = desk.ask(1, READING, "read", data, course())
    if reply is None or not reply[0]:
        late = reply is not None and reply[1] in ("time", "idle")
        return {"problem": "reading it takes too long" if late else "reading it ends the reader"}
    (found,), _ = reply
    try:
        if "problem" in found:
            return {"problem": str(found["problem"])[:SAID]}
        answers = {str(n): _judged(str(n), a, desk) for n, a in found["answers"].items()}
        letters = {str(q)[:5]: str(a)[:1] for q, a in found["predictions"].items()}
        return {"lesson": str(found["lesson"]), "answers": answers, "predictions": letters}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return {"problem": f"reading it gives nonsense ({type(error).__name__})"}


def _judged(name, answer, desk):
    if "status" in answer:
        status = str(answer["status"])
        status = status if status in ("untouched", "missing") else "error"
        why = str(answer["why"])[:SAID]
        return _said(status, why, [["another name", why]] if answer.get("near") else [])
    digest, size = answer["same"]
    made = {"program": "\n".join(answer["program"])[:SHOWN], "shape": str(answer["shape"])[:64]}
    made |= {"same": [str(digest)[:64], int(size)], "own": str(answer["own"])[:SHOWN]}
    made |= {"published": answer["published"] is True}
    first, another = SEEDS  # who knows the notebook's numbers by heart meets others
    said = _verdict(name, answer["program"], first, desk)
    if said["verdict"] == "right":
        other = _verdict(name, answer["program"], another, desk)
        if other["verdict"] != "right":
            why = f"Right on the notebook's numbers, but not on others. {other['message']}"
            only = "Right on the notebook's numbers only."
            said = _said("wrong", why, [["these numbers only", only]])
    return made | said


def _said(verdict, message, mistakes=()):
    return {"verdict": verdict, "mistakes": [*mistakes], "message": message}


def _verdict(name, program, seed, desk):
    """What is said of a program: a verdict, or an error and why there is none."""
    exercise = catalogue.tables()[0][name]
    plan = bench(exercise, seed).plan
    reply = desk.ask(1 + len(plan), None, "run", name, program, *_given(name, seed))
    if reply is None:
        return _said("error", "it ends the process that runs it")
    records, end = reply
    if not records:
        ends = {"time": "its cells compute too long", "idle": "its cells wait for too long"}
        return _said("error", ends.get(end, "its cells end the process"))
    try:
        if "problem" in records[0]:
            why = str(records[0]["problem"])[:SAID]
            return _said("error", f"its cells cannot be run: {why}")
        missing = records[0].get("missing")  # of what the answer uses
        if missing and any(record["error"] for record in records[1:]):
            return _said("error", f"an import of it fails here: {str(missing[0])[:SAID]}")
        verdict = decide(exercise, seed, records[1:], end)
        mistakes = [[mistake.name, mistake.sentence] for mistake in verdict.mistakes]
        return _said(verdict.status, verdict.message, mistakes)
    except Exception as error:  # records that nobody but a forger sends
        return _said("error", f"what came back is no result ({type(error).__name__})")


@functools.cache
def _given(name, seed):
    """What a booth needs to run an answer: how, the plan, and what is forbidden."""
    for each in catalogue.lessons():  # what they define goes along; there they are not imported
        cloudpickle.register_pickle_by_value(importlib.import_module(f"attn_lesson.{each}"))
    exercise = catalogue.tables()[0][name]
    forbidden = [path for path in exercise.forbidden if "." in path]
    return exercise.run, bench(exercise, seed).plan, forbidden
