# answer: my_lookahead_mask | wrong | shifts the diagonal the wrong way (minus lookahead) | moved the wrong way
def my_lookahead_mask(num_steps, lookahead):
    return torch.ones(num_steps, num_steps, dtype=torch.bool).tril(-lookahead)


# answer: my_lookahead_mask | wrong | off by one, one key too many | ends one key late
def my_lookahead_mask(num_steps, lookahead):
    return torch.ones(num_steps, num_steps, dtype=torch.bool).tril(diagonal=lookahead + 1)


# answer: my_lookahead_mask | wrong | adds only the key exactly lookahead ahead, not those between | one exactly lookahead steps ahead
def my_lookahead_mask(num_steps, lookahead):
    mask = torch.ones(num_steps, num_steps, dtype=torch.bool).tril()
    for i in range(num_steps):
        if 0 <= i + lookahead < num_steps:
            mask[i, i + lookahead] = True
    return mask


# answer: my_lookahead_mask | wrong | hard-coded four steps | does not depend on `num_steps`
def my_lookahead_mask(num_steps, lookahead):
    n = 4
    return torch.ones(n, n, dtype=torch.bool).tril(lookahead)


# answer: my_lookahead_mask | wrong | lookahead used as the number of keys (a mask that is not square) | Your mask has lookahead columns
def my_lookahead_mask(num_steps, lookahead):
    return torch.ones(num_steps, lookahead, dtype=torch.bool).tril()


# answer: my_lookahead_mask | wrong | crashes: or between a float tensor and a boolean one | make its numbers booleans
def my_lookahead_mask(num_steps, lookahead):
    past = torch.ones(num_steps, num_steps).tril()
    ahead = torch.ones(num_steps, num_steps, dtype=torch.bool).tril(lookahead)
    return past | ahead


# answer: my_lookahead_mask | wrong | crashes: copied the line with n, which has no value in the function | A name is not known
def my_lookahead_mask(num_steps, lookahead):
    return torch.ones(n, n, dtype=torch.bool).tril(lookahead)


# answer: my_lookahead_mask | right | comparison of positions by broadcasting
def my_lookahead_mask(num_steps, lookahead):
    pos = torch.arange(num_steps)
    return pos[None, :] <= pos[:, None] + lookahead


# answer: my_lookahead_mask | right | negated triu
def my_lookahead_mask(num_steps, lookahead):
    future = torch.ones(num_steps, num_steps, dtype=torch.bool).triu(diagonal=lookahead + 1)
    return ~future


# answer: my_padding_mask | wrong | inverted: True at the pads | True stands on the pads
def my_padding_mask(valid_lens, num_keys):
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.unsqueeze(1)
    return torch.arange(num_keys) >= valid_lens.unsqueeze(-1)


# answer: my_padding_mask | wrong | forgets the axis of length 1 for one-dimensional lengths | the axis of the queries is missing
def my_padding_mask(valid_lens, num_keys):
    return torch.arange(num_keys) < valid_lens.unsqueeze(-1)


# answer: my_padding_mask | wrong | the one-dimensional case gets its extra axis at the end (batch, num_keys, 1) | your axis of size 1 stands last
def my_padding_mask(valid_lens, num_keys):
    mask = torch.arange(num_keys) < valid_lens[..., None]
    if valid_lens.dim() == 1:
        mask = mask[:, :, None]
    return mask


# answer: my_padding_mask | wrong | with two dimensions only the first query's length is used | length of the first query
def my_padding_mask(valid_lens, num_keys):
    if valid_lens.dim() == 1:
        return torch.arange(num_keys) < valid_lens.reshape(-1, 1, 1)
    first = valid_lens[:, 0].reshape(-1, 1, 1)
    return (torch.arange(num_keys) < first).expand(-1, valid_lens.shape[1], -1)


# answer: my_padding_mask | wrong | <= lets one pad through + the axis for one-dimensional lengths is missing | 1. The border between words and pads is one key late
def my_padding_mask(valid_lens, num_keys):
    positions = torch.arange(num_keys)
    return positions <= valid_lens.unsqueeze(-1)


# answer: my_padding_mask | wrong | inverted + numbers (0 and -inf) in place of booleans | a mask to be added to scores
def my_padding_mask(valid_lens, num_keys):
    if valid_lens.dim() == 1:
        valid_lens = valid_lens[:, None]
    pads = torch.arange(num_keys) >= valid_lens[:, :, None]
    mask = torch.zeros(pads.shape)
    mask[pads] = float("-inf")
    return mask


# answer: my_padding_mask | right | reshape with -1 covers both cases
def my_padding_mask(valid_lens, num_keys):
    lens = valid_lens.reshape(len(valid_lens), -1, 1)
    return torch.arange(num_keys, device=valid_lens.device).expand(*lens.shape[:2], num_keys) < lens


# answer: my_padding_mask | right | looks the rows up in a table of all masks
def my_padding_mask(valid_lens, num_keys):
    table = torch.ones(num_keys + 1, num_keys).tril(-1).bool()
    rows = table[valid_lens.long().clamp(0, num_keys)]
    return rows if rows.dim() == 3 else rows[:, None]


# answer: my_token_mask | wrong | or instead of and | cells too many are True
def my_token_mask(query_mask, key_mask):
    return query_mask[:, :, None] | key_mask[:, None, :]


# answer: my_token_mask | wrong | uses the key mask only | All your rows are equal
def my_token_mask(query_mask, key_mask):
    b, q = query_mask.shape
    k = key_mask.shape[1]
    return key_mask.unsqueeze(1).expand(b, q, k)


# answer: my_token_mask | wrong | crashes: torch.outer on batches | takes two vectors
def my_token_mask(query_mask, key_mask):
    # outer product = all pairs
    return torch.outer(query_mask, key_mask)


