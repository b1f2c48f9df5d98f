# answer: my_keys_and_values | right | one way
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    value_dim = W_b.shape[0] // num_heads - head_dim
    both = (z @ W_b.T).view(batch, n, num_heads, head_dim + value_dim).transpose(1, 2)
    return both[..., :head_dim], both[..., head_dim:]


# answer: my_keys_and_values | right | one way
def my_keys_and_values(z, W_b, num_heads, head_dim):
    W = W_b.reshape(num_heads, -1, W_b.shape[1])
    keys = torch.einsum("bnr,hdr->bhnd", z, W[:, :head_dim])
    values = torch.einsum("bnr,hvr->bhnv", z, W[:, head_dim:])
    return keys, values


# answer: my_keys_and_values | right | one way
def my_keys_and_values(z, W_b, num_heads, head_dim):
    per_head = W_b.shape[0] // num_heads
    keys, values = [], []
    for h in range(num_heads):
        start = h * per_head
        keys.append(z @ W_b[start:start + head_dim].T)
        values.append(z @ W_b[start + head_dim:start + per_head].T)
    return torch.stack(keys, dim=1), torch.stack(values, dim=1)


# answer: my_keys_and_values | right | one way
def my_keys_and_values(z, W_b, num_heads, head_dim):
    per_head = W_b.shape[0] // num_heads
    rows = torch.arange(W_b.shape[0])
    is_key = rows % per_head < head_dim
    all_keys = torch.nn.functional.linear(z, W_b[is_key])
    all_values = torch.nn.functional.linear(z, W_b[~is_key])
    keys = torch.stack(all_keys.chunk(num_heads, dim=-1)).permute(1, 0, 2, 3)
    values = torch.stack(all_values.chunk(num_heads, dim=-1)).permute(1, 0, 2, 3)
    return keys, values


# answer: my_keys_and_values | wrong | takes all heads' keys first, then all heads' values | You take the rows of W_b as
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    both = z @ W_b.T
    keys = both[..., :num_heads * head_dim].reshape(batch, n, num_heads, head_dim)
    values = both[..., num_heads * head_dim:].reshape(batch, n, num_heads, -1)
    return keys.transpose(1, 2), values.transpose(1, 2)


# answer: my_keys_and_values | wrong | heads axis not moved before the tokens | Your result is (batch, n, heads, ...).
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    both = (z @ W_b.T).view(batch, n, num_heads, -1)
    return both[..., :head_dim], both[..., head_dim:]


# answer: my_keys_and_values | wrong | views straight to (batch, heads, n, ...) instead of transposing | You reshape to (batch, heads, n, ...)
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    both = (z @ W_b.T).view(batch, num_heads, n, -1)
    return both[..., :head_dim], both[..., head_dim:]


# answer: my_keys_and_values | wrong | halves each head's part, as if value_dim were head_dim | You cut each head's rows into two
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    both = (z @ W_b.T).view(batch, n, num_heads, -1).transpose(1, 2)
    keys, values = both.chunk(2, dim=-1)
    return keys, values


# answer: my_keys_and_values | wrong | value comes before the key in each head's part | You take each head's values from its
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    value_dim = W_b.shape[0] // num_heads - head_dim
    both = (z @ W_b.T).view(batch, n, num_heads, -1).transpose(1, 2)
    values, keys = both.split([value_dim, head_dim], dim=-1)
    return keys, values


# answer: my_keys_and_values | wrong | heads taken as the innermost axis of the rows | You split the rows as (numbers, heads).
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    both = (z @ W_b.T).view(batch, n, -1, num_heads)
    both = both.permute(0, 3, 1, 2)
    return both[..., :head_dim], both[..., head_dim:]


# answer: my_keys_and_values | wrong | head h starts at h * 2 * head_dim, right only if the values are as wid | raises an error
def my_keys_and_values(z, W_b, num_heads, head_dim):
    value_dim = W_b.shape[0] // num_heads - head_dim
    keys, values = [], []
    for h in range(num_heads):
        start = 2 * h * head_dim
        W_k = W_b[start:start + head_dim]
        W_v = W_b[start + head_dim:start + head_dim + value_dim]
        keys.append(z @ W_k.T)
        values.append(z @ W_v.T)
    return torch.stack(keys, 1), torch.stack(values, 1)


# answer: my_keys_and_values | wrong | returns values first, then keys | Keys and values are exchanged in what
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    both = (z @ W_b.T).view(batch, n, num_heads, -1).transpose(1, 2)
    return both[..., head_dim:], both[..., :head_dim]


# answer: my_keys_and_values | wrong | squeezes, so a batch of one (or one head) loses its axis | The result has 1 axis, not 4:
def my_keys_and_values(z, W_b, num_heads, head_dim):
    W = W_b.view(num_heads, -1, W_b.shape[1])
    both = (z.unsqueeze(1) @ W.transpose(-1, -2)).squeeze()
    return both[..., :head_dim], both[..., head_dim:]


# answer: my_keys_and_values | wrong | keys right, but the values taken as if all stood together at the end | Your keys are right, but you take
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    value_dim = W_b.shape[0] // num_heads - head_dim
    both = z @ W_b.T
    keys = both.view(batch, n, num_heads, -1)[..., :head_dim].transpose(1, 2)
    values = both[..., -num_heads * value_dim:].view(batch, n, num_heads, value_dim).transpose(1, 2)
    return keys, values


# answer: my_keys_and_values | wrong | all keys' rows are taken to come first, then all values' rows (ignores | You take the rows of W_b as
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    out = z @ W_b.T
    value_dim = W_b.shape[0] // num_heads - head_dim
    keys = out[..., :num_heads * head_dim]
    values = out[..., num_heads * head_dim:]
    keys = keys.reshape(batch, n, num_heads, head_dim).transpose(1, 2)
    values = values.reshape(batch, n, num_heads, value_dim).transpose(1, 2)
    return keys, values


# answer: my_keys_and_values | wrong | reshapes straight to (batch, heads, n, ...) instead of transposing, so | You reshape to (batch, heads, n, ...)
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, _ = z.shape
    per_head = W_b.shape[0] // num_heads
    both = (z @ W_b.T).reshape(batch, num_heads, n, per_head)
    return both[..., :head_dim], both[..., head_dim:]


# answer: my_keys_and_values | wrong | splits each head in two equal halves, right only if value_dim equals h | You cut each head's rows into two
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, _ = z.shape
    kv = torch.matmul(z, W_b.transpose(0, 1))
    kv = kv.view(batch, n, num_heads, -1).transpose(1, 2)
    keys, values = kv.chunk(2, dim=-1)
    return keys, values


# answer: my_keys_and_values | wrong | takes the value first and the key after it within each head | You take each head's values from its
def my_keys_and_values(z, W_b, num_heads, head_dim):
    b, n, r = z.shape
    value_dim = W_b.shape[0] // num_heads - head_dim
    kv = (z @ W_b.T).view(b, n, num_heads, value_dim + head_dim).permute(0, 2, 1, 3)
    values, keys = kv.split([value_dim, head_dim], dim=-1)
    return keys, values


# answer: my_keys_and_values | wrong | views the rows as (numbers, heads), so heads are interleaved row by ro | You split the rows as (numbers, heads).
def my_keys_and_values(z, W_b, num_heads, head_dim):
    b, n, r = z.shape
    per_head = W_b.shape[0] // num_heads
    kv = (z @ W_b.T).view(b, n, per_head, num_heads)
    kv = kv.permute(0, 3, 1, 2)
    return kv[..., :head_dim], kv[..., head_dim:]


# answer: my_keys_and_values | right | one way
def my_keys_and_values(z, W_b, num_heads, head_dim):
    batch, n, r = z.shape
    kv = (z @ W_b.T).reshape(batch, n, num_heads, -1).transpose(1, 2)
    return kv[..., :head_dim], kv[..., head_dim:]


