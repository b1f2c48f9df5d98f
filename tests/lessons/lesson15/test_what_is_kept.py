"""What models of lesson 15 keep of a text, and what is asked of them."""

import csv

import pytest
import torch
from reference import assert_same

from attn_lesson.lesson15 import designs as lesson
from attn_teach import CausalAttention, KVCache, attend, causal_mask, delta_rule, split_heads


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("name", [name for name in lesson.TASKS if "pairs" in name])
def test_a_memory_of_all_pairs_knows_all_answers(name):
    tokens, answers = lesson.TASKS[name](20, torch.Generator().manual_seed(3))
    pairs = int(name.split()[0])
    assert (answers[:, : 2 * pairs] == lesson.NONE).all()
    said = ShortMemory(1000)(tokens).argmax(-1)
    assert torch.equal(said[:, 2 * pairs :], answers[:, 2 * pairs :])
    for text in tokens:
        keys, asked = text[0 : 2 * pairs : 2].tolist(), text[2 * pairs :].tolist()
        assert len({*keys}) == pairs // (2 if "rewritten" in name else 1)
        assert sorted(asked) == sorted({*keys[-8:]} if "last 8" in name else {*keys})
    assert len({tuple(text[2 * pairs :].tolist()) for text in tokens}) == 20  # in any order


def test_what_is_counted():
    tokens, counted = lesson.TASKS["count"](5, torch.Generator().manual_seed(0))
    _, more = lesson.TASKS["compare"](5, torch.Generator().manual_seed(0))
    for text, count, which in zip(tokens.tolist(), counted.tolist(), more.tolist(), strict=True):
        for n in range(1, len(text) + 1):
            zeros, ones = text[:n].count(0), text[:n].count(1)
            assert count[n - 1] == min(zeros, 31)
            assert which[n - 1] == (lesson.NONE if zeros == ones else int(zeros > ones))


@pytest.mark.parametrize("beta", [None, draw(2, 3, 9).sigmoid()])
@pytest.mark.parametrize("decay", [None, draw(2, 3, 9, seed=1).sigmoid()])
def test_in_parallel_is_step_by_step(beta, decay):
    q, k, v = (draw(2, 3, 9, 4, seed=s).double() for s in (2, 3, 4))
    k = torch.nn.functional.normalize(k, dim=-1)
    still = 1.0
    if decay is not None:
        log = decay.log().cumsum(-1)
        still = (log[..., :, None] - log[..., None, :]).tril().exp().double()
    ours = lesson.in_parallel(q, k, v, None if beta is None else beta.double(), still)
    if beta is not None:
        wanted = delta_rule(q, k, v, beta.double(), None if decay is None else decay.double())
    else:
        S, read = torch.zeros(2, 3, 4, 4).double(), []
        for t in range(9):
            S = S if decay is None else decay[..., t, None, None] * S
            S = S + k[..., t, :, None] * v[..., t, None, :]
            read.append(q[..., t, None, :] @ S)
        wanted = torch.cat(read, -2)
    assert_same(ours, wanted, 1e-6)


@pytest.mark.parametrize(
    "options", [{}, {"window": 3}, {"top": 2}, {"window": 4, "top": 2}], ids=str
)
def test_a_layer_attends(options):
    layer, X = lesson.Mixer(**options), draw(2, 7, lesson.WIDTH)
    near = layer.nearby(X.mT)[..., :7].mT
    q, k, v = (split_heads(W(near), 4) for W in (layer.W_q, layer.W_k, layer.W_v))
    allowed = causal_mask(7)
    if window := options.get("window"):
        allowed = allowed & ~causal_mask(7).tril(-window)
    scores = q @ k.mT / 8**0.5
    if "top" in options:
        best = scores.masked_fill(~allowed, -torch.inf).topk(2, -1).indices
        allowed = allowed & torch.zeros(scores.shape).scatter(-1, best, 1).bool()
    heads, _ = attend(scores, v, allowed)
    wanted = layer.W_o(heads.transpose(1, 2).flatten(2))
    assert_same(layer(X)[0], wanted, 1e-5)


