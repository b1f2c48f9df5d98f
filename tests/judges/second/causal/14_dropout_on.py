# dropout on the weights is left on
# named by: drop|random|determin|stochast|(two|second|repeat|same).{0,25}(call|run|input|twice)
import math

import torch
import torch.nn.functional as F


def causal_attention(Q, K, V):
    B, T, C = Q.size()
    att = (Q @ K.transpose(-2, -1)) * (1.0 / math.sqrt(K.size(-1)))
    bias = torch.tril(torch.ones(T, T, device=Q.device)).view(1, T, T)
    att = att.masked_fill(bias[:, :T, :T] == 0, float("-inf"))
    att = F.softmax(att, dim=-1)
    att = F.dropout(att, p=0.1)
    y = att @ V
    return y
