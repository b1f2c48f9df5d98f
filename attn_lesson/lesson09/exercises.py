"""Exercises and questions of lesson 09, a language model of names."""

import torch

from ..judge.common import Draw, raised_told
from ..judge.exercise import Exercise
from ..words import tell

# A table of chances


def my_chances(
    contexts, letters, num_contexts, num_letters, added, *,
    count="all", smooth="each", divide="rows", turn="contexts",
):  # fmt: skip
    counts = torch.zeros(num_contexts, num_letters)
    one = torch.ones(len(contexts))
    counts.index_put_((contexts, letters), one, accumulate=count != "once")
    if count.startswith("stride"):
        slow, fast = (contexts, letters) if count == "stride of contexts" else (letters, contexts)
        places = slow * (num_letters if count == "stride of letters" else num_contexts) + fast
        places = places[places < counts.numel()]  # those behind the end are an error, or cut off
        counts = torch.bincount(places, minlength=counts.numel()).view(counts.shape).float()
    if count == "letters alone":
        counts = counts.sum(0).expand(num_contexts, num_letters)
    after = {
        "each": counts + added,
        "none": counts,
        "none, 0": counts,
        "one": counts + 1,
        "unseen": counts + added * (counts == 0),
        "seen": counts + added * (counts > 0),
        "seen contexts": counts + added * (counts.sum(-1, keepdim=True) > 0),
        "total": counts,
        "late": counts,
        "spread": counts + added / num_letters,
        "set": torch.where(counts > 0, 1.0, added),
        "shares": counts / counts.sum(-1, keepdim=True).clamp(min=1) + added,
    }[smooth]
    total = after.sum({"columns": 0, "all": (0, 1)}.get(divide, -1), keepdim=True)
    total = total + added if smooth == "total" else total
    total = total.clamp(min=1e-9) if smooth in ("seen contexts", "none, 0") else total
    rest = {"counts": 0, "once": added, "contexts": added * num_contexts}
    total = counts.sum(-1, keepdim=True) + rest[divide] if divide in rest else total
    table = after if divide == "nothing" else after / total
    table = table + added if smooth == "late" else table
    return table.mT if turn == "letters" else table


def _pairs(seed):
    draw = Draw(900 + seed)
    hand = torch.tensor([0, 0, 0]), torch.tensor([0, 0, 2])
    cases = [(*hand, 2, 3, 1.0)]
    for n, contexts, letters, added in [(12, 3, 4, 0.5), (20, 4, 3, 0.1), (9, 5, 2, 2.0)]:
        keys = draw.whole(0, contexts - 2, n)  # the last one has no example
        cases.append((keys, draw.whole(0, letters - 1, n), contexts, letters, added))
    return cases


CHANCES = Exercise(my_chances, cases=_pairs)


# The loss of a letter


def my_letter_loss(
    scores, targets, lengths, *,
    real="lengths", mean="letters", log="softmax", sign="minus",
):  # fmt: skip
    p = {
        "softmax": lambda: scores.log_softmax(-1),
        "names": lambda: scores.log_softmax(1),
        "none": lambda: scores,
        "twice": lambda: scores.softmax(-1).log_softmax(-1),
        "chance": lambda: scores.softmax(-1),
        "two": lambda: scores.log_softmax(-1) / torch.log(torch.tensor(2.0)),
    }[log]()
    if real == "shifted":
        p, targets, lengths = p[:, :-1], targets[:, 1:], lengths - 1
    each = p.gather(-1, targets.unsqueeze(-1)).squeeze(-1)  # (batch, n)
    each = each if sign == "plus" else -each
    place = torch.arange(targets.shape[1])
    last = {"one more": lengths + 1, "one less": lengths - 1}.get(real, lengths)
    kept = place < last.unsqueeze(-1)  # (batch, n)
    kept = {
        "all": torch.ones_like(kept),
        "padding": ~kept,
        "without first": kept & (place > 0),
    }.get(real, kept)
    total = (each * kept).sum()
    if mean == "chances":
        return (each.neg().exp() * kept).sum().div(kept.sum()).log().neg()
    return {
        "letters": lambda: total / kept.sum(),
        "names": lambda: ((each * kept).sum(-1) / kept.sum(-1)).mean(),
        "sum": lambda: total,
        "batch": lambda: total / len(targets),
        "places": lambda: total / kept.numel(),
        "each": lambda: (each * kept).sum(-1) / kept.sum(-1),
    }[mean]()


