"""What the rubrics of lesson 01 in classroom/EXAM.md say, computed."""

import itertools

from rubrics import tensor

import attn_teach

KERNELS = ("gaussian", "boxcar", "triangular", "epanechnikov")


def fits(row, q, K):
    """Return the kernels whose weights are the row, with the bandwidths in tenths that do it."""
    found = {}
    for kernel, tenths in itertools.product(KERNELS, range(2, 60)):
        weights = attn_teach.kernel_regression(tensor([q]), K, K, tenths / 10, kernel)[1][0]
        if (weights - row).abs().max() < 0.0051:
            found.setdefault(kernel, []).append(tenths / 10)
    return found


FIGURES = """
1.1 | ' '.join(fits(A, q, K)) | min(fits(A, q, K)['boxcar']) | max(fits(A, q, K)['boxcar']) + 0.1 |
    ' '.join(fits(B, q, K)) | sum(fits(B, q, K)['gaussian']) | ' '.join(fits(C, q, K)) |
    sum(fits(C, q, K)['triangular'])
1.2 | epanechnikov((q - K) / h) | kernel_regression(tensor([q]), K, V, h, 'epanechnikov')[1][0] |
    kernel_regression(tensor([q]), K, V, h, 'epanechnikov')[0] | epanechnikov((q - K) / h) @ V
1.3 | h / 5**0.5
1.4 | answer(q, K, V, h) | mended.answer(q, K, V, h)
1.5 | (q - a).square().sum() | (q - b).square().sum() |
    exp(((q - b).square().sum() - (q - a).square().sum()) / 2) |
    (((q - a) / tensor([10, 1])) ** 2).sum() | (((q - b) / tensor([10, 1])) ** 2).sum()
"""

TRUE = """
1.4 | not torch.isclose(answer(q, K, V, h), V[0]) and V.unique().tolist() == [20]
"""
