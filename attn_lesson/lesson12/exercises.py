"""Exercises and questions of lesson 12, long texts."""

import math

import torch
from torch.nn.functional import elu

from ..judge.common import Draw, raised_told
from ..judge.compare import same
from ..judge.exercise import Exercise
from ..words import sentences, tell

say = sentences(__name__)

# A running average


def my_running_average(
    scores, values, *,
    largest="so far", start="-inf", unit="new", shrink="both", divide="sum", rows="each",
    own="now", weigh="scores",
):  # fmt: skip
    found, total, output = [], torch.zeros(()), torch.zeros_like(values[0])
    scores = scores.clamp(-50, 50) if largest == "cut off" else scores
    scores = torch.zeros_like(scores) if weigh == "equal" else scores
    zero, one = torch.zeros(()), torch.ones(())
    top = zero if start == "zero" else torch.tensor(-math.inf)
    whole = (scores - scores.max()).exp().sum() if divide == "all" else None
    for i, (s, v) in enumerate(zip(scores, values, strict=True)):
        if weigh == "last alone" and i:  # the mean so far counts as the last key does
            total = (scores[i - 1] - top).exp()
            output = found[-1] * total
        ways = {"none": zero, "all": scores.max(), "newest": s, "first": scores[0],
                "end": scores[-1]}  # fmt: skip
        new = ways.get(largest, torch.maximum(top, s))
        less = {"turned": (new - top).exp(), "none": one}.get(shrink, (top - new).exp())
        if i == 0 or largest in ("none", "all", "first", "end"):
            less = one
        weight = (s - (top if unit == "old" and i else new)).exp()
        if own != "now":
            found.append(output / total)
        total = total * (1 if shrink == "output" else less) + weight
        output = output * (1 if shrink == "total" else less) + weight * v
        top = s if largest == "last" else new
        if own == "now":
            found.append(output / {"none": 1, "count": i + 1, "all": whole}.get(divide, total))
    if own == "late, the first its own":
        found[0] = values[0]
    result = torch.stack(found)
    if rows == "same":
        return result[-1].expand_as(result).clone()
    return result[-1] if rows == "last" else result


def _keys_to_come(seed):
    draw = Draw(1200 + seed)
    cases = [(torch.tensor([0.0, 0.0]), torch.tensor([[2.0], [4.0]]))]
    for m, v in [(3, 2), (5, 3), (6, 1)]:
        cases.append((2 * draw.short(m), draw.short(m, v)))
    far = torch.tensor([-1000.0, -999, -1001]), torch.tensor([800.0, 1000, 998, 1000])
    steps = torch.tensor([-1000.0, 0.0, 1000.0, 999.0]), torch.tensor([1000.0, 0.0, -1000.0, -1e3])
    return [*cases, *((s, draw.short(len(s), 2)) for s in (*far, *steps))]


SOFTMAX = {name: say("no softmax") for name in (
    "torch.softmax", "torch.Tensor.softmax", "torch.nn.functional.softmax",
    "torch.log_softmax", "torch.nn.functional.log_softmax", "attn_teach.masked_softmax",
    "attn_teach.attend")}  # fmt: skip
RUNNING = Exercise(my_running_average, cases=_keys_to_come, forbids=SOFTMAX, tolerance=1e-4)


# Two halves


