"""Exercises and questions of lesson 05, self-attention."""

import torch

from ..attention import attend
from ..masking import causal_mask
from ..scoring import dot_product_scores
from .engine import Exercise, Mistake, Question


def _random(*shape, seed=5):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


# 5.1, a query matrix


def _asks(*pairs, start=torch.zeros):
    """A query matrix in which each pair (row, column) is set."""

    def matrix(strength):
        W_q = start(8, 8)
        for row, column in pairs:
            W_q[row, column] = strength
        return W_q

    return matrix


FEATURES = ["determiner", "noun", "pronoun", "adjective", "verb", "conjunction", "alive", "place"]
NOUN, ADJECTIVE, VERB, ALIVE, PLACE = 1, 3, 4, 6, 7
_verb_asks = _asks((VERB, NOUN), (VERB, ALIVE))
_section_2 = ((ADJECTIVE, NOUN), (ALIVE, ALIVE), (PLACE, PLACE))
_NOT_ONLY_VERBS = (
    "The verb is right, but adjectives and words with alive or place ask for something too. Only "
    "verbs should: the matrix of section 2 is no good start."
)


def _in_words(function, strength):
    """The matrix as a sentence: who asks for what."""
    matrix = function(strength)
    if matrix is None:
        return None
    if not isinstance(matrix, torch.Tensor):
        return f"a {type(matrix).__name__}, not a tensor"
    if matrix.shape != (8, 8):
        return f"a tensor of shape {tuple(matrix.shape)}, not (8, 8)"
    wishes = []
    for name, row in zip(FEATURES, matrix.tolist(), strict=True):
        asked = [f"{f} {w:g}" for f, w in zip(FEATURES, row, strict=True) if w]
        if asked:
            wishes.append(f"{name} asks for {' and '.join(asked)}")
    return "; ".join(wishes) or "nobody asks for anything"


QUERY_MATRIX = Exercise(
    name="my_query_matrix",
    solution=_verb_asks,
    cases=lambda: [(8.0,), (2.5,), (-3.0,)],
    run=_in_words,
    mistakes=[
        Mistake(
            _asks((NOUN, VERB), (ALIVE, VERB)),
            "The two indices are exchanged: in your matrix nouns and living things ask for a verb. "
            "The row is who asks, the column is what is asked for.",
        ),
        Mistake(
            _asks((VERB, NOUN)),
            "Your verb asks for a noun and does not care whether it is alive: horse and barn would "
            "get the same weight.",
        ),
        Mistake(
            _asks((VERB, ALIVE)),
            "Your verb asks for anything alive: in the sentence, the adjective hungry would get as "
            "much weight as horse. It has to ask for a noun as well.",
        ),
        Mistake(
            _asks((VERB, NOUN), (NOUN, ALIVE)),
            "Your verb asks for a noun, and a noun asks for alive. Questions are not passed on: "
            "both wishes belong to the token that asks.",
        ),
        Mistake(_asks((VERB, NOUN), (VERB, ALIVE), *_section_2), _NOT_ONLY_VERBS),
        Mistake(lambda strength: _verb_asks(strength) + _asks(*_section_2)(8.0), _NOT_ONLY_VERBS),
        Mistake(
            _asks((ADJECTIVE, NOUN), (ADJECTIVE, ALIVE)),
            "The wishes are right, but it is the adjective that has them. Which row belongs to the "
            "verb?",
        ),
        Mistake(
            _asks((VERB, NOUN), (VERB, ALIVE), start=lambda *_: torch.eye(8)),
            "You started from the identity matrix, so every feature also asks for itself, with "
            "strength 1. Only verbs should ask for something.",
        ),
        Mistake(
            lambda strength: _verb_asks(8.0),
            lambda case, got, expected: (
                f"The right entries, but always 8: the strength was to be {case[0]:g}. Use the "
                f"argument."
            ),
        ),
        Mistake(
            lambda strength: _verb_asks(strength / 2),
            lambda case, got, expected: (
                f"You share the strength out, {case[0] / 2:g} for each wish. Both have the given "
                f"strength, {case[0]:g}."
            ),
        ),
        Mistake(
            lambda strength: _verb_asks(strength)[VERB],
            "This is the row of the verb alone, 8 numbers. X @ W_q needs the whole matrix, 8 by 8, "
            "with zeros for those who ask for nothing.",
        ),
    ],
    hints=[
        "Read an entry of the matrix aloud: row asks for column. Which row, which columns?",
        "Two entries differ from 0, both in the row of verb. The names verb, noun and alive are "
        "the numbers of their rows and columns.",
        "Start from torch.zeros(8, 8) and set two entries as the cell of section 2 does, with the "
        "argument strength as the value.",
    ],
    gradients=False,
    dtypes=False,
)


