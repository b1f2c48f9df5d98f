# answer: my_attn_mask | right | repeats each sentence in a row
def my_attn_mask(mask, num_heads):
    batch, m = mask.shape
    return (~mask)[:, None].expand(-1, m, -1).repeat_interleave(num_heads, 0)


# answer: my_attn_mask | right | an axis for the heads, then joined
def my_attn_mask(mask, num_heads):
    b, m = mask.shape
    return (
        mask.logical_not().view(b, 1, 1, m).expand(b, num_heads, m, m).reshape(b * num_heads, m, m)
    )


# answer: my_attn_mask | wrong | polarity as it came | leaves out what is True
def my_attn_mask(mask, num_heads):
    m = mask.shape[1]
    return mask[:, None].expand(-1, m, -1).repeat_interleave(num_heads, 0)


# answer: my_attn_mask | wrong | repeat instead of repeat_interleave | sentence 0 num_heads times
def my_attn_mask(mask, num_heads):
    m = mask.shape[1]
    return (~mask)[:, None].expand(-1, m, -1).repeat(num_heads, 1, 1)


# answer: my_attn_mask | wrong | four axes, as the fused function takes | three axes
def my_attn_mask(mask, num_heads):
    b, m = mask.shape
    return (~mask)[:, None, None].expand(b, num_heads, m, m)


# answer: my_attn_mask | wrong | both of a pair must be real | hide the keys alone
def my_attn_mask(mask, num_heads):
    pairs = mask[:, :, None] & mask[:, None]
    return (~pairs).repeat_interleave(num_heads, dim=0)


# answer: my_attn_mask | wrong | minus infinity to be added | Bools are asked for
def my_attn_mask(mask, num_heads):
    m = mask.shape[1]
    out = (~mask)[:, None].expand(-1, m, -1).repeat_interleave(num_heads, 0)
    return torch.zeros(out.shape).masked_fill(out, float("-inf"))


# answer: my_attn_mask | wrong | numbers 0 and 1 | bool
def my_attn_mask(mask, num_heads):
    m = mask.shape[1]
    return (1 - mask.int())[:, None].expand(-1, m, -1).repeat_interleave(num_heads, 0)


# answer: my_all_heads | right | vmap twice
def my_all_heads(queries, keys, values):
    def one(q, k, v):
        return (q @ k.T / q.shape[-1] ** 0.5).softmax(-1) @ v

    return torch.func.vmap(torch.func.vmap(one, in_dims=1, out_dims=1))(queries, keys, values)


# answer: my_all_heads | right | einsum
def my_all_heads(queries, keys, values):
    scores = torch.einsum("bnhs,bmhs->bhnm", queries, keys) / queries.shape[-1] ** 0.5
    return torch.einsum("bhnm,bmhs->bnhs", scores.softmax(-1), values)


# answer: my_all_heads | right | a loop over heads
def my_all_heads(queries, keys, values):
    out = []
    for h in range(queries.shape[2]):
        q, k, v = queries[:, :, h], keys[:, :, h], values[:, :, h]
        out.append((q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v)
    return torch.stack(out, 2)


# answer: my_all_heads | right | the fused function, axes moved there and back
def my_all_heads(queries, keys, values):
    q, k, v = (X.transpose(1, 2) for X in (queries, keys, values))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2)


# answer: my_all_heads | wrong | out_dims forgotten | say out_dims
def my_all_heads(queries, keys, values):
    def one(q, k, v):
        return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v

    return torch.func.vmap(one, in_dims=2)(queries, keys, values)


# answer: my_all_heads | wrong | out_dims forgotten inside | PyTorch's order
def my_all_heads(queries, keys, values):
    def one(q, k, v):
        return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v

    return torch.func.vmap(torch.func.vmap(one, in_dims=1))(queries, keys, values)


# answer: my_all_heads | wrong | reshape for transpose | `reshape` puts numbers of other words
def my_all_heads(queries, keys, values):
    b, n, h, s = queries.shape
    q, k, v = (X.reshape(b, h, n, s) for X in (queries, keys, values))
    return ((q @ k.mT / s**0.5).softmax(-1) @ v).transpose(1, 2)


# answer: my_all_heads | wrong | no scale | not scaled
def my_all_heads(queries, keys, values):
    scores = torch.einsum("bnhs,bmhs->bhnm", queries, keys)
    return torch.einsum("bhnm,bmhs->bnhs", scores.softmax(-1), values)


# answer: my_inverted | right | computes what an inverted mask gives
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.T / queries.shape[-1] ** 0.5
    wrong = scores.masked_fill(mask, float("-inf")).softmax(-1) @ values
    return int((outputs - wrong).abs().sum((1, 2)).argmin())


# answer: my_inverted | right | the farthest from the right one, which is enough here
def my_inverted(outputs, queries, keys, values, mask):
    good = attend(queries @ keys.mT / queries.shape[-1] ** 0.5, values, mask)[0]
    return (outputs - good).norm(dim=(1, 2)).argmax().item()


