# multiplies by W_o transposed (F.linear)
# named by: W_?o\b|transpos|linear|output (proj|weight|matri)|from the (right|left)|\.T\b
import torch
import torch.nn.functional as F


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    head_dim = queries.shape[-1] // num_heads
    q, k, v = queries @ W_q, keys @ W_k, values @ W_v
    outputs = []
    for qh, kh, vh in zip(*(x.split(head_dim, dim=-1) for x in (q, k, v))):
        logits = qh @ kh.transpose(1, 2) / head_dim ** 0.5
        if mask is not None:
            logits = logits.masked_fill(mask == False, float("-inf"))  # noqa: E712
        outputs.append(F.softmax(logits, dim=-1) @ vh)
    return F.linear(torch.cat(outputs, dim=-1), W_o)