# 5.2, a test of equivariance. Some layers, to be judged by the learner's function.


def double_each_token(X):
    return 2 * X


def running_sum(X):
    return X.cumsum(1)


def average_of_all(X):
    return X.mean(1, keepdim=True).expand_as(X)


def average_plus_place(X):
    return average_of_all(X) + torch.arange(X.shape[1]).unsqueeze(-1)


def mix_the_features(X):
    return X @ _random(X.shape[-1], X.shape[-1])


def add_number_of_sentence(X):
    return X + torch.arange(len(X)).view(-1, 1, 1)


def add_left_neighbor_on_a_ring(X):
    return X + 2 * X.roll(1, 1)


def add_both_neighbors(X):
    padded = torch.nn.functional.pad(X, (0, 0, 1, 1))
    return X + 2 * padded[:, :-2] + 2 * padded[:, 2:]


def subtract_first_token(X):
    return X - X[:, :1]


def subtract_second_token(X):
    return X - X[:, 1:2]


def subtract_last_token(X):
    return X - X[:, -1:]


def lean_a_little(X):
    return X + 0.02 * torch.arange(X.shape[1]).unsqueeze(-1)


def subtract_the_average(X):
    total = torch.zeros_like(X[:, 0])
    for token in X.unbind(1):  # one after the other: another order is rounded differently
        total = total + token
    return X - total.unsqueeze(1) / X.shape[1]


def _mild_scores(X):  # so that no weight is nearly 0
    return dot_product_scores(mix_the_features(X) / 8, X)


def self_attention(X):
    return attend(_mild_scores(X), X)[0]


def causal_self_attention(X):
    return attend(_mild_scores(X), X, causal_mask(X.shape[1]))[0]


def _layers_and_tokens():
    # No single permutation of three tokens exposes all four layers that subtract a token or look
    # around a ring: for each permutation there is one that moves with it.
    three, five = torch.tensor([[[3.0], [1.0], [4.0]]]), torch.arange(1.0, 6).view(1, 5, 1) ** 2
    return [
        (double_each_token, torch.tensor([[[1.0], [3.0]]])),
        (running_sum, three),
        (subtract_first_token, three),
        (subtract_second_token, three),
        (subtract_last_token, three),
        (add_left_neighbor_on_a_ring, three),
        (add_left_neighbor_on_a_ring, five),
        (add_both_neighbors, five),
        (average_of_all, five),
        (average_plus_place, five),
        (lean_a_little, five),
        (add_number_of_sentence, _random(3, 5, 2)),
        (mix_the_features, _random(2, 5, 3)),
        (subtract_the_average, _random(3, 5, 8)),
        (self_attention, _random(3, 4, 5)),
        (causal_self_attention, 2 * _random(2, 4, 3)),
    ]


def _moves_along(f, X, p, inverse=False, atol=1e-5):
    """Whether the outputs of f move as its tokens do, for one permutation of the tokens."""
    back = p.argsort() if inverse else p
    return torch.allclose(f(X[:, p]), f(X)[:, back], rtol=0, atol=atol)


