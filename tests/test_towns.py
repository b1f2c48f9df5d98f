"""The model of names, as a file, gives the lesson's scores; the runs that it quotes are its own."""

import csv

import pytest
import torch

from attn_lesson import lesson09
from tools.lessons import folder
from tools.site import towns


@pytest.fixture(scope="module")
def lesson():
    """The lesson's variables before it trains, and a model after a few steps."""
    names = towns.cells_until("train")
    names["model"] = names["train"](names["start"](), names["learned"], 60)
    return names


@pytest.fixture(scope="module")
def file(lesson):
    return towns.packed(lesson["model"], lesson["TOKENS"])


def test_the_file_is_small_and_holds_all_numbers(lesson, file):
    header, tensors = towns.unpacked(file)
    numbers = sum(tensor.numel() for tensor in tensors.values())
    assert numbers == sum(p.numel() for p in lesson["model"].parameters()) == 86912
    assert 2 * numbers < len(file) < 180_000
    assert header["tokens"] == lesson["TOKENS"] and header["countries"] == 8
    assert header["tokens"][header["countries"]] == "."


def test_a_model_read_from_the_file_gives_the_same_scores(lesson, file):
    read = lesson["Model"]()
    read.load_state_dict(towns.unpacked(file)[1])
    rows = lesson["other"][:50, :-1].clamp(min=0)
    with torch.no_grad():
        expected, got = lesson["model"](rows), read(rows)
    assert expected.abs().max() > 3
    assert (got - expected).abs().max() < 1e-2


def test_the_quoted_runs_are_those_that_the_tool_makes():
    told = {tuple(run[key] for key in ("seed", *towns.USUAL)) for run in lesson09.runs()}
    made = [(seed, *(towns.USUAL | what).values()) for what in towns.OTHERS for seed in towns.SEEDS]
    assert told == {*made} and len(lesson09.runs()) == len(made)
    made = [(str(names), str(seed)) for names in towns.SHORT for seed in towns.SEEDS]
    assert [(row["names"], row["seed"]) for row in stored()] == made


def stored():
    with (folder(towns.LESSON) / "stopped.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.long
@pytest.mark.every
@pytest.mark.parametrize("what", [{"width": 8}, {"names": 500}])
def test_a_run_gives_its_numbers_again(lesson, what):
    told = next(run for run in lesson09.runs() if run["seed"] == 0 and what.items() <= run.items())
    row = towns.run(dict(lesson), 0, **what)
    assert float(row["new"]) == pytest.approx(told["new"], abs=0.02)
    assert float(row["own"]) == pytest.approx(told["own"], abs=0.02)
    if what == {"names": 500}:
        row = towns.stopped(dict(lesson), 0, 500)
        assert float(row["new"]) == pytest.approx(float(stored()[0]["new"]), abs=0.02)


def test_the_lessons_names_are_those_of_the_file():
    with (folder(towns.LESSON) / "towns.csv").open(encoding="utf-8", newline="") as lines:
        rows = [(row["country"], row["name"]) for row in csv.DictReader(lines)]
    assert rows == lesson09.towns() and len(rows) == 9600
    assert len({*rows}) == 9600 and all(3 <= len(name) <= 14 for _, name in rows)


def test_other_commands_are_told_how(tmp_path, monkeypatch, lesson, capsys):
    with pytest.raises(SystemExit, match=r"write build/towns\.bin"):
        towns.main([])
    monkeypatch.setattr(towns, "cells_until", {"own": lesson}.get)
    towns.main(["write", str(tmp_path / "new" / "towns.bin")])
    assert "kB" in capsys.readouterr().out and (tmp_path / "new" / "towns.bin").stat().st_size


def test_words_of_ones_own_take_the_place_of_the_british_names():
    words = [a + b + c + d for a in "abcdefg" for b in "aeiou" for c in "lmnrst" for d in "aeiouy"]
    for own, kept in ((words[:40], words[:40]), (words, words[: len(words)])):
        rows = lesson09.towns(own)
        mine = [word for country, word in rows if country == "GB"]
        assert mine == sorted(mine) == [word for word in kept if word in set(mine)]
        assert len(mine) == min(len(own), 1200)
        assert mine[0] == own[0] and own.index(mine[-1]) >= len(own) - 2
        assert rows[len(mine) :] == [row for row in lesson09.towns() if row[0] != "GB"]
