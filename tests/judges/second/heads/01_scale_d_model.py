# divides by sqrt(d_model), not by the root of the head size
# named by: scal(e|ing)\b|sqrt\(d_?[mhk]|square|temperat|d_?k\b|head.?dim|d_?head|head.?size
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    batch, n, d_model = queries.shape
    m = keys.shape[1]
    d_head = d_model // num_heads
    Q = (queries @ W_q).view(batch, n, num_heads, d_head).transpose(1, 2)
    K = (keys @ W_k).view(batch, m, num_heads, d_head).transpose(1, 2)
    V = (values @ W_v).view(batch, m, num_heads, d_head).transpose(1, 2)
    scores = Q @ K.transpose(-2, -1) / d_model ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    context = torch.softmax(scores, dim=-1) @ V
    return context.transpose(1, 2).reshape(batch, n, d_model) @ W_o
