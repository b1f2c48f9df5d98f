"""The first page's model, moved by mouse, key and touch; its scores are PyTorch's."""

import random
import re

import pytest
import torch
from chromium import SHOTS, breaches
from playwright.sync_api import expect

from attn_lesson import lesson09
from tools.site import door, moving

LETTERS = ".towns-columns > div:not(:first-child) .towns-sign"


def written(page):
    return "".join(page.locator(LETTERS).all_inner_texts())


@torch.no_grad()
def test_it_writes_by_itself_with_pytorchs_scores_until_it_is_paused(open_page):
    page, (model, tokens, _) = open_page("index"), moving.lesson()
    first = written(page)
    expect(page.locator(".towns-share")).to_have_value("0")  # one country, to begin with
    page.wait_for_function(f"[...document.querySelectorAll('{LETTERS}')].length < {len(first)}")
    page.locator(".towns-play").click()
    stopped = written(page)
    asked = "([a, name]) => read(townsModel, rowsOf(townsModel, [a, a, 0], [...name])).scores"
    for country, name in random.Random(0).sample(lesson09.towns(), 50):
        scores = torch.tensor(page.evaluate(asked, [country, name]))
        wanted = model(torch.tensor([[*map(tokens.index, (country, *name))]]))[0]
        torch.testing.assert_close(scores, wanted, atol=1e-3, rtol=0)
    assert written(page) == stopped
    expect(page.locator(".towns-play")).to_have_text("Go on")


@pytest.mark.parametrize("way", ["mouse", "key", "touch"])
def test_another_letter_is_taken_and_it_goes_on_from_there(way, open_page):
    page = open_page("index", reduced_motion="reduce", has_touch=way == "touch")
    before = written(page)
    column = page.locator(".towns-columns > div").nth(2)
    other = column.get_by_role("button", pressed=False).nth(1)
    letter = other.inner_text()
    {"mouse": other.click, "touch": other.tap, "key": lambda: other.press("Enter")}[way]()
    town = written(page)
    assert town[:2] == before[0] + letter and town.endswith(".")
    lines = page.locator(".towns-lines path")
    assert lines.count() == len(town)  # the last letter looks at the country and all letters
    widths = lines.evaluate_all("all => all.map(each => Number(each.getAttribute('stroke-width')))")
    assert sum(widths) == pytest.approx(10, abs=0.1)


def test_who_presses_slowly_loses_nothing_while_it_writes(open_page):
    page = open_page("index")
    page.wait_for_function(f"document.querySelectorAll('{LETTERS}').length == 3")
    other = page.locator(".towns-columns > div").nth(2).get_by_role("button", pressed=False).first
    letter = other.inner_text()
    other.hover()
    page.mouse.down()
    page.wait_for_timeout(900)
    page.mouse.up()
    assert written(page)[1] == letter
    page.wait_for_timeout(2500)
    assert page.evaluate("document.activeElement.closest('.towns-columns button') !== null")


def test_on_a_phone_the_newest_letter_is_seen_and_countries_are_mixed(open_page):
    page = open_page("index", 390, 844, reduced_motion="reduce", has_touch=True)
    for _ in range(12):
        page.locator(".towns-another").tap()
        right = page.locator(".towns-columns > div").last.bounding_box()
        box = page.locator(".towns-name").bounding_box()
        assert right["x"] + right["width"] <= box["x"] + box["width"] + 1, written(page)
    share = page.locator(".towns-share")
    share.press("Home")
    expect(share).to_have_attribute("aria-valuetext", "0 percent JP, the rest GB")
    town, likely = written(page), page.locator(".towns-columns button").all_inner_texts()
    share.press("End")
    expect(share).to_have_attribute("aria-valuetext", "100 percent JP, the rest GB")
    assert written(page) == town, "the same letters, of which others are likely now"
    assert page.locator(".towns-columns button").all_inner_texts() != likely
    page.locator(".towns-another").tap()
    marked = page.locator(".towns-columns button[aria-pressed=true]").all_inner_texts()
    assert "".join(marked) == written(page) != town
    expect(page.locator(".towns-told")).not_to_have_text("")
    page.screenshot(path=SHOTS / "towns_390.png")


def test_it_begins_with_the_readers_letters_in_every_country(open_page):
    page = open_page("index", reduced_motion="reduce")
    others = page.locator(".towns-others dd")
    expect(others).to_have_count(8)
    page.get_by_label("Begin with").fill("ber9")
    expect(page.locator(".towns-unknown")).to_have_text("No town that it learned from has 9")
    assert written(page).startswith("ber")
    expect(others).to_have_text([re.compile("^ber")] * 8)
    assert len(set(others.all_inner_texts())) > 4, "each country goes on in its own way"
    page.screenshot(path=SHOTS / "front_ber.png")
    page.get_by_label("Begin with").fill("")
    expect(page.locator(".towns-told-of")).to_have_text("A town in each country")


