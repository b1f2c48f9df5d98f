"""The weights of multi-head attention in other layouts, carried to ours and back unchanged.

Ours is the state dict of `attn_teach.MultiHeadAttention(..., bias=True)`: W_q, W_k, W_v and W_o,
each with `.weight`, (out, in), and `.bias`, (out,). Head h has the rows h * size to
(h + 1) * size - 1 of the first three. All widths are the same.
"""

import torch

PARTS = ("q", "k", "v", "o")
KERAS = {"q": "query", "k": "key", "v": "value", "o": "attention_output"}
GPT2 = {
    "in_proj_weight": "c_attn.weight", "in_proj_bias": "c_attn.bias",
    "out_proj.weight": "c_proj.weight", "out_proj.bias": "c_proj.bias",
}  # fmt: skip
BERT = {"q": "self.query", "k": "self.key", "v": "self.value", "o": "output.dense"}


def shapes(width, heads):
    """{layout: {name: shape}} of all weights and biases, width numbers in `heads` heads."""
    size = width // heads
    square, row = (width, width), (width,)
    split = {"kernel": (width, heads, size), "bias": (heads, size)}
    joined = {"kernel": (heads, size, width), "bias": row}
    keras = {p: joined if p == "o" else split for p in PARTS}
    return {
        "ours": {f"W_{p}.{k}": s for p in PARTS for k, s in _plain(square, row)},
        "torch": {
            "in_proj_weight": (3 * width, width),
            "in_proj_bias": (3 * width,),
            "out_proj.weight": square,
            "out_proj.bias": row,
        },
        "keras": {f"{KERAS[p]}/{k}": s for p in PARTS for k, s in keras[p].items()},
        "bert": {f"{BERT[p]}.{k}": s for p in PARTS for k, s in _plain(square, row)},
        "gpt2": {
            "c_attn.weight": (width, 3 * width),
            "c_attn.bias": (3 * width,),
            "c_proj.weight": square,
            "c_proj.bias": row,
        },
    }


def _plain(square, row):
    return ("weight", square), ("bias", row)


LAYOUTS = ("torch", "keras", "bert", "gpt2")


def from_ours(layout, ours, heads):
    """Our weights in another layout: "torch" (nn.MultiheadAttention), "keras" ...

    Args:
        layout: one of LAYOUTS.
        ours: a state dict as above, tensors by name.
        heads: how many.

    Raises:
        ValueError: no such layout; a weight is missing, is one too many or has another shape.
    """
    expected = _checked("ours", ours, heads, layout)
    if layout == "bert":
        return {f"{BERT[p]}.{k}": ours[f"W_{p}.{k}"] for p in PARTS for k in ("weight", "bias")}
    if layout == "gpt2":  # torch's, with other names and each matrix transposed
        fused = from_ours("torch", ours, heads)
        return {
            GPT2[name]: weight.mT if weight.dim() == 2 else weight for name, weight in fused.items()
        }
    if layout == "torch":
        out = {
            f"in_proj_{k}": torch.cat([ours[f"W_{p}.{k}"] for p in "qkv"])
            for k in ("weight", "bias")
        }
        return out | {f"out_proj.{k}": ours[f"W_o.{k}"] for k in ("weight", "bias")}
    out = {}
    for p in PARTS:
        weight, bias = ours[f"W_{p}.weight"], ours[f"W_{p}.bias"]
        # A kernel is multiplied from the right, (in, out); then heads get an axis of their own.
        out[f"{KERAS[p]}/kernel"] = weight.mT.reshape(expected[f"{KERAS[p]}/kernel"])
        out[f"{KERAS[p]}/bias"] = bias.reshape(expected[f"{KERAS[p]}/bias"])
    return out


def to_ours(layout, theirs, heads):
    """Weights of another layout as ours: what `from_ours` undoes. Arguments and errors as there."""
    _checked(layout, theirs, heads, layout)
    if layout == "gpt2":
        turned = {name: theirs[of] for name, of in GPT2.items()}
        return to_ours("torch", {n: W.mT if W.dim() == 2 else W for n, W in turned.items()}, heads)
    out = {}
    for place, p in enumerate(PARTS):
        if layout == "bert":
            weight, bias = theirs[f"{BERT[p]}.weight"], theirs[f"{BERT[p]}.bias"]
        elif layout == "keras":
            weight, bias = theirs[f"{KERAS[p]}/kernel"], theirs[f"{KERAS[p]}/bias"].flatten()
            weight = weight.flatten(0, 1) if p == "o" else weight.flatten(1)
            weight = weight.mT
        elif p == "o":
            weight, bias = theirs["out_proj.weight"], theirs["out_proj.bias"]
        else:
            weight = theirs["in_proj_weight"].chunk(3)[place]
            bias = theirs["in_proj_bias"].chunk(3)[place]
        out |= {f"W_{p}.weight": weight, f"W_{p}.bias": bias}
    return out


def _checked(layout, weights, heads, other):
    """The shapes that the other layout has; an error where these weights are not of `layout`."""
    if other not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}, got {other!r}")
    last = {"torch": "out_proj.bias", "keras": "attention_output/bias", "bert": "output.dense.bias"}
    name = {"ours": "W_o.bias", "gpt2": "c_proj.bias", **last}[layout]
    if name not in weights:
        raise ValueError(f"the {layout} layout has a weight {name}, which is missing")
    width = len(weights[name])
    if width % heads:
        raise ValueError(f"{width} numbers cannot be cut into {heads} heads")
    known = shapes(width, heads)
    for name in {**known[layout], **weights}:
        if name not in weights or name not in known[layout]:
            told = "which is missing" if name not in weights else "which it does not know"
            has = "has" if name not in weights else "got"
            raise ValueError(f"the {layout} layout {has} a weight {name}, {told}")
        if tuple(weights[name].shape) != known[layout][name]:
            raise ValueError(
                f"{name} must have shape {known[layout][name]} in the {layout} layout, "
                f"width {width} and {heads} heads; got {tuple(weights[name].shape)}"
            )
    return known[other]
