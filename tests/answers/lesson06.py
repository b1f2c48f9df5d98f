"""Answers to the exercises of lesson 06 as learners write them, right and wrong."""

import math

import numpy as np
import torch
from torch import nn

# 6.1 my_add_positions


def add_by_loop(X, P):
    places = []
    for i in range(X.size(1)):
        places.append(X[:, i] + P[i])
    return torch.stack(places, dim=1)


def add_by_embedding(X, P):
    batch, n, _ = X.shape
    index = torch.arange(n).expand(batch, n)
    return X + nn.functional.embedding(index, P)


def add_broadcast(X, P):
    return P.unsqueeze(0)[:, : X.shape[-2], :] + X


def add_unchanged(X, P):
    return X + P[: X.shape[0]].unsqueeze(1)


def add_unsqueeze_left(X, P):
    n = X.shape[1]
    return X + P[:n].unsqueeze(1)


def add_len_of_batch(X, P):
    return X + P[: len(X)]


def add_everything(X, P):
    return X + P.unsqueeze(0)


def add_from_one(X, P):
    n = X.shape[1]
    return X + P[1 : 1 + n][None]


def add_single_row(X, P):
    n = X.shape[1]
    return X + P[n]


def add_forgotten_tokens(X, P):
    return P[: X.shape[1]]


def add_scaled(X, P):
    return X * math.sqrt(X.size(-1)) + P[: X.size(1)]


def add_product(X, P):
    return torch.einsum("bnd,nd->bnd", X, P[: X.size(1)])


def add_for_four(X, P):
    return X + P[:4]


def add_last_rows(X, P):
    n = X.shape[1]
    return X + P[len(P) - n :]


# 6.2 my_sinusoidal_table


