"""The blocks are torch's, with other names for the parts; with a cache, what they are without."""

import copy
import json
import runpy
from pathlib import Path

import pytest
import torch
from reference import assert_same, d2l, gradients
from torch import nn

from attn_teach import CausalBlock, DecoderBlock, EncoderBlock, KVCache, causal_mask

GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(2, 5, 12, generator=GENERATOR)
MEMORY = torch.randn(2, 7, 12, generator=GENERATOR)
LENGTHS = torch.tensor([4, 7])


# The encoder's block


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
def test_encoder_it_is_the_encoder_layer_of_torch(bias, eps, need_weights):
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


def test_encoder_a_mask_goes_to_the_attention():
    torch.manual_seed(2)
    theirs, ours = torch_and_ours()
    allowed = torch.rand(5, 5) < 0.5
    allowed |= torch.eye(5, dtype=torch.bool)
    assert_same(ours(X, mask=allowed), theirs(X, src_mask=~allowed), 2e-6)


def test_encoder_weights_are_those_of_its_attention():
    block = EncoderBlock(12, 3, 7)
    block(X, torch.tensor([3, 5]))
    assert block.attention_weights.shape == (2, 3, 5, 5)
    assert not block.attention_weights[0, :, :, 3:].any()
    assert_same(block.attention_weights.sum(-1), torch.ones(2, 3, 5))
    block(X, need_weights=False)
    assert block.attention_weights is None


def test_encoder_dropout_acts_in_training_only():
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


def test_encoder_with_relu_it_is_the_book_s_block():
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


# The decoder's block, and its cache


def both(dropout=0.0):
    """Torch's layer and ours with the same weights."""
    torch.manual_seed(1)
    theirs = torch.nn.TransformerDecoderLayer(
        12, 3, 20, dropout, activation="gelu", batch_first=True
    )
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    ours = DecoderBlock(12, 3, 20, dropout)
    pairs = (ours.attention, theirs.self_attn), (ours.cross_attention, theirs.multihead_attn)
    with torch.no_grad():
        for mine, its in pairs:
            for i, linear in enumerate((mine.W_q, mine.W_k, mine.W_v)):
                linear.weight.copy_(its.in_proj_weight[12 * i : 12 * i + 12])
                linear.bias.copy_(its.in_proj_bias[12 * i : 12 * i + 12])
            mine.W_o.load_state_dict(its.out_proj.state_dict())
    for n in "123":
        getattr(ours, f"norm_{n}").load_state_dict(getattr(theirs, f"norm{n}").state_dict())
    ours.W_1.load_state_dict(theirs.linear1.state_dict())
    ours.W_2.load_state_dict(theirs.linear2.state_dict())
    return ours, theirs


@pytest.mark.parametrize("valid_lens", [None, LENGTHS])
def test_decoder_it_is_torch_s_decoder_layer_gradients_too(valid_lens):
    ours, theirs = both()
    padding = None if valid_lens is None else torch.arange(7) >= valid_lens[:, None]
    future = torch.nn.Transformer.generate_square_subsequent_mask(5).isinf()
    x, memory = X.clone().requires_grad_(), MEMORY.clone().requires_grad_()
    mine = ours(x, memory, valid_lens)
    other = theirs(x, memory, tgt_mask=future, memory_key_padding_mask=padding)
    assert_same(mine, other, 1e-5)
    for got, expected in zip(gradients(mine, x, memory), gradients(other, x, memory), strict=True):
        assert_same(got, expected, 1e-4)
    pairs = (
        (ours.attention.W_o.weight, theirs.self_attn.out_proj.weight),
        (ours.cross_attention.W_o.weight, theirs.multihead_attn.out_proj.weight),
        (ours.W_1.weight, theirs.linear1.weight),
        (ours.norm_2.weight, theirs.norm2.weight),
    )
    grads = gradients(ours(x, memory), *[a for a, _ in pairs])
    expected = gradients(theirs(x, memory, tgt_mask=future), *[b for _, b in pairs])
    for got, its in zip(grads, expected, strict=True):
        assert_same(got, its, 1e-4)


