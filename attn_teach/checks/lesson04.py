"""Exercises and questions of lesson 04, multi-head attention."""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import pad

from ..multihead import MultiHeadAttention, merge_heads, split_heads
from .engine import Exercise, Mistake, Question, show


def _random(seed):
    """A function of a shape that makes random tensors."""
    generator = torch.Generator().manual_seed(seed)
    return lambda *shape: torch.randn(shape, generator=generator)


def _numbered(*shape):
    """1, 2, 3 ... in this shape: every number can be told from every other."""
    return torch.arange(1.0, math.prod(shape) + 1).view(shape)


# 4.1 Ask for the next word


def _positions():
    random = _random(41)
    return [(torch.eye(3),), (torch.eye(6),), (random(5, 4),), (random(4, 7),), (random(1, 10),)]


def _next(position):
    return torch.cat([position[1:], position[-1:]])


NEXT_WORD = Exercise(
    name="my_next_word_query",
    solution=_next,
    cases=_positions,
    mistakes=[
        Mistake(
            lambda position: position.roll(-1, 0),
            "The last word asks for the place of the first: roll goes around in a circle. The last "
            "word has no next word and should ask for itself.",
        ),
        Mistake(
            lambda position: torch.cat([position[:1], position[:-1]]),
            "This is still the question for the previous word: your second row holds the place of "
            "the first word.",
        ),
        Mistake(
            lambda position: position.roll(1, 0),
            "Two things: the rows moved down, so each word asks for the previous one, and they "
            "went around in a circle, so the first word asks for the last.",
        ),
        Mistake(
            lambda position: position.clone(),
            "Every word asks for its own place: the rows have not moved.",
        ),
        Mistake(
            lambda position: torch.cat([position[1:], torch.zeros_like(position[-1:])]),
            "The last word asks for nothing: its row is 0, so all its scores are equal and its "
            "weights spread over the whole sentence. It should ask for itself.",
        ),
        Mistake(
            lambda position: position[1:],
            lambda case, got, expected: (
                f"{len(got)} questions for {len(expected)} words: the last word has none. It "
                f"should ask for itself."
            ),
        ),
        Mistake(
            lambda position: position.roll(-2, 0),
            "Your rows moved by two, and in a circle: the first word asks for the third.",
        ),
        Mistake(
            lambda position: position[
                [min(i + 2, len(position) - 1) for i in range(len(position))]
            ],
            "Your rows moved by two: the first word asks for the third.",
        ),
        Mistake(
            lambda position: position[
                [min(i + 1, len(position) - 2) for i in range(len(position))]
            ],
            "The last word asks for the word before it: your limit stops one row early. The last "
            "row has the number n - 1.",
        ),
        Mistake(
            lambda position: position[[1, 2, 3, 4, 5, 5]],
            "Right for six words. The list of places 1, 2, 3, 4, 5, 5 is made for that sentence; "
            "build it from the number of rows.",
        ),
        Mistake(
            lambda position: position.roll(1, 1),
            "You moved the columns. One-hot rows hide this, but columns are features of a place; "
            "the words are the rows.",
        ),
        Mistake(
            lambda position: pad(position, (1, 0))[:, :-1],
            "You moved the columns, and the last one fell out. Columns are features of a place; "
            "the words are the rows.",
        ),
        Mistake(
            lambda position: torch.arange(1, len(position) + 1).clamp(max=len(position) - 1),
            "These are the numbers of the right places. What is asked for are the rows of "
            "`position` with these numbers: use them as an index.",
        ),
        Mistake(
            lambda position: torch.stack([position[-1]] * len(position)),
            "All words ask for the last place.",
        ),
    ],
    hints=[
        "Write down, for a sentence of three words, which row of `position` each word needs: three "
        "numbers.",
        "Row i of the result is row i + 1 of `position`. That is a slice; only the last word needs "
        "something else.",
        "torch.cat puts rows under each other. You need all rows but the first, and under them the "
        "last row once more; position[-1:] keeps it a table of one row.",
    ],
)


# 4.2 Split and merge


def _to_split():
    return [
        (_numbered(1, 2, 4), 2),
        (_numbered(3, 4, 10), 2),
        (_numbered(2, 5, 6), 3),
        (_numbered(2, 3, 8), 1),
        (_numbered(4, 1, 6), 3),
        (_numbered(2, 3, 5), 5),
        (_numbered(2, 3, 9), 3),  # as many words as heads as features in a head
    ]


