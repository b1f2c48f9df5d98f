"""The blocks that a transformer repeats: attention and what surrounds it."""

import copy
from typing import Annotated

from torch import Tensor, nn
from torch.nn.functional import gelu, silu

from .cache import KVCache, is_cache
from .causal import CausalAttention, Pairs, Positions
from .checks import one_of
from .masking import one_mask, padding_mask
from .multihead import MultiHeadAttention
from .self_attention import HasAttention, SelfAttention
from .shapes import Bool, Count, Flag, Float, Int, Positive, Probability


class _Block(nn.Module):
    """What the blocks share: a two-layer network for each token, and sums that are normed."""

    def __init__(self, num_hiddens, num_heads, ffn_hiddens, dropout, bias, **attentions):
        super().__init__()
        self.num_hiddens, self.num_heads = num_hiddens, num_heads
        for name, attention in attentions.items():
            self.add_module(name, attention)
        self.W_1 = nn.Linear(num_hiddens, ffn_hiddens, bias=bias)
        self.gelu = nn.GELU()
        self.W_2 = nn.Linear(ffn_hiddens, num_hiddens, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def think(self, X):
        """W_2 gelu(W_1 X), for each token by itself: (batch, n, num_hiddens) in and out."""
        return self.W_2(self.dropout(self.gelu(self.W_1(X))))


class EncoderBlock(_Block, HasAttention):
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

    def __init__(
        self,
        num_hiddens: Count,
        num_heads: Count,
        ffn_hiddens: Count,
        dropout: Probability = 0.0,
        bias: Flag = True,
        eps: Positive = 1e-5,
    ):
        attention = SelfAttention(num_hiddens, num_heads, dropout, bias=bias)
        super().__init__(num_hiddens, num_heads, ffn_hiddens, dropout, bias, attention=attention)
        self.norm_1, self.norm_2 = (nn.LayerNorm(num_hiddens, eps, bias=bias) for _ in range(2))

    def forward(
        self,
        X: Float[Tensor, "... n num_hiddens"],
        valid_lens: Int[Tensor, "batch | batch n"] | None = None,
        mask: Bool[Tensor, "... n n | ... num_heads n n"] | None = None,
        need_weights: Flag = True,
    ) -> Tensor:
        """Let the tokens of X, shape (batch, n, num_hiddens), read each other and think.

        The other arguments are those of `MultiHeadAttention.forward`. The result has the
        shape of X.
        """
        read = self.attention(X, valid_lens, mask, need_weights)  # (batch, n, num_hiddens)
        Y = self.norm_1(X + self.dropout(read))
        return self.norm_2(Y + self.dropout(self.think(Y)))  # (batch, n, num_hiddens)


class DecoderBlock(_Block):
    """Attend to the tokens so far, then to the encoder's memory, then a two-layer network.

    X = norm(X + attention(X, X, X)),  causal
    X = norm(X + attention(X, memory, memory))
    X = norm(X + W_2 gelu(W_1 X))

    The norm comes after the sum (post-norm), as in the paper and in `EncoderBlock`.

    Args: those of `EncoderBlock` but eps, which is 1e-5 here; num_hiddens is the size of each row
        of the memory, too.

    Attributes:
        causal: False lets a token see later ones too, which only a demonstration wants.

    Source: Vaswani et al. (2017), section 3.1.
    """

    attention: MultiHeadAttention
    cross_attention: MultiHeadAttention
    causal = True

    def __init__(
        self,
        num_hiddens: Count,
        num_heads: Count,
        ffn_hiddens: Count,
        dropout: Probability = 0.0,
        bias: Flag = True,
    ):
        sizes = num_hiddens, num_hiddens, num_hiddens, num_hiddens, num_heads, dropout, bias
        attentions = {n: MultiHeadAttention(*sizes) for n in ("attention", "cross_attention")}
        super().__init__(num_hiddens, num_heads, ffn_hiddens, dropout, bias, **attentions)
        norms = (nn.LayerNorm(num_hiddens, bias=bias) for _ in range(3))
        self.norm_1, self.norm_2, self.norm_3 = norms

    def forward(
        self,
        X: Float[Tensor, "batch n num_hiddens"],
        memory: Float[Tensor, "batch m num_hiddens"],
        valid_lens: Int[Tensor, "batch"] | None = None,
        cache: Annotated[KVCache, is_cache] | None = None,
    ) -> Tensor:
        """Read the tokens of X, and the memory with each of them.

        Args:
            X: shape (batch, n, num_hiddens): all tokens or, with a cache, those that are new.
            memory: the encoder's output, shape (batch, m, num_hiddens).
            valid_lens: integers, (batch,): how many leading rows of the memory are real.
            cache: a `KVCache` of the tokens before X; X is added to it. None: there are none.

        Returns:
            A tensor of the shape of X. The weights of this call stay in
            `attention.attention_weights`, (batch, heads, n, t + n), and in
            `cross_attention.attention_weights`, (batch, heads, n, m).
        """
        cache = KVCache() if cache is None else cache
        cache.check_owner(self, memory)
        q, k, v = self.attention.project(X, X, X)
        pair = cache.with_new(k, v)
        seen = cache.seen(X) if self.causal else None  # (n, t + n)
        X = self.norm_1(X + self.dropout(self.attention.read(q, *pair, seen)))
        q, k, v = self.cross_attention.project(X, *(() if cache.memory else (memory, memory)))
        read = cache.memory or (k, v)
        real = padding_mask(valid_lens, memory.shape[-2])
        real = one_mask(X.dim() + 1, None, real)  # (batch, 1, 1, m)
        X = self.norm_2(X + self.dropout(self.cross_attention.read(q, *read, real)))
        X = self.norm_3(X + self.dropout(self.think(X)))  # (batch, n, num_hiddens)
        cache.keep(self, pair, memory, read)  # only now, when nothing can fail any more
        return X


AS_IT_IS = nn.Identity()
ACTIVATIONS = {"silu": silu, "gelu_tanh": lambda X: gelu(X, approximate="tanh")}


def _of_attention(name):
    """An attribute that is the attention's, read and set."""
    return property(
        lambda block: getattr(block.attention, name),
        lambda block, value: setattr(block.attention, name, value),
    )


class CausalBlock(HasAttention):
    """A block of today's language models: causal attention, a network with a gate, and norms.

    X = X + attention(norm(X))
    X = X + W_down (activation(W_gate Y) * W_up Y),  Y = norm(X)

    Args:
        num_hiddens: size of each token, in and out.
        num_heads, num_kv_heads, base, interleaved: as in `CausalAttention`.
        ffn_hiddens: size inside the network.
        eps: what the norms, `nn.RMSNorm`, add to the mean square before its root is taken.
        norm: where they stand: "before" each part, as above (Llama), so that X itself is only added
            to; "after" it, on what it adds (OLMo 2); or "both" (Gemma).
        activation: "silu" or "gelu_tanh", GELU with a tanh in place of the normal distribution.
        parts: further ones of `CausalAttention`, by name.

    Source: Touvron et al. (2023), LLaMA, section 2.2; Shazeer (2020), GLU Variants Improve
    Transformer, for the gate; Zhang and Sennrich (2019) for RMSNorm; OLMo team (2024), 2 OLMo 2
    Furious, and Gemma team (2024), Gemma 2, for the norms' places.
    """

    base, interleaved = map(_of_attention, ("base", "interleaved"))

    def __init__(
        self,
        num_hiddens: Count,
        num_heads: Count,
        ffn_hiddens: Count,
        num_kv_heads: Count | None = None,
        eps: Positive = 1e-5,
        base: Positive = 10000.0,
        interleaved: Flag = True,
        *,
        norm: Annotated[str, one_of("before", "after", "both")] = "before",
        activation: Annotated[str, one_of(*ACTIVATIONS)] = "silu",
        **parts: Annotated[object, CausalAttention],
    ):
        super().__init__()
        parts |= {"base": base, "interleaved": interleaved, "eps": eps}
        self.attention = CausalAttention(num_hiddens, num_heads, num_kv_heads, **parts)
        self.num_hiddens, self.num_heads = num_hiddens, num_heads
        self.norm, self.activation = norm, activation
        for number in range(4 if norm == "both" else 2):
            self.add_module(f"norm_{number + 1}", nn.RMSNorm(num_hiddens, eps))
        self.W_gate = nn.Linear(num_hiddens, ffn_hiddens, bias=False)
        self.W_up = nn.Linear(num_hiddens, ffn_hiddens, bias=False)
        self.W_down = nn.Linear(ffn_hiddens, num_hiddens, bias=False)

    def forward(
        self,
        X: Float[Tensor, "batch n num_hiddens"],
        positions: Positions | None = None,
        cache: Annotated[KVCache, is_cache] | None = None,
        mask: Pairs | None = None,
        need_weights: Flag = True,
    ) -> Tensor:
        """Let each token of X read itself and those before it, and think.

        The arguments are those of `CausalAttention.forward`. The result has the shape of X.
        """
        new = copy.copy(cache)  # so that a call that fails leaves the cache as it was
        (before_1, before_2), (after_1, after_2) = self._norms()
        X = X + after_1(self.attention(before_1(X), positions, new, mask, need_weights))
        Y = before_2(X)
        gate = ACTIVATIONS[self.activation](self.W_gate(Y))  # (batch, n, ffn_hiddens)
        X = X + after_2(self.W_down(gate * self.W_up(Y)))  # (batch, n, num_hiddens)
        if cache is not None:
            vars(cache).update(vars(new))
        return X

    def _norms(self):
        """The norms before the two parts, and those behind them."""
        first, none = (self.norm_1, self.norm_2), (AS_IT_IS, AS_IT_IS)
        if self.norm == "both":
            return first, (self.norm_3, self.norm_4)
        return (first, none) if self.norm == "before" else (none, first)
