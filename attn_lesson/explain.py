"""Errors and values in a learner's words."""

import math
import re

import torch

from .sandbox import Odd, Outcome, Problem

# What an error's text says -> its name, and a sentence; {0}, {1} are the parts in brackets.
ERRORS = [
    (r"mat1 and mat2 shapes cannot be multiplied \((\w+) and (\w+)\)", "product of shapes",
     "A product of matrices of {0} and {1} is asked for: the columns of the first must be as many "
     "as the rows of the second. Is one of them to be transposed (.mT), or are they exchanged?"),
    (r"Expected size for first two dimensions of batch2 tensor to be: (\[.*?\]) but got: (\[.*?\])",
     "product of shapes",
     "A product of matrices does not fit: the second factor must begin with {0} and begins with "
     "{1}. Is one of them to be transposed (.mT), or are they exchanged?"),
    (r"batch1 must be a 3D tensor|batch2 must be a 3D tensor", "product of shapes",
     "bmm takes tensors of exactly three axes; @ takes any number."),
    (r"inconsistent tensor size, expected tensor (\[.*?\]) and src (\[.*?\])", "product of shapes",
     "A dot product needs two vectors of the same length, and these are {0} and {1} long."),
    (r"size mismatch, got input|vector, .*mat1|1D tensors expected", "product of shapes",
     "A product of a matrix and a vector does not fit: their sizes, or their numbers of axes."),
    (r"both arguments to (?:linear|matmul) need to be at least 1D", "product of shapes",
     "One factor of the matrix product is a single number: multiply it with *."),
    (r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton "
     r"dimension (\d+)", "broadcasting",
     "Two tensors are combined number by number, and on axis {2} one has the size {0}, the other "
     "{1}. Sizes fit when they are equal or one of them is 1, counted from the last axis: is an "
     "axis of size 1 missing (unsqueeze), or is one of them to be transposed?"),
    (r"shape mismatch|not broadcastable|cannot be broadcast|could not be broadcast|must match the "
     r"existing size", "broadcasting",
     "Two shapes do not fit together. Sizes fit when they are equal or one of them is 1, counted "
     "from the last axis."),
    (r"leaf Variable that requires grad.* in-place", "in place",
     "It writes into a tensor that needs gradients, which PyTorch refuses: make a new tensor in "
     "its place (masked_fill without the underscore, x = x + 1), or write into a clone. A module's "
     "weights are filled inside `with torch.no_grad()`."),
    (r"input tensor and the written-to tensor refer to a single memory location", "overlap",
     "It copies a part of a tensor onto another part of the same tensor, and the two overlap: take "
     "the numbers from a copy (clone) or from the argument."),
    (r"written-to tensor refers to a single memory location", "overlap",
     "It writes into a tensor whose places share their memory, as those that expand makes do: "
     "clone it first."),
    (r"cannot assign '.*' as parameter '(\w+)'", "parameter",
     "{0} is a parameter of a module, which a plain tensor cannot replace: copy the numbers into "
     "it (copy_, inside `with torch.no_grad()`), or wrap the tensor in nn.Parameter."),
    (r"Error\(s\) in loading state_dict", "state dict",
     "The names or shapes in the dictionary are not those of the module: compare state_dict() of "
     "both."),
    (r"not enough values to unpack \(expected (\d+), got (\d+)\)", "unpacking",
     "{0} names stand for {1} values; for a shape, the tensor has another number of axes than you "
     "think."),
    (r"too many values to unpack \(expected (\d+)", "unpacking",
     "{0} names stand for more values; for a shape, the tensor has more axes than you think."),
    (r"argument 'shape' .*got float|argument 'size' .*float", "float size",
     "A size must be a whole number: // divides into whole numbers, / makes a float."),
    (r"modified by an inplace operation|is a view and is being modified inplace|modified inplace",
     "in place",
     "It writes into a tensor which the gradient still needs as it was. Make a new tensor in its "
     "place, for instance with torch.where or torch.stack."),
    (r"Boolean value of Tensor with more than one value|truth value of an array", "if of a tensor",
     "`if`, `and`, `or`, `not` and chains such as a < b < c need one True or False, and this "
     "tensor has many. Use & | ~ for masks, with brackets around each comparison; torch.where to "
     "choose number by number; .any() or .all() for one answer."),
    (r"The `-` operator, with (?:a|two) bool tensor|`-` operator", "minus of booleans",
     "Booleans cannot be subtracted: ~mask turns True and False around."),
    (r"Can't call numpy\(\) on Tensor that requires grad", "numpy of a gradient",
     "numpy knows no gradients, and this tensor needs one. Use torch's function of the same name."),
    (r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)",
     "missing axis",
     "Axis {2} is asked for, and the tensor's axes are {0} to {1}: it has fewer axes than you "
     "think, in this case at least. Axes counted from the end, -1 and -2, are safer."),
    (r"too many indices for tensor of dimension (\d+)|IndexError: too many indices", "missing axis",
     "There are more indices than the tensor has axes, {0}."),
    (r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)", "index",
     "Index {0} is asked for on an axis of size {2}: the last one is size - 1."),
    (r"list index out of range|index out of range", "index",
     "An index lies behind the end: counting starts at 0, so the last one is the length - 1."),
    (r"The shape of the mask (\[.*?\]) at index (\d+) does not match the shape of the indexed "
     r"tensor (\[.*?\])", "indexing with a mask",
     "Indexing with a mask of {0} cannot broadcast it to {2}; masked_fill and torch.where can."),
    (r"tensors used as indices must be", "index",
     "An index must hold whole numbers or booleans, and this one does not (.long(), .bool())."),
    (r"missing 1 required positional arguments?: \"?'?dim|got \(Tensor\), but expected one of: "
     r"\* \(Tensor input, int dim", "missing dim",
     "This function wants to know along which axis: give it dim, for instance dim=-1."),
    (r"shape '(\[.*?\])' is invalid for input of size (\d+)", "reshape",
     "A tensor of {1} numbers cannot take the shape {0}: the product of its sizes must be {1}."),
    (r"view size is not compatible", "view",
     "After a transpose the numbers do not lie in line, and a view cannot join such axes; reshape "
     "and flatten copy when they must."),
    (r"unflatten: Provided sizes (\[.*?\]) don't multiply up to the size of dim \S+ \((\d+)\)",
     "reshape", "An axis of size {1} cannot be cut into {0}."),
    (r"Tensors must have same number of dimensions|Sizes of tensors must match except",
     "putting together",
     "torch.cat joins tensors along `dim`, axis 0 unless told; in all other axes they must agree. "
     "torch.stack makes a new axis."),
    (r"stack expects each tensor to be equal size", "putting together",
     "torch.stack needs tensors of one and the same shape."),
    (r"same dtype, but got:? (.+?) != (.+)|same dtype, but got (\w+), (\w+)|"
     r"expected scalar type (\w+) but found (\w+)",
     "dtype",
     "Two tensors of different dtypes meet ({0} and {1}). Make both the same: .to(other.dtype), or "
     "torch.zeros_like(x) for tensors that you make."),
    (r"~ \(operator.invert\)", "dtype",
     "~ turns booleans around, and this tensor holds numbers: make it boolean (.bool(), or "
     "dtype=torch.bool where it is made)."),
    (r"expand\(\w+\{(\[.*?\])\}, size=(\[.*?\])\)", "broadcasting",
     "A tensor of shape {0} does not fit into a place of shape {1}: it has axes too many. Is one "
     "of them still to be reduced (any, amax, sum)?"),
    (r"bitwise_xor|for \^: ", "power", "In Python a power is written **; ^ compares bits."),
    (r"bitwise_\w+\" not implemented for '(\w+)'", "dtype",
     "& | ~ take booleans, and one of these tensors is {0}: make its numbers booleans (.bool(), or "
     "dtype=torch.bool where it is made)."),
    (r"not implemented for '(\w+)'|floating.?point (?:type|dtype)s?\. Got|Got (?:Long|Bool|Int)|"
     r"dtype should be floating|result type \w+ can't be cast|Input dtype must be either",
     "dtype",
     "This operation does not exist for the dtype of its tensor: whole numbers and booleans have "
     "to become floats first (.float()), masks have to be booleans (.bool())."),
    (r"cannot be converted to type .* without overflow|value cannot be converted", "dtype",
     "The number is too large for the dtype of the tensor; float16 ends at 65504. "
     "torch.finfo(x.dtype).min and minus infinity exist in every dtype."),
    (r"only supports boolean masks|expected BoolTensor|condition to be a boolean|bool(?:ean)? "
     r"(?:mask|tensor)", "dtype", "The mask has to be a boolean tensor here (.bool())."),
    (r"element 0 of tensors does not require grad", "no gradient",
     "A gradient is asked for of something that carries none: .detach(), .item(), .data or numpy "
     "cut it off, or the inputs do not need one."),
    (r"elements? cannot be converted to Scalar|only one element tensors can be converted|"
     r"only (?:length-1|0-dimensional) arrays can be converted", "one number",
     "One number is wanted, and the tensor has many: float(), int(), .item() and math's functions "
     "take single numbers; torch.exp, torch.sqrt and the like take tensors."),
    (r"argument '\w+' (?:\(position \d+\) )?must be (?:tuple of )?Tensors?, not (\w+)",
     "not a tensor",
     "A function of torch got a plain {0} where it takes a tensor: use math for numbers, or make "
     "it a tensor (torch.tensor, torch.stack for a list of tensors)."),
    (r"outer: Expected 1-D argument", "outer",
     "torch.outer takes two vectors, and these have more axes. With a new axis of size 1 in each, "
     "broadcasting makes all pairs."),
    (r"(\w+)\(\) takes (\d+) positional arguments? but (\d+) were given", "arguments",
     "{0} is called with {2} arguments and takes {1}."),
    (r"'NoneType' object", "none", "Something is None here. Did a function forget its `return`?"),
    (r"'(\w+)' object has no attribute '(\w+)'", "attribute",
     "A {0} has no `{1}`. Is it what you think it is?"),
    (r"module '([\w.]+)' has no attribute '(\w+)'", "attribute", "{0} has no `{1}`: a typo?"),
    (r"'(\w+)' object is not callable", "not callable",
     "A {0} is called as if it were a function: are there brackets too many, or is a function's "
     "name used for something else?"),
    (r"'(\w+)' object is not (?:iterable|subscriptable)", "not iterable",
     "A {0} has no items to walk through or to pick from."),
    (r"unsupported operand type\(s\) for (\S+): '(\w+)' and '(\w+)'", "operands",
     "{0} cannot combine a {1} with a {2}."),
    (r"math (?:domain|range) error|math\.exp|Numerical result out of range|cannot convert float",
     "math", "The number is outside of what this function can do: torch.exp and the like give inf "
     "or nan there, and shifted exponentials (a softmax) avoid it."),
    (r"a checked function starts or ends no processes", "processes",
     "It starts another process or sends a signal; a checked function may do neither."),
    (r"cannot ask for input", "input", "It asks for input; a checked function cannot."),
    (r"check is being run already", "check inside",
     "It calls check. A checked function cannot check itself: call check in a cell of its own."),
]  # fmt: skip
TYPES = {
    "NameError": "A name is not known: {text}. Is it a typo, or a cell that was not run?",
    "UnboundLocalError": "A name is used before it gets a value in every path: {text}.",
    "ZeroDivisionError": "It divides by zero.",
    "RecursionError": "It calls itself without end: each call must come nearer to a case that does "
    "not.",
    "MemoryError": "It asked for more memory than there is: is some tensor far larger than meant?",
    "SystemExit": "It ends the program (exit, quit or sys.exit). End a function with `return`.",
    "KeyError": "A key is not in the dictionary: {text}.",
    "NotImplementedError": "It is not written yet: {text}",
    "AssertionError": "An `assert` of your own fails: {text}",
    "KeyboardInterrupt": "It interrupts itself.",
}
OF_SHAPES = ("product of shapes", "broadcasting", "missing axis", "index", "reshape", "one number")
OF_SHAPES += ("indexing with a mask", "putting together", "if of a tensor")
ENDS = {
    "time": "Your function does not come to an end. It gives no result after computing for "
    "{seconds:g} seconds: is there a loop that never ends?",
    "slow": "Your function takes long. The check calls it several times, and stopped it when all "
    "calls together had computed for {all:g} seconds: is more computed than is needed?",
    "idle": "Your function gives no result and hardly computes. The check stopped it after waiting "
    "for {patience:g} seconds or more: does it sleep, or wait for something? (If this machine is "
    "very busy just now, try again.)",
    "died": "Your function gives no result: it ended the whole process, or did something that "
    "crashed it (os._exit, a recursion in C, closed files). A function ends with `return`.",
}


