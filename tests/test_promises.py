"""What DESIGN promises of everything: purity, dtype, device, compiling, copying, no warnings."""

import copy
import io
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from attentions import LENGTHS, MASK, ROWS, V, X, Y, given, make, that_take
from reference import assert_same

import attn_teach as at

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


def moved(name, *args, **kwargs):
    """Arguments on another device or, the floating-point ones, in another dtype."""
    return {
        key: a.to(*args, **kwargs)
        if torch.is_tensor(a) and (a.is_floating_point() or "device" in kwargs)
        else a
        for key, a in given(name).items()
    }


def first(result):
    return result[0] if isinstance(result, tuple) else result


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Guards may run slower on Python 3.13.0")
        yield


ALL = pytest.mark.parametrize("name", ROWS)


@ALL
def test_inputs_are_never_changed(name):
    leaves = given(name)
    for leaf in leaves.values():
        if torch.is_tensor(leaf) and leaf.is_floating_point():
            leaf.requires_grad_()
    make(name)(**leaves).sum().backward()
    for key, before in given(name).items():
        if torch.is_tensor(before):
            assert torch.equal(leaves[key], before)
            assert leaves[key].grad is None or leaves[key].grad.isfinite().all()


@pytest.mark.parametrize("expanded", [False, True])
@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("masked", [{"valid_lens": LENGTHS}, {"mask": MASK | True}, {}])
def test_a_subclass_keeps_the_scores_that_it_returns(masked, learned, expanded):
    """A learned table of scores, as of a synthesizer, which the next call needs again."""
    table = torch.randn(1, 1, 7) if expanded else torch.randn(2, 5, 7)

    class Table(at.DotProductAttention):
        R = table.clone().requires_grad_(learned)

        def score(self, queries, keys):
            return self.R.expand(2, 5, 7)

    module = Table()
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            output = module(X, Y, V, **masked)
        assert torch.equal(module.R, table)
        assert_same(output, at.attend(table.expand(2, 5, 7), V, masked.get(
            "mask", at.padding_mask(masked.get("valid_lens"), 7)))[0])  # fmt: skip


def of_float64(name):
    """A function of this row's numbers and parameters, in float64, and these."""
    module, held = make(name).double(), moved(name, torch.float64)
    leaves = [k for k, a in held.items() if torch.is_tensor(a) and a.is_floating_point()]
    parameters = dict(module.named_parameters())

    def call(*tensors):
        own = dict(zip(parameters, tensors[len(leaves) :], strict=True))
        given_ = held | dict(zip(leaves, tensors, strict=False))
        return torch.func.functional_call(module, own, (), given_)

    return call, [a.detach().clone().requires_grad_() for a in
                  (*(held[k] for k in leaves), *parameters.values())]  # fmt: skip


@ALL
def test_gradients_of_first_and_second_order_are_those_of_differences(name):
    call, tensors = of_float64(name)
    assert torch.autograd.gradcheck(call, tensors, fast_mode=True)
    if "fused" not in name:  # PyTorch's kernel for the CPU has no second derivative
        assert torch.autograd.gradgradcheck(call, tensors, fast_mode=True)


KEEP = [n for n in ROWS if hasattr(make(n), "attention_weights") and "fused" not in n]


@pytest.mark.parametrize("name", KEEP)
def test_what_a_module_keeps_is_numbers_or_none(name):
    """Not a tensor that ended with the transformation that made it."""
    module, held = make(name), given(name)
    first = next(k for k, a in held.items() if torch.is_tensor(a) and a.is_floating_point())
    fixed = {k: a for k, a in held.items() if k != first}
    module(**held)
    kept = module.attention_weights.detach().numpy()
    torch.func.vmap(lambda x: module(**{first: x}, **fixed))(torch.stack([held[first]] * 2))
    assert module.attention_weights is None
    torch.func.grad(lambda x: module(**{first: x}, **fixed).sum())(held[first])
    assert module.attention_weights is None
    module(**held)
    for strict in (False, True):
        torch.export.export(module, (), held, strict=strict)
        assert (module.attention_weights.detach().numpy() == kept).all()