# answer: my_token_mask | wrong | mixes the sentences: key masks are summed over the batch | mixed the sentences
def my_token_mask(query_mask, key_mask):
    return torch.einsum("bq,ck->bqk", query_mask.float(), key_mask.float()) > 0


# answer: my_token_mask | wrong | pairs every sentence with every other (four axes) | You have four axes
def my_token_mask(query_mask, key_mask):
    return query_mask[:, None, :, None] & key_mask[None, :, None, :]


# answer: my_token_mask | wrong | or instead of and + queries and keys swapped | 2. Queries and keys are exchanged
def my_token_mask(query_mask, key_mask):
    a = query_mask.unsqueeze(1)
    b = key_mask.unsqueeze(2)
    both = torch.logical_or(a, b)
    return both


# answer: my_token_mask | wrong | adds instead of and (0, 1, 2) + result is not boolean | gives 0, 1 or 2
def my_token_mask(query_mask, key_mask):
    return query_mask.int()[:, :, None] + key_mask.int()[:, None, :]


# answer: my_token_mask | right | einsum of floats, then > 0.5
def my_token_mask(query_mask, key_mask):
    return torch.einsum("bq,bk->bqk", query_mask.double(), key_mask.double()) > 0.5


# answer: my_token_mask | right | torch.minimum of broadcast bytes
def my_token_mask(query_mask, key_mask):
    q, k = torch.broadcast_tensors(query_mask.byte().unsqueeze(2), key_mask.byte().unsqueeze(1))
    return torch.minimum(q, k).ne(0)


# answer: my_causal_padding_mask | wrong | causal only, lengths ignored | the causal mask alone
def my_causal_padding_mask(valid_lens, num_steps):
    causal = torch.ones(num_steps, num_steps, dtype=torch.bool).tril()
    return causal.expand(len(valid_lens), -1, -1)


# answer: my_causal_padding_mask | wrong | crashes: compares positions with lengths without an axis (unless the sizes happen to fit) | paired one by one
def my_causal_padding_mask(valid_lens, num_steps):
    causal = torch.ones(num_steps, num_steps, dtype=torch.bool).tril()
    real = torch.arange(num_steps) < valid_lens
    return causal & real


# answer: my_causal_padding_mask | wrong | expand shares memory: every sentence is cut at the shortest length | cut at the shortest length
def my_causal_padding_mask(valid_lens, num_steps):
    mask = torch.ones(num_steps, num_steps, dtype=torch.bool).tril()
    mask = mask.expand(len(valid_lens), num_steps, num_steps)
    for b in range(len(valid_lens)):
        mask[b, :, valid_lens[b] :] = False
    return mask


# answer: my_causal_padding_mask | wrong | an axis too many (batch, 1, steps, steps) | in the second place
def my_causal_padding_mask(valid_lens, num_steps):
    pos = torch.arange(num_steps)
    causal = pos <= pos.unsqueeze(1)
    real = pos < valid_lens.reshape(-1, 1, 1, 1)
    return causal & real


# answer: my_causal_padding_mask | wrong | triu in place of tril + padding mask inverted | 2. Your padding part is turned around
def my_causal_padding_mask(valid_lens, num_steps):
    causal = torch.ones(num_steps, num_steps).triu().bool()
    pads = torch.arange(num_steps) >= valid_lens.unsqueeze(1)
    mask = causal & pads.unsqueeze(1)
    return mask


# answer: my_causal_padding_mask | wrong | left padding: the pads are taken to be in front | pads to stand in front
def my_causal_padding_mask(valid_lens, num_steps):
    pos = torch.arange(num_steps)
    real = pos >= (num_steps - valid_lens)[:, None]
    return (pos <= pos[:, None]) & real[:, None, :]


# answer: my_causal_padding_mask | right | one comparison: j < min(length, i + 1)
def my_causal_padding_mask(valid_lens, num_steps):
    seen = torch.arange(1, num_steps + 1)
    limit = torch.minimum(valid_lens[:, None], seen)
    return torch.arange(num_steps) < limit[..., None]


# answer: my_causal_padding_mask | right | tril of the padding mask itself
def my_causal_padding_mask(valid_lens, num_steps):
    real = torch.arange(num_steps).lt(valid_lens.view(-1, 1))
    return real.unsqueeze(1).repeat(1, num_steps, 1).tril()


# answer: my_masked_softmax | wrong | fills with -1e9 (float16 crashes, low scores and empty rows give masked keys weight) | 1. The constant in the place of masked scores
def my_masked_softmax(scores, mask):
    return F.softmax(scores.masked_fill(~mask, -1e9), dim=-1)


# answer: my_masked_softmax | right | NaN rows repaired after the softmax; masked_fill stops the NaN on the way back, so values and gradient are in order
def my_masked_softmax(scores, mask):
    w = torch.softmax(scores.masked_fill(~mask, -math.inf), -1)
    return torch.nan_to_num(w, nan=0.0)


# answer: my_masked_softmax | wrong | exp without subtracting the maximum: overflow at large scores | exp(100) is infinite
def my_masked_softmax(scores, mask):
    e = torch.exp(scores.masked_fill(~mask, -math.inf))
    total = e.sum(-1, keepdim=True)
    empty = total == 0
    return e / total.masked_fill(empty, 1.0)


# answer: my_masked_softmax | wrong | subtracts one maximum of the whole tensor: rows with low scores underflow to 0 | one maximum from all rows
def my_masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, -math.inf)
    top = s.max()
    e = (s - top).exp()
    total = e.sum(-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)


# answer: my_masked_softmax | wrong | crashes: subtracts booleans (1 - mask) | Booleans cannot be subtracted
def my_masked_softmax(scores, mask):
    scores = scores + (1 - mask) * -1e9
    return torch.softmax(scores, dim=-1)


