"""Layers of this year's models, as the transformers library computes them, and ours.

Each is tiny and random, from a configuration alone: nothing is fetched. What fits is a row of a
table. What does not, and why: HunYuan norms its queries and keys behind the turning; nanochat turns
the other way (positions with a minus sign would do); Gemma 2 bends its scores by a tanh.
"""

import importlib

import pytest
import torch
from reference import assert_same

from attn_lesson.lesson14.theirs import output, published
from attn_teach import CausalAttention, CausalBlock, KVCache, LatentAttention, delta_rule

pytest.importorskip("transformers")

TINY = {
    "vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 48, "head_dim": 12, "rms_norm_eps": 1e-6,
    "max_position_embeddings": 64, "pad_token_id": 0, "sliding_window": 4,
}  # fmt: skip
SLIDES, FULL = "sliding_attention", "full_attention"
HYBRID = {"layer_types": [SLIDES, FULL, SLIDES, FULL]}
PLAIN = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}  # not stretched
HEAD, WHOLE = {"qk_norm": "head"}, {"qk_norm": "whole"}
WINDOW, STILL = {"window": 4}, {"turned": 0.0}
BIASES, SINK = {"bias": True, "out_bias": True}, {"sink": True}
GEMMA = {"activation": "gelu_tanh", "norm": "both"}
# The norms of a block, under their names, in the order of ours.
BEFORE = "input_layernorm", "post_attention_layernorm"
AFTER = "post_attention_layernorm", "post_feedforward_layernorm"
BOTH = "input_layernorm", "pre_feedforward_layernorm", *AFTER
GLM = *BEFORE, "post_self_attn_layernorm", "post_mlp_layernorm"
# Its module and the name that its classes begin with; options of its configuration; layer; our
# parts; the block's norms, () where something else is around its attention.
LAYERS = {
    "Llama": ("llama", "Llama", {}, 0, {}, BEFORE),
    "Mistral": ("mistral", "Mistral", {}, 0, WINDOW, BEFORE),
    "Qwen 2": ("qwen2", "Qwen2", {"head_dim": 8}, 0, {"bias": True, "head_dim": 8}, BEFORE),
    "Qwen 3": ("qwen3", "Qwen3", {}, 0, HEAD, BEFORE),
    "OLMo 2": ("olmo2", "Olmo2", {}, 0, WHOLE | {"norm": "after"}, AFTER),
    "OLMo 3, window": ("olmo3", "Olmo3", HYBRID, 0, WHOLE | WINDOW | {"norm": "after"}, AFTER),
    "OLMo 3, full": ("olmo3", "Olmo3", HYBRID, 1, WHOLE | {"norm": "after"}, AFTER),
    "Gemma 3, window": (
        "gemma3", "Gemma3Text", HYBRID | {"query_pre_attn_scalar": 20}, 0,
        HEAD | WINDOW | GEMMA | {"scale": 20**-0.5}, BOTH,
    ),
    "Gemma 3, full": (
        "gemma3", "Gemma3Text", HYBRID | {"query_pre_attn_scalar": 20}, 1,
        HEAD | GEMMA | {"scale": 20**-0.5, "base": 1e6}, BOTH,
    ),
    "gpt-oss, window": ("gpt_oss", "GptOss", HYBRID | PLAIN, 0, BIASES | SINK | WINDOW, ()),
    "gpt-oss, full": ("gpt_oss", "GptOss", HYBRID | PLAIN, 1, BIASES | SINK, ()),
    "SmolLM 3, turned": ("smollm3", "SmolLM3", {}, 0, {}, BEFORE),
    "SmolLM 3, not turned": ("smollm3", "SmolLM3", {}, 3, STILL, BEFORE),
    "Cohere 2, window": ("cohere2", "Cohere2", HYBRID, 0, WINDOW | {"interleaved": True}, ()),
    "Cohere 2, full": ("cohere2", "Cohere2", HYBRID, 1, STILL, ()),
    "GLM 4": (
        "glm4", "Glm4", {"attention_bias": True}, 0,
        {"bias": True, "turned": 0.5, "interleaved": True, "norm": "both"}, GLM,
    ),
    "Qwen3-Next, full": (
        "qwen3_next", "Qwen3Next", {"head_dim": 16}, 3,
        HEAD | {"gate": True, "turned": 0.25, "head_dim": 16}, (),
    ),
    "EXAONE 4, window": ("exaone4", "Exaone4", HYBRID, 0, HEAD | WINDOW | {"norm": "after"}, AFTER),
    "EXAONE 4, full": ("exaone4", "Exaone4", HYBRID, 1, HEAD | STILL | {"norm": "after"}, AFTER),
    "Granite": ("granite", "Granite", {"attention_multiplier": 0.4}, 0, {"scale": 0.4}, BEFORE),
    "Seed-OSS": ("seed_oss", "SeedOss", {"attention_out_bias": True}, 0, BIASES, BEFORE),
    "AFMoE, window": ("afmoe", "Afmoe", HYBRID, 0, HEAD | WINDOW | {"gate": True}, ()),
    "AFMoE, full": ("afmoe", "Afmoe", HYBRID, 1, HEAD | STILL | {"gate": True}, ()),
    "MiniMax M2": ("minimax_m2", "MiniMaxM2", PLAIN, 0, WHOLE, ()),
    "ERNIE 4.5": ("ernie4_5", "Ernie4_5", {"use_bias": False}, 0, {"interleaved": True}, BEFORE),
    "OLMoE": ("olmoe", "Olmoe", {"head_dim": 8}, 0, WHOLE | {"head_dim": 8}, ()),
    "StableLM": ("stablelm", "StableLm", {"head_dim": 8}, 0, {"head_dim": 8, "turned": 0.25}, ()),
}  # fmt: skip
ADDS_ONE = "gemma3", "qwen3_next"  # their norms multiply by 1 + weight


