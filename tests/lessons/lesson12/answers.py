# answer: my_running_average | right | three running numbers
def my_running_average(scores, values):
    largest, total, output = torch.tensor(-float("inf")), 0.0, torch.zeros(values.shape[1])
    rows = []
    for s, v in zip(scores, values):
        new = torch.maximum(largest, s)
        total = total * torch.exp(largest - new) + torch.exp(s - new)
        output = output * torch.exp(largest - new) + torch.exp(s - new) * v
        largest = new
        rows.append(output / total)
    return torch.stack(rows)


# answer: my_running_average | right | keeps the mean and the log of the sum
def my_running_average(scores, values):
    log, mean, rows = scores[0], values[0], [values[0]]
    for s, v in zip(scores[1:], values[1:]):
        new = torch.logaddexp(log, s)
        mean = mean * torch.exp(log - new) + v * torch.exp(s - new)
        log = new
        rows.append(mean)
    return torch.stack(rows)


# answer: my_running_average | right | begins with the first key
def my_running_average(scores, values):
    m, l, o = scores[0].item(), 1.0, values[0].clone()
    out = [o]
    for i in range(1, len(scores)):
        s = scores[i].item()
        if s > m:
            factor = math.exp(m - s)
            l, o, m = l * factor, o * factor, s
        w = math.exp(s - m)
        l, o = l + w, o + w * values[i]
        out.append(o / l)
    return torch.stack(out)


# answer: my_running_average | right | a table, without softmax
def my_running_average(scores, values):
    rows = []
    for i in range(1, len(scores) + 1):
        w = torch.exp(scores[:i] - scores[:i].max())
        rows.append(w @ values[:i] / w.sum())
    return torch.stack(rows)


# answer: my_running_average | wrong | no maximum | You take no maximum off
def my_running_average(scores, values):
    w = scores.exp()
    return (w[:, None] * values).cumsum(0) / w.cumsum(0)[:, None]


# answer: my_running_average | wrong | largest of all | largest of all scores
def my_running_average(scores, values):
    w = (scores - scores.max()).exp()
    return (w[:, None] * values).cumsum(0) / w.cumsum(0)[:, None]


# answer: my_running_average | wrong | the sum is not shrunk | shrink the output and not the sum
def my_running_average(scores, values):
    largest, total, output, rows = (
        torch.tensor(-float("inf")),
        0.0,
        torch.zeros(values.shape[1]),
        [],
    )
    for s, v in zip(scores, values):
        new = torch.maximum(largest, s)
        output = output * (largest - new).exp() + (s - new).exp() * v
        total = total + (s - new).exp()
        largest = new
        rows.append(output / total)
    return torch.stack(rows)


# answer: my_running_average | wrong | nothing is shrunk | nothing is shrunk
def my_running_average(scores, values):
    largest, total, output, rows = (
        torch.tensor(-float("inf")),
        0.0,
        torch.zeros(values.shape[1]),
        [],
    )
    for s, v in zip(scores, values):
        largest = torch.maximum(largest, s)
        output = output + (s - largest).exp() * v
        total = total + (s - largest).exp()
        rows.append(output / total)
    return torch.stack(rows)


# answer: my_running_average | wrong | the maximum starts at zero | starts at 0
def my_running_average(scores, values):
    largest, total, output, rows = torch.tensor(0.0), 0.0, torch.zeros(values.shape[1]), []
    for s, v in zip(scores, values):
        new = torch.maximum(largest, s)
        total = total * (largest - new).exp() + (s - new).exp()
        output = output * (largest - new).exp() + (s - new).exp() * v
        largest = new
        rows.append(output / total)
    return torch.stack(rows)


# answer: my_running_average | wrong | the last row alone | one row alone
def my_running_average(scores, values):
    w = (scores - scores.max()).exp()
    return w @ values / w.sum()


# answer: my_running_average | wrong | calls softmax | running sums themselves
def my_running_average(scores, values):
    return torch.stack([scores[: i + 1].softmax(0) @ values[: i + 1] for i in range(len(scores))])


# answer: my_merge | right | a softmax of two
def my_merge(output_a, log_a, output_b, log_b):
    w = torch.softmax(torch.stack([log_a, log_b], -1), -1)
    return w[:, :1] * output_a + w[:, 1:] * output_b


# answer: my_merge | right | a sigmoid
def my_merge(output_a, log_a, output_b, log_b):
    a = torch.sigmoid(log_a - log_b).unsqueeze(-1)
    return a * output_a + (1 - a) * output_b


# answer: my_merge | right | logaddexp
def my_merge(output_a, log_a, output_b, log_b):
    both = torch.logaddexp(log_a, log_b)
    return (log_a - both).exp()[:, None] * output_a + (log_b - both).exp()[:, None] * output_b


# answer: my_merge | right | the larger log taken off
def my_merge(output_a, log_a, output_b, log_b):
    m = torch.maximum(log_a, log_b)
    a, b = (log_a - m).exp()[:, None], (log_b - m).exp()[:, None]
    return (a * output_a + b * output_b) / (a + b)


# answer: my_merge | wrong | the mean | mean of both outputs
def my_merge(output_a, log_a, output_b, log_b):
    return (output_a + output_b) / 2


# answer: my_merge | wrong | plain exp | for large ones that is infinite
def my_merge(output_a, log_a, output_b, log_b):
    a, b = log_a.exp()[:, None], log_b.exp()[:, None]
    return (a * output_a + b * output_b) / (a + b)


# answer: my_merge | wrong | logs as weights | weigh with the logs themselves
def my_merge(output_a, log_a, output_b, log_b):
    return (log_a[:, None] * output_a + log_b[:, None] * output_b) / (log_a + log_b)[:, None]


# answer: my_merge | wrong | weights swapped | weights are swapped
def my_merge(output_a, log_a, output_b, log_b):
    a = torch.sigmoid(log_b - log_a)[:, None]
    return a * output_a + (1 - a) * output_b


# answer: my_merge | wrong | the larger one alone | keep the output of the half
def my_merge(output_a, log_a, output_b, log_b):
    return torch.where((log_a > log_b)[:, None], output_a, output_b)


# answer: my_merge | wrong | softmax over the queries | along the queries
def my_merge(output_a, log_a, output_b, log_b):
    return log_a.softmax(0)[:, None] * output_a + log_b.softmax(0)[:, None] * output_b


