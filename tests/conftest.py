"""Settings for all tests: no windows, and kernels that know nothing of the user's own settings.

With --nbval, two more items follow a lesson's cells: what nbval has received from the kernel but
does not compare itself is compared here, so that a lesson is executed only once.
"""

import copy
import os

import hypothesis
import lesson_checks
import matplotlib
import nbformat
import pictures
import pytest
from nbval.plugin import IPyNbFile

from tools import lessons

for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "ARGS", "FILE", "LESSONS"):  # of another make
    os.environ.pop(name, None)
matplotlib.use("Agg")
lessons.isolate()
# The same cases in every run, however slow the machine.
hypothesis.settings.register_profile("lessons", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("lessons")

# With pytest-xdist these files start first, because they take longest; then come the lessons. The
# first one also wants a process that has not yet started others.
LONG = ["test_judging", "test_editions", "test_returned", "test_variants", "test_marking"]


def pytest_addoption(parser):
    parser.addoption(
        "--every-edition",
        action="store_true",
        help="execute all lessons with Colab's packages, on its Python too if that is here; and "
        "with all sets of other parameters",
    )
    parser.addoption(
        "--machines", action="store_true", help="execute all lessons as other machines would"
    )


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
    """With --machines: which lesson shows something else on which machine."""
    if terminalreporter.config.getoption("machines"):
        import test_machines

        ended = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
        terminalreporter.write_line("\n".join(test_machines.table(ended)))


@pytest.fixture(scope="session")
def wheel():
    """The bytes of the module's wheel, which takes a while to build."""
    from tools import editions

    return editions.build_wheel()


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
        yield from self.cells
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
