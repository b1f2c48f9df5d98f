# heads take every num_heads-th number, not slices
# named by: every num_heads-th
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    b, n, d_model = queries.shape
    d_head = d_model // num_heads

    def split(x):
        return x.view(b, -1, d_head, num_heads).permute(0, 3, 1, 2)

    q, k, v = split(queries @ W_q), split(keys @ W_k), split(values @ W_v)
    scores = q @ k.transpose(-2, -1) / d_head**0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    out = torch.softmax(scores, dim=-1) @ v
    return out.permute(0, 2, 3, 1).reshape(b, n, d_model) @ W_o
