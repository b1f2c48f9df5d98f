"""Masks and masked softmax, against torch and the book."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference import assert_same, d2l, gradients

import attn_teach as at

DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def test_padding_mask():
    mask = at.padding_mask(torch.tensor([2, 0, 3, 9]), 4)
    assert mask.shape == (4, 1, 4)
    assert mask.sum(-1).tolist() == [[2], [0], [3], [4]]
    assert mask[0, 0].tolist() == [True, True, False, False]
    mask = at.padding_mask(torch.tensor([[1, 3], [2, 0]]), 3)
    assert mask.int().tolist() == [[[1, 0, 0], [1, 1, 1]], [[1, 1, 0], [0, 0, 0]]]
    assert at.padding_mask(None, 4) is None


def test_causal_mask():
    assert at.causal_mask(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert at.causal_mask(2, 4).int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0]]
    assert at.causal_mask(3, 2).int().tolist() == [[1, 0], [1, 1], [1, 1]]
    assert at.causal_mask(2).dtype == torch.bool
    assert at.causal_mask(2, device="meta").device.type == "meta"


@given(st.integers(1, 6), st.integers(1, 6))
def test_causal_mask_is_that_of_torch(n, m):
    query, key, value = torch.randn(1, n, 2), torch.randn(1, m, 2), torch.randn(1, m, 3)
    theirs = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    ours = at.scaled_dot_product_attention(query, key, value, mask=at.causal_mask(n, m))
    assert_same(ours, theirs)


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


@pytest.mark.parametrize("lengths", [[2, 3], [[1, 3, 2, 4], [5, 2, 4, 3]], None])
def test_masked_softmax_is_the_book_s(lengths):
    torch.manual_seed(0)
    scores = torch.randn(2, 4, 5, requires_grad=True)
    valid_lens = None if lengths is None else torch.tensor(lengths)
    ours = at.masked_softmax(scores, valid_lens)
    # The book writes into its input, so it gets a copy.
    theirs = d2l.masked_softmax(scores * 1, valid_lens)
    assert_same(ours, theirs, 1e-7)
    assert_same(gradients(ours, scores)[0], gradients(theirs, scores)[0], 1e-7)


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
    for row, allowed, ours in zip(
        scores.view(-1, sizes[-1]),
        mask.view(-1, sizes[-1]),
        weights.view(-1, sizes[-1]),
        strict=True,
    ):
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
    scores = torch.randn(2, 3, 4, dtype=dtype, requires_grad=True)
    weights = at.masked_softmax(scores, torch.tensor([0, 2]))
    assert (weights[0] == 0).all() and (weights[1, :, :2] > 0).all()
    gradient = gradients(weights, scores)[0]
    assert (gradient[0] == 0).all() and gradient.isfinite().all()
    assert gradient[1, :, :2].abs().max() > 0


def test_no_nan_is_made_on_the_way():
    """In anomaly mode, autograd refuses a NaN that a later step would have covered."""
    scores = torch.randn(2, 3, 4, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        at.masked_softmax(scores, torch.tensor([0, 2])).square().sum().backward()


def test_allowed_scores_of_minus_infinity_are_an_empty_row_too():
    scores = torch.tensor([[-torch.inf, 1.0], [2.0, -torch.inf]])
    mask = torch.tensor([[True, False], [True, True]])
    assert at.masked_softmax(scores, mask=mask).tolist() == [[0, 0], [1, 0]]
    nothing = torch.full((2, 3), -torch.inf, requires_grad=True)
    assert (weights := at.masked_softmax(nothing)).tolist() == [[0] * 3] * 2
    assert gradients(weights, nothing)[0].tolist() == [[0] * 3] * 2


def test_an_empty_batch():
    assert at.masked_softmax(torch.rand(0, 4, 6), torch.zeros(0).long()).shape == (0, 4, 6)


def test_masked_scores_may_be_anything():
    scores = torch.tensor([[1.0, torch.nan, torch.inf]], requires_grad=True)
    weights = at.masked_softmax(scores, mask=torch.tensor([True, False, False]))
    assert weights.tolist() == [[1, 0, 0]]
    assert gradients(weights, scores)[0].tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("wrong", [torch.nan, torch.inf])
def test_what_went_wrong_is_not_masked_away(wrong):
    """Of scores that diverged there are no weights that look right."""
    scores = torch.tensor([[1.0, wrong, 2.0], [1.0, 2.0, 3.0]])
    for mask in (None, torch.tensor([True, True, False])):
        weights = at.masked_softmax(scores, mask=mask)
        assert weights[0].isnan().any() and weights[1].isfinite().all()


def test_lengths_and_mask_must_both_allow():
    scores = torch.randn(2, 3, 4, 5)
    valid_lens, mask = torch.tensor([3, 4]), at.causal_mask(4, 5)
    weights = at.masked_softmax(scores, valid_lens, mask)
    both = at.padding_mask(valid_lens, 5)[:, None] & mask
    assert torch.equal(weights > 0, both.expand(2, 3, 4, 5))
    per_query = at.masked_softmax(scores, torch.tensor([[1, 2, 3, 4], [5, 4, 3, 2]]))
    assert (per_query > 0).sum(-1)[:, 2].tolist() == [[1, 2, 3, 4], [5, 4, 3, 2]]


def test_gradients_agree_with_numerical_ones():
    scores = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    mask = torch.rand(3, 4) < 0.6
    torch.autograd.gradcheck(lambda s: at.masked_softmax(s, torch.tensor([0, 3]), mask), scores)


# Masked means masked, for every attention: in outputs, weights and gradients

GENERATOR = torch.Generator().manual_seed(0)
TOKENS, OTHERS = (torch.randn(2, n, 8, generator=GENERATOR) for n in (5, 3))
REAL = torch.tensor([[False, True, True, False, False], [True, True, False, True, True]])
PAST = torch.tensor([[True] * 4 + [False]] * 2)  # the last token is masked
PAIRS, LENS = {"mask": REAL.unsqueeze(1)}, {"valid_lens": PAST.sum(1)}
KEYS, FUSED = {"key_mask": REAL}, {"need_weights": False}
MULTI, DECODER = at.MultiHeadAttention(8, 8, 8, 8, 2, bias=True), at.DecoderBlock(8, 2, 12)
SELF, CAUSAL = at.SelfAttention(8, 2), at.SelfAttention(8, 2, causal=True, bias=True)
ENCODER, LANGUAGE = at.EncoderBlock(8, 2, 12), at.CausalBlock(8, 4, 12, 2)

# Who reads, how it is told which of five keys are real, and which these are.
READERS = {
    "function": (at.scaled_dot_product_attention, KEYS, REAL),
    "dot product": (at.DotProductAttention(), PAIRS, REAL),
    "distance": (at.DistanceAttention(), PAIRS, REAL),
    "additive": (at.AdditiveAttention(8, 8, 6), PAIRS, REAL),
    "bilinear": (at.BilinearAttention(8, 8), LENS, PAST),
    "head": (at.AttentionHead(8, 4, bias=True), KEYS, REAL),
    "list of heads": (at.PerHeadMultiHeadAttention(8, 2, bias=True), KEYS, REAL),
    "multi-head": (MULTI, PAIRS, REAL),
    "multi-head, lengths": (MULTI, LENS, PAST),
    "fused": (MULTI, PAIRS | FUSED, REAL),
}
# The same of tokens that read each other.
AMONG_THEMSELVES = {
    "self": (SELF, PAIRS, REAL),
    "self, fused": (SELF, LENS | FUSED, PAST),
    "encoder": (ENCODER, PAIRS, REAL),
    "encoder, fused": (ENCODER, PAIRS | FUSED, REAL),
    "causal": (CAUSAL, {}, PAST),
    "causal, fused": (CAUSAL, FUSED, PAST),
    "encoder, causal": (ENCODER, {"mask": at.causal_mask(5)}, PAST),
    "decoder": (DECODER, {"memory": OTHERS}, PAST),
    "language model": (LANGUAGE, {}, PAST),
    "language model, fused": (LANGUAGE, FUSED, PAST),
    "language model, masked": (LANGUAGE, PAIRS, REAL),
}
WILD = [1e30, -1e30, torch.inf, -torch.inf, torch.nan]


def all_that_is_felt(call, module, counts, *leaves):
    """Outputs and weights of the queries that count, and gradients, which must be finite."""
    output = call(*leaves)[counts]
    parameters = list(module.parameters()) if isinstance(module, torch.nn.Module) else []
    found = [output, *gradients(output, *leaves, *parameters)]
    if (weights := getattr(module, "attention_weights", None)) is not None:
        found.append(weights.movedim(-2, 1)[counts])
    assert all(tensor.isfinite().all() for tensor in found)
    return found


def assert_not_felt(number, hidden, names, call, module, counts, **inputs):
    """The number in the hidden rows of what is named, and 0.5 there, do the same."""
    both = []
    for each in (number, 0.5):
        leaves = [
            tensor.masked_fill(hidden.unsqueeze(-1), each) if name in names else tensor
            for name, tensor in inputs.items()
        ]
        leaves = [tensor.clone().requires_grad_() for tensor in leaves]
        both.append(all_that_is_felt(call, module, counts, *leaves))
    for ours, harmless in zip(*both, strict=True):
        assert_same(ours, harmless)


@pytest.mark.parametrize("number", [*WILD, 3e38])
@pytest.mark.parametrize("names", [["keys"], ["values"], ["keys", "values"]], ids="-".join)
@pytest.mark.parametrize("reader", READERS)
def test_masked_keys_and_values_are_not_felt(reader, names, number):
    module, options, real = READERS[reader]
    assert_not_felt(
        number, ~real, names, lambda *x: module(*x, **options), module, ...,
        queries=OTHERS, keys=TOKENS, values=TOKENS.flip(0),
    )  # fmt: skip


@pytest.mark.parametrize("number", WILD)
@pytest.mark.parametrize("reader", READERS | AMONG_THEMSELVES)
def test_a_padding_token_is_not_felt(reader, number):
    """It is query, key and value at once; what comes out for it may be anything."""
    module, options, real = (READERS | AMONG_THEMSELVES)[reader]
    times = 3 if reader in READERS else 1
    assert_not_felt(
        number, ~real, ["X"], lambda X: module(*[X] * times, **options), module, real, X=TOKENS
    )


@pytest.mark.parametrize("number", WILD)
def test_padding_of_the_memory_is_not_felt(number):
    def step_by_step(X, memory):
        cache = at.KVCache()
        steps = [DECODER(x, memory, LENS["valid_lens"], cache) for x in X.split(1, 1)]
        return torch.cat(steps, 1)

    for call in (step_by_step, lambda X, memory: DECODER(X, memory, **LENS)):
        assert_not_felt(number, ~PAST, ["memory"], call, DECODER, ..., X=OTHERS, memory=TOKENS)


@pytest.mark.parametrize("number", WILD)
def test_masked_scores_and_values_are_not_felt(number):
    assert_not_felt(
        number, ~REAL, ["scores", "values"],
        lambda scores, values: at.attend(scores.mT, values, **PAIRS)[0], None, ...,
        scores=TOKENS[..., :3], values=TOKENS,
    )  # fmt: skip


@pytest.mark.parametrize("number", WILD)
def test_masked_queries_are_not_felt(number):
    assert_not_felt(
        number, ~REAL, ["queries"],
        lambda *x: at.scaled_dot_product_attention(*x, query_mask=REAL), None, ...,
        queries=TOKENS, keys=OTHERS, values=OTHERS,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("place", "number"),
    [("keys", torch.inf), ("keys", torch.nan), ("values", -torch.inf), ("queries", torch.nan)],
)
@pytest.mark.parametrize("reader", READERS)
def test_who_may_attend_to_what_is_not_finite_is_told(reader, place, number):
    module, options, _ = READERS[reader]
    inputs = {name: TOKENS.clone() for name in ("queries", "keys", "values")}
    inputs[place][:, 2, 1] = number
    fused = {name: option for name, option in options.items() if name == "need_weights"}
    output = module(*inputs.values(), mask=at.causal_mask(5), **fused)
    rows = torch.arange(5) == 2 if place == "queries" else torch.arange(5) >= 2
    for result in (output, getattr(module, "attention_weights", None)):
        if result is not None:
            assert (result.isnan().all(-1) == rows).all() and (
                result.isfinite().any(-1) != rows
            ).all()
