"""The blocks are torch's, with other names for the parts; with a cache, what they are without."""

import contextlib
import copy

import pytest
import torch
from attentions import given, make, take_over, that_take
from reference import assert_same, gradients
from torch import nn

from attn_teach import (
    CausalAttention,
    CausalBlock,
    DecoderBlock,
    EncoderBlock,
    KVCache,
    MultiHeadAttention,
    causal_mask,
)

GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(2, 5, 12, generator=GENERATOR)
MEMORY = torch.randn(2, 7, 12, generator=GENERATOR)
LENGTHS = torch.tensor([4, 7])
FUTURE = ~causal_mask(5)


LAYERS = {
    "encoder": (nn.TransformerEncoderLayer, EncoderBlock),
    "decoder": (nn.TransformerDecoderLayer, DecoderBlock),
}


def pair(kind, dropout=0.0, bias=True, **eps):
    """Torch's layer with random numbers in all its parts, and our block with the same."""
    torch.manual_seed(1)
    layer, block = LAYERS[kind]
    named = {f"layer_norm_{key}": value for key, value in eps.items()}
    theirs = layer(12, 3, 20, dropout, "gelu", batch_first=True, bias=bias, **named)
    ours = block(12, 3, 20, dropout, bias, **eps)
    for parameter in theirs.parameters():
        nn.init.normal_(parameter, std=1 / 3)
    take_over(getattr(ours.attention, "attention", ours.attention), theirs.self_attn)
    if kind == "decoder":
        take_over(ours.cross_attention, theirs.multihead_attn)
    for mine, other in parts(ours, theirs):
        mine.load_state_dict(other.state_dict())
    return theirs, ours


def parts(ours, theirs):
    """The layers beside the attention, ours and torch's."""
    for name, layer in ours.named_children():
        other = name.replace("W_", "linear").replace("norm_", "norm")
        if isinstance(layer, nn.Linear | nn.LayerNorm):
            yield layer, getattr(theirs, other)


def assert_same_gradients(mine, other, blocks, *inputs):
    """For the inputs, and for the weights of the layers beside the attention."""
    weights = [(a.weight, b.weight) for a, b in parts(*blocks)]
    ours, theirs = zip(*weights, strict=True)
    assert_same(gradients(mine, *inputs, *ours), gradients(other, *inputs, *theirs), 1e-4)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize(("bias", "eps"), [(True, 1e-5), (False, 1e-5), (True, 0.1)])
def test_encoder_it_is_the_encoder_layer_of_torch(bias, eps, need_weights):
    theirs, ours = pair("encoder", bias=bias, eps=eps)
    x, lens = X.clone().requires_grad_(), torch.tensor([3, 5])
    allowed = torch.rand(5, 5) < 0.5
    allowed[:, 0] = True  # torch has NaN for a row without any
    mine = ours(x, lens, allowed, need_weights)
    assert (ours.attention_weights is not None) == need_weights
    padding = torch.arange(5) >= lens[:, None]  # torch: True = ignore
    other = theirs(x, src_mask=~allowed, src_key_padding_mask=padding)
    assert_same(mine, other, 2e-6)
    assert_same_gradients(mine, other, (ours, theirs), x)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("valid_lens", [None, LENGTHS])
def test_decoder_it_is_the_decoder_layer_of_torch(valid_lens, causal, bias):
    theirs, ours = pair("decoder", bias=bias)
    ours.causal = causal
    padding = None if valid_lens is None else torch.arange(7) >= valid_lens[:, None]
    x, memory = X.clone().requires_grad_(), MEMORY.clone().requires_grad_()
    mine = ours(x, memory, valid_lens)
    future = FUTURE if causal else None
    other = theirs(x, memory, tgt_mask=future, memory_key_padding_mask=padding)
    assert_same(mine, other, 1e-5)
    assert_same_gradients(mine, other, (ours, theirs), x, memory)


