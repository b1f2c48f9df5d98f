# right: halves the sequence again and again and merges by log-sum-exp
import torch


def _solve(q, k, v):
    n = q.shape[1]
    if n == 1:
        return v, (q * k).sum(-1, keepdim=True)
    h = n // 2
    out_a, lse_a = _solve(q[:, :h], k[:, :h], v[:, :h])
    out_b, lse_b = _solve(q[:, h:], k[:, h:], v[:, h:])
    s = q[:, h:] @ k[:, :h].transpose(1, 2)
    out_c, lse_c = s.softmax(-1) @ v[:, :h], s.logsumexp(-1, keepdim=True)
    share = torch.sigmoid(lse_b - lse_c)
    out_b = share * out_b + torch.sigmoid(lse_c - lse_b) * out_c
    return torch.cat([out_a, out_b], 1), torch.cat([lse_a, torch.logaddexp(lse_b, lse_c)], 1)


def causal_attention(Q, K, V):
    return _solve(Q / Q.shape[-1] ** 0.5, K, V)[0]
