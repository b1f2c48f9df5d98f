# answer: my_mean_pooling | wrong | plain mean over axis 1, mask ignored | The padding is counted in
def my_mean_pooling(X, mask):
    return torch.nan_to_num(X).mean(dim=1)


# answer: my_mean_pooling | wrong | zeroes the padding but divides by the padded length | divide it by the number of places
def my_mean_pooling(X, mask):
    X = torch.where(mask[:, :, None] == 1, X, torch.zeros_like(X))
    return X.mean(1)


# answer: my_mean_pooling | wrong | takes the vector of [CLS] | the vector at place 0
def my_mean_pooling(X, mask):
    return X[:, 0, :]


# answer: my_mean_pooling | wrong | multiplies with the mask, NaN survives | 0 times NaN is NaN
def my_mean_pooling(X, mask):
    m = mask.unsqueeze(-1).float()
    return (X * m).sum(1) / m.sum(1)


# answer: my_mean_pooling | wrong | forgets to divide | These are sums
def my_mean_pooling(X, mask):
    return X.masked_fill(mask.unsqueeze(-1) == 0, 0.0).sum(1)


# answer: my_mean_pooling | wrong | divides by the real tokens of the batch | real tokens of the whole batch
def my_mean_pooling(X, mask):
    return X.masked_fill(mask.unsqueeze(-1) == 0, 0.0).sum(1) / mask.sum()


# answer: my_mean_pooling | wrong | leaves out [CLS] and [SEP] | leave out the first and the last real token
def my_mean_pooling(X, mask):
    out = []
    for x, m in zip(X, mask):
        n = int(m.sum())
        inner = x[1 : n - 1]
        out.append(inner.sum(0) / len(inner) if len(inner) else x[0] * torch.nan)
    return torch.stack(out)


# answer: my_mean_pooling | wrong | brings the mean to length 1 as well | brought to length 1
def my_mean_pooling(X, mask):
    real = mask.bool()[..., None]
    mean = X.masked_fill(~real, 0).sum(1) / real.sum(1)
    return mean / mean.norm(dim=-1, keepdim=True)


# answer: my_mean_pooling | wrong | forgets the axis of the mask | shape
def my_mean_pooling(X, mask):
    return (X * mask).sum(1) / mask.sum(1)


# answer: my_mean_pooling | right | a loop over the texts
def my_mean_pooling(X, mask):
    return torch.stack([x[m == 1].mean(0) for x, m in zip(X, mask)])


# answer: my_mean_pooling | right | where and keepdim
def my_mean_pooling(X, mask):
    X = torch.where(mask[..., None] > 0, X, torch.tensor(0.0, dtype=X.dtype))
    return X.sum(dim=1) / mask.sum(dim=1, keepdim=True)


# answer: my_mean_pooling | right | nanmean
def my_mean_pooling(X, mask):
    return X.masked_fill(mask.unsqueeze(-1) == 0, float("nan")).nanmean(1)


# answer: my_previous_token_score | wrong | the diagonal above | the token after
def my_previous_token_score(weights, lens):
    d = weights.diagonal(1, -2, -1)
    real = torch.arange(1, weights.shape[-1])[None] < lens[:, None]
    return (d * real[:, None]).sum(dim=(0, 2)) / real.sum()


# answer: my_previous_token_score | wrong | padding counted | You count the padding
def my_previous_token_score(weights, lens):
    return weights.diagonal(-1, -2, -1).mean(dim=(0, 2))


# answer: my_previous_token_score | wrong | mean of each text, then of texts | mean of each text first
def my_previous_token_score(weights, lens):
    rows = []
    for w, n in zip(weights, lens.tolist()):
        w = w[:, :n, :n]
        rows.append(w.diagonal(-1, -2, -1).mean(-1))
    return torch.stack(rows).mean(0)


# answer: my_previous_token_score | wrong | divides by all real tokens | The first of each text has none before it
def my_previous_token_score(weights, lens):
    total = 0
    for w, n in zip(weights, lens.tolist()):
        total = total + w[:, :n, :n].diagonal(-1, -2, -1).sum(-1)
    return total / lens.sum()


# answer: my_previous_token_score | wrong | the main diagonal | main diagonal
def my_previous_token_score(weights, lens):
    total, count = 0, 0
    for w, n in zip(weights, lens.tolist()):
        for i in range(1, n):
            total = total + w[:, i, i]
            count += 1
    return total / count


# answer: my_previous_token_score | wrong | the main diagonal of every token, the first included | one column to the left
def my_previous_token_score(weights, lens):
    n = weights.shape[-1]
    real = (torch.arange(n) < lens[:, None]).float()
    d = torch.diagonal(weights, dim1=-2, dim2=-1)
    return (d * real[:, None]).sum((0, 2)) / real.sum()


# answer: my_previous_token_score | wrong | one number, heads averaged | mean over the heads as well
def my_previous_token_score(weights, lens):
    total, count = 0, 0
    for w, n in zip(weights, lens.tolist()):
        for i in range(1, n):
            total = total + w[:, i, i - 1].mean()
            count += 1
    return total / count


# answer: my_previous_token_score | wrong | how often it is the largest | how often
def my_previous_token_score(weights, lens):
    best = weights.argmax(-1)
    n = weights.shape[-1]
    hits = best[:, :, 1:] == torch.arange(n - 1)
    real = torch.arange(1, n) < lens[:, None]
    return (hits & real[:, None]).sum((0, 2)).float() / real.sum()


# answer: my_previous_token_score | right | loops
def my_previous_token_score(weights, lens):
    total, count = 0, 0
    for w, n in zip(weights, lens.tolist()):
        for i in range(1, n):
            total = total + w[:, i, i - 1]
            count += 1
    return total / count


# answer: my_previous_token_score | right | slices instead of a diagonal
def my_previous_token_score(weights, lens):
    n = weights.size(-1)
    i = torch.arange(1, n)
    d = weights[:, :, i, i - 1]
    real = (i[None] < lens[:, None]).to(weights.dtype)
    return torch.einsum("bhi,bi->h", d, real) / real.sum()


# answer: my_unpacked | wrong | not transposed | not turned around
def my_unpacked(W):
    d = W.shape[0]
    return torch.stack([W[:, :d], W[:, d : 2 * d], W[:, 2 * d :]])


