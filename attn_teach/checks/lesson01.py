"""Exercises and questions of lesson 01, kernel regression."""

import math
import numbers

import torch

from ..attention import attend
from ..kernels import boxcar, epanechnikov, gaussian, kernel_regression, triangular
from .engine import Exercise, Mistake, Question


def _random(shape, seed, scale=1.0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * scale


# Exercise 1.2: the four kernels


def _scaled_distances():
    return [
        (torch.tensor([-2.0, -1.0, -0.5, 0.0, 0.5, 1.5]),),
        (torch.tensor([[1.0, -1.0, 0.25, 3.0], [0.0, -0.75, 40.0, -1.25]]),),
        (_random((3, 5, 2), seed=1),),
        (_random((2, 1, 7), seed=2, scale=2.0),),
    ]


def _kernel(solution, own_mistakes, hints, gradients=True):
    """An exercise to write one kernel; the mistakes that fit any kernel are added."""
    mistakes = [
        Mistake(
            lambda u: 1 - solution(u),
            "Your kernel is upside down: it gives 0 at u = 0, where query and key are at the same "
            "place. Near keys must count most.",
        ),
        Mistake(
            lambda u: solution(u) * (u >= 0),
            "Right for u from 0 on, but every negative u gets 0. u is negative when the key lies "
            "to the right of the query: both sides count alike.",
        ),
        Mistake(
            lambda u: solution(2 * u),
            "Your kernel is half as wide as it should be: a key half a bandwidth away gets what "
            "belongs to a key one bandwidth away.",
        ),
        Mistake(
            lambda u: solution(u / 2),
            "Your kernel is twice as wide as it should be: a key two bandwidths away gets what "
            "belongs to a key one bandwidth away.",
        ),
        Mistake(
            lambda u: solution(u) / solution(u).sum(),
            "You divided by the sum. That is the step after the kernel: the kernel looks at each u "
            "on its own and is 1 at u = 0.",
        ),
    ]
    return Exercise(
        name=f"my_{solution.__name__}",
        solution=solution,
        cases=_scaled_distances,
        mistakes=[*own_mistakes, *mistakes],
        hints=hints,
        gradients=gradients,
    )


KERNEL_EXERCISES = [
    _kernel(
        gaussian,
        [
            Mistake(
                lambda u: torch.exp(-(u**2)),
                "At u = 1 your kernel gives 0.37 instead of 0.61: the exponent is minus u squared, "
                "and the division by 2 is missing.",
            ),
            Mistake(
                lambda u: torch.exp(u**2 / 2),
                "Your kernel grows with distance: 7.39 at u = -2. The minus sign is missing, or it "
                "is squared away, as in (-u)**2.",
            ),
            Mistake(
                lambda u: torch.exp(-u / 2),
                "At u = -2 your kernel gives 2.72, more than at distance 0: u is not squared, so "
                "negative distances count as better than none.",
            ),
            Mistake(
                lambda u: torch.exp(-u.abs() / 2),
                "Both sides are alike, but at u = 2 your kernel gives 0.37 instead of 0.14, and it "
                "has a sharp peak: the distance is not squared.",
            ),
            Mistake(
                lambda u: torch.exp(-(u**2) / 2) / math.sqrt(2 * math.pi),
                "At u = 0 your kernel gives 0.40: that is the density of the normal distribution. "
                "Here a kernel is 1 at u = 0; a factor in front would cancel in the weights.",
            ),
            Mistake(
                lambda u: -(u**2) / 2,
                "That is the score. A kernel is what a score becomes through the exponential; "
                "yours is 0 at u = 0 and negative elsewhere.",
            ),
            Mistake(
                lambda u: torch.exp(-((u / 2) ** 2)),
                "At u = 2 your kernel gives 0.37 instead of 0.14: you halve before you square, "
                "which divides by 4.",
            ),
            Mistake(
                lambda u: torch.exp(-(u**2) / 2) * (u.abs() <= 1),
                "Right up to one bandwidth, and 0 beyond. The Gaussian has no edge: at u = 2 it is "
                "still 0.14, so every key has a say.",
            ),
        ],
        [
            "Test it at three places: a kernel is 1 at u = 0, and the Gaussian is 0.61 at both "
            "u = 1 and u = -1.",
            "Square first, halve, then the minus sign, then the exponential.",
            "torch.exp takes the whole tensor. Its argument is 0 at u = 0, -0.5 at u = 1 and at "
            "u = -1, and -2 at u = 2. In Python -u**2 means -(u**2).",
        ],
    ),
    _kernel(
        boxcar,
        [
            Mistake(
                lambda u: (u <= 1).to(u.dtype),
                "At u = -2 your boxcar gives 1: a key two bandwidths away counts in full when it "
                "lies to the right of the query. What counts is the size of u, not its sign.",
            ),
            Mistake(
                lambda u: (u >= -1).to(u.dtype),
                "At u = 1.5 your boxcar gives 1: the reach ends on one side only. What counts is "
                "the size of u, not its sign.",
            ),
            Mistake(
                lambda u: (u.abs() < 1).to(u.dtype),
                "At u = -1 your boxcar gives 0. A key exactly one bandwidth away is still in "
                "reach: the edge belongs to the box.",
            ),
            Mistake(
                lambda u: 0.5 * (u.abs() <= 1).to(u.dtype),
                "In reach your boxcar gives 0.5: that is the uniform density between -1 and 1. "
                "Here a kernel is 1 at u = 0; a factor in front would cancel in the weights.",
            ),
            Mistake(
                lambda u: u * (u.abs() <= 1),
                "In reach you give back u itself, so the nearest key gets 0. All keys in reach "
                "count the same: 1.",
            ),
            Mistake(
                lambda u: u.abs().clamp(max=1),
                "You limited the distance to 1. The boxcar is a yes or no, as a number: is the "
                "distance at most 1?",
            ),
        ],
        [
            "Ask of each u: is its distance from 0 at most 1? Yes is 1, no is 0.",
            "A comparison of a tensor with a number answers for all elements at once, with True "
            "and False. Weights must be numbers, and of u's own dtype.",
            "Compare u.abs() with 1, mind that exactly 1 is in reach, and turn the booleans into "
            "numbers with .to(...).",
        ],
        gradients=False,
    ),
    _kernel(
        triangular,
        [
            Mistake(
                epanechnikov,
                "At u = 0.5 your kernel gives 0.75 instead of 0.50: that is the parabola of "
                "Epanechnikov. The triangle fades in a straight line, without a square.",
            ),
            Mistake(
                lambda u: (1 - u).clamp(min=0),
                "At u = -2 your kernel gives 3, more than at distance 0: a negative u makes the "
                "difference larger. Use the size of u.",
            ),
            Mistake(
                lambda u: (1 - u).clamp(0, 1),
                "At u = -2 your kernel gives 1: every key to the right of the query counts in "
                "full, however far. Use the size of u.",
            ),
            Mistake(
                lambda u: 1 - u.abs(),
                "At u = -2 your kernel gives -1: beyond one bandwidth the line must stop at 0, or "
                "far keys get negative weights.",
            ),
            Mistake(
                lambda u: (1 - u.abs()).abs(),
                "At u = -2 your kernel gives 1: beyond one bandwidth it rises again, because abs "
                "turns negative numbers round. They must become 0.",
            ),
            Mistake(
                lambda u: (1 - u.abs()).clamp(max=0),
                "Your kernel is 0 in reach and negative outside: clamp keeps the wrong part. max "
                "is the ceiling, min is the floor.",
            ),
        ],
        [
            "The triangle is 1 at u = 0, one half at u = 0.5 and at u = -0.5, and 0 from 1 on.",
            "Two steps: the straight line down from 1, as a function of the size of u; then cut "
            "off what lies below 0.",
            "u.abs() is the size. A tensor's clamp has a floor, min, and a ceiling, max.",
        ],
    ),
    _kernel(
        epanechnikov,
        [
            Mistake(
                triangular,
                "At u = 0.5 your kernel gives 0.50 instead of 0.75: that is the triangle, the "
                "mix-up of section 6. Epanechnikov's kernel is a parabola.",
            ),
            Mistake(
                lambda u: 0.75 * (1 - u**2).clamp(min=0),
                "At u = 0 your kernel gives 0.75: that is Epanechnikov's density, of area 1. Here "
                "a kernel is 1 at u = 0; a factor in front would cancel in the weights.",
            ),
            Mistake(
                lambda u: 1 - u**2,
                "At u = -2 your kernel gives -3: beyond one bandwidth the parabola must stop at 0, "
                "or far keys get negative weights.",
            ),
            Mistake(
                lambda u: (1 - u**2).abs(),
                "At u = -2 your kernel gives 3: beyond one bandwidth it rises again, because abs "
                "turns negative numbers round. They must become 0.",
            ),
            Mistake(
                lambda u: (1 - u.abs()).clamp(min=0) ** 2,
                "At u = 0.5 your kernel gives 0.25 instead of 0.75: you squared the whole "
                "triangle. Only u is squared.",
            ),
            Mistake(
                lambda u: (1 - u**2).clamp(min=0) ** 2,
                "At u = 0.5 your kernel gives 0.56 instead of 0.75: the parabola is squared once "
                "more, which makes the biweight kernel.",
            ),
            Mistake(
                lambda u: (1 - u**2).clamp(max=0),
                "Your kernel is 0 in reach and negative outside: clamp keeps the wrong part. max "
                "is the ceiling, min is the floor.",
            ),
        ],
        [
            "The parabola is 1 at u = 0, 0.75 at u = 0.5 and at u = -0.5, and 0 from 1 on.",
            "Two steps: a parabola that opens downward from 1; then cut off what lies below 0.",
            "A square has no sign, so abs is not needed. A tensor's clamp has a floor, min, and a "
            "ceiling, max.",
        ],
    ),
]


# Exercise 1.3: kernel regression with vectors


def _places():
    cases = [
        (
            torch.tensor([[1.0, 2.0]]),
            torch.tensor([[1.0, 2.0], [2.0, 3.0], [4.0, 6.0]]),
            torch.tensor([[10.0], [20.0], [40.0]]),
            2.0,
        ),
        (  # the second query is far from every key
            torch.tensor([[0.5, 0.0], [30.0, 0.0]]),
            torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.5]]),
            torch.tensor([[10.0, -1.0], [20.0, -2.0], [40.0, -4.0]]),
            0.5,
        ),
    ]
    for seed, (n, m, d, v, bandwidth) in enumerate(
        [(2, 1, 4, 3, 0.7), (3, 5, 1, 4, 2.5), (4, 6, 3, 2, 0.8)]
    ):
        places = [_random(shape, 10 * seed + i) for i, shape in enumerate([(n, d), (m, d), (m, v)])]
        cases.append((*places, bandwidth))
    return cases


