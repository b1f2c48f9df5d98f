"""What a lesson says of the book's way is the book's way."""

import torch
from reference import d2l


def test_the_book_fills_with_a_constant():
    """As lesson 03 says: below it, the masked keys get all of the weight."""
    scores = torch.tensor([[[-2e6, -2e6 - 1, 0, 0, 0, 0]]])
    assert d2l.masked_softmax(scores, torch.tensor([2]))[0, 0, 2:].sum() == 1