def error(problem: Problem, name, signature):
    """The name of an error's kind, and a sentence with the learner's line."""
    name_of_kind, sentence = _sentence(problem, name, signature)
    where = f"In line {problem.line} of your cell, `{problem.source}`: " if problem.line else ""
    shapes = ", ".join(f"{n} {_shape(s)}" for n, s in problem.shapes.items())
    shapes = f" (Here the shapes are: {shapes}.)" if shapes and name_of_kind in OF_SHAPES else ""
    stop = "" if re.search(r"[.?!](?: \(\w+\))?$", sentence) else "."
    return name_of_kind, f"{where}{sentence}{stop}{shapes}"


def _shape(shape):
    return str(tuple(shape)) if shape else "()"


def _sentence(problem, name, signature):
    text = " ".join(problem.text.split())
    if problem.type == "TypeError" and problem.line is None and "argument" in text:
        return "arguments", f"The check calls {name}{signature}; yours takes others: {text}."
    for pattern, kind, sentence in ERRORS:
        found = re.search(pattern, text)
        if found:
            parts = [p for p in found.groups() if p is not None] + ["...", "...", "..."]
            return kind, f"{sentence.format(*parts)} ({problem.type})"
    first = text.split(". ")[0][:200]
    if problem.type in TYPES:
        return problem.type, TYPES[problem.type].format(text=first.rstrip("."))
    return problem.type, f"{problem.type}: {text[:300]}"