# answer: my_inverted | wrong | finds the right one | This is the place of the output with the right mask
def my_inverted(outputs, queries, keys, values, mask):
    good = attend(queries @ keys.mT / queries.shape[-1] ** 0.5, values, mask)[0]
    return (outputs - good).norm(dim=(1, 2)).argmin().item()


# answer: my_inverted | wrong | argmax for argmin | place of the output with the right mask
def my_inverted(outputs, queries, keys, values, mask):
    wrong = attend(queries @ keys.mT / queries.shape[-1] ** 0.5, values, ~mask)[0]
    return int((outputs - wrong).abs().sum((1, 2)).argmax())


# answer: my_inverted | wrong | signs cancel | absolute values first
def my_inverted(outputs, queries, keys, values, mask):
    wrong = attend(queries @ keys.mT / queries.shape[-1] ** 0.5, values, ~mask)[0]
    return int((outputs - wrong).sum((1, 2)).argmin())


# answer: my_scale | right | least squares of what is left without the rows' means
def my_scale(queries, keys, weights):
    s, w = queries @ keys.mT, weights.log()
    s, w = s - s.mean(-1, keepdim=True), w - w.mean(-1, keepdim=True)
    return (s * w).sum() / (s * s).sum()


# answer: my_scale | right | two keys of one row are enough
def my_scale(queries, keys, weights):
    s, w = (queries @ keys.mT)[0], weights[0].log()
    a, b = s.argmax(), s.argmin()
    return (w[a] - w[b]) / (s[a] - s[b])


# answer: my_scale | wrong | forgets the constant of a row | take its mean away first
def my_scale(queries, keys, weights):
    s, w = queries @ keys.mT, weights.log()
    return (s * w).sum() / (s * s).sum()


# answer: my_scale | wrong | what it was divided by | multiplied by is asked for
def my_scale(queries, keys, weights):
    s, w = queries @ keys.mT, weights.log()
    s, w = s - s.mean(-1, keepdim=True), w - w.mean(-1, keepdim=True)
    return (s * s).sum() / (s * w).sum()


# answer: my_scale | wrong | a number for each row | All of them share one scale
def my_scale(queries, keys, weights):
    s, w = queries @ keys.mT, weights.log()
    s, w = s - s.mean(-1, keepdim=True), w - w.mean(-1, keepdim=True)
    return (s * w).sum(-1) / (s * s).sum(-1)


# answer: my_scale | wrong | no logarithm | The logarithm undoes softmax
def my_scale(queries, keys, weights):
    s, w = queries @ keys.mT, weights
    s, w = s - s.mean(-1, keepdim=True), w - w.mean(-1, keepdim=True)
    return (s * w).sum() / (s * s).sum()


# answer: my_attn_mask | wrong | causal as well | Nothing in the exercise is causal
def my_attn_mask(mask, num_heads):
    b, m = mask.shape
    out = (~mask)[:, None, :] | torch.ones(m, m, dtype=torch.bool).triu(1)
    return out.repeat_interleave(num_heads, dim=0)


# answer: my_all_heads | wrong | the fused function on the axes as they are | heads attend to each other
def my_all_heads(queries, keys, values):
    return torch.nn.functional.scaled_dot_product_attention(queries, keys, values)


# answer: my_all_heads | wrong | one head's weights for all | Each head has weights of its own
def my_all_heads(queries, keys, values):
    s = torch.einsum("bnd,bmd->bnm", queries[:, :, 0], keys[:, :, 0]) / queries.shape[-1] ** 0.5
    return torch.einsum("bnm,bmhd->bnhd", s.softmax(-1), values)


# answer: my_inverted | wrong | looks for equal numbers | works in 1 of 9 cases
def my_inverted(outputs, queries, keys, values, mask):
    wrong = attend(queries @ keys.mT / queries.shape[-1] ** 0.5, values, ~mask)[0]
    return [torch.equal(output, wrong) for output in outputs].index(True)


# answer: my_inverted | wrong | without the scale | without the scale
def my_inverted(outputs, queries, keys, values, mask):
    wrong = attend(queries @ keys.mT, values, ~mask)[0]
    return int((outputs - wrong).abs().amax((1, 2)).argmin())


# answer: my_scale | wrong | chooses among three | It may be any number
def my_scale(queries, keys, weights):
    d, scores = queries.shape[-1], queries @ keys.T
    known = [1.0, d**-0.5, 1 / d]
    gaps = [((s * scores).softmax(-1) - weights).abs().max() for s in known]
    return torch.tensor(known[int(torch.stack(gaps).argmin())])


# answer: my_scale | right, no remark | least squares against the first key
def my_scale(queries, keys, weights):
    products = queries @ keys.mT
    odds = (weights / weights[:, :1]).log()[:, 1:].reshape(-1, 1)
    return torch.linalg.lstsq((products - products[:, :1])[:, 1:].reshape(-1, 1), odds).solution[
        0, 0
    ]


# answer: my_scale | right, no remark | the keys with the largest and the smallest product
def my_scale(queries, keys, weights):
    products = queries @ keys.mT
    row = (products.amax(-1) - products.amin(-1)).argmax()
    high, low = products[row].argmax(), products[row].argmin()
    return (weights[row, high] / weights[row, low]).log() / (
        products[row, high] - products[row, low]
    )


