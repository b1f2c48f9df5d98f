"""Right and wrong answers to lesson 02's exercises, as learners write them."""

import math

import torch
from torch.nn import functional as F

RIGHT = {}
WRONG = {}


# 2.1 my_weights


def weights_functional(scores):
    return F.softmax(scores, dim=len(scores.shape) - 1)


def weights_by_hand(scores):
    top = scores.max(dim=-1, keepdim=True).values
    raw = torch.exp(scores - top)
    return raw / torch.sum(raw, dim=-1, keepdim=True)


def weights_rows(scores):
    flat = scores.reshape(-1, scores.shape[-1])
    rows = []
    for row in flat:
        rows.append(row.softmax(0))
    return torch.stack(rows).reshape(scores.shape)


def weights_colleague(scores):
    return F.softmax(scores, 1)


def weights_batch_only(scores):
    last = 2  # batch, queries, keys
    return torch.softmax(scores, dim=last)


def weights_over_queries(scores):
    return scores.transpose(-1, -2).softmax(-1).transpose(-1, -2)


def weights_axis_zero(scores):
    e = torch.exp(scores - scores.max(0).values)
    return e / e.sum(0)


def weights_no_axis(scores):
    return F.softmax(scores)


def weights_all_together(scores):
    return torch.softmax(scores.reshape(-1), 0).reshape(scores.shape)


def weights_table(scores):
    top = scores.amax((-2, -1), keepdim=True)
    e = (scores - top).exp()
    return e / e.sum((-2, -1), keepdim=True)


def weights_exponentials(scores):
    return math.e**scores


def weights_shares(scores):
    total = scores.sum(dim=-1)
    return scores / total.unsqueeze(-1)


def weights_overflow(scores):
    exponentials = torch.exp(scores)
    total = exponentials.sum(dim=-1)
    return exponentials / total[..., None]


