"""Plain data: what a checked function's result becomes on its way back, and becomes again.

Nothing in it is long, so that a forger's is no heavier than an honest one.
"""

import base64
import math
from dataclasses import dataclass, field

import torch

from ..words import sentences

say = sentences(__name__)

RECORD = 8 * 2**20  # bytes that may come back
SIZE = RECORD // 4  # bytes of a tensor that comes back; and rows, of one that holds no number
ITEMS = 20_000  # in lists that come back
BITS = 256  # of a whole number
AXES = 16
# A quantized tensor that is read as another one is ends the process; float8 can be neither compared
# nor shown.
DTYPES = [f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)]
DTYPES += ["bool", "float16", "bfloat16", "float32", "float64"]
DTYPES += ["complex32", "complex64", "complex128"]
TEXT, NAME = 2000, 100  # characters
PRINTED = 10  # lines; and sentences, names or shapes of each sort


@dataclass
class Odd:
    """A result that is neither a number nor a tensor nor made of them."""

    type: str
    text: str

    def __repr__(self):
        return self.text


@dataclass
class Problem:
    """An error in plain words; shapes are those of the tensors named in the line."""

    type: str
    text: str
    line: int | None = None
    source: str = ""
    shapes: dict = field(default_factory=dict)


@dataclass
class Outcome:
    """What came of one call."""

    value: object = None
    kind: str = ""  # what the value was before it became plain: "numpy array", "list" ...
    error: Problem | None = None
    changed: list = field(default_factory=list)  # sentences on arguments that were written to
    called: list = field(default_factory=list)  # names of forbidden functions that were called
    printed: str = ""


def encode(value, depth=0, left=None):
    """A value as plain data: (kind, ...); left: items and bytes that it may still have."""
    name, left = type(value).__name__[:NAME], [ITEMS, SIZE] if left is None else left
    try:
        if type(value) is int and value.bit_length() > BITS:
            return ("odd", name, say("large number", bits=value.bit_length()))
        if value is None or type(value) in (bool, int, float, str):
            if not isinstance(value, str):
                return ("plain", name, value)
            left[1] -= len(value[:TEXT])
            return ("plain", name, value[: TEXT if left[1] >= 0 else 0])
        kind = "tensor"
        if type(value).__module__ == "numpy":
            if getattr(value, "ndim", 1) == 0:
                return ("plain", "numpy number", value.item())
            value, kind = torch.as_tensor(value), "numpy array"
        if isinstance(value, torch.Tensor):
            if other := _other(value):
                return ("odd", other, say("sparse") if other == "sparse tensor" else f"a {other}")
            left[1] -= value.element_size() * value.numel()
            if left[1] < 0 or not _fits(value.shape, value.element_size()):
                return ("odd", "tensor", say("tensor", shape=tuple(value.shape))[:NAME])
            return ("tensor", kind, *_bytes(value))
        if isinstance(value, (list, tuple)):
            form = "tuple" if isinstance(value, tuple) else "list"  # torch.max gives a named one
            left[0] -= len(value)
            if depth < 6 and len(value) <= 4096 and left[0] >= 0:
                items = [encode(a, depth + 1, left) for a in value]
                if left[0] >= 0:
                    return (form, name, items)
            return ("odd", name, say("a", kind=name))
    except Exception:
        pass
    try:
        text = repr(value)[:200]
    except Exception:
        text = say("a", kind=name)
    return ("odd", name, text if len(text) < 60 else say("a", kind=name))


def _other(tensor):
    """What kind of tensor it is, if its numbers cannot be sent; else None."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.is_nested or tensor.is_meta:
        return "nested tensor" if tensor.is_nested else "meta tensor"
    if tensor.layout != torch.strided:
        return "sparse tensor"
    return None if dtype in DTYPES else f"{dtype} tensor"


def _fits(shape, size=1):
    """Whether a tensor is small enough; one that holds no number may still have many rows."""
    return len(shape) <= AXES and size * math.prod(max(n, 1) for n in shape) <= SIZE


def _bytes(tensor):
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    raw = tensor.reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
    text = base64.b64encode(raw).decode()
    return str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), text


def decode(data, left=None):
    """The value of plain data, and its kind.

    What `encode` never makes, such as what a forger sends, raises one error or another.
    """
    left = [ITEMS] if left is None else left
    form, kind, *rest = data
    kind = _text(kind, NAME)
    if form == "plain":
        return _plain(*rest), kind
    if form == "tensor":
        dtype, shape, text = rest
        if dtype not in DTYPES or not _fits(shape):
            raise ValueError(f"no tensor that fits: {dtype}, {len(shape)} axes")
        dtype, raw = getattr(torch, dtype), bytearray(base64.b64decode(text))
        flat = torch.frombuffer(raw, dtype=dtype) if raw else torch.empty(0, dtype=dtype)
        return flat.reshape(shape), kind
    if form in ("list", "tuple"):
        left[0] -= len(rest[0])
        if left[0] < 0:
            raise ValueError(f"more than {ITEMS} items")
        items = [decode(a, left)[0] for a in rest[0]]
        return (tuple(items) if form == "tuple" else items), kind
    return Odd(kind, _text(*rest, NAME)), kind


def _plain(value):
    if isinstance(value, str):
        return _text(value)
    if type(value) is int and value.bit_length() > BITS:
        raise ValueError(say("large number", bits=value.bit_length()))
    if value is None or type(value) in (bool, int, float):
        return value
    raise TypeError(f"{type(value).__name__} is nothing plain")


def _text(text, most=TEXT):
    """The beginning of what must be a text."""
    if not isinstance(text, str):
        raise TypeError(f"{type(text).__name__} is no text")
    return text[:most]


def sorted_out(records, plan):
    """Records of planned calls as outcomes: a list of the cases, and by the name of other ways."""
    outcomes = [_outcome(r) for r in records]
    named = zip((how for how, _ in plan), outcomes, strict=False)
    others = {how: outcome for how, outcome in named if how != "plain"}
    return outcomes[: len(outcomes) - len(others)], others


def _outcome(record):
    """The Outcome of a record, which a forger may have sent: nothing in it is long."""
    value, kind = decode(record["value"]) if record["value"] else (None, "")
    return Outcome(
        value,
        kind,
        _problem(**record["error"]) if record["error"] else None,
        [_text(text) for text in record["changed"][:PRINTED]],
        [_text(name, NAME) for name in record["called"][:PRINTED]],
        _text(record["printed"]),
    )


def _problem(type, text, line, source, shapes):
    shapes = [(_text(n, NAME), tuple(map(int, s[:AXES]))) for n, s in shapes.items()]
    line = None if line is None else int(line)
    return Problem(_text(type, NAME), _text(text), line, _text(source), dict(shapes[:PRINTED]))
