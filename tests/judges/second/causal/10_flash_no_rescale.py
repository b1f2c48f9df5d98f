# running output is not rescaled when the running maximum grows
# named by: rescal|factor|running|accum|block|chunk|tile|online|long(er)? (seq|inp)|alpha
import torch

BLOCK_N = 32


def causal_attention(Q, K, V):
    b, n, d = Q.shape
    scale = d ** -0.5
    rows = torch.arange(n, device=Q.device)[:, None]
    m_i = torch.full((b, n, 1), float("-inf"), dtype=Q.dtype, device=Q.device)
    l_i = torch.zeros_like(m_i)
    acc = torch.zeros_like(V)
    for start_n in range(0, n, BLOCK_N):
        k = K[:, start_n : start_n + BLOCK_N]
        v = V[:, start_n : start_n + BLOCK_N]
        cols = start_n + torch.arange(k.shape[1], device=Q.device)[None, :]
        qk = (Q @ k.transpose(1, 2) * scale).masked_fill(cols > rows, float("-inf"))
        m_new = torch.maximum(m_i, qk.amax(-1, keepdim=True))
        alpha = torch.exp(m_i - m_new)
        p = torch.exp(qk - m_new)
        l_i = l_i * alpha + p.sum(-1, keepdim=True)
        acc = acc + p @ v
        m_i = m_new
    return acc / l_i
