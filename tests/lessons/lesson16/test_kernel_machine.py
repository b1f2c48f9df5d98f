"""The machine of lesson 16: what is moved and held is counted, and nothing gets past it."""

import math
from functools import partial

import pytest
import torch
from reference import assert_same

from attn_lesson import lesson16
from attn_lesson.lesson16.chip import Chip, Refused, Slow
from attn_teach import attend
from tools.site.tab import borrowed

A = torch.arange(24.0).reshape(6, 4)


def ran(kernel, *arrays, fast=math.inf, out=None):
    return Chip(fast).run(kernel, *(arrays or (A,)), out=torch.zeros(6, 4) if out is None else out)


def test_what_is_loaded_and_stored_is_counted_and_arrives():
    def kernel(chip, a, out):
        chip.store(out, 1, 3, 2 * chip.load(a, 0, 2))
        chip.store(out, 5, 6, chip.load(a, 3, 4))

    out = torch.zeros(6, 4)
    chip = ran(kernel, out=out)
    assert chip.moved == 2 * (8 + 4)
    assert [(a, b) for _, a, b in chip.loads] == [(0, 2), (3, 4)]
    assert torch.equal(out[1:3], 2 * A[:2]) and torch.equal(out[5], A[3])
    assert not out[[0, 3, 4]].any()


def test_what_is_loaded_is_a_copy():
    def kernel(chip, a, out):
        rows = chip.load(a, 0, 2)
        rows.zero_()
        chip.store(out, 0, 2, rows)
        rows += 1

    before, out = A.clone(), torch.ones(6, 4)
    ran(kernel, out=out)
    assert torch.equal(A, before) and not out[:2].any()


@pytest.mark.parametrize(
    ("kernel", "most"),
    [
        (lambda chip, a, out: chip.load(a, 0, 3), 12),
        (lambda chip, a, out: [chip.load(a, 0, 3), chip.load(a, 0, 3)], 24),  # both are kept
        (lambda chip, a, out: [chip.load(a, i, i + 1).sum() for i in range(6)], 4 + 6),
        (lambda chip, a, out: chip.load(a, 0, 3).mT[1:].reshape(9), 12 + 9),  # and a copy
        (lambda chip, a, out: chip.load(a, 0, 3) > 1, 12 + 12),  # booleans are numbers too
        (lambda chip, a, out: chip.load(a, 0, 2).mul_(2).exp_(), 8),
        (lambda chip, a, out: torch.zeros(5).double(), 10),
    ],
)
def test_what_is_held_at_one_time_is_counted(kernel, most):
    assert ran(kernel).most == most
    assert ran(kernel, fast=most).most == most
    with pytest.raises(Refused, match=rf"a place for {most - 1:,} numbers; here {most:,} would"):
        ran(kernel, fast=most - 1)


Q = torch.ones(6, 4)  # what lies about outside


