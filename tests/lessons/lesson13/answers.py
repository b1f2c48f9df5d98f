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

# answer: my_suite | wrong | a reference and three kinds of inputs, no gradients | outputs and weights alone
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


# Written by somebody who knew the exercises alone, before the judge was tuned

# answer: my_rows_test | right | sums over the last axis, allclose with ones_like
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    sums = weights.float().sum(dim=-1)
    tolerance = 1e-4 if queries.dtype in (torch.float32, torch.float64) else 2e-2
    return torch.allclose(sums, torch.ones_like(sums), atol=tolerance, rtol=0)

# answer: my_rows_test | right | loops over every row, plain Python floats
def my_rows_test(attention, queries, keys, values, mask):
    output, weights = attention(queries, keys, values, mask)
    batch, heads, n, m = weights.shape
    for b in range(batch):
        for h in range(heads):
            for i in range(n):
                total = sum(weights[b, h, i].tolist())
                if not abs(total - 1) < 1e-4:
                    return False
    return True

# answer: my_rows_test | right | einsum and largest deviation
def my_rows_test(attention, queries, keys, values, mask):
    weights = attention(queries, keys, values, mask)[1].double()
    sums = torch.einsum("bhij->bhi", weights)
    return (sums - 1).abs().max().item() < 1e-4

# answer: my_rows_test | right | assert_close in try, returns False when it raises
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    sums = weights.double().sum(-1)
    try:
        torch.testing.assert_close(sums, torch.ones_like(sums), atol=1e-4, rtol=0)
    except AssertionError:
        return False
    return True

# answer: my_rows_test | wrong | a tolerance of 0.005, and a column of ones | Your tolerance is too generous: `adds_a_hair
def my_rows_test(attention, queries, keys, values, mask):
    _, w = attention(queries, keys, values, mask)
    ones = torch.ones(w.shape[-1], 1, dtype=torch.float64, device=w.device)
    row_sums = w.double() @ ones
    return bool(torch.isclose(row_sums, torch.ones_like(row_sums), atol=5e-3).all())

# answer: my_rows_test | wrong | compares floats with == : rounding makes right attentions fail; allow a tolerance | You ask for exactly 1, or
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    return bool((weights.sum(dim=-1) == 1).all())

# answer: my_rows_test | wrong | sums over the queries (dim=-2) instead of over the keys (dim=-1) | You add up the columns, the
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    sums = weights.sum(dim=-2)
    return torch.allclose(sums, torch.ones_like(sums), atol=1e-4)

# answer: my_rows_test | wrong | tolerance of 0.5 is far too generous: rows that sum to 0.7 pass | Your tolerance is far too generous
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    sums = weights.sum(-1)
    return bool(((sums - 1).abs() < 0.5).all())

# answer: my_rows_test | wrong | compares only the grand total with the number of rows; rows' errors cancel out (softmax on another axis may pass) | You take a sum or a
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    batch, heads, n, m = weights.shape
    return abs(weights.sum().item() - batch * heads * n) < 1e-2

# answer: my_rows_test | wrong | looks at the first row of the first head of the first sentence only | You look at one row, the
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    return abs(weights[0, 0, 0].sum().item() - 1) < 1e-3

# answer: my_rows_test | wrong | returns a tensor of one truth value for each row, not a bool: .all() and bool() are missing | Expected True or False, got a
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    return (weights.sum(-1) - 1).abs() < 1e-3

# answer: my_rows_test | wrong | prints the verdict and returns None | Your function computes something and returns
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    sums = weights.sum(-1)
    ok = torch.allclose(sums, torch.ones_like(sums), atol=1e-3)
    print("rows sum to one:", ok)

# answer: my_rows_test | wrong | any() in place of all(): one good row is enough to pass | It is enough for your test
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    close = (weights.sum(-1) - 1).abs() < 1e-3
    return bool(close.any())

# answer: my_rows_test | wrong | abs() forgotten: rows that sum to less than 1 pass | Sums below 1 pass your test.
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    return bool((weights.sum(-1) - 1).max() < 1e-3)

# answer: my_rows_test | wrong | compares the mean of the row sums: too large and too small rows cancel out | You take a sum or a
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    return abs(weights.sum(dim=-1).mean().item() - 1) < 1e-3

# answer: my_rows_test | wrong | takes the first thing returned, the output, for the weights | Nothing passes your test, not even
def my_rows_test(attention, queries, keys, values, mask):
    weights, _ = attention(queries, keys, values, mask)
    sums = weights.sum(dim=-1)
    return torch.allclose(sums, torch.ones_like(sums), atol=1e-3)

# answer: my_rows_test | wrong | does not pass on the mask but an all-True one: faults of masking stay unseen | `masks_the_weights` passes your test, and it
def my_rows_test(attention, queries, keys, values, mask):
    everything = torch.ones_like(mask)
    _, weights = attention(queries, keys, values, everything)
    sums = weights.sum(dim=-1)
    return torch.allclose(sums, torch.ones_like(sums), atol=1e-3)

# answer: my_rows_test | wrong | raises AssertionError for a broken attention rather than returning False | An `assert` of your own fails:
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    for row in weights.reshape(-1, weights.shape[-1]):
        assert abs(row.sum().item() - 1) < 1e-2, "row doesn't sum to 1"
    return True

# answer: my_rows_test | wrong | rounds the sums to whole numbers, so 0.6 and 1.4 count as 1 | Your tolerance is far too generous
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    sums = weights.sum(-1).round()
    return bool((sums == 1).all())

# answer: my_rows_test | wrong | asks for all weights above 0 too, yet forbidden keys rightly have weight 0 | `plain` is right in what is
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    sums = weights.sum(-1)
    return bool((weights > 0).all()) and torch.allclose(sums, torch.ones_like(sums), atol=1e-3)

# answer: my_rows_test | wrong | only checks that the weights lie between 0 and 1, never their sum | `masks_the_weights` passes your test, and it
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    return bool(((weights >= 0) & (weights <= 1)).all())

# answer: my_rows_test | wrong | NaN slips through: a comparison with NaN is False, so "not any too far" holds; ask that all are near | `overflows` passes your test, and it should not
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    error = (weights.sum(-1) - 1).abs()
    return not bool((error > 1e-2).any())

# answer: my_rows_test | wrong | normalises the rows itself before the check, so that everything passes | Everything passes your test, even an
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    weights = F.softmax(weights, dim=-1)
    sums = weights.sum(-1)
    return torch.allclose(sums, torch.ones_like(sums), atol=1e-3)

# answer: my_rows_test | wrong | sums over the allowed keys only: weight given to forbidden keys isn't counted, so it tests the mask and not the whole row, and a row with 1 there plus more elsewhere passes | and it should not: it has 0.004
def my_rows_test(attention, queries, keys, values, mask):
    _, weights = attention(queries, keys, values, mask)
    sums = (weights * mask).sum(-1)
    return torch.allclose(sums, torch.ones_like(sums), atol=1e-2)

# answer: my_padding_test | right | where() puts random padding of several sizes, allclose
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    pad = ~real[:, None, :, None]
    before, _ = attention(queries.clone(), keys.clone(), values.clone(), mask)
    tolerance = 1e-3 if queries.dtype in (torch.float32, torch.float64) else 3e-2
    for size in (1.0, 30.0, 1000.0):
        new_keys = torch.where(pad, torch.randn_like(keys) * size, keys)
        new_values = torch.where(pad, torch.randn_like(values) * size, values)
        after, _ = attention(queries.clone(), new_keys, new_values, mask)
        if not torch.allclose(before, after, atol=tolerance, rtol=tolerance):
            return False
    return True

# answer: my_padding_test | right | loops over the sentences and padded places, in clones, largest difference
def my_padding_test(attention, queries, keys, values, real):
    mask = real.unsqueeze(1).unsqueeze(2)
    old = attention(queries, keys, values, mask)[0].double()
    k = keys.clone()
    v = values.clone()
    for b in range(real.shape[0]):
        for j in range(real.shape[1]):
            if not real[b, j]:
                k[b, :, j] = 50 * torch.randn_like(k[b, :, j])
                v[b, :, j] = 500
    new = attention(queries, k, v, mask)[0].double()
    return (old - new).abs().max().item() <= 1e-2

# answer: my_padding_test | right | boolean indexing with the mask turned, assert_close in try
def my_padding_test(attention, queries, keys, values, real):
    heads, n, m = queries.shape[1], queries.shape[2], keys.shape[2]
    mask = real[:, None, None, :].expand(-1, heads, n, m)
    first, _ = attention(queries, keys, values, mask)
    k, v = keys.clone().transpose(1, 2), values.clone().transpose(1, 2)   # batch, m, heads, size
    k[~real] = k[~real] + 100 * torch.randn_like(k[~real])
    v[~real] = v[~real] - 1000
    second, _ = attention(queries, k.transpose(1, 2), v.transpose(1, 2), mask)
    try:
        torch.testing.assert_close(second.double(), first.double(), atol=1e-2, rtol=1e-2)
        return True
    except AssertionError:
        return False

# answer: my_padding_test | right | padding pulled along the query so that it would win if seen, and pushed away from it
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    keep = real[:, None, :, None].to(keys.dtype)
    outputs = []
    pull = queries.mean(dim=2, keepdim=True)
    for sign in (1, -1, 0):
        k = keys * keep + (1 - keep) * sign * 100 * pull
        v = values * keep + (1 - keep) * (sign * 300 + 7)
        outputs.append(attention(queries, k, v, mask)[0].double())
    same = all(torch.allclose(outputs[0], o, atol=1e-2, rtol=1e-2) for o in outputs[1:])
    return same

# answer: my_padding_test | wrong | changes only the values of the padding, so an attention whose softmax counts the padded keys passes | You change the values alone. `divides_by_the_longest_key`
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    pad = ~real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys, torch.where(pad, torch.randn_like(values) * 10, values), mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | changes only the keys of the padding: what leaks from its values stays unseen | You change the keys alone. `masks_with_zero`
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    new_keys = keys.masked_fill(~real[:, None, :, None], 3.0)
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, new_keys, values, mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | changes the real tokens instead of the padding (real where ~real is meant) | You change the real keys, and
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    where = real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys.masked_fill(where, 5.0), values.masked_fill(where, 5.0), mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | no clone and the change comes before both calls: it compares the changed inputs with themselves, so all pass (and the caller's tensors are changed) | Everything passes your test, even what
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    new_keys, new_values = keys, values
    pad = (~real)[:, None, :, None]
    new_keys.masked_fill_(pad, 100.0)
    new_values.masked_fill_(pad, 100.0)
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, new_keys, new_values, mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | hands the attention the inverted mask (True = padding): right attentions then look at the padding alone | You change the real keys, and
def my_padding_test(attention, queries, keys, values, real):
    mask = ~real[:, None, None, :]
    pad = ~real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, torch.where(pad, keys + 5, keys), torch.where(pad, values + 5, values), mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | torch.equal is too exact: an attention may round otherwise when the padding changes | `centers_the_keys` is right, and your test
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    pad = ~real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys.masked_fill(pad, 9.0), values.masked_fill(pad, 9.0), mask)
    return torch.equal(before, after)

