# answer: my_shift_right | right | new_full and cat
def my_shift_right(targets, begin):
    start = targets.new_full((targets.shape[0], 1), begin)
    return torch.cat((start, targets[:, :-1]), dim=1)


# answer: my_shift_right | right | roll, then overwrite the first column of the copy
def my_shift_right(targets, begin):
    given = targets.roll(1, dims=1)
    given[:, 0] = begin
    return given


# answer: my_shift_right | right | padding in front
def my_shift_right(targets, begin):
    return F.pad(targets, (1, 0), value=begin)[:, :-1]


# answer: my_shift_right | wrong | shifts to the left | You shift to the left
def my_shift_right(targets, begin):
    return torch.cat([targets[:, 1:], torch.full((len(targets), 1), begin)], 1)


# answer: my_shift_right | wrong | keeps the last symbol as well | one symbol too long
def my_shift_right(targets, begin):
    return torch.cat([torch.full((len(targets), 1), begin), targets], 1)


# answer: my_shift_right | wrong | overwrites the first symbol without moving | put begin over the first symbol
def my_shift_right(targets, begin):
    given = targets.clone()
    given[:, 0] = begin
    return given


# answer: my_shift_right | wrong | rolls, forgets begin | has come round to the front
def my_shift_right(targets, begin):
    return torch.roll(targets, 1, dims=-1)


# answer: my_shift_right | wrong | drops the last, puts nothing in front | nothing stands in front
def my_shift_right(targets, begin):
    return targets[:, :-1]


# answer: my_shift_right | wrong | shifts along the batch | You shift along the batch
def my_shift_right(targets, begin):
    first = torch.full_like(targets[:1], begin)
    return torch.cat([first, targets[:-1]])


# answer: my_shift_right | wrong | writes into the input | writes into `targets`
def my_shift_right(targets, begin):
    targets[:, 1:] = targets[:, :-1].clone()
    targets[:, 0] = begin
    return targets


# answer: my_greedy | right | a for loop
def my_greedy(table, begin, end, most):
    out = []
    last = begin
    for _ in range(most):
        last = int(torch.argmax(table[last]))
        if last == end:
            break
        out.append(last)
    return torch.tensor(out, dtype=torch.long)


# answer: my_greedy | right | best followers first, then a walk
def my_greedy(table, begin, end, most):
    follows = table.argmax(1)
    written = torch.zeros(0, dtype=torch.long)
    newest = torch.tensor(begin)
    while len(written) < most and follows[newest] != end:
        newest = follows[newest]
        written = torch.cat([written, newest.reshape(1)])
    return written


# answer: my_greedy | wrong | leaves begin in the result | The result begins with begin
def my_greedy(table, begin, end, most):
    written = [begin]
    while len(written) <= most:
        following = table[written[-1]].argmax().item()
        if following == end:
            break
        written.append(following)
    return torch.tensor(written)


# answer: my_greedy | wrong | notes the end sign before it looks | The result holds the symbol end
def my_greedy(table, begin, end, most):
    written, newest = [], begin
    while newest != end and len(written) < most:
        newest = table[newest].argmax().item()
        written.append(newest)
    return torch.tensor(written)


# answer: my_greedy | wrong | ignores the end | You go on after the end
def my_greedy(table, begin, end, most):
    written, newest = [], begin
    for _ in range(most):
        newest = table[newest].argmax().item()
        written.append(newest)
    return torch.tensor(written)


# answer: my_greedy | wrong | always asks what follows begin | those that follow begin
def my_greedy(table, begin, end, most):
    written = []
    for _ in range(most):
        best = table[begin].argmax().item()
        if best == end:
            break
        written.append(best)
    return torch.tensor(written)


# answer: my_greedy | wrong | reads columns | You read a column of the table
def my_greedy(table, begin, end, most):
    written, newest = [], begin
    for _ in range(most):
        newest = table[:, newest].argmax().item()
        if newest == end:
            break
        written.append(newest)
    return torch.tensor(written)


# answer: my_greedy | wrong | counts begin among the symbols written | one symbol short
def my_greedy(table, begin, end, most):
    sequence = [begin]
    while len(sequence) < most:
        following = table[sequence[-1]].argmax().item()
        if following == end:
            break
        sequence.append(following)
    return torch.tensor(sequence[1:], dtype=torch.long)


# answer: my_greedy | wrong | takes the lowest score | the lowest score
def my_greedy(table, begin, end, most):
    written, newest = [], begin
    for _ in range(most):
        newest = table[newest].argmin().item()
        if newest == end:
            break
        written.append(newest)
    return torch.tensor(written, dtype=torch.long)


# answer: my_cached_step | right | the package's own function
def my_cached_step(q, k, v, past_keys, past_values):
    keys = torch.cat((past_keys, k), dim=1)
    values = torch.cat((past_values, v), dim=1)
    return scaled_dot_product_attention(q, keys, values)


# answer: my_cached_step | right | the new token in front of both: the order of keys does not matter
def my_cached_step(q, k, v, past_keys, past_values):
    keys, values = torch.cat((k, past_keys), 1), torch.cat((v, past_values), 1)
    weights = torch.softmax(torch.einsum("bqd,bkd->bqk", q, keys) / math.sqrt(q.size(-1)), -1)
    return torch.einsum("bqk,bkd->bqd", weights, values)


# answer: my_cached_step | right | fused attention of torch
def my_cached_step(q, k, v, past_keys, past_values):
    return F.scaled_dot_product_attention(
        q, torch.cat((past_keys, k), 1), torch.cat((past_values, v), 1)
    )


