"""The site as people use it: by hand, by key, on a phone, in the dark, on paper, without scripts.

Screenshots are kept in build/screenshots.
"""

import io
import itertools
import random
import re

import numpy as np
import pytest
from chromium import MOVING, OPEN, SHOTS, breaches, page_width
from PIL import Image
from playwright.sync_api import expect
from scipy.ndimage import maximum_filter

from attn_lesson.catalogue import right_letter
from tools.course import course
from tools.lessons import lessons
from tools.site import documents, frames

PAGES = ["index", "search", "404", *documents.PAGES]
LESSONS = [lesson.path.stem for lesson in course()]
SOME = "03", "06", "10", "13"  # stand for the others, which --every asks for
EVERY = {False: (), True: pytest.mark.every}
CLOSE = OPEN.replace("true", "false")


@pytest.mark.parametrize("name", PAGES + LESSONS)
def test_everybody_can_read_it(name, open_page, pytestconfig):
    """Of lessons, which are alike, axe sees a phone's layout of one and a screen's of the next."""
    asked = (390, 1280) if name in PAGES else [(390, 1280)[LESSONS.index(name) % 2]]
    if name in LESSONS and name[:2] not in SOME and not pytestconfig.getoption("every"):
        asked = ()
    page = open_page(name)
    for wide, scheme in ((390, "dark"), (768, "dark"), (1280, "light"), (1920, "light")):
        page.set_viewport_size({"width": wide, "height": 768})
        page.emulate_media(color_scheme=scheme)
        page.evaluate(OPEN)
        assert page_width(page) <= wide
        cut = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
        whole = ".explore" if wide < 1200 else ".explore, article .highlight pre"  # code as well
        assert page.locator(whole).evaluate_all(cut) == 0
        code = page.locator("article :is(.highlight pre, pre.output, .editor *)")
        sizes = code.evaluate_all("all => all.map(e => parseFloat(getComputedStyle(e).fontSize))")
        assert min(sizes, default=20) >= {1280: 12.5, 1920: 13.5}.get(wide, 12)
        boxes = page.locator(".figure, .diagram")  # those that scroll on a phone say so
        assert (
            boxes.locator("xpath=self::*[not(contains(@class, 'scrolls'))]").evaluate_all(cut) == 0
        )
        if wide in asked:
            assert breaches(page) == []
            page.evaluate(CLOSE)
            page.screenshot(path=SHOTS / f"site_{name}_{scheme}_{wide}.png")


def predict(page):
    """Answer all questions, each in another way."""
    for place, group in enumerate(page.locator(".predict").all()):
        number = group.get_attribute("data-number")
        outcome = group.locator("xpath=following-sibling::*[1]")
        reveal, buttons = outcome.locator(".reveal"), group.get_by_role("button")
        expect(reveal).to_be_hidden()
        right = "ABCDEFG".index(right_letter(number))
        if place == 0:  # not at all
            outcome.locator("summary").first.click()
            expect(reveal).to_be_visible()
            assert group.locator(".said").inner_text() == ""
            continue
        if place == 1:  # by mouse, and another mind
            buttons.nth((right + 1) % buttons.count()).click()
            expect(group.locator(".said")).to_contain_text("Not quite.")
            buttons.nth(right).click()
        else:
            buttons.nth(right).press("Enter")
        expect(group.locator(".said")).to_contain_text(f"{right_letter(number)}. Right.")
        expect(reveal).to_be_visible()
        expect(group.locator("[aria-pressed=true]")).to_have_count(1)


@pytest.mark.parametrize("name", LESSONS)
def test_predictions_answer_by_hand_and_key_and_without_scripts_and_on_paper(name, open_page):
    page = open_page(name)
    question = page.locator("xpath=(//*[@class='predict'])[1]/preceding-sibling::p[1]")
    box = question.bounding_box()
    assert box["y"] + box["height"] <= 768, "the first question is on the first screen"
    predict(page)
    page.emulate_media(media="print")
    expect(page.locator("#answers-to-the-predictions")).to_be_visible()
    expect(
        page.locator("details.outcome :is(pre:not(details.code *), .figure)").first
    ).to_be_visible()
    for hidden in (".outcome .reveal", ".predict"):
        expect(page.locator(hidden).first).to_be_hidden()

    page = open_page(name, java_script_enabled=False)
    expect(page.locator("#answers-to-the-predictions")).to_be_visible()
    for hidden in page.locator(".predict, .controls").all():
        expect(hidden).to_be_hidden()
    first = page.locator("details.outcome").first
    first.locator("summary").first.click()
    expect(first.locator(".reveal")).to_be_visible()


BEHIND = """asked => {
  const parts = "article :is(p, li, pre, h2, h3, table, img):not(.outcome *)";
  const all = [...document.querySelectorAll(parts)];
  const later = all.slice(all.findIndex(each => asked.compareDocumentPosition(each) === 4));
  const section = later.slice(0, later.findIndex(each => each.matches("h2")));
  return section.filter(each => each.checkVisibility()).length;
}"""  # how much is seen of a section behind a question