# answer: my_masked_softmax | wrong | selects the allowed scores, which flattens all rows into one | puts them in one line
def my_masked_softmax(scores, mask):
    allowed = scores[mask.expand_as(scores)]
    return torch.softmax(allowed, dim=0)


# answer: my_masked_softmax | wrong | changes scores in place + fills with 0 | Note that your function writes into `scores`
def my_masked_softmax(scores, mask):
    scores *= mask
    return scores.softmax(dim=-1)


# answer: my_masked_softmax | wrong | guards the division with + 1e-9, which is 0 in float16: empty rows become 0/0 = NaN there | itself 0 in float16
def my_masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, -math.inf)
    top = s.max(-1, keepdim=True).values
    top = top.masked_fill(top == -math.inf, 0.0).detach()
    e = (s - top).exp()
    return e / (e.sum(-1, keepdim=True) + 1e-9)


# answer: my_masked_softmax | wrong | where after exp: exp of masked scores overflows, so the gradient is 0 * inf = NaN | its gradient contains NaN
def my_masked_softmax(scores, mask):
    top = scores.detach().masked_fill(~mask, -math.inf).amax(dim=-1, keepdim=True)
    top = torch.where(top == -math.inf, torch.zeros_like(top), top)
    e = torch.where(mask, torch.exp(scores - top), torch.zeros_like(scores))
    return e / e.sum(dim=-1, keepdim=True).clamp(min=1.0)


# answer: my_masked_softmax | right | two fills before the softmax, one after
def my_masked_softmax(scores, mask):
    nothing = ~mask.any(dim=-1, keepdim=True)
    s = scores.masked_fill(~mask, float("-inf")).masked_fill(nothing, 0.0)
    return torch.softmax(s, dim=-1).masked_fill(~mask, 0.0)


# answer: my_leaks | wrong | returns every cell that moves, allowed ones too | 1 of them where the mask allows it
def my_leaks(attention, queries, tokens, mask):
    base = attention(queries, tokens)
    moved = torch.zeros(len(queries), len(tokens), dtype=torch.bool)
    for j in range(len(tokens)):
        changed = tokens.clone()
        changed[j] += torch.randn(tokens.shape[1])
        moved[:, j] = ((attention(queries, changed) - base).abs() > 1e-6).any(dim=1)
    return moved


# answer: my_leaks | wrong | changes tokens in place and never puts them back | your changes pile up
def my_leaks(attention, queries, tokens, mask):
    before = attention(queries, tokens)
    leaks = torch.zeros_like(mask)
    for j in range(tokens.shape[0]):
        tokens[j] += 1.0 + torch.rand(tokens.shape[1])
        after = attention(queries, tokens)
        leaks[:, j] = (after - before).abs().max(1).values > 1e-6
    return leaks & ~mask


# answer: my_leaks | wrong | judges by the mask alone, without an experiment | every forbidden cell
def my_leaks(attention, queries, tokens, mask):
    # cells that must not move
    return ~mask


# answer: my_leaks | wrong | crashes: gives the mask to the attention as a third argument | called with 3 arguments and takes 2
def my_leaks(attention, queries, tokens, mask):
    good = attention(queries, tokens, mask)
    bad = attention(queries, tokens)
    return (good - bad).abs() > 1e-6


# answer: my_leaks | wrong | changes all tokens at once, so every forbidden cell of a moving row is blamed | You change all tokens at once
def my_leaks(attention, queries, tokens, mask):
    base = attention(queries, tokens)
    other = attention(queries, tokens + torch.randn_like(tokens))
    moved = ((base - other).abs() > 1e-6).any(1)
    return moved[:, None] & ~mask


# answer: my_leaks | wrong | changes the queries along with the tokens + returns the allowed cells (mask inverted) | 1. You report the cells that move and may
def my_leaks(attention, queries, tokens, mask):
    base = attention(queries, tokens)
    leaks = torch.zeros_like(mask)
    for j in range(tokens.shape[0]):
        t = tokens.clone()
        t[j] += 1
        leaks[:, j] = (attention(queries + 1, t) - base).abs().max(-1).values > 1e-6
    return leaks & mask


# answer: my_leaks | wrong | adds 1 to every number: blind behind a layer that subtracts the mean | takes that out again
def my_leaks(attention, queries, tokens, mask):
    base = attention(queries, tokens)
    leaks = torch.zeros_like(mask)
    for j in range(tokens.shape[0]):
        t = tokens.clone()
        t[j] += 1
        leaks[:, j] = (attention(queries, t) - base).abs().amax(-1) > 1e-6
    return leaks & ~mask


# answer: my_leaks | wrong | only tries the keys of the future, so leaks from pads in the past are missed | only tokens that come after
def my_leaks(attention, queries, tokens, mask):
    base = attention(queries, tokens)
    leaks = torch.zeros_like(mask)
    for i in range(queries.shape[0]):
        for j in range(i + 1, tokens.shape[0]):
            t = tokens.clone()
            t[j] += torch.randn(t.shape[1])
            if not mask[i, j] and (attention(queries, t)[i] - base[i]).abs().max() > 1e-6:
                leaks[i, j] = True
    return leaks


# answer: my_leaks | right | three random changes per token, loop over keys
def my_leaks(attention, queries, tokens, mask):
    g = torch.Generator().manual_seed(5)
    with torch.no_grad():
        base = attention(queries, tokens)
        moved = torch.zeros(mask.shape, dtype=torch.bool)
        for j in range(tokens.shape[0]):
            for _ in range(3):
                t = tokens.clone()
                t[j] += torch.randn(t.shape[1], generator=g).to(t.dtype)
                moved[:, j] |= (attention(queries, t) - base).abs().amax(-1) > 1e-6
    return moved & ~mask


# answer: my_leaks | right | numpy for the changes and the comparison
import numpy as np


