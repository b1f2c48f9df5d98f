"""Keys and values that were computed already: what lets a model write one token at a time."""

import copy

import torch
from torch import Tensor

from .checks import refuse
from .masking import causal_mask
from .shapes import Float


class KVCache:
    """Keys and values that a block has computed, so that no step computes them again.

    cache = concat(cache, new) along the tokens

    A cache belongs to one block, one memory and one sequence: give one to each block, and a new
    one to each sequence. A call that is refused leaves it as it was.

    Attributes:
        tokens: keys and values of the t tokens so far, each (batch, heads, t, head_dim).
        memory: those of the encoder's memory, each (batch, heads, m, head_dim).
            Both are None in a new cache; `len(cache)` tokens were read: t, or more where a layer
            with a window keeps what it still sees, or where you cut some.

    Source: Shazeer (2019), Fast Transformer Decoding: One Write-Head is All You Need.
    """

    tokens: tuple[Tensor, Tensor] | None = None
    memory: tuple[Tensor, Tensor] | None = None
    _block = _source = None
    _read = _left = 0  # tokens that were read; how many of them were kept

    def __len__(self):
        return max(self._read, self.held)

    @property
    def held(self):
        """How many tokens it holds keys and values of."""
        return 0 if self.tokens is None else self.tokens[0].shape[-2]

    def __deepcopy__(self, memo):
        return copy.copy(self)  # what it holds is never overwritten

    @property
    def nbytes(self):
        """Bytes of all keys and values that are kept."""
        return sum(tensor.nbytes for tensor in (self.tokens or ()) + (self.memory or ()))

    def append(
        self, keys: Float[Tensor, "... n d"], values: Float[Tensor, "... n v"]
    ) -> tuple[Tensor, Tensor]:
        """Keep the keys and values of new tokens, (batch, heads, n, head_dim); return all."""
        self.keep(self._block, self.with_new(keys, values), self._source, self.memory)
        return self.tokens

    def with_new(self, keys, values):
        """What `append` would keep and return, each (batch, heads, t + n, head_dim)."""
        if keys.shape[:-1] != values.shape[:-1]:
            got = f"shapes {tuple(keys.shape)} and {tuple(values.shape)}"
            refuse("values", "have the axes of keys but for the last", got)
        if self.tokens is None:
            return keys, values
        new, holds = (keys, values), "the cache holds keys and values of"
        if [each.dtype for each in self.tokens] != [each.dtype for each in new]:
            use = "fill and read a cache with one dtype, under autocast or without it"
            raise ValueError(f"{holds} {_dtypes(self.tokens)}, got {_dtypes(new)}; {use}")
        if _kinds(self.tokens) != _kinds(new):
            kinds = f"shape and kind {_kinds(self.tokens)}, got {_kinds(new)}"
            raise ValueError(f"{holds} {kinds}; use a new KVCache() for each block and each batch")
        old_keys, old_values = self.tokens
        return torch.cat((old_keys, keys), -2), torch.cat((old_values, values), -2)

    def next_positions(self, X):
        """Where the new tokens X stand, (n,): behind those that were read."""
        read, n = len(self), X.shape[-2]
        if self.held < self._left:  # the first ones or the last were cut, nobody knows
            must = f"be given, since only {self.held} of the {read} tokens read are in the cache"
            use = f"if the first ones were cut, use torch.arange({read}, {read + n})"
            refuse("positions", must, None, use)
        return torch.arange(read, read + n, device=X.device)

    def seen(self, X, mask=None, window=None):
        """Which of the tokens held those of X may attend to, (..., n, held + n); None: all of them.

        With a window, each sees itself and window - 1 before it.
        """
        past, n = self.held, X.shape[-2]
        if mask is not None and mask.shape[-1] == len(self) + n:  # as for all that was read
            mask = mask[..., -(past + n) :]
        if mask is not None and mask.shape[-1] not in (1, past + n):
            must = f"have a column for each of the {past + n} keys, {past} of them in the cache"
            refuse("mask", must, f"shape {tuple(mask.shape)}")
        if n > 1 or (window or past + n) < past + n:  # else one token stands after all others
            earlier = causal_mask(past + n, device=X.device)
            if window:
                earlier = earlier & ~earlier.tril(-window)
            mask = earlier[past:] if mask is None else earlier[past:] & mask
        return mask if mask is None or mask.dim() != 3 else mask.unsqueeze(1)

    def check_owner(self, block, memory=None):
        """Raise an error unless this cache is new, or of this block and this memory."""
        if self._block not in (None, block):
            raise ValueError("cache belongs to another block; use a new KVCache() for each block")
        if self._source is not None and memory is not self._source:
            use = "encode the input once, and use a new KVCache() for another one"
            raise ValueError(f"memory is not the one that this cache was made for; {use}")

    def keep(self, block, tokens, source=None, memory=None, last=None):
        """Hold these keys and values from now on, or the last so many of them.

        They are those of this block and this memory.
        """
        self._read = len(self) + tokens[0].shape[-2] - self.held
        if last is not None and tokens[0].shape[-2] > last:  # a copy, so that the others can go
            tokens = tuple(each[..., each.shape[-2] - last :, :].clone() for each in tokens)
        self.tokens, self.memory, self._block, self._source = tokens, memory, block, source
        self._left = self.held


def _dtypes(pair):
    return " and ".join(dict.fromkeys(str(t.dtype) for t in pair))


def _kinds(pair):
    return [((*t.shape[:-2], "t", t.shape[-1]), t.device.type) for t in pair]


def is_cache(name, value):
    """A cache."""
    if not isinstance(value, KVCache):
        refuse(name, "be a KVCache()", type(value).__name__, error=TypeError)
