"""A class of returned notebooks, and what is expected of each: `expected = make(folder, handout, canary, port)`.

Each entry: {"exercises": {function: main verdict}, "accept": {function: [verdicts that are all right]},
"why", "kind": honest | messy | hostile | broken, "absent": [texts that must stand in no page and no table]}.
Where "accept" lists several, both are fine. Nothing here runs submitted code; whatever a notebook tries to
write lies below the canary folder.
"""

import ast
import base64
import copy
import hashlib
import io
import json
import os
import random
import re
import socket
import unicodedata
import zipfile
from pathlib import Path

from .answers import RIGHT, WRONG

HERE = Path(__file__).resolve().parent
SECRET = "CANARY-SECRET-7f3a91"
HANDOUT = CANARY = OUT = None  # `make` sets them
EXPECTED = {}
_books = {}


# ---------------------------------------------------------------- notebooks
def functions_of(cell):
    if cell["cell_type"] != "code" or "exercise" not in cell["metadata"].get("tags", []):
        return []
    return re.findall(r"^def (my_\w+)", "".join(cell["source"]), re.M)


def is_exercise(cell):
    return isinstance(cell.get("metadata"), dict) and "exercise" in cell["metadata"].get("tags", [])


def published(lesson):
    if lesson not in _books:
        path = next(HANDOUT.glob(f"{lesson:02d}_*.ipynb"))
        book = json.loads(path.read_text(encoding="utf-8"))
        _books[lesson] = path.name, book, [f for c in book["cells"] for f in functions_of(c)]
    return _books[lesson]


def lines(text):
    return text.splitlines(keepends=True)


class Nb:
    def __init__(self, lesson):
        self.lesson = lesson
        self.name, book, self.functions = published(lesson)
        self.book = copy.deepcopy(book)
        self.cells = self.book["cells"]
        self.home = {f: c for c in self.cells for f in functions_of(c)}
        self.n = 0

    def index(self, fn):
        return next(i for i, c in enumerate(self.cells) if c is self.home[fn])

    def cell(self, fn):
        return self.cells[self.index(fn)]

    def text(self, fn):
        return "".join(self.cell(fn)["source"])

    def set_text(self, fn, text):
        self.cell(fn)["source"] = lines(text)

    def fill(self, **answers):
        for fn, source in answers.items():
            text = self.text(fn)
            node = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == fn)
            rows = lines(text)
            self.set_text(fn, "".join(rows[: node.lineno - 1]) + source.rstrip("\n") + "\n" + "".join(rows[node.end_lineno:]))
        return self

    def new(self, source, at=None, tags=None, kind="code", **metadata):
        self.n += 1
        if tags:
            metadata["tags"] = tags
        cell = {"cell_type": kind, "id": f"new{self.n:05d}", "metadata": metadata, "source": lines(source)}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        self.cells.insert(len(self.cells) if at is None else at, cell)
        return cell

    def above(self, fn, source, **k):
        return self.new(source, at=self.index(fn), **k)

    def below(self, fn, source, **k):
        return self.new(source, at=self.index(fn) + 1, **k)

    def all_right(self, *but):
        return self.fill(**{f: RIGHT[f][0] for f in self.functions if f not in but})

    def executed(self):
        for n, cell in enumerate((c for c in self.cells if c["cell_type"] == "code"), 1):
            cell["execution_count"] = n
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [f"run {n}\n"]}]
        return self

    def json(self, **k):
        return json.dumps(self.book, ensure_ascii=k.pop("ensure_ascii", False), indent=1, **k) + "\n"

    def expect(self, **status):
        return {f: status.get(f, status.get("rest", "untouched")) for f in self.functions}


