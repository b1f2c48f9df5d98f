"""Fifteen wrong attentions, as somebody wrote them who had not seen this course.

They were written for causal attention, and lie in tests/judges/second; here each keeps to the
contract of attentions.py but for its mistake, and with a causal mask computes the same as there.
"""

import math

import torch
import torch.nn.functional as F

from .attentions import BROKEN


def _products(queries, keys):
    return queries @ keys.mT / queries.shape[-1] ** 0.5


def _shares(scores, seen):
    return scores.masked_fill(~seen, -torch.inf).softmax(-1)


def _made(multiply=_products, hide=lambda scores, seen: seen, weigh=_shares):
    """An attention whose scores, mask or weights are made in another way."""

    def attention(queries, keys, values, mask):
        scores = multiply(queries, keys)
        seen = hide(scores, mask.expand_as(scores))
        weights = weigh(scores, seen).where(mask.any(-1, keepdim=True), 0)
        return weights @ values, weights

    return attention


def _largest_of_all(scores, seen):
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * seen
    return powers / powers.sum(-1, keepdim=True).clamp_min(torch.finfo(scores.dtype).tiny)


def _in_16_bits(queries, keys):
    scores = (queries.bfloat16() @ keys.bfloat16().mT).to(queries.dtype)
    return scores / queries.shape[-1] ** 0.5


def _without_itself(scores, seen):
    others = seen & ~torch.eye(*scores.shape[-2:], dtype=torch.bool)
    return others.where(others.any(-1, keepdim=True), seen)


def _in_blocks(scores, seen, size=32):
    """The largest score so far grows from block to block, and what was summed before stays."""
    scores = scores.masked_fill(~seen, -torch.inf)
    ends = (torch.arange(scores.shape[-1]) // size + 1) * size - 1
    top = scores.cummax(-1).values
    so_far = top[..., ends.clamp(max=scores.shape[-1] - 1)].nan_to_num(neginf=0)
    last = top[..., -1:].nan_to_num(neginf=0)
    return (scores - so_far).exp() / (scores - last).exp().sum(-1, keepdim=True)


def _whole_tiles(scores, seen, size=16):
    rows = torch.arange(scores.shape[-2]).view(-1, 1)
    return _shares(scores, seen).where(rows < max(1, len(rows) // size) * size, 0)


STRANGERS = {
    "softmax over the queries": BROKEN["softmax_over_queries"],
    "forbidden scores become 0": BROKEN["masks_with_zero"],
    "mask after the softmax": BROKEN["masks_the_weights"],
    "keys reshaped": _made(
        lambda q, k: q @ k.reshape(*k.shape[:2], k.shape[3], k.shape[2]) / q.shape[-1] ** 0.5
    ),
    "whole root of d": _made(lambda q, k: q @ k.mT / math.isqrt(q.shape[-1])),
    "a score of 0 is hidden": _made(hide=lambda s, seen: seen & (s != 0)),
    "largest score before the mask": _made(weigh=_largest_of_all),
    "no largest score": BROKEN["overflows"],
    "scores clamped to 30": _made(lambda q, k: _products(q, k).clamp(-30, 30)),
    "blocks, not rescaled": _made(weigh=_in_blocks),
    "the last tile is left out": _made(weigh=_whole_tiles),
    "-10000 is added": _made(weigh=lambda s, seen: (s - 10000.0 * ~seen).softmax(-1)),
    "scores in 16 bits": _made(_in_16_bits),
    "dropout left on": _made(weigh=lambda s, seen: F.dropout(_shares(s, seen), 0.1)),
    "not itself": _made(hide=_without_itself),
}