# answer: my_cached_step | wrong | a causal mask of one row | counts the query as token 0
def my_cached_step(q, k, v, past_keys, past_values):
    keys, values = torch.cat([past_keys, k], 1), torch.cat([past_values, v], 1)
    return scaled_dot_product_attention(q, keys, values, mask=causal_mask(1, keys.shape[1]))


# answer: my_cached_step | wrong | the same with is_causal | counts the query as token 0
def my_cached_step(q, k, v, past_keys, past_values):
    keys, values = torch.cat([past_keys, k], 1), torch.cat([past_values, v], 1)
    return F.scaled_dot_product_attention(q, keys, values, is_causal=True)


# answer: my_cached_step | wrong | forgets the new token | The new key and value are missing
def my_cached_step(q, k, v, past_keys, past_values):
    scores = q @ past_keys.mT / math.sqrt(q.shape[-1])
    return scores.softmax(-1) @ past_values


# answer: my_cached_step | wrong | no scaling | The scores are not scaled
def my_cached_step(q, k, v, past_keys, past_values):
    keys, values = torch.cat([past_keys, k], 1), torch.cat([past_values, v], 1)
    return (q @ keys.mT).softmax(-1) @ values


# answer: my_cached_step | wrong | a window that drops the oldest | The oldest key and value have been dropped
def my_cached_step(q, k, v, past_keys, past_values):
    keys = torch.cat([past_keys[:, 1:], k], 1)
    values = torch.cat([past_values[:, 1:], v], 1)
    return scaled_dot_product_attention(q, keys, values)


# answer: my_cached_step | wrong | keys in another order than values | meets the value of another token
def my_cached_step(q, k, v, past_keys, past_values):
    keys = torch.cat([k, past_keys], 1)
    values = torch.cat([past_values, v], 1)
    return scaled_dot_product_attention(q, keys, values)


# answer: my_cached_step | wrong | softmax over the only query | The columns sum to 1
def my_cached_step(q, k, v, past_keys, past_values):
    keys, values = torch.cat([past_keys, k], 1), torch.cat([past_values, v], 1)
    return (q @ keys.mT / q.shape[-1] ** 0.5).softmax(1) @ values


# answer: my_share_on_span | right | one mean, scaled
def my_share_on_span(weights, start, stop):
    queries, keys = weights.shape
    return weights[:, start:stop].sum() / queries * keys / (stop - start)


# answer: my_share_on_span | right | the mean weight inside against the mean weight of all
def my_share_on_span(weights, start, stop):
    return weights[:, start:stop].mean() / weights.mean()


# answer: my_share_on_span | right | a loop and a float
def my_share_on_span(weights, start, stop):
    total = 0.0
    for row in weights:
        for j in range(start, stop):
            total += row[j].item()
    return total / len(weights) / ((stop - start) / weights.shape[1])


# answer: my_share_on_span | wrong | stop is counted too | You count the key `stop` too
def my_share_on_span(weights, start, stop):
    return weights[:, start : stop + 1].sum(1).mean() / ((stop - start) / weights.shape[1])


# answer: my_share_on_span | wrong | forgets chance | You have not compared with chance
def my_share_on_span(weights, start, stop):
    return weights[:, start:stop].sum(-1).mean()


# answer: my_share_on_span | wrong | a difference | How many times as much is asked for
def my_share_on_span(weights, start, stop):
    share = weights[:, start:stop].sum(-1).mean()
    return share - (stop - start) / weights.shape[-1]


# answer: my_share_on_span | wrong | sums over the queries | mean of the queries' shares
def my_share_on_span(weights, start, stop):
    return weights[:, start:stop].sum() * weights.shape[1] / (stop - start)


# answer: my_share_on_span | wrong | chance of one key | You compare with the weight of one key
def my_share_on_span(weights, start, stop):
    return weights[:, start:stop].sum(1).mean() * weights.shape[1]


# answer: my_share_on_span | wrong | divides by the number of queries | the number of keys belongs
def my_share_on_span(weights, start, stop):
    return weights[:, start:stop].sum(1).mean() / ((stop - start) / weights.shape[0])


# answer: my_shift_right | wrong | roll without dims runs over from one text to the next; only the very first place is set to begin | roll without an axis
def my_shift_right(targets, begin):
    out = targets.roll(1)
    out[0, 0] = begin
    return out


# answer: my_shift_right | wrong | float result: torch.zeros has no dtype, numbers of symbols become floats | float32 instead of int64
def my_shift_right(targets, begin):
    out = torch.zeros(targets.shape)
    out[:, 0] = begin
    out[:, 1:] = targets[:, :-1]
    return out


# answer: my_shift_right | wrong | shifts in a loop from the left, so the first symbol is copied everywhere | overwritten before it was moved
def my_shift_right(targets, begin):
    out = targets.clone()
    for i in range(1, out.shape[1]):
        out[:, i] = out[:, i - 1]
    out[:, 0] = begin
    return out


# answer: my_shift_right | wrong | shifts by two, begin twice | shift by two places
def my_shift_right(targets, begin):
    out = torch.full_like(targets, begin)
    out[:, 2:] = targets[:, :-2]
    return out


# answer: my_shift_right | wrong | shifts to the left + no begin, the first symbol comes to the end | comes round to the end
def my_shift_right(targets, begin):
    return torch.roll(targets, -1, 1)


# answer: my_shift_right | wrong | one column too many + begin at the end | begin stands at the end
def my_shift_right(targets, begin):
    b = torch.ones(targets.size(0), 1, dtype=torch.long) * begin
    return torch.cat([targets, b], 1)


