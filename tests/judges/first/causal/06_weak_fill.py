# future scores only lowered by 100, too little if large
# named by: low enough|fill
import torch


def causal_attention(Q, K, V):
    n, d = Q.shape[-2:]
    future = torch.triu(torch.ones(n, n, dtype=Q.dtype, device=Q.device), diagonal=1)
    logits = Q.matmul(K.permute(0, 2, 1)).div(d**0.5)
    logits = logits + future * -100.0
    return logits.softmax(-1).matmul(V)
