"""JAX and Keras, where they are installed, and weights carried from one layout to another."""

import os
from pathlib import Path

from ..published import all_installed
from .carry import LAYOUTS, from_ours, to_ours

__all__ = ["LAYOUTS", "SLOTS", "from_ours", "libraries", "to_ours", "weights_of"]

HERE = Path(__file__).parent
MEGABYTES = 100  # to download, with what they need
SLOTS = ["go", "home", "now", "pad 1", "pad 2"]


def libraries():
    """Whether JAX and Keras are here, Keras on top of PyTorch; if not, what to install is printed.

    Keras reads KERAS_BACKEND when it is imported, and never again.
    """
    os.environ["KERAS_BACKEND"] = "torch"
    return all_installed(HERE, MEGABYTES)


def weights_of(mask):
    """The weights of the query *now* by four libraries' own attention, all given the same mask."""
    from .door import by_fused, by_jax, by_keras, by_module  # which need the libraries

    names = {
        "torch, the function": by_fused,
        "jax.nn": by_jax,
        "keras.layers": by_keras,
        "torch, the module": by_module,
    }
    return {name: attention(mask) for name, attention in names.items()}
