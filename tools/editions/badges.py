"""Put badges that open the lessons in Colab and Binder into the lessons and README.md.

python -m tools.editions.badges

The project's address on GitHub is read from pyproject.toml, [project.urls], Repository. Without
one there are no badges. Colab opens the one-file editions, which are then kept in colab/. With an
address, README.md also says how to clone the project.
"""

import re
import sys
from urllib.parse import quote

import nbformat
from nbformat.v4 import new_markdown_cell

from tools.editions import editions
from tools.lessons import ROOT, in_folder, write
from tools.notebook import tags

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
COLAB = (
    "[![Open the lesson in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({})"
)
BINDER = "[![Open the lesson in Binder](https://mybinder.org/badge_logo.svg)]({})"
BADGE_LINE = re.compile(r"\n\n\[!\[Open the lesson in [^\n]*")
OPEN = "\n    make lab\n"  # the first command in README.md
CLONE = "\n    git clone https://github.com/{} && cd {}"
CLONE_LINE = re.compile(r"\n    git clone https://github\.com/[^\n]*")


def address(root=ROOT):
    """Return the project's owner/name on GitHub, or None if pyproject.toml has no address."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    urls = {name.lower(): url for name, url in project.get("urls", {}).items()}
    url = urls.get("repository", "")
    if not url:
        return None
    found = GITHUB.fullmatch(str(url).strip())
    if not found:
        raise SystemExit(
            f"the address of the repository is {url!r}, expected https://github.com/OWNER/NAME: "
            "Colab opens notebooks from GitHub only; change it in pyproject.toml, [project.urls]"
        )
    return found[1]


def badges(repository, path):
    """Return the two badges of the lesson at this path."""
    colab = f"https://colab.research.google.com/github/{repository}/blob/HEAD/colab/{path.name}"
    lab = quote(f"lab/tree/notebooks/{path.name}", safe="")
    binder = f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath={lab}"
    return f"{COLAB.format(colab)} {BINDER.format(binder)}"


def with_badges(notebook, repository, path):
    """Return the lesson with a cell of badges below its title; without, if there is no address."""
    cells = [cell for cell in notebook.cells if "badges" not in tags(cell)]
    if repository:
        cell = new_markdown_cell(
            badges(repository, path),
            metadata={"tags": ["badges"], "slideshow": {"slide_type": "skip"}},
        )
        cell.id = "badges"
        cells.insert(1, cell)
    notebook.cells = cells
    return notebook


def update(root=ROOT):
    """Bring lessons, README.md and colab/ in line with pyproject.toml; return what changed."""
    repository = address(root)
    changed = []
    paths = in_folder(root / "notebooks")
    for path in paths:
        notebook = with_badges(nbformat.read(path, as_version=4), repository, path)
        if write(notebook, path):
            changed.append(path)
    readme = root / "README.md"
    before = readme.read_text(encoding="utf-8")
    after = CLONE_LINE.sub("", BADGE_LINE.sub("", before))
    if repository:
        title, rest = after.split("\n", 1)
        rest = rest.replace(OPEN, CLONE.format(repository, repository.split("/")[1]) + OPEN, 1)
        after = f"{title}\n\n{badges(repository, paths[0])}\n{rest}"
    if after != before:
        readme.write_text(after, encoding="utf-8", newline="\n")
        changed.append(readme)
    folder = root / "colab"
    wanted = {folder / path.name: path for path in paths if repository}
    for stale in set(in_folder(folder)) - set(wanted):
        stale.unlink()
        changed.append(stale)
    if folder.exists() and not any(folder.iterdir()):
        folder.rmdir()
    wheel = editions.build_wheel() if wanted else None
    for target, path in wanted.items():
        if write(editions.edition(nbformat.read(path, as_version=4), "colab", wheel), target):
            changed.append(target)
    return changed


def main():
    changed = update()
    for path in changed:
        print(f"changed {path.relative_to(ROOT)}")
    if not changed:
        print("nothing to change")
    if not address():
        print("no badges, no line to clone: pyproject.toml, [project.urls], has no Repository")


if __name__ == "__main__":
    main()
