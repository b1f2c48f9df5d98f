"""What the lesson's first cells need of four libraries; its section 3 makes the same calls."""

import keras
import torch
from jax import nn, numpy
from torch.nn import functional as F

draw = torch.Generator().manual_seed(3)
QUERIES, KEYS = torch.randn(2, 5, 8, generator=draw).unbind()
VALUES = torch.eye(5, 8)  # so that the first five numbers of an output are its weights
QUERY = 2  # *now*


def by_fused(mask):
    return F.scaled_dot_product_attention(QUERIES, KEYS, VALUES, attn_mask=mask.expand(5, 5))[
        QUERY, :5
    ]


def by_jax(mask):
    q, k, v = (numpy.asarray(X.numpy())[:, None] for X in (QUERIES, KEYS, VALUES))
    out = nn.dot_product_attention(q, k, v, mask=numpy.asarray(mask.numpy())[None, None])
    return torch.tensor(out.tolist())[QUERY, 0, :5]


def by_keras(mask):
    layer = keras.layers.MultiHeadAttention(1, 8, use_bias=False)
    layer.build((1, 5, 8), (1, 5, 8), (1, 5, 8))
    layer.set_weights([torch.eye(8).numpy()[:, None]] * 3 + [torch.eye(8).numpy()[None]])
    out = layer(QUERIES[None], VALUES[None], KEYS[None], attention_mask=mask.expand(1, 5, 5))
    return out[0, QUERY, :5].detach()


def by_module(mask):
    layer = torch.nn.MultiheadAttention(8, 1, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.eye(8).repeat(3, 1))
        layer.out_proj.weight.copy_(torch.eye(8))
        out, _ = layer(QUERIES[None], KEYS[None], VALUES[None], key_padding_mask=mask[None])
    return out[0, QUERY, :5]
