"""What a machine can do, in seconds; in machine.csv that of the machine which the lesson names.

python -m attn_lesson.lesson12 machine  prints the rows; it takes half a minute.
python -m attn_lesson.lesson12 fresh    prints those of fresh.csv, in half a minute, on Linux.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import torch
from torch.nn.functional import scaled_dot_product_attention as fused

HEADS, SIZE = 9, 64  # of a layer of lesson 10's model
CACHED = 65536  # tokens in the cache that decoding reads


def _seconds(function, *arguments, times=5, clock=time.perf_counter):
    """The shortest of some runs: what else the machine does only adds."""
    function(*arguments)
    took = []
    for _ in range(times):
        started = clock()
        function(*arguments)
        took.append(clock() - started)
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


# Plain and fused attention, with memory that is fetched anew for large tables, and with memory kept

FRESH = (256, 512, 1024, 2048)  # tokens
KEPT = {  # settings of the C library of Linux: give no memory back, whatever its size
    "MALLOC_MMAP_THRESHOLD_": "4000000000",
    "MALLOC_TRIM_THRESHOLD_": "8000000000",
}


@torch.no_grad()
def tables(lengths=FRESH, times=30):
    """Rows (what, tokens, value) of this process: seconds, and page faults of one more call.

    The seconds are the processor's: those in which it works for others do not count.

    A page fault: the system hands out a page of memory, most often one of 4,096 bytes.
    """
    import resource  # not on Windows

    def faults():
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

    draw = torch.Generator().manual_seed(0)
    for n in lengths:
        q, k, v = torch.randn(3, 1, HEADS, n, SIZE, generator=draw)
        for name, function in (("plain", plain), ("fused", fused)):
            yield name, n, _seconds(function, q, k, v, times=times, clock=time.process_time)
            before = faults()
            function(q, k, v)
            yield f"{name} pages", n, faults() - before


def fresh_rows():
    """The lines of fresh.csv: the same calls in two processes, which differ in KEPT alone."""
    yield "memory,what,size,value"
    paths = os.pathsep.join(path for path in sys.path if path)
    for memory, settings in (("fresh", {}), ("kept", KEPT)):
        environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", **settings}
        said = subprocess.run(
            [sys.executable, "-m", "attn_lesson.lesson12", "tables"], env=environment,
            cwd=Path(__file__).parents[2], check=True, capture_output=True, text=True,
        )  # fmt: skip
        yield from (f"{memory},{line}" for line in said.stdout.splitlines())
