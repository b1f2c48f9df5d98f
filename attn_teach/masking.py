"""Lesson 03: masks and masked softmax.

A mask is boolean and True means "may attend". It has the shape of the scores, or
one that broadcasts to it.

Masked means masked, in values and in gradients: what no query may attend to may hold anything. A
token that some may attend to and that holds NaN or infinity turns the weights and outputs of those
into NaN, and of nobody else.
"""

import torch

from .shapes import broadcasts, count, is_hidden, may_hold, number, place, refuted, shape_of, shown


def padding_mask(valid_lens: "int batch | batch n | None", num_keys: count):
    """Allow the first valid_len keys of each sequence; the rest is padding.

    mask[b, i, j] = j < valid_lens[b]  (or valid_lens[b, i])

    Args:
        valid_lens: integers of shape (batch,) or (batch, n), or None for no padding.
        num_keys: number of keys m, padding included.

    Returns:
        A boolean mask of shape (batch, 1, m) or (batch, n, m), on the device of valid_lens;
        None for None.
    """
    if valid_lens is None:
        return None
    lengths = valid_lens.unsqueeze(-1)  # (batch, 1) or (batch, n, 1)
    real = torch.arange(num_keys, device=lengths.device) < lengths
    return real if real.dim() == 3 else real.unsqueeze(1)  # (batch, 1 or n, m)


def causal_mask(num_queries: count, num_keys: count = None, device: place = None):
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


def sequence_mask(X: "any batch steps ...", valid_len: "int batch", value: number = 0):
    """A copy of X in which everything after each sequence's valid length is `value`.

    Args:
        X: shape (batch, steps, ...), any dtype; it is left as it was.
        valid_len: integers, shape (batch,), how many leading steps are real.
        value: what to write into the rest.

    Returns:
        A tensor of the shape and dtype of X.

    Source: Dive into Deep Learning, `d2l.sequence_mask`, which writes into X.
    """
    steps = torch.arange(X.shape[1], device=X.device)
    padded = steps >= valid_len.unsqueeze(1)  # (batch, steps)
    whole = not (X.is_floating_point() or X.is_complex())
    held = torch.as_tensor(value, dtype=None if whole else X.dtype, device=X.device).to(X.dtype)
    if whole and refuted(held.float() == value):
        raise ValueError(
            f"value must be a number that X of {X.dtype} can hold, got {shown(value)}; "
            f"convert X, as in X.float()"
        )
    return X.masked_fill(padded.view(*padded.shape, *[1] * (X.dim() - 2)), held)


def masked_softmax(
    scores: "... n m",
    valid_lens: "int batch | batch n" = None,
    mask: "bool ... n m" = None,
):
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
    mask = allowed_keys(scores.dim(), scores.shape[-1], valid_lens, mask)
    finite = scores != -torch.inf  # whoever scores so has masked already
    mask = finite if mask is None else finite & mask  # (..., n, m)
    empty = ~mask.any(-1, keepdim=True)  # (..., n, 1)
    # Softmax of a row of -inf is NaN, in the gradient too, so an empty row is kept out of it.
    scores = scores.masked_fill(~mask, -torch.inf).masked_fill(empty, 0)
    return scores.softmax(-1).masked_fill(empty, 0)  # (..., n, m)


def softmax_in_place(scores, mask):
    """`masked_softmax` for scores that nobody else holds, which it overwrites.

    Where every query has a key to attend to, one fill is enough: the formula above keeps copies,
    and with many heads takes about twice the memory (`python -m tools.bench attention` measures).
    """
    if mask is None:
        return scores.softmax(-1)
    if may_hold(~mask.any(-1)) or not broadcasts(shape_of(mask), shape_of(scores)):
        return masked_softmax(scores, mask=mask)
    return scores.masked_fill_(~mask, -torch.inf).softmax(-1)  # (..., n, m)


def kept_out(allowed, *rows, queries=None):
    """Zeros in place of what is masked or not finite: 0 times infinity would be felt.

    Args:
        allowed: the mask, or None.
        rows: what has a row for each key: keys, values.
        queries: the queries, if they are at hand; those that may attend to nothing are masked.

    Returns:
        All of them, and which queries may attend to what was not finite, (..., n, 1); or None.
    """
    given = rows if queries is None else (*rows, queries)
    if allowed is None or all(map(_tame, given)):
        return *given, None
    allowed = torch.atleast_2d(allowed)
    wild = [~tensor.isfinite().all(-1, keepdim=True) for tensor in rows]  # (..., m, 1) each
    wild = torch.stack(torch.broadcast_tensors(*wild)).any(0)
    lost = (allowed & wild.mT).any(-1, keepdim=True)  # (..., n, 1)
    wild = wild | ~allowed.any(-2).unsqueeze(-1)
    rows = [tensor.masked_fill(wild, 0) for tensor in rows]
    if queries is not None:
        rows.append(queries.masked_fill(~allowed.any(-1, keepdim=True), 0))
    return *rows, lost


def by_rows(function, *tensors):
    """function(*tensors), which treats each row by itself, in gradients too.

    A row of NaN alone comes out as NaN; but in the gradient of what all rows share, such as
    weights or keys, 0 times NaN is NaN. So it comes out without a gradient.
    """
    result = function(*tensors)
    first = result[0] if isinstance(result, tuple) else result  # (..., n, size)
    if not first.requires_grad or is_hidden(first) or _tame(first):
        return result
    lost = ~first.isfinite().all(-1, keepdim=True)  # (..., n, 1)
    return marked(lost, function(*(tensor.masked_fill(lost, 0) for tensor in tensors)))


def marked(lost, result):
    """The result, or results, with NaN in the rows that are lost; None stays None."""
    if isinstance(result, tuple):
        return tuple(marked(lost, each) for each in result)
    return result if lost is None or result is None else result.masked_fill(lost, torch.nan)


def _tame(tensor):
    """Whether all numbers are so small that no product of a few of them is infinite."""
    length = torch.linalg.vector_norm(tensor.detach())
    return not may_hold(~(length < torch.finfo(tensor.dtype).max ** 0.25))


def allowed_keys(axes, num_keys, valid_lens, mask):
    """One mask for scores of so many axes, True where both arguments allow; or None."""
    real = padding_mask(valid_lens, num_keys)  # (batch, 1 or n, m)
    if real is not None:  # axes between the batch and the queries, such as heads, share lengths
        real = real.view(len(real), *[1] * (axes - 3), *real.shape[1:])
    return mask if real is None else real if mask is None else real & mask
