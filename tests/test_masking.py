"""Masks and masked softmax, against torch and the book."""

import pytest
import torch
from attentions import ROWS, floats, make, that_take
from attentions import given as arguments
from hypothesis import given
from hypothesis import strategies as st
from reference import assert_same, d2l, gradients, weighted

import attn_teach as at
from attn_teach import masking, multihead

DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def test_padding_mask():
    mask = at.padding_mask(torch.tensor([2, 0, 3, 9]), 4)
    assert mask.shape == (4, 1, 4)
    assert mask.sum(-1).tolist() == [[2], [0], [3], [4]]
    assert mask[0, 0].tolist() == [True, True, False, False]
    mask = at.padding_mask(torch.tensor([[1, 3], [2, 0]]), 3)
    assert mask.int().tolist() == [[[1, 0, 0], [1, 1, 1]], [[1, 1, 0], [0, 0, 0]]]
    assert at.padding_mask(None, 4) is None


@given(st.integers(1, 6), st.integers(1, 6))
def test_causal_mask_is_that_of_torch(n, m):
    query, key, value = torch.randn(1, n, 2), torch.randn(1, m, 2), torch.randn(1, m, 3)
    theirs = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    ours = at.scaled_dot_product_attention(query, key, value, mask=at.causal_mask(n, m))
    assert_same(ours, theirs)
    assert at.causal_mask(n, device="meta").shape == (n, n)


@pytest.mark.parametrize("value", [0, -5])
@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 2), (3, 4, 2, 5)])
def test_sequence_mask_is_the_book_s_but_pure(shape, value):
    X = torch.arange(1.0, 1 + torch.Size(shape).numel()).view(shape)
    before, lengths = X.clone(), torch.tensor([1, 4, 0])
    ours = at.sequence_mask(X, lengths, value)
    assert torch.equal(X, before)
    assert_same(ours, d2l.sequence_mask(X.clone(), lengths, value))
    integers = at.sequence_mask(X.long(), lengths, value)
    assert integers.dtype == torch.int64 and torch.equal(integers, ours.long())


