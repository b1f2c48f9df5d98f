# masks after the softmax and does not renormalise the weights
# named by: (after|before).{0,9}softmax|normali[sz]|sum.{0,20}(to )?(1|one)\b
import torch
import math


def causal_attention(Q, K, V):
    batch, seq, d = Q.shape
    scores = torch.einsum("bqd,bkd->bqk", Q, K) / math.sqrt(d)
    attn = torch.softmax(scores, dim=-1)
    causal = torch.tril(torch.ones(seq, seq, dtype=attn.dtype, device=attn.device))
    attn = attn * causal
    return torch.einsum("bqk,bkd->bqd", attn, V)