def test_heads_in_threads_of_other_lengths():
    module = make("PerHeadMultiHeadAttention")
    inputs = [torch.randn(1, n, 8) for n in range(1, 33)]
    expected = [module(x, x, x) for x in inputs]
    with ThreadPoolExecutor(8) as pool:
        for got, wanted in zip(pool.map(lambda x: module(x, x, x), inputs), expected, strict=True):
            assert_same(got, wanted)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_never_change_their_inputs(name):
    leaves = [t.clone().requires_grad_() for t in (X, Y, V)]
    FUNCTIONS[name](*leaves)
    for leaf, before in zip(leaves, (X, Y, V), strict=True):
        assert torch.equal(leaf, before)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@ALL
def test_modules_follow_the_dtype(name, dtype):
    module = make(name)
    expected = module(**given(name))
    output = module.to(dtype)(**moved(name, dtype))
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


@ALL
def test_modules_hold_no_hidden_cpu_tensor(name):
    """On the "meta" device, any tensor left on the CPU raises an error."""
    output = make(name).to("meta")(**moved(name, device="meta"))
    assert output.device.type == "meta"
    assert output.shape == make(name)(**given(name)).shape


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_hold_no_hidden_cpu_tensor(name):
    if "error" in name or name == "leave_one_out":
        pytest.skip("picks by a boolean mask, which needs the numbers")
    output = first(FUNCTIONS[name](X.to("meta"), Y.to("meta"), V.to("meta")))
    assert output.device.type == "meta"


@ALL
def test_modules_compile_without_graph_breaks(name):
    module = make(name)
    expected = module(**given(name))
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    assert_same(compiled(**given(name)), expected)
    if name == "MultiHeadAttention":
        assert module.attention_weights.shape == (2, 2, 5, 7)


@pytest.mark.parametrize("name", that_take("mask"))
def test_a_traced_module_knows_other_masks(name):
    """Which rows are empty is not settled by the mask that it was traced with."""
    module, arguments = make(name).requires_grad_(False), given(name)
    names = [key for key in arguments if torch.is_tensor(arguments[key])]
    rest = {key: value for key, value in arguments.items() if key not in names}

    def call(*tensors):
        return module(**dict(zip(names, tensors, strict=True)), **rest)

    full = [torch.ones_like(arguments[n]) if "mask" in n else arguments[n] for n in names]
    warnings.simplefilter("ignore")  # PyTorch itself would rather be compiled
    traced = torch.jit.trace(call, full, check_trace=False)
    assert_same(traced(*(arguments[n] for n in names)), call(*(arguments[n] for n in names)))


@ALL
def test_modules_can_be_saved_and_copied_after_use(name):
    module = make(name)
    expected = module(**given(name))
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    other = make(name)
    other.load_state_dict(torch.load(file))
    assert_same(other(**given(name)), expected)
    for copied in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert getattr(copied, "attention_weights", None) is None
        assert_same(copied(**given(name)), expected)


@pytest.mark.parametrize("name", [n for n in ROWS if [*make(n).parameters()]])
def test_every_parameter_learns_from_the_first_step_on(name):
    module = make(name)
    weights = torch.linspace(-1, 2, 8)  # a plain sum of what LayerNorm returns has no gradient
    output = module(**given(name))
    (output * weights.repeat(2)[: output.shape[-1]]).square().sum().backward()
    for parameter, tensor in module.named_parameters():
        assert tensor.grad is not None and tensor.grad.any(), parameter


@pytest.mark.parametrize("name", that_take("queries", "mask"))
def test_modules_work_under_autocast(name):
    module = make(name)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = module(**given(name))
    assert output.dtype == torch.bfloat16
    assert_same(output.float(), module(**given(name)), 6e-2)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@ALL
def test_modules_follow_to_the_gpu(name):
    module = make(name)
    expected = module(**given(name))
    output = module.cuda()(**moved(name, device="cuda"))
    assert output.is_cuda
    assert_same(output.cpu(), expected, 1e-4)


def test_attention_weights_are_those_of_the_last_call():
    attention = at.DotProductAttention()
    assert attention.attention_weights is None
    attention(X, Y, V)
    before = attention.attention_weights
    attention(X, Y, V, torch.tensor([4, 0]))
    assert not torch.equal(before, attention.attention_weights)
    assert (attention.attention_weights[1] == 0).all()


def test_every_public_name_says_what_it_does():
    for name in at.__all__:
        assert getattr(at, name).__doc__, name
