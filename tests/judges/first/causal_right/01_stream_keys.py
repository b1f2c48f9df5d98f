# right: one key at a time, with a running maximum
import torch


def causal_attention(Q, K, V):
    n, d = Q.shape[1:]
    top = (Q * K[:, :1]).sum(-1, keepdim=True) / d**0.5
    den = torch.exp(top - top)  # one, but tied to Q and K
    num = V[:, :1].expand_as(Q)
    for j in range(1, n):
        s = (Q[:, j:] * K[:, j : j + 1]).sum(-1, keepdim=True) / d**0.5
        new = torch.maximum(top[:, j:], s)
        old, now = torch.exp(top[:, j:] - new), torch.exp(s - new)
        den = torch.cat([den[:, :j], den[:, j:] * old + now], 1)
        num = torch.cat([num[:, :j], num[:, j:] * old + now * V[:, j : j + 1]], 1)
        top = torch.cat([top[:, :j], new], 1)
    return num / den