def put(name, data):
    path = os.path.join(os.fsencode(OUT), name if isinstance(name, bytes) else os.fsencode(name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if data is not None:
        with open(path, "wb") as f:
            f.write(data)
    return path


def record(name, exercises, why, kind, accept=None, absent=(), **more):
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    assert name not in EXPECTED, name
    EXPECTED[name] = {"exercises": exercises, "why": why, "kind": kind} | more
    if accept:
        EXPECTED[name]["accept"] = accept
    if absent:
        EXPECTED[name]["absent"] = list(absent)


def give(name, nb, why, kind="messy", accept=None, absent=(), data=None, **status):
    put(name, nb.json() if data is None else data)
    record(name, nb.expect(**status), why, kind, accept, absent)


# ---------------------------------------------------------------- (c) plain submissions
def honest(number, seed):
    """number further plain submissions, drawn from the answers."""
    rng = random.Random(seed)
    given = "Ada Ben Cleo Dai Edda Femi Gül Hana Ivo Jörg Kaya Lív Mats Noor Ola Per Qiu René Sofía Tom".split()
    family = "Abt Brandt Chen Díaz Eriksen Frei Greco Haas Ito Jansen Kaur Lund Mayer Nagy Okafor Petit".split()
    for i in range(number):
        nb = Nb(rng.choice([1, 2, 3]))
        status = {}
        for fn in nb.functions:
            status[fn] = rng.choices(["right", "wrong", "untouched"], [55, 30, 15])[0]
            if status[fn] != "untouched":
                nb.fill(**{fn: rng.choice({"right": RIGHT, "wrong": WRONG}[status[fn]][fn])})
        if rng.random() < 0.5:
            nb.executed()
        name = f"{rng.choice(given)}_{rng.choice(family)}_s{seed}n{i:03d}_{nb.name}"
        give(name, nb, "plain", kind="honest", **status)


# ---------------------------------------------------------------- (a) messy
def messy():
    ARE = dict(rest="right")
    either = lambda nb, *v, only=None: {f: list(v) for f in (only or nb.functions)}

    nb = Nb(1).all_right()
    i = nb.index("my_gaussian")
    cell = nb.cells.pop(i)
    nb.cells.append(cell)
    give("Copy of Untitled (3).ipynb", nb, "exercise cell moved to the very end", **ARE)

    nb = Nb(1).all_right()
    i = nb.index("my_boxcar_attention")
    cell = nb.cells.pop(i)
    nb.cells.insert(3, cell)
    give("01_kernel_regression (1).ipynb", nb, "exercise cell moved to the front, before its import of attend", **ARE)

    nb = Nb(1).all_right()
    text = nb.text("my_gaussian")
    a, b = text.split("def my_triangular")
    nb.set_text("my_gaussian", a)
    nb.below("my_gaussian", "def my_triangular" + b)
    give("Anna Müller/Abgabe 1.ipynb", nb, "exercise cell split in two, the second half has no tag", **ARE)

    nb = Nb(2).all_right()
    picks = [nb.cell(f) for f in nb.functions]
    merged = "\n\n".join("".join(c["source"]) for c in picks)
    nb.book["cells"] = nb.cells = [c for c in nb.cells if c not in picks]
    nb.new(merged)
    give("Anna Müller/lesson 2 final FINAL.ipynb", nb, "all exercise cells merged into one untagged cell", **ARE)

    nb = Nb(2).all_right()
    twin = copy.deepcopy(nb.cell("my_weights"))
    nb.cells.insert(nb.index("my_weights"), twin)
    give("Björn_Østergård_4711_assignsubmission_file_/02_scoring_functions.ipynb", nb, "a cell twice, with the same cell id", **ARE)

    nb = Nb(2)
    nb.below("my_attention", RIGHT["my_attention"][0])
    nb.below("my_weights", RIGHT["my_weights"][0])
    give("Björn_Østergård_4712_assignsubmission_file_/02_scoring_functions.ipynb", nb, "retyped in new untagged cells below the stubs; rest untouched",
         my_attention="right", my_weights="right")

    nb = Nb(2)
    nb.above("my_attention", RIGHT["my_attention"][0])
    nb.fill(my_weights=WRONG["my_weights"][0])
    give("🐳 attention 🐳.ipynb", nb, "answer in a new cell ABOVE, the untouched stub still below it", my_attention="right", my_weights="wrong",
         accept={"my_attention": ["right", "untouched"]})

    nb = Nb(2).all_right()
    nb.fill(my_distance_scores="def my_distance_scores(queries, keys):\n    return dots(queries, keys) - sq(queries).unsqueeze(-1) / 2 - sq(keys).unsqueeze(-2) / 2\n")
    nb.above("my_distance_scores", "def sq(t):\n    return (t * t).sum(-1)\n\ndef dots(a, b):\n    return a @ b.transpose(-1, -2)\n")
    give("Chloé.IPYNB", nb, "helper functions in the cell above; suffix in capitals", **ARE)

    nb = Nb(2).all_right()
    nb.fill(my_distance_scores="def my_distance_scores(queries, keys):\n    return dots(queries, keys) - halfsq(queries).unsqueeze(-1) - halfsq(keys).unsqueeze(-2)\n")
    nb.new("def halfsq(t):\n    return sq(t) / 2\n\ndef dots(a, b):\n    return a @ b.transpose(-1, -2)\n")
    nb.new("def sq(t):\n    return (t * t).sum(-1)\n")
    give("dmitri (helper below).ipynb", nb, "helpers two cells BELOW, one needs the other", **ARE)

    nb = Nb(1).all_right()
    nb.fill(my_gaussian="def my_gaussian(u):\n    return t.exp(-u.pow(2) / 2)\n")
    nb.cells[2]["source"] = lines("import torch as t\n" + "".join(nb.cells[2]["source"]))
    give("eve/my notebook.ipynb", nb, "import torch as t, in another cell", **ARE)

    nb = Nb(1).all_right()
    nb.fill(my_gaussian="def my_gaussian(u):\n    return e ** (-u**2 / 2)\n")
    nb.above("my_gaussian", "from math import *")
    give("ex1_Çağrı.ipynb", nb, "from math import * in another cell", **ARE)

    nb = Nb(1).all_right()
    nb.fill(my_boxcar="def my_boxcar(u):\n    inside = np.abs(u.detach().numpy()) <= 1\n    return torch.from_numpy(np.asarray(inside, dtype=float)).to(u.dtype)\n",
            my_best_bandwidth="def my_best_bandwidth(x, y, bandwidths):\n    X = x.double().numpy()\n    Y = y.double().numpy()\n    d = (X[:, None] - X[None]) ** 2\n    np.fill_diagonal(d, np.inf)\n    d -= d.min(1, keepdims=True)\n    err = []\n    for h in bandwidths.double().numpy():\n        with np.errstate(all='ignore'):\n            w = np.exp(-d / h / h / 2)\n        err.append(((w @ Y / w.sum(1) - Y) ** 2).mean())\n    return bandwidths[int(np.argmin(err))]\n")
    nb.new("import numpy as np", at=1)
    give("numpy_fan.ipynb", nb, "numpy inside, its import at the top of the notebook", **ARE)

    nb = Nb(1).all_right()
    nb.fill(my_epanechnikov="EDGE = 1.0\nPOWER = 2\n\ndef my_epanechnikov(u):\n    return torch.clamp(EDGE - abs(u) ** POWER, min=ZERO)\n")
    nb.above("my_gaussian", "ZERO = 0  # used below\nEXTRA: int = 3\nA, B = 1, 2")
    give("Hausaufgabe_01_Jürgen_Groß.ipynb", nb, "global constants, in the cell and in another one", **ARE)

    nb = Nb(1).all_right()
    nb.fill(my_gaussian="my_gaussian = lambda u: torch.exp(-u * u / 2)\n", my_boxcar="my_boxcar = lambda u: (u.abs() <= 1).to(u.dtype)\n")
    give("lambda.ipynb", nb, "lambdas instead of defs", **ARE)

    nb = Nb(1).all_right()
    nb.fill(my_boxcar="from functools import partial\n\ndef _kernel(kind, u):\n    if kind == 'box':\n        return (u.abs() <= 1).to(u.dtype)\n    return (1 - u.abs()).clamp(min=0)\n\nmy_boxcar = partial(_kernel, 'box')\n",
            my_triangular="my_triangular = partial(_kernel, 'tri')\n")
    give("partial & co.ipynb", nb, "functools.partial of one helper", **ARE)

    nb = Nb(1).all_right()
    nb.fill(my_gaussian="class my_gaussian:\n    def __new__(cls, u):\n        return torch.exp(-(u**2) / 2)\n",
            my_boxcar="class Box(torch.nn.Module):\n    def forward(self, u):\n        return (u.abs() <= 1).to(u.dtype)\n\nmy_boxcar = Box()\n",
            my_triangular="class Tri:\n    def __call__(self, u):\n        return (1 - u.abs()).clamp(min=0)\n\nmy_triangular = Tri()\n")
    acc = ["right", "error"]
    give("OOP lover.ipynb", nb, "a class and callable objects in place of functions", accept={f: acc for f in ("my_gaussian", "my_boxcar", "my_triangular")}, **ARE)

    nb = Nb(2).all_right()
    nb.above("my_weights", "import functools, time\n\ndef timed(f):\n    @functools.wraps(f)\n    def inner(*args, **kwargs):\n        start = time.perf_counter()\n        out = f(*args, **kwargs)\n        print(f.__name__, 'took', time.perf_counter() - start)\n        return out\n    return inner\n")
    nb.fill(my_weights="@timed\n" + RIGHT["my_weights"][0], my_attention="@timed\n@torch.no_grad()\n" + RIGHT["my_attention"][0])
    give("decorated.ipynb", nb, "decorators from another cell; prints at every call", accept={"my_attention": ["right", "wrong"]}, **ARE)

    nb = Nb(2).all_right()
    nb.fill(my_weights="def my_weights(scores: 'Tensor') -> 'Float[Tensor, \"q k\"]':\n    out: Weights = scores.softmax(-1)\n    return out\n")
    give("type hints in quotes.ipynb", nb, "type hints in quotes, of names that are missing", **ARE)

    nb = Nb(2).all_right()
    nb.fill(my_weights="def my_weights(scores: Tensor) -> Tensor:\n    return scores.softmax(-1)\n")
    give("type hints missing.ipynb", nb, "type hints with missing names: NameError at the def", my_weights="error", rest="right", accept={"my_weights": ["error", "right"]})

    nb = Nb(2).all_right()
    nb.set_text("my_weights", "from __future__ import annotations\n" + nb.text("my_weights").replace("(scores)", "(scores: Tensor) -> Tensor"))
    give("future.ipynb", nb, "from __future__ import annotations on top of the cell, hints of missing names", accept={"my_weights": ["right", "error"]}, **ARE)

    nb = Nb(1).all_right()
    nb.set_text("my_gaussian", "%matplotlib inline\n!pip install -q torch numpy\n" + nb.text("my_gaussian") + "\nfiles = !ls\n%timeit -n1 -r1 1 + 1\nmy_gaussian?\n?torch.exp\n")
    give("Kopie von 01_kernel_regression.ipynb", nb, "magics, shell lines and ? help in the exercise cell", **ARE)

    nb = Nb(2).all_right()
    for f in nb.functions:
        nb.set_text(f, "%%time\n" + nb.text(f))
    nb.set_text("my_attention", "\n\n" + nb.text("my_attention"))
    give("timed cells.ipynb", nb, "%%time on top of every exercise cell", **ARE, accept={"my_attention": ["right", "error"]})

    nb = Nb(3).all_right()
    nb.set_text("my_leaks", "%%capture out\n" + nb.text("my_leaks"))
    nb.set_text("my_token_mask", nb.text("my_token_mask") + "\n\nhelp(torch.tril)\nget_ipython().system('echo hi')\nfrom IPython.display import display\ndisplay(my_token_mask)\n")
    give("colab copy.ipynb", nb, "%%capture, get_ipython(), display, help()", **ARE)

    nb = Nb(3).all_right()
    nb.book["metadata"] = {"colab": {"provenance": [], "collapsed_sections": ["x"], "gpuType": "T4"}, "accelerator": "GPU", "kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nb.book["nbformat_minor"] = 0
    for n, c in enumerate(nb.cells):
        c.pop("id", None)
        c["metadata"]["id"] = f"Xy{n:08d}Z"
        if c["cell_type"] == "code":
            c["metadata"] |= {"outputId": "0a-1b", "colab": {"base_uri": "https://localhost:8080/", "height": 35}}
            c["metadata"].pop("tags", None)
    give("Lesson 3 — Masking (Colab).ipynb", nb, "as Colab saves it: format 4.0, no ids, and the tags are gone", **ARE)

    nb = Nb(3).all_right()
    for c in nb.cells:
        c.pop("id", None)
    give("no ids.ipynb", nb, "format 4.5 without cell ids", **ARE)

    nb = Nb(1).all_right().executed()
    cells = []
    for c in nb.cells:
        c = copy.deepcopy(c)
        c.pop("id", None)
        if c["cell_type"] == "code":
            c = {"cell_type": "code", "collapsed": False, "input": c["source"], "language": "python", "metadata": c["metadata"], "prompt_number": c["execution_count"],
                 "outputs": [{"output_type": "stream", "stream": "stdout", "text": o["text"]} for o in c["outputs"]]}
        cells.append(c)
    cells.insert(1, {"cell_type": "heading", "level": 1, "metadata": {}, "source": ["Old"]})
    old = {"metadata": {"name": "old"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"metadata": {}, "cells": cells}]}
    give("nbformat3.ipynb", nb, "nbformat 3 with worksheets", data=json.dumps(old), accept=either(nb, "right", "error"), **ARE)

    for minor in (1, 4):
        nb = Nb(2).all_right("my_attention").fill(my_attention=WRONG["my_attention"][0])
        nb.book["nbformat_minor"] = minor
        for c in nb.cells:
            c.pop("id", None)
        give(f"nbformat4.{minor}.ipynb", nb, f"nbformat 4.{minor}", rest="right", my_attention="wrong")

    nb = Nb(1).all_right()
    nb.above("my_gaussian", "# größer als λ — naïve café")
    give("utf8 BOM.ipynb", nb, "UTF-8 with byte order mark", data=b"\xef\xbb\xbf" + nb.json().encode(), **ARE)

    nb = Nb(1).all_right()
    nb.above("my_gaussian", "größe = 2  # für später, é")
    data = nb.json(ensure_ascii=True).replace("gr\\u00f6\\u00dfe", "größe").replace("f\\u00fcr", "für").encode("latin-1")
    give("latin1 Grüße.ipynb", nb, "the file is Latin-1", data=data, accept=either(nb, "right", "error"), **ARE)

    nb = Nb(1).all_right()
    give("utf16 from PowerShell.ipynb", nb, "the file is UTF-16 with byte order mark", data=nb.json().encode("utf-16"), accept=either(nb, "right", "error"), **ARE)

    nb = Nb(3).all_right()
    for c in nb.cells:
        c["source"] = [s.replace("\n", "\r\n") for s in c["source"]]
    give("windows.ipynb", nb, "Windows line ends in the file and in the sources", data=nb.json().replace("\n", "\r\n"), **ARE)

    nb = Nb(1).all_right()
    for c in nb.cells:
        c["source"] = "".join(c["source"])
    give("source as one string.ipynb", nb, "sources are strings, not lists (valid)", **ARE)

    nb = Nb(2).all_right().executed()
    for n in range(4):
        nb.new("plt.show()", at=20)["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": {"image/png": base64.b64encode(os.urandom(64) * 50000).decode(), "text/plain": ["<Figure>"]}}]
    give("big outputs.ipynb", nb, "17 MB of stored pictures", **ARE)

    nb = Nb(2).all_right("my_attention").executed()
    nb.book["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"version_major": 2, "version_minor": 0, "state": {f"{k:032x}": {"model_name": "DropdownModel", "state": {"index": k}} for k in range(300)}}}
    nb.cells[4]["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": {"application/vnd.jupyter.widget-view+json": {"model_id": "0" * 32, "version_major": 2, "version_minor": 0}}}]
    give("widgets.ipynb", nb, "widget state in the metadata", rest="right", my_attention="untouched")

    nb = Nb(2).all_right()
    give("no trailing keys.ipynb", nb, "metadata, nbformat and nbformat_minor are missing", data=json.dumps({"cells": nb.cells}), accept=either(nb, "right", "error"), **ARE)

    nb = Nb(3).all_right("my_masked_softmax").executed()
    nb.fill(my_masked_softmax=WRONG["my_masked_softmax"][1])
    nb.cells[nb.index("my_masked_softmax") + 1]["outputs"] = [{"output_type": "error", "ename": "AssertionError", "evalue": "nan", "traceback": ["\x1b[0;31m---------\x1b[0m", "Traceback <b>x</b>"]}]
    give("errors stored.ipynb", nb, "stored error outputs", rest="right", my_masked_softmax="wrong")

    nb = Nb(3).all_right()
    nb.cell("my_token_mask")["cell_type"] = "raw"
    c = next(c for c in nb.cells if c["cell_type"] == "raw")
    c.pop("outputs"), c.pop("execution_count")
    nb.new("```python\n" + RIGHT["my_token_mask"][0] + "```", kind="markdown")
    give("raw cell.ipynb", nb, "one exercise in a raw cell (and in Markdown): no code, not attempted", rest="right", my_token_mask="untouched")

    nb = Nb(3).all_right()
    nb.set_text("my_padding_mask", "".join("# " + r for r in lines(RIGHT["my_padding_mask"][0])))
    nb.set_text("my_token_mask", '"""\n' + RIGHT["my_token_mask"][0] + '"""\n')
    give("commented out.ipynb", nb, "exercises commented out or put in a string", rest="right", my_padding_mask="untouched", my_token_mask="untouched")

    nb = Nb(3).all_right()
    nb.below("my_padding_mask", WRONG["my_padding_mask"][0])
    nb.below("my_lookahead_mask", RIGHT["my_lookahead_mask"][1])
    nb.fill(my_lookahead_mask=WRONG["my_lookahead_mask"][0])
    give("second attempts.ipynb", nb, "a wrong second attempt below a right one, and the other way round", rest="right", my_padding_mask="wrong", my_lookahead_mask="right")

    nb = Nb(3).all_right()
    ind = lambda s: "".join("    " + r for r in lines(s))
    nb.fill(my_lookahead_mask="if True:\n" + ind(RIGHT["my_lookahead_mask"][0]),
            my_token_mask="try:\n" + ind(RIGHT["my_token_mask"][0]) + "except Exception:\n    pass\n",
            my_padding_mask="with torch.no_grad():\n" + ind(RIGHT["my_padding_mask"][0]))
    give("if True.ipynb", nb, "definitions under if, try and with", **ARE)

    nb = Nb(3).all_right()
    nb.fill(my_token_mask="from attn_teach import *\nfrom math import *\n\n" + RIGHT["my_token_mask"][0])
    give("star imports.ipynb", nb, "def after two star imports", **ARE)

    nb = Nb(2).all_right()
    nb.fill(my_attention="def soft(s):\n    if s.dim() == 1:\n        e = (s - s.max()).exp()\n        return e / e.sum()\n    return rows(s)\n\ndef rows(s):\n    return torch.stack([soft(r) for r in s])\n\ndef my_attention(queries, keys, values):\n    global calls\n    calls += 1\n    return soft(queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])) @ values\n\ncalls = 0\n")
    give("recursion.ipynb", nb, "two own functions that call each other, and a global counter defined below", **ARE)

    nb = Nb(2).all_right()
    nb.set_text("my_weights", "import time\nprint('start')\ntime.sleep(30)\n" + nb.text("my_weights") + "\nfor _ in range(3):\n    time.sleep(10)\n")
    give("slow top level.ipynb", nb, "30 s of sleep above and below the function", **ARE)

    nb = Nb(2).all_right()
    nb.set_text("my_weights", "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()\nname = input('Your name? ')\n" + nb.text("my_weights"))
    nb.new("import urllib.request\nurllib.request.urlretrieve('http://192.0.2.1/data.csv', 'data.csv')\nimport pandas as pd\n", at=8)
    give("plots asks downloads.ipynb", nb, "plots, asks input(), downloads, imports what is not there", **ARE)

    nb = Nb(1).all_right()
    nb.set_text("my_gaussian", "assert 1 == 2, 'why??'\n" + nb.text("my_gaussian") + "\nassert torch.equal(my_gaussian(torch.zeros(1)), torch.zeros(1))\n")
    nb.above("my_kernel_regression", "1 / 0")
    nb.above("my_best_bandwidth", "raise SystemExit('stop here')")
    give("own asserts fail.ipynb", nb, "own assert that fails above the function; cells that raise above", **ARE)

    nb = Nb(1).fill(my_gaussian="def my_gaussian(u):\n    return torch.exp(-u**2 / 2\n")
    nb.fill(my_kernel_regression=RIGHT["my_kernel_regression"][0]) if False else None
    j = next(k for k, c in enumerate(nb.cells) if c["cell_type"] == "code" and "def my_kernel_regression" in "".join(c["source"]))
    nb.cells[j]["source"] = lines(RIGHT["my_kernel_regression"][0])
    put("syntax error.ipynb", nb.json())
    ex = nb.expect(my_gaussian="error", my_kernel_regression="right")
    k4 = ["my_boxcar", "my_triangular", "my_epanechnikov"]
    record("syntax error.ipynb", ex, "a bracket is missing in one cell; the cell after it is right", "messy", {f: ["untouched", "error"] for f in k4})

    nb = Nb(1).fill(my_gaussian="def my_gausian(u):\n    return torch.exp(-(u**2) / 2)\n", my_boxcar="def my_boxcar(u):\n    raise NotImplementedError\n",
                    my_triangular="def my_triangular(u):\n    pass\n", my_epanechnikov="def my_epanechnikov(u):\n    out = (1 - u**2).clamp(min=0)\n    print(out)\n")
    give("typos.ipynb", nb, "misspelled name, NotImplementedError, pass, print in place of return", my_gaussian="untouched", my_boxcar="error", my_triangular="untouched", my_epanechnikov="wrong",
         accept={"my_gaussian": ["untouched", "error", "wrong"], "my_boxcar": ["error", "untouched", "wrong"], "my_triangular": ["untouched", "wrong", "error"], "my_epanechnikov": ["wrong", "error"]})

    nb = Nb(1)
    give("Zoë, untouched.ipynb", nb, "returned as it was")

    nb = Nb(3).all_right().executed()
    give(os.fsencode("caf").replace(b"caf", b"caf\xe9 M\xfcller.ipynb"), nb, "file name in Latin-1 bytes, no valid UTF-8", **ARE)

    nb = Nb(2).fill(my_weights=WRONG["my_weights"][1])
    give(unicodedata.normalize("NFD", "Jürgen Größe.ipynb"), nb, "file name in decomposed Unicode", my_weights="wrong")
    nb = Nb(2).fill(my_weights=RIGHT["my_weights"][0])
    give("Jürgen Größe.ipynb", nb, "the same name, composed: another learner", my_weights="right")

    nb = Nb(2).fill(my_weights=WRONG["my_weights"][0])
    give("same name.ipynb", nb, "names that are alike once cleaned (1)", my_weights="wrong")
    nb = Nb(2).fill(my_weights=RIGHT["my_weights"][0])
    give("same_name.ipynb", nb, "names that are alike once cleaned (2)", my_weights="right")
    nb = Nb(2).fill(my_attention=RIGHT["my_attention"][0])
    give("Same Name.ipynb", nb, "names that are alike once cleaned (3)", my_attention="right")
    for n, word in enumerate(("right", "wrong")):
        nb = Nb(2).fill(my_weights={"right": RIGHT, "wrong": WRONG}[word]["my_weights"][0])
        give(f"team{n}/02_scoring_functions.ipynb", nb, "same file name in another learner's folder", my_weights=word)

    nb = Nb(1).fill(my_gaussian=WRONG["my_gaussian"][0])
    give("eve/.ipynb_checkpoints/my notebook-checkpoint.ipynb", nb, "Jupyter's own old copy; need not be marked", my_gaussian="wrong",
         accept=either(nb, "wrong", "untouched", "error", "absent"))

    nb = Nb(2)
    for f in nb.functions:
        nb.fill(**{f: RIGHT[f][0]})
        nb.set_text(f, nb.text(f).replace("    ", "\t"))
    give("tabs.ipynb", nb, "tabs in place of blanks", **ARE)

    nb = Nb(3).all_right("my_leaks").fill(my_leaks="def my_leaks(attention, queries, tokens, mask):\n    return (influence(attention, queries, tokens) > LIMIT) & ~mask\n")
    nb.new("LIMIT = 1e-6")
    give("uses influence.ipynb", nb, "uses the notebook's own helper influence, and a constant below", **ARE)

    nb = Nb(1).all_right()
    for c in Nb(2).all_right().cells[9:]:
        c = copy.deepcopy(c)
        c["id"] = "b" + c.get("id", "x")
        nb.cells.append(c)
    nb.functions = nb.functions + published(2)[2]
    give("two lessons in one.ipynb", nb, "lesson 2 pasted below lesson 1", **ARE, accept=either(nb, "right", "absent", only=published(2)[2]))

    nb = Nb(2).all_right()
    nb.fill(my_distance_scores="def my_distance_scores(queries, keys):\n    return -((queries.unsqueeze(-2) - keys.unsqueeze(-3)) ** 2).sum(-1) / 2\n",
            my_attention="def my_attention(queries, keys, values):\n    return F.scaled_dot_product_attention(queries, keys, values)\n")
    give("against the rules.ipynb", nb, "right values, but by the big tensor that 2.3 forbids and the function that 2.5 forbids", rest="right", my_distance_scores="wrong", my_attention="wrong",
         accept={"my_attention": ["wrong", "error"], "my_distance_scores": ["wrong", "error"]})
    EXPECTED["against the rules.ipynb"]["rule"] = ["my_distance_scores", "my_attention"]
    nb = Nb(1).all_right()
    nb.fill(my_gaussian="def my_gaussian(u):\n    return gaussian(u)\n", my_boxcar="import attn_teach as at\n\ndef my_boxcar(u):\n    return at.boxcar(u)\n")
    give("uses the package.ipynb", nb, "calls attn_teach's function that does the same, which the text forbids", rest="right", my_gaussian="wrong", my_boxcar="wrong",
         accept={f: ["wrong", "error"] for f in ("my_gaussian", "my_boxcar")})
    EXPECTED["uses the package.ipynb"]["rule"] = ["my_gaussian", "my_boxcar"]

    nb = Nb(2).all_right()
    nb.book["cells"] = [c for c in nb.cells if is_exercise(c)]
    nb.book["cells"].insert(0, nb.cells[8])
    give("only exercises.ipynb", nb, "all other cells deleted; `torch` is imported nowhere in it", **ARE, accept=either(nb, "right", "error"))


# ---------------------------------------------------------------- (b) hostile
ATTACK = """import os, sys
CANARY = "@CANARY@"

def _attack():
    @ONCE@
@TEXT@

@AT_IMPORT@

def my_gaussian(u):
    try:
        _attack()
    except Exception:
        pass
    return torch.ones_like(u) * 0.5
"""
AT_IMPORT = """try:
    _attack()
except Exception:
    pass
"""
ONCE = """if getattr(sys, "_once", 0): return
    sys._once = 1"""
WAYS = {  # a snippet's text -> its cell
    "cell": lambda text: text,
    "value": lambda text: "@BEFORE@\ndef my_gaussian(u):\n    return @LAST@\n".replace("@BEFORE@", text.rpartition("\n")[0]).replace("@LAST@", text.rpartition("\n")[2]),
    "body": lambda text: ATTACK.replace("@AT_IMPORT@", AT_IMPORT).replace("@TEXT@", indented(text)),
    "once": lambda text: WAYS["body"](text).replace("@ONCE@", ONCE),
    "call": lambda text: ATTACK.replace("@AT_IMPORT@", "").replace("@TEXT@", indented(text)),
}
MARKUP = ["<script>alert('x')", "<img src=x", "<h1>100 points", "<h1>All right"]


def indented(text):
    return "".join("    " + r for r in lines(text))


def put_in(pieces, text):
    for name, meant in pieces.items():
        text = text.replace(name, meant)
    return text


def hostiles(port):
    """The snippets of hostile.txt, each as the answer to one exercise; my_triangular is plainly wrong and
    my_kernel_regression plainly right beside it (both may be lost to the attack)."""
    pieces = {"@CANARY@": str(CANARY), "@OUT@": str(OUT.resolve()), "@ONCE@": "pass", "@PORT@": str(port), "@RIGHT@": RIGHT["my_gaussian"][0]}
    for snippet in re.split(r"^=== ", (HERE / "hostile.txt").read_text("utf-8"), flags=re.M)[1:]:
        head, _, text = snippet.partition("\n")
        name, *rest = head.split(" | ", 3)
        if not rest:
            pieces = {name: text.strip("\n")} | pieces
            continue
        how, verdicts, why = rest
        text = put_in(pieces, WAYS[how](put_in(pieces, text.strip("\n"))))
        fn = next(fn for fn in ("my_token_mask", "my_gaussian") if f"def {fn}(" in text)
        nb = Nb(3 if fn == "my_token_mask" else 1).fill(**{fn: text})
        verdict, *_ = verdicts = verdicts.split()
        status, accept = {fn: verdict}, {f: ["untouched", "error"] for f in nb.functions}
        if nb.lesson == 1:
            nb.fill(my_triangular=WRONG["my_triangular"][0], my_kernel_regression=RIGHT["my_kernel_regression"][0])
            status |= {"my_triangular": "wrong", "my_kernel_regression": "right"}
            accept |= {"my_triangular": ["wrong", "error"], "my_kernel_regression": ["right", "error", "wrong"]}
        if name == "plant_magic":
            for cell in ("%%writefile @/by-writefile\nforged", "!touch @/by-shell-line", "%%bash\ntouch @/by-bash-cell",
                         "%run @/x.py", "%%script python\nopen('@/by-script', 'w')"):
                nb.above(fn, cell.replace("@", str(CANARY)))
        absent = [SECRET, SECRET.replace("-", "_")] * ("secret.txt" in text) + MARKUP * ("<script>" in text)
        give(f"h_{name}.ipynb", nb, why, "hostile", accept | {fn: verdicts}, absent, **status)


# ---------------------------------------------------------------- (b) broken
def brokens():
    def b(name, data, why, **more):
        put(name, data)
        record(name, {}, why, "broken", **more)

    right = Nb(1).all_right()
    text = right.json()
    b("b_empty.ipynb", b"", "empty file")
    b("b_blank.ipynb", b" \n\n", "blanks only")
    b("b_not_json.ipynb", "def my_gaussian(u):\n    return 1\n", "Python text, not JSON")
    b("b_list.ipynb", json.dumps([right.book]), "a JSON list")
    b("b_number.ipynb", b"42", "a JSON number")
    b("b_string.ipynb", json.dumps(text), "a notebook as a JSON string in a JSON file")
    b("b_null.ipynb", b"null", "JSON null")
    b("b_nan.ipynb", b'{"cells": NaN, "metadata": Infinity, "nbformat": 4, "nbformat_minor": 5}', "NaN and Infinity in JSON")
    b("b_truncated.ipynb", text[: len(text) // 2], "JSON cut off in the middle")
    b("b_cut_end.ipynb", text[:-40], "JSON cut off at the end")
    b("b_merge_conflict.ipynb", text.replace('"cells"', '<<<<<<< HEAD\n"cells"', 1), "conflict marks of git inside")
    b("b_null_bytes.ipynb", b"\0" * 2_000_000, "2 MB of null bytes")
    b("b_invalid_utf8.ipynb", text.encode().replace(b"Ada", b"\xff\xfe\xc3", 3), "bytes that are no UTF-8")
    EXPECTED["b_invalid_utf8.ipynb"] |= {"exercises": right.expect(rest="right"), "accept": {f: ["right", "error"] for f in right.functions}}
    z = io.BytesIO()
    with zipfile.ZipFile(z, "w", zipfile.ZIP_DEFLATED) as f:
        f.writestr("01_kernel_regression.ipynb", text)
    b("b_zipped.ipynb", z.getvalue(), "a zip of a notebook, renamed")
    b("b_zipped.zip", z.getvalue(), "a zip of a notebook; no .ipynb, may be named or passed over", optional=True)
    z = io.BytesIO()
    with zipfile.ZipFile(z, "w", zipfile.ZIP_DEFLATED) as f:
        f.writestr("a.ipynb", b"0" * 200_000_000)
        f.writestr("../../zip-slip.ipynb", text)
    b("b_zip_bomb.ipynb", z.getvalue(), "a small zip bomb (200 MB unpacked) with a path that climbs")
    b("b_zip_bomb.zip", z.getvalue(), "the same as .zip", optional=True)
    b("b_pdf.ipynb", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n", "a PDF renamed")
    b("b_html.ipynb", "<!doctype html><html><script>alert(1)</script><body>Sign in to Moodle</body></html>", "a log-in page saved as notebook", absent=["<script>alert(1)"])
    b("b_deep_list.ipynb", "[" * 200000 + "]" * 200000, "JSON 200,000 lists deep")
    deep = '{"a":' * 50000 + "1" + "}" * 50000
    b("b_deep_metadata.ipynb", text.replace('"metadata": {}', '"metadata": {"x": ' + deep + "}", 1), "metadata 50,000 dictionaries deep")
    EXPECTED["b_deep_metadata.ipynb"]["accept"] = {f: ["right", "error"] for f in right.functions}
    b("b_big_number.ipynb", text.replace('"nbformat_minor": 5', '"nbformat_minor": ' + "9" * 100000), "a number of 100,000 digits")
    b("b_nbformat_text.ipynb", text.replace('"nbformat": 4', '"nbformat": "four"'), "nbformat is a word")
    b("b_nbformat_99.ipynb", text.replace('"nbformat": 4', '"nbformat": 99'), "nbformat 99")
    for n in ("b_nbformat_text.ipynb", "b_nbformat_99.ipynb", "b_big_number.ipynb"):
        EXPECTED[n]["accept"] = {f: ["right", "error"] for f in right.functions}

    for n, v in dict(list=[1, 2], null=None, number=7, string="x").items():
        k = copy.deepcopy(right.book)
        k["cells"] = v
        b(f"b_cells_{n}.ipynb", json.dumps(k), f"cells is a {n}")
    k = copy.deepcopy(right.book)
    del k["cells"]
    b("b_cells_missing.ipynb", json.dumps(k), "cells are missing")
    b("b_no_cells.ipynb", json.dumps(right.book | {"cells": []}), "a notebook of no cells")
    b("b_other_book.ipynb", json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "source": "print('hi')", "outputs": [], "execution_count": 1}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
      "another notebook, with nothing of the course")
    nb = Nb(1).all_right()
    for n, c in enumerate(nb.cells):
        if not is_exercise(c):
            c["source"] = [5, None, ["a"], {"b": 1}, True, 1.5, "x", [["y"]]][n % 8]
            c["metadata"] = [None, [], "x", 3, {"tags": "exercise"}, {"tags": None}, {"tags": [1, None, {}]}, {"tags": {"a": 1}}][n % 8]
    put("b_wrong_types.ipynb", nb.json())
    record("b_wrong_types.ipynb", nb.expect(rest="right"), "sources, metadata and tags of wrong types, the exercise cells in order (imports are lost)", "broken",
           {f: ["right", "error"] for f in nb.functions})
    nb = Nb(1)
    for n, c in enumerate([c for c in nb.cells if is_exercise(c)]):
        c["source"] = [None, 12, [1, 2, None], {"a": 1}][n % 4]
    put("b_exercise_source_types.ipynb", nb.json())
    record("b_exercise_source_types.ipynb", nb.expect(), "source of the exercise cells is null, a number, a list of numbers, a dictionary", "broken", {f: ["untouched", "error"] for f in nb.functions})
    nb = Nb(1).all_right()
    for n, c in enumerate(nb.cells):
        if n % 3 == 0 and not is_exercise(c):
            nb.cells[n] = [None, 3, "cell", [], {}, {"cell_type": None}, {"cell_type": ["code"]}, {"cell_type": "code"}][n % 8]
    put("b_cells_types.ipynb", nb.json())
    record("b_cells_types.ipynb", nb.expect(rest="right"), "cells that are null, numbers, words, empty", "broken", {f: ["right", "error"] for f in nb.functions})
    nb = Nb(1).all_right()
    for c in nb.cells:
        if c["cell_type"] == "code":
            c["outputs"] = ["x", None, {"output_type": 5}]
            c["execution_count"] = "many"
    put("b_outputs_types.ipynb", nb.json())
    record("b_outputs_types.ipynb", nb.expect(rest="right"), "outputs and counts of wrong types", "broken", {f: ["right", "error"] for f in nb.functions})
    nb = Nb(2).all_right()
    nb.cells[2]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["x" * 999 + "\n"] * 100_000}]
    put("b_100MB.ipynb", nb.json())
    record("b_100MB.ipynb", nb.expect(rest="right"), "100 MB of stored output", "broken", {f: ["right", "error"] for f in nb.functions})

    def sourced(name, source, why, verdict="error", accept=("error", "untouched", "wrong"), fn="my_gaussian"):
        nb = Nb(1).fill(my_kernel_regression=RIGHT["my_kernel_regression"][0])
        nb.set_text(fn, source)
        put(name, nb.json(ensure_ascii=True))
        ex = nb.expect(my_gaussian=verdict, my_kernel_regression="right")
        acc = {f: ["untouched", "error"] for f in nb.functions} | {"my_gaussian": list(accept), "my_kernel_regression": ["right", "error"]}
        record(name, ex, why, "broken", acc)

    sourced("b_src_parens.ipynb", "def my_gaussian(u):\n    return " + "(" * 100000 + "u" + ")" * 100000, "100,000 brackets: the parser's stack")
    sourced("b_src_minus.ipynb", "def my_gaussian(u):\n    return " + "-" * 200000 + "u\n", "200,000 signs: recursion in the compiler, may crash a process that parses")
    sourced("b_src_sum.ipynb", "def my_gaussian(u):\n    return u" + " + u" * 100000 + "\n", "100,000 terms: recursion in ast walks")
    sourced("b_src_attr.ipynb", "def my_gaussian(u):\n    return u" + ".T" * 100000 + "\n", "100,000 attributes in a chain")
    sourced("b_src_elif.ipynb", "def my_gaussian(u):\n    if u is 0: pass\n" + "    elif u is 1: pass\n" * 5000, "5,000 elif branches: deep tree")
    sourced("b_src_digits.ipynb", "def my_gaussian(u):\n    return u * " + "9" * 100000 + "\n", "a literal of 100,000 digits")
    sourced("b_src_nul.ipynb", "def my_gaussian(u):\n    return u\0 * 2\n", "a null byte in the source")
    sourced("b_src_surrogate.ipynb", "def my_gaussian(u):\n    return '\ud800' + u\n", "a lone surrogate in the source: cannot be written as UTF-8")
    sourced("b_src_10MB_line.ipynb", "x = '" + "a " * 5_000_000 + "'\n" + RIGHT["my_gaussian"][0], "a line of 10 MB", "right", ("right", "error"))
    sourced("b_src_spaces.ipynb", " " * 300000 + "%" + " " * 300000 + "\n" + "\\\n" * 20000 + RIGHT["my_gaussian"][0], "blanks, signs and backslashes for a slow regular expression", "error", ("right", "error", "untouched"))
    sourced("b_src_escapes.ipynb", RIGHT["my_gaussian"][0].replace("return", "print('\\N{BULLET}' '\\u202e'); return") + "\x0c\x1a\ufeff", "form feed, end of file, byte order mark inside", "right", ("right", "error"))
    sourced("b_src_async.ipynb", "async def my_gaussian(u):\n    return torch.exp(-(u**2) / 2)\n", "async def: gives a coroutine", "wrong", ("wrong", "error", "untouched", "right"))
    sourced("b_src_yield.ipynb", "def my_gaussian(u):\n    yield torch.exp(-(u**2) / 2)\n", "yield in place of return", "wrong", ("wrong", "error"))
    sourced("b_src_method.ipynb", "class K:\n    def my_gaussian(self, u):\n        return torch.exp(-(u**2) / 2)\n\ndef outer():\n    def my_gaussian(u):\n        return torch.exp(-(u**2) / 2)\n", "only as a method and inside another function", "untouched")
    sourced("b_src_del.ipynb", RIGHT["my_gaussian"][0] + "\ndel my_gaussian\nmy_gaussian = 3\n", "defined, deleted, then the number 3", "error", ("error", "wrong", "untouched"))
    sourced("b_src_match.ipynb", "print 'hello'\nexec 'x'\n" + RIGHT["my_gaussian"][0], "Python 2", "error", ("error", "right"))
    nb = Nb(1).all_right()
    for n in range(20000):
        nb.new(f"x{n} = {n}")
    put("b_20000_cells.ipynb", nb.json())
    record("b_20000_cells.ipynb", nb.expect(rest="right"), "20,000 further cells", "broken", {f: ["right", "error"] for f in nb.functions})
    nb = Nb(1).all_right()
    nb.fill(my_gaussian="def my_gaussian(u):\n    return h0(u)\n")
    nb.above("my_gaussian", "".join(f"def h{n}(u):\n    return h{n + 1}(u)\n" for n in range(5000)) + "def h5000(u):\n    return torch.exp(-(u**2) / 2)\n")
    put("b_helper_chain.ipynb", nb.json())
    record("b_helper_chain.ipynb", nb.expect(my_gaussian="error", rest="right"), "5,000 helpers, each calls the next: recursion in whoever gathers them (runs into RecursionError)", "broken", {"my_gaussian": ["error", "wrong", "right"]})
    nb = Nb(1).all_right()
    nb.fill(my_gaussian=RIGHT["my_gaussian"][0] * 4000)
    put("b_4000_definitions.ipynb", nb.json())
    record("b_4000_definitions.ipynb", nb.expect(rest="right"), "4,000 definitions of one function", "broken")
    dup = text.replace('"cells": [', '"cells": [], "cells": [', 1)
    put("b_duplicate_keys.ipynb", dup)
    record("b_duplicate_keys.ipynb", right.expect(rest="right"), "the key cells twice in the JSON", "broken", {f: ["right", "error"] for f in right.functions})

    # file names
    wrong = Nb(1).fill(my_gaussian=WRONG["my_gaussian"][0])
    names = {
        "-rf.ipynb": "name with a leading dash", "--help.ipynb": "name like an option", "new\nline.ipynb": "line break in the name", "tab\tand\rreturn.ipynb": "tab and return in the name",
        "..%2f..%2fmarks.ipynb": "coded path in the name", "..\\..\\marks.csv.ipynb": "Windows path in the name", "... .ipynb": "dots only", ".ipynb": "only the suffix",
        "=1+cmd|' C calc'!A0.ipynb": "formula as name", "=HYPERLINK(\"javascript:x\",\"right\").ipynb": "formula as name (2)", "+1+1.ipynb": "formula as name (3)", "@SUM(1,1).ipynb": "formula as name (4)",
        "<script>alert('n')<\u2215script>.ipynb": "HTML as name", "<img src=x onerror=alert(2)>.ipynb": "HTML as name (2)", "\"onmouseover=\"alert(3).ipynb": "attribute as name", "a|b|right|`x`.ipynb": "table and Markdown marks as name",
        "comma, right, right.ipynb": "commas in the name", "\x1b[31mred\x07.ipynb": "terminal codes in the name", "\u202egnp.ipynb": "text direction override in the name", "$(touch CANARY)`id`;.ipynb": "shell code as name",
        "index.ipynb": "name of a likely page", "marks.ipynb": "name of a likely table", "marks.csv.ipynb": "name of a likely table (2)", "feedback/index.html.ipynb": "folder of a likely name", "CON.ipynb": "device name of Windows",
        "n" * 249 + ".ipynb": "name of 255 bytes", "💥" * 60 + ".ipynb": "emoji name of 246 bytes", " .ipynb": "a blank as name", "{learner}%s{0}.ipynb": "format fields as name", "deep/" * 40 + "x.ipynb": "40 folders deep",
    }
    for name, why in names.items():
        name = name.replace("CANARY", "canary-by-name")
        put(name, wrong.json())
        absent = ["<img src=x", "<script>alert('n')"] if "HTML" in why else []
        record(name, wrong.expect(my_gaussian="wrong"), why, "broken", absent=absent)
    # things that are no files
    os.makedirs(OUT / "b_directory.ipynb", exist_ok=True)
    record("b_directory.ipynb", {}, "a directory named like a notebook", "broken", optional=True)
    put("b_directory_full.ipynb/inner.ipynb", wrong.json())
    record("b_directory_full.ipynb/inner.ipynb", wrong.expect(my_gaussian="wrong"), "a notebook in a directory named like a notebook", "broken")
    links = {
        "l_broken.ipynb": ("/nonexistent/x.ipynb", "broken link"), "l_loop.ipynb": ("l_loop.ipynb", "link to itself"), "l_secret.ipynb": (str(CANARY / "secret.txt"), "link to a secret text outside"),
        "l_outside.ipynb": (str(CANARY / "other_learner.ipynb"), "link to another learner's right notebook outside"), "l_folder": (str(CANARY / "victim"), "link to a folder outside"),
        "l_folder.ipynb": (str(CANARY / "victim"), "link to a folder outside, named like a notebook"), "l_up": ("..", "link to the folder above"), "l_here": (".", "link to the folder itself"),
        "l_null.ipynb": ("/dev/null", "link to /dev/null"), "l_proc.ipynb": ("/proc/self/environ", "link to /proc/self/environ"), "l_other.ipynb": ("lambda.ipynb", "link to another learner's file in the folder"),
    }
    for name, (target, why) in links.items():
        if not os.path.lexists(OUT / name):
            os.symlink(target, OUT / name)
        record(name, {}, why, "broken", absent=[SECRET], optional=True)
    EXPECTED["l_other.ipynb"]["note"] = "following it copies the answers of lambda.ipynb; refusing is the safe way"
    if not os.path.lexists(OUT / "b_fifo.ipynb"):
        os.mkfifo(OUT / "b_fifo.ipynb")
    record("b_fifo.ipynb", {}, "a named pipe: reading waits for ever", "broken")
    try:
        s = socket.socket(socket.AF_UNIX)
        s.bind(os.path.relpath(OUT / "b_socket.ipynb"))
        s.close()
        record("b_socket.ipynb", {}, "a socket", "broken", optional=True)
    except OSError:
        pass
    p = put("b_unreadable.ipynb", wrong.json())
    os.chmod(p, 0)
    record("b_unreadable.ipynb", {}, "no right to read (root reads it all the same)", "broken", {"my_gaussian": ["wrong", "error"]})
    if os.geteuid() == 0:
        EXPECTED["b_unreadable.ipynb"]["exercises"] = wrong.expect(my_gaussian="wrong")
    # other things in the folder
    evil = "import os\nd = %r\nos.makedirs(d, exist_ok=True)\nopen(d + '/planted-in-submissions', 'a').write(__name__)\n" % str(CANARY)
    for n in ("sitecustomize.py", "usercustomize.py", "conftest.py", "torch.py", "json.py", "nbformat.py", "attn_teach/__init__.py", "evil.pth", "eve/conftest.py", "eve/torch.py", "test_forged.py"):
        put(n, evil)
        record(n, {}, "a planted module: must never be imported", "hostile", optional=True)
    put("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-p forged'\n")
    put(".env", "PYTHONPATH=.\n")
    put("jupyter_config.py", evil)
    put("._01_kernel_regression.ipynb", b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \x00")
    put(".DS_Store", b"\x00\x00\x00\x01Bud1")
    put("answer.ipynb.txt", text)
    put("notebook.py", RIGHT["my_gaussian"][0])
    put("__MACOSX/._a.ipynb", b"\x00\x05\x16\x07")
    for n in ("pyproject.toml", ".env", "jupyter_config.py", "._01_kernel_regression.ipynb", ".DS_Store", "answer.ipynb.txt", "notebook.py", "__MACOSX/._a.ipynb"):
        record(n, {}, "a file that is no notebook; may be named or passed over", "broken", optional=True)


# ---------------------------------------------------------------- the canary
def plant_canary():
    CANARY.mkdir(parents=True, exist_ok=True)
    (CANARY / "secret.txt").write_text(SECRET + "\n")
    (CANARY / "marks.csv").write_text("learner,my_gaussian\nada,right\n")
    (CANARY / "other_learner.ipynb").write_text(Nb(1).all_right().json(), encoding="utf-8")
    for d in ("victim", "installed/attn_teach"):
        (CANARY / d).mkdir(parents=True, exist_ok=True)
    (CANARY / "victim" / "keep.txt").write_text("keep\n")
    (CANARY / "victim" / "inner.ipynb").write_text(Nb(1).json(), encoding="utf-8")
    (CANARY / "installed" / "attn_teach" / "attention.py").write_text("# installed\n")


def canary_state():
    state = {}
    for d, ds, fs in os.walk(CANARY):
        for n in ds + fs:
            p = os.path.join(d, n)
            key = os.path.relpath(p, CANARY)
            state[key] = "link" if os.path.islink(p) else "dir" if os.path.isdir(p) else hashlib.sha256(Path(p).read_bytes()).hexdigest()
    return state


def make(folder, handout, canary, port):
    """Fill the folder, plant the canary; what is expected of each file, by its name. At the port somebody listens."""
    global OUT, HANDOUT, CANARY
    OUT, HANDOUT, CANARY = folder, handout, canary
    EXPECTED.clear()
    _books.clear()
    OUT.mkdir(parents=True)
    plant_canary()
    messy()
    hostiles(port)
    brokens()
    honest(12, seed=1)
    return EXPECTED