@pytest.mark.parametrize("pieces", [[1, 1, 1, 1, 1], [2, 1, 2], [5], [4, 1]])
@pytest.mark.parametrize("valid_lens", [None, LENGTHS])
def test_decoder_step_by_step_with_a_cache_is_all_at_once(pieces, valid_lens):
    ours = both()[0]
    cache = KVCache()
    steps = [ours(x, MEMORY, valid_lens, cache) for x in X.split(pieces, 1)]
    assert_same(torch.cat(steps, 1), ours(X, MEMORY, valid_lens), 1e-5)
    assert len(cache) == 5


def test_decoder_the_cache_projects_each_token_and_the_memory_once():
    ours, seen = both()[0], []
    for linear in (ours.attention.W_k, ours.cross_attention.W_k):
        linear.register_forward_hook(lambda _, given, __: seen.append(given[0].shape[1]))
    cache = KVCache()
    for x in X.split(1, 1):
        ours(x, MEMORY, None, cache)
    assert seen == [1, 7, 1, 1, 1, 1]
    assert cache.nbytes == 2 * 2 * 12 * (5 + 7) * 4
    assert [tuple(t.shape) for t in cache.tokens] == 2 * [(2, 3, 5, 4)]
    assert [tuple(t.shape) for t in cache.memory] == 2 * [(2, 3, 7, 4)]


def test_decoder_a_new_cache_is_empty():
    assert len(KVCache()) == 0 and KVCache().nbytes == 0


def test_decoder_a_cache_keeps_keys_and_values_apart_and_in_order():
    cache, keys, values = KVCache(), X[None], X[None] + 1
    cache.append(keys[..., :3, :], values[..., :3, :])
    for kept in (cache.append(keys[..., 3:, :], values[..., 3:, :]), cache.tokens):
        assert_same(kept[0], keys)
        assert_same(kept[1], values)


def test_decoder_no_token_sees_a_later_one():
    ours, changed = both()[0], X.clone()
    changed[:, 3] += 1
    moved = (ours(X, MEMORY) - ours(changed, MEMORY)).abs().amax((0, 2)) > 1e-6
    assert moved.tolist() == [False, False, False, True, True]
    ours.causal = False
    moved = (ours(X, MEMORY) - ours(changed, MEMORY)).abs().amax((0, 2)) > 1e-6
    assert moved.all()


def test_decoder_padding_of_the_memory_is_not_read():
    ours, changed = both()[0], MEMORY.clone()
    changed[0, 4:] += 100
    assert_same(ours(X, MEMORY, LENGTHS), ours(X, changed, LENGTHS))
    weights = ours.cross_attention.attention_weights
    assert weights.shape == (2, 3, 5, 7) and (weights[0, ..., 4:] == 0).all()
    assert ours(X, MEMORY, torch.tensor([0, 7])).isfinite().all()


def test_decoder_dropout_only_in_training():
    ours, theirs = both(0.5)
    assert not torch.equal(ours(X, MEMORY), ours(X, MEMORY))
    for attention in (ours.attention, ours.cross_attention):
        attention.dropout.p = 0.0  # drawn in another order
    theirs.self_attn.dropout = theirs.multihead_attn.dropout = 0.0
    mask = torch.nn.Transformer.generate_square_subsequent_mask(X.shape[1])
    for seed in range(3):
        torch.manual_seed(seed)
        mine = ours(X[:1], MEMORY[:1])
        torch.manual_seed(seed)
        assert_same(mine, theirs(X[:1], MEMORY[:1], tgt_mask=mask), 2e-6)
    assert torch.equal(ours.eval()(X, MEMORY), ours(X, MEMORY))


def test_decoder_without_bias_there_is_none():
    assert not [
        name for name, _ in DecoderBlock(12, 3, 20, bias=False).named_parameters() if "bias" in name
    ]


BLOCK, OTHER = DecoderBlock(12, 3, 20), DecoderBlock(12, 3, 20)
KEYS = torch.randn(2, 3, 2, 4, generator=GENERATOR)


def used():
    cache = KVCache()
    BLOCK(X, MEMORY, None, cache)
    return cache


