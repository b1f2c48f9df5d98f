"""Kernels and kernel regression, against statsmodels and scikit-learn."""

import numpy as np
import pytest
import torch
from reference import assert_same, gradients
from sklearn.neighbors import KNeighborsRegressor
from statsmodels.nonparametric.kernel_regression import KernelReg

import attn_teach as at
from attn_lesson.lesson01 import motorcycle

NAMES = ["gaussian", "boxcar", "triangular", "epanechnikov"]
HEIGHTS = {  # at u = 0, 0.5, 1 and 2, worked out by hand
    "gaussian": [1.0, 0.8824969, 0.6065307, 0.1353353],
    "boxcar": [1.0, 1.0, 1.0, 0.0],
    "triangular": [1.0, 0.5, 0.0, 0.0],
    "epanechnikov": [1.0, 0.75, 0.0, 0.0],
}


@pytest.fixture
def points():
    generator = torch.Generator().manual_seed(0)
    queries, keys, values = (torch.rand(n, generator=generator) * 5 for n in (7, 11, 11))
    return queries.double(), keys.double(), values.double()


@pytest.mark.parametrize("name", NAMES)
def test_heights(name):
    u = torch.tensor([0, 0.5, 1, 2])
    for same in (u, -u):
        assert_same(getattr(at, name)(same), torch.tensor(HEIGHTS[name]))
    assert getattr(at, name)(torch.tensor(torch.nan)).isnan()


