"""Values as JSON and one run of bytes, compressed: what the table of results is kept in.

A tensor is {"t": number}, of a list of arrays in which equal ones are one.
"""

import json
import zlib

import numpy as np


class Writer:
    """Turns values into JSON, and keeps the numbers of their tensors."""

    def __init__(self):
        self.numbers, self.arrays, self._places = bytearray(), [], {}

    def array(self, array):
        """The number of an array among those kept."""
        array = np.ascontiguousarray(array).reshape(np.shape(array))
        key = str(array.dtype), array.shape, array.tobytes()
        if key not in self._places:
            self._places[key] = len(self.arrays)
            self.arrays.append([key[0], list(array.shape), len(self.numbers)])
            self.numbers += key[2]
        return self._places[key]

    def value(self, value):
        """A value as JSON; what is no plain one raises TypeError."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (list, tuple)):
            items = [self.value(item) for item in value]
            return {"tuple": items} if isinstance(value, tuple) else items
        if isinstance(value, dict):  # whose keys are text
            return {"dict": {key: self.value(item) for key, item in value.items()}}
        if hasattr(value, "numpy") and not isinstance(value, type):
            return {"t": self.array(value.detach().resolve_conj().numpy())}
        raise TypeError(f"a {type(value).__name__} is no plain value")

    def packed(self, told):
        """All of it as bytes."""
        text = json.dumps({"arrays": self.arrays, "told": told}, separators=(",", ":")).encode()
        return zlib.compress(len(text).to_bytes(4, "big") + text + bytes(self.numbers), 9)


class Reader:
    """Reads what a Writer packed: `told`, and the values in it."""

    def __init__(self, packed, wrap):
        raw = zlib.decompress(packed)
        end = 4 + int.from_bytes(raw[:4], "big")
        read = json.loads(raw[4:end])
        self.told, self._arrays, self._raw, self._end = read["told"], read["arrays"], raw, end
        self._wrap = wrap

    def array(self, number):
        kind, shape, start = self._arrays[number]
        count = int(np.prod(shape))
        array = np.frombuffer(self._raw, kind, count, self._end + start) if count else []
        return np.array(array, kind).reshape(shape)

    def value(self, told):
        """The value that was written."""
        if isinstance(told, list):
            return [self.value(item) for item in told]
        if isinstance(told, dict):
            if "t" in told:
                return self._wrap(self.array(told["t"]))
            if "dict" in told:
                return {key: self.value(item) for key, item in told["dict"].items()}
            return tuple(self.value(item) for item in told["tuple"])
        return told
