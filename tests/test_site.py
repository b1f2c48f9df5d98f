"""The site: whole, without a network, and without what it should not give away."""

import copy
import json
import re
from urllib.parse import unquote

import bs4
import pytest
from lesson_checks import formulas_of, stored

from attn_lesson import catalogue
from tools.course import course
from tools.notebook import PREDICT, STUB, heading, is_answer, of_type, tags, unfolded
from tools.site import documents, site, words

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


def plain(text):
    return re.sub(r"\W+", "", text)


def prose(markdown):
    """Its longest stretch without any markup."""
    plain_text = re.sub(r"!\[.*?\)|\$\$.*?\$\$|\$.*?\$", "*", markdown, flags=re.DOTALL)
    return max(re.split(r"[*`.\n]", plain_text), key=len)


def test_the_front_leads_to_each_lesson(made):
    front = made[1]["index"].find("article")
    cards = {card["href"]: card.get_text(" ") for card in front.select(".card")}
    assert len(cards) == len(course())
    assert "which.html" in {link["href"] for link in front.find_all("a")}
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
            there = pages[path.removesuffix(".html")] if path.endswith(".html") else soup
            if anchor:
                assert there.find(id=unquote(anchor)), (name, link["href"])
    for style in folder.glob("_static/**/*.css"):
        assert not re.search(r"@import|url\([\"']?(https?:|//)", style.read_text("utf-8")), style


@LESSONS
def test_a_question_has_its_letters_and_hides_its_answer(lesson, made):
    page, cells = article(made, lesson), stored(lesson.path).cells
    numbers = [PREDICT.search(cell.source)[1] for cell in cells if "predict" in tags(cell)]
    asked, answers = page.select(".predict"), page.select_one("#answers-to-the-predictions")
    assert len(asked) == len(numbers) > 3
    reveals = [unfolded(cell) for cell in cells if "reveal" in tags(cell)]
    assert len(answers.select("p.number")) == len(reveals)  # for paper
    for group, number, reveal in zip(asked, numbers, reveals, strict=True):
        said = json.loads(group["data-said"])
        assert [button["value"] for button in group.find_all("button")] == list(said)
        for letter, text in said.items():
            right = catalogue.right_letter(number) == letter
            assert text.startswith("Right." if right else "Not quite.")
        outcome = group.find_next_sibling()
        assert outcome.name == "details" and "open" not in outcome.attrs
        for place in (outcome.select_one(".reveal"), answers):
            assert plain(prose(reveal)) in plain(place.get_text())
    assert "next cell and click" not in page.get_text() and "(Run the cell" not in page.get_text()
    for group in asked:
        question = group.find_previous(string=re.compile(r"Predict first")).find_parent("p")
        text = question.get_text()
        assert "`" not in text and text.count("(") == text.count(")")
    # Outside of what is folded, and of the answers at the end, no reveal is seen.
    for hidden in page.select("details, #answers-to-the-predictions"):
        hidden.decompose()
    assert not [reveal for reveal in reveals if plain(prose(reveal)) in plain(page.get_text())]


@LESSONS
def test_exercises_show_text_and_stub_and_no_solution(lesson, made):
    page, cells = article(made, lesson), stored(lesson.path).cells
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
    texts = of_type(stored(lesson.path), "markdown")
    shown = [cell for cell in texts if "solution" not in tags(cell)]
    again = [cell for cell in shown if "reveal" in tags(cell)]  # also among the answers
    formulas = [f for c in shown + again for f in formulas_of(c.source)]
    assert len(page.find_all("math")) == len(formulas)
    for skipped in page.find_all(["code", "math", "pre", "script", "table"]):
        skipped.decompose()
    assert "$" not in page.get_text() and "\\" not in page.get_text()


@LESSONS
def test_pictures_have_descriptions_and_weigh_little(lesson, made):
    pictures = made[0] / "pictures" / lesson.path.stem
    seen = article(made, lesson)  # a copy that lies over a picture in the dark is not told again
    assert all(
        bool(each["alt"].strip()) != ("kept" in each.get("class", "")) for each in seen("img")
    )
    files = [made[0] / f"{lesson.path.stem}.html", *pictures.iterdir()]
    assert len(files) > 1 and sum(file.stat().st_size for file in files) < 4e6


def test_each_word_has_its_place_in_the_glossary_and_leads_to_its_section(made):
    page = made[1]["glossary"].find("article")
    for word in words.words():
        entry = page.find(id=word.address)
        path, title = word.section()
        told = entry.find_next("dd")
        assert plain(words.plain(word.said)) in plain(told.get_text())
        [there] = told.select("a[href*='_']:not([href^='glossary'])")
        lesson, _, anchor = there["href"].partition("#")
        assert lesson == f"{path.stem}.html" and bool(anchor) == bool(title)
        if title:
            section = made[1][path.stem].find(id=anchor).find("h2")
            assert plain(title.replace("`", "")) in plain(section.get_text())
    assert not any(soup.select("a a") for soup in made[1].values())
    assert sum(len(soup.select("a.word")) for soup in made[1].values()) > 100


