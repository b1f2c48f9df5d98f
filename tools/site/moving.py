"""A moving picture for where no scripts run: towns that lesson 09's model writes by letters.

python -m tools.site.moving        writes img/moving/towns.svg
"""

import copy
from html import escape

import torch

from tools.lessons import ROOT, write_text
from tools.site import towns

NUMBERS = ROOT / "tools" / "site" / "web" / "towns.bin"
FILE = ROOT / "img" / "moving" / "towns.svg"
SEED, TEMPERATURE, LIKELY, LAYER, HEAD = 4, 0.7, 8, 1, 0
FROM, TO, NAMES = "GB", "JP", ("Britain", "Japan")
SHARES = (0, 0, 0.5, 0.5, 1, 1)  # how much of the second country
WIDE, SECONDS, REST = 34, 0.45, 4  # of a letter, in pixels; of a frame; frames at a name's end
LEFT, LINE = 40, 96  # where the first letter stands
STYLE = """
text { font: 600 28px sans-serif; text-anchor: middle; fill: #1f2328 }
.of { font: 16px sans-serif; text-anchor: start } .next { font: 15px sans-serif }
.next.taken { font-weight: 700 } rect { fill: #0072b2 } path { fill: none; stroke: #0072b2 }
g { visibility: hidden; animation: shown %.2fs steps(1) infinite }
@keyframes shown { 0%% { visibility: visible } %.4f%% { visibility: hidden } }
@media (prefers-reduced-motion: reduce) { g { animation: none }
  g:last-of-type { visibility: visible } }
"""


def lesson():
    """The lesson's model with the numbers of `towns.bin`, its signs, and how many are countries."""
    header, tensors = towns.unpacked(NUMBERS.read_bytes())
    model = towns.cells_until("start")["start"]().float()
    model.load_state_dict(tensors)
    return model, header["tokens"], header["countries"]


@torch.no_grad()
def write(model, tokens, countries, share, generator):
    """A town's letters: each with the chances that it was drawn from, and a head's weights."""
    rows, written, steps = model.embedding.weight, [0], []
    first = torch.lerp(rows[tokens.index(FROM)], rows[tokens.index(TO)], share)
    model = copy.deepcopy(model)
    model.embedding.weight[0] = first  # the mixed country takes the place of one
    while not steps or (steps[-1][0] != "." and len(steps) < 13):
        scores = model(torch.tensor([written]), look=True)[0, -1, countries:]
        chances = (scores / TEMPERATURE).softmax(-1)
        written.append(countries + chances.multinomial(1, generator=generator).item())
        looks = model.blocks[LAYER].attention_weights[0, HEAD, -1]
        steps.append((tokens[written[-1]], chances, looks))
    return steps


def arcs(looks):
    """Lines from the newest sign to those it looks at, as thick as the weight."""
    newest = LEFT + WIDE * (len(looks) - 2)
    for i, weight in enumerate(looks.tolist()):
        to, high = LEFT + WIDE * (i - 1), 70 - min(46, 12 + 0.3 * WIDE * (len(looks) - 1 - i))
        path = f"M{newest},70 C{newest},{high:.0f} {to},{high:.0f} {to},70"
        if i + 1 < len(looks) and weight > 0.02:
            yield f'<path d="{path}" stroke-width="{8 * weight:.1f}"/>'


def frame(number, country, letters, tokens, chances, looks):
    """One picture: the letters so far, and what was likeliest in the last one's place."""
    parts = [f'<g style="animation-delay:{number * SECONDS:.2f}s"><text class="of" x="8" y="20">']
    parts += [country, "</text>", *arcs(looks)]
    for i, letter in enumerate(letters):
        parts.append(f'<text x="{LEFT + WIDE * i}" y="{LINE}">{escape(letter)}</text>')
    x = LEFT + WIDE * (len(letters) - 1)
    for place, k in enumerate(chances.argsort(descending=True)[:LIKELY].tolist()):
        y, taken = LINE + 26 + 22 * place, " taken" * (tokens[k] == letters[-1])
        parts.append(f'<rect x="{x - 11}" y="{y - 15}" width="22" height="20" rx="3" '
                     f'opacity="{0.5 * chances[k]:.2f}"/>'
                     f'<text class="next{taken}" x="{x}" y="{y}">{tokens[k]}</text>')  # fmt: skip
    return "".join([*parts, "</g>"])


def picture():
    """The SVG, and the towns in it."""
    (model, tokens, countries), generator = lesson(), torch.Generator().manual_seed(SEED)
    signs, frames, written = tokens[countries:], [], []
    for share in SHARES:
        of = {0: NAMES[0], 1: NAMES[1]}.get(share, f"half {NAMES[0]}, half {NAMES[1]}")
        steps = write(model, tokens, countries, share, generator)
        letters = [letter for letter, *_ in steps]
        written.append("".join(letters).rstrip("."))
        shown = [*enumerate(steps, start=1)]
        for n, (_, chances, looks) in shown + shown[-1:] * REST:
            frames.append(frame(len(frames), of, letters[:n], signs, chances, looks))
    style = STYLE % (len(frames) * SECONDS, 100 / len(frames))
    wide = LEFT + WIDE * 13
    told = f"Towns that do not exist, written letter by letter: {', '.join(written)}."
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="290" viewBox="0 0 {wide} '
        f'290"><title>{told}</title><style>{style}</style>'
        f'<path d="M0,0H{wide}V290H0Z" style="fill:#fff;stroke:none"/>\n'
    )
    return "\n".join([start, *frames, "</svg>\n"]), written


if __name__ == "__main__":
    text, found = picture()
    write_text(text, FILE)
    print(f"{FILE.name}: {len(text) / 1000:.0f} kB, {', '.join(found)}")