def _cut(X, num_heads):
    return X.unflatten(-1, (num_heads, -1))  # (batch, n, num_heads, head_dim)


SPLIT_HEADS = Exercise(
    name="my_split_heads",
    solution=split_heads,
    cases=_to_split,
    mistakes=[
        Mistake(
            lambda X, num_heads: X.reshape(X.shape[0], num_heads, X.shape[1], -1),
            lambda case, got, expected: (
                f"The shape is right and the numbers are in the wrong heads: a view alone keeps "
                f"the line of numbers and breaks it elsewhere. Your head 0 begins with "
                f"{show(got[0, 0, :2])}, so its second row is the rest of word 0. Cut each row "
                f"first, then move the axis."
            ),
        ),
        Mistake(
            _cut,
            lambda case, got, expected: (
                f"The cut is right, but the axes are (batch, n, num_heads, head_dim), "
                f"{tuple(got.shape)}. The heads must come before the words."
            ),
        ),
        Mistake(
            lambda X, num_heads: X.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2),
            "You deal the features out like cards: head 0 gets every num_heads-th feature. A head "
            "should get a run of neighbors, as each head of the list owns a block of rows of W_q.",
        ),
        Mistake(
            lambda X, num_heads: X.unflatten(-1, (-1, num_heads)).transpose(1, 2),
            lambda case, got, expected: (
                f"You cut each row into {got.shape[1]} pieces of {case[1]} features. num_heads is "
                f"the number of pieces, not their size."
            ),
        ),
        Mistake(
            lambda X, num_heads: _cut(X, num_heads).transpose(0, 2),
            "You swapped the heads with the batch. Sentences stay on the first axis; swap the "
            "heads with the words.",
        ),
        Mistake(
            lambda X, num_heads: torch.stack(X.chunk(num_heads, -1)),
            "The heads are right, but they stand before the batch: torch.stack makes its new axis "
            "in front unless you say where. Expected is (batch, num_heads, n, head_dim).",
        ),
        Mistake(
            lambda X, num_heads: split_heads(X, num_heads).flatten(0, 1),
            "The heads are folded into the batch, as the book does it. Here they keep an axis of "
            "their own, so that a mask needs no repeating.",
        ),
        Mistake(
            lambda X, num_heads: torch.cat(X.chunk(num_heads, -1)),
            "The heads are folded into the batch, all sentences of head 0 first. They should have "
            "an axis of their own, behind the batch.",
        ),
        Mistake(
            lambda X, num_heads: split_heads(X, num_heads).transpose(-1, -2),
            "Words and features are exchanged inside each head: your last two axes are (head_dim, "
            "n).",
        ),
        Mistake(
            lambda X, num_heads: X.unflatten(1, (num_heads, -1)),
            "You cut the words: each head gets some of them, with all features. Every head must "
            "see all words, with some of the features.",
        ),
        Mistake(
            lambda X, num_heads: X.unsqueeze(1).repeat(1, num_heads, 1, 1),
            "Each of your heads got a copy of all features. The last axis must be cut: head_dim is "
            "num_hiddens / num_heads.",
        ),
        Mistake(
            lambda X, num_heads: X.reshape(*X.shape[:2], 2, -1).transpose(1, 2),
            "Your number of heads is always 2. Use num_heads.",
        ),
        Mistake(
            lambda X, num_heads: split_heads(X, num_heads).flip(1),
            "The heads come in reverse order: head 0 must hold the first features.",
        ),
    ],
    hints=[
        "Nothing is computed here, numbers only move. Where must number 5 of the small example go?",
        "Two steps: cut the last axis into (num_heads, head_dim), then let two axes change places.",
        "After the cut the shape is (batch, n, num_heads, head_dim). The wanted one is (batch, "
        "num_heads, n, head_dim): axes 1 and 2 change places. A transpose does that, a view does "
        "not.",
    ],
)


def _to_merge():
    return [
        (_numbered(1, 2, 2, 2),),
        (_numbered(3, 2, 4, 5),),
        (_numbered(2, 3, 5, 2),),
        (_numbered(2, 1, 4, 3),),
        (_numbered(4, 3, 1, 2),),
        (_numbered(2, 5, 3, 1),),
        (_numbered(2, 3, 3, 3),),
    ]


