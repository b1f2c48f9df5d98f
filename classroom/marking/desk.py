"""Run answers where they can do no harm, and judge what comes back.

Three processes. The marker's worker knows what is right and runs nothing of a learner's. It sends
each answer to its desk, a process that has everything imported and knows no expected result. The
desk forks a child for each answer, which takes the reference answers out of its memory, locks
itself up, loads the answer and sends back what came out, as plain data. So a learner's code can
change nothing but what it returns itself.
"""

import __future__

import builtins
import contextlib
import importlib
import linecache
import os
import pickle
import pkgutil
import subprocess
import sys
import threading

import nbformat

from attn_lesson import catalogue, judging, sandbox
from classroom.gradebooks import SEEDS
from classroom.marking import guard
from classroom.marking.read import MOST, Unreadable, lesson, read
from tools.lessons import ROOT, folder, lessons, number

LATE_HINTS = __future__.annotations.compiler_flag  # a type hint need not exist
PLACE = "<the returned notebook>"
SHOWN = 20_000  # characters of an answer
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV")  # of the environment
# What torch imports when it is first needed, and answers often do: behind the walls it takes long.
LATE = ("sympy", "torch._dynamo", "torch._inductor.config", "numpy", "scipy.special", "einops")


def course():
    """The lessons of this course that have exercises, as `read` wants them."""
    found = []
    for path in lessons():
        exercises, _ = catalogue.table(folder(path).name)
        if exercises:
            found.append(lesson(number(path), nbformat.read(path, 4), list(exercises)))
    return found


# In the desk


def serve(requests, replies):
    """Answer requests, (kind, arguments), until there are none."""
    import attn_lesson
    import attn_teach

    packages = [
        module.name
        for package in (attn_teach, attn_lesson)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not module.name.endswith(".answers")
    ]
    for name in (*packages, *LATE):
        with contextlib.suppress(ImportError):  # such as numpy, where it is not installed
            importlib.import_module(name)
    known = course()
    while True:
        try:
            kind, arguments = pickle.load(requests)
        except EOFError:
            return
        reply = _read(known, *arguments) if kind == "read" else _run(*arguments)
        pickle.dump(reply, replies)
        replies.flush()


def _read(known, data):
    def job(send):
        guard.lock_up()
        try:
            send(read(data, known))
        except Unreadable as error:
            send({"problem": str(error)})

    records, end = sandbox.in_child(job, 1, seconds=30.0)
    if records:
        return records[0]
    ends = {"time": "reading it takes too long", "idle": "reading it takes too long"}
    return {"problem": ends.get(end, "reading it ends the reader")}


def _run(name, program, seed):
    exercise = catalogue.tables()[0][name]
    with sandbox.settled():
        cases = exercise.cases(seed)
    plan = sandbox.planned(cases, judging.ways(cases))
    run, forbidden = exercise.run, dict(exercise.forbidden)
    del forbidden["the answer of the checks"]

    def job(send):
        _forget_answers()
        guard.lock_up()
        try:
            function = load(name, program)
        except BaseException as error:
            send({"problem": f"{type(error).__name__}: {error}"[:300]})
            return
        send({})
        for how, i in plan:
            send(sandbox.record(run, function, cases[i], how, forbidden))

    return sandbox.in_child(job, 1 + len(plan))


def _forget_answers():
    """Take the reference answers out of this process."""
    for exercise in catalogue.tables()[0].values():
        module = sys.modules[exercise.answer.__module__]
        for function in (exercise.answer, *exercise.wrong.values()):
            for key in [k for k, v in vars(module).items() if v is function]:
                delattr(module, key)
        exercise.__dict__.pop("forbidden", None)
        exercise.answer, exercise.wrong = None, {}


def load(name, program):
    """Execute an answer's program and return what it calls `name`."""
    names = {"__name__": "__main__", "__builtins__": builtins, "display": lambda *_, **__: None}
    text = "\n".join(program)
    linecache.cache[PLACE] = (len(text), None, text.splitlines(keepends=True), PLACE)
    line, parts = 0, []
    for source in program:
        parts.append(compile("\n" * line + source, PLACE, "exec", LATE_HINTS, True))
        line += source.count("\n") + 1
    answer, late = parts[-1], []
    for part in parts[:-1]:
        try:
            exec(part, names)
        except NameError:  # written below in the notebook, but run before
            late.append(part)
        except Exception:
            pass  # what misses it will say so
    for part in late:
        with contextlib.suppress(Exception):
            exec(part, names)
    exec(answer, names)
    if not callable(names.get(name)):
        raise TypeError(f"{name} is no function but {type(names.get(name)).__name__}")
    return names[name]