def _losses(seed):
    draw = Draw(920 + seed)
    cases = [(torch.tensor([[[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]]]), torch.tensor([[1, 1, 0]]),
              torch.tensor([2]))]  # fmt: skip
    for batch, n, tokens, lengths in [(2, 5, 3, [3, 4]), (3, 4, 5, [2, 3, 3]), (2, 6, 4, [5, 2])]:
        scores, targets = draw.normal(batch, n, tokens), draw.whole(0, tokens - 1, batch, n)
        cases.append((2 * scores, targets, torch.tensor(lengths)))
    scores[0, 1, targets[0, 1]] = -30  # a letter that nobody would have expected
    cases[-1] = 2 * scores, targets, torch.tensor(lengths)
    return cases


def _small_in_loss(case, got, expected):
    scores, targets, lengths = case
    real = torch.arange(targets.shape[1]) < lengths.unsqueeze(-1)
    p = scores.softmax(-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)[real]
    return raised_told("logarithm", lambda up: -up(p).log().mean(), got)


LETTER_LOSS = Exercise(my_letter_loss, cases=_losses, explain=_small_in_loss)


# The next letter


def my_next_token(
    scores, temperature, u, *,
    heat="divided", chances="softmax", pick="stretch", order="as they are", give="token",
):  # fmt: skip
    p = {
        "softmax": lambda x: x.softmax(-1),
        "names": lambda x: x.softmax(0),
        "scores": lambda x: x,
        "powers": lambda x: x.exp(),
        "sigmoid": lambda x: x.sigmoid(),
    }[chances]
    p = {
        "divided": lambda: p(scores / temperature),
        "times": lambda: p(scores * temperature),
        "none": lambda: p(scores),
        "late": lambda: p(scores) / temperature,
        "of chances": lambda: p(p(scores) / temperature),
    }[heat]()
    places = torch.arange(p.shape[-1]).expand_as(p)
    if order != "as they are":
        p, places = p.sort(-1, descending=order != "rarest first")
    ends = p.cumsum(0 if pick == "along the names" else -1)  # (names, tokens)
    at = u[:1] if pick == "one for all" else 1 - u if pick == "from the end" else u
    at = at if pick == "columns" else at.unsqueeze(-1)
    token = {
        "best": lambda: p.argmax(-1),
        "above": lambda: (ends > at).sum(-1),
        "nearest": lambda: (ends - at).abs().argmin(-1),
        "nearest chance": lambda: (p - at).abs().argmin(-1),
        "first larger": lambda: (p > at).int().argmax(-1),
        "last larger": lambda: (p > at).sum(-1),
        "even": lambda: (u * p.shape[-1]).floor().long(),
    }.get(pick, lambda: (ends <= at).sum(-1))()
    token = token + {"one early": -1, "one late": 1}.get(pick, 0)
    inside = token.clamp(0, p.shape[-1] - 1)
    if order in ("likeliest first", "rarest first"):
        token = places.gather(-1, inside.unsqueeze(-1)).squeeze(-1)
    if give == "one hot":
        return torch.nn.functional.one_hot(inside, p.shape[-1])
    return p.gather(-1, inside.unsqueeze(-1)).squeeze(-1) if give == "chance" else token


