"""Answers to the exercises of lesson 01, as learners write them."""

import math

import torch
from torch.nn.functional import relu

from attn_teach import attend

# Right answers, each written in another way


def gaussian_power(u):
    return math.e ** (-0.5 * u * u)


def gaussian_loop(u):
    out = [torch.exp(-v * v / 2) for v in u.reshape(-1)]
    return torch.stack(out).reshape(u.shape)


def boxcar_where(u):
    return torch.where((u >= -1) & (u <= 1), torch.ones_like(u), torch.zeros_like(u))


def boxcar_loop(u):
    out = torch.zeros_like(u)
    for i, v in enumerate(u.flatten()):
        if -1 <= v <= 1:
            out.view(-1)[i] = 1
    return out


def triangular_relu(u):
    return relu(1 - abs(u))


def triangular_where(u):
    inside = torch.sqrt(u * u) < 1
    return torch.where(inside, 1 - u.abs(), 0 * u)


def epanechnikov_where(u):
    return torch.where(u.abs() > 1, torch.zeros_like(u), 1 - u * u)


def epanechnikov_factors(u):
    return torch.maximum((1 - u) * (1 + u), torch.zeros_like(u))


def regression_loop(queries, keys, values, bandwidth):
    rows = []
    for q in queries:
        s = []
        for k in keys:
            s.append(-((q - k) ** 2).sum() / (2 * bandwidth**2))
        w = torch.softmax(torch.stack(s), dim=0)
        rows.append(sum(w[i] * values[i] for i in range(len(keys))))
    return torch.stack(rows)


def regression_einsum(queries, keys, values, bandwidth):
    u = (queries[:, None, :] - keys[None, :, :]) / bandwidth
    scores = -torch.einsum("nmd,nmd->nm", u, u) / 2
    return torch.einsum("nm,mv->nv", scores.softmax(-1), values)


def regression_norms(queries, keys, values, bandwidth):
    squared = (queries**2).sum(1, keepdim=True) + (keys**2).sum(1) - 2 * queries @ keys.T
    return attend(-squared / (2 * bandwidth**2), values)[0]


def bandwidth_loop(x, y, bandwidths):
    best, best_error = None, float("inf")
    for h in bandwidths.tolist():
        total = 0.0
        for i in range(len(x)):
            others = [j for j in range(len(x)) if j != i]
            w = torch.softmax(-((x[i] - x[others]) ** 2) / (2 * h**2), dim=0)
            total += (y[i] - (w * y[others]).sum()).item() ** 2
        if total < best_error:
            best, best_error = h, total
    return best


def bandwidth_at_once(x, y, bandwidths):
    n = len(x)
    keep = ~torch.eye(n, dtype=torch.bool)
    others = x.expand(n, n)[keep].view(n, n - 1)
    seen = y.expand(n, n)[keep].view(n, n - 1)
    u = (x[:, None] - others) / bandwidths[:, None, None]
    miss = (torch.softmax(-(u**2) / 2, -1) * seen).sum(-1) - y
    return bandwidths[(miss**2).sum(-1).argmin()]


def boxcar_attention_loop(queries, keys, values, bandwidth):
    out = []
    for q in queries:
        total = 0 * values[0]
        count = 0
        for k, v in zip(keys, values, strict=True):
            if abs(q - k) <= bandwidth:
                total = total + v
                count += 1
        out.append(total / max(count, 1))
    return torch.stack(out)


def boxcar_attention_attend(queries, keys, values, bandwidth):
    u = (queries[:, None] - keys[None, :]) / bandwidth
    out, _ = attend(torch.zeros_like(u), values[:, None], (u >= -1) & (u <= 1))
    return out[:, 0]


RIGHT = {
    "my_gaussian": [gaussian_power, gaussian_loop],
    "my_boxcar": [boxcar_where, boxcar_loop],
    "my_triangular": [triangular_relu, triangular_where],
    "my_epanechnikov": [epanechnikov_where, epanechnikov_factors],
    "my_kernel_regression": [regression_loop, regression_einsum, regression_norms],
    "my_best_bandwidth": [bandwidth_loop, bandwidth_at_once],
    "my_boxcar_attention": [boxcar_attention_loop, boxcar_attention_attend],
}

# Wrong answers, each with words of the message that it must get


def gaussian_by_hand(u):
    g = math.e ** (-0.5 * u * u)
    return g / g.sum()


def gaussian_in_place(u):
    u *= u
    return torch.exp(-u / 2)


def boxcar_inside_out(u):
    out = torch.ones_like(u)
    out[abs(u) <= 1] = 0
    return out


