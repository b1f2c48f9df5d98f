"""With --nbval, one more item follows a lesson's cells: what nbval has received from the kernel but
does not compare itself is compared here, so that a lesson is executed only once.
"""

import copy
from collections import defaultdict

import lesson_checks
import nbformat
import pictures
import pytest
import spoil
from nbformat.v4 import new_code_cell
from nbval.plugin import IPyNbCell, IPyNbFile
from settings import shell, wheel  # noqa: F401, and what it sets

from tools import lessons
from tools.checks import claims
from tools.notebook import PREMISE, explored


def pytest_configure(config):
    config.pluginmanager.register(ForLessons(), "lessons")  # as a conftest it is for tests/ only
    divided = getattr(config.option, "dist", "no") not in ("no", "loadfile")
    if divided and config.option.nbval:
        raise pytest.UsageError("with -n, add --dist loadfile: a lesson's cells belong together")


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
        self.stored = nbformat.read(self.path, as_version=4)
        self.cells = list(super().collect())
        cells = iter(self.cells)
        for cell in self.stored.cells:
            if cell.cell_type == "code":
                yield next(cells)
            if premise := cell.metadata.get(PREMISE):
                looks = [claims.cell_for(premise, look) for look in (None, spoil.could_be_false)]
                name = f"premise of {claims.words(cell)}"
                yield Look.at(self, name, *looks, about=f": {premise}")
        if any(map(explored, self.stored.cells)):
            yield Look.at(self, "live figures move", claims.cell_for("", spoil.figures_move))
        yield Compared.from_parent(self, name="what nbval does not compare")

    def setup(self):
        try:
            super().setup()
        except RuntimeError:  # it does not answer: seen once, on a fresh machine
            super().setup()

    def get_kernel_message(self, timeout=None, stream="iopub"):
        message = super().get_kernel_message(timeout, stream)
        if message["msg_type"] in self.CHANGES:
            self.unseen.append(f"a cell sends {message['msg_type']}, which is not compared")
        return message

    def complaints(self):
        """What differs between what is stored and what nbval's cells showed."""
        fresh, complaints = copy.deepcopy(self.stored), list(self.unseen)
        for (name, cell), item in zip(lesson_checks.code(fresh), self.cells, strict=True):
            if item.test_outputs is None:
                complaints.append(f"{name} was not executed")
            cell.outputs = nbformat.from_dict(copy.deepcopy(item.test_outputs or []))
        return complaints + lesson_checks.compare(self.stored, lessons.normalise(fresh))


class Look(IPyNbCell):
    """What cells say that look at the kernel, where nbval has just executed the cell before."""

    @classmethod
    def at(cls, parent, name, *sources, about=""):
        options = defaultdict(bool)
        made = cls.from_parent(parent, name=name, cell=new_code_cell(), cell_num=0, options=options)
        made.sources, made.about = sources, about
        return made

    def runtest(self):
        for source in self.sources:
            self.cell.source = source
            super().runtest()
            said = "".join(out.get("text", "") for out in self.test_outputs)
            if why := claims.told_by(said):
                pytest.fail(f"{why}{self.about}", pytrace=False)

    def repr_failure(self, excinfo):
        return f"{self.name}: {excinfo.value}"

    def reportinfo(self):
        return self.path, None, f"{self.path.stem}: {self.name}"


class Compared(pytest.Item):
    """Holds what is stored in a lesson against what nbval received."""

    def runtest(self):
        if complaints := self.parent.complaints():
            pytest.fail("\n".join(complaints), pytrace=False)
        if not pictures.COMPARABLE:
            pytest.skip(pictures.WHY_NOT)

    def reportinfo(self):
        return self.path, None, f"{self.path.stem}: {self.name}"