# answer: my_padding_test | wrong | changes and compares the first sentence only; it may have no padding at all | You change or look at the
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    k, v = keys.clone(), values.clone()
    k[0][:, ~real[0]] = 20.0
    v[0][:, ~real[0]] = 20.0
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, k, v, mask)
    return torch.allclose(before[0], after[0], atol=1e-3)

# answer: my_padding_test | wrong | changes the padding by a millionth, less than the tolerance: no leak can show | Everything passes your test, even what
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    pad = (~real)[:, None, :, None].to(keys.dtype)
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys + 1e-6 * pad, values + 1e-6 * pad, mask)
    return torch.allclose(before, after, atol=1e-4)

# answer: my_padding_test | wrong | trusts the returned weights (0 on padding) and never looks at the output | `hears_a_bit_of_all_values` passes your test, and it
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    _, weights = attention(queries, keys, values, mask)
    on_padding = weights.masked_fill(mask, 0)
    return bool(on_padding.abs().max() < 1e-5)

# answer: my_padding_test | wrong | takes the first sentence's length for all sentences and so changes real tokens of longer ones | `takes_the_first_sentences_mask` passes your test, and it
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    length = int(real[0].sum())
    k, v = keys.clone(), values.clone()
    k[:, :, length:] = 10.0
    v[:, :, length:] = 10.0
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, k, v, mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | the mask is put on the axis of the queries: it must be real[:, None, None, :], on that of the keys | Two shapes do not fit together.
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, :, None]
    pad = ~real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys.masked_fill(pad, 4.0), values.masked_fill(pad, 4.0), mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | compares the shapes of the outputs, not their numbers | Everything passes your test, even what
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    pad = ~real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys.masked_fill(pad, 100.0), values.masked_fill(pad, 100.0), mask)
    return before.shape == after.shape

# answer: my_padding_test | wrong | atol=1 is as large as the outputs themselves: most leaks pass | `masks_with_zero` passes your test, and it
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    pad = ~real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys.masked_fill(pad, 1.0), values.masked_fill(pad, 1.0), mask)
    return torch.allclose(before, after, atol=1.0)

# answer: my_padding_test | wrong | replaces the padding by zeros only: where it was zero already nothing changes, and large numbers are never tried | `masks_with_zero` passes your test, and it
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    keep = real[:, None, :, None].to(keys.dtype)
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys * keep, values * keep, mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | fills the padding with NaN: 0 * NaN is NaN, so right attentions fail; take finite numbers | Nothing passes your test, not even
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    pad = ~real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys.masked_fill(pad, float("nan")), values.masked_fill(pad, float("nan")), mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | compares the sums of the outputs: differences may cancel out, and a sum's rounding may fail right ones | `masks_with_minus_ten` passes your test, and it
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    pad = ~real[:, None, :, None]
    before, _ = attention(queries, keys, values, mask)
    noise = torch.randn_like(values)
    after, _ = attention(queries, keys, torch.where(pad, noise - noise.mean(), values), mask)
    return abs(before.sum().item() - after.sum().item()) < 1e-2

# answer: my_padding_test | wrong | the changed copies are made but the old keys and values are passed again | Everything passes your test, even what
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    new_keys, new_values = keys.clone(), values.clone()
    for b in range(real.shape[0]):
        new_keys[b, :, ~real[b]] = 77.0
        new_values[b, :, ~real[b]] = 77.0
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, keys, values, mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_padding_test | wrong | changes only the last token, thinking that padding is one token at the end; it may be real or padding may stand elsewhere | `masks_with_minus_ten` passes your test, and it
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    k, v = keys.clone(), values.clone()
    k[:, :, -1] += 10
    v[:, :, -1] += 10
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, k, v, mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_causal_test | right | for each place random tokens after it, allclose on all up to it
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool, device=queries.device).tril()
    before, _ = attention(queries.clone(), keys.clone(), values.clone(), mask)
    tolerance = 1e-3 if queries.dtype in (torch.float32, torch.float64) else 3e-2
    for t in range(n - 1):
        q, k, v = queries.clone(), keys.clone(), values.clone()
        for x in (q, k, v):
            x[:, :, t + 1:] = 10 * torch.randn_like(x[:, :, t + 1:])
        after, _ = attention(q, k, v, mask)
        if not torch.allclose(before[:, :, :t + 1], after[:, :, :t + 1], atol=tolerance, rtol=tolerance):
            return False
    return True

# answer: my_causal_test | wrong | all cuts in one call, vectorised along the batch | Your tolerance is too generous, or
def my_causal_test(attention, queries, keys, values):
    batch, heads, n, _ = queries.shape
    place = torch.arange(n, device=queries.device)
    mask = (place[:, None] >= place[None, :])[None, None].expand(batch, heads, n, n)
    future = (place[None, :] > place[:, None])[:, None, None, :, None]      # cut, 1, 1, place, 1
    def many(x):
        changed = torch.where(future, x[None] + 20 * torch.randn_like(x)[None], x[None])
        return changed.reshape(n * batch, heads, n, x.shape[-1])
    out, _ = attention(queries, keys, values, mask)
    outs, _ = attention(many(queries), many(keys), many(values), mask.repeat(n, 1, 1, 1))
    outs = outs.reshape(n, batch, heads, n, -1)
    error = (outs.double() - out.double()[None]).abs().masked_fill(future, 0)
    return error.max().item() < 1e-2

# answer: my_causal_test | wrong | the text cut off after a token gives the same as the whole, assert_close in try | Your tolerance is too generous, or
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.tril(torch.ones(1, 1, n, n, device=queries.device)).bool()
    whole, _ = attention(queries, keys, values, mask)
    try:
        for t in range(1, n + 1):
            part, _ = attention(queries[:, :, :t], keys[:, :, :t], values[:, :, :t], mask[:, :, :t, :t])
            torch.testing.assert_close(part.double(), whole[:, :, :t].double(), atol=1e-2, rtol=1e-2)
    except AssertionError:
        return False
    return True

# answer: my_causal_test | right | changes one token at a time, large and small, and looks at all outputs before it
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[-2]
    index = torch.arange(n, device=queries.device)
    mask = (index <= index[:, None]).view(1, 1, n, n)
    base = attention(queries, keys, values, mask)[0].double()
    worst = 0.0
    for j in range(1, n):
        for shift in (1.0, -3.0, 200.0):
            one = (index == j).to(queries.dtype).view(1, 1, n, 1) * shift
            out = attention(queries + one, keys + one, values + one, mask)[0].double()
            difference = (out - base)[:, :, :j].abs().max().item()
            if difference != difference:
                return False
            worst = max(worst, difference)
    return worst < 1e-2

# answer: my_causal_test | wrong | the mask is the wrong half (triu): each token sees its future alone | Nothing passes your test, not even
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.triu(torch.ones(n, n)).bool()
    before, _ = attention(queries, keys, values, mask)
    for t in range(n - 1):
        k, v = keys.clone(), values.clone()
        k[:, :, t + 1:] += 5
        v[:, :, t + 1:] += 5
        after, _ = attention(queries, k, v, mask)
        if not torch.allclose(before[:, :, :t + 1], after[:, :, :t + 1], atol=1e-3):
            return False
    return True

# answer: my_causal_test | wrong | changes the last token and compares all outputs, the last too, which may of course change | Nothing passes your test, not even
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n).tril().bool()
    k, v = keys.clone(), values.clone()
    k[:, :, -1] = 3.0
    v[:, :, -1] = 3.0
    before, _ = attention(queries, keys, values, mask)
    after, _ = attention(queries, k, v, mask)
    return torch.allclose(before, after, atol=1e-3)

# answer: my_causal_test | wrong | looks at the returned weights only; the output may have been made with others, and the weights can feel the future without showing it | `hears_a_bit_of_all_values` passes your test, and it
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n).tril().bool()
    _, weights = attention(queries, keys, values, mask)
    return bool(weights.triu(diagonal=1).abs().max() < 1e-6)

# answer: my_causal_test | wrong | changes only the values of later tokens: an attention that lets later keys into the softmax sum passes | You change the values alone. `divides_by_the_longest_key`
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n).tril().bool()
    before, _ = attention(queries, keys, values, mask)
    for t in range(n - 1):
        v = values.clone()
        v[:, :, t + 1:] = torch.randn_like(v[:, :, t + 1:]) * 10
        after, _ = attention(queries, keys, v, mask)
        if not torch.allclose(before[:, :, :t + 1], after[:, :, :t + 1], atol=1e-3):
            return False
    return True

# answer: my_causal_test | wrong | the mask hides a token from itself (diagonal=-1): attentions that see one token too many pass | What sees one token ahead passes,
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n).tril(diagonal=-1).bool()
    before, _ = attention(queries, keys, values, mask)
    for t in range(n - 1):
        k, v = keys.clone(), values.clone()
        k[:, :, t + 1:] += 5
        v[:, :, t + 1:] += 5
        after, _ = attention(queries, k, v, mask)
        if not torch.allclose(before[:, :, :t + 1], after[:, :, :t + 1], atol=1e-3):
            return False
    return True

# answer: my_causal_test | wrong | the mask lets each token see the next one (diagonal=1): right attentions fail | Nothing passes your test, not even
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril(diagonal=1)
    before, _ = attention(queries, keys, values, mask)
    for t in range(n - 1):
        k, v = keys.clone(), values.clone()
        k[:, :, t + 1:] = torch.randn_like(k[:, :, t + 1:])
        v[:, :, t + 1:] = torch.randn_like(v[:, :, t + 1:])
        after, _ = attention(queries, k, v, mask)
        if not torch.allclose(before[:, :, :t + 1], after[:, :, :t + 1], atol=1e-3):
            return False
    return True

# answer: my_causal_test | wrong | changes the tokens before, not after: these an output may feel | Nothing passes your test, not even
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    before, _ = attention(queries, keys, values, mask)
    for t in range(1, n):
        k, v = keys.clone(), values.clone()
        k[:, :, :t] = 2.0
        v[:, :, :t] = 2.0
        after, _ = attention(queries, k, v, mask)
        if not torch.allclose(before[:, :, t], after[:, :, t], atol=1e-3):
            return False
    return True

# answer: my_causal_test | wrong | compares with == : right attentions that round otherwise fail | `centers_the_keys` is right, and your test
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    before, _ = attention(queries, keys, values, mask)
    for t in range(n - 1):
        k, v = keys.clone(), values.clone()
        k[:, :, t + 1:] = torch.randn_like(k[:, :, t + 1:]) * 3
        v[:, :, t + 1:] = torch.randn_like(v[:, :, t + 1:]) * 3
        after, _ = attention(queries, k, v, mask)
        if not (before[:, :, :t + 1] == after[:, :, :t + 1]).all():
            return False
    return True