def _regression(scores, axis=1):
    """A wrong version, from scores(differences (n, m, d), bandwidth) -> (n, m)."""

    def wrong(queries, keys, values, bandwidth):
        differences = queries.unsqueeze(1) - keys
        return torch.softmax(scores(differences, bandwidth), dim=axis) @ values

    return wrong


def _nearness(queries, keys, bandwidth):
    return torch.exp(-(queries.unsqueeze(1) - keys).square().sum(-1) / (2 * bandwidth**2))


def _divided_by_hand(queries, keys, values, bandwidth):
    nearness = _nearness(queries, keys, bandwidth)
    return (nearness / nearness.sum(1, keepdim=True)) @ values


def _one_kernel_per_feature(queries, keys, values, bandwidth):
    differences = (queries.unsqueeze(1) - keys) / bandwidth
    weights = torch.softmax(-(differences**2) / 2, dim=1).mean(-1)
    return weights @ values


def _above_all_values(case, got, expected):
    return (
        f"An output of {got.max().item():.1f}, where the largest value is "
        f"{case[2].max().item():.1f}: a weighted mean cannot leave the range of its values. Your "
        f"softmax runs over the queries; the weights of each query, over the keys, must sum to 1."
    )


VECTOR_EXERCISE = Exercise(
    name="my_kernel_regression",
    solution=lambda *case: kernel_regression(*case)[0],
    cases=_places,
    mistakes=[
        Mistake(
            _divided_by_hand,
            "Right near the keys, nan far from them: there every exponential is too small for a "
            "float, so you divide 0 by 0. Softmax subtracts the largest score first.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.square().sum(-1) / (2 * h**2), axis=0),
            _above_all_values,
        ),
        Mistake(
            lambda queries, keys, values, h: _nearness(queries, keys, h) @ values,
            "The division by the sum is missing: the weights of a query do not sum to 1, and a "
            "far query gets 0.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.square().sum(-1) / (2 * h)),
            "The bandwidth is not squared. In the scores distance and bandwidth are both squared, "
            "or the units do not cancel.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.square().sum(-1) / h**2),
            "The 2 below the fraction is missing: your weights are those of a bandwidth 1.41 "
            "times smaller.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.square().sum(-1) / 2),
            "The bandwidth makes no difference to your result.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.square().sum(-1) / 2 * h**2),
            "A larger bandwidth makes your weights sharper: you multiply by its square. Python "
            "works from left to right, so a / 2 * b is (a / 2) * b.",
        ),
        Mistake(
            _regression(lambda diff, h: diff.square().sum(-1) / (2 * h**2)),
            "The key that is furthest away gets the most weight: the scores need a minus sign.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.square().sum(-1).sqrt() / (2 * h**2)),
            "You take the distance, not its square: far keys keep too much weight.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.abs().sum(-1) / (2 * h**2)),
            "You add up the absolute differences. The squared Euclidean distance adds up the "
            "squared differences.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.abs().sum(-1).square() / (2 * h**2)),
            "You add up the absolute differences and square their sum. The squared Euclidean "
            "distance squares each difference first: 3 and 4 make 25, not 49.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.sum(-1).square() / (2 * h**2)),
            "You add up the differences before you square them, so a plus in one feature cancels a "
            "minus in another. Square first.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff.square().mean(-1) / (2 * h**2)),
            "You take the mean over the features. The squared distance is their sum; with d "
            "features yours is d times too small.",
        ),
        Mistake(
            _regression(lambda diff, h: -diff[..., 0].square() / (2 * h**2)),
            "Only the first feature counts in your result: the distance needs all of them.",
        ),
        Mistake(
            _one_kernel_per_feature,
            "You make weights for each feature on its own and average those. A key that is near in "
            "one feature and far in another then counts as half near; one distance over all "
            "features has to decide.",
        ),
        Mistake(
            lambda queries, keys, values, h: torch.softmax(queries @ keys.T / h**2, 1) @ values,
            "Your scores are dot products: a long key wins, wherever the query is. The distance is "
            "asked for here; lesson 02 is about the difference.",
        ),
    ],
    hints=[
        "Only the distance is new. Everything after the scores is as in section 3, with values "
        "that are rows already.",
        "queries.unsqueeze(1) - keys has shape (n, m, d): all differences. Which axis has to go, "
        "and over which axis of what is left do the weights sum to 1?",
        "Square the differences, add them up over the last axis, divide by minus twice the squared "
        "bandwidth, softmax over dim=1, then @ values.",
    ],
)


