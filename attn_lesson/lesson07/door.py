"""What the lesson's first cells need of the published model; its sections 1 and 2 take it apart."""

from functools import lru_cache

from torch.nn.functional import layer_norm

HEAD_SIZE = 32


@lru_cache(1)
def _file(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def numbers_of(folder, layer, head):
    """Weights and biases of one head of the published model, named as in `AttentionHead`."""
    file, rows = _file(folder), slice(HEAD_SIZE * head, HEAD_SIZE * (head + 1))
    return {
        f"W_{name[0]}.{kind}": file[f"encoder.layer.{layer}.attention.self.{name}.{kind}"][rows]
        for name in ("query", "key", "value")
        for kind in ("weight", "bias")
    }


@lru_cache(1)
def _tokenizer(folder):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    return tokenizer


def tokens_of(folder, words):
    """The pieces that the model cuts a text into, with [CLS] and [SEP] around them: a list."""
    return _tokenizer(folder).encode(words).tokens


def vectors_of(folder, words, without=None):
    """The model's vector for each token of a text, (n, 384).

    It is the LayerNorm of the sum of three rows: of the tables "word", "position" and
    "token_type". `without` names a table to leave out.
    """
    file, ids = _file(folder), _tokenizer(folder).encode(words).ids
    rows = {"word": ids, "position": slice(len(ids)), "token_type": [0]}
    X = sum(
        file[f"embeddings.{table}_embeddings.weight"][which]
        for table, which in rows.items()
        if table != without
    )
    gain, shift = (file[f"embeddings.LayerNorm.{kind}"] for kind in ("weight", "bias"))
    return layer_norm(X, X.shape[-1:], gain, shift, 1e-12)
