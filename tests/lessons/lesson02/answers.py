# answer: my_weights | right | exp of scores minus logsumexp
def my_weights(scores):
    return (scores - scores.logsumexp(-1, keepdim=True)).exp()


# answer: my_weights | right | one over the sum of exp of score differences
def my_weights(scores):
    # w_j = 1 / sum_l exp(s_l - s_j)
    diff = scores.unsqueeze(-2) - scores.unsqueeze(-1)
    return diff.exp().sum(-1).reciprocal()


# answer: my_weights | wrong | an axis counted from the front | Axis 1 holds the keys only without a batch
def my_weights(scores):
    return scores.softmax(dim=1)


# answer: my_weights | wrong | special case by number of axes, forgets more than one leading axis | Right with two axes and with three
def my_weights(scores):
    if scores.dim() == 3:
        return scores.softmax(dim=2)
    else:
        return scores.softmax(dim=1)


# answer: my_weights | wrong | no dim given to the method, crashes | wants to know along which axis
def my_weights(scores):
    return scores.softmax()


# answer: my_weights | wrong | sum without keepdim | The sum lost its axis
def my_weights(scores):
    e = torch.exp(scores - scores.max())
    return e / e.sum(-1)


# answer: my_weights | wrong | transposes before the softmax and does not transpose back | rows and columns trade places
def my_weights(scores):
    return scores.transpose(-2, -1).softmax(dim=-2)


# answer: my_weights | wrong | changes the scores in place (exp_ and div_ on the input) | writes into `scores`
def my_weights(scores):
    scores -= scores.amax(-1, keepdim=True)
    scores.exp_()
    scores /= scores.sum(-1, keepdim=True)
    return scores


# answer: my_weights | wrong | forgot exp + sums over the queries axis | 2. The exponential is missing
def my_weights(scores):
    total = scores.sum(dim=-2, keepdim=True)
    return scores / total


# answer: my_weights | wrong | sigmoid instead of softmax | 2. You do not divide by the sum of the row
def my_weights(scores):
    return torch.sigmoid(scores)


# answer: my_weights | wrong | puts all weight on the best key (argmax, one-hot) | The best key alone
def my_weights(scores):
    best = scores.argmax(dim=-1)
    return F.one_hot(best, scores.shape[-1]).float()


# answer: my_bilinear_scores | right | keys first, then transposed: (K W^T Q^T)^T
def my_bilinear_scores(queries, keys, W):
    return (keys @ W.T @ queries.mT).mT


# answer: my_bilinear_scores | right | recursion over the leading axes
def my_bilinear_scores(queries, keys, W):
    if queries.dim() > 2:
        return torch.stack([my_bilinear_scores(q, k, W) for q, k in zip(queries, keys)])
    return torch.linalg.multi_dot([queries, W, keys.t()])


# answer: my_bilinear_scores | wrong | keys.T reverses all axes, wrong on a batch | reverses all axes
def my_bilinear_scores(queries, keys, W):
    return queries @ W @ keys.T


# answer: my_bilinear_scores | wrong | queries and keys swapped with W as it is, crashes for different sizes | 2. Queries and keys are exchanged
def my_bilinear_scores(queries, keys, W):
    return keys @ W @ queries.mT


# answer: my_bilinear_scores | wrong | elementwise product with paired keys instead of all pairs | only the key with the same number
def my_bilinear_scores(queries, keys, W):
    # q . W k
    Wk = keys @ W.T
    return (queries * Wk).sum(-1)


# answer: my_bilinear_scores | wrong | scaled by sqrt of the query size + result transposed to (keys, queries) | 1. You divided by the root of the query's size
def my_bilinear_scores(queries, keys, W):
    s = queries @ W @ keys.mT
    s = s / queries.size(-1) ** 0.5
    return s.transpose(-1, -2)


# answer: my_bilinear_scores | wrong | forgot to transpose the keys, crashes | keys are not transposed
def my_bilinear_scores(queries, keys, W):
    return queries @ W @ keys


# answer: my_bilinear_scores | wrong | divides W by its norm first | divided by the length of W
def my_bilinear_scores(queries, keys, W):
    W = W / W.norm()
    return queries @ W @ keys.mT


# answer: my_bilinear_scores | wrong | only the first query is used | Only the first row
def my_bilinear_scores(queries, keys, W):
    q = queries[..., :1, :]
    return q @ W @ keys.mT


# answer: my_distance_scores | right | Gram matrix of queries and keys stacked, norms read off its diagonal
def my_distance_scores(queries, keys):
    z = torch.cat((queries, keys), dim=-2)
    G = z @ z.mT
    n = queries.shape[-2]
    d = G.diagonal(dim1=-2, dim2=-1)
    return G[..., :n, n:] - (d[..., :n, None] + d[..., None, n:]) / 2


