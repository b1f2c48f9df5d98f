"""What the rubrics of lesson 05 in classroom/EXAM.md say, computed."""

import torch
from rubrics import softmax
from torch import nn

import attn_teach


def convolution(before, after):
    """Return a convolution whose outputs read so many tokens before and after their own."""
    layer = nn.Conv1d(8, 8, before + after + 1)
    return lambda X: layer(nn.functional.pad(X.mT, (before, after))).mT


def it_finds(added):
    """Return what `it` gives to horse and barn in layer 2 of lesson 05, section 2."""
    _, noun, pronoun, adjective, verb, _, alive, place = range(8)
    words = [[0], [noun, alive], [verb], [0], [noun, place], [5], [pronoun], [verb]]
    X, read, take, find = torch.zeros(9, 8), *torch.zeros(3, 8, 8)
    for row, features in zip(X, [*words, [adjective, alive]], strict=True):
        row[features] = 1
    read[pronoun, adjective] = 8
    take[[alive, place], [alive, place]] = 1
    find[[adjective, pronoun, alive, place], [noun, noun, alive, place]] = 8
    output, _ = attn_teach.attend(attn_teach.dot_product_scores(X @ read, X), X @ take)
    X = output + X if added else output
    return softmax(attn_teach.dot_product_scores(X @ find, X))[6, [1, 4]]


def counter(ids):
    """A causal model: the next letter is the sum of those so far, of five."""
    return torch.eye(5)[ids.cumsum(-1) % 5]


FIGURES = """
5.1 | influences(convolution(1, 1), n).sum() |
    influences(SelfAttention(8, 2, causal=True), n).sum() | influences(convolution(1, 0), n).sum()
5.2 | X @ W_q | X @ W_k | X @ W_v | attend((X @ W_q) @ (X @ W_k).T, X @ W_v)[0][1] |
    attend((X @ W_q) @ (X @ W_k).T, X @ W_v)[0][2] |
    attend((X @ W_q) @ (X @ W_k).T, X @ W_v, causal_mask(3))[0][1]
5.3 | it_finds(added=False) | it_finds(added=True)
5.4 | len(set(write(counter, [3, 1], 4)[2:])) == 1
5.5 | 4 * n * d * d / 1e6 | 2 * n * n * d / 1e6 |
    (8 * n * d * d + 8 * n * n * d) / (4 * n * d * d + 2 * n * n * d)
"""

TRUE = """
5.4 | mended.write(counter, [3, 1], 3) == [3, 1, 4, 3, 1]
"""