def test_tab_reaches_one_letter_and_arrow_keys_the_others(open_page):
    page = open_page("index", reduced_motion="reduce")
    letters = page.locator(".towns-columns button")
    assert letters.evaluate_all("all => all.filter(each => each.tabIndex == 0).length") == 1
    page.locator(".towns-begin").focus()
    page.keyboard.press("Tab")
    place = (
        "(column => [...column.parentElement.children].indexOf(column))"
        "(document.activeElement.parentElement)"
    )
    newest = page.evaluate(place)
    assert newest == page.locator(".towns-columns > div").count() - 1
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(place) == newest - 1
    page.keyboard.press("Tab")
    expect(page.locator(".towns-play")).to_be_focused()


def test_without_scripts_the_drawing_stands_there(open_page):
    expect(open_page("index").locator(".towns + .without")).to_be_hidden()
    page = open_page("index", java_script_enabled=False)
    expect(page.locator(".towns")).to_be_hidden()
    drawing = page.locator(".towns + .without img")
    expect(drawing).to_be_visible()
    assert drawing.get_attribute("src").endswith("towns.svg")
    drawing.scroll_into_view_if_needed()
    assert drawing.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300


# The first screen


def here(page, part):
    return page.locator(f".door-round:not([hidden]) {part}")


@pytest.mark.parametrize("within, size", [("browser", (1366, 768)), ("browser", (390, 844)),
                                          ("firefox", (1366, 768))])  # fmt: skip
def test_three_mistakes_are_named_and_mended_one_after_the_other(within, size, open_page):
    touch = size[0] == 390
    page = open_page("index", *size, within=within, has_touch=touch)
    for part in (".start", ".door [value=check]"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= size[1], part
    read = [page.locator(part).first for part in ("h1", ".door > p", ".door-tests", ".door-hands")]
    assert len(" ".join(part.inner_text() for part in read).split()) <= 80
    page.screenshot(path=SHOTS / f"front_{within}_{size[0]}.png")
    press = "tap" if touch else "click"
    for number, (code, mended) in enumerate(zip(STUBS, MENDED, strict=True), start=1):
        expect(here(page, "textarea")).to_have_value(code.rstrip())
        expect(here(page, ".door-tests")).to_be_visible()
        getattr(here(page, "[value=check]"), press)()
        expect(here(page, ".answer .verdict.wrong")).to_contain_text(
            NAMED[number - 1], timeout=1500
        )
        page.screenshot(path=SHOTS / f"front_{within}_{size[0]}_{number}.png")
        here(page, "textarea").fill(mended)
        expect(here(page, ".door-tests")).to_be_hidden()  # they were not run on this
        getattr(here(page, "[value=check]"), press)()
        expect(here(page, ".answer .verdict.right")).to_contain_text("Correct")
        means = [*door.ATTENTIONS.values()][number - 1]
        expect(page.locator(".door-count")).to_have_text(f"{number} of 3 mended. {means}")
        if number < 3:
            getattr(page.locator(".door-next"), press)()
    expect(page.locator(".door-next")).to_be_hidden()
    assert not breaches(page, ".door")
    page.reload()
    expect(here(page, "textarea")).to_have_value(STUBS[0].rstrip())  # it begins anew


NAMED = "not by its square root", "Queries and keys are exchanged", "inf / inf is NaN"
STUBS = [door.BEGINS + lines for lines in door.ATTENTIONS]
MENDED = (
    STUBS[0].replace("K.shape[-1]", "K.shape[-1] ** 0.5"),
    *[STUBS[1].replace("K @ Q.mT", "Q @ K.mT")] * 2,
)


def test_another_mistake_than_the_one_that_stands_there_is_named_too(open_page):
    page = open_page("index")
    here(page, "textarea").fill(STUBS[0].replace("past == 0", "past == 1"))
    here(page, "[value=check]").click()
    expect(here(page, ".answer .verdict.wrong")).to_contain_text("You hide what should be seen")
    expect(page.locator(".door-next")).to_be_hidden()


def test_without_scripts_the_first_answer_is_told(open_page):
    page = open_page("index", java_script_enabled=False)
    expect(here(page, ".without")).to_contain_text(NAMED[0])
    expect(here(page, ".without")).to_be_visible()
    expect(here(open_page("index"), ".without")).to_be_hidden()