def general(got: Outcome, expected, right_cases, cases):
    """(kind or None, sentence) on a wrong result that is no known mistake."""
    a, b = got.value, expected
    works = (
        f" It is right in {right_cases} of {cases} cases: does it rely on the sizes or numbers of "
        f"the others?"
        if right_cases
        else ""
    )
    if isinstance(a, tuple) and not isinstance(b, tuple):
        return "tuple", f"Expected one result, got a tuple of {len(a)}: return the result alone."
    if isinstance(b, torch.Tensor):
        if isinstance(a, Odd) and a.type == "tensor":  # too large to be brought back
            return None, f"Expected {kind(b)}, got {a}."
        if not isinstance(a, torch.Tensor):
            what = f"the text {show(a)}" if isinstance(a, str) else f"a {got.kind}"
            return "kind", f"Expected a tensor, got {what}." + _generator(got)
        if a.shape != b.shape:
            return None, _shapes(a, b) + works
        if (a.dtype == torch.bool) != (b.dtype == torch.bool):
            if b.dtype == torch.bool and torch.equal(a.bool(), b):
                if not torch.equal(a.bool().to(a.dtype), a):
                    return "numbers", (
                        "Your numbers differ from 0 in just the cells where True is asked for. "
                        "Compare their size with a limit, .abs() > ..., so that booleans come out."
                    )
                return "0 and 1", (
                    "The right cells, but as numbers 0 and 1: a mask is boolean (.bool()). With "
                    "numbers, ~mask and indexing mean something else."
                )
            return "dtype", f"The result must be {b.dtype}, got {a.dtype}."
        if a.is_floating_point() and a.isnan().any() and not b.isnan().any():
            where = "everywhere" if a.isnan().all() else f"in {int(a.isnan().sum())} places"
            return "nan", (
                f"The result contains NaN ({where}): 0 / 0, inf - inf or inf * 0 was computed."
                + works
            )
        wrong = int((~torch.isclose(a.double(), b.double(), 1e-5, 1e-5, equal_nan=True)).sum())
        if not wrong:
            close = int(((b == 0) & (a != 0)).sum())
            return "nearly 0", f"Close, but {close} of the numbers must be exactly 0, and are not."
        off = (a.double() - b.double()).abs().max().item()
        if b.is_floating_point() and off < 0.01 * b.double().abs().max().item():
            return "close", (
                f"Nearly: no number is off by more than {off:.1g}. Is one of your own numbers "
                f"rounded, or is something small added?" + works
            )
        if right_cases == 0 and wrong < b.numel() > 2:
            return None, f"The shape is right; {wrong} of {b.numel()} numbers are not, in one case."
        if right_cases == 0:
            return None, "The shape is right, the numbers are not yet."
    elif type(a) is not type(b) and not (
        isinstance(a, (int, float)) and isinstance(b, (int, float))
    ):
        return "kind", f"Expected {kind(b)}, got {kind(a)}." + _generator(got)
    if right_cases:
        return None, f"Right in {right_cases} of {cases} cases, wrong in the one below."
    return None, "The result is not right yet."


