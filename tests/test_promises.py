"""What DESIGN promises of everything: purity, gradients, dtype, device, compiling, copying."""

import copy
import io
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from attentions import EVERYTHING, FUNCTIONS, LENGTHS, MASK, ROWS, V, X, Y, floats, given, make
from attentions import that_take as rows_with
from reference import assert_same
from torch.autograd import forward_ad

import attn_teach as at

ALL = pytest.mark.parametrize("name", EVERYTHING)
MODULES = pytest.mark.parametrize("name", ROWS)
PARTS = ("SelfAttention", "MultiHeadAttention", "grouped", "AttentionHead")  # of other rows


def first(result):
    return result[0] if isinstance(result, tuple) else result


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Guards may run slower on Python 3.13.0")
        yield


@ALL
def test_inputs_are_never_changed(name):
    leaves = given(name)
    for key in floats(leaves):
        leaves[key].requires_grad_()
    output = first(make(name)(**leaves))
    if output.grad_fn:
        output.sum().backward()
    for key, before in given(name).items():
        if torch.is_tensor(before):
            assert torch.equal(leaves[key], before)
            assert leaves[key].grad is None or leaves[key].grad.isfinite().all()


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("masked", [{"valid_lens": LENGTHS}, {"mask": MASK | True}, {}])
def test_a_subclass_keeps_the_scores_that_it_returns(masked, learned):
    """A learned table of scores, as of a synthesizer, which the next call needs again."""
    table = torch.randn(2, 5, 7)

    class Table(at.DotProductAttention):
        R = table.clone().requires_grad_(learned)

        def score(self, queries, keys):
            return self.R

    module = Table()
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            output = module(X, Y, V, **masked)
        assert torch.equal(module.R, table)
        mask = masked.get("mask", at.padding_mask(masked.get("valid_lens"), 7))
        assert_same(output, at.attend(table, V, mask)[0])


@MODULES
def test_gradients_of_first_and_second_order_are_those_of_differences(name):
    module, held = make(name).double(), given(name, torch.float64)
    parameters, leaves = dict(module.named_parameters()), floats(held)

    def call(*tensors):
        own = dict(zip(parameters, tensors[len(leaves) :], strict=False))
        arguments = held | dict(zip(leaves, tensors, strict=False))
        return torch.func.functional_call(module, own, (), arguments)

    tensors = [held[key] for key in leaves] + [p.detach().clone() for p in parameters.values()]
    for tensor in tensors:
        tensor.requires_grad_()
    assert torch.autograd.gradcheck(call, tensors, fast_mode=True)
    if "fused" not in name:  # PyTorch's kernel for the CPU has no second derivative
        assert torch.autograd.gradgradcheck(call, tensors[: len(leaves)], fast_mode=True)


@MODULES
def test_vmap_over_models_and_inputs_and_gradients_forward_and_back(name):
    """Each gives what a loop gives, with and without masks and lengths."""
    warnings.simplefilter("ignore")  # PyTorch has some on its own parts
    models = [make(name).double() for _ in range(3)]
    for number in (number for model in models for number in model.parameters()):
        torch.nn.init.normal_(number, std=0.5)
    weights = torch.func.stack_module_state(models)[0]
    weights = {key: weight.detach() for key, weight in weights.items()}

    def call(numbers, others):
        inputs = {key: a for key, a in numbers.items() if key not in weights}
        state = {key: a for key, a in numbers.items() if key in weights}
        return torch.func.functional_call(models[0], state, (), held | inputs | others)

    def loss(*args):
        return call(*args).square().sum()

    def plain(numbers, others):
        leaves = {key: a.clone().requires_grad_() for key, a in numbers.items()}
        output = call(leaves, others)
        return output.detach(), torch.autograd.grad(output.square().sum(), [*leaves.values()])

    for without in ((), ("mask",), ("valid_lens",), ("mask", "valid_lens")):
        held = given(name, torch.float64)
        if not {*without} <= {*held}:
            continue
        held |= dict.fromkeys(without)
        inputs = {key: held[key] for key in floats(held)}
        others = {k: a for k, a in held.items() if torch.is_tensor(a) and k not in inputs}
        numbers = {key: weight[0] for key, weight in weights.items()} | inputs
        three = {k: torch.stack([a, a.flip(0), a.flip(-1)]) for k, a in (inputs | others).items()}
        for over in (weights, inputs, others, numbers | others):
            given_3 = [{k: (weights | three)[k] if k in over else a for k, a in part.items()}
                       for part in (numbers, others)]  # fmt: skip
            dims = tuple({key: 0 if key in over else None for key in part} for part in given_3)
            rows = [
                plain(*({k: a[i] if k in over else a for k, a in part.items()} for part in given_3))
                for i in range(3)
            ]
            expected = [torch.stack(each) for each in zip(*(row[1] for row in rows), strict=True)]
            if over:
                mapped = torch.func.vmap(torch.func.grad(loss), dims)(*given_3)
                assert_same([*mapped.values()], expected, 1e-9)
                output = torch.func.vmap(call, dims)(*given_3)
                assert_same(output, torch.stack([row[0] for row in rows]), 1e-9)
        if "fused" not in name:  # PyTorch's kernel knows no forward differences
            slopes = plain(numbers, others)[1]
            expected = sum((slope * slope.sign()).sum() for slope in slopes)
            ahead = dict(zip(numbers, [slope.sign() for slope in slopes], strict=True))
            got = torch.func.jvp(lambda part, o=others: loss(part, o), (numbers,), (ahead,))[1]
            with forward_ad.dual_level():
                dual = {key: forward_ad.make_dual(a, ahead[key]) for key, a in numbers.items()}
                again = forward_ad.unpack_dual(loss(dual, others)).tangent
            assert_same([got, again], [expected, expected], 1e-9)


