# answer: my_next_word_query | wrong | asks for the previous word (roll the wrong way) + the end wraps round | 1. This is the question for the previous word
def my_next_word_query(position):
    return position.roll(1, 0)


# answer: my_next_word_query | wrong | sentence of six words hard-coded | Right for six words
def my_next_word_query(position):
    return position[[1, 2, 3, 4, 5, 5]]


# answer: my_next_word_query | wrong | returns the indices of the places, not their rows | numbers of the places
def my_next_word_query(position):
    n = len(position)
    return torch.clamp(torch.arange(n) + 1, max=n - 1)


# answer: my_next_word_query | wrong | takes the length from the columns (shape[1]) instead of the rows | shape[1] is the size d
def my_next_word_query(position):
    n = position.shape[1]
    idx = torch.tensor([min(i + 1, n - 1) for i in range(n)])
    return position[idx]


# answer: my_next_word_query | wrong | the shift is right but it is written into the caller's position (changes the input) | your function writes into `position`
def my_next_word_query(position):
    for i in range(len(position) - 1):
        position[i] = position[i + 1]
    return position


# answer: my_next_word_query | wrong | crashes: index runs one past the end | Index 3 is asked for on an axis of size 3
def my_next_word_query(position):
    n = position.shape[0]
    return position[torch.arange(n) + 1]


# answer: my_next_word_query | wrong | crashes: keeps the lesson's batch axis, which position does not have | 3 names stand for 2 values
def my_next_word_query(position):
    batch, n, d = position.shape
    return position[:, list(range(1, n)) + [n - 1]]


# answer: my_next_word_query | wrong | adds 1 to the places instead of fetching the next row | add 1 to the numbers
def my_next_word_query(position):
    result = position + 1
    result[-1] = position[-1]
    return result


# answer: my_next_word_query | right | clamp and index_select
def my_next_word_query(position):
    n = position.size(0)
    idx = torch.arange(1, n + 1, device=position.device).clamp_(max=n - 1)
    return torch.index_select(position, 0, idx)


# answer: my_next_word_query | right | recursion over the words
def my_next_word_query(position):
    if len(position) == 1:
        return position.clone()
    return torch.vstack([position[1], my_next_word_query(position[1:])])


