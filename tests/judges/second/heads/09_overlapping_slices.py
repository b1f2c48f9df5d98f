# head h takes the columns from h on, so the slices overlap
# named by: slice|overlap|consecutive|column|split|offset|start|shift|h ?\*
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d_model = queries.shape[2]
    size = d_model // num_heads

    Q = queries @ W_q
    K = keys @ W_k
    V = values @ W_v

    heads = []
    for h in range(num_heads):
        q = Q[:, :, h:h + size]
        k = K[:, :, h:h + size]
        v = V[:, :, h:h + size]
        score = torch.bmm(q, k.permute(0, 2, 1)) / size ** 0.5
        if mask is not None:
            score = score.masked_fill(~mask, float("-inf"))
        heads.append(torch.bmm(torch.softmax(score, dim=2), v))
    return torch.cat(heads, dim=2) @ W_o
