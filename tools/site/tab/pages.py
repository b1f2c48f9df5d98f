"""What the site's pages need so that exercises are answered in them: scripts, into its _static."""

import base64
import json
import os
from pathlib import Path

from tools.lessons import ROOT
from tools.site.tab import exercises, judging, python

WORKER = Path(__file__).parents[1] / "web" / "python-worker.js"
LEFT_OUT = {"python.py", "pages.py", "exercises.py"}  # of this folder: what a page does not run


def write(static):
    """Write the scripts; return the exercises that pages then answer, as `exercises` does."""
    files = python.found()
    if files is None:
        if os.environ.get("CI"):
            raise SystemExit(python.MISSING.format(python.VERSION))
        print(python.MISSING.format(python.VERSION), flush=True)
        return {}
    sizes = python.write(files, static / "python")
    course = {str(path.relative_to(ROOT)): path.read_bytes() for path in _sources()}
    course["exercises.json"] = json.dumps(exercises.told()).encode()
    told = {
        "sizes": sizes,
        "files": {name: base64.b64encode(data).decode() for name, data in course.items()},
        "worker": WORKER.read_text(encoding="utf-8"),
    }
    script = f"globalThis.COURSE = {json.dumps(told)};\n".replace("</", "<\\/")
    (static / "python" / "course.js").write_text(script, encoding="utf-8")
    judging.use(exercises.told())
    return judging.exercises()


def _sources():
    """The course's own code that runs in a page: the package, the judge, torch's names on NumPy."""
    here = [p for p in Path(__file__).parent.glob("*.py") if p.name not in LEFT_OUT]
    ours = [*ROOT.glob("attn_teach/*.py"), *ROOT.glob("attn_lesson/**/*.*")]
    return [*here, *(path for path in ours if path.suffix in (".py", ".md"))]
