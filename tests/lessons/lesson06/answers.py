# answer: my_add_positions | wrong | keeps the bug: one row per sentence | Every token of a sentence gets the same vector
def my_add_positions(X, P):
    out = X + P[: X.shape[0]].unsqueeze(1)
    return out


# answer: my_add_positions | wrong | slices by the batch size, without unsqueeze | as many rows of P as there are sentences
def my_add_positions(X, P):
    return X + P[: X.shape[0]]


# answer: my_add_positions | wrong | changes the input X in place | your function writes into `X`
def my_add_positions(X, P):
    X += P[: X.shape[1]]
    return X


# answer: my_add_positions | wrong | forgets the return | did you forget `return`?
def my_add_positions(X, P):
    n = X.shape[1]
    rows = P[:n].unsqueeze(0)
    print("rows", rows.shape)
    X = X + rows


# answer: my_add_positions | wrong | off by one: counts the places from 1, skips row 0 of P | the first token gets row 1
def my_add_positions(X, P):
    n = X.shape[1]
    places = torch.arange(1, n + 1) % P.shape[0]
    return X + P[places]


# answer: my_add_positions | wrong | multiplies by the positions instead of adding + takes the rows in reverse order | You multiply by the table
def my_add_positions(X, P):
    n = X.shape[1]
    pos = torch.flip(P[:n], dims=[0])
    return X * pos[None, :, :]


# answer: my_add_positions | right | torch.add on an embedding lookup with arange
def my_add_positions(X, P):
    where = torch.arange(X.size(-2), device=X.device)
    return torch.add(X, F.embedding(where, P))


# answer: my_add_positions | right | one-hot matrix product, transposed views
def my_add_positions(X, P):
    pick = torch.eye(X.shape[1], P.shape[0], dtype=P.dtype, device=P.device)
    return (X.transpose(0, 1) + (pick @ P).unsqueeze(1)).transpose(0, 1)


# answer: my_sinusoidal_table | wrong | crash at odd widths: one cosine too many | at odd widths from 3 on it stops
def my_sinusoidal_table(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    pos = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1)
    angle = pos / torch.pow(
        10000, torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens
    )
    P[:, 0::2] = torch.sin(angle)
    P[:, 1::2] = torch.cos(angle)
    return P


# answer: my_sinusoidal_table | wrong | sines in the first half, cosines in the second | All sines stand on the left
def my_sinusoidal_table(max_len, num_hiddens):
    j2 = torch.arange(0, num_hiddens, 2).float()
    a = torch.arange(max_len).float()[:, None] * torch.exp(-math.log(10000.0) * j2 / num_hiddens)
    return torch.cat([torch.sin(a), torch.cos(a)], dim=1)[:, :num_hiddens]