def _generator(got):
    if got.kind in ("generator", "coroutine"):
        return " Is there a yield or async where return belongs?"
    if got.kind in ("function", "builtin_function_or_method", "method"):
        return " Are the brackets of a call missing?"
    return ""


def kind(value):
    names = {"bool": "True or False", "float": "a number", "int": "a whole number", "str": "text"}
    if isinstance(value, Odd):
        return f"a {value.type}"
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    return names.get(type(value).__name__, f"a {type(value).__name__}")


def _shapes(a, b):
    a, b = tuple(a.shape), tuple(b.shape)
    if len(a) == len(b) and sorted(a) == sorted(b):
        return f"The axes of the result are in the wrong order: {a} instead of {b}."
    if len(a) == len(b):
        axes = [i for i in range(len(a)) if a[i] != b[i]]
        if len(axes) == 1:
            i = axes[0]
            return f"Axis {i} of the result has the size {a[i]} instead of {b[i]}."
    if [n for n in a if n != 1] == [n for n in b if n != 1]:
        what = "too many" if len(a) > len(b) else "missing"
        return f"There are axes of size 1 {what}: {a} instead of {b}."
    if len(a) != len(b):
        number = f"{len(a)} {'axis' if len(a) == 1 else 'axes'} instead of {len(b)}"
        return f"The result has {number}: its shape is {a} instead of {b}."
    return f"The result has the wrong shape: {a} instead of {b}."