def _shift(n):
    return torch.arange(n).roll(1)


def _swap(n):
    p = torch.arange(n)
    p[:2] = p[:2].flip(0)
    return p


def _with(*permutations, **options):
    return lambda f, X: all(_moves_along(f, X, p(X.shape[1]), **options) for p in permutations)


def _on_axis(axis):
    def test(f, X):
        p = _shift(X.shape[axis])
        return torch.allclose(f(X.index_select(axis, p)), f(X).index_select(axis, p), atol=1e-5)

    return test


def _index_error(f, X):
    p = _shift(X.shape[1])
    return torch.allclose(f(X[p]), f(X)[p], atol=1e-5)


def _as_bool(function, f, X):
    result = function(f, X)
    if isinstance(result, torch.Tensor) and result.numel() == 1:
        return bool(result)
    return result


_is_equivariant = _with(_shift, _swap)

EQUIVARIANCE = Exercise(
    name="my_is_equivariant",
    solution=_is_equivariant,
    cases=_layers_and_tokens,
    run=_as_bool,
    mistakes=[
        Mistake(
            lambda f, X: torch.allclose(f(X[:, _shift(X.shape[1])]), f(X), atol=1e-5),
            "You compare with the outputs of the sentence in its old order. That asks for "
            "invariance, where the shuffle leaves no trace; here the outputs have to move along.",
        ),
        Mistake(
            lambda f, X: torch.allclose(f(X), f(X)[:, _shift(X.shape[1])], atol=1e-5),
            "Even a layer that doubles each token fails your test. Input and output have to be "
            "shuffled by one and the same permutation; is one of them left out or drawn anew?",
        ),
        Mistake(
            _with(_shift, inverse=True),
            "With two tokens your test is right, with more it is not: the output is shuffled back, "
            "by the inverse permutation, in place of along.",
        ),
        Mistake(
            _index_error,
            "X[p] picks sentences, since axis 0 is the batch, and there are fewer sentences than "
            "tokens. Which axis holds the tokens?",
        ),
        Mistake(
            _on_axis(0),
            "You shuffle axis 0, the sentences of the batch. A layer that treats each sentence "
            "alone passes that whatever it does to the order of the tokens.",
        ),
        Mistake(
            _on_axis(2),
            "You shuffle axis 2, the features within a token. The question is about the order of "
            "the tokens.",
        ),
        Mistake(
            _with(_shift),
            "Your permutations are shifts around the circle. A layer that adds the left neighbor "
            "on a ring moves with each of them and is not equivariant: try one that tears "
            "neighbors apart.",
        ),
        Mistake(
            _with(lambda n: torch.arange(n).flip(0)),
            "You test with the reversed order. A layer that adds both neighbors looks the same in "
            "a mirror, so it passes, but it is not equivariant.",
        ),
        Mistake(
            _with(_swap),
            "You exchange the first two tokens only. A layer that treats the last token in a way "
            "of its own never notices. Every token has to move.",
        ),
        Mistake(
            _with(_shift, _swap, atol=0.0),
            "You ask for equal numbers to the last bit. A sum of the same terms in another order "
            "is rounded differently: allow for differences of about 0.00001.",
        ),
        Mistake(
            _with(_shift, _swap, atol=0.1),
            "Your tolerance is too generous: a layer that adds 0.02 per place depends on the "
            "order, and passes. Rounding is far smaller, about 0.000001.",
        ),
        Mistake(
            lambda f, X: not _is_equivariant(f, X),
            "True and False are exchanged in every case.",
        ),
        Mistake(
            lambda f, X: f(X[:, _shift(X.shape[1])]).shape == f(X).shape,
            "Your test passes every layer, even a running sum. Does it compare numbers, or only "
            "shapes?",
        ),
    ],
    hints=[
        "Two ways lead to the same place: shuffle and then apply f, or apply f and then shuffle. "
        "Compare the two, for more than one permutation.",
        "The tokens are axis 1, so a permutation p is applied as X[:, p]. Shifts alone and the "
        "reversal alone are fooled; which permutations, chained, make up all others?",
        "Take two permutations: one that exchanges the first two tokens and one that shifts all "
        "by one. f(X[:, p]) must equal f(X)[:, p] for both, up to rounding (torch.allclose with "
        "atol=1e-5).",
    ],
    gradients=False,
    dtypes=False,
)


