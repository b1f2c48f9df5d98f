# forbidden scores become 0 before the softmax, not minus infinity
# named by: \binf|infin|mask|future|leak|zero|tril|j ?> ?i|later (pos|key|tok)|ahead|cheat
import torch


def causal_attention(Q, K, V):
    scores = Q @ K.mT / Q.size(-1) ** 0.5
    scores = torch.tril(scores)          # only look at j <= i
    weights = torch.softmax(scores, -1)
    return weights @ V