# answer: my_sinusoidal_table | wrong | multiplies by the power of 10000 instead of dividing (frequencies grow) | turn faster and faster
def my_sinusoidal_table(max_len, num_hiddens):
    P = torch.zeros((max_len, num_hiddens))
    X = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1) * torch.pow(
        10000, torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens
    )
    P[:, 0::2] = torch.sin(X)
    P[:, 1::2] = torch.cos(X)[:, : num_hiddens // 2]
    return P


# answer: my_sinusoidal_table | wrong | one column more, which divides the exponent | you divide the exponent by num_hiddens + 1
def my_sinusoidal_table(max_len, num_hiddens):
    d = num_hiddens + num_hiddens % 2
    P = torch.zeros(max_len, d)
    pos = torch.arange(max_len, dtype=torch.float32).unsqueeze(1)
    a = pos / 10000 ** (torch.arange(0, d, 2, dtype=torch.float32) / d)
    P[:, 0::2] = a.sin()
    P[:, 1::2] = a.cos()
    return P[:, :num_hiddens]


# answer: my_sinusoidal_table | wrong | axes swapped, returns (num_hiddens, max_len) + base 1000 instead of 10000 | The base is 1000
def my_sinusoidal_table(max_len, num_hiddens):
    rows = []
    pos = torch.arange(max_len).float()
    for c in range(num_hiddens):
        w = 1000 ** (-(c - c % 2) / num_hiddens)
        rows.append(torch.sin(pos * w) if c % 2 == 0 else torch.cos(pos * w))
    return torch.stack(rows)


# answer: my_sinusoidal_table | right | nested comprehension with math, cosine as a shifted sine
def my_sinusoidal_table(max_len, num_hiddens):
    return torch.tensor(
        [
            [
                math.sin(i / 10000 ** ((c - c % 2) / num_hiddens) + (c % 2) * math.pi / 2)
                for c in range(num_hiddens)
            ]
            for i in range(max_len)
        ]
    )


# answer: my_sinusoidal_table | right | complex numbers: polar and view_as_real in float64
def my_sinusoidal_table(max_len, num_hiddens):
    j = torch.arange((num_hiddens + 1) // 2, dtype=torch.float64)
    a = torch.outer(torch.arange(max_len, dtype=torch.float64), 10000.0 ** (-2 * j / num_hiddens))
    z = torch.polar(torch.ones_like(a), math.pi / 2 - a)  # cos(pi/2 - a) = sin a
    return torch.view_as_real(z).reshape(max_len, -1)[:, :num_hiddens].float()


# answer: my_sinusoidal_table | right | stays in float64, torch.where over a column mask
def my_sinusoidal_table(max_len, num_hiddens):
    c = torch.arange(num_hiddens, dtype=torch.float64)
    even = c.remainder(2) == 0
    a = torch.arange(max_len, dtype=torch.float64).unsqueeze(1) / torch.pow(
        10000.0, torch.where(even, c, c - 1) / num_hiddens
    )
    return torch.where(even, a.sin(), a.cos())


# answer: my_offset_rotation | wrong | uses the same frequency 1 for all pairs | All your pairs turn at the same speed
def my_offset_rotation(delta, num_hiddens):
    c, s = math.cos(delta), math.sin(delta)
    block = torch.tensor([[c, s], [-s, c]])
    return torch.block_diag(*[block] * (num_hiddens // 2))


# answer: my_offset_rotation | wrong | exponent j / num_hiddens instead of 2j / num_hiddens | 10000 ** (-j / d) per place
def my_offset_rotation(delta, num_hiddens):
    blocks = []
    for j in range(num_hiddens // 2):
        a = torch.tensor(delta * 10000.0 ** (-j / num_hiddens))
        blocks.append(
            torch.stack([torch.stack([a.cos(), a.sin()]), torch.stack([-a.sin(), a.cos()])])
        )
    return torch.block_diag(*blocks)


# answer: my_offset_rotation | wrong | returns only the blocks | still in a stack
def my_offset_rotation(delta, num_hiddens):
    a = delta * 10000.0 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    return torch.stack([a.cos(), a.sin(), -a.sin(), a.cos()], dim=-1).reshape(-1, 2, 2)


# answer: my_offset_rotation | wrong | moves backwards + exponent divides by num_hiddens / 2 | the wrong way, to the place i - delta
def my_offset_rotation(delta, num_hiddens):
    M = torch.zeros((num_hiddens, num_hiddens))
    half = num_hiddens // 2
    for j in range(half):
        w = 1 / (10000 ** (2 * j / half))
        M[2 * j, 2 * j], M[2 * j, 2 * j + 1] = math.cos(w * delta), -math.sin(w * delta)
        M[2 * j + 1, 2 * j], M[2 * j + 1, 2 * j + 1] = math.sin(w * delta), math.cos(w * delta)
    return M


# answer: my_offset_rotation | wrong | sine and cosine swapped + the last pair stays zero | The block of the last pair is 0
def my_offset_rotation(delta, num_hiddens):
    M = torch.zeros(num_hiddens, num_hiddens)
    for c in range(0, num_hiddens - 2, 2):
        a = delta / 10000 ** (c / num_hiddens)
        M[c, c] = math.sin(a)
        M[c, c + 1] = math.cos(a)
        M[c + 1, c] = -math.cos(a)
        M[c + 1, c + 1] = math.sin(a)
    return M


# answer: my_offset_rotation | right | einsum with an identity over the pairs, reshape
def my_offset_rotation(delta, num_hiddens):
    a = delta * torch.pow(
        10000.0, -torch.arange(0, num_hiddens, 2, dtype=torch.float64) / num_hiddens
    )
    B = torch.stack([torch.stack([a.cos(), a.sin()], -1), torch.stack([-a.sin(), a.cos()], -1)], -2)
    I = torch.eye(num_hiddens // 2, dtype=torch.float64)
    return torch.einsum("jk,jab->jakb", I, B).reshape(num_hiddens, num_hiddens).float()


# answer: my_offset_rotation | right | diagonals added with torch.diag, mask by remainder
def my_offset_rotation(delta, num_hiddens):
    col = torch.arange(num_hiddens)
    ang = delta * 10000.0 ** (-(col - col % 2).double() / num_hiddens)
    upper = (ang.sin() * (col % 2 == 0))[:-1]
    return (torch.diag(ang.cos()) + torch.diag(upper, 1) - torch.diag(upper, -1)).float()


# answer: my_alibi_bias | wrong | forgets the absolute value: keys after the query get a bonus | keys after the query are raised
def my_alibi_bias(slopes, num_queries, num_keys):
    dist = torch.arange(num_queries)[:, None] - torch.arange(num_keys)[None, :]
    return -slopes[:, None, None] * dist


# answer: my_alibi_bias | wrong | slopes stay (heads,) and meet the keys | Your slopes stand above the keys
def my_alibi_bias(slopes, num_queries, num_keys):
    i = torch.arange(num_queries).unsqueeze(1)
    j = torch.arange(num_keys).unsqueeze(0)
    return -slopes * (i - j).abs()


# answer: my_alibi_bias | wrong | always float32 | for float16 inputs you return float32
def my_alibi_bias(slopes, num_queries, num_keys):
    out = torch.zeros(len(slopes), num_queries, num_keys)
    for h, m in enumerate(slopes):
        for i in range(num_queries):
            for j in range(num_keys):
                out[h, i, j] = -m * abs(i - j)
    return out


# answer: my_alibi_bias | wrong | squares the distance instead of taking its absolute value | The L in ALiBi stands for linear
def my_alibi_bias(slopes, num_queries, num_keys):
    D = (torch.arange(num_queries)[:, None] - torch.arange(num_keys)) ** 2
    return -torch.einsum("h,qk->hqk", slopes, D.to(slopes.dtype))


# answer: my_alibi_bias | wrong | heads on the last axis | The heads are the last axis
def my_alibi_bias(slopes, num_queries, num_keys):
    dist = (torch.arange(num_queries).unsqueeze(1) - torch.arange(num_keys)).abs()
    return -dist.unsqueeze(-1) * slopes


# answer: my_alibi_bias | wrong | forgets the minus sign + forgets future keys, whose distance is cut to 0 | For keys after the query the distance does not count
def my_alibi_bias(slopes, num_queries, num_keys):
    i = torch.arange(num_queries).unsqueeze(1)
    j = torch.arange(num_keys).unsqueeze(0)
    dist = torch.clamp(i - j, min=0)
    return slopes.view(-1, 1, 1) * dist


# answer: my_alibi_bias | wrong | divides by the slope instead of multiplying + off by one: the distance to itself is 1 | Every distance is 1 too large
def my_alibi_bias(slopes, num_queries, num_keys):
    out = []
    for m in slopes:
        head = []
        for i in range(num_queries):
            head.append([-(abs(i - j) + 1) / m.item() for j in range(num_keys)])
        out.append(head)
    return torch.tensor(out, dtype=slopes.dtype)


# answer: my_alibi_bias | wrong | returns the softmax weights of the bias instead of the bias | softmax of the result
def my_alibi_bias(slopes, num_queries, num_keys):
    i = torch.arange(num_queries).unsqueeze(1)
    j = torch.arange(num_keys).unsqueeze(0)
    bias = -slopes[:, None, None] * (i - j).abs()
    return torch.softmax(bias, dim=-1)


# answer: my_alibi_bias | right | torch.cdist of places, einsum
def my_alibi_bias(slopes, num_queries, num_keys):
    q = torch.arange(num_queries, dtype=torch.float64).unsqueeze(1)
    k = torch.arange(num_keys, dtype=torch.float64).unsqueeze(1)
    d = torch.cdist(q, k, p=1)
    return torch.einsum("h,qk->hqk", slopes.neg(), d.to(slopes))


# answer: my_alibi_bias | right | comprehension with stack, keeps the gradient
def my_alibi_bias(slopes, num_queries, num_keys):
    d = torch.tensor(
        [[abs(i - j) for j in range(num_keys)] for i in range(num_queries)], device=slopes.device
    )
    return torch.stack([m * -d for m in slopes.unbind()])


# answer: my_rotary | wrong | changes the input X in place | your function writes into `X`
def my_rotary(X, positions):
    size = X.shape[-1]
    a = positions[:, None] / 10000 ** (torch.arange(0, size, 2) / size)
    x, y = X[..., 0::2].clone(), X[..., 1::2].clone()
    X[..., 0::2] = x * a.cos() - y * a.sin()
    X[..., 1::2] = x * a.sin() + y * a.cos()
    return X


# answer: my_rotary | wrong | joins the turned members with cat | all first members of the pairs in front
def my_rotary(X, positions):
    d = X.size(-1)
    theta = torch.exp(-math.log(10000) * torch.arange(0, d, 2) / d)
    a = torch.outer(positions.float(), theta)
    x = X[..., ::2]
    y = X[..., 1::2]
    return torch.cat((x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()), -1)


# answer: my_rotary | wrong | crash: angles of size / 2 columns meet all columns | Two tensors are combined number by number
def my_rotary(X, positions):
    size = X.shape[-1]
    a = positions[:, None] / 10000 ** (torch.arange(0, size, 2) / size)
    rotated = torch.stack([-X[..., 1::2], X[..., 0::2]], dim=-1).reshape(X.shape)
    return X * a.cos() + rotated * a.sin()


# answer: my_rotary | wrong | angles w0 w1 w0 w1 instead of w0 w0 w1 w1 | laid out in halves
def my_rotary(X, positions):
    size = X.shape[-1]
    w = 1 / 10000 ** (torch.arange(0, size, 2) / size)
    a = (positions[:, None] * w).repeat(1, 2)
    rot = torch.stack([-X[..., 1::2], X[..., 0::2]], dim=-1).flatten(-2)
    return X * a.cos() + rot * a.sin()


# answer: my_rotary | wrong | three axes only | not enough values to unpack
def my_rotary(X, positions):
    batch, n, size = X.shape
    a = positions.view(1, n, 1) / 10000 ** (torch.arange(0, size, 2).view(1, 1, -1) / size)
    x, y = X[:, :, 0::2], X[:, :, 1::2]
    return torch.stack([x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()], dim=-1).reshape(
        batch, n, size
    )


# answer: my_rotary | wrong | pairs the halves + exponent divides by size / 2 | You pair feature j with feature j + size / 2
def my_rotary(X, positions):
    half = X.shape[-1] // 2
    w = 10000.0 ** (-2 * torch.arange(half) / half)
    a = positions[:, None] * w
    a = torch.cat([a, a], dim=-1)
    rotate_half = torch.cat([-X[..., half:], X[..., :half]], dim=-1)
    return X * a.cos() + rotate_half * a.sin()


# answer: my_rotary | right | rotation matrices and einsum, float64 inside
def my_rotary(X, positions):
    size = X.shape[-1]
    a = positions.double()[:, None] * torch.logspace(
        0, -4 * (size - 2) / size, size // 2, dtype=torch.float64
    )
    R = torch.stack([a.cos(), -a.sin(), a.sin(), a.cos()], -1).unflatten(-1, (2, 2))
    pairs = X.double().unflatten(-1, (-1, 2))
    return torch.einsum("njab,...njb->...nja", R, pairs).flatten(-2).to(X.dtype)


# answer: my_mirror | wrong | gives P[i - last] instead of P[last - i] | back is not mirrored
def my_mirror(last, num_hiddens):
    blocks = []
    for c in range(0, num_hiddens, 2):
        w = 10000 ** (-c / num_hiddens)
        C, S = math.cos(last * w), math.sin(last * w)
        blocks.append(torch.tensor([[C, -S], [S, C]]))
    return torch.block_diag(*blocks)


# answer: my_mirror | wrong | the identity, flipped | turns a row around
def my_mirror(last, num_hiddens):
    return torch.flip(torch.eye(num_hiddens), dims=[0])


# answer: my_mirror | wrong | the diagonal is missing its minus: plus cosine in the sine row | The formula of sin(a - b) has a minus
def my_mirror(last, num_hiddens):
    a = last * 10000.0 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    blocks = torch.stack([a.cos(), a.sin(), a.sin(), a.cos()], -1).reshape(-1, 2, 2)
    return torch.block_diag(*blocks)


# answer: my_mirror | wrong | mirrors only the first pair, the rest of the matrix is the identity | Only the block of the first pair is filled
def my_mirror(last, num_hiddens):
    R = torch.eye(num_hiddens)
    R[0, 0] = -math.cos(last)
    R[0, 1] = math.sin(last)
    R[1, 0] = math.sin(last)
    R[1, 1] = math.cos(last)
    return R


# answer: my_mirror | wrong | forgets the sine terms: takes only P[-i], a mirror at place 0 | last plays no part
def my_mirror(last, num_hiddens):
    signs = torch.ones(num_hiddens)
    signs[0::2] = -1
    return torch.diag(signs)


# answer: my_mirror | wrong | one frequency for all pairs + the opposite sign | The sign of the result is turned around
def my_mirror(last, num_hiddens):
    c, s = math.cos(last), math.sin(last)
    B = torch.tensor([[c, -s], [-s, -c]])
    return torch.block_diag(*[B for _ in range(num_hiddens // 2)])


# answer: my_mirror | right | mirror at 0 first, then the move by last as matrix exponential
def my_mirror(last, num_hiddens):
    w = 10000.0 ** (-torch.arange(0, num_hiddens, 2, dtype=torch.float64) / num_hiddens)
    G = torch.block_diag(
        *[torch.tensor([[0.0, v], [-v, 0.0]], dtype=torch.float64) for v in w.tolist()]
    )
    flip = torch.tensor([-1.0, 1.0], dtype=torch.float64).repeat(num_hiddens // 2)
    return (torch.matrix_exp(last * G) * flip).float()


# answer: my_mirror | right | diag_embed of diagonals, float64 result
def my_mirror(last, num_hiddens):
    c = torch.arange(num_hiddens)
    a = last / 10000.0 ** ((c // 2 * 2).double() / num_hiddens)
    sign = 1.0 - 2.0 * (c % 2 == 0)
    off = torch.where(c % 2 == 0, a.sin(), torch.zeros_like(a))[:-1]
    return (
        torch.diag_embed(sign * a.cos())
        + torch.diag_embed(off, offset=1)
        + torch.diag_embed(off, offset=-1)
    )


# answer: my_rotary | right | loops over places and pairs with math, writes into a clone
def my_rotary(X, positions):
    out = X.clone()
    size = X.shape[-1]
    for t in range(X.shape[-2]):
        for c in range(0, size, 2):
            a = float(positions[t]) / 10000 ** (c / size)
            out[..., t, c] = X[..., t, c] * math.cos(a) - X[..., t, c + 1] * math.sin(a)
            out[..., t, c + 1] = X[..., t, c] * math.sin(a) + X[..., t, c + 1] * math.cos(a)
    return out


# answer: my_mirror | wrong | rotation by last instead of a mirror + exponent not doubled + halves instead of neighboring pairs | Your blocks are rotations
def my_mirror(last, num_hiddens):
    h = num_hiddens // 2
    a = last * 10000 ** (-torch.arange(h) / num_hiddens)
    R = torch.zeros(num_hiddens, num_hiddens)
    R[:h, :h] = torch.diag(a.cos())
    R[:h, h:] = torch.diag(a.sin())
    R[h:, :h] = torch.diag(-a.sin())
    R[h:, h:] = torch.diag(a.cos())
    return R


# answer: my_add_positions | wrong | one row of the table (row n) for all places | rows of P: 1, 1. Place i
def my_add_positions(X, P):
    batch, n, num_hiddens = X.shape
    return X + P[n - 1].reshape(1, 1, num_hiddens)


# answer: my_offset_rotation | wrong | slice assignment M[0::2, 1::2] = a fills whole sub-matrices | Yours holds 1 in row 0, column 2
def my_offset_rotation(delta, num_hiddens):
    a = delta * 10000.0 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    M = torch.zeros(num_hiddens, num_hiddens)
    M[0::2, 0::2] = a.cos()
    M[0::2, 1::2] = a.sin()
    M[1::2, 0::2] = -a.sin()
    M[1::2, 1::2] = a.cos()
    return M


# answer: my_alibi_bias | wrong | two mistakes: squared distance and square size num_queries by num_queries | 2. Your table has num_queries columns
def my_alibi_bias(slopes, num_queries, num_keys):
    place = torch.arange(num_queries)
    return -slopes[:, None, None] * (place[:, None] - place[None, :]) ** 2


# answer: my_rotary | wrong | rotate-half with the angles of neighbors | angles are laid out for neighbors
def my_rotary(X, positions):
    size = X.shape[-1]
    w = 10000.0 ** (-torch.arange(0, size, 2) / size)
    a = (positions[:, None] * w).repeat_interleave(2, -1)
    x, y = X.chunk(2, -1)
    return X * a.cos() + torch.cat([-y, x], -1) * a.sin()


# answer: my_rotary | wrong | complex numbers without a function that says so | You compute with complex numbers
def my_rotary(X, positions):
    size = X.shape[-1]
    w = 10000.0 ** (-torch.arange(0, size, 2) / size)
    z = (X[..., ::2] + 1j * X[..., 1::2]) * torch.exp(1j * positions[:, None] * w)
    return torch.stack([z.real, z.imag], -1).flatten(-2)


# answer: my_mirror | wrong | sines and cosines exchanged | sines stand where cosines belong
def my_mirror(last, num_hiddens):
    R = torch.zeros(num_hiddens, num_hiddens)
    for j in range(0, num_hiddens, 2):
        a = last / 10000 ** (j / num_hiddens)
        R[j, j], R[j, j + 1], R[j + 1, j], R[j + 1, j + 1] = (
            -math.sin(a),
            math.cos(a),
            math.cos(a),
            math.sin(a),
        )
    return R


# answer: my_rotary | wrong | two mistakes: reads n and size as axes 1 and 2, and turns every pair at the same speed | whole turns left out
def my_rotary(X, positions):
    out = X.clone()
    for i in range(X.shape[1]):
        c, s = math.cos(positions[i]), math.sin(positions[i])
        for k in range(0, X.shape[2], 2):
            out[:, i, k] = X[:, i, k] * c - X[:, i, k + 1] * s
            out[:, i, k + 1] = X[:, i, k] * s + X[:, i, k + 1] * c
    return out


# answer: my_add_positions | wrong | counts on through the batch | count on from one sentence to the next
def my_add_positions(X, P):
    batch, n, num_hiddens = X.shape
    places = torch.arange(batch * n) % P.shape[0]
    return (X.reshape(batch * n, num_hiddens) + P[places]).view(batch, n, num_hiddens)


# answer: my_add_positions | wrong | and a dropout of the sum | as after a dropout
def my_add_positions(X, P):
    return F.dropout(X + P[: X.shape[1]].unsqueeze(0), 0.3)


# answer: my_sinusoidal_table | wrong | a published spacing | exactly 1/10000
def my_sinusoidal_table(max_len, num_hiddens):
    pairs = (num_hiddens + 1) // 2
    step = math.log(10000.0) / max(pairs - 1, 1)
    angles = torch.arange(max_len)[:, None] * torch.exp(-step * torch.arange(pairs))
    P = torch.zeros(max_len, num_hiddens)
    P[:, 0::2] = angles.sin()
    P[:, 1::2] = angles[:, : num_hiddens // 2].cos()
    return P


# answer: my_sinusoidal_table | wrong | the place inside of the power | the place stands inside
def my_sinusoidal_table(max_len, num_hiddens):
    columns = torch.arange(num_hiddens)
    angles = (torch.arange(max_len).unsqueeze(1) / 10000) ** (2 * (columns // 2) / num_hiddens)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


# answer: my_sinusoidal_table | wrong | half of the width, rounded down | the waves are too slow
def my_sinusoidal_table(max_len, num_hiddens):
    columns = torch.arange(num_hiddens)
    omega = 10000.0 ** (-(columns // 2) / max(num_hiddens // 2, 1))
    angles = torch.arange(max_len).unsqueeze(1) * omega
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


# answer: my_alibi_bias | wrong | a published shortcut | whatever the query is
def my_alibi_bias(slopes, num_queries, num_keys):
    per_key = slopes[:, None, None] * torch.arange(num_keys).to(slopes.dtype)
    return per_key.expand(len(slopes), num_queries, num_keys)


# answer: my_rotary | wrong | positions repeated one by one | each is repeated on the spot
def my_rotary(X, positions):
    n, size = X.shape[-2:]
    rows = X.reshape(-1, size)
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    angles = angles.repeat_interleave(len(rows) // n, dim=0)
    x, y = rows[:, ::2], rows[:, 1::2]
    turned = [x * angles.cos() - y * angles.sin(), x * angles.sin() + y * angles.cos()]
    return torch.stack(turned, -1).reshape(X.shape)


# answer: my_rotary | wrong | counts from the first position | subtract the first of the positions
def my_rotary(X, positions):
    size = X.shape[-1]
    angles = (positions - positions[0])[:, None] / 10000 ** (torch.arange(0, size, 2) / size)
    x, y = X[..., ::2], X[..., 1::2]
    turned = [x * angles.cos() - y * angles.sin(), x * angles.sin() + y * angles.cos()]
    return torch.stack(turned, -1).flatten(-2)


# answer: my_rotary | wrong | positions are sorted | is turned as if it had
def my_rotary(X, positions):
    size = X.shape[-1]
    angles = positions.sort().values[:, None] / 10000 ** (torch.arange(0, size, 2) / size)
    x, y = X[..., ::2], X[..., 1::2]
    turned = [x * angles.cos() - y * angles.sin(), x * angles.sin() + y * angles.cos()]
    return torch.stack(turned, -1).flatten(-2)


# answer: my_mirror | wrong | fitted to the places there are | is it fitted to them
def my_mirror(last, num_hiddens):
    places = torch.arange(last + 1, dtype=torch.float64)
    angles = places[:, None] / 10000.0 ** (torch.arange(0, num_hiddens, 2) / num_hiddens)
    P = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    return (torch.linalg.pinv(P) @ P.flip(0)).T.float()


# answer: my_alibi_bias | wrong | lowers later keys alone | keys before it are not
def my_alibi_bias(slopes, num_queries, num_keys):
    offsets = torch.arange(num_keys) - torch.arange(num_queries).unsqueeze(1)
    return -slopes[:, None, None] * offsets.clamp(min=0)


# answer: my_alibi_bias | wrong | counts from the last key | away from the last key
def my_alibi_bias(slopes, num_queries, num_keys):
    back = torch.arange(1 - num_keys, 1)
    return (slopes[:, None, None] * back).expand(-1, num_queries, -1)


# answer: my_sinusoidal_table | wrong | the wrong logarithm | natural logarithm
def my_sinusoidal_table(max_len, num_hiddens):
    columns = torch.arange(num_hiddens)
    omega = torch.exp(-(columns - columns % 2) / num_hiddens * math.log10(10000))
    angles = torch.arange(max_len).unsqueeze(1) * omega
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


# answer: my_rotary | wrong | a factor of 2 pi | counted in whole turns
def my_rotary(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] / 10000 ** (torch.arange(0, size, 2) / size) * 2 * math.pi
    x, y = X[..., ::2], X[..., 1::2]
    turned = [x * angles.cos() - y * angles.sin(), x * angles.sin() + y * angles.cos()]
    return torch.stack(turned, -1).flatten(-2)


# answer: my_rotary | wrong | sine member first | have changed places
def my_rotary(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] / 10000 ** (torch.arange(0, size, 2) / size)
    x, y = X.unflatten(-1, (-1, 2)).unbind(-1)
    turned = [x * angles.sin() + y * angles.cos(), x * angles.cos() - y * angles.sin()]
    return torch.stack(turned, -1).flatten(-2)


# answer: my_offset_rotation | wrong | the last, slowest pair is left as it is | that of an identity
def my_offset_rotation(delta, num_hiddens):
    M = torch.eye(num_hiddens)
    for j in range(num_hiddens // 2 - 1):
        a = delta * 10000.0 ** (-2 * j / num_hiddens)
        M[2 * j, 2 * j] = M[2 * j + 1, 2 * j + 1] = math.cos(a)
        M[2 * j, 2 * j + 1], M[2 * j + 1, 2 * j] = math.sin(a), -math.sin(a)
    return M


# answer: my_alibi_bias | wrong | float distances lift a half-precision slope to float32 | float16
def my_alibi_bias(slopes, num_queries, num_keys):
    i = torch.arange(num_queries).float()
    j = torch.arange(num_keys).float()
    return -slopes[:, None, None] * (i[:, None] - j[None, :]).abs()


# answer: my_rotary | wrong | counts on from the first place | count on from there
def my_rotary(X, positions):
    d = X.shape[-1]
    p = positions[0] + torch.arange(len(positions))
    a = p[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()], -1).flatten(-2)


# answer: my_rotary | wrong | places without their sign | The sign of a position is lost
def my_rotary(X, positions):
    d = X.shape[-1]
    a = positions.abs()[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()], -1).flatten(-2)


# answer: my_rotary | wrong | base 500000 | The base is 500,000; it is 10,000 here
def my_rotary(X, positions):
    d = X.shape[-1]
    freq = 500000.0 ** (-torch.arange(0, d, 2).float() / d)
    a = positions.float().unsqueeze(-1) * freq
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()], -1).flatten(-2)


# answer: my_add_positions | wrong | takes the rows 1 to n of the table instead of 0 to n - 1, as if places were counted from 1 | Off by one: the first token gets row 1. Places count from
def my_add_positions(X, P):
    n = X.shape[1]
    return X + P[1 : n + 1]


# answer: my_sinusoidal_table | wrong | for an odd width it computes the frequencies with the next even width and then cuts a column off, so all but the first pair are off | At odd widths from 3 on the waves are too fast: you divide
def my_sinusoidal_table(max_len, num_hiddens):
    width = num_hiddens + num_hiddens % 2
    frequencies = 10000.0 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(max_len).unsqueeze(1) * frequencies
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :num_hiddens]


# answer: my_sinusoidal_table | wrong | the exponent is -j/d with j the number of the pair, where the formula has -2j/d | The first pair is right, the others turn too fast: with d
def my_sinusoidal_table(max_len, num_hiddens):
    P = torch.zeros(max_len, num_hiddens)
    for column in range(num_hiddens):
        j = column // 2
        angles = torch.arange(max_len) / 10000 ** (j / num_hiddens)
        P[:, column] = torch.sin(angles) if column % 2 == 0 else torch.cos(angles)
    return P


# answer: my_offset_rotation | wrong | multiplies one-place steps together delta times, so a negative offset gives the identity | Right for positive offsets. For a negative one you give the
def my_offset_rotation(delta, num_hiddens):
    step = torch.zeros(num_hiddens, num_hiddens, dtype=torch.float64)
    for c in range(0, num_hiddens, 2):
        omega = 10000 ** (-c / num_hiddens)
        step[c, c] = step[c + 1, c + 1] = math.cos(omega)
        step[c, c + 1], step[c + 1, c] = math.sin(omega), -math.sin(omega)
    M = torch.eye(num_hiddens, dtype=torch.float64)
    for _ in range(delta):
        M = step @ M
    return M.float()


# answer: my_offset_rotation | wrong | the minus stands at the upper sine instead of the lower one, so the matrix moves back by delta | Your matrix goes the wrong way
def my_offset_rotation(delta, num_hiddens):
    omegas = 10000.0 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    blocks = []
    for angle in delta * omegas:
        c, s = angle.cos(), angle.sin()
        blocks.append(torch.stack([c, -s, s, c]).view(2, 2))
    return torch.block_diag(*blocks)


# answer: my_alibi_bias | wrong | lines the last query up with the last key, where both should count from 0 | You let the last query stand beside the last key. Here both
def my_alibi_bias(slopes, num_queries, num_keys):
    queries = torch.arange(num_keys - num_queries, num_keys)
    distance = (queries.unsqueeze(1) - torch.arange(num_keys)).abs()
    return -slopes.view(-1, 1, 1) * distance


# answer: my_alibi_bias | wrong | the clamp gives all later keys 0, where they should be lowered by their distance as well | Keys before the query are lowered, keys after it are not
def my_alibi_bias(slopes, num_queries, num_keys):
    i = torch.arange(num_queries)[:, None]
    j = torch.arange(num_keys)[None, :]
    return slopes[:, None, None] * (j - i).clamp(max=0)


# answer: my_rotary | wrong | the even numbers are overwritten before the odd ones are computed from them | computed from the x that has been turned already
def my_rotary(X, positions):
    size = X.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    cos, sin = angles.cos().to(X.dtype), angles.sin().to(X.dtype)
    out = X.clone()
    x, y = out[..., 0::2], out[..., 1::2]
    out[..., 0::2] = x * cos - y * sin
    out[..., 1::2] = x * sin + y * cos
    return out


# answer: my_rotary | wrong | looks the angles up in a table by position, so a position below 0 reads the table from its end | Positions below 0 are counted from the end of a table, as
def my_rotary(X, positions):
    size = X.shape[-1]
    rows = int(positions.abs().max()) + 1
    table = torch.outer(torch.arange(rows).float(), 10000.0 ** (-torch.arange(0, size, 2) / size))
    angles = table[positions].to(X.dtype)
    x, y = X[..., 0::2], X[..., 1::2]
    turned = torch.stack([x * angles.cos() - y * angles.sin(), x * angles.sin() + y * angles.cos()], dim=-1)
    return turned.flatten(-2)


# answer: my_mirror | wrong | the first row of each block has the wrong sign, which makes it a rotation that leads to place i - last instead of last - i | back is not mirrored
def my_mirror(last, num_hiddens):
    R = torch.zeros(num_hiddens, num_hiddens)
    for c in range(0, num_hiddens, 2):
        a = last * 10000 ** (-c / num_hiddens)
        R[c, c], R[c, c + 1] = math.cos(a), -math.sin(a)
        R[c + 1, c], R[c + 1, c + 1] = math.sin(a), math.cos(a)
    return R


# answer: my_sinusoidal_table | right, no remark | only sines: the odd columns are sines a quarter of a turn ahead, in 64 bits inside
def my_sinusoidal_table(max_len, num_hiddens):
    column = torch.arange(num_hiddens, dtype=torch.float64)
    odd = column % 2
    frequency = torch.exp(-(column - odd) / num_hiddens * math.log(10000.0))
    place = torch.arange(max_len, dtype=torch.float64)
    return torch.sin(torch.outer(place, frequency) + odd * (math.pi / 2)).to(torch.float32)


# answer: my_offset_rotation | right, no remark | the matrix exponential of delta times a generator, which has only the frequencies beside the diagonal
def my_offset_rotation(delta, num_hiddens):
    speeds = torch.zeros(num_hiddens - 1, dtype=torch.float64)
    speeds[::2] = torch.tensor(10000.0, dtype=torch.float64).pow(
        -torch.arange(0, num_hiddens, 2, dtype=torch.float64) / num_hiddens
    )
    generator = torch.diag(speeds, 1) - torch.diag(speeds, -1)
    return torch.linalg.matrix_exp(delta * generator).to(torch.float32)


# answer: my_rotary | right, no remark | one product with cosines and one with sines, where a gather exchanges the two numbers of each pair
def my_rotary(X, positions):
    size = X.shape[-1]
    column = torch.arange(size)
    speed = 10000.0 ** (-(column - column % 2).double() / size)
    angle = torch.einsum("n,s->ns", positions.double(), speed)
    sign = (column % 2 * 2 - 1).to(X.dtype)
    partner = torch.gather(X, -1, (column ^ 1).expand(X.shape)) * sign
    return X * angle.cos().to(X.dtype) + partner * angle.sin().to(X.dtype)


# answer: my_rotary | wrong | minus in both members | The second member is a sum, x times the sine plus y times
def my_rotary(X, positions):
    freq = 10000.0 ** (-torch.arange(0, X.shape[-1], 2).double() / X.shape[-1])
    a = (positions[:, None] * freq).to(X.dtype)
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * a.cos() - y * a.sin(), x * a.sin() - y * a.cos()], -1).flatten(-2)


# answer: my_alibi_bias | wrong | places added | You add the places of query and key. How far they are apart
def my_alibi_bias(slopes, num_queries, num_keys):
    i, j = torch.arange(num_queries)[:, None], torch.arange(num_keys)
    return -slopes[:, None, None] * (i + j).abs()


# answer: my_add_positions | wrong | The rows of P are added by the number of the sentence and not by the place of the token. | Every token of a sentence gets the same vector: you
def my_add_positions(X, P):
    return X + P[: X.shape[0]].unsqueeze(1)


# answer: my_sinusoidal_table | wrong | The frequencies are computed with the width rounded down to an even number, so an odd table turns at slightly wrong speeds. | At odd widths from 3 on the waves are too slow: you
def my_sinusoidal_table(max_len, num_hiddens):
    half = max(num_hiddens // 2, 1)
    j = torch.arange((num_hiddens + 1) // 2)
    angles = torch.arange(max_len)[:, None] * 10000.0 ** (-j / half)
    P = torch.zeros(max_len, num_hiddens)
    P[:, 0::2] = angles.sin()
    P[:, 1::2] = angles.cos()[:, : num_hiddens // 2]
    return P


# answer: my_offset_rotation | wrong | The two sines have exchanged signs, so the matrix goes back by delta and not ahead. | Your matrix goes the wrong way: from place 10 it leads to
def my_offset_rotation(delta, num_hiddens):
    M = torch.zeros(num_hiddens, num_hiddens)
    for j in range(0, num_hiddens, 2):
        a = delta * 10000.0 ** (-j / num_hiddens)
        M[j, j] = M[j + 1, j + 1] = math.cos(a)
        M[j, j + 1] = -math.sin(a)
        M[j + 1, j] = math.sin(a)
    return M


# answer: my_alibi_bias | wrong | The last query is lined up with the last key, where both should count from 0. | You let the last query stand beside the last key. Here
def my_alibi_bias(slopes, num_queries, num_keys):
    i = torch.arange(num_queries)[:, None] + num_keys - num_queries
    j = torch.arange(num_keys)[None, :]
    distance = (i - j).abs().to(slopes.dtype)
    return -slopes[:, None, None] * distance


# answer: my_rotary | wrong | A number of the first half is paired with its partner in the second half, not with its neighbor. | You pair feature j with feature j + size / 2, as some
def my_rotary(X, positions):
    size = X.shape[-1]
    speed = 10000.0 ** (-torch.arange(0, size, 2) / size)
    a = positions[:, None] * speed
    cos, sin = a.cos().to(X.dtype), a.sin().to(X.dtype)
    x, y = X[..., : size // 2], X[..., size // 2 :]
    return torch.cat([x * cos - y * sin, x * sin + y * cos], dim=-1)


# answer: my_mirror | right | a product of two matrices: first the sines are turned around, which is the place -i, then all pairs are turned by the place last
def my_mirror(last, num_hiddens):
    turns = []
    for j in range(num_hiddens // 2):
        a = torch.tensor(last * 10000.0 ** (-2 * j / num_hiddens), dtype=torch.float64)
        turns.append(torch.stack([torch.stack([a.cos(), a.sin()]), torch.stack([-a.sin(), a.cos()])]))
    back = torch.diag(torch.tensor([-1.0, 1.0], dtype=torch.float64).repeat(num_hiddens // 2))
    return (torch.block_diag(*turns) @ back).to(torch.get_default_dtype())


# answer: my_rotary | right | no slices: each number times a cosine, plus its neighbor, fetched by a fixed matrix of ones and minus ones, times a sine
def my_rotary(X, positions):
    size = X.shape[-1]
    J = torch.zeros(size, size, dtype=torch.float64)
    for x in range(0, size, 2):
        J[x + 1, x], J[x, x + 1] = -1.0, 1.0
    speed = torch.exp(-(torch.arange(size) // 2 * 2).double() / size * math.log(10000.0))
    a = torch.outer(positions.double(), speed)
    wide = X.double()
    return (wide * a.cos() + wide @ J * a.sin()).to(X.dtype)


# answer: my_sinusoidal_table | wrong | speeds in reverse order | Your speeds come in reverse order, so that the first pair
def my_sinusoidal_table(max_len, num_hiddens):
    j = torch.arange(0, num_hiddens, 2).flip(0)
    a = torch.arange(max_len)[:, None] * 10000.0 ** (-j / num_hiddens)
    P = torch.zeros(max_len, num_hiddens)
    P[:, 0::2], P[:, 1::2] = a.sin(), a.cos()[:, : num_hiddens // 2]
    return P


# answer: my_rotary | wrong | speeds in reverse order | Your speeds come in reverse order, so that the first pair
def my_rotary(X, positions):
    size = X.shape[-1]
    a = positions[:, None] * 10000.0 ** (-torch.arange(size - 2, -1, -2) / size)
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * a.cos() - y * a.sin(), y * a.cos() + x * a.sin()], -1).flatten(-2)


# answer: my_alibi_bias | wrong | the keys moved on | You move the keys by num_keys - num_queries places. Both
def my_alibi_bias(slopes, num_queries, num_keys):
    i = torch.arange(num_queries)[:, None]
    j = torch.arange(num_keys)[None, :] + num_keys - num_queries
    return -slopes[:, None, None] * (i - j).abs()

# answer: my_offset_rotation | wrong | the matrix of one step to the power delta | You raise each number of the matrix
def my_offset_rotation(delta, num_hiddens):
    turns = 10000.0 ** (-torch.arange(0, num_hiddens, 2) / num_hiddens)
    M = torch.zeros(num_hiddens, num_hiddens)
    for pair, turn in enumerate(turns):
        c, s = turn.cos(), turn.sin()
        M[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = torch.tensor([[c, s], [-s, c]])
    return M ** delta


# answer: my_alibi_bias | wrong | every head gets the mean slope | the mean of the slopes
def my_alibi_bias(slopes, num_queries, num_keys):
    distance = (torch.arange(num_queries)[:, None] - torch.arange(num_keys)).abs()
    return (-slopes.mean() * distance).expand(len(slopes), -1, -1)


# answer: my_alibi_bias | wrong | distances as a share of the queries | divided by the number of queries
def my_alibi_bias(slopes, num_queries, num_keys):
    distance = (torch.arange(num_queries)[:, None] - torch.arange(num_keys)).abs() / num_queries
    return -slopes[:, None, None] * distance