# 5.3, causal self-attention by hand


def _head(
    fill=-torch.inf,
    scale=lambda keys, X: keys.shape[-1] ** 0.5,
    hidden=lambda ones: ones.triu(1),
    axis=-1,
    after=False,
    roles=lambda Q, K, V, X: (Q, K, V),
):
    """A causal head with one thing or another done differently."""

    def head(X, W_q, W_k, W_v):
        queries, keys, values = roles(X @ W_q, X @ W_k, X @ W_v, X)
        scores = queries @ keys.mT / scale(keys, X)
        future = hidden(torch.ones(scores.shape[-2:], dtype=torch.bool, device=X.device))
        if after:
            return scores.softmax(axis).masked_fill(future, 0) @ values
        return scores.masked_fill(future, fill).softmax(axis) @ values

    return head


def _tokens_and_matrices():
    simple = torch.tensor([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0]])
    far = torch.tensor([[[1e5, 0.0], [1.0, 2.0], [3.0, 1.0], [2.0, 2.0]]])
    cases = [
        (
            torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]),
            simple,
            simple.flip(0),
            torch.tensor([[1.0, 2.0, 0.0], [3.0, 0.0, 4.0]]),
        ),
        (_random(1, 1, 5), *_random(3, 5, 2)),
        (far, -torch.eye(2, 3), torch.eye(2, 3), torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])),
    ]
    for batch, n, size, head_size in [(3, 6, 8, 5), (2, 7, 3, 4)]:
        cases.append((_random(batch, n, size, seed=n), *_random(3, size, head_size, seed=size)))
    return cases


def _first_output(case, got, expected):
    a, b = (x.detach()[0, 0, 0].item() for x in (got, expected))
    return (
        f"Nothing is masked: the first token may attend to itself alone, so its output must be its "
        f"own value, which starts with {b:.3g}. Yours starts with {a:.3g}; it has heard of the "
        f"tokens after it."
    )


