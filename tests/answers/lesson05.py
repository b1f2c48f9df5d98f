"""Answers to the exercises of lesson 05, as learners write them."""

import itertools
import math

import torch
import torch.nn.functional as F

NOUN, VERB, ALIVE = 1, 4, 6


# 5.1


def wishes_by_index(strength):
    W_q = torch.zeros(8, 8)
    W_q[VERB, NOUN] = strength
    W_q[VERB, ALIVE] = strength
    return W_q


def wishes_as_a_product(strength):
    verb = F.one_hot(torch.tensor(VERB), 8).float()
    wanted = F.one_hot(torch.tensor([NOUN, ALIVE]), 8).sum(0).float()
    return strength * verb.outer(wanted)


def columns_and_rows_exchanged(strength):
    W_q = torch.zeros(8, 8)
    for feature in (NOUN, ALIVE):
        W_q[feature][VERB] = strength
    return W_q


def any_noun(strength):
    W_q = torch.zeros(8, 8)
    W_q[VERB][NOUN] += strength
    return W_q


def anything_alive(strength):
    W_q = torch.zeros(64)
    W_q[VERB * 8 + ALIVE] = strength
    return W_q.view(8, 8)


def always_eight(strength):
    W_q = torch.zeros(8, 8)
    W_q[VERB, [NOUN, ALIVE]] = 8.0
    return W_q


def on_top_of_section_2(strength):
    W_q = torch.zeros(8, 8)
    W_q[3, 1] = W_q[6, 6] = W_q[7, 7] = 8.0
    W_q[4, 1] = strength
    W_q[4, 6] = strength
    return W_q


def only_the_row(strength):
    row = torch.zeros(8)
    row[[NOUN, ALIVE]] = float(strength)
    return row


def living_nouns_by_chain(strength):
    W_q = torch.zeros(8, 8)
    W_q[VERB, NOUN] = strength
    W_q[NOUN, ALIVE] = strength
    return W_q


def matrix_as_a_list(strength):
    rows = [[0.0] * 8 for _ in range(8)]
    rows[VERB][NOUN] = rows[VERB][ALIVE] = strength
    return rows


# 5.2


def every_order(f, X):
    for order in itertools.permutations(range(X.shape[1])):
        order = list(order)
        if not torch.allclose(f(X[:, order]), f(X)[:, order], atol=1e-4):
            return False
    return True


def neighbors_swapped(f, X):
    """Exchanges of neighbors make up every permutation."""
    before, result = f(X), torch.tensor(True)
    for i in range(X.shape[1] - 1):
        P = torch.eye(X.shape[1])
        P[[i, i + 1]] = P[[i + 1, i]]
        result &= ((f(P @ X) - P @ before).abs() < 1e-4).all()
    return result


def many_random_orders(f, X):
    torch.manual_seed(1)
    errors = []
    for _ in range(20):
        p = torch.randperm(X.shape[1])
        errors.append((f(X[:, p]) - f(X)[:, p]).abs().max().item())
    return max(errors) < 1e-4


def same_order_expected(f, X):
    torch.manual_seed(1)
    p = torch.randperm(X.shape[1])
    while (p == torch.arange(len(p))).any():
        p = torch.randperm(X.shape[1])
    return bool((f(X[:, p]) - f(X)).abs().max() < 1e-4)


def sentences_rotated(f, X):
    order = [*range(1, len(X)), 0]
    return torch.allclose(f(X[order]), f(X)[order], atol=1e-4)


def tokens_on_the_sentence_axis(f, X):
    order = torch.arange(X.shape[1] - 1, -1, -1)
    return torch.allclose(f(X[order]), f(X)[order], atol=1e-4)


def features_rotated(f, X):
    order = [*range(1, X.shape[2]), 0]
    return torch.allclose(f(X[:, :, order]), f(X)[:, :, order], atol=1e-4)


def all_shifts(f, X):
    for by in range(1, X.shape[1]):
        if (torch.roll(f(X), by, dims=1) - f(torch.roll(X, by, dims=1))).abs().max() > 1e-4:
            return False
    return True


def mirrored(f, X):
    return torch.allclose(f(torch.flip(X, [1])), torch.flip(f(X), [1]), atol=1e-4)


def only_two_swapped(f, X):
    order = [1, 0, *range(2, X.shape[1])]
    return torch.allclose(f(X[:, order]), f(X)[:, order], atol=1e-4)


