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

# answer: my_tile | wrong | all keys first, softmax over the row | are there at one time
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

# answer: my_tile | wrong | everything loaded at once | are there at one time
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

# answer: my_window_tile | wrong | start not aligned to tiles | begin at the first key
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


# answer: my_tile | wrong | running maximum starts at 0, so rows with all scores far below 0 under | Your largest score starts at 0. Where
def my_tile(chip, Q, k, v, size):
    b, d = Q.shape
    top = torch.zeros(b)
    total = torch.zeros(b)
    out = torch.zeros(b, v.shape[1])
    for a in range(0, len(k), size):
        e = min(a + size, len(k))
        s = Q @ chip.load(k, a, e).T / math.sqrt(d)
        new = torch.maximum(top, s.max(dim=1).values)
        w = torch.exp(s - new[:, None])
        f = torch.exp(top - new)
        total = total * f + w.sum(dim=1)
        out = out * f[:, None] + w @ chip.load(v, a, e)
        top = new
    return out / total[:, None]


# answer: my_tile | wrong | one maximum for all queries of the tile instead of one per row, rows w | You keep one maximum for all queries
def my_tile(chip, Q, k, v, size):
    b, d = Q.shape
    top = torch.tensor(-math.inf)
    total = torch.zeros(b, 1)
    out = torch.zeros(b, v.shape[1])
    for a in range(0, len(k), size):
        e = min(a + size, len(k))
        K = chip.load(k, a, e)
        V = chip.load(v, a, e)
        s = Q @ K.T / d ** 0.5
        new = torch.maximum(top, s.max())
        p = (s - new).exp()
        f = (top - new).exp()
        total = total * f + p.sum(1, keepdim=True)
        out = out * f + p @ V
        top = new
    return out / total


# answer: my_tile | wrong | last tile is moved back to be full, so some keys count twice | The output is right. But 30 numbers
def my_tile(chip, Q, k, v, size):
    b, d = Q.shape
    n = len(k)
    size = min(size, n)
    top = torch.full((b,), -math.inf)
    total = torch.zeros(b)
    out = torch.zeros(b, v.shape[1])
    for a in range(0, n, size):
        if a + size > n:
            a = n - size
        s = Q @ chip.load(k, a, a + size).T / math.sqrt(d)
        new = torch.maximum(top, s.max(dim=1).values)
        w = torch.exp(s - new[:, None])
        f = torch.exp(top - new)
        total = total * f + w.sum(dim=1)
        out = out * f[:, None] + w @ chip.load(v, a, a + size)
        top = new
    return out / total[:, None]


# answer: my_tile | wrong | divides by the root of the values' width, right only when e equals d | You divide the scores by the root
def my_tile(chip, Q, k, v, size):
    b = Q.shape[0]
    e = v.shape[1]
    top = torch.full((b, 1), -math.inf)
    total = torch.zeros(b, 1)
    out = torch.zeros(b, e)
    for start in range(0, len(k), size):
        stop = min(start + size, len(k))
        s = Q @ chip.load(k, start, stop).T / math.sqrt(e)
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w = torch.exp(s - new)
        f = torch.exp(top - new)
        total = total * f + w.sum(1, keepdim=True)
        out = out * f + w @ chip.load(v, start, stop)
        top = new
    return out / total


# answer: my_tile | wrong | right numbers and moves, but collects all tiles of keys in lists befor | The output is right, and so is
def my_tile(chip, Q, k, v, size):
    Ks, Vs = [], []
    for a in range(0, len(k), size):
        e = min(a + size, len(k))
        Ks.append(chip.load(k, a, e))
        Vs.append(chip.load(v, a, e))
    s = torch.cat([Q @ K.T for K in Ks], dim=1) / math.sqrt(Q.shape[1])
    return torch.softmax(s, dim=1) @ torch.cat(Vs)


# answer: my_tile | wrong | right numbers, but fetches the keys twice: one pass for the maximum, o | The output is right. But you load
def my_tile(chip, Q, k, v, size):
    b, d = Q.shape
    n = len(k)
    top = torch.full((b, 1), -math.inf)
    for a in range(0, n, size):
        s = Q @ chip.load(k, a, min(a + size, n)).T / math.sqrt(d)
        top = torch.maximum(top, s.amax(1, keepdim=True))
    total = torch.zeros(b, 1)
    out = torch.zeros(b, v.shape[1])
    for a in range(0, n, size):
        e = min(a + size, n)
        s = Q @ chip.load(k, a, e).T / math.sqrt(d)
        w = torch.exp(s - top)
        total += w.sum(1, keepdim=True)
        out += w @ chip.load(v, a, e)
    return out / total


