"""How an answer is judged: run it safely, compare it, find the mistake it makes."""

import linecache
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch

try:
    import resource
except ImportError:  # Windows
    resource = None

SECONDS = 5.0
BYTES = 2 * 2**30


@dataclass
class Mistake:
    """A wrong version of an exercise's function, and what to tell who wrote it.

    message is a sentence, or a function of (arguments, got, expected) that returns one.
    """

    wrong: Callable
    message: str | Callable


@dataclass
class Exercise:
    """A coding exercise: what is right, where to try it, and what people get wrong.

    Args:
        name: the learner's function, such as "my_masked_softmax".
        solution: a right version. It is never shown.
        cases: a function that returns a list of argument tuples, the smallest case first.
        mistakes: the catalogue of known wrong versions, the most specific first.
        hints: from a nudge to nearly everything; each wrong answer gets the next one.
        gradients: whether gradients must flow to the floating-point arguments.
        dtypes: whether the result must follow the arguments to float64.
        run: how to use the learner's function on a case, when it is not function(*case).
        tolerance: largest difference that counts as equal.
    """

    name: str
    solution: Callable
    cases: Callable
    mistakes: list[Mistake]
    hints: list[str]
    gradients: bool = True
    dtypes: bool = True
    run: Callable = lambda function, *case: function(*case)
    tolerance: float = 1e-5


@dataclass
class Question:
    """A "predict first" question; its wording stands in the lesson.

    reactions maps each letter to what the learner is told; answer is the right letter.
    """

    answer: str
    reactions: dict[str, str]


@dataclass
class Verdict:
    """What the judge found: status is "untouched", "right" or "wrong"."""

    status: str
    message: str
    mistake: Mistake | None = field(default=None, repr=False)


class TooLong(BaseException):
    """The time is up; not an Exception, so that a learner's `except` lets it through."""


@contextmanager
def limits():
    """Stop an endless loop and refuse a giant allocation, instead of losing the kernel."""
    with _memory_limit(BYTES), _time_limit(SECONDS):
        yield


@contextmanager
def _time_limit(seconds):
    def stop(*_):
        raise TooLong

    if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGALRM, stop)
        # Again every half second, should a bare `except:` swallow the first.
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        return
    # Windows, or another thread: look at the clock at every line.
    deadline = time.monotonic() + seconds

    def trace(*_):
        if time.monotonic() > deadline:
            raise TooLong
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def _memory_limit(extra_bytes):
    try:
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + extra_bytes, hard))
    except (OSError, AttributeError, ValueError):  # not Linux, or not allowed
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def judge(exercise, function):
    """Judge a learner's function: a Verdict, without hints."""
    cases = exercise.cases()
    expected = [_call(exercise, exercise.solution, case) for case in cases]
    results = []
    for case in cases:
        outcome = _call(exercise, function, case)
        if outcome.result is None and outcome.error is None and not results:
            return Verdict("untouched", "Nothing to check yet: the function returns None.")
        results.append(outcome)
        if isinstance(outcome.error, TooLong):
            break  # it would take as long in every case
    wrong = [
        index
        for index, (outcome, right) in enumerate(zip(results, expected, strict=False))
        if not outcome.same_as(right, exercise.tolerance)
    ]
    if not wrong:
        return _judge_the_rest(exercise, function, cases, expected)
    index = wrong[0]
    case, got, right = cases[index], results[index], expected[index]
    for mistake in exercise.mistakes:
        if _behaves_like(exercise, mistake, cases, results):
            message = mistake.message
            if callable(message):
                first = next((i for i in wrong if results[i].error is None), index)
                message = message(cases[first], results[first].result, expected[first].result)
            return Verdict("wrong", f"{message}\n{_failure(case, got, right)}", mistake)
    return Verdict("wrong", f"{_general(got, right, wrong, cases)}\n{_failure(case, got, right)}")


