# answer: my_query_matrix | wrong | row and column swapped: nouns and alive things ask for verbs | two indices are exchanged
NOUN, ADJECTIVE, VERB, ALIVE = 1, 3, 4, 6


def my_query_matrix(strength):
    W = torch.zeros(8, 8)
    W[NOUN, VERB] = strength
    W[ALIVE, VERB] = strength
    return W


# answer: my_query_matrix | wrong | hard-coded strength, argument ignored | and have 4 and 4
NOUN, ADJECTIVE, VERB, ALIVE = 1, 3, 4, 6


def my_query_matrix(strength):
    strength = 4.0
    W = torch.zeros(8, 8)
    W[VERB, [NOUN, ALIVE]] = strength
    return W


# answer: my_query_matrix | wrong | chain: verb asks for noun, noun asks for alive | Questions are not passed on
NOUN, ADJECTIVE, VERB, ALIVE = 1, 3, 4, 6


def my_query_matrix(strength):
    W = torch.zeros(8, 8)
    W[VERB, NOUN] = strength
    W[NOUN, ALIVE] = strength
    return W


# answer: my_query_matrix | wrong | leaves another question in: adjectives still ask for nouns | Other rows do: adjective
NOUN, ADJECTIVE, VERB, ALIVE = 1, 3, 4, 6


def my_query_matrix(strength):
    W = torch.zeros(8, 8)
    W[ADJECTIVE, NOUN] = strength
    W[VERB, NOUN] = strength
    W[VERB, ALIVE] = strength
    return W


# answer: my_query_matrix | wrong | returns one query of shape (8,), not the matrix | row of the verb alone
NOUN, ADJECTIVE, VERB, ALIVE = 1, 3, 4, 6


def my_query_matrix(strength):
    query = torch.zeros(8)
    query[NOUN] = strength
    query[ALIVE] = strength
    return query


# answer: my_query_matrix | wrong | crashes: three indices into a matrix | more indices than the tensor has axes
NOUN, ADJECTIVE, VERB, ALIVE = 1, 3, 4, 6


def my_query_matrix(strength):
    W = torch.zeros(8, 8)
    W[VERB, NOUN, ALIVE] = strength
    return W


# answer: my_query_matrix | wrong | row and column swapped + forgets alive | two together
NOUN, ADJECTIVE, VERB, ALIVE = 1, 3, 4, 6


def my_query_matrix(strength):
    W = torch.zeros(8, 8)
    W[NOUN, VERB] = strength  # horse <- left
    return W


# answer: my_query_matrix | right | outer product of one-hot vectors
NOUN, ADJECTIVE, VERB, ALIVE = 1, 3, 4, 6


def my_query_matrix(strength):
    one = torch.eye(8)
    return strength * torch.outer(one[VERB], one[NOUN] + one[ALIVE])


# answer: my_query_matrix | right | nested comprehension of Python numbers
NOUN, ADJECTIVE, VERB, ALIVE = 1, 3, 4, 6


def my_query_matrix(strength):
    return torch.tensor(
        [
            [
                float(strength) if asking == VERB and asked in (NOUN, ALIVE) else 0.0
                for asked in range(8)
            ]
            for asking in range(8)
        ]
    )


# answer: my_is_equivariant | wrong | tries only the reversal | moves with the reversed order
def my_is_equivariant(f, X):
    return torch.allclose(f(X.flip(1)), f(X).flip(1), atol=1e-5)


# answer: my_is_equivariant | wrong | demands exact equality, no room for rounding | to the last bit
import itertools


def my_is_equivariant(f, X):
    n = X.shape[1]
    perms = (
        list(itertools.permutations(range(n)))
        if n < 6
        else [torch.randperm(n).tolist() for _ in range(50)]
    )
    return all(torch.equal(f(X[:, list(p)]), f(X)[:, list(p)]) for p in perms)


# answer: my_is_equivariant | wrong | any instead of all: one permutation that works is enough (the identity always works) | Every layer passes your test
import itertools


def my_is_equivariant(f, X):
    n = X.shape[1]
    perms = itertools.permutations(range(n))
    return any(torch.allclose(f(X[:, list(p)]), f(X)[:, list(p)], atol=1e-5) for p in perms)


# answer: my_is_equivariant | wrong | crashes: shuffles axis 0 with a permutation of the n tokens (index out of bounds for the batch) | X[p] picks sentences
def my_is_equivariant(f, X):
    perm = torch.arange(X.shape[1] - 1, -1, -1)
    return torch.allclose(f(X[perm]), f(X)[perm], atol=1e-5)


# answer: my_is_equivariant | wrong | compares differences without abs: positive and negative errors cancel in the mean | passes your test and is not equivariant
def my_is_equivariant(f, X):
    n = X.shape[1]
    out = f(X)
    worst = 0.0
    for i in range(n - 1):
        for j in range(i + 1, n):
            p = list(range(n))
            p[i], p[j] = p[j], p[i]
            diff = (f(X[:, p]) - out[:, p]).mean()
            worst = max(worst, diff.item())
    return worst < 1e-5


# answer: my_is_equivariant | wrong | hard-coded for 3 tokens: other lengths lose tokens or crash | permutations are of three tokens
def my_is_equivariant(f, X):
    for perm in ([0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]):
        if not torch.allclose(f(X[:, perm]), f(X)[:, perm], atol=1e-5):
            return False
    return True


# answer: my_is_equivariant | wrong | tries only the reversal + exact equality | passes your test and is not equivariant
def my_is_equivariant(f, X):
    rev = torch.arange(X.shape[1]).flip(0)
    left = f(X[:, rev])
    right = f(X)[:, rev]
    print(left.shape, right.shape)
    return bool((left == right).all())


