# reshapes the heads together without moving their axis back
# named by: without moving
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    bsz, n, d_model = queries.shape
    hd = d_model // num_heads
    q = (queries @ W_q).reshape(bsz, n, num_heads, hd).permute(0, 2, 1, 3)
    k = (keys @ W_k).reshape(bsz, -1, num_heads, hd).permute(0, 2, 3, 1)
    v = (values @ W_v).reshape(bsz, -1, num_heads, hd).permute(0, 2, 1, 3)
    logits = (q @ k) * hd**-0.5
    if mask is not None:
        logits = logits.masked_fill(mask.logical_not(), -torch.inf)
    context = torch.softmax(logits, -1) @ v
    return context.reshape(bsz, n, d_model) @ W_o
