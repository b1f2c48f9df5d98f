"""Write llama.json: what the original implementation makes of a small block of a language model.

Run it in an environment of its own:

    python -m venv reference-env
    reference-env/bin/pip install torch==2.13.0 transformers==5.23.0
    reference-env/bin/python tests/reference/make_llama.py

Its weights and inputs are `numbers` below; tests/test_transformer.py takes them from here.
"""

import json
from pathlib import Path

import torch

SIZES = {"num_hiddens": 24, "num_heads": 6, "ffn_hiddens": 20, "num_kv_heads": 2}
BASE, EPS = 500.0, 1e-3
SHAPE = 2, 5, 24  # batch, tokens, num_hiddens
# Theirs and ours, in the order in which they get their numbers.
NAMES = {
    "self_attn.q_proj": "attention.W_q",
    "self_attn.k_proj": "attention.W_k",
    "self_attn.v_proj": "attention.W_v",
    "self_attn.o_proj": "attention.W_o",
    "mlp.gate_proj": "W_gate",
    "mlp.up_proj": "W_up",
    "mlp.down_proj": "W_down",
    "input_layernorm": "norm_1",
    "post_attention_layernorm": "norm_2",
}


def numbers(*shape, start):
    """Numbers between -1 and 1 that look random and are the same everywhere."""
    steps = torch.arange(start, start + torch.Size(shape).numel(), dtype=torch.float64)
    return (steps * steps * 0.7315).sin().view(shape).float()


def fill(block, names):
    """Give a block's weights their numbers."""
    for i, name in enumerate(names):
        weight = block.get_submodule(name).weight
        weight.data = numbers(*weight.shape, start=1000 * i) / (1 if weight.dim() == 1 else 2)


def main():
    import transformers
    from transformers.models.llama import modeling_llama

    config = transformers.LlamaConfig(
        hidden_size=SIZES["num_hiddens"],
        intermediate_size=SIZES["ffn_hiddens"],
        num_attention_heads=SIZES["num_heads"],
        num_key_value_heads=SIZES["num_kv_heads"],
        rms_norm_eps=EPS,
        rope_parameters={"rope_type": "default", "rope_theta": BASE},
        attn_implementation="eager",
    )
    block = modeling_llama.LlamaDecoderLayer(config, 0).eval()
    fill(block, NAMES)
    X = numbers(*SHAPE, start=7).requires_grad_()
    n = SHAPE[1]
    angles = modeling_llama.LlamaRotaryEmbedding(config)(X, torch.arange(n)[None])
    future = torch.full((n, n), -torch.inf).triu(1)[None, None]
    output = block(X, attention_mask=future, position_embeddings=angles)
    output = output[0] if isinstance(output, tuple) else output
    (output * numbers(*SHAPE, start=99)).sum().backward()
    found = {
        "made with": f"torch {torch.__version__}, transformers {transformers.__version__}",
        "output": [round(x, 7) for x in output.flatten().tolist()],
        "gradient": [round(x, 7) for x in X.grad.flatten().tolist()],
    }
    text = json.dumps(found).replace('], "', '],\n"') + "\n"
    Path(__file__).with_name("llama.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
