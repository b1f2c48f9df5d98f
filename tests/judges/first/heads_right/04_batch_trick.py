# right: heads stacked along the batch, head-first
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    w = W_q.size(1) // num_heads
    b, n, m = queries.size(0), queries.size(1), keys.size(1)
    q, k, v = (
        torch.cat(torch.split(x @ y, w, dim=2), dim=0)
        for x, y in ((queries, W_q), (keys, W_k), (values, W_v))
    )
    bias = q.new_zeros(n, m)
    if mask is not None:
        bias[~mask] = float("-inf")
    s = torch.baddbmm(bias.expand(num_heads * b, n, m), q, k.mT, alpha=w**-0.5)
    out = torch.bmm(s.softmax(2), v)
    return torch.cat(torch.split(out, b, dim=0), dim=2) @ W_o