@given(st.data())
def test_masked_softmax_is_that_of_torch(data):
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=4))
    dtype = data.draw(st.sampled_from(DTYPES))
    largest = float(torch.finfo(dtype).max)
    magnitude = data.draw(st.sampled_from([0, 1, 100, largest / 8]))
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 99)))
    scores = (torch.rand(sizes, generator=generator).to(dtype) - 0.5) * magnitude
    mask = torch.rand(sizes, generator=generator) < data.draw(st.sampled_from([0.1, 0.5, 1.0]))
    before = scores.clone()
    weights = at.masked_softmax(scores, mask=mask)
    assert weights.dtype == dtype and weights.shape == scores.shape
    assert torch.equal(scores, before)
    assert (weights[~mask] == 0).all(), "masked means masked"
    full = mask.any(-1)
    assert_same(weights.sum(-1), full.to(dtype), 2e-2 if dtype in DTYPES[:2] else 1e-5)
    flat = (tensor.view(-1, sizes[-1]) for tensor in (scores, mask, weights))
    for row, allowed, ours in zip(*flat, strict=True):
        if allowed.any():  # softmax over the allowed keys alone
            assert_same(ours[allowed], row[allowed].softmax(-1), 1e-2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_means_masked_at_every_magnitude(dtype):
    lowest = torch.finfo(dtype).min
    scores = torch.tensor([[lowest, lowest / 2, 0.0], [lowest, lowest, lowest]], dtype=dtype)
    mask = torch.tensor([[True, False, False], [True, False, True]])
    assert at.masked_softmax(scores, mask=mask).tolist() == [[1, 0, 0], [0.5, 0, 0.5]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_empty_row_is_zero_with_finite_gradients(dtype):
    """In anomaly mode, autograd refuses a NaN that a later step would have covered."""
    scores = torch.randn(2, 3, 4, dtype=dtype, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        weights = at.masked_softmax(scores, torch.tensor([0, 2]))
        gradient = gradients(weights, scores)[0]
    assert (weights[0] == 0).all() and (weights[1, :, :2] > 0).all()
    assert (gradient[0] == 0).all() and gradient.isfinite().all()
    assert gradient[1, :, :2].abs().max() > 0


def test_allowed_scores_of_minus_infinity_are_an_empty_row_too():
    scores = torch.tensor([[-torch.inf, 1.0], [2.0, -torch.inf]])
    mask = torch.tensor([[True, False], [True, True]])
    assert at.masked_softmax(scores, mask=mask).tolist() == [[0, 0], [1, 0]]
    nothing = torch.full((2, 3), -torch.inf, requires_grad=True)
    assert (weights := at.masked_softmax(nothing)).tolist() == [[0] * 3] * 2
    assert gradients(weights, nothing)[0].tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("wrong", [torch.nan, torch.inf])
def test_what_went_wrong_is_not_masked_away(wrong):
    """Of scores that diverged there are no weights that look right."""
    scores = torch.tensor([[1.0, wrong, 2.0], [1.0, 2.0, 3.0]])
    for mask in (None, torch.tensor([True, True, False])):
        weights = at.masked_softmax(scores, mask=mask)
        assert weights[0].isnan().any() and weights[1].isfinite().all()


@pytest.mark.parametrize("bits", ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32"])
def test_lengths_and_tokens_of_every_whole_dtype_say_the_same(bits):
    X, lengths, tokens = torch.randn(2, 3, 4), torch.tensor([0, 2]), torch.tensor([[1, 0, 1]] * 2)
    dtype = getattr(torch, bits)
    calls = [
        lambda lengths, tokens: at.padding_mask(lengths, 3),
        lambda lengths, tokens: at.padding_mask(lengths[:, None], 3),
        lambda lengths, tokens: at.masked_softmax(X, lengths),
        lambda lengths, tokens: at.sequence_mask(X, lengths),
        lambda lengths, tokens: at.sequence_mask(tokens, lengths, 7).long(),
        lambda lengths, tokens: at.scaled_dot_product_attention(X, X, X, tokens, tokens, None),
    ]
    for call in calls:
        assert torch.equal(call(lengths.to(dtype), tokens.to(dtype)), call(lengths, tokens))
    assert at.padding_mask(torch.tensor([torch.iinfo(dtype).max], dtype=dtype), 3).all()


def test_no_fused_kernel_is_asked_about_a_row_that_may_attend_to_nothing(monkeypatch):
    """What it answers is the processor's; here all answer 0."""
    asked, kernel = [], multihead.fused_attention

    def asks(q, k, v, attn_mask=None, **options):
        asked.append(attn_mask if attn_mask.dtype == torch.bool else attn_mask > -torch.inf)
        return kernel(q, k, v, attn_mask=attn_mask, **options)

    monkeypatch.setattr(multihead, "fused_attention", asks)
    for row in that_take("mask", "need_weights"):
        make(row)(**arguments(row) | {"need_weights": False})
    assert all(mask.any(-1).all() for mask in asked) and len(asked) >= 5


def test_the_book_fills_with_a_constant():
    """As lesson 03 says: below it, the masked keys get all of the weight."""
    scores = torch.tensor([[[-2e6, -2e6 - 1, 0, 0, 0, 0]]])
    assert d2l.masked_softmax(scores, torch.tensor([2]))[0, 0, 2:].sum() == 1


def test_lengths_and_mask_must_both_allow():
    scores = torch.randn(2, 3, 4, 5)
    valid_lens, mask = torch.tensor([3, 4]), at.causal_mask(4, 5)
    weights = at.masked_softmax(scores, valid_lens, mask)
    both = at.padding_mask(valid_lens, 5)[:, None] & mask
    assert torch.equal(weights > 0, both.expand(2, 3, 4, 5))
    per_query = at.masked_softmax(scores, torch.tensor([[1, 2, 3, 4], [5, 4, 3, 2]]))
    assert (per_query > 0).sum(-1)[:, 2].tolist() == [[1, 2, 3, 4], [5, 4, 3, 2]]


# Masked means masked, for every attention: in outputs, weights and gradients

READ = ("keys", "values", "key", "value", "memory")
HIDDEN = 2  # so many keys, the last ones, are masked
READERS = [row for row in ROWS if {*READ} & {*ROWS[row][2]} and row != "NWKernelRegression"]
AMONG_THEMSELVES = [row for row in that_take("X", "valid_lens") if row != "DecoderBlock"]
AMONG_THEMSELVES += [row for row in ROWS if row.startswith(("Causal", "Latent"))]


def hiding(name):
    """Arguments of this row in which the last keys are masked, and nothing else."""
    found = arguments(name)
    keys = found["X"] if name in AMONG_THEMSELVES else found[next(k for k in READ if k in found)]
    m = keys.shape[1]
    allowed = (torch.arange(m) < m - HIDDEN).expand(2, m)
    if "key_mask" in found:
        masks = {"key_mask": allowed, "query_mask": None, "mask": None}
    elif "mask" in found:
        masks = {"mask": allowed.unsqueeze(1), "valid_lens": None}
    else:
        masks = {"valid_lens": allowed.sum(1)}
    return {key: masks.get(key, value) for key, value in found.items()}


def all_that_is_felt(module, filled, names, number, counts=...):
    """Outputs and weights of the queries that count, and gradients, which must be finite."""
    leaves = {key: filled[key].clone() for key in floats(filled)}
    for key in names:
        leaves[key][:, -HIDDEN:] = number
    leaves = {key: leaf.requires_grad_() for key, leaf in leaves.items()}
    output = module(**filled | leaves)[counts]
    parts = [*leaves.values(), *module.parameters()]
    used = torch.autograd.grad(weighted(output), parts, allow_unused=True)
    found = [output, *(gradient for gradient in used if gradient is not None)]
    if (weights := getattr(module, "attention_weights", None)) is not None:
        found.append(weights[..., : None if counts is ... else -HIDDEN, :])
    assert all(tensor.isfinite().all() for tensor in found)
    return found


def assert_not_felt(module, filled, names, number, counts=...):
    """The number in the hidden rows of what is named, and 0.5 there, do the same."""
    found = all_that_is_felt(module, filled, names, number, counts)
    for ours, harmless in zip(
        found, all_that_is_felt(module, filled, names, 0.5, counts), strict=True
    ):
        assert_same(ours, harmless)


@pytest.mark.parametrize("number", [1e30, -1e30])
@pytest.mark.parametrize("name", READERS)
def test_masked_keys_and_values_are_not_felt(name, number):
    filled = hiding(name)
    for names in READ[::2], READ[1::2], READ:  # keys, values, both
        if named := [n for n in names if n in filled]:
            assert_not_felt(make(name), filled, named, number / (1e15 if "fused" in name else 1))


@pytest.mark.parametrize("number", [1e16, -1e16])
@pytest.mark.parametrize("name", AMONG_THEMSELVES)
def test_a_padding_token_is_not_felt(name, number):
    """It is query, key and value at once; what comes out for it may be anything."""
    assert_not_felt(make(name), hiding(name), ["X"], number, (slice(None), slice(-HIDDEN)))


def at_once(scores, values, mask):
    """As `MultiHeadAttention`, which overwrites scores of its own."""
    return multihead.softmax_in_place(scores * 1, mask) @ values


@pytest.mark.parametrize("attention", [lambda *given: at.attend(*given)[0], at_once])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_token_that_later_ones_read_is_not_felt_by_earlier_ones(attention, dtype):
    """Its value is so large that what the gradient is multiplied with is infinite."""
    scores = torch.randn(2, 4, 4, dtype=dtype, requires_grad=True)
    values = torch.randn(2, 4, 8, dtype=dtype)
    values[:, 3] = torch.finfo(dtype).max
    output = attention(scores, values, at.causal_mask(4))[:, :3]
    gradient = torch.autograd.grad(weighted(output), scores)[0]
    assert output.isfinite().all() and gradient.isfinite().all()
    assert not gradient[..., 3].any() and gradient[:, 1:3, :2].all()


@pytest.mark.parametrize("low", [0, 2.0**15])
@pytest.mark.parametrize("mask", [None, "causal", "of a wider batch", "with an empty row"])
def test_what_overwrites_scores_gives_the_same_weights(mask, low):
    scores = torch.randn(2, 4, 4) - low
    mask = {
        None: None, "causal": at.causal_mask(4), "of a wider batch": torch.rand(3, 2, 4, 4) < 0.7,
        "with an empty row": at.causal_mask(4).roll(1, -1),
    }[mask]  # fmt: skip
    for leaf in (scores, scores.clone().requires_grad_()):
        ours = multihead.softmax_in_place(leaf * 1, mask)
        assert_same(ours, masking.masked_softmax(scores, mask=mask))


@pytest.mark.parametrize("name", [row for row in READERS if "fused" not in row])
def test_a_masked_key_may_be_no_number_and_a_masked_value_may_not(name):
    filled, module = hiding(name), make(name)
    expected = module(**filled)
    for number in (torch.nan, torch.inf):
        changed = dict(filled)
        for key in {"keys", "key"} & {*filled}:
            changed[key] = filled[key].clone()
            changed[key][:, -HIDDEN:] = number
        assert_same(module(**changed), expected)
    for key in {"values", "value", "memory"} & {*filled}:
        changed[key] = filled[key].clone()
        changed[key][:, -HIDDEN:] = torch.nan
    assert module(**changed).isnan().any()


def test_masked_queries_and_scores_are_not_felt():
    filled = arguments("AttentionHead")
    real = torch.arange(5).expand(2, 5) < 5 - HIDDEN
    filled |= {"query_mask": real, "key_mask": None, "mask": None}
    assert_not_felt(make("AttentionHead"), filled, ["query"], 1e30)
    mask = torch.arange(4).expand(3, 4) < 2
    scores, values = torch.randn(3, 4), torch.randn(4, 5)
    for number in (torch.nan, torch.inf, -torch.inf, 3e38):
        leaf = scores.masked_fill(~mask, number).requires_grad_()
        output, _ = at.attend(leaf, values, mask)
        assert_same(output, at.attend(scores, values, mask)[0])
        assert torch.autograd.grad(weighted(output), leaf)[0].isfinite().all()