def weights_one_maximum(scores):
    exponentials = torch.exp(scores - torch.max(scores))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def weights_no_keepdim(scores):
    exponentials = torch.exp(scores - scores.amax(-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1)


def weights_logarithm(scores):
    return scores - scores.logsumexp(-1, keepdim=True)


def weights_twice(scores):
    for _ in range(2):
        scores = torch.softmax(scores, -1)
    return scores


def weights_scaled(scores):
    d = scores.size(-1)
    return torch.softmax(scores * d**-0.5, dim=-1)


def weights_minus(scores):
    return F.softmin(scores, dim=-1)


RIGHT["my_weights"] = [weights_functional, weights_by_hand, weights_rows]
WRONG["my_weights"] = [
    (weights_colleague, "still the colleague's axis"),
    (weights_batch_only, "there is no axis 2"),
    (weights_over_queries, "the rows do not (the first one to 1.73)"),
    (weights_axis_zero, "Axis 0 is the first one"),
    (weights_no_axis, "PyTorch picked one itself"),
    (weights_all_together, "the whole tensor together"),
    (weights_table, "In each table all weights"),
    (weights_exponentials, "not yet divided by their sum"),
    (weights_shares, "divided the scores by their sum"),
    (weights_overflow, "exp(1000) is infinite"),
    (weights_one_maximum, "the maximum of the *whole* tensor"),
    (weights_no_keepdim, "The sum lost its axis"),
    (weights_logarithm, "the logarithms of the weights"),
    (weights_twice, "softmax twice"),
    (weights_scaled, "root of the number of keys"),
    (weights_minus, "a minus sign too many"),
]


# 2.2 my_bilinear_scores


def bilinear_einsum(queries, keys, W):
    return torch.einsum("...qi,ij,...kj->...qk", queries, W, keys)


def bilinear_keys_first(queries, keys, W):
    asked = F.linear(keys, W)  # what each key is worth to each query feature
    return torch.matmul(queries, asked.mT)


def bilinear_loop(queries, keys, W):
    total = 0
    for i in range(W.shape[0]):
        for j in range(W.shape[1]):
            total = total + W[i, j] * queries[..., :, None, i] * keys[..., None, :, j]
    return total


def bilinear_linear(queries, keys, W):
    return F.linear(queries, W) @ keys.transpose(-1, -2)


def bilinear_flipped(queries, keys, W):
    return keys @ W.transpose(0, 1) @ queries.transpose(-2, -1)


def bilinear_reshape(queries, keys, W):
    *leading, n, size = keys.shape
    return torch.matmul(queries @ W, keys.reshape((*leading, size, n)))


def bilinear_capital_t(queries, keys, W):
    axes = torch.arange(keys.ndim - 1, -1, -1)
    return queries @ W @ keys.permute(*axes)  # what keys.T does


def bilinear_front(queries, keys, W):
    return torch.bmm(queries @ W, keys.transpose(1, 2))


def bilinear_bmm(queries, keys, W):
    return torch.bmm(queries @ W, keys.mT)


def bilinear_two_axes(queries, keys, W):
    return torch.einsum("qi,ij,kj->qk", queries, W, keys)


def bilinear_all_examples(queries, keys, W):
    projected = queries @ W
    flat = keys.reshape(-1, keys.shape[-1])
    scores = projected @ flat.T
    return scores.reshape(projected.shape[:-1] + keys.shape[:-1])


def bilinear_not_transposed(queries, keys, W):
    return torch.matmul(torch.matmul(queries, W), keys)


def bilinear_same_number(queries, keys, W):
    return torch.sum(torch.matmul(queries, W) * keys, dim=-1)


def bilinear_without_w(queries, keys, W):
    return torch.einsum("...qi,...ki->...qk", queries, keys)


def bilinear_scaled(queries, keys, W):
    d = queries.size(-1)
    return queries @ W @ keys.mT / d**0.5


def bilinear_scaled_by_keys(queries, keys, W):
    d = keys.size(-1)
    return queries @ W @ keys.mT / d**0.5


def bilinear_weights(queries, keys, W):
    return F.softmax(queries @ W @ keys.mT, dim=-1)


def bilinear_diagonal(queries, keys, W):
    return (queries * torch.diag(W)) @ keys.mT


RIGHT["my_bilinear_scores"] = [bilinear_einsum, bilinear_keys_first, bilinear_loop]
WRONG["my_bilinear_scores"] = [
    (bilinear_linear, "W stands the other way round"),
    (bilinear_flipped, "your scores have the shape (2, 1)"),
    (bilinear_reshape, "mixes the numbers of several keys"),
    (bilinear_capital_t, ".T reverses *all* axes"),
    (bilinear_front, "axes 1 and 2 are not the last two"),
    (bilinear_bmm, "torch.bmm wants three axes"),
    (bilinear_two_axes, "allow two axes only"),
    (bilinear_all_examples, "the keys of *all* examples"),
    (bilinear_not_transposed, "The keys are not transposed"),
    (bilinear_same_number, "only the key with the same number"),
    (bilinear_without_w, "W makes no difference"),
    (bilinear_scaled, "root of the query's size"),
    (bilinear_scaled_by_keys, "root of the key's size"),
    (bilinear_weights, "before the softmax"),
    (bilinear_diagonal, "Only the diagonal of W counts"),
]


# 2.3 my_distance_scores


def distance_plain(queries, keys):
    q2 = (queries**2).sum(dim=-1)[..., :, None]
    k2 = (keys**2).sum(dim=-1)[..., None, :]
    return -(q2 + k2 - 2 * queries @ keys.mT) / 2


def distance_centered(queries, keys):
    middle = keys.mean(dim=-2, keepdim=True)
    return distance_plain(queries - middle, keys - middle)


def distance_by_feature(queries, keys):
    total = 0
    for i in range(queries.shape[-1]):
        total = total + (queries[..., :, None, i] - keys[..., None, :, i]) ** 2
    return total * -0.5


def distance_by_query(queries, keys):
    rows = []
    for i in range(queries.shape[-2]):
        difference = queries[..., i : i + 1, :] - keys
        rows.append(-0.5 * (difference * difference).sum(-1))
    return torch.stack(rows, dim=-2)


def distance_widened(queries, keys):
    """One product of vectors that carry their norms along."""
    one_q, one_k = torch.ones_like(queries[..., :1]), torch.ones_like(keys[..., :1])
    q2 = queries.pow(2).sum(-1, keepdim=True)
    k2 = keys.pow(2).sum(-1, keepdim=True)
    left = torch.cat([queries, -q2 / 2, -one_q / 2], dim=-1)
    return left @ torch.cat([keys, one_k, k2], dim=-1).mT


def distance_all_pairs(queries, keys):
    difference = queries[..., :, None, :] - keys[..., None, :, :]
    return -(difference**2).sum(-1) / 2


def distance_section_1(queries, keys):
    differences = queries.unsqueeze(1) - keys.unsqueeze(0)
    return -differences.square().sum(-1) / 2


def distance_one_batch(queries, keys):
    differences = queries.unsqueeze(2) - keys.unsqueeze(1)
    return -differences.square().sum(-1) / 2


def distance_no_half(queries, keys):
    q2, k2 = queries.pow(2).sum(-1), keys.pow(2).sum(-1)
    return 2 * queries @ keys.mT - q2[..., None] - k2[..., None, :]


def distance_pairs_no_half(queries, keys):
    difference = queries[..., :, None, :] - keys[..., None, :, :]
    return -(difference**2).sum(-1)


def distance_positive(queries, keys):
    q2, k2 = queries.pow(2).sum(-1), keys.pow(2).sum(-1)
    return 0.5 * (q2[..., None] + k2[..., None, :]) - queries @ keys.mT


def distance_squared(queries, keys):
    q2, k2 = queries.pow(2).sum(-1), keys.pow(2).sum(-1)
    return q2[..., None] + k2[..., None, :] - 2 * queries @ keys.mT


def distance_root(queries, keys):
    return -torch.cdist(queries, keys) / 2


def distance_root_no_half(queries, keys):
    return -torch.cdist(queries, keys, p=2.0)


def distance_absolute(queries, keys):
    total = 0
    for i in range(queries.shape[-1]):
        total = total - (queries[..., :, None, i] - keys[..., None, :, i]).abs()
    return total / 2


def distance_mean(queries, keys):
    q2 = queries.square().mean(-1, keepdim=True)
    k2 = keys.square().mean(-1, keepdim=True)
    return queries @ keys.mT / queries.shape[-1] - 0.5 * q2 - 0.5 * k2.mT


def distance_flipped(queries, keys):
    q2 = queries.square().sum(-1, keepdim=True)
    k2 = keys.square().sum(-1, keepdim=True)
    return keys @ queries.mT - k2 / 2 - q2.mT / 2


def distance_keepdim_both(queries, keys):
    q2 = queries.square().sum(-1, keepdim=True)
    k2 = keys.square().sum(-1, keepdim=True)
    return (
        queries @ keys.mT - (q2 + k2) / 2
        if q2.shape == k2.shape
        else (queries @ keys.mT - q2 / 2 - k2 / 2)
    )


def distance_queries_across(queries, keys):
    q2 = queries.square().sum(-1).unsqueeze(-2)
    k2 = keys.square().sum(-1).unsqueeze(-2)
    return queries @ keys.mT - q2 / 2 - k2 / 2


def distance_axes_exchanged(queries, keys):
    q2 = queries.square().sum(-1)[..., None, :]
    k2 = keys.square().sum(-1)[..., :, None]
    return queries @ keys.mT - q2 / 2 - k2 / 2


def distance_no_axes(queries, keys):
    q2, k2 = (queries * queries).sum(-1), (keys * keys).sum(-1)
    return queries @ keys.mT - q2 / 2 - k2 / 2


def distance_no_key_axis(queries, keys):
    q2, k2 = (queries * queries).sum(-1, keepdim=True), (keys * keys).sum(-1)
    return queries @ keys.mT - q2 / 2 - k2 / 2


def distance_plus(queries, keys):
    q2 = queries.square().sum(-1).unsqueeze(-1)
    k2 = keys.square().sum(-1).unsqueeze(-2)
    return (2 * queries @ keys.mT + q2 + k2) / 2


def distance_lost_two(queries, keys):
    q2 = queries.square().sum(-1).unsqueeze(-1)
    k2 = keys.square().sum(-1).unsqueeze(-2)
    return -(q2 - queries @ keys.mT + k2) / 2


def distance_full_norms(queries, keys):
    q2 = queries.square().sum(-1).unsqueeze(-1)
    k2 = keys.square().sum(-1).unsqueeze(-2)
    return queries @ keys.mT - q2 - k2


def distance_key_norm_only(queries, keys):
    return queries @ keys.mT - keys.square().sum(-1).unsqueeze(-2) / 2


def distance_query_norm_only(queries, keys):
    return queries @ keys.mT - queries.square().sum(-1, keepdim=True) / 2


def distance_dot(queries, keys):
    return torch.matmul(queries, keys.transpose(-1, -2))


def distance_lengths(queries, keys):
    q = queries.norm(dim=-1).unsqueeze(-1)
    k = keys.norm(dim=-1).unsqueeze(-2)
    return queries @ keys.mT - q / 2 - k / 2


def distance_one_norm(queries, keys):
    return queries @ keys.mT - torch.sum(queries**2) / 2 - torch.sum(keys**2) / 2


def distance_scaled(queries, keys):
    return distance_plain(queries, keys) / queries.shape[-1] ** 0.5


def distance_weights(queries, keys):
    return distance_plain(queries, keys).softmax(dim=-1)


def distance_mm(queries, keys):
    q2 = queries.square().sum(-1).unsqueeze(-1)
    k2 = keys.square().sum(-1).unsqueeze(0)
    return torch.mm(queries, keys.t()) - q2 / 2 - k2 / 2


def distance_reshape(queries, keys):
    shape = (*keys.shape[:-2], keys.shape[-1], keys.shape[-2])
    q2 = queries.square().sum(-1).unsqueeze(-1)
    k2 = keys.square().sum(-1).unsqueeze(-2)
    return queries @ keys.reshape(shape) - q2 / 2 - k2 / 2


RIGHT["my_distance_scores"] = [
    distance_plain,
    distance_centered,
    distance_by_feature,
    distance_by_query,
    distance_widened,
]
WRONG["my_distance_scores"] = [
    (distance_all_pairs, "The right numbers, but your function makes the differences"),
    (distance_section_1, "This is the code of section 1"),
    (distance_one_batch, "its axes 2 and 1"),
    (distance_no_half, "Twice too large"),
    (distance_pairs_no_half, "(Once this is mended: you make the differences"),
    (distance_positive, "Your scores are positive"),
    (distance_squared, "the squared distance as it is"),
    (distance_root, "the root is never needed."),
    (distance_root_no_half, "And half of it is asked for"),
    (distance_absolute, "absolute differences"),
    (distance_mean, "averaged over the features"),
    (distance_flipped, "the keys run down"),
    (distance_keepdim_both, "gave both norms their new axis at the end"),
    (distance_queries_across, "they run across in your result"),
    (distance_axes_exchanged, "The two new axes are exchanged"),
    (distance_no_axes, "The norms have lost an axis"),
    (distance_no_key_axis, "sentence is paired with query"),
    (distance_plus, "half of |q + k|^2"),
    (distance_lost_two, "too small by half"),
    (distance_full_norms, "The norms are too large"),
    (distance_key_norm_only, "The query's norm is missing"),
    (distance_query_norm_only, "The key's norm is missing"),
    (distance_dot, "Both norms are missing"),
    (distance_lengths, "You subtracted the lengths"),
    (distance_one_norm, "Your norms are single numbers"),
    (distance_scaled, "divided by the root of the size"),
    (distance_weights, "before the softmax"),
    (distance_mm, "allow two axes only"),
    (distance_reshape, "mixes the numbers of several keys"),
]


# 2.4 my_additive_scores


def additive_linear(queries, keys, W_q, W_k, w_v):
    q, k = F.linear(queries, W_q), F.linear(keys, W_k)
    return F.linear(torch.tanh(q[..., :, None, :] + k[..., None, :, :]), w_v[None]).squeeze(-1)


def additive_units(queries, keys, W_q, W_k, w_v):
    """One hidden unit after the other."""
    scores = 0
    for unit in range(len(w_v)):
        q, k = queries @ W_q[unit], keys @ W_k[unit]
        scores = scores + w_v[unit] * torch.tanh(q[..., :, None] + k[..., None, :])
    return scores


def additive_columns(queries, keys, W_q, W_k, w_v):
    """One key after the other, projected as one long vector."""
    W = torch.cat([W_q, W_k], dim=1)
    columns = []
    for j in range(keys.shape[-2]):
        key = keys[..., j : j + 1, :].expand(*queries.shape[:-1], keys.shape[-1])
        columns.append(torch.tanh(torch.cat([queries, key], dim=-1) @ W.T) @ w_v)
    return torch.stack(columns, dim=-1)


def additive_pairs(queries, keys, W_q, W_k):
    q, k = F.linear(queries, W_q), F.linear(keys, W_k)
    return q[..., :, None, :] + k[..., None, :, :]


def additive_no_tanh(queries, keys, W_q, W_k, w_v):
    return (additive_pairs(queries, keys, W_q, W_k) * w_v).sum(-1)


def additive_tanh_each(queries, keys, W_q, W_k, w_v):
    q, k = F.linear(queries, W_q).tanh() @ w_v, F.linear(keys, W_k).tanh() @ w_v
    return q.unsqueeze(-1) + k.unsqueeze(-2)


def additive_tanh_outside(queries, keys, W_q, W_k, w_v):
    q, k = queries @ (w_v @ W_q), keys @ (w_v @ W_k)
    return torch.tanh(q.unsqueeze(-1) + k.unsqueeze(-2))


def additive_relu(queries, keys, W_q, W_k, w_v):
    return additive_pairs(queries, keys, W_q, W_k).clamp(min=0) @ w_v


def additive_sigmoid(queries, keys, W_q, W_k, w_v):
    return (1 / (1 + torch.exp(-additive_pairs(queries, keys, W_q, W_k)))) @ w_v


def additive_product(queries, keys, W_q, W_k, w_v):
    pairs = torch.einsum("...nu,...mu->...nmu", queries @ W_q.T, keys @ W_k.T)
    return torch.tanh(pairs) @ w_v


def additive_difference(queries, keys, W_q, W_k, w_v):
    return torch.tanh(additive_pairs(queries, -keys, W_q, W_k)) @ w_v


def additive_flipped(queries, keys, W_q, W_k, w_v):
    q, k = queries @ W_q.T, keys @ W_k.T
    return torch.tanh(q[..., None, :, :] + k[..., :, None, :]) @ w_v


def additive_lesson(queries, keys, W_q, W_k, w_v):
    pairs = (queries @ W_q.T).unsqueeze(1) + (keys @ W_k.T).unsqueeze(0)
    return torch.tanh(pairs) @ w_v


def additive_book(queries, keys, W_q, W_k, w_v):
    queries, keys = queries @ W_q.T, keys @ W_k.T
    return torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1)) @ w_v


