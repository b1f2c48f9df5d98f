"""The page "Which model is it?": the code it shows is `CausalAttention`'s; and what it says."""

import itertools
import json

import torch
from reference import assert_same

from tools.site import documents, which
from tools.site.site import PARTS

families = which.families
EVERY = [
    dict(zip(which.SETTINGS, setting, strict=True))
    for setting in itertools.product(*which.SETTINGS.values())
]


@torch.no_grad()
def test_the_code_computes_what_causal_attention_does_with_all_settings():
    assert len(EVERY) == 1152
    for place, chosen in enumerate(EVERY):
        number = 1 + place % 11
        parts, X = families.parts(number, **chosen), families.models()[number]["tokens"]
        layer = families.layer(families.models()[number]["numbers"], **parts)
        given = {name.removesuffix(".weight"): value for name, value in layer.state_dict().items()}
        given |= {name.replace("W_", "b_").removesuffix(".bias"): v for name, v in given.items()}
        given |= {f"w_{name[0]}": v for name, v in given.items() if name.endswith("_norm")}
        code = which.listing(chosen, parts["base"])
        exec(code, made := {**given, "torch": torch})
        assert_same(made["attention"](X[0]), layer(X)[0], 2e-5)


def test_a_line_appears_with_its_switch_and_fits_a_screen():
    plain = {switch: settings[0] for switch, settings in which.SETTINGS.items()}
    before = which.listing(plain, 1e4).splitlines()
    assert 18 <= len(before) <= 24
    for switch, settings in which.SETTINGS.items():
        for setting in settings[1:]:
            base = 1e6 if switch == "base" else 1e4
            assert which.listing(plain | {switch: setting}, base).splitlines() != before
    for chosen in EVERY:
        assert max(map(len, which.listing(chosen, 1e6).splitlines())) <= 66


def test_what_is_said_of_a_model_is_its_row_and_the_sources_of_its_parts():
    cited = documents.sources(which.LESSON)
    assert any("transformers 5.24" in source for source in cited)
    numbers = json.loads(which.numbers(PARTS.found).partition(" = ")[2].removesuffix(";\n"))
    assert len(json.dumps(numbers)) < 12_000 * len(families.models())
    for number, model in families.models().items():
        told = numbers["models"][number - 1]["told"]
        if model["parts"] is None:
            assert not told and not numbers["models"][number - 1]["name"]
            continue
        right = which.choices(number)
        assert families.parts(number, **right) == model["parts"]
        assert f"<strong>{model['name']}</strong>" in told
        assert ("Longformer" in told) is right["window"]
        assert ("Query-Key" in told) is (right["qk_norm"] != "none")
        assert f"<dd>{model['parts']['base']:,.0f}</dd>" in told