# answer: my_causal_test | wrong | off by one: the token itself is changed too (t: for t + 1:), and its output rightly feels that | Nothing passes your test, not even
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    before, _ = attention(queries, keys, values, mask)
    for t in range(n):
        k, v = keys.clone(), values.clone()
        k[:, :, t:] = torch.randn_like(k[:, :, t:])
        v[:, :, t:] = torch.randn_like(v[:, :, t:])
        after, _ = attention(queries, k, v, mask)
        if not torch.allclose(before[:, :, :t + 1], after[:, :, :t + 1], atol=1e-3):
            return False
    return True

# answer: my_causal_test | wrong | looks at the first head of the first sentence only | `sees_ahead_in_the_second_sentence` passes your test, and it
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    before, _ = attention(queries, keys, values, mask)
    for t in range(n - 1):
        k, v = keys.clone(), values.clone()
        k[0, 0, t + 1:] += 10
        v[0, 0, t + 1:] += 10
        after, _ = attention(queries, k, v, mask)
        if not torch.allclose(before[0, 0, :t + 1], after[0, 0, :t + 1], atol=1e-3):
            return False
    return True

# answer: my_causal_test | wrong | the mask is of floats, not boolean: .bool() forgotten, so attentions that use ~mask raise | ~ turns booleans around, and this
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.tril(torch.ones(n, n))
    before, _ = attention(queries, keys, values, mask)
    k, v = keys.clone(), values.clone()
    k[:, :, n // 2:] += 10
    v[:, :, n // 2:] += 10
    after, _ = attention(queries, k, v, mask)
    return torch.allclose(before[:, :, :n // 2], after[:, :, :n // 2], atol=1e-3)

# answer: my_causal_test | wrong | leaves out the output of the token itself (:t for :t + 1), so a leak from the very next token passes | What sees one token ahead passes,
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    before, _ = attention(queries, keys, values, mask)
    ok = True
    for t in range(n - 1):
        k, v = keys.clone(), values.clone()
        k[:, :, t + 1:] += 10
        v[:, :, t + 1:] += 10
        after, _ = attention(queries, k, v, mask)
        ok = ok and torch.allclose(before[:, :, :t], after[:, :, :t], atol=1e-3)
    return ok

# answer: my_causal_test | wrong | only the queries of later tokens are changed, but the future leaks through keys and values | Everything passes your test, even what
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    before, _ = attention(queries, keys, values, mask)
    for t in range(n - 1):
        q = queries.clone()
        q[:, :, t + 1:] *= -4
        after, _ = attention(q, keys, values, mask)
        if not torch.allclose(before[:, :, :t + 1], after[:, :, :t + 1], atol=1e-3):
            return False
    return True

# answer: my_causal_test | wrong | asks for more than was asked: compares with PyTorch's own attention, so a causal one with another fault (scale) fails | `masks_with_minus_ten` passes your test, and it
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    output, _ = attention(queries, keys, values, mask)
    expected = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return torch.allclose(output, expected, atol=1e-3)

# answer: my_causal_test | wrong | clone forgotten: k and v are the inputs themselves, the changes pile up, and from the first cut on the future has no longer anything to do with "before"; the caller's tensors are changed | Everything passes your test, even what
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    for t in range(n - 1):
        k, v = keys, values
        k[:, :, t + 1:] = 1.0
        v[:, :, t + 1:] = 1.0
        before, _ = attention(queries, keys, values, mask)
        after, _ = attention(queries, k, v, mask)
        if not torch.allclose(before[:, :, :t + 1], after[:, :, :t + 1], atol=1e-3):
            return False
    return True

# answer: my_heads_test | right | every head of every sentence alone, own masks, output and weights, allclose
def my_heads_test(attention):
    generator = torch.Generator().manual_seed(3)
    batch, heads, n, m, d, v = 3, 4, 5, 7, 6, 8
    queries = torch.randn(batch, heads, n, d, generator=generator)
    keys = torch.randn(batch, heads, m, d, generator=generator)
    values = torch.randn(batch, heads, m, v, generator=generator)
    mask = torch.rand(batch, heads, n, m, generator=generator) < 0.6
    mask[..., 0] = True
    output, weights = attention(queries.clone(), keys.clone(), values.clone(), mask.clone())
    for b in range(batch):
        for h in range(heads):
            at = (slice(b, b + 1), slice(h, h + 1))
            o, w = attention(queries[at], keys[at], values[at], mask[at])
            if not torch.allclose(output[at], o, atol=1e-4) or not torch.allclose(weights[at], w, atol=1e-4):
                return False
    return True

# answer: my_heads_test | right | puts the alone results together with cat and compares once, assert_close in try
def my_heads_test(attention):
    torch.manual_seed(11)
    q, k, v = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5), torch.randn(2, 3, 6, 7)
    mask = torch.rand(2, 3, 4, 6) > 0.4
    mask[:, :, :, 2] = True
    together = attention(q, k, v, mask)
    rows_o, rows_w = [], []
    for b in range(2):
        alone = [attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1, h:h+1]) for h in range(3)]
        rows_o.append(torch.cat([o for o, _ in alone], dim=1))
        rows_w.append(torch.cat([w for _, w in alone], dim=1))
    try:
        torch.testing.assert_close(together[0], torch.cat(rows_o), atol=1e-3, rtol=1e-3)
        torch.testing.assert_close(together[1], torch.cat(rows_w), atol=1e-3, rtol=1e-3)
    except AssertionError:
        return False
    return True

# answer: my_heads_test | right | two rounds (own masks, shared mask), largest difference, double precision
def my_heads_test(attention):
    torch.manual_seed(0)
    B, H, n, m = 4, 3, 6, 5
    q = torch.randn(B, H, n, 8, dtype=torch.float64)
    k = torch.randn(B, H, m, 8, dtype=torch.float64)
    v = torch.randn(B, H, m, 2, dtype=torch.float64)
    own = torch.rand(B, H, n, m) < 0.5
    own[..., -1] |= ~own.any(-1)
    worst = []
    for mask in (own, torch.ones(B, H, n, m, dtype=torch.bool)):
        out, w = attention(q, k, v, mask)
        for i in range(B * H):
            b, h = divmod(i, H)
            o1, w1 = attention(q[b, h][None, None], k[b, h][None, None], v[b, h][None, None], mask[b, h][None, None])
            worst.append((out[b, h] - o1[0, 0]).abs().max())
            worst.append((w[b, h] - w1[0, 0]).abs().max())
    return bool((torch.stack(worst) < 1e-4).all())

# answer: my_heads_test | right | heads laid out as sentences of one head each: one vectorised comparison, plus alone for each
def my_heads_test(attention):
    torch.manual_seed(5)
    b, h, n, m, d, e = 3, 2, 4, 6, 5, 3
    q, k, v = torch.randn(b, h, n, d), torch.randn(b, h, m, d), torch.randn(b, h, m, e)
    mask = torch.rand(b, h, n, m) < 0.7
    mask[..., 1] = True
    out, w = attention(q, k, v, mask)
    flat = [x.reshape(b * h, 1, *x.shape[2:]) for x in (q, k, v, mask)]
    pairs = [attention(*(x[i:i + 1] for x in flat)) for i in range(b * h)]
    outs = torch.cat([p[0] for p in pairs]).view(b, h, n, e)
    ws = torch.cat([p[1] for p in pairs]).view(b, h, n, m)
    return torch.allclose(out, outs, atol=1e-4) and torch.allclose(w, ws, atol=1e-4)

# answer: my_heads_test | wrong | one sentence with one head: together and alone are the same call, so all pass | Everything passes your test, even a
def my_heads_test(attention):
    q, k, v = torch.randn(1, 1, 5, 4), torch.randn(1, 1, 6, 4), torch.randn(1, 1, 6, 3)
    mask = torch.ones(1, 1, 5, 6, dtype=torch.bool)
    output, _ = attention(q, k, v, mask)
    alone, _ = attention(q[0:1, 0:1], k[0:1, 0:1], v[0:1, 0:1], mask[0:1, 0:1])
    return torch.allclose(output, alone, atol=1e-4)

# answer: my_heads_test | wrong | all heads and sentences get the same numbers (expand): mixing them changes nothing | `first_head_for_all` passes your test, and it
def my_heads_test(attention):
    q = torch.randn(1, 1, 5, 4).expand(2, 3, 5, 4)
    k = torch.randn(1, 1, 6, 4).expand(2, 3, 6, 4)
    v = torch.randn(1, 1, 6, 3).expand(2, 3, 6, 3)
    mask = torch.ones(2, 3, 5, 6, dtype=torch.bool)
    output, _ = attention(q, k, v, mask)
    for b in range(2):
        for h in range(3):
            alone, _ = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1, h:h+1])
            if not torch.allclose(output[b:b+1, h:h+1], alone, atol=1e-4):
                return False
    return True

# answer: my_heads_test | wrong | tries head 0 of each sentence only: an attention that spoils the later heads passes | You compare the first head of
def my_heads_test(attention):
    q, k, v = torch.randn(2, 4, 5, 4), torch.randn(2, 4, 6, 4), torch.randn(2, 4, 6, 3)
    mask = torch.ones(2, 4, 5, 6, dtype=torch.bool)
    output, _ = attention(q, k, v, mask)
    ok = True
    for b in range(2):
        alone, _ = attention(q[b:b+1, :1], k[b:b+1, :1], v[b:b+1, :1], mask[b:b+1, :1])
        ok &= torch.allclose(output[b:b+1, :1], alone, atol=1e-4)
    return ok

# answer: my_heads_test | wrong | one sentence only: attentions that mix sentences, or take the first one's mask for all, pass | Your test has one sentence, or
def my_heads_test(attention):
    q, k, v = torch.randn(1, 4, 5, 4), torch.randn(1, 4, 6, 4), torch.randn(1, 4, 6, 3)
    mask = torch.rand(1, 4, 5, 6) < 0.7
    mask[..., 0] = True
    output, weights = attention(q, k, v, mask)
    for h in range(4):
        o, w = attention(q[:, h:h+1], k[:, h:h+1], v[:, h:h+1], mask[:, h:h+1])
        if not (torch.allclose(output[:, h:h+1], o, atol=1e-4) and torch.allclose(weights[:, h:h+1], w, atol=1e-4)):
            return False
    return True

# answer: my_heads_test | wrong | compares the shapes alone with the shapes together, not the numbers | Everything passes your test, even a
def my_heads_test(attention):
    q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 7)
    mask = torch.ones(2, 3, 5, 6, dtype=torch.bool)
    output, weights = attention(q, k, v, mask)
    for b in range(2):
        for h in range(3):
            o, w = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1, h:h+1])
            if o.shape != output[b:b+1, h:h+1].shape or w.shape != weights[b:b+1, h:h+1].shape:
                return False
    return True

# answer: my_heads_test | wrong | torch.equal: a product for many heads at once may round otherwise than one alone | You ask for equal numbers to
def my_heads_test(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 4, 50, 64), torch.randn(3, 4, 60, 64), torch.randn(3, 4, 60, 32)
    mask = torch.rand(3, 4, 50, 60) < 0.7
    mask[..., 0] = True
    output, weights = attention(q, k, v, mask)
    for b in range(3):
        for h in range(4):
            o, w = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1, h:h+1])
            if not torch.equal(output[b:b+1, h:h+1], o) or not torch.equal(weights[b:b+1, h:h+1], w):
                return False
    return True

