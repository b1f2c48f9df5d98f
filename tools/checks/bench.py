"""Measure, side by side in one run: what attention costs, and whether dragging feels live.

    python -m tools.checks.bench             everything; a few minutes
    python -m tools.checks.bench attention   the table of attention alone (or sliders: theirs)

Times are of this machine at this moment: read the ratios, each with its range over the rounds, in
which all take turns. Memory is the most that lived at one time beyond what was there before.
"""

import gc
import itertools
import statistics
import sys
import timeit
from functools import partial
from unittest import mock

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention as fused_attention

import attn_lesson
import attn_teach as at
from attn_lesson import widgets
from tools.lessons import ROOT, lessons
from tools.progress import command_line
from tools.site.frames import executed

LIVE = 0.100  # seconds
SIZES = [(2, 6, 16), (4, 128, 256), (8, 512, 512), (2, 2048, 512)]  # batch, length, width
HEADS = 8
ROUNDS = 7


# Attention


def contenders(length, width):
    """What is compared, by name: functions of (X, lengths), the book's first."""
    sys.path.append(str(ROOT / "tests"))
    from reference import d2l

    ours = at.MultiHeadAttention(width, width, width, width, HEADS, bias=True)
    book = d2l.MultiHeadAttention(width, width, width, width, HEADS, 0.0, bias=True)
    torchs = nn.MultiheadAttention(width, HEADS, batch_first=True)

    def padded(lengths):
        return torch.arange(length) >= lengths.unsqueeze(1)  # True = ignore

    def projected(X):
        maps = (ours.W_q, ours.W_k, ours.W_v)
        return (m(X).unflatten(-1, (HEADS, -1)).transpose(1, 2) for m in maps)

    def bare(X, lengths):
        q, k, v = projected(X)
        return ours.W_o((q @ k.mT @ v).transpose(1, 2).flatten(-2))

    def fused(X, lengths):
        mask = ~padded(lengths)[:, None, None]
        heads = fused_attention(*projected(X), attn_mask=mask)
        return ours.W_o(heads.transpose(1, 2).flatten(-2))

    return {
        "d2l 0.17.0": lambda X, n: book(X, X, X, n),
        "ours, with weights": lambda X, n: ours(X, X, X, n),
        "nn.MultiheadAttention, with weights": lambda X, n: torchs(
            X, X, X, padded(n), average_attn_weights=False
        )[0],
        "ours, without weights": lambda X, n: ours(X, X, X, n, need_weights=False),
        "fused function, same projections": fused,
        "bare products": bare,
    }


def measure(functions, batch, length, width, backward):
    """Print time and peak memory of each function, as ratios to the first one's."""
    X = torch.randn(batch, length, width, requires_grad=backward)
    lengths = torch.linspace(length // 2, length, batch).long()

    def call(function):
        with torch.set_grad_enabled(backward):
            output = function(X, lengths)
            if backward:
                output.sum().backward()

    calls = {name: partial(call, function) for name, function in functions.items()}
    seconds = {name: [] for name in calls}
    often = 200 if length < 64 else 1
    for _ in range(ROUNDS + 1):
        for name, function in calls.items():
            seconds[name].append(timed(function, often))
    what = f"({batch}, {length}, {width}) {'forward and backward' if backward else 'forward'}"
    base, least = None, None
    for name, times in seconds.items():
        memory = peak_memory(calls[name])
        base, least = base or times, least or memory
        ratios = sorted(t / b for t, b in zip(times[1:], base[1:], strict=True))
        print(
            f"{what:38s} {name:36s} {statistics.median(times[1:]) * 1e3:8.2f} ms  time "
            f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})  "
            f"memory {memory / least:.2f} of {least / 2**20:.0f} MiB",
            flush=True,
        )


def timed(function, often=1):
    """Seconds of one call."""
    return timeit.timeit(function, number=often) / often


def peak_memory(function):
    """Most bytes that lived at one time during a call."""
    gc.collect()
    with torch.profiler.profile(profile_memory=True) as profile:
        function()
    events = profile.profiler.kineto_results.events()
    changes = sorted((e.start_ns(), e.nbytes()) for e in events if e.name() == "[memory]")
    return max(itertools.accumulate(size for _, size in changes))


def attention():
    """The table of attention."""
    torch.manual_seed(0)
    for size in SIZES:
        for backward in (False, True):
            measure(contenders(*size[1:]), *size, backward)


# Sliders


def figures(path):
    """The draw functions that a lesson hands to `explore`, with the lesson's own variables."""
    found = []
    with mock.patch.object(attn_lesson, "explore", lambda draw, **controls: found.append(draw)):
        list(executed(path, {"solution", "check", "predict"}))
    return found


def sliders():
    """Say how long each slider's figure takes; return how many are too slow."""
    late = 0
    for path in lessons():
        for draw in figures(path):
            call = partial(widgets.frame, draw, widgets.laid_out(draw()))
            seconds = statistics.median(timed(call) for _ in range(ROUNDS + 2))
            late += seconds > LIVE
            verdict = "live" if seconds <= LIVE else f"above {LIVE * 1e3:.0f} ms"
            print(f"{path.stem:28s} {draw.__name__:16s} {seconds * 1e3:7.1f} ms  {verdict}")
    return late


def main(arguments=None):
    """Print the measurements; fail when a slider's figure is too slow to follow the hand."""
    parser = command_line(__doc__)
    parser.add_argument("what", nargs="?", choices=["attention", "sliders"])
    what = parser.parse_args(arguments).what
    if what != "sliders":
        attention()
    return 1 if what != "attention" and sliders() else 0


if __name__ == "__main__":
    sys.exit(main())
