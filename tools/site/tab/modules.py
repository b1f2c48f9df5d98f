"""torch.nn's modules: a base to derive from, and those without weights to be trained."""

from . import shapes
from .functional import FUNCTIONAL
from .missing import Missing, lacking
from .tensors import FUNCTIONS, Tensor

MODULES = {}


def module(made):
    """Make a class one of torch.nn's."""
    MODULES[made.__name__] = made
    return made


@module
class Parameter(Tensor):
    """A tensor of a module, which shares its memory with the data."""

    def __new__(cls, data=None, requires_grad=True):
        made = object.__new__(cls)
        made.a = FUNCTIONS["zeros"](0).a if data is None else data.a
        return made


@module
class Module:
    """What modules are derived from: it is called, and knows the modules in it."""

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

    def register_buffer(self, name, tensor, persistent=True):
        setattr(self, name, tensor)

    def train(self, mode=True):
        self.training = mode
        for part in self.children():
            part.train(mode)
        return self

    def eval(self):
        return self.train(False)


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


@module
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


@module
class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        self.p = p

    def forward(self, input):
        return FUNCTIONAL["dropout"](input, self.p, self.training)
