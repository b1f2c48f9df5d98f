"""What an argument must be: said once, in the signature, and checked once, at the package's door.

    def dot_product_scores(queries: "... n d", keys: "... m d", scaled: flag = True): ...

A word is a size, and the same word the same size everywhere; `key_size` and the like are the sizes
that a module was built for. "..." are leading axes, which broadcast; batch is the first of them.
"|" means or. Before the words may stand what the tensor holds: "bool", "int", "ids", "tokens",
"real" or "any"; else it holds floating-point numbers. An annotation that is no text is a function
(name, value) that raises. An argument may be None if it is by default, or if its words say so.

`guarded` makes the door, in the package's `__init__`; inside the package all call each other bare.
"""

import functools
import inspect
import numbers

import torch

KINDS = ("bool", "int", "ids", "tokens", "real", "any")
NOUNS = {
    "int": "a tensor of integers",
    "ids": "a tensor of integers, the numbers of tokens",
    "bool": "a boolean tensor in which True = may attend",
    "tokens": "a boolean tensor in which True = a real token, or a tokenizer's 0 and 1",
}
# The words that are numbers of a module; any other is none of its business.
BUILT_FOR = {"key_size", "query_size", "value_size", "num_hiddens", "num_heads", "embed_dim"}
LARGEST = 10**8

inside = False  # whether a module of ours is at work

# Where two arguments disagree in a size, a sentence that says more than their shapes.
DISAGREE = {
    ("queries", "keys", "d"): "queries of size {queries} cannot be dotted with keys of size "
    "{keys}; use AdditiveAttention or BilinearAttention, which let the sizes differ",
    ("query", "key", "d"): "query of size {query} cannot be dotted with key of size {key}",
    ("keys", "values", "m"): "values must have one row for each of the {keys} keys, got {values}",
    ("scores", "values", "m"): "values must have one row for each of the {scores} keys, got "
    "{values}",
    ("queries", "keys", "n"): "each query has keys and values of its own, in one row each, but "
    "there are {queries} queries and {keys} rows; to give every query the same keys, use "
    "keys.expand(n, -1)",
}
# What to tell who calls as d2l 1.0 does, with arguments missing.
MISSING = {
    "AdditiveAttention": "AdditiveAttention takes key_size, query_size, num_hiddens and dropout; "
    "for AdditiveAttention(num_hiddens, dropout), as in d2l 1.0, write "
    "AdditiveAttention(num_hiddens, num_hiddens, num_hiddens, dropout)",
    "MultiHeadAttention": "MultiHeadAttention takes key_size, query_size, value_size, num_hiddens, "
    "num_heads, dropout and bias; for MultiHeadAttention(num_hiddens, num_heads, dropout), "
    "as in d2l 1.0, write MultiHeadAttention(num_hiddens, num_hiddens, num_hiddens, "
    "num_hiddens, num_heads, dropout)",
}


def guarded(public):
    """The function, or the class with its methods, which checks what its signature declares."""
    if not inspect.isclass(public):
        return _door(public) if _declared(public) else public
    package = public.__module__.partition(".")[0]  # its other methods come from torch
    for name, method in inspect.getmembers(public, inspect.isfunction):
        ours = method.__module__.startswith(package) and not hasattr(method, "__wrapped__")
        if ours and "self" in inspect.signature(method).parameters and _declared(method):
            missing = MISSING.get(public.__name__) if name == "__init__" else None
            setattr(public, name, _door(method, missing))
    return public


def _declared(function):
    """The annotations of the arguments: (name, kind and shapes, or a function) each."""
    found = inspect.get_annotations(function).items()
    return [(name, _parsed(want) if isinstance(want, str) else want) for name, want in found]


def _parsed(text):
    first, _, rest = text.partition(" ")
    kind, text = (first, rest) if first in KINDS else ("float", text)
    return kind, [tuple(shape.split()) for shape in text.split("|") if shape.strip() != "None"]


