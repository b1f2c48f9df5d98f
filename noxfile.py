"""Test with the oldest and the newest versions that pyproject.toml allows, on each Python here.

    make test-versions                            all eight (nox finds the Pythons on the PATH)
    make test-versions ARGS="-p 3.10 -k oldest"   one of them

Each session makes a fresh environment below build/, without constraints.txt, runs the tests of
what learners import and executes two lessons, whose text must be what is stored; then it puts its
row into the table in CONTRIBUTING.md. PyTorch's usual build is gigabytes large.
"""

import re
import shutil
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv"
nox.options.envdir = "build/nox"

ROOT = Path(__file__).parent
WHICH = {"oldest": "lowest-direct", "newest": "highest"}
PACKAGES = ("torch", "numpy", "matplotlib", "ipywidgets", "pytest")
WHOLE = ("details", "families", "promises")  # tests of the module as a whole


def tests():
    """The tests of what learners import, and two lessons."""
    names = {
        path.stem for room in ("attn_teach", "attn_lesson") for path in ROOT.glob(f"{room}/*.py")
    }
    names -= {"words"}  # that one is of tools/site/words.py
    files = [ROOT / f"tests/test_{name}.py" for name in sorted({*names, *WHOLE})]
    return [*filter(Path.exists, files), *ROOT.glob("notebooks/0[13]_*.ipynb")]


@nox.session(python=["3.10", "3.11", "3.12", "3.13"])
@nox.parametrize("which", list(WHICH), ids=list(WHICH))
def versions(session, which):
    extras = [part for name in ("lab", "test", "reference") for part in ("--extra", name)]
    resolution = ("--resolution", WHICH[which])
    session.install(*resolution, "-r", "pyproject.toml", *extras)
    session.install(*resolution, "--no-deps", "--group", "model")
    freeze = session.run("uv", "pip", "freeze", silent=True, external=True)
    has = dict(re.findall(r"^(\S+)==(\S+)$", freeze, re.MULTILINE))
    command = ("python", "-m", "pytest", "--nbval", "--nbval-current-env", "--color=no", *tests())
    ours = {"PYTHONPATH": str(ROOT)}  # the project itself is not installed there
    said = session.run(*command, env=ours, silent=True, success_codes=range(6))
    shutil.rmtree(session.virtualenv.location)
    session.log(said)
    counts = dict(map(reversed, re.findall(r"(\d+) (\w+)", said.splitlines()[-1])))
    cells = [*map(has.get, PACKAGES), *(counts.get(c, 0) for c in ("passed", "skipped", "failed"))]
    begins, page = f"| {session.python} | {which} |", ROOT / "CONTRIBUTING.md"
    row = f"{begins} {' | '.join(map(str, cells))} |"
    text = re.sub(rf"^{re.escape(begins)}.*", row, page.read_text("utf-8"), flags=re.MULTILINE)
    page.write_text(text, "utf-8")
    if not counts.get("passed") or {"failed", "error", "errors"} & {*counts}:
        session.error(f"something failed: {row}")
