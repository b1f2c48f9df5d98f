# computes the scores in bfloat16 and so loses precision
# named by: bf(loat)?-?16|float ?-?16|half|precis|low(er)? (bit|acc)|\bround|\bcast
import torch


def causal_attention(Q, K, V):
    n, d = Q.shape[-2:]
    # tensor-core friendly matmul, softmax in full precision
    s = torch.matmul(Q.bfloat16(), K.bfloat16().transpose(-1, -2)).to(V.dtype)
    s = s / d ** 0.5
    s = s + torch.full((n, n), float("-inf"), dtype=s.dtype, device=s.device).triu(1)
    return torch.softmax(s, dim=-1) @ V