def boxcar_right_side_only(u):
    return torch.where((u >= 0) & (u <= 1), torch.ones_like(u), torch.zeros_like(u))


def boxcar_without_sign(u):
    out = torch.zeros_like(u)
    out[u <= 1] = 1
    return out


def boxcar_for_lists_of_numbers(u):
    return torch.tensor([1.0 if abs(v) <= 1 else 0.0 for v in u])


def triangular_signed(u):
    return torch.where(u > 1, torch.zeros_like(u), 1 - u)


def triangular_two_wide(u):
    return relu(1 - abs(u) / 2)


def triangular_parabola(u):
    return relu(1 - u * u)


def triangular_flipped(u):
    out = abs(u)
    return torch.where(out > 1, torch.ones_like(u), out)


def epanechnikov_book(u):
    return torch.max(1 - torch.abs(u), torch.zeros_like(u))


def epanechnikov_density(u):
    return torch.where(abs(u) <= 1, 3 / 4 * (1 - u**2), 0 * u)


def epanechnikov_square_outside(u):
    return relu(1 - abs(u)).pow(2)


def epanechnikov_half(u):
    return relu(1 - (2 * u) ** 2)


def squared_distances(queries, keys):
    rows = [torch.stack([((q - k) ** 2).sum() for k in keys]) for q in queries]
    return torch.stack(rows)


def regression_with_exp(queries, keys, values, bandwidth):
    k = torch.exp(-squared_distances(queries, keys) / 2 / bandwidth**2)
    k = k / k.sum(1).reshape(-1, 1)
    return k @ values


def regression_wrong_axis(queries, keys, values, bandwidth):
    s = -squared_distances(queries, keys) / 2 / bandwidth**2
    return torch.matmul(s.softmax(0), values)


def regression_plain_h(queries, keys, values, bandwidth):
    s = -squared_distances(queries, keys) / (2 * bandwidth)
    return torch.matmul(s.softmax(1), values)


def regression_root(queries, keys, values, bandwidth):
    s = -torch.cdist(queries, keys) / (2 * bandwidth**2)
    return torch.softmax(s, 1) @ values


def regression_without_minus(queries, keys, values, bandwidth):
    s = squared_distances(queries, keys) / (2 * bandwidth**2)
    return torch.softmax(s, 1) @ values


def regression_precedence(queries, keys, values, bandwidth):
    s = -squared_distances(queries, keys) / 2 * bandwidth**2
    return torch.softmax(s, 1) @ values


def regression_unnormalized(queries, keys, values, bandwidth):
    out = torch.zeros(len(queries), values.shape[1])
    for i in range(len(queries)):
        for j in range(len(keys)):
            near = math.exp(-((queries[i] - keys[j]) ** 2).sum() / (2 * bandwidth**2))
            out[i] += near * values[j]
    return out


def regression_mean_distance(queries, keys, values, bandwidth):
    s = -((queries[:, None] - keys) ** 2).mean(2) / (2 * bandwidth**2)
    return torch.softmax(s, 1) @ values


def regression_sum_first(queries, keys, values, bandwidth):
    gap = queries.sum(1)[:, None] - keys.sum(1)[None]
    return torch.softmax(-(gap**2) / (2 * bandwidth**2), 1) @ values


def regression_dot(queries, keys, values, bandwidth):
    s = torch.einsum("nd,md->nm", queries, keys) / bandwidth**2
    return torch.softmax(s, 1) @ values


def regression_both(queries, keys, values, bandwidth):
    return attend(-squared_distances(queries, keys) / (2 * bandwidth**2), values)


def errors_of(x, y, bandwidths, own, score=lambda d, h: -(d**2) / (2 * h**2)):
    """The leave-one-out errors of a loop that hides a point by giving it the score `own`."""
    errors = []
    for h in bandwidths:
        total = 0
        for i in range(len(x)):
            s = score(x[i] - x, h)
            if own is not None:
                s[i] = own
            total = total + (y[i] - torch.softmax(s, 0) @ y) ** 2
        errors.append(total)
    return torch.stack(errors)


def bandwidth_sees_itself(x, y, bandwidths):
    return bandwidths[errors_of(x, y, bandwidths, None).argmin()].item()


def bandwidth_own_score_zero(x, y, bandwidths):
    return bandwidths[errors_of(x, y, bandwidths, 0.0).argmin()]


def bandwidth_weight_removed_late(x, y, bandwidths):
    best, best_error = None, 1e9
    for h in bandwidths:
        w = torch.softmax(-((x[:, None] - x) ** 2) / (2 * h**2), 1)
        w.fill_diagonal_(0)
        e = ((w @ y - y) ** 2).mean()
        if e < best_error:
            best, best_error = h, e
    return best


