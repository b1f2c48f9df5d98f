# answer: my_gaussian | wrong | forgets the factor 1/2 in the exponent | the division by 2 is missing
def my_gaussian(u):
    return torch.exp(-(u**2))


# answer: my_gaussian | wrong | exponent linear in abs(u) instead of squared (a Laplace kernel) | it has a sharp peak
def my_gaussian(u):
    dist = torch.abs(u)
    return torch.exp(-dist / 2)


# answer: my_gaussian | wrong | squares the caller's tensor in place | your function writes into `u`
def my_gaussian(u):
    u.pow_(2)
    u.div_(-2)
    return torch.exp(u)


# answer: my_gaussian | wrong | divides by sqrt(2 pi) as for a density, so it is not 1 at 0 + forgets the factor 1/2 | 2. The factor in front belongs to the density
def my_gaussian(u):
    k = torch.exp(-(u * u))
    k = k / (2 * torch.pi) ** 0.5
    return k


# answer: my_gaussian | wrong | exponent grows for negative u (writes -u*abs(u) instead of -u*u) + forgets the factor 1/2 | keeps the sign of u
def my_gaussian(u):
    return torch.exp(-u * u.abs())


# answer: my_gaussian | wrong | normalises so that the values sum to 1 (a softmax), not a kernel | You divided by the sum
def my_gaussian(u):
    k = torch.exp(-(u**2) / 2)
    return k / k.sum()


# answer: my_gaussian | wrong | sums over the last axis, as for a squared distance, so the shape shrinks | along the last axis
def my_gaussian(u):
    sq = (u**2).sum(dim=-1)
    return torch.exp(-sq / 2)


# answer: my_gaussian | right | power of two: exp2 with the exponent in units of log 2
def my_gaussian(u):
    return torch.exp2(torch.square(u) * (-0.5 / math.log(2)))


# answer: my_boxcar | wrong | strict comparison: the points at plus and minus 1 get 0 | the edge belongs to the box
def my_boxcar(u):
    return (u.abs() < 1).to(u.dtype)


# answer: my_boxcar | wrong | returns booleans instead of the dtype of u | Weights must be numbers
def my_boxcar(u):
    return torch.abs(u) <= 1


# answer: my_boxcar | right | always float32, so a float64 input changes its dtype: that is a remark
def my_boxcar(u):
    return (u.abs() <= 1).float()


# answer: my_boxcar | wrong | strict comparison + forgets the absolute value | 2. Your reach ends on one side only
def my_boxcar(u):
    out = torch.zeros_like(u)
    out[u < 1] = 1
    return out


# answer: my_boxcar | wrong | returns integers + only positive u counted as near | every negative u gets 0
def my_boxcar(u):
    return ((u >= 0) & (u <= 1)).long()


# answer: my_boxcar | wrong | returns the selected elements (boolean indexing), so the shape is lost | drop the others
def my_boxcar(u):
    ones = torch.ones_like(u)
    return ones[u.abs() <= 1]


# answer: my_boxcar | wrong | keeps u where near instead of 1 | you give back u itself
def my_boxcar(u):
    return torch.where(u.abs() <= 1, u, torch.zeros_like(u))


# answer: my_boxcar | right | compares u with its own clamped copy
def my_boxcar(u):
    return torch.eq(u, torch.clamp(u, -1, 1)).type_as(u)


# answer: my_boxcar | right | Python comprehension with a chained comparison
def my_boxcar(u):
    flat = [1.0 if -1 <= x <= 1 else 0.0 for x in u.flatten().tolist()]
    return torch.tensor(flat, dtype=u.dtype, device=u.device).view(u.shape)


# answer: my_triangular | wrong | no cut: negative weights beyond 1 | your kernel gives -1
def my_triangular(u):
    return 1 - u.abs()


# answer: my_triangular | wrong | forgets the absolute value: rises above 1 for negative u | more than at distance 0
def my_triangular(u):
    return torch.clamp(1 - u, min=0)


# answer: my_triangular | wrong | forgets the absolute value + no cut | 2. Beyond one bandwidth
def my_triangular(u):
    return 1 - u


# answer: my_triangular | wrong | mirrored: weight grows with distance inside the triangle | Upside down in reach
def my_triangular(u):
    return torch.where(u.abs() <= 1, u.abs(), torch.zeros_like(u))


# answer: my_triangular | wrong | reaches 0 at abs(u) = 2, not at 1 + no cut | 2. Your kernel is twice as wide
def my_triangular(u):
    slope = 0.5
    return 1 - slope * abs(u)


# answer: my_triangular | wrong | clamps from above instead of from below (max=0), so everything near gets 0 | max is the ceiling
def my_triangular(u):
    k = 1 - u.abs()
    return k.clamp(max=0)


# answer: my_triangular | wrong | a parabola (the Epanechnikov kernel) instead of a straight line | the parabola of Epanechnikov
def my_triangular(u):
    return torch.clamp(1 - u**2, min=0)


# answer: my_triangular | wrong | sets only negative u right and positive u to 0 (one half of the triangle) | every positive u gets 0
def my_triangular(u):
    rising = (u >= -1) & (u <= 0)
    return torch.where(rising, 1 + u, torch.zeros_like(u))


# answer: my_triangular | right | relu of the smaller of the two lines 1+u and 1-u
def my_triangular(u):
    return torch.minimum(1 + u, 1 - u).relu()


# answer: my_triangular | right | F.hardtanh cuts u to [-1, 1] first
def my_triangular(u):
    return 1 - F.hardtanh(u, -1.0, 1.0).abs()


# answer: my_epanechnikov | wrong | factor 3/4 of the density + no cut | 2. Beyond one bandwidth
def my_epanechnikov(u):
    return 3 / 4 * (1 - u * u)


# answer: my_epanechnikov | wrong | squares the whole difference: (1 - abs(u))^2 | only u is squared
def my_epanechnikov(u):
    return torch.clamp(1 - u.abs(), min=0) ** 2


