"""Positions: the formula in plain Python, the book, and published rotary and ALiBi values."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference import assert_same, gradients

import attn_teach as at


def exact_angles(positions, size, base=10000.0):
    return np.outer(positions, base ** (-np.arange(0, size, 2) / size))


@pytest.mark.parametrize("num_hiddens", [1, 6, 7, 64])
def test_the_table_is_the_formula_rounded_once_whatever_its_dtype_was_before(num_hiddens):
    encoding = at.PositionalEncoding(num_hiddens, max_len=2000)
    assert encoding.P.shape == (1, 2000, num_hiddens)
    assert at.PositionalEncoding(num_hiddens).P.shape == (1, 1000, num_hiddens)
    angles = exact_angles(np.arange(2000), num_hiddens)
    for bits in ("float32", "bfloat16", "float32", "float16", "float64"):
        table, dtype = encoding.to(getattr(torch, bits)).P[0], getattr(torch, bits)
        assert table.dtype == dtype
        for start, wave in enumerate((np.sin, np.cos)):
            column = table[:, start::2].double().numpy()
            off = np.abs(column - wave(angles)[:, : column.shape[1]]).max(initial=0)
            assert off < max(0.503 * torch.finfo(dtype).eps, 1e-12)


@pytest.mark.parametrize("assign", [True, False])
def test_a_table_made_without_numbers_gets_them(assign):
    def model():
        return torch.nn.Sequential(torch.nn.Linear(6, 6), at.PositionalEncoding(6, max_len=9))

    with torch.device("meta"):
        made, held = model(), model()
    usual, X = model(), torch.randn(3, 5, 6)
    if not assign:
        made.to_empty(device="cpu")
    made.load_state_dict(usual.state_dict(), assign=assign)
    assert torch.equal(made(X), usual(X)) and torch.equal(made[1].P, usual[1].P)
    assert held(X.to("meta")).is_meta and held[1].P.is_meta


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("kind", [at.PositionalEncoding, at.LearnedPositionalEncoding])
def test_the_position_is_added_in_the_dtype_of_the_input(kind, dtype):
    encoding, X = kind(6, max_len=9), torch.randn(3, 5, 6, dtype=dtype)
    expected = X + encoding.P[0, :5].to(dtype)
    assert torch.equal(encoding(X), expected)
    assert torch.equal(encoding(X[0]), expected[0])


def test_learned_positions_learn():
    encoding = at.LearnedPositionalEncoding(6, max_len=9)
    gradient = gradients(encoding(torch.randn(3, 5, 6)), encoding.P)[0]
    assert (gradient[0, :5] != 0).all() and (gradient[0, 5:] == 0).all()
    assert 0.01 < encoding.P.std() < 0.03


@given(st.integers(-50, 50), st.integers(1, 8).map(lambda n: 2 * n))
def test_the_offset_is_a_rotation(delta, num_hiddens):
    table = at.PositionalEncoding(num_hiddens, max_len=120).P[0]
    rotation = at.offset_rotation(delta, num_hiddens)
    assert_same(table[55:65] @ rotation.T, table[55 + delta : 65 + delta], 1e-5)
    assert_same(rotation @ rotation.T, torch.eye(num_hiddens), 1e-6)


DIGITS = [(torch.bfloat16, 4e-3), (torch.float16, 5e-4), (torch.float32, 6e-8)]


@pytest.mark.parametrize(("dtype", "tolerance"), DIGITS)
def test_rotary_angles_are_exact_at_far_positions(dtype, tolerance):
    positions = torch.tensor([0, 3001, 70_001, 1_000_003])
    X = torch.tensor([1, 0] * 3, dtype=dtype).expand(4, 6)
    turned, angles = at.apply_rotary(X, positions).double(), exact_angles(positions.numpy(), 6)
    for start, wave in enumerate((np.cos, np.sin)):
        assert np.abs(turned[:, start::2].numpy() - wave(angles)).max() < tolerance


def test_rotary_positions_and_base():
    X = torch.randn(2, 3, 4, 6)
    assert_same(at.apply_rotary(X, torch.arange(4)), at.apply_rotary(X))
    shifted = at.apply_rotary(X, torch.tensor([[5, 6, 7, 8], [0, 1, 2, 3]]).unsqueeze(1))
    assert_same(shifted[1], at.apply_rotary(X)[1])
    assert_same(shifted[0], at.apply_rotary(X[0], torch.arange(5, 9)))
    assert_same(at.apply_rotary(X, torch.zeros(4)), X)
    for whole in (torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.int8, torch.int16):
        assert torch.equal(at.apply_rotary(X, torch.arange(4).to(whole)), at.apply_rotary(X))
    fast = at.apply_rotary(torch.tensor([[0.0, 0, 1, 0]]), torch.tensor([2]), base=100.0)
    assert_same(fast, torch.tensor([[0, 0, math.cos(0.2), math.sin(0.2)]]))


def test_alibi_slopes_are_the_paper_s():
    assert at.alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    assert_same(at.alibi_slopes(16), torch.tensor([2 ** (-h / 2) for h in range(1, 17)]))
    # The authors' code for 12 heads: those of 8, then every other one of 16.
    expected = [2.0**-h for h in range(1, 9)] + [2 ** (-h / 2) for h in (1, 3, 5, 7)]
    assert_same(at.alibi_slopes(12), torch.tensor(expected))
    assert at.alibi_slopes(1).tolist() == [2.0**-8]


def test_alibi_bias():
    bias = at.alibi_bias(2, 3, 4)
    assert bias.shape == (2, 3, 4)
    assert_same(bias[0] * -16, torch.tensor([[0.0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1]]))
    assert_same(bias[1], bias[0] / 16)
    assert torch.equal(at.alibi_bias(2, 1, 4, past=2), bias[:, 2:])  # with a cache of two keys
    # Bloom adds slope * key position, which a causal softmax cannot tell from ours.
    scores, mask = torch.randn(2, 4, 4), at.causal_mask(4)
    bloom = at.alibi_slopes(2).view(2, 1, 1) * torch.arange(4)
    ours = at.masked_softmax(scores + at.alibi_bias(2, 4, 4), mask=mask)
    assert_same(ours, at.masked_softmax(scores + bloom, mask=mask))
