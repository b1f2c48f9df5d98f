"""Exercises and questions of lesson 15, what is kept of a text."""

import torch

from ..judge.common import Draw, axes_told
from ..judge.exercise import Exercise
from ..words import tell

OUTPUTS = "batch", "heads", "queries", "features"


# Keys and values from a latent


def my_keys_and_values(
    z, W_b, num_heads, head_dim, *,
    rows="head by head", order="keys first", split="heads first", sizes="own", batch="each",
):  # fmt: skip
    made = z @ W_b.mT  # (batch, n, heads * (head_dim + value_dim))
    each = made.shape[-1] // num_heads
    if batch == "first":
        made = made[:1].expand_as(made)
    if rows == "all keys first":
        keys, values = made.split([num_heads * head_dim, num_heads * (each - head_dim)], -1)
        keys, values = (x.unflatten(-1, (num_heads, -1)).transpose(1, 2) for x in (keys, values))
        return keys, values
    if rows == "numbers first":
        made = made.unflatten(-1, (each, num_heads)).permute(0, 3, 1, 2)
    elif split == "view":
        made = made.reshape(len(z), num_heads, z.shape[1], each)
    else:
        made = made.unflatten(-1, (num_heads, each))
        made = made if split == "not moved" else made.transpose(1, 2)
    if sizes == "halves":
        halves = made[..., : each // 2], made[..., each - each // 2 :]
        return halves if order == "keys first" else halves[::-1]
    if sizes == "as wide as keys":  # where a head's rows begin
        rows_of = [range(2 * h * head_dim, 2 * h * head_dim + each) for h in range(num_heads)]
        if rows_of[-1][-1] < len(W_b):
            made = torch.stack([z @ W_b[list(r)].mT for r in rows_of], 1)
    if rows == "values at the end":
        last = (z @ W_b.mT)[..., num_heads * head_dim :]
        return made[..., :head_dim], last.unflatten(-1, (num_heads, -1)).transpose(1, 2)
    if order == "values first":
        values, keys = made.split([each - head_dim, head_dim], -1)
    else:
        keys, values = made.split([head_dim, each - head_dim], -1)
    return {"keys alone": keys, "swapped": (values, keys)}.get(order, (keys, values))


def _latents(seed):
    draw = Draw(1510 + seed)
    small = torch.tensor([[[1.0, 2.0]]]), torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), 1, 2
    cases = [small]
    for b, n, r, h, d, v in [(1, 2, 3, 2, 2, 1), (2, 3, 4, 3, 2, 4), (2, 4, 3, 2, 3, 3),
                             (1, 3, 2, 3, 4, 2), (2, 2, 5, 2, 1, 3)]:  # fmt: skip
        cases.append((draw.short(b, n, r), draw.short(h * (d + v), r), h, d))
    return cases


def _axes_of_both(case, got, expected):
    """What differs in the shape of keys or values."""
    if isinstance(got, tuple) and len(got) == 2 and all(isinstance(x, torch.Tensor) for x in got):
        told = (axes_told(MADE_AXES, a, b) for a, b in zip(got, expected, strict=True))
        return next(filter(None, told), None)
    return None


MADE_AXES = "batch", "heads", "tokens", "features"
MADE = Exercise(my_keys_and_values, cases=_latents, gradients=True, explain=_axes_of_both)


# A query carried to the latent


def my_carried(queries, K, *, which="own", product="d", scale="none", end="queries"):
    heads = K.shape[0]
    maps = {"own": K, "first head's": K[:1].expand_as(K), "mean": K.mean(0, keepdim=True),
            "summed": K.sum(0, keepdim=True), "reversed": K.flip(0),
            "not the last": torch.cat((K[:-1], torch.zeros_like(K[-1:])))}[which]  # fmt: skip
    if product == "reshaped":
        maps = maps.reshape(len(maps), K.shape[2], K.shape[1]).mT
    if product == "tokens and heads":
        b, h, n, d = queries.shape
        mixed = queries.reshape(b, n, h, d).transpose(1, 2) @ maps
        return mixed.transpose(1, 2).reshape(b, h, n, -1)
    if product == "undone":  # what K^-1 does
        return queries @ torch.linalg.pinv(maps).mT
    if product == "transposed" and K.shape[1] == K.shape[2]:
        maps = maps.mT
    carried = queries @ maps
    carried = {"sqrt d": carried / K.shape[1] ** 0.5, "sqrt r": carried / K.shape[2] ** 0.5,
               "d": carried / K.shape[1], "none": carried}[scale]  # fmt: skip
    if end == "heads summed":
        return carried.sum(1, keepdim=True).expand(-1, heads, -1, -1)
    if end == "softmax":
        return carried.softmax(-1)
    if end == "not moved":
        return carried.transpose(1, 2)
    return carried


