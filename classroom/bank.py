"""Write an exam whose numbers are drawn from a seed, and its key in a file of its own.

python -m classroom.bank --seed "a phrase of yours"
python -m classroom.bank 01 03 --into build/group-b    # two lessons; a seed is drawn
python -m classroom.bank --table                       # the templates

A template is a function: it draws numbers, asks, computes the answer with attn_teach, and computes
what three mistakes lead to. Numbers are drawn again until all four choices can be told apart as
they are printed. The same seed gives the same exam on every machine. The templates are public, so
the seed is as secret as the key.
"""

import argparse
import itertools
import math
import os
import random
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

import attn_teach as at
from tools.lessons import BUILD, lessons, number, write_text

TRIES = 1000  # a few are enough
HEAD = """# Exam

Name:

One answer is right in each question: one point. Numbers are rounded as they are shown. Counting
starts at 0; of a mask, True means *may attend*; ln is the natural logarithm. A pocket calculator
helps.
"""


class Template(NamedTuple):
    lesson: str
    title: str
    digits: int
    drawn: Callable  # from a Draw: what is asked, the right answer, what each mistake leads to


class Question(NamedTuple):
    """What a template asks with one draw of numbers."""

    asks: str
    choices: list  # (answer as printed, the mistake or nothing), in the order of the letters


def shown(value, digits):
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def can_be_told_apart(values, digits):
    """Whether choices are told apart as printed, and no rounding hangs on a last bit."""
    units = [value * 10**digits for value in values]
    apart = 5 if digits else 1  # of the last place, as on paper steps are rounded too
    return (
        all(abs(a - b) >= apart for a, b in itertools.combinations(units, 2))
        and all(abs(unit - math.floor(unit) - 0.5) > 1e-3 for unit in units)
        and max(map(abs, units)) < 10**6
    )


class Draw:
    """Random numbers that no version of Python changes: all from random(), which is promised."""

    def __init__(self, *names):
        self._random = random.Random("/".join(map(str, names))).random

    def whole(self, low, high):
        return low + int(self._random() * (high - low + 1))

    def one(self, items):
        return items[self.whole(0, len(items) - 1)]

    def some(self, count, low, high):
        """So many different whole numbers."""
        return self.shuffled(range(low, high + 1))[:count]

    def shuffled(self, items):
        left = list(items)
        return [left.pop(self.whole(0, len(left) - 1)) for _ in range(len(left))]


TEMPLATES = {}  # each by its name


def template(lesson, title, digits=2):
    def register(function):
        TEMPLATES[function.__name__] = Template(lesson, title, digits, function)

    return register


