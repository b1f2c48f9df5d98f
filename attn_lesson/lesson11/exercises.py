"""Exercises and questions of lesson 11, attention in other libraries."""

import torch

from ..judge.common import Draw, raised_told
from ..judge.exercise import Exercise
from ..words import tell

# 11.1 A mask for another library


def my_attn_mask(mask, num_heads, *, sign="leave out", heads="inside", kind="bool", of="keys"):
    batch, m = mask.shape
    allowed = {
        "keys": mask.unsqueeze(1).expand(batch, m, m),
        "queries": mask.unsqueeze(2).expand(batch, m, m),
        "both": mask.unsqueeze(2) & mask.unsqueeze(1),
        "causal": mask.unsqueeze(1) & torch.ones(m, m, dtype=torch.bool).tril(),
        "itself": mask.unsqueeze(1) | torch.eye(m, dtype=torch.bool),
    }[of]
    out = allowed if sign == "may attend" else ~allowed
    out = {
        "inside": lambda: out.repeat_interleave(num_heads, 0),
        "outside": lambda: out.repeat(num_heads, 1, 1),
        "axis": lambda: out.unsqueeze(1).expand(batch, num_heads, m, m),
        "none": lambda: out,
    }[heads]()
    if kind == "added":
        return torch.zeros(out.shape).masked_fill(out, -torch.inf)
    return out


def _masks(seed):
    draw = Draw(1100 + seed)
    cases = [(torch.tensor([[True, True, False], [True, False, False]]), 2)]
    for batch, m, heads in [(2, 4, 3), (3, 5, 2), (4, 3, 4)]:
        mask = draw.mask(batch, m)
        mask[:, 0], mask[0, -1], mask[1] = True, False, True
        cases.append((mask, heads))
    return cases


ATTN_MASK = Exercise(my_attn_mask, cases=_masks, kinds=True)


# 11.2 Heads of a fused weight


def my_heads_of(in_proj_weight, num_heads, *, order="parts first", inner="heads", give="qkv"):
    width = in_proj_weight.shape[1]
    size = width // num_heads
    if order == "heads first":
        return in_proj_weight.view(num_heads, 3, size, width).transpose(0, 1)
    if order == "every third":
        return in_proj_weight.view(num_heads, size, 3, width).permute(2, 0, 1, 3)
    if order == "columns":
        return in_proj_weight.mT.reshape(3, num_heads, size, width)
    if inner == "sizes":
        return in_proj_weight.view(3, size, num_heads, width).transpose(1, 2)
    if inner == "inputs":
        return in_proj_weight.view(3, width, num_heads, size).permute(0, 2, 3, 1)
    out = in_proj_weight.view(3, num_heads, size, width)
    return {
        "qkv": lambda: out,
        "turned": lambda: out.mT,
        "heads in front": lambda: out.transpose(0, 1),
        "qvk": lambda: out[[0, 2, 1]],
        "queries": lambda: out[0],
    }[give]()


def _weights(seed):
    draw = Draw(1120 + seed)
    cases = [(torch.arange(12.0).view(6, 2), 2)]
    return cases + [(draw.short(3 * h * s, h * s), h) for h, s in [(2, 3), (3, 2), (4, 3), (3, 4)]]


HEADS_OF = Exercise(my_heads_of, cases=_weights)


# 11.3 One head, then all of them


