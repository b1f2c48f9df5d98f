"""Right and wrong answers to the exercises of lessons 01, 02, 03, written by hand from the exercises' texts."""

RIGHT = {
    "my_gaussian": [
        'def my_gaussian(u):\n    """exp(-u^2 / 2). Any shape -> same shape."""\n    return torch.exp(-(u**2) / 2)\n',
        "def my_gaussian(u):\n    return (-0.5 * u * u).exp()\n",
    ],
    "my_boxcar": [
        "def my_boxcar(u):\n    return (u.abs() <= 1).to(u.dtype)\n",
        "def my_boxcar(u):\n    inside = (u >= -1) & (u <= 1)\n    return torch.where(inside, torch.ones_like(u), torch.zeros_like(u))\n",
    ],
    "my_triangular": [
        "def my_triangular(u):\n    return (1 - u.abs()).clamp(min=0)\n",
        "def my_triangular(u):\n    return torch.relu(1 - torch.abs(u))\n",
    ],
    "my_epanechnikov": [
        "def my_epanechnikov(u):\n    return (1 - u**2).clamp(min=0)\n",
        "def my_epanechnikov(u):\n    out = 1 - u * u\n    return torch.where(u.abs() <= 1, out, torch.zeros_like(u))\n",
    ],
    "my_kernel_regression": [
        "def my_kernel_regression(queries, keys, values, bandwidth):\n"
        "    d2 = ((queries.unsqueeze(1) - keys.unsqueeze(0)) ** 2).sum(-1)\n"
        "    scores = -d2 / (2 * bandwidth**2)\n"
        "    return torch.softmax(scores, dim=-1) @ values\n",
    ],
    "my_best_bandwidth": [
        "def my_best_bandwidth(x, y, bandwidths):\n"
        "    d2 = (x.double().unsqueeze(1) - x.double()) ** 2\n"
        "    d2.fill_diagonal_(float('inf'))\n"
        "    d2 = d2 - d2.min(dim=1, keepdim=True).values  # nearest other point gets score 0\n"
        "    errors = []\n"
        "    for h in bandwidths.double():\n"
        "        w = torch.softmax(-(d2 / h) / h / 2, dim=1)\n"
        "        errors.append(((w @ y.double() - y.double()) ** 2).mean())\n"
        "    return bandwidths[torch.stack(errors).argmin()]\n",
    ],
    "my_boxcar_attention": [
        "def my_boxcar_attention(queries, keys, values, bandwidth):\n"
        "    near = ((queries.unsqueeze(1) - keys).abs() <= bandwidth).to(values.dtype)\n"
        "    return near @ values / near.sum(1).clamp(min=1)\n",
        "def my_boxcar_attention(queries, keys, values, bandwidth):\n"
        "    mask = (queries.unsqueeze(1) - keys).abs() <= bandwidth\n"
        "    scores = torch.zeros(mask.shape, dtype=values.dtype)\n"
        "    output, _ = attend(scores, values.unsqueeze(1), mask)\n"
        "    return output.squeeze(1)\n",
    ],
    "my_weights": [
        "def my_weights(scores):\n    return scores.softmax(dim=-1)\n",
        "def my_weights(scores):\n    e = (scores - scores.amax(-1, keepdim=True)).exp()\n    return e / e.sum(-1, keepdim=True)\n",
    ],
    "my_bilinear_scores": [
        "def my_bilinear_scores(queries, keys, W):\n    return queries @ W @ keys.transpose(-2, -1)\n",
    ],
    "my_distance_scores": [
        "def my_distance_scores(queries, keys):\n"
        "    qq = (queries**2).sum(-1, keepdim=True)\n"
        "    kk = (keys**2).sum(-1).unsqueeze(-2)\n"
        "    return queries @ keys.transpose(-2, -1) - (qq + kk) / 2\n",
    ],
    "my_additive_scores": [
        "def my_additive_scores(queries, keys, W_q, W_k, w_v):\n"
        "    q = (queries @ W_q.T).unsqueeze(-2)\n"
        "    k = (keys @ W_k.T).unsqueeze(-3)\n"
        "    return torch.tanh(q + k) @ w_v\n",
    ],
    "my_attention": [
        "def my_attention(queries, keys, values):\n"
        "    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5\n"
        "    return scores.softmax(-1) @ values\n",
    ],
    "my_dot_product_variance": [
        "def my_dot_product_variance(mean, std, size):\n    return size * (std**4 + 2 * mean**2 * std**2)\n",
        "def my_dot_product_variance(mean, std, size):\n    second = mean**2 + std**2\n    return size * (second**2 - mean**4)\n",
    ],
    "my_lookahead_mask": [
        "def my_lookahead_mask(num_steps, lookahead):\n    return torch.ones(num_steps, num_steps, dtype=torch.bool).tril(lookahead)\n",
        "def my_lookahead_mask(num_steps, lookahead):\n    i = torch.arange(num_steps)\n    return i <= i.unsqueeze(1) + lookahead\n",
    ],
    "my_padding_mask": [
        "def my_padding_mask(valid_lens, num_keys):\n"
        "    if valid_lens.dim() == 1:\n        valid_lens = valid_lens.unsqueeze(1)\n"
        "    return torch.arange(num_keys) < valid_lens.unsqueeze(-1)\n",
    ],
    "my_token_mask": [
        "def my_token_mask(query_mask, key_mask):\n    return query_mask.unsqueeze(2) & key_mask.unsqueeze(1)\n",
    ],
    "my_causal_padding_mask": [
        "def my_causal_padding_mask(valid_lens, num_steps):\n"
        "    j = torch.arange(num_steps)\n"
        "    return (j < valid_lens.view(-1, 1, 1)) & (j <= j.unsqueeze(1))\n",
    ],
    "my_masked_softmax": [
        "def my_masked_softmax(scores, mask):\n"
        "    mask = mask.expand_as(scores)\n"
        "    some = mask.any(-1, keepdim=True)\n"
        "    safe = scores.masked_fill(~mask, float('-inf'))\n"
        "    safe = torch.where(some, safe, torch.zeros_like(scores))\n"
        "    return torch.where(mask, safe.softmax(-1), torch.zeros_like(scores))\n",
    ],
    "my_leaks": [
        "def my_leaks(attention, queries, tokens, mask):\n    return (influence(attention, queries, tokens) > 1e-6) & ~mask\n",
        "def my_leaks(attention, queries, tokens, mask):\n"
        "    before = attention(queries, tokens)\n"
        "    moved = torch.zeros(len(queries), len(tokens), dtype=torch.bool)\n"
        "    for j in range(len(tokens)):\n"
        "        other = tokens.clone()\n"
        "        other[j] += torch.linspace(0.5, 1.5, tokens.shape[1])\n"
        "        moved[:, j] = (attention(queries, other) - before).abs().amax(-1) > 1e-6\n"
        "    return moved & ~mask\n",
    ],
}

