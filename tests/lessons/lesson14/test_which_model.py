"""The game "Which model is it?" of lesson 14: what is stored, and what its switches tell apart."""

import json
from itertools import product

import pytest
import torch
from reference import assert_same

from attn_lesson.lesson14 import theirs
from attn_lesson.lesson14.families import (
    STORED,
    SWITCHES,
    array,
    models,
    off,
    switches,
)
from attn_teach import CausalAttention


def difference(number, **parts):
    return off(number, **parts).max().item()


FOUND = {number: model for number, model in models().items() if model["parts"]}
(MYSTERY,) = models().keys() - FOUND.keys()


def test_the_command_makes_what_is_stored():
    pytest.importorskip("transformers")
    made = json.loads("".join(theirs.lines()))
    stored = json.loads(STORED.read_text("utf-8"))
    for one, other in zip(made, stored, strict=True):
        ours, wanted = (array(model.pop("output"), torch.float32) for model in (one, other))
        assert_same(ours, wanted, 5e-7 * wanted.abs().max().item())
    assert made == stored


def test_there_are_ten_to_find_and_all_settings_are_needed():
    assert len(FOUND) == 10 and MYSTERY == 11
    parts = [model["parts"] for model in FOUND.values()]
    assert len({tuple((p | {"base": 0}).items()) for p in parts}) == 10  # not by the base alone
    for switch, settings in SWITCHES.items():
        assert {p[switch] for p in parts} == {*settings}
    for number, model in FOUND.items():
        assert switches(number)["base"][0] == 1e4 and model["parts"]["base"] in model["bases"]


@pytest.mark.parametrize("number", FOUND)
def test_the_right_parts_give_the_output_and_one_wrong_one_does_not(number):
    right, scale = FOUND[number]["parts"], FOUND[number]["output"].abs().max().item()
    assert difference(number, **right) < 1e-5
    for switch, settings in switches(number).items():
        for setting in {*settings} - {right[switch]}:
            wrong = difference(number, **right | {switch: setting})
            if right["turned"] == 0 and switch in ("interleaved", "base"):
                assert wrong < 1e-5  # nothing is turned that they could change
            else:
                assert wrong > 0.05 * scale, switch


def every(number):
    """The differences of all settings of all switches that say something, and the settings."""
    names, settings = zip(*switches(number).items(), strict=True)
    for chosen in product(*settings):
        parts = dict(zip(names, chosen, strict=True))
        if parts["turned"] or (not parts["interleaved"] and parts["base"] == 1e4):
            yield difference(number, **parts), parts


@pytest.mark.long
@pytest.mark.parametrize("number", FOUND)
def test_no_other_parts_give_the_output(number):
    right, scale = FOUND[number]["parts"], FOUND[number]["output"].abs().max().item()
    if not right["turned"]:
        right = right | {"interleaved": False, "base": 1e4}
    found = list(every(number))
    assert len(found) == 3 * 2**3 * (3 * 2 * 2 + 1) * 2**2
    assert [parts for how_far, parts in found if how_far < 0.05 * scale] == [right]


def test_no_parts_give_the_output_of_the_last():
    scale = models()[MYSTERY]["output"].abs().max().item()
    assert min(how_far for how_far, _ in every(MYSTERY)) > 0.2 * scale


class NormsAfterTurning(CausalAttention):
    def project(self, queries, keys, values):
        norms, self.qk_norm = self.qk_norm, None
        try:
            return super().project(queries, keys, values)
        finally:
            self.qk_norm = norms

    def turn(self, q, k, positions):
        q, k = super().turn(q, k, positions)
        return self.q_norm(q), self.k_norm(k)


def test_the_last_norms_after_turning():
    assert difference(MYSTERY, made_by=NormsAfterTurning, qk_norm="head", interleaved=False) < 1e-5
