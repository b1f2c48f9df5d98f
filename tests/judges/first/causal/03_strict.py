# position i does not attend to itself (j < i)
# named by: itself
import math

import torch


def causal_attention(Q, K, V):
    seq_len = Q.shape[1]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    idx = torch.arange(seq_len, device=Q.device)
    visible = idx[None, :] < idx[:, None]
    scores = torch.where(visible, scores, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1) @ V
