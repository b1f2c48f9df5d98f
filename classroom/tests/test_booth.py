"""Where answers run no solution is known: not in memory, not in a file that could be opened."""

import inspect
import io
import json
import pickle
import types

import cloudpickle
import nbformat
import pytest
from test_marking import RIGHT, marker, verdict  # noqa: F401

from attn_lesson import catalogue
from classroom.marking import desk, guard
from classroom.marking.booth import SECRET
from tools.lessons import ROOT, folder, kept, lessons
from tools.notebook import tags

pytestmark = pytest.mark.long
LONG = 40  # characters of a line that no package holds by chance

# An answer that writes down all that it can reach: texts, code and open files.
PROBE = """
def {name}(*arguments, **named):
    import gc, json, linecache, os, sys
    roots = [*gc.get_objects(), sys.modules, linecache.cache, os.environ, *sys.argv]
    for frame in [*sys._current_frames().values()]:
        while frame:
            roots += [frame, frame.f_locals, frame.f_globals]
            frame = frame.f_back
    texts, codes, seen = set(), set(), set()
    while roots:
        each = roots.pop()
        if id(each) in seen or each is texts or each is codes or each is seen:
            continue
        seen.add(id(each))
        if isinstance(each, (bytes, bytearray)):
            each = each.decode("latin-1")
        if isinstance(each, str):
            texts.add(str(each))
        elif type(each).__name__ == "code":
            file = "/".join(each.co_filename.split("/")[-2:])  # lessons have files of one name
            codes.add((file, each.co_name, each.co_firstlineno))
            roots += [*each.co_consts, *each.co_names, each.co_code]
        else:
            roots += gc.get_referents(each)
    files = []
    for number in os.listdir("/proc/self/fd"):
        try:
            files.append(os.readlink("/proc/self/fd/" + number))
        except OSError:  # the listing's own
            pass
    texts = [text for text in texts if len(text) >= {long}]
    with open({path!r}, "w") as file:
        json.dump([texts, sorted(codes), files], file)
"""
UNLOCKED = (
    "import runpy; from classroom.marking import guard; guard.lock_up = lambda: None; "
    "runpy.run_module('classroom.marking.booth', run_name='__main__')"
)


@pytest.fixture(scope="module")
def unlocked():
    """A desk whose booth locks nothing up, so that an answer can look around and write it down."""
    booth = desk.Desk()
    booth.program = ("-c", UNLOCKED)
    yield booth
    booth.close()


def bare(text):
    return "".join(text.split())


def lines(text):
    return {line.strip() for line in text.splitlines() if len(line.strip()) >= LONG}


@pytest.fixture(scope="module")
def secrets():
    """Solutions, right and wrong ones: lines that nobody was handed out, whole texts, and code."""
    secret, public, whole, code = set(), set(), set(), set()
    for path in lessons():
        for cell in nbformat.read(path, 4).cells:
            solution = cell.cell_type == "code" and "solution" in tags(cell)
            (secret if solution else public).update(lines(cell.source))
            whole |= {bare(cell.source)} if solution else set()
        answers = kept(path) / "answers.py"
        secret |= lines(answers.read_text("utf-8"))
        for exercise in catalogue.table(folder(path).name)[0].values():
            for function in (exercise.answer, *exercise.wrong.values()):
                function = inspect.unwrap(getattr(function, "func", function))
                secret |= lines(inspect.getsource(function))
                whole.add(bare(inspect.getsource(function)))
                at = function.__code__
                file = "/".join(at.co_filename.split("/")[-2:])
                code.add((file, at.co_name, at.co_firstlineno))
    for path in [*(ROOT / "attn_teach").glob("*.py"), *(ROOT / "attn_lesson").glob("*.py")]:
        public |= lines(path.read_text("utf-8"))
    return secret - public, whole, code


class Opened(pickle.Unpickler):
    """A request as a booth opens it."""

    def find_class(self, module, name):
        assert module.rpartition(".")[2] != SECRET, name
        return super().find_class(module, name)


def parts(function):
    """The code objects of a function."""
    found = [inspect.unwrap(getattr(function, "func", function)).__code__]
    for code in found:
        found += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return found


def is_in(request, code):
    """Whether a request holds a code object: what it does, with which names, in which lines."""
    names = (name.encode() for name in (*code.co_names, *code.co_varnames, *code.co_freevars))
    return all(part in request for part in (code.co_code, code.co_linetable, *names))