@pytest.mark.parametrize("bandwidth", [0.3, 0.9138, 4.0])
def test_gaussian_regression_is_that_of_statsmodels(bandwidth):
    x, y = motorcycle()
    grid = torch.linspace(0, 60, 41, dtype=torch.float64)
    theirs = KernelReg(
        y.numpy(), x.numpy(), "c", reg_type="lc", bw=[bandwidth], rng=np.random.default_rng(0)
    ).fit(grid.numpy())[0]
    assert_same(at.kernel_regression(grid, x, y, bandwidth)[0], torch.tensor(theirs), 1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("features", [None, 3])
def test_every_kernel_is_that_of_scikit_learn(name, features, points):
    torch.manual_seed(1)
    queries, keys, values = points
    if features:
        queries, keys = torch.rand(7, features).double(), torch.rand(11, features).double()
        values = torch.rand(11, 2).double()
    kernel = {
        "gaussian": lambda u: np.exp(-(u**2) / 2),
        "boxcar": lambda u: 1.0 * (u <= 1),
        "triangular": lambda u: np.clip(1 - u, 0, None),
        "epanechnikov": lambda u: np.clip(1 - u**2, 0, None),
    }[name]
    h = 1.3
    model = KNeighborsRegressor(11, weights=lambda d: kernel(d / h), algorithm="brute")
    as_rows = (lambda a: a) if features else (lambda a: a[:, None])
    theirs = model.fit(as_rows(keys).numpy(), values.numpy()).predict(as_rows(queries).numpy())
    ours, weights = at.kernel_regression(queries, keys, values, h, name)
    assert_same(ours, torch.tensor(theirs), 1e-9)
    assert_same(weights @ values, ours, 1e-12)
    assert_same(weights.sum(1), torch.ones(7).double(), 1e-12)
    assert_same(at.kernel_regression(queries, keys, values, h, getattr(at, name))[0], ours)
    lone = torch.zeros(1).double()  # a key that is barely in reach
    assert at.kernel_regression(lone + 0.9, lone, lone, 1, name)[1].item() == 1


def test_a_callable_kernel_and_one_column_of_features(points):
    queries, keys, values = points
    _, weights = at.kernel_regression(queries, keys, values, 0.7, lambda u: 1 / (1 + u**2))
    heights = 1 / (1 + ((queries[:, None] - keys) / 0.7) ** 2)
    assert_same(weights, heights / heights.sum(1, keepdim=True), 1e-12)
    columns = at.kernel_regression(queries[:, None], keys[:, None], values[:, None], 0.7)
    assert_same(columns[0][:, 0], at.kernel_regression(queries, keys, values, 0.7)[0], 1e-12)
    assert columns[0].shape == (7, 1)


@pytest.mark.parametrize("kernel", [*NAMES, at.gaussian])
def test_a_query_out_of_reach(kernel):
    output, weights = at.kernel_regression(
        torch.tensor([0.5, 1000.0]), torch.tensor([0.0, 1.0]), torch.tensor([2.0, 4.0]), 1.0, kernel
    )
    if kernel in ("gaussian", at.gaussian):  # reach everywhere: the nearest key takes all
        assert weights[1].tolist() == [0, 1] and output[1] == 4
    else:
        assert weights[1].tolist() == [0, 0] and output[1] == 0
    assert output[0] == 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("features", [None, 2])
def test_gradients_are_finite_and_right(name, features):
    torch.manual_seed(2)
    shape = () if features is None else (features,)
    queries, keys = torch.rand(3, *shape).double(), torch.rand(4, *shape).double()
    keys[0] = queries[0]  # at distance 0 the square root has no slope
    queries.requires_grad_()
    values = torch.rand(4).double().requires_grad_()
    output, _ = at.kernel_regression(queries, keys, values, 0.9, name)
    moving = (values,) if name == "boxcar" else (queries, values)  # a boxcar is flat
    for gradient in gradients(output, *moving):
        assert gradient.isfinite().all()
    if name == "gaussian":
        torch.autograd.gradcheck(
            lambda q, v: at.kernel_regression(q, keys, v, 0.9, name)[0], (queries, values)
        )


def test_leave_one_out():
    keys, values = at.leave_one_out(torch.tensor([1.0, 2, 3]), torch.tensor([10.0, 20, 30]))
    assert keys.tolist() == [[2, 3], [1, 3], [1, 2]]
    assert values.tolist() == [[20, 30], [10, 30], [10, 20]]


@pytest.mark.parametrize("name", NAMES)
def test_leave_one_out_error_by_hand(name, points):
    _, x, y = points
    errors = []
    for i in range(len(x)):
        rest = torch.arange(len(x)) != i
        prediction, _ = at.kernel_regression(x[i : i + 1], x[rest], y[rest], 0.8, name)
        errors.append((prediction[0] - y[i]) ** 2)
    ours = at.leave_one_out_error(x, y, [0.8, 1e9], name)
    assert_same(ours[0], torch.stack(errors).mean(), 1e-12)
    assert ours.shape == (2,) and ours.dtype == torch.float64
    columns = at.leave_one_out_error(x[:, None], y, torch.tensor([0.8]).double(), name)
    assert_same(columns, ours[:1], 1e-6)  # 0.8 went through float32


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_point_that_no_other_reaches_is_predicted_as_zero(name):
    x, y = torch.tensor([0.0, 0.0, 9.0]), torch.tensor([2.0, 2.0, 3.0])
    assert at.leave_one_out_error(x, y, [1.0], name).item() == 3.0 == (0 + 0 + 3**2) / 3


def test_parametric_regression():
    torch.manual_seed(3)
    model = at.NWKernelRegression()
    queries, keys, values = torch.rand(5), torch.rand(5, 4), torch.rand(5, 4)
    ours = model(queries, keys, values)
    # The book's formula, lesson "Attention Pooling".
    scores = -(((queries.repeat_interleave(4).reshape(5, 4) - keys) * model.w) ** 2) / 2
    weights = torch.nn.functional.softmax(scores, dim=1)
    theirs = torch.bmm(weights.unsqueeze(1), values.unsqueeze(-1)).reshape(-1)
    assert_same(ours, theirs)
    assert_same(model.attention_weights, weights)
    assert_same(gradients(ours, model.w), gradients(theirs, model.w))
    # 1 / w is the bandwidth of kernel_regression.
    same_keys = keys[:1].expand(5, -1), values[:1].expand(5, -1)
    ours = at.kernel_regression(queries, keys[0], values[0], 1 / model.w)[0]
    assert_same(model(queries, *same_keys), ours)