KEEP = [n for n in ROWS if hasattr(make(n), "attention_weights") and "fused" not in n]


@pytest.mark.parametrize("name", KEEP)
def test_what_a_module_keeps_is_numbers_or_none(name):
    """Not a tensor that ended with the transformation that made it."""
    module, held = make(name), given(name)
    x = floats(held)[0]
    fixed = {key: a for key, a in held.items() if key != x}
    assert module.attention_weights is None
    module(**held)
    kept = module.attention_weights.detach().numpy()
    torch.func.vmap(lambda a: module(**{x: a}, **fixed))(torch.stack([held[x]] * 2))
    assert module.attention_weights is None
    torch.func.grad(lambda a: module(**{x: a}, **fixed).sum())(held[x])
    assert module.attention_weights is None
    module(**held)
    if name in ("DotProductAttention", "causal", "PerHeadMultiHeadAttention"):
        warnings.simplefilter("ignore")  # of an older PyTorch, on what is kept
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


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@ALL
def test_the_dtype_is_the_input_s(name, dtype):
    module, expected = make(name), first(make(name)(**given(name)))
    output = first((module if name in FUNCTIONS else module.to(dtype))(**given(name, dtype)))
    assert output.dtype == dtype
    tolerance = {torch.float16: 1e-2, torch.bfloat16: 6e-2, torch.float64: 1e-5}[dtype]
    if name == "CausalBlock, its parts":  # norms behind the parts make rounding as large as they
        tolerance *= 2
    assert_same(output.float(), expected, tolerance)


@pytest.mark.parametrize("name", [n for n in EVERYTHING if not n.startswith("leave_one_out")])
def test_no_hidden_tensor_is_on_the_cpu(name):
    """On the "meta" device, any of them raises an error. (leave_one_out needs the numbers.)"""
    module, expected = make(name), first(make(name)(**given(name)))
    called = module if name in FUNCTIONS else module.to("meta")
    output = first(called(**given(name, device="meta")))
    assert output.device.type == "meta" and output.shape == expected.shape


@pytest.mark.parametrize("name", [n for n in ROWS if n.partition(",")[0] not in PARTS])
def test_modules_compile_without_graph_breaks(name):
    module = make(name)
    expected = module(**given(name))
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    assert_same(compiled(**given(name)), expected)
    if name == "causal":
        assert module.attention_weights.shape == (2, 2, 5, 5)


@MODULES
def test_modules_can_be_saved_and_copied_after_use(name):
    module = make(name)
    expected = module(**given(name))
    torch.save(module.state_dict(), file := io.BytesIO())
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


@pytest.mark.parametrize("name", rows_with("dropout"))
def test_dropout_has_the_given_probability_and_acts_in_training_only(name):
    module, plain = make(name, dropout=0.3), make(name)
    found = [part.p for part in module.modules() if isinstance(part, torch.nn.Dropout)]
    assert found and set(found) == {0.3}
    assert {p.p for p in plain.modules() if isinstance(p, torch.nn.Dropout)} == {0}
    expected = plain(**given(name))
    assert (module(**given(name)) - expected).abs().max() > 1e-3
    assert_same(module.eval()(**given(name)), expected)


@pytest.mark.parametrize("name", rows_with("queries", "mask"))
def test_modules_work_under_autocast(name):
    module = make(name)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = module(**given(name))
    assert output.dtype == torch.bfloat16
    assert_same(output.float(), module(**given(name)), 6e-2)


def test_every_public_name_says_what_it_does():
    for name in at.__all__:
        assert getattr(at, name).__doc__, name


@pytest.mark.parametrize("name", rows_with("mask"))
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
