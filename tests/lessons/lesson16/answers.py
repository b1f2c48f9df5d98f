# answer: my_tile | right | state in columns, merged tile by tile
def my_tile(chip, Q, k, v, size):
    n, d = k.shape
    top = torch.full((len(Q), 1), -math.inf)
    total = torch.zeros(len(Q), 1)
    out = torch.zeros(len(Q), v.shape[1])
    for a in range(0, n, size):
        b = min(a + size, n)
        s = Q @ chip.load(k, a, b).T / d**0.5
        new = torch.maximum(top, s.max(dim=1, keepdim=True).values)
        w = torch.exp(s - new)
        shrink = torch.exp(top - new)
        total = total * shrink + w.sum(1, keepdim=True)
        out = out * shrink + w @ chip.load(v, a, b)
        top = new
    return out / total

# answer: my_tile | right | outputs and logs of the sums, merged with logaddexp
def my_tile(chip, Q, k, v, size):
    log, out = None, 0
    for a in range(0, len(k), size):
        b = min(a + size, len(k))
        s = Q @ chip.load(k, a, b).mT / math.sqrt(Q.shape[-1])
        own, mean = s.logsumexp(-1, keepdim=True), s.softmax(-1) @ chip.load(v, a, b)
        if log is None:
            log, out = own, mean
        else:
            both = torch.logaddexp(log, own)
            out = out * (log - both).exp() + mean * (own - both).exp()
            log = both
    return out

# answer: my_tile | wrong | all keys first, softmax over the row | rows of keys at one time
def my_tile(chip, Q, k, v, size):
    n = len(k)
    tiles = [(a, min(a + size, n)) for a in range(0, n, size)]
    scores = torch.cat([Q @ chip.load(k, a, b).mT for a, b in tiles], 1) / Q.shape[1] ** 0.5
    weights = scores.softmax(-1)
    return sum(weights[:, a:b] @ chip.load(v, a, b) for a, b in tiles)

# answer: my_tile | wrong | a first pass for maximum and sum | you load the keys twice
def my_tile(chip, Q, k, v, size):
    n, root = len(k), Q.shape[1] ** 0.5
    tiles = [(a, min(a + size, n)) for a in range(0, n, size)]
    logs = torch.stack([(Q @ chip.load(k, a, b).mT / root).logsumexp(-1) for a, b in tiles]).logsumexp(0)
    out = torch.zeros(len(Q), v.shape[1])
    for a, b in tiles:
        out += (Q @ chip.load(k, a, b).mT / root - logs[:, None]).exp() @ chip.load(v, a, b)
    return out

# answer: my_tile | wrong | the sum is not shrunk | but not the sum
def my_tile(chip, Q, k, v, size):
    top, total, out = torch.full((len(Q),), -math.inf), torch.zeros(len(Q)), 0
    for a in range(0, len(k), size):
        b = min(a + size, len(k))
        s = Q @ chip.load(k, a, b).mT / Q.shape[1] ** 0.5
        new = torch.maximum(top, s.amax(1))
        w = (s - new[:, None]).exp()
        out = out * (top - new).exp()[:, None] + w @ chip.load(v, a, b)
        total = total + w.sum(1)
        top = new
    return out / total[:, None]

# answer: my_tile | wrong | the last tile is read beyond the end | belongs to another array
def my_tile(chip, Q, k, v, size):
    top, total, out = torch.full((len(Q), 1), -math.inf), torch.zeros(len(Q), 1), 0
    for a in range(0, len(k), size):
        s = Q @ chip.load(k, a, a + size).mT / Q.shape[1] ** 0.5
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w, less = (s - new).exp(), (top - new).exp()
        out, total, top = out * less + w @ chip.load(v, a, a + size), total * less + w.sum(1, keepdim=True), new
    return out / total

# answer: my_tile | wrong | computes with the arrays in slow memory | lies in slow memory
def my_tile(chip, Q, k, v, size):
    return (Q @ k.mT / Q.shape[-1] ** 0.5).softmax(-1) @ v

