"""What the rubrics of lesson 12 in classroom/EXAM.md say, computed."""

FIGURES = """
12.1 | log2(A[2] / A[0]) / 2 | log2(B[2] / B[0]) / 2 | log2(C[2] / C[0]) / 2
12.2 | math.exp(-2) + 1 | 10 * math.exp(-2) + 20 | math.exp(-2) + 1 + math.exp(-1) |
    10 * math.exp(-2) + 20 | softmax(s) @ v
12.3 | 4 * n * n * 64 / (16 * n * 64) | 2 / 4 | 4 * 2 / 4
12.4 | online(S, V) | mended.online(S, V)
12.5 | 2 * (w - 1) * n / w * d | 2 * (w - 1) * n / w * d * 2 / link * 1e3 |
    4 * d * n * n / w / peak * 1e3 | (w - 1) * peak / link
"""

TRUE = """
12.4 | torch.allclose(mended.online(S, V), softmax(S) @ V) and online(S, V) > V.max()
    and torch.allclose(online(S.flip(0), V), softmax(S.flip(0)) @ V)
"""
