"""The numbers behind a lesson's pictures, to compare what two versions of Matplotlib draw.

python -m tools.checks.drawn 01 03

executes copies of the lessons and prints, as JSON, what each of their pictures shows.
"""

import json
import sys

import numpy as np

from attn_teach.plotting import DescribedFigure

TOLERANCE = 0.005  # of what an array spans: about a pixel
seen = []


def record():
    """From now on, note in `seen` what every figure shows that is made into a picture."""
    bundle = DescribedFigure.bundle

    def noting(figure, *args, **kwargs):
        seen.append({"texts": texts(figure), "arrays": [a.tolist() for a in arrays(figure)]})
        return bundle(figure, *args, **kwargs)

    DescribedFigure.bundle = noting


def _panels(figure):
    return [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]


def texts(figure):
    """The words of the figure that do not depend on its layout."""
    out = [figure.alt]
    for ax in _panels(figure):
        legend = ax.get_legend()
        words = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        out += [text.get_text() for text in words + (legend.get_texts() if legend else [])]
    return out


def arrays(figure):
    """The arrays that the figure draws: ends of axes and scales, heatmaps, curves, dots, bars."""
    out = []
    for ax in _panels(figure):
        out.append([*ax.get_xlim(), *ax.get_ylim()])
        for image in ax.images:
            out += [image.get_clim(), np.ma.filled(image.get_array(), np.nan)]
        out += [line.get_xydata() for line in ax.lines]
        for drawn in ax.collections:
            out += [np.ma.filled(drawn.get_offsets(), np.nan)]
            out += [path.vertices for path in drawn.get_paths()]
        out += [patch.get_bbox().extents for patch in ax.patches if hasattr(patch, "get_bbox")]
    return [np.asarray(array, dtype=float) for array in out]


def differences(ours, theirs):
    """Say, for each picture that shows something else, what."""
    if len(ours) != len(theirs):
        return [f"there were {len(ours)} pictures, are {len(theirs)}"]
    out = []
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True), start=1):
        if a["texts"] != b["texts"]:
            out.append(f"picture {number} says {b['texts']}, not {a['texts']}")
        elif len(a["arrays"]) != len(b["arrays"]):
            out.append(f"picture {number} draws {len(b['arrays'])} arrays, not {len(a['arrays'])}")
        elif not all(map(_same, a["arrays"], b["arrays"])):
            out.append(f"picture {number} draws other numbers")
    return out


def _same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    finite = a[np.isfinite(a)]
    span = np.ptp(finite) if finite.size else 0.0
    return a.shape == b.shape and np.allclose(a, b, 1e-6, TOLERANCE * span, equal_nan=True)


def main(names):
    import nbformat

    from tools import lessons

    lessons.isolate()
    shown = {}
    for path in lessons.lessons(names):
        notebook = nbformat.read(path, as_version=4)
        sources = (
            "from tools.checks import drawn; drawn.record()",
            "print(drawn.json.dumps(drawn.seen))",
        )
        first, last = map(nbformat.v4.new_code_cell, sources)
        notebook.cells = [first, *notebook.cells, last]
        lessons.execute_in(path.parent, notebook, kernel_name=lessons.KERNEL["name"])
        shown[path.stem] = json.loads(last.outputs[0].text)
    print(json.dumps(shown))


if __name__ == "__main__":
    main(sys.argv[1:])
