"""Write smollm.json: what transformers makes of the language model's file.

python make_smollm.py MODEL_FILE, with torch, transformers 5.23, gguf and accelerate installed.

MODEL_FILE is the one that `attn_lesson.lesson10.published_model()` names.
"""

import json
import sys
from pathlib import Path

import torch
import transformers

TEXTS = [
    "The capital of France is",
    "It was the best of times, it was the worst of times, in 1859.",
    "Größe 12 345,67 €\n\tif x == 1:  # naïve café 日本語 🙂",
    "<|im_start|>user\nHi!<|im_end|>\n",
]
file = Path(sys.argv[1])
load = {"pretrained_model_name_or_path": file.parent, "gguf_file": file.name}
model = transformers.AutoModelForCausalLM.from_pretrained(**load).eval()
tokenizer = transformers.AutoTokenizer.from_pretrained(**load)
out = {"texts": TEXTS, "ids": [tokenizer(text)["input_ids"] for text in TEXTS]}
with torch.no_grad():
    scores = model(torch.tensor([out["ids"][1]])).logits[0]
    out["scores"] = [[round(x, 4) for x in row[:12].tolist()] for row in scores]
    out["best"] = scores.argmax(-1).tolist()
    first = torch.tensor([out["ids"][0]])
    greedy = model.generate(first, max_new_tokens=24, do_sample=False, pad_token_id=0)
    out["greedy"] = greedy[0].tolist()
Path(__file__).with_name("smollm.json").write_text(json.dumps(out) + "\n", encoding="utf-8")
