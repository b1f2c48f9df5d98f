"""Exercises and questions of lesson 11, attention in other libraries."""

from functools import partial

import torch

from ..judge.common import Draw, raised_told
from ..judge.exercise import Exercise
from ..words import joined, sentences, tell

say = sentences(__name__)

# Does it read padding? Each case is an attention function, named after what it does.


def my_reads_padding(
    attention, q, k, v, mask, *,
    change="both", seen="size", limit=1e-6, nan="counts", given="mask", report="any",
):  # fmt: skip
    heeded = ~mask if given == "inverted" else mask
    if change == "weights":  # of the padding, from the output for values that are a 1 for each slot
        share = attention(q, k, torch.eye(len(k)), heeded)[:, ~mask]
        return bool((share.abs() > limit).any())
    before = attention(q, k, v, heeded)
    number = (~mask).cumsum(0) * ~mask  # of each slot of padding, from 1
    hidden = {"words": mask, "all": torch.ones_like(mask), "first": number == 1,
              "last": (number == number.max()) & ~mask}.get(change, ~mask).unsqueeze(1)  # fmt: skip

    def other(a):
        step = torch.linspace(0.5, 1.5, a.shape[1])
        new = {"zeros": 0 * a, "infinite": a + torch.inf}
        return torch.where(hidden, new.get(change, a + step), a)

    asked = q + 1 if change == "queries" else q
    keys = k if change in ("values", "queries") else other(k)
    values = v if change in ("keys", "queries") else other(v)
    after = attention(asked, keys, values, heeded)
    away = after - before
    if report == "rows":
        return (away.abs() > limit).any(-1)
    moved = {"size": away.abs(), "growth": away, "fall": -away, "sum": away.sum().abs(),
             "first": away[:1].abs()}[seen] > limit  # fmt: skip
    lost = after.isnan() if nan == "counts" else torch.zeros(1) > 0
    found = bool(moved.any()) or bool(lost.any())
    return {"any": found, "always": True, "never": False}[report]


def _allowed(scores, mask, fill=-torch.inf):
    return scores.masked_fill(~mask, fill).softmax(-1)


def _scores(q, k):
    return q @ k.mT / q.shape[-1] ** 0.5


def _past(q, k):
    return torch.arange(len(k)) <= torch.arange(len(q)).unsqueeze(1)


def no_mask(q, k, v, mask):
    return _scores(q, k).softmax(-1) @ v


def careful(q, k, v, mask):
    return _allowed(_scores(q, k), mask) @ v


def inverted(q, k, v, mask):
    return _allowed(_scores(q, k), ~mask) @ v


def adds_the_mask(q, k, v, mask):
    return (_scores(q, k) + mask.float()).softmax(-1) @ v


def masks_after_softmax(q, k, v, mask):
    return _scores(q, k).softmax(-1) * mask @ v


def subtracts_the_mean_value(q, k, v, mask):
    return _allowed(_scores(q, k), mask) @ (v - v.mean(0))


def past_and_mask(q, k, v, mask):
    return _allowed(_scores(q, k), mask & _past(q, k)) @ v


def past_alone(q, k, v, mask):
    return _allowed(_scores(q, k), _past(q, k)) @ v


def rounds_differently(q, k, v, mask):
    output, scale = careful(q, k, v, mask), 3 + v.square().sum(0)
    for factor in (scale, scale / 3, scale / 7):
        output = (output * factor) / factor
    return output


def fills_with_minus_8(q, k, v, mask):
    return _allowed(_scores(q, k) / 9, mask, -8) @ v


def adds_the_last_value(q, k, v, mask):
    return careful(q, k, v, mask) + v[-1] / 2


def subtracts_the_last_value(q, k, v, mask):
    return careful(q, k, v, mask) - v[-1] / 2


def one_slot_too_many(q, k, v, mask):
    return careful(q, k, v, torch.arange(len(k)) <= mask.sum())


def adds_and_subtracts(q, k, v, mask):
    signs = torch.tensor([1.0, -1.0]).repeat(v.shape[1])[: v.shape[1]]
    return careful(q, k, v, mask) + v[-1].sum() * signs