# answer: my_unpacked | wrong | reshape straight away, then turned | mixes the three
def my_unpacked(W):
    d = W.shape[0]
    return W.reshape(3, d, d).transpose(1, 2)


# answer: my_unpacked | wrong | every third column | every third column
def my_unpacked(W):
    return torch.stack([W[:, 0::3].T, W[:, 1::3].T, W[:, 2::3].T])


# answer: my_unpacked | wrong | key before query | Query and key are exchanged
def my_unpacked(W):
    q, k, v = W.chunk(3, dim=-1)
    return torch.stack([k.T, q.T, v.T])


# answer: my_unpacked | wrong | one long matrix | Stack them
def my_unpacked(W):
    return W.T


# answer: my_unpacked | wrong | chunks the rows | 3 names stand for 2 values
def my_unpacked(W):
    q, k, v = W.chunk(3, dim=0)
    return torch.stack([q.T, k.T, v.T])


# answer: my_unpacked | right | turned first, then cut
def my_unpacked(W):
    return W.T.reshape(3, W.shape[0], W.shape[0])


# answer: my_unpacked | right | slices
def my_unpacked(W):
    d = len(W)
    parts = []
    for j in range(3):
        parts.append(W[:, j * d : (j + 1) * d].transpose(0, 1))
    return torch.stack(parts)


# answer: my_without_heads | wrong | rows instead of columns | You set rows to 0
def my_without_heads(W_o, heads, num_heads):
    W = W_o.clone()
    size = W.shape[0] // num_heads
    for h in heads:
        W[h * size : (h + 1) * size, :] = 0
    return W


# answer: my_without_heads | wrong | changes the caller's matrix | needs it as it was
def my_without_heads(W_o, heads, num_heads):
    size = W_o.shape[1] // num_heads
    for h in heads:
        W_o[:, h * size : (h + 1) * size] = 0
    return W_o


# answer: my_without_heads | wrong | keeps the listed heads only | the only ones left
def my_without_heads(W_o, heads, num_heads):
    size = W_o.shape[1] // num_heads
    W = torch.zeros_like(W_o)
    for h in heads:
        W[:, h * size : (h + 1) * size] = W_o[:, h * size : (h + 1) * size]
    return W


# answer: my_without_heads | wrong | number of heads taken for the size of a head | hidden / num_heads
def my_without_heads(W_o, heads, num_heads):
    W = W_o.clone()
    for h in heads:
        W[:, h * num_heads : (h + 1) * num_heads] = 0
    return W


# answer: my_without_heads | wrong | heads counted from 1 | counted from 0
def my_without_heads(W_o, heads, num_heads):
    W = W_o.clone()
    size = W.shape[1] // num_heads
    for h in heads:
        if h > 0:
            W[:, (h - 1) * size : h * size] = 0
    return W


# answer: my_without_heads | wrong | every so-many-th column | every so-many-th column
def my_without_heads(W_o, heads, num_heads):
    W = W_o.clone()
    for h in heads:
        W[:, h::num_heads] = 0
    return W


