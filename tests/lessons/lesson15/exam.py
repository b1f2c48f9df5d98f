"""What the rubrics of lesson 15 in classroom/EXAM.md say, computed."""

import torch
from rubrics import tensor

import attn_teach
from attn_lesson import lesson15


def agrees_with_recall(row, name):
    """Whether a row has what lesson 15's design keeps and recalls, after few steps and many."""
    task, seeds = "24 pairs, rewritten", lesson15.runs()
    steps = lesson15.SHORT, lesson15.LONG
    means = [sum(seeds[task, name, n]["recall"]) / 3 for n in steps]
    exact = tensor([lesson15.kept(lesson15.DESIGNS[name], 60), *means])
    return ((exact - row).abs() < 0.0051).all()


def state_after(a, b, beta):
    """A state's two numbers after each of 2 under a, 5 under b, and 3 under a: (writings, 2)."""
    keys, values = torch.stack((a, b, a)).expand(2, 3, 2), tensor([[2], [5], [3]]).expand(2, 3, 1)
    asks, betas = torch.eye(2).double()[:, None].expand(2, 3, 2), tensor([1, 1, beta]).expand(2, 3)
    return attn_teach.delta_rule(asks, keys, values, betas)[..., 0].T


def hybrid(layers, full, state):
    """Millions of numbers that are kept if each fourth layer keeps `full`, the others a state."""
    return (layers // 4 * full + 3 * layers // 4 * state) / 1e6


FIGURES = """
15.1 | windows[1] - latent[1] | latent[2] - windows[2] | windows[2] - windows[1] |
    windows[0] / latent[0] | full[0] / latent[0] | full[0] / windows[0] | full[0] / delta[0]
15.2 | state_after(a, b, 1.0)[1] | state_after(a, b, 0.5)[2] | a @ state_after(a, b, 0.5)[2] |
    b @ state_after(a, b, 0.5)[2] | a @ (5 * a + 5 * b) | a @ state_after(a, b, 1.0)[2] |
    b @ state_after(a, b, 1.0)[2]
15.3 | r + t | heads * (d + t + v) | heads * (d + t + v) / (r + t) | 2 * r + t | d + t + v
15.4 | read_window(q, K, V, 2) | mended.read_window(q, K, V, 2)
15.5 | h * s * s | h * s * s / (2 * kv * d) | hybrid(layers, n * 2 * kv * d, h * s * s) |
    layers * n * 2 * kv * d / 1e6 | 12 / layers |
    hybrid(layers, (w - 1) * 2 * kv * d, h * s * s)
"""

TRUE = """
15.1 | all(agrees_with_recall(row, name) for row, name in ((full, 'four heads of keys'),
    (latent, 'latent of 8'), (windows, 'windows of 16'), (delta, 'delta rule')))
15.2 | allclose(a @ (5 * a + 5 * b), b @ (5 * a + 5 * b))
15.4 | allclose(mended.read_window(q, K, V, 2), softmax(K[1:] @ q) @ V[1:])
    and allclose(read_window(q, K, V, 3), softmax(K @ q) @ V)
15.5 | hybrid(layers, 512 * 2 * kv * d, h * s * s) * 1e6 == layers * 512 * 2 * kv * d
"""