# answer: my_is_equivariant | wrong | returns a tensor with one truth value per number instead of one answer | Expected True or False
def my_is_equivariant(f, X):
    perm = torch.randperm(X.shape[1])
    return (f(X[:, perm]) - f(X)[:, perm]).abs() < 1e-5


# answer: my_is_equivariant | wrong | swaps of neighbors, the tolerances of isclose | atol=1e-5
def my_is_equivariant(f, X):
    found = True
    for i in range(X.shape[1] - 1):
        p = torch.arange(X.shape[1])
        p[i], p[i + 1] = i + 1, i
        found &= torch.isclose(f(X[:, p]), f(X)[:, p]).all()
    return found


# answer: my_is_equivariant | wrong | a dozen drawn permutations, the tolerances of allclose | atol=1e-5
def my_is_equivariant(f, X):
    y, draws = f(X), [torch.randperm(X.shape[1]) for _ in range(12)]
    return all(torch.allclose(f(X[:, p]), y[:, p]) for p in draws)


# answer: my_is_equivariant | wrong | only the first and the last token trade places | subtract_second_token passes your test
def my_is_equivariant(f, X):
    p = [X.shape[1] - 1, *range(1, X.shape[1] - 1), 0]
    return torch.allclose(f(X[:, p]), f(X)[:, p], atol=1e-5)


# answer: my_causal_self_attention | wrong | softmax over the queries (wrong axis) | columns sum to 1
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    n = X.shape[1]
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    return scores.masked_fill(~mask, -float("inf")).softmax(dim=1) @ v


# answer: my_causal_self_attention | wrong | forgets the mask: full attention | Nothing is masked
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    w = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)
    return w @ v


# answer: my_causal_self_attention | wrong | fills masked scores with 0 | filled the masked scores with 0
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    scores = (q @ k.mT) / math.sqrt(q.shape[-1])
    scores = scores.tril()
    weights = F.softmax(scores, dim=-1)
    return weights @ v


# answer: my_causal_self_attention | wrong | crashes: ~ on a mask of floats | ~ turns booleans around
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    scores = q @ k.mT / math.sqrt(k.shape[-1])
    mask = torch.tril(torch.ones(X.shape[1], X.shape[1]))
    scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ v


# answer: my_causal_self_attention | wrong | -inf times 0 in the additive mask: everything is nan | Everything is NaN
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    n = X.shape[1]
    future = torch.ones(n, n).triu(1)
    scores = q @ k.mT / math.sqrt(k.shape[-1]) + future * float("-inf")
    return scores.softmax(-1) @ v


# answer: my_causal_self_attention | wrong | no scale + masks after the softmax without renormalizing | two together
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    a = (q @ k.mT).softmax(-1)
    return a.tril() @ v


# answer: my_causal_self_attention | wrong | scale from the size of X instead of the head size | root of 2, the size of a token
def my_causal_self_attention(X, W_q, W_k, W_v):
    batch, n, d = X.shape
    q = X @ W_q
    k = X @ W_k
    v = X @ W_v
    scores = q @ k.transpose(1, 2) / math.sqrt(d)
    future = torch.triu(torch.ones(n, n), diagonal=1).bool()
    scores[:, future] = -torch.inf
    return torch.softmax(scores, dim=-1) @ v


# answer: my_causal_self_attention | wrong | computes with numpy although only torch is allowed, so no gradient reaches the matrices | use only torch
import numpy as np


def my_causal_self_attention(X, W_q, W_k, W_v):
    x = X.detach().numpy()
    q, k, v = (x @ W.detach().numpy() for W in (W_q, W_k, W_v))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    s = np.where(np.tril(np.ones(s.shape[-2:])) == 1, s, -np.inf)
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return torch.from_numpy(w @ v).to(X.dtype)


# answer: my_causal_self_attention | right | F.scaled_dot_product_attention with is_causal
def my_causal_self_attention(X, W_q, W_k, W_v):
    return F.scaled_dot_product_attention(X @ W_q, X @ W_k, X @ W_v, is_causal=True)


# answer: my_causal_self_attention | right | a slice of the past for each token
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    rows = []
    for i in range(X.shape[1]):
        scores = q[:, i : i + 1] @ k[:, : i + 1].mT / math.sqrt(k.shape[2])
        rows.append(torch.softmax(scores, -1) @ v[:, : i + 1])
    return torch.cat(rows, 1)


# answer: my_influence | wrong | crashes: features not reduced, shapes do not fit the column | axes too many
def my_influence(f, X):
    n = X.shape[1]
    base = f(X)
    R = torch.zeros(n, n, dtype=torch.bool)
    for j in range(n):
        Z = X.clone()
        Z[:, j] += torch.randn_like(Z[:, j])
        R[:, j] = ((f(Z) - base).abs() > 1e-6).any(0)
    return R


# answer: my_influence | wrong | uses derivatives, which the text forbids, and misses layers whose derivative is 0 | to do without derivatives
def my_influence(f, X):
    J = torch.autograd.functional.jacobian(f, X)  # (b, n, d, b, n, d)
    return J.abs().amax(dim=(0, 2, 3, 5)) > 1e-6


# answer: my_influence | wrong | result keeps the sentences: shape (batch, n, n) | sentences are kept apart
def my_influence(f, X):
    base = f(X)
    cols = []
    for j in range(X.shape[1]):
        Z = X.clone()
        Z[:, j] += torch.randn_like(Z[:, j])
        cols.append((f(Z) - base).abs().amax(-1) > 1e-6)
    return torch.stack(cols, dim=-1)


# answer: my_influence | wrong | X not cloned (Z = X is the same tensor), so both outputs come from the changed X and nothing moves | Nothing ever moves
def my_influence(f, X):
    n = X.shape[1]
    R = torch.zeros(n, n, dtype=torch.bool)
    for j in range(n):
        Z = X
        Z[:, j] += torch.randn_like(Z[:, j])
        R[:, j] = ((f(Z) - f(X)).abs() > 1e-6).any(2).any(0)
    return R


