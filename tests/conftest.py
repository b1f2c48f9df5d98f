"""With --nbval, two more items follow a lesson's cells: what nbval has received from the kernel but
does not compare itself is compared here, so that a lesson is executed only once.
"""

import copy
from collections import defaultdict

import lesson_checks
import nbformat
import pictures
import pytest
import spoil
from nbval.plugin import IPyNbCell, IPyNbFile
from settings import shell, wheel  # noqa: F401, and what it sets

from tools import lessons
from tools.checks import claims
from tools.notebook import PREMISE, tags

# With pytest-xdist these files start first, because they take longest; then come the lessons. The
# first one also wants a process that has not yet started others.
LONG = ["test_child", "test_bench", "test_answers", "test_editions", "test_machines"]
LONG += ["test_other_parameters"]


def pytest_configure(config):
    config.pluginmanager.register(ForLessons(), "lessons")  # as a conftest it is for tests/ only
    divided = getattr(config.option, "dist", "no") not in ("no", "loadfile")
    if divided and config.option.nbval:
        raise pytest.UsageError("with -n, add --dist loadfile: a lesson's cells belong together")
    config.option.loadscopereorder = False  # the order is chosen below


def pytest_collection_modifyitems(config, items):
    """Let two processes be done at about the same time: what takes long starts first."""
    if hasattr(config, "workerinput"):
        rank = {name: place for place, name in enumerate(LONG)}
        notebook = len(LONG)
        items.sort(key=lambda i: rank.get(i.path.stem, notebook + (i.path.suffix != ".ipynb")))


def pytest_terminal_summary(terminalreporter):
    """Which lesson showed something else on which machine, if that was tried."""
    import test_machines

    ended = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    terminalreporter.write_line("\n".join(test_machines.table(ended)))


class ForLessons:
    """Lets nbval's cells be followed by what nbval does not compare."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path, parent):
        return [
            Executed.from_parent(parent, path=file_path) if type(node) is IPyNbFile else node
            for node in (yield)
        ]


class Executed(IPyNbFile):
    """A lesson that nbval executes and compares, and what its cells showed."""

    # nbval does not see what these change.
    CHANGES = ("update_display_data", "clear_output")

    def collect(self):
        self.unseen = []
        self.cells = list(super().collect())
        lesson, cells = nbformat.read(self.path, as_version=4), iter(self.cells)
        with_premises = copy.deepcopy(lesson)
        claims.insert(with_premises, lesson)
        for place, cell in enumerate(with_premises.cells):
            if PREMISE in tags(cell):
                yield Premise.after(self, with_premises.cells[place - 1], cell)
            elif cell.cell_type == "code":
                yield next(cells)
        for name, complain in COMPARED.items():
            yield Compared.from_parent(self, name=name, complain=complain)

    def get_kernel_message(self, timeout=None, stream="iopub"):
        message = super().get_kernel_message(timeout, stream)
        if message["msg_type"] in self.CHANGES:
            self.unseen.append(f"a cell sends {message['msg_type']}, which is not compared")
        return message

    def fresh(self):
        """Return the notebook with what its cells showed, and complaints about gaps."""
        notebook = nbformat.read(self.path, as_version=4)
        complaints = list(self.unseen)
        for (name, cell), item in zip(lesson_checks.code(notebook), self.cells, strict=True):
            if item.test_outputs is None:
                complaints.append(f"{name} was not executed")
            cell.outputs = nbformat.from_dict(copy.deepcopy(item.test_outputs or []))
        return lessons.normalise(notebook), complaints


class Premise(IPyNbCell):
    """A cell's premise holds where nbval has just executed the cell, and could be false."""

    @classmethod
    def after(cls, parent, before, cell):
        about = {"cell": cell, "cell_num": 0, "options": defaultdict(bool)}
        made = cls.from_parent(parent, name=f"premise of {claims.words(before)}", **about)
        made.premise = before.metadata[PREMISE]
        return made

    def runtest(self):
        for source in (self.cell.source, spoil.cell(self.premise)):
            self.cell.source = source
            super().runtest()
            why = claims.told_by("".join(out.get("text", "") for out in self.test_outputs))
            if why:
                pytest.fail(f"{why}: {self.premise}", pytrace=False)

    def repr_failure(self, excinfo):
        return f"{self.name}: {excinfo.value}"

    def reportinfo(self):
        return self.path, None, f"{self.path.stem}: {self.name}"


class Compared(pytest.Item):
    """Holds what is stored in a lesson against what nbval received."""

    def __init__(self, *, complain, **kwargs):
        super().__init__(**kwargs)
        self.complain = complain

    def runtest(self):
        if self.complain is lesson_checks.compare_pictures and not pictures.COMPARABLE:
            pytest.skip(pictures.WHY_NOT)
        fresh, complaints = self.parent.fresh()
        complaints += self.complain(nbformat.read(self.path, as_version=4), fresh)
        if complaints:
            pytest.fail("\n".join(complaints), pytrace=False)

    def reportinfo(self):
        return self.path, None, f"{self.path.stem}: {self.name}"


COMPARED = {
    "kinds, metadata, ignored text": lesson_checks.compare,
    "pictures": lesson_checks.compare_pictures,
}