@pytest.mark.parametrize("kind", LAYERS)
def test_dropout_falls_where_that_of_torch_falls(kind):
    theirs, ours = pair(kind, dropout=0.5)
    for layer in [*ours.modules(), *theirs.modules()]:  # of weights, drawn in another order
        if isinstance(layer, MultiHeadAttention):
            layer.dropout.p = 0.0
        elif isinstance(layer, nn.MultiheadAttention):
            layer.dropout = 0.0
    x, memory = X[:1], MEMORY[:1]
    for seed in range(3):
        torch.manual_seed(seed)
        mine = ours(x) if kind == "encoder" else ours(x, memory)
        torch.manual_seed(seed)
        other = theirs(x) if kind == "encoder" else theirs(x, memory, tgt_mask=FUTURE)
        assert_same(mine, other, 2e-6)


# What a cache keeps


@pytest.mark.parametrize("mode", [contextlib.nullcontext, torch.inference_mode])
@pytest.mark.parametrize("pieces", [[1, 1, 1, 1, 1], [2, 1, 2], [4, 1]])
@pytest.mark.parametrize("valid_lens", [None, LENGTHS])
def test_decoder_step_by_step_with_a_cache_is_all_at_once(valid_lens, pieces, mode):
    ours, cache = pair("decoder")[1], KVCache()
    assert len(cache) == cache.nbytes == 0
    with mode():
        steps = [ours(x, MEMORY, valid_lens, cache) for x in X.split(pieces, 1)]
        assert_same(torch.cat(steps, 1), ours(X, MEMORY, valid_lens), 1e-5)
    assert len(cache) == 5


def test_decoder_the_cache_projects_each_token_and_the_memory_once():
    ours, seen = pair("decoder")[1], []
    for linear in (ours.attention.W_k, ours.cross_attention.W_k):
        linear.register_forward_hook(lambda _, given, __: seen.append(given[0].shape[1]))
    cache = KVCache()
    for x in X.split(1, 1):
        ours(x, MEMORY, None, cache)
    assert seen == [1, 7, 1, 1, 1, 1]
    assert cache.nbytes == 2 * 2 * 12 * (5 + 7) * 4
    assert [tuple(t.shape) for t in cache.tokens] == 2 * [(2, 3, 5, 4)]
    assert [tuple(t.shape) for t in cache.memory] == 2 * [(2, 3, 7, 4)]


BLOCK = DecoderBlock(12, 3, 20)
KEYS = torch.randn(2, 3, 2, 4, generator=GENERATOR)


def used():
    cache = KVCache()
    BLOCK(X, MEMORY, None, cache)
    return cache


@pytest.mark.parametrize(
    "refused",
    [
        lambda cache: copy.deepcopy(BLOCK)(X, MEMORY, None, cache),
        lambda cache: BLOCK(X, MEMORY.clone(), None, cache),
        lambda cache: BLOCK(X, MEMORY, torch.tensor([3]), cache),
        lambda cache: cache.append(KEYS[:1], KEYS[:1]),
    ],
)
def test_a_refused_call_leaves_the_cache_as_it_was(refused):
    cache, expected = used(), BLOCK(torch.cat((X, X), 1), MEMORY)[:, 5:]
    with pytest.raises(ValueError):
        refused(cache)
    assert_same(BLOCK(X, MEMORY, None, cache), expected)


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy])
def test_a_copy_of_a_cache_goes_on_by_itself(copied):
    cache = used()
    twin = copied(cache)
    expected = BLOCK(X, MEMORY, None, cache)
    assert len(twin) == 5
    assert_same(BLOCK(X, MEMORY, None, twin), expected)


def test_a_cache_whose_tokens_were_cut_asks_where_the_new_ones_stand():
    block, text = CausalBlock(12, 3, 20), torch.randn(2, 22, 12)
    cache = KVCache()
    block(text[:, :20], cache=cache)
    cache.tokens = tuple(tensor[..., -6:, :] for tensor in cache.tokens)
    assert len(cache) == 20 and cache.nbytes == 2 * 2 * 6 * 12 * 4
    words = r"positions must be given.* only 6 of the 20 .* first ones were cut, use .*\(20, 22\)"
    with pytest.raises(ValueError, match=words):
        block(text[:, 20:], cache=cache)
    new = block(text[:, 20:], torch.tensor([20, 21]), cache)
    assert_same(new, block(text, mask=torch.arange(22).expand(22, 22) >= 14)[:, 20:], 2e-6)
    assert len(cache) == 22