# answer: my_influence | wrong | nudge of 1e-6 is too small to show in the outputs | miss 11 of the 16 cells
def my_influence(f, X):
    n = X.shape[1]
    base = f(X)
    R = torch.zeros(n, n, dtype=torch.bool)
    for j in range(n):
        Z = X.clone()
        Z[:, j] += 1e-6 * torch.randn_like(Z[:, j])
        R[:, j] = ((f(Z) - base).abs() > 1e-6).any(2).any(0)
    return R


# answer: my_influence | wrong | transposed + adds the same number to all features | two together
def my_influence(f, X):
    Y = f(X)
    rows = []
    for j in range(X.size(1)):
        bump = torch.zeros_like(X)
        bump[:, j] = 1
        rows.append((f(X + bump) - Y).abs().amax((0, 2)) > 1e-6)
    return torch.stack(rows)


# answer: my_influence | right | comprehension, torch.where with a one-hot selection, logical_or over trials
from functools import reduce


def my_influence(f, X):
    g = torch.Generator().manual_seed(7)
    n = X.shape[1]
    here = torch.eye(n, dtype=torch.bool)[:, None, :, None]  # (j, 1, n, 1)
    noises = [
        s * torch.randn(X.shape, generator=g).to(X)
        for s in (0.5, -1.0, 2.0, -2.0, 4.0, 4.0, 8.0, -8.0)
    ]

    def once(noise):
        return torch.stack(
            [
                torch.dist(f(torch.where(h, X + noise, X))[:, i], f(X)[:, i], p=float("inf")) > 1e-6
                for i in range(n)
                for h in here
            ]
        ).view(n, n)

    return reduce(torch.logical_or, map(once, noises))


# answer: my_influence | right | torch.where, all columns at once
def my_influence(f, X):
    n, noise = X.shape[1], torch.randn(X.shape)
    changed = [torch.where(torch.arange(n)[:, None] == j, X + noise, X) for j in range(n)]
    moved = torch.stack([f(Z) - f(X) for Z in changed]).abs().amax((1, 3))
    return (moved > 1e-6).T


# answer: my_attention_operations | wrong | only three projections, output forgotten | output projection is missing
def my_attention_operations(n, d):
    projections = 3 * n * d * d
    scores = n * n * d
    weighted_sum = n * n * d
    return projections + scores + weighted_sum


# answer: my_attention_operations | wrong | counts only the pairs a causal mask allows | leave out the masked pairs
def my_attention_operations(n, d):
    pairs = n * (n + 1) // 2
    return 4 * n * d**2 + 2 * pairs * d


# answer: my_attention_operations | wrong | n and d swapped | n and d are exchanged
def my_attention_operations(n, d):
    return 4 * d * n**2 + 2 * d**2 * n


# answer: my_attention_operations | wrong | float instead of int | you return a float
def my_attention_operations(n, d):
    return math.pow(n, 2) * d * 2 + 4 * n * math.pow(d, 2)


# answer: my_attention_operations | wrong | ^ taken for a power (it is xor) | In Python ^ is no power
def my_attention_operations(n, d):
    return 4 * n * (d ^ 2) + 2 * (n ^ 2) * d


# answer: my_attention_operations | wrong | only three projections + d forgotten in the scores | two together
def my_attention_operations(n, d):
    return 3 * n * d * d + n * n + n * n * d


# answer: my_attention_operations | wrong | weighted sum forgotten + float result | one product is missing
def my_attention_operations(n, d):
    return float(4 * n * d**2 + n**2 * d)


# answer: my_attention_operations | right | list of matrix products and math.prod
def my_attention_operations(n, d):
    products = [(n, d, d)] * 4 + [(n, d, n), (n, n, d)]
    return sum(math.prod(shape) for shape in products)


# answer: my_attention_operations | right | one factored line, operator free of powers
def my_attention_operations(n, d):
    return 2 * n * d * (n + d + d)


# answer: my_attention_operations | wrong | a fifth projection | count 18 too many
def my_attention_operations(n, d):
    return 5 * n * d * d + 2 * n * n * d


# answer: my_causal_self_attention | wrong | softmax over the queries instead of the keys + mask inverted + no division by the root | Token 0 may attend to itself alone
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-1, -2)
    mask = torch.triu(torch.ones(X.shape[1], X.shape[1])) == 0
    weights = torch.softmax(scores.masked_fill(mask, float("-inf")), dim=1)
    return weights @ V


# answer: my_is_equivariant | wrong | return True inside the loop: only the first shift is ever tested | does your loop end at the first order
def my_is_equivariant(f, X):
    n = X.shape[1]
    orders = [
        torch.roll(torch.arange(n), 1),
        torch.arange(n).flip(0),
        torch.randperm(n),
        torch.randperm(n),
    ]
    for p in orders:
        if (f(X[:, p]) - f(X)[:, p]).abs().max() > 1e-5:
            return False
        return True


# answer: my_is_equivariant | wrong | permutation of six tokens hard-coded | Index 2 is asked for on an axis of size 2
def my_is_equivariant(f, X):
    order = torch.tensor([2, 0, 5, 1, 4, 3])
    return (f(X[:, order]) - f(X)[:, order]).abs().max().item() < 1e-5


# answer: my_causal_self_attention | wrong | long loop with range(i): the token itself is left out, the first output stays 0 | which has nothing left, is 0
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    batch, n, d = Q.shape
    out = torch.zeros(batch, n, V.shape[-1], dtype=V.dtype)
    for b in range(batch):
        for i in range(n):
            scores = []
            for j in range(i):
                scores.append((Q[b, i] * K[b, j]).sum() / d**0.5)
            if scores:
                w = torch.stack(scores).softmax(0)
                for j in range(i):
                    out[b, i] += w[j] * V[b, j]
    return out


