# right: one-head function for one example, vmapped twice
import torch
from torch.func import vmap


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d = W_q.shape[1]
    size = d // num_heads
    if mask is None:
        mask = torch.ones(
            queries.shape[1], keys.shape[1], dtype=torch.bool, device=queries.device
        )

    def one(q, k, v):
        s = torch.where(mask, q @ k.T / size**0.5, float("-inf"))
        return torch.softmax(s, -1) @ v

    per_head = vmap(one, in_dims=1, out_dims=1)
    q = (queries @ W_q).reshape(*queries.shape[:2], num_heads, size)
    k = (keys @ W_k).reshape(*keys.shape[:2], num_heads, size)
    v = (values @ W_v).reshape(*values.shape[:2], num_heads, size)
    return vmap(per_head)(q, k, v).reshape(*queries.shape[:2], d) @ W_o
