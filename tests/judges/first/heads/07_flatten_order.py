# queries flattened batch-first, keys and values head-first
# named by: two orders|order
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    b, n, d = queries.shape
    m = keys.shape[1]
    hd = d // num_heads
    q = (queries @ W_q).view(b, n, num_heads, hd).permute(0, 2, 1, 3)
    k = (keys @ W_k).view(b, m, num_heads, hd).permute(2, 0, 1, 3)
    v = (values @ W_v).view(b, m, num_heads, hd).permute(2, 0, 1, 3)
    q = q.reshape(b * num_heads, n, hd)
    k = k.reshape(b * num_heads, m, hd)
    v = v.reshape(b * num_heads, m, hd)
    bias = torch.zeros(n, m, dtype=q.dtype, device=q.device)
    if mask is not None:
        bias = bias.masked_fill(~mask, float("-inf"))
    s = torch.baddbmm(bias.expand(b * num_heads, n, m), q, k.mT, alpha=hd**-0.5)
    o = torch.bmm(torch.softmax(s, -1), v)
    return o.view(b, num_heads, n, hd).transpose(1, 2).reshape(b, n, d) @ W_o