# answer: my_distance_scores | right | squared cdist with the matrix-product mode
def my_distance_scores(queries, keys):
    return torch.cdist(queries, keys, compute_mode="use_mm_for_euclid_dist").square().div(-2)


# answer: my_distance_scores | wrong | makes all differences, a tensor (queries, keys, size) | differences of all pairs
def my_distance_scores(queries, keys):
    diff = queries.unsqueeze(-2) - keys.unsqueeze(-3)
    return -(diff**2).sum(-1) / 2


# answer: my_distance_scores | wrong | squared norms summed over dim=1, wrong axis in a batch | sums over axis 1
def my_distance_scores(queries, keys):
    q2 = (queries**2).sum(dim=1, keepdim=True)
    k2 = (keys**2).sum(dim=1, keepdim=True).transpose(-1, -2)
    return -(q2 + k2 - 2 * queries @ keys.transpose(-1, -2)) / 2


# answer: my_distance_scores | wrong | the queries' norm is not halved (missing brackets) + the minus sign reaches only the queries' norm | 2. The query's norm enters whole
def my_distance_scores(queries, keys):
    q2 = (queries**2).sum(-1, keepdim=True)
    k2 = (keys**2).sum(-1, keepdim=True).mT
    return -q2 + (k2 - 2 * queries @ keys.mT) / 2


# answer: my_distance_scores | wrong | new axis for the queries' norm only, the keys' norm lands on a wrong axis in a batch | The keys' norms lack the axis of the queries
def my_distance_scores(queries, keys):
    q2 = (queries**2).sum(-1, keepdim=True)
    k2 = (keys**2).sum(-1)
    return -(q2 + k2 - 2 * queries @ keys.mT) / 2


# answer: my_distance_scores | wrong | squares the inputs in place, so inputs change and the dot product is of squares | writes into `queries`
def my_distance_scores(queries, keys):
    q2 = queries.pow_(2).sum(-1, keepdim=True)
    k2 = keys.pow_(2).sum(-1, keepdim=True).mT
    return -(q2 + k2 - 2 * queries @ keys.mT) / 2


# answer: my_distance_scores | wrong | returns exp of the scores (the Gaussian kernel) | the Gaussian kernel
def my_distance_scores(queries, keys):
    a = queries.square().sum(-1, keepdim=True)
    b = keys.square().sum(-1).unsqueeze(-2)
    d2 = a + b - 2 * queries @ keys.mT
    return torch.exp(-d2 / 2)


# answer: my_additive_scores | right | loop over the hidden units, sum built in place in an own tensor
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    out = queries.new_zeros(*queries.shape[:-1], keys.shape[-2])
    for h in range(w_v.numel()):
        a = (queries * W_q[h]).sum(-1)
        b = (keys * W_k[h]).sum(-1)
        out += w_v[h] * torch.tanh(a.unsqueeze(-1) + b.unsqueeze(-2))
    return out


# answer: my_additive_scores | right | tanh written with sigmoid: 2 sigmoid(2x) - 1
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    x = (queries @ W_q.t()).unsqueeze(-2) + (keys @ W_k.t()).unsqueeze(-3)
    t = 2 * torch.sigmoid(2 * x) - 1
    return torch.inner(t, w_v)


# answer: my_additive_scores | wrong | adds queries and keys without pairing, crashes when their numbers differ | Without new axes
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    h = torch.tanh(queries @ W_q.T + keys @ W_k.T)
    return h @ w_v


# answer: my_additive_scores | wrong | tanh after w_v instead of before | The tanh stands outside
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    q = F.linear(queries, W_q).unsqueeze(-2)
    k = F.linear(keys, W_k).unsqueeze(-3)
    return torch.tanh((q + k) @ w_v)


# answer: my_additive_scores | wrong | forgot tanh + output transposed to (keys, queries) | 1. The tanh is missing
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    a = queries @ W_q.T @ w_v
    b = keys @ W_k.T @ w_v
    return b.unsqueeze(-1) + a.unsqueeze(-2)


# answer: my_additive_scores | wrong | divides by sqrt of the hidden size + sigmoid instead of tanh | 2. You divided by the root of the number of hidden units
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    h = len(w_v)
    q = queries @ W_q.T
    k = keys @ W_k.T
    s = torch.sigmoid(q.unsqueeze(-2) + k.unsqueeze(-3)) @ w_v
    return s / math.sqrt(h)


# answer: my_additive_scores | wrong | dot product of tanh'd projections weighted by w_v (matrix product in place of the sum) | 2. You multiplied the two projections
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    q = torch.tanh(queries @ W_q.T) * w_v
    k = torch.tanh(keys @ W_k.T)
    return q @ k.transpose(-1, -2)


