"""What the rubrics of lesson 14 in classroom/EXAM.md say, computed."""

import torch
from rubrics import softmax, tensor
from torch import nn

import attn_teach
from attn_lesson import lesson14, lesson15


def mean_loss(name):
    """The mean loss of five models of lesson 14, by their name."""
    return sum(lesson14.runs()[name]["loss"]) / 5


def agrees_with_runs(row, name):
    """Whether a row has the mean losses at three rates, and at the last the largest score."""
    names = [f"{name}, rate {rate}" for rate in lesson14.HIGH]
    exact = tensor([*map(mean_loss, names), max(lesson14.runs()[names[-1]]["score"])])
    return ((exact - row).abs() < tensor([0.0051, 0.0051, 0.0051, 0.51])).all()


def beside(scores, sink):
    """The weights of rows beside a sink."""
    return softmax(torch.cat((scores, torch.full_like(scores[..., :1], sink)), -1))[..., :-1]


def held(n, window):
    """How many tokens a layer with a window holds after n of them."""
    return lesson15.kept([{"window": window}], n) // lesson15.kept([{}], 1)


def first_wrong(theirs, ours):
    """The first token that comes out otherwise from layers whose parts differ, and all after it."""
    made = [attn_teach.CausalAttention(16, 2, **parts).double() for parts in (ours, theirs)]
    for parameter in made[1].parameters():  # biases and sinks begin at 0
        nn.init.normal_(parameter, std=0.3)
    numbers = made[1].state_dict()
    made[0].load_state_dict({name: numbers[name] for name in made[0].state_dict()})
    X = torch.randn(1, 12, 16).double()
    off = (made[0](X) - made[1](X)).abs().amax((0, 2)) > 1e-9
    assert off[off.nonzero()[0, 0] :].all()
    return off.nonzero()[0, 0].item()


def causal_values(attend_with_sink):
    """A layer whose tokens are values, read with equal scores by each token and those after it."""
    return lambda X: attend_with_sink(equal_scores(X.shape[1]).float(), X[0], 0.0)[None]


def equal_scores(n):
    return torch.zeros(n, n).double().masked_fill(~attn_teach.causal_mask(n), -torch.inf)


EVENLY = equal_scores(3)


RANDOM = (equal_scores(5) + torch.randn(5, 5), torch.randn(5, 2).double())

FIGURES = """
14.1 | stack([plain, norm, cap, gate])[:, 0].max() - stack([plain, norm, cap, gate])[:, 0].min() |
    norm[0] - plain[0] | 100 * (plain[2] - cap[2]) / (plain[2] - plain[0]) | cap[2] - norm[2] |
    plain[2] - gate[2]
14.2 | rms_norm(q, [d], w_q) | rms_norm(k, [d], w_k) |
    rms_norm(q, [d], w_q) @ rms_norm(k, [d], w_k) / d**0.5 |
    d**0.5 * w_q.max() * w_k.max() | beside(s, sink) | beside(s, sink).sum() | beside(s, sink) @ v
14.3 | held(n, w) | layers // every * n + (layers - layers // every) * held(n, w) |
    1 / every + (1 - 1 / every) * held(n, w) / n | 1 / every |
    mean_loss('four blocks, three windows') | mean_loss('four blocks, all see all') |
    mean_loss('four blocks, four windows')
14.4 | attend_with_sink(EVENLY, V[:, None], 0.0) | mended.attend_with_sink(EVENLY, V[:, None], 0.0)
14.5 | (layers // 4 * n + 3 * layers // 4 * held(n, w)) * 2 * kv * d / 1e6 |
    layers * n * 2 * kv * d / 1e6 | heads / kv | first_wrong({'window': 4}, {}) |
    first_wrong({'window': 4}, {'window': 3})
"""

TRUE = """
14.1 | all(agrees_with_runs(row, name) for row, name in
    ((plain, 'plain'), (norm, 'QK-norm'), (cap, 'cap 8.0'), (gate, 'gate')))
14.2 | rms_norm(q, [d]) @ rms_norm(k, [d]) < d
14.4 | influences(causal_values(attend_with_sink), 4)[1, 2]
    and not influences(causal_values(mended.attend_with_sink), 4).triu(1).any()
    and torch.allclose(mended.attend_with_sink(*RANDOM, 0.7), beside(RANDOM[0], 0.7) @ RANDOM[1])
14.5 | first_wrong({'qk_norm': 'whole'}, {}) == first_wrong({}, {'turned': 0.0}) == 1
    and first_wrong({'sink': True}, {}) == first_wrong({'bias': True}, {}) == 0
"""
