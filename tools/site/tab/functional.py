"""torch.nn.functional: what exercises use of it."""

import functools
import math

import numpy as np

from . import totals
from .each import erf_of
from .making import FUNCTIONS, default_generator, einsum
from .missing import Missing
from .tensors import (
    FUNCTIONAL,
    asked,
    category,
    dtypes,
    held,
    need,
    need_real,
    wide,
    wrap,
)


def functional(made):
    """Make a function one of torch.nn.functional's."""
    FUNCTIONAL[made.__name__] = asked(made, made.__name__)
    return made


@functional
def softmax(input, dim=None, dtype=None):
    return totals.softmax(input, _implied(input) if dim is None else dim, dtype)


@functional
def log_softmax(input, dim=None, dtype=None):
    return totals.log_softmax(input, _implied(input) if dim is None else dim, dtype)


def _implied(input):
    """The axis that torch takes where none is given."""
    return 0 if input.a.ndim in (0, 1, 3) else 1


@functional
def softmin(input, dim=None, dtype=None):
    return softmax(-input, dim, dtype)


def gelu(input, approximate="none"):
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)
        return input * (1 + np.tanh(inner)) / 2
    return input * (1 + erf_of(input / math.sqrt(2))) / 2


def _of_real(name, compute):
    """A function of each real number."""

    @functools.wraps(compute)
    def made(input, *given, **named):
        need_real(f"{name}_cpu", input.a)
        return wrap(compute(wide(input.a), *given, **named).astype(input.a.dtype))

    FUNCTIONAL[name] = asked(made, name)


for _name, _function in {
    "gelu": gelu,
    "silu": lambda input: input / (1 + np.exp(-input)),
    "softplus": lambda input: np.logaddexp(input, 0),
    "elu": lambda input, alpha=1.0: np.where(input > 0, input, alpha * np.expm1(input.clip(max=0))),
}.items():  # of one expression each
    _of_real(_name, _function)


@functional
def hardtanh(input, min_val=-1.0, max_val=1.0):
    need(input.a.dtype.kind != "b", "Bool inputs not supported for hardtanh")
    return wrap(input.a.clip(min_val, max_val).astype(input.a.dtype))


@functional
def linear(input, weight, bias=None):
    made = input @ weight.t()
    return made if bias is None else made + bias


@functional
def bilinear(input1, input2, weight, bias=None):
    made = einsum("...i,oij,...j->...o", input1, weight, input2)
    return made if bias is None else made + bias


@functional
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    shape = tuple(normalized_shape)
    need(shape, "Expected normalized_shape to be at least 1-dimensional")
    told = f"Given normalized_shape={list(shape)}, but got input of size{list(input.a.shape)}"
    need(shape == input.a.shape[input.a.ndim - len(shape) :], told)
    fine = weight is None or input.a.dtype in (weight.a.dtype, np.float16)
    need(fine, "mixed dtype (CPU): expect parameter to have the input's scalar type")
    need_real("LayerNormKernelImpl", input.a)
    dims, a = tuple(range(-len(shape), 0)), wide(input.a)
    made = (a - a.mean(dims, keepdims=True)) / np.sqrt(a.var(dims, keepdims=True) + eps)
    made = wrap(made.astype(input.a.dtype))
    made = made if weight is None else made * weight
    return made if bias is None else made + bias


@functional
def rms_norm(input, normalized_shape, weight=None, eps=None):
    dims = tuple(range(-len(tuple(normalized_shape)), 0))
    eps = np.finfo(input.a.dtype).eps if eps is None else eps
    a = input.a
    made = wrap((a / np.sqrt(np.square(a).mean(dims, keepdims=True) + eps)).astype(a.dtype))
    return made if weight is None else made * weight


@functional
def one_hot(input, num_classes=-1):
    told = "one_hot is only applicable to index tensor of type LongTensor."
    need(input.a.dtype == np.int64, told)
    count = int(input.a.max(initial=-1)) + 1 if num_classes == -1 else num_classes
    fine = input.a.min(initial=0) >= 0 and input.a.max(initial=-1) < count
    need(fine, "Class values must be smaller than num_classes.")
    return wrap(np.eye(count, dtype=np.int64)[input.a])