# The block of a language model; test_families holds it against those of published models


READ_ON = [row for row in that_take("cache", "positions") if "fused" not in row]


@pytest.mark.parametrize("pieces", [(1, 1, 1, 1, 1), (3, 2)])
@pytest.mark.parametrize("row", READ_ON)
def test_every_causal_attention_reads_on_from_a_cache(row, pieces):
    module, told = make(row), given(row)
    whole, weights = module(**told | {"positions": None}), module.attention_weights
    cache, parts, read = KVCache(), [], 0
    for piece in told["X"].split(pieces, 1):
        rows = slice(read, read := read + piece.shape[1])
        mask = told["mask"][:, rows, :read]
        parts.append(module(**told | {"X": piece, "positions": None, "cache": cache, "mask": mask}))
        kept = module.attention_weights
        assert_same(kept, weights[..., rows, :read][..., -kept.shape[-1] :], 2e-6)
    assert_same(torch.cat(parts, 1), whole, 5e-6)
    assert len(cache) == 5


def test_a_window_s_cache_holds_what_is_still_seen_and_no_more():
    module, text = CausalAttention(12, 3, window=16), torch.randn(1, 1000, 12)
    whole, cache, held = module(text), KVCache(), []
    for piece in text.split((700, 1, 90, 209), 1):
        read = module(piece, cache=cache)
        assert_same(read, whole[:, len(cache) - piece.shape[1] : len(cache)], 5e-6)
        held += [each.untyped_storage().nbytes() for each in cache.tokens]
    assert len(cache) == 1000 and cache.nbytes == 2 * 15 * 12 * 4
    assert {*held} == {15 * 12 * 4}, "nothing else is kept alive"
    cache.tokens = tuple(each[..., -9:, :] for each in cache.tokens)
    with pytest.raises(ValueError, match=r"positions must be given.* only 9 of the 1000 "):
        module(text[:, :1], cache=cache)
    only, cache = CausalAttention(12, 3, window=1), KVCache()  # each token reads itself
    parts = [only(piece, cache=cache) for piece in text[:, :4].split(1, 1)]
    assert_same(torch.cat(parts, 1), only(text[:, :4]), 5e-6)
    assert (len(cache), cache.nbytes) == (4, 0)


@pytest.mark.parametrize("norm", ["before", "after", "both"])
def test_a_block_that_fails_leaves_its_cache_as_it_was(norm):
    block, text, cache = CausalBlock(12, 3, 20, norm=norm), torch.randn(1, 4, 12), KVCache()
    block(text[:, :2], cache=cache)
    block.W_down, whole = None, block.W_down
    with pytest.raises(TypeError):
        block(text[:, 2:], cache=cache)
    block.W_down = whole
    assert_same(block(text[:, 2:], cache=cache), block(text)[:, 2:], 5e-6)


def test_one_column_of_a_mask_hides_all_keys_but_the_sink():
    module, cache = CausalAttention(12, 3, sink=True), KVCache()
    module(torch.randn(2, 4, 12), cache=cache)
    hidden = torch.tensor([True, False]).view(2, 1, 1)
    output = module(torch.randn(2, 1, 12), cache=cache, mask=hidden)
    assert output[0].all() and not output[1].any()
    assert module.attention_weights.sum(-1)[0].max() < 1 and len(cache) == 5


def test_a_block_s_base_can_be_set_afterwards():
    block, text = CausalBlock(12, 3, 20), torch.randn(1, 4, 12)
    before = block(text)
    block.base = 50.0
    assert block.attention.base == block.base == 50
    assert (block(text) - before).abs().max() > 1e-4
