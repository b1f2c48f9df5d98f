# a position does not attend to itself (except the first)
# named by: itself|\bown|diagonal|off.by.one|j ?(<|<=|≤|=) ?i|strict|mask|current|slice|:i\b
import torch


def causal_attention(Q, K, V):
    seq = Q.shape[1]
    d = Q.shape[2]
    result = torch.zeros_like(V)
    result[:, 0] = V[:, 0]      # the first one has nobody before it
    for i in range(1, seq):
        q = Q[:, i].unsqueeze(1)
        k = K[:, :i]
        v = V[:, :i]
        w = torch.softmax(q @ k.transpose(1, 2) / d ** 0.5, dim=-1)
        result[:, i] = (w @ v).squeeze(1)
    return result
