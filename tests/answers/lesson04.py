"""Right and wrong answers to lesson 04's exercises, as learners write them."""

import math

import torch
import torch.nn.functional as F
from torch import nn

RIGHT = {}
WRONG = {}


# 4.1 my_next_word_query


def next_index(position):
    n = position.shape[0]
    places = [i + 1 for i in range(n - 1)] + [n - 1]
    return position[places]


def next_loop(position):
    rows = []
    for i in range(len(position)):
        if i == len(position) - 1:
            rows.append(position[i])
        else:
            rows.append(position[i + 1])
    return torch.stack(rows)


def next_matrix(position):
    n = len(position)
    step = torch.diag(torch.ones(n - 1, dtype=position.dtype), 1)
    step[n - 1, n - 1] = 1
    return step @ position


def next_circle(position):
    n = len(position)
    return position[[(i + 1) % n for i in range(n)]]


def next_previous(position):
    rows = [position[0]]
    for i in range(1, len(position)):
        rows.append(position[i - 1])
    return torch.stack(rows)


def next_negative_index(position):
    return torch.stack([position[i - 1] for i in range(len(position))])


def next_zeros(position):
    result = 0 * position
    result[:-1] = position[1:]
    return result


def next_too_short(position):
    return torch.stack([position[i] for i in range(1, len(position))] or [position[0]])[
        : len(position) - 1
    ]


def next_six(position):
    return position[torch.tensor([1, 2, 3, 4, 5, 5])]


def next_columns(position):
    return torch.roll(position, shifts=1, dims=-1)


def next_numbers(position):
    n = len(position)
    return torch.tensor([min(i + 1, n - 1) for i in range(n)])


def next_two(position):
    n = len(position)
    return position[torch.clamp(torch.arange(n) + 2, max=n - 1)]


def next_same(position):
    return torch.stack(list(position))


def next_detached(position):
    return torch.tensor(position[1:].tolist() + position[-1:].tolist(), dtype=position.dtype)


def next_in_place(position):
    position[:-1] = position[1:].clone()
    return position


RIGHT["my_next_word_query"] = [next_index, next_loop, next_matrix]
WRONG["my_next_word_query"] = [
    (next_circle, "The last word asks for the place of the first"),
    (next_previous, "still the question for the previous word"),
    (next_negative_index, "the first word asks for the last"),
    (next_zeros, "weights spread over the whole sentence"),
    (next_too_short, "2 questions for 3 words"),
    (next_six, "Right for six words"),
    (next_columns, "You moved the columns. One-hot rows hide this"),
    (next_numbers, "the numbers of the right places"),
    (next_two, "Your rows moved by two: the first word asks for the third"),
    (next_same, "asks for its own place"),
    (next_detached, "no gradient"),
    (next_in_place, "writes into its input"),
]


# 4.2 my_split_heads, my_merge_heads


