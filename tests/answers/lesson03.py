"""Right and wrong answers to lesson 03's exercises, as learners write them."""

import math

import torch

RIGHT = {}
WRONG = {}


# 3.1 my_lookahead_mask


def lookahead_compare(num_steps, lookahead):
    j = torch.arange(num_steps)
    i = j[:, None]
    return j <= i + lookahead


def lookahead_loop(num_steps, lookahead):
    mask = torch.zeros(num_steps, num_steps, dtype=torch.bool)
    for i in range(num_steps):
        for j in range(num_steps):
            if j <= i + lookahead:
                mask[i, j] = True
    return mask


def lookahead_triu(num_steps, lookahead):
    future = torch.triu(torch.ones(num_steps, num_steps), diagonal=lookahead + 1)
    return future == 0


def lookahead_wrong_sign(num_steps, lookahead):
    return torch.tril(torch.ones(num_steps, num_steps), diagonal=-lookahead).bool()


def lookahead_unused(num_steps, lookahead):
    return torch.ones(num_steps, num_steps, dtype=torch.bool).tril(0)


def lookahead_short_slice(num_steps, lookahead):
    rows = []
    for i in range(num_steps):
        end = min(i + lookahead, num_steps)
        rows.append([True] * end + [False] * (num_steps - end))
    return torch.tensor(rows)


def lookahead_one_more(num_steps, lookahead):
    j = torch.arange(num_steps)
    return j < j[:, None] + lookahead + 2


def lookahead_flipped(num_steps, lookahead):
    i = torch.arange(num_steps)
    j = i.unsqueeze(1)
    return j <= i + lookahead


def lookahead_forbidden(num_steps, lookahead):
    return torch.triu(torch.ones(num_steps, num_steps), lookahead + 1).bool()


def lookahead_band(num_steps, lookahead):
    mask = torch.zeros(num_steps, num_steps, dtype=torch.bool)
    for i in range(num_steps):
        mask[i, max(0, i - lookahead) : i + lookahead + 1] = True
    return mask


def lookahead_no_past(num_steps, lookahead):
    mask = torch.zeros(num_steps, num_steps, dtype=torch.bool)
    for i in range(num_steps):
        mask[i, i : i + lookahead + 1] = True
    return mask


def lookahead_float(num_steps, lookahead):
    return torch.ones(num_steps, num_steps).tril(lookahead)


RIGHT["my_lookahead_mask"] = [lookahead_compare, lookahead_loop, lookahead_triu]
WRONG["my_lookahead_mask"] = [
    (lookahead_wrong_sign, "moved the wrong way"),
    (lookahead_unused, "look-ahead makes no difference"),
    (lookahead_short_slice, "one key early"),
    (lookahead_one_more, "one key late"),
    (lookahead_flipped, "Queries and keys are exchanged"),
    (lookahead_forbidden, "True means may attend"),
    (lookahead_band, "a band"),
    (lookahead_no_past, "nothing that came before"),
    (lookahead_float, "must be torch.bool, got torch.float32"),
]


# 3.2 my_padding_mask


def padding_broadcast(valid_lens, num_keys):
    if valid_lens.dim() == 1:
        valid_lens = valid_lens[:, None]
    return torch.arange(num_keys)[None, None, :] < valid_lens[:, :, None]


def padding_loop(valid_lens, num_keys):
    lens = valid_lens.tolist()
    if valid_lens.dim() == 1:
        lens = [[n] for n in lens]
    return torch.tensor([[[j < n for j in range(num_keys)] for n in row] for row in lens])


def padding_cumsum(valid_lens, num_keys):
    lens = valid_lens.reshape(valid_lens.shape[0], -1)
    numbers = torch.ones(*lens.shape, num_keys).cumsum(-1)
    return numbers <= lens.unsqueeze(2)


def padding_off_by_one(valid_lens, num_keys):
    lens = valid_lens.reshape(len(valid_lens), -1, 1)
    return lens >= torch.arange(num_keys)


def padding_from_one(valid_lens, num_keys):
    lens = valid_lens.reshape(len(valid_lens), -1, 1)
    return torch.tensor([j + 1 for j in range(num_keys)]) < lens


def padding_inverted(valid_lens, num_keys):
    lens = valid_lens.reshape(len(valid_lens), -1, 1)
    pads = torch.ones(len(lens), lens.shape[1], num_keys, dtype=torch.bool)
    for b in range(len(lens)):
        for i in range(lens.shape[1]):
            pads[b, i, : lens[b, i, 0]] = False
    return pads


def padding_two_axes(valid_lens, num_keys):
    return torch.arange(num_keys) < valid_lens[..., None]


