"""What a machine can do, in seconds; in machine.csv that of the machine which the lesson names.

python -m attn_lesson.lesson12 machine  prints the rows; it takes half a minute.
"""

import time

import torch
from torch.nn.functional import scaled_dot_product_attention as fused

HEADS, SIZE = 9, 64  # of a layer of lesson 10's model
CACHED = 65536  # tokens in the cache that decoding reads


def _seconds(function, *arguments, times=5):
    """The shortest of some runs: what else the machine does only adds."""
    function(*arguments)
    took = []
    for _ in range(times):
        started = time.perf_counter()
        function(*arguments)
        took.append(time.perf_counter() - started)
    return min(took)


def plain(q, k, v):
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v


def decode(q, k, v):
    """One new token: q (kv heads, heads that share, size) against k and v (kv heads, m, size)."""
    return ((q @ k.mT) / q.shape[-1] ** 0.5).softmax(-1) @ v


@torch.no_grad()
def measure(lengths=(256, 512, 1024, 2048, 4096), cached=CACHED, numbers=2**25):
    """Seconds and rates of one thread of this machine, {(what, size): number}.

    "GB/s" that it reads and writes, "GFLOP/s" that it computes, of products of two squares; and
    seconds of "plain" and "fused" attention of so many tokens, and of one new token in "decode"
    with so many heads of keys and values, of `cached` tokens each. The first rate is that of
    copying `numbers` numbers, too many for a processor's own memory.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    draw = torch.Generator().manual_seed(0)
    found = {}
    a, b = torch.randn(2, numbers, generator=draw)
    found["GB/s", 0] = 2 * a.nbytes / _seconds(b.copy_, a) / 1e9
    a, b = torch.randn(2, 1024, 1024, generator=draw)
    found["GFLOP/s", 0] = 2 * 1024**3 / _seconds(torch.matmul, a, b) / 1e9
    for n in lengths:
        q, k, v = torch.randn(3, 1, HEADS, n, SIZE, generator=draw)
        found["plain", n] = _seconds(plain, q, k, v)
        found["fused", n] = _seconds(fused, q, k, v)
    for heads in (9, 3, 1):
        k, v = torch.randn(2, heads, cached, SIZE, generator=draw)
        q = torch.randn(heads, HEADS // heads, SIZE, generator=draw)
        found["decode", heads] = _seconds(decode, q, k, v)
    torch.set_num_threads(before)
    return found


def rows():
    """The lines of machine.csv."""
    yield "what,size,value"
    for (what, size), value in measure().items():
        yield f"{what},{size},{value:.4g}"
