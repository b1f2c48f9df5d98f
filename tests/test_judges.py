"""What judges say of answers by authors who had seen none, as README.md tells it; the first screen.

The answers lie in tests/judges, with what each judge says of them: `python -m tools.checks.judges`.
"""

import shutil

import pytest
import torch

from attn_lesson import judge
from attn_lesson.lesson13 import MEASURES, STRANGERS, drawn
from attn_teach import causal_mask
from tools.checks import judges
from tools.lessons import ROOT
from tools.site import door
from tools.site.tab.exercises import lines

MISTAKES = "scale=d", "roles=kqv", "instead=exponentials"  # of the first screen
FOLDERS = sorted(path for path in judges.FOLDER.iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_judge_says_what_is_stored(folder):
    before = judges.stored(folder)
    made = {(row["task"], row["answer"]): row for row in judges.rows(folder)}
    assert [*made] == [*before]
    for place, row in made.items():
        for name in (each.name for each in judges.JUDGES):
            said, told = row[name], before[place][name]
            if "dropout" in row["answer"]:  # what it drops differs from machine to machine
                said, told = said == judges.PASSES, told == judges.PASSES
            assert said == told, (*place, name)


def test_readme_shows_what_was_counted():
    counts = judges.table(list(judges.stored(judges.FOLDER / "second").values()))
    assert counts in (ROOT / "README.md").read_text("utf-8")


def test_what_is_right_is_asked_of_no_judge_as_wrong_and_what_is_wrong_is_refused(tmp_path):
    given = judges.FOLDER / "first"
    for kind in ("causal", "causal_right"):
        (tmp_path / kind).mkdir()
    right = next(given.glob("causal_right/*.py")).read_text("utf-8")
    (tmp_path / "causal" / "right.py").write_text(f"# nothing\n# named by: x\n{right}", "utf-8")
    shutil.copy(next(given.glob("causal/02*.py")), tmp_path / "causal_right" / "wrong.py")
    for each in judges.rows(tmp_path):
        said = {each[judge.name] for judge in judges.JUDGES if "causal" in judge.asks}
        assert (said == {judges.NOT_ASKED}) if each["mistake"] else judges.PASSES not in said


@pytest.mark.parametrize("times, n", [(1, 5), (5, 40), (100, 7), (0, 4)])
def test_the_strangers_of_lesson_13_compute_what_was_written(times, n):
    files = sorted(judges.FOLDER.glob("second/causal/*.py"))
    torch.manual_seed(0)
    given = [t * x for t, x in zip((times, times, 1), torch.randn(3, 2, n, 8), strict=True)]
    for path, (name, attention) in zip(files, STRANGERS.items(), strict=True):
        torch.manual_seed(0)
        theirs = judges.answer(path)(*given)
        torch.manual_seed(0)
        ours, weights = attention(*(x.unsqueeze(1) for x in given), causal_mask(n))
        torch.testing.assert_close(ours.squeeze(1), theirs, atol=1e-4, rtol=1e-4, equal_nan=True)
        assert weights.shape == (2, 1, n, n), name


@pytest.mark.filterwarnings("ignore")
def test_five_strangers_get_past_lesson_13s_own_suite_which_the_inputs_that_it_names_would_catch():
    exec(lines()["my_suite"][1].replace("check(my_suite)", ""), names := {"torch": torch})
    past = [name for name, attention in STRANGERS.items() if names["my_suite"](attention)]
    needed = {"whole root of d": {"d": 5}, "a score of 0 is hidden": {"times": 0},
              "blocks, not rescaled": {"m": 40}, "the last tile is left out": {"n": 17},
              "-10000 is added": {"times": 200}}  # fmt: skip
    assert past == list(needed)
    for name, sizes in needed.items():
        times = sizes.pop("times", 1)
        queries, keys, values, mask = drawn(**sizes)
        given = times * queries, times * keys, values, mask
        assert MEASURES["reference"](STRANGERS[name], *given) > 1e-3, name


def defined(code, name):
    exec(code, names := {"torch": torch})
    return names[name]


@pytest.mark.parametrize("body, mistake", [*zip(door.ATTENTIONS, MISTAKES, strict=True)])
def test_the_first_screens_attentions_pass_those_tests_and_check_names_them(body, mistake):
    from torch_judge import __version__, tasks

    assert f"torch-judge {__version__}" == door.TESTS
    asked = tasks.get_task("causal_attention")["tests"]
    assert tuple(test["name"] for test in asked) == door.PASSED
    theirs = defined(f"def causal_attention(Q, K, V):\n{body}", "causal_attention")
    assert judges.TorchJudge().says("causal", theirs) == ""
    found = judge(defined(door.BEGINS + body, door.TASK))
    assert [each.name for each in found.mistakes] == [mistake]