def _door(function, missing=None):
    parameters = inspect.signature(function).parameters
    names = tuple(parameters)
    needed = [n for n, p in parameters.items() if p.default is p.empty]
    texts = inspect.get_annotations(function)
    optional = {
        n for n, p in parameters.items() if p.default is None or str(texts.get(n)).endswith("None")
    }
    wanted = _declared(function)
    function.__signature__ = inspect.Signature([_readable(p) for p in parameters.values()])

    forward = function.__name__ == "forward"

    @functools.wraps(function)
    def checked(*args, **kwargs):
        global inside
        if forward and inside:  # whoever calls it has checked
            return function(*args, **kwargs)
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        module = given.get("self")
        if missing and any(name not in given for name in needed):
            raise TypeError(missing)
        seen = _Seen(module)
        for name, want in wanted:
            if name in given and not (given[name] is None and name in optional):
                if isinstance(want, tuple):
                    seen.check(name, given[name], *want)
                else:
                    want(name, given[name])
        if not forward:
            return function(*args, **kwargs)
        inside = True
        try:
            return function(*args, **kwargs)
        finally:
            inside = False

    return checked


def _readable(parameter):
    """The parameter as help() shows it: with the name of its check, whose repr is an address."""
    check = parameter.annotation
    named = inspect.isfunction(check)
    return parameter.replace(annotation=check.__name__.strip("_")) if named else parameter


class _Seen:
    """What the arguments of one call have shown so far."""

    def __init__(self, module):
        self.module = module
        self.sizes = {}  # word -> its size, and the argument that showed it first, with its shape
        self.lead, self.led = None, {}  # the leading axes of all, and the shapes that have them
        built = module is not None and "_parameters" in vars(module)  # not within __init__
        follows = getattr(module, "follows_its_input", False)
        weights = next(iter(module.parameters()), None) if built and not follows else None
        self.first = None if weights is None else ("the module's weights", weights)

    def size_of(self, word):
        """The size that the module was built for, or the word."""
        return getattr(self.module, word, word) if word in BUILT_FOR else word

    def check(self, name, tensor, kind, shapes):
        _check_kind(name, tensor, kind)
        if kind == "float":
            self.same_kind_and_place(name, tensor)
        elif kind != "any" and self.first and tensor.device != self.first[1].device:
            self.refuse_device(name, tensor)
        if kind in ("float", "ids", "any"):
            self.first = self.first or (name, tensor)
            self.fit(name, shape_of(tensor), shapes)
        else:
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
                    f"got shape {shape}; add the missing one with {name}.unsqueeze("
                    f"{self.missing_axis(shape, shapes[0])})"
                )
            raise ValueError(f"{name} must have shape {_in_words(shapes)}, got shape {shape}")
        lead = len(shape) - len(words) + 1 if words[0] == "..." else 0
        for word, size in zip([w for w in words if w != "..."], shape[lead:], strict=False):
            self.same_size(name, shape, shapes, word, size)
        if words[0] == "...":
            lead_of_all = together(shape[:lead], self.lead or ())
            self.led[name] = shape
            if lead_of_all is None:
                got = ", ".join(f"{other} {its}" for other, its in self.led.items())
                raise ValueError(
                    f"{' and '.join(self.led)} must agree in all axes but the last "
                    f"{len(words) - 1}, got {got}; use one batch of the same size for all"
                )
            self.lead = lead_of_all

    def missing_axis(self, shape, words):
        """Where to put the axis that is missing: last, if the first of the two is there."""
        known = self.sizes.get(words[1], (None,))[0] if len(words) == 3 else None
        return 1 if len(shape) == 1 and known == shape[0] else 0

    def same_size(self, name, shape, shapes, word, size):
        word = self.size_of(word)
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
        sentence = DISAGREE.get((other, name, word))
        if sentence:
            told = sentence.format(**{other: known, name: size})
            raise ValueError(f"{told} (got shapes {before} and {shape})")
        raise ValueError(
            f"{name} must have shape {_in_words(shapes)} with {word} = {known}, as {other} of "
            f"shape {before} has, got shape {shape}"
        )

    def match(self, name, shape, kind, shapes):
        """A mask broadcasts to its shape, lengths have it."""
        if shapes == [("...",)]:
            return
        fits = broadcasts if kind in ("bool", "real") else _equal
        targets = [self.target(words) for words in shapes]
        batchless = kind == "int" and self.lead == ()
        # A mask with fewer axes is one for all heads, never one that lacks the batch alone.
        chosen = [t for t in targets if len(t) == len(shape)] or targets[:1]
        if any(fits(shape, target) for target in chosen) and shape and not batchless:
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
                known = self.size_of(word)
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
    if kind == "ids" and not whole:
        raise TypeError(f"{name} must be {NOUNS[kind]}, got {tensor.dtype}; use {name}.long()")
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
    return getattr(tensor, "is_meta", False) or torch.compiler.is_compiling()


