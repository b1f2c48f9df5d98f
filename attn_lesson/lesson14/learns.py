"""Lesson 09's model with the parts of this year's attention, trained, and what is seen on the way.

`python -m attn_lesson.lesson14 runs` trains all of EXPERIMENTS, each with five seeds, and prints
runs.csv; `runs` reads it.
"""

import csv
import functools
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attn_teach import CausalBlock, attend

from ..lesson09 import towns

HERE = Path(__file__).parent
PAD = -100  # fills short rows; the loss leaves it out
STEPS, SEEDS, USUAL = 300, 5, 0.006  # the usual rate is that of lesson 09
RATES = (0.006, 0.012, 0.03, 0.06, 0.12, 0.2)
HIGH, CAP = (0.006, 0.03, 0.06), 8.0  # of what is compared with QK-norm
HEAD, SINK, GATE = {"qk_norm": "head"}, {"sink": True}, {"gate": True}
PLACES = "before", "after", "both", "sum", "none"  # where a block's norms stand


class OtherBlock(CausalBlock):
    """A block whose norms stand on the sum, as in 2017, or nowhere."""

    def __init__(self, *sizes, norm, **parts):
        super().__init__(*sizes, **parts)
        if norm == "none":
            self.norm_1 = self.norm_2 = nn.Identity()

    def forward(self, X):
        X = self.norm_1(X + self.attention(X))
        return self.norm_2(X + self.W_down(nn.functional.silu(self.W_gate(X)) * self.W_up(X)))


class TownModel(nn.Module):
    """Lesson 09's model: an embedding, blocks, a norm, and the embedding again.

    layers: what each block's attention is made of, {part: setting}, one dict for each block.
    """

    def __init__(self, layers, norm="before", width=64, heads=4):
        super().__init__()
        self.embedding = nn.Embedding(len(tokens()), width)
        nn.init.normal_(self.embedding.weight, std=0.1)
        made = OtherBlock if norm in ("sum", "none") else CausalBlock
        self.blocks = nn.ModuleList(
            made(width, heads, 2 * width, norm=norm, **parts) for parts in layers
        )
        self.norm = nn.RMSNorm(width)

    def forward(self, rows):
        """Tokens (batch, n) -> scores of the next one (batch, n, tokens)."""
        X = self.embedding(rows)
        for block in self.blocks:
            X = block(X)
        return self.norm(X) @ self.embedding.weight.T


@functools.cache
def tokens():
    """Countries, the end of a name, and letters."""
    names = towns()
    countries = dict.fromkeys(country for country, _ in names)
    return [*countries, ".", *sorted({letter for _, name in names for letter in name})]


def encode(names):
    """Tokens of names, (names, longest + 2), from pairs of a country and a name."""
    number = {token: k for k, token in enumerate(tokens())}
    rows = [torch.tensor([number[token] for token in (c, *name, ".")]) for c, name in names]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)


@functools.cache
def split():
    """Lesson 09's names, encoded: 8,600 to learn, 1,000 held out."""
    names = towns()
    order = torch.randperm(len(names), generator=torch.Generator().manual_seed(0)).tolist()
    rows = encode([names[k] for k in order])
    return rows[1000:], rows[:1000]


def loss_of(model, rows):
    """The mean loss of a letter."""
    rows = rows[:, : (rows != PAD).sum(1).max()]
    return cross_entropy(model(rows[:, :-1].clamp(min=0)).mT, rows[:, 1:], ignore_index=PAD)


def watch(attention, cap=None, norm_values=False):
    """Keep the largest score, in size, that an attention has had before its softmax.

    cap: what its scores are bent by, cap * tanh(scores / cap), as in Gemma 2. norm_values: whether
    its values are normed, which bounds no score.
    """
    before, attention.largest = attention.attend, 0.0

    def watched(q, k, v, allowed, *others):
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if cap:
            scores = cap * torch.tanh(scores / cap)
        highest = scores.detach()[..., allowed].abs().max().item()
        attention.largest = max(attention.largest, highest)
        if norm_values:
            v = torch.rms_norm(v, v.shape[-1:])
        return attend(scores, v, allowed) if cap else before(q, k, v, allowed, *others)

    attention.attend = watched


def train(model, seed=0, rate=USUAL, steps=STEPS, note=lambda *point: None):
    """Train a model on names in an order that the seed gives: up to the rate in 50 steps, then down
    to 0."""
    learned, _ = split()
    torch.manual_seed(seed)
    adam = torch.optim.AdamW(model.parameters(), lr=rate)
    by_step = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min((step + 1) / 50, (steps - step) / (steps - 50))
    )
    for _ in range(steps):
        loss = loss_of(model, learned[torch.randint(len(learned), (64,))])
        adam.zero_grad()
        loss.backward()
        adam.step()
        by_step.step()
        note("names it learns", loss.item())
    return model


