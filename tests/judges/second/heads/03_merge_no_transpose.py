# joins the heads by reshape without moving the head axis back
# named by: transpos|permut|\bview|reshap|concat|merg|\bjoin|layout|scrambl|combin|order
import math

import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    B, N, D = queries.size()
    hd = D // num_heads
    split = lambda t: t.unflatten(-1, (num_heads, hd)).permute(0, 2, 1, 3)
    q, k, v = split(queries @ W_q), split(keys @ W_k), split(values @ W_v)
    att = q @ k.mT / math.sqrt(hd)
    if mask is not None:
        att = att.masked_fill(mask.logical_not(), -math.inf)
    y = att.softmax(dim=-1) @ v
    y = y.contiguous().view(B, N, D)
    return y @ W_o