def may_hold(tensor):
    """Whether any number of a boolean tensor is True; so it may be where nobody can look."""
    if is_hidden(tensor):
        return True
    try:
        return bool(tensor.any())
    except RuntimeError:  # within torch.func.vmap
        return True


def refuted(condition):
    """Whether a comparison is False for all to see."""
    return not (may_hold(condition) if isinstance(condition, torch.Tensor) else condition)


def widest(device):
    """The dtype with the most digits; Apple's GPUs have no float64."""
    return torch.float32 if torch.device(device or "cpu").type == "mps" else torch.float64


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


def broadcasts(shape, target):
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all(b is None or a in (1, b) for a, b in pairs)


def together(a, b):
    """The shape that both broadcast to, or None."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    pairs = list(zip(longer, (1,) * (len(longer) - len(shorter)) + shorter, strict=True))
    if any(m != n and 1 not in (m, n) for m, n in pairs):
        return None
    return tuple(n if m == 1 else m for m, n in pairs)


def shown(value):
    """A value in a message, on one short line: of a tensor or array its kind and first numbers."""
    if hasattr(value, "dtype") and isinstance(getattr(value, "shape", None), tuple):
        text = f"{value.dtype} of shape {shape_of(value)}"
        if getattr(value, "layout", torch.strided) == torch.strided and not is_hidden(value):
            numbers = value.reshape(-1)
            first = [f"{n:.4g}" if isinstance(n, float) else str(n) for n in numbers[:3].tolist()]
            return f"{text} ({', '.join(first)}{', ...' * (len(numbers) > 3)})"
        return text
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def typed(value):
    """The value as `shown`, with its type."""
    return f"{shown(value)} ({type(value).__name__})"


def text(name, value):
    """A string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {typed(value)}; use str({name})")


def place(name, value):
    """A device that is there."""
    try:
        torch.empty(0, device=value)
    except Exception as error:
        raise ValueError(
            f"{name} must be a device of this machine, such as 'cpu', got {typed(value)}: "
            f"{str(error).partition('.')[0]}"
        ) from None


def count(name, value):
    """A whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
        raise TypeError(f"{name} must be an int, got {typed(value)}")
    if not 1 <= value <= LARGEST:
        bound = "at least 1" if value < 1 else f"at most {LARGEST:,}"
        raise ValueError(f"{name} must be {bound}, got {value}")


def flag(name, value):
    """True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, got {typed(value)}")


def probability(name, value):
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(
            f"{name} must be a probability from 0 to 1, got {typed(value)}; "
            f"name the arguments after it, as in causal=True"
        )
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be a probability from 0 to 1, got {value}")


def number(name, value):
    """A Python number, or a tensor of no axes that holds one."""
    single = isinstance(value, torch.Tensor) and value.dim() == 0 and not value.is_complex()
    if not single and not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be one number, got {typed(value)}")


def positive(name, value, why=""):
    """A number above 0: a Python number, or a tensor that holds one."""
    single = isinstance(value, torch.Tensor) and value.numel() == 1 and not value.is_complex()
    if not single and (isinstance(value, bool) or not isinstance(value, numbers.Real)):
        raise TypeError(f"{name} must be one number, got {typed(value)}")
    if refuted(value > 0):
        raise ValueError(f"{name} must be positive, got {shown(value)}{why}")


def divides(total, parts, name="num_hiddens", by="num_heads"):
    """Raise an error unless the width splits evenly into heads, or the heads into groups."""
    if total % parts:
        lower = total - total % parts
        fitting = f"{lower} or {lower + parts}" if lower else f"{parts}"
        raise ValueError(
            f"{name} must be divisible by {by}, got {total} and {parts}; {fitting} would do"
        )


def even(name, size):
    """Raise an error unless the size is even."""
    if size % 2:
        raise ValueError(f"{name} must be even, since features turn in pairs, got {size}")
