"""Attention as kernels for the chip: plain, and in tiles."""

import math

import torch


def tiles(n, size):
    """The rows (from, to) of each tile of n rows; the last one may be shorter."""
    return [(a, min(a + size, n)) for a in range(0, n, size)]


def plain(chip, q, k, v, table, out, rows=16):
    n, d = q.shape
    K = chip.load(k, 0, n)
    for a, b in tiles(n, rows):  # scores
        chip.store(table, a, b, chip.load(q, a, b) @ K.mT / math.sqrt(d))
    del K
    for a, b in tiles(n, rows):  # weights
        chip.store(table, a, b, chip.load(table, a, b).softmax(-1))
    V = chip.load(v, 0, n)
    for a, b in tiles(n, rows):  # output
        chip.store(out, a, b, chip.load(table, a, b) @ V)


def flash(chip, q, k, v, out, rows=64, columns=64, rule=None, kinds=None):
    for i, (a, b) in enumerate(tiles(len(q), rows)):
        Q = chip.load(q, a, b)
        top, total = torch.full((b - a, 1), -torch.inf), torch.zeros(b - a, 1)
        output = torch.zeros(b - a, v.shape[1])
        for j, (c, e) in enumerate(tiles(len(k), columns)):
            kind = kinds[i][j] if kinds else 2
            if kind == 0:  # no query of this tile sees any of these keys
                continue
            scores = Q @ chip.load(k, c, e).mT / math.sqrt(Q.shape[1])
            if kind == 1:  # some pairs are hidden
                seen = rule(torch.arange(a, b)[:, None], torch.arange(c, e))
                scores = scores.masked_fill(~seen, -torch.inf)
            new = torch.maximum(top, scores.amax(-1, keepdim=True))
            safe = new.clamp(min=torch.finfo(new.dtype).min)  # -inf - -inf would be no number
            less, weights = (top - safe).exp(), (scores - safe).exp()
            total = less * total + weights.sum(-1, keepdim=True)
            output = less * output + weights @ chip.load(v, c, e)
            top = new
        chip.store(out, a, b, output / total.clamp(min=1))  # the largest weighs 1, if there is any


def tile_kinds(rule, n, m, rows, columns):
    """For each tile of queries and keys: 0 nothing is seen, 1 some of it, 2 all: lists of lists."""
    seen = rule(torch.arange(n)[:, None], torch.arange(m))
    return [
        [int(tile.any()) + int(tile.all()) for tile in row.split(columns, 1)]
        for row in seen.split(rows)
    ]


def tile_gradients(Q, K, V, grad, logs, inner):
    """What a tile adds to the gradients of Q, K, V; logs and inner are those of whole rows."""
    root = math.sqrt(Q.shape[1])
    weights = (Q @ K.mT / root - logs[:, None]).exp()
    slopes = weights * (grad @ V.mT - inner[:, None]) / root  # of the softmax, and of the scale
    return slopes @ K, slopes.mT @ Q, weights.mT @ grad