# answer: my_heads_test | wrong | only checks that flipped heads give flipped outputs: an attention that averages over the heads passes this too | `softmax_over_heads` passes your test, and it
def my_heads_test(attention):
    q, k, v = torch.randn(2, 4, 5, 6), torch.randn(2, 4, 7, 6), torch.randn(2, 4, 7, 3)
    mask = torch.rand(2, 4, 5, 7) < 0.7
    mask[..., 0] = True
    output, _ = attention(q, k, v, mask)
    flipped, _ = attention(q.flip(1), k.flip(1), v.flip(1), mask.flip(1))
    return torch.allclose(output.flip(1), flipped, atol=1e-4)

# answer: my_heads_test | wrong | q[b, h] drops the axes of batch and head: against the contract, right attentions may raise | 4 names stand for 2 values;
def my_heads_test(attention):
    q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 3)
    mask = torch.ones(2, 3, 5, 6, dtype=torch.bool)
    output, _ = attention(q, k, v, mask)
    for b in range(2):
        for h in range(3):
            alone, _ = attention(q[b, h], k[b, h], v[b, h], mask[b, h])
            if not torch.allclose(output[b, h], alone, atol=1e-4):
                return False
    return True

# answer: my_heads_test | wrong | one mask for all heads and sentences: an attention that uses the first head's mask everywhere passes | All sentences have the same mask,
def my_heads_test(attention):
    q, k, v = torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 5)
    mask = torch.ones(6, 6).tril().bool()
    output, weights = attention(q, k, v, mask)
    for b in range(2):
        for h in range(3):
            o, w = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask)
            if not (torch.allclose(output[b:b+1, h:h+1], o, atol=1e-4) and torch.allclose(weights[b:b+1, h:h+1], w, atol=1e-4)):
                return False
    return True

# answer: my_heads_test | wrong | sentence and head are swapped in the comparison (output[h, b] for output[b, h]): right attentions fail | Nothing passes your test, not even
def my_heads_test(attention):
    q, k, v = torch.randn(3, 3, 4, 5), torch.randn(3, 3, 6, 5), torch.randn(3, 3, 6, 5)
    mask = torch.ones(3, 3, 4, 6, dtype=torch.bool)
    output, _ = attention(q, k, v, mask)
    for b in range(3):
        for h in range(3):
            alone, _ = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1, h:h+1])
            if not torch.allclose(output[h, b], alone[0, 0], atol=1e-4):
                return False
    return True

# answer: my_heads_test | wrong | return True stands within the loops: only the first head of the first sentence is tried | You compare the first head of
def my_heads_test(attention):
    q, k, v = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5), torch.randn(2, 3, 6, 7)
    mask = torch.ones(2, 3, 4, 6, dtype=torch.bool)
    output, _ = attention(q, k, v, mask)
    for b in range(2):
        for h in range(3):
            alone, _ = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1, h:h+1])
            if not torch.allclose(output[b:b+1, h:h+1], alone, atol=1e-4):
                return False
            return True

# answer: my_heads_test | wrong | a single key: each weight is 1 whatever the scores, so mixed queries or keys stay unseen | `mixes_heads_by_view` passes your test, and it
def my_heads_test(attention):
    q, k, v = torch.randn(2, 3, 1, 4), torch.randn(2, 3, 1, 4), torch.randn(2, 3, 1, 4)
    mask = torch.ones(2, 3, 1, 1, dtype=torch.bool)
    output, _ = attention(q, k, v, mask)
    return all(
        torch.allclose(output[b:b+1, h:h+1],
                       attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1, h:h+1])[0], atol=1e-4)
        for b in range(2) for h in range(3))

# answer: my_heads_test | wrong | inputs of ones: everything is the same everywhere, no mixing can show | `mixes_heads_by_view` passes your test, and it
def my_heads_test(attention):
    q, k, v = torch.ones(2, 3, 4, 5), torch.ones(2, 3, 6, 5), torch.ones(2, 3, 6, 7)
    mask = torch.ones(2, 3, 4, 6, dtype=torch.bool)
    output, weights = attention(q, k, v, mask)
    for b in range(2):
        for h in range(3):
            o, w = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1, h:h+1])
            if not torch.allclose(output[b:b+1, h:h+1], o) or not torch.allclose(weights[b:b+1, h:h+1], w):
                return False
    return True

# answer: my_heads_test | wrong | alone the head gets an all-True mask, together its own: right attentions fail | Nothing passes your test, not even
def my_heads_test(attention):
    q, k, v = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5), torch.randn(2, 3, 6, 7)
    mask = torch.rand(2, 3, 4, 6) < 0.5
    mask[..., 0] = True
    everything = torch.ones(1, 1, 4, 6, dtype=torch.bool)
    output, _ = attention(q, k, v, mask)
    for b in range(2):
        for h in range(3):
            alone, _ = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], everything)
            if not torch.allclose(output[b:b+1, h:h+1], alone, atol=1e-4):
                return False
    return True

# answer: my_heads_test | wrong | compares the weights only: values mixed between heads stay unseen | You compare the weights alone
def my_heads_test(attention):
    q, k, v = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5), torch.randn(2, 3, 6, 7)
    mask = torch.rand(2, 3, 4, 6) < 0.7
    mask[..., 0] = True
    _, weights = attention(q, k, v, mask)
    for b in range(2):
        for h in range(3):
            _, w = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1, h:h+1])
            if not torch.allclose(weights[b:b+1, h:h+1], w, atol=1e-4):
                return False
    return True

# answer: my_heads_test | wrong | slices whole sentences, never heads: attentions that mix the heads of one sentence pass | Your test has one head, or
def my_heads_test(attention):
    q, k, v = torch.randn(3, 4, 5, 6), torch.randn(3, 4, 7, 6), torch.randn(3, 4, 7, 2)
    mask = torch.rand(3, 4, 5, 7) < 0.7
    mask[..., 0] = True
    output, weights = attention(q, k, v, mask)
    for b in range(3):
        o, w = attention(q[b:b+1], k[b:b+1], v[b:b+1], mask[b:b+1])
        if not (torch.allclose(output[b:b+1], o, atol=1e-4) and torch.allclose(weights[b:b+1], w, atol=1e-4)):
            return False
    return True

# answer: my_heads_test | wrong | new random numbers for the alone call: they have nothing to do with the head compared | Nothing passes your test, not even
def my_heads_test(attention):
    mask = torch.ones(1, 1, 4, 6, dtype=torch.bool)
    output, _ = attention(torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5), torch.randn(2, 3, 6, 7), mask)
    for b in range(2):
        for h in range(3):
            alone, _ = attention(torch.randn(1, 1, 4, 5), torch.randn(1, 1, 6, 5), torch.randn(1, 1, 6, 7), mask)
            if not torch.allclose(output[b, h], alone[0, 0], atol=1e-2):
                return False
    return True

# answer: my_cache_test | wrong | 40 tokens, own causal attention by softmax as the reference, allclose | You try one text. `goes_on_with_the_text_before` passes:
def my_cache_test(step):
    torch.manual_seed(1)
    batch, heads, n, d, v = 2, 3, 40, 8, 5
    queries, keys, values = torch.randn(batch, heads, n, d), torch.randn(batch, heads, n, d), torch.randn(batch, heads, n, v)
    scores = queries @ keys.transpose(-2, -1) / d ** 0.5
    causal = torch.ones(n, n, dtype=torch.bool).tril()
    expected = scores.masked_fill(~causal, float("-inf")).softmax(dim=-1) @ values
    cache = None
    outputs = []
    for t in range(n):
        output, cache = step(queries[:, :, t:t+1].clone(), keys[:, :, t:t+1].clone(), values[:, :, t:t+1].clone(), cache)
        outputs.append(output)
    found = torch.cat(outputs, dim=2)
    return found.shape == expected.shape and torch.allclose(found, expected, atol=1e-4)

# answer: my_cache_test | right | two texts one after the other, PyTorch's causal attention as the reference, assert_close in try
def my_cache_test(step):
    torch.manual_seed(2)
    for n in (7, 33):
        q, k, v = (torch.randn(3, 2, n, 6) for _ in range(3))
        expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        cache, outs = None, []
        for qt, kt, vt in zip(q.split(1, dim=2), k.split(1, dim=2), v.split(1, dim=2)):
            out, cache = step(qt, kt, vt, cache)
            outs.append(out)
        try:
            torch.testing.assert_close(torch.cat(outs, dim=2), expected, atol=1e-3, rtol=1e-3)
        except AssertionError:
            return False
    return True

# answer: my_cache_test | wrong | each token checked at once against its past by einsum, double precision | You try one text. `goes_on_with_the_text_before` passes:
def my_cache_test(step):
    g = torch.Generator().manual_seed(4)
    new = lambda size: torch.randn(2, 4, 25, size, generator=g, dtype=torch.float64)
    Q, K, V = new(9), new(9), new(4)
    cache = None
    for t in range(25):
        out, cache = step(Q[:, :, t, None], K[:, :, t, None], V[:, :, t, None], cache)
        s = torch.einsum("bhd,bhjd->bhj", Q[:, :, t], K[:, :, :t + 1]) / 3.0
        want = torch.einsum("bhj,bhje->bhe", torch.softmax(s, -1), V[:, :, :t + 1])
        if out.shape != (2, 4, 1, 4) or not (out[:, :, 0] - want).abs().max() < 1e-4:
            return False
    return True

# answer: my_cache_test | right | plain loops over sentence, head, token with math by hand, for two runs
def my_cache_test(step):
    torch.manual_seed(9)
    ok = True
    for run in range(2):
        n, d = 20, 4
        q, k, v = torch.randn(2, 2, n, d), torch.randn(2, 2, n, d), torch.randn(2, 2, n, 3)
        cache = None
        for t in range(n):
            out, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
            for b in range(2):
                for h in range(2):
                    e = [(q[b, h, t].dot(k[b, h, j]) / d ** 0.5).exp() for j in range(t + 1)]
                    want = sum(e[j] * v[b, h, j] for j in range(t + 1)) / sum(e)
                    ok = ok and torch.allclose(out[b, h, 0], want, atol=1e-3)
    return bool(ok)

# answer: my_cache_test | wrong | passes None as the cache at each step: the step never sees the past, right ones fail | `plain_step` is right in what is
def my_cache_test(step):
    q, k, v = (torch.randn(2, 3, 8, 4) for _ in range(3))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    outputs = []
    for t in range(8):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], None)
        outputs.append(output)
    return torch.allclose(torch.cat(outputs, dim=2), expected, atol=1e-3)

# answer: my_cache_test | wrong | a text of one token: the cache is never used | `does_not_see_the_newest` passes your test, and it
def my_cache_test(step):
    q, k, v = (torch.randn(2, 3, 1, 4) for _ in range(3))
    output, cache = step(q, k, v, None)
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return torch.allclose(output, expected, atol=1e-3)