@pytest.mark.parametrize("name", [pytest.param(n, marks=EVERY[n[:2] not in SOME]) for n in LESSONS])
def test_what_follows_a_question_waits_until_somebody_chooses_or_goes_on(name, open_page):
    page = open_page(name)
    waiting = page.locator("details.waits:not([open])")
    assert waiting.count() >= 2
    for place, asked in enumerate(page.locator(".predict").all()):
        assert asked.evaluate(BEHIND) == 0
        line = asked.locator("xpath=following-sibling::*[1]/summary")
        waits = line.inner_text().startswith("Go on without choosing")
        if place % 2 and waits:
            line.press("Enter")
        else:
            asked.get_by_role("button").first.click()
        expect(line).to_have_text("What comes out")
        assert not waits or asked.evaluate(BEHIND) > 0
    expect(waiting).to_have_count(0)
    page.reload()
    expect(waiting).to_have_count(0)

    page = open_page(name)  # by a link, and on paper
    last = page.locator("details.waits > :is(p, section)").last
    last.evaluate("each => { each.id = location.hash = 'behind'; }")
    expect(last).to_be_in_viewport()
    page.goto(page.url.partition("#")[0])
    assert not last.is_visible()
    page.emulate_media(media="print")
    assert last.is_visible()
    page = open_page(name, java_script_enabled=False)
    assert page.locator("article section section:visible").count() > 10


def test_progress_is_kept_over_a_reload_until_it_is_forgotten(open_page, folder):
    page = open_page(LESSONS[0])
    button = page.locator(".predict button").nth(1)
    said = page.locator(".predict .said").first
    expect(said).to_be_empty()
    button.click()
    told = said.inner_text()
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(said).to_have_text(told)
    expect(page.locator("details.outcome").first).to_have_attribute("open", "")
    page.goto(f"{folder.as_uri()}/index.html")
    done = page.locator(".card .done")
    expect(done.first).to_contain_text("1 of")
    expect(done.nth(1)).to_be_empty()
    page.get_by_role("button", name="Clear").click()
    expect(done.first).to_be_empty()
    page.goto(f"{folder.as_uri()}/{LESSONS[0]}.html")
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(said).to_be_empty()


def shown(recorded, at):
    """What a figure shows where its controls stand at these places."""
    places = itertools.product(*(range(len(c["values"])) for c in recorded["controls"]))
    return recorded["frames"][[*places].index(tuple(at))]


def slide(page, path):
    """Move each slider of a lesson to its ends and somewhere between."""
    page.evaluate(OPEN)  # some wait behind a question
    figures, made = page.locator(".explore"), list(filter(None, frames.kept(path)))
    assert figures.count() == len(made) > 0
    chance = random.Random(path.stem)
    for figure, recorded in zip(figures.all(), made, strict=True):
        controls, picture = recorded["controls"], figure.locator("img").first
        fields = figure.locator("input, select")
        assert fields.count() == len(controls)
        at = [control["start"] for control in controls]
        for place, (control, field) in enumerate(zip(controls, fields.all(), strict=True)):
            last = len(control["values"]) - 1
            for number in (last, 0, chance.randint(0, last)):
                at[place] = number
                if control["kind"] == "range":
                    field.fill(str(number))
                    told = field.locator("xpath=following-sibling::output")
                    expect(told).to_have_text(control["values"][number])
                else:
                    field.select_option(index=number)
                wanted = shown(recorded, at)
                expect(picture).to_have_attribute("alt", wanted["alt"])
                expect(picture).to_have_attribute("src", re.compile(re.escape(wanted["file"])))
                assert picture.evaluate("e => e.decode().then(() => e.naturalWidth)") > 300
                over = figure.locator(".kept")  # in the dark
                assert over.count() == bool(wanted["colored"])
                if over.count():
                    expect(over).to_have_attribute("src", re.compile(re.escape(wanted["file"])))
        before = picture.get_attribute("src")
        fields.first.press("ArrowLeft" if at[0] else "ArrowRight")
        expect(picture).not_to_have_attribute("src", before)


@pytest.mark.parametrize("path", lessons(MOVING), ids=lambda path: path.stem)
def test_every_slider_shows_the_picture_of_its_place(path, open_page):
    slide(open_page(path.stem), path)


def test_without_scripts_a_figure_shows_the_picture_of_its_controls(open_page):
    [path] = lessons(["01"])
    figures = open_page(path.stem, java_script_enabled=False).locator(".explore")
    for figure, recorded in zip(figures.all(), filter(None, frames.kept(path)), strict=True):
        at = [control["start"] for control in recorded["controls"]]
        alt = shown(recorded, at)["alt"]
        assert figure.locator("img").first.get_attribute("alt") == alt


def test_predictions_answer_and_sliders_move_in_firefox(open_page):
    [path] = lessons(["03"])
    page = open_page(path.stem, within="firefox")
    predict(page)
    slide(page, path)


