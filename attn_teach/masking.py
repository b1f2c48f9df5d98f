"""Lesson 03: masks and masked softmax.

A mask is boolean and True means "may attend". It has the shape of the scores, or
one that broadcasts to it.
"""

import torch

from ._inputs import check_counts, check_floats, shape_of


def padding_mask(valid_lens, num_keys):
    """Allow the first valid_len keys of each sequence; the rest is padding.

    mask[b, i, j] = j < valid_lens[b]  (or valid_lens[b, i])

    Args:
        valid_lens: integers of shape (batch,) or (batch, queries), or None for no padding.
        num_keys: number of keys, padding included.

    Returns:
        A boolean mask of shape (batch, 1, num_keys) or (batch, queries, num_keys), on the
        device of valid_lens; None for None.

    Raises:
        TypeError, ValueError: when valid_lens does not hold integers in one of these shapes.
    """
    check_counts(num_keys=num_keys)
    if valid_lens is None:
        return None
    _check_lengths("valid_lens", valid_lens)
    if valid_lens.dim() not in (1, 2):
        raise ValueError(
            f"valid_lens must have shape (batch,) or (batch, queries), got {shape_of(valid_lens)}"
        )
    if valid_lens.dim() == 1:
        valid_lens = valid_lens.unsqueeze(1)
    return torch.arange(num_keys, device=valid_lens.device) < valid_lens.unsqueeze(-1)


def causal_mask(num_queries, num_keys=None, device=None):
    """Allow every query its own position and the ones before it.

    mask[i, j] = j <= i

    Args:
        num_queries: number of queries.
        num_keys: number of keys, num_queries unless given. Both are counted from
            position 0, as in PyTorch's `is_causal`.
        device: where to put the mask.

    Returns:
        A boolean mask of shape (num_queries, num_keys).

    Raises:
        TypeError, ValueError: when a number is not a positive int.
    """
    num_keys = num_queries if num_keys is None else num_keys
    check_counts(num_queries=num_queries, num_keys=num_keys)
    return torch.ones(num_queries, num_keys, dtype=torch.bool, device=device).tril()


def sequence_mask(X, valid_len, value=0):
    """A copy of X in which everything after each sequence's valid length is `value`.

    Args:
        X: shape (batch, steps, ...), any dtype; it is left as it was.
        valid_len: shape (batch,), how many leading steps are real.
        value: what to write into the rest.

    Returns:
        A tensor of the shape and dtype of X.

    Raises:
        TypeError, ValueError: when valid_len does not hold one length per sequence.

    Source: Dive into Deep Learning, `d2l.sequence_mask`, which writes into X.
    """
    if not isinstance(X, torch.Tensor) or X.dim() < 2:
        got = shape_of(X) if isinstance(X, torch.Tensor) else type(X).__name__
        raise ValueError(f"X must be a tensor of shape (batch, steps, ...), got {got}")
    _check_lengths("valid_len", valid_len)
    if valid_len.shape != X.shape[:1]:
        raise ValueError(
            f"valid_len must have shape ({len(X)},), one length for each row of X, "
            f"got {shape_of(valid_len)}"
        )
    padded = torch.arange(X.shape[1], device=X.device) >= valid_len.to(X.device).unsqueeze(1)
    return X.masked_fill(padded.view(padded.shape + (1,) * (X.dim() - 2)), value)


def masked_softmax(scores, valid_lens=None, mask=None):
    """Softmax over the keys that may be attended to; all others get weight 0.

    weights = softmax(where(mask, scores, -inf)) over the last axis

    Minus infinity masks at every magnitude and in every floating-point dtype, which a
    constant such as -1e6 does not. A row that may attend to nothing, or whose scores are all
    minus infinity, gets weights 0.

    Args:
        scores: shape (..., queries, keys); left as they were.
        valid_lens: integers, (batch,) or (batch, queries), where batch is the first axis of
            the scores; or None.
        mask: boolean, True = may attend, broadcasts to scores; or None. Given both, a key
            must be allowed by both.

    Returns:
        Weights of the shape of scores; each row sums to 1, or is all 0.

    Raises:
        TypeError, ValueError: when a mask or valid_lens does not fit the scores.
    """
    check_floats(min_axes=2, scores=scores)
    allowed = combine_masks(scores.shape, valid_lens, mask)
    if allowed is not None and allowed.device != scores.device:
        raise ValueError(
            f"mask and valid_lens must be on the device of the scores, {scores.device}, "
            f"got {allowed.device}; move them with .to(scores.device)"
        )
    filled = scores if allowed is None else scores.masked_fill(~allowed, -torch.inf)
    # Softmax of a row of -inf is NaN, in the gradient too, so such a row is kept out of it.
    empty = (filled == -torch.inf).all(-1, keepdim=True)
    return filled.masked_fill(empty, 0).softmax(-1).masked_fill(empty, 0)


def combine_masks(shape, valid_lens=None, mask=None):
    """One mask for scores of this shape, True where both arguments allow; None without any."""
    allowed = None
    if valid_lens is not None:
        allowed = padding_mask(valid_lens, shape[-1])
        fits = (shape[0],) if valid_lens.dim() == 1 else (shape[0], shape[-2])
        if len(shape) < 3 or shape_of(valid_lens) != fits:
            raise ValueError(
                f"valid_lens must have shape (batch,) or (batch, queries) for scores of shape "
                f"(batch, ..., queries, keys), got {shape_of(valid_lens)} for scores of shape "
                f"{tuple(shape)}"
            )
        # (batch, 1 or queries, keys): any axes between, such as heads, share the lengths.
        allowed = allowed.view(shape[0], *[1] * (len(shape) - 3), allowed.shape[-2], shape[-1])
    if mask is not None:
        check_mask(mask, shape)
        allowed = mask if allowed is None else allowed & mask
    return allowed


def check_mask(mask, shape, any_leading=False):
    """A boolean mask that broadcasts to the shape, or to its last two axes alone."""
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        got = mask.dtype if isinstance(mask, torch.Tensor) else type(mask).__name__
        raise TypeError(
            f"mask must be a boolean tensor in which True = may attend, got {got}; for a mask "
            f"of ones and zeros use mask.bool()"
        )
    if any_leading:
        shape = (*mask.shape[:-2], *shape[-2:])
    try:
        fits = torch.broadcast_shapes(mask.shape, shape) == torch.Size(shape)
    except RuntimeError:
        fits = False
    if not fits:
        raise ValueError(
            f"mask of shape {shape_of(mask)} must broadcast to the scores' shape {tuple(shape)}; "
            f"add an axis of size 1 where all of them share a mask"
        )


def _check_lengths(name, lengths):
    if not isinstance(lengths, torch.Tensor):
        raise TypeError(
            f"{name} must be a tensor of integers, got {type(lengths).__name__}; "
            f"use torch.tensor({name})"
        )
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype == torch.bool:
        raise TypeError(
            f"{name} must hold integers, got {lengths.dtype}; a boolean mask goes to the "
            f"argument mask, lengths are converted with {name}.long()"
        )
