"""Which answers are the same code but for names, comments and order: a question for a teacher.

And which are the solution that the lesson publishes, but for the names that they give themselves.
Short answers are alike by chance, unless a remark in them is, and what most wrote was said in
class: neither is told. A whole file that two handed in always is.
"""

import ast
import collections
import hashlib
import io
import re
import tokenize

LEAST = 40  # parts of the code, as Python reads it: what two hardly ever write alike
SHARE = 10  # at most every tenth of those who answered; of code twice as long, two tenths
REMARK = re.compile(r"#(?! your code here)\W*\w+\W+\w+\W+\w+")  # three words of one's own


def fingerprint(nodes, local=False):
    """(digest, number of parts) of statements: the same for copies with other names or order.

    Args:
        local: only the names that the statements give may be others, not those that they use.
    """
    names = {}
    nodes = _sorted([ast.parse(ast.unparse(node)).body[0] for node in nodes])
    if local:
        parts = [part for node in nodes for part in ast.walk(node)]
        used = {p.id for p in parts if isinstance(p, ast.Name)}
        given = {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        given |= {p.arg for p in parts if isinstance(p, ast.arg)}
        given |= {p.name for p in parts if isinstance(p, (ast.FunctionDef, ast.ClassDef))}
        names = {name: name for name in used - given}
    text = "\n".join(ast.dump(_Plain(names).visit(node)) for node in nodes)
    size = sum(1 for node in nodes for _ in ast.walk(node))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16], size


def remarks(source):
    """The comments in a program, one a line, but for the one that its stub had."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    found = [token.string.strip("# ") for token in tokens if token.type == tokenize.COMMENT]
    return "\n".join(text for text in found if not text.startswith("your code here"))


def _sorted(nodes):
    """Statements, and those inside them, without docstrings, in an order that names do not tell."""
    for node in nodes:
        for inside in ast.walk(node):
            for field in ("body", "orelse", "finalbody"):
                body = getattr(inside, field, None)
                if isinstance(body, list):
                    setattr(inside, field, sorted(filter(_says_something, body), key=_key))
    return sorted(nodes, key=_key)


def _says_something(node):
    return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _key(node):
    return ast.dump(_Plain({}).visit(ast.parse(ast.unparse(node))))


class _Plain(ast.NodeTransformer):
    """Names by the order in which they first stand; no hints of types."""

    def __init__(self, names):
        self.names = names

    def _name(self, name):
        return self.names.setdefault(name, f"v{len(self.names)}")

    def visit_Name(self, node):
        return ast.Name(self._name(node.id), node.ctx)

    def visit_arg(self, node):
        return ast.arg(self._name(node.arg), None)

    def visit_FunctionDef(self, node):
        node.returns = None
        self.generic_visit(node)
        node.name = self._name(node.name)
        return node


def groups(marks):
    """(marks of one lesson, the names of what is alike in them, whether whole files are).

    What is alike but for names, comments and order counts where few wrote it, more if it is long;
    what is alike to the letter where at most half of those who answered did. What the lesson itself
    gives does not count. The largest groups come first.
    """
    told = []
    for lesson in sorted({mark.lesson for mark in marks}):
        own = [mark for mark in marks if mark.lesson == lesson]
        alike, files = collections.defaultdict(list), collections.defaultdict(list)
        for name in own[0].answers:
            for places in _alike([mark.answers[name] for mark in own]):
                alike[places].append(name)
        for place, mark in enumerate(own):
            written = [(n, a["program"]) for n, a in mark.answers.items() if "program" in a]
            files[tuple(written)].append(place)
        whole = {
            tuple(places): [name for name, _ in written]
            for written, places in files.items()
            if len(written) > 1 < len(places)
        }
        for places, names in (alike | whole).items():
            told.append(([own[place] for place in places], names, places in whole))
    return sorted(told, key=lambda of: (-of[2], -len(of[1]), -len(of[0])))


def _alike(answers):
    """Groups of places, each a tuple, where answers to one exercise are alike; none in another."""
    alike, sizes, answered = collections.defaultdict(list), {}, 0
    for place, answer in enumerate(answers):
        digest, size = answer.get("same") or ("", 0)
        answered += size > 0
        if answer.get("published"):  # that is told by itself
            continue
        letters = "\n".join(map(str.strip, answer.get("own", "").splitlines()))
        if size >= LEAST:
            alike["code", digest].append(place)
            sizes[digest] = size
        if size >= LEAST or (size and REMARK.search(letters)):
            alike["letters", letters].append(place)
    told = set()
    for (kind, what), places in alike.items():
        few = answered // 2
        if kind == "code":
            few = min(few, answered * sizes[what] // (LEAST * SHARE))
        if 1 < len(places) <= max(2, few):
            told.add(tuple(places))
    return sorted(p for p in told if not any(set(p) < set(other) for other in told))