def padding_one_dimension(valid_lens, num_keys):
    steps = torch.arange(num_keys).view(1, 1, -1)
    return steps < valid_lens.unsqueeze(1).unsqueeze(1)


def padding_folded(valid_lens, num_keys):
    flat = valid_lens.flatten()
    mask = torch.zeros(len(flat), 1, num_keys, dtype=torch.bool)
    for row, n in enumerate(flat):
        mask[row, :, :n] = True
    return mask


def padding_down(valid_lens, num_keys):
    lens = valid_lens.reshape(len(valid_lens), 1, -1)
    return torch.arange(num_keys)[:, None] < lens


def padding_longest(valid_lens, num_keys):
    lens = valid_lens.reshape(len(valid_lens), -1, 1)
    return torch.arange(int(lens.max())) < lens


def padding_first_query(valid_lens, num_keys):
    first = valid_lens if valid_lens.dim() == 1 else valid_lens[:, 0]
    return (torch.arange(num_keys)[None, :] < first[:, None])[:, None, :]


def padding_repeated(valid_lens, num_keys):
    if valid_lens.dim() == 1:
        valid_lens = valid_lens[:, None].repeat(1, num_keys)
    return torch.arange(num_keys) < valid_lens[:, :, None]


RIGHT["my_padding_mask"] = [padding_broadcast, padding_loop, padding_cumsum]
WRONG["my_padding_mask"] = [
    (padding_off_by_one, "One key too many in each row, 2 cells"),
    (padding_from_one, "One key too few"),
    (padding_inverted, "True stands on the pads"),
    (padding_two_axes, "the axis of the queries is missing"),
    (padding_one_dimension, "one new axis, at the end, not two"),
    (padding_folded, "batch * queries sentences"),
    (padding_down, "The keys run down"),
    (padding_longest, "Your mask has 3 keys instead of 4"),
    (padding_first_query, "length of the first query"),
    (padding_repeated, "repeated the row num_keys times"),
]


# 3.3 my_token_mask


def token_einsum(query_mask, key_mask):
    return torch.einsum("bi,bj->bij", query_mask.int(), key_mask.int()).bool()


def token_outer(query_mask, key_mask):
    return (query_mask.float().unsqueeze(2) @ key_mask.float().unsqueeze(1)) > 0


def token_loop(query_mask, key_mask):
    batch, queries = query_mask.shape
    mask = torch.zeros(batch, queries, key_mask.shape[1], dtype=torch.bool)
    for b in range(batch):
        for i in range(queries):
            if query_mask[b, i]:
                mask[b, i] = key_mask[b]
    return mask


def token_or(query_mask, key_mask):
    return (query_mask[:, :, None].int() + key_mask[:, None, :].int()).bool()


def token_equal(query_mask, key_mask):
    return ~(query_mask[:, :, None] ^ key_mask[:, None, :])


def token_differ(query_mask, key_mask):
    return query_mask[:, :, None] ^ key_mask[:, None, :]


def token_transposed(query_mask, key_mask):
    return query_mask[:, None, :] & key_mask[:, :, None]


def token_inverted(query_mask, key_mask):
    return ~query_mask[:, :, None] | ~key_mask[:, None, :]


def token_pads(query_mask, key_mask):
    return torch.logical_and(query_mask[:, :, None] == 0, key_mask[:, None, :] == 0)


def token_keys_only(query_mask, key_mask):
    return key_mask[:, None, :].repeat(1, query_mask.shape[1], 1)


def token_queries_only(query_mask, key_mask):
    return torch.stack([query_mask] * key_mask.shape[1], dim=2)


def token_first_sentence(query_mask, key_mask):
    return torch.stack([torch.outer(query_mask[0], key_mask[0])] * len(query_mask))


def token_no_axes(query_mask, key_mask):
    return torch.logical_and(query_mask, key_mask)


def token_batches_mixed(query_mask, key_mask):
    return query_mask[:, None, :] & key_mask[None, :, :]


RIGHT["my_token_mask"] = [token_einsum, token_outer, token_loop]
WRONG["my_token_mask"] = [
    (token_or, "as soon as one side is real"),
    (token_equal, "Two pads are equal too"),
    (token_differ, "whether the sides differ"),
    (token_transposed, "your mask has the shape (1, 3, 2)"),
    (token_inverted, "False exactly where both tokens are real"),
    (token_pads, "You combined the pads"),
    (token_keys_only, "the query mask makes no difference"),
    (token_queries_only, "the key mask makes no difference"),
    (token_first_sentence, "the mask of the first one"),
    (token_no_axes, "paired number by number"),
    (token_batches_mixed, "every sentence meet"),
]