def bandwidth_index(x, y, bandwidths):
    return errors_of(x, y, bandwidths, -torch.inf).argmin().item()


def bandwidth_error(x, y, bandwidths):
    return errors_of(x, y, bandwidths, -torch.inf).min().item() / len(x)


def bandwidth_never_compares(x, y, bandwidths):
    best_error = 1e9
    for h, e in zip(bandwidths, errors_of(x, y, bandwidths, -torch.inf), strict=True):
        if e < best_error:
            best = h
    return best


def bandwidth_returns_early(x, y, bandwidths):
    best_error = 1e9
    for h, e in zip(bandwidths, errors_of(x, y, bandwidths, -torch.inf), strict=True):
        if e < best_error:
            best_error, best = e, h
        return best


def bandwidth_drops_ties(x, y, bandwidths):
    errors = []
    for h in bandwidths:
        misses = []
        for i in range(len(x)):
            other = x != x[i]
            w = torch.softmax(-((x[i] - x[other]) ** 2) / (2 * h**2), 0)
            misses.append(y[i] - w @ y[other])
        errors.append(sum(m**2 for m in misses))
    return bandwidths[torch.stack(errors).argmin()]


def bandwidth_with_exp(x, y, bandwidths):
    errors = []
    for h in bandwidths:
        k = torch.exp(-((x[:, None] - x) ** 2) / (2 * h**2)).fill_diagonal_(0)
        errors.append(((k @ y / k.sum(1) - y) ** 2).mean())
    return bandwidths[torch.stack(errors).argmin()]


def bandwidth_plain_h(x, y, bandwidths):
    errors = errors_of(x, y, bandwidths, -torch.inf, lambda d, h: -(d**2) / (2 * h))
    return bandwidths[errors.argmin()]


def bandwidth_as_list(x, y, bandwidths):
    return bandwidths[errors_of(x, y, bandwidths, -torch.inf).argmin()].reshape(1)


def in_reach(queries, keys, bandwidth):
    return (queries.reshape(-1, 1) - keys).abs() <= bandwidth


def box_inverted(queries, keys, values, bandwidth):
    hide = in_reach(queries, keys, bandwidth)
    return attend(torch.zeros(hide.shape), values[:, None], ~hide)[0][:, 0]


def box_strict(queries, keys, values, bandwidth):
    mask = (queries.reshape(-1, 1) - keys).abs() < bandwidth
    return attend(torch.zeros(mask.shape), values[:, None], mask)[0][:, 0]


def box_signed(queries, keys, values, bandwidth):
    mask = (queries.reshape(-1, 1) - keys) / bandwidth <= 1
    return attend(torch.zeros(mask.shape), values[:, None], mask)[0][:, 0]


def box_kernel_as_score(queries, keys, values, bandwidth):
    return attend(in_reach(queries, keys, bandwidth).float(), values[:, None])[0][:, 0]


def box_nan(queries, keys, values, bandwidth):
    k = in_reach(queries, keys, bandwidth).float()
    return (k * values).sum(1) / k.sum(1)


def box_fill(queries, keys, values, bandwidth):
    s = (~in_reach(queries, keys, bandwidth)).float() * -1e9
    return s.softmax(1) @ values


def box_sum(queries, keys, values, bandwidth):
    return torch.stack([values[row].sum() for row in in_reach(queries, keys, bandwidth)])


def box_all_keys(queries, keys, values, bandwidth):
    return (in_reach(queries, keys, bandwidth) * values).mean(1)


def box_no_squeeze(queries, keys, values, bandwidth):
    mask = in_reach(queries, keys, bandwidth)
    return attend(torch.zeros(mask.shape), values[:, None], mask)[0]


def box_with_distance(queries, keys, values, bandwidth):
    d = queries.reshape(-1, 1) - keys
    return attend(-(d**2) / 2, values[:, None], d.abs() <= bandwidth)[0][:, 0]


def box_half(queries, keys, values, bandwidth):
    mask = in_reach(queries, keys, bandwidth / 2)
    return attend(torch.zeros(mask.shape), values[:, None], mask)[0][:, 0]


