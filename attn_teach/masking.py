"""Lesson 03: masks and masked softmax.

A mask is boolean and True means "may attend". It has the shape of the scores, or
one that broadcasts to it.
"""

from typing import Annotated, overload

import torch
from torch import Tensor

from .checks import known, number, refuse, shown, typed
from .scoring import widest
from .shapes import AnyKind, Bool, Count, Float, Int


def _place(name, value):
    try:
        torch.empty(0, device=value)
    except Exception as error:
        got = f"{typed(value)}: {str(error).partition('.')[0]}"
        refuse(name, "be a device of this machine, such as 'cpu'", got)


def _filling(name, value):
    if not isinstance(value, bool):
        number(name, value)


@overload
def padding_mask(valid_lens: None, num_keys: Count) -> None: ...
@overload
def padding_mask(valid_lens: Int[Tensor, "batch | batch n"], num_keys: Count) -> Tensor: ...
def padding_mask(
    valid_lens: Int[Tensor, "batch | batch n"] | None, num_keys: Count
) -> Tensor | None:
    """Allow the first valid_len keys of each sequence; the rest is padding.

    mask[b, i, j] = j < valid_lens[b]  (or valid_lens[b, i])

    Args:
        valid_lens: integers of shape (batch,) or (batch, n), or None for no padding.
        num_keys: number of keys m, padding included.

    Returns:
        A boolean mask of shape (batch, 1 or n, m), on the device of valid_lens; None for None.
    """
    if valid_lens is None:
        return None
    # As numbers of the widest kind: PyTorch compares no unsigned ones with others.
    lengths = valid_lens.unsqueeze(-1).to(widest(valid_lens.device))  # (batch, 1) or (batch, n, 1)
    real = torch.arange(num_keys, device=lengths.device) < lengths
    return real if real.dim() == 3 else real.unsqueeze(1)  # (batch, 1 or n, m)


def causal_mask(
    num_queries: Count,
    num_keys: Count | None = None,
    device: Annotated[torch.device | str, _place] | None = None,
) -> Tensor:
    """Allow every query its own position and the ones before it.

    mask[i, j] = j <= i

    Args:
        num_queries: number of queries n.
        num_keys: number of keys m, num_queries unless given. Both are counted from
            position 0, as in PyTorch's `is_causal`.
        device: where to put the mask.

    Returns:
        A boolean mask of shape (n, m).
    """
    num_keys = num_queries if num_keys is None else num_keys
    return torch.ones(num_queries, num_keys, dtype=torch.bool, device=device).tril()


def sequence_mask(
    X: AnyKind[Tensor, "batch steps ..."],
    valid_len: Int[Tensor, "batch"],
    value: Annotated[float | Tensor, _filling] = 0,
) -> Tensor:
    """A copy of X in which everything after each sequence's valid length is `value`.

    Args:
        X: shape (batch, steps, ...), any dtype; it is left as it was.
        valid_len: integers, shape (batch,), how many leading steps are real.
        value: what to write into the rest.

    Returns:
        A tensor of the shape and dtype of X.

    Source: Dive into Deep Learning, `d2l.sequence_mask`, which writes into X.
    """
    padded = ~padding_mask(valid_len, X.shape[1]).squeeze(1)  # (batch, steps)
    whole = not (X.is_floating_point() or X.is_complex())
    held = torch.as_tensor(value, dtype=None if whole else X.dtype, device=X.device).to(X.dtype)
    if whole and not known(held.float() == value, True):
        must = f"be a number that X of {X.dtype} can hold"
        refuse("value", must, shown(value), "convert X, as in X.float()")
    return torch.where(padded.view(*padded.shape, *[1] * (X.dim() - 2)), held.view(()), X)


def masked_softmax(
    scores: Float[Tensor, "... n m"],
    valid_lens: Int[Tensor, "batch | batch n"] | None = None,
    mask: Bool[Tensor, "... n m"] | None = None,
) -> Tensor:
    """Softmax over the keys that may be attended to; all others get weight 0.

    weights = softmax(where(mask, scores, -inf)) over the last axis

    Minus infinity masks at every magnitude and in every floating-point dtype, which a
    constant such as -1e6 does not. A row that may attend to nothing, or whose scores are all
    minus infinity, gets weights 0.

    Args:
        scores: shape (..., n, m); left as they were.
        valid_lens: integers, (batch,) or (batch, n), where batch is the first axis of
            the scores; or None.
        mask: boolean, True = may attend, broadcasts to scores; or None. Given both, a key
            must be allowed by both.

    Returns:
        Weights of the shape of scores; each row sums to 1, or is all 0.
    """
    mask = one_mask(scores.dim(), mask, padding_mask(valid_lens, scores.shape[-1]))
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1)  # (..., n, m)
    if known(weights[..., :1].isnan(), True):  # as of a row of -inf, also in its gradient
        empty = (scores == -torch.inf).all(-1, keepdim=True)  # (..., n, 1)
        weights = scores.masked_fill(empty, 0).softmax(-1).masked_fill(empty, 0)
    # A weight of 0 has no gradient, which a huge value would make infinite, and then NaN.
    if torch.compiler.is_compiling():
        return weights.masked_fill(weights == 0, 0)
    if weights.requires_grad:  # the same in a hook, which saves a copy
        zero = weights.detach()
        weights.register_hook(lambda g: g if g is None else g.masked_fill(zero == 0, 0))
    return weights


def one_mask(axes, mask, *of_batch):
    """True where all of them allow, for scores of so many axes; or None.

    Those of the batch, (batch, n or 1, m or 1), hold for every axis between, such as heads.
    """
    for real in of_batch:
        if real is not None:
            between = [1] * (axes - real.dim())
            real = real.view(*real.shape[:-2], *between, *real.shape[-2:])
            mask = real if mask is None else real & mask
    return mask
