"""Exercises and questions of lesson 01, kernel regression."""

import math
from functools import partial

import torch

from attn_teach.attention import attend
from attn_teach.kernels import kernel_regression

from ..judge.common import Draw, played, weighed
from ..judge.exercise import Exercise
from ..words import sentences, tell

say = sentences(__name__)


def _case(*parts):
    """Arguments of a case: lists become tensors."""
    return tuple(torch.tensor(a).float() if isinstance(a, list) else a for a in parts)


# The four kernels


def _scaled_distances(seed):
    draw = Draw(seed)
    far = draw.normal(2, 1, 7)
    return [
        _case([-2, -1, -0.5, 0, 0.5, 1.5]),
        _case([[1, -1, 0.25, 3], [0, -0.75, 40, -1.25]]),
        (draw.normal(3, 5, 2),),
        (far + 1.2 * far.sign(),),  # nothing in reach
        # Gradients are taken of the last case: none at 0 and 1, where a kernel may have a kink.
        _case([0.75, 0.5, -0.75, 2, 0.25, -1.5]),
    ]


def _inside(u):
    return (u.abs() <= 1).to(u.dtype)


def _bump(kernel, u, side="both", width=1, height="one", turned=False, whole="no"):
    """A kernel with the mistakes that any kernel may have."""
    u = {"rounded": u.round(), "cut": u.trunc()}.get(whole, u) / width
    faded = kernel({"negative as 0": u.clamp(min=0), "positive as 0": u.clamp(max=0)}.get(side, u))
    faded = faded * {"positive": u >= 0, "negative": u <= 0}.get(side, True)
    faded = 1 - faded if turned else faded
    if height == "one":
        return faded
    return faded.softmax(-1) if height == "rows" else faded / getattr(faded, height)()


def _cut(line, u, cut):
    """A line or parabola, cut off where it falls below 0."""
    if cut == "dropped":
        return line[u.abs() <= 1]
    kept = {"right": u <= 1, "left": u >= -1}.get(cut, True)
    changes = {"floor": line.relu(), "swapped": (-line).relu(), "abs": line.abs()}
    changes["ceiling"] = line.clamp(max=0)
    return (changes | {"turned": (1 - line) * _inside(u)}).get(cut, line) * kept


def _size(u, size):
    sizes = {
        "abs": u.abs(),
        "square": u * u,
        "cube": u.abs() ** 3,
        "none": u,
        "half square": u * u / 2,
    }
    rest = {"whole": 2 * u - u * u, "whole size": 2 * u.abs() - u * u}
    sizes |= {"plus": -u.abs(), "plus square": -u * u}
    sizes |= {"signed": u * u.abs(), "sum": (u * u).sum(-1), "double square": 2 * u * u, **rest}
    inner = {"inside": u, "half inside": u.abs() / 2, "half square inside": u * u / 2,
             "whole inside": rest["whole"], "whole size inside": rest["whole size"]}  # fmt: skip
    sizes |= {name: size.masked_fill(u.abs() > 1, 1) for name, size in inner.items()}
    return sizes[size]


