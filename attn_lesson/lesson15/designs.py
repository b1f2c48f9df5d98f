"""What a small model can recall of a text, for each way to keep what it has read.

`python -m attn_lesson.lesson15 runs` trains all of EXPERIMENTS and prints runs.csv; `runs` reads
it.
"""

import csv
import functools
from multiprocessing import get_context
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy, normalize, scaled_dot_product_attention, silu

from attn_teach import causal_mask, merge_heads, split_heads

HERE = Path(__file__).parent
WIDTH, HEADS, KEYS = 32, 4, 32  # 32 tokens are keys, and 32 others are values
NONE = -1  # no answer is asked for here


class Mixer(nn.Module):
    """A layer in which tokens read earlier ones: attention, or a state.

    kv_heads: heads of keys and values. latent: keys and values are made from so many numbers.
    window: a token sees itself and window - 1 before it. top: only the largest scores count.
    state: "sum" adds what is written, "delta" corrects it; decay: it forgets.

    Each token is first mixed with the two before it, which tells a value what its key was.
    """

    def __init__(self, kv_heads=HEADS, latent=None, window=None, top=None, state=None, decay=False):
        super().__init__()
        width = WIDTH
        self.window, self.top, self.state, self.kv_heads = window, top, state, kv_heads
        self.nearby = nn.Conv1d(width, width, 3, groups=width, padding=2)
        size = width // HEADS * kv_heads
        self.W_a = nn.Identity()
        if latent:
            self.W_a = nn.Sequential(nn.Linear(width, latent, bias=False), nn.RMSNorm(latent))
        self.W_q = nn.Linear(width, width, bias=False)
        self.W_k, self.W_v = (nn.Linear(latent or width, size, bias=False) for _ in range(2))
        self.W_o = nn.Linear(width, width, bias=False)
        self.W_beta = nn.Linear(width, HEADS) if state == "delta" else None
        self.W_decay = nn.Linear(width, HEADS) if decay else None
        if decay:
            nn.init.constant_(self.W_decay.bias, 3.0)  # 0.95 is left at each step, at first

    def forward(self, X, given=None):
        """X (batch, n, width) -> the same shape, and its keys and values.

        given: the keys and values of another layer, in place of its own.
        """
        X = self.nearby(X.mT)[..., : X.shape[1]].mT
        made = self.W_a(X)
        q = split_heads(self.W_q(X), HEADS)  # (batch, heads, n, d)
        k, v = given or (split_heads(W(made), self.kv_heads) for W in (self.W_k, self.W_v))
        heads = self.read_state(X, q, k, v) if self.state else self.attend(q, k, v)
        return self.W_o(merge_heads(heads)), (k, v)

    def attend(self, q, k, v):
        n = q.shape[-2]
        k, v = (x.repeat_interleave(HEADS // x.shape[1], 1) for x in (k, v))
        allowed = causal_mask(n)
        if self.window:
            allowed = allowed & ~allowed.tril(-self.window)
        if self.top:
            scores = (q @ k.mT).masked_fill(~allowed, -torch.inf)
            highest = scores.topk(min(self.top, n), -1).values
            allowed = allowed & (scores >= highest[..., -1:])
        return scaled_dot_product_attention(q, k, v, allowed)

    def read_state(self, X, q, k, v):
        q, k = (normalize(silu(x), dim=-1) for x in (q, k))
        still = 1.0  # what is left in t of what was written in j: (batch, heads, n, n) with decay
        if self.W_decay:
            log = nn.functional.logsigmoid(self.W_decay(X)).mT.cumsum(-1)
            still = (log[..., :, None] - log[..., None, :]).tril().exp()
        beta = torch.sigmoid(self.W_beta(X)).mT if self.W_beta else None
        return in_parallel(q, k, v, beta, still)


def in_parallel(q, k, v, beta=None, still=1.0):
    """What a state gives to each query, all at once: no state is ever made.

    What token t writes is u_t = beta_t (v_t - what the state says of k_t), and that is a sum over
    the u before it: a triangular system. Without beta, u is v.
    """
    if beta is not None:
        said = (beta[..., None] * still * (k @ k.mT)).tril(-1)
        eye = torch.eye(k.shape[-2], dtype=k.dtype)
        v = torch.linalg.solve_triangular(eye + said, beta[..., None] * v, upper=False)
    return (still * (q @ k.mT)).tril() @ v


class RecallModel(nn.Module):
    """An embedding, layers that read, and what the answer is read from.

    layers: the options of each `Mixer`, a dict for each; {"shares": True} takes the keys and values
    of the layer before it.
    """

    def __init__(self, layers):
        super().__init__()
        self.shares = [options.get("shares", False) for options in layers]
        self.embedding = nn.Embedding(2 * KEYS, WIDTH)
        self.layers = nn.ModuleList(
            Mixer(**{name: value for name, value in options.items() if name != "shares"})
            for options in layers
        )
        self.norms = nn.ModuleList(nn.RMSNorm(WIDTH) for _ in range(len(layers) + 1))
        self.answer = nn.Linear(WIDTH, KEYS)

    def forward(self, tokens):
        """Tokens (batch, n) -> scores of each answer (batch, n, answers)."""
        X, made = self.embedding(tokens), None
        for layer, norm, shares in zip(self.layers, self.norms, self.shares, strict=False):
            read, made = layer(norm(X), made if shares else None)
            X = X + read
        return self.answer(self.norms[-1](X))


def kept(layers, n):
    """How many numbers are kept when n tokens have been read, in all layers.

    What mixes a token with the two before it keeps those two in each layer, which is left out.
    """
    d, total = WIDTH // HEADS, 0
    for options in layers:
        window, of_token = options.get("window"), 2 * options.get("kv_heads", HEADS) * d
        if "state" in options:
            total += HEADS * d * d
        elif not options.get("shares"):
            total += options.get("latent", of_token) * (min(n, window - 1) if window else n)
    return total


def shuffled(texts, generator, of, many):
    """Different whole numbers below `of`, (texts, many)."""
    return torch.rand(texts, of, generator=generator).argsort(1)[:, :many]


def pairs_task(texts, generator, pairs=24, rewritten=False, asked=None):
    """Pairs of a key and its value, then keys alone: what was the value?

    rewritten: each key is written twice, and the last value counts. asked: only the keys of so many
    last pairs are asked for.

    Returns:
        Tokens (texts, n), and the answers in their places, NONE elsewhere. A key is a number below
        KEYS, a value v the token KEYS + v.
    """
    different = shuffled(texts, generator, KEYS, pairs // 2 if rewritten else pairs)
    keys = different.repeat(1, pairs // different.shape[1])
    keys = keys.gather(1, shuffled(texts, generator, pairs, pairs))
    values = torch.randint(KEYS, (texts, pairs), generator=generator)
    last = torch.zeros(texts, KEYS, dtype=torch.long)
    for i in range(pairs):  # one after the other: the last one counts
        last.scatter_(1, keys[:, i : i + 1], values[:, i : i + 1])
    ask = keys[:, -asked:] if asked else different
    ask = ask.gather(1, shuffled(texts, generator, ask.shape[1], ask.shape[1]))
    written = torch.stack((keys, values + KEYS), -1).flatten(1)
    nothing = torch.full_like(written, NONE)
    return torch.cat((written, ask), 1), torch.cat((nothing, last.gather(1, ask)), 1)


def count_task(texts, generator, n=72, of="count"):
    """Tokens of three kinds. How many of kind 0 so far, up to 31? Or: more of 0 than of 1?"""
    tokens = torch.randint(3, (texts, n), generator=generator)
    zeros, ones = ((tokens == kind).cumsum(1) for kind in (0, 1))
    if of == "count":
        return tokens, zeros.clamp(max=KEYS - 1)
    return tokens, torch.where(zeros == ones, NONE, (zeros > ones).long())


def spelled(tokens):
    """A text to read: keys are letters, values numbers, and what is asked for has a ?."""
    first_ask = (tokens >= KEYS).nonzero().amax().item() + 1
    letters = "abcdefghijklmnopqrstuvwxyzABCDEF"
    return " ".join(
        f"{token - KEYS}," if token >= KEYS else letters[token] + "?" * (place >= first_ask)
        for place, token in enumerate(tokens.tolist())
    )


def train(model, task, steps, seed=0, note=lambda *point: None):
    """Train a model on texts of a task, 48 a step; return it."""
    generator = torch.Generator().manual_seed(seed)
    adam = torch.optim.AdamW(model.parameters(), lr=5e-3)
    by_step = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min((step + 1) / 30, (steps - step) / (steps - 30))
    )
    for _ in range(steps):
        tokens, answers = task(48, generator)
        loss = cross_entropy(model(tokens).mT, answers, ignore_index=NONE)
        adam.zero_grad()
        loss.backward()
        adam.step()
        by_step.step()
        note("loss", loss.item())
    return model


@torch.no_grad()
def recall(model, task, texts=400, seed=1000):
    """The share of answers that are right, in texts that it has not seen."""
    tokens, answers = task(texts, torch.Generator().manual_seed(seed))
    asked = answers != NONE
    return (model(tokens).argmax(-1)[asked] == answers[asked]).double().mean().item()


@torch.no_grad()
def recall_by_distance(model, task, step=12, texts=400, seed=1000):
    """The same, by how many tokens back the value was written: 0 to step - 1, step to ..."""
    tokens, answers = task(texts, torch.Generator().manual_seed(seed))
    n, asked = tokens.shape[1], (answers != NONE).nonzero()
    right = (model(tokens).argmax(-1) == answers)[asked[:, 0], asked[:, 1]].double()
    earlier = tokens[asked[:, 0]] == tokens[asked[:, 0], asked[:, 1]][:, None]  # the same key
    places = torch.arange(n).expand_as(earlier)
    written = (places * (earlier & (places < asked[:, 1:]))).amax(1) + 1  # its value, the last one
    back = (asked[:, 1] - written) // step
    return [right[back == k].mean().item() for k in range(-(-n // step))]


# Designs: {name: the layers}. Tasks: {name: a function of texts and a generator}.
STATE, DELTA = {"state": "sum"}, {"state": "delta"}
DESIGNS = {
    "four heads of keys": 2 * [{}],
    "one head of keys": 2 * [{"kv_heads": 1}],
    "latent of 8": 2 * [{"latent": 8}],
    "windows of 16": 2 * [{"window": 16}],
    "window of 8, then full": [{"window": 8}, {}],
    "state": 2 * [STATE],
    "delta rule": 2 * [DELTA],
    "delta rule, then full": [DELTA, {}],
}
OTHERS = {
    "windows of 32": 2 * [{"window": 32}],
    "window of 32, then full": [{"window": 32}, {}],
    "the 4 best keys": 2 * [{"top": 4}],
    "second layer shares": [{}, {"shares": True}],
    "three layers": 3 * [{}],
    "third layer shares": [{}, {}, {"shares": True}],
    "state, then full": [STATE, {}],
    "full, then delta rule": [{}, DELTA],
}
DECAYS = {
    f"{name}{' that forgets' * decay}": 2 * [options | {"decay": decay}]
    for name, options in (("state", STATE), ("delta rule", DELTA))
    for decay in (False, True)
}
TASKS = (
    {f"{n} pairs": functools.partial(pairs_task, pairs=n) for n in (8, 16, 24)}
    | {
        f"{n} pairs, rewritten": functools.partial(pairs_task, pairs=n, rewritten=True)
        for n in (8, 24)
    }
    | {
        "30 pairs, the last 8": functools.partial(pairs_task, pairs=30, asked=8),
        "count": functools.partial(count_task, of="count"),
        "compare": functools.partial(count_task, of="more"),
    }
)
SHORT, LONG, SEEDS = 400, 1600, 3
COUNTING = "four heads of keys", "windows of 16", "window of 8, then full", "state", "delta rule"
ONCE, REWRITTEN = "24 pairs", "24 pairs, rewritten"
EXPERIMENTS = (
    [(REWRITTEN, name, SHORT) for name in DESIGNS]
    + [(REWRITTEN, name, LONG) for name in DESIGNS | OTHERS]
    + [("30 pairs, the last 8", name, 800) for name in DECAYS]
    + [(ONCE, name, LONG) for name in [*DESIGNS, "windows of 32"]]
    + [(task, name, LONG) for task in ("8 pairs", "16 pairs") for name in DESIGNS]
    + [(task, name, 800) for task in ("count", "compare") for name in COUNTING]
)
COLUMNS = "task", "design", "steps", "seed", "recall", "far"


def run(job):
    """Train one model; return its row of runs.csv."""
    (task, name, steps), seed = job
    torch.set_num_threads(1)  # the matrices are tiny
    torch.manual_seed(seed)
    model = RecallModel((DESIGNS | OTHERS | DECAYS)[name])
    train(model, TASKS[task], steps, seed)
    far = recall_by_distance(model, TASKS[task]) if "pairs" in task else []
    share, far = recall(model, TASKS[task]), " ".join(f"{x:.3f}" for x in far)
    return task, name, steps, seed, f"{share:.4f}", far


def rows():
    """The lines of runs.csv, from as many processes as there are processors."""
    jobs = [(experiment, seed) for experiment in EXPERIMENTS for seed in range(SEEDS)]
    yield ",".join(COLUMNS)
    with get_context("spawn").Pool() as pool:
        for row in pool.imap(run, jobs):
            yield ",".join(f'"{value}"' if "," in str(value) else str(value) for value in row)


@functools.cache
def runs():
    """What `rows` gave: {(task, design, steps): {"recall": of each seed, "far": of each seed}}."""
    found = {}
    with (HERE / "runs.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            name = row["task"], row["design"], int(row["steps"])
            of = found.setdefault(name, {"recall": [], "far": []})
            of["recall"].append(float(row["recall"]))
            of["far"].append([float(value) for value in row["far"].split()])
    return found