def additive_two_axes(queries, keys, W_q, W_k, w_v):
    q, k = torch.einsum("nq,uq->nu", queries, W_q), torch.einsum("mk,uk->mu", keys, W_k)
    return torch.einsum("nmu,u->nm", torch.tanh(q[:, None] + k), w_v)


def additive_same_place(queries, keys, W_q, W_k, w_v):
    q, k = (queries @ W_q.T)[..., None, :], (keys @ W_k.T)[..., None, :]
    return torch.tanh(q + k) @ w_v


def additive_no_pairs(queries, keys, W_q, W_k, w_v):
    hidden = torch.tanh(F.linear(queries, W_q) + F.linear(keys, W_k))
    return (hidden * w_v).sum(-1)


def additive_not_transposed(queries, keys, W_q, W_k, w_v):
    q, k = torch.matmul(queries, W_q), torch.matmul(keys, W_k)
    return torch.tanh(q[..., :, None, :] + k[..., None, :, :]) @ w_v


def additive_exchanged(queries, keys, W_q, W_k, w_v):
    q, k = F.linear(queries, W_k), F.linear(keys, W_q)
    return torch.tanh(q[..., :, None, :] + k[..., None, :, :]) @ w_v


def additive_copied(queries, keys, W_q, W_k, w_v):
    q = F.linear(queries, W_q)
    k = F.linear(keys, W_q)
    return torch.tanh(q[..., :, None, :] + k[..., None, :, :]) @ w_v


