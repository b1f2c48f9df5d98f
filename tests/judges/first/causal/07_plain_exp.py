# exponentiates without subtracting the maximum: overflow
# named by: overflow|exponential
import torch


def causal_attention(Q, K, V):
    seq, d = Q.shape[1], Q.shape[2]
    keep = torch.tril(torch.ones(seq, seq, dtype=torch.bool, device=Q.device))
    scores = (Q / d**0.5) @ K.transpose(1, 2)
    e = torch.exp(scores.masked_fill(~keep, float("-inf")))
    return (e @ V) / e.sum(-1, keepdim=True)