@pytest.mark.parametrize(
    "refused",
    [
        lambda cache: OTHER(X, MEMORY, None, cache),
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


@pytest.mark.parametrize("cache", ["of another block", "of another memory"])
def test_a_cache_knows_the_objects_that_filled_it_not_their_numbers(cache):
    block, memory = (copy.deepcopy(BLOCK), MEMORY) if "block" in cache else (BLOCK, MEMORY.clone())
    with pytest.raises(ValueError, match="another block" if "block" in cache else "memory is not"):
        block(X, memory, None, used())


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_a_cache_works_without_gradients(mode):
    with mode():
        block, cache = DecoderBlock(12, 3, 20), KVCache()
        whole = block(X, MEMORY)
        steps = [block(x, MEMORY, None, cache) for x in X.split(1, 1)]
    assert_same(torch.cat(steps, 1), whole, 1e-5)


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy])
def test_a_copy_of_a_cache_goes_on_by_itself(copied):
    cache = used()
    twin = copied(cache)
    expected = BLOCK(X, MEMORY, None, cache)
    assert len(twin) == 5
    assert_same(BLOCK(X, MEMORY, None, twin), expected)


# The block of a language model


FOLDER = Path(__file__).with_name("reference")
LLAMA = runpy.run_path(str(FOLDER / "make_llama.py"))


def llama():
    """The block that make_llama.py made, as ours."""
    block = CausalBlock(**LLAMA["SIZES"], eps=LLAMA["EPS"], base=LLAMA["BASE"], interleaved=False)
    LLAMA["fill"](block, LLAMA["NAMES"].values())
    return block, LLAMA["numbers"](*LLAMA["SHAPE"], start=7)


@pytest.mark.parametrize("need_weights", [True, False])
def test_causal_block_is_llama_s(need_weights):
    stored = json.loads((FOLDER / "llama.json").read_text())
    block, x = llama()
    x.requires_grad_()
    output = block(x, need_weights=need_weights)
    assert_same(output.flatten(), torch.tensor(stored["output"]), 5e-6)
    (output * LLAMA["numbers"](*LLAMA["SHAPE"], start=99)).sum().backward()
    assert_same(x.grad.flatten(), torch.tensor(stored["gradient"]), 2e-5)


@pytest.mark.parametrize("pieces", [(1, 1, 1, 1, 1), (3, 2), (2, 1, 2)])
def test_causal_block_with_a_cache_says_what_it_says_without(pieces):
    block, x = llama()
    whole, weights = block(x), block.attention_weights
    cache, parts, seen = KVCache(), [], 0
    for piece in x.split(pieces, 1):
        parts.append(block(piece, cache=cache))
        seen += piece.shape[1]
        rows = weights[..., seen - piece.shape[1] : seen, :seen]
        assert_same(block.attention_weights, rows, 2e-6)
    assert_same(torch.cat(parts, 1), whole, 5e-6)
    assert len(cache) == 5 and cache.nbytes == 2 * 2 * 2 * 5 * 4 * 4  # two heads of six, of size 4


def test_causal_block_knows_distances_alone():
    block, x = llama()
    assert_same(block(x, torch.arange(100, 105)), block(x), 5e-5)
    assert (block(x, 2 * torch.arange(5)) - block(x)).abs().max() > 0.01


@pytest.mark.parametrize("need_weights", [True, False])
def test_causal_block_takes_a_mask_besides(need_weights):
    block, x = llama()
    window = ~causal_mask(5).tril(-2)  # itself and the token before
    whole = block(x, mask=window, need_weights=need_weights)
    hidden = x.clone()
    hidden[:, 0] = 1e3
    assert_same(block(hidden, mask=window, need_weights=need_weights)[:, 2:], whole[:, 2:])
    heads = torch.stack([window, torch.ones_like(window)] * 3).expand(2, 6, 5, 5)
    block(x, mask=heads)
    assert not block.attention_weights[:, ::2, 4, :3].any()
    assert block.attention_weights[:, 1::2, 4, :3].all()
    assert_same(block(x, mask=window.expand(2, 5, 5)), whole, 5e-6)
    assert not block.attention_weights.triu(1).any()  # the mask alone allows the future


def test_causal_block_s_cache_is_its_own():
    (block, x), cache = llama(), KVCache()
    block(x[:, :2], cache=cache)
    other = copy.deepcopy(block)
    with pytest.raises(ValueError, match="belongs to another block"):
        other(x[:, 2:], cache=cache)
    with pytest.raises(ValueError, match="column for each of the 5 keys, 2 of them in the cache"):
        block(x[:, 2:], cache=cache, mask=causal_mask(3))
    assert len(cache) == 2
    assert_same(block(x[:, 2:], cache=cache), block(x)[:, 2:], 5e-6)
