"""Every lesson shows what is stored, however a processor rounds.

Another processor, or another number of threads, rounds the last bit otherwise, and training makes a
curve of it. So all lessons are executed as other machines would, and once more with trained weights
disturbed by about as much before their first step: `make test-machines`, or one kind of machine
with ARGS="-k older". Without --every, a narrower processor is tried by test_editions.py, together
with the one-file editions.
"""

import copy

import lesson_checks
import nbformat
import pytest
from nbformat import v4

from tools.lessons import execute_in, lessons

MACHINES = {
    "older": {
        "ATEN_CPU_CAPABILITY": "default",  # PyTorch's own kernels
        "MKL_CBWR": "COMPATIBLE",  # matrix products
        "ONEDNN_MAX_CPU_ISA": "SSE41",  # recurrent layers
    },
    # Nearly as fast as this one, so this is what is always tried.
    "narrower": {
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_CBWR": "AVX2",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
    },
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    "one-thread": {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
    "two-threads": {"OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
    "disturbed-1": {},
    "disturbed-2": {},
    "disturbed-3": {},
}
# Before the lesson: a trained weight, before its first step, by many times what its dtype rounds.
DISTURB = """
import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

SIZES = {{torch.float32: 1e-6, torch.float64: 1e-13}}

def disturb(optimizer, *_, sizes=SIZES, draw=torch.Generator().manual_seed({seed})):
    if not hasattr(optimizer, "disturbed"):
        optimizer.disturbed = True
        for weight in [w for group in optimizer.param_groups for w in group["params"]]:
            noise = torch.randn(weight.shape, generator=draw, dtype=torch.float64)
            weight.data.mul_(1 + sizes[weight.dtype] * noise)

hook = register_optimizer_step_pre_hook(disturb)
"""


def differences(folder, stored, machine, monkeypatch):
    """Execute the notebook as this machine would; return what differs from what is stored."""
    notebook = copy.deepcopy(stored)
    kind, _, number = machine.partition("-")
    disturb = DISTURB.format(seed=number) if kind == "disturbed" else ""
    notebook.cells.insert(0, v4.new_code_cell(disturb))
    with monkeypatch.context() as patched:
        for name, value in MACHINES[machine].items():
            patched.setenv(name, value)
        execute_in(folder, notebook)
    del notebook.cells[0]
    return lesson_checks.compare(stored, notebook)


@pytest.mark.long
@pytest.mark.every
@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
@pytest.mark.parametrize("machine", MACHINES)
def test_lesson_shows_what_is_stored(path, machine, monkeypatch):
    stored = nbformat.read(path, as_version=4)
    complaints = differences(path.parent, stored, machine, monkeypatch)
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)