# Exercise 1.4: the best bandwidth


def _measurements():
    cases = [
        (
            torch.tensor([1.0, 2.0, 3.0, 4.0]),
            torch.tensor([1.5, 2.5, 0.5, 0.5]),
            torch.tensor([0.3, 2.0, 1.0]),
        ),
        (  # several points at one place, as in the motorcycle data
            torch.tensor([1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 4.0]),
            torch.tensor([5.5, 5.5, 5.0, 2.0, 6.0, 0.5, 3.0]),
            torch.tensor([0.5, 1.0, 2.0, 4.0, 0.25]),
        ),
        (  # a candidate so small that no other point is in its reach
            torch.tensor([5.0, 0.0, 4.0, 1.0, 2.0, 3.0]),
            torch.tensor([5.5, 3.0, 5.5, 3.5, 4.5, 2.0]),
            torch.tensor([8.0, 0.7, 1.5, 0.02, 0.4]),
        ),
    ]
    for seed, (n, candidates) in enumerate([(9, 24), (14, 31), (23, 40), (31, 28)]):
        generator = torch.Generator().manual_seed(seed)
        x = 5 * torch.rand(n, generator=generator)
        y = 2 * torch.sin(x) + x**0.8 + 0.4 * torch.randn(n, generator=generator)
        grid = torch.logspace(-1, 0.7, candidates)
        cases.append((x, y, grid[torch.randperm(candidates, generator=generator)]))
    cases.append(tuple(a.double() for a in cases.pop()))
    return cases