# answer: my_additive_scores | wrong | concatenates the projections, crashes | torch.cat joins
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    both = torch.cat([q, k], dim=-1)
    return torch.tanh(both) @ w_v


# answer: my_additive_scores | wrong | squeezes away axes of size 1 with a bare squeeze() | squeeze removes them all
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    h = torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3))
    return (h @ w_v.reshape(-1, 1)).squeeze()


# answer: my_attention | right | a class with a call, method chain, works in the transposed world
class Attn:
    def __init__(self, size):
        self.scale = 1 / math.sqrt(size)

    def __call__(self, q, k, v):
        w = (k @ q.mT).mul(self.scale).softmax(dim=-2)  # (..., keys, queries)
        return (v.mT @ w).mT


def my_attention(queries, keys, values):
    return Attn(keys.shape[-1])(queries, keys, values)


# answer: my_attention | right | softmax by hand with amax, exp_ and div_ on own tensors, normalised after the weighted sum
def my_attention(queries, keys, values):
    s = queries.matmul(keys.mT).div(math.sqrt(queries.shape[-1]))
    s = s.sub(s.amax(-1, keepdim=True)).exp_()
    total = s.sum(-1, keepdim=True)
    return s.matmul(values).div_(total)


# answer: my_attention | wrong | forgot the scale | scores are 2 times too far apart
def my_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return scores.softmax(-1) @ values


# answer: my_attention | wrong | torch.sqrt of a Python int, crashes | got a plain int
def my_attention(queries, keys, values):
    d = queries.shape[-1]
    scores = queries @ keys.transpose(-2, -1) / torch.sqrt(d)
    return F.softmax(scores, dim=-1) @ values


# answer: my_attention | wrong | returns output and weights as a tuple | got a tuple of 2
def my_attention(queries, keys, values):
    d = queries.shape[-1]
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(d)
    weights = scores.softmax(dim=-1)
    out = weights @ values
    return out, weights


# answer: my_attention | wrong | uses F.scaled_dot_product_attention, which is forbidden | which the exercise does without
def my_attention(queries, keys, values):
    return F.scaled_dot_product_attention(queries, keys, values)


# answer: my_attention | wrong | softmax over the queries + no scale | 2. The scale is missing
def my_attention(queries, keys, values):
    a = queries @ keys.transpose(-1, -2)
    a = torch.softmax(a, dim=-2)
    return a @ values


# answer: my_attention | wrong | scale multiplied instead of divided + by size, not its root | 1. Your scale is d itself
def my_attention(queries, keys, values):
    size = queries.size(-1)
    scores = torch.matmul(queries, keys.transpose(-1, -2))
    scores = scores * size
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, values)
    return output


# answer: my_attention | wrong | integer division of the scores | cuts all decimals off
def my_attention(queries, keys, values):
    d = queries.shape[-1]
    scores = queries @ keys.mT // math.sqrt(d)
    return scores.softmax(dim=-1) @ values


# answer: my_attention | wrong | averages the weighted values over the keys (mean instead of sum) | do not divide by the number of keys
def my_attention(queries, keys, values):
    d = queries.shape[-1]
    w = (queries @ keys.mT / math.sqrt(d)).softmax(dim=-1)
    return (w.unsqueeze(-1) * values.unsqueeze(-3)).mean(dim=-2)


# answer: my_dot_product_variance | right | law of total variance: E[k^2] Var(q) + E[q]^2 Var(k)
def my_dot_product_variance(mean, std, size):
    var = std * std
    given_k = (var + mean * mean) * var  # mean over k of Var(q k | k)
    of_means = mean * mean * var  # variance over k of E[q k | k]
    return (given_k + of_means) * size


# answer: my_dot_product_variance | right | plain Python numbers in a comprehension, put back in the shape
def my_dot_product_variance(mean, std, size):
    mean, std = torch.broadcast_tensors(mean, std)
    pairs = zip(mean.reshape(-1).tolist(), std.reshape(-1).tolist())
    out = [size * ((s * s + m * m) ** 2 - m**4) for m, s in pairs]
    return torch.tensor(out, dtype=mean.dtype).reshape(mean.shape)


# answer: my_dot_product_variance | wrong | only E[q^2]E[k^2], forgot to subtract the product of squared means | You subtract nothing
def my_dot_product_variance(mean, std, size):
    return size * (std**2 + mean**2) ** 2


# answer: my_dot_product_variance | wrong | E[q^2] = std^2 - mean^2 (sign) | E[q_i^2] is a sum
def my_dot_product_variance(mean, std, size):
    m2 = std.pow(2) - mean.pow(2)
    return (m2.pow(2) - mean.pow(4)) * size


