"""Errors and values in a learner's words."""

import math
import re

import numpy as np
import torch

from ..words import figure, sentences
from .common import multiple_told
from .compare import as_tensor
from .plain import Odd, Outcome, Problem

say = sentences(__name__)

# The name of a sentence on an error, and what the error's text says; {0}, {1} are the parts in
# brackets. What begins alike, up to a number, is one kind of error.
ERRORS = {
    "product of shapes": r"mat1 and mat2 shapes cannot be multiplied \((\w+) and (\w+)\)",
    "product of shapes 2":
        r"Expected size for first two dimensions of batch2 tensor to be: (\[.*?\]) but got: "
        r"(\[.*?\])",
    "product of shapes 3": r"batch1 must be a 3D tensor|batch2 must be a 3D tensor",
    "product of shapes 4": r"inconsistent tensor size, expected tensor (\[.*?\]) and src (\[.*?\])",
    "product of shapes 5": r"size mismatch, got input|vector, .*mat1|1D tensors expected",
    "product of shapes 6": r"both arguments to (?:linear|matmul) need to be at least 1D",
    "broadcasting": r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at "
        r"non-singleton dimension (\d+)",
    "broadcasting 2":
        r"shape mismatch|not broadcastable|cannot be broadcast|could not be broadcast|must "
        r"match the existing size",
    "in place": r"leaf Variable that requires grad.* in-place",
    "overlap": r"input tensor and the written-to tensor refer to a single memory location",
    "overlap 2": r"written-to tensor refers to a single memory location",
    "parameter": r"cannot assign '.*' as parameter '(\w+)'",
    "state dict": r"Error\(s\) in loading state_dict",
    "unpacking": r"not enough values to unpack \(expected (\d+), got (\d+)\)",
    "unpacking 2": r"too many values to unpack \(expected (\d+)",
    "float size": r"argument 'shape' .*got float|argument 'size' .*float",
    "in place 2":
        r"modified by an inplace operation|is a view and is being modified inplace|modified "
        r"inplace",
    "if of a tensor": r"Boolean value of Tensor with more than one value|truth value of an array",
    "minus of booleans": r"The `-` operator, with (?:a|two) bool tensor|`-` operator",
    "numpy of a gradient": r"Can't call numpy\(\) on Tensor that requires grad",
    "missing axis":
        r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got "
        r"(-?\d+)",
    "missing axis 2":
        r"too many indices for tensor of dimension (\d+)|IndexError: too many indices",
    "index": r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)",
    "index 2": r"list index out of range|index out of range",
    "indexing with a mask":
        r"The shape of the mask (\[.*?\]) at index (\d+) does not match the shape of the "
        r"indexed tensor (\[.*?\])",
    "index 3": r"tensors used as indices must be",
    "missing dim":
        r"missing 1 required positional arguments?: \"?'?dim|got \(Tensor\), but expected one "
        r"of: \* \(Tensor input, int dim",
    "reshape": r"shape '(\[.*?\])' is invalid for input of size (\d+)",
    "view": r"view size is not compatible.*`.*view",
    "view 2": r"view size is not compatible",
    "reshape 2":
        r"unflatten: Provided sizes (\[.*?\]) don't multiply up to the size of dim \S+ \((\d+)\)",
    "putting together":
        r"Tensors must have same number of dimensions|Sizes of tensors must match except",
    "putting together 2": r"stack expects each tensor to be equal size",
    "dtype":
        r"same dtype, but got:? (.+?) != (.+)|same dtype, but got (\w+), (\w+)|expected scalar "
        r"type (\w+) but found (\w+)",
    "dtype 2": r"~ \(operator.invert\)",
    "broadcasting 3": r"expand\(\w+\{(\[.*?\])\}, size=(\[.*?\])\)",
    "power": r"bitwise_xor|for \^: ",
    "dtype 3": r"bitwise_\w+\" not implemented for '(\w+)'",
    "dtype 4":
        r"not implemented for '(\w+)'|floating.?point (?:type|dtype)s?\. Got|Got (?:Long|Bool|"
        r"Int)|dtype should be floating|result type \w+ can't be cast|Input dtype must be either",
    "dtype 5": r"cannot be converted to type .* without overflow|value cannot be converted",
    "dtype 6": r"only supports boolean masks|expected BoolTensor|condition to be a boolean|"
        r"bool(?:ean)? (?:mask|tensor)",
    "no gradient": r"element 0 of tensors does not require grad",
    "one number":
        r"elements? cannot be converted to Scalar|only one element tensors can be converted|"
        r"only (?:length-1|0-dimensional) arrays can be converted",
    "not a tensor":
        r"argument '\w+' (?:\(position \d+\) )?must be (?:tuple of )?Tensors?, not (\w+)",
    "outer": r"outer: Expected 1-D argument",
    "arguments": r"(\w+)\(\) takes (\d+) positional arguments? but (\d+) were given",
    "none": r"'NoneType' object",
    "attribute": r"'(\w+)' object has no attribute '(\w+)'",
    "attribute 2": r"module '([\w.]+)' has no attribute '(\w+)'",
    "not callable": r"'(\w+)' object is not callable",
    "not iterable": r"'(\w+)' object is not (?:iterable|subscriptable)",
    "operands": r"unsupported operand type\(s\) for (\S+): '(\w+)' and '(\w+)'",
    "math": r"math (?:domain|range) error|math\.exp|Numerical result out of range|cannot convert "
        r"float",
    "processes": r"a checked function starts or ends no processes",
    "asks for input": r"cannot ask for input",
    "device": r"not compiled with CUDA|NVIDIA driver|not linked with support for \w+ devices",
    "check inside": r"check is being run already",
}  # fmt: skip
TYPES = ("NameError", "UnboundLocalError", "ZeroDivisionError", "RecursionError", "MemoryError",
         "SystemExit", "KeyError", "NotImplementedError", "AssertionError",
         "KeyboardInterrupt")  # fmt: skip