# answer: my_split_heads | wrong | reshapes straight into the heads' shape, which cuts along the words (no transpose) | a view alone keeps the line
def my_split_heads(X, num_heads):
    batch, n, num_hiddens = X.shape
    return X.reshape(batch, num_heads, n, num_hiddens // num_heads)


# answer: my_split_heads | wrong | takes num_heads for the width of a head (roles of number and width swapped) | num_heads is the number of pieces
def my_split_heads(X, num_heads):
    parts = torch.split(X, num_heads, dim=-1)
    return torch.stack(parts, dim=1)


# answer: my_split_heads | wrong | crashes: float width of a head (/ instead of //) | // divides into whole numbers
def my_split_heads(X, num_heads):
    batch, n, num_hiddens = X.shape
    head_dim = num_hiddens / num_heads
    return X.reshape(batch, n, num_heads, head_dim).transpose(1, 2)


# answer: my_split_heads | wrong | folds the heads into the batch + cuts along the words (no transpose) | 2. The first two axes are joined
def my_split_heads(X, num_heads):
    batch, n, num_hiddens = X.shape
    return X.reshape(batch * num_heads, n, num_hiddens // num_heads)


# answer: my_split_heads | wrong | every head starts one column after the last one (stride 1 instead of head_dim) | heads overlap
def my_split_heads(X, num_heads):
    head_dim = X.shape[2] // num_heads
    return torch.stack([X[:, :, h : h + head_dim] for h in range(num_heads)], dim=1)


# answer: my_split_heads | wrong | returns a list of heads instead of one tensor | come before the batch
def my_split_heads(X, num_heads):
    return list(torch.chunk(X, num_heads, dim=2))


# answer: my_split_heads | right | unflatten and movedim
def my_split_heads(X, num_heads):
    return X.unflatten(-1, (num_heads, -1)).movedim(2, 1)


# answer: my_split_heads | right | unfold, a window over the hidden units
def my_split_heads(X, num_heads):
    size = X.size(2) // num_heads
    return X.unfold(2, size, size).permute(0, 2, 1, 3).contiguous()


# answer: my_merge_heads | wrong | crashes: view on a transposed tensor (not contiguous) | a view cannot join such axes
def my_merge_heads(X):
    batch, num_heads, n, head_dim = X.shape
    return X.transpose(1, 2).view(batch, n, num_heads * head_dim)


# answer: my_merge_heads | wrong | transposes words with hidden units instead of words with heads | Words and features have changed places
def my_merge_heads(X):
    b, h, n, k = X.shape
    return X.transpose(2, 3).reshape(b, n, h * k)


# answer: my_merge_heads | wrong | puts the heads one after the other along the words | The heads stand under each other
def my_merge_heads(X):
    heads = [X[:, h] for h in range(X.shape[1])]
    return torch.cat(heads, dim=1)


# answer: my_merge_heads | wrong | runs over the batch as if it were the heads (axis 0 instead of 1) | as if it were the heads
def my_merge_heads(X):
    return torch.cat([head for head in X], dim=-1)


# answer: my_merge_heads | wrong | interleaves the heads' columns + merges the batch with the words | 1. The features of the heads alternate
def my_merge_heads(X):
    batch, num_heads, n, head_dim = X.shape
    X = X.permute(0, 2, 3, 1)
    return X.reshape(-1, num_heads * head_dim)


# answer: my_merge_heads | wrong | last head forgotten (range stops one too early) | zeros in its place
def my_merge_heads(X):
    batch, num_heads, n, head_dim = X.shape
    out = torch.zeros(batch, n, num_heads * head_dim, dtype=X.dtype)
    for h in range(num_heads - 1):
        out[:, :, h * head_dim : (h + 1) * head_dim] = X[:, h]
    return out


# answer: my_merge_heads | right | recursion, first head beside the merged rest
def my_merge_heads(X):
    if X.size(1) == 1:
        return X[:, 0]
    return torch.concat([X[:, 0], my_merge_heads(X[:, 1:])], -1)


# answer: my_multi_head | wrong | splits the heads by reshape alone, without transpose | 2. On the way back
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    hd = d // num_heads
    q = (X @ W_q.T).reshape(b, num_heads, n, hd)
    k = (X @ W_k.T).reshape(b, num_heads, n, hd)
    v = (X @ W_v.T).reshape(b, num_heads, n, hd)
    w = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(hd), dim=-1)
    return (w @ v).reshape(b, n, d) @ W_o.T


# answer: my_multi_head | wrong | no scaling + output matrix forgotten | 1. The scores are not scaled
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    hd = X.shape[-1] // num_heads
    res = []
    for Wq, Wk, Wv in zip(W_q.split(hd), W_k.split(hd), W_v.split(hd)):
        s = (X @ Wq.T) @ (X @ Wk.T).transpose(1, 2)
        res.append(s.softmax(-1) @ (X @ Wv.T))
    return torch.cat(res, -1)


# answer: my_multi_head | wrong | scales with sqrt(d) + multiplies by W instead of W.T | 2. None of your matrices is transposed
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    sp = lambda T: T.view(b, n, num_heads, d // num_heads).permute(0, 2, 1, 3)
    A = torch.softmax(sp(Q) @ sp(K).transpose(-1, -2) / d**0.5, dim=-1)
    return (A @ sp(V)).permute(0, 2, 1, 3).reshape(b, n, d) @ W_o


# answer: my_multi_head | wrong | the loop keeps every head's scores but one softmax normalizes over all heads together | One softmax runs over the keys of all heads
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    hd = d // num_heads
    Q, K, V = X @ W_q.T, X @ W_k.T, X @ W_v.T
    scores = torch.cat(
        [
            Q[:, :, h * hd : (h + 1) * hd]
            @ K[:, :, h * hd : (h + 1) * hd].transpose(1, 2)
            / hd**0.5
            for h in range(num_heads)
        ],
        dim=-1,
    )
    weights = torch.softmax(scores, dim=-1)  # (b, n, H * n)
    outs = [
        weights[:, :, h * n : (h + 1) * n] @ V[:, :, h * hd : (h + 1) * hd]
        for h in range(num_heads)
    ]
    return torch.cat(outs, dim=-1) @ W_o.T


# answer: my_multi_head | wrong | returns the attention weights together with the output (a tuple) | got a tuple of 2
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    hd = d // num_heads
    q, k, v = [(X @ W.T).reshape(b, n, num_heads, hd).transpose(1, 2) for W in (W_q, W_k, W_v)]
    weights = torch.softmax(q @ k.transpose(-2, -1) / hd**0.5, dim=-1)
    return (weights @ v).transpose(1, 2).reshape(b, n, d) @ W_o.T, weights


# answer: my_multi_head | wrong | crashes: torch.sqrt of a plain number instead of math.sqrt | got a plain int
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    hd = d // num_heads
    q, k, v = [(X @ W.T).reshape(b, n, num_heads, hd).transpose(1, 2) for W in (W_q, W_k, W_v)]
    scores = q @ k.transpose(-2, -1) / torch.sqrt(hd)
    return (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d) @ W_o.T


# answer: my_multi_head | right | einsum throughout, the output as a sum over heads
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    k = d // num_heads
    Wq, Wk, Wv = (W.reshape(num_heads, k, d) for W in (W_q, W_k, W_v))
    Wo = W_o.reshape(d, num_heads, k)
    form = torch.einsum("hke,hkf->hef", Wq, Wk)
    a = torch.einsum("bie,hef,bjf->bhij", X, form, X).div(k**0.5).softmax(-1)
    return torch.einsum("bhij,bje,hke,ohk->bio", a, X, Wv, Wo)


# answer: my_multi_head | right | PyTorch's own function F.multi_head_attention_forward
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    Y = X.transpose(0, 1)
    out, _ = F.multi_head_attention_forward(
        Y,
        Y,
        Y,
        X.shape[-1],
        num_heads,
        torch.cat([W_q, W_k, W_v]),
        None,
        None,
        None,
        False,
        0.0,
        W_o,
        None,
        training=False,
        need_weights=False,
    )
    return out.transpose(0, 1)


# answer: my_to_torch | wrong | crashes: load_state_dict with the other class's names | those of the module
from torch import nn


def my_to_torch(attention):
    d = attention.W_q.weight.shape[0]
    mha = nn.MultiheadAttention(d, attention.num_heads, bias=False, batch_first=True)
    mha.load_state_dict(attention.state_dict())
    return mha


# answer: my_to_torch | wrong | crashes: assigns a tensor where a Parameter belongs | is a parameter of a module
from torch import nn


def my_to_torch(attention):
    d = attention.W_q.weight.shape[0]
    mha = nn.MultiheadAttention(d, attention.num_heads, bias=False, batch_first=True)
    mha.in_proj_weight = torch.cat(
        [attention.W_q.weight, attention.W_k.weight, attention.W_v.weight]
    )
    mha.out_proj.weight = attention.W_o.weight
    return mha


# answer: my_to_torch | wrong | forgets batch_first + forgets the output projection | 2. out_proj still has its random numbers
from torch import nn


def my_to_torch(attention):
    d = attention.W_q.weight.shape[0]
    mha = nn.MultiheadAttention(d, attention.num_heads, bias=False)
    mha.in_proj_weight = nn.Parameter(
        torch.cat([attention.W_q.weight, attention.W_k.weight, attention.W_v.weight])
    )
    return mha


# answer: my_to_torch | wrong | order value, key, query + one head only | 1. The order is wrong
from torch import nn


def my_to_torch(attention):
    size = attention.W_q.weight.size(0)
    mha = nn.MultiheadAttention(size, num_heads=1, bias=False, batch_first=True)
    with torch.no_grad():
        for i, layer in enumerate([attention.W_v, attention.W_k, attention.W_q]):
            mha.in_proj_weight[i * size : (i + 1) * size] = layer.weight
        mha.out_proj.weight.copy_(attention.W_o.weight)
    return mha


# answer: my_to_torch | wrong | returns the attention it was given, not an nn.MultiheadAttention | the class of this course
def my_to_torch(attention):
    return attention


# answer: my_to_torch | right | load_state_dict with PyTorch's names
def my_to_torch(attention):
    q, k, v, o = (getattr(attention, "W_" + c).weight.detach() for c in "qkvo")
    mha = torch.nn.MultiheadAttention(len(q), attention.num_heads, bias=False, batch_first=True)
    mha.load_state_dict({"in_proj_weight": torch.cat((q, k, v)), "out_proj.weight": o})
    return mha


# answer: my_to_torch | right | leaves PyTorch's biases on, they start at zero
from torch import nn


def my_to_torch(attention):
    d = attention.W_q.weight.shape[0]
    mha = nn.MultiheadAttention(d, attention.num_heads, batch_first=True)
    mha.in_proj_weight.data[:] = torch.cat(
        [attention.W_q.weight, attention.W_k.weight, attention.W_v.weight]
    ).data
    mha.out_proj.weight.data[:] = attention.W_o.weight.data
    return mha


# answer: my_dropped_attention | wrong | crosses weights out and does not scale the rest | left the others as they were
def my_dropped_attention(scores, values, keep, p, training):
    w = F.softmax(scores, dim=-1)
    if training:
        w = w.masked_fill(~keep, 0.0)
    return w @ values


# answer: my_dropped_attention | wrong | masks the scores with minus infinity, so rows are normalized again | Your rows sum to 1 again
def my_dropped_attention(scores, values, keep, p, training):
    if training:
        scores = scores.masked_fill(~keep, float("-inf"))
    return torch.softmax(scores, -1) @ values


# answer: my_dropped_attention | wrong | forgets to look at training | You drop weights with training=False too
def my_dropped_attention(scores, values, keep, p, training):
    w = scores.softmax(-1)
    return (w * keep / (1 - p)) @ values


# answer: my_dropped_attention | wrong | uses F.dropout, which ignores keep | You let PyTorch's dropout draw what goes
def my_dropped_attention(scores, values, keep, p, training):
    w = F.dropout(scores.softmax(-1), p, training)
    return w @ values


# answer: my_dropped_attention | wrong | treats keep as the mask of what goes + divides by p | 1. You divided by p
def my_dropped_attention(scores, values, keep, p, training):
    w = scores.softmax(-1)
    if training:
        w = torch.where(keep, torch.zeros_like(w), w) / p
    return torch.matmul(w, values)


# answer: my_dropped_attention | wrong | drops scores instead of weights | You dropped scores
def my_dropped_attention(scores, values, keep, p, training):
    if training:
        scores = scores * keep.float() / (1 - p)
    return scores.softmax(dim=-1) @ values


# answer: my_dropped_attention | wrong | the older recipe: scale at test time | dropout's first recipe
def my_dropped_attention(scores, values, keep, p, training):
    w = scores.softmax(-1)
    w = w * keep if training else w * (1 - p)
    return w @ values


# answer: my_dropped_attention | wrong | crashes: `and` between tensors | ambiguous
def my_dropped_attention(scores, values, keep, p, training):
    w = scores.softmax(-1)
    if training and keep:
        w = w / (1 - p)
    return w @ values


# answer: my_dropped_attention | right | torch.where with a float
def my_dropped_attention(scores, values, keep, p, training):
    w = scores.softmax(-1)
    return (torch.where(keep, w / (1 - p), 0.0) if training else w) @ values


# answer: my_dropped_attention | right | a loop over leading axes and queries, exp by hand
def my_dropped_attention(scores, values, keep, p, training):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    w = e / e.sum(-1, keepdim=True)
    factor = torch.ones_like(w)
    if training:
        factor[keep] = 1 / (1 - p)
        factor[~keep] = 0
    return torch.einsum("...nm,...mv->...nv", w * factor, values)


# answer: my_head_contributions | wrong | interleaved columns of W_o (every num_heads-th) instead of a block for each head | every num_heads-th column
def my_head_contributions(heads, W_o):
    H = heads.shape[1]
    return torch.stack([heads[:, h] @ W_o[:, h::H].T for h in range(H)], dim=1)


# answer: my_head_contributions | wrong | gives every head an equal share of the output (the sum is right) | all heads get an equal share
def my_head_contributions(heads, W_o):
    b, H, n, hd = heads.shape
    out = heads.transpose(1, 2).reshape(b, n, H * hd) @ W_o.T
    return (out / H).unsqueeze(1).expand(b, H, n, H * hd)


# answer: my_head_contributions | wrong | columns of W_o grouped by a plain reshape without moving the axes | A view of W_o
def my_head_contributions(heads, W_o):
    batch, num_heads, n, head_dim = heads.shape
    W = W_o.reshape(num_heads, -1, head_dim)  # one block per head
    return heads @ W.transpose(1, 2)


# answer: my_head_contributions | wrong | sizes of the contributions (norms) instead of the vectors | how large the contributions
def my_head_contributions(heads, W_o):
    H, k = heads.shape[1], heads.shape[3]
    c = torch.einsum("bhnk,ohk->bhno", heads, W_o.reshape(-1, H, k))
    return c.norm(dim=-1)


# answer: my_head_contributions | wrong | zeroes the other heads inside the caller's tensor (changes the input), later heads come out 0 | your function writes into `heads`
def my_head_contributions(heads, W_o):
    b, H, n, k = heads.shape
    res = []
    for h in range(H):
        only = heads
        for other in range(H):
            if other != h:
                only[:, other] = 0
        res.append(only.transpose(1, 2).reshape(b, n, H * k) @ W_o.T)
    return torch.stack(res, dim=1)


# answer: my_head_contributions | wrong | rows of W_o untransposed + heads behind the words | 2. The heads come after the words
def my_head_contributions(heads, W_o):
    hd = heads.shape[-1]
    parts = [heads[:, h] @ W_o[h * hd : (h + 1) * hd, :] for h in range(heads.shape[1])]
    return torch.stack(parts, dim=2)


# answer: my_head_contributions | wrong | returns the sum instead of each head + interleaved columns | 2. This is the sum over heads
def my_head_contributions(heads, W_o):
    H = heads.shape[1]
    return sum(heads[:, h] @ W_o[:, h::H].T for h in range(H))


# answer: my_head_contributions | wrong | return stands inside the loop, so only the first head is filled and the others stay zero | does a `return` stand inside
def my_head_contributions(heads, W_o):
    b, H, n, k = heads.shape
    result = torch.zeros(b, H, n, W_o.shape[0])
    for h in range(H):
        result[:, h] = heads[:, h] @ W_o[:, h * k : (h + 1) * k].T
        return result


# answer: my_head_contributions | wrong | crashes: multiplies a head by the whole of W_o.T | A product of matrices
def my_head_contributions(heads, W_o):
    return heads @ W_o.T


# answer: my_head_contributions | right | torch.block_diag spreads the heads, then F.linear
def my_head_contributions(heads, W_o):
    b, H, n, k = heads.shape
    rows = [torch.block_diag(*[heads[s, h] for h in range(H)]) for s in range(b)]  # (H n, H k) each
    return F.linear(torch.stack(rows), W_o).reshape(b, H, n, H * k)


# answer: my_head_contributions | right | torch.func.vmap over heads and blocks
def my_head_contributions(heads, W_o):
    blocks = torch.stack(W_o.chunk(heads.shape[1], dim=1))
    return torch.vmap(F.linear, in_dims=(1, 0), out_dims=1)(heads, blocks)


# answer: my_merge_heads | right | unbind and cat
def my_merge_heads(X):
    return torch.cat(X.unbind(1), dim=-1)


# answer: my_to_torch | wrong | batch_first forgotten + stacked in the order keys, queries, values + output matrix transposed | batch_first is missing
from torch import nn


def my_to_torch(attention):
    d = attention.W_q.weight.shape[0]
    layer = nn.MultiheadAttention(d, attention.num_heads, bias=False)
    layer.in_proj_weight.data.copy_(
        torch.cat((attention.W_k.weight, attention.W_q.weight, attention.W_v.weight), 0)
    )
    layer.out_proj.weight.data.copy_(attention.W_o.weight.T)
    return layer


# answer: my_next_word_query | wrong | direction of the lesson kept, and the first word gets zeros | 2. One word asks for nothing
def my_next_word_query(position):
    result = torch.zeros_like(position)
    result[1:] = position[:-1]
    return result


# answer: my_next_word_query | wrong | works for one-hot places only: finds the place with argmax and builds a new one-hot row | you read the place of a word off its row
def my_next_word_query(position):
    n, d = position.shape
    where = position.argmax(-1)
    return torch.eye(d)[(where + 1).clamp(max=n - 1)]


# answer: my_to_torch | wrong | slices off by a block: keys never copied, values written into the place of the keys | W_v stands in the middle third
from torch import nn


def my_to_torch(attention):
    d = attention.W_q.weight.shape[0]
    mha = nn.MultiheadAttention(d, attention.num_heads, bias=False, batch_first=True)
    with torch.no_grad():
        mha.in_proj_weight[0:d] = attention.W_q.weight
        mha.in_proj_weight[d : 2 * d] = attention.W_k.weight
        mha.in_proj_weight[d : 2 * d] = attention.W_v.weight
        mha.out_proj.weight.copy_(attention.W_o.weight)
    return mha


# answer: my_dropped_attention | wrong | drops the scores before the softmax | raised twice
def my_dropped_attention(scores, values, keep, p, training):
    if training:
        scores = scores.masked_fill(~keep, -torch.inf)
    weights = scores.softmax(dim=-1).nan_to_num(0)
    return weights @ values / (1 - p if training else 1)


# answer: my_dropped_attention | wrong | the division is outside of the if: evaluation is raised too | You divide by 1 - p with training=False too
def my_dropped_attention(scores, values, keep, p, training):
    weights = scores.softmax(-1)
    if training:
        weights = torch.where(keep, weights, 0.0)
    weights = weights / (1 - p)
    return weights @ values


# answer: my_to_torch | wrong | load_state_dict with strict=False: the names differ, so that nothing is copied | nothing was copied
from torch import nn


def my_to_torch(attention):
    size = attention.W_q.weight.shape[0]
    new = nn.MultiheadAttention(size, attention.num_heads, bias=False, batch_first=True)
    new.load_state_dict(attention.state_dict(), strict=False)
    return new


# answer: my_to_torch | wrong | number of heads hard-coded to the lesson's 2 | has two heads, whatever
from torch import nn


def my_to_torch(attention):
    d = attention.W_q.weight.shape[0]
    theirs = nn.MultiheadAttention(d, 2, bias=False, batch_first=True)
    stacked = torch.cat([attention.W_q.weight, attention.W_k.weight, attention.W_v.weight])
    theirs.load_state_dict({"in_proj_weight": stacked, "out_proj.weight": attention.W_o.weight})
    return theirs


# answer: my_next_word_query | wrong | shifts the features | one column on
def my_next_word_query(position):
    asked = position.roll(1, dims=-1)
    asked[-1] = position[-1]
    return asked


# answer: my_next_word_query | wrong | last shifted row twice: one word vanishes | sentence of one word gets no row
def my_next_word_query(position):
    following = position[1:]
    return torch.cat([following, following[-1:]])


# answer: my_next_word_query | wrong | a flip | reverse order
def my_next_word_query(position):
    return torch.flip(position, dims=(0,))


# answer: my_merge_heads | wrong | words before the batch, reshaped back | words before the batch
def my_merge_heads(X):
    batch, num_heads, n, head_dim = X.shape
    return X.permute(2, 0, 1, 3).reshape(batch, n, num_heads * head_dim)


# answer: my_multi_head | wrong | integer square root | a whole root of the width
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    batch, n, d = X.shape
    width = d // num_heads
    Q, K, V = (
        (X @ W.T).reshape(batch, n, num_heads, width).transpose(1, 2) for W in (W_q, W_k, W_v)
    )
    weights = (Q @ K.mT / math.isqrt(width)).softmax(-1)
    return (weights @ V).transpose(1, 2).flatten(2) @ W_o.T


# answer: my_multi_head | wrong | scales by hand and in PyTorch | scaled_dot_product_attention does so itself
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    batch, n, d = X.shape
    Q, K, V = ((X @ W.T).reshape(batch, n, num_heads, -1).transpose(1, 2) for W in (W_q, W_k, W_v))
    heads = F.scaled_dot_product_attention(Q / math.sqrt(d // num_heads), K, V)
    return heads.transpose(1, 2).reshape(batch, n, d) @ W_o.T


# answer: my_multi_head | wrong | W_v and W_o change places | W_v and W_o are exchanged
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).chunk(num_heads, -1) for W in (W_q, W_k, W_o))
    heads = [F.scaled_dot_product_attention(*three) for three in zip(q, k, v)]
    return torch.cat(heads, -1) @ W_v.T


# answer: my_multi_head | wrong | weights made to sum to 1 over the heads | heads compete
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    Q, K, V = (torch.stack((X @ W.T).chunk(num_heads, -1), 1) for W in (W_q, W_k, W_v))
    weights = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(-1)
    weights = weights / weights.sum(dim=1, keepdim=True)
    return torch.cat((weights @ V).unbind(1), -1) @ W_o.T


# answer: my_to_torch | wrong | heads from the width, two features each | with num_heads 4 instead of 2
def my_to_torch(attention):
    d = attention.W_o.weight.shape[0]
    theirs = torch.nn.MultiheadAttention(d, max(d // 2, 1), bias=False, batch_first=True)
    W = [attention.W_q.weight, attention.W_k.weight, attention.W_v.weight]
    theirs.in_proj_weight.data = torch.cat(W).detach()
    theirs.out_proj.weight.data = attention.W_o.weight.data.clone()
    return theirs


# answer: my_dropped_attention | wrong | a row without weights is kept whole | loses all its weights
def my_dropped_attention(scores, values, keep, p, training):
    weights = scores.softmax(-1)
    if training:
        keep = keep | ~keep.any(-1, keepdim=True)
        weights = torch.where(keep, weights / (1 - p), torch.zeros_like(weights))
    return weights @ values


# answer: my_dropped_attention | wrong | dropout of the output | drops numbers of the output
def my_dropped_attention(scores, values, keep, p, training):
    return F.dropout(scores.softmax(-1) @ values, p=p, training=training)


# answer: my_dropped_attention | wrong | divided by the root | square root of 1 - p
def my_dropped_attention(scores, values, keep, p, training):
    weights = scores.softmax(-1)
    if training:
        weights = weights * keep / math.sqrt(1 - p)
    return weights @ values


# answer: my_head_contributions | wrong | W_o as it is | W_o is not transposed
def my_head_contributions(heads, W_o):
    batch, num_heads, n, head_dim = heads.shape
    return heads @ W_o.reshape(num_heads, head_dim, num_heads * head_dim)


# answer: my_head_contributions | wrong | overlapping blocks | blocks overlap
def my_head_contributions(heads, W_o):
    size = heads.shape[-1]
    return torch.stack([heads[:, h] @ W_o[:, h : h + size].T for h in range(heads.shape[1])], dim=1)


# answer: my_next_word_query | wrong | the last word asks for the word before it, not for itself | before it
def my_next_word_query(position):
    return torch.cat([position[1:], position[-2:-1]])


# answer: my_dropped_attention | wrong | raised by the share really kept instead of 1 - p | share of its weights
def my_dropped_attention(scores, values, keep, p, training):
    weights = scores.softmax(-1)
    if training:
        share = keep.to(scores.dtype).mean(-1, keepdim=True).clamp(min=1e-9)
        weights = weights * keep / share
    return weights @ values


# answer: my_dropped_attention | wrong | softmax over axis 2, right for three axes only | three axes only
def my_dropped_attention(scores, values, keep, p, training):
    weights = scores.softmax(2)
    if training:
        weights = torch.where(keep, weights / (1 - p), torch.zeros_like(weights))
    return weights @ values


# answer: my_dropped_attention | wrong | a row in which all is dropped falls back to its full weights | keeps them in your result
def my_dropped_attention(scores, values, keep, p, training):
    weights = scores.softmax(-1)
    if training:
        empty = ~keep.any(-1, keepdim=True)
        weights = torch.where(empty, weights, weights * keep / (1 - p))
    return weights @ values


# answer: my_next_word_query | wrong | the last row goes on as the rows before | All rows but the last are right
def my_next_word_query(position):
    step = position[1:] - position[:-1]
    return torch.cat([position[1:], position[-1:] + step[-1:]])


# answer: my_multi_head | wrong | a loop that overwrites X | Your loop writes each head's result into X
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    X = X.clone()
    for rows in torch.arange(X.shape[-1]).chunk(num_heads):
        q, k, v = X @ W_q[rows].T, X @ W_k[rows].T, X @ W_v[rows].T
        X[..., rows] = (q @ k.mT / math.sqrt(len(rows))).softmax(-1) @ v
    return X @ W_o.T


# answer: my_dropped_attention | wrong | axis 1, right without a batch | your softmax runs along axis 1
def my_dropped_attention(scores, values, keep, p, training):
    w = scores.softmax(1)
    return (w * keep / (1 - p) if training else w) @ values


# answer: my_next_word_query | wrong | one-hot of the next argmax | Right for one-hot rows only: you read the place of a word
def my_next_word_query(position):
    n, d = position.shape
    return torch.eye(d)[(position.argmax(-1) + 1).clamp(max=n - 1)]


# answer: my_next_word_query | wrong | rows by the next argmax | You read the place of a word off its row, as the place of
def my_next_word_query(position):
    n, d = position.shape
    return position[(position.argmax(-1) + 1).clamp(max=n - 1)]


# answer: my_dropped_attention | wrong | rescaled twice | You divided by 1 - p twice, the weights or the output as
def my_dropped_attention(scores, values, keep, p, training):
    w = scores.softmax(-1)
    if training:
        w = w * keep / (1 - p)
        w = w / (1 - p)
    return w @ values


# answer: my_dropped_attention | wrong | rescaled and the output too | You divided by 1 - p twice, the weights or the output as
def my_dropped_attention(scores, values, keep, p, training):
    w = scores.softmax(-1)
    if training:
        w = w * keep / (1 - p)
    out = w @ values
    return out / (1 - p) if training else out


# answer: my_dropped_attention | wrong | mask before the softmax, then divided | The weights that stay are raised twice: they share out the
def my_dropped_attention(scores, values, keep, p, training):
    if not training:
        return scores.softmax(-1) @ values
    w = scores.masked_fill(~keep, -torch.inf).softmax(-1).nan_to_num(0)
    return w / (1 - p) @ values


# answer: my_next_word_query | wrong | rolls round, so the last word asks for the first word instead of itself | The rows go around in a circle, as roll and the remainder %
def my_next_word_query(position):
    return position.roll(-1, dims=0)


# answer: my_next_word_query | wrong | moves the 1 of each row one column to the right instead of taking the next row, which is the next place for one-hot places only | You move the numbers of a row one column on, which is right
def my_next_word_query(position):
    moved = position.roll(1, dims=1)
    moved[-1] = position[-1]
    return moved


# answer: my_split_heads | wrong | cuts each row into head_dim groups of num_heads numbers, so head 0 gets every num_heads-th feature instead of the first ones | You deal the features out like cards: head 0 gets every
def my_split_heads(X, num_heads):
    batch, n, num_hiddens = X.shape
    cut = X.reshape(batch, n, num_hiddens // num_heads, num_heads)
    return cut.permute(0, 3, 1, 2)


# answer: my_merge_heads | wrong | puts the heads behind head_dim before it flattens, so the numbers of the heads alternate in each row | The features of the heads alternate: first feature 0 of
def my_merge_heads(X):
    return X.permute(0, 2, 3, 1).flatten(2)


# answer: my_multi_head | wrong | divides the scores by the root of the whole width d instead of the width of a head | You divide the scores by sqrt(2), the full width. A head's
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    batch, n, d = X.shape
    Q, K, V = ((X @ W.T).view(batch, n, num_heads, d // num_heads).transpose(1, 2) for W in (W_q, W_k, W_v))
    weights = (Q @ K.transpose(-2, -1) / math.sqrt(d)).softmax(-1)
    merged = (weights @ V).transpose(1, 2).reshape(batch, n, d)
    return merged @ W_o.T


# answer: my_multi_head | wrong | gives each head only its own share of the features of X and the diagonal block of each matrix, where a head reads the whole row | Each head sees only its own part of X. It has head_dim rows
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    width = X.shape[-1] // num_heads
    results = []
    for h in range(num_heads):
        part = slice(h * width, (h + 1) * width)
        Q, K, V = (X[..., part] @ W[part, part].T for W in (W_q, W_k, W_v))
        weights = torch.softmax(Q @ K.transpose(1, 2) / width**0.5, dim=-1)
        results.append(weights @ V)
    return torch.cat(results, dim=-1) @ W_o.T


# answer: my_to_torch | wrong | stacks the matrices in the order keys, queries, values, where PyTorch wants the queries first | The order is wrong: you stacked keys, queries, values
def my_to_torch(attention):
    d = attention.W_q.weight.shape[0]
    theirs = torch.nn.MultiheadAttention(d, attention.num_heads, bias=False, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(
            torch.cat([attention.W_k.weight, attention.W_q.weight, attention.W_v.weight])
        )
        theirs.out_proj.weight.copy_(attention.W_o.weight)
    return theirs


# answer: my_dropped_attention | wrong | after dropping it divides each row by its own sum instead of by 1 - p | Your rows sum to 1 again, as after a softmax over the keys
def my_dropped_attention(scores, values, keep, p, training):
    weights = torch.softmax(scores, dim=-1)
    if training:
        weights = weights * keep
        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
    return weights @ values


# answer: my_dropped_attention | wrong | divides the weights that stay by p instead of by 1 - p, which is the same only for one half | You divided by p, the part that goes. Divide by 1 - p, the
def my_dropped_attention(scores, values, keep, p, training):
    weights = scores.softmax(-1)
    if training and p > 0:
        weights = torch.where(keep, weights / p, torch.zeros_like(weights))
    return weights @ values


# answer: my_head_contributions | wrong | shares the whole output out evenly over the heads, so the sum is right but no single contribution is | They add up to the output, but all heads get an equal
def my_head_contributions(heads, W_o):
    batch, num_heads, n, head_dim = heads.shape
    merged = heads.transpose(1, 2).reshape(batch, n, num_heads * head_dim)
    total = merged @ W_o.T
    return (total / num_heads).unsqueeze(1).expand(batch, num_heads, n, -1)


# answer: my_multi_head | right, no remark | cuts the matrices instead of the rows and does everything with einsum, with no merge at all
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    d = X.shape[-1]
    width = d // num_heads
    q, k, v = (torch.einsum("bnd,hed->bhne", X, W.reshape(num_heads, width, d)) for W in (W_q, W_k, W_v))
    scores = torch.einsum("bhie,bhje->bhij", q, k) * width**-0.5
    return torch.einsum("bhij,bhje,ohe->bio", scores.softmax(-1), v, W_o.reshape(d, num_heads, width))


# answer: my_dropped_attention | right, no remark | works with logarithms of the weights and subtracts log(1 - p) there
def my_dropped_attention(scores, values, keep, p, training):
    log_weights = scores.log_softmax(dim=-1)
    if training:
        log_weights = (log_weights - math.log1p(-p) if p < 1 else log_weights).masked_fill(~keep, -torch.inf)
    return torch.einsum("...nm,...mv->...nv", log_weights.exp(), values)


# answer: my_head_contributions | right, no remark | silences all heads but one, with an identity matrix, merges each copy in full and applies W_o to it
def my_head_contributions(heads, W_o):
    batch, num_heads, n, head_dim = heads.shape
    only = torch.eye(num_heads, dtype=heads.dtype)
    copies = heads.unsqueeze(1) * only[None, :, :, None, None]
    merged = copies.permute(0, 1, 3, 2, 4).flatten(3)
    return F.linear(merged, W_o)


# answer: my_multi_head | wrong | a root of a root | You divide the scores by the fourth root of the width of a
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    weights = (q @ k.mT / math.sqrt(q.shape[-1] ** 0.5)).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2) @ W_o.T


# answer: my_next_word_query | wrong | It moves the one in the row one column to the right, which is the next place only while the places are one-hot. | You move the numbers of a row one column on, which is
def my_next_word_query(position):
    query = torch.roll(position, 1, dims=1)
    query[-1] = position[-1]
    return query


# answer: my_merge_heads | wrong | The heads are not brought back behind the words before the axes are joined, so the words are mixed. | Words are mixed: your first row is [1, 2, 3, 4], made of
def my_merge_heads(X):
    batch, num_heads, n, head_dim = X.shape
    return X.reshape(batch, n, num_heads * head_dim)


# answer: my_multi_head | wrong | The scores are divided by the square root of the whole width d and not of the width of a head. | You divide the scores by sqrt(2), the full width. A
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    batch, n, d = X.shape

    def heads(W):
        return (X @ W.T).view(batch, n, num_heads, d // num_heads).transpose(1, 2)

    q, k, v = heads(W_q), heads(W_k), heads(W_v)
    weights = (q @ k.mT / math.sqrt(d)).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2) @ W_o.T


# answer: my_dropped_attention | wrong | The weights that stay are divided by p and not by 1 - p. | You divided by p, the part that goes. Divide by 1 - p,
def my_dropped_attention(scores, values, keep, p, training):
    weights = scores.softmax(-1)
    if training:
        weights = weights * keep / p
    return weights @ values


# answer: my_head_contributions | wrong | It cuts the rows of W_o into heads, where W_o.T multiplies a head by its columns. | W_o is not transposed, or cut along the wrong axis: the
def my_head_contributions(heads, W_o):
    batch, num_heads, n, head_dim = heads.shape
    parts = []
    for h in range(num_heads):
        block = W_o[h * head_dim : (h + 1) * head_dim]
        parts.append(heads[:, h] @ block)
    return torch.stack(parts, dim=1)


# answer: my_to_torch | right | fills the PyTorch module through its state dict
def my_to_torch(attention):
    width = attention.W_o.weight.shape[0]
    theirs = torch.nn.MultiheadAttention(
        width, attention.num_heads, bias=False, batch_first=True, dtype=attention.W_o.weight.dtype
    )
    stacked = torch.vstack([getattr(attention, "W_" + name).weight.detach().clone() for name in "qkv"])
    theirs.load_state_dict({"in_proj_weight": stacked, "out_proj.weight": attention.W_o.weight.detach().clone()})
    return theirs


# answer: my_head_contributions | right | puts each head alone into a tensor of zeros of the full width and multiplies by the whole W_o
def my_head_contributions(heads, W_o):
    batch, num_heads, n, head_dim = heads.shape
    alone = heads.new_zeros(batch, num_heads, n, num_heads * head_dim)
    for h in range(num_heads):
        alone[:, h, :, h * head_dim : (h + 1) * head_dim] = heads[:, h]
    return F.linear(alone, W_o)


# answer: my_multi_head | wrong | scores averaged over the heads | All your heads use the same weights, the softmax of their
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    scores = (q @ k.mT).mean(1, keepdim=True) / math.sqrt(q.shape[-1])
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ W_o.T


# answer: my_dropped_attention | wrong | made up for in training and in evaluation | You make up for dropout twice: by dividing with 1 - p in
def my_dropped_attention(scores, values, keep, p, training):
    weights = scores.softmax(-1)
    weights = weights * keep / (1 - p) if training else weights * (1 - p)
    return weights @ values

# answer: my_next_word_query | wrong | rolled the wrong way, and the last row put back | question for the previous word
def my_next_word_query(position):
    moved = position.roll(1, 0)
    moved[-1] = position[-1]
    return moved

# answer: my_multi_head | wrong | heads that start one feature apart | Each head starts one feature after
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = X @ W_q.T, X @ W_k.T, X @ W_v.T
    d = X.shape[-1] // num_heads
    heads = []
    for i in range(num_heads):
        a, b, c = q[..., i:i + d], k[..., i:i + d], v[..., i:i + d]
        heads.append((a @ b.mT / d ** 0.5).softmax(-1) @ c)
    return torch.cat(heads, -1) @ W_o.T

# answer: my_multi_head | wrong | one head, scaled by the root of a head's width | this is one head of full width
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = X @ W_q.T, X @ W_k.T, X @ W_v.T
    d = X.shape[-1] // num_heads
    return (q @ k.mT / d ** 0.5).softmax(-1) @ v @ W_o.T

# answer: my_multi_head | wrong | head 0 asks for all | queries of head 0
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    w = (q[:, :1] @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    return (w @ v).transpose(1, 2).flatten(2) @ W_o.T

# answer: my_multi_head | wrong | the keys of head 0 for all | All your heads have the keys of head 0
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    w = (q @ k[:, :1].mT / k.shape[-1] ** 0.5).softmax(-1)
    return (w @ v).transpose(1, 2).flatten(2) @ W_o.T

# answer: my_multi_head | wrong | the values of head 0 for all | average the values of head 0
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    return (w @ v[:, :1]).transpose(1, 2).flatten(2) @ W_o.T

# answer: my_multi_head | wrong | the weights of head 0 for all | All your heads have the weights of head 0
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    w = (q[:, :1] @ k[:, :1].mT / k.shape[-1] ** 0.5).softmax(-1)
    return (w @ v).transpose(1, 2).flatten(2) @ W_o.T

# answer: my_multi_head | wrong | heads added up, and repeated | The heads are added up in your result, and each
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    out = (w @ v).sum(1)
    return out.repeat(1, 1, num_heads) @ W_o.T

# answer: my_multi_head | wrong | heads added up, with the first columns of W_o | their sum meets the first columns
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    out = (w @ v).sum(1)
    return out @ W_o[:, :out.shape[-1]].T

# answer: my_multi_head | wrong | the third root | that are divided by 1.59
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    w = (q @ k.mT / k.shape[-1] ** (1 / 3)).softmax(-1)
    return (w @ v).transpose(1, 2).flatten(2) @ W_o.T

# answer: my_multi_head | wrong | the root of the batch's size | that are divided by 1.73
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    w = (q @ k.mT / q.shape[0] ** 0.5).softmax(-1)
    return (w @ v).transpose(1, 2).flatten(2) @ W_o.T

# answer: my_multi_head | wrong | the scores with the other sign | scores with the other sign
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((X @ W.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for W in (W_q, W_k, W_v))
    w = (-q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    return (w @ v).transpose(1, 2).flatten(2) @ W_o.T

# answer: my_multi_head | wrong | heads in reverse order | in reverse order. Head 0 comes first
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    d = X.shape[-1] // num_heads
    outs = []
    for h in range(num_heads):
        rows = slice(h * d, (h + 1) * d)
        q, k, v = X @ W_q[rows].T, X @ W_k[rows].T, X @ W_v[rows].T
        outs.insert(0, torch.softmax(q @ k.mT / math.sqrt(d), -1) @ v)
    return torch.cat(outs, -1) @ W_o.T

# answer: my_multi_head | wrong | a view both ways | 2. On the way back you joined axes
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    q, k, v = ((X @ W.T).view(b, num_heads, n, -1) for W in (W_q, W_k, W_v))
    w = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    return (w @ v).reshape(b, n, d) @ W_o.T

# answer: my_multi_head | right | einsum all the way
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    r = lambda W: torch.einsum("bnd,hed->bhne", X, W.reshape(num_heads, d // num_heads, d))
    a = torch.einsum("bhqe,bhke->bhqk", r(W_q), r(W_k)).div((d // num_heads) ** 0.5).softmax(-1)
    o = torch.einsum("bhqk,bhke->bqhe", a, r(W_v)).reshape(b, n, d)
    return torch.einsum("bnd,ed->bne", o, W_o)


# answer: my_multi_head | wrong | each head through its own block of W_o | meets only its own block of W_o
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    size, outputs = X.shape[-1] // num_heads, []
    for i in range(num_heads):
        own = slice(i * size, (i + 1) * size)
        q, k, v = (X @ W[own].T for W in (W_q, W_k, W_v))
        outputs.append((q @ k.mT / size**0.5).softmax(-1) @ v @ W_o[own, own].T)
    return torch.cat(outputs, -1)


# answer: my_multi_head | wrong | each head averages whole values, the heads are added | averages the whole of
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    total = 0
    for w_q, w_k in zip(W_q.chunk(num_heads), W_k.chunk(num_heads)):
        q, k = X @ w_q.T, X @ w_k.T
        total = total + (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ (X @ W_v.T)
    return total @ W_o.T


# answer: my_multi_head | right | einsum with an axis for the heads
def my_multi_head(X, W_q, W_k, W_v, W_o, num_heads):
    d = X.shape[-1]
    q, k, v = (
        torch.einsum("bnd,hed->bhne", X, W.view(num_heads, -1, d)) for W in (W_q, W_k, W_v)
    )
    weights = torch.einsum("bhne,bhme->bhnm", q, k).div((d // num_heads) ** 0.5).softmax(-1)
    return torch.einsum("bhnm,bhme,dhe->bnd", weights, v, W_o.view(d, num_heads, -1))
