"""torch's dtypes over NumPy's, and which one a result has."""

import numpy as np

from .missing import Missing

BOOL, WHOLE, REAL, COMPLEX = range(4)


class dtype:
    """One of torch's dtypes: its names, NumPy's dtype, and whether it holds real numbers."""

    def __init__(self, name, called, numpy):
        self.name, self.called = name, called
        self._numpy = None if numpy is None else np.dtype(numpy)
        kind = "f" if numpy is None else self._numpy.kind
        self.category = {"b": BOOL, "i": WHOLE, "u": WHOLE, "f": REAL, "c": COMPLEX}[kind]
        self.is_floating_point, self.is_complex = kind == "f", kind == "c"
        self.itemsize = 2 if numpy is None else self._numpy.itemsize

    @property
    def numpy(self):
        if self._numpy is None:
            raise Missing(f"torch.{self.name}")
        return self._numpy

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


EVERY = [
    dtype("bool", "Bool", bool),
    dtype("uint8", "Byte", np.uint8),
    dtype("int8", "Char", np.int8),
    dtype("int16", "Short", np.int16),
    dtype("int32", "Int", np.int32),
    dtype("int64", "Long", np.int64),
    dtype("float16", "Half", np.float16),
    dtype("bfloat16", "BFloat16", None),
    dtype("float32", "Float", np.float32),
    dtype("float64", "Double", np.float64),
    dtype("complex64", "ComplexFloat", np.complex64),
    dtype("complex128", "ComplexDouble", np.complex128),
]
NAMED = {kind.name: kind for kind in EVERY}
OTHER_NAMES = {"float": "float32", "double": "float64", "half": "float16", "long": "int64",
               "int": "int32", "short": "int16", "cfloat": "complex64",
               "cdouble": "complex128"}  # fmt: skip
OF_NUMPY = {kind._numpy: kind for kind in EVERY if kind._numpy is not None}
OF_NUMBERS = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float32),
              complex: np.dtype(np.complex64)}  # fmt: skip
OF_PYTHON = {bool: NAMED["bool"], int: NAMED["int64"], float: NAMED["float64"],
             complex: NAMED["complex128"]}  # fmt: skip
FLOAT = np.dtype(np.float32)


def wanted(kind):
    """The dtype that is asked for: one of torch's, or Python's bool, int or float."""
    if kind is not None and not isinstance(kind, dtype):
        if not isinstance(kind, type) or kind not in OF_PYTHON:
            raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(kind).__name__}")
        return OF_PYTHON[kind]
    return kind


def of(array):
    """torch's dtype of an array."""
    return OF_NUMPY[array.dtype]


def called(array):
    """What torch's errors call an array's dtype, such as "Long"."""
    return of(array).called


def category(numpy):
    return OF_NUMPY[numpy].category


def promoted(a, b):
    """torch's promotion of two of NumPy's dtypes: the higher category decides."""
    if a is None or b is None:
        return b if a is None else a
    if category(a) == category(b) or {category(a), category(b)} == {REAL, COMPLEX}:
        return np.promote_types(a, b)
    return max(a, b, key=category)


def result(*operands):
    """NumPy's dtype of a result: tensors with axes decide, unless others are of higher category.

    operands: arrays and Python's numbers.
    """
    levels = [None, None, None]
    for operand in operands:
        array = isinstance(operand, np.ndarray)
        level = 0 if array and operand.ndim else 1 if array else 2
        kind = operand.dtype if array else OF_NUMBERS[type(operand)]
        levels[level] = promoted(levels[level], kind)
    return _joined(_joined(levels[0], levels[1]), levels[2])


def _joined(higher, lower):
    """The dtype of operands that count more and of others that count less."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if category(lower) <= category(higher):
        return higher
    if category(higher) == REAL:  # float64 and a complex number
        return np.promote_types(higher, np.complex64)
    return lower


def real(numpy):
    """The dtype of what only real numbers have, such as a root: whole numbers become float32."""
    return FLOAT if category(numpy) < REAL else numpy