# answer: my_epanechnikov | wrong | squares the whole difference: (1 - u)^2 + no cut | You square the whole difference 1 - u
def my_epanechnikov(u):
    return (1 - u) ** 2


# answer: my_epanechnikov | wrong | cuts on one side only: u <= 1, so far negative u gets negative weight | you cut off on one side only
def my_epanechnikov(u):
    inside = u <= 1
    return torch.where(inside, 1 - u**2, torch.zeros_like(u))


# answer: my_epanechnikov | wrong | reads ^ as a power: crashes on floats | a power is written **
def my_epanechnikov(u):
    return torch.clamp(1 - u ^ 2, min=0)


# answer: my_epanechnikov | wrong | square root: a half circle instead of a parabola | a half circle
def my_epanechnikov(u):
    return torch.sqrt(torch.clamp(1 - u**2, min=0))


# answer: my_epanechnikov | right | product of two relus of lines
def my_epanechnikov(u):
    return torch.relu(1 + u) * torch.relu(1 - u)


# answer: my_epanechnikov | right | plain Python over the flat list, max
def my_epanechnikov(u):
    one = lambda x: max(0.0, (1 - x) * (1 + x)) if abs(x) <= 1 else 0.0
    return torch.tensor(
        list(map(one, u.flatten().tolist())), dtype=u.dtype, device=u.device
    ).reshape(u.shape)


# answer: my_kernel_regression | wrong | forgets the brackets: divides by 2 and multiplies by bandwidth squared | A larger bandwidth makes your weights sharper
def my_kernel_regression(queries, keys, values, bandwidth):
    d2 = ((queries[:, None] - keys[None]) ** 2).sum(-1)
    scores = -d2 / 2 * bandwidth**2
    return F.softmax(scores, dim=1) @ values


# answer: my_kernel_regression | wrong | softmax over the queries instead of the keys | where the largest value is 40.0
def my_kernel_regression(queries, keys, values, bandwidth):
    d2 = ((queries[:, None] - keys[None]) ** 2).sum(-1)
    scores = -d2 / (2 * bandwidth**2)
    return F.softmax(scores, dim=0) @ values


# answer: my_kernel_regression | wrong | Manhattan distance (sum of abs) squared instead of the Euclidean distance | 3 and 4 make 25
def my_kernel_regression(queries, keys, values, bandwidth):
    dist = torch.cdist(queries, keys, p=1)
    return F.softmax(-(dist**2) / (2 * bandwidth**2), dim=1) @ values


# answer: my_kernel_regression | wrong | crashes: subtracts queries and keys without a new axis, shapes do not match | subtracted row by row
def my_kernel_regression(queries, keys, values, bandwidth):
    d2 = ((queries - keys) ** 2).sum(dim=1)
    w = torch.softmax(-d2 / (2 * bandwidth**2), dim=0)
    return w @ values


# answer: my_kernel_regression | wrong | crashes: swapped roles, scores of shape (keys, queries) times values | row i of the weights must come from query i
def my_kernel_regression(queries, keys, values, bandwidth):
    d2 = torch.cdist(keys, queries).square()
    weights = F.softmax(-d2 / (2 * bandwidth**2), dim=-1)
    return weights @ values


# answer: my_kernel_regression | wrong | adds up the differences and then squares + forgets the factor 2 | 2. You add up the differences before you square them
def my_kernel_regression(queries, keys, values, bandwidth):
    diff = queries[:, None] - keys[None]
    d2 = diff.sum(-1) ** 2
    return F.softmax(-d2 / bandwidth**2, dim=1) @ values


# answer: my_kernel_regression | wrong | distance not squared + softmax over the queries | 2. You take the distance
def my_kernel_regression(queries, keys, values, bandwidth):
    scores = -torch.cdist(queries, keys) / (2 * bandwidth**2)
    w = scores.softmax(dim=0)
    return w @ values


# answer: my_kernel_regression | wrong | returns the weights, forgets the values | These are the weights
def my_kernel_regression(queries, keys, values, bandwidth):
    scores = -(torch.cdist(queries, keys) ** 2) / (2 * bandwidth**2)
    weights = F.softmax(scores, dim=1)
    return weights


# answer: my_kernel_regression | wrong | squeezes away the last axis when the values have one column | Axes of size 1 have disappeared
def my_kernel_regression(queries, keys, values, bandwidth):
    d2 = ((queries[:, None] - keys[None]) ** 2).sum(-1)
    w = F.softmax(-d2 / (2 * bandwidth**2), dim=1)
    return (w @ values).squeeze()


# answer: my_kernel_regression | right | cdist without the matmul shortcut, softmin
def my_kernel_regression(queries, keys, values, bandwidth):
    dist = torch.cdist(queries, keys, compute_mode="donot_use_mm_for_euclid_dist")
    return torch.mm(F.softmin(dist.div(bandwidth).square().div(2), dim=-1), values)


# answer: my_best_bandwidth | wrong | forgets to leave the point out: each point predicts itself, the smallest bandwidth always wins | The narrowest candidate always wins
def my_best_bandwidth(x, y, bandwidths):
    errors = []
    for h in bandwidths:
        scores = -((x[:, None] - x[None, :]) ** 2) / (2 * h**2)
        pred = F.softmax(scores, dim=1) @ y
        errors.append(((pred - y) ** 2).mean())
    return bandwidths[torch.stack(errors).argmin()]


# answer: my_best_bandwidth | wrong | nan turned into prediction 0 by nan_to_num, so a tiny candidate can win | and the prediction 0
def my_best_bandwidth(x, y, bandwidths):
    errors = []
    for h in bandwidths:
        w = torch.exp(-((x[:, None] - x[None, :]) ** 2) / (2 * h**2))
        w.fill_diagonal_(0)
        pred = torch.nan_to_num((w @ y) / w.sum(1), nan=0.0)
        errors.append(torch.mean((pred - y) ** 2))
    return bandwidths[torch.stack(errors).argmin()]