def additive_no_w_v(queries, keys, W_q, W_k, w_v):
    return torch.tanh(additive_pairs(queries, keys, W_q, W_k)).sum(dim=-1)


def additive_not_summed(queries, keys, W_q, W_k, w_v):
    return w_v * additive_pairs(queries, keys, W_q, W_k).tanh()


def additive_scaled(queries, keys, W_q, W_k, w_v):
    return torch.tanh(additive_pairs(queries, keys, W_q, W_k)) @ w_v * w_v.numel() ** -0.5


def additive_weights(queries, keys, W_q, W_k, w_v):
    return F.softmax(additive_pairs(queries, keys, W_q, W_k).tanh() @ w_v, dim=-1)


RIGHT["my_additive_scores"] = [additive_linear, additive_units, additive_columns]
WRONG["my_additive_scores"] = [
    (additive_no_tanh, "The tanh is missing"),
    (additive_tanh_each, "bent the two parts before adding"),
    (additive_tanh_outside, "The tanh stands outside"),
    (additive_relu, "You bent with relu"),
    (additive_sigmoid, "You bent with a sigmoid"),
    (additive_product, "multiplied the two projections"),
    (additive_difference, "subtracted the keys' projection"),
    (additive_flipped, "your scores have the shape (2, 1)"),
    (additive_lesson, "unsqueeze(1) and unsqueeze(0) count axes from the front"),
    (additive_book, "Axes 2 and 1 are counted from the front"),
    (additive_two_axes, "allow two axes only"),
    (additive_same_place, "their new axis in the same place"),
    (additive_no_pairs, "the key with the same number"),
    (additive_not_transposed, "one row for each hidden unit"),
    (additive_exchanged, "W_q and W_k are exchanged"),
    (additive_copied, "Your keys go through W_q"),
    (additive_no_w_v, "w_v makes no difference"),
    (additive_not_summed, "not yet summed"),
    (additive_scaled, "root of the number of hidden units"),
    (additive_weights, "before the softmax"),
]


