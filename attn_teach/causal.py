"""The attention of today's language models: one formula, and parts that a model has or has not."""

import math
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from .cache import KVCache, is_cache
from .checks import one_of, share
from .multihead import Heads, merge_heads, need_divisor, split_heads
from .positional import apply_rotary, need_even
from .shapes import Bool, Count, Flag, Float, Positive, Real

Positions = Real[Tensor, "n | batch n"]
Pairs = Bool[Tensor, "n m | batch n m | batch num_heads n m"]


class CausalAttention(Heads):
    """Causal self-attention with rotary positions, and with what this year's models add to it.

    q, k, v = split(W_q X), split(W_k X), split(W_v X)
    q, k = turn(norm(q)), turn(norm(k))
    output = W_o (sigmoid(W_g X) * merge(attend(scale q.k, v)))

    Each part is off unless asked for; without any it is the attention of Llama.

    Args:
        num_hiddens: size of each token, in and out.
        num_heads: heads of queries.
        num_kv_heads: heads of keys and values, as in `MultiHeadAttention`.
        head_dim: size of a head; num_hiddens / num_heads unless given.
        bias, out_bias: whether W_q, W_k and W_v have one, and whether W_o has.
        qk_norm: "head" norms each query and key by itself, with one weight per number of a head;
            "whole" norms those of all heads together, before they are split.
        window: how many tokens a token sees: itself and window - 1 before it.
        sink: whether each head has one more key, with a learned score and the value 0, so that a
            row of weights, in which it is left out, sums to less than 1.
        gate: whether what the heads read is multiplied by sigmoid(W_g X).
        turned: share of each head, from its first number on, that is turned by the position; 0: no
            positions at all.
        base, interleaved: of the rotary positions, as in `apply_rotary`.
        scale: what a dot product is multiplied by; 1 / sqrt(head_dim) unless given.
        eps: what the norms add to the mean square before its root is taken.

    Source: Touvron et al. (2023), LLaMA; Henry et al. (2020) for norms of each head; Beltagy et
    al. (2020), Longformer, for the window; OpenAI (2025), gpt-oss model card, for the sink; Qiu et
    al. (2025), Gated Attention, for the gate.
    """

    def __init__(
        self,
        num_hiddens: Count,
        num_heads: Count,
        num_kv_heads: Count | None = None,
        head_dim: Count | None = None,
        *,
        bias: Flag = False,
        out_bias: Flag = False,
        qk_norm: Annotated[str, one_of("head", "whole")] | None = None,
        window: Count | None = None,
        sink: Flag = False,
        gate: Flag = False,
        turned: Annotated[float, share] = 1.0,
        base: Positive = 10000.0,
        interleaved: Flag = True,
        scale: Positive | None = None,
        eps: Positive = 1e-6,
    ):
        if head_dim is None:
            need_divisor(num_hiddens, num_heads)
            head_dim = num_hiddens // num_heads
        super().__init__(4 * [num_hiddens], num_heads, num_kv_heads, head_dim, 0.0, bias, out_bias)
        need_even(f"{'turned * ' * (turned < 1)}head_dim", int(turned * head_dim))
        self.num_hiddens, self.turned = num_hiddens, int(turned * head_dim)  # numbers of a head
        self.qk_norm, self.window, self.scale = qk_norm, window, scale
        self.base, self.interleaved = base, interleaved
        if qk_norm:
            heads = (num_heads, num_heads // self.group) if qk_norm == "whole" else (1, 1)
            self.q_norm, self.k_norm = (nn.RMSNorm(h * head_dim, eps) for h in heads)
        self.sink = nn.Parameter(torch.zeros(num_heads)) if sink else None
        self.W_g = nn.Linear(num_hiddens, num_heads * head_dim, bias=False) if gate else None

    def forward(
        self,
        X: Float[Tensor, "batch n num_hiddens"],
        positions: Positions | None = None,
        cache: Annotated[KVCache, is_cache] | None = None,
        mask: Pairs | None = None,
        need_weights: Flag = True,
    ) -> Tensor:
        """Let each token of X read itself and those before it.

        Args:
            X: shape (batch, n, num_hiddens): all tokens or, with a cache, those that are new.
            positions: where the tokens of X stand, shape (n,), or (batch, n) where each text has
                its own, as behind padding; t ... t + n - 1 unless given.
            cache: a `KVCache` of the t tokens before X; X is added to it. None: there are none.
            mask: boolean, True = may attend, (n, t + n), or with batch or batch and heads before;
                a pair must be allowed by the causal mask, and the window, as well.
            need_weights: False uses PyTorch's fused attention, which keeps no weights.

        Returns:
            A tensor of the shape of X. The weights of this call stay in `attention_weights`,
            (batch, heads, n, t + n), or None; a window's cache holds no more than it sees.
        """
        cache = KVCache() if cache is None else cache
        cache.check_owner(self)
        if positions is None:
            positions = cache.next_positions(X)
        q, k, v = self.project(X, X, X)
        q, k = self.turn(q, k, positions)
        pair = cache.with_new(k, v)
        seen = cache.seen(X, mask, self.window)
        heads, self.attention_weights = self.attend(q, *pair, seen, need_weights)
        read = merge_heads(heads)  # (batch, n, num_heads * head_dim)
        if self.W_g is not None:
            read = read * self.W_g(X).sigmoid()
        output = self.W_o(read)  # (batch, n, num_hiddens)
        cache.keep(self, pair, last=self.window and self.window - 1)
        return output

    def project(self, queries, keys, values):
        """What the heads ask with and read, normed, each (batch, heads, n, head_dim)."""
        q, k, v = self.W_q(queries), self.W_k(keys), self.W_v(values)
        if self.qk_norm == "whole":
            q, k = self.q_norm(q), self.k_norm(k)
        q, k, v = (split_heads(Y, Y.shape[-1] // self.head_dim) for Y in (q, k, v))
        if self.qk_norm == "head":
            q, k = self.q_norm(q), self.k_norm(k)
        if self.scale is not None:  # `attend` divides by the root
            q = q * (self.scale * math.sqrt(self.head_dim))
        return q, k, v

    def turn(self, q, k, positions):
        """Queries and keys, of which a share is turned by positions, (n,) or (batch, n)."""
        if not self.turned:
            return q, k
        both = torch.cat((q, k), -3)  # (batch, num_heads + num_kv_heads, n, head_dim)
        rest, both = both[..., self.turned :], both[..., : self.turned]
        positions = positions.unsqueeze(-2)  # (1, n) or (batch, 1, n): the same for all heads
        both = apply_rotary(both, positions, self.base, self.interleaved)
        if self.turned < self.head_dim:
            both = torch.cat((both, rest), -1)
        return both.split((q.shape[-3], k.shape[-3]), -3)

    def attend(self, q, k, v, allowed, need_weights=True, bias=None):
        """As `Heads.attend`, with the sink as one more key."""
        if self.sink is None:
            return super().attend(q, k, v, allowed, need_weights, bias)
        bias = q.new_zeros(1, self.num_heads, 1, k.shape[-2])
        bias = torch.cat((bias, self.sink.to(q).view(1, -1, 1, 1)), -1)  # a learned score for
        k, v = (pad(each, (0, 0, 0, 1)) for each in (k, v))  # a key of zeros with the value 0
        if allowed is not None:
            allowed = allowed.expand(*allowed.shape[:-1], k.shape[-2] - 1)
            allowed = pad(allowed, (0, 1), value=True)
        heads, weights = super().attend(q, k, v, allowed, need_weights, bias)
        return heads, None if weights is None else weights[..., :-1]
