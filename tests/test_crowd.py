"""`python -m tools.crowd` with two learners and a few small cells, on a real Jupyter server."""

import asyncio

import psutil
import pytest
from nbformat import v4, write

from tools import crowd

CELLS = [
    "import os\nassert get_ipython().kernel.get_parent()['content']['allow_stdin']  # as of people",
    "from comm import create_comm\ncreate_comm(data={'state': 3})  # as a widget does",
    "assert os.getcwd().endswith('a lesson')",
    "n = 0\nn / n",
    "print('not asked for')\nx / 0",
]


@pytest.fixture
def lesson(tmp_path):
    """A notebook whose last two cells fail, in a folder with a space in its name."""
    path = tmp_path / "a lesson" / "tiny.ipynb"
    path.parent.mkdir()
    write(
        v4.new_notebook(cells=[v4.new_markdown_cell("# Tiny"), *map(v4.new_code_cell, CELLS)]), path
    )
    return path


def test_two_learners_get_a_row_and_too_many_are_not_tried(lesson, capsys):
    arguments = [lesson, "--learners", 2, 10**6, "--think", 0, "--cells", 4]
    assert crowd.main([*map(str, arguments)]) == 1
    said = capsys.readouterr().out
    head, _, alone, error, both, same_error, stopped, enough = said.splitlines()
    assert head.startswith("tiny, 4 code cells, 0 s to think; ") and "MiB of memory free" in head
    for row, learners in ((alone, 1), (both, 2)):
        number, each, *_, errors = row.split()
        assert (number, errors) == (f"{learners}", f"{learners}")
        assert 20 < float(each) < 2000  # MiB of a kernel
    assert alone.count(" s x  1.0 ") == 2  # the ratios to itself
    assert error == same_error == "    code cell 4: ZeroDivisionError: division by zero"
    assert stopped == "1000000 learners at once were not tried: 1 GiB of memory must stay free"
    assert enough.startswith("Memory is enough for about ")
    here = str(lesson.parent)
    assert here not in [process.info["cwd"] for process in psutil.process_iter(["cwd"])]
    assert [*lesson.parent.iterdir()] == [lesson]


def test_learners_are_stopped_before_the_memory_is_full(monkeypatch):
    monkeypatch.setattr(crowd, "KEEP", 2**40)
    monkeypatch.setattr(crowd, "learn", lambda *_: asyncio.sleep(60))
    with pytest.raises(MemoryError, match="3 learners at once were stopped"):
        asyncio.run(crowd.crowd(None, "", 3, [], 0))


@pytest.mark.parametrize(
    ("arguments", "remark"),
    [
        ("99", "no lesson is called '99'"),
        ("0", "'0' stands for 8 lessons: name one"),
        (__file__, "test_crowd.py is not a notebook"),
        ("01 --learners 0", "1 or more --learners"),
        ("01 --cells 0", "1 or more --learners and (code) --cells"),
        ("01 --think -1", "--think must be 0 seconds or more"),
        ("01 --think nan", "--think must be 0 seconds or more"),
        ("01 --learners many", "invalid int value: 'many'"),
    ],
)
def test_what_is_wrong_with_the_arguments_is_said(arguments, remark, capsys):
    with pytest.raises(SystemExit) as stopped:
        crowd.main([arguments] if arguments == __file__ else arguments.split())
    assert remark in f"{stopped.value} {capsys.readouterr().err}"
