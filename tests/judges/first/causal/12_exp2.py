# uses powers of 2 instead of powers of e in the softmax
# named by: powers of 2|exp2
import torch


def causal_attention(Q, K, V):
    t = Q.shape[1]
    s = torch.einsum("bid,bjd->bij", Q, K) / Q.shape[-1] ** 0.5
    s = s.masked_fill(torch.ones(t, t, device=s.device).triu(1) > 0, float("-inf"))
    s = s - s.amax(-1, keepdim=True)
    p = torch.exp2(s)
    return torch.einsum("bij,bjd->bid", p, V) / p.sum(-1).unsqueeze(-1)