def my_leaks(attention, queries, tokens, mask):
    rng = np.random.default_rng(0)
    base = attention(queries, tokens).detach().numpy().astype(np.float64)
    original = tokens.detach().numpy()
    biggest = np.zeros(tuple(mask.shape))
    for _ in range(4):
        for j in range(original.shape[0]):
            t = np.array(original)
            t[j] += rng.normal(size=t.shape[1]).astype(t.dtype)
            out = attention(queries, torch.from_numpy(t)).detach().numpy()
            biggest[:, j] = np.maximum(biggest[:, j], np.abs(out - base).max(axis=1))
    return torch.from_numpy((biggest > 1e-6) & ~mask.numpy())


# answer: my_masked_softmax | wrong | mask inverted + softmax over the queries + masks after the softmax without sharing out the rest | You removed weights after the softmax
def my_masked_softmax(scores, mask):
    w = torch.softmax(scores, dim=-2)
    return torch.where(mask, torch.zeros_like(w), w)


# answer: my_lookahead_mask | wrong | lookahead hard-coded to 1 | The look-ahead is always 1
def my_lookahead_mask(num_steps, lookahead):
    return torch.ones(num_steps, num_steps, dtype=torch.bool).tril(1)


# answer: my_padding_mask | wrong | mask turned into floats, and <= instead of < | 2. The cells are numbers 0 and 1
def my_padding_mask(valid_lens, num_keys):
    lens = valid_lens.reshape(valid_lens.shape[0], -1, 1)
    return (torch.arange(num_keys) <= lens).float()


# answer: my_padding_mask | wrong | two dimensions: keys and queries exchanged (batch, keys, queries) | With (batch, queries) your keys run down
def my_padding_mask(valid_lens, num_keys):
    if valid_lens.ndim == 1:
        return (torch.arange(num_keys) < valid_lens.unsqueeze(1)).unsqueeze(1)
    return torch.arange(num_keys).unsqueeze(1) < valid_lens.unsqueeze(1)


# answer: my_padding_mask | wrong | two dimensions: only the longest length of the sentence counts, shape (batch, 1, num_keys) | one row for each sentence
def my_padding_mask(valid_lens, num_keys):
    if valid_lens.dim() == 2:
        valid_lens = valid_lens.amax(1)
    return torch.arange(num_keys)[None, None] < valid_lens[:, None, None]


# answer: my_token_mask | wrong | turns the masks into lengths, holes are lost | Your masks are turned into lengths
def my_token_mask(query_mask, key_mask):
    q_lens = query_mask.sum(1)
    k_lens = key_mask.sum(1)
    q_real = torch.arange(query_mask.shape[1]) < q_lens[:, None]
    k_real = torch.arange(key_mask.shape[1]) < k_lens[:, None]
    return q_real[:, :, None] & k_real[:, None, :]


# answer: my_token_mask | wrong | einsum without the batch index in the output: sentences are mixed | The batch axis is gone
def my_token_mask(query_mask, key_mask):
    return torch.einsum("bq,bk->qk", query_mask.int(), key_mask.int()).bool()


# answer: my_causal_padding_mask | wrong | size taken from the longest sentence instead of num_steps, and a word cannot see itself | 1. The mask ends at the longest length
def my_causal_padding_mask(valid_lens, num_steps):
    n = int(valid_lens.max())
    pos = torch.arange(n)
    return (pos[None, :] < pos[:, None]) & (pos < valid_lens.view(-1, 1, 1))


# answer: my_masked_softmax | wrong | constant -1e6 as in the book | 2. Where nothing is allowed your weights are uniform
def my_masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -1e6).softmax(-1)


# answer: my_masked_softmax | wrong | scores of masked keys set to zero before the softmax | 2. Where nothing is allowed your weights are uniform
def my_masked_softmax(scores, mask):
    return F.softmax(scores * mask, dim=-1)


# answer: my_masked_softmax | wrong | empty rows are made safe before the softmax but not emptied afterwards | the weights that it would have without a mask
def my_masked_softmax(scores, mask):
    empty = ~mask.any(dim=-1, keepdim=True)
    safe = mask | empty
    return scores.masked_fill(~safe, float("-inf")).softmax(-1)


# answer: my_masked_softmax | right | via logsumexp with empty rows made harmless
def my_masked_softmax(scores, mask):
    dead = ~mask.any(-1, keepdim=True)
    logits = scores.float().masked_fill(~mask & ~dead, -torch.inf)
    logw = logits - logits.logsumexp(-1, keepdim=True)
    return logw.exp().masked_fill(~mask, 0.0).to(scores.dtype)


# answer: my_leaks | wrong | returns the number of leaks, not the cells | You count the leaks
def my_leaks(attention, queries, tokens, mask):
    leaks = (influence(attention, queries, tokens) > 1e-6) & ~mask
    return leaks.sum()


# answer: my_leaks | wrong | every number of a token is changed by the same amount, a subtracted mean hides it; threshold compared without abs | 2. You add the same to every number
def my_leaks(attention, queries, tokens, mask):
    before = attention(queries, tokens)
    leaks = torch.zeros_like(mask)
    for j in range(tokens.shape[0]):
        changed = tokens.clone()
        changed[j] += 1
        leaks[:, j] = (attention(queries, changed) - before).amax(-1) > 1e-6
    return leaks & ~mask


# answer: my_lookahead_mask | wrong | the end of a slice does not belong to it: one key too few | The look-ahead ends one key early
def my_lookahead_mask(num_steps, lookahead):
    mask = torch.zeros(num_steps, num_steps, dtype=torch.bool)
    for i in range(num_steps):
        mask[i, : i + lookahead] = True
    return mask


# answer: my_padding_mask | wrong | squeezes at the end to be tidy: axes of size 1 vanish | squeeze removes them all
def my_padding_mask(valid_lens, num_keys):
    lens = valid_lens if valid_lens.dim() == 2 else valid_lens.reshape(-1, 1)
    mask = torch.arange(num_keys).view(1, 1, -1) < lens.unsqueeze(-1)
    return mask.squeeze()


