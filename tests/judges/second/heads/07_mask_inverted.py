# takes True in the mask for "may not attend"
# named by: (?<!no )(?<!without )(?<!without a )mask(?!=none)|invert|opposite|may attend
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    bs, tgt_len, embed_dim = queries.shape
    src_len = keys.shape[1]
    head_dim = embed_dim // num_heads
    scaling = float(head_dim) ** -0.5
    q = (queries @ W_q * scaling).view(bs, tgt_len, num_heads, head_dim).transpose(1, 2)
    k = (keys @ W_k).view(bs, src_len, num_heads, head_dim).transpose(1, 2)
    v = (values @ W_v).view(bs, src_len, num_heads, head_dim).transpose(1, 2)
    attn_weights = torch.matmul(q, k.transpose(2, 3))
    if mask is not None:
        attn_weights = attn_weights.masked_fill(mask, float("-inf"))
    attn_weights = torch.softmax(attn_weights, dim=-1)
    attn_output = torch.matmul(attn_weights, v).transpose(1, 2).contiguous()
    return attn_output.view(bs, tgt_len, embed_dim) @ W_o
