"""Slides as people see them: in a browser without a network, nothing cut off.

All with this machine's fonts, and as on a machine that has one font only, a wide one. Screenshots
of a few slides are kept in build/screenshots.
"""

import io
import os
import shutil
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import PATIENCE, SHOTS
from PIL import Image, ImageChops

from tools.course import course
from tools.site import slides, typeset

LESSONS = pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.path.stem)
WIDTH, HEIGHT = 1280, 720
THIRD = HEIGHT / 3
ROUNDING = 4  # of 255: how much a color may differ


@pytest.fixture(scope="module")
def files():
    return {path.stem: path for path in slides.write()}


@pytest.fixture(scope="module")
def browsers(browser, start_browser, tmp_path_factory):
    """A Chromium that sees the fonts of this machine, and one that sees DejaVu Sans Mono alone."""
    folder = tmp_path_factory.mktemp("fonts")
    shutil.copy(typeset.DEJAVU / "DejaVuSansMono.ttf", folder)
    settings = folder / "fonts.conf"
    settings.write_text(
        f"<fontconfig><dir>{folder}</dir><cachedir>{folder}</cachedir></fontconfig>"
    )
    alone = start_browser(env={**os.environ, "FONTCONFIG_FILE": str(settings)})
    return {"fonts": browser, "one font": alone}


@pytest.fixture(params=["fonts", "one font"])
def page(browsers, request):
    """A page that has no network, and fails a test that asks for one or logs an error."""
    context = browsers[request.param].new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, offline=True
    )
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    wrong = []
    page.on(
        "request", lambda r: r.url.startswith(("file:", "data:", "blob:")) or wrong.append(r.url)
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
    yield page
    context.close()
    assert wrong == []


@LESSONS
def test_every_slide_fits_and_formulas_show(lesson, files, page):
    page.goto(files[lesson.path.stem].as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    formulas = 0
    for number in range(page.evaluate("Reveal.getSlides().length")):
        seen = page.evaluate(SLIDE, number)
        assert seen["bottom"] >= THIRD, f"slide {number + 1} is nearly empty"
        assert seen["letters"] >= 24, f"slide {number + 1} has letters of {seen['letters']} pixels"
        assert seen["bottom"] <= HEIGHT and seen["right"] <= WIDTH, f"slide {number + 1} is cut off"
        assert not seen["cut"], f"slide {number + 1} has a line that is too long"
        assert seen["flat"] == 0, f"slide {number + 1} has a formula without a size"
        formulas += seen["formulas"]
        if number in (0, 4, 9):
            page.screenshot(path=SHOTS / f"slides_{lesson.number}_{number + 1:02d}.png")
    assert formulas == page.locator("math:not(aside math)").count() > 0


# Go to the slide and measure what stands on it.
SLIDE = """number => {
  const slide = Reveal.getSlides()[number], place = Reveal.getIndices(slide);
  Reveal.slide(place.h, place.v);
  const boxes = [...slide.querySelectorAll("p, li, pre, img, table, math, h1, h2, .picture")]
    .filter(e => !e.closest("aside, .head-view") && e.checkVisibility())
    .map(e => e.getBoundingClientRect());
  const math = [...slide.querySelectorAll("math")].filter(e => !e.closest("aside"));
  return {
    letters: Math.min(...[...slide.querySelectorAll("p:not(.notice), li, pre, h1, h2")]
      .filter(e => !e.closest("aside, .head-view"))
      .map(e => parseFloat(getComputedStyle(e).fontSize))),
    bottom: Math.max(...boxes.map(b => b.bottom)),
    right: Math.max(...boxes.map(b => b.right)),
    cut: [...slide.querySelectorAll("pre")].some(e => e.scrollWidth > e.clientWidth + 1),
    formulas: math.length,
    flat: math.filter(e => e.getBoundingClientRect().width < 3).length,
  };
}"""


def test_speakers_view_shows_notes_and_a_clock_that_knows_the_minutes(files, page):
    page.goto(files[course()[0].path.stem].as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    with page.context.expect_page() as popup:
        page.keyboard.press("s")
    view = popup.value
    view.wait_for_selector(".speaker-controls-notes .value strong")
    assert "minutes." in view.inner_text(".speaker-controls-notes .value")
    view.wait_for_selector(".pacing")
    view.screenshot(path=SHOTS / "speaker.png")


@LESSONS
def test_other_fonts_change_nothing(lesson, files, browsers):
    both = [browser.new_page(viewport={"width": 1000, "height": 2000})
            for browser in (browsers["fonts"], browsers["one font"])]  # fmt: skip
    widths = []
    for page in both:
        page.set_content('<span style="font: 40px sans-serif">iiii</span>')
        widths.append(page.evaluate("document.querySelector('span').offsetWidth"))
    assert widths[0] < widths[1], "the fonts do not differ: nothing was tested"
    for page in both:
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        page.goto(files[lesson.path.stem].as_uri())
        page.wait_for_function("window.Reveal && Reveal.isReady()")
    for number in (0, 2, 7, 9, 12):
        for page in both:
            page.evaluate(SLIDE, number)
        same(*both)
    for page in both:
        page.context.close()


def same(one, other):
    """Fail unless both look the same, as soon as a busy machine has drawn them sharply."""
    for _ in range(20):
        difference = ImageChops.difference(picture(one), picture(other)).convert("L")
        if difference.getextrema()[1] <= ROUNDING:
            return
        time.sleep(0.5)
    pytest.fail(f"they differ by {difference.getextrema()[1]} at {difference.getbbox()}")


def picture(part):
    still = ".controls, .progress { opacity: 0 !important; } * { transition: none !important; }"
    shot = part.screenshot(style=still)
    return Image.open(io.BytesIO(shot)).convert("RGB")


def test_slides_are_for_everybody(files, page):
    """WCAG 2.2 AA, as far as axe-core can see it, on every slide."""
    options = {"preload": False, "runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    for lesson in course():
        page.goto(files[lesson.path.stem].as_uri())
        page.wait_for_function("window.Reveal && Reveal.isReady()")
        for number in range(0, page.evaluate("Reveal.getSlides().length"), 4):
            page.evaluate(SLIDE, number)
            found = Axe().run(page, options=options).response["violations"]
            assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == []
