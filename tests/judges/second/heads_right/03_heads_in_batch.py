# right: heads folded into the batch, softmax by log-sum-exp
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    q, k, v = (torch.cat((x @ w).chunk(num_heads, -1), 0)
               for x, w in ((queries, W_q), (keys, W_k), (values, W_v)))
    bias = torch.zeros(q.shape[1], k.shape[1], dtype=q.dtype, device=q.device)
    if mask is not None:
        bias = bias.masked_fill(~mask, -torch.inf)
    s = torch.baddbmm(bias.expand(len(q), -1, -1), q, k.mT, alpha=q.shape[-1] ** -0.5)
    p = torch.exp(s - s.logsumexp(-1, keepdim=True))
    return torch.cat(torch.bmm(p, v).chunk(num_heads, 0), -1) @ W_o
