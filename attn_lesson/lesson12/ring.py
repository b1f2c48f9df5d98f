"""Ring attention: several processes hold a part of a text each, and send keys and values round.

`run` starts the processes. It runs this file once for each, apart from the notebook:

    python ring.py FOLDER RANK

FOLDER holds what they get, and takes what they return.
"""

import contextlib
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

START = 120  # seconds in which all processes must be there, also on a busy machine
SECONDS = 10  # that a process waits for another one

# What each process does


def merge(largest, total, output, scores, values):
    """One step of the running softmax: the keys with these scores and values come in."""
    new = torch.maximum(largest, scores.amax(-1))  # (n,)
    shrink, weights = (largest - new).exp(), (scores - new[:, None]).exp()  # (n,), (n, m)
    total = shrink * total + weights.sum(-1)
    return new, total, shrink[:, None] * output + weights @ values


def attend_around(q, kv, causal, pass_on, rank, size):
    """My rows of attention: q (n, d), kv (2, n, d) -> output (n, d), log of the sums (n,)."""
    state = torch.full(q.shape[:1], -math.inf).to(q), torch.zeros_like(q[:, 0]), torch.zeros_like(q)
    for step in range(size):
        owner = (rank - step) % size  # whose keys and values are here now
        if not causal or owner <= rank:
            state = merge(*state, scores_of(q, kv[0], causal and owner == rank), kv[1])
        if step < size - 1:
            kv = pass_on(kv)
    largest, total, output = state
    return output / total[:, None], largest + total.log()


def gradients_around(q, kv, output, logs, grad, causal, pass_on, rank, size):
    """Once more round, to compute the weights again; gradients travel with their keys, home."""
    inner = (grad * output).sum(-1, keepdim=True)  # (n, 1)
    grad_q, grad_kv = torch.zeros_like(q), torch.zeros_like(kv)
    for step in range(size):
        owner = (rank - step) % size
        if not causal or owner <= rank:
            weights = (scores_of(q, kv[0], causal and owner == rank) - logs[:, None]).exp()
            slope = weights * (grad @ kv[1].T - inner) / math.sqrt(q.shape[-1])
            grad_q += slope @ kv[0]
            grad_kv += torch.stack([slope.T @ q, weights.T @ grad])
        if step < size - 1:
            kv = pass_on(kv)
        grad_kv = pass_on(grad_kv)  # after the last step they are at home again
    return grad_q, grad_kv


def scores_of(q, k, masked):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    return (
        scores.masked_fill(~torch.ones_like(scores).tril().bool(), -math.inf) if masked else scores
    )


def work(folder, rank):
    """The life of one process."""
    torch.set_num_threads(1)
    told = torch.load(folder / "told.pt")
    size, sent = told["workers"], 0
    store = dist.FileStore(str(folder / "store"), size)
    store.set(f"here {rank}", "yes")
    store.wait([f"here {other}" for other in range(size)], timedelta(seconds=START))
    store.set_timeout(timedelta(seconds=told["seconds"]))
    waits = timedelta(seconds=told["seconds"])
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size, timeout=waits)

    def pass_on(tensor):
        nonlocal sent
        if rank == told["killed"]:  # as if somebody had pulled the plug
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        sent += tensor.numel()
        got = torch.empty_like(tensor)
        waiting = dist.isend(tensor.contiguous(), (rank + 1) % size)
        dist.recv(got, (rank - 1) % size)
        waiting.wait()
        return got

    q, k, v, grad = (tensor.chunk(size)[rank] for tensor in told["tensors"])
    me = told["causal"], pass_on, rank, size
    kv = torch.stack([k, v])
    output, logs = attend_around(q, kv, *me)
    there = sent
    grad_q, grad_kv = gradients_around(q, kv, output, logs, grad, *me)
    torch.save((output, grad_q, *grad_kv, there), folder / f"{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


# What the notebook does


def run(workers, q, k, v, grad=None, causal=False, killed=None, seconds=SECONDS):
    """Attention over q, k, v, (n, d) each, by so many processes, each with n / workers rows.

    Args:
        workers: number of processes; must divide n.
        grad: the gradient of the output, (n, d); ones unless given.
        causal: whether a row sees its own and earlier ones only.
        killed: the number of a process that is killed before it sends anything, to try that.
        seconds: how long a process waits for another one.

    Returns:
        A dict: "output" and the gradients "q", "k" and "v", (n, d) each; "sent", how many numbers
        each process has sent for the output.

    Raises:
        OSError: processes cannot be started here.
        RuntimeError: a process ended before its work was done. None is left running.
    """
    if len(q) % workers:
        raise ValueError(f"workers must divide the {len(q)} rows, got {workers}")
    tensors = [t.detach() for t in (q, k, v, torch.ones_like(v) if grad is None else grad)]
    told = {"workers": workers, "tensors": tensors, "causal": causal, "killed": killed,
            "seconds": seconds}  # fmt: skip
    if not (dist.is_available() and dist.is_gloo_available()):
        raise OSError("this PyTorch has no gloo")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = Path(folder)
        torch.save(told, folder / "told.pt")
        processes = []
        try:
            for rank in range(workers):
                processes.append(_start(folder, rank))
            _watch(processes, folder, START + 6 * workers * seconds)
            parts = [torch.load(folder / f"{rank}.pt") for rank in range(workers)]
        finally:
            for process in processes:
                process.kill()
                process.wait()
    *whole, sent = zip(*parts, strict=True)
    found = dict(zip(("output", "q", "k", "v"), map(torch.cat, whole), strict=True))
    return found | {"sent": list(sent)}


def _start(folder, rank):
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    inside = _loopback()
    if inside:
        environment["GLOO_SOCKET_IFNAME"] = inside
    with (folder / f"{rank}.txt").open("wb") as said:
        return subprocess.Popen(
            [sys.executable, __file__, str(folder), str(rank)],
            env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=folder,
        )  # fmt: skip


def _loopback():
    """The name of the network that stays inside this machine; empty where it cannot be told."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import socket

        names = [name for _, name in socket.if_nameindex()]
        return next((name for name in ("lo", "lo0") if name in names), "")
    return ""


def _watch(processes, folder, limit):
    """Wait until all have ended well; raise an error as soon as one has not."""
    end = time.monotonic() + limit
    while True:
        codes = [process.poll() for process in processes]
        if any(codes):
            time.sleep(0.2)  # others fail for want of one that was killed: blame that
            ended = {rank: process.poll() for rank, process in enumerate(processes)}
            rank = min((code, rank) for rank, code in ended.items() if code)[1]
            why = _why(ended[rank], folder, rank)
            raise RuntimeError(f"process {rank} of {len(codes)} {why}")
        if None not in codes:
            return
        if time.monotonic() > end:
            raise RuntimeError(f"{codes.count(None)} processes did not end in {limit} seconds")
        time.sleep(0.02)


def _why(code, folder, rank):
    if code < 0:
        return f"was killed by signal {-code}; the others were stopped"
    lines = (folder / f"{rank}.txt").read_text("utf-8", "replace").strip().splitlines()
    return f"failed: {lines[-1] if lines else f'it ended with code {code}'}"


if __name__ == "__main__":
    work(Path(sys.argv[1]), int(sys.argv[2]))