def _judge_the_rest(exercise, function, cases, expected):
    """The numbers are right; are the manners?"""
    for case in cases:
        copies = [_copy(a) for a in case]
        _call(exercise, function, copies, copy=False)
        for position, (before, after) in enumerate(zip(case, copies, strict=True)):
            if isinstance(before, torch.Tensor) and not torch.equal(before, after):
                return Verdict(
                    "wrong",
                    f"The result is right, but argument {position + 1} is not what it was: your "
                    f"function writes into its input. Whoever passed it in still needs it, and a "
                    f"tensor that needs gradients cannot be written to at all.\n"
                    f"  before: {show(before)}\n  after:  {show(after)}",
                )
    if exercise.gradients:
        verdict = _judge_gradients(exercise, function, cases[-1])
        if verdict:
            return verdict
    if exercise.dtypes:
        double = [a.double() if _is_float(a) else _copy(a) for a in cases[-1]]
        got = _call(exercise, function, double)
        right = _call(exercise, exercise.solution, double)
        if got.error is not None or not got.same_as(right, exercise.tolerance):
            return Verdict(
                "wrong",
                "The result is right for float32 inputs and wrong for float64 ones: the dtype must "
                "follow the input. Look for a tensor that your function makes itself.\n"
                + _failure(double, got, right),
            )
    count = f"{len(cases)} cases" if len(cases) > 1 else "1 case"
    return Verdict("right", f"Correct on {count}. One of them:\n{_example(cases[0], expected[0])}")


def _judge_gradients(exercise, function, case):
    def gradients(f):
        leaves = [a.clone().requires_grad_() if _is_float(a) else _copy(a) for a in case]
        outcome = _call(exercise, f, leaves, copy=False)
        if outcome.error is not None:
            return leaves, outcome.error
        result = outcome.result
        wanted = [leaf for leaf in leaves if _is_float(leaf)]
        if not result.requires_grad:
            return leaves, None
        weights = torch.linspace(-1, 2, result.numel(), dtype=result.dtype).view(result.shape)
        return leaves, torch.autograd.grad((result * weights).sum(), wanted, allow_unused=True)

    _, right = gradients(exercise.solution)
    _, got = gradients(function)
    if isinstance(got, BaseException):
        return Verdict(
            "wrong",
            "The result is right, but with inputs that need gradients the function fails: "
            f"{in_learners_words(got, function)}",
        )
    if right is None:
        return None
    if got is None:
        return Verdict(
            "wrong",
            "The result is right, but it carries no gradient, so nothing could be learned through "
            "it. Look for .data, .detach(), .item(), .numpy() or a new tensor that is filled in.",
        )
    if any(a is not None and a.isnan().any() for a in got):
        return Verdict(
            "wrong",
            "The result is right, but its gradient contains NaN: somewhere a NaN was made and "
            "repaired afterwards. The gradient still passes through the place where it was made.",
        )
    for a, b in zip(got, right, strict=True):
        a = torch.zeros_like(b) if a is None and b is not None else a
        if b is not None and not torch.allclose(a, b, atol=1e-4, equal_nan=True):
            return Verdict(
                "wrong",
                "The result is right, but the gradient is not: some part of the computation does "
                "not pass it on.\n"
                f"  expected gradient: {show(b)}\n  got:               {show(a)}",
            )
    return None


@dataclass
class Outcome:
    """What came of one call: a result, or an error."""

    result: object = None
    error: BaseException | None = None
    where: str = ""

    def same_as(self, other, tolerance):
        """Whether both calls came to the same."""
        if self.error is not None or other.error is not None:
            return type(self.error) is type(other.error)
        a, b = self.result, other.result
        if isinstance(a, (bool, int)) and isinstance(b, (bool, int)):
            return a == b
        if isinstance(a, (float, int)) and isinstance(b, (float, int)):
            return abs(a - b) <= tolerance * (1 + abs(b))
        if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
            return type(a) is type(b) and a == b
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if not b.is_floating_point():
            return torch.equal(a, b)
        return torch.allclose(a, b, atol=tolerance, rtol=tolerance, equal_nan=True)


def _call(exercise, function, case, copy=True):
    """Run a function on a case, within the limits, with the learner's random state kept."""
    arguments = [_copy(a) for a in case] if copy else case
    state = torch.get_rng_state()
    try:
        with limits():
            result = exercise.run(function, *arguments)
    except (Exception, TooLong) as error:
        return Outcome(error=error, where=in_learners_words(error, function))
    finally:
        torch.set_rng_state(state)
    if isinstance(result, torch.Tensor) and not exercise.gradients:
        result = result.detach()
    return Outcome(result)