@pytest.mark.parametrize(
    ("kernel", "told"),
    [
        (lambda chip, a, out: a[0:2], "lies in slow memory"),
        (lambda chip, a, out: a @ a, "lies in slow memory"),
        (lambda chip, a, out: a.mT, "lies in slow memory"),
        (lambda chip, a, out: 2 * a, "lies in slow memory"),
        (lambda chip, a, out: list(a), "lies in slow memory"),
        (lambda chip, a, out: torch.exp(a), "lies in slow memory"),
        (lambda chip, a, out: chip.load(a, 0, 1) @ a, "lies in slow memory"),
        (lambda chip, a, out: out.__setitem__(0, 1.0), "lies in slow memory"),
        (lambda chip, a, out: a._numbers.sum(), "not in fast memory"),
        (lambda chip, a, out: Q * 2, "not in fast memory"),
        (lambda chip, a, out: chip.store(out, 0, 6, Q), "not in fast memory"),
        (lambda chip, a, out: torch.stack([chip.load(a, 0, 1)[0], Q[0]]), "not in fast memory"),
        (lambda chip, a, out: chip.load(a, 0, 1).tolist(), "takes numbers out"),
        (lambda chip, a, out: chip.load(a, 0, 1).numpy(), "takes numbers out"),
        (lambda chip, a, out: chip.load(a, 0, 1)[0, 0].item(), "takes numbers out"),
        (lambda chip, a, out: float(chip.load(a, 0, 1)[0, 0]), "takes numbers out"),
        (lambda chip, a, out: bool(chip.load(a, 0, 1).any()), "takes numbers out"),
        (lambda chip, a, out: chip.load(a, 4, 8), "the array has rows 0 to 5"),
        (lambda chip, a, out: chip.load(a, -1, 2), "the array has rows 0 to 5"),
        (lambda chip, a, out: chip.store(out, 4, 8, chip.load(a, 0, 4)), "has rows 0 to 5"),
        (lambda chip, a, out: chip.load(chip.load(a, 0, 3), 0, 1), "in fast memory already"),
        (lambda chip, a, out: chip.store(out, 0, 2, chip.load(a, 0, 1)), r"rows \(2, 4\), got \(1"),
    ],
)
def test_what_would_not_be_counted_is_refused(kernel, told):
    before = A.clone()
    with pytest.raises(Refused, match=told):
        ran(kernel)
    assert torch.equal(A, before)


def test_numbers_of_the_kernels_own_are_no_strangers():
    def kernel(chip, a, out):
        rows = chip.load(a, 0, 2)
        rows = torch.where(rows > torch.tensor(2.0), rows / math.sqrt(4), -torch.inf)
        chip.store(out, 0, 2, rows.maximum(torch.arange(8).view(2, 4).float()))

    out = torch.zeros(6, 4)
    ran(kernel, out=out)
    assert out[1].tolist() == [4, 5, 6, 7]


def test_without_run_a_chip_counts_what_is_moved():
    chip, a = Chip(), Slow(A.clone())
    chip.store(a, 0, 2, chip.load(a, 2, 4))
    assert chip.moved == 16 and torch.equal(chip.load(a, 0, 2), A[2:4])


def test_after_an_error_the_chip_is_as_before():
    chip = Chip(10)
    with pytest.raises(Refused):
        chip.run(lambda chip, a, out: chip.load(a, 0, 6), A, out=torch.zeros(1))
    assert (Q * 2).sum() == 48  # nothing watches any more
    chip.run(lambda chip, a, out: chip.load(a, 0, 2), A, out=torch.zeros(1))
    assert chip.moved == 8


def test_what_is_kept_for_the_gradient_counts_once():
    a = torch.randn(10, 10).requires_grad_()
    assert lesson16.kept_for_backward(lambda a: a + 1, a) == 0
    assert lesson16.kept_for_backward(lambda a: a * a.mT, a) == a.nbytes


# The kernels


def drawn(n=50, d=4, e=3):
    draw = torch.Generator().manual_seed(0)
    return [torch.randn(n, width, generator=draw) for width in (d, d, e)]


def attended(q, k, v, seen=None):
    return attend(q @ k.mT / q.shape[1] ** 0.5, v, seen)[0]


def test_plain_attention_moves_its_table_four_times():
    q, k, v = drawn(e=4)
    out = torch.zeros(50, 4)
    chip = Chip().run(lesson16.plain, q, k, v, torch.zeros(50, 50), out=out)
    assert_same(out, attended(q, k, v), 1e-6)
    assert chip.moved == 4 * 50 * 4 + 4 * 50 * 50