# answer: my_cache_test | wrong | two tokens only: a step that forgets older tokens, or keeps a fixed window, passes | `keeps_the_last_four` passes your test, and it
def my_cache_test(step):
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 3, 2, 4) for _ in range(3))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    first, cache = step(q[:, :, :1], k[:, :, :1], v[:, :, :1], None)
    second, cache = step(q[:, :, 1:], k[:, :, 1:], v[:, :, 1:], cache)
    return torch.allclose(torch.cat([first, second], dim=2), expected, atol=1e-3)

# answer: my_cache_test | wrong | the reference isn't causal: the whole text is attended to from the first token on, right steps fail | Nothing passes your test, not even
def my_cache_test(step):
    q, k, v = (torch.randn(2, 3, 10, 4) for _ in range(3))
    expected = torch.softmax(q @ k.transpose(-2, -1) / 2.0, dim=-1) @ v
    cache, outputs = None, []
    for t in range(10):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        outputs.append(output)
    return torch.allclose(torch.cat(outputs, dim=2), expected, atol=1e-3)

# answer: my_cache_test | wrong | torch.equal: one token at a time rounds otherwise than all at once, right steps fail | Nothing passes your test, not even
def my_cache_test(step):
    q, k, v = (torch.randn(2, 3, 30, 16) for _ in range(3))
    mask = torch.ones(30, 30).tril().bool()
    expected = (q @ k.transpose(-2, -1) / 4.0).masked_fill(~mask, float("-inf")).softmax(-1) @ v
    cache, outputs = None, []
    for t in range(30):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        outputs.append(output)
    return torch.equal(torch.cat(outputs, dim=2), expected)

# answer: my_cache_test | wrong | the reference forgets to divide by sqrt(d): right steps fail, unscaled ones pass | Nothing passes your test, not even
def my_cache_test(step):
    q, k, v = (torch.randn(2, 3, 12, 8) for _ in range(3))
    mask = torch.ones(12, 12).tril().bool()
    expected = (q @ k.transpose(-2, -1)).masked_fill(~mask, float("-inf")).softmax(-1) @ v
    cache, outputs = None, []
    for t in range(12):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        outputs.append(output)
    return torch.allclose(torch.cat(outputs, dim=2), expected, atol=1e-3)

# answer: my_cache_test | wrong | compares only the shape of the outputs put together | Everything passes your test, even a
def my_cache_test(step):
    q, k, v = torch.randn(2, 3, 12, 8), torch.randn(2, 3, 12, 8), torch.randn(2, 3, 12, 5)
    cache, outputs = None, []
    for t in range(12):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        outputs.append(output)
    return torch.cat(outputs, dim=2).shape == v.shape

# answer: my_cache_test | wrong | one sentence with one head: steps that mix sentences or heads pass | `serves_the_first_sentence` passes your test, and it
def my_cache_test(step):
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 1, 40, 8) for _ in range(3))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    cache, outputs = None, []
    for t in range(40):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        outputs.append(output)
    return torch.allclose(torch.cat(outputs, dim=2), expected, atol=1e-3)

# answer: my_cache_test | wrong | values of ones: any weights that sum to 1 give ones, so wrong weights stay unseen | `does_not_see_the_newest` passes your test, and it
def my_cache_test(step):
    q, k = torch.randn(2, 3, 12, 8), torch.randn(2, 3, 12, 8)
    v = torch.ones(2, 3, 12, 8)
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    cache = None
    for t in range(12):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        if not torch.allclose(output, expected[:, :, t:t+1], atol=1e-3):
            return False
    return True

# answer: my_cache_test | wrong | queries of zeros: all scores are 0, so the scale and the keys in the cache aren't tested | `joins_keys_in_front` passes your test, and it
def my_cache_test(step):
    q = torch.zeros(2, 3, 12, 8)
    k, v = torch.randn(2, 3, 12, 8), torch.randn(2, 3, 12, 4)
    cache, ok = None, True
    for t in range(12):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        ok = ok and torch.allclose(output, v[:, :, :t+1].mean(dim=2, keepdim=True), atol=1e-3)
    return ok

# answer: my_cache_test | wrong | looks into the cache as if it were (keys, values) joined on dim 2: its form is the step's own business, and the output isn't tested | `does_not_see_the_newest` passes your test, and it
def my_cache_test(step):
    q, k, v = (torch.randn(2, 3, 6, 4) for _ in range(3))
    cache = None
    for t in range(6):
        _, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        if cache[0].shape[2] != t + 1 or not torch.allclose(cache[0], k[:, :, :t+1]):
            return False
    return True

# answer: my_cache_test | wrong | q[:, :, t] drops the axis of the token: shape (batch, heads, size) breaks the contract, right steps raise or go wrong | 4 names stand for 3 values;
def my_cache_test(step):
    q, k, v = (torch.randn(2, 3, 6, 4) for _ in range(3))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    cache, outputs = None, []
    for t in range(6):
        output, cache = step(q[:, :, t], k[:, :, t], v[:, :, t], cache)
        outputs.append(output)
    return torch.allclose(torch.stack(outputs, dim=2), expected, atol=1e-3)

# answer: my_cache_test | wrong | walks along the heads (axis 1), not along the tokens (axis 2); heads and tokens are equally many, so it goes unnoticed | In 11 of 14 cases: Nothing
def my_cache_test(step):
    q, k, v = (torch.randn(2, 4, 4, 8) for _ in range(3))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    cache, outputs = None, []
    for t in range(4):
        output, cache = step(q[:, t:t+1], k[:, t:t+1], v[:, t:t+1], cache)
        outputs.append(output)
    return torch.allclose(torch.cat(outputs, dim=1), expected, atol=1e-3)

# answer: my_cache_test | wrong | compares the first token's output only, where nothing is in the cache | `does_not_see_the_newest` passes your test, and it
def my_cache_test(step):
    q, k, v = (torch.randn(2, 3, 12, 8) for _ in range(3))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    cache, outputs = None, []
    for t in range(12):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        outputs.append(output)
    return torch.allclose(outputs[0], expected[:, :, :1], atol=1e-3)

# answer: my_cache_test | wrong | compares the last token's output only: mistakes at earlier tokens (the first, say) stay unseen | `goes_on_with_the_text_before` passes your test, and it
def my_cache_test(step):
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 3, 30, 8) for _ in range(3))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    cache = None
    for t in range(30):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
    return torch.allclose(output, expected[:, :, -1:], atol=1e-3)

# answer: my_cache_test | wrong | tolerance of 0.5 takes much for equal: the outputs, means of values, are about as small | `does_not_see_the_newest` passes your test, and it
def my_cache_test(step):
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 3, 30, 8) for _ in range(3))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    cache, outputs = None, []
    for t in range(30):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        outputs.append(output)
    return bool((torch.cat(outputs, dim=2) - expected).abs().mean() < 0.5)

# answer: my_cache_test | wrong | the reference divides by the sqrt of the value size (4), not of the query size (16): right steps fail | Nothing passes your test, not even
def my_cache_test(step):
    q, k, v = torch.randn(2, 3, 10, 16), torch.randn(2, 3, 10, 16), torch.randn(2, 3, 10, 4)
    mask = torch.ones(10, 10).tril().bool()
    scores = q @ k.transpose(-2, -1) / v.shape[-1] ** 0.5
    expected = scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v
    cache = None
    for t in range(10):
        output, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
        if not torch.allclose(output, expected[:, :, t:t+1], atol=1e-3):
            return False
    return True

# answer: my_cache_test | wrong | the same token is fed again and again (index t forgotten: always the first): the past is all alike, forgetting it doesn't show | `does_not_see_the_newest` passes your test, and it
def my_cache_test(step):
    q, k, v = (torch.randn(2, 3, 1, 8) for _ in range(3))
    expected = F.scaled_dot_product_attention(q.expand(2, 3, 9, 8), k.expand(2, 3, 9, 8), v.expand(2, 3, 9, 8), is_causal=True)
    cache, outputs = None, []
    for t in range(9):
        output, cache = step(q, k, v, cache)
        outputs.append(output)
    return torch.allclose(torch.cat(outputs, dim=2), expected, atol=1e-3)

# answer: my_suite | wrong | reference in double precision over several kinds of case, shapes, dtypes, inputs unchanged, no gradients | outputs and weights alone
def my_suite(attention):
    torch.manual_seed(0)
    for dtype, size in ((torch.float32, 1), (torch.float64, 1), (torch.float32, 30)):
        for shape in ((2, 3, 5, 7), (1, 1, 5, 7), (2, 1, 1, 7), (5, 7), (2, 3, 1, 7)):
            q, k, v = (torch.randn(2, 3, *s).to(dtype) for s in ((5, 4), (7, 4), (7, 6)))
            q, mask = q * size, torch.rand(shape) < 0.6
            mask[..., 0, :] = mask[..., 0, :] & (torch.rand(()) < 0.5)
            copies = [x.clone() for x in (q, k, v, mask)]
            s = (q.double() @ k.double().transpose(-1, -2) / 2).masked_fill(~mask, float("-inf"))
            w = s.softmax(-1).nan_to_num(0)
            out, weights = attention(q, k, v, mask)
            if out.dtype != dtype or weights.dtype != dtype or out.shape != (2, 3, 5, 6) or weights.shape != (2, 3, 5, 7): return False
            if not torch.allclose(weights.double(), w, atol=2e-3) or not torch.allclose(out.double(), w @ v.double(), atol=5e-3): return False
            if not all(torch.equal(a, b) for a, b in zip((q, k, v, mask), copies)): return False
    return True

# answer: my_suite | wrong | a list of named checks by properties, plus a reference with loops and one empty query | 7 of 7 right ones pass,
def my_suite(attention):
    torch.manual_seed(7)
    B, H, n, m, d, e = 2, 3, 4, 6, 16, 5
    q, k, v = 2 * torch.randn(B, H, n, d), torch.randn(B, H, m, d), torch.randn(B, H, m, e)
    mask = torch.rand(B, H, n, m) < 0.6
    mask[1, 2, 3] = False
    mask[0, 0, 0] = True
    try:
        out, w = attention(q.clone(), k.clone(), v.clone(), mask.clone())
        checks = [out.shape == (B, H, n, e), w.shape == (B, H, n, m), out.dtype == q.dtype, w.dtype == q.dtype]
        for b in range(B):
            for h in range(H):
                for i in range(n):
                    seen = mask[b, h, i]
                    if seen.any():
                        p = torch.softmax(k[b, h][seen] @ q[b, h, i] / d ** 0.5, dim=0)
                        checks.append(torch.allclose(w[b, h, i][seen], p, atol=1e-4))
                        checks.append(torch.allclose(out[b, h, i], p @ v[b, h][seen], atol=1e-3))
                    checks.append(bool((w[b, h, i][~seen] == 0).all()) if seen.any() else bool((w[b, h, i] == 0).all() and (out[b, h, i] == 0).all()))
        wide, wide_w = attention(q, k, v, mask[:1, :1])
        same, same_w = attention(q, k, v, mask[:1, :1].expand(B, H, n, m).clone())
        checks += [torch.allclose(wide, same, atol=1e-4), torch.allclose(wide_w, same_w, atol=1e-4)]
        o64, w64 = attention(q.double() * 100, k.double(), v.double(), mask)
        checks += [o64.dtype == torch.float64, w64.dtype == torch.float64, bool(o64.isfinite().all()), bool(w64.isfinite().all())]
        far = torch.where(mask.any(dim=2)[..., None], k, k + 50)
        checks.append(torch.allclose(attention(q, far, v, mask)[0], out, atol=1e-3))
    except (RuntimeError, ValueError, IndexError, TypeError):
        return False
    return all(checks)