def _behaves_like(exercise, mistake, cases, results):
    """Whether the learner's results are those of a known wrong version, in every case."""
    return all(
        outcome.same_as(_call(exercise, mistake.wrong, case), exercise.tolerance)
        for case, outcome in zip(cases, results, strict=False)
    )


def _general(got, right, wrong, cases):
    """What is wrong, when it is no known mistake."""
    if isinstance(got.error, TooLong):
        return "Your function does not come to an end."
    if got.error is not None:
        if len(wrong) < len(cases):
            return (
                f"Your function works in {len(cases) - len(wrong)} of {len(cases)} cases and fails "
                f"in the one below: does it rely on the sizes of the example?"
            )
        return "Your function raises an error."
    a, b = got.result, right.result
    if isinstance(b, torch.Tensor):
        if isinstance(a, tuple):
            return f"Expected one tensor, got a tuple of {len(a)}: return the result alone."
        if not isinstance(a, torch.Tensor):
            return f"Expected a tensor, got {type(a).__name__}."
        if a.shape != b.shape:
            if a.dim() == b.dim() and sorted(a.shape) == sorted(b.shape):
                return "The axes of the result are in the wrong order."
            return "The result has the wrong shape."
        if a.dtype != b.dtype:
            return f"The result must be {b.dtype}, got {a.dtype}."
        if a.is_floating_point() and a.isnan().any():
            return "The result contains NaN."
    elif type(a) is not type(b) and not isinstance(b, (int, float)):
        return f"Expected {type(b).__name__}, got {type(a).__name__}."
    if len(wrong) < len(cases):
        return f"Right in {len(cases) - len(wrong)} of {len(cases)} cases, wrong in the one below."
    return "The numbers are not right yet."


def _failure(case, got, right):
    lines = [f"  input:    {', '.join(show(a) for a in case)}", f"  expected: {show(right.result)}"]
    lines.append(f"  got:      {got.where if got.error is not None else show(got.result)}")
    return "\n".join(lines)


def _example(case, right):
    return f"  input:  {', '.join(show(a) for a in case)}\n  result: {show(right.result)}"


def in_learners_words(error, function):
    """An error, and the line of the learner's own code where it came up."""
    if isinstance(error, TooLong):
        text = f"no result after {SECONDS:g} seconds: is there a loop that never ends?"
    elif isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        text = "it asked for more memory than there is: is some tensor far larger than meant?"
    else:
        first_line = str(error).strip().splitlines()[0] if str(error).strip() else ""
        text = f"{type(error).__name__}: {first_line}"
    code = getattr(function, "__code__", None)
    line = None
    frame = error.__traceback__
    while frame is not None:
        if code is not None and frame.tb_frame.f_code.co_filename == code.co_filename:
            line = frame.tb_lineno
        frame = frame.tb_next
    if line is None:
        return text
    source = linecache.getline(code.co_filename, line).strip()
    return f"line {line} of your cell, `{source}`: {text}"


def show(value):
    """A value in a few characters: small tensors whole, others by shape and first numbers."""
    if not isinstance(value, torch.Tensor):
        if isinstance(value, torch.nn.Module):
            return type(value).__name__
        if callable(value):
            return getattr(value, "__name__", "a function")
        return f"{value:.4g}" if isinstance(value, float) else repr(value)
    value = value.detach()
    if value.dim() == 0:
        return f"{value.item():.4g}"

    def nested(a):
        if isinstance(a, list):
            return f"[{', '.join(nested(item) for item in a)}]"
        return f"{a:.3g}" if isinstance(a, float) else str(a)

    if value.numel() <= 24:
        return nested(value.tolist())
    head = ", ".join(nested(a) for a in value.flatten()[:6].tolist())
    return f"shape {tuple(value.shape)}, first numbers {head} ..."


def _is_float(a):
    return isinstance(a, torch.Tensor) and a.is_floating_point()


def _copy(a):
    return a.clone() if isinstance(a, torch.Tensor) else a