# answer: my_needed_blocks | right | any of each block
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    mask = (j <= i) & ((i - j < window) | (j < sinks))
    return mask.reshape(n // size, size, n // size, size).any(dim=3).any(dim=1)


# answer: my_needed_blocks | right | from the ends of the blocks
def my_needed_blocks(n, window, sinks, size):
    first = torch.arange(0, n, size)
    last = first + size - 1
    near = (first[:, None] - last[None]) < window
    past = first[None] <= last[:, None]
    return past & (near | (first[None] < sinks))


# answer: my_needed_blocks | right | loops over pairs
def my_needed_blocks(n, window, sinks, size):
    out = torch.zeros(n // size, n // size, dtype=torch.bool)
    for i in range(n):
        for j in range(i + 1):
            if i - j < window or j < sinks:
                out[i // size, j // size] = True
    return out


# answer: my_needed_blocks | wrong | all | only if all of its pairs
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    mask = (j <= i) & ((i - j < window) | (j < sinks))
    return mask.reshape(n // size, size, n // size, size).all(3).all(1)


# answer: my_needed_blocks | wrong | the corner | one pair of each block
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    mask = (j <= i) & ((i - j < window) | (j < sinks))
    return mask[::size, ::size]


# answer: my_needed_blocks | wrong | whole blocks of window | in whole blocks
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n // size)[:, None], torch.arange(n // size)[None]
    return (j <= i) & ((i - j <= window // size) | (j * size < sinks))


# answer: my_needed_blocks | wrong | sinks forgotten | sinks make no difference
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    mask = (j <= i) & (i - j < window)
    return mask.reshape(n // size, size, n // size, size).any(3).any(1)


# answer: my_needed_blocks | wrong | one token too many | one token too many
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    mask = (j <= i) & ((i - j <= window) | (j < sinks))
    return mask.reshape(n // size, size, n // size, size).any(3).any(1)


# answer: my_needed_blocks | wrong | sees later sinks | later sinks
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    mask = ((j <= i) & (i - j < window)) | (j < sinks)
    return mask.reshape(n // size, size, n // size, size).any(3).any(1)


# answer: my_needed_blocks | wrong | the pairs | place for each pair
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    return (j <= i) & ((i - j < window) | (j < sinks))


# answer: my_linear_attention | right | a loop over tokens
def my_linear_attention(queries, keys, values):
    S = torch.zeros(keys.shape[1], values.shape[1]).to(values)
    z = torch.zeros_like(keys[0])
    out = []
    for q, k, v in zip(queries, keys, values):
        S = S + torch.outer(k, v)
        z = z + k
        out.append(q @ S / (q @ z))
    return torch.stack(out)


# answer: my_linear_attention | right | the table of weights
def my_linear_attention(queries, keys, values):
    w = (queries @ keys.T).tril()
    return w / w.sum(-1, keepdim=True) @ values


# answer: my_linear_attention | wrong | reads before it adds | before the token is added
def my_linear_attention(queries, keys, values):
    S, z, out = torch.zeros(keys.shape[1], values.shape[1]), torch.zeros(keys.shape[1]), []
    for q, k, v in zip(queries, keys, values):
        out.append(q @ S / (q @ z))
        S, z = S + torch.outer(k, v), z + k
    return torch.stack(out)


# answer: my_linear_attention | wrong | no division | do not divide by the sum
def my_linear_attention(queries, keys, values):
    return (queries @ keys.T).tril() @ values


# answer: my_linear_attention | wrong | sees all | state of the whole text
def my_linear_attention(queries, keys, values):
    w = queries @ keys.T
    return w / w.sum(-1, keepdim=True) @ values


# answer: my_linear_attention | wrong | softmax | softmax of the products
def my_linear_attention(queries, keys, values):
    s = (queries @ keys.T).masked_fill(~torch.ones(len(keys), len(keys)).tril().bool(), -math.inf)
    return s.softmax(-1) @ values


# answer: my_linear_attention | wrong | divides by the keys alone | multiply this sum with the query
def my_linear_attention(queries, keys, values):
    S, z, out = torch.zeros(keys.shape[1], values.shape[1]), 0.0, []
    for q, k, v in zip(queries, keys, values):
        S, z = S + torch.outer(k, v), z + k.sum()
        out.append(q @ S / z)
    return torch.stack(out)


# answer: my_linear_attention | wrong | features twice | features already
def my_linear_attention(queries, keys, values):
    q, k = F.elu(queries) + 1, F.elu(keys) + 1
    w = (q @ k.T).tril()
    return w / w.sum(-1, keepdim=True) @ values


# answer: my_linear_attention | wrong | divides by the tokens | by the number of tokens
def my_linear_attention(queries, keys, values):
    return (queries @ keys.T).tril() @ values / torch.arange(1, len(keys) + 1)[:, None]


# answer: my_cache_bytes | right | one line
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    return tokens * layers * (latent + turned if latent else 2 * kv_heads * size) * bits // 8


# answer: my_cache_bytes | right | step by step
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    if latent > 0:
        numbers = latent + turned
    else:
        numbers = kv_heads * (size + size)
    total_bits = numbers * layers * tokens * bits
    return int(total_bits / 8)


# answer: my_cache_bytes | wrong | keys alone | count the keys alone
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    return tokens * layers * (latent + turned if latent else kv_heads * size) * bits // 8


# answer: my_cache_bytes | wrong | bits | number of bits
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    return tokens * layers * (latent + turned if latent else 2 * kv_heads * size) * bits


# answer: my_cache_bytes | wrong | latent twice | latent vector twice
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    return tokens * layers * (2 * latent + turned if latent else 2 * kv_heads * size) * bits // 8


# answer: my_cache_bytes | wrong | latent and turned for each head | for each head
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    return (
        tokens
        * layers
        * (latent + kv_heads * turned if latent else 2 * kv_heads * size)
        * bits
        // 8
    )


# answer: my_cache_bytes | wrong | no key that turns | leave out the key that turns
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    return tokens * layers * (latent if latent else 2 * kv_heads * size) * bits // 8


# answer: my_cache_bytes | wrong | one layer | number of layers makes no difference
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    return tokens * (latent + turned if latent else 2 * kv_heads * size) * bits // 8


# answer: my_cache_bytes | wrong | keeps both | Besides the latent vector
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    each = 2 * kv_heads * size
    if latent:
        each += latent + turned
    return tokens * layers * each * bits // 8


# answer: my_running_average | wrong | plain mean, scores unused | scores make no difference
def my_running_average(scores, values):
    return values.cumsum(0) / torch.arange(1, len(values) + 1)[:, None]


# answer: my_running_average | wrong | the row leaves out its own key | leaves out its own key
def my_running_average(scores, values):
    out = [values[0]]
    for i in range(1, len(scores)):
        s = scores[:i]
        e = (s - s.max()).exp()
        out.append((e[:, None] * values[:i]).sum(0) / e.sum())
    return torch.stack(out)


# answer: my_running_average | wrong | averages averages | against the last one alone
def my_running_average(scores, values):
    rows = [values[0]]
    for i in range(1, len(values)):
        a = torch.sigmoid(scores[i] - scores[i - 1])
        rows.append((1 - a) * rows[-1] + a * values[i])
    return torch.stack(rows)


# answer: my_running_average | wrong | clamps the scores at 50 | cut the scores off
def my_running_average(scores, values):
    e = scores.clamp(-50, 50).exp()
    return (e[:, None] * values).cumsum(0) / e.cumsum(0)[:, None]


# answer: my_merge | wrong | not divided | sum to 1
def my_merge(output_a, log_a, output_b, log_b):
    m = torch.max(log_a, log_b)
    return torch.exp(log_a - m)[:, None] * output_a + torch.exp(log_b - m)[:, None] * output_b


# answer: my_merge | wrong | one maximum for all queries | a maximum of its own
def my_merge(output_a, log_a, output_b, log_b):
    m = max(log_a.max(), log_b.max())
    a, b = (log_a - m).exp(), (log_b - m).exp()
    return (output_a * a[:, None] + output_b * b[:, None]) / (a + b)[:, None]


# answer: my_merge | wrong | outputs taken for sums | divided already
def my_merge(output_a, log_a, output_b, log_b):
    return (output_a + output_b) / torch.logaddexp(log_a, log_b).exp()[:, None]


# answer: my_merge | wrong | base 2 | powers of 2
def my_merge(output_a, log_a, output_b, log_b):
    a = 1 / (1 + 2.0 ** (log_b - log_a))
    return a[:, None] * output_a + (1 - a)[:, None] * output_b


# answer: my_merge | wrong | sigmoid of a alone | log of the second half
def my_merge(output_a, log_a, output_b, log_b):
    a = torch.sigmoid(log_a)[:, None]
    return a * output_a + (1 - a) * output_b


# answer: my_needed_blocks | wrong | reshaped in the wrong order | in the wrong order
def my_needed_blocks(n, window, sinks, size):
    i = torch.arange(n)[:, None]
    j = torch.arange(n)[None]
    seen = (j <= i) & ((i - j < window) | (j < sinks))
    b = n // size
    return seen.reshape(b, b, size, size).any(3).any(2)


# answer: my_needed_blocks | wrong | window counted in blocks | counts tokens
def my_needed_blocks(n, window, sinks, size):
    b = n // size
    i = torch.arange(b)[:, None]
    j = torch.arange(b)[None]
    return (j <= i) & ((i - j < window) | (j < sinks))


# answer: my_needed_blocks | wrong | window both ways | reaches both ways
def my_needed_blocks(n, window, sinks, size):
    i = torch.arange(n)[:, None]
    j = torch.arange(n)[None]
    seen = ((i - j).abs() < window) | ((j < sinks) & (j <= i))
    b = n // size
    return seen.reshape(b, size, b, size).any(3).any(1)


# answer: my_linear_attention | wrong | leaves out the token itself | attends to itself
def my_linear_attention(queries, keys, values):
    w = (queries @ keys.T).tril(-1)
    w[0, 0] = 1
    return w @ values / w.sum(1, keepdim=True)


# answer: my_linear_attention | wrong | the sum of keys is never updated | newest key alone
def my_linear_attention(queries, keys, values):
    S = 0
    out = []
    for q, k, v in zip(queries, keys, values):
        S = S + torch.outer(k, v)
        out.append(q @ S / (q @ k))
    return torch.stack(out)


# answer: my_linear_attention | wrong | upper triangle | attend to later ones
def my_linear_attention(queries, keys, values):
    w = (queries @ keys.T).triu()
    return w @ values / w.sum(1, keepdim=True)


# answer: my_linear_attention | wrong | forgets a tenth at every step | fades from token
def my_linear_attention(queries, keys, values):
    S = 0
    z = 0
    out = []
    for q, k, v in zip(queries, keys, values):
        S = 0.9 * S + torch.outer(k, v)
        z = 0.9 * z + k
        out.append(q @ S / (q @ z))
    return torch.stack(out)


# answer: my_cache_bytes | wrong | bytes per number rounded down | round a number
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    per = latent + turned if latent else 2 * kv_heads * size
    return tokens * layers * per * (bits // 8)


# answer: my_cache_bytes | wrong | latent for each head | for each head
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    per = kv_heads * (latent + turned) if latent else 2 * kv_heads * size
    return tokens * layers * per * bits // 8


# answer: my_cache_bytes | wrong | the rotary key once for all layers | for all layers
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    if latent:
        return tokens * (layers * latent + turned) * bits // 8
    return tokens * layers * 2 * kv_heads * size * bits // 8


# answer: my_cache_bytes | wrong | pairs of tokens | pairs of tokens
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    per = latent + turned if latent else 2 * kv_heads * size
    return tokens * tokens * layers * per * bits // 8


# answer: my_running_average | wrong | no maximum, in double instead | You take no maximum off, so e to the power
def my_running_average(scores, values):
    e = scores.double().exp()
    top = (e[:, None] * values.double()).cumsum(0)
    return (top / e.cumsum(0)[:, None]).to(values.dtype)


# answer: my_running_average | wrong | each key keeps the maximum of its own time (cummax, then cum | When a larger score comes, nothing is
def my_running_average(scores, values):
    m = scores.cummax(0).values
    e = (scores - m).exp()
    return (e[:, None] * values).cumsum(0) / e.cumsum(0)[:, None]


# answer: my_running_average | wrong | remembers the last score in place of the largest one | You remember the last score in place of the
def my_running_average(scores, values):
    m = scores[0]
    total = torch.zeros_like(scores[0])
    out = torch.zeros_like(values[0])
    rows = []
    for x, v in zip(scores, values):
        new = torch.maximum(m, x)
        total = total * (m - new).exp() + (x - new).exp()
        out = out * (m - new).exp() + (x - new).exp() * v
        rows.append(out / total)
        m = x
    return torch.stack(rows)


# answer: my_running_average | wrong | running log of the sum by log1p(exp(jump)) | Right in
def my_running_average(scores, values):
    log = scores[0]
    mean = values[0]
    rows = [mean]
    for x, v in zip(scores[1:], values[1:]):
        share = torch.sigmoid(x - log)
        mean = mean + share * (v - mean)
        log = log + torch.log1p(torch.exp(x - log))
        rows.append(mean)
    return torch.stack(rows)


# answer: my_merge | wrong | takes the first log as the reference | You measure both sums against the first
def my_merge(output_a, log_a, output_b, log_b):
    b = torch.exp(log_b - log_a)[:, None]
    return (output_a + b * output_b) / (1 + b)


# answer: my_merge | wrong | subtracts the larger absolute value | The result contains NaN (everywhere): 0 /
def my_merge(output_a, log_a, output_b, log_b):
    m = torch.maximum(log_a.abs(), log_b.abs())
    a = (log_a - m).exp()[:, None]
    b = (log_b - m).exp()[:, None]
    return (a * output_a + b * output_b) / (a + b)


# answer: my_merge | wrong | softmax along the queries in place of along the two machines | Your softmax runs along the
def my_merge(output_a, log_a, output_b, log_b):
    w = torch.stack([log_a, log_b]).softmax(dim=-1)
    return w[0][:, None] * output_a + w[1][:, None] * output_b


# answer: my_merge | wrong | two at once | Right in
def my_merge(output_a, log_a, output_b, log_b):
    a = (log_a - log_a.max()).exp()
    b = (log_b - log_b.max()).exp()
    total = (a + b)[:, None]
    return (a[:, None] * output_a + b[:, None] * output_b) / total


# answer: my_needed_blocks | wrong | window / size rounded up in place of (window - 1) / size | Your window has one token too many: it
def my_needed_blocks(n, window, sinks, size):
    count = n // size
    back = (window + size - 1) // size
    sink_blocks = (sinks + size - 1) // size
    q = torch.arange(count)[:, None]
    k = torch.arange(count)[None]
    return (k <= q) & ((q - k <= back) | (k < sink_blocks))


# answer: my_needed_blocks | wrong | sinks // size | You divide `sinks` by `size` and round
def my_needed_blocks(n, window, sinks, size):
    count = n // size
    needed = torch.zeros(count, count, dtype=torch.bool)
    for i in range(count):
        first = max(0, i * size - (window - 1)) // size
        needed[i, first : i + 1] = True
        needed[i, : min(sinks // size, i + 1)] = True
    return needed


# answer: my_needed_blocks | wrong | negative start of a slice | The first `window - 1` tokens see no
def my_needed_blocks(n, window, sinks, size):
    seen = torch.zeros(n, n, dtype=torch.bool)
    for q in range(n):
        seen[q, q - window + 1 : q + 1] = True
        seen[q, : min(sinks, q + 1)] = True
    count = n // size
    return seen.view(count, size, count, size).any(3).any(1)


# answer: my_needed_blocks | wrong | counts the pairs in uint8 | Right in
def my_needed_blocks(n, window, sinks, size):
    q = torch.arange(n)[:, None]
    k = torch.arange(n)[None]
    seen = (k <= q) & ((q - k < window) | (k < sinks))
    count = n // size
    pairs = seen.to(torch.uint8).view(count, size, count, size).sum((1, 3), dtype=torch.uint8)
    return pairs > 0


# answer: my_linear_attention | wrong | in blocks of 16, the sum of the keys starts afresh in each b | Right in
def my_linear_attention(queries, keys, values):
    state = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for start in range(0, len(keys), 16):
        q, k, v = (x[start : start + 16] for x in (queries, keys, values))
        w = (q @ k.T).tril()
        top = w @ v + q @ state
        out.append(top / w.sum(1, keepdim=True))
        state = state + k.T @ v
    return torch.cat(out)


# answer: my_linear_attention | wrong | each key is weighed with the query of its own time, q_j . k_ | You weigh each key with the query of its
def my_linear_attention(queries, keys, values):
    w = (queries * keys).sum(1, keepdim=True)
    return (w * values).cumsum(0) / w.cumsum(0)


# answer: my_linear_attention | wrong | both sums kept in bfloat16 to spare memory | Nearly: no number is off by more than
def my_linear_attention(queries, keys, values):
    d, v = keys.shape[1], values.shape[1]
    state = torch.zeros(d, v, dtype=torch.bfloat16)
    total = torch.zeros(d, dtype=torch.bfloat16)
    out = torch.empty_like(values)
    for i in range(len(keys)):
        state += torch.outer(keys[i], values[i]).bfloat16()
        total += keys[i].bfloat16()
        out[i] = (queries[i] @ state.to(queries.dtype)) / (queries[i] @ total.to(queries.dtype))
    return out


# answer: my_cache_bytes | wrong | product in float32 | Right in
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    if latent == 0:
        factors = [tokens, layers, 2 * kv_heads * size, bits]
    else:
        factors = [tokens, layers, latent + turned, bits]
    return int(torch.tensor(factors, dtype=torch.float32).prod().item() / 8)


# answer: my_cache_bytes | wrong | rounds each vector's bytes down | You round the bytes of each vector
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    if latent == 0:
        per_token = 2 * kv_heads * (size * bits // 8)
    else:
        per_token = latent * bits // 8 + turned * bits // 8
    return tokens * layers * per_token


# answer: my_cache_bytes | wrong | asks turned, not latent, which kind it is | You ask `turned` whether attention is
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    if turned > 0:
        numbers = latent + turned
    else:
        numbers = 2 * kv_heads * size
    return tokens * layers * numbers * bits // 8


# answer: my_cache_bytes | wrong | two at once | 2. You count the latent vector and the key that turns twice
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    if latent:
        kv_heads, size = 1, latent + turned
    return 2 * tokens * layers * kv_heads * size * ((bits + 7) // 8)


# answer: my_running_average | right | parallel scan
def my_running_average(scores, values):
    m, s, o = scores.clone(), torch.ones_like(scores), values.clone()
    step = 1
    while step < len(m):
        new = torch.maximum(m[step:], m[:-step])
        late = (m[step:] - new).exp()
        early = (m[:-step] - new).exp()
        s = torch.cat([s[:step], s[step:] * late + s[:-step] * early])
        o = torch.cat([o[:step], o[step:] * late[:, None] + o[:-step] * early[:, None]])
        m = torch.cat([m[:step], new])
        step *= 2
    return o / s[:, None]


# answer: my_running_average | right | in Python floats, the mean moved by a share, the log of the
def my_running_average(scores, values):
    log, mean, rows = -math.inf, [0.0] * values.shape[1], []
    for x, row in zip(scores.tolist(), values.tolist()):
        top = max(log, x)
        log = top + math.log(math.exp(log - top) + math.exp(x - top))
        share = math.exp(x - log)
        mean = [(1 - share) * a + share * b for a, b in zip(mean, row)]
        rows.append(mean)
    return torch.tensor(rows, dtype=values.dtype)


# answer: my_merge | right | 1 / (1 + exp(difference)) for each side
def my_merge(output_a, log_a, output_b, log_b):
    share_a = 1 / (1 + torch.exp(log_b - log_a))
    share_b = 1 / (1 + torch.exp(log_a - log_b))
    return torch.einsum("n,nv->nv", share_a, output_a) + torch.einsum("n,nv->nv", share_b, output_b)


# answer: my_needed_blocks | right | asks the first query of each block alone
def my_needed_blocks(n, window, sinks, size):
    needed = torch.zeros(n // size, n // size, dtype=torch.bool)
    for i, q in enumerate(range(0, n, size)):
        keys = set(range(max(0, q - window + 1), q + 1)) | set(range(min(sinks, q)))
        needed[i, sorted({k // size for k in keys})] = True
    return needed


# answer: my_linear_attention | right | blocks of 3 with both sums carried, einsum, in double and ba
def my_linear_attention(queries, keys, values):
    q, k = queries.double(), keys.double()
    v = torch.cat([values.double(), torch.ones(len(values), 1, dtype=torch.float64)], 1)
    state = torch.zeros(k.shape[1], v.shape[1], dtype=torch.float64)
    out = []
    for a in range(0, len(k), 3):
        b = a + 3
        w = torch.einsum("id,jd->ij", q[a:b], k[a:b]).tril()
        out.append(torch.einsum("ij,jv->iv", w, v[a:b]) + torch.einsum("id,dv->iv", q[a:b], state))
        state += torch.einsum("jd,jv->dv", k[a:b], v[a:b])
    out = torch.cat(out)
    return (out[:, :-1] / out[:, -1:]).to(values.dtype)


# answer: my_cache_bytes | right | adds up a list of vectors layer by layer, divides the bits o
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    total = 0
    for _ in range(layers):
        vectors = [latent, turned] if latent else [size, size] * kv_heads
        total += sum(vectors) * bits * tokens
    return divmod(total, 8)[0]


# answer: my_merge | wrong | divided by two in place of both sums | You divide by 2, the number of
def my_merge(output_a, log_a, output_b, log_b):
    m = torch.maximum(log_a, log_b)
    a, b = (log_a - m).exp(), (log_b - m).exp()
    return (a[:, None] * output_a + b[:, None] * output_b) / 2


# answer: my_needed_blocks | wrong | whole blocks of window | You count the window in whole blocks:
def my_needed_blocks(n, window, sinks, size):
    i = torch.arange(n)
    of = i // size
    seen = (i[:, None] >= i) & ((of[:, None] - of <= window // size) | (i < sinks))
    return seen.view(n // size, size, n // size, size).any(3).any(1)


# answer: my_cache_bytes | wrong | adds turned always | You add `turned` numbers where attention is
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    each = (latent if latent else 2 * kv_heads * size) + turned
    return tokens * layers * each * bits // 8


# answer: my_cache_bytes | wrong | half bytes | You round a number's bits down to whole
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    each = latent + turned if latent else 2 * kv_heads * size
    return tokens * layers * each * (bits // 4) // 2


# answer: my_running_average | wrong | the largest of all | You take off the largest of all scores. Where the scores
def my_running_average(scores, values):
    top, total, out, rows = scores.max(), 0, 0, []
    for s, v in zip(scores, values):
        w = (s - top).exp()
        total, out = total + w, out + w * v
        rows.append(out / total)
    return torch.stack(rows)


# answer: my_running_average | wrong | takes the largest of all scores off, also for rows that have not seen it yet; if the first scores lie far below it, their exponentials are 0 and the rows 0/0 | You take off the largest of all scores. Where the scores
def my_running_average(scores, values):
    weights = (scores - scores.max()).exp()
    total = weights.cumsum(0)
    output = (weights[:, None] * values).cumsum(0)
    return output / total[:, None]


# answer: my_running_average | wrong | when a larger score comes, only the running sum is shrunk; the running output keeps its old measure | When a larger score comes, you shrink the sum and not the
def my_running_average(scores, values):
    largest, total, output, rows = scores[0], torch.zeros_like(scores[0]), torch.zeros_like(values[0]), []
    for s, v in zip(scores, values):
        new = torch.maximum(largest, s)
        shrink, weight = (largest - new).exp(), (s - new).exp()
        total = shrink * total + weight
        output = output + weight * v
        largest = new
        rows.append(output / total)
    return torch.stack(rows)


# answer: my_merge | wrong | the shares are exchanged: the output with the larger sum gets the smaller share | The weights are swapped: each output gets the sum of the
def my_merge(output_a, log_a, output_b, log_b):
    share = torch.sigmoid(log_b - log_a)[:, None]
    return share * output_a + (1 - share) * output_b


# answer: my_merge | wrong | takes the exponentials of the logs as they are, which overflow or become 0 for large or very small logs | You take e to the power of the logs: for large ones that is
def my_merge(output_a, log_a, output_b, log_b):
    sum_a, sum_b = log_a.exp()[:, None], log_b.exp()[:, None]
    return (sum_a * output_a + sum_b * output_b) / (sum_a + sum_b)


# answer: my_needed_blocks | wrong | demands that all pairs of a block are seen, where one is enough | You keep a block only if all of its pairs are seen. One is
def my_needed_blocks(n, window, sinks, size):
    i = torch.arange(n)
    back = i[:, None] - i
    seen = (back >= 0) & ((back < window) | (i < sinks))
    return seen.view(n // size, size, n // size, size).all(3).all(1)


# answer: my_needed_blocks | wrong | counts window // size blocks back; from the first query of a block the window reaches (window + size - 2) // size blocks back, which is the same for blocks of 2 only | You count the window in whole blocks: `window` divided by
def my_needed_blocks(n, window, sinks, size):
    blocks = torch.arange(n // size)
    back = blocks[:, None] - blocks
    near = back <= window // size
    sink = blocks * size < sinks
    return (back >= 0) & (near | sink)


# answer: my_linear_attention | wrong | divides by the query times the sum of all keys, later ones included, in place of the sum up to token i | You divide by the sum over the whole text. Token i has only
def my_linear_attention(queries, keys, values):
    state = (keys[:, :, None] * values[:, None, :]).cumsum(0)
    top = (queries[:, :, None] * state).sum(1)
    bottom = queries @ keys.sum(0)
    return top / bottom[:, None]


# answer: my_linear_attention | wrong | reads the state before the token's own key and value are added, so a token does not attend to itself and the first row is 0/0 | You read the state before the token is added to it. A token
def my_linear_attention(queries, keys, values):
    state = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    total = torch.zeros(keys.shape[1], dtype=keys.dtype)
    rows = []
    for q, k, v in zip(queries, keys, values):
        rows.append(q @ state / (q @ total))
        state = state + torch.outer(k, v)
        total = total + k
    return torch.stack(rows)


# answer: my_cache_bytes | wrong | in latent attention the turned key is counted once for each head, but all heads share one | You keep a key that turns for each head. All heads share
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    if latent == 0:
        numbers = 2 * kv_heads * size
    else:
        numbers = latent + kv_heads * turned
    return tokens * layers * numbers * bits // 8


# answer: my_cache_bytes | wrong | turns the bits of one number into whole bytes first (bits // 8), so numbers of 4 bits take nothing | You round a number's bytes down to whole ones first. With 4
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    numbers = latent + turned if latent else 2 * kv_heads * size
    return tokens * layers * numbers * (bits // 8)


# answer: my_running_average | right, no remark | all rows at once: the log of each row's sum from logcumsumexp, and a lower triangle of weights
def my_running_average(scores, values):
    logs = scores.logcumsumexp(0)
    later = torch.ones(len(scores), len(scores)).triu(1).bool()
    table = (scores[None, :] - logs[:, None]).masked_fill(later, -math.inf)
    return table.exp() @ values


# answer: my_needed_blocks | right, no remark | treats the table of pairs as an image and takes the maximum of each patch with max_pool2d
def my_needed_blocks(n, window, sinks, size):
    pairs = torch.ones(n, n).tril()
    pairs[:, min(sinks, n) :] = pairs[:, min(sinks, n) :].triu(1 - window - min(sinks, n))
    return F.max_pool2d(pairs[None, None], size)[0, 0] > 0


# answer: my_linear_attention | right, no remark | takes the logs of the products as scores and lets softmax make the division, under a causal mask
def my_linear_attention(queries, keys, values):
    scores = (queries @ keys.T).log()
    future = torch.ones_like(scores).triu(1) > 0
    return torch.softmax(scores.masked_fill(future, float("-inf")), dim=1) @ values


# answer: my_merge | wrong | the first output twice | The second output is not in your result: both weights meet
def my_merge(output_a, log_a, output_b, log_b):
    both = torch.logaddexp(log_a, log_b)
    return (log_a - both).exp()[:, None] * output_a + (log_b - both).exp()[:, None] * output_a


# answer: my_needed_blocks | wrong | window and sinks at once | You keep what is both in the window and a sink. One of the
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    seen = (j <= i) & ((i - j < window) & (j < sinks))
    return seen.view(n // size, size, n // size, size).any(3).any(1)


# answer: my_running_average | wrong | It subtracts the largest score of all keys, also of those still to come, so early rows may be 0 / 0. | You take off the largest of all scores. Where the
def my_running_average(scores, values):
    e = (scores - scores.max()).exp()
    return (e[:, None] * values).cumsum(0) / e.cumsum(0)[:, None]


# answer: my_merge | wrong | The difference of the logs has the wrong sign: the output with the smaller sum gets the larger share. | The weights are swapped: each output gets the sum of the
def my_merge(output_a, log_a, output_b, log_b):
    share = torch.sigmoid(log_b - log_a)[:, None]
    return share * output_a + (1 - share) * output_b


# answer: my_needed_blocks | wrong | The number of blocks with sinks is rounded down, so a block that the sinks fill only in part is missing. | You divide `sinks` by `size` and round down: a block that
def my_needed_blocks(n, window, sinks, size):
    i, j = torch.arange(n // size)[:, None], torch.arange(n // size)
    nearest = (i - j) * size - (size - 1)
    near = nearest < window
    return (j <= i) & (near | (j < sinks // size))


# answer: my_linear_attention | wrong | The divisor uses the sum of all keys, the later ones included, and not that of the keys so far. | You divide by the sum over the whole text. Token i has
def my_linear_attention(queries, keys, values):
    state = (keys[:, :, None] * values[:, None, :]).cumsum(0)
    above = (queries[:, None, :] @ state).squeeze(1)
    below = queries @ keys.sum(0)
    return above / below[:, None]


# answer: my_cache_bytes | wrong | The rotary key of latent attention is counted once for each head, though all heads share it. | You keep a key that turns for each head. All heads share
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    if latent == 0:
        numbers = 2 * kv_heads * size
    else:
        numbers = latent + kv_heads * turned
    return tokens * layers * numbers * bits // 8


# answer: my_running_average | right | the logs of all running sums with logcumsumexp, in 64 bits, then one matrix of weights
def my_running_average(scores, values):
    s = scores.double()
    weights = (s[None, :] - s.logcumsumexp(0)[:, None]).exp().tril()
    return (weights @ values.double()).to(values.dtype)


# answer: my_needed_blocks | right | draws the whole table of pairs and takes the largest number of each block with max pooling
def my_needed_blocks(n, window, sinks, size):
    ones = torch.ones(n, n)
    seen = ones.tril().triu(1 - window)
    seen[:, : max(sinks, 0)] = 1
    return F.max_pool2d(seen.tril()[None, None], size)[0, 0].bool()


# answer: my_merge | wrong | the sum of the logs | Your weights come from the sum of the logs. Only their
def my_merge(output_a, log_a, output_b, log_b):
    share = torch.sigmoid(log_a + log_b)[:, None]
    return share * output_a + (1 - share) * output_b


# answer: my_linear_attention | wrong | a small number in the divisor | In your divisor stands a small number, 1e-06, added or as
def my_linear_attention(queries, keys, values):
    weights = (queries @ keys.T).tril()
    return weights @ values / (weights.sum(1, keepdim=True) + 1e-6)


# answer: my_needed_blocks | wrong | forgets that later tokens are hidden | keeps your tokens from later ones
def my_needed_blocks(n, window, sinks, size):
    i = torch.arange(n)
    seen = (i[:, None] - i < window) | (i < sinks)
    return seen.view(n // size, size, n // size, size).any(3).any(1)


# answer: my_needed_blocks | wrong | window and sinks rounded up to whole blocks | comes to the same
def my_needed_blocks(n, window, sinks, size):
    b = torch.arange(n // size)
    back = b[:, None] - b
    near = (back < math.ceil(window / size)) | (b < math.ceil(sinks / size))
    return (back >= 0) & near


# answer: my_needed_blocks | wrong | axes of the view out of order | in the wrong order
def my_needed_blocks(n, window, sinks, size):
    i = torch.arange(n)
    back = i[:, None] - i
    seen = (back >= 0) & ((back < window) | (i < sinks))
    return seen.view(n // size, n // size, size, size).any(3).any(2)


# answer: my_linear_attention | wrong | adds each token's own product to the divisor | Your divisor adds up each
def my_linear_attention(queries, keys, values):
    state, total, rows = torch.zeros(keys.shape[1], values.shape[1]), 0.0, []
    for q, k, v in zip(queries, keys, values):
        state, total = state + torch.outer(k, v), total + q @ k
        rows.append(q @ state / total)
    return torch.stack(rows)


# answer: my_cache_bytes | wrong | doubles all that is latent | twice, as if one were for the values
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    each = latent + turned if latent else kv_heads * size
    return tokens * layers * 2 * each * bits // 8

# answer: my_running_average | wrong | takes off the newest score | You take off the newest score
def my_running_average(scores, values):
    total, output, top, rows = 0, 0, -torch.inf, []
    for s, v in zip(scores, values):
        shrink = torch.exp(torch.as_tensor(top) - s)
        total = total * shrink + 1
        output = output * shrink + v
        top = s
        rows.append(output / total)
    return torch.stack(rows)

# answer: my_cache_bytes | wrong | rounds each token's bytes down | You round the bytes of each token down
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    each = latent + turned if latent else 2 * kv_heads * size
    return tokens * (layers * each * bits // 8)

# answer: my_cache_bytes | wrong | rounds a token's bytes in each layer down | a token in each layer down
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    each = latent + turned if latent else 2 * kv_heads * size
    return tokens * layers * (each * bits // 8)

# answer: my_cache_bytes | wrong | a byte for each number at least | a byte at least
def my_cache_bytes(tokens, layers, kv_heads, size, latent, turned, bits):
    each = latent + turned if latent else 2 * kv_heads * size
    return tokens * layers * each * max(1, bits // 8)

# answer: my_merge | wrong | forgets that the outputs are divided, with one maximum | The outputs were divided already
def my_merge(output_a, log_a, output_b, log_b):
    top = torch.maximum(log_a, log_b)
    a, b = (log_a - top).exp(), (log_b - top).exp()
    return (output_a + output_b) / (a + b)[:, None]

# answer: my_needed_blocks | wrong | the last query of each block with all its keys | or at its last query alone
def my_needed_blocks(n, window, sinks, size):
    i = torch.arange(n)
    back = i[:, None] - i
    seen = ((back < window) | (i < sinks)) & (back >= 0)
    return seen.view(n // size, size, n // size, size)[:, -1].any(-1)

# answer: my_linear_attention | wrong | a divisor of at least 1 | Your divisor is never below 1
def my_linear_attention(queries, keys, values):
    w = (queries @ keys.mT).tril()
    return w @ values / w.sum(-1, keepdim=True).clamp(min=1)

# answer: my_running_average | wrong | takes off the first score throughout | You take off the first score throughout
def my_running_average(scores, values):
    top, total, output, rows = scores[0], 0.0, torch.zeros_like(values[0]), []
    for s, v in zip(scores, values):
        w = (s - top).exp()
        total, output = total + w, output + w * v
        rows.append(output / total)
    return torch.stack(rows)

# answer: my_running_average | right | a table of weights by cummax
def my_running_average(scores, values):
    top = scores.cummax(0).values[:, None]
    e = torch.where(torch.ones(len(scores), len(scores)).tril() > 0, scores - top, -torch.inf).exp()
    return (e / e.sum(1, keepdim=True)) @ values

# answer: my_linear_attention | right | einsum and cumsum
def my_linear_attention(queries, keys, values):
    S = torch.einsum("nd,nv->ndv", keys, values).cumsum(0)
    z = keys.cumsum(0)
    return torch.einsum("nd,ndv->nv", queries, S) / (queries * z).sum(-1, keepdim=True)

# answer: my_running_average | wrong | takes off the last score of all | You take off the last score of all throughout
def my_running_average(scores, values):
    e = (scores - scores[-1]).exp()
    return (e[:, None] * values).cumsum(0) / e.cumsum(0)[:, None]

# answer: my_skipping_attention | right | cat of the needed blocks
def my_skipping_attention(scores_of, values, needed):
    blocks, rows = values.split(len(values) // len(needed)), []
    for a, row in enumerate(needed):
        seen = [b for b in range(len(row)) if row[b]]
        weights = torch.cat([scores_of(a, b) for b in seen], 1).softmax(-1)
        rows.append(weights @ torch.cat([blocks[b] for b in seen]))
    return torch.cat(rows)

# answer: my_skipping_attention | right | running softmax from the diagonal outwards
def my_skipping_attention(scores_of, values, needed):
    s = values.shape[0] // needed.shape[0]
    out = torch.zeros_like(values)
    for a in range(needed.shape[0]):
        top = torch.full((s, 1), -math.inf)
        total, acc = torch.zeros(s, 1), torch.zeros(s, values.shape[1])
        for b in range(a, -1, -1):
            if not needed[a, b]:
                continue
            x = scores_of(a, b)
            new = torch.maximum(top, x.amax(1, keepdim=True))
            w = torch.exp(x - new)
            total = total * torch.exp(top - new) + w.sum(1, keepdim=True)
            acc = acc * torch.exp(top - new) + w @ values[b * s:(b + 1) * s]
            top = new
        out[a * s:(a + 1) * s] = acc / total
    return out

# answer: my_skipping_attention | right | a table of minus infinity, filled where needed
def my_skipping_attention(scores_of, values, needed):
    n, k = len(values), len(needed)
    size = n // k
    table = torch.full((n, n), float("-inf"))
    for a, b in needed.nonzero().tolist():
        table[a * size:(a + 1) * size, b * size:(b + 1) * size] = scores_of(a, b)
    return torch.softmax(table, dim=-1) @ values

# answer: my_skipping_attention | wrong | visits every block | visit every block
def my_skipping_attention(scores_of, values, needed):
    blocks, rows = values.split(len(values) // len(needed)), []
    for a in range(len(needed)):
        weights = torch.cat([scores_of(a, b) for b in range(len(needed))], 1).softmax(-1)
        rows.append(weights @ values)
    return torch.cat(rows)

# answer: my_skipping_attention | wrong | a softmax in each block, added up | softmax of each block
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    out = torch.zeros_like(values)
    for a in range(len(needed)):
        for b in range(len(needed)):
            if needed[a, b]:
                w = scores_of(a, b).softmax(-1).nan_to_num()
                out[a * size:(a + 1) * size] += w @ values[b * size:(b + 1) * size]
    return out

# answer: my_skipping_attention | wrong | needed the other way round | rows of `needed` are blocks of queries
def my_skipping_attention(scores_of, values, needed):
    size, n = len(values) // len(needed), len(values)
    table = torch.full((n, n), -torch.inf)
    for a in range(len(needed)):
        for b in range(len(needed)):
            if needed[b, a]:
                table[a * size:(a + 1) * size, b * size:(b + 1) * size] = scores_of(a, b)
    return table.softmax(-1) @ values

# answer: my_skipping_attention | wrong | a table of zeros | count as scores of 0
def my_skipping_attention(scores_of, values, needed):
    size, n = len(values) // len(needed), len(values)
    table = torch.zeros(n, n)
    for a in range(len(needed)):
        for b in range(len(needed)):
            if needed[a, b]:
                table[a * size:(a + 1) * size, b * size:(b + 1) * size] = scores_of(a, b)
    return table.softmax(-1) @ values

# answer: my_skipping_attention | wrong | the running softmax from the left | no number
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        top, total, out = torch.full((size,), -torch.inf), torch.zeros(size), torch.zeros(size, values.shape[1])
        for b in range(len(needed)):
            if needed[a, b]:
                s = scores_of(a, b)
                new = torch.maximum(top, s.amax(-1))
                shrink, w = (top - new).exp(), (s - new[:, None]).exp()
                top, total, out = new, shrink * total + w.sum(-1), shrink[:, None] * out + w @ values[b * size:(b + 1) * size]
        rows.append(out / total[:, None])
    return torch.cat(rows)

# answer: my_skipping_attention | wrong | exponentials without a maximum | no maximum off
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        total, out = 0, 0
        for b in range(len(needed)):
            if needed[a, b]:
                e = scores_of(a, b).exp()
                total = total + e.sum(-1, keepdim=True)
                out = out + e @ values[b * size:(b + 1) * size]
        rows.append(out / total)
    return torch.cat(rows)

# answer: my_skipping_attention | wrong | up to the diagonal | up to the diagonal
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        w = torch.cat([scores_of(a, b) for b in range(a + 1)], 1).softmax(-1)
        rows.append(w @ values[: (a + 1) * size])
    return torch.cat(rows)

# answer: my_skipping_attention | wrong | the values of the queries' own block | values of
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        seen = [b for b in range(len(needed)) if needed[a, b]]
        w = torch.cat([scores_of(a, b) for b in seen], 1).softmax(-1)
        rows.append(w @ torch.cat([values[a * size:(a + 1) * size] for b in seen]))
    return torch.cat(rows)

# answer: my_skipping_attention | wrong | from the first needed block to the last | between
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        first = int(needed[a].int().argmax())
        w = torch.cat([scores_of(a, b) for b in range(first, a + 1)], 1).softmax(-1)
        rows.append(w @ values[first * size:(a + 1) * size])
    return torch.cat(rows)

# answer: my_skipping_attention | wrong | each block twice | twice
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        seen = [b for b in range(len(needed)) if needed[a, b]]
        top = torch.stack([scores_of(a, b).amax(-1) for b in seen]).amax(0)
        total, out = 0, 0
        for b in seen:
            e = (scores_of(a, b) - top[:, None]).exp()
            total = total + e.sum(-1, keepdim=True)
            out = out + e @ values[b * size:(b + 1) * size]
        rows.append(out / total)
    return torch.cat(rows)

# answer: my_skipping_attention | wrong | the mean of the blocks' outputs | mean
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        parts = [scores_of(a, b).softmax(-1).nan_to_num() @ values[b * size:(b + 1) * size] for b in range(len(needed)) if needed[a, b]]
        rows.append(torch.stack(parts).mean(0))
    return torch.cat(rows)

# answer: my_skipping_attention | wrong | the values from the start | the first values
def my_skipping_attention(scores_of, values, needed):
    rows = []
    for a in range(len(needed)):
        w = torch.cat([scores_of(a, b) for b in range(len(needed)) if needed[a, b]], 1).softmax(-1)
        rows.append(w @ values[: w.shape[1]])
    return torch.cat(rows)

# answer: my_skipping_attention | wrong | not divided | divide
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    out = torch.zeros_like(values)
    for a, b in needed.nonzero().tolist():
        out[a * size:(a + 1) * size] += scores_of(a, b).exp() @ values[b * size:(b + 1) * size]
    return out

# answer: my_skipping_attention | wrong | each block overwrites the one before | overwrite what those before it gave
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    out = torch.zeros_like(values)
    for a, b in needed.nonzero().tolist():
        out[a * size:(a + 1) * size] = scores_of(a, b).softmax(-1) @ values[b * size:(b + 1) * size]
    return out


# answer: my_skipping_attention | wrong | the two numbers exchanged | Or do you call `scores_of(b, a)`?
def my_skipping_attention(scores_of, values, needed):
    parts, rows = values.split(len(values) // len(needed)), []
    for a, row in enumerate(needed):
        seen = [b for b in range(len(row)) if row[b]]
        weights = torch.cat([scores_of(b, a) for b in seen], 1).softmax(-1)
        rows.append(weights @ torch.cat([parts[b] for b in seen]))
    return torch.cat(rows)


# answer: my_skipping_attention | wrong | each block with a maximum of its own | a maximum of its own
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    out = []
    for a in range(len(needed)):
        total, output = 0, 0
        for b in range(len(needed)):
            if needed[a, b]:
                s = scores_of(a, b)
                e = (s - s.amax(-1, keepdim=True).clamp(min=-1e9)).exp()
                total = total + e.sum(-1, keepdim=True)
                output = output + e @ values[b * size:(b + 1) * size]
        out.append(output / total)
    return torch.cat(out)


# answer: my_skipping_attention | wrong | blocks transposed | You transpose the blocks
def my_skipping_attention(scores_of, values, needed):
    parts, rows = values.split(len(values) // len(needed)), []
    for a, row in enumerate(needed):
        seen = [b for b in range(len(row)) if row[b]]
        weights = torch.cat([scores_of(a, b).T for b in seen], 1).softmax(-1)
        rows.append(weights @ torch.cat([parts[b] for b in seen]))
    return torch.cat(rows)


# answer: my_skipping_attention | wrong | shrinks the output alone | you shrink the output and not the sum
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    out = []
    for a in range(len(needed)):
        top = torch.full((size, 1), -torch.inf)
        total = torch.zeros(size, 1)
        output = torch.zeros(size, values.shape[1])
        for b in reversed(range(len(needed))):
            if needed[a, b]:
                s = scores_of(a, b)
                new = torch.maximum(top, s.amax(-1, keepdim=True))
                e = (s - new).exp()
                total = total + e.sum(-1, keepdim=True)
                output = output * (top - new).exp() + e @ values[b * size:(b + 1) * size]
                top = new
        out.append(output / total)
    return torch.cat(out)


# answer: my_skipping_attention | wrong | shrinks the sum alone | you shrink the sum of the weights and not the output
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    out = []
    for a in range(len(needed)):
        top = torch.full((size, 1), -torch.inf)
        total = torch.zeros(size, 1)
        output = torch.zeros(size, values.shape[1])
        for b in reversed(range(len(needed))):
            if needed[a, b]:
                s = scores_of(a, b)
                new = torch.maximum(top, s.amax(-1, keepdim=True))
                e = (s - new).exp()
                total = total * (top - new).exp() + e.sum(-1, keepdim=True)
                output = output + e @ values[b * size:(b + 1) * size]
                top = new
        out.append(output / total)
    return torch.cat(out)


# answer: my_skipping_attention | wrong | shrinks nothing | you shrink nothing
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    out = []
    for a in range(len(needed)):
        top = torch.full((size, 1), -torch.inf)
        total = torch.zeros(size, 1)
        output = torch.zeros(size, values.shape[1])
        for b in reversed(range(len(needed))):
            if needed[a, b]:
                s = scores_of(a, b)
                top = torch.maximum(top, s.amax(-1, keepdim=True))
                e = (s - top).exp()
                total = total + e.sum(-1, keepdim=True)
                output = output + e @ values[b * size:(b + 1) * size]
        out.append(output / total)
    return torch.cat(out)


# answer: my_skipping_attention | wrong | 0 for minus infinity | exp(0) is 1: pairs that are not seen
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        bs = needed[a].nonzero().flatten().tolist()
        s = torch.cat([scores_of(a, b).nan_to_num(neginf=0) for b in bs], 1).softmax(-1)
        rows.append(s @ torch.cat([values[b * size:(b + 1) * size] for b in bs]))
    return torch.cat(rows)


# answer: my_skipping_attention | wrong | shares over the queries | sum to 1 over the queries
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        outs, logs = [], []
        for b in needed[a].nonzero().flatten().tolist():
            s = scores_of(a, b)
            logs.append(s.logsumexp(-1))
            outs.append(s.softmax(-1).nan_to_num() @ values[b * size:(b + 1) * size])
        w = torch.stack(logs).softmax(-1).nan_to_num()
        rows.append((w[..., None] * torch.stack(outs)).sum(0))
    return torch.cat(rows)


# answer: my_skipping_attention | wrong | an output for each block | 10 rows for 6 tokens
def my_skipping_attention(scores_of, values, needed):
    size = len(values) // len(needed)
    rows = []
    for a in range(len(needed)):
        for b in needed[a].nonzero().flatten().tolist():
            rows.append(scores_of(a, b).softmax(-1) @ values[b * size:(b + 1) * size])
    return torch.cat(rows)