# 2.5 my_attention


def attention_einsum(queries, keys, values):
    scores = torch.einsum("...qd,...kd->...qk", queries, keys) * queries.shape[-1] ** -0.5
    return torch.einsum("...qk,...kv->...qv", F.softmax(scores, dim=-1), values)


def attention_scaled_queries(queries, keys, values):
    d = torch.tensor(queries.size(-1))
    weights = torch.softmax(torch.matmul(queries / d.sqrt(), keys.mT), dim=-1)
    return torch.matmul(weights, values)


def attention_loop(queries, keys, values):
    outputs = []
    for i in range(queries.shape[-2]):
        scores = (queries[..., i : i + 1, :] * keys).sum(-1) / math.sqrt(keys.shape[-1])
        raw = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = raw / raw.sum(-1, keepdim=True)
        outputs.append((weights.unsqueeze(-1) * values).sum(-2))
    return torch.stack(outputs, dim=-2)


def attention_with(divisor, dim=-1):
    def attention(queries, keys, values):
        scores = torch.matmul(queries, keys.mT) / divisor(queries, keys, values)
        return F.softmax(scores, dim) @ values

    return attention


def attention_unscaled(queries, keys, values):
    return (queries @ keys.mT).softmax(-1) @ values


def attention_no_axis(queries, keys, values):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    return F.softmax(scores) @ values


