# rounds sqrt(d) down to a whole number
# named by: scal(e|ing)\b|square|\broot|\bround|integer|whole|\bint\b|isqrt|trunc|floor|temperat
import math

import torch


def causal_attention(Q, K, V):
    n, d = Q.shape[-2:]
    scale = 1.0 / math.isqrt(d)
    pos = torch.arange(n, device=Q.device)
    logits = (Q * scale) @ K.transpose(-2, -1)
    logits = torch.where(pos[:, None] >= pos[None, :], logits, -torch.inf)
    return logits.softmax(-1) @ V