def my_all_heads(
    queries, keys, values, *,
    axes="moved", give="jax", scale="sqrt d", softmax="keys", heads="apart",
):  # fmt: skip
    q, k, v = queries, keys, values
    if axes == "reshaped":
        q, k, v = (X.reshape(X.shape[0], X.shape[2], X.shape[1], X.shape[3]) for X in (q, k, v))
    elif axes == "moved":
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    size = q.shape[-1] * (q.shape[1] if scale == "width" else 1)
    by = {"none": 1, "d": size, "keys": k.shape[2] ** 0.5, "heads": q.shape[1] ** 0.5}
    by["twice"] = size**0.25
    scores = q @ k.mT / by.get(scale, size**0.5)
    scores = q @ k.mT // size**0.5 if scale == "//" else scores
    weights = {
        "keys": lambda: scores.softmax(-1),
        "queries": lambda: scores.softmax(-2),
        "causal": lambda: scores.masked_fill(
            torch.ones_like(scores).triu(1) > 0, -torch.inf
        ).softmax(-1),
        "undivided": scores.exp,
        "none": lambda: scores,
    }[softmax]()
    if heads == "first":
        weights = weights[:, :1]
    elif heads == "averaged":
        weights = weights.mean(1, keepdim=True)
    out = weights @ v  # (batch, heads, n, size)
    if axes == "as they are":
        return out
    return {
        "jax": lambda: out.transpose(1, 2),
        "torch": lambda: out,
        "reshaped": lambda: out.reshape(queries.shape),
        "heads first": lambda: out.transpose(0, 1),
        "words first": lambda: out.permute(2, 0, 1, 3),
        "merged": lambda: out.transpose(1, 2).flatten(2),
        "mean": lambda: out.mean(1),
    }[give]()


def _jax_layout(seed):
    draw = Draw(1130 + seed)
    cases = []
    for shape in [(1, 2, 3, 1), (2, 3, 4, 2), (2, 5, 2, 4), (3, 4, 5, 3), (2, 5, 3, 6)]:
        cases.append((draw.short(*shape), draw.short(*shape), draw.short(*shape)))
    return cases


ALL_HEADS = Exercise(my_all_heads, cases=_jax_layout)


# 11.4 Which one was inverted?


def _attended(queries, keys, values, mask):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    return scores.masked_fill(~mask, -torch.inf).softmax(-1) @ values


def my_inverted(
    outputs,
    queries,
    keys,
    values,
    mask,
    *,
    find="inverted",
    gap="absolute",
    count="from 0",
    scale="sqrt d",
):
    whole = torch.ones_like(mask)
    turned = {"inverted": ~mask, "right": mask}.get(find, whole)
    times = queries.shape[-1] ** {"none": 0.5, "twice": 0.25, "d": -0.5}.get(scale, 0)
    # A key of zeros has the score 0, as one whose score is multiplied by False.
    keys = keys * ~mask.unsqueeze(-1) if find == "times" else keys
    nearest = _attended(times * queries, keys, values, turned)
    if find in ("after", "of queries"):
        scores = times / queries.shape[-1] ** 0.5 * queries @ keys.mT
        weights = scores.softmax(-1) if find == "after" else scores.softmax(0)
        nearest = (weights * ~mask) @ values
    gaps = outputs - nearest
    gaps = gaps[:, :1] if gap == "first query" else gaps
    sums = gaps.sum((1, 2))
    gaps = {"signed": sums, "signed, abs": sums.abs()}.get(gap, gaps.abs().sum((1, 2)))
    if find == "farthest":
        return int(gaps.argmax())
    found = int(gaps.argsort()[1] if find == "second" else gaps.argmin())
    return found + 1 if count == "from 1" else found