CAUSAL_HEAD = Exercise(
    name="my_causal_self_attention",
    solution=_head(),
    cases=_tokens_and_matrices,
    mistakes=[
        Mistake(_head(hidden=torch.zeros_like), _first_output),
        Mistake(
            _head(hidden=lambda ones: ones.tril(-1)),
            "The arrow is turned around: each token attends to itself and to LATER tokens. Query i "
            "may attend to key j where j is at most i.",
        ),
        Mistake(
            _head(hidden=torch.tril),
            "You hide what should be seen: the past and the token itself are masked, and the last "
            "row, which has nothing left, becomes NaN. masked_fill fills where the mask is True.",
        ),
        Mistake(
            _head(hidden=torch.triu),
            "The diagonal is masked as well, so the first token has nothing to attend to, and its "
            "row becomes NaN. A token may attend to itself.",
        ),
        Mistake(
            _head(hidden=lambda ones: ones.triu(2)),
            "Off by one: each token still attends to the one directly after it, the very token "
            "that it is meant to guess.",
        ),
        Mistake(
            _head(after=True),
            "You removed weights after the softmax had shared them out: the rows no longer sum to "
            "1, and the future still counts in the denominator. Mask the scores.",
        ),
        Mistake(
            _head(fill=0.0),
            "You filled the future scores with 0, and exp(0) is 1: the future still gets weight. "
            "What must a score be for its exponential to be 0?",
        ),
        Mistake(
            _head(fill=-1e6),
            "Right while the scores are small. A finite fill such as -1e6 or -1e9 wins against an "
            "allowed score of -6e9, which one case has: no finite number is low enough.",
        ),
        Mistake(
            _head(scale=lambda keys, X: 1),
            "The mask is right; the scores were not divided by the square root of the size of a "
            "key.",
        ),
        Mistake(
            _head(scale=lambda keys, X: X.shape[-1] ** 0.5),
            lambda case, got, expected: (
                f"You divide by the root of {case[0].shape[-1]}, the size of a token. The dot "
                f"product runs over {case[1].shape[-1]} numbers, the size of a query or key after "
                f"its projection: that is what scales it."
            ),
        ),
        Mistake(
            _head(scale=lambda keys, X: keys.shape[-1]),
            "You divide by the size of a key in place of its square root.",
        ),
        Mistake(
            _head(scale=lambda keys, X: keys.shape[-2] ** 0.5),
            "You divide by the root of the number of tokens. How long the sentence is has nothing "
            "to do with it: the size of a key has.",
        ),
        Mistake(
            _head(axis=-2),
            "The columns of your weights sum to 1, the rows do not: the softmax runs over the "
            "queries. It has to run over the keys, the last axis.",
        ),
        Mistake(
            _head(roles=lambda Q, K, V, X: (K, Q, V)),
            "Queries and keys are exchanged: in your scores row i belongs to key i. Rows are "
            "queries.",
        ),
        Mistake(
            _head(roles=lambda Q, K, V, X: (Q, K, X)),
            "The weights are right, but they average the tokens X themselves; W_v is never used.",
        ),
        Mistake(
            _head(roles=lambda Q, K, V, X: (Q, K, K)),
            "The weights are right, but they average the keys. The values are X @ W_v.",
        ),
    ],
    hints=[
        "Projections, scores, mask, softmax, weighted sum, in this order. What may the first token "
        "attend to?",
        "Entry [i, j] of the scores must be hidden where j is larger than i: the part above the "
        "diagonal. torch.triu with diagonal=1 keeps just that part.",
        "Divide the scores by the root of the last size of the keys, fill a boolean triangle of "
        "them with minus infinity by masked_fill, then softmax over the last axis and multiply by "
        "the values.",
    ],
)


# 5.4, the influence test. Some layers whose influence is known.


def add_token_before(X):
    return torch.cat([X[:, :1], X[:, 1:] + X[:, :-1]], 1)


def average_of_real_tokens(X):
    lens = torch.tensor([2, 4, 1])[: len(X)]  # real tokens in each sentence; the rest stay alone
    real = (torch.arange(X.shape[1]) < lens.unsqueeze(1)).unsqueeze(-1)  # (batch, n, 1)
    average = (X * real).sum(1, keepdim=True) / lens.view(-1, 1, 1)
    return torch.where(real, average, X)


def center_and_add_next_token(X):
    centered = 10 * (X - X.mean(-1, keepdim=True))
    return centered + torch.nn.functional.pad(centered[:, 1:], (0, 0, 0, 1))


def hear_last_feature_of_token_0(X):
    return torch.cat([X[..., :1] + X[:, :1, -1:], X[..., 1:]], -1)


def write_into_last_feature(X):
    heard = X[:, :1].sum(-1, keepdim=True)  # (batch, 1, 1)
    return torch.cat([X[..., :-1], X[..., -1:] + heard], -1)


def hear_a_whisper_of_last_token(X):
    return X + 0.002 * X[:, -1:]


def _layers_to_probe():
    # Whole numbers, four to a token: the mean of the features is exact, with nothing to round.
    whole = (4 * _random(2, 3, 4)).round()
    return [
        (add_token_before, torch.tensor([[[1.0, 2.0], [0.0, 0.0], [3.0, 5.0]]])),
        (running_sum, _random(2, 5, 4)),
        (average_of_real_tokens, _random(3, 4, 5)),
        (center_and_add_next_token, whole),
        (hear_last_feature_of_token_0, _random(2, 4, 3)),
        (write_into_last_feature, _random(2, 4, 3)),
        (hear_a_whisper_of_last_token, _random(2, 4, 3)),
        (double_each_token, _random(1, 1, 7)),
    ]


