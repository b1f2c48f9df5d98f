# the mask is read the wrong way: True forbids
# named by: mask
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    B, N, D = queries.shape
    M, H = keys.shape[1], num_heads
    q = torch.matmul(queries, W_q).view(B, N, H, D // H).transpose(1, 2)
    k = torch.matmul(keys, W_k).view(B, M, H, D // H).transpose(1, 2)
    v = torch.matmul(values, W_v).view(B, M, H, D // H).transpose(1, 2)
    attn = torch.matmul(q, k.transpose(2, 3)) / (D // H) ** 0.5
    if mask is not None:
        attn = attn.masked_fill(mask, torch.finfo(attn.dtype).min)
    attn = attn.softmax(dim=-1)
    out = torch.matmul(attn, v).transpose(1, 2).contiguous().view(B, N, D)
    return torch.matmul(out, W_o)