# answer: my_all_heads | wrong | root of heads | You divide by the square root of the number of heads
def my_all_heads(queries, keys, values):
    q, k, v = (a.transpose(1, 2) for a in (queries, keys, values))
    w = (q @ k.mT / q.shape[1] ** 0.5).softmax(-1)
    return (w @ v).transpose(1, 2)


# answer: my_inverted | wrong | scores times the mask | You multiply the scores by the mask, and exp(0) is 1: the
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    wrong = (scores * ~mask).softmax(-1) @ values
    return int((outputs - wrong).abs().sum((1, 2)).argmin())


# answer: my_attn_mask | wrong | repeats the whole batch for each head (sentence 0, 1, 0, 1) in place of each sentence for its heads (0, 0, 1, 1); right for one sentence | Your masks come in the order of `repeat`: all sentences
def my_attn_mask(mask, num_heads):
    m = mask.shape[1]
    hidden = ~mask[:, None, :].expand(-1, m, -1)
    return hidden.repeat(num_heads, 1, 1)


# answer: my_attn_mask | wrong | hides the rows of empty slots too, so their queries may read nothing at all | You also hide the queries of empty slots. A row that is all
def my_attn_mask(mask, num_heads):
    may_read = mask[:, :, None] & mask[:, None, :]
    return (~may_read).repeat_interleave(num_heads, dim=0)


# answer: my_all_heads | wrong | does not bring the heads before the words, so at each place the heads attend to each other | Your heads attend to each other, within each word: on
def my_all_heads(queries, keys, values):
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    return scores.softmax(-1) @ values


# answer: my_all_heads | wrong | reshapes the output from (batch, heads, n, size) to the wanted shape in place of swapping the axes back | Your result has the right shape, but it was reshaped: words
def my_all_heads(queries, keys, values):
    q, k, v = (X.transpose(1, 2) for X in (queries, keys, values))
    weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
    return (weights @ v).reshape(queries.shape)


# answer: my_inverted | wrong | computes the result of the right mask and returns where that one stands, not the inverted one | This is the place of the output with the right mask. The
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    expected = scores.masked_fill(~mask, -math.inf).softmax(-1) @ values
    return (outputs - expected).abs().sum((1, 2)).argmin().item()


# answer: my_inverted | wrong | adds up the differences with their signs and takes the absolute value of the sum, so large differences can cancel | Differences of both signs cancel in your sum. Take their
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    expected = scores.masked_fill(mask, -math.inf).softmax(-1) @ values
    apart = [(output - expected).sum().abs().item() for output in outputs]
    return apart.index(min(apart))


# answer: my_scale | wrong | takes the mean away from logs and products over the queries (axis 0), but the unknown constant belongs to each row | You take away the mean of each column. The constant belongs
def my_scale(queries, keys, weights):
    products = queries @ keys.T
    logs = weights.log()
    x = products - products.mean(0, keepdim=True)
    y = logs - logs.mean(0, keepdim=True)
    return (x * y).sum() / (x * x).sum()


# answer: my_scale | wrong | reads the scale from the first query and its first two keys alone, which gives 0/0 where these two products are equal | You read the scale off one pair of weights. Where the two
def my_scale(queries, keys, weights):
    products = queries @ keys.T
    odds = weights[0, 0] / weights[0, 1]
    return odds.log() / (products[0, 0] - products[0, 1])


# answer: my_attn_mask | right, no remark | computes the sentence of each row of the result as row // num_heads and indexes with it
def my_attn_mask(mask, num_heads):
    batch, m = mask.shape
    which = torch.arange(batch * num_heads).div(num_heads, rounding_mode="floor")
    query_free = torch.zeros(m, 1, dtype=torch.bool)
    return mask.logical_not()[which].unsqueeze(1) | query_free


# answer: my_inverted | right, no remark | takes the keys that the inverted mask reads out of the tensors instead of masking, and compares root mean squares
def my_inverted(outputs, queries, keys, values, mask):
    rest = torch.nonzero(mask == 0).flatten()
    k, v = keys.index_select(0, rest), values.index_select(0, rest)
    scores = torch.einsum("nd,md->nm", queries, k) * queries.shape[1] ** -0.5
    weights = (scores - scores.logsumexp(1, keepdim=True)).exp()
    apart = [float((weights @ v - outputs[i]).square().mean().sqrt()) for i in range(3)]
    return min(range(3), key=apart.__getitem__)


# answer: my_scale | right, no remark | a straight line through log weight against product, each row centered and weighted by the weights themselves, so that weights of 0 do no harm
def my_scale(queries, keys, weights):
    x, w = (queries @ keys.T).double(), weights.double()
    y = torch.where(w > 0, w.clamp(min=1e-300).log(), torch.zeros_like(w))
    share = w / w.sum(-1, keepdim=True)
    x = x - (share * x).sum(-1, keepdim=True)
    y = y - (share * y).sum(-1, keepdim=True)
    return ((share * x * y).sum() / (share * x * x).sum()).to(weights.dtype)