# answer: my_dot_product_variance | wrong | ^ used as power, crashes on float tensors | a power is written **
def my_dot_product_variance(mean, std, size):
    return size * (std ^ 4 + 2 * mean ^ 2 * std ^ 2)


# answer: my_dot_product_variance | wrong | returns a Python float, crashes for tensors with several numbers | One number is wanted
def my_dot_product_variance(mean, std, size):
    m = mean.item()
    s = std.item()
    return size * (s**4 + 2 * m**2 * s**2)


# answer: my_dot_product_variance | wrong | takes std as the variance + size squared | 1. The size enters squared
def my_dot_product_variance(mean, std, size):
    e2 = std + mean**2
    one_term = e2**2 - mean**4
    return one_term * size * size


# answer: my_dot_product_variance | wrong | forgot to subtract E[q]^2 E[k]^2 + returns the standard deviation | 2. This is the standard deviation
def my_dot_product_variance(mean, std, size):
    e = mean**2 + std**2
    return torch.sqrt(size * e * e)


# answer: my_dot_product_variance | wrong | subtracts the squared mean of the whole sum (size twice): size E - (size mean^2)^2 | mean of the whole sum
def my_dot_product_variance(mean, std, size):
    expected_square = size * (std**2 + mean**2) ** 2
    expected = size * mean**2
    return expected_square - expected**2


# answer: my_dot_product_variance | wrong | sums over all the numbers in mean and std, returns one number | summed into one
def my_dot_product_variance(mean, std, size):
    per = std**4 + 2 * mean**2 * std**2
    return (size * per).sum()


# answer: my_additive_scores | wrong | multiplies query and key parts instead of adding + relu instead of tanh + w_v forgotten, a plain sum | does not depend on `w_v`
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    q = (queries @ W_q.T).unsqueeze(-2)
    k = (keys @ W_k.T).unsqueeze(-3)
    hidden = torch.relu(q * k)
    return hidden.sum(dim=-1)


# answer: my_bilinear_scores | wrong | W applied to the keys and the sum of both sides taken instead of a product | You add a sum of the query's numbers
def my_bilinear_scores(queries, keys, W):
    translated = keys @ W.T
    return queries.sum(-1).unsqueeze(-1) + translated.sum(-1).unsqueeze(-2)


# answer: my_distance_scores | wrong | two mistakes: key term left out, query term without its one half | 2. The query's norm enters whole
def my_distance_scores(queries, keys):
    both = queries @ keys.transpose(-2, -1)
    query_only = queries.square().sum(-1, keepdim=True)
    return both - query_only


# answer: my_additive_scores | wrong | two mistakes: sigmoid instead of tanh, and divided by the number of hidden units | 2. You take the mean over the hidden units
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    q, k = queries @ W_q.T, keys @ W_k.T
    hidden = torch.sigmoid(q.unsqueeze(-2) + k.unsqueeze(-3))
    return (hidden * w_v).mean(-1)


# answer: my_additive_scores | wrong | loop over the hidden units that overwrites instead of adding up | Only the last hidden unit
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    for h in range(len(w_v)):
        a = (queries * W_q[h]).sum(-1).unsqueeze(-1)
        b = (keys * W_k[h]).sum(-1).unsqueeze(-2)
        scores = w_v[h] * torch.tanh(a + b)
    return scores


# answer: my_attention | wrong | both sides divided by the root, so d in total | In all, your scores are divided by d = 4
def my_attention(queries, keys, values):
    root = math.sqrt(queries.shape[-1])
    q, k = queries / root, keys / root
    return (q @ k.transpose(-2, -1)).softmax(-1) @ values


# answer: my_weights | wrong | tanh and softmax | Yours sum to 1 as well, but are 0.287
def my_weights(scores):
    return scores.tanh().softmax(-1)


# answer: my_weights | wrong | scaled by the last size | You divided the scores by the number of keys
def my_weights(scores):
    return (scores / scores.shape[-1]).softmax(-1)


# answer: my_weights | wrong | leading axes merged | merged into one
def my_weights(scores):
    return scores.reshape(-1, scores.shape[-2], scores.shape[-1]).softmax(dim=-1)


# answer: my_bilinear_scores | wrong | W squared | W k is 2, 5 and its dot product with q 12; you give 40
def my_bilinear_scores(queries, keys, W):
    return queries @ W**2 @ keys.mT


# answer: my_distance_scores | wrong | max norm | |k|^2 = 10 and q.k = 1, so their score is -6.5
def my_distance_scores(queries, keys):
    return -0.5 * torch.cdist(queries, keys, p=float("inf")) ** 2


# answer: my_additive_scores | wrong | tanh * 2 | 0.905, 0.462, weighed with w_v and summed 1.83; you give 2.52
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    h = torch.tanh(2 * ((queries @ W_q.T).unsqueeze(-2) + (keys @ W_k.T).unsqueeze(-3)))
    return h @ w_v


