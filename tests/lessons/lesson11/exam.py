"""What the rubrics of lesson 11 in classroom/EXAM.md say, computed."""

from torch import nn


def even_module():
    """A PyTorch module of one head whose scores are all equal."""
    module = nn.MultiheadAttention(2, 1, batch_first=True).double()
    for parameter in module.parameters():
        nn.init.zeros_(parameter)
    return module


FIGURES = """
11.1 | c[2:].sum() | c[:2].sum() / c[2:].sum()
11.2 | W @ x | W.T @ x | 2 + 1 | P[3] @ x | (W @ x)[1] * (P[3] @ x) | (W.T @ x)[1] * (P[3] @ x)
11.3 | printed(11, 'keras.layers', 5) | printed(11, 'keras.layers, asked for its weights', 5)
11.4 | weights_without_padding(even_module(), X, lens)[0, 0] |
    mended.weights_without_padding(even_module(), X, lens)[0, 0]
11.5 | tensor([n, batch, heads, size]) | math.sqrt(size) | softmax(torch.randn(n) - 1e9)[0]
"""

TRUE = """
11.1 | abs(c[0] / c[1] - a[0] / a[1]) < 0.01 and abs(c[2] / c[3] - b[2] / b[3]) < 0.03
11.4 | weights_without_padding(even_module(), X, tensor([3])).isnan().all()
"""