# answer: my_tile | wrong | reaches around the machine | does nothing reach around chip.load?
def my_tile(chip, Q, k, v, size):
    return (Q @ k._numbers.mT / Q.shape[-1] ** 0.5).softmax(-1) @ v._numbers

# answer: my_tile | wrong | no scale | not scaled
def my_tile(chip, Q, k, v, size):
    top, total, out = torch.full((len(Q), 1), -math.inf), torch.zeros(len(Q), 1), 0
    for a in range(0, len(k), size):
        b = min(a + size, len(k))
        s = Q @ chip.load(k, a, b).mT
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w, less = (s - new).exp(), (top - new).exp()
        out, total, top = out * less + w @ chip.load(v, a, b), total * less + w.sum(1, keepdim=True), new
    return out / total

# answer: my_tile_gradients | right | einsum
def my_tile_gradients(Q, K, V, grad, logs, inner):
    c = Q.shape[1] ** -0.5
    P = torch.exp(torch.einsum("bd,md->bm", Q, K) * c - logs.unsqueeze(1))
    dS = P * (torch.einsum("be,me->bm", grad, V) - inner.unsqueeze(1)) * c
    return dS @ K, dS.T @ Q, P.T @ grad

# answer: my_tile_gradients | wrong | a softmax over the tile | over this tile's keys alone
def my_tile_gradients(Q, K, V, grad, logs, inner):
    root = math.sqrt(Q.shape[-1])
    weights = (Q @ K.mT / root).softmax(-1)
    slopes = weights * (grad @ V.mT - inner[:, None]) / root
    return slopes @ K, slopes.mT @ Q, weights.mT @ grad

# answer: my_tile_gradients | wrong | the root is forgotten on the way back | divided by it once more
def my_tile_gradients(Q, K, V, grad, logs, inner):
    weights = (Q @ K.mT / math.sqrt(Q.shape[-1]) - logs[:, None]).exp()
    slopes = weights * (grad @ V.mT - inner[:, None])
    return slopes @ K, slopes.mT @ Q, weights.mT @ grad

# answer: my_tile_gradients | wrong | inner is forgotten | You leave out inner
def my_tile_gradients(Q, K, V, grad, logs, inner):
    root = math.sqrt(Q.shape[-1])
    weights = (Q @ K.mT / root - logs[:, None]).exp()
    slopes = weights * (grad @ V.mT) / root
    return slopes @ K, slopes.mT @ Q, weights.mT @ grad

# answer: my_rule | right | with logical_and
def my_rule(q, k, document, window):
    near = torch.logical_and(q >= k, k > q - window)
    return torch.logical_and(near, document[q].eq(document[k]))

# answer: my_rule | wrong | the window has one token more | one token too many
def my_rule(q, k, document, window):
    return (document[q] == document[k]) & (k <= q) & (q - k <= window)

# answer: my_rule | wrong | and in place of & | &
def my_rule(q, k, document, window):
    return document[q] == document[k] and k <= q and q - k < window

# answer: my_rule | wrong | a distance to both sides | shows later tokens
def my_rule(q, k, document, window):
    return (document[q] == document[k]) & ((q - k).abs() < window)

# answer: my_moved | right | tile by tile
def my_moved(n, d, rows, columns, causal):
    moved = 0
    for i in range(0, n, rows):
        last = min(i + rows, n) - 1
        moved += 2 * (last + 1 - i) * d
        for j in range(0, n, columns):
            if not causal or j <= last:
                moved += 2 * (min(j + columns, n) - j) * d
    return moved

