"""Values as bytes, compressed: what the table of results is kept in.

A tensor is kept as an array, and of equal ones there is one.
"""

import pickle
import zlib

import numpy as np


class Writer:
    """Turns values into what can be packed."""

    def __init__(self):
        self._arrays = {}

    def value(self, value):
        """A value with arrays for its tensors; what is no plain one raises TypeError."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (list, tuple)):
            items = [self.value(item) for item in value]
            return tuple(items) if isinstance(value, tuple) else items
        if isinstance(value, dict):  # which the table has of its own
            return {"dict": {key: self.value(item) for key, item in value.items()}}
        if hasattr(value, "numpy") and not isinstance(value, type):
            array = np.array(value.detach().resolve_conj().numpy(), order="C")
            return self._arrays.setdefault((array.dtype, array.shape, array.tobytes()), array)
        raise TypeError(f"a {type(value).__name__} is no plain value")


def packed(told):
    """All of it as bytes, which an older NumPy reads too."""
    return zlib.compress(pickle.dumps(told, protocol=4), 9)


class Reader:
    """Reads what was packed: `told`, and the values in it."""

    def __init__(self, packed, wrap):
        self.told, self._wrap = pickle.loads(zlib.decompress(packed)), wrap

    def value(self, told):
        """The value that was written."""
        if isinstance(told, np.ndarray):
            return self._wrap(told.copy())
        if isinstance(told, (list, tuple)):
            return type(told)(map(self.value, told))
        if isinstance(told, dict):
            return {key: self.value(item) for key, item in told["dict"].items()}
        return told
