"""What an argument must be: declared at the signature, checked at the door, once.

    @takes(queries="... n d", keys="... m d", mask="bool ... n m")
    def scores(queries, keys, mask=None): ...

A word is a size, and the same word the same size everywhere; in a module, the name of one of its
numbers (`key_size`) is that size. "..." are leading axes, which broadcast; batch is the first of
them. "|" means or. Without a kind, a tensor holds floating-point numbers. `count`, `flag`,
`probability` and `positive` declare other arguments. An argument may be None if it is by default.

What is checked has the bare function as its `formula`: inside the package, that one is called.
"""

import functools
import inspect
import numbers

import torch

KINDS = ("bool", "int", "tokens", "real", "any")
NOUNS = {
    "int": "a tensor of integers",
    "bool": "a boolean tensor in which True = may attend",
    "tokens": "a boolean tensor in which True = a real token, or a tokenizer's 0 and 1",
}
LARGEST = 10**8


def takes(*, otherwise=None, instead=None, may_be_none=(), follow=False, **declared):
    """Declare what the arguments of a function or method must be.

    Args:
        otherwise: for a word, what to say when two arguments disagree in that size; it may
            quote their sizes, as in "{queries}".
        instead: what to say when arguments are missing, as in calls written for another library.
        may_be_none: arguments that may be None although that is not their default.
        follow: whether a module's parameters follow its input, whatever its dtype and device.
        **declared: for each argument the shape, in words, or a function (name, value) that raises.
    """

    def door(function):
        parameters = inspect.signature(function).parameters
        names = tuple(parameters)
        needed = [n for n, p in parameters.items() if p.default is p.empty]
        optional = {n for n, p in parameters.items() if p.default is None or n in may_be_none}
        wanted = [(n, _parsed(w) if isinstance(w, str) else w) for n, w in declared.items()]

        @functools.wraps(function)
        def checked(*args, **kwargs):
            given = {**dict(zip(names, args, strict=False)), **kwargs}
            if instead and any(name not in given for name in needed):
                raise TypeError(instead)
            seen = _Seen(given.get("self"), otherwise or {}, follow)
            for name, want in wanted:
                if name in given and not (given[name] is None and name in optional):
                    if isinstance(want, tuple):
                        seen.check(name, given[name], *want)
                    else:
                        want(name, given[name])
            return function(*args, **kwargs)

        checked.formula = function
        return checked

    return door


def _parsed(text):
    first, _, rest = text.partition(" ")
    kind, text = (first, rest) if first in KINDS else ("float", text)
    return kind, [tuple(shape.split()) for shape in text.split("|")]


