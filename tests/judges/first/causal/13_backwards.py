# attends to the future (j >= i) instead of the past
# named by: future|later
import torch


def causal_attention(Q, K, V):
    batch, seq, dim = Q.shape
    out = []
    for i in range(seq):
        s = (K[:, i:] * Q[:, i : i + 1]).sum(-1) / dim**0.5
        w = torch.softmax(s, dim=-1)
        out.append((w.unsqueeze(-1) * V[:, i:]).sum(1))
    return torch.stack(out, dim=1)
