"""JAX and Keras, where they are installed, and weights carried from one layout to another."""

import os
from pathlib import Path

import numpy
import torch

from ..published import all_installed
from .carry import LAYOUTS, from_ours, to_ours

__all__ = [
    "LAYOUTS", "SLOTS", "from_ours", "libraries", "reads_padding", "to_ours", "two_calls",
    "weights_of",
]  # fmt: skip

HERE = Path(__file__).parent
MEGABYTES = 133  # to download, with SciPy and what else they need
SLOTS = ["go", "home", "now", "pad 1", "pad 2"]


def libraries():
    """Let Keras run on PyTorch; where it or JAX is missing, say what to install.

    Keras reads KERAS_BACKEND when it is imported, and never again.
    """
    os.environ["KERAS_BACKEND"] = "torch"
    all_installed(HERE, MEGABYTES)


def weights_of(mask):
    """The weights of the query *now* by four libraries' own attention, all given the same mask.

    Where a library refuses the mask, with an error, there are none: None.
    """
    from .door import by_fused, by_jax, by_keras, by_module  # which need the libraries

    names = {
        "torch, the function": by_fused,
        "jax.nn": by_jax,
        "keras.layers": by_keras,
        "torch, the module": by_module,
    }
    return {name: _weights(attention, mask) for name, attention in names.items()}


def _weights(attention, mask):
    try:
        return attention(mask)
    except (AssertionError, RuntimeError, TypeError, ValueError):
        return None


def two_calls(attention, layer, q, k, v, mask):
    """One head's output by `attention`, called as JAX's, and by `layer`, called as Keras'.

    Args:
        attention: jax.nn.dot_product_attention.
        layer: a keras.layers.MultiHeadAttention with one head.
        q, k, v: (batch, n, size), (batch, m, size) and (batch, m, size).
        mask: boolean (batch, m), True for a word.
    """
    from .exercises import my_two_calls  # answers stay out of reach until they are needed

    return my_two_calls(attention, layer, q, k, v, mask)


def reads_padding(attention, q, k, v, mask):
    """Whether the output moves, or is NaN, when the padding's keys and values change.

    Args:
        attention: a function of (q, k, v, mask) that returns an output for each query: a tensor,
            or another library's array.
        q, k, v: (n, d), (m, d) and (m, v).
        mask: boolean (m,), True for a word.
    """
    from .exercises import my_reads_padding  # answers stay out of reach until they are needed

    def tensor_of(*given):
        return torch.from_numpy(numpy.array(attention(*given)))

    return my_reads_padding(tensor_of, q, k, v, mask)
