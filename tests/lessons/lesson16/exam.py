"""What the rubrics of lesson 16 in classroom/EXAM.md say, computed."""

from functools import partial

import torch

from attn_lesson import lesson16


def counted(rows, columns, n=1024, d=64):
    """How many numbers lesson 16's kernel moves with these tiles."""
    x, kernel = torch.zeros(n, d), partial(lesson16.flash, rows=int(rows), columns=int(columns))
    return lesson16.Chip().run(kernel, x, x, x, out=torch.zeros(n, d)).moved


def packed(n, m, t, w=None):
    """The kinds of tiles of texts of m tokens, one behind the other in a row of n."""

    def rule(q, k):
        return (q // m == k // m) & (k <= q) & (q - k < (w or n))

    return torch.tensor(lesson16.tile_kinds(rule, n, n, t, t))


FIGURES = """
16.1 | n / a[0] | n / b[0] | n / c[0] | counted(256, 64) / 1000 | a[2] / plain | c[2] / plain
16.2 | p[:2].sum() / p[1] | p[:2] @ v[:2] / p[1] | p[1] / p[2] | p.sum() / p[2] | p @ v / p[2] |
    p @ v / p.sum() | p.sum().log() | p[0] / p.sum()
16.3 | 2 * n * d * (1 + n / 64) / 1e6 | (4 * n * d + 4 * n * n) / 1e6 |
    2 * n * d * (1 + n / 256) / 1e6
16.4 | read_in_tiles(q, k, v, 2) | mended.read_in_tiles(q, k, v, 2)
16.5 | (n // t) ** 2 | (packed(n, m, t) > 0).sum() | (packed(n, m, t) == 1).sum() |
    100 * (packed(n, m, t) == 0).double().mean() | (packed(n, m, t, w) > 0).sum()
"""

TRUE = """
16.1 | all(abs(counted(*row[:2]) / 1000 - row[2]) < 0.5 for row in (a, b, c))
16.2 | math.isclose(math.exp(0 - p.sum().log()), p[0] / p.sum())
16.4 | allclose(mended.read_in_tiles(q, k, v, 2), softmax(k @ q) @ v)
    and allclose(read_in_tiles(q, k.flip(0), v.flip(0), 2), softmax(k @ q) @ v)
16.5 | not packed(256, m, 1, w)[128, 0] and packed(256, m, 1, w + 1)[128, 0]
"""
