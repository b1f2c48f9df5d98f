# an allowed score that is exactly 0 is taken for a masked one
# named by: zero|exactly 0|== ?0|(score|product)s?.{0,25}\b0\b|orthogonal|one-?hot
import torch


def causal_attention(Q, K, V):
    d_k = Q.size(-1)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / (d_k ** 0.5)
    # keep the lower triangle; what is left empty must not take part
    scores = torch.tril(scores)
    scores = scores.masked_fill(scores == 0, float("-inf"))
    p_attn = torch.softmax(scores, dim=-1)
    return torch.matmul(p_attn, V)
