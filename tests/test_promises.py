"""What DESIGN promises of everything: purity, dtype, device, compiling, copying, no warnings."""

import copy
import io
import pickle
import warnings

import pytest
import torch
from reference import assert_same

import attn_teach as at

X = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))
Y = torch.randn(2, 7, 8, generator=torch.Generator().manual_seed(1))
V = torch.randn(2, 7, 3, generator=torch.Generator().manual_seed(2))
LENGTHS = torch.tensor([4, 0])

MODULES = {
    "DotProductAttention": (lambda: at.DotProductAttention(), (X, Y, V, LENGTHS)),
    "DistanceAttention": (lambda: at.DistanceAttention(), (X, Y, V, LENGTHS)),
    "AdditiveAttention": (lambda: at.AdditiveAttention(8, 8, 6), (X, Y, V, LENGTHS)),
    "BilinearAttention": (lambda: at.BilinearAttention(8, 8), (X, Y, V, LENGTHS)),
    "MultiHeadAttention": (lambda: at.MultiHeadAttention(8, 8, 3, 12, 2), (X, Y, V, LENGTHS)),
    "fused": (
        lambda: at.MultiHeadAttention(8, 8, 3, 12, 2),
        (X, Y, V, LENGTHS, at.causal_mask(5, 7), False),
    ),
    "AttentionHead": (
        lambda: at.AttentionHead(8, 3),
        (X, Y, Y, None, at.padding_mask(LENGTHS, 7)[:, 0]),
    ),
    "PerHeadMultiHeadAttention": (lambda: at.PerHeadMultiHeadAttention(8, 2), (X, Y, Y)),
    "SelfAttention": (lambda: at.SelfAttention(8, 2, causal=True), (X, torch.tensor([5, 2]))),
    "EncoderBlock": (lambda: at.EncoderBlock(8, 2, 16), (X, torch.tensor([5, 2]))),
    "DecoderBlock": (lambda: at.DecoderBlock(8, 2, 16), (X, Y, torch.tensor([7, 2]))),
    "CausalBlock": (lambda: at.CausalBlock(8, 4, 16, 2), (X,)),
    "PositionalEncoding": (lambda: at.PositionalEncoding(8), (X,)),
    "LearnedPositionalEncoding": (lambda: at.LearnedPositionalEncoding(8), (X,)),
    "NWKernelRegression": (lambda: at.NWKernelRegression(), (X[0, :, 0], X[0], X[1])),
}
FUNCTIONS = {
    "kernel_regression": lambda x, y, v: at.kernel_regression(x[0], y[0], v[0], 2.0, "triangular"),
    "gaussian regression": lambda x, y, v: at.kernel_regression(x[0], y[0], v[0]),
    "leave_one_out": lambda x, y, v: at.leave_one_out(x[0, 0], y[0, 0]),
    "leave_one_out_error": lambda x, y, v: at.leave_one_out_error(y[0], v[0, :, 0], [1.0, 2.0]),
    "distance_scores": lambda x, y, v: at.distance_scores(x, y),
    "dot_product_scores": lambda x, y, v: at.dot_product_scores(x, y),
    "sequence_mask": lambda x, y, v: at.sequence_mask(x, LENGTHS.to(x.device)),
    "masked_softmax": lambda x, y, v: at.masked_softmax(x, LENGTHS.to(x.device)),
    "attend": lambda x, y, v: at.attend(at.dot_product_scores(x, y), v),
    "scaled_dot_product_attention": lambda x, y, v: at.scaled_dot_product_attention(x, y, v),
    "split_heads": lambda x, y, v: at.split_heads(x, 2),
    "merge_heads": lambda x, y, v: at.merge_heads(x),
    "apply_rotary": lambda x, y, v: at.apply_rotary(x),
}


def moved(arguments, *args, **kwargs):
    """Arguments on another device or, the floating-point ones, in another dtype."""
    return [
        a.to(*args, **kwargs)
        if isinstance(a, torch.Tensor) and (a.is_floating_point() or "device" in kwargs)
        else a
        for a in arguments
    ]


def first(result):
    return result[0] if isinstance(result, tuple) else result


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Guards may run slower on Python 3.13.0")
        yield