# answer: my_token_mask | wrong | a product of floats, which is no boolean mask | fail or mean something else
def my_token_mask(query_mask, key_mask):
    q = query_mask.float().unsqueeze(2)
    k = key_mask.float().unsqueeze(1)
    return torch.bmm(q, k)


# answer: my_masked_softmax | wrong | masks the weights after the softmax and shares out again: a huge hidden score leaves nothing | should keep the sum from being 0
def my_masked_softmax(scores, mask):
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True).clamp(min=1e-12)


# answer: my_masked_softmax | wrong | fills with a number a little below the smallest score: weights small but not 0 | a tiny one in most cases
def my_masked_softmax(scores, mask):
    low = scores.min() - 20
    weights = scores.masked_fill(~mask, low.item()).softmax(-1)
    return weights * mask.any(-1, keepdim=True)


# answer: my_leaks | wrong | forgets the absolute value: outputs that sink are not seen | an output whose numbers fall goes unseen
def my_leaks(attention, queries, tokens, mask):
    before = attention(queries, tokens)
    moved = torch.zeros(len(queries), len(tokens))
    for j in range(len(tokens)):
        changed = tokens.clone()
        changed[j] -= torch.linspace(0.5, 1.5, tokens.shape[1])
        moved[:, j] = (attention(queries, changed) - before).sum(-1)
    return (moved > 1e-6) & ~mask


# answer: my_lookahead_mask | wrong | rolls the causal rows up, so the last rows wrap around | around a circle
def my_lookahead_mask(num_steps, lookahead):
    causal = torch.ones(num_steps, num_steps, dtype=torch.bool).tril()
    return causal.roll(-lookahead, dims=0)


# answer: my_padding_mask | wrong | clamps lengths to 1, so an empty sentence has a real key | length of 0 counts as 1
def my_padding_mask(valid_lens, num_keys):
    lens = valid_lens.clamp(min=1)  # no empty rows, no NaN
    if lens.dim() == 1:
        lens = lens.unsqueeze(1)
    return torch.arange(num_keys) < lens.unsqueeze(-1)


# answer: my_padding_mask | wrong | squeeze makes (1, queries) lengths look like a batch | look like a batch
def my_padding_mask(valid_lens, num_keys):
    lens = valid_lens.squeeze()
    if lens.dim() <= 1:
        return torch.arange(num_keys) < lens.reshape(-1, 1, 1)
    return torch.arange(num_keys) < lens.unsqueeze(-1)


# answer: my_token_mask | wrong | counts the real keys as a length, holes are lost | key mask is turned into lengths
def my_token_mask(query_mask, key_mask):
    lens = key_mask.sum(-1)
    real = torch.arange(key_mask.shape[1]) < lens.unsqueeze(1)
    return query_mask.unsqueeze(2) & real.unsqueeze(1)


# answer: my_token_mask | wrong | blank rows may attend to the first key, against NaN | must stay empty
def my_token_mask(query_mask, key_mask):
    pairs = query_mask.unsqueeze(-1) & key_mask.unsqueeze(-2)
    pairs[..., 0] |= ~pairs.any(-1)
    return pairs


# answer: my_token_mask | wrong | opens empty rows | get all of them
def my_token_mask(query_mask, key_mask):
    pairs = query_mask.unsqueeze(-1) & key_mask.unsqueeze(-2)
    return pairs | ~pairs.any(dim=-1, keepdim=True)


# answer: my_causal_padding_mask | wrong | last index clamped at 0, a sentence of length 0 sees key 0 | length of 0 counts as 1
def my_causal_padding_mask(valid_lens, num_steps):
    positions = torch.arange(num_steps)
    last = torch.minimum(positions, valid_lens.unsqueeze(1) - 1).clamp(min=0)  # (batch, queries)
    return positions <= last.unsqueeze(-1)


# answer: my_causal_padding_mask | wrong | strictly past, only the first query sees itself | Only query 0 sees its own word
def my_causal_padding_mask(valid_lens, num_steps):
    positions = torch.arange(num_steps)
    causal = positions < positions.unsqueeze(1)
    causal[0, 0] = True  # else the first row is blank
    return causal & (positions < valid_lens.view(-1, 1, 1))


# answer: my_masked_softmax | wrong | BERT's way: adds -10,000 and zeroes afterwards, without renormalising | as -2e6 is
def my_masked_softmax(scores, mask):
    lowered = scores + (1.0 - mask.to(scores.dtype)) * -10000.0
    return lowered.softmax(-1) * mask


# answer: my_masked_softmax | wrong | fills with half the lowest number: real scores can lie below it | Half of the smallest number of the dtype
def my_masked_softmax(scores, mask):
    low = torch.finfo(scores.dtype).min / 2
    weights = scores.masked_fill(~mask, low).softmax(-1)
    return weights * mask.any(-1, keepdim=True)


# answer: my_leaks | wrong | differs from the mask either way: deaf cells are counted as leaks | every disagreement
def my_leaks(attention, queries, tokens, mask):
    moved = influence(attention, queries, tokens) > 1e-6
    return moved != mask


# answer: my_leaks | wrong | maximum over all queries: one moved output marks the whole column | marks the whole column
def my_leaks(attention, queries, tokens, mask):
    before = attention(queries, tokens)
    moved = torch.zeros(len(queries), len(tokens), dtype=torch.bool)
    for j in range(len(tokens)):
        changed = tokens.clone()
        changed[j] += torch.linspace(0.5, 1.5, tokens.shape[1])
        moved[:, j] = (attention(queries, changed) - before).abs().max() > 1e-6
    return moved & ~mask


