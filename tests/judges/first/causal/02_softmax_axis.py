# normalizes over the queries instead of over the keys
# named by: over the queries|axis
import torch


def causal_attention(Q, K, V):
    batch, seq, d = Q.shape
    scores = torch.matmul(Q, K.transpose(-2, -1)) / d**0.5
    mask = torch.tril(torch.ones(seq, seq, device=Q.device)).bool()
    scores = scores.masked_fill(~mask, float("-inf"))
    attn = torch.softmax(scores, dim=1)
    return torch.matmul(attn, V)
