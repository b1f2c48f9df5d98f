# answer: my_rows_test | right | allclose
def my_rows_test(attention, queries, keys, values, mask):
    weights = attention(queries, keys, values, mask)[1]
    return torch.allclose(weights.sum(-1), torch.tensor(1.0), atol=1e-5)

# answer: my_rows_test | wrong | exactly 1 | exactly 1
def my_rows_test(attention, queries, keys, values, mask):
    return bool((attention(queries, keys, values, mask)[1].sum(-1) == 1).all())

# answer: my_padding_test | right | masked_fill
def my_padding_test(attention, queries, keys, values, real):
    mask, pad = real[:, None, None, :], ~real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys.masked_fill(pad, 5.0), values.masked_fill(pad, -7.0), mask)
    return torch.allclose(before, after, atol=1e-5)

# answer: my_padding_test | wrong | weights alone | compare the weights
def my_padding_test(attention, queries, keys, values, real):
    mask, pad = real[:, None, None, :], ~real[:, None, :, None]
    _, before = attention(queries, keys, values, mask)
    _, after = attention(queries, keys.masked_fill(pad, 5.0), values.masked_fill(pad, -7.0), mask)
    return torch.allclose(before, after, atol=1e-5)

# answer: my_causal_test | right | one token changed at a time
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n).tril().bool()
    before = attention(queries, keys, values, mask)[0]
    for j in range(n):
        k, v = keys.clone(), values.clone()
        k[:, :, j] += 3
        v[:, :, j] -= 2
        after = attention(queries, k, v, mask)[0]
        if not torch.allclose(before[:, :, :j], after[:, :, :j], atol=1e-5):
            return False
    return True

# answer: my_causal_test | wrong | the last alone | the last token alone
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n).tril().bool()
    before = attention(queries, keys, values, mask)[0]
    k, v = keys.clone(), values.clone()
    k[:, :, -1], v[:, :, -1] = 4, 4
    return torch.allclose(before[:, :, :-1], attention(queries, k, v, mask)[0][:, :, :-1], atol=1e-5)

# answer: my_heads_test | right | each alone
def my_heads_test(attention):
    q, k, v = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.rand(2, 1, 4, 5) < 0.5
    mask[..., 0] = True
    whole = attention(q, k, v, mask)[0]
    for b in range(2):
        for h in range(3):
            q1, k1, v1 = (x[b : b + 1, h : h + 1] for x in (q, k, v))
            alone = attention(q1, k1, v1, mask[b : b + 1])[0]
            if not torch.allclose(whole[b, h], alone[0, 0], atol=1e-5):
                return False
    return True

# answer: my_heads_test | wrong | no mask | one that hides nothing
def my_heads_test(attention):
    q, k, v = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(2, 1, 4, 5).bool()
    whole = attention(q, k, v, mask)[0]
    for b in range(2):
        for h in range(3):
            q1, k1, v1 = (x[b : b + 1, h : h + 1] for x in (q, k, v))
            alone = attention(q1, k1, v1, mask[b : b + 1])[0]
            if not torch.allclose(whole[b, h], alone[0, 0], atol=1e-5):
                return False
    return True

# answer: my_cache_test | right | against attend
def my_cache_test(step):
    for _ in range(2):
        q, k, v = torch.randn(3, 2, 3, 9, 4)
        causal = torch.ones(9, 9).tril().bool()
        whole, _ = attend(q @ k.mT / 2, v, causal)
        cache, outputs = None, []
        for t in range(9):
            output, cache = step(q[:, :, t : t + 1], k[:, :, t : t + 1], v[:, :, t : t + 1], cache)
            outputs.append(output)
        if not torch.allclose(torch.cat(outputs, 2), whole, atol=1e-5):
            return False
    return True

# answer: my_cache_test | wrong | one text | one text
def my_cache_test(step):
    q, k, v = torch.randn(3, 2, 3, 9, 4)
    whole, _ = attend(q @ k.mT / 2, v, torch.ones(9, 9).tril().bool())
    cache, outputs = None, []
    for t in range(9):
        output, cache = step(q[:, :, t : t + 1], k[:, :, t : t + 1], v[:, :, t : t + 1], cache)
        outputs.append(output)
    return torch.allclose(torch.cat(outputs, 2), whole, atol=1e-5)

# answer: my_suite | right | a reference and three kinds of inputs
def my_suite(attention):
    for times, kind, close in ((1, torch.float32, 1e-5), (9, torch.float32, 1e-3), (1, torch.float64, 1e-8)):
        q, k, v = (times * torch.randn(2, 3, n, d, dtype=kind) for n, d in ((5, 4), (7, 4), (7, 3)))
        mask = torch.rand(2, 1, 5, 7) < 0.6
        mask[0, 0, 1] = False
        weights = (q @ k.mT / 2).masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
        for _ in range(2):
            made = attention(q, k, v, mask)
            for a, b in zip(made, (weights @ v, weights)):
                if a.dtype != kind or a.shape != b.shape or not torch.allclose(a, b, atol=close):
                    return False
    return True

# answer: my_suite | wrong | shapes | what a test of shapes finds
def my_suite(attention):
    q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 3)
    mask = torch.rand(2, 1, 5, 7) < 0.6
    output, weights = attention(q, k, v, mask)
    return output.shape == (2, 3, 5, 3) and weights.shape == (2, 3, 5, 7)