# answer: my_all_heads | wrong | // in place of / | You divide with //, which cuts all decimals off the scores
def my_all_heads(queries, keys, values):
    q, k, v = (a.transpose(1, 2) for a in (queries, keys, values))
    return ((q @ k.mT // q.shape[-1] ** 0.5).softmax(-1) @ v).transpose(1, 2)


# answer: my_inverted | wrong | d in place of its root | You divide the scores by d itself, so that the wrong output
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.mT / queries.shape[-1]
    wrong = scores.masked_fill(mask, -torch.inf).softmax(-1) @ values
    return int((outputs - wrong).abs().sum((1, 2)).argmin())


# answer: my_attn_mask | wrong | All sentences are repeated as a block, so the first axis runs head by head and not sentence by sentence. | Your masks come in the order of `repeat`: all sentences,
def my_attn_mask(mask, num_heads):
    batch, m = mask.shape
    return ~mask[:, None, :].expand(batch, m, m).repeat(num_heads, 1, 1)


# answer: my_all_heads | wrong | The square root is that of the number of heads, the third axis, and not of the size, the last one. | You divide by the square root of the number of heads.
def my_all_heads(queries, keys, values):
    q, k, v = (x.transpose(1, 2) for x in (queries, keys, values))
    scores = q @ k.mT / math.sqrt(queries.shape[2])
    return (scores.softmax(-1) @ v).transpose(1, 2)


# answer: my_inverted | wrong | It takes the result farthest from the one without a mask, which is the right one where the hidden keys hold more of the weight. | You take the output that is farthest from the one without
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    forgotten = scores.softmax(-1) @ values
    off = (outputs - forgotten).square().sum((1, 2))
    return int(off.argmax())


# answer: my_scale | wrong | The constant that softmax subtracts in each row is forgotten: the log of a weight is not yet s times the product. | You compare scores and log weights as they are. Each row
def my_scale(queries, keys, weights):
    products = queries @ keys.T
    return (products * weights.log()).sum() / products.square().sum()


# answer: my_scale | right | a regression of the logs on the products within each row, in which each key counts as much as its weight
def my_scale(queries, keys, weights):
    w = weights.double()
    a, b = queries.double() @ keys.double().T, w.clamp(min=1e-300).log()
    share = w / w.sum(-1, keepdim=True)
    a = a - (share * a).sum(-1, keepdim=True)
    b = b - (share * b).sum(-1, keepdim=True)
    return ((share * a * b).sum() / (share * a * a).sum()).to(weights.dtype)


# answer: my_attn_mask | right | finds the sentence of each of the batch * num_heads slices by dividing its number
def my_attn_mask(mask, num_heads):
    batch, m = mask.shape
    sentence = torch.arange(batch * num_heads) // num_heads
    empty = mask.logical_not()[sentence]
    return torch.stack([empty] * m, dim=1)


# answer: my_inverted | wrong | the second nearest to the one without a mask | You take the output that comes next to the one without a
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    off = (outputs - scores.softmax(-1) @ values).square().sum((1, 2))
    return int(off.argsort()[1])


# answer: my_inverted | right | the farthest from the right one
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    right = scores.masked_fill(~mask, -math.inf).softmax(-1) @ values
    return int((outputs - right).abs().sum((1, 2)).argmax())


# answer: my_inverted | wrong | mask after the softmax | You set the weights of the keys that may not be read to 0
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    weights = scores.softmax(-1) * ~mask
    return int((outputs - weights @ values).abs().sum((1, 2)).argmin())


# answer: my_inverted | wrong | the first query alone | You compare the first query alone, and it may give the
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    wrong = scores.masked_fill(mask, -math.inf).softmax(-1) @ values
    return int((outputs - wrong)[:, 0].abs().sum(-1).argmin())


# answer: my_inverted | wrong | softmax over the queries | Your softmax runs over the queries. It runs over the
def my_inverted(outputs, queries, keys, values, mask):
    scores = queries @ keys.T / math.sqrt(queries.shape[-1])
    weights = scores.masked_fill(mask, -math.inf).softmax(0).nan_to_num()
    return int((outputs - weights @ values).abs().sum((1, 2)).argmin())


# answer: my_scale | wrong | a small number in the logarithm | In your logarithm stands a small number, 1e-08, added or
def my_scale(queries, keys, weights):
    s, w = queries @ keys.T, (weights + 1e-8).log()
    s, w = (a - a.mean(-1, keepdim=True) for a in (s, w))
    return (s * w).sum() / (s * s).sum()


# answer: my_reads_padding | right, no remark | 9 in all hidden keys and values, allclose
def my_reads_padding(attention, q, k, v, mask):
    hidden = ~mask.unsqueeze(1)
    before = attention(q, k, v, mask)
    after = attention(q, k.masked_fill(hidden, 9.0), v.masked_fill(hidden, 9.0), mask)
    return not torch.allclose(before, after, atol=1e-6)


# answer: my_reads_padding | right, no remark | random numbers three times, NaN asked for
def my_reads_padding(attention, q, k, v, mask):
    before = attention(q, k, v, mask)
    if before.isnan().any():
        return True
    for _ in range(3):
        other_k, other_v = k.clone(), v.clone()
        other_k[~mask] = torch.randn_like(k)[~mask]
        other_v[~mask] = torch.randn_like(v)[~mask]
        after = attention(q, other_k, other_v, mask)
        if after.isnan().any() or (after - before).abs().max() > 1e-6:
            return True
    return False


# answer: my_reads_padding | right, no remark | first the keys, then the values; a comparison that NaN fails
def my_reads_padding(attention, q, k, v, mask):
    more = 3.0 * (~mask).float()[:, None]
    before = attention(q, k, v, mask)
    still = all(
        ((attention(q, *changed, mask) - before).abs() < 1e-6).all()
        for changed in ((k + more, v), (k, v - more))
    )
    return not still


# answer: my_reads_padding | right | takes the padding out, which must change nothing
def my_reads_padding(attention, q, k, v, mask):
    without = attention(q, k[mask], v[mask], mask[mask])
    return ~((attention(q, k, v, mask) - without).abs() <= 1e-6).all()


# answer: my_reads_padding | right, no remark | torch.where, one slot of padding after the other and all of them
def my_reads_padding(attention, q, k, v, mask):
    before = attention(q, k, v, mask)
    slots = torch.eye(len(mask), dtype=torch.bool)[~mask]
    for chosen in [*slots, ~mask]:
        rows = chosen.unsqueeze(-1)
        after = attention(q, torch.where(rows, k + 2, k), torch.where(rows, v + 2, v), mask)
        if not torch.allclose(after, before, rtol=1e-6, atol=1e-6):
            return True
    return False


# answer: my_reads_padding | wrong | the values of the padding alone | You change the values of the padding alone
def my_reads_padding(attention, q, k, v, mask):
    before = attention(q, k, v, mask)
    after = attention(q, k, v.masked_fill(~mask[:, None], 9.0), mask)
    return not torch.allclose(before, after, atol=1e-6)


# answer: my_reads_padding | wrong | the keys of the padding alone | You change the keys of the padding alone
def my_reads_padding(attention, q, k, v, mask):
    changed = k.clone()
    changed[~mask] += 5
    return not torch.allclose(attention(q, k, v, mask), attention(q, changed, v, mask), atol=1e-6)


# answer: my_reads_padding | wrong | sets the padding to 0, which it often is | leaves a padding of zeros as it is
def my_reads_padding(attention, q, k, v, mask):
    rows = mask[:, None]
    return not torch.allclose(attention(q, k, v, mask), attention(q, k * rows, v * rows, mask), atol=1e-6)


# answer: my_reads_padding | wrong | doubles the padding | leaves a padding of zeros as it is
def my_reads_padding(attention, q, k, v, mask):
    times = torch.where(mask, 1.0, 2.0)[:, None]
    away = attention(q, k * times, v * times, mask) - attention(q, k, v, mask)
    return not bool((away.abs() < 1e-6).all())


# answer: my_reads_padding | wrong | no question about NaN | An output that is NaN is no number
def my_reads_padding(attention, q, k, v, mask):
    other_k, other_v = k.clone(), v.clone()
    other_k[~mask], other_v[~mask] = 9.0, 9.0
    away = (attention(q, other_k, other_v, mask) - attention(q, k, v, mask)).abs()
    return bool((away > 1e-6).any())


# answer: my_reads_padding | wrong | equal numbers are asked for | Rounding makes some near 1e-7
def my_reads_padding(attention, q, k, v, mask):
    hidden = ~mask[:, None]
    after = attention(q, k.masked_fill(hidden, 9.0), v.masked_fill(hidden, 9.0), mask)
    return not torch.equal(after, attention(q, k, v, mask))


# answer: my_reads_padding | wrong | a limit of 0.1 beside small changes | Small leaks go unseen
def my_reads_padding(attention, q, k, v, mask):
    more = (~mask).float()[:, None]
    away = attention(q, k + more, v + more, mask) - attention(q, k, v, mask)
    return not bool((away.abs() < 0.1).all())


# answer: my_reads_padding | wrong | fills the padding with NaN | 0 times infinity is NaN
def my_reads_padding(attention, q, k, v, mask):
    hidden = ~mask[:, None]
    after = attention(q, k.masked_fill(hidden, torch.nan), v.masked_fill(hidden, torch.nan), mask)
    return bool(after.isnan().any())


# answer: my_reads_padding | wrong | changes the words in place of the padding | You change the words, and each right
def my_reads_padding(attention, q, k, v, mask):
    rows = mask[:, None]
    after = attention(q, k.masked_fill(rows, 9.0), v.masked_fill(rows, 9.0), mask)
    return not torch.allclose(after, attention(q, k, v, mask), atol=1e-6)


# answer: my_reads_padding | wrong | changes everything | You change the words along with the padding
def my_reads_padding(attention, q, k, v, mask):
    return not torch.allclose(attention(q, k + 1, v + 1, mask), attention(q, k, v, mask), atol=1e-6)


# answer: my_reads_padding | wrong | writes into k and v before the first call | You find no attention that reads padding
def my_reads_padding(attention, q, k, v, mask):
    changed_k, changed_v = k, v
    changed_k[~mask] = 9.0
    changed_v[~mask] = 9.0
    away = attention(q, k, v, mask) - attention(q, changed_k, changed_v, mask)
    return bool((away.abs() > 1e-6).any())


# answer: my_reads_padding | wrong | an answer for each query | Your result has an answer for each query
def my_reads_padding(attention, q, k, v, mask):
    hidden = ~mask[:, None]
    after = attention(q, k.masked_fill(hidden, 9.0), v.masked_fill(hidden, 9.0), mask)
    return ((after - attention(q, k, v, mask)).abs() > 1e-6).any(dim=1)


# answer: my_reads_padding | wrong | how far the output moves | Your result is a number, perhaps how far
def my_reads_padding(attention, q, k, v, mask):
    hidden = ~mask[:, None]
    after = attention(q, k.masked_fill(hidden, 9.0), v.masked_fill(hidden, 9.0), mask)
    return (after - attention(q, k, v, mask)).abs().max()


# answer: my_reads_padding | wrong | differences with their signs cancel | You add up all differences with their signs
def my_reads_padding(attention, q, k, v, mask):
    hidden = ~mask[:, None]
    after = attention(q, k.masked_fill(hidden, 9.0), v.masked_fill(hidden, 9.0), mask)
    away = (after - attention(q, k, v, mask)).sum()
    return not bool(away.abs() < 1e-5)


# answer: my_reads_padding | wrong | the output of the first query alone | You look at the output of the first query
def my_reads_padding(attention, q, k, v, mask):
    hidden = ~mask[:, None]
    after = attention(q, k.masked_fill(hidden, 9.0), v.masked_fill(hidden, 9.0), mask)
    return not torch.allclose(after[0], attention(q, k, v, mask)[0], atol=1e-6)


# answer: my_reads_padding | wrong | the weights of the padding, by values that are names | You look at the weight of the padding
def my_reads_padding(attention, q, k, v, mask):
    weights = attention(q, k, torch.eye(len(k)), mask)
    return bool((weights[:, ~mask].abs() > 1e-6).any())


# answer: my_reads_padding | wrong | says whether it passes | True is asked for where it fails
def my_reads_padding(attention, q, k, v, mask):
    hidden = ~mask[:, None]
    after = attention(q, k.masked_fill(hidden, 9.0), v.masked_fill(hidden, 9.0), mask)
    return torch.allclose(after, attention(q, k, v, mask), atol=1e-6)


# answer: my_reads_padding | wrong | the last slot alone | You change the last slot of padding alone
def my_reads_padding(attention, q, k, v, mask):
    if mask.all():
        return bool(attention(q, k, v, mask).isnan().any())
    last = (~mask).nonzero()[-1]
    other_k, other_v = k.clone(), v.clone()
    other_k[last], other_v[last] = 9.0, 9.0
    return not torch.allclose(attention(q, other_k, other_v, mask), attention(q, k, v, mask), atol=1e-6)


# answer: my_reads_padding | wrong | gives the mask inverted | You give the attention the inverted mask
def my_reads_padding(attention, q, k, v, mask):
    hidden = ~mask[:, None]
    after = attention(q, k.masked_fill(hidden, 9.0), v.masked_fill(hidden, 9.0), ~mask)
    return not torch.allclose(after, attention(q, k, v, ~mask), atol=1e-6)


# answer: my_reads_padding | wrong | an output that grows, no size taken | You see an output that grows, and none that falls
def my_reads_padding(attention, q, k, v, mask):
    more = (~mask).float()[:, None]
    away = attention(q, k + more, v + more, mask) - attention(q, k, v, mask)
    return bool(away.max() > 1e-6) or bool(away.isnan().any())


# answer: my_scale | wrong | averages the quotients of centered logs and products, where a query of zeros gives 0 / 0 | Add up first, then divide once
def my_scale(queries, keys, weights):
    products, logs = queries @ keys.T, weights.log()
    products, logs = (t - t.mean(1, keepdim=True) for t in (products, logs))
    return (logs / products).mean()


# answer: my_two_calls | right | axes added by None
def my_two_calls(attention, layer, q, k, v, mask):
    jax_out = attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0]
    return jax_out, layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | right | a list; masks expanded; arguments by name
def my_two_calls(attention, layer, q, k, v, mask):
    b, n, _ = q.shape
    m = k.shape[1]
    full = mask[:, None].expand(b, n, m)
    heads = [X.unsqueeze(2) for X in (q, k, v)]
    return [attention(*heads, mask=full[:, None]).squeeze(2), layer(query=q, key=k, value=v, attention_mask=full)]


# answer: my_two_calls | right | minus infinity as the bias, key_mask
def my_two_calls(attention, layer, q, k, v, mask):
    add = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)[:, None, None]
    one = attention(q.unsqueeze(-2), k.unsqueeze(-2), v.unsqueeze(-2), bias=add)
    return one.flatten(2), layer(q, v, k, key_mask=mask)


