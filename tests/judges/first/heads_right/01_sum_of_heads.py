# right: sums each head times its rows of W_o, no concat
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    s = W_q.shape[0] // num_heads
    parts = zip(W_q.split(s, 1), W_k.split(s, 1), W_v.split(s, 1), W_o.split(s, 0))
    total = 0
    for wq, wk, wv, wo in parts:
        scores = (queries @ wq) @ (keys @ wk).transpose(1, 2) / s**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        total = total + torch.softmax(scores, -1) @ (values @ wv) @ wo
    return total
