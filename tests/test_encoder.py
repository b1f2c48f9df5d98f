"""The encoder block: equal to torch's, which has the same parts under other names."""

import pytest
import torch
from reference import assert_same, d2l, gradients
from torch import nn

from attn_teach import EncoderBlock

X = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(0))


def torch_and_ours(bias=True, eps=1e-5, dropout=0.0):
    """torch's layer with random LayerNorms too, and our block with its numbers."""
    theirs = nn.TransformerEncoderLayer(
        12, 3, 7, dropout, "gelu", eps, batch_first=True, norm_first=False, bias=bias
    )
    ours = EncoderBlock(12, 3, 7, dropout, bias, eps)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.copy_(torch.randn_like(parameter) / 3)
        for i, name in enumerate(("W_q", "W_k", "W_v")):
            linear = getattr(ours.attention.attention, name)
            linear.weight.copy_(theirs.self_attn.in_proj_weight[12 * i : 12 * i + 12])
            if bias:
                linear.bias.copy_(theirs.self_attn.in_proj_bias[12 * i : 12 * i + 12])
    ours.attention.attention.W_o.load_state_dict(theirs.self_attn.out_proj.state_dict())
    pairs = {"linear1": "W_1", "linear2": "W_2", "norm1": "norm_1", "norm2": "norm_2"}
    for other, mine in pairs.items():
        getattr(ours, mine).load_state_dict(getattr(theirs, other).state_dict())
    return theirs, ours


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(("bias", "eps"), [(True, 1e-5), (False, 1e-5), (True, 0.1)])
def test_it_is_the_encoder_layer_of_torch(bias, eps, need_weights):
    torch.manual_seed(1)
    theirs, ours = torch_and_ours(bias, eps)
    x = X.clone().requires_grad_()
    lens = torch.tensor([3, 5])
    padding = torch.arange(5) >= lens[:, None]  # torch: True = ignore
    mine = ours(x, lens, need_weights=need_weights)
    other = theirs(x, src_key_padding_mask=padding)
    assert_same(mine, other, 2e-6)
    parts = (x, ours.W_1.weight, ours.W_2.weight, ours.norm_1.weight, ours.norm_2.weight)
    names = ("linear1", "linear2", "norm1", "norm2")
    others = (x, *(getattr(theirs, name).weight for name in names))
    for a, b in zip(gradients(mine, *parts), gradients(other, *others), strict=True):
        assert_same(a, b, 2e-5)


def test_a_mask_goes_to_the_attention():
    torch.manual_seed(2)
    theirs, ours = torch_and_ours()
    allowed = torch.rand(5, 5) < 0.5
    allowed |= torch.eye(5, dtype=torch.bool)
    assert_same(ours(X, mask=allowed), theirs(X, src_mask=~allowed), 2e-6)


def test_weights_are_those_of_its_attention():
    block = EncoderBlock(12, 3, 7)
    block(X, torch.tensor([3, 5]))
    assert block.attention_weights.shape == (2, 3, 5, 5)
    assert not block.attention_weights[0, :, :, 3:].any()
    assert_same(block.attention_weights.sum(-1), torch.ones(2, 3, 5))
    block(X, need_weights=False)
    assert block.attention_weights is None


def test_dropout_acts_in_training_only():
    torch.manual_seed(3)
    theirs, ours = torch_and_ours(dropout=0.5)
    ours.eval(), theirs.eval()
    assert_same(ours(X), theirs(X), 2e-6)
    ours.train(), theirs.train()
    assert (ours(X) - ours(X)).abs().max() > 0.1
    ours.attention.attention.dropout.p = theirs.self_attn.dropout = 0.0  # drawn in another order
    for seed in range(3):
        results = [(torch.manual_seed(seed), layer(X[:1]))[1] for layer in (theirs, ours)]
        assert_same(*results, 2e-6)
    ours.dropout.p = ours.attention.attention.dropout.p = 1.0  # both parts add nothing
    assert_same(ours(X), ours.norm_2(ours.norm_1(X)))


def test_with_relu_it_is_the_book_s_block():
    theirs = d2l.EncoderBlock(12, 12, 12, 12, [12], 12, 7, 3, 0.0, use_bias=True).eval()
    ours = EncoderBlock(12, 3, 7)
    for name in ("W_q", "W_k", "W_v", "W_o"):
        state = getattr(theirs.attention, name).state_dict()
        getattr(ours.attention.attention, name).load_state_dict(state)
    ours.W_1.load_state_dict(theirs.ffn.dense1.state_dict())
    ours.W_2.load_state_dict(theirs.ffn.dense2.state_dict())
    ours.gelu = nn.ReLU()
    lens = torch.tensor([3, 5])
    assert_same(ours(X, lens), theirs(X, lens), 2e-6)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: EncoderBlock(10, 3, 7), ValueError, "divisible"),
        (lambda: EncoderBlock(12, 3, 0), ValueError, "ffn_hiddens must be at least 1"),
        (lambda: EncoderBlock(12, 3, 7, 1.5), ValueError, "dropout must be a probability"),
        (lambda: EncoderBlock(12, 3, 7, eps=0), ValueError, "eps must be positive"),
        (lambda: EncoderBlock(12, 3, 7)(X[..., :7]), ValueError, "must have size 12"),
        (lambda: EncoderBlock(12, 3, 7)(X.int()), TypeError, "X must hold floating-point"),
        (
            lambda: EncoderBlock(12, 3, 7)(X, mask=torch.ones(5, 5)),
            TypeError,
            "mask must be a boolean",
        ),
        (lambda: EncoderBlock(12, 3, 7)(X, torch.tensor([3])), ValueError, "valid_lens"),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