def _felt(case, got, expected):
    attention, q, k, v, mask = case
    if isinstance(got, float) or (isinstance(got, torch.Tensor) and got.is_floating_point()):
        return say("number")
    if not isinstance(got, bool) and (not isinstance(got, torch.Tensor) or got.dim()):
        return None
    changed = [X + ~mask.unsqueeze(1) * torch.linspace(0.5, 1.5, X.shape[1]) for X in (k, v)]
    away = attention(q, *changed, mask) - attention(q, k, v, mask)
    if away.isnan().any():
        return say("nan", name=attention.__name__)
    return say("moves" if expected else "stays", name=attention.__name__, far=away.abs().amax())


def _attentions(seed):
    draw = Draw(1160 + seed)
    q, k, v = draw.short(3, 2), draw.short(4, 2), draw.short(4, 2)
    real, middle = torch.arange(4) < 2, torch.arange(4) != 1
    zeros = [X.masked_fill(~real.unsqueeze(1), 0) for X in (k, v)]  # as padding often is
    every = torch.ones_like(real)
    column = torch.tensor([[0.0], [0.0]])
    return [
        (no_mask, torch.tensor([[1.0]]), column, torch.tensor([[2.0], [6.0]]), real[1:3]),
        (careful, q, k, v, middle),
        (careful, q, *zeros, real),
        (inverted, q, *zeros, real),
        (adds_the_mask, q, k, v, ~real),
        (masks_after_softmax, q, k, v, real),
        (subtracts_the_mean_value, q, k, v, real),
        (past_and_mask, q, k, v, ~real),
        (past_alone, q, k, v, middle),
        (rounds_differently, q, k, v + 3, real),
        (fills_with_minus_8, q, k, v, real),
        (adds_the_last_value, q, *zeros, real),
        (subtracts_the_last_value, q, *zeros, real),
        (one_slot_too_many, q, k, v, real),
        (adds_and_subtracts, q, *zeros, real),
        (careful, q, k, v, every),
        (inverted, q, k, v, every),
    ]


READS_PADDING = Exercise(my_reads_padding, cases=_attentions, explain=_felt)


# A mask for another library


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


# One head, then all of them


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


# One call of JAX and one of Keras, by stand-ins. (JAX takes some masks that do not fit the scores.)


def dot_product_attention(
    query, key, value, bias=None, mask=None, *, scale=None, is_causal=False, implementation=None
):
    """As jax.nn.dot_product_attention: (batch, words, heads, size)."""
    flat = query.dim() == 3
    q, k, v = (X.unsqueeze(0) if X.dim() == 3 else X for X in (query, key, value))
    if q.shape[2] != k.shape[2]:
        raise ValueError(say("heads of jax", queries=q.shape[2], keys=k.shape[2]))
    if mask is not None and (mask.dim() != 4 or mask.dtype != torch.bool):
        raise ValueError(say("mask of jax", kind=str(mask.dtype)[6:], shape=tuple(mask.shape)))
    q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None and any(
        a not in (1, b) for a, b in zip(mask.shape, scores.shape, strict=False)
    ):
        told = {"mask": tuple(mask.shape), "scores": tuple(scores.shape)}
        raise ValueError(say("scores of jax", **told))
    scores = scores if bias is None else scores + bias
    scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    future = torch.ones(scores.shape[-2:]).triu(1) > 0
    scores = scores.masked_fill(future, -torch.inf) if is_causal else scores
    out = (scores.softmax(-1) @ v).transpose(1, 2)
    return out[0] if flat else out


def layer_of_keras(
    query,
    value,
    key=None,
    query_mask=None,
    value_mask=None,
    key_mask=None,
    attention_mask=None,
    training=None,
    use_causal_mask=False,
):
    """As a keras.layers.MultiHeadAttention with one head, whose weights change nothing."""
    key = value if key is None else key
    if any(X.dim() != 3 for X in (query, value, key)):
        raise ValueError(say("axes of keras", shape=tuple(query.shape)))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    seen = torch.ones(scores.shape, dtype=torch.bool)
    if attention_mask is not None:
        if attention_mask.dim() != 3:
            raise ValueError(say("mask of keras", shape=tuple(attention_mask.shape)))
        seen = seen & (attention_mask != 0)
    for mask in (value_mask, key_mask):
        seen = seen if mask is None else seen & mask.unsqueeze(1)
    if query_mask is not None:
        if query_mask.shape != query.shape[:2]:
            raise ValueError(say("queries of keras", shape=tuple(query_mask.shape)))
        seen = seen & query_mask.unsqueeze(2)
    seen = seen.tril() if use_causal_mask else seen
    return scores.masked_fill(~seen, -torch.inf).softmax(-1) @ value


