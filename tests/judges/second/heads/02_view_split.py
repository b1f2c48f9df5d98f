# splits by view to (batch, heads, n, d_head) without a transpose
# named by: transpos|permut|\bview|reshap|split|layout|scrambl|slice|mix(es|ed|ing)?\b
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    b, n, dm = queries.shape
    dh = dm // num_heads

    def heads(x):
        return x.reshape(b, num_heads, x.shape[1], dh)

    q = heads(torch.matmul(queries, W_q))
    k = heads(torch.matmul(keys, W_k))
    v = heads(torch.matmul(values, W_v))
    s = torch.einsum("bhqd,bhkd->bhqk", q, k) / dh ** 0.5
    if mask is not None:
        s = torch.where(mask, s, float("-inf"))
    a = torch.softmax(s, -1)
    z = torch.einsum("bhqk,bhkd->bqhd", a, v)
    return z.reshape(b, n, dm) @ W_o
