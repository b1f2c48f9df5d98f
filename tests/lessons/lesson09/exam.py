"""What the rubrics of lesson 09 in classroom/EXAM.md say, computed."""

import torch

EVEN = torch.zeros(2, 4, 2), torch.zeros(2, 4, dtype=torch.long)  # scores, what was right

FIGURES = """
9.1 | new.min() | own[1] - own[2] | new[2] - new[1] | new[3] - own[3]
9.2 | x[0] * after_a[1] * after_b[2] | -(x[0] * after_a[1] * after_b[2]).log() / 3 |
    x[0] / (x[0] + y[0]) | 0.2 * x[0] / (0.2 * x[0] + 0.8 * y[0])
9.3 | printed(9, 'trained without nothing') | printed(9, 'the second block') |
    printed(9, 'the second block 2.5')
9.4 | loss(*EVEN, real) | mended.loss(*EVEN, real)
9.5 | steps * batch / names | numbers / names / letters
"""

TRUE = """
9.4 | math.isclose(mended.loss(*EVEN, real), math.log(2), rel_tol=1e-6)
"""
