"""Attention that keeps a state of one size, in place of all keys and values."""

import torch
from torch import Tensor

from .shapes import Float


def delta_rule(
    queries: Float[Tensor, "... n d"],
    keys: Float[Tensor, "... n d"],
    values: Float[Tensor, "... n v"],
    beta: Float[Tensor, "... n"],
    decay: Float[Tensor, "... n"] | None = None,
) -> Tensor:
    """The delta rule: a state that is read by a query, and corrected by each key and value.

    S_t = a_t S_(t-1) + k_t (beta_t (v_t - a_t S_(t-1)^T k_t))^T;  output_t = S_t^T q_t

    The state S, (d, v), is 0 at first. With beta 1, a key of length 1 finds its value again,
    whatever stood there before.

    Args:
        queries, keys: shape (..., n, d), as they are: nothing is normed or scaled.
        values: shape (..., n, v).
        beta: shape (..., n): how much of what the state says wrong of a key is corrected, 0 to 1.
        decay: a, shape (..., n): what is left of the state at each step, 0 to 1; all unless given.

    Returns:
        A tensor of shape (..., n, v).

    Source: Schlag, Irie and Schmidhuber (2021), Linear Transformers Are Secretly Fast Weight
    Programmers; Yang, Kautz and Hatamizadeh (2025), Gated Delta Networks, for a.
    """
    S, outputs = values.new_zeros(keys.shape[-1], values.shape[-1]), []
    for t in range(keys.shape[-2]):
        k, v, b = keys[..., t, :, None], values[..., t, None, :], beta[..., t, None, None]
        S = S if decay is None else decay[..., t, None, None] * S  # (..., d, v)
        S = S + k @ (b * (v - k.mT @ S))
        outputs.append(queries[..., t, None, :] @ S)
    return torch.cat(outputs or [values], -2)  # (..., n, v)