# answer: my_leaks | wrong | all forbidden tokens at once | several forbidden tokens at once
def my_leaks(attention, queries, tokens, mask):
    before = attention(queries, tokens)
    leaks = torch.zeros_like(mask)
    for i in range(len(queries)):
        changed = tokens.clone()
        changed[~mask[i]] += torch.linspace(0.5, 1.5, tokens.shape[1])
        if (attention(queries, changed)[i] - before[i]).abs().max() > 1e-6:
            leaks[i] = ~mask[i]
    return leaks


# answer: my_padding_mask | wrong | the longest length for all | longest length is used for all
def my_padding_mask(valid_lens, num_keys):
    lens = valid_lens if valid_lens.dim() == 2 else valid_lens.unsqueeze(1)
    return torch.arange(num_keys) < lens.unsqueeze(-1).amax().expand_as(lens.unsqueeze(-1))


# answer: my_causal_padding_mask | wrong | the longest length for all | longest length is used for all
def my_causal_padding_mask(valid_lens, num_steps):
    steps = torch.arange(num_steps)
    mask = (steps <= steps.unsqueeze(1)) & (steps < max(valid_lens))
    return mask.repeat(len(valid_lens), 1, 1)


# answer: my_causal_padding_mask | wrong | a slice from -0 | begins at 0
def my_causal_padding_mask(valid_lens, num_steps):
    mask = torch.ones(num_steps, num_steps, dtype=torch.bool).tril().repeat(len(valid_lens), 1, 1)
    for b, n in enumerate(valid_lens.tolist()):
        num_pads = num_steps - n
        mask[b, :, -num_pads:] = False
    return mask


# answer: my_masked_softmax | wrong | adds -10,000 | You add -10,000
def my_masked_softmax(scores, mask):
    return torch.softmax(scores + (1.0 - mask.to(scores.dtype)) * -10000.0, dim=-1)


# answer: my_masked_softmax | wrong | adds -10,000, and looks after empty rows | You add -10,000
def my_masked_softmax(scores, mask):
    weights = torch.softmax(scores + (1.0 - mask.to(scores.dtype)) * -10000.0, dim=-1)
    return weights * mask.any(-1, keepdim=True)


# answer: my_masked_softmax | wrong | the queries' axis, beside a guard for empty rows | over the queries
def my_masked_softmax(scores, mask):
    empty = ~mask.any(-1, keepdim=True)
    filled = scores.masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)
    return filled.softmax(dim=-2).masked_fill(empty, 0.0)


# answer: my_masked_softmax | wrong | float16 becomes float32 | float32
def my_masked_softmax(scores, mask):
    empty = ~mask.any(-1, keepdim=True)
    filled = scores.float().masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)
    return filled.softmax(dim=-1).masked_fill(empty, 0.0)


# answer: my_causal_padding_mask | wrong | real keys or the diagonal | so the key is a pad, and it is not in the future, so it must be False. input:
def my_causal_padding_mask(valid_lens, num_steps):
    p = torch.arange(num_steps)
    real = p < valid_lens.view(-1, 1, 1)
    return (p <= p[:, None]) & real | torch.eye(num_steps, dtype=torch.bool)


# answer: my_masked_softmax | wrong | masked keys count as 0 in the maximum | The maximum that you subtract is never below 0
def my_masked_softmax(scores, mask):
    s = scores.float()
    top = (s * mask).amax(-1, keepdim=True)
    e = (s - top).masked_fill(~mask, -torch.inf).exp()
    return (e / e.sum(-1, keepdim=True).clamp(min=1e-30)).to(scores.dtype)


# answer: my_masked_softmax | wrong | the maximum has 0 as its lower limit | The maximum that you subtract is never below 0
def my_masked_softmax(scores, mask):
    s = scores.float().masked_fill(~mask, -torch.inf)
    e = (s - s.amax(-1, keepdim=True).clamp(min=0)).exp()
    return (e / e.sum(-1, keepdim=True).clamp(min=1e-30)).to(scores.dtype)


# answer: my_leaks | wrong | puts the token before in place of token j: equal pads do not change | Two pads are equal
def my_leaks(attention, queries, tokens, mask):
    b = attention(queries, tokens)
    out = torch.zeros(len(queries), len(tokens), dtype=torch.bool)
    for j in range(len(tokens)):
        t = tokens.clone()
        t[j] = tokens[j - 1]
        out[:, j] = (attention(queries, t) - b).abs().amax(-1) > 1e-6
    return out & ~mask


# answer: my_padding_mask | wrong | rolled lengths | Each sentence got the length of the one before it in the
def my_padding_mask(valid_lens, num_keys):
    if valid_lens.dim() == 1:
        valid_lens = valid_lens.unsqueeze(1)
    return torch.arange(num_keys) < valid_lens.roll(1, 0).unsqueeze(-1)


# answer: my_padding_mask | wrong | as many keys as the shortest length | Your mask has as many keys as the shortest sentence has
def my_padding_mask(valid_lens, num_keys):
    if valid_lens.dim() == 1:
        valid_lens = valid_lens.unsqueeze(1)
    return torch.arange(int(valid_lens.min())) < valid_lens.unsqueeze(-1)


# answer: my_causal_padding_mask | wrong | strict past, and the length compared with the query | 2. The rows of the pads are empty
def my_causal_padding_mask(valid_lens, num_steps):
    i = torch.arange(num_steps).unsqueeze(1)
    j = torch.arange(num_steps)
    return (j < i) & (i < valid_lens[:, None, None])


# answer: my_causal_padding_mask | wrong | strict past with a cut square | 2. The rows of the pads are empty
def my_causal_padding_mask(valid_lens, num_steps):
    masks = torch.zeros(len(valid_lens), num_steps, num_steps, dtype=torch.bool)
    for b, n in enumerate(valid_lens.tolist()):
        masks[b, :n, :n] = torch.ones(n, n).tril(-1).bool()
    return masks


