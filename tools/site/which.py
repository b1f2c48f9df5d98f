"""The game "Which model is it?" for a page: what which.js computes with, and the code it shows.

Models, switches and settings are those of the lesson's `families`; sources, what it cites.
"""

import html
import importlib
import json
import re

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tools.lessons import folder, lessons
from tools.site import documents

LESSON = next(path for path in lessons() if (folder(path) / "families.json").exists())
families, theirs = (
    importlib.import_module(f"attn_lesson.{folder(LESSON).name}.{name}")
    for name in ("families", "theirs")
)
SETTINGS = {  # of each switch, the first where a layer is without the part
    name: settings or [False, True] for name, settings in families.CHOICES.items()
}

# `CausalAttention` on one text, with nothing left out. What follows #? is when a line is there.
LISTING = """\
def attention(X):  # 12 tokens of 16 numbers
    q, k, v = X @ W_q.T, X @ W_k.T, X @ W_v.T
    q, k, v = q + b_q, k + b_k, v + b_v  #? biased
    q, k = norm(q) * w_q, norm(k) * w_k  #? whole
    q, k, v = heads(q), heads(k), heads(v)
    q, k = norm(q) * w_q, norm(k) * w_k  #? head
    q, k = turn(q), turn(k)  #? turned
    k, v = (y.repeat_interleave(2, 0) for y in (k, v))
    scores = q @ k.mT / 16**0.5
    seen = torch.ones(12, 12, dtype=bool).tril()
    seen = seen.triu(-3)  #? window
    scores = scores.masked_fill(~seen, -torch.inf)
    column = sink.view(4, 1, 1).expand(4, 12, 1)  #? sink
    scores = torch.cat((scores, column), -1)  #? sink
    weights = scores.softmax(-1)
    weights = weights[..., :-1]  #? sink
    read = (weights @ v).transpose(0, 1).flatten(1)
    read = read * torch.sigmoid(X @ W_g.T)  #? gate
    return read @ W_o.T  #? no b_o
    return read @ W_o.T + b_o  #? b_o

def heads(y):  # of 16 numbers each
    return y.unflatten(-1, (-1, 16)).transpose(0, 1)

def norm(y):  #? normed
    return y / (y.square().mean(-1, keepdim=True) + 1e-6).sqrt()  #? normed
  #? normed
def turn(y):  # by position  #? turned
    y, rest = y[..., :TURNED], y[..., TURNED:]  #? in part
    a, b = y[..., :HALF], y[..., HALF:]  #? halves
    a, b = y[..., 0::2], y[..., 1::2]  #? neighbors
    speeds = BASE ** (-torch.arange(0, TURNED, 2) / TURNED)  #? turned
    angles = torch.arange(12).outer(speeds)  #? turned
    cos, sin = angles.cos(), angles.sin()  #? turned
    a, b = a * cos - b * sin, a * sin + b * cos  #? turned
    y = torch.cat((a, b), -1)  #? halves
    y = torch.stack((a, b), -1).flatten(-2)  #? neighbors
    return torch.cat((y, rest), -1)  #? in part
    return y  #? all
"""
WHEN = {  # the settings that a line is there for
    "biased": {"biases": ("q, k, v", "q, k, v, o")},
    "b_o": {"biases": ("q, k, v, o",)},
    "no b_o": {"biases": ("none", "q, k, v")},
    "head": {"qk_norm": ("head",)},
    "whole": {"qk_norm": ("whole",)},
    "normed": {"qk_norm": ("head", "whole")},
    "turned": {"turned": ("all", "half", "quarter")},
    "all": {"turned": ("all",)},
    "in part": {"turned": ("half", "quarter")},
    "halves": {"turned": ("all", "half", "quarter"), "pairs": ("two halves",)},
    "neighbors": {"turned": ("all", "half", "quarter"), "pairs": ("neighbors",)},
    **{name: {name: (True,)} for name in ("window", "sink", "gate")},
}
VALUES = {"BASE": "base", "TURNED": "turned", "HALF": "turned"}  # numbers, and their switch
# Whom the lesson cites for a part, by a word of the source.
CITED = {"qk_norm": "Query-Key", "window": "Longformer", "sink": "Sinks", "gate": "Gated"}
CITED |= {"turned": "Rope to Nope"}
GLOSSES = {  # said of a switch when it is thrown
    "qk_norm": "queries and keys get the same size before they meet, each head's or all together.",
    "turned": "how much of each query and key is turned, by the angle of its place in the text.",
    "pairs": "which two numbers turn together.",
    "base": "how slowly the slowest pair turns; larger is slower.",
    "window": f"a token sees {families.WINDOW} tokens, itself the last.",
    "sink": "a share of each row's weight goes to no token at all.",
    "gate": "what was read is multiplied by numbers from 0 to 1, which the token decides on.",
    "biases": "numbers that are added, whatever the token is.",
}
TOLD = "Find the parts of published attention layers by eight switches, until nothing differs"
PAGE = """# Which model is it?

One attention layer of each of ten published models, tiny and with random numbers: twelve tokens in,
and what a published library made of them. Eight switches set the parts of our attention, which has
the same numbers. Throw them until the difference is 0.0000; the code is what is computed. An
eleventh model is found by no switch.

"""
LEAD = """**[Which model is it?](which.md)** Ten published attention layers, and eight switches to
find them by."""
CODE = "https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/models"


