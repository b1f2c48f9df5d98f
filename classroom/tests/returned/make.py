"""A class of returned notebooks, and what is expected of each: `expected = make(folder, handout, canary)`.

Each entry: {"exercises": {function: main verdict}, "accept": {function: [verdicts that are all right]}, "kind":
messy | hostile | broken, "absent": [texts that must stand in no page and no table]}. Nothing here runs
submitted code; whatever a notebook tries to write lies below the canary folder.
"""

import ast
import base64
import hashlib
import io
import json
import os
import re
import unicodedata
import zipfile
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell

SECRET = "CANARY-SECRET-7f3a91"
MARKUP = ["<script>alert('x')", "<img src=x", "<h1>100 points", "<h1>All right"]
HANDOUT = CANARY = OUT = None  # `make` sets them
EXPECTED = {}


def parts(name):
    """The (head, text) of each part of a file beside this one."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    return re.findall(r"^=== (.*)\n((?:(?!===).*\n)*)", text, flags=re.M)


RIGHT, WRONG = {}, {}
for head, source in parts("answers.txt"):
    name, _, verdict = head.partition(" | ")
    {"right": RIGHT, "wrong": WRONG}[verdict].setdefault(name, []).append(source.rstrip("\n") + "\n")


# ---------------------------------------------------------------- notebooks


def is_exercise(cell):
    return "exercise" in cell["metadata"].get("tags", [])


class Nb:
    """A lesson as it is handed out, and ways to change it; each returns the notebook."""

    def __init__(self, lesson):
        path = next(HANDOUT.glob(f"{lesson:02d}_*.ipynb"))
        self.name, self.book = path.name, nbformat.read(path, 4)
        self.cells = self.book["cells"]
        self.home = {
            name: cell
            for cell in self.cells if is_exercise(cell)
            for name in re.findall(r"^def (my_\w+)", cell["source"], re.M)
        }  # fmt: skip
        self.functions = list(self.home)

    def index(self, fn):
        return next(n for n, cell in enumerate(self.cells) if cell is self.home[fn])

    def fill(self, **answers):
        for fn, source in answers.items():
            text = self.home[fn]["source"]
            node = next(n for n in ast.parse(text).body if getattr(n, "name", "") == fn)
            rows = text.splitlines(keepends=True)
            rows[node.lineno - 1 : node.end_lineno] = [source.rstrip("\n") + "\n"]
            self.home[fn]["source"] = "".join(rows)
        return self

    def right(self, *but):
        return self.fill(**{fn: RIGHT[fn][0] for fn in self.functions if fn not in but})

    def wrong(self, fn, which=0):
        return self.fill(**{fn: WRONG[fn][which]})

    def edit(self, fn, change):
        self.home[fn]["source"] = change(self.home[fn]["source"])
        return self

    def move(self, fn, place):
        self.cells.remove(self.home[fn])
        self.cells.insert(place, self.home[fn])
        return self

    def above(self, fn, *sources):
        for source in sources:
            self.cells.insert(self.index(fn), new_code_cell(source))
        return self

    def below(self, fn, source):
        self.cells.insert(self.index(fn) + 1, new_code_cell(source))
        return self

    def end(self, *sources):
        self.cells += map(new_code_cell, sources)
        return self

    def each(self, change, where=lambda cell: True):
        for cell in filter(where, self.cells):
            change(cell)
        return self

    def executed(self):
        said = [{"output_type": "stream", "name": "stdout", "text": ["run\n"]}]
        return self.each(lambda c: c.update(execution_count=1, outputs=said), is_code)

    def json(self, **how):
        return json.dumps(self.book, ensure_ascii=how.pop("ensure_ascii", False), indent=1, **how)


def is_code(cell):
    return cell["cell_type"] == "code"


def put(name, data):
    """Write a file; its name may be bytes."""
    path = os.path.join(os.fsencode(OUT), os.fsencode(name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)


def give(name, nb, expected="right", kind="messy", data=None, absent=()):
    """Write a notebook. Expected is, such as `right my_a=wrong/error`, the rest's verdict and others'."""
    put(name, nb.json() if data is None else data)
    rest, *others = expected.split()
    given = dict(each.split("=") for each in others)
    verdicts = {fn: given.get(fn, rest).split("/") for fn in nb.functions}
    record(name, kind, verdicts, absent)


def record(name, kind, verdicts=None, absent=()):
    name, verdicts = os.fsdecode(name), verdicts or {}
    assert name not in EXPECTED, name
    exercises = {fn: first for fn, (first, *_) in verdicts.items()}
    EXPECTED[name] = {"exercises": exercises, "accept": verdicts, "kind": kind, "absent": [*absent]}


# ---------------------------------------------------------------- messy


def messy():
    def N(lesson):
        return Nb(lesson).right()

    give("Copy of Untitled (3).ipynb", N(1).move("my_gaussian", 999))
    give("01_kernel_regression (1).ipynb", N(1).move("my_boxcar_attention", 3))  # before its import
    nb = N(1)  # an exercise's cell split in two, the second half has no tag
    first, second = nb.home["my_gaussian"]["source"].split("def my_triangular")
    give("Anna Müller/Abgabe 1.ipynb", nb.edit("my_gaussian", lambda t: first).below("my_gaussian", "def my_triangular" + second))
    nb = N(2)  # all in one untagged cell
    merged = "\n\n".join(cell["source"] for cell in nb.cells if is_exercise(cell))
    nb.book["cells"] = [*(c for c in nb.cells if not is_exercise(c)), new_code_cell(merged)]
    give("Anna Müller/lesson 2 final FINAL.ipynb", nb)
    nb = N(3).each(lambda c: [c.pop("id", None), c.update(metadata={"id": "Xy", "outputId": "0a", "colab": {"height": 35}})])
    nb.book |= {"metadata": {"colab": {"gpuType": "T4"}, "accelerator": "GPU"}, "nbformat_minor": 0}
    give("Lesson 3 — Masking (Colab).ipynb", nb)  # format 4.0, no ids, and the tags are gone
    give("no trailing keys.ipynb", N(2), "right/error", data=json.dumps({"cells": N(2).cells}))
    nb = N(1).above("my_gaussian", "größe = 2  # für später")
    data = nb.json(ensure_ascii=True).replace("gr\\u00f6\\u00dfe", "größe").encode("latin-1")
    give("latin1 Grüße.ipynb", nb, "right/error", data=data)
    nb = N(3).each(lambda c: c.update(source=c["source"].replace("\n", "\r\n").splitlines(keepends=True)))
    give("windows.ipynb", nb, data=nb.json().replace("\n", "\r\n"))
    picture = {"image/png": base64.b64encode(os.urandom(64) * 50000).decode(), "text/plain": ["<Figure>"]}
    nb = N(2).executed().end("plt.show()")
    nb.cells[-1]["outputs"] = 4 * [{"output_type": "display_data", "metadata": {}, "data": picture}]
    give("big outputs.ipynb", nb)
    error = {"output_type": "error", "ename": "AssertionError", "evalue": "nan", "traceback": ["\x1b[0;31m---", "<b>x</b>"]}
    give("errors stored.ipynb", N(3).wrong("my_masked_softmax", 1).each(lambda c: c.update(outputs=[error]), is_code), "right my_masked_softmax=wrong")
    nb = N(3)  # no code, so not attempted
    nb.home["my_token_mask"]["cell_type"] = "raw"
    nb.cells.append(new_markdown_cell("```python\n" + RIGHT["my_token_mask"][0] + "```"))
    give("raw cell.ipynb", nb, "right my_token_mask=untouched")
    give("typos.ipynb", Nb(1).fill(
        my_boxcar="def my_boxcar(u):\n    raise NotImplementedError", my_triangular="def my_triangular(u):\n    pass",
        my_epanechnikov="def my_epanechnikov(u):\n    out = (1 - u**2).clamp(min=0)\n    print(out)", my_gaussian="def my_gausian(u):\n    return torch.exp(-(u**2) / 2)"),
        "untouched my_gaussian=untouched/error/wrong my_boxcar=error/untouched/wrong my_triangular=untouched/wrong/error my_epanechnikov=wrong/error")
    give("Zoë, untouched.ipynb", Nb(1), "untouched")
    give(b"caf\xe9 M\xfcller.ipynb", N(3).executed())  # no valid UTF-8
    for name, which in ((unicodedata.normalize("NFD", "Jürgen Größe"), "wrong"), ("Jürgen Größe", "right"), ("same name", "wrong"), ("same_name", "right"),
                        ("Same Name", "right"), ("team0/02_scoring_functions", "right"), ("team1/02_scoring_functions", "wrong")):  # alike, but others'
        give(f"{name}.ipynb", Nb(2).fill(my_weights={"right": RIGHT, "wrong": WRONG}[which]["my_weights"][0]), f"untouched my_weights={which}")
    give("eve/.ipynb_checkpoints/my notebook-checkpoint.ipynb", Nb(1).wrong("my_gaussian"), "wrong/untouched/error/absent")  # Jupyter's own copy
    give("tabs.ipynb", N(2).each(lambda c: c.update(source=c["source"].replace("    ", "\t")), is_exercise))
    LEAKS = "def my_leaks(attention, queries, tokens, mask):\n    return (influence(attention, queries, tokens) > LIMIT) & ~mask"
    give("uses influence.ipynb", N(3).fill(my_leaks=LEAKS).end("LIMIT = 1e-6"))  # the notebook's own helper
    nb, second = N(1), N(2)
    nb.cells += second.cells[9:]
    nb.functions = nb.functions + second.functions
    give("two lessons in one.ipynb", nb, "right " + " ".join(f"{fn}=right/absent" for fn in second.functions))
    nb = N(2)  # `torch` is imported nowhere in it
    nb.book["cells"] = [nb.cells[8], *filter(is_exercise, nb.cells)]
    give("only exercises.ipynb", nb, "right/error")


# ---------------------------------------------------------------- hostile

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
AT_IMPORT = "try:\n    _attack()\nexcept Exception:\n    pass\n"
ONCE = 'if getattr(sys, "_once", 0): return\n    sys._once = 1'


def put_in(pieces, text):
    for name, meant in pieces.items():
        text = text.replace(name, meant)
    return text


def cell_of(way, text):
    """An attack as the answer to my_gaussian, by the ways that hostile.txt describes."""
    if way == "cell":
        return text
    if way == "value":
        imports, _, value = text.rpartition("; ")
        return f"{imports}\ndef my_gaussian(u):\n    return {value}\n"
    pieces = {"@ONCE@": ONCE if way == "once" else "pass", "@AT_IMPORT@": AT_IMPORT if way != "call" else ""}
    return put_in(pieces | {"@TEXT@": re.sub("^", "    ", text, flags=re.M)}, ATTACK)


def attacks():
    """The (name, verdicts, cell) of each attack in hostile.txt."""
    pieces = {"@CANARY@": str(CANARY), "@RIGHT@": RIGHT["my_gaussian"][0]}
    for head, text in parts("hostile.txt"):
        name, *rest = head.split(" | ")
        if name == "value":
            rows = [line.split(" | ", 2) for line in text.split("\n") if line]
            yield from ((name, verdicts, cell_of("value", code)) for name, verdicts, code in rows)
        elif rest:
            yield name, rest[1], put_in(pieces, cell_of(rest[0], put_in(pieces, text.strip("\n"))))
        else:
            pieces = {name: text.strip("\n")} | pieces


def hostiles():
    """Each attack stands beside a right answer, which it may break."""
    beside = "untouched/error my_boxcar=right/error/wrong my_gaussian="
    magics = ("%%writefile @/by-writefile\nforged", "!touch @/by-shell-line", "%%bash\ntouch @/by-bash-cell",
              "%run @/x.py", "%%script python\nopen('@/by-script', 'w')")
    for name, verdicts, text in attacks():
        nb = Nb(1).fill(my_gaussian=text, my_boxcar=RIGHT["my_boxcar"][0])
        if name == "plant_magic":
            nb.above("my_gaussian", *(each.replace("@", str(CANARY)) for each in magics))
        absent = [SECRET, SECRET.replace("-", "_")] * ("secret.txt" in text or "environ" in text) + MARKUP * ("<script>" in text)
        give(f"h_{name}.ipynb", nb, beside + verdicts.replace(" ", "/"), "hostile", absent=absent)


# ---------------------------------------------------------------- broken


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return data.getvalue()


def brokens():
    right = Nb(1).right()
    text = right.json()
    html = "<!doctype html><html><script>alert(1)</script>Sign in to Moodle</html>"
    for name, data in {"zip_bomb": zipped(**{"a.ipynb": b"0" * 200_000_000, "../../zip-slip.ipynb": text}), "html": html}.items():
        put(f"b_{name}.ipynb", data)
        record(f"b_{name}.ipynb", "broken", absent=["<script>alert(1)"])
    large = Nb(2).right().executed()
    large.cells[-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["x" * 999 + "\n"] * 100_000}]
    give("b_100MB.ipynb", large, "right/error", "broken")
    RETURN, GOOD = "def my_gaussian(u):\n    return ", RIGHT["my_gaussian"][0]
    for name, (expected, source) in {  # the source of one cell
        "parens": ("error/untouched/wrong", RETURN + "(" * 100000 + "u" + ")" * 100000),
        "minus": ("error/untouched/wrong", RETURN + "-" * 200000 + "u\n"),
        "sum": ("error/untouched/wrong", RETURN + "u" + " + u" * 100000 + "\n"),
        "attr": ("error/untouched/wrong", RETURN + "u" + ".T" * 100000 + "\n"),
        "elif": ("error/untouched/wrong", "def my_gaussian(u):\n    if u is 0: pass\n" + "    elif u is 1: pass\n" * 5000),
        "digits": ("error/untouched/wrong", RETURN + "u * " + "9" * 100000 + "\n"),
        "nul": ("error/untouched/wrong", RETURN + "u\0 * 2\n"),
        "surrogate": ("error/untouched/wrong", RETURN + "'\ud800' + u\n"),
        "10MB_line": ("right/error", "x = '" + "a " * 5_000_000 + "'\n" + GOOD),
        "spaces": ("error/right/untouched", " " * 300000 + "%" + " " * 300000 + "\n" + "\\\n" * 20000 + GOOD),
        "escapes": ("right/error", GOOD.replace("return", "print('\\N{BULLET}' '\\u202e'); return") + "\x0c\x1a\ufeff"),
        "async": ("wrong/error/untouched/right", "async " + GOOD),
        "yield": ("wrong/error", GOOD.replace("return", "yield")),
        "method": ("untouched/error/wrong", "class K:\n    def my_gaussian(self, u):\n        return u\n\ndef outer():\n    def my_gaussian(u):\n        return u\n"),
        "del": ("error/wrong/untouched", GOOD + "\ndel my_gaussian\nmy_gaussian = 3\n"),
        "python2": ("error/right", "print 'hello'\nexec 'x'\n" + GOOD),
    }.items():
        nb = Nb(1).fill(my_kernel_regression=RIGHT["my_kernel_regression"][0]).edit("my_gaussian", lambda t, source=source: source)
        give(f"b_src_{name}.ipynb", nb, f"untouched/error my_gaussian={expected} my_kernel_regression=right/error", "broken", nb.json(ensure_ascii=True))

    wrong = Nb(1).wrong("my_gaussian")
    for name in (
        "-rf", "--help", "new\nline", "tab\tand\rreturn", "..%2f..%2fmarks", "..\\..\\marks.csv", "... ", "", "=1+cmd|' C calc'!A0", '=HYPERLINK("javascript:x","right")', "+1+1",
        "@SUM(1,1)", "<script>alert('n')<\u2215script>", "<img src=x onerror=alert(2)>", '"onmouseover="alert(3)', "a|b|right|`x`", "comma, right, right", "\x1b[31mred\x07",
        "\u202egnp", "$(touch canary-by-name)`id`;", "index", "marks", "marks.csv", "feedback/index.html", "CON", "n" * 249, "💥" * 60, " ", "{learner}%s{0}", "deep/" * 40 + "x",
        "b_directory_full.ipynb/inner",
    ):  # fmt: skip
        give(f"{name}.ipynb", wrong, "untouched my_gaussian=wrong", "broken", absent=["<img src=x", "<script>alert('n')"])
    put("b_unreadable.ipynb", wrong.json())
    os.chmod(OUT / "b_unreadable.ipynb", 0)  # root reads it all the same
    record("b_unreadable.ipynb", "broken", {"my_gaussian": ["wrong", "error"]} if os.geteuid() == 0 else {})

    # what is no file, and what is no notebook
    (OUT / "b_directory.ipynb").mkdir()
    os.mkfifo(OUT / "b_fifo.ipynb")
    links = {
        "broken.ipynb": "/nonexistent/x.ipynb", "loop.ipynb": "l_loop.ipynb", "secret.ipynb": CANARY / "secret.txt", "outside.ipynb": CANARY / "other_learner.ipynb",
        "folder": CANARY / "victim", "folder.ipynb": CANARY / "victim", "up": "..", "here": ".", "null.ipynb": "/dev/null", "proc.ipynb": "/proc/self/environ", "other.ipynb": "tabs.ipynb",
    }  # fmt: skip
    for name, target in links.items():
        os.symlink(target, OUT / f"l_{name}")
    for name in ("b_directory.ipynb", "b_fifo.ipynb", *(f"l_{name}" for name in links)):
        record(name, "broken", absent=[SECRET])
    evil = f"import os\nd = {str(CANARY)!r}\nos.makedirs(d, exist_ok=True)\nopen(d + '/planted-in-submissions', 'a').write(__name__)\n"
    planted = ["sitecustomize.py", "usercustomize.py", "conftest.py", "torch.py", "json.py", "attn_teach/__init__.py", "evil.pth", "eve/torch.py", "test_forged.py", "jupyter_config.py"]
    others = {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p forged'\n", ".env": "PYTHONPATH=.\n", "._01_kernel_regression.ipynb": b"\0\5\x16\7Mac OS X", ".DS_Store": b"\0\0\0\1Bud1",
              "answer.ipynb.txt": text, "notebook.py": GOOD, "__MACOSX/._a.ipynb": b"\0\5\x16\7"}  # fmt: skip
    for name, data in (dict.fromkeys(planted, evil) | others).items():
        put(name, data)
        record(name, "hostile" if name in planted else "broken")


# ---------------------------------------------------------------- the canary


def plant_canary():
    for folder in ("victim", "installed/attn_teach"):
        (CANARY / folder).mkdir(parents=True)
    for name, text in {
        "secret.txt": SECRET, "marks.csv": "learner,my_gaussian\nada,right\n", "other_learner.ipynb": Nb(1).right().json(), "victim/keep.txt": "keep\n",
        "victim/inner.ipynb": Nb(1).json(), "installed/attn_teach/attention.py": "# installed\n",
    }.items():  # fmt: skip
        (CANARY / name).write_text(text, encoding="utf-8")


def canary_state():
    """What lies in the canary's folder, with digests."""
    kinds = {path: "link" if path.is_symlink() else "folder" if path.is_dir() else None for path in CANARY.rglob("*")}
    return {str(path): kind or hashlib.sha256(path.read_bytes()).hexdigest() for path, kind in kinds.items()}


def make(folder, handout, canary):
    """Fill the folder, plant the canary; what is expected of each file, by its name."""
    global OUT, HANDOUT, CANARY
    OUT, HANDOUT, CANARY = folder, handout, canary
    EXPECTED.clear()
    OUT.mkdir(parents=True)
    plant_canary()
    messy()
    hostiles()
    brokens()
    return EXPECTED
