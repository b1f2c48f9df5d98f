# answer: my_normed_scores | right | as the formula
def my_normed_scores(queries, keys, query_weight, key_weight):
    q = queries / queries.square().mean(-1, keepdim=True).sqrt() * query_weight
    k = keys / keys.square().mean(-1, keepdim=True).sqrt() * key_weight
    return q @ k.mT / queries.shape[-1] ** 0.5

# answer: my_normed_scores | right | torch's own norm
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.shape[-1]
    q = torch.nn.functional.rms_norm(queries, (d,), query_weight, 1e-6)
    k = torch.nn.functional.rms_norm(keys, (d,), key_weight, 1e-6)
    return torch.einsum("bhnd,bhmd->bhnm", q, k) / math.sqrt(d)

# answer: my_normed_scores | wrong | to length 1 | root of the *sum*
def my_normed_scores(queries, keys, query_weight, key_weight):
    q = torch.nn.functional.normalize(queries, dim=-1) * query_weight
    k = torch.nn.functional.normalize(keys, dim=-1) * key_weight
    return q @ k.mT / queries.shape[-1] ** 0.5

# answer: my_normed_scores | wrong | not divided | not scaled
def my_normed_scores(queries, keys, query_weight, key_weight):
    q = queries / queries.square().mean(-1, keepdim=True).sqrt() * query_weight
    k = keys / keys.square().mean(-1, keepdim=True).sqrt() * key_weight
    return q @ k.transpose(-1, -2)