# answer: my_best_bandwidth | wrong | masks with a fixed -1e4: with a tiny candidate the point itself has the best score again | Minus infinity is below all scores
def my_best_bandwidth(x, y, bandwidths):
    mask = torch.eye(len(x), dtype=torch.bool)
    errs = []
    for h in bandwidths:
        s = -(x[:, None] - x[None, :]).pow(2) / (2 * h * h)
        s = s.masked_fill(mask, -1e4)
        errs.append(((s.softmax(-1) @ y - y) ** 2).mean())
    return bandwidths[torch.argmin(torch.stack(errs))]


# answer: my_best_bandwidth | wrong | bandwidth not squared + returns the index | 2. The bandwidth is not squared
def my_best_bandwidth(x, y, bandwidths):
    errs = []
    for h in bandwidths:
        s = -((x[:, None] - x) ** 2) / (2 * h)
        s.fill_diagonal_(-math.inf)
        errs.append(((s.softmax(1) @ y - y) ** 2).mean().item())
    return torch.tensor(errs.index(min(errs)))


# answer: my_best_bandwidth | wrong | forgets to leave the point out + takes the largest error | The largest candidate always wins
def my_best_bandwidth(x, y, bandwidths):
    errs = torch.zeros(len(bandwidths))
    for i, h in enumerate(bandwidths):
        a = F.softmax(-((x[:, None] - x) ** 2) / (2 * h**2), dim=1)
        errs[i] = ((a @ y - y) ** 2).mean()
    return bandwidths[errs.argmax()]


# answer: my_best_bandwidth | wrong | returns shape (1,) instead of () | an axis too many
def my_best_bandwidth(x, y, bandwidths):
    errs = []
    for h in bandwidths:
        s = -((x[:, None] - x) ** 2) / (2 * h**2)
        s.fill_diagonal_(-math.inf)
        errs.append(((s.softmax(1) @ y - y) ** 2).mean())
    best = torch.stack(errs).argmin()
    return bandwidths[best : best + 1]


# answer: my_best_bandwidth | wrong | leaves out only the last point (a single hold-out) instead of each in turn | Only the last point is predicted
def my_best_bandwidth(x, y, bandwidths):
    xq, yq = x[-1:], y[-1:]
    xk, yk = x[:-1], y[:-1]
    errs = []
    for h in bandwidths:
        a = torch.softmax(-((xq[:, None] - xk) ** 2) / (2 * h**2), dim=1)
        errs.append(((a @ yk - yq) ** 2).mean())
    return bandwidths[torch.stack(errs).argmin()]


# answer: my_best_bandwidth | right | broadcast over candidates, einsum, eye mask
def my_best_bandwidth(x, y, bandwidths):
    x64, y64, h = x.double(), y.double(), bandwidths.double()
    scores = -0.5 * torch.einsum("ij,b->bij", (x64[:, None] - x64).square(), h.pow(-2))
    scores = scores.masked_fill(torch.eye(len(x), dtype=torch.bool), -torch.inf)
    pred = torch.einsum("bij,j->bi", scores.softmax(-1), y64)
    return bandwidths.take(F.mse_loss(pred, y64.expand_as(pred), reduction="none").mean(1).argmin())


# answer: my_boxcar_attention | wrong | the kernel itself as score (1 inside, 0 outside) and no mask: far keys get weight too | exp(0) is 1
def my_boxcar_attention(queries, keys, values, bandwidth):
    scores = ((queries[:, None] - keys[None, :]).abs() <= bandwidth).to(values.dtype)
    weights = F.softmax(scores, dim=1)
    return weights @ values


# answer: my_boxcar_attention | wrong | output kept as a column (n, 1) instead of (n,) | One axis too many
def my_boxcar_attention(queries, keys, values, bandwidth):
    diff = queries[:, None] - keys[None, :]
    mask = diff.abs() <= bandwidth
    out = attend(torch.zeros_like(diff), values[:, None], mask)
    return out if torch.is_tensor(out) else out[0]


# answer: my_boxcar_attention | wrong | sum of the values in reach instead of their mean | You add up the values in reach, 90
def my_boxcar_attention(queries, keys, values, bandwidth):
    mask = (queries[:, None] - keys[None, :]).abs() <= bandwidth
    return mask.to(values.dtype) @ values


# answer: my_boxcar_attention | wrong | divides by the number of all keys instead of the keys in reach | divide by the number of all keys
def my_boxcar_attention(queries, keys, values, bandwidth):
    mask = (queries[:, None] - keys[None, :]).abs() <= bandwidth
    total = (mask * values).sum(dim=1)
    return total / len(keys)


# answer: my_boxcar_attention | wrong | crashes: swapped roles, scores and mask of shape (keys, queries) | Queries and keys are exchanged
def my_boxcar_attention(queries, keys, values, bandwidth):
    diff = keys[:, None] - queries[None, :]
    mask = diff.abs() <= bandwidth
    out = attend(torch.zeros_like(diff), values[:, None], mask)
    out = out if torch.is_tensor(out) else out[0]
    return out[:, 0]


# answer: my_boxcar_attention | wrong | squared distance compared with bandwidth that is not squared + inverted mask | 2. You compare the squared distance
def my_boxcar_attention(queries, keys, values, bandwidth):
    d2 = (queries[:, None] - keys[None, :]) ** 2
    mask = ~(d2 <= bandwidth)
    out = attend(torch.zeros_like(d2), values[:, None], mask)
    out = out if torch.is_tensor(out) else out[0]
    return out[:, 0]


# answer: my_boxcar_attention | wrong | the nearest key only (one value instead of the mean of those in reach) | value of its nearest key alone
def my_boxcar_attention(queries, keys, values, bandwidth):
    dist = (queries[:, None] - keys[None, :]).abs()
    return values[dist.argmin(dim=1)]


