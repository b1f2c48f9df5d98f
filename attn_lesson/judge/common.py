"""Parts that several lessons share; common.md holds their words, section by section.

`scaled`, `weighed`, `multiplied` and `played` are the knobs "scale", "softmax", "product" and
"roles" of attention.
"""

import math

import torch

from ..words import joined, sentences

say = sentences(__name__)


def scaled(how, scores, size, keys=1):
    """Scores divided as the knob `scale` says; "sqrt d" is right."""
    if how in ("times", "//"):
        return scores * math.sqrt(size) if how == "times" else scores // math.sqrt(size)
    divisors = {"sqrt d": size**0.5, "none": 1, "d": size, "keys": keys**0.5, "twice": size**0.25}
    return scores / divisors[how]


def weighed(how, scores):
    """Weights of scores as the knob `softmax` says; "keys" is right."""
    if how == "argmax":
        return torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)
    if how in ("sigmoid", "none"):
        return scores.sigmoid() if how == "sigmoid" else scores
    return scores.softmax(-1 if how == "keys" else -2)


def multiplied(how, queries, keys):
    """Queries times keys, (..., queries, keys), as the knob `product` says; "pairs" is right."""
    if how in ("one batch", "no batch"):
        return torch.bmm(queries, keys.mT) if how == "one batch" else torch.mm(queries, keys.t())
    if how == "examples":
        return torch.tensordot(queries, keys, dims=([-1], [-1]))
    if how == "same place":
        return (queries * keys).sum(-1)
    turn = {
        "pairs": lambda: keys.mT,
        "reshape": lambda: keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2]),
        "all axes": lambda: keys.permute(*reversed(range(keys.dim()))),
        "1 2": lambda: keys.transpose(1, 2),
        "0 1": lambda: keys.transpose(0, 1),
        "untransposed": lambda: keys,
    }
    return queries @ turn[how]()


def played(how, q, k, v):
    """The tensors in the roles that the knob `roles` says; "qkv" is right."""
    return tuple({"q": q, "k": k, "v": v}[letter] for letter in how)


def in_float32(function, *case):
    """Run a function that gets no tensors: a table in float64 is as good as one in float32."""
    result = function(*case)
    double = isinstance(result, torch.Tensor) and result.dtype == torch.float64
    return result.float() if double else result


class Draw:
    """Random arguments of a case: the same for the same seed."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape):
        return torch.randn(shape, generator=self.generator)

    def short(self, *shape):
        """Normal numbers with one decimal: short to print."""
        return self.normal(*shape).mul(10).round() / 10 + 0.0  # no -0

    def mask(self, *shape, share=0.6):
        return torch.rand(shape, generator=self.generator) < share

    def whole(self, low, high, *shape):
        """Whole numbers from low to high, both included; one int without a shape."""
        drawn = torch.randint(low, high + 1, shape, generator=self.generator)
        return drawn if shape else drawn.item()


# What an exercise's `explain` may tell of a result that no known mistake makes: only what is seen.


def axes_told(names, got, expected):
    """What differs in a result's shape, its axes by their names, such as "queries"; or None."""
    a, b = tuple(got.shape), tuple(expected.shape)
    if a == b:
        return None
    others = [i for i in range(len(b)) if b[:i] + b[i + 1 :] == a]
    names = [say(name) for name in names]
    if len(a) == len(b) > 1 and a == (*b[:-2], b[-1], b[-2]):
        told = say("exchanged", one=names[-2], other=names[-1])
    elif len(a) == len(b):
        wrong = [(name, i) for i, name in enumerate(names) if a[i] != b[i]]
        told = joined(say("size of an axis", axis=n, size=a[i], expected=b[i]) for n, i in wrong)
    elif len(others) == 1:
        told = say("missing axis", axis=names[others[0]])
    else:
        told = say("one axis" if len(a) == 1 else "axes", axes=len(a), expected=len(b))
    axes = ", ".join(names)
    return say("axes told", told=told[0].upper() + told[1:], shape=a, axes=axes, expected=b)


def where(axes, place):
    """A place in words, such as "sentence 0, query 2"."""
    return ", ".join(say(f"in {axis}", i=i) for axis, i in zip(axes, place, strict=True))


def multiple_told(got, expected):
    """A sentence on results that are a multiple of what they should be; or None."""
    got, expected = got.double(), expected.double()
    here = expected.abs() > 1e-3
    ratios = got[here] / expected[here]
    few = ratios.numel() < 2 or not ratios.any()
    if few or not torch.allclose(got, ratios[0] * expected, 1e-4, 1e-5):
        return None
    return say("multiple", times=ratios[0])


def multiplied_told(scores, weights):
    """A sentence on weights that are the softmax of a multiple of the scores; or None."""
    scores, weights = scores.double(), weights.double()
    seen = scores.isfinite() & (weights > 0)
    by, of = (torch.where(seen, x, 0) for x in (scores, weights.log()))
    count = seen.sum(-1, keepdim=True).clamp(min=1)
    by, of = (torch.where(seen, x - x.sum(-1, keepdim=True) / count, 0) for x in (by, of))
    times = (by * of).sum() / (by * by).sum()
    made = torch.where(seen, scores * times, -torch.inf).softmax(-1).nan_to_num()
    if abs(times - 1) < 1e-3 or not torch.allclose(made, weights, 1e-4, 1e-5):
        return None
    return say("negated scores" if abs(times + 1) < 1e-3 else "multiplied scores", times=times)