def test_what_is_read_is_what_the_lessons_cite(made):
    text = plain(made[1]["reading"].find("article").get_text())
    for lesson in course():
        assert len(documents.sources(lesson.path)) >= 3
        said = "\n".join(cell.source for cell in stored(lesson.path).cells).split("**Sources")[1]
        assert plain(said) in text


def test_the_page_for_teachers_keeps_to_itself_what_learners_should_not_read(made):
    text = made[1]["teaching"].find("article").get_text()
    assert course()[0].question in text and "Six weeks" in text
    assert len(made[1]["teaching"].select_one("table").select("a")) == len(course())
    for word in ("EXAM.md", "unpack", "make mark SUBMISSIONS", "groups of answers", "rubric"):
        assert word not in text and word in documents.file("classroom/TEACHING.md")


def test_the_pages_say_who_made_it_and_what_one_may_do(made):
    cited, allowed = (made[1][name].find("article") for name in ("citation", "licence"))
    version = re.search(r'^version = "(.*)"', documents.file("pyproject.toml"), re.M)[1]
    assert f"Version {version}" in cited.get_text() and "@software" in cited.find("pre").get_text()
    files = [made[0] / link["href"] for link in allowed.select("a[href*='licences/']")]
    told = ("MIT", "Attribution 4.0", "Redistribution", "GeoNames", "Mozilla Public License",
            "PYTHON SOFTWARE FOUNDATION", "NumPy Developers")  # fmt: skip
    for file, says in zip(files, told, strict=True):
        assert says in file.read_text("utf-8")


def test_every_page_has_one_viewport_and_a_foot_with_the_licence(made):
    for name, page in made[1].items():
        assert len(page.find_all("meta", attrs={"name": "viewport"})) == 1, name
        told = {tag["property"]: tag["content"] for tag in page.select("meta[property^='og:']")}
        heading = page.find("h1").find(string=True).strip()
        assert name == "search" or told["og:title"].startswith(heading), name
        assert told["og:site_name"] == site.TITLE and told["og:title"]
        assert name == "search" or len(told["og:description"]) > 20, name
        foot = page.select_one("footer .foot")
        assert [link["href"] for link in foot.find_all("a")] == ["licence.html", "citation.html"]


def test_solutions_come_only_when_asked_for(made, tmp_path, monkeypatch):
    lesson = course()[0]
    monkeypatch.setattr(site, "SITE", tmp_path / "site")
    text = site.Page(lesson.path, solutions=True, still=True).markdown()
    told = [cell for cell in stored(lesson.path).cells if "solution" in tags(cell)]
    assert all(cell.source in text for cell in told if cell.cell_type == "code")
    texts = [cell for cell in told if cell.cell_type == "markdown"]
    numbered = [cell for cell in texts if heading(cell)[0] == 3 or is_answer(cell)]
    assert text.count('<details class="solution">') == len(numbered)
    assert text.count("<details") == text.count("</details>")


def test_with_an_address_a_link_to_a_page_shows_its_best_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(site, "SITE", tmp_path)
    assert site.card("index") == ""
    monkeypatch.setattr(site, "address", lambda: "owner/name")
    for lesson in course()[:2]:
        page = site.Page(lesson.path, still=True)
        page.markdown()
        site.write_card(page)
    first, second = (lesson.path.stem for lesson in course()[:2])
    for name, shown in ((second, second), ("index", first)):
        there = "https://owner.github.io/name/"
        assert site.card(name) == f"{there}pictures/{shown}/card.png"
        assert (tmp_path / site.card(name).removeprefix(there)).read_bytes()[1:4] == b"PNG"


def test_with_an_address_pages_lead_to_colab_and_binder_and_to_their_origin(monkeypatch):
    page = site.Page(course()[2].path, still=True)
    assert "Open in" not in page.links()
    for module in (site, documents):
        monkeypatch.setattr(module, "address", lambda: "owner/name")
    colab, binder = re.findall(r'href="(http[^"]*)"', page.links())
    assert "colab." in colab and "binder" in binder
    assert all("owner/name" in link and "03_masking" in link for link in (colab, binder))
    for name in ("03_masking", *documents.ORIGINS):
        *_, wrong, edit = re.findall(r'href="([^"]*)"', documents.foot(name))
        assert wrong == f"https://github.com/owner/name/issues/new?title={name}"
        origin = edit.removeprefix("https://github.com/owner/name/edit/main/")
        assert (site.ROOT / origin).is_file()
    assert "Edit" not in documents.foot("search")
