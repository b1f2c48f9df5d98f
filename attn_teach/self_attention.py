"""Lesson 05: one sequence attending to itself."""

from typing import Any

from torch import Tensor, nn

from .masking import causal_mask
from .multihead import MultiHeadAttention
from .shapes import Bool, Count, Flag, Float, Int, Probability


class HasAttention(nn.Module):
    """A module around an `attention`, whose weights are its own."""

    attention: Any

    @property
    def attention_weights(self) -> Tensor | Any:
        """Weights of the last call, (batch, heads, n, keys), or None."""
        return self.attention.attention_weights


class SelfAttention(HasAttention):
    """Multi-head attention whose queries, keys and values are one sequence.

    output = MultiHeadAttention(X, X, X)

    Args:
        num_hiddens: size of each token, in and out.
        num_heads: must divide num_hiddens.
        dropout: probability with which a weight is dropped in training.
        causal: True lets a token attend to itself and earlier ones only, in training and in
            evaluation alike.
        bias: whether the projections have one.
    """

    def __init__(
        self,
        num_hiddens: Count,
        num_heads: Count,
        dropout: Probability = 0.0,
        causal: Flag = False,
        bias: Flag = False,
    ):
        super().__init__()
        self.causal = causal
        size = self.num_hiddens = num_hiddens
        self.attention = MultiHeadAttention(size, size, size, size, num_heads, dropout, bias)
        self.num_heads = num_heads

    def forward(
        self,
        X: Float[Tensor, "... n num_hiddens"],
        valid_lens: Int[Tensor, "batch | batch n"] | None = None,
        mask: Bool[Tensor, "... n n | ... num_heads n n"] | None = None,
        need_weights: Flag = True,
    ) -> Tensor:
        """Let the tokens of X, shape (batch, n, num_hiddens), attend to each other.

        The other arguments are those of `MultiHeadAttention.forward`; with causal=True a
        pair must be allowed by the causal mask as well. The result has the shape of X.
        """
        if self.causal:
            past = causal_mask(X.shape[-2], device=X.device)  # (n, n)
            mask = past if mask is None else past & mask
        return self.attention(X, X, X, valid_lens, mask, need_weights)
