# folds heads and batch as (heads, batch), unfolds as (batch, heads)
# named by: batch.{0,9}(elem|exam|item|entr|size|[>1-9])|\bmix|across.{0,9}batch|fold|concat
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    batch, n, d_model = queries.shape
    # Split and concat: (h*batch, len, d_model/h)
    Q_ = torch.cat(torch.chunk(queries @ W_q, num_heads, dim=2), dim=0)
    K_ = torch.cat(torch.chunk(keys @ W_k, num_heads, dim=2), dim=0)
    V_ = torch.cat(torch.chunk(values @ W_v, num_heads, dim=2), dim=0)

    outputs = torch.bmm(Q_, K_.transpose(1, 2)) / Q_.shape[-1] ** 0.5
    if mask is not None:
        outputs = outputs.masked_fill(~mask.unsqueeze(0), float("-inf"))
    outputs = torch.bmm(torch.softmax(outputs, dim=-1), V_)

    # Restore shape
    outputs = outputs.view(batch, num_heads, n, -1).transpose(1, 2)
    return outputs.reshape(batch, n, d_model) @ W_o
