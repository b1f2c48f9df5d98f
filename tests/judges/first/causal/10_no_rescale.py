# blockwise: output sum not rescaled when the max grows
# named by: rescale|block
import torch

BLOCK = 32


def causal_attention(Q, K, V):
    batch, seq, d = Q.shape
    rows = torch.arange(seq, device=Q.device)[:, None]
    m = Q.new_full((batch, seq, 1), float("-inf"))
    total = Q.new_zeros(batch, seq, 1)
    acc = torch.zeros_like(V)
    for start in range(0, seq, BLOCK):
        k = K[:, start : start + BLOCK]
        v = V[:, start : start + BLOCK]
        cols = torch.arange(start, start + k.shape[1], device=Q.device)[None, :]
        s = (Q @ k.transpose(1, 2)) / d**0.5
        s = s.masked_fill(cols > rows, float("-inf"))
        m_new = torch.maximum(m, s.amax(-1, keepdim=True))
        p = torch.exp(s - m_new)
        total = total * torch.exp(m - m_new) + p.sum(-1, keepdim=True)
        acc = acc + p @ v
        m = m_new
    return acc / total
