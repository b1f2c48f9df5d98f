# right: einsum on weights reshaped to (d_model, heads, d_head)
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d = W_q.shape[0]
    wq, wk, wv = (w.reshape(d, num_heads, -1) for w in (W_q, W_k, W_v))
    wo = W_o.reshape(num_heads, -1, d)
    q = torch.einsum("bnc,chd->nhbd", queries, wq)
    k = torch.einsum("bmc,chd->mhbd", keys, wk)
    v = torch.einsum("bmc,chd->mhbd", values, wv)
    s = torch.einsum("nhbd,mhbd->nmhb", q, k) * (d // num_heads) ** -0.5
    if mask is not None:
        s = torch.where(mask[:, :, None, None], s, -torch.inf)
    return torch.einsum("nmhb,mhbd,hdc->bnc", s.softmax(1), v, wo)