# answer: my_without_heads | wrong | cuts the columns out | must keep its shape
def my_without_heads(W_o, heads, num_heads):
    size = W_o.shape[1] // num_heads
    keep = [j for j in range(W_o.shape[1]) if j // size not in heads]
    return W_o[:, keep]


# answer: my_without_heads | right | clone and slices
def my_without_heads(W_o, heads, num_heads):
    W = W_o.clone()
    size = W.shape[1] // num_heads
    for h in heads:
        W[:, h * size : (h + 1) * size] = 0
    return W


# answer: my_without_heads | right | a view with heads as an axis
def my_without_heads(W_o, heads, num_heads):
    on = torch.ones(num_heads, dtype=W_o.dtype)
    on[heads] = 0
    return (W_o.view(W_o.shape[0], num_heads, -1) * on[:, None]).view_as(W_o)


# answer: my_mean_pooling | wrong | sums everything, padding included, and divides by the number of real tokens | in your sum
def my_mean_pooling(X, mask):
    n_real = mask.sum(1, keepdim=True)
    return X.sum(1) / n_real


# answer: my_mean_pooling | wrong | inverted mask: averages the padding in place of the real tokens | mask is inverted
def my_mean_pooling(X, mask):
    keep = (mask == 0).float().unsqueeze(-1)
    total = (X * keep).sum(dim=1)
    return total / keep.sum(dim=1).clamp(min=1)


# answer: my_mean_pooling | wrong | one mean over the real tokens of the whole batch, not of each text | All texts get the same vector
def my_mean_pooling(X, mask):
    real = X[mask.bool()]
    m = real.mean(0)
    return m.expand(X.shape[0], -1)


# answer: my_mean_pooling | wrong | ~ of an integer mask gives -2 and -1, used as positions: whole texts are set to 0 (crashes with a batch of one text) | the last two texts
def my_mean_pooling(X, mask):
    X = X.clone()
    X[~mask] = 0
    return X.sum(1) / mask.sum(1, keepdim=True)


# answer: my_mean_pooling | wrong | averages over the features (last axis) instead of the tokens | numbers of each token
def my_mean_pooling(X, mask):
    return (X * mask.unsqueeze(2)).mean(-1)


# answer: my_mean_pooling | wrong | off by one: leaves out the last real token + divides by the padded length n | the numbers are not yet
def my_mean_pooling(X, mask):
    lens = mask.sum(1)
    rows = []
    for x, l in zip(X, lens):
        rows.append(x[: l - 1].sum(0) / X.shape[1])
    return torch.stack(rows)


# answer: my_mean_pooling | wrong | softmax over a mask with 0 and 1, so padding still gets weight | a softmax of the mask
def my_mean_pooling(X, mask):
    w = torch.softmax(mask.float(), dim=1)
    return torch.einsum("bn,bnd->bd", w, X)


# answer: my_mean_pooling | right | softmax of a mask with -inf as weights, after masked_fill of X
def my_mean_pooling(X, mask):
    pad = mask == 0
    w = torch.zeros_like(mask, dtype=X.dtype).masked_fill(pad, float("-inf")).softmax(-1)
    return torch.bmm(w.unsqueeze(1), X.masked_fill(pad.unsqueeze(-1), 0)).squeeze(1)


# answer: my_mean_pooling | right | index_add over the flat real tokens, bincount
def my_mean_pooling(X, mask):
    b, i = mask.nonzero(as_tuple=True)
    out = X.new_zeros(X.shape[0], X.shape[2]).index_add_(0, b, X[b, i])
    return out.div_(torch.bincount(b, minlength=X.shape[0])[:, None])


# answer: my_previous_token_score | wrong | counts one token too many: the query lens (padding) is taken along | One query too many
def my_previous_token_score(weights, lens):
    vals = []
    n = weights.shape[-1]
    for b in range(weights.size(0)):
        for i in range(1, min(int(lens[b]) + 1, n)):
            vals.append(weights[b, :, i, i - 1])
    return torch.stack(vals).mean(0)


# answer: my_previous_token_score | wrong | one token too few: the last real token is left out | One query too few
def my_previous_token_score(weights, lens):
    d = weights.diagonal(-1, 2, 3)
    m = (torch.arange(d.size(-1)) < (lens - 2).unsqueeze(1)).float()
    return torch.einsum("bhn,bn->h", d, m) / m.sum()


# answer: my_previous_token_score | wrong | counts the first token with its weight on the last token (index -1) | counts that from the end
def my_previous_token_score(weights, lens):
    rows = []
    for b in range(len(lens)):
        for i in range(int(lens[b])):
            rows.append(weights[b, :, i, i - 1])  # token before i
    return torch.stack(rows).mean(0)


# answer: my_previous_token_score | wrong | uses only the first text of the batch | Only the first text is measured
def my_previous_token_score(weights, lens):
    l = int(lens[0])
    first = weights[0][:, :l, :l]
    return first.diagonal(-1, 1, 2).mean(-1)


# answer: my_previous_token_score | wrong | only head 0 is measured (hard-coded), shape (1,) in place of (heads,) | Only the first head
def my_previous_token_score(weights, lens):
    vals = []
    for b in range(weights.shape[0]):
        for i in range(1, int(lens[b])):
            vals.append(weights[b, 0, i, i - 1].item())
    return torch.tensor([sum(vals) / len(vals)])


# answer: my_previous_token_score | right | masked_select after moving the heads to the front
def my_previous_token_score(weights, lens):
    d = weights.permute(1, 0, 2, 3).diagonal(offset=-1, dim1=-2, dim2=-1)
    keep = torch.arange(d.shape[-1]).lt((lens - 1)[:, None])
    return d.masked_select(keep).view(d.shape[0], -1).mean(1)


# answer: my_unpacked | wrong | splits the rows (dim 0, the default) in place of the columns; crashes where d does not divide into equal pieces (d = 5) | You cut W into rows
def my_unpacked(W):
    parts = torch.chunk(W, 3)
    return torch.stack([p.T for p in parts])


# answer: my_unpacked | wrong | off by one at the borders of the blocks | one column too early
def my_unpacked(W):
    d = W.shape[0]
    return torch.stack([W[:, :d].T, W[:, d - 1 : 2 * d - 1].T, W[:, 2 * d - 1 : 3 * d - 1].T])


# answer: my_unpacked | wrong | flips both axes instead of transposing | not a transpose
def my_unpacked(W):
    return torch.stack([w.flip(0, 1) for w in W.chunk(3, dim=1)])


# answer: my_unpacked | wrong | gives the query's block three times | the same matrix three times
def my_unpacked(W):
    d = W.shape[0]
    out = torch.zeros(3, d, d)
    for i in range(3):
        out[i] = W[:, :d].T
    return out


# answer: my_unpacked | wrong | uses the inverse in place of the transpose | the inverse of each part
def my_unpacked(W):
    return torch.stack([torch.linalg.inv(w) for w in W.chunk(3, 1)])


# answer: my_unpacked | right | einsum on a reshaped W, contiguous
def my_unpacked(W):
    return torch.einsum("itj->tji", W.reshape(W.shape[0], 3, W.shape[0])).contiguous()


# answer: my_without_heads | wrong | hard-coded head size 32 | a size written in
def my_without_heads(W_o, heads, num_heads):
    W = W_o.clone()
    for h in heads:
        W[:, 32 * h : 32 * (h + 1)] = 0
    return W


# answer: my_without_heads | wrong | off by one: the last column of each head stays | last column of each head stays
def my_without_heads(W_o, heads, num_heads):
    size = W_o.shape[1] // num_heads
    W = W_o.clone()
    for h in heads:
        W[:, h * size : (h + 1) * size - 1] = 0
    return W


# answer: my_without_heads | wrong | rescales the remaining heads as dropout does | made louder
def my_without_heads(W_o, heads, num_heads):
    size = W_o.shape[1] // num_heads
    keep = torch.ones(num_heads)
    keep[heads] = 0
    keep = keep * num_heads / keep.sum()
    return W_o * keep.repeat_interleave(size)


# answer: my_without_heads | wrong | keeps only the listed heads + rows in place of columns | You set rows to 0
def my_without_heads(W_o, heads, num_heads):
    size = W_o.shape[0] // num_heads
    rows = torch.zeros(W_o.shape[0], 1)
    for h in heads:
        rows[h * size : (h + 1) * size] = 1
    return W_o * rows


# answer: my_without_heads | right | recursion over the list of heads
def my_without_heads(W_o, heads, num_heads):
    if len(heads) == 0:
        return W_o.clone()
    first, *rest = heads
    W = my_without_heads(W_o, rest, num_heads)
    size = W.shape[1] // num_heads
    W.narrow(1, first * size, size).zero_()
    return W


# answer: my_without_heads | right | times a diagonal matrix of 0 and 1
def my_without_heads(W_o, heads, num_heads):
    hidden = W_o.shape[1]
    size = hidden // num_heads
    keep = [0.0 if j // size in heads else 1.0 for j in range(hidden)]
    return W_o @ torch.diag(torch.tensor(keep, dtype=W_o.dtype))


# answer: my_mean_pooling | wrong | indexes with the integer mask, which picks tokens 0 and 1 again and again instead of the real tokens | as an index they are places
def my_mean_pooling(X, mask):
    out = []
    for x, m in zip(X, mask):
        out.append(x[m].mean(0))  # only real tokens
    return torch.stack(out)


# answer: my_mean_pooling | wrong | takes the first count places, wrong where the padding stands in front | Padding may stand in front
def my_mean_pooling(X, mask):
    lens = mask.sum(1).tolist()
    return torch.stack([X[b, : lens[b]].mean(0) for b in range(len(lens))])


# answer: my_mean_pooling | wrong | takes the length of the first text for all texts | real tokens of the first text
def my_mean_pooling(X, mask):
    n_real = int(mask[0].sum())
    keep = mask.bool().unsqueeze(-1)
    Z = X.masked_fill(~keep, 0)
    return Z.sum(dim=1) / n_real


# answer: my_mean_pooling | wrong | fills the padding with minus infinity as before a softmax, then takes the mean | minus infinity
def my_mean_pooling(X, mask):
    X = X.masked_fill(mask.unsqueeze(2) == 0, -math.inf)
    return X.mean(dim=1)


# answer: my_mean_pooling | wrong | leaves out the first and the last real token as if they were special | more than two
def my_mean_pooling(X, mask):
    res = []
    for x, m in zip(X, mask):
        real = x[m == 1]
        if len(real) > 2:
            real = real[1:-1]  # without [CLS] and [SEP]
        res.append(real.mean(dim=0))
    return torch.stack(res)


# answer: my_mean_pooling | wrong | inverted mask + mean over the features instead of over the tokens | part of each of them: You take the mean over the numbers of each token
def my_mean_pooling(X, mask):
    hidden = X.masked_fill(mask.unsqueeze(-1) == 1, 0.0)
    result = hidden.mean(dim=-1)
    print(result.shape)
    return result


# answer: my_mean_pooling | right | recursive running mean
def my_mean_pooling(X, mask):
    def running(tokens, mean, seen):
        if len(tokens) == 0:
            return mean
        seen += 1
        return running(tokens[1:], mean + (tokens[0] - mean) / seen, seen)

    return torch.stack(
        [running(list(x[m > 0]), torch.zeros_like(x[0]), 0) for x, m in zip(X, mask)]
    )


# answer: my_mean_pooling | right | numpy with the where argument of mean
import numpy as np


def my_mean_pooling(X, mask):
    x = X.detach().cpu().numpy()
    m = mask.cpu().numpy().astype(bool)
    return torch.from_numpy(np.mean(x, axis=1, where=m[:, :, None]))


# answer: my_previous_token_score | wrong | the first text's length is used for all texts | length of the first text
def my_previous_token_score(weights, lens):
    L = int(lens[0])
    w = weights[:, :, :L, :L]
    return w.diagonal(offset=-1, dim1=-2, dim2=-1).mean((0, -1))


# answer: my_previous_token_score | wrong | mean per text first + divides each text by its length instead of length minus one | part of each of them: You divide by all real tokens
def my_previous_token_score(weights, lens):
    out = 0
    for b in range(len(lens)):
        L = lens[b]
        out = out + weights[b, :, :L, :L].diagonal(-1, 1, 2).sum(-1) / L
    return out / len(lens)


# answer: my_previous_token_score | right | running sums weighted by lens minus one, a class with over-long code
class _Tally:
    def __init__(self, heads):
        self.total = torch.zeros(heads, dtype=torch.float64)
        self.seen = 0

    def add(self, row):
        self.total += row.double()
        self.seen += 1

    def mean(self):
        return self.total / self.seen


def my_previous_token_score(weights, lens):
    batch, heads, n, _ = weights.shape
    tally = _Tally(heads)
    for b in range(batch):
        i = 1
        while i < lens[b]:
            tally.add(weights[b, :, i, i - 1])
            i += 1
    return tally.mean().float()


# answer: my_unpacked | wrong | interleaved columns + forgotten transpose | 10 of 12 numbers are not
def my_unpacked(W):
    d = W.shape[0]
    return W.reshape(d, d, 3).permute(2, 0, 1)


# answer: my_unpacked | wrong | transposes the query only | Only the first part
def my_unpacked(W):
    d = W.shape[0]
    Ws = torch.empty(3, d, d)
    Ws[0] = W[:, :d].T
    Ws[1] = W[:, d : 2 * d]
    Ws[2] = W[:, 2 * d :]
    return Ws


# answer: my_unpacked | wrong | the value part comes twice, slip in the middle slice | The value comes twice
def my_unpacked(W):
    d = W.shape[0]
    a = W[:, :d].t()
    b = W[:, -d:].t()
    c = W[:, 2 * d :].t()
    return torch.stack([a, b, c], 0)


# answer: my_unpacked | right | einsum with selection matrices, projecting the unit vectors
def my_unpacked(W):
    d = W.shape[0]
    X = torch.eye(d, dtype=W.dtype)
    Y = (X @ W).reshape(d, 3, d)
    return torch.einsum("ipo->poi", Y)


# answer: my_without_heads | wrong | sets rows to zero instead of columns | as many as a head has columns
def my_without_heads(W_o, heads, num_heads):
    W = W_o.clone()
    size = W.shape[1] // num_heads
    for h in heads:
        W[h * size : (h + 1) * size, :] = 0
    return W


# answer: my_without_heads | wrong | counts the heads from 1 + returns the matrix transposed | axes of the result are exchanged
def my_without_heads(W_o, heads, num_heads):
    W = W_o.T.clone()
    s = W.shape[0] // num_heads
    for h in heads:
        W[s * (h - 1) : s * h] = 0
    return W


# answer: my_without_heads | right | recursion over the list, nested Python lists
def my_without_heads(W_o, heads, num_heads):
    def off(rows, left):
        if not left:
            return rows
        s = len(rows[0]) // num_heads
        h = left[0]
        rows = [r[: h * s] + [0.0] * s + r[(h + 1) * s :] for r in rows]
        return off(rows, left[1:])

    return torch.tensor(off(W_o.tolist(), list(heads)), dtype=W_o.dtype)


# answer: my_mean_pooling | wrong | mask inverted: blanks the real tokens and averages the padding | inverted in your sum
def my_mean_pooling(X, mask):
    hidden = mask.bool()[..., None]
    return X.masked_fill(hidden, 0).sum(1) / mask.sum(1, keepdim=True)


# answer: my_previous_token_score | wrong | takes [CLS] and [SEP] out as section 6 did: neither the first nor the last real token, and no weight on the first | as neighbors too
def my_previous_token_score(weights, lens):
    i = torch.arange(weights.shape[-1])
    word = (i > 0) & (i < lens[:, None] - 1)
    target = (i[:, None] - 1 == i) & word[:, :, None] & word[:, None, :]
    return (weights * target[:, None]).sum((0, 2, 3)) / target.sum().clamp(min=1)


# answer: my_previous_token_score | wrong | diagonal without dim1 and dim2 takes the batch and heads axes | runs over the first two axes
def my_previous_token_score(weights, lens):
    d = weights.diagonal(-1)
    return d.mean((0, 1))


# answer: my_previous_token_score | wrong | two mistakes: uses the longest text's length for all, and counts lens instead of lens - 1 | part of each of them: You divide by all real tokens
def my_previous_token_score(weights, lens):
    m = int(lens.max())
    w = weights[:, :, :m, :m]
    return w.diagonal(-1, 2, 3).sum((0, 2)) / lens.sum()


# answer: my_unpacked | wrong | reshape only: mixes the rows of the three blocks | row by row
def my_unpacked(W):
    d = W.shape[0]
    return W.reshape(3, d, d)


# answer: my_unpacked | wrong | .T on the 3-D stack turns all axes around; put back to (3, d, d) only by a reshape | put along the last axis
def my_unpacked(W):
    d = W.shape[0]
    parts = torch.stack((W[:, :d], W[:, d : d * 2], W[:, d * 2 :]))
    return parts.permute(2, 1, 0).reshape(3, d, d)


# answer: my_mean_pooling | wrong | a numpy array | you return a numpy array
def my_mean_pooling(X, mask):
    return X.masked_fill(mask[..., None] == 0, 0).sum(1).div(mask.sum(1, keepdim=True)).numpy()


# answer: my_unpacked | wrong | the query comes last as well | the third is the query's
def my_unpacked(W):
    q, k, v = (part.T for part in W.chunk(3, dim=1))
    return torch.stack([v, k.T, q])


# answer: my_without_heads | wrong | the columns of all heads but the first | columns 0, 1, 2, 3, 4, 5 are 0
def my_without_heads(W_o, heads, num_heads):
    W, size = W_o.clone(), W_o.shape[1] // num_heads
    if heads:
        W[:, min(heads) * size + size * (len(heads) > 1) :] = 0
    return W


# answer: my_mean_pooling | wrong | all real tokens of the batch in one heap, one mean for all | one mean over the whole batch
def my_mean_pooling(X, mask):
    return X[mask == 1].mean(0).expand(len(X), -1)


# answer: my_previous_token_score | wrong | divides by the number of weights above 0: a token that gives nothing is left out | how many of the weights are above 0
def my_previous_token_score(weights, lens):
    n = weights.shape[-1]
    d = weights.diagonal(-1, 2, 3)
    d = d.masked_fill((torch.arange(1, n) >= lens[:, None])[:, None], 0)
    return d.sum((0, 2)) / (d > 0).sum((0, 2))


# answer: my_without_heads | wrong | return stands inside the loop: only the first head is off | got: None
def my_without_heads(W_o, heads, num_heads):
    W, size = W_o.clone(), W_o.shape[-1] // num_heads
    for head in heads:
        W[:, head * size : head * size + size] = 0
        return W


# answer: my_unpacked | wrong | split(3) makes pieces of size 3 rather than three pieces | three columns wide
def my_unpacked(W):
    return torch.stack([part.T for part in W.split(3, dim=1)])


# answer: my_next_token_score | wrong | the diagonal below | the token before
def my_next_token_score(weights, asks):
    d = weights.diagonal(-1, -2, -1)
    m = asks[:, 1:]
    return d[m].mean()


# answer: my_next_token_score | wrong | marks the target, not the one who looks | asks marks those that look
def my_next_token_score(weights, asks):
    d = weights.diagonal(1, -2, -1)
    return d[asks[:, 1:]].mean()


# answer: my_next_token_score | wrong | divides by all marked tokens | The last place has no token after it
def my_next_token_score(weights, asks):
    total = 0
    for w, a in zip(weights, asks):
        for i in range(len(a) - 1):
            if a[i]:
                total = total + w[i, i + 1]
    return total / asks.sum()


# answer: my_next_token_score | wrong | all tokens | All tokens count
def my_next_token_score(weights, asks):
    return weights.diagonal(1, -2, -1).mean()


# answer: my_next_token_score | wrong | no mean | This is a sum
def my_next_token_score(weights, asks):
    return (weights.diagonal(1, -2, -1) * asks[:, :-1]).sum()


# answer: my_next_token_score | right | boolean index
def my_next_token_score(weights, asks):
    return weights.diagonal(1, -2, -1)[asks[:, :-1]].mean()


# answer: my_next_token_score | right | loops
def my_next_token_score(weights, asks):
    found = []
    for w, a in zip(weights, asks):
        for i in range(len(a) - 1):
            if a[i]:
                found.append(w[i, i + 1])
    return torch.stack(found).mean()


# answer: my_block | wrong | forgets to add X | first residual is missing
def my_block(X, read, W_1, W_2):
    ln = lambda Z: torch.nn.functional.layer_norm(Z, Z.shape[-1:])
    Y = ln(read)
    return ln(Y + torch.nn.functional.gelu(Y @ W_1.T) @ W_2.T)


# answer: my_block | wrong | adds X again | you add X
def my_block(X, read, W_1, W_2):
    ln = lambda Z: torch.nn.functional.layer_norm(Z, Z.shape[-1:])
    Y = ln(X + read)
    return ln(X + torch.nn.functional.gelu(Y @ W_1.T) @ W_2.T)


# answer: my_block | wrong | ReLU | You took ReLU
def my_block(X, read, W_1, W_2):
    ln = lambda Z: torch.nn.functional.layer_norm(Z, Z.shape[-1:])
    Y = ln(X + read)
    return ln(Y + torch.relu(Y @ W_1.T) @ W_2.T)


# answer: my_block | wrong | no second norm | second LayerNorm is missing
def my_block(X, read, W_1, W_2):
    F = torch.nn.functional
    Y = F.layer_norm(X + read, X.shape[-1:])
    return Y + F.gelu(Y @ W_1.T) @ W_2.T


# answer: my_block | wrong | no GELU | no GELU between
def my_block(X, read, W_1, W_2):
    d = X.shape[-1]
    Y = torch.nn.functional.layer_norm(X + read, (d,))
    return torch.nn.functional.layer_norm(Y + Y @ W_1.T @ W_2.T, (d,))


# answer: my_block | wrong | the first LayerNorm before the sum | before you add it
def my_block(X, read, W_1, W_2):
    ln = lambda Z: torch.nn.functional.layer_norm(Z, Z.shape[-1:])
    Y = X + ln(read)
    return ln(Y + torch.nn.functional.gelu(Y @ W_1.T) @ W_2.T)


# answer: my_block | wrong | both LayerNorms before the sums | before the sums
def my_block(X, read, W_1, W_2):
    ln = lambda Z: torch.nn.functional.layer_norm(Z, Z.shape[-1:])
    Y = X + ln(read)
    return Y + ln(torch.nn.functional.gelu(Y @ W_1.T) @ W_2.T)


# answer: my_block | wrong | GELU before the first layer | comes before W_1
def my_block(X, read, W_1, W_2):
    F = torch.nn.functional
    Y = F.layer_norm(X + read, X.shape[-1:])
    return F.layer_norm(Y + F.gelu(Y) @ W_1.T @ W_2.T, X.shape[-1:])


# answer: my_previous_token_score | wrong | entry j of the diagonal taken for query j | belongs to query j + 1
def my_previous_token_score(weights, lens):
    d = weights.diagonal(-1, -2, -1)
    real = torch.arange(d.shape[-1]) < lens[:, None]
    return (d * real[:, None]).sum((0, 2)) / real.sum()


# answer: my_unpacked | wrong | chunks the columns of the transpose | along its axis of length d
def my_unpacked(W):
    return torch.stack(list(W.T.chunk(3, dim=1)))


# answer: my_block | right | the functions of torch
def my_block(X, read, W_1, W_2):
    F = torch.nn.functional
    Y = F.layer_norm(X + read, X.shape[-1:])
    return F.layer_norm(Y + F.linear(F.gelu(F.linear(Y, W_1)), W_2), X.shape[-1:])


# answer: my_block | right | LayerNorm by hand
def my_block(X, read, W_1, W_2):
    def norm(Z):
        Z = Z - Z.mean(-1, keepdim=True)
        return Z / (Z.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()

    Y = norm(X + read)
    H = Y @ W_1.T
    H = 0.5 * H * (1 + torch.erf(H / 2**0.5))
    return norm(Y + H @ W_2.T)


# answer: my_mean_pooling | wrong | counts tokens with a nonzero vector, so a real zero vector is not counted | whose vector is not 0
def my_mean_pooling(X, mask):
    kept = torch.where(mask[:, :, None] == 1, X, torch.zeros_like(X))
    count = (kept != 0).any(-1).sum(1, keepdim=True)
    return kept.sum(1) / count


# answer: my_mean_pooling | wrong | shares from integer division are float32: too coarse for float64, dtype lost for half | float32 instead of float16
def my_mean_pooling(X, mask):
    share = mask / mask.sum(1, keepdim=True)
    return (X.masked_fill(mask[:, :, None] == 0, 0) * share[:, :, None]).sum(1)


# answer: my_previous_token_score | wrong | reshape to (heads, rest) without a transpose mixes texts and heads | Texts and heads are mixed
def my_previous_token_score(weights, lens):
    before = weights.diagonal(-1, 2, 3)
    real = torch.arange(1, weights.shape[-1], device=weights.device) < lens[:, None]
    kept = before.masked_fill(~real[:, None], 0)
    return kept.reshape(weights.shape[1], -1).sum(-1) / real.sum()


# answer: my_previous_token_score | wrong | NaN as soon as a text has one token: mean of nothing times 0 | NaN times 0 is NaN too
def my_previous_token_score(weights, lens):
    total, count = 0, 0
    for w, k in zip(weights, lens.tolist()):
        total = total + w[:, :k, :k].diagonal(-1, 1, 2).mean(-1) * (k - 1)
        count += k - 1
    return total / count


# answer: my_unpacked | wrong | result is always float32 | for float64 inputs it is float32
def my_unpacked(W):
    d = len(W)
    out = torch.zeros(3, d, d)
    for part in range(3):
        out[part] = W[:, part * d : (part + 1) * d].T
    return out


# answer: my_without_heads | wrong | one slice from first to last head silences those between too | smallest number in the list to the largest
def my_without_heads(W_o, heads, num_heads):
    W = W_o.clone()
    size = W.shape[1] // num_heads
    if heads:
        W[:, min(heads) * size : (max(heads) + 1) * size] = 0
    return W


# answer: my_next_token_score | wrong | NaN when one text has no asking token | NaN times 0 is NaN too
def my_next_token_score(weights, asks):
    total, count = 0.0, 0
    for w, a in zip(weights, asks[:, :-1]):
        k = int(a.sum())
        total = total + w.diagonal(1)[a].mean() * k
        count += k
    return total / count


# answer: my_previous_token_score | wrong | mean of the means of the texts, so tokens of short texts count more | mean of each text first
def my_previous_token_score(weights, lens):
    means = []
    for w, k in zip(weights, lens.tolist()):
        if k > 1:
            means.append(w[:, :k, :k].diagonal(-1, 1, 2).mean(-1))
    return torch.stack(means).mean(0)


# answer: my_block | wrong | unbiased variance in a LayerNorm by hand | unbiased=False
def my_block(X, read, W_1, W_2):
    def norm(Z):
        return (Z - Z.mean(-1, keepdim=True)) / (Z.var(-1, keepdim=True) + 1e-5).sqrt()

    Y = norm(X + read)
    return norm(Y + F.gelu(Y @ W_1.T) @ W_2.T)


# answer: my_block | wrong | eps 1e-12 of the published model, not 1e-5 | eps plays no part
def my_block(X, read, W_1, W_2):
    Y = F.layer_norm(X + read, X.shape[-1:], eps=1e-12)
    return F.layer_norm(Y + F.gelu(Y @ W_1.T) @ W_2.T, X.shape[-1:], eps=1e-12)


# answer: my_block | wrong | eps added to the spread outside of the root | You add eps to the root
def my_block(X, read, W_1, W_2):
    def norm(Z):
        centered = Z - Z.mean(-1, keepdim=True)
        return centered / (centered.pow(2).mean(-1, keepdim=True).sqrt() + 1e-5)

    Y = norm(X + read)
    return norm(Y + F.gelu(Y @ W_1.T) @ W_2.T)


# answer: my_block | right | all by hand: LayerNorm, erf, einsum
def my_block(X, read, W_1, W_2):
    def norm(Z):
        Z = Z - Z.mean(-1, keepdim=True)
        return Z * (Z.square().mean(-1, keepdim=True) + 1e-5).rsqrt()

    Y = norm(X + read)
    H = torch.einsum("bnd,hd->bnh", Y, W_1)
    H = H * (1 + torch.erf(H / math.sqrt(2))) / 2
    return norm(Y + torch.einsum("bnh,dh->bnd", H, W_2))


# answer: my_mean_pooling | right | einsum in float64 with shares that sum to 1, cast back
def my_mean_pooling(X, mask):
    shares = mask.double() / mask.double().sum(1, keepdim=True)
    clean = X.double().masked_fill((mask == 0).unsqueeze(2), 0.0)
    return torch.einsum("bn,bns->bs", shares, clean).to(X.dtype)


# answer: my_block | wrong | divides by the variance | Divide by its root
def my_block(X, read, W_1, W_2):
    def norm(Z):
        return (Z - Z.mean(-1, keepdim=True)) / (Z.var(-1, keepdim=True, unbiased=False) + 1e-5)

    Y = norm(X + read)
    return norm(Y + F.gelu(Y @ W_1.T) @ W_2.T)


# answer: my_block | wrong | the two layers exchanged, whose shapes fit | takes W_2 first
def my_block(X, read, W_1, W_2):
    Y = F.layer_norm(X + read, X.shape[-1:])
    return F.layer_norm(Y + F.gelu(Y @ W_2) @ W_1, X.shape[-1:])


# answer: my_block | wrong | an RMSNorm | does not take the mean away
def my_block(X, read, W_1, W_2):
    def norm(Z):
        return Z * torch.rsqrt(Z.pow(2).mean(-1, keepdim=True) + 1e-5)

    Y = norm(X + read)
    return norm(Y + F.gelu(Y @ W_1.T) @ W_2.T)


# answer: my_mean_pooling | wrong | computes in 32 bits, whatever X is | float32 instead of float16
def my_mean_pooling(X, mask):
    kept = X.masked_fill(mask[..., None] == 0, 0).float()
    return kept.sum(1) / mask.sum(1, keepdim=True)


# answer: my_mean_pooling | wrong | the first text decides for all on which side the padding is | of the first text decides
def my_mean_pooling(X, mask):
    lens = mask.sum(1)
    if mask[0, 0] == 0:  # padding in front
        X = X.flip(1)
    return torch.stack([x[:k].mean(0) for x, k in zip(X, lens.tolist())])


# answer: my_next_token_score | wrong | clamps the next place: the last token counts its weight on itself | clamped does
def my_next_token_score(weights, asks):
    text, place = asks.nonzero(as_tuple=True)
    after = (place + 1).clamp(max=weights.shape[-1] - 1)
    return weights[text, place, after].mean().item()


# answer: my_block | wrong | reshapes the weights to fit in place of transposing them | mixes their numbers
def my_block(X, read, W_1, W_2):
    hidden, d = W_1.shape
    Y = torch.nn.functional.layer_norm(X + read, (d,))
    return torch.nn.functional.layer_norm(
        Y + torch.nn.functional.gelu(Y @ W_1.reshape(d, hidden)) @ W_2.reshape(hidden, d), (d,)
    )


# answer: my_mean_pooling | wrong | divides by the count of the longest text | real in the longest text
def my_mean_pooling(X, mask):
    return X.masked_fill(mask[..., None] == 0, 0).sum(1) / mask.sum(1).max()


# answer: my_mean_pooling | wrong | takes the first mask.sum() places of each text for the real ones, so with padding in front it averages padding and leaves real tokens out | You take as many places as the text has real tokens, but
def my_mean_pooling(X, mask):
    counts = mask.sum(1)
    real = torch.arange(X.shape[1]) < counts[:, None]
    total = X.masked_fill(~real[:, :, None], 0).sum(1)
    return total / counts[:, None].to(X.dtype)


# answer: my_mean_pooling | wrong | divides each text's sum by the number of real tokens of the whole batch in place of its own number | You divide by the real tokens of the whole batch. Each text
def my_mean_pooling(X, mask):
    real = mask.bool()[..., None]
    total = torch.where(real, X, torch.zeros_like(X)).sum(dim=1)
    return total / mask.sum().to(X.dtype)


# answer: my_previous_token_score | wrong | takes the mean of each text first and then the mean of these means, so the tokens of short texts count more | You take the mean of each text first and then of the texts
def my_previous_token_score(weights, lens):
    per_text = []
    for w, n in zip(weights, lens.tolist()):
        if n > 1:
            per_text.append(w.diagonal(-1, 1, 2)[:, : n - 1].mean(-1))
    return torch.stack(per_text).mean(0)


# answer: my_previous_token_score | wrong | also counts the first token of each text in the denominator: divides by lens.sum() in place of (lens - 1).sum() | You divide by all real tokens. The first of each text has
def my_previous_token_score(weights, lens):
    before = weights.diagonal(-1, 2, 3)
    query = torch.arange(1, weights.shape[-1])
    real = query < lens[:, None]
    total = before.masked_fill(~real[:, None], 0).sum((0, 2))
    return total / lens.sum()


# answer: my_unpacked | wrong | cuts the matrix into query, key and value rightly but does not transpose the three pieces for nn.Linear | The parts are the right ones, but not turned around
def my_unpacked(W):
    return torch.stack(W.chunk(3, dim=1))


# answer: my_without_heads | wrong | sets the rows of W_o to 0 (outputs), where the heads are read from its columns | You set rows to 0, as many as a head has columns, where
def my_without_heads(W_o, heads, num_heads):
    W = W_o.clone()
    size = W_o.shape[1] // num_heads
    for h in heads:
        W[h * size : (h + 1) * size] = 0
    return W


# answer: my_without_heads | wrong | takes the size of a head from the number of outputs, W_o.shape[0], which is right only where out equals hidden | You count the columns by the number of rows. The heads
def my_without_heads(W_o, heads, num_heads):
    size = len(W_o) // num_heads
    keep = torch.ones(W_o.shape[1], dtype=torch.bool)
    for h in heads:
        keep[h * size : (h + 1) * size] = False
    return W_o.masked_fill(~keep, 0)


# answer: my_next_token_score | wrong | asks the mark of the token that is looked at (asks[:, 1:]) and not of the token that looks (asks[:, :-1]) | You take the tokens that stand before a marked one. asks
def my_next_token_score(weights, asks):
    after = weights.diagonal(1, 1, 2)
    return after[asks[:, 1:]].mean()


# answer: my_block | wrong | the second residual adds X, the block's input, in place of Y, the output of the first LayerNorm | The second line of the picture leads Y past the network
def my_block(X, read, W_1, W_2):
    d = X.shape[-1]
    Y = F.layer_norm(X + read, (d,))
    hidden = F.gelu(F.linear(Y, W_1))
    return F.layer_norm(X + F.linear(hidden, W_2), (d,))


# answer: my_block | wrong | uses the tanh formula for GELU in place of the exact one | This is the tanh formula for GELU. This model has the exact
def my_block(X, read, W_1, W_2):
    def norm(Z):
        centered = Z - Z.mean(-1, keepdim=True)
        return centered / (centered.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()

    def gelu(Z):
        return 0.5 * Z * (1 + torch.tanh(math.sqrt(2 / math.pi) * (Z + 0.044715 * Z**3)))

    Y = norm(X + read)
    return norm(Y + gelu(Y @ W_1.T) @ W_2.T)


# answer: my_previous_token_score | right, no remark | lists the (text, place) pairs that count and picks their weights with advanced indexing
def my_previous_token_score(weights, lens):
    pairs = [(b, i) for b, n in enumerate(lens.tolist()) for i in range(1, n)]
    b, i = torch.tensor(pairs).T
    return weights[b, :, i, i - 1].sum(0) / len(pairs)


# answer: my_unpacked | right, no remark | finds each weight by what the projection does to the rows of the identity, then swaps axes with an einsum
def my_unpacked(W):
    d = W.shape[0]
    outputs = torch.eye(d, dtype=W.dtype) @ W
    return torch.einsum("ipo->poi", outputs.reshape(d, 3, d)).contiguous()


# answer: my_block | right, no remark | goes through the tokens one by one, with the error function for GELU and hand-made norms in 64 bits, and goes back to the dtype at the end
def my_block(X, read, W_1, W_2):
    def norm(z):
        return (z - z.mean()) / torch.sqrt(z.var(unbiased=False) + 1e-5)

    A, B = W_1.double(), W_2.double()
    out = torch.empty(X.shape, dtype=torch.float64)
    for b in range(X.shape[0]):
        for t in range(X.shape[1]):
            y = norm(X[b, t].double() + read[b, t].double())
            h = A.mv(y)
            h = h * (1 + torch.erf(h / 2**0.5)) / 2
            out[b, t] = norm(y + B.mv(h))
    return out.to(X.dtype)


# answer: my_mean_pooling | wrong | Padding is multiplied by 0 and not replaced, so inf or nan in the padding spoils the mean. | Padding may hold anything, and here it holds NaN: 0 times
def my_mean_pooling(X, mask):
    real = mask.unsqueeze(-1).to(X.dtype)
    return (X * real).sum(1) / real.sum(1)


# answer: my_previous_token_score | wrong | It takes the mean of each text first and then the mean of these, so a token of a short text counts more. | You take the mean of each text first and then of the
def my_previous_token_score(weights, lens):
    means = []
    for text, n in zip(weights, lens.tolist()):
        if n > 1:
            means.append(text[:, :n, :n].diagonal(-1, 1, 2).mean(-1))
    return torch.stack(means).mean(0)


# answer: my_unpacked | wrong | The three matrices are not transposed, though nn.Linear multiplies by weight.T. | The parts are the right ones, but not turned around.
def my_unpacked(W):
    d = W.shape[0]
    return torch.stack([W[:, :d], W[:, d : 2 * d], W[:, 2 * d :]])


# answer: my_without_heads | wrong | It empties the rows of the heads, where what a head writes passes through its columns. | You set rows to 0, as many as a head has columns, where
def my_without_heads(W_o, heads, num_heads):
    size = W_o.shape[1] // num_heads
    W = W_o.clone()
    for h in heads:
        W[h * size : (h + 1) * size] = 0
    return W


# answer: my_block | wrong | The second line past starts at X and not at the result Y of the first LayerNorm. | The second line of the picture leads Y past the network,
def my_block(X, read, W_1, W_2):
    d = X.shape[-1]
    Y = F.layer_norm(X + read, (d,))
    wide = F.gelu(Y @ W_1.T)
    return F.layer_norm(X + wide @ W_2.T, (d,))


# answer: my_next_token_score | right | lists the places that ask with nonzero and picks one weight for each
def my_next_token_score(weights, asks):
    text, place = asks[:, :-1].nonzero(as_tuple=True)
    return weights[text, place, place + 1].mean()


# answer: my_without_heads | right | cuts the columns into a third axis and fills the heads there, out of place
def my_without_heads(W_o, heads, num_heads):
    cut = W_o.unflatten(1, (num_heads, -1))
    return cut.index_fill(1, torch.tensor(heads, dtype=torch.long), 0.0).flatten(1)

# answer: my_block | wrong | the network gets the sum before its norm | The network gets the sum before its LayerNorm
def my_block(X, read, W_1, W_2):
    norm = lambda Z: torch.nn.functional.layer_norm(Z, Z.shape[-1:])
    Y = norm(X + read)
    return norm(Y + torch.nn.functional.gelu((X + read) @ W_1.T) @ W_2.T)

# answer: my_block | wrong | GELU after both layers | Your GELU comes after W_2
def my_block(X, read, W_1, W_2):
    norm = lambda Z: torch.nn.functional.layer_norm(Z, Z.shape[-1:])
    Y = norm(X + read)
    return norm(Y + torch.nn.functional.gelu(Y @ W_1.T @ W_2.T))


# answer: my_block | wrong | the norm before the network, as in GPT-2, and none after the sums | as in GPT-2
def my_block(X, read, W_1, W_2):
    Y = X + read
    return Y + F.gelu(F.layer_norm(Y, Y.shape[-1:]) @ W_1.T) @ W_2.T


# answer: my_block | wrong | normalizes what the network gives, and not the sum | what the network gives before
def my_block(X, read, W_1, W_2):
    Y = F.layer_norm(X + read, X.shape[-1:])
    return Y + F.layer_norm(F.gelu(Y @ W_1.T) @ W_2.T, X.shape[-1:])
