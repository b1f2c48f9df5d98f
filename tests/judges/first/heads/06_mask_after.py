# masks the weights after the softmax, not renormalized
# named by: after the softmax
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    def heads_of(x, w):
        return (x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2)

    q, k, v = heads_of(queries, W_q), heads_of(keys, W_k), heads_of(values, W_v)
    weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
    if mask is not None:
        weights = weights * mask.to(weights.dtype)
    return (weights @ v).transpose(1, 2).flatten(2) @ W_o
