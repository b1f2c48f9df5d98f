# row maximum is taken over forbidden keys too, so rows underflow
# named by: subtract|row.?max|rflow|\bstab|(large|huge|big) [silv]|extreme|hundred|\bnan
import torch


def causal_attention(Q, K, V):
    """Causal attention with a numerically stable softmax."""
    seq, d = Q.shape[1], Q.shape[2]
    scores = torch.bmm(Q, K.transpose(1, 2)) * (d ** -0.5)

    # subtract the maximum of each row for numerical stability
    scores = scores - scores.amax(dim=-1, keepdim=True)
    weights = torch.exp(scores)

    # zero out the future, then normalise what remains
    keep = torch.ones(seq, seq, dtype=weights.dtype, device=weights.device).tril()
    weights = weights * keep
    total = weights.sum(dim=-1, keepdim=True)
    weights = weights / total.clamp_min(torch.finfo(weights.dtype).tiny)
    return torch.bmm(weights, V)
