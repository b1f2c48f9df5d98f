# right: reverses time, masks below, and reverses back
import torch


def causal_attention(Q, K, V):
    q, k, v = (x.flip(1).transpose(1, 2) for x in (Q, K, V))
    b, d, n = q.shape
    bias = torch.full((n, n), -torch.inf, dtype=q.dtype, device=q.device).triu(1)
    # columns are queries here: entry (key, query), future keys come first
    s = torch.baddbmm(bias.T.flip(0, 1).expand(b, n, n), k.mT, q, alpha=d**-0.5)
    e = torch.exp(s - s.amax(1, keepdim=True).detach())
    return torch.bmm(v, e / e.sum(1, keepdim=True)).transpose(1, 2).flip(1)