# answer: my_attention | wrong | residual | An output of -3.81, where the values run from 10 to 20
def my_attention(queries, keys, values):
    s = queries @ keys.mT / queries.shape[-1] ** 0.5
    return s.softmax(-1) @ (values - values.mean(-2, keepdim=True))


# answer: my_attention | wrong | abs scores | The scaled scores of query 0 must be
def my_attention(queries, keys, values):
    s = (queries @ keys.mT).abs() / queries.shape[-1] ** 0.5
    return s.softmax(-1) @ values


# answer: my_dot_product_variance | wrong | 3 std^4 | 48, not 144
def my_dot_product_variance(mean, std, size):
    return size * (3 * std**4 + 2 * mean**2 * std**2)


# answer: my_bilinear_scores | wrong | reads W as an nn.Linear weight (k_size, q_size), reshaped and transposed | You reshaped W
def my_bilinear_scores(queries, keys, W):
    W = W.reshape(keys.shape[-1], queries.shape[-1])
    return queries @ W.T @ keys.transpose(-2, -1)


# answer: my_bilinear_scores | wrong | flattens the batch, every evening gets the first evening's keys | keys of the first example
def my_bilinear_scores(queries, keys, W):
    table = queries.flatten(0, -2) @ W @ keys.flatten(0, -2).T
    return table[:, : keys.shape[-2]].reshape(*queries.shape[:-1], keys.shape[-2])


# answer: my_bilinear_scores | wrong | cuts queries, keys and W to the smaller of the two sizes | cut to the smaller
def my_bilinear_scores(queries, keys, W):
    size = min(queries.shape[-1], keys.shape[-1])
    return queries[..., :size] @ W[:size, :size] @ keys[..., :size].transpose(-2, -1)


# answer: my_distance_scores | wrong | loop over the features starts at 1 and misses the first | first feature does not count
def my_distance_scores(queries, keys):
    total = 0
    for i in range(1, queries.shape[-1]):
        total = total + (queries[..., :, None, i] - keys[..., None, :, i]) ** 2
    return -total / 2 + torch.zeros(queries.shape[-2], keys.shape[-2], dtype=queries.dtype)


# answer: my_distance_scores | wrong | middle term is scaled by the root of the size | divided the product by the root
def my_distance_scores(queries, keys):
    both = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
    q2 = queries.square().sum(-1, keepdim=True)
    k2 = keys.square().sum(-1, keepdim=True).transpose(-2, -1)
    return both - (q2 + k2) / 2


# answer: my_additive_scores | wrong | concatenates key before query, but W_q before W_k | wrong columns
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    n, m = queries.shape[-2], keys.shape[-2]
    q = queries.unsqueeze(-2).expand(*queries.shape[:-2], n, m, queries.shape[-1])
    k = keys.unsqueeze(-3).expand(*keys.shape[:-2], n, m, keys.shape[-1])
    hidden = torch.cat([k, q], dim=-1) @ torch.cat([W_q, W_k], dim=1).T
    return torch.tanh(hidden) @ w_v


# answer: my_additive_scores | wrong | matrices reshaped, not transposed, to fit the product | where they must be transposed
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.reshape(queries.shape[-1], -1)
    k = keys @ W_k.reshape(keys.shape[-1], -1)
    return torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3)) @ w_v


# answer: my_additive_scores | wrong | clipped line (hardtanh) in place of tanh | hardtanh
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    hidden = F.linear(queries, W_q).unsqueeze(-2) + F.linear(keys, W_k).unsqueeze(-3)
    return F.hardtanh(hidden) @ w_v


# answer: my_attention | wrong | integer root, right only where the size is a square | decimals of the root
def my_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1) / math.isqrt(queries.shape[-1])
    return scores.softmax(-1) @ values


# answer: my_attention | wrong | dropout on the weights, which is always on in this call | that is dropout
def my_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
    weights = F.dropout(F.softmax(scores, dim=-1), p=0.1)
    return weights @ values


# answer: my_dot_product_variance | wrong | estimated by drawing samples, off by more than rounding | drawn samples
def my_dot_product_variance(mean, std, size):
    shape = (4000, size, *mean.shape)
    q = mean + std * torch.randn(shape, dtype=mean.dtype)
    k = mean + std * torch.randn(shape, dtype=mean.dtype)
    return (q * k).sum(dim=1).var(dim=0)


# answer: my_dot_product_variance | wrong | the mean's part grows with the square of the size | size enters squared in the mixed term
def my_dot_product_variance(mean, std, size):
    return size * std**4 + 2 * size**2 * mean**2 * std**2


# answer: my_bilinear_scores | wrong | * between the queries and W | number by number
def my_bilinear_scores(queries, keys, W):
    return queries * W @ keys.mT


