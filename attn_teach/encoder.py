"""Lesson 07: the block that an encoder repeats: attention and what surrounds it."""

from torch import nn

from .self_attention import SelfAttention
from .shapes import count, divides, flag, positive, probability, takes


class EncoderBlock(nn.Module):
    """Self-attention, then a two-layer network for each token; each adds to its input.

    Y = LayerNorm(X + SelfAttention(X));  output = LayerNorm(Y + W_2 gelu(W_1 Y))

    Args:
        num_hiddens: size of each token, in and out.
        num_heads: must divide num_hiddens.
        ffn_hiddens: size between the two layers of the network.
        dropout: probability with which, in training, an attention weight, a number between the
            network's two layers and a number of what each part adds is dropped.
        bias: whether projections, network and LayerNorm have one.
        eps: what LayerNorm adds to the variance before its root is taken.

    Source: Vaswani et al. (2017), section 3.1, with the GELU of Devlin et al. (2019).
    """

    @takes(
        num_hiddens=count,
        num_heads=count,
        ffn_hiddens=count,
        dropout=probability,
        bias=flag,
        eps=positive,
    )
    def __init__(self, num_hiddens, num_heads, ffn_hiddens, dropout=0.0, bias=True, eps=1e-5):
        super().__init__()
        divides(num_hiddens, num_heads)
        self.num_hiddens, self.num_heads = num_hiddens, num_heads
        self.attention = SelfAttention(num_hiddens, num_heads, dropout, bias=bias)
        self.norm_1 = nn.LayerNorm(num_hiddens, eps, bias=bias)
        self.W_1 = nn.Linear(num_hiddens, ffn_hiddens, bias=bias)
        self.gelu = nn.GELU()
        self.W_2 = nn.Linear(ffn_hiddens, num_hiddens, bias=bias)
        self.norm_2 = nn.LayerNorm(num_hiddens, eps, bias=bias)
        self.dropout = nn.Dropout(dropout)

    @property
    def attention_weights(self):
        """Weights of the last call, (batch, heads, n, n), or None."""
        return self.attention.attention_weights

    @takes(
        X="... n num_hiddens",
        valid_lens="int batch | batch n",
        mask="bool ... n n | ... num_heads n n",
        need_weights=flag,
    )
    def forward(self, X, valid_lens=None, mask=None, need_weights=True):
        """Let the tokens of X, shape (batch, n, num_hiddens), read each other and think.

        The other arguments are those of `MultiHeadAttention.forward`. The result has the
        shape of X.
        """
        read = self.attention(X, valid_lens, mask, need_weights)  # (batch, n, num_hiddens)
        Y = self.norm_1(X + self.dropout(read))
        hidden = self.dropout(self.gelu(self.W_1(Y)))  # (batch, n, ffn_hiddens)
        return self.norm_2(Y + self.dropout(self.W_2(hidden)))  # (batch, n, num_hiddens)
