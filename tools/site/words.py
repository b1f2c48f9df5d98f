"""The course's words: read from glossary.md, made a page, and linked at their first use."""

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from docutils import nodes

from tools.lessons import lessons
from tools.notebook import heading

FILE = Path(__file__).with_name("glossary.md")
ENTRY = re.compile(
    r"^- \*\*(?P<name>.+?)\*\*(?: or \*(?P<other>.+?)\*)? "
    r"\((?P<lesson>\d\d)(?: section (?P<number>\d+)| \*(?P<titled>.+?)\*)?"
    r"(?P<late>, not before)?(?:, not in (?P<elsewhere>\d\d(?: \d\d)*))?"
    r"(?:; also (?P<also>[^)]+))?\): "
    r"(?P<said>.*(?:\n  .*)*)",
    re.MULTILINE,
)
UNTOUCHED = (  # a word in these stays as it is
    nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.math, nodes.math_block,
    nodes.raw, nodes.thead, nodes.term,
)  # fmt: skip


@dataclass
class Word:
    """One entry: the groups of ENTRY, "" where it has none."""

    name: str
    other: str  # as a text may write it too
    lesson: str
    number: str  # of the section
    titled: str  # the section's title where sections have no numbers
    late: str  # before its section, the lesson uses it in another sense
    elsewhere: str  # lessons that use it in another sense
    also: str  # what others call it, or write for it, between commas
    said: str

    @property
    def forms(self):
        """How a text may write it, in the singular."""
        return [form for form in (self.name, self.other) if form]

    @property
    def address(self):
        """Its place on the glossary's page, as Sphinx names it."""
        return f"term-{re.sub('[^A-Za-z0-9.]+', '-', self.name)}"

    @property
    def pattern(self):
        """Finds it, also in the plural."""
        forms = [re.escape(form).replace(r"\ ", r"\s+") for form in self.forms]
        more = [re.sub("([^aeiou])y$", r"\1ies", form) for form in forms]  # queries, but keys
        return rf"(?<![\w-])(?:{'|'.join(forms + more)})s?(?![\w-])"

    def begins(self, title):
        """Whether it is introduced in the section of this title."""
        if self.number:
            return re.match(rf"{self.number}\W", title) is not None
        return title == self.titled

    def section(self):
        """The lesson's path, and the title of the section, "" for its beginning."""
        [path] = [path for path in lessons() if path.name.startswith(f"{self.lesson}_")]
        if not self.number and not self.titled:
            return path, ""
        cells = nbformat.read(path, as_version=4).cells
        titles = [heading(cell)[1] for cell in cells if heading(cell)[0] == 2]
        return path, next(filter(self.begins, titles))


def words():
    """All words, in the order of the file."""
    entries = (found.groupdict("") for found in ENTRY.finditer(FILE.read_text(encoding="utf-8")))
    return [Word(**{part: " ".join(e[part].split()) for part in e}) for e in entries]


def known_in(lesson):
    """The words that have been introduced when this lesson ends, in their sense."""
    return [w for w in words() if w.lesson <= lesson and lesson not in w.elsewhere]


def sought(lesson):
    """What a reader may search for who wants the words that this lesson introduces, one by one."""
    told = " ".join(f"{word.name} {word.also}" for word in words() if word.lesson == lesson)
    return ", ".join(dict.fromkeys(re.findall(r"[\w-]+", told)))


def named():
    """The same by section: {(page, anchor, "" at its beginning): words}."""
    found = {}
    for word in words():
        path, title = word.section()
        place = path.stem, nodes.make_id(title)
        found[place] = f"{found.get(place, '')} {word.name} {word.also}"
    return found


def page():
    """The glossary as Markdown for Sphinx."""
    lines = ""
    for word in words():
        also = f" Also: {word.also}." if word.also else ""
        lines += f"{word.name}\n  {word.said}{also}\n\n"
    return f"""# Glossary

Thirty-seven words of the course. Each leads to the section of a lesson that introduces it;
in the lessons, the first use of a word leads back here.

```{{glossary}}
:sorted:

{lines}
```
"""


def link(app, doctree):
    """What Sphinx calls with a page it has read: lessons and the glossary get their links."""
    page = app.env.docname
    if page == "glossary":
        known = {word.name: word for word in words()}
        for entry in doctree.findall(nodes.definition_list_item):
            own = known[entry[0].astext()]
            linked(entry[-1], [word for word in known.values() if word is not own])
            entry[-1][-1] += [nodes.Text(" "), introduced(own, app.env.found_docs)]
    elif re.match(r"\d\d_", page):
        linked(doctree, known_in(page[:2]), page[:2])
    app.env.note_dependency(str(FILE))


def introduced(word, pages):
    """Where it is introduced: a link, if the lesson is among the pages."""
    path, title = word.section()
    name = re.sub(r"^\d+\W+", "", title).replace("`", "")
    place = f"section {word.number}: {name}" if word.number else f"“{name}”"
    told = f"Lesson {word.lesson}, {place if title else 'at its beginning'}"
    if path.stem not in pages:
        return nodes.Text(told)
    anchor = f"#{nodes.make_id(title)}" if title else ""
    return nodes.reference("", told, internal=True, refuri=f"{path.stem}.html{anchor}")


def linked(tree, known, lesson=""):
    """Link the first use of each of these words in a tree; of two that fit, the longer one."""
    waiting = [word for word in known if word.late and word.lesson == lesson]
    known = [word for word in known if word not in waiting]
    done = []
    for node in list(tree.findall(lambda node: isinstance(node, (nodes.title, nodes.Text)))):
        if isinstance(node, nodes.title):
            known += [word for word in waiting if word.begins(node.astext())]
            waiting = [word for word in waiting if word not in known]
        elif not within(node, tree):
            node.parent.replace(node, pieces(node.astext(), known, done))


def within(node, tree):
    """Whether a text is part of what stays untouched."""
    while node is not tree:
        node = node.parent
        if isinstance(node, UNTOUCHED):
            return True
    return False


def pieces(text, known, done):
    """The parts of a text, some of them links; a word that gets one is done."""
    out, at = [], 0
    for start, end, word in uses(text, known):
        if word not in done:
            done.append(word)
            there = nodes.reference(
                "", text[start:end], internal=True, refuri=f"glossary.html#{word.address}",
                reftitle=plain(word.said), classes=["word"],
            )  # fmt: skip
            out += [nodes.Text(text[at:start]), there]
            at = end
    return [part for part in (*out, nodes.Text(text[at:])) if part.astext()]


def uses(text, known):
    """Where a text uses words: start, end and the word, of two at the same place the longer one."""
    ordered = sorted(known, key=lambda word: -max(map(len, word.forms)))
    if not ordered:
        return []
    groups = "|".join(f"(?P<w{i}>{word.pattern})" for i, word in enumerate(ordered))
    found = re.finditer(groups, text, re.IGNORECASE)
    return [(hit.start(), hit.end(), ordered[int(hit.lastgroup[1:])]) for hit in found]


def plain(markdown):
    """A definition without its marks."""
    return re.sub(r"[*`]", "", markdown)