def attention_scaled_weights(queries, keys, values):
    weights = (queries @ keys.mT).softmax(-1)
    return weights / math.sqrt(queries.shape[-1]) @ values


def attention_no_softmax(queries, keys, values):
    return queries @ (keys.mT @ values) / queries.shape[-1] ** 0.5


def attention_weights_only(queries, keys, values):
    return F.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=-1)


def attention_of_keys(queries, keys, values):
    weights = F.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=-1)
    return weights @ keys


def attention_exchanged(queries, keys, values):
    scores = keys @ queries.mT / keys.shape[-1] ** 0.5
    return F.softmax(scores, dim=-1) @ values


def attention_overflow(queries, keys, values):
    e = torch.exp(queries @ keys.mT / queries.shape[-1] ** 0.5)
    total = e.sum(dim=-1, keepdim=True)
    return (e @ values) / total


def attention_one_maximum(queries, keys, values):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    e = torch.exp(scores - scores.amax())
    return e @ values / e.sum(dim=-1)[..., None]


def attention_reshape(queries, keys, values):
    *leading, m, d = keys.shape
    return F.softmax(queries @ keys.reshape(*leading, d, m) / d**0.5, dim=-1) @ values


def attention_capital_t(queries, keys, values):
    axes = torch.arange(keys.ndim - 1, -1, -1)  # keys.T
    return F.softmax(queries @ keys.permute(*axes) / queries.shape[-1] ** 0.5, dim=-1) @ values