def _add(X, j):
    X[:, j] += torch.linspace(0.5, 1.5, X.shape[-1]) ** 2


def _add_one(X, j):
    X[:, j] += 1


def _erase(X, j):
    X[:, j] = 0


def _first_feature(X, j):
    X[:, j, 0] += 1


def _sentence(X, j):
    X[j] += 1


def _any(moved):
    return moved.any(-1).any(0)


def _influence(change=_add, atol=1e-6, see=_any, fresh=True):
    """An influence test with one thing or another done differently."""

    def test(f, X):
        changed, columns = X.clone(), []
        for j in range(X.shape[1]):
            changed = X.clone() if fresh else changed
            change(changed, j)
            columns.append(see((f(changed) - f(X)).abs() > atol))
        return torch.stack(columns, 1)

    return test


def _turned(test):
    return lambda f, X: test(f, X).mT


def _without_itself(f, X):
    return _influence()(f, X) & ~torch.eye(X.shape[1], dtype=torch.bool)


_AXES = (
    "The picture is transposed: you filled row j with what token j does. Row i is the output, "
    "column j the token that was changed."
)
_PILED_UP = (
    "The changes pile up: when token j is tested, the tokens before it are still changed. Each "
    "test has to start from a fresh copy of X."
)

INFLUENCE = Exercise(
    name="my_influence",
    solution=_influence(),
    cases=_layers_to_probe,
    mistakes=[
        Mistake(_turned(_influence()), _AXES),
        Mistake(_turned(_influence(_add_one)), _AXES),
        Mistake(_influence(fresh=False), _PILED_UP),
        Mistake(_influence(_add_one, fresh=False), _PILED_UP),
        Mistake(
            lambda f, X: torch.zeros(X.shape[1], X.shape[1], dtype=torch.bool),
            "Nothing ever moves in your picture. Writing changed = X makes a second name for the "
            "same tensor and no copy: then f(changed) is compared with itself.",
        ),
        Mistake(
            lambda f, X: ~_influence()(f, X),
            "Turned inside out: you have True where the output stays and False where it moves.",
        ),
        Mistake(
            _influence(_add_one),
            "You add the same number to all features. A layer that subtracts the mean of a token "
            "(layer normalization does) cannot notice; change the features by different amounts.",
        ),
        Mistake(
            _influence(_erase),
            "You set the token to 0, but in one case a token is 0 already: nothing changes and "
            "you find no influence. Add something in place of erasing or scaling.",
        ),
        Mistake(
            _influence(_first_feature),
            "You change only the first feature of a token, and one layer listens to the last.",
        ),
        Mistake(
            _influence(see=lambda moved: moved[..., 0].any(0)),
            "You look only at the first feature of an output. An output has moved when any of its "
            "features has.",
        ),
        Mistake(
            _influence(see=lambda moved: moved.all(-1).any(0)),
            "You ask that all features of an output move. One is enough.",
        ),
        Mistake(
            _influence(see=lambda moved: moved[0].any(-1)),
            "You look at (or change) the first sentence only. In one case the second sentence lets "
            "tokens reach further; the task says: in any sentence.",
        ),
        Mistake(
            _influence(see=lambda moved: moved.any(-1).all(0)),
            "You ask that the output moves in all sentences. The task says: in any.",
        ),
        Mistake(
            _influence(atol=0.01),
            "Your threshold is too high: one layer adds 0.002 of another token, and you miss it. "
            "Only rounding, about 0.000001, should be ignored.",
        ),
        Mistake(
            _without_itself,
            "The diagonal is missing: an output that moves as its own token changes counts too.",
        ),
        Mistake(
            _influence(_sentence),
            "changed[j] is sentence j, since axis 0 is the batch, and there are fewer sentences "
            "than tokens. Token j of every sentence is changed[:, j].",
        ),
    ],
    hints=[
        "One token at a time: copy X, change token j in the copy, run f on both and see which "
        "outputs differ. That answers one column of the picture.",
        "The difference of the outputs has shape (batch, n, size). An output moved when any "
        "feature in any sentence moved by more than rounding: reduce the last axis and the first.",
        "For each j: clone X, add different amounts to changed[:, j], compare with a threshold of "
        "1e-6, reduce with any over the features and the sentences; torch.stack the results along "
        "dim=1.",
    ],
    gradients=False,
    dtypes=False,
)