def my_merge(
    output_a, log_a, output_b, log_b, *, weigh="sums", divide="both", axis="halves", best="no"
):
    logs = torch.stack([log_a, log_b])  # (2, n)
    pair = {"first twice": (output_a, output_a), "second twice": (output_b, output_b)}
    both = torch.stack(pair.get(best, (output_a, output_b)))  # (2, n, v)
    if axis == "one":
        logs = logs.mean(1, keepdim=True).expand_as(logs)
    if best == "yes":
        return torch.where((log_a > log_b)[:, None], output_a, output_b)
    if divide.startswith("twice"):
        logs = logs - logs.amax(0) if divide == "twice, raised" else logs
        return both.sum(0) / torch.logaddexp(*logs).exp()[:, None]
    first, far, total = log_a.sigmoid(), (log_b - log_a).exp(), log_a + log_b
    shares = {
        "sums": lambda: logs.softmax(1 if axis == "queries" else 0),
        "equal": lambda: torch.full_like(logs, 0.5),
        "logs": lambda: logs / logs.sum(0),
        "plain": lambda: logs.exp() / logs.exp().sum(0),
        "swapped": lambda: logs.flip(0).softmax(0),
        "first": lambda: torch.stack([1 / (1 + far), far / (1 + far)]),
        "second": lambda: torch.stack([(1 / far) / (1 + 1 / far), 1 / (1 + 1 / far)]),
        "one log": lambda: torch.stack([first, 1 - first]),
        "other log": lambda: torch.stack([1 - log_b.sigmoid(), log_b.sigmoid()]),
        "sum": lambda: torch.stack([total.sigmoid(), 1 - total.sigmoid()]),
        "minus the sum": lambda: torch.stack([1 - total.sigmoid(), total.sigmoid()]),
        "base 2": lambda: (logs * math.log(2)).softmax(0),
        "one maximum": lambda: (logs - logs.max()).exp() / (logs - logs.max()).exp().sum(0),
    }[weigh]()
    raised = (logs - logs.amax(0)).exp()
    ways = {"none": logs.exp(), "largest": raised, "halves": raised / 2}
    shares = ways.get(divide, shares)
    return (shares[..., None] * both).sum(0)


def _halves(seed):
    draw = Draw(1220 + seed)
    cases = [
        (torch.tensor([[2.0]]), torch.tensor([3.0]).log(), torch.tensor([[6.0]]), torch.zeros(1))
    ]
    for n, v in [(3, 2), (4, 3), (2, 5)]:
        cases.append((draw.short(n, v), draw.short(n), draw.short(n, v), draw.short(n)))
    for middle in (1000.0, -1000.0):
        logs = middle + draw.short(3), middle + draw.short(3)
        cases.append((draw.short(3, 2), logs[0], draw.short(3, 2), logs[1]))
    far = torch.tensor([1000.0, -1000]), torch.tensor([999.0, -1002])  # queries far apart
    apart = torch.tensor([200.0, -200]), torch.tensor([-200.0, 200])  # and halves
    return [*cases, *((draw.short(2, 3), a, draw.short(2, 3), b) for a, b in (far, apart))]


MERGE = Exercise(my_merge, cases=_halves, tolerance=1e-4)  # a log near 1000 is rounded


# Which blocks?


