"""What the rubrics of lesson 03 in classroom/EXAM.md say, computed."""

FIGURES = """
3.1 | (M.bool() & ~causal_mask(5)).sum() | (causal_mask(5) & ~M.bool()).sum() |
    torch.equal(M, torch.ones(5, 5).tril(1).triu(-2).double())
3.2 | masked_softmax(s[None], mask=may)[0, 1] | exp(s)[may].sum() |
    masked_softmax(s[None], mask=may) | attend(s[None], V[:, None], may)[0] |
    softmax(s.masked_fill(~may, 0)) @ V | softmax(s).masked_fill(~may, 0) @ V
3.3 | attend(tensor([[0.0, 0, 0, 0]]), tensor([[1.0], [1], [0], [0]]))[0] |
    attend(tensor([[3.0, 3, 0, 0]]), tensor([[1.0], [1], [0], [0]]))[0]
3.4 | causal_attention(*randn(3, 4, 8)).isnan().any(-1).sum() |
    (causal_attention(*randn(2, 4, 8), torch.eye(4))[3] > 0).sum() |
    (mended.causal_attention(*randn(2, 4, 8), torch.eye(4))[3] > 0).sum()
3.5 | ((doc[:, None] == doc) & causal_mask(5)).sum() | causal_mask(5).sum() |
    ((doc[:, None] != doc) & causal_mask(5)).sum()
"""

TRUE = """
3.4 | torch.allclose(mended.causal_attention(Q, Q, Q),
    scaled_dot_product_attention(Q, Q, Q, mask=causal_mask(5)))
"""
