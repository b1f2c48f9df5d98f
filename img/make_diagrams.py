"""Draw every diagram of the course: `python img/make_diagrams.py` writes the .svg files here.

Each diagram is one function that returns a `Drawing`; the numbers it shows are computed, never
typed. One colour per role, in every diagram: queries blue, keys orange, values green, scores grey,
weights purple, output red-orange: the Okabe-Ito hues, which colour-blind readers can tell apart,
some darkened so that text in them reads well. Indices count from 0, as in the code.
"""

import math
import re
import textwrap
from pathlib import Path
from xml.sax.saxutils import escape

import torch

from attn_lesson import catalogue
from attn_teach import attend, causal_mask

WIDTH = 760
FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
SMALLEST = 13  # px; no text below this
INK = "#222222"
FAINT = "#9A9A9A"

# role: (line colour, fill colour)
QUERY = ("#0072B2", "#D9EAF4")
KEY = ("#B87400", "#FBEBCC")
VALUE = ("#00795A", "#CFEDE3")
SCORE = ("#666666", "#EDEDED")
WEIGHT = ("#A8487F", "#F5E1EC")
OUTPUT = ("#C04F00", "#F9DFCD")
PLAIN = ("#444444", "#FFFFFF")
MASKED = ("#444444", "#B4B4B4")
HEADS = [("#444444", "#A9D7F3"), ("#444444", "#F7EE9A"), ("#444444", "#E8C3D9")]

MINUS, TIMES, DOT, INFINITY = "\u2212", "\u00d7", "\u00b7", "\u221e"
ROOT, DELTA, OMEGA = "\u221a", "\u03b4", "\u03c9"


# ---------------------------------------------------------------- numbers


def attended(scores, values, mask=None):
    """Return the outputs and the weights of rows of scores, as lists."""
    scores, values = (torch.as_tensor(rows, dtype=torch.float64) for rows in (scores, values))
    outputs, weights = attend(scores, values, mask)
    return outputs.tolist(), weights.tolist()


def number(x, digits=None):
    """Write a number with a true minus sign: `digits` decimals, or as few as it needs."""
    if x == -math.inf:
        return MINUS + INFINITY
    shown = f"{x:g}" if digits is None else f"{x:.{digits}f}"
    return shown.replace("-", MINUS)


def vector(xs, digits=None):
    """Write a vector as (1, 2, 3)."""
    return "(" + ", ".join(number(x, digits) for x in xs) + ")"


# ---------------------------------------------------------------- drawing helpers