# answer: my_keys_and_values | right | one way
def my_keys_and_values(z, W_b, num_heads, head_dim):
    step = W_b.shape[0] // num_heads
    keys, values = [], []
    for h in range(num_heads):
        start = h * step
        W_k = W_b[start:start + head_dim]
        W_v = W_b[start + head_dim:start + step]
        keys.append(torch.einsum("bnr,dr->bnd", z, W_k))
        values.append(torch.einsum("bnr,dr->bnd", z, W_v))
    return torch.stack(keys, dim=1), torch.stack(values, dim=1)


# answer: my_carried | right | one way
def my_carried(queries, K):
    return queries @ K


# answer: my_carried | right | one way
def my_carried(queries, K):
    return torch.einsum("bhnd,hdr->bhnr", queries, K)


# answer: my_carried | right | one way
def my_carried(queries, K):
    heads = []
    for h in range(K.shape[0]):
        heads.append((K[h].T @ queries[:, h].transpose(1, 2)).transpose(1, 2))
    return torch.stack(heads, dim=1)


# answer: my_carried | right | one way
def my_carried(queries, K):
    # one dimension of the key at a time
    out = queries.new_zeros(*queries.shape[:-1], K.shape[-1])
    for i in range(K.shape[1]):
        out = out + queries[..., i, None] * K[None, :, None, i]
    return out


# answer: my_carried | wrong | divides by the root of d although the text says not to | You divide by the square root of
def my_carried(queries, K):
    return queries @ K / math.sqrt(queries.shape[-1])


# answer: my_carried | wrong | multiplies by K transposed | raises an error
def my_carried(queries, K):
    return queries @ K.transpose(-1, -2)


# answer: my_carried | wrong | uses head 0's matrix for every head | You carry all heads' queries with the
def my_carried(queries, K):
    return queries @ K[0]


# answer: my_carried | wrong | einsum sums K over all heads | You carry all queries with the sum
def my_carried(queries, K):
    return torch.einsum("bhnd,gdr->bhnr", queries, K)


# answer: my_carried | wrong | uses the pseudo-inverse of K ("back to the latent") instead of its tra | You multiply by the inverse of K,
def my_carried(queries, K):
    back = torch.linalg.pinv(K)          # (heads, r, d)
    return torch.einsum("bhnd,hrd->bhnr", queries, back)


# answer: my_carried | wrong | reshapes K to (heads, r, d) instead of transposing | You reshape K to (heads, r, d),
def my_carried(queries, K):
    heads, d, r = K.shape
    Kt = K.reshape(heads, r, d)
    return (Kt @ queries.transpose(-1, -2)).transpose(-1, -2)


# answer: my_carried | wrong | broadcasts K's heads against the batch | The axis of the batch has the
def my_carried(queries, K):
    return queries @ K.unsqueeze(1)


# answer: my_carried | wrong | takes the queries as (batch, n, heads, d) in memory | You reshape the queries as if the
def my_carried(queries, K):
    b, h, n, d = queries.shape
    q = queries.reshape(b, n, h, d)
    out = torch.einsum("bnhd,hdr->bnhr", q, K)
    return out.reshape(b, h, n, K.shape[-1])


# answer: my_carried | wrong | brings the queries to length 1 first | In this case your numbers are 0.447
def my_carried(queries, K):
    q = torch.nn.functional.normalize(queries, dim=-1)
    return q @ K


# answer: my_carried | wrong | loop over the heads stops one short | The last head's queries are not carried:
def my_carried(queries, K):
    b, heads, n, d = queries.shape
    out = torch.zeros(b, heads, n, K.shape[-1], dtype=queries.dtype)
    for h in range(heads - 1):
        out[:, h] = queries[:, h] @ K[h]
    return out


# answer: my_carried | wrong | reshapes K instead of transposing it, so its numbers are scrambled | You reshape K to (heads, r, d),
def my_carried(queries, K):
    heads, d, r = K.shape
    K_t = K.reshape(heads, r, d)
    return torch.einsum("bhnd,hrd->bhnr", queries, K_t)


# answer: my_carried | wrong | takes the inverse (pseudo-inverse) of K where its transpose is needed | You multiply by the inverse of K,
def my_carried(queries, K):
    back = torch.linalg.pinv(K)  # (heads, r, d)
    return torch.einsum("hrd,bhnd->bhnr", back, queries)


# answer: my_carried | wrong | divides by the root of d, as if these were finished scores | You divide by the square root of
def my_carried(queries, K):
    d = queries.shape[-1]
    return (queries @ K) / math.sqrt(d)


# answer: my_carried | right | one way
def my_carried(queries, K):
    batch, heads, n, d = queries.shape
    out = queries.new_zeros(batch, heads, n, K.shape[2])
    for h in range(heads):
        for i in range(d):
            out[:, h] += queries[:, h, :, i:i + 1] * K[h, i]
    return out


# answer: my_delta_step | right | one way
def my_delta_step(S, k, v, beta):
    return S + beta * torch.outer(k, v - k @ S)


# answer: my_delta_step | right | one way
def my_delta_step(S, k, v, beta):
    d = k.shape[0]
    erase = torch.eye(d, dtype=S.dtype) - beta * k[:, None] @ k[None, :]
    return erase @ S + beta * k[:, None] * v


# answer: my_delta_step | right | one way
def my_delta_step(S, k, v, beta):
    new = S.clone()
    for j in range(S.shape[1]):
        said = sum(k[i] * S[i, j] for i in range(S.shape[0]))
        missing = v[j] - said
        for i in range(S.shape[0]):
            new[i, j] = S[i, j] + beta * k[i] * missing
    return new


# answer: my_delta_step | right | one way
def my_delta_step(S, k, v, beta):
    old = torch.einsum("d,dv->v", k, S)
    target = (1 - beta) * old + beta * v
    return S - torch.einsum("d,v->dv", k, old) + torch.einsum("d,v->dv", k, target)


# answer: my_delta_step | wrong | adds the value without taking off what the state already says | What the state already says of the
def my_delta_step(S, k, v, beta):
    return S + beta * torch.outer(k, v)


# answer: my_delta_step | wrong | fades the whole state by 1 - beta (the answer to k is right, other key | You let the whole state fade by
def my_delta_step(S, k, v, beta):
    return (1 - beta) * S + beta * torch.outer(k, v)


# answer: my_delta_step | wrong | divides by the squared length of k | You divide the correction by the square
def my_delta_step(S, k, v, beta):
    missing = v - k @ S
    return S + beta * torch.outer(k, missing) / (k @ k)


# answer: my_delta_step | wrong | brings k to length 1 first | You bring the key to the length
def my_delta_step(S, k, v, beta):
    k = k / k.norm()
    return S + beta * torch.outer(k, v - k @ S)


# answer: my_delta_step | wrong | erases the old answer wholly, writes the new one by beta | Your beta is on the new value
def my_delta_step(S, k, v, beta):
    old = k @ S
    return S - torch.outer(k, old) + beta * torch.outer(k, v)


# answer: my_delta_step | wrong | beta only on the old answer, the value is written whole | Your beta is on what is taken
def my_delta_step(S, k, v, beta):
    return S + torch.outer(k, v - beta * (k @ S))


# answer: my_delta_step | wrong | outer product the wrong way round | The axis of the columns has the
def my_delta_step(S, k, v, beta):
    missing = v - k @ S
    return S + beta * torch.outer(missing, k)


# answer: my_delta_step | wrong | sign of what is missing turned round | Your correction has the other sign: the
def my_delta_step(S, k, v, beta):
    missing = k @ S - v
    return S + beta * torch.outer(k, missing)


# answer: my_delta_step | wrong | adds what is missing to every row, key forgotten | You add the correction to every row
def my_delta_step(S, k, v, beta):
    missing = v - k @ S
    return S + beta * missing


# answer: my_delta_step | wrong | writes into the row of the key's largest number only | You write into one row alone, that
def my_delta_step(S, k, v, beta):
    new = S.clone()
    row = k.argmax()
    new[row] = new[row] + beta * (v - new[row])
    return new


# answer: my_delta_step | wrong | returns only what is added | The old state is gone: add the
def my_delta_step(S, k, v, beta):
    return beta * torch.outer(k, v - k @ S)