@pytest.mark.parametrize("name", MODULES)
def test_inputs_are_never_changed(name):
    make, arguments = MODULES[name]
    leaves = [
        a.clone().requires_grad_(a.is_floating_point()) if isinstance(a, torch.Tensor) else a
        for a in arguments
    ]
    output = make()(*leaves)
    output.sum().backward()
    for leaf, before in zip(leaves, arguments, strict=True):
        if isinstance(leaf, torch.Tensor):
            assert torch.equal(leaf, before)
            assert leaf.grad is None or leaf.grad.isfinite().all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_never_change_their_inputs(name):
    leaves = [t.clone().requires_grad_() for t in (X, Y, V)]
    FUNCTIONS[name](*leaves)
    for leaf, before in zip(leaves, (X, Y, V), strict=True):
        assert torch.equal(leaf, before)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("name", MODULES)
def test_modules_follow_the_dtype(name, dtype):
    make, arguments = MODULES[name]
    module = make()
    expected = module(*arguments)
    output = module.to(dtype)(*moved(arguments, dtype))
    assert output.dtype == dtype
    tolerance = {torch.float16: 1e-2, torch.bfloat16: 6e-2, torch.float64: 1e-5}[dtype]
    assert_same(output.float(), expected, tolerance)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_follow_the_dtype(name, dtype):
    output = first(FUNCTIONS[name](X.to(dtype), Y.to(dtype), V.to(dtype)))
    assert output.dtype == dtype
    assert_same(
        output.float(), first(FUNCTIONS[name](X, Y, V)), 1e-5 if dtype.itemsize > 4 else 0.1
    )


@pytest.mark.parametrize("name", MODULES)
def test_modules_hold_no_hidden_cpu_tensor(name):
    """On the "meta" device, any tensor left on the CPU raises an error."""
    make, arguments = MODULES[name]
    output = make().to("meta")(*moved(arguments, device="meta"))
    assert output.device.type == "meta"
    assert output.shape == make()(*arguments).shape


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_hold_no_hidden_cpu_tensor(name):
    if "error" in name or name == "leave_one_out":
        pytest.skip("picks by a boolean mask, which needs the numbers")
    output = first(FUNCTIONS[name](X.to("meta"), Y.to("meta"), V.to("meta")))
    assert output.device.type == "meta"


@pytest.mark.parametrize("name", MODULES)
def test_modules_compile_without_graph_breaks(name):
    make, arguments = MODULES[name]
    module = make()
    expected = module(*arguments)
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    assert_same(compiled(*arguments), expected)
    if name == "MultiHeadAttention":
        assert module.attention_weights.shape == (2, 2, 5, 7)


@pytest.mark.parametrize("name", MODULES)
def test_modules_can_be_saved_and_copied_after_use(name):
    make, arguments = MODULES[name]
    module = make()
    expected = module(*arguments)
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    other = make()
    other.load_state_dict(torch.load(file))
    assert_same(other(*arguments), expected)
    for copied in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert getattr(copied, "attention_weights", None) is None
        assert_same(copied(*arguments), expected)


@pytest.mark.parametrize("name", [n for n in MODULES if [*MODULES[n][0]().parameters()]])
def test_every_parameter_learns_from_the_first_step_on(name):
    make, arguments = MODULES[name]
    module = make()
    module(*arguments).square().sum().backward()
    for parameter, tensor in module.named_parameters():
        assert tensor.grad is not None and tensor.grad.any(), parameter


@pytest.mark.parametrize("name", ["DotProductAttention", "MultiHeadAttention", "AdditiveAttention"])
def test_modules_work_under_autocast(name):
    make, arguments = MODULES[name]
    module = make()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = module(*arguments)
    assert output.dtype == torch.bfloat16
    assert_same(output.float(), module(*arguments), 6e-2)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("name", MODULES)
def test_modules_follow_to_the_gpu(name):
    make, arguments = MODULES[name]
    module = make()
    expected = module(*arguments)
    output = module.cuda()(*moved(arguments, device="cuda"))
    assert output.is_cuda
    assert_same(output.cpu(), expected, 1e-4)


def test_attention_weights_are_those_of_the_last_call():
    attention = at.DotProductAttention()
    assert attention.attention_weights is None
    attention(X, Y, V)
    before = attention.attention_weights
    attention(X, Y, V, LENGTHS)
    assert not torch.equal(before, attention.attention_weights)
    assert (attention.attention_weights[1] == 0).all()


def test_every_public_name_says_what_it_does():
    for name in at.__all__:
        assert getattr(at, name).__doc__, name
