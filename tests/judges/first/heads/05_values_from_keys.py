# projects the keys instead of the values for V
# named by: values
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    size = W_q.shape[1] // num_heads
    q = queries @ W_q
    k, v = (keys @ torch.cat([W_k, W_v], dim=1)).chunk(2, dim=-1)
    outs = []
    for h in range(num_heads):
        sl = slice(h * size, (h + 1) * size)
        s = torch.bmm(q[..., sl], k[..., sl].transpose(1, 2)) / size**0.5
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        outs.append(torch.bmm(s.softmax(-1), v[..., sl]))
    return torch.cat(outs, dim=-1) @ W_o