# answer: my_boxcar_attention | right | cdist, le, scores from zeros_like
def my_boxcar_attention(queries, keys, values, bandwidth):
    dist = torch.cdist(queries.unsqueeze(-1), keys.unsqueeze(-1), p=1)
    out = attend(torch.zeros_like(dist), values.unsqueeze(-1), dist.le(bandwidth))
    out = out if torch.is_tensor(out) else out[0]
    return out.select(-1, 0)


# answer: my_gaussian | right | in place on its own copy
def my_gaussian(u):
    k = u.clone()
    k.mul_(u)
    k.neg_().div_(2)
    return k.exp_()


# answer: my_kernel_regression | right | einsum and logsumexp
def my_kernel_regression(queries, keys, values, bandwidth):
    diff = (queries.unsqueeze(1) - keys) / bandwidth
    scores = torch.einsum("qkd,qkd->qk", diff, diff).mul(-0.5)
    log_weights = scores - torch.logsumexp(scores, dim=1, keepdim=True)
    return torch.einsum("qk,kv->qv", log_weights.exp(), values)


# answer: my_best_bandwidth | right | numpy, all candidates at once, returns a numpy number
import numpy as np


def my_best_bandwidth(x, y, bandwidths):
    a, b = x.detach().numpy().astype(np.float64), y.detach().numpy().astype(np.float64)
    hs = bandwidths.detach().numpy()
    d2 = np.subtract.outer(a, a) ** 2
    np.fill_diagonal(d2, np.inf)
    d2 -= d2.min(axis=1, keepdims=True)
    w = np.exp(-d2[None] / (2 * hs.astype(np.float64)[:, None, None] ** 2))
    pred = (w @ b) / w.sum(-1)
    return hs[((pred - b) ** 2).mean(-1).argmin()]


# answer: my_boxcar_attention | right | float64 inside, scores written as a product with 0
def my_boxcar_attention(queries, keys, values, bandwidth):
    gap = queries.sub(keys.unsqueeze(1)).t().abs()  # (n, m)
    inside = gap <= bandwidth
    out = attend(gap.double() * 0, values.double()[:, None], inside)
    out = out if torch.is_tensor(out) else out[0]
    return out[..., 0].to(values.dtype)


# answer: my_kernel_regression | wrong | uses only the first coordinate + forgets the minus sign + bandwidth not squared | Only the first feature counts
def my_kernel_regression(queries, keys, values, bandwidth):
    q = queries[:, 0].reshape(-1, 1)
    k = keys[:, 0].reshape(1, -1)
    scores = (q - k) ** 2 / (2 * bandwidth)
    return scores.softmax(dim=1) @ values


# answer: my_kernel_regression | wrong | expanded square with the key term dropped as well | The keys' squared norm is missing
def my_kernel_regression(queries, keys, values, bandwidth):
    # the terms |q|^2 and |k|^2 cancel in the softmax
    scores = torch.einsum("nd,md->nm", queries, keys) / bandwidth**2
    return torch.einsum("nm,mv->nv", scores.softmax(-1), values)


# answer: my_best_bandwidth | wrong | x and y exchanged: predicts x from y | you predict x from y
def my_best_bandwidth(x, y, bandwidths):
    n = len(y)
    off = ~torch.eye(n, dtype=torch.bool)
    keys = y.expand(n, n)[off].reshape(n, n - 1)
    vals = x.expand(n, n)[off].reshape(n, n - 1)
    err = [
        ((torch.softmax(-(((y[:, None] - keys) / h) ** 2) / 2, dim=1) * vals).sum(1) - x)
        .square()
        .mean()
        for h in bandwidths
    ]
    return bandwidths[torch.stack(err).argmin()]


# answer: my_best_bandwidth | wrong | best error starts at 0, so no candidate ever beats it | does the best error begin at 0
def my_best_bandwidth(x, y, bandwidths):
    best_h = bandwidths[0]
    best_error = 0
    for h in bandwidths:
        error = 0
        for i in range(len(x)):
            others = [j for j in range(len(x)) if j != i]
            s = -((x[i] - x[others]) ** 2) / (2 * h**2)
            p = (torch.softmax(s, dim=0) * y[others]).sum()
            error = error + (p - y[i]) ** 2 / len(x)
        if error < best_error:
            best_error = error
            best_h = h
    return best_h


# answer: my_best_bandwidth | wrong | candidates with nan are thrown out instead of letting the nearest point decide | Right until a very small candidate is the best
def my_best_bandwidth(x, y, bandwidths):
    u = (x[None, :, None] - x[None, None, :]) / bandwidths[:, None, None]
    k = torch.exp(-(u**2) / 2) * ~torch.eye(len(x), dtype=torch.bool)
    pred = (k @ y) / k.sum(-1)
    errors = (pred - y).square().mean(-1)
    errors = torch.nan_to_num(errors, nan=float("inf"))
    return bandwidths[errors.argmin()]


# answer: my_best_bandwidth | wrong | own score set to -100 only, with a small bandwidth the own point still wins | does not hide a point
def my_best_bandwidth(x, y, bandwidths):
    errors = []
    for h in bandwidths:
        scores = -((x.unsqueeze(1) - x.unsqueeze(0)) ** 2) / (2 * h**2)
        scores.fill_diagonal_(-100.0)
        errors.append((scores.softmax(dim=1) @ y - y).square().mean())
    return bandwidths[torch.argmin(torch.stack(errors))]


# answer: my_best_bandwidth | wrong | two mistakes: score -d/h without the square, and the absolute error | 2. Your scores are the distance divided by the bandwidth
def my_best_bandwidth(x, y, bandwidths):
    out = []
    for h in bandwidths:
        s = -(x[:, None] - x).abs() / h
        s.fill_diagonal_(-torch.inf)
        out.append((s.softmax(1) @ y - y).abs().mean())
    return bandwidths[torch.stack(out).argmin()]