# answer: my_moved | wrong | a float of half the keys | half of all keys
def my_moved(n, d, rows, columns, causal):
    passes = math.ceil(n / rows)
    read = 2 * n * d * passes
    return 2 * n * d + (read // 2 if causal else read)

# answer: my_moved | wrong | no output | You leave out the output
def my_moved(n, d, rows, columns, causal):
    total = n * d
    for a in range(0, n, rows):
        end = min(a + rows, n)
        keys = min(-(-end // columns) * columns, n) if causal else n
        total += 2 * keys * d
    return total

# answer: my_tile_kinds | right | with padding and a view
def my_tile_kinds(n, m, rows, columns, window):
    q = torch.arange(m - n, m)[:, None]
    k = torch.arange(m)[None]
    seen = (k <= q) & (q - k < window)
    out = [[int(t.any()) + int(t.all()) for t in row.split(columns, 1)] for row in seen.split(rows, 0)]
    return torch.tensor(out)

# answer: my_tile_kinds | wrong | the queries stand at the beginning | You lay the queries at the beginning
def my_tile_kinds(n, m, rows, columns, window):
    back = torch.arange(n)[:, None] - torch.arange(m)
    seen = (back >= 0) & (back < window)
    return torch.tensor([[int(t.any()) + int(t.all()) for t in r.split(columns, 1)] for r in seen.split(rows)])

# answer: my_tile_kinds | wrong | one token too many | one token too many
def my_tile_kinds(n, m, rows, columns, window):
    back = torch.arange(m - n, m)[:, None] - torch.arange(m)
    seen = (back >= 0) & (back <= window)
    return torch.tensor([[int(t.any()) + int(t.all()) for t in r.split(columns, 1)] for r in seen.split(rows)])

# answer: my_masked_step | right | masked_fill and nan_to_num where nothing was seen
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    new = torch.maximum(top, s.max(-1).values)
    base = new.masked_fill(new == -math.inf, 0.0)
    w = torch.exp(s - base[:, None])
    less = torch.exp(top - base)
    clean = values.masked_fill(~mask.any(0).unsqueeze(1), 0.0)
    return new, less * total + w.sum(-1), less[:, None] * output + w @ clean

# answer: my_masked_step | wrong | minus infinity minus minus infinity | becomes NaN
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    new = torch.maximum(top, s.amax(-1))
    w, less = (s - new[:, None]).exp(), (top - new).exp()
    v = values.masked_fill(~mask.any(0)[:, None], 0.0)
    return new, total * less + w.sum(-1), output * less[:, None] + w @ v

# answer: my_masked_step | wrong | what lies behind the end is multiplied by 0 | 0 times NaN is NaN
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    new = torch.maximum(top, s.amax(-1))
    base = torch.where(new == -math.inf, torch.zeros_like(new), new)
    w, less = (s - base[:, None]).exp(), (top - base).exp()
    return new, total * less + w.sum(-1), output * less[:, None] + w @ values

# answer: my_window_tile | right | from the first tile needed to the last
def my_window_tile(chip, Q, first, k, v, window, size):
    n, d = k.shape
    b, low = len(Q), max(0, first - window + 1)
    places = torch.arange(first, first + b)[:, None]
    top, total, out = torch.full((b, 1), -math.inf), torch.zeros(b, 1), torch.zeros(b, v.shape[1])
    for start in range(low // size * size, min(first + b, n), size):
        end = min(start + size, n)
        back = places - torch.arange(start, end)
        s = Q @ chip.load(k, start, end).mT / d**0.5
        s = s.masked_fill((back < 0) | (back >= window), -math.inf)
        new = torch.maximum(top, s.amax(1, keepdim=True))
        base = new.masked_fill(new == -math.inf, 0.0)
        w, less = (s - base).exp(), (top - base).exp()
        out, total, top = out * less + w @ chip.load(v, start, end), total * less + w.sum(1, keepdim=True), new
    return out / total

# answer: my_window_tile | wrong | every tile up to the last query | before the first query's window
def my_window_tile(chip, Q, first, k, v, window, size):
    n, d = k.shape
    b = len(Q)
    places = torch.arange(first, first + b)[:, None]
    top, total, out = torch.full((b, 1), -math.inf), torch.zeros(b, 1), torch.zeros(b, v.shape[1])
    for start in range(0, min(first + b, n), size):
        end = min(start + size, n)
        back = places - torch.arange(start, end)
        s = Q @ chip.load(k, start, end).mT / d**0.5
        s = s.masked_fill((back < 0) | (back >= window), -math.inf)
        new = torch.maximum(top, s.amax(1, keepdim=True))
        base = new.masked_fill(new == -math.inf, 0.0)
        w, less = (s - base).exp(), (top - base).exp()
        out, total, top = out * less + w @ chip.load(v, start, end), total * less + w.sum(1, keepdim=True), new
    return out / total

# answer: my_window_tile | wrong | rows without a key in the first tile | becomes NaN
def my_window_tile(chip, Q, first, k, v, window, size):
    n, d = k.shape
    b, low = len(Q), max(0, first - window + 1)
    places = torch.arange(first, first + b)[:, None]
    top, total, out = torch.full((b, 1), -math.inf), torch.zeros(b, 1), torch.zeros(b, v.shape[1])
    for start in range(low // size * size, min(first + b, n), size):
        end = min(start + size, n)
        back = places - torch.arange(start, end)
        s = Q @ chip.load(k, start, end).mT / d**0.5
        s = s.masked_fill((back < 0) | (back >= window), -math.inf)
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w, less = (s - new).exp(), (top - new).exp()
        out, total, top = out * less + w @ chip.load(v, start, end), total * less + w.sum(1, keepdim=True), new
    return out / total

# answer: my_tile | wrong | top from 0 | Your largest score starts at 0
def my_tile(chip, Q, k, v, size):
    top, total, out = torch.zeros(len(Q), 1), torch.zeros(len(Q), 1), 0
    for a in range(0, len(k), size):
        b = min(a + size, len(k))
        s = Q @ chip.load(k, a, b).mT / Q.shape[1] ** 0.5
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w, less = (s - new).exp(), (top - new).exp()
        out, total, top = out * less + w @ chip.load(v, a, b), total * less + w.sum(1, keepdim=True), new
    return out / total

# answer: my_tile | wrong | divided each step | Divide once, at the end
def my_tile(chip, Q, k, v, size):
    top, total, out = torch.full((len(Q), 1), -math.inf), torch.zeros(len(Q), 1), 0
    for a in range(0, len(k), size):
        b = min(a + size, len(k))
        s = Q @ chip.load(k, a, b).mT / Q.shape[1] ** 0.5
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w, less = (s - new).exp(), (top - new).exp()
        total = total * less + w.sum(1, keepdim=True)
        out, top = (out * less + w @ chip.load(v, a, b)) / total, new
    return out

# answer: my_tile | wrong | tile index as row | tile number t begins at row t
def my_tile(chip, Q, k, v, size):
    top, total, out = torch.full((len(Q), 1), -math.inf), torch.zeros(len(Q), 1), 0
    for t in range(-(-len(k) // size)):
        a, b = t, min(t + size, len(k))
        s = Q @ chip.load(k, a, b).mT / Q.shape[1] ** 0.5
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w, less = (s - new).exp(), (top - new).exp()
        out, total, top = out * less + w @ chip.load(v, a, b), total * less + w.sum(1, keepdim=True), new
    return out / total

# answer: my_tile | wrong | no maximum | no maximum off the scores
def my_tile(chip, Q, k, v, size):
    total, out = 0, 0
    for a in range(0, len(k), size):
        b = min(a + size, len(k))
        w = (Q @ chip.load(k, a, b).mT / Q.shape[1] ** 0.5).exp()
        out, total = out + w @ chip.load(v, a, b), total + w.sum(1, keepdim=True)
    return out / total

# answer: my_tile | wrong | everything loaded at once | Use each tile's values before
def my_tile(chip, Q, k, v, size):
    K, V = chip.load(k, 0, len(k)), chip.load(v, 0, len(v))
    return (Q @ K.mT / Q.shape[1] ** 0.5).softmax(-1) @ V

# answer: my_tile | wrong | a state without its last axis | fails in the one below
def my_tile(chip, Q, k, v, size):
    top, total, out = torch.full((len(Q),), -math.inf), torch.zeros(len(Q)), torch.zeros(len(Q), v.shape[1])
    for a in range(0, len(k), size):
        b = min(a + size, len(k))
        s = Q @ chip.load(k, a, b).mT / Q.shape[1] ** 0.5
        new = torch.maximum(top, s.amax(1))
        w, less = (s - new).exp(), (top - new).exp()
        out, total, top = out * less + w @ chip.load(v, a, b), total * less + w.sum(1), new
    return out / total

# answer: my_tile_gradients | wrong | scale twice in forward | Is the division made twice?
def my_tile_gradients(Q, K, V, grad, logs, inner):
    weights = (Q @ K.mT / Q.shape[1] - logs[:, None]).exp()
    slopes = weights * (grad @ V.mT - inner[:, None]) / Q.shape[1] ** 0.5
    return slopes @ K, slopes.mT @ Q, weights.mT @ grad

# answer: my_tile_gradients | wrong | only dQ scaled | forget that of K
def my_tile_gradients(Q, K, V, grad, logs, inner):
    r = Q.shape[1] ** 0.5
    weights = (Q @ K.mT / r - logs[:, None]).exp()
    slopes = weights * (grad @ V.mT - inner[:, None])
    return slopes @ K / r, slopes.mT @ Q, weights.mT @ grad

# answer: my_rule | wrong | python ints | shows later tokens
def my_rule(q, k, document, window):
    return (document[q] == document[k]) & (q - k < window)

# answer: my_rule | wrong | precedence | put brackets around each comparison
def my_rule(q, k, document, window):
    return document[q] == document[k] & (k <= q) & (q - k < window)

# answer: my_moved | wrong | n // rows | you load no keys
def my_moved(n, d, rows, columns, causal):
    passes = n // rows
    if causal: return 2*n*d + sum(2*d*min((i+1)*rows, n) for i in range(passes))
    return 2*n*d + passes*2*n*d

# answer: my_tile_kinds | wrong | diagonal tile only by index | tokens that lie behind it
def my_tile_kinds(n, m, rows, columns, window):
    out = []
    for i in range(math.ceil(n/rows)):
        row=[]
        for j in range(math.ceil(m/columns)):
            hi = m-n+(i+1)*rows-1; lo=m-n+i*rows
            kl=j*columns; kh=(j+1)*columns-1
            if kl>hi or kh<lo-window+1: row.append(0)
            elif kh<=lo and kl>hi-window: row.append(2)
            else: row.append(1)
        out.append(row)
    return torch.tensor(out)

# answer: my_masked_step | right | nan_to_num
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    new = torch.maximum(top, s.amax(-1))
    w = (s - new[:, None]).exp().nan_to_num(); less = (top - new).exp().nan_to_num()
    return new, total*less + w.sum(-1), output*less[:, None] + w @ values.nan_to_num()

# answer: my_masked_step | wrong | -1e9 | shares its weight evenly
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -1e9)
    new = torch.maximum(top, s.amax(-1))
    w = (s - new[:, None]).exp(); less = (top - new).exp()
    return new, total*less + w.sum(-1), output*less[:, None] + w @ values.nan_to_num()

# answer: my_masked_step | wrong | multiplied mask | NaN times 0 is NaN
def my_masked_step(top, total, output, scores, values, mask):
    s = scores * mask
    new = torch.maximum(top, s.amax(-1))
    w = (s - new[:, None]).exp() * mask; less = (top - new).exp()
    return new, total*less + w.sum(-1), output*less[:, None] + w @ values

# answer: my_window_tile | wrong | start not aligned to tiles | begin at multiples of the size
def my_window_tile(chip, Q, first, k, v, window, size):
    n = len(k); places = torch.arange(first, first + len(Q))[:, None]
    top, total, out = torch.full((len(Q),1), -math.inf), torch.zeros(len(Q),1), torch.zeros(len(Q), v.shape[1])
    for a in range(max(0, first-window+1), first+len(Q), size):
        b=min(a+size, first+len(Q)); back=places-torch.arange(a,b)
        s=(Q@chip.load(k,a,b).mT/Q.shape[1]**0.5).masked_fill((back<0)|(back>=window), -math.inf)
        new=torch.maximum(top,s.amax(1,keepdim=True)); safe=new.masked_fill(new==-math.inf,0.)
        w,less=(s-safe).exp(),(top-safe).exp()
        out,total,top=out*less+w@chip.load(v,a,b),total*less+w.sum(1,keepdim=True),new
    return out/total

# answer: my_moved | wrong | causal keys up to tile index, ceil by rows | as many tiles of keys as tiles of queries
def my_moved(n, d, rows, columns, causal):
    t = math.ceil(n / rows); c = math.ceil(n / columns)
    total = 2*n*d
    for i in range(t):
        need = i + 1 if causal else c
        total += 2*min(need*columns, n)*d
    return total

# answer: my_moved | wrong | counts tiles with j <= i | tile's first query alone
def my_moved(n, d, rows, columns, causal):
    moved = 0
    for i in range(0, n, rows):
        moved += min(rows, n-i)*d*2
        for j in range(0, n, columns):
            if causal and j > i: break
            moved += 2*min(columns, n-j)*d
    return moved

# answer: my_moved | wrong | last partial mishandled | as if they were whole
def my_moved(n, d, rows, columns, causal):
    moved = 0
    for i in range(0, n, rows):
        moved += rows*d*2
        for j in range(0, n, columns):
            if causal and j > i + rows - 1: continue
            moved += 2*columns*d
    return moved

# answer: my_tile_kinds | wrong | any only, bool | must be torch.int64
def my_tile_kinds(n, m, rows, columns, window):
    q = torch.arange(m-n, m)[:,None]; k=torch.arange(m)
    s=(k<=q)&(k>q-window)
    return torch.tensor([[bool(t.any()) for t in r.split(columns,1)] for r in s.split(rows)])

# answer: my_tile_kinds | wrong | view, fails on odd sizes | product of its sizes
def my_tile_kinds(n, m, rows, columns, window):
    q = torch.arange(m-n, m)[:,None]; k=torch.arange(m)
    s=((k<=q)&(k>q-window)).view(n//rows, rows, m//columns, columns)
    return s.any(3).any(1).long()+s.all(3).all(1).long()

# answer: my_tile_kinds | wrong | forgets causal | a query sees later tokens
def my_tile_kinds(n, m, rows, columns, window):
    q = torch.arange(m-n, m)[:,None]; k=torch.arange(m)
    s=(k>q-window)
    return torch.tensor([[int(t.any())+int(t.all()) for t in r.split(columns,1)] for r in s.split(rows)])

# answer: my_tile_kinds | wrong | pads with False | as if hidden tokens filled it up
def my_tile_kinds(n, m, rows, columns, window):
    q = torch.arange(m-n, m)[:,None]; k=torch.arange(m)
    s=((k<=q)&(k>q-window)); s=torch.nn.functional.pad(s,(0,-m%columns,0,-n%rows))
    s=s.view(s.shape[0]//rows, rows, s.shape[1]//columns, columns)
    return s.any(3).any(1).long()+s.all(3).all(1).long()

# answer: my_masked_step | wrong | forgets NaN scores | A score that is NaN stays NaN
def my_masked_step(top, total, output, scores, values, mask):
    s = scores + torch.where(mask, 0.0, -math.inf)
    new = torch.maximum(top, s.amax(-1)); safe = torch.where(new == -math.inf, 0.0, new)
    w = (s - safe[:, None]).exp(); less = (top - safe).exp()
    v = values.masked_fill(~mask.any(0)[:, None], 0.0)
    return new, total*less + w.sum(-1), output*less[:, None] + w @ v

# answer: my_masked_step | wrong | returns safe | Query 1 has seen nothing
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    new = torch.maximum(top, s.amax(-1)).clamp(min=-1e9)
    w = (s - new[:, None]).exp(); less = (top - new).exp()
    v = values.masked_fill(~mask.any(0)[:, None], 0.0)
    return new, total*less + w.sum(-1), output*less[:, None] + w @ v

# answer: my_masked_step | wrong | ignore state shrink via own max | own largest score
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    own = s.amax(-1); new = torch.maximum(top, own); safe = torch.where(own == -math.inf, 0.0, own)
    w = (s - safe[:, None]).exp(); less = torch.where(top==-math.inf, 0.0, (top - new).exp())
    v = values.masked_fill(~mask.any(0)[:, None], 0.0)
    return new, total*less + w.sum(-1), output*less[:, None] + w @ v

# answer: my_window_tile | wrong | keeps start at first's tile only back one tile | in which every query sees every key
def my_window_tile(chip, Q, first, k, v, window, size):
    n = len(k); places = torch.arange(first, first + len(Q))[:, None]
    top, total, out = torch.full((len(Q),1), -math.inf), torch.zeros(len(Q),1), torch.zeros(len(Q), v.shape[1])
    for a in range(0, n, size):
        b=min(a+size, n); back=places-torch.arange(a,b)
        if not ((back>=0)&(back<window)).all(): continue
        s=(Q@chip.load(k,a,b).mT/Q.shape[1]**0.5)
        new=torch.maximum(top,s.amax(1,keepdim=True))
        w,less=(s-new).exp(),(top-new).exp()
        out,total,top=out*less+w@chip.load(v,a,b),total*less+w.sum(1,keepdim=True),new
    return out/total

# answer: my_window_tile | wrong | window <= | one token too many
def my_window_tile(chip, Q, first, k, v, window, size):
    n = len(k); places = torch.arange(first, first + len(Q))[:, None]
    top, total, out = torch.full((len(Q),1), -math.inf), torch.zeros(len(Q),1), torch.zeros(len(Q), v.shape[1])
    for a in range(max(0,first-window)//size*size, min(first+len(Q), n), size):
        b=min(a+size, n); back=places-torch.arange(a,b)
        s=(Q@chip.load(k,a,b).mT/Q.shape[1]**0.5).masked_fill((back<0)|(back>window), -math.inf)
        new=torch.maximum(top,s.amax(1,keepdim=True)); safe=new.masked_fill(new==-math.inf,0.)
        w,less=(s-safe).exp(),(top-safe).exp()
        out,total,top=out*less+w@chip.load(v,a,b),total*less+w.sum(1,keepdim=True),new
    return out/total

# answer: my_window_tile | wrong | reads beyond end | belongs to another array
def my_window_tile(chip, Q, first, k, v, window, size):
    places = torch.arange(first, first + len(Q))[:, None]
    top, total, out = torch.full((len(Q),1), -math.inf), torch.zeros(len(Q),1), torch.zeros(len(Q), v.shape[1])
    for a in range(max(0,first-window+1)//size*size, first+len(Q), size):
        b=a+size; back=places-torch.arange(a,b)
        s=(Q@chip.load(k,a,b).mT/Q.shape[1]**0.5).masked_fill((back<0)|(back>=window), -math.inf)
        new=torch.maximum(top,s.amax(1,keepdim=True)); safe=new.masked_fill(new==-math.inf,0.)
        w,less=(s-safe).exp(),(top-safe).exp()
        out,total,top=out*less+w@chip.load(v,a,b),total*less+w.sum(1,keepdim=True),new
    return out/total

# answer: my_window_tile | wrong | nan_to_num at the end | turn it to 0 at the end
def my_window_tile(chip, Q, first, k, v, window, size):
    places = torch.arange(first, first + len(Q))[:, None]
    top, total, out = torch.full((len(Q),1), -math.inf), torch.zeros(len(Q),1), torch.zeros(len(Q), v.shape[1])
    for a in range(max(0,first-window+1)//size*size, min(first+len(Q), len(k)), size):
        b=min(a+size,len(k)); back=places-torch.arange(a,b)
        s=(Q@chip.load(k,a,b).mT/Q.shape[1]**0.5).masked_fill((back<0)|(back>=window), -math.inf)
        new=torch.maximum(top,s.amax(1,keepdim=True))
        w,less=(s-new).exp(),(top-new).exp()
        out,total,top=out*less+w@chip.load(v,a,b),total*less+w.sum(1,keepdim=True),new
    return (out/total).nan_to_num()