OF_SHAPES = ("product of shapes", "broadcasting", "missing axis", "index", "reshape", "one number")
OF_SHAPES += ("indexing with a mask", "putting together", "if of a tensor")
KINDS = ("numpy array", "numpy number", "sparse tensor")
ENDS = ("time", "slow", "idle", "died")


def error(problem: Problem, name, signature):
    """The name of an error's kind, and a sentence with the learner's line."""
    name_of_kind, sentence = _sentence(problem, name, signature)
    where = f"{say('line', line=problem.line, source=problem.source)} " if problem.line else ""
    shapes = ", ".join(f"{n} {tuple(s)}" for n, s in problem.shapes.items())
    shapes = f" {say('shapes', shapes=shapes)}" if shapes and name_of_kind in OF_SHAPES else ""
    stop = "" if re.search(r"[.?!](?: \(\w+\))?$", sentence) else "."
    return name_of_kind, f"{where}{sentence}{stop}{shapes}"


def _sentence(problem, name, signature):
    text = " ".join(problem.text.split())
    if problem.type == "TypeError" and problem.line is None and "argument" in text:
        return "arguments", say("other arguments", call=f"{name}{signature}", text=text)
    for sentence, pattern in ERRORS.items():
        kind = sentence.rstrip(" 23456")
        found = re.search(pattern, f"{text} in `{problem.source}`" if kind == "view" else text)
        if found:
            parts = [p for p in found.groups() if p is not None] + ["...", "...", "..."]
            return kind, f"{say(sentence, *parts)} ({problem.type})"
    first = text.split(". ")[0][:200]
    theirs = problem.type == "AssertionError" and "assert" not in problem.source
    if problem.type in TYPES and not theirs:
        return problem.type, say(problem.type, text=first.rstrip("."))
    return problem.type, f"{problem.type}: {text[:300]}" if text else problem.type


def nearly(a, b):
    """The largest difference of two results, where it is small beside the right one; or None."""
    a, b = as_tensor(a), as_tensor(b)
    if a is None or b is None or a.shape != b.shape or a.is_complex() or not b.is_floating_point():
        return None
    a, b = a.double().flatten(), b.double().flatten()
    off, most = ((a - b).abs().max().item(), b.abs().max().item()) if len(b) else (0.0, 1.0)
    return off if off < 0.01 * most else None


