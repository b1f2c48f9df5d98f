# softmax runs over the queries, not over the keys
# named by: \bdim\b|axis|column|over.{0,9}quer|rows? .{0,20}sum|normali[sz]|sum to (1|one)
import torch


def causal_attention(Q, K, V):
    d = Q.shape[-1]
    n = Q.shape[1]
    # scores
    A = torch.bmm(Q, K.transpose(1, 2)) / d ** 0.5
    # causal mask
    mask = torch.triu(torch.ones(n, n, device=Q.device), diagonal=1).bool()
    A = A.masked_fill(mask, float("-inf"))
    A = torch.softmax(A, dim=1)
    return torch.bmm(A, V)