# answer: my_influence | wrong | swaps token j with its neighbor, so the neighbor's influence is counted too | trades places with the next one
def my_influence(f, X):
    n = X.shape[1]
    Y = f(X)
    cols = []
    for j in range(n):
        order = list(range(n))
        other = (j + 1) % n
        order[j], order[other] = other, j
        cols.append((f(X[:, order]) - Y).abs().amax((0, 2)) > 1e-6)
    return torch.stack(cols, 1)


# answer: my_influence | wrong | two mistakes: axis 0 (sentence) is changed, and n is taken from the batch | the picture is 3 by 3
def my_influence(f, X):
    n = len(X)
    base = f(X)
    out = torch.zeros(n, n, dtype=torch.bool)
    for j in range(n):
        Z = X.clone()
        Z[j] += torch.randn_like(Z[j])
        out[:, j] = (f(Z) - base).abs().amax((1, 2)) > 1e-6
    return out


# answer: my_attention_operations | wrong | ^ in place of ** (bitwise xor) | In Python ^ is no power
def my_attention_operations(n, d):
    return 4 * n * d ^ 2 + 2 * n ^ 2 * d


# answer: my_query_matrix | wrong | a list, where the text asks for a tensor | you return a list
def my_query_matrix(strength):
    W = [[0.0] * 8 for _ in range(8)]
    W[4][1] = W[4][6] = strength
    return W


# answer: my_causal_self_attention | right | fills with -1e9
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -1e9).softmax(-1) @ v


# answer: my_attention_operations | wrong | a third product over the pairs | you count 12 too many
def my_attention_operations(n, d):
    return 4 * n * d * d + 3 * n * n * d


# answer: my_is_equivariant | wrong | only asks whether the same numbers come out in some order (sorts both) | You sort the outputs before you compare them
def my_is_equivariant(f, X):
    before = f(X).sort(dim=1).values
    for seed in range(10):
        p = torch.randperm(X.shape[1], generator=torch.Generator().manual_seed(seed))
        after = f(X[:, p]).sort(dim=1).values
        if not torch.allclose(before, after, atol=1e-5):
            return False
    return True


# answer: my_is_equivariant | wrong | shuffles X in place through a second name and then reads it again as the old one | drawn anew or shuffled twice
def my_is_equivariant(f, X):
    for seed in range(10):
        p = torch.randperm(X.shape[1], generator=torch.Generator().manual_seed(seed))
        shuffled = X
        shuffled[:] = X[:, p]
        if not torch.allclose(f(shuffled), f(X)[:, p], atol=1e-5):
            return False
    return True


# answer: my_causal_self_attention | wrong | typed -1e-9 for -1e9 | a number close to it
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / (K.size(-1) ** 0.5)
    future = torch.triu(torch.ones(X.size(1), X.size(1)), diagonal=1).bool()
    scores = scores.masked_fill(future, -1e-9)
    return torch.softmax(scores, dim=-1) @ V


# answer: my_causal_self_attention | wrong | einsum sums over the queries in place of the keys | you average with their columns
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = (torch.einsum("bns,sh->bnh", X, W) for W in (W_q, W_k, W_v))
    scores = torch.einsum("bih,bjh->bij", Q, K) / K.shape[-1] ** 0.5
    scores = scores + torch.full(scores.shape[-2:], float("-inf")).triu(1)
    return torch.einsum("bij,bid->bjd", scores.softmax(-1), V)


# answer: my_attention_operations | wrong | two mistakes: forgets the weighted sum and counts the division by the root | Either a score counts as one multiplication
def my_attention_operations(n, d):
    projections = 4 * n * d * d
    scores = n * n * d
    scaling = n * n
    return projections + scores + scaling


# answer: my_is_equivariant | wrong | any for all: True as soon as one permutation fits | is one permutation that is followed enough
def my_is_equivariant(f, X):
    plain = f(X)
    perms = [torch.randperm(X.shape[1]) for _ in range(20)]
    return any(torch.allclose(f(X[:, p]), plain[:, p], atol=1e-5) for p in perms)


# answer: my_query_matrix | wrong | the numbers of noun and alive are added | asks for place
def my_query_matrix(strength):
    determiner, noun, pronoun, adjective, verb, conjunction, alive, place = range(8)
    W = torch.zeros(8, 8)
    W[verb, noun + alive] = strength
    return W


# answer: my_is_equivariant | wrong | the last token stays | orders that leave the last token in its place
def my_is_equivariant(f, X):
    n = X.shape[1]
    generator = torch.Generator().manual_seed(0)
    for _ in range(50):
        p = torch.cat([torch.randperm(n - 1, generator=generator), torch.tensor([n - 1])])
        if (f(X[:, p]) - f(X)[:, p]).abs().max() > 1e-5:
            return False
    return True


# answer: my_is_equivariant | wrong | orders of all tokens but the first | orders that leave the first token in its place
def my_is_equivariant(f, X):
    from itertools import permutations

    orders = [[0, *p] for p in permutations(range(1, X.shape[1]))]
    return all(torch.allclose(f(X[:, p]), f(X)[:, p], atol=1e-5) for p in orders)


# answer: my_is_equivariant | wrong | exchanges views | one is copied over the other
def my_is_equivariant(f, X):
    n, out = X.shape[1], f(X)
    for i in range(n):
        for j in range(i):
            swapped, expected = X.clone(), out.clone()
            swapped[:, i], swapped[:, j] = swapped[:, j], swapped[:, i]
            expected[:, i], expected[:, j] = expected[:, j], expected[:, i]
            if (f(swapped) - expected).abs().max() > 1e-5:
                return False
    return True