# answer: my_tile | wrong | rescales the sum when the maximum grows but not the output | You shrink the sum so far when
def my_tile(chip, Q, k, v, size):
    b, d = Q.shape
    top = torch.full((b,), -math.inf)
    total = torch.zeros(b)
    out = torch.zeros(b, v.shape[1])
    for a in range(0, len(k), size):
        e = min(a + size, len(k))
        s = Q @ chip.load(k, a, e).T / math.sqrt(d)
        new = torch.maximum(top, s.max(dim=1).values)
        w = torch.exp(s - new[:, None])
        total = total * torch.exp(top - new) + w.sum(dim=1)
        out = out + w @ chip.load(v, a, e)
        top = new
    return out / total[:, None]


# answer: my_tile | right | one way
def my_tile(chip, Q, k, v, size):
    b, d = Q.shape
    n = len(k)
    top = torch.full((b,), -math.inf)
    total = torch.zeros(b)
    out = torch.zeros(b, v.shape[1])
    for a in range(0, n, size):
        e = min(a + size, n)
        K = chip.load(k, a, e)
        V = chip.load(v, a, e)
        s = Q @ K.T / math.sqrt(d)
        new = torch.maximum(top, s.max(dim=1).values)
        w = torch.exp(s - new[:, None])
        f = torch.exp(top - new)
        total = f * total + w.sum(dim=1)
        out = f[:, None] * out + w @ V
        top = new
    return out / total[:, None]


# answer: my_tile | right | one way
def my_tile(chip, Q, k, v, size):
    # merges finished tiles through the log of their sums
    n = k.shape[0]
    q = Q / Q.shape[1] ** 0.5
    out, lse = None, None
    a = 0
    while a < n:
        e = min(n, a + size)
        s = torch.einsum("bd,md->bm", q, chip.load(k, a, e))
        l = torch.logsumexp(s, dim=1, keepdim=True)
        o = torch.softmax(s, dim=1) @ chip.load(v, a, e)
        if out is None:
            out, lse = o, l
        else:
            both = torch.logaddexp(lse, l)
            out = out * (lse - both).exp() + o * (l - both).exp()
            lse = both
        a = e
    return out


# answer: my_tile | right | one way
def my_tile(chip, Q, k, v, size):
    # one query at a time inside a tile, tile loaded once
    b, d = Q.shape
    n = len(k)
    top = [-math.inf] * b
    total = [0.0] * b
    out = [torch.zeros(v.shape[1]) for _ in range(b)]
    for t in range(math.ceil(n / size)):
        K = chip.load(k, t * size, min((t + 1) * size, n))
        V = chip.load(v, t * size, min((t + 1) * size, n))
        for i in range(b):
            s = K @ Q[i] / math.sqrt(d)
            new = max(top[i], s.max().item())
            w = torch.exp(s - new)
            f = math.exp(top[i] - new)
            total[i] = total[i] * f + w.sum()
            out[i] = out[i] * f + w @ V
            top[i] = new
        del K, V
    return torch.stack([o / t for o, t in zip(out, total)])


# answer: my_tile_gradients | wrong | softmax over the tile alone instead of exp(s - logs), right only if th | Your weights are a softmax over this
def my_tile_gradients(Q, K, V, grad, logs, inner):
    scale = 1 / math.sqrt(Q.shape[1])
    w = torch.softmax(Q @ K.T * scale, dim=1)
    gs = w * (grad @ V.T - inner[:, None])
    return gs @ K * scale, gs.T @ Q * scale, w.T @ grad


# answer: my_tile_gradients | wrong | computes c from this tile instead of using inner of the whole row | You compute inner from this tile's weights
def my_tile_gradients(Q, K, V, grad, logs, inner):
    scale = 1 / math.sqrt(Q.shape[1])
    w = torch.exp(Q @ K.T * scale - logs[:, None])
    gw = grad @ V.T
    c = (w * gw).sum(dim=1, keepdim=True)
    gs = w * (gw - c)
    return gs @ K * scale, gs.T @ Q * scale, w.T @ grad


# answer: my_tile_gradients | wrong | the root of d is missing in the gradient of K | You divide the gradient of Q by
def my_tile_gradients(Q, K, V, grad, logs, inner):
    d = Q.shape[1]
    w = torch.exp(Q @ K.T / math.sqrt(d) - logs.unsqueeze(1))
    gs = w * (grad @ V.T - inner.unsqueeze(1))
    return gs @ K / math.sqrt(d), gs.T @ Q, w.T @ grad


# answer: my_tile_gradients | wrong | takes d from V, right only when e equals d | You divide the scores by the root
def my_tile_gradients(Q, K, V, grad, logs, inner):
    root = V.shape[-1] ** 0.5
    w = (Q @ K.T / root - logs[:, None]).exp()
    gs = w * (grad @ V.T - inner[:, None]) / root
    return gs @ K, gs.T @ Q, w.T @ grad


