"""What the rubrics of lesson 13 in classroom/EXAM.md say, computed."""

import torch
from rubrics import tensor

from attn_lesson.lesson13 import MEASURES, PLANTED, RIGHT, drawn

ATTENTIONS = RIGHT | PLANTED  # those of lesson 13


def found(attention, *questions):
    """How far off an attention is at worst, by each of lesson 13's questions."""
    return tensor([MEASURES[question](attention, *drawn()) for question in questions])


def caught(question):
    """Return which of lesson 13's broken attentions a question catches on the usual inputs."""
    return {name for name, attention in PLANTED.items() if found(attention, question) > 1e-5}


def of_one_query(V, may, order):
    """All scores 0: what a test of the order is called with behind the attention."""
    zeros, V = torch.zeros(1, 1, len(V), 1).double(), V.view(1, 1, -1, 1)
    return zeros[:, :, :1], zeros, V, may.view(1, 1, 1, -1), order.long()


def before_and_after(attention, V, may, order):
    """The outputs that a test compares which leaves the mask where it is."""
    queries, keys, V, may, order = of_one_query(V, may, order)
    return tensor([attention(queries, keys, v, may)[0].item() for v in (V, V[:, :, order])])


FIGURES = """
13.1 | A[1] | A[2] | B.max() | C.max()
13.2 | softmax(tensor([s[0], s[1], -inf])) | softmax(tensor([s[0], s[1], -inf])) @ v |
    softmax(tensor([s[0], s[1], fill])) | softmax(tensor([s[0], s[1], fill])) @ v |
    100 * softmax(tensor([s[0], s[1], fill]))[2] | softmax(tensor([s[0], s[1], fill])).sum()
13.3 | printed(13, 'caught by the reference, usual inputs:') | printed(13, 'caught by rows:') |
    printed(13, 'careless', 2)
13.4 | before_and_after(ATTENTIONS['plain'], V, may, order) |
    before_and_after(ATTENTIONS['ignores_the_mask'], V, may, order) |
    str(order_is_not_felt(ATTENTIONS['plain'], *of_one_query(V, may, order))) |
    str(order_is_not_felt(ATTENTIONS['ignores_the_mask'], *of_one_query(V, may, order)))
13.5 | causal_mask(n).triu(1 - w).sum() | n * n - causal_mask(n).triu(1 - w).sum() |
    causal_mask(n).tril(-w).sum() | causal_mask(n).tril(-w).triu(-w).sum() | w + 1
"""

TRUE = """
13.1 | all(allclose(found(attention, 'rows', 'padding', 'future', 'alone'), row, 0.05, 5e-7)
    for attention, row in ((ATTENTIONS['takes_the_first_sentences_mask'], A),
    (ATTENTIONS['centers_the_keys'], B), (ATTENTIONS['masks_with_minus_ten'], C)))
    and found(ATTENTIONS['does_not_scale'], 'rows', 'padding', 'future', 'alone').max() < 1e-5
13.3 | caught('rows') < caught('reference') and len(caught('reference')) == 16
13.4 | all(mended.order_is_not_felt(attention, *of_one_query(V, may, order))
    for attention in (ATTENTIONS['plain'], ATTENTIONS['ignores_the_mask']))
    and all(mended.order_is_not_felt(attention, *drawn(), torch.randperm(7))
    for attention in RIGHT.values())
13.5 | not causal_mask(w).tril(-w).any() and causal_mask(w + 1).tril(-w).any()
"""
