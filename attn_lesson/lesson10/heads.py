"""What the published model can still do without each of its heads, one at a time.

python -m attn_lesson.lesson10 heads  prints heads.csv, in a quarter of an hour on one core.
"""

import torch
from torch.nn.functional import cross_entropy

from . import PAGE
from .model import load

COPIED, SEEDS = 40, (7, 8, 9, 10, 11)  # the lesson's text is the one of the first seed
COPIERS = (18, 6), (17, 3), (17, 4), (23, 2), (18, 7)
COLUMNS = "block,head,right,least,most,second,page,copiers"


def nonsense(seed):
    """Tokens drawn by chance, and the same tokens again, as in the lesson: (80,)."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(1000, 40000, (COPIED,), generator=generator)
    return torch.cat([drawn, drawn])


@torch.no_grad()
def rows(path, wanted=None):
    """The lines of heads.csv: all, or those of these heads, pairs of block and head."""
    torch.set_num_threads(1)
    model, tokenizer = load(path)
    page = torch.tensor([tokenizer.encode(PAGE).ids])
    ids = torch.stack([nonsense(seed) for seed in SEEDS]), page
    inputs, scores = [model.embedding(each) for each in ids], {}
    yield COLUMNS
    yield f"none,none,{_rest(model, ids, inputs, scores, 0)}"
    for layer, block in enumerate(model.blocks):
        for head in range(block.num_heads):
            if wanted is None or (layer, head) in wanted:
                with model.without([(layer, head)]):
                    yield f"{layer},{head},{_rest(model, ids, inputs, dict(scores), layer)}"
        inputs = _through(model, layer, inputs, scores)


def _through(model, layer, inputs, scores):
    """What a block makes of the texts and the page; its copiers' scores are kept."""
    from .exercises import my_induction_score  # answers stay out of reach until they are needed

    block = model.blocks[layer]
    page = block(inputs[1], need_weights=False)
    texts = block(inputs[0], need_weights=layer in dict(COPIERS))
    for head in [head for at, head in COPIERS if at == layer]:
        weights = block.attention.attention_weights[:, head]  # (texts, 80, 80)
        scores[layer, head] = my_induction_score(weights).mean().item()
    return [texts, page]


def _rest(model, ids, inputs, scores, layer):
    """The numbers of a line, from what enters this block."""
    for number in range(layer, len(model.blocks)):
        inputs = _through(model, number, inputs, scores)
    texts, page = (model.scores(X)[:, :-1].mT for X in inputs)  # (batch, tokens, n - 1)
    guessed, real = texts[..., COPIED:], ids[0][:, COPIED + 1 :]
    right = (guessed.argmax(1) == real).sum(1).tolist()
    second, of_page = cross_entropy(guessed, real), cross_entropy(page, ids[1][:, 1:])
    return (
        f"{sum(right) / len(right):.1f},{min(right)},{max(right)},{second:.2f},{of_page:.2f},"
        f"{sum(scores.values()) / len(COPIERS):.2f}"
    )