def my_needed_blocks(
    n, window, sinks, size, *,
    any="any", ahead="hidden", sink="tokens", edge="right", out="blocks", turn="queries",
):  # fmt: skip
    i = torch.arange(n)
    back = i[:, None] - i
    reach = window + {"one more": 1, "one less": -1}.get(edge, 0)
    of = i // size  # the block of each token
    sets = {"none": i < 0, "blocks": i < sinks * size, "rounded": of <= sinks // size,
            "whole blocks": of < sinks // size,
            "after": (i < sinks) & (i[:, None] >= sinks)}  # fmt: skip
    first = sets.get(sink, i < sinks).expand(n, n)
    ways = {"blocks": of[:, None] - of <= window // size,
            "blocks as tokens": of[:, None] - of < window,
            "from below 0": (back < window) & (i[:, None] >= window - 1)}  # fmt: skip
    own = ways.get(edge, back < reach)
    if sink == "left out":
        own, first = own & (i >= sinks), first & (i < 0)
    ahead_too = own & (-back < window)
    seen = {"shown": ahead_too | first, "both ways": ahead_too | first & (back >= 0),
            "sinks": own & (back >= 0) | first, "forgotten": own | first}  # fmt: skip
    seen = seen.get(ahead, ((own & first) if sink == "both" else own | first) & (back >= 0))
    if out == "pairs":
        return seen
    blocks = seen.view(n // size, size, n // size, size)
    found = {
        "any": lambda: blocks.any(3).any(1),
        "all": lambda: blocks.all(3).all(1),
        "out of order": lambda: seen.view(2 * [n // size] + 2 * [size]).any(3).any(2),
        "first": lambda: blocks[:, 0, :, 0],
        "last": lambda: blocks[:, -1, :, 0],
    }[any]()
    return found.mT.contiguous() if turn == "keys" else found


def _cuts(seed):
    return [(6, 2, 0, 2), (6, 2, 1, 2), (12, 4, 0, 3), (12, 2, 5, 3), (12, 7, 1, 4), (16, 5, 3, 2),
            (10, 1, 0, 5), (12, 6, 4, 3), (15, 3, 7, 3), (8, 1, 5, 2), (48, 40, 0, 16)]  # fmt: skip


BLOCKS = Exercise(my_needed_blocks, cases=_cuts)


# An attention that skips


def my_skipping_attention(
    scores_of, values, needed, *,
    visit="needed", softmax="row", rest="hidden", average="the block's own", turn="queries",
    block="as it is", running="no",
):  # fmt: skip
    blocks, size = len(needed), len(values) // len(needed)
    asked, rows = needed.mT if turn == "keys" else needed, []
    if rest == "zeros":  # what is not visited counts as a score of 0
        table = torch.zeros(len(values), len(values))
        for a, b in asked.nonzero().tolist():
            table[a * size : (a + 1) * size, b * size : (b + 1) * size] = scores_of(a, b)
        return table.softmax(-1) @ values
    parts = values.split(size)
    for a in range(blocks):
        seen = [b for b in range(blocks) if asked[a, b]]
        ways = {"all": range(blocks), "up to the diagonal": range(a + 1), "own": [a],
                "in between": range(seen[0], seen[-1] + 1), "first": seen[:1],
                "twice": seen + seen}  # fmt: skip
        found = [scores_of(a, b) for b in ways.get(visit, seen)]
        if block != "as it is":
            found = [s.T if block == "turned" else s.nan_to_num(neginf=0) for s in found]
        which = seen if visit == "twice" else ways.get(visit, seen)
        found = found[: len(which)]
        others = {"the queries' block": [a] * len(which), "from the start": range(len(which))}
        mine = [parts[b] for b in others.get(average, which)]
        if softmax in ("block", "block as it comes", "mean"):
            shares = [block.softmax(-1) for block in found]
            if softmax != "block as it comes":
                shares = [share.nan_to_num() for share in shares]
            output = sum(share @ part for share, part in zip(shares, mine, strict=True))
            rows.append(output / (len(which) if softmax == "mean" else 1))
            continue
        if softmax == "last":
            found, mine = found[-1:], mine[-1:]
        if running != "no":
            rows.append(_running(running, found, mine))
            continue
        scores = torch.cat(found, 1)
        weights = scores.softmax(0 if softmax == "queries" else 1)
        if softmax in ("not divided", "no maximum"):
            weights = scores.exp()
            weights = weights / (weights.sum(1, keepdim=True) if softmax == "no maximum" else 1)
        if softmax == "from the left":  # minus infinity minus minus infinity is no number
            weights[found[0].isneginf().all(1)] = torch.nan
        rows.append(weights @ torch.cat(mine))
    return torch.cat(rows)


def _running(how, found, parts):
    """The outputs of a running softmax that forgets something, from the diagonal or to it."""
    if how == "share of queries":
        outputs = [s.softmax(1).nan_to_num() @ v for s, v in zip(found, parts, strict=True)]
        shares = torch.stack([s.logsumexp(1) for s in found]).softmax(1).nan_to_num()
        return (shares[..., None] * torch.stack(outputs)).sum(0)
    pairs = list(zip(found, parts, strict=True))
    top, total, output = torch.tensor(-torch.inf), torch.zeros(()), torch.zeros(())
    for s, v in pairs if how.endswith("to it") else pairs[::-1]:
        own = s.amax(1, keepdim=True)
        new = own if how == "own" else torch.maximum(top, own)
        shares, less = (s - new).exp().nan_to_num(), (top - new).exp().nan_to_num()
        total = total * (less if how.startswith("sum") else 1) + shares.sum(1, keepdim=True)
        output = output * (less if how.startswith("output") else 1) + shares @ v
        top = new
    return output / total


def _counted(function, scores, values, needed):
    """The outputs, how many blocks were visited for them, and how many that nobody needs."""
    size, visits = len(values) // len(needed), []

    def scores_of(a, b):
        visits.append((a, b))
        return scores.view(len(needed), size, len(needed), size)[int(a), :, int(b)]

    output = function(scores_of, values, needed)
    astray = sum(not needed[int(a), int(b)] for a, b in visits)
    return (output, len(visits), astray) if isinstance(output, torch.Tensor) else output


def _visits(case, got, expected):
    """How often blocks are visited, where the outputs are right."""
    if not isinstance(got, tuple):
        return None
    if len(got[0]) != len(expected[0]):
        return say("outputs of blocks", rows=len(got[0]), tokens=len(expected[0]))
    if same(got[0], expected[0], 1e-4):
        return say("visits", visits=got[1], needed=expected[1])
    return say("astray", astray=got[2], visits=got[1]) if got[2] else None


def _tables(seed):
    draw = Draw(1230 + seed)

    def case(n, window, sinks, size, v, times=1):
        i = torch.arange(n)
        back = i[:, None] - i
        seen = (back >= 0) & ((back < window) | (i < sinks))
        scores = (times * draw.short(n, n)).masked_fill(~seen, -torch.inf)
        return scores, draw.short(n, v), my_needed_blocks(n, window, sinks, size)

    shapes = (4, 1, 0, 2, 1), (6, 2, 0, 2, 2), (6, 1, 1, 1, 3), (8, 3, 1, 2, 2), (9, 2, 2, 3, 4)
    return [*(case(*shape) for shape in shapes), case(6, 2, 1, 2, 2, 100), case(12, 3, 2, 2, 3)]


SKIPPING = Exercise(
    my_skipping_attention, cases=_tables, run=_counted, explain=_visits, tolerance=1e-4,
    numbers={"visits": lambda case, got, expected: got[1],
             "needed": lambda case, got, expected: expected[1]},
)  # fmt: skip


# A state in place of a cache


def my_linear_attention(
    queries, keys, values, *, order="add first", divide="weights", weights="products", state="sum"
):
    n = len(queries)
    if weights == "elu":
        queries, keys = elu(queries) + 1, elu(keys) + 1
    products = queries @ keys.mT
    products = products.exp() if weights == "softmax" else products
    whole = torch.ones(n, n).to(products)
    seen = whole if order == "all" else whole.tril(-1 if order == "read first" else 0)
    seen = torch.eye(n).to(products) if state == "last" else seen
    seen = whole.triu() if order == "later" else seen
    if state == "fades":
        i = torch.arange(n)
        seen = seen * 0.9 ** (i[:, None] - i).clamp(min=0)
    products = products.diagonal().expand(n, n) if weights == "own time" else products
    w = products * seen
    if order == "read first, but the first":
        w = products * whole.tril(-1)
        w[0, 0] = 1
    by = {
        "weights": w.sum(-1, keepdim=True),
        "none": 1,
        "count": seen.sum(-1, keepdim=True),
        "keys": (seen @ keys).sum(-1, keepdim=True),
        "state": (seen @ keys).sum(-1, keepdim=True) * values.sum(),
        "all": products.sum(-1, keepdim=True),
        "at least 1": w.sum(-1, keepdim=True).clamp(min=1),
        "1 more": w.sum(-1, keepdim=True) + 1,
        "own key": products.diagonal()[:, None],
        "own products": products.diagonal().cumsum(0)[:, None],
    }[divide]
    return w @ values / by


def _features(seed):
    draw = Draw(1240 + seed)
    cases = [(torch.tensor([[0.5]]), torch.tensor([[2.0]]), torch.tensor([[3.0, 1.0]]))]
    for n, d, v in [(3, 2, 1), (4, 3, 2), (5, 2, 4), (6, 4, 3), (20, 2, 1)]:
        q, k = (draw.short(n, d).abs() + 0.1 for _ in range(2))
        q, k = (q / 100, k / 100) if n == 6 else (q, k)
        cases.append((q, k, draw.short(n, v)))
    return cases


def _small_in_divisor(case, got, expected):
    w = (case[0] @ case[1].mT).tril()
    return raised_told("divisor", lambda up: w @ case[2] / up(w.sum(-1, keepdim=True)), got)


LINEAR = Exercise(my_linear_attention, cases=_features, explain=_small_in_divisor)


# What a cache takes


def my_cache_bytes(
    tokens, layers, kv_heads, size, latent, turned, bits, *,
    parts="both", heads="each", layer="each", unit="bytes", compressed="one",
):  # fmt: skip
    count = 1 if heads == "left out" else kv_heads
    full = (1 if parts == "keys" else 2) * count * size
    small = {
        "one": latent + turned,
        "twice": 2 * latent + turned,
        "two of both": 2 * (latent + turned),
        "heads": kv_heads * latent + turned,
        "all heads": kv_heads * (latent + turned),
        "no turn": latent,
        "turn for each": latent + kv_heads * turned,
        "added": latent + turned + full,
        "values": latent + 2 * turned,
        "left out": full,
        "asks turned": latent + turned,
        "turns always": latent + turned,
    }[compressed]
    full += turned if compressed == "turns always" else 0
    each = small if (turned if compressed == "asks turned" else latent) else full
    numbers = tokens * (1 if layer == "left out" else layers) * each
    if layer == "turn once" and latent:
        numbers = tokens * (layers * latent + turned)
    numbers = numbers * tokens if parts == "pairs" else numbers
    if unit == "rounded down":
        return numbers * (bits // 8)
    per_token = numbers // tokens
    if unit == "token":
        return tokens * (per_token * bits // 8)
    if unit == "layer":
        return layers * (tokens * each * bits // 8)
    if unit == "layer of a token":
        return tokens * layers * (each * bits // 8)
    if unit in ("whole bytes", "a byte at least"):
        return numbers * (-(-bits // 8) if unit == "whole bytes" else max(1, bits // 8))
    if unit == "half bytes":
        return numbers * (bits // 4) // 2
    if unit == "vectors" and not latent:
        return numbers // size * (size * bits // 8)
    return {"bits": numbers * bits, "four": numbers * 4}.get(unit, numbers * bits // 8)


def _models(seed):
    full = [(1, 30, 3, 64, 0, 0, 32), (10, 2, 4, 8, 0, 0, 16), (8, 3, 2, 16, 0, 0, 4)]
    odd = [(3, 1, 2, 5, 0, 0, 4), (4, 1, 1, 8, 0, 4, 6), (2, 3, 4, 8, 16, 0, 16)]
    latent = [(1, 2, 4, 8, 16, 4, 16), (100, 5, 8, 32, 24, 6, 8), (7, 4, 1, 8, 12, 2, 32)]
    odd += [(4, 2, 1, 3, 0, 0, 5), (2, 4, 1, 3, 0, 0, 5), (6, 1, 2, 4, 7, 2, 4),
            (2, 12, 1, 1, 0, 0, 5), (2, 3, 2, 4, 0, 0, 12)]  # fmt: skip
    return [*full, *latent, *odd, (100003, 7, 3, 5, 24, 7, 8)]  # more than float32 tells apart


CACHE = Exercise(my_cache_bytes, cases=_models, kinds=True)


EXERCISES, QUESTIONS = tell(__name__, RUNNING, MERGE, BLOCKS, SKIPPING, LINEAR, CACHE)