# answer: my_tile_gradients | wrong | scales Q first and then divides the gradient of K by the root once mor | You divide the gradient of K by
def my_tile_gradients(Q, K, V, grad, logs, inner):
    root = math.sqrt(Q.shape[1])
    Q = Q / root
    w = torch.exp(Q @ K.T - logs[:, None])
    gs = w * (grad @ V.T - inner[:, None])
    gs = gs / root
    return gs @ K, gs.T @ Q, w.T @ grad


# answer: my_tile_gradients | wrong | c is subtracted outside the product with the weights | You take inner off after the weights
def my_tile_gradients(Q, K, V, grad, logs, inner):
    root = math.sqrt(Q.shape[1])
    w = torch.exp(Q @ K.T / root - logs[:, None])
    gs = w * (grad @ V.T) - inner[:, None]
    return gs @ K / root, gs.T @ Q / root, w.T @ grad


# answer: my_tile_gradients | wrong | gradient of V uses the gradient of the scores instead of the weights | The gradient of V comes from the
def my_tile_gradients(Q, K, V, grad, logs, inner):
    root = math.sqrt(Q.shape[1])
    w = torch.exp(Q @ K.T / root - logs[:, None])
    gs = w * (grad @ V.T - inner[:, None])
    return gs @ K / root, gs.T @ Q / root, gs.T @ grad


# answer: my_tile_gradients | right | one way
def my_tile_gradients(Q, K, V, grad, logs, inner):
    root = math.sqrt(Q.shape[1])
    w = torch.exp(Q @ K.T / root - logs[:, None])
    gs = w * (grad @ V.T - inner[:, None])
    return gs @ K / root, gs.T @ Q / root, w.T @ grad


# answer: my_tile_gradients | right | one way
def my_tile_gradients(Q, K, V, grad, logs, inner):
    gq, gk, gv = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    root = math.sqrt(Q.shape[1])
    for i in range(len(Q)):
        w = torch.exp(K @ Q[i] / root - logs[i])
        gs = w * (V @ grad[i] - inner[i]) / root
        gq[i] = gs @ K
        gk += torch.outer(gs, Q[i])
        gv += torch.outer(w, grad[i])
    return gq, gk, gv


# answer: my_rule | wrong | window one too long (<= instead of <) | Your window has one token too many
def my_rule(q, k, document, window):
    return (document[q] == document[k]) & (k <= q) & (q - k <= window)


# answer: my_rule | wrong | window to both sides, later tokens are visible | Your rule shows later tokens of the
def my_rule(q, k, document, window):
    return (document[q] == document[k]) & ((q - k).abs() < window)


# answer: my_rule | wrong | compares all documents with all, ignoring which positions q and k hold | The result has 2 axes instead of
def my_rule(q, k, document, window):
    same = document[:, None] == document[None, :]
    return same & (k <= q) & (q - k < window)


# answer: my_rule | wrong | takes texts for unbroken runs: a text that comes back after another is | You take a text for an unbroken
def my_rule(q, k, document, window):
    change = torch.zeros_like(document)
    change[1:] = (document[1:] != document[:-1]).long()
    run = torch.cumsum(change, dim=0)
    return (run[q] == run[k]) & (k <= q) & (k > q - window)


# answer: my_rule | wrong | lets q see everything from the first token of its text on, other texts | Your rule shows all that stands behind
def my_rule(q, k, document, window):
    first = (document[:, None] == document[None, :]).int().argmax(dim=1)
    return (k >= first[q]) & (k <= q) & (q - k < window)


# answer: my_rule | wrong | brackets missing: & binds before == | `&` binds more strongly than `==`: put
def my_rule(q, k, document, window):
    return document[q] == document[k] & (k <= q) & (q - k < window)


# answer: my_rule | wrong | a token does not see itself | In your rule a token does not
def my_rule(q, k, document, window):
    back = q - k
    return (document[q] == document[k]) & (back > 0) & (back < window)


# answer: my_rule | right | one way
def my_rule(q, k, document, window):
    return (document[q] == document[k]) & (k <= q) & (q - k < window)


# answer: my_rule | right | one way
def my_rule(q, k, document, window):
    q, k = torch.broadcast_tensors(q, k)
    hidden = document[q].ne(document[k])
    hidden = hidden | (k > q)
    hidden = torch.logical_or(hidden, k <= q - window)
    return ~hidden


# answer: my_rule | right | one way
def my_rule(q, k, document, window):
    q, k = torch.broadcast_tensors(q, k)
    seen = [document[i].item() == document[j].item() and j <= i and j > i - window
            for i, j in zip(q.flatten().tolist(), k.flatten().tolist())]
    return torch.tensor(seen, dtype=torch.bool).reshape(q.shape)


# answer: my_moved | wrong | with causal counts only the keys up to the last query, not whole tiles | With causal you count the keys up
def my_moved(n, d, rows, columns, causal):
    moved = 2 * n * d
    for a in range(0, n, rows):
        end = min(a + rows, n)
        moved += 2 * d * (end if causal else n)
    return moved


