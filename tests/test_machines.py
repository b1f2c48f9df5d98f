"""Every lesson shows what is stored, however a processor rounds.

Another processor, or another number of threads, rounds the last bit otherwise, and training makes a
curve of it. So all lessons are executed as other machines would, and once more with trained weights
disturbed by about as much before their first step: `make test-machines`, or one kind of machine
with ARGS="-k older". Without --every, a narrower processor is tried by test_editions.py, together
with the one-file editions.
"""

import copy

import lesson_checks
import pytest
import torch
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
    stored = lesson_checks.stored(path)
    complaints = differences(path.parent, stored, machine, monkeypatch)
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


# These tests can fail. Many a lesson would like to print the first digits of such a loss.
TRAINING = """
import torch

torch.set_default_dtype(torch.DTYPE)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(40, 40), torch.nn.Tanh(), torch.nn.Linear(40, 1))
inputs = torch.randn(64, 40)
adam = torch.optim.Adam(model.parameters(), 0.01)
for _ in range(100):
    loss = (model(inputs)[:, 0] - inputs[:, 0] * inputs[:, 1]).square().mean()
    adam.zero_grad()
    loss.backward()
    adam.step()
f"{loss.item():.8e}"
"""


@pytest.mark.long
@pytest.mark.skipif(
    "AVX" not in torch.backends.cpu.get_cpu_capability(), reason="has no older arithmetic"
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_digits_that_are_not_settled_are_found(dtype, tmp_path, monkeypatch):
    cell = v4.new_code_cell(TRAINING.replace("DTYPE", dtype))
    stored = execute_in(tmp_path, v4.new_notebook(cells=[cell]))
    for machine in ("older", "narrower", "disturbed-1"):
        found = differences(tmp_path, stored, machine, monkeypatch)
        assert (found == []) == (dtype == "float64"), machine
