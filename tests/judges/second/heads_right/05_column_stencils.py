# right: full-width products; a 0/1 stencil picks the columns of each head
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    b, n, d = queries.shape
    size = d // num_heads
    owner = torch.arange(d, device=queries.device) // size
    stencil = torch.nn.functional.one_hot(owner, num_heads).T.to(queries.dtype)
    stencil = stencil.view(1, num_heads, 1, d)
    q = ((queries @ W_q).unsqueeze(1) * stencil).reshape(b, num_heads * n, d)
    s = q @ (keys @ W_k).transpose(1, 2) / size ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask.repeat(num_heads, 1), -torch.inf)
    y = (s.softmax(-1) @ (values @ W_v)).view(b, num_heads, n, d)
    return (y * stencil).sum(1) @ W_o
