"""Score functions, against differences written out; test_attention has the book's and bilinear."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference import assert_same

import attn_teach as at


def pair(*leading, queries=3, keys=4, size=5, dtype=torch.float32):
    torch.manual_seed(0)
    return (
        torch.randn(*leading, queries, size, dtype=dtype),
        torch.randn(*leading, keys, size, dtype=dtype),
    )


@given(st.lists(st.integers(1, 3), max_size=3), *[st.integers(1, 6)] * 3)
def test_distance_scores_are_half_squared_distances(leading, n, m, size):
    queries, keys = pair(*leading, queries=n, keys=m, size=size, dtype=torch.float64)
    differences = queries.unsqueeze(-2) - keys.unsqueeze(-3)
    assert_same(at.distance_scores(queries, keys), -differences.square().sum(-1) / 2, 1e-12)


def test_distance_scores_far_from_the_origin():
    queries, keys = pair(2)
    near = at.distance_scores(queries, keys)
    far = at.distance_scores(queries + 1000, keys + 1000)
    assert_same(far, near, 2e-3)
    many = 1000 + torch.randn(200, 3, dtype=torch.float64)  # no digit to spare
    assert (at.distance_scores(many, many) <= 0).all()


@pytest.mark.parametrize("padding", [1e4, 1e30, math.inf, math.nan])
def test_masked_keys_are_not_felt_by_distances(padding):
    queries, keys = pair(2)
    padded = keys.clone()
    padded[:, ::2] = padding
    scores, others = at.distance_scores(queries, keys), at.distance_scores(queries, padded)
    assert torch.equal(scores[..., 1::2], others[..., 1::2])


def test_distance_scores_never_hold_all_differences():
    class LargestTensor(torch.utils._python_dispatch.TorchDispatchMode):
        seen = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            self.seen = max(self.seen, result.numel())
            return result

    queries, keys = pair(2, queries=30, keys=40, size=50)
    with LargestTensor() as largest:
        at.distance_scores(queries, keys)
    assert largest.seen <= 2 * 40 * 50  # differences would be 2 * 30 * 40 * 50


@given(st.lists(st.integers(1, 3), max_size=3), *[st.integers(1, 6)] * 3)
def test_dot_product_scores(leading, n, m, size):
    queries, keys = pair(*leading, queries=n, keys=m, size=size, dtype=torch.float64)
    dots = (queries.unsqueeze(-2) * keys.unsqueeze(-3)).sum(-1)
    assert_same(at.dot_product_scores(queries, keys, scaled=False), dots, 1e-12)
    assert_same(at.dot_product_scores(queries, keys), dots / math.sqrt(size), 1e-12)
