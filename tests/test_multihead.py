"""Heads, against a list of them; test_attention has the book, test_transformer torch."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference import assert_same, gradients

import attn_teach as at


def inputs():
    torch.manual_seed(0)
    return [torch.randn(2, *size, requires_grad=True) for size in ((3, 5), (4, 6), (4, 7))]


@given(st.lists(st.integers(1, 3), max_size=2), *[st.integers(1, 4)] * 3)
def test_split_and_merge(leading, n, num_heads, head_dim):
    X = torch.randn(*leading, n, num_heads * head_dim)
    heads = at.split_heads(X, num_heads)
    assert heads.shape == (*leading, num_heads, n, head_dim)
    assert torch.equal(heads, torch.stack(X.split(head_dim, -1), -3))
    assert torch.equal(at.merge_heads(heads), X)


@pytest.mark.parametrize("bias", [False, True])
def test_the_list_of_heads_is_the_same(bias):
    X, Y = torch.randn(2, 3, 12, requires_grad=True), torch.randn(2, 4, 12, requires_grad=True)
    slow = at.PerHeadMultiHeadAttention(12, 3, bias=bias)
    fast = at.MultiHeadAttention(12, 12, 12, 12, 3, bias=bias)
    for name in ("W_q", "W_k", "W_v"):
        states = [getattr(head, name).state_dict() for head in slow.heads]
        joined = {key: torch.cat([state[key] for state in states]) for key in states[0]}
        getattr(fast, name).load_state_dict(joined)
    fast.W_o.load_state_dict(slow.W_o.state_dict())
    mask = at.causal_mask(3, 4)
    mine, other = slow(X, Y, Y, mask=mask), fast(X, Y, Y, mask=mask)
    assert_same(mine, other)
    assert_same(slow.attention_weights, fast.attention_weights)
    assert_same(gradients(mine, X, Y), gradients(other, X, Y), 1e-5)
    query_mask = torch.tensor([[1, 1, 0]]).expand(2, -1)  # as of a tokenizer
    key_mask = torch.tensor([[True, True, True, False], [True, False, False, False]])
    pairs = (query_mask[:, :, None] > 0) & key_mask[:, None]
    assert_same(slow(X, Y, Y, query_mask, key_mask), fast(X, Y, Y, mask=pairs))


SHAPES = [None, (4,), (3, 4), (1, 3, 4), (2, 3, 4), (2, 3, 3, 4), (2, 1, 1, 4)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("lengths", [None, [3, 4], [0, 2], [[0, 1, 2], [3, 4, 1]]])
def test_masks_of_every_shape_with_the_fused_kernel_and_without(shape, lengths):
    queries, keys, values = inputs()
    attention = at.MultiHeadAttention(6, 5, 7, 12, 3, bias=True)
    valid_lens = None if lengths is None else torch.tensor(lengths)
    mask = None if shape is None else torch.rand(shape) < 0.6
    slow = attention(queries, keys, values, valid_lens, mask)
    both = torch.ones(2, 3, 3, 4, dtype=torch.bool)
    if mask is not None:
        both &= mask.unsqueeze(1) if mask.dim() == 3 else mask
    if lengths is not None:
        both &= (torch.arange(4) < valid_lens.view(2, -1, 1))[:, None]
    assert torch.equal(attention.attention_weights > 0, both)
    fast = attention(queries, keys, values, valid_lens, mask, need_weights=False)
    assert attention.attention_weights is None
    assert_same(fast, slow)
    leaves = queries, keys, values
    assert_same(gradients(slow, *leaves), gradients(fast, *leaves), 1e-5)


def test_one_sequence_without_a_batch():
    queries, keys, values = inputs()
    attention = at.MultiHeadAttention(6, 5, 7, 12, 3)
    mask = at.causal_mask(3, 4)
    batched = attention(queries, keys, values, mask=mask)
    assert_same(attention(queries[1], keys[1], values[1], mask=mask), batched[1])


@pytest.mark.parametrize("need_weights", [False, True])
def test_causal_self_attention_of_one_sequence(need_weights):
    """The other one, of an encoder block, test_transformer holds against torch."""
    X, lens, mask = torch.randn(2, 5, 12), torch.tensor([3, 5]), torch.rand(2, 5, 5) < 0.8
    ours = at.SelfAttention(12, 3, causal=True, bias=True).eval()
    output = ours(X, lens, mask, need_weights)
    assert_same(output, ours.attention(X, X, X, lens, mask & at.causal_mask(5)))