# 3.4 my_causal_padding_mask


def both_minimum(valid_lens, num_steps):
    lens = torch.minimum(torch.arange(num_steps) + 1, valid_lens[:, None])
    return torch.arange(num_steps) < lens[:, :, None]


def both_loop(valid_lens, num_steps):
    mask = torch.zeros(len(valid_lens), num_steps, num_steps, dtype=torch.bool)
    for b, n in enumerate(valid_lens.tolist()):
        for i in range(num_steps):
            mask[b, i, : min(i + 1, n)] = True
    return mask


def both_product(valid_lens, num_steps):
    tril = torch.ones(num_steps, num_steps).tril()
    real = (torch.arange(num_steps)[None] < valid_lens[:, None]).float()
    return torch.einsum("ij,bj->bij", tril, real) == 1


def both_sum(valid_lens, num_steps):
    j = torch.arange(num_steps)
    return (j < valid_lens[:, None, None]) + (j <= j[:, None])


def both_causal_only(valid_lens, num_steps):
    tril = torch.ones(num_steps, num_steps, dtype=torch.bool).tril()
    return tril.expand(len(valid_lens), num_steps, num_steps)


def both_padding_only(valid_lens, num_steps):
    real = torch.arange(num_steps) < valid_lens[:, None, None]
    return real.expand(-1, num_steps, -1)


def both_triu(valid_lens, num_steps):
    future = torch.ones(num_steps, num_steps, dtype=torch.bool).triu()
    return future & (torch.arange(num_steps) < valid_lens[:, None, None])


def both_strict(valid_lens, num_steps):
    tril = torch.ones(num_steps, num_steps, dtype=torch.bool).tril(-1)
    return tril & (torch.arange(num_steps) < valid_lens[:, None, None])


def both_one_pad(valid_lens, num_steps):
    mask = torch.zeros(len(valid_lens), num_steps, num_steps, dtype=torch.bool)
    for b in range(len(valid_lens)):
        for i in range(num_steps):
            for j in range(num_steps):
                mask[b, i, j] = j <= i and j <= valid_lens[b]
    return mask


def both_rows(valid_lens, num_steps):
    i = torch.arange(num_steps)[:, None]
    return (i < valid_lens[:, None, None]) & (i >= i.T)


def both_square(valid_lens, num_steps):
    mask = torch.zeros(len(valid_lens), num_steps, num_steps, dtype=torch.bool)
    for b, n in enumerate(valid_lens.tolist()):
        mask[b, :n, :n] = torch.ones(n, n, dtype=torch.bool).tril()
    return mask


def both_inverted(valid_lens, num_steps):
    j = torch.arange(num_steps)
    return (j >= valid_lens[:, None, None]) | (j > j[:, None])


def both_first_length(valid_lens, num_steps):
    one = torch.ones(num_steps, num_steps, dtype=torch.bool).tril()
    one[:, valid_lens[0] :] = False
    return one.repeat(len(valid_lens), 1, 1)


def both_wrong_axes(valid_lens, num_steps):
    j = torch.arange(num_steps)
    return (j < valid_lens[:, None]) & (j <= j[:, None])


RIGHT["my_causal_padding_mask"] = [both_minimum, both_loop, both_product]
WRONG["my_causal_padding_mask"] = [
    (both_sum, "a sum of booleans is an or"),
    (both_causal_only, "the causal mask alone"),
    (both_padding_only, "the future included"),
    (both_triu, "themselves and the future"),
    (both_strict, "the diagonal is missing"),
    (both_one_pad, "One pad per sentence is visible"),
    (both_rows, "The rows of the pads are empty"),
    (both_square, "cut a square out of the triangle"),
    (both_inverted, "True stands on pads and future"),
    (both_first_length, "length of the first one"),
    (both_wrong_axes, "The two masks meet on the wrong axes"),
]


# 3.5 my_masked_softmax