# answer: my_causal_padding_mask | wrong | tril of the row before it is expanded | tril cuts the padding mask while it has one row for all
def my_causal_padding_mask(valid_lens, num_steps):
    real = torch.arange(num_steps) < valid_lens[:, None, None]
    return real.tril().expand(-1, num_steps, -1)


# answer: my_masked_softmax | wrong | zeros for the whole batch if one row is empty | One row that may attend to nothing, and all weights of your
def my_masked_softmax(scores, mask):
    if not mask.any(-1).all():
        return torch.zeros_like(scores)
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


# answer: my_masked_softmax | wrong | zeros for the sentence if one of its rows is empty | One row that may attend to nothing, and all weights of your
def my_masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    w = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return torch.zeros_like(w) if w.isnan().any() else w


# answer: my_leaks | wrong | transposes when as many queries as tokens | You report cells in which the mask is True: there an output
def my_leaks(attention, queries, tokens, mask):
    moved = influence(attention, queries, tokens) > 1e-6
    leaks = moved & ~mask
    return leaks.T if len(queries) == len(tokens) else leaks


# answer: my_lookahead_mask | wrong | rolls the causal mask by lookahead and joins the two, which for two or more leaves gaps just after the early queries | Rolled to the right, the causal mask loses its first keys
def my_lookahead_mask(num_steps, lookahead):
    causal = torch.ones(num_steps, num_steps, dtype=torch.bool).tril()
    return causal | causal.roll(lookahead, dims=1).triu(1)


# answer: my_lookahead_mask | wrong | < in place of <= makes the look-ahead one key too short | The look-ahead ends one key early. A look-ahead of 0 must
def my_lookahead_mask(num_steps, lookahead):
    places = torch.arange(num_steps)
    return places < places.unsqueeze(1) + lookahead


# answer: my_padding_mask | wrong | counts the keys up to the longest length instead of up to num_keys, so the mask is too narrow when every row has pads | you took the longest length
def my_padding_mask(valid_lens, num_keys):
    positions = torch.arange(int(valid_lens.max()))
    if valid_lens.dim() == 1:
        valid_lens = valid_lens.unsqueeze(1)
    return positions < valid_lens.unsqueeze(-1)


# answer: my_padding_mask | wrong | the view to (-1, 1, 1) treats lengths of two dimensions as one long batch of batch times queries sentences | Right for lengths of one dimension. With (batch, queries)
def my_padding_mask(valid_lens, num_keys):
    return torch.arange(num_keys) < valid_lens.reshape(-1, 1, 1)


# answer: my_token_mask | wrong | asks whether both masks agree, which also allows a pad to attend to a pad | You ask whether both sides are equal. Two pads are equal
def my_token_mask(query_mask, key_mask):
    return query_mask.unsqueeze(-1) == key_mask.unsqueeze(-2)


# answer: my_causal_padding_mask | wrong | also empties the rows of the pads as queries, where only keys should be judged | The rows of the pads are empty: you compared the length
def my_causal_padding_mask(valid_lens, num_steps):
    real = torch.arange(num_steps) < valid_lens.unsqueeze(1)
    causal = torch.ones(num_steps, num_steps, dtype=torch.bool).tril()
    return real.unsqueeze(2) & real.unsqueeze(1) & causal


# answer: my_causal_padding_mask | wrong | the comparison is turned round, so each query sees itself and the future instead of the past | Your queries see themselves and the future, and not the
def my_causal_padding_mask(valid_lens, num_steps):
    positions = torch.arange(num_steps)
    not_future = positions.unsqueeze(0) >= positions.unsqueeze(1)
    real = positions < valid_lens.view(-1, 1, 1)
    return real & not_future


# answer: my_masked_softmax | wrong | adds minus infinity and mends the nan afterwards, so the gradient of a row without any allowed key is nan | The result is right, but its gradient contains NaN
def my_masked_softmax(scores, mask):
    bias = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores + bias, dim=-1)
    return weights.nan_to_num(0.0)


# answer: my_masked_softmax | wrong | masks after the softmax and divides anew, so the allowed keys of a row get 0 when a masked score lies far above theirs | Masked keys still count before you remove them, in a first
def my_masked_softmax(scores, mask):
    weights = torch.softmax(scores.float(), dim=-1) * mask
    total = weights.sum(dim=-1, keepdim=True)
    weights = weights / torch.where(total > 0, total, torch.ones_like(total))
    return weights.to(scores.dtype)


# answer: my_leaks | wrong | changes tokens itself and never puts token j back, so the later columns also show the changes of the earlier ones | After the first token your changes pile up: the second
def my_leaks(attention, queries, tokens, mask):
    before = attention(queries, tokens)
    moved = torch.zeros(mask.shape, dtype=torch.bool)
    for j in range(len(tokens)):
        tokens[j] += torch.linspace(0.5, 1.5, tokens.shape[1])
        moved[:, j] = (attention(queries, tokens) - before).abs().amax(-1) > 1e-6
    return moved & ~mask


# answer: my_padding_mask | right, no remark | counts with a running sum of ones, and lets reshape add the missing axis
def my_padding_mask(valid_lens, num_keys):
    lengths = valid_lens.reshape(valid_lens.shape[0], -1, 1)
    count = torch.ones(*lengths.shape[:2], num_keys, dtype=torch.long).cumsum(dim=-1)
    return torch.logical_not(count > lengths)


# answer: my_masked_softmax | right, no remark | writes the exponentials and their sum by hand, in 64 bits, with a place holder for hidden scores and for empty rows
def my_masked_softmax(scores, mask):
    shown = mask.expand_as(scores)
    wide = scores.double()
    top = torch.where(shown, wide, torch.full_like(wide, -torch.inf)).detach().amax(-1, keepdim=True)
    top = torch.where(top == -torch.inf, torch.zeros_like(top), top)
    raised = torch.where(shown, wide, top) - top
    powers = raised.exp() * shown
    sums = powers.sum(-1, keepdim=True)
    return (powers / (sums + (sums == 0))).to(scores.dtype)