WRONG = {
    "my_gaussian": [
        (lambda u: math.e ** -(u * u), "the division by 2 is missing"),
        (lambda u: torch.exp((-u) ** 2 / 2), "grows with distance: 7.39"),
        (lambda u: torch.exp(-0.5 * u), "negative distances count as better than none"),
        (lambda u: torch.exp(-0.5 * abs(u)), "it has a sharp peak"),
        (lambda u: torch.exp(-u * u / 2) / (2 * math.pi) ** 0.5, "density of the normal"),
        (lambda u: -u * u / 2, "That is the score"),
        (lambda u: torch.exp(-u / 2 * u / 2), "you halve before you square"),
        (gaussian_by_hand, "You divided by the sum"),
        (gaussian_in_place, "your function writes into its input"),
        (lambda u: math.exp(-(u**2) / 2), "your cell"),
    ],
    "my_boxcar": [
        (boxcar_without_sign, "At u = -2 your boxcar gives 1"),
        (lambda u: (u > -1).to(u) * (u < 1).to(u), "the edge belongs to the box"),
        (lambda u: (abs(u) <= 1) / 2, "uniform density"),
        (boxcar_inside_out, "upside down"),
        (boxcar_right_side_only, "every negative u gets 0"),
        (lambda u: (abs(u) <= 0.5).to(u.dtype), "half as wide"),
        (lambda u: u.abs() <= 1, "must be torch.float32, got torch.bool"),
        (lambda u: (u.abs() <= 1).float(), "the dtype must follow the input"),
        (boxcar_for_lists_of_numbers, "does it rely on the sizes of the example?"),
    ],
    "my_triangular": [
        (triangular_parabola, "the parabola of Epanechnikov"),
        (triangular_signed, "At u = -2 your kernel gives 3"),
        (lambda u: (1 - u).clip(0, 1), "every key to the right of the query counts in full"),
        (lambda u: 1 - (u * u) ** 0.5, "At u = -2 your kernel gives -1"),
        (lambda u: abs(1 - abs(u)), "it rises again"),
        (triangular_two_wide, "twice as wide"),
        (triangular_flipped, "upside down"),
        (lambda u: torch.minimum(1 - abs(u), 0 * u), "clamp keeps the wrong part"),
    ],
    "my_epanechnikov": [
        (epanechnikov_book, "the mix-up of section 6"),
        (epanechnikov_density, "density, of area 1"),
        (lambda u: (1 + u) * (1 - u), "At u = -2 your kernel gives -3"),
        (lambda u: abs(1 - u * u), "it rises again"),
        (epanechnikov_square_outside, "you squared the whole triangle"),
        (epanechnikov_half, "half as wide"),
        (lambda u: relu(1 - u * u) ** 2, "the biweight kernel"),
        (lambda u: relu(1 - u * u) / relu(1 - u * u).sum(), "You divided by the sum"),
    ],
    "my_kernel_regression": [
        (regression_with_exp, "you divide 0 by 0"),
        (regression_wrong_axis, "where the largest value is 40.0"),
        (regression_plain_h, "The bandwidth is not squared"),
        (regression_root, "You take the distance, not its square"),
        (regression_without_minus, "the scores need a minus sign"),
        (regression_precedence, "A larger bandwidth makes your weights sharper"),
        (regression_unnormalized, "The division by the sum is missing"),
        (regression_mean_distance, "the mean over the features"),
        (regression_sum_first, "a plus in one feature cancels"),
        (regression_dot, "Your scores are dot products"),
        (regression_both, "got a tuple of 2"),
    ],
    "my_best_bandwidth": [
        (bandwidth_sees_itself, "Every point still sees itself"),
        (bandwidth_own_score_zero, "0 is the best score there is"),
        (bandwidth_weight_removed_late, "after the softmax had shared out"),
        (bandwidth_index, "is the place of the best candidate"),
        (bandwidth_error, "That is the smallest error"),
        (bandwidth_never_compares, "always give back the last candidate"),
        (bandwidth_returns_early, "always give back the first candidate"),
        (bandwidth_drops_ties, "Where several measurements share one x"),
        (bandwidth_with_exp, "argmin takes nan for the smallest"),
        (bandwidth_plain_h, "The bandwidth is not squared in your scores"),
        (bandwidth_as_list, "wrong shape"),
    ],
    "my_boxcar_attention": [
        (box_inverted, "The mask is inverted"),
        (box_strict, "A key exactly one bandwidth away is missing"),
        (box_signed, "Every key to the right of a query is allowed"),
        (box_kernel_as_score, "exp(0) is 1"),
        (box_nan, "it gets nan, from 0 / 0"),
        (box_fill, "all -1e9, all equal"),
        (box_sum, "You add up the values in reach, 90"),
        (box_all_keys, "divide by the number of all keys"),
        (box_no_squeeze, "One axis too many"),
        (box_with_distance, "your scores hold the distance"),
        (box_half, "Your box is half as wide"),
    ],
}
