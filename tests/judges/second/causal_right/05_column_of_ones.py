# right: a column of ones beside V yields the denominator; keys in reverse
import torch


def causal_attention(Q, K, V):
    n, d = Q.shape[1:]
    K, V1 = K.flip(1), torch.cat([V, torch.ones_like(V[..., :1])], -1).flip(1)
    r = torch.arange(n, device=Q.device)
    forbidden = r[:, None] + r[None, :] < n - 1
    s = (Q @ K.mT / d ** 0.5).masked_fill(forbidden, -torch.inf)
    e = (s - s.detach().amax(-1, keepdim=True)).exp()
    y = e @ V1
    return y[..., :-1] / y[..., -1:]