# answer: my_is_equivariant | wrong | shuffles back with p | takes the inverse, p.argsort()
def my_is_equivariant(f, X):
    from itertools import permutations

    out = f(X)
    for p in map(torch.tensor, permutations(range(X.shape[1]))):
        if (f(X[:, p])[:, p] - out).abs().max() > 1e-5:
            return False
    return True


# answer: my_is_equivariant | wrong | the tolerances of allclose as they are | near 0 you allow for no rounding
def my_is_equivariant(f, X):
    from itertools import permutations

    out = f(X)
    for p in map(list, permutations(range(X.shape[1]))):
        if not torch.allclose(f(X[:, p]), out[:, p]):
            return False
    return True


# answer: my_causal_self_attention | wrong | clamped scores | larger ones are clamped
def my_causal_self_attention(X, W_q, W_k, W_v):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = (Q @ K.mT / math.sqrt(W_k.shape[1])).clamp(-80, 80)
    weights = scores.exp() * torch.ones(n, n).tril()
    return weights / weights.sum(-1, keepdim=True) @ V


# answer: my_causal_self_attention | wrong | one largest score for all | each row needs its own
def my_causal_self_attention(X, W_q, W_k, W_v):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    scores = scores.masked_fill(~torch.ones(n, n).tril().bool(), float("-inf"))
    e = (scores - scores.max()).exp()
    return e / e.sum(-1, keepdim=True) @ V


# answer: my_causal_self_attention | wrong | zeros taken for masked | an allowed score may be 0
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = (Q @ K.mT / math.sqrt(K.shape[-1])).tril()
    scores = scores.masked_fill(scores == 0, float("-inf"))
    return scores.softmax(-1) @ V


# answer: my_causal_self_attention | right | half of the scale on each side
def my_causal_self_attention(X, W_q, W_k, W_v):
    part = W_q.shape[1] ** -0.25
    scores = torch.einsum("bid,bjd->bij", X @ W_q * part, X @ W_k * part)
    rows = [scores[:, i, : i + 1].softmax(-1) for i in range(X.shape[1])]
    V = X @ W_v
    return torch.stack(
        [torch.einsum("bj,bjd->bd", row, V[:, : i + 1]) for i, row in enumerate(rows)], 1
    )


