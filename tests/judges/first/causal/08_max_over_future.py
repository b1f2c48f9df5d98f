# subtracts a row maximum that includes future positions
# named by: of the allowed|mask the scores|future
import torch


def causal_attention(Q, K, V):
    scores = torch.bmm(Q, K.transpose(1, 2)) / Q.shape[2] ** 0.5
    # shift for numerical stability
    row_max = scores.max(dim=-1, keepdim=True).values
    unnorm = torch.exp(scores - row_max).tril()
    return torch.bmm(unnorm / unnorm.sum(dim=-1, keepdim=True), V)