MERGE_HEADS = Exercise(
    name="my_merge_heads",
    solution=merge_heads,
    cases=_to_merge,
    mistakes=[
        Mistake(
            lambda X: X.reshape(X.shape[0], X.shape[2], -1),
            lambda case, got, expected: (
                f"The shape is right, but words are mixed: your first row is "
                f"{show(got[0, 0])}, made of the first words of head 0 alone. The heads of one "
                f"word must stand next to each other before axes are joined."
            ),
        ),
        Mistake(
            lambda X: X.transpose(1, 2).view(X.shape[0], X.shape[2], -1),
            "The idea is right. After a transpose the numbers do not lie in line any more, and a "
            "view cannot join such axes (with one head, one word or one feature it happens to "
            "work). reshape and flatten copy when they must.",
        ),
        Mistake(
            lambda X: X.transpose(1, 2),
            "The heads of a word stand next to each other, but on an axis of their own. Join the "
            "last two axes.",
        ),
        Mistake(
            lambda X: X.flatten(1, 2),
            lambda case, got, expected: (
                f"You joined heads and words: {got.shape[1]} rows instead of {expected.shape[1]}. "
                f"Each word must keep one row, which holds all its heads."
            ),
        ),
        Mistake(
            lambda X: X.transpose(1, 2).flatten(1, 2),
            "Each head of a word has a row of its own. Side by side means in one row: join the "
            "heads with the features, the last axis.",
        ),
        Mistake(
            lambda X: X.permute(0, 2, 3, 1).flatten(2),
            "The features of the heads alternate: first feature 0 of every head, then feature 1. "
            "Head 0 must come whole, then head 1.",
        ),
        Mistake(
            lambda X: X.sum(1),
            "You added the heads up. They are put side by side, so that nothing is lost; W_o does "
            "the mixing.",
        ),
        Mistake(
            lambda X: X.mean(1),
            "You took the mean over heads. They are put side by side, so that nothing is lost; W_o "
            "does the mixing.",
        ),
        Mistake(
            lambda X: X.flatten(0, 1),
            "You joined the batch with the heads. The batch stays as it is; heads and features are "
            "to be joined.",
        ),
        Mistake(
            lambda X: X.permute(2, 0, 1, 3).flatten(2),
            "Your first axis counts words and your second sentences. The batch stays first.",
        ),
        Mistake(
            lambda X: torch.cat([X[:, 0], X[:, 1]], -1),
            "Right for two heads, and only for two. Take as many as X has.",
        ),
        Mistake(
            lambda X: X[:, -1],
            "Only the last head is left. Does your loop overwrite what it found before?",
        ),
        Mistake(
            lambda X: X.flip(1).transpose(1, 2).flatten(2),
            "The heads stand in reverse order: head 0 must come first in each row.",
        ),
    ],
    hints=[
        "The row of a word is: its numbers from head 0, then those from head 1, and so on. Write "
        "down the first row of the small example.",
        "Two steps, those of splitting in reverse: first let two axes change places, then join "
        "two axes.",
        "Before joining, the shape must be (batch, n, num_heads, head_dim). Then the last two axes "
        "become one; reshape or flatten(2) can join them, view cannot.",
    ],
)


# 4.3 Multi-head attention from its matrices


def _sequences():
    random = _random(43)
    first = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])
    double = torch.tensor([[2.0, 0.0], [0.0, 2.0]])
    numbers = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    triangle = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    cases = [(first, double, triangle, numbers, triangle, 2)]
    for batch, n, d, num_heads in [(3, 5, 6, 2), (2, 4, 8, 4), (2, 3, 4, 1), (4, 1, 6, 3)]:
        matrices = [random(d, d) * 1.5 / math.sqrt(d) for _ in range(4)]
        cases.append((random(batch, n, d), *matrices, num_heads))
    return cases


def _scaled_softmax(scores, size):
    return (scores / math.sqrt(size)).softmax(-1)


def _attend(q, k, v):
    return _scaled_softmax(q @ k.mT, q.shape[-1]) @ v


def _multi_head(
    split=split_heads,
    merge=merge_heads,
    attention=_attend,
    project=nn.functional.linear,
    project_out=nn.functional.linear,
):
    """my_multi_head with one part exchanged for a wrong one."""

    def multi_head(X, W_q, W_k, W_v, W_o, num_heads):
        q, k, v = (split(project(X, W), num_heads) for W in (W_q, W_k, W_v))
        return project_out(merge(attention(q, k, v)), W_o)

    return multi_head


def _view_apart(X, num_heads):
    return X.reshape(X.shape[0], num_heads, X.shape[1], -1)


def _view_together(X):
    return X.reshape(X.shape[0], X.shape[2], -1)


