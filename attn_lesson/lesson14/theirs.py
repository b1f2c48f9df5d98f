"""Layers of published families as the transformers library computes them, tiny and random.

Only `python -m attn_lesson.lesson14 families` and tests import that library.
"""

import base64
import importlib
import json
from inspect import signature

import torch

from .families import SIZES, SWITCHES, UNIT, WINDOW, parts_of

TINY = {
    "vocab_size": 8, "hidden_size": SIZES["num_hiddens"], "num_hidden_layers": 4,
    "num_attention_heads": SIZES["num_heads"], "num_key_value_heads": SIZES["num_kv_heads"],
    "head_dim": SIZES["head_dim"], "intermediate_size": 16, "rms_norm_eps": 1e-6,
    "max_position_embeddings": 64, "pad_token_id": 0, "sliding_window": WINDOW,
}  # fmt: skip
SLIDES = {"layer_types": 2 * ["sliding_attention", "full_attention"]}
TOKENS, OTHER_BASE = 12, 1e6
# In the order of the game: the family's module and the name that its classes begin with; options of
# its configuration; the layer; the base that it was published with (gpt-oss stretches its
# positions besides, which is left out here); our parts, None where no parts compute the same.
LAYERS = {
    "Llama 3": ("llama", "Llama", {}, 0, 5e5, {}),
    "Mistral": ("mistral", "Mistral", {}, 0, 1e4, {"window": True}),
    "Qwen 3": ("qwen3", "Qwen3", {}, 0, 1e6, {"qk_norm": "head"}),
    "Qwen 2": ("qwen2", "Qwen2", {}, 0, 1e6, {"bias": True}),
    "Cohere 2, window": (
        "cohere2", "Cohere2", SLIDES, 0, 5e4, {"window": True, "interleaved": True},
    ),
    "OLMo 2": ("olmo2", "Olmo2", {}, 0, 5e5, {"qk_norm": "whole"}),
    "GLM 4": (
        "glm4", "Glm4", {"attention_bias": True}, 0, 1e4,
        {"bias": True, "turned": 0.5, "interleaved": True},
    ),
    "EXAONE 4, full": ("exaone4", "Exaone4", SLIDES, 1, 1e6, {"qk_norm": "head", "turned": 0.0}),
    "gpt-oss, window": (
        "gpt_oss", "GptOss", SLIDES, 0, 1.5e5,
        {"window": True, "sink": True, "bias": True, "out_bias": True},
    ),
    "Qwen3-Next, full": (
        "qwen3_next", "Qwen3Next", {}, 3, 1e7, {"qk_norm": "head", "gate": True, "turned": 0.25},
    ),
    "HunYuan": ("hunyuan_v1_dense", "HunYuanDenseV1", {}, 0, 1e4, None),
}  # fmt: skip
# Numbers are drawn evenly between two ends, by the first word in their names: so far apart, and
# with these seeds, the models' numbers in the game, that each wrong switch is seen in the output.
ENDS = {"norm": (0.4, 2.4), "sink": (0, 3), "bias": (-1, 1), "W_o": (-0.3, 0.3), "W": (-0.6, 0.6)}


def of_family(family, ending):
    """The class of a family's module whose name ends so."""
    module = importlib.import_module(f"transformers.models.{family}.modeling_{family}")
    own = [c for c in vars(module).values() if getattr(c, "__module__", "") == module.__name__]
    return next(c for c in own if c.__name__.endswith(ending) and "Linear" not in c.__name__)


def published(family, name, options, layer):
    """Configuration, block and turning of a family."""
    transformers = importlib.import_module("transformers")
    transformers.logging.set_verbosity_error()
    config = getattr(transformers, f"{name}Config")(**options)
    config._attn_implementation = "eager"
    block = of_family(family, "DecoderLayer")(config, layer).eval()
    return config, block, of_family(family, "RotaryEmbedding")(config)