# answer: my_suite | wrong | PyTorch's own attention per case, empty queries cleared, weights through the identity as values, half precision too, no gradients | outputs and weights alone
def my_suite(attention):
    torch.manual_seed(3)
    def good(q, k, v, mask, tol):
        full = mask.expand(*q.shape[:3], k.shape[2])
        alive = full.any(-1, keepdim=True)
        safe = full | ~alive                                    # an empty query looks at everything, cleared below
        ref = lambda x: F.scaled_dot_product_attention(q.double(), k.double(), x.double(), attn_mask=safe) * alive
        eye = torch.eye(k.shape[2]).expand(*k.shape[:2], -1, -1)
        out, w = attention(q.clone(), k.clone(), v.clone(), mask.clone())
        right_form = out.dtype == w.dtype == q.dtype and out.shape == ref(v).shape and w.shape == full.shape
        return right_form and torch.allclose(out.double(), ref(v), atol=tol) and torch.allclose(w.double(), ref(eye), atol=tol)
    def make(b, h, n, m, d, e, dtype=torch.float32, size=1.0):
        return (size * torch.randn(b, h, n, d)).to(dtype), torch.randn(b, h, m, d).to(dtype), torch.randn(b, h, m, e).to(dtype)
    everything = torch.ones(1, 1, 1, 1, dtype=torch.bool)
    causal = torch.ones(8, 8, dtype=torch.bool).tril()
    own = torch.rand(3, 2, 5, 9) < 0.5
    own[0, 1, 2] = False
    return all([
        good(*make(2, 3, 4, 7, 8, 5), everything.expand(1, 1, 4, 7), 1e-3),
        good(*make(2, 3, 8, 8, 16, 16), causal, 1e-3),
        good(*make(3, 2, 5, 9, 4, 3), own, 1e-3),
        good(*make(3, 2, 5, 9, 4, 3, size=60.0), own, 1e-2),
        good(*make(3, 2, 5, 9, 4, 3, dtype=torch.float64), own, 1e-3),
        good(*make(3, 2, 5, 9, 4, 3, dtype=torch.bfloat16), own, 1e-1),
        good(*make(3, 2, 5, 9, 4, 3), own[:, :1, :1], 1e-3),
        good(*make(1, 1, 1, 1, 2, 3), everything, 1e-3),
        good(*make(2, 2, 3, 4, 5, 6), torch.zeros(3, 4, dtype=torch.bool), 1e-3),
    ])

# answer: my_suite | right | short: einsum reference, assert_close in try, random masks many times
def my_suite(attention):
    try:
        for seed in range(12):
            torch.manual_seed(seed)
            b, h, n, m, d, e = [int(x) for x in torch.randint(1, 7, (6,)) + torch.tensor([1, 1, 1, 1, 2, 0])]
            dtype = (torch.float32, torch.float64)[seed % 2]
            q, k, v = 10 ** (seed % 3) * torch.randn(b, h, n, d, dtype=dtype), torch.randn(b, h, m, d, dtype=dtype), torch.randn(b, h, m, e, dtype=dtype)
            mask = torch.rand([(b, h, n, m), (b, 1, 1, m), (n, m)][seed % 3]) < 0.5
            scores = torch.einsum("bhid,bhjd->bhij", q, k).double() / d ** 0.5
            top = scores.masked_fill(~mask, -1e30).amax(-1, keepdim=True)
            e_s = torch.exp((scores - top).clamp(max=0)) * mask
            want = e_s / e_s.sum(-1, keepdim=True).clamp(min=1e-30)
            out, w = attention(q.clone(), k.clone(), v.clone(), mask.clone())
            torch.testing.assert_close(w, want.to(dtype), atol=2e-3, rtol=0)
            torch.testing.assert_close(out, (want @ v.double()).to(dtype), atol=5e-3, rtol=0)
            if mask.any(-1).all():
                some = [x.clone().requires_grad_() for x in (q, k, v)]
                attention(*some, mask)[0].sum().backward()
                mine = [x.clone().requires_grad_() for x in (q, k, v)]
                s = (mine[0] @ mine[1].mT / d ** 0.5).masked_fill(~mask, float("-inf"))
                (s.softmax(-1) @ mine[2]).sum().backward()
                for x, y in zip(some, mine):
                    torch.testing.assert_close(x.grad, y.grad, atol=1e-2, rtol=1e-3)
    except (AssertionError, RuntimeError, IndexError, ValueError, TypeError):
        return False
    return True

# answer: my_suite | wrong | only tests the shapes: nearly all broken attentions return the right shapes | 7 of 7 right ones pass,
def my_suite(attention):
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.ones(2, 3, 4, 6, dtype=torch.bool)
    output, weights = attention(q, k, v, mask)
    return output.shape == (2, 3, 4, 5) and weights.shape == (2, 3, 4, 6)

# answer: my_suite | wrong | only tests that rows sum to 1 and that output = weights @ values: whether the weights are the right ones is never asked | 8 of 23 broken
def my_suite(attention):
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[..., 0] = True
    output, weights = attention(q, k, v, mask)
    sums = weights.sum(-1)
    return torch.allclose(sums, torch.ones_like(sums), atol=1e-4) and torch.allclose(output, weights @ v, atol=1e-4)

# answer: my_suite | wrong | the mask is all True: none of the faults in masking is caught | a mask that hides some keys to catch `ignores_the_mask`
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.ones(2, 3, 4, 6, dtype=torch.bool)
    output, weights = attention(q, k, v, mask)
    expected = torch.softmax(q @ k.transpose(-2, -1) / 8 ** 0.5, dim=-1)
    return torch.allclose(weights, expected, atol=1e-4) and torch.allclose(output, expected @ v, atol=1e-4)

# answer: my_suite | wrong | all sizes are 4: wrong axes, the scale by another size and swapped shapes stay unseen | and a look at what weights should be, to catch `scales_by_the_keys`
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = (torch.randn(4, 4, 4, 4) for _ in range(3))
    mask = torch.rand(4, 4, 4, 4) < 0.6
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 2).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return torch.allclose(weights, expected, atol=1e-4) and torch.allclose(output, expected @ v, atol=1e-4)

# answer: my_suite | wrong | no query without any allowed key: NaN or even weights there stay unseen | It takes a query that may attend to nothing
def my_suite(attention):
    torch.manual_seed(0)
    for dtype in (torch.float32, torch.float64):
        q, k, v = (torch.randn(2, 3, *s, dtype=dtype) for s in ((4, 8), (6, 8), (6, 5)))
        mask = torch.rand(2, 3, 4, 6) < 0.6
        mask[..., 0] = True
        output, weights = attention(q, k, v, mask)
        expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1)
        if output.dtype != dtype or weights.dtype != dtype:
            return False
        if not (torch.allclose(weights, expected, atol=1e-4) and torch.allclose(output, expected @ v, atol=1e-4)):
            return False
    return True

# answer: my_suite | wrong | its reference isn't divided by sqrt(d): it fails the right attentions and passes the unscaled one | 22 of 23 broken
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1)).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return torch.allclose(weights, expected, atol=1e-4) and torch.allclose(output, expected @ v, atol=1e-4)

# answer: my_suite | wrong | float32 only and no look at the dtype: attentions that return another dtype than that of the queries pass | a look at the dtype of what comes out, to catch
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return torch.allclose(weights.float(), expected, atol=1e-4) and torch.allclose(output.float(), expected @ v, atol=1e-4)

# answer: my_suite | wrong | one sentence with one head: mixing of sentences or heads and wrong broadcasting stay unseen | 13 of 23 broken
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(1, 1, 4, 8), torch.randn(1, 1, 6, 8), torch.randn(1, 1, 6, 5)
    mask = torch.rand(1, 1, 4, 6) < 0.6
    mask[0, 0, 2] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return (output.dtype == weights.dtype == torch.float32 and torch.allclose(weights, expected, atol=1e-4)
            and torch.allclose(output, expected @ v, atol=1e-4))

# answer: my_suite | wrong | compares the output only; the weights returned may be anything (scores, unmasked, transposed) | It takes a look at the weights to catch
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    output, _ = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return output.dtype == q.dtype and torch.allclose(output, expected @ v, atol=1e-4)

# answer: my_suite | wrong | tolerance of 1e-9 in float32 is below its rounding: right attentions written otherwise fail | Nothing passes your suite, not even
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return torch.allclose(weights, expected, atol=1e-9, rtol=0) and torch.allclose(output, expected @ v, atol=1e-9, rtol=0)

# answer: my_suite | wrong | returns True when the attention raises an error: a crash is no pass | 17 of 23 broken
def my_suite(attention):
    torch.manual_seed(0)
    try:
        q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
        mask = torch.rand(2, 1, 4, 6) < 0.6
        mask[0, 0, 0] = False
        output, weights = attention(q, k, v, mask)
        expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
        return torch.allclose(weights, expected, atol=1e-4) and torch.allclose(output, expected @ v, atol=1e-4)
    except Exception:
        return True

# answer: my_suite | wrong | each check overwrites ok, so only the last one (the dtype) counts: join them with and | 7 of 7 right ones pass,
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    ok = torch.allclose(weights, expected, atol=1e-4)
    ok = torch.allclose(output, expected @ v, atol=1e-4)
    ok = output.shape == (2, 3, 4, 5)
    ok = output.dtype == q.dtype
    return ok

# answer: my_suite | wrong | joins the checks with or: one that passes is enough | Everything passes your suite. Does it
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return output.shape == (2, 3, 4, 5) or torch.allclose(weights, expected, atol=1e-4) or torch.allclose(output, expected @ v, atol=1e-4)

# answer: my_suite | wrong | expects NaN for a query that sees nothing (no nan_to_num, equal_nan=True); the contract says 0 | 22 of 23 broken
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1)
    return (torch.allclose(weights, expected, atol=1e-4, equal_nan=True)
            and torch.allclose(output, expected @ v, atol=1e-4, equal_nan=True))

# answer: my_suite | wrong | d = 1: sqrt(1) = 1, so a missing or wrong scale can't show | 18 of 23 broken
def my_suite(attention):
    torch.manual_seed(0)
    for dtype in (torch.float32, torch.float64):
        q, k, v = (torch.randn(2, 3, *s, dtype=dtype) for s in ((4, 1), (6, 1), (6, 5)))
        mask = torch.rand(2, 3, 4, 6) < 0.6
        mask[0, 0, 0] = False
        output, weights = attention(q, k, v, mask)
        expected = (q @ k.transpose(-2, -1)).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
        if output.dtype != dtype or weights.dtype != dtype:
            return False
        if not (torch.allclose(weights, expected, atol=1e-4) and torch.allclose(output, expected @ v, atol=1e-4)):
            return False
    return True

