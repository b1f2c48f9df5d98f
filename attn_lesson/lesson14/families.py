"""The game "Which model is it?": layers of published families, and switches to find their parts.

families.json is a list of models in the order of the game, of which each has

    name: the family's, which players do not see before they have found it.
    parts: the right setting of every switch; null for the one that no setting computes.
    bases: the two settings of the switch `base`.
    tokens: what the layer was given, (12, 16).
    output: what the published layer made of it, (12, 16).
    numbers: those of every part, also of parts that the published layer does not have, under their
        names in `CausalAttention.state_dict()`; weights of norms stand twice, as "head.q_norm..."
        for one head and as "whole.q_norm..." for all of them.

Arrays are text, base64 of their bytes row by row: output has 32-bit floats, smallest byte first;
all others have signed bytes, of which 32 make 1. A matrix has a row for each number that comes out.
`python -m attn_lesson.lesson14 families` prints the file again.
"""

import base64
import json
from functools import cache
from pathlib import Path

import torch

from attn_teach import CausalAttention

STORED = Path(__file__).with_name("families.json")
SIZES = {"num_hiddens": 16, "num_heads": 4, "num_kv_heads": 2, "head_dim": 16}
WINDOW, UNIT = 4, 32
# The settings of each switch, the first one where a model does not have the part. `base` has two
# besides, which are the model's own. Where nothing is turned, `interleaved` and `base` say nothing.
SWITCHES = {
    "qk_norm": (None, "head", "whole"),
    "window": (False, True),
    "sink": (False, True),
    "gate": (False, True),
    "turned": (1.0, 0.5, 0.25, 0.0),
    "interleaved": (False, True),
    "bias": (False, True),
    "out_bias": (False, True),
}


@cache
def models():
    """The models of the game, by their numbers from 1 on: {1: {"name": ..., "parts": ...}, ...}."""
    stored = json.loads(STORED.read_text("utf-8"))
    for model in stored:
        model["tokens"] = array(model["tokens"]).view(1, -1, SIZES["num_hiddens"]) / UNIT
        model["output"] = array(model["output"], torch.float32).view_as(model["tokens"])
        model["numbers"] = {name: array(text) / UNIT for name, text in model["numbers"].items()}
    return dict(enumerate(stored, 1))


# What a player chooses, and the parts that it stands for.
CHOICES = {
    "qk_norm": ["none", "head", "whole"], "window": False, "sink": False, "gate": False,
    "turned": ["all", "half", "quarter", "none"], "pairs": ["two halves", "neighbors"],
    "biases": ["none", "q, k, v", "q, k, v, o"], "base": ["10,000", "larger"],
}  # fmt: skip


def parts(model, *, qk_norm, turned, pairs, biases, base, **others):
    """The parts of a model that a player's choices stand for, as `off` takes them."""
    return others | {
        "qk_norm": None if qk_norm == "none" else qk_norm,
        "turned": {"all": 1.0, "half": 0.5, "quarter": 0.25, "none": 0.0}[turned],
        "interleaved": pairs == "neighbors",
        "bias": biases != "none",
        "out_bias": biases == "q, k, v, o",
        "base": (min if base == "10,000" else max)(models()[model]["bases"]),
    }


def array(text, dtype=torch.int8):
    """The numbers of an array that is stored as text."""
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype)


def switches(model):
    """All settings of all switches for a model, by its number: {"qk_norm": (None, ...), ...}."""
    return SWITCHES | {"base": tuple(models()[model]["bases"])}


def parts_of(qk_norm=None, window=False, made_by=CausalAttention, **others):
    """A layer with these parts, and how its numbers are called: {in its state: as stored}."""
    ours = made_by(**SIZES, qk_norm=qk_norm, window=WINDOW if window else None, **others)
    return ours, {key: f"{qk_norm}.{key}" if "norm" in key else key for key in ours.state_dict()}


def layer(numbers, **switches):
    """Our attention with these parts, and a model's numbers for them.

    Args:
        numbers: `models()[model]["numbers"]`.
        switches: those of `SWITCHES`, and base: the arguments of `CausalAttention`, but window is
            True or False. made_by: a class of your own in place of `CausalAttention`.
    """
    ours, names = parts_of(**switches)
    shapes = {key: value.shape for key, value in ours.state_dict().items()}
    ours.load_state_dict({key: numbers[names[key]].view(shapes[key]) for key in names})
    return ours


@torch.no_grad()
def off(model, **switches):
    """How far each token's output with these parts is from the published layer's, (12,).

    Args:
        model: its number, from 1 on.
        switches: as for `layer`.
    """
    one = models()[model]
    return (layer(one["numbers"], **switches)(one["tokens"]) - one["output"]).abs().amax((0, 2))
