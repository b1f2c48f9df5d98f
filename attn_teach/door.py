"""What an argument must be: said once, in the signature, and checked once, at the package's door.

    def dot_product_scores(queries: Float[Tensor, "... n d"], keys: Float[Tensor, "... m d"]): ...

A word is a size, and the same word the same size everywhere; `key_size` and the like are those that
a module was built for. "..." are leading axes, which broadcast; batch is the first of them. "|" is
or. What the tensor holds is one of `KINDS`. For other values an annotation holds a function
(name, value) that raises, as `Count` does (shapes.py). None passes where it is the default or in
the type. What code of ours hands on, itself or through torch, has been asked.
"""

import functools
import inspect
import sys
import typing

import torch

from .checks import known, refuse, together

FLOAT = "convert it with {}.float()"
BOOL = "which way round is it? {0} == 1 if 1 means may attend, {0} == 0 if 1 means ignore"
ADDED = "if 0 means may attend and all below it ignore, {} == 0 is the mask"
PLACES = "hold integers, or numbers of 32 bits or more, as fewer bits round 1001 to 1000"
INT = "a boolean mask goes to the argument mask, lengths are converted with {}.long()"
TOKENS = "a boolean tensor in which True = a real token, or a tokenizer's 0 and 1"
KINDS = {  # what to call it, which numbers it holds, what it must do, what helps
    "float": ("a torch.Tensor", "real", "hold floating-point numbers", FLOAT),
    "real": ("a torch.Tensor", "real whole", PLACES, "make them with torch.arange"),
    "any": ("a torch.Tensor", "real whole bool complex", "", ""),
    "ids": ("a tensor of integers, the numbers of tokens", "whole", "", "use {}.long()"),
    "int": ("a tensor of integers", "whole", "hold integers", INT),
    "bool": ("a boolean tensor in which True = may attend", "bool", "", BOOL),
    "tokens": (TOKENS, "bool whole", "", BOOL),
}
DENSE = {"nested": "to_padded_tensor(0)", "quantized": "dequantize()"}  # of others: to_dense()
ROWS = "values must have one row for each of the {} keys, got {}"
DISAGREE = {  # where two arguments disagree in a size: what says more than their shapes
    ("query", "key", "d"): "query of size {} cannot be dotted with key of size {}",
    ("queries", "keys", "d"): "queries of size {} cannot be dotted with keys of size {}; use "
    "AdditiveAttention or BilinearAttention, which let the sizes differ",
    ("keys", "values", "m"): ROWS,
    ("scores", "values", "m"): ROWS,
    ("queries", "keys", "n"): "each query has keys and values of its own, in one row each, but "
    "there are {} queries and {} rows; to give every query the same keys, use keys.expand(n, -1)",
}
BUILT_FOR = {"key_size", "query_size", "value_size", "num_hiddens", "num_heads", "embed_dim"}
ALONE = (  # PyTorch's fourth argument is attn_mask
    "query_mask must not be given alone and by its place: name it, query_mask=..., if it is one "
    "of tokens, (batch, n); one of pairs, (n, m), is mask=..., True = may attend"
)


def guarded(public):
    """The function, or the class with its methods, which checks what its signature declares."""
    if not inspect.isclass(public):
        return _door(public) if inspect.get_annotations(public) else public
    for name, method in inspect.getmembers(public, inspect.isfunction):  # others come from torch
        ours = method.__module__.startswith(public.__module__.partition(".")[0])
        bound = ours and "self" in inspect.signature(method).parameters
        if bound and inspect.get_annotations(method) and not hasattr(method, "__wrapped__"):
            setattr(public, name, _door(method))
    return public


