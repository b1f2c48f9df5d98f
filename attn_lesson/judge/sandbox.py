"""Run a learner's function aside, and bring back plain data.

That is against accidents: endless loops, changed arguments, a process that ends. It is no wall
against malice; for what strangers hand in there is `make mark`.
"""

import contextlib
import copy
import importlib
import inspect
import sys
import warnings

import torch

from .. import platforms
from ..words import sentences
from . import child
from .plain import Outcome, encode
from .spy import Printed, describe, spy

say = sentences(__name__)

# What imports for seconds when it is first called, in one version of torch or another, which is not
# the learner's time.
SLOW = {"manual_seed", "use_deterministic_algorithms", "compile", "optim", "SGD", "Adam", "AdamW"}
SLOW |= {"func", "jacrev", "jacfwd", "hessian", "vjp", "jvp", "assert_close"}
inside = False  # whether a learner's function is being run
_watched = []


def watch(value, name):
    """For an exercise's `run`: notice when the learner's function changes this module or tensor."""
    _watched.append((name, value, _snapshot(value)))
    return value


@contextlib.contextmanager
def settled():
    """The same random numbers, dtype and modes for every call; afterwards what was before."""
    state = torch.get_rng_state()
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    strict = torch.are_deterministic_algorithms_enabled()
    try:
        torch.default_generator.manual_seed(0)  # torch.manual_seed takes 100 times as long
        torch.set_default_dtype(torch.float32)
        with torch.enable_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_rng_state(state)
        torch.set_default_dtype(dtype)
        if torch.are_deterministic_algorithms_enabled() != strict:
            torch.use_deterministic_algorithms(strict)  # imports a lot, so only when it must
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)


def attempt(run, function, case, how="plain"):
    """One call, on copies of the arguments.

    how: "plain"; "double", in float64; "gradient", whose value is a list of gradients, or "none";
    any other, such as "bare", does not look for changes.
    """
    arguments = [a.clone() if how == "bare" and type(a) is torch.Tensor else copy.deepcopy(a)
                 for a in case]  # fmt: skip
    floats = [i for i, a in enumerate(arguments) if is_float(a)]
    for i in floats:
        if how == "double":
            arguments[i] = arguments[i].double()
        elif how == "gradient":
            arguments[i].requires_grad_()
    _watched.clear()
    if how == "plain":
        names = getattr(getattr(function, "__code__", None), "co_varnames", ())
        for i, a in enumerate(arguments):
            watch(a, f"`{names[i]}`" if i < len(names) else say("argument", number=i + 1))
    with settled():
        result = run(function, *arguments)
        if how == "gradient":
            if not (isinstance(result, torch.Tensor) and result.requires_grad):
                return Outcome("none")
            parts = torch.linspace(-1, 2, result.numel(), dtype=result.dtype).view(result.shape)
            leaves = [arguments[i] for i in floats]
            grads = torch.autograd.grad((result * parts).sum(), leaves, allow_unused=True)
            pairs = zip(grads, leaves, strict=True)
            return Outcome([torch.zeros_like(b) if a is None else a for a, b in pairs])
    outcome = Outcome(result)
    for name, value, before in _watched:
        outcome.changed += _changes(name, value, before)
    return outcome


def is_float(a):
    return isinstance(a, torch.Tensor) and a.is_floating_point()


def _snapshot(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, torch.nn.Module):
        state = {n: t.detach().clone() for n, t in value.named_parameters()}
        state |= {n: t.detach().clone() for n, t in value.named_buffers()}
        return state, {n: m.training for n, m in value.named_modules()}
    return copy.deepcopy(value) if isinstance(value, (list, dict, set)) else None


def _changes(name, value, before):
    """Sentences on what is not as it was."""
    now = _snapshot(value)
    if isinstance(value, torch.Tensor):
        alike = now.shape == before.shape and now.dtype == before.dtype
        if not alike or not torch.equal(now.nan_to_num(), before.nan_to_num()):
            yield say("writes", name=name)
    elif isinstance(value, torch.nn.Module):
        if now[0].keys() != before[0].keys():
            yield say("other parameters", name=name)
            return
        for n, t in now[0].items():
            if t.shape != before[0][n].shape or not torch.equal(t, before[0][n]):
                yield say("writes a parameter", parameter=n, name=name)
        if now[1] != before[1]:
            mode = "training" if any(now[1].values()) else "evaluation"
            yield say(f"{mode} mode", name=name)
    elif before is not None:
        try:
            same = repr(now) == repr(before)
        except Exception:
            same = False
        if not same:
            yield say("changes", name=name)


def run_all(run, function, plan, forbidden):
    """Records of the planned calls, (how, case) each, and how it ended.

    That is "done", "died", or one of Clock's.
    """

    def job(send):
        for how, case in plan:
            send(record(run, function, case, how, forbidden))

    if SLOW & _names(getattr(function, "__code__", None)):
        importlib.import_module("torch._dynamo")
        importlib.import_module("torch._inductor.config")
    if platforms.can_fork():
        return child.in_child(job, len(plan))
    return child.in_this_process(job)


def _names(code):
    """The global names and attributes that the code uses, and the functions in it."""
    if not inspect.iscode(code):
        return set()
    return set(code.co_names).union(*map(_names, code.co_consts))


def record(run, function, case, how, forbidden):
    """One call as plain data."""
    global inside
    printed, called = Printed(), []
    made = {"printed": "", "called": called, "changed": [], "value": None, "error": None}
    inside = True
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            if forbidden:
                sys.setprofile(spy(forbidden, called))
            try:
                outcome = attempt(run, function, case, how)
            finally:
                sys.setprofile(None)
            made["value"], made["changed"] = encode(outcome.value), outcome.changed
    except BaseException as error:
        if isinstance(error, child.TooLong):
            raise
        made["error"] = describe(error, function)
    finally:
        inside = False
    made["printed"] = str(printed)
    return made
