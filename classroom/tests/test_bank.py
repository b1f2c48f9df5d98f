"""The bank of exam questions: one right choice each, solved again from the printed sheet alone."""

import ast
import cmath
import itertools
import math
import re
from operator import mul
from types import SimpleNamespace

import pytest

from classroom import bank
from tools.lessons import ROOT, lessons, number


def dot(a, b):
    return sum(map(mul, a, b))


def exps(scores):
    return [math.exp(score) for score in scores]


def mean(row, values):
    """What attention gives where the weights are the row, divided by its sum."""
    return dot(row, values) / sum(row)


def turned(pair, place):
    return complex(*pair) * cmath.rect(1, math.radians(30 * place))


# For each template, its answer in plain Python, from the figures of the printed question.
SOLVED = {
    "kernel_output": lambda g: mean([max(0, 1 - ((g.q - k) / g.h) ** 2) for k in g.K], g.V),
    "gaussian_ratio": lambda g: math.exp(((g.q - g.b) ** 2 - (g.q - g.a) ** 2) / (2 * g.h**2)),
    "scaled_output": lambda g: mean(exps(dot(g.q, k) / 2 for k in g.K), g.V),
    "distance_score": lambda g: -(math.dist(g.q, g.k) ** 2) / 2,
    "masked_output": lambda g: mean([*map(mul, exps(g.s), g.may)], g.V),
    "mask_cells": lambda g: sum(j <= i and j < g.m for i in range(g.n) for j in range(g.n)),
    "head_parameters": lambda g: 4 * g.d * g.d,
    "weights_kept": lambda g: g.batch * g.heads * g.n * g.m,
    "causal_output": lambda g: mean(
        exps(g.W_q * g.X[g.t] * g.W_k * x for x in g.X[: g.t + 1]),
        [g.W_v * x for x in g.X[: g.t + 1]],
    ),
    "reach": lambda g: 1 + g.layers * g.w,
    "rotary_score": lambda g: (turned(g.q, g.m) * turned(g.k, g.n).conjugate()).real,
    "alibi_score": lambda g: g.s - 2.0 ** -(g.h + 1) * (g.i - g.j),
    "block_parameters": lambda g: 4 * (g.d * g.d + g.d) + 2 * g.d * g.f + g.f + g.d + 4 * g.d,
    "cache_saves": lambda g: sum(g.p + step for step in range(g.m)) - (g.p + g.m - 1),
    "smoothed_loss": lambda g: -math.log((g.c + g.a) / (g.n + g.a * g.L)),
    "country": lambda g: (
        math.prod(g.P) * g.prior / (math.prod(g.P) * g.prior + math.prod(g.Q) * (1 - g.prior))
    ),
    "grouped_cache": lambda g: g.blocks * 2 * g.kv * g.size * g.n,
    "tempered": lambda g: g.p[0] ** (1 / g.T) / sum(p ** (1 / g.T) for p in g.p),
}


def figures(text):
    """What the text gives as `name = value`."""
    pairs = re.findall(r"`(\w+) = ([^`]+)`", text)
    assert len(dict(pairs)) == len(pairs)
    return SimpleNamespace(**{name: ast.literal_eval(value) for name, value in pairs})


def read(page):
    """What is printed below each heading of a sheet or a key: (text, its four choices)."""
    _, *parts = re.split(r"^## \d+\. .*$", page, flags=re.MULTILINE)
    return [(p.partition("\n- ")[0], re.findall("^- (.*)$", p, re.MULTILINE)) for p in parts]


ALL = [number(path) for path in lessons()]


def test_the_sheet_alone_gives_the_key_with_thirty_seeds():
    asked, places = ({name: set() for name in bank.TEMPLATES} for _ in range(2))
    for seed in range(30):
        sheet, key = map(read, bank.exam(seed, ALL))
        for (name, solve), (text, choices), (_, told) in zip(
            SOLVED.items(), sheet, key, strict=True
        ):
            answer, right, mistakes = solve(figures(text)), [], []
            for choice, says in zip(choices, told, strict=True):
                value = re.fullmatch(r"[A-D]\. (-?\d+(?:\.\d+)?)", choice)[1]
                if abs(float(value) - answer) <= 0.5 * 10 ** -len(value.partition(".")[2]):
                    assert says == f"**{choice}** is right"
                    right.append(choice[0])
                else:
                    mistakes += re.fullmatch(re.escape(choice) + ": ([^.:]{15,})", says).groups()
            assert len(right) == 1 and len({float(choice[3:]) for choice in choices}) == 4, name
            assert all(a not in b for a, b in itertools.permutations(mistakes, 2)), name
            asked[name].add(text)
            places[name] |= {*right}
    assert min(map(len, asked.values())) > 20 and set(map(len, places.values())) == {4}