# answer: my_bilinear_scores | wrong | * between the projected queries and the keys | number by number
def my_bilinear_scores(queries, keys, W):
    return queries @ W * keys


# answer: my_distance_scores | wrong | the norms are halved twice | norms are too small
def my_distance_scores(queries, keys):
    q2 = queries.square().sum(-1, keepdim=True)
    k2 = keys.square().sum(-1).unsqueeze(-2)
    return queries @ keys.mT - q2 / 4 - k2 / 4


# answer: my_attention | wrong | cosines without the root | cosines
def my_attention(queries, keys, values):
    q, k = F.normalize(queries, dim=-1), F.normalize(keys, dim=-1)
    return (q @ k.mT).softmax(-1) @ values


# answer: my_attention | wrong | d ** 1 / 2 | powers come before divisions
def my_attention(queries, keys, values):
    d = queries.shape[-1]
    scores = queries @ keys.transpose(-2, -1) / (d**1 / 2)
    return scores.softmax(-1) @ values


# answer: my_distance_scores | wrong | differences with the features in the middle | such a tensor of all differences
def my_distance_scores(queries, keys):
    return -(queries.unsqueeze(-1) - keys.mT.unsqueeze(-3)).square().sum(-2) / 2


# answer: my_distance_scores | wrong | pairs in one long axis | makes a tensor of shape (12, 5) on the way
def my_distance_scores(queries, keys):
    n, m = queries.shape[-2], keys.shape[-2]
    q = queries.repeat_interleave(m, dim=-2)
    k = torch.cat([keys] * n, dim=-2)
    return (-(q - k).square().sum(-1) / 2).unflatten(-1, (n, m))


# answer: my_attention | wrong | output divided too | The output is divided by the root of the size as well. Only
def my_attention(queries, keys, values):
    d = queries.shape[-1]
    scores = queries @ keys.mT / math.sqrt(d)
    return scores.softmax(-1) @ values / math.sqrt(d)


# answer: my_additive_scores | wrong | key minus query | You subtracted the queries' projection. Additive scores add
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    return torch.tanh(k.unsqueeze(-3) - q.unsqueeze(-2)) @ w_v


# answer: my_distance_scores | wrong | plus half the key's norm | The key's norm has the wrong sign: half of it is to be
def my_distance_scores(queries, keys):
    q2 = (queries**2).sum(-1, keepdim=True)
    k2 = (keys**2).sum(-1).unsqueeze(-2)
    return queries @ keys.mT - q2 / 2 + k2 / 2


# answer: my_distance_scores | wrong | brackets without the second minus | The key's norm has the wrong sign: half of it is to be
def my_distance_scores(queries, keys):
    q2 = (queries**2).sum(-1, keepdim=True)
    k2 = (keys**2).sum(-1).unsqueeze(-2)
    return queries @ keys.mT - (q2 / 2 - k2 / 2)


# answer: my_distance_scores | wrong | plus half the query's norm | The query's norm has the wrong sign: half of it is to be
def my_distance_scores(queries, keys):
    q2 = (queries**2).sum(-1, keepdim=True)
    k2 = (keys**2).sum(-1).unsqueeze(-2)
    return queries @ keys.mT + q2 / 2 - k2 / 2


# answer: my_weights | wrong | dim=2 is the axis of the keys only when there is exactly one leading axis | Your weights sum to 1 along axis 2, which holds the keys
def my_weights(scores):
    return scores.softmax(dim=2)


# answer: my_bilinear_scores | wrong | divides by the root of the key size, which the bilinear score does not do | You divided by the root of the key's size. That belongs to
def my_bilinear_scores(queries, keys, W):
    return queries @ W @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])


# answer: my_bilinear_scores | wrong | the product begins with the keys, so the table comes out with keys down and queries across | Queries and keys are exchanged: your scores have the shape
def my_bilinear_scores(queries, keys, W):
    mapped = keys @ W.T
    return mapped @ queries.transpose(-2, -1)


# answer: my_distance_scores | wrong | unsqueeze(0) puts the new axis of the keys' norms in front of the batch instead of in the place of the queries | The keys' norms lack the axis of the queries, or have it in
def my_distance_scores(queries, keys):
    q_norms = queries.square().sum(-1).unsqueeze(-1)
    k_norms = keys.square().sum(-1).unsqueeze(0)
    return queries @ keys.mT - q_norms / 2 - k_norms / 2


# answer: my_distance_scores | wrong | the two squared norms are subtracted whole, while the product is already that of the halved square | The norms are too large: each enters with a half, as in the
def my_distance_scores(queries, keys):
    q_norms = (queries**2).sum(-1, keepdim=True)
    k_norms = (keys**2).sum(-1, keepdim=True).transpose(-2, -1)
    return torch.matmul(queries, keys.transpose(-2, -1)) - (q_norms + k_norms)


