# right: sorts the scores by the distance i - j, shifting K and V
import torch
import torch.nn.functional as F


def causal_attention(Q, K, V):
    n, d = Q.shape[1:]
    bands, shifted = [], []
    for back in range(n):
        s = (Q[:, back:] * K[:, : n - back]).sum(-1) * d ** -0.5
        bands.append(F.pad(s, (back, 0), value=-torch.inf))
        shifted.append(F.pad(V[:, : n - back], (0, 0, back, 0)))
    w = torch.softmax(torch.stack(bands), dim=0).unsqueeze(-1)        # (back, b, n, 1)
    return (w * torch.stack(shifted)).sum(0)
