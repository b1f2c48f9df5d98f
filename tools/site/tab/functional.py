"""torch.nn.functional: what exercises use of it."""

import math

import numpy as np

from . import totals
from .each import erf_of
from .making import FUNCTIONS, default_generator, einsum
from .missing import Missing
from .tensors import FUNCTIONAL, asked, category, dtypes, held, need_real, unsupported, wide, wrap


def functional(made=None, *, name=None):
    """Make a function one of torch.nn.functional's."""
    if made is None:
        return lambda f: functional(f, name=name)
    name = name or made.__name__
    FUNCTIONAL[name] = asked(made, name)
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


def _of_numbers(name, compute):
    def made(input):
        need_real(f"{name}_cpu", input.a)
        return wrap(np.asarray(compute(input.a)).astype(input.a.dtype))

    functional(made, name=name)


_of_numbers("silu", lambda a: a / (1 + np.exp(-a)))
_of_numbers("softplus", lambda a: np.logaddexp(a, 0))
_of_numbers("logsigmoid", lambda a: -np.logaddexp(-a, 0))
functional(lambda input: hardtanh(input, 0, 6), name="relu6")
functional(lambda input: input / (1 + input.abs()), name="softsign")


@functional
def gelu(input, approximate="none"):
    need_real("GeluKernelImpl", input.a)
    a = wide(input.a)
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)
        made = a * (1 + np.tanh(inner)) / 2
    else:
        made = a * (1 + erf_of(a / math.sqrt(2))) / 2
    return wrap(np.asarray(made).astype(input.a.dtype))


@functional
def elu(input, alpha=1.0):
    need_real("elu_cpu", input.a)
    a = input.a
    return wrap(np.asarray(np.where(a > 0, a, alpha * np.expm1(np.minimum(a, 0)))).astype(a.dtype))


@functional
def leaky_relu(input, negative_slope=0.01):
    a = input.a
    need_real("leaky_relu_cpu", a)
    return wrap(np.asarray(np.where(a > 0, a, negative_slope * a)).astype(a.dtype))


@functional
def hardtanh(input, min_val=-1.0, max_val=1.0):
    if input.a.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    return wrap(input.a.clip(min_val, max_val).astype(input.a.dtype))


@functional
def threshold(input, threshold, value):
    if input.a.dtype.kind == "b":
        raise unsupported("threshold_cpu", input.a)
    return wrap(np.where(input.a > threshold, input.a, input.a.dtype.type(value)))


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
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional")
    if shape != input.a.shape[input.a.ndim - len(shape) :]:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, "
            f"{', '.join(map(str, shape))}], but got input of size{list(input.a.shape)}"
        )
    if weight is not None and input.a.dtype not in (weight.a.dtype, np.float16):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have the input's scalar type")
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
    if input.a.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    count = int(input.a.max(initial=-1)) + 1 if num_classes == -1 else num_classes
    if input.a.size and (input.a.min() < 0 or input.a.max() >= count):
        raise RuntimeError("Class values must be smaller than num_classes.")
    return wrap(np.eye(count, dtype=np.int64)[input.a])


@functional
def pad(input, pad, mode="constant", value=None):
    if mode != "constant":
        raise Missing("argument mode= of pad")
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    ahead = input.a.ndim - len(pairs)
    if ahead < 0:
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions")
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
    sizes = x1.norm(2, dim, True).clamp_min(eps), x2.norm(2, dim, True).clamp_min(eps)
    return (x1 / sizes[0] * (x2 / sizes[1])).sum(dim)


FUNCTIONS["cosine_similarity"] = FUNCTIONAL["cosine_similarity"]


def _meaned(loss, reduction):
    return {"mean": loss.mean, "sum": loss.sum, "none": lambda: loss}[reduction]()


@functional
def mse_loss(input, target, reduction="mean"):
    need_real("mse_cpu", input.a)
    return _meaned((input - target) ** 2, reduction)


@functional
def l1_loss(input, target, reduction="mean"):
    return _meaned((input - target).abs(), reduction)


@functional
def nll_loss(input, target, ignore_index=-100, reduction="mean"):
    if target.a.dtype != np.int64:
        raise RuntimeError("expected scalar type Long but found " + target.dtype.called)
    kept = target.a != ignore_index
    along = 1 if input.a.ndim > 1 else 0
    place = np.expand_dims(np.where(kept, target.a, 0), along)
    if place.size and not (place.min() >= 0 and place.max() < input.a.shape[along]):
        raise IndexError(f"Target {place.max()} is out of bounds.")
    loss = -np.take_along_axis(input.a, place, along).squeeze(along)
    loss = np.where(kept, loss, 0).astype(input.a.dtype)
    if reduction == "none":
        return wrap(loss)
    total = loss.sum()
    return wrap(np.asarray(total if reduction == "sum" else total / kept.sum(), input.a.dtype))


@functional
def cross_entropy(input, target, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    if label_smoothing:
        raise Missing("argument label_smoothing= of cross_entropy")
    along = 1 if input.a.ndim > 1 else 0
    logs = totals.log_softmax(input, along)
    if category(target.a.dtype) == dtypes.REAL:
        loss = -(logs * target).sum(along)
        each = max(loss.a.size, 1)
        return {"none": lambda: loss, "sum": loss.sum,
                "mean": lambda: loss.sum() / each}[reduction]()  # fmt: skip
    return nll_loss(logs, target, ignore_index, reduction)


@functional
def embedding(input, weight):
    if input.a.dtype.kind not in "iu":
        raise RuntimeError("Expected tensor for argument #1 'indices' to have scalar type Long")
    if input.a.size and not (input.a.min() >= 0 and input.a.max() < len(weight.a)):
        raise IndexError("index out of range in self")
    return wrap(weight.a[input.a])


@functional
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    if padding != 0 or dilation != 1:
        raise Missing("arguments padding= and dilation= of max_pool2d")
    sizes = kernel_size if isinstance(kernel_size, tuple) else (kernel_size, kernel_size)
    steps = sizes if stride is None else stride if isinstance(stride, tuple) else (stride, stride)
    a, pairs = input.a, list(zip(input.a.shape[-2:], sizes, steps, strict=True))
    if ceil_mode:
        more = [(0, -(-max(n - k, 0) // s) * s + k - n) for n, k, s in pairs]
        a = np.pad(a, [(0, 0)] * (a.ndim - 2) + [(0, max(m, 0)) for _, m in more],
                   constant_values=-np.inf)  # fmt: skip
    seen = np.lib.stride_tricks.sliding_window_view(a, sizes, (-2, -1))
    return wrap(seen[..., :: steps[0], :: steps[1], :, :].max((-2, -1)))


@functional
def dropout(input, p=0.5, training=True, inplace=False):
    if not training or p == 0:
        return input
    kept = default_generator.numbers.random(input.a.shape) >= p
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
        if attn_mask is not None:
            raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
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