# answer: my_moved | wrong | the last tile of keys is counted at full size | You count the last tile of keys
def my_moved(n, d, rows, columns, causal):
    moved = 2 * n * d
    for a in range(0, n, rows):
        end = min(a + rows, n) if causal else n
        tiles = math.ceil(end / columns)
        moved += 2 * tiles * columns * d
    return moved


# answer: my_moved | wrong | end // columns + 1 tiles: one tile too many when columns divides the e | With causal you load one tile of
def my_moved(n, d, rows, columns, causal):
    moved = 2 * n * d
    for a in range(0, n, rows):
        if causal:
            end = min(a + rows, n)
            keys = min((end // columns + 1) * columns, n)
        else:
            keys = n
        moved += 2 * keys * d
    return moved


# answer: my_moved | wrong | with causal looks at the first query of the tile instead of the last | With causal you look at the tile's
def my_moved(n, d, rows, columns, causal):
    total = 2 * n * d
    for a in range(0, n, rows):
        for c in range(0, n, columns):
            if causal and c > a:
                continue
            total += 2 * d * (min(c + columns, n) - c)
    return total


# answer: my_moved | wrong | the number of tiles of queries is rounded down, the short last tile lo | For the last tile of queries, which
def my_moved(n, d, rows, columns, causal):
    total = 2 * n * d
    for t in range(n // rows):
        end = (t + 1) * rows
        keys = min(n, -(-end // columns) * columns) if causal else n
        total += 2 * keys * d
    return total


# answer: my_moved | wrong | counts tiles up to the same number as the query tile, right only for r | With causal you take as many tiles
def my_moved(n, d, rows, columns, causal):
    total = 2 * n * d
    for t in range(math.ceil(n / rows)):
        keys = min((t + 1) * columns, n) if causal else n
        total += 2 * keys * d
    return total


# answer: my_moved | wrong | the last tile of queries and outputs is counted at full size | You count the last tile of queries
def my_moved(n, d, rows, columns, causal):
    total = 0
    for a in range(0, n, rows):
        total += 2 * rows * d
        for c in range(0, n, columns):
            if not causal or c < min(a + rows, n):
                total += 2 * d * min(columns, n - c)
    return total


# answer: my_moved | right | one way
def my_moved(n, d, rows, columns, causal):
    total = 0
    for a in range(0, n, rows):
        b = min(a + rows, n)
        total += (b - a) * d            # queries
        for c in range(0, n, columns):
            if causal and c > b - 1:
                break
            total += 2 * (min(c + columns, n) - c) * d
        total += (b - a) * d            # outputs
    return total


# answer: my_moved | right | one way
def my_moved(n, d, rows, columns, causal):
    tiles = -(-n // rows)
    if not causal:
        return 2 * n * d + 2 * tiles * n * d
    ends = [min((t + 1) * rows, n) for t in range(tiles)]
    return 2 * d * (n + sum(min(n, -(-e // columns) * columns) for e in ends))


# answer: my_moved | right | one way
def my_moved(n, d, rows, columns, causal):
    i = torch.arange(n)
    sees = (i[:, None] >= i[None, :]) if causal else torch.ones(n, n, dtype=torch.bool)
    count = 0
    for q in sees.split(rows, dim=0):
        count += 2 * q.shape[0]
        for tile in q.split(columns, dim=1):
            if tile.any():
                count += 2 * tile.shape[1]
    return count * d


# answer: my_tile_kinds | wrong | forgets that the queries stand at the end: query i is put at place i | You lay the queries at the beginning
def my_tile_kinds(n, m, rows, columns, window):
    q = torch.arange(n)[:, None]
    k = torch.arange(m)[None, :]
    seen = (k <= q) & (q - k < window)
    return torch.tensor([[0 if not t.any() else 2 if t.all() else 1 for t in r.split(columns, 1)]
                         for r in seen.split(rows, 0)])


# answer: my_tile_kinds | wrong | looks at the four corners only, a narrow band through a tile's middle  | You look at the four corners of
def my_tile_kinds(n, m, rows, columns, window):
    def sees(i, j):
        p = m - n + i
        return j <= p and p - j < window
    out = []
    for a in range(0, n, rows):
        b = min(a + rows, n) - 1
        line = []
        for c in range(0, m, columns):
            e = min(c + columns, m) - 1
            corners = [sees(a, c), sees(a, e), sees(b, c), sees(b, e)]
            line.append(2 if all(corners) else 1 if any(corners) else 0)
        out.append(line)
    return torch.tensor(out)


# answer: my_tile_kinds | wrong | fills the smaller last tiles up with hidden pairs, so they can never b | A smaller tile at the end is
def my_tile_kinds(n, m, rows, columns, window):
    tq, tk = -(-n // rows), -(-m // columns)
    mask = torch.zeros(tq * rows, tk * columns, dtype=torch.bool)
    q = torch.arange(m - n, m)[:, None]
    k = torch.arange(m)[None, :]
    mask[:n, :m] = (k <= q) & (q - k < window)
    t = mask.view(tq, rows, tk, columns).permute(0, 2, 1, 3).flatten(2)
    return t.any(-1).long() + t.all(-1).long()


# answer: my_tile_kinds | wrong | window one too long | Your window has one token too many
def my_tile_kinds(n, m, rows, columns, window):
    p = torch.arange(n)[:, None] + m - n
    k = torch.arange(m)
    seen = (k <= p) & (k >= p - window)
    out = torch.zeros(math.ceil(n / rows), math.ceil(m / columns), dtype=torch.long)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            t = seen[i * rows:(i + 1) * rows, j * columns:(j + 1) * columns]
            out[i, j] = int(t.any()) + int(t.all())
    return out


# answer: my_tile_kinds | wrong | full is judged with the first query for both edges, the window of the  | You call a tile whole if its
def my_tile_kinds(n, m, rows, columns, window):
    out = torch.zeros(-(-n // rows), -(-m // columns), dtype=torch.long)
    for i in range(out.shape[0]):
        lo = m - n + i * rows
        hi = m - n + min((i + 1) * rows, n) - 1
        for j in range(out.shape[1]):
            c = j * columns
            e = min(c + columns, m) - 1
            if c > hi or lo - e >= window:
                continue
            out[i, j] = 2 if e <= lo and lo - c < window else 1
    return out


# answer: my_tile_kinds | wrong | short last tiles keep their full reach: edges are not cut off at n and | You judge the tiles at the end
def my_tile_kinds(n, m, rows, columns, window):
    a = torch.arange(0, n, rows)[:, None] + m - n
    b = a + rows - 1
    c = torch.arange(0, m, columns)[None, :]
    e = c + columns - 1
    some = (c <= b) & (a - e < window)
    full = (e <= a) & (b - c < window)
    return some.long() + full.long()


# answer: my_tile_kinds | wrong | hidden by the window is never 0: only tiles after the queries are 0 | Tiles that lie before every query's window
def my_tile_kinds(n, m, rows, columns, window):
    a = torch.arange(0, n, rows)[:, None]
    b = (a + rows).clamp(max=n) - 1
    a, b = a + m - n, b + m - n
    c = torch.arange(0, m, columns)[None, :]
    e = (c + columns).clamp(max=m) - 1
    kinds = torch.ones(len(a), c.shape[1], dtype=torch.long)
    kinds[c > b] = 0
    kinds[(e <= a) & (b - c < window)] = 2
    return kinds


# answer: my_tile_kinds | right | one way
def my_tile_kinds(n, m, rows, columns, window):
    q = torch.arange(m - n, m)[:, None]
    k = torch.arange(m)[None, :]
    seen = (k <= q) & (q - k < window)
    return torch.tensor([[0 if not t.any() else 2 if t.all() else 1 for t in r.split(columns, 1)]
                         for r in seen.split(rows, 0)])


# answer: my_tile_kinds | right | one way
def my_tile_kinds(n, m, rows, columns, window):
    a = torch.arange(0, n, rows)[:, None]
    b = (a + rows).clamp(max=n) - 1
    a, b = a + m - n, b + m - n
    c = torch.arange(0, m, columns)[None, :]
    e = (c + columns).clamp(max=m) - 1
    some = (c <= b) & (a - e < window)
    full = (e <= a) & (b - c < window)
    return some.int() + full.int()


# answer: my_tile_kinds | right | one way
def my_tile_kinds(n, m, rows, columns, window):
    count = torch.zeros(-(-n // rows), -(-m // columns), dtype=torch.long)
    area = torch.zeros_like(count)
    for i in range(n):
        for j in range(m):
            area[i // rows, j // columns] += 1
            if 0 <= m - n + i - j < window:
                count[i // rows, j // columns] += 1
    return torch.where(count == 0, 0, torch.where(count == area, 2, 1))


# answer: my_masked_step | wrong | scores masked well, but zero weights times NaN values give NaN | Values that no row may see are
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    new = torch.maximum(top, s.amax(dim=1))
    safe = torch.where(new == -math.inf, torch.zeros_like(new), new)
    w = torch.exp(s - safe[:, None])
    f = torch.exp(top - safe)
    return new, total * f + w.sum(1), output * f[:, None] + w @ values


# answer: my_masked_step | wrong | minus infinity less minus infinity: NaN for a query that has seen noth | A row that has seen nothing becomes
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    v = values.nan_to_num(0.0)
    new = torch.maximum(top, s.amax(dim=1))
    w = torch.exp(s - new[:, None])
    f = torch.exp(top - new)
    return new, total * f + w.sum(1), output * f[:, None] + w @ v


# answer: my_masked_step | wrong | hidden scores get a very negative number: a query that sees nothing ge | Your masked scores are -1e9: a row
def my_masked_step(top, total, output, scores, values, mask):
    s = torch.where(mask, scores, torch.tensor(-1e9))
    v = torch.nan_to_num(values)
    new = torch.maximum(top, s.max(dim=1).values)
    w = torch.exp(s - new[:, None])
    f = torch.exp(top - new)
    return new, total * f + w.sum(dim=1), output * f[:, None] + w @ v


# answer: my_masked_step | wrong | returns the stand-in 0 as top of a query that has seen nothing | A row that has seen nothing gets
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    v = torch.where(mask.any(dim=0)[:, None], values, torch.zeros_like(values))
    new = torch.maximum(top, s.amax(dim=1))
    new = new.masked_fill(new == -math.inf, 0.0)
    w = torch.exp(s - new[:, None])
    f = torch.exp(top - new)
    return new, total * f + w.sum(1), output * f[:, None] + w @ v


# answer: my_masked_step | wrong | clears the values of all keys that any query may not see (all instead  | You put zeros in place of the
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    v = values.masked_fill(~mask.all(dim=0)[:, None], 0.0)
    new = torch.maximum(top, s.amax(dim=1))
    safe = new.masked_fill(new == -math.inf, 0.0)
    w = torch.exp(s - safe[:, None])
    f = torch.exp(top - safe)
    return new, total * f + w.sum(1), output * f[:, None] + w @ v


# answer: my_masked_step | wrong | a query that sees nothing in this tile is set back to the start, thoug | A query that sees nothing in this
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    v = values.masked_fill(~mask.any(dim=0)[:, None], 0.0)
    new = torch.maximum(top, s.amax(dim=1))
    w = torch.exp(s - new[:, None])
    f = torch.exp(top - new)
    t = total * f + w.sum(1)
    o = output * f[:, None] + w @ v
    sees = mask.any(dim=1)
    new = torch.where(sees, new, torch.full_like(new, -math.inf))
    t = torch.where(sees, t, torch.zeros_like(t))
    o = torch.where(sees[:, None], o, torch.zeros_like(o))
    return new, t, o


# answer: my_masked_step | wrong | adds minus infinity to hidden scores: a NaN score stays NaN | You add minus infinity where the mask
def my_masked_step(top, total, output, scores, values, mask):
    bias = torch.zeros(mask.shape).masked_fill(~mask, -math.inf)
    s = scores + bias
    v = values.nan_to_num(0.0)
    new = torch.maximum(top, s.amax(dim=1))
    safe = new.masked_fill(new == -math.inf, 0.0)
    w = torch.exp(s - safe[:, None])
    f = torch.exp(top - safe)
    return new, total * f + w.sum(1), output * f[:, None] + w @ v


# answer: my_masked_step | right | one way
def my_masked_step(top, total, output, scores, values, mask):
    s = scores.masked_fill(~mask, -math.inf)
    v = values.masked_fill(~mask.any(dim=0)[:, None], 0.0)
    new = torch.maximum(top, s.amax(dim=1))
    safe = new.masked_fill(new == -math.inf, 0.0)
    w = torch.exp(s - safe[:, None])
    f = torch.exp(top - safe)
    return new, total * f + w.sum(1), output * f[:, None] + w @ v


# answer: my_masked_step | right | one way
def my_masked_step(top, total, output, scores, values, mask):
    # only the queries that see something are touched, one after the other
    top, total, output = top.clone(), total.clone(), output.clone()
    for i in range(len(top)):
        seen = mask[i]
        if not seen.any():
            continue
        s, v = scores[i][seen], values[seen]
        new = torch.maximum(top[i], s.max())
        w = torch.exp(s - new)
        f = torch.exp(top[i] - new)
        total[i] = total[i] * f + w.sum()
        output[i] = output[i] * f + w @ v
        top[i] = new
    return top, total, output


# answer: my_masked_step | right | one way
def my_masked_step(top, total, output, scores, values, mask):
    # computes with a low number and lets weights be zero by the mask afterwards
    s = torch.where(mask, scores, torch.full_like(scores, -math.inf))
    new = torch.maximum(top, s.max(dim=1).values)
    w = torch.where(mask, torch.exp(s - new.unsqueeze(1)), torch.zeros_like(s))
    f = torch.nan_to_num(torch.exp(top - new), nan=1.0)
    v = torch.where(torch.isnan(values), torch.zeros_like(values), values)
    return new, f * total + w.sum(dim=1), f.unsqueeze(1) * output + w @ v


# answer: my_window_tile | wrong | no care for queries that see nothing in the first tile: NaN | A query that sees nothing in the
def my_window_tile(chip, Q, first, k, v, window, size):
    b, d = Q.shape
    n = len(k)
    q = torch.arange(first, first + b)[:, None]
    top = torch.full((b, 1), -math.inf)
    total = torch.zeros(b, 1)
    out = torch.zeros(b, v.shape[1])
    for a in range(max(0, first - window + 1) // size * size, min(first + b, n), size):
        e = min(a + size, n)
        p = torch.arange(a, e)[None, :]
        s = Q @ chip.load(k, a, e).T / math.sqrt(d)
        s = s.masked_fill((p > q) | (q - p >= window), -math.inf)
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w = torch.exp(s - new)
        f = torch.exp(top - new)
        total = total * f + w.sum(1, keepdim=True)
        out = out * f + w @ chip.load(v, a, e)
        top = new
    return out / total


# answer: my_window_tile | wrong | tiles start at the first key that is seen instead of at multiples of s | The output is right, and so is
def my_window_tile(chip, Q, first, k, v, window, size):
    b, d = Q.shape
    n = len(k)
    q = torch.arange(first, first + b)[:, None]
    top = torch.full((b, 1), -1e30)
    total = torch.zeros(b, 1)
    out = torch.zeros(b, v.shape[1])
    for a in range(max(0, first - window + 1), first + b, size):
        e = min(a + size, n)
        p = torch.arange(a, e)[None, :]
        s = Q @ chip.load(k, a, e).T / math.sqrt(d)
        s = s.masked_fill((p > q) | (q - p >= window), -math.inf)
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w = torch.exp(s - new)
        f = torch.exp(top - new)
        total = total * f + w.sum(1, keepdim=True)
        out = out * f + w @ chip.load(v, a, e)
        top = new
    return out / total


# answer: my_window_tile | wrong | right numbers, but loads every tile from 0 on, also those before all w | The output is right. But you load
def my_window_tile(chip, Q, first, k, v, window, size):
    b, d = Q.shape
    n = len(k)
    q = torch.arange(first, first + b)[:, None]
    top = torch.full((b, 1), -1e30)
    total = torch.zeros(b, 1)
    out = torch.zeros(b, v.shape[1])
    for a in range(0, first + b, size):
        e = min(a + size, n)
        p = torch.arange(a, e)[None, :]
        s = Q @ chip.load(k, a, e).T / math.sqrt(d)
        s = s.masked_fill((p > q) | (q - p >= window), -math.inf)
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w = torch.exp(s - new)
        f = torch.exp(top - new)
        total = total * f + w.sum(1, keepdim=True)
        out = out * f + w @ chip.load(v, a, e)
        top = new
    return out / total


# answer: my_window_tile | wrong | first tile from first - window instead of first - window + 1: right nu | The output is right. But you load
def my_window_tile(chip, Q, first, k, v, window, size):
    b, d = Q.shape
    n = len(k)
    q = torch.arange(first, first + b)[:, None]
    top = torch.full((b,), -math.inf)
    total = torch.zeros(b)
    out = torch.zeros(b, v.shape[1])
    for t in range(max(0, first - window) // size, (first + b - 1) // size + 1):
        a, e = t * size, min((t + 1) * size, n)
        p = torch.arange(a, e)[None, :]
        s = Q @ chip.load(k, a, e).T / math.sqrt(d)
        s = s.masked_fill(~((p <= q) & (q - p < window)), -math.inf)
        new = torch.maximum(top, s.amax(1))
        safe = new.masked_fill(new == -math.inf, 0.0)
        w = torch.exp(s - safe[:, None])
        f = torch.exp(top - safe)
        total = total * f + w.sum(1)
        out = out * f[:, None] + w @ chip.load(v, a, e)
        top = new
    return out / total[:, None]


# answer: my_window_tile | wrong | right numbers, but an end one too far: loads a tile after the last que | The output is right. But 6 numbers
def my_window_tile(chip, Q, first, k, v, window, size):
    b, d = Q.shape
    n = len(k)
    q = torch.arange(first, first + b)[:, None]
    top = torch.full((b,), -math.inf)
    total = torch.zeros(b)
    out = torch.zeros(b, v.shape[1])
    t = max(0, first - window + 1) // size
    while t * size <= first + b and t * size < n:
        a, e = t * size, min((t + 1) * size, n)
        p = torch.arange(a, e)[None, :]
        s = Q @ chip.load(k, a, e).T / math.sqrt(d)
        s = s.masked_fill(~((p <= q) & (q - p < window)), -math.inf)
        new = torch.maximum(top, s.amax(1))
        safe = new.masked_fill(new == -math.inf, 0.0)
        w = torch.exp(s - safe[:, None])
        f = torch.exp(top - safe)
        total = total * f + w.sum(1)
        out = out * f[:, None] + w @ chip.load(v, a, e)
        top = new
        t += 1
    return out / total[:, None]


# answer: my_window_tile | wrong | places of the keys counted from the start of the tile's first load, ri | Right in 4 of 10 cases, wrong
def my_window_tile(chip, Q, first, k, v, window, size):
    b, d = Q.shape
    n = len(k)
    start = max(0, first - window + 1) // size * size
    i = torch.arange(b)[:, None] + first
    top = torch.full((b,), -math.inf)
    total = torch.zeros(b)
    out = torch.zeros(b, v.shape[1])
    seen = 0
    for a in range(start, first + b, size):
        K = chip.load(k, a, min(a + size, n))
        V = chip.load(v, a, min(a + size, n))
        j = torch.arange(seen, seen + len(K))[None, :]
        seen += len(K)
        s = (Q @ K.T / math.sqrt(d)).masked_fill(~((j <= i) & (i - j < window)), -math.inf)
        new = torch.maximum(top, s.amax(1))
        safe = new.masked_fill(new == -math.inf, 0.0)
        w = torch.exp(s - safe[:, None])
        f = torch.exp(top - safe)
        total = total * f + w.sum(1)
        out = out * f[:, None] + w @ V
        top = new
    return out / total[:, None]


# answer: my_window_tile | wrong | maximum starts at 0 to avoid NaN: rows with all scores far below 0 und | Your largest score starts at 0. Where
def my_window_tile(chip, Q, first, k, v, window, size):
    b, d = Q.shape
    n = len(k)
    q = torch.arange(first, first + b)[:, None]
    top = torch.zeros(b, 1)
    total = torch.zeros(b, 1)
    out = torch.zeros(b, v.shape[1])
    for a in range(max(0, first - window + 1) // size * size, min(first + b, n), size):
        e = min(a + size, n)
        p = torch.arange(a, e)[None, :]
        s = Q @ chip.load(k, a, e).T / math.sqrt(d)
        s = s.masked_fill((p > q) | (q - p >= window), -math.inf)
        new = torch.maximum(top, s.amax(1, keepdim=True))
        w = torch.exp(s - new)
        f = torch.exp(top - new)
        total = total * f + w.sum(1, keepdim=True)
        out = out * f + w @ chip.load(v, a, e)
        top = new
    return out / total


# answer: my_window_tile | right | one way
def my_window_tile(chip, Q, first, k, v, window, size):
    b, d = Q.shape
    n = len(k)
    q = torch.arange(first, first + b)[:, None]
    top = torch.full((b,), -math.inf)
    total = torch.zeros(b)
    out = torch.zeros(b, v.shape[1])
    for t in range(max(0, first - window + 1) // size, (first + b - 1) // size + 1):
        a, e = t * size, min((t + 1) * size, n)
        K, V = chip.load(k, a, e), chip.load(v, a, e)
        p = torch.arange(a, e)[None, :]
        s = (Q @ K.T / math.sqrt(d)).masked_fill(~((p <= q) & (q - p < window)), -math.inf)
        new = torch.maximum(top, s.amax(1))
        safe = new.masked_fill(new == -math.inf, 0.0)
        w = torch.exp(s - safe[:, None])
        f = torch.exp(top - safe)
        total = total * f + w.sum(1)
        out = out * f[:, None] + w @ V
        top = new
    return out / total[:, None]


# answer: my_window_tile | right | one way
def my_window_tile(chip, Q, first, k, v, window, size):
    # finite stand-in: what a query gathers before it sees a key is wiped out by the factor 0 later
    b, d = Q.shape
    n = k.shape[0]
    q = torch.arange(b).view(-1, 1) + first
    top = torch.full((b, 1), -1e30)
    total = torch.zeros(b, 1)
    out = torch.zeros(b, v.shape[1])
    for a in range(0, n, size):
        e = min(a + size, n)
        p = torch.arange(a, e).view(1, -1)
        mask = (p <= q) & (p > q - window)
        if not mask.any():
            continue
        s = torch.where(mask, Q @ chip.load(k, a, e).T / d ** 0.5, torch.tensor(-1e30))
        new = torch.maximum(top, s.max(1, keepdim=True).values)
        w = (s - new).exp()
        f = (top - new).exp()
        total = total * f + w.sum(1, keepdim=True)
        out = out * f + w @ chip.load(v, a, e)
        top = new
    return out / total


# answer: my_window_tile | right | one way
def my_window_tile(chip, Q, first, k, v, window, size):
    # from the last tile to the first, each query by itself, only over the keys it sees
    b, d = Q.shape
    n = len(k)
    top, total = [-math.inf] * b, [0.0] * b
    out = torch.zeros(b, v.shape[1])
    low = max(0, first - window + 1) // size
    high = (first + b - 1) // size
    for t in range(high, low - 1, -1):
        a = t * size
        e = min(a + size, n)
        K = chip.load(k, a, e)
        V = chip.load(v, a, e)
        for i in range(b):
            x = max(a, first + i - window + 1) - a
            y = min(e, first + i + 1) - a
            if x >= y:
                continue
            s = K[x:y] @ Q[i] / math.sqrt(d)
            new = max(top[i], s.max().item())
            f = math.exp(top[i] - new)
            w = torch.exp(s - new)
            total[i] = total[i] * f + w.sum().item()
            out[i] = out[i] * f + w @ V[x:y]
            top[i] = new
        del K, V
    return out / torch.tensor(total)[:, None]
