"""The words of a signature: `queries: Float[Tensor, "... n d"]`, `num_heads: Count`.

A type checker sees the type alone, the door (door.py) reads the rest. The spelling is jaxtyping's.
"""

from typing import TYPE_CHECKING, Annotated

from . import checks

if TYPE_CHECKING:
    from typing import Annotated as AnyKind
    from typing import Annotated as Bool
    from typing import Annotated as Float
    from typing import Annotated as Ids
    from typing import Annotated as Int
    from typing import Annotated as Real
    from typing import Annotated as Tokens
else:

    class _Kind:
        """`kind[Tensor, "shape"]` is a Tensor, annotated with the kind of its numbers and shape."""

        def __init__(self, kind):
            self.kind = kind

        def __getitem__(self, item):
            return Annotated[item[0], f"{self.kind} {item[1]}"]

    AnyKind, Bool, Float, Ids, Int, Real, Tokens = map(
        _Kind, ("any", "bool", "float", "ids", "int", "real", "tokens")
    )

Count = Annotated[int, checks.count]
Flag = Annotated[bool, checks.flag]
Probability = Annotated[float, checks.probability]
Positive = Annotated[float, checks.positive]
Text = Annotated[str, checks.text]