# answer: my_influence | wrong | scales and adds one number | scale the token and add one number
def my_influence(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        Z = X.clone()
        Z[:, j] = Z[:, j] * 1.5 + 0.1
        columns.append(((f(Z) - before).abs() > 1e-6).any(-1).any(0))
    return torch.stack(columns, 1)


# answer: my_influence | wrong | turns the sign of a token | turning the sign
def my_influence(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        Z = X.clone()
        Z[:, j] *= -1
        columns.append(((f(Z) - before).abs() > 1e-6).any(-1).any(0))
    return torch.stack(columns, 1)


# answer: my_attention_operations | wrong | a half cut off | for odd ones
def my_attention_operations(n, d):
    return 4 * n * d * (d + n // 2)


# answer: my_attention_operations | wrong | 32 bits | the 32 bits
def my_attention_operations(n, d):
    tokens, size = torch.tensor([n, d], dtype=torch.int32)
    return int(4 * tokens * size * size + 2 * tokens * tokens * size)


# answer: my_attention_operations | wrong | times 8 | 8 times as much
def my_attention_operations(n, d):
    return 8 * (4 * n * d**2 + 2 * n**2 * d)


# answer: my_attention_operations | wrong | projections times 8 | counted twice over
def my_attention_operations(n, d):
    return 8 * n * d**2 + 2 * n**2 * d


# answer: my_is_equivariant | right | swaps of neighbors
def my_is_equivariant(f, X):
    found = True
    for i in range(X.shape[1] - 1):
        p = torch.arange(X.shape[1])
        p[i], p[i + 1] = i + 1, i
        found &= torch.isclose(f(X[:, p]), f(X)[:, p], rtol=0, atol=1e-5).all()
    return found


# answer: my_query_matrix | wrong | verb counted from 1 | verb is number 4
def my_query_matrix(strength):
    W = torch.zeros(8, 8)
    W[5, [1, 6]] = strength
    return W


# answer: my_is_equivariant | wrong | runs the first sentence alone | the first sentence only
def my_is_equivariant(f, X):
    from itertools import permutations

    for p in map(list, permutations(range(X.shape[1]))):
        if not torch.allclose(f(X[:1, p]), f(X)[:1, p], atol=1e-5):
            return False
    return True


# answer: my_causal_self_attention | wrong | guarded by a small number | of its weights nothing is left
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.mT / K.shape[-1] ** 0.5
    e = (scores - scores.amax(-1, keepdim=True)).exp().tril()
    return e / (e.sum(-1, keepdim=True) + 1e-9) @ V


# answer: my_causal_self_attention | wrong | integer square root | a whole root
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.mT / math.isqrt(K.shape[-1])
    scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1) > 0, -torch.inf)
    return scores.softmax(-1) @ V


# answer: my_influence | wrong | sets the token to ones | features of the token to one number
def my_influence(f, X):
    before, columns = f(X), []
    for j in range(X.shape[1]):
        Z = X.clone()
        Z[:, j] = 5
        columns.append(((f(Z) - before).abs() > 1e-6).any(-1).any(0))
    return torch.stack(columns, 1)


# answer: my_attention_operations | wrong | four heads | four times over
def my_attention_operations(n, d):
    return 4 * n * d * d + 4 * 2 * n * n * d


# answer: my_attention_operations | wrong | floating point of 32 bits | your number is rounded
def my_attention_operations(n, d):
    n, d = torch.tensor([n, d], dtype=torch.float32)
    return int(4 * n * d * d + 2 * n * n * d)


# answer: my_causal_self_attention | wrong | one maximum for the whole tensor: rows far below it underflow to 0 / 0 | one largest score
def my_causal_self_attention(X, W_q, W_k, W_v):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.mT / math.sqrt(W_q.shape[1])
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
    e = (scores - scores.max()).exp()
    return e / (e.sum(-1, keepdim=True) + 1e-12) @ V


# answer: my_is_equivariant | wrong | the mean of the differences | You take the mean of the differences
def my_is_equivariant(f, X):
    n, y = X.shape[1], f(X)
    for i in range(n - 1):
        order = torch.arange(n)
        order[i], order[i + 1] = i + 1, i
        if (f(X[:, order]) - y[:, order]).abs().mean() > 1e-5:
            return False
    return True


# answer: my_is_equivariant | wrong | sorted outputs | You sort the outputs before you compare them. Then it is
def my_is_equivariant(f, X):
    n = X.shape[1]
    for p in (torch.arange(n).roll(1), torch.cat([torch.arange(n)[:2].flip(0), torch.arange(n)[2:]])):
        a, b = f(X[:, p]).sort(1)[0], f(X)[:, p].sort(1)[0]
        if not torch.allclose(a, b, atol=1e-5):
            return False
    return True


# answer: my_influence | wrong | changes all tokens from j on | You change token j and all that come after it. Change one
def my_influence(f, X):
    n = X.shape[1]
    before, out = f(X), torch.zeros(n, n, dtype=torch.bool)
    for j in range(n):
        changed = X.clone()
        changed[:, j:] += torch.linspace(0.5, 1.5, X.shape[2])
        out[:, j] = ((f(changed) - before).abs() > 1e-6).any(-1).any(0)
    return out


# answer: my_query_matrix | wrong | row and column are exchanged: nouns and living things ask for a verb | The two indices are exchanged: in your matrix nouns and
def my_query_matrix(strength):
    W = torch.zeros(8, 8)
    W[1, 4] = strength
    W[6, 4] = strength
    return W


# answer: my_query_matrix | wrong | counts the features from 1 instead of from 0, so it writes into the next row and the next columns | Row and columns are one further than they should be: the
def my_query_matrix(strength):
    W = torch.zeros(8, 8)
    W[5, [2, 7]] = strength
    return W


# answer: my_is_equivariant | wrong | compares f(X[:, p])[:, p] with f(X), which undoes the shuffle only if p is its own inverse | takes the inverse, p.argsort()
def my_is_equivariant(f, X):
    n = X.shape[1]
    plain = f(X)
    for trial in range(30):
        p = torch.randperm(n, generator=torch.Generator().manual_seed(trial))
        if (f(X[:, p])[:, p] - plain).abs().max() > 1e-5:
            return False
    return True


# answer: my_is_equivariant | wrong | allclose with its usual tolerance allows only 1e-8 around 0, so rounding near 0 counts as a difference | Near 0 you allow for no rounding: torch.allclose measures
def my_is_equivariant(f, X):
    n = X.shape[1]
    plain = f(X)
    for trial in range(50):
        p = torch.randperm(n, generator=torch.Generator().manual_seed(trial))
        if not torch.allclose(f(X[:, p]), plain[:, p], rtol=1e-5):
            return False
    return True


# answer: my_causal_self_attention | wrong | hides whatever is 0 after tril, so an allowed score that happens to be 0 is hidden as well | You hide every score that is 0, and an allowed score may be
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = (Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])).tril()
    scores = scores.masked_fill(scores == 0, -torch.inf)
    return torch.softmax(scores, dim=-1) @ V


# answer: my_causal_self_attention | wrong | sets the future to 0 after the softmax, so the rows no longer sum to 1 | You removed weights after the softmax had shared them out
def my_causal_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = torch.softmax(scores, dim=-1).tril()
    return weights @ V


# answer: my_influence | wrong | adds to X and subtracts the same again, which leaves rounding errors in X instead of X as it was | The result is right, but your function writes into `X`
def my_influence(f, X):
    n, size = X.shape[1:]
    change = torch.randn(size, generator=torch.Generator().manual_seed(0)).to(X.dtype)
    before = f(X).clone()
    moved = torch.zeros(n, n, dtype=torch.bool)
    for j in range(n):
        X[:, j] += change
        moved[:, j] = (f(X) - before).abs().amax(dim=(0, 2)) > 1e-6
        X[:, j] -= change
    return moved


# answer: my_influence | wrong | stacks the result of each changed token as a row, so the picture is transposed: [j, i] instead of [i, j] | The picture is transposed: you filled row j with what token
def my_influence(f, X):
    before = f(X)
    change = torch.randn(X.shape[-1], generator=torch.Generator().manual_seed(1)).to(X.dtype)
    rows = []
    for j in range(X.shape[1]):
        changed = X.clone()
        changed[:, j] += change
        rows.append((f(changed) - before).abs().amax(-1).amax(0) > 1e-6)
    return torch.stack(rows)


# answer: my_attention_operations | wrong | counts scores and weighted sum for the pairs j <= i only, where every pair counts | you leave out the masked pairs
def my_attention_operations(n, d):
    pairs = n * (n + 1) // 2
    return 4 * n * d * d + 2 * pairs * d


# answer: my_attention_operations | wrong | counts in float32, which holds whole numbers only up to about 16.8 million exactly, so large counts are rounded | your number is rounded
def my_attention_operations(n, d):
    n, d = torch.tensor([float(n), float(d)])
    projections = 4 * n * d**2
    products = 2 * n**2 * d
    return int(projections + products)


