# masks after the softmax and does not renormalize
# named by: after the softmax
import torch


def causal_attention(Q, K, V):
    scores = torch.einsum("bqd,bkd->bqk", Q, K) * Q.shape[-1] ** -0.5
    scores = scores - scores.amax(dim=-1, keepdim=True)
    w = scores.exp()
    w = w / w.sum(dim=-1, keepdim=True)
    causal = torch.ones_like(w).tril()
    return torch.einsum("bqk,bkd->bqd", w * causal, V)
