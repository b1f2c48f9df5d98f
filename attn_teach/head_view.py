"""Which token looks at which: attention weights to point at, head by head."""

import json
import re
import warnings
from html import escape
from pathlib import Path

import torch
from torch import Tensor

from .checks import need, refuse, shown, whole
from .plotting import plt, show_heatmaps
from .shapes import Float, Text

TEMPLATE = Path(__file__).with_name("head_view.html")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
SHORT = 48  # thousandths below this take one letter, others two
SLACK = 1e-4  # what rounding may add to a weight of 1; too little to be seen
CELL = 0.22  # inches of the still picture
LARGEST = 3  # weights that the alternative text tells


def head_view(
    weights: Float[Tensor, "heads n m | layers heads n m"],
    tokens,
    key_tokens=None,
    title: Text | None = None,
    layer=0,
    head=0,
):
    """Show attention weights as lines from queries to keys, and as a heatmap, head by head.

    width of the line from query i to key j = weights[layer, head, i, j] * 8 pixels

    The reader picks a head from a grid, and a token to see only its lines and largest weights.
    Weights are kept, drawn and told in thousandths: none is off by more than 0.0005.

    Args:
        weights: of one sentence, shape (heads, n, m) or (layers, heads, n, m), from 0 to 1; those
            of a module have a batch axis, so pass `attention_weights[0]`. A query that attends to
            nothing has a row of zeros.
        tokens: the n queries, as strings.
        key_tokens: the m keys, as strings; the tokens themselves unless given.
        title: what the picture is called.
        layer, head: the one that is shown first, counted from 0.

    Returns:
        A `HeadView`, which a notebook shows. Where scripts do not run, it is the picture and the
        table of that head.

    Raises:
        TypeError, ValueError: when weights are no weights, tokens do not fit them, or there is no
            such head.

    Source: Vig (2019), "A Multiscale Visualization of Attention in the Transformer Model".
    """
    shape = tuple(weights.shape)
    if weights.is_meta:
        refuse("weights", "hold numbers", "a meta tensor", "pass those of a real call")
    grid = weights.detach().to("cpu", torch.float64).reshape((1, *shape)[-4:])
    if not grid.numel():
        refuse("weights", "have at least one head, query and key", f"shape {shape}")
    wrong = grid[~((grid >= 0) & (grid <= 1 + SLACK))].tolist()
    if wrong:
        use = "pass what the softmax returns, not the scores before it, and without dropout, as "
        refuse("weights", "be from 0 to 1", f"{wrong[0]:g}", f"{use}after .eval()")
    rows = _strings("tokens", tokens, shape, -2)
    columns = _strings("key_tokens", tokens if key_tokens is None else key_tokens, shape, -1)
    _check_index("layer", layer, grid.shape[0], shape)
    _check_index("head", head, grid.shape[1], shape)
    thousandths = (grid * 1000).round().int()
    return HeadView(thousandths, rows, columns, title, layer, head, deep=len(shape) == 4)


