"""Badges: there, and working, when the project has an address; without a trace when it has none."""

import re
import shutil
from urllib.parse import unquote

import lesson_checks
import nbformat
import pytest

from tools.editions import badges, editions
from tools.lessons import ROOT

ADDRESS = "https://github.com/someone/a-course"


LESSONS = "0[17]_*.ipynb"  # one without a published model, one with


@pytest.fixture
def copy(tmp_path, monkeypatch, wheel):
    """The project with two lessons, as often as it takes: an edition of all takes seconds."""
    monkeypatch.setattr(editions, "build_wheel", lambda: wheel)
    whole(tmp_path)
    for path in {*(tmp_path / "notebooks").iterdir()} - {*(tmp_path / "notebooks").glob(LESSONS)}:
        path.unlink()
    return tmp_path


def whole(tmp_path):
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("notebooks", "colab"):
        if (ROOT / name).exists():
            ignored = shutil.ignore_patterns(".ipynb_checkpoints")
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)


def set_address(root, url):
    text = (root / "pyproject.toml").read_text()
    text = re.sub(r'(?m)^Repository = ".*"\n', "", text)
    line = f'Repository = "{url}"\n' if url is not None else ""
    (root / "pyproject.toml").write_text(
        text.replace("[project.urls]\n", f"[project.urls]\n{line}")
    )


def content(root):
    files = (path for path in root.rglob("*") if path.is_file() and path.name != "pyproject.toml")
    return {path.relative_to(root): path.read_bytes() for path in files}


def test_the_repository_is_as_make_badges_leaves_it(tmp_path, monkeypatch, wheel):
    monkeypatch.setattr(editions, "build_wheel", lambda: wheel)
    whole(tmp_path)
    assert badges.update(tmp_path) == []


def test_badges_come_and_go_with_the_address(copy):
    set_address(copy, None)
    badges.update(copy)
    before = content(copy)
    assert not any(b"Open the lesson in" in text for text in before.values())
    set_address(copy, ADDRESS)
    assert badges.update(copy)
    assert badges.update(copy) == [], "the second time changes nothing"
    assert content(copy) != before
    set_address(copy, "")
    badges.update(copy)
    assert content(copy) == before


def test_only_lessons_that_are_gone_are_removed_from_colab(copy):
    set_address(copy, ADDRESS)
    badges.update(copy)
    (copy / "colab" / "mine.txt").write_text("mine")
    (copy / "colab" / "99_gone.ipynb").write_text("{}")
    assert badges.update(copy) == [copy / "colab" / "99_gone.ipynb"]
    set_address(copy, None)
    badges.update(copy)
    assert [path.name for path in (copy / "colab").iterdir()] == ["mine.txt"]


def test_colab_holds_the_colab_edition(copy, wheel):
    set_address(copy, ADDRESS)
    badges.update(copy)
    for path in (copy / "colab").glob("*.ipynb"):
        lesson = nbformat.read(copy / "notebooks" / path.name, as_version=4)
        published = nbformat.read(path, as_version=4)
        assert published == editions.edition(lesson, "colab", wheel)
        assert not any("instructor" in str(cell.metadata) for cell in published.cells)


def test_badges_lead_to_files_that_are_there(copy):
    set_address(copy, ADDRESS + ".git")
    badges.update(copy)
    lessons = sorted((copy / "notebooks").glob("*.ipynb"))
    texts = [nbformat.read(path, as_version=4).cells[1].source for path in lessons]
    readme = (copy / "README.md").read_text()
    assert readme.startswith("# attn-teach\n\n[![Open the lesson in Colab](")
    for text, path in [*zip(texts, lessons, strict=True), (readme, lessons[0])]:
        colab = re.search(r"\((https://colab\.research\.google\.com/github/[^)]*)\)", text)[1]
        start = "https://colab.research.google.com/github/someone/a-course/blob/HEAD/"
        assert colab.startswith(start)
        opened = copy / colab.removeprefix(start)
        assert opened.name == path.name
        assert nbformat.read(opened, as_version=4).cells[0].id == "setup"
        binder = unquote(re.search(r"\((https://mybinder\.org/v2/[^)]*)\)", text)[1])
        start = "https://mybinder.org/v2/gh/someone/a-course/HEAD?urlpath=lab/tree/"
        assert binder.startswith(start)
        assert copy / binder.removeprefix(start) == path


def test_the_readme_says_how_to_clone_where_there_is_an_address(copy):
    set_address(copy, ADDRESS + ".git")
    badges.update(copy)
    readme = (copy / "README.md").read_text()
    commands = f"\n\n    git clone {ADDRESS} && cd a-course\n    make lab\n\n"
    assert commands in readme.split("## Open it")[1].split("\n## ")[0]
    set_address(copy, "https://github.com/another/name")
    badges.update(copy)
    assert (copy / "README.md").read_text().count("git clone") == 1
    set_address(copy, None)
    badges.update(copy)
    readme = (copy / "README.md").read_text()
    assert "git clone" not in readme
    assert "\n\n    make lab\n\n" in readme


def test_lessons_with_badges_keep_the_form_of_lessons(copy):
    set_address(copy, ADDRESS)
    badges.update(copy)
    for path in (copy / "notebooks").glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        assert [text for check in lesson_checks.FORM for text in check(notebook)] == []


@pytest.mark.parametrize(
    "url", ["https://example.org/a/b", "github.com/a/b", "https://github.com/a"]
)
def test_an_address_that_colab_cannot_open_is_refused(copy, url):
    set_address(copy, url)
    before = content(copy)
    with pytest.raises(SystemExit, match=r"expected https://github\.com/OWNER/NAME"):
        badges.update(copy)
    assert content(copy) == before