def _choice(
    scores=lambda difference, h: -(difference**2) / (2 * h**2),
    hide=lambda scores, own: scores.masked_fill(own, -torch.inf),
    weigh=lambda scores, own: torch.softmax(scores, dim=1),
    error=lambda misses: misses.square().mean(),
    pick=lambda bandwidths, errors: bandwidths[errors.argmin()],
):
    """Choose a bandwidth by leave-one-out, with one step of it replaced."""

    def choose(x, y, bandwidths):
        own = torch.eye(len(x), dtype=torch.bool)
        difference = x.unsqueeze(1) - x
        errors = [error(y - weigh(hide(scores(difference, h), own), own) @ y) for h in bandwidths]
        return pick(bandwidths, torch.stack(errors))

    return choose


def _exp_over_sum(scores, own):
    nearness = scores.exp()
    return nearness / nearness.sum(1, keepdim=True)


def _index_not_bandwidth(case, got, expected):
    number = int(got.item())
    return (
        f"{got.item():g} is the place of the best candidate in the list, not the candidate: "
        f"argmin tells where. At place {number} of bandwidths stands {case[2][number].item():.2g}."
    )


def _a_number(function, *case):
    """A plain number and a tensor of shape () are the same answer."""
    result = function(*case)
    tensor = isinstance(result, torch.Tensor)
    if isinstance(result, numbers.Real) or (tensor and result.dim() == 0):
        return torch.as_tensor(result, dtype=torch.float64)
    return result


