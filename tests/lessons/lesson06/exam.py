"""What the rubrics of lesson 06 in classroom/EXAM.md say, computed."""

import math

import torch

import attn_teach


def slope_of(bias):
    """Return the slope of eight that gives this row, for the query at place 3."""
    heads = zip(attn_teach.alibi_slopes(8), attn_teach.alibi_bias(8, 4, 6), strict=True)
    return next(slope for slope, rows in heads if torch.equal(rows[3], bias.float()))


def turn(places):
    """Return the matrix that turns a pair (sin, cos) on by 30 degrees a place."""
    return attn_teach.offset_rotation(places * math.pi / 6, 2)


def patches():
    """Return vectors of 8 by 8 patches: half a vector tells the row, half the column."""
    P = attn_teach.PositionalEncoding(8).P[0, :8]
    return torch.cat([P[:, None].expand(8, 8, 8), P[None].expand(8, 8, 8)], -1)


def by_offset(X):
    """Say if dot products of patches depend on the offsets in rows and columns alone."""
    products = torch.einsum("abi, cdi -> abcd", X, X)
    down = products[1:, :, 1:] - products[:-1, :, :-1]
    right = products[:, 1:, :, 1:] - products[:, :-1, :, :-1]
    return all((change.abs() < 1e-5).all() for change in (down, right))


FIGURES = """
6.1 | bias.argmax() | slope_of(bias) | exp(bias[0] - bias[1])
6.2 | turn(3)[:, 1] | turn(9)[:, 1] | turn(3)[:, 1] @ turn(7)[:, 1] | turn(3)[0] | turn(3)[1] |
    turn(3) @ turn(2)[:, 1]
6.3 | apply_rotary(tensor([[1, 0]]), tensor([0])) |
    apply_rotary(tensor([[1, 0]]), tensor([6 * math.pi / 6]))
6.4 | table(9, 8)[0] @ table(9, 8)[0] | mended.table(9, 8)[0] @ mended.table(9, 8)[0] |
    table(9, 8)[2] @ table(9, 8)[3] | table(9, 8)[5] @ table(9, 8)[6]
6.5 | torch.arange(64).view(8, 8)[2, 3] |
    torch.arange(64).view(8, 8)[3, 3] - torch.arange(64).view(8, 8)[2, 3] | by_offset(patches())
"""

TRUE = """
6.4 | torch.allclose(mended.table(9, 8), PositionalEncoding(8).P[0, :9], atol=1e-6)
"""
