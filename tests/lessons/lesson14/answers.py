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

# answer: my_sink_weights | right | a sigmoid
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