# answer: my_suite | wrong | numbers a thousand times too small: all scores are about 0 and all outputs below the tolerance | 13 of 23 broken
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = 1e-3 * torch.randn(2, 3, 4, 8), 1e-3 * torch.randn(2, 3, 6, 8), 1e-3 * torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return torch.allclose(weights, expected, atol=1e-2) and torch.allclose(output, expected @ v, atol=1e-2)

# answer: my_suite | wrong | "inputs unchanged" compares each tensor with itself: before = q is no copy, clone() is missing; and its reference is made after the call from changed inputs | a look at the dtype of what comes out, to catch
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    before = q, k, v, mask
    output, weights = attention(q, k, v, mask)
    unchanged = all(torch.equal(a, b) for a, b in zip(before, (q, k, v, mask)))
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return unchanged and torch.allclose(weights, expected, atol=1e-4) and torch.allclose(output, expected @ v, atol=1e-4)

# answer: my_suite | wrong | gives an additive mask of floats (0 and -inf): the contract wants a boolean one, True = may attend | ~ turns booleans around, and this
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 5, 8), torch.randn(2, 3, 5, 4)
    mask = torch.full((5, 5), float("-inf")).triu(diagonal=1)
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5 + mask).softmax(-1)
    return torch.allclose(weights, expected, atol=1e-4) and torch.allclose(output, expected @ v, atol=1e-4)

# answer: my_suite | wrong | the causal mask only, with n = m: no padding, no empty query, no mask of its own per sentence or head, always the same numbers | 14 of 23 broken
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 3, 6, 8) for _ in range(3))
    mask = torch.ones(6, 6, dtype=torch.bool).tril()
    output, weights = attention(q, k, v, mask)
    return (torch.allclose(output, F.scaled_dot_product_attention(q, k, v, is_causal=True), atol=1e-4)
            and torch.allclose(weights.sum(-1), torch.ones(2, 3, 6), atol=1e-4))

# answer: my_suite | wrong | reads mask the wrong way round in its reference (True = forbidden): right attentions fail, the inverted one passes | Nothing passes your suite, not even
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.5
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(mask, float("-inf")).softmax(-1).nan_to_num(0)
    return torch.allclose(weights, expected, atol=1e-4) and torch.allclose(output, expected @ v, atol=1e-4)

# answer: my_suite | wrong | compares sums of weights and outputs with the reference's: permuted or mixed numbers have the same sum | 15 of 23 broken
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 6, 8), torch.randn(2, 3, 6, 5)
    mask = torch.rand(2, 3, 4, 6) < 0.6
    mask[0, 0, 0] = False
    output, weights = attention(q, k, v, mask)
    expected = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return abs((weights.sum() - expected.sum()).item()) < 1e-2 and abs((output.sum() - (expected @ v).sum()).item()) < 1e-2

# answer: my_suite | wrong | a tensor, a truth value for each row | True or False is asked for
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 6)
    mask = torch.rand(2, 1, 5, 7) < 0.7
    mask[..., 0] = True
    out, w = attention(q, k, v, mask)
    return torch.isclose(w.sum(-1), torch.ones(2, 3, 5))

# answer: my_suite | wrong | how far off it is | True or False is asked for
def my_suite(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 6)
    mask = torch.rand(2, 1, 5, 7) < 0.7
    mask[..., 0] = True
    out, w = attention(q, k, v, mask)
    return (w.sum(-1) - 1).abs().max()

# answer: my_suite | wrong | large scores in float64 alone | scores of 89 or more in float32
def my_suite(attention):
    torch.manual_seed(0)
    for times, kind in ((1, torch.float32), (8, torch.float64)):
        q, k, v = (x.to(kind) for x in (torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 6)))
        q, k = q * times, k * times
        mask = torch.rand(2, 1, 5, 7) < 0.7
        mask[..., 0] = True
        mask[0, 0, 1] = False
        out, w = attention(q, k, v, mask)
        s = (q @ k.mT / 2).masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
        if out.dtype != kind or not torch.allclose(w, s, atol=1e-5) or not torch.allclose(out, s @ v, atol=1e-5):
            return False
    return True

# answer: my_causal_test | wrong | changes the last token, looks at the first output | You change the last token alone, and look at the first output alone
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    before = attention(queries, keys, values, mask)[0]
    k, v = keys.clone(), values.clone()
    k[:, :, -1] += 3
    v[:, :, -1] += 3
    after = attention(queries, k, v, mask)[0]
    return torch.allclose(before[:, :, 0], after[:, :, 0], atol=1e-5)

# answer: my_padding_test | wrong | asks whether one number is far off, so NaN passes | A comparison with NaN is never true
def my_padding_test(attention, queries, keys, values, real):
    mask = real[:, None, None, :]
    pad = ~real[:, None, :, None]
    a = attention(queries, keys, values, mask)[0]
    b = attention(queries, keys.masked_fill(pad, 9), values.masked_fill(pad, 9), mask)[0]
    return not ((a - b).abs() > 1e-5).any().item()

# answer: my_padding_test | wrong | cuts off what is padding in all sentences | You cut off what is padding in every sentence
def my_padding_test(attention, queries, keys, values, real):
    n = int(real.sum(-1).max())
    mask = real[:, None, None, :]
    a = attention(queries, keys, values, mask)[0]
    b = attention(queries, keys[:, :, :n], values[:, :, :n], mask[..., :n])[0]
    return torch.allclose(a, b, atol=1e-5)

# answer: my_rows_test | wrong | a tolerance of 0.015 | `adds_a_hair_everywhere` passes
def my_rows_test(attention, queries, keys, values, mask):
    return bool(((attention(queries, keys, values, mask)[1].sum(-1) - 1).abs() < 0.015).all())

# answer: my_rows_test | wrong | sums rounded to two decimals | `adds_a_hair_everywhere` passes
def my_rows_test(attention, queries, keys, values, mask):
    sums = attention(queries, keys, values, mask)[1].sum(-1)
    return bool((sums.round(decimals=2) == 1).all())

# answer: my_heads_test | wrong | compares the weights alone | You compare the weights alone
def my_heads_test(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 6)
    mask = torch.rand(2, 1, 5, 7) < 0.7
    mask[..., 0] = True
    w = attention(q, k, v, mask)[1]
    for b in range(2):
        for h in range(3):
            one = attention(q[b:b+1, h:h+1], k[b:b+1, h:h+1], v[b:b+1, h:h+1], mask[b:b+1])[1]
            if not torch.allclose(one, w[b:b+1, h:h+1], atol=1e-5):
                return False
    return True

# answer: my_cache_test | wrong | the second text begins with the first one's cache | Does each text begin with None
def my_cache_test(step):
    torch.manual_seed(0)
    cache = None
    for text in range(2):
        q, k, v = torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 5)
        made = []
        for t in range(7):
            out, cache = step(q[:, :, t:t+1], k[:, :, t:t+1], v[:, :, t:t+1], cache)
            made.append(out)
        causal = torch.ones(7, 7).tril().bool()
        right = (q @ k.mT / 2).masked_fill(~causal, -torch.inf).softmax(-1) @ v
        if not torch.allclose(torch.cat(made, 2), right, atol=1e-5):
            return False
    return True

# answer: my_rows_test | wrong | the first head alone | You look at the first head alone
def my_rows_test(attention, queries, keys, values, mask):
    w = attention(queries, keys, values, mask)[1]
    return torch.allclose(w[:, 0].sum(-1), torch.ones(w.shape[0], w.shape[2]), atol=1e-5)

# answer: my_suite | right | a tensor of one truth value
def my_suite(attention):
    g = torch.Generator().manual_seed(8)
    ok = torch.tensor(True)
    for scale, kind, tol in ((1, torch.float32, 1e-5), (9, torch.float32, 1e-3), (1, torch.float64, 1e-9)):
        q, k, v = (torch.randn(*s, generator=g, dtype=kind) for s in ((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6)))
        q, k = q * scale, k * scale
        mask = torch.rand(2, 1, 5, 7, generator=g) < 0.6
        mask[..., 0] = True
        mask[1, 0, 3] = False
        for _ in range(2):
            out, w = attention(q, k, v, mask)
            ref = (q.double() @ k.double().mT / 2).masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
            good = out.dtype == kind and torch.allclose(w.double(), ref, atol=tol) and torch.allclose(out.double(), ref @ v.double(), atol=tol)
            ok = ok & good
    q, k, v = (torch.randn(*s, generator=g, requires_grad=True) for s in ((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6)))
    mask[..., 0] = True
    a = torch.autograd.grad(attention(q, k, v, mask)[0].square().sum(), (q, k, v), allow_unused=True)
    b = torch.autograd.grad(F.scaled_dot_product_attention(q, k, v, mask).square().sum(), (q, k, v))
    for x, y in zip(a, b):
        ok = ok & (x is not None and torch.allclose(x, y, atol=1e-4))
    return ok

# answer: my_causal_test | right | writes constants over the future
def my_causal_test(attention, queries, keys, values):
    n = queries.shape[2]
    mask = torch.tril(torch.ones(n, n)).bool()
    a = attention(queries, keys, values, mask)[0]
    for j in range(1, n):
        k, v = keys.clone(), values.clone()
        k[:, :, j:], v[:, :, j:] = 0.5, -2.0
        b = attention(queries, k, v, mask)[0]
        if not torch.allclose(a[:, :, :j], b[:, :, :j], atol=1e-5):
            return False
    return True

# answer: my_gradient_test | right | autograd.grad beside attend
def my_gradient_test(attention, queries, keys, values, mask):
    def gradients(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
    right = gradients(lambda q, k, v, mask: attend(dot_product_scores(q, k), v, mask))
    pairs = zip(gradients(attention), right)
    return all(a is not None and torch.allclose(a, b, atol=1e-4) for a, b in pairs)

# answer: my_gradient_test | right | backward with random weights, and PyTorch's own attention
def my_gradient_test(attention, queries, keys, values, mask):
    found = []
    for which in range(2):
        q, k, v = (x.detach().clone().requires_grad_(True) for x in (queries, keys, values))
        out = attention(q, k, v, mask)[0] if which else F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        ramp = torch.linspace(-1, 2, out.numel()).view(out.shape)
        (out * ramp).sum().backward()
        found.append([torch.zeros_like(x) if x.grad is None else x.grad for x in (q, k, v)])
    return all(((a - b).abs() < 1e-4).all().item() for a, b in zip(*found))

# answer: my_gradient_test | right | the sum of the output
def my_gradient_test(attention, queries, keys, values, mask):
    ok = True
    q, k, v = [x.clone().requires_grad_() for x in (queries, keys, values)]
    mine = torch.autograd.grad(attention(q, k, v, mask)[0].sum(), (q, k, v), allow_unused=True)
    s = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, float("-inf"))
    right = torch.autograd.grad((s.softmax(-1) @ v).sum(), (q, k, v))
    for a, b in zip(mine, right):
        ok = ok and a is not None and bool(torch.isclose(a, b, atol=1e-5, rtol=1e-4).all())
    return ok