def test_the_bank_covers_the_course_and_the_seed_is_in_the_key_alone():
    sheet, key = bank.exam("a phrase", ALL)
    assert list(SOLVED) == list(bank.TEMPLATES)
    assert "a phrase" in key and "a phrase" not in sheet and "right" not in read(sheet)[0][0]
    covered = {template.lesson for template in bank.TEMPLATES.values()}
    assert len(covered) >= 10 and covered <= set(ALL)
    assert bank.table() in (ROOT / "classroom" / "README.md").read_text("utf-8")


def test_a_seed_gives_one_exam_on_every_machine():
    """These were drawn once; another Python or processor must draw them again."""
    draw = bank.Draw("a", 1)
    assert [draw.whole(0, 99) for _ in range(6)] == [33, 88, 78, 14, 54, 26]
    assert bank.exam("a", ALL) == bank.exam("a", ALL) != bank.exam("b", ALL)
    assert "".join(re.findall(r"\*\*(\w)\. ", bank.exam("a", ALL)[1])) == "BBDABCACCBCDBBDCAD"


SOUND = [
    ((1.0, 2.0, 3.0, 4.0), 2, True),
    ((1.0, 1.04, 3.0, 4.0), 2, False),  # within what is rounded on paper
    ((1.0, 2.0, 3.0, 2.01), 2, False),
    ((1.005, 2.0, 3.0, 4.0), 2, False),  # 1.00 or 1.01, as the last bit falls
    ((3, 4, 5, 10**6), 0, False),
    ((3, 4, 5, 6), 0, True),
    ((3, 4, 5, 3), 0, False),
]


@pytest.mark.parametrize(("values", "digits", "sound"), SOUND)
def test_choices_can_be_told_apart(values, digits, sound):
    assert bank.can_be_told_apart(values, digits) == sound
    assert bank.shown(-0.001, digits) == ("0.00" if digits else "0")  # without a sign


def test_the_command_writes_both_files_and_keeps_the_key_of_another(tmp_path, capsys):
    folder = tmp_path / "exam"
    for _ in range(2):  # the same again is no other exam
        bank.main(["01", "06", "--seed", "a phrase", "--into", str(folder)])
    assert sorted(path.name for path in folder.iterdir()) == ["exam.md", "key.md"]
    sheet, key = bank.exam("a phrase", ["01", "06"])
    assert (folder / "exam.md").read_text("utf-8") == sheet and len(read(sheet)) == 4
    assert (folder / "key.md").read_text("utf-8") == key
    with pytest.raises(SystemExit, match=r"key\.md is the key of another exam: move it"):
        bank.main(["01", "--into", str(folder)])
    assert (folder / "exam.md").read_text("utf-8") == sheet
    assert capsys.readouterr().out.count("-> ") == 4
    seeds = set()
    for place in "ab":  # without a seed one is drawn, and the key tells it
        bank.main(["01", "--into", str(tmp_path / place)])
        told = (tmp_path / place / "key.md").read_text()
        seeds.add(re.search(r"Seed: `([0-9a-f]{12})`", told)[1])
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--seed", seed], "the seed must be a text of one line") for seed in ("", " ", "a\nb", "a`b")]
    + [(["01", "02"], "the bank has no template for 02; --table lists all")],
)
def test_what_cannot_be_asked_is_refused(words, said, tmp_path, monkeypatch):
    few = {name: each for name, each in bank.TEMPLATES.items() if each.lesson == "01"}
    monkeypatch.setattr(bank, "TEMPLATES", few)
    with pytest.raises(SystemExit, match=said):
        bank.main([*words, "--into", str(tmp_path)])
    assert not list(tmp_path.iterdir())
    bank.main(["--into", str(tmp_path)])
    assert "Lessons: 01." in (tmp_path / "key.md").read_text("utf-8")