def to_the_last_bit(f, X):
    for order in itertools.permutations(range(X.shape[1])):
        order = list(order)
        if not torch.equal(f(X[:, order]), f(X)[:, order]):
            return False
    return True


def nearly_anything(f, X):
    for order in itertools.permutations(range(X.shape[1])):
        order = list(order)
        if not torch.allclose(f(X[:, order]), f(X)[:, order], atol=0.2):
            return False
    return True


def shuffled_back(f, X):
    for by in range(1, X.shape[1]):
        if (torch.roll(f(X), -by, dims=1) - f(torch.roll(X, by, dims=1))).abs().max() > 1e-4:
            return False
    return True


def one_random_order(f, X):
    torch.manual_seed(0)
    p = torch.randperm(X.shape[1])
    return torch.allclose(f(X[:, p]), f(X)[:, p], atol=1e-4)


def two_draws(f, X):
    first = torch.arange(X.shape[1]).roll(1)
    second = torch.arange(X.shape[1]).roll(2)
    return torch.allclose(f(X[:, first]), f(X)[:, second], atol=1e-4)


# 5.3


def torch_own(X, W_q, W_k, W_v):
    return F.scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v, is_causal=True)


def token_by_token(X, W_q, W_k, W_v):
    outputs = []
    for i in range(X.shape[1]):
        past = X[:, : i + 1]
        scores = torch.einsum("bh,bjh->bj", X[:, i] @ W_q, past @ W_k) / math.sqrt(W_k.shape[1])
        outputs.append(torch.einsum("bj,bjh->bh", torch.softmax(scores, 1), past @ W_v))
    return torch.stack(outputs, 1)


def added_mask(X, W_q, W_k, W_v):
    q, k, v = (torch.einsum("bns,sh->bnh", X, W) for W in (W_q, W_k, W_v))
    mask = torch.full((X.shape[1], X.shape[1]), float("-inf")).triu(1).to(X.dtype)
    return F.softmax(torch.bmm(q, k.transpose(1, 2)) * k.shape[2] ** -0.5 + mask, dim=2) @ v


def no_mask(X, W_q, W_k, W_v):
    return F.scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v)


def zeros_for_the_future(X, W_q, W_k, W_v):
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    return torch.softmax(torch.tril(scores), dim=-1) @ (X @ W_v)


def triangle_of_weights(X, W_q, W_k, W_v):
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    return torch.tril(torch.softmax(scores, dim=-1)) @ (X @ W_v)


def minus_a_million(X, W_q, W_k, W_v):
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    past = torch.tril(torch.ones(X.shape[1], X.shape[1]))
    return torch.softmax(scores.masked_fill(past == 0, -1e6), dim=-1) @ (X @ W_v)


def minus_a_billion(X, W_q, W_k, W_v):
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    past = torch.tril(torch.ones(X.shape[1], X.shape[1]))
    return torch.softmax(scores.masked_fill(past == 0, -1e9), dim=-1) @ (X @ W_v)


def not_scaled(X, W_q, W_k, W_v):
    return F.scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v, is_causal=True, scale=1)


def scaled_by_the_token(X, W_q, W_k, W_v):
    scale = 1 / math.sqrt(X.shape[2])
    return F.scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v, is_causal=True, scale=scale)


def future_only(X, W_q, W_k, W_v):
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    lower = torch.tril(torch.ones_like(scores[0]), diagonal=-1).bool()
    scores[:, lower] = -torch.inf
    return torch.softmax(scores, dim=-1) @ (X @ W_v)


def mask_inverted(X, W_q, W_k, W_v):
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    past = torch.tril(torch.ones(X.shape[1], X.shape[1])) == 1
    return torch.softmax(scores.masked_fill(past, -torch.inf), dim=-1) @ (X @ W_v)


def itself_hidden(X, W_q, W_k, W_v):
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    hidden = torch.triu(torch.ones(X.shape[1], X.shape[1]), diagonal=0).bool()
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1) @ (X @ W_v)


def one_ahead(X, W_q, W_k, W_v):
    n = X.shape[1]
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    for i in range(n):
        for j in range(n):
            if j > i + 1:
                scores[:, i, j] = -torch.inf
    return torch.softmax(scores, dim=-1) @ (X @ W_v)


def softmax_down_the_columns(X, W_q, W_k, W_v):
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    hidden = torch.triu(torch.ones(X.shape[1], X.shape[1]), diagonal=1).bool()
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=1) @ (X @ W_v)


def values_not_projected(X, W_q, W_k, W_v):
    return F.scaled_dot_product_attention(X @ W_q, X @ W_k, X, is_causal=True)