def doubling(*given, **named):
    """That layer with an output matrix that doubles, so that its output is not JAX's."""
    return 2 * layer_of_keras(*given, **named)


def my_two_calls(
    attention, layer, q, k, v, mask, *,
    jax="mask", keras="mask", order="q, v, k", roles="q, k, v", scale="theirs", give="both",
):  # fmt: skip
    q = q / q.shape[-1] ** 0.5 if scale == "once more" else q
    seen = mask.unsqueeze(1)  # (batch, 1, m)
    named = {"q": q, "k": k, "v": v}
    many = [named[one].unsqueeze(2) for one in roles.split(", ")]
    of_jax = {"inverted": {"mask": ~seen.unsqueeze(1)}, "bias": {"bias": seen.unsqueeze(1)},
              "queries": {"mask": mask[:, None, :, None]},
              "none": {}}.get(jax, {"mask": seen.unsqueeze(1)})  # fmt: skip
    of_jax |= {"is_causal": True} if jax == "causal" else {}
    of_jax |= {"scale": q.shape[-1] ** 0.5} if scale == "root" else {}
    by_jax = attention(*many, **of_jax)
    by_jax = by_jax if give == "head kept" else by_jax.squeeze(2)
    of_keras = {"inverted": {"attention_mask": ~seen}, "fourth": {"query_mask": mask}, "none": {},
                "queries": {"attention_mask": mask.unsqueeze(2)}}  # fmt: skip
    of_keras = of_keras.get(keras, {"attention_mask": seen})
    of_keras |= {"use_causal_mask": True} if keras == "causal" else {}
    others = {"key, value": "qkv", "no key": "qv", "key alone": "qk"}.get(order, order)
    by_keras = layer(*(named[one] for one in others if one in named), **of_keras)
    return {
        "one": lambda: by_jax,
        "stacked": lambda: torch.stack((by_jax, by_keras)),
        "exchanged": lambda: (by_keras, by_jax),
        "jax twice": lambda: (by_jax, by_jax),
        "keras twice": lambda: (by_keras, by_keras),
    }.get(give, lambda: (by_jax, by_keras))()


def _calls(seed):
    draw, cases = Draw(1170 + seed), []
    for batch, n, m, size in [(1, 2, 2, 2), (2, 3, 5, 4), (3, 4, 4, 6), (2, 5, 3, 3)]:
        mask = torch.arange(m) < draw.whole(1, m - 1, batch, 1)
        given = draw.short(batch, n, size), draw.short(batch, m, size), draw.short(batch, m, size)
        cases.append((dot_product_attention, doubling, *given, mask))
    return cases


def _which_call(case, got, expected):
    """Which of the two outputs is wrong, if one is right."""
    if not isinstance(got, tuple) or len(got) != 2:
        return None
    right = [
        isinstance(a, torch.Tensor) and a.shape == b.shape and torch.allclose(a, b, atol=1e-5)
        for a, b in zip(got, expected, strict=True)
    ]
    if sum(right) != 1:
        return None
    wrong = int(right[0])
    told = say("keras is wrong" if wrong else "jax is wrong")
    shapes = [tuple(getattr(one[wrong], "shape", ())) for one in (got, expected)]
    if shapes[0] not in ((), shapes[1]):
        told += f" {say('its shape', shape=shapes[0], wanted=shapes[1])}"
    return told


def _both(function, *case):
    """Two outputs, in a tuple or a list."""
    result = function(*case)
    return tuple(result) if isinstance(result, list) else result


TWICE = {how: partial(my_two_calls, jax=how, keras=how) for how in ("causal", "queries")}
TWO_CALLS = Exercise(my_two_calls, cases=_calls, wrong=TWICE, run=_both, explain=_which_call)


# A file of GPT-2


