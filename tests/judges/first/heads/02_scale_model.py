# divides by sqrt(d_model) instead of sqrt of the head size
# named by: full width|scale
import math

import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d = queries.size(-1)
    Q = torch.stack((queries @ W_q).chunk(num_heads, dim=-1), dim=1)
    K = torch.stack((keys @ W_k).chunk(num_heads, dim=-1), dim=1)
    V = torch.stack((values @ W_v).chunk(num_heads, dim=-1), dim=1)
    scores = torch.einsum("bhnd,bhmd->bhnm", Q, K) / math.sqrt(d)
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    heads = torch.einsum("bhnm,bhmd->bhnd", scores.softmax(-1), V)
    return torch.cat(heads.unbind(1), dim=-1) @ W_o
