"""A published language model, read from its file; the lesson's section 2 takes it apart.

SmolLM2-135M-Instruct (Allal et al., 2025, Apache-2.0) as GGUF: weights of 4 bits, which become
float32 here, and the tokenizer.
"""

import functools
from contextlib import contextmanager
from typing import Annotated

import torch
from torch import Tensor, nn

from attn_teach import CausalBlock, KVCache
from attn_teach.checks import typed
from attn_teach.door import guarded
from attn_teach.shapes import Bool, Flag, Ids, Real

# The file's names for what `CausalBlock` holds.
PARTS = {
    "attn_norm": "norm_1", "attn_q": "attention.W_q", "attn_k": "attention.W_k",
    "attn_v": "attention.W_v", "attn_output": "attention.W_o", "ffn_norm": "norm_2",
    "ffn_gate": "W_gate", "ffn_up": "W_up", "ffn_down": "W_down",
}  # fmt: skip


def _are_caches(name, value):
    if not isinstance(value, list) or not all(isinstance(cache, KVCache) for cache in value):
        raise TypeError(f"{name} must be a list as model.new_caches() makes it, got {typed(value)}")


@guarded
class LanguageModel(nn.Module):
    """Scores of the token that comes next: a table of tokens, blocks, a norm, the table again.

    Args:
        tokens: how many tokens there are.
        num_hiddens: size of each token's vector.
        layers: how many blocks.
        block: further arguments of `CausalBlock`, without num_hiddens.
        eps: of the last norm.
    """

    def __init__(self, tokens, num_hiddens, layers, block, eps):
        super().__init__()
        self.embedding = nn.Embedding(tokens, num_hiddens)
        self.blocks = nn.ModuleList(CausalBlock(num_hiddens, **block) for _ in range(layers))
        self.norm = nn.RMSNorm(num_hiddens, eps)

    def forward(
        self,
        ids: Ids[Tensor, "batch n"],
        caches: Annotated[list[KVCache], _are_caches] | None = None,
        positions: Real[Tensor, "n | batch n"] | None = None,
        mask: Bool[Tensor, "n m | batch n m | batch num_heads n m"] | None = None,
        need_weights: Flag = False,
        last: Flag = False,
    ) -> Tensor:
        """Scores (logits) of every token as the next one, (batch, n, tokens).

        Args:
            ids: numbers of the tokens, (batch, n): all or, with caches, those that are new.
            caches: a list with a `KVCache` for each block, as `new_caches` makes it, or None.
            positions, mask, need_weights: as in `CausalBlock.forward`.
            last: only what comes after the last token, (batch, 1, tokens): enough to write.
        """
        caches = [None] * len(self.blocks) if caches is None else caches
        if len(caches) != len(self.blocks):
            raise ValueError(
                f"caches must hold {len(self.blocks)}, one for each block, got {len(caches)}; "
                "make them with model.new_caches()"
            )
        X = self.embedding(ids.long())  # (batch, n, num_hiddens)
        for block, cache in zip(self.blocks, caches, strict=True):
            X = block(X, positions, cache, mask, need_weights)
        return self.scores(X[:, -1:] if last else X)

    def scores(self, X):
        """What the vectors X, (..., num_hiddens), say of the next token, (..., tokens)."""
        return self.norm(X) @ self.embedding.weight.T

    def new_caches(self):
        return [KVCache() for _ in self.blocks]

    @contextmanager
    def without(self, heads):
        """Meanwhile these heads, pairs of layer and head, add nothing."""
        kept = []
        with torch.no_grad():
            for layer, head in heads:
                attention = self.blocks[layer].attention
                columns = slice(attention.head_dim * head, attention.head_dim * (head + 1))
                weight = attention.W_o.weight[:, columns]
                kept.append((weight, weight.clone()))
                weight.zero_()
        try:
            yield self
        finally:
            with torch.no_grad():
                for weight, numbers in reversed(kept):
                    weight.copy_(numbers)


@functools.cache  # takes seconds, and the lesson takes apart what `load` has read
def read_file(path):
    """Metadata and tensors of a GGUF file: two dicts, by name."""
    from gguf import GGUFReader

    reader = GGUFReader(path)
    fields = {name: field.contents() for name, field in reader.fields.items()}
    return fields, {tensor.name: tensor for tensor in reader.tensors}


def numbers(tensor):
    """The float32 numbers of a tensor of the file."""
    from gguf import dequantize

    return torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())


def load(path):
    """The model in a GGUF file of the Llama family, ready to read with, and its tokenizer."""
    fields, tensors = read_file(path)
    of = {name.partition(".")[2]: value for name, value in fields.items()}
    eps, layers = of["attention.layer_norm_rms_epsilon"], of["block_count"]
    block = {
        "num_heads": of["attention.head_count"],
        "num_kv_heads": of["attention.head_count_kv"],
        "ffn_hiddens": of["feed_forward_length"],
        "base": of["rope.freq_base"],
        "eps": eps,
    }
    tokens = fields["tokenizer.ggml.tokens"]
    with torch.device("meta"):  # shapes only: the numbers come from the file
        model = LanguageModel(len(tokens), of["embedding_length"], layers, block, eps)
    state = {"embedding": "token_embd", "norm": "output_norm"}
    for layer in range(layers):
        state |= {f"blocks.{layer}.{ours}": f"blk.{layer}.{name}" for name, ours in PARTS.items()}
    state = {f"{ours}.weight": numbers(tensors[f"{name}.weight"]) for ours, name in state.items()}
    model.load_state_dict(state, assign=True)
    return model.eval().requires_grad_(False), _tokenizer(tokens, fields["tokenizer.ggml.merges"])


def _tokenizer(tokens, merges):
    """Byte-level BPE that takes digits one by one, as the file's "smollm" asks for."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    pairs = [tuple(merge.split(" ")) for merge in merges]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, pairs))
    digits = pre_tokenizers.Digits(individual_digits=True)
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, to_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    marks = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokenizer.add_special_tokens([AddedToken(mark, special=True) for mark in marks])
    return tokenizer
