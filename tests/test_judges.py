"""What judges say of answers by people who had seen none, as README.md tells it; the first screen.

The answers lie in tests/judges, with what each judge says of them: `python -m tools.checks.judges`.
"""

import shutil

import pytest
import torch

from attn_lesson import judge
from tools.checks import judges
from tools.lessons import ROOT
from tools.site import door

FOLDERS = sorted(path for path in judges.FOLDER.iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_judge_says_what_is_stored(folder):
    before = judges.stored(folder)
    made = [row | {judges.FIRST: before[row["task"], row["answer"]][judges.FIRST]}
            for row in judges.rows(folder)]  # fmt: skip
    assert made == list(before.values())


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


def as_causal_attention(code):
    """The function of queries, keys and values that one of X and three matrices is."""
    exec(code, names := {"torch": torch})

    def causal_attention(Q, K, V):
        W = torch.eye(Q.shape[-1] * 3).split(Q.shape[-1], 1)
        return names[door.TASK](torch.cat((Q, K, V), -1), *W)

    return causal_attention, names[door.TASK]


@pytest.mark.parametrize("code", door.ATTENTIONS)
def test_the_first_screens_attentions_pass_those_tests_and_check_names_their_mistake(code):
    from torch_judge import __version__, tasks

    assert f"torch-judge {__version__}" == door.TESTS
    asked = tasks.get_task("causal_attention")["tests"]
    assert tuple(test["name"] for test in asked) == door.PASSED
    function, own = as_causal_attention(code)
    assert judges.TorchJudge().says("causal", function) == ""
    found = judge(own)
    assert found.status == "wrong" and len(found.mistakes) == 1
