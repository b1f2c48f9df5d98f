"""Parts that several lessons share: knobs, and what can be wrong with any result."""

import math

import torch

# Knobs of attention: `scale(how, q, k)`, `roles(how, q, k, v)` turn them; SCALE, ROLES ... say it.

SCALE = {
    "none": "The scores are not scaled: divide them by the square root of the size of a query.",
    "d": "You divide the scores by the size of a query, not by its square root.",
    "times": "You multiply the scores by the square root of the size; divide by it.",
    "keys": "You divide by the root of the number of keys. How many keys there are has nothing to "
    "do with it: the size of a query has.",
}
SOFTMAX = {
    "queries": "The columns sum to 1, the rows do not: the softmax runs over the queries. It has "
    "to run over the keys, the last axis.",
    "sigmoid": "A sigmoid judges each score alone, so rows do not sum to 1: a softmax is needed.",
    "none": "There is no softmax: your scores are used as weights, so rows do not sum to 1.",
    "argmax": "Each query takes its best key alone: a softmax shares the weight out.",
}
ROLES = {
    "kqv": "Queries and keys are exchanged: row i of the weights must come from query i.",
    "qkk": "You average the keys. They say where to look; what is averaged are the values.",
    "qkq": "You average the queries; what is averaged are the values.",
    "qvk": "Keys and values are exchanged.",
    "qqv": "The keys make no difference: your queries are compared with themselves.",
}
FILL = {
    0.0: "You filled the masked scores with 0, and exp(0) is 1: masked keys still get weight.",
    -1e6: "A fill of -1e6 is not low enough where allowed scores are lower still.",
    -1e9: "A fill of -1e9 is not low enough where allowed scores are lower still.",
}
MASK = {
    "inverted": "The mask is inverted: in this course True means may attend.",
    "unused": "The mask makes no difference to your result.",
    "after": "You removed weights after the softmax had shared them out, so that rows no longer "
    "sum to 1. Mask the scores.",
}


def scaled(how, scores, size, keys=1):
    """Scores divided as the knob says; "sqrt d" is right."""
    divisor = {"sqrt d": math.sqrt(size), "none": 1, "d": size, "keys": math.sqrt(keys)}
    return scores * math.sqrt(size) if how == "times" else scores / divisor[how]


def weighed(how, scores):
    """Weights of scores as the knob says; "keys" is right."""
    if how == "argmax":
        return torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores)
    if how in ("sigmoid", "none"):
        return scores.sigmoid() if how == "sigmoid" else scores
    return scores.softmax(-1 if how == "keys" else -2)


def played(how, q, k, v):
    """The tensors in the roles that the knob says; "qkv" is right."""
    return tuple({"q": q, "k": k, "v": v}[letter] for letter in how)