def test_a_head_view_is_used(open_page):
    page = open_page("07_real_model")
    page.evaluate(OPEN)
    view = page.locator(".head-view").first
    before = view.locator("line").count()
    view.locator(".hv-lines .hv-queries .hv-token").nth(1).hover()
    expect(view.locator(".hv-says")).not_to_have_text("")
    assert 0 < view.locator("line").count() <= before


def test_a_word_leads_to_its_meaning_and_back_by_keyboard_without_scripts(open_page):
    page = open_page("03_masking", java_script_enabled=False)
    page.locator("a.word", has_text="causal mask").press("Enter")
    expect(page.locator("#term-causal-mask")).to_be_in_viewport()
    page.locator("#term-causal-mask + dd a", has_text="Lesson 03").click()
    expect(page.locator("h2", has_text="A loss too good to be true")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("word", "lesson", "there"),
    [
        ("RoPE", "06", "h2:has-text('4. Rotary')"),  # what others call it
        ("nucleus", "10", "h2:has-text('1. One token at a time')"),
        ("skip connection", "05", "p:has(a.word[href*=residual])"),
        ("Epanechnikov", "01", "pre:has-text('epanechnikov') >> visible=true"),
        ("nan_to_num", "03", "pre:has-text('nan_to_num')"),
        ("birds goes wrong", "03", "p:has-text('birds goes wrong first')"),  # behind a question
    ],
)
def test_search_lands_where_a_word_stands(word, lesson, there, open_page):
    page = open_page("index")
    page.get_by_placeholder("Search").first.fill(word)
    page.keyboard.press("Enter")
    first = page.locator("#search-results li").first
    expect(first.locator("a")).to_have_text(re.compile(f"^{lesson} "))
    expect(first.locator("p.context")).to_have_text(re.compile(r"\w+ \w+ \w+"))
    first.locator("a").click()
    expect(page.locator(f"article {there}").first).to_be_in_viewport()


def test_dark_and_light_are_chosen_by_hand_too_and_nothing_moves_for_those_who_want(open_page):
    page = open_page("05_self_attention", color_scheme="light", reduced_motion="reduce")
    paint = "getComputedStyle(document.body).backgroundColor"
    colors = {page.evaluate(paint)}
    for _ in range(2):
        page.locator(".theme-toggle:visible").first.click()
        colors.add(page.evaluate(paint))
    assert len(colors) == 2
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.parametrize("name", ["03_masking", "07_real_model"])
def test_in_the_dark_pictures_are_dark_but_a_color_that_is_a_number_stays(name, open_page):
    seen = {}
    for scheme in ("light", "dark"):
        page = open_page(name, color_scheme=scheme)
        page.evaluate(OPEN)
        for each in page.locator(".figure:has(.turned)").all():
            each.scroll_into_view_if_needed()
            each.evaluate("e => Promise.all([...e.querySelectorAll('img')].map(i => i.decode()))")
            boxes = each.locator(".kept").evaluate_all("all => all.map(e => e.style.clipPath)")
            shot = Image.open(io.BytesIO(each.locator(".turned").screenshot())).convert("L")
            seen.setdefault(scheme, []).append((np.asarray(shot), boxes))
    assert any(boxes for _, boxes in seen["dark"])
    for (light, boxes), (dark, same) in zip(seen["light"], seen["dark"], strict=True):
        assert boxes == same and light.shape == dark.shape
        colored = np.zeros(light.shape, bool)
        height, width = light.shape
        for box in re.findall(r"0%?(?:px)? 0%?(?:px)?, ([^a-z]+?), 0", "".join(boxes)):
            corners = np.array(re.findall(r"[\d.]+", box), float).reshape(-1, 2) / 100
            (x, y), (right, bottom) = (corners * (width, height))[[0, 2]]
            colored[round(y) + 2 : round(bottom) - 2, round(x) + 2 : round(right) - 2] = True
        assert colored.any() == bool(boxes)
        assert (light[colored] == dark[colored]).all(), "a color that is a number changed"
        blank = ~maximum_filter(colored, 12) & (light == 255)
        assert blank.any() and dark[blank].max() < 40, "a white sheet in the dark"
        inked = ~maximum_filter(colored, 12) & (light < 50)
        assert dark[inked].min() > 160, "black on black"
    page.locator(".figure").first.screenshot(path=SHOTS / f"{name}-dark-figure.png")


@pytest.mark.usefixtures("folder")  # which draws them
@pytest.mark.parametrize("path", lessons(MOVING), ids=lambda path: path.stem)
def test_no_picture_of_a_slider_cuts_a_text(path):
    for recorded in filter(None, frames.kept(path)):
        for frame in recorded["frames"]:
            with Image.open(frames.folder(path) / frame["file"]) as picture:
                shades = np.asarray(picture.convert("L"))
            edges = [shades[0], shades[-1], shades[:, 0], shades[:, -1]]
            assert min(edge.min() for edge in edges) > 200, frame["alt"]
