"""Nothing is imported by a first call: a lesson's first cell, and the first check, are not slow."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import attn_teach
from attn_lesson import platforms

START = """if 1:
    import sys
    import torch
    import attn_teach as at
    X, Y, V = torch.randn(2, 5, 8), torch.randn(2, 7, 8), torch.randn(2, 7, 3)
    X.requires_grad_()
    lengths, mask, W = torch.tensor([4, 0]), at.causal_mask(5, 7), torch.rand(2, 3, 4, 4)
    layer, block = at.MultiHeadAttention(8, 8, 3, 12, 2), at.DecoderBlock(8, 2, 16)
    known = set(sys.modules)
    for name, call in CALLS.items():
        results = eval(call)
        for result in results if isinstance(results, tuple) else (results,):
            if torch.is_tensor(result) and result.requires_grad:
                result.sum().backward()
        for late in sorted(set(sys.modules) - known):
            print(name, late)
        known = set(sys.modules)
"""
CHECKS = """if 1:
    import sys
    from attn_lesson import catalogue
    from attn_lesson.judge import sandbox
    from attn_lesson.judge.bench import bench
    exercises, _ = catalogue.tables()
    known, record = set(sys.modules), sandbox.record

    def recorded(*arguments):
        made = record(*arguments)
        made["printed"] = " ".join(sorted(set(sys.modules) - known))
        return made

    def fails(*case):
        raise ValueError("of a learner")

    sandbox.record = recorded
    for name, exercise in list(exercises.items())[::4]:  # some of each lesson
        plan = bench(exercise).plan
        for function in (exercise.answer, fails):
            records, end = sandbox.run_all(exercise.run, function, plan, exercise.forbidden)
            assert end == "done", name
            for made in records:
                for late in made["printed"].split():
                    print(name, late)
"""
CALLS = {  # one of each file, and those with code of their own for grouped heads and caches
    "kernel_regression": "at.kernel_regression(X[0], Y[0], V[0], 2.0, 'triangular')[0]",
    "AdditiveAttention": "at.AdditiveAttention(8, 8, 6)(X, Y, V, lengths, mask)",
    "BilinearAttention": "at.BilinearAttention(8, 8)(X, Y, V, lengths, mask)",
    "sequence_mask": "at.sequence_mask(X, lengths)",
    "scaled_dot_product_attention": "at.scaled_dot_product_attention(X, Y, V, mask=mask)",
    "PerHeadMultiHeadAttention": "at.PerHeadMultiHeadAttention(8, 2)(X, Y, Y, mask=mask)",
    "MultiHeadAttention": "layer(X, Y, V), layer(X, Y, V, need_weights=False)",
    "SelfAttention": "at.SelfAttention(8, 2, causal=True)(X, lengths)",
    "PositionalEncoding": "at.PositionalEncoding(8)(X)",
    "apply_rotary": "at.apply_rotary(X)",
    "alibi_bias": "at.alibi_bias(4, 5, 7)",
    "EncoderBlock": "at.EncoderBlock(8, 2, 16)(X, lengths)",
    "DecoderBlock": "block(X, Y), block(X, Y, lengths + 1, at.KVCache())",
    "CausalBlock": "at.CausalBlock(8, 4, 16, 2)(X), at.CausalBlock(8, 4, 16)(X, mask=mask[:, :5])",
    "show_heatmaps": "at.show_heatmaps(W, 'keys', 'queries')",
    "plot": "at.plot([1, 2], [1, 2])",
    "head_view": "at.head_view(W, list('abcd'))",
}
PICTURES = {"PIL", "matplotlib"}  # the first one brings its backend, within milliseconds


def late(program):
    """What a program prints in a process of its own: pairs of a name and a module."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "MPLBACKEND": "agg"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    words = done.stdout.split()
    return set(zip(words[::2], words[1::2], strict=True))


def test_first_calls_import_nothing():
    assert set(CALLS) <= set(attn_teach.__all__)
    found = late(START.replace("CALLS", repr(CALLS)))
    assert not [(name, m) for name, m in found if m.partition(".")[0] not in PICTURES]


@pytest.mark.skipif(not platforms.can_fork(), reason="needs a fork")
def test_a_check_imports_nothing_while_its_clock_runs():
    assert not late(CHECKS)