def table_by_loop(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    for i in range(max_len):
        for column in range(num_hiddens):
            angle = i / 10000 ** (2 * (column // 2) / num_hiddens)
            P[i, column] = math.sin(angle) if column % 2 == 0 else math.cos(angle)
    return P


def table_by_slices(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    position = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)
    div = torch.exp(torch.arange(0, num_hiddens, 2) * -(math.log(10000.0) / num_hiddens))
    P[:, 0::2] = torch.sin(position * div)
    P[:, 1::2] = torch.cos(position * div)[:, : num_hiddens // 2]
    return P


def table_in_float64(max_len, num_hiddens):
    columns = np.arange(num_hiddens)
    angles = np.outer(np.arange(max_len), 10000.0 ** (-2.0 * (columns // 2) / num_hiddens))
    return torch.from_numpy(np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)))


def table_usual(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    position = torch.arange(max_len).float()[:, None]
    div = 10000 ** (torch.arange(0, num_hiddens, 2).float() / num_hiddens)
    P[:, 0::2] = torch.sin(position / div)
    P[:, 1::2] = torch.cos(position / div)
    return P


def table_j_not_doubled(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    for i in range(max_len):
        for j in range((num_hiddens + 1) // 2):
            angle = i / 10000 ** (j / num_hiddens)
            P[i, 2 * j] = math.sin(angle)
            if 2 * j + 1 < num_hiddens:
                P[i, 2 * j + 1] = math.cos(angle)
    return P


def table_j_not_doubled_even_widths_only(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    for i in range(max_len):
        for j in range((num_hiddens + 1) // 2):
            angle = i / 10000 ** (j / num_hiddens)
            P[i, 2 * j] = math.sin(angle)
            P[i, 2 * j + 1] = math.cos(angle)
    return P


def table_own_frequencies(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    for i in range(max_len):
        for c in range(num_hiddens):
            angle = i / 10000 ** (c / num_hiddens)
            P[i, c] = math.cos(angle) if c % 2 else math.sin(angle)
    return P


def table_columns_as_pairs(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    for i in range(max_len):
        for c in range(num_hiddens):
            angle = i / 10000 ** (2 * c / num_hiddens)
            P[i, c] = math.cos(angle) if c % 2 else math.sin(angle)
    return P


def table_in_halves(max_len, num_hiddens):
    div = 10000 ** (torch.arange(0, num_hiddens, 2) / num_hiddens)
    angles = torch.arange(max_len).unsqueeze(1) / div
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1)[:, :num_hiddens]


def table_cosine_first(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    angles = torch.arange(max_len)[:, None] / 10000 ** (
        torch.arange(0, num_hiddens, 2) / num_hiddens
    )
    P[:, 0::2] = angles.cos()
    P[:, 1::2] = angles.sin()[:, : num_hiddens // 2]
    return P


def table_from_one(max_len, num_hiddens):
    return table_by_slices(max_len + 1, num_hiddens)[1:]


def table_zero_column(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    for i in range(max_len):
        for j in range(num_hiddens // 2):
            angle = i / 10000 ** (2 * j / num_hiddens)
            P[i, 2 * j], P[i, 2 * j + 1] = math.sin(angle), math.cos(angle)
    return P


def table_growing(max_len, num_hiddens):
    angles = torch.arange(max_len)[:, None] * 10000 ** (
        torch.arange(0, num_hiddens, 2) / num_hiddens
    )
    return torch.stack((angles.sin(), angles.cos()), dim=2).reshape(max_len, -1)[:, :num_hiddens]


def table_without_brackets(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    for i in range(max_len):
        for c in range(num_hiddens):
            j = c // 2
            angle = i / 10000**2 * j / num_hiddens
            P[i, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return P


def table_one_too_wide(max_len, num_hiddens):
    div = 10000 ** (torch.arange(0, num_hiddens, 2) / num_hiddens)
    angles = torch.arange(max_len).unsqueeze(1) / div
    return torch.stack([torch.sin(angles), torch.cos(angles)], dim=-1).reshape(max_len, -1)


def table_with_batch_axis(max_len, num_hiddens):
    return table_by_loop(max_len, num_hiddens).unsqueeze(0)


# 6.3 my_offset_rotation


def offset_by_loop(delta, num_hiddens):
    M = torch.zeros(num_hiddens, num_hiddens)
    for j in range(num_hiddens // 2):
        turn = delta / 10000 ** (2 * j / num_hiddens)
        M[2 * j, 2 * j] = M[2 * j + 1, 2 * j + 1] = math.cos(turn)
        M[2 * j, 2 * j + 1] = math.sin(turn)
        M[2 * j + 1, 2 * j] = -math.sin(turn)
    return M


def offset_by_matrix_exponential(delta, num_hiddens):
    speed = 10000.0 ** (-torch.arange(0, num_hiddens, 2, dtype=torch.float64) / num_hiddens)
    upper = torch.stack([speed, torch.zeros_like(speed)], -1).flatten()[:-1]
    generator = torch.diag(upper, 1) - torch.diag(upper, -1)
    return torch.linalg.matrix_exp(delta * generator)


def offset_by_diagonals(delta, num_hiddens):
    turn = delta * 10000.0 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    sines = torch.zeros(num_hiddens - 1)
    sines[::2] = turn.sin()
    return torch.diag(turn.cos().repeat_interleave(2)) + sines.diag(1) - sines.diag(-1)


def offset_transposed(delta, num_hiddens):
    return offset_by_loop(delta, num_hiddens).T


def offset_no_minus(delta, num_hiddens):
    M = torch.zeros(num_hiddens, num_hiddens)
    for j in range(num_hiddens // 2):
        turn = delta / 10000 ** (2 * j / num_hiddens)
        c, s = math.cos(turn), math.sin(turn)
        M[2 * j : 2 * j + 2, 2 * j : 2 * j + 2] = torch.tensor([[c, s], [s, c]])
    return M


def offset_one_angle(delta, num_hiddens):
    c, s = math.cos(delta), math.sin(delta)
    return torch.block_diag(*[torch.tensor([[c, s], [-s, c]])] * (num_hiddens // 2))


def offset_not_doubled(delta, num_hiddens):
    blocks = []
    for j in range(num_hiddens // 2):
        turn = delta * 10000 ** (-j / num_hiddens)
        c, s = math.cos(turn), math.sin(turn)
        blocks.append(torch.tensor([[c, s], [-s, c]]))
    return torch.block_diag(*blocks)


def offset_in_halves(delta, num_hiddens):
    turn = delta * 10000 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    C, S = torch.diag(turn.cos()), torch.diag(turn.sin())
    return torch.vstack([torch.hstack([C, S]), torch.hstack([-S, C])])


def offset_overlapping(delta, num_hiddens):
    M = torch.zeros(num_hiddens, num_hiddens)
    for j in range(num_hiddens // 2):
        turn = delta / 10000 ** (2 * j / num_hiddens)
        c, s = math.cos(turn), math.sin(turn)
        M[j : j + 2, j : j + 2] = torch.tensor([[c, s], [-s, c]])
    return M


def offset_stack(delta, num_hiddens):
    turn = delta * 10000 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    c, s = turn.cos(), turn.sin()
    return torch.stack([torch.stack([c, s], -1), torch.stack([-s, c], -1)], 1)


def offset_by_repeated_steps(delta, num_hiddens):
    M, step = torch.eye(num_hiddens), offset_by_loop(1, num_hiddens)
    for _ in range(delta):
        M = step @ M
    return M


def offset_absolute(delta, num_hiddens):
    return offset_by_diagonals(abs(delta), num_hiddens)


def offset_growing(delta, num_hiddens):
    M = torch.zeros(num_hiddens, num_hiddens)
    for j in range(num_hiddens // 2):
        turn = delta * 10000 ** (2 * j / num_hiddens)
        M[2 * j, 2 * j] = M[2 * j + 1, 2 * j + 1] = math.cos(turn)
        M[2 * j, 2 * j + 1] = math.sin(turn)
        M[2 * j + 1, 2 * j] = -math.sin(turn)
    return M


# 6.4 my_alibi_bias


def alibi_by_loop(slopes, num_queries, num_keys):
    rows = []
    for m in slopes:
        for i in range(num_queries):
            rows.append(torch.stack([-m * abs(i - j) for j in range(num_keys)]))
    return torch.stack(rows).view(len(slopes), num_queries, num_keys)


def alibi_by_einsum(slopes, num_queries, num_keys):
    distance = torch.empty(num_queries, num_keys, dtype=slopes.dtype)
    for i in range(num_queries):
        for j in range(num_keys):
            distance[i, j] = max(i - j, j - i)
    return -torch.einsum("h,qk->hqk", slopes, distance)


def alibi_by_cdist(slopes, num_queries, num_keys):
    i = torch.arange(num_queries, dtype=slopes.dtype).view(-1, 1)
    j = torch.arange(num_keys, dtype=slopes.dtype).view(-1, 1)
    return slopes.neg().view(-1, 1, 1) * torch.cdist(i, j, p=1)


def alibi_reward(slopes, num_queries, num_keys):
    i, j = torch.arange(num_queries).view(-1, 1), torch.arange(num_keys).view(1, -1)
    return slopes.view(-1, 1, 1) * torch.abs(i - j)


def alibi_signed(slopes, num_queries, num_keys):
    i, j = torch.arange(num_queries).view(-1, 1), torch.arange(num_keys).view(1, -1)
    return -slopes.view(-1, 1, 1) * (i - j)


def alibi_signed_the_other_way(slopes, num_queries, num_keys):
    i, j = torch.arange(num_queries).view(-1, 1), torch.arange(num_keys).view(1, -1)
    return slopes.view(-1, 1, 1) * (i - j)


def alibi_causal(slopes, num_queries, num_keys):
    offsets = torch.arange(num_queries)[:, None] - torch.arange(num_keys)[None]
    return -slopes[:, None, None] * torch.tril(offsets)


def alibi_square(slopes, num_queries, num_keys):
    i = torch.arange(num_queries)
    return -slopes[:, None, None] * (i[:, None] - i[None, :]).abs()


def alibi_bottom_right(slopes, num_queries, num_keys):
    i = torch.arange(num_keys - num_queries, num_keys)
    return -slopes[:, None, None] * (i[:, None] - torch.arange(num_keys)).abs()


def alibi_slopes_on_rows(slopes, num_queries, num_keys):
    i, j = torch.arange(num_queries), torch.arange(num_keys)
    return -slopes[:, None] * (i[:, None] - j[None]).abs()


def alibi_slopes_on_columns(slopes, num_queries, num_keys):
    i, j = torch.arange(num_queries), torch.arange(num_keys)
    return -slopes * (i[:, None] - j[None]).abs()


def alibi_first_slope(slopes, num_queries, num_keys):
    distance = (torch.arange(num_queries)[:, None] - torch.arange(num_keys)).abs()
    return torch.stack([-slopes[0] * distance for _ in slopes])


def alibi_squared(slopes, num_queries, num_keys):
    distance = (torch.arange(num_queries)[:, None] - torch.arange(num_keys)).pow(2)
    return torch.stack([-m * distance for m in slopes])


def alibi_in_float32(slopes, num_queries, num_keys):
    bias = torch.zeros(len(slopes), num_queries, num_keys)
    for h in range(len(slopes)):
        for i in range(num_queries):
            for j in range(num_keys):
                bias[h, i, j] = -slopes[h] * abs(i - j)
    return bias


# 6.5 my_rotary


def rotary_complex(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] / 10000 ** (torch.arange(0, size, 2, dtype=X.dtype) / size)
    pairs = torch.view_as_complex(X.reshape(*X.shape[:-1], size // 2, 2))
    return torch.view_as_real(pairs * torch.exp(1j * angles)).reshape(X.shape)


def rotary_by_loop(X, positions):
    size = X.shape[-1]
    columns = []
    for j in range(size // 2):
        angle = positions * 10000 ** (-2 * j / size)
        x, y = X[..., 2 * j], X[..., 2 * j + 1]
        columns.append(x * torch.cos(angle) - y * torch.sin(angle))
        columns.append(x * torch.sin(angle) + y * torch.cos(angle))
    return torch.stack(columns, dim=-1)


def rotary_by_matrices(X, positions):
    size = X.shape[-1]
    turned = []
    for place, i in enumerate(positions.tolist()):
        turns = [i / 10000 ** (2 * j / size) for j in range(size // 2)]
        R = torch.block_diag(
            *[
                torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
                for a in turns
            ]
        ).to(X)
        turned.append(X[..., place, :] @ R.T)
    return torch.stack(turned, -2)


def rotary_with_swapped(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    cos, sin = angles.cos().repeat_interleave(2, -1), angles.sin().repeat_interleave(2, -1)
    swapped = torch.empty_like(X)
    swapped[..., 0::2] = -X[..., 1::2]
    swapped[..., 1::2] = X[..., 0::2]
    return X * cos + swapped * sin


def rotary_halves(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    x, y = X[..., : size // 2], X[..., size // 2 :]
    c, s = angles.cos(), angles.sin()
    return torch.cat([x * c - y * s, x * s + y * c], -1)


def rotary_cat(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    x, y = X[..., ::2], X[..., 1::2]
    c, s = angles.cos(), angles.sin()
    return torch.cat([x * c - y * s, x * s + y * c], -1)


def rotary_reversed(X, positions):
    return rotary_by_loop(X, -positions)


def rotary_overwritten(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    result = X.clone()
    result[..., 0::2] = result[..., 0::2] * angles.cos() - result[..., 1::2] * angles.sin()
    result[..., 1::2] = result[..., 0::2] * angles.sin() + result[..., 1::2] * angles.cos()
    return result


def rotary_no_minus(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    cos, sin = angles.cos().repeat_interleave(2, -1), angles.sin().repeat_interleave(2, -1)
    swapped = X.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    return X * cos + swapped * sin


def rotary_ignores_positions(X, positions):
    return rotary_by_loop(X, torch.arange(X.shape[-2]))


def rotary_one_angle(X, positions):
    c, s = positions.cos()[:, None], positions.sin()[:, None]
    x, y = X[..., ::2], X[..., 1::2]
    return torch.stack([x * c - y * s, x * s + y * c], -1).reshape(X.shape)


def rotary_angles_tiled(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
    swapped = torch.stack([-X[..., 1::2], X[..., ::2]], -1).reshape(X.shape)
    return X * cos + swapped * sin


def rotary_added(X, positions):
    size = X.shape[-1]
    table = torch.zeros(len(positions), size)
    for j in range(size // 2):
        table[:, 2 * j] = torch.sin(positions / 10000 ** (2 * j / size))
        table[:, 2 * j + 1] = torch.cos(positions / 10000 ** (2 * j / size))
    return X + table


def rotary_not_merged(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] / 10000 ** (torch.arange(0, size, 2, dtype=X.dtype) / size)
    pairs = torch.view_as_complex(X.reshape(*X.shape[:-1], size // 2, 2))
    return torch.view_as_real(pairs * torch.exp(1j * angles))


def rotary_not_doubled(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-torch.arange(size // 2) / size)
    x, y = X[..., ::2], X[..., 1::2]
    c, s = angles.cos(), angles.sin()
    return torch.stack([x * c - y * s, x * s + y * c], -1).reshape(X.shape)


# 6.6 my_mirror


def mirror_by_loop(last, num_hiddens):
    R = torch.zeros(num_hiddens, num_hiddens)
    for j in range(num_hiddens // 2):
        a = last / 10000 ** (2 * j / num_hiddens)
        R[2 * j, 2 * j] = -math.cos(a)
        R[2 * j, 2 * j + 1] = math.sin(a)
        R[2 * j + 1, 2 * j] = math.sin(a)
        R[2 * j + 1, 2 * j + 1] = math.cos(a)
    return R


def mirror_as_flip_then_turn(last, num_hiddens):
    flip = torch.ones(num_hiddens, dtype=torch.float64)
    flip[0::2] = -1  # P[-i]: the sines change their sign
    return offset_by_matrix_exponential(last, num_hiddens) @ torch.diag(flip)


def mirror_as_rotation(last, num_hiddens):
    return offset_by_loop(last, num_hiddens)


def mirror_as_rotation_back(last, num_hiddens):
    return offset_by_loop(-last, num_hiddens)


def mirror_cosine_first(last, num_hiddens):
    blocks = []
    for j in range(num_hiddens // 2):
        a = last / 10000 ** (2 * j / num_hiddens)
        c, s = math.cos(a), math.sin(a)
        blocks.append(torch.tensor([[c, s], [s, -c]]))
    return torch.block_diag(*blocks)


def mirror_wrong_cosine(last, num_hiddens):
    blocks = []
    for j in range(num_hiddens // 2):
        a = last / 10000 ** (2 * j / num_hiddens)
        c, s = math.cos(a), math.sin(a)
        blocks.append(torch.tensor([[-c, s], [-s, c]]))
    return torch.block_diag(*blocks)


def mirror_wrong_sine(last, num_hiddens):
    return offset_no_minus(last, num_hiddens)


def mirror_of_columns(last, num_hiddens):
    return torch.fliplr(torch.eye(num_hiddens))


def mirror_length(last, num_hiddens):
    return mirror_by_loop(last + 1, num_hiddens)


def mirror_at_zero(last, num_hiddens):
    return torch.diag(torch.tensor([-1.0, 1.0]).repeat(num_hiddens // 2))


def mirror_one_angle(last, num_hiddens):
    c, s = math.cos(last), math.sin(last)
    return torch.block_diag(*[torch.tensor([[-c, s], [s, c]])] * (num_hiddens // 2))


def mirror_in_halves(last, num_hiddens):
    a = last * 10000 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    C, S = torch.diag(a.cos()), torch.diag(a.sin())
    return torch.vstack([torch.hstack([-C, S]), torch.hstack([S, C])])


def mirror_stack(last, num_hiddens):
    a = last * 10000 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    return torch.stack([-a.cos(), a.sin(), a.sin(), a.cos()], -1).view(-1, 2, 2)


RIGHT = {
    "my_add_positions": [add_by_loop, add_by_embedding, add_broadcast],
    "my_sinusoidal_table": [table_by_loop, table_by_slices, table_in_float64],
    "my_offset_rotation": [offset_by_loop, offset_by_matrix_exponential, offset_by_diagonals],
    "my_alibi_bias": [alibi_by_loop, alibi_by_einsum, alibi_by_cdist],
    "my_rotary": [rotary_complex, rotary_by_loop, rotary_by_matrices, rotary_with_swapped],
    "my_mirror": [mirror_by_loop, mirror_as_flip_then_turn],
}

WRONG = {
    "my_add_positions": [
        (add_unchanged, "every token of a sentence gets the same vector"),
        (add_unsqueeze_left, "unsqueeze(1) still lays them along axis 0"),
        (add_len_of_batch, "as many rows of P as there are sentences"),
        (add_everything, "You add the whole table"),
        (add_from_one, "the first token gets row 1"),
        (add_single_row, "an index picks a single row"),
        (add_forgotten_tokens, "the tokens are missing"),
        (add_scaled, "multiplied by the root of their size"),
        (add_product, "You multiply by the table"),
        (add_for_four, "does it rely on the sizes of the example?"),
        (add_last_rows, "You take the last rows of P"),
    ],
    "my_sinusoidal_table": [
        (table_usual, "at odd ones it stops"),
        (table_j_not_doubled, "turns by 0.100 radians"),
        (table_j_not_doubled_even_widths_only, "twice the number of the pair"),
        (table_own_frequencies, "the sine squared plus the cosine squared is 1.70"),
        (table_columns_as_pairs, "yours counts columns"),
        (table_in_halves, "all sines stand on the left"),
        (table_cosine_first, "Sine and cosine are exchanged"),
        (table_from_one, "your first row is the one of place 1"),
        (table_zero_column, "the last column is 0 at every place"),
        (table_growing, "turn faster and faster"),
        (table_without_brackets, "the exponent needs brackets"),
        (table_one_too_wide, "the cosine of the last pair is one too many"),
        (table_with_batch_axis, "an axis too many in front"),
    ],
    "my_offset_rotation": [
        (offset_transposed, "Your matrix goes the wrong way"),
        (offset_no_minus, "one of the two sines needs a minus sign"),
        (offset_one_angle, "turn by the same angle"),
        (offset_not_doubled, "the others turn too far"),
        (offset_in_halves, "all sines on the left and all cosines on the right"),
        (offset_overlapping, "Your blocks overlap"),
        (offset_stack, "still in a stack"),
        (offset_by_repeated_steps, "For a negative one you give the identity"),
        (offset_absolute, "the sign of delta is lost"),
        (offset_growing, "the exponent of 10000 has the wrong sign"),
    ],
    "my_alibi_bias": [
        (alibi_reward, "your bias rises with the distance"),
        (alibi_signed, "keys after the query are raised"),
        (alibi_signed_the_other_way, "keys before the query are raised"),
        (alibi_causal, "keys after it are not"),
        (alibi_square, "Your bias has num_queries columns"),
        (alibi_bottom_right, "the last query stand beside the last key"),
        (alibi_slopes_on_rows, "stand beside the queries"),
        (alibi_slopes_on_columns, "stand above the keys"),
        (alibi_first_slope, "Every head has the slope of head 0"),
        (alibi_squared, "the square of the distance"),
        (alibi_in_float32, "the dtype must follow the input"),
    ],
    "my_rotary": [
        (rotary_halves, "You pair feature j with feature j + size / 2"),
        (rotary_cat, "all first members in front"),
        (rotary_reversed, "turn the wrong way round"),
        (rotary_overwritten, "the x that has been turned already"),
        (rotary_no_minus, "One of the two sines needs a minus sign"),
        (rotary_ignores_positions, "do not use positions"),
        (rotary_one_angle, "All your pairs turn by the same angle"),
        (rotary_angles_tiled, "the angles are laid out in halves"),
        (rotary_added, "You add sines and cosines to X"),
        (rotary_not_merged, "it remains to merge the last two axes"),
        (rotary_not_doubled, "Yours is half as large"),
    ],
    "my_mirror": [
        (mirror_as_rotation, "Right at place 0 and nowhere else"),
        (mirror_as_rotation_back, "back is not mirrored"),
        (mirror_cosine_first, "Your blocks fit pairs (cosine, sine)"),
        (mirror_wrong_cosine, "both of its terms have a plus"),
        (mirror_wrong_sine, "The formula of sin(a - b) has a minus"),
        (mirror_of_columns, "last column first"),
        (mirror_length, "last is the last place, not the number of places"),
        (mirror_at_zero, "last plays no part"),
        (mirror_one_angle, "turn by the same angle"),
        (mirror_in_halves, "all sines on the left and all cosines on the right"),
        (mirror_stack, "still in a stack"),
    ],
}
