# right: one ordinary softmax for each prefix, no mask
import torch


def causal_attention(Q, K, V):
    root = Q.shape[2] ** 0.5
    rows = []
    for i in range(Q.shape[1]):
        seen_k, seen_v = K[:, : i + 1], V[:, : i + 1]
        p = torch.softmax(torch.einsum("bd,bjd->bj", Q[:, i] / root, seen_k), 1)
        rows.append(torch.einsum("bj,bjd->bd", p, seen_v))
    return torch.stack(rows, 1)