def _full_width(q, k, v):
    return _scaled_softmax(q @ k.mT, q.shape[1] * q.shape[-1]) @ v


def _average_weights(q, k, v):
    weights = _scaled_softmax(q @ k.mT, q.shape[-1])
    return weights.mean(1, keepdim=True) @ v


def _first_block(X, W_q, W_k, W_v, W_o, num_heads):
    d = W_o.shape[0] // num_heads
    q, k, v = (X @ W[:d].T for W in (W_q, W_k, W_v))
    return torch.cat([_attend(q, k, v)] * num_heads, -1) @ W_o.T


def _across_the_batch(X, W_q, W_k, W_v, W_o, num_heads):
    return _multi_head()(X.transpose(0, 1), W_q, W_k, W_v, W_o, num_heads).transpose(0, 1)


def _untransposed(X, W):
    return X @ W


MULTI_HEAD = Exercise(
    name="my_multi_head",
    solution=_multi_head(),
    cases=_sequences,
    mistakes=[
        Mistake(
            _multi_head(attention=_full_width),
            lambda case, got, expected: (
                f"You divide the scores by sqrt({case[0].shape[-1]}), the full width. A head's "
                f"scores come from its own width, so here it is sqrt("
                f"{case[0].shape[-1] // case[-1]}); yours come out {math.sqrt(case[-1]):.2f} times "
                f"too small."
            ),
        ),
        Mistake(
            _multi_head(attention=lambda q, k, v: (q @ k.mT).softmax(-1) @ v),
            lambda case, got, expected: (
                f"The scores are not scaled. Divide them by the square root of the width of a "
                f"head, {case[0].shape[-1] // case[-1]} in this case."
            ),
        ),
        Mistake(
            _multi_head(attention=lambda q, k, v: (q @ k.mT / q.shape[-1]).softmax(-1) @ v),
            "You divide the scores by the width of a head. Divide by its square root: a sum of d "
            "random products grows as sqrt(d), not as d.",
        ),
        Mistake(
            _multi_head(attention=lambda q, k, v: (q @ k.mT * q.shape[-1] ** 0.5).softmax(-1) @ v),
            "You multiply the scores by the square root of the width. They have to be divided by "
            "it, or the softmax saturates.",
        ),
        Mistake(
            _multi_head(project_out=lambda X, W_o: X),
            "W_o makes no difference to your result. The heads, side by side, still have to pass "
            "through it.",
        ),
        Mistake(
            lambda X, W_q, W_k, W_v, W_o, num_heads: _multi_head()(X, W_q, W_k, W_v, W_o, 1),
            "num_heads makes no difference to your result: this is one head of full width. Each "
            "head needs a softmax of its own over its own part of the features.",
        ),
        Mistake(
            _multi_head(split=_view_apart, merge=_view_together),
            "Right with one head or one word. Otherwise your view mixes words, apart and together "
            "again: head 0 holds some of the words with all their features, torn into pieces.",
        ),
        Mistake(
            _multi_head(split=_view_apart),
            "The way into the heads mixes words: a view alone makes the right shape with the wrong "
            "numbers. Cut each row first, then move the axis.",
        ),
        Mistake(
            _multi_head(merge=_view_together),
            "The heads are right. On the way back you joined axes without moving the heads behind "
            "the words first, so the rows mix words.",
        ),
        Mistake(
            _multi_head(
                split=lambda X, num_heads: X.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)
            ),
            "Your heads take every num_heads-th feature. Head h owns a run of neighboring rows of "
            "each matrix, the same as a run of neighboring features of X @ W.T.",
        ),
        Mistake(
            _multi_head(project=_untransposed, project_out=_untransposed),
            "None of your matrices is transposed. nn.Linear holds one row for each output feature, "
            "so it computes X @ W.T.",
        ),
        Mistake(
            _multi_head(project=_untransposed),
            "W_o is used as it should be, but W_q, W_k and W_v are not transposed: you took "
            "columns where a head owns rows. nn.Linear computes X @ W.T.",
        ),
        Mistake(
            _multi_head(project_out=_untransposed),
            "The heads are right, but W_o is not transposed: as in nn.Linear, it is used as X @ "
            "W.T.",
        ),
        Mistake(
            _multi_head(
                attention=lambda q, k, v: (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-2) @ v
            ),
            "The softmax runs over the queries, so the columns sum to 1 and not the rows. It has "
            "to run over the keys, the last axis.",
        ),
        Mistake(
            _multi_head(
                attention=lambda q, k, v: (q @ k.mT / math.sqrt(q.shape[-1])).softmax(1) @ v
            ),
            "Your softmax runs over the heads (axis 1 of four), so heads compete for a key. It has "
            "to run over the keys, the last axis.",
        ),
        Mistake(
            _multi_head(attention=lambda q, k, v: q @ k.mT @ v / math.sqrt(q.shape[-1])),
            "There is no softmax: your scores are used as weights, so rows do not sum to 1.",
        ),
        Mistake(
            _multi_head(attention=_average_weights),
            "All your heads use the same weights, their mean. That is the blend which heads are "
            "there to avoid.",
        ),
        Mistake(
            _first_block,
            "All your heads are head 0: the block of rows does not move with the head.",
        ),
        Mistake(
            _multi_head(attention=lambda q, k, v: _attend(k, q, v)),
            "Queries and keys are exchanged: row i of the weights must come from query i.",
        ),
        Mistake(
            _multi_head(attention=lambda q, k, v: _attend(q, k, k)),
            "W_v makes no difference to your result: you average the keys instead of the values.",
        ),
        Mistake(
            _across_the_batch,
            "Your words attend to the same place in other sentences: batch and words are mixed. "
            "The scores need the axes (queries, keys) last and the batch first.",
        ),
    ],
    hints=[
        "Begin with one head. Which rows of W_q, W_k and W_v belong to head 0?",
        "For each head: its queries, keys and values, each (batch, n, head_dim); scores; scale; "
        "softmax over keys; weighted sum. Then side by side, and W_o.",
        "Head h owns the rows h * head_dim to (h + 1) * head_dim of W_q, W_k and W_v; W.chunk(num_"
        "heads) cuts them. Divide by sqrt(head_dim), join with torch.cat along the last axis, and "
        "finish with @ W_o.T.",
    ],
)