# answer: my_shift_right | right | gather and where over place numbers
def my_shift_right(targets, begin):
    place = torch.arange(targets.shape[1]).expand_as(targets)
    before = targets.gather(1, (place - 1).clamp(min=0))
    return torch.where(place == 0, begin, before)


# answer: my_greedy | wrong | ignores most: goes on until end, with an own limit of 100 | ignore `most`
def my_greedy(table, begin, end, most):
    out, s = [], begin
    while len(out) < 100:
        s = table[s].argmax().item()
        if s == end:
            break
        out.append(s)
    return torch.tensor(out, dtype=torch.long)


# answer: my_greedy | wrong | draws at random from the softmax in place of the best symbol | draw the next symbol at random
def my_greedy(table, begin, end, most):
    out, s = [], begin
    for _ in range(most):
        p = table[s].softmax(-1)
        s = torch.multinomial(p, 1).item()
        if s == end:
            break
        out.append(s)
    return torch.tensor(out, dtype=torch.long)


# answer: my_greedy | wrong | argmax over the whole table in place of one row | best score of the whole table
def my_greedy(table, begin, end, most):
    out, s = [], begin
    for _ in range(most):
        s = int(table.argmax()) % table.shape[1]
        if s == end:
            break
        out.append(s)
    return torch.tensor(out, dtype=torch.long)


# answer: my_greedy | wrong | returns the best scores in place of the symbols | holds the best scores
def my_greedy(table, begin, end, most):
    scores, s = [], begin
    for _ in range(most):
        value, index = table[s].max(0)
        s = int(index)
        if s == end:
            break
        scores.append(value)
    return torch.tensor(scores)


# answer: my_greedy | wrong | does not stop at end: goes on writing behind it and only removes the end signs | only take the end signs out
def my_greedy(table, begin, end, most):
    s, out = begin, []
    for _ in range(most):
        s = int(table[s].argmax())
        out.append(s)
    return torch.tensor([x for x in out if x != end], dtype=torch.long)


# answer: my_greedy | wrong | each symbol's best successor for all rows at once, no chain | asked for is a chain
def my_greedy(table, begin, end, most):
    best = table.argmax(-1)
    return best[best != end][:most]


# answer: my_greedy | wrong | crashes where nothing is written: stack of an empty list, end comes at once | non-empty TensorList
def my_greedy(table, begin, end, most):
    s = torch.tensor(begin)
    out = []
    for _ in range(most):
        s = table[s].argmax()
        if s == end:
            break
        out.append(s)
    return torch.stack(out)


# answer: my_greedy | wrong | never takes the end: end's score is left out of the choice | The end is never chosen
def my_greedy(table, begin, end, most):
    t = table.clone()
    t[:, end] = float("-inf")
    out, s = [], begin
    while len(out) < most:
        s = int(t[s].argmax())
        out.append(s)
    return torch.tensor(out, dtype=torch.long)


# answer: my_greedy | right | generator and itertools
import itertools


def my_greedy(table, begin, end, most):
    best = table.argmax(dim=-1).tolist()

    def chain(s):
        while True:
            s = best[s]
            yield s

    stopped = itertools.takewhile(lambda s: s != end, chain(begin))
    return torch.tensor(list(itertools.islice(stopped, most)), dtype=torch.long)


# answer: my_greedy | right | a tensor filled in place and cut at the end
def my_greedy(table, begin, end, most):
    written = torch.full((most + 1,), begin)
    t = 0
    while t < most:
        written[t + 1] = table[written[t]].topk(1).indices[0]
        if written[t + 1] == end:
            break
        t += 1
    return written[1 : t + 1]


# answer: my_cached_step | wrong | keys and values swapped + divides by d | Keys and values are exchanged
def my_cached_step(q, k, v, past_keys, past_values):
    K = torch.cat([past_values, v], 1)
    V = torch.cat([past_keys, k], 1)
    return torch.softmax(q @ K.mT / q.shape[-1], -1) @ V


# answer: my_cached_step | wrong | appends the query in place of the key | join the past keys and the query
def my_cached_step(q, k, v, past_keys, past_values):
    K = torch.cat([past_keys, q], 1)
    V = torch.cat([past_values, v], 1)
    return F.scaled_dot_product_attention(q, K, V)


# answer: my_cached_step | wrong | two softmaxes, past and self apart, added up: the weights sum to 2 | all weights sum to 2
def my_cached_step(q, k, v, past_keys, past_values):
    s = math.sqrt(q.shape[-1])
    past = (q @ past_keys.mT / s).softmax(-1) @ past_values
    own = (q @ k.mT / s).softmax(-1) @ v
    return past + own


# answer: my_cached_step | wrong | loses the axis of the query: (batch, d) | The result keeps three axes
def my_cached_step(q, k, v, past_keys, past_values):
    K = torch.cat([past_keys, k], 1)
    V = torch.cat([past_values, v], 1)
    w = torch.einsum("bqd,bkd->bk", q, K).div(math.sqrt(K.shape[-1])).softmax(-1)
    return torch.einsum("bk,bkd->bd", w, V)


# answer: my_cached_step | wrong | replaces the last past token by the new one, in the caller's cache | have replaced the newest ones
def my_cached_step(q, k, v, past_keys, past_values):
    past_keys[:, -1:] = k
    past_values[:, -1:] = v
    w = (q @ past_keys.mT / math.sqrt(q.shape[-1])).softmax(-1)
    return w @ past_values


# answer: my_cached_step | wrong | cosine in place of the dot product | compare by the cosine
def my_cached_step(q, k, v, past_keys, past_values):
    K = torch.cat([past_keys, k], 1)
    V = torch.cat([past_values, v], 1)
    sims = F.cosine_similarity(q, K, dim=-1).unsqueeze(1)
    return (sims / math.sqrt(q.shape[-1])).softmax(-1) @ V


