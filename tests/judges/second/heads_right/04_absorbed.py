# right: W_q W_k^T and W_v W_o are multiplied out once for each head
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d = W_q.shape[0]
    dh = d // num_heads
    cols = lambda w: w.view(d, num_heads, dh).movedim(1, 0)           # (h, d, dh)
    qk = cols(W_q) @ cols(W_k).mT                                     # (h, d, d)
    vo = cols(W_v) @ W_o.view(num_heads, dh, d)                       # (h, d, d)
    s = queries[:, None] @ qk @ keys[:, None].mT / dh ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, -torch.inf)
    return (s.softmax(-1) @ (values[:, None] @ vo)).sum(1)
