# the mask only adds -10000, which very large scores outweigh
# named by: \binf|infin|-?1e-?4|10[, ]?000|mask|leak|future|(large|huge|big) [silv]|extreme
import torch


def causal_attention(Q, K, V):
    # ported from a TensorFlow BERT-style layer
    from_seq_length, size_per_head = Q.shape[-2], Q.shape[-1]
    attention_scores = torch.matmul(Q, K.transpose(-1, -2))
    attention_scores = attention_scores * (1.0 / size_per_head ** 0.5)
    attention_mask = torch.tril(
        torch.ones(from_seq_length, from_seq_length, dtype=Q.dtype, device=Q.device)
    )
    adder = (1.0 - attention_mask) * -10000.0
    attention_scores = attention_scores + adder
    attention_probs = torch.softmax(attention_scores, dim=-1)
    return torch.matmul(attention_probs, V)