def attention_book(queries, keys, values):
    scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
    return torch.bmm(F.softmax(scores, dim=-1), values)


def attention_bmm(queries, keys, values):
    scores = torch.bmm(queries, keys.mT) / math.sqrt(queries.shape[-1])
    return torch.bmm(F.softmax(scores, dim=-1), values)


def attention_two_axes(queries, keys, values):
    scores = torch.mm(queries, keys.t()) / math.sqrt(queries.shape[-1])
    return torch.mm(F.softmax(scores, dim=-1), values)


def attention_not_transposed(queries, keys, values):
    scores = torch.matmul(queries, keys) / math.sqrt(queries.shape[-1])
    return F.softmax(scores, dim=-1) @ values


def attention_both(queries, keys, values):
    weights = F.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights


RIGHT["my_attention"] = [attention_einsum, attention_scaled_queries, attention_loop]
WRONG["my_attention"] = [
    (attention_unscaled, "your scores are 2 times too far apart"),
    (attention_with(lambda q, k, v: q.shape[-1]), "You divided by d = 4 itself"),
    (attention_with(lambda q, k, v: q.shape[-1] ** -0.5), "multiplied by the root of d"),
    (attention_with(lambda q, k, v: 2.0), "You always divide by 2"),
    (attention_with(lambda q, k, v: math.sqrt(64)), "You always divide by 8"),
    (attention_with(lambda q, k, v: k.size(-2) ** 0.5), "root of the number of keys"),
    (attention_with(lambda q, k, v: v.size(-1) ** 0.5), "root of the values' size"),
    (attention_with(lambda q, k, v: q.size(-2) ** 0.5), "root of the number of queries"),
    (attention_with(lambda q, k, v: q.size(0) ** 0.5), "root of queries.shape[0]"),
    (attention_with(lambda q, k, v: q.size(1) ** 0.5), "queries.shape[1] is the number"),
    (attention_with(lambda q, k, v: q.size(-1) ** 0.5, -2), "The softmax runs over the queries"),
    (attention_with(lambda q, k, v: q.size(-1) ** 0.5, 0), "The softmax runs over axis 0"),
    (attention_with(lambda q, k, v: q.size(-1) ** 0.5, 1), "axis 1 of the scores"),
    (attention_no_axis, "PyTorch picked one"),
    (attention_scaled_weights, "You divided after the softmax"),
    (attention_no_softmax, "There is no softmax"),
    (attention_weights_only, "One step is missing"),
    (attention_of_keys, "You averaged the keys"),
    (attention_exchanged, "Queries and keys are exchanged in the scores"),
    (attention_overflow, "For large ones exp is infinite"),
    (attention_one_maximum, "the maximum of the *whole* tensor"),
    (attention_reshape, "mixes the numbers of several keys"),
    (attention_capital_t, ".T reverses *all* axes"),
    (attention_book, "axes 1 and 2 are not the last two"),
    (attention_bmm, "torch.bmm wants three axes"),
    (attention_two_axes, "allow two axes only"),
    (attention_not_transposed, "The keys are not transposed"),
    (attention_both, "got a tuple of 2"),
]