def general(got: Outcome, expected, right_cases, cases, off=None):
    """(kind or None, sentence) on a wrong result that is no known mistake.

    off: the largest difference in any of the cases, where none is large.
    """
    a, b = got.value, expected
    works = f" {say('relies', right=right_cases, cases=cases)}" if right_cases else ""
    if isinstance(a, tuple) and not isinstance(b, tuple):
        return "tuple", say("tuple", count=len(a))
    if isinstance(b, torch.Tensor):
        if isinstance(a, Odd) and a.type == "tensor":  # too large to be brought back
            return None, say("expected, got", expected=kind(b), got=a)
        if not isinstance(a, torch.Tensor):
            text = isinstance(a, str)
            what = say("text", text=show(a)) if text else say("a", kind=called(got.kind))
            said = say("expected, got", expected=say("a tensor"), got=what)
            return "kind", said + _generator(got)
        if a.shape != b.shape:
            return None, _shapes(a, b) + works
        if (a.dtype == torch.bool) != (b.dtype == torch.bool):
            if b.dtype == torch.bool and torch.equal(a.bool(), b):
                if not torch.equal(a.bool().to(a.dtype), a):
                    return "numbers", say("numbers")
                return "0 and 1", say("0 and 1")
            return "dtype", say("must be", expected=b.dtype, got=a.dtype)
        if a.is_floating_point() and a.isnan().any() and not b.isnan().any():
            where = "NaN everywhere" if a.isnan().all() else "NaN in places"
            return "nan", say(where, places=int(a.isnan().sum())) + works
        wrong = int((~torch.isclose(a.double(), b.double(), 1e-5, 1e-5, equal_nan=True)).sum())
        if not wrong:
            close = int(((b == 0) & (a != 0)).sum())
            return "nearly 0", say("nearly 0", close=close)
        fewer_bits = a.is_floating_point() and a.element_size() < b.element_size()
        if fewer_bits and nearly(a, b) is not None:
            return "dtype", say("must be", expected=b.dtype, got=a.dtype)
        if off is not None:
            return "close", say("close", off=off) + works
        if seen := _of_sums(a, b):
            return "sums", seen + works
        if right_cases == 0 and wrong < b.numel() > 2:
            return None, say("some numbers", wrong=wrong, numbers=b.numel())
        if right_cases == 0:
            return None, say("shape alone")
    elif type(a) is not type(b) and (
        isinstance(b, bool) or not (isinstance(a, (int, float)) and isinstance(b, (int, float)))
    ):
        mine = say("a", kind=called(got.kind)) if got.kind in ("list", *KINDS) else kind(a)
        return "kind", say("expected, got", expected=kind(b), got=mine) + _generator(got)
    if right_cases:
        return None, say("right in some", right=right_cases, cases=cases)
    return None, say("not yet")


def _of_sums(a, b):
    """A sentence on what sums to 1 where each row should, or on a multiple of what is right."""
    if a.is_complex() or not (b.is_floating_point() and b.dim()):
        return None
    a, b = a.double(), b.double()

    def one(sums):
        return torch.allclose(sums, torch.ones_like(sums), atol=1e-3)

    if one(b.sum(-1)) and not one(a.sum(-1)) and b.shape[-1] > 1:
        totals = a.sum(-1).flatten()
        key = "columns sum to 1" if a.dim() > 1 and one(a.sum(-2)) else "a row sums"
        some = any(map(one, totals))  # a row that does is no share of the whole
        key = "all sum to 1" if one(a.sum()) and not some else key
        return say(key, total=totals[(totals - 1).abs().argmax()])
    return multiple_told(a, b)


def _generator(got):
    if got.kind in ("generator", "coroutine"):
        return f" {say('yields')}"
    if got.kind in ("function", "builtin_function_or_method", "method"):
        return f" {say('brackets')}"
    return ""


def called(kind):
    """What something is called in a sentence: Python's name of its type, or ours."""
    return say(kind) if kind in KINDS else kind


