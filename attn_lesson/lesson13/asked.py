"""What a test can ask of an attention: each measures how far off it is; 0 is perfect.

A measure is called as measure(attention, queries, keys, values, mask). What differs in shape or in
dtype, or is not a number, is infinitely far off.
"""

import torch

from attn_teach import attend, causal_mask, dot_product_scores


def drawn(batch=2, heads=3, n=5, m=7, d=4, v=3, seed=0, dtype=torch.float32):
    """Normal queries, keys, values; a mask, (batch, 1, n, m), in which each query sees a key."""
    generator = torch.Generator().manual_seed(seed)
    shapes = (batch, heads, n, d), (batch, heads, m, d), (batch, heads, m, v)
    made = [torch.randn(*shape, generator=generator, dtype=dtype) for shape in shapes]
    mask = torch.rand(batch, 1, n, m, generator=generator) < 0.6
    mask[..., 0] = True
    return *made, mask


def off(a, b):
    """The largest difference of two tensors."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return torch.inf
    return (a - b).abs().amax().nan_to_num(nan=torch.inf).item()


def shapes(attention, queries, keys, values, mask):
    output, weights = attention(queries, keys, values, mask)
    expected = (*queries.shape[:3], values.shape[3]), (*queries.shape[:3], keys.shape[2])
    return 0.0 if (output.shape, weights.shape) == expected else torch.inf


def rows(attention, queries, keys, values, mask):
    """A row sums to 1, or to 0 where its query may attend to nothing."""
    sums = attention(queries, keys, values, mask)[1].sum(-1)
    return off(sums, mask.any(-1).expand_as(sums).to(sums.dtype))


def padding(attention, queries, keys, values, mask):
    """The last two keys of every second sentence are padding."""
    batch, m = len(keys), keys.shape[2]
    real = torch.arange(m) < m - 2 * (torch.arange(batch) % 2).view(-1, 1)
    hidden = ~real.view(batch, 1, m, 1)
    real = real.view(batch, 1, 1, m)
    others = keys.masked_fill(hidden, 9), values.masked_fill(hidden, 9)
    return off(attention(queries, keys, values, real)[0], attention(queries, *others, real)[0])


def future(attention, queries, keys, values, mask):
    """As many queries as keys, each of which may attend to itself and to those before."""
    n = min(queries.shape[2], keys.shape[2])
    queries, keys, values = (x[:, :, :n] for x in (queries, keys, values))
    before, felt = attention(queries, keys, values, causal_mask(n))[0], 0.0
    for j in range(1, n):
        k, v = keys.clone(), values.clone()
        k[:, :, j:] += 3
        v[:, :, j:] += 3
        after = attention(queries, k, v, causal_mask(n))[0]
        felt = max(felt, off(before[:, :, :j], after[:, :, :j]))
    return felt


def alone(attention, queries, keys, values, mask):
    """Each head of each sentence, among the others and alone."""
    whole, most = attention(queries, keys, values, mask)[0], 0.0
    for b in range(whole.shape[0]):
        for h in range(whole.shape[1]):
            one = [x[b : b + 1, h : h + 1] for x in (queries, keys, values)]
            part = attention(*one, mask[b : b + 1])[0]
            most = max(most, off(part, whole[b : b + 1, h : h + 1]))
    return most


def reference(attention, queries, keys, values, mask):
    """Output and weights beside those of attn_teach."""
    expected = attend(dot_product_scores(queries, keys), values, mask)
    return max(map(off, attention(queries, keys, values, mask), expected))


def twice(attention, queries, keys, values, mask):
    """The same inputs, called twice; NaN is the same as NaN."""
    return off(*(attention(queries, keys, values, mask)[0].nan_to_num() for _ in range(2)))


MEASURES = {f.__name__: f for f in (shapes, rows, padding, future, alone, twice, reference)}
