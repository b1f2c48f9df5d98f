# right: weights as three-axis tensors, einsum throughout
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d = W_q.shape[0]
    wq, wk, wv = (w.reshape(d, num_heads, -1) for w in (W_q, W_k, W_v))
    wo = W_o.reshape(num_heads, -1, d)
    q = torch.einsum("bnc,chx->hxbn", queries, wq)
    k = torch.einsum("bmc,chx->hxbm", keys, wk)
    v = torch.einsum("bmc,chx->hxbm", values, wv)
    s = torch.einsum("hxbn,hxbm->mhbn", q, k) / wq.shape[2] ** 0.5
    if mask is not None:
        s = torch.where(mask.T[:, None, None, :], s, -torch.inf)
    p = s.softmax(0)
    return torch.einsum("mhbn,hxbm,hxd->bnd", p, v, wo)