class Slot:
    """Keeps what a desk would send to its booth."""

    def ask(self, count, seconds, *request):
        self.request = cloudpickle.dumps(request)


def test_no_request_holds_an_answer():
    """Of all lessons and exercises: what is right, what is wrong, and each part of it."""
    exercises = catalogue.tables()[0]
    functions = [f for e in exercises.values() for f in (e.answer, *e.wrong.values())]
    secret = [code for function in functions for code in parts(function)]
    slot = Slot()
    desk.mark(b"{}", slot)  # a notebook is read
    requests = {"a notebook": slot.request}
    for name in exercises:
        desk._verdict(name, ["a = 1"], desk.SEEDS[0], slot)
        requests[name] = slot.request
    for name, request in requests.items():
        Opened(io.BytesIO(request)).load()
        assert not [code for code in secret if is_in(request, code)], name
    assert len({*requests.values()}) == len(requests)


def looked(booth, tmp_path, name):
    """What an answer of this name can reach: its texts as one, code, open files."""
    path = tmp_path / "reached.json"
    program = [PROBE.format(name=name, long=LONG, path=str(path))]
    run, *given = desk._given(name, 0)

    def plainly(function, *case, held=run):  # one of them runs answers in little memory
        return function(*case)

    records, end = booth.ask(2, 60, "run", name, program, plainly, *given)
    assert records[1:] and records[1]["error"] is None, (records, end)
    texts, codes, files = json.loads(path.read_text())
    return "\n".join(texts), {tuple(code) for code in codes}, files


def test_a_running_answer_can_reach_no_solution_and_no_other_answer(
    unlocked, secrets, tmp_path, pytestconfig
):
    secret, whole, code = secrets
    names = list(catalogue.tables()[0])
    assert len(secret) > 200 and len(whole) > len(names) and len(code) >= len(names)
    before = "def my_gaussian(u):\n    return torch.exp(-u**2 / 2)  # written by Ada alone"
    given = desk._given("my_gaussian", 0)
    unlocked.ask(2, 60, "run", "my_gaussian", ["import torch", before], *given)
    for name in names if pytestconfig.getoption("every") else ["my_gaussian"]:
        text, codes, files = looked(unlocked, tmp_path, name)
        reached, all_of_it = lines(text), bare(text)
        assert not [solution for solution in whole if solution in all_of_it], name
        assert len(reached) > 10_000 and ("<the returned notebook>", name, 2) in codes
        assert not reached & secret, name
        assert codes & code == set(), name
        assert {file.partition(":")[0] for file in files} <= {"/dev/null", "pipe"}
        assert "written by Ada alone" not in text


FILES = ("lesson01/exercises.py", "lesson01/mistakes.md", "")


@pytest.mark.parametrize(
    "path", [*(ROOT / "attn_lesson" / name for name in FILES), *lessons(["01"])]
)
def test_no_file_with_solutions_can_be_opened(marker, path):  # noqa: F811
    code = (
        "def my_gaussian(u):\n    import os\n"
        f"    os.close(os.open({str(path)!r}, os.O_RDONLY))\n"
        "    return torch.exp(-u**2 / 2)"
    )
    found, answer = verdict(marker, code)
    assert found == "wrong" and "PermissionError" in answer["message"], answer


def test_a_folder_that_holds_what_is_hidden_is_read_around_it(tmp_path):
    for name in ("a/b/secret", "a/b/open", "a/c", "d"):
        (tmp_path / name).mkdir(parents=True)
    found = guard._without(tmp_path, [tmp_path / "a/b/secret"])
    assert {str(path.relative_to(tmp_path)) for path in found} == {"a/b/open", "a/c", "d"}
    assert guard._without(tmp_path / "d", [tmp_path / "a"]) == [tmp_path / "d"]


def test_what_lessons_read_can_be_read_by_answers(marker):  # noqa: F811
    code = "from attn_lesson.lesson01 import motorcycle\ntimes, _ = motorcycle()"
    answer = "def my_gaussian(u):\n    assert len(times) == 133\n    return torch.exp(-u**2 / 2)"
    found, told = verdict(marker, code, answer)
    assert found == "right", told
    assert verdict(marker, RIGHT["my_gaussian"])[0] == "right"