# answer: my_delta_step | wrong | reads with S @ k | raises an error
def my_delta_step(S, k, v, beta):
    missing = v - S @ k
    return S + beta * torch.outer(k, missing)


# answer: my_delta_step | wrong | erases with the share, then takes what is missing from the erased stat | You take off what the state says
def my_delta_step(S, k, v, beta):
    S = S - beta * torch.outer(k, k @ S)
    return S + beta * torch.outer(k, v - k @ S)


# answer: my_delta_step | wrong | takes the old answer off wholly, beta only on the new value | Your beta is on the new value
def my_delta_step(S, k, v, beta):
    old = k @ S
    return S + torch.outer(k, beta * v - old)


# answer: my_delta_step | wrong | divides by the squared length of k, which the text forbids | You divide the correction by the square
def my_delta_step(S, k, v, beta):
    error = v - k @ S
    return S + beta * torch.outer(k, error) / (k @ k)


# answer: my_delta_step | wrong | beta on the erasing only, the new value is written in full | Your beta is on what is taken
def my_delta_step(S, k, v, beta):
    erase = torch.eye(k.shape[0], dtype=S.dtype) - beta * torch.outer(k, k)
    return erase @ S + torch.outer(k, v)


# answer: my_delta_step | right | one way
def my_delta_step(S, k, v, beta):
    old = k @ S
    return S + beta * k[:, None] * (v - old)[None, :]


# answer: my_delta_step | right | one way
def my_delta_step(S, k, v, beta):
    d = S.shape[0]
    kk = torch.outer(k, k)
    keep = torch.eye(d, dtype=S.dtype, device=S.device) - beta * kk
    return keep @ S + beta * torch.outer(k, v)


# answer: my_kept_bytes | right | one way
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
        elif kind == "sliding_attention":
            held = min(tokens, config["sliding_window"] - 1)
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * held
        elif kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | right | one way
def my_kept_bytes(config, tokens):
    sizes = {
        "full_attention": lambda: tokens * 2 * config["head_dim"] * config["num_key_value_heads"],
        "sliding_attention": lambda: min(tokens, config["sliding_window"] - 1)
        * 2 * config["head_dim"] * config["num_key_value_heads"],
        "latent_attention": lambda: tokens * (config["kv_lora_rank"] + config["qk_rope_head_dim"]),
        "linear_attention": lambda: config["linear_num_heads"] * config["linear_head_dim"] * config["linear_head_dim"],
        "shared": lambda: 0,
    }
    bits = sum(sizes[kind]() for kind in config["layer_types"]) * config["bits"]
    return bits // 8


# answer: my_kept_bytes | right | one way
def my_kept_bytes(config, tokens):
    get = lambda name: config.get(name, 0)
    count = list(config["layer_types"]).count
    per_token = 2 * get("head_dim") * get("num_key_value_heads")
    window = max(min(tokens, get("sliding_window") - 1), 0)
    numbers = (
        count("full_attention") * per_token * tokens
        + count("sliding_attention") * per_token * window
        + count("latent_attention") * tokens * (get("kv_lora_rank") + get("qk_rope_head_dim"))
        + count("linear_attention") * get("linear_num_heads") * get("linear_head_dim") ** 2
    )
    whole, rest = divmod(numbers * config["bits"], 8)
    assert rest == 0
    return whole