# answer: my_cached_step | right | online softmax, one token at a time, float64 inside
def my_cached_step(q, k, v, past_keys, past_values):
    d = q.shape[-1]
    Q, acc = q.double(), torch.zeros_like(v, dtype=torch.float64)
    top = torch.full((q.shape[0], 1, 1), -math.inf, dtype=torch.float64)
    norm = torch.zeros_like(top)
    tokens = [(k, v)] + [
        (past_keys[:, i : i + 1], past_values[:, i : i + 1]) for i in range(past_keys.shape[1])
    ]
    for key, value in tokens:
        s = (Q * key.double()).sum(-1, keepdim=True) * d**-0.5
        new = torch.maximum(top, s)
        fade, p = (top - new).exp(), (s - new).exp()
        acc, norm, top = acc * fade + p * value.double(), norm * fade + p, new
    return (acc / norm).to(q.dtype)


# answer: my_cached_step | right | numpy with einsum
import numpy as np


def my_cached_step(q, k, v, past_keys, past_values):
    q_, k_, v_, pk, pv = (
        x.detach().numpy().astype(np.float64) for x in (q, k, v, past_keys, past_values)
    )
    K, V = np.concatenate([pk, k_], axis=1), np.concatenate([pv, v_], axis=1)
    s = np.einsum("bid,bjd->bij", q_, K) / np.sqrt(K.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return torch.from_numpy(np.einsum("bij,bjd->bid", e / e.sum(-1, keepdims=True), V)).float()


# answer: my_cached_step | right | past and own part mixed by a sigmoid of logsumexp
def my_cached_step(q, k, v, past_keys, past_values):
    r = q.shape[-1] ** -0.5
    past, own = q @ past_keys.mT * r, (q * k).sum(-1, keepdim=True) * r
    g = torch.sigmoid(own - past.logsumexp(-1, keepdim=True))
    return g * v + (1 - g) * (past.softmax(-1) @ past_values)


# answer: my_share_on_span | wrong | span of the queries (rows) in place of the keys | span of the queries, which are the rows
def my_share_on_span(weights, start, stop):
    share = weights[start:stop].sum(0).mean()
    return share / ((stop - start) / weights.shape[0])


# answer: my_share_on_span | wrong | chance upside down: multiplied by it in place of divided | You multiply by chance
def my_share_on_span(weights, start, stop):
    share = weights[:, start:stop].sum(-1).mean()
    return share * (stop - start) / weights.shape[-1]


# answer: my_share_on_span | wrong | chance divided by the share: the ratio is upside down | upside down
def my_share_on_span(weights, start, stop):
    n = weights.shape[1]
    even = (stop - start) / n
    got = weights[:, start:stop].sum() / weights.shape[0]
    return float(even / got)


# answer: my_share_on_span | wrong | compares with the weight outside of the span, not with an even spread | each query's weight in the span with its weight outside
def my_share_on_span(weights, start, stop):
    inside = weights[:, start:stop].sum(-1)
    outside = 1 - inside
    return (inside / outside).mean()


# answer: my_share_on_span | wrong | no mean over the queries: one number for each | one number for each query
def my_share_on_span(weights, start, stop):
    return weights[:, start:stop].sum(-1) * weights.shape[1] / (stop - start)


# answer: my_share_on_span | wrong | mean weight in the span over mean weight outside of it | mean weight of a key outside
def my_share_on_span(weights, start, stop):
    mask = torch.zeros(weights.shape[1], dtype=torch.bool)
    mask[start:stop] = True
    return weights[:, mask].mean() / weights[:, ~mask].mean()


# answer: my_share_on_span | wrong | softmax once more over weights that are weights already | weights that are weights already
def my_share_on_span(weights, start, stop):
    w = torch.softmax(weights, dim=-1)
    return w[:, start:stop].sum(-1).mean() / ((stop - start) / w.shape[-1])


# answer: my_share_on_span | wrong | rounds chance to a whole number by //: division by zero gives inf | needs /, not //
def my_share_on_span(weights, start, stop):
    share = weights[:, start:stop].sum(-1).mean()
    return share / ((stop - start) // weights.shape[1])


# answer: my_share_on_span | wrong | rows in place of columns + difference in place of ratio | span of the queries, which are the rows
def my_share_on_span(weights, start, stop):
    given = weights[start:stop, :].sum(0).mean()
    return given - (stop - start) / weights.shape[0]


# answer: my_share_on_span | right | fractions from Python, exact arithmetic
from fractions import Fraction


def my_share_on_span(weights, start, stop):
    total = sum((Fraction(x) for row in weights.tolist() for x in row[start:stop]), Fraction(0))
    return float(total / len(weights) / Fraction(stop - start, weights.shape[1]))


# answer: my_greedy | wrong | takes every begin out of the result | it has been written like any other
def my_greedy(table, begin, end, most):
    symbols = [begin]
    while len(symbols) <= most:
        following = int(table[symbols[-1]].argmax())
        if following == end:
            break
        symbols.append(following)
    return torch.tensor([s for s in symbols if s != begin], dtype=torch.long)


# answer: my_greedy | wrong | a list without a dtype, so that floats come out where the end comes at once | float32 instead of int64
def my_greedy(table, begin, end, most):
    symbols = [begin]
    while len(symbols) <= most:
        following = int(table[symbols[-1]].argmax())
        if following == end:
            break
        symbols.append(following)
    return torch.tensor(symbols[1:])


# answer: my_shift_right | wrong | int64 begin column makes int32 targets int64, dtype lost | int64 instead of int32
def my_shift_right(targets, begin):
    start = torch.ones(targets.size(0), 1, dtype=torch.long) * begin
    return torch.cat([start, targets[:, :-1]], dim=-1)


# answer: my_shift_right | wrong | one place too long with two begin signs in front + float dtype | begin stands in front twice
def my_shift_right(targets, begin):
    batch, n = targets.shape
    x = torch.ones(batch, n + 1) * begin
    for b in range(batch):
        for i in range(n - 1):
            x[b, i + 2] = targets[b, i]
    return x


# answer: my_shift_right | wrong | shifts left + puts a zero instead of the begin sign | A 0 is filled in
def my_shift_right(targets, begin):
    dec = torch.zeros_like(targets)
    dec[:, :-1] = targets[:, 1:]
    return dec


# answer: my_shift_right | right | gather with clamped places and where
def my_shift_right(targets, begin):
    place = torch.arange(targets.shape[1]).expand_as(targets)
    before = targets.gather(1, (place - 1).clamp(min=0))
    return torch.where(place == 0, torch.tensor(begin, dtype=targets.dtype), before)


# answer: my_greedy | wrong | forbids begin as a symbol | begin is never chosen
def my_greedy(table, begin, end, most):
    t = table.clone()
    t[:, begin] = float("-inf")  # begin is never written
    out, cur = [], begin
    for _ in range(most):
        cur = int(t[cur].argmax())
        if cur == end:
            break
        out.append(cur)
    return torch.tensor(out, dtype=torch.long)


# answer: my_greedy | wrong | stops when a symbol comes a second time | a symbol comes a second time
def my_greedy(table, begin, end, most):
    seen = []
    cur = begin
    while len(seen) < most:
        cur = table[cur].argmax().item()
        if cur == end or cur in seen:
            break
        seen.append(cur)
    return torch.tensor(seen, dtype=torch.long)


# answer: my_greedy | wrong | smallest score instead of largest + the end sign is returned too | The result holds the symbol end
def my_greedy(table, begin, end, most):
    ys = torch.empty(0, dtype=torch.long)
    s = begin
    while len(ys) < most:
        s = table[s].argmin()
        ys = torch.cat([ys, s.view(1)])
        if s == end:
            break
    return ys


# answer: my_greedy | wrong | returns nothing when most is reached, return only at end | without `return`
def my_greedy(table, begin, end, most):
    out = []
    cur = begin
    for _ in range(most):
        cur = int(table[cur].argmax(-1))
        if cur == end:
            return torch.tensor(out, dtype=torch.long)
        out.append(cur)


# answer: my_greedy | right | one-hot vector times a transition matrix, cat of tensors
def my_greedy(table, begin, end, most):
    size = table.shape[0]
    step = F.one_hot(table.argmax(-1), size)
    state = F.one_hot(torch.tensor(begin), size)
    result = torch.empty(0, dtype=torch.long)
    for _ in range(most):
        state = state @ step
        symbol = state.nonzero().flatten()
        if symbol.item() == end:
            break
        result = torch.cat([result, symbol])
    return result


# answer: my_cached_step | wrong | attention of past and newest computed apart and averaged half and half | the new token always weighs one half
def my_cached_step(q, k, v, past_keys, past_values):
    old = F.scaled_dot_product_attention(q, past_keys, past_values)
    new = F.scaled_dot_product_attention(q, k, v)
    return (old + new) / 2


# answer: my_cached_step | wrong | softmax over the query axis + divides by d instead of by its root | The columns sum to 1
def my_cached_step(q, k, v, past_keys, past_values):
    allk = torch.cat([past_keys, k], 1)
    allv = torch.cat([past_values, v], 1)
    s = q @ allk.permute(0, 2, 1) / q.shape[-1]
    return s.softmax(-2) @ allv


# answer: my_cached_step | right | scores of past and newest apart, joined by logaddexp
def my_cached_step(q, k, v, past_keys, past_values):
    root = q.shape[-1] ** 0.5
    old = (q * past_keys).sum(-1, keepdim=True) / root
    new = (q * k).sum(-1, keepdim=True) / root
    z = torch.logaddexp(torch.logsumexp(old, dim=1, keepdim=True), new)
    return ((old - z).exp() * past_values).sum(1, keepdim=True) + (new - z).exp() * v


# answer: my_share_on_span | wrong | keys counted from 1 | one key too early
def my_share_on_span(weights, start, stop):
    share = weights[:, start - 1 : stop - 1].sum(1).mean()
    return (share * weights.shape[1] / (stop - start)).item()


# answer: my_share_on_span | wrong | stop is counted into the span + sum over the queries instead of mean | mean of the queries' shares
def my_share_on_span(weights, start, stop):
    total = 0.0
    for i in range(weights.shape[0]):
        for j in range(start, stop + 1):
            if j < weights.shape[1]:
                total += weights[i, j].item()
    chance = (stop - start + 1) / weights.shape[1]
    return total / chance


# answer: my_share_on_span | right | mean over queries first, then a dot product with an indicator vector
def my_share_on_span(weights, start, stop):
    keys = weights.shape[1]
    span = torch.zeros(keys, dtype=weights.dtype)
    span[start:stop] = keys / (stop - start)
    return torch.dot(weights.mean(0), span)


# answer: my_shift_right | wrong | copies the overlapping slice within one tensor, which PyTorch refuses | overlap
def my_shift_right(targets, begin):
    out = targets.clone()
    out[:, 1:] = out[:, :-1]
    out[:, 0] = begin
    return out


# answer: my_shift_right | wrong | ignores the argument begin and takes the lesson's number of ^, 11 | stands 11
def my_shift_right(targets, begin):
    begin = 11
    first = torch.full((targets.shape[0], 1), begin, dtype=targets.dtype)
    return torch.cat([first, targets[:, :-1]], 1)


# answer: my_cached_step | wrong | scales after the softmax | after the softmax
def my_cached_step(q, k, v, past_keys, past_values):
    keys = torch.cat([past_keys, k], dim=1)
    values = torch.cat([past_values, v], dim=1)
    weights = (q @ keys.mT).softmax(-1) / q.shape[-1] ** 0.5
    return weights @ values


# answer: my_cached_step | wrong | two mistakes: only the first text of the batch is attended to, and no scaling | keys and values of the first one
def my_cached_step(q, k, v, past_keys, past_values):
    keys = torch.cat([past_keys[0], k[0]])
    values = torch.cat([past_values[0], v[0]])
    w = torch.softmax(q @ keys.T, dim=-1)
    return w @ values


# answer: my_cached_step | wrong | two mistakes: scales by the number of tokens instead of d, and the values lack the new one (a zero stands in) | missing from the average
def my_cached_step(q, k, v, past_keys, past_values):
    keys = torch.cat([past_keys, k], dim=1)
    values = torch.cat([past_values, torch.zeros_like(v)], dim=1)
    t = keys.shape[1]
    return torch.softmax(q @ keys.mT / t**0.5, dim=-1) @ values


# answer: my_share_on_span | wrong | takes stop as part of the span, in the slice and in the length | in the share and in chance
def my_share_on_span(weights, start, stop):
    share = weights[:, start : stop + 1].sum(1).mean()
    return share / ((stop + 1 - start) / weights.shape[1])


# answer: my_share_on_span | wrong | takes the span among the queries (rows) | cut out rows
def my_share_on_span(weights, start, stop):
    share = weights[start:stop].sum(-1).mean()
    return share / ((stop - start) / weights.shape[-1])


# answer: my_share_on_span | wrong | counts the queries whose largest weight lies in the span instead of the weight | count the queries
def my_share_on_span(weights, start, stop):
    best = weights.argmax(-1)
    share = ((best >= start) & (best < stop)).double().mean()
    return share / ((stop - start) / weights.shape[1])


# answer: my_share_on_span | wrong | two mistakes: largest weight in the span instead of its sum, and the median over the queries | largest weight that each query
def my_share_on_span(weights, start, stop):
    share = weights[:, start:stop].max(dim=-1).values.median()
    return share * weights.shape[1] / (stop - start)


# answer: my_greedy | wrong | the first symbol is noted before anybody looks whether it is end | Where end is the first symbol
def my_greedy(table, begin, end, most):
    written = [int(table[begin].argmax())]
    while len(written) < most:
        following = int(table[written[-1]].argmax())
        if following == end or written[-1] == end:
            break
        written.append(following)
    return torch.tensor(written)


# answer: my_cached_step | wrong | the new key goes to the values and the new value to the keys | gone to the past values
def my_cached_step(q, k, v, past_keys, past_values):
    keys, values = torch.cat([past_keys, v], 1), torch.cat([past_values, k], 1)
    return F.scaled_dot_product_attention(q, keys, values)


# answer: my_cached_step | wrong | the root of the lesson's head size is written in | divided by 2.83
def my_cached_step(q, k, v, past_keys, past_values):
    keys, values = torch.cat([past_keys, k], 1), torch.cat([past_values, v], 1)
    return (q @ keys.mT / math.sqrt(8)).softmax(-1) @ values


# answer: my_share_on_span | wrong | a float that is rounded | rounded to two decimals
def my_share_on_span(weights, start, stop):
    share = weights[:, start:stop].sum(-1).mean().item()
    return round(share * weights.shape[1] / (stop - start), 2)


# answer: my_greedy | wrong | no limit, so that a ring without end is walked for ever | ignore `most`
def my_greedy(table, begin, end, most):
    out, cur = [], begin
    while True:
        cur = int(table[cur].argmax())
        if cur == end:
            return torch.tensor(out, dtype=torch.long)
        out.append(cur)


# answer: my_cached_step | wrong | scales the query by hand and lets the function of torch scale once more | Is the division made twice
def my_cached_step(q, k, v, past_keys, past_values):
    q = q / q.size(-1) ** 0.5
    keys, values = torch.cat((past_keys, k), dim=-2), torch.cat((past_values, v), dim=-2)
    return torch.nn.functional.scaled_dot_product_attention(q, keys, values)


# answer: my_share_on_span | wrong | even spread by the number of queries, not of keys | number of queries stands where
def my_share_on_span(weights, start, stop):
    n = len(weights)
    return float(weights[:, start:stop].sum(-1).mean() * n / (stop - start))


# answer: my_share_on_span | wrong | rows instead of columns, the span is cut out of the queries | span of the queries
def my_share_on_span(weights, start, stop):
    keys = weights.shape[1]
    return weights[start:stop].sum(0).mean() / ((stop - start) / keys)


# answer: my_shift_right | wrong | rolls the texts, not the places | roll along the batch
def my_shift_right(targets, begin):
    given = targets.roll(1, 0)
    given[:, 0] = begin
    return given


# answer: my_cached_step | wrong | softmax without subtracting the maximum overflows to NaN at large scores | infinity divided by infinity
def my_cached_step(q, k, v, past_keys, past_values):
    keys, values = torch.cat([past_keys, k], 1), torch.cat([past_values, v], 1)
    e = torch.exp(q @ keys.transpose(1, 2) / q.shape[-1] ** 0.5)
    return (e / e.sum(-1, keepdim=True)) @ values


# answer: my_cached_step | wrong | einsum letters sum the keys of all texts, right only for a batch of one | sums of the keys of all texts
def my_cached_step(q, k, v, past_keys, past_values):
    keys, values = torch.cat([past_keys, k], 1), torch.cat([past_values, v], 1)
    scores = torch.einsum("bqd,cnd->bqn", q, keys) / math.sqrt(q.shape[-1])
    return scores.softmax(-1) @ values


# answer: my_cached_step | wrong | running mean of old attention and new value, not one softmax | weight 1 / (t + 1)
def my_cached_step(q, k, v, past_keys, past_values):
    t = past_keys.shape[1]
    old = (q @ past_keys.mT / math.sqrt(q.shape[-1])).softmax(-1) @ past_values
    return (t * old + v) / (t + 1)


# answer: my_share_on_span | wrong | integer division of keys by the span's length | needs /, not //
def my_share_on_span(weights, start, stop):
    return weights[:, start:stop].sum(-1).mean().item() * (weights.shape[1] // (stop - start))


# answer: my_share_on_span | wrong | rounds the result to one decimal, as the lesson prints its shares | rounded to one decimal
def my_share_on_span(weights, start, stop):
    share = weights[:, start:stop].sum(-1).mean().item()
    return round(share / ((stop - start) / weights.shape[-1]), 1)


# answer: my_share_on_span | wrong | chance is span over the rest of the keys | part that the span's keys are of the others
def my_share_on_span(weights, start, stop):
    size = stop - start
    return weights[:, start:stop].sum(-1).mean() * (weights.shape[-1] - size) / size


# answer: my_share_on_span | right | chance by the mean of all weights
def my_share_on_span(weights, start, stop):
    return weights[:, start:stop].mean() / weights.mean()


# answer: my_greedy | wrong | starts the search for the best score from 0, so negative rows give symbol 0 | begins at 0
def my_greedy(table, begin, end, most):
    written, symbol = [], begin
    for _ in range(most):
        best, choice = 0.0, 0
        for s, score in enumerate(table[symbol].tolist()):
            if score > best:
                best, choice = score, s
        symbol = choice
        if symbol == end:
            break
        written.append(symbol)
    return torch.tensor(written, dtype=torch.long)


# answer: my_greedy | wrong | stops when a symbol follows itself | follows itself
def my_greedy(table, begin, end, most):
    written, symbol = [], begin
    for _ in range(most):
        following = int(table[symbol].argmax())
        if following in (end, symbol):
            break
        written.append(following)
        symbol = following
    return torch.tensor(written, dtype=torch.long)


# answer: my_cached_step | wrong | all texts of the batch share one pool of keys | in one pool
def my_cached_step(q, k, v, past_keys, past_values):
    d = q.shape[-1]
    K = torch.cat([past_keys, k], 1).reshape(-1, d)
    V = torch.cat([past_values, v], 1).reshape(-1, d)
    return (q @ K.T / math.sqrt(d)).softmax(-1) @ V


# answer: my_cached_step | wrong | scales the past scores but not the token's own | that of the new token is not
def my_cached_step(q, k, v, past_keys, past_values):
    past = q @ past_keys.mT / math.sqrt(q.shape[-1])
    own = (q * k).sum(-1, keepdim=True)
    weights = torch.cat([past, own], -1).softmax(-1)
    return weights[..., :-1] @ past_values + weights[..., -1:] * v


# answer: my_shift_right | wrong | sentences that begin with begin stay | There belongs symbol 1
def my_shift_right(targets, begin):
    moved = targets.roll(1, 1)
    moved[:, 0] = begin
    return torch.where(targets[:, :1] == begin, targets, moved)


# answer: my_shift_right | wrong | the column of begin signs is made as int64, so targets of another whole-number dtype, such as int32, come back as int64 | The result is right, but you return int64 instead of int32
def my_shift_right(targets, begin):
    first = torch.full((targets.shape[0], 1), begin)
    return torch.cat([first, targets[:, :-1]], dim=1)


# answer: my_shift_right | wrong | writes into targets itself, which has to stay as it is | The result is right, but your function writes into
def my_shift_right(targets, begin):
    given = targets
    given[:, 1:] = targets[:, :-1].clone()
    given[:, 0] = begin
    return given


# answer: my_greedy | wrong | reads a column of the table in place of the row: the scores of what comes before symbol i, not after it | You read a column of the table. Row i holds the scores of
def my_greedy(table, begin, end, most):
    written, symbol = [], begin
    while len(written) < most:
        symbol = table[:, symbol].argmax().item()
        if symbol == end:
            break
        written.append(symbol)
    return torch.tensor(written, dtype=torch.long)


# answer: my_greedy | wrong | gives no dtype to torch.tensor, so the empty result, when end comes at once, is float32 and not torch.long | The result is right, but your empty result is float32
def my_greedy(table, begin, end, most):
    best = table.argmax(-1).tolist()
    written = []
    symbol = best[begin]
    while symbol != end and len(written) < most:
        written.append(symbol)
        symbol = best[symbol]
    return torch.tensor(written)


# answer: my_greedy | wrong | counts the begin sign among the most symbols, so it stops one symbol too early where end does not come in time | Where `most` ends the answer, your result is one symbol
def my_greedy(table, begin, end, most):
    written = torch.tensor([begin])
    while len(written) < most:
        following = table[written[-1]].argmax()
        if following == end:
            break
        written = torch.cat([written, following[None]])
    return written[1:]


# answer: my_cached_step | wrong | divides the scores by the square root of the number of tokens, keys.shape[1], in place of that of d | You divide by the root of the number of keys. How many keys
def my_cached_step(q, k, v, past_keys, past_values):
    keys = torch.cat([past_keys, k], 1)
    values = torch.cat([past_values, v], 1)
    weights = torch.softmax(torch.bmm(q, keys.transpose(1, 2)) / keys.shape[1] ** 0.5, dim=-1)
    return torch.bmm(weights, values)


# answer: my_cached_step | wrong | puts a lower triangle as the causal mask over the one row of scores, counted from the left, so the newest token sees only the first key | Only the first key is seen, as with a causal mask that
def my_cached_step(q, k, v, past_keys, past_values):
    keys = torch.cat([past_keys, k], dim=1)
    values = torch.cat([past_values, v], dim=1)
    scores = q @ keys.mT / math.sqrt(q.shape[-1])
    allowed = torch.ones(q.shape[1], keys.shape[1], dtype=torch.bool).tril()
    scores = scores.masked_fill(~allowed, -math.inf)
    return scores.softmax(-1) @ values


# answer: my_share_on_span | wrong | takes the key number stop into the span's weight, which should end before it | You count the key `stop` too, in the share: the span ends
def my_share_on_span(weights, start, stop):
    share = weights[:, start : stop + 1].sum(-1).mean()
    chance = (stop - start) / weights.shape[-1]
    return share / chance


# answer: my_share_on_span | wrong | computes the even share with the number of queries, len(weights), in place of the number of keys; right only for square tables | The number of queries stands where the number of keys
def my_share_on_span(weights, start, stop):
    share = weights[:, start:stop].sum(1).mean()
    return share * len(weights) / (stop - start)


# answer: my_shift_right | right, no remark | rolls the whole flattened batch by one, so each row first gets the last symbol of the row before, which begin then overwrites
def my_shift_right(targets, begin):
    given = targets.roll(1)
    given[:, 0] = begin
    return given


# answer: my_cached_step | right, no remark | goes through the keys one by one with a running maximum, sum and output, the newest token first
def my_cached_step(q, k, v, past_keys, past_values):
    d = q.shape[-1]
    largest = (q * k).sum(-1, keepdim=True) / d**0.5
    total, output = torch.ones_like(largest), v.clone()
    for t in range(past_keys.shape[1] - 1, -1, -1):
        score = (q * past_keys[:, t : t + 1]).sum(-1, keepdim=True) / d**0.5
        new = torch.maximum(largest, score)
        shrink, weight = (largest - new).exp(), (score - new).exp()
        total = total * shrink + weight
        output = output * shrink + weight * past_values[:, t : t + 1]
        largest = new
    return output / total


# answer: my_share_on_span | right, no remark | the mean weight of the span's cells over the mean weight of a cell of the whole table, as the rows sum to 1
def my_share_on_span(weights, start, stop):
    inside = torch.tensor([start <= j < stop for j in range(weights.shape[1])])
    return weights.T[inside].mean() / weights.mean()


# answer: my_shift_right | wrong | It writes into targets itself, which should stay as it is. | The result is right, but your function writes into
def my_shift_right(targets, begin):
    targets[:, 1:] = targets[:, :-1].clone()
    targets[:, 0] = begin
    return targets


# answer: my_greedy | wrong | Every begin sign is taken out of the result, also one that the table has written on the way. | You take the symbol begin out of the result, wherever it
def my_greedy(table, begin, end, most):
    symbols = [begin]
    while len(symbols) <= most:
        best = table[symbols[-1]].argmax().item()
        if best == end:
            break
        symbols.append(best)
    return torch.tensor([s for s in symbols if s != begin], dtype=torch.long)


# answer: my_greedy | wrong | It reads the column of the last symbol, where the row holds the scores of what follows. | You read a column of the table. Row i holds the scores of
def my_greedy(table, begin, end, most):
    written, last = [], begin
    for _ in range(most):
        last = int(table[:, last].argmax())
        if last == end:
            break
        written.append(last)
    return torch.tensor(written, dtype=torch.long)


# answer: my_cached_step | wrong | The new key stands in front of the past keys and the new value behind the past values, so weights and values do not belong together. | The new key stands in front of the old ones and the new
def my_cached_step(q, k, v, past_keys, past_values):
    keys = torch.cat([k, past_keys], dim=1)
    values = torch.cat([past_values, v], dim=1)
    scores = q @ keys.transpose(1, 2) / math.sqrt(q.shape[-1])
    return scores.softmax(-1) @ values


# answer: my_share_on_span | wrong | The even share counts the key at stop as part of the span, one key too many. | Chance is taken for one key too many: from start up to
def my_share_on_span(weights, start, stop):
    given = weights[:, start:stop].sum(1).mean()
    even = (stop - start + 1) / weights.shape[1]
    return given / even


# answer: my_shift_right | right | rolls the whole batch as one long line; the symbols that cross into the next row are just those that begin replaces
def my_shift_right(targets, begin):
    given = targets.roll(1)
    given[:, 0] = begin
    return given


# answer: my_cached_step | right | attends to the past alone and mixes the new value in with a sigmoid of the difference of the logs
def my_cached_step(q, k, v, past_keys, past_values):
    root = q.shape[-1] ** 0.5
    old = q @ past_keys.mT / root
    new = (q * k).sum(-1, keepdim=True) / root
    share = torch.sigmoid(new - old.logsumexp(-1, keepdim=True))
    return (1 - share) * (old.softmax(-1) @ past_values) + share * v
