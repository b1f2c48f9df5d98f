# right: divide and conquer, merged by log-sum-exp
import torch


def _part(q, k, v):
    n = q.shape[1]
    if n == 1:
        s = (q * k).sum(-1, keepdim=True)
        return s.softmax(-1) * v, s
    h = n // 2
    left, left_lse = _part(q[:, :h], k[:, :h], v[:, :h])
    right, right_lse = _part(q[:, h:], k[:, h:], v[:, h:])
    s = q[:, h:] @ k[:, :h].transpose(1, 2)
    across, across_lse = s.softmax(-1) @ v[:, :h], s.logsumexp(-1, keepdim=True)
    share = torch.sigmoid(right_lse - across_lse)
    merged = share * right + (1 - share) * across
    lse = torch.logaddexp(right_lse, across_lse)
    return torch.cat([left, merged], 1), torch.cat([left_lse, lse], 1)


def causal_attention(Q, K, V):
    return _part(Q / Q.shape[-1] ** 0.5, K, V)[0]
