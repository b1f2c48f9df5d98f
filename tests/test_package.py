"""The package as others install it: from its wheel, beside PyTorch and Matplotlib alone."""

import shutil
import subprocess
import sys
from email.parser import Parser
from zipfile import ZipFile

import bare
import pytest

from tools.lessons import ROOT

USED = """
import sys
import torch
import attn_lesson, attn_teach
assert attn_teach.__file__.startswith(sys.prefix), attn_teach.__file__
X = torch.eye(3)
output, weights = attn_teach.attend(X @ X.mT, X)
print([round(total, 5) for total in weights.sum(-1).tolist()])
attn_teach.show_heatmaps(weights[None, None], "keys", "queries")
from attn_lesson import catalogue
print(catalogue.lessons())
print(sorted({"IPython", "ipywidgets", "nbformat"} & set(sys.modules)))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel, built from a copy of the committed files that it needs."""
    source = tmp_path_factory.mktemp("source")
    for path in [*ROOT.glob("attn_*"), *ROOT.glob("LICENSE*"), ROOT / "README.md"]:
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, source / path.name)
    shutil.copy(ROOT / "pyproject.toml", source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(source / "wheel"), str(source)]
    subprocess.run(command, check=True)
    (wheel,) = (source / "wheel").iterdir()
    return wheel


def test_its_metadata_are_complete(built):
    with ZipFile(built) as wheel:
        names = wheel.namelist()
        (name,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(wheel.read(name).decode())
    for field in ("Name", "Version", "Summary", "Author", "License-Expression", "Requires-Python",
                  "Keywords", "Classifier", "Requires-Dist", "License-File"):  # fmt: skip
        assert told[field], field
    assert told.get_payload().startswith("# attn-teach")
    assert {name.split("/")[0] for name in names} == {
        "attn_teach", "attn_lesson", name.split("/")[0]
    }  # fmt: skip
    ours = [p for room in ("attn_teach", "attn_lesson") for p in ROOT.glob(f"{room}/**/*.*")]
    ours = {p.relative_to(ROOT).as_posix() for p in ours if p.parent.name != "__pycache__"}
    assert ours <= {*names}, ours - {*names}


@pytest.mark.long
def test_it_installs_and_works_with_pytorch_and_matplotlib_alone(built, tmp_path):
    python = bare.make(tmp_path / "python", "torch", "matplotlib")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*install, "--no-deps", "--no-index", str(built)], check=True)
    done = subprocess.run(
        [str(python), "-I", "-W", "error", "-c", USED],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    sums, lessons, loaded = done.stdout.splitlines()
    assert sums == "[1.0, 1.0, 1.0]" and "lesson10" in lessons and loaded == "[]"