@functional
def pad(input, pad, mode="constant", value=None):
    if mode != "constant":
        raise Missing("argument mode= of pad")
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    ahead = input.a.ndim - len(pairs)
    need(ahead >= 0, "Length of pad should be no more than twice the number of dimensions")
    widths = [(0, 0)] * ahead + pairs[::-1]
    made = np.pad(input.a, [(max(a, 0), max(b, 0)) for a, b in widths],
                  constant_values=held(value or 0, input.a.dtype))  # fmt: skip
    cut = [slice(max(-a, 0), n - max(-b, 0))
           for (a, b), n in zip(widths, made.shape, strict=True)]  # fmt: skip
    return wrap(made[tuple(cut)])


@functional
def normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / input.norm(p, dim, True).clamp_min(eps)


@functional
def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    return (normalize(x1, 2.0, dim, eps) * normalize(x2, 2.0, dim, eps)).sum(dim)


FUNCTIONS["cosine_similarity"] = FUNCTIONAL["cosine_similarity"]


def _meaned(loss, reduction):
    return {"mean": loss.mean, "sum": loss.sum, "none": lambda: loss}[reduction]()


@functional
def mse_loss(input, target, reduction="mean"):
    need_real("mse_cpu", input.a)
    return _meaned((input - target) ** 2, reduction)


@functional
def nll_loss(input, target, ignore_index=-100, reduction="mean"):
    told = f"expected scalar type Long but found {target.dtype.called}"
    need(target.a.dtype == np.int64, told)
    kept = target.a != ignore_index
    along = 1 if input.a.ndim > 1 else 0
    place = np.expand_dims(np.where(kept, target.a, 0), along)
    fine = place.min(initial=0) >= 0 and place.max(initial=-1) < input.a.shape[along]
    need(fine, f"Target {place.max(initial=0)} is out of bounds.", IndexError)
    loss = -np.take_along_axis(input.a, place, along).squeeze(along)
    loss = wrap(np.where(kept, loss, 0).astype(input.a.dtype))
    return loss.sum() / int(kept.sum()) if reduction == "mean" else _meaned(loss, reduction)


@functional
def cross_entropy(input, target, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    if label_smoothing:
        raise Missing("argument label_smoothing= of cross_entropy")
    along = 1 if input.a.ndim > 1 else 0
    logs = totals.log_softmax(input, along)
    if category(target.a.dtype) == dtypes.REAL:
        return _meaned(-(logs * target).sum(along), reduction)
    return nll_loss(logs, target, ignore_index, reduction)


@functional
def embedding(input, weight):
    told = "Expected tensor for argument #1 'indices' to have scalar type Long"
    need(input.a.dtype.kind in "iu", told)
    fine = input.a.min(initial=0) >= 0 and input.a.max(initial=-1) < len(weight.a)
    need(fine, "index out of range in self", IndexError)
    return wrap(weight.a[input.a])


@functional
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    if padding != 0 or dilation != 1 or ceil_mode:
        raise Missing("arguments padding=, dilation= and ceil_mode= of max_pool2d")
    sizes = kernel_size if isinstance(kernel_size, tuple) else (kernel_size, kernel_size)
    steps = sizes if stride is None else stride if isinstance(stride, tuple) else (stride, stride)
    seen = np.lib.stride_tricks.sliding_window_view(input.a, sizes, (-2, -1))
    return wrap(seen[..., :: steps[0], :: steps[1], :, :].max((-2, -1)))


@functional
def dropout(input, p=0.5, training=True, inplace=False):
    if not training or p == 0:
        return input
    kept = default_generator.uniform(input.a.size).reshape(input.a.shape) >= p
    return wrap((input.a * kept / (1 - p) if p < 1 else input.a * 0).astype(input.a.dtype))


@functional
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    if enable_gqa:
        shared = query.a.shape[-3] // key.a.shape[-3]
        key, value = key.repeat_interleave(shared, -3), value.repeat_interleave(shared, -3)
    scores = query @ key.mT * (1 / math.sqrt(query.a.shape[-1]) if scale is None else scale)
    if is_causal:
        need(attn_mask is None, "Explicit attn_mask should not be set when is_causal=True")
        attn_mask = wrap(np.tri(*scores.a.shape[-2:], dtype=bool))
    if attn_mask is None:
        weights = scores.softmax(-1)
    elif attn_mask.a.dtype.kind == "b":
        weights = scores.masked_fill(~attn_mask, -math.inf).softmax(-1)
        weights = weights.masked_fill(~attn_mask.any(-1, keepdim=True), 0.0)
    else:
        weights = (scores + attn_mask).softmax(-1)
    return dropout(weights, dropout_p) @ value


FUNCTIONAL |= {name: FUNCTIONS[name] for name in ("relu", "sigmoid", "tanh")}