def real(numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def output(scores, values, mask=None, query=0):
    """What attention gives to a query, where each value is a number."""
    return at.attend(scores, real(values)[:, None], mask)[0][query].item()


def first_weight(scores):
    return at.masked_softmax(scores[None])[0, 0].item()


def size(module):
    return sum(numbers.numel() for numbers in module.parameters())


# The templates. In what is asked, each `name = value` is a figure to compute with.


@template("01", "The output of a kernel")
def kernel_output(draw):
    q, K, V, h = draw.whole(2, 6), sorted(draw.some(4, 0, 8)), draw.some(4, 1, 20), draw.whole(2, 4)

    def mean(kernel):
        return at.kernel_regression(real([q]), real(K), real(V), h, kernel)[0].item()

    nearness = (1 - ((q - real(K)) / h) ** 2).clamp(min=0)
    return (
        "Kernel regression with the Epanechnikov kernel, 1 - u² where |u| is below 1 and else 0, "
        f"and bandwidth `h = {h}`: keys `K = {K}`, values `V = {V}`, query `q = {q}`. "
        "What comes out?",
        mean("epanechnikov"),
        {
            "the nearness is not divided by its sum": (nearness * real(V)).sum().item(),
            "all keys in reach count the same, as with the boxcar kernel": mean("boxcar"),
            "all values count the same": real(V).mean().item(),
        },
    )


@template("01", "The weight of two keys")
def gaussian_ratio(draw):
    q, h = draw.whole(3, 6), draw.one([1.5, 2.5, 3])
    a, b = q + draw.whole(1, 2), q - draw.whole(3, 5)
    weights = at.kernel_regression(real([q]), real([a, b]), real([0, 0]), h)[1][0]
    lead = (b - q) ** 2 - (a - q) ** 2
    return (
        f"A Gaussian kernel of bandwidth `h = {h}` weighs the keys `a = {a}` and `b = {b}` for the "
        f"query `q = {q}`. How many times as much weight does a get as b?",
        (weights[0] / weights[1]).item(),
        {
            "the 2 below the square is left out": math.exp(lead / h**2),
            "the bandwidth is not squared": math.exp(lead / (2 * h)),
            "the distances are not squared": math.exp((q - b - (a - q)) / (2 * h**2)),
        },
    )


@template("02", "Scaled dot-product attention")
def scaled_output(draw):
    q, V = [draw.whole(0, 2) for _ in range(4)], draw.some(3, 1, 9)
    K = [[draw.whole(0, 2) for _ in range(4)] for _ in V]
    products = at.dot_product_scores(real([q]), real(K), scaled=False)
    right = output(at.dot_product_scores(real([q]), real(K)), V)
    return (
        f"Scaled dot-product attention: one query `q = {q}`, keys `K = {K}`, a number as value of "
        f"each key, `V = {V}`. What comes out?",
        right,
        {
            "the scores are not divided by the root of d": output(products, V),
            "the scores are divided by d, not by its root": output(products / 4, V),
            "the division by the root of d comes after the softmax": right / 2,
        },
    )


@template("02", "A score by distance", digits=1)
def distance_score(draw):
    q, k = ([draw.whole(-3, 4) for _ in range(3)] for _ in range(2))
    right = at.distance_scores(real([q]), real([k])).item()
    return (
        f"The query is `q = {q}`, the key `k = {k}`. Which score does the Gaussian kernel of "
        "bandwidth 1 send into the softmax?",
        right,
        {
            "the half is left out": 2 * right,
            "the distance is not squared": -math.sqrt(-2 * right) / 2,
            "the dot product is taken": at.dot_product_scores(real([q]), real([k]), False).item(),
        },
    )


@template("03", "The output under a mask")
def masked_output(draw):
    s, V = [draw.whole(0, 3) for _ in range(4)], draw.some(4, 1, 20)
    hidden = draw.whole(0, 3)
    may = [k != hidden for k in range(4)]
    scores, mask = real([s]), torch.tensor([may])
    return (
        f"A query has the scores `s = {s}` with four keys, whose values are `V = {V}`. Its mask is "
        f"`may = {may}`. What comes out?",
        output(scores, V, mask),
        {
            "the hidden score is filled with 0": output(scores * mask, V),
            "the weight is set to 0 after the softmax, and the rest no longer sums to 1": (
                (at.masked_softmax(scores) * mask) @ real(V)
            ).item(),
            "True is taken for hidden": output(scores, V, ~mask),
        },
    )


@template("03", "The cells of two masks", digits=0)
def mask_cells(draw):
    n = draw.whole(7, 16)
    m = draw.whole(3, n - 2)
    causal, real_keys = at.causal_mask(n), at.padding_mask(torch.tensor([m]), n)
    return (
        f"A sentence fills `m = {m}` of `n = {n}` slots, the first ones. Queries and keys are all "
        "n slots; the causal mask and the padding mask of the keys are combined. How many cells of "
        "the mask are True?",
        (causal & real_keys).sum().item(),
        {
            "the padding is forgotten": causal.sum().item(),
            "the causal mask is forgotten": real_keys.expand(1, n, n).sum().item(),
            "no token may see itself": (causal.tril(-1) & real_keys).sum().item(),
        },
    )


@template("04", "The parameters of all heads", digits=0)
def head_parameters(draw):
    heads = draw.whole(2, 8)
    d = heads * draw.whole(2, 12)
    return (
        f"A multi-head attention without biases has `heads = {heads}` heads and `d = {d}` "
        "features, of queries, keys, values and output alike. How many parameters has it?",
        size(at.MultiHeadAttention(d, d, d, d, heads)),
        {
            "W_o is forgotten": 3 * d**2,
            "each head gets matrices of the full width": (3 * heads + 1) * d**2,
            "biases are counted": size(at.MultiHeadAttention(d, d, d, d, heads, bias=True)),
        },
    )


@template("04", "How many weights", digits=0)
def weights_kept(draw):
    batch, heads, n, m = draw.whole(2, 4), draw.whole(2, 4), *draw.some(2, 3, 9)
    d = heads * draw.whole(2, 5)
    layer = at.MultiHeadAttention(d, d, d, d, heads)
    layer(torch.zeros(batch, n, d), torch.zeros(batch, m, d), torch.zeros(batch, m, d))
    return (
        f"In a batch of `batch = {batch}`, `n = {n}` queries attend to `m = {m}` keys, with "
        f"`heads = {heads}` heads and `d = {d}` features. How many attention weights are there?",
        layer.attention_weights.numel(),
        {
            "all heads are taken to share their weights": batch * n * m,
            "queries are taken for the keys as well": batch * heads * n * n,
            "each feature is given weights of its own": batch * d * n * m,
        },
    )


@template("05", "Causal self-attention")
def causal_output(draw):
    X, (W_q, W_k, W_v) = draw.some(4, -2, 3), [draw.one([0.5, 1, 1.5, 2]) for _ in range(3)]
    t = draw.whole(1, 2)
    tokens = real(X)[:, None]
    scores, values = at.dot_product_scores(W_q * tokens, W_k * tokens), [W_v * x for x in X]
    causal = at.causal_mask(4)
    return (
        f"Self-attention over four tokens of one feature, `X = {X}`, with the numbers "
        f"`W_q = {W_q}`, `W_k = {W_k}`, `W_v = {W_v}` and the causal mask. "
        f"What is the output of token `t = {t}`?",
        output(scores, values, causal, t),
        {
            "the causal mask is forgotten": output(scores, values, None, t),
            "the values are not multiplied by W_v": output(scores, X, causal, t),
            "the token does not see itself": output(scores, values, causal.tril(-1), t),
        },
    )


@template("05", "How far a stack sees", digits=0)
def reach(draw):
    w, layers, n = draw.whole(2, 9), draw.whole(2, 6), 100
    near = at.causal_mask(n).triu(-w)
    X = torch.eye(n, dtype=torch.float64)  # each token is a feature of its own
    for _ in range(layers):
        X = at.attend(torch.zeros(n, n, dtype=torch.float64), X, near)[0]
    return (
        f"In each of `layers = {layers}` layers of self-attention a token sees itself and the "
        f"`w = {w}` tokens before it. How many tokens of a long text can the last layer's output "
        "of one token depend on?",
        (X[-1] > 0).sum().item(),
        {
            "one layer alone is counted": w + 1,
            "the token itself is counted anew in each layer": layers * (w + 1),
            "the reach is multiplied from layer to layer": (w + 1) ** layers,
        },
    )


@template("06", "A score of turned pairs")
def rotary_score(draw):
    q, k = ([draw.whole(-3, 4) for _ in range(2)] for _ in range(2))
    m, n = draw.some(2, 1, 5)

    def score(place, other):
        turned = (
            at.apply_rotary(real([pair]), real([at_place * math.pi / 6]))
            for pair, at_place in ((q, place), (k, other))
        )
        return at.dot_product_scores(*turned, scaled=False).item()

    return (
        "Rotary encoding turns a pair (x, y) into (x cos a - y sin a, x sin a + y cos a), where "
        f"the angle a is 30 degrees for each place. The query `q = {q}` stands at place `m = {m}`, "
        f"the key `k = {k}` at place `n = {n}`. What is their dot product after the turns?",
        score(m, n),
        {
            "the query alone is turned": score(m, 0),
            "the places are added where their difference counts": score(m, -n),
            "nothing is turned": score(0, 0),
        },
    )


@template("06", "A score with ALiBi")
def alibi_score(draw):
    s, head, (j, i) = draw.whole(1, 30) / 10, draw.whole(0, 3), sorted(draw.some(2, 2, 9))
    bias = at.alibi_bias(8, i + 1, i + 1)[head, i].double()
    return (
        f"Of 8 heads with ALiBi, head h (counted from 0) has the slope 2^-(h + 1). In head "
        f"`h = {head}`, the query at place `i = {i}` has the score `s = {s}` with the key at place "
        f"`j = {j}`. What is the score with ALiBi?",
        s + bias[j].item(),
        {
            "the penalty is added, so that far keys gain": s - bias[j].item(),
            "the place of the key is taken for the distance": s + bias[i - j].item(),
            "heads are counted from 1": s + 2 * bias[j].item(),
        },
    )


@template("07", "The parameters of a block", digits=0)
def block_parameters(draw):
    d, f = 4 * draw.whole(2, 6), draw.whole(20, 60)
    block = at.EncoderBlock(d, 4, f)
    right, parts = size(block), list(block.modules())
    norms = sum(size(part) for part in parts if isinstance(part, nn.LayerNorm))
    biases = sum(part.bias.numel() for part in parts if isinstance(part, nn.Linear))
    return (
        f"A block has attention over `d = {d}` features, with four matrices; then a network from d "
        f"to `f = {f}` features and back. Each matrix has a bias. Attention and network each have "
        "a layer norm of d gains and d shifts. How many parameters has the block?",
        right,
        {
            "the layer norms are forgotten": right - norms,
            "the biases of the matrices are forgotten": right - biases,
            "the way back from f to d is forgotten": right - (f * d + d),
        },
    )


@template("08", "What a cache saves", digits=0)
def cache_saves(draw):
    p, m = draw.whole(4, 12), draw.whole(4, 9)
    block, cache, without = at.CausalBlock(4, 1, 4), at.KVCache(), 0
    for tokens in range(p, p + m):
        block(torch.zeros(1, tokens - len(cache), 4), cache=cache)
        without += tokens
    return (
        f"A model reads a prompt of `p = {p}` tokens and writes `m = {m}` more, one at a time; the "
        "last one is not read again. How many more token rows go through each block without a "
        "cache than with it?",
        without - len(cache),
        {
            "the rows that are computed with the cache are not subtracted": without,
            "each step is counted with the final length": (m - 1) * (p + m - 1),
            "the prompt is forgotten": sum(range(1, m)) - (m - 1),
        },
    )


@template("09", "The loss of a smoothed count")
def smoothed_loss(draw):
    n, L, a = draw.whole(12, 40), draw.whole(8, 30), draw.one([0.1, 0.2, 0.5])
    c = draw.whole(1, 6)
    # As attention: each example has the score ln 1, each letter one more with the score ln a.
    scores = real([[1.0] * n + [a] * L]).log()
    chance = output(scores, [1] * c + [0] * (n - c) + [1] + [0] * (L - 1))
    return (
        f"A context was seen `n = {n}` times, and a letter followed `c = {c}` times. There are "
        f"`L = {L}` letters, and `a = {a}` is added to the count of each. What is the loss, "
        "-ln p, of this letter in this context?",
        -math.log(chance),
        {
            "nothing is added": -math.log(c / n),
            "below the line, a is added once and not for each letter": -math.log((c + a) / (n + a)),
            "the chance is given, not its loss": chance,
        },
    )


@template("09", "Which country?")
def country(draw):
    P, Q = ([draw.whole(1, 9) / 10 for _ in range(3)] for _ in range(2))
    prior = draw.one([0.1, 0.2, 0.3, 0.7, 0.8])
    logs, before = real([P, Q]).log(), real([prior, 1 - prior])
    sums = real([P, Q]).sum(-1) * before
    return (
        f"The three letters of a name have the chances `P = {P}` in country A and `Q = {Q}` in "
        f"country B. Before it was read, A had the chance `prior = {prior}`, B the rest. How "
        "likely is A now?",
        first_weight(logs.sum(-1) + before.log()),
        {
            "the prior is left out": first_weight(logs.sum(-1)),
            "the mean of the logarithms is taken, not their sum": first_weight(
                logs.mean(-1) + before.log()
            ),
            "the chances are added, not multiplied": (sums[0] / sums.sum()).item(),
        },
    )


@template("10", "The cache of grouped heads", digits=0)
def grouped_cache(draw):
    kv, group, size = draw.whole(1, 3), draw.whole(2, 4), 2 * draw.whole(1, 8)
    n, blocks = draw.whole(5, 30), draw.whole(3, 12)
    heads, cache = kv * group, at.KVCache()
    with torch.no_grad():
        block = at.CausalBlock(heads * size, heads, 4, num_kv_heads=kv)
        block(torch.zeros(1, n, heads * size), cache=cache)
    held = sum(tensor.numel() for tensor in cache.tokens)
    return (
        f"A model has `blocks = {blocks}` blocks, each with `heads = {heads}` query heads and "
        f"`kv = {kv}` key-value heads of `size = {size}` features. How many numbers do its caches "
        f"hold after `n = {n}` tokens?",
        blocks * held,
        {
            "each query head is given keys and values of its own": blocks * held * group,
            "the values are forgotten": blocks * held // 2,
            "one block alone is counted": held,
        },
    )


@template("10", "A temperature")
def tempered(draw):
    first, second = draw.whole(9, 15), draw.whole(1, 4)
    p = [first / 20, second / 20, (20 - first - second) / 20]
    T = draw.one([0.4, 0.5, 0.6, 0.7, 0.8, 1.5, 2, 3])
    return (
        f"A model gives three tokens the chances `p = {p}`. Which chance has the first one if the "
        f"scores are divided by the temperature `T = {T}` before the softmax?",
        first_weight(real(p).log() / T),
        {
            "the scores are multiplied by the temperature": first_weight(real(p).log() * T),
            "the chances are divided, which scaling to 1 undoes": p[0],
            "the chances are taken for the scores": first_weight(real(p) / T),
        },
    )


# From templates to an exam


def ask(name, seed):
    """Return the question that a template asks with a seed."""
    digits, drawn = TEMPLATES[name][2:]
    for attempt in range(TRIES):
        draw = Draw(seed, name, attempt)
        asks, right, wrong = drawn(draw)
        if can_be_told_apart([right, *wrong.values()], digits):
            pairs = draw.shuffled([(right, ""), *((value, why) for why, value in wrong.items())])
            return Question(asks, [(shown(value, digits), why) for value, why in pairs])
    raise RuntimeError(f"{name}: no draw of {TRIES} gives four choices that can be told apart")


def exam(seed, numbers):
    """Return the exam and its key, as Markdown."""
    pages, key = [HEAD], [f"# Key\n\nSeed: `{seed}`. Lessons: {', '.join(numbers)}.\n"]
    chosen = [(n, template) for n, template in TEMPLATES.items() if template.lesson in numbers]
    for count, (name, (lesson, title, *_)) in enumerate(chosen, start=1):
        question = ask(name, seed)
        pages.append(f"## {count}. {title}\n\n{question.asks}\n\n")
        key.append(f"## {count}. {title} (lesson {lesson})\n\n")
        for letter, (text, why) in zip("ABCD", question.choices, strict=True):
            pages[-1] += f"- {letter}. {text}\n"
            key[-1] += (
                f"- {letter}. {text}: {why}\n" if why else f"- **{letter}. {text}** is right\n"
            )
    return "\n".join(pages), "\n".join(key)


def table():
    """Return the templates as Markdown."""
    rows = ["| Lesson | Template | Mistakes behind the wrong choices |", "|---|---|---|"]
    for lesson, title, _, drawn in TEMPLATES.values():
        rows.append(f"| {lesson} | {title} | {'; '.join(drawn(Draw('table'))[2])} |")
    return "\n".join(rows)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lessons", nargs="*", help="such as 01; none means all of them")
    parser.add_argument("--seed", help="any text that nobody guesses; without it, one is drawn")
    parser.add_argument("--into", type=Path, default=BUILD / "exam", help="the folder (build/exam)")
    parser.add_argument("--table", action="store_true", help="print the templates")
    options = parser.parse_args(arguments)
    if options.table:
        print(table())
        return
    seed = secrets.token_hex(6) if options.seed is None else options.seed.strip()
    if not seed or not seed.isprintable() or "`" in seed:
        raise SystemExit("the seed must be a text of one line, such as 'a phrase of yours'")
    covered = {template.lesson for template in TEMPLATES.values()}
    asked = [number(path) for path in lessons(options.lessons)]
    missing = sorted(set(asked) - covered)
    if options.lessons and missing:
        raise SystemExit(f"the bank has no template for {', '.join(missing)}; --table lists all")
    sheet, key = exam(seed, [lesson for lesson in asked if lesson in covered])
    target = options.into / "key.md"
    if target.exists() and target.read_bytes() != key.encode():
        raise SystemExit(
            f"{target} is the key of another exam: move it, or name another folder with --into"
        )
    try:
        for path, text in ((options.into / "exam.md", sheet), (target, key)):
            print(f"-> {os.path.relpath(write_text(text, path))}")
    except OSError as error:
        raise SystemExit(f"the exam cannot be written: {error}") from None


if __name__ == "__main__":
    main()