def _door(function):
    parameters, annotations, types = _declared(function)
    wanted = [(n, *_wish(a, parameters[n].default)) for n, a in annotations.items()]
    shown = [p.replace(annotation=_readable(p, types)) for p in parameters.values()]
    returns = inspect.get_annotations(function).get("return", inspect.Signature.empty)
    function.__signature__ = inspect.Signature(shown, return_annotation=returns)
    by_place = [n for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    any_name = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    needed = {n for n in by_place if parameters[n].default is inspect.Parameter.empty}

    @functools.wraps(function)
    def checked(*args, **kwargs):
        if torch.compiler.is_compiling() or not _from_inside(sys._getframe(1)):
            given = {**dict(zip(by_place, args, strict=False)), **kwargs}
            known_names = any_name or all(name in parameters for name in kwargs)
            counted = len(given) == len(args) + len(kwargs) and all(n in given for n in needed)
            if counted and known_names:  # else Python tells which are too many, or missing
                _check_all(wanted, given, len(args))
        return function(*args, **kwargs)

    return checked


def _declared(function):
    """Parameters, what is said of them, and their types without that.

    Of **parts: Annotated[object, SomeClass], those of the class.
    """
    parameters = dict(inspect.signature(function).parameters)
    annotations = {n: a for n, a in inspect.get_annotations(function).items() if n in parameters}
    types = typing.get_type_hints(function)
    last = [*parameters][-1]
    if parameters[last].kind is inspect.Parameter.VAR_KEYWORD and last in annotations:
        del parameters[last]
        theirs = _declared(_said(annotations.pop(last)).__init__)
        more = {n: p for n, p in theirs[0].items() if n not in parameters}
        parameters |= {n: p.replace(kind=p.KEYWORD_ONLY) for n, p in more.items()}
        annotations, types = theirs[1] | annotations, theirs[2] | types
    return parameters, annotations, types


def _check_all(wanted, given, by_place):
    alone = by_place == len(given) and [*given][-1:] == ["query_mask"]
    if alone and given["query_mask"] is not None:
        raise TypeError(ALONE)
    call = _Call(given.get("self"))
    for name, want, may_be_none in wanted:
        if name in given and not (may_be_none and given[name] is None):
            if isinstance(want, tuple):
                call.check(name, given[name], *want)
            else:
                want(name, given[name])


def _from_inside(frame):
    """Whether code of ours calls. The stack knows, so that nothing needs to be remembered."""
    package = "torch"  # which only hands on
    while frame and package == "torch":
        package, frame = frame.f_globals.get("__name__", "").partition(".")[0], frame.f_back
    return package == __package__


def _said(annotation):
    """What an annotation says beside the type: a function, or text: the kind and the shapes."""
    parts = annotation, *typing.get_args(annotation)
    return next((part.__metadata__[0] for part in parts if hasattr(part, "__metadata__")), None)


def _wish(annotation, default):
    """What an argument must be, a function or (kind, shapes), and whether it may be None."""
    said = _said(annotation)
    if isinstance(said, str):
        kind, _, shapes = said.partition(" ")
        said = kind, [tuple(shape.split()) for shape in shapes.split("|")]
    return said, default is None or type(None) in typing.get_args(annotation)


def _readable(parameter, types):
    """What help() shows beside a parameter: of a tensor its kind and shape, else its type."""
    said = _said(parameter.annotation)
    if isinstance(said, str):
        return said.removeprefix("float ")
    return types.get(parameter.name, parameter.annotation)


class _Call:
    """What the arguments of one call have shown so far."""

    def __init__(self, module):
        self.module, self.like = module, None  # the name and the tensor that others are like
        self.sizes = {}  # word -> its size, and the argument that showed it first, with its shape
        self.lead, self.led = None, {}  # the leading axes of all, and the shapes that have them

    def check(self, name, tensor, kind, shapes):
        _check_kind(name, tensor, kind)
        if self.like is None:
            weights = self.weights()
            self.like = (name, tensor) if weights is None else ("the module's weights", weights)
        other, like = self.like
        if tensor.device != like.device:
            use = f"move one of them with .to({str(like.device)!r})"
            refuse(name, f"be on the device of {other}, {like.device}", tensor.device, use)
        apart = kind == "float" and tensor.dtype != like.dtype
        if apart and not torch.is_autocast_enabled(like.device.type):  # which brings them together
            use = f"convert one of them with .to({like.dtype})"
            refuse(name, f"have the dtype of {other}, {like.dtype}", tensor.dtype, use, TypeError)
        if kind in ("float", "ids", "any"):
            self.fit(name, tuple(tensor.shape), shapes)
        else:
            self.match(name, tuple(tensor.shape), shapes, kind)

    def weights(self):
        """One of the module's weights, if all are of one kind: int8 or an adapter tells nothing."""
        if getattr(self.module, "follows_its_input", not hasattr(self.module, "buffers")):
            return None
        found = [*self.module.parameters()]
        alike = len({(w.dtype, w.device) for w in found}) == 1
        return found[0] if alike and found[0].is_floating_point() else None

    def fit(self, name, shape, shapes):
        """The sizes of this tensor are those that are known, or become known."""
        axes = len(shape)
        found = (w for w in shapes if axes == len(w) or ("..." in w and axes >= len(w) - 1))
        words = next(found, None)
        if words is None and "..." in shapes[0]:
            # The last axis lacks if the first of two is there.
            last = len(shapes[0]) == 3 and shape == self.sizes.get(shapes[0][1], ((),))[:1]
            must = f"have at least {len(shapes[0]) - 1} axes, {_in_words(shapes)}"
            use = f"add the missing one with {name}.unsqueeze({int(last)})"
            refuse(name, must, f"shape {shape}", use)
        if words is None:
            refuse(name, f"have shape {_in_words(shapes)}", f"shape {shape}")
        lead = axes - len(words) + 1 if words[0] == "..." else 0
        for word, size in zip(words[words[0] == "..." :], shape[lead:], strict=False):
            self.same_size(name, shape, shapes, self.size_of(word), size)
        if words[0] == "...":
            self.led[name], self.lead = shape, together(shape[:lead], self.lead or ())
            if self.lead is None:
                got = ", ".join(f"{other} {its}" for other, its in self.led.items())
                must = f"agree in all axes but the last {len(words) - 1}"
                refuse(" and ".join(self.led), must, got, "use one batch of the same size for all")

    def same_size(self, name, shape, shapes, word, size):
        if isinstance(word, int) and word != size:
            must = f"have size {word} in the last axis, as this module was built for"
            refuse(name, must, f"shape {shape}", f"build it for size {size} or pass other {name}")
        there, other, before = self.sizes.setdefault(word, (size, name, shape))
        if there != size and (other, name, word) in DISAGREE:
            sentence = DISAGREE[other, name, word].format(there, size)
            raise ValueError(f"{sentence} (got shapes {before} and {shape})")
        if there != size:
            must = f"have shape {_in_words(shapes)} with {word} = {there}, as {other} of shape "
            refuse(name, f"{must}{before} has", f"shape {shape}")

    def match(self, name, shape, shapes, kind):
        """A mask broadcasts to the shape that the sizes make, lengths have it."""
        targets = [self.target(words) for words in shapes]
        # A mask with fewer axes is one for all heads, never one that lacks the batch alone.
        chosen = [t for t in targets if len(t) == len(shape)] or targets[:1]
        stretched = (1,) if kind in ("bool", "real") else ()
        batchless = kind == "int" and self.lead == ()
        if shape and not batchless and any(_fits(shape, t, stretched) for t in chosen):
            return
        here = " or ".join(map(str, targets))
        if kind == "bool":
            use = f"scores' shape {here}; add an axis of size 1 where all of them share it"
            raise ValueError(f"{name} of shape {shape} must broadcast to the {use}")
        here = "but there is no batch axis: unsqueeze(0) makes one" if batchless else f"here {here}"
        raise ValueError(f"{name} must have shape {_in_words(shapes)}, {here}; got {shape}")

    def target(self, words):
        """The shape in numbers, None for one that is not known yet."""
        shape = ()
        for word in map(self.size_of, words):
            if word == "..." or (word == "batch" and self.lead is not None):
                shape += (self.lead or ())[: None if word == "..." else 1]
            else:
                shape += (word if isinstance(word, int) else self.sizes.get(word, (None,))[0],)
        return shape

    def size_of(self, word):
        """The size that the module was built for, or the word."""
        return getattr(self.module, word, word) if word in BUILT_FOR else word


def _in_words(shapes):
    return " or ".join(f"({', '.join(words)}{',' * (len(words) == 1)})" for words in shapes)


def _fits(shape, target, stretched):
    right = len(shape) <= len(target) if stretched else len(shape) == len(target)
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return right and all(b is None or a == b or a in stretched for a, b in pairs)


def _check_kind(name, tensor, kind):
    noun, numbers, must, use = KINDS[kind]
    if not isinstance(tensor, torch.Tensor):
        use = f"convert it with torch.tensor({name})"
        refuse(name, f"be {noun}", type(tensor).__name__, use, TypeError)
    odd = "nested" if tensor.is_nested else "quantized" if tensor.is_quantized else tensor.layout
    if odd != torch.strided:
        refuse(name, "be dense", odd, f"use {name}.{DENSE.get(str(odd), 'to_dense()')}", TypeError)
    held = "bool" if tensor.dtype == torch.bool else "complex" if tensor.is_complex() else "whole"
    held = "real" if tensor.is_floating_point() else held
    held = "rounded" if (kind, held) == ("real", "real") and tensor.dtype.itemsize < 4 else held
    others = (kind, held) == ("tokens", "whole") and known((tensor != 0) & (tensor != 1), False)
    if held not in numbers or others:
        got = f"{tensor.dtype}{' with other numbers' * others}"
        use = ADDED if use == BOOL and held == "real" and known(tensor < 0, False) else use
        refuse(name, must or f"be {noun}", got, use.format(name), TypeError)