def _queries_of_heads(seed):
    draw = Draw(1520 + seed)
    cases = [(torch.tensor([[[[1.0, 2.0]]]]), torch.tensor([[[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]]]))]
    for b, h, n, d, r in [(1, 2, 1, 2, 3), (2, 3, 4, 2, 5), (2, 2, 3, 3, 3), (1, 3, 2, 4, 2)]:
        cases.append((draw.short(b, h, n, d), draw.short(h, d, r)))
    return cases


CARRIED = Exercise(
    my_carried, cases=_queries_of_heads, gradients=True,
    explain=lambda case, got, expected: axes_told(
        ("batch", "heads", "tokens", "features"), got, expected
    ),
)  # fmt: skip


# One step of the delta rule


def my_delta_step(S, k, v, beta, *, rule="delta", times="error", place="k v", reads="columns"):
    said = k @ (S.mT if reads == "rows" and S.shape[0] == S.shape[1] else S)
    error = {"error": beta * (v - said), "value": beta * v - said, "said": v - beta * said,
             "none": v - said, "rest": (1 - beta) * (v - said),
             "new part": beta * v - (1 - beta) * said}[times]  # fmt: skip
    error = {"sum": beta * v, "added": beta * (v + said), "opposite": -error,
             "by length": beta * (v - said / (k @ k)),
             "normed": beta * (v - said) / (k @ k)}.get(rule, error)  # fmt: skip
    if rule == "length 1":
        k = k / k.norm()
        return S + torch.outer(k, beta * (v - k @ S))
    if rule == "every row":
        return S + beta * (v - said)
    if rule == "one row":
        row = torch.nn.functional.one_hot(k.argmax(), len(k)).to(k)
        return S + torch.outer(row, beta * (v - row @ S))
    if rule == "twice":
        S = S - beta * torch.outer(k, k @ S)
        return S + torch.outer(k, beta * (v - k @ S))
    if rule == "faded":
        return (1 - beta) * S + torch.outer(k, beta * v)
    if rule == "all at once":  # what the state says of all keys, not of this one
        return S + torch.outer(k, beta * (v - S.sum(0)))
    if place == "v k":
        return S + torch.outer(error, k) if len(k) == len(v) else torch.outer(error, k)
    written = torch.outer(k, error)
    return written if rule == "dropped" else S + written


def _states(seed):
    draw = Draw(1530 + seed)
    one = torch.tensor([[3.0], [0.0]]), torch.tensor([1.0, 0.0]), torch.tensor([5.0])
    cases = [(*one, torch.tensor(1.0)), (*one, torch.tensor(0.5))]
    for d, v in [(2, 3), (3, 3), (4, 2), (3, 1)]:
        beta = draw.whole(2, 9) / torch.tensor(10.0)
        cases.append((draw.short(d, v), draw.short(d), draw.short(v), beta))
    return cases


STEP = Exercise(
    my_delta_step, cases=_states, gradients=True,
    explain=lambda case, got, expected: axes_told(
        ("rows", "columns"), got, expected
    ),
)  # fmt: skip


# Bytes that a text takes


