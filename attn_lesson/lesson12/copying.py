"""Lesson 05's texts of invented words, and how well models with a small memory copy in them.

python -m attn_lesson.lesson12 copying  trains them again, in some minutes, and prints copying.csv.
"""

import torch
from torch import nn

from attn_teach import attend, causal_mask

LETTERS = "abcdefghilnorsty"
STEPS, SEEDS = 400, (0, 1, 2)


def texts(count, size):
    """Texts of letter numbers, and which letters can be copied, (count, size) each.

    Four words of two or three letters for each text, no letter in two of them, put together at
    random: a letter within a word that has been read before can be copied.
    """
    drawn = [_text(size) for _ in range(count)]
    return tuple(map(torch.stack, zip(*drawn, strict=True)))


def _text(size):
    letters = torch.randperm(len(LETTERS)).tolist()
    ends = torch.randint(2, 4, (4,)).cumsum(0).tolist()
    words = [letters[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    words = [words[i] for i in torch.randint(4, (size // 2 + 1,))]
    text = [letter for word in words for letter in word]
    known = [word in words[:i] and k > 0 for i, word in enumerate(words) for k in range(len(word))]
    return torch.tensor(text[:size]), torch.tensor(known[:size])


class Layer(nn.Module):
    """Causal attention of one head, by softmax or linear, whose queries and keys have `size`."""

    def __init__(self, width, size, kind):
        super().__init__()
        self.W_q, self.W_k = (nn.Linear(width, size, bias=False) for _ in range(2))
        self.W_v, self.W_o = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.kind = kind

    def forward(self, X):
        q, k, v = self.W_q(X), self.W_k(X), self.W_v(X)
        seen = causal_mask(X.shape[1])
        if self.kind == "softmax":
            return self.W_o(attend(q @ k.mT / q.shape[-1] ** 0.5, v, seen)[0])
        weights = (nn.functional.elu(q) + 1) @ (nn.functional.elu(k) + 1).mT * seen
        return self.W_o(weights / weights.sum(-1, keepdim=True) @ v)


class Copier(nn.Module):
    """Lesson 05's model of two layers."""

    def __init__(self, size, kind, length, width=48):
        super().__init__()
        self.letter, self.place = nn.Embedding(len(LETTERS), width), nn.Embedding(length, width)
        self.layers = nn.ModuleList(Layer(width, size, kind) for _ in range(2))
        self.guess = nn.Linear(width, len(LETTERS))

    def forward(self, read):
        X = self.letter(read) + self.place.weight[: read.shape[1]]
        for layer in self.layers:
            X = X + layer(X)
        return self.guess(X)


def train(kind, size, length, seed):
    """Train a model; return the share of letters to be copied that it gets right, in 500 texts."""
    torch.manual_seed(seed)
    read, copied = texts(4000, length + 1)
    model = Copier(size, kind, length).double()
    adam = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(STEPS):
        chosen = torch.randint(500, len(read), (64,))
        graded = copied[chosen, 1:]
        scores, right = model(read[chosen, :-1])[graded], read[chosen, 1:][graded]
        loss = nn.functional.cross_entropy(scores, right)
        adam.zero_grad()
        loss.backward()
        adam.step()
    with torch.no_grad():
        guessed = model(read[:500, :-1]).argmax(-1)
    return (guessed == read[:500, 1:])[copied[:500, 1:]].double().mean().item()


def rows():
    """The lines of copying.csv."""
    torch.set_num_threads(1)
    yield "kind,size,length,seed,right"
    for kind, sizes in (("softmax", (4, 16)), ("linear", (2, 4, 8, 16, 32))):
        for size in sizes:
            for seed in SEEDS:
                yield f"{kind},{size},20,{seed},{train(kind, size, 20, seed):.3f}"