# answer: my_is_equivariant | right, no remark | shuffles with gather, tries every swap of two tokens, every cyclic shift and many orders that come from sorting random numbers
def my_is_equivariant(f, X):
    batch, n, size = X.shape
    generator = torch.Generator().manual_seed(7)
    orders = [torch.arange(n).roll(k) for k in range(1, n)] + [torch.arange(n).flip(0)]
    for a in range(n):
        for b in range(a):
            order = torch.arange(n)
            order[a], order[b] = b, a
            orders.append(order)
    orders += list(torch.rand(60, n, generator=generator).argsort(dim=-1))

    def shuffle(Y, order):
        return torch.gather(Y, 1, order[None, :, None].expand(batch, n, Y.shape[-1]))

    plain = f(X)
    return all(torch.allclose(f(shuffle(X, o)), shuffle(plain, o), rtol=1e-5, atol=1e-5) for o in orders)


# answer: my_causal_self_attention | right, no remark | no mask: a loop gives each query only the tokens up to it
def my_causal_self_attention(X, W_q, W_k, W_v):
    outputs = []
    for i in range(X.shape[1]):
        read = X[:, : i + 1]
        query = X[:, i : i + 1] @ W_q
        scores = (query * (read @ W_k)).sum(-1, keepdim=True) / W_k.shape[1] ** 0.5
        outputs.append((scores.softmax(dim=1) * (read @ W_v)).sum(1))
    return torch.stack(outputs, 1)


# answer: my_influence | right, no remark | never copies X: adds an outer product that is 0 except at one token, in several irregular directions, forwards and backwards
def my_influence(f, X):
    n, size = X.shape[1:]
    directions = torch.randn(3, size, generator=torch.Generator().manual_seed(3)).to(X.dtype)
    before = f(X)
    columns = []
    for at in torch.eye(n, dtype=X.dtype):
        found = torch.zeros(n, dtype=torch.bool)
        for direction in torch.cat([directions, -directions]):
            difference = f(X + torch.outer(at, direction)) - before
            found |= (difference.abs() > 1e-6).any(dim=2).any(dim=0)
        columns.append(found)
    return torch.stack(columns, dim=1)


# answer: my_query_matrix | wrong | Rows and columns are exchanged: nouns and living things ask for verbs. | The two indices are exchanged: in your matrix nouns and
def my_query_matrix(strength):
    W = torch.zeros(8, 8)
    W[1, 4] = W[6, 4] = strength
    return W


# answer: my_is_equivariant | wrong | It tries cyclic shifts and the reversal alone, so a layer that moves with all of these passes, though it does not move with other permutations. | add_both_neighbors_on_a_ring moves with all shifts around
def my_is_equivariant(f, X):
    Y = f(X)
    n = X.shape[1]
    for shift in range(n):
        if not torch.allclose(f(X.roll(shift, 1)), Y.roll(shift, 1), atol=1e-5):
            return False
    return torch.allclose(f(X.flip(1)), Y.flip(1), atol=1e-5)


# answer: my_causal_self_attention | wrong | The later tokens are filled with -100, which is not low enough where the allowed scores are several hundred below 0. | What you write in place of masked scores is not low
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    scores = q @ k.transpose(1, 2) / math.sqrt(k.shape[-1])
    n = X.shape[1]
    later = torch.ones(n, n, dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -100.0).softmax(-1) @ v


# answer: my_influence | wrong | The result is transposed: the changed token is written into the row, where it should be the column. | The picture is transposed: you filled row j with what
def my_influence(f, X):
    n = X.shape[1]
    before = f(X)
    moved = torch.zeros(n, n, dtype=torch.bool)
    for j in range(n):
        changed = X.clone()
        changed[:, j] += torch.linspace(0.5, 2.0, X.shape[2])
        moved[j] = (f(changed) - before).abs().amax((0, 2)) > 1e-6
    return moved


# answer: my_attention_operations | wrong | The n * n * d multiplications of the weighted sum are forgotten; only those of the scores are there. | For n = 2 and d = 3 you count 84, not 96: one product is
def my_attention_operations(n, d):
    projections = 4 * n * d * d
    scores = n * n * d
    return int(projections + scores)


# answer: my_is_equivariant | right | a random walk of neighbor swaps, which together make every permutation, compared after each step
def my_is_equivariant(f, X):
    n = X.shape[1]
    start = f(X.clone())
    order = list(range(n))
    g = torch.Generator().manual_seed(1)
    swaps = list(range(n - 1)) + torch.randint(max(n - 1, 1), (6 * n,), generator=g).tolist()
    for i in swaps if n > 1 else []:
        order[i], order[i + 1] = order[i + 1], order[i]
        off = (f(X[:, order].clone()) - start[:, order]).abs()
        if bool((off > 1e-5 + 1e-5 * start[:, order].abs()).any()):
            return False
    return True


# answer: my_influence | right | replaces the token by random ones of three sizes, and joins what has moved in any of these
def my_influence(f, X):
    n, g = X.shape[1], torch.Generator().manual_seed(7)
    before, columns = f(X.clone()), []
    for j in range(n):
        here = (torch.arange(n) == j)[:, None]
        column = torch.zeros(n, dtype=torch.bool)
        for size in (1.0, 3.0, 0.3):
            other = size * torch.randn(X.shape, generator=g).to(X.dtype) - X
            moved = (f(torch.where(here, other, X)) - before).abs() > 1e-6
            column = column | moved.any(-1).any(0)
        columns.append(column)
    return torch.stack(columns, dim=-1)


# answer: my_influence | right | all changed copies in one batch
def my_influence(f, X):
    b, n, d = X.shape
    noise = torch.randn(b, d)
    copies = X.repeat(n, 1, 1, 1)
    copies = copies + torch.eye(n)[:, None, :, None] * noise[None, :, None, :]
    moved = (f(copies.reshape(n * b, n, d)).reshape(n, b, n, -1) - f(X)).abs() > 1e-6
    return moved.any(-1).any(1).T

