"""What is easily lost without anybody noticing: dropout's place, names, precision, tiny."""

import math
import re

import numpy as np
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


@pytest.mark.parametrize("encoding", [at.PositionalEncoding, at.LearnedPositionalEncoding])
def test_encodings_drop_what_they_add_to(encoding):
    module = encoding(8, dropout=0.3)
    module.dropout.register_forward_hook(lambda _, __, output: output * 0)
    assert not module(X).any()


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


@ALL
def test_vmap_does_what_a_loop_does(name):
    module = make(name)
    given = torch.rand(4, 2, 3, 8), torch.rand(4, 2, 5, 8), torch.rand(4, 2, 5, 3)
    masks = torch.rand(4, 2, 3, 5) > 0.5
    masks[1, 0, 2] = False
    expected = torch.stack([module(*a, mask=m) for *a, m in zip(*given, masks, strict=True)])
    found = torch.func.vmap(lambda q, k, v, m: module(q, k, v, mask=m))(*given, masks)
    torch.testing.assert_close(found, expected)


def test_vmap_over_scores_and_bandwidths_does_what_a_loop_does():
    scores, masks = torch.rand(4, 3, 5), torch.rand(4, 3, 5) > 0.5
    found = torch.func.vmap(lambda s, m: at.masked_softmax(s, mask=m))(scores, masks)
    torch.testing.assert_close(found, at.masked_softmax(scores, mask=masks))
    x, y, bandwidths = torch.rand(5), torch.rand(5), torch.tensor([0.1, 1.0])
    found = torch.func.vmap(lambda h: at.kernel_regression(x, x, y, h)[0])(bandwidths)
    expected = [at.kernel_regression(x, x, y, h)[0] for h in bandwidths]
    torch.testing.assert_close(found, torch.stack(expected))


@pytest.mark.parametrize(
    ("module", "names"),
    [
        (at.AdditiveScores(3, 4, 5), "W_k.weight W_q.weight w_v.weight"),
        (at.AdditiveAttention(3, 4, 5), "W_k.weight W_q.weight w_v.weight"),
        (at.BilinearAttention(3, 4), "W.weight"),
        (at.SelfAttention(4, 2, bias=True), "".join(
            f"attention.W_{part}.{kind} " for part in "koqv" for kind in ("bias", "weight"))),
        (
            at.PerHeadMultiHeadAttention(4, 1, bias=True),
            "W_o.bias W_o.weight heads.0.W_k.bias heads.0.W_k.weight heads.0.W_q.bias "
            "heads.0.W_q.weight heads.0.W_v.bias heads.0.W_v.weight",
        ),
        (at.MultiHeadAttention(3, 4, 5, 6, 2), "W_k.weight W_o.weight W_q.weight W_v.weight"),
        (at.PositionalEncoding(4), ""),
        (at.LearnedPositionalEncoding(4), "P"),
        (at.NWKernelRegression(), "w"),
    ],
)  # fmt: skip
def test_what_is_in_the_state_dict(module, names):
    assert sorted(module.state_dict()) == sorted(names.split())


def test_a_list_of_heads_holds_a_published_layer_with_biases():
    heads, layer = at.PerHeadMultiHeadAttention(8, 2, bias=True), torch.nn.MultiheadAttention(
        8, 2, batch_first=True
    )  # fmt: skip
    torch.nn.init.normal_(layer.in_proj_bias), torch.nn.init.normal_(layer.out_proj.bias)
    with torch.no_grad():
        for h, head in enumerate(heads.heads):
            for p, linear in enumerate((head.W_q, head.W_k, head.W_v)):
                rows = slice(8 * p + 4 * h, 8 * p + 4 * h + 4)
                linear.weight.copy_(layer.in_proj_weight[rows])
                linear.bias.copy_(layer.in_proj_bias[rows])
    heads.W_o.load_state_dict(layer.out_proj.state_dict())
    torch.testing.assert_close(heads(X, K, K), layer(X, K, K)[0])


def test_masks_of_each_head_hold_under_the_causal_mask():
    mask = torch.rand(2, 2, 3, 3) > 0.4
    layer = at.SelfAttention(8, 2, causal=True)
    layer(X, mask=mask)
    allowed = mask & torch.ones(3, 3, dtype=torch.bool).tril()
    assert torch.equal(layer.attention_weights > 0, allowed)


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


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.uint8])
def test_token_masks_of_a_tokenizer(dtype):
    real = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]).to(dtype)
    queries = torch.tensor([[1, 1, 0], [1, 0, 1]]).to(dtype)
    got = at.scaled_dot_product_attention(X, K, V, queries, real)
    pairs = queries.bool().unsqueeze(2) & real.bool().unsqueeze(1)
    torch.testing.assert_close(got, at.scaled_dot_product_attention(X, K, V, mask=pairs))
    head = at.AttentionHead(8, 4)
    torch.testing.assert_close(head(X, K, K, queries, real), head(X, K, K, mask=pairs))