# 4.4 Hand it over to PyTorch


@dataclass
class Layer:
    """A case: the matrices of a MultiHeadAttention, and the input to run it on."""

    num_heads: int
    matrices: dict
    X: torch.Tensor

    def module(self):
        """A new MultiHeadAttention with these matrices."""
        size = self.X.shape[-1]
        result = MultiHeadAttention(size, size, size, size, self.num_heads)
        with torch.no_grad():
            for name, matrix in self.matrices.items():
                getattr(result, name).weight.copy_(matrix)
        return result

    def __repr__(self):
        batch, n, size = self.X.shape
        heads = f"{_count(self.num_heads, 'head')} of width {size // self.num_heads}"
        if size > 2:
            return f"{heads}, X: {_count(batch, 'sentence')} of {_count(n, 'word')}"
        named = [f"{name} = {show(W)}" for name, W in {**self.matrices, "X": self.X}.items()]
        return f"{heads}, {', '.join(named)}"


def _count(number, word):
    return f"{number} {word}{'s' * (number != 1)}"


class NotTorchs:
    """What stands for the output when no nn.MultiheadAttention came back."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, NotTorchs)

    __hash__ = None

    def __repr__(self):
        if isinstance(self.value, torch.Tensor):
            return f"a tensor of shape {tuple(self.value.shape)}"
        if isinstance(self.value, type):
            return f"the class {self.value.__name__}"
        return f"a {type(self.value).__name__}"


def _layers():
    random = _random(44)
    eye = torch.eye(2)
    small = {"W_q": 2 * eye, "W_k": eye.flip(0), "W_v": _numbered(2, 2), "W_o": 3 * eye}
    cases = [(Layer(1, small, eye.unsqueeze(0)),)]
    for batch, n, d, num_heads in [(3, 5, 6, 2), (2, 4, 6, 3), (4, 3, 8, 8), (3, 1, 4, 2)]:
        names = ("W_q", "W_k", "W_v", "W_o")
        matrices = {name: random(d, d) * 1.5 / math.sqrt(d) for name in names}
        cases.append((Layer(num_heads, matrices, random(batch, n, d)),))
    return cases


def _run_in_torch(function, layer):
    """The output of what the learner's function makes of the layer."""
    result = function(layer.module())
    if result is None:
        return None
    if not isinstance(result, nn.MultiheadAttention):
        return NotTorchs(result)
    try:
        with torch.no_grad():
            return result(layer.X, layer.X, layer.X, need_weights=False)[0]
    except (AssertionError, RuntimeError, TypeError) as error:
        raise ValueError(
            f"the nn.MultiheadAttention that came back cannot be run on X: {error}"
        ) from None


