# rows after the last full block of 16 stay zero
# named by: tail|remain|multipl|divis|trailing|left-?over|block|chunk|tile|last (row|pos)|longer
import torch


def causal_attention(Q, K, V):
    TILE = 16
    batch, seq, d = Q.shape
    O = torch.zeros_like(V)
    grid = max(1, seq // TILE)
    for blk in range(grid):
        lo, hi = blk * TILE, min((blk + 1) * TILE, seq)
        s = Q[:, lo:hi] @ K[:, :hi].transpose(1, 2) / d ** 0.5
        q_idx = torch.arange(lo, hi, device=Q.device).view(-1, 1)
        k_idx = torch.arange(hi, device=Q.device).view(1, -1)
        s = s.masked_fill(k_idx > q_idx, -torch.inf)
        O[:, lo:hi] = torch.softmax(s, dim=-1) @ V[:, :hi]
    return O
