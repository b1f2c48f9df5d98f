"""Make lessons of the learner's own in my_lessons/, without results.

python -m tools.own

A file is made once and never written over. A lesson that has changed since is told, and its new
version is put beside the learner's.
"""

import copy
import hashlib
import json

import nbformat

from tools.lessons import ROOT, as_text, lessons, normalise, write_text
from tools.notebook import PREMISE, clear_results

OWN = ROOT / "my_lessons"
RECORD = ".versions.json"  # the last version that was handed out, by the lesson's name


def own(notebook):
    """The lesson as a learner begins it."""
    notebook = normalise(copy.deepcopy(notebook))
    clear_results(notebook.cells)
    for cell in notebook.cells:
        cell.metadata.pop(PREMISE, None)  # it would tell the answer
    return notebook


def make(folder=OWN, paths=None):
    """Make what is missing; return the new versions of lessons that are there already."""
    record = folder / RECORD
    known = json.loads(record.read_text("utf-8")) if record.exists() else {}
    beside = []
    for path in paths or lessons():
        text = as_text(own(nbformat.read(path, as_version=4)))
        version = hashlib.sha256(text.encode()).hexdigest()[:8]
        place = folder / path.name
        if place.exists():
            if known.get(path.stem) == version:
                continue
            place = folder / f"{path.stem}_{version}.ipynb"
            beside.append(place)
        write_text(text, place)
        known[path.stem] = version
    write_text(json.dumps(known, indent=1), record)
    return beside


if __name__ == "__main__":
    for place in make():
        print(f"{place.name.rpartition('_')[0]} has a new version, beside yours: {place.name}")