# 2.6 my_dot_product_variance


def variance_of_terms(mean, std, size):
    second = std**2 + mean**2  # E[q^2]
    return size * (second * second - mean.pow(4))


def variance_added(mean, std, size):
    total = torch.zeros_like(mean)
    for _ in range(size):
        total = total + std.pow(2) * (std.pow(2) + 2 * mean.pow(2))
    return total


def variance_mean_zero(mean, std, size):
    variance = std**2
    return variance * variance * size


def variance_second_moment(mean, std, size):
    second = std**2 + mean**2
    return size * second * second


def variance_single_mixed(mean, std, size):
    return size * std**2 * (std**2 + mean**2)


def variance_one_term(mean, std, size):
    return (std**2 + mean**2) ** 2 - mean**4


def variance_size_squared(mean, std, size):
    return size**2 * variance_one_term(mean, std, size)


def variance_root(mean, std, size):
    return torch.sqrt(variance_of_terms(mean, std, size))


def variance_of_mean(mean, std, size):
    return variance_one_term(mean, std, size) / size


def variance_std_is_variance(mean, std, size):
    return size * ((std + mean**2) ** 2 - mean**4)


def variance_subtracted_once(mean, std, size):
    return size * (std**2 + mean**2) ** 2 - mean**4


def variance_wrong_square(mean, std, size):
    second = std**2 + mean**2
    return size * (second**2 - mean**2)


def variance_one_factor(mean, std, size):
    return torch.zeros_like(mean) + std * std * size


def variance_one_second_moment(mean, std, size):
    return size * (std**2 + mean**2)


def variance_sign_of_mean(mean, std, size):
    return size * std**2 * (std**2 + 2 * mean)


RIGHT["my_dot_product_variance"] = [variance_of_terms, variance_added]
WRONG["my_dot_product_variance"] = [
    (variance_mean_zero, "you get 3; sampling gives about 27"),
    (variance_second_moment, "mean of the squared terms"),
    (variance_single_mixed, "The mixed term is too small by half"),
    (variance_one_term, "This is one term"),
    (variance_size_squared, "The size enters squared"),
    (variance_root, "This is the standard deviation"),
    (variance_of_mean, "the variance of a mean"),
    (variance_std_is_variance, "You took std for the variance"),
    (variance_subtracted_once, "subtracted once for all terms"),
    (variance_wrong_square, "You subtracted mean^2"),
    (variance_one_factor, "the variance of one number `size` times"),
    (variance_one_second_moment, "E[q_i^2] alone"),
    (variance_sign_of_mean, "where mean^2 belongs"),
]