@pytest.mark.parametrize(("rows", "columns"), [(10, 5), (16, 7), (50, 1), (3, 80), (1, 50)])
def test_tiles_of_any_size_give_attention(rows, columns):
    q, k, v = drawn()
    out = torch.zeros(50, 3)
    kernel = partial(lesson16.flash, rows=rows, columns=columns)
    chip = Chip().run(kernel, q, 300 * k, v, out=out)
    assert_same(out, attended(q, 300 * k, v), 1e-5)
    assert chip.moved == 50 * 4 + 50 * 3 + -(-50 // rows) * 50 * (4 + 3)


@pytest.mark.parametrize(
    "rule",
    [
        lambda q, k: k <= q,
        lambda q, k: (k <= q) & (q - k < 9),
        lambda q, k: (k <= q) & (k // 20 == q // 20),
        lambda q, k: (k < q) & (q % 7 > 0),  # rows that may attend to nothing
    ],
)
@pytest.mark.parametrize("size", [4, 7, 64])
def test_a_rule_gives_what_its_mask_gives_and_skips_tiles(rule, size):
    q, k, v = drawn()
    seen = rule(torch.arange(50)[:, None], torch.arange(50))
    kinds = lesson16.tile_kinds(rule, 50, 50, size, size)
    out = torch.ones(50, 3)
    chip = Chip().run(
        partial(lesson16.flash, rows=size, columns=size, rule=rule, kinds=kinds), q, k, v, out=out
    )
    assert_same(out, attended(q, k, v, seen), 1e-6)
    needed, tiles = 0, lesson16.tiles(50, size)
    for row, (a, b) in zip(kinds, tiles, strict=True):
        for kind, (c, e) in zip(row, tiles, strict=True):
            tile = seen[a:b, c:e]
            assert kind == (2 if tile.all() else 1 if tile.any() else 0)
            needed += e - c if kind else 0
    assert chip.moved == 50 * (4 + 3) + needed * (4 + 3)


def test_masked_means_masked_however_low_the_scores_are():
    q, k, v = torch.ones(2, 4), -torch.full((6, 4), 1e37), drawn(6)[2]
    rule = lambda q, k: k > 2 + q  # noqa: E731
    out = torch.zeros(2, 3)
    kinds = lesson16.tile_kinds(rule, 2, 6, 2, 2)
    kernel = partial(lesson16.flash, rows=2, columns=2, rule=rule, kinds=kinds)
    Chip().run(kernel, q, k, v, out=out)
    assert_same(out, torch.stack([v[3:].mean(0), v[4:].mean(0)]), 1e-6)


def test_the_gradients_of_tiles_add_up_to_autograds():
    parts = [x.double().requires_grad_() for x in drawn()]
    q, k, v = (x.detach() for x in parts)
    output, grad = attended(*parts), torch.randn(50, 3).double()
    expected = torch.autograd.grad(output, parts, grad)
    logs, inner = (q @ k.mT / 2).logsumexp(-1), (grad * output.detach()).sum(-1)
    found = [torch.zeros_like(x) for x in (q, k, v)]
    for a, b in lesson16.tiles(50, 8):
        for c, e in lesson16.tiles(50, 13):
            tile = q[a:b], k[c:e], v[c:e], grad[a:b], logs[a:b], inner[a:b]
            made = lesson16.tile_gradients(*tile)
            for total, part, (i, j) in zip(found, made, ((a, b), (c, e), (c, e)), strict=True):
                total[i:j] += part
    for ours, torchs in zip(found, expected, strict=True):
        assert_same(ours, torchs, 1e-12)


def test_machine_and_kernels_run_on_a_pages_torch():
    page = borrowed.load("attn_lesson.lesson16.chip")
    flash = borrowed.load("attn_lesson.lesson16.kernels").flash
    numbers = [x.tolist() for x in drawn(7)]
    q, k, v = (page.torch.tensor(x) for x in numbers)
    out, chip = page.torch.zeros(7, 3), page.Chip()
    flash(chip, *map(page.Slow, (q, k, v, out)), rows=3, columns=2)
    expected = attended(*map(torch.tensor, numbers))
    assert_same(torch.tensor(out.tolist()), expected, 1e-5)
    assert chip.moved == 7 * (4 + 3) + 3 * 7 * (4 + 3)
    with pytest.raises(page.Refused, match="lies in slow memory"):
        q @ page.Slow(k)