# answer: my_gradient_test | wrong | outputs alone | You compare outputs
def my_gradient_test(attention, queries, keys, values, mask):
    right = attend(dot_product_scores(queries, keys), values, mask)[0]
    return torch.allclose(attention(queries, keys, values, mask)[0], right, atol=1e-5)

# answer: my_gradient_test | wrong | whether there is a gradient | whether there is a gradient
def my_gradient_test(attention, queries, keys, values, mask):
    some = [x.clone().requires_grad_() for x in (queries, keys, values)]
    made = torch.autograd.grad(attention(*some, mask)[0].square().sum(), some, allow_unused=True)
    return all(g is not None and bool(g.abs().sum() > 0) for g in made)

# answer: my_gradient_test | wrong | the values' alone | the values alone
def my_gradient_test(attention, queries, keys, values, mask):
    v1, v2 = values.clone().requires_grad_(), values.clone().requires_grad_()
    a, = torch.autograd.grad(attention(queries, keys, v1, mask)[0].square().sum(), v1, allow_unused=True)
    b, = torch.autograd.grad(attend(dot_product_scores(queries, keys), v2, mask)[0].square().sum(), v2)
    return a is not None and torch.allclose(a, b, atol=1e-5)

# answer: my_gradient_test | wrong | norms of gradients | how large
def my_gradient_test(attention, queries, keys, values, mask):
    def norms(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        made = torch.autograd.grad(f(*some)[0].square().sum(), some, allow_unused=True)
        return torch.stack([torch.tensor(0.0) if g is None else g.norm() for g in made])
    return torch.allclose(norms(lambda q, k, v: attention(q, k, v, mask)), norms(lambda q, k, v: attend(dot_product_scores(q, k), v, mask)), atol=1e-4)

# answer: my_gradient_test | wrong | what has no gradient raises | allow_unused=True
def my_gradient_test(attention, queries, keys, values, mask):
    def gradients(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].sum(), some)
    right = gradients(lambda q, k, v, mask: attend(dot_product_scores(q, k), v, mask))
    return all(torch.allclose(a, b, atol=1e-4) for a, b in zip(gradients(attention), right))

# answer: my_gradient_test | wrong | exactly equal | allow for rounding
def my_gradient_test(attention, queries, keys, values, mask):
    def gradients(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
    right = gradients(lambda q, k, v, mask: attend(dot_product_scores(q, k), v, mask))
    return all(a is not None and torch.equal(a, b) for a, b in zip(gradients(attention), right))

# answer: my_gradient_test | wrong | None is skipped | no gradient
def my_gradient_test(attention, queries, keys, values, mask):
    def gradients(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
    right = gradients(lambda q, k, v, mask: attend(dot_product_scores(q, k), v, mask))
    for a, b in zip(gradients(attention), right):
        if a is not None and not torch.allclose(a, b, atol=1e-4):
            return False
    return True

# answer: my_gradient_test | wrong | beside its own gradient | with its own
def my_gradient_test(attention, queries, keys, values, mask):
    def gradients():
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        made = torch.autograd.grad(attention(*some, mask)[0].square().sum(), some, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for g, x in zip(made, some)]
    return all(torch.allclose(a, b, atol=1e-5, equal_nan=True) for a, b in zip(gradients(), gradients()))

# answer: my_gradient_test | wrong | no leaves | do not need one
def my_gradient_test(attention, queries, keys, values, mask):
    a = torch.autograd.grad(attention(queries, keys, values, mask)[0].sum(), [queries, keys, values])
    b = torch.autograd.grad(attend(dot_product_scores(queries, keys), values, mask)[0].sum(), [queries, keys, values])
    return all(torch.allclose(x, y) for x, y in zip(a, b))

# answer: my_gradient_test | wrong | one far off, so NaN passes | A comparison with NaN
def my_gradient_test(attention, queries, keys, values, mask):
    def gradients(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        made = torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for g, x in zip(made, some)]
    right = gradients(lambda q, k, v, mask: attend(dot_product_scores(q, k), v, mask))
    return not any(((a - b).abs() > 1e-4).any() for a, b in zip(gradients(attention), right))

# answer: my_gradient_test | wrong | queries and keys, the values forgotten | that of the values
def my_gradient_test(attention, queries, keys, values, mask):
    def gradients(f):
        some = [x.clone().requires_grad_() for x in (queries, keys)]
        made = torch.autograd.grad(f(*some, values, mask)[0].square().sum(), some, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for g, x in zip(made, some)]
    right = gradients(lambda q, k, v, mask: attend(dot_product_scores(q, k), v, mask))
    return all(torch.allclose(a, b, atol=1e-5) for a, b in zip(gradients(attention), right))

# answer: my_gradient_test | wrong | a tolerance of a tenth | too generous
def my_gradient_test(attention, queries, keys, values, mask):
    def gradients(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        made = torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for g, x in zip(made, some)]
    right = gradients(lambda q, k, v, mask: attend(dot_product_scores(q, k), v, mask))
    return all(torch.allclose(a, b, atol=0.1) for a, b in zip(gradients(attention), right))

# answer: my_gradient_test | wrong | sums of the gradients | sums
def my_gradient_test(attention, queries, keys, values, mask):
    def gradients(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        made = torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
        return [0.0 if g is None else g.sum().item() for g in made]
    right = gradients(lambda q, k, v, mask: attend(dot_product_scores(q, k), v, mask))
    return all(abs(a - b) < 1e-3 for a, b in zip(gradients(attention), right))

# answer: my_suite | right | gradients, too
def my_suite(attention):
    for times, kind, close in ((1, torch.float32, 1e-5), (8, torch.float32, 1e-3), (1, torch.float64, 1e-8)):
        q, k, v = (times * torch.randn(2, 3, n, d, dtype=kind) for n, d in ((5, 4), (7, 4), (7, 3)))
        mask = torch.rand(2, 1, 5, 7) < 0.6
        mask[0, 0, 1] = False
        for a, b in zip(attention(q, k, v, mask), attend(dot_product_scores(q, k), v, mask)):
            if a.dtype != kind or a.shape != b.shape or not torch.allclose(a, b, atol=close):
                return False
    q, k, v = (torch.randn(2, 3, n, d, requires_grad=True) for n, d in ((5, 4), (7, 4), (7, 3)))
    mask[..., 0] = True
    made = [torch.autograd.grad(o.square().sum(), (q, k, v), allow_unused=True)
            for o in (attention(q, k, v, mask)[0], attend(dot_product_scores(q, k), v, mask)[0])]
    return all(a is not None and torch.allclose(a, b, atol=1e-4) for a, b in zip(*made))

# answer: my_gradient_test | wrong | that there is a gradient, be it NaN | whether there is a gradient
def my_gradient_test(attention, queries, keys, values, mask):
    leaves = queries.clone().requires_grad_(), keys.clone().requires_grad_(), values.clone().requires_grad_()
    attention(*leaves, mask)[0].sum().backward()
    return all(x.grad is not None for x in leaves)


# answer: my_gradient_test | wrong | where it is None, it goes on | None is skipped
def my_gradient_test(attention, queries, keys, values, mask):
    def slopes(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
    ref = lambda q, k, v, m: attend(dot_product_scores(q, k), v, m)
    for a, b in zip(slopes(attention), slopes(ref)):
        if a is None:
            continue
        if not torch.allclose(a, b, atol=1e-4):
            return False
    return True


# answer: my_gradient_test | wrong | a reference without the mask | Your reference does not get the mask
def my_gradient_test(attention, queries, keys, values, mask):
    def slopes(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
    ref = lambda q, k, v, m: attend(dot_product_scores(q, k), v)
    return all(a is not None and torch.allclose(a, b, atol=1e-4) for a, b in zip(slopes(attention), slopes(ref)))


# answer: my_gradient_test | wrong | a reference without the scale | Your reference does not divide
def my_gradient_test(attention, queries, keys, values, mask):
    def slopes(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
    ref = lambda q, k, v, m: attend(q @ k.mT, v, m)
    return all(a is not None and torch.allclose(a, b, atol=1e-4) for a, b in zip(slopes(attention), slopes(ref)))


# answer: my_gradient_test | wrong | gradients that add up, copied in between | add to the same `.grad`
def my_gradient_test(attention, queries, keys, values, mask):
    leaves = [x.clone().requires_grad_() for x in (queries, keys, values)]
    attention(*leaves, mask)[0].square().sum().backward()
    mine = [None if x.grad is None else x.grad.clone() for x in leaves]
    attend(dot_product_scores(leaves[0], leaves[1]), leaves[2], mask)[0].square().sum().backward()
    right = [x.grad for x in leaves]
    return all(a is not None and torch.allclose(a, b, atol=1e-4) for a, b in zip(mine, right))


# answer: my_gradient_test | wrong | any for all | one of the three gradients is right
def my_gradient_test(attention, queries, keys, values, mask):
    def slopes(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
    ref = lambda q, k, v, m: attend(dot_product_scores(q, k), v, m)
    return any(a is not None and torch.allclose(a, b, atol=1e-4) for a, b in zip(slopes(attention), slopes(ref)))


# answer: my_gradient_test | wrong | the mean of the differences | or their mean
def my_gradient_test(attention, queries, keys, values, mask):
    def slopes(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
    ref = lambda q, k, v, m: attend(dot_product_scores(q, k), v, m)
    return all(a is not None and abs((a - b).mean()) < 1e-4 for a, b in zip(slopes(attention), slopes(ref)))


# answer: my_gradient_test | wrong | torch.equal | allow for rounding
def my_gradient_test(attention, queries, keys, values, mask):
    def slopes(f):
        some = [x.clone().requires_grad_() for x in (queries, keys, values)]
        return torch.autograd.grad(f(*some, mask)[0].square().sum(), some, allow_unused=True)
    ref = lambda q, k, v, m: attend(dot_product_scores(q, k), v, m)
    return all(a is not None and torch.equal(a, b) for a, b in zip(slopes(attention), slopes(ref)))


# answer: my_suite | wrong | None is skipped | detaches_the_keys
def my_suite(attention):
    def ref(q, k, v, m):
        return attend(dot_product_scores(q, k), v, m)
    for times, kind in ((1, torch.float32), (8, torch.float32), (1, torch.float64)):
        torch.manual_seed(1)
        q, k, v = torch.randn(2, 3, 5, 4, dtype=kind) * times, torch.randn(2, 3, 7, 4, dtype=kind) * times, torch.randn(2, 3, 7, 6, dtype=kind)
        m = torch.rand(2, 1, 5, 7) < 0.6
        m[..., 0] = True
        e = m.clone()
        e[0, 0, 0] = False
        for x, y in zip(attention(q, k, v, e), ref(q, k, v, e)):
            if x.dtype != kind or not torch.allclose(x, y, atol=1e-5 if times == 1 else 1e-3):
                return False
        if times == 1:
            def slopes(f):
                some = [x.clone().requires_grad_() for x in (q, k, v)]
                return torch.autograd.grad(f(*some, m)[0].square().sum(), some, allow_unused=True)
            for a, b in zip(slopes(attention), slopes(ref)):
                if a is not None and not torch.allclose(a, b, atol=1e-4):
                    return False
    return True
