# subtracts one maximum of all scores, so other rows underflow
# named by: subtract|global|(und|ov)erflow|\bstab|(large|huge|big) [silv]|extreme|hundred|\bnan
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """Multi-head attention with a fused, numerically stable softmax."""
    b, n, d = queries.shape
    m, dh = keys.shape[1], d // num_heads
    q = (queries @ W_q).reshape(b, n, num_heads, dh)
    k = (keys @ W_k).reshape(b, m, num_heads, dh)
    v = (values @ W_v).reshape(b, m, num_heads, dh)

    scores = torch.einsum("bnhd,bmhd->bhnm", q, k).mul(dh ** -0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask[None, None], float("-inf"))

    # shift by the maximum so that exp cannot overflow
    weights = torch.exp(scores - scores.max())
    # the floor only guards the division
    denom = weights.sum(-1, keepdim=True).clamp_min(torch.finfo(weights.dtype).tiny)

    out = torch.einsum("bhnm,bmhd->bnhd", weights / denom, v)
    return out.flatten(2) @ W_o
