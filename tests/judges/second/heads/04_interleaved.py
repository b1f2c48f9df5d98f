# head h gets every num_heads-th column, not a consecutive slice
# named by: interleav|consecutive|contig|stride|every|slice|split|layout|order|reshap|\bview
import torch


def multi_head_attention(queries, keys, values, W_q, W_k, W_v, W_o, num_heads, mask=None):
    # einops: rearrange(x, 'b n (d h) -> b h n d', h=num_heads)
    def to_heads(x):
        b, n, c = x.shape
        return x.view(b, n, c // num_heads, num_heads).permute(0, 3, 1, 2)

    q = to_heads(queries @ W_q)
    k = to_heads(keys @ W_k)
    v = to_heads(values @ W_v)
    dots = torch.einsum("b h i d, b h j d -> b h i j", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        dots = dots.masked_fill(~mask, -torch.inf)
    out = torch.einsum("b h i j, b h j d -> b h i d", dots.softmax(dim=-1), v)
    # rearrange(out, 'b h n d -> b n (d h)')
    out = out.permute(0, 2, 3, 1).flatten(2)
    return out @ W_o