def my_kept_bytes(
    config, tokens, *,
    window="one less", latent="once", state="one size", shared="nothing", pair="both", heads="key",
    unit="bytes", layers="own",
):  # fmt: skip
    h = config.get("num_attention_heads" if heads == "query" else "num_key_value_heads", 0)
    pairs = (1 if pair == "keys" else 2) * (1 if heads == "one" else h) * config.get("head_dim", 0)
    span = config.get("sliding_window", 1)
    small, turned = config.get("kv_lora_rank", 0), config.get("qk_rope_head_dim", 0)
    size = config.get("linear_head_dim", 0)
    sliding = {"whole": min(tokens, span), "none": tokens, "always full": span - 1,
               "always whole": span}.get(window, min(tokens, span - 1))  # fmt: skip
    of_latent = {"once": small + turned, "twice": 2 * (small + turned),
                 "latent twice": 2 * small + turned, "no turned": small,
                 "heads": h * (small + turned), "turned of each": small + h * turned,
                 "added": small + turned + pairs}[latent]  # fmt: skip
    states = config.get("linear_num_heads", 0)
    squares = {"one size": states * size * size, "each token": tokens * states * size * size,
               "no heads": size * size, "a vector": states * size, "nothing": 0,
               "two": 2 * states * size * size,
               "pairs": tokens * 2 * states * size}[state]  # fmt: skip
    numbers = {
        "full_attention": tokens * pairs,
        "sliding_attention": sliding * pairs,
        "latent_attention": tokens * of_latent,
        "linear_attention": squares,
        "shared": {"nothing": 0, "counted": tokens * pairs, "window": sliding * pairs}[shared],
    }
    kinds = config["layer_types"]
    if layers == "one":
        kinds = kinds[:1]
    elif layers == "each kind once":
        kinds = [*dict.fromkeys(kinds)]
    elif layers == "as the first":
        kinds = len(kinds) * kinds[:1]
    total = sum(numbers[kind] for kind in kinds)
    if window == "for the rest" and SLIDES in kinds:  # the text is cut, also for later layers
        first, cut = kinds.index(SLIDES), min(tokens, span - 1)
        later = numbers | {FULL: cut * pairs, LATENT: cut * of_latent}
        total = sum((numbers if i < first else later)[kind] for i, kind in enumerate(kinds))
    bits = config["bits"]
    if unit == "whole bytes":
        return total * (bits // 8)
    return {"bytes": total * bits // 8, "bits": total * bits, "numbers": total,
            "two": 2 * total}[unit]  # fmt: skip


FULL, SLIDES, LATENT, LINEAR, SHARED = (
    "full_attention", "sliding_attention", "latent_attention", "linear_attention", "shared",
)  # fmt: skip


def _config(kinds, bits=16, heads=(4, 2), size=8, **others):
    return {"layer_types": kinds, "num_attention_heads": heads[0],
            "num_key_value_heads": heads[1], "head_dim": size, "bits": bits} | others  # fmt: skip


def _texts(seed):
    draw = Draw(1540 + seed)
    bare = {"layer_types": [LATENT], "num_attention_heads": 4, "bits": 8,
            "kv_lora_rank": 9, "qk_rope_head_dim": 2}  # fmt: skip
    window = {"sliding_window": 5}
    latent = {"kv_lora_rank": 12, "qk_rope_head_dim": 3}
    linear = {"linear_num_heads": 3, "linear_head_dim": 4}
    all_kinds = [FULL, SLIDES, LATENT, LINEAR, SHARED]
    return [
        (_config([FULL]), 1),
        (_config([FULL, FULL], 8, (4, 4)), 10),
        (_config([SLIDES, FULL], **window), 20),
        (_config([SLIDES, SLIDES], **window), 3),
        (_config([SLIDES, SLIDES, FULL], **window), 4),
        (_config([LATENT, LATENT], 16, (4, 4), **latent), 7),
        (_config([LINEAR, FULL], 32, **linear), 9),
        (_config([LINEAR], 16, **linear), 1000),
        (_config([FULL, SHARED], **window), 6),
        (_config([SLIDES, FULL, SHARED, SHARED], 4, **window), 11),
        (bare, 5),
        (_config([LATENT], 4, (2, 2), 3, kv_lora_rank=3, qk_rope_head_dim=2), 4),
        (_config(all_kinds, 8, (6, 3), 5, **window | latent | linear), draw.whole(7, 30)),
        (_config(126 * [FULL], 16, (128, 8), 128), 1),  # Llama 3.1 405B
        (_config(61 * [LATENT], 16, (128, 128), 128, kv_lora_rank=512, qk_rope_head_dim=64), 1),
        (_config(18 * [SLIDES, FULL], 16, (64, 8), 64, sliding_window=128), 100_000),  # gpt-oss
        (_config(12 * [LINEAR, LINEAR, LINEAR, FULL], 16, (16, 2), 256,  # Qwen3-Next
                 linear_num_heads=32, linear_head_dim=128), 100_000),
    ]  # fmt: skip


KEPT = Exercise(my_kept_bytes, cases=_texts, kinds=True)


# Attention in the latent


def my_latent_attention(
    queries, turned_queries, z, turned_keys, K, V, *,
    scale="both", mask="causal", turned="added", values="own", softmax="keys", roles="own",
):  # fmt: skip
    d, t, r = queries.shape[-1], turned_queries.shape[-1], z.shape[-1]
    z, turned_keys = z.unsqueeze(1), turned_keys.unsqueeze(1)
    maps = K[:1].expand_as(K) if roles == "first head's keys" else K
    met = queries @ (z @ maps.mT).mT
    with_turn = turned_queries @ turned_keys.mT
    if turned == "averaged":
        with_turn = with_turn.mean(1, keepdim=True)
    if turned == "scaled apart":
        scores = met / d**0.5 + with_turn / t**0.5
    elif scale == "turned alone":
        scores = met + with_turn / (d + t) ** 0.5
    elif scale == "made alone":
        scores = met / (d + t) ** 0.5 + with_turn
    else:
        scores = {"left out": met, "alone": with_turn,
                  "times": met * with_turn}.get(turned, met + with_turn)  # fmt: skip
        size = {"both": d + t, "d": d, "t": t, "r": r, "r + t": r + t, "none": 1}[scale]
        scores = scores / size**0.5
    earlier = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if mask == "strict":
        earlier = earlier.tril(-1)
        earlier[0, 0] = True
    if mask == "the next, too":
        earlier = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(1)
    if mask in ("causal", "strict", "the next, too"):
        scores = scores.masked_fill(~earlier, -torch.inf)
    elif mask == "later":
        scores = scores.masked_fill(earlier.tril(-1), -torch.inf)
    elif mask == "zero":
        scores = scores.masked_fill(~earlier, 0)
    if softmax == "two":
        both = (x / (d + t) ** 0.5 for x in (met, with_turn))
        weights = sum(x.masked_fill(~earlier, -torch.inf).softmax(-1) for x in both) / 2
    else:
        weights = scores.softmax({"keys": -1, "queries": -2}[softmax])
    if mask == "after":
        weights = weights * earlier
    made = z @ {"own": V, "first head's": V[:1].expand_as(V), "keys'": K}[values].mT
    return weights @ made


def _texts_in_latents(seed):
    draw = Draw(1550 + seed)
    cases = []
    for b, h, n, d, t, r, v in [(1, 1, 2, 1, 2, 2, 1), (1, 2, 3, 2, 2, 3, 2), (2, 3, 4, 3, 2, 4, 3),
                                (2, 2, 3, 2, 4, 3, 1), (1, 3, 1, 2, 2, 5, 2)]:  # fmt: skip
        cases.append((draw.short(b, h, n, d), draw.short(b, h, n, t), draw.short(b, n, r),
                      draw.short(b, n, t), draw.short(h, d, r), draw.short(h, v, r)))  # fmt: skip
    return cases


ABSORBED = Exercise(
    my_latent_attention, cases=_texts_in_latents, tolerance=1e-4,
    explain=lambda case, got, expected: axes_told(OUTPUTS, got, expected),
)  # fmt: skip


# The gated delta rule


def my_gated_delta(
    queries, keys, values, beta, decay, *,
    fades="before", reads="after", rule="delta", times="error", scale="none", out="each",
):  # fmt: skip
    S, outputs = torch.zeros(keys.shape[-1], values.shape[-1]).to(values), []
    if fades == "one late":
        decay = torch.cat((torch.ones(1), decay[:-1]))
    elif fades == "all so far":
        decay = decay.cumprod(0)
    elif fades == "a power":
        decay = torch.exp(-decay)
    if rule == "swapped":
        beta, decay = decay, beta
    for q, k, v, b, a in zip(queries, keys, values, beta, decay, strict=True):
        before = S
        S = {"none": S, "rest": (1 - a) * S, "root": a.sqrt() * S}.get(fades, a * S)
        said = k @ (before if fades == "after the error" else S)
        if fades == "twice":
            said = a * said
        error = {"error": b * (v - said), "value": b * v - said, "none": v - said,
                 "said": v - b * said}[times]  # fmt: skip
        error = {"sum": b * v, "added": b * (v + said)}.get(rule, error)
        if fades == "all":  # what is new fades, too, and the error is that of the whole state
            S = a * (before + torch.outer(k, b * (v - k @ before)))
        elif fades == "error alone":
            S = before + torch.outer(k, error)
        elif rule == "faded":
            S = (1 - b) * S + torch.outer(k, b * v)
        else:
            S = S + torch.outer(k, error)
        read = {"before": before, "faded": a * before}.get(reads, S)
        outputs.append(q @ read)
    made = torch.stack(outputs)
    if reads == "the last":
        made = queries @ S
    if out == "last":
        return made[-1]
    return {"sqrt d": made / keys.shape[-1] ** 0.5, "d": made / keys.shape[-1],
            "none": made}[scale]  # fmt: skip


def _written(seed):
    draw = Draw(1560 + seed)
    cases = [(torch.tensor([[1.0]]), torch.tensor([[1.0]]), torch.tensor([[3.0]]),
              torch.tensor([1.0]), torch.tensor([0.5]))]  # fmt: skip
    for n, d, v in [(2, 1, 1), (3, 2, 1), (4, 3, 2), (5, 2, 3), (6, 4, 4)]:
        keys = draw.normal(n, d)
        keys = keys / keys.norm(dim=-1, keepdim=True)
        shares = [draw.whole(2, 9, n) / 10 for _ in range(2)]
        cases.append((draw.short(n, d), keys, draw.short(n, v), *shares))
    return cases


GATED = Exercise(
    my_gated_delta, cases=_written, tolerance=1e-4,
    explain=lambda case, got, expected: axes_told(("tokens", "features"), got, expected),
)  # fmt: skip


# A window's cache, written in place


def my_slots(keys, slots, *, place="remainder", first="zeros", positions="own", n="all"):
    total, places = len(keys), torch.full((slots,), -1)
    held = torch.zeros(slots, keys.shape[-1]).to(keys)
    for t in range(total):
        where = {"remainder": t % slots, "from 1": (t + 1) % slots, "clamped": min(t, slots - 1),
                 "backwards": (-t - 1) % slots, "one slot less": t % max(slots - 1, 1)}  # fmt: skip
        at = where.get(place, t % slots)
        if place == "first stay" and t >= slots:
            continue
        held[at], places[at] = keys[t], t
    if place == "shifted":  # in order of time, as a cache that is cut
        last = min(total, slots)
        held[:last], places[:last] = keys[total - last :], torch.arange(total - last, total)
    elif place == "rolled back" and total > slots:
        turn = -(total % slots)
        held = keys[-slots:].roll(turn, 0)
        places = torch.arange(total - slots, total).roll(turn)
    elif place == "whole rounds" and total > slots:
        start = (total // slots - 1) * slots
        held, places = keys[start : start + slots], torch.arange(start, start + slots)
    elif place == "added":
        held = torch.zeros_like(held).index_add(0, torch.arange(total) % slots, keys)
    elif place == "wiped" and total:
        gone = places < (total - 1) // slots * slots
        held, places = held.masked_fill(gone[:, None], 0), places.masked_fill(gone, -1)
    elif place == "at the end":
        last = min(total, slots)
        held, places = 0 * held, 0 * places - 1
        held[slots - last :] = keys[total - last :]
        places[slots - last :] = torch.arange(total - last, total)
    if first == "repeated" and total:
        held[places < 0] = keys[0]
    if positions == "zeros" or (positions == "zeros of nothing" and not total):
        places = places.clamp(min=0)
    elif positions == "from 1":
        places = torch.where(places < 0, places, places + 1)
    elif positions == "slots":
        places = torch.where(places < 0, places, torch.arange(slots))
    elif positions == "age":
        places = torch.where(places < 0, places, total - 1 - places)
    made = held, places
    return {"all": made, "swapped": made[::-1], "keys": held}[n]


def _rings(seed):
    draw = Draw(1570 + seed)
    sizes = (0, 2, 2), (1, 3, 2), (3, 3, 2), (5, 3, 2), (8, 4, 1), (4, 4, 3), (9, 2, 2), (3, 1, 2)
    return [(draw.short(n, d), slots) for n, slots, d in sizes]


SLOTS = Exercise(my_slots, cases=_rings)


# The best keys alone


def my_best_keys(
    index, scores, values, k, *,
    by="index", over="keys", rest="-inf", future="left out", count="k", ask="each head",
    batch="each",
):  # fmt: skip
    n = scores.shape[-1]
    allowed, itself = torch.ones(n, n, dtype=torch.bool).tril(), torch.eye(n, dtype=torch.bool)
    if batch == "first":
        index = index[:1].expand_as(index)
    if ask == "last query's":
        index = index[:, -1:].expand_as(index)
    by_index = index.unsqueeze(1)
    chosen_by = {"index": by_index, "scores": scores, "both": by_index + scores,
                 "mean of scores": scores.mean(1, keepdim=True),
                 "lowest": -by_index}[by]  # fmt: skip
    if future == "zero":
        chosen_by = chosen_by * allowed
    elif future not in ("chosen", "chosen, itself too"):
        chosen_by = chosen_by.masked_fill(~allowed, -torch.inf)
    if ask == "last query's":
        chosen_by = by_index
    axis = {"keys": -1, "queries": -2}[over]
    many = {"k": k, "one more": k + 1, "one less": max(k - 1, 1), "all": n}.get(count, k)
    best = chosen_by.topk(min(many, n), axis).indices
    best = torch.zeros(chosen_by.shape, dtype=torch.bool).scatter(axis, best, True)
    kept = best if future == "read" else best & allowed
    if future == "chosen, itself too" or count == "itself besides" or ask == "last query's":
        kept = kept | itself
    if future == "newest":
        kept = allowed & ~allowed.tril(-k)
    kept = kept.expand_as(scores)
    if rest in ("zero", "zero before"):
        low = scores.masked_fill(~kept, 0)
        low = low.masked_fill(~allowed, -torch.inf) if rest == "zero before" else low
        weights = low.softmax(-1)
    elif rest == "after":
        weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1) * kept
    elif rest == "equal":
        weights = kept / kept.sum(-1, keepdim=True)
    else:
        read = by_index.expand_as(scores) if ask == "index" else scores
        read = scores + by_index if ask == "sum" else read
        weights = read.masked_fill(~kept, -torch.inf).softmax(-1)
        if future == "zero":  # where nothing is kept, all equal
            weights = weights.nan_to_num(1 / n)
        elif future == "chosen":
            weights = weights.nan_to_num()
    return weights @ values


def _indexed(seed):
    draw = Draw(1580 + seed)
    cases = [(torch.tensor([[[0.0, 9.0], [2.0, 1.0]]]), torch.zeros(1, 1, 2, 2),
              torch.tensor([[[[4.0], [8.0]]]]), 1)]  # fmt: skip
    for b, h, n, v, k in [(1, 2, 3, 1, 2), (2, 2, 4, 2, 2), (1, 3, 5, 3, 3), (2, 1, 6, 2, 1),
                          (1, 2, 3, 2, 8)]:  # fmt: skip
        cases.append((draw.normal(b, n, n), draw.short(b, h, n, n), draw.short(b, h, n, v), k))
    return cases


BEST = Exercise(
    my_best_keys, cases=_indexed, tolerance=1e-4,
    explain=lambda case, got, expected: axes_told(OUTPUTS, got, expected),
)  # fmt: skip


EXERCISES, QUESTIONS = tell(
    __name__, MADE, CARRIED, STEP, KEPT, ABSORBED, GATED, SLOTS, BEST
)  # fmt: skip