class Drawing:
    """An SVG picture on a near-white card, the same on light and on dark pages."""

    def __init__(self, title, description, height):
        self.title, self.description, self.height = title, description, height
        self.parts = []
        self.text(24, 30, title, size=18, anchor="start", bold=True)

    def add(self, tag, content=None, **attributes):
        """Append one element; `stroke_width` becomes stroke-width, `class_` class."""
        written = "".join(
            f' {name.rstrip("_").replace("_", "-")}="{short(value)}"'
            for name, value in attributes.items()
            if value is not None
        )
        self.parts.append(
            f"<{tag}{written}/>" if content is None else f"<{tag}{written}>{content}</{tag}>"
        )

    def text(
        self, x, y, lines, size=14, step=20, anchor=None, bold=False, color=None, angle=0, kind=None
    ):
        """Write lines, the first centred on height y. `W_{q}`, `K^{T}`: sub- and superscript."""
        for words in filter(None, [lines] if isinstance(lines, str) else lines):
            self.add(
                "text",
                scripts(words, size),
                x=x,
                y=y + 0.35 * size,
                font_size=None if size == 14 else size,
                text_anchor=anchor,
                font_weight="bold" if bold else None,
                fill=color,
                transform=f"rotate({angle} {short(x)} {short(y)})" if angle else None,
                class_=kind,
            )
            y += step

    def note(self, *place_and_lines, **style):
        """Write one or more lines from x to the right."""
        self.text(*place_and_lines, anchor="start", **style)

    def box(self, x, y, w, h, lines=(), role=PLAIN, size=14, **style):
        """Draw a rounded box with one or more lines of text in its middle."""
        self.add("rect", x=x, y=y, width=w, height=h, rx=7, fill=role[1], stroke=role[0])
        lines = [lines] if isinstance(lines, str) else lines
        self.text(x + w / 2, y + h / 2 - 10 * (len(lines) - 1), lines, size, **style)

    def path(self, *points, color=INK, width=1.6, dash=None, fill="none"):
        """Draw straight lines through the points."""
        d = "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points)
        style = {"fill": fill, "stroke": color, "stroke_width": width, "stroke_dasharray": dash}
        self.add("path", d=d, **style)

    def panel(self, x, y, w, h):
        """Draw a light grey panel for things that belong together."""
        self.add("rect", x=x, y=y, width=w, height=h, rx=9, fill="#F1F1EF", stroke="#DCDCDA")

    def arrow(self, *points, color=INK, width=1.6):
        """Draw straight lines through the points; the tip of the head is at the last one."""
        (x0, y0), (x1, y1) = points[-2:]
        length = math.hypot(x1 - x0, y1 - y0)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        neck = (x1 - 9 * ux, y1 - 9 * uy)
        self.path(*points[:-1], neck, color=color, width=width)
        left = (neck[0] - 4.5 * uy, neck[1] + 4.5 * ux)
        right = (neck[0] + 4.5 * uy, neck[1] - 4.5 * ux)
        self.path(left, (x1, y1), right, color="none", fill=color)

    def grid(self, x, y, cells, w, h, roles, size=SMALLEST, kind=None):
        """Draw rows of words as cells of w by h; `roles` has one for each cell, or is one."""
        if isinstance(roles, tuple):
            roles = [[roles] * len(row) for row in cells]
        squares = {}
        for i, row in enumerate(cells):
            for j in range(len(row)):
                corner = f"M{short(x + j * w)} {short(y + i * h)}h{w}v{h}h-{w}z"
                squares.setdefault(roles[i][j], []).append(corner)
        for (stroke, fill), corners in squares.items():
            self.add("path", d="".join(corners), fill=fill, stroke=stroke)
        for i, row in enumerate(cells):
            for j, words in enumerate(row):
                self.text(x + (j + 0.5) * w, y + (i + 0.5) * h, words, size, kind=kind)

    def frame(self, x, y, w, h):
        """Draw a thick frame round something that matters."""
        self.add("rect", x=x, y=y, width=w, height=h, fill="none", stroke=INK, stroke_width=2.8)

    def svg(self):
        """Return the whole file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height}" '
            f'viewBox="0 0 {WIDTH} {self.height}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n<desc>{escape(self.description)}</desc>\n"
            f'<rect x="1" y="1" width="{WIDTH - 2}" height="{self.height - 2}" rx="14" '
            f'fill="#FCFCFA" stroke="#CFCFCF"/>\n'
            f'<g font-family="{FONT}" font-size="14" text-anchor="middle" fill="{INK}">\n'
        )
        return head + "\n".join(self.parts) + "\n</g>\n</svg>\n"


def short(value):
    """Write a coordinate with at most one decimal; leave anything else as it is."""
    return f"{round(value, 1) + 0.0:g}" if isinstance(value, float) else value


def scripts(words, size):
    """Turn `W_{q}` and `K^{T}` into tspans; no text gets smaller than SMALLEST."""
    written, pending = "", 0
    small = max(SMALLEST, round(0.8 * size))
    for piece in re.split(r"([_^]\{.*?\})", words):
        shift = {"_{": 4, "^{": -5}.get(piece[:2], 0)
        move = f' dy="{shift + pending}"' if shift + pending else ""
        if shift:
            written += f'<tspan{move} font-size="{small}">{escape(piece[2:-1])}</tspan>'
            pending = -shift
        elif piece:
            written += f"<tspan{move}>{escape(piece)}</tspan>" if pending else escape(piece)
            pending = 0
    return written


# ---------------------------------------------------------------- the diagrams


def weighted_sum():
    """Draw one query, seven keys, their scores and weights, and the weighted sum of the values."""
    query, bandwidth = 2.5, 0.7
    keys = [0.4, 1.1, 1.7, 2.3, 3.0, 3.8, 4.5]
    values = [1.5, 2.4, 3.9, 3.5, 2.4, 1.4, 1.6]
    scores = [-(((query - key) / bandwidth) ** 2) / 2 for key in keys]
    [[output]], [weights] = attended([scores], [[value] for value in values])
    d = Drawing(
        "Attention: scores, softmax, weighted sum",
        f"The query {query} is compared with the seven keys {vector(keys, 1)}. The scores "
        f"{vector(scores, 2)} go through a softmax and become the weights {vector(weights, 2)}, "
        f"which sum to 1. Each weight multiplies its value, one of {vector(values, 1)}, and the "
        f"sum of the seven products is the output {number(output, 2)}.",
        height=478,
    )
    top, step = 94, 40
    bottom = top + step * len(keys)
    middle = (top + bottom) / 2
    columns = [(71, "query"), (210, "keys"), (314, "scores"), (510, "weights"), (678, "values")]
    for x, words in columns:
        d.text(x, 70, words, bold=True)
    d.box(24, middle - 22, 94, 44, f"q = {number(query)}", QUERY)
    for i, (key, score, weight, value) in enumerate(
        zip(keys, scores, weights, values, strict=True)
    ):
        y = top + step * (i + 0.5)
        d.arrow((118, middle + 5 * (i - 3)), (166, y))
        d.box(166, y - 16, 88, 32, number(key, 1), KEY)
        d.arrow((254, y), (282, y))
        d.box(282, y - 16, 64, 32, number(score, 2), SCORE)
        d.add("rect", x=450, y=y - 11, width=140 * weight, height=22, fill=WEIGHT[0], class_="bar")
        d.note(456 + 140 * weight, y, number(weight, 2), 15, kind="weight")
        d.text(603, y, TIMES, 17)
        d.box(636, y - 16, 84, 32, number(value, 1), VALUE)
    d.path((450, top + 4), (450, bottom - 4), color=FAINT, width=1)
    d.box(376, top + 6, 44, bottom - top - 12)
    d.text(398, middle, "softmax", 15, angle=-90)
    d.arrow((350, middle), (374, middle))
    d.arrow((422, middle), (448, middle))
    d.path((450, bottom), (450, bottom + 10), (736, bottom + 10), (736, bottom))
    d.arrow((593, bottom + 10), (593, bottom + 34))
    d.note(603, bottom + 22, "sum")
    d.box(500, bottom + 34, 186, 44, f"output = {number(output, 2)}", OUTPUT, size=15)
    d.note(
        24, bottom + 32, ["score: the larger, the nearer the key;", "weights: none negative, sum 1"]
    )
    return d


def scaled_dot_product():
    """Draw the steps of scaled dot-product attention beside the same steps in numbers."""
    guests, dishes = ["Ben", "Chen"], ["salad", "curry", "hot pot"]  # of lesson 02
    queries = [(0, 0.5, 1.5, 1), (0, 1, 0.5, -0.5)]
    keys = [(0, 1.5, 0.5, -0.5), (0.5, 0.5, 2, 1.5), (2, 2.5, 2.5, 2)]
    values, mask = [7, 11, 16], [True, True, False]
    products = (torch.tensor(queries) @ torch.tensor(keys).T).tolist()
    scores = [[p / math.sqrt(len(queries[0])) for p in row] for row in products]
    masked = [[s if m else -math.inf for s, m in zip(row, mask, strict=True)] for row in scores]
    outputs, weights = attended(scores, [[v] for v in values], torch.tensor(mask))

    d = Drawing(
        "Scaled dot-product attention",
        "Queries Q and keys K are multiplied, Q times K transposed, divided by the square root of "
        "d, masked (where the mask is False the score becomes minus infinity), sent through a "
        "softmax over the keys and multiplied by the values V. From Q K transposed to the weights "
        "the shape is (batch, queries, keys); the output is (batch, queries, v_size). Beside it "
        "the same steps in numbers for Ben and Chen and three dishes, of which the hot pot is "
        "masked: its weight is 0.",
        height=680,
    )
    top, step = 206, 82
    left, wide, middle = 180, 194, 277
    d.panel(488, 16, 256, 648)
    for x, name, role in [(middle - 78, "queries Q", QUERY), (middle + 78, "keys K", KEY)]:
        d.box(x - 71, 78, 142, 50, [name, f"(batch, {name[:-2]}, d)"], role, SMALLEST)
        d.arrow((x, 128), (x, top - 21))
    table = "(batch, queries, keys)"
    steps = [
        ("Q K^{T}", SCORE, "", table),
        (f"divide by {ROOT}d", SCORE, "scores", table),
        (f"mask: fill with {MINUS}{INFINITY}", SCORE, "", table),
        ("softmax over keys", WEIGHT, "weights", table),
        (f"{TIMES} V", PLAIN, "", "(batch, queries, v_size)"),
        ("output", OUTPUT, "", None),
    ]
    for i, (words, role, name, shape) in enumerate(steps):
        y = top + step * i
        d.box(left, y - 21, wide, 42, words, role, 15, bold=words == "output")
        if shape:
            d.arrow((middle, y + 21), (middle, y + step - 21))
            d.text(middle - 10, y + step / 2, name, bold=True, anchor="end")
            d.note(middle + 10, y + step / 2, shape, SMALLEST)
    mask_says, value_says = ["mask", "True = may attend"], ["values V", "(batch, keys, v_size)"]
    for i, words, role in [(2, mask_says, PLAIN), (4, value_says, VALUE)]:
        y = top + step * i
        d.box(14, y - 25, 148, 50, words, role, SMALLEST)
        d.arrow((162, y), (left, y))

    d.note(500, 38, "In numbers", 15, bold=True)
    vectors = [(f"q_{{{i}}}", *named) for i, named in enumerate(zip(queries, guests, strict=True))]
    vectors += [(f"k_{{{i}}}", *named) for i, named in enumerate(zip(keys, dishes, strict=True))]
    for line, (letter, row, name) in enumerate(vectors):
        d.note(500, 60 + 20 * line, f"{letter} = {vector(row)}", SMALLEST)
        d.text(734, 60 + 20 * line, name, SMALLEST, anchor="end")
    right, cell = 566, 54
    for c in range(3):
        d.text(right + (c + 0.5) * cell, top - 40, dishes[c], SMALLEST)
    for i, matrix in {0: products, 1: scores, 2: masked, 3: weights, 5: outputs}.items():
        y = top + step * i
        cells = [[number(x, 2) for x in row] for row in matrix]
        roles = [[MASKED if i in (2, 3) and c == 2 else steps[i][1] for c in range(3)]] * 2
        d.grid(right, y - 26, cells, cell, 26, roles, kind={3: "weight", 5: "output"}.get(i))
        for r in range(2):
            d.text(right - 8, y + 26 * (r - 0.5), guests[r], SMALLEST, anchor="end")
    prices = f"prices {', '.join(map(number, values))}"
    d.note(right, top + 4 * step - 10, [prices, f"({values[2]} has weight 0)"], SMALLEST)
    d.text(88, top + 2 * step + 40, "here False for hot pot", SMALLEST)
    return d


def multihead():
    """Draw multi-head attention: project, split into heads, attend in each, merge, project."""
    d = Drawing(
        "Multi-head attention",
        "Queries, keys and values pass through the linear layers W_q, W_k and W_v, giving three "
        "tensors Q, K and V of width hidden. Each is cut into three parts of width head_dim. Head "
        "0 gets part 0 of Q, K and V, head 1 part 1, head 2 part 2; each head attends on its own. "
        "The three results are laid side by side again (merge) and pass through W_o to the output.",
        height=652,
    )
    columns, slot, middle = [104, 276, 448], 48, 276
    inputs = [("queries", "q", QUERY), ("keys", "k", KEY), ("values", "v", VALUE)]
    for h, x in enumerate(columns):
        d.panel(x - 80, 292, 160, 122)
        d.box(x - 68, 366, 136, 34, f"attend: head {h}", PLAIN)
    for j, (words, letter, role) in enumerate(inputs):
        x = columns[j]
        d.box(x - 55, 54, 110, 36, words, role, 15)
        d.arrow((x, 90), (x, 118))
        d.box(x - 55, 118, 110, 36, f"W_{{{letter}}}", PLAIN, 16)
        d.arrow((x, 154), (x, 182))
        names = [f"{letter.upper()}_{{{h}}}" for h in range(3)]
        d.grid(x - 1.5 * slot, 182, [names], slot, 32, [HEADS], size=15)
        for h, name in enumerate(names):
            place = columns[h] + (j - 1) * slot
            d.arrow((x + (h - 1) * slot, 214), (place, 308), width=1.3)
            d.box(place - 19, 308, 38, 32, name, HEADS[h], 15)
            d.arrow((place, 340), (place, 366))
    for h, x in enumerate(columns):
        d.arrow((x, 400), (middle + (h - 1) * slot, 480))
    d.grid(middle - 1.5 * slot, 480, [["out_{0}", "out_{1}", "out_{2}"]], slot, 32, [HEADS])
    d.arrow((middle, 512), (middle, 538))
    d.box(middle - 55, 538, 110, 36, "W_{o}", PLAIN, 16)
    d.arrow((middle, 574), (middle, 600))
    d.box(middle - 55, 600, 110, 36, "output", OUTPUT, 15, bold=True)
    own_sizes = ["(batch, queries, q_size)", "(batch, keys, k_size)", "(batch, keys, v_size)"]
    for y, name, lines in [
        (51, "inputs", own_sizes),
        (136, "project", []),
        (181, "one width for all", ["(batch, n, hidden)", "n: queries or keys"]),
        (246, "split into heads", ["(batch, heads, n, head_dim)"]),
        (348, "attend in each head", ["weights:", "(batch, heads, queries, keys)"]),
        (440, "merge the heads", []),
        (487, "side by side again", ["(batch, queries, hidden)"]),
        (556, "mix the heads", []),
        (608, "output", ["(batch, queries, hidden)"]),
    ]:
        d.note(546, y, name, bold=True)
        d.note(546, y + 18, lines, SMALLEST, step=18)
    return d


def head_reshape(n=3, hidden=6, heads=2):
    """Draw where the features of every token go when the heads are split."""
    head_dim = hidden // heads
    token, feature = 2, 4
    head, place = divmod(feature, head_dim)
    w, h = 40, 24

    d = Drawing(
        f"Splitting the heads: where feature {feature} of token {token} goes",
        f"A grid of {n} tokens by {hidden} features, every cell labelled token,feature. A reshape "
        f"cuts each row into {heads} heads of {head_dim} features; a transpose puts the heads "
        f"before the tokens, one {n} by {head_dim} block per head. Feature {feature} of token "
        f"{token} lands in head {head}, token {token}, place {place}. The book folds batch and "
        f"heads into one axis: its row is sentence times {heads} plus head.",
        height=570,
    )

    def block(x, y, columns):
        """Draw these features of all tokens, with a frame round the cell to follow."""
        cells = [[f"{t},{f}" for f in columns] for t in range(n)]
        d.grid(x, y, cells, w, h, [[HEADS[f // head_dim] for f in columns]] * n)
        if feature in columns:
            d.frame(x + columns.index(feature) * w, y + token * h, w, h)

    every = list(range(hidden))
    parts = [every[k * head_dim : (k + 1) * head_dim] for k in range(heads)]
    wide, tall = head_dim * w, n * h
    follow = f"Follow the framed cell {token},{feature} and its index. Here"
    sizes = f"n = {n} tokens, hidden = {hidden}, heads = {heads}, head_dim = {head_dim}"
    d.note(24, 60, f"Every cell is labelled token,feature. {follow}")
    d.note(24, 80, f"{sizes}; drawn is sentence 0 of the batch.")
    x1, x2, x3, x4, pitch = 84, 78, 412, 614, 98
    d.note(24, 120, "1   (batch, n, hidden)", bold=True)
    block(x1, 136, every)
    d.text(x1 + (feature + 0.5) * w, 136 + tall + 14, f"[0, {token}, {feature}]")
    d.note(24, 290, "2   (batch, n, heads, head_dim)", bold=True)
    for k, part in enumerate(parts):
        d.text(x2 + k * (wide + 12) + wide / 2, 313, f"head {k}", SMALLEST)
        block(x2 + k * (wide + 12), 326, part)
    d.text(x2 + (feature + 0.5) * w + 12, 326 + tall + 14, f"[0, {token}, {head}, {place}]")
    for t in range(n):
        d.text(x2 - 8, 136 + (t + 0.5) * h, f"token {t}", SMALLEST, anchor="end")
        d.text(x2 - 8, 326 + (t + 0.5) * h, f"token {t}", SMALLEST, anchor="end")
    d.arrow((130, 214), (130, 274))
    d.note(140, 246, "cut every row")
    d.arrow((338, 362), (372, 362), (372, 267), (404, 267))
    d.text(364, 262, "heads first", anchor="end")

    d.note(x3 - 24, 119, ["3   (batch, heads,", "n, head_dim)"], bold=True)
    d.note(x4 - 34, 119, [f"4   (batch{DOT}heads,", "n, head_dim)"], bold=True)
    for row in range(2 * heads):
        y = 182 + row * pitch
        sentence, k = divmod(row, heads)
        words = f"row {row}: sentence {sentence}, head {k}"
        d.text(x4 + wide, y - 11, words, SMALLEST, anchor="end")
        if sentence == 0:
            d.text(x3 + wide / 2, y - 11, f"head {k}", SMALLEST)
            block(x3, y, parts[k])
            block(x4, y, parts[k])
            d.arrow((x3 + wide + 8, y + tall / 2), (x4 - 8, y + tall / 2))
        else:
            d.grid(x4, y, [[""] * head_dim] * n, w, h, HEADS[k])
    d.text(x3 + (place + 0.5) * w, 182 + pitch + tall + 14, f"[0, {head}, {token}, {place}]")
    d.text(x4 - 8, 182 + pitch + tall - 10, f"[{head}, {token}, {place}]", anchor="end")
    d.panel(24, 430, 508, 122)
    steps = [
        ("1 to 2", "X.reshape(batch, n, heads, head_dim)"),
        ("2 to 3", ".transpose(1, 2): the course stops here"),
        ("3 to 4", ".reshape(batch * heads, n, head_dim): the book goes on,"),
        ("", f"row = sentence {TIMES} heads + head"),
    ]
    for i, (name, words) in enumerate(steps):
        d.note(38, 452 + 26 * i, name, bold=True)
        d.note(100, 452 + 26 * i, words)
    return d


def masks():
    """Draw the padding mask, the causal mask and both together as grids."""
    slots = ["the", "cat", "sat", "<pad>", "<pad>"]
    d = Drawing(
        "Masks: which query may attend to which key",
        "Three 5 by 5 grids for a sentence of five slots, the cat sat pad pad; queries down, keys "
        "across, T where the query may attend to the key. Padding mask: the three columns of real "
        "tokens are T in every row. Causal mask: T on and below the diagonal. Both together: T "
        "only where both are T, so the last three rows have three T each.",
        height=416,
    )
    side, top = 36, 152
    panels = [
        ("padding mask", "only the real keys", lambda i, j: j < 3),
        ("causal mask", "no key to the right", lambda i, j: j <= i),
        ("both masks", "both must say True", lambda i, j: j < 3 and j <= i),
    ]
    for p, (name, note, allows) in enumerate(panels):
        x = 88 + p * 225
        d.text(x + 2.5 * side, 68, name, 16, bold=True)
        d.text(x + 2.5 * side, 90, note)
        for j, word in enumerate(slots):
            d.note(x + (j + 0.5) * side - 4, top - 9, word, SMALLEST, angle=-35)
        allowed = [[allows(i, j) for j in range(5)] for i in range(5)]
        cells = [["T" if a else "F" for a in row] for row in allowed]
        roles = [[VALUE if a else MASKED for a in row] for row in allowed]
        d.grid(x, top, cells, side, side, roles, 15, kind="mask")
        if p < 2:
            d.text(x + 5 * side + 22.5, top + 2.5 * side, ["and", "="][p], 16, bold=True)
    for i, word in enumerate(slots):
        d.text(80, top + (i + 0.5) * side, word, SMALLEST, anchor="end")
    d.text(22, top + 2.5 * side, "queries", bold=True, angle=-90)
    d.text(80, top - 18, "keys", bold=True, anchor="end")
    d.grid(88, 352, [["T"]], 24, 24, VALUE, 15)
    d.note(122, 364, "True: may attend")
    d.grid(278, 352, [["F"]], 24, 24, MASKED, 15)
    d.note(312, 364, f"False: the score becomes {MINUS}{INFINITY}, the weight 0")
    d.note(88, 394, "The <pad> queries attend too, but nobody reads their outputs.")
    return d


def self_attention():
    """Draw four tokens attending to each other, once to all and once to the left only."""
    words = ["the", "cat", "sat", "down"]
    tokens = torch.tensor([(0.5, 0.5), (1.5, 0.2), (0.6, 1.4), (-0.3, 1.2)])
    followed = 2  # the output drawn in colour
    d = Drawing(
        "Self-attention: every output is a weighted mix of values",
        "The sentence the cat sat down, twice. Left, full self-attention: four lines lead to each "
        "output, one from every token, as thick as its weight. Right, causal self-attention: only "
        "lines from the token itself and from tokens to its left. Below each the 4 by 4 weights, "
        "queries down, keys across; every row sums to 1, and in the causal one all weights above "
        "the diagonal are 0.",
        height=550,
    )
    above, below, cell = 144, 256, 64
    panels = [("full", "from every token"), ("causal", "from itself and the tokens to its left")]
    for p, (name, note) in enumerate(panels):
        left = 106 + p * 370
        d.text(left + 2 * cell, 66, name, 16, bold=True)
        d.text(left + 2 * cell, 88, note)
        xs = [left + (j + 0.5) * cell for j in range(4)]
        _, rows = attended(tokens @ tokens.T, tokens, causal_mask(4) if name == "causal" else None)
        for i in sorted(range(4), key=lambda i: i == followed):
            color = OUTPUT[0] if i == followed else "#BDBDBD"
            for j, weight in enumerate(rows[i]):
                if weight > 0:
                    d.path((xs[j], below), (xs[i], above), color=color, width=10 * weight)
        for j, word in enumerate(words):
            role = OUTPUT if j == followed else PLAIN
            d.box(xs[j] - 28, above - 34, 56, 34, f"out_{{{j}}}", role)
            d.box(xs[j] - 28, below, 56, 34, word, KEY)
            d.text(xs[j], 334, word, SMALLEST)
            d.text(left - 9, 347 + 34 * (j + 0.5), word, SMALLEST, anchor="end")
        cells = [[number(w, 2) for w in row] for row in rows]
        roles = [[WEIGHT if w > 0 else MASKED for w in row] for row in rows]
        d.grid(left, 347, cells, cell, 34, roles, kind="weight")
        d.frame(left, 347 + 34 * followed, 4 * cell, 34)
        d.text(left + 2 * cell, 312, "keys", bold=True)
        d.text(left - 64, 347 + 68, "queries", bold=True, angle=-90)
    d.note(20, above - 17, "outputs", bold=True)
    d.note(20, below + 17, "tokens", bold=True)
    thick = "A line is as thick as its weight. Every row of weights sums to 1."
    d.note(106, 504, [thick, "Framed: the weights of the lines into out_{2}, the output of sat."])
    return d


def rotation():
    """Draw one pair of a positional encoding as a clock hand that turns with the position."""
    omega, i, delta = 0.4, 2, 3
    start, end, turn = omega * i, omega * (i + delta), omega * delta
    matrix = [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
    before = [math.sin(start), math.cos(start)]
    after = (torch.tensor(matrix) @ torch.tensor(before)).tolist()

    d = Drawing(
        f"Positional encoding: a step of {DELTA} turns the hand by {DELTA}{OMEGA}",
        f"A clock face whose hand points to (sin, cos) of position times omega, with omega "
        f"{omega}: at position 0 it points up and it turns clockwise. The hand at position {i} "
        f"has turned by {start:.1f} radians, the hand at position {i + delta} by {end:.1f}; from "
        f"one to the other it turns by delta times omega, {turn:.1f}. The same as a matrix: the "
        f"rotation by {turn:.1f} times {vector(before, 2)} is {vector(after, 2)}.",
        height=452,
    )
    x, y, radius = 196, 248, 138

    def on_clock(angle, r):
        """Return the point at this angle, clockwise from the top."""
        return x + r * math.sin(angle), y - r * math.cos(angle)

    def turned(first, last, r, color):
        """Draw an arc with a head at its end."""
        points = [on_clock(first + (last - first) * k / 24, r) for k in range(25)]
        d.arrow(*points[:-3], points[-1], color=color, width=2.2)

    d.add("circle", cx=x, cy=y, r=radius, fill="#FFFFFF", stroke=FAINT)
    d.arrow((x - radius - 16, y), (x + radius + 26, y), color=FAINT, width=1.2)
    d.arrow((x, y + radius + 16), (x, y - radius - 34), color=FAINT, width=1.2)
    d.note(x + 8, y - radius - 36, f"cos {OMEGA}i")
    d.note(x + radius + 30, y, f"sin {OMEGA}i")
    for k in range(8):
        if k not in (i, i + delta):
            cx, cy = on_clock(omega * k, radius)
            d.add("circle", cx=cx, cy=cy, r=3.5, fill=INK)
            d.text(*on_clock(omega * k + 0.1, radius + 15), f"{k}", SMALLEST)
    hands = [(start, f"i = {i}", QUERY[0]), (end, f"i + {DELTA} = {i + delta}", OUTPUT[0])]
    for angle, words, color in hands:
        d.arrow((x, y), on_clock(angle, radius), color=color, width=3)
        d.note(*on_clock(angle, radius + 9), words, 15, bold=True, color=color)
    turned(0, start, 44, QUERY[0])
    d.text(x - 8, y - 44, f"{OMEGA}i = {number(start, 1)}", SMALLEST, anchor="end", color=QUERY[0])
    turned(start, end, 64, OUTPUT[0])
    turn_words = f"{DELTA}{OMEGA} = {number(turn, 1)}"
    d.text(*on_clock((start + end) / 2, 98), turn_words, SMALLEST, color=OUTPUT[0])

    left = 452
    d.note(left, 74, f"One pair of columns, {OMEGA} = {number(omega)}", bold=True)
    later = (166, f"i + {DELTA}", i + delta, after, OUTPUT)
    for height, name, k, pair, role in [(110, "i", i, before, QUERY), later]:
        words = f"(sin {k}{OMEGA}, cos {k}{OMEGA}) = {vector(pair, 2)}"
        d.note(left, height, [f"position {name} = {k}:", words], color=role[0])
    d.note(left, 228, f"The turn by {DELTA}{OMEGA} is a matrix:", bold=True)
    cos, sin = f"cos {DELTA}{OMEGA}", f"sin {DELTA}{OMEGA}"
    d.grid(left, 246, [[cos, sin], [MINUS + sin, cos]], 76, 32, PLAIN, size=14)
    d.grid(left, 330, [[number(v, 2) for v in row] for row in matrix], 56, 32, PLAIN)
    d.text(left + 124, 362, TIMES, 17)
    d.grid(left + 136, 330, [[number(v, 2)] for v in before], 56, 32, QUERY)
    d.text(left + 204, 362, "=", 17)
    d.grid(left + 216, 330, [[number(v, 2)] for v in after], 56, 32, OUTPUT)
    same = [f"It holds {DELTA} but not i: a step of {delta} is", "the same turn everywhere."]
    d.note(left, 414, same)
    return d


def encoder_block():
    """Draw an encoder block: attention and a two-layer network, each added to what came in."""
    d = Drawing(
        "An encoder block",
        "From top to bottom: the tokens X go into self-attention; a second line leads X past it, "
        "and the two are added and pass through LayerNorm. The result Y goes through W_1, GELU "
        "and W_2; a second line leads Y past them, and the two are added and pass through "
        "LayerNorm to the output, which has the shape of X. Only self-attention lets tokens read "
        "each other; all the rest treats each token alone.",
        height=560,
    )
    x, past, half = 250, 92, 80

    def part(y, words, role, high=34, size=15, to=0, past_from=0):
        """Draw a box, an arrow down to the next one, and what leads past into an addition."""
        d.box(x - half, y, 2 * half, high, words, role, size)
        if past_from:
            d.arrow((x, past_from), (past, past_from), (past, y + 17), (x - half, y + 17))
        if to:
            d.arrow((x, y + high), (x, to))

    part(54, "tokens X", QUERY, to=122)
    part(122, "self-attention", WEIGHT, 40, to=190)
    part(190, "add", PLAIN, to=242, past_from=105)
    part(242, "LayerNorm", PLAIN, to=310)
    part(310, "W_{1}", VALUE, size=16)
    part(344, "GELU", VALUE, 30)
    part(374, "W_{2}", VALUE, size=16, to=430)
    part(430, "add", PLAIN, to=482, past_from=293)
    part(482, "LayerNorm", PLAIN, to=544)
    scaled = ["per token: mean 0, spread 1, then", "a gain and a shift, learned"]
    alone = ["out to 4 times the width,", "(batch, n, ffn_hiddens), and back"]
    for y, name, lines in [
        (64, "what comes in", "(batch, n, hidden)"),
        (134, "tokens read each other", "12 heads in the model of this lesson"),
        (198, "and keep what they had", "the residual: X + attention(X)"),
        (252, "back to one scale", scaled),
        (328, "each token works alone", alone),
        (438, "and keeps what it had", "the second residual"),
        (500, "back to one scale", "(batch, n, hidden), as it came in"),
    ]:
        d.note(390, y, name, bold=True)
        d.note(390, y + 19, lines, SMALLEST, step=18)
    d.text(x + 8, 293, "Y", 15, anchor="start", bold=True)
    d.text(past + 8, 156, "past", SMALLEST, anchor="start")
    d.text(past + 8, 370, "past", SMALLEST, anchor="start")
    return d


def encoder_decoder():
    """Draw a translator of an encoder and a decoder block, and where queries and keys come from."""
    d = Drawing(
        "An encoder block reads, a decoder block writes",
        "Left, the encoder: the letters 5/4/21 go through self-attention and a two-layer network, "
        "each added to its input and normalized, and become the memory M, one vector for each "
        "letter. Right, the decoder: the symbols written so far go through causal self-attention; "
        "then cross-attention, whose queries come from these symbols and whose keys and values "
        "come from M; then a two-layer network; each is added to its input and normalized. A "
        "linear layer makes of the newest symbol's vector the scores of the next one, which is "
        "written and goes in again.",
        height=548,
    )
    left, right, half = 170, 494, 104

    def part(x, y, words, role, to):
        d.box(x - half, y, 2 * half, 38, words, role, 15)
        d.box(x - half, y + 38, 2 * half, 26, "add, LayerNorm", PLAIN, SMALLEST)
        d.arrow((x, y + 64), (x, to))

    encoder = left, "encoder", "5 / 4 / 2 1", KEY, 204
    decoder = right, "decoder", "^ 2 0 2 1", QUERY, 314
    for x, name, symbols, role, high in (encoder, decoder):
        d.text(x, 64, name, 15, bold=True)
        d.panel(x - half - 18, 146, 2 * half + 36, high)
        d.box(x - half, 82, 2 * half, 38, symbols, role, 15)
        d.arrow((x, 120), (x, 162))
        d.note(x + 8, 134, "table, places", SMALLEST)
    part(left, 162, "self-attention", WEIGHT, to=270)
    part(left, 270, "W_{1}, GELU, W_{2}", VALUE, to=380)
    d.box(left - half, 380, 2 * half, 38, "memory M", KEY, 15)
    d.note(left - half, 436, "a vector for each letter", SMALLEST)
    part(right, 162, "causal self-attention", WEIGHT, to=270)
    part(right, 270, "cross-attention", WEIGHT, to=378)
    part(right, 378, "W_{1}, GELU, W_{2}", VALUE, to=490)
    d.note(right + 8, 248, "queries", SMALLEST, color=QUERY[0], bold=True)
    turn = (left + right) / 2
    memory = (left + half, 399), (turn, 399), (turn, 289), (right - half, 289)
    d.arrow(*memory, color=KEY[0], width=2)
    d.note(left + half + 10, 416, ["keys and", "values"], SMALLEST, 17, color=KEY[0], bold=True)
    d.box(right - half, 490, 2 * half, 38, "Linear: the next symbol is \u2212", OUTPUT, SMALLEST)
    d.arrow((right + half, 509), (694, 509), (694, 101), (right + half, 101), color=FAINT)
    d.text(712, 305, "written, then given back", SMALLEST, angle=90)
    return d


LESSONS = {  # part of the course: {lesson: its title, what it hands on}
    "The parts of attention": {
        1: ("Kernel regression", "a weighted mean; weights by softmax"),
        2: ("Scoring functions", f"scores, {ROOT}d, additive scores"),
        3: ("Masking", "masks, and a test from outside"),
        4: ("Multi-head attention", "heads; queries from elsewhere"),
        5: ("Self-attention", "one sequence; two layers that copy"),
        6: ("Positional encoding", "tables, rotary, biases"),
    },
    "Whole models": {
        7: ("Reading a real model", "the block; heads as numbers"),
        8: ("A translator of dates", "encoder, decoder, cache"),
        9: ("Towns that do not exist", "a model that you train"),
        10: ("A language model", "a model that writes"),
    },
    "Beyond": {
        11: ("The same attention elsewhere", "signs, orders and layouts"),
        12: ("Long texts", "blocks of keys, a state, a ring"),
        13: ("The test that catches it", "what a test can ask"),
        14: ("Which model is it?", "norms, sinks, windows, gates"),
        15: ("What is kept", "latents, states, hybrids"),
        16: ("Write the kernel", "tiles, rules, what is moved"),
    },
}


def course():
    """Draw the course in its parts."""
    named = [
        f"{part}: {', '.join(f'{n:02} {title}' for n, (title, _) in lessons.items())}"
        for part, lessons in LESSONS.items()
    ]
    width, high, gap = 340, 50, 12
    rows = [-(-len(lessons) // 2) for lessons in LESSONS.values()]
    panels = [44 + row * (high + gap) for row in rows]
    d = Drawing(
        "The course in three parts",
        f"Three panels, one below the other, with a box for each lesson. {'; '.join(named)}. An "
        "arrow leads from each panel to the next.",
        height=56 + sum(panels) + 26 * len(panels) - 8,
    )
    y = 56
    for (part, lessons), panel in zip(LESSONS.items(), panels, strict=True):
        d.panel(20, y, WIDTH - 40, panel)
        d.note(34, y + 20, part, bold=True)
        for place, (lesson, (title, gives)) in enumerate(lessons.items()):
            left = 34 + place % 2 * (width + gap)
            top = y + 38 + place // 2 * (high + gap)
            d.box(left, top, width, high)
            d.text(left + width / 2, top + 17, f"{lesson:02} {title}", 15, bold=True)
            d.text(left + width / 2, top + 37, gives, SMALLEST)
        if part != [*LESSONS][-1]:
            d.arrow((WIDTH / 2, y + panel + 2), (WIDTH / 2, y + panel + 24))
        y += panel + 26
    return d


WRONG = """def my_lookahead_mask(num_steps, lookahead):
    return torch.ones(num_steps, num_steps, dtype=torch.bool).tril(-lookahead)"""


def check():
    """Draw what a wrong answer is told, by the judge itself."""
    given = {"torch": torch}
    exec(WRONG, given)
    said, *shown = catalogue.judge(given["my_lookahead_mask"]).message.splitlines()
    lines = textwrap.wrap(f"my_lookahead_mask: {catalogue.say('not yet')} {said}", 78)
    d = Drawing(
        "A mistake is named",
        "A function that a learner wrote, and what check says of it. "
        f"{WRONG} {said} {' '.join(shown)}",
        height=206 + 22 * (len(lines) + len(shown)),
    )
    d.panel(24, 56, WIDTH - 48, 116)
    for row, line in enumerate([*WRONG.splitlines(), "", "check(my_lookahead_mask)"]):
        indent = len(line) - len(line.lstrip())
        d.note(42 + 9 * indent, 78 + 24 * row, line.strip())
    y = 200
    d.path((30, y - 12), (30, y + 22 * (len(lines) + len(shown)) - 8), color=OUTPUT[0], width=4)
    d.note(46, y, lines, step=22, bold=True)
    for row, line in enumerate(shown, start=len(lines)):
        name, _, value = line.strip().partition(": ")
        d.note(46, y + 22 * row, f"{name}:", SMALLEST)
        d.note(130, y + 22 * row, value.strip(), SMALLEST)
    return d


DIAGRAMS = [check, weighted_sum, scaled_dot_product, multihead, head_reshape, masks, self_attention]
DIAGRAMS += [rotation, encoder_block, encoder_decoder, course]


def main():
    """Write every diagram next to this script."""
    for diagram in DIAGRAMS:
        path = Path(__file__).with_name(f"{diagram.__name__}.svg")
        path.write_bytes(diagram().svg().encode())


if __name__ == "__main__":
    main()
