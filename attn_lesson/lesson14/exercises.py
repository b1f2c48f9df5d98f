"""Exercises and questions of lesson 14, the attention of this year's models."""

import torch

from ..judge.common import Draw, axes_told, scaled
from ..judge.exercise import Exercise
from ..words import sentences, tell

say = sentences(__name__)
SCORES = "batch", "heads", "queries", "keys"


def _normed(x, how="rms", axis="numbers"):
    """Numbers divided by the root of the mean of their squares, as the knobs say."""
    axes = {"numbers": (-1,), "tokens": (-2,), "heads": (1,), "all heads": (1, -1),
            "all tokens": (-2, -1)}[axis]  # fmt: skip
    squares = x.square().mean(axes, keepdim=True)
    if how == "layer":
        x = x - x.mean(axes, keepdim=True)
        squares = x.square().mean(axes, keepdim=True)
    ways = {"rms": squares.sqrt(), "layer": squares.sqrt(), "no root": squares,
            "length": x.square().sum(axes, keepdim=True).sqrt(), "times": 1 / squares.sqrt(),
            "mean": x.abs().mean(axes, keepdim=True), "plain mean": x.mean(axes, keepdim=True),
            "largest": x.abs().amax(axes, keepdim=True)}  # fmt: skip
    return x / ways.get(how, 1)


# Scores of normed queries and keys


def my_normed_scores(
    queries, keys, query_weight, key_weight, *,
    norm="rms", which="both", axis="numbers", weight="own", scale="sqrt d", batch="each",
):  # fmt: skip
    q, k = (_normed(x, norm, axis) if which in ("both", name) else x
            for x, name in ((queries, "queries"), (keys, "keys")))  # fmt: skip
    wq, wk = {
        "own": (query_weight, key_weight), "none": (1, 1),
        "query's alone": (query_weight, 1), "key's alone": (1, key_weight),
        "query's twice": (query_weight, query_weight), "key's twice": (key_weight, key_weight),
        "divided": (1 / query_weight, 1 / key_weight),
    }.get(weight, (0, 0))  # fmt: skip
    if batch == "first":
        k = k[:1].expand_as(k)
    if weight == "mean":
        q, k = q * query_weight.mean(), k * key_weight.mean()
    elif weight == "inside":
        q, k = _normed(queries * query_weight, norm), _normed(keys * key_weight, norm)
    elif weight == "added":
        q, k = q + query_weight, k + key_weight
    else:
        q, k = q * wq, k * wk
    return scaled(scale, q @ k.mT, queries.shape[-1], keys.shape[-2])


def _queries_and_keys(seed):
    draw = Draw(1410 + seed)
    one = torch.ones(2)
    cases = [(torch.tensor([[[[3.0, 4.0]]]]), torch.tensor([[[[1.0, 1.0], [0.0, 2.0]]]]), one, one)]
    for b, h, n, m, d in [(1, 1, 2, 3, 4), (2, 3, 4, 5, 6), (2, 2, 3, 3, 3), (1, 4, 1, 6, 8)]:
        weights = draw.short(d).abs() + 0.5, draw.short(d).abs() + 0.5
        cases.append((2 * draw.normal(b, h, n, d), 1 + draw.normal(b, h, m, d), *weights))
    large = 1000 * draw.normal(1, 2, 3, 4), 1 + draw.normal(1, 2, 3, 4)
    return [*cases, (*large, draw.short(4), draw.short(4) - 0.5)]


NORMED = Exercise(
    my_normed_scores, cases=_queries_and_keys, gradients=True, tolerance=1e-4,
    explain=lambda case, got, expected: axes_told(SCORES, got, expected),
)  # fmt: skip


# A sink


def _of_head(sink, how):
    """The scores of the heads' sinks, as the knob says."""
    return {"of head": sink, "minus": -sink, "zero": 0 * sink, "one": 0 * sink + 1,
            "all": 0 * sink + sink.sum(), "mean": 0 * sink + sink.mean(),
            "first": 0 * sink + sink[0]}[how]  # fmt: skip