def softmax_where(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(torch.where(mask, scores, lowest), dim=-1)
    return torch.where(mask, weights, 0)


def softmax_by_hand(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    top = scores.amax(-1, keepdim=True)
    top = torch.where(top == float("-inf"), torch.zeros_like(top), top)
    raw = torch.exp(scores - top) * mask
    total = raw.sum(-1, keepdim=True)
    return raw / torch.where(total == 0, torch.ones_like(total), total)


def softmax_rows(scores, mask):
    mask = mask.expand_as(scores)
    flat, allowed = scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, scores.shape[-1])
    rows = []
    for row, may in zip(flat, allowed, strict=True):
        if may.any():
            where = may.nonzero().squeeze(1)
            rows.append(torch.zeros_like(row).index_copy(0, where, row[where].softmax(0)))
        else:
            rows.append(row * 0)
    return torch.stack(rows).view(scores.shape)


def softmax_fill_zero(scores, mask):
    return torch.where(mask, scores, torch.zeros_like(scores)).softmax(dim=-1)


def softmax_scores_times_mask(scores, mask):
    return torch.softmax(scores * mask.to(scores.dtype), dim=-1)


def softmax_zero_after(scores, mask):
    return scores.softmax(-1).masked_fill(mask == False, 0)  # noqa: E712


def softmax_1e6(scores, mask):
    return scores.masked_fill(mask.logical_not(), -1e6).softmax(-1)


def softmax_1e9(scores, mask):
    filled = scores.masked_fill(mask == 0, -1e9)
    e = torch.exp(filled - filled.max(-1, keepdim=True).values)
    return e / e.sum(-1, keepdim=True)


def softmax_1e9_and_empty(scores, mask):
    return scores.masked_fill(~mask, -1e9).softmax(-1) * mask.any(-1, keepdim=True)


def softmax_lowest(scores, mask):
    return torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)


def softmax_nan(scores, mask):
    penalty = torch.zeros_like(scores).masked_fill(~mask, -math.inf)
    return torch.softmax(scores + penalty, dim=-1)


def softmax_no_maximum(scores, mask):
    e = torch.exp(scores) * mask
    return e / e.sum(dim=-1, keepdim=True)


def softmax_shared_again(scores, mask):
    w = torch.softmax(scores, -1).masked_fill(~mask, 0)
    return w / w.sum(-1).unsqueeze(-1)


def softmax_inverted(scores, mask):
    return torch.where(mask, -math.inf, scores).softmax(-1)


def softmax_over_queries(scores, mask):
    return torch.where(mask, scores, -math.inf).softmax(dim=scores.dim() - 2)


def softmax_axis_1(scores, mask):
    return torch.where(mask, scores, -math.inf).softmax(1).nan_to_num(0)


def softmax_indexing(scores, mask):
    scores = scores * 1
    scores[mask == 0] = float("-inf")
    return scores.softmax(-1)


def softmax_no_mask(scores, mask):
    scores.masked_fill(~mask, -math.inf)
    return scores.softmax(-1)


def softmax_in_place(scores, mask):
    scores.masked_fill_(~mask, float("-inf"))
    weights = scores.softmax(-1)
    weights[weights.isnan()] = 0
    return weights


def softmax_repaired(scores, mask):
    penalty = torch.zeros(scores.shape, dtype=scores.dtype).masked_fill(~mask, -math.inf)
    return torch.nan_to_num((scores + penalty).softmax(-1))


def softmax_single(scores, mask):
    penalty = torch.zeros(scores.shape)
    penalty[~mask.expand_as(scores)] = -math.inf
    total = scores + penalty
    total = total.masked_fill(~mask.any(-1, keepdim=True), 0)
    return torch.softmax(total, -1) * mask.any(-1, keepdim=True)


RIGHT["my_masked_softmax"] = [softmax_where, softmax_by_hand, softmax_rows]
WRONG["my_masked_softmax"] = [
    (softmax_fill_zero, "still get weight 0.09: you filled the scores with 0"),
    (
        softmax_scores_times_mask,
        "still get weight 0.09: you filled the scores with 0, or multiplied",
    ),
    (softmax_zero_after, "a row sums to 0.33 instead of 1"),
    (softmax_1e6, "against an allowed score of -2e6"),
    (softmax_1e9, "With -1e9 a row that may attend to nothing becomes uniform"),
    (softmax_1e9_and_empty, "The empty row is right. But with -1e9"),
    (softmax_lowest, "all its scores are equally low"),
    (softmax_nan, "0 / 0, NaN"),
    (softmax_no_maximum, "subtracts the row's maximum first"),
    (softmax_shared_again, "the first softmax still sees the masked keys"),
    (softmax_inverted, "The mask is inverted"),
    (softmax_over_queries, "The columns sum to 1"),
    (softmax_axis_1, "Right where the scores are one matrix"),
    (softmax_indexing, "cannot broadcast"),
    (softmax_no_mask, "The mask makes no difference"),
    (softmax_single, "float16 scores come out as float32 weights"),
    (softmax_in_place, "writes into its input"),
    (softmax_repaired, "its gradient contains NaN"),
]


# 3.6 my_leaks


