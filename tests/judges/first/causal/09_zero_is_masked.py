# a score that is exactly 0 is taken for a masked one
# named by: score that is 0
import torch


def causal_attention(Q, K, V):
    scores = torch.matmul(Q, K.transpose(-1, -2)) / (Q.size(-1) ** 0.5)
    scores = torch.tril(scores)
    scores = scores.masked_fill(scores == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, V)