# answer: my_influence | wrong | each sentence as a batch of its own | You call f with one sentence at a time
def my_influence(f, X):
    found = torch.zeros(X.shape[1], X.shape[1], dtype=torch.bool)
    for s in range(len(X)):
        one = X[s:s+1]
        for j in range(X.shape[1]):
            changed = one.clone()
            changed[:, j] += torch.linspace(0.5, 1.5, X.shape[2])
            found[:, j] |= ((f(changed) - f(one)).abs() > 1e-6).any(-1)[0]
    return found

# answer: my_influence | wrong | turns the token around and adds 1 | all of them by the same amount, or none
def my_influence(f, X):
    columns = []
    for j in range(X.shape[1]):
        changed = X.clone()
        changed[:, j] = X[:, j].flip(-1) + 1
        columns.append(((f(changed) - f(X)).abs() > 1e-6).any(-1).any(0))
    return torch.stack(columns, 1)

# answer: my_is_equivariant | wrong | a relative tolerance of a thousandth | You allow for a share of the number besides
def my_is_equivariant(f, X):
    shift = torch.arange(X.shape[1]).roll(1)
    swap = torch.arange(X.shape[1])
    swap[:2] = swap[:2].flip(0)
    return all(torch.allclose(f(X[:, p]), f(X)[:, p], rtol=1e-3, atol=1e-5) for p in (shift, swap))

# answer: my_causal_self_attention | wrong | every token but the first leaves itself out | Every token but the first leaves itself out
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    s = q @ k.mT / k.shape[-1] ** 0.5
    n = X.shape[1]
    m = torch.ones(n, n).triu().bool()
    m[0, 0] = False
    return s.masked_fill(m, -torch.inf).softmax(-1) @ v

# answer: my_causal_self_attention | wrong | a fill of -10 | a score of -10 still gets some weight
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    s = q @ k.mT / k.shape[-1] ** 0.5
    return s.masked_fill(torch.ones_like(s).triu(1) > 0, -10).softmax(-1) @ v

# answer: my_causal_self_attention | wrong | the scores with the other sign | scores with the other sign
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    s = -q @ k.mT / k.shape[-1] ** 0.5
    return s.masked_fill(torch.ones_like(s).triu(1) > 0, -torch.inf).softmax(-1) @ v

# answer: my_causal_self_attention | wrong | takes off each row's first score | You subtract the first score of a row
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    scores = q @ k.mT / math.sqrt(k.shape[-1])
    mask = torch.tril(torch.ones(X.shape[1], X.shape[1])).bool()
    e = (scores - scores[..., :1]).exp() * mask
    return e / e.sum(-1, keepdim=True) @ v

# answer: my_causal_self_attention | right | row by row
def my_causal_self_attention(X, W_q, W_k, W_v):
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    rows = []
    for i in range(X.shape[1]):
        w = (q[:, i : i + 1] @ k[:, : i + 1].mT / k.shape[-1] ** 0.5).softmax(-1)
        rows.append(w @ v[:, : i + 1])
    return torch.cat(rows, 1)


# answer: my_copier | right | attention by torch, the notes padded
def my_copier(X, strength):
    notes = F.pad(X, (0, 0, 1, -1))
    batch = X[None], notes[None], X[None]
    return F.scaled_dot_product_attention(*batch, is_causal=True, scale=float(strength))[0]


# answer: my_copier | right | layer 1 as a matrix, layer 2 by a mask of ones
def my_copier(X, strength):
    n = len(X)
    one_down = torch.diag(torch.ones(n - 1), -1).to(X)
    seen = torch.ones(n, n, dtype=torch.bool).tril()
    scores = torch.where(seen, strength * X @ (one_down @ X).T, float("-inf"))
    powers = (scores - scores.amax(1, keepdim=True)).exp()
    return powers / powers.sum(1, keepdim=True) @ X


# answer: my_copier | wrong | finds the same letter and reads it | Your keys are the letters themselves
def my_copier(X, strength):
    hidden = torch.ones(len(X), len(X)).triu(1) > 0
    return (strength * X @ X.T).masked_fill(hidden, -torch.inf).softmax(-1) @ X


# answer: my_copier | wrong | layer 2 passes on the notes | You pass on the notes
def my_copier(X, strength):
    notes = torch.cat([torch.zeros(1, X.shape[1]), X[:-1]])
    hidden = torch.ones(len(X), len(X)).triu(1) > 0
    return (strength * X @ notes.T).masked_fill(hidden, -torch.inf).softmax(-1) @ notes


# answer: my_copier | wrong | one layer: the value is the next letter | which layer 1 cannot know
def my_copier(X, strength):
    follows = torch.cat([X[1:], torch.zeros(1, X.shape[1])])
    hidden = torch.ones(len(X), len(X)).triu(1) > 0
    return (strength * X @ X.T).masked_fill(hidden, -torch.inf).softmax(-1) @ follows


# answer: my_copier | wrong | roll, so that the first letter notes the last | goes round in a circle
def my_copier(X, strength):
    notes = X.roll(1, 0)
    hidden = torch.ones(len(X), len(X)).triu(1) > 0
    return (strength * X @ notes.T).masked_fill(hidden, -torch.inf).softmax(-1) @ X


# answer: my_copier | wrong | layer 1 is a softmax too | A note is exact
def my_copier(X, strength):
    def attend_(q, k, v):
        hidden = torch.ones(len(X), len(X)).triu(1) > 0
        return (strength * q @ k.T).masked_fill(hidden, -torch.inf).softmax(-1) @ v

    places = torch.eye(len(X))
    return attend_(X, attend_(places[[0, *range(len(X) - 1)]], places, X), X)