BANDWIDTH_EXERCISE = Exercise(
    name="my_best_bandwidth",
    solution=_choice(),
    cases=_measurements,
    mistakes=[
        Mistake(
            _choice(hide=lambda scores, own: scores),
            "Every point still sees itself, and so a narrow kernel, with which each point predicts "
            "itself, looks best. To set a point's own score to 0 does not hide it: 0 is the best "
            "score there is, that of distance 0.",
        ),
        Mistake(
            _choice(
                hide=lambda scores, own: scores,
                weigh=lambda scores, own: torch.softmax(scores, 1) * ~own,
            ),
            "You removed each point's own weight after the softmax had shared out the sum of 1. "
            "What is left sums to less than 1, so every prediction is pulled toward 0.",
        ),
        Mistake(
            _choice(hide=lambda scores, own: scores.masked_fill(scores == 0, -torch.inf)),
            "You hide every point at distance 0. Where several measurements share one x, only the "
            "point itself may be left out; the others are honest neighbors.",
        ),
        Mistake(
            _choice(weigh=_exp_over_sum),
            "Right until a candidate is very small: then every exponential in a row becomes 0, 0 "
            "divided by 0 is nan, and argmin takes nan for the smallest.",
        ),
        Mistake(
            _choice(weigh=lambda scores, own: scores.exp()),
            "The weights of a prediction do not sum to 1: the division by their sum is missing.",
        ),
        Mistake(
            _choice(weigh=lambda scores, own: torch.softmax(scores, dim=0)),
            "Your softmax runs over the points that are predicted. It has to run over the keys, "
            "so that the weights of each prediction sum to 1.",
        ),
        Mistake(
            _choice(pick=lambda bandwidths, errors: bandwidths[errors.argmax()]),
            "You chose the candidate with the largest error.",
        ),
        Mistake(_choice(pick=lambda bandwidths, errors: errors.argmin()), _index_not_bandwidth),
        Mistake(
            _choice(pick=lambda bandwidths, errors: errors.min()),
            "That is the smallest error. The bandwidth that makes it is asked for.",
        ),
        Mistake(
            _choice(pick=lambda bandwidths, errors: bandwidths[-1]),
            "You always give back the last candidate. In a loop that keeps the best so far, the "
            "best error has to be kept too.",
        ),
        Mistake(
            _choice(pick=lambda bandwidths, errors: bandwidths[0]),
            "You always give back the first candidate. Does the function end inside its loop, or "
            "does every point see nothing but itself, so that all errors are 0?",
        ),
        Mistake(
            _choice(error=lambda misses: misses.abs().mean()),
            "You chose by the mean absolute error. The mean squared error, which large misses "
            "dominate, is asked for.",
        ),
        Mistake(
            _choice(error=lambda misses: misses.mean()),
            "You average the misses with their sign: misses above and below cancel, and a large "
            "negative mean counts as the smallest. Square them first.",
        ),
        Mistake(
            _choice(error=lambda misses: misses.mean().square()),
            "You average the misses before you square them: misses above and below cancel. Square "
            "first.",
        ),
        Mistake(
            _choice(scores=lambda difference, h: -(difference**2) / (2 * h)),
            "The bandwidth is not squared in your scores, so the candidates stand for other "
            "widths.",
        ),
        Mistake(
            _choice(scores=lambda difference, h: -(difference**2) / h**2),
            "The 2 below the fraction is missing in your scores, so you choose a bandwidth about "
            "1.41 times too large.",
        ),
        Mistake(
            _choice(scores=lambda difference, h: -difference.abs() / (2 * h**2)),
            "The distance is not squared in your scores: that is not the Gaussian kernel.",
        ),
    ],
    hints=[
        "For each candidate: predict every y from all the other points, then take the mean of the "
        "squared misses. Who must not take part in the prediction of point i?",
        "The scores of all points against all points are (n, n). Point i against itself stands on "
        "the diagonal: which score becomes weight 0 in the softmax?",
        "Fill the diagonal of a copy with minus infinity (torch.eye as booleans finds it), softmax "
        "over dim=1, @ y. Collect one error per candidate; argmin tells which candidate.",
    ],
    gradients=False,
    dtypes=False,
    run=_a_number,
)