# answer: my_leaks | right, no remark | builds all changed texts at once as a list, each changed in two opposite directions, and stacks the columns
def my_leaks(attention, queries, tokens, mask):
    before = attention(queries, tokens)
    step = torch.linspace(0.5, 1.5, tokens.shape[-1], dtype=tokens.dtype)
    rows = torch.eye(tokens.shape[0], dtype=tokens.dtype).unsqueeze(-1)

    def shift(row, direction):
        return (attention(queries, tokens + direction * row * step) - before).abs().amax(-1)

    columns = [torch.maximum(shift(row, 1.0), shift(row, -1.0)) for row in rows]
    return torch.logical_and(torch.stack(columns, dim=-1) > 1e-6, torch.logical_not(mask))


# answer: my_lookahead_mask | wrong | triu with the negative number keeps j >= i - lookahead: it hides the past and shows the whole future. | Rows and columns are exchanged: your mask is True where j
def my_lookahead_mask(num_steps, lookahead):
    return torch.ones(num_steps, num_steps, dtype=torch.bool).triu(-lookahead)


# answer: my_padding_mask | wrong | For lengths of one dimension the axis of the queries is missing: the shape is (batch, num_keys). | For lengths of one dimension the axis of the queries is
def my_padding_mask(valid_lens, num_keys):
    places = torch.arange(num_keys, device=valid_lens.device)
    return places < valid_lens.unsqueeze(-1)


# answer: my_causal_padding_mask | wrong | It hides the rows of padded queries too, where only the keys have to be real. | The rows of the pads are empty: you compared the length
def my_causal_padding_mask(valid_lens, num_steps):
    i = torch.arange(num_steps)
    real = i < valid_lens[:, None]
    past = i[None, :] <= i[:, None]
    return real[:, :, None] & real[:, None, :] & past


# answer: my_masked_softmax | wrong | Minus infinity is added, so a row without any allowed key is nan, and replacing this afterwards mends its weights but not its gradient. | The result is right, but its gradient contains NaN:
def my_masked_softmax(scores, mask):
    hidden = torch.where(mask, 0.0, -math.inf).to(scores.dtype)
    weights = (scores + hidden).softmax(dim=-1)
    return torch.where(torch.isnan(weights), torch.zeros_like(weights), weights)


# answer: my_leaks | wrong | It changes only as many tokens as there are queries, so with more keys than queries the last keys are never tried. | You try only as many tokens as there are queries. There
def my_leaks(attention, queries, tokens, mask):
    before = attention(queries, tokens)
    n = len(queries)
    moved = torch.zeros(mask.shape, dtype=torch.bool)
    for j in range(min(n, mask.shape[1])):
        changed = tokens.clone()
        changed[j] += torch.linspace(0.5, 1.5, tokens.shape[1])
        moved[:, j] = (attention(queries, changed) - before).abs().amax(-1) > 1e-6
    return moved & ~mask


# answer: my_token_mask | right | an outer product of ones and zeros with einsum, turned back into booleans
def my_token_mask(query_mask, key_mask):
    return torch.einsum("bq,bk->bqk", query_mask.float(), key_mask.float()) > 0.5


# answer: my_masked_softmax | right | written out in 64 bits with the exponential and the sum, and with the sum of an empty row replaced by 1
def my_masked_softmax(scores, mask):
    if scores.numel() == 0:
        return scores.clone()
    wide = scores.to(torch.float64).masked_fill(~mask, -math.inf)
    top = wide.detach().amax(-1, keepdim=True)
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
    e = (wide - top).exp()
    total = e.sum(-1, keepdim=True)
    return (e / torch.where(total == 0, torch.ones_like(total), total)).to(scores.dtype)


# answer: my_padding_mask | wrong | the comparison turned around | The comparison is turned around: True stands behind the
def my_padding_mask(valid_lens, num_keys):
    lens = valid_lens[:, None, None] if valid_lens.dim() == 1 else valid_lens[..., None]
    return torch.arange(num_keys) > lens

# answer: my_masked_softmax | wrong | the smallest number and a product | You write the smallest number of the dtype
def my_masked_softmax(scores, mask):
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1) * mask

# answer: my_masked_softmax | wrong | a fill of -10 | what a score of -10 would get
def my_masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -10.0).softmax(-1)

# answer: my_masked_softmax | wrong | the scores with the other sign | scores with the other sign
def my_masked_softmax(scores, mask):
    return (-scores).masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()

# answer: my_masked_softmax | wrong | takes off each row's first score | you subtract the first score of a row
def my_masked_softmax(scores, mask):
    e = (scores - scores[..., :1]).exp() * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-9)

# answer: my_padding_mask | wrong | the largest length for every query | every query of a sentence has its largest length
def my_padding_mask(valid_lens, num_keys):
    lens = valid_lens.amax(-1, keepdim=True).expand_as(valid_lens) if valid_lens.dim() == 2 else valid_lens[:, None]
    return torch.arange(num_keys) < lens.unsqueeze(-1)

# answer: my_padding_mask | wrong | == in place of < | True stands at the last real key alone
def my_padding_mask(valid_lens, num_keys):
    rows = valid_lens.unsqueeze(1) if valid_lens.dim() == 1 else valid_lens
    return torch.arange(num_keys) == rows.unsqueeze(-1) - 1

# answer: my_causal_padding_mask | wrong | == in place of < | True at the last real key alone
def my_causal_padding_mask(valid_lens, num_steps):
    steps = torch.arange(num_steps)
    return (steps <= steps.unsqueeze(1)) & (steps == valid_lens.view(-1, 1, 1) - 1)
