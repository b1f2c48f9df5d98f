"""Lesson 11: weights carried to other layouts and back.

That Keras computes the same with them, the lesson itself shows.
"""

import pytest
import torch

from attn_lesson import lesson11
from attn_lesson.lesson11 import exercises
from attn_teach import MultiHeadAttention

HEADS, WIDTH = 3, 12


@pytest.fixture
def ours():
    torch.manual_seed(0)
    module = MultiHeadAttention(WIDTH, WIDTH, WIDTH, WIDTH, HEADS, bias=True)
    return module.requires_grad_(False)


@pytest.mark.parametrize("layout", lesson11.LAYOUTS)
def test_weights_come_back_as_they_went(layout, ours):
    weights = ours.state_dict()
    there = lesson11.from_ours(layout, weights, HEADS)
    assert sum(map(torch.numel, there.values())) == sum(map(torch.numel, weights.values()))
    back = lesson11.to_ours(layout, there, HEADS)
    assert set(back) == set(weights)
    assert all(torch.equal(back[name], weights[name]) for name in weights)


def test_in_the_layout_of_torch_its_module_computes_the_same(ours):
    module = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    module.load_state_dict(lesson11.from_ours("torch", ours.state_dict(), HEADS))
    inputs = [torch.randn(2, n, WIDTH) for n in (5, 7, 7)]
    torch.testing.assert_close(module(*inputs)[0], ours(*inputs))


def without(weights, name):
    return {key: value for key, value in weights.items() if key != name}


def test_what_does_not_fit_is_named(ours):
    weights = ours.state_dict()
    keras = lesson11.from_ours("keras", weights, HEADS)
    turned = keras | {"key/kernel": keras["key/kernel"].mT}
    calls = {
        r"key/kernel must have shape \(12, 3, 4\) .*; got \(12, 4, 3\)": ("keras", turned, HEADS),
        "query/kernel must have shape": ("keras", keras, 2),
        "cannot be cut into 5 heads": ("keras", keras, 5),
        "a weight query/bias, which is missing": ("keras", without(keras, "query/bias"), HEADS),
        "a weight attention_output/bias, which is missing": ("keras", weights, HEADS),
        "a weight more, which it does not know": ("keras", keras | {"more": turned}, HEADS),
        "one of torch, keras, bert, gpt2, got 'flax'": ("flax", keras, HEADS),
    }
    for told, call in calls.items():
        with pytest.raises(ValueError, match=told):
            lesson11.to_ours(*call)
    with pytest.raises(ValueError, match=r"W_q\.bias, which is missing"):
        lesson11.from_ours("torch", without(weights, "W_q.bias"), HEADS)


def test_the_stand_ins_of_turn_11_3_answer_as_the_libraries_do():
    lesson11.libraries()
    jax, keras = pytest.importorskip("jax"), pytest.importorskip("keras")
    layer, eye = keras.layers.MultiHeadAttention(1, 4, use_bias=False), torch.eye(4)
    layer.build((2, 3, 4), (2, 5, 4), (2, 5, 4))
    layer.set_weights([eye[:, None].numpy()] * 3 + [eye[None].numpy()])
    q, k, v = (torch.randn(2, n, 4, generator=torch.Generator().manual_seed(n)) for n in (3, 5, 6))
    v, mask = v[:, :5], torch.arange(5) < torch.tensor([[3], [5]])
    one, more = [X[:, :, None] for X in (q, k, v)], mask[:, None, None]
    calls = [
        lambda jax, keras: jax(*one, mask=more),
        lambda jax, keras: jax(*one, more),  # the bias
        lambda jax, keras: jax(*one, mask=more.float()),
        lambda jax, keras: jax(q, k, v, mask=more),
        lambda jax, keras: keras(q, v, k, attention_mask=mask[:, None]),
        lambda jax, keras: keras(q, k, v, attention_mask=mask[:, None]),
        lambda jax, keras: keras(q, v, k, key_mask=mask),
        lambda jax, keras: keras(q, v, k, attention_mask=mask),
    ]

    def answer(call, *libraries):
        try:
            return torch.tensor(call(*libraries).tolist())
        except (AssertionError, RuntimeError, TypeError, ValueError):
            return torch.tensor([])

    stand_ins = exercises.dot_product_attention, exercises.layer_of_keras
    for call in calls:
        real = answer(call, jax.nn.dot_product_attention, layer)
        torch.testing.assert_close(answer(call, *stand_ins), real, atol=1e-5, rtol=1e-5)