def _hand_over(
    order="qkv", stack=torch.cat, W_in=lambda W: W, W_out=lambda W: W, heads=None, **options
):
    """my_to_torch with one part exchanged; W_in or W_out None: not copied."""

    def to_torch(attention):
        size = attention.W_o.out_features
        num_heads = heads or attention.num_heads
        options_ = {"bias": False, "batch_first": True} | options
        result = nn.MultiheadAttention(size, num_heads, **options_)
        with torch.no_grad():
            if W_in:
                matrices = [W_in(getattr(attention, f"W_{letter}").weight) for letter in order]
                result.in_proj_weight.copy_(stack(matrices))
            if W_out:
                result.out_proj.weight.copy_(W_out(attention.W_o.weight))
        return result

    return to_torch


def _transposed(W):
    return W.T


def _what_came_back(case, got, expected):
    if isinstance(got.value, MultiHeadAttention):
        return (
            "What came back is a MultiHeadAttention, the class of this course. Wanted is PyTorch's "
            "own, nn.MultiheadAttention, with a small h in head."
        )
    if isinstance(got.value, torch.Tensor):
        return (
            f"What came back is a tensor of shape {tuple(got.value.shape)}. Wanted is the module, "
            f"an nn.MultiheadAttention that has not been called yet; the check calls it."
        )
    if isinstance(got.value, tuple):
        return (
            "What came back is a tuple, perhaps the output and weights of a call. Wanted is the "
            "module, an nn.MultiheadAttention; the check calls it."
        )
    return f"What came back is {got!r}. Wanted is the module, an nn.MultiheadAttention."


def _across_sentences(case, got, expected):
    batch, n, _ = case[0].X.shape
    return (
        f"All weights are in place, but batch_first is missing: the module takes "
        f"{_count(batch, 'sentence')} of {_count(n, 'word')} for {_count(n, 'sentence')} of "
        f"{_count(batch, 'word')}, so words attend across sentences. No error says so."
    )


_WORDS = {"q": "queries", "k": "keys", "v": "values"}

TO_TORCH = Exercise(
    name="my_to_torch",
    solution=_hand_over(),
    cases=_layers,
    run=_run_in_torch,
    mistakes=[
        Mistake(lambda attention: attention, _what_came_back),
        Mistake(
            _hand_over(batch_first=False),
            _across_sentences,
        ),
        *(
            Mistake(
                _hand_over(order=order),
                f"The order is wrong: you stacked {', '.join(_WORDS[letter] for letter in order)}. "
                f"in_proj_weight holds the queries first, then the keys, then the values.",
            )
            for order in ("kqv", "qvk", "vkq", "vqk", "kvq")
        ),
        Mistake(
            _hand_over(W_in=_transposed, W_out=_transposed),
            "You transposed all matrices. Both modules keep them as nn.Linear does, one row for "
            "each output feature: nothing is to be transposed.",
        ),
        Mistake(
            _hand_over(W_in=_transposed),
            "You transposed W_q, W_k and W_v. in_proj_weight keeps them as nn.Linear does, one row "
            "for each output feature: nothing is to be transposed.",
        ),
        Mistake(
            _hand_over(W_out=_transposed),
            "You transposed W_o. out_proj keeps it as nn.Linear does: nothing is to be transposed.",
        ),
        Mistake(
            _hand_over(stack=lambda matrices: torch.cat(matrices, 1).reshape(-1, len(matrices[0]))),
            "The rows of the three matrices alternate: so it goes if they are put side by side and "
            "the shape is changed afterwards. Put them under each other, the whole of W_q first.",
        ),
        Mistake(
            _hand_over(heads=1),
            "Your module has one head, whatever the number of heads of `attention`. All weights "
            "may be right, but the cut is not.",
        ),
        Mistake(
            _hand_over(W_out=None),
            "out_proj still has its random numbers: W_o was not copied.",
        ),
        Mistake(
            _hand_over(W_in=None),
            "in_proj_weight still has its random numbers: W_q, W_k and W_v were not copied.",
        ),
        Mistake(
            _hand_over(W_in=None, bias=True),
            "in_proj_weight still has its random numbers: W_q, W_k and W_v were not copied. (And "
            "your module has biases; the given one has none.)",
        ),
        Mistake(
            _hand_over(W_in=None, W_out=None),
            "This module has the right size, and random weights: nothing was copied.",
        ),
        Mistake(
            _hand_over(W_in=None, W_out=None, bias=True),
            "This module has the right size, and random weights: nothing was copied. (It also has "
            "biases; the given one has none.)",
        ),
        Mistake(
            _hand_over(order="qqq"),
            "W_k and W_v make no difference to your result: you stacked W_q three times.",
        ),
    ],
    hints=[
        "Two matrices have to be filled: in_proj_weight, which holds three of ours, and the weight "
        "of out_proj.",
        "The section on nn.MultiheadAttention lists what differs. Check one by one: order of the "
        "stack, number of heads, bias, batch_first.",
        "in_proj_weight has shape (3d, d): W_q, W_k and W_v under each other, by torch.cat along "
        "axis 0. Copy inside `with torch.no_grad()`, with copy_, from the weight of each layer.",
    ],
    gradients=False,
    dtypes=False,
)


