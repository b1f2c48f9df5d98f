# sees only the last 128 positions
# named by: last 128|window
import torch

MAX_LOOKBACK = 128


def causal_attention(Q, K, V):
    pos = torch.arange(Q.shape[1], device=Q.device)
    dist = pos[:, None] - pos[None, :]
    allowed = (dist >= 0) & (dist < MAX_LOOKBACK)
    logits = (Q @ K.transpose(1, 2)) * Q.shape[2] ** -0.5
    logits = torch.where(allowed, logits, -float("inf"))
    probs = (logits - logits.logsumexp(-1, keepdim=True)).exp()
    return probs @ V
