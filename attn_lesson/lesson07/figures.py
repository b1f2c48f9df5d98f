"""What the lesson's controls draw."""

from textwrap import wrap

from attn_teach import show_heatmaps, subplots

from .pairs import parts_of

WIDE = 50  # letters of a line
RIGHT, WRONG = "#0072B2", "#D55E00"  # as in lesson 05: the first ending, the second one


def draw_weights(weights, tokens, name):
    """A head's weights on one sentence, (n, n)."""
    before = f"{weights.diagonal(-1).mean():.2f} on the token before"
    fig = show_heatmaps(
        weights[None, None], "keys", "queries", [f"{name}:\n{before}"], (3.5, 3.0), vmin=0, vmax=1,
        xticklabels=tokens, yticklabels=tokens,
    )  # fmt: skip
    query, key = divmod(weights.argmax().item(), len(tokens))
    largest = f"{tokens[query]} to {tokens[key]}, {weights.max():.2f}"
    n = len(tokens)
    fig.alt = f"{name}, weights {n} by {n}: {before}, on average; largest {largest}"
    return fig


def draw_blocks(weights, of=512, step=32):
    """A head's weights on a long text, (n, n), in blocks; the axes reach to `of` tokens."""
    n = len(weights)
    sums = weights.unflatten(1, (-1, step)).sum(-1).unflatten(0, (-1, step)).mean(1)
    fig, ax = subplots(figsize=(3.6, 2.6))
    image = ax.imshow(sums, "Blues", vmin=0, vmax=1, extent=(0, n, n, 0), interpolation="nearest")
    ticks = range(0, of + 1, 128)
    ax.set(xlim=(0, of), ylim=(of, 0), xticks=ticks, yticks=ticks, title=f"{n} tokens")
    ax.set(xlabel="place of the key", ylabel="place of the query")
    fig.colorbar(image, ax=ax, shrink=0.8)
    on_before = weights.diagonal(-1)  # of the queries from place 1 on
    early, late = on_before[:128].mean(), on_before[128:]
    fig.alt = f"{n} tokens in blocks of {step}. Queries up to place 128 give the token "
    fig.alt += f"before {early:.2f}" + (f", later ones {late.mean():.2f}." if len(late) else ".")
    return fig


def draw_leads(pair, leads, shown, rounding):
    """How two endings turn the heads of a pair: leads (2, layers, heads).

    `shown` names some heads, {name: (layer, head)}. Leads of None: the pair could not be read.
    """
    fig, (left, right) = subplots(1, 2, figsize=(6.6, 2.4), width_ratios=[5, 3])
    both, nouns = (["", ""], ["", ""]) if leads is None else parts_of(pair)
    left.axvline(0, color="#333333", lw=0.8)
    left.set(xlim=(-1, 1), ylim=(len(shown) - 0.4, -0.6))
    left.set_yticks(range(len(shown)), [*shown])
    left.set_xticks([-1, 0, 1], [f"{nouns[0].upper()}\n1", "lead\n0", f"{nouns[1].upper()}\n1"])
    counts = [0, 0, 0]
    if leads is not None:
        first, second = leads
        right_twice = ((first < -rounding) & (second > rounding)).sum().item()
        wrong_twice = ((first > rounding) & (second < -rounding)).sum().item()
        counts = [right_twice, first.numel() - right_twice - wrong_twice, wrong_twice]
        for row, (layer, head) in enumerate(shown.values()):
            for ending, lead in enumerate((first, second)):
                at, color = row + 0.36 * ending - 0.18, (RIGHT, WRONG)[ending]
                told = "" if row else f"... {both[ending].split()[-1]}"
                left.barh(at, lead[layer, head], height=0.32, color=color, label=told)
        fig.legend(loc="outside lower left", ncols=2, fontsize=9, frameon=False)
    problem = "two NOUNS of one piece each, the word it, two endings with / between"
    fig.suptitle(problem if leads is None else pair, fontsize=10)  # longer than a panel is wide
    right.barh(range(3), counts, height=0.6, color="#999999")
    right.scatter([18, 36, 18], range(3), marker="|", s=300, color="black", lw=2)
    right.set(xlim=(0, 72), ylim=(2.6, -0.6), xlabel="of 72 heads; line: coins", yticks=range(3))
    right.set_yticklabels(["right twice", "same noun twice", "wrong twice"])
    if leads is None:
        fig.alt = f"{pair} cannot be read, it needs {problem}"
        return fig
    told = [f"{k}: {first[at]:.2f} and {second[at]:.2f}" for k, at in shown.items()]
    fig.alt = f"{pair}. Lead of {nouns[1].upper()} with either ending, {'; '.join(told)}. "
    told = zip(("right twice", "same noun twice", "wrong twice"), counts, strict=True)
    fig.alt += "Heads " + ", ".join(f"{how}: {count}" for how, count in told)
    return fig


def draw_silent(lost, gone, title, asked, found):
    """A map of what each head costs, (layers, heads), and a cross on those that are off."""
    lines = wrap(found, WIDE)
    lines += [""] * (2 - len(lines))  # as many for all: the axes have one place
    under = "\n".join(["head", "", f"{asked} →", *lines])
    fig, ax = subplots(figsize=(4.8, 2.6))
    image = ax.imshow(lost, "Purples", vmin=0, interpolation="nearest")
    ax.scatter([h for _, h in gone], [layer for layer, _ in gone], marker="x", s=35, color="black")
    ax.set(xlabel=under, ylabel="layer", xticks=range(12), yticks=range(6))
    ax.set_title(title, fontsize=10)
    fig.colorbar(image, ax=ax, shrink=0.9)
    fig.alt = (
        f"{title}; a map of 6 layers by 12 heads, shaded by the cosine lost without each; the "
    )
    fig.alt += f"last layer is darkest. Nearest to '{asked}': {found}"
    return fig