# answer: my_two_calls | wrong | layer(q, k, v) | gets keys as values and values as keys
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0], layer(q, k, v, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | the mask as JAX's fourth argument | is the fourth argument
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask[:, None, None])[:, :, 0], layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | the head before the words | (batch, words, heads, size)
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, None], k[:, None], v[:, None], mask=mask[:, None, None])[:, 0], layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | a mask of three axes for JAX | mask must be bools with 4 axes
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None])[:, :, 0], layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | mask= for Keras | unexpected keyword argument 'mask'
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0], layer(q, v, k, mask=mask[:, None])


# answer: my_two_calls | wrong | both masks inverted, as the module wants them | For JAX, True means read
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=~mask[:, None, None])[:, :, 0], layer(q, v, k, attention_mask=~mask[:, None])


# answer: my_two_calls | wrong | the axis of the head stays | still has an axis for its one head
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None]), layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | no axis for the head | (batch, words, heads, size)
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q, k, v, mask=mask[:, None, None]), layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | the mask as Keras' fourth argument | hides queries
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0], layer(q, v, k, mask)


# answer: my_two_calls | wrong | a mask of two axes for Keras | attention_mask is (batch, n, m)
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0], layer(q, v, k, attention_mask=mask)


# answer: my_two_calls | wrong | padding set to 0 in the values | Keras' output is right, JAX's is not
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], (v * mask[..., None])[:, :, None])[:, :, 0], layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | scaled once more | Both calls do that themselves
def my_two_calls(attention, layer, q, k, v, mask):
    q = q / q.shape[-1] ** 0.5
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0], layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | no keys for Keras | gets no keys
def my_two_calls(attention, layer, q, k, v, mask):
    return attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0], layer(q, v, attention_mask=mask[:, None])