def matrices_as_in_linear(X, W_q, W_k, W_v):
    return F.scaled_dot_product_attention(X @ W_q.T, X @ W_k.T, X @ W_v.T, is_causal=True)


def output_filled_in(X, W_q, W_k, W_v):
    result = torch.zeros(len(X), X.shape[1], W_v.shape[1])
    for i, output in enumerate(torch_own(X, W_q, W_k, W_v).detach().unbind(1)):
        result[:, i] = output
    return result


# 5.4


def loops_over_pairs(f, X):
    n = X.shape[1]
    before = f(X)
    result = torch.zeros(n, n).bool()
    for j in range(n):
        other = X.clone()
        other[:, j, :] = other[:, j, :] + torch.randn(X.shape[0], X.shape[2])
        after = f(other)
        for i in range(n):
            result[i, j] = (after[:, i] - before[:, i]).abs().max() > 1e-5
    return result


def all_at_once(f, X):
    n = X.shape[1]
    bump = torch.eye(n).view(n, 1, n, 1) * torch.arange(1.0, X.shape[2] + 1)
    moved = torch.stack(
        [~torch.isclose(f(X + b), f(X), atol=1e-6) for b in bump]
    )  # (j, batch, i, size)
    return moved.flatten(-1).any(-1).any(1).T


def rows_for_columns(f, X):
    before, rows = f(X), []
    for j in range(X.shape[1]):
        other = X.clone()
        other[:, j] += 1
        rows.append((f(other) != before).any(2).any(0))
    return torch.stack(rows)