def exact_angles(positions, size, base=10000.0):
    return np.outer(positions, base ** (-np.arange(0, size, 2) / size))


def test_the_sine_table_is_rounded_once():
    P = at.PositionalEncoding(64, max_len=2000).P[0]
    angles = exact_angles(np.arange(2000), 64)
    for start, wave in enumerate((np.sin, np.cos)):
        assert np.abs(P[:, start::2].numpy() - wave(angles)).max() < 6e-8


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_rotary_angles_are_exact_at_far_positions(dtype):
    positions = torch.tensor([0, 3001, 70_001, 1_000_003])
    x = torch.zeros(4, 6, dtype=dtype)
    x[:, 0::2] = 1
    turned = at.apply_rotary(x, positions)
    angles = exact_angles(positions.numpy(), 6)
    tolerance = {torch.float16: 5e-4, torch.float32: 6e-8}[dtype]
    assert np.abs(turned[:, 0::2].double().numpy() - np.cos(angles)).max() < tolerance
    assert np.abs(turned[:, 1::2].double().numpy() - np.sin(angles)).max() < tolerance


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
    angles = exact_angles([3], 6)[0]
    assert np.abs(made[0].diagonal()[0::2].numpy() - np.cos(angles)).max() < 1e-15
    assert made[1][0].item() == 2 ** (-8 / 4)


def test_the_smallest():
    one = torch.rand(1, 1, 4)
    for module in (at.DotProductAttention(), at.AdditiveAttention(4, 4, 1)):
        torch.testing.assert_close(module(one, one, one), one)
        assert module.attention_weights.item() == 1
    layer = at.MultiHeadAttention(4, 4, 4, 4, 4)  # one feature in each head
    torch.testing.assert_close(layer(one, one, one), layer.W_o(layer.W_v(one)))
    point = torch.tensor([2.0])
    for kernel in ("gaussian", "boxcar", "triangular", "epanechnikov"):
        assert at.kernel_regression(point, point, 3 * point, 1.0, kernel)[0].item() == 6
    keys, values = at.leave_one_out(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    assert keys.tolist() == [[2], [1]] and values.tolist() == [[4], [3]]


def test_limits_may_be_met_exactly():
    for encoding in (at.PositionalEncoding(8, max_len=3), at.LearnedPositionalEncoding(8, 0, 3)):
        assert encoding(X).shape == X.shape
    for p in (0, 1, 0.0, 1.0):
        at.DotProductAttention(p)
    assert at.alibi_slopes(1).tolist() == [2**-8]
    x = torch.tensor([0.0, 1.0]).double()  # float32 would round this bandwidth to zero
    assert at.kernel_regression(x, x, x, 1e-50)[0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (at.kernel_regression, [(4, 3), (5, 1), (5,)]),
        (at.kernel_regression, [(4,), (5,), (1,)]),
        (at.leave_one_out_error, [(4,), (1,), (1,)]),
        (at.distance_scores, [(2, 4, 3), (2, 5, 1)]),
        (at.attend, [(2, 4, 5), (2, 1, 3)]),
        (at.NWKernelRegression(), [(4,), (4, 5), (4, 1)]),
    ],
)
def test_a_size_of_one_is_not_stretched(function, shapes):
    with pytest.raises(ValueError, match=r"with|row|dotted"):
        function(*(torch.ones(shape) for shape in shapes))


def test_an_attribute_of_a_subclass_is_no_size():
    class Mine(at.DotProductAttention):
        n = m = d = v = batch = 7

    torch.testing.assert_close(Mine()(X, K, V), at.DotProductAttention()(X, K, V))


@pytest.mark.parametrize("name", ["scores first", "queries first"])
def test_the_axis_that_an_error_proposes_is_the_one_that_helps(name):
    scores, one = torch.rand(2, 4), torch.rand(4)
    call = {
        "scores first": lambda a: at.attend(scores, a),
        "queries first": lambda a: at.dot_product_scores(a, torch.rand(3, 4)),
    }[name]
    with pytest.raises(ValueError) as error:
        call(one)
    axis = re.search(r"unsqueeze\((\d)\)", str(error.value))[1]
    call(one.unsqueeze(int(axis)))