# answer: my_from_gpt2 | right | split and chunk
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, k, v = (W.T for W in attn_weight.split(len(attn_weight), 1))
    a, b, c = attn_bias.chunk(3)
    return {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v, "W_q.bias": a, "W_k.bias": b, "W_v.bias": c, "W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | right | one transposition, then reshaped; a loop
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    w = attn_weight.shape[0]
    weights, biases = attn_weight.T.reshape(3, w, w), attn_bias.view(3, w)
    out = {"W_o.weight": proj_weight.t().contiguous(), "W_o.bias": proj_bias.clone()}
    for i, p in enumerate("qkv"):
        out[f"W_{p}.weight"], out[f"W_{p}.bias"] = weights[i], biases[i]
    return out


# answer: my_from_gpt2 | wrong | queries, keys and values as they are | are (in, out), as in the file
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, k, v = attn_weight.chunk(3, 1)
    a, b, c = attn_bias.chunk(3)
    return {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v, "W_q.bias": a, "W_k.bias": b, "W_v.bias": c, "W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | the output as it is | has to be transposed like the others
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, k, v = attn_weight.T.chunk(3)
    a, b, c = attn_bias.chunk(3)
    return {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v, "W_q.bias": a, "W_k.bias": b, "W_v.bias": c, "W_o.weight": proj_weight, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | nothing transposed | `W_o.weight` is as in the file
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, k, v = attn_weight.chunk(3, 1)
    a, b, c = attn_bias.chunk(3)
    return {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v, "W_q.bias": a, "W_k.bias": b, "W_v.bias": c, "W_o.weight": proj_weight, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | reshaped where columns are to be cut | in their order into three matrices
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    w = len(attn_weight)
    q, k, v = attn_weight.reshape(3, w, w)
    a, b, c = attn_bias.chunk(3)
    return {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v, "W_q.bias": a, "W_k.bias": b, "W_v.bias": c, "W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | every third column | You take every third column
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    return {f"W_{p}.weight": attn_weight[:, i::3].T for i, p in enumerate("qkv")} | {f"W_{p}.bias": attn_bias[i::3] for i, p in enumerate("qkv")} | {"W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | names of its own | `W_q.weight` is missing
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, k, v = attn_weight.T.chunk(3)
    return {"q.weight": q, "k.weight": k, "v.weight": v, "o.weight": proj_weight.T}


# answer: my_from_gpt2 | wrong | no biases | `W_q.bias` is missing
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, k, v = attn_weight.T.chunk(3)
    return {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v, "W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | rows in place of columns | must have shape (3, 3)
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, k, v = attn_weight.chunk(3)
    a, b, c = attn_bias.chunk(3)
    return {"W_q.weight": q.T, "W_k.weight": k.T, "W_v.weight": v.T, "W_q.bias": a, "W_k.bias": b, "W_v.bias": c, "W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | the names of PyTorch's module | `W_q.weight` is missing
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    return {"in_proj_weight": attn_weight.T, "in_proj_bias": attn_bias, "out_proj.weight": proj_weight.T, "out_proj.bias": proj_bias}


# answer: my_from_gpt2 | wrong | q, v, k | Your keys and values are swapped
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, v, k = attn_weight.T.chunk(3)
    a, c, b = attn_bias.chunk(3)
    return {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v, "W_q.bias": a, "W_k.bias": b, "W_v.bias": c, "W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | q, v, k in the matrices alone | W_k.weight and W_v.weight
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, v, k = attn_weight.T.chunk(3)
    a, b, c = attn_bias.chunk(3)
    return {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v, "W_q.bias": a, "W_k.bias": b, "W_v.bias": c, "W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | a tuple of four | a tuple of 4
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    return *attn_weight.T.chunk(3), proj_weight.T


# answer: my_from_gpt2 | wrong | the scale in the queries | W_q.weight and W_q.bias
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, k, v = attn_weight.T.chunk(3)
    a, b, c = attn_bias.chunk(3)
    return {"W_q.weight": q / 8, "W_k.weight": k, "W_v.weight": v, "W_q.bias": a / 8, "W_k.bias": b, "W_v.bias": c, "W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_from_gpt2 | wrong | the bias of the keys left at 0 | No output tells
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    q, k, v = attn_weight.T.chunk(3)
    a, b, c = attn_bias.chunk(3)
    return {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v, "W_q.bias": a, "W_k.bias": 0 * b, "W_v.bias": c, "W_o.weight": proj_weight.T, "W_o.bias": proj_bias}


# answer: my_two_calls | wrong | k, q, v for JAX | JAX gets keys as queries
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(k[:, :, None], q[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0]
    return a, layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | v, k, q for JAX | JAX gets values as queries and queries as values
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(v[:, :, None], k[:, :, None], q[:, :, None], mask=mask[:, None, None])[:, :, 0]
    return a, layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | the keys twice for JAX | JAX gets the keys as values, too
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(q[:, :, None], k[:, :, None], k[:, :, None], mask=mask[:, None, None])[:, :, 0]
    return a, layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | the values twice for JAX | JAX gets the values as keys, too
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(q[:, :, None], v[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0]
    return a, layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | k, v, q for Keras | layer gets keys as queries and queries as keys
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0]
    return a, layer(k, v, q, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | v, k, q for Keras | layer gets all three in other places
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])[:, :, 0]
    return a, layer(v, k, q, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | the mask as a column | In both your mask hides queries
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, :, None])[:, :, 0]
    return a, layer(q, v, k, attention_mask=mask[:, :, None])


# answer: my_two_calls | wrong | causal | Both hide what comes later
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None], is_causal=True)[:, :, 0]
    return a, layer(q, v, k, attention_mask=mask[:, None], use_causal_mask=True)


# answer: my_two_calls | wrong | the root as JAX's scale | the root of d as its scale
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None], scale=q.shape[-1] ** 0.5)[:, :, 0]
    return a, layer(q, v, k, attention_mask=mask[:, None])


# answer: my_two_calls | wrong | the first word for the one head | Its shape is (1, 1, 2)
def my_two_calls(attention, layer, q, k, v, mask):
    a = attention(q[:, :, None], k[:, :, None], v[:, :, None], mask=mask[:, None, None])
    return a[:, 0], layer(q, v, k, attention_mask=mask[:, None])


# answer: my_from_gpt2 | wrong | k, v, q | moved round: the first third of the file is in your keys
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    w = len(proj_bias)
    ours = {"W_o.weight": proj_weight.T, "W_o.bias": proj_bias}
    for p, weight, bias in zip("kvq", attn_weight.split(w, 1), attn_bias.split(w)):
        ours |= {f"W_{p}.weight": weight.T, f"W_{p}.bias": bias}
    return ours


# answer: my_from_gpt2 | wrong | v, q, k | moved round: the first third of the file is in your values
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    w = len(proj_bias)
    ours = {"W_o.weight": proj_weight.T, "W_o.bias": proj_bias}
    for p, weight, bias in zip("vqk", attn_weight.split(w, 1), attn_bias.split(w)):
        ours |= {f"W_{p}.weight": weight.T, f"W_{p}.bias": bias}
    return ours


# answer: my_from_gpt2 | wrong | v, k, q | Your queries and values are swapped
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    w = len(proj_bias)
    ours = {"W_o.weight": proj_weight.T, "W_o.bias": proj_bias}
    for p, weight, bias in zip("vkq", attn_weight.split(w, 1), attn_bias.split(w)):
        ours |= {f"W_{p}.weight": weight.T, f"W_{p}.bias": bias}
    return ours


# answer: my_from_gpt2 | wrong | k, v, q in the matrices alone | Your `W_q.weight` is what belongs into `W_v.weight`
def my_from_gpt2(attn_weight, attn_bias, proj_weight, proj_bias):
    w = len(proj_bias)
    ours = {"W_o.weight": proj_weight.T, "W_o.bias": proj_bias}
    for p, weight in zip("kvq", attn_weight.split(w, 1)):
        ours[f"W_{p}.weight"] = weight.T
    for p, bias in zip("qkv", attn_bias.split(w)):
        ours[f"W_{p}.bias"] = bias
    return ours
