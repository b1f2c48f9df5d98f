"""What the rubrics of lesson 07 in classroom/EXAM.md say, computed."""

import torch

import attn_teach


def add_mean(a, b):
    return a + (a + b) / 2, b + (a + b) / 2


# An attention to be loaded, a file to load it from, and what comes out if it is.
attention, loaded = (attn_teach.MultiHeadAttention(6, 6, 6, 6, 2) for _ in range(2))
parts = ("self.query", "self.key", "self.value", "output.dense")
weights = zip(parts, loaded.parameters(), strict=True)
file = {f"encoder.layer.0.attention.{part}.weight": W.detach() for part, W in weights}
X = torch.randn(2, 4, 6)
expected = loaded(X, X, X)

FIGURES = """
7.1 | 12 * (least < 0.8).nonzero()[0, 0] | 12 * (most < 0.8).nonzero()[0, 0] | least[3] | most[3]
7.2 | size_of(EncoderBlock(d, heads, hidden), 'attention') |
    size_of(EncoderBlock(d, heads, hidden), 'W_1', 'W_2') |
    size_of(EncoderBlock(d, heads, hidden), 'norm') | size_of(EncoderBlock(d, heads, hidden)) |
    2 * d // heads | 3 * d // heads - 1
7.3 | 0.5**8 | 72 * 0.5**8 | 1 - (1 - 0.5**8) ** 72
7.4
7.5 | cosine_similarity((a + b) / 2, (a + b) / 2, 0) | cosine_similarity(*add_mean(a, b), 0) |
    cosine_similarity(*add_mean(*add_mean(a, b)), 0)
"""

TRUE = """
7.1 | all(' '.join(f'{x:.2f}' for x in row.tolist()) in outputs(7) for row in (least, most))
7.4 | torch.allclose(mended.attention(X, X, X), expected)
    and not torch.allclose(attention(X, X, X), expected)
"""