class _Seen:
    """What the arguments of one call have shown so far."""

    def __init__(self, module, otherwise, follow):
        self.module, self.otherwise = module, otherwise
        self.sizes = {}  # word -> its size, and the argument that showed it first, with its shape
        self.lead, self.led = None, {}  # the leading axes of all, and the shapes that have them
        built = module is not None and "_parameters" in vars(module)  # not within __init__
        weights = next(iter(module.parameters()), None) if built and not follow else None
        self.first = None if weights is None else ("the module's weights", weights)

    def check(self, name, tensor, kind, shapes):
        _check_kind(name, tensor, kind)
        if kind in ("float", "any"):
            if kind == "float":
                self.same_kind_and_place(name, tensor)
            self.first = self.first or (name, tensor)
            self.fit(name, shape_of(tensor), shapes)
        else:
            if self.first and tensor.device != self.first[1].device:
                self.refuse_device(name, tensor)
            self.match(name, shape_of(tensor), kind, shapes)

    def same_kind_and_place(self, name, tensor):
        other, like = self.first or (name, tensor)
        if tensor.device != like.device:
            self.refuse_device(name, tensor)
        # Autocast brings different dtypes together by itself.
        if tensor.dtype != like.dtype and not torch.is_autocast_enabled(tensor.device.type):
            raise TypeError(
                f"{name} must have the dtype of {other}, {like.dtype}, got {tensor.dtype}; "
                f"convert one of them with .to({like.dtype})"
            )

    def refuse_device(self, name, tensor):
        other, like = self.first
        raise ValueError(
            f"{name} must be on the device of {other}, {like.device}, got {tensor.device}; "
            f"move one of them with .to({str(like.device)!r})"
        )

    def fit(self, name, shape, shapes):
        """The sizes of this tensor are those that are known, or become known."""
        words = next((w for w in shapes if _has_axes(shape, w)), None)
        if words is None:
            if "..." in shapes[0]:
                raise ValueError(
                    f"{name} must have at least {len(shapes[0]) - 1} axes, {_in_words(shapes)}, "
                    f"got shape {shape}; add the missing ones with {name}.unsqueeze(0)"
                )
            raise ValueError(f"{name} must have shape {_in_words(shapes)}, got shape {shape}")
        lead = len(shape) - len(words) + 1 if words[0] == "..." else 0
        for word, size in zip([w for w in words if w != "..."], shape[lead:], strict=False):
            self.same_size(name, shape, shapes, word, size)
        if words[0] == "...":
            together = broadcast(shape[:lead], self.lead or ())
            self.led[name] = shape
            if together is None:
                got = ", ".join(f"{other} {its}" for other, its in self.led.items())
                raise ValueError(
                    f"{' and '.join(self.led)} must agree in all axes but the last "
                    f"{len(words) - 1}, got {got}; use one batch of the same size for all"
                )
            self.lead = together

    def same_size(self, name, shape, shapes, word, size):
        word = getattr(self.module, word, word)
        if not isinstance(word, str):
            if size != word:
                raise ValueError(
                    f"{name} must have size {word} in the last axis, as this module was built "
                    f"for, got shape {shape}; build it for size {size} or pass other {name}"
                )
            return
        known, other, before = self.sizes.setdefault(word, (size, name, shape))
        if known == size:
            return
        said, got = self.otherwise.get(word, ""), {other: known, name: size}
        if all(f"{{{argument}}}" in said for argument in got):
            raise ValueError(f"{said.format(**got)} (got shapes {before} and {shape})")
        raise ValueError(
            f"{name} must have shape {_in_words(shapes)} with {word} = {known}, as {other} of "
            f"shape {before} has, got shape {shape}"
        )

    def match(self, name, shape, kind, shapes):
        """A mask broadcasts to its shape, lengths have it."""
        if shapes == [("...",)]:
            return
        fits = broadcasts_to if kind in ("bool", "real") else _equal
        targets = [self.target(words) for words in shapes]
        batchless = kind == "int" and self.lead == ()
        if any(fits(shape, target) for target in targets) and shape and not batchless:
            return
        here = " or ".join(map(str, targets))
        if kind == "bool":
            raise ValueError(
                f"{name} of shape {shape} must broadcast to the scores' shape {here}; add an "
                f"axis of size 1 where all of them share it"
            )
        here = (
            ", but there is no batch axis: unsqueeze(0) makes one"
            if batchless
            else f", here {here}"
        )
        raise ValueError(f"{name} must have shape {_in_words(shapes)}{here}; got {shape}")

    def target(self, words):
        """The shape in numbers, None for a number not known yet."""
        shape = []
        for word in words:
            if word == "...":
                shape += self.lead or ()
            elif word == "batch" and self.lead is not None:
                shape += self.lead[:1]
            else:
                known = getattr(self.module, word, word)
                shape.append(known if known != word else self.sizes.get(word, (None,))[0])
        return tuple(shape)


