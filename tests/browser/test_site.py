"""The site as people use it: by hand, by key, on a phone, in the dark, on paper, without scripts.

Screenshots are kept in build/screenshots.
"""

import base64
import io
import itertools
import json
import random
import re

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import SHOTS, STANDARDS
from nbformat.v4 import new_code_cell
from PIL import Image
from playwright.sync_api import expect

from attn_lesson.catalogue import right_letter
from tools.course import course
from tools.lessons import KERNEL, ROOT, execute_in
from tools.notebook import PREDICT, tags
from tools.site import documents, frames

LESSONS = pytest.mark.parametrize("lesson", course(), ids=lambda lesson: lesson.path.stem)
CLOSE = "document.querySelectorAll('details').forEach(each => (each.open = false))"
WIDTHS = [390, 768, 1366, 1920]


def names():
    lessons = [lesson.path.stem for lesson in course()]
    return ["index", "search", "404", *documents.PAGES, *lessons]


def open_all(page):
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(name, scheme, open_page):
    for width in WIDTHS:
        page = open_page(f"{name}.html", width, color_scheme=scheme)
        open_all(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        cut = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
        assert page.locator(".explore").evaluate_all(cut) == 0
        if width not in (390, 1366):  # one page in each of two layouts
            continue
        options = {"preload": False, "runOnly": STANDARDS}
        found = Axe().run(page, options=options).response["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == []
        page.evaluate(CLOSE)
        page.screenshot(path=SHOTS / f"site_{name}_{scheme}_{width}.png")


@LESSONS
def test_the_first_question_is_on_the_first_screen(lesson, open_page):
    page = open_page(f"{lesson.path.stem}.html")
    question = page.locator("xpath=(//*[@class='predict'])[1]/preceding-sibling::ul[1]")
    box = question.bounding_box()
    assert box["y"] + box["height"] <= 768


@LESSONS
def test_predictions_answer_to_mouse_and_keyboard_and_open_without(lesson, open_page):
    page = open_page(f"{lesson.path.stem}.html")
    cells = nbformat.read(lesson.path, as_version=4).cells
    numbers = [PREDICT.search(cell.source)[1] for cell in cells if "predict" in tags(cell)]
    groups = page.locator(".predict")
    assert groups.count() == len(numbers)
    for place, number in enumerate(numbers):
        group = groups.nth(place)
        outcome = group.locator("xpath=following-sibling::*[1]")
        reveal = outcome.locator(".reveal")
        expect(reveal).to_be_hidden()
        buttons = group.get_by_role("button")
        right = "ABCDEFG".index(right_letter(number))
        wrong = (right + 1) % buttons.count()
        if place % 3 == 0:  # by mouse, and another mind
            buttons.nth(wrong).click()
            expect(group.locator(".said")).to_contain_text("Not quite.")
            buttons.nth(right).click()
        elif place % 3 == 1:  # by keyboard
            buttons.nth(right).focus()
            page.keyboard.press("Enter")
        else:  # not at all
            outcome.locator("summary").first.click()
            expect(reveal).to_be_visible()
            assert group.locator(".said").inner_text() == ""
            continue
        expect(group.locator(".said")).to_contain_text(f"{right_letter(number)}. Right.")
        expect(reveal).to_be_visible()
        expect(group.locator("[aria-pressed=true]")).to_have_count(1)


def test_progress_is_kept_over_a_reload_until_it_is_forgotten(open_page, folder):
    page = open_page("01_kernel_regression.html")
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
    page.reload()
    expect(done.first).to_contain_text("1 of")
    page.get_by_role("button", name="Forget it").click()
    expect(done.first).to_be_empty()
    page.goto(f"{folder.as_uri()}/01_kernel_regression.html")
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(said).to_be_empty()


@LESSONS
def test_every_slider_shows_what_the_lesson_draws_there(lesson, open_page, folder):
    page = open_page(f"{lesson.path.stem}.html")
    figures, made = page.locator(".explore"), frames.record(lesson.path)
    assert figures.count() == len(made) > 0
    chance = random.Random(lesson.number)
    for figure, recorded in zip(figures.all(), made, strict=True):
        controls, picture = recorded["controls"], figure.locator("img")
        figure.scroll_into_view_if_needed()
        fields = figure.locator("input, select")
        assert fields.count() == len(controls)
        at = [control["start"] for control in controls]
        for place, control in enumerate(controls):
            last = len(control["values"]) - 1
            for number in (last, 0, chance.randint(0, last)):
                at[place] = number
                if control["kind"] == "range":
                    fields.nth(place).fill(str(number))
                    expect(figure.locator("output").nth(count_ranges(controls, place))
                           ).to_have_text(control["values"][number])  # fmt: skip
                else:
                    fields.nth(place).select_option(index=number)
                positions = itertools.product(*(range(len(c["values"])) for c in controls))
                wanted = recorded["frames"][list(positions).index(tuple(at))]
                expect(picture).to_have_attribute("alt", wanted["alt"])
                expect(picture).to_have_attribute("src", re.compile(re.escape(wanted["file"])))
                assert picture.evaluate("e => e.decode().then(() => e.naturalWidth)") > 300
        fresh = drawn_anew(lesson.path, controls, at)
        shown = folder / "pictures" / lesson.path.stem / wanted["file"]
        assert pixels(shown.read_bytes()) == pixels(fresh)
        field = next(i for i, c in enumerate(controls) if len(c["values"]) > 1)
        before = picture.get_attribute("src")
        fields.nth(field).focus()
        page.keyboard.press("ArrowLeft" if at[field] else "ArrowRight")
        expect(picture).not_to_have_attribute("src", before)


def pixels(data):
    image = Image.open(io.BytesIO(data)).convert("RGB")
    return image.size, image.tobytes()


def count_ranges(controls, place):
    return sum(control["kind"] == "range" for control in controls[:place])


def drawn_anew(path, controls, at):
    """The picture for these positions, drawn by the lesson in a kernel of its own."""
    notebook = nbformat.read(path, as_version=4)
    last = max(i for i, cell in enumerate(notebook.cells) if frames.explored(cell))
    notebook.cells = [
        cell
        for cell in notebook.cells[: last + 1]
        if cell.cell_type == "code" and not frames.LEFT_OUT & tags(cell)
    ]
    values = {
        control["name"]: control["values"][i] for control, i in zip(controls, at, strict=True)
    }
    begin = f"import sys; sys.path[:0] = [{str(ROOT)!r}]\nimport attn_lesson\n" + ANEW
    notebook.cells.insert(0, new_code_cell(begin.replace("VALUES", json.dumps(values))))
    made = execute_in(path.parent, notebook, kernel_name=KERNEL["name"])
    text = "".join(output.get("text", "") for output in made.cells[-1].outputs)
    return base64.b64decode(re.search(r"picture (\S+)", text)[1])


# What a reader sees of a value is its text: the widget finds the value.
ANEW = """
def explore(draw, **controls):
    import base64
    from attn_lesson import widgets
    from attn_teach import plotting
    wanted, values = VALUES, {}
    for name, control in controls.items():
        widget, text = widgets._control(draw, name, control), wanted[name]
        if hasattr(widget, "options"):
            values[name] = dict(zip(map(str, widget._options_labels), widget._options_values))[text]
        elif isinstance(widget.value, bool):
            values[name] = text == "yes"
        else:
            values[name] = type(widget.value)(text)
    first = draw()
    first.draw_without_rendering()
    places = [ax.get_position(original=True) for ax in first.axes]
    plotting.plt.close(first)
    image = widgets.placed(draw, places, **values)._sharp(crop=False)
    data = plotting._encoded(plotting._few_colors(image))
    print("picture", base64.b64encode(data).decode())
    plotting.plt.close("all")

attn_lesson.explore = explore
"""


def test_a_head_view_is_used(open_page):
    page = open_page("07_real_model.html")
    open_all(page)
    view = page.locator(".head-view").first
    before = view.locator("line").count()
    view.locator(".hv-lines .hv-queries .hv-token").nth(1).hover()
    expect(view.locator(".hv-says")).not_to_have_text("")
    assert 0 < view.locator("line").count() <= before


def test_a_word_leads_to_its_meaning_and_back_by_keyboard_without_scripts(open_page):
    page = open_page("03_masking.html", java_script_enabled=False)
    word = page.locator("a.word", has_text="causal mask")
    expect(word).to_have_count(1)
    word.focus()
    page.keyboard.press("Enter")
    entry = page.locator("#term-causal-mask")
    expect(entry).to_be_in_viewport()
    page.locator("#term-causal-mask + dd a", has_text="Lesson 03").click()
    expect(page.locator("h2", has_text="A loss too good to be true")).to_be_in_viewport()


def test_search_finds_a_word_of_any_lesson(open_page):
    page = open_page("index.html")
    page.get_by_placeholder("Search").first.fill("Epanechnikov")
    page.keyboard.press("Enter")
    found = page.locator("#search-results li a")
    expect(found.first).to_be_visible()
    assert any("01_kernel" in link.get_attribute("href") for link in found.all())
    found.first.click()
    expect(page.locator("h1")).to_contain_text("Kernel")


def test_dark_and_light_are_chosen_by_hand_too(open_page):
    page = open_page("05_self_attention.html", color_scheme="light")
    paint = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(paint)
    for _ in range(3):
        page.locator(".theme-toggle:visible").first.click()
        if page.evaluate(paint) != before:
            break
    assert page.evaluate(paint) != before
    white = "e => getComputedStyle(e).backgroundColor"
    assert page.locator(".figure").first.evaluate(white) == "rgb(255, 255, 255)"


@LESSONS
def test_without_scripts_and_on_paper_all_can_be_read(lesson, open_page):
    page = open_page(f"{lesson.path.stem}.html", java_script_enabled=False)
    expect(page.locator(".predict").first).to_be_hidden()
    expect(page.locator(".controls").first).to_be_hidden()
    expect(page.locator("#answers-to-the-predictions")).to_be_visible()
    first = page.locator("details.outcome").first
    first.locator("summary").first.click()
    expect(first.locator(".reveal")).to_be_visible()
    page = open_page(f"{lesson.path.stem}.html")
    page.emulate_media(media="print")
    expect(page.locator("#answers-to-the-predictions")).to_be_visible()
    expect(page.locator("details.outcome pre, details.outcome .figure").first).to_be_visible()
    expect(page.locator(".outcome .reveal").first).to_be_hidden()
    expect(page.locator(".predict").first).to_be_hidden()
    page.pdf(path=SHOTS / f"site_{lesson.number}.pdf")


def test_nothing_moves_for_those_who_want_none_of_it(open_page):
    page = open_page("05_self_attention.html", reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_every_link_beside_the_pages_leads_to_a_file(open_page, folder):
    for name in names():
        page = open_page(f"{name}.html")
        for link in page.locator("a[href^='editions/']").all():
            assert (folder / link.get_attribute("href")).exists()
