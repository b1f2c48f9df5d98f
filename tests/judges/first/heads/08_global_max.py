# subtracts one maximum of all scores: rows underflow to 0/0
# named by: largest score|underflow
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d_k = queries.shape[-1] // num_heads
    Qh = (queries @ W_q).unflatten(2, (num_heads, d_k))
    Kh = (keys @ W_k).unflatten(2, (num_heads, d_k))
    Vh = (values @ W_v).unflatten(2, (num_heads, d_k))
    scores = torch.einsum("bqhd,bkhd->bhqk", Qh, Kh) / d_k**0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -float("inf"))
    e = torch.exp(scores - scores.max())
    attn = e / e.sum(dim=-1, keepdim=True)
    return torch.einsum("bhqk,bkhd->bqhd", attn, Vh).flatten(2) @ W_o