def lines():
    """Each line of the listing, and the settings that it is there for: {switch: settings}."""
    for line in LISTING.splitlines():
        text, _, when = line.partition("  #? ")
        yield text, WHEN[when] if when else {}


def listing(chosen, base):
    """The lines at a player's choices, with a base: a program, given the layer's numbers."""
    there = [
        text
        for text, when in lines()
        if all(chosen[switch] in settings for switch, settings in when.items())
    ]
    turned = int(16 * families.parts(1, **chosen)["turned"])
    values = dict(zip(VALUES, (f"{base:.0f}", str(turned), str(turned // 2)), strict=True))
    return re.sub("|".join(VALUES), lambda found: values[found[0]], "\n".join(there) + "\n")


def shown():
    """The listing as HTML: in each line which settings show it, by their numbers."""
    first = {switch: settings[0] for switch, settings in SETTINGS.items()}
    for text, when in lines():
        code = highlight(text, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n")
        for value, switch in VALUES.items():
            about = f' data-value="{value}" data-of="{switch}"'
            code = code.replace(f">{value}<", f"{about}>{value}<")
        told = {s: [SETTINGS[s].index(each) for each in settings] for s, settings in when.items()}
        part = any(first[switch] not in settings for switch, settings in when.items())
        about = ' class="part"' * part
        about += f' data-when="{html.escape(json.dumps(told))}"' * bool(when)
        yield f"<span{about}>{code}\n</span>"


def parts():
    """What each setting of each switch stands for: {switch: [{part: value}, ...]}.

    Of base it is the place in a model's "bases".
    """
    first, made = {switch: settings[0] for switch, settings in SETTINGS.items()}, {}
    for switch, settings in SETTINGS.items():
        all_of = [families.parts(1, **first | {switch: setting}) for setting in settings]
        own = [part for part in all_of[0] if len({each[part] for each in all_of}) > 1]
        made[switch] = [{part: each[part] for part in own} for each in all_of]
    for each in made["base"]:
        each["base"] = families.models()[1]["bases"].index(each["base"])
    return made


def choices(model):
    """A player's choices that are right for a model, by its number."""
    right = dict(families.models()[model]["parts"])
    right["base"] = families.models()[model]["bases"].index(right["base"])
    return {
        switch: next(
            setting
            for setting, made in zip(SETTINGS[switch], all_of, strict=True)
            if all(right[part] == value for part, value in made.items())
        )
        for switch, all_of in parts().items()
    }


def part(macro):
    """The switches and what they show, as HTML of this template; which.js moves it."""
    models, heads = len(families.models()), families.SIZES["num_heads"]
    place = f"{LESSON.stem}.html#which-model-is-it"
    return macro(SETTINGS, GLOSSES, models, heads, "".join(shown()), place)


def found(model, macro):
    """What a page says of a model that has been found, as HTML; nothing of one that cannot be."""
    one = families.models()[model]
    if not one["parts"]:
        return ""
    row, cited = choices(model), documents.sources(LESSON)
    sources = [
        next(source for source in cited if word in source)
        for switch, word in CITED.items()
        if (row[switch] == "none" if switch == "turned" else row[switch] not in (False, "none"))
    ]
    row |= {"base": f"{one['parts']['base']:,.0f}"}
    row = {switch: {True: "yes", False: "no"}.get(value, value) for switch, value in row.items()}
    module = theirs.LAYERS[one["name"]][0]
    where = f"{module}/modeling_{module}.py"
    sources = [source.replace("*", "").strip(".") for source in sources]
    return macro(one["name"], row, where, f"{CODE}/{where}", sources)


def numbers(macro):
    """A script with all that which.js computes with."""
    stored = json.loads(families.STORED.read_text("utf-8"))
    told = [
        {key: one[key] for key in ("bases", "tokens", "output", "numbers")}
        | {"name": one["name"] if one["parts"] else "", "told": found(n, macro)}
        for n, one in enumerate(stored, 1)
    ]
    made = {
        "heads": families.SIZES["num_heads"],
        "window": families.WINDOW,
        "unit": families.UNIT,
        "widths": {name: shape[-1] for name, shape in theirs.shapes().items()},
        "parts": parts(),
        "models": told,
    }
    return f"window.whichNumbers = {json.dumps(made)};\n"