def theirs(family, name, options, layer):
    """Configuration, block and turning of a family, the numbers of a block drawn with one seed."""
    config, block, turning = published(family, name, TINY | options, layer)
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in block.parameters():
            parameter.normal_(0, 0.3)
    return config, block, turning


def carry(ours, block, family, norms):
    """Give our block, or its attention, the numbers of theirs."""
    attention, one = getattr(block, "self_attn", None), float(family in ADDS_ONE)
    pairs = [(f"W_{name}", getattr(attention, f"{name}_proj")) for name in "qkvo"]
    into, state = getattr(ours, "attention", ours), {}
    for name, linear in pairs:
        state |= {f"{name}.{key}": value for key, value in linear.state_dict().items()}
    if hasattr(attention, "gate_proj"):
        state["W_g.weight"] = attention.gate_proj.weight
    elif into.W_g is not None:  # a head's queries, then its gate
        q, gate = state["W_q.weight"].unflatten(0, (into.num_heads, 2, -1)).unbind(1)
        state |= {"W_q.weight": q.flatten(0, 1), "W_g.weight": gate.flatten(0, 1)}
    if into.qk_norm:
        state |= {f"{n}_norm.weight": getattr(attention, f"{n}_norm").weight + one for n in "qk"}
    if into.sink is not None:
        state["sink"] = attention.sinks
    into.load_state_dict(state)
    if into is ours:
        return
    for number, name in enumerate(norms, 1):
        weight = getattr(block, name).weight + one
        getattr(ours, f"norm_{number}").load_state_dict({"weight": weight})
    both = getattr(block.mlp, "gate_up_proj", None)
    gate, up = (
        both.weight.chunk(2) if both else (block.mlp.gate_proj.weight, block.mlp.up_proj.weight)
    )
    for linear, weight in (
        (ours.W_gate, gate),
        (ours.W_up, up),
        (ours.W_down, block.mlp.down_proj.weight),
    ):
        linear.load_state_dict({"weight": weight})