# answer: my_kept_bytes | wrong | counts query heads in place of key-value heads | You count a key and a value
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_attention_heads"] * tokens
        elif kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_attention_heads"] * min(tokens, config["sliding_window"] - 1)
        elif kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | a whole window of tokens, not one fewer | Your windows keep one token too many:
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
        elif kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"])
        elif kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | sliding layers always counted with the full window, also for short tex | Your windows are always full. A short
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
        elif kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * (config["sliding_window"] - 1)
        elif kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | min applied to tokens for all later layers too (variable overwritten) | Behind a layer with a window your
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "sliding_attention":
            tokens = min(tokens, config["sliding_window"] - 1)
        if kind in ("full_attention", "sliding_attention"):
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
        elif kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | one turned key per query head in latent layers | Right in 12 of 17 cases, wrong
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
        elif kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"] - 1)
        elif kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["num_attention_heads"] * config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | latent counted twice, as key and as value | You count the latent twice, as if
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
        elif kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"] - 1)
        elif kind == "latent_attention":
            total += (2 * config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | turned key of latent layers forgotten | The turned key is missing: it is
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
        elif kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"] - 1)
        elif kind == "latent_attention":
            total += config["kv_lora_rank"] * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | linear state counted once per token | Your states grow with the text. A
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"]
        elif kind == "latent_attention":
            total += config["kv_lora_rank"] + config["qk_rope_head_dim"]
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    total *= tokens
    for kind in config["layer_types"]:
        if kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"] - 1)
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | linear state for one head only | You count one state in a layer.
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
        elif kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"] - 1)
        elif kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | bits // 8 first, so 4 bits become 0 bytes and 12 bits one | You round the bytes of a number
def my_kept_bytes(config, tokens):
    size = config["bits"] // 8
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens * size
        elif kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"] - 1) * size
        elif kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens * size
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"] * size
    return total


# answer: my_kept_bytes | wrong | key counted but not the value | You count keys alone. A layer keeps
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += config["head_dim"] * config["num_key_value_heads"] * tokens
        elif kind == "sliding_attention":
            total += config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"] - 1)
        elif kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | reads every entry at the start, fails where one is missing | and fails in the one below
def my_kept_bytes(config, tokens):
    head_dim, kv_heads = config["head_dim"], config["num_key_value_heads"]
    window = config["sliding_window"]
    latent = config["kv_lora_rank"] + config["qk_rope_head_dim"]
    state = config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * head_dim * kv_heads * tokens
        elif kind == "sliding_attention":
            total += 2 * head_dim * kv_heads * min(tokens, window - 1)
        elif kind == "latent_attention":
            total += latent * tokens
        elif kind == "linear_attention":
            total += state
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | else branch: shared layers are counted as full attention | You count the layers that share. They
def my_kept_bytes(config, tokens):
    total = 0
    for kind in config["layer_types"]:
        if kind == "latent_attention":
            total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
        elif kind == "linear_attention":
            total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
        elif kind == "sliding_attention":
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"] - 1)
        else:
            total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | each kind counted once, not each layer | You count each kind of layer once.
def my_kept_bytes(config, tokens):
    total = 0
    kinds = set(config["layer_types"])
    if "full_attention" in kinds:
        total += 2 * config["head_dim"] * config["num_key_value_heads"] * tokens
    if "sliding_attention" in kinds:
        total += 2 * config["head_dim"] * config["num_key_value_heads"] * min(tokens, config["sliding_window"] - 1)
    if "latent_attention" in kinds:
        total += (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
    if "linear_attention" in kinds:
        total += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return total * config["bits"] // 8


# answer: my_kept_bytes | wrong | bits // 8 is taken first, so 4 bits give nothing and 12 bits one byte | You round the bytes of a number
def my_kept_bytes(config, tokens):
    bytes_each = config["bits"] // 8
    total = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            total += 2 * tokens * config["num_key_value_heads"] * config["head_dim"]
        elif kind == "sliding_attention":
            seen = min(tokens, config["sliding_window"] - 1)
            total += 2 * seen * config["num_key_value_heads"] * config["head_dim"]
        elif kind == "latent_attention":
            total += tokens * (config["kv_lora_rank"] + config["qk_rope_head_dim"])
        elif kind == "linear_attention":
            total += config["linear_num_heads"] * config["linear_head_dim"] ** 2
    return total * bytes_each


# answer: my_kept_bytes | wrong | counts sliding_window tokens, not one fewer | Your windows keep one token too many:
def my_kept_bytes(config, tokens):
    n = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            n += 2 * tokens * config["num_key_value_heads"] * config["head_dim"]
        if kind == "sliding_attention":
            n += 2 * min(tokens, config["sliding_window"]) * config["num_key_value_heads"] * config["head_dim"]
        if kind == "latent_attention":
            n += tokens * (config["kv_lora_rank"] + config["qk_rope_head_dim"])
        if kind == "linear_attention":
            n += config["linear_num_heads"] * config["linear_head_dim"] * config["linear_head_dim"]
    return n * config["bits"] // 8


# answer: my_kept_bytes | wrong | counts the turned key of latent attention once per query head | Right in 12 of 17 cases, wrong
def my_kept_bytes(config, tokens):
    numbers = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            numbers += tokens * 2 * config["head_dim"] * config["num_key_value_heads"]
        elif kind == "sliding_attention":
            t = min(config["sliding_window"] - 1, tokens)
            numbers += t * 2 * config["head_dim"] * config["num_key_value_heads"]
        elif kind == "latent_attention":
            turned = config["num_attention_heads"] * config["qk_rope_head_dim"]
            numbers += tokens * (config["kv_lora_rank"] + turned)
        elif kind == "linear_attention":
            numbers += config["linear_head_dim"] ** 2 * config["linear_num_heads"]
    return numbers * config["bits"] // 8


# answer: my_kept_bytes | wrong | the window is always counted as full, also for texts shorter than it | Your windows are always full. A short
def my_kept_bytes(config, tokens):
    total_bits = 0
    for kind in config["layer_types"]:
        if kind in ("full_attention", "sliding_attention"):
            t = tokens if kind == "full_attention" else config["sliding_window"] - 1
            numbers = 2 * t * config["num_key_value_heads"] * config["head_dim"]
        elif kind == "latent_attention":
            numbers = tokens * (config["kv_lora_rank"] + config["qk_rope_head_dim"])
        elif kind == "linear_attention":
            numbers = config["linear_num_heads"] * config["linear_head_dim"] ** 2
        else:
            numbers = 0
        total_bits += numbers * config["bits"]
    return total_bits // 8


# answer: my_kept_bytes | wrong | reads every entry at the start, so it stops with a KeyError where an u | and fails in the one below
def my_kept_bytes(config, tokens):
    kv = 2 * config["num_key_value_heads"] * config["head_dim"]
    latent = config["kv_lora_rank"] + config["qk_rope_head_dim"]
    state = config["linear_num_heads"] * config["linear_head_dim"] ** 2
    per_layer = {
        "full_attention": tokens * kv,
        "sliding_attention": min(tokens, config["sliding_window"] - 1) * kv,
        "latent_attention": tokens * latent,
        "linear_attention": state,
        "shared": 0,
    }
    return sum(per_layer[kind] for kind in config["layer_types"]) * config["bits"] // 8


# answer: my_kept_bytes | right | one way
def my_kept_bytes(config, tokens):
    numbers = 0
    for kind in config["layer_types"]:
        if kind == "full_attention":
            numbers += 2 * tokens * config["num_key_value_heads"] * config["head_dim"]
        elif kind == "sliding_attention":
            held = min(tokens, config["sliding_window"] - 1)
            numbers += 2 * held * config["num_key_value_heads"] * config["head_dim"]
        elif kind == "latent_attention":
            numbers += tokens * (config["kv_lora_rank"] + config["qk_rope_head_dim"])
        elif kind == "linear_attention":
            numbers += config["linear_num_heads"] * config["linear_head_dim"] ** 2
    return numbers * config["bits"] // 8


# answer: my_kept_bytes | right | one way
def my_kept_bytes(config, tokens):
    c = config
    kv = lambda t: 2 * t * c["head_dim"] * c["num_key_value_heads"]
    size = {
        "full_attention": lambda: kv(tokens),
        "sliding_attention": lambda: kv(min(tokens, c["sliding_window"] - 1)),
        "latent_attention": lambda: tokens * c["kv_lora_rank"] + tokens * c["qk_rope_head_dim"],
        "linear_attention": lambda: c["linear_head_dim"] * c["linear_head_dim"] * c["linear_num_heads"],
        "shared": lambda: 0,
    }
    bits = sum(size[kind]() * c["bits"] for kind in c["layer_types"])
    return int(bits // 8)


# answer: my_latent_attention | right | one way
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d, t = queries.shape[2], queries.shape[3], turned_queries.shape[3]
    carried = queries @ K
    scores = carried @ z.unsqueeze(1).transpose(-1, -2)
    scores = scores + turned_queries @ turned_keys.unsqueeze(1).transpose(-1, -2)
    scores = scores / math.sqrt(d + t)
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (weights @ z.unsqueeze(1)) @ V.transpose(-1, -2)


# answer: my_latent_attention | right | one way
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    keys = torch.einsum("bnr,hdr->bhnd", z, K)
    values = torch.einsum("bnr,hvr->bhnv", z, V)
    heads = keys.shape[1]
    shared = turned_keys[:, None].expand(-1, heads, -1, -1)
    q = torch.cat([queries, turned_queries], dim=-1)
    k = torch.cat([keys, shared], dim=-1)
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    n = q.shape[2]
    scores = scores + torch.full((n, n), float("-inf"), dtype=scores.dtype).triu(1)
    return torch.softmax(scores, dim=-1) @ values


# answer: my_latent_attention | right | one way
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    batch, heads, n, d = queries.shape
    t = turned_queries.shape[-1]
    out = torch.zeros(batch, heads, n, V.shape[1], dtype=queries.dtype)
    for b in range(batch):
        for h in range(heads):
            for i in range(n):
                carried = K[h].T @ queries[b, h, i]
                s = z[b, :i + 1] @ carried + turned_keys[b, :i + 1] @ turned_queries[b, h, i]
                w = torch.softmax(s / (d + t) ** 0.5, dim=0)
                out[b, h, i] = V[h] @ (w @ z[b, :i + 1])
    return out


# answer: my_latent_attention | right | one way
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    # one key for all heads: latent and turned key side by side
    d, t = queries.shape[-1], turned_queries.shape[-1]
    q = torch.cat((torch.einsum("bhnd,hdr->bhnr", queries, K), turned_queries), -1)
    k = torch.cat((z, turned_keys), -1)
    s = torch.einsum("bhid,bjd->bhij", q, k) * (d + t) ** -0.5
    e = torch.exp(s - s.amax(-1, keepdim=True)).tril()
    w = e / e.sum(-1, keepdim=True)
    return torch.einsum("bhij,bjr,hvr->bhiv", w, z, V)


# answer: my_latent_attention | wrong | divides by the root of r + t, the width after carrying | You divide the scores by the root
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n = queries.shape[2]
    q = torch.cat([queries @ K, turned_queries], dim=-1)
    k = torch.cat([z, turned_keys], dim=-1).unsqueeze(1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    w = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.transpose(-1, -2)


# answer: my_latent_attention | wrong | divides by the root of d only | You divide the scores by the root
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    scores = (queries @ K) @ z.unsqueeze(1).mT + turned_queries @ turned_keys.unsqueeze(1).mT
    scores = scores / math.sqrt(d)
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    w = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | each part divided by the root of its own width | You divide each part by the root
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    t = turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT / math.sqrt(d)
    scores = scores + turned_queries @ turned_keys.unsqueeze(1).mT / math.sqrt(t)
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    w = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | precedence: only the turned product is divided | Only the turned part of your scores
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    t = turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT + turned_queries @ turned_keys.unsqueeze(1).mT / math.sqrt(d + t)
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    w = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | no causal mask | Your tokens see later ones. Each attends
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    d, t = queries.shape[-1], turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT + turned_queries @ turned_keys.unsqueeze(1).mT
    w = (scores / math.sqrt(d + t)).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | masks the token itself too, first row then nan | The result contains NaN (in 1 places):
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    t = turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT + turned_queries @ turned_keys.unsqueeze(1).mT
    scores = scores / math.sqrt(d + t)
    future = torch.ones(n, n, dtype=torch.bool).triu(0)
    w = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | mask sets the scores to 0 instead of minus infinity | You set the scores of later tokens
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    d, t = queries.shape[-1], turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT + turned_queries @ turned_keys.unsqueeze(1).mT
    w = (scores / math.sqrt(d + t)).tril().softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | masks after the softmax without dividing by the sum again | You set the weights of later tokens
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    d, t = queries.shape[-1], turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT + turned_queries @ turned_keys.unsqueeze(1).mT
    w = (scores / math.sqrt(d + t)).softmax(-1).tril()
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | softmax over the queries' axis | Your softmax runs over the queries. It
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    t = turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT + turned_queries @ turned_keys.unsqueeze(1).mT
    scores = scores / math.sqrt(d + t)
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    w = scores.masked_fill(future, float("-inf")).softmax(-2)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | turned part left out of the score | The turned parts make no difference to
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    t = turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT / math.sqrt(d + t)
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    w = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | two softmaxes, of the latent and of the turned scores, averaged | You take a softmax of each part
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    t = turned_queries.shape[-1]
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    a = (queries @ K) @ z.unsqueeze(1).mT / math.sqrt(d + t)
    b = turned_queries @ turned_keys.unsqueeze(1).mT / math.sqrt(d + t)
    w = (a.masked_fill(future, float("-inf")).softmax(-1) + b.masked_fill(future, float("-inf")).softmax(-1)) / 2
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | head 0's V for all heads | You make all heads' values with the
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    t = turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT + turned_queries @ turned_keys.unsqueeze(1).mT
    scores = scores / math.sqrt(d + t)
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    w = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V[0].T


# answer: my_latent_attention | wrong | mask one place too late: each token sees the next one | Your tokens see one token too many,
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    t = turned_queries.shape[-1]
    scores = (queries @ K) @ z.unsqueeze(1).mT + turned_queries @ turned_keys.unsqueeze(1).mT
    scores = scores / math.sqrt(d + t)
    allowed = torch.ones(n, n, dtype=torch.bool).tril(1)
    w = scores.masked_fill(~allowed, float("-inf")).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | turned scores averaged over the heads, since the turned key is shared | You average the turned part over the
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2:]
    t = turned_queries.shape[-1]
    turned = torch.einsum("bhit,bjt->bij", turned_queries, turned_keys) / queries.shape[1]
    scores = ((queries @ K) @ z.unsqueeze(1).mT + turned.unsqueeze(1)) / math.sqrt(d + t)
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    w = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (w @ z.unsqueeze(1)) @ V.mT


# answer: my_latent_attention | wrong | divides by the root of r + t, the width after carrying the query to th | You divide the scores by the root
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n = z.shape[1]
    carried = queries @ K
    q = torch.cat([carried, turned_queries], dim=-1)
    k = torch.cat([z, turned_keys], dim=-1)[:, None]
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    mask = torch.ones(n, n, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
    return (weights @ z[:, None]) @ V.transpose(-1, -2)


# answer: my_latent_attention | wrong | divides by the root of d alone | You divide the scores by the root
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n, d = queries.shape[2], queries.shape[3]
    keys = torch.einsum("hdr,bnr->bhnd", K, z)
    values = torch.einsum("hvr,bnr->bhnv", V, z)
    scores = queries @ keys.transpose(-1, -2)
    scores = scores + turned_queries @ turned_keys.unsqueeze(1).transpose(-1, -2)
    scores = scores / d ** 0.5
    scores = scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=1) == 1, -math.inf)
    return torch.softmax(scores, dim=-1) @ values


# answer: my_latent_attention | wrong | forgets the head axis of turned_keys, so batch meets heads in broadcas | Right in 3 of 5 cases, wrong
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n = queries.shape[-2]
    d, t = queries.shape[-1], turned_queries.shape[-1]
    carried = torch.einsum("bhnd,hdr->bhnr", queries, K)
    scores = torch.einsum("bhnr,bmr->bhnm", carried, z)
    scores = scores + turned_queries @ turned_keys.transpose(-1, -2)
    scores = scores / math.sqrt(d + t)
    allowed = torch.tril(torch.ones(n, n)).bool()
    weights = torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)
    read = torch.einsum("bhnm,bmr->bhnr", weights, z)
    return torch.einsum("bhnr,hvr->bhnv", read, V)


# answer: my_latent_attention | wrong | multiplies the scores by the mask, so later tokens get score 0 and not | You set the scores of later tokens
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n = z.shape[1]
    keys = z[:, None] @ K.transpose(1, 2)
    values = z[:, None] @ V.transpose(1, 2)
    q = torch.cat([queries, turned_queries], dim=-1)
    shared = turned_keys[:, None].expand(-1, keys.shape[1], -1, -1)
    k = torch.cat([keys, shared], dim=-1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    scores = scores * torch.tril(torch.ones(n, n, dtype=scores.dtype))
    return scores.softmax(dim=-1) @ values


# answer: my_latent_attention | wrong | two softmaxes, one for each part, whose weights are averaged | You take a softmax of each part
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    n = z.shape[1]
    width = queries.shape[-1] + turned_queries.shape[-1]
    later = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    plain = (queries @ K) @ z[:, None].transpose(-1, -2) / math.sqrt(width)
    turned = turned_queries @ turned_keys[:, None].transpose(-1, -2) / math.sqrt(width)
    w1 = plain.masked_fill(later, float("-inf")).softmax(-1)
    w2 = turned.masked_fill(later, float("-inf")).softmax(-1)
    weights = (w1 + w2) / 2
    return torch.einsum("bhnm,bmr,hvr->bhnv", weights, z, V)


# answer: my_latent_attention | right | one way
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    d, t = queries.shape[-1], turned_queries.shape[-1]
    n = z.shape[1]
    q = torch.cat([queries @ K, turned_queries], dim=-1)
    k = torch.cat([z, turned_keys], dim=-1).unsqueeze(1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(d + t)
    later = torch.triu(torch.ones(n, n, dtype=torch.bool, device=z.device), diagonal=1)
    weights = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
    return weights @ z.unsqueeze(1) @ V.transpose(1, 2)


# answer: my_latent_attention | right | one way
def my_latent_attention(queries, turned_queries, z, turned_keys, K, V):
    batch, heads, n, d = queries.shape
    t = turned_queries.shape[-1]
    out = queries.new_zeros(batch, heads, n, V.shape[1])
    for b in range(batch):
        for h in range(heads):
            keys = torch.cat([z[b] @ K[h].T, turned_keys[b]], dim=1)
            values = z[b] @ V[h].T
            for i in range(n):
                q = torch.cat([queries[b, h, i], turned_queries[b, h, i]])
                s = keys[:i + 1] @ q / (d + t) ** 0.5
                out[b, h, i] = torch.softmax(s, dim=0) @ values[:i + 1]
    return out


# answer: my_gated_delta | right | one way
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = g * S
        S = S + b * torch.outer(k, v - k @ S)
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | right | one way
def my_gated_delta(queries, keys, values, beta, decay):
    n, d = keys.shape
    eye = torch.eye(d, dtype=keys.dtype)
    S = keys.new_zeros(d, values.shape[1])
    out = values.new_zeros(n, values.shape[1])
    for t in range(n):
        kk = torch.einsum("i,j->ij", keys[t], keys[t])
        S = decay[t] * (eye - beta[t] * kk) @ S + beta[t] * torch.einsum("i,j->ij", keys[t], values[t])
        out[t] = torch.einsum("i,ij->j", queries[t], S)
    return out


# answer: my_gated_delta | right | one way
def my_gated_delta(queries, keys, values, beta, decay):
    # without a state: what each token really wrote comes from one triangular system
    n = keys.shape[0]
    left = torch.zeros(n, n, dtype=keys.dtype)
    for s in range(n):
        share = torch.ones((), dtype=keys.dtype)
        for t in range(s, n):
            if t > s:
                share = share * decay[t]
            left[t, s] = share
    A = beta[:, None] * (left * (keys @ keys.T)).tril(-1)
    written = torch.linalg.solve(torch.eye(n, dtype=keys.dtype) + A, beta[:, None] * values)
    return (left * (queries @ keys.T)).tril() @ written


# answer: my_gated_delta | wrong | fades after the writing, before the reading | You let the state fade after the
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = S + b * torch.outer(k, v - k @ S)
        S = g * S
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | fades at the end of the step, after the reading (same with an even dec | Your state fades after it was read,
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = S + b * torch.outer(k, v - k @ S)
        out.append(q @ S)
        S = g * S
    return torch.stack(out)


# answer: my_gated_delta | wrong | what is missing is taken from the state before it faded | You take the error from the state
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = g * S + b * torch.outer(k, v - k @ S)
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | query reads before the token has written | Your queries read the faded state, before
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = g * S
        out.append(q @ S)
        S = S + b * torch.outer(k, v - k @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | plain gated writing, the old answer is not taken off | What the state says of the key
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = g * S + b * torch.outer(k, v)
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | fades to 1 - decay | You keep 1 - decay of the
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = (1 - g) * S
        S = S + b * torch.outer(k, v - k @ S)
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | never fades | The decay makes no difference to your
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b in zip(queries, keys, values, beta):
        S = S + b * torch.outer(k, v - k @ S)
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | fades by the product of all decays so far in every step | You let the state fade by all
def my_gated_delta(queries, keys, values, beta, decay):
    total = decay.cumprod(0)
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for t in range(len(keys)):
        S = total[t] * S
        S = S + beta[t] * torch.outer(keys[t], values[t] - keys[t] @ S)
        out.append(queries[t] @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | all queries read the last state | All your queries read the last state.
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    for k, v, b, g in zip(keys, values, beta, decay):
        S = g * S
        S = S + b * torch.outer(k, v - k @ S)
    return queries @ S


# answer: my_gated_delta | wrong | (1 - beta) fades the whole state instead of the key's answer | You let the whole state fade by
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = g * S
        S = (1 - b) * S + b * torch.outer(k, v)
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | beta only on the value, the old answer is taken off wholly | beta is on the new value alone:
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = g * S
        S = S + torch.outer(k, b * v - k @ S)
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | scales the queries by the root of d | You divide the outputs by the root
def my_gated_delta(queries, keys, values, beta, decay):
    queries = queries / math.sqrt(queries.shape[-1])
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, b, g in zip(queries, keys, values, beta, decay):
        S = g * S
        S = S + b * torch.outer(k, v - k @ S)
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | beta and decay swapped | beta and decay are exchanged.
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for q, k, v, g, b in zip(queries, keys, values, beta, decay):
        S = g * S
        S = S + b * torch.outer(k, v - k @ S)
        out.append(q @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | takes decay for a logarithm and fades by exp(-decay) | You fade by e to the power
def my_gated_delta(queries, keys, values, beta, decay):
    S = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    out = []
    for t in range(len(keys)):
        S = torch.exp(-decay[t]) * S
        S = S + beta[t] * torch.outer(keys[t], values[t] - keys[t] @ S)
        out.append(queries[t] @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | the query reads the state before the token's value is written | Your queries read the faded state, before
def my_gated_delta(queries, keys, values, beta, decay):
    n, d = keys.shape
    S = keys.new_zeros(d, values.shape[1])
    out = []
    for t in range(n):
        S = decay[t] * S
        out.append(queries[t] @ S)
        S = S + beta[t] * torch.outer(keys[t], values[t] - keys[t] @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | fades after writing, so the new value fades too | You let the state fade after the
def my_gated_delta(queries, keys, values, beta, decay):
    n, d = keys.shape
    S = keys.new_zeros(d, values.shape[1])
    out = []
    for t in range(n):
        S = S + beta[t] * torch.outer(keys[t], values[t] - keys[t] @ S)
        S = S * decay[t]
        out.append(queries[t] @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | the old answer is taken from the state before it faded | You take the error from the state
def my_gated_delta(queries, keys, values, beta, decay):
    n, d = keys.shape
    S = torch.zeros(d, values.shape[1], dtype=keys.dtype)
    out = torch.zeros_like(values)
    for t in range(n):
        k = keys[t]
        error = values[t] - k @ S
        S = decay[t] * S + beta[t] * torch.outer(k, error)
        out[t] = queries[t] @ S
    return out


# answer: my_gated_delta | wrong | no delta rule: values are added under their keys without taking off th | What the state says of the key
def my_gated_delta(queries, keys, values, beta, decay):
    n, d = keys.shape
    S = keys.new_zeros(d, values.shape[1])
    out = []
    for t in range(n):
        S = decay[t] * S + beta[t] * keys[t][:, None] * values[t][None, :]
        out.append(queries[t] @ S)
    return torch.stack(out)


# answer: my_gated_delta | wrong | fades the running state by the product of all decays so far, so early  | You let the state fade by all
def my_gated_delta(queries, keys, values, beta, decay):
    n, d = keys.shape
    total = torch.cumprod(decay, dim=0)
    S = keys.new_zeros(d, values.shape[1])
    out = torch.empty_like(values)
    for t in range(n):
        S = total[t] * S
        S = S + torch.outer(keys[t], beta[t] * (values[t] - keys[t] @ S))
        out[t] = queries[t] @ S
    return out


# answer: my_gated_delta | right | one way
def my_gated_delta(queries, keys, values, beta, decay):
    n, d = keys.shape
    S = keys.new_zeros(d, values.shape[1])
    out = []
    for t in range(n):
        S = decay[t] * S
        S = S + beta[t] * torch.outer(keys[t], values[t] - keys[t] @ S)
        out.append(queries[t] @ S)
    return torch.stack(out)


# answer: my_gated_delta | right | one way
def my_gated_delta(queries, keys, values, beta, decay):
    # the writes u[t] solve a triangular system: no state is kept
    n = keys.shape[0]
    fade = torch.zeros(n, n, dtype=keys.dtype, device=keys.device)
    for t in range(n):
        product = torch.ones((), dtype=keys.dtype, device=keys.device)
        for s in range(t, -1, -1):
            fade[t, s] = product
            product = product * decay[s]
    A = (keys @ keys.T) * fade
    u = torch.zeros_like(values)
    for t in range(n):
        u[t] = beta[t] * (values[t] - A[t, :t] @ u[:t])
    return ((queries @ keys.T) * fade) @ u


# answer: my_slots | right | one way
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    for t in range(n):
        held[t % slots] = keys[t]
        positions[t % slots] = t
    return held, positions


# answer: my_slots | right | one way
def my_slots(keys, slots):
    n, d = keys.shape
    slot = torch.arange(slots)
    # the newest t < n with t % slots == slot
    positions = (n - 1) - (n - 1 - slot) % slots
    positions = torch.where(positions < 0, torch.full_like(positions, -1), positions)
    held = keys.new_zeros(slots, d)
    there = positions >= 0
    held[there] = keys[positions[there]]
    return held, positions


# answer: my_slots | right | one way
def my_slots(keys, slots):
    n = keys.shape[0]
    first = max(n - slots, 0)
    kept = torch.arange(first, n)
    held = keys.new_zeros(slots, keys.shape[1])
    positions = torch.full((slots,), -1)
    held[kept % slots] = keys[kept]
    positions[kept % slots] = kept
    return held, positions


# answer: my_slots | right | one way
def my_slots(keys, slots):
    n, d = keys.shape
    rest = -n % slots
    padded = torch.cat([torch.zeros(slots, d, dtype=keys.dtype), keys])[-slots:]
    numbers = torch.cat([torch.full((slots,), -1), torch.arange(n)])[-slots:]
    return torch.roll(padded, n % slots, 0), torch.roll(numbers, -rest, 0)


# answer: my_slots | wrong | the newest keys in their order from slot 0, not at t modulo slots | Your slots stand in the order of
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    first = max(n - slots, 0)
    held[:n - first] = keys[first:]
    positions[:n - first] = torch.arange(first, n)
    return held, positions


# answer: my_slots | wrong | rolled the wrong way | Your newest keys are turned the wrong
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    if n <= slots:
        held[:n] = keys
        positions[:n] = torch.arange(n)
        return held, positions
    held = torch.roll(keys[-slots:], -(n % slots), dims=0)
    positions = torch.roll(torch.arange(n - slots, n), -(n % slots), dims=0)
    return held, positions


# answer: my_slots | wrong | the first keys stay, nothing is overwritten | The first tokens stay. A newer one
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    for t in range(n):
        if positions[t % slots] == -1:
            held[t % slots] = keys[t]
            positions[t % slots] = t
    return held, positions


# answer: my_slots | wrong | empty slots get position 0 instead of -1 | Empty slots have the position 0, as
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.zeros(slots, dtype=torch.long)
    for t in range(n):
        held[t % slots] = keys[t]
        positions[t % slots] = t
    return held, positions


# answer: my_slots | wrong | positions hold the slot number, not the token | Your positions are the numbers of the
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    for t in range(n):
        slot = t % slots
        held[slot] = keys[t]
        positions[slot] = slot
    return held, positions


# answer: my_slots | wrong | fails for n = 0 (takes d from the first key) | and fails in the one below
def my_slots(keys, slots):
    d = len(keys[0])
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    for t, key in enumerate(keys):
        held[t % slots] = key
        positions[t % slots] = t
    return held, positions


# answer: my_slots | wrong | for n = 0 returns early with positions 0 | Where no token was read your positions
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    if n == 0:
        return held, torch.zeros(slots, dtype=torch.long)
    positions = torch.full((slots,), -1, dtype=torch.long)
    for t in range(max(0, n - slots), n):
        held[t % slots] = keys[t]
        positions[t % slots] = t
    return held, positions


# answer: my_slots | wrong | keys are added to a slot instead of replacing it | You add a key to what stands
def my_slots(keys, slots):
    n, d = keys.shape
    t = torch.arange(n)
    held = torch.zeros(slots, d, dtype=keys.dtype)
    held.index_add_(0, t % slots, keys)
    positions = torch.full((slots,), -1, dtype=torch.long)
    for i in range(n):
        positions[i % slots] = i
    return held, positions


# answer: my_slots | wrong | when full, only the last slot is overwritten | Once all slots are full you write
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    for t in range(n):
        slot = min(t, slots - 1)
        held[slot] = keys[t]
        positions[slot] = t
    return held, positions


# answer: my_slots | wrong | starts counting at 1: token t goes to slot (t + 1) modulo slots | You begin with slot 1. Token t
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    for t, key in enumerate(keys, start=1):
        held[t % slots] = key
        positions[t % slots] = t - 1
    return held, positions


# answer: my_slots | wrong | only whole rounds are seen, the begun round is left out | You leave out the round that has
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    if n <= slots:
        held[:n] = keys
        positions[:n] = torch.arange(n)
    else:
        start = (n // slots - 1) * slots
        held[:] = keys[start:start + slots]
        positions[:] = torch.arange(start, start + slots)
    return held, positions


# answer: my_slots | wrong | positions count back from the newest (its age) instead of from the sta | Your positions say how old a key
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    for t in range(n):
        held[t % slots] = keys[t]
        positions[t % slots] = n - 1 - t
    return held, positions


# answer: my_slots | wrong | a begun round wipes the slots that are yet to be overwritten | Where a round has begun, you empty
def my_slots(keys, slots):
    n, d = keys.shape
    held = torch.zeros(slots, d, dtype=keys.dtype)
    positions = torch.full((slots,), -1, dtype=torch.long)
    if n == 0:
        return held, positions
    start = (n - 1) // slots * slots
    held[:n - start] = keys[start:]
    positions[:n - start] = torch.arange(start, n)
    return held, positions


# answer: my_slots | wrong | keeps the newest keys in their order from slot 0 on, not at t modulo s | Your slots stand in the order of
def my_slots(keys, slots):
    n, d = keys.shape
    held = keys.new_zeros(slots, d)
    positions = torch.full((slots,), -1)
    count = min(n, slots)
    held[:count] = keys[n - count:]
    positions[:count] = torch.arange(n - count, n)
    return held, positions


# answer: my_slots | wrong | rolls the newest keys in the wrong direction | Your newest keys are turned the wrong
def my_slots(keys, slots):
    n, d = keys.shape
    if n <= slots:
        held = torch.cat([keys, keys.new_zeros(slots - n, d)])
        positions = torch.cat([torch.arange(n), torch.full((slots - n,), -1)])
        return held, positions
    held = torch.roll(keys[-slots:], -(n % slots), dims=0)
    positions = torch.roll(torch.arange(n - slots, n), -(n % slots), dims=0)
    return held, positions


# answer: my_slots | wrong | the oldest tokens stay: writing stops once all slots are full | The first tokens stay. A newer one
def my_slots(keys, slots):
    n, d = keys.shape
    held = keys.new_zeros(slots, d)
    positions = torch.full((slots,), -1)
    for t in range(n):
        slot = t % slots
        if positions[slot] == -1:
            held[slot] = keys[t]
            positions[slot] = t
    return held, positions


# answer: my_slots | wrong | fails for n = 0: the newest token of a slot is worked out by a formula | and fails in the one below
def my_slots(keys, slots):
    n = keys.shape[0]
    s = torch.arange(slots)
    positions = n - 1 - (n - 1 - s) % slots
    held = keys[positions.clamp(min=0)] * (positions >= 0)[:, None].to(keys.dtype)
    positions = torch.where(positions >= 0, positions, torch.full_like(positions, -1))
    return held, positions


# answer: my_slots | right | one way
def my_slots(keys, slots):
    n, d = keys.shape
    held = keys.new_zeros(slots, d)
    positions = torch.full((slots,), -1, dtype=torch.long, device=keys.device)
    for t in range(n):
        held[t % slots] = keys[t]
        positions[t % slots] = t
    return held, positions


# answer: my_slots | right | one way
def my_slots(keys, slots):
    n, d = keys.shape
    newest = torch.arange(max(0, n - slots), n, device=keys.device)
    held = torch.zeros(slots, d, dtype=keys.dtype, device=keys.device)
    positions = torch.full((slots,), -1, dtype=torch.long, device=keys.device)
    held[newest % slots] = keys[newest]
    positions[newest % slots] = newest
    return held, positions


# answer: my_best_keys | right | one way
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    masked = index.masked_fill(~causal, float("-inf"))
    best = masked.topk(min(k, n), dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter_(-1, best, True) & causal
    weights = scores.masked_fill(~keep.unsqueeze(1), float("-inf")).softmax(-1)
    return weights @ values


# answer: my_best_keys | right | one way
def my_best_keys(index, scores, values, k):
    batch, heads, n, v = values.shape
    out = torch.zeros_like(values)
    for b in range(batch):
        for i in range(n):
            chosen = sorted(range(i + 1), key=lambda j: index[b, i, j].item(), reverse=True)[:k]
            for h in range(heads):
                w = torch.softmax(scores[b, h, i, chosen], dim=0)
                out[b, h, i] = w @ values[b, h, chosen]
    return out


# answer: my_best_keys | right | one way
def my_best_keys(index, scores, values, k):
    # a key stays if fewer than k allowed keys are better
    n = index.shape[-1]
    allowed = torch.tril(torch.ones(n, n)).bool()
    better = (index[:, :, None, :] > index[:, :, :, None]) & allowed[None, :, None, :]
    keep = (better.sum(-1) < k) & allowed
    e = torch.exp(scores - scores.amax(-1, keepdim=True)) * keep[:, None].to(scores.dtype)
    return torch.einsum("bhij,bhjv->bhiv", e / e.sum(-1, keepdim=True), values)


# answer: my_best_keys | right | one way
def my_best_keys(index, scores, values, k):
    batch, heads, n, v = values.shape
    rows = []
    for i in range(n):
        m = min(k, i + 1)
        best = index[:, i, :i + 1].topk(m, dim=-1).indices              # (batch, m)
        spread = best[:, None, :].expand(batch, heads, m)
        w = scores[:, :, i].gather(-1, spread).softmax(-1)
        chosen = values.gather(2, spread[..., None].expand(batch, heads, m, v))
        rows.append((w[..., None] * chosen).sum(2))
    return torch.stack(rows, dim=2)


# answer: my_best_keys | wrong | picks the best of all keys, future ones too, and masks them only after | Later tokens are among the keys that
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    best = index.topk(min(k, n), dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter_(-1, best, True) & causal
    keep = keep | torch.eye(n, dtype=torch.bool)      # so that no row is empty
    w = scores.masked_fill(~keep.unsqueeze(1), float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | early queries get future keys, as topk fills up with masked ones | Your queries read later tokens, where fewer
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    best = index.masked_fill(future, float("-inf")).topk(min(k, n), dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter_(-1, best, True)
    w = scores.masked_fill(~keep.unsqueeze(1), float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | softmax over all earlier keys, then the others dropped without dividin | You set the weights of the others
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    best = index.masked_fill(~causal, float("-inf")).topk(min(k, n), dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter_(-1, best, True) & causal
    w = scores.masked_fill(~causal, float("-inf")).softmax(-1)
    w = w * keep.unsqueeze(1)
    return w @ values


# answer: my_best_keys | wrong | picks the keys by each head's scores, not by index | You choose by each head's own scores.
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    masked = scores.masked_fill(~causal, float("-inf"))
    kth = masked.topk(min(k, n), dim=-1).values[..., -1:]
    w = masked.masked_fill(masked < kth, float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | weights are the softmax of index instead of scores | Your weights are the softmax of index.
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    masked = index.masked_fill(~causal, float("-inf"))
    kth = masked.topk(min(k, n), dim=-1).values[..., -1:]
    w = masked.masked_fill(masked < kth, float("-inf")).softmax(-1)
    return w.unsqueeze(1) @ values


# answer: my_best_keys | wrong | topk with k unbounded, fails if k is more than n | and fails in the one below
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    best = index.masked_fill(~causal, float("-inf")).topk(k, dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter_(-1, best, True) & causal
    w = scores.masked_fill(~keep.unsqueeze(1), float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | index masked with 0, so future keys beat earlier ones below zero | You set the index of later tokens
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    best = (index * causal).topk(min(k, n), dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter_(-1, best, True) & causal
    w = scores.masked_fill(~keep.unsqueeze(1), -1e9).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | the token itself is always kept besides the k best | You always keep the token itself, besides
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    best = index.masked_fill(~causal, float("-inf")).topk(min(k, n), dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter_(-1, best, True) & causal
    keep = keep | torch.eye(n, dtype=torch.bool)
    w = scores.masked_fill(~keep.unsqueeze(1), float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | picks along the queries' axis instead of the keys' | Right in 1 of 6 cases, wrong
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    best = index.masked_fill(~causal, float("-inf")).topk(min(k, n), dim=1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter_(1, best, True) & causal
    w = scores.masked_fill(~keep.unsqueeze(1), -1e9).masked_fill(~causal, float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | the k newest keys, a window | You read the k newest tokens, as
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    window = causal & ~torch.ones(n, n, dtype=torch.bool).tril(-k)
    w = scores.masked_fill(~window, float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | strictly above the k-th, so one key too few | The result contains NaN (everywhere): 0 /
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    masked = index.masked_fill(~causal, float("-inf"))
    kth = masked.sort(dim=-1, descending=True).values[..., min(k, n) - 1, None]
    keep = masked > kth
    w = scores.masked_fill(~keep.unsqueeze(1), float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | one key too many (threshold at place k, counted from 0) | You read one key too many.
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    masked = index.masked_fill(~causal, float("-inf"))
    kth = masked.sort(dim=-1, descending=True).values[..., min(k, n - 1), None]
    keep = (masked >= kth) & causal
    w = scores.masked_fill(~keep.unsqueeze(1), float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | the last query's choice is used for all queries of the text | You use the last query's choice for
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    best = index[:, -1].topk(min(k, n), dim=-1).indices
    keep = torch.zeros(index.shape[0], n, dtype=torch.bool).scatter_(-1, best, True)
    keep = keep[:, None, :] & causal | torch.eye(n, dtype=torch.bool)
    w = scores.masked_fill(~keep.unsqueeze(1), float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | first text's choice used for the whole batch | You use the first text's choice for
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    keep = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        keep[i, index[0, i, :i + 1].topk(min(k, i + 1)).indices] = True
    w = scores.masked_fill(~(keep & causal), float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | scores of the other keys set to 0 instead of minus infinity | You set the scores of earlier keys
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    best = index.masked_fill(~causal, float("-inf")).topk(min(k, n), dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter_(-1, best, True) & causal
    w = (scores * keep.unsqueeze(1)).masked_fill(~causal, float("-inf")).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | index is added to the scores of the chosen keys | You add index to the scores. It
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    masked = index.masked_fill(~causal, float("-inf"))
    kth = masked.topk(min(k, n), dim=-1).values[..., -1:]
    chosen = masked.masked_fill(masked < kth, float("-inf"))
    w = (scores + chosen.unsqueeze(1)).softmax(-1)
    return w @ values


# answer: my_best_keys | wrong | picks the top k before hiding later tokens, so early queries lose keys | Later tokens are among the keys that
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    best = index.topk(min(k, n), dim=-1).indices
    chosen = torch.zeros_like(index, dtype=torch.bool).scatter(-1, best, True)
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    keep = (chosen & causal)[:, None]
    weights = scores.masked_fill(~keep, float("-inf")).softmax(dim=-1)
    weights = torch.nan_to_num(weights, nan=0.0)
    return weights @ values


# answer: my_best_keys | wrong | the index is masked but not the choice: queries with fewer than k keys | Your queries read later tokens, where fewer
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    later = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    best = index.masked_fill(later, float("-inf")).topk(min(k, n), dim=-1).indices
    hidden = torch.full_like(index, float("-inf")).scatter(-1, best, 0.0)
    weights = torch.softmax(scores + hidden.unsqueeze(1), dim=-1)
    return weights @ values


# answer: my_best_keys | wrong | softmax over all earlier keys, then the others are set to 0: the weigh | You set the weights of the others
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    later = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    best = index.masked_fill(later, float("-inf")).topk(min(k, n), dim=-1).indices
    chosen = torch.zeros_like(index).scatter(-1, best, 1.0)
    weights = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
    weights = weights * chosen[:, None]
    return weights @ values


# answer: my_best_keys | wrong | later tokens' index set to 0 by tril, so they beat negative numbers (r | You set the index of later tokens
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    best = torch.tril(index).topk(min(k, n), dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool)
    keep.scatter_(-1, best, True)
    keep = torch.tril(keep)
    weights = scores.masked_fill(~keep[:, None], -1e9).softmax(dim=-1)
    return weights @ values


# answer: my_best_keys | wrong | each head picks its keys by its own scores, the index is not used | You choose by each head's own scores.
def my_best_keys(index, scores, values, k):
    n = scores.shape[-1]
    later = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    masked = scores.masked_fill(later, float("-inf"))
    kth = masked.topk(min(k, n), dim=-1).values[..., -1:]
    masked = masked.masked_fill(masked < kth, float("-inf"))
    return masked.softmax(dim=-1) @ values


# answer: my_best_keys | right | one way
def my_best_keys(index, scores, values, k):
    n = index.shape[-1]
    later = torch.triu(torch.ones(n, n, dtype=torch.bool, device=index.device), diagonal=1)
    best = index.masked_fill(later, float("-inf")).topk(min(k, n), dim=-1).indices
    keep = torch.zeros_like(index, dtype=torch.bool).scatter(-1, best, True) & ~later
    weights = scores.masked_fill(~keep.unsqueeze(1), float("-inf")).softmax(dim=-1)
    return weights @ values


# answer: my_best_keys | right | one way
def my_best_keys(index, scores, values, k):
    batch, heads, n, _ = scores.shape
    out = torch.zeros_like(values)
    for b in range(batch):
        for i in range(n):
            order = torch.argsort(index[b, i, :i + 1], descending=True)[:k]
            w = torch.softmax(scores[b, :, i, order], dim=-1)
            out[b, :, i] = torch.einsum("hk,hkv->hv", w, values[b][:, order])
    return out