# Exercise 1.5: a kernel that is a mask


def _hours():
    cases = [
        (  # 1.0 and 3.0 lie on the edge of the reach
            torch.tensor([2.0]),
            torch.tensor([1.0, 2.0, 3.0, 5.0]),
            torch.tensor([12.0, 18.0, 60.0, 90.0]),
            1.0,
        ),
        (  # the last query is out of reach
            torch.tensor([1.0, 2.5, 9.0]),
            torch.tensor([0.5, 1.5, 2.5, 4.5, 3.0]),
            torch.tensor([3.0, 6.0, 12.0, 24.0, 48.0]),
            0.5,
        ),
    ]
    for seed, (n, m, bandwidth) in enumerate([(7, 3, 0.75), (5, 8, 1.5), (4, 9, 2.0)]):
        drawn = [_random(size, 60 + 10 * seed + i, 2.0) for i, size in enumerate([n, m, m])]
        cases.append((*drawn, bandwidth))
    return cases


def _boxcar_regression(queries, keys, values, bandwidth):
    return kernel_regression(queries, keys, values, bandwidth, "boxcar")[0]


def _masked(mask, scores=lambda distances: torch.zeros_like(distances)):
    """A wrong version, from mask(differences (n, m), bandwidth) and scores(distances)."""

    def wrong(queries, keys, values, bandwidth):
        differences = queries.unsqueeze(1) - keys
        may_attend = mask(differences, bandwidth)
        output, _ = attend(scores(differences.abs()), values.unsqueeze(1), may_attend)
        return output.squeeze(1)

    return wrong


def _in_reach(differences, bandwidth):
    return differences.abs() <= bandwidth


