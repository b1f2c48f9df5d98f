"""What lesson 12 needs: bytes that are counted, and a ring of processes that never leaves one."""

import os
import signal

import pytest
import torch

from attn_lesson import lesson12
from attn_lesson.lesson12 import ring
from attn_teach import attend, causal_mask

A = torch.randn(10, 10)


@pytest.mark.parametrize(
    ("function", "tensors"),
    [
        (lambda a: a + 1, 1),
        (lambda a: ((a + 1) + 1) + 1, 2),  # the first is dropped when the third comes
        (lambda a: a.mT.reshape(5, 20)[:3], 1),  # a copy and its views
        (lambda a: a.clone().add_(1).mul_(2), 1),
        (lambda a: torch.stack(torch.stack([a, a]).unbind()), 4),
    ],
)
def test_the_peak_is_what_is_there_at_one_time(function, tensors):
    assert lesson12.peak(function, A) == tensors * A.nbytes


def test_the_kept_runs_and_rates_are_whole():
    assert lesson12.copied("linear", 4) < 0.7 < lesson12.copied("softmax", 4)
    measured = lesson12.measure((8,), cached=16, numbers=64)
    assert {*measured} - {("plain", 8), ("fused", 8)} <= {*lesson12.machine()}


def test_texts_can_be_copied_where_they_say_so():
    torch.manual_seed(0)
    texts, copied = lesson12.texts(50, 30)
    assert texts.shape == copied.shape == (50, 30) and not copied[:, 0].any()
    for text, known in zip(texts.tolist(), copied.tolist(), strict=True):
        for i in range(1, 30):
            if known[i]:  # the same pair has been there
                assert any(text[j - 1 : j + 1] == text[i - 1 : i + 1] for j in range(1, i))


@pytest.fixture
def processes(monkeypatch):
    """All processes that a test has started."""
    started, start = [], ring._start
    monkeypatch.setattr(ring, "_start", lambda *a: started.append(start(*a)) or started[-1])
    yield started
    assert all(process.poll() is not None for process in started)


def tensors(n, d):
    return torch.randn(4, n, d, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(
    ("workers", "causal"),
    [(2, True), *(pytest.param(*c, marks=pytest.mark.long) for c in ((3, False), (4, True)))],
)
def test_the_ring_gives_the_outputs_and_gradients_of_one_machine(processes, workers, causal):
    q, k, v, grad = tensors(12, 5)
    found = ring.run(workers, q, k, v, grad, causal)
    parts = [part.clone().requires_grad_() for part in (q, k, v)]
    mask = causal_mask(12) if causal else None
    expected = attend(parts[0] @ parts[1].mT / 5**0.5, parts[2], mask)[0]
    slopes = torch.autograd.grad(expected, parts, grad)
    for name, right in zip(("output", "q", "k", "v"), (expected, *slopes), strict=True):
        assert (found[name] - right).abs().max() < 1e-12, name
    assert found["sent"] == workers * [2 * (workers - 1) * 12 // workers * 5]
    assert len(processes) == workers


def test_a_killed_process_is_named_and_none_is_left(processes):
    q, k, v, _ = tensors(12, 5)
    with pytest.raises(RuntimeError, match=r"^process 1 of 2 was killed by signal 9; the others"):
        ring.run(2, q, k, v, killed=1)
    assert len(processes) == 2


@pytest.mark.long
def test_a_process_that_stands_still_is_waited_for_only_so_long(processes, monkeypatch):
    watch = ring._watch

    def stopped(started, *more):
        os.kill(started[1].pid, signal.SIGSTOP)
        watch(started, *more)

    monkeypatch.setattr(ring, "_watch", stopped)
    monkeypatch.setattr(ring, "START", 5)
    with pytest.raises(RuntimeError, match="process"):
        ring.run(2, *tensors(4, 2)[:3], seconds=1)


def test_a_process_that_fails_says_why(processes):
    q, k, v, _ = tensors(4, 2)
    with pytest.raises(RuntimeError, match=r"process 0 of 1 failed: .*size of tensor"):
        ring.run(1, q, k, v, torch.ones(4, 3, dtype=torch.float64))