def my_sink_weights(
    scores, sink, *,
    column="dropped", score="of head", axis="keys", place="last", of="heads",
):  # fmt: skip
    learned = _of_head(sink, score).view(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
    if of == "added to all":
        return (scores + learned).softmax(-1)
    if of == "in the sum":  # the score itself, not e to the power of it
        top = scores.amax(-1, keepdim=True)
        raised = (scores - top).exp()
        return raised / (raised.sum(-1, keepdim=True) + learned)
    if of == "a share taken off":
        return scores.softmax(-1) * (1 - learned.sigmoid())
    if of == "a gate":
        return scores.softmax(-1) * learned.sigmoid()
    if of == "a score replaced":
        return torch.cat((scores[..., :-1], learned), -1).softmax(-1)
    both = (scores, learned) if place == "last" else (learned, scores)
    weights = torch.cat(both, -1).softmax({"keys": -1, "queries": -2}[axis])
    weights = {"dropped": weights[..., :-1], "first dropped": weights[..., 1:], "kept": weights,
               "sink's alone": weights[..., -1:]}[column]  # fmt: skip
    return weights


def _scores_and_sinks(seed):
    draw = Draw(1420 + seed)
    cases = [(torch.tensor([[[[0.0, 0.0, 0.0]]]]), torch.zeros(1))]
    for b, h, n, m in [(1, 2, 2, 3), (2, 3, 4, 5), (2, 2, 3, 3), (1, 4, 2, 6)]:
        scores = draw.short(b, h, n, m)
        if n == m:
            scores = scores.masked_fill(~torch.ones(n, n, dtype=torch.bool).tril(), -torch.inf)
        cases.append((scores, draw.short(h)))
    empty = draw.short(1, 2, 3, 4)
    empty[:, :, 1] = -torch.inf  # a query that may attend to nothing
    far = 100 * draw.short(1, 2, 3, 3) + 300, torch.tensor([250.0, 350.0])
    low = draw.short(1, 2, 3, 4) - 200, torch.tensor([-200.5, -199.0])
    return [*cases, (empty, draw.short(2)), far, low]


SINK = Exercise(
    my_sink_weights, cases=_scores_and_sinks, gradients=True,
    explain=lambda case, got, expected: axes_told(SCORES, got, expected),
)  # fmt: skip


# Which tokens does a layer see?


def my_seen(layer, t, window, every, *, layers="last of each", edge="itself", which="by layer",
            out="all so far"):  # fmt: skip
    full = {
        "last of each": (layer + 1) % every == 0, "first of each": layer % every == 0,
        "counted from 1": layer > 0 and (layer + 1) % every == 1 % every,
        "the last alone": layer == every - 1, "one less": layer % max(every - 1, 1) == 0,
        "turned around": (layer + 1) % every != 0, "from every on": layer >= every - 1,
    }[layers]  # fmt: skip
    full = {"by layer": full, "all full": True, "all windows": False}[which]
    span = window + {"one more": 1, "one less": -1}.get(edge, 0)
    if edge == "summed":  # what reaches it through the layers below
        span = (layer + 1) * (window - 1) + 1
    places = torch.arange(t + 1)
    seen = (places > t - span) | full
    if edge == "first":
        seen = (places < window) | full
    if out == "itself left out":
        seen = seen & (places < t)
    if out == "t tokens":
        return seen[:-1] if t else seen
    if out == "hidden":
        return ~seen
    return seen


def _layers(seed):
    draw = Draw(1430 + seed)
    cases = [(0, 3, 2, 2), (1, 3, 2, 2), (2, 6, 3, 4), (3, 6, 3, 4), (4, 9, 4, 4), (7, 9, 4, 4),
             (0, 2, 5, 3), (1, 8, 4, 3), (2, 8, 4, 3), (5, 7, 3, 6), (6, 7, 3, 6), (11, 12, 5, 6),
             (0, 5, 2, 1), (9, 11, 1, 4), (8, 10, 3, 3), (10, 9, 3, 4), (2, 0, 3, 4)]  # fmt: skip
    cases += [(draw.whole(0, 11), draw.whole(4, 12), draw.whole(1, 4), draw.whole(2, 5))
              for _ in range(3)]  # fmt: skip
    return cases


def _seen_told(case, got, expected):
    """Which token it sees too much or too little, of a case that nothing else explains."""
    if not isinstance(got, torch.Tensor) or got.shape != expected.shape or got.dtype != torch.bool:
        return None
    off = (got != expected).nonzero().flatten().tolist()
    key = "sees" if got[off[0]] else "does not see"
    layer, t, window, every = case
    return say(key, layer=layer, t=t, window=window, every=every, token=off[0])


SEEN = Exercise(my_seen, cases=_layers, explain=_seen_told)


# The norm of all heads at once


def my_whole_norm(
    queries, weight, num_heads, *,
    norm="rms", axis="numbers", weigh="before", split="heads", sentences="each",
):  # fmt: skip
    batch, n, width = queries.shape
    d = width // num_heads
    if sentences == "together":
        x = queries / queries.square().mean((0, -1), keepdim=True).sqrt()
    elif axis == "a head":
        x = _normed(queries.unflatten(-1, (num_heads, d)), norm).flatten(-2)
    else:
        x = _normed(queries, norm, axis)
    x = {"before": lambda: x * weight, "none": lambda: x, "added": lambda: x + weight,
         "one head's": lambda: x * weight[:d].repeat(num_heads),
         "inside": lambda: _normed(queries * weight, norm)}[weigh]()  # fmt: skip
    if split == "view":
        return x.reshape(batch, num_heads, n, d)
    if split == "not moved":
        return x.unflatten(-1, (num_heads, d))
    if split == "numbers first":
        return x.unflatten(-1, (d, num_heads)).permute(0, 3, 1, 2)
    if split == "none":
        return x
    return x.unflatten(-1, (num_heads, d)).transpose(1, 2)


def _rows_of_heads(seed):
    draw = Draw(1440 + seed)
    cases = [(torch.tensor([[[1.0, 2.0, 2.0, 4.0]]]), torch.ones(4), 2)]
    for b, n, h, d in [(1, 2, 2, 3), (2, 3, 2, 4), (2, 4, 3, 2), (1, 3, 3, 4)]:
        cases.append((1 + 2 * draw.normal(b, n, h * d), draw.short(h * d).abs() + 0.5, h))
    small = 0.1 * draw.normal(2, 4, 6), draw.short(6).abs() + 0.5, 2
    return [*cases, small]


WHOLE = Exercise(
    my_whole_norm, cases=_rows_of_heads, gradients=True, tolerance=1e-4,
    explain=lambda case, got, expected: axes_told(
        ("batch", "heads", "tokens", "features"), got, expected
    ),
)  # fmt: skip


# Attention with a sink and a mask


def my_sink_attention(
    scores, values, mask, sink, *,
    fill="-inf", hide="keys", value="zero", score="of head", masked="before", out="heads first",
):  # fmt: skip
    masks = {"keys": mask, "inverted": ~mask, "unused": torch.ones_like(mask),
             "first sentence": mask[:1].expand_as(mask)}  # fmt: skip
    low = {"-inf": -torch.inf, "zero": 0.0, "not low": -100.0}[fill]
    kept = scores.masked_fill(~masks.get(hide, mask), low)
    if hide == "added":
        kept = scores + mask
    learned = _of_head(sink, score).view(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
    if masked == "after":
        weights = torch.cat((scores, learned), -1).softmax(-1)[..., :-1] * mask
    elif masked == "none":  # no sink at all
        weights = kept.softmax(-1).nan_to_num()
    elif masked == "none, NaN":
        weights = kept.softmax(-1)
    else:
        weights = torch.cat((kept, learned), -1).softmax(-1)
    if value == "last" and weights.shape[-1] > values.shape[-2]:
        return weights @ torch.cat((values, values[..., -1:, :]), -2)
    if value == "mean" and weights.shape[-1] > values.shape[-2]:
        return weights @ torch.cat((values, values.mean(-2, keepdim=True)), -2)
    if value == "one" and weights.shape[-1] > values.shape[-2]:
        return weights @ torch.cat((values, torch.ones_like(values[..., :1, :])), -2)
    weights = weights[..., : values.shape[-2]]
    if masked == "even":
        weights = torch.where(mask.any(-1, keepdim=True), weights, 1 / values.shape[-2])
    if out == "not moved":
        return (weights @ values).transpose(1, 2)
    return weights @ values


def _sinks_and_masks(seed):
    draw = Draw(1450 + seed)
    cases = [(torch.tensor([[[[0.0, 0.0]]]]), torch.tensor([[[[4.0], [8.0]]]]),
              torch.tensor([[[[True, False]]]]), torch.zeros(1))]  # fmt: skip
    for b, h, n, m, v in [(1, 2, 2, 3, 2), (2, 3, 4, 5, 2), (2, 2, 3, 3, 4)]:
        mask = draw.mask(b, 1, n, m)
        mask[..., 0] = True
        if b > 1:
            mask[1, 0, 1] = False  # a row that may attend to nothing
        tensors = draw.short(b, h, n, m), draw.short(b, h, m, v)
        cases.append((*tensors, mask, draw.short(h)))
    mask = torch.ones(1, 1, 3, 3, dtype=torch.bool).tril()
    low = draw.short(1, 2, 3, 3) - 300, draw.short(1, 2, 3, 2), mask, torch.tensor([-300.5, -299])
    return [*cases, low]


SINK_MASK = Exercise(
    my_sink_attention, cases=_sinks_and_masks, tolerance=1e-4,
    explain=lambda case, got, expected: axes_told(
        ("batch", "heads", "queries", "features"), got, expected
    ),
)  # fmt: skip


# What a layer's cache must hold


def my_held(layer, t, window, every, *, layers="last of each", edge="one less than the window",
            end="last", out="tokens"):  # fmt: skip
    sees_all = {
        "from every on": layer >= every - 1, "last of each": (layer + 1) % every == 0,
        "first of each": layer % every == 0,
        "turned around": (layer + 1) % every != 0, "all": True, "none": False,
    }[layers]  # fmt: skip
    span = window + {"the window": 0, "two less": -2}.get(edge, -1)
    if edge == "summed":
        span = (layer + 1) * (window - 1)
    elif edge == "slice" and window == 1:  # [-0:] is everything
        span = t
    places = torch.arange(t + 1 if out == "one place more" else t)
    held = (places < span if end == "first" else places >= t - span) | sees_all
    if end == "with the first":
        held = held | (places < 1)
    if out == "how many":
        return int(held.sum())
    return ~held if out == "dropped" else held


def _caches(seed):
    draw = Draw(1460 + seed)
    cases = [(0, 4, 3, 2), (1, 4, 3, 2), (2, 9, 4, 4), (3, 9, 4, 4), (4, 9, 4, 4), (7, 6, 3, 4),
             (0, 2, 5, 3), (2, 2, 5, 3), (5, 8, 2, 6), (6, 8, 2, 6), (0, 5, 1, 2), (1, 5, 1, 2),
             (11, 7, 4, 6), (9, 7, 4, 6), (0, 6, 3, 1), (0, 0, 3, 2)]  # fmt: skip
    return cases + [(draw.whole(0, 9), draw.whole(5, 11), draw.whole(2, 4), draw.whole(2, 5))
                    for _ in range(3)]  # fmt: skip


HELD = Exercise(my_held, cases=_caches)


# A cap on the scores


def my_softcap(
    scores, cap, *, bend="tanh", before="divided", after="times", slope="own", order="both"
):
    inside = {"divided": scores / cap, "as they are": scores, "times": scores * cap}[before]
    bent = {"tanh": torch.tanh, "clamp": lambda x: x.clamp(-1, 1), "sigmoid": torch.sigmoid,
            "softsign": lambda x: x / (1 + x.abs())}[bend](inside)  # fmt: skip
    capped = bent * cap if after == "times" else bent
    own = {"tanh": 1 - torch.tanh(scores / cap) ** 2, "clamp": (scores.abs() < cap) * 1.0,
           "sigmoid": bent * (1 - bent), "softsign": (1 + scores.abs() / cap) ** -2}  # fmt: skip
    slopes = {
        "own": own[bend], "of the capped": 1 - capped**2,
        "times the cap": cap * (1 - bent**2), "divided by the cap": (1 - bent**2) / cap,
        "not squared": 1 - bent.abs(), "clamp's": own["clamp"],
        "one": torch.ones_like(scores), "the rest": bent**2,
        "of a mean": own["tanh"] / scores.numel(),
        "cut at the cap": own["tanh"] * own["clamp"],
        "a ratio": torch.where(scores == 0, 1.0, capped / scores),
    }  # fmt: skip
    made = capped, slopes[slope]
    return {"both": made, "swapped": made[::-1], "capped": capped, "slope": made[1]}[order]


def _scores_and_caps(seed):
    draw = Draw(1470 + seed)
    cases = [(torch.tensor([0.0, 5.0]), 10.0), (torch.tensor([-3.0, 0.5, 4.0]), 2.0)]
    cases += [(3 * draw.short(2, 3), 5.0), (20 * draw.short(2, 2, 4), 50.0)]
    return [
        *cases,
        (torch.tensor([-90.0, 90.0, 1.0]), 30.0),
        (torch.tensor([1000.0, -1000.0, 2.0]), 5.0),
        (draw.short(3), 0.5),
    ]


SOFTCAP = Exercise(my_softcap, cases=_scores_and_caps)


# From a published configuration to the parts

SLIDES, FULL = "sliding_attention", "full_attention"


def my_parts(
    config, layer, *, size="given", kv="given", window="by layer", turned="share", still="by layer"
):
    heads = config["num_attention_heads"]
    head_dim = None if size == "divided" else config.get("head_dim")
    given = config.get("num_key_value_heads") or heads
    head_dim = head_dim or config["hidden_size"] // heads
    if size == "of key heads":
        head_dim = config.get("head_dim") or config["hidden_size"] // given
    groups = {"given": given, "heads": heads, "group": heads // given,
              "one": config.get("num_key_value_heads") or 1}[kv]  # fmt: skip
    kinds = config.get("layer_types") or [FULL] * config["num_hidden_layers"]
    span = config.get("sliding_window")
    slides = {"by layer": kinds[layer] == SLIDES, "always": span is not None,
              "never": False, "turned around": kinds[layer] == FULL}[window]  # fmt: skip
    share = config.get("partial_rotary_factor", 1.0) if turned != "all" else 1.0
    numbers = int(share * head_dim) if turned != "pairs" else int(share * head_dim) // 2
    if turned == "of hidden_size":
        numbers = int(share * (config["hidden_size"] // heads))
    if turned == "as a share":
        numbers = share
    every = config.get("no_rope_layer_interval")
    rest = {"by layer": every and (layer + 1) % every == 0, "never": False,
            "from 0": every and layer % every == 0,
            "where it is missing": not every or (layer + 1) % every == 0,
            "turned around": every and (layer + 1) % every}[still]  # fmt: skip
    return head_dim, groups, span if slides else None, 0 if rest else numbers


SIZES = "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim"


def _published(*sizes, **others):
    given = {name: size for name, size in zip(SIZES, sizes, strict=False) if size}
    return given | others


PUBLISHED = [
    _published(4096, 32, 32, 8),  # Llama 3.1 8B
    _published(1024, 28, 16, 8, 128),  # Qwen3 0.6B
    _published(4096, 32, 32),  # OLMo 2 7B
    _published(2880, 24, 64, 8, 64, sliding_window=128, layer_types=12 * [SLIDES, FULL]),  # gpt-oss
    _published(1152, 26, 4, 1, 256, sliding_window=512,  # Gemma 3 1B
               layer_types=(5 * [*5 * [SLIDES], FULL])[:26]),
    _published(2048, 36, 16, 4, no_rope_layer_interval=4),  # SmolLM3 3B
    _published(4096, 46, 96, 8, 128, partial_rotary_factor=0.5),  # GLM-4.5 Air
    _published(2048, 48, 16, 2, 256, partial_rotary_factor=0.25),  # Qwen3-Next
    _published(96, 4, 6, 2, sliding_window=9, no_rope_layer_interval=2,  # nobody's
               layer_types=4 * [SLIDES]),
]  # fmt: skip
LAYERS = [*enumerate((0, 0, 5, 0, 4, 3, 0, 3)), (3, 1), (4, 5), (5, 4), (5, 5), (8, 1)]
PARTS = Exercise(
    my_parts, cases=lambda seed: [(PUBLISHED[k], layer) for k, layer in LAYERS],
)  # fmt: skip


EXERCISES, QUESTIONS = tell(
    __name__, NORMED, SINK, SEEN, WHOLE, SINK_MASK, HELD, SOFTCAP, PARTS
)  # fmt: skip