# 5.5, counting multiplications


def _too_many(words):
    return lambda case, got, expected: (
        f"For n = {case[0]} and d = {case[1]} you count {got:,}, not {expected:,}: {words}"
    )


OPERATIONS = Exercise(
    name="my_attention_operations",
    solution=lambda n, d: 4 * n * d**2 + 2 * n**2 * d,
    cases=lambda: [(2, 3), (1, 4), (5, 2), (7, 1), (8, 32), (256, 32), (4096, 512)],
    mistakes=[
        Mistake(
            lambda n, d: 3 * n * d**2 + 2 * n**2 * d,
            _too_many("queries, keys and values are there; the output projection is missing."),
        ),
        Mistake(
            lambda n, d: 2 * n**2 * d,
            _too_many("the projections are missing, as they are in the table of section 6."),
        ),
        Mistake(
            lambda n, d: n**2 * d,
            _too_many(
                "this is the table's entry. It tells how the cost grows; it leaves out the factor "
                "and the projections."
            ),
        ),
        Mistake(
            lambda n, d: 4 * n * d**2 + n**2 * d,
            _too_many("one product is missing. Scores and weighted sum each need n * n * d."),
        ),
        Mistake(
            lambda n, d: 4 * n * d**2,
            _too_many("the projections are right, scores and weighted sum are missing."),
        ),
        Mistake(
            lambda n, d: n * d**2 + 2 * n**2 * d,
            _too_many("one projection is counted. There are four, each with its own matrix."),
        ),
        Mistake(
            lambda n, d: 4 * d**2 + 2 * n**2 * d,
            _too_many(
                "4 * d**2 numbers are in the matrices, and every token is multiplied by them."
            ),
        ),
        Mistake(
            lambda n, d: 4 * n * d + 2 * n**2 * d,
            _too_many("a matrix of d by d takes d times d multiplications per token, not d."),
        ),
        Mistake(
            lambda n, d: 4 * n * d**2 + 2 * n**2,
            _too_many("one score is a dot product of d numbers: d multiplications per pair."),
        ),
        Mistake(
            lambda n, d: 4 * n**2 * d + 2 * n * d**2,
            _too_many("n and d are exchanged. Which products happen per token, which per pair?"),
        ),
        Mistake(
            lambda n, d: 8 * n * d**2 + 4 * n**2 * d,
            _too_many("just twice as much. The additions are not counted here."),
        ),
        Mistake(
            lambda n, d: 4 * n * d**2 + 4 * n**2 * d,
            _too_many(
                "scores and weighted sum twice over. Two heads share the d features, so all heads "
                "together cost what one would."
            ),
        ),
        Mistake(
            lambda n, d: 4 * n * d**2 + n * (n + 1) * d,
            _too_many("you leave out the masked pairs. They are computed all the same."),
        ),
        Mistake(
            lambda n, d: 4 * n * d**2 + 2 * n**2 * d + n**2,
            _too_many(
                "n * n too many. The division of the scores and the softmax are not counted."
            ),
        ),
    ],
    hints=[
        "A product of an (a, b) and a (b, c) matrix takes a times b times c multiplications. List "
        "the products in the layer, with their shapes.",
        "There are six products: four of an (n, d) and a (d, d) matrix, and two that involve the "
        "n by n table of weights.",
        "Each projection takes n * d * d. The scores are (n, d) by (d, n), the weighted sum is "
        "(n, n) by (n, d). Add them up.",
    ],
    gradients=False,
    dtypes=False,
)