# 4.7 What each head adds


def _results():
    random = _random(47)
    cases = [(torch.tensor([[[[1.0]], [[2.0]]]]), _numbered(2, 2))]
    for batch, num_heads, n, head_dim in [(3, 2, 4, 5), (2, 3, 5, 2), (2, 4, 3, 2), (4, 2, 1, 3)]:
        d = num_heads * head_dim
        cases.append((random(batch, num_heads, n, head_dim), random(d, d)))
    heads, W_o = cases[2]
    return [*cases, (heads[:, :1], W_o[:2, :2])]


def _placed(heads):
    """Each head alone in the merged row, zeros elsewhere, (batch, num_heads, n, d)."""
    num_heads = heads.shape[1]
    rows = [
        merge_heads(heads * (torch.arange(num_heads) == h).view(-1, 1, 1).to(heads))
        for h in range(num_heads)
    ]
    return torch.stack(rows, 1)


def _added(heads, W_o):
    return _placed(heads) @ W_o.T


def _output(heads, W_o):
    return merge_heads(heads) @ W_o.T


def _interleaved(heads, W_o):
    blocks = [W_o[:, h :: heads.shape[1]] for h in range(heads.shape[1])]
    return heads @ torch.stack(blocks).transpose(1, 2)


HEAD_CONTRIBUTIONS = Exercise(
    name="my_head_contributions",
    solution=_added,
    cases=_results,
    mistakes=[
        Mistake(
            lambda heads, W_o: _placed(heads) @ W_o,
            "Each head meets a block of rows of W_o. In merged @ W_o.T the features of head h are "
            "multiplied with columns of W_o.",
        ),
        Mistake(
            lambda heads, W_o: split_heads(_output(heads, W_o), heads.shape[1]),
            lambda case, got, expected: (
                f"You cut the finished output: each piece has {got.shape[-1]} features and comes "
                f"from all heads. A contribution has all {expected.shape[-1]} features and comes "
                f"from one head."
            ),
        ),
        Mistake(
            lambda heads, W_o: _placed(split_heads(_output(heads, W_o), heads.shape[1])),
            "They add up to the output, but you cut the finished output into pieces: each piece "
            "comes from all heads. With W_o every head can write into every feature.",
        ),
        Mistake(
            lambda heads, W_o: _output(heads, W_o).unsqueeze(1).repeat(1, heads.shape[1], 1, 1),
            lambda case, got, expected: (
                f"Every head gets the whole output, so that the sum over heads is "
                f"{case[0].shape[1]} times too large."
            ),
        ),
        Mistake(
            lambda heads, W_o: (
                _output(heads, W_o).unsqueeze(1).repeat(1, heads.shape[1], 1, 1) / heads.shape[1]
            ),
            "They add up to the output, but all heads get an equal share. A head's contribution "
            "depends on what this head found.",
        ),
        Mistake(
            lambda heads, W_o: _output(heads, W_o),
            "This is the sum over heads already, the output. Wanted is what it is the sum of.",
        ),
        Mistake(
            lambda heads, W_o: _placed(heads),
            "W_o makes no difference to your result: these are the heads at their places in the "
            "merged row. What does W_o make of each?",
        ),
        Mistake(
            lambda heads, W_o: heads @ W_o[:, : heads.shape[-1]].T,
            "All heads meet the first columns of W_o. The block has to move with the head.",
        ),
        Mistake(
            _interleaved,
            "Your heads take every num_heads-th column of W_o. Merging puts a head's features next "
            "to each other, so its columns are neighbors too.",
        ),
        Mistake(
            lambda heads, W_o: _added(
                heads, W_o.unflatten(1, (heads.shape[1], -1)).flip(1).flatten(1)
            ),
            "The blocks are right and in reverse order: head 0 owns the first columns.",
        ),
        Mistake(
            lambda heads, W_o: _added(heads, W_o).transpose(1, 2),
            "The numbers are right, but the heads come after the words. Wanted is (batch, "
            "num_heads, n, d).",
        ),
        Mistake(
            lambda heads, W_o: _added(heads, W_o).transpose(0, 1),
            "The numbers are right, but the heads come before the batch: torch.stack makes its new "
            "axis in front unless you say where.",
        ),
        Mistake(
            lambda heads, W_o: merge_heads(_added(heads, W_o)),
            "The numbers are right, but you put the contributions side by side. They are to be "
            "added later, so they need an axis of their own.",
        ),
        Mistake(
            lambda heads, W_o: heads @ torch.stack(W_o.chunk(2, 1)).transpose(1, 2),
            "Right for two heads, and only for two. Cut W_o into as many blocks as there are "
            "heads.",
        ),
    ],
    hints=[
        "If all heads but one were zero, what would the output be? That is this head's "
        "contribution.",
        "Merged rows are the heads side by side. Which columns of W_o are multiplied with the "
        "features of head h?",
        "Head h meets W_o[:, h * head_dim : (h + 1) * head_dim], of shape (d, head_dim). Multiply "
        "with its transpose, and stack the results along axis 1.",
    ],
)


