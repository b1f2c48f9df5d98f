"""A small model that learns to spell names of towns, with whatever attention it is given."""

import functools

import torch
import torch.nn.functional as F
from torch import nn

from attn_teach import causal_mask, merge_heads, split_heads

from ..lesson09 import towns
from .attentions import BROKEN, RIGHT

LETTERS, LENGTH = " abcdefghijklmnopqrstuvwxyz", 10


@functools.cache
def spelled():
    """British towns, (names, LENGTH + 1): numbers of letters, between spaces."""
    names = [name for country, name in towns() if country == "GB" and {*name} <= {*LETTERS[1:]}]
    cut = [f" {name}"[: LENGTH + 1].ljust(LENGTH + 1) for name in names]
    return torch.tensor([[LETTERS.index(letter) for letter in name] for name in cut])


class Speller(nn.Module):
    """Letters and places, one attention of four heads, a small network, letters again."""

    def __init__(self, attention, width=32, heads=4):
        super().__init__()
        self.attention, self.heads = attention, heads
        self.letter, self.place = nn.Embedding(27, width), nn.Embedding(LENGTH, width)
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(width, width, False) for _ in range(4))
        self.net = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, width))
        self.guess = nn.Linear(width, 27)

    def forward(self, letters):
        """Letters (batch, n) -> scores of the next letter (batch, n, 27)."""
        n = letters.shape[1]
        x = self.letter(letters) + self.place.weight[:n]
        split = (split_heads(W(x), self.heads) for W in (self.W_q, self.W_k, self.W_v))
        output, _ = self.attention(*split, causal_mask(n).view(1, 1, n, n))
        x = x + self.W_o(merge_heads(output))
        return self.guess(x + self.net(x))


def loss(guesses, letters):
    return F.cross_entropy(guesses.flatten(0, 1), letters.flatten())


def learn(attention, seed=0, steps=300):
    """A trained Speller, in float64, and its losses, one for each step."""
    names, losses, threads = spelled(), [], torch.get_num_threads()
    torch.set_num_threads(1)  # the matrices are tiny
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Speller(attention).double()
        for weights in model.parameters():  # in float64, which processors round alike
            nn.init.normal_(weights, std=0.15)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(steps):
            some = names[torch.randint(len(names), (64,))]
            error = loss(model(some[:, :-1]), some[:, 1:])
            optimizer.zero_grad()
            error.backward()
            optimizer.step()
            losses.append(error.item())
    torch.set_num_threads(threads)
    return model.eval(), losses


@torch.no_grad()
def in_use(model, names=500):
    """The loss where the letters come one by one, so that no later one is there to be seen."""
    some = spelled()[:names]
    guesses = [model(some[:, : t + 1])[:, -1] for t in range(LENGTH)]
    return loss(torch.stack(guesses, 1), some[:, 1:]).item()


@torch.no_grad()
def goes_on(model, begins):
    """The name that a model makes of a beginning: the likeliest letter each time, up to a space."""
    name = begins
    while len(name) < LENGTH:
        letters = torch.tensor([[LETTERS.index(letter) for letter in f" {name}"]])
        letter = LETTERS[model(letters)[0, -1].argmax()]
        if letter == " ":
            break
        name += letter
    return name


def three_models(seed=0):
    """The three of the lesson's door: {name: (a trained model, its losses)}."""
    by = {"A": "scales_by_the_width", "B": "plain", "C": "mixes_heads_by_view"}
    return {name: learn((RIGHT | BROKEN)[who], seed) for name, who in by.items()}