def output(part, turning, kind, X, positions, seen):
    """What a block, or its attention, makes of X (batch, n, width), where seen (batch, n, n)."""
    hidden = torch.finfo(torch.float32).min
    mask = torch.zeros(seen.shape).masked_fill(~seen, hidden)[:, None]
    by_kind = {"layer_type": kind} if "layer_type" in signature(turning.forward).parameters else {}
    given = {"position_embeddings": turning(X, positions, **by_kind), "attention_mask": mask}
    made = part(hidden_states=X, **given)
    return made[0] if isinstance(made, tuple) else made


def shapes():
    """The shapes of all numbers that are stored with a model: {name: shape}."""
    found = {}
    for qk_norm in ("head", "whole"):
        ours, names = parts_of(qk_norm, sink=True, gate=True, bias=True, out_bias=True)
        found |= {names[key]: value.shape for key, value in ours.state_dict().items()}
    return found


def draw(name, shape):
    """Random whole numbers, of which `UNIT` make 1: they are the same wherever they are drawn."""
    low, high = next(ends for word, ends in ENDS.items() if word in name)
    return torch.randint(round(low * UNIT), round(high * UNIT) + 1, shape)


def fill(attention, numbers):
    """Give a published attention its numbers, which it calls by other names."""
    ours = {f"{letter}_proj": f"W_{letter}" for letter in "qkvo"}
    ours |= {"query_layernorm": "q_norm", "key_layernorm": "k_norm", "sinks": "sink"}
    for name, parameter in attention.named_parameters():
        first, dot, kind = name.partition(".")
        name = ours.get(first, first) + dot + kind
        if "norm" in name:
            name = f"{'head' if len(parameter) == SIZES['head_dim'] else 'whole'}.{name}"
        value = numbers[name]
        if "norm" in name and type(attention).__name__.startswith("Qwen3Next"):
            value = value - 1  # it multiplies by 1 + weight
        if len(parameter) == 2 * len(value):  # a head's queries, then its gate
            both = [numbers[f"W_{letter}.weight"].unflatten(0, (4, -1)) for letter in "qg"]
            value = torch.cat(both, 1).flatten(0, 1)
        parameter.copy_(value)


def text(numbers):
    """The bytes of an array of NumPy, in base64."""
    return base64.b64encode(numbers.tobytes()).decode()


@torch.no_grad()
def models():
    """The models of families.json."""
    every = shapes()
    for seed, (name, row) in enumerate(LAYERS.items(), 1):
        family, prefix, options, layer, base, parts = row
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            drawn = {name: draw(name, shape) for name, shape in every.items()}
            tokens = torch.randint(-2 * UNIT, 2 * UNIT, (TOKENS, SIZES["num_hiddens"]))
        rope = {"rope_parameters": {"rope_type": "default", "rope_theta": base}}
        rope["rope_parameters"]["partial_rotary_factor"] = (parts or {}).get("turned") or 1.0
        config, block, turning = published(family, prefix, TINY | options | rope, layer)
        fill(block.self_attn, {name: value / UNIT for name, value in drawn.items()})
        seen = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril()
        if parts and "window" in parts:
            seen = seen & ~seen.tril(-WINDOW)
        kind = getattr(config, "layer_types", 4 * [None])[layer]
        given = tokens[None] / UNIT, torch.arange(TOKENS)[None], seen[None]
        made = output(block.self_attn, turning, kind, *given)[0]
        if parts is not None:
            plain = {switch: values[0] for switch, values in SWITCHES.items()}
            parts = plain | {"base": base} | parts
        yield {
            "name": name,
            "parts": parts,
            "bases": [1e4, base if base != 1e4 else OTHER_BASE],
            "tokens": text(tokens.to(torch.int8).numpy()),
            "output": text(made.numpy()),
            "numbers": {key: text(value.to(torch.int8).numpy()) for key, value in drawn.items()},
        }


def lines():
    """The lines of families.json."""
    yield "["
    yield ",\n".join(json.dumps(model) for model in models())
    yield "]"