def _check_kind(name, tensor, kind):
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(
            f"{name} must be {NOUNS.get(kind, 'a torch.Tensor')}, got {type(tensor).__name__}; "
            f"convert it with torch.tensor({name})"
        )
    if tensor.layout != torch.strided:
        raise TypeError(f"{name} must be dense, got {tensor.layout}; use {name}.to_dense()")
    whole = not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)
    if kind == "float" and not tensor.is_floating_point():
        raise TypeError(
            f"{name} must hold floating-point numbers, got {tensor.dtype}; "
            f"convert it with {name}.float()"
        )
    if kind == "real" and not (whole or tensor.is_floating_point()):
        raise TypeError(f"{name} must hold numbers, got {tensor.dtype}; use {name}.float()")
    if kind == "int" and not whole:
        raise TypeError(
            f"{name} must hold integers, got {tensor.dtype}; a boolean mask goes to the argument "
            f"mask, lengths are converted with {name}.long()"
        )
    if kind == "bool" and tensor.dtype != torch.bool:
        raise TypeError(
            f"{name} must be {NOUNS[kind]}, got {tensor.dtype}; "
            f"for a mask of ones and zeros use {name}.bool()"
        )
    if kind == "tokens" and tensor.dtype != torch.bool:
        others = whole and not is_hidden(tensor) and bool(((tensor != 0) & (tensor != 1)).any())
        if not whole or others:
            raise TypeError(
                f"{name} must be {NOUNS[kind]}, got {tensor.dtype}"
                + (" with other numbers" if others else f"; convert it with {name}.bool()")
            )


def is_hidden(tensor):
    """Whether the tensor's numbers cannot be looked at: in a compiled graph, or without data."""
    return tensor.is_meta or torch.compiler.is_compiling()


def shape_of(tensor):
    """The shape as a plain tuple, which reads better in a message than torch.Size."""
    return tuple(tensor.shape)


def _in_words(shapes):
    return " or ".join(f"({', '.join(words)}{',' * (len(words) == 1)})" for words in shapes)


def _has_axes(shape, words):
    more = "..." in words
    return len(shape) >= len(words) - 1 if more else len(shape) == len(words)


def _equal(shape, target):
    return len(shape) == len(target) and all(
        b is None or a == b for a, b in zip(shape, target, strict=True)
    )


def broadcasts_to(shape, target):
    """Whether a shape broadcasts to this one; None is a number not known yet."""
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all(b is None or a in (1, b) for a, b in pairs)


def broadcast(a, b):
    """The shape that both broadcast to, or None; torch.broadcast_shapes first imports SymPy."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    pairs = list(zip(longer, (1,) * (len(longer) - len(shorter)) + shorter, strict=True))
    if any(m != n and 1 not in (m, n) for m, n in pairs):
        return None
    return tuple(n if m == 1 else m for m, n in pairs)


def count(name, value):
    """A whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
        raise TypeError(f"{name} must be an int, got {type(value).__name__} ({value!r})")
    if not 1 <= value <= LARGEST:
        bound = "at least 1" if value < 1 else f"at most {LARGEST:,}"
        raise ValueError(f"{name} must be {bound}, got {value}")


def flag(name, value):
    """True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {value!r} ({type(value).__name__})")


def probability(name, value):
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(
            f"{name} must be a probability from 0 to 1, got {value!r} ({type(value).__name__}); "
            f"name the arguments after it, as in causal=True"
        )
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be a probability from 0 to 1, got {value}")


def number(name, value):
    """A Python number, or a tensor of no axes that holds one."""
    single = isinstance(value, torch.Tensor) and value.dim() == 0 and not value.is_complex()
    if not single and not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be one number, got {value!r}")


def positive(name, value, why=""):
    """A number above 0: a Python number, or a tensor that holds one."""
    single = isinstance(value, torch.Tensor) and value.numel() == 1 and not value.is_complex()
    if not single and (isinstance(value, bool) or not isinstance(value, numbers.Real)):
        raise TypeError(f"{name} must be one number, got {value!r}")
    if not (single and is_hidden(value)) and not value > 0:
        raise ValueError(f"{name} must be positive, got {value}{why}")


def divides(total, num_heads, name="num_hiddens"):
    """Raise an error unless the width splits evenly into heads."""
    if total % num_heads:
        lower = total - total % num_heads
        fitting = f"{lower} or {lower + num_heads}" if lower else f"{num_heads}"
        raise ValueError(
            f"{name} must be divisible by num_heads, got {total} and {num_heads}; "
            f"{fitting} would do"
        )


def even(name, size):
    """Raise an error unless the size is even."""
    if size % 2:
        raise ValueError(f"{name} must be even, since features turn in pairs, got {size}")
