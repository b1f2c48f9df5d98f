# reshapes K to (batch, d, seq) where it should transpose it
# named by: transpos|reshap|\bview|permut|swap|scrambl|layout|K_?T\b|mixe?[sd]? 
import torch


def causal_attention(Q, K, V):
    batch, seq, d = Q.shape
    K_T = K.reshape(batch, d, seq)
    scores = torch.matmul(Q, K_T) / torch.sqrt(torch.tensor(float(d)))
    future = torch.ones(seq, seq, dtype=torch.bool, device=Q.device).triu(1)
    scores[:, future] = float("-inf")
    weights = torch.nn.functional.softmax(scores, dim=2)
    output = torch.matmul(weights, V)
    return output
