"""Measure, side by side in one run: what is fast, and whether dragging feels live.

Times are of this machine at this moment; read the ratios. The sliders' figures should take
less than 100 ms at their default size.
"""

import statistics
import sys
import time
from functools import partial
from unittest import mock

import matplotlib

matplotlib.use("Agg")

import nbformat
import torch

import attn_teach as at
from attn_teach import interact
from tools.lessons import lessons

LIVE = 0.100  # seconds


def median_seconds(function, repeats=9):
    """The median time of a call, after one to warm up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def compare(title, **functions):
    """One line: each function's time, as a multiple of the first one's."""
    times = {name: median_seconds(function) for name, function in functions.items()}
    first = next(iter(times.values()))
    ratios = ", ".join(f"{name} {t / first:.2f}" for name, t in times.items())
    print(f"{title:45s} {first * 1e3:7.1f} ms = 1.00; {ratios}")


def figures(path):
    """The draw functions that a lesson hands to `explore`, with the lesson's own variables."""
    found = []

    def remember(draw, **controls):
        found.append(draw)

    names = {"__name__": "lesson"}
    with mock.patch.object(interact, "explore", remember), mock.patch("builtins.print"):
        for cell in nbformat.read(path, as_version=4).cells:
            tags = cell.metadata.get("tags", [])
            if cell.cell_type == "code" and not {"solution", "check", "predict"} & set(tags):
                exec(compile(cell.source, path.name, "exec"), names)
                at.plt.close("all")
    return found


def places_of(draw):
    """Where the axes stand in the first picture, as `explore` keeps them."""
    figure = draw()
    figure.png()
    at.plt.close(figure)
    return [ax.get_position(original=True) for ax in figure.axes]


def main():
    """Print all measurements; fail when a slider's figure is too slow to follow the hand."""
    torch.manual_seed(0)
    queries, keys, values = (torch.randn(8, n, 64) for n in (256, 300, 300))
    heads = at.MultiHeadAttention(64, 64, 64, 64, 8).eval()
    slow = at.PerHeadMultiHeadAttention(64, 8).eval()
    with torch.no_grad():
        compare(
            "distance scores (8, 256, 300), size 64",
            norms=lambda: at.distance_scores(queries, keys),
            differences=lambda: (queries[:, :, None] - keys[:, None]).square().sum(-1) / -2,
        )
        compare(
            "multi-head attention, 8 heads",
            fused=lambda: heads(queries, keys, values, need_weights=False),
            weights=lambda: heads(queries, keys, values),
            list_of_heads=lambda: slow(queries, keys, values),
        )
    late = 0
    for path in lessons():
        for draw in figures(path):
            seconds = median_seconds(partial(interact.frame, draw, places_of(draw)))
            late += seconds > LIVE
            verdict = "live" if seconds <= LIVE else f"above {LIVE * 1e3:.0f} ms"
            print(f"{path.stem:28s} {draw.__name__:16s} {seconds * 1e3:7.1f} ms  {verdict}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
