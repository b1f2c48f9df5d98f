"""Lesson 13's attentions keep their contract or break it, beside PyTorch's own."""

import pytest
import torch
import torch.nn.functional as F

from attn_lesson.lesson13 import RIGHT, drawn
from attn_lesson.lesson13.attentions import BROKEN, BROKEN_STEPS, RIGHT_STEPS, SLOPES, step_of


def inputs(dtype=torch.float32, times=1.0, empty=False, **sizes):
    queries, keys, values, mask = drawn(**sizes)
    if empty:
        mask[0, 0, 1] = False
    return *((x * times).to(dtype) for x in (queries, keys)), values.to(dtype), mask


KINDS = {
    "usual": (inputs(), 1e-6), "empty": (inputs(empty=True), 1e-6),
    "large": (inputs(times=8.0), 1e-4), "double": (inputs(torch.float64), 1e-14),
    "half": (inputs(torch.float16), 4e-3), "many": (inputs(n=9, m=40, d=64, v=5), 2e-6),
}  # fmt: skip


def off(attention, given):
    """How far output and weights are from PyTorch's own attention, in float64."""
    queries, keys, values, mask = given
    double = [x.double() for x in (queries, keys, values)]
    some = mask.any(-1, keepdim=True)
    output = F.scaled_dot_product_attention(*double, mask | ~some) * some
    eye = torch.eye(keys.shape[2], dtype=torch.float64).expand(*keys.shape[:2], -1, -1)
    weights = F.scaled_dot_product_attention(*double[:2], eye, mask | ~some) * some
    made = attention(*given)
    if any(x.dtype != queries.dtype for x in made) or made[0].shape != output.shape:
        return torch.inf
    pairs = zip(made, (output, weights), strict=True)
    return max((a.double() - b).abs().max().nan_to_num(nan=torch.inf).item() for a, b in pairs)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_one_is_pytorchs(name, kind):
    given, close = KINDS[kind]
    assert off(RIGHT[name], given) <= close
    rough = given[0].clone(), given[1].clone(), given[2].clone(), given[3].clone()
    RIGHT[name](*given)
    assert all(map(torch.equal, given, rough)), "it changes what it is given"


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_is_not(name):
    assert any(off(BROKEN[name], given) > 10 * close for given, close in KINDS.values())


@pytest.mark.parametrize("name", [*RIGHT, *SLOPES])
def test_gradients_alone_are_wrong_in_what_learns_wrongly(name):
    *given, mask = inputs()
    mine, pytorchs = ([x.clone().requires_grad_() for x in given] for _ in range(2))
    attention = (RIGHT | SLOPES)[name]
    assert off(attention, (*given, mask)) <= 1e-6
    attention(*mine, mask)[0].square().sum().backward()
    F.scaled_dot_product_attention(*pytorchs, mask).square().sum().backward()
    pairs = [(torch.zeros_like(a) if a.grad is None else a.grad, b.grad)
             for a, b in zip(mine, pytorchs, strict=True)]  # fmt: skip
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in pairs) == (name in RIGHT)


@pytest.mark.parametrize("name", [*RIGHT_STEPS, *BROKEN_STEPS])
def test_a_right_step_gives_causal_attention(name):
    step, worst = step_of(name), 0.0
    for seed in (0, 1):
        queries, keys, values, _ = drawn(n=20, m=20, seed=seed)
        cache, made = None, []
        for t in range(20):
            output, cache = step(*(x[:, :, t : t + 1] for x in (queries, keys, values)), cache)
            made.append(output)
        whole = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        off = (torch.cat(made, 2) - whole).abs().max().nan_to_num(nan=torch.inf)
        worst = max(worst, off.item())
    assert worst < 1e-6 if name in RIGHT_STEPS else worst > 0.1