EXERCISES = [
    NEXT_WORD,
    SPLIT_HEADS,
    MERGE_HEADS,
    MULTI_HEAD,
    TO_TORCH,
    HEAD_CONTRIBUTIONS,
]

QUESTIONS = {
    "4.1": Question(
        "C",
        {
            "A": "It feels as if attention had to pick one word. But blue and birds match one "
            "wish each, equally well, and equal scores share the weight.",
            "B": "Nothing in the sum makes one wish heavier: the best place and the best kind both "
            "score the same. Equal scores share the weight.",
            "C": "Both keys match one of the two wishes, so their scores are equal; softmax "
            "halves the weight and the output is their average.",
            "D": "That would need two outputs for one query. A layer gives each query one row of "
            "weights and one average.",
        },
    ),
    "4.2": Question(
        "B",
        {
            "A": "A person would read it so. But finding the smaller part is a comparison, and a "
            "linear map only multiplies and adds.",
            "B": "The larger share makes the previous word stand out, and for the same reason the "
            "other one drowns. The two errors together hardly fall.",
            "C": "True at the share 0.5, where nothing tells the two words apart. At 0.75 the "
            "previous word is clearly the larger part.",
            "D": "One share grows only at the expense of the other: they sum to 1. What one job "
            "gains, the other loses.",
        },
    ),
    "4.3": Question(
        "C",
        {
            "A": "Large models have many heads, but they are also wide. Here 18 heads share 18 "
            "features, so each one is left with a width of 1.",
            "B": "Width helps to form one pattern of weights. Two jobs need two patterns for the "
            "same query, and one head has one.",
            "C": "Two jobs ask for two heads, and with 2 or 3 of them each is still wide enough to "
            "tell six words apart.",
            "D": "The same numbers, used differently: heads decide how many softmaxes there are "
            "and how wide each one's questions can be.",
        },
    ),
    "4.4": Question(
        "C",
        {
            "A": "The shapes agree, and that is all. The view reads the same line of numbers with "
            "other line breaks, and no number changes its place in the line.",
            "B": "Heads sound like a matter of features alone. But the second row of head 0 must "
            "come from word 2, and in the line of numbers the rest of word 1 comes first.",
            "C": "The first five numbers are the first half of word 1, the next five its second "
            "half: four rows of five use up two words.",
            "D": "3 * 2 * 4 * 5 is 120, just as 3 * 4 * 10. A view checks nothing but the count, "
            "which is why this mistake is silent.",
        },
    ),
    "4.5": Question(
        "B",
        {
            "A": "That is what such a test is meant to show. But where all words are alike, all "
            "scores of a row are equal, with or without W_q.",
            "B": "All words are alike, so all weights are 1/6 before and after. The test cannot "
            "see W_q or W_k at all.",
            "C": "NaN comes from a row in which everything is masked. A row of equal scores, zero "
            "or not, has a perfectly good softmax: even weights.",
            "D": "Scores of zero are not weights of zero: exp(0) is 1, and the weights are even. "
            "The output is the average of the values.",
        },
    ),
}