EXERCISES = [QUERY_MATRIX, EQUIVARIANCE, CAUSAL_HEAD, INFLUENCE, OPERATIONS]

QUESTIONS = {
    "5.1": Question(
        "B",
        {
            "A": "In the raw products of X with itself `hungry` does win its own row. But W_q "
            "changed the question: it asks for noun and alive, and offers only alive itself.",
            "B": "`horse` offers both things asked for, noun and alive; `barn` and `hungry` offer "
            "one each.",
            "C": "`barn` meets one wish, noun. The second wish, alive, adds as much again to the "
            "score of `horse`, and softmax turns that into many times the weight.",
            "D": "That reads the row as a map of the page. Nothing in X says which words stand "
            "side by side, and `the` offers nothing that `hungry` asks for.",
        },
    ),
    "5.2": Question(
        "B",
        {
            "A": "That is what you did as you read. But the query of `it` is made from this one "
            "word, which is the same in both sentences: it asks for a noun, any noun.",
            "B": "The query of `it` and the keys of `horse` and `barn` are made from these words "
            "alone, and they are the same in both sentences.",
            "C": "The last word decides for a reader, and so it would be worth asking for. But the "
            "rule says that a pronoun asks for a noun, and an adjective is none.",
            "D": "Nearness is a habit of readers. The layer has no idea of position, so the nearer "
            "noun is no different from the farther one.",
        },
    ),
    "5.3": Question(
        "B",
        {
            "A": "It does look at everything, but each token asks its own question. The output of "
            "a token follows it to its new place, so the order of the outputs changes.",
            "B": "Every step works token by token or on all pairs alike, so a shuffle of the "
            "tokens comes out as the same shuffle of the outputs. Only the places change.",
            "C": "It means something else to a reader, and the layer would have to see the order "
            "to agree. It sees a heap of words.",
            "D": "No luck is needed: three lines of algebra show it for any weights. The run below "
            "draws them at random.",
        },
    ),
    "5.4": Question(
        "C",
        {
            "A": "That holds for a layer that treats each token alone. Here outputs 3, 4 and 5 "
            "may attend to token 2, so they notice the change.",
            "B": "The arrow is turned around: 0, 1 and 2 are the tokens that output 2 may read. "
            "The question is who reads token 2.",
            "C": "Token 2 is read by output 2 and by all later ones, and earlier outputs cannot "
            "see it, whatever the mode.",
            "D": "Such layers exist, and section 7 shows one, but it is a bug. This layer builds "
            "its mask in both modes.",
        },
    ),
    "5.5": Question(
        "B",
        {
            "A": "Recurrence builds its outputs one after the other, so output i can know tokens 0 "
            "to i and nothing later. That is a lower triangle too.",
            "B": "Causal attention and recurrence depend on the same pairs: own token and all "
            "earlier ones. What differs is the way that the news takes.",
            "C": "A convolution slides from left to right, but its window reaches to both sides: "
            "it sees one token into the future, and does not see far into the past.",
            "D": "Full self-attention is not the only one that reads ahead: the window of the "
            "convolution is centered, so it holds the next token as well.",
        },
    ),
    "5.6": Question(
        "B",
        {
            "A": "That compares scores and average alone, which is what the table lists. The whole "
            "layer also has four projections, and they alone cost twice the recurrence.",
            "B": "The four projections of the attention layer alone cost twice as much as the "
            "recurrence, at every length.",
            "C": "The part that grows with n squared is small at n = 8, but the four projections "
            "are not, and the recurrence has only two products per token.",
            "D": "Heads share out the d features: more heads, each smaller, and the same count.",
        },
    ),
}
