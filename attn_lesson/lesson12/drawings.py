"""The pictures of lesson 12 that are long to draw: a table in blocks, and machines in a ring."""

from matplotlib.patches import Rectangle

from attn_teach import subplots

NOW, LARGEST, SUM, EDGE = "#0072B2", "#D55E00", "#444444", "#999999"
OWNERS = ["#56B4E9", "#E69F00", "#009E73", "#CC79A7"]  # of queries and keys: four machines
SPOTS = [(0, 1.3), (2.6, 0), (0, -1.3), (-2.6, 0)]  # clockwise from the top
TOWARDS = [(1, 1), (1, -1), (-1, -1), (-1, 1)]  # from each machine to the next: right, up


def blocks(scores, step, width, largest, total):
    """A table of scores, (queries, keys), of which step number `step` holds `width` columns.

    Beside it, for each query, the largest score and the sum so far, (queries,) each.
    """
    queries, keys = scores.shape
    last = step * width
    fig, axes = subplots(1, 3, figsize=(7, 2.9), sharey=True, width_ratios=[16, 5, 5])
    gone = {"facecolor": "white", "edgecolor": EDGE, "hatch": "////", "lw": 0}
    axes[0].add_patch(Rectangle((0.5, 0.5), last - width, queries, **gone))
    axes[0].add_patch(Rectangle((last - width + 0.5, 0.5), width, queries, facecolor=NOW))
    for query, row in enumerate(scores[:, last - width : last].tolist(), start=1):
        for key, score in enumerate(row, start=last - width + 1):
            axes[0].text(
                key, query, f"{score:.1f}", color="white", ha="center", va="center", fontsize=8
            )
    axes[0].set(
        xlim=(0.5, keys + 0.5), ylim=(queries + 0.5, 0.5), xlabel="key", ylabel="query",
        xticks=range(2, keys + 1, 2), yticks=range(1, queries + 1),
        title="blue: held now; hatched: gone; empty: to come",
    )  # fmt: skip
    axes[0].spines[:].set_visible(True)
    kept = (("largest so far", largest, LARGEST), ("sum so far", total, SUM))
    for ax, (title, numbers, color) in zip(axes[1:], kept, strict=True):
        ax.barh(range(1, queries + 1), numbers, height=0.6, color=color)
        for query, x in enumerate(numbers.tolist(), start=1):
            ax.text(max(x, 0) + 0.1, query, f"{x:.1f}", va="center", fontsize=9)
        ax.set(title=title, xticks=[], xlim=(0, 5.8))
    return fig


def around(now, pairs=None):
    """Four machines in round `now`, from 1, of a ring; pairs (rounds, machines): what each does."""
    fig, ax = subplots(figsize=(6.4, 3.7))
    ax.axis("off")
    ax.set(xlim=(-3.9, 3.9), ylim=(-2, 2), title=f"round {now} of 4")
    white = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    for rank, (x, y) in enumerate(SPOTS):
        owner = (rank - now + 1) % 4  # whose keys are here now
        count = None if pairs is None else pairs[now - 1, rank].item()
        does = "" if count is None else f"{count} pairs" if count else "waits"
        hatch = "//" if does == "waits" else ""
        ax.add_patch(
            Rectangle((x - 1.2, y - 0.6), 2.4, 1.2, fill=False, hatch=hatch, edgecolor=EDGE)
        )
        name = f"machine {rank + 1}" + f": {does}" * bool(does)
        ax.text(x, y + 0.33, name, ha="center", fontsize=9, bbox=white)
        verb = "skips" if does == "waits" else "meets"
        ax.text(x, y - 0.02, verb, ha="center", va="center", fontsize=9, bbox=white)
        _card(ax, x - 0.85, y, rank, "q")
        _card(ax, x + 0.85, y, owner, "k")
        for met in range(now):  # whose keys have been met here
            if pairs is not None and not pairs[met, rank]:
                continue  # skipped: they have been here and were not met
            color = OWNERS[(rank - met) % 4]
            spot = x - 0.5 + 0.25 * met, y - 0.5
            ax.add_patch(Rectangle(spot, 0.22, 0.18, facecolor=color, edgecolor="black", lw=0.5))
        if now < 4:
            _send(ax, rank, owner)
    return fig


def _card(ax, x, y, owner, letter):
    color = OWNERS[owner]
    ax.add_patch(
        Rectangle((x - 0.22, y - 0.17), 0.44, 0.34, fc=color, ec="black", lw=0.8, zorder=5)
    )
    ax.text(x, y - 0.02, f"{letter} {owner + 1}", ha="center", va="center", fontsize=9, zorder=6)


def _send(ax, rank, owner):
    right, up = TOWARDS[rank]
    ends = [(1.2 * right, 1.3 * up), (2.6 * right, 0.6 * up)]
    start, end = ends if rank % 2 == 0 else ends[::-1]
    arrow = {"arrowstyle": "->", "connectionstyle": "arc3,rad=-0.4"}
    ax.annotate("", end, start, arrowprops=arrow)
    _card(ax, 2.28 * right, 1.22 * up, owner, "k")
