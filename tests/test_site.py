"""The site: whole, without a network, and without what it should not give away."""

import copy
import json
import re
from urllib.parse import unquote

import bs4
import nbformat
import pytest
import reading_checks

from attn_lesson import catalogue
from tools.course import course
from tools.notebook import PREDICT, STUB, heading, tags
from tools.site import site

LESSONS = pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.path.stem)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The pages, parsed, by name; sliders stand still. Another build goes on undisturbed."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "SITE", folder / "site")
        patch.setattr(site, "SOURCE", folder / "source")
        built = site.build(still=True)
    pages = built.glob("*.html")
    return built, {p.stem: bs4.BeautifulSoup(p.read_text("utf-8"), "html.parser") for p in pages}


def article(made, lesson):
    return copy.deepcopy(made[1][lesson.path.stem].find("article"))


def stored(lesson):
    return nbformat.read(lesson.path, as_version=4)


def plain(text):
    return re.sub(r"\W+", "", text)


def prose(markdown):
    """Its longest stretch without any markup."""
    plain_text = re.sub(r"!\[.*?\)|\$\$.*?\$\$|\$.*?\$", "*", markdown, flags=re.DOTALL)
    return max(re.split(r"[*`.\n]", plain_text), key=len)


def test_there_is_a_page_for_each_lesson_and_the_front_leads_there(made):
    front = made[1]["index"].find("article")
    cards = {card["href"]: card.get_text(" ") for card in front.select(".card")}
    assert len(cards) == len(course())
    for lesson in course():
        card = cards[f"{lesson.path.stem}.html"]
        assert lesson.title in card and lesson.question in card and str(lesson.minutes) in card


def test_nothing_is_fetched_and_every_link_leads_somewhere(made):
    folder, pages = made
    later = ("editions/",)  # add_files brings them
    for name, soup in pages.items():
        for tag in soup.find_all(["img", "script", "link", "iframe"]):
            address = tag.get("src") or tag.get("href") or ""
            if not address.startswith("data:"):
                assert not re.match(r"\w+:|//", address), (name, address)
                path = unquote(re.split(r"[?#]", address)[0])
                assert not path or (folder / path).exists(), (name, address)
        for link in soup.find_all("a", href=True):
            path, _, anchor = link["href"].partition("#")
            if re.match(r"\w+:", path) or path.startswith(later):
                continue
            assert (folder / path).exists(), (name, path)
            if anchor and path in ("", f"{name}.html"):
                assert soup.find(id=unquote(anchor)), (name, anchor)
    for style in folder.glob("_static/**/*.css"):
        assert not re.search(r"@import|url\([\"']?(https?:|//)", style.read_text("utf-8")), style


@LESSONS
def test_a_question_has_its_letters_and_hides_its_answer(lesson, made):
    page = article(made, lesson)
    cells = stored(lesson).cells
    numbers = [PREDICT.search(cell.source)[1] for cell in cells if "predict" in tags(cell)]
    asked = page.select(".predict")
    assert len(asked) == len(numbers) > 3
    reveals = [cell.source for cell in cells if "reveal" in tags(cell)]
    for group, number, reveal in zip(asked, numbers, reveals, strict=True):
        said = json.loads(group["data-said"])
        assert [button["value"] for button in group.find_all("button")] == list(said)
        for letter, text in said.items():
            right = catalogue.right_letter(number) == letter
            assert text.startswith("Right." if right else "Not quite.")
            told = catalogue.reaction(number, letter)
            assert plain(bs4.BeautifulSoup(text, "html.parser").get_text()) in plain(told)
        outcome = group.find_next_sibling()
        assert outcome.name == "details" and "open" not in outcome.attrs
        assert plain(prose(reveal)) in plain(outcome.select_one(".reveal").get_text())
    assert "next cell and click" not in page.get_text() and "(Run the cell" not in page.get_text()
    # Outside of what is folded, and of the answers at the end, no reveal is seen.
    for hidden in page.select("details, #answers-to-the-predictions"):
        hidden.decompose()
    seen = plain(page.get_text())
    for reveal in reveals:
        assert plain(prose(reveal)) not in seen


@LESSONS
def test_answers_stand_at_the_end_for_paper(lesson, made):
    answers = article(made, lesson).select_one("#answers-to-the-predictions")
    numbers = re.findall(r"^\d+\.\d+$", answers.get_text(), re.MULTILINE)
    assert len(numbers) == sum("reveal" in tags(cell) for cell in stored(lesson).cells)


@LESSONS
def test_exercises_show_text_and_stub_and_no_solution(lesson, made):
    page, cells = article(made, lesson), stored(lesson).cells
    text = page.get_text()
    assert "Nothing to check yet" not in text
    for cell in cells:
        if "exercise" in tags(cell):
            assert STUB.search(cell.source)[0] in text
        elif "solution" in tags(cell) and cell.cell_type == "code":
            assert plain(cell.source)[:150] not in plain(text)
        elif heading(cell)[0] == 2 and "solution" not in tags(cell):
            assert plain(heading(cell)[1].replace("`", "")) in plain(text)
    checks = [cell for cell in cells if "check" in tags(cell)]
    assert len(page.select(".to-run a[download]")) == len(checks)


@LESSONS
def test_formulas_are_mathml_and_none_is_left_as_text(lesson, made):
    page = article(made, lesson)
    shown = [c for c in stored(lesson).cells if c.cell_type == "markdown" and not
             {"solution", "badges"} & tags(c)]  # fmt: skip
    again = [cell for cell in shown if "reveal" in tags(cell)]  # also among the answers
    formulas = [f for c in shown + again for f in reading_checks.formulas_of(c.source)]
    assert len(page.find_all("math")) == len(formulas)
    for skipped in page.find_all(["code", "math", "pre", "script", "table"]):
        skipped.decompose()
    assert "$" not in page.get_text() and "\\" not in page.get_text()


@LESSONS
def test_pictures_have_descriptions_and_weigh_little(lesson, made):
    folder, page = made[0], article(made, lesson)
    pictures = page.find_all("img")
    assert pictures
    for picture in pictures:
        assert picture["alt"].strip()
    weight = (folder / f"{lesson.path.stem}.html").stat().st_size
    weight += sum(p.stat().st_size for p in (folder / "pictures" / lesson.path.stem).iterdir())
    assert weight < 4e6


def test_solutions_come_only_when_asked_for(made, tmp_path, monkeypatch):
    lesson = course()[0]
    monkeypatch.setattr(site, "SITE", tmp_path / "site")
    text = site.Page(lesson.path, solutions=True, still=True).markdown()
    for cell in stored(lesson).cells:
        if "solution" in tags(cell) and cell.cell_type == "code":
            assert cell.source in text
    numbered = [c for c in stored(lesson).cells if "solution" in tags(c) and heading(c)[0] == 3]
    assert text.count('<details class="solution">') == len(numbered)
    assert text.count("<details") == text.count("</details>")


def test_with_an_address_pages_lead_to_colab_and_binder(monkeypatch):
    page = site.Page(course()[2].path, still=True)
    assert "Open in" not in page.links()
    monkeypatch.setattr(site, "address", lambda: "owner/name")
    links = re.findall(r'href="(http[^"]*)"', page.links())
    assert len(links) == 4 and all("owner/name" in link and "03_masking" in link for link in links)
    assert "/issues/new" in links[2] and "/edit/" in links[3]
    assert "https://owner.github.io/name/_static/card.png" in site.described("x")
    assert site.base() == "https://owner.github.io/name/"
    assert "colab." in links[0] and "binder" in links[1]
