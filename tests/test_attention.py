"""attend() and the attention modules, against torch and the book."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference import assert_same, copy_parameters, d2l, gradients
from torch.nn.functional import scaled_dot_product_attention as torch_attention

import attn_teach as at

LENGTHS = [None, [2, 4], [[1, 2, 5], [3, 4, 1]]]  # batch 2, queries 3, keys 5


def inputs(query_size=4, key_size=4, value_size=6, dtype=torch.float32):
    torch.manual_seed(0)
    shapes = (2, 3, query_size), (2, 5, key_size), (2, 5, value_size)
    return [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]


@given(st.lists(st.integers(1, 3), max_size=3), *[st.integers(1, 5)] * 4, st.booleans())
def test_dot_product_attention_is_that_of_torch(leading, n, m, size, v_size, masked):
    query, key, value = (
        torch.randn(*leading, *shape, requires_grad=True)
        for shape in ((n, size), (m, size), (m, v_size))
    )
    mask = torch.rand(*leading, n, m) < 0.5 if masked else None
    ours = at.scaled_dot_product_attention(query, key, value, mask=mask)
    theirs = torch_attention(query, key, value, attn_mask=mask)
    assert_same(ours, theirs, 1e-5)
    leaves = query, key, value
    assert_same(gradients(ours, *leaves), gradients(theirs, *leaves), 1e-4)


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.uint8])
def test_query_and_key_masks(dtype):
    """Those of a tokenizer are numbers, 0 and 1."""
    query, key, value = inputs()
    query_mask = torch.tensor([[True, False, True], [False, True, True]])
    key_mask = torch.tensor([[True, True, False, True, False], [False, True, True, True, True]])
    pairs = query_mask[:, :, None] & key_mask[:, None, :]
    causal, query_mask, key_mask = at.causal_mask(3, 5), query_mask.to(dtype), key_mask.to(dtype)
    ours = at.scaled_dot_product_attention(query, key, value, query_mask, key_mask, causal)
    assert_same(ours, torch_attention(query, key, value, attn_mask=pairs & causal))
    assert (ours[0, 1] == 0).all() and (ours[1, 0] == 0).all()
    ours = at.scaled_dot_product_attention(query, key, value, key_mask=key_mask)
    assert_same(ours, torch_attention(query, key, value, attn_mask=key_mask[:, None] > 0))
    ours = at.scaled_dot_product_attention(query, key, value, None)  # by its place
    assert_same(ours, torch_attention(query, key, value))
    # Heads between batch and queries share the masks; without a batch they have one axis.
    heads = [t.unsqueeze(1).expand(-1, 7, -1, -1) for t in (query, key, value)]
    ours = at.scaled_dot_product_attention(*heads, query_mask, key_mask)
    assert_same(ours, torch_attention(*heads, attn_mask=pairs[:, None]))
    ours = at.scaled_dot_product_attention(query[0], key[0], value[0], query_mask[0], key_mask[0])
    assert_same(ours, torch_attention(query[0], key[0], value[0], attn_mask=pairs[0]))


HEADS = "MultiHeadAttention", [3, 4, 6, 12, 3, 0.0]
BOOK = [("DotProductAttention", [0.0]), ("AdditiveAttention", [3, 4, 7, 0.0]), HEADS]
BOOK += [(HEADS[0], [*HEADS[1], True])]  # with biases


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize(("kind", "arguments"), BOOK)
def test_modules_are_the_book_s(kind, arguments, lengths):
    queries, keys, values = inputs(4, 4 if kind == "DotProductAttention" else 3)
    ours, theirs = getattr(at, kind)(*arguments), getattr(d2l, kind)(*arguments)
    copy_parameters(theirs, ours)
    valid_lens = None if lengths is None else torch.tensor(lengths)
    mine, other = ours(queries, keys, values, valid_lens), theirs(queries, keys, values, valid_lens)
    assert_same(mine, other)
    weights = getattr(theirs, "attention", theirs).attention_weights  # heads are in its batch
    assert_same(ours.attention_weights, weights.view(ours.attention_weights.shape))
    leaves, names = (queries, keys, values), [name for name, _ in ours.named_parameters()]
    expected = gradients(other, *leaves, *map(theirs.get_parameter, names))
    assert_same(gradients(mine, *leaves, *ours.parameters()), expected, 1e-5)


def test_distance_attention_is_gaussian_regression():
    queries, keys, values = inputs(dtype=torch.float64)
    ours = at.DistanceAttention()(queries, keys, values)
    for b in range(2):
        theirs, _ = at.kernel_regression(queries[b], keys[b], values[b], bandwidth=1.0)
        assert_same(ours[b], theirs, 1e-12)


def test_bilinear_attention_by_hand():
    queries, keys, values = inputs(4, 3)
    attention = at.BilinearAttention(3, 4)
    mask = at.causal_mask(3, 5)
    output = attention(queries, keys, values, torch.tensor([2, 5]), mask)
    scores = torch.einsum("bqi,ij,bkj->bqk", queries, attention.W.weight, keys)
    allowed = mask & (torch.arange(5) < torch.tensor([2, 5])[:, None])[:, None]
    weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)
    assert_same(attention.attention_weights, weights)
    assert_same(output, weights @ values)