def _three_outputs(seed):
    draw = Draw(1140 + seed)
    q, k = torch.tensor([[1.0]]), torch.tensor([[0.0], [0.0]])
    inputs = [(q, k, torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([True, False]))]
    for n, m, size, real in [(2, 4, 3, 2), (3, 5, 2, 3), (2, 6, 4, 2), (3, 4, 5, 2), (2, 5, 3, 3)]:
        made = draw.short(n, size), draw.short(m, size), draw.short(m, 2)
        if m == 6:  # the first query weighs all keys alike, and does not see the mask
            made[0][0], made[2][2:] = 0, made[2][:2].repeat(2, 1)
        inputs.append((*made, torch.arange(m) < real))
    # Weighed without a scale, the hidden values look as if no mask were there.
    q, k = torch.zeros(1, 16), torch.zeros(3, 16)
    q[0, 0], k[:, 0] = 4, torch.tensor([1.0, 2.0, 1.0])
    v = torch.tensor([[0.0], [10.0], [20.0]])
    inputs.append((q, k, v, torch.tensor([False, False, True])))
    # Weighed with a scale too small or too large, they look so as well.
    for product, value in ((1.0, 0.0), (4.0, 10.0)):
        q, k = torch.tensor([[2.0, 0, 0, 0]]), torch.zeros(3, 4)
        k[:, 0], v = torch.tensor([4.0, 0.0, product]) / 2, torch.tensor([[10.0], [0.0], [value]])
        inputs.append((q, k, v, torch.tensor([False, False, True])))
    cases = []
    for place, (q, k, v, mask) in enumerate(inputs):
        right, turned, whole = (_attended(q, k, v, x) for x in (mask, ~mask, torch.ones_like(mask)))
        outputs = [[right, turned, whole], [turned, whole, right], [whole, right, turned]]
        rounded = torch.stack(outputs[place % 3]).mul(100).round() / 100
        cases.append((rounded, q, k, v, mask))
    return cases


INVERTED = Exercise(my_inverted, cases=_three_outputs, kinds=True)


# 11.5 Which scale was it?


def my_scale(queries, keys, weights, *, center="rows", say="scale", log="weights", give="one"):
    scores = queries @ keys.mT
    size = queries.shape[-1]
    log_w = {"none": weights, "two": weights.log2()}.get(log, weights.log())
    if say == "assumed":
        return torch.tensor(size**-0.5)
    if say == "one of three":
        known = torch.tensor([1, size**-0.5, 1 / size])
        made = (scores * known.view(3, 1, 1)).softmax(-1)
        return known[(made - weights).abs().sum((1, 2)).argmin()]
    if give == "first pair":
        return (log_w[0, 0] - log_w[0, 1]) / (scores[0, 0] - scores[0, 1])
    if center == "quotients":
        return (log_w / scores).mean()
    if log == "odds":
        return weights[0, 0] / weights[0, 1] / (scores[0, 0] - scores[0, 1])
    means = {"rows": (-1,), "columns": (0,), "all": (0, 1)}
    if center != "none":
        scores = scores - scores.mean(means[center], keepdim=True)
        log_w = log_w - log_w.mean(means[center], keepdim=True)
    if give == "each row":
        return (scores * log_w).sum(-1) / scores.square().sum(-1)
    scale = (scores * log_w).sum() / scores.square().sum()
    return {
        "scale": lambda: scale.detach(),  # each right way has its own gradient
        "divisor": lambda: 1 / scale,
        "how often": lambda: -2 * scale.log() / torch.log(torch.tensor(float(size))),
        "beside sqrt d": lambda: scale * size**0.5,
    }[say]()


def _scaled(seed):
    draw = Draw(1150 + seed)
    q, k = torch.eye(4)[:2], torch.tensor([[2.0, 0, 0, 0], [0, 1, 0, 0]])
    cases = [(q, k, (q @ k.mT / 2).softmax(-1))]
    for n, m, size, power in [(2, 3, 4, 2), (3, 4, 3, 1), (4, 3, 5, 0), (3, 5, 9, 2), (2, 4, 6, 3)]:
        q, k = draw.short(n, size), draw.short(m, size)
        k[1] = k[0] if size == 3 else k[1]  # two products of each query are equal
        q = q if power else 3 * q  # some weights are tiny
        cases.append((q, k, (q @ k.mT * size ** (-power / 2)).softmax(-1)))
    return cases


def _small_in_weights(case, got, expected):
    queries, keys, weights = case
    s = queries @ keys.mT
    s = s - s.mean(-1, keepdim=True)
    return raised_told(
        "logarithm", lambda up: (s * up(weights).log()).sum() / s.square().sum(), got
    )


SCALE = Exercise(my_scale, cases=_scaled, explain=_small_in_weights, tolerance=1e-4)


EXERCISES, QUESTIONS = tell(__name__, ATTN_MASK, HEADS_OF, ALL_HEADS, INVERTED, SCALE)
