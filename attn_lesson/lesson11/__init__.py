"""JAX and Keras, where they are installed, and weights carried from one layout to another."""

import os
from pathlib import Path

from ..published import all_installed
from .carry import LAYOUTS, from_ours, to_ours

__all__ = ["LAYOUTS", "SLOTS", "from_ours", "libraries", "to_ours", "weights_of"]

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
    """The weights of the query *now* by four libraries' own attention, all given the same mask."""
    from .door import by_fused, by_jax, by_keras, by_module  # which need the libraries

    names = {
        "torch, the function": by_fused,
        "jax.nn": by_jax,
        "keras.layers": by_keras,
        "torch, the module": by_module,
    }
    return {name: attention(mask) for name, attention in names.items()}
