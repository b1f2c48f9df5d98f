"""What a type checker makes of a user's program: no false error, and the real ones found."""

import json
import os
import subprocess
import sys

import attn_teach as at

PROGRAM = """
import torch

import attn_teach as at

queries, keys, values = torch.randn(2, 3, 8), torch.randn(2, 4, 8), torch.randn(2, 4, 5)
lengths, past = torch.tensor([2, 4]), at.causal_mask(3, 4)
output, weights = at.attend(at.dot_product_scores(queries, keys), values, past, torch.nn.Dropout())
again: torch.Tensor = at.scaled_dot_product_attention(queries, keys, values, mask=past)
curve, _ = at.kernel_regression(torch.rand(5), torch.rand(6), torch.rand(6), 0.5, "boxcar")
other, _ = at.kernel_regression(torch.rand(5), torch.rand(6), torch.rand(6), torch.tensor(1.0), abs)
attention = at.MultiHeadAttention(8, 8, 5, 12, 3, dropout=0.1, num_kv_heads=1)
read = attention(queries, keys, values, lengths, need_weights=True)
print(at.masked_softmax(torch.randn(2, 3, 4), lengths).sum(), attention.attention_weights[0, 0])
print(at.padding_mask(lengths, 4)[0], at.padding_mask(None, 4), at.leave_one_out(curve, curve)[0])
print(at.PositionalEncoding(8).P[0, 3], at.offset_rotation(-2, 8).T, at.alibi_bias(2, 3, 4).shape)
block, cache = at.EncoderBlock(8, 2, 16, bias=False), at.KVCache()
print(block(queries, mask=past[:, :3]), block.attention.attention.attention_weights.sum())
print(at.DecoderBlock(8, 2, 16)(queries, keys, lengths, cache), len(cache), cache.nbytes)
print(at.apply_rotary(queries, torch.arange(3), base=torch.tensor(100.0)), block.W_1.weight.mT)
at.show_heatmaps(weights.unsqueeze(0), "keys", "queries", ["a", "b"], alt="two sentences")
at.plot([1, 2], [[3, 4]], "x", "y", legend=["a"])
"""
MISUSES = """
import torch

import attn_teach as at

at.attend(torch.rand(2, 3), torch.rand(3, 4), mask=[True])
at.MultiHeadAttention(8, 8, 8, 8, num_heads="2")
at.causal_mask(3.5)
at.SelfAttention(8, 2, casual=True)
at.padding_mask([2, 4], 4)
"""


def errors(tmp_path, program):
    """The lines of the program in which pyright finds errors, and what it says."""
    file = tmp_path / "program.py"
    file.write_text(program)
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found = subprocess.run([*command, file], stdout=subprocess.PIPE, env=bare, cwd=tmp_path)
    told = json.loads(found.stdout)["generalDiagnostics"]
    return [(d["range"]["start"]["line"], d["message"]) for d in told if d["severity"] == "error"]


def test_a_correct_program_has_no_red_line(tmp_path):
    exec(PROGRAM, {})
    at.plt.close("all")
    assert errors(tmp_path, PROGRAM) == []


def test_misuses_are_found(tmp_path):
    lines = [number for number, line in enumerate(MISUSES.splitlines()) if line[:3] == "at."]
    assert sorted({line for line, _ in errors(tmp_path, MISUSES)}) == lines