# In the worker


class Desk:
    """A desk in a process of its own, started when it is needed and again when it has died."""

    def __init__(self):
        self.process, self.lock = None, threading.Lock()

    def ask(self, kind, *arguments):
        """The desk's reply, or None when it died twice."""
        with self.lock:
            for _ in range(2):
                if self.process is None or self.process.poll() is not None:
                    self.process = self._started()
                try:
                    pickle.dump((kind, arguments), self.process.stdin)
                    self.process.stdin.flush()
                    return pickle.load(self.process.stdout)
                except (OSError, EOFError, pickle.UnpicklingError):
                    self.close()
                except BaseException:  # a reply that came later would answer the next question
                    self.close()
                    raise
            return None

    def _started(self):
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return subprocess.Popen(
            [sys.executable, "-m", "classroom.marking.desk"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=kept | {"OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


_desk = Desk()


def mark(data, desk=_desk):
    """Mark one file.

    Args:
        data: its bytes.

    Returns:
        Plain data: "problem", a sentence, or "lesson", "predictions" and "answers": for each
        exercise a dict of "verdict" (right, wrong, untouched, missing or error), "mistakes" (their
        names), "message", and where there is code "program" and "shape".
    """
    if len(data) > MOST:
        return {"problem": f"{len(data):,} bytes are too many"}
    found = desk.ask("read", data)
    try:
        if found is None or "problem" in found:
            return {"problem": str(found["problem"])[:300] if found else "it ends the reader"}
        answers = {str(n): _judged(str(n), a, desk) for n, a in found["answers"].items()}
        letters = {str(q)[:5]: str(a)[:1] for q, a in found["predictions"].items()}
        return {"lesson": str(found["lesson"]), "answers": answers, "predictions": letters}
    except (KeyError, TypeError, AttributeError) as error:
        return {"problem": f"reading it gives nonsense ({type(error).__name__})"}


def _judged(name, answer, desk):
    if "status" in answer:
        return {"verdict": answer["status"], "mistakes": [], "message": answer["why"]}
    made = {"program": "\n".join(answer["program"])[:SHOWN], "shape": str(answer["shape"])[:64]}
    first, another = SEEDS  # who knows the notebook's numbers by heart meets others
    verdict = _verdict(name, answer["program"], first, desk)
    if getattr(verdict, "status", None) == "right":
        other = _verdict(name, answer["program"], another, desk)
        if getattr(other, "status", None) != "right":
            said = getattr(other, "message", other)
            return made | {
                "verdict": "wrong",
                "mistakes": [["these numbers only", "Right on the notebook's numbers only."]],
                "message": f"Right on the notebook's numbers, but not on others. {said}",
            }
    if isinstance(verdict, str):
        return made | {"verdict": "error", "mistakes": [], "message": verdict}
    return made | {
        "verdict": verdict.status,
        "mistakes": [[m.name, m.sentence] for m in verdict.mistakes],
        "message": verdict.message,
    }


def _verdict(name, program, seed, desk):
    """The Verdict, or a sentence why there is none."""
    exercise = catalogue.tables()[0][name]
    cases = judging.bench(exercise, seed).cases
    reply = desk.ask("run", name, program, seed)
    if reply is None:
        return "it ends the process that runs it"
    records, end = reply
    if not records:
        ends = {"time": "its cells compute too long", "idle": "its cells wait for too long"}
        return ends.get(end, "its cells end the process")
    try:
        if "problem" in records[0]:
            return f"its cells cannot be run: {str(records[0]['problem'])[:300]}"
        outcomes = sandbox.sorted_out(records[1:], len(cases), judging.ways(cases))
        return judging.decide(exercise, seed, *outcomes, end)
    except Exception as error:  # records that nobody but a forger sends
        return f"what came back is no result ({type(error).__name__})"


if __name__ == "__main__":
    output = sys.stdout.buffer
    sys.stdout = sys.stderr
    serve(sys.stdin.buffer, output)
