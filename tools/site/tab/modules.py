"""torch.nn's modules: a base to derive from, and those that answers use."""

import math

from . import shapes
from .dtypes import NAMED
from .functional import FUNCTIONAL
from .missing import Missing, lacking
from .tensors import FUNCTIONS, Tensor


class Parameter(Tensor):
    """A tensor of a module, which shares its memory with the data."""

    def __new__(cls, data=None, requires_grad=True):
        made = object.__new__(cls)
        made.a = FUNCTIONS["zeros"](0).a if data is None else data.a
        return made


class Module:
    """What modules are derived from: it is called, and knows the tensors and modules in it."""

    training = True

    def __init__(self, *given, **named):
        pass

    def __call__(self, *given, **named):
        return self.forward(*given, **named)

    def __getattr__(self, name):
        unknown = f"'{type(self).__name__}' object has no attribute '{name}'"
        return lacking("torch.nn.Module", name, unknown)

    def children(self):
        return (part for part in vars(self).values() if isinstance(part, Module))

    def named_parameters(self, prefix=""):
        for name, part in vars(self).items():
            if isinstance(part, Parameter):
                yield prefix + name, part
            elif isinstance(part, Module):
                yield from part.named_parameters(f"{prefix}{name}.")

    def parameters(self):
        return (part for _, part in self.named_parameters())

    def state_dict(self):
        return dict(self.named_parameters())

    def load_state_dict(self, state):
        for name, part in self.named_parameters():
            part.copy_(state[name])

    def register_buffer(self, name, tensor, persistent=True):
        setattr(self, name, tensor)

    register_parameter = register_module = add_module = register_buffer

    def train(self, mode=True):
        self.training = mode
        for part in self.children():
            part.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def to(self, *where, **named):
        for part in self.parameters():
            part.a = part.to(*where, **named).a
        return self

    def double(self):
        return self.to(NAMED["float64"])

    def requires_grad_(self, requires_grad=True):
        return self


class Sequential(Module):
    def __init__(self, *parts):
        vars(self).update({str(i): part for i, part in enumerate(parts)})

    def __iter__(self):
        return self.children()

    def __len__(self):
        return sum(1 for _ in self)

    def __getitem__(self, index):
        return [*self.children()][index]

    def forward(self, input):
        for part in self:
            input = part(input)
        return input


class ModuleList(Sequential):
    def __init__(self, parts=()):
        super().__init__(*parts)


def _drawn(*size, most, dtype=None):
    return Parameter(((FUNCTIONS["rand"](*size) * 2 - 1) * most).to(dtype))


class Linear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        self.in_features, self.out_features = in_features, out_features
        most = 1 / math.sqrt(max(in_features, 1))
        self.weight = _drawn(out_features, in_features, most=most, dtype=dtype)
        self.bias = _drawn(out_features, most=most, dtype=dtype) if bias else None

    def forward(self, input):
        return FUNCTIONAL["linear"](input, self.weight, self.bias)


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, _weight=None):
        drawn = FUNCTIONS["randn"](num_embeddings, embedding_dim) if _weight is None else _weight
        self.weight = Parameter(drawn)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True):
        return cls(*embeddings.shape, _weight=embeddings)

    def forward(self, input):
        return FUNCTIONAL["embedding"](input, self.weight)


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True):
        shape = normalized_shape if not isinstance(normalized_shape, int) else (normalized_shape,)
        self.normalized_shape, self.eps = tuple(shape), eps
        self.weight = Parameter(FUNCTIONS["ones"](shape)) if elementwise_affine else None
        self.bias = Parameter(FUNCTIONS["zeros"](shape)) if elementwise_affine and bias else None

    def forward(self, input):
        return FUNCTIONAL["layer_norm"](
            input, self.normalized_shape, self.weight, self.bias, self.eps
        )


class RMSNorm(LayerNorm):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True):
        super().__init__(normalized_shape, eps, elementwise_affine, bias=False)

    def forward(self, input):
        return FUNCTIONAL["rms_norm"](input, self.normalized_shape, self.weight, self.eps)


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        self.p = p

    def forward(self, input):
        return FUNCTIONAL["dropout"](input, self.p, self.training)


MODULES = {
    made.__name__: made
    for made in (Parameter, Module, Sequential, ModuleList, Linear, Embedding, LayerNorm, RMSNorm,
                 Dropout)
}  # fmt: skip


def _calling(name, function, **usual):
    """A module whose arguments, in this order, are some of a function's."""

    def begin(self, *given, **named):
        if named.pop("inplace", False):
            raise Missing(f"argument inplace= of torch.nn.{name}")
        self.how = usual | dict(zip(usual, given, strict=False)) | named

    MODULES[name] = type(name, (Module,), {
        "__init__": begin, "forward": lambda self, *tensors: function(*tensors, **self.how)
    })  # fmt: skip


for _name, _function, _usual in (
    ("Softmax", "softmax", {"dim": None}), ("LogSoftmax", "log_softmax", {"dim": None}),
    ("GELU", "gelu", {"approximate": "none"}), ("ReLU", "relu", {}), ("SiLU", "silu", {}),
    ("Sigmoid", "sigmoid", {}), ("Tanh", "tanh", {}), ("MSELoss", "mse_loss", {}),
    ("CrossEntropyLoss", "cross_entropy", {}),
):  # fmt: skip
    _calling(_name, FUNCTIONAL[_function], **_usual)
_calling("Identity", lambda input, **how: input)
_calling("Flatten", shapes.flatten, start_dim=1, end_dim=-1)
