"""Self-attention: equal to its parts, and to torch."""

import pytest
import torch
from reference import assert_same, gradients

import attn_teach as at

X = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("need_weights", [False, True])
def test_it_is_multi_head_attention_of_one_sequence(causal, need_weights):
    ours = at.SelfAttention(12, 3, causal=causal, bias=True)
    valid_lens, mask = torch.tensor([3, 5]), torch.rand(2, 5, 5) < 0.8
    output = ours(X, valid_lens, mask, need_weights)
    both = mask & at.causal_mask(5) if causal else mask
    assert_same(output, ours.attention(X, X, X, valid_lens, both))
    if need_weights:
        ours(X, valid_lens, mask)
        assert ours.attention_weights.shape == (2, 3, 5, 5)


def test_it_is_the_encoder_layer_s_attention_of_torch():
    theirs = torch.nn.TransformerEncoderLayer(12, 3, 7, dropout=0.0, batch_first=True).self_attn
    ours = at.SelfAttention(12, 3, causal=True, bias=True)
    with torch.no_grad():
        for i, name in enumerate(("W_q", "W_k", "W_v")):
            linear = getattr(ours.attention, name)
            linear.weight.copy_(theirs.in_proj_weight[12 * i : 12 * i + 12])
            linear.bias.copy_(theirs.in_proj_bias[12 * i : 12 * i + 12])
        ours.attention.W_o.load_state_dict(theirs.out_proj.state_dict())
    x = X.clone().requires_grad_()
    mask = torch.nn.Transformer.generate_square_subsequent_mask(5)
    mine, other = ours(x), theirs(x, x, x, attn_mask=mask, is_causal=True)[0]
    assert_same(mine, other)
    assert_same(gradients(mine, x)[0], gradients(other, x)[0], 1e-5)


@pytest.mark.parametrize("training", [True, False])
def test_causal_means_causal(training):
    attention = at.SelfAttention(12, 3, causal=True).train(training)
    changed = X.clone()
    changed[:, 3] += 1
    moved = (attention(X) - attention(changed)).abs().amax((0, 2)) > 1e-6
    assert moved.tolist() == [False, False, False, True, True]
    assert_same(attention(X)[:, :2], attention(X[:, :2]))


def test_without_causal_a_permutation_carries_through():
    attention = at.SelfAttention(12, 3)
    order = torch.tensor([3, 0, 4, 1, 2])
    assert_same(attention(X[:, order]), attention(X)[:, order])