def _filled(value, axis=1):
    def wrong(queries, keys, values, bandwidth):
        in_reach = _in_reach(queries.unsqueeze(1) - keys, bandwidth)
        scores = torch.zeros(in_reach.shape).masked_fill(~in_reach, value)
        return torch.softmax(scores, dim=axis) @ values

    return wrong


def _kernel_as_score(queries, keys, values, bandwidth):
    scores = _in_reach(queries.unsqueeze(1) - keys, bandwidth).to(values.dtype)
    return torch.softmax(scores, dim=1) @ values


def _summed(queries, keys, values, bandwidth):
    return _in_reach(queries.unsqueeze(1) - keys, bandwidth).to(values.dtype) @ values


def _zero_after(queries, keys, values, bandwidth):
    return _summed(queries, keys, values, bandwidth) / len(keys)


def _nearest_if_alone(queries, keys, values, bandwidth):
    distances = (queries.unsqueeze(1) - keys).abs()
    alone = (distances > bandwidth).all(1)
    nearest = values[distances.argmin(1)]
    return torch.where(alone, nearest, _boxcar_regression(queries, keys, values, bandwidth))


def _over_queries(queries, keys, values, bandwidth):
    in_reach = _in_reach(queries.unsqueeze(1) - keys, bandwidth)
    scores = torch.zeros(in_reach.T.shape)
    return attend(scores, torch.eye(len(queries)), in_reach.T)[1].T @ values


MASK_EXERCISE = Exercise(
    name="my_boxcar_attention",
    solution=_boxcar_regression,
    cases=_hours,
    mistakes=[
        Mistake(
            _masked(lambda differences, h: differences.abs() > h),
            "The mask is inverted: in this course True means may attend. Your queries listen to "
            "the keys that are out of reach.",
        ),
        Mistake(
            _masked(lambda differences, h: differences.abs() < h),
            "A key exactly one bandwidth away is missing: at u = 1 and u = -1 the boxcar is still "
            "1.",
        ),
        Mistake(
            _masked(lambda differences, h: differences <= h),
            "Every key to the right of a query is allowed, however far: the difference is negative "
            "there. Compare its size with the bandwidth.",
        ),
        Mistake(
            _masked(lambda differences, h: differences >= -h),
            "Every key to the left of a query is allowed, however far. Compare the size of the "
            "difference with the bandwidth.",
        ),
        Mistake(
            _masked(lambda differences, h: differences.abs() <= 1),
            "The bandwidth makes no difference to your result: you compare the distance with 1. "
            "That is right for u, the distance divided by the bandwidth.",
        ),
        Mistake(
            _masked(lambda differences, h: differences.abs() <= h / 2),
            "Your box is half as wide as it should be: the bandwidth is the reach to each side, "
            "not the whole width.",
        ),
        Mistake(
            _masked(lambda differences, h: differences.square() <= h),
            "You compare the squared distance with the bandwidth.",
        ),
        Mistake(
            _masked(lambda differences, h: torch.ones_like(differences, dtype=torch.bool)),
            "The mask makes no difference: every query gets the mean of all values.",
        ),
        Mistake(
            _masked(_in_reach, lambda distances: -distances.square() / 2),
            "The mask is right, but in reach the near keys count more: your scores hold the "
            "distance. For a box all scores are 0.",
        ),
        Mistake(
            _kernel_as_score,
            "Keys out of reach still get weight: you used the kernel's 1 and 0 as scores, and "
            "exp(0) is 1. The score is the logarithm of the kernel.",
        ),
        Mistake(
            _filled(-torch.inf),
            "Right, except for a query with no key in reach: it gets nan, from 0 / 0. A softmax of "
            "nothing but minus infinity gives the same. attend looks after such a row when it is "
            "given the mask.",
        ),
        Mistake(
            _filled(-1e9),
            "Right, except for a query with no key in reach: its scores are all -1e9, all equal, "
            "and it gets the mean of all values as if all were near. It should get 0.",
        ),
        Mistake(
            _nearest_if_alone,
            "Right, except for a query with no key in reach: you give it the nearest value. With a "
            "box, nothing in reach means weights 0 and output 0.",
        ),
        Mistake(
            _summed,
            lambda case, got, expected: (
                f"You add up the values in reach, {got[0].item():g} for the first query, and do "
                f"not divide by their number: the weights of a query sum to 1."
            ),
        ),
        Mistake(
            _zero_after,
            "You divide by the number of all keys. Only the keys in reach share the sum of 1, so "
            "the mask has to be there before the softmax, not after it.",
        ),
        Mistake(
            _over_queries,
            "The weights sum to 1 over the queries. They have to sum to 1 over the keys in reach, "
            "for each query on its own.",
        ),
        Mistake(
            lambda *case: _boxcar_regression(*case).unsqueeze(1),
            "One axis too many: attend wants values of shape (keys, 1) and gives back (queries, "
            "1). Take that axis away again.",
        ),
        Mistake(
            lambda *case: kernel_regression(*case)[0],
            "That is the Gaussian kernel: every key has a say. In the box only the keys in reach "
            "count, and all of them the same.",
        ),
    ],
    hints=[
        "With equal scores, softmax gives equal weights to all keys that the mask allows. So all "
        "the work is in the mask.",
        "The mask has one row per query and one column per key, and is True where they are at most "
        "one bandwidth apart. attend wants values of shape (keys, v_size).",
        "queries.unsqueeze(1) - keys has shape (n, m); compare its abs() with the bandwidth. Give "
        "attend zeros of the same shape and dtype as scores and values.unsqueeze(1); its first "
        "result has shape (n, 1).",
    ],
)