def split_view(X, num_heads):
    b, n, d = X.size()
    X = X.view(b, n, num_heads, d // num_heads)
    return X.permute(0, 2, 1, 3)


def split_loop(X, num_heads):
    size = X.shape[-1] // num_heads
    heads = []
    for h in range(num_heads):
        heads.append(X[:, :, h * size : (h + 1) * size])
    return torch.stack(heads, dim=1)


def split_chunks(X, num_heads):
    return torch.cat([part[:, None] for part in torch.chunk(X, num_heads, dim=2)], dim=1)


def split_one_view(X, num_heads):
    b, n, d = X.shape
    return X.view(b, num_heads, n, d // num_heads)


def split_not_moved(X, num_heads):
    b, n, d = X.shape
    return X.view(b, n, num_heads, d // num_heads)


def split_strided(X, num_heads):
    return torch.stack([X[:, :, h::num_heads] for h in range(num_heads)], dim=1)


def split_size(X, num_heads):
    b, n, d = X.shape
    return X.view(b, n, d // num_heads, num_heads).permute(0, 2, 1, 3)


def split_stack_in_front(X, num_heads):
    size = X.shape[-1] // num_heads
    return torch.stack([X[..., h * size : (h + 1) * size] for h in range(num_heads)])


def split_book(X, num_heads):
    X = X.reshape(X.shape[0], X.shape[1], num_heads, -1)
    X = X.permute(0, 2, 1, 3)
    return X.reshape(-1, X.shape[2], X.shape[3])


def split_folded_heads_first(X, num_heads):
    parts = torch.split(X, X.shape[2] // num_heads, dim=2)
    return torch.cat(parts, dim=0)


def split_turned(X, num_heads):
    b, n, d = X.shape
    return X.transpose(1, 2).reshape(b, num_heads, d // num_heads, n)


def split_two(X, num_heads):
    b, n, d = X.shape
    return X.view(b, n, 2, d // 2).transpose(1, 2)


def split_batch(X, num_heads):
    b, n, d = X.shape
    return X.view(b, n, num_heads, d // num_heads).permute(2, 1, 0, 3)


def split_copies(X, num_heads):
    return torch.stack([X for _ in range(num_heads)], dim=1)


RIGHT["my_split_heads"] = [split_view, split_loop, split_chunks]
WRONG["my_split_heads"] = [
    (split_one_view, "a view alone keeps the line of numbers"),
    (split_not_moved, "The heads must come before the words"),
    (split_strided, "like cards"),
    (split_size, "num_heads is the number of pieces, not their size"),
    (split_stack_in_front, "they stand before the batch"),
    (split_book, "as the book does it"),
    (split_folded_heads_first, "all sentences of head 0 first"),
    (split_turned, "exchanged inside each head"),
    (split_two, "always 2"),
    (split_batch, "swapped the heads with the batch"),
    (split_copies, "a copy of all features"),
]


def merge_permute(X):
    b, h, n, d = X.shape
    return X.permute(0, 2, 1, 3).contiguous().view(b, n, h * d)


def merge_cat(X):
    return torch.cat([X[:, h] for h in range(X.shape[1])], dim=-1)


def merge_slow(X):
    sentences = []
    for sentence in X:
        rows = [torch.cat(list(sentence[:, i])) for i in range(X.shape[2])]
        sentences.append(torch.stack(rows))
    return torch.stack(sentences)


def merge_no_transpose(X):
    b, h, n, d = X.shape
    return X.view(b, n, h * d)


def merge_bad_view(X):
    b, h, n, d = X.shape
    X = X.permute(0, 2, 1, 3)
    return X.view(b, n, h * d)


def merge_unfinished(X):
    return X.permute(0, 2, 1, 3)


def merge_under_each_other(X):
    return torch.cat([X[:, h] for h in range(X.shape[1])], dim=1)


def merge_interleaved(X):
    b, h, n, d = X.shape
    return X.permute(0, 2, 3, 1).reshape(b, n, h * d)


def merge_sum(X):
    total = 0
    for h in range(X.shape[1]):
        total = total + X[:, h]
    return total


def merge_mean(X):
    return sum(X[:, h] for h in range(X.shape[1])) / X.shape[1]


def merge_overwrites(X):
    for h in range(X.shape[1]):
        result = X[:, h]
    return result


def merge_two(X):
    first, second = X[:, 0], X[:, 1]
    return torch.cat((first, second), dim=2)


def merge_words_first(X):
    b, h, n, d = X.shape
    return X.permute(2, 0, 1, 3).reshape(n, b, h * d)


def merge_batch(X):
    return X.reshape(-1, X.shape[2], X.shape[3])


RIGHT["my_merge_heads"] = [merge_permute, merge_cat, merge_slow]
WRONG["my_merge_heads"] = [
    (merge_no_transpose, "The shape is right, but words are mixed"),
    (merge_bad_view, "a view cannot join such axes"),
    (merge_unfinished, "Join the last two axes"),
    (merge_under_each_other, "You joined heads and words: 4 rows instead of 2"),
    (merge_interleaved, "The features of the heads alternate"),
    (merge_sum, "You added the heads up"),
    (merge_mean, "the mean over heads"),
    (merge_overwrites, "Only the last head is left"),
    (merge_two, "Right for two heads, and only for two"),
    (merge_words_first, "The batch stays first"),
    (merge_batch, "joined the batch with the heads"),
]


# 4.3 my_multi_head


def multi_loop(X, W_q, W_k, W_v, W_o, num_heads):
    size = X.shape[-1] // num_heads
    found = []
    for h in range(num_heads):
        rows = slice(h * size, (h + 1) * size)
        q = X @ W_q[rows].T
        k = X @ W_k[rows].T
        v = X @ W_v[rows].T
        scores = torch.bmm(q, k.transpose(1, 2)) / size**0.5
        found.append(torch.bmm(torch.softmax(scores, dim=-1), v))
    return torch.cat(found, dim=-1) @ W_o.T


def multi_einsum(X, W_q, W_k, W_v, W_o, num_heads):
    d = X.shape[-1]
    q, k, v = (W.reshape(num_heads, d // num_heads, d) for W in (W_q, W_k, W_v))
    q, k, v = (torch.einsum("bnd,hed->bhne", X, W) for W in (q, k, v))
    weights = torch.einsum("bhie,bhje->bhij", q, k).div(math.sqrt(d // num_heads)).softmax(-1)
    heads = torch.einsum("bhij,bhje->bihe", weights, v)
    return heads.reshape(X.shape) @ W_o.T


def multi_torch(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    q, k, v = (F.linear(X, W).view(b, n, num_heads, -1).transpose(1, 2) for W in (W_q, W_k, W_v))
    heads = F.scaled_dot_product_attention(q, k, v)
    return F.linear(heads.transpose(1, 2).reshape(b, n, d), W_o)


def multi_each_key(X, W_q, W_k, W_v, W_o, num_heads):
    n, d = X.shape[1:]
    size = d // num_heads
    Q, K, V = X @ W_q.T, X @ W_k.T, X @ W_v.T
    output = torch.zeros_like(X)
    for h in range(num_heads):
        part = slice(h * size, (h + 1) * size)
        for i in range(n):
            scores = (Q[:, i : i + 1, part] * K[:, :, part]).sum(-1) / math.sqrt(size)
            weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)
            for j in range(n):
                output[:, i, part] += weights[:, j : j + 1] * V[:, j, part]
    return output @ W_o.T


def _like_the_loop(scale="head", axis=-1, out=True, transpose=True, block=None):
    def multi(X, W_q, W_k, W_v, W_o, num_heads):
        size = X.shape[-1] // num_heads
        found = []
        for h in range(num_heads):
            start = (h if block is None else block) * size
            if transpose:
                q, k, v = (X @ W[start : start + size].T for W in (W_q, W_k, W_v))
            else:
                q, k, v = (X @ W[:, start : start + size] for W in (W_q, W_k, W_v))
            scores = q @ k.mT
            scores = (
                scores
                / {"head": size, "full": size * num_heads, "none": 1, "no root": size**2}[scale]
                ** 0.5
            )
            found.append(scores.softmax(axis) @ v)
        result = torch.cat(found, -1)
        return result @ (W_o.T if transpose else W_o) if out else result

    return multi


def _in_four_axes(apart=False, together=False, axis=-1, mean=False, swap=False):
    def multi(X, W_q, W_k, W_v, W_o, num_heads):
        b, n, d = X.shape
        heads = []
        for W in (W_q, W_k, W_v):
            projected = X @ W.T
            if apart:
                heads.append(projected.reshape(b, num_heads, n, d // num_heads))
            else:
                heads.append(projected.reshape(b, n, num_heads, -1).permute(0, 2, 1, 3))
        q, k, v = heads
        if swap:
            q, k = k, q
        weights = torch.softmax(q @ k.permute(0, 1, 3, 2) / (d / num_heads) ** 0.5, dim=axis)
        if mean:
            weights = weights.sum(1, keepdim=True) / num_heads
        result = weights @ v
        if not together:
            result = result.permute(0, 2, 1, 3)
        return result.reshape(b, n, d) @ W_o.T

    return multi


def multi_one_head(X, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = X @ W_q.T, X @ W_k.T, X @ W_v.T
    weights = (q @ k.transpose(1, 2) / math.sqrt(X.shape[-1])).softmax(-1)
    return weights @ v @ W_o.T


def multi_plain_matmul(X, W_q, W_k, W_v, W_o, num_heads):
    b, n, d = X.shape
    q, k, v = ((X @ W).view(b, n, num_heads, -1).transpose(1, 2) for W in (W_q, W_k, W_v))
    heads = F.scaled_dot_product_attention(q, k, v)
    return heads.transpose(1, 2).reshape(b, n, d) @ W_o.T


def multi_across(X, W_q, W_k, W_v, W_o, num_heads):
    layer = nn.MultiheadAttention(X.shape[-1], num_heads, bias=False)  # without batch_first
    layer.in_proj_weight.data = torch.cat([W_q, W_k, W_v])
    layer.out_proj.weight.data = W_o
    return layer(X, X, X)[0]


def multi_keys_as_values(X, W_q, W_k, W_v, W_o, num_heads):
    return multi_loop(X, W_q, W_k, W_k, W_o, num_heads)


RIGHT["my_multi_head"] = [multi_loop, multi_einsum, multi_torch, multi_each_key]
WRONG["my_multi_head"] = [
    (_like_the_loop(scale="full"), "divide the scores by sqrt(2), the full width"),
    (_like_the_loop(scale="none"), "not scaled"),
    (_like_the_loop(scale="no root"), "Divide by its square root"),
    (_like_the_loop(axis=1), "The softmax runs over the queries"),
    (_like_the_loop(out=False), "W_o makes no difference"),
    (_like_the_loop(transpose=False), "None of your matrices is transposed"),
    (_like_the_loop(block=0), "All your heads are head 0"),
    (_in_four_axes(apart=True, together=True), "your view mixes words, apart and together"),
    (_in_four_axes(apart=True), "The way into the heads mixes words"),
    (_in_four_axes(together=True), "On the way back you joined axes"),
    (_in_four_axes(axis=1), "runs over the heads"),
    (_in_four_axes(mean=True), "All your heads use the same weights"),
    (_in_four_axes(swap=True), "Queries and keys are exchanged"),
    (multi_one_head, "num_heads makes no difference"),
    (multi_plain_matmul, "W_q, W_k and W_v are not transposed"),
    (multi_across, "batch and words are mixed"),
    (multi_keys_as_values, "W_v makes no difference"),
]


# 4.4 my_to_torch


def torch_copy(attention):
    d = attention.W_q.weight.shape[0]
    layer = nn.MultiheadAttention(d, attention.num_heads, bias=False, batch_first=True)
    with torch.no_grad():
        for i, name in enumerate(["W_q", "W_k", "W_v"]):
            layer.in_proj_weight[i * d : (i + 1) * d] = getattr(attention, name).weight
        layer.out_proj.weight[:] = attention.W_o.weight
    return layer


def torch_parameters(attention):
    d = attention.W_q.in_features
    layer = nn.MultiheadAttention(d, attention.num_heads, batch_first=True)  # biases are 0
    stacked = torch.vstack([attention.W_q.weight, attention.W_k.weight, attention.W_v.weight])
    layer.in_proj_weight = nn.Parameter(stacked.detach())
    layer.out_proj.weight = attention.W_o.weight
    return layer


def torch_state_dict(attention):
    own = attention.state_dict()
    d = len(own["W_o.weight"])
    layer = nn.MultiheadAttention(d, attention.num_heads, 0.0, False, batch_first=True)
    names = ("W_q.weight", "W_k.weight", "W_v.weight")
    stacked = torch.cat([own[name] for name in names])
    layer.load_state_dict({"in_proj_weight": stacked, "out_proj.weight": own["W_o.weight"]})
    return layer


def torch_same(attention):
    return attention


def torch_called(attention):
    X = torch.ones(1, 2, attention.W_q.in_features)
    return torch_copy(attention)(X, X, X)[0].detach()


def torch_called_tuple(attention):
    X = torch.ones(1, 2, attention.W_q.in_features)
    return torch_copy(attention)(X, X, X)


def torch_weights(attention):
    return {"in_proj_weight": attention.W_q.weight}


def _torch_filled(stacked, out, num_heads=None, **options):
    def to_torch(attention):
        d = attention.W_o.weight.shape[0]
        layer = nn.MultiheadAttention(d, num_heads or attention.num_heads, **options)
        W = [attention.W_q.weight, attention.W_k.weight, attention.W_v.weight]
        if stacked is not None:
            layer.in_proj_weight.data.copy_(stacked(*W))
        if out is not None:
            layer.out_proj.weight.data.copy_(out(attention.W_o.weight))
        return layer

    return to_torch


def _stack(*matrices):
    return torch.vstack(matrices)


def _same(W):
    return W


_OPTIONS = {"bias": False, "batch_first": True}


def torch_no_copy(attention):
    return nn.MultiheadAttention(
        attention.W_o.in_features, attention.num_heads, bias=False, batch_first=True
    )


def torch_size_six(attention):
    layer = nn.MultiheadAttention(6, attention.num_heads, bias=False, batch_first=True)
    layer.in_proj_weight.data = torch.cat(
        [attention.W_q.weight, attention.W_k.weight, attention.W_v.weight]
    )
    layer.out_proj.weight.data = attention.W_o.weight
    return layer


def torch_no_no_grad(attention):
    layer = torch_no_copy(attention)
    layer.out_proj.weight.copy_(attention.W_o.weight)
    return layer


RIGHT["my_to_torch"] = [torch_copy, torch_parameters, torch_state_dict]
WRONG["my_to_torch"] = [
    (torch_same, "What came back is a MultiHeadAttention, the class of this course"),
    (torch_called, "What came back is a tensor of shape (1, 2, 2)"),
    (torch_called_tuple, "What came back is a tuple"),
    (torch_weights, "What came back is a dict"),
    (
        _torch_filled(_stack, _same, bias=False),
        "the module takes 1 sentence of 2 words for 2 sentences",
    ),
    (
        _torch_filled(lambda q, k, v: _stack(k, q, v), _same, **_OPTIONS),
        "you stacked keys, queries, values",
    ),
    (
        _torch_filled(lambda q, k, v: _stack(v, k, q), _same, **_OPTIONS),
        "you stacked values, keys, queries",
    ),
    (
        _torch_filled(lambda q, k, v: _stack(q.T, k.T, v.T), lambda W: W.T, **_OPTIONS),
        "You transposed all matrices",
    ),
    (_torch_filled(_stack, lambda W: W.T, **_OPTIONS), "You transposed W_o"),
    (
        _torch_filled(lambda q, k, v: torch.hstack([q, k, v]).view(-1, len(q)), _same, **_OPTIONS),
        "The rows of the three matrices alternate",
    ),
    (_torch_filled(_stack, _same, num_heads=1, **_OPTIONS), "Your module has one head"),
    (_torch_filled(_stack, None, batch_first=True), "W_o was not copied"),
    (_torch_filled(None, _same, **_OPTIONS), "W_q, W_k and W_v were not copied"),
    (_torch_filled(None, _same, batch_first=True), "your module has biases"),
    (torch_no_copy, "nothing was copied"),
    (torch_no_no_grad, "a leaf Variable that requires grad"),
    (torch_size_six, "the nn.MultiheadAttention that came back cannot be run on X"),
]


# 4.7 my_head_contributions


def contributions_loop(heads, W_o):
    size = heads.shape[-1]
    parts = []
    for h in range(heads.shape[1]):
        parts.append(heads[:, h] @ W_o[:, h * size : (h + 1) * size].T)
    return torch.stack(parts, dim=1)


def contributions_einsum(heads, W_o):
    h, e = heads.shape[1], heads.shape[3]
    return torch.einsum("bhne,dhe->bhnd", heads, W_o.reshape(-1, h, e))


def contributions_silenced(heads, W_o):
    b, num_heads, n = heads.shape[:3]
    result = []
    for h in range(num_heads):
        alone = torch.zeros_like(heads)
        alone[:, h] = heads[:, h]
        result.append(alone.transpose(1, 2).reshape(b, n, -1) @ W_o.T)
    return torch.stack(result, 1)


def _merged(heads):
    return torch.cat(list(heads.unbind(1)), dim=-1)


def contributions_rows(heads, W_o):
    size = heads.shape[-1]
    parts = [heads[:, h] @ W_o[h * size : (h + 1) * size] for h in range(heads.shape[1])]
    return torch.stack(parts, dim=1)


def contributions_cut_output(heads, W_o):
    output = _merged(heads) @ W_o.T
    return torch.stack(output.chunk(heads.shape[1], dim=-1), dim=1)


def contributions_own_part(heads, W_o):
    output = _merged(heads) @ W_o.T
    size = heads.shape[-1]
    result = torch.zeros(*heads.shape[:3], output.shape[-1])
    for h in range(heads.shape[1]):
        result[:, h, :, h * size : (h + 1) * size] = output[..., h * size : (h + 1) * size]
    return result


def contributions_equal(heads, W_o):
    output = _merged(heads) @ W_o.T
    return torch.stack([output / heads.shape[1]] * heads.shape[1], dim=1)


def contributions_all(heads, W_o):
    return torch.stack([_merged(heads) @ W_o.T] * heads.shape[1], dim=1)


def contributions_summed(heads, W_o):
    total = 0
    for h, block in enumerate(W_o.chunk(heads.shape[1], dim=1)):
        total = total + heads[:, h] @ block.T
    return total


def contributions_first_block(heads, W_o):
    block = W_o[:, : heads.shape[-1]]
    return torch.stack([heads[:, h] @ block.T for h in range(heads.shape[1])], dim=1)


def contributions_stacked_in_front(heads, W_o):
    blocks = W_o.chunk(heads.shape[1], dim=1)
    return torch.stack([heads[:, h] @ blocks[h].T for h in range(heads.shape[1])])


def contributions_words_first(heads, W_o):
    blocks = W_o.chunk(heads.shape[1], dim=1)
    return torch.stack([heads[:, h] @ blocks[h].T for h in range(heads.shape[1])], dim=2)


def contributions_side_by_side(heads, W_o):
    blocks = W_o.chunk(heads.shape[1], dim=1)
    return torch.cat([heads[:, h] @ blocks[h].T for h in range(heads.shape[1])], dim=-1)


def contributions_strided(heads, W_o):
    num_heads = heads.shape[1]
    return torch.stack([heads[:, h] @ W_o[:, h::num_heads].T for h in range(num_heads)], dim=1)


def contributions_no_matrix(heads, W_o):
    size = heads.shape[-1]
    result = torch.zeros(*heads.shape[:3], len(W_o))
    for h in range(heads.shape[1]):
        result[:, h, :, h * size : (h + 1) * size] = heads[:, h]
    return result


RIGHT["my_head_contributions"] = [
    contributions_loop,
    contributions_einsum,
    contributions_silenced,
]
WRONG["my_head_contributions"] = [
    (contributions_rows, "Each head meets a block of rows"),
    (contributions_cut_output, "You cut the finished output: each piece has"),
    (contributions_own_part, "but you cut the finished output into pieces"),
    (contributions_equal, "all heads get an equal share"),
    (contributions_all, "2 times too large"),
    (contributions_summed, "the sum over heads already"),
    (contributions_first_block, "All heads meet the first columns"),
    (contributions_stacked_in_front, "the heads come before the batch"),
    (contributions_words_first, "the heads come after the words"),
    (contributions_side_by_side, "you put the contributions side by side"),
    (contributions_strided, "every num_heads-th column"),
    (contributions_no_matrix, "W_o makes no difference"),
]