def divided_told(scores, average, got, size):
    """A sentence on an output whose scores were divided by another number than the root of size.

    scores: undivided; average: what an output is made of weights by. A number below 0 turns signs.
    """
    right, hidden = math.sqrt(size), scores == -math.inf

    def off(by):
        made = average((scores / by).masked_fill(hidden, -math.inf).softmax(-1))
        apart = (made - got).abs().amax().item() if made.shape == got.shape else math.inf
        return apart if apart == apart else math.inf  # NaN

    def nearest(sign):
        power = 0.0  # of 10: from 1/32 to 32 times, then nearer and nearer
        for step in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
            powers = [power + n * step for n in range(-15, 16)]
            power = min(powers, key=lambda n: off(sign * right * 10**n))
        return sign * right * 10**power

    by = min((nearest(sign) for sign in (1, -1)), key=off)
    if not off(by) < 1e-4 or abs(by / right - 1) < 1e-3 or off(2 * by) < 1e-3:
        return None
    key = "scores with the other sign" if abs(by / right + 1) < 1e-3 else "scores divided"
    return say(key, by=by, size=size, right=right)


SMALL = [10.0**-n for n in range(1, 31)] + [
    torch.finfo(kind).eps for kind in (torch.float32, torch.float64)
]


def raised_told(where, formula, got):
    """A sentence on results that the formula gives where a small number raises others; or None.

    where: what is raised, "logarithm" or "divisor".
    """
    ways = [(small, way) for small in SMALL for way in (torch.add, torch.clamp_min)]
    made = [formula(lambda p, small=small, way=way: way(p, small)) for small, way in ways]
    apart = [(got - each).abs().amax().item() for each in made if each.shape == got.shape]
    nearest = min(range(len(apart)), key=apart.__getitem__) if apart else None
    if nearest is not None and torch.allclose(got, made[nearest], 1e-4, 1e-5):
        return say(f"small {where}", small=ways[nearest][0])
    return None


# What can be wrong with any result, told in common.md, section "result". A change gives None where
# it does not apply.


def _tensor(dims, change, dtypes=None):
    def function(a):
        if not isinstance(a, torch.Tensor) or a.dim() < dims:
            return None
        kind = "bool" if a.dtype == torch.bool else "float" if a.is_floating_point() else "int"
        return change(a) if dtypes is None or kind in dtypes else None

    return function


def _number(change):
    def function(a):
        plain = isinstance(a, (int, float)) and not isinstance(a, bool)
        tensor = isinstance(a, torch.Tensor) and a.dtype != torch.bool
        return change(a) if plain or tensor else None

    return function


def _inverted(a):
    if isinstance(a, bool):
        return not a
    return ~a if isinstance(a, torch.Tensor) and a.dtype == torch.bool else None


CHANGES = {
    "inverted": _inverted,
    "transposed": _tensor(2, lambda a: a.mT),
    "first axes": _tensor(3, lambda a: a.transpose(0, 1)),
    "negated": _number(lambda a: -a),
    "doubled": _number(lambda a: 2 * a),
    "halved": _number(lambda a: a / 2),
    "squared": _number(lambda a: a * a),
    "root": _number(lambda a: a**0.5 if isinstance(a, torch.Tensor) or a >= 0 else None),
    "one more": _number(lambda a: a + 1),
    "one less": _number(lambda a: a - 1),
    "reversed": _tensor(1, lambda a: a.flip(-1)),
    "reversed rows": _tensor(2, lambda a: a.flip(-2)),
    "reversed batch": _tensor(3, lambda a: a.flip(0)),
    "shifted": _tensor(1, lambda a: a.roll(1, -1)),
    "shifted rows": _tensor(2, lambda a: a.roll(1, -2)),
    "squeezed": _tensor(1, lambda a: a.squeeze()),
    "without batch": _tensor(1, lambda a: a[0]),
    "last entry": _tensor(1, lambda a: a[-1]),
    "first alone": _tensor(2, lambda a: a[:1]),
    "first of the batch": _tensor(2, lambda a: a[:1].expand_as(a).clone()),
    "extra axis": _tensor(0, lambda a: a.unsqueeze(0)),
    "extra second axis": _tensor(2, lambda a: a.unsqueeze(1)),
    "extra last axis": _tensor(0, lambda a: a.unsqueeze(-1)),
    "flattened": _tensor(2, lambda a: a.flatten()),
    "batch flattened": _tensor(3, lambda a: a.flatten(0, 1)),
    "summed": _tensor(1, lambda a: a.sum(-1), ("float", "int")),
    "averaged": _tensor(1, lambda a: a.mean(-1), ("float",)),
    "averaged batch": _tensor(2, lambda a: a.mean(0), ("float",)),
    "summed batch": _tensor(2, lambda a: a.sum(0), ("float", "int")),
    "upside down": _number(lambda a: 1 / a if isinstance(a, torch.Tensor) or a else None),
    "rounded": _number(lambda a: torch.round(a) if isinstance(a, torch.Tensor) else round(a)),
    "two decimals": _number(
        lambda a: a.round(decimals=2) if isinstance(a, torch.Tensor) else round(a, 2)
    ),
    "truncated": _number(lambda a: a.trunc() if isinstance(a, torch.Tensor) else int(a)),
    "numbers": _tensor(0, lambda a: a.float(), ("bool",)),
    "softmax": _tensor(1, lambda a: a.softmax(-1), ("float",)),
    "softmax of columns": _tensor(2, lambda a: a.softmax(-2), ("float",)),
    "exponential": _tensor(0, torch.exp, ("float",)),
    "total": _tensor(0, torch.sum, ("float", "int")),
    "first row": _tensor(2, lambda a: a[..., :1, :]),
    "to be added": _tensor(
        0, lambda a: torch.zeros(a.shape).masked_fill(~a, -torch.inf), ("bool",)
    ),
    "all equal": _tensor(1, lambda a: torch.full_like(a, a.flatten()[0]) if a.numel() else None),
}
