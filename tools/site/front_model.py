"""The first page's model, lesson 09's: it writes towns in the reader's browser (web/towns.js)."""

import base64
import re
from pathlib import Path

WEB = Path(__file__).with_name("web")
COUNTRIES = {"GB": "Britain", "FR": "France", "DE": "Germany", "IT": "Italy", "ES": "Spain",
             "PL": "Poland", "JP": "Japan", "TR": "Turkey"}  # fmt: skip
LAYERS, HEADS, LOOKS = 2, 4, "1.0"  # the head whose lines are shown at first


def markup():
    """The section of the page, hidden until the script shows it."""
    heads = {
        f"{layer}.{head}": f"layer {layer + 1}, head {head + 1}"
        for layer in range(LAYERS)
        for head in range(HEADS)
    }
    parts = {
        "from": _options(COUNTRIES, "GB"),
        "to": _options(COUNTRIES, "JP"),
        "heads": _options(heads, LOOKS),
    }
    text = (WEB / "towns.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], text)


def _options(names, chosen):
    return "".join(
        f'<option value="{key}"{" selected" * (key == chosen)}>{name}</option>'
        for key, name in names.items()
    )


def numbers():
    """The script with the numbers, as `python -m tools.site.towns write` packs them."""
    encoded = base64.b64encode((WEB / "towns.bin").read_bytes()).decode()
    return f'window.townsNumbers = "{encoded}";\n'