# answer: my_boxcar_attention | wrong | softmax over -inf: nan for a query with no key in reach | it gets nan, as 0 / 0
def my_boxcar_attention(queries, keys, values, bandwidth):
    d = (queries.unsqueeze(1) - keys).abs()
    scores = torch.zeros_like(d).masked_fill(d > bandwidth, float("-inf"))
    return torch.softmax(scores, dim=1) @ values


# answer: my_epanechnikov | wrong | cut at 2 wide | At u = -1 your kernel gives 0.75 and should give 0
def my_epanechnikov(u):
    return (1 - (u / 2) ** 2) * (u.abs() <= 1)


# answer: my_epanechnikov | right | half precision comes back as float32
def my_epanechnikov(u):
    return (1 - u**2) * (u.abs() <= 1).float()


# answer: my_kernel_regression | wrong | weights of keys among keys | You compare keys with keys
def my_kernel_regression(queries, keys, values, bandwidth):
    d = torch.cdist(keys, keys) ** 2
    return (-d / (2 * bandwidth**2)).softmax(1) @ values


# answer: my_kernel_regression | wrong | normalised by max | The weights of query 0 must be 0.549, 0.427, 0.024
def my_kernel_regression(queries, keys, values, bandwidth):
    k = torch.exp(-(torch.cdist(queries, keys) ** 2) / (2 * bandwidth**2))
    k = k / k.max(1, keepdim=True).values
    return k @ values


# answer: my_best_bandwidth | wrong | median error | You chose by the median
def my_best_bandwidth(x, y, bandwidths):
    s = -((x[:, None] - x) ** 2) / (2 * bandwidths.view(-1, 1, 1) ** 2)
    s = s.masked_fill(torch.eye(len(x)).bool(), -torch.inf)
    e = ((s.softmax(-1) @ y - y) ** 2).median(-1).values
    return bandwidths[e.argmin()]


# answer: my_best_bandwidth | wrong | mean of the candidates weighted | is none of the candidates
def my_best_bandwidth(x, y, bandwidths):
    return bandwidths.mean()


# answer: my_boxcar_attention | wrong | one nearest left and right | Query 2.5 has the values 12, 48, 18 in reach
def my_boxcar_attention(queries, keys, values, bandwidth):
    d = (queries[:, None] - keys).abs()
    mask = d <= bandwidth
    mask[:, 0] = True
    return attend(torch.zeros_like(d), values[:, None], mask)[0][:, 0]


# answer: my_gaussian | wrong | parenthesis closed too early: halves the exponential instead of the exponent | You halve the exponential, not the exponent
def my_gaussian(u):
    return torch.exp(-(u**2)) / 2


# answer: my_kernel_regression | wrong | far scores are clamped to -50 against nan: a far query gets the plain mean | gets the mean of all values
def my_kernel_regression(queries, keys, values, bandwidth):
    squared = (queries[:, None, :] - keys[None, :, :]).pow(2).sum(-1)
    scores = (-squared / (2 * bandwidth**2)).clamp(min=-50)
    w = scores.exp()
    return w @ values / w.sum(1, keepdim=True)


# answer: my_kernel_regression | wrong | dot products divided by h squared; the length of the keys is left out | long keys get too much weight
def my_kernel_regression(queries, keys, values, bandwidth):
    # the |q|^2 cancels in the softmax, so only q.k is needed
    return torch.softmax(queries @ keys.T / bandwidth**2, dim=-1) @ values


# answer: my_best_bandwidth | wrong | hides the left-out reading by giving it the value 0, but it keeps its weight | took each point's own part away
def my_best_bandwidth(x, y, bandwidths):
    results = []
    for h in bandwidths:
        errs = []
        for i in range(len(x)):
            y_rest = y.clone()
            y_rest[i] = 0
            w = torch.softmax(-((x[i] - x) ** 2) / (2 * h**2), dim=0)
            errs.append((w @ y_rest - y[i]) ** 2)
        results.append(torch.stack(errs).mean())
    return bandwidths[torch.argmin(torch.stack(results))]


# answer: my_boxcar | wrong | one half at u = 1 and u = -1 instead of 1 | your boxcar gives 0.5
def my_boxcar(u):
    middle = torch.full_like(u, 0.5)
    return torch.heaviside(1 - u.abs(), middle)


# answer: my_triangular | wrong | keeps 1e-4 beyond the reach, to avoid dividing by zero later | where it must give 0
def my_triangular(u):
    return torch.clamp(1 - torch.abs(u), min=1e-4)


# answer: my_kernel_regression | wrong | underflow falls back on one nearest key, ignoring equally near keys | may be just as near
def my_kernel_regression(queries, keys, values, bandwidth):
    d2 = (queries.unsqueeze(1) - keys).square().sum(-1)
    k = torch.exp(-d2 / (2 * bandwidth**2))
    total = k.sum(dim=1, keepdim=True)
    nearest = values[d2.argmin(dim=1)]
    safe = torch.where(total > 0, total, torch.ones_like(total))
    return torch.where(total > 0, (k @ values) / safe, nearest)


# answer: my_best_bandwidth | wrong | own point hidden by -1e9, which a tiny bandwidth undercuts | A number in place of the own score
def my_best_bandwidth(x, y, bandwidths):
    d2 = (x.unsqueeze(1) - x) ** 2
    errors = []
    for h in bandwidths:
        scores = -d2 / (2 * h**2)
        scores.fill_diagonal_(-1e9)
        errors.append((scores.softmax(dim=1) @ y - y).square().mean())
    return bandwidths[torch.stack(errors).argmin()]


# answer: my_best_bandwidth | wrong | search starts from an error of 100, larger errors never win | Begin with infinity
def my_best_bandwidth(x, y, bandwidths):
    hidden = torch.eye(len(x), dtype=torch.bool)
    best, best_error = bandwidths[0], 100.0
    for h in bandwidths:
        scores = -((x.unsqueeze(1) - x) ** 2) / (2 * h**2)
        weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=1)
        error = ((weights @ y - y) ** 2).mean()
        if error < best_error:
            best, best_error = h, error
    return best


