# multiplies by the transpose of W_o
# named by: W_o is not transposed|W_o
import torch
import torch.nn.functional as F


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    b, n, d_model = queries.shape
    dh = d_model // num_heads
    q = (queries @ W_q).view(b, n, num_heads, dh).transpose(1, 2)
    k = (keys @ W_k).view(b, keys.size(1), num_heads, dh).transpose(1, 2)
    v = (values @ W_v).view(b, values.size(1), num_heads, dh).transpose(1, 2)
    scores = torch.matmul(q, k.transpose(-1, -2)) / dh**0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    ctx = torch.matmul(F.softmax(scores, dim=-1), v)
    ctx = ctx.transpose(1, 2).reshape(b, n, d_model)
    return F.linear(ctx, W_o)
