"""What the rubrics of lesson 08 in classroom/EXAM.md say, computed."""

import torch

import attn_teach


def cached_kB(symbols, letters=30):
    block, cache = attn_teach.DecoderBlock(40, 4, 80), attn_teach.KVCache()
    memory = torch.zeros(1, letters, 40)
    block(torch.zeros(1, symbols, 40), memory, None, cache)
    return cache.nbytes / 1000


def cross_shape(symbols, letters):
    block = attn_teach.DecoderBlock(40, 4, 80)
    block(torch.zeros(1, symbols, 40), torch.zeros(1, letters, 40))
    return block.cross_attention.attention_weights.shape[1:]


class Echo:
    """A reader and a writer: the next symbol is how many have been written."""

    def read(self, letters, lengths):
        return letters, lengths

    def write(self, letters, lengths, written):
        return torch.eye(9)[torch.arange(1, 1 + written.shape[1])].expand(len(letters), -1, 9)


FIGURES = """
8.1 | (kB[4] - kB[0]) / (symbols[4] - symbols[0]) | 2 * cached_kB(10) - cached_kB(20) |
    cached_kB(320)
8.2 | first.max() * after_a.max() | max(first[0] * after_a.max(), first[1] * after_b.max()) |
    stack([first[1], after_b[0]])
8.3 | not influences(SelfAttention(8, 2, causal=True), 5).triu(1).any() |
    not influences(EncoderBlock(8, 2, 16), 5).triu(1).any()
8.4 | translate(Echo(), randn(3, 7), None, 0, 4).shape |
    mended.translate(Echo(), randn(3, 7), None, 0, 4).shape
8.5 | cross_shape(written, letters) | 1000 * cached_kB(written, letters)
"""

TRUE = """
8.1 | allclose(kB, tensor([cached_kB(int(count)) for count in symbols]))
8.4 | mended.translate(Echo(), randn(3, 7), None, 0, 4)[0].tolist() == [0, 1, 2, 3, 4]
"""