def my_from_gpt2(
    attn_weight, attn_bias, proj_weight, proj_bias, *,
    cut="columns", bias="parts", order="qkv", proj="turned",
):  # fmt: skip
    width = len(attn_weight)
    parts = {
        "columns, not turned": lambda: attn_weight.split(width, 1),
        "view": lambda: attn_weight.reshape(3, width, width),
        "view, turned": lambda: attn_weight.reshape(3, width, width).mT,
        "every third": lambda: [attn_weight[:, i::3].T for i in range(3)],
        "every third row": lambda: [attn_weight.T[i::3].T for i in range(3)],
        "first": lambda: [attn_weight[:, :width].T] * 3,
    }.get(cut, lambda: [part.T for part in attn_weight.split(width, 1)])()
    biases = {
        "every third": lambda: [attn_bias[i::3] for i in range(3)],
        "first": lambda: [attn_bias[:width]] * 3,
        "zero": lambda: [0 * attn_bias[:width]] * 3,
    }.get(bias, lambda: attn_bias.split(width))()
    out = {"as it is": proj_weight, "view": proj_weight.reshape(width, width)}
    made = {"W_o.weight": out.get(proj, proj_weight.T), "W_o.bias": proj_bias}
    for p, part, number in zip(order, parts, biases, strict=True):
        made |= {f"W_{p}.weight": part, f"W_{p}.bias": number}
    return made


def _loaded(function, *file):
    """The weights that were carried, (4, width, width + 1), or in words why they do not fit."""
    made, width = function(*file), len(file[0])
    if not isinstance(made, dict):
        return made
    wanted = {f"W_{p}.{kind}": (width,) * n for p in "qkvo" for kind, n in WHAT.items()}
    for name in {**wanted, **made}:
        if name not in made or name not in wanted:
            return say("missing" if name not in made else "one too many", name=name)
        if not isinstance(made[name], torch.Tensor) or made[name].shape != wanted[name]:
            shape = tuple(made[name].shape) if isinstance(made[name], torch.Tensor) else ()
            return say("does not fit", name=name, shape=shape, wanted=wanted[name])
    rows = [torch.cat((made[f"W_{p}.weight"], made[f"W_{p}.bias"][:, None]), 1) for p in "qkvo"]
    return torch.stack(rows)


def _output(carried, x):
    """Attention with one head on x, (n, width), by weights as above."""
    W, b = carried[..., :-1], carried[..., -1]
    q, k, v = (x @ W[i].T + b[i] for i in range(3))
    return (_scores(q, k).softmax(-1) @ v) @ W[3].T + b[3]


def _how_far(case, got, expected):
    """Which weights are not GPT-2's, and how far the output is."""
    if isinstance(got, str):
        return got
    if not isinstance(got, torch.Tensor) or got.shape != expected.shape:
        return None
    far = (got - expected).abs() > 1e-5
    names = [f"W_{p}.weight" for p, a in zip("qkvo", far[..., :-1], strict=True) if a.any()]
    names += [f"W_{p}.bias" for p, a in zip("qkvo", far[..., -1], strict=True) if a.any()]
    x = torch.linspace(-1, 1, 3 * got.shape[1]).view(3, -1).cos()
    away = (_output(got, x) - _output(expected, x)).abs().max()
    told = say("not carried" if away > 1e-5 else "not felt", names=joined(names), away=away)
    others = []
    for kind, cut in (("weight", slice(-1)), ("bias", slice(-1, None))):
        mine, right = got[..., cut], expected[..., cut]
        others += [say("holds", name=f"W_{p}.{kind}", other=f"W_{r}.{kind}")
                   for p, a in zip("qkvo", mine, strict=True)
                   for r, b in zip("qkvo", right, strict=True)
                   if p != r and torch.allclose(a, b, atol=1e-5)]  # fmt: skip
    return " ".join([told, *others])


def _files(seed):
    draw = Draw(1120 + seed)
    cases = [(torch.arange(12.0).view(2, 6), torch.arange(6.0), torch.arange(4.0).view(2, 2) + 20,
              torch.tensor([30.0, 40.0]))]  # fmt: skip
    for w in (3, 4, 6):
        shapes = (w, 3 * w), (3 * w,), (w, w), (w,)
        cases.append(tuple(draw.short(*shape) for shape in shapes))
    return cases


WHAT = {"weight": 2, "bias": 1}  # axes
FROM_GPT2 = Exercise(my_from_gpt2, cases=_files, run=_loaded, explain=_how_far)


# Which one was inverted?


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


# Which scale was it?


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
    if give == "mean of quotients":
        return (log_w / scores).mean()
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
        q[-1] *= size != 9  # all products of this query are equal
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


EXERCISES, QUESTIONS = tell(
    __name__, READS_PADDING, ATTN_MASK, TWO_CALLS, FROM_GPT2, INVERTED, SCALE, ALL_HEADS
)