# answer: my_best_bandwidth | wrong | loop ends one early, the last point is never predicted | The last point
def my_best_bandwidth(x, y, bandwidths):
    errors = torch.zeros(len(bandwidths), dtype=y.dtype)
    for b, h in enumerate(bandwidths):
        for i in range(len(x) - 1):
            others_x = torch.cat([x[:i], x[i + 1 :]])
            others_y = torch.cat([y[:i], y[i + 1 :]])
            weights = torch.softmax(-((x[i] - others_x) ** 2) / (2 * h**2), dim=0)
            errors[b] += (weights @ others_y - y[i]) ** 2
    return bandwidths[errors.argmin()]


# answer: my_best_bandwidth | wrong | the smallest mean of prediction minus value | with their sign
def my_best_bandwidth(x, y, bandwidths):
    hidden = torch.eye(len(x), dtype=torch.bool)
    scores = -((x.unsqueeze(1) - x) ** 2) / (2 * bandwidths.view(-1, 1, 1) ** 2)
    weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
    return bandwidths[(weights @ y - y).mean(dim=-1).argmin()]


# answer: my_best_bandwidth | wrong | the candidate before the best | just before the best
def my_best_bandwidth(x, y, bandwidths):
    hidden = torch.eye(len(x), dtype=torch.bool)
    scores = -((x.unsqueeze(1) - x) ** 2) / (2 * bandwidths.view(-1, 1, 1) ** 2)
    weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
    return bandwidths[(weights @ y - y).square().mean(dim=-1).argmin() - 1]


