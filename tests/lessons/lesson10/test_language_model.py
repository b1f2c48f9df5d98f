"""Thirty of our blocks with published weights are the published language model.

tests/reference/make_smollm.py says where the numbers come from.
"""

import json

import pytest
import torch

from attn_lesson import lesson10
from attn_lesson.lesson10 import heads
from attn_lesson.lesson10 import model as source
from attn_teach import KVCache
from tools.lessons import ROOT

EXPECTED = json.loads((ROOT / "tests" / "reference" / "smollm.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def loaded():
    file = lesson10.published_model()
    if file is None:
        pytest.skip("the published language model is not installed (make model)")
    return lesson10.load(file)


@pytest.fixture(scope="module")
def model(loaded):
    return loaded[0]


@pytest.fixture(scope="module")
def ids():
    return torch.tensor([EXPECTED["ids"][1]])


def test_texts_become_the_published_tokens_and_texts_again(loaded):
    tokenizer = loaded[1]
    assert [tokenizer.encode(text).ids for text in EXPECTED["texts"]] == EXPECTED["ids"]
    for text, ids in zip(EXPECTED["texts"], EXPECTED["ids"], strict=True):
        assert tokenizer.decode(ids, skip_special_tokens=False) == text


def test_scores_are_those_of_the_published_model(model, ids):
    scores = model(ids)[0]
    torch.testing.assert_close(scores[:, :12], torch.tensor(EXPECTED["scores"]), atol=1e-3, rtol=0)
    assert scores.argmax(-1).tolist() == EXPECTED["best"]


def test_with_caches_it_writes_what_the_published_model_writes(model):
    written, caches = list(EXPECTED["ids"][0]), model.new_caches()
    new = written[:]
    while len(written) < len(EXPECTED["greedy"]):
        new = [model(torch.tensor([new]), caches)[0, -1].argmax().item()]
        written += new
    assert written == EXPECTED["greedy"]


@pytest.fixture(scope="module")
def small():
    """A model of the same make with numbers drawn by chance."""
    torch.manual_seed(0)
    block = {"num_heads": 4, "ffn_hiddens": 10, "num_kv_heads": 2, "base": 100.0, "eps": 1e-3}
    return source.LanguageModel(11, 8, 3, block, 1e-3)


@pytest.mark.parametrize(
    "arguments, error, told",
    [
        ({"ids": [[3, 1]]}, TypeError, "ids must be a tensor of integers"),
        ({"ids": torch.tensor([3, 1])}, ValueError, r"ids must have shape \(batch, n\)"),
        ({"caches": KVCache()}, TypeError, r"caches must be a list as model.new_caches\(\) makes"),
        ({"caches": 4 * [KVCache()]}, ValueError, "caches must hold 3, one for each block, got 4"),
    ],
)
def test_what_it_cannot_read_is_refused_by_name(small, arguments, error, told):
    with pytest.raises(error, match=told):
        small(**{"ids": torch.tensor([[3, 1]])} | arguments)


def test_without_a_head_nothing_of_it_is_added_and_afterwards_all_is_as_before(small):
    ids = torch.tensor([[3, 1, 4, 1, 5]])
    before = {name: weight.clone() for name, weight in small.state_dict().items()}
    whole = small(ids)
    with small.without([(1, 2), (0, 3), (1, 2)]):
        assert not torch.allclose(small(ids), whole)
        for layer, head in ((1, 2), (0, 3)):
            W_o = small.blocks[layer].attention.W_o.weight
            silent = torch.zeros(8, dtype=torch.bool)
            silent[2 * head : 2 * head + 2] = True  # heads of 2 numbers
            assert (W_o[:, silent] == 0).all() and (W_o[:, ~silent] != 0).all()
    assert all(torch.equal(before[name], weight) for name, weight in small.state_dict().items())
    with pytest.raises(RuntimeError, match="stop"), small.without([(0, 0)]):
        raise RuntimeError("stop")
    assert torch.equal(small(ids), whole)


def test_caches_positions_and_masks_reach_every_block(small):
    ids = torch.tensor([[3, 1, 4, 1, 5]])
    caches = small.new_caches()
    assert [type(cache) for cache in caches] == [KVCache] * 3
    steps = torch.cat([small(ids[:, i : i + 1], caches) for i in range(5)], 1)
    torch.testing.assert_close(steps, small(ids))
    torch.testing.assert_close(small(ids, positions=torch.arange(5) + 70), small(ids))
    stretched = small(ids, positions=3 * torch.arange(5))
    assert (stretched - small(ids)).abs().max() > 1e-3
    alone = small(ids, mask=torch.eye(5, dtype=torch.bool))
    torch.testing.assert_close(alone[:, 2], small(ids[:, 2:3])[:, 0])
    small(ids, need_weights=True)
    assert all(block.attention_weights.shape == (1, 4, 5, 5) for block in small.blocks)
    with pytest.raises(ValueError, match="caches must hold 3, one for each block, got 2"):
        small(ids, caches[:2])


@pytest.mark.long
@pytest.mark.every
def test_the_table_of_heads_can_be_made_again(loaded):
    stored = (lesson10.HERE / "heads.csv").read_text("utf-8").splitlines()
    first, *rows = heads.rows(lesson10.published_model(), [(1, 5), (16, 0), (19, 8)])
    assert first == stored[0] and len(rows) == 4
    for row in rows:
        (kept,) = (line for line in stored if line.split(",")[:2] == row.split(",")[:2])
        for a, b in zip(kept.split(",")[2:], row.split(",")[2:], strict=True):
            assert abs(float(a) - float(b)) <= 0.011 or abs(float(a) - float(b)) <= 1 < float(a)