class Draw:
    """Random arguments of a case: the same for the same seed."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape):
        return torch.randn(shape, generator=self.generator)

    def short(self, *shape):
        """Normal numbers with one decimal: short to print."""
        return self.normal(*shape).mul(10).round() / 10

    def mask(self, *shape, share=0.6):
        return torch.rand(shape, generator=self.generator) < share

    def whole(self, low, high, *shape):
        """Whole numbers from low to high, both included; one int without a shape."""
        drawn = torch.randint(low, high + 1, shape, generator=self.generator)
        return drawn if shape else drawn.item()


# What can be wrong with any result: name -> (function of the result or None, sentence). A function
# returns None where it does not apply.


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


def _rounded(a):
    return torch.round(a) if isinstance(a, torch.Tensor) and a.is_floating_point() else (
        round(a) if isinstance(a, float) else None
    )  # fmt: skip


def _inverted(a):
    if isinstance(a, bool):
        return not a
    return ~a if isinstance(a, torch.Tensor) and a.dtype == torch.bool else None


def _truncated(a):
    return a.trunc() if isinstance(a, torch.Tensor) and a.is_floating_point() else (
        int(a) if isinstance(a, float) and math.isfinite(a) else None
    )  # fmt: skip


GENERIC = {
    "inverted": (_inverted, "True and False are exchanged."),
    "transposed": (
        _tensor(2, lambda a: a.mT),
        "The last two axes of the result are exchanged, so rows and columns trade places.",
    ),
    "first axes": (
        _tensor(3, lambda a: a.transpose(0, 1)),
        "The first two axes of the result are exchanged.",
    ),
    "negated": (_number(lambda a: -a), "The sign of the result is turned around."),
    "doubled": (_number(lambda a: 2 * a), "The result is twice what it should be."),
    "halved": (_number(lambda a: a / 2), "The result is half of what it should be."),
    "squared": (_number(lambda a: a * a), "The result is squared."),
    "root": (
        _number(lambda a: a**0.5 if not isinstance(a, (int, float)) or a >= 0 else None),
        "You took the square root of the result.",
    ),
    "one more": (_number(lambda a: a + 1), "The result is 1 too large throughout."),
    "one less": (_number(lambda a: a - 1), "The result is 1 too small throughout."),
    "reversed": (
        _tensor(1, lambda a: a.flip(-1)),
        "The result is reversed along its last axis: what should come first comes last.",
    ),
    "reversed rows": (
        _tensor(2, lambda a: a.flip(-2)),
        "The rows of the result are in reverse order.",
    ),
    "reversed batch": (
        _tensor(3, lambda a: a.flip(0)),
        "The result is reversed along its first axis.",
    ),
    "shifted": (
        _tensor(1, lambda a: a.roll(1, -1)),
        "The result is shifted by one place along its last axis, around a circle.",
    ),
    "shifted rows": (
        _tensor(2, lambda a: a.roll(1, -2)),
        "The rows of the result are shifted by one place, around a circle.",
    ),
    "squeezed": (
        _tensor(1, lambda a: a.squeeze() if 1 in a.shape else a),
        "Axes of size 1 have disappeared (squeeze removes them all, a batch of one as well).",
    ),
    "without batch": (
        _tensor(2, lambda a: a[0]),
        "This is the result for the first entry of the batch alone; the first axis is missing.",
    ),
    "first of the batch": (
        _tensor(2, lambda a: a[:1].expand_as(a).clone()),
        "Every entry of the batch gets the result of the first one.",
    ),
    "extra axis": (_tensor(0, lambda a: a.unsqueeze(0)), "There is an axis too many in front."),
    "extra last axis": (
        _tensor(0, lambda a: a.unsqueeze(-1)),
        "There is an axis of size 1 too many at the end.",
    ),
    "flattened": (
        _tensor(2, lambda a: a.flatten()),
        "The right numbers, but all in one line: the result must keep its axes.",
    ),
    "batch flattened": (
        _tensor(3, lambda a: a.flatten(0, 1)),
        "The first two axes are joined into one.",
    ),
    "summed": (
        _tensor(1, lambda a: a.sum(-1), ("float", "int")),
        "The result is summed over its last axis, which should stay.",
    ),
    "averaged": (
        _tensor(1, lambda a: a.mean(-1), ("float",)),
        "The result is averaged over its last axis, which should stay.",
    ),
    "averaged batch": (
        _tensor(2, lambda a: a.mean(0), ("float",)),
        "The result is averaged over its first axis, which should stay.",
    ),
    "summed batch": (
        _tensor(2, lambda a: a.sum(0), ("float", "int")),
        "The result is summed over its first axis, which should stay.",
    ),
    "rounded": (_rounded, "The result is rounded to whole numbers."),
    "truncated": (_truncated, "The decimals of the result are cut off: an integer dtype, or //?"),
    "numbers": (
        _tensor(0, lambda a: a.float(), ("bool",)),
        "The right cells, but as numbers 0 and 1: a mask is boolean (.bool()). With numbers, "
        "~mask and indexing mean something else.",
    ),
    "all equal": (
        _tensor(1, lambda a: torch.full_like(a, a.flatten()[0]) if a.numel() else None),
        "All numbers of the result are the same.",
    ),
}  # fmt: skip