def test_a_state_and_a_latent_are_what_they_are_called():
    X = draw(2, 6, lesson.WIDTH)
    layer = lesson.Mixer(state="delta", decay=True)
    near = layer.nearby(X.mT)[..., :6].mT
    q, k, v = (split_heads(W(near), 4) for W in (layer.W_q, layer.W_k, layer.W_v))
    q, k = (torch.nn.functional.normalize(torch.nn.functional.silu(x), dim=-1) for x in (q, k))
    beta, decay = (W(near).sigmoid().mT for W in (layer.W_beta, layer.W_decay))
    wanted = layer.W_o(delta_rule(q, k, v, beta, decay).transpose(1, 2).flatten(2))
    assert_same(layer(X)[0], wanted, 1e-5)
    latent = lesson.Mixer(latent=5)
    z = latent.W_a(latent.nearby(X.mT)[..., :6].mT)
    assert z.shape == (2, 6, 5)
    _, (keys, _) = latent(X)
    assert_same(keys, split_heads(latent.W_k(z), 4), 1e-6)


def test_what_is_kept_is_what_a_cache_holds():
    for window in (None, 5):
        cache = KVCache()
        CausalAttention(32, 4, window=window)(draw(1, 20, 32), cache=cache)
        options = {"window": window} if window else {}
        assert lesson.kept([options], 20) == cache.nbytes // 4
    kept = lesson.kept
    assert kept([{"kv_heads": 1}], 20) * 4 == kept([{}], 20)
    assert kept([{"latent": 8}], 20) == 160
    assert kept([{"state": "sum"}], 20) == kept([{"state": "delta"}], 10**6) == 4 * 8 * 8
    assert kept([{}, {"shares": True}], 20) == kept([{}], 20)
    assert kept([{"window": 16}], 3) == kept([{}], 3)


def test_a_layer_that_shares_makes_no_keys_of_its_own():
    model = lesson.RecallModel([{}, {"shares": True}])
    tokens, _ = lesson.TASKS["8 pairs"](2, torch.Generator().manual_seed(0))
    model(tokens)[:, -1].sum().backward()
    first, second = model.layers
    assert first.W_k.weight.grad.any() and second.W_k.weight.grad is None


class ShortMemory(torch.nn.Module):
    """Knows a key's last value, if it stands no more than so many tokens back."""

    def __init__(self, reach):
        super().__init__()
        self.reach = reach

    def forward(self, tokens):
        scores = torch.zeros(*tokens.shape, lesson.KEYS)
        for scored, text in zip(scores, tokens.tolist(), strict=True):
            for t, key in enumerate(text):
                places = [i + 1 for i in range(0, t - 1) if text[i] == key and text[i + 1] >= 32]
                if places and t - places[-1] < self.reach:
                    scored[t, text[places[-1]] - lesson.KEYS] = 1
        return scores


@pytest.mark.parametrize("name", ["24 pairs", "24 pairs, rewritten"])
def test_recall_is_told_by_distance(name):
    task = lesson.TASKS[name]
    shares = lesson.recall_by_distance(ShortMemory(24), task, texts=100)
    assert shares[:2] == [1, 1] and max(shares[2:]) < 0.1
    assert lesson.recall(ShortMemory(1000), task, texts=100) == 1


def test_every_experiment_is_stored_with_each_seed():
    runs = lesson.runs()
    assert [*runs] == [*dict.fromkeys(lesson.EXPERIMENTS)]
    for (task, _, _), stored in runs.items():
        assert len(stored["recall"]) == len(stored["far"]) == lesson.SEEDS
        assert all(0 <= share <= 1 for share in stored["recall"])
        assert all(bool(far) == ("pairs" in task) for far in stored["far"])
    with (lesson.HERE / "runs.csv").open(encoding="utf-8") as lines:
        assert next(csv.reader(lines)) == [*lesson.COLUMNS]


def test_models_learn_what_their_memory_allows(monkeypatch):
    """In a few seconds: what sees two tokens back recalls nothing, what sees all recalls."""
    monkeypatch.setitem(lesson.TASKS, "4 pairs", lambda n, g: lesson.pairs_task(n, g, pairs=4))
    shares = {}
    for name in ("four heads of keys", "nearby"):
        monkeypatch.setitem(lesson.DESIGNS, "nearby", 2 * [{"window": 1}])
        *_, share, _ = lesson.run((("4 pairs", name, 250), 0))
        shares[name] = float(share)
    assert shares["four heads of keys"] > 0.9 and shares["nearby"] < 0.4, shares
