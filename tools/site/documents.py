"""What the site has beside the lessons: how to teach and cite them, what to read, the licences.

Each of these pages is made from the file that says it already: TEACHING.md, ASSISTANTS.md,
CITATION.cff, README.md and the sources at the end of each lesson. Nothing is typed twice.
"""

import html
import re
import shutil

import nbformat
import yaml

from tools.course import address, facts
from tools.lessons import ROOT
from tools.site import words

LEFT_OUT = re.compile(r"<!-- not on the site -->.*?<!-- on the site -->", re.DOTALL)
DRAWING = re.compile(r"!\[([^\]]*)\]\((?:\.\./)?(img/[\w.-]+)\)")  # in README.md and TEACHING.md
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")
SOURCES = re.compile(r"\*\*Sources\.?\*\*\s*(.*)", re.DOTALL)
SENTENCES = re.compile(r"(?<=[a-z0-9)])\. (?=[A-Z])")
# The pages in their order, and the file that somebody would change to change one.
ORIGINS = {
    "which": "tools/site/which.py",
    "glossary": "tools/site/glossary.md",
    "reading": "classroom/TEACHING.md",
    "teaching": "classroom/TEACHING.md",
    "assistants": "classroom/ASSISTANTS.md",
    "citation": "CITATION.cff",
    "licence": "README.md",
    "index": "README.md",
}
PAGES = [name for name in ORIGINS if name != "index"]
TOCTREE = "\n".join(["```{toctree}", ":hidden:", ":caption: About", "", *PAGES, "```"])


def pages(paths, drawn, folder):
    """Of each page: what a search engine is told, and its Markdown. Licences go to the folder."""
    return {
        "glossary": ("Thirty-seven words of the course, each in a sentence or two", words.page()),
        "reading": (
            "What to read after each lesson, and all that the lessons cite",
            reading(paths),
        ),
        "teaching": ("How to teach attention with these lessons", teaching(paths, drawn)),
        "assistants": (
            "What to agree on with a class about AI assistants, and what is known",
            file(ORIGINS["assistants"]),
        ),
        "citation": ("How to cite these lessons", citation()),
        "licence": ("What you may do with these lessons", licence(folder)),
    }


def file(path):
    return (ROOT / path).read_text(encoding="utf-8")


def section(text, title):
    """What stands below a heading of the second level, up to the next."""
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0].strip()


def teaching(paths, drawn):
    """TEACHING.md, without what is for those alone who have a class and the project's files."""
    text = LEFT_OUT.sub("", file("classroom/TEACHING.md")).partition("\n## Reading\n")[0]
    text = LINK.sub(r"\1", DRAWING.sub(drawn, text))  # the site does not have the linked files
    for lesson in map(facts, paths):
        name = f"{lesson.number} {lesson.title}"
        text = text.replace(f"| {name} |", f"| [{name}](<{lesson.path.stem}.md>) |")
    return f"{text.strip()}\n\n{MORE}\n"


MORE = """## More

Marking, exams, the same lessons with other numbers, and what to do when you change a lesson:
`classroom/TEACHING.md` in the project's files. [What to read](reading.md) has a page of its own."""


def reading(paths):
    """What TEACHING.md says of some works, and the sources at the end of each lesson."""
    chosen = section(file(ORIGINS["reading"]), "Reading")
    chosen = re.sub(r"^\*\*(.*)\*\*$", r"### After \1", chosen, flags=re.MULTILINE)
    parts = ["# What to read", "## Where to begin", chosen, "## What each lesson cites"]
    for path in paths:
        lesson = facts(path)
        title = f"### [{lesson.number} {lesson.title}](<{path.stem}.md>)"
        parts += [title, "\n".join(f"- {source}" for source in sources(path))]
    return "\n\n".join(parts) + "\n"


def sources(path):
    """The sources that the lesson at this path names at its end, one by one."""
    cells = nbformat.read(path, as_version=4).cells
    told = next((found[1] for cell in cells if (found := SOURCES.search(cell.source))), "")
    if not told:
        return []
    if told.startswith("- "):
        return [" ".join(each.split()) for each in told[2:].split("\n- ")]
    return SENTENCES.split(" ".join(told.split()).removesuffix("."))


def citation():
    """CITATION.cff as a line to copy, and for BibTeX."""
    told = yaml.safe_load(file("CITATION.cff"))
    names = ("name", "given-names", "family-names")
    people = [" ".join(a[name] for name in names if name in a) for a in told["authors"]]
    year, version = str(told["date-released"])[:4], told["version"]
    url = told.get("repository-code") or (f"https://github.com/{address()}" if address() else "")
    line = f"{', '.join(people)} ({year}): {told['title']}. Version {version}. {url}".strip()
    fields = {"author": f"{{{'} and {'.join(people)}}}", "title": f"{{{told['title']}}}",
              "year": year, "version": version, "url": url}  # fmt: skip
    entry = "".join(f",\n  {key} = {{{value}}}" for key, value in fields.items() if value)
    return f"""# How to cite

{told["message"]}

> {line}

For BibTeX:

```bibtex
@software{{attn_teach{entry}
}}
```

The project's file `CITATION.cff` says the same to programs.
"""


def licence(folder):
    """What README.md says of licences; its files come along."""
    folder.mkdir(parents=True, exist_ok=True)

    def copied(found):
        name = found[2].replace("/", "_").removesuffix(".txt") + ".txt"
        shutil.copyfile(ROOT / found[2], folder / name)
        return f'<a href="_static/{folder.name}/{name}">{html.escape(found[1])}</a>'

    told = LINK.sub(copied, section(file("README.md"), "Licence"))
    return f"# Licence\n\n{told.replace('The site that `make site` writes', 'This site')}\n"


def foot(page):
    """The last line of each page, as HTML."""
    links = ['<a href="licence.html">Licence</a>', '<a href="citation.html">How to cite</a>']
    place = address()
    if place:
        there, origin = f"https://github.com/{place}", ORIGINS.get(page)
        if re.match(r"\d\d_", page):
            origin = f"notebooks/{page}.ipynb"
        links.append(
            f'<a href="{there}/issues/new?title={page}">Say what is wrong on this page</a>'
        )
        if origin:
            links.append(f'<a href="{there}/edit/main/{origin}">Edit</a>')
    return " · ".join(links)