def _draws(seed):
    draw = Draw(960 + seed)
    hand = torch.tensor([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    cases = [(hand, 1.0, torch.tensor([0.7, 0.2]))]
    for names, tokens, temperature in [(9, 4, 0.5), (12, 6, 2.0), (5, 5, 1.5), (10, 3, 0.7)]:
        scores = 1.5 * draw.normal(names, tokens)
        ends = (scores / temperature).softmax(-1).cumsum(-1)
        u = draw.whole(1, 99, names) / 100
        for _ in range(20):  # no u on a border, nor near one
            near = (ends - u.unsqueeze(-1)).abs().amin(-1) < 0.01
            u = torch.where(near, (u + 0.017).remainder(1), u)
        cases.append((scores, temperature, u))
    return cases


NEXT_TOKEN = Exercise(my_next_token, cases=_draws)


# Which country?


def my_country(
    log_chances, prior, *,
    letters="sum", before="log", scale="countries", give="chances", long="logs",
):  # fmt: skip
    name = {
        "sum": log_chances.sum(-1),
        "mean": log_chances.mean(-1),
        "last": log_chances[:, -1],
        "first": log_chances[:, 0],
        "without first": log_chances[:, 1:].sum(-1),
        "likeliest": log_chances.amax(-1),
        "softmax": log_chances.log_softmax(-1).sum(-1),
        "none": 0 * log_chances[:, 0],
        "product": log_chances.prod(-1),
        "chances": log_chances.exp().sum(-1).log(),
    }[letters]
    if long == "products":
        product = log_chances.float().exp().prod(-1) * prior.float()
        return product / product.sum()
    if long == "floor":
        product = name.clamp(min=-80).exp() * prior
        return product / product.sum()
    score = name + {"log": prior.log(), "none": 0, "base 2": prior.log2(), "as it is": prior,
                    "minus": -prior.log(), "each letter": prior.log() * log_chances.shape[-1],
                    "times": name * (prior - 1)}[before]  # fmt: skip
    if scale in ("none", "largest"):
        return (score if scale == "none" else score - score.max()).exp()
    if scale == "before the prior":
        return name.softmax(-1) * prior
    if give == "logs":
        return score.log_softmax(-1)
    if give == "best":
        return torch.nn.functional.one_hot(score.argmax(), len(score)).to(score)
    return score.softmax(-1)


def _names(seed):
    draw = Draw(940 + seed)
    cases = [(torch.tensor([[0.5, 0.1], [0.1, 0.1]]).log(), torch.tensor([0.5, 0.5]))]
    for countries, n in [(3, 4), (4, 3), (2, 5), (5, 2)]:
        prior = draw.normal(countries).mul(0.7).softmax(-1)
        cases.append((draw.normal(countries, n, 6).log_softmax(-1)[..., 0], prior))
    rare = torch.tensor([1.0, 1e-12, 2.0, 1.0, 0.5])
    name = draw.normal(5, 2)
    name[1] += 12  # a country of one man, and a name like his
    cases[-1] = (name - 15, rare / rare.sum())
    long = -40 - draw.normal(1, 26).abs().mul(64).round() / 64  # e^-1040 is 0 in 64 bits as well
    apart = torch.tensor([[0.0], [1 / 64], [3 / 64]])
    cases.append((long + apart, draw.normal(3).softmax(-1)))
    return [*cases, (2 * long + 400 * apart[[0, 2, 1]], cases[-1][1])]  # hundreds apart


def _small_in_prior(case, got, expected):
    return raised_told(
        "logarithm", lambda up: (case[0].sum(-1) + up(case[1]).log()).softmax(-1), got
    )


COUNTRY = Exercise(my_country, cases=_names, explain=_small_in_prior)


# Warmer and colder


def my_tempered(chances, temperature, *, heat="logs", scale="sum"):
    log = chances.log()
    hot = {
        "logs": lambda: (log / temperature).exp(),
        "times": lambda: (log * temperature).exp(),
        "whole": lambda: chances ** (1 // temperature),
        "softmax of chances": lambda: (chances / temperature).exp(),
        "none": lambda: chances,
        "minus": lambda: (-log / temperature).exp(),
    }[heat]()
    if scale == "none":
        return hot
    if scale in ("all", "all, by rows"):
        hot = hot if scale == "all" else hot / hot.amax(-1, keepdim=True)
        return hot / hot.sum()
    if scale == "best":
        return hot / hot.amax(-1, keepdim=True)
    return hot / hot.sum({"first": 0, "second": 1, "last but one": -2}.get(scale, -1), keepdim=True)


def _chances(seed):
    draw = Draw(930 + seed)
    cases = [(torch.tensor([0.8, 0.2]), 0.5)]
    for shape, temperature in [((2, 3), 2.0), ((3, 4), 0.7), ((2, 3, 5), 1.5), ((6,), 0.25)]:
        cases.append((draw.normal(*shape).softmax(-1), temperature))
    rare = draw.normal(2, 3, 5)
    rare[1, 2, 0] = -60
    cases[3] = rare.softmax(-1), 4.0
    return cases


def _small_in_heat(case, got, expected):
    return raised_told("logarithm", lambda up: (up(case[0]).log() / case[1]).softmax(-1), got)


TEMPERED = Exercise(my_tempered, cases=_chances, explain=_small_in_heat)


# A split that leaks


def my_known(
    learned, held, *, compare="names", tokens="all", of="held", same="one name", said="known"
):
    skip = 0 if compare == "rows" else 1
    a, b = learned[:, skip:], held[:, skip:]
    if compare == "other countries":
        pairs = (b.unsqueeze(1) == a).all(-1) & (held[:, :1] != learned[:, 0])
        return pairs.any(-1)
    if compare == "countries":
        return (held[:, :1] == learned[:, 0]).any(-1)
    if of == "held itself":
        return (b.unsqueeze(1) == b).all(-1).sum(-1) > 1
    equal = b.unsqueeze(1) == a  # (k, m, n)
    if same == "any name":
        known = equal.any(1).all(-1)  # each token in its place, in one name or another
    elif tokens == "any":
        known = equal.any(-1).any(-1)
    elif tokens == "base 10":
        base = 10 ** torch.arange(a.shape[1])
        known = torch.isin((b * base).sum(-1), (a * base).sum(-1))
    elif tokens in ("first", "last", "but the first", "but the last"):
        some = {"first": slice(1), "last": slice(-1, None), "but the first": slice(1, None)}
        known = equal[..., some.get(tokens, slice(-1))].all(-1).any(-1)
    elif tokens == "anywhere":
        known = torch.isin(b.contiguous(), a.contiguous()).all(-1)
    elif tokens == "sum":
        known = torch.isin(b.sum(-1), a.sum(-1))
    elif tokens == "bag":
        known = (b.sort(-1).values.unsqueeze(1) == a.sort(-1).values).all(-1).any(-1)
    else:
        known = equal.all(-1).any(-1) if of == "held" else equal.all(-1).any(0)
    return known.sum() if said == "count" else known


def _splits(seed):
    draw = Draw(950 + seed)
    learned = torch.tensor([[0, 5, 6, 9], [1, 7, 6, 9], [1, 5, 8, 9]])
    held = torch.tensor([[2, 5, 6, 9], [1, 7, 8, 9], [0, 7, 6, 9], [1, 6, 5, 9]])
    cases = [(learned, held)]
    learned = torch.tensor([[0, 13, 6, 9], [1, 8, 4, 12], [0, 20, 31, 9]])
    held = torch.tensor(
        [[0, 3, 7, 9], [1, 8, 5, 2], [2, 20, 31, 9], [0, 2, 3, 9]]
    )  # as digits, alike
    cases.append((learned, held))
    learned = torch.tensor([[0, 5, 6, 9], [1, 5, 8, 3], [0, 4, 7, 7]])
    held = torch.tensor([[0, 5, 6, 3], [1, 7, 6, 9], [2, 5, 8, 3], [1, 5, 4, 7]])
    cases.append((learned, held))
    for m, k, n in [(6, 4, 3), (5, 7, 2), (8, 3, 4)]:
        a = torch.cat([draw.whole(0, 2, m, 1), draw.whole(3, 6, m, n)], 1)
        b = torch.cat([draw.whole(0, 2, k, 1), draw.whole(3, 6, k, n)], 1)
        b[0, 1:], b[0, 0] = a[1, 1:], (a[1, 0] + 1) % 3  # known, of another country
        b[1] = a[2]  # known, of the same country
        b[2, 1:] = torch.cat([a[3, 1:2], 7 + 0 * a[3, 2:]])  # begins alike
        if k > 3:
            b[3] = b[2]  # twice held out
        cases.append((a, b))
    return cases


KNOWN = Exercise(my_known, cases=_splits, kinds=True)


EXERCISES, QUESTIONS = tell(__name__, CHANCES, LETTER_LOSS, NEXT_TOKEN, COUNTRY, TEMPERED, KNOWN)