def my_gaussian(
    u, *, size="square", half="after", sign=-1, density=False, through="exp", reach="all", **knobs
):
    def kernel(u):
        exponent = sign * _size(u / 2 if half == "before" else u, size)
        halves = {"after": exponent / 2, "//": exponent // 2, "// first": -(-exponent // 2)}
        exponent = halves.get(half, exponent)
        nearness = {"exp": exponent.exp(), "score": exponent, "two": 2**exponent,
                    "softmax": exponent.softmax(-1), "softmax 0": exponent.softmax(0),
                    "inverse": 1 / (1 - exponent)}[through]  # fmt: skip
        nearness = nearness * _inside(u) if reach == "one" else nearness
        nearness = nearness / 2 if half == "outside" else nearness
        return nearness / math.sqrt(2 * math.pi) if density else nearness

    return _bump(kernel, u, **knobs)


def my_boxcar(u, *, edge="<=", gives="one", truth=False, **knobs):
    def kernel(u):
        distance = u.abs()
        inside = distance < 1 if edge == "<" else distance <= 1
        values = {"u": u, "distance": distance}.get(gives, torch.ones_like(u))
        values = values * (inside | (gives == "always"))
        values = distance.clamp(max=1) if gives == "limited" else values
        values = values - (distance == 1) / 2 if edge == "half" else values
        return values[inside] if gives == "dropped" else values

    result = _bump(kernel, u, **knobs)
    return result != 0 if truth else result


def my_triangular(u, *, size="abs", cut="floor", **knobs):
    return _bump(lambda u: _cut(1 - _size(u, size), u, cut), u, **knobs)


def my_epanechnikov(u, *, size="square", cut="floor", density=False, **knobs):
    factor = 0.75 if density else 1
    return _bump(lambda u: factor * _cut(1 - _size(u, size), u, cut), u, **knobs)


def _with(answer, **knobs):
    """Settings that seldom meet others: whole wrong versions, which are not tried in pairs."""
    return {s: partial(answer, **{knob: s}) for knob, settings in knobs.items() for s in settings}


def _at(place):
    """What the learner's kernel gives at a place of the case that is shown."""
    return lambda case, got, expected: got[case[0] == place][0].item()


def _regions(case, got, expected):
    """Where a kernel is wrong: a sentence, if it is right elsewhere."""
    if got.shape != expected.shape or not got.isfinite().all():
        return None
    u, off, high = case[0], (got - expected).abs() > 1e-5, expected > 1e-3
    times = got[high] / expected[high]
    if len(times) > 2 and times[0] and (got - times[0] * expected).abs().max() < 1e-4:
        return say("in the case below", times=times[0])
    for decimals in (1, 3, 4):  # 2 are a change of any result
        if (got - expected.round(decimals=decimals)).abs().max() < 1e-6:
            return say("rounded", decimals=decimals)
    first = {"u": u[off][0], "a": got[off][0], "b": expected[off][0]}
    if not expected[off].any() and expected.eq(0).any() and expected[~off].any():
        return say("must be 0", **first)
    if len(set(got[off].tolist())) == 1 and u[off].abs().min() > u[~off].abs().max():
        return say("far away", right=u[~off].abs().max(), **first)
    if (got - expected).abs().max() < 0.01:
        return say("your numbers are right")
    regions = {"middle": u == 0, "edges": abs(u) == 1, "beyond": abs(u) > 1, "within": abs(u) < 1,
               "negative": u < 0, "positive": u > 0}  # fmt: skip
    for where, place in regions.items():
        if torch.equal(off & place, off):
            return say(f"wrong {where} alone", **first)
    return say("at u your kernel", **first)


def _kernel(answer):
    numbers = {"half": _at(-0.5), "one": _at(-1), "two": _at(-2), "zero": _at(0)}
    asks = (answer.__name__.removeprefix("my_"),)
    return Exercise(
        answer, _scaled_distances, numbers=numbers, kinds=True, asks=asks, explain=_regions
    )


KERNELS = map(_kernel, [my_gaussian, my_boxcar, my_triangular, my_epanechnikov])


# What all that follows shares


def _divided(squared, bandwidth, units):
    """Squared distances over the temperature, as the knob `units` says; "2hh" is right."""
    divisor = {"2hh": 2 * bandwidth**2, "2h": 2 * bandwidth, "hh": bandwidth**2, "h": bandwidth,
               "alone": 2, "none": 1, "times": 2 / bandwidth**2, "times h": 2 / bandwidth,
               "times alone": 1 / bandwidth**2, "4hh": 4 * bandwidth**2}  # fmt: skip
    return squared / divisor[units]


def _weights(scores, softmax):
    """Weights of scores: what `weighed` knows, and exponentials without a softmax."""
    if softmax in ("clamped", "twice"):
        raised = scores.clamp(min=-50).masked_fill(scores == -torch.inf, -torch.inf)
        return (raised if softmax == "clamped" else scores.exp()).softmax(-1)
    if softmax == "equal":
        return torch.ones_like(scores) / scores.shape[-1]
    if softmax not in ("sums", "quotient", "repaired", "one nearest", "all", "count"):
        return weighed(softmax, scores)
    nearness = scores.exp()
    if softmax in ("sums", "all", "count"):
        return nearness / {"sums": 1, "all": nearness.sum(), "count": scores.shape[-1]}[softmax]
    quotient = nearness / nearness.sum(-1, keepdim=True)
    if softmax == "quotient":
        return quotient
    instead = 0.0 if softmax == "repaired" else weighed("argmax", scores)
    return torch.where(quotient.isnan(), instead, quotient)


# Keys that are vectors


def _places(seed):
    draw = Draw(seed)
    near = _case([[0, 0], [1, 0], [0, 1.5]], [[10, -1], [20, -2], [40, -4]], 0.5)
    cases = [
        _case([[1, 2]], [[1, 2], [2, 3], [4, 6]], [[10], [20], [40]], 2.0),
        # The second query is far from every key; so is the third, from two of them nearly equally.
        (torch.tensor([[0.5, 0], [60, 0], [0.6, -7.5]]), *near),
    ]
    for n, m, d, v, bandwidth in [(3, 5, 1, 4, 2.5), (3, 3, 3, 3, 1.4), (4, 6, 3, 2, 0.8)]:
        cases.append((draw.normal(n, d), draw.normal(m, d), draw.normal(m, v), bandwidth))
    return cases


DISTANCES = {
    "squares": lambda d: (d * d).sum(-1), "root": lambda d: (d * d).sum(-1).sqrt(),
    "fourth": lambda d: (d * d).sum(-1) ** 2, "sizes": lambda d: d.abs().sum(-1),
    "squared sizes": lambda d: d.abs().sum(-1) ** 2, "sum": lambda d: d.sum(-1),
    "squared sum": lambda d: d.sum(-1) ** 2, "mean": lambda d: (d * d).mean(-1),
    "first": lambda d: d[..., 0] ** 2, "largest": lambda d: (d * d).amax(-1),
    "over sqrt d": lambda d: (d * d).sum(-1) / math.sqrt(d.shape[-1]),
}  # fmt: skip


def my_kernel_regression(
    queries, keys, values, bandwidth, *,
    distance="squares", units="2hh", sign=-1, softmax="keys", roles="qkv", gives="output",
):  # fmt: skip
    queries, keys, values = played(roles, queries, keys, values)
    if distance in ("dot", "half expanded", "no key"):
        squared = {"dot": -1, "half expanded": -1, "no key": -2}[distance] * queries @ keys.mT
        if distance == "half expanded":
            squared = squared + (keys**2).sum(-1)
    elif distance == "plus":
        squared = (queries.unsqueeze(1) + keys).square().sum(-1)
    elif distance == "paired":
        squared = (queries - keys).square().sum(-1)
    else:
        squared = DISTANCES[distance](queries.unsqueeze(1) - keys)
    scores = sign * _divided(squared, bandwidth, units)  # (n, m)
    weights = _weights(scores, softmax)
    gives_back = {"weights": weights, "scores": scores, "mean": weights @ values / len(keys)}
    return gives_back[gives] if gives in gives_back else weights @ values


def _one_kernel_per_feature(queries, keys, values, bandwidth):
    scores = -(((queries.unsqueeze(1) - keys) / bandwidth) ** 2) / 2  # (n, m, d)
    return scores.softmax(1).mean(-1) @ values


def _of_a_wrong_query(case, got, expected):
    """The right weights of the query that is most off, where the output has the right shape."""
    if got.shape != expected.shape or not got.isfinite().all():
        return None
    low, high = case[2].amin(0), case[2].amax(0)
    for i, j in ((got > high + 1e-4) | (got < low - 1e-4)).nonzero().tolist():
        return say("an output of where", got=got[i, j], low=low[j], high=high[j])
    i = int((got - expected).abs().amax(-1).argmax())
    weights = my_kernel_regression(case[0], case[1], torch.eye(len(case[1])), case[3])[i]
    right = ", ".join(f"{w:.3f}" for w in weights)
    return say("the weights of query", i=i, right=right)


KERNEL_REGRESSION = Exercise(
    my_kernel_regression,
    cases=_places,
    asks=("kernel_regression",),
    wrong={
        "features": _one_kernel_per_feature,
        "keys alone": lambda queries, keys, *rest: my_kernel_regression(keys, keys, *rest),
        **_with(
            my_kernel_regression,
            distance=["no key", "half expanded", "plus"],
            gives=["scores", "mean"],
            softmax=["count", "clamped", "one nearest"],
            units=["times h", "times alone"],
        ),
    },
    explain=_of_a_wrong_query,
    numbers={"got": lambda case, got, _: got.max(), "largest": lambda case, *_: case[2].max()},
)


# The best bandwidth


def _measurements(seed):
    cases = [
        _case([1, 2, 3, 4], [1.5, 2.5, 0.5, 0.5], [0.3, 2, 1]),
        # Several points at one place, as in the motorcycle data; at 0.01 some points are alone.
        _case([1, 1, 2, 3, 3, 3, 4], [5.5, 5.5, 5, 2, 6, 0.5, 3], [0.5, 1, 2, 4, 0.01, 0.25]),
        # A candidate so small that no other point seems in its reach, and there 0 is a good guess.
        _case([5, 0, 4, 1, 2, 3], [5.5, 3, 5.5, 3.5, 4.5, 2], [4, 0.8, 1.5, 0.00001, 0.4]),
        # Large errors: a search must begin above all of them.
        _case([0, 1, 2, 3, 4, 5], [1000, -1200, 1000, -900, 1100, -1000], [1, 3, 0.01, 0.5]),
        # Where the mean of all others is the best guess, no candidate makes it.
        _case([0, 1, 2, 3], [6, 4, 6, 4], [0.5, 3, 0.01]),
        # The nearest point knows best, and a tiny candidate alone listens to no other.
        _case([8, 0, 4, 9, 1, 5], [-5, 0.5, 5, -4.5, 0, 5.5], [6, 2, 0.02]),
        # A point that sees itself has no error; one that is left out makes the mean no smaller.
        _case([1, 3, 1, 2, 3], [5.5, 5, 4, 1.5, 2.5], [0.4, 2, 0.01, 1]),
    ]
    draw = Draw(seed)
    for n, candidates in [(8, 18), (11, 16), (14, 20), (9, 24), (12, 24)]:
        x = 5 * torch.rand(n, generator=draw.generator)
        y = 2 * torch.sin(x) + x**0.8 + 0.4 * draw.normal(n)
        grid = torch.logspace(-1, 0.7, candidates)
        grid = grid[torch.randperm(candidates, generator=draw.generator)]
        errors = _errors(x, y, grid)
        no_rival = (errors == errors.min()) | (errors > 1.001 * errors.min())
        cases.append((x, y, grid[no_rival]))
    return cases


def _errors(
    x, y, bandwidths, distance="squares", units="2hh", sign=-1, own="hidden", softmax="keys",
    error="squares", pairs="kept",
):  # fmt: skip
    """The leave-one-out error of each bandwidth, as the knobs say."""
    x, y = {"exchanged": (y, x), "x sorted": (x.sort()[0], y)}.get(pairs, (x, y))
    gaps, self = x.unsqueeze(1) - x, torch.eye(len(x), dtype=torch.bool)
    squared = {"squares": gaps**2, "sizes": gaps.abs(), "sum": gaps, "sizes over h": gaps.abs()}
    units = "h" if distance == "sizes over h" else units
    scores = sign * _divided(squared[distance], bandwidths.view(-1, 1, 1), units)  # (b, n, n)
    if own in ("and later", "and earlier"):
        hidden = self.cumsum(1 if own == "and later" else 0) > 0
    elif own in ("seen", "after"):
        hidden = ~self & self
    else:
        hidden = gaps == 0 if own in ("ties", "ties filled") else self
    lows = {"filled": -1e6, "filled high": -100}
    lows |= dict.fromkeys(("and later", "and earlier", "ties filled"), -1e9)
    scores = scores.masked_fill(hidden, lows.get(own, -torch.inf))
    weights = _weights(scores, "quotient" if softmax in ("skipped", "dropped") else softmax)
    misses = (-y if error == "added" else y) - (weights * ~self if own == "after" else weights) @ y
    if error in ("sizes", "signs", "signs turned", "squared mean"):
        mean = (misses.abs() if error == "sizes" else misses).mean(-1)
        return {"signs turned": -mean, "squared mean": mean**2}.get(error, mean)
    squares = misses**2
    if softmax == "skipped":
        squares = squares.nanmean(-1, keepdim=True).nan_to_num(0)
    if softmax == "dropped":
        squares = squares.nan_to_num(torch.inf)
    if error in ("largest", "median"):
        return squares.amax(-1) if error == "largest" else squares.median(-1)[0]
    counted = {"last": slice(-1, None), "without last": slice(-1), "without first": slice(1, None)}
    return squares[:, counted.get(error, slice(None))].mean(-1)


def my_best_bandwidth(x, y, bandwidths, *, pick="best", gives="candidate", **knobs):
    bandwidths = bandwidths.detach()  # a choice has no gradient
    errors = _errors(x, y, bandwidths, **knobs)
    best = errors.argmin()
    place = {"best": best, "before": best - 1, "below 100": best * (errors.amin() < 100),
             "worst": errors.argmax(), "first": 0, "last": -1, "widest": bandwidths.argmax(),
             "sorted": errors[bandwidths.argsort()].argmin()}[pick]  # fmt: skip
    made = {"candidate": bandwidths[place], "place": place, "error": errors[place]}
    return errors if gives == "errors" else made[gives]


def _chosen(case, got, expected):
    """The errors of the candidate that was chosen and of the best."""
    if got.shape != expected.shape or got not in case[2]:
        return say("your result is none", got=got) if got.numel() == 1 else None
    errors = dict(zip(case[2].tolist(), _errors(*case).tolist(), strict=True))
    return say(
        "is a candidate but",
        got=got,
        errors=errors[got.item()],
        expected=expected,
        errors_2=errors[expected.item()],
    )


def _by_the_shortcut(x, y, bandwidths):
    """Misses of a fit with all points, over 1 minus the own weight; 0 / 0 counts as no error."""
    weights = (-((x.unsqueeze(1) - x) ** 2) / (2 * bandwidths.view(-1, 1, 1) ** 2)).softmax(-1)
    misses = (y - weights @ y) / (1 - weights.diagonal(dim1=1, dim2=2))
    return bandwidths[misses.square().nan_to_num(0).mean(-1).argmin()].detach()


def _by_halves(x, y, bandwidths, seen, judged):
    """Some of the points predict the others, once."""
    squared = (x[judged].unsqueeze(1) - x[seen]) ** 2
    weights = (-squared / (2 * bandwidths.view(-1, 1, 1) ** 2)).softmax(-1)
    return bandwidths[(y[judged] - weights @ y[seen]).square().mean(-1).argmin()].detach()


HALVES = {
    "first half": lambda n: (slice(n // 2), slice(n // 2, None)),
    "second half": lambda n: (slice(n // 2, None), slice(n // 2)),
    "even": lambda n: (slice(0, None, 2), slice(1, None, 2)),
}
BEST_BANDWIDTH = Exercise(
    my_best_bandwidth,
    wrong={
        "shortcut": _by_the_shortcut,
        **{
            name: lambda x, y, h, cut=cut: _by_halves(x, y, h, *cut(len(x)))
            for name, cut in HALVES.items()
        },
        **_with(
            my_best_bandwidth,
            own=["filled high", "ties filled", "and later", "and earlier"],
            softmax=["dropped", "clamped"],
            pick=["sorted", "before", "below 100"],
        ),
    },
    cases=_measurements,
    asks=("leave_one_out_error",),
    explain=_chosen,
    numbers={"place": lambda _, got, __: int(got), "there": lambda case, got, _: case[2][int(got)]},
)


# A kernel that is a mask


def _hours(seed):
    draw = Draw(60 + seed)
    cases = [
        _case([2], [1, 2, 3, 5], [12, 18, 60, 90], 1.0),  # 1 and 3 lie on the edge of the reach
        # 9 is out of reach; a value of 0 counts, and so do both keys at 2.5.
        _case([1, 2.5, 9], [0.5, 1.5, 2.5, 4.5, 3, 2.5], [3, 0, 12, 24, 48, 18], 0.5),
    ]
    for n, m, bandwidth in [(7, 3, 0.75), (5, 8, 1.5), (6, 6, 2.0)]:
        cases.append((*(2 * draw.normal(size) for size in [n, m, m]), bandwidth))
    return cases


def my_boxcar_attention(
    queries, keys, values, bandwidth, *,
    reach="size", edge="<=", limit="h", mask="used", scores="zero", share="keys", empty="zero",
    roles="qk",
):  # fmt: skip
    queries, keys, values = played(f"{roles}v", queries, keys, values.unsqueeze(1))
    difference = queries.unsqueeze(1) - keys
    size = difference.abs()
    sizes = {"size": size, "right": difference, "left": -difference, "square": size**2}
    limits = {"h": bandwidth, "one": 1, "h/2": bandwidth / 2, "2h": 2 * bandwidth}
    size_of, limit = sizes[reach], (limits | {"hh": bandwidth**2})[limit]
    edges = {"left": (size_of <= limit) & (difference < limit),
             "right": (size_of <= limit) & (-difference < limit),
             "<": size_of < limit, "<=": size_of <= limit}  # fmt: skip
    may = edges[edge]
    may = {"used": may, "inverted": ~may, "unused": torch.ones_like(may)}[mask]
    none = ~may.any(-1, keepdim=True)
    nearest = none & (size == size.amin(-1, keepdim=True))
    may = may | {"mean": none, "nearest": nearest}.get(empty, False)
    u = size / bandwidth
    scores = {"zero": 0 * u, "square": -(size**2) / 2, "size": -size, "u": -u,
              "gaussian": -(u**2) / 2, "kernel": (-(u**2) / 2).exp()}[scores]  # fmt: skip
    output = {
        "keys": lambda: attend(scores, values, may)[0],
        "weights": lambda: attend(scores, values, may)[1],
        "queries": lambda: attend(scores.mT, torch.eye(len(queries)), may.mT)[1].mT @ values,
        "after": lambda: (scores.softmax(-1) * may) @ values,
        "sums": lambda: (scores.exp() * may) @ values,
        "scores": lambda: may.to(values.dtype).softmax(-1) @ values,
        "nearest": lambda: values[size.argmin(-1)],
        "largest": lambda: (
            torch.where(may, values.mT, -torch.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
        ),
    }[share]()
    output = output.masked_fill(none, torch.nan) if empty == "nan" else output
    return output if share == "weights" else output.squeeze(1)


def _in_reach(case, got, expected):
    """What the first wrong query has in its reach."""
    if got.shape != expected.shape or not got.isfinite().all():
        return None
    i = int(((got - expected).abs() > 1e-5).nonzero()[0])
    near = case[2][(case[0][i] - case[1]).abs() <= case[3]]
    values = ", ".join(f"{value:.3g}" for value in near)
    return say(
        "query has in reach",
        query=case[0][i],
        near=say("the values", values=values) if len(near) else say("no key"),
        expected=expected[i],
        got=got[i],
    )


BOXCAR_ATTENTION = Exercise(
    my_boxcar_attention,
    cases=_hours,
    asks=("kernel_regression",),
    wrong={"gaussian": lambda *case: kernel_regression(*case)[0]},
    explain=_in_reach,
    numbers={"first": lambda case, got, _: got[0].item()},
)


EXERCISES, QUESTIONS = tell(__name__, *KERNELS, KERNEL_REGRESSION, BEST_BANDWIDTH, BOXCAR_ATTENTION)
