"""What the rubrics of lesson 10 in classroom/EXAM.md say, computed."""

FIGURES = """
10.1 | on[1] - A[1] | on[0] - B[0] | on[1] - C[1]
10.2 | softmax(p.log() / 0.5) | p[:2] / p[:2].sum() |
    ((softmax(p.log() / 0.5).cumsum(0) - softmax(p.log() / 0.5)) < 0.75).sum()
10.3 | printed(10, "L16H0, on the token before") | printed(10, "no head 14.9 3.4 21 3.98") |
    printed(10, "L16H0 15.1 9.8 0 4.05") | printed(10, "keys without L16H0") |
    printed(10, "queries without L16H0")
10.4 | rms_norm(X, 1)[0, 0] | mended.rms_norm(X, 1)[0, 0] |
    not allclose(rms_norm(X, 1)[0, 0], rms_norm(X * tensor([[[1], [5]]]), 1)[0, 0])
10.5 | weights * (32 * 4 + 32) / 32 / 8 / 1e6 | 2 * blocks * kv_heads * size * 2 |
    2 * blocks * kv_heads * size * 2 * tokens / 1e6 |
    2 * blocks * heads * size * 2 * tokens / 1e6 |
    2 * blocks * kv_heads * size * 2 * (window + 1) / 1e6
"""

TRUE = """
10.3 | all(row in outputs(10) for row in
    ('L18H6 14.9 5.9 6 ', 'five copiers 14.8 11.4 0 ', 'L16H0 15.1 9.8 0 '))
10.4 | torch.allclose(mended.rms_norm(X, 1), nn.RMSNorm(2, 1e-5).double()(X))
"""