def changes_pile_up(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        X[:, j] += 1
        columns.append(((f(X) - before).abs() > 1e-5).any(2).any(0))
    return torch.stack(columns, dim=1)


def second_name(f, X):
    columns = []
    for j in range(X.shape[1]):
        other = X
        other[:, j] += 1
        columns.append(((f(other) - f(X)).abs() > 1e-5).any(2).any(0))
    return torch.stack(columns, dim=1)


def plus_one(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        other = X.clone()
        other[:, j] = other[:, j] + 1
        columns.append(((f(other) - before).abs() > 1e-5).any(2).any(0))
    return torch.stack(columns, dim=1)


def erased(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        keep = torch.ones(X.shape[1], 1)
        keep[j] = 0
        columns.append(((f(X * keep) - before).abs() > 1e-5).any(2).any(0))
    return torch.stack(columns, dim=1)


def doubled(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        other = X.clone()
        other[:, j] *= 2
        columns.append(((f(other) - before).abs() > 1e-5).any(2).any(0))
    return torch.stack(columns, dim=1)


def first_sentence(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        other = X.clone()
        other[:, j] += torch.rand(X.shape[2])
        columns.append(((f(other) - before)[0].abs() > 1e-5).any(1))
    return torch.stack(columns, dim=1)


def all_sentences(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        other = X.clone()
        other[:, j] += torch.rand(X.shape[2])
        columns.append(((f(other) - before).abs().amax(2) > 1e-5).all(0))
    return torch.stack(columns, dim=1)


def hard_of_hearing(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        other = X.clone()
        other[:, j] += torch.rand(X.shape[2])
        columns.append(~torch.isclose(f(other), before, atol=0.05).all(2).all(0))
    return torch.stack(columns, dim=1)


def where_it_stays(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        other = X.clone()
        other[:, j] += torch.rand(X.shape[2])
        columns.append(torch.isclose(f(other), before, atol=1e-5).all(2).all(0))
    return torch.stack(columns, dim=1)


def sentence_for_token(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        other = X.clone()
        other[j] += torch.rand(X.shape[2])
        columns.append(((f(other) - before).abs() > 1e-5).any(2).any(0))
    return torch.stack(columns, dim=1)


def how_much_it_moves(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        other = X.clone()
        other[:, j] += torch.rand(X.shape[2])
        columns.append((f(other) - before).abs().amax(2).amax(0))
    return torch.stack(columns, dim=1)


def changed_and_put_back(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        old = X[:, j].clone()
        X[:, j] += torch.rand(X.shape[2])
        columns.append(((f(X) - before).abs() > 1e-5).any(2).any(0))
        X[:, j] = old + 0.5
        X[:, j] -= 0.5
        X[:, j] = torch.where(X[:, j] == old, old, old)
    X[:, 0] += 1
    return torch.stack(columns, dim=1)


# 5.5


def one_by_one(n, d):
    def product(a, b, c):
        return a * b * c

    projections = sum(product(n, d, d) for _ in ("queries", "keys", "values", "output"))
    return projections + product(n, d, n) + product(n, n, d)


def factored(n, d):
    return 2 * n * d * (2 * d + n)


def three_projections(n, d):
    return 3 * n * d * d + n * n * d * 2


def as_in_the_table(n, d):
    return n * n * d


def scores_only(n, d):
    return 4 * (n * d * d) + n * d * n


def additions_too(n, d):
    return 2 * (4 * n * d * d + 2 * n * n * d)


def lower_triangle(n, d):
    pairs = sum(i + 1 for i in range(n))
    return 4 * n * d * d + 2 * pairs * d


def matrices_once(n, d):
    return 4 * d * d + 2 * n * n * d


def times_the_heads(n, d):
    heads = 2
    return 4 * n * d * d + heads * 2 * n * n * d


def no_projections(n, d):
    return n * n * d + n * n * d


RIGHT = {
    "my_query_matrix": [wishes_by_index, wishes_as_a_product],
    "my_is_equivariant": [every_order, neighbors_swapped, many_random_orders],
    "my_causal_self_attention": [torch_own, token_by_token, added_mask],
    "my_influence": [loops_over_pairs, all_at_once],
    "my_attention_operations": [one_by_one, factored],
}

WRONG = {
    "my_query_matrix": [
        (columns_and_rows_exchanged, "two indices are exchanged"),
        (any_noun, "does not care whether it is alive"),
        (anything_alive, "would get as much weight as horse"),
        (always_eight, "the strength was to be 2.5"),
        (on_top_of_section_2, "Only verbs should"),
        (only_the_row, "the whole matrix, 8 by 8"),
        (living_nouns_by_chain, "Questions are not passed on"),
        (matrix_as_a_list, "a list, not a tensor"),
    ],
    "my_is_equivariant": [
        (same_order_expected, "asks for invariance"),
        (sentences_rotated, "the sentences of the batch"),
        (tokens_on_the_sentence_axis, "axis 0 is the batch"),
        (features_rotated, "the features within a token"),
        (all_shifts, "shifts around the circle"),
        (mirrored, "looks the same in a mirror"),
        (only_two_swapped, "exchange the first two tokens only"),
        (to_the_last_bit, "rounded differently"),
        (nearly_anything, "tolerance is too generous"),
        (shuffled_back, "by the inverse permutation"),
        (two_draws, "one and the same permutation"),
        (one_random_order, "wrong in the one below"),
    ],
    "my_causal_self_attention": [
        (no_mask, "it has heard of the tokens after it"),
        (zeros_for_the_future, "exp(0) is 1"),
        (triangle_of_weights, "removed weights after the softmax"),
        (minus_a_million, "no finite number is low enough"),
        (minus_a_billion, "no finite number is low enough"),
        (not_scaled, "not divided by the square root"),
        (scaled_by_the_token, "the size of a token. The dot product runs over"),
        (future_only, "LATER tokens"),
        (mask_inverted, "You hide what should be seen"),
        (itself_hidden, "A token may attend to itself"),
        (one_ahead, "Off by one"),
        (softmax_down_the_columns, "softmax runs over the queries"),
        (values_not_projected, "W_v is never used"),
        (matrices_as_in_linear, "W_q.T"),
        (output_filled_in, "carries no gradient"),
    ],
    "my_influence": [
        (rows_for_columns, "transposed"),
        (changes_pile_up, "changes pile up"),
        (second_name, "a second name for the same tensor"),
        (plus_one, "subtracts the mean of a token"),
        (erased, "a token is 0 already"),
        (doubled, "a token is 0 already"),
        (first_sentence, "first sentence only"),
        (all_sentences, "moves in all sentences"),
        (hard_of_hearing, "threshold is too high"),
        (where_it_stays, "Turned inside out"),
        (sentence_for_token, "changed[j] is sentence j"),
        (how_much_it_moves, "must be torch.bool"),
        (changed_and_put_back, "writes into its input"),
    ],
    "my_attention_operations": [
        (three_projections, "the output projection is missing"),
        (as_in_the_table, "the table's entry"),
        (scores_only, "Scores and weighted sum each"),
        (additions_too, "additions are not counted"),
        (lower_triangle, "leave out the masked pairs"),
        (matrices_once, "every token is multiplied"),
        (times_the_heads, "Two heads share the d features"),
        (no_projections, "the projections are missing"),
    ],
}