# answer: my_additive_scores | wrong | takes tanh of the query's part and of the key's part each, and adds afterwards, so query and key never meet in the curve | You bent the two parts before adding them. Then the query's
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    from_query = torch.tanh(queries @ W_q.T).unsqueeze(-2)
    from_key = torch.tanh(keys @ W_k.T).unsqueeze(-3)
    return (from_query + from_key) @ w_v


# answer: my_additive_scores | wrong | multiplies with w_v inside the tanh instead of outside | You weighed with w_v before the tanh. Each hidden unit is
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    hidden = (queries @ W_q.mT).unsqueeze(-2) + (keys @ W_k.mT).unsqueeze(-3)
    return torch.tanh(hidden * w_v).sum(dim=-1)


# answer: my_attention | wrong | the scale is the root of the size of the values instead of the size of the keys | Your scale is the root of the values' size. The values do
def my_attention(queries, keys, values):
    size = values.shape[-1]
    scores = queries @ keys.transpose(-2, -1) / size**0.5
    return scores.softmax(dim=-1) @ values


# answer: my_attention | wrong | divides the weights, after the softmax, by the root of the size, instead of the scores before it | You scaled after the softmax: the weights no longer sum to
def my_attention(queries, keys, values):
    scores = torch.matmul(queries, keys.transpose(-2, -1))
    weights = torch.softmax(scores, dim=-1) / math.sqrt(queries.shape[-1])
    return torch.matmul(weights, values)


# answer: my_dot_product_variance | wrong | the number of terms multiplies E[q^2] E[k^2] only and not the subtracted fourth power of the mean | The square of the mean, mean^4, is subtracted once for all
def my_dot_product_variance(mean, std, size):
    second_moment = std**2 + mean**2
    return size * second_moment**2 - mean**4


# answer: my_distance_scores | right, no remark | each query and each key gets two more columns, and a single product does the whole sum
def my_distance_scores(queries, keys):
    def longer(rows, norm_first):
        half_norm = -rows.pow(2).sum(-1, keepdim=True) / 2
        one = torch.ones_like(half_norm)
        extra = [half_norm, one] if norm_first else [one, half_norm]
        return torch.cat([rows, *extra], dim=-1)

    return longer(queries, True) @ longer(keys, False).transpose(-1, -2)


# answer: my_attention | right, no remark | einsum for both products, and a softmax made of logsumexp
def my_attention(queries, keys, values):
    scores = torch.einsum("...qd,...kd->...qk", queries * queries.shape[-1] ** -0.5, keys)
    log_weights = scores - torch.logsumexp(scores, dim=-1, keepdim=True)
    return torch.einsum("...qk,...kv->...qv", log_weights.exp(), values)


# answer: my_dot_product_variance | right, no remark | lets q and k be mean + std or mean - std with equal chances and takes the variance of the four products, since only mean and std matter
def my_dot_product_variance(mean, std, size):
    low, high = mean - std, mean + std
    products = torch.stack([low * low, low * high, high * low, high * high])
    return size * products.var(dim=0, unbiased=False)


# answer: my_weights | wrong | The keys' axis is counted from the front: axis 2 is right only with exactly one leading axis. | Your weights sum to 1 along axis 2, which holds the keys
def my_weights(scores):
    return scores.softmax(dim=2)


# answer: my_distance_scores | wrong | The squared norm of the keys is added and not subtracted. | The key's norm has the wrong sign: half of it is to be
def my_distance_scores(queries, keys):
    products = queries @ keys.transpose(-2, -1)
    query_norms = queries.square().sum(-1, keepdim=True)
    key_norms = keys.square().sum(-1).unsqueeze(-2)
    return products - (query_norms - key_norms) / 2


# answer: my_additive_scores | wrong | The tanh is taken of the query and of the key separately, and the results are added, in place of one tanh of the sum. | You bent the two parts before adding them. Then the
def my_additive_scores(queries, keys, W_q, W_k, w_v):
    q = torch.tanh(queries @ W_q.T).unsqueeze(-2)
    k = torch.tanh(keys @ W_k.T).unsqueeze(-3)
    return (q + k) @ w_v


# answer: my_attention | wrong | The scores are divided by the square root of the size of the values, not of the keys. | Your scale is the root of the values' size. The values do
def my_attention(queries, keys, values):
    scores = torch.matmul(queries, keys.mT) / values.size(-1) ** 0.5
    scores = scores - scores.amax(-1, keepdim=True)
    weights = scores.exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return torch.matmul(weights, values)


