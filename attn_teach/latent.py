"""Attention whose keys and values are made from a latent, which is all that a cache keeps."""

import math
from typing import Annotated

from torch import Tensor, nn

from .attention import RemembersWeights, attend
from .cache import KVCache, is_cache
from .causal import Pairs, Positions
from .multihead import merge_heads, split_heads
from .positional import apply_rotary, need_even
from .shapes import Count, Flag, Float, Positive


class LatentAttention(RemembersWeights):
    """Multi-head latent attention: causal, with keys and values from one short vector per token.

    z, r = norm(W_a X), turned;  k_h = [K_h z, r], v_h = V_h z, where W_b holds all K_h and V_h
    q_h = [what asks k_h, turned] = W_q X;  output = W_o merge(softmax(q_h.k_h / sqrt(size)) v_h)

    A cache keeps z and r, no keys and values. As q.(K z) = (K^T q).z, a query can be carried to the
    latent, and what is read of it be made a value afterwards: `absorbed`.

    Args:
        num_hiddens: size of each token, in and out.
        num_heads: heads of queries.
        latent_dim: size of z.
        head_dim: size of K_h z, and of the part of each query that meets it.
        turned_dim: size of r, which all heads share, and of the part of each query that meets it;
            both are turned by their positions. Even.
        value_dim: size of each head's values.
        query_latent: the queries are made from a latent of this size, W_q norm(W_qa X).
        base, interleaved: of the rotary positions, as in `apply_rotary`.
        eps: what the norms, `nn.RMSNorm`, add to the mean square before its root is taken.

    Source: DeepSeek-AI (2024), DeepSeek-V2, section 2.1.
    """

    def __init__(
        self,
        num_hiddens: Count,
        num_heads: Count,
        latent_dim: Count,
        head_dim: Count,
        turned_dim: Count,
        value_dim: Count,
        query_latent: Count | None = None,
        base: Positive = 10000.0,
        interleaved: Flag = True,
        eps: Positive = 1e-6,
    ):
        super().__init__()
        need_even("turned_dim", turned_dim)
        self.num_hiddens, self.num_heads = num_hiddens, num_heads
        self.query_latent, self.query_sizes = query_latent, (head_dim, turned_dim)
        self.latent_sizes, self.made_sizes = (latent_dim, turned_dim), (head_dim, value_dim)
        self.base, self.interleaved = base, interleaved
        if query_latent:
            self.W_qa = nn.Linear(num_hiddens, query_latent, bias=False)
            self.q_norm = nn.RMSNorm(query_latent, eps)
        asks = num_heads * (head_dim + turned_dim)
        self.W_q = nn.Linear(query_latent or num_hiddens, asks, bias=False)
        self.W_a = nn.Linear(num_hiddens, latent_dim + turned_dim, bias=False)
        self.kv_norm = nn.RMSNorm(latent_dim, eps)
        self.W_b = nn.Linear(latent_dim, num_heads * (head_dim + value_dim), bias=False)
        self.W_o = nn.Linear(num_heads * value_dim, num_hiddens, bias=False)

    def forward(
        self,
        X: Float[Tensor, "batch n num_hiddens"],
        positions: Positions | None = None,
        cache: Annotated[KVCache, is_cache] | None = None,
        mask: Pairs | None = None,
        absorbed: Flag = False,
    ) -> Tensor:
        """Let each token of X read itself and those before it.

        Args:
            X, positions, cache, mask: as in `CausalAttention.forward`; the cache keeps z and r of
                each token, (batch, 1, t, latent_dim) and (batch, 1, t, turned_dim).
            absorbed: True makes no keys and values: the same numbers, up to rounding.

        Returns:
            A tensor of the shape of X. The weights of this call stay in `attention_weights`,
            (batch, heads, n, t + n).
        """
        cache = KVCache() if cache is None else cache
        cache.check_owner(self)
        if positions is None:
            positions = cache.next_positions(X)
        positions = positions.unsqueeze(-2)  # the same for all heads
        asks = self.q_norm(self.W_qa(X)) if self.query_latent else X
        q, r_q = split_heads(self.W_q(asks), self.num_heads).split(self.query_sizes, -1)
        z, r = self.W_a(X).unsqueeze(1).split(self.latent_sizes, -1)  # one for all heads
        r_q, r = (apply_rotary(each, positions, self.base, self.interleaved) for each in (r_q, r))
        z, r = pair = cache.with_new(self.kv_norm(z), r)
        makes = self.W_b.weight.unflatten(0, (self.num_heads, -1))
        K, V = makes.split(self.made_sizes, 1)  # (heads, head_dim or value_dim, latent_dim)
        met = (q @ K) @ z.mT if absorbed else q @ (z @ K.mT).mT  # (batch, heads, n, t + n)
        scores = (met + r_q @ r.mT) / math.sqrt(sum(self.query_sizes))
        values = z if absorbed else z @ V.mT
        heads, self.attention_weights = attend(scores, values, cache.seen(X, mask))
        output = self.W_o(merge_heads(heads @ V.mT if absorbed else heads))
        cache.keep(self, pair)
        return output  # (batch, n, num_hiddens)
