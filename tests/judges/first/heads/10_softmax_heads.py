# normalizes over the heads instead of over the keys
# named by: heads compete|over the heads
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    b, n, d = queries.shape
    hs = d // num_heads
    q = (queries @ W_q).reshape(b, n, num_heads, hs)
    k = (keys @ W_k).reshape(b, -1, num_heads, hs)
    v = (values @ W_v).reshape(b, -1, num_heads, hs)
    energy = torch.einsum("nqhd,nkhd->nqkh", q, k) / hs**0.5
    if mask is not None:
        energy = energy.masked_fill(~mask[None, :, :, None], -1e20)
    attention = torch.softmax(energy, dim=3)
    return torch.einsum("nqkh,nkhd->nqhd", attention, v).reshape(b, n, d) @ W_o
