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

# answer: my_running_average | wrong | largest of all | largest of *all* scores
def my_running_average(scores, values):
    w = (scores - scores.max()).exp()
    return (w[:, None] * values).cumsum(0) / w.cumsum(0)[:, None]

# answer: my_running_average | wrong | the sum is not shrunk | shrink the output and not the sum
def my_running_average(scores, values):
    largest, total, output, rows = torch.tensor(-float("inf")), 0.0, torch.zeros(values.shape[1]), []
    for s, v in zip(scores, values):
        new = torch.maximum(largest, s)
        output = output * (largest - new).exp() + (s - new).exp() * v
        total = total + (s - new).exp()
        largest = new
        rows.append(output / total)
    return torch.stack(rows)

# answer: my_running_average | wrong | nothing is shrunk | nothing is shrunk
def my_running_average(scores, values):
    largest, total, output, rows = torch.tensor(-float("inf")), 0.0, torch.zeros(values.shape[1]), []
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
    return tokens * layers * (latent + kv_heads * turned if latent else 2 * kv_heads * size) * bits // 8

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
    i = torch.arange(n)[:, None]; j = torch.arange(n)[None]
    seen = (j <= i) & ((i - j < window) | (j < sinks))
    b = n // size
    return seen.reshape(b, b, size, size).any(3).any(2)

# answer: my_needed_blocks | wrong | window counted in blocks | counts tokens
def my_needed_blocks(n, window, sinks, size):
    b = n // size
    i = torch.arange(b)[:, None]; j = torch.arange(b)[None]
    return (j <= i) & ((i - j < window) | (j < sinks))

# answer: my_needed_blocks | wrong | window both ways | reaches both ways
def my_needed_blocks(n, window, sinks, size):
    i = torch.arange(n)[:, None]; j = torch.arange(n)[None]
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
    S = 0; out = []
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
    S = 0; z = 0; out = []
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
