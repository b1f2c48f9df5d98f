# projects the keys to get V and never uses values
# named by: `values|values?.{0,30}(ignor|unus|never|not us|keys)|keys.{0,30}val|W_v\b|cross.?att
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    x, context = queries, keys
    b, n, d = x.shape
    q, k, v = x @ W_q, context @ W_k, context @ W_v
    q, k, v = (t.reshape(b, -1, num_heads, d // num_heads).transpose(1, 2) for t in (q, k, v))
    sim = q @ k.transpose(-1, -2) * (d // num_heads) ** -0.5
    if mask is not None:
        sim.masked_fill_(~mask, -torch.inf)
    out = sim.softmax(-1) @ v
    return out.transpose(1, 2).reshape(b, n, d) @ W_o