def leaks_noise(attention, queries, tokens, mask):
    """Another experiment: replace each token by a large, odd one."""
    out = attention(queries, tokens)
    result = torch.zeros(mask.shape, dtype=torch.bool)
    for j in range(tokens.shape[0]):
        other = tokens.clone()
        other[j] = torch.linspace(2, 3, tokens.shape[1])
        new = attention(queries, other)
        for i in range(queries.shape[0]):
            if not mask[i, j] and not torch.allclose(new[i], out[i], atol=1e-6):
                result[i, j] = True
    return result


def leaks_gradient(attention, queries, tokens, mask):
    """Ask autograd which outputs depend on which tokens."""
    slopes = torch.autograd.functional.jacobian(lambda t: attention(queries, t), tokens)
    return (slopes.abs().sum((1, 3)) > 1e-5) & ~mask  # (queries, v_size, keys, size)


def distances(attention, queries, tokens):
    """Largest change of each output per changed token, built row by row."""
    table = []
    for i in range(len(queries)):
        row = []
        for j in range(len(tokens)):
            copy = tokens.clone()
            copy[j] += 1
            change = attention(queries, copy)[i] - attention(queries, tokens)[i]
            row.append(max(abs(x) for x in change.tolist()))
        table.append(row)
    return torch.tensor(table)


def leaks_everything_that_moves(attention, queries, tokens, mask):
    return distances(attention, queries, tokens) > 1e-6


def leaks_allowed(attention, queries, tokens, mask):
    return (distances(attention, queries, tokens) > 1e-6) * mask


def leaks_deaf(attention, queries, tokens, mask):
    return mask & (distances(attention, queries, tokens) <= 1e-6)


def leaks_xor(attention, queries, tokens, mask):
    return (distances(attention, queries, tokens) > 1e-6) ^ mask


def leaks_by_reading(attention, queries, tokens, mask):
    return torch.logical_not(mask)


def leaks_transposed(attention, queries, tokens, mask):
    rows = []
    before = attention(queries, tokens)
    for j in range(len(tokens)):
        copy = tokens.clone()
        copy[j] += 1
        moved = (attention(queries, copy) - before).norm(dim=-1) > 1e-6
        rows.append(moved & ~mask[:, j])
    return torch.stack(rows)


def leaks_exact(attention, queries, tokens, mask):
    return (distances(attention, queries, tokens) != 0) & ~mask


def leaks_generous(attention, queries, tokens, mask):
    return (distances(attention, queries, tokens) > 0.005) & ~mask


def leaks_signed(attention, queries, tokens, mask):
    result = torch.zeros_like(mask)
    for j in range(len(tokens)):
        copy = tokens.clone()
        copy[j] = copy[j] + 1
        change = attention(queries, copy) - attention(queries, tokens)
        result[:, j] = (change > 1e-6).any(dim=1)
    return result & ~mask


def leaks_first_number(attention, queries, tokens, mask):
    result = torch.zeros_like(mask)
    for j in range(len(tokens)):
        copy = tokens.clone()
        copy[j] += 1
        change = attention(queries, copy)[:, 0] - attention(queries, tokens)[:, 0]
        result[:, j] = change.abs() > 1e-6
    return result & ~mask


def leaks_zeroed(attention, queries, tokens, mask):
    result = torch.zeros_like(mask)
    for j in range(len(tokens)):
        copy = tokens.clone()
        copy[j] = 0
        change = attention(queries, copy) - attention(queries, tokens)
        result[:, j] = change.abs().max(dim=1).values > 1e-6
    return result & ~mask


def leaks_piled_up(attention, queries, tokens, mask):
    before = attention(queries, tokens)
    changed = tokens.clone()
    result = torch.zeros_like(mask)
    for j in range(len(tokens)):
        changed[j] = changed[j] + 1
        result[:, j] = ((attention(queries, changed) - before).abs() > 1e-6).any(-1)
    return result & ~mask


RIGHT["my_leaks"] = [leaks_noise, leaks_gradient]
WRONG["my_leaks"] = [
    (leaks_everything_that_moves, "You report all cells that move, 1 of them"),
    (leaks_allowed, "move and may"),
    (leaks_deaf, "the deaf cells"),
    (leaks_xor, "every disagreement with the mask"),
    (leaks_by_reading, "every forbidden cell"),
    (leaks_transposed, "Queries and tokens are exchanged"),
    (leaks_exact, "compare with 0 exactly"),
    (leaks_generous, "too generous"),
    (leaks_signed, "only outputs that grow"),
    (leaks_first_number, "first number of each output"),
    (leaks_zeroed, "or set it to 0"),
    (leaks_piled_up, "your changes pile up"),
]