X = torch.randn(3, 14, 32, generator=torch.Generator().manual_seed(1))
REAL = torch.arange(14) >= torch.tensor([0, 3, 11])[:, None]  # texts of 14, 11 and 3 tokens
ROWS = [(row, "attention") for row in LAYERS] + [
    (row, "block") for row in LAYERS if LAYERS[row][-1]
]
WAYS = {  # pieces that are read with a cache; padding before the texts; whether weights are kept
    "whole": ((14,), False, True),
    "fused": ((14,), False, False),
    "padded, in pieces": ((5, 1, 1, 7), True, True),
    "padded, in pieces, fused": ((5, 1, 1, 7), True, False),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("row, part", ROWS)
def test_a_published_layer_is_ours(row, part, way):
    pieces, padded, need_weights = WAYS[way]
    family, name, options, layer, parts, norms = LAYERS[row]
    config, block, turning = theirs(family, name, options, layer)
    rope = config.rope_parameters
    kind = getattr(config, "layer_types", ["" for _ in range(4)])[layer]
    rope = rope.get(kind, rope)
    parts = {"head_dim": 12, "interleaved": False, "base": rope["rope_theta"], "eps": 1e-6} | parts
    if part == "block":
        ours = CausalBlock(32, 4, 48, 2, **parts)
    else:
        parts = {key: value for key, value in parts.items() if key not in ("norm", "activation")}
        ours = CausalAttention(32, 4, 2, **parts)
    carry(ours, block, family, norms)

    real = REAL if padded else torch.ones_like(REAL)
    positions = (real.cumsum(1) - 1).clamp(min=0)
    seen = torch.ones(14, 14, dtype=torch.bool).tril()
    seen = seen & ~seen.tril(-parts.get("window", 14)) & real[:, None]
    computes = block if part == "block" else block.self_attn
    wanted = output(computes, turning, kind, X, positions, seen)

    cache, read = KVCache(), []
    for piece in torch.arange(14).split(pieces):
        to = piece[-1] + 1
        where = positions[:, piece] if padded else None
        allowed = real[:, None, :to] if padded else None
        read.append(ours(X[:, piece], where, cache, allowed, need_weights))
    assert_same(torch.cat(read, 1)[real], wanted[real], 2e-6 * wanted[real].abs().max().item())
    assert len(cache) == 14
    held = min(14, parts.get("window", 15) - 1)  # of two heads, in float32
    assert cache.nbytes == 3 * 2 * held * 2 * parts["head_dim"] * 4


LATENT = {
    "qk_nope_head_dim": 8, "qk_rope_head_dim": 6, "v_head_dim": 10, "kv_lora_rank": 16,
    "num_key_value_heads": 4, "head_dim": 6, "first_k_dense_replace": 4,
}  # fmt: skip


@pytest.mark.parametrize("pieces", [(14,), (5, 1, 1, 7)])
@pytest.mark.parametrize("absorbed", [False, True])
@pytest.mark.parametrize("query_latent", [None, 20])
@pytest.mark.parametrize("interleaved", [True, False])
def test_latent_attention_is_deepseek_v3_s(interleaved, query_latent, absorbed, pieces):
    options = LATENT | {"q_lora_rank": query_latent, "rope_interleave": interleaved}
    _, block, turning = theirs("deepseek_v3", "DeepseekV3", options, 0)
    attention = block.self_attn
    ours = LatentAttention(32, 4, 16, 8, 6, 10, query_latent, interleaved=interleaved)
    names = {"W_a": "kv_a_proj_with_mqa", "kv_norm": "kv_a_layernorm", "W_b": "kv_b_proj"}
    asking = {"W_qa": "q_a_proj", "q_norm": "q_a_layernorm", "W_q": "q_b_proj"}
    names |= (asking if query_latent else {"W_q": "q_proj"}) | {"W_o": "o_proj"}
    ours.load_state_dict(
        {f"{to}.weight": getattr(attention, name).weight for to, name in names.items()}
    )
    positions = (REAL.cumsum(1) - 1).clamp(min=0)
    seen = torch.ones(14, 14, dtype=torch.bool).tril() & REAL[:, None]
    wanted = output(attention, turning, None, X, positions, seen)
    cache, read = KVCache(), []
    for piece in torch.arange(14).split(pieces):
        allowed = REAL[:, None, : piece[-1] + 1]
        read.append(ours(X[:, piece], positions[:, piece], cache, allowed, absorbed))
    assert_same(torch.cat(read, 1)[REAL], wanted[REAL], 2e-6 * wanted[REAL].abs().max().item())
    assert cache.nbytes == 3 * 14 * (16 + 6) * 4


def test_delta_rule_is_qwen3_next_s():
    module = importlib.import_module("transformers.models.qwen3_next.modeling_qwen3_next")
    q, k, v = torch.randn(3, 2, 14, 4, 8).unbind()
    k, beta = torch.nn.functional.normalize(k, dim=-1), torch.rand(2, 14, 4)
    for decay in (torch.rand(2, 14, 4), None):
        g = torch.zeros(2, 14, 4) if decay is None else decay.log()
        wanted = module.torch_recurrent_gated_delta_rule(q, k, v[..., :5], g, beta)[0]
        q_scaled = q.transpose(1, 2) / 8**0.5
        a = None if decay is None else decay.mT
        ours = delta_rule(q_scaled, k.transpose(1, 2), v[..., :5].transpose(1, 2), beta.mT, a)
        assert_same(ours.transpose(1, 2), wanted, 4e-7 * wanted.abs().max().item())