EXERCISES = [*KERNEL_EXERCISES, VECTOR_EXERCISE, BANDWIDTH_EXERCISE, MASK_EXERCISE]

QUESTIONS = {
    "1.1": Question(
        "D",
        {
            "A": "Half the width suggests twice the weight, but seven keys share a sum of 1. Halve "
            "the bandwidth once more, and by your rule the weight would pass 1.",
            "B": "A narrower kernel does let less through, from every key, and then the weights "
            "are divided by their sum. The nearest key loses least, so its share grows.",
            "C": "The division removes a factor that all keys have in common. The bandwidth sits "
            "in the exponent and shrinks far keys more than near ones, so the shares change.",
            "D": "Half the bandwidth is a quarter of the temperature: all scores become four times "
            "as negative. The nearest key suffers least and takes most of the sum.",
        },
    ),
    "1.2": Question(
        "C",
        {
            "A": "That needs a bandwidth below the gap between neighboring keys, so that each "
            "query listens to one key. Here about ten keys lie within one bandwidth.",
            "B": "The width is the same everywhere when it is measured in x, but a column is one "
            "key. Only evenly spaced keys would give a band of the same width in columns.",
            "C": "The reach is the same in x everywhere. Where measurements crowd together it "
            "covers more of them, and each is a column.",
            "D": "Large values stand out in the curve, so one looks for them in the weights too. "
            "But weights are made from queries and keys before any value is looked at.",
        },
    ),
    "1.3": Question(
        "B",
        {
            "A": "That is the one we want, and the reason why we need a judge. But this judge lets "
            "each point vote on its own prediction, and so it favors another.",
            "B": "Each point is its own nearest key, at distance 0. With a tiny bandwidth it takes "
            "all the weight and predicts itself, noise included.",
            "C": "A large bandwidth does average noise away, but it averages the hill away too. "
            "And these points carry the noise: a curve without it misses them.",
            "D": "The points made the fit, but only a narrow kernel brings the fit close to them: "
            "a wide one gives average pooling, which passes far from most points.",
        },
    ),
    "1.4": Question(
        "C",
        {
            "A": "The loss went down from where it began, w near 0.76, which is a far too wide "
            "kernel. The curve of section 4 was never in that race, and it is better.",
            "B": "Training has no taste for smoothness, and the direction is the other one: w is 1 "
            "over the bandwidth, so a large w is a narrow kernel.",
            "C": "1 / w is about 0.05, the width at which one or two keys share the weight. The "
            "fit repeats their noise.",
            "D": "That is where an ever larger w would lead. At this one, points that lie close "
            "together still share the weight, so the fit passes between them.",
        },
    ),
}