WRONG = {
    "my_gaussian": ["def my_gaussian(u):\n    return torch.exp(-(u**2))\n", "def my_gaussian(u):\n    return torch.exp(u**2 / 2)\n"],
    "my_boxcar": ["def my_boxcar(u):\n    return (u.abs() < 1).to(u.dtype)\n", "def my_boxcar(u):\n    return (u <= 1).to(u.dtype)\n"],
    "my_triangular": ["def my_triangular(u):\n    return 1 - u.abs()\n", "def my_triangular(u):\n    return (1 - u).clamp(min=0)\n"],
    "my_epanechnikov": ["def my_epanechnikov(u):\n    return 1 - u**2\n", "def my_epanechnikov(u):\n    return 0.75 * (1 - u**2).clamp(min=0)\n"],
    "my_kernel_regression": [
        "def my_kernel_regression(queries, keys, values, bandwidth):\n"
        "    d2 = ((queries.unsqueeze(1) - keys) ** 2).sum(-1)\n"
        "    k = torch.exp(-d2 / (2 * bandwidth**2))\n"
        "    return k / k.sum(1, keepdim=True) @ values\n",
        "def my_kernel_regression(queries, keys, values, bandwidth):\n"
        "    d2 = ((queries.unsqueeze(1) - keys) ** 2).sum(-1)\n"
        "    return torch.softmax(-d2 / (2 * bandwidth**2), dim=0) @ values\n",
    ],
    "my_best_bandwidth": [
        "def my_best_bandwidth(x, y, bandwidths):\n"
        "    errors = []\n"
        "    for h in bandwidths:\n"
        "        w = torch.softmax(-((x.unsqueeze(1) - x) ** 2) / (2 * h**2), dim=1)\n"
        "        errors.append(((w @ y - y) ** 2).mean())\n"
        "    return bandwidths[torch.stack(errors).argmin()]\n",
    ],
    "my_boxcar_attention": [
        "def my_boxcar_attention(queries, keys, values, bandwidth):\n"
        "    near = ((queries.unsqueeze(1) - keys).abs() <= bandwidth).to(values.dtype)\n"
        "    return near @ values / near.sum(1)\n",
    ],
    "my_weights": ["def my_weights(scores):\n    return scores.softmax(dim=1)\n", "def my_weights(scores):\n    return scores.softmax(dim=-2)\n"],
    "my_bilinear_scores": ["def my_bilinear_scores(queries, keys, W):\n    return queries @ W.T @ keys.transpose(-2, -1)\n", "def my_bilinear_scores(queries, keys, W):\n    return queries @ W @ keys.T\n"],
    "my_distance_scores": [
        "def my_distance_scores(queries, keys):\n    return queries @ keys.transpose(-2, -1) - (queries**2).sum(-1, keepdim=True) / 2\n",
        "def my_distance_scores(queries, keys):\n    return -((queries.unsqueeze(-2) - keys.unsqueeze(-3)) ** 2).sum(-1)\n",
    ],
    "my_additive_scores": ["def my_additive_scores(queries, keys, W_q, W_k, w_v):\n    return ((queries @ W_q.T).unsqueeze(-2) + (keys @ W_k.T).unsqueeze(-3)) @ w_v\n"],
    "my_attention": [
        "def my_attention(queries, keys, values):\n    return (queries @ keys.transpose(-2, -1)).softmax(-1) @ values\n",
        "def my_attention(queries, keys, values):\n    return (queries @ keys.transpose(-2, -1) / queries.shape[-1]).softmax(-1) @ values\n",
    ],
    "my_dot_product_variance": ["def my_dot_product_variance(mean, std, size):\n    return size * std**4\n", "def my_dot_product_variance(mean, std, size):\n    return size * (std**4 + mean**2 * std**2)\n"],
    "my_lookahead_mask": ["def my_lookahead_mask(num_steps, lookahead):\n    return torch.ones(num_steps, num_steps, dtype=torch.bool).tril(-lookahead)\n", "def my_lookahead_mask(num_steps, lookahead):\n    return torch.ones(num_steps, num_steps, dtype=torch.bool).triu(lookahead)\n"],
    "my_padding_mask": ["def my_padding_mask(valid_lens, num_keys):\n    return torch.arange(num_keys) < valid_lens.unsqueeze(-1)\n", "def my_padding_mask(valid_lens, num_keys):\n    v = valid_lens.unsqueeze(-1)\n    v = v.unsqueeze(-1) if v.dim() == 2 else v\n    return torch.arange(num_keys) <= v\n"],
    "my_token_mask": ["def my_token_mask(query_mask, key_mask):\n    return query_mask.unsqueeze(2) | key_mask.unsqueeze(1)\n"],
    "my_causal_padding_mask": ["def my_causal_padding_mask(valid_lens, num_steps):\n    j = torch.arange(num_steps)\n    return (j < valid_lens.view(-1, 1, 1)) & (j < j.unsqueeze(1))\n"],
    "my_masked_softmax": ["def my_masked_softmax(scores, mask):\n    return scores.masked_fill(~mask, -1e6).softmax(-1)\n", "def my_masked_softmax(scores, mask):\n    return scores.masked_fill(~mask, float('-inf')).softmax(-1)\n"],
    "my_leaks": ["def my_leaks(attention, queries, tokens, mask):\n    return influence(attention, queries, tokens) > 1e-6\n", "def my_leaks(attention, queries, tokens, mask):\n    return (influence(attention, queries, tokens) > 1e-6) & mask\n"],
}