# answer: my_sink_weights | right | one column more
def my_sink_weights(scores, sink):
    column = sink.view(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
    return torch.cat((scores, column), -1).softmax(-1)[..., :-1]

# answer: my_sink_weights | right | logaddexp
def my_sink_weights(scores, sink):
    total = torch.logaddexp(torch.logsumexp(scores, -1, keepdim=True), sink[:, None, None])
    return torch.exp(scores - total)

# answer: my_sink_weights | wrong | a sigmoid, NaN in an empty row | NaN
def my_sink_weights(scores, sink):
    total = torch.logsumexp(scores, -1, keepdim=True)
    return scores.softmax(-1) * torch.sigmoid(total - sink[:, None, None])

# answer: my_sink_weights | wrong | the column stays | Your result has m + 1 columns
def my_sink_weights(scores, sink):
    column = sink.view(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
    return torch.cat((scores, column), -1).softmax(-1)

# answer: my_sink_weights | wrong | added to the scores | comes out without a sink
def my_sink_weights(scores, sink):
    return (scores + sink.view(1, -1, 1, 1)).softmax(-1)

# answer: my_seen | right | a comparison
def my_seen(layer, t, window, every):
    places = torch.arange(t + 1)
    return (places > t - window) | ((layer + 1) % every == 0)

# answer: my_seen | right | a loop
def my_seen(layer, t, window, every):
    seen = []
    for p in range(t + 1):
        seen.append(layer % every == every - 1 or t - p < window)
    return torch.tensor(seen)

# answer: my_seen | wrong | one too many | one token too many
def my_seen(layer, t, window, every):
    return (torch.arange(t + 1) >= t - window) | ((layer + 1) % every == 0)

# answer: my_seen | wrong | the first of each | You begin with a layer that sees all
def my_seen(layer, t, window, every):
    return (torch.arange(t + 1) > t - window) | (layer % every == 0)

# answer: my_whole_norm | right | norm, then split
def my_whole_norm(queries, weight, num_heads):
    normed = queries / queries.square().mean(-1, keepdim=True).sqrt() * weight
    return normed.unflatten(-1, (num_heads, -1)).transpose(1, 2)

# answer: my_whole_norm | right | torch's norm, and the package's split
def my_whole_norm(queries, weight, num_heads):
    return split_heads(torch.nn.functional.rms_norm(queries, weight.shape, weight), num_heads)

# answer: my_whole_norm | wrong | each head | You norm each head by itself
def my_whole_norm(queries, weight, num_heads):
    heads = queries.unflatten(-1, (num_heads, -1))
    heads = heads / heads.square().mean(-1, keepdim=True).sqrt()
    return (heads * weight.view(num_heads, -1)).transpose(1, 2)

# answer: my_whole_norm | wrong | one view | mixes tokens and heads
def my_whole_norm(queries, weight, num_heads):
    normed = queries / queries.square().mean(-1, keepdim=True).sqrt() * weight
    batch, n, width = queries.shape
    return normed.view(batch, num_heads, n, width // num_heads)

# answer: my_sink_attention | right | mask, sink, softmax
def my_sink_attention(scores, values, mask, sink):
    column = sink.view(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
    kept = scores.masked_fill(~mask, -torch.inf)
    return torch.cat((kept, column), -1).softmax(-1)[..., :-1] @ values

# answer: my_sink_attention | right | a value of zeros
def my_sink_attention(scores, values, mask, sink):
    column = sink[None, :, None, None].expand(*scores.shape[:3], 1)
    kept = torch.where(mask, scores, -torch.inf)
    values = torch.nn.functional.pad(values, (0, 0, 0, 1))
    return torch.cat((kept, column), -1).softmax(-1) @ values

# answer: my_sink_attention | wrong | masks last | You mask after the softmax
def my_sink_attention(scores, values, mask, sink):
    column = sink.view(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
    weights = torch.cat((scores, column), -1).softmax(-1)[..., :-1]
    return (weights * mask) @ values

# answer: my_sink_attention | wrong | rows of 1 | comes out without a sink
def my_sink_attention(scores, values, mask, sink):
    column = sink.view(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
    kept = scores.masked_fill(~mask, -torch.inf)
    weights = torch.cat((kept, column), -1).softmax(-1)[..., :-1]
    return (weights / weights.sum(-1, keepdim=True)).nan_to_num() @ values

# answer: my_held | right | a comparison
def my_held(layer, t, window, every):
    return (torch.arange(t) >= t - (window - 1)) | ((layer + 1) % every == 0)

# answer: my_held | right | filled from the end
def my_held(layer, t, window, every):
    held = torch.ones(t, dtype=torch.bool)
    if (layer + 1) % every:
        held[: max(0, t - window + 1)] = False
    return held

# answer: my_held | wrong | the whole window | You hold one too many
def my_held(layer, t, window, every):
    return (torch.arange(t) >= t - window) | ((layer + 1) % every == 0)

# answer: my_held | wrong | everything everywhere | Your layers hold everything
def my_held(layer, t, window, every):
    return torch.ones(t, dtype=torch.bool)

# answer: my_softcap | right | by hand
def my_softcap(scores, cap):
    bent = torch.tanh(scores / cap)
    return cap * bent, 1 - bent**2

# answer: my_softcap | right | by autograd
def my_softcap(scores, cap):
    x = scores.clone().requires_grad_()
    capped = cap * torch.tanh(x / cap)
    (slope,) = torch.autograd.grad(capped.sum(), x)
    return capped.detach(), slope

# answer: my_softcap | wrong | the cap in the slope | cap times too large
def my_softcap(scores, cap):
    bent = torch.tanh(scores / cap)
    return cap * bent, cap * (1 - bent**2)

# answer: my_softcap | wrong | a cut | You cut the scores off
def my_softcap(scores, cap):
    return scores.clamp(-cap, cap), (scores.abs() < cap).float()

# answer: my_parts | right | with defaults
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    size = config.get("head_dim") or config["hidden_size"] // heads
    slides = config.get("layer_types", {layer: ""})[layer] == "sliding_attention"
    still = (layer + 1) % config.get("no_rope_layer_interval", layer + 2) == 0
    turned = 0 if still else int(config.get("partial_rotary_factor", 1.0) * size)
    window = config["sliding_window"] if slides else None
    return size, config.get("num_key_value_heads", heads), window, turned

# answer: my_parts | right | question by question
def my_parts(config, layer):
    if "head_dim" in config:
        d = config["head_dim"]
    else:
        d = config["hidden_size"] // config["num_attention_heads"]
    kv = config["num_attention_heads"]
    if "num_key_value_heads" in config:
        kv = config["num_key_value_heads"]
    window = None
    if "layer_types" in config and config["layer_types"][layer] == "sliding_attention":
        window = config["sliding_window"]
    turned = d
    if "partial_rotary_factor" in config:
        turned = round(d * config["partial_rotary_factor"])
    if "no_rope_layer_interval" in config and layer % config["no_rope_layer_interval"] == config["no_rope_layer_interval"] - 1:
        turned = 0
    return (d, kv, window, turned)

# answer: my_parts | wrong | always divides | You always divide hidden_size
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    size = config["hidden_size"] // heads
    slides = config.get("layer_types", {layer: ""})[layer] == "sliding_attention"
    still = (layer + 1) % config.get("no_rope_layer_interval", layer + 2) == 0
    turned = 0 if still else int(config.get("partial_rotary_factor", 1.0) * size)
    window = config["sliding_window"] if slides else None
    return size, config.get("num_key_value_heads", heads), window, turned

# answer: my_parts | wrong | the window everywhere | You give the window to all layers
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    size = config.get("head_dim") or config["hidden_size"] // heads
    still = (layer + 1) % config.get("no_rope_layer_interval", layer + 2) == 0
    turned = 0 if still else int(config.get("partial_rotary_factor", 1.0) * size)
    return size, config.get("num_key_value_heads", heads), config.get("sliding_window"), turned

# answer: my_normed_scores | right | torch.nn.functional.rms_norm
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.shape[-1]
    q = torch.nn.functional.rms_norm(queries, (d,), query_weight, eps=0.0)
    k = torch.nn.functional.rms_norm(keys, (d,), key_weight, eps=0.0)
    return q @ k.transpose(-1, -2) / math.sqrt(d)

# answer: my_normed_scores | right | einsum, lengths divided out of raw scores (the product of both weights in the middle)
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.shape[-1]
    raw = torch.einsum("bhnd,d,bhmd->bhnm", queries, query_weight * key_weight, keys)
    lengths = queries.norm(dim=-1)[..., :, None] * keys.norm(dim=-1)[..., None, :]
    return raw / lengths * d ** 0.5

# answer: my_normed_scores | wrong | keys of the first batch only | All queries meet the first sentence's
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.shape[-1]
    q = queries / queries.pow(2).mean(-1, keepdim=True).sqrt() * query_weight
    k = keys / keys.pow(2).mean(-1, keepdim=True).sqrt() * key_weight
    return torch.einsum("bhnd,hmd->bhnm", q, k[0]) / math.sqrt(d)

# answer: my_normed_scores | wrong | the mean of each weight instead of the weight (right only if all d are | You multiply by the mean of
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.shape[-1]
    q = torch.nn.functional.rms_norm(queries, (d,), eps=0.0)
    k = torch.nn.functional.rms_norm(keys, (d,), eps=0.0)
    return query_weight.mean() * key_weight.mean() * (q @ k.mT) / math.sqrt(d)

# answer: my_normed_scores | wrong | normalised to length 1, not to mean square 1 | You divide by the root of
def my_normed_scores(queries, keys, query_weight, key_weight):
    q = torch.nn.functional.normalize(queries, dim=-1) * query_weight
    k = torch.nn.functional.normalize(keys, dim=-1) * key_weight
    return q @ k.transpose(-1, -2) / math.sqrt(queries.shape[-1])

# answer: my_normed_scores | wrong | forgot to divide by the square root of d | The scores are not scaled: divide
def my_normed_scores(queries, keys, query_weight, key_weight):
    q = queries / (queries ** 2).mean(dim=-1, keepdim=True).sqrt() * query_weight
    k = keys / (keys ** 2).mean(dim=-1, keepdim=True).sqrt() * key_weight
    return q @ k.transpose(-1, -2)

# answer: my_normed_scores | wrong | forgot the root of the mean square | You divide by the mean of
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.shape[-1]
    q = queries / (queries ** 2).mean(dim=-1, keepdim=True) * query_weight
    k = keys / (keys ** 2).mean(dim=-1, keepdim=True) * key_weight
    return q @ k.transpose(-1, -2) / math.sqrt(d)

# answer: my_normed_scores | wrong | LayerNorm (takes the mean off) instead of RMSNorm | You take the mean off first
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.shape[-1]
    q = torch.nn.functional.layer_norm(queries, (d,), query_weight)
    k = torch.nn.functional.layer_norm(keys, (d,), key_weight)
    return q @ k.transpose(-1, -2) / math.sqrt(d)

# answer: my_normed_scores | wrong | weights applied before the norm | You multiply by the weights first
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.shape[-1]
    q = queries * query_weight
    k = keys * key_weight
    q = q / q.pow(2).mean(-1, keepdim=True).sqrt()
    k = k / k.pow(2).mean(-1, keepdim=True).sqrt()
    return q @ k.transpose(-1, -2) / math.sqrt(d)

# answer: my_sink_weights | right | sink as one more column, softmax, column dropped
def my_sink_weights(scores, sink):
    b, h, n, m = scores.shape
    column = sink.view(1, h, 1, 1).expand(b, h, n, 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :m]

# answer: my_sink_weights | right | logsumexp and logaddexp
def my_sink_weights(scores, sink):
    total = torch.logaddexp(torch.logsumexp(scores, dim=-1), sink[None, :, None])
    return torch.exp(scores - total[..., None])

# answer: my_sink_weights | right | by hand, a loop over heads, largest number taken off
def my_sink_weights(scores, sink):
    out = torch.zeros_like(scores)
    for head in range(scores.shape[1]):
        s = scores[:, head]
        top = torch.maximum(s.amax(dim=-1, keepdim=True), sink[head])
        e = torch.exp(s - top)
        out[:, head] = e / (e.sum(dim=-1, keepdim=True) + torch.exp(sink[head] - top))
    return out

# answer: my_sink_weights | wrong | plain exponentials, nan for large scores | The result contains NaN
def my_sink_weights(scores, sink):
    e = torch.exp(scores)
    return e / (torch.exp(sink)[None, :, None, None] + e.sum(dim=-1, keepdim=True))

# answer: my_sink_weights | wrong | softmax times a sigmoid, nan in rows where all is masked | The result contains NaN
def my_sink_weights(scores, sink):
    lse = torch.logsumexp(scores, dim=-1, keepdim=True)
    return torch.softmax(scores, dim=-1) * torch.sigmoid(lse - sink.view(1, -1, 1, 1))

# answer: my_sink_weights | wrong | sink of the first head for all heads | Your sinks have one score in
def my_sink_weights(scores, sink):
    column = torch.full_like(scores[..., :1], float(sink[0]))
    return torch.cat([column, scores], dim=-1).softmax(dim=-1)[..., 1:]

# answer: my_sink_weights | wrong | the sink's column is not dropped | Your result has m + 1
def my_sink_weights(scores, sink):
    b, h, n, m = scores.shape
    column = sink.reshape(1, h, 1, 1).expand(b, h, n, 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)

# answer: my_sink_weights | wrong | sink put last, but the first column dropped | You drop the first key's weight
def my_sink_weights(scores, sink):
    b, h, n, m = scores.shape
    column = sink.reshape(1, h, 1, 1).expand(b, h, n, 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., 1:]

# answer: my_sink_weights | wrong | sink added to the scores (softmax does not feel it) | Your result is what comes out
def my_sink_weights(scores, sink):
    return torch.softmax(scores + sink[None, :, None, None], dim=-1)

# answer: my_sink_weights | wrong | sink taken for a gate: softmax times 1 - sigmoid(sink) | You take a fixed share, sigmoid(sink)
def my_sink_weights(scores, sink):
    return torch.softmax(scores, dim=-1) * (1 - torch.sigmoid(sink))[None, :, None, None]

# answer: my_seen | right | a loop
def my_seen(layer, t, window, every):
    full = (layer + 1) % every == 0
    seen = []
    for j in range(t + 1):
        seen.append(full or t - j < window)
    return torch.tensor(seen)

# answer: my_seen | right | arange and a comparison
def my_seen(layer, t, window, every):
    if layer % every == every - 1:
        return torch.ones(t + 1, dtype=torch.bool)
    return torch.arange(t + 1) > t - window

# answer: my_seen | wrong | window 1 makes a slice from -0, which is everything | In layer 9 (one layer in
def my_seen(layer, t, window, every):
    past = torch.zeros(t, dtype=torch.bool)
    if (layer + 1) % every == 0:
        past[:] = True
    else:
        past[-(window - 1):] = True
    return torch.cat([past, torch.tensor([True])])

# answer: my_seen | wrong | start of the window negative when t + 1 < window | In layer 0 (one layer in
def my_seen(layer, t, window, every):
    seen = torch.zeros(t + 1, dtype=torch.bool)
    start = 0 if (layer + 1) % every == 0 else t + 1 - window
    seen[start:] = True
    return seen

# answer: my_seen | wrong | only the first two full layers are known | In layer 8 (one layer in
def my_seen(layer, t, window, every):
    seen = torch.ones(t + 1, dtype=torch.bool)
    if layer not in (every - 1, 2 * every - 1):
        seen[:max(0, t + 1 - window)] = False
    return seen

# answer: my_seen | wrong | one token too many in the window | Your window has one token too
def my_seen(layer, t, window, every):
    if (layer + 1) % every == 0:
        return torch.ones(t + 1).bool()
    return t - torch.arange(t + 1) <= window

# answer: my_seen | wrong | counts layers from 1: layer 0, 4, 8 see all | You begin with a layer that
def my_seen(layer, t, window, every):
    if layer % every == 0:
        return torch.ones(t + 1, dtype=torch.bool)
    return t - torch.arange(t + 1) < window

# answer: my_seen | wrong | whole numbers 0 and 1 instead of bools | The right cells, but as numbers
def my_seen(layer, t, window, every):
    seen = torch.ones(t + 1, dtype=torch.long)
    if (layer + 1) % every != 0:
        seen[:max(0, t + 1 - window)] = 0
    return seen

# answer: my_seen | wrong | only t entries, token t itself is left out | Your result leaves out token t
def my_seen(layer, t, window, every):
    j = torch.arange(t)
    if (layer + 1) % every == 0:
        return j >= 0
    return j > t - window

# answer: my_seen | wrong | takes the window for fixed blocks, side by side | In layer 2 (one layer in
def my_seen(layer, t, window, every):
    j = torch.arange(t + 1)
    if (layer + 1) % every == 0:
        return j >= 0
    return j // window == t // window

# answer: my_whole_norm | right | rms_norm, view, transpose
def my_whole_norm(queries, weight, num_heads):
    b, n, width = queries.shape
    normed = torch.nn.functional.rms_norm(queries, (width,), weight, eps=0.0)
    return normed.view(b, n, num_heads, width // num_heads).transpose(1, 2)

# answer: my_whole_norm | right | chunk and stack
def my_whole_norm(queries, weight, num_heads):
    root = torch.sqrt(torch.mean(queries * queries, dim=2, keepdim=True))
    normed = queries / root * weight
    return torch.stack(normed.chunk(num_heads, dim=-1), dim=1)

# answer: my_whole_norm | right | loops over batch, tokens and heads
def my_whole_norm(queries, weight, num_heads):
    b, n, width = queries.shape
    d = width // num_heads
    out = queries.new_zeros(b, num_heads, n, d)
    for i in range(b):
        for t in range(n):
            x = queries[i, t]
            x = x / (x.dot(x) / width) ** 0.5 * weight
            for h in range(num_heads):
                out[i, h, t] = x[h * d:(h + 1) * d]
    return out

# answer: my_whole_norm | wrong | the mean runs over the batch as well, right for one batch only | You take one mean over the
def my_whole_norm(queries, weight, num_heads):
    b, n, width = queries.shape
    root = queries.pow(2).mean(dim=(0, 2), keepdim=True).sqrt()
    return (queries / root * weight).reshape(b, n, num_heads, -1).permute(0, 2, 1, 3)

# answer: my_whole_norm | wrong | viewed as (batch, heads, n, d) without a transpose: numbers of tokens  | You reshape (batch, n, heads *
def my_whole_norm(queries, weight, num_heads):
    b, n, width = queries.shape
    root = (queries ** 2).mean(-1, keepdim=True) ** 0.5
    return (queries / root * weight).view(b, num_heads, n, width // num_heads)

# answer: my_whole_norm | wrong | transpose forgotten, (batch, n, heads, d) | Your result is (batch, n, heads
def my_whole_norm(queries, weight, num_heads):
    b, n, width = queries.shape
    root = (queries ** 2).mean(-1, keepdim=True) ** 0.5
    return (queries / root * weight).view(b, n, num_heads, width // num_heads)

# answer: my_whole_norm | wrong | norm of each head by itself | You norm each head by itself
def my_whole_norm(queries, weight, num_heads):
    b, n, width = queries.shape
    x = queries.view(b, n, num_heads, -1)
    x = x / x.pow(2).mean(-1, keepdim=True).sqrt()
    return (x * weight.view(num_heads, -1)).transpose(1, 2)

# answer: my_whole_norm | wrong | LayerNorm instead of RMSNorm | You take the mean off first
def my_whole_norm(queries, weight, num_heads):
    b, n, width = queries.shape
    x = torch.nn.functional.layer_norm(queries, (width,), weight, eps=1e-12)
    return x.view(b, n, num_heads, -1).transpose(1, 2)

# answer: my_whole_norm | wrong | weight first, norm afterwards | You multiply by the weight first
def my_whole_norm(queries, weight, num_heads):
    b, n, width = queries.shape
    x = queries * weight
    x = x / x.pow(2).mean(-1, keepdim=True).sqrt()
    return x.view(b, n, num_heads, -1).transpose(1, 2)

# answer: my_sink_attention | right | one more key with a value of 0
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    s = scores.masked_fill(~mask, float("-inf"))
    s = torch.cat([sink.view(1, h, 1, 1).expand(b, h, n, 1), s], dim=-1)
    v = torch.cat([torch.zeros_like(values[:, :, :1]), values], dim=2)
    return torch.softmax(s, dim=-1) @ v

# answer: my_sink_attention | right | logaddexp and einsum
def my_sink_attention(scores, values, mask, sink):
    s = torch.where(mask, scores, -torch.inf)
    total = torch.logaddexp(s.logsumexp(-1), sink[None, :, None])
    return torch.einsum("bhnm,bhmv->bhnv", (s - total.unsqueeze(-1)).exp(), values)

# answer: my_sink_attention | wrong | nan where no key is allowed (softmax without the sink, then a factor) | The result contains NaN
def my_sink_attention(scores, values, mask, sink):
    s = scores.masked_fill(~mask, float("-inf"))
    share = torch.sigmoid(s.logsumexp(-1, keepdim=True) - sink.view(1, -1, 1, 1))
    return share * (torch.softmax(s, dim=-1) @ values)

# answer: my_sink_attention | wrong | a query with no key reads the average of the values instead of 0 | A query without any key reads
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    s = scores.masked_fill(~mask, float("-inf"))
    s = torch.cat([s, sink.view(1, h, 1, 1).expand(b, h, n, 1)], dim=-1)
    out = torch.softmax(s, dim=-1)[..., :m] @ values
    return torch.where(mask.any(dim=-1, keepdim=True), out, values.mean(dim=2, keepdim=True))

# answer: my_sink_attention | wrong | mask of the first batch for all | You use the first sentence's mask
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    s = scores.masked_fill(~mask[0], float("-inf"))
    s = torch.cat([s, sink.view(1, h, 1, 1).expand(b, h, n, 1)], dim=-1)
    return torch.softmax(s, dim=-1)[..., :m] @ values

# answer: my_sink_attention | wrong | mask the wrong way round | The mask is inverted: in this
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    s = scores.masked_fill(mask, float("-inf"))
    s = torch.cat([s, sink.view(1, h, 1, 1).expand(b, h, n, 1)], dim=-1)
    return torch.softmax(s, dim=-1)[..., :-1] @ values

# answer: my_sink_attention | wrong | layout (batch, n, heads, v) | Your result is (batch, n, heads
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    s = scores.masked_fill(~mask, float("-inf"))
    s = torch.cat([s, sink.view(1, h, 1, 1).expand(b, h, n, 1)], dim=-1)
    return (torch.softmax(s, dim=-1)[..., :-1] @ values).transpose(1, 2)

# answer: my_sink_attention | wrong | mask after the softmax | You mask after the softmax, when
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    s = torch.cat([scores, sink.view(1, h, 1, 1).expand(b, h, n, 1)], dim=-1)
    weights = torch.softmax(s, dim=-1)[..., :m] * mask
    return weights @ values

# answer: my_sink_attention | wrong | sink added to the scores, empty rows set to 0 | Your result is what comes out
def my_sink_attention(scores, values, mask, sink):
    s = (scores + sink.view(1, -1, 1, 1)).masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(torch.softmax(s, dim=-1)) @ values

# answer: my_sink_attention | wrong | weights without the sink are made to sum to 1 again | Your result is what comes out
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    s = scores.masked_fill(~mask, float("-inf"))
    s = torch.cat([s, sink.view(1, h, 1, 1).expand(b, h, n, 1)], dim=-1)
    w = torch.softmax(s, dim=-1)[..., :m]
    w = w / w.sum(dim=-1, keepdim=True).clamp(min=1e-30)
    return w @ values

# answer: my_held | right | arange and a comparison
def my_held(layer, t, window, every):
    j = torch.arange(t)
    if (layer + 1) % every == 0:
        return j >= 0
    return j >= t - window + 1

# answer: my_held | right | a loop, what token t sees
def my_held(layer, t, window, every):
    held = torch.zeros(t, dtype=torch.bool)
    for j in range(t):
        if layer % every == every - 1:
            held[j] = True
        elif t - j < window:
            held[j] = True
    return held

# answer: my_held | right | two pieces put together
def my_held(layer, t, window, every):
    kept = t if (layer + 1) % every == 0 else min(t, window - 1)
    return torch.cat([torch.zeros(t - kept), torch.ones(kept)]) > 0

# answer: my_held | wrong | window 1 holds everything (slice from -0) | With a window of 1 you
def my_held(layer, t, window, every):
    if (layer + 1) % every == 0:
        return torch.ones(t, dtype=torch.bool)
    held = torch.zeros(t, dtype=torch.bool)
    held[-(window - 1):] = True
    return held

# answer: my_held | wrong | with t = 0 the empty list becomes floats | The right cells, but as numbers
def my_held(layer, t, window, every):
    full = (layer + 1) % every == 0
    return torch.tensor([full or j > t - window for j in range(t)])

# answer: my_held | wrong | one token too many: the last `window` tokens, token t forgotten | You hold one too many: the
def my_held(layer, t, window, every):
    j = torch.arange(t)
    if (layer + 1) % every == 0:
        return torch.ones_like(j, dtype=torch.bool)
    return j >= t - window

# answer: my_held | wrong | layers counted wrongly, 0, 4, 8 hold all | You begin with a layer that
def my_held(layer, t, window, every):
    j = torch.arange(t)
    if layer % every == 0:
        return torch.ones_like(j, dtype=torch.bool)
    return j > t - window

# answer: my_held | wrong | thinks that every layer holds everything, the mask does the rest | Your layers hold everything, also those
def my_held(layer, t, window, every):
    return torch.ones(t, dtype=torch.bool)

# answer: my_held | wrong | thinks that windows of stacked layers add up in the cache | You hold more in later layers
def my_held(layer, t, window, every):
    if (layer + 1) % every == 0:
        return torch.ones(t, dtype=torch.bool)
    reach = (layer % every + 1) * (window - 1)
    return torch.arange(t) >= t - reach

# answer: my_held | wrong | holds the first token too, for the heads that use it as a sink | You hold the first token as
def my_held(layer, t, window, every):
    j = torch.arange(t)
    if (layer + 1) % every == 0:
        return j >= 0
    return (j > t - window) | (j == 0)

# answer: my_softcap | right | the derivative by hand
def my_softcap(scores, cap):
    y = torch.tanh(scores / cap)
    return cap * y, 1 - y ** 2

# answer: my_softcap | wrong | slope cut to 0 as soon as the score is beyond the cap | Your slope is 0 beyond the
def my_softcap(scores, cap):
    y = torch.tanh(scores / cap)
    slope = torch.where(scores.abs() > cap, torch.zeros_like(scores), 1 - y ** 2)
    return cap * y, slope

# answer: my_softcap | wrong | slope times cap, the inner derivative 1 / cap forgotten | Your slope is cap times too
def my_softcap(scores, cap):
    y = torch.tanh(scores / cap)
    return cap * y, cap * (1 - y ** 2)

# answer: my_softcap | wrong | slope with the capped score instead of the tanh: 1 - (cap tanh)^2 | Your slope squares the capped score
def my_softcap(scores, cap):
    capped = cap * torch.tanh(scores / cap)
    return capped, 1 - capped ** 2

# answer: my_softcap | wrong | clamp instead of tanh | You cut the scores off at
def my_softcap(scores, cap):
    capped = scores.clamp(-cap, cap)
    return capped, (scores.abs() < cap).to(scores.dtype)

# answer: my_softcap | wrong | another soft cap: x / (1 + x / cap) | You bend with x / (1
def my_softcap(scores, cap):
    low = 1 + scores.abs() / cap
    return scores / low, 1 / low ** 2

# answer: my_softcap | wrong | takes slope for the share that is left: capped / score | Your slope is the capped score
def my_softcap(scores, cap):
    capped = cap * torch.tanh(scores / cap)
    return capped, torch.where(scores == 0, torch.ones_like(scores), capped / scores)

# answer: my_softcap | wrong | score not divided by the cap inside the tanh | those of two together
def my_softcap(scores, cap):
    y = torch.tanh(scores)
    return cap * y, cap * (1 - y ** 2)

# answer: my_parts | right | dict.get with defaults
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    key_heads = config.get("num_key_value_heads", heads)
    window = None
    if "layer_types" in config and config["layer_types"][layer] == "sliding_attention":
        window = config.get("sliding_window")
    turned = int(head_dim * config.get("partial_rotary_factor", 1.0))
    every = config.get("no_rope_layer_interval")
    if every is not None and (layer + 1) % every == 0:
        turned = 0
    return head_dim, key_heads, window, turned

# answer: my_parts | right | plain ifs
def my_parts(config, layer):
    if "head_dim" in config:
        size = config["head_dim"]
    else:
        size = config["hidden_size"] // config["num_attention_heads"]
    if "num_key_value_heads" in config:
        kv = config["num_key_value_heads"]
    else:
        kv = config["num_attention_heads"]
    if "sliding_window" in config and "layer_types" in config:
        window = config["sliding_window"] if config["layer_types"][layer] == "sliding_attention" else None
    else:
        window = None
    if "no_rope_layer_interval" in config and layer % config["no_rope_layer_interval"] == config["no_rope_layer_interval"] - 1:
        turned = 0
    elif "partial_rotary_factor" in config:
        turned = round(size * config["partial_rotary_factor"])
    else:
        turned = size
    return size, kv, window, turned

# answer: my_parts | right | defaults filled in with a merged dict (null counts as missing)
def my_parts(config, layer):
    heads, layers = config["num_attention_heads"], config["num_hidden_layers"]
    full = {
        "num_key_value_heads": heads,
        "head_dim": config["hidden_size"] // heads,
        "sliding_window": None,
        "layer_types": ["full_attention"] * layers,
        "partial_rotary_factor": 1.0,
        "no_rope_layer_interval": layers + 1,
    }
    full.update({name: value for name, value in config.items() if value is not None})
    sliding = full["layer_types"][layer] == "sliding_attention"
    turns = (layer + 1) % full["no_rope_layer_interval"] != 0
    return (full["head_dim"], full["num_key_value_heads"],
            full["sliding_window"] if sliding else None,
            int(full["head_dim"] * full["partial_rotary_factor"]) if turns else 0)

# answer: my_parts | wrong | stops with a KeyError when layer_types is missing | key is not in the dictionary
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    window = config.get("sliding_window") if config["layer_types"][layer] == "sliding_attention" else None
    turned = int(head_dim * config.get("partial_rotary_factor", 1.0))
    every = config.get("no_rope_layer_interval")
    if every and (layer + 1) % every == 0:
        turned = 0
    return head_dim, config.get("num_key_value_heads", heads), window, turned

# answer: my_parts | wrong | turned numbers from hidden_size / heads even where head_dim is given | Your turned numbers come from hidden_size
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    usual = config["hidden_size"] // heads
    types = config.get("layer_types")
    window = config.get("sliding_window") if types and types[layer] == "sliding_attention" else None
    turned = int(usual * config.get("partial_rotary_factor", 1.0))
    every = config.get("no_rope_layer_interval")
    if every and (layer + 1) % every == 0:
        turned = 0
    return config.get("head_dim", usual), config.get("num_key_value_heads", heads), window, turned

# answer: my_parts | wrong | the first of each interval turns nothing, not the last | You begin with a layer that
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    types = config.get("layer_types")
    window = config.get("sliding_window") if types and types[layer] == "sliding_attention" else None
    turned = int(head_dim * config.get("partial_rotary_factor", 1.0))
    every = config.get("no_rope_layer_interval")
    if every and layer % every == 0:
        turned = 0
    return head_dim, config.get("num_key_value_heads", heads), window, turned

# answer: my_parts | wrong | one key head when num_key_value_heads is missing | Where num_key_value_heads is missing, there are
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    types = config.get("layer_types")
    window = config.get("sliding_window") if types and types[layer] == "sliding_attention" else None
    turned = int(head_dim * config.get("partial_rotary_factor", 1.0))
    every = config.get("no_rope_layer_interval")
    if every and (layer + 1) % every == 0:
        turned = 0
    return head_dim, config.get("num_key_value_heads", 1), window, turned

# answer: my_parts | wrong | gives the share that is turned, not how many numbers | Yours is the share. How many
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    types = config.get("layer_types")
    window = config.get("sliding_window") if types and types[layer] == "sliding_attention" else None
    share = config.get("partial_rotary_factor", 1.0)
    every = config.get("no_rope_layer_interval")
    if every and (layer + 1) % every == 0:
        share = 0.0
    return head_dim, config.get("num_key_value_heads", heads), window, share

# answer: my_parts | wrong | believes that a head is always hidden_size / heads | You always divide hidden_size by the
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    head_dim = config["hidden_size"] // heads
    types = config.get("layer_types")
    window = config.get("sliding_window") if types and types[layer] == "sliding_attention" else None
    turned = int(head_dim * config.get("partial_rotary_factor", 1.0))
    every = config.get("no_rope_layer_interval")
    if every and (layer + 1) % every == 0:
        turned = 0
    return head_dim, config.get("num_key_value_heads", heads), window, turned

# answer: my_parts | wrong | believes that the interval says which layers DO turn | The two kinds of layers are
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    types = config.get("layer_types")
    window = config.get("sliding_window") if types and types[layer] == "sliding_attention" else None
    turned = int(head_dim * config.get("partial_rotary_factor", 1.0))
    every = config.get("no_rope_layer_interval")
    if every and (layer + 1) % every != 0:
        turned = 0
    return head_dim, config.get("num_key_value_heads", heads), window, turned

# answer: my_normed_scores | right | einsum and torch's own rms_norm
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.shape[-1]
    q = torch.nn.functional.rms_norm(queries, (d,), query_weight)
    k = torch.nn.functional.rms_norm(keys, (d,), key_weight)
    return torch.einsum("bhnd,bhmd->bhnm", q, k) / d ** 0.5

# answer: my_normed_scores | right | cosines of the raw vectors with both weights in one factor; the two ro
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = queries.size(-1)
    both = (queries * (query_weight * key_weight)) @ keys.transpose(-2, -1)
    lengths = queries.norm(dim=-1).unsqueeze(-1) * keys.norm(dim=-1).unsqueeze(-2)
    return math.sqrt(d) * both / lengths

# answer: my_normed_scores | wrong | from Keras, its layer's default epsilon of 1e-3 under the root, which  | Nearly: no number is off by
def my_normed_scores(queries, keys, query_weight, key_weight, epsilon=1e-3):
    def norm(x, w):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + epsilon) * w
    d = queries.shape[-1]
    return norm(queries, query_weight) @ norm(keys, key_weight).mT / d ** 0.5

# answer: my_normed_scores | wrong | reads "all heads share them" as sharing the root too: the mean of squa | You take one mean over all
def my_normed_scores(queries, keys, query_weight, key_weight):
    q = queries / queries.pow(2).mean(dim=(1, 3), keepdim=True).sqrt() * query_weight
    k = keys / keys.pow(2).mean(dim=(1, 3), keepdim=True).sqrt() * key_weight
    return q @ k.transpose(-1, -2) / math.sqrt(queries.shape[-1])

# answer: my_normed_scores | wrong | counts d by len() as in nested lists, one level too early: it gets n,  | In this case your numbers are
def my_normed_scores(queries, keys, query_weight, key_weight):
    d = len(queries[0][0])
    rq = torch.sqrt((queries ** 2).mean(-1, keepdim=True))
    rk = torch.sqrt((keys ** 2).mean(-1, keepdim=True))
    q = queries / rq * query_weight
    k = keys / rk * key_weight
    return torch.matmul(q, k.permute(0, 1, 3, 2)) / math.sqrt(d)

# answer: my_normed_scores | wrong | believes that normed vectors have length 1 already, "so sqrt(d) is no  | The scores are not scaled: divide
def my_normed_scores(queries, keys, query_weight, key_weight):
    q = queries * (queries ** 2).mean(-1, keepdim=True) ** -0.5 * query_weight
    k = keys * (keys ** 2).mean(-1, keepdim=True) ** -0.5 * key_weight
    return torch.einsum("bhqd,bhkd->bhqk", q, k)

# answer: my_sink_weights | right | a column appended, softmax, column dropped
def my_sink_weights(scores, sink):
    b, h, n, m = scores.shape
    column = sink.reshape(1, h, 1, 1).expand(b, h, n, 1)
    return torch.cat([scores, column], dim=-1).softmax(dim=-1)[..., :m]

# answer: my_sink_weights | right | no softmax call: minus the log of the whole denominator, by logaddexp
def my_sink_weights(scores, sink):
    real = torch.logsumexp(scores, dim=-1, keepdim=True)
    total = torch.logaddexp(real, sink[:, None, None])
    return torch.exp(scores - total)

# answer: my_sink_weights | wrong | softmax times a gate sigmoid(logsumexp - sink), equal to the formula b | The result contains NaN
def my_sink_weights(scores, sink):
    lse = scores.logsumexp(dim=-1, keepdim=True)
    gate = torch.sigmoid(lse - sink.view(1, -1, 1, 1))
    return scores.softmax(dim=-1) * gate

# answer: my_sink_weights | wrong | takes the lesson-10 sense of the word: adds the sink to the score of t | In this case your numbers are
def my_sink_weights(scores, sink):
    scores = scores.clone()
    scores[..., 0] = scores[..., 0] + sink[:, None]
    return scores.softmax(-1)

# answer: my_sink_weights | wrong | "weights must sum to 1": renormalises after the sink's column is cut o | Your result is what comes out
def my_sink_weights(scores, sink):
    b, h, n, m = scores.shape
    s = torch.cat([scores, sink[None, :, None, None].expand(b, h, n, 1)], -1)
    w = torch.softmax(s, -1)[..., :m]
    return w / w.sum(-1, keepdim=True).clamp(min=1e-9)

# answer: my_sink_weights | wrong | the sink goes in front, but the column cut off is the last one | You put the sink before the
def my_sink_weights(scores, sink):
    b, h, n, m = scores.shape
    front = torch.ones(b, h, n, 1) * sink.view(h, 1, 1)
    w = torch.cat([front, scores], dim=-1).softmax(dim=-1)
    return w[..., :-1]

# answer: my_seen | right | writes True into the last places, by a slice from the end
def my_seen(layer, t, window, every):
    seen = torch.zeros(t + 1, dtype=torch.bool)
    if layer % every == every - 1:
        seen[:] = True
    else:
        seen[-window:] = True
    return seen

# answer: my_seen | wrong | the slice starts at t - window + 1 without a floor of 0; while the win | In layer 0 (one layer in
def my_seen(layer, t, window, every):
    if (layer + 1) % every == 0:
        return torch.ones(t + 1, dtype=torch.bool)
    seen = torch.zeros(t + 1).bool()
    seen[t - window + 1:] = True
    return seen

# answer: my_seen | wrong | only the first of the full layers is found (layer == every - 1), 7 and | In your result one layer alone
def my_seen(layer, t, window, every):
    tokens = torch.arange(t + 1)
    if layer == every - 1:
        return tokens <= t
    return t - tokens < window

# answer: my_seen | wrong | multiplies ones by a condition, as masks in Keras: floats come back, n | The right cells, but as numbers
def my_seen(layer, t, window, every):
    pos = torch.arange(t + 1)
    full = (layer + 1) % every == 0
    return torch.ones(t + 1) * (full | (pos > t - window))

# answer: my_seen | wrong | takes the window as blocks: token t sees only the block of `window` to | In layer 2 (one layer in
def my_seen(layer, t, window, every):
    seen = []
    for j in range(t + 1):
        if (layer + 1) % every == 0:
            seen.append(True)
        else:
            seen.append(j // window == t // window)
    return torch.tensor(seen)

# answer: my_seen | wrong | confuses what a layer sees with what reaches it through the stack: eac | Your window grows from layer to
def my_seen(layer, t, window, every):
    reach = window + layer * (window - 1)
    j = torch.arange(t + 1)
    if (layer + 1) % every == 0:
        return torch.full((t + 1,), True)
    return j > t - reach

# answer: my_whole_norm | right | a list of chunks, stacked, with the norm by hand
def my_whole_norm(queries, weight, num_heads):
    root = (queries * queries).mean(dim=-1, keepdim=True).sqrt()
    normed = weight * queries / root
    return torch.stack(normed.chunk(num_heads, dim=-1), dim=1)

# answer: my_whole_norm | wrong | reads "all its squares" as the squares of all tokens: one root for the | You take one mean over all
def my_whole_norm(queries, weight, num_heads):
    b, n, width = queries.shape
    root = queries.flatten(1).square().mean(1).sqrt()
    out = queries / root[:, None, None] * weight
    return out.view(b, n, num_heads, width // num_heads).transpose(1, 2)

# answer: my_whole_norm | wrong | splits with d before heads, as if the heads were woven into each other | You split the last axis into
def my_whole_norm(queries, weight, num_heads):
    b, n, hd = queries.shape
    q = torch.nn.functional.rms_norm(queries, (hd,), weight)
    q = q.view(b, n, hd // num_heads, num_heads)
    return torch.einsum("bndh->bhnd", q)

# answer: my_whole_norm | wrong | after the split multiplies every head by the first d weights, since "a | You use the first d numbers
def my_whole_norm(queries, weight, num_heads):
    b, n, hd = queries.shape
    d = hd // num_heads
    rms = torch.sqrt(torch.mean(queries ** 2, dim=2, keepdim=True))
    q = (queries / rms).reshape(b, n, num_heads, d).permute(0, 2, 1, 3)
    return q * weight[:d]

# answer: my_sink_attention | right | a sink key with a zero value, appended to scores, mask and values
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    allowed = torch.nn.functional.pad(mask, (0, 1), value=True)
    s = torch.cat([scores, sink.view(1, h, 1, 1).expand(b, h, n, 1)], dim=-1)
    v = torch.nn.functional.pad(values, (0, 0, 0, 1))
    s = s.masked_fill(~allowed, float("-inf"))
    return s.softmax(dim=-1) @ v

# answer: my_sink_attention | right | by hand: shift by each row's maximum (sink included), exponentials, wh
def my_sink_attention(scores, values, mask, sink):
    s = torch.where(mask, scores, torch.tensor(-math.inf))
    z = sink[:, None, None]
    top = torch.maximum(s.amax(-1, keepdim=True), z)
    e = torch.exp(s - top)
    below = e.sum(-1, keepdim=True) + torch.exp(z - top)
    return torch.einsum("bhnm,bhmv->bhnv", e / below, values)

# answer: my_sink_attention | wrong | queries without an allowed key get the mean of all values in place of  | A query without any key reads
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    s = scores.masked_fill(mask == False, -math.inf)
    s = torch.cat([s, sink.view(1, h, 1, 1).expand(b, h, n, 1)], -1)
    out = s.softmax(-1)[..., :m] @ values
    nothing = ~mask.any(dim=-1, keepdim=True)
    return torch.where(nothing, values.mean(dim=2, keepdim=True), out)

# answer: my_sink_attention | wrong | forgets that F.pad fills with False: the sink itself is masked for all | Your result is what comes out
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    mask = torch.nn.functional.pad(mask, (0, 1))
    s = torch.cat([scores, sink.reshape(1, h, 1, 1).expand(b, h, n, 1)], dim=-1)
    w = s.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num()
    return w[..., :-1] @ values

# answer: my_sink_attention | wrong | adds the mask of bools to the scores: allowed keys get 1 more, forbidd | You add the mask to the
def my_sink_attention(scores, values, mask, sink):
    b, h, n, m = scores.shape
    s = scores + mask
    s = torch.cat([s, sink[None, :, None, None].repeat(b, 1, n, 1)], dim=-1)
    w = torch.softmax(s, dim=-1)
    return torch.matmul(w[..., :m], values)

# answer: my_sink_attention | wrong | believes the sink is only there for queries without a key (they get ze | Your result is what comes out
def my_sink_attention(scores, values, mask, sink):
    w = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    has_key = mask.any(dim=-1, keepdim=True)
    return torch.where(has_key, w @ values, torch.zeros(()))

# answer: my_sink_attention | wrong | masks the weights after the softmax: forbidden keys take their share i | You mask after the softmax, when
def my_sink_attention(scores, values, mask, sink):
    heads = []
    for i in range(len(sink)):
        s = scores[:, i]
        col = torch.full(s.shape[:-1] + (1,), float(sink[i]))
        w = torch.cat([s, col], dim=-1).softmax(-1)[..., :-1]
        heads.append((w * mask[:, 0]) @ values[:, i])
    return torch.stack(heads, dim=1)

# answer: my_held | right | two pieces put together: as many False as have left the window, then T
def my_held(layer, t, window, every):
    gone = 0 if (layer + 1) % every == 0 else max(0, t - window + 1)
    return torch.cat([torch.zeros(gone, dtype=torch.bool), torch.ones(t - gone, dtype=torch.bool)])

# answer: my_held | wrong | slice of the last window - 1; with a window of 1 that is [-0:], all to | With a window of 1 you
def my_held(layer, t, window, every):
    held = torch.zeros(t, dtype=torch.bool)
    if layer % every == every - 1:
        held[:] = True
    else:
        held[-(window - 1):] = True
    return held

# answer: my_held | wrong | a list of bools made to a tensor without a dtype: for t = 0 an empty t | The right cells, but as numbers
def my_held(layer, t, window, every):
    full = (layer + 1) % every == 0
    return torch.tensor([full or j > t - window for j in range(t)])

# answer: my_held | wrong | asks what the last stored token t - 1 sees, not what token t will see: | You hold one too many: the
def my_held(layer, t, window, every):
    j = torch.arange(t)
    last = t - 1
    if (layer + 1) % every == 0:
        return j <= last
    return (j <= last) & (last - j < window)

# answer: my_held | wrong | believes that once a full layer has been passed, all layers from there | All your layers from number every
def my_held(layer, t, window, every):
    if layer >= every - 1:
        return torch.ones(t, dtype=torch.bool)
    return torch.arange(t) > t - window

# answer: my_softcap | right | one over cosh squared, for the slope
def my_softcap(scores, cap):
    x = scores / cap
    return cap * x.tanh(), 1 / torch.cosh(x) ** 2

# answer: my_softcap | wrong | knows "1 minus output squared" by heart and puts the capped score in,  | Your slope squares the capped score
def my_softcap(scores, cap):
    out = cap * torch.tanh(scores / cap)
    return out, 1 - out ** 2

# answer: my_softcap | wrong | autograd on the mean, as for a loss: each slope is divided by the numb | Your slopes are divided by how
def my_softcap(scores, cap):
    s = scores.detach().clone().requires_grad_(True)
    capped = cap * torch.tanh(s / cap)
    capped.mean().backward()
    return capped.detach(), s.grad

# answer: my_softcap | wrong | takes slope as the ratio of capped score to score: the line from zero, | Your slope is the capped score
def my_softcap(scores, cap):
    capped = torch.tanh(scores / cap) * cap
    slopes = capped / scores
    return capped, slopes

# answer: my_parts | right | get with defaults, step by step
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    kv = config.get("num_key_value_heads", heads)
    window = None
    if "layer_types" in config and config["layer_types"][layer] == "sliding_attention":
        window = config["sliding_window"]
    turned = int(head_dim * config.get("partial_rotary_factor", 1.0))
    every = config.get("no_rope_layer_interval")
    if every is not None and (layer + 1) % every == 0:
        turned = 0
    return head_dim, kv, window, turned

# answer: my_parts | right | defaults laid under the dict, all layers filled in beforehand
def my_parts(config, layer):
    n = config["num_hidden_layers"]
    full = {
        "num_key_value_heads": config["num_attention_heads"],
        "head_dim": config["hidden_size"] // config["num_attention_heads"],
        "sliding_window": None,
        "layer_types": ["full_attention"] * n,
        "partial_rotary_factor": 1.0,
        "no_rope_layer_interval": n + 1,
    } | config
    windows = {"sliding_attention": full["sliding_window"], "full_attention": None}
    still = range(full["no_rope_layer_interval"] - 1, n, full["no_rope_layer_interval"])
    share = 0 if layer in still else full["partial_rotary_factor"]
    return (full["head_dim"], full["num_key_value_heads"],
            windows[full["layer_types"][layer]], round(full["head_dim"] * share))

# answer: my_parts | wrong | pops the entries, as Keras' from_config does: the caller's dict is emp | your function changes `config`
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    head_dim = config.pop("head_dim", config["hidden_size"] // heads)
    kv = config.pop("num_key_value_heads", heads)
    types = config.get("layer_types")
    window = config.get("sliding_window") if types and types[layer] == "sliding_attention" else None
    turned = int(config.pop("partial_rotary_factor", 1.0) * head_dim)
    k = config.get("no_rope_layer_interval")
    if k and (layer + 1) % k == 0:
        turned = 0
    return head_dim, kv, window, turned

# answer: my_parts | wrong | a default of 1 for no_rope_layer_interval, "the neutral number": witho | Where no_rope_layer_interval is missing, all layers
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    d = config.get("head_dim", config["hidden_size"] // heads)
    kv = config.get("num_key_value_heads", heads)
    types = config.get("layer_types", ["full_attention"] * config["num_hidden_layers"])
    window = config["sliding_window"] if types[layer] == "sliding_attention" else None
    if (layer + 1) % config.get("no_rope_layer_interval", 1) == 0:
        return d, kv, window, 0
    return d, kv, window, int(d * config.get("partial_rotary_factor", 1.0))

# answer: my_parts | wrong | divides the hidden size by the key heads, when head_dim is missing (ri | You divide hidden_size by the key
def my_parts(config, layer):
    kv = config.get("num_key_value_heads", config["num_attention_heads"])
    size = config.get("head_dim", config["hidden_size"] // kv)
    window = config.get("sliding_window")
    if config.get("layer_types", ["full_attention"] * (layer + 1))[layer] == "full_attention":
        window = None
    turned = int(size * config.get("partial_rotary_factor", 1.0))
    if "no_rope_layer_interval" in config and (layer + 1) % config["no_rope_layer_interval"] == 0:
        turned = 0
    return size, kv, window, turned

# answer: my_parts | wrong | counts turned pairs and not numbers: half as many | Yours is how many pairs are
def my_parts(config, layer):
    heads = config["num_attention_heads"]
    try:
        head_dim = config["head_dim"]
    except KeyError:
        head_dim = config["hidden_size"] // heads
    kv = config.get("num_key_value_heads", heads)
    window = None
    if config.get("layer_types") and config["layer_types"][layer].startswith("sliding"):
        window = config["sliding_window"]
    pairs = int(head_dim * config.get("partial_rotary_factor", 1.0)) // 2
    k = config.get("no_rope_layer_interval", 0)
    if k > 0 and (layer + 1) % k == 0:
        pairs = 0
    return head_dim, kv, window, pairs
