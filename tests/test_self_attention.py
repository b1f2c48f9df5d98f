"""Self-attention: equal to its parts. (test_transformer holds it against torch.)"""

import pytest
import torch
from reference import assert_same

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


@pytest.mark.parametrize("training", [True, False])
def test_causal_means_causal(training):
    attention = at.SelfAttention(12, 3, causal=True).train(training)
    changed = X.clone()
    changed[:, 3] += 1
    moved = (attention(X) - attention(changed)).abs().amax((0, 2)) > 1e-6
    assert moved.tolist() == [False, False, False, True, True]
    assert_same(attention(X)[:, :2], attention(X[:, :2]))
