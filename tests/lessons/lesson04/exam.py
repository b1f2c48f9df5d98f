"""What the rubrics of lesson 04 in classroom/EXAM.md say, computed."""

import torch

import attn_teach


def multi_head(width, heads):
    return attn_teach.MultiHeadAttention(width, width, width, width, heads)


def weights_of(attention, X):
    attention(X, X, X)
    return attention.attention_weights


def swapping_changes_nothing():
    """Say if the output stays when heads 0 and 1 of three are swapped, W_o's columns as well."""
    attention, X = multi_head(12, 3), torch.randn(2, 5, 12)
    before, order = attention(X, X, X), [*range(4, 8), *range(4), *range(8, 12)]
    for W in (attention.W_q, attention.W_k, attention.W_v):
        W.weight.data = W.weight.data[order]
    changed = attention(X, X, X)
    attention.W_o.weight.data = attention.W_o.weight.data[:, order]
    return not torch.allclose(changed, before) and torch.allclose(
        attention(X, X, X), before, atol=1e-6
    )


def same_as_module(attend_folded):
    """Say if two heads folded into the batch give what lies apart, with lengths 3 and 1."""
    X, lengths = torch.randn(2, 2, 3, 4), torch.tensor([3, 1])
    folded = X.flatten(0, 1)
    apart = attn_teach.DotProductAttention()
    expected = [apart(x, x, x, length.expand(2)) for x, length in zip(X, lengths, strict=True)]
    return torch.allclose(attend_folded(folded, folded, folded, lengths, 2), torch.cat(expected))


FIGURES = """
4.1 | T[:, 0].argmax() | T[:, 1].argmax() | 1 / 6
4.2 | size_of(multi_head(num_hiddens, num_heads)) | (num_hiddens / num_heads) ** 0.5 |
    weights_of(multi_head(num_hiddens, num_heads), randn(batch, n, num_hiddens)).numel() |
    size_of(multi_head(num_hiddens, 6)) |
    weights_of(multi_head(num_hiddens, 6), randn(batch, n, num_hiddens)).numel()
4.3 | (split_heads(torch.arange(12.0).view(1, 1, 12), 3) == 7).nonzero()[0, 1] |
    swapping_changes_nothing()
4.4 | valid_lens.repeat(2) | valid_lens.repeat_interleave(2) |
    (valid_lens.repeat(2) != valid_lens.repeat_interleave(2)).nonzero().flatten()
4.5 | size_of(multi_head(d, 2)) | (randn(10_000, 1) @ randn(n, 1).T).argmax(-1).unique().numel() |
    2 * n * n | d * n * n
"""

TRUE = """
4.4 | same_as_module(mended.attend_folded) and not same_as_module(attend_folded)
"""
