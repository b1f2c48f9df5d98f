"""What is easily lost without anybody noticing: dropout's place, names, precision, tiny."""

import math

import pytest
import torch
from attentions import make, that_take

import attn_teach as at
from attn_teach import multihead

X, K, V = torch.rand(2, 3, 8), torch.rand(2, 5, 8), torch.rand(2, 5, 3)
READERS = [name for name in that_take("queries", "valid_lens") if "fused" not in name]
ALL = pytest.mark.parametrize("name", READERS)


@ALL
def test_dropout_falls_on_the_weights(name):
    module, seen = make(name, dropout=0.3), []
    module.dropout.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0]))
    module.dropout.register_forward_hook(lambda _, __, output: output * 0)
    dropped = module(X, K, V)
    bias = getattr(getattr(module, "W_o", None), "bias", None)
    assert torch.equal(dropped, torch.zeros_like(dropped) + (0 if bias is None else bias))
    assert torch.equal(seen[0], module.attention_weights), "the weights are kept before dropout"


def test_the_fused_function_drops_in_training_only(monkeypatch):
    asked = []
    fused = multihead.fused_attention

    def listen(*args, dropout_p, **kwargs):
        asked.append(dropout_p)
        return fused(*args, dropout_p=dropout_p, **kwargs)

    monkeypatch.setattr(multihead, "fused_attention", listen)
    module = make("MultiHeadAttention", dropout=0.3)
    for lens in (None, torch.tensor([2, 5])):
        module.train()(X, K, V, lens, need_weights=False)
        module.eval()(X, K, V, lens, need_weights=False)
    assert asked == [0.3, 0.0, 0.3, 0.0]


@ALL
def test_a_query_that_is_not_a_number_spoils_its_own_output_only(name):
    queries = X.clone()
    queries[0, 1, 2] = math.nan
    spoiled = make(name)(queries, K, V).isnan()
    assert spoiled[0, 1].all() and spoiled.sum() == spoiled[0, 1].numel()


@ALL
@pytest.mark.parametrize("shared", [(0,), (1, 2), (0, 1), (0, 2)])
def test_a_batch_may_share_queries_keys_or_values(name, shared):
    """Only the lengths tell its sequences apart where two of the three are shared."""
    module, lens = make(name), torch.tensor([2, 5])
    given = [a[:1] if place in shared else a for place, a in enumerate((X, K, V))]
    expected = module(*(a.expand(2, -1, -1) for a in given), lens)
    torch.testing.assert_close(module(*given, lens), expected)
    if name in that_take("need_weights"):
        torch.testing.assert_close(module(*given, lens, need_weights=False), expected)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("AdditiveAttention", "W_k.weight W_q.weight w_v.weight"),
        ("BilinearAttention", "W.weight"),
        ("grouped", "W_k.weight W_o.weight W_q.weight W_v.weight"),
        ("causal", " ".join(f"attention.W_{p}.{k}" for p in "koqv" for k in ("bias", "weight"))),
        ("PositionalEncoding", ""),
        ("LearnedPositionalEncoding", "P"),
        ("NWKernelRegression", "w"),
    ],
)
def test_what_is_in_the_state_dict(name, parameters):
    assert sorted(make(name).state_dict()) == sorted(parameters.split())


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_mask_of_another_batch_is_no_mask_of_the_heads(batch, need_weights):
    """Two sequences of masks, two heads: each batch of another size is refused."""
    module, mask = at.MultiHeadAttention(4, 4, 4, 8, 2), torch.ones(2, 3, 5) > 0
    queries, keys = torch.rand(batch, 3, 4), torch.rand(batch, 5, 4)
    with pytest.raises(ValueError, match=r"mask of shape \(2, 3, 5\) must broadcast to the scores"):
        module(queries, keys, keys, mask=mask, need_weights=need_weights)
    with pytest.raises(ValueError, match="mask of shape"):
        at.SelfAttention(8, 2)(torch.rand(batch, 3, 8), mask=mask[:, :, :3])
    module(queries, keys, keys, mask=mask.expand(batch, 2, 3, 5), need_weights=need_weights)


def test_what_has_no_input_follows_the_default_dtype():
    torch.set_default_dtype(torch.float64)
    try:
        made = [
            at.offset_rotation(3, 6), at.alibi_slopes(6), at.alibi_bias(2, 3, 4),
            at.PositionalEncoding(6).P, at.LearnedPositionalEncoding(6).P,
            at.NWKernelRegression().w,
        ]  # fmt: skip
    finally:
        torch.set_default_dtype(torch.float32)
    assert {a.dtype for a in made} == {torch.float64}
    assert abs(made[0][0, 0].item() - math.cos(3)) < 1e-15
    assert made[1][0].item() == 2 ** (-8 / 4)


def test_limits_may_be_met_exactly():
    one = torch.rand(1, 1, 4)
    for module in (at.DotProductAttention(), at.AdditiveAttention(4, 4, 1)):
        torch.testing.assert_close(module(one, one, one), one)
    for encoding in (at.PositionalEncoding(8, max_len=3), at.LearnedPositionalEncoding(8, 0, 3)):
        assert encoding(X).shape == X.shape
    for p in (0, 1, 0.0, 1.0):
        at.DotProductAttention(p)
    x = torch.tensor([0.0, 1.0]).double()  # float32 would round this bandwidth to zero
    assert at.kernel_regression(x, x, x, 1e-50)[0].tolist() == [0, 1]


def test_an_attribute_of_a_subclass_is_no_size():
    class Mine(at.DotProductAttention):
        n = m = d = v = batch = 7

    torch.testing.assert_close(Mine()(X, K, V), at.DotProductAttention()(X, K, V))