# Values


def show(value, digits=3, start=0):
    """A value in a few characters: small tensors whole, others by shape and some numbers."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        if value.dim() == 0:
            digits = max(digits, 4)
        if value.numel() <= 24:
            return _nested(value.tolist(), digits)
        numbers = value.flatten()[start : start + 6].tolist()
        named = "first numbers" if start == 0 else f"numbers from {_place(value, start)} on:"
        text = ", ".join(_nested(a, digits) for a in numbers)
        return f"shape {tuple(value.shape)}, {named} {text} ..."
    if isinstance(value, torch.nn.Module):
        return type(value).__name__
    if isinstance(value, str):
        return value if len(value) < 400 else value[:400] + " ..."
    if callable(value):
        return getattr(value, "__name__", "a function")
    return _nested(value, max(digits, 4))


def _place(value, start):
    place = []
    for size in reversed(value.shape):
        place.insert(0, start % size)
        start //= size
    return str(place)


def _nested(a, digits):
    if isinstance(a, (list, tuple)):
        text = ", ".join(_nested(item, digits) for item in a[:64])
        return f"({text})" if isinstance(a, tuple) else f"[{text}]"
    if isinstance(a, torch.Tensor):
        return show(a, digits)
    if isinstance(a, float) and math.isfinite(a):
        return f"{a + 0.0:.{digits}g}"  # no -0
    return repr(a)


def show_both(expected, got):
    """Both values, with as many digits as it takes to tell them apart."""
    start = 0
    tensors = isinstance(expected, torch.Tensor) and isinstance(got, torch.Tensor)
    if tensors and expected.shape == got.shape and expected.numel() > 24:
        wrong = ~torch.isclose(expected.double(), got.double(), 1e-5, 1e-6, equal_nan=True)
        start = int(wrong.flatten().int().argmax())
    for digits in (3, 6, 9, 17):
        texts = show(expected, digits, start), show(got, digits, start)
        if texts[0] != texts[1]:
            return texts
    marks = []
    for value, text in zip((expected, got), texts, strict=True):
        kind = f"{value.dtype}, {tuple(value.shape)}" if tensors else type(value).__name__
        marks.append(f"{text} ({kind})")
    return tuple(marks)
