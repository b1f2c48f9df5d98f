"""Which answers are the same code but for names, comments and order: a question for a teacher.

Short answers are alike by chance, and what many wrote was said in class: neither is told.
"""

import ast
import collections
import hashlib
import itertools

LEAST = 40  # parts of the code, as Python reads it: what two hardly ever write alike
SHARE = 10  # at most every tenth of those who answered, or two of them


def fingerprint(nodes):
    """(digest, number of parts) of statements: the same for copies with other names or order."""
    names = {}
    nodes = _sorted([ast.parse(ast.unparse(node)).body[0] for node in nodes])
    text = "\n".join(ast.dump(_Plain(names).visit(node)) for node in nodes)
    size = sum(1 for node in nodes for _ in ast.walk(node))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16], size


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


def pairs(marks):
    """Pairs of marks of one lesson, with the names of what is alike, those with most first."""
    found = collections.defaultdict(list)
    for lesson in sorted({mark.lesson for mark in marks}):
        own = [mark for mark in marks if mark.lesson == lesson]
        for name in own[0].answers:
            alike, answered = collections.defaultdict(list), 0
            for place, mark in enumerate(own):
                digest, size = mark.answers[name].get("same") or ("", 0)
                answered += size > 0
                if size >= LEAST:
                    alike[digest].append(place)
            for places in alike.values():
                if len(places) <= max(2, answered // SHARE):
                    for a, b in itertools.combinations(places, 2):
                        found[lesson, a, b].append((own[a], own[b], name))
    most = sorted(found.values(), key=len, reverse=True)
    return [(of[0][0], of[0][1], [name for _, _, name in of]) for of in most]
