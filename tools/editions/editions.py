"""Write the lessons' editions, each lesson one file that needs no other, into build/.

python -m tools.editions colab [LESSON ...]       whole lessons
python -m tools.editions student [LESSON ...]     without solutions, and with answers folded away
python -m tools.editions solutions [LESSON ...]   with solutions and the instructor's notes

Every file carries the package in its first cell, and its diagrams as pictures that Colab shows.
"""

import base64
import copy
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import zlib
from pathlib import Path

import matplotlib
import nbformat
import resvg_py
from nbformat.v4 import new_code_cell, new_markdown_cell
from PIL import Image

from tools.course import NOTICE, address
from tools.lessons import BUILD, ROOT, as_text, lessons, normalise, write_text
from tools.notebook import DIAGRAM, PREMISE, SETUP, clear_results, tags
from tools.progress import command_line, progress

EDITIONS = ("colab", "student", "solutions")
FORM = {"cellView": "form", "_kg_hide-input": True}  # a folded cell, for Colab and for Kaggle
DRAWING = "# @title The figure below: its drawing code"  # Colab folds only what has a title
DIAGRAM_ZOOM = 1.25  # sharp on a screen of double density, and not too wide for the others


def edition(notebook, kind, wheel):
    """Return the lesson as the given edition, with the wheel's bytes in its first cell."""
    notebook = normalise(copy.deepcopy(notebook))
    cells = [setup_cell(wheel)]
    for cell in notebook.cells:
        if kind == "student" and "solution" in tags(cell):
            continue
        notes = cell.metadata.pop("instructor", None)
        for key in ("slideshow", PREMISE):  # the latter would tell the answer
            cell.metadata.pop(key, None)
        if cell.cell_type == "markdown":
            cell.source = DIAGRAM.sub(_as_png, cell.source)
        if "draw" in tags(cell):
            cell.source = f"{DRAWING}\n{cell.source}"
            cell.metadata.update(FORM)
        cells.append(cell)
        if notes and kind == "solutions":
            cells.append(_notes_cell(notes, cell.id))
    if kind == "student":
        clear_results(cells)
    notebook.cells = [*cells, _license_cell()]
    nbformat.validate(notebook)
    return notebook


def setup_cell(wheel):
    """Return the folded cell that brings the package."""
    encoded = "\n".join(textwrap.wrap(base64.b64encode(wheel).decode(), 100))
    source, digest = SETUP.read_text(encoding="utf-8").rstrip(), hashlib.sha256(wheel).hexdigest()
    source = source.replace("{WHEEL}", encoded).replace("{SHA256}", digest)
    folded = {"jupyter": {"source_hidden": True}, "tags": ["setup"]}
    return new_code_cell(source, metadata=FORM | folded, id="setup")


def _license_cell():
    place = address()
    text = f"<small>{NOTICE}{f' From https://github.com/{place}.' if place else ''}</small>"
    return new_markdown_cell(text, metadata={"tags": ["license"]}, id="license")


def _notes_cell(notes, cell_id):
    minutes = f" · {notes['minutes']} min" if "minutes" in notes else ""
    text = f"> **For the instructor{minutes}.** {notes['notes']}"
    return new_markdown_cell(text, metadata={"tags": ["instructor"]}, id=f"{cell_id}-notes")


def _as_png(found):
    """Return the embedded SVG diagram as an embedded PNG, the same on every machine.

    Colab shows no other.
    """
    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    png = resvg_py.svg_to_bytes(
        svg_string=base64.b64decode(found[2]).decode(),
        zoom=DIAGRAM_ZOOM,
        background="white",
        skip_system_fonts=True,
        font_dirs=[str(fonts)],
        sans_serif_family="DejaVu Sans",
        monospace_family="DejaVu Sans Mono",
    )
    image = Image.open(io.BytesIO(bytes(png))).convert("RGB").quantize(128)
    image.save(small := io.BytesIO(), "PNG", optimize=True)
    data = base64.b64encode(small.getvalue()).decode()
    return f'![{found[1]}](data:image/png;base64,{data} "{found[3]}")'


def build_wheel():
    """Return the bytes of the package's wheel; the same source gives the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.mkdir()
        shutil.copy(ROOT / "pyproject.toml", source)
        for path in ROOT.glob("LICENSE*"):
            shutil.copy(path, source)
        (source / "README.md").touch()  # another README makes no other module
        ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
        for package in ("attn_teach", "attn_lesson"):
            shutil.copytree(ROOT / package, source / package, ignore=ignored)
        pack_lessons(source / "attn_lesson")
        # Copied files keep their modes, which differ from machine to machine; so do times.
        for path in source.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
        command += ["--no-build-isolation", "--no-index", "--wheel-dir", folder, str(source)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "946684800"}  # the year 2000
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"the package could not be packed:\n{done.stdout}{done.stderr}")
        (wheel,) = Path(folder).glob("attn_teach-*.whl")
        return wheel.read_bytes()


def packed(source, words):
    """Return the text of a module that does what this source and these words do."""
    data = base64.b85encode(zlib.compress(f"{words}\0{source}".encode(), 9)).decode()
    lines = "\n".join(f'    "{data[i : i + 90]}"' for i in range(0, len(data), 90))
    return (
        '"""Exercises and questions of a lesson, packed."""\n\n'
        f"from ..pack import load\n\nload(\n    globals(),\n{lines},\n)\n"
    )


def pack_lessons(folder):
    """Make the tables of answers in the folder unreadable at a glance."""
    for path in folder.glob("*/exercises.py"):
        words = path.with_name("mistakes.md")
        text = packed(path.read_text(encoding="utf-8"), words.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8", newline="\n")
        words.unlink()


def write(kind, names=()):
    """Write the edition of the lessons that `names` stand for; return the files' paths."""
    wheel = build_wheel()
    return [
        write_text(
            as_text(edition(nbformat.read(path, as_version=4), kind, wheel)),
            BUILD / kind / path.name,
        )
        for path in progress(lessons(names), "Lessons as one file", lambda path: path.stem)
    ]


def main(arguments=None):
    parser = command_line(__doc__)
    parser.add_argument("edition", choices=EDITIONS)
    parser.add_argument("lesson", nargs="*")
    options = parser.parse_args(arguments)
    for path in write(options.edition, options.lesson):
        print(f"{os.path.relpath(path)}  {path.stat().st_size / 1000:.0f} kB")