# answer: my_dot_product_variance | wrong | The product of the two squared means is taken as the mean squared, where it should be the fourth power. | You subtracted mean^2. The mean of a term q_i k_i is mean
def my_dot_product_variance(mean, std, size):
    second_moment = std**2 + mean**2
    return size * (second_moment**2 - mean**2)


# answer: my_distance_scores | right | one single matrix product of lengthened vectors, which carry the norms as two further numbers
def my_distance_scores(queries, keys):
    def lengthened(x, first):
        norm = -(x * x).sum(-1, keepdim=True) / 2
        one = torch.ones_like(norm)
        return torch.cat([x, norm, one] if first else [x, one, norm], dim=-1)

    return lengthened(queries, True) @ lengthened(keys, False).transpose(-1, -2)


# answer: my_bilinear_scores | right | projects the keys with W and not the queries, and makes the table the wrong way around before it is turned
def my_bilinear_scores(queries, keys, W):
    return (F.linear(keys, W) @ queries.mT).mT

# answer: my_attention | wrong | the scores with the other sign | scores with the other sign
def my_attention(queries, keys, values):
    return (-(queries @ keys.mT) / keys.shape[-1] ** 0.5).softmax(-1) @ values


# answer: my_weights | wrong | the mean of each row taken off | You subtract the mean of each row
def my_weights(scores):
    e = (scores - scores.mean(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | the least score of each row taken off | You subtract the least score
def my_weights(scores):
    positive = scores - scores.amin(dim=-1, keepdim=True)
    return positive.exp() / positive.exp().sum(dim=-1, keepdim=True)


# answer: my_weights | wrong | the largest size taken off | You subtract the largest size
def my_weights(scores):
    e = torch.exp(scores - scores.abs().amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | the largest of each key taken off, over the queries | You subtract the largest score of each key
def my_weights(scores):
    e = (scores - scores.max(dim=-2, keepdim=True).values).exp()
    return e / e.sum(dim=-1, keepdim=True)


# answer: my_weights | wrong | scores cut off at 80 on both sides | You cut scores off at a limit
def my_weights(scores):
    e = torch.clamp(scores, -80, 80).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | divided by the largest size, not lowered by it | You divide each row by its largest size
def my_weights(scores):
    e = (scores / scores.abs().amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | in 64 bits, which end at 709 | Large scores give NaN
def my_weights(scores):
    e = scores.double().exp()
    return (e / e.sum(-1, keepdim=True)).to(scores.dtype)


# answer: my_weights | right | a loop over all rows
def my_weights(scores):
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]):
        e = torch.exp(row - row.max())
        rows.append(e / e.sum())
    return torch.stack(rows).reshape(scores.shape)


# answer: my_weights | wrong | a ready-made softmax | made of `exp` and a division
def my_weights(scores):
    return scores.softmax(-1)


# answer: my_weights | wrong | a ready-made softmax of the course | made of `exp` and a division
def my_weights(scores):
    return masked_softmax(scores)


# answer: my_weights | wrong | exponentials as they are | the exponentials of the first two are infinite
def my_weights(scores):
    e = scores.exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | the maximum, but not below 0 | but no number below 0
def my_weights(scores):
    e = (scores - scores.amax(-1, keepdim=True).clamp(min=0)).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | halfway between largest and least | halfway between the largest and the least
def my_weights(scores):
    mid = (scores.amax(-1, keepdim=True) + scores.amin(-1, keepdim=True)) / 2
    e = (scores - mid).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | the sum over the queries | divided by the sum of its column
def my_weights(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-2, keepdim=True)


# answer: my_weights | wrong | the sum of everything | by the sum of all exponentials
def my_weights(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum()


# answer: my_weights | wrong | a small number in the divisor | A small number in the divisor keeps 0 / 0 away
def my_weights(scores):
    e = scores.exp()
    return e / (e.sum(-1, keepdim=True) + 1e-9)


# answer: my_weights | wrong | the maximum added | You add the largest score
def my_weights(scores):
    e = (scores + scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | the median | You subtract the median
def my_weights(scores):
    e = (scores - scores.median(-1, keepdim=True).values).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | the last score taken off | You subtract the last score
def my_weights(scores):
    e = (scores - scores[..., -1:]).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | the first score taken off | You subtract the first score
def my_weights(scores):
    e = (scores - scores[..., :1]).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | lowered in the numerator alone | lower the scores in the numerator alone
def my_weights(scores):
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / scores.exp().sum(-1, keepdim=True)


# answer: my_weights | wrong | divided by 100 | those of the scores times 0.01
def my_weights(scores):
    e = (scores / 100).exp()
    return e / e.sum(-1, keepdim=True)


# answer: my_weights | wrong | lowered in the sum alone | lower the scores in the sum alone
def my_weights(scores):
    total = (scores - scores.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True)
    return scores.exp() / total
