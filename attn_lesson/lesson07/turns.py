"""What the lesson goes on with after its turns: the mean of the real tokens, and silent heads."""

import copy

from attn_teach import padding_mask

from .door import HEAD_SIZE


def mean_of_real(X, lens):
    """The mean of each text's first `lens` tokens: X (batch, n, size), lens (batch,)."""
    real = padding_mask(lens, X.shape[1]).mT  # (batch, n, 1)
    return X.masked_fill(~real, 0).sum(1) / lens[:, None]


def silent(blocks, heads):
    """A copy of the blocks in which these heads, (layer, head), write nothing."""
    blocks = copy.deepcopy(blocks)
    for layer, head in heads:
        W_o = blocks[layer].attention.attention.W_o
        W_o.weight.data[:, HEAD_SIZE * head : HEAD_SIZE * (head + 1)] = 0
    return blocks