# answer: my_gaussian | wrong | divides with // | cuts off all decimals
def my_gaussian(u):
    return torch.exp(-(u**2) // 2)


# answer: my_gaussian | wrong | rounds to three decimals | so many decimals: 3
def my_gaussian(u):
    return torch.exp(-(u**2) / 2).round(decimals=3)


# answer: my_gaussian | wrong | ends at three bandwidths | right in the case below. Beyond
def my_gaussian(u):
    k = torch.exp(-u.square() / 2)
    return torch.where(u.abs() <= 3, k, torch.zeros_like(k))


# answer: my_kernel_regression | wrong | where the sum is 0, the mean of the equally nearest keys | just as near, or almost
def my_kernel_regression(queries, keys, values, bandwidth):
    d = ((queries[:, None] - keys) ** 2).sum(-1)
    k = torch.exp(-d / (2 * bandwidth**2))
    near = (d == d.min(1, keepdim=True).values).to(values.dtype)
    k = torch.where(k.sum(1, keepdim=True) > 0, k, near)
    return k @ values / k.sum(1, keepdim=True)


# answer: my_best_bandwidth | wrong | residual over 1 - own weight, 0/0 counted as 0 | 1 minus the point's own weight
def my_best_bandwidth(x, y, bandwidths):
    errs = []
    for h in bandwidths:
        w = (-((x[:, None] - x) ** 2) / (2 * h * h)).softmax(1)
        r = (y - w @ y) / (1 - w.diagonal())
        errs.append(r.square().nan_to_num(0).mean())
    return bandwidths[torch.stack(errs).argmin()]


# answer: my_boxcar_attention | wrong | a value of 0 in reach is not counted | has the values 3, 0 in reach
def my_boxcar_attention(queries, keys, values, bandwidth):
    m = (queries[:, None] - keys).abs() <= bandwidth
    p = m * values
    return p.sum(1) / (p != 0).sum(1).clamp(min=1)


# answer: my_boxcar_attention | wrong | keys at one place count once | has the values 12, 48, 18 in reach
def my_boxcar_attention(queries, keys, values, bandwidth):
    first = torch.tensor([not (keys[:j] == keys[j]).any() for j in range(len(keys))])
    m = ((queries[:, None] - keys).abs() <= bandwidth) & first
    return attend(torch.zeros(m.shape, dtype=values.dtype), values[:, None], m)[0][:, 0]


# answer: my_triangular | right, no remark | clamp, whatever its gradient at the kink
def my_triangular(u):
    return (1 - u.abs()).clamp(min=0)


# answer: my_triangular | right, no remark | maximum, whatever its gradient at the kink
def my_triangular(u):
    return torch.maximum(1 - u.abs(), torch.zeros_like(u))


# answer: my_triangular | right, no remark | where, whatever its gradient at the kink
def my_triangular(u):
    return torch.where(u.abs() <= 1, 1 - torch.maximum(u, -u), torch.zeros_like(u))


# answer: my_epanechnikov | right, no remark | maximum, whatever its gradient at the kink
def my_epanechnikov(u):
    return torch.maximum(1 - u * u, torch.zeros_like(u))


# answer: my_epanechnikov | right, no remark | clamp, whatever its gradient at the kink
def my_epanechnikov(u):
    return (1 - u**2).clamp(min=0)


# answer: my_best_bandwidth | wrong | every point at the same x hidden by -1e9 | You hide every point at distance 0
def my_best_bandwidth(x, y, bandwidths):
    gaps = x.unsqueeze(1) - x
    errors = []
    for h in bandwidths:
        scores = (-(gaps**2) / (2 * h**2)).masked_fill(gaps == 0, -1e9)
        errors.append((scores.softmax(dim=1) @ y - y).square().mean())
    return bandwidths[torch.stack(errors).argmin()]


# answer: my_kernel_regression | wrong | also divided by sqrt d | You divide by the root of the number of features as well
def my_kernel_regression(queries, keys, values, bandwidth):
    d2 = ((queries.unsqueeze(1) - keys) ** 2).sum(-1)
    scores = -d2 / (2 * bandwidth**2) / math.sqrt(keys.shape[1])
    return scores.softmax(1) @ values


# answer: my_gaussian | wrong | divides by sqrt(2 pi), as the normal density does, so the kernel is 0.40 and not 1 at u = 0 | that is the density of the normal distribution
def my_gaussian(u):
    density = torch.exp(-u.square() / 2)
    return density / math.sqrt(2 * math.pi)


# answer: my_boxcar | wrong | the sign of 1 - abs(u) is 0 where abs(u) is 1, so the boxcar is 0 instead of 1 exactly on the border | At u = -1 your boxcar gives 0. A key exactly one bandwidth
def my_boxcar(u):
    room = 1 - u.abs()
    return torch.sign(room).clamp(min=0)


# answer: my_triangular | wrong | the second line forgets the absolute value, so negative u get 1 - u, which is above 1 | You use u itself in reach, so every u from -1 to 0 gets
def my_triangular(u):
    inside = u.abs() <= 1
    line = 1 - u
    return torch.where(inside, line, torch.zeros_like(u))


# answer: my_epanechnikov | wrong | cuts the parabola off at u > 1 only, so below -1 it goes on into negative numbers | Right for u down to -1, negative beyond: you cut off on one
def my_epanechnikov(u):
    parabola = 1 - u**2
    return parabola * (u <= 1).to(u.dtype)


# answer: my_kernel_regression | wrong | subtracts the largest score of the whole table instead of the largest of each row, so a far query beside a near one still gives 0/0 = nan | Right near the keys, nan far from them: there every
def my_kernel_regression(queries, keys, values, bandwidth):
    differences = queries.unsqueeze(1) - keys.unsqueeze(0)
    scores = -(differences**2).sum(-1) / (2 * bandwidth**2)
    nearness = torch.exp(scores - scores.max())
    weights = nearness / nearness.sum(dim=1, keepdim=True)
    return weights @ values


# answer: my_kernel_regression | wrong | the distance from cdist is not squared before it goes into the score | You take the distance, not its square: far keys keep too
def my_kernel_regression(queries, keys, values, bandwidth):
    distance = torch.cdist(queries, keys)
    scores = -distance / (2 * bandwidth**2)
    return torch.softmax(scores, dim=1) @ values


# answer: my_best_bandwidth | wrong | hides every pair at distance 0 instead of the diagonal, so other points at the same x are left out too | You hide every point at distance 0. Where several
def my_best_bandwidth(x, y, bandwidths):
    squared = (x.unsqueeze(1) - x.unsqueeze(0)) ** 2
    itself = squared == 0
    errors = []
    for h in bandwidths:
        scores = (-squared / (2 * h**2)).masked_fill(itself, -torch.inf)
        predicted = torch.softmax(scores, dim=1) @ y
        errors.append(((predicted - y) ** 2).mean())
    return bandwidths[torch.stack(errors).argmin()]


# answer: my_best_bandwidth | wrong | squares the mean of the misses instead of taking the mean of the squared misses, so misses above and below cancel | You average the misses with their sign, so that those above
def my_best_bandwidth(x, y, bandwidths):
    n = len(x)
    errors = []
    for h in bandwidths:
        misses = []
        for i in range(n):
            others = torch.arange(n) != i
            scores = -((x[i] - x[others]) ** 2) / (2 * h**2)
            misses.append(torch.softmax(scores, dim=0) @ y[others] - y[i])
        errors.append(torch.stack(misses).mean() ** 2)
    return bandwidths[torch.stack(errors).argmin()]


# answer: my_best_bandwidth | wrong | removes the point after the softmax and divides anew, so for a tiny bandwidth nothing is left of the row and 0/0 gives nan | Right until a candidate is very small: then the
def my_best_bandwidth(x, y, bandwidths):
    squared = (x[:, None] - x[None, :]) ** 2
    h = bandwidths.view(-1, 1, 1)
    weights = torch.softmax(-squared / (2 * h**2), dim=-1)
    weights = weights * (1 - torch.eye(len(x), dtype=x.dtype))
    weights = weights / weights.sum(-1, keepdim=True)
    errors = (weights @ y - y).square().mean(-1)
    return bandwidths[errors.argmin()]


# answer: my_boxcar_attention | wrong | keeps the Gaussian scores under the mask, where all keys in reach should have one and the same score | The mask is right, but in reach the near keys count more
def my_boxcar_attention(queries, keys, values, bandwidth):
    u = (queries.unsqueeze(1) - keys) / bandwidth
    output, _ = attend(-(u**2) / 2, values.unsqueeze(1), u.abs() <= 1)
    return output.squeeze(1)


# answer: my_triangular | right, no remark | three ReLUs instead of an absolute value
def my_triangular(u):
    relu = torch.relu
    return relu(1 - relu(u) - relu(-u))


# answer: my_kernel_regression | right, no remark | one key after the other with a running maximum, as fused attention does; the table of weights is never built
def my_kernel_regression(queries, keys, values, bandwidth):
    n = queries.shape[0]
    top = torch.full((n, 1), -torch.inf, dtype=queries.dtype)
    total = torch.zeros(n, 1, dtype=queries.dtype)
    summed = torch.zeros(n, values.shape[1], dtype=values.dtype)
    for key, value in zip(keys, values):
        score = -(queries - key).pow(2).sum(1, keepdim=True) / (2 * bandwidth**2)
        new_top = torch.maximum(top, score)
        shrink, gain = torch.exp(top - new_top), torch.exp(score - new_top)
        total = total * shrink + gain
        summed = summed * shrink + gain * value
        top = new_top
    return summed / total


# answer: my_best_bandwidth | right, no remark | drops the diagonal by reading the flat matrix with longer lines, all candidates at once, in 64 bits
def my_best_bandwidth(x, y, bandwidths):
    n = len(x)
    x64, y64, h = x.double(), y.double(), bandwidths.double()

    def without_diagonal(square):
        return square.flatten()[1:].view(n - 1, n + 1)[:, :-1].reshape(n, n - 1)

    gaps = without_diagonal((x64[:, None] - x64[None, :]).abs())
    others = without_diagonal(y64.expand(n, n).contiguous())
    scores = -((gaps / h[:, None, None]) ** 2) / 2
    weights = torch.softmax(scores, dim=-1)
    errors = torch.einsum("bij,ij->bi", weights, others).sub(y64).pow(2).mean(1)
    return torch.gather(bandwidths, 0, errors.argmin().view(1)).squeeze(0)


# answer: my_triangular | wrong | plus in place of minus | You add the size of u to 1, so your kernel grows with the
def my_triangular(u):
    return (1 + u.abs()).clamp(min=0)


# answer: my_epanechnikov | wrong | the difference the other way round | The two are exchanged in your difference, so that your
def my_epanechnikov(u):
    return (u**2 - 1).clamp(min=0)


# answer: my_best_bandwidth | wrong | prediction and value added | You add prediction and value. A miss is their difference
def my_best_bandwidth(x, y, bandwidths):
    best, found = torch.inf, None
    for h in bandwidths:
        scores = -((x[:, None] - x) ** 2) / (2 * h**2)
        scores = scores.masked_fill(torch.eye(len(x), dtype=torch.bool), -torch.inf)
        error = ((scores.softmax(1) @ y + y) ** 2).mean()
        if error < best:
            best, found = error, h
    return found


# answer: my_triangular | wrong | The distance has no absolute value: the curve fades only to the right, and every negative u gets 1. | At u = -2 your kernel gives 1: every key to the right of
def my_triangular(u):
    return (1 - u).clamp(min=0, max=1)


# answer: my_epanechnikov | wrong | It squares the triangle, in place of subtracting the square from 1. | Your kernel is the square of 1 - |u|, the triangle
def my_epanechnikov(u):
    return (1 - u.abs()).clamp(min=0) ** 2


# answer: my_kernel_regression | wrong | It subtracts the largest score of the whole table and not of each query's row, so a far query still gets 0 / 0. | Right near the keys, nan far from them: there every
def my_kernel_regression(queries, keys, values, bandwidth):
    squared = (queries[:, None] - keys[None]).square().sum(-1)
    scores = -squared / (2 * bandwidth**2)
    nearness = torch.exp(scores - scores.max())
    weights = nearness / nearness.sum(1, keepdim=True)
    return weights @ values


# answer: my_best_bandwidth | wrong | It leaves out all points at the same x and not only the point itself. | You hide every point at distance 0. Where several
def my_best_bandwidth(x, y, bandwidths):
    x, y = x.double(), y.double()
    gaps = x[:, None] - x
    others = gaps != 0
    errors = []
    for h in bandwidths.double():
        scores = -((gaps / h) ** 2) / 2
        scores = scores.masked_fill(~others, -math.inf)
        predictions = scores.softmax(-1) @ y
        errors.append((predictions - y).square().mean())
    return bandwidths[torch.stack(errors).argmin()]


# answer: my_boxcar_attention | wrong | The distance has no absolute value, so every key to the right of the query is in reach, however far it is. | Every key to the right of a query is allowed, however
def my_boxcar_attention(queries, keys, values, bandwidth):
    reach = queries.unsqueeze(1) - keys <= bandwidth
    scores = torch.zeros(reach.shape, dtype=values.dtype)
    return attend(scores, values.unsqueeze(1), reach)[0].squeeze(1)


# answer: my_gaussian | right | the exponential is written as the odds of a sigmoid, s / (1 - s)
def my_gaussian(u):
    s = torch.sigmoid(-u * u / 2)
    return s / (1 - s)


# answer: my_best_bandwidth | right | takes each point out of the lists with a Python loop, in 64 bits, and shifts the squared distances by the nearest one before the exponential
def my_best_bandwidth(x, y, bandwidths):
    X, Y = x.double().tolist(), y.double().tolist()
    best, least = None, math.inf
    for number, h in enumerate(bandwidths.double().tolist()):
        total = 0.0
        for i in range(len(X)):
            rest = [(abs(X[i] - X[j]), Y[j]) for j in range(len(X)) if j != i]
            nearest = min(d for d, _ in rest)
            nears = [math.exp(-((d - nearest) / h * ((d + nearest) / h)) / 2) for d, _ in rest]
            guess = sum(n * v for n, (_, v) in zip(nears, rest)) / sum(nears)
            total += (guess - Y[i]) ** 2
        if total < least:
            best, least = number, total
    return bandwidths[best]


# answer: my_epanechnikov | wrong | the third power | You take the third power of the size of u. The parabola
def my_epanechnikov(u):
    return (1 - u.abs() ** 3).clamp(min=0)

# answer: my_triangular | wrong | half the distance, cut at 1 | You halve the distance in reach
def my_triangular(u):
    return (1 - u.abs() / 2) * (u.abs() <= 1)

# answer: my_best_bandwidth | wrong | half of the points predict the others | Half of the points predict the other half
def my_best_bandwidth(x, y, bandwidths):
    n = len(x) // 2
    squared = (x[n:].unsqueeze(1) - x[:n]).square()
    errors = []
    for h in bandwidths:
        scores = -squared / (2 * h**2)
        errors.append((y[n:] - torch.softmax(scores, dim=1) @ y[:n]).square().mean())
    return bandwidths[torch.stack(errors).argmin()]

# answer: my_best_bandwidth | wrong | the median of squared misses | You chose by the median
def my_best_bandwidth(x, y, bandwidths):
    own = torch.eye(len(x), dtype=torch.bool)
    squared = (x.unsqueeze(1) - x).square()
    errors = []
    for h in bandwidths:
        scores = (-squared / (2 * h**2)).masked_fill(own, float("-inf"))
        errors.append((y - torch.softmax(scores, dim=1) @ y).square().median())
    return bandwidths[torch.stack(errors).argmin()]
