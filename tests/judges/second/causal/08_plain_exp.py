# exp of the raw scores without subtracting the maximum (overflow)
# named by: subtract|overflow|stable|stabil|(large|huge|big) [silv]|extreme|hundred|\bnan|\binf
import torch


def causal_attention(Q, K, V):
    B, S, D = Q.shape
    out = []
    for t in range(S):
        q = Q[:, t : t + 1]                                  # (B, 1, D)
        k, v = K[:, : t + 1], V[:, : t + 1]                  # (B, t+1, D)
        e = torch.exp((q * k).sum(-1, keepdim=True) / D ** 0.5)
        out.append((e * v).sum(1) / e.sum(1))
    return torch.stack(out, 1)