@torch.no_grad()
def weight_of(model):
    """Of each block: what the weights of a letter sum to, and what of them the first token gets.

    Both are means over heads and over the letters from the third on of held-out names.
    """
    _, rows = split()
    real = rows[:, 4:] != PAD  # a letter that has a next one
    model(rows[:, :-1].clamp(min=0))
    told = []
    for block in model.blocks:
        weights = block.attention.attention_weights.mean(1)[:, 3:]  # (names, queries, keys)
        told.append((weights.sum(-1)[real].mean().item(), weights[..., 0][real].mean().item()))
    return told


def start(layers, seed=0, norm="before"):
    """A new model: the same first numbers for the same seed, whatever its parts."""
    torch.manual_seed(seed)
    model = TownModel(layers, norm)
    if any("gate" in parts for parts in layers):  # its matrices would move all draws behind them
        torch.manual_seed(seed)
        plain = TownModel(
            [{k: v for k, v in parts.items() if k != "gate"} for parts in layers], norm
        )
        model.load_state_dict(plain.state_dict(), strict=False)
    return model


# Experiments: {name: {"layers": ..., and what else is not usual}}
BLOCKS_2 = 2 * [{}]
WINDOW, STILL = {"window": 3}, {"turned": 0.0}
EXPERIMENTS = (
    {f"plain, rate {rate}": {"layers": BLOCKS_2, "rate": rate} for rate in RATES}
    | {f"QK-norm, rate {rate}": {"layers": 2 * [HEAD], "rate": rate} for rate in RATES}
    | {f"cap {CAP}, rate {r}": {"layers": BLOCKS_2, "cap": CAP, "rate": r} for r in HIGH}
    | {f"values, rate {r}": {"layers": BLOCKS_2, "norm_values": True, "rate": r} for r in HIGH}
    | {f"gate, rate {r}": {"layers": 2 * [GATE], "rate": r} for r in HIGH}
    | {
        f"norm {norm}, rate {rate}": {"layers": BLOCKS_2, "norm": norm, "rate": rate}
        for norm in ("after", "sum")
        for rate in HIGH
    }
    | {
        "sink": {"layers": 2 * [SINK]},
        "QK-norm, sink, gate": {"layers": 2 * [HEAD | SINK | GATE]},
    }
    | {
        f"four blocks, {name}": {"layers": layers, "steps": 200}
        for name, layers in {
            "all see all": 4 * [{}],
            "three windows": 3 * [WINDOW] + [{}],
            "three windows, one still": 3 * [WINDOW] + [STILL],
            "one still": 3 * [{}] + [STILL],
            "all still": 4 * [STILL],
            "four windows": 4 * [WINDOW],
        }.items()
    }
    | {
        f"{blocks} blocks, norm {norm}": {"layers": blocks * [{}], "norm": norm, "steps": 200}
        for blocks in (2, 8)
        for norm in PLACES
    }
)


def run(name, seed):
    """Train one model of EXPERIMENTS; return the row of runs.csv."""
    options = dict(EXPERIMENTS[name])
    model = start(options.pop("layers"), seed, options.pop("norm", "before"))
    attentions = [block.attention for block in model.blocks]
    other = {key: options.pop(key) for key in ("cap", "norm_values") if key in options}
    for attention in attentions:
        watch(attention, **other)
    train(model, seed, **options)
    largest = max(attention.largest for attention in attentions)
    with torch.no_grad():
        loss = loss_of(model, split()[1]).item()
    sums, firsts = (" ".join(f"{x:.3f}" for x in of) for of in zip(*weight_of(model), strict=True))
    return {"name": name, "seed": seed, "loss": f"{loss:.4f}", "score": f"{largest:.5g}",
            "sums": sums, "firsts": firsts}  # fmt: skip


def rows():
    """The lines of runs.csv."""
    torch.set_num_threads(1)  # the matrices are tiny
    yield "name,seed,loss,score,sums,firsts"
    for name in EXPERIMENTS:
        for seed in range(SEEDS):
            made = run(name, seed)
            yield ",".join(f'"{v}"' if "," in str(v) else str(v) for v in made.values())


@functools.cache
def runs():
    """What `rows` gave: {name: {"loss", "score", "sums", "firsts": a value for each seed}}."""
    found = {}
    with (HERE / "runs.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            kept = found.setdefault(row["name"], {key: [] for key in list(row)[2:]})
            for key, values in kept.items():
                made = [float(value) for value in row[key].split()]
                values.append(made if key in ("sums", "firsts") else made[0])
    return found