def kind(value):
    name = type(value).__name__
    if isinstance(value, Odd) and value.type == "int":  # too large to be brought back
        return value.text
    if isinstance(value, Odd):
        return say("a", kind=called(value.type))
    if isinstance(value, torch.Tensor):
        return say("tensor", shape=tuple(value.shape))
    return say(name) if name in ("bool", "float", "int", "str") else say("a", kind=name)


def _shapes(a, b):
    a, b = tuple(a.shape), tuple(b.shape)
    if len(a) == len(b) and sorted(a) == sorted(b):
        return say("order", shape=a, expected=b)
    if len(a) == len(b):
        axes = [i for i in range(len(a)) if a[i] != b[i]]
        if len(axes) == 1:
            i = axes[0]
            return say("axis", axis=i, size=a[i], expected=b[i])
    if [n for n in a if n != 1] == [n for n in b if n != 1]:
        what = "too many axes" if len(a) > len(b) else "too few axes"
        return say(what, shape=a, expected=b)
    if len(a) != len(b):
        key = "one axis" if len(a) == 1 else "axes"
        return say(key, axes=len(a), axes_expected=len(b), shape=a, expected=b)
    return say("shape", shape=a, expected=b)


# Values


def show(value, digits=3, start=0):
    """A value in a few characters: small tensors whole, others by shape and some numbers."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        if value.dim() == 0:
            digits = max(digits, 4)
        if value.numel() <= 24:
            return _nested(value.tolist(), _apart(value.flatten().tolist(), digits))
        numbers = value.flatten()[start : start + 6].tolist()
        text = _nested(tuple(numbers), _apart(numbers, digits))[1:-1]
        key = "numbers" if start else "first numbers"
        place = [*map(int, np.unravel_index(start, value.shape))]
        return say(f"shape, {key}", shape=tuple(value.shape), place=place, text=text)
    if isinstance(value, torch.nn.Module):
        return type(value).__name__
    if isinstance(value, str):
        return value if len(value) < 400 else value[:400] + " ..."
    if callable(value):
        return getattr(value, "__name__", None) or say("a function")
    return _nested(value, max(digits, 4))


def _apart(numbers, digits):
    """The digits that tell these numbers apart, some more than `digits` at most."""
    numbers = {a for a in numbers if isinstance(a, float)}
    enough = (n for n in range(digits, 8) if len({figure(a, n) for a in numbers}) == len(numbers))
    return next(enough, digits)


def _nested(a, digits):
    if isinstance(a, (list, tuple)):
        text = ", ".join(_nested(item, digits) for item in a[:64])
        return f"({text})" if isinstance(a, tuple) else f"[{text}]"
    if isinstance(a, torch.Tensor):
        return show(a, digits)
    return figure(a, digits) if isinstance(a, float) and math.isfinite(a) else repr(a)


def lines(values):
    """Lines of values below each other, each behind its name."""
    names = {name: f"{say(name)}:" for name in values}
    width = max(map(len, names.values()))
    return "\n".join(f"  {names[name]:{width}} {value}" for name, value in values.items())


def show_both(expected, got):
    """Both values, with as many digits as it takes to tell all different numbers apart."""
    start, pairs = 0, []
    tensors = isinstance(expected, torch.Tensor) and isinstance(got, torch.Tensor)
    alike = tensors and expected.shape == got.shape and expected.is_complex() == got.is_complex()
    if alike and not expected.is_complex():
        a, b = expected.double().flatten(), got.double().flatten()
        wrong = ~torch.isclose(a, b, 1e-5, 1e-6, equal_nan=True)
        start = int(wrong.int().argmax()) if len(a) > 24 else 0
        pairs = torch.stack([a, b], 1)[start : start + (6 if len(a) > 24 else 24)]
        pairs = pairs[wrong[start : start + len(pairs)]].tolist()
    for digits in (3, 4, 5, 6, 9, 17):
        texts = show(expected, digits, start), show(got, digits, start)
        if texts[0] != texts[1] and all(figure(x, digits) != figure(y, digits) for x, y in pairs):
            return texts
    marks = []
    for value, text in zip((expected, got), texts, strict=True):
        kind = f"{value.dtype}, {tuple(value.shape)}" if tensors else type(value).__name__
        marks.append(f"{text} ({kind})")
    return tuple(marks)