class HeadView:
    """Attention weights that a notebook shows; `head_view` makes it. Its `html` needs no network.

    thousandths are integers (layers, heads, n, m); deep says whether layers are worth naming.
    """

    def __init__(self, thousandths, rows, columns, title, layer, head, deep):
        self.thousandths, self.rows, self.columns = thousandths, rows, columns
        self.title, self.layer, self.head, self.deep = title, layer, head, deep
        self.names = _told_apart(rows), _told_apart(columns)
        self.name = f"Layer {layer}, head {head}" if deep else f"Head {head}"
        self.chosen = thousandths[layer, head].double() / 1000  # (n, m)

    @property
    def alt(self):
        """The head that is shown first, in words."""
        rows, columns = self.names
        largest = self.chosen.flatten().sort(descending=True, stable=True).indices[:LARGEST]
        pairs = [divmod(int(place), len(columns)) for place in largest]
        told = "; ".join(f"{rows[i]} to {columns[j]} {self.chosen[i, j]:.3f}" for i, j in pairs)
        return (
            f"{self.name}: heatmap of the attention weights of {len(rows)} queries (down) to "
            f"{len(columns)} keys (across). The largest: {told}."
        )

    @property
    def html(self):
        """The view as one piece of HTML."""
        return self._repr_mimebundle_()[0]["text/html"]

    def _repr_mimebundle_(self, include=None, exclude=None):
        data, metadata = self._picture()
        parts = {
            "title": f'<div class="hv-title">{escape(self.title)}</div>' if self.title else "",
            "label": escape(self.title or "Attention weights"),
            "picture": data["text/html"],
            "table": self._table(),
            "data": self._json(),
        }
        template = TEMPLATE.read_text(encoding="utf-8")
        data["text/html"] = re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], template)
        return data, metadata

    def _picture(self):
        ticks = {"xticklabels": self.columns, "yticklabels": self.rows}
        with warnings.catch_warnings():  # of letters that matplotlib's font lacks
            warnings.simplefilter("ignore", UserWarning)
            figure = show_heatmaps(
                self.chosen[None, None], "Keys", "Queries", [self.name],
                figsize=(CELL * len(self.columns) + 2, CELL * len(self.rows) + 1.2),
                **ticks, vmin=0, vmax=1, alt=self.alt,
            )  # fmt: skip
            bundle = figure.bundle()
        plt.close(figure)
        return bundle

    def _table(self):
        rows, columns = self.names
        heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
        body = ""
        for name, row in zip(rows, self.chosen.tolist(), strict=True):
            cells = "".join(f"<td>{weight:.3f}</td>" for weight in row)
            body += f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>\n'
        caption = f"<span>{self.name}</span>: a row for each query, a column for each key"
        return (
            f"<table><caption>{caption}</caption>\n<thead><tr><td></td>{heads}</tr></thead>\n"
            f"<tbody>{body}</tbody></table>"
        )

    def _json(self):
        """What the script reads, with no sign in it that could end the script."""
        keep = ("rows", "columns", "names", "deep", "layer", "head")
        data = {key: getattr(self, key) for key in keep}
        data |= {"layers": len(self.thousandths), "heads": self.thousandths.shape[1]}
        data |= {"letters": LETTERS, "short": SHORT}
        data["weights"] = "".join(map(_letters, self.thousandths.flatten().tolist()))
        return re.sub("[<>&]", lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(data))


def _letters(thousandths):
    if thousandths < SHORT:
        return LETTERS[thousandths]
    high, low = divmod(thousandths - SHORT, len(LETTERS))
    return LETTERS[SHORT + high] + LETTERS[low]


def _told_apart(tokens):
    """Tokens, those that come more than once with their position."""
    return [f"{t} ({i})" if tokens.count(t) > 1 else t for i, t in enumerate(tokens)]


def _strings(name, tokens, shape, axis):
    """The tokens, blank ones made visible, when there is one for each query or key."""
    if not isinstance(tokens, (list, tuple)):
        got = repr(tokens) if isinstance(tokens, str) else type(tokens).__name__
        refuse(name, "be a list of strings", got, f"use list({name})", TypeError)
    use = f"convert them with [str(token) for token in {name}]"
    for token in tokens:
        if not isinstance(token, str):
            refuse(name, "hold strings", shown(token), use, TypeError)
    kind = {-2: "queries", -1: "keys, which are the tokens unless given,"}[axis]
    must = f"hold {shape[axis]} strings, one for each of the {kind} of weights of shape {shape}"
    need(len(tokens) == shape[axis], name, must, len(tokens))
    return [token if token.strip() else "\N{OPEN BOX}" * max(1, len(token)) for token in tokens]


def _check_index(name, value, size, shape):
    whole(name, value)
    there = f"from 0 to {size - 1}" if size > 1 else "0, the only one"
    need(0 <= value < size, name, f"be {there} in weights of shape {shape}", value)
